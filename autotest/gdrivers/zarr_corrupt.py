# SPDX-License-Identifier: MIT
"""Writes stores with one fault each. Apart from it, a store is a group with one array `elevation` of <i2: 8 x 8 elements in
4 x 4 chunks with zlib. Pixel (y, x) has the value 8 y + x. If one chunk is bad, the other three can be read.

    store = zarr_corrupt.make(folder, "short_chunk")

No Zarr library writes invalid stores, so that none is used."""

import json
import pathlib
import struct
import zlib

GROUP = {"zarr_format": 2}
ARRAY = {
    "zarr_format": 2,
    "shape": [8, 8],
    "chunks": [4, 4],
    "dtype": "<i2",
    "compressor": {"id": "zlib", "level": 6},
    "fill_value": 0,
    "filters": None,
    "order": "C",
}


def pixels(row, col):
    """Returns the decoded bytes of chunk (row, col). Pixel (y, x) is 8 * y + x."""
    return b"".join(
        struct.pack("<h", 8 * (4 * row + y) + 4 * col + x) for y in range(4) for x in range(4)
    )


def dumps(value):
    return (json.dumps(value, indent=4, sort_keys=True) + "\n").encode()


def valid_store():
    """Returns {key: bytes} of a valid store."""
    store = {".zgroup": dumps(GROUP), "elevation/.zarray": dumps(ARRAY), "elevation/.zattrs": b"{}\n"}
    for row in range(2):
        for col in range(2):
            store[f"elevation/{row}.{col}"] = zlib.compress(pixels(row, col), 6)
    return store


def with_array(**members):
    store = valid_store()
    array = {**ARRAY, **members}
    store["elevation/.zarray"] = dumps({k: v for k, v in array.items() if v is not Ellipsis})
    return store


def bad_json():
    """Returns a store whose .zarray lacks the bracket that opens `shape`."""
    store = valid_store()
    store["elevation/.zarray"] = store["elevation/.zarray"].replace(b'"shape": [', b'"shape": ', 1)
    return store


def nested_json():
    """Returns a store whose .zattrs nests lists 10,000 deep."""
    store = valid_store()
    store["elevation/.zattrs"] = b'{"history": ' + b"[" * 10000 + b"]" * 10000 + b"}\n"
    return store


def nested_array_json():
    store = valid_store()
    deep = b"[" * 10000 + b"]" * 10000
    store["elevation/.zarray"] = store["elevation/.zarray"].replace(
        b'"filters": null', b'"filters": ' + deep
    )
    return store


def truncated_chunk():
    store = valid_store()
    store["elevation/1.0"] = store["elevation/1.0"][:-9]
    return store


def empty_chunk():
    return {**valid_store(), "elevation/1.0": b""}


def oversized_chunk():
    return {**valid_store(), "elevation/1.0": zlib.compress(pixels(1, 0) + bytes(32), 6)}


def short_chunk():
    return {**valid_store(), "elevation/1.0": zlib.compress(pixels(1, 0)[:-2], 6)}


def wrong_checksum():
    store = with_array(compressor=None, filters=[{"id": "crc32"}])
    for row in range(2):
        for col in range(2):
            data = pixels(row, col)
            checksum = zlib.crc32(data) ^ (1 if (row, col) == (1, 0) else 0)
            store[f"elevation/{row}.{col}"] = struct.pack("<I", checksum) + data
    return store


def bomb_chunk():
    """Returns a store with a chunk that decodes to 16 MiB instead of 32 bytes."""
    return {**valid_store(), "elevation/1.0": zlib.compress(bytes(16 << 20), 9)}


def key_with_dots():
    """Returns a store whose consolidated metadata has a key that leads outside of the store."""
    store = valid_store()
    keys = (".zgroup", "elevation/.zarray", "elevation/.zattrs")
    metadata = {key: json.loads(store[key]) for key in keys}
    metadata["../outside/.zarray"] = ARRAY
    store[".zmetadata"] = dumps({"zarr_consolidated_format": 1, "metadata": metadata})
    return store


STORES = {
    "bad_json": bad_json,
    "nested_json": nested_json,
    "nested_array_json": nested_array_json,
    "missing_dtype": lambda: with_array(dtype=...),
    "wrong_type_shape": lambda: with_array(shape="8,8"),
    "wrong_type_compressor": lambda: with_array(compressor="zlib"),
    "zero_chunk": lambda: with_array(chunks=[0, 4]),
    "negative_chunk": lambda: with_array(chunks=[-4, 4]),
    # The products of the sizes overflow.
    "overflow_shape": lambda: with_array(shape=[2**62, 2**62], chunks=[2**61, 2**61]),
    "unknown_dtype": lambda: with_array(dtype="<q9"),
    "unknown_codec": lambda: with_array(compressor={"id": "middle-out", "level": 5}),
    # Refused, because it would run code
    "unknown_filter": lambda: with_array(filters=[{"id": "pickle", "protocol": 5}]),
    "truncated_chunk": truncated_chunk,
    "empty_chunk": empty_chunk,
    "oversized_chunk": oversized_chunk,
    "short_chunk": short_chunk,
    "wrong_checksum": wrong_checksum,
    "bomb_chunk": bomb_chunk,
    "key_with_dots": key_with_dots,
}


def make(folder, name):
    """Writes the store `name` of STORES into `folder`. Returns its path."""
    path = pathlib.Path(folder) / f"{name}.zarr"
    for key, data in STORES[name]().items():
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path
