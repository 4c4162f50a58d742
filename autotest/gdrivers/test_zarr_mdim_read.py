# SPDX-License-Identifier: MIT
"""Read-ahead, caching, statistics and errors of the multidimensional API."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import numcodecs
import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_store import handmade, make_array, make_store

pytestmark = zarr_formats.READERS

VALUES = np.arange(40 * 60, dtype="i4").reshape(40, 60)


def aged(store):
    """Sets the modification times of a store's files back. The driver does not trust recent modification times."""
    then = time.time() - 60
    for file in pathlib.Path(store).rglob("*"):
        os.utime(file, (then, then))
    return store


def remove_chunks(store):
    chunks = [f for f in pathlib.Path(store).rglob("*") if f.is_file() and f.name[0] != "." and f.name != "zarr.json"]
    for file in chunks:
        file.unlink()
    return len(chunks)


def numbers(folder, **options):
    return aged(make_array(folder, VALUES, chunks=(10, 20), fill_value=-7, **options))


@pytest.mark.parametrize("options", [[], ["NUM_THREADS=1"], ["NUM_THREADS=ALL_CPUS"],
                                     ["CACHE_SIZE=9600", "NUM_THREADS=3"]])  # fmt: skip
def test_advise_read(tmp_path, cpl, options):
    """AdviseRead() loads all chunks. Later reads succeed, although the test has removed the chunks from the store."""
    store = numbers(tmp_path)
    array = zarr_mdim.open_array(store)
    assert array.AdviseRead(options=options) == gdal.CE_None
    assert remove_chunks(store) == 12
    zarr_gdal.assert_same(array.ReadAsArray(), VALUES)
    zarr_gdal.assert_same(array.GetView("[::-3,5::7]").ReadAsArray(), VALUES[::-3, 5::7].copy())
    cpl.assert_quiet()


@zarr_formats.BOTH
def test_advise_read_of_a_part(tmp_path):
    """AdviseRead() loads only the chunks that overlap its window. The test then removes all chunks from the store.
    Chunks that AdviseRead() has not loaded read as the fill value."""
    store = numbers(tmp_path)
    array = zarr_mdim.open_array(store)
    assert array.AdviseRead([5, 20], [10, 20], ["CACHE_SIZE=1600"]) == gdal.CE_None
    remove_chunks(store)
    wanted = np.full_like(VALUES, -7)
    wanted[:20, 20:40] = VALUES[:20, 20:40]
    zarr_gdal.assert_same(array.ReadAsArray(), wanted)


@pytest.mark.parametrize("option, cause", [
    ("CACHE_SIZE=9599", "9600"), ("CACHE_SIZE=1", "CACHE_SIZE"), ("CACHE_SIZE=0", "CACHE_SIZE"),
    ("CACHE_SIZE=-1", "-1"), ("CACHE_SIZE=much", "much"), ("CACHE_SIZE=", "CACHE_SIZE"),
    ("CACHE_SIZE=1e9", "1e9"), ("NUM_THREADS=0", "NUM_THREADS"), ("NUM_THREADS=many", "many"),
])  # fmt: skip
def test_invalid_advice_is_an_error(tmp_path, cpl, option, cause):
    store = numbers(tmp_path)
    array = zarr_mdim.open_array(store)
    assert array.AdviseRead(options=[option]) != gdal.CE_None
    assert cause in cpl.the_error() and "array.zarr" in cpl.the_error()
    zarr_gdal.assert_same(array.ReadAsArray(), VALUES)
    assert len(cpl.errors) == 1


def test_advise_read_beyond_the_array(tmp_path, cpl):
    array = zarr_mdim.open_array(numbers(tmp_path))
    assert array.AdviseRead([30, 0], [11, 60]) != gdal.CE_None
    assert "arrayStartIdx[0] + (count[0]-1) * arrayStep[0] >= 40" in cpl.the_error()


def test_advise_read_of_a_corrupt_chunk(tmp_path, cpl):
    store = numbers(tmp_path)
    chunk = zarr_formats.chunk_file(store, "", 2, 1)
    chunk.write_bytes(b"junk")
    assert zarr_mdim.open_array(store).AdviseRead() != gdal.CE_None
    assert str(chunk.relative_to(store)) in cpl.the_error() and "array.zarr" in cpl.the_error()


def test_advise_read_of_strings(tmp_path, cpl):
    store = tmp_path / "names.zarr"
    names = zarr.open_array(str(store), mode="w", shape=(4, 6), chunks=(2, 3), dtype=str)
    names[...] = "Zürich"
    array = zarr_mdim.open_array(aged(store))
    assert array.AdviseRead() == gdal.CE_None
    remove_chunks(store)
    assert set(zarr_mdim.read(array)[""].ravel()) == {"Zürich".encode()}
    cpl.assert_quiet()


def test_advise_read_through_a_view(tmp_path):
    store = numbers(tmp_path)
    view = zarr_mdim.open_array(store).GetView("[5:,10:50]")
    assert view.AdviseRead() == gdal.CE_None
    remove_chunks(store)
    zarr_gdal.assert_same(view.ReadAsArray(), VALUES[5:, 10:50].copy())


@pytest.mark.parametrize("first", ["classic", "multidimensional"])
def test_both_apis_have_one_cache(tmp_path, first):
    """The classic and the multidimensional API share cached chunks. After one API has read all chunks, the test removes
    the chunks from the store. The other API still reads the values."""
    store = numbers(tmp_path)
    raster, array = open_raster(store), zarr_mdim.open_array(store)
    if first == "classic":
        zarr_gdal.assert_same(raster.ReadAsArray(buf_xsize=60, buf_ysize=40), VALUES)
        raster.GetRasterBand(1).ReadBlock(0, 0)
        remove_chunks(store)
        zarr_gdal.assert_same(array.ReadAsArray([0, 0], [10, 20]), VALUES[:10, :20].copy())
    else:
        assert array.AdviseRead() == gdal.CE_None
        remove_chunks(store)
        zarr_gdal.assert_same(raster.ReadAsArray(), VALUES)


def test_a_changed_store_is_read_again(tmp_path):
    """If a store is opened again after a change, its chunks are read from the store instead of the cache."""
    store = numbers(tmp_path)
    array = zarr_mdim.open_array(store)
    array.AdviseRead()
    zarr.open_array(str(store))[...] = VALUES + 1
    zarr_gdal.assert_same(zarr_mdim.open_array(store).ReadAsArray(), VALUES + 1)


# -------------------------------------------------------------------------------------------------
# Files that GDAL writes beside the store: Cache() and statistics


@zarr_formats.BOTH
def test_cache(tmp_path, cpl):
    """Cache() copies the array to the file <store>.gmac. Later reads take the values from this file."""
    store = numbers(tmp_path)
    array = zarr_mdim.open_array(store)
    assert array.Cache(["BLOCKSIZE=20,30"]), cpl.events
    del array
    assert (tmp_path / "array.zarr.gmac").exists()
    remove_chunks(store)
    zarr_gdal.assert_same(zarr_mdim.open_array(store).ReadAsArray(), VALUES)
    cpl.assert_quiet()


PROGRAM = """
import sys
sys.path.insert(0, {here!r})
import zarr_mdim, zarr_gdal
from osgeo import gdal, osr
gdal.DontUseExceptions()
store = sys.argv[1]
root = zarr_mdim.open_group(store)
array = root.OpenMDArrayFromFullname("/" + sys.argv[3])
if sys.argv[2] == "compute":
    found = array.ComputeStatistics()
elif sys.argv[2] == "set srs":
    found = None
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    assert array.SetSpatialRef(srs) == 0
elif sys.argv[2] == "srs":
    found = None
    datasets = [array, array.AsClassicDataset(1, 0)]
    print(*[d.GetSpatialRef() and d.GetSpatialRef().GetAuthorityCode(None) for d in datasets])
elif sys.argv[2] == "classic":
    found = None
    dataset = zarr_gdal.open_raster(zarr_gdal.array_name(store, sys.argv[3]))
    print(*dataset.GetRasterBand(1).GetStatistics(False, sys.argv[4] == "force")[:3])
else:
    found = array.GetStatistics(False, False)
if found is not None:
    print(found.min, found.max, found.valid_count)
"""


def in_another_process(store, what, path, *more):
    """Runs PROGRAM in a process of its own with PAM enabled, which is the default for users. Returns the
    words that it prints."""
    program = PROGRAM.format(here=str(pathlib.Path(__file__).parent))
    environment = {**os.environ, "GDAL_PAM_ENABLED": "YES"}
    done = subprocess.run([sys.executable, "-c", program, str(store), what, path, *more],
                          capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_statistics_are_kept(tmp_path):
    """Statistics are saved in the file pam.aux.xml inside of the store, as GDAL's built-in driver does."""
    values = VALUES.copy()
    values[3, 4] = -7
    store = make_store(tmp_path, {"a": {"values": values, "fill_value": -7}, "g/b": VALUES + 5,
                                  "c": VALUES})  # fmt: skip
    assert in_another_process(store, "get", "a") == []
    assert in_another_process(store, "compute", "a") == ["0.0", "2399.0", "2399"]
    assert (store / "pam.aux.xml").is_file()
    assert in_another_process(store, "get", "a") == ["0.0", "2399.0", "2399"]
    assert in_another_process(store, "get", "g/b") == [] and in_another_process(store, "get", "c") == []
    assert in_another_process(store, "compute", "g/b") == ["5.0", "2404.0", "2400"]
    assert in_another_process(store, "get", "a") == ["0.0", "2399.0", "2399"]
    assert in_another_process(store, "get", "g/b") == ["5.0", "2404.0", "2400"]
    zarr_gdal.assert_same(zarr_mdim.open_array(store, "a").ReadAsArray(), values)
    assert sorted(zarr.open_group(str(store), mode="r").array_keys()) == ["a", "c"]


@pytest.mark.slow
def test_statistics_of_both_apis_live_together(tmp_path):
    store = make_store(tmp_path, {"a": VALUES, "b": VALUES})
    classic = in_another_process(store, "classic", "a", "force")
    assert classic == ["0.0", "2399.0", "1199.5"]
    assert in_another_process(store, "compute", "a") == ["0.0", "2399.0", "2400"]
    assert in_another_process(store, "classic", "a", "no") == classic
    assert in_another_process(store, "compute", "b") == ["0.0", "2399.0", "2400"]
    assert in_another_process(store, "classic", "a", "no") == classic
    assert in_another_process(store, "get", "a") == ["0.0", "2399.0", "2400"]


@pytest.mark.slow
def test_a_crs_that_a_user_adds_is_kept(tmp_path):
    store = make_store(tmp_path, {"a": VALUES, "b": VALUES})
    assert in_another_process(store, "srs", "a") == ["None", "None"]
    in_another_process(store, "set srs", "a")
    assert in_another_process(store, "srs", "a") == ["32633", "32633"]
    assert in_another_process(store, "srs", "b") == ["None", "None"]


# -------------------------------------------------------------------------------------------------
# Reads that fail


def test_a_corrupt_chunk(tmp_path, cpl):
    store = numbers(tmp_path)
    chunk = zarr_formats.chunk_file(store, "", 3, 2)
    chunk.write_bytes(b"junk")
    array = zarr_mdim.open_array(store)
    assert zarr_mdim.read(array) is None
    error = cpl.the_error()
    assert "array.zarr" in error and str(chunk.relative_to(store)) in error
    cpl.clear()
    zarr_gdal.assert_same(array.GetView("[:30,:]").ReadAsArray(), VALUES[:30])
    cpl.assert_quiet()
    assert array.GetStatistics(False, True) is None
    assert cpl.errors != []


@zarr_formats.BOTH
@pytest.mark.parametrize("threads", [1, 4])
def test_strings_that_fail_midway(tmp_path, cpl, threads):
    """If one chunk of strings is truncated, reading gives an error. The strings of other chunks are freed, so memory
    does not grow with the number of reads."""
    store = tmp_path / "names.zarr"
    names = zarr.open_array(str(store), mode="w", shape=(40, 100), chunks=(10, 100), dtype=str,
                            compressor=None)  # fmt: skip
    names[...] = "x" * 1000
    chunk = zarr_formats.chunk_file(store, "", 3, 0)
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[: len(whole) // 2])
    root = zarr_mdim.open_group(store, f"NUM_THREADS={threads}")
    array = root.OpenMDArray("names")
    before = None
    # AddressSanitizer keeps up to 256 megabytes of freed memory, so the limit is larger.
    sanitized = "asan" in os.environ.get("LD_PRELOAD", "")
    attempts, limit = (210, 350e6) if sanitized else (60, 60e6)
    for attempt in range(attempts):
        assert zarr_mdim.read(array) is None
        assert str(chunk.relative_to(store)) in cpl.the_error()
        cpl.clear()
        if attempt == 10:
            before = _resident_bytes()
    if before is not None:  # a leak would add three megabytes per attempt
        assert _resident_bytes() - before < limit
    assert set(zarr_mdim.read(array, [0, 0], [30, 100])[""].ravel()) == {b"x" * 1000}


def _resident_bytes():
    try:
        text = pathlib.Path("/proc/self/statm").read_text()
    except OSError:
        return 0
    return int(text.split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_failed_read_leaves_null_strings(tmp_path, cpl):
    """After a failed read, all strings in structures are null."""
    values = np.array([(1, b"ab"), (2, b"cd"), (3, b"ef"), (4, b"gh")], [("n", "i4"), ("s", "S2")])
    store = make_array(tmp_path, values, chunks=2, compressor=numcodecs.Zlib())
    zarr_formats.chunk_file(store, "", 1).write_bytes(b"junk")
    array = zarr_mdim.open_array(store)
    buffer = zarr_mdim.read_into(array, [4], [1])
    assert buffer.is_read is False
    taken = buffer.take()
    assert taken["s"].tolist() == [None] * 4
    assert "array.zarr" in cpl.the_error()


def test_absent_chunks(tmp_path, cpl):
    """Absent chunks read as the fill value. This includes arrays of strings."""
    handmade(tmp_path / "a.zarr", fill_value=9, files={})
    assert zarr_mdim.open_array(tmp_path / "a.zarr").ReadAsArray().tolist() == [[9] * 6] * 4
    store = tmp_path / "names.zarr"
    zarr.open_array(str(store), mode="w", shape=(3,), dtype="U4", fill_value="höhe")
    array = zarr_mdim.open_array(store)
    assert zarr_mdim.read(array)[""].tolist() == ["höhe".encode()] * 3
    assert zarr_mdim.raw_nodata(array) == {"": "höhe".encode()}
    assert array.GetNoDataValueAsString() == "höhe"
    cpl.assert_quiet()


def test_many_threads_read_one_array(tmp_path):
    array = zarr_mdim.open_array(numbers(tmp_path))

    def task(i):
        start, count = [i % 7, i % 11], [25 + i % 8, 30 + i % 19]
        got = zarr_mdim.read(array, start, count)
        wanted = VALUES[start[0] : start[0] + count[0], start[1] : start[1] + count[1]]
        return zarr_gdal.differences(got[""], wanted)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(task, range(300))) == {None}


def test_array_name_of_the_classic_api_reads_the_same(tmp_path):
    store = make_store(tmp_path, {"g/a": VALUES, "b": VALUES})
    name = array_name(store, "g/a")
    zarr_gdal.assert_same(zarr_mdim.open_array(name).ReadAsArray(), VALUES)
    zarr_gdal.assert_same(open_raster(name).ReadAsArray(), VALUES)
