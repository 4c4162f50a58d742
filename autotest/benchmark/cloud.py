# SPDX-License-Identifier: MIT
"""Compares stores of PROFILE=CLOUD with Cloud Optimized GeoTIFFs of equal rasters: size, writing, opening, overviews
and map tiles.

The files are on disk, or on a web server that waits 50 ms before each answer. Also compares reading a pixel at all
times from a cube with reading it from one GeoTIFF per time."""

import random
import shutil

import numpy as np
from measuring import OURS, Fact, Row, at_most, open_with, take_turns, timed
from osgeo import gdal
from samples import kept
from zarr_http import Served

LATENCY = 0.05
TILE = 256
TILES = 60
COG = ["COMPRESS=ZSTD", "PREDICTOR=YES", "BLOCKSIZE=512", "RESAMPLING=AVERAGE", "NUM_THREADS=ALL_CPUS"]
PROFILE = ["PROFILE=CLOUD"]
ONE_ANSWER = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR"}


def surface(side, seed, roughness):
    """Returns a random fractal surface of side x side elements, with mean 0 and standard deviation 1."""
    waves = np.fft.rfft2(np.random.default_rng(seed).standard_normal((side, side)))
    distance = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    distance[0, 0] = 1
    values = np.fft.irfft2(waves * distance ** (-roughness / 2), s=(side, side))
    return (values - values.mean()) / values.std()


def dem(side):
    return np.round(800 + 300 * surface(side, 1, 3.4), 2).astype("f4")[None]


def photo(side):
    base = 110 + 35 * surface(side, 2, 2.6) + 8 * surface(side, 3, 1.8)
    bands = [base + 5 * surface(side, 10 + i, 2.4) for i in range(3)]
    return np.clip(np.stack(bands), 0, 255).astype("u1")


def scene(side):
    base = 2500 + 700 * surface(side, 4, 2.6) + 120 * surface(side, 5, 1.8)
    bands = [base + 100 * surface(side, 20 + i, 2.4) for i in range(4)]
    return np.clip(np.stack(bands), 0, 65535).astype("u2")


KINDS = {"DEM, float32": dem, "photo, 3 x uint8": photo, "scene, 4 x uint16": scene}
STEPS = 100


def save(path, values):
    types = {"f4": gdal.GDT_Float32, "u1": gdal.GDT_Byte, "u2": gdal.GDT_UInt16}
    bands, height, width = values.shape
    options = ["TILED=YES", "BLOCKXSIZE=512", "BLOCKYSIZE=512"]
    options += ["PHOTOMETRIC=RGB"] if values.dtype == "u1" else []
    dataset = gdal.GetDriverByName("GTiff").Create(
        str(path), width, height, bands, types[values.dtype.str[1:]], options
    )
    dataset.SetGeoTransform([500000, 10, 0, 5000000, 0, -10])
    for number, band in enumerate(values, 1):
        dataset.GetRasterBand(number).WriteArray(band)


def convert(driver, source, target, options):
    if target.exists():
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    dataset = gdal.Open(str(source))
    assert gdal.GetDriverByName(driver).CreateCopy(str(target), dataset, options=options)


def make(home, side):
    for number, function in enumerate(KINDS.values()):
        save(home / f"{number}.tif", function(side))
        convert("COG", home / f"{number}.tif", home / f"{number}.cog.tif", COG)
        convert(OURS, home / f"{number}.tif", home / f"{number}.zarr", PROFILE)
    small = side // 8
    steps = np.stack([np.roll(dem(small)[0], i, 0) for i in range(STEPS)])
    for i, step in enumerate(steps):
        save(home / "step.tif", step[None])
        convert("COG", home / "step.tif", home / f"step{i}.tif", COG)
    save(home / "cube.tif", steps)
    convert(OURS, home / "cube.tif", home / "cube.zarr", [*PROFILE, "BLOCKSIZE=100,32,32"])


def bytes_of(path):
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def windows(side):
    """Yields windows at random positions and zoom levels, each of which a map shows as one tile."""
    chance = random.Random(5)
    levels = max(1, (side // TILE).bit_length() - 1)
    for _ in range(TILES):
        size = TILE << chance.randrange(levels)
        yield (*(chance.randrange(0, side - size + 1, TILE) for _ in range(2)), size, size)


def draw(dataset):
    for window in windows(dataset.RasterXSize):
        dataset.ReadAsArray(*window, buf_xsize=TILE, buf_ysize=TILE)


def panning(dataset):
    """Reads views of 2 x 2 tiles along the raster's diagonal, in steps of half a tile, as when a user pans a map."""
    side = dataset.RasterXSize
    for x in range(0, side - 2 * TILE, TILE // 2):
        dataset.ReadAsArray(x, x, 2 * TILE, 2 * TILE)


def local(home, number):
    cog, store = (str(home / f"{number}{ending}") for ending in (".cog.tif", ".zarr"))
    yield "open", {"tiff": timed(lambda: gdal.Open(cog)), "ours": timed(lambda: open_with(OURS, store))}, None
    whole = {"buf_xsize": TILE, "buf_ysize": TILE}
    yield "view of the whole", {
        "tiff": timed(lambda: gdal.Open(cog).ReadAsArray(**whole)),
        "ours": timed(lambda: open_with(OURS, store).ReadAsArray(**whole)),
    }, at_most(1, "tiff")  # fmt: skip
    yield "60 tiles", {
        "tiff": timed(lambda: draw(gdal.Open(cog))),
        "ours": timed(lambda: draw(open_with(OURS, store))),
    }, at_most(1, "tiff")  # fmt: skip


def writing(home, number):
    source = home / f"{number}.tif"
    return {
        "tiff": timed(lambda: convert("COG", source, home / "written.tif", COG)),
        "ours": timed(lambda: convert(OURS, source, home / "written.zarr", PROFILE)),
    }


class RemoteSample:
    """A raster on the web server, as a Zarr store and as a GeoTIFF. Reading one of them puts (number of requests,
    number of round trips) into `counts`."""

    def __init__(self, server, number):
        self.names = {
            "tiff": f"/vsicurl/{server.url}/{number}.cog.tif",
            "ours": f'ZARR:"/vsicurl/{server.url}/{number}.zarr"',
        }
        self.server, self.counts = server, {}

    def contenders(self, action):
        return {name: self.run(name, action) for name in self.names}

    def run(self, name, action):
        def contender():
            gdal.VSICurlClearCache()
            self.server.log()
            seconds = timed(lambda: action(gdal.Open(self.names[name])))()
            log = self.server.log()
            self.counts[name] = len(log["requests"]), log["in_turn"]
            return seconds

        return contender


def series(home):
    """Returns functions that read one pixel at all times and return the seconds, for "tiff" and for "ours"."""
    paths = [str(home / f"step{i}.tif") for i in range(STEPS)]
    return {
        "tiff": timed(lambda: [gdal.Open(path).ReadAsArray(50, 50, 1, 1) for path in paths]),
        "ours": timed(lambda: open_with(OURS, str(home / "cube.zarr")).ReadAsArray(50, 50, 1, 1)),
    }


def measure(setting):
    side = 1024 if setting.small else 4096
    home = kept(setting.data, f"cloud{side}", lambda folder: make(folder, side))
    saved = {name: gdal.GetConfigOption(name) for name in ONE_ANSWER}
    for name, value in ONE_ANSWER.items():
        gdal.SetConfigOption(name, value)
    try:
        for number, kind in enumerate(KINDS):
            share = bytes_of(home / f"{number}.zarr") / bytes_of(home / f"{number}.cog.tif")
            yield Fact(f"bytes beside COG, {kind}", share, 1.0)
            yield Row(f"write, {kind}", take_turns(writing(home, number), setting.rounds), (at_most(0.8, "tiff"),))
            for title, contenders, limit in local(home, number):
                limits = (limit,) if limit else ()
                yield Row(f"{title}, {kind}", take_turns(contenders, setting.rounds), limits)
        with Served(home, LATENCY) as server:
            for number, kind in enumerate(KINDS):
                yield from of_remote(RemoteSample(server, number), kind, setting.rounds)
        yield Row("series of 100 steps", take_turns(series(home), setting.rounds), (at_most(0.05, "tiff"),))
    finally:
        for name, value in saved.items():
            gdal.SetConfigOption(name, value)


def of_remote(remote_sample, kind, rounds):
    actions = {"open": lambda dataset: dataset.GetGeoTransform(), "60 tiles": draw, "panning": panning}
    for title, action in actions.items():
        seconds = take_turns(remote_sample.contenders(action), min(rounds, 3))
        yield Row(f"{title} over HTTP, {kind}", seconds, (at_most(1, "tiff"),))
        requests, turns = remote_sample.counts["ours"]
        others = remote_sample.counts["tiff"]
        yield Fact(f"requests (COG {others[0]}), {title}, {kind}", requests, others[0])
        yield Fact(f"round trips (COG {others[1]}), {title}, {kind}", turns, others[1])
