# SPDX-License-Identifier: MIT
"""Stores in zip files of any name and from any program, on disk, in memory or on a web server. The store may be in any
folder of the zip file."""

import json
import multiprocessing
import os
import pathlib
import shutil
import zipfile

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_eopf import make_s1, make_s2
from zarr_gdal import error_log, open_raster
from zarr_http import Served
from zarr_store import make_array, make_store, zip_folder

pytestmark = zarr_formats.BOTH
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
VALUES = np.arange(1, 40 * 30 + 1, dtype="<i4").reshape(40, 30)
ARRAYS = {
    "dem": {"values": VALUES, "dims": ("y", "x"), "chunks": (8, 8)},
    "deep/slope": {"values": VALUES[::2], "dims": ("y2", "x"), "chunks": (7, 30)},
    "x": {"values": np.arange(30) + 0.5, "dims": ("x",)},
    "y": {"values": np.arange(40) + 0.5, "dims": ("y",)},
}


def driver():
    return gdal.GetDriverByName("Zarr")


def read(dataset):
    return dataset.GetRasterBand(1).ReadAsArray()


def assert_holds_the_store(name):
    dataset = open_raster(name)
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert [name.rpartition(":")[2] for name in names] == ["/dem", "/deep/slope"]
    opened = open_raster(names[0])
    np.testing.assert_array_equal(read(opened), VALUES)
    assert opened.GetGeoTransform() == (0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    np.testing.assert_array_equal(read(open_raster(names[1])), VALUES[::2])
    root = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.GetMDArrayNames() == ["dem", "x", "y"] and root.GetGroupNames() == ["deep"]
    np.testing.assert_array_equal(root.OpenMDArray("dem").ReadAsArray(), VALUES)


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("top", ["", "inside.zarr"])
@pytest.mark.parametrize("file", ["s.zarr.zip", "s.zip", "S.ZIP", "mit Leerzeichen & ü.zip"])
def test_a_store_opens_by_the_name_of_its_zip(tmp_path, file, top, compression, consolidated):
    store = make_store(tmp_path, ARRAYS, consolidated=consolidated)
    path = zip_folder(store, tmp_path / file, top, compression, folders=bool(top))
    shutil.rmtree(store)
    for name in (path, f'ZARR:"{path}"', f"/vsizip/{path}", f'ZARR:"/vsizip/{path}"'):
        assert_holds_the_store(name)
    if top:
        assert_holds_the_store(f"/vsizip/{path}/{top}")


def gdalinfo_reports(name, path):
    """Returns gdalinfo's reports about a dataset and its subdatasets, with PATH in place of the store's path. Reports
    of two stores can thus be compared."""
    info = gdal.Info(open_raster(name), format="json", computeChecksum=True)
    texts = [json.dumps({**info, "files": None}).replace(str(path), "PATH")]
    for key, subdataset in info["metadata"].get("SUBDATASETS", {}).items():
        if key.endswith("_NAME"):
            texts += gdalinfo_reports(subdataset, path)
    return texts


@pytest.mark.parametrize("make", [make_s2, make_s1])
@pytest.mark.parametrize("consolidated", [True, False])
def test_sentinel_product_in_a_zip_is_the_product(tmp_path, make, consolidated):
    store = make(tmp_path, consolidated=consolidated)
    expected = gdalinfo_reports(store, store)
    assert len(expected) > 5
    for name, top, compression in (
        (f"{store.name}.zip", store.name, zipfile.ZIP_DEFLATED), ("product.zip", "", zipfile.ZIP_STORED)
    ):  # fmt: skip
        path = zip_folder(store, tmp_path / name, top, compression)
        assert gdalinfo_reports(path, path) == expected


@pytest.mark.parametrize("top", ["", "some/terrain.zarr"])
@pytest.mark.parametrize("document", ["", "/", "/.zarray", "/.zattrs"])
def test_a_path_into_a_zip_finds_the_root(tmp_path, top, document):
    """An array that is opened by a path into a zip file has the CRS and the coordinates that the store's root
    defines."""
    path = zip_folder(DATA / "terrain.zarr", tmp_path / "t.zip", top)
    inside = f"/vsizip/{path}/{top}/elevation".replace("//elevation", "/elevation")
    dataset = open_raster(inside + document)
    expected = open_raster(DATA / "terrain.zarr")
    assert dataset.GetSpatialRef().IsSame(expected.GetSpatialRef())
    assert dataset.GetGeoTransform() == expected.GetGeoTransform()
    np.testing.assert_array_equal(read(dataset), read(expected))


def test_a_path_into_a_zip_without_a_root_group(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, "a.zarr"), tmp_path / "t.zip", "just/a/folder")
    np.testing.assert_array_equal(read(open_raster(f"/vsizip/{path}/just/a/folder")), VALUES)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_zips_that_zarr_python_writes(tmp_path):
    path = str(tmp_path / "p.zip")
    with zarr.ZipStore(path, mode="w") as store:
        root = zarr.open_group(store, mode="w")
        root.create_dataset("a", data=VALUES, chunks=(9, 9))
        root.attrs["title"] = "first"
        root.attrs["title"] = "second"  # adds a second zip member of that name, which replaces the first
    dataset = open_raster(path)
    np.testing.assert_array_equal(read(dataset), VALUES)
    assert dataset.GetMetadataItem("title") == "second"


def test_relative_names(tmp_path, monkeypatch):
    zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    monkeypatch.chdir(tmp_path)
    for name in ("a.zip", "./a.zip", "ZARR:a.zip", "/vsizip/a.zip"):
        np.testing.assert_array_equal(read(open_raster(name)), VALUES)


def test_zip_in_memory(tmp_path):
    data = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip").read_bytes()
    gdal.FileFromMemBuffer("/vsimem/in memory.zip", data)
    try:
        for name in ("/vsimem/in memory.zip", "/vsizip//vsimem/in memory.zip"):
            np.testing.assert_array_equal(read(open_raster(name)), VALUES)
    finally:
        gdal.Unlink("/vsimem/in memory.zip")


def test_absent_chunks_are_fill_values(tmp_path):
    array = zarr.open_array(
        str(tmp_path / "a.zarr"), mode="w", shape=(16, 16), chunks=(8, 8), dtype="u1", fill_value=9
    )
    array[:8, :8] = 1
    zip_folder(tmp_path / "a.zarr", tmp_path / "a.zip")
    values = read(open_raster(tmp_path / "a.zip"))
    assert (values[:8, :8] == 1).all() and values.sum() == 64 + 9 * 192


def test_parts_of_large_chunks(tmp_path):
    values = np.arange(700 * 700, dtype="<u4").reshape(700, 700)
    for compressor in (None, "default"):
        store = make_array(tmp_path, values, chunks=(700, 700), compressor=compressor)
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = zip_folder(store, tmp_path / f"{compressor}{compression}.zip", "", compression)
            dataset = open_raster(path)
            band = dataset.GetRasterBand(1)
            np.testing.assert_array_equal(band.ReadAsArray(33, 500, 3, 2), values[500:502, 33:36])
            np.testing.assert_array_equal(band.ReadAsArray(), values)


def test_replaced_zip_is_read_again(tmp_path):
    path = tmp_path / "a.zip"
    for values in (VALUES, VALUES + 1, VALUES[:7]):
        store = make_array(tmp_path, values)
        zip_folder(store, tmp_path / "new.zip")
        os.replace(tmp_path / "new.zip", path)
        np.testing.assert_array_equal(read(open_raster(path)), values)


@pytest.mark.parametrize("file", ["other.zip", "other.zarr.zip"])
def test_a_zip_file_without_a_store(tmp_path, file):
    with zipfile.ZipFile(tmp_path / file, "w") as archive:
        archive.writestr("letter.txt", "precious")
    with error_log() as log:
        assert gdal.OpenEx(str(tmp_path / file), gdal.OF_RASTER) is None
    # A zip file that contains no store gives an error only if its name ends in .zarr.zip.
    assert any("not a Zarr store" in text for text in log.errors) == (file == "other.zarr.zip")
    assert gdal.IdentifyDriverEx(str(tmp_path / "other.zip"), gdal.OF_RASTER) is None


def test_zip_that_was_cut_off(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zarr.zip")
    path.write_bytes(path.read_bytes()[:-30])
    with error_log() as log:
        assert gdal.OpenEx(str(path), gdal.OF_RASTER) is None
    assert "a.zarr.zip: not a zip file, or truncated" in log.the_error()


def test_damaged_chunk_names_itself(tmp_path):
    store = make_array(tmp_path, VALUES, chunks=(40, 30), compressor=None)
    path = zip_folder(store, tmp_path / "a.zip")
    data = bytearray(path.read_bytes())
    data[data.index(VALUES.tobytes()) + 99] ^= 4
    path.write_bytes(data)
    dataset = open_raster(path)
    with error_log() as log:
        assert read(dataset) is None
    assert f"a.zip: {zarr_formats.chunk_key(store, '', 0, 0)}: " in log.the_error()
    assert "checksum" in log.the_error()


def test_folder_named_as_a_zip(tmp_path):
    store = make_array(tmp_path, VALUES).rename(tmp_path / "folder.zip")
    np.testing.assert_array_equal(read(open_raster(store)), VALUES)


def test_plain_name_makes_replaces_and_deletes_a_zip(tmp_path):
    path = str(tmp_path / "new.zarr.zip")
    for number in (1, 2):
        source = gdal.GetDriverByName("MEM").Create("", 30, 40, 1, gdal.GDT_Int32)
        source.GetRasterBand(1).WriteArray(VALUES * number)
        with error_log() as log:
            assert driver().CreateCopy(path, source) is not None
        assert log.events == []
        assert zipfile.is_zipfile(path) and os.listdir(tmp_path) == ["new.zarr.zip"]
        np.testing.assert_array_equal(read(open_raster(path)), VALUES * number)
    array = zarr.open(zarr.ZipStore(path, mode="r"), mode="r")["new"]
    np.testing.assert_array_equal(array[...], VALUES * 2)
    assert driver().CopyFiles(str(tmp_path / "copy.zip"), path) == gdal.CE_None
    assert driver().Rename(str(tmp_path / "moved.zip"), path) == gdal.CE_None
    for name in ("copy.zip", "moved.zip"):
        np.testing.assert_array_equal(read(open_raster(tmp_path / name)), VALUES * 2)
        assert driver().Delete(str(tmp_path / name)) == gdal.CE_None
    assert os.listdir(tmp_path) == []


def test_zip_on_a_web_server_is_not_changed(tmp_path):
    zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    with Served(tmp_path) as server:
        for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
            with error_log() as log:
                assert gdal.OpenEx(f"ZARR:{server.url}/a.zip", flags | gdal.OF_UPDATE) is None
            assert "cannot be updated in place" in log.the_error()


@pytest.mark.parametrize("name", ["http://{}/s.zarr.zip", "/vsicurl/http://{}/s.zip", "ZARR:http://{}/s.zip"])
def test_zip_on_a_web_server_takes_one_request_for_chunks_side_by_side(tmp_path, name):
    store = make_store(tmp_path, ARRAYS, consolidated=True)
    for file in ("s.zip", "s.zarr.zip"):
        zip_folder(store, tmp_path / file, "s.zarr")
    with Served(tmp_path) as server:
        dataset = open_raster(name.format(server.url.removeprefix("http://")))
        opened = open_raster(dataset.GetSubDatasets()[0][0])
        opening = server.requests()
        assert len([method for method, *_ in opening if method == "GET"]) <= 12, opening
        np.testing.assert_array_equal(read(opened), VALUES)
        asked = server.requests()
        assert len(asked) == 1 and asked[0][0] == "GET" and asked[0][2], asked


def test_zip_that_changes_on_the_server_is_an_error(tmp_path):
    store = make_array(tmp_path, VALUES)
    path = zip_folder(store, tmp_path / "a.zip")
    with Served(tmp_path) as server:
        dataset = open_raster(f'ZARR:"{server.url}/a.zip"')
        path.write_bytes(path.read_bytes()[:200])
        with error_log() as log:
            assert read(dataset) is None
        assert f"a.zip: {zarr_formats.chunk_key(store, '', 0, 0)}: " in log.the_error()


def read_in_child(path, queue):
    queue.put(bool((read(open_raster(path)) == VALUES).all()))


def test_forked_child_and_parent_read_at_the_same_time(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(3, 3)), tmp_path / "a.zip")
    dataset = open_raster(path)
    np.testing.assert_array_equal(read(dataset), VALUES)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=read_in_child, args=(path, queue)) for _ in range(4)]
    for child in children:
        child.start()
    for _ in range(20):
        np.testing.assert_array_equal(read(open_raster(path)), VALUES)
    assert [queue.get(timeout=60) for _ in children] == [True] * 4
    for child in children:
        child.join(60)


def test_auxiliary_file_of_a_zip(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    with zarr_gdal.config_options(GDAL_PAM_ENABLED="YES"):
        dataset = open_raster(path)
        dataset.GetRasterBand(1).ComputeStatistics(False)
        dataset = None
        assert sorted(os.listdir(tmp_path)) == ["a.zip", "a.zip.aux.xml", "array.zarr"]
        dataset = open_raster(path)
        assert dataset.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM") == "1200"
