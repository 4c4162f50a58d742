# SPDX-License-Identifier: MIT
"""Opens, deletes, renames and copies Zarr v3 stores by all names that v2 stores can have. This driver handles
each name, even if GDAL's built-in driver is registered first."""

import json
import os
import pathlib
import shutil
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_drivers import Asker, make_v3
from zarr_gdal import array_name, error_log, open_raster
from zarr_http import Served
from zarr_store import make_store

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
ORDERS = pytest.mark.parametrize("order", ["ours first", "builtin first"])
VALUES = np.arange(20).reshape(4, 5).tolist()


def driver():
    return gdal.GetDriverByName("Zarr")


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


@ORDERS
def test_a_folder_opens_whatever_the_order_of_drivers(tmp_path, order):
    store = make_v3(tmp_path / "three.zarr", "v")
    names = [str(store), f'ZARR:"{store}"', f"ZARR:{store}", array_name(store, "v"),
             str(store / "zarr.json"), str(store / "v"), str(store / "v" / "zarr.json")]  # fmt: skip
    answers = Asker(tmp_path, order).ask(*((name, flags, None) for name in names
                                           for flags in (RASTER, MULTIDIM)))  # fmt: skip
    for i, answer in enumerate(answers):
        assert answer["driver"] == answer["identified"] == "Zarr" and not answer["errors"], answer
        wanted = {"v": bytes(range(20)).hex()} if i % 2 else [0, VALUES]
        assert answer["contents"] == wanted, answer


@pytest.mark.parametrize("name", ["{url}/one.zarr", 'ZARR:"{url}/one.zarr":/v', "{url}/one.zarr/v",
                                  'ZARR:"/vsicurl/{url}/one.zarr"', "/vsicurl/{url}/one.zarr/zarr.json",
                                  "file://{folder}/one.zarr"])  # fmt: skip
def test_urls(tmp_path, name):
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        name = name.format(url=server.url, folder=tmp_path)
        dataset = gdal.OpenEx(name, MULTIDIM)
        assert dataset.GetDriver().ShortName == "Zarr"
        assert bytes(dataset.GetRootGroup().OpenMDArray("v").Read()) == bytes(range(20))
        assert gdal.OpenEx(name, RASTER).ReadAsArray().tolist() == VALUES


@pytest.mark.parametrize("flags", [RASTER, MULTIDIM])
def test_requests_for_a_consolidated_store(tmp_path, flags):
    """Opening a consolidated store needs only /zarr.json. The multidimensional API also requests documents that do not
    exist. It sends these requests concurrently, so opening takes no longer."""
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        server.rule(delay=0.05)
        gdal.VSICurlClearCache()
        server.log()
        assert gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/one.zarr"', flags) is not None
        log = server.log()
        asked = [path for _, path, *_ in log["requests"]]
        names = ["/zarr.json"]
        if flags == MULTIDIM:
            names += ["/.zattrs", "/.zmetadata", "/.zarray", "/.zgroup", ".gmac"]
        assert sorted(asked) == sorted(f"/one.zarr{name}" for name in names), asked
        assert log["in_turn"] == 1


@pytest.mark.parametrize("status", [403, 401, 500])
def test_a_server_that_refuses_absent_keys(tmp_path, status, cpl):
    """A v3 store opens, although the server answers 401, 403 or 500 for an absent v2 metadata document. Object stores
    do this if the client may not list the bucket."""
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        server.rule(status={"/one.zarr/.zmetadata": [status, -1]})
        gdal.VSICurlClearCache()
        dataset = gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/one.zarr"', MULTIDIM)
        assert dataset.GetRootGroup().OpenMDArray("v").Read() is not None
    assert [text for text in cpl.errors if "HTTP" in text or "cannot" in text] == []


def test_version_3_is_read_if_a_folder_has_both(tmp_path):
    """A folder with metadata documents of v2 and of v3 opens as v3, as in zarr-python."""
    store = make_store(tmp_path, {"v": {"values": np.ones((4, 5), "u1")}})
    for path in make_v3(tmp_path / "three.zarr", "v").rglob("*"):
        target = pathlib.Path(store) / path.relative_to(tmp_path / "three.zarr")
        if path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    assert open_raster(store).ReadAsArray().tolist() == VALUES
    assert open_raster(store).GetMetadataItem("ZARR_FORMAT", "ZARR") == "3"


def zipped(folder, path, below=""):
    with zipfile.ZipFile(path, "w") as archive:
        for file in pathlib.Path(folder).rglob("*"):
            if file.is_file():
                archive.write(file, below + str(file.relative_to(folder)))
    return path


@pytest.mark.parametrize("where", ["", "three.zarr/"])
@pytest.mark.parametrize("name", ["{path}", 'ZARR:"{path}"', 'ZARR:"{path}":/v', "/vsizip/{path}/{where}"])  # fmt: skip
def test_a_zip_file(tmp_path, where, name):
    path = zipped(make_v3(tmp_path / "three.zarr", "v"), tmp_path / "three.zip", where)
    name = name.format(path=path, where=where)
    assert gdal.OpenEx(name, RASTER).ReadAsArray().tolist() == VALUES
    assert gdal.OpenEx(name, MULTIDIM).GetRootGroup().GetMDArrayNames() == ["v"]


def test_deleting(tmp_path):
    store = make_v3(tmp_path / "a.zarr", "v")
    with error_log() as log:
        assert driver().Delete(str(store)) == gdal.CE_None
    assert log.errors == [] and not store.exists()


def test_files_that_do_not_belong_to_a_store_are_not_deleted(tmp_path):
    store = make_v3(tmp_path / "a.zarr", "v")
    (store / "v" / "thesis.doc").write_text("dear")
    with error_log() as log:
        assert driver().Delete(str(store)) == gdal.CE_Failure
    assert len(log.errors) == 1 and "thesis.doc" in log.errors[0]
    assert (store / "zarr.json").exists() and (store / "v" / "c" / "0" / "0").exists()


def test_renaming_and_copying(tmp_path):
    store = make_v3(tmp_path / "a.zarr", "v")
    before = files_below(store)
    assert driver().Rename(str(tmp_path / "b.zarr"), str(store)) == gdal.CE_None
    assert os.listdir(tmp_path) == ["b.zarr"] and files_below(tmp_path / "b.zarr") == before
    assert driver().CopyFiles(str(tmp_path / "c.zarr"), str(tmp_path / "b.zarr")) == gdal.CE_None
    assert sorted(os.listdir(tmp_path)) == ["b.zarr", "c.zarr"]
    assert files_below(tmp_path / "c.zarr") == before


@pytest.mark.parametrize("how", ["Create", "CreateCopy"])
def test_an_array_has_the_version_of_its_store(tmp_path, how):
    """An array that is added to a store has the Zarr version of the store, even if new stores have another
    version by default."""
    store = make_v3(tmp_path / "a.zarr", "v")
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]
    source = gdal.GetDriverByName("MEM").Create("", 5, 4)
    source.GetRasterBand(1).Fill(7)
    if how == "Create":
        made = driver().Create(str(store), 5, 4, 1, gdal.GDT_Byte, options)
        made.GetRasterBand(1).Fill(7)
    else:
        made = driver().CreateCopy(str(store), source, options=options)
    del made
    group = gdal.OpenEx(str(store), MULTIDIM).GetRootGroup()
    assert sorted(group.GetMDArrayNames()) == ["v", "w"]
    assert bytes(group.OpenMDArray("w").Read()) == b"\7" * 20
    assert json.loads((store / "w" / "zarr.json").read_text())["zarr_format"] == 3
    assert not (store / ".zgroup").exists() and not (store / "w" / ".zarray").exists()


def test_another_version_than_the_store_has_is_refused(tmp_path, cpl):
    store = make_v3(tmp_path / "a.zarr", "v")
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w", "FORMAT=ZARR_V2"]
    assert driver().Create(str(store), 5, 4, 1, gdal.GDT_Byte, options) is None
    assert len(cpl.errors) == 1 and "FORMAT: expected Zarr v3" in cpl.errors[0]


@pytest.mark.parametrize("versions", [("ZARR_V2", "ZARR_V3"), ("ZARR_V3", "ZARR_V2")])
def test_a_store_in_the_place_of_one_of_another_version(tmp_path, versions):
    path = tmp_path / "a.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 5, 4)
    for version in versions:
        assert driver().CreateCopy(str(path), source, options=[f"FORMAT={version}"]) is not None
    assert (path / "zarr.json").exists() == (versions[1] == "ZARR_V3")
    assert (path / ".zgroup").exists() == (versions[1] == "ZARR_V2")
