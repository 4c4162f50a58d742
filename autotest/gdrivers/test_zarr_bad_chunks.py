# SPDX-License-Identifier: MIT
"""A bad chunk makes a read fail with one error, which names the store, the chunk and the cause. The other chunks can
still be read. An absent chunk gives no error, but a chunk without read permission gives one. test_zarr_v3_shards_bad.py
tests the errors of codecs in Zarr v3."""

import bz2
import gzip
import lzma
import os
import re
import zlib

import numcodecs
import numpy as np
import pytest
import zarr_corrupt
import zarr_formats
import zarr_gdal
from numcodecs.checksum32 import CRC32, Adler32
from osgeo import gdal
from zarr_child import attempt, attempts
from zarr_gdal import array_name, open_raster
from zarr_store import good_values, handmade, make_array

pytestmark = pytest.mark.every_case

CHUNK = np.ascontiguousarray(good_values()[2:, :3])  # values of the chunk with the key 1.0
CODECS = {
    "blosc": numcodecs.Blosc("lz4", 5, 1), "blosc-zstd": numcodecs.Blosc("zstd", 5, 2),
    "zlib": numcodecs.Zlib(1), "gzip": numcodecs.GZip(1), "bz2": numcodecs.BZ2(1),
    "lzma": numcodecs.LZMA(), "lzma-alone": numcodecs.LZMA(lzma.FORMAT_ALONE),
    "zstd": numcodecs.Zstd(1), "lz4": numcodecs.LZ4(),
}  # fmt: skip
CHECKSUMS = {"crc32": CRC32(), "adler32": Adler32()}


def damaged(folder, data, compressor=None, filters=None):
    """Makes a store whose chunk [1, 0] consists of the bytes `data`. The other three chunks are valid."""
    store = make_array(
        folder, good_values(), "bad.zarr", chunks=(2, 3), compressor=compressor, filters=filters
    )
    zarr_formats.chunk_file(store, "", 1, 0).write_bytes(data)
    return store


def assert_chunk_fails(store, pattern=""):
    assert_chunks_fail([(store, pattern)])


def assert_chunks_fail(stores):
    """Asserts for each (store, pattern) of `stores` that reading chunk [1, 0] of the store fails with one error, which
    matches the pattern. The other chunks must be readable."""
    for (store, pattern), outcome in zip(stores, attempts([store for store, _ in stores])):
        key = zarr_formats.chunk_key(store, "", 1, 0)
        assert outcome.opened, outcome
        assert not outcome.read, outcome
        assert len(outcome.errors) == 1, outcome
        error = outcome.errors[0]
        assert "bad.zarr" in error and key in error and re.search(pattern, error), error
        assert_the_others_read(store, key)


def assert_the_others_read(store, key):
    dataset = open_raster(store)
    zarr_gdal.assert_same(dataset.ReadAsArray(0, 0, 6, 2), good_values()[:2])
    zarr_gdal.assert_same(dataset.ReadAsArray(3, 2, 3, 2), good_values()[2:, 3:])
    for read in (dataset.ReadAsArray, dataset.ReadRaster, dataset.GetRasterBand(1).ReadRaster,
                 lambda: dataset.GetRasterBand(1).ReadBlock(0, 1),
                 lambda: dataset.ReadRaster(buf_xsize=3, buf_ysize=2),
                 lambda: dataset.ReadAsArray(0, 3, 1, 1)):  # fmt: skip
        with zarr_gdal.error_log() as log:
            assert read() is None
        assert log.errors and key in log.errors[0], log.events


@zarr_formats.BOTH
def test_wrong_length_of_a_raw_chunk(tmp_path):
    assert_chunks_fail([(damaged(tmp_path / str(size), bytes(size)), "") for size in (0, 1, 11, 13, 24)])


@pytest.mark.parametrize("name", CODECS)
def test_truncated_chunk(tmp_path, name):
    encoded, stores = bytes(CODECS[name].encode(CHUNK)), []
    for keep in (0, 1, len(encoded) // 2, len(encoded) - 1):
        store = damaged(tmp_path / str(keep), encoded[:keep], CODECS[name])
        stores.append((store, name.split("-", maxsplit=1)[0] if keep else ""))
    assert_chunks_fail(stores)


@pytest.mark.parametrize("name", CODECS)
def test_chunk_that_decodes_to_the_wrong_length(tmp_path, name):
    stores = []
    for count in (0, 1, 5, 7, 600):
        encoded = bytes(CODECS[name].encode(np.arange(count, dtype="<i2")))
        stores.append((damaged(tmp_path / str(count), encoded, CODECS[name]), ""))
    assert_chunks_fail(stores)


@pytest.mark.parametrize("name", CODECS)
def test_random_bytes_in_a_chunk(tmp_path, name):
    rng = np.random.default_rng(1)
    stores = [damaged(tmp_path / str(size), rng.bytes(size), CODECS[name]) for size in (3, 16, 17, 100, 5000)]
    assert_chunks_fail([(store, "") for store in stores])


@pytest.mark.parametrize("name", [name for name in CODECS if name != "lz4"])
def test_flipped_bits_never_crash(tmp_path, name):
    """A flipped bit in a chunk gives an error or wrong pixels, never a crash."""
    values = np.arange(400, dtype="<i2").reshape(20, 20)
    store = make_array(tmp_path, values, "bad.zarr", chunks=(20, 20), compressor=CODECS[name])
    sound = (store / "0.0").read_bytes()
    rng = np.random.default_rng(2)
    for _ in range(60):
        data = bytearray(sound)
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        (store / "0.0").write_bytes(bytes(data))
        with zarr_gdal.error_log() as log:
            got = gdal.Open(str(store)).ReadAsArray()
        assert (got is None) == bool(log.errors), log.events


BOMBS = {
    "zlib": lambda n: zlib.compress(bytes(n)),
    "gzip": lambda n: gzip.compress(bytes(n)),
    "bz2": lambda n: bz2.compress(bytes(n)),
    "lzma": lambda n: lzma.compress(bytes(n), preset=0),
    "zstd": lambda n: bytes(numcodecs.Zstd(1).encode(bytes(n))),
    "lz4": lambda n: bytes(numcodecs.LZ4().encode(bytes(n))),
    "blosc": lambda n: bytes(numcodecs.Blosc("zstd").encode(bytes(n))),
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.slow
def test_decompression_bombs(tmp_path, name):
    """A small chunk that would decode to 64 MiB gives an error. The driver stops decoding before that size
    is reached."""
    assert_chunk_fails(damaged(tmp_path, BOMBS[name](1 << 26), CODECS[name]))


def test_sizes_that_lie(tmp_path):
    """The header of a chunk falsely states a size of up to 4 GiB. The driver gives an error and does not allocate this
    size."""
    blosc = bytearray(CODECS["blosc"].encode(CHUNK))
    blosc[4:8] = (0x7FFFFFFF).to_bytes(4, "little")
    stores = [damaged(tmp_path / "a", bytes(blosc), CODECS["blosc"])]
    lz4 = bytearray(CODECS["lz4"].encode(CHUNK))
    for size in (0x7FFFFFFF, 0xFFFFFFFF):
        lz4[:4] = size.to_bytes(4, "little")
        stores.append(damaged(tmp_path / str(size), bytes(lz4), CODECS["lz4"]))
    assert_chunks_fail([(store, "") for store in stores])


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksum_mismatch(tmp_path, name):
    stores = [(damaged(tmp_path / "short", b"abc", None, [CHECKSUMS[name]]), "")]
    for at in (0, 3, 4, -1):
        data = bytearray(CHECKSUMS[name].encode(CHUNK))
        data[at] ^= 1
        store = damaged(tmp_path / str(at), bytes(data), None, [CHECKSUMS[name]])
        stores.append((store, f"{name}|checksum"))
    assert_chunks_fail(stores)


@zarr_formats.BOTH
def test_one_error_for_many_bad_chunks(tmp_path):
    options = {"chunks": (4, 4), "compressor": CODECS["zlib"]}
    store = make_array(tmp_path, np.zeros((64, 64), "u1"), "bad.zarr", **options)
    keys = zarr_formats.chunk_keys(store)
    assert len(keys) == 256
    for key in keys:
        zarr_formats.chunk_file(store, "", *map(int, key.split("."))).write_bytes(b"no zlib")
    for options in ([], ["NUM_THREADS=1"], ["NUM_THREADS=8"]):
        with zarr_gdal.error_log() as log:
            dataset = gdal.OpenEx(str(store), gdal.OF_RASTER, open_options=options)
            assert dataset.ReadAsArray() is None
        assert len(log.errors) == 1, log.events


@zarr_formats.BOTH
def test_absent_chunk_is_no_error(tmp_path, cpl):
    folder = handmade(tmp_path / "a.zarr", fill_value=-5)
    zarr_formats.chunk_file(folder, "", 1, 0).unlink()
    values = good_values()
    values[2:, :3] = -5
    zarr_gdal.assert_same(open_raster(folder).ReadAsArray(), values)
    cpl.assert_quiet()


@zarr_formats.BOTH
def test_a_folder_in_place_of_a_chunk(tmp_path):
    folder = handmade(tmp_path / "bad.zarr", fill_value=-5)
    chunk = zarr_formats.chunk_file(folder, "", 1, 0)
    chunk.unlink()
    chunk.mkdir()
    assert_chunk_fails(folder)


@zarr_formats.BOTH
def test_a_chunk_that_may_not_be_read(public_folder):
    store = handmade(public_folder / "bad.zarr", fill_value=-5)
    assert attempt(store, as_nobody=True).read
    key = zarr_formats.chunk_key(store, "", 1, 0)
    os.chmod(store / key, 0)
    outcome = attempt(store, as_nobody=True)
    assert outcome.opened and not outcome.read, outcome
    assert len(outcome.errors) == 1 and key in outcome.errors[0], outcome
    assert re.search("denied|permission|access", outcome.errors[0], re.IGNORECASE), outcome


def without_permission(folder, key):
    """Removes the read permission of the metadata document `key`. Asserts that opening the store gives one error or
    warning that names the document. Returns the outcome of attempt()."""
    store = handmade(folder / "bad.zarr", attrs={"units": "m"})
    document = zarr_formats.document_file(store, key)
    os.chmod(document, 0)
    outcome = attempt(store, as_nobody=True)
    events = outcome.errors + outcome.warnings
    assert len(events) == 1 and document.name in events[0], outcome
    assert re.search("denied|permission|access", events[0], re.IGNORECASE), outcome
    return outcome


@zarr_formats.BOTH
def test_metadata_that_may_not_be_read(public_folder):
    assert not without_permission(public_folder, ".zarray").opened


def test_attributes_that_may_not_be_read(public_folder):
    without_permission(public_folder, ".zattrs")


@zarr_formats.BOTH
def test_a_folder_of_chunks_that_may_not_be_entered(public_folder):
    """If the permissions of a folder of nested chunk keys forbid entering it, reading fails. The chunks in the folder
    do not count as absent."""
    store = handmade(public_folder / "bad.zarr", fill_value=-5, dimension_separator="/",
                     files={f"{i}/{j}": bytes(12) for i in (0, 1) for j in (0, 1)})  # fmt: skip
    assert attempt(store, as_nobody=True).read
    os.chmod(zarr_formats.chunk_file(store, "", 1, 0).parent, 0)
    outcome = attempt(store, as_nobody=True)
    assert outcome.opened and not outcome.read and len(outcome.errors) == 1, outcome


# store of zarr_corrupt -> (operation that fails, pattern of the error)
CORRUPT = {
    "bad_json": ("open", "elevation/.zarray"), "nested_array_json": ("open", "elevation/.zarray"),
    "missing_dtype": ("open", "dtype"), "wrong_type_shape": ("open", "shape"),
    "wrong_type_compressor": ("open", "compressor"), "zero_chunk": ("open", r"chunks\[0\]"),
    "negative_chunk": ("open", r"chunks\[0\]"), "overflow_shape": ("open", "elevation/.zarray"),
    "unknown_dtype": ("open", "<q9"), "unknown_codec": ("open", "middle-out"),
    "unknown_filter": ("open", "pickle"), "truncated_chunk": ("read", "zlib"),
    "empty_chunk": ("read", ""), "oversized_chunk": ("read", "32"), "short_chunk": ("read", "30"),
    "wrong_checksum": ("read", "crc32|checksum"), "bomb_chunk": ("read", "32"),
    "key_with_dots": ("keys", r"\.\."), "nested_json": ("attributes", "elevation/.zattrs"),
}  # fmt: skip


def test_every_corrupt_store_is_listed():
    assert set(zarr_corrupt.STORES) == set(CORRUPT)


@pytest.mark.parametrize("name", CORRUPT)
def test_corrupt_stores(tmp_path, name):
    where, pattern = CORRUPT[name]
    store = zarr_corrupt.make(tmp_path, name)
    outcome = attempt(array_name(store, "elevation"), values=True)
    events = outcome.errors + outcome.warnings
    assert len(events) == 1, outcome
    assert f"{name}.zarr" in events[0] and re.search(pattern, events[0]), events
    if where == "open":
        assert not outcome.opened
    elif where == "read":
        assert outcome.opened and not outcome.read and "1.0" in events[0]
        wanted = np.arange(64, dtype="i2").reshape(8, 8)
        dataset = open_raster(array_name(store, "elevation"))
        zarr_gdal.assert_same(dataset.ReadAsArray(0, 0, 8, 4), wanted[:4])
        zarr_gdal.assert_same(dataset.ReadAsArray(4, 4, 4, 4), wanted[4:, 4:])
    elif outcome.opened:
        assert outcome.values == [np.arange(64).reshape(8, 8).tolist()]


@zarr_formats.BOTH
def test_a_dangling_link_in_place_of_a_chunk_is_an_error(tmp_path, cpl):
    """A dangling link in place of a chunk gives an error, unlike an absent chunk. git-annex and DVC leave such
    links in place of files that were not fetched."""
    store = handmade(tmp_path / "a.zarr")
    chunk = zarr_formats.chunk_file(store, "", 0, 0)
    chunk.unlink()
    assert open_raster(store).ReadAsArray(0, 0, 3, 2) is not None
    cpl.assert_quiet()
    chunk.symlink_to(tmp_path / "not" / "fetched")
    assert open_raster(store).ReadAsArray(0, 0, 3, 2) is None
    key = chunk.relative_to(store).as_posix()
    assert f"{key}: exists, but cannot be opened" in cpl.the_error()
