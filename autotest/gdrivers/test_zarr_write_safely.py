# SPDX-License-Identifier: MIT
"""A write changes only the data that the caller writes. Other arrays, and files of other programs, stay
unchanged."""

import json
import os
import pathlib
import shutil

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, open_raster
from zarr_georeferencing import assert_geotransform as assert_transform
from zarr_georeferencing import epsg

pytestmark = zarr_formats.BOTH
PLACE = (500000, 10, 0, 5200000, 0, -10)
ELSEWHERE = (700000, 5, 0, 5300000, 0, -5)
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def driver():
    return gdal.GetDriverByName("Zarr")


def crs(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs


def assert_place(dataset, transform, code):
    assert_transform(dataset, transform)
    assert epsg(dataset) == code


def raster(width=20, height=10, transform=PLACE, code=32632, bands=1, value=1):
    dataset = gdal.GetDriverByName("MEM").Create("", width, height, bands, gdal.GDT_Int16)
    dataset.SetGeoTransform(transform)
    dataset.SetSpatialRef(crs(code))
    for i in range(bands):
        dataset.GetRasterBand(i + 1).Fill(value + i)
    return dataset


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


def consolidated_key(store):
    return zarr_formats.document_file(store, ".zmetadata").name


def add(store, name, source, *options):
    return driver().CreateCopy(str(store), source,
                               options=[f"ARRAY_NAME={name}", "APPEND_SUBDATASET=YES", *options])


def update(name):
    return gdal.OpenEx(str(name), gdal.OF_RASTER | gdal.OF_UPDATE)


# ------------------------------------ Tests of coordinates that other arrays use


@pytest.mark.parametrize("second", [
    {"transform": ELSEWHERE}, {"width": 30, "height": 15}, {"code": 3857}, {}
], ids=["elsewhere", "of another size", "another CRS", "the same place"])  # fmt: skip
def test_an_appended_raster_leaves_the_first_where_it_is(tmp_path, second, cpl):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster(), options=["ARRAY_NAME=first"])
    before = contents(store)
    add(store, "second", raster(**second, value=7))
    after = contents(store)
    changed = {key for key in before if after.get(key) != before[key]}
    shared = {key for key in changed if key.startswith("spatial_ref/")}
    # The second raster changes no document of the first array. Only the shared grid mapping, the consolidated metadata
    # and the file of PAM may change.
    assert changed - shared == {consolidated_key(store), "pam.aux.xml"}
    # Two rasters with different geotransforms share one grid mapping. The driver removes the geotransform from the grid
    # mapping. The coordinate arrays of each raster still state its geotransform.
    assert bool(shared) == ("transform" in second)
    assert_place(open_raster(array_name(store, "first")), PLACE, 32632)
    assert_place(open_raster(array_name(store, "second")), second.get("transform", PLACE),
                 second.get("code", 32632))  # fmt: skip
    cpl.assert_quiet()
    with xr.open_zarr(str(store)) as opened:
        assert set(opened.data_vars) | set(opened.coords) >= {"first", "second"}
        shared = set(opened.first.dims) == set(opened.second.dims)
        assert shared == (second in ({}, {"code": 3857}))
        x = opened.second[opened.second.dims[1]].values
        assert x[0] == pytest.approx(second.get("transform", PLACE)[0] + x[1] / 2 - x[0] / 2)


def test_rasters_appended_one_after_another(tmp_path):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster(), options=["ARRAY_NAME=a"])
    for i, name in enumerate(["b", "c", "g/d", "g/e"]):
        place = (1000 * i, 3, 0, 77, 0, -3)
        add(store, name, raster(transform=place, bands=3), "SINGLE_ARRAY=YES")
        assert_place(open_raster(array_name(store, name)), place, 32632)
    assert_place(open_raster(array_name(store, "a")), PLACE, 32632)
    xr.open_zarr(str(store)).close()
    xr.open_zarr(str(store), group="g").close()


def test_a_shared_dimension_is_not_moved(tmp_path, cpl):
    """Two variables of xarray share their coordinates. Setting the geotransform of one variable does not change
    the other."""
    store = tmp_path / "s.zarr"
    data = np.zeros((10, 20), "f4")
    coordinates = {"y": np.arange(10.0)[::-1], "x": np.arange(20.0)}
    xr.Dataset({name: (("y", "x"), data) for name in "ab"}, coordinates).to_zarr(str(store))
    before = contents(store)
    dataset = update(array_name(store, "a"))
    dataset.SetGeoTransform(ELSEWHERE)
    dataset.SetSpatialRef(crs(32632))
    del dataset
    assert any("spatial:transform" in text for text in cpl.warnings)
    for key in (zarr_formats.chunk_key(store, axis, 0) for axis in "xy"):
        assert contents(store)[key] == before[key]
    assert_place(open_raster(array_name(store, "a")), ELSEWHERE, 32632)
    assert open_raster(array_name(store, "b")).GetGeoTransform() == (-0.5, 1, 0, 9.5, 0, -1)


def test_a_raster_that_has_its_coordinates_alone_is_moved(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster())
    dataset = update(store)
    dataset.SetGeoTransform(ELSEWHERE)
    del dataset
    cpl.assert_quiet()
    assert_place(open_raster(store), ELSEWHERE, 32632)
    with xr.open_zarr(str(store)) as opened:
        assert opened.x[0] == ELSEWHERE[0] + 2.5


def test_times_are_not_replaced_by_names(tmp_path):
    store = tmp_path / "t.zarr"
    times = np.array(["2020-01-01", "2020-02-01"], "M8[ns]")
    xr.Dataset({"v": (("time", "y", "x"), np.zeros((2, 5, 6)))}, {"time": times}).to_zarr(str(store))
    before = contents(store / "time")
    dataset = update(store)
    dataset.GetRasterBand(1).SetDescription("January")
    del dataset
    assert contents(store / "time") == before


def test_an_existing_array_is_not_appended(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster(), options=["ARRAY_NAME=a"])
    before = contents(store)
    for name in ("a", "x", "spatial_ref"):
        cpl.clear()
        assert add(store, name, raster()) is None
        assert "ARRAY_NAME" in cpl.the_error()
    assert contents(store) == before


# ------------------------------------ Tests of writes over existing stores


@pytest.mark.parametrize("options", [["COMPRESS=FANCY"], ["BLOCKSIZE=1,2,3"], ["FILTER=QUANTIZE"],
                                     ["BLOCKSIZE=0"], ["BLOSC_CNAME=none"]])  # fmt: skip
@pytest.mark.parametrize("how", ["Create", "CreateCopy"])
def test_an_old_store_survives_invalid_options(tmp_path, cpl, options, how):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster())
    before = contents(tmp_path)
    if how == "Create":
        made = driver().Create(str(store), 9, 9, 1, gdal.GDT_Float32, options)
    else:
        made = driver().CreateCopy(str(store), raster(30), options=options)
    assert made is None
    cpl.the_error()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("options", [[], ["COMPRESS=FANCY"]])
def test_an_old_store_survives_a_failed_copy_of_a_store(tmp_path, options):
    """If copying a store over an old store fails, both stores stay."""
    for name in ("old.zarr", "new.zarr"):
        driver().CreateCopy(str(tmp_path / name), raster())
    before = contents(tmp_path)
    source = gdal.Open(str(tmp_path / "new.zarr"))
    with error_log() as log:
        made = driver().CreateCopy(str(tmp_path / "old.zarr"), source, options=options,
                                   callback=lambda *_: 0)  # fmt: skip
    assert made is None and len(log.errors) == 1
    assert contents(tmp_path) == before
    del source
    left = gdal.IdentifyDriver(str(tmp_path / "old.zarr"))
    assert left.ShortName == "Zarr"


@pytest.mark.parametrize("at", [0, 0.5])
def test_an_old_store_survives_a_cancelled_copy(tmp_path, at):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster())
    (tmp_path / "s.zarr.aux.xml").write_text("<PAMDataset/>")
    before = contents(tmp_path)
    with error_log():
        copy = driver().CreateCopy(str(store), raster(2000, 2000),
                                   callback=lambda done, *_: int(done < at))  # fmt: skip
    assert copy is None
    assert contents(tmp_path) == before
    assert driver().CreateCopy(str(store), raster(30)) is not None
    assert os.listdir(tmp_path) == ["s.zarr"]
    assert open_raster(store).RasterXSize == 30


def test_a_cancelled_append_leaves_the_rest(tmp_path):
    store = tmp_path / "s.zarr"
    driver().CreateCopy(str(store), raster(), options=["ARRAY_NAME=first"])
    before = contents(store)
    with error_log():
        copy = driver().CreateCopy(str(store), raster(2000, 2000, ELSEWHERE), callback=lambda *_: 0,
                                   options=["ARRAY_NAME=second", "APPEND_SUBDATASET=YES"])  # fmt: skip
    assert copy is None
    after = contents(store)
    key = consolidated_key(store)
    assert json.loads(after.pop(key)) == json.loads(before.pop(key))
    assert after == before
    assert not (store / "second").exists()


# ------------------------------------ Tests of metadata of datasets


def test_metadata_keep_their_types(tmp_path):
    store = tmp_path / "m.zarr"
    group = zarr.open_group(str(store), mode="w")
    array = group.create_dataset("a", data=np.zeros((8, 9), "i2"), fill_value=-5)
    attributes = {"_ARRAY_DIMENSIONS": ["y", "x"], "number": 4.5, "list": [1, 2], "text": "t",
                  "units": "m", "nested": {"a": [True, None]}}  # fmt: skip
    array.attrs.update(attributes)
    dataset = update(array_name(store, "a"))
    items = dataset.GetMetadata()
    items["more"] = "5"
    del items["text"]
    dataset.SetMetadata(items)
    del dataset
    del attributes["text"]
    assert zarr.open_array(str(store / "a"), mode="r").attrs.asdict() == {**attributes, "more": "5"}


def test_metadata_items_do_not_replace_other_attributes(tmp_path, cpl):
    store = tmp_path / "m.zarr"
    driver().CreateCopy(str(store), raster())
    before = zarr_formats.attributes(store, "m")
    dataset = update(store)
    dataset.SetMetadataItem("_ARRAY_DIMENSIONS", "wrong")
    dataset.SetMetadataItem("_CRS", "wrong")
    del dataset
    assert len(cpl.warnings) == 2 and "_CRS" in cpl.warnings[1]
    assert zarr_formats.attributes(store, "m") == before


def test_metadata_of_an_array_a_band(tmp_path):
    store = tmp_path / "m.zarr"
    source = raster(bands=3)
    source.SetMetadata({"title": "a", "author": "b"})
    driver().CreateCopy(str(store), source, options=["SINGLE_ARRAY=NO"])
    opened = open_raster(store)
    assert opened.RasterCount == 3
    assert {"title": "a", "author": "b"}.items() <= opened.GetMetadata().items()
    dataset = update(store)
    dataset.SetMetadataItem("title", "c")
    dataset.SetMetadataItem("author", None)
    del opened, dataset
    metadata = open_raster(store).GetMetadata()
    assert metadata["title"] == "c" and "author" not in metadata
    assert zarr.open_consolidated(str(store), mode="r").attrs.asdict() == {"title": "c"}


def test_the_fill_value_stays_if_chunks_are_absent(tmp_path):
    """Setting another nodata value does not change the fill value of an array with absent chunks. A new fill value
    would change the pixels of the absent chunks."""
    store = tmp_path / "f.zarr"
    zarr.open_group(str(store), mode="w").create_dataset(
        "a", shape=(20, 20), chunks=(10, 10), dtype="i2", fill_value=3)[:10, :10] = 8
    dataset = update(store)
    dataset.GetRasterBand(1).SetNoDataValue(-1)
    del dataset
    opened = open_raster(store)
    assert opened.GetRasterBand(1).GetNoDataValue() == -1
    np.testing.assert_array_equal(opened.ReadAsArray(), zarr.open(str(store), mode="r")["a"][...])
    assert opened.ReadAsArray()[15, 15] == 3


# ------------------------------------ Tests of writes that are refused or give a warning


def test_rolled_columns_are_not_written(tmp_path, cpl):
    store = tmp_path / "w.zarr"
    driver().CreateCopy(str(store), raster(code=4326, transform=(0, 18, 0, 90, 0, -18)))
    assert gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE,
                       open_options=["WRAP_LONGITUDE=YES"]) is None  # fmt: skip
    assert "WRAP_LONGITUDE" in cpl.the_error()


def test_writing_below_overviews_warns_once(tmp_path, cpl):
    store = tmp_path / "p.zarr"
    shutil.copytree(DATA / "pyramids" / "layout_groups.zarr", store)
    dataset = update(array_name(store, "r10m/b02"))
    assert dataset.GetRasterBand(1).GetOverviewCount() > 0
    for _ in range(2):
        dataset.GetRasterBand(1).WriteArray(np.ones((4, 4)))
        dataset.FlushCache()
    del dataset
    assert [text for text in cpl.warnings if "overviews" in text] == cpl.warnings
    assert len(cpl.warnings) == 1
