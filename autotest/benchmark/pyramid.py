# SPDX-License-Identifier: MIT
"""Measures reading a pyramid as a map does: the full view, and tiles at random positions and zoom levels. The lower
bound for the full view reads only the level from which the view is made."""

import numpy as np
from measuring import OURS, Row, at_most, faster, open_with, prepared, take_turns
from osgeo import gdal
from readers import open_tiff
from samples import SEED, kept, tiff_from

TILE = 256
TILES = 200


def make_pyramid(setting):
    """Writes the terrain as a store with overviews, and as a COG of equal pixels. Returns the two paths."""
    source = next(each for each in setting.terrain if each.label == "zstd")

    def make(home):
        options = ["COMPRESS=ZSTD", "ZSTD_LEVEL=3", f"BLOCKSIZE={source.array().chunks[0]},"
                   f"{source.array().chunks[1]}", "OVERVIEWS=AUTO", "OVERVIEW_RESAMPLING=NEAREST"]
        gdal.Translate(
            str(home / "pyramid.zarr"), source.path, format="Zarr", creationOptions=options
        )
        options = ["COMPRESS=ZSTD", "LEVEL=3", "OVERVIEW_RESAMPLING=NEAREST"]
        tiff_from(source.path, home / "cog.tif", source.array().chunks[0], options, "COG")

    return kept(setting.data, f"pyramid-{source.array().shape[0]}", make)


def full_view(memory):
    def read(dataset):
        dataset.GetRasterBand(1).ReadAsArray(
            buf_obj=memory, resample_alg=gdal.GRIORA_NearestNeighbour
        )

    return read


def random_tiles(size):
    """Returns random square windows as (x, y, width, height) in pixels of the full resolution. Each is read as one
    tile, so its size determines the zoom level, mostly between two overviews."""
    chance = np.random.Generator(np.random.PCG64(SEED))
    tiles = []
    for _ in range(TILES):
        side = min(size, int(TILE * 2 ** chance.uniform(0, np.log2(size / TILE))))
        tiles.append((*map(int, chance.integers(size - side + 1, size=2)), side, side))
    return tiles


def read_tiles(tiles, memory):
    def read(dataset):
        band = dataset.GetRasterBand(1)
        for tile, part in zip(tiles, memory):
            band.ReadAsArray(*tile, buf_xsize=TILE, buf_ysize=TILE, buf_obj=part)

    return read


def measure(setting):
    home = make_pyramid(setting)
    store, cog = str(home / "pyramid.zarr"), str(home / "cog.tif")
    dataset = open_with(OURS, store)
    band = dataset.GetRasterBand(1)
    level = min(
        (band.GetOverview(i) for i in range(band.GetOverviewCount())),
        key=lambda each: abs(each.XSize - 1024),
    )
    memory = np.empty((level.YSize, level.XSize), np.float32)
    number = next(i for i in range(band.GetOverviewCount())
                  if band.GetOverview(i).XSize == level.XSize)

    def direct(dataset):
        dataset.GetRasterBand(1).GetOverview(number).ReadAsArray(buf_obj=memory)

    contenders = {
        "floor": prepared(lambda: open_with(OURS, store), direct),
        "ours": prepared(lambda: open_with(OURS, store), full_view(memory)),
        "tiff": prepared(lambda: open_tiff(cog), full_view(memory)),
    }
    del band, level, dataset
    title = f"full view of a pyramid, {memory.shape[1]} pixels wide"
    yield Row(title, take_turns(contenders, setting.rounds), (at_most(1.2), faster(1, "tiff")))

    tiles = random_tiles(setting.terrain[0].array().shape[0])
    parts = [np.empty((TILE, TILE), np.float32) for _ in tiles]
    contenders = {
        "ours": prepared(lambda: open_with(OURS, store), read_tiles(tiles, parts)),
        "tiff": prepared(lambda: open_tiff(cog), read_tiles(tiles, parts)),
    }
    yield Row(
        f"{TILES} tiles of {TILE} x {TILE} at any zoom",
        take_turns(contenders, setting.rounds),
        (faster(1, "tiff"),),
    )
