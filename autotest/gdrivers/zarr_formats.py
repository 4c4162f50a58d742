# SPDX-License-Identifier: MIT
"""Runs tests in several formats of Zarr.

A mark on a module or a test selects formats. The test runs once in each of them. A mark on a test is a decorator,
such as @zarr_formats.V2.

    pytestmark = zarr_formats.BOTH     # v2 and v3
    pytestmark = zarr_formats.FORMS    # v2, v3, and v3 with shards
    pytestmark = zarr_formats.READERS  # stores of BOTH, Kerchunk references and Icechunk repositories

In Zarr v3, the configuration option ZARR_DEFAULT_FORMAT makes the driver create v3 stores unless an option
demands v2. Programs that the test starts inherit the configuration option. zarr_python.py, and xarray with
zarr-python 3, create stores of the tested format, too.

Tests name documents and chunks by their v2 keys. Functions of this module find a document or chunk by this key
in either format, and convert v3 documents to v2. test_zarr_formats.py compares the conversion with
zarr-python 3."""

import contextlib
import json
import os
import pathlib
import re

import pytest
import zarr
import zarr_as_references
import zarr_as_v3

SHARDS = "shards"  # Zarr v3 with chunks in shards
KERCHUNK = "kerchunk"  # v2 stores, read through Kerchunk references
ICECHUNK = "icechunk"  # v3 stores, copied into an Icechunk repository
_WRITERS = {KERCHUNK: zarr_as_references.to_kerchunk, ICECHUNK: zarr_as_references.to_icechunk}
BOTH = pytest.mark.formats(2, 3)
READERS = pytest.mark.formats(2, 3, KERCHUNK, ICECHUNK)
FORMS = pytest.mark.formats(2, 3, SHARDS)
V2 = pytest.mark.formats(2)
V3 = pytest.mark.formats(3)
OPTION = "ZARR_DEFAULT_FORMAT"
DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata")
FILES = (*DOCUMENTS, "zarr.json")
V2_KEY = re.compile(r"\d+([./]\d+)*$")


_has_shards = False


def is_v3():
    """True if the test runs in Zarr v3."""
    return os.environ.get(OPTION) == "ZARR_V3"


def has_shards():
    """True if the test runs in the format SHARDS."""
    return _has_shards


@contextlib.contextmanager
def running(version):
    """Context manager: sets the current format to 2, 3, SHARDS, KERCHUNK or ICECHUNK."""
    global _has_shards
    before = os.environ.get(OPTION), _has_shards
    _has_shards = version == SHARDS
    number = {SHARDS: 3, KERCHUNK: 2, ICECHUNK: 3}.get(version, version)
    _set_option(f"ZARR_V{number}")
    try:
        with zarr_as_references.opening(_WRITERS[version]) if version in _WRITERS else contextlib.nullcontext():
            yield
    finally:
        _set_option(before[0])
        _has_shards = before[1]


def block_options(rows, columns):
    """Returns creation options for chunks of `rows` x `columns` pixels. In the format SHARDS, these options make shards of
    this size. Chunks in a shard have half of the rows if `rows` is even, and half of the columns if `columns`
    is even."""
    options = [f"BLOCKSIZE={rows},{columns}"]
    if _has_shards:
        halves = [n // 2 if n % 2 == 0 else n for n in (rows, columns)]
        options.append("SHARD_CHUNK_SHAPE={},{}".format(*halves))
    return options


def _set_option(value):
    """Sets ZARR_DEFAULT_FORMAT in GDAL, and in the environment for programs that the test starts. A
    configuration option that the test itself sets takes precedence."""
    from osgeo import gdal  # imported here, because conftest.py imports this module before GDAL may be loaded

    gdal.SetConfigOption(OPTION, value)
    os.environ.pop(OPTION, None)
    if value is not None:
        os.environ[OPTION] = value
    set_default_format()


def set_default_format():
    """Sets the format in which zarr-python creates stores. Programs outside of pytest call this function,
    because no mark of a test sets the format."""
    zarr.config.set({"default_zarr_format": 3 if is_v3() else 2})


# ---------------------------------------------------------------------------------------------
# Documents


def _join(*parts):
    return "/".join(part for part in parts if part)


def _is_v3_store(store):
    return is_v3() or (pathlib.Path(store) / "zarr.json").exists()


def _load(store, path, name):
    return json.loads((pathlib.Path(store) / path / name).read_bytes())


def _save(store, path, name, document):
    file = pathlib.Path(store) / path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))


def _node(store, path=""):
    """Returns {name: metadata document} for the node at `path`, with v2 names. v3 documents are converted to v2. The
    dict is empty if the node is absent."""
    names = ["zarr.json"] if _is_v3_store(store) else DOCUMENTS
    found = {name: _load(store, path, name) for name in names if (pathlib.Path(store) / path / name).is_file()}
    return zarr_as_v3.v2_documents(found["zarr.json"]) if "zarr.json" in found else found


def documents(store):
    """Returns {v2 key: metadata document} for all nodes of a store, including .zmetadata."""
    nodes = {file.parent for file in pathlib.Path(store).rglob("*") if file.name in FILES}
    return {
        (node / name).relative_to(store).as_posix(): document
        for node in nodes for name, document in _node(store, node.relative_to(store)).items()
    }  # fmt: skip


def has(store, key):
    """True if the store has a metadata document with the v2 key `key`."""
    path, _, name = key.rpartition("/")
    return name in _node(store, path)


def array_document(store, path=""):
    """Returns the .zarray of an array; for a v3 store, converted from zarr.json."""
    return _node(store, path)[".zarray"]


def attributes(store, path=""):
    """Returns the attributes of a node; {} if it has none."""
    return _node(store, path).get(".zattrs", {})


def consolidated(store):
    """Returns {v2 key: metadata document} from the consolidated metadata; None if the store has no consolidated
    metadata."""
    return _node(store).get(".zmetadata", {}).get("metadata")


def put_document(store, name, document, path=""):
    """Writes the metadata document `name` of a node, which is a v2 document. In a v3 store, converts it to zarr.json.
    Keeps the attributes unless `name` is .zattrs."""
    if _is_v3_store(store):
        if name == ".zattrs":
            attributes_, document = document, _load(store, path, "zarr.json")
            zarr_as_v3.put_attributes(document, attributes_)
        elif name == ".zarray":
            separator = None if document.get("dimension_separator") == "/" else "/"
            document = zarr_as_v3.array_document(document, attributes(store, path), separator)
        else:
            document = zarr_as_v3.group_document(attributes(store, path))
        name = "zarr.json"
    _save(store, path, name, document)


def put_array_document(store, document, path=""):
    """Writes the .zarray of an array; for a v3 store, converted to zarr.json."""
    put_document(store, ".zarray", document, path)


def put_attributes(store, attributes_, path=""):
    put_document(store, ".zattrs", attributes_, path)


def change_attributes(store, path="", **changes):
    """Changes some attributes of a node and keeps the others."""
    put_attributes(store, {**attributes(store, path), **changes}, path)


def document_file(store, key):
    """Returns the path of the file that contains the metadata document with the v2 key `key`."""
    path, _, name = key.rpartition("/")
    assert name in DOCUMENTS, key
    return pathlib.Path(store) / path / ("zarr.json" if _is_v3_store(store) else name)


def spelled(name):
    """Returns `name` as the tested format spells it. In v3, a v2 document name becomes zarr.json."""
    return re.sub(r"\.z(array|group|attrs|metadata)\b", "zarr.json", name) if is_v3() else name


# ---------------------------------------------------------------------------------------------
# Chunks


def chunk_key(store, path, *index):
    """Returns the key of a chunk; if the array has shards, the key of the shard that contains the chunk."""
    prefix = []
    if _is_v3_store(store):
        document = _load(store, path, "zarr.json")
        encoding = document["chunk_key_encoding"]
        prefix = ["c"] if encoding["name"] == "default" else []
        separator = encoding.get("configuration", {}).get("separator", "/" if prefix else ".")
        shards = zarr_as_v3.sharding_of(document)
        if shards:
            whole = document["chunk_grid"]["configuration"]["chunk_shape"]
            index = [i * chunk // size for i, chunk, size in zip(index, shards["chunk_shape"], whole)]
    else:
        separator = _load(store, path, ".zarray").get("dimension_separator", ".")
    return _join(path, separator.join([*prefix, *map(str, index)]) or "0")


def chunk_file(store, path, *index):
    """Returns the file of a chunk; if the array has shards, the file of the shard that contains the chunk."""
    return pathlib.Path(store) / chunk_key(store, path, *index)


def chunk_keys(store, path=""):
    """Returns the v2 keys of the stored chunks of an array without shards, sorted."""
    folder = pathlib.Path(store) / path
    keys = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    if _is_v3_store(store):
        keys = [re.sub("^c/?", "", key).replace("/", ".") or "0" for key in keys]
    return sorted(key for key in keys if V2_KEY.match(key))


def contents(store):
    """Returns {key: bytes} for all files of a store."""
    files = [file for file in pathlib.Path(store).rglob("*") if file.is_file()]
    return {file.relative_to(store).as_posix(): file.read_bytes() for file in files}
