# SPDX-License-Identifier: MIT
"""A file of netCDF-4 or HDF5 as arrays of references, through the package h5py."""

import io

import numpy as np
from osgeo import gdal

from zarr_cubes.files import is_local, stamp_of
from zarr_cubes.model import Array, Refused, Source

HIDDEN = ("CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS")
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
SMALL = 65536  # values of an array that are read, to compare files
MOST_CHUNKS = 1 << 26


def is_hdf5(start):
    return start[:8] == b"\x89HDF\r\n\x1a\n"


def library(name):
    try:
        import h5py
    except ImportError as why:
        raise Refused(f"{name}: reading HDF5 needs the package h5py: pip install h5py ({why})") from None
    return h5py


class GdalFile(io.RawIOBase):
    """A file of GDAL's file systems, for h5py."""

    def __init__(self, head):
        self.file = head.file
        gdal.VSIFSeekL(self.file, 0, 2)
        self.size = gdal.VSIFTellL(self.file)
        self.at = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def tell(self):
        return self.at

    def readinto(self, buffer):
        gdal.VSIFSeekL(self.file, self.at, 0)
        data = gdal.VSIFReadL(1, len(buffer), self.file) or b""
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


def scan(head, options):
    h5py = library(head.name)
    source = Source(head.name, stamp_of(head.name))
    try:
        with h5py.File(head.name if is_local(head.name) else io.BufferedReader(GdalFile(head), 1 << 16), "r") as file:
            source.attrs = {"": attributes(file)}
            file.visititems(lambda path, item: add(h5py, source, path, item))
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as why:
        raise Refused(f"{head.name}: HDF5: {why}") from None
    if not source.arrays:
        raise Refused(f"{head.name}: no arrays of numbers")
    return source


def add(h5py, source, path, item):
    if isinstance(item, h5py.Group):
        source.attrs[path] = attributes(item)
    elif isinstance(item, h5py.Dataset) and item.shape is not None and item.dtype.kind in "iufb" and not is_hidden(item):
        source.arrays[path] = array_of(h5py, source.name, path, item)


def is_hidden(item):
    return bytes(item.attrs.get("NAME", b"")).startswith(NO_VARIABLE)


def attributes(item):
    found = {}
    for name, value in item.attrs.items():
        if name not in HIDDEN and not name.startswith(("_Netcdf4", "_nc3_strict", "_NCProperties")):
            plain = as_plain(value)
            if plain is not None:
                found[name] = plain
    return found


def as_plain(value):
    """Returns an attribute as JSON has it; None for references and other types."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value
    value = np.asarray(value)
    if value.dtype.kind not in "iufbSO" or value.dtype.kind == "O" and not all(isinstance(v, (str, bytes)) for v in value.flat):
        return None
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        return "NaN" if value.size == 1 and np.isnan(value.flat[0]) else None
    plain = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in value.ravel().tolist()]
    return plain[0] if value.size == 1 else plain


def dimensions(item, path):
    if item.attrs.get("CLASS") == b"DIMENSION_SCALE" and item.ndim == 1 and "DIMENSION_LIST" not in item.attrs:
        return (path.rpartition("/")[2],)
    names = []
    for axis in range(item.ndim):
        scales = list(item.dims[axis].values()) if "DIMENSION_LIST" in item.attrs else []
        names.append(scales[0].name.rpartition("/")[2] if scales else f"{path.replace('/', '_')}_dim{axis}")
    return tuple(names)


def array_of(h5py, name, path, item):
    attrs = attributes(item)
    where = f"{name}: {path}"
    compressor, filters = codecs_of(item, where)
    shape = tuple(int(size) for size in item.shape)
    chunks = tuple(int(size) for size in item.chunks or [max(size, 1) for size in shape])
    array = Array(dimensions(item, path), shape, chunks, "|b1" if item.dtype.kind == "b" else item.dtype.str, compressor, filters)
    if np.prod(array.grid, dtype=object) > MOST_CHUNKS:
        raise Refused(f"{where}: more than {MOST_CHUNKS} chunks")
    array.fill = fill_of(item)
    array.attrs = attrs
    if "_FillValue" in attrs:
        attrs["_FillValue"] = array.fill
    if item.size <= SMALL and item.ndim < 2:
        array.values = item[()] if item.ndim else np.array(item[()], item.dtype)
    locate(item, array, where)
    return array


def fill_of(item):
    """Returns _FillValue, else a fill value that is not 0: readers of Zarr v2 take each fill value for nodata."""
    stated = item.attrs.get("_FillValue")
    value = np.ravel(stated)[0] if stated is not None else item.fillvalue
    value = np.asarray(value, item.dtype).item()
    return value if stated is not None or value else None


def codecs_of(item, where):
    plist = item.id.get_create_plist()
    codecs = []
    for i in range(plist.get_nfilters()):
        number, _, values, name = plist.get_filter(i)
        known = {1: {"id": "zlib"}, 2: {"id": "shuffle", "elementsize": item.dtype.itemsize}, 3: {"id": "fletcher32"},
                 32015: {"id": "zstd"}}  # fmt: skip
        if number == 32001:
            codecs.append({"id": "blosc"})
        elif number in known:
            codecs.append(known[number])
        else:
            text = name.decode("ascii", "replace")
            raise Refused(f"{where}: the filter {number} ({text}) has no codec in Zarr; nccopy -d1 -s makes a file with deflate")
    if codecs and codecs[-1]["id"] in ("zlib", "zstd", "blosc"):
        return codecs[-1], codecs[:-1] or None
    return None, codecs or None


def locate(item, array, where):
    count = int(np.prod(array.grid, dtype=object))
    array.offsets, array.lengths = np.zeros(count, "u8"), np.zeros(count, "u8")
    if item.chunks is None:
        offset = item.id.get_offset()
        if offset is not None and count:
            array.offsets[0], array.lengths[0] = offset, item.nbytes
        elif count and item.id.get_storage_size():
            array.inline[0] = np.ascontiguousarray(item[()]).tobytes()  # in the header of the file ("compact")
        return
    grid = array.grid

    def found(info):
        if info.filter_mask:
            raise Refused(f"{where}: a chunk at {info.chunk_offset} does not use all filters; nccopy writes the file again")
        at = np.ravel_multi_index([o // c for o, c in zip(info.chunk_offset, array.chunks)], grid)
        array.offsets[at], array.lengths[at] = info.byte_offset, info.size

    if hasattr(item.id, "chunk_iter"):
        item.id.chunk_iter(found)
    else:
        for i in range(item.id.get_num_chunks()):
            found(item.id.get_chunk_info(i))
