# SPDX-License-Identifier: MIT
"""Another program changes metadata while a dataset is open.

A dataset that is opened later shows the change. A dataset in update mode writes its own changes, and keeps the change
of the other program."""

import json

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_edit import Editor
from zarr_gdal import array_name, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH


@pytest.fixture
def store(tmp_path):
    arrays = {
        name: {"values": np.ones((4, 6)), "dims": ["y", "x"], "fill_value": 0.0} for name in "ab"
    }
    arrays["y"] = {"values": np.arange(4.0), "dims": ["y"]}
    arrays["x"] = {"values": np.arange(6.0), "dims": ["x"]}
    return make_store(tmp_path, arrays)


def groups(store, flags=0):
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | flags)
    return dataset, dataset.GetRootGroup()


def put_shape(store, name, shape):
    document = zarr_formats.array_document(store, name)
    zarr_formats.put_array_document(store, {**document, "shape": shape}, name)


def copy_array(store, name, copy):
    """Copies the files of an array under another name, as another program may do while a dataset is open."""
    for file in [file for file in (store / name).rglob("*") if file.is_file()]:
        target = store / copy / file.relative_to(store / name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())


@pytest.mark.parametrize("flags", [0, gdal.OF_UPDATE])
def test_a_dataset_that_is_opened_later_shows_the_change(store, cpl, flags):
    first = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | flags)
    dataset, root = groups(store, flags)
    assert first.RasterYSize == 4 and root.OpenMDArray("a").GetUnit() == ""
    zarr_formats.change_attributes(store, "a", units="K")
    put_shape(store, "a", [3, 6])
    copy_array(store, "b", "c")
    later = gdal.Open(array_name(store, "a"))
    assert later.RasterYSize == 3 and later.GetRasterBand(1).GetUnitType() == "K"
    dataset_later, root_later = groups(store)
    assert root_later.OpenMDArray("a").GetUnit() == "K"
    assert "c" in root_later.GetMDArrayNames()
    assert cpl.errors == []
    del dataset, dataset_later


def test_attributes_of_a_raster_are_added(store, cpl):
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
    assert dataset.GetMetadataItem("theirs") is None
    zarr_formats.change_attributes(store, "a", theirs="1")
    zarr_formats.change_attributes(store, "", title="theirs")
    dataset.SetMetadataItem("mine", "2")
    dataset = None
    attributes = zarr_formats.attributes(store, "a")
    assert attributes["theirs"] == "1" and str(attributes["mine"]) == "2"
    assert zarr_formats.attributes(store)["title"] == "theirs"
    assert cpl.events == []


def test_attributes_of_the_multidimensional_api_are_added(store, cpl):
    dataset, root = groups(store, gdal.OF_UPDATE)
    array = root.OpenMDArray("a")
    nodes = {"a": array, "": root}
    assert array.GetAttribute("theirs") is None and root.GetAttribute("theirs") is None
    for path in nodes:
        zarr_formats.change_attributes(store, path, theirs="1")
    text = gdal.ExtendedDataType.CreateString()
    for node in nodes.values():
        node.CreateAttribute("mine", [], text).Write("2")
    del nodes, node, array, root
    dataset = None
    for path in ("a", ""):
        attributes = zarr_formats.attributes(store, path)
        assert attributes["theirs"] == "1" and attributes["mine"] == "2"
    assert cpl.events == []
    del dataset


@pytest.mark.parametrize("by", ["raster", "multidimensional"])
def test_a_shape_stays_where_the_fill_value_changes(store, by):
    if by == "raster":
        dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
        changed = dataset.GetRasterBand(1)
    else:
        dataset, root = groups(store, gdal.OF_UPDATE)
        changed = root.OpenMDArray("a")
    put_shape(store, "a", [3, 6])
    if by == "raster":
        changed.SetNoDataValue(7)
    else:
        changed.SetNoDataValueDouble(7)
    changed = root = dataset = None
    assert zarr_formats.array_document(store, "a")["shape"] == [3, 6]
    del root


def test_an_array_that_another_program_created_is_not_replaced(store, cpl):
    dataset, root = groups(store, gdal.OF_UPDATE)
    assert "c" not in root.GetMDArrayNames() and root.OpenMDArray("c") is None
    cpl.clear()
    copy_array(store, "b", "c")
    before = json.dumps(zarr_formats.array_document(store, "c"))
    array = root.CreateMDArray(
        "c", root.GetDimensions(), gdal.ExtendedDataType.Create(gdal.GDT_Byte)
    )
    assert array is None and "c" in cpl.the_error()
    assert json.dumps(zarr_formats.array_document(store, "c")) == before
    assert root.OpenMDArray("c").GetDataType().GetNumericDataType() == gdal.GDT_Float64
    del dataset


def test_a_size_changes_in_arrays_that_were_added(store, cpl):
    with Editor(store) as edit:
        edit.do(hold="a", **{"from": "root"}, array="a")
        copy_array(store, "b", "c")
        zarr_formats.change_attributes(store, "b", theirs="1")
        edit.do(resize="a", to=[6, 6])
    for name in "abc":
        assert zarr_formats.array_document(store, name)["shape"] == [6, 6], name
    assert zarr_formats.attributes(store, "b")["theirs"] == "1"
    assert open_raster(store).RasterCount != 1 and cpl.errors == []


def test_what_was_deleted_stays_deleted(store, cpl):
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
    for file in sorted((store / "a").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    (store / "a").rmdir()
    dataset.SetMetadataItem("mine", "2")
    dataset = None
    assert cpl.errors and not (store / "a").exists()
