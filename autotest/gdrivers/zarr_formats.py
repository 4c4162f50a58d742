# SPDX-License-Identifier: MIT
"""Runs tests in several formats of Zarr.

A mark on a module or a test names its formats. The test runs once in each of them.

    pytestmark = zarr_formats.BOTH     # or @zarr_formats.BOTH, V2 or V3 before a test.
    pytestmark = zarr_formats.FORMS    # includes shards, which block_options() makes.
    pytestmark = zarr_formats.READERS  # includes Kerchunk and Icechunk, see zarr_as_references.py.

In Zarr v3 the driver creates v3 stores unless an option demands v2. The test sets the configuration option
ZARR_DEFAULT_FORMAT, which also applies to programs that the test starts. zarr-python 2, and xarray with it,
read and write v3 stores through V3View, which presents each v3 store as a v2 store. Tests name documents and
chunks by their v2 keys. Functions of this module find them in either format. test_zarr_formats.py compares the
view with zarr-python 3.
"""

import collections.abc
import contextlib
import json
import os
import pathlib
import posixpath
import re
import struct

import pytest
import zarr
import zarr_as_references
import zarr_as_v3
from zarr_python import IS_3

SHARDS = "shards"  # Zarr v3 with chunks in shards
KERCHUNK = "kerchunk"  # stores of v2 that are read through references
ICECHUNK = "icechunk"  # stores of v3 that are copied into a repository of Icechunk
_WRITERS = {KERCHUNK: zarr_as_references.to_kerchunk, ICECHUNK: zarr_as_references.to_icechunk}
BOTH = pytest.mark.formats(2, 3)
READERS = pytest.mark.formats(2, 3, KERCHUNK, ICECHUNK)
FORMS = pytest.mark.formats(2, 3, SHARDS)
V2 = pytest.mark.formats(2)
V3 = pytest.mark.formats(3)
OPTION = "ZARR_DEFAULT_FORMAT"
DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata")
NO_CHUNK = 2**64 - 1


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
    """Returns creation options for chunks of rows x columns. In SHARDS, returns options for shards of this
    size. A chunk in the shard then has half of the rows if their number is even, and half of the columns
    if theirs is even."""
    options = [f"BLOCKSIZE={rows},{columns}"]
    if _has_shards:
        halves = [n // 2 if n % 2 == 0 else n for n in (rows, columns)]
        options.append("SHARD_CHUNK_SHAPE={},{}".format(*halves))
    return options


def _set_option(value):
    """Sets ZARR_DEFAULT_FORMAT in the environment, for programs that the test starts, and in GDAL. A
    configuration option that the test itself sets takes precedence."""
    from osgeo import gdal  # conftest.py imports this file before GDAL may be loaded

    gdal.SetConfigOption(OPTION, value)
    os.environ.pop(OPTION, None)
    if value is not None:
        os.environ[OPTION] = value


# ---------------------------------------------------------------------------------------------
# Keys of chunks and shards


def _join(*parts):
    return "/".join(part for part in parts if part)


class _Chunks:
    """Converts between keys and indices of the chunks of a v3 array. An index counts chunks, also in arrays
    with shards."""

    def __init__(self, document):
        self.rank = len(document["shape"])
        encoding = document["chunk_key_encoding"]
        self.has_prefix = encoding["name"] == "default"
        default = "/" if self.has_prefix else "."
        self.separator = encoding.get("configuration", {}).get("separator", default)
        self.shards = zarr_as_v3.sharding_of(document)
        if self.shards:
            whole = document["chunk_grid"]["configuration"]["chunk_shape"]
            self.counts = [w // c for w, c in zip(whole, self.shards["chunk_shape"])]
            codecs = [item["name"] for item in self.shards["index_codecs"]]
            assert codecs == ["bytes", "crc32c"], codecs
            assert self.shards.get("index_location", "end") == "end", self.shards

    def key_of_value(self, index):
        """Returns the key of the stored value with this index. A value is a shard if the array has shards,
        else a chunk."""
        numbers = [str(i) for i in index]
        if self.has_prefix:
            return self.separator.join(["c", *numbers])
        return self.separator.join(numbers) or "0"

    def index_of_value(self, key):
        """Returns the index of the stored value with this key; None if the key is neither a chunk's nor a
        shard's."""
        numbers = re.split("[./]", key) if key else []
        if self.has_prefix and numbers:
            if numbers.pop(0) != "c":
                return None
        elif self.rank == 0 and numbers == ["0"]:
            return ()
        if len(numbers) != self.rank or not all(n.isdigit() for n in numbers):
            return None
        index = tuple(map(int, numbers))
        return index if self.key_of_value(index) == key else None

    def place(self, index):
        """Returns (index of the shard that contains a chunk, number of the chunk in that shard)."""
        number = 0
        for i, count in zip(index, self.counts):
            number = number * count + i % count
        return tuple(i // count for i, count in zip(index, self.counts)), number

    def index_of(self, shard, number):
        inner = []
        for count in self.counts[::-1]:
            inner.insert(0, number % count)
            number //= count
        return tuple(s * c + i for s, c, i in zip(shard, self.counts, inner))

    def split(self, value):
        """Returns the chunks of a shard, whose bytes are `value`, as {number of the chunk: bytes}."""
        total = 1
        for count in self.counts:
            total *= count
        index = struct.unpack(f"<{2 * total}Q", value[-16 * total - 4 : -4])
        return {
            n: value[offset : offset + size]
            for n, (offset, size) in enumerate(zip(index[::2], index[1::2])) if offset != NO_CHUNK
        }  # fmt: skip


V2_KEY = re.compile(r"\d+([./]\d+)*$")


class _Folder(collections.abc.MutableMapping):
    """Presents a folder as a mapping of keys to bytes. zarr-python 2 has DirectoryStore for this, version 3
    has no such class."""

    _erasable = True

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def __getitem__(self, key):
        try:
            return (self.path / key).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise KeyError(key) from None

    def __setitem__(self, key, value):
        (self.path / key).parent.mkdir(parents=True, exist_ok=True)
        (self.path / key).write_bytes(value)

    def __delitem__(self, key):
        (self.path / key).unlink()

    def __iter__(self):
        return (p.relative_to(self.path).as_posix() for p in self.path.rglob("*") if p.is_file())

    def __len__(self):
        return sum(1 for _ in self)


class V3View(collections.abc.MutableMapping if IS_3 else zarr.storage.Store):
    """Presents a Zarr v3 store to zarr-python 2 as a v2 store: documents are converted, and chunks have
    their v2 keys. Works for folders and zip files. In a zip file, documents are written when the view is
    closed."""

    def __init__(self, inner):
        self.inner, self._erasable = inner, inner._erasable
        self._pending = None
        if isinstance(inner, zarr.ZipStore):
            self._pending, close = {}, inner.close
            inner.close = lambda: (self._write_pending(), close())

    def __getattr__(self, name):
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __eq__(self, other):
        return isinstance(other, V3View) and self.inner == other.inner

    def _write_pending(self):
        for key, value in self._pending.items():
            self.inner[key] = value
        self._pending.clear()

    # Documents of nodes

    def document(self, path):
        """Returns the zarr.json of the node at `path`; None if it is absent."""
        key = _join(path, "zarr.json")
        if self._pending and key in self._pending:
            return json.loads(self._pending[key])
        return json.loads(self.inner[key]) if key in self.inner else None

    def put_document(self, path, document):
        target = self.inner if self._pending is None else self._pending
        target[_join(path, "zarr.json")] = json.dumps(document).encode()

    def _documents(self, path):
        """Returns the v2 documents of the node at `path`, by name."""
        document = self.document(path)
        if document is None:
            return {}
        consolidated = document.get("consolidated_metadata")
        found = zarr_as_v3.v2_documents(document)
        if consolidated is not None:
            assert consolidated["kind"] == "inline", consolidated
            metadata = dict(found)
            for member, node in consolidated["metadata"].items():
                assert not node.get("consolidated_metadata"), node
                node = {k: v for k, v in node.items() if k != "consolidated_metadata"}
                for name, value in zarr_as_v3.v2_documents(node).items():
                    metadata[_join(member, name)] = value
            found[".zmetadata"] = {"zarr_consolidated_format": 1, "metadata": metadata}
        return found

    def _put(self, path, name, value):
        old = self.document(path)
        if name == ".zarray":
            self.put_document(path, self._changed_array(old, value))
        elif name == ".zgroup":
            if old is None or old["node_type"] != "group":
                self.put_document(path, zarr_as_v3.group_document({}))
        elif name == ".zattrs":
            zarr_as_v3.put_attributes(old, value)
            self.put_document(path, old)
        else:
            nodes = {
                key.removesuffix("zarr.json").rstrip("/"): json.loads(self.inner[key])
                for key in [*self.inner.keys()] if posixpath.basename(key) == "zarr.json"
            }  # fmt: skip
            nodes.update({
                key.removesuffix("zarr.json").rstrip("/"): json.loads(text)
                for key, text in (self._pending or {}).items()
            })  # fmt: skip
            nodes = {
                posixpath.relpath(node, path or "."): document for node, document in nodes.items()
                if node != path and (not path or node.startswith(path + "/"))
            }  # fmt: skip
            old["consolidated_metadata"] = {
                "kind": "inline", "must_understand": False, "metadata": nodes,
            }  # fmt: skip
            self.put_document(path, old)

    def _changed_array(self, old, array):
        """Returns the zarr.json for the .zarray that zarr-python 2 writes. Members of the old zarr.json that
        v2 cannot express are kept."""
        if old is not None and old["node_type"] == "array":
            shape = {"shape": array["shape"]}
            if {**zarr_as_v3.zarray_of(old), **shape} == array:
                return {**old, **shape}
            attributes = zarr_as_v3.attributes_of(old)
        else:
            attributes = {}
        separator = None if array.get("dimension_separator") == "/" else "/"
        return zarr_as_v3.array_document(array, attributes, separator)

    # Chunks of arrays

    def _node_of(self, key):
        """Returns (path of the array, its _Chunks, the rest of the key) for a key below an array; None if no
        array is above the key."""
        parts = key.split("/")
        for i in range(len(parts) - 1, -1, -1):
            path = "/".join(parts[:i])
            document = self.document(path)
            if document is not None:
                return (path, _Chunks(document), "/".join(parts[i:])) if (
                    document["node_type"] == "array"
                ) else None  # fmt: skip
        return None

    def value_key(self, key):
        """Converts the v2 key of a chunk. Returns the v3 key of the stored value, and the number of the
        chunk in it if it is a shard, else None."""
        node = self._node_of(key)
        if node is None or not V2_KEY.match(node[2]):
            return key, None
        path, chunks, rest = node
        index = tuple(map(int, re.split("[./]", rest))) if chunks.rank else ()
        if not chunks.shards:
            return _join(path, chunks.key_of_value(index)), None
        shard, number = chunks.place(index)
        return _join(path, chunks.key_of_value(shard)), number

    def _chunk(self, key):
        value_key, number = self.value_key(key)
        value = self.inner[value_key]
        if number is None:
            return value
        return self._node_of(key)[1].split(value)[number]

    # Methods that zarr-python 2 demands of a store

    def __getitem__(self, key):
        path, _, name = key.rpartition("/")
        if name in DOCUMENTS:
            return json.dumps(self._documents(path)[name]).encode()
        return self._chunk(key)

    def __setitem__(self, key, value):
        path, _, name = key.rpartition("/")
        if name in DOCUMENTS:
            self._put(path, name, json.loads(bytes(value)))
            return
        value_key, number = self.value_key(key)
        assert number is None, "zarr-python 2 writes no shards"
        self.inner[value_key] = value

    def __delitem__(self, key):
        path, _, name = key.rpartition("/")
        if name == ".zattrs":
            self._put(path, name, {})
        elif name in DOCUMENTS:
            del self.inner[_join(path, "zarr.json")]
        else:
            value_key, number = self.value_key(key)
            assert number is None, "zarr-python 2 writes no shards"
            del self.inner[value_key]

    def __contains__(self, key):
        path, _, name = key.rpartition("/")
        if name in DOCUMENTS:
            return name in self._documents(path)
        try:
            return self._chunk(key) is not None
        except KeyError:
            return False

    def keys(self):
        keys = {*self.inner.keys(), *(self._pending or {})}
        nodes = {}
        for key in sorted(keys, key=lambda key: (posixpath.basename(key) != "zarr.json", key)):
            path, _, name = key.rpartition("/")
            if name == "zarr.json":
                nodes[path] = self.document(path)
                yield from (_join(path, name) for name in self._documents(path))
                continue
            above = [p for p in self._above(path) if p in nodes]
            if not above or nodes[above[0]]["node_type"] != "array":
                yield key
                continue
            chunks, path = _Chunks(nodes[above[0]]), above[0]
            index = chunks.index_of_value(key.removeprefix(path).lstrip("/"))
            if index is None:
                yield key
            elif not chunks.shards:
                yield _join(path, ".".join(map(str, index)) or "0")
            else:
                for number in chunks.split(self.inner[key]):
                    yield _join(path, ".".join(map(str, chunks.index_of(index, number))))

    @staticmethod
    def _above(path):
        parts = path.split("/") if path else []
        return ["/".join(parts[:i]) for i in range(len(parts), -1, -1)]

    def __iter__(self):
        return self.keys()

    def __len__(self):
        return sum(1 for _ in self.keys())

    def listdir(self, path=""):
        """Returns the names of files and folders in the folder `path`."""
        path = (path or "").strip("/")
        prefix = path + "/" if path else ""
        below = [key[len(prefix) :] for key in self.keys() if key.startswith(prefix)]
        return sorted({key.split("/")[0] for key in below})

    def rename(self, src_path, dst_path):
        self.inner.rename(src_path, dst_path)

    def rmdir(self, path=""):
        self.inner.rmdir(path)

    def getsize(self, path=None):
        return self.inner.getsize(path)

    def clear(self):
        self.inner.clear()

    def close(self):
        self.inner.close()


def install():
    """Makes zarr-python 2 see v3 stores as v2 stores while a test runs in v3."""
    if IS_3 or getattr(zarr.storage._normalize_store_arg_v2, "is_ours", False):
        return
    native = zarr.storage._normalize_store_arg_v2

    def normalize(*arguments, **named):
        store = native(*arguments, **named)
        if is_v3() and type(store) in (zarr.DirectoryStore, zarr.ZipStore):
            return V3View(store)
        return store

    normalize.is_ours = True
    zarr.storage._normalize_store_arg_v2 = normalize


# ---------------------------------------------------------------------------------------------
# Functions that tests call


def view(store):
    """Returns the folder of a store as a mapping of v2 keys to bytes."""
    folder = _Folder(store) if IS_3 else zarr.DirectoryStore(str(store))
    is_3 = (pathlib.Path(store) / "zarr.json").exists()
    return V3View(folder) if is_3 or is_v3() else folder


def documents(store):
    """Returns {v2 key: document} for all nodes of a store, with `.zmetadata`."""
    opened = view(store)
    return {key: json.loads(opened[key]) for key in opened.keys()
            if posixpath.basename(key) in DOCUMENTS}  # fmt: skip


def has(store, key):
    """True if the store has a document or a chunk with this v2 key."""
    return key in view(store)


def array_document(store, path=""):
    """Returns the .zarray of an array; for a v3 store, converted from zarr.json."""
    return json.loads(view(store)[_join(path, ".zarray")])


def attributes(store, path=""):
    """Returns the attributes of a node; {} if it has none."""
    opened, key = view(store), _join(path, ".zattrs")
    return json.loads(opened[key]) if key in opened else {}


def put_array_document(store, document, path=""):
    """Writes the .zarray of an array; for a v3 store, converted to zarr.json."""
    view(store)[_join(path, ".zarray")] = json.dumps(document).encode()


def put_attributes(store, attributes_, path=""):
    view(store)[_join(path, ".zattrs")] = json.dumps(attributes_).encode()


def put_group(store, path=""):
    view(store)[_join(path, ".zgroup")] = b'{"zarr_format": 2}'


def consolidated(store):
    """Returns the documents in the consolidated metadata, by v2 key; None if the store has no consolidated
    metadata."""
    opened = view(store)
    return json.loads(opened[".zmetadata"])["metadata"] if ".zmetadata" in opened else None


def document_file(store, key):
    """Returns the path of the file that holds the document with the v2 key `key`."""
    path, _, name = key.rpartition("/")
    assert name in DOCUMENTS, key
    name = "zarr.json" if isinstance(view(store), V3View) else name
    return pathlib.Path(store) / path / name


def spelled(name):
    """Returns `name` as the tested format spells it: in v3, v2 names of documents are replaced by zarr.json."""
    return re.sub(r"\.z(array|group|attrs|metadata)\b", "zarr.json", name) if is_v3() else name


def chunk_key(store, path, *index):
    """Returns the key of a chunk; if the array has shards, the key of the shard that contains the chunk."""
    opened = view(store)
    separator = json.loads(opened[_join(path, ".zarray")]).get("dimension_separator", ".")
    key = _join(path, separator.join(map(str, index)) or "0")
    return opened.value_key(key)[0] if isinstance(opened, V3View) else key


def chunk_file(store, path, *index):
    """Returns the file of a chunk; if the array has shards, the file of the shard that contains the chunk."""
    return pathlib.Path(store) / chunk_key(store, path, *index)


def chunk_keys(store, path=""):
    """Returns the v2 keys of the stored chunks of an array, sorted."""
    prefix = path + "/" if path else ""
    keys = [key[len(prefix) :] for key in view(store).keys() if key.startswith(prefix)]
    return sorted(key for key in keys if V2_KEY.match(key))


def contents(store):
    """Returns {v2 key: bytes} for all documents and chunks of a store."""
    opened = view(store)
    return {key: bytes(opened[key]) for key in opened.keys()}


def change_attributes(store, path="", **changes):
    """Changes some attributes of a node and keeps the others."""
    put_attributes(store, {**attributes(store, path), **changes}, path)
