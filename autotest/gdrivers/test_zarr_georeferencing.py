# SPDX-License-Identifier: MIT
"""Each test writes a store by one georeferencing convention. The driver must find the CRS, geotransform, geolocation or
ground control points of the store."""

import json
import pathlib

import numpy as np
import pyproj
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, open_band, open_raster
from zarr_georeferencing import assert_geotransform, assert_lands, epsg

pytestmark = zarr_formats.READERS
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
VALUES = np.arange(12, dtype="i2").reshape(3, 4)
X = 500015.0 + 30.0 * np.arange(4)
Y = 5200000.0 - 15.0 - 30.0 * np.arange(3)
PLACE = (500000.0, 30.0, 0.0, 5200000.0, 0.0, -30.0)
LON = 10.25 + 0.5 * np.arange(4)
LAT = 49.75 - 0.5 * np.arange(3)
LONLAT_PLACE = (10.0, 0.5, 0.0, 50.0, 0.0, -0.5)
UTM = pyproj.CRS.from_epsg(32632)


def write(folder, attrs=None, arrays=None, dims=("y", "x"), group_attrs=None, values=VALUES):
    """Writes a store with the array `data` and other arrays {name: (values, dimensions, attributes)}.
    Returns the connection string of `data`."""
    root = zarr.open_group(str(folder / "store.zarr"), mode="w")
    root.attrs.update(group_attrs or {})
    everything = {"data": (values, dims, attrs or {}), **(arrays or {})}
    for name, (items, names, its) in everything.items():
        array = root.array(name, np.asarray(items), fill_value=None)
        array.attrs.update({"_ARRAY_DIMENSIONS": list(names), **its})
    return array_name(folder / "store.zarr", "data")


def axes(x=X, y=Y, x_attrs=None, y_attrs=None):
    return {"x": (x, ["x"], x_attrs or {}), "y": (y, ["y"], y_attrs or {})}


def lonlat(lon=LON, lat=LAT):
    return {
        "lon": (lon, ["lon"], {"standard_name": "longitude", "units": "degrees_east"}),
        "lat": (lat, ["lat"], {"standard_name": "latitude", "units": "degrees_north"}),
    }


def scalar(**attrs):
    return (np.array(0, "i4"), [], attrs)


CRS = {
    "_CRS url": ({"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32632"}}, {}, {}),
    "_CRS wkt": ({"_CRS": {"wkt": UTM.to_wkt()}}, {}, {}),
    "_CRS projjson": ({"_CRS": {"projjson": json.loads(UTM.to_json())}}, {}, {}),
    "_CRS string": ({"_CRS": "EPSG:32632"}, {}, {}),
    "_CRS bad url, good wkt": ({"_CRS": {"url": "nowhere", "wkt": UTM.to_wkt()}}, {}, {}),
    "grid_mapping crs_wkt": (
        {"grid_mapping": "spatial_ref"}, {"spatial_ref": scalar(crs_wkt=UTM.to_wkt())}, {}),
    "grid_mapping spatial_ref": (
        {"grid_mapping": "crs"}, {"crs": scalar(spatial_ref=UTM.to_wkt("WKT1_GDAL"))}, {}),
    "grid_mapping extended": (
        {"grid_mapping": "geo: lat lon utm: x y"},
        {"utm": scalar(crs_wkt=UTM.to_wkt()),
         "geo": scalar(crs_wkt=pyproj.CRS.from_epsg(4326).to_wkt())}, {}),
    "orphan spatial_ref": ({}, {"spatial_ref": scalar(crs_wkt=UTM.to_wkt())}, {}),
    "orphan crs in coordinates": (
        {"coordinates": "crs"}, {"crs": scalar(spatial_ref=UTM.to_wkt())}, {}),
    "proj:code": ({"proj:code": "EPSG:32632"}, {}, {}),
    "proj:epsg": ({"proj:epsg": 32632}, {}, {}),
    "proj:wkt2": ({"proj:wkt2": UTM.to_wkt()}, {}, {}),
    "proj:projjson": ({"proj:projjson": json.loads(UTM.to_json())}, {}, {}),
    "proj:epsg of the group": ({}, {}, {"proj:epsg": 32632}),
    "stac_discovery": ({}, {}, {"stac_discovery": {"properties": {"proj:code": "EPSG:32632"}}}),
    "tile matrix set": (
        {"multiscales": {"tile_matrix_set": {"crs": "EPSG:32632"}}}, {}, {}),
}


@pytest.mark.parametrize("case", CRS)
def test_crs(tmp_path, cpl, case):
    attrs, arrays, group_attrs = CRS[case]
    dataset = open_raster(write(tmp_path, attrs, {**axes(), **arrays}, group_attrs=group_attrs))
    assert epsg(dataset) == 32632
    assert_geotransform(dataset, PLACE)
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)
    if "bad" not in case:
        cpl.assert_quiet()


@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("code", [32632, "32632"])
def test_a_code_that_is_a_number_is_read_with_a_warning(tmp_path, cpl, code, of_group):
    stated = {"proj:code": code}
    name = write(tmp_path, {} if of_group else stated, axes(), group_attrs=stated if of_group else {})
    assert epsg(gdal.Open(name)) == 32632
    assert len(cpl.warnings) == 1
    assert 'attribute proj:code: expected a text "authority:code"' in cpl.warnings[0]
    assert "read as EPSG:32632" in cpl.warnings[0]


def test_a_code_of_another_type_is_ignored_with_a_warning(tmp_path, cpl):
    name = write(tmp_path, {"proj:code": [32632], "proj:wkt2": UTM.to_wkt()}, axes())
    assert epsg(gdal.Open(name)) == 32632
    assert len(cpl.warnings) == 1 and "attribute proj:code: expected" in cpl.warnings[0]


def test_group_crs_counts_for_its_direct_children_only(tmp_path):
    write(tmp_path, arrays=axes(), group_attrs={"proj:epsg": 32632})
    root = zarr.open_group(str(tmp_path / "store.zarr"))
    root.array("sub/data", VALUES)
    assert epsg(open_raster(array_name(tmp_path / "store.zarr", "sub/data"))) is None


def test_grid_mapping_in_a_group_above(tmp_path):
    write(tmp_path, arrays={**axes(), "crs": scalar(crs_wkt=UTM.to_wkt())})
    root = zarr.open_group(str(tmp_path / "store.zarr"))
    deep = root.array("a/b/data", VALUES)
    deep.attrs.update({"_ARRAY_DIMENSIONS": ["y", "x"], "grid_mapping": "crs"})
    dataset = open_raster(array_name(tmp_path / "store.zarr", "a/b/data"))
    assert epsg(dataset) == 32632
    assert_geotransform(dataset, PLACE)


def test_precedence_of_crs_attributes(tmp_path):
    attrs = {"_CRS": "EPSG:32633", "grid_mapping": "crs", "proj:epsg": 32631}
    arrays = {**axes(), "crs": scalar(crs_wkt=UTM.to_wkt())}
    assert epsg(open_raster(write(tmp_path, attrs, arrays))) == 32633
    del attrs["_CRS"]
    assert epsg(open_raster(write(tmp_path, attrs, arrays))) == 32632
    del arrays["crs"], attrs["grid_mapping"]
    assert epsg(open_raster(write(tmp_path, attrs, arrays))) == 32631


@pytest.mark.parametrize("crs", ["EPSG:4326", "OGC:CRS84"])
def test_axis_order_of_longitudes_and_latitudes(tmp_path, crs):
    """Longitudes are the raster's x axis, whatever axis order the CRS states. gdal.Open(), gdalwarp and coordinate
    transformations agree about this."""
    store = write(tmp_path, {"_CRS": crs}, lonlat(), dims=["lat", "lon"])
    dataset = open_raster(store)
    srs = dataset.GetSpatialRef()
    stated = osr.SpatialReference()
    stated.SetFromUserInput(crs)
    assert srs.IsSame(stated, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])
    assert srs.GetDataAxisToSRSAxisMapping() == ([2, 1] if crs == "EPSG:4326" else [1, 2])
    assert_geotransform(dataset, LONLAT_PLACE)
    mercator = gdal.Warp("", store, format="MEM", dstSRS="EPSG:3857", width=400, height=300)
    place, warped = mercator.GetGeoTransform(), mercator.ReadAsArray()
    to_mercator = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
    for row, column in np.ndindex(*VALUES.shape):
        x, y = to_mercator.transform(LON[column], LAT[row])
        pixel = warped[int((y - place[3]) / place[5]), int((x - place[0]) / place[1])]
        assert pixel == VALUES[row, column]


def test_longitudes_and_latitudes_alone(tmp_path):
    name = write(tmp_path, arrays=lonlat(), dims=["lat", "lon"])
    dataset = open_raster(name)
    assert epsg(dataset) == 4326
    assert_geotransform(dataset, LONLAT_PLACE)
    assert open_raster(name, "ASSUME_LONGLAT=NO").GetSpatialRef() is None


def test_names_alone_make_no_wgs84(tmp_path):
    arrays = {"lon": (LON, ["lon"], {}), "lat": (LAT, ["lat"], {})}
    dataset = open_raster(write(tmp_path, arrays=arrays, dims=["lat", "lon"]))
    assert dataset.GetSpatialRef() is None
    assert_geotransform(dataset, LONLAT_PLACE)


ROTATED = (500000.0, 20.0, 5.0, 5200000.0, 5.0, -20.0)
PLACES = {
    "spatial:transform": (
        {"spatial:transform": [30, 0, 500000, 0, -30, 5200000], "spatial:dimensions": ["y", "x"]},
        {}, {}, PLACE),
    "spatial:transform of nodes": (
        {"spatial:transform": [30, 0, 500015, 0, -30, 5199985], "spatial:registration": "node"},
        {}, {}, PLACE),
    "proj:transform of six": ({"proj:transform": [30, 0, 500000, 0, -30, 5200000]}, {}, {}, PLACE),
    "proj:transform of nine": (
        {"proj:transform": [30, 0, 500000, 0, -30, 5200000, 0, 0, 1]}, {}, {}, PLACE),
    "proj:transform of the group": (
        {}, {}, {"proj:transform": [30, 0, 500000, 0, -30, 5200000]}, PLACE),
    "coordinates": ({}, axes(), {}, PLACE),
    "south up": ({}, axes(y=Y[::-1]), {}, (500000, 30, 0, 5200000 - 90, 0, 30)),
    "float32 coordinates": ({}, axes(X.astype("f4"), Y.astype("f4")), {}, PLACE),
    "integer coordinates": ({}, axes((X - 15).astype("i4"), (Y + 15).astype("i4")), {},
                            (499985.0, 30.0, 0.0, 5200015.0, 0.0, -30.0)),
    "packed coordinates": (
        {}, {"x": (np.arange(4, dtype="i2"), ["x"], {"scale_factor": 30.0, "add_offset": 500015.0}),
             "y": (Y, ["y"], {})}, {}, PLACE),
    "GeoTransform": (
        {"grid_mapping": "crs"},
        {"crs": scalar(crs_wkt=UTM.to_wkt(), GeoTransform="500000 30 0 5200000 0 -30")}, {}, PLACE),
    "GeoTransform with rotation": (
        {"grid_mapping": "crs"},
        {"crs": scalar(crs_wkt=UTM.to_wkt(), GeoTransform="500000 20 5 5200000 5 -20")}, {},
        ROTATED),
}


@pytest.mark.parametrize("case", PLACES)
def test_geotransform(tmp_path, cpl, case):
    attrs, arrays, group_attrs, place = PLACES[case]
    dataset = open_raster(write(tmp_path, attrs, arrays, group_attrs=group_attrs))
    assert_geotransform(dataset, place)
    cpl.assert_quiet()


def test_coordinates_count_more_than_a_geotransform_that_disagrees(tmp_path, cpl):
    arrays = {**axes(), "crs": scalar(crs_wkt=UTM.to_wkt(), GeoTransform="0 30 0 5200000 0 -30")}
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, arrays))
    assert_geotransform(dataset, PLACE)
    assert len(cpl.warnings) == 1 and "GeoTransform" in cpl.warnings[0]


def test_a_geotransform_that_agrees_is_exact(tmp_path, cpl):
    lon = np.float32(-179.95) + np.float32(0.1) * np.arange(4, dtype="f4")
    arrays = {**lonlat(lon.astype("f4"), LAT),
              "crs": scalar(crs_wkt=pyproj.CRS.from_epsg(4326).to_wkt(),
                            GeoTransform="-180 0.1 0 50 0 -0.5")}
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, arrays, dims=["lat", "lon"]))
    assert dataset.GetGeoTransform() == (-180, 0.1, 0, 50, 0, -0.5)
    cpl.assert_quiet()


BROKEN = {
    "x with NaN": ({}, axes(x=np.array([1, 2, np.nan, 4])), "/x"),
    "x all the same": ({}, axes(x=np.ones(4)), "/x"),
    "x of strings": ({}, axes(x=np.array(["a", "b", "c", "d"], "U1")), "x"),
    "x too short": ({}, axes(x=X[:3]), "/x"),
    "proj:transform of five": ({"proj:transform": [1, 2, 3, 4, 5]}, {}, "proj:transform"),
    "proj:transform that is singular": ({"proj:transform": [0, 0, 3, 0, 0, 5]}, {}, "proj:transform"),
    "spatial:transform of text": ({"spatial:transform": "1 2 3"}, {}, "spatial:transform"),
    "GeoTransform of five": (
        {}, {"crs": scalar(crs_wkt=UTM.to_wkt(), GeoTransform="1 2 3 4 5")}, "GeoTransform"),
    "grid_mapping of nothing": ({"grid_mapping": "nowhere"}, {}, "grid_mapping"),
    "grid_mapping that leaves the store": ({"grid_mapping": "../../crs"}, {}, "grid_mapping"),
    "grid mapping variable that says nothing": (
        {"grid_mapping": "crs"}, {"crs": scalar(title="no CRS")}, "grid mapping"),
    "WKT that PROJ refuses": (
        {"grid_mapping": "crs"}, {"crs": scalar(crs_wkt='PROJCRS["broken"')}, "crs_wkt"),
    "EPSG code that does not exist": ({"proj:epsg": 999999}, {}, "proj:epsg"),
    "proj:epsg of text": ({"proj:epsg": "many"}, {}, "proj:epsg"),
    "_CRS of a number": ({"_CRS": 4326}, {}, "_CRS"),
    "_CRS of an empty object": ({"_CRS": {}}, {}, "_CRS"),
    "_ARRAY_DIMENSIONS of a number": ({"_ARRAY_DIMENSIONS": 2}, {}, "_ARRAY_DIMENSIONS"),
    "grid_mapping_name that CF does not know": (
        {"grid_mapping": "crs"}, {"crs": scalar(grid_mapping_name="flat_earth")}, "flat_earth"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_conventions_warn_once(tmp_path, cpl, case):
    """Invalid georeferencing gives exactly one warning, and the pixels can still be read."""
    attrs, arrays, word = BROKEN[case]
    dataset = gdal.Open(write(tmp_path, attrs, arrays))  # open_raster() would hide the warnings from `cpl`
    for _ in range(2):
        dataset.GetSpatialRef()
        dataset.GetGeoTransform(can_return_null=True)
    warnings = cpl.warnings
    assert len(warnings) == 1 and word in warnings[0], warnings
    assert np.array_equal(dataset.ReadAsArray(), VALUES)


def test_a_broken_crs_falls_through_to_the_next(tmp_path, cpl):
    attrs = {"_CRS": {"wkt": "rubbish"}, "proj:code": "EPSG:32632"}
    dataset = open_raster(write(tmp_path, attrs, axes()))
    assert epsg(dataset) == 32632
    assert len(cpl.warnings) == 1 and "_CRS.wkt" in cpl.warnings[0]


def test_a_broken_crs_behind_a_good_one_does_not_matter(tmp_path, cpl):
    """An invalid CRS attribute gives no warning if another attribute states a valid CRS. An example is an attribute
    `grid_mapping` that GDAL's tools have copied without the grid mapping variable."""
    attrs = {"_CRS": "EPSG:32632", "grid_mapping": "spatial_ref", "proj:epsg": "many"}
    assert epsg(open_raster(write(tmp_path, attrs, axes()))) == 32632
    cpl.assert_quiet()


def test_georeferencing_attributes_are_no_metadata(tmp_path):
    attrs = {"_CRS": "EPSG:32632", "grid_mapping": "crs", "coordinates": "x y", "proj:epsg": 32632,
             "spatial:transform": [30, 0, 500000, 0, -30, 5200000], "projection": "kept"}
    dataset = gdal.Open(write(tmp_path, attrs, axes()))
    # A spatial:transform without spatial:registration means that pixels are areas.
    assert dataset.GetMetadata() == {"projection": "kept", "AREA_OR_POINT": "Area"}


def test_a_store_without_georeferencing(tmp_path, cpl):
    dataset = open_raster(write(tmp_path))
    assert dataset.GetSpatialRef() is None
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert dataset.GetGCPCount() == 0
    assert dataset.GetMetadata("GEOLOCATION") == {}
    cpl.assert_quiet()


def test_a_crs_is_no_file_and_no_url(tmp_path, cpl):
    """If the CRS of a store is a file name, the driver does not open that file."""
    (tmp_path / "crs.wkt").write_text(UTM.to_wkt())
    dataset = open_raster(write(tmp_path, {"_CRS": str(tmp_path / "crs.wkt")}))
    assert dataset.GetSpatialRef() is None
    assert len(cpl.warnings) == 1


AXES = {
    "axis attributes": (["a", "b"], {"a": {"axis": "X"}, "b": {"axis": "Y"}}),
    "standard names": (["a", "b"], {"a": {"standard_name": "projection_x_coordinate"},
                                    "b": {"standard_name": "projection_y_coordinate"}}),
    "units": (["a", "b"], {"a": {"units": "degrees_E"}, "b": {"units": "degree_north"}}),
    "names": (["X", "Y"], {}),
    "longitude first": (["longitude", "latitude"], {}),
    "easting first": (["Easting", "Northing"], {}),
}


@pytest.mark.parametrize("case", AXES)
def test_a_raster_stored_as_x_y_is_transposed(tmp_path, case):
    dims, its = AXES[case]
    arrays = {dims[0]: (X, [dims[0]], its.get(dims[0], {})),
              dims[1]: (Y, [dims[1]], its.get(dims[1], {}))}
    dataset = open_raster(write(tmp_path, {}, arrays, dims=dims, values=VALUES.T))
    assert np.array_equal(dataset.ReadAsArray(), VALUES)
    assert_geotransform(dataset, PLACE)


def test_spatial_dimensions_name_the_axes(tmp_path):
    attrs = {"spatial:dimensions": ["down", "across"],
             "spatial:transform": [30, 0, 500000, 0, -30, 5200000]}
    dataset = open_raster(write(tmp_path, attrs, dims=["across", "down"], values=VALUES.T))
    assert np.array_equal(dataset.ReadAsArray(), VALUES)
    assert_geotransform(dataset, PLACE)


def test_kilometres_are_not_metres(tmp_path):
    """Coordinates in kilometres are scaled to metres if the CRS states metres. If the CRS states no unit, the
    coordinates are not scaled, and the unit of the CRS becomes the kilometre."""
    units = {"units": "km"}
    arrays = axes(X / 1000, Y / 1000, units, units)
    dataset = open_raster(write(tmp_path, {"_CRS": "EPSG:32632"}, arrays))
    assert_geotransform(dataset, PLACE)
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)
    arrays["crs"] = scalar(**UTM.to_cf())
    del arrays["crs"][2]["crs_wkt"]
    arrays["crs"][2]["false_easting"] = 500.0  # 500 km; CF states it in the unit of the coordinates
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, arrays))
    assert dataset.GetSpatialRef().GetLinearUnits() == 1000
    assert_geotransform(dataset, [number / 1000 for number in PLACE])
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)


def test_ome_scale_and_translation(tmp_path):
    root = zarr.open_group(str(tmp_path / "image.zarr"), mode="w")
    root.array("0", np.zeros((2, 3, 4), "u2"), dimension_separator="/")
    root.attrs["multiscales"] = [{
        "version": "0.4",
        "axes": [{"name": "c", "type": "channel"},
                 {"name": "y", "type": "space", "unit": "micrometer"},
                 {"name": "x", "type": "space", "unit": "micrometer"}],
        "datasets": [{"path": "0", "coordinateTransformations": [
            {"type": "scale", "scale": [1, 0.5, 0.25]},
            {"type": "translation", "translation": [0, 10, 20]}]}],
        "coordinateTransformations": [{"type": "scale", "scale": [1, 2, 2]}],
    }]
    dataset = open_raster(array_name(tmp_path / "image.zarr", "0"))
    assert dataset.RasterCount == 2 and dataset.GetSpatialRef() is None
    assert_geotransform(dataset, (39.75, 0.5, 0, -19.5, 0, -1.0))


def test_longitudes_from_0_to_360(tmp_path):
    lon = np.arange(8) * 45.0
    values = np.arange(16, dtype="i2").reshape(2, 8)
    name = write(tmp_path, arrays=lonlat(lon, np.array([45.0, -45.0])), dims=["lat", "lon"],
                 values=values)
    dataset = open_raster(name)
    assert_geotransform(dataset, (-22.5, 45, 0, 90, 0, -90))
    wrapped = open_raster(name, "WRAP_LONGITUDE=YES")
    west = wrapped.GetGeoTransform()[0]
    assert_geotransform(wrapped, (-202.5, 45, 0, 90, 0, -90))  # the first column includes longitude 180
    centres = west + 45 * (np.arange(8) + 0.5)
    expected = values[:, ((centres % 360) / 45).astype(int)]
    assert np.array_equal(wrapped.ReadAsArray(), expected)
    for x in range(8):
        for width in range(1, 9 - x):
            got = wrapped.ReadAsArray(x, 0, width, 2)
            assert np.array_equal(got, expected[:, x:x + width])
    assert bytes(wrapped.GetRasterBand(1).ReadBlock(0, 0))[:16] == expected[0].tobytes()


@zarr_formats.BOTH
def test_curvilinear_grid(tmp_path):
    """gdalwarp -geoloc moves a known pixel to the location that two-dimensional longitudes and latitudes
    state."""
    rows, columns = np.mgrid[0:40, 0:60]
    lon = 5 + 0.05 * columns + 0.01 * rows
    lat = 50 - 0.04 * rows + 0.005 * columns
    values = np.zeros((40, 60), "f4")
    values[20:23, 30:33] = 100
    arrays = {"lon": (lon, ["y", "x"], {"standard_name": "longitude", "units": "degrees_east"}),
              "lat": (lat, ["y", "x"], {"standard_name": "latitude", "units": "degrees_north"})}
    name = write(tmp_path, {"coordinates": "lon lat"}, arrays, values=values)
    store = tmp_path / "store.zarr"
    dataset = open_raster(name)
    assert dataset.GetSpatialRef() is None  # two-dimensional coordinates do not give the raster itself a CRS
    domain = dataset.GetMetadata("GEOLOCATION")
    assert domain["X_DATASET"] == array_name(store, "lon")
    assert domain["Y_DATASET"] == array_name(store, "lat")
    assert domain["GEOREFERENCING_CONVENTION"] == "PIXEL_CENTER"
    assert (domain["PIXEL_OFFSET"], domain["PIXEL_STEP"]) == ("0", "1")
    assert np.array_equal(open_raster(domain["X_DATASET"]).ReadAsArray(), lon)
    assert len(open_raster(store).GetSubDatasets() or []) == 0  # lon and lat are not listed as rasters
    warped = gdal.Warp("", name, format="MEM", geoloc=True, dstSRS="EPSG:4326", xRes=0.02, yRes=0.02)
    place = warped.GetGeoTransform()
    column = int((lon[21, 31] - place[0]) / place[1])
    row = int((lat[21, 31] - place[3]) / place[5])
    assert warped.ReadAsArray()[row, column] == 100


def test_irregular_axes_are_a_geolocation_array(tmp_path, cpl):
    lat = np.array([10.0, 11.0, 13.0])
    name = write(tmp_path, arrays=lonlat(LON, lat), dims=["lat", "lon"])
    dataset = open_raster(name)
    assert dataset.GetGeoTransform(can_return_null=True) is None
    domain = dataset.GetMetadata("GEOLOCATION")
    assert open_raster(domain["Y_DATASET"]).ReadAsArray().ravel().tolist() == lat.tolist()
    cpl.assert_quiet()


def test_ground_control_points(tmp_path):
    root = zarr.open_group(str(tmp_path / "store.zarr"), mode="w")
    data = root.array("vv/measurements/grd", np.zeros((100, 200), "u2"))
    data.attrs["_ARRAY_DIMENSIONS"] = ["azimuth_time", "ground_range"]
    line, pixel = np.array([0, 50, 99]), np.array([0, 199])
    lat = 50 - 0.01 * line[:, None] + 0 * pixel
    lon = 5 + 0.01 * pixel + 0 * line[:, None]
    for name, values in {"line": line, "pixel": pixel, "latitude": lat, "longitude": lon,
                         "height": lat * 10}.items():
        root.array(f"vv/conditions/gcp/{name}", values.astype("f8"))
    dataset = open_raster(array_name(tmp_path / "store.zarr", "vv/measurements/grd"))
    points = dataset.GetGCPs()
    assert len(points) == 6 and dataset.GetGCPSpatialRef().GetAuthorityCode(None) == "4326"
    point = points[3]
    assert (point.GCPPixel, point.GCPLine) == (199, 50)
    assert (point.GCPX, point.GCPY, point.GCPZ) == (lon[1, 1], lat[1, 1], lat[1, 1] * 10)
    assert dataset.GetSpatialRef() is None


def test_flags_name_the_classes(tmp_path):
    attrs = {"flag_values": [0, 1, 3], "flag_meanings": "water forest town"}
    band = open_band(write(tmp_path, attrs, values=VALUES.astype("u1")))
    assert band.GetCategoryNames() == ["water", "forest", "", "town"]


@pytest.mark.parametrize("colours, table", [
    ("#0000ff #00ff00 808080", True), (["#0000ff", "#00FF00", "#808080"], True),
    ("#0000ff #00ff00", False), ("blue green grey", False), ([1, 2, 3], False),
])  # fmt: skip
def test_flags_have_colours(tmp_path, cpl, colours, table):
    attrs = {"flag_values": [0, 1, 3], "flag_meanings": "water forest town", "flag_colors": colours}
    band = open_band(write(tmp_path, attrs, values=VALUES.astype("u1")))
    assert band.GetCategoryNames() == ["water", "forest", "", "town"]
    assert (band.GetColorInterpretation() == gdal.GCI_PaletteIndex) == table
    assert (band.GetColorTable() is not None) == table
    if table:
        found = [band.GetColorTable().GetColorEntry(i) for i in range(band.GetColorTable().GetCount())]
        assert found == [(0, 0, 255, 255), (0, 255, 0, 255), (0, 0, 0, 0), (128, 128, 128, 255)]
    assert cpl.events == []


def test_unsigned(tmp_path):
    values = np.array([[-1, 0], [127, -128]], "i1")
    dataset = open_raster(write(tmp_path, {"_Unsigned": "true", "_FillValue": -1}, values=values))
    band = dataset.GetRasterBand(1)
    assert band.DataType == gdal.GDT_Byte
    assert dataset.ReadAsArray().tolist() == [[255, 0], [127, 128]]
    assert band.GetNoDataValue() == 255


@zarr_formats.V2
@pytest.mark.parametrize("name", ["terrain.zarr", "satellite_rgb.zarr"])
def test_samples_are_warped_to_their_location(name):
    root = zarr.open_group(str(DATA / name), mode="r")
    dataset = open_raster(DATA / name)
    assert_lands(dataset, "EPSG:32632", root["x"][100], root["y"][50], 50, 100)


def test_srs_of_the_cube_and_of_gdal_agree():
    """Longitudes and latitudes without a stated CRS get the CRS that osr makes of EPSG:4326."""
    srs = open_raster(DATA / "temperature.zarr").GetSpatialRef()
    wgs84 = osr.SpatialReference()
    wgs84.ImportFromEPSG(4326)
    assert srs.IsSame(wgs84, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])


def test_dim_x_and_dim_y_choose_the_coordinates_too():
    """With DIM_Y=time, the axes of the raster are longitude and time. Such a raster is no map, so it has no CRS. Its
    coordinates may give a geotransform."""
    store = pathlib.Path(__file__).resolve().parents[2] / "data" / "temperature.zarr"
    name = array_name(store, "air_temperature")
    as_map = open_raster(name, "DIM_X=lon", "DIM_Y=lat")
    assert as_map.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert as_map.GetGeoTransform() == open_raster(name).GetGeoTransform()
    west, step = as_map.GetGeoTransform()[0:2]
    section = open_raster(name, "DIM_X=lon", "DIM_Y=time")
    assert (section.RasterXSize, section.RasterYSize, section.RasterCount) == (180, 24, 90)
    assert section.GetSpatialRef() is None
    transform = section.GetGeoTransform(can_return_null=True)
    assert transform is None or transform[0:2] == (west, step)
    turned = open_raster(name, "DIM_X=lat", "DIM_Y=lon")
    north, down = as_map.GetGeoTransform()[3::2]
    assert turned.GetGeoTransform() == (north, down, 0, west, 0, step)
    assert turned.GetSpatialRef() is None


def test_a_grid_mappings_geotransform_applies_to_its_group_only(tmp_path):
    """If no array names a grid mapping, its geotransform applies only to arrays of its own group. Its CRS applies to
    arrays of subgroups, too."""
    name = write(tmp_path, arrays={
        "spatial_ref": scalar(crs_wkt=UTM.to_wkt(), GeoTransform="500000 30 0 5200000 0 -30"),
        "below/other": (np.zeros((5, 6), "i2"), ["b", "a"], {}),
        "below/named": (np.zeros((5, 6), "i2"), ["b", "a"], {"grid_mapping": "spatial_ref"})})  # fmt: skip
    assert_geotransform(open_raster(name), PLACE)
    other = open_raster(name.replace("data", "below/other"))
    assert epsg(other) == 32632
    assert other.GetGeoTransform(can_return_null=True) is None
    assert_geotransform(open_raster(name.replace("data", "below/named")), PLACE)


# ---------------------------------------------------------------------------------------------
# Georeferencing that the group of a pyramid states for all levels


LEVELS_OF_A_PYRAMID = {
    "groups": ("r10m", "r20m"), "nested groups": ("levels/full", "levels/half"),
    "nested arrays": ("full/data", "half/data"),
}  # fmt: skip


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("registration", [None, "node"])
@pytest.mark.parametrize("layout", LEVELS_OF_A_PYRAMID)
def test_levels_take_their_group_s_geotransform(tmp_path, layout, registration, consolidated):
    paths = LEVELS_OF_A_PYRAMID[layout]
    store = tmp_path / "store.zarr"
    root = zarr.open_group(str(store), mode="w")
    group = root.create_group("scenes/one")
    shift = 0.5 if registration == "node" else 0
    levels = [
        {"asset": path, "transform": {"scale": [2.0**k, 2.0**k]},
         "spatial:transform": [30.0 * 2**k, 0, 500000 + shift * 30 * 2**k,
                               0, -30.0 * 2**k, 5200000 - shift * 30 * 2**k]}
        for k, path in enumerate(paths)
    ]  # fmt: skip
    group.attrs.put({
        "multiscales": {"layout": levels}, "proj:code": "EPSG:32632",
        **({"spatial:registration": registration} if registration else {}),
    })  # fmt: skip
    values = np.arange(48, dtype="i2").reshape(6, 8)
    arrays = [path if layout == "nested arrays" else f"{path}/data" for path in paths]
    for k, path in enumerate(arrays):
        array = group.create_dataset(path, data=values[:: 2**k, :: 2**k])
        array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    if consolidated:
        zarr.consolidate_metadata(str(store))
    for k, path in enumerate(arrays):
        dataset = open_raster(array_name(store, f"scenes/one/{path}"))
        assert epsg(dataset) == 32632
        assert_geotransform(dataset, (500000, 30 * 2**k, 0, 5200000, 0, -30 * 2**k))
    dataset = open_raster(array_name(store, "scenes/one"))
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    assert epsg(dataset) == 32632


@pytest.mark.parametrize("path", ["1", "levels/1"])
def test_the_crs_of_ndpyramid_s_levels_at_any_depth(tmp_path, path):
    store = tmp_path / "store.zarr"
    root = zarr.open_group(str(store), mode="w")
    root.attrs["multiscales"] = [{"datasets": [{"path": path, "crs": "EPSG:32633"}]}]
    array = root.create_dataset(f"{path}/data", data=VALUES)
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    assert epsg(open_raster(array_name(store, f"{path}/data"))) == 32633
