# SPDX-License-Identifier: MIT
"""Writes and reads arrays and groups of Zarr v3 with zarr-python 3, in the process of the tests. A zarr.json describes
the array to write.

    dem = zarr3_arrays.array(store, "dem", zarr3.document((4, 6), "int16", chunks=(2, 3)), values)
    dem.values, dem.document
"""

import json
import pathlib

import ml_dtypes
import numpy as np
import zarr
import zarr_python


class Array:
    """An array that zarr-python has read: its values, fill value and zarr.json. If reading fails and `may_fail`
    is set, the object has only an `error`."""

    def __init__(self, store, path="", may_fail=False):
        self.store, self.path, self.error = pathlib.Path(store), path, None
        try:
            opened = _open(store, path, "r")
            self.values = np.asarray(zarr_python.Array(opened._async_array)[...])
        except Exception as error:
            if not may_fail:
                raise
            self.error = f"{type(error).__name__}: {error}"
            return
        self.fill = np.empty((), self.values.dtype)
        self.fill[()] = opened.fill_value
        self.document = json.loads((self.store / path / "zarr.json").read_text())
        self.attributes = dict(opened.attrs)
        names = opened.metadata.dimension_names
        self.dimension_names = names and list(names)


read = Array


def _open(store, path, mode):
    return zarr.open_array(pathlib.Path(store), path=path, mode=mode, zarr_format=3)


def group(store, path="", attributes=None):
    zarr.create_group(pathlib.Path(store), path=path, attributes=attributes or {}, zarr_format=3)


def array(store, path, document, values=None):
    """Creates an array with `document` as its zarr.json, and writes `values` unless they are None. Returns the
    Array that zarr-python reads back. zarr-python rewrites zarr.json, and lossy codecs change values."""
    folder = pathlib.Path(store) / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zarr.json").write_text(json.dumps(document))
    opened = _open(store, path, "r+")
    opened.update_attributes(document.get("attributes", {}))
    if values is not None:
        opened[...] = values
    return Array(store, path)


def create(store, path, values, **arguments):
    """Creates an array by zarr.create_array() and writes `values`. Arguments that are not given have
    zarr-python's defaults. Returns the Array that zarr-python reads back."""
    named = {"dtype": values.dtype, "shape": values.shape, **arguments}
    zarr.create_array(pathlib.Path(store), name=path, zarr_format=3, **named)[...] = values
    return Array(store, path)


def write(store, path, values, start):
    """Writes `values` into an existing array, from the index `start` on."""
    _open(store, path, "r+")[tuple(slice(s, s + n) for s, n in zip(start, values.shape))] = values


def consolidate(store, path=""):
    zarr.consolidate_metadata(pathlib.Path(store), path=path, zarr_format=3)


def tree(store, consolidated=None, path=""):
    """Returns {path: {"attributes": ..., "shape": ...}} for the group `path` and all nodes below it. Groups
    have no "shape". `consolidated` is zarr-python's argument use_consolidated."""
    opened = zarr.open_group(pathlib.Path(store), path=path, mode="r", zarr_format=3, use_consolidated=consolidated)
    found = {"": {"attributes": dict(opened.attrs)}}
    for name, member in opened.members(max_depth=None):
        found[name] = {"attributes": dict(member.attrs)}
        if isinstance(member, zarr.Array):
            found[name]["shape"] = list(member.shape)
    return found


def kind(store, path=""):
    """Returns [format, node type] as zarr-python detects them for a node, for example [3, "Array"]."""
    node = zarr.open(pathlib.Path(store), path=path, mode="r")
    return [node.metadata.zarr_format, type(node).__name__]


def narrow(name):
    """Returns all values of the type `name` of ml_dtypes as float64, in the order of their bit patterns. The
    type has one or two bytes."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    return np.arange(1 << (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype).astype("f8")
