# SPDX-License-Identifier: MIT
"""Measures the cost of reading and writing by counting decoded and encoded chunks, because times would vary."""


import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_store import make_array

pytestmark = zarr_formats.BOTH

CUBE = np.random.default_rng(7).integers(0, 99, (60, 64, 64)).astype("<i2")
CHUNKS = (30, 16, 16)  # CUBE has two layers of 16 chunks; each chunk has 15 KiB


def counters(domain="READ_COUNTERS"):
    found = gdal.GetDriverByName("Zarr").GetMetadata(domain)
    return {name: int(value) for name, value in found.items()}


@pytest.fixture
def cache():
    """Returns a function that sets the size of GDAL's block cache, in bytes, for one test."""
    before = gdal.GetCacheMax()
    yield gdal.SetCacheMax
    gdal.SetCacheMax(before)


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_bands_in_turn_decode_each_chunk_once(tmp_path, threads):
    dataset = open_raster(make_array(tmp_path, CUBE, chunks=CHUNKS), f"NUM_THREADS={threads}")
    before = counters()
    for number in range(60):
        band = dataset.GetRasterBand(number + 1)
        np.testing.assert_array_equal(band.ReadAsArray(), CUBE[number])
    assert counters()["CHUNKS_DECODED"] - before["CHUNKS_DECODED"] == 32


def test_bands_of_a_cube_larger_than_the_cache_decode_chunks_at_most_twice(tmp_path, cache):
    # The array has two layers of 16 chunks of 1.1 MB, and the cache holds one layer. A first read decodes only a part
    # of such a large chunk, so a chunk may be decoded twice.
    cube = np.random.default_rng(8).integers(0, 9, (32, 768, 768)).astype("<i2")
    path = make_array(tmp_path, cube, chunks=(16, 192, 192))
    cache(20 << 20)
    dataset = open_raster(path)
    before = counters()
    for number in range(32):
        band = dataset.GetRasterBand(number + 1)
        np.testing.assert_array_equal(band.ReadAsArray(), cube[number])
    assert counters()["CHUNKS_DECODED"] - before["CHUNKS_DECODED"] <= 64


def test_strips_decode_a_chunk_larger_than_the_cache_once(tmp_path, cache):
    """A chunk that is larger than the driver's cache is decoded once, although it is read in strips. The cache
    then holds this chunk alone."""
    values = np.random.default_rng(9).integers(0, 9, (2200, 1000)).astype("<f8")
    path = make_array(tmp_path, values, chunks=values.shape)
    cache(16 << 20)
    dataset = open_raster(path)
    before = counters()
    for top in range(0, 2200, 275):
        strip = dataset.ReadAsArray(0, top, 1000, 275)
        np.testing.assert_array_equal(strip, values[top : top + 275])
    assert counters()["CHUNKS_DECODED"] - before["CHUNKS_DECODED"] == 1


def test_strips_decode_each_chunk_once(tmp_path):
    values = np.arange(512 * 512, dtype="<u4").reshape(512, 512)
    dataset = open_raster(make_array(tmp_path, values, chunks=(128, 128)))
    before = counters()
    for top in range(0, 512, 32):
        strip = dataset.GetRasterBand(1).ReadAsArray(0, top, 512, 32)
        np.testing.assert_array_equal(strip, values[top : top + 32])
    assert counters()["CHUNKS_DECODED"] - before["CHUNKS_DECODED"] == 16


@pytest.mark.parametrize("threads", [1, 2, 16])
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_rows_encode_each_chunk_once(tmp_path, cache, threads, rows):
    cache(16 << 20)
    values = np.random.default_rng(9).integers(0, 99, (1000, 5000)).astype("f4")
    path = str(tmp_path / "rows.zarr")
    before = counters("WRITE_COUNTERS")
    driver = gdal.GetDriverByName("Zarr")
    old = gdal.GetConfigOption("GDAL_NUM_THREADS")
    gdal.SetConfigOption("GDAL_NUM_THREADS", str(threads))
    try:
        options = ["BLOCKSIZE=256,1024", "SINGLE_ARRAY=YES"]
        dataset = driver.Create(path, 5000, 1000, 1, gdal.GDT_Float32, options)
        for top in range(0, 1000, rows):
            dataset.GetRasterBand(1).WriteArray(values[top : top + rows], 0, top)
        dataset = None
    finally:
        gdal.SetConfigOption("GDAL_NUM_THREADS", old)
    assert counters("WRITE_COUNTERS")["CHUNKS_WRITTEN"] - before["CHUNKS_WRITTEN"] == 20
    dataset = open_raster(path)
    np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), values)


@pytest.mark.parametrize(
    "bands, block",
    [(1, "256,256"), (3, "1,256,999"), (5, "5,100,300"), (4, "3,64,64"), (37, None), (21, "9,70,2000")],
)
@pytest.mark.parametrize("interleave", ["BAND", "PIXEL"])
@pytest.mark.slow
def test_copies_encode_each_chunk_once(tmp_path, cache, bands, block, interleave):
    cache(32 << 20)  # GDAL copies in parts of 4 MB, which are smaller than a row of chunks
    height = 700 if bands < 9 else 140
    values = np.random.default_rng(bands).integers(0, 99, (bands, height, 3001)).astype("f8")
    source = gdal.GetDriverByName("MEM").Create("", 3001, height, bands, gdal.GDT_Float64)
    source.WriteArray(values)
    path = str(tmp_path / "copy.zarr")
    before = counters("WRITE_COUNTERS")
    options = [f"INTERLEAVE={interleave}"]
    if interleave == "BAND" and bands > 1 and block:
        options.append(f"BLOCKSIZE={block}")
    told = []
    copy = gdal.GetDriverByName("Zarr").CreateCopy(
        path, source, options=options, callback=lambda done, *_: told.append(done) or 1
    )
    copy = None
    assert told == sorted(told) and told[-1] == 1
    documents = zarr_formats.documents(path)
    (document,) = (
        each for key, each in documents.items()
        if key.endswith("/.zarray") and key not in ("x/.zarray", "y/.zarray")
    )  # fmt: skip
    chunks = np.prod([-(-n // c) for n, c in zip(document["shape"], document["chunks"])])
    written = counters("WRITE_COUNTERS")["CHUNKS_WRITTEN"] - before["CHUNKS_WRITTEN"]
    coordinates = len(zarr_formats.chunk_keys(path, "x") + zarr_formats.chunk_keys(path, "y"))
    assert written - coordinates == chunks
    dataset = open_raster(path)
    np.testing.assert_array_equal(dataset.ReadAsArray().reshape(values.shape), values)


@pytest.mark.parametrize("domain", ["READ_COUNTERS", "WRITE_COUNTERS", "read_counters", "Write_Counters"])
def test_counters_are_also_metadata_items(domain):
    driver = gdal.GetDriverByName("Zarr")
    for name, value in driver.GetMetadata(domain).items():
        assert driver.GetMetadataItem(name, domain) == value
    assert driver.GetMetadataItem("NO_SUCH", domain) is None


def test_copy_that_is_cancelled_leaves_nothing(tmp_path, cache):
    cache(32 << 20)
    source = gdal.GetDriverByName("MEM").Create("", 3001, 3000, 1, gdal.GDT_Float64)
    path = tmp_path / "cancelled.zarr"
    with zarr_gdal.error_log() as log:
        copy = gdal.GetDriverByName("Zarr").CreateCopy(
            str(path), source, callback=lambda done, *_: done < 0.4
        )
    assert copy is None and not path.exists()
    assert "cancelled" in log.the_error()
