# SPDX-License-Identifier: MIT
"""Rasters with two-dimensional coordinate arrays: their metadata domain GEOLOCATION, and where gdalwarp moves their
pixels. Coordinates are longitudes and latitudes, or projected."""

import numpy as np
import pyproj
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import epsg
from zarr_mdim import open_group
from zarr_store import make_store

pytestmark = zarr_formats.READERS
ROWS, COLUMNS = np.mgrid[0:40, 0:60]
LON = 5 + 0.05 * COLUMNS + 0.01 * ROWS
LAT = 50 - 0.04 * ROWS + 0.005 * COLUMNS
SPOT = (21, 31)
VALUES = np.zeros(LON.shape, "f4")
VALUES[20:23, 30:33] = 100
AEQD = pyproj.CRS.from_cf({
    "grid_mapping_name": "azimuthal_equidistant", "semi_major_axis": 6378137.0,
    "inverse_flattening": 298.257223563, "latitude_of_projection_origin": 48.0,
    "longitude_of_projection_origin": 8.0, "false_easting": 0.0, "false_northing": 0.0,
})  # fmt: skip
UTM = pyproj.CRS.from_epsg(32632)
LON_ATTRS = {"standard_name": "longitude", "units": "degrees_east"}
LAT_ATTRS = {"standard_name": "latitude", "units": "degrees_north"}
YX = ("row", "column")


def array(values, attrs=None, dims=YX, **options):
    return {"values": np.asarray(values), "dims": dims, "attrs": attrs or {}, **options}


def metres(crs=UTM):
    """Returns two-dimensional arrays x and y, the points of LON and LAT in the CRS `crs`."""
    return pyproj.Transformer.from_crs(4326, crs, always_xy=True).transform(LON, LAT)


def scalar(**attrs):
    return {"values": np.array(0, "i4"), "dims": (), "attrs": attrs}


def assert_warped(name, lon=None, lat=None, values=VALUES, spot=SPOT):
    """Asserts that gdalwarp -geoloc moves a spot of pixels with the value 100 to its longitude and latitude."""
    warped = gdal.Warp("", name, format="MEM", geoloc=True, dstSRS="EPSG:4326",
                       xRes=0.02, yRes=0.02)  # fmt: skip
    assert warped is not None, gdal.GetLastErrorMsg()
    place = warped.GetGeoTransform()
    lon = (LON if lon is None else lon)[spot]
    lat = (LAT if lat is None else lat)[spot]
    column, row = int((lon - place[0]) / place[1]), int((lat - place[3]) / place[5])
    pixels = warped.ReadAsArray().reshape(warped.RasterCount, warped.RasterYSize, -1)[0]
    assert pixels[row, column] == 100
    # The mean position of all pixels with the value 100 is less than 3 rows and columns from the expected pixel.
    rows, columns = np.nonzero(pixels == 100)
    assert abs(columns.mean() - column) < 3 and abs(rows.mean() - row) < 3


def geolocation(name):
    return open_raster(name).GetMetadata("GEOLOCATION")


# ---------------------------------------------------------------------------------------------
# Choice of coordinate arrays, and units of coordinates

X_M = {"units": "m"}
X_SAID = {"standard_name": "projection_x_coordinate", "units": "m"}
Y_SAID = {"standard_name": "projection_y_coordinate", "units": "m"}
BOTH_PAIRS = [
    ("latitude longitude x y", X_M, X_M), ("x y longitude latitude", X_M, X_M),
    ("latitude longitude x y", X_SAID, Y_SAID), ("latitude longitude x y", {}, {}),
    ("latitude longitude x y", {"axis": "X"}, {"axis": "Y"}),
]  # fmt: skip


@zarr_formats.BOTH
@pytest.mark.parametrize("coordinates, x_attrs, y_attrs", BOTH_PAIRS)
@pytest.mark.parametrize("has_crs", [False, True])
def test_longitudes_win_over_metres(tmp_path, cpl, coordinates, x_attrs, y_attrs, has_crs):
    x, y = metres()
    mapping = {"grid_mapping": "spatial_ref"} if has_crs else {}
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": coordinates, **mapping}),
        "latitude": array(LAT, LAT_ATTRS), "longitude": array(LON, LON_ATTRS),
        "x": array(x, x_attrs), "y": array(y, y_attrs),
        **({"spatial_ref": scalar(crs_wkt=UTM.to_wkt())} if has_crs else {}),
    })  # fmt: skip
    name = array_name(store, "data")
    domain = geolocation(name)
    assert domain["X_DATASET"] == array_name(store, "longitude")
    assert domain["Y_DATASET"] == array_name(store, "latitude")
    assert 'AUTHORITY["EPSG","4326"]' in domain["SRS"]
    assert_warped(name)
    cpl.assert_quiet()


@pytest.mark.parametrize("x_attrs, y_attrs", [(X_M, X_M), (X_SAID, Y_SAID), ({}, {})])
@pytest.mark.parametrize("of_group", [False, True])
def test_metres_without_a_crs_give_no_geolocation(tmp_path, cpl, x_attrs, y_attrs, of_group):
    x, y = metres()
    coordinates = {"coordinates": "x y"}
    store = make_store(tmp_path, {
        "data": array(VALUES, {} if of_group else coordinates),
        "x": array(x, x_attrs), "y": array(y, y_attrs),
    }, attributes=coordinates if of_group else {})  # fmt: skip
    dataset = open_raster(array_name(store, "data"))
    assert dataset.GetMetadata("GEOLOCATION") == {}
    assert dataset.GetSpatialRef() is None
    cpl.assert_quiet()


@pytest.mark.parametrize("factor, units", [(1, "m"), (1000, "km"), (1, None)])
@pytest.mark.parametrize("how", ["wkt", "cf", "of group", "proj"])
def test_metres_with_a_crs(tmp_path, cpl, factor, units, how):
    x, y = metres()
    its = {"units": units} if units else {}
    cf = {k: v for k, v in UTM.to_cf().items() if k != "crs_wkt"}
    mapping = {"wkt": {"grid_mapping": "crs"}, "cf": {"grid_mapping": "crs"}, "of group": {},
               "proj": {"proj:code": "EPSG:32632"}}[how]  # fmt: skip
    if how == "cf" and units == "km":
        cf["false_easting"] = 500.0  # 500 km: CF states the false easting in the unit of the coordinates
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "x y", **mapping}, ("y", "x")),
        "x": array(x / factor, its, ("y", "x")), "y": array(y / factor, its, ("y", "x")),
        **({} if how == "proj" else {"crs": scalar(**(cf if how == "cf" else {"crs_wkt": UTM.to_wkt()}))}),
    })  # fmt: skip
    name = array_name(store, "data")
    domain = geolocation(name)
    assert "PROJCS" in domain["SRS"]
    assert_warped(name)
    cpl.assert_quiet()


def radar(tmp_path, **changes):
    """Writes a radar sweep as xradar does: an array along azimuth and range with 2D coordinates x, y and z, and scalar
    arrays for position and CRS. `changes` replaces arrays. Returns the connection string of the array "data"."""
    x, y = metres(AEQD)
    words = "altitude azimuth crs_wkt latitude longitude range x y z"
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": words}, ("azimuth", "range")),
        "azimuth": array(np.arange(40.0), {"units": "degrees", "standard_name": "ray_azimuth_angle"}, ("azimuth",)),
        "range": array(250.0 * np.arange(60) + 125, {"units": "meters"}, ("range",)),
        "x": array(x, {"units": "meters", "standard_name": "east_west_distance_from_radar"}, ("azimuth", "range")),
        "y": array(y, {"units": "meters", "standard_name": "north_south_distance_from_radar"}, ("azimuth", "range")),
        "z": array(0 * x, {"units": "meters", "standard_name": "height_above_ground"}, ("azimuth", "range")),
        "longitude": {"values": np.array(8.0), "dims": (), "attrs": LON_ATTRS},
        "latitude": {"values": np.array(48.0), "dims": (), "attrs": LAT_ATTRS},
        "altitude": {"values": np.array(100.0), "dims": ()},
        "crs_wkt": scalar(**AEQD.to_cf()),
        **changes,
    })  # fmt: skip
    return array_name(store, "data")


def test_gates_of_a_radar(tmp_path, cpl):
    name = radar(tmp_path)
    dataset = open_raster(name)
    # A raster along azimuth and range has no geotransform and no CRS, because these are not map coordinates.
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert dataset.GetSpatialRef() is None
    assert "Azimuthal_Equidistant" in dataset.GetMetadataItem("SRS", "GEOLOCATION")
    assert_warped(name)
    md = open_group(tmp_path / "store.zarr").OpenMDArray("data")
    assert md.GetSpatialRef() is None
    cpl.assert_quiet()


def test_angles_of_a_rotated_grid_are_no_longitudes(tmp_path, cpl):
    its = {"units": "degrees"}
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "rlon rlat"}),
        "rlon": array(LON, {"standard_name": "grid_longitude", **its}),
        "rlat": array(LAT, {"standard_name": "grid_latitude", **its}),
    })  # fmt: skip
    assert geolocation(array_name(store, "data")) == {}
    cpl.assert_quiet()


def test_longitudes_have_the_stated_geographic_crs(tmp_path):
    moon = pyproj.CRS.from_user_input("IAU_2015:30100")
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "lon lat", "grid_mapping": "crs"}),
        "lon": array(LON, LON_ATTRS), "lat": array(LAT, LAT_ATTRS),
        "crs": scalar(crs_wkt=moon.to_wkt()),
    })  # fmt: skip
    assert "Moon" in geolocation(array_name(store, "data"))["SRS"]


def test_longitudes_are_transposed_like_the_raster(tmp_path, cpl):
    """Longitudes with the raster's dimensions in reverse order are transposed. They are ignored if the dimension names
    do not tell rows from columns."""
    for dims, turned in ((("y", "x"), True), (("a", "b"), False)):
        folder = tmp_path / dims[0]
        store = make_store(folder, {
            "data": array(VALUES, {"coordinates": "lon lat"}, dims),
            "lon": array(LON.T, LON_ATTRS, dims[::-1]), "lat": array(LAT.T, LAT_ATTRS, dims[::-1]),
        })  # fmt: skip
        name = array_name(store, "data")
        assert bool(geolocation(name)) == turned
        if turned:
            assert_warped(name)
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Coordinates that are packed with scale and offset


@pytest.mark.parametrize("dtype, scale, offset", [
    ("i4", 1e-5, 0), ("i2", 0.001, 20.0), ("u2", 0.001, 0), ("f4", 0.5, 10.0), ("i4", "1e-5", None),
])  # fmt: skip
def test_packed_longitudes(tmp_path, cpl, dtype, scale, offset):
    def packed(values, attrs):
        stored = (values - (offset or 0)) / float(scale)
        stored = np.rint(stored) if dtype != "f4" else stored
        packing = {"scale_factor": scale, **({} if offset is None else {"add_offset": offset})}
        return array(stored.astype(dtype), {**attrs, **packing})

    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "lon lat"}),
        "lon": packed(LON, LON_ATTRS), "lat": packed(LAT, LAT_ATTRS),
    })  # fmt: skip
    name = array_name(store, "data")
    domain = geolocation(name)
    for key, values in (("X_DATASET", LON), ("Y_DATASET", LAT)):
        got = gdal.Open(domain[key]).ReadAsArray()
        np.testing.assert_allclose(got, values, rtol=0, atol=1e-3)
    assert_warped(name)
    cpl.assert_quiet()


def test_packed_longitudes_with_missing_values(tmp_path):
    lon = np.rint(LON * 1000).astype("i4")
    lon[:5] = -9999
    lat = np.rint(LAT * 1000).astype("i4")
    lat[:5] = -9999
    packing = {"scale_factor": 0.001, "_FillValue": -9999}
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "lon lat"}),
        "lon": array(lon, {**LON_ATTRS, **packing}), "lat": array(lat, {**LAT_ATTRS, **packing}),
    })  # fmt: skip
    name = array_name(store, "data")
    band = gdal.Open(geolocation(name)["X_DATASET"])
    pixels, missing = band.ReadAsArray(), band.GetRasterBand(1).GetNoDataValue()
    assert (pixels[:5] == missing).all() and not (pixels[5:] == missing).any()
    assert_warped(name)


def test_a_store_with_xml_characters_in_its_name(tmp_path):
    folder = tmp_path / 'a & b <c> "d"'
    store = make_store(folder, {
        "data": array(VALUES, {"coordinates": "lon lat"}),
        "lon": array(np.rint(LON * 1000).astype("i4"), {**LON_ATTRS, "scale_factor": 0.001}),
        "lat": array(np.rint(LAT * 1000).astype("i4"), {**LAT_ATTRS, "scale_factor": 0.001}),
    })  # fmt: skip
    assert_warped(array_name(store, "data"))


def test_longitudes_in_radians(tmp_path, cpl):
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "lon lat"}),
        "lon": array(np.radians(LON), {**LON_ATTRS, "units": "radian"}),
        "lat": array(np.radians(LAT), {**LAT_ATTRS, "units": "radian"}),
    })  # fmt: skip
    assert_warped(array_name(store, "data"))
    cpl.assert_quiet()


IRREGULAR_LON = 5 + 0.05 * np.arange(60) + 0.0002 * np.arange(60) ** 2
IRREGULAR_LAT = 50 - 0.04 * np.arange(40) - 0.0003 * np.arange(40) ** 2


@pytest.mark.parametrize("packed", [False, True])
def test_irregular_axes(tmp_path, cpl, packed):
    def axis(values, attrs, dim):
        if packed:
            values, attrs = np.rint(values * 1e4).astype("i4"), {**attrs, "scale_factor": 1e-4}
        return array(values, attrs, (dim,))

    store = make_store(tmp_path, {
        "data": array(VALUES, {}, ("lat", "lon")),
        "lon": axis(IRREGULAR_LON, LON_ATTRS, "lon"), "lat": axis(IRREGULAR_LAT, LAT_ATTRS, "lat"),
    })  # fmt: skip
    name = array_name(store, "data")
    dataset = open_raster(name)
    assert dataset.GetGeoTransform(can_return_null=True) is None
    got = gdal.Open(dataset.GetMetadataItem("Y_DATASET", "GEOLOCATION")).ReadAsArray().ravel()
    np.testing.assert_allclose(got, IRREGULAR_LAT, rtol=0, atol=1e-4)
    assert_warped(name, *np.meshgrid(IRREGULAR_LON, IRREGULAR_LAT))
    cpl.assert_quiet()


@pytest.mark.parametrize("has_crs", [False, True])
def test_irregular_axes_of_a_projection(tmp_path, cpl, has_crs):
    east = 300000 + 3000.0 * np.arange(60) + 10 * np.arange(60) ** 2
    north = 5500000 - 4000.0 * np.arange(40) - 10 * np.arange(40) ** 2
    store = make_store(tmp_path, {
        "data": array(VALUES, {"grid_mapping": "crs"} if has_crs else {}, ("y", "x")),
        "x": array(east / 1000, {**X_SAID, "units": "km"}, ("x",)),
        "y": array(north / 1000, {**Y_SAID, "units": "km"}, ("y",)),
        **({"crs": scalar(crs_wkt=UTM.to_wkt())} if has_crs else {}),
    })  # fmt: skip
    name = array_name(store, "data")
    if not has_crs:
        assert geolocation(name) == {}
        return
    back = pyproj.Transformer.from_crs(32632, 4326, always_xy=True)
    assert_warped(name, *back.transform(*np.meshgrid(east, north)))
    assert epsg(open_raster(name)) == 32632
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Coordinates with a time dimension before rows and columns


@pytest.mark.parametrize("names", [("longitude", "latitude"), ("XLONG", "XLAT")])
@pytest.mark.parametrize("packed", [False, True])
def test_longitudes_with_time(tmp_path, cpl, names, packed):
    """Longitudes may have a time dimension, as in WRF (Time, ...) and in swaths (time, scanline, pixel). Each slice of
    the raster uses the longitudes of its own time."""
    dims = ("Time", "south_north", "west_east")
    factor = 1e-4 if packed else 1

    def moving(values, shift, direction):
        stored = np.stack([values, values + shift]) / factor
        stored = np.rint(stored).astype("i4") if packed else stored
        attrs = {"units": f"degree_{direction}", **({"scale_factor": factor} if packed else {})}
        return array(stored, attrs, dims)

    store = make_store(tmp_path, {
        "T2": array(np.stack([VALUES, VALUES]), {"coordinates": " ".join(names) + " XTIME"}, dims),
        names[0]: moving(LON, 2.0, "east"), names[1]: moving(LAT, -1.0, "north"),
        "XTIME": array(np.arange(2.0), {"units": "hours since 2020-01-01"}, ("Time",)),
    })  # fmt: skip
    name = array_name(store, "T2")
    assert_warped(name + ":0")
    assert_warped(name + ":1", LON + 2, LAT - 1)
    cpl.assert_quiet()
    dataset = gdal.Open(name)
    assert dataset.RasterCount == 2
    assert dataset.GetMetadata("GEOLOCATION")["X_BAND"] == "1"
    assert [("GEOLOCATION" in w and "Time" in w) for w in cpl.warnings] == [True, True]
    assert_warped(name)


@pytest.mark.parametrize("steps", [1, 3])
def test_longitudes_with_time_that_are_constant(tmp_path, cpl, steps):
    dims = ("Time", "south_north", "west_east")
    store = make_store(tmp_path, {
        "T2": array(np.stack([VALUES] * steps), {"coordinates": "XLONG XLAT"}, dims),
        "HGT": array(VALUES, {"coordinates": "XLONG XLAT"}, dims[1:]),
        "XLONG": array(np.stack([LON] * steps), {"units": "degree_east"}, dims),
        "XLAT": array(np.stack([LAT] * steps), {"units": "degree_north"}, dims),
    })  # fmt: skip
    assert_warped(array_name(store, "T2"))
    assert_warped(array_name(store, "HGT"))
    cpl.assert_quiet()


def test_corners_of_pixels_are_no_longitudes(tmp_path):
    corners = np.stack([LON] * 4, axis=-1)
    store = make_store(tmp_path, {
        "data": array(VALUES, {"coordinates": "lon_b lat_b"}, ("y", "x")),
        "lon_b": array(corners, LON_ATTRS, ("y", "x", "corner")),
        "lat_b": array(corners, LAT_ATTRS, ("y", "x", "corner")),
    })  # fmt: skip
    assert geolocation(array_name(store, "data")) == {}
