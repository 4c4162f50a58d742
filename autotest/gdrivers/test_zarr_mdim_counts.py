# SPDX-License-Identifier: MIT
"""The classic and the multidimensional API share decoded chunks, so that a chunk is decoded again only if it has
changed. The metadata domain READ_COUNTERS counts decoded chunks."""

import os
import shutil
import time

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name

pytestmark = zarr_formats.BOTH

SHAPE, CHUNKS = (6, 40, 50), (2, 20, 25)
CHUNK_COUNT = 12


def decoded():
    return int(gdal.GetDriverByName("Zarr").GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS"))


def age(store, seconds=60):
    """Sets the modification times of a store's files back by `seconds`, because the driver does not trust recent
    times."""
    then = time.time() - seconds
    for folder, _, names in os.walk(store):
        for name in names:
            os.utime(os.path.join(folder, name), (then, then))


@pytest.fixture
def store(tmp_path):
    values = np.arange(np.prod(SHAPE), dtype="i4").reshape(SHAPE)
    group = zarr.open_group(str(tmp_path / "cube.zarr"), mode="w")
    group.array("cube", values, chunks=CHUNKS)
    age(tmp_path / "cube.zarr")
    return tmp_path / "cube.zarr", values


def open_classic(path):
    return gdal.Open(str(path))


def open_array(path):
    dataset = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    return dataset, dataset.GetRootGroup().OpenMDArray("cube")


def test_classic_first(store):
    path, values = store
    before = decoded()
    classic = open_classic(path)
    np.testing.assert_array_equal(classic.ReadAsArray(), values)
    dataset, array = open_array(path)
    np.testing.assert_array_equal(array.ReadAsArray(), values)
    np.testing.assert_array_equal(
        array.ReadAsArray([5, 39, 49], [3, 40, 50], [-2, -1, -1]), values[5::-2, ::-1, ::-1]
    )
    assert decoded() - before == CHUNK_COUNT
    del dataset, classic


def test_multidimensional_first(store):
    path, values = store
    before = decoded()
    dataset, array = open_array(path)
    np.testing.assert_array_equal(array.ReadAsArray(), values)
    classic = open_classic(path)
    for i in range(SHAPE[0]):
        np.testing.assert_array_equal(classic.GetRasterBand(i + 1).ReadAsArray(), values[i])
    assert decoded() - before == CHUNK_COUNT
    del dataset


def test_band_by_band_in_turn(store):
    path, values = store
    before = decoded()
    classic = open_classic(path)
    dataset, array = open_array(path)
    for i in range(SHAPE[0]):
        np.testing.assert_array_equal(classic.GetRasterBand(i + 1).ReadAsArray(), values[i])
        np.testing.assert_array_equal(array.ReadAsArray([i, 0, 0], [1, 40, 50])[0], values[i])
    assert decoded() - before == CHUNK_COUNT
    del dataset


def test_views_and_their_classic_datasets_share_too(store):
    path, values = store
    before = decoded()
    dataset, array = open_array(path)
    np.testing.assert_array_equal(array.AsClassicDataset(2, 1).ReadAsArray(), values)
    np.testing.assert_array_equal(
        array.Transpose([2, 0, 1]).ReadAsArray(), values.transpose(2, 0, 1)
    )
    view = array.GetView("[1,::-1,::2]")
    np.testing.assert_array_equal(view.ReadAsArray(), values[1, ::-1, ::2])
    np.testing.assert_array_equal(
        view.AsClassicDataset(1, 0).ReadAsArray(), values[1, ::-1, ::2]
    )
    assert decoded() - before == CHUNK_COUNT
    del dataset


def test_a_changed_chunk_is_read_again_by_who_opens_later(store):
    path, values = store
    classic = open_classic(path)
    np.testing.assert_array_equal(classic.ReadAsArray(), values)
    zarr.open_array(str(path / "cube"), mode="r+")[0, 0, 0] = -7
    before = decoded()
    dataset, array = open_array(path)
    changed = values.copy()
    changed[0, 0, 0] = -7
    np.testing.assert_array_equal(array.ReadAsArray(), changed)
    assert decoded() - before == 1
    del dataset, classic


def test_a_chunk_that_came_or_went_is_noticed(store):
    path, values = store
    os.remove(zarr_formats.chunk_file(path, "cube", 0, 0, 0))
    moved = zarr_formats.chunk_file(path, "cube", 1, 0, 0)
    shutil.move(moved, path / "aside")
    classic = open_classic(path)
    holes = values.copy()
    holes[:4, :20, :25] = 0
    np.testing.assert_array_equal(classic.ReadAsArray(), holes)
    shutil.move(path / "aside", moved)
    os.remove(zarr_formats.chunk_file(path, "cube", 2, 1, 1))
    holes[2:4] = values[2:4]
    holes[4:, 20:, 25:] = 0
    dataset, array = open_array(path)
    np.testing.assert_array_equal(array.ReadAsArray(), holes)
    del dataset, classic


def test_timestamps_of_new_files_are_not_trusted(store):
    path, values = store
    age(path, seconds=0)
    classic = open_classic(path)
    np.testing.assert_array_equal(classic.ReadAsArray(), values)
    # The chunk's bytes change, but not its modification time and size. The time is recent, so the driver must read the
    # chunk again.
    chunk = zarr_formats.chunk_file(path, "cube", 0, 0, 0)
    stamp = os.stat(chunk)
    array = zarr.open_array(str(path / "cube"), mode="r+")
    array[:2, :20, :25] = array[:2, :20, :25][::-1].copy()
    os.utime(chunk, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    dataset, opened = open_array(path)
    np.testing.assert_array_equal(opened.ReadAsArray(), array[...])
    del dataset, classic


def test_another_array_under_the_name_is_another_array(store):
    path, values = store
    classic = open_classic(path)
    np.testing.assert_array_equal(classic.ReadAsArray(), values)
    shutil.rmtree(path / "cube")
    other = np.arange(12, dtype="u1").reshape(3, 4)
    zarr.open_group(str(path), mode="r+").array("cube", other, chunks=(2, 2))
    dataset, array = open_array(path)
    np.testing.assert_array_equal(array.ReadAsArray(), other)
    np.testing.assert_array_equal(gdal.Open(array_name(path, "cube")).ReadAsArray(), other)
    del dataset, classic
