# SPDX-License-Identifier: MIT
"""Creates stores in new zip files, or in zip files that they replace."""

import os
import zipfile

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import config_options, error_log, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg

pytestmark = zarr_formats.BOTH
PLACE = (500000, 10, 0, 5200000, 0, -10)


def driver():
    return gdal.GetDriverByName("Zarr")


def raster(bands=2, width=700, height=600, seed=5):
    values = np.random.default_rng(seed).integers(0, 1000, (bands, height, width), "i2")
    dataset = gdal.GetDriverByName("MEM").Create("", width, height, bands, gdal.GDT_Int16)
    dataset.WriteArray(values)
    dataset.SetGeoTransform(PLACE)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    dataset.SetSpatialRef(srs)
    dataset.SetMetadataItem("title", "zipped")
    return dataset, values


@pytest.mark.parametrize("inside", ["", "/x.zarr"])
@pytest.mark.parametrize("single", ["YES", "NO"])
@pytest.mark.parametrize("compress", ["BLOSC", "NONE"])
def test_a_copy_into_a_zip(tmp_path, inside, single, compress, cpl):
    path = tmp_path / "s.zip"
    source, values = raster()
    copy = driver().CreateCopy(f"/vsizip/{path}{inside}", source, options=[
        f"SINGLE_ARRAY={single}", f"COMPRESS={compress}", "ARRAY_NAME=v", "BLOCKSIZE=256,256"])  # fmt: skip
    assert copy is not None
    del copy
    cpl.assert_quiet()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert archive.testzip() is None
    assert len(names) == len(set(names))
    opened = open_raster(f"/vsizip/{path}{inside}")
    np.testing.assert_array_equal(read_all(opened), values)
    assert_geotransform(opened, PLACE)
    assert epsg(opened) == 32632
    assert opened.GetMetadataItem("title") == "zipped"
    if not inside and single == "YES":
        store = zarr.ZipStore(str(path), mode="r")
        np.testing.assert_array_equal(zarr.open_consolidated(store, mode="r")["v"][...], values)
        with xr.open_zarr(store) as dataset:
            assert dataset.x[0] == 500005
        store.close()


def test_rows_of_a_zip_are_written_once(tmp_path):
    """Rows of pixels are written from top to bottom, as GDAL's tools do. The zip file has each chunk only once."""
    path = tmp_path / "s.zip"
    values = raster(1)[1][0]
    dataset = driver().Create(f"/vsizip/{path}", 700, 600, 1, gdal.GDT_Int16, ["BLOCKSIZE=64,64"])
    for y in range(0, 600, 7):
        dataset.WriteArray(values[y : y + 7], 0, y)
    dataset.SetGeoTransform(PLACE)
    dataset.FlushCache()
    dataset.SetGeoTransform((1, 1, 0, 1, 0, -1))
    dataset.SetGeoTransform(PLACE)
    dataset.SetMetadataItem("late", "yes")
    del dataset
    opened = open_raster(f"/vsizip/{path}")
    np.testing.assert_array_equal(opened.ReadAsArray(), values)
    assert opened.GetMetadataItem("late") == "yes"
    assert_geotransform(opened, PLACE)


def test_a_chunk_is_read_and_written_again_before_the_file_is_closed(tmp_path, cpl):
    path = tmp_path / "s.zip"
    dataset = driver().Create(f"/vsizip/{path}", 512, 512, 1, gdal.GDT_Float64, ["COMPRESS=NONE"])
    values = np.random.default_rng(1).random((512, 512))
    for turn in range(3):
        dataset.WriteArray(values + turn)
        dataset.FlushCache()
        np.testing.assert_array_equal(dataset.ReadAsArray(), values + turn)
        dataset.WriteArray(values[:100, :50], 30, 20)
    expected = values + 2
    expected[20:120, 30:80] = values[:100, :50]
    np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
    del dataset
    cpl.assert_quiet()
    np.testing.assert_array_equal(open_raster(f"/vsizip/{path}").ReadAsArray(), expected)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == len(set(archive.namelist()))


def test_a_cancelled_copy_leaves_no_zip(tmp_path):
    path = tmp_path / "s.zip"
    with error_log():
        assert driver().CreateCopy(f"/vsizip/{path}", raster()[0], callback=lambda *_: 0) is None
    assert os.listdir(tmp_path) == []


def test_a_zip_is_replaced_and_deleted_as_a_whole(tmp_path, cpl):
    path = tmp_path / "s.zip"
    for bands in (1, 3):
        assert driver().CreateCopy(f"/vsizip/{path}", raster(bands)[0]) is not None
        assert open_raster(f"/vsizip/{path}").RasterCount == bands
    before = path.read_bytes()
    with error_log():
        assert driver().CreateCopy(f"/vsizip/{path}", raster()[0], callback=lambda *_: 0) is None
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["s.zip"]
    cpl.assert_quiet()
    assert driver().Delete(f"/vsizip/{path}") == gdal.CE_None
    assert os.listdir(tmp_path) == []


def test_a_zip_with_other_files_stays(tmp_path, cpl):
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "precious")
        archive.writestr("x.zarr/.zgroup", '{"zarr_format": 2}')
    before = path.read_bytes()
    for name in (f"/vsizip/{path}", f"/vsizip/{path}/x.zarr", f"/vsizip/{path}/new.zarr"):
        cpl.clear()
        assert driver().CreateCopy(name, raster()[0]) is None
        assert len(cpl.errors) == 1, cpl.events
        assert "zip file" in cpl.errors[-1] or "letter.txt" in cpl.errors[-1]
    cpl.clear()
    assert driver().Delete(f"/vsizip/{path}/x.zarr") == gdal.CE_Failure
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["s.zip", "s.ozx"])
@pytest.mark.parametrize("spelling", ["/vsizip/{}/x.zarr", "/vsizip/{{{}}}/x.zarr"])
def test_a_store_beside_other_files_in_a_zip_stays(tmp_path, name, spelling):
    path = tmp_path / name
    store = spelling.format(path)
    assert driver().CreateCopy(store, raster()[0]) is not None
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("notes.txt", "mine")
    before = path.read_bytes()
    reason = "shares its zip file with other files"
    with error_log() as log:
        assert driver().Delete(store) == gdal.CE_Failure
        assert reason in log.errors[-1]
        assert driver().CreateCopy(store, raster(1)[0]) is None
        assert reason in log.errors[-1]
    assert path.read_bytes() == before


def test_nothing_is_copied_into_a_zip(tmp_path):
    path = tmp_path / "s.zip"
    driver().CreateCopy(f"/vsizip/{path}", raster()[0], options=["ARRAY_NAME=v"])
    before = path.read_bytes()
    assert driver().CopyFiles(f"/vsizip/{path}/more", f"/vsizip/{path}") == gdal.CE_Failure
    assert path.read_bytes() == before


def test_an_unwritable_zip_is_an_error(cpl):
    assert driver().CreateCopy("/vsizip//proc/no/s.zip", raster()[0]) is None
    assert "zip file" in cpl.the_error()


@pytest.mark.parametrize("inside", ["", "/x.zarr"])
def test_pam_of_a_store_in_a_zip(tmp_path, inside, cpl):
    """CreateCopy() into a zip file stores the colour table and gives no warning. PAM's search for an auxiliary file
    would warn, because GDAL cannot list an unfinished zip file."""
    source, values = raster(bands=1)
    table = gdal.ColorTable()
    table.SetColorEntry(1, (1, 2, 3, 255))
    path = f"/vsizip/{tmp_path / 's.zarr.zip'}{inside}" if inside else str(tmp_path / "s.zarr.zip")
    with config_options(GDAL_PAM_ENABLED="YES"):
        for is_coloured in (False, True, True):  # the first copy makes the zip file, the others replace it
            if is_coloured:
                source.GetRasterBand(1).SetColorTable(table)
            assert driver().CreateCopy(path, source) is not None
        cpl.assert_quiet()
        dataset = open_raster(path)
        assert dataset.GetRasterBand(1).GetColorTable().GetColorEntry(1) == (1, 2, 3, 255)
        np.testing.assert_array_equal(read_all(dataset), values)
        dataset = driver().Create(path, 4, 3)
        dataset.GetRasterBand(1).Fill(7)
        dataset = None
    cpl.assert_quiet()
