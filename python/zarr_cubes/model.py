# SPDX-License-Identifier: MIT
"""What the formats' readers return and what the writers of references take."""

import base64
import dataclasses
import zlib

import numpy as np


class Refused(Exception):
    """A file, or a set of files, of which no cube can be made. The message names the file, the cause and the remedy."""


@dataclasses.dataclass
class Array:
    """An array of one file. `offsets` and `lengths` are bytes in the file, one for each chunk, in order C of the grid of
    chunks. A chunk of length 0 is absent, unless `inline` has its bytes. A member "shape" of a filter is replaced by
    the shape of a chunk when the documents are written."""

    dims: tuple
    shape: tuple
    chunks: tuple
    dtype: str
    compressor: object = None
    filters: object = None
    fill: object = None
    attrs: dict = dataclasses.field(default_factory=dict)
    offsets: object = None
    lengths: object = None
    inline: dict = dataclasses.field(default_factory=dict)
    values: object = None  # of a small array, for comparisons and coordinates
    file: object = None  # the location of chunks that are not in the file itself: one, or a list with one for each chunk

    @property
    def grid(self):
        return tuple(-(-size // chunk) for size, chunk in zip(self.shape, self.chunks))

    def coding(self):
        """What must be equal in all files that share an array."""
        codec = dict(self.compressor or {})
        tables = codec.pop("tables", "")
        return {"dimensions": self.dims, "data type": self.dtype, "compressor": codec or None,
                "set of JPEG tables, which follow from its JPEG_QUALITY": zlib.crc32(tables.encode()), "filters": self.filters,
                "nodata or fill value": repr(self.fill)}  # fmt: skip


@dataclasses.dataclass
class Source:
    """A file: its arrays by path, and where and when it is. `place` is (geotransform or None, bytes that state the CRS)."""

    name: str
    stamp: object = None  # [size, time] of a local file
    arrays: dict = dataclasses.field(default_factory=dict)
    attrs: dict = dataclasses.field(default_factory=dict)
    place: object = None
    is_raster: bool = False
    notes: dict = dataclasses.field(default_factory=dict)  # texts of the header that the join compares


@dataclasses.dataclass
class Piece:
    """Chunks of one array of a source in an array of the cube. `at` is the position of the first chunk in the grid."""

    source: Source
    array: Array
    at: tuple


@dataclasses.dataclass
class CubeArray:
    """An array of the cube. `spec` has shape, chunks and codecs; its values are `values`, or else those of `pieces`."""

    spec: Array
    pieces: list = dataclasses.field(default_factory=list)
    values: object = None


@dataclasses.dataclass
class Cube:
    arrays: dict = dataclasses.field(default_factory=dict)  # CubeArray by path
    groups: dict = dataclasses.field(default_factory=lambda: {"": {}})  # attributes of each group by path
    sources: list = dataclasses.field(default_factory=list)
    dimension: object = None  # the dimension along which files are joined, or None
    lines: list = dataclasses.field(default_factory=list)  # what --dry-run says


def packed(numbers):
    return base64.b64encode(np.asarray(numbers, "<u8").tobytes()).decode()


def unpacked(text):
    return np.frombuffer(base64.b64decode(text), "<u8").astype(np.uint64)


def as_record(source):
    """Returns a source as a JSON object for the journal. Raises TypeError for what JSON does not have."""
    record = {**vars(source), "arrays": {path: dict(vars(array)) for path, array in source.arrays.items()}}
    for array in record["arrays"].values():
        array["offsets"], array["lengths"] = packed(array["offsets"]), packed(array["lengths"])
        if array["values"] is not None:
            array["values"] = [array["values"].dtype.str, array["values"].tobytes().hex()]
        array["inline"] = {str(k): base64.b64encode(v).decode() for k, v in array["inline"].items()}
    return record


def from_record(record):
    source = Source(**record)
    source.place = source.place and tuple(source.place)
    for path, members in source.arrays.items():
        array = Array(**members)
        array.dims, array.shape, array.chunks = tuple(array.dims), tuple(array.shape), tuple(array.chunks)
        array.offsets, array.lengths = unpacked(members["offsets"]), unpacked(members["lengths"])
        if array.values is not None:
            array.values = np.frombuffer(bytes.fromhex(array.values[1]), array.values[0]).reshape(array.shape)
        array.inline = {int(k): base64.b64decode(v) for k, v in members["inline"].items()}
        source.arrays[path] = array
    return source
