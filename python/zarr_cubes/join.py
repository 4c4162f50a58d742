# SPDX-License-Identifier: MIT
"""Joins rasters along time or another dimension, as bands, or as a mosaic. What must be equal and is not is an error that
names two files."""

import dataclasses

import numpy as np

from zarr_cubes import grid, times
from zarr_cubes.model import Cube, CubeArray, Piece, Refused

MOST_CHUNKS = 1 << 40
MOST_TILES = 1 << 28  # of a mosaic of one time


def join(sources, listed, options):
    """Returns the cube of rasters. `listed` are the values that a list of files has for them."""
    ways = ways_of(options, sources)
    if options.dim in ("", "x", "y", "band", "spatial_ref") or "/" in options.dim:
        raise Refused(f"--dim {options.dim}: expected a name that no other dimension or coordinate has")
    if options.name in ("x", "y", "spatial_ref", options.dim) or "/" in options.name:
        raise Refused(f"--name {options.name}: expected a name that no coordinate has")
    same_form(sources)
    cube = Cube(sources=sources)
    if "band" not in ways:
        same_meaning(sources)
    steps = along(sources, listed, ways, options, cube)
    offsets, shape = grid.mosaic(sources) if "mosaic" in ways else (grid.same(sources), None)
    check_overlaps(sources, steps, offsets)
    for path in sources[0].arrays:
        cube.arrays[path] = joined(path, sources, steps, offsets, shape, ways)
    grid.describe(cube, sources, offsets, shape, options, bands_of(sources, steps, ways))
    return cube


def ways_of(options, sources):
    ways = set(options.join.split(",")) if options.join else set()
    if ways - {"time", "band", "mosaic"} or {"time", "band"} <= ways:
        raise Refused(f"--join {options.join}: expected time, band, mosaic, or time,mosaic or band,mosaic")
    if not ways and (len(sources) > 1 or options.append or options.values or options.dim != "time"):
        ways = {"time"}
    return ways


def same_form(sources):
    """Checks that all files have the same arrays, with the same codecs and types."""
    first = sources[0]
    wanted = {path: array.coding() for path, array in first.arrays.items()}
    for source in sources[1:]:
        if source.arrays.keys() != first.arrays.keys():
            levels = [len(one.arrays) - 1 for one in (first, source)]
            raise Refused(f"{first.name} and {source.name} have other overviews: {levels[0]} ({', '.join(first.arrays)}) and "
                          f"{levels[1]} ({', '.join(source.arrays)}); --no-overviews makes a cube without them")  # fmt: skip
        for path, array in source.arrays.items():
            differ(first, source, wanted[path], array.coding())
            if array.chunks != first.arrays[path].chunks:
                raise Refused(f"{first.name} and {source.name} have other tiles or strips: "
                              f"{first.arrays[path].chunks} and {array.chunks}")  # fmt: skip
        for name in ("photometric", "extra", "colours"):
            if source.notes.get(name) != first.notes.get(name):
                raise Refused(f"{first.name} and {source.name} have another {name} tag")


def same_meaning(sources):
    """Checks that the values of all files have one scale, offset and unit."""
    usual = {"scale": "1", "offset": "0", "unittype": "none"}
    first = sources[0]
    for key in sorted((key for key in grid.differing(sources) if key[2] in usual), key=str):
        one = grid.items_in(first.notes["metadata"]).get(key, usual[key[2]])
        for source in sources:
            other = grid.items_in(source.notes["metadata"]).get(key, usual[key[2]])
            if other != one:
                raise Refused(f"{first.name} and {source.name} have another {key[2]}: {one} and {other}; gdal_translate "
                              "-unscale, or -a_scale and -a_offset, makes files that are alike")  # fmt: skip


def differ(first, second, one, other):
    for name, value in one.items():
        if other[name] != value:
            raise Refused(f"{first.name} and {second.name} have another {name}: {value} and {other[name]}; "
                          "gdal_translate makes files that are alike")  # fmt: skip


def along(sources, listed, ways, options, cube):
    """Returns the index of each source along the new dimension. Sorts `sources` by time."""
    if "time" in ways:
        return along_values(sources, listed, options, cube, "mosaic" in ways)
    if "band" in ways:
        steps = [0]
        for source in sources[:-1]:
            steps.append(steps[-1] + samples_of(source))
        if "mosaic" in ways:
            raise Refused("--join band,mosaic: make a mosaic of each band, and join them by --join band as Zarr stores")
        return steps
    if len(sources) > 1 and "mosaic" not in ways:
        raise Refused("several files need --join time, --join band or --join mosaic")
    return [0] * len(sources)


def samples_of(source):
    array = next(iter(source.arrays.values()))
    return array.shape[array.dims.index("band")] if "band" in array.dims else 1


def along_values(sources, listed, options, cube, is_mosaic):
    texts = times.texts_of(sources, listed, options.values, options.dim)
    if texts is None:
        raise Refused(f"{sources[0].name}: no {options.dim} in the names of all files, nor in their headers; --values "
                      "FILENAME:%Y%m%d, --values a,b,c or a list of names and values (@list.txt) states them, and "
                      "--join band or --join mosaic joins otherwise")  # fmt: skip
    values, attrs = times.coordinates(texts, options.dim)
    if options.dim in ("time", "t") and not attrs:
        raise Refused(f"the values along {options.dim} are numbers, not times: {texts[0]}, ...")
    order = np.argsort(values, kind="stable")
    distinct, steps = np.unique(values, return_inverse=True)
    if len(distinct) != len(values) and not is_mosaic:
        twice = int(np.flatnonzero(np.diff(values[order]) == 0)[0])
        pair = [sources[order[twice + i]].name for i in (0, 1)]
        raise Refused(f"{pair[0]} and {pair[1]} have the same {options.dim}, {texts[order[twice]]}; --join time,mosaic joins "
                      "files of one time as a mosaic")  # fmt: skip
    sources[:] = [sources[i] for i in order]
    steps = [int(steps[i]) for i in order]
    cube.dimension = options.dim
    cube.lines.append(f"{len(distinct)} along {options.dim}: {texts[order[0]]} to {texts[order[-1]]}")
    cube.arrays[options.dim] = grid.coordinate(options.dim, distinct, attrs, chunk=1024)
    return steps


def check_overlaps(sources, steps, offsets):
    """Refuses two files that have a tile at one place."""
    taken, whole = {}, {}
    for source, offset in zip(sources, offsets):
        for path, start in offset.items():
            ends = [i + n for i, n in zip(start, grid_of(source.arrays[path]))]
            whole[path] = [max(pair) for pair in zip(whole.get(path, (0, 0)), ends)]
    for path, size in whole.items():
        if size[0] * size[1] > MOST_TILES:
            raise Refused(f"{path}: the mosaic has {size[1]} x {size[0]} tiles, and at most {MOST_TILES} are joined")
    for number, (source, step, offset) in enumerate(zip(sources, steps, offsets), 1):
        for path, (y, x) in offset.items():
            rows, columns = grid_of(source.arrays[path])
            if (step, path) not in taken and (rows, columns) == tuple(whole[path]):
                taken[step, path] = number  # the usual case: one file for each time
                continue
            owners = taken.get((step, path))
            if owners is None or isinstance(owners, int):
                first, owners = owners, np.zeros(whole[path], "i4")
                if first is not None:
                    owners[stored_tiles(sources[first - 1].arrays[path])] = first
                taken[step, path] = owners
            place = owners[y : y + rows, x : x + columns]
            stored = stored_tiles(source.arrays[path])
            both = place[stored & (place > 0)]
            if len(both):
                raise Refused(f"{sources[both[0] - 1].name} and {source.name} have the same place in the cube: {path}")
            place[stored] = number


def grid_of(array):
    tiles = dict(zip(array.dims, array.grid))
    return tiles["y"], tiles["x"]


def stored_tiles(array):
    """Returns for each row and column of tiles whether the file has one there."""
    stored = np.zeros(array.grid, bool)
    stored.flat[np.flatnonzero(array.lengths)] = True
    stored.flat[list(array.inline)] = True
    others = tuple(i for i, name in enumerate(array.dims) if name not in "yx")
    return stored.any(axis=others)


def joined(path, sources, steps, offsets, shape, ways):
    """Returns the array of the cube at `path`, with the pieces of all sources."""
    first = sources[0].arrays[path]
    sizes = dict(zip(first.dims, first.shape))
    if shape is not None:
        sizes.update(y=shape[path][0], x=shape[path][1])
    new = None
    if "time" in ways:
        new, size = "step", max(steps) + 1
    elif "band" in ways and "band" in first.dims:
        sizes["band"] = sum(samples_of(source) for source in sources)
    elif "band" in ways:
        new, size = "band", len(sources)
    spec = dataclasses.replace(first, shape=tuple(sizes[name] for name in first.dims), offsets=None, lengths=None, inline={})
    if new:
        spec = dataclasses.replace(spec, dims=(new, *spec.dims), shape=(size, *spec.shape), chunks=(1, *spec.chunks))
    if np.prod(spec.grid, dtype=object) > MOST_CHUNKS:
        raise Refused(f"{path}: the cube has more than {MOST_CHUNKS} chunks")
    pieces = []
    for source, step, offset in zip(sources, steps, offsets):
        at = dict(zip(("y", "x"), offset[path]))
        if "band" in ways and "band" in first.dims:
            at["band"] = band_chunk(sources, source, step, path)
        elif new:
            at[new] = step
        pieces.append(Piece(source, source.arrays[path], tuple(at.get(name, 0) for name in spec.dims)))
    return CubeArray(spec, pieces)


def band_chunk(sources, source, step, path):
    first, array = sources[0].arrays[path], source.arrays[path]
    chunk = array.chunks[array.dims.index("band")]
    if chunk != first.chunks[first.dims.index("band")] or step % chunk:
        raise Refused(f"{sources[0].name} and {source.name} have another number of bands that are interleaved by pixel")
    return step // chunk


def bands_of(sources, steps, ways):
    """Returns the sources whose bands, in turn, are those of one step of the cube."""
    return sources if "band" in ways else sources[:1]
