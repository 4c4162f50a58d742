# SPDX-License-Identifier: MIT
"""APPEND_DIM warns of values that do not fit and of coordinates that are out of order, and names both sizes. A second
variable shares the dimension of the first one."""

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, gdal_array
from zarr_gdal import array_name, error_log, open_raster, read_all

pytestmark = zarr_formats.BOTH


def raster(values, nodata=None):
    values = np.atleast_2d(values)
    dataset = gdal_array.OpenArray(values.copy())
    dataset = gdal.GetDriverByName("MEM").CreateCopy("", dataset)
    band = dataset.GetRasterBand(1)
    if nodata is not None:
        setter = {"int64": "SetNoDataValueAsInt64", "uint64": "SetNoDataValueAsUInt64"}.get(str(values.dtype))
        getattr(band, setter or "SetNoDataValue")(nodata)
    return dataset


def copy(store, source, *options):
    return gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=list(options))


def grow(folder, first, other):
    """Copies the raster `first` to a store, and appends the raster `other`. Returns the appended values."""
    store = folder / "s.zarr"
    first = gdal.Translate("", first, format="MEM", bandList=[1, 1])
    assert copy(store, first, "SINGLE_ARRAY=YES", "ARRAY_NAME=v")
    assert copy(store, other, "APPEND_SUBDATASET=YES", "APPEND_DIM=band") is not None
    return zarr.open_group(str(store), mode="r")["v"][2].ravel().tolist()


OUT_OF_RANGE = "{} pixels of the source are out of the range of the array"
IMAGINARY = "{} pixels of the source are complex"
# source values and type, type of the array, stored values, beginnings of warnings
UNFIT = [
    ([2**40, 5], "i8", "i4", [2**31 - 1, 5], [OUT_OF_RANGE.format(1)]),
    ([-(2**40), 300], "i8", "u1", [0, 255], [OUT_OF_RANGE.format(2)]),
    ([-1, 7], "i8", "u8", [0, 7], [OUT_OF_RANGE.format(1)]),
    ([2**63, 7], "u8", "i8", [2**63 - 1, 7], [OUT_OF_RANGE.format(1)]),
    ([2**63, 7], "u8", "i2", [2**15 - 1, 7], [OUT_OF_RANGE.format(1)]),
    ([2**53 + 1, -7], "i8", "i8", [2**53 + 1, -7], []),
    ([2**62 + 1, 7], "i8", "u8", [2**62 + 1, 7], []),
    ([2**62 + 1, 7], "u8", "i8", [2**62 + 1, 7], []),
    ([1e30, -1e30, 5], "f8", "i8", [2**63 - 1, -(2**63), 5], [OUT_OF_RANGE.format(2)]),
    ([2.0**63, -(2.0**63)], "f8", "i8", [2**63 - 1, -(2**63)], [OUT_OF_RANGE.format(1)]),
    ([-1, 2.0**64, 2.0**63], "f8", "u8", [0, 2**64 - 1, 2**63], [OUT_OF_RANGE.format(2)]),
    ([np.nan, np.inf, 5], "f8", "i8", [0, 2**63 - 1, 5], [OUT_OF_RANGE.format(2)]),
    ([np.nan, 5], "f4", "u8", [0, 5], [OUT_OF_RANGE.format(1)]),
    ([1e300, 5], "f8", "f4", [float(np.finfo("f4").max), 5], [OUT_OF_RANGE.format(1)]),
    ([3 + 4j, 5], "c8", "f4", [3, 5], [IMAGINARY.format(1)]),
    ([3 + 4j, 5], "c16", "f8", [3, 5], [IMAGINARY.format(1)]),
    ([300 + 4j, 5], "c16", "u1", [255, 5], [OUT_OF_RANGE.format(1), IMAGINARY.format(1)]),
    ([1e30 + 4j, 5], "c16", "i8", [2**63 - 1, 5], [OUT_OF_RANGE.format(1), IMAGINARY.format(1)]),
    ([1e300 + 1e300j, 5], "c16", "c8", [complex(*2 * [float(np.finfo("f4").max)]), 5], [OUT_OF_RANGE.format(1)]),
    ([3, 4], "f8", "c8", [3, 4], []),
    ([3 + 4j], "c8", "c16", [3 + 4j], []),
]  # fmt: skip


@pytest.mark.parametrize("values, of, to, stored, told", UNFIT)
def test_values_that_do_not_fit_give_a_warning(tmp_path, values, of, to, stored, told, cpl):
    got = grow(tmp_path, raster(np.ones(len(values), to)), raster(np.array(values, of)))
    assert got == stored
    assert len(cpl.warnings) == len(told)
    assert all(text in warning for text, warning in zip(told, cpl.warnings)), cpl.warnings


@pytest.mark.parametrize("of, to, stored, told", [
    ("c16", "c8", [3 + 4j, complex(np.nan), 5], []),
    ("c16", "f4", [3, np.nan, 5], [IMAGINARY.format(1)]),
])  # fmt: skip
def test_complex_pixels_beside_nodata_that_is_nan(tmp_path, of, to, stored, told, cpl):
    """A number with an imaginary part is no number that is missing."""
    source = raster(np.array([3 + 4j, np.nan, 5], of), nodata=np.nan)
    got = grow(tmp_path, raster(np.ones(3, to), nodata=np.nan), source)
    np.testing.assert_array_equal(np.array(got, to), np.array(stored, to))
    assert len(cpl.warnings) == len(told) and all(text in cpl.warnings[0] for text in told), cpl.events


@pytest.mark.parametrize("values, of, nodata, to, array_nodata, stored, told", [
    ([2**53, 2**53 + 1], "i8", 2**53, "i8", None, [2**53, 2**53 + 1], ["1 pixels of the source are nodata"]),
    ([2**53, 2**53 + 1], "i8", None, "i8", 2**53, [2**53, 2**53 + 1], ["1 pixels of the source have the nodata"]),
    ([2**53, 2**40], "i8", 2**40, "i4", None, [2**31 - 1] * 2, [OUT_OF_RANGE.format(2), "1 pixels of the source are"]),
    ([np.nan, 2], "f8", np.nan, "i8", None, [0, 2], ["1 pixels of the source are nodata"]),
    ([np.nan, 2], "f8", None, "i8", -9, [-9, 2], [OUT_OF_RANGE.format(1)]),
])  # fmt: skip
def test_nodata_of_wide_types_is_exact(tmp_path, values, of, nodata, to, array_nodata, stored, told, cpl):
    first = raster(np.ones(2, to), array_nodata)
    assert grow(tmp_path, first, raster(np.array(values, of), nodata)) == stored
    assert len(cpl.warnings) == len(told)
    assert all(text in warning for text, warning in zip(told, cpl.warnings)), cpl.warnings


# ---------------------------------------------------------------------------------------------
# Coordinates


def start(store, value=1, values="2024-05-01,2024-05-03", *options):
    source = raster(np.full((4, 6), value, "i2"))
    bands = len(values.split(","))
    source = gdal.Translate("", source, format="MEM", bandList=[1] * bands)
    copy(store, source, "BAND_DIM=time", "BAND_DIM_VALUES=" + values, "ARRAY_NAME=v", *options)


def append(store, values, *options):
    source = gdal.Translate("", raster(np.full((4, 6), 7, "i2")), format="MEM", bandList=[1] * len(values.split(",")))
    return copy(store, source, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=" + values, *options)


@pytest.mark.parametrize("first, added, told", [
    ("2024-05-01,2024-05-03", "2024-05-02", "2024-05-02"), ("2024-05-01,2024-05-03", "2024-05-04", None),
    ("2024-05-01,2024-05-03", "2024-05-05,2024-05-04", "2024-05-04"), ("2024-05-03", "2024-05-01", "2024-05-01"),
    ("2024-05-03,2024-05-01", "2024-04-30", None), ("2024-05-03,2024-05-01", "2024-05-02", "2024-05-02"),
    ("2024-05-01,2024-05-03,2024-05-02", "2024-04-30", None), ("2024-05-01,2024-05-03", "2024-05-03,2024-05-01", None),
    ("10,20", "15", "15"), ("10", "5", None), ("a,c", "b", None), ("10", "5,3,4,2", "4"), ("10", "20,30,25", "25"),
    ("10,20", "30,40,35", "35"), ("20,10", "5,3,4", "4"), ("10,30,20", "5,40,1", None),
])  # fmt: skip
def test_an_earlier_coordinate_at_the_end_gives_a_warning(tmp_path, first, added, told, cpl):
    store = tmp_path / "s.zarr"
    start(store, 1, first)
    assert append(store, added)
    if told is None:
        cpl.assert_quiet()
        return
    assert len(cpl.warnings) == 1 and f'"{told}" is appended after a later coordinate' in cpl.warnings[0]
    assert 'sortby("time")' in cpl.warnings[0]
    if "-" in told:  # the advice helps
        with xr.open_zarr(str(store), consolidated=False) as opened:
            assert opened.sortby("time").indexes["time"].is_monotonic_increasing


def test_a_failed_append_does_not_warn_of_order(tmp_path):
    store = tmp_path / "s.zarr"
    start(store)
    with error_log() as log:
        assert append(store, "2024-05-02,2024-05-02") is None
    assert log.warnings == [] and len(log.errors) == 1


@pytest.mark.parametrize("consolidated", ["YES", "NO"])
def test_a_second_variable_shares_the_dimension(tmp_path, consolidated, cpl):
    store, values = tmp_path / "s.zarr", "2024-05-01,2024-05-03"
    start(store, 1, values, f"CREATE_CONSOLIDATED_METADATA={consolidated}")
    source = gdal.Translate("", raster(np.full((4, 6), 2, "f4")), format="MEM", bandList=[1, 1])
    assert copy(store, source, "APPEND_SUBDATASET=YES", "ARRAY_NAME=w", "BAND_DIM=time", "BAND_DIM_VALUES=" + values)
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=False) as opened:
        assert opened.v.dims == opened.w.dims == ("time", "y", "x")
        assert opened.time.values.astype("M8[D]").astype(str).tolist() == values.split(",")
    assert append(store, "2024-05-04", "ARRAY_NAME=w")
    with xr.open_zarr(str(store), consolidated=False) as opened:
        assert opened.v.shape == opened.w.shape == (3, 4, 6) and (opened.w.values[2] == 7).all()
    assert open_raster(array_name(store, "w")).GetRasterBand(3).GetDescription() == "time=2024-05-04T00:00:00Z"


@pytest.mark.parametrize("encoding", [{"units": "hours since 2020-01-01", "dtype": "i4"},
                                      {"units": "days since 2024-01-01", "dtype": "f8"},
                                      {"units": "seconds since 1970-01-01", "dtype": "i8"}])  # fmt: skip
def test_times_are_equal_in_any_units(tmp_path, encoding, cpl):
    store = tmp_path / "s.zarr"
    times = np.array(["2024-05-01", "2024-05-03"], "M8[ns]")
    y, x = 3.5 - np.arange(4.0), 0.5 + np.arange(6.0)
    xr.Dataset({"v": (("time", "y", "x"), np.ones((2, 4, 6), "f4"))}, {"time": times, "y": y, "x": x}).to_zarr(
        str(store), encoding={"time": encoding})  # fmt: skip
    source = gdal.Translate("", raster(np.full((4, 6), 2, "f4")), format="MEM", bandList=[1, 1])
    source.SetGeoTransform((0, 1, 0, 4, 0, -1))
    assert copy(store, source, "APPEND_SUBDATASET=YES", "ARRAY_NAME=w", "BAND_DIM=time",
                "BAND_DIM_VALUES=2024-05-01,2024-05-03")  # fmt: skip
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=False) as opened:
        assert opened.w.dims == ("time", "y", "x")
        np.testing.assert_array_equal(opened.time.values, times)


@pytest.mark.parametrize("values", ["2024-05-01,2024-05-02", "2024-05-01T12:00:00,2024-05-03", "1,3", "a,b"])
def test_another_variable_with_other_coordinates_is_refused(tmp_path, values, cpl):
    store = tmp_path / "s.zarr"
    start(store)
    before = zarr_formats.contents(store)
    source = gdal.Translate("", raster(np.full((4, 6), 2, "f4")), format="MEM", bandList=[1, 1])
    made = copy(store, source, "APPEND_SUBDATASET=YES", "ARRAY_NAME=w", "BAND_DIM=time", "BAND_DIM_VALUES=" + values)
    assert made is None and "with other coordinates" in cpl.the_error()
    assert zarr_formats.contents(store) == before


def test_both_sizes_are_named(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    start(store)
    assert copy(store, raster(np.zeros((3, 5), "i2")), "APPEND_SUBDATASET=YES", "APPEND_DIM=time",
                "APPEND_DIM_VALUES=2024-05-09") is None  # fmt: skip
    assert "5 x 3 pixels" in cpl.the_error() and "/v has 6 x 4" in cpl.the_error()
    assert [int(band[0, 0]) for band in read_all(open_raster(store))] == [1, 1]
