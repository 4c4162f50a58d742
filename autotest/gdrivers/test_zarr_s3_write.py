# SPDX-License-Identifier: MIT
"""Writes stores to an object store. zarr-python and new datasets read the stores."""

import subprocess

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_s3 import S3
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

VALUES = np.arange(1, 25, dtype="<i4").reshape(4, 6)
UPDATE = gdal.OF_UPDATE


def driver():
    return gdal.GetDriverByName("Zarr")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        yield server


# Yields the S3 server. Each test runs twice: with the driver's own requests, and with GDAL's, which the driver uses if
# AWS_REQUEST_PAYER is set.
@pytest.fixture(params=["own requests", "GDAL's requests"])
def s3(server, request):
    payer = "requester" if request.param == "GDAL's requests" else None
    gdal.VSICurlClearCache()
    with zarr_gdal.config_options(AWS_REQUEST_PAYER=payer):
        yield server
    gdal.VSICurlClearCache()


def objects_of(s3, name, folder):
    """Downloads the objects of a store and opens them with zarr-python. Returns the group or array."""
    return zarr.open(str(s3.download(name, folder)), mode="r")


def fill(group):
    """Writes an array of 4 x 6 numbers to a group. Returns the array."""
    y, x = group.CreateDimension("y", None, None, 4), group.CreateDimension("x", None, None, 6)
    array = group.CreateMDArray(
        "v", [y, x], gdal.ExtendedDataType.Create(gdal.GDT_Int32), ["BLOCKSIZE=2,3"]
    )
    # The first write fills only a part of some chunks. The later writes fill the rest.
    array.Write(VALUES[:3, :4].tobytes(), array_start_idx=[0, 0], count=[3, 4])
    array.Write(VALUES[3:].tobytes(), array_start_idx=[3, 0], count=[1, 6])
    array.Write(VALUES[:3, 4:].tobytes(), array_start_idx=[0, 4], count=[3, 2])
    return array


@pytest.mark.slow
def test_multidimensional_creation_writes_data(s3, tmp_path):
    dataset = driver().CreateMultiDimensional("/vsis3/demo/made.zarr")
    root = dataset.GetRootGroup()
    assert not root.GetMDArrayNames() and not root.GetGroupNames()  # the new group is still empty
    array = fill(root.CreateGroup("g"))
    assert array.ReadAsArray().tolist() == VALUES.tolist()
    attribute = array.CreateAttribute("title", [], gdal.ExtendedDataType.CreateString())
    attribute.Write("sums")
    array = root = attribute = None
    dataset.FlushCache()
    found = objects_of(s3, "made.zarr", tmp_path)["g/v"]
    np.testing.assert_array_equal(found[:], VALUES)
    assert found.attrs["title"] == "sums"
    dataset = None
    gdal.VSICurlClearCache()
    again = gdal.OpenEx("/vsis3/demo/made.zarr", gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    np.testing.assert_array_equal(again.OpenGroup("g").OpenMDArray("v").ReadAsArray(), VALUES)


@pytest.mark.slow
def test_gdalmdimtranslate_writes_data(s3, tmp_path):
    arrays = {"v": {"values": VALUES, "dims": "yx", "chunks": (2, 3), "attrs": {"units": "m"}},
              "x": {"values": np.arange(6.0), "dims": "x"},
              "g/w": {"values": VALUES * 2, "dims": "yx"}}  # fmt: skip
    source = make_store(tmp_path, arrays, {"title": "t"}, name="source.zarr")
    for _ in range(2):  # the second run overwrites the objects of the first
        subprocess.run(["gdalmdimtranslate", "-q", "-of", "Zarr", source, "/vsis3/demo/copy.zarr"],
                       check=True, env=s3.environment)  # fmt: skip
    found = objects_of(s3, "copy.zarr", tmp_path)
    np.testing.assert_array_equal(found["v"][:], VALUES)
    np.testing.assert_array_equal(found["g/w"][:], VALUES * 2)
    np.testing.assert_array_equal(found["x"][:], np.arange(6.0))
    assert found["v"].attrs["units"] == "m" and found.attrs["title"] == "t"


def test_update_through_the_multidimensional_api(s3, tmp_path):
    s3.upload(make_array(tmp_path, VALUES, "old.zarr", chunks=(2, 3), fill_value=0), "old.zarr")
    gdal.VSICurlClearCache()
    dataset = gdal.OpenEx('ZARR:"/vsis3/demo/old.zarr"', gdal.OF_MULTIDIM_RASTER | UPDATE)
    group = dataset.GetRootGroup()
    (name,) = group.GetMDArrayNames()
    array = group.OpenMDArray(name)
    array.Write(np.full((1, 1), -5, "<i4").tobytes(), array_start_idx=[3, 5], count=[1, 1])
    array = group = dataset = None
    expected = VALUES.copy()
    expected[3, 5] = -5
    np.testing.assert_array_equal(objects_of(s3, "old.zarr", tmp_path / "got")[:], expected)


@pytest.mark.slow
def test_creation_and_update_of_rasters(s3, tmp_path):
    dataset = driver().Create("/vsis3/demo/r.zarr", 6, 4, 1, gdal.GDT_Int32,
                              options=["BLOCKSIZE=2,3", "ARRAY_NAME=v"])  # fmt: skip
    band = dataset.GetRasterBand(1)
    assert band.ReadAsArray().max() == 0  # no chunk is stored yet
    band.WriteArray(VALUES)
    band = dataset = None
    np.testing.assert_array_equal(objects_of(s3, "r.zarr", tmp_path / "1")["v"][:], VALUES)
    dataset = gdal.OpenEx("/vsis3/demo/r.zarr", gdal.OF_RASTER | UPDATE)
    dataset.GetRasterBand(1).WriteArray(-VALUES[:1], 0, 1)
    dataset.GetRasterBand(1).SetDescription("sums")
    dataset = None
    expected = VALUES.copy()
    expected[1] = -VALUES[0]
    found = objects_of(s3, "r.zarr", tmp_path / "2")["v"]
    np.testing.assert_array_equal(found[:], expected)


@pytest.mark.slow
def test_a_reader_sees_chunks_that_were_absent_before(s3, tmp_path):
    """A reader that has cached absent chunks sees when a writer stores these chunks, and when the writer removes them.
    Chunk keys have no folders, because s3rver may fail to remove folders concurrently."""
    name = 'ZARR:"/vsis3/demo/seen.zarr":/v'
    made = driver().Create("/vsis3/demo/seen.zarr", 6, 4, 1, gdal.GDT_Int32,
                           options=["BLOCKSIZE=2,3", "ARRAY_NAME=v", "DIM_SEPARATOR=."])  # fmt: skip
    made.GetRasterBand(1).SetNoDataValue(0)  # with this nodata value, chunks of zeros are not stored
    made = None
    reader = open_raster(name)
    assert reader.ReadAsArray().max() == 0
    writer = gdal.OpenEx(name, gdal.OF_RASTER | UPDATE)
    writer.WriteArray(VALUES)
    writer.FlushCache()
    reader.FlushCache()  # empties GDAL's block cache
    np.testing.assert_array_equal(reader.ReadAsArray(), VALUES)
    writer.WriteArray(VALUES * 0)
    writer = None
    reader.FlushCache()
    assert reader.ReadAsArray().max() == 0
    documents = {".zarray", ".zattrs", "zarr.json"}
    assert set(s3.keys_of("seen.zarr/v/")) <= documents


@pytest.mark.slow
def test_an_update_beside_a_reader_keeps_chunks_of_other_programs(s3, tmp_path):
    """A reader has cached a chunk as absent, but another program has stored it. A writer in the reader's process
    changes one pixel of the chunk, and must keep the other pixels."""
    name = 'ZARR:"/vsis3/demo/shared.zarr":/v'
    driver().Create("/vsis3/demo/shared.zarr", 6, 4, 1, gdal.GDT_Int32,
                    options=["BLOCKSIZE=4,6", "ARRAY_NAME=v", "COMPRESS=NONE"])  # fmt: skip
    reader = open_raster(name)
    writer = gdal.OpenEx(name, gdal.OF_RASTER | UPDATE)
    assert reader.ReadAsArray().max() == 0
    chunk = zarr_formats.chunk_key(s3.download("shared.zarr", tmp_path / "first"), "v", 0, 0)
    s3.put(f"shared.zarr/{chunk}", VALUES.tobytes())  # stands for a write by another program
    writer.WriteArray(np.array([[-1]], "<i4"))
    reader = writer = None
    expected = VALUES.copy()
    expected[0, 0] = -1
    np.testing.assert_array_equal(objects_of(s3, "shared.zarr", tmp_path)["v"][:], expected)
