# SPDX-License-Identifier: MIT
"""Compares random blocks that the driver reads from the cube with the same blocks of the files."""

import contextlib
import random
import sys

import numpy as np
from osgeo import gdal

from zarr_cubes.grid import opened
from zarr_cubes.kerchunk_json import reading_allowed
from zarr_cubes.model import Refused

MOST_VALUES = 1 << 22


def check(cube, output, number, seed=None):
    """Reads `number` blocks. Returns 0 if all are equal, and else 1; differences are printed."""
    choice = random.Random(seed)
    pieces = [(path, array, piece) for path, array in cube.arrays.items() for piece in array.pieces]
    differences, number = 0, number if pieces else 0
    with reading_allowed(cube.sources):
        dataset = gdal.OpenEx(output, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["Zarr"])
        if dataset is None:
            raise Refused(f"{output}: the driver cannot open it: {gdal.GetLastErrorMsg()}")
        root = dataset.GetRootGroup()
        for _ in range(number):
            path, array, piece = choice.choice(pieces)
            differences += not compare(root, path, array, piece, choice, output)
    print(f"{number} blocks compared with the files: {differences or 'none'} differ")
    return 1 if differences else 0


def is_grib(array):
    return any(codec["id"] == "grib" for codec in array.filters or ())


def compare(root, path, array, piece, choice, output):
    part = piece.array
    at = [choice.randrange(n) for n in part.grid]
    start = [i * c for i, c in zip(at, part.chunks)]
    count = [min(c, size - i) for c, size, i in zip(part.chunks, part.shape, start)]
    while np.prod(count, dtype=object) > MOST_VALUES:
        count[int(np.argmax(count))] //= 2
    missing = len(array.spec.shape) - len(part.shape)
    offset = [i * c for i, c in zip(piece.at, array.spec.chunks)]
    from_cube = root.OpenMDArrayFromFullname("/" + path).ReadAsArray(
        [o + s for o, s in zip(offset, [0] * missing + start)], [1] * missing + count
    )
    wanted = source_block(piece.source, path, part, start, count)
    if from_cube is not None and np.array_equal(np.reshape(from_cube, count), wanted, equal_nan=wanted.dtype.kind in "fc"):
        return True
    why = f" ({gdal.GetLastErrorMsg()})" if from_cube is None else ""
    print(f"{output}: /{path} differs from {piece.source.name} at {start}, {count}{why}", file=sys.stderr)
    return False


def block_of_array(source, path, part, start, count):
    """Returns a block of a file of several arrays, through GDAL's drivers for netCDF, HDF5 and Zarr."""
    dataset = gdal.OpenEx(source.name, gdal.OF_MULTIDIM_RASTER)
    array = dataset and dataset.GetRootGroup().OpenMDArrayFromFullname("/" + path)
    block = array and array.ReadAsArray(start, count) if count else part.values
    if block is None:
        raise Refused(f"{source.name}: GDAL cannot read {path}: {gdal.GetLastErrorMsg()}")
    return np.reshape(block, count)


def block_of_grib(source, part, start, count):
    """Returns the block of a message as GDAL's driver GRIB reads it from the whole file, where each message is a band."""
    if part.lengths[start[0]] == 0:
        return np.full(count, np.nan)
    offsets = np.sort(np.concatenate([one.offsets[one.lengths > 0] for one in source.arrays.values()]))
    with options_set(GRIB_NORMALIZE_UNITS="NO"):
        dataset = gdal.OpenEx(source.name, gdal.OF_RASTER, allowed_drivers=["GRIB"])
        band = dataset and dataset.GetRasterBand(int(np.searchsorted(offsets, part.offsets[start[0]])) + 1)
        values = band and band.ReadAsArray()
    if values is None:
        raise Refused(f"{source.name}: GDAL cannot read it: {gdal.GetLastErrorMsg()}")
    if band.GetNoDataValue() is not None:
        values[values == band.GetNoDataValue()] = np.nan
    rows, columns = (source.arrays[name].values for name in part.dims[1:])
    if len(rows) > 1 and rows[0] < rows[-1]:
        values = values[::-1]
    # GDAL begins at 180 degrees west if a grid goes round the Earth.
    if part.dims[2] == "longitude":
        west = dataset.GetGeoTransform()[0] + dataset.GetGeoTransform()[1] / 2
        values = np.roll(values, round((west - columns[0]) / (columns[1] - columns[0])) if len(columns) > 1 else 0, axis=1)
    return values[tuple(slice(s, s + c) for s, c in zip(start[1:], count[1:]))][None]


@contextlib.contextmanager
def options_set(**options):
    before = {name: gdal.GetThreadLocalConfigOption(name) for name in options}
    for name, value in options.items():
        gdal.SetThreadLocalConfigOption(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            gdal.SetThreadLocalConfigOption(name, value)


def source_block(source, path, part, start, count):
    """Returns the block as GDAL's driver for the file's own format reads it."""
    if is_grib(part):
        return block_of_grib(source, part, start, count)
    if not source.is_raster:
        return block_of_array(source, path, part, start, count)
    level = list(source.arrays).index(path)
    dataset = opened(source.name)
    axes = {name: (s, c) for name, s, c in zip(part.dims, start, count)}
    bands = range(*np.add(axes["band"][0], (0, axes["band"][1]))) if "band" in axes else [0]
    blocks = []
    for number in bands:
        band = dataset.GetRasterBand(int(number) + 1)
        band = band if level == 0 else band.GetOverview(level - 1)
        blocks.append(band.ReadAsArray(axes["x"][0], axes["y"][0], axes["x"][1], axes["y"][1]))
    if any(block is None for block in blocks):
        raise Refused(f"{source.name}: GDAL cannot read it: {gdal.GetLastErrorMsg()}")
    order = [("band", "y", "x").index(name) for name in part.dims]
    stacked = np.stack(blocks)
    return np.transpose(stacked, order) if len(order) == 3 else stacked[0]
