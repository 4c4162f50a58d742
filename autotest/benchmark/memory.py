# SPDX-License-Identifier: MIT
"""Memory: a large store converted with a small cache, and an array of very many chunks opened."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from measuring import Fact
from osgeo import gdal

CACHE = 64  # MB
BEYOND = 150  # MB that GDAL, Python and the threads may take

CHILD = """
import sys
from osgeo import gdal
gdal.UseExceptions()
exec(sys.argv[1])
# Not what getrusage() says, which counts the parent before exec().
lines = open("/proc/self/status").read().splitlines()
print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")))
"""


def peak(action):
    """The most memory, in MB, that a process of its own takes for `action`."""
    environment = {**os.environ, "GDAL_CACHEMAX": str(CACHE)}
    command = [sys.executable, "-c", CHILD, action]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def make_large(path, gigabytes):
    """A store of so many GiB whose chunks are all the same file, by links: what it holds is small."""
    rows, columns, chunk = 8192 * gigabytes, 32768, 1024
    gdal.GetDriverByName("Zarr").Create(
        str(path), columns, rows, 1, gdal.GDT_Float32, [f"BLOCKSIZE={chunk},{chunk}"]
    )
    dataset = gdal.Open(str(path), gdal.GA_Update)
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
    gigabytes = 1 if setting.small else 4
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
