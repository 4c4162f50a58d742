# SPDX-License-Identifier: MIT
"""APPEND_DIM makes other arrays grow along the dimension. What they gain are missing values, bounds continue, and no
program reads uninitialised memory."""

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import error_log

pytestmark = zarr_formats.BOTH
TIMES = {"units": "days since 2020-01-01"}


def slices(*values):
    dataset = gdal.GetDriverByName("MEM").Create("", 6, 4, len(values), gdal.GDT_Int16)
    for i, value in enumerate(values):
        dataset.GetRasterBand(i + 1).Fill(value)
    return dataset


def append(store, source, *options, **arguments):
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "ARRAY_NAME=v", *options]
    return gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options, **arguments)


def add(group, name, values, dims, chunks=None, fill_value=None, **attributes):
    """Adds an array. In Zarr v2 its fill value is null by default, as xarray writes it for integers."""
    values = np.asarray(values)
    array = group.create_dataset(name, data=values, chunks=chunks or values.shape, fill_value=fill_value)
    array.attrs.update({"_ARRAY_DIMENSIONS": dims, **attributes})


def make(folder, times=(0, 1), **attributes):
    """Writes a store with the array v(time, y, x) and the coordinates `times`, and returns its root group."""
    group = zarr.open_group(str(folder / "s.zarr"), mode="w")
    add(group, "v", np.zeros((len(times), 4, 6), "i2"), ["time", "y", "x"], (1, 4, 6))
    add(group, "time", np.array(times, "i8"), ["time"], (3,), **{**TIMES, **attributes})
    return folder / "s.zarr", group


def assert_defined(store, *names):
    """Asserts that no element of the arrays is undefined: in Zarr v2, arrays without a fill value have all chunks."""
    for name in names:
        document = zarr_formats.array_document(store, name)
        grid = [-(-size // chunk) for size, chunk in zip(document["shape"], document["chunks"])]
        if document["fill_value"] is None and not zarr_formats.is_v3():
            assert len(zarr_formats.chunk_keys(store, name)) == np.prod(grid), name


def xarray_of(store, **options):
    return xr.open_zarr(str(store), consolidated=False, **options)


NAT = np.iinfo("i8").min
# name -> dtype, attributes, missing value; None: the array has no missing value
KINDS = {
    "int16": ("i2", {}, None),
    "uint8": ("u1", {}, None),
    "int16 with a nodata value": ("i2", {"_FillValue": -5}, -5),
    "int16 with missing_value": ("i2", {"missing_value": -6}, -6),
    "packed": ("i2", {"_FillValue": -7, "scale_factor": 0.5, "add_offset": 3.0}, -7),
    "float32": ("f4", {}, np.nan),
    "float64 with a nodata value": ("f8", {"_FillValue": -9999.0}, -9999),
    "complex64": ("c8", {}, complex(np.nan, np.nan)),
    "datetime64": ("M8[ns]", {}, np.datetime64("NaT")),
    "times": ("i8", {"units": "hours since 1970-01-01"}, NAT),
    "times of another calendar": ("i8", {"units": "hours since 1970-01-01", "calendar": "noleap"}, None),
    "times of 32 bits": ("i4", {"units": "hours since 1970-01-01"}, None),
    "text": ("U5", {}, ""),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunk", [1, 3])
def test_other_arrays_gain_missing_values(tmp_path, kind, chunk, cpl):
    dtype, attributes, missing = KINDS[kind]
    store, group = make(tmp_path)
    values = np.array([1, 2]).astype(dtype)
    add(group, "series", values, ["time"], (chunk,), **attributes)
    add(group, "cube", np.broadcast_to(values[:, None, None], (2, 3, 5)), ["time", "b", "a"],
        (chunk, 3, 2), **attributes)  # fmt: skip
    assert append(store, slices(7, 8), "APPEND_DIM_VALUES=5,6")
    group = zarr.open_group(str(store), mode="r")
    for name in ("series", "cube"):
        got = group[name][2:]
        np.testing.assert_array_equal(got, np.full(got.shape, 0 if missing is None else missing, got.dtype))
        np.testing.assert_array_equal(group[name][:2].astype(str) != "", True)
    assert_defined(store, "v", "time", "series", "cube")
    if missing is None:
        assert len(cpl.warnings) == 1 and "zero in arrays without a nodata value" in cpl.warnings[0]
        assert cpl.warnings[0].endswith(": /cube, /series")
    else:
        cpl.assert_quiet()


def test_xarray_reads_missing_values(tmp_path):
    store, group = make(tmp_path)
    add(group, "packed", np.array([4, 6], "i2"), ["time"], _FillValue=-7, scale_factor=0.5)
    add(group, "late", np.array([4, 6], "i8"), ["time"], **TIMES)
    assert append(store, slices(7), "APPEND_DIM_VALUES=5")
    with xarray_of(store) as opened:
        np.testing.assert_array_equal(opened.packed, [2, 3, np.nan])
        assert np.isnat(opened.late.values).tolist() == [False, False, True]


@pytest.mark.parametrize("fill_value", [None, 9])
def test_values_beyond_the_old_end_are_not_seen(tmp_path, fill_value):
    """zarr-python leaves old values beyond the end of an array that it has shortened."""
    store, group = make(tmp_path)
    add(group, "series", np.array([1, 2, 3, 4, 5, 6], "i4"), ["time"], (4,), fill_value, _FillValue=9)
    group["series"].resize(2)
    assert append(store, slices(7, 8), "APPEND_DIM_VALUES=5,6")
    assert zarr.open_group(str(store), mode="r")["series"][:].tolist() == [1, 2, 9, 9]


def test_a_stated_fill_value_needs_no_chunks(tmp_path, cpl):
    store, group = make(tmp_path)
    add(group, "w", np.ones((2, 4, 6), "f4"), ["time", "y", "x"], (1, 4, 6), np.nan)
    before = zarr_formats.chunk_keys(store, "w")
    assert append(store, slices(7), "APPEND_DIM_VALUES=5")
    assert zarr_formats.chunk_keys(store, "w") == before
    assert np.isnan(zarr.open_group(str(store), mode="r")["w"][2]).all()
    cpl.assert_quiet()


def test_arrays_in_other_groups_stay(tmp_path, cpl):
    store, group = make(tmp_path)
    other = group.create_group("other")
    add(other, "time", np.array([0, 1], "i8"), ["time"], **TIMES)
    add(other, "w", np.zeros(2, "i2"), ["time"])
    assert append(store, slices(7), "APPEND_DIM_VALUES=5")
    assert zarr.open_group(str(store), mode="r")["other/w"].shape == (2,)
    cpl.assert_quiet()


def test_a_cancelled_append_leaves_no_chunks_of_other_arrays(tmp_path):
    store, group = make(tmp_path)
    add(group, "w", np.ones((2, 4, 6), "i2"), ["time", "y", "x"], (1, 4, 6))
    before = zarr_formats.contents(store)
    with error_log() as log:
        assert append(store, slices(7), "APPEND_DIM_VALUES=5", callback=lambda *_: 0) is None
    assert len(log.errors) == 1
    assert zarr_formats.contents(store) == before


def test_levels_of_other_arrays_grow(tmp_path):
    """xarray opens a group of overview levels only if all arrays in it have the same number of slices."""
    store, group = make(tmp_path)
    gdal.OpenEx(str(store), gdal.OF_UPDATE).BuildOverviews("NEAREST", [2])
    level = "ovr_2x"
    group = zarr.open_group(str(store), mode="a")[level]
    add(group, "w", np.ones((2, 2, 3), "f4"), ["time", "y", "x"], (1, 2, 3), np.nan)
    add(group, "u", np.ones(2, "i2"), ["time"])
    with xarray_of(store, group=level) as opened:
        assert opened.w.shape == (2, 2, 3)
    assert append(store, slices(7), "APPEND_DIM_VALUES=5")
    with xarray_of(store, group=level) as opened:
        assert opened.v.shape == opened.w.shape == (3, 2, 3)
        assert np.isnan(opened.w.values[2]).all() and (opened.v.values[2] == 7).all()
        assert opened.u.values.tolist() == [1, 1, 0]
    assert_defined(store, f"{level}/u", f"{level}/v", f"{level}/w")


# ---------------------------------------------------------------------------------------------
# Bounds

BOUNDS = {
    "days": ([0, 1], [[0, 1], [1, 2]], [2], [[2, 3]], TIMES),
    "a gap of days": ([0, 1], [[0, 1], [1, 2]], [5, 6], [[5, 6], [6, 7]], TIMES),
    "one day": ([3], [[3, 4]], [4], [[4, 5]], TIMES),
    "one day and a gap": ([3], [[3, 4]], [5], None, TIMES),
    "end of the cell": ([1, 2], [[0, 1], [1, 2]], [3], [[2, 3]], TIMES),
    "months": ([0, 31], [[0, 31], [31, 60]], [60], [[60, 91]], TIMES),
    "one month": ([0], [[0, 31]], [31, 60], [[31, 60], [60, 91]], TIMES),
    "middles of months": ([15, 45], [[0, 31], [31, 60]], [75], [[60, 91]], TIMES),
    "years": ([0, 366], [[0, 366], [366, 731]], [731], [[731, 1096]], TIMES),
    "360_day": ([0, 30], [[0, 30], [30, 60]], [60], [[60, 90]], {**TIMES, "calendar": "360_day"}),
    "levels": ([100, 200], [[50, 150], [150, 250]], [300], [[250, 350]], {"units": "m"}),
    "ends of levels": ([100, 210], [[0, 100], [100, 210]], [315], [[210, 315]], {"units": "m"}),
    "no rule": ([0, 10], [[0, 4], [3, 40]], [20], None, TIMES),
    "missing already": ([0, 1], [[0, 1], [NAT, NAT]], [2], None, TIMES),
    "descending": ([9, 8], [[10, 9], [9, 8]], [7], None, {"units": "m"}),
}


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_bounds_continue(tmp_path, name, dtype, cpl):
    times, bounds, added, wanted, attributes = BOUNDS[name]
    store, group = make(tmp_path, times)
    group["time"].attrs.put({"_ARRAY_DIMENSIONS": ["time"], "bounds": "time_bnds", **attributes})
    if dtype == "f8":
        bounds = [[np.nan if number == NAT else number for number in cell] for cell in bounds]
    add(group, "time_bnds", np.array(bounds, dtype), ["time", "nv"], (2, 2))
    assert append(store, slices(*added), "APPEND_DIM_VALUES=" + ",".join(map(str, added)))
    got = zarr.open_group(str(store), mode="r")["time_bnds"][len(times):]
    if name == "descending":
        np.testing.assert_array_equal(got, [[8, 7]])
    elif wanted is not None:
        np.testing.assert_array_equal(got, wanted)
        cpl.assert_quiet()
    else:
        np.testing.assert_array_equal(got, np.full((len(added), 2), NAT if dtype == "i8" else np.nan))
        assert len(cpl.warnings) == 1 and "bounds of the new slices" in cpl.warnings[0]
    assert_defined(store, "time_bnds")
    if attributes is TIMES and name != "no rule":
        with xarray_of(store, decode_coords="all") as opened:
            assert opened.time_bnds.shape == (len(times) + len(added), 2)


@pytest.mark.parametrize("unit", ["ns", "D"])
def test_bounds_of_datetime64_continue(tmp_path, unit, cpl):
    store, group = make(tmp_path)
    del group["time"]
    days = np.array(["2020-01-01", "2020-01-02"], f"M8[{unit}]")
    add(group, "time", days, ["time"], (2,), bounds="time_bnds")
    add(group, "time_bnds", np.stack([days, days + 1 if unit == "D" else days + np.timedelta64(1, "D")], 1),
        ["time", "nv"], (2, 2))  # fmt: skip
    assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-05")
    got = zarr.open_group(str(store), mode="r")["time_bnds"][2]
    np.testing.assert_array_equal(got, np.array(["2020-01-05", "2020-01-06"], f"M8[{unit}]"))
    cpl.assert_quiet()


@pytest.mark.parametrize("change", [{"units": "hours since 2020-01-01"}, {"scale_factor": 2.0}])
def test_bounds_in_other_units_are_missing(tmp_path, change, cpl):
    store, group = make(tmp_path, bounds="time_bnds")
    add(group, "time_bnds", np.array([[0, 1], [1, 2]], "f8"), ["time", "nv"], **change)
    assert append(store, slices(7), "APPEND_DIM_VALUES=2")
    assert np.isnan(zarr.open_group(str(store), mode="r")["time_bnds"][2]).all()
    assert len(cpl.warnings) == 1 and "bounds of the new slices" in cpl.warnings[0]
