# SPDX-License-Identifier: MIT
"""Reads multidimensional arrays through GDAL's C functions.

The Python bindings of GDAL 3.6 cannot read strings with several dimensions or structures with strings. This
module describes an element as a list of leaves (label, offset in bytes, GDALDataType). A leaf is a number or a
string; the type of a string is None. The label of a plain number or string is "". The label of a structure's
member is "outer.inner"."""

import ctypes

import numpy as np
import zarr_gdal
from osgeo import _gdal, gdal, gdal_array

# The library of the Python bindings is linked to GDAL. It gives access to GDAL's functions, however the file of
# GDAL's own library is named.
_LIBRARY = ctypes.CDLL(_gdal.__file__)
_LIBRARY.GDALMDArrayRead.argtypes = [ctypes.c_void_p] * 8 + [ctypes.c_size_t]
_LIBRARY.GDALMDArrayGetRawNoDataValue.argtypes = [ctypes.c_void_p]
_LIBRARY.GDALMDArrayGetRawNoDataValue.restype = ctypes.c_void_p
_LIBRARY.GDALAttributeReadAsRaw.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
_LIBRARY.GDALAttributeReadAsRaw.restype = ctypes.c_void_p
_LIBRARY.VSIFree.argtypes = [ctypes.c_void_p]
_LIBRARY.VSIFree.restype = None
_LIBRARY.GDALCopyWords64.argtypes = [
    ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
    ctypes.c_ssize_t,
]  # fmt: skip
_LIBRARY.GDALCopyWords64.restype = None

NUMBER_TYPES = [
    gdal.GDT_Byte, gdal.GDT_UInt16, gdal.GDT_Int16, gdal.GDT_UInt32, gdal.GDT_Int32,
    gdal.GDT_UInt64, gdal.GDT_Int64, gdal.GDT_Float32, gdal.GDT_Float64, gdal.GDT_CInt16,
    gdal.GDT_CInt32, gdal.GDT_CFloat32, gdal.GDT_CFloat64,
]  # fmt: skip
_UNTOUCHED = 0xA5  # byte that fills a buffer before reading


def open_group(name, *options):
    """Returns the root group of a dataset; fails the test with GDAL's message if it does not
    open."""
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER, open_options=list(options))
    assert dataset is not None, f"{name} does not open: {log.events}"
    assert log.errors == [], f"{name} opens, but with errors: {log.events}"
    assert dataset.GetDriver().ShortName == "Zarr"
    return dataset.GetRootGroup()


def open_array(name, path=None):
    """Returns the array with the full name `path`; without `path`, the only array of the root group."""
    root = open_group(name)
    if path is None:
        (path,) = root.GetMDArrayNames()
        array = root.OpenMDArray(path)
    else:
        array = root.OpenMDArrayFromFullname("/" + path.lstrip("/"))
    assert array is not None, f"{name}: no array {path!r}: {gdal.GetLastErrorMsg()}"
    return array


def is_same(a, b):
    """True if `a` and `b` are two Python objects that refer to one GDAL object."""
    return a is not b and _address(a) == _address(b)


def _address(proxy):
    return ctypes.c_void_p.from_address(int(proxy.this)).value


def number_dtype(code):
    """Returns a NumPy type that can hold the elements of a GDALDataType. NumPy has no complex integers, so unsigned
    integers of the same size hold the bits of complex integers."""
    integers = {gdal.GDT_CInt16: "u4", gdal.GDT_CInt32: "u8"}
    return np.dtype(integers.get(code) or gdal_array.GDALTypeCodeToNumericTypeCode(code))


def leaves(data_type, offset=0, label=""):
    """Returns the leaves of an ExtendedDataType, in order. The module's docstring describes a leaf."""
    if data_type.GetClass() == gdal.GEDTC_NUMERIC:
        return [(label, offset, data_type.GetNumericDataType())]
    if data_type.GetClass() == gdal.GEDTC_STRING:
        return [(label, offset, None)]
    found = []
    for member in data_type.GetComponents():
        name = f"{label}.{member.GetName()}" if label else member.GetName()
        found += leaves(member.GetType(), offset + member.GetOffset(), name)
    return found


def convert(values, code):
    """Returns the numbers `values` converted to the GDALDataType `code` by GDAL's own rules."""
    values = np.array(values, order="C")
    source = gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype.type)
    converted = np.empty(values.shape, number_dtype(code))
    _LIBRARY.GDALCopyWords64(
        values.ctypes.data, source, values.itemsize, converted.ctypes.data, code,
        converted.itemsize, values.size,
    )  # fmt: skip
    return converted


class Buffer:
    """Memory for elements of a GDAL type. Guard bytes lie before, between and after the elements.

    `stride` is the step along each dimension, counted in elements; it may be negative."""

    def __init__(self, count, stride, data_type):
        self.count, self.stride, self.type = tuple(count), tuple(stride), data_type
        self.size = data_type.GetSize()
        reach = [(n - 1) * s for n, s in zip(count, stride)]
        before = 1 - sum(r for r in reach if r < 0)
        after = 2 + sum(r for r in reach if r > 0)
        self.bytes = np.full((before + after) * self.size, _UNTOUCHED, np.uint8)
        self.first = before * self.size

    def view(self, offset, dtype):
        """Returns, as an array, the values that lie `offset` bytes after the start of each element."""
        strides = [s * self.size for s in self.stride]
        return np.ndarray(self.count, dtype, self.bytes, self.first + offset, strides)

    def is_intact(self):
        """True if all guard bytes are unchanged."""
        beside = np.ones(self.bytes.size, bool)
        element = np.dtype((np.void, self.size))
        Buffer.view(_Shadow(self, beside), 0, element)[...] = np.zeros((), element)
        return bool((self.bytes[beside] == _UNTOUCHED).all())

    def take(self):
        """Returns {label: values}. Numbers are arrays; strings are object arrays of bytes, with None for a
        null pointer. Frees the memory of the strings."""
        taken = {}
        for label, offset, code in leaves(self.type):
            if code is None:
                taken[label] = _take_strings(self.view(offset, np.uintp))
            else:
                taken[label] = np.array(self.view(offset, number_dtype(code)), order="C")
        return taken


class _Shadow:
    """Object with the layout of `buffer` and the bytes `memory`. Buffer.view() of this object shows which bytes of
    `buffer` belong to elements."""

    def __init__(self, buffer, memory):
        self.count, self.stride, self.size = buffer.count, buffer.stride, buffer.size
        self.bytes, self.first = memory, buffer.first


def _take_strings(pointers):
    strings = np.empty(pointers.shape, object)
    for i, pointer in enumerate(pointers.ravel().tolist()):
        strings.flat[i] = ctypes.string_at(pointer) if pointer else None
        _LIBRARY.VSIFree(pointer)
    return strings


def compact(count):
    """Returns the strides, in elements, of an array of the shape `count` in C order."""
    stride, step = [], 1
    for size in reversed(count):
        stride.insert(0, step)
        step *= size
    return stride


def _call(array, start, count, step, buffer):
    rank = array.GetDimensionCount()
    memory = buffer.bytes.ctypes.data
    return bool(_LIBRARY.GDALMDArrayRead(
        int(array.this), (ctypes.c_uint64 * rank)(*start), (ctypes.c_size_t * rank)(*count),
        (ctypes.c_int64 * rank)(*step), (ctypes.c_ssize_t * rank)(*buffer.stride),
        int(buffer.type.this), memory + buffer.first, memory, buffer.bytes.size,
    ))  # fmt: skip


def is_refused(array, start, count, step):
    """True if reading a window into a buffer of one element fails and writes nothing. The window may be
    larger than the machine's memory."""
    rank = array.GetDimensionCount()
    buffer = Buffer([1] * rank, [0] * rank, array.GetDataType())
    return not _call(array, start, count, step, buffer) and buffer.is_intact()


def read_into(array, count, stride, start=None, step=None, data_type=None):
    """Reads a window into a new Buffer and returns the Buffer; its `is_read` is True if GDAL reports
    success. Asserts that the guard bytes are unchanged."""
    rank = array.GetDimensionCount()
    buffer = Buffer(count, stride, data_type or array.GetDataType())
    buffer.is_read = _call(array, start or [0] * rank, count, step or [1] * rank, buffer)
    assert buffer.is_intact(), "memory beside the elements was written to"
    return buffer


def read(array, start=None, count=None, step=None, stride=None, data_type=None):
    """Returns {label: values} of a window, as Buffer.take() does; None if GDAL reports failure."""
    count = [d.GetSize() for d in array.GetDimensions()] if count is None else count
    stride = compact(count) if stride is None else stride
    buffer = read_into(array, count, stride, start, step, data_type)
    return buffer.take() if buffer.is_read else None


def raw_nodata(array):
    """Returns the nodata value as {label: value}, in the array's data type; None if the array has no nodata
    value."""
    pointer = _LIBRARY.GDALMDArrayGetRawNoDataValue(int(array.this))
    if not pointer:
        return None
    return _element(ctypes.string_at(pointer, array.GetDataType().GetSize()), array.GetDataType())


def _element(data, data_type):
    found = {}
    for label, offset, code in leaves(data_type):
        if code is None:
            address = int(np.frombuffer(data, np.uintp, 1, offset)[0])
            found[label] = ctypes.string_at(address) if address else None
        else:
            found[label] = np.frombuffer(data, number_dtype(code), 1, offset)[0]
    return found


def attribute_numbers(attribute):
    """Returns the exact values of a numeric attribute, as a list of Python numbers."""
    size = ctypes.c_size_t()
    pointer = _LIBRARY.GDALAttributeReadAsRaw(int(attribute.this), ctypes.byref(size))
    assert pointer, f"{attribute.GetName()} does not read: {gdal.GetLastErrorMsg()}"
    data = ctypes.string_at(pointer, size.value)
    _LIBRARY.VSIFree(pointer)
    return np.frombuffer(data, number_dtype(attribute.GetDataType().GetNumericDataType())).tolist()
