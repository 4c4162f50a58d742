# SPDX-License-Identifier: MIT
"""Writes and reads stores of Zarr v3 with two other programs: zarr-python 3 and zarrita.

zarr-python 3 runs in a process of its own, because Debian has version 2 and another NumPy. zarrita runs in
Node.js. `scripts/setup.sh test` installs both. One process executes the commands of all Batches of a test run:

    batch = zarr3.Batch(folder)
    dem = batch.array(store, "dem", zarr3.document((4, 6), "int16", chunks=(2, 3)), values)
    batch.run()
    dem.values, dem.document
"""

import base64
import functools
import itertools
import json
import pathlib
import struct
import subprocess

import numpy as np
import zarr3_values
from zarr_tools import Program, plain_environment

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "build" / "tools"
PYTHON = TOOLS / "zarr3" / "bin" / "python"
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
    """Returns the zarr.json of an array. `members` replace members of the default document; the value ...
    removes a member."""
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
    """Writes a node exactly as given: `document` (an object or the text of zarr.json), and `files`, which
    maps keys to bytes."""
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
    """Returns the bytes of a shard that contains the encoded `chunks`. `entries` maps chunk numbers to wrong
    (offset, size) pairs, which replace the right pairs in the shard index. `start` puts the index at the
    start of the shard."""
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


_program = Program([PYTHON, "-B", HERE / "zarr3_program.py"], _environment(), SECONDS)  # with zarr-python 3


class Answer:
    """Answer to one command. After Batch.run() it has the command's `result` or its `error`."""

    def __init__(self, command):
        self.command, self.result, self.error = command, None, None

    def take(self, answer):
        self.result, self.error = answer.get("result"), answer.get("error")

    @property
    def store(self):
        return pathlib.Path(self.command["store"])

    @property
    def path(self):
        return self.command["path"]


class Array(Answer):
    """Answer about an array that zarr-python wrote or read: its values and its zarr.json."""

    @functools.cached_property
    def values(self):
        assert self.error is None, f"{self.command}: {self.error}"
        return zarr3_values.load(self.result["values"])

    @functools.cached_property
    def fill(self):
        """Returns the fill value as an array without dimensions."""
        return zarr3_values.load(self.result["fill"])

    @property
    def document(self):
        return self.result["document"]

    @property
    def dimension_names(self):
        return self.result["dimension_names"]

    @property
    def attributes(self):
        return self.result["attributes"]


class Batch:
    """Collects commands and executes them in one process with zarr-python 3. The files of values are written
    to `folder`, which is created. run() fails if a command fails; a command with may_fail=True stores its
    error in its answer instead."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.answers, self.checked = [], []
        self.count = 0

    def _add(self, kind, do, may_fail=False, **arguments):
        answer = kind({"do": do, **arguments})
        self.answers.append(answer)
        self.checked.append(not may_fail)
        return answer

    def _values(self, values):
        self.count += 1
        return str(zarr3_values.save(self.folder / f"given{self.count}", values))

    def group(self, store, path="", attributes=None):
        return self._add(Answer, "group", store=str(store), path=path, attributes=attributes)

    def array(self, store, path, document, values=None, **more):
        """Creates an array with `document` as its zarr.json. If `values` is None, no chunk is written."""
        return self._add(
            Array, "array", folder=str(self.folder), store=str(store), path=path, document=document,
            values=None if values is None else self._values(values), **more,
        )  # fmt: skip

    def create(self, store, path, values, **arguments):
        """Creates an array by zarr.create_array() with the given arguments."""
        return self._add(
            Array, "create", folder=str(self.folder), store=str(store), path=path,
            values=self._values(values), arguments=arguments,
        )  # fmt: skip

    def write(self, store, path, values, start):
        return self._add(
            Answer, "write", store=str(store), path=path, values=self._values(values),
            start=list(start),
        )  # fmt: skip

    def read(self, store, path="", **more):
        return self._add(
            Array, "read", folder=str(self.folder), store=str(store), path=path, **more
        )

    def consolidate(self, store, path=""):
        return self._add(Answer, "consolidate", store=str(store), path=path)

    def tree(self, store, path="", **more):
        return self._add(Answer, "tree", store=str(store), path=path, **more)

    def kind(self, store, path="", **more):
        return self._add(Answer, "kind", store=str(store), path=path, **more)

    def narrow(self, names):
        return self._add(Answer, "narrow", names=list(names))

    def run(self):
        assert PYTHON.exists(), f"{PYTHON} is not there: run scripts/setup.sh test"
        found, _ = _program.ask([answer.command for answer in self.answers])
        for answer, got in zip(self.answers, found):
            answer.take(got)
        problems = [
            f"{answer.command}: {answer.error}"
            for answer, checked in zip(self.answers, self.checked)
            if checked and answer.error is not None
        ]
        assert not problems, "\n".join(problems)
        self.answers, self.checked = [], []
        return self


def read(folder, places):
    """Returns an Array for each (store, path) in `places`, read by zarr-python 3. `folder` is the folder of
    a Batch."""
    batch = Batch(folder)
    arrays = [batch.read(store, path) for store, path in places]
    batch.run()
    return arrays


def zarrita_read(places):
    """Reads arrays (store, path) with zarrita in one process. Returns for each array its values, or the text
    of the error."""
    requests = [{"store": str(store), "path": path.lstrip("/")} for store, path in places]
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
    # zarrita returns a transposed array in its stored memory layout, so the strides are restored.
    strides = [step * flat.itemsize for step in answer["stride"]]
    return np.lib.stride_tricks.as_strided(flat, answer["shape"], strides)
