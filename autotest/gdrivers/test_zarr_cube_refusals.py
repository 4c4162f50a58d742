# SPDX-License-Identifier: MIT
"""Files that zarr_cube must refuse, because references cannot say what GDAL reads of them, and names that need care."""

import json
import os

import numpy as np
import pytest
from osgeo import gdal
from zarr_cube_files import PLACE, assert_equal, cube, refused, tiff, values_for
from zarr_gdal import config_options
from zarr_http import Served

TILES = ["TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"]


def two(tmp_path, **of_second):
    values = values_for((1, 32, 64), "u1")
    return [tiff(tmp_path / "a_20240101.tif", values), tiff(tmp_path / "b_20240102.tif", values, **of_second)]


@pytest.mark.parametrize("options, bands, name", [
    (["PHOTOMETRIC=CMYK"], 4, "CMYK"), (["PHOTOMETRIC=CIELAB"], 3, "CIE L*a*b*"), (["PHOTOMETRIC=ICCLAB"], 3, "ICC L*a*b*"),
])  # fmt: skip
def test_colours_that_gdal_converts(tmp_path, options, bands, name):
    file = tiff(tmp_path / "a.tif", values_for((bands, 32, 64), "u1"), [*TILES, "INTERLEAVE=PIXEL", "COMPRESS=DEFLATE", *options])
    assert f"{file}: colours are stored as {name}" in refused(tmp_path / "x.json", file)


@pytest.mark.parametrize("dtype, nodata", [("u1", 300), ("u1", 1.5), ("i2", -99999), ("c8", 5)])
def test_absent_tiles_with_a_nodata_value_that_the_type_lacks(tmp_path, dtype, nodata):
    path, sparse = tmp_path / "a.tif", [*TILES, "SPARSE_OK=TRUE"]
    kind = {"u1": gdal.GDT_Byte, "i2": gdal.GDT_Int16, "c8": gdal.GDT_CFloat32}[dtype]
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), 64, 32, 1, kind, sparse)
    dataset.SetGeoTransform(PLACE)
    dataset.GetRasterBand(1).SetNoDataValue(nodata)
    dataset.GetRasterBand(1).WriteArray(np.ones((16, 32), dtype))
    dataset = None
    assert f"{path}: tiles that are absent have the nodata value" in refused(tmp_path / "x.json", path)


def test_metadata_items_with_names_of_attributes_of_cf(tmp_path):
    items = {"_FillValue": "7", "scale_factor": "0.1", "add_offset": "5", "units": "m", "long_name": "n", "other": "kept"}
    file = tiff(tmp_path / "a.tif", values_for((1, 32, 64), "u1"), metadata=items)
    cube(tmp_path / "x.json", file, "--quiet")
    dataset = gdal.Open(str(tmp_path / "x.json"))
    band = dataset.GetRasterBand(1)
    assert band.GetNoDataValue() is None and band.GetScale() in (None, 1) and band.GetUnitType() == ""
    attributes = json.loads(json.loads((tmp_path / "x.json").read_text())["refs"]["data/.zattrs"])
    assert attributes["other"] == "kept" and not set(attributes) & {"_FillValue", "scale_factor", "add_offset", "units"}


def test_tiles_of_a_mosaic_do_not_lie_upon_each_other(tmp_path):
    values = values_for((1, 32, 64), "u1")
    one = tiff(tmp_path / "one.tif", values)
    other = tiff(tmp_path / "other.tif", values, place=(PLACE[0] + 320, *PLACE[1:]))
    assert f"{one} and {other} have the same place in the cube" in refused(tmp_path / "x.json", one, other, "--join", "mosaic")
    beside = tiff(tmp_path / "beside.tif", values, place=(PLACE[0] + 640, *PLACE[1:]))
    cube(tmp_path / "x.json", one, beside, "--join", "mosaic", "--quiet", "--check", "5")


@pytest.mark.parametrize("first_is_sparse", [True, False])
def test_tiles_of_a_mosaic_may_fill_gaps(tmp_path, first_is_sparse):
    """Two files at one place, of which each has the tiles that the other lacks."""
    files = []
    for number, name in enumerate("ab" if first_is_sparse else "ba"):
        path = tmp_path / f"{number}.tif"
        dataset = gdal.GetDriverByName("GTiff").Create(str(path), 64, 32, 1, gdal.GDT_Byte, [*TILES, "SPARSE_OK=TRUE"])
        dataset.SetGeoTransform(PLACE)
        dataset.GetRasterBand(1).WriteArray(np.full((32, 32), ord(name), "u1"), 32 * (name == "b"), 0)
        dataset = None
        files.append(path)
    cube(tmp_path / "x.json", *files, "--join", "mosaic", "--quiet")
    values = gdal.Open(str(tmp_path / "x.json")).ReadAsArray()
    assert (values[:, :32] == ord("a")).all() and (values[:, 32:] == ord("b")).all()


def test_a_mosaic_that_no_raster_can_be(tmp_path):
    files = two(tmp_path, place=(PLACE[0] + 3.2e11, *PLACE[1:]))
    assert f"{files[1]}: with it the mosaic has" in refused(tmp_path / "x.json", *files, "--join", "mosaic")


def test_overviews_out_of_order(tmp_path):
    path = tiff(tmp_path / "a.tif", values_for((1, 128, 256), "u1"))
    for level in (4, 2):
        dataset = gdal.Open(str(path), gdal.GA_Update)
        dataset.BuildOverviews("NEAREST", [level])
        dataset = None
    assert f"{path}: its overviews are not in the order of their size" in refused(tmp_path / "x.json", path)
    cube(tmp_path / "x.json", path, "--no-overviews", "--quiet", "--check", "5")


def test_only_regular_files_of_a_folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    file = tiff(folder / "a_20240101.tif", values_for((1, 32, 64), "u1"))
    os.mkfifo(folder / "b_20240102.tif")
    (folder / "up").symlink_to(folder)
    assert "1 files" in cube(tmp_path / "x.json", folder)
    assert "no regular file" in refused(tmp_path / "y.json", file, folder / "b_20240102.tif")


def test_a_link_to_a_file_elsewhere(tmp_path):
    folder, elsewhere = tmp_path / "files", tmp_path / "elsewhere"
    folder.mkdir(), elsewhere.mkdir()
    file = tiff(elsewhere / "a.tif", values_for((1, 32, 64), "u1"))
    (folder / "a.tif").symlink_to(file)
    printed = cube(folder / "x.json", folder / "a.tif", "--check", "3")
    assert f"ZARR_REFERENCE_FOLDERS={elsewhere}" in printed
    with config_options(ZARR_REFERENCE_FOLDERS=str(elsewhere)):
        assert_equal(folder / "x.json", [file])


def test_a_name_that_is_a_template(tmp_path):
    file = tiff(tmp_path / "{{x}}.tif", values_for((1, 32, 64), "u1"))
    assert "is a template in references; rename the file" in refused(tmp_path / "x.json", file)


@pytest.mark.parametrize("name", ["", "x", "band", "spatial_ref", "a/b"])
def test_names_of_the_dimension(tmp_path, name):
    assert f"--dim {name}: expected a name" in refused(tmp_path / "x.json", *two(tmp_path), "--dim", name)


def test_damaged_numbers_are_an_error_of_the_file(tmp_path):
    file = tiff(tmp_path / "a.tif", values_for((1, 32, 64), "u1"))
    data = bytearray(file.read_bytes())
    at = int.from_bytes(data[4:8], "little")
    for entry in range(at + 2, at + 2 + 12 * int.from_bytes(data[at : at + 2], "little"), 12):
        if int.from_bytes(data[entry : entry + 2], "little") == 256:  # ImageWidth as text
            data[entry + 2 : entry + 4] = (2).to_bytes(2, "little")
            data[entry + 8 : entry + 12] = b"x\0\0\0"
    file.write_bytes(data)
    assert f"{file}: " in refused(tmp_path / "x.json", file)


def test_signed_urls_are_names_and_are_not_shown(tmp_path):
    file = tiff(tmp_path / "a_20240101.tif", values_for((1, 32, 64), "u1"))
    with Served(tmp_path) as server:
        url = f"{server.url}/{file.name}?sig=hunter2"
        printed = cube(tmp_path / "x.json", url)
        assert "hunter2" not in printed and "the references hold the passwords or signatures" in printed
        assert "sig=hunter2" in (tmp_path / "x.json").read_text()
        assert_equal(tmp_path / "x.json", [file])
        assert "hunter2" not in cube(tmp_path / "x.json", url, "--dry-run")
        assert "hunter2" not in refused(tmp_path / "y.json", f"{server.url}/absent.tif?sig=hunter2")


def test_a_list_with_a_byte_order_mark(tmp_path):
    files = two(tmp_path)
    (tmp_path / "list.txt").write_text("\ufeff" + "\r\n".join(map(str, files)), encoding="utf-8")
    cube(tmp_path / "x.json", f"@{tmp_path}/list.txt", "--quiet")
    assert gdal.Open(str(tmp_path / "x.json")).RasterCount == 2
