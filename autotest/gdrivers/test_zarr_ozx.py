# SPDX-License-Identifier: MIT
"""OME-Zarr in one zip file, x.ozx (RFC 9 of OME-NGFF)."""

import json
import zipfile

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_http import Served
from zarr_store import make_store, zip_folder

pytestmark = zarr_formats.V3
DRIVER = gdal.GetDriverByName("Zarr")


def raster(bands=3):
    made = gdal.GetDriverByName("MEM").Create("", 40, 30, bands)
    for number in range(1, bands + 1):
        made.GetRasterBand(number).WriteArray(np.arange(1200, dtype="u1").reshape(30, 40) + number)
    return made


def create(path, *options):
    DRIVER.CreateCopy(str(path), raster(), options=list(options))
    return path


def names(path):
    with zipfile.ZipFile(path) as opened:
        assert opened.testzip() is None
        assert all(member.compress_type == zipfile.ZIP_STORED for member in opened.infolist())
        return opened.namelist(), opened.comment


@pytest.mark.parametrize("version", ["0.5", "0.6"])
def test_a_copy(tmp_path, cpl, version):
    path = create(tmp_path / "x.ozx", "PROFILE=OME", f"OME_VERSION={version}", "BLOCKSIZE=8,8")
    read = open_raster(path)
    np.testing.assert_array_equal(read.ReadAsArray(), raster().ReadAsArray())
    members, comment = names(path)
    assert json.loads(comment) == {"ome": {"version": version}}
    documents = [name for name in members if name.endswith("zarr.json")]
    assert members[0] == "zarr.json" and members[: len(documents)] == documents
    assert [name.count("/") for name in documents] == sorted(name.count("/") for name in documents)
    assert len(members) == len(set(members))
    with zipfile.ZipFile(path) as opened:
        offsets = [opened.getinfo(name).header_offset for name in members]
        assert offsets == sorted(offsets) and offsets[0] == 0
        assert json.loads(opened.read("zarr.json"))["attributes"]["ome"]["version"] == version
    assert not [name for name in tmp_path.iterdir() if name != path]
    assert cpl.events == []


def test_create_update_and_delete(tmp_path, cpl):
    path = tmp_path / "x.ozx"
    made = DRIVER.Create(str(path), 40, 30, options=["PROFILE=OME"])
    made.GetRasterBand(1).Fill(7)
    made = None
    changed = gdal.Open(str(path), gdal.GA_Update)
    changed.GetRasterBand(1).Fill(9)
    changed.SetMetadataItem("k", "v")
    changed = None
    read = open_raster(path)
    assert read.ReadAsArray().min() == read.ReadAsArray().max() == 9
    assert read.GetMetadataItem("k") == "v"
    members, comment = names(path)
    assert members[0] == "zarr.json" and json.loads(comment) == {"ome": {"version": "0.5"}}
    read = None
    assert DRIVER.Delete(str(path)) == gdal.CE_None and not path.exists()
    assert cpl.events == []


def test_a_store_without_an_image_has_no_comment(tmp_path, cpl):
    assert names(create(tmp_path / "x.ozx"))[1] == b""
    assert names(create(tmp_path / "x.zarr.zip", "PROFILE=OME"))[1] == b""
    assert cpl.events == []


def test_files_of_other_programs(tmp_path, cpl):
    folder = make_store(tmp_path, {"a": np.arange(12, dtype="u1").reshape(3, 4)})
    path = tmp_path / "other.ozx"
    zip_folder(folder, path)
    with zipfile.ZipFile(path, "a") as opened:
        opened.comment = b'{"ome": {"version": "0.5"}}'
    for name in (str(path), f"ZARR:{path}", f'ZARR:"{path}":/a', f"/vsizip/{{{path}}}"):
        assert open_raster(name).ReadAsArray().sum() == 66
    with Served(tmp_path) as server:
        assert open_raster(f"ZARR:{server.url}/other.ozx").ReadAsArray().sum() == 66
    assert cpl.events == []


@pytest.mark.parametrize("name", ["b.zarr.zip", "b.zarr", "b.ozx"])
def test_programs_find_the_driver_by_the_name(tmp_path, name):
    extensions = DRIVER.GetMetadataItem(gdal.DMD_EXTENSIONS).split()
    assert name.rpartition(".")[2] in extensions
    from osgeo_utils.auxiliary import util

    assert "Zarr" in util.GetOutputDriversFor(name)
