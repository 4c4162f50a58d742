# SPDX-License-Identifier: MIT
"""After fork(), as in Python's multiprocessing, parent and child read and write correctly. A child can read through an
inherited handle. Only the process that opened a store for update can change the store through that handle."""

import ctypes
import multiprocessing
import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import error_log, open_raster
from zarr_processes import SECONDS, Process, let_idle_threads_end
from zarr_store import make_array, make_store

gdal.DontUseExceptions()

ROUNDS = 50
VALUES = np.arange(3 * 96 * 128, dtype="<i4").reshape(3, 96, 128)


@pytest.fixture
def store(tmp_path):
    return make_array(tmp_path, VALUES, chunks=(2, 16, 32))


def read(dataset):
    values = dataset.ReadAsArray()
    assert values is not None, gdal.GetLastErrorMsg()
    np.testing.assert_array_equal(values, VALUES)


def read_anew(name):
    read(open_raster(name))


def succeed(work, rounds=ROUNDS):
    """Runs `work` in `rounds` child processes, one after the other, and asserts that each succeeds."""
    for _ in range(rounds):
        Process(lambda report: work()).succeed()


@pytest.mark.slow
def test_a_child_reads_after_its_parent_has(store):
    dataset = open_raster(store)
    read(dataset)

    def work():
        read_anew(store)
        read(dataset)

    succeed(work)
    read(dataset)


@pytest.mark.slow
def test_a_child_of_multiprocessing_reads_after_its_parent_has(store):
    dataset = open_raster(store)
    read(dataset)
    let_idle_threads_end()
    context = multiprocessing.get_context("fork")
    for _ in range(ROUNDS // 10):
        with context.Pool(2) as pool:
            pool.map_async(read_anew, [str(store)] * 10).get(SECONDS)
    read(dataset)


def end_normally(code):
    """Ends a child by C's exit(), as programs without pytest end."""
    sys.stdout.flush()
    ctypes.CDLL(None).exit(code)


def wait(pid):
    """Waits until a child ends, and returns its exit status. Kills a child that hangs."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


@pytest.mark.slow
def test_children_of_children_read(store):
    dataset = open_raster(store)
    read(dataset)

    def work():
        read(dataset)
        let_idle_threads_end()
        Process(lambda report: read(dataset)).succeed()
        read_anew(store)

    succeed(work, 5)


# ---------------------------------------------------------------------------------------------
# Stores that are open for update


def half_written(store):
    """Opens the store for update and writes one pixel of a chunk. Returns the dataset, in which the chunk is
    pending."""
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((1, 1), -1, "i4"))
    return dataset


@pytest.mark.parametrize("end", ["os._exit", "close", "exit"])
@pytest.mark.slow
def test_a_child_does_not_store_its_parents_pending_chunks(store, end):
    dataset = half_written(store)
    for _ in range(ROUNDS if end == "os._exit" else 5):
        let_idle_threads_end()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                with error_log() as log:
                    if end == "close":
                        dataset = None
                log.assert_quiet()
                read_anew(store)  # reads the old values, because the parent's chunk is pending
                code = 0
            finally:
                os._exit(code) if end != "exit" else end_normally(code)
        assert wait(pid) == 0
    read_anew(as_stored(store))
    dataset.GetRasterBand(1).WriteArray(np.full((1, 1), -2, "i4"))
    dataset = None
    changed = VALUES.copy()
    changed[0, 0, 0] = -2
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), changed)


def as_stored(store):
    """Copies the files of the store, and returns the path of the copy. A read of the copy gives only stored values,
    because nothing of the copy is cached."""
    return shutil.copytree(store, store.parent / "as_stored.zarr")


def test_a_child_cannot_write_through_its_parents_handle(store):
    dataset = half_written(store)

    def work():
        with error_log() as log:
            dataset.GetRasterBand(1).WriteArray(np.full((16, 32), 7, "i4"))
            dataset.FlushCache()
        assert "opened for update by the parent process" in log.errors[0], log.errors
        np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES)  # old values, because nothing was stored

    succeed(work, 3)
    dataset = None
    assert open_raster(store).ReadAsArray()[0, 0, 0] == -1


def test_a_child_writes_through_a_handle_of_its_own(store):
    dataset = half_written(store)

    def work():
        own = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        own.GetRasterBand(3).WriteArray(np.full((96, 128), 7, "i4"))
        own = None

    succeed(work, 3)
    dataset = None
    changed = VALUES.copy()
    changed[0, 0, 0] = -1
    changed[2] = 7
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), changed)


def test_a_child_does_not_change_attributes_through_its_parents_handle(tmp_path):
    store = make_store(tmp_path, {"a": VALUES[0]}, consolidated=True)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    group = dataset.GetRootGroup()
    text = gdal.ExtendedDataType.CreateString()
    group.CreateAttribute("who", [], text).Write("parent")

    def work():
        with error_log() as log:
            assert group.CreateAttribute("child", [], text) is None
        assert "opened for update by the parent process" in log.the_error()
        np.testing.assert_array_equal(group.OpenMDArray("a").ReadAsArray(), VALUES[0])

    before = sorted(p.name for p in store.iterdir())
    succeed(work, 3)
    assert sorted(p.name for p in store.iterdir()) == before
    group = dataset = None
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert [a.GetName() for a in root.GetAttributes()] == ["who"]


def test_only_the_parent_writes_a_new_zip_file(tmp_path):
    name = f"/vsizip/{tmp_path}/new.zarr.zip/new.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(name, 128, 96, 3, gdal.GDT_Int32)
    dataset.GetRasterBand(1).WriteArray(VALUES[0])

    def work():
        nonlocal dataset
        dataset = None

    succeed(work, 5)
    dataset.GetRasterBand(2).WriteArray(VALUES[1])
    dataset.GetRasterBand(3).WriteArray(VALUES[2])
    dataset = None
    read_anew(tmp_path / "new.zarr.zip")


COUNT_THREADS = """
import os, sys, time
from osgeo import gdal, gdal_array  # imported before the count, because NumPy starts threads

before = len(os.listdir("/proc/self/task"))
dataset = gdal.Open(sys.argv[1])
dataset.ReadAsArray()
most = len(os.listdir("/proc/self/task"))
deadline = time.monotonic() + 60
while len(os.listdir("/proc/self/task")) > before and time.monotonic() < deadline:
    time.sleep(0.05)
print(most - before, len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.slow
def test_no_thread_of_the_driver_is_left_when_there_is_nothing_to_do(store):
    """No thread of the driver exists while the driver has nothing to do. Threads are counted in a new process, because
    other libraries keep threads in the process of the test."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT_THREADS, str(store)], capture_output=True, text=True,
        timeout=SECONDS, check=True,
    )  # fmt: skip
    at_work, left = map(int, done.stdout.split())
    assert at_work > 0 or os.cpu_count() == 1
    assert left == 0
