# SPDX-License-Identifier: MIT
"""APPEND_DIM: a dimension of an array that is there grows by the bands of a source."""

import json
import pathlib

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, open_raster, read_all

pytestmark = zarr_formats.BOTH
PLACE = (500000, 10, 0, 5200000, 0, -10)


def driver():
    return gdal.GetDriverByName("Zarr")


def utm():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    return srs


def slices(*values, size=(20, 10), transform=PLACE):
    """A raster in memory with a band of each value."""
    dataset = gdal.GetDriverByName("MEM").Create("", *size, len(values), gdal.GDT_Int16)
    dataset.SetGeoTransform(transform)
    dataset.SetSpatialRef(utm())
    for i, value in enumerate(values):
        dataset.GetRasterBand(i + 1).Fill(value)
    return dataset


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


def make_cube(folder, times=("2020-01-01", "2020-01-02"), encoding=None, variables=("v",), chunk=1):
    """A store of xarray: variables along time on the grid of slices()."""
    store = folder / "cube.zarr"
    data = np.arange(len(times), dtype="i2")[:, None, None] + np.zeros((1, 10, 20), "i2")
    coordinates = {"time": np.array(times, "M8[ns]"), "y": 5199995.0 - 10 * np.arange(10),
                   "x": 500005.0 + 10 * np.arange(20)}  # fmt: skip
    # A float has NaN as its fill value, an integer none.
    dataset = xr.Dataset({name: (("time", "y", "x"), data.astype("f4" if name == "w" else "i2"))
                          for name in variables}, coordinates)  # fmt: skip
    settings = {name: {"chunks": (chunk, 5, 20)} for name in variables}
    settings["time"] = {"chunks": (3,), **(encoding or {})}
    dataset.to_zarr(str(store), encoding=settings, consolidated=True)
    return store


def append(store, source, *options, **arguments):
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", *options]
    return driver().CreateCopy(str(store), source, options=options, **arguments)


ENCODINGS = {
    "days": {"units": "days since 2019-12-31"},
    "float hours": {"units": "hours since 2020-01-01 12:00", "dtype": "f8"},
    "seconds": {"units": "seconds since 1970-01-01", "dtype": "i8"},
    "noleap": {"units": "hours since 2020-01-01", "calendar": "noleap", "dtype": "i4"},
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("chunk", [1, 3])
def test_xarray_finds_the_next_times(tmp_path, encoding, chunk, cpl):
    store = make_cube(tmp_path, encoding=ENCODINGS[encoding], chunk=chunk)
    assert append(store, slices(70), "APPEND_DIM_VALUES=2020-01-05")
    assert append(store, slices(80, 90), "APPEND_DIM_VALUES=2020-01-06T06:00,2020-01-07") or (
        encoding == "days")  # fmt: skip
    if encoding == "days":  # integers: a quarter of a day does not fit
        assert "between two values" in cpl.the_error()
        cpl.clear()
        assert append(store, slices(80, 90), "APPEND_DIM_VALUES=2020-01-06,2020-01-07")
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=True) as opened:
        clock = "T00:00:00" if encoding == "days" else "T06:00:00"
        wanted = ["2020-01-01T00:00:00", "2020-01-02T00:00:00", "2020-01-05T00:00:00",
                  "2020-01-06" + clock, "2020-01-07T00:00:00"]  # fmt: skip
        assert [str(time.values)[:19].replace(" ", "T") for time in opened.time] == wanted
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 1, 70, 80, 90]
        assert (opened.v.values == opened.v.values[:, :1, :1]).all()


def test_numpys_times_grow(tmp_path):
    store = tmp_path / "t.zarr"
    group = zarr.open_group(str(store), mode="w")
    for name, data, dims in (("v", np.zeros((1, 10, 20), "i2"), ["time", "y", "x"]),
                             ("time", np.array(["2020-01-01"], "M8[ns]"), ["time"])):  # fmt: skip
        group.create_dataset(name, data=data, chunks=data.shape).attrs["_ARRAY_DIMENSIONS"] = dims
    text = "2020-01-01T00:00:00.000000001"
    assert append(store, slices(4), "APPEND_DIM_VALUES=" + text)
    assert zarr.open(str(store), mode="r")["time"][1] == np.datetime64(text, "ns")


def test_a_slice_that_is_there_is_written_anew(tmp_path):
    store = make_cube(tmp_path)
    assert append(store, slices(50, 60), "APPEND_DIM_VALUES=2020-01-02,2020-01-03")
    with xr.open_zarr(str(store)) as opened:
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 50, 60]
    before = zarr_formats.array_document(store, "v")
    assert append(store, slices(70), "APPEND_DIM_VALUES=2020-01-01")
    assert zarr_formats.array_document(store, "v") == before
    assert read_all(open_raster(array_name(store, "v")))[0, 0, 0] == 70


def test_every_variable_grows(tmp_path):
    store = make_cube(tmp_path, variables=("v", "w"))
    with error_log() as log:
        assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03") is None
    assert "ARRAY_NAME" in log.the_error()
    assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=v")
    with xr.open_zarr(str(store)) as opened:
        assert opened.w.shape == opened.v.shape == (3, 10, 20)
        assert (opened.v[2] == 7).all() and np.isnan(opened.w.values[2]).all()
    assert append(store, slices(8), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=w")
    with xr.open_zarr(str(store)) as opened:
        assert opened.v.shape == (3, 10, 20)
        assert (opened.w[2] == 8).all() and (opened.v[2] == 7).all()


def test_the_bands_metadata_say_when(tmp_path):
    store = make_cube(tmp_path, encoding={"units": "hours since 2020-01-01"})
    (tmp_path / "next").mkdir()
    other = make_cube(tmp_path / "next", ["2020-02-01", "2020-02-02"], {"units": "days since 2000-01-01"})
    assert append(store, gdal.Open(array_name(other, "v")))
    path = tmp_path / "next.nc"
    with xr.open_zarr(str(other)) as opened:
        write_netcdf(path, opened)
    assert append(store, gdal.Open(f'NETCDF:"{path}":v'))
    with xr.open_zarr(str(store)) as opened:
        assert [str(time)[:10] for time in opened.time.values] == [
            "2020-01-01", "2020-01-02", "2020-02-01", "2020-02-02", "2020-03-02", "2020-03-03"]


def write_netcdf(path, opened):
    """The same variable a month later, in other units."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", 2), ("y", 10), ("x", 20)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "minutes since 2020-03-01"
        time[:] = [1440, 2880]
        for name in ("y", "x"):
            file.createVariable(name, "f8", (name,))[:] = opened[name].values
        file.createVariable("v", "i2", ("time", "y", "x"))[:] = opened.v.values


def test_a_tiff_says_when(tmp_path):
    store = make_cube(tmp_path)
    path = tmp_path / "next.tif"
    gdal.GetDriverByName("GTiff").CreateCopy(str(path), slices(5)).SetMetadataItem(
        "TIFFTAG_DATETIME", "2020:01:09 00:00:00")
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]
    gdal.Translate(str(store), str(path), format="Zarr", creationOptions=options)
    with xr.open_zarr(str(store)) as opened:
        assert opened.time.values[-1] == np.datetime64("2020-01-09")
        assert (opened.v.values[-1] == 5).all()


def test_a_dimension_between_others(tmp_path):
    """(level, time, y, x): the source's bands are in the array's order."""
    store = tmp_path / "l.zarr"
    data = np.arange(4, dtype="i2").reshape(2, 2, 1, 1) + np.zeros((2, 2, 10, 20), "i2")
    array = zarr.open_group(str(store), mode="w").create_dataset("v", data=data, chunks=(1, 3, 10, 20))
    array.attrs["_ARRAY_DIMENSIONS"] = ["level", "time", "y", "x"]
    assert append(store, slices(10, 11, 12, 20, 21, 22))
    read = zarr.open(str(store), mode="r")["v"][..., 0, 0]
    np.testing.assert_array_equal(read, [[0, 1, 10, 11, 12], [2, 3, 20, 21, 22]])
    with error_log() as log:
        assert append(store, slices(1, 2, 3)) is None
    assert "2 bands" in log.the_error()


def test_names_of_bands_grow(tmp_path):
    store = tmp_path / "b.zarr"
    source = slices(1, 2)
    for i, name in enumerate(("red", "near infrared")):
        source.GetRasterBand(i + 1).SetDescription(name)
    driver().CreateCopy(str(store), source)
    more = slices(3)
    more.GetRasterBand(1).SetDescription("blue")
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band"]
    assert driver().CreateCopy(str(store), more, options=options)
    opened = open_raster(store)
    assert [opened.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["red", "near infrared", "blue"]
    assert [int(band[0, 0]) for band in read_all(opened)] == [1, 2, 3]


@pytest.mark.parametrize("source,options,told", [
    (lambda: slices(1, size=(21, 10)), [], "21 x 10"),
    (lambda: slices(1, transform=(0, 10, 0, 0, 0, -10)), ["APPEND_DIM_VALUES=2021-01-01"],
     "geotransform"),
    (lambda: slices(1), ["APPEND_DIM_VALUES=2020-01-03,2020-01-04"], "2 values for 1 slices"),
    (lambda: slices(1, 2), ["APPEND_DIM_VALUES=2020-01-03,2020-01-03"], "two slices"),
    (lambda: slices(1), ["APPEND_DIM_VALUES=soon"], "soon"),
    (lambda: slices(1), ["APPEND_DIM_VALUES="], "APPEND_DIM_VALUES"),
    (lambda: slices(1), ["ARRAY_NAME=w"], "w"),
    (lambda: slices(1), ["ARRAY_NAME=time"], "time"),
])  # fmt: skip
def test_what_does_not_fit_changes_nothing(tmp_path, cpl, source, options, told):
    store = make_cube(tmp_path)
    before = contents(store)
    assert append(store, source(), "ARRAY_NAME=v", *options) is None
    assert told in cpl.the_error()
    assert contents(store) == before


@pytest.mark.parametrize("dimension,told", [("height", "height"), ("y", '"y"'), ("x", '"x"')])
def test_other_dimensions_are_refused(tmp_path, cpl, dimension, told):
    store = make_cube(tmp_path)
    before = contents(store)
    options = ["APPEND_SUBDATASET=YES", f"APPEND_DIM={dimension}", "ARRAY_NAME=v"]
    assert driver().CreateCopy(str(store), slices(1), options=options) is None
    assert told in cpl.the_error()
    assert contents(store) == before


@pytest.mark.parametrize("name", ["/vsimem/absent.zarr", "here"])
def test_without_a_store_there_is_nothing_to_grow(tmp_path, cpl, name):
    name = str(tmp_path / "absent.zarr") if name == "here" else name
    assert append(name, slices(1)) is None
    assert "no Zarr store" in cpl.the_error()


@pytest.mark.parametrize("chunk", [1, 4])
def test_a_cancelled_append_is_not_seen(tmp_path, chunk):
    store = make_cube(tmp_path, chunk=chunk)
    before = zarr_formats.contents(store)
    calls = []

    def cancel(done, *_):
        calls.append(done)
        return int(done < 0.6)

    with error_log() as log:
        options = ["APPEND_DIM_VALUES=2020-01-03,2020-01-04,2020-01-05"]
        assert append(store, slices(7, 8, 9), *options, callback=cancel) is None
    assert calls and len(log.errors) == 1
    after = zarr_formats.contents(store)
    assert json.loads(after.pop(".zmetadata")) == json.loads(before.pop(".zmetadata"))
    assert {key for key in after if after[key] != before.get(key)} <= {"v/0.0.0", "v/0.1.0"}
    with xr.open_zarr(str(store)) as opened:
        assert opened.v.shape == (2, 10, 20) and [int(v[0, 0]) for v in opened.v.values] == [0, 1]
    assert append(store, slices(4), "APPEND_DIM_VALUES=2020-01-03")
    with xr.open_zarr(str(store)) as opened:
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 1, 4]


def test_a_store_in_memory_grows():
    name = "/vsimem/grows.zarr"
    driver().CreateCopy(name, slices(1, 2))
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band", "APPEND_DIM_VALUES=c"]
    assert driver().CreateCopy(name, slices(3), options=options)
    assert [int(band[0, 0]) for band in read_all(open_raster(name))] == [1, 2, 3]
    driver().Delete(name)


def test_overviews_that_no_longer_fit_are_told_of(tmp_path, cpl):
    store = make_cube(tmp_path)
    gdal.OpenEx(str(store), gdal.OF_UPDATE).BuildOverviews("NEAREST", [2])
    cpl.assert_quiet()
    assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=v")
    assert len(cpl.warnings) == 1 and "overviews" in cpl.warnings[0]
    cpl.clear()
    dataset = gdal.OpenEx(array_name(store, "v"), gdal.OF_UPDATE)
    dataset.BuildOverviews("NEAREST", [2])
    del dataset
    opened = open_raster(store)
    assert opened.RasterCount == 3
    assert opened.GetRasterBand(3).GetOverview(0).ReadAsArray().tolist() == [[7] * 10] * 5
