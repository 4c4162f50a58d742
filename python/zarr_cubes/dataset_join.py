# SPDX-License-Identifier: MIT
"""Joins files of several arrays (netCDF, HDF5, Zarr) along a dimension: one that the arrays have, or a new one whose values
are in the names of files or in a list. Arrays without the dimension must be equal in all files."""

import dataclasses
import datetime
import re

import numpy as np

from zarr_cubes import grid, times
from zarr_cubes.model import Cube, CubeArray, Piece, Refused

# attributes that decide what a value means
MEANING = ("scale_factor", "add_offset", "units", "_Unsigned", "missing_value", "grid_mapping_name", "crs_wkt", "spatial_ref",
           "standard_parallel", "longitude_of_central_meridian", "latitude_of_projection_origin", "GeoTransform")  # fmt: skip
MICROSECOND = datetime.timedelta(microseconds=1)
STEPS = {"days": 86400 * 10**6, "hours": 3600 * 10**6, "minutes": 60 * 10**6, "seconds": 10**6, "milliseconds": 1000,
         "microseconds": 1}  # fmt: skip


def join(sources, listed, options):
    if options.join not in (None, "time"):
        raise Refused(f"--join {options.join}: files of several arrays are joined along a dimension (--join time --dim NAME)")
    first, name = sources[0], options.dim
    cube = Cube(groups={path: attrs for path, attrs in {"": {}, **first.attrs}.items()}, sources=sources)
    for path in {path.rpartition("/")[0] for path in first.arrays}:
        cube.groups.setdefault(path, {})
    for source in sources[1:]:
        if source.arrays.keys() != first.arrays.keys():
            odd = sorted(source.arrays.keys() ^ first.arrays.keys())
            raise Refused(f"{first.name} and {source.name} have other arrays: {', '.join(odd[:9])}")
    has_dimension = any(name in array.dims for array in first.arrays.values())
    if has_dimension:
        along_existing(cube, sources, name)
    elif len(sources) > 1 or options.values or options.append:
        along_new(cube, sources, listed, options)
    else:
        for path, array in first.arrays.items():
            cube.arrays[path] = as_it_is(first, array)
    shapes = {path: array.spec.shape for path, array in cube.arrays.items()}
    cube.lines += [f"array {path}: {dict(zip(cube.arrays[path].spec.dims, shape))}" for path, shape in shapes.items()]
    return cube


def as_it_is(source, array):
    """Returns an array that does not grow. Small values, such as coordinates, are copied, so that opening reads no file."""
    if array.values is not None:
        dtype = np.dtype(array.dtype).newbyteorder("<").str
        chunks = tuple(max(size, 1) for size in array.shape)
        return CubeArray(spec_of(array, dtype=dtype, compressor=None, filters=None, chunks=chunks), values=array.values)
    return CubeArray(spec_of(array), [Piece(source, array, (0,) * len(array.shape))])


def spec_of(array, **changes):
    return dataclasses.replace(array, **{"offsets": None, "lengths": None, "inline": {}, "values": None, "file": None, **changes})


def check_like(first, source, path):
    one, other = first.arrays[path], source.arrays[path]
    for what, value in one.coding().items():
        if other.coding()[what] != value:
            raise Refused(f"{first.name} and {source.name} have another {what} of {path}: {value} and {other.coding()[what]}")
    for name in MEANING:
        pair = one.attrs.get(name), other.attrs.get(name)
        if pair[0] != pair[1]:
            raise Refused(f"{first.name} and {source.name} have another {name} of {path}: {pair[0]} and {pair[1]}")
    if one.chunks != other.chunks:
        raise Refused(f"{first.name} and {source.name} have other chunks of {path}: {one.chunks} and {other.chunks}")


def check_equal(first, source, path):
    one, other = first.arrays[path], source.arrays[path]
    is_equal = one.shape == other.shape
    if is_equal:
        check_like(first, source, path)
        is_equal = one.values is None or np.array_equal(one.values, other.values, equal_nan=is_float(one))
    if not is_equal:
        raise Refused(f"{first.name} and {source.name} have other values of {path}, which has no dimension to join along")


def is_float(array):
    return np.dtype(array.dtype).kind == "f"


def along_existing(cube, sources, name):
    first = sources[0]
    coordinate = first.arrays.get(name)
    if coordinate is not None and coordinate.values is not None:
        values, order = sorted_values(sources, name)
        sources[:] = [sources[i] for i in order]
        attrs = {key: value for key, value in sources[0].arrays[name].attrs.items() if key != "_FillValue"}
        cube.arrays[name] = grid.coordinate(name, values, attrs, chunk=max(len(values), 1024))
        cube.lines.append(f"{len(values)} along {name}: {values[0]} to {values[-1]} {attrs.get('units', '')}")
    cube.dimension = name
    first = sources[0]
    for path, array in first.arrays.items():
        if path == name and name in cube.arrays:
            continue
        if name not in array.dims:
            for source in sources[1:]:
                check_equal(first, source, path)
            cube.arrays[path] = as_it_is(first, array)
        else:
            cube.arrays[path] = concatenated(sources, path, array.dims.index(name))


def concatenated(sources, path, axis):
    first, pieces, start = sources[0], [], 0
    for source in sources:
        array = source.arrays[path]
        check_like(first, source, path) if source is not first else None
        sizes = [size for i, size in enumerate(array.shape) if i != axis]
        if sizes != [size for i, size in enumerate(first.arrays[path].shape) if i != axis]:
            raise Refused(f"{first.name} and {source.name} have another shape of {path}: {first.arrays[path].shape} and {array.shape}")
        if start % array.chunks[axis]:
            raise Refused(f"{sources[0].name} and {source.name}: {path} has chunks of {array.chunks[axis]} along "
                          f"{array.dims[axis]}, and the files before have {start}, no whole number of chunks")  # fmt: skip
        pieces.append(Piece(source, array, tuple(start // array.chunks[axis] if i == axis else 0 for i in range(len(array.shape)))))
        start += array.shape[axis]
    shape = tuple(start if i == axis else size for i, size in enumerate(first.arrays[path].shape))
    return CubeArray(spec_of(first.arrays[path], shape=shape), pieces)


def sorted_values(sources, name):
    """Returns the values of all files along the dimension in the unit of the earliest file, and the order of the files."""
    order, parts = [0], None
    for _ in range(2):
        base = sources[order[0]]
        first = base.arrays[name]
        parts = [converted(first, source.arrays[name], base, source) for source in sources]
        order = sorted(range(len(parts)), key=lambda i: (parts[i][0] if len(parts[i]) else 0, i))
    for before, after in zip(order, order[1:]):
        if len(parts[before]) and len(parts[after]) and parts[before][-1] >= parts[after][0]:
            raise Refused(f"{sources[before].name} and {sources[after].name} overlap along {name}: {parts[before][-1]} is not "
                          f"before {parts[after][0]} {first.attrs.get('units', '')}")  # fmt: skip
    values = np.concatenate([parts[i] for i in order])
    return values.astype(values.dtype.newbyteorder("<")), order


def converted(first, array, one, other):
    def spec(each):
        return each.attrs.get("units"), each.attrs.get("calendar")

    return in_unit(array.values, array.dims[0], spec(array), spec(first), np.dtype(first.dtype), (one.name, other.name))


def in_unit(values, dimension, given, wanted, dtype, names):
    """Returns values in another unit. `given` and `wanted` are (units, calendar). `names` are those of both files."""
    if given == wanted:
        return values
    forms = [since(unit) for unit, _ in (wanted, given)]
    if None in forms or given[1] != wanted[1]:
        raise Refused(f"{names[0]} and {names[1]} have other units along {dimension}: {wanted[0]} and {given[0]}")
    (step, start), (other_step, other_start) = forms
    moved = values * other_step + (other_start - start) // MICROSECOND
    if dtype.kind not in "iu":
        return (moved / step).astype(dtype)
    if np.any(moved % step):
        raise Refused(f"{names[0]} has {wanted[0]}, and {names[1]} has finer times")
    return (moved // step).astype(dtype)


def since(unit):
    found = re.fullmatch(r"(days|hours|minutes|seconds|milliseconds|microseconds) since (.+)", str(unit or ""))
    start = times.ISO.fullmatch(found[2].strip()) if found else None
    if not start:
        return None
    numbers = [int(part or 0) for part in start.groups()[:6]]
    return STEPS[found[1]], datetime.datetime(*numbers)


def along_new(cube, sources, listed, options):
    texts = times.texts_of(sources, listed, options.values, options.dim)
    if texts is None:
        raise Refused(f"{sources[0].name}: no dimension {options.dim}, and no {options.dim} in the names of all files; --values "
                      "FILENAME:%Y%m%d, --values a,b,c, or a list of names and values states them, and --dim NAME "
                      "names another dimension")  # fmt: skip
    values, attrs = times.coordinates(texts, options.dim)
    order = np.argsort(values, kind="stable")
    twice = np.flatnonzero(np.diff(values[order]) == 0)
    if len(twice):
        raise Refused(f"{sources[order[twice[0]]].name} and {sources[order[twice[0] + 1]].name} have the same {options.dim}")
    sources[:] = [sources[i] for i in order]
    cube.dimension = options.dim
    cube.arrays[options.dim] = grid.coordinate(options.dim, values[order], attrs, chunk=1024)
    first = sources[0]
    for path, array in first.arrays.items():
        if len(array.shape) < 2:
            for source in sources[1:]:
                check_equal(first, source, path)
            cube.arrays[path] = as_it_is(first, array)
            continue
        for source in sources[1:]:
            check_like(first, source, path)
            if source.arrays[path].shape != array.shape:
                raise Refused(f"{first.name} and {source.name} have another shape of {path}")
        spec = spec_of(array, dims=(options.dim, *array.dims), shape=(len(sources), *array.shape), chunks=(1, *array.chunks))
        pieces = [Piece(source, source.arrays[path], (i,) + (0,) * len(array.shape)) for i, source in enumerate(sources)]
        cube.arrays[path] = CubeArray(spec, pieces)
