# SPDX-License-Identifier: MIT
"""Nodata values that Python programs state by plain attributes: `fill_value`, `nodata` (Open Data Cube, odc-geo) and
`nodatavals` (xarray's former open_rasterio). rioxarray reads them in this order, after `_FillValue` and
`missing_value`. Also NaT of times that CF encodes as int64, and `_Unsigned` with nodata values of the other sign."""

import gc

import numpy as np
import pytest
import rioxarray  # noqa: F401
import xarray as xr
import zarr_formats
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_band, open_raster
from zarr_store import make_store
from zarr_tools import run_gdal

pytestmark = zarr_formats.BOTH
NAN = float("nan")
NAT = np.iinfo("i8").min
NAMES = ["_FillValue", "missing_value", "fill_value", "nodata", "nodatavals"]


def store_of(folder, values, attrs, dims=("y", "x"), more=None, **options):
    return make_store(folder, {"a": {"values": values, "dims": dims, "attrs": attrs, **options}, **(more or {})})


def nodata_of(store, path="a"):
    """Returns the nodata value of the array as a raster and in the multidimensional API, which must be equal."""
    band = open_band(array_name(store, path))
    array = zarr_mdim.open_group(store).OpenMDArray(path)
    if band.DataType == gdal.GDT_Int64:
        found = band.GetNoDataValueAsInt64(), array.GetNoDataValueAsInt64()
    else:
        found = band.GetNoDataValue(), array.GetNoDataValueAsDouble()
    np.testing.assert_array_equal(*found)
    return found[0]


STATED = [
    # (dtype, attributes, nodata value)
    ("i2", {"nodata": -999}, -999),
    ("i2", {"fill_value": -999}, -999),
    ("i2", {"nodatavals": [-999]}, -999),
    ("i2", {"nodatavals": -999}, -999),
    ("i2", {"nodata": [-999]}, -999),
    ("i2", {"nodata": "-999"}, -999),
    ("i2", {"nodata": "-999.0"}, -999),
    ("i2", {"nodata": " -999 "}, -999),
    ("i2", {"nodata": -999.0}, -999),
    ("i2", {"nodata": 0}, 0),
    ("i2", {"nodata": [-999, -999.0, "-999"]}, None),
    ("i2", {"nodata": [-999, -999]}, -999),
    ("i2", {"nodatavals": [-999, -999, -999]}, -999),
    ("f4", {"nodata": "nan"}, NAN),
    ("f4", {"nodata": "NaN"}, NAN),
    ("f4", {"nodata": NAN}, NAN),
    ("f4", {"nodata": -3.4028234663852886e38}, np.float32(-3.4028234663852886e38)),
    ("f8", {"fill_value": "-1e30"}, -1e30),
    ("i8", {"nodata": 2**53 + 1}, 2**53 + 1),
    ("i8", {"nodata": str(-(2**53) - 1)}, -(2**53) - 1),
    # the order of rioxarray
    ("i2", {"nodatavals": [5], "nodata": 4, "fill_value": 3, "missing_value": 2, "_FillValue": 1}, 1),
    ("i2", {"nodatavals": [5], "nodata": 4, "fill_value": 3, "missing_value": 2}, 2),
    ("i2", {"nodatavals": [5], "nodata": 4, "fill_value": 3}, 3),
    ("i2", {"nodatavals": [5], "nodata": 4}, 4),
    ("i2", {"nodatavals": [5], "nodata": None, "fill_value": None, "_FillValue": None}, 5),
    # values that no element can have
    ("u1", {"nodata": -999}, None),
    ("u1", {"nodata": -999, "nodatavals": [255]}, 255),
    ("u1", {"nodatavals": [NAN]}, None),
    ("i2", {"nodata": 1.5}, None),
    ("i2", {"nodata": "none"}, None),
    ("i2", {"nodata": ""}, None),
    ("i2", {"nodata": {}}, None),
    ("i2", {"nodata": []}, None),
    ("i2", {"nodata": None}, None),
    ("i2", {"nodatavals": []}, None),
    ("i2", {"nodatavals": [None]}, None),
    ("i2", {"nodata": [1, 2]}, None),
    ("?", {"nodata": 0}, None),
]


@pytest.mark.parametrize("dtype, attrs, wanted", STATED)
def test_plain_statements(tmp_path, cpl, dtype, attrs, wanted):
    store = store_of(tmp_path, np.ones((2, 3), dtype), attrs)
    found = nodata_of(store)
    assert (found is None) == (wanted is None), found
    if wanted is not None:
        np.testing.assert_array_equal(found, wanted)
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs", [attrs for dtype, attrs, wanted in STATED if dtype in ("i2", "f4") and wanted is not None
                                   and all(isinstance(value, list) if name == "nodatavals" else isinstance(value, (int, float))
                                           for name, value in attrs.items())])  # fmt: skip
def test_rioxarray_reads_the_same(tmp_path, attrs):
    store = store_of(tmp_path, np.ones((2, 3), "f4"), attrs)
    with xr.open_zarr(str(store), consolidated=False, mask_and_scale=False) as opened:
        np.testing.assert_array_equal(nodata_of(store), opened["a"].rio.nodata)


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_value_outside_of_the_type_warns_for_attributes_of_cf(tmp_path, name):
    store = store_of(tmp_path, np.ones((2, 3), "u1"), {name: -999, "nodata": 7})
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).GetNoDataValue() == 7
    assert len(log.warnings) == 1 and f"attribute {name}" in log.warnings[0], log.events


def test_a_fill_value_comes_after_plain_statements(tmp_path):
    store = store_of(tmp_path, np.ones((2, 3), "i2"), {"nodata": -999}, fill_value=-1)
    assert nodata_of(store) == -999
    for word in ("YES", "NO"):
        assert open_band(store, options=[f"FILL_VALUE_AS_NODATA={word}"]).GetNoDataValue() == -999


# ---------------------------------------------------------------------------------------------
# Uses of the nodata value


@pytest.mark.parametrize("name", NAMES)
def test_averages_leave_nodata_out(tmp_path, cpl, name):
    values = np.full((4, 4), 10, "i2")
    values[0, 1] = -999
    store = store_of(tmp_path, values, {name: [-999] if name == "nodatavals" else -999})
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.BuildOverviews("AVERAGE", [2])
    del dataset
    band = open_band(store)
    assert band.GetOverviewCount() == 1 and band.GetOverview(0).GetNoDataValue() == -999
    np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), np.full((2, 2), 10))
    assert band.ComputeStatistics(False)[:3] == [10, 10, 10]
    assert band.GetMaskFlags() == gdal.GMF_NODATA
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), np.where(values == -999, 0, 255))
    cpl.assert_quiet()


@pytest.mark.parametrize("name", NAMES[2:])
def test_copies_have_the_nodata_value(tmp_path, name):
    values = np.array([[10, -999], [3, 4]], "i2")
    store = store_of(tmp_path, values, {name: [-999] if name == "nodatavals" else -999})
    run_gdal("gdal_translate", "-q", store, tmp_path / "a.tif")
    run_gdal("gdal_translate", "-q", "-of", "Zarr", store, tmp_path / "a.zarr")
    run_gdal("gdalmdimtranslate", store, tmp_path / "b.zarr")
    for copy in ("a.tif", "a.zarr", "b.zarr"):
        dataset = gdal.Open(str(tmp_path / copy))
        assert dataset.GetRasterBand(1).GetNoDataValue() == -999, copy
    with xr.open_zarr(str(tmp_path / "a.zarr"), consolidated=False) as opened:
        (array,) = [array for array in opened.values() if array.ndim == 2]
        np.testing.assert_array_equal(array.values, np.where(values == -999, NAN, values))


@pytest.mark.parametrize("name", NAMES[2:])
def test_appended_slices_get_the_nodata_value_of_the_array(tmp_path, name):
    store = store_of(
        tmp_path, np.zeros((1, 2, 3), "i2"), {name: [-999] if name == "nodatavals" else -999}, ["time", "y", "x"],
        {"time": {"values": np.array([0]), "dims": ["time"], "attrs": {"units": "days since 2020-01-01"}}},
    )  # fmt: skip
    source = gdal.GetDriverByName("MEM").Create("", 3, 2, 1, gdal.GDT_Int16)
    source.GetRasterBand(1).SetNoDataValue(-1)
    source.GetRasterBand(1).WriteArray(np.array([[-1, 5, 6], [7, -1, 9]]))
    assert gdal.Translate(str(store), source, format="Zarr", creationOptions=[
        "APPEND_DIM=time", "ARRAY_NAME=a", "APPEND_DIM_VALUES=2020-01-02"])  # fmt: skip
    np.testing.assert_array_equal(
        zarr.open_group(str(store), mode="r")["a"][1], [[-999, 5, 6], [7, -999, 9]]
    )


def test_statistics_of_another_statement_are_not_used(tmp_path):
    store = store_of(tmp_path, np.array([[10, -999], [10, 10]], "i2"), {"nodata": -999})
    dataset = gdal.Open(str(store), gdal.GA_Update)
    assert dataset.GetRasterBand(1).ComputeStatistics(False)[0] == 10
    del dataset
    assert open_band(store).GetMetadataItem("STATISTICS_MINIMUM") == "10"
    zarr_formats.change_attributes(store, "a", nodata=10)
    assert open_band(store).GetMetadataItem("STATISTICS_MINIMUM") is None


# ---------------------------------------------------------------------------------------------
# Setting and deleting the nodata value


def set_classic(store, value):
    dataset = gdal.Open(str(store), gdal.GA_Update)
    band = dataset.GetRasterBand(1)
    assert (band.DeleteNoDataValue() if value is None else band.SetNoDataValue(value)) == 0
    del band, dataset
    gc.collect()


def set_mdim(store, value):
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("a")
    assert (array.DeleteNoDataValue() if value is None else array.SetNoDataValueDouble(value)) == 0
    found = array.GetNoDataValueAsDouble()
    assert found == value
    del array, dataset
    gc.collect()


def set_tool(store, value):
    words = ["-unsetnodata"] if value is None else ["-a_nodata", value]
    run_gdal("gdal_edit.py", *words, store)


@pytest.mark.parametrize("change", [set_classic, set_mdim, set_tool])
@pytest.mark.parametrize("value", [None, -1])
@pytest.mark.parametrize("stated", [["nodata"], ["fill_value"], ["nodatavals"], ["missing_value", "nodata"], NAMES])
@pytest.mark.slow
def test_no_other_statement_is_left(tmp_path, change, value, stated):
    attrs = {name: [-999] if name == "nodatavals" else -999 for name in stated}
    store = store_of(tmp_path, np.array([[10, -999], [3, 4]], "i2"), {**attrs, "units": "m"})
    change(store, value)
    assert nodata_of(store) == value
    left = {name for name in NAMES if name in zarr_formats.attributes(store, "a")}
    assert left == ({"_FillValue"} if value is not None else set())
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), [[10, -999], [3, 4]])
    with xr.open_zarr(str(store), consolidated=False, mask_and_scale=False) as opened:
        assert opened["a"].rio.nodata == value


@pytest.mark.parametrize("change", [set_classic, set_mdim])
@pytest.mark.slow
def test_statements_of_the_new_value_stay(tmp_path, change):
    attrs = {"missing_value": -1, "nodata": -999, "nodatavals": [-1], "fill_value": "none"}
    store = store_of(tmp_path, np.array([[10, -999], [3, 4]], "i2"), attrs)
    change(store, -1)
    kept = zarr_formats.attributes(store, "a")
    assert {name: kept[name] for name in NAMES if name in kept} == {
        "_FillValue": -1, "missing_value": -1, "nodatavals": [-1], "fill_value": "none"
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Arrays whose plain attributes say nothing about pixels


@pytest.mark.parametrize("name", NAMES[2:])
def test_plain_attributes_of_coordinates_do_no_harm(tmp_path, cpl, name):
    attrs = {name: [0.0] if name == "nodatavals" else 0.0}
    bounds = np.array([[-0.5, 0.5], [0.5, 1.5], [1.5, 2.5]])
    store = make_store(
        tmp_path,
        {
            "a": {"values": np.ones((2, 3), "i2"), "dims": ["y", "x"], "attrs": {"grid_mapping": "crs"}},
            "x": {"values": np.arange(3.0), "dims": ["x"], "attrs": {**attrs, "bounds": "x_bnds"}},
            "y": {"values": -np.arange(2.0), "dims": ["y"], "attrs": attrs},
            "x_bnds": {"values": bounds, "dims": ["x", "nv"], "attrs": attrs},
            "crs": {"values": np.array(0, "i4"), "attrs": {**attrs, "grid_mapping_name": "latitude_longitude"}},
        },
    )  # fmt: skip
    dataset = open_raster(array_name(store, "a"))
    assert dataset.GetGeoTransform() == (-0.5, 1, 0, 0.5, 0, -1)
    assert dataset.GetRasterBand(1).GetNoDataValue() is None
    root = zarr_mdim.open_group(store)
    for path in ("x", "y", "x_bnds", "crs"):
        assert root.OpenMDArray(path).GetNoDataValueAsDouble() is None, path
    run_gdal("gdalmdimtranslate", store, tmp_path / "a.nc")
    with xr.open_dataset(tmp_path / "a.nc") as copy:
        np.testing.assert_array_equal(copy.x.values, np.arange(3.0))
    cpl.assert_quiet()


def test_gaps_of_latitudes_by_a_plain_attribute(tmp_path):
    """An array of longitudes of each pixel has gaps, but no longitude is -9999."""
    lon, lat = np.meshgrid(np.arange(3.0), np.arange(2.0))
    lon[0, 0] = -9999
    attrs = {"units": "degrees_east", "standard_name": "longitude", "nodata": -9999}
    store = make_store(
        tmp_path,
        {
            "a": {"values": np.ones((2, 3), "i2"), "dims": ["y", "x"], "attrs": {"coordinates": "lon lat"}},
            "lon": {"values": lon, "dims": ["y", "x"], "attrs": attrs},
            "lat": {"values": lat, "dims": ["y", "x"], "attrs": {"units": "degrees_north", "nodata": 0}},
        },
    )  # fmt: skip
    root = zarr_mdim.open_group(store)
    assert root.OpenMDArray("lon").GetNoDataValueAsDouble() == -9999
    assert root.OpenMDArray("lat").GetNoDataValueAsDouble() is None


def test_levels_with_the_statement_of_the_raster_are_overviews(tmp_path):
    arrays = {f"{i}": {"values": np.ones((8 >> i, 8 >> i), "i2"), "dims": ["y", "x"], "attrs": {"nodata": -999}}
              for i in range(2)}  # fmt: skip
    multiscales = [{"version": "0.4", "datasets": [{"path": "0"}, {"path": "1"}],
                    "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]}]  # fmt: skip
    store = make_store(tmp_path, arrays, {"multiscales": multiscales})
    band = open_band(store)
    assert band.GetNoDataValue() == -999
    assert band.GetOverviewCount() == 1 and band.GetOverview(0).GetNoDataValue() == -999


def test_plain_statements_are_no_metadata_items(tmp_path):
    store = store_of(tmp_path, np.ones((2, 3), "i2"), {"nodata": -999, "nodatavals": [-999], "fill_value": -999})
    dataset = open_raster(store)
    items = {**dataset.GetMetadata(), **dataset.GetRasterBand(1).GetMetadata()}
    assert not set(items) & set(NAMES), items


# ---------------------------------------------------------------------------------------------
# Times that CF encodes as int64


def times_of(folder, kind, dims=("y", "x")):
    """Lets xarray write times with a gap, which it encodes as int64."""
    unit = "datetime64[ns]" if kind == "M" else "timedelta64[ns]"
    start = np.datetime64("2020-01-01", "ns") if kind == "M" else np.timedelta64(0, "ns")
    values = start + np.arange(6).reshape(2, 3) * np.timedelta64(1, "D")
    values = values.astype(unit)
    values[0, 1] = "NaT"
    store = folder / "t.zarr"
    xr.Dataset({"a": (dims, values)}).to_zarr(str(store), mode="w", consolidated=False,
                                              zarr_format=3 if zarr_formats.is_v3() else 2)  # fmt: skip
    return store


@pytest.mark.parametrize("kind", "Mm")
def test_nat_of_encoded_times_is_missing(tmp_path, cpl, kind):
    store = times_of(tmp_path, kind)
    raw = zarr.open_group(str(store), mode="r")["a"]
    assert raw.dtype == np.int64 and raw[0, 1] == NAT and "_FillValue" not in raw.attrs
    assert nodata_of(store) == NAT
    band = open_band(store)
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), [[255, 0, 255], [255, 255, 255]])
    assert band.ComputeStatistics(False)[:2] == [0, 5]
    run_gdal("gdal_translate", "-q", store, tmp_path / "a.tif")
    copy = gdal.Open(str(tmp_path / "a.tif"))
    assert copy.GetRasterBand(1).GetNoDataValueAsInt64() == NAT
    cpl.assert_quiet()


INT64_TIMES = [
    ({"units": "days since 2020-01-01"}, "i8", NAT),
    ({"units": "Seconds Since 1970-01-01"}, "i8", NAT),
    ({"units": "days since 2020-01-01", "_FillValue": -1}, "i8", -1),
    ({"units": "days since 2020-01-01", "nodata": -1}, "i8", -1),
    ({"units": "days since 2020-01-01", "_FillValue": NAT}, "i8", NAT),
    ({"units": "days since 2020-01-01", "_FillValue": "NaT"}, "i8", NAT),
    ({"units": "hours", "dtype": "timedelta64[ns]"}, "i8", NAT),
    ({"units": "days"}, "i8", None),
    ({}, "i8", None),
    ({"units": "days since 2020-01-01"}, "i4", None),
    ({"units": "days since 2020-01-01"}, "u8", None),
    ({"units": "days since 2020-01-01"}, "f8", None),
]


@pytest.mark.parametrize("attrs, dtype, wanted", INT64_TIMES)
def test_which_integers_are_times(tmp_path, attrs, dtype, wanted):
    assert nodata_of(store_of(tmp_path, np.ones((2, 3), dtype), attrs)) == wanted


def test_coordinates_that_are_times_have_no_nodata_value(tmp_path, cpl):
    attrs = {"units": "days since 2020-01-01", "calendar": "proleptic_gregorian"}
    store = store_of(tmp_path, np.zeros((3, 2, 3), "i2"), {}, ["time", "y", "x"],
                     {"time": {"values": np.array([0, NAT, 2]), "dims": ["time"], "attrs": attrs}})  # fmt: skip
    assert zarr_mdim.open_group(store).OpenMDArray("time").GetNoDataValueAsInt64() is None
    dataset = open_raster(array_name(store, "a"))
    texts = [dataset.GetRasterBand(i).GetDescription() for i in (1, 2, 3)]
    assert texts == ["time=2020-01-01T00:00:00Z", "time=NaT", "time=2020-01-03T00:00:00Z"]
    assert dataset.GetRasterBand(2).GetMetadataItem("DIM_time_TIME") is None
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# _Unsigned

UNSIGNED = [
    # (stored dtype, _Unsigned, nodata attribute, nodata value, pixel that it masks as stored)
    ("u1", "false", -1, -1, 255),
    ("u1", "false", 255, -1, 255),
    ("u1", "False", [-1], -1, 255),
    ("u2", "false", -9999, -9999, 65536 - 9999),
    ("u1", "false", "-1", -1, 255),
    ("i1", "true", -1, 255, -1),
    ("i1", "true", 255, 255, -1),
    ("i2", "true", 65535, 65535, -1),
    ("i2", "true", -9999, 65536 - 9999, -9999),
    ("i2", True, 65535, 65535, -1),
    ("i2", "true", 7, 7, 7),
]


@pytest.mark.parametrize("name", ["_FillValue", "missing_value", "nodata"])
@pytest.mark.parametrize("dtype, unsigned, attribute, wanted, pixel", UNSIGNED)
def test_nodata_of_the_other_sign(tmp_path, cpl, name, dtype, unsigned, attribute, wanted, pixel):
    values = np.array([[1, 2], [pixel, 3]]).astype(dtype)
    store = store_of(tmp_path, values, {"_Unsigned": unsigned, name: attribute})
    assert nodata_of(store) == wanted
    band = open_band(store)
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), [[255, 255], [0, 255]])
    cpl.assert_quiet()


@pytest.mark.parametrize("dtype, unsigned, value", [("u1", "false", -2), ("i2", "true", 65534)])
@pytest.mark.slow
def test_nodata_of_the_other_sign_is_set(tmp_path, dtype, unsigned, value):
    store = store_of(tmp_path, np.array([[1, 2], [3, 4]]).astype(dtype), {"_Unsigned": unsigned, "_FillValue": 9})
    set_classic(store, value)
    assert nodata_of(store) == value
