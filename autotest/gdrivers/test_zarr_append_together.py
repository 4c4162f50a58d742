# SPDX-License-Identifier: MIT
"""Several processes change one store at the same time. Each append that succeeds is in the store, in its place, with
its own pixels and time; a writer that waits too long fails and changes nothing."""

import fcntl
import os
import time
import warnings

import numpy as np
import pytest
import xarray
import zarr
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log, open_raster
from zarr_processes import SECONDS, Process, run_at_once

pytestmark = zarr_formats.FORMS
APPEND = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]
ROWS, COLUMNS = 32, 48


def values_of(day):
    return np.random.default_rng(day).integers(0, 1000, (ROWS, COLUMNS), "i2")


def copy(store, day, *options):
    """Writes a raster with the pixels of `day`. Raises an error if GDAL emits one."""
    scene = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 1, gdal.GDT_Int16)
    scene.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    scene.GetRasterBand(1).WriteArray(values_of(day))
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").CreateCopy(str(store), scene, options=list(options))
    del made
    if log.errors:
        raise RuntimeError(str(log.errors))


def append(report, store, day, *options):
    copy(store, day, *APPEND, f"APPEND_DIM_VALUES=2024-05-{day:02}", *options)
    report(day)


def make(store, *options):
    copy(store, 1, "BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01", *zarr_formats.block_options(16, 16), *options)


def days_of(store, name="a", overviews=False):
    """Returns the days in the store, in order. Asserts that each has its own pixels and overviews."""
    with error_log() as log:
        dataset = gdal.Open(array_name(store, name))
        days = []
        for number in range(1, dataset.RasterCount + 1):
            band = dataset.GetRasterBand(number)
            day = int(band.GetDescription()[len("time=2024-05-") :][:2])
            np.testing.assert_array_equal(band.ReadAsArray(), values_of(day))
            if overviews:
                np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), values_of(day)[::2, ::2])
            days.append(day)
    log.assert_quiet()
    return days


def assert_tidy(store):
    """Asserts that nothing but the store is left, that zarr-python knows everything in it, and that its consolidated
    metadata agree with its documents."""
    assert os.listdir(store.parent) == [store.name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for consolidated in (False, True):
            group = zarr.open_group(str(store), mode="r", use_consolidated=consolidated)
            assert len(list(group.members(max_depth=None))) > 1
        xarray.open_zarr(str(store)).close()
    documents = zarr_formats.documents(store)
    documents.pop(".zmetadata")
    assert zarr_formats.consolidated(store) == documents


@pytest.mark.parametrize("writers", [2, 4, 10])
@pytest.mark.parametrize("overviews", [False, True])
def test_appends_at_once(tmp_path, writers, overviews):
    store = tmp_path / "a.zarr"
    make(store, *(["OVERVIEWS=2"] if overviews else []))
    days = list(range(2, 2 + writers))
    run_at_once([(append, store, day) for day in days])
    found = days_of(store, overviews=overviews)
    assert found[0] == 1
    assert sorted(found[1:]) == days
    assert_tidy(store)


def test_appends_to_two_arrays_that_share_time(tmp_path):
    store = tmp_path / "a.zarr"
    times = xarray.DataArray(np.array(["2024-05-01"], "M8[ns]"), dims="time")
    pixels = xarray.DataArray(values_of(1)[np.newaxis], dims=("time", "y", "x"))
    pixels.encoding = {"chunks": (1, 16, 16), "_FillValue": -1}
    dataset = xarray.Dataset({"a": pixels, "b": pixels.copy()}, {"time": times})
    dataset.time.encoding = {"units": "days since 2000-01-01", "dtype": "i8"}
    dataset.to_zarr(str(store), zarr_format=3 if zarr_formats.is_v3() else 2, consolidated=True)
    jobs = [(append, store, day, f"ARRAY_NAME={name}") for name in "ab" for day in (2, 3, 4)]
    run_at_once(jobs)
    assert sorted(days_of(store, "a")) == [1, 2, 3, 4]
    assert days_of(store, "b") == days_of(store, "a")
    with xarray.open_zarr(str(store)) as opened:
        assert opened.sizes["time"] == 4


class Held:
    """Holds the lock of a store, as another writer does."""

    def __init__(self, store):
        self.file = os.open(store, os.O_RDONLY)
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def release(self):
        fcntl.flock(self.file, fcntl.LOCK_UN)  # forked processes have the file open, too
        os.close(self.file)


def wait_for_queue(store, count):
    """Waits until `count` processes wait for the lock of the store."""
    number = f":{os.stat(store).st_ino} "
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with open("/proc/locks", encoding="ascii") as locks:
            if sum("OFDLCK" in line and number in line for line in locks) == count:
                return
        time.sleep(0.001)
    raise AssertionError(f"not {count} processes wait")


def test_appends_succeed_in_order_of_arrival(tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    held = Held(store)
    processes = []
    for day in (7, 3, 5, 2):
        processes.append(Process(append, store, day))
        wait_for_queue(store, len(processes))
    held.release()
    for process in processes:
        process.succeed()
    assert days_of(store) == [1, 7, 3, 5, 2]
    assert_tidy(store)


def files_of(store):
    return {path: path.read_bytes() for path in store.parent.rglob("*") if path.is_file()}


def fails_to_append(store, *options):
    """Appends, and returns the message of the failure."""
    with pytest.raises(RuntimeError) as failure:
        append(print, store, 2, *options)
    return str(failure.value)


MESSAGE = f"another writer is changing the store (process {os.getpid()}); waited 0.01 s, set LOCK_TIMEOUT"


def test_an_append_that_waits_too_long(tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    before = files_of(store)
    held = Held(store)
    for message in (fails_to_append(store, "LOCK_TIMEOUT=0.01"),):
        assert f"{store}: {MESSAGE}" in message
    with config_options(ZARR_LOCK_TIMEOUT="0.01"):
        assert MESSAGE in fails_to_append(store)
    assert files_of(store) == before
    held.release()
    append(lambda text: None, store, 2)
    assert days_of(store) == [1, 2]


def test_attributes_that_wait_too_long(tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    before = files_of(store)
    held = Held(store)
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE, open_options=["LOCK_TIMEOUT=0.01"])
        dataset.SetMetadataItem("note", "new")
        dataset.FlushCache()
        assert MESSAGE in str(log.errors)
        assert files_of(store) == before
        held.release()
        del dataset
    assert open_raster(store).GetMetadataItem("note") == "new"
    assert_tidy(store)


def delete(store):
    return gdal.GetDriverByName("Zarr").Delete(str(store))


def delete_array(store):
    return gdal.GetDriverByName("Zarr").Delete(array_name(store, "a"))


def rename(store):
    return gdal.GetDriverByName("Zarr").Rename(str(store.parent / "b.zarr"), str(store))


def rename_array(store):
    return gdal.GetDriverByName("Zarr").Rename(array_name(store, "b"), array_name(store, "a"))


def overwrite(store):
    scene = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 1, gdal.GDT_Int16)
    return gdal.CE_Failure if gdal.GetDriverByName("Zarr").CreateCopy(str(store), scene) is None else gdal.CE_None


ACTS = [delete, delete_array, rename, rename_array, overwrite]


@pytest.mark.parametrize("act", ACTS)
def test_a_store_is_not_deleted_renamed_or_overwritten_while_it_is_changed(tmp_path, act):
    store = tmp_path / "a.zarr"
    make(store)
    before = files_of(store)
    held = Held(store)
    with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.01"):
        assert act(store) == gdal.CE_Failure
    assert MESSAGE in log.the_error()
    assert files_of(store) == before and os.listdir(tmp_path) == ["a.zarr"]
    held.release()
    assert act(store) == gdal.CE_None
    assert not os.path.exists(store) or files_of(store) != before


def test_a_copy_waits_for_the_old_store_before_it_copies(tmp_path):
    """Nothing is copied in vain, and no other writer comes in between."""
    store, told = tmp_path / "a.zarr", []
    make(store)
    before = files_of(store)
    held = Held(store)
    scene = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 1, gdal.GDT_Int16)
    copy_of = gdal.GetDriverByName("Zarr").CreateCopy
    with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.02"):
        assert copy_of(str(store), scene, options=["LOCK_TIMEOUT=0.01"], callback=lambda *at: told.append(at)) is None
    assert MESSAGE in log.the_error()
    assert told == [] and files_of(store) == before
    held.release()

    def report(done, *_):
        folder = os.open(store, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(folder)
        told.append(done)
        return 1

    assert copy_of(str(store), scene, callback=report) is not None
    assert told != []


def test_a_multidimensional_copy_waits_as_long_as_its_option_says(tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    copy(tmp_path / "b.zarr", 2)
    source = gdal.OpenEx(str(tmp_path / "b.zarr"), gdal.OF_MULTIDIM_RASTER)
    before = files_of(store)
    held = Held(store)
    for name in (store, store / "group"):
        with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.02"):
            assert gdal.MultiDimTranslate(str(name), source, format="Zarr",
                                          creationOptions=["LOCK_TIMEOUT=0.01"]) is None  # fmt: skip
        assert MESSAGE in log.the_error() and log.warnings == []
    assert files_of(store) == before
    held.release()


@pytest.mark.parametrize("text", ["-1", "soon", "1e99", ""])
def test_an_invalid_time(tmp_path, text):
    store = tmp_path / "a.zarr"
    make(store)
    assert "option LOCK_TIMEOUT: expected a number of seconds" in fails_to_append(store, f"LOCK_TIMEOUT={text}")


def test_a_store_that_somebody_reads_while_it_is_changed(tmp_path):
    """While a writer holds the lock, neither zarr-python nor xarray see a file of the lock."""
    store = tmp_path / "a.zarr"
    make(store)
    held = Held(store)
    assert_tidy(store)
    held.release()


def test_a_store_behind_a_link(tmp_path):
    store = tmp_path / "stores" / "a.zarr"
    store.parent.mkdir()
    make(store)
    (tmp_path / "link").symlink_to(store)
    held = Held(store)
    assert MESSAGE in fails_to_append(tmp_path / "link", "LOCK_TIMEOUT=0.01")
    held.release()
    run_at_once([(append, path, day) for path, day in ((store, 2), (tmp_path / "link", 3))])
    assert sorted(days_of(store)) == [1, 2, 3]
    assert_tidy(store)
