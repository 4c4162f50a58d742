# SPDX-License-Identifier: MIT
"""Deletes, renames and copies whole stores. A store that contains foreign files is refused."""

import os
import pathlib
import shutil

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_python import meaning

pytestmark = zarr_formats.BOTH


def driver():
    return gdal.GetDriverByName("Zarr")


@pytest.fixture
def store(tmp_path):
    """Writes a store with consolidated metadata, an array, a group with two arrays, and a file of
    statistics. Returns its folder."""
    path = tmp_path / "s p ü.zarr"
    root = zarr.open_group(str(path), mode="w")
    for name, value in {"a": 1, "g/b": 2, "g/c": 3}.items():
        root.create_dataset(name, data=np.full((20, 30), value, "i2"), chunks=(8, 8))
    zarr.consolidate_metadata(str(path))
    (path / "pam.aux.xml").write_text("<PAMDataset/>")
    return path


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


def consolidated_keys(store):
    return set(meaning(zarr_formats.consolidated(store)))


def test_a_store_is_deleted(store):
    assert driver().Delete(str(store) + "/") == gdal.CE_None
    assert os.listdir(store.parent) == []


def test_a_store_in_memory_is_deleted():
    name = "/vsimem/deleted.zarr"
    driver().Create(name, 20, 10, 1, gdal.GDT_Byte).WriteArray(np.ones((10, 20)))
    assert driver().Delete(name) == gdal.CE_None
    left = gdal.ReadDirRecursive("/vsimem/") or []  # the listing of /vsimem/ includes files of other tests
    assert [path for path in left if path.startswith("deleted.zarr")] == []


def test_a_store_in_memory_is_deleted_with_all_that_is_in_it():
    # Delete() must delete each file. GDAL lists nothing below a deleted folder of /vsimem/, but can still open files in
    # this folder.
    name = "/vsimem/deleted.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 20, 10)
    source.GetRasterBand(1).Fill(1)
    for _ in range(2):
        copy = driver().CreateCopy(name, source, options=["OVERVIEWS=2"])
        assert copy is not None, gdal.GetLastErrorMsg()
        copy = None
        keys = [key for key in gdal.ReadDirRecursive(name) if not key.endswith("/")]
        assert ("ovr_2x/deleted/c/0/0" if zarr_formats.is_v3() else "ovr_2x/deleted/0.0") in keys
        assert driver().Delete(name) == gdal.CE_None
        assert [key for key in keys if gdal.VSIStatL(f"{name}/{key}") is not None] == []


@pytest.mark.parametrize("foreign", ["letter.txt", "photos/1.jpg", "g/letter.txt", "g/b/letter.txt"])
@pytest.mark.parametrize("act", ["delete", "rename"])
def test_a_store_with_foreign_files_is_not_deleted_or_renamed(store, cpl, foreign, act):
    (store / foreign).parent.mkdir(exist_ok=True)
    (store / foreign).write_text("precious")
    before = contents(store)
    if act == "delete":
        assert driver().Delete(str(store)) == gdal.CE_Failure
    else:
        assert driver().Rename(str(store.parent / "new.zarr"), str(store)) == gdal.CE_Failure
    assert foreign in cpl.the_error()
    assert contents(store) == before
    assert not (store.parent / "new.zarr").exists()


def test_a_folder_that_is_no_store_is_refused(tmp_path, cpl):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "letter.txt").write_text("precious")
    file = tmp_path / "x.zarr"
    file.write_text("precious")
    for path in (folder, file, tmp_path / "absent.zarr"):
        for act in (driver().Delete, lambda name: driver().Rename(str(tmp_path / "n.zarr"), name),
                    lambda name: driver().CopyFiles(str(tmp_path / "n.zarr"), name)):  # fmt: skip
            cpl.clear()
            assert act(str(path)) == gdal.CE_Failure
            assert "not a Zarr store" in cpl.the_error()
    assert contents(tmp_path) == {"folder/letter.txt": b"precious", "x.zarr": b"precious"}


def test_the_target_of_a_link_is_not_deleted(store, tmp_path):
    outside = tmp_path / "outside"
    shutil.copytree(store / "a", outside)
    (store / "linked").symlink_to(outside, target_is_directory=True)
    assert driver().Delete(str(store)) == gdal.CE_None
    assert not store.exists()
    assert zarr_formats.spelled(".zarray") in contents(outside)


@pytest.mark.parametrize("named", ["connection", "path"])
def test_an_array_is_deleted_from_its_store(store, named):
    name = array_name(store, "g/b") if named == "connection" else str(store / "g" / "b")
    assert driver().Delete(name) == gdal.CE_None
    assert consolidated_keys(store) == {
        ".zgroup", "a/.zarray", "g/.zgroup", "g/c/.zarray"}  # fmt: skip
    assert open_raster(store).GetSubDatasets()[0][0].endswith("/a")
    assert not (store / "g" / "b").exists()


def test_a_slice_is_not_deleted(store, cpl):
    before = contents(store)
    assert driver().Delete(array_name(store, "a") + ":3") == gdal.CE_Failure
    assert "slice" in cpl.the_error()
    assert contents(store) == before


def test_a_store_is_renamed(store, tmp_path):
    before = contents(store)
    (tmp_path / (store.name + ".aux.xml")).write_text("<x/>")
    target = tmp_path / "other.zarr"
    assert driver().Rename(str(target), str(store)) == gdal.CE_None
    assert contents(target) == before
    assert sorted(os.listdir(tmp_path)) == ["other.zarr", "other.zarr.aux.xml"]


def test_an_array_is_renamed_in_its_group(store, cpl):
    assert driver().Rename(array_name(store, "g/d"), array_name(store, "g/b")) == gdal.CE_None
    assert "g/d/.zarray" in consolidated_keys(store) and "g/b/.zarray" not in consolidated_keys(store)
    assert zarr.open_consolidated(str(store), mode="r")["g/d"][0, 0] == 2
    assert driver().Rename(array_name(store, "d"), array_name(store, "g/d")) == gdal.CE_Failure
    assert "within its group" in cpl.the_error()


def test_a_store_is_copied(store, tmp_path):
    target = tmp_path / "copy.zarr"
    assert driver().CopyFiles(str(target), str(store)) == gdal.CE_None
    assert contents(target) == contents(store)
    assert driver().CopyFiles("/vsimem/copied.zarr", str(store)) == gdal.CE_None
    assert open_raster("/vsimem/copied.zarr").GetSubDatasets()
    assert driver().Delete("/vsimem/copied.zarr") == gdal.CE_None


BESIDE = {".aux.xml": "<PAMDataset/>", ".ovr": "overviews", ".msk": "a mask"}


def put_beside(store):
    for end, text in BESIDE.items():
        store.with_name(store.name + end).write_text(text)


def beside(store):
    """Returns {file extension: contents} for the sidecar files of a store."""
    files = [path for path in store.parent.iterdir() if path.is_file()]
    return {
        path.name.removeprefix(store.name): path.read_text()
        for path in files
        if path.name.startswith(store.name)
    }


def test_auxiliary_files_go_with_a_store(store, tmp_path):
    put_beside(store)
    copy, moved = tmp_path / "copy.zarr", tmp_path / "moved.zarr"
    assert driver().CopyFiles(str(copy), str(store)) == gdal.CE_None
    assert beside(copy) == BESIDE == beside(store)
    assert driver().Rename(str(moved), str(copy)) == gdal.CE_None
    assert beside(moved) == BESIDE and beside(copy) == {}
    # Renaming to another file system copies the store.
    assert driver().Rename("/vsimem/moved.zarr", str(moved)) == gdal.CE_None
    assert beside(moved) == {} and not moved.exists()
    for end in BESIDE:
        assert gdal.VSIStatL("/vsimem/moved.zarr" + end) is not None, end
    assert driver().Delete("/vsimem/moved.zarr") == gdal.CE_None
    for end in BESIDE:
        assert gdal.VSIStatL("/vsimem/moved.zarr" + end) is None, end
    assert driver().Delete(str(store)) == gdal.CE_None
    assert list(tmp_path.iterdir()) == []


def test_auxiliary_files_go_with_a_zip_file(tmp_path):
    source = gdal.GetDriverByName("MEM").Create("", 5, 4)
    archive, copy = tmp_path / "x.zarr.zip", tmp_path / "copy.zarr.zip"
    assert driver().CreateCopy(str(archive), source) is not None
    put_beside(archive)
    assert driver().CopyFiles(str(copy), str(archive)) == gdal.CE_None
    assert {end: copy.with_name(copy.name + end).read_text() for end in BESIDE} == BESIDE
    assert driver().Delete(str(copy)) == gdal.CE_None
    assert sorted(os.listdir(tmp_path)) == sorted(archive.name + end for end in ["", *BESIDE])


def test_auxiliary_files_that_cannot_be_copied_leave_no_copy(store, tmp_path, cpl):
    put_beside(store)
    target = tmp_path / "copy.zarr"
    (tmp_path / "copy.zarr.ovr").mkdir()
    assert driver().CopyFiles(str(target), str(store)) == gdal.CE_Failure
    assert ".ovr" in cpl.the_error()
    assert not target.exists() and not (tmp_path / "copy.zarr.aux.xml").exists()


@pytest.mark.parametrize("act", ["CopyFiles", "Rename"])
def test_nothing_is_overwritten(store, tmp_path, cpl, act):
    other = tmp_path / "other.zarr"
    zarr.open_group(str(other), mode="w")
    before = contents(tmp_path)
    assert getattr(driver(), act)(str(other), str(store)) == gdal.CE_Failure
    assert "already exist" in cpl.the_error()
    assert contents(tmp_path) == before


def test_a_failed_copy_leaves_nothing(store, tmp_path, cpl):
    """A copy fails and leaves nothing if a chunk cannot be read. Here the chunk is a symbolic link to
    itself."""
    chunk = zarr_formats.chunk_file(store, "a", 0, 0)
    chunk.unlink()
    chunk.symlink_to(chunk.name)
    assert driver().CopyFiles(str(tmp_path / "copy.zarr"), str(store)) == gdal.CE_Failure
    assert str(chunk.relative_to(store)) in cpl.the_error()
    assert not (tmp_path / "copy.zarr").exists()
