# SPDX-License-Identifier: MIT
"""Measures the memory of three tasks: converting a large store with a small cache, reading windows with a small
cache, and opening an array with very many chunks."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from measuring import Fact
from osgeo import gdal

CACHE = 64  # MB
BEYOND = 150  # MB that GDAL, Python and the threads may use in addition to the cache
ALLOWANCE = 16  # MB that a read may use beyond its buffers, for objects of the driver and of GDAL

CHILD = """
import sys, time
from osgeo import gdal
gdal.UseExceptions()
gdal.GetDriverCount()
def most():
    # VmHWM is the peak of this process only. getrusage() would include memory of the parent process before exec().
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
before, start = most(), time.perf_counter()
exec(sys.argv[1])
print(time.perf_counter() - start, most(), most() - before)
"""


def spent(action):
    """Runs the Python code `action` in a new process. Returns (seconds, peak memory in MB, MB by which the peak
    exceeds the memory after GDAL's start)."""
    environment = {**os.environ, "GDAL_CACHEMAX": str(CACHE)}
    command = [sys.executable, "-c", CHILD, action]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(each) for each in done.stdout.split()[-3:]]


def peak(action):
    return int(spent(action)[1])


READS = {
    "all": "band.ReadRaster(0, 0, side, side)",
    "strips": "for y in range(0, side, rows): band.ReadRaster(0, y, side, rows)",
    "windows": """
random.seed(1)
for _ in range(100):
    band.ReadRaster(*(random.randrange(side - rows) for _ in "xy"), rows, rows)""",
    "all, multidim": "array.Read([0, 0], [side, side])",
    "strips, multidim": "for y in range(0, side, rows): array.Read([y, 0], [rows, side])",
}
OPENED = """
import random
path, side, rows = {path!r}, {side}, {rows}
dataset = gdal.Open(path)
band = dataset.GetRasterBand(1)
group = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
array = group.OpenMDArray(group.GetMDArrayNames()[0])
"""


def leave_chunks_absent(dataset):
    """States a nodata value: without one, Zarr v2 has no fill value, and all chunks are stored."""
    dataset.GetRasterBand(1).SetNoDataValue(-9999)


def make_linked(path, chunk, across, options):
    """Writes a store of `across` x `across` chunks or shards, which are hard links to one file. Returns the
    size of this file in bytes."""
    side = chunk * across
    options = [f"BLOCKSIZE={chunk},{chunk}", *options]
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(str(path), side, side, 1, gdal.GDT_Float32, options)
    leave_chunks_absent(dataset)
    import numpy as np

    values = np.random.default_rng(1).integers(0, 4000, (chunk, chunk)).astype("f4")
    dataset.GetRasterBand(1).WriteArray(values)
    del dataset
    is_chunk = lambda each: each.is_file() and each.name in ("0", "0.0")  # noqa: E731
    (first,) = filter(is_chunk, pathlib.Path(path).rglob("*"))
    for i in range(across):
        for j in range(across):
            is_flat = first.name == "0.0"
            other = first.parent / f"{i}.{j}" if is_flat else first.parents[1] / str(i) / str(j)
            other.parent.mkdir(exist_ok=True)
            if (i, j) != (0, 0):
                os.link(first, other)
    return first.stat().st_size


def memory_of_reads(folder, small):
    """Yields, for each kind of read, the MB that the driver uses beyond its allowance. The allowance is the
    caller's buffer, the cache, and a decoded and an encoded chunk for each thread."""
    chunk, across = (256, 8) if small else (2048, 8)
    rows = chunk // 8
    inner = ["FORMAT=ZARR_V3", "COMPRESS=BLOSC", f"SHARD_CHUNK_SHAPE={chunk // 4},{chunk // 4}"]
    kinds = {
        "none": ["COMPRESS=NONE"],
        "zstd": ["COMPRESS=ZSTD"],
        "blosc": ["COMPRESS=BLOSC"],
        "v3, shards": inner,
    }
    for kind, options in kinds.items():
        path = folder / f"linked-{kind.replace(', ', '-')}.zarr"
        stored = make_linked(path, chunk, across, options)
        side = chunk * across
        opened = OPENED.format(path=str(path), side=side, rows=rows)
        for how, action in READS.items():
            # Two windows are in memory, because Python frees a window only after it has read the next one.
            window = {"all": side * side, "str": 2 * side * rows, "win": 2 * rows * rows}[how[:3]]
            threads = len(os.sched_getaffinity(0)) * (4 * chunk * chunk + stored)
            allowed = CACHE + (4 * window + threads) / 2**20
            beyond = max(0.0, spent(opened + action)[2] - allowed)
            title = f"MB too many held, {kind}: {how}"
            yield Fact(title, beyond, ALLOWANCE)


def make_large(path, gigabytes):
    """Writes a store of `gigabytes` GiB, whose chunks are hard links to one small file."""
    rows, columns, chunk = int(8192 * gigabytes), 32768, 1024
    options = [f"BLOCKSIZE={chunk},{chunk}"]
    dataset = gdal.GetDriverByName("Zarr").Create(str(path), columns, rows, 1, gdal.GDT_Float32, options)
    leave_chunks_absent(dataset)
    import numpy as np

    values = np.random.default_rng(1).integers(0, 1000, (chunk, chunk)).astype("f4")
    dataset.GetRasterBand(1).WriteArray(values)
    del dataset
    array = next(each.parent for each in pathlib.Path(path).rglob(".zarray"))
    for i in range(rows // chunk):
        for j in range(columns // chunk):
            if (i, j) != (0, 0):
                os.link(array / "0.0", array / f"{i}.{j}")


def measure(setting):
    gigabytes = 0.25 if setting.small else 4
    with tempfile.TemporaryDirectory(dir=setting.data) as name:
        folder = pathlib.Path(name)
        make_large(folder / "large.zarr", gigabytes)
        for target, options in (("Zarr", ["COMPRESS=BLOSC"]), ("GTiff", ["TILED=YES", "BIGTIFF=YES", "COMPRESS=ZSTD"])):
            action = (
                f"gdal.Translate({str(folder / target)!r}, {str(folder / 'large.zarr')!r}, "
                f"format={target!r}, creationOptions={options!r})"
            )
            title = f"MB to convert {gigabytes} GiB to {target}, cache {CACHE} MB"
            yield Fact(title, peak(action), CACHE + BEYOND)
        yield from memory_of_reads(folder, setting.small)
        huge = folder / "huge.zarr"
        huge.mkdir()
        side = 1 << 30
        document = {"zarr_format": 2, "shape": [side, side], "chunks": [1074, 1074], "dtype": "<f4",
                    "compressor": None, "fill_value": 0, "order": "C", "filters": None}
        (huge / ".zarray").write_text(json.dumps(document), encoding="utf-8")
        action = (
            f"d = gdal.Open({str(huge)!r}); b = d.GetRasterBand(1); "
            f"b.ReadRaster({side} - 9, {side} - 9, 9, 9); b.GetOverviewCount(); gdal.Info(d)"
        )
        yield Fact("MB to open an array of 10^12 chunks", peak(action), 150)
