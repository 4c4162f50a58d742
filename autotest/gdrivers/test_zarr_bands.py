# SPDX-License-Identifier: MIT
"""Arrays of three or more dimensions open as rasters. Each slice is a band."""

import os
import subprocess
import sys

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster, read_all
from zarr_store import make_array, make_store

pytestmark = zarr_formats.READERS
CUBE = np.arange(2 * 3 * 4, dtype="i4").reshape(2, 3, 4)


@pytest.fixture
def cube(tmp_path):
    return make_store(
        tmp_path,
        {
            "temperature": {"values": CUBE, "dims": ["time", "lat", "lon"], "chunks": (1, 2, 3)},
            "time": {"values": np.array([6, 18], "i4"), "dims": ["time"],
                     "attrs": {"units": "hours since 2020-01-01", "calendar": "standard"}},
        },
    )  # fmt: skip


def test_band_metadata_of_the_other_dimensions(cube):
    dataset = open_raster(cube)
    for i, value in enumerate(("6", "18")):
        metadata = dataset.GetRasterBand(i + 1).GetMetadata()
        assert metadata["DIM_time_INDEX"] == str(i)
        assert metadata["DIM_time_VALUE"] == value
        assert metadata["DIM_time_UNIT"] == "hours since 2020-01-01"


def test_band_metadata_of_two_dimensions(tmp_path):
    values = np.zeros((2, 3, 2, 2), "u1")
    store = make_store(
        tmp_path,
        {
            "wind": {"values": values, "dims": ["time", "level", "y", "x"]},
            "level": {"values": np.array([10.5, 100, 250]), "dims": ["level"],
                      "attrs": {"units": "hPa"}},
        },
    )  # fmt: skip
    dataset = open_raster(store)
    assert dataset.RasterCount == 6
    for i in range(6):
        metadata = dataset.GetRasterBand(i + 1).GetMetadata()
        assert metadata["DIM_time_INDEX"] == str(i // 3)
        assert metadata["DIM_level_INDEX"] == str(i % 3)
        assert float(metadata["DIM_level_VALUE"]) == [10.5, 100, 250][i % 3]
        assert metadata["DIM_level_UNIT"] == "hPa"


def test_dimensions_without_a_name(tmp_path):
    dataset = open_raster(make_array(tmp_path, CUBE))
    assert dataset.GetRasterBand(2).GetMetadataItem("DIM_dim0_INDEX") == "1"


@zarr_formats.BOTH
def test_not_multiband(cube):
    dataset = open_raster(array_name(cube, "temperature"), "MULTIBAND=NO")
    assert dataset.RasterCount == 0
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert names == [array_name(cube, f"temperature:{i}") for i in range(2)]
    for i, name in enumerate(names):
        zarr_gdal.assert_same(open_raster(name).ReadAsArray(), CUBE[i])


@pytest.mark.parametrize(
    "options, axes",
    [
        (["DIM_X=lat", "DIM_Y=time"], (2, 0, 1)),
        (["DIM_X=1", "DIM_Y=0"], (2, 0, 1)),
        (["DIM_X=lon", "DIM_Y=time"], (1, 0, 2)),
        (["DIM_X=0", "DIM_Y=2"], (1, 2, 0)),
        (["DIM_X=lat", "DIM_Y=lon"], (0, 2, 1)),
    ],
)
def test_other_axes(cube, options, axes):
    dataset = open_raster(array_name(cube, "temperature"), *options)
    zarr_gdal.assert_same(read_all(dataset), CUBE.transpose(axes))


@pytest.mark.parametrize(
    "options",
    [["DIM_X=depth"], ["DIM_X=3"], ["DIM_Y=-1"], ["DIM_X=lat", "DIM_Y=lat"],
     ["DIM_X=1", "DIM_Y=1"]],
)  # fmt: skip
def test_axes_that_do_not_exist(cube, cpl, options):
    
    name = array_name(cube, "temperature")
    assert gdal.OpenEx(name, gdal.OF_RASTER, open_options=options) is None
    assert "DIM_" in cpl.the_error()


@pytest.mark.parametrize(
    "dims, axes",
    [
        (["time", "lat", "lon"], (0, 1, 2)),
        (["time", "lon", "lat"], (0, 2, 1)),
        (["y", "x", "band"], (2, 0, 1)),
        (["x", "y", "time"], (2, 1, 0)),
        (["latitude", "level", "longitude"], (1, 0, 2)),
    ],
)
def test_axes_by_name(tmp_path, dims, axes):
    store = make_store(tmp_path, {"a": {"values": CUBE, "dims": dims, "chunks": (2, 2, 2)}})
    dataset = open_raster(store)
    zarr_gdal.assert_same(read_all(dataset), CUBE.transpose(axes))
    rows, columns = (np.array([2, 2, 2]).take(axes)[1:]).tolist()
    assert dataset.GetRasterBand(1).GetBlockSize() == [columns, rows]


@pytest.mark.parametrize("chunks", [(1, 2, 3), (2, 3, 4), (2, 1, 4), (2, 5, 9)])
def test_blocks_are_chunks(tmp_path, chunks):
    band = open_band(make_array(tmp_path, CUBE, chunks=chunks))
    assert band.GetBlockSize() == [chunks[2], chunks[1]]


def test_more_slices_than_bands(tmp_path, cpl):
    """An array with more than 65,536 slices opens without bands. Each slice opens by its own name."""
    values = (np.arange(65537) % 251).astype("u1").reshape(65537, 1, 1)
    store = make_store(tmp_path, {"series": {"values": values, "chunks": (65537, 1, 1)}})
    
    dataset = gdal.Open(array_name(store, "series"))
    assert dataset.RasterCount == 0 and cpl.errors == []
    assert len(cpl.warnings) == 1 and "65537" in cpl.warnings[0].replace(",", "")
    for i in (0, 40000, 65536):
        assert open_raster(array_name(store, f"series:{i}")).ReadAsArray().tolist() == [[i % 251]]


def test_as_many_slices_as_bands(tmp_path):
    values = np.zeros((65536, 1, 1), "u1")
    values[65535] = 9
    dataset = open_raster(make_array(tmp_path, values, chunks=values.shape))
    assert dataset.RasterCount == 65536
    assert dataset.GetRasterBand(65536).ReadAsArray().tolist() == [[9]]


def test_band_names_of_the_store_are_not_saved_in_pam(tmp_path):
    """Statistics are saved in PAM. The names of bands are not saved, because they come from the store, which may
    change."""
    store = tmp_path / "x.zarr"
    group = zarr.open_group(str(store), mode="w")
    array = group.array("a", np.arange(24.0).reshape(2, 3, 4))
    array.attrs["_ARRAY_DIMENSIONS"] = ["band", "y", "x"]
    group.array("band", np.array(["near", "far"])).attrs["_ARRAY_DIMENSIONS"] = ["band"]
    # PAM is off in the process of the tests, so another process saves the statistics.
    program = f"""
from osgeo import gdal
dataset = gdal.Open({str(store)!r})
assert dataset.GetRasterBand(1).GetDescription() == "near"
assert dataset.GetRasterBand(1).ComputeStatistics(False)[:2] == [1.0, 11.0]
"""
    environment = {**os.environ, "GDAL_PAM_ENABLED": "YES"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)
    saved = [path.read_text() for path in tmp_path.glob("*.aux.xml")]
    assert len(saved) == 1 and "STATISTICS_MAXIMUM" in saved[0]
    assert "near" not in saved[0] and "far" not in saved[0] and "DIM_" not in saved[0]
