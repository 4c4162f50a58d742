# SPDX-License-Identifier: MIT
"""A multidimensional array has the CRS, axis mapping and geotransform of its raster."""

import pathlib

import numpy as np
import pyproj
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import assert_geotransform, assert_lands
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
VALUES = np.arange(12, dtype="i2").reshape(3, 4)
X = 500015.0 + 30.0 * np.arange(4)
Y = 5200000.0 - 15.0 - 30.0 * np.arange(3)
UTM = pyproj.CRS.from_epsg(32632)
LON = {"values": 10.25 + 0.5 * np.arange(4), "dims": ["lon"],
       "attrs": {"standard_name": "longitude", "units": "degrees_east"}}  # fmt: skip
LAT = {"values": 49.75 - 0.5 * np.arange(3), "dims": ["lat"],
       "attrs": {"standard_name": "latitude", "units": "degrees_north"}}  # fmt: skip


def write(folder, arrays, values=VALUES, dims=("y", "x"), **attrs):
    data = {"values": values, "dims": dims, "attrs": attrs}
    return make_store(folder, {"data": data, **arrays})


def axes(scale=1, units="m"):
    attrs = {"units": units}
    return {"x": {"values": X * scale, "dims": ["x"], "attrs": attrs},
            "y": {"values": Y * scale, "dims": ["y"], "attrs": attrs}}  # fmt: skip


def utm(scale=1, units="m"):
    crs = {"values": np.array(0), "dims": [], "attrs": {"crs_wkt": UTM.to_wkt()}}
    return {**axes(scale, units), "crs": crs}


def plain(folder):
    return write(folder, utm(), grid_mapping="crs")


def columns_first(folder):
    """Writes an array with the dimensions x, band and y, in this order, so its raster is transposed."""
    values = np.arange(24, dtype="i2").reshape(4, 2, 3)
    return write(folder, utm(), values, ["x", "band", "y"], grid_mapping="crs")


def lonlat(folder):
    return write(folder, {"lon": LON, "lat": LAT}, VALUES, ["lat", "lon"])


def latlon(folder):
    return write(folder, {"lon": LON, "lat": LAT}, VALUES.T, ["lon", "lat"])


def kilometres(folder):
    return write(folder, utm(0.001, "km"), grid_mapping="crs")


def crs_attribute(folder):
    return write(folder, axes(), _CRS="EPSG:32632")


def spatial_transform(folder):
    return write(folder, {}, **{"proj:code": "EPSG:32632", "spatial:dimensions": ["y", "x"],
                                "spatial:transform": [30, 0, 5e5, 0, -30, 5.2e6]})


def rotated_transform(folder):
    return write(folder, {}, **{"proj:code": "EPSG:32632", "spatial:dimensions": ["y", "x"],
                                "spatial:transform": [30, 1, 5e5, 2, -30, 5.2e6]})


def nowhere(folder):
    return write(folder, {})


STORES = [plain, columns_first, lonlat, latlon, kilometres, crs_attribute, spatial_transform,
          rotated_transform, nowhere]  # fmt: skip


def classic_of_view(array, raster):
    """Returns a view of an array, the classic dataset that GDAL makes of it, and its axes x and y. A view is needed,
    because an array itself gives the driver's own dataset."""
    view = array.GetView("[" + ",".join("::1" for _ in array.GetDimensions()) + "]")
    sizes = [dimension.GetSize() for dimension in array.GetDimensions()]
    x, y = sizes.index(raster.RasterXSize), sizes.index(raster.RasterYSize)
    return view, view.AsClassicDataset(x, y), x, y


@pytest.mark.parametrize("make", STORES)
def test_crs_and_geotransform_equal_the_rasters(tmp_path, cpl, make):
    store = make(tmp_path)
    raster = open_raster(array_name(store, "data"))
    array = zarr_mdim.open_array(store, "data")
    view, classic, x, y = classic_of_view(array, raster)
    srs = raster.GetSpatialRef()
    for found in (array.GetSpatialRef(), view.GetSpatialRef()):
        if srs is None:
            assert found is None
        elif make is not kilometres:
            assert found.IsSame(srs, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])
    place = raster.GetGeoTransform(can_return_null=True)
    if make is rotated_transform:
        assert place[2] != 0 and classic.GetGeoTransform(can_return_null=True) is None
    elif place is None:
        assert classic.GetGeoTransform(can_return_null=True) is None
    elif make is not kilometres:
        assert_geotransform(classic, place)
    cpl.assert_quiet()


@pytest.mark.parametrize("make", STORES)
def test_the_array_as_a_classic_dataset(tmp_path, make):
    """AsClassicDataset() with the axes of the raster gives the raster that gdal.Open() opens."""
    store = make(tmp_path)
    raster = open_raster(array_name(store, "data"))
    array = zarr_mdim.open_array(store, "data")
    _, _, x, y = classic_of_view(array, raster)
    dataset = array.AsClassicDataset(x, y)
    assert dataset.GetGeoTransform(can_return_null=True) == raster.GetGeoTransform(
        can_return_null=True
    )
    zarr_gdal.assert_same(zarr_gdal.read_all(dataset), zarr_gdal.read_all(raster))
    srs = raster.GetSpatialRef()
    if srs is None:
        assert dataset.GetSpatialRef() is None
    else:
        assert dataset.GetSpatialRef().IsSame(srs)


# Dimensions (from 1) to which the CRS axes 1 and 2 are mapped. Axis 1 of EPSG:4326 is the latitude.
MAPPINGS = {plain: [2, 1], columns_first: [1, 3], lonlat: [1, 2], latlon: [2, 1],
            kilometres: [2, 1], crs_attribute: [2, 1], spatial_transform: [2, 1]}  # fmt: skip


@pytest.mark.parametrize("make", MAPPINGS)
def test_axis_mapping(tmp_path, make):
    srs = zarr_mdim.open_array(make(tmp_path), "data").GetSpatialRef()
    assert list(srs.GetDataAxisToSRSAxisMapping()) == MAPPINGS[make]


@pytest.mark.parametrize("make", [s for s in STORES if s not in (rotated_transform, nowhere)])
def test_a_view_is_warped_to_its_location(tmp_path, make):
    """gdalwarp moves a pixel of a view's classic dataset to the location that pyproj computes."""
    store = make(tmp_path)
    array = zarr_mdim.open_array(store, "data")
    raster = open_raster(array_name(store, "data"))
    _, dataset, _, _ = classic_of_view(array, raster)
    if make in (lonlat, latlon):
        assert_lands(dataset, "EPSG:4326", LON["values"][2], LAT["values"][1], 1, 2)
    else:
        assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)


def test_coordinates_in_kilometres(tmp_path):
    """The multidimensional API does not convert coordinates to metres, so the CRS has the unit kilometre."""
    array = zarr_mdim.open_array(kilometres(tmp_path), "data")
    y, x = (dimension.GetIndexingVariable() for dimension in array.GetDimensions())
    zarr_gdal.assert_same(x.ReadAsArray(), X * 0.001)
    assert y.GetUnit() == "km"
    srs = array.GetSpatialRef()
    assert srs.GetLinearUnits() == 1000
    assert srs.GetProjParm("false_easting") == 500


def test_a_cut_and_thinned_view_is_never_misplaced(tmp_path):
    """A view that skips pixels has the right geotransform or none. GDAL 3.6 finds none, because dimensions of such
    views have no coordinates there."""
    view = zarr_mdim.open_array(plain(tmp_path), "data").GetView("[1:3,1:4:2]")
    dataset = view.AsClassicDataset(1, 0)
    if dataset.GetGeoTransform(can_return_null=True) is not None:
        assert_geotransform(dataset, (X[1] - 30, 60, 0, Y[1] + 15, 0, -30))
    zarr_gdal.assert_same(dataset.ReadAsArray(), VALUES[1:3, 1:4:2])


def test_transposed_mapping_follows(tmp_path):
    """If GDAL transposes an array, the CRS's axis mapping follows the new dimension order."""
    array = zarr_mdim.open_array(plain(tmp_path), "data").Transpose([1, 0])
    assert list(array.GetSpatialRef().GetDataAxisToSRSAxisMapping()) == [1, 2]
    assert_geotransform(array.AsClassicDataset(0, 1), (5e5, 30, 0, 5.2e6, 0, -30))


def test_coordinate_arrays_have_no_crs_of_their_own(tmp_path, cpl):
    root = zarr_mdim.open_group(plain(tmp_path))
    assert root.OpenMDArray("x").GetSpatialRef() is None
    assert root.OpenMDArray("crs").GetSpatialRef() is None
    cpl.assert_quiet()


def grid_like(array, srs, size, west, north, step):
    """Returns dimensions with coordinate arrays in memory, which GetResampled() needs, and the group that owns them."""
    root = gdal.GetDriverByName("MEM").CreateMultiDimensional("grid").GetRootGroup()
    number = gdal.ExtendedDataType.Create(gdal.GDT_Float64)
    found = []
    for name, kind, first, pace, n in (("y", "HORIZONTAL_Y", north, -step, size[0]),
                                       ("x", "HORIZONTAL_X", west, step, size[1])):  # fmt: skip
        dimension = root.CreateDimension(name, kind, "", n)
        variable = root.CreateMDArray(name, [dimension], number)
        variable.Write(first + pace * (np.arange(n) + 0.5))
        dimension.SetIndexingVariable(variable)
        found.append(dimension)
    return root, found


def test_resampled(tmp_path):
    """GetResampled() to another CRS and grid gives the values that gdalwarp gives."""
    values = np.arange(600, dtype="f4").reshape(20, 30)
    arrays = utm()
    arrays["x"]["values"] = 500015.0 + 30.0 * np.arange(30)
    arrays["y"]["values"] = 5200000.0 - 15.0 - 30.0 * np.arange(20)
    store = write(tmp_path, arrays, values, grid_mapping="crs")
    array = zarr_mdim.open_array(store, "data")
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(3035)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    bounds = gdal.Warp("", open_raster(array_name(store, "data")), format="MEM", dstSRS=srs)
    west, _, _, north, _, _ = bounds.GetGeoTransform()
    west, north, step, size = west + 100, north - 100, 40.0, (8, 12)
    root, dimensions = grid_like(array, srs, size, west, north, step)
    resampled = array.GetResampled(dimensions, gdal.GRIORA_NearestNeighbour, srs)
    assert resampled is not None, gdal.GetLastErrorMsg()
    warped = gdal.Warp(
        "", open_raster(array_name(store, "data")), format="MEM", dstSRS=srs, width=size[1],
        height=size[0], errorThreshold=0,
        outputBounds=[west, north - step * size[0], west + step * size[1], north],
    )  # fmt: skip
    wanted = warped.ReadAsArray()
    assert np.unique(wanted).size > 50
    zarr_gdal.assert_same(resampled.ReadAsArray(), wanted)


@zarr_formats.V2
@pytest.mark.parametrize(
    "name, path", [("terrain.zarr", "elevation"), ("satellite_rgb.zarr", None),
                   ("temperature.zarr", None)],
)  # fmt: skip
def test_samples(name, path):
    """A multidimensional array has the geotransform of its raster, for each raster of a sample store."""
    root = zarr_mdim.open_group(DATA / name)
    compared = 0
    for array_of in [a for a, _ in zarr.open_group(str(DATA / name), mode="r").arrays()]:
        array = root.OpenMDArray(array_of)
        if array.GetDimensionCount() < 2:
            continue
        raster = open_raster(array_name(DATA / name, array_of))
        place = raster.GetGeoTransform(can_return_null=True)
        if place is None:
            continue
        kinds = [dimension.GetType() for dimension in array.GetDimensions()]
        x, y = kinds.index("HORIZONTAL_X"), kinds.index("HORIZONTAL_Y")
        view = array.GetView("[" + ",".join("::1" for _ in kinds) + "]")
        assert_geotransform(view.AsClassicDataset(x, y), place)
        srs = raster.GetSpatialRef()
        assert array.GetSpatialRef().IsSame(srs, ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])
        compared += 1
    assert compared > 0
