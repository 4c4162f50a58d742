# SPDX-License-Identifier: MIT
"""Compares an array that GDAL's multidimensional API reads with zarr-python's values: first the whole array, then
random windows with random memory strides and data types."""

import base64
import codecs
import json

import numpy as np
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr_python import meaning

# Error handler for decoding UTF-8 that gives each invalid byte a replacement character of its own, as GDAL does.
codecs.register_error("each byte", lambda error: ("\ufffd", error.start + 1))
SLICES = 3


def _is_text(item):
    try:
        return b"\0" not in item and item.decode() is not None
    except UnicodeDecodeError:
        return False


def _text(item, is_object):
    """Returns the bytes that GDAL must return for a string element: UTF-8, or "base64:" and base64 if the element is
    not text."""
    if isinstance(item, str):
        item = item.encode()
    elif not isinstance(item, bytes):  # 0 or None, which zarr-python returns for the fill values 0 and null
        item = b""
    if b"\0" in item or item.startswith(b"base64:") or (is_object and not _is_text(item)):
        return b"base64:" + base64.b64encode(item)
    return item.decode("utf-8", "each byte").encode()


def strings(values):
    """Returns elements that are not numbers as the strings that GDAL must return for them, encoded as bytes."""
    out = np.empty(values.shape, object)
    if values.dtype.kind == "V":
        data, size = np.ascontiguousarray(values).tobytes(), values.dtype.itemsize
        for i in range(values.size):
            out.flat[i] = base64.b64encode(data[i * size : (i + 1) * size])
        return out
    for i, item in enumerate(values.ravel().tolist()):
        out.flat[i] = _text(item, values.dtype == object)
    return out


def expected(values, label=""):
    """Converts values of zarr-python to {path of the structure's member: values}, the form of zarr_mdim.read(). The
    path is "" without a structure."""
    if not values.dtype.names:
        is_number = values.dtype.kind in "biufcmM"
        return {label: zarr_gdal.as_gdal(values) if is_number else strings(values)}
    found = {}
    for name in values.dtype.names:
        shape = values.dtype[name].shape
        column = values[name].reshape(values.shape + (int(np.prod(shape, dtype=int)),))
        for i in range(column.shape[-1]):
            member = f"{name}[{i}]" if shape else name
            found.update(expected(column[..., i], f"{label}.{member}" if label else member))
    return found


def type_problem(array, wanted):
    """Returns None if the members of the array's data type are those of `wanted`, in order, aligned as in C, and within
    the element. Otherwise returns a text about the fault."""
    data_type = array.GetDataType()
    found = zarr_mdim.leaves(data_type)
    types = [None if v.dtype == object else zarr_gdal.gdal_type(v.dtype) for v in wanted.values()]
    if [(label, code) for label, _, code in found] != list(zip(wanted, types)):
        return f"type has the leaves {found}, expected {list(zip(wanted, types))}"
    end = 0
    for label, offset, code in found:
        size = 8 if code is None else gdal.GetDataTypeSize(code) // 8
        alignment = size // 2 if code is not None and gdal.DataTypeIsComplex(code) else size
        if offset % alignment or offset < end:
            return f"member {label} lies at {offset}: {found}"
        end = offset + size
    return None if end <= data_type.GetSize() else f"{found} in {data_type.GetSize()} bytes"


def leaf_problem(got, wanted):
    if got is None:
        return f"does not read: {gdal.GetLastErrorMsg()}"
    if list(got) != list(wanted):
        return f"has the leaves {list(got)}, expected {list(wanted)}"
    for label, values in wanted.items():
        if values.dtype != object:
            problem = zarr_gdal.differences(got[label], np.asarray(values))
            if problem:
                return f"{label}: {problem}"
        elif got[label].shape != values.shape or got[label].tolist() != values.tolist():
            pairs = zip(got[label].ravel(), values.ravel())
            return f"{label}: {next((p for p in pairs if p[0] != p[1]), got[label].shape)}"
    return None


def random_window(draw, shape):
    """Returns random start, count and step for each dimension. A step is positive, negative or, rarely, 0."""
    start, count, step = [], [], []
    for size in shape:
        first, last = draw.integer(0, size - 1), draw.integer(0, size - 1)
        pace = draw.choice([1, 1, 2, 3, max(1, abs(last - first))])
        start.append(first)
        if draw.chance(0.05):
            count.append(draw.integer(1, 3))
            step.append(0)
        else:
            count.append(abs(last - first) // pace + 1)
            step.append(pace if last >= first else -pace)
        if count[-1] == 1:
            step[-1] = draw.choice([1, -1, 7, step[-1]])  # a step has no effect if the count is 1
    return start, count, step


def random_stride(draw, count):
    """Returns random strides in memory: dimensions in random order, with gaps, and some in reverse."""
    order = list(range(len(count)))
    if draw.chance(0.6):
        draw.random.shuffle(order)
    stride, pace = [0] * len(count), 1 + draw.choice([0, 0, 1, 2])
    for i in reversed(order):
        stride[i] = -pace if draw.chance(0.25) else pace
        pace = pace * count[i] + draw.choice([0, 0, 0, 3])
    return stride


def window_of(values, start, count, step):
    """Returns the elements of a window of `values`. Unlike in a NumPy slice, a step may be 0."""
    for i in range(values.ndim):
        values = values.take(start[i] + step[i] * np.arange(count[i]), axis=i)
    return values


def _part_of(draw, data_type):
    """Returns a data type that reads only part of `data_type`: some members of a structure, in random order, with gaps
    and other number types."""
    if data_type.GetClass() == gdal.GEDTC_NUMERIC and draw.chance(0.5):
        return gdal.ExtendedDataType.Create(draw.choice(zarr_mdim.NUMBER_TYPES))
    if data_type.GetClass() != gdal.GEDTC_COMPOUND:
        return data_type
    members = list(data_type.GetComponents())
    draw.random.shuffle(members)
    offset, components = 0, []
    for member in members[: draw.integer(1, len(members))]:
        own = _part_of(draw, member.GetType())
        offset = (offset + draw.choice([0, 0, 8]) + 7) // 8 * 8
        components.append(gdal.EDTComponent.Create(member.GetName(), offset, own))
        offset += own.GetSize()
    return gdal.ExtendedDataType.CreateCompound("part", (offset + 7) // 8 * 8, components)


def _ignore_integers_of_nan(got, wanted, source):
    """Makes `got` equal to `wanted` where GDAL converted NaN to an integer. GDALCopyWords() gives 0 or -32768,
    depending on the memory layout."""
    if source.dtype.kind in "fc" and wanted.dtype.kind in "iu":
        got[np.isnan(source)] = wanted[np.isnan(source)]


def slice_problem(draw, array, values):
    start, count, step = random_window(draw, values.shape)
    data_type = _part_of(draw, array.GetDataType()) if draw.chance(0.6) else array.GetDataType()
    everything = expected(window_of(values, start, count, step))
    wanted = {}
    for label, _, code in zarr_mdim.leaves(data_type):
        wanted[label] = everything[label]
        if code is not None:
            wanted[label] = zarr_mdim.convert(everything[label], code)
    stride = random_stride(draw, count)
    got = zarr_mdim.read(array, start, count, step, stride, data_type)
    for label in got or []:
        _ignore_integers_of_nan(got[label], wanted[label], everything[label])
    problem = leaf_problem(got, wanted)
    types = [(label, code) for label, _, code in zarr_mdim.leaves(data_type)]
    return problem and f"window {start}, {count}, {step} at {stride} as {types}: {problem}"


def expected_nodata(metadata, dtype):
    """Returns the nodata value that the fill value in `metadata` must give, as {label: value}; None if the array must
    have none."""
    fill = metadata["fill_value"]
    if dtype.kind in "mMb":
        return nodata_of(np.zeros((), dtype))
    if fill is None:
        return None
    if dtype.kind == "O":
        element = np.array(fill, object)
    elif dtype.kind in "SV" and isinstance(fill, str):
        element = np.frombuffer(base64.b64decode(fill).ljust(dtype.itemsize, b"\0"), dtype)[0]
    elif dtype.kind == "c" and isinstance(fill, list):
        element = np.array(complex(*map(float, fill)), dtype)
    elif dtype.kind in "SUV":
        element = np.array(fill or "", dtype) if fill else np.zeros((), dtype)
    else:
        element = np.array(float(fill) if dtype.kind in "fc" else fill, dtype)
    return nodata_of(np.asarray(element))


def nodata_of(element):
    """Returns the nodata value that a fill value gives, as {label: value}; None if the fill value is not a nodata
    value. `element` is the fill value as an array without dimensions."""
    dtype = element.dtype
    if dtype.kind in "mM":  # the nodata value of times is always NaT
        return {"": np.int64(-(2**63))}
    if dtype.kind == "b":
        return None
    if not dtype.names and dtype.kind in "SUVO" and not _stored(element, dtype):
        return None
    return {label: leaf[()] for label, leaf in expected(element).items()}


def _stored(element, dtype):
    """Returns the bytes of a string element, without NULs at the end."""
    if dtype.kind == "O":
        return element.item() or b""
    return element.tobytes().rstrip(b"\0")


def nodata_problem(array, wanted, dtype):
    """Returns None if the array's nodata value is `wanted`, a result of nodata_of(); otherwise a text about the
    difference."""
    got = zarr_mdim.raw_nodata(array)
    if wanted is None or got is None:
        return None if wanted is got else f"nodata {got}, expected {wanted}"
    if list(got) != list(wanted):
        return f"nodata {got}, expected {wanted}"
    for label, value in wanted.items():
        if isinstance(value, bytes):
            problem = None if got[label] == value else f"{got[label]}, expected {value}"
        else:
            problem = zarr_gdal.differences(np.asarray(got[label]), np.asarray(value))
        if problem:
            return f"nodata {label}: {problem}"
    if dtype.names or dtype.kind in "SUVO":
        return None
    typed, value = array.GetNoDataValue(), wanted[""]
    if np.iscomplexobj(value):
        value = value.real
    is_equal = typed == value or (np.isnan(typed) and np.isnan(value))
    return None if is_equal else f"typed nodata {typed!r}, expected {value!r}"


def _shown_axes(shape):
    """Returns the indices of the dimensions that the array has in GDAL: the first empty dimension, if any, then all
    dimensions that are not empty."""
    if 0 not in shape:
        return list(range(len(shape)))
    return [shape.index(0), *(i for i, size in enumerate(shape) if size != 0)]


def _structure_problem(array, metadata, dtype):
    axes = _shown_axes(metadata["shape"])
    shape, chunks = ([metadata[name][i] for i in axes] for name in ("shape", "chunks"))
    sizes = [dimension.GetSize() for dimension in array.GetDimensions()]
    if sizes != shape:
        return f"dimensions {sizes}, expected {shape}"
    if list(array.GetBlockSize() or []) != chunks:
        return f"block size {array.GetBlockSize()}, expected {chunks}"
    if array.GetTotalElementsCount() != int(np.prod(sizes, dtype=int)):
        return f"{array.GetTotalElementsCount()} elements"
    info = array.GetStructuralInfo()
    codecs = {key: json.loads(info[key]) for key in ("COMPRESSOR", "FILTERS") if key in info}
    wanted = {"COMPRESSOR": metadata["compressor"], "FILTERS": metadata["filters"]}
    wanted = {key: value for key, value in wanted.items() if value}
    if meaning(codecs) != meaning(wanted) or info["ORDER"] != metadata["order"]:
        return f"structural info {info}, expected {wanted}"
    unit = ""
    if dtype.kind in "mM":
        unit = UNIT_NAMES[zarr_gdal.shown_unit(dtype)]
        unit += " since 1970-01-01" if dtype.kind == "M" else ""
    return None if array.GetUnit() == unit else f"unit {array.GetUnit()!r}, expected {unit!r}"


UNIT_NAMES = {
    "Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes",
    "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds",
    "ps": "picoseconds", "fs": "femtoseconds", "as": "attoseconds",
}  # fmt: skip


def _array_problem(draw, array, values, metadata):
    wanted = expected(values)
    problem = (
        type_problem(array, wanted)
        or _structure_problem(array, metadata, values.dtype)
        or nodata_problem(array, expected_nodata(metadata, values.dtype), values.dtype)
    )
    if problem or values.size == 0:
        return problem
    problem = leaf_problem(zarr_mdim.read(array), wanted)
    for _ in range(SLICES):
        problem = problem or slice_problem(draw, array, values)
    return problem


def check_array(draw, name, path, values, metadata):
    """Returns None if the multidimensional API reads `values`, which zarr-python read; otherwise a text about the
    difference. `path` is the array's path in the dataset `name`, or "" for the only array of the root."""
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
        if dataset is None:
            return f"does not open: {log.events}"
        root = dataset.GetRootGroup()
        full_name = "/" + (path or (root.GetMDArrayNames() or ["?"])[0])
        array = root.OpenMDArrayFromFullname(full_name)
        if array is None:
            return f"no array {full_name}: {log.events}"
        if array.GetFullName() != full_name:
            return f"{full_name} is called {array.GetFullName()}"
        problem = _array_problem(draw, array, values, metadata)
        if problem is None and log.events:
            problem = f"errors or warnings: {log.events}"
    return problem and f"{full_name}: {problem}"
