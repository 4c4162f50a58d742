# SPDX-License-Identifier: MIT
"""zarr-python 3 for tests that run in Zarr v2 and v3: `import zarr_python as zarr`.

Functions have the names of zarr-python's functions. Only open_consolidated() reads consolidated metadata, because tests
check metadata documents. Attributes (names of dimensions, OME-NGFF and _FillValue) are spelled as in Zarr v2, even in
v3. create_dataset() accepts the arguments of zarr-python 2, codecs of numcodecs included.

zarr2.py runs zarr-python 2 for structures that version 3 does not write or read. zarr3_arrays.py uses zarr-python 3 for
documents of Zarr v3."""

import dataclasses
import json
import pathlib

import numcodecs
import numpy as np
import zarr
import zarr2
import zarr_as_v3
from zarr import __version__  # noqa: F401
from zarr.storage import LocalStore, ZipStore
from zarr_formats import is_v3
from zarr_tools import temporary

IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2


def meaning(documents):
    """Returns {key: metadata document} in a form for comparisons. The form omits empty documents, and members that
    zarr-python 3 adds without a meaning."""
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


# ---------------------------------------------------------------------------------------------
# Nodes


def _document(node):
    return json.loads(json.dumps(node.metadata.to_dict()))


class Attributes(dict):
    """Attributes of a v3 node, spelled as in Zarr v2. Assignments change the store."""

    def __init__(self, node):
        super().__init__(zarr_as_v3.attributes_of(_document(node)))
        self._node = node

    asdict = dict.copy

    def put(self, attributes):
        attributes, document = dict(attributes), _document(self._node)
        zarr_as_v3.put_attributes(document, attributes)
        self._node.put_members(document["attributes"], document.get("dimension_names"))
        self.clear()
        super().update(attributes)

    def update(self, *others, **more):
        self.put({**self, **dict(*others, **more)})

    def __setitem__(self, name, value):
        self.update({name: value})

    def __delitem__(self, name):
        self.put({key: value for key, value in self.items() if key != name})


class Array(zarr.Array):
    """An array whose attributes are spelled as in Zarr v2."""

    @property
    def attrs(self):
        return Attributes(self) if self.metadata.zarr_format == 3 else super().attrs

    @property
    def fill_value(self):
        """Returns the fill value. In Zarr v3, returns None if the fill value is not the nodata value."""
        has_fill = self.metadata.zarr_format == 2 or zarr_as_v3.is_fill_nodata(_document(self))
        return super().fill_value if has_fill else None

    def put_members(self, attributes, dimension_names):
        """Replaces the attributes and the names of dimensions. zarr-python itself cannot change the names."""
        metadata = dataclasses.replace(
            self.metadata, attributes=attributes, dimension_names=dimension_names
        )
        old = self._async_array
        self._async_array = zarr.AsyncArray(metadata, old.store_path, old._config)
        self.update_attributes({})  # writes the metadata, although no attribute changes

    def __getitem__(self, selection):
        """Returns the selected values. zarr-python 3 wraps the only element of an array without dimensions in
        an array; this function unwraps the element."""
        values = super().__getitem__(selection)
        if isinstance(values, (str, bytes)):
            values = np.array(values, self.dtype)
        if isinstance(values, np.ndarray) and values.dtype.kind == "T":
            values = values.astype(object)
        if isinstance(values, np.ndarray) and values.dtype == object and values.ndim == 0:
            values = np.array(getattr(values[()], "item", values.item)(), object)
        return values


class OldArray:
    """An array of structures that zarr-python 3 cannot read. zarr-python 2 reads its values in another process."""

    def __init__(self, store, path):
        self.store, self.path = store, path

    def __getitem__(self, selection):
        return zarr2.call("read", str(self.store.root), self.path)[selection]

    @property
    def dtype(self):
        return self[...].dtype

    @property
    def attrs(self):
        file = self.store.root / self.path / ".zattrs"
        return json.loads(file.read_text()) if file.exists() else {}


def _join(path, name):
    return "/".join(part for part in (path, str(name).strip("/")) if part)


class Group(zarr.Group):
    """A group whose attributes are spelled as in Zarr v2. Its members are of the classes Array and Group."""

    @property
    def attrs(self):
        return Attributes(self) if self.metadata.zarr_format == 3 else super().attrs

    def put_members(self, attributes, _dimension_names):
        self.metadata.attributes.clear()
        self.update_attributes(attributes)

    def __getitem__(self, path):
        try:
            return _node(super().__getitem__(path))
        except ValueError as error:
            if "No Zarr data type found that matches" not in str(error):
                raise
            return OldArray(self.store, _join(self.path, path))

    def create_group(self, name, **arguments):
        return _node(super().create_group(name, **arguments))

    def require_group(self, name, **arguments):
        return _node(super().require_group(name, **arguments))

    def create_dataset(self, name, **arguments):
        """Creates an array. Accepts the arguments of write_array()."""
        return write_array(self.store, _join(self.path, name), **arguments)

    def array(self, name, data, **arguments):
        return self.create_dataset(name, data=data, **arguments)

    def members(self, *arguments, **named):
        return [(path, _node(node)) for path, node in super().members(*arguments, **named)]

    def arrays(self):
        return [(name, _node(array)) for name, array in super().arrays()]


def _node(node):
    return Group(node._async_group) if isinstance(node, zarr.Group) else Array(node._async_array)


# ---------------------------------------------------------------------------------------------
# Opening


def _store(store, mode):
    """Returns the zarr-python store for a name: a zip file (*.zip) or a path, in which "?" begins no query of a URL.
    Raises ValueError if mode "w" would overwrite a folder outside of the temporary folder."""
    if isinstance(store, (str, pathlib.Path)) and str(store).endswith(".zip"):
        return ZipStore(str(store), mode="r" if mode == "r+" else mode)
    if mode == "w" and isinstance(store, (str, pathlib.Path, LocalStore)):
        temporary(_folder(store))
    return pathlib.Path(store) if isinstance(store, str) and "://" not in store else store


def open_group(store, mode="a", **more):
    return _node(zarr.open_group(_store(store, mode), mode=mode, use_consolidated=False, **more))


def open_consolidated(store, mode="r+", **more):
    return _node(zarr.open_group(_store(store, mode), mode=mode, use_consolidated=True, **more))


def open_array(store, mode="a", path=None, **more):
    """Opens an array. Creates the array with the arguments of write_array() if the mode demands it."""
    store = _store(store, mode)
    if mode not in ("w", "w-", "x"):
        try:
            return _node(zarr.open_array(store, mode="r+" if mode == "a" else mode, path=path or ""))
        except FileNotFoundError:
            if mode != "a" or "shape" not in more:
                raise
    return write_array(store, path, overwrite=mode == "w", **more)


def open(store, mode="a", path=None, **more):
    """Opens a node; creates an array if the argument `shape` is given."""
    if "shape" in more:
        return open_array(store, mode, path, **more)
    store = _store(store, mode)
    node = zarr.open(store, mode=mode, path=path, **more)
    if isinstance(node, zarr.Group):  # open_group() ignores consolidated metadata; zarr.open() uses it
        return open_group(store, "r" if mode == "r" else "r+", path=path)
    return _node(node)


def save_array(store, values, path=None, **more):
    write_array(_store(store, "w"), path, data=values, overwrite=True, **more)


def consolidate_metadata(store, path=None):
    return zarr.consolidate_metadata(_store(store, "a"), path=path)


# ---------------------------------------------------------------------------------------------
# Writing


def _chunks(chunks, shape):
    if chunks is True:
        return "auto"
    return tuple(map(int, (chunks,) * len(shape) if np.isscalar(chunks) else chunks))


def _element(dtype, object_codec, filters):
    """Returns (dtype, filters) with the object codec added to the filters, as zarr-python 2 does."""
    filters = list(filters or [])
    if dtype is str or dtype is bytes:
        codec = numcodecs.VLenUTF8 if dtype is str else numcodecs.VLenBytes
        object_codec = object_codec or codec()
        dtype = object
    if isinstance(dtype, list):
        dtype = [tuple(field) for field in dtype]
    if object_codec is not None:
        filters.insert(0, object_codec)
    return np.dtype(dtype), filters


def _data_type(dtype, filters):
    """Returns the data type of an array in the form that zarr-python accepts."""
    if dtype != object:
        return dtype
    kinds = {"vlen-utf8": "VariableLengthUTF8", "vlen-bytes": "VariableLengthBytes"}
    return getattr(zarr.dtype, kinds[filters[0].codec_id])()


def _v3_members(array, attributes):
    """Returns arguments for zarr.create_array(), which describe a v3 array. `array` has members of a .zarray."""
    # An array whose chunks are in nested folders keeps its v2 chunk keys in v3.
    separator = None if array["dimension_separator"] == "/" else "/"
    document = zarr_as_v3.array_document(array, attributes, separator)
    codecs, dtype, fill_value = document["codecs"], array["dtype"], array["fill_value"]
    at = [c["name"] in ("bytes", *zarr_as_v3.TEXT_CODECS) for c in codecs].index(True)
    if fill_value is None and dtype.kind in "mMV":
        fill_value = np.zeros((), dtype)[()]
    return {
        "filters": codecs[:at], "serializer": codecs[at], "compressors": codecs[at + 1 :],
        "attributes": document["attributes"], "dimension_names": document.get("dimension_names"),
        "chunk_key_encoding": document["chunk_key_encoding"],
        **({} if fill_value is None else {"fill_value": fill_value}),
    }  # fmt: skip


def _is_for_zarr2(dtype):
    """True for structures that zarr-python 3 cannot write: their fields include arrays, structures or times."""
    fields = [dtype[name] for name in dtype.names or ()]
    return any(field.names or field.subdtype or field.kind in "mM" for field in fields)


def _folder(store):
    """Returns the folder of `store`, which is a LocalStore or a pathlib.Path."""
    return store.root if isinstance(store, LocalStore) else store


def write_array(
    store, path, shape=None, data=None, chunks=True, dtype=None, compressor="default",
    fill_value=0, order="C", filters=None, object_codec=None, dimension_separator=None,
    overwrite=False, attributes=None, write_empty_chunks=True,
):  # fmt: skip
    """Creates an array in the tested format. If `fill_value` is None, the array has no fill value in Zarr v2,
    and no nodata value in v3."""
    data = None if data is None else np.asanyarray(data)
    if shape is None:
        shape = data.shape
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(map(int, shape))
    if dtype is None:
        dtype = "f8" if data is None else data.dtype
    dtype, filters = _element(dtype, object_codec, filters)
    if overwrite:
        store = _store(store, "w")
    compressor = numcodecs.Blosc() if compressor == "default" else compressor
    if not is_v3() and _is_for_zarr2(dtype):
        configurations = [_without_idle(codec.get_config()) for codec in filters]
        zarr2.call(
            "create", str(_folder(store)), path, data, attributes, chunks=chunks, order=order,
            compressor=compressor and _without_idle(compressor.get_config()), filters=configurations or None,
            fill_value=fill_value, dimension_separator=dimension_separator or ".",
        )  # fmt: skip
        return OldArray(LocalStore(_folder(store)), path or "")
    if is_v3():
        if dtype.names:  # zarr-python 3 does not state the byte order of structures, which must be little-endian
            dtype = dtype.newbyteorder("<")
        members = _v3_members(
            {"shape": shape, "chunks": [], "dtype": dtype, "order": order, "fill_value": fill_value,
             "compressor": compressor and compressor.get_config(), "dimension_separator": dimension_separator,
             "filters": [codec.get_config() for codec in filters]}, attributes or {})  # fmt: skip
    else:
        members = {
            "filters": filters or None, "compressors": compressor, "fill_value": fill_value,
            "order": order, "attributes": attributes,
            "chunk_key_encoding": {"name": "v2", "separator": dimension_separator or "."},
        }  # fmt: skip
    array = Array(zarr.create_array(
        store, name=path or None, shape=shape, dtype=_data_type(dtype, filters),
        chunks=_chunks(chunks, shape), zarr_format=3 if is_v3() else 2, overwrite=overwrite,
        config={"write_empty_chunks": write_empty_chunks}, **members,
    )._async_array)  # fmt: skip
    if data is not None and data.size:
        array[...] = data
    return array
