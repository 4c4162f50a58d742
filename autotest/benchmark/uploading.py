# SPDX-License-Identifier: MIT
"""Measures converting a GeoTIFF to Zarr in an object store, whose server waits 20 ms before each answer. The
lower bound is the time for uploading equal bytes by 32 concurrent requests."""

import concurrent.futures
import itertools
import pathlib
import tempfile

import numpy as np
from measuring import OURS, Row, at_most, open_with, take_turns, timed
from osgeo import gdal
from samples import kept, scene
from zarr_s3 import S3

LATENCY = 0.02
PUTS_AT_ONCE = 32
ROUNDS = 3
CHUNK = 1024
# Pixels along each side of the raster. A raster of SIDE x SIDE pixels has 1 GB.
SIDE, SMALL_SIDE = 22528, 2048


def make(side):
    def make_in(home):
        tiled = ["TILED=YES", f"BLOCKXSIZE={CHUNK}", f"BLOCKYSIZE={CHUNK}"]
        driver = gdal.GetDriverByName("GTiff")
        raster = driver.Create(str(home / "scene.tif"), side, side, 1, gdal.GDT_UInt16, tiled)
        part = scene(1024)
        for y, x in itertools.product(range(0, side, CHUNK), repeat=2):
            raster.GetRasterBand(1).WriteArray(np.roll(part, x + y), x, y)

    return make_in


def measure(setting):
    side = SMALL_SIDE if setting.small else SIDE
    source = str(kept(setting.data, f"uploading-{side}", make(side)) / "scene.tif")
    options = ["COMPRESS=NONE", f"BLOCKSIZE={CHUNK},{CHUNK}"]
    turns = itertools.count()
    with tempfile.TemporaryDirectory(dir=setting.data) as folder, S3(folder) as server:
        server.front.rule(delay=LATENCY)

        def convert():
            target = f"/vsis3/demo/{next(turns)}.zarr"
            gdal.Translate(target, source, format=OURS, creationOptions=options)
            return target

        written = convert()
        got = open_with(OURS, written).ReadAsArray(0, 0, CHUNK, CHUNK)
        expected = gdal.Open(source).ReadAsArray(0, 0, CHUNK, CHUNK)
        np.testing.assert_array_equal(got, expected)
        chunk = expected.tobytes()
        count = (side // CHUNK) ** 2

        def put_all():
            name = next(turns)
            with concurrent.futures.ThreadPoolExecutor(PUTS_AT_ONCE) as pool:
                list(pool.map(lambda i: server.put(f"floor{name}/{i}", chunk), range(count)))

        def emptied(action):
            """Returns a function that measures the seconds of `action`. Before each run, the function truncates the
            objects of earlier runs, so that the disk does not become full."""

            def run():
                for stored in pathlib.Path(folder).rglob("*_object"):
                    stored.write_bytes(b"")
                return timed(action)()

            return run

        contenders = {"floor": emptied(put_all), "ours": emptied(convert)}
        seconds = take_turns(contenders, min(ROUNDS, setting.rounds))
        size = f"{2 * side**2 / 1e6:.0f} MB"
        title = f"GeoTIFF of {size} to S3 (floor: {PUTS_AT_ONCE} PUTs at a time)"
        limit = () if setting.small else (at_most(1 / 0.8),)
        yield Row(title, seconds, limit)
