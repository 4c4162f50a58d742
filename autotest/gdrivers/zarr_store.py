# SPDX-License-Identifier: MIT
"""Writes stores for tests. zarr-python writes valid stores; stores that must be invalid are written file by file."""

import json
import os
import pathlib
import re
import socket
import zipfile

import numpy as np
import zarr_formats
import zarr_python as zarr


def make_store(folder, arrays, attributes=None, name="store.zarr", consolidated=False, groups=None):
    """Lets zarr-python write a store with arrays, and returns the store's folder. `arrays` maps a path to values, or
    to a dict with `values`, `dims`, `attrs` and further arguments of create_dataset(). `attributes` are
    those of the root group. `groups` maps a group's path to its attributes."""
    store = pathlib.Path(folder) / name
    root = zarr.open_group(str(store), mode="w")
    root.attrs.put(attributes or {})
    for path, group_attributes in (groups or {}).items():
        root.require_group(path).attrs.put(group_attributes)
    for path, item in arrays.items():
        add_array(root, path, item)
    if consolidated:
        zarr.consolidate_metadata(str(store))
    return store


def add_array(root, path, item):
    item = dict(item) if isinstance(item, dict) else {"values": item}
    attrs = dict(item.pop("attrs", {}))
    if "dims" in item:
        attrs["_ARRAY_DIMENSIONS"] = list(item.pop("dims"))
    item.setdefault("fill_value", None)
    return root.create_dataset(path, data=np.asarray(item.pop("values")), attributes=attrs, **item)


def make_array(folder, values, name="array.zarr", attrs=None, **options):
    """Lets zarr-python write a store that is a single array, and returns the folder of the store."""
    store = pathlib.Path(folder) / name
    options.setdefault("fill_value", None)
    zarr.save_array(str(store), values, attributes=attrs, **options)
    return store


def zip_folder(folder, path, top="", compression=zipfile.ZIP_STORED, folders=False):
    """Writes the store `folder` to the zip file `path`, with `top` as the folder of all members. Returns
    `path`. With `folders`, the zip file also has members for folders, as desktop programs write them."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for below, names, files in os.walk(folder):
            for name in sorted(files) + (sorted(names) if folders else []):
                file = os.path.join(below, name)
                archive.write(file, os.path.join(top, os.path.relpath(file, folder)))
    return path


GOOD = {
    "zarr_format": 2, "shape": [4, 6], "chunks": [2, 3], "dtype": "<i2", "compressor": None,
    "filters": None, "fill_value": 0, "order": "C",
}  # fmt: skip


def handmade(store, metadata=None, files=None, path="", attrs=None, **changes):
    """Writes a node's folder with .zarray and chunk files exactly as given. Returns the folder.

    `metadata` is the text of .zarray. If `metadata` is None, .zarray has the members of GOOD and `changes`, without
    members whose value is Ellipsis (...). `files` maps keys to bytes. If `files` is None, the four chunks of GOOD are
    written."""
    folder = pathlib.Path(store) / path
    folder.mkdir(parents=True, exist_ok=True)
    if metadata is None:
        merged = {**GOOD, **changes}
        metadata = json.dumps({key: value for key, value in merged.items() if value is not ...})
    if attrs is not None:
        attrs = attrs if isinstance(attrs, str) else json.dumps(attrs)
    if files is None:
        blocks = [(i, j) for i in (0, 1) for j in (0, 1)]
        files = {f"{i}.{j}": np.full(6, 10 * i + j, "<i2").tobytes() for i, j in blocks}
    texts = {".zarray": metadata, ".zattrs": attrs}
    put_files(folder, {key: text.encode() for key, text in texts.items() if text is not None})
    put_files(folder, files)
    return folder


def put_files(folder, files):
    """Writes files of a node. `files` maps v2 keys to bytes."""
    for key, data in files.items():
        if key in zarr_formats.DOCUMENTS and zarr_formats.is_v3():
            zarr_formats.put_document(folder, key, json.loads(data))
            continue
        is_chunk = zarr_formats.is_v3() and zarr_formats.V2_KEY.match(key)
        file = pathlib.Path(folder) / (zarr_formats.chunk_key(folder, "", *re.split("[./]", key)) if is_chunk else key)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def good_values():
    """Returns the values of the array whose metadata is GOOD: all elements of chunk (i, j) are
    10 i + j."""
    blocks = [[np.full((2, 3), 10 * i + j, "i2") for j in (0, 1)] for i in (0, 1)]
    return np.block(blocks)


def group(store, path="", attrs=None):
    folder = pathlib.Path(store) / path
    folder.mkdir(parents=True, exist_ok=True)
    texts = {".zgroup": '{"zarr_format": 2}'}
    if attrs is not None:
        texts[".zattrs"] = json.dumps(attrs)
    put_files(folder, {key: text.encode() for key, text in texts.items()})
    return folder


def odd_file(path, kind):
    """Makes a file that cannot be read like others: "fifo", "socket", "loop" (a link to itself), or else a link to the
    path `kind`."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True, parents=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        folder = os.getcwd()
        os.chdir(path.parent)  # a socket's name has at most 107 bytes, so bind() gets a relative name
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path.name)
        finally:
            os.chdir(folder)
    else:
        path.symlink_to(path.name if kind == "loop" else kind)
