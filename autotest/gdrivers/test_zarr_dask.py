# SPDX-License-Identifier: MIT
"""Tests docs/examples/dask_mosaic.py: processes of a Dask cluster write one store together, region by region."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import open_raster, read_all
from zarr_georeferencing import epsg
from zarr_s3 import S3

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "dask_mosaic.py"
PROCESSES = 3
PLACE = (500000.0, 10.0, 0.0, 5000000.0, 0.0, -10.0)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory):
    """Returns the paths of four overlapping rasters with two bands. The edges of the rasters are not edges of
    chunks."""
    folder, paths = tmp_path_factory.mktemp("scenes"), []
    for i, (x, y) in enumerate([(0, 0), (333, 0), (0, 411), (333, 411)]):
        paths.append(str(folder / f"{i}.tif"))
        scene = gdal.GetDriverByName("GTiff").Create(paths[-1], 400, 450, 2, gdal.GDT_Int16)
        scene.SetProjection("EPSG:32632")
        scene.SetGeoTransform((PLACE[0] + x * 10, 10, 0, PLACE[3] - y * 10, 0, -10))
        scene.WriteArray(np.random.default_rng(i).integers(-1000, 1000, (2, 450, 400)).astype("i2"))
        for band in (1, 2):
            scene.GetRasterBand(band).SetNoDataValue(-9999)
        del scene
    return paths


def make_mosaic(output, scenes, *words, **environment):
    words = ["--processes", PROCESSES, "--chunk", 64, *words, output, *scenes]
    return subprocess.run([sys.executable, EXAMPLE, *map(str, words)], capture_output=True, text=True,
                          check=False, timeout=300, env={**os.environ, **environment})  # fmt: skip


def check_mosaic(output, scenes, done, regions):
    """Asserts that the mosaic has the right pixels, CRS, geotransform, nodata value and overviews. Returns
    its pixels."""
    assert done.returncode == 0, done.stderr
    told = re.fullmatch(r"(\d+) regions written by (\d+) processes\n", done.stdout)
    assert int(told[1]) == regions and int(told[2]) > 1, done.stdout
    mosaic = gdal.GetDriverByName("MEM").CreateCopy("", gdal.BuildVRT("", scenes))
    mosaic.BuildOverviews("AVERAGE", [2])
    expected = mosaic.ReadAsArray()
    dataset = open_raster(output)
    np.testing.assert_array_equal(read_all(dataset), expected)
    assert epsg(dataset) == 32632 and dataset.GetGeoTransform() == PLACE
    band = dataset.GetRasterBand(2)
    assert band.GetNoDataValue() == -9999
    levels = [band.GetOverview(i) for i in range(band.GetOverviewCount())]
    assert [level.XSize for level in levels] == [367, 184, 92, 46][: len(levels)] and len(levels) >= 3
    half = mosaic.GetRasterBand(2).GetOverview(0).ReadAsArray()
    np.testing.assert_array_equal(levels[0].ReadAsArray(), half)
    return expected


@pytest.mark.slow
def test_regions_of_whole_chunks_need_no_locks(tmp_path, scenes):
    output = tmp_path / "mosaic.zarr"
    done = make_mosaic(output, scenes, "--region", 128)
    expected = check_mosaic(output, scenes, done, 6 * 7)
    np.testing.assert_array_equal(zarr.open_group(str(output), mode="r")["mosaic"][...], expected)


@pytest.mark.slow
def test_regions_that_share_chunks_need_locks(tmp_path, scenes):
    output, locks = tmp_path / "mosaic.zarr", tmp_path / "locks"
    done = make_mosaic(output, scenes, "--region", 100)
    assert done.returncode == 2 and "--synchronizer" in done.stderr and not output.exists()
    done = make_mosaic(output, scenes, "--region", 100, "--synchronizer", locks)
    check_mosaic(output, scenes, done, 8 * 9)
    assert (locks / "mosaic" / "0.0.0").is_file()


@pytest.mark.slow
def test_in_an_object_store(tmp_path, scenes):
    with S3(tmp_path / "s3") as s3:
        output = "/vsis3/demo/mosaic.zarr"
        done = make_mosaic(output, scenes, "--chunk", 128, "--region", 256, **s3.options)
        check_mosaic(output, scenes, done, 3 * 4)
        written = [path for method, path, _ in s3.requests() if method == "PUT"]
        chunks = [path for path in written if re.search(r"zarr/mosaic/0\.\d+\.\d+$", path)]
    assert (len(chunks), len(set(chunks))) == (6 * 7, 6 * 7)  # each chunk is written once


def test_an_error_of_a_process_ends_the_program(tmp_path, scenes):
    """If a process cannot read its region, the program fails and names the file."""
    broken = tmp_path / "broken.tif"
    data = pathlib.Path(scenes[0]).read_bytes()
    broken.write_bytes(data[: len(data) // 2])
    done = make_mosaic(tmp_path / "mosaic.zarr", [str(broken)], "--region", 128)
    assert done.returncode == 1 and "broken.tif" in done.stderr
