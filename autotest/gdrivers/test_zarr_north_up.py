# SPDX-License-Identifier: MIT
"""The open option NORTH_UP=YES reverses the rows of a raster whose latitudes ascend, so that the first row is the
northernmost."""

import subprocess

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 37, 50


def counters():
    return int(gdal.GetDriverByName("Zarr").GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS"))


@pytest.fixture
def store(tmp_path):
    values = np.arange(3 * ROWS * COLUMNS, dtype="<i4").reshape(3, ROWS, COLUMNS)
    return values, make_store(tmp_path, {
        "t2m": {"values": values, "dims": ("time", "lat", "lon"), "chunks": (1, 10, 16)},
        "lat": {"values": -60 + 2.0 * np.arange(ROWS), "dims": ("lat",), "attrs": {"units": "degrees_north"}},
        "lon": {"values": 10 + 2.0 * np.arange(COLUMNS), "dims": ("lon",), "attrs": {"units": "degrees_east"}},
    })  # fmt: skip


def test_rows_and_place(store, cpl):
    values, path = store
    plain, turned = open_raster(path), open_raster(path, "NORTH_UP=YES")
    assert plain.GetGeoTransform() == (9, 2, 0, -61, 0, 2)
    assert turned.GetGeoTransform() == (9, 2, 0, 13, 0, -2)
    np.testing.assert_array_equal(turned.ReadAsArray(), values[:, ::-1])
    for x, y, width, height in ((0, 0, 1, 1), (3, 5, 20, 13), (40, 30, 10, 7), (0, 36, 50, 1)):
        wanted = values[:, ::-1][:, y : y + height, x : x + width]
        np.testing.assert_array_equal(turned.ReadAsArray(x, y, width, height), wanted)
        np.testing.assert_array_equal(turned.GetRasterBand(2).ReadAsArray(x, y, width, height), wanted[1])
    blocks = gdal.GetDriverByName("MEM").CreateCopy("", turned)
    np.testing.assert_array_equal(blocks.ReadAsArray(), values[:, ::-1])
    half = turned.GetRasterBand(1).ReadAsArray(buf_xsize=25, buf_ysize=18)
    assert half[0, 0] > half[-1, 0]
    np.testing.assert_allclose(turned.GetRasterBand(1).ComputeStatistics(False),
                               plain.GetRasterBand(1).ComputeStatistics(False))
    assert cpl.events == []


def test_no_more_chunks_are_read(store):
    _, path = store
    told = []
    for options, rows in (((), (10, 10)), (("NORTH_UP=YES",), (17, 10))):
        dataset = open_raster(path, *options)
        dataset.GetGeoTransform()
        before = counters()
        dataset.GetRasterBand(1).ReadAsArray(16, rows[0], 16, rows[1])
        told.append(counters() - before)
        dataset = None
    assert told == [1, 0] or told == [1, 1]  # decoded chunks of the two reads; the second read may find its chunk in the cache


def test_with_wrapped_longitudes(tmp_path, cpl):
    values = np.arange(18 * 36, dtype="<i4").reshape(18, 36)
    path = make_store(tmp_path, {
        "v": {"values": values, "dims": ("lat", "lon")},
        "lat": {"values": -85 + 10.0 * np.arange(18), "dims": ("lat",), "attrs": {"units": "degrees_north"}},
        "lon": {"values": 5 + 10.0 * np.arange(36), "dims": ("lon",), "attrs": {"units": "degrees_east"}},
    })  # fmt: skip
    dataset = open_raster(path, "NORTH_UP=YES", "WRAP_LONGITUDE=YES")
    assert dataset.GetGeoTransform() == (-180, 10, 0, 90, 0, -10)
    np.testing.assert_array_equal(dataset.ReadAsArray(), np.roll(values, 18, axis=1)[::-1])
    assert cpl.events == []


def test_overviews_and_masks_are_turned_too(tmp_path, cpl):
    made = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 64, 64, 1, gdal.GDT_Int32)
    made.SetGeoTransform((0, 1, 0, 0, 0, 1))
    values = np.arange(64 * 64).reshape(64, 64)
    made.WriteArray(values)
    mask = ((values % 3) > 0).astype("u1") * np.uint8(255)
    made.CreateMaskBand(gdal.GMF_PER_DATASET)
    made.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    made.BuildOverviews("NEAREST", [2])
    made = None
    dataset = open_raster(tmp_path / "a.zarr", "NORTH_UP=YES")
    band = dataset.GetRasterBand(1)
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), mask[::-1])
    plain = open_raster(tmp_path / "a.zarr")
    wanted = plain.GetRasterBand(1).GetOverview(0).ReadAsArray()[::-1]
    np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), wanted)
    assert cpl.events == []


def test_rasters_that_go_south_stay(store, tmp_path, cpl):
    values, path = store
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "n.zarr"), open_raster(path, "NORTH_UP=YES"))
    for options in ((), ("NORTH_UP=YES",)):
        dataset = open_raster(tmp_path / "n.zarr", *options)
        assert dataset.GetGeoTransform()[5] == -2
        np.testing.assert_array_equal(dataset.ReadAsArray(), values[:, ::-1])
    assert cpl.events == []


def test_programs_that_need_it(store, tmp_path):
    values, path = store
    subprocess.run(["gdalbuildvrt", "-q", "-oo", "NORTH_UP=YES", str(tmp_path / "m.vrt"), str(path)], check=True)
    np.testing.assert_array_equal(gdal.Open(str(tmp_path / "m.vrt")).ReadAsArray(), values[:, ::-1])
    subprocess.run(["gdal_translate", "-q", "-oo", "NORTH_UP=YES", "-projwin", "29", "-1", "49", "-21", str(path),
                    str(tmp_path / "w.tif")], check=True)  # fmt: skip
    window = gdal.Open(str(tmp_path / "w.tif"))
    assert window.GetGeoTransform() == (29, 2, 0, -1, 0, -2)
    np.testing.assert_array_equal(window.ReadAsArray(), values[:, ::-1][:, 7:17, 10:20])


def test_as_a_configuration_option(store, cpl):
    values, path = store
    with config_options(ZARR_NORTH_UP="YES"):
        np.testing.assert_array_equal(open_raster(path).ReadAsArray(), values[:, ::-1])
        np.testing.assert_array_equal(open_raster(path, "NORTH_UP=NO").ReadAsArray(), values)
        changed = gdal.Open(str(path), gdal.GA_Update)  # ZARR_NORTH_UP has no effect in update mode
        assert changed.GetGeoTransform()[5] == 2
        changed.GetRasterBand(1).WriteArray(np.full((1, COLUMNS), 7), 0, 0)
        changed = None
        copy = str(path.parent / "c.zarr")
        made = gdal.GetDriverByName("Zarr").CreateCopy(copy, open_raster(path))
        assert made.GetGeoTransform()[5] == -2
    assert (open_raster(path).ReadAsArray()[0, 0] == 7).all()
    assert cpl.events == []


ADVICE = ("its rows run from south to north; open option NORTH_UP=YES, or configuration option "
          "ZARR_NORTH_UP=YES, reverses their order")  # fmt: skip


def test_projwin_gives_the_advice(store, tmp_path):
    _, path = store
    window = ["-projwin", "29", "-1", "49", "-21"]
    words = ["gdal_translate", "-q", *window, str(path), str(tmp_path / "w.tif")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert f"{path}: {ADVICE}" in done.stderr
    words += ["--config", "ZARR_NORTH_UP", "YES"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_the_advice_is_given_once(store, tmp_path, cpl):
    _, path = store
    dataset = gdal.Open(str(path))
    assert gdal.Translate(str(tmp_path / "w.tif"), dataset, projWin=(29, -1, 49, -21)) is None
    dataset = None
    assert cpl.warnings == [f"{path}: {ADVICE}"]
    dataset = gdal.Open(str(path))
    dataset.GetGeoTransform()
    dataset = None
    assert len(cpl.warnings) == 1


def test_no_advice_where_it_would_not_help(store, tmp_path, cpl):
    _, path = store
    turned = open_raster(path, "NORTH_UP=YES")
    assert gdal.Translate(str(tmp_path / "w.tif"), turned, projWin=(29, -21, 49, -1)) is None
    turned = None
    assert "negative" in cpl.the_error() and cpl.warnings == []


def test_it_is_for_reading(store, cpl):
    _, path = store
    assert gdal.OpenEx(str(path), gdal.OF_UPDATE, open_options=["NORTH_UP=YES"]) is None
    assert "NORTH_UP is not allowed in update mode" in cpl.the_error()
