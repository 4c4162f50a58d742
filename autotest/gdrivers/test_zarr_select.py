# SPDX-License-Identifier: MIT
"""Selects a band by the open option SELECT. The coordinate arrays are so large that the driver searches them in
several reads."""

import datetime

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_http import Served
from zarr_store import make_store

pytestmark = zarr_formats.READERS
STEPS = 87_672  # number of times: each hour of ten years
FIRST = datetime.datetime(2010, 1, 1)
HOURS = {"units": "hours since 2010-01-01", "calendar": "standard"}


def text(step):
    return (FIRST + datetime.timedelta(hours=int(step))).strftime("%Y-%m-%dT%H:%M:%SZ")


ORDERS = {
    "ascending": np.arange(STEPS),
    "descending": np.arange(STEPS)[::-1],
    "unsorted": np.random.default_rng(3).permutation(STEPS),
}


def make(folder, times, levels=None, chunk=5000, attrs=None, name="t.zarr", **more):
    """Writes a store with the array v. Its dimensions are time, level (if `levels` is given), y and x. A slice has
    1 x 2 pixels. A pixel's value is the index of its time plus a thousandth of the index of its level. Returns the
    store."""
    shape = (len(times),) + (() if levels is None else (len(levels),)) + (1, 2)
    values = np.arange(len(times), dtype="f8").reshape((-1,) + (1,) * (len(shape) - 1))
    values = np.broadcast_to(values, shape).copy()
    dims = ("time", "y", "x")
    arrays = {"time": {"values": np.asarray(times), "dims": ("time",),
                       "attrs": HOURS if attrs is None else attrs, "chunks": (chunk,)}}  # fmt: skip
    if levels is not None:
        values += np.arange(len(levels)).reshape(1, -1, 1, 1) / 1000
        dims = ("time", "level", "y", "x")
        arrays["level"] = {"values": np.asarray(levels), "dims": ("level",), "attrs": {"units": "hPa"}}
    chunks = (4096,) + shape[1:]
    arrays["v"] = {"values": values, "dims": dims, "chunks": chunks}
    return make_store(folder, arrays, name=name, **more)


def assert_selects(name, selection, expected, *options):
    with error_log() as log:
        dataset = open_raster(name, f"SELECT={selection}", *options)
        values = dataset.ReadAsArray()
    log.assert_quiet()
    np.testing.assert_array_equal(values, np.full(values.shape, expected))
    return dataset


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.slow
def test_a_time_beyond_the_first_read(tmp_path, order):
    times = ORDERS[order]
    store = make(tmp_path, times)
    for step in (0, 65_535, 65_536, 70_001, STEPS - 1):
        dataset = assert_selects(store, f"time={text(times[step])}", step)
        assert dataset.GetRasterBand(1).GetMetadataItem("DIM_time_TIME") == text(times[step])
    hour = text(times[70_001])[:13]
    assert_selects(store, f"time={hour}", 70_001)
    assert gdal.Open(array_name(store, f"v:time={hour}")).ReadAsArray()[0, 0] == 70_001


def test_a_day_alone(tmp_path):
    times = np.arange(STEPS) * 24
    store = make(tmp_path, times)
    assert_selects(store, f"time={text(times[80_000])[:10]}", 80_000)


def test_a_day_of_many_hours_names_them(tmp_path):
    store = make(tmp_path, np.arange(STEPS))
    day = text(80_000)[:10]
    with error_log() as log:
        assert gdal.OpenEx(str(store), open_options=[f"SELECT=time={day}"]) is None
    assert f"24 coordinates of dimension time are \"{day}\": {day}T00:00:00Z" in log.the_error()
    assert "and 19 more" in log.the_error()


def test_a_time_that_does_not_exist(tmp_path):
    store = make(tmp_path, np.arange(STEPS))
    with error_log() as log:
        assert gdal.OpenEx(str(store), open_options=["SELECT=time=1999-01-01"]) is None
    assert 'has no coordinate "1999-01-01"; it has 2010-01-01T00:00:00Z' in log.the_error()
    assert f"and {STEPS - 5} more" in log.the_error()


@pytest.mark.parametrize("chunk", [1000, 65_536, STEPS])
def test_several_dimensions(tmp_path, chunk):
    store = make(tmp_path, np.arange(STEPS), [1000, 850], chunk)
    when = text(80_000)
    assert_selects(store, f"time={when},level=850", 80_000.001)
    dataset = open_raster(store, f"SELECT=time={when}")
    assert dataset.RasterCount == 2
    np.testing.assert_array_equal(dataset.ReadAsArray()[:, 0, 0], [80_000, 80_000.001])


def test_numbers_and_times_of_numpy(tmp_path):
    store = make(tmp_path, np.arange(STEPS) / 2, attrs={"units": "m"})
    assert_selects(store, "time=40000.5", 80_001)
    if not zarr_formats.is_v3():
        times = np.datetime64("2010-01-01", "h") + np.arange(STEPS)
        store = make(tmp_path, times.astype("M8[h]"), attrs={}, name="n.zarr")
        assert_selects(store, f"time={text(80_000)}", 80_000)


@pytest.mark.slow
def test_long_names_are_searched_in_smaller_parts(tmp_path):
    """SELECT finds names of bands in an array of 560 MB. The driver reads the names in parts that fit in
    memory."""
    names = np.array([f"name {i}" for i in range(2000)], dtype="<U2000")
    store = make(tmp_path, names, chunk=100, attrs={})
    group = zarr.open_group(str(store), mode="r+")
    group["time"].resize((70_000,))
    group["v"].resize((70_000, 1, 2))
    group["time"][69_999] = "last"
    group["v"][69_999] = 5
    assert_selects(store, "time=last", 5)
    assert_selects(store, "time=name 77", 77)


def test_too_many_coordinates_are_an_error_that_names_the_limit(tmp_path):
    store = make(tmp_path, np.arange(STEPS))
    gdal.SetConfigOption("ZARR_MAX_COORDINATES", "80000")
    try:
        with error_log() as log:
            assert gdal.OpenEx(str(store), open_options=[f"SELECT=time={text(3)}"]) is None
        assert "87672 coordinates; ZARR_MAX_COORDINATES allows 80000" in log.the_error()
    finally:
        gdal.SetConfigOption("ZARR_MAX_COORDINATES", None)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.slow
def test_a_store_on_a_server(tmp_path, order):
    """SELECT requests each chunk of the time coordinates once, and sends more than 8 requests at a time."""
    times = ORDERS[order]
    make(tmp_path, times, chunk=1000, consolidated=True)
    with Served(tmp_path, 0.02) as server:
        name = f"{server.url}/t.zarr"
        assert_selects(f'ZARR:"{name}"', f"time={text(times[80_000])}", 80_000)
        log = server.log()
    asked = [path for _, path, *_ in log["requests"] if "/time/" in path]
    assert len(asked) == len(set(asked)) and log["at_once"] > 8


def test_an_image_of_many_times(tmp_path):
    store = tmp_path / "i.zarr"
    group = zarr.open_group(str(store), mode="w")
    group.create_dataset("0", shape=(STEPS, 1, 2), chunks=(STEPS, 1, 2), dtype="u1")
    axes = [{"name": n, "type": "time" if n == "t" else "space"} for n in "tyx"]
    steps = [{"type": "scale", "scale": [0.5, 1, 1]}]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [
        {"path": "0", "coordinateTransformations": steps}]}]  # fmt: skip
    group["0"][80_001] = 7
    assert_selects(store, "t=40000.5", 7)
