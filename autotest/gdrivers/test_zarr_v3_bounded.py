# SPDX-License-Identifier: MIT
"""Zarr v3 stores whose metadata demands too much memory. The driver refuses each store with an error that names the
item that is too large. The tests run in a process with little memory."""

import gzip
import json
import re
import struct
import subprocess
import sys

import pytest
import zarr3
import zarr_edit
from zarr3 import LITTLE, document, sharding
from zarr_child import SECONDS, attempt

EMPTY = 2**64 - 1


def refused(store, pattern):
    """Asserts that reading the store fails with one error that matches the pattern. Opening may succeed."""
    outcome = attempt(store)
    assert not outcome.read, outcome
    assert len(outcome.errors) == 1, outcome.errors
    assert re.search(pattern, outcome.errors[0]), outcome.errors[0]
    assert len(outcome.errors[0]) < 2000


def test_a_chunk_of_a_million_million_bytes(tmp_path):
    metadata = document((10**6, 10**6), "uint8", (10**6, 10**6), [LITTLE], 0)
    store = zarr3.handmade(tmp_path / "bomb.zarr", metadata, {"c/0/0": b"x"})
    refused(store, "ZARR_MAX_CHUNK_SIZE")


def test_an_index_of_a_million_million_chunks(tmp_path):
    """The array's metadata demands a shard index of 16 TB, but the stored shard has 64 bytes. Reading fails."""
    metadata = document((10**6, 10**6), "uint8", (10**6, 10**6), [sharding((1, 1))], 0)
    store = zarr3.handmade(tmp_path / "bomb.zarr", metadata, {"c/0/0": b"x" * 64})
    refused(store, "1000000000000 chunks.*index of 16000000000000.*ZARR_MAX_CHUNK_SIZE")


def test_an_inner_index_of_a_million_million_chunks(tmp_path):
    inner = sharding((1, 1))
    metadata = document(
        (2 * 10**6, 10**6), "uint8", (2 * 10**6, 10**6), [sharding((10**6, 10**6), [inner])], 0
    )
    store = zarr3.handmade(tmp_path / "bomb.zarr", metadata, {"c/0/0": b"x" * 64})
    refused(store, "1000000000000 chunks.*ZARR_MAX_CHUNK_SIZE")


@pytest.mark.parametrize("of", ["inner chunks", "chunks", "the whole shard"])
@pytest.mark.slow
def test_gzip_bombs(tmp_path, of):
    """Compressed data decodes to 256 MB, although the metadata demands a few bytes. Reading fails without
    decoding all of it."""
    bomb = gzip.compress(bytes(1 << 28), 1, mtime=0)
    chain = [LITTLE, zarr3.gzip()]
    if of == "chunks":
        metadata, data = document((2, 3), "uint8", (2, 3), chain, 0), bomb
    elif of == "inner chunks":
        metadata = document((4, 3), "uint8", (4, 3), [sharding((2, 3), chain, [LITTLE])], 0)
        data = bomb + struct.pack("<4Q", 0, len(bomb), EMPTY, EMPTY)
    else:
        inner = sharding((2, 3), [LITTLE], [LITTLE])
        metadata = document((4, 3), "uint8", (4, 3), [inner, zarr3.gzip()], 0)
        data = bomb
    store = zarr3.handmade(tmp_path / "bomb.zarr", metadata, {"c/0/0": data})
    refused(store, "c/0/0")


SIDE = 2**20  # one shard has 2^40 chunks of one byte, too many to examine each
CHILDREN = 2**20  # number of inner shards in the outer shard, and number of chunks in each inner shard


def endless(folder):
    """Writes an array with one shard, which contains inner shards. Only the last inner shard is stored, and
    only with its first and last chunk. Returns the store."""
    shard = sharding((2**10, 2**10), [sharding((1, 1), [zarr3.BYTES], [LITTLE])], [LITTLE])
    metadata = document((SIDE, SIDE), "uint8", (SIDE, SIDE), [shard], 0)
    first, last = struct.pack("<2Q", 0, 1), struct.pack("<2Q", 1, 1)
    inner = b"\7\x09" + first + b"\xff" * 16 * (CHILDREN - 2) + last
    data = inner + b"\xff" * 16 * (CHILDREN - 1) + struct.pack("<2Q", 0, len(inner))
    return zarr3.handmade(folder / "endless.zarr", metadata, {"c/0/0": data})


LIST = """
import sys
from osgeo import gdal
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_RASTER, open_options=["CACHE_TILE_PRESENCE=YES"])
band, n = dataset.GetRasterBand(1), 2**20
print(gdal.GetLastErrorMsg() or "quiet", band.GetDataCoverageStatus(0, 0, 50, 20)[0],
      band.GetDataCoverageStatus(n - 1, n - 1, 1, 1)[0], band.ReadAsArray(n - 2, n - 1, 2, 1).tolist(),
      band.ReadAsArray(n - 1024, n - 1024, 2, 1).tolist())
"""


@pytest.mark.slow
def test_absent_chunks_of_nested_shards_take_no_time_to_list(tmp_path):
    command = [sys.executable, "-c", LIST, str(endless(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    assert done.stdout.strip() == "quiet 4 2 [[0, 9]] [[7, 0]]", done


@pytest.mark.slow
def test_absent_chunks_of_nested_shards_take_no_time_to_resize(tmp_path):
    """Shortening an array by one row deletes the chunk in that row. The resize is quick, although the shard has
    2^40 absent chunks."""
    store = endless(tmp_path)
    commands = [
        {"hold": "v", "from": "root", "array": "endless"}, {"resize": "v", "to": [SIDE - 1, SIDE]}
    ]  # fmt: skip
    done = subprocess.run(
        [str(zarr_edit.TOOL), str(store)], input="\n".join(map(json.dumps, commands)) + "\n",
        capture_output=True, text=True, timeout=SECONDS, check=True,
    )  # fmt: skip
    assert done.stdout.count('"ok": true') == 3 and '"ok": false' not in done.stdout, done.stdout
    size = (store / "c/0/0").stat().st_size
    assert size == 1 + 2 * 16 * CHILDREN
    assert (store / "c/0/0").read_bytes()[:17] == b"\7" + struct.pack("<2Q", 0, 1)
