# SPDX-License-Identifier: MIT
"""Zarr v3 that asks for more memory than there is: each is refused with an error that names what is
too large, in a process with little memory."""

import gzip
import re
import struct

import pytest
import zarr3
from zarr3 import LITTLE, document, sharding
from zarr_child import attempt

EMPTY = 2**64 - 1


def refused(store, pattern):
    """The one error of a store that opens or not, but is not read."""
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
    """Of 16 TB, which no shard needs to have before it is asked for."""
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
def test_gzip_bombs(tmp_path, of):
    """A quarter of a GB of zeros in place of six bytes."""
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
