# SPDX-License-Identifier: MIT
"""Creates and changes stores through GDAL's multidimensional API.

write() passes values with any strides to GDAL's C functions. zarr_mdim.py describes the leaves of elements."""

import ctypes

import numpy as np
import zarr_gdal
import zarr_mdim
from osgeo import gdal

_LIBRARY = zarr_mdim._LIBRARY
_LIBRARY.GDALMDArrayWrite.argtypes = [ctypes.c_void_p] * 8 + [ctypes.c_size_t]
_LIBRARY.GDALMDArraySetRawNoDataValue.argtypes = [ctypes.c_void_p] * 2
_LIBRARY.GDALAttributeWriteRaw.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]

DTYPES = {
    gdal.GDT_Byte: "|u1", gdal.GDT_UInt16: "<u2", gdal.GDT_Int16: "<i2", gdal.GDT_UInt32: "<u4",
    gdal.GDT_Int32: "<i4", gdal.GDT_UInt64: "<u8", gdal.GDT_Int64: "<i8", gdal.GDT_Float32: "<f4",
    gdal.GDT_Float64: "<f8", gdal.GDT_CFloat32: "<c8", gdal.GDT_CFloat64: "<c16",
}  # fmt: skip
TEXT = gdal.ExtendedDataType.CreateString()


def number(code):
    return gdal.ExtendedDataType.Create(code)


def create(store, *options):
    """Creates a multidimensional dataset and returns it; fails the test with GDAL's message if creation
    fails."""
    with zarr_gdal.error_log() as log:
        driver = gdal.GetDriverByName("Zarr")
        dataset = driver.CreateMultiDimensional(str(store), [], list(options))
    assert dataset is not None and log.events == [], f"{store}: {log.events}"
    return dataset


def update(store, *options):
    """Opens an existing store in update mode and returns the dataset."""
    flags = gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(str(store), flags, open_options=list(options))
    assert dataset is not None and log.errors == [], f"{store}: {log.events}"
    assert dataset.GetDriver().ShortName == "Zarr"
    return dataset


def dimensions(group, shape, names="abcdefghijkl"):
    return [group.CreateDimension(name, "", "", size) for name, size in zip(names, shape)]


def compound(fields, name="record"):
    """Returns a compound data type, aligned as in C. `fields` are pairs (name, type); a list of such pairs
    as type makes a nested compound."""
    components, offset = [], 0
    for field, kind in fields:
        kind = compound(kind, field) if isinstance(kind, list) else kind
        size = kind.GetSize()
        offset = -(-offset // 8) * 8
        components.append(gdal.EDTComponent.Create(field, offset, kind))
        offset += size
    return gdal.ExtendedDataType.CreateCompound(name, -(-offset // 8) * 8, components)


def fill(buffer, values):
    """Copies {field name: values} into a zarr_mdim.Buffer; the name of a plain element is "". Returns Python objects
    that must live as long as the buffer is used."""
    alive = []
    for label, offset, code in zarr_mdim.leaves(buffer.type):
        if code is not None:
            buffer.view(offset, zarr_mdim.number_dtype(code))[...] = values[label]
            continue
        view = buffer.view(offset, np.uintp)
        for index in np.ndindex(*buffer.count):
            text = values[label][index]
            alive.append(None if text is None else ctypes.create_string_buffer(text))
            view[index] = 0 if text is None else ctypes.addressof(alive[-1])
    return alive


def write(array, values, start=None, step=None, stride=None, data_type=None):
    """Writes {field name: values} to an array; the name of a plain element is "". Returns True if GDAL reports success.
    Asserts that GDAL leaves the caller's memory unchanged."""
    rank = array.GetDimensionCount()
    count = np.shape(next(iter(values.values())))
    buffer = zarr_mdim.Buffer(
        count, zarr_mdim.compact(count) if stride is None else stride,
        data_type or array.GetDataType(),
    )  # fmt: skip
    alive = fill(buffer, values)
    before, memory = buffer.bytes.tobytes(), buffer.bytes.ctypes.data
    done = _LIBRARY.GDALMDArrayWrite(
        int(array.this), (ctypes.c_uint64 * rank)(*(start or [0] * rank)),
        (ctypes.c_size_t * rank)(*count), (ctypes.c_int64 * rank)(*(step or [1] * rank)),
        (ctypes.c_ssize_t * rank)(*buffer.stride), int(buffer.type.this), memory + buffer.first,
        memory, buffer.bytes.size,
    )  # fmt: skip
    assert buffer.bytes.tobytes() == before
    del alive
    return bool(done)


def set_nodata(array, values):
    """Sets the array's nodata value to {field name: value}; None removes the nodata value. Returns True if GDAL reports
    success."""
    if values is None:
        return bool(_LIBRARY.GDALMDArraySetRawNoDataValue(int(array.this), None))
    buffer = zarr_mdim.Buffer([], [], array.GetDataType())
    alive = fill(buffer, {label: np.array(value) for label, value in values.items()})
    address = buffer.bytes.ctypes.data + buffer.first
    done = bool(_LIBRARY.GDALMDArraySetRawNoDataValue(int(array.this), address))
    del alive
    return done


def write_attribute(attribute, values):
    """Writes all elements of an attribute from {field name: values}, in C order. Returns True if GDAL reports
    success."""
    count = [int(np.prod(attribute.GetDimensionsSize() or [1], dtype=int))]
    buffer = zarr_mdim.Buffer(count, [1], attribute.GetDataType())
    flat = {label: np.asarray(items, object).reshape(count) for label, items in values.items()}
    alive = fill(buffer, flat)
    size = count[0] * buffer.size
    done = _LIBRARY.GDALAttributeWriteRaw(
        int(attribute.this), buffer.bytes.ctypes.data + buffer.first, size
    )
    del alive
    return bool(done)


def flatten(values, label=""):
    """Converts values of zarr-python to {field name: values}; the name of a plain element is "". Strings become bytes
    in UTF-8."""
    if values.dtype.names:
        flat = {}
        for name in values.dtype.names:
            field = values[name]
            extra = field.ndim - values.ndim
            for index in np.ndindex(*field.shape[values.ndim :]):
                number = np.ravel_multi_index(index, field.shape[values.ndim :]) if extra else 0
                own = (f"{label}." if label else "") + name + (f"[{number}]" if extra else "")
                flat.update(flatten(field[(Ellipsis, *index)], own))
        return flat
    if values.dtype.kind in "OSTU":
        texts = np.empty(values.shape, object)
        for index in np.ndindex(*values.shape):
            text = values[index]
            texts[index] = text if isinstance(text, bytes) else (text or "").encode()
        return {label: texts}
    return {label: values}


def assert_leaves(got, wanted, what=""):
    assert list(got) == list(wanted), what
    for label, values in wanted.items():
        if values.dtype == object:
            assert got[label].tolist() == values.tolist(), f"{what}: {label}"
        else:
            np.testing.assert_array_equal(got[label], values, err_msg=f"{what}: {label}")
