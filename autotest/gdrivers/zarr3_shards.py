# SPDX-License-Identifier: MIT
"""Stores in which another program replaces a shard during reads. The new shard has its chunks at other offsets, and
chunks have no checksums. A reader with the old shard index thus finds wrong chunks without an error."""

import numpy as np
import zarr3
from zarr3 import LITTLE, document, shard_of, sharding

SHAPE, SHARD, CHUNK = (8, 12), (4, 6), (2, 3)
VALUES = np.arange(96, dtype="i2").reshape(SHAPE)
KEY = "c/1/1"  # key of the shard that is replaced; the array has four shards
IN_SHARD = (slice(4, 8), slice(6, 12))
KINDS = ["end", "start", "nested"]  # shard index at the end, shard index at the start, or shard of inner shards


def shard(values, kind, turned=False, more=b""):
    """Returns a shard with the array `values`, in uncompressed chunks without checksums. `kind` is one of KINDS. If
    `turned`, the chunks are in reverse order. `more` is unused bytes, which shift the index or the chunks."""

    def encoded_chunks(rows):
        chunks = [rows[i : i + 2, j : j + 3] for i in range(0, len(rows), 2) for j in (0, 3)]
        return [chunk.astype("<i2").tobytes() for chunk in chunks]

    if kind == "nested":
        inner = [shard_of(encoded_chunks(values[row : row + 2])) for row in (0, 2)]
    else:
        inner = encoded_chunks(values)
    size, count, start = len(inner[0]), len(inner), kind == "start"
    first = 16 * count if start else 0
    entries = {i: (first + (count - 1 - i) * size, size) for i in range(count)} if turned else {}
    data = shard_of(inner[::-1] if turned else inner, entries, start=start)
    at = len(data) if start else len(data) - 16 * count
    return data[:at] + more + data[at:]


def make(store, kind):
    location = "start" if kind == "start" else "end"
    inner = sharding(CHUNK, [LITTLE], [LITTLE], index_location=location)
    codecs = [sharding((2, 6), [inner], [LITTLE])] if kind == "nested" else [inner]
    files = {
        f"c/{i}/{j}": shard(VALUES[4 * i : 4 * i + 4, 6 * j : 6 * j + 6], kind)
        for i in (0, 1) for j in (0, 1)
    }  # fmt: skip
    return zarr3.handmade(store, document(SHAPE, "int16", SHARD, codecs, -1), files)
