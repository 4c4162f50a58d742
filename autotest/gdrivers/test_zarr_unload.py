# SPDX-License-Identifier: MIT
"""Runs zarr_unload, a program that unloads the driver, or exits while threads read. It must neither crash nor hang."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from zarr_gdal import open_raster, read_all
from zarr_store import make_array, zip_folder
from zarr_tools import plain_environment

TOOL = pathlib.Path(os.environ["ZARR_DUMP"]).with_name("zarr_unload")
PLUGIN = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]) / "gdal_ZarrV2.so"
VALUES = np.arange(200 * 300, dtype="<i4").reshape(200, 300)
SECONDS = 240

CODECS = ["blosc", "zstd", "zlib"]  # codecs that keep a buffer in each thread between chunks


def compressor(name):
    import numcodecs

    return numcodecs.get_codec({"id": name})


@pytest.fixture(params=CODECS)
def store(request, tmp_path):
    return make_array(tmp_path, VALUES, chunks=(16, 32), compressor=compressor(request.param))


def run(way, store, rounds=20, plugin=PLUGIN):
    # The program loads the plugin itself, so GDAL must not load it.
    environment = {**plain_environment(), "GDAL_DRIVER_PATH": "disable"}
    done = subprocess.run(
        [str(TOOL), way, str(plugin), str(store), str(rounds)], env=environment,
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    assert done.stderr == ""
    lines = done.stdout.split("\n")
    assert lines[-2] == "ok"
    return lines[:-2]


@pytest.mark.parametrize("way", ["reload", "register"])
@pytest.mark.slow
def test_the_driver_is_loaded_used_and_unloaded_repeatedly(store, way):
    assert run(way, store) == ["threads 1"]


@pytest.mark.parametrize("way", ["reload", "register"])
@pytest.mark.slow
def test_a_zip_file_is_read_again_after_all_drivers_are_gone(tmp_path, way):
    folder = make_array(tmp_path, VALUES, chunks=(16, 32))
    assert run(way, zip_folder(folder, tmp_path / "a.zarr.zip")) == ["threads 1"]


@pytest.mark.slow
def test_a_program_ends_while_its_threads_read(store):
    for _ in range(10):
        run("exit", store)


def test_a_static_object_closes_a_dataset_after_the_codecs_of_its_thread_have_ended(store):
    run("static", store)
    changed = VALUES.copy()
    changed[0, 0] = -7
    np.testing.assert_array_equal(read_all(open_raster(store))[0], changed)


@pytest.mark.slow
def test_a_program_ends_with_datasets_open(store):
    for _ in range(5):
        run("leave", store)
    np.testing.assert_array_equal(read_all(open_raster(store))[0], VALUES)
