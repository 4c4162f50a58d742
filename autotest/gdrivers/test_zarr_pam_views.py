# SPDX-License-Identifier: MIT
"""The attribute gdal_pam of a raster: its contents when open options change the raster, and in copies of a
part of the raster."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, error_log, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
COLUMNS, ROWS = 36, 18
POINTS = [(10, 50, 0, 0), (11, 50, 36, 0), (10, 49, 0, 18)]


def wgs84():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(4326)
    return srs


def describe(band):
    """Sets properties of a band that depend neither on the positions of pixels nor on nodata."""
    table = gdal.ColorTable()
    for i in range(3):
        table.SetColorEntry(i, (i * 100, 1, 2, 255))
    band.SetColorTable(table)
    band.SetCategoryNames(["sea", "land", "ice"])
    attributes = gdal.RasterAttributeTable()
    attributes.CreateColumn("V", gdal.GFT_Integer, gdal.GFU_MinMax)
    attributes.SetRowCount(3)
    band.SetDefaultRAT(attributes)
    band.SetDescription("cover")
    band.SetMetadata({"c": "d"}, "OTHER")


def make(folder, transform=(0, 10, 0, -90, 0, 10), points=False, bands=1, options=()):
    """Writes a raster whose rows are ordered from south to north, and whose longitudes range from 0 to 360
    degrees."""
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, bands, gdal.GDT_Byte)
    source.WriteArray(np.tile(np.arange(ROWS, dtype="u1")[:, None] % 3, (bands, 1, COLUMNS)).reshape(bands, ROWS, COLUMNS))
    if transform:
        source.SetGeoTransform(transform)
        source.SetSpatialRef(wgs84())
    for i in range(bands):
        describe(source.GetRasterBand(i + 1))
        source.GetRasterBand(i + 1).SetStatistics(0, 2, 1, 0.8)
    source.SetMetadata({"a": "b"}, "MYDOM")
    source.SetMetadata({"t": "u"})
    if points:
        source.SetGCPs([gdal.GCP(x, y, 0, column, row) for x, y, column, row in POINTS], wgs84())
        source.SetMetadata({"LINE_OFF": "9", "SAMP_OFF": "18", "LAT_OFF": "3"}, "RPC")
    store = folder / "k.zarr"
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=["ARRAY_NAME=k", *options]) is not None
    return store


def told(dataset):
    band = dataset.GetRasterBand(dataset.RasterCount)
    table = band.GetColorTable()
    return {
        "table": [table.GetColorEntry(i) for i in range(3)] if table else None,
        "attributes": band.GetDefaultRAT() is not None and band.GetDefaultRAT().GetRowCount(),
        "categories": band.GetCategoryNames(),
        "colour": gdal.GetColorInterpretationName(band.GetColorInterpretation()),
        "description": band.GetDescription(),
        "of band": band.GetMetadata("OTHER"),
        "domain": dataset.GetMetadata("MYDOM"),
        "item": dataset.GetMetadataItem("t"),
    }


def statistics(dataset):
    return dataset.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM")


def points_of(dataset):
    return [(p.GCPX, p.GCPY, p.GCPPixel, p.GCPLine) for p in dataset.GetGCPs()]


# open option -> True if statistics of the raster stay valid when the raster is opened with this option
OPTIONS = {
    "NORTH_UP=YES": True,
    "WRAP_LONGITUDE=YES": True,
    "DIM_X=x": True,
    "DIM_Y=y": True,
    "FILL_VALUE_AS_NODATA=YES": False,
    "FILL_VALUE_AS_NODATA=NO": False,
}


@pytest.mark.parametrize("bands", [1, 2, "apart"])
@pytest.mark.parametrize("option", OPTIONS)
def test_options_keep_the_properties_of_the_raster(tmp_path, option, bands):
    if bands == "apart":
        name = str(make(tmp_path, bands=2, options=["SINGLE_ARRAY=NO"]))
    else:
        name = array_name(make(tmp_path, bands=bands), "k")
    expected = told(open_raster(name))
    assert expected["table"] and expected["attributes"] == 3 and expected["domain"] == {"a": "b"}
    assert expected["description"] == "cover" and statistics(open_raster(name))
    dataset = open_raster(name, option)
    assert told(dataset) == expected
    assert bool(statistics(dataset)) == OPTIONS[option]


def test_the_configuration_option_keeps_the_properties_of_the_raster(tmp_path):
    name = array_name(make(tmp_path), "k")
    expected = told(open_raster(name))
    with config_options(ZARR_NORTH_UP="YES"):
        dataset = open_raster(name)
        assert dataset.GetGeoTransform()[5] < 0 and told(dataset) == expected


def test_other_axes_are_another_raster(tmp_path):
    name = array_name(make(tmp_path), "k")
    assert told(open_raster(name, "DIM_X=y"))["table"] is None


@pytest.mark.parametrize("option", ["NORTH_UP=YES", "WRAP_LONGITUDE=YES"])
def test_points_of_pixels_that_are_moved_are_left_out(tmp_path, option):
    name = array_name(make(tmp_path, points=True), "k")
    assert points_of(open_raster(name)) == POINTS
    dataset = open_raster(name, option)
    assert points_of(dataset) == [] and dataset.GetMetadata("RPC") == {}
    assert told(dataset) == told(open_raster(name))


@pytest.mark.parametrize("option", [*OPTIONS])
def test_points_of_pixels_that_stay_are_kept(tmp_path, option):
    name = array_name(make(tmp_path, (0, 10, 0, 90, 0, -10) if "WRAP" not in option else None, points=True), "k")
    dataset = open_raster(name, option)
    assert points_of(dataset) == POINTS and dataset.GetMetadata("RPC")["LINE_OFF"] == "9"


SCRIPT = """
import json, sys
from osgeo import gdal
options = json.loads(sys.argv[2])
dataset = gdal.OpenEx(sys.argv[1], open_options=options)
if len(sys.argv) > 3:
    dataset.GetRasterBand(1).SetMetadataItem("own", "x", "OTHER")
    dataset.GetRasterBand(1).ComputeStatistics(False)
del dataset
dataset = gdal.OpenEx(sys.argv[1], open_options=options)
band = dataset.GetRasterBand(1)
print(json.dumps([band.GetColorTable().GetColorEntry(1), band.GetMetadata("OTHER"), band.GetCategoryNames()]))
"""


def run(*arguments):
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], check=True, capture_output=True, text=True,
                          env={**os.environ, "GDAL_PAM_ENABLED": "YES"})  # fmt: skip
    return json.loads(done.stdout)


def replace_colour(name):
    """Changes entry 1 of the stored colour table."""
    dataset = gdal.OpenEx(name, gdal.OF_RASTER | gdal.OF_UPDATE)
    table = gdal.ColorTable()
    table.SetColorEntry(1, (7, 8, 9, 255))
    dataset.GetRasterBand(1).SetColorTable(table)
    del dataset


@pytest.mark.parametrize("bands", [1, 2, "apart"])
@pytest.mark.parametrize("options", [["NORTH_UP=YES"], []], ids=["north up", "whole"])
def test_the_auxiliary_file_does_not_hide_later_changes_of_the_store(tmp_path, options, bands):
    """A change of metadata in a read-only dataset is written to its auxiliary file. The file contains nothing else, so
    it does not hide later changes of the store."""
    if bands == "apart":
        name = store = str(make(tmp_path, bands=2, options=["SINGLE_ARRAY=NO"]))
    else:
        store = make(tmp_path, bands=bands)
        name = array_name(store, "k") if options else str(store)
    options = json.dumps(options)
    assert run(name, options, "save") == [[100, 1, 2, 255], {"c": "d", "own": "x"}, ["sea", "land", "ice"]]
    [beside] = tmp_path.glob("*.aux.xml")
    written = beside.read_text()
    assert "own" in written and "ColorTable" not in written and "MYDOM" not in written
    # The store changes while the auxiliary file is hidden, as if another computer changed it.
    beside.rename(tmp_path / "hidden")
    replace_colour(name)
    (tmp_path / "hidden").rename(beside)
    assert run(name, options) == [[7, 8, 9, 255], {"c": "d", "own": "x"}, ["sea", "land", "ice"]]


def test_the_auxiliary_file_of_a_mask_has_no_copy_of_the_stored_properties(tmp_path):
    """Metadata that is set in update mode is written only to the store, even if a mask has an auxiliary file."""
    store = make(tmp_path)
    with config_options(GDAL_PAM_ENABLED="YES"):
        dataset = gdal.Open(str(store))
        assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
        dataset.GetRasterBand(1).GetMaskBand().Fill(255)
        del dataset
        dataset = gdal.Open(str(store), gdal.GA_Update)
        dataset.SetMetadata({"a": "changed"}, "MYDOM")
        del dataset
        written = (tmp_path / "k.zarr.aux.xml").read_text()
        assert "ZARR_SIDECAR" in written and "ColorTable" not in written and "MYDOM" not in written
        dataset = open_raster(str(store))
        assert dataset.GetMetadata("MYDOM") == {"a": "changed"} and told(dataset)["table"]
        assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_PER_DATASET


def test_properties_of_fields_of_several_arrays(tmp_path, cpl):
    """A group of two arrays of structures has a band for each field. The properties of a band are stored in its array."""
    dtype = np.dtype([("a", "<i2"), ("b", "<f4")])
    arrays = {}
    for i, name in enumerate("pq"):
        arrays[name] = {"values": np.array([(2 * i + 1, 2 * i + 2)], dtype).repeat(6).reshape(2, 3), "dims": ["y", "x"]}
    store = str(make_store(tmp_path, arrays))
    dataset = gdal.Open(store, gdal.GA_Update)
    assert dataset.RasterCount == 4
    for i in (1, 2, 3, 4):
        dataset.GetRasterBand(i).SetMetadata({"own": str(i)}, "MINE")
        dataset.GetRasterBand(i).ComputeStatistics(False)
    del dataset
    for name, expected in ((store, [1, 2, 3, 4]), (array_name(store, "p"), [1, 2]), (array_name(store, "q"), [3, 4])):
        dataset = open_raster(name)
        bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
        assert [int(band.GetMetadata("MINE")["own"]) for band in bands] == expected
        assert [float(band.GetMetadataItem("STATISTICS_MEAN")) for band in bands] == expected
    cpl.assert_quiet()


PARTS = {
    "subset of columns": {"subsetSpecs": ["x(20,200)"]},
    "subset of both": {"subsetSpecs": ["x(20,200)", "y(-50,20)"]},
    "view": {"arraySpecs": ["name=k,view=[2:12,1:20]"]},
    "transposed": {"arraySpecs": ["name=k,transpose=[1,0]"]},
    "all": {},
}


@pytest.mark.parametrize("part", PARTS)
def test_points_of_another_size_are_left_out(tmp_path, part):
    store = make(tmp_path, points=True)
    copy = str(tmp_path / "o.zarr")
    options = gdal.MultiDimTranslateOptions(format="Zarr", **PARTS[part])
    assert gdal.MultiDimTranslate(copy, str(store), options=options) is not None
    with error_log() as log:
        dataset = gdal.Open(array_name(copy, "k"))
        assert log.errors == []
    is_whole = (dataset.RasterXSize, dataset.RasterYSize) == (COLUMNS, ROWS)
    if is_whole and "arraySpecs" in PARTS[part]:
        pytest.skip("gdalmdimtranslate of GDAL 3.6 gives a view the size of the whole")
    assert is_whole == (part == "all")
    if is_whole:
        assert points_of(dataset) == POINTS and log.warnings == []
        return
    size = f"{dataset.RasterXSize} x {dataset.RasterYSize}"
    assert points_of(dataset) == [] and dataset.GetMetadata("RPC") == {}
    assert len(log.warnings) == 1 and f"are for a raster of 36 x 18, not {size}" in log.warnings[0]
    assert told(dataset)["table"] == told(open_raster(array_name(store, "k")))["table"]


def test_points_written_before_the_size_was_stored(tmp_path):
    store = make(tmp_path, points=True)
    array = zarr.open_group(str(store), mode="r+")["k"]
    size = '<MDI key="SIZE">36 x 18</MDI>'
    assert size in array.attrs["gdal_pam"]
    array.attrs["gdal_pam"] = array.attrs["gdal_pam"].replace(size, "")
    assert points_of(open_raster(array_name(store, "k"))) == POINTS
