# SPDX-License-Identifier: MIT
"""Writes arrays of Zarr v1 file by file, because no current program writes Zarr v1."""

import bz2
import itertools
import json
import lzma
import pathlib
import shutil
import tempfile
import zlib

import numpy as np
import zarr2
from numcodecs import blosc
from zarr_store import make_array

META = {
    "zarr_format": 1, "shape": [4, 6], "chunks": [2, 3], "dtype": "<i2", "compression": "none",
    "compression_opts": None, "fill_value": 0, "order": "C",
}  # fmt: skip

VALUES = np.arange(4 * 6, dtype="<i2").reshape(4, 6)


def numbers(shape, dtype):
    return (np.arange(np.prod(shape)).reshape(shape) % 101).astype(dtype)


CUBE = numbers((2, 3, 5), "<f4")


def compress(data, compression, options):
    if compression == "blosc":
        cname, level = options["cname"].encode(), options["clevel"]
        return blosc.compress(data, cname, level, options["shuffle"])
    if compression in ("zlib", "gzip"):  # in Zarr v1, both names mean zlib
        return zlib.compress(data, options)
    if compression == "bz2":
        return bz2.compress(data, options)
    if compression == "lzma":
        return lzma.compress(data, **options)
    return data


def write_v1(store, values, chunks, compression="none", options=None, absent=(), attrs=None, **meta):
    """Writes an array of Zarr v1 into a new folder and returns the folder. `meta` are further members of the
    document `meta`; a member with the value Ellipsis (...) is removed. Chunks whose keys are in `absent` are
    not written. Elements of edge chunks outside of the array are 99."""
    folder = pathlib.Path(store)
    folder.mkdir(parents=True)
    order = meta.get("order", "C")
    for index in itertools.product(*(range(-(-n // c)) for n, c in zip(values.shape, chunks))):
        key = ".".join(map(str, index))
        if key in absent:
            continue
        block = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks))]
        chunk = np.full(chunks, np.array(99).astype(values.dtype), values.dtype)
        chunk[tuple(slice(0, n) for n in block.shape)] = block
        (folder / key).write_bytes(compress(chunk.tobytes(order), compression, options))
    dtype = values.dtype.descr if values.dtype.names else values.dtype.str
    document = {
        **META, "shape": values.shape, "chunks": chunks, "dtype": dtype,
        "compression": compression, "compression_opts": options,
    }  # fmt: skip
    write_meta(folder, {**document, **meta})
    if attrs is not None:
        (folder / "attrs").write_text(json.dumps(attrs))
    return folder


def write_meta(folder, members):
    members = {name: value for name, value in members.items() if value is not ...}
    (folder / "meta").write_text(json.dumps(members, indent=4, sort_keys=True))


def write_tree(root):
    """Writes a hierarchy without .zgroup: /dem and /deep/er/cube in v1, /new in v2, and /other with a file
    `meta` of another program."""
    write_v1(root / "dem", VALUES, (2, 3), attrs={"name": "dem"})
    write_v1(root / "deep" / "er" / "cube", CUBE, (1, 3, 3), "zlib", 1)
    make_array(root, VALUES[:2], "new")
    (root / "other").mkdir()
    (root / "other" / "meta").write_text('{"title": "no array"}')
    return root


def migrated(store):
    """Copies a v1 array, lets zarr-python 2 migrate the copy to v2, and returns the values that zarr-python 2
    then reads."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(store, pathlib.Path(folder) / "copy")
        if not (copy / "attrs").exists():  # without attrs, zarr-python fails to migrate the array
            (copy / "attrs").write_text("{}")
        zarr2.call("migrate", str(copy))
        return zarr2.call("read", str(copy))
