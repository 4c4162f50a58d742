# SPDX-License-Identifier: MIT
"""Makes metadata documents, chunks and shards of Zarr v3 by hand. Reads stores with zarrita, a library for Node.js.

zarr3_arrays.py writes and reads stores of Zarr v3 with zarr-python. `scripts/setup.sh test` installs zarrita and
zarr-python."""

import base64
import itertools
import json
import pathlib
import struct
import subprocess

import numpy as np
from zarr_tools import plain_environment

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "build" / "tools"
PACKAGES = TOOLS / "node_modules"
HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 300

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
BYTES = {"name": "bytes"}
CRC32C = {"name": "crc32c"}


def codec(name, /, **configuration):
    return {"name": name, "configuration": configuration}


def gzip(level=5):
    return codec("gzip", level=level)


def zstd(level=3, checksum=False):
    return codec("zstd", level=level, checksum=checksum)


def blosc(cname="lz4", shuffle="shuffle", typesize=4, clevel=5, blocksize=0):
    return codec(
        "blosc", cname=cname, clevel=clevel, shuffle=shuffle, typesize=typesize, blocksize=blocksize
    )


def transpose(*order):
    return codec("transpose", order=list(order))


def sharding(chunks, codecs=(LITTLE,), index=(LITTLE, CRC32C), **more):
    return codec(
        "sharding_indexed", chunk_shape=list(chunks), codecs=list(codecs),
        index_codecs=list(index), **more,
    )  # fmt: skip


def bytes_for(data_type):
    """Returns the codec "bytes" for elements of a data type."""
    return BYTES if data_type in ("bool", "int8", "uint8") else LITTLE


def document(shape, data_type, chunks=None, codecs=None, fill_value=0, **members):
    """Returns the zarr.json of an array. `members` are added to the document, or replace its members. A member
    with the value Ellipsis (...) is removed."""
    default = {
        "zarr_format": 3, "node_type": "array", "shape": list(shape), "data_type": data_type,
        "chunk_grid": codec("regular", chunk_shape=list(shape if chunks is None else chunks)),
        "chunk_key_encoding": codec("default", separator="/"), "fill_value": fill_value,
        "codecs": [bytes_for(data_type)] if codecs is None else list(codecs), "attributes": {},
    }  # fmt: skip
    return {name: value for name, value in {**default, **members}.items() if value is not ...}


def group_document(attributes=None, **members):
    default = {"zarr_format": 3, "node_type": "group", "attributes": attributes or {}}
    return {name: value for name, value in {**default, **members}.items() if value is not ...}


def handmade(store, document, files=(), path=""):
    """Writes a node exactly as given: `document` (an object or the text of zarr.json), and `files`, which maps
    keys to bytes. Returns the folder of the node."""
    folder = pathlib.Path(store) / path
    folder.mkdir(parents=True, exist_ok=True)
    text = document if isinstance(document, (str, bytes)) else json.dumps(document)
    (folder / "zarr.json").write_bytes(text.encode() if isinstance(text, str) else text)
    for key, data in dict(files).items():
        file = folder / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def chunk_values(values, chunks, index):
    """Returns the values of the chunk at `index`. Elements of the chunk that lie outside of the array are 0."""
    whole = np.zeros(chunks, values.dtype)
    part = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks))]
    whole[tuple(slice(n) for n in part.shape)] = part
    return whole


def chunk_indices(shape, chunks):
    return itertools.product(*(range(-(-size // chunk)) for size, chunk in zip(shape, chunks)))


def encoded_files(values, chunks, encode):
    """Returns {key: bytes} for all chunks of `values`, under the default chunk keys. `encode` encodes the
    values of one chunk."""
    return {
        "/".join(["c", *map(str, index)]): encode(chunk_values(values, chunks, index))
        for index in chunk_indices(values.shape, chunks)
    }


def shard_of(chunks, entries=None, start=False, checksum=False):
    """Returns the bytes of a shard that contains the encoded `chunks`.

    `entries` puts wrong entries into the shard index. It maps the number of a chunk to a wrong (offset, size), or to a
    function that computes the wrong pair from the right pair. `start` puts the index at the start of the shard.
    `checksum` adds a CRC32C to the index."""
    size = 16 * len(chunks) + (4 if checksum else 0)
    offset, pairs = size if start else 0, []
    for chunk in chunks:
        pairs.append((offset, len(chunk)))
        offset += len(chunk)
    for i, pair in (entries or {}).items():
        pairs[i] = pair(*pairs[i]) if callable(pair) else pair
    index = b"".join(struct.pack("<2Q", *pair) for pair in pairs)
    if checksum:
        index += struct.pack("<I", crc32c(index))
    body = b"".join(chunks)
    return index + body if start else body + index


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    value = 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def _environment():
    return plain_environment("PYTHONPATH", "PYTHONHOME")


def _run(command, text):
    done = subprocess.run(
        [str(word) for word in command], input=text, env=_environment(), capture_output=True,
        text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command} ends with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


def zarrita_read(arrays):
    """Reads `arrays`, a list of (store, path), with zarrita in one process. Returns a list with the values of
    each array, or the text of its error."""
    requests = [{"store": str(store), "path": path.lstrip("/")} for store, path in arrays]
    answers = _run(["node", HERE / "zarrita_program.mjs", PACKAGES], json.dumps(requests))
    return [_zarrita_values(answer) for answer in answers]


def _zarrita_values(answer):
    if "error" in answer:
        return answer["error"]
    if "texts" in answer:
        values = np.empty(len(answer["texts"]), object)
        values[:] = answer["texts"]
        return values.reshape(answer["shape"])
    flat = np.frombuffer(base64.b64decode(answer["data"]), np.dtype(answer["type"]))
    if flat.size == 0 or not answer["shape"]:
        return flat.reshape(answer["shape"])
    # zarrita returns the elements of a transposed array in stored order, with strides. as_strided() returns the
    # elements in logical order.
    strides = [step * flat.itemsize for step in answer["stride"]]
    return np.lib.stride_tricks.as_strided(flat, answer["shape"], strides)
