# SPDX-License-Identifier: MIT
"""Several writers change one store concurrently. Processes that write to the same chunks use lock files, which
zarr-python 2 also supports. Threads of one process need no lock files."""

import os
import pathlib
import random
import threading
import time

import numcodecs
import numpy as np
import pytest
import zarr2
import zarr_formats
import zarr_locks
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_processes import Process, run_at_once

pytestmark = zarr_formats.BOTH

SEED = os.environ["ZARR_TEST_SEED"]
SIDE = 32
WRITERS = 8


def make_store(folder, chunk=SIDE, side=SIDE):
    """Writes a store with a square array "a" of zeros, by zarr-python or, if the array has shards, by this driver.
    `side` and `chunk` are the lengths of the array and of a chunk or shard. Returns the store."""
    store = pathlib.Path(folder) / "shared.zarr"
    if zarr_formats.has_shards():
        store.parent.mkdir(exist_ok=True)
        options = ["ARRAY_NAME=a", "COMPRESS=ZLIB", *zarr_formats.block_options(chunk, chunk)]
        driver = gdal.GetDriverByName("Zarr")
        assert driver.Create(str(store), side, side, 1, gdal.GDT_Int32, options) is not None
        return store
    group = zarr.open_group(str(store), mode="w")
    group.create_dataset(
        "a", shape=(side, side), chunks=(chunk, chunk), dtype="i4", fill_value=0,
        compressor=numcodecs.Zlib(1),
    )  # fmt: skip
    zarr.consolidate_metadata(str(store))
    return store


def update(store, synchronizer=None, name="a"):
    options = [] if synchronizer is None else [f"SYNCHRONIZER={synchronizer}"]
    dataset = gdal.OpenEx(array_name(store, name), gdal.OF_UPDATE, open_options=options)
    assert dataset is not None, gdal.GetLastErrorMsg()
    return dataset


def expected():
    return np.arange(1, SIDE * SIDE + 1, dtype="i4").reshape(SIDE, SIDE)


def parts_of(writer):
    """Yields (row, column, values) for each part that writer number `writer` writes: every eighth row, four
    columns at a time."""
    for row in range(writer, SIDE, WRITERS):
        for column in range(0, SIDE, 4):
            yield row, column, expected()[row : row + 1, column : column + 4]


def write_by_gdal(_report, store, synchronizer, writer):
    with error_log() as log:
        dataset = update(store, synchronizer)
        for row, column, values in parts_of(writer):
            dataset.GetRasterBand(1).WriteArray(values, column, row)
            dataset.FlushCache()
        del dataset
    log.assert_quiet()


def write_by_zarr(_report, store, synchronizer, writer):
    pieces = [((slice(row, row + 1), slice(column, column + 4)), values) for row, column, values in parts_of(writer)]
    zarr2.call("write_under_locks", str(store), str(synchronizer), "a", pieces)


def write_by_multidimensional(_report, store, synchronizer, writer):
    with error_log() as log:
        options = [f"SYNCHRONIZER={synchronizer}"]
        for row, column, values in parts_of(writer):
            dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE | gdal.OF_MULTIDIM_RASTER,
                                  open_options=options)  # fmt: skip
            array = dataset.GetRootGroup().OpenMDArray("a")
            array.WriteArray(values, array_start_idx=[row, column])
            del array, dataset
    log.assert_quiet()


def stored(store):
    return zarr.open_group(str(store), mode="r")["a"][...]


@zarr_formats.FORMS
@pytest.mark.parametrize("turn", range(2))
@pytest.mark.slow
def test_processes_that_share_a_chunk_lose_nothing(tmp_path, turn):
    store, locks = make_store(tmp_path), tmp_path / "locks"
    run_at_once([(write_by_gdal, store, locks, i) for i in range(WRITERS)])
    np.testing.assert_array_equal(stored(store), expected())
    np.testing.assert_array_equal(read_all(open_raster(store))[0], expected())


@pytest.mark.slow
def test_processes_without_lock_files_lose_values(tmp_path):
    """Without lock files, processes that share a chunk lose values. This shows that
    test_processes_that_share_a_chunk_lose_nothing would notice missing locks."""
    for attempt in range(20):
        store = make_store(tmp_path / str(attempt))
        run_at_once([(write_by_gdal, store, None, i) for i in range(WRITERS)])
        if (stored(store) != expected()).any():
            return
    pytest.fail("20 times eight processes wrote to one chunk and nothing was lost")


@zarr_formats.V2  # only v2, because zarr-python 3 has no lock files
@pytest.mark.slow
def test_processes_share_a_chunk_with_zarr_python(tmp_path):
    zarr2.require()
    store, locks = make_store(tmp_path), tmp_path / "locks"
    works = [write_by_gdal, write_by_zarr, write_by_multidimensional, write_by_zarr]
    run_at_once([(works[i % 4], store, locks, i) for i in range(WRITERS)])
    np.testing.assert_array_equal(stored(store), expected())


@zarr_formats.V2
@pytest.mark.slow
def test_values_are_lost_if_only_zarr_python_uses_lock_files(tmp_path):
    zarr2.require()
    for attempt in range(20):
        store, locks = make_store(tmp_path / str(attempt)), tmp_path / f"locks{attempt}"
        jobs = [(write_by_gdal, store, None, i) for i in range(0, WRITERS, 2)]
        jobs += [(write_by_zarr, store, locks, i) for i in range(1, WRITERS, 2)]
        run_at_once(jobs)
        if (stored(store) != expected()).any():
            return
    pytest.fail("20 times GDAL wrote beside zarr-python without locks and nothing was lost")


def write_without_flush(_report, store, synchronizer, writer):
    """Writes all parts of a writer without a flush in between, so that the parts are stored together."""
    with error_log() as log:
        dataset = update(store, synchronizer)
        for row, column, values in parts_of(writer):
            dataset.GetRasterBand(1).WriteArray(values, column, row)
        del dataset
    log.assert_quiet()


def test_pending_chunks_are_stored_once(tmp_path):
    store, locks = make_store(tmp_path), tmp_path / "locks"
    dataset = update(store, locks)
    for row, column, values in parts_of(0):
        dataset.GetRasterBand(1).WriteArray(values, column, row)
    chunk = zarr_formats.chunk_file(store, "a", 0, 0)
    assert not chunk.exists()
    dataset = None
    assert chunk.exists()
    run_at_once([(write_without_flush, store, locks, i) for i in range(1, WRITERS)])
    np.testing.assert_array_equal(stored(store), expected())


# ---------------------------------------------------------------------------------------------
# Tests of writers with lock files


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("separator", "./")
def test_lock_files_have_the_names_that_zarr_python_uses(tmp_path, separator):
    names = []
    writers = ("gdal",) if zarr_formats.is_v3() else ("gdal", "zarr")  # zarr-python 3 has no lock files
    for i, writer in enumerate(writers):
        store, locks = tmp_path / f"{i}.zarr", tmp_path / f"{i}.locks"
        group = zarr.open_group(str(store), mode="w").create_group("deep/er")
        group.create_dataset("a", shape=(4, 4), chunks=(2, 2), dtype="i2",
                             dimension_separator=separator)  # fmt: skip
        if writer == "gdal":
            dataset = update(store, locks, "deep/er/a")
            dataset.WriteArray(np.ones((3, 3), "i2"))
            dataset.SetMetadataItem("note", "x")
            dataset = None
        else:
            piece = (slice(0, 3), slice(0, 3)), 1
            zarr2.call("write_under_locks", str(store), str(locks), "deep/er/a", [piece])
            zarr2.call("set_under_locks", str(store), str(locks), "deep/er/a", "note", "x")
        # zarr-python also locks the document .zarray when it opens the array.
        names.append(files_below(locks) - {"deep/er/a/.zarray"})
    keys = {zarr_formats.chunk_key(store, "deep/er/a", i, j) for i in (0, 1) for j in (0, 1)}
    assert names == [keys | {zarr_formats.spelled("deep/er/a/.zattrs")}] * len(writers)


def change_under_lock(report, store, locks, what):
    dataset = update(store, locks)
    if what == "chunk":
        dataset.GetRasterBand(1).WriteArray(np.full((1, 4), 7, "i4"))
    else:
        dataset.SetMetadataItem("mine", "7")
    report("ready")
    with error_log() as log:
        dataset = None
    log.assert_quiet()


@pytest.mark.parametrize("what", ["chunk", "attributes"])
def test_a_writer_waits_for_the_holder_of_the_lock(tmp_path, what):
    store, locks = make_store(tmp_path), tmp_path / "locks"
    chunk = zarr_formats.chunk_key(store, "a", 0, 0)

    def is_changed():
        return (store / chunk).exists() if what == "chunk" else zarr_formats.attributes(store, "a") != {}

    key = chunk if what == "chunk" else zarr_formats.spelled("a/.zattrs")
    with zarr_locks.lock(locks, key):
        child = Process(change_under_lock, store, locks, what)
        child.wait_for("ready")
        time.sleep(0.1)  # a child that ignores the lock would write during this time
        assert not is_changed()
        array = zarr.open_group(str(store), mode="r+")["a"]
        array[5, 5] = 5
    child.succeed()
    assert is_changed()
    values = stored(store)
    assert values[5, 5] == 5
    if what == "chunk":
        assert list(values[0, :5]) == [7, 7, 7, 7, 0]


def test_created_stores_take_the_option_too(tmp_path):
    locks = tmp_path / "locks"
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(str(tmp_path / "c.zarr"), 20, 10, 1, gdal.GDT_Byte,
                            [f"SYNCHRONIZER={locks}", "ARRAY_NAME=a"])  # fmt: skip
    dataset.GetRasterBand(1).Fill(3)
    del dataset
    assert zarr_formats.chunk_key(tmp_path / "c.zarr", "a", 0, 0) in files_below(locks)
    driver.CreateCopy(str(tmp_path / "d.zarr"), open_raster(tmp_path / "c.zarr"),
                      options=[f"SYNCHRONIZER={locks}", "ARRAY_NAME=b"])  # fmt: skip
    assert zarr_formats.chunk_key(tmp_path / "d.zarr", "b", 0, 0) in files_below(locks)


def test_gdal_lists_the_option():
    driver = gdal.GetDriverByName("Zarr")
    for item in ("DMD_OPENOPTIONLIST", "DMD_CREATIONOPTIONLIST"):
        assert "name='SYNCHRONIZER'" in driver.GetMetadataItem(item)


def test_reading_needs_no_lock_files(tmp_path):
    store, locks = make_store(tmp_path), tmp_path / "locks"
    open_raster(store, f"SYNCHRONIZER={locks}").ReadAsArray()
    assert not locks.exists()


@pytest.mark.parametrize("kind", ["a file", "below a file", "vsimem"])
def test_a_folder_that_cannot_be_created_is_named(tmp_path, kind, cpl):
    store = make_store(tmp_path)
    (tmp_path / "file").write_text("mine")
    folder = {"a file": tmp_path / "file", "below a file": tmp_path / "file" / "locks",
              "vsimem": "/vsimem/locks"}[kind]  # fmt: skip
    option = f"SYNCHRONIZER={folder}"
    assert gdal.OpenEx(str(store), gdal.OF_UPDATE, open_options=[option]) is None
    assert "SYNCHRONIZER" in cpl.the_error() and str(folder) in cpl.the_error()
    cpl.clear()
    driver = gdal.GetDriverByName("Zarr")
    assert driver.Create(str(tmp_path / "n.zarr"), 4, 4, 1, gdal.GDT_Byte, [option]) is None
    assert "SYNCHRONIZER" in cpl.the_error() and str(folder) in cpl.the_error()
    assert not (tmp_path / "n.zarr").exists()
    assert not pathlib.Path("/vsimem").exists()


def write_as_nobody(report, store, locks):
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    with error_log() as log:
        assert gdal.OpenEx(str(store), gdal.OF_UPDATE,
                           open_options=[f"SYNCHRONIZER={locks}"]) is None  # fmt: skip
    report(log.the_error())


def test_a_folder_without_permission_is_named(public_folder):
    store, locks = make_store(public_folder), public_folder / "locks"
    locks.mkdir(mode=0o555)
    (error,) = Process(write_as_nobody, store, locks).succeed()
    assert "SYNCHRONIZER" in error and str(locks) in error and "ermission" in error


def test_a_key_that_cannot_be_locked_is_named_and_its_chunk_kept(tmp_path):
    store, locks = make_store(tmp_path), tmp_path / "locks"
    key = zarr_formats.chunk_key(store, "a", 0, 0)
    (locks / key).mkdir(parents=True)
    dataset = update(store, locks)
    dataset.GetRasterBand(1).WriteArray(expected()[:4])
    with error_log() as log:
        dataset.FlushCache()
    assert f"{key}: chunk [0, 0]" in log.the_error() and str(locks / key) in log.the_error()
    (locks / key).rmdir()
    with error_log() as log:
        dataset = None
    log.assert_quiet()
    np.testing.assert_array_equal(stored(store)[:4], expected()[:4])


# ---------------------------------------------------------------------------------------------
# Tests of writers without lock files


@zarr_formats.FORMS
@pytest.mark.parametrize("with_locks", [False, True])
@pytest.mark.parametrize("turn", range(2))
def test_threads_share_chunks_through_handles_of_their_own(tmp_path, turn, with_locks):
    """Threads open one store separately and write to shared chunks concurrently. No value is lost."""
    print(f"ZARR_TEST_SEED={SEED} turn {turn}")
    side = 64
    store = make_store(tmp_path, chunk=24, side=side)
    values = np.random.default_rng(list(f"{SEED} {turn}".encode())).integers(
        1, 2**31, (side, side), "i4"
    )
    failures = []
    start = threading.Barrier(4)

    def write(thread):
        choose = random.Random(f"{SEED} {turn} {thread}")
        try:
            start.wait()
            for row in range(thread, side, 4):
                dataset = update(store, tmp_path / "locks" if with_locks else None)
                band = dataset.GetRasterBand(1)
                for column in range(0, side, 8):
                    band.WriteArray(values[row : row + 1, column : column + 8], column, row)
                    if choose.random() < 0.2:
                        dataset.FlushCache()
                assert (band.ReadAsArray(0, row, side, 1) == values[row]).all()
                del band, dataset
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    np.testing.assert_array_equal(stored(store), values)


@pytest.mark.parametrize("spelling", ["relative", "link", "dots"])
def test_handles_share_chunks_however_the_store_is_spelled(tmp_path, spelling, monkeypatch):
    store = make_store(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    other = {"relative": "shared.zarr", "link": tmp_path / "link" / "shared.zarr",
             "dots": "./shared.zarr/../shared.zarr"}[spelling]  # fmt: skip
    one, two = update(store), update(other)
    one.GetRasterBand(1).WriteArray(expected()[:16])
    two.GetRasterBand(1).WriteArray(expected()[16:], 0, 16)
    one = two = None
    np.testing.assert_array_equal(stored(store), expected())


def write_own_chunks(_report, store, values, side, writer):
    rng = random.Random(f"{SEED} {writer}")
    own = [(y, x) for y in range(0, 48, side) for x in range(0, 48, side)][writer::WRITERS]
    with error_log() as log:
        dataset = update(store)
        band = dataset.GetRasterBand(1)
        for y, x in own * 3:
            top = rng.randint(0, side - 1)
            band.WriteArray(values[y : y + top, x : x + side], x, y) if top else None
            band.WriteArray(values[y + top : y + side, x : x + side], x, y + top)
            if rng.random() < 0.3:
                dataset.FlushCache()
            if writer == 0:
                dataset.SetMetadataItem("note", f"{y} {x}")
                dataset.FlushCache()
        del band, dataset
    log.assert_quiet()


@zarr_formats.FORMS
@pytest.mark.parametrize("side", [6, 12])
def test_processes_with_chunks_of_their_own_need_no_locks(tmp_path, side):
    print(f"ZARR_TEST_SEED={SEED}")
    store = make_store(tmp_path, chunk=side, side=48)
    values = np.random.default_rng(list(SEED.encode())).integers(1, 2**31, (48, 48), "i4")
    run_at_once([(write_own_chunks, store, values, side, i) for i in range(WRITERS)])
    group = zarr.open_consolidated(str(store), mode="r")
    np.testing.assert_array_equal(group["a"][...], values)
    assert "note" in group["a"].attrs
    assert group["a"].attrs.asdict() == zarr.open_group(str(store), mode="r")["a"].attrs.asdict()
    assert not [path for path in store.rglob("*") if path.name.endswith(".partial")]


# ---------------------------------------------------------------------------------------------
# Tests of concurrent changes of metadata


def set_item_by_gdal(_report, store, synchronizer, array, name):
    with error_log() as log:
        dataset = update(store, synchronizer, array)
        for i in range(5):
            dataset.SetMetadataItem(f"{name}_{i}", "gdal")
            dataset.FlushCache()
        del dataset
    log.assert_quiet()


def set_item_by_zarr(_report, store, synchronizer, array, name):
    for i in range(5):
        zarr2.call("set_under_locks", str(store), str(synchronizer), array, f"{name}_{i}", "z")


@pytest.mark.slow
def test_processes_change_metadata_of_arrays_of_their_own(tmp_path):
    """Processes change attributes of different arrays without lock files. The consolidated metadata contains
    all changes at the end."""
    for attempt in range(2):
        store = tmp_path / f"{attempt}.zarr"
        group = zarr.open_group(str(store), mode="w")
        for i in range(WRITERS):
            group.create_dataset(f"a{i}", shape=(2, 2), dtype="i4")
        zarr.consolidate_metadata(str(store))
        run_at_once([(set_item_by_gdal, store, None, f"a{i}", f"n{i}") for i in range(WRITERS)])
        plain = zarr.open_group(str(store), mode="r")
        consolidated = zarr.open_consolidated(str(store), mode="r")
        for i in range(WRITERS):
            wanted = {f"n{i}_{k}": "gdal" for k in range(5)}
            assert wanted == plain[f"a{i}"].attrs.asdict()
            assert wanted == consolidated[f"a{i}"].attrs.asdict()


@zarr_formats.V2
@pytest.mark.slow
def test_processes_change_metadata_of_one_array_with_zarr_python(tmp_path):
    zarr2.require()
    change_under_lock_files(tmp_path, True)


@pytest.mark.slow
def test_processes_change_metadata_of_one_array_under_lock_files(tmp_path):
    change_under_lock_files(tmp_path, False)


def change_under_lock_files(folder, with_zarr):
    store, locks = make_store(folder), folder / "locks"
    works = [set_item_by_gdal, set_item_by_zarr if with_zarr else set_item_by_gdal]
    run_at_once([(works[i % 2], store, locks, "a", f"n{i}") for i in range(WRITERS)])
    found = zarr.open_group(str(store), mode="r")["a"].attrs.asdict()
    assert {name for name in found if name[0] == "n"} == {
        f"n{i}_{k}" for i in range(WRITERS) for k in range(5)
    }


def test_handles_change_metadata_of_one_array(tmp_path):
    """Two datasets change and delete attributes of one array. The stored attributes include the changes of both
    datasets."""
    store = make_store(tmp_path)
    array = zarr.open_group(str(store), mode="r+")["a"]
    array.attrs.update({"kept": 1, "changed": 2, "removed": 3, "mine": 4})
    one, two = update(store), update(store)
    one.SetMetadataItem("one", "1")
    one.SetMetadataItem("mine", None)
    two.SetMetadataItem("two", "2")
    two.GetRasterBand(1).SetScale(7)
    one = None
    del array
    array = zarr.open_group(str(store), mode="r+")["a"]
    array.attrs["changed"] = "by Python"
    del array.attrs["removed"]
    two = None
    found = zarr.open_group(str(store), mode="r")["a"].attrs.asdict()
    assert found == {"kept": 1, "changed": "by Python", "one": "1", "two": "2", "scale_factor": 7}
    assert zarr.open_consolidated(str(store), mode="r")["a"].attrs.asdict() == found
