# SPDX-License-Identifier: MIT
"""Makes one allocation of the driver fail, another one in each run. The process must continue, and stored data must
stay unchanged.

Only some allocations are tried; ZARR_FAULTS=all tries each."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster, read_all
from zarr_store import make_store

HERE = pathlib.Path(__file__).parent
LIBRARY = pathlib.Path(os.environ["ZARR_DUMP"]).with_name("zarr_failing_memory.so")
VALUES = np.arange(6 * 8, dtype="i4").reshape(6, 8)
RUNS = 0 if zarr_faults.ALL else 14
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
SECONDS = 6 * 3600

pytestmark = [
    zarr_formats.FORMS,
    pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                       reason="the sanitizer has the functions that are to fail"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    dem = {"values": VALUES, "dims": ["y", "x"], "chunks": (4, 4),
           "attrs": {"_CRS": {"url": "EPSG:32632"}, "units": "m", "list": [1, 2]}}  # fmt: skip
    axes = {"y": {"values": np.arange(6.0)[::-1], "dims": ["y"]}, "x": {"values": np.arange(8.0), "dims": ["x"]}}
    make_store(tmp_path, {"dem": dem}, name="kept.zarr")
    make_store(tmp_path, {"dem": dem, "g/b": VALUES, **axes}, name="group.zarr", consolidated=True)
    make_store(tmp_path, {"dem": dem, **axes}, name="changed.zarr")
    if zarr_formats.has_shards():
        for name in ("kept.zarr", "changed.zarr"):
            put_in_shards(tmp_path / name)
    return tmp_path


def put_in_shards(store):
    plain = store.rename(store.with_name("plain.zarr"))
    options = ["ARRAY_NAME=dem", *zarr_formats.block_options(4, 4)]
    dataset = open_raster(array_name(plain, "dem"))
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), dataset, options=options)
    del dataset
    shutil.rmtree(plain)


@pytest.mark.parametrize("fail_all", [0, 1])
@pytest.mark.parametrize(
    "task", ["opened", "read", "listed", "multidim", "written", "updated", "copied", "multidim_written"]
)
def test_the_process_goes_on(folder, task, fail_all):
    command = [sys.executable, "-B", HERE / "zarr_no_memory.py", LIBRARY, task, folder, RUNS, SEED, fail_all,
               *zarr_formats.block_options(4, 4)]  # fmt: skip
    done = subprocess.run(
        [str(word) for word in command], env={**os.environ, "LD_PRELOAD": str(LIBRARY)},
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])
    failed, count = map(int, done.stdout.split())
    assert count > 300
    assert failed >= 7
    np.testing.assert_array_equal(read_all(open_raster(folder / "kept.zarr"))[0], VALUES)
