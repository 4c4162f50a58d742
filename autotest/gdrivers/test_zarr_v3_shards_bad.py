# SPDX-License-Identifier: MIT
"""Shards with a wrong index, and shards with damaged chunks. Reading such a chunk fails with one error that names the
store, the key and the chunk. All other chunks can be read.

Each read runs in a process with little memory."""

import gzip
import re
import struct

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr_gdal
from zarr3 import CRC32C, LITTLE, codec, document, shard_of, sharding, zstd
from zarr_child import attempt, attempts

pytestmark = pytest.mark.every_case

EMPTY = 2**64 - 1
VALUES = np.arange(8 * 12, dtype="i2").reshape(8, 12)
SHARD, CHUNK = (4, 6), (2, 3)
KEY = "c/1/0"  # key of the damaged shard
BAD = (slice(4, 6), slice(0, 3))  # window of the damaged chunk [2, 0], the first chunk of the shard
ENTRIES = 4


def metadata(index=(LITTLE,), location="end", chain=(LITTLE,)):
    return document(
        (8, 12), "int16", SHARD, [sharding(CHUNK, chain, index, index_location=location)], -1
    )


def encoded_chunks(row, column, encode=bytes):
    """Returns the encoded chunks of the shard c/row/column, as a list."""
    part = VALUES[4 * row : 4 * row + 4, 6 * column : 6 * column + 6]
    return [
        encode(part[i : i + 2, j : j + 3].astype("<i2").tobytes()) for i in (0, 2) for j in (0, 3)
    ]


def make(folder, data, document=None, encode=bytes, **options):
    """Writes a store. Its shard KEY has the bytes `data`, or is valid if `data` is None. Returns the store."""
    files = {
        f"c/{row}/{column}": shard_of(encoded_chunks(row, column, encode), **options)
        for row in (0, 1) for column in (0, 1)
    }  # fmt: skip
    if data is not None:
        files[KEY] = data
    return zarr3.handmade(folder / "bad.zarr", document or metadata(), files)


def assert_chunk_fails(store, pattern, where=BAD):
    assert_chunks_fail([store], pattern, where)


def assert_chunks_fail(stores, pattern, where=BAD):
    """Asserts for each store that reading the window `where` fails with one error that matches `pattern`. All pixels
    outside of the window must be readable."""
    for store, outcome in zip(stores, attempts(stores)):
        assert outcome.opened and not outcome.read, outcome
        assert len(outcome.errors) == 1, outcome.errors
        error = outcome.errors[0]
        assert str(store) in error and KEY in error, error
        assert re.search(pattern, error, re.IGNORECASE), error
        assert len(error) < 2000
        assert_the_others_read(store, where)


def assert_the_others_read(store, where):
    dataset = zarr_gdal.open_raster(store)
    for row in range(0, 8, 2):
        for column in range(0, 12, 3):
            part = (slice(row, row + 2), slice(column, column + 3))
            if VALUES[part][0, 0] in VALUES[where]:
                continue
            got = dataset.ReadAsArray(column, row, 3, 2)
            zarr_gdal.assert_same(got, VALUES[part], str((row, column)))


# name -> function that changes the index entry (offset, size) of the shard's first chunk
LIES = {
    "beyond the end": lambda offset, size: (10**6, size),
    "across the end": lambda offset, size: (offset, 10**6),
    "far beyond the end": lambda offset, size: (2**62, size),
    "huge": lambda offset, size: (offset, 2**62),
    "sum that overflows": lambda offset, size: (2**64 - 8, 16),
    "offset is empty": lambda offset, size: (EMPTY, size),
    "size is empty": lambda offset, size: (offset, EMPTY),
    "almost empty": lambda offset, size: (EMPTY - 1, EMPTY - 1),
    "too short": lambda offset, size: (offset, size - 1),
    "too long": lambda offset, size: (offset, size + 1),
    "nothing": lambda offset, size: (offset, 0),
}


@pytest.mark.parametrize("start", [False, True])
def test_wrong_entries(tmp_path, start):
    document = metadata(location="start" if start else "end")
    stores = []
    for lie, entry in LIES.items():
        data = shard_of(encoded_chunks(1, 0), {0: entry}, start)
        stores.append(make(tmp_path / lie, data, document, start=start))
    assert_chunks_fail(stores, r"chunk \[2, 0\]")


def test_wrong_entries_under_a_checksum(tmp_path):
    """Wrong index entries are errors, even if the index has a correct checksum."""
    encode = lambda data: gzip.compress(data, mtime=0)  # noqa: E731
    document = metadata((LITTLE, CRC32C), chain=(LITTLE, zarr3.gzip()))
    stores = {}
    for lie, entry in LIES.items():
        data = shard_of(encoded_chunks(1, 0, encode), {0: entry}, checksum=True)
        stores[lie] = make(tmp_path / lie, data, document, encode, checksum=True)
    # The case "too long" adds one byte after the gzip stream. A reader may ignore this byte or report an error.
    outcome = attempt(stores.pop("too long"))
    assert outcome.opened and (outcome.read or len(outcome.errors) == 1), outcome
    assert_chunks_fail(list(stores.values()), r"chunk \[2, 0\]")


def test_an_entry_in_another_chunk(tmp_path, cpl):
    """Two index entries may refer to the same bytes, as the specification allows. The two chunks then have
    equal values."""
    data = shard_of(encoded_chunks(1, 0), {0: lambda offset, size: (12, size)})
    store = make(tmp_path, data)
    wanted = VALUES.copy()
    wanted[4:6, :3] = VALUES[4:6, 3:6]
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), wanted)
    cpl.assert_quiet()


def test_overlap(tmp_path):
    """Reading fails if an index entry begins in one chunk and ends in the next."""
    encode = lambda data: gzip.compress(data, mtime=0)  # noqa: E731
    data = shard_of(encoded_chunks(1, 0, encode), {0: lambda offset, size: (offset + 3, size)})
    store = make(tmp_path, data, metadata(chain=(LITTLE, zarr3.gzip())), encode)
    assert_chunk_fails(store, r"chunk \[2, 0\]")


def test_an_entry_in_the_index(tmp_path):
    """An index entry refers to the bytes of the index itself. The chunk is read, or refused with one error."""
    data = shard_of(encoded_chunks(1, 0), {0: lambda offset, size: (48, size)})
    outcome = attempt(make(tmp_path, data))
    assert outcome.opened and (outcome.read or len(outcome.errors) == 1), outcome


def test_unused_bytes_are_allowed(tmp_path, cpl):
    """A shard with unused bytes between chunks, and with chunks in another order, is read correctly."""
    first, second, third, fourth = encoded_chunks(1, 0)
    body = b"xx" + fourth + b"yyy" + second + third + b"z" + first
    pairs = [(2 + 12 + 3 + 24 + 1, 12), (17, 12), (29, 12), (2, 12)]
    index = b"".join(struct.pack("<2Q", *pair) for pair in pairs)
    store = make(tmp_path, body + index)
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), VALUES)
    cpl.assert_quiet()


def test_empty_chunks_are_the_fill_value(tmp_path, cpl):
    data = shard_of(encoded_chunks(1, 0), {0: (EMPTY, EMPTY)})
    store = make(tmp_path, data)
    wanted = VALUES.copy()
    wanted[BAD] = -1
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), wanted)
    cpl.assert_quiet()


WHOLE = (slice(4, 8), slice(0, 6))


@pytest.mark.parametrize("start", [False, True])
def test_shards_too_short_for_their_index(tmp_path, start):
    document = metadata((LITTLE, CRC32C), "start" if start else "end")
    data = shard_of(encoded_chunks(1, 0), None, start, True)
    stores = [make(tmp_path / str(size), data[:size], document, start=start, checksum=True)
              for size in (0, 1, 15, 16, 63, 67)]  # fmt: skip
    assert_chunks_fail(stores, "index|shard", WHOLE)


@pytest.mark.parametrize("start", [False, True])
def test_an_index_with_another_checksum(tmp_path, start):
    document = metadata((LITTLE, CRC32C), "start" if start else "end")
    data = bytearray(shard_of(encoded_chunks(1, 0), None, start, True))
    data[0 if start else -20] ^= 1
    store = make(tmp_path, bytes(data), document, start=start, checksum=True)
    assert_chunk_fails(store, "crc32c|checksum", WHOLE)


def test_a_shard_that_was_cut_off(tmp_path):
    """In a truncated shard, only the truncated chunk cannot be read. The index is at the start of the shard."""
    data = shard_of(encoded_chunks(1, 0), None, True)
    store = make(tmp_path, data[:-5], metadata(location="start"), start=True)
    assert_chunk_fails(store, r"chunk \[3, 1\]", (slice(6, 8), slice(3, 6)))


CODECS = {
    "gzip": ([LITTLE, zarr3.gzip()], lambda data: gzip.compress(data)[:-9], "gzip"),
    "no gzip": ([LITTLE, zarr3.gzip()], lambda data: b"\0" * 20, "gzip"),
    "zstd": ([LITTLE, zstd()], lambda data: b"\x28\xb5\x2f\xfd\xff\xff", "zstd"),
    "blosc": ([LITTLE, zarr3.blosc()], lambda data: b"\2\1\0\0" + b"\xff" * 16, "blosc"),
    "crc32c": ([LITTLE, CRC32C], lambda data: data + b"\1\2\3\4", "crc32c|checksum"),
    "crc32c of nothing": ([LITTLE, CRC32C], lambda data: b"\1\2", "crc32c"),
    "too few bytes": ([LITTLE], lambda data: data[:-1], "11|bytes|size"),
    "too many bytes": ([LITTLE], lambda data: data + b"\0", "13|bytes|size"),
    "packbits": ([codec("packbits", padding_encoding="first_byte")], lambda data: b"\7" + data, "packbits"),
}  # fmt: skip


def damaged_data(case):
    return CODECS[case][1](VALUES[4:6, :3].astype("<i2").tobytes())


def assert_damaged(stores, key):
    """Asserts for each store that reading it gives one error, which names the damaged chunk [2, 0]. Pixels of all other
    chunks must be -1, the fill value. `stores` maps a case of CODECS to its store."""
    for (case, store), outcome in zip(stores.items(), attempts(stores.values())):
        assert outcome.opened and not outcome.read and len(outcome.errors) == 1, outcome
        error = outcome.errors[0]
        assert f"{store}: {key}: chunk [2, 0]" in error and re.search(CODECS[case][2], error), error
        dataset = zarr_gdal.open_raster(store)
        assert np.unique(dataset.ReadAsArray(3, 0, 9, 8)).tolist() == [-1]


def test_damaged_chunks(tmp_path):
    stores = {}
    for case, (chain, *_) in CODECS.items():
        metadata = document((8, 12), "int16", CHUNK, chain, -1)
        stores[case] = zarr3.handmade(tmp_path / case / "bad.zarr", metadata, {"c/2/0": damaged_data(case)})
    assert_damaged(stores, "c/2/0")


def test_damaged_chunks_of_shards(tmp_path):
    stores = {}
    for case, (chain, *_) in CODECS.items():
        data = damaged_data(case)
        pairs = [(0, len(data)), (EMPTY, EMPTY), (EMPTY, EMPTY), (EMPTY, EMPTY)]
        shard = data + b"".join(struct.pack("<2Q", *pair) for pair in pairs)
        stores[case] = zarr3.handmade(tmp_path / case / "bad.zarr", metadata(chain=chain), {KEY: shard})
    assert_damaged(stores, KEY)


def test_the_index_of_shards_in_shards(tmp_path):
    inner = sharding((1, 3), [LITTLE], [LITTLE])
    document_ = document((2, 6), "int16", (2, 6), [sharding((2, 3), [inner], [LITTLE])], -1)
    parts = [struct.pack("<3h", *row) for row in ((1, 2, 3), (4, 5, 6))]
    good = b"".join(parts) + struct.pack("<4Q", 0, 6, 6, 6)
    bad = b"".join(parts) + struct.pack("<4Q", 0, 6, 100, 6)
    shard = good + bad + struct.pack("<4Q", 0, len(good), len(good), len(bad))
    zarr3.handmade(tmp_path / "bad.zarr", document_, {"c/0/0": shard})
    outcome = attempt(tmp_path / "bad.zarr")
    assert outcome.opened and not outcome.read and len(outcome.errors) == 1, outcome
    assert "c/0/0" in outcome.errors[0] and "chunk [1, 1]" in outcome.errors[0]
    dataset = zarr_gdal.open_raster(tmp_path / "bad.zarr")
    assert dataset.ReadAsArray(0, 0, 3, 2).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert dataset.ReadAsArray(3, 0, 3, 1).tolist() == [[1, 2, 3]]


def test_zarr_python_refuses_wrong_entries_too(tmp_path):
    """zarr-python reads valid shards that make() writes, and refuses shards with wrong index entries, as the driver
    does."""
    well = zarr3_arrays.read(make(tmp_path / "well", None))
    checked = zarr3_arrays.read(make(tmp_path / "sum", None, metadata((LITTLE, CRC32C)), checksum=True))
    at_start = zarr3_arrays.read(make(tmp_path / "start", None, metadata(location="start"), start=True))
    lies = [
        zarr3_arrays.read(make(tmp_path / f"lie{i}", shard_of(encoded_chunks(1, 0), {0: LIES[lie]})), may_fail=True)
        for i, lie in enumerate(("too short", "beyond the end"))
    ]  # fmt: skip
    for array in (well, checked, at_start):
        zarr_gdal.assert_same(array.values, VALUES)
    assert all(array.error for array in lies), [array.error for array in lies]
