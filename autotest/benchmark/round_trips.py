# SPDX-License-Identifier: MIT
"""Reads stores on a web server that waits 50 ms before each answer (20 to 40 ms in with_jitter()). Reports requests,
round trips, bytes, and the time with its lower bound."""

import re
import shutil
import time
import zipfile

import numpy as np
from measuring import OURS, Fact, Row, at_most, open_with, take_turns
from osgeo import gdal
from samples import BLOSC_LZ4, kept, save, scene
from zarr_http import Served

LATENCY = 0.05
ROUNDS = 3
V3 = ["FORMAT=ZARR_V3", "COMPRESS=ZSTD"]
WINDOW = 2048  # pixels along each side of a window
TILE = 256
MEMBERS = 64  # number of chunks along each side of the raster in the zip file
CUBE = (240, 360, 720)
CUBE_CHUNK = (1, 180, 360)


def create(path, data, *options):
    """Writes `data`, a 2D or 3D array, to a store with this driver."""
    data = data if data.ndim == 3 else data[None]
    memory = gdal.GetDriverByName("MEM").Create("", *data.shape[:0:-1], 0, gdal.GDT_UInt16)
    for band in data:
        memory.AddBand(gdal.GDT_UInt16)
        memory.GetRasterBand(memory.RasterCount).WriteArray(band)
    assert gdal.GetDriverByName(OURS).CreateCopy(str(path), memory, options=[*V3, *options])


def blocks(size):
    return [f"BLOCKXSIZE={size}", f"BLOCKYSIZE={size}"]


def make(home):
    data = np.tile(scene(1024), (4, 4))
    create(home / "scene.zarr", data, *blocks(1024), "SHARD_CHUNK_SHAPE=256,256")
    rgb = np.stack([data[i : 2560 + i, i : WINDOW + i] for i in range(3)])
    create(home / "rgb.zarr", rgb, *blocks(512), "INTERLEAVE=BAND")
    rgb = gdal.OpenEx(str(home / "rgb.zarr"), gdal.OF_UPDATE, allowed_drivers=[OURS])
    assert rgb.BuildOverviews("AVERAGE", [2, 4]) == gdal.CE_None
    del rgb
    cube = np.stack([np.roll(data[: CUBE[1], : CUBE[2]], i, 0) for i in range(CUBE[0])])
    save(home / "cube.zarr", cube, CUBE_CHUNK, BLOSC_LZ4)
    save(home / "members.zarr", data, (4096 // MEMBERS,) * 2, BLOSC_LZ4)
    with zipfile.ZipFile(home / "members.zip", "w") as archive:
        for file in sorted((home / "members.zarr").iterdir()):
            archive.write(file, file.name)
    shutil.rmtree(home / "members.zarr")


def opened(server, name, prefix=""):
    """Clears GDAL's caches and the server's log, then opens a dataset on the server."""
    gdal.VSICurlClearCache()
    # Each opening uses another name of the store, because datasets of one name share cached metadata.
    opened.count = getattr(opened, "count", 0) + 1
    server.log()
    address = server.url + "/" * opened.count
    return open_with(OURS, f'ZARR:"{prefix}/vsicurl/{address}{name}"')


def parts_of(requests):
    """Returns (byte ranges of chunks, paths of shards whose index was requested)."""
    chunks = [each for each in requests if re.search(r"/c/\d", each[1])]
    indexes = [path for _, path, extent, _ in chunks if (extent or "").startswith("bytes=-")]
    parts = []
    for _, path, extent, _ in chunks:
        first, _, last = (extent or "").removeprefix("bytes=").partition("-")
        if first and last:
            parts.append((path, int(first), int(last) + 1))
    return parts, indexes


def measure(setting):
    home = kept(setting.data, "round_trips", make)
    with Served(home, LATENCY) as server:
        yield from window(server, home)
        yield from panning(server)
        yield from tiles(server)
        yield from members(server)
        yield from band_after_band(server, setting.rounds)
        yield from with_jitter(server)


def with_jitter(server):
    """Yields requests and bytes while answers arrive in another order than their requests. The driver must not
    send more requests than with answers in order."""
    server.rule(delay=0.02, jitter=0.02)
    dataset = opened(server, "scene.zarr")
    start = time.perf_counter()
    dataset.GetRasterBand(1).ReadAsArray(1024, 1024, WINDOW, WINDOW)
    seconds = time.perf_counter() - start
    parts, _ = parts_of(server.requests())
    title = "window of a sharded scene, 20 to 40 ms"
    yield Fact(f"requests for chunks, {title}", len(parts), 4)
    # Limit of 250 ms: two round trips of up to 40 ms, and decoding.
    yield Fact(f"milliseconds, {title}", 1000 * seconds, 250)
    dataset = opened(server, "rgb.zarr")
    draw_tiles(dataset)
    yield Fact("requests, twenty tiles of RGB, 20 to 40 ms", len(server.requests()), 25)


def window(server, home):
    """Yields requests and bytes for reading a window that covers exactly four shards, so the driver must read
    exactly their bytes."""
    dataset = opened(server, "scene.zarr")
    dataset.GetRasterBand(1).ReadAsArray(1024, 1024, WINDOW, WINDOW)
    log = server.log()
    parts, indexes = parts_of(log["requests"])
    needed = sum((home / path.strip("/")).stat().st_size for path in set(indexes))
    title = f"cold open and window of {WINDOW} x {WINDOW} of a sharded scene"
    yield Fact(f"round trips, {title}", log["in_turn"], 3)
    yield Fact(f"requests for chunks, {title}", len(parts), 4)
    yield Fact("bytes read / needed, the same", sum(e - b for _, b, e in parts) / needed, 1.1)


def panning(server):
    dataset = opened(server, "scene.zarr")
    for x in range(0, 4096 - 1024 + 1, 512):
        dataset.GetRasterBand(1).ReadAsArray(x, 0, 1024, 1024)
    parts, indexes = parts_of(server.requests())
    twice = 0
    parts.sort()
    for (path, _, end), (other, begin, _) in zip(parts, parts[1:]):
        twice += max(0, end - begin) if path == other else 0
    yield Fact("indexes of 4 shards asked for while panning over them", len(indexes), 4)
    yield Fact("bytes read twice while panning by half a window", twice, 0)


def draw_tiles(dataset):
    for i in range(20):
        x, y = i % 4 * 2 * TILE, i // 4 * 2 * TILE
        dataset.ReadAsArray(x, y, 2 * TILE, 2 * TILE, buf_xsize=TILE, buf_ysize=TILE)


def tiles(server):
    dataset = opened(server, "rgb.zarr")
    draw_tiles(dataset)
    log = server.log()
    title = "twenty tiles of RGB from a pyramid"
    yield Fact(f"requests, {title}", len(log["requests"]), 25)
    yield Fact(f"round trips, {title}", log["in_turn"], 20)


def members(server):
    dataset = opened(server, "members.zip", "/vsizip/")
    start = time.perf_counter()
    dataset.ReadAsArray()
    seconds = time.perf_counter() - start
    title = f"{MEMBERS**2} members of a zip file"
    yield Fact(f"requests, {title}", len(server.requests()), 10)
    yield Fact(f"milliseconds, {title}", 1000 * seconds, 1000)


def band_after_band(server, rounds):
    memory = np.zeros(CUBE, "u2")

    def timed(read):
        def run():
            dataset = opened(server, "cube.zarr")
            start = time.perf_counter()
            read(dataset)
            return time.perf_counter() - start

        return run

    def by_band(dataset):
        for i in range(CUBE[0]):
            dataset.GetRasterBand(i + 1).ReadAsArray(buf_obj=memory[i])

    contenders = {
        "floor": timed(lambda dataset: dataset.ReadAsArray(buf_obj=memory)),
        "ours": timed(by_band),
    }
    seconds = take_turns(contenders, min(ROUNDS, rounds))
    yield Row("band after band of a cube (floor: all at once)", seconds, (at_most(1.2),))
