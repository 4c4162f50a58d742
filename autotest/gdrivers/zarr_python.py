# SPDX-License-Identifier: MIT
"""Hides the differences between versions of zarr-python.

Tests call the functions of version 2. adapt() adds those functions to version 3, which then writes Zarr v2 by
its own code. A test is skipped, with the reason, if version 3 cannot do what it needs."""

import dataclasses
import functools
import os
import pathlib
import sys

import numcodecs
import numpy as np
import zarr

IS_3 = int(zarr.__version__.split(".")[0]) >= 3
IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2
CODECS = (
    "AsType", "BZ2", "Base64", "Blosc", "Categorize", "Delta", "FixedScaleOffset", "GZip", "JSON",
    "LZ4", "LZMA", "MsgPack", "PackBits", "Pickle", "Quantize", "Shuffle", "VLenArray", "VLenBytes",
    "VLenUTF8", "Zlib", "Zstd",
)  # fmt: skip
# Arguments of version 2 that can be ignored: they have no effect here, or version 3 always behaves as they ask.
IDLE = ("cache_attrs", "cache_metadata", "read_only")
# Parts of version 3's errors about structures that it cannot read.
UNREADABLE = ("Field elements must be", "No Zarr data type found that matches")
_native = {}  # name -> function of version 3 that adapt() has replaced


def zarr2_arguments():
    """Returns the arguments that make zarr-python 3 and xarray's to_zarr() write Zarr v2. For zarr-python 2,
    which writes only v2, returns no arguments."""
    return {"zarr_format": 2} if IS_3 else {}


def meaning(documents):
    """Returns metadata documents by key, without members that version 3 adds and that have no meaning."""
    if not IS_3:
        return documents
    return {key: _without_idle(document) for key, document in documents.items() if document != {}}


def _without_idle(document):
    if isinstance(document, list):
        return [_without_idle(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {
        name: _without_idle(member)
        for name, member in document.items()
        if name != "consolidated_metadata"
        and (name, member) not in (("typesize", None), ("checksum", False))
    }


def unsupported(what):
    """Skips the test because zarr-python cannot do what `what` says; outside of a test, raises an error."""
    text = f"zarr-python {zarr.__version__} {what}"
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(text, allow_module_level=True)
    raise NotImplementedError(text)


def unsupported_since_3(what):
    """Skips the test if zarr-python has version 3. `what` completes the reason "zarr-python VERSION ..."."""
    if IS_3:
        unsupported(what)


def skip_as(lines):
    """Skips this test if `lines`, the reports of a forked process, contain a skip by unsupported()."""
    for line in lines:
        if line.startswith("Skipped: zarr-python "):
            sys.modules["pytest"].skip(line.removeprefix("Skipped: "))


def _refuse(what):
    return lambda *_, **__: unsupported(what)


def _refuse_arguments(arguments):
    for name in ("synchronizer", "chunk_store", "meta_array"):
        if arguments.pop(name, None) is not None:
            unsupported(f"has no {name}")


def _store(store, mode="r"):
    """Returns `store` in a form that zarr-python 3 accepts. A path that ends in .zip becomes a
    ZipStore, and another string without "://" becomes a Path. Anything else is returned
    unchanged."""
    if os.environ.get("ZARR_DEFAULT_FORMAT") == "ZARR_V3":
        unsupported("is not adapted to the tests that run in Zarr v3")
    if isinstance(store, (str, pathlib.Path)) and str(store).endswith(".zip"):
        return zarr.storage.ZipStore(str(store), mode="r" if mode == "r+" else mode)
    # zarr-python 3.4 treats the text after a "?" as the query of a URL, unless it gets a Path.
    return pathlib.Path(store) if isinstance(store, str) and "://" not in store else store


def _chunks(chunks, shape):
    if chunks is None or chunks is True:
        return "auto"
    if chunks is False:
        return tuple(max(1, size) for size in shape)
    chunks = (chunks,) * len(shape) if isinstance(chunks, (int, np.integer)) else tuple(chunks)
    chunks += shape[len(chunks):]  # fmt: skip
    return tuple(int(size if c is None or c == -1 else c) for c, size in zip(chunks, shape))


def _element(dtype, object_codec, filters, shape):
    """Returns (dtype, filters) for version 3, with the object codec added to the filters, as version 2 does."""
    filters = list(filters or [])
    if dtype is str or dtype is bytes:
        codec = numcodecs.VLenUTF8 if dtype is str else numcodecs.VLenBytes
        object_codec = object_codec or codec()
        dtype = object
    if isinstance(dtype, list):
        dtype = [tuple(field) for field in dtype]
    dtype = np.dtype(dtype)
    if object_codec is not None:
        filters.insert(0, object_codec)
    if not shape and any(isinstance(each, numcodecs.VLenBytes) for each in filters):
        unsupported("reads bytes without dimensions without the zeros at their end")
    if dtype == object and filters and hasattr(zarr, "dtype"):  # since version 3.1
        kinds = {"vlen-utf8": "VariableLengthUTF8", "vlen-bytes": "VariableLengthBytes"}
        if filters[0].codec_id not in kinds:
            unsupported(f"writes no objects with the codec {filters[0].codec_id}")
        return getattr(zarr.dtype, kinds[filters[0].codec_id])(), filters
    return dtype, filters


def _holds_times(dtype):
    """True if a structure contains times. numcodecs cannot convert times to bytes."""
    if dtype.names:
        return any(_holds_times(dtype[name]) for name in dtype.names)
    return dtype.base.kind in "mM" if dtype.base.names is None else _holds_times(dtype.base)


def unless_unsupported(write, *arguments):
    """Returns the result of `write(*arguments)`; None if zarr-python 3 cannot write these values or fails."""
    if not IS_3:
        return write(*arguments)
    try:
        return write(*arguments)
    except (sys.modules["pytest"].skip.Exception, OverflowError, TypeError, ValueError):
        return None


def _refuse_structure(dtype):
    if any(dtype[name].names or dtype[name].subdtype for name in dtype.names or ()):
        unsupported("reads no structure with structures or arrays in it")


def _call(name, *arguments, **named):
    """Calls a function of version 3, or a method of its groups. Skips the test if version 3.0 cannot read
    the node."""
    try:
        node = _native[name](*arguments, **named)
    except (TypeError, ValueError) as error:
        if not any(words in str(error) for words in UNREADABLE):
            raise
        unsupported(f"reads no structure with structures or arrays in it: {error}")
    if isinstance(node, zarr.Array) and node.dtype.kind == "c" and np.ndim(node.fill_value):
        unsupported("reads no fill value of complex numbers")
    return node


def _with_filters(array, filters):
    """Returns the array with `filters` in its metadata. Version 3.0 ignores the filters of fixed-width text
    and uses a filter of its own."""
    metadata = dataclasses.replace(array.metadata, filters=filters)
    array = zarr.Array(zarr.AsyncArray(metadata=metadata, store_path=array.store_path))
    array.update_attributes({})  # writes the metadata
    return array


def _write_array(
    store, path, shape=None, data=None, chunks=True, dtype=None, compressor="default",
    fill_value=0, order="C", filters=None, object_codec=None, dimension_separator=None,
    overwrite=False, attributes=None, write_empty_chunks=True, **others,
):  # fmt: skip
    """Implements version 2's create() by version 3's create_array()."""
    _refuse_arguments(others)
    left = set(others) - set(IDLE) - {"zarr_format", "zarr_version"}
    if left:
        raise TypeError(f"zarr_python.py does not know {sorted(left)} of zarr-python 2")
    data = None if data is None else np.asanyarray(data)
    if shape is None:
        shape = data.shape
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
    if dtype is None:
        dtype = "f8" if data is None else data.dtype
    element, filters = _element(dtype, object_codec, filters, shape)
    if getattr(element, "names", None) and _holds_times(element) and not filters and compressor:
        unsupported("with numcodecs compresses no structures with times in them")
    if isinstance(element, np.dtype):
        _refuse_structure(element)
    own_filters = filters if getattr(element, "kind", None) == "U" else []
    try:
        array = _native["create_array"](
            store, name=path or None, shape=shape, dtype=element, chunks=_chunks(chunks, shape),
            compressors=numcodecs.Blosc() if compressor == "default" else compressor,
            filters=None if own_filters else filters or None, fill_value=fill_value, order=order,
            zarr_format=2,
            chunk_key_encoding={"name": "v2", "separator": dimension_separator or "."},
            overwrite=overwrite, attributes=attributes,
            config={"write_empty_chunks": write_empty_chunks},
        )  # fmt: skip
        if own_filters:
            array = _with_filters(array, own_filters)
        if data is not None and data.size:
            array[...] = data
    except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError) as error:
        if isinstance(element, np.dtype) and element.kind in "biufcSU":
            raise
        unsupported(f"writes no {element} in Zarr version 2: {type(error).__name__} {error}")
    return array


def _create(shape, chunks=True, dtype=None, compressor="default", fill_value=0, order="C",
            store=None, synchronizer=None, overwrite=False, path=None, **others):  # fmt: skip
    if others.get("zarr_format") == 3:
        raise NotImplementedError("zarr_python.py writes Zarr version 2 only")
    return _write_array(
        {} if store is None else _store(store, "a"), path, shape, None, chunks, dtype, compressor,
        fill_value, order, synchronizer=synchronizer, overwrite=overwrite, **others,
    )  # fmt: skip


def _save_array(store, arr, path=None, **others):
    _write_array(_store(store, "w"), path, data=arr, overwrite=True, **others)


def _open_array(store=None, mode="a", path=None, **others):
    _refuse_arguments(others)
    store = _store(store, mode)
    known = {"storage_options": others.pop("storage_options", None)}
    if mode not in ("w", "w-", "x"):
        try:
            return _call(
                "open_array", store=store, mode="r+" if mode == "a" else mode, path=path or "",
                zarr_format=2, **known,
            )  # fmt: skip
        except FileNotFoundError:
            if mode != "a" or "shape" not in others:
                raise
    return _write_array(store, path, overwrite=mode == "w", **others)


def _open(store=None, mode="a", path=None, **others):
    if "shape" in others:
        return _open_array(store, mode, path, **others)
    _refuse_arguments(others)
    for name in IDLE:
        others.pop(name, None)
    others.setdefault("zarr_format", 2)
    return _call("open", _store(store, mode), mode=mode, path=path, **others)


def _open_group(store=None, mode="a", **others):
    """Opens a group. Like version 2, reads consolidated metadata only if the caller asks for it."""
    _refuse_arguments(others)
    others.pop("cache_attrs", None)
    others = {"zarr_format": 2, "use_consolidated": False, **others}
    return _call("open_group", _store(store, mode), mode=mode, **others)


def _open_consolidated(store, metadata_key=".zmetadata", mode="r+", **others):
    _refuse_arguments(others)
    others = {"zarr_format": 2, "use_consolidated": metadata_key, **others}
    return _call("open_group", _store(store, mode), mode=mode, **others)


def _consolidate_metadata(store, metadata_key=".zmetadata", path=None, **others):
    if metadata_key != ".zmetadata":
        unsupported("has no metadata_key")
    others.setdefault("zarr_format", 2)
    if (pathlib.Path(getattr(store, "path", store)) / (path or "") / ".zarray").is_file():
        unsupported("consolidates no store that is an array")
    try:
        return _native["consolidate_metadata"](_store(store, "a"), path=path, **others)
    except TypeError as error:
        if "ndarray is not JSON serializable" not in str(error):
            raise
        unsupported("consolidates no fill value of complex numbers")


def _group(store=None, overwrite=False, path=None, **others):
    _refuse_arguments(others)
    others.setdefault("zarr_format", 2)
    return _native["group"](_store(store, "a"), overwrite=overwrite, path=path, **others)


def _in_group(group, name):
    return "/".join(part for part in (group.path, str(name).strip("/")) if part)


def _create_dataset(self, name, **arguments):
    return _write_array(self.store, _in_group(self, name), **arguments)


def _array(self, name, data, **arguments):
    return _write_array(self.store, _in_group(self, name), data=data, **arguments)


def _get_item(self, name):
    return _call("get_item", self, name)


def _read(self, selection):
    """Returns the selected values. Version 3 wraps the only element of an array without dimensions in an
    array; this function unwraps the element."""
    values = _native["read"](self, selection)
    if isinstance(values, (str, bytes)):
        values = np.array(values, self.dtype)
    if isinstance(values, np.ndarray) and values.dtype.kind == "T":  # strings, since version 3.1
        values = values.astype(object)
    if isinstance(values, np.ndarray) and values.dtype == object and values.ndim == 0:
        values = np.array(getattr(values[()], "item", values.item)(), object)
    return values


def _visititems(self, visit):
    for name, node in sorted(self.members(max_depth=None), key=lambda member: member[0]):
        answer = visit(name, node)
        if answer is not None:
            return answer
    return None


def _put(self, attributes):
    """Replaces all attributes of a node. Version 3.0 only writes the attributes to the store, so this
    function also changes the Python object."""
    own = self._obj.metadata.attributes
    attributes = dict(attributes)
    own.clear()
    own.update(attributes)
    self._obj.update_attributes(attributes)


def _set_item(self, key, value):
    self.put({**self.asdict(), key: value})


def _update(self, *others, **more):
    self.put({**self.asdict(), **dict(*others, **more)})


def adapt():
    """Gives zarr-python 3 the functions and defaults of version 2 that tests use. Does nothing with version
    2. A process that a test starts calls adapt() itself."""
    if not IS_3 or _native:
        return
    functions = {
        "open": _open, "open_array": _open_array, "open_group": _open_group, "group": _group,
        "open_consolidated": _open_consolidated, "consolidate_metadata": _consolidate_metadata,
        "create": _create, "save_array": _save_array, "create_array": None,
    }  # fmt: skip
    for name, function in functions.items():
        _native[name] = getattr(zarr, name)
        if function is not None:
            setattr(zarr, name, functools.wraps(_native[name])(function))
    zarr.config.set({"array.write_empty_chunks": True, "default_zarr_format": 2})
    for name in CODECS:
        for module in (zarr, zarr.codecs):
            if hasattr(numcodecs, name):  # version 3.4 has different functions under these names
                setattr(module, name, getattr(numcodecs, name))
    for module in (zarr, zarr.storage):
        module.DirectoryStore = zarr.storage.LocalStore
        module.ZipStore = zarr.storage.ZipStore
    zarr.ProcessSynchronizer = _refuse("has no ProcessSynchronizer")
    zarr.ThreadSynchronizer = _refuse("has no ThreadSynchronizer")
    zarr.NestedDirectoryStore = zarr.storage.NestedDirectoryStore = _refuse(
        "has no NestedDirectoryStore"
    )
    zarr.storage.migrate_1to2 = _refuse("reads no Zarr version 1: it has no migrate_1to2")
    zarr.storage.LocalStore.path = property(lambda self: str(self.root))
    zarr.Group.create_dataset, zarr.Group.array = _create_dataset, _array
    zarr.Group.visititems = _visititems
    _native["get_item"], zarr.Group.__getitem__ = zarr.Group.__getitem__, _get_item
    _native["read"], zarr.Array.__getitem__ = zarr.Array.__getitem__, _read
    zarr.Array._dimension_separator = property(lambda self: self.metadata.dimension_separator)
    attributes = type(zarr.Group.attrs.fget(_native["group"](zarr_format=2)))
    attributes.put, attributes.__setitem__, attributes.update = _put, _set_item, _update
