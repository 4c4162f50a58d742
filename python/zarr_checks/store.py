# SPDX-License-Identifier: MIT
"""Reads metadata documents and lists keys of a Zarr store through GDAL's virtual file systems."""

import itertools
import json
import math
import os
import posixpath
import re
import stat
import struct

from osgeo import gdal

from zarr_checks.messages import Messages

V2_DOCUMENTS = (".zgroup", ".zarray", ".zattrs")
REMOTE = {"http://": "/vsicurl/http://", "https://": "/vsicurl/https://", "s3://": "/vsis3/",
          "gs://": "/vsigs/", "az://": "/vsiaz/"}  # fmt: skip
BITS = re.compile(r"(\d{1,6})$", re.ASCII)
NUMBER = re.compile(r"\d{1,19}", re.ASCII)
LARGEST_DOCUMENT = 256 << 20  # bytes, as the driver allows
LARGEST_INDEX = 64 << 20  # bytes of the index of a shard
DEEPEST = 128  # levels of nesting in a document, as the driver allows


def file_system_path(name):
    """Returns the path of a store for VSIFOpenL()."""
    for prefix, path in REMOTE.items():
        if name.startswith(prefix):
            return path + name[len(prefix):].rstrip("/")
    if name.endswith(".zip") and not name.startswith("/vsizip/"):
        return f"/vsizip/{{{name}}}"
    return name.rstrip("/") or name


class Node:
    """A group or an array with its attributes. An array also has a shape, chunks and shards."""

    def __init__(self, path, document, attributes):
        self.path = path
        self.document = document
        self.attributes = attributes if isinstance(attributes, dict) else {}
        if not isinstance(attributes, dict) and attributes is not None:
            raise TypeError("attributes is no object")
        self.format = document.get("zarr_format")
        kind = document.get("node_type") or ("array" if "shape" in document else "group")
        self.is_array = kind == "array"
        if self.is_array:
            self._read_layout()

    @property
    def name(self):
        return posixpath.basename(self.path)

    @property
    def parent(self):
        return posixpath.dirname(self.path)

    def _read_layout(self):
        self.shape = _list_of_sizes(self.document["shape"], 0)
        self.shard = None
        self.index = None  # configuration of the sharding codec; None without shards, or if Store cannot read the index
        self.fill = self.document.get("fill_value")
        if self.format == 2:
            self.chunk = _list_of_sizes(self.document["chunks"], 1)
            self.type = self.document["dtype"]
            self.dimensions = _names(self.attributes.get("_ARRAY_DIMENSIONS"))
            self.separator = self.document.get("dimension_separator") or "."
            _demand(self.separator in (".", "/"), "dimension_separator", self.separator)
            self.itemsize = _size_of(self.type) if isinstance(self.type, str) else None
            if not _are_sizes(self.chunk, len(self.shape)):
                raise TypeError(f"chunk shape {self.chunk} for an array of shape {self.shape}")
            return
        self.type = self.document["data_type"]
        self.itemsize = _bytes_of(self.type)
        self.dimensions = _names(self.document.get("dimension_names"))
        grid = self.document["chunk_grid"]
        is_regular = grid["name"] == "regular"
        self.chunk = _list_of_sizes(grid["configuration"]["chunk_shape"], 1) if is_regular else None
        encoding = self.document["chunk_key_encoding"]
        self.is_v2_key = (encoding if isinstance(encoding, str) else encoding["name"]) == "v2"
        stated = encoding.get("configuration") if isinstance(encoding, dict) else None
        self.separator = (stated or {}).get("separator", "." if self.is_v2_key else "/")
        _demand(self.separator in (".", "/"), "separator", self.separator)
        codecs = self.document.get("codecs", [])
        while self.chunk and (inner := _sharding(codecs)) is not None:
            if self.shard is None:
                self.shard, self.index = self.chunk, inner
            else:
                self.index = None
            self.chunk = _list_of_sizes(inner["chunk_shape"], 1)
            codecs = inner.get("codecs", [])
        for sizes in (self.chunk, self.shard):
            if sizes is not None and not _are_sizes(sizes, len(self.shape)):
                raise TypeError(f"chunk shape {sizes} for an array of shape {self.shape}")
        if self.index is not None and not _has_plain_index(self.index):
            self.index = None

    @property
    def object_shape(self):
        """Returns the shape that is stored under a single key: the shape of a shard if the array has shards, else of a
        chunk."""
        return self.shard or self.chunk

    def bytes_of(self, shape):
        """Returns the decoded size of `shape` elements in bytes, or None if elements have no fixed size."""
        return None if self.itemsize is None else math.prod(shape) * self.itemsize

    def objects(self):
        """Returns the number of chunks or shards of the array, stored or absent."""
        return math.prod(-(-size // max(1, step)) for size, step in zip(self.shape, self.object_shape))

    def index_of_key(self, key):
        """Returns the index of the chunk or shard under `key`, or None if `key` is not the key of a chunk or shard.
        `key` is relative to the array's folder."""
        parts = key.split(self.separator)
        if self.format != 2 and not self.is_v2_key and parts.pop(0) != "c":
            return None
        if not self.shape:
            return ()
        if len(parts) != len(self.shape) or not all(NUMBER.fullmatch(part) for part in parts):
            return None
        return tuple(int(part) for part in parts)


def _demand(is_valid, name, value):
    if not is_valid:
        raise TypeError(f"{name} is {str(value)[:100]!r}")


def _list_of_sizes(value, least):
    """Returns a list of integers from `least` to 2^63 - 1."""
    is_valid = isinstance(value, list) and all(
        isinstance(size, int) and not isinstance(size, bool) and least <= size < 1 << 63 for size in value)
    _demand(is_valid, "a shape", value)
    return list(value)


def _names(value):
    """Returns the names of dimensions, or None if there are none."""
    is_valid = isinstance(value, list) and all(name is None or isinstance(name, str) for name in value)
    _demand(is_valid or value is None, "the list of dimension names", value)
    return value


def _are_sizes(sizes, dimensions):
    return len(sizes) == dimensions and all(isinstance(size, int) and size > 0 for size in sizes)


def _size_of(dtype):
    match = BITS.search(dtype.split("[")[0])
    if match is None or len(dtype) < 2 or dtype[1] == "O":
        return None
    return int(match[1]) * (4 if dtype[1] == "U" else 1)


def _bytes_of(data_type):
    if data_type == "bool":
        return 1
    if not isinstance(data_type, str) or (match := BITS.search(data_type)) is None:
        return None
    return max(1, int(match[1]) // 8)


def _sharding(codecs):
    for codec in codecs:
        if isinstance(codec, dict) and codec.get("name") == "sharding_indexed":
            return codec["configuration"]
    return None


def _has_plain_index(configuration):
    """Returns True if the shard index is stored uncompressed, with or without a checksum."""
    names = [codec["name"] if isinstance(codec, dict) else codec
             for codec in configuration.get("index_codecs", [])]  # fmt: skip
    first = configuration.get("index_codecs", [{}])[0]
    endian = first.get("configuration", {}).get("endian") if isinstance(first, dict) else None
    return names in (["bytes"], ["bytes", "crc32c"]) and endian == "little"


def open_regular(path):
    """Opens a file to read bytes. Returns None if it is absent, or no regular file: opening a pipe could wait
    forever."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    return None


def _bounded(size):
    if size > LARGEST_DOCUMENT:
        raise ValueError(f"{size} bytes, more than {LARGEST_DOCUMENT}")
    return size


def _is_deep(value):
    """True if a JSON value nests more than DEEPEST levels deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [item for each in level if isinstance(each, (dict, list))
                 for item in (each.values() if isinstance(each, dict) else each) if isinstance(item, (dict, list))]
        if not level:
            return False
    return True


class Store:
    """A Zarr store with its nodes. `keys` maps its keys to sizes, or is None if keys cannot be listed."""

    def __init__(self, name):
        self.name = name
        self.root = file_system_path(name)
        self.broken = {}  # key of a metadata document -> reason why the document cannot be used
        self.nodes, self.consolidated, self.consolidated_key = {}, None, None
        if self.is_local and not os.path.isdir(name) and not os.path.isfile(name):
            self.keys = None  # a pipe or a device: opening it could wait forever
            return
        self.keys = self._list()  # adds to self.broken
        tops = {key.split("/")[0] for key in self.keys or {}}
        # If a zip file has a single top-level folder and no metadata document at its top, that folder is the root of
        # the store.
        if self.root.startswith("/vsizip/") and len(tops) == 1 and not tops & {"zarr.json", *V2_DOCUMENTS}:
            self.root += "/" + tops.pop()
            self.keys = self._list()
        self._load()

    @property
    def is_local(self):
        return not self.name.startswith("/vsi") and os.path.exists(self.name)

    @property
    def is_readable(self):
        return bool(self.nodes or self.consolidated or self.broken)

    def failure(self):
        """Returns the driver's message that a remote store cannot be read, such as that of a failed connection; None if
        the server answers."""
        if self.is_local or not self.root.startswith("/vsi"):
            return None
        with Messages() as messages:
            gdal.OpenEx(f'ZARR:"{self.root}"', gdal.OF_RASTER, allowed_drivers=["Zarr"])
            failed = gdal.GetLastErrorNo() == gdal.CPLE_FileIO
        return messages.errors[-1] if failed else None

    def _list(self):
        if self.is_local and os.path.isdir(self.name):
            return self._list_folder() or None
        folder = gdal.OpenDir(self.root, -1)
        if folder is None:
            return None
        keys = {}
        while (entry := gdal.GetNextDirEntry(folder)) is not None:
            if not entry.IsDirectory():
                name = entry.name  # bytes if the name is no UTF-8
                name = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
                keys[name.replace("\\", "/")] = entry.size
        return keys or None

    def _list_folder(self):
        """Returns the keys in a local folder. Follows links within the store, but visits each folder once. Links to
        other folders are not followed, because a store of a stranger could link to the root of the file system."""
        keys, seen, root = {}, set(), os.path.realpath(self.root)
        for folder, folders, files in os.walk(self.root, followlinks=True):
            state = os.stat(folder)
            if (state.st_dev, state.st_ino) in seen:
                folders.clear()
                continue
            seen.add((state.st_dev, state.st_ino))
            for name in [name for name in folders if os.path.islink(os.path.join(folder, name))]:
                path = os.path.join(folder, name)
                if os.path.commonpath([root, os.path.realpath(path)]) != root:
                    folders.remove(name)
                    self.broken[self._key_of(path)] = "is a link to a folder outside of the store, and not followed"
            for name in files:
                path = os.path.join(folder, name)
                key = self._key_of(path)
                try:
                    state = os.stat(path)
                except OSError as why:
                    self.broken[key] = f"cannot be read: {why.strerror}"
                    continue
                if stat.S_ISREG(state.st_mode):
                    keys[key] = state.st_size
                else:
                    self.broken[key] = "is not a regular file (a pipe, a socket or a device)"
        return keys

    def _key_of(self, path):
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def read(self, key, start=0, size=None):
        """Returns at most `size` bytes under a key, beginning at the byte number `start`. If `size` is None, returns
        all bytes from `start` on. Returns None if the key is absent. Raises ValueError if there are more than
        LARGEST_DOCUMENT bytes."""
        if self.keys is not None and key not in self.keys:
            return None
        if self.is_local and os.path.isdir(self.name):
            return self._read_local(key, start, size)
        file = gdal.VSIFOpenL(f"{self.root}/{key}", "rb")
        if file is None:
            return None
        try:
            if size is None:
                gdal.VSIFSeekL(file, 0, 2)
                size = _bounded(gdal.VSIFTellL(file) - start)
            gdal.VSIFSeekL(file, start, 0)
            return bytes(gdal.VSIFReadL(1, size, file) or b"")
        finally:
            gdal.VSIFCloseL(file)

    def _read_local(self, key, start, size):
        file = open_regular(os.path.join(self.root, key))
        if file is None:
            return None
        with file:
            if size is None:
                size = _bounded(os.fstat(file.fileno()).st_size - start)
            file.seek(start)
            return file.read(size)

    def read_json(self, key):
        try:
            data = self.read(key)
            if data is None:
                return None
            value = json.loads(data.decode("utf-8"))  # json would read UTF-16, too
        except RecursionError:
            self.broken[key] = f"nests more than {DEEPEST} levels deep"
            return None
        except ValueError as why:
            self.broken[key] = f"is no JSON: {why}"
            return None
        if _is_deep(value):
            self.broken[key] = f"nests more than {DEEPEST} levels deep"
            return None
        if isinstance(value, dict):
            return value
        self.broken[key] = "is no JSON object"
        return None

    def _load(self):
        root = self.read_json("zarr.json")
        is_v3 = root is not None or "zarr.json" in self.broken
        self.consolidated_key = "zarr.json" if is_v3 else ".zmetadata"
        stated = root.get("consolidated_metadata") if is_v3 and root else self.read_json(".zmetadata")
        metadata = stated.get("metadata") if isinstance(stated, dict) else None
        if isinstance(metadata, dict):
            self.consolidated = {"": root, **metadata} if is_v3 else metadata
        if self.keys is not None:
            names = self.keys
        elif self.consolidated is None:
            names = ["zarr.json", *V2_DOCUMENTS]
        else:
            names = [posixpath.join(path, "zarr.json") if is_v3 else path for path in self.consolidated]
        self.nodes = self._nodes_of(names, self.read_json)

    def _nodes_of(self, names, read):
        nodes = {}
        for name in sorted(names):
            folder, base = posixpath.split(name)
            if base not in ("zarr.json", ".zarray", ".zgroup"):
                continue
            document = read(name)
            if document is None:
                continue
            attributes = document.get("attributes", {})
            if base != "zarr.json":
                attributes = read(posixpath.join(folder, ".zattrs")) or {}
            try:
                nodes[folder] = Node(folder, document, attributes)
            except (KeyError, TypeError, AttributeError, IndexError, ValueError) as why:
                self.broken[name] = f"lacks a member or has one of a wrong type: {why!r}"
        return nodes

    def documents(self):
        """Returns {key: metadata document} for all nodes, with the keys that consolidated metadata uses."""
        found = {}
        for path, node in self.nodes.items():
            if node.format == 3:
                document = dict(node.document)
                document.pop("consolidated_metadata", None)
                found[path] = document
                continue
            found[posixpath.join(path, ".zarray" if node.is_array else ".zgroup")] = node.document
            if node.attributes:
                found[posixpath.join(path, ".zattrs")] = node.attributes
        return found

    def chunk_files(self, node):
        """Yields (key, index, size in bytes) for each stored chunk of an array, or for each stored shard if
        there are shards."""
        prefix = node.path + "/" if node.path else ""
        for key, size in (self.keys or {}).items():
            if not key.startswith(prefix) or posixpath.basename(key) in ("zarr.json", *V2_DOCUMENTS):
                continue
            index = node.index_of_key(key[len(prefix):])
            if index is not None:
                yield key, index, size

    def stored_chunks(self, node):
        """Yields (index of its first element, shape, stored size in bytes) for each stored chunk. For arrays
        with shards, these are inner chunks."""
        for key, index, size in self.chunk_files(node):
            origin = [number * step for number, step in zip(index, node.object_shape)]
            if node.index is None:
                yield origin, node.object_shape, size
            else:
                yield from self._inner_chunks(node, key, origin, size)

    def _inner_chunks(self, node, key, origin, size):
        counts = [outer // inner for outer, inner in zip(node.shard, node.chunk)]
        total = math.prod(counts)
        if 16 * total > min(size, LARGEST_INDEX):
            return
        tail = 4 * (len(node.index["index_codecs"]) - 1)
        at_start = node.index.get("index_location", "end") == "start"
        data = self.read(key, 0 if at_start else max(0, size - 16 * total - tail), 16 * total)
        if data is None or len(data) < 16 * total:
            return
        entries = struct.unpack(f"<{2 * total}Q", data)
        for number, place in enumerate(itertools.product(*(range(count) for count in counts))):
            if entries[2 * number] != 2**64 - 1:
                start = [first + at * step for first, at, step in zip(origin, place, node.chunk)]
                yield start, node.chunk, entries[2 * number + 1]
