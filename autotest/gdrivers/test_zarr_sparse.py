# SPDX-License-Identifier: MIT
"""Computes statistics of arrays whose chunks are mostly absent, and reads only the stored chunks."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_http import Served
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

SIDE, CHUNK = 1000, 50  # pixels of an array and of a chunk, per side: 400 chunks
WINDOWS = [(0, 0), (120, 330), (555, 5), (990, 990)]


def counters():
    return {k: int(v) for k, v in gdal.GetDriverByName("Zarr").GetMetadata("READ_COUNTERS").items()}


def sparse(store, dtype=gdal.GDT_Float32, nodata=None, bands=1, options=()):
    """Creates an array in which only the chunks of WINDOWS are stored, with random numbers. Returns the dataset."""
    dataset = gdal.GetDriverByName("Zarr").Create(
        str(store), SIDE, SIDE, bands, dtype, [f"BLOCKSIZE={CHUNK},{CHUNK}", *options])
    dataset.SetGeoTransform((0, 1, 0, SIDE, 0, -1))
    rng = np.random.default_rng(5)
    for i in range(bands):
        band = dataset.GetRasterBand(i + 1)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        for x, y in WINDOWS:
            size = min(60, SIDE - x), min(70, SIDE - y)
            band.WriteArray(rng.integers(1, 200, size[::-1]), x, y)
    return dataset


def dense(dataset, nodata):
    """Copies all pixels to a MEM dataset with the nodata value `nodata`, and returns this dataset."""
    copy = gdal.GetDriverByName("MEM").Create("", SIDE, SIDE, dataset.RasterCount,
                                              dataset.GetRasterBand(1).DataType)  # fmt: skip
    copy.SetGeoTransform(dataset.GetGeoTransform())
    for i in range(dataset.RasterCount):
        copy.GetRasterBand(i + 1).WriteArray(dataset.GetRasterBand(i + 1).ReadAsArray())
        if nodata is not None:
            copy.GetRasterBand(i + 1).SetNoDataValue(nodata)
    return copy


@pytest.mark.parametrize("dtype, nodata", [
    (gdal.GDT_Float32, None), (gdal.GDT_Float32, -9999), (gdal.GDT_Float32, float("nan")),
    (gdal.GDT_Byte, None), (gdal.GDT_Byte, 0), (gdal.GDT_Byte, 7), (gdal.GDT_Int16, -1),
    (gdal.GDT_Float64, 1e300), (gdal.GDT_Int64, None), (gdal.GDT_UInt64, 3), (gdal.GDT_CFloat32, None),
])  # fmt: skip
@pytest.mark.parametrize("bands, options", [(1, []), (2, []), (2, ["INTERLEAVE=PIXEL"])])
@pytest.mark.parametrize("update", [False, True])
def test_statistics_are_those_of_all_pixels(tmp_path, cpl, dtype, nodata, bands, options, update):
    dataset = sparse(tmp_path / "a.zarr", dtype, nodata, bands, options)
    if not update:
        dataset = None
        dataset = open_raster(tmp_path / "a.zarr")
    wanted = dense(dataset, nodata)
    for number in range(1, bands + 1):
        band, other = dataset.GetRasterBand(number), wanted.GetRasterBand(number)
        got, expected = band.ComputeStatistics(False), other.ComputeStatistics(False)
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        percent = "STATISTICS_VALID_PERCENT"
        assert band.GetMetadataItem(percent) == other.GetMetadataItem(percent)
    assert cpl.events == []


def test_statistics_cost_only_stored_chunks(tmp_path, cpl):
    """Computing statistics reads each stored chunk, and requests no absent one."""
    dataset = sparse(tmp_path / "a.zarr")
    dataset = None
    present = len(zarr_formats.chunk_keys(tmp_path / "a.zarr", "a"))
    dataset = open_raster(tmp_path / "a.zarr")
    before = counters()
    dataset.GetRasterBand(1).ComputeStatistics(False)
    after = counters()
    assert after["CHUNKS_REQUESTED"] - before["CHUNKS_REQUESTED"] == present
    assert after["CHUNKS_ABSENT"] == before["CHUNKS_ABSENT"]
    # A new dataset's statistics include a chunk that was stored after the first computation.
    writer = gdal.OpenEx(str(tmp_path / "a.zarr"), gdal.OF_UPDATE)
    writer.GetRasterBand(1).WriteArray(np.full((10, 10), 1e6), 300, 300)
    writer = None
    dataset = open_raster(tmp_path / "a.zarr")
    assert dataset.GetRasterBand(1).ComputeStatistics(False)[1] == 1e6
    assert cpl.events == []


def test_statistics_of_nodata_alone(tmp_path, cpl):
    made = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), SIDE, SIDE,
                                               options=[f"BLOCKSIZE={CHUNK},{CHUNK}"])  # fmt: skip
    made.GetRasterBand(1).SetNoDataValue(3)
    made = None
    dataset = open_raster(tmp_path / "a.zarr")
    dataset.GetRasterBand(1).ComputeStatistics(False)
    assert dataset.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM") is None
    assert "no valid pixels found" in cpl.the_error()


@pytest.mark.parametrize("nodata", [None, -1])
def test_coverage_of_absent_chunks_is_empty(tmp_path, cpl, nodata):
    dataset = sparse(tmp_path / "a.zarr", gdal.GDT_Int16, nodata)
    dataset = None
    for key in zarr_formats.chunk_keys(tmp_path / "a.zarr", "a"):
        index = [int(number) for number in key.split(".")]
        if index != [0, 0]:  # in Zarr v2 the driver writes these chunks, but other programs leave them out
            zarr_formats.chunk_file(tmp_path / "a.zarr", "a", *index).unlink()
    dataset = open_raster(tmp_path / "a.zarr")
    band = dataset.GetRasterBand(1)
    data, empty = gdal.GDAL_DATA_COVERAGE_STATUS_DATA, gdal.GDAL_DATA_COVERAGE_STATUS_EMPTY
    assert tuple(band.GetDataCoverageStatus(0, 0, 50, 50)) == (data, 100)
    assert tuple(band.GetDataCoverageStatus(800, 100, 200, 300)) == (empty, 0)
    status, percent = band.GetDataCoverageStatus(0, 0, SIDE, SIDE)
    present = len(zarr_formats.chunk_keys(tmp_path / "a.zarr", "a"))
    assert status == data | empty and percent == pytest.approx(present / 4)
    warped = gdal.Warp("", dataset, format="MEM", width=500, height=500, outputBounds=(0, 0, SIDE, SIDE))
    plain = gdal.Warp("", dense(dataset, nodata), format="MEM", width=500, height=500,
                      outputBounds=(0, 0, SIDE, SIDE))  # fmt: skip
    np.testing.assert_array_equal(warped.ReadAsArray(), plain.ReadAsArray())
    assert cpl.events == []


def test_a_fill_value_that_is_data_is_not_empty(tmp_path, cpl):
    store = make_store(tmp_path, {"a": {"values": np.full((4, 4), 9, "<i2"), "fill_value": 5, "chunks": (2, 2),
                                        "attrs": {"_FillValue": -1}}})  # fmt: skip
    zarr_formats.chunk_file(store, "a", 0, 0).unlink()
    dataset = open_raster(store)
    status = dataset.GetRasterBand(1).GetDataCoverageStatus(0, 0, 2, 2)[0]
    assert (status & gdal.GDAL_DATA_COVERAGE_STATUS_EMPTY) == 0
    assert dataset.ReadAsArray(0, 0, 2, 2).tolist() == [[5, 5], [5, 5]]
    assert cpl.events == []


def test_a_remote_store_is_not_listed_for_statistics(tmp_path, cpl):
    dataset = sparse(tmp_path / "a.zarr")
    dataset = None
    with Served(tmp_path) as server:
        dataset = open_raster(f"{server.url}/a.zarr")
        assert dataset.GetRasterBand(1).ComputeStatistics(False) is not None
    assert cpl.events == []
