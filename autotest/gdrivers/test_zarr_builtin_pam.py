# SPDX-License-Identifier: MIT
"""Files that GDAL's built-in Zarr driver keeps in a store: metadata, statistics, colours and overviews of an array."""

import os
import pathlib

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

PAM = """<PAMDataset>
  <Metadata><MDI key="author">ours</MDI><MDI key="title">file</MDI></Metadata>
  <GCPList Projection=""><GCP Id="7" Pixel="1" Line="2" X="3" Y="4"/></GCPList>
  <PAMRasterBand band="2">
    <ColorInterp>Alpha</ColorInterp><NoDataValue>5</NoDataValue><UnitType>m</UnitType>
    <Metadata><MDI key="STATISTICS_MAXIMUM">77</MDI><MDI key="note">two</MDI></Metadata>
  </PAMRasterBand>
</PAMDataset>"""


def make(tmp_path, text=PAM, attrs=None, name="a"):
    values = np.arange(96, dtype="u1").reshape(2, 8, 6)
    array = {"values": values, "dims": ("band", "y", "x"), "attrs": attrs or {}}
    store = make_store(tmp_path, {name: array, f"{name}2": array})
    file = pathlib.Path(store) / name / ("zarr.json.aux.xml" if zarr_formats.is_v3() else ".zarray.aux.xml")
    file.write_text(text)
    return store, file


def viewed(text, x=2, y=1):
    """Returns a file as GDAL 3.10 writes it: the metadata belong to a view of the array as a raster."""
    return (f'<PAMDataset><DerivedDataset name="AsClassicDataset({x},{y}) view of /a">{text}</DerivedDataset>'
            "</PAMDataset>")  # fmt: skip


@pytest.mark.parametrize("text", [PAM, viewed(PAM)])
def test_metadata_statistics_and_colours(tmp_path, cpl, text):
    store, _ = make(tmp_path, text)
    read = open_raster(array_name(store, "a"))
    band = read.GetRasterBand(2)
    assert read.GetMetadataItem("author") == "ours" and read.GetGCPs()[0].Id == "7"
    assert band.GetMetadataItem("STATISTICS_MAXIMUM") == "77" and band.GetMetadataItem("note") == "two"
    assert band.GetColorInterpretation() == gdal.GCI_AlphaBand and band.GetUnitType() == "m"
    assert open_raster(array_name(store, "a2")).GetMetadataItem("author") is None
    assert open_raster(array_name(store, "a") + ":1").GetMetadataItem("author") is None
    assert cpl.events == []


def test_a_view_along_other_axes_is_not_used(tmp_path, cpl):
    read = open_raster(array_name(make(tmp_path, viewed(PAM, 0, 1))[0], "a"))
    assert read.GetMetadataItem("author") is None and read.GetGCPCount() == 0
    assert cpl.events == []


def test_they_come_last(tmp_path, cpl):
    own = ('<PAMDataset><Metadata><MDI key="author">pam</MDI></Metadata><PAMRasterBand band="2"><Metadata>'
           '<MDI key="note">own</MDI></Metadata></PAMRasterBand></PAMDataset>')  # fmt: skip
    attrs = {"title": "attribute", "units": "K", "COLOR_INTERPRETATION": ["Red", "Gray"], "_FillValue": 9,
             "gdal_pam": own}  # fmt: skip
    read = open_raster(array_name(make(tmp_path, attrs=attrs)[0], "a"))
    band = read.GetRasterBand(2)
    assert (read.GetMetadataItem("author"), read.GetMetadataItem("title")) == ("pam", "attribute")
    assert (band.GetUnitType(), band.GetNoDataValue(), band.GetColorInterpretation()) == ("K", 9, gdal.GCI_GrayIndex)
    assert band.GetMetadataItem("note") == "own" and band.GetMetadataItem("STATISTICS_MAXIMUM") == "77"
    assert cpl.events == []


def test_a_colour_that_the_list_leaves_undefined(tmp_path, cpl):
    store, _ = make(tmp_path, attrs={"COLOR_INTERPRETATION": ["Gray", "Undefined"]})
    assert open_band(array_name(store, "a"), 2).GetColorInterpretation() == gdal.GCI_AlphaBand
    assert cpl.events == []


def test_statistics_that_are_older_than_a_chunk(tmp_path, cpl):
    store, file = make(tmp_path)
    os.utime(file, (1, 1))
    band = open_band(array_name(store, "a"), 2)
    assert band.GetMetadataItem("STATISTICS_MAXIMUM") is None and band.GetMetadataItem("note") == "two"
    assert cpl.events == []


@pytest.mark.parametrize("text", ["", "<", "<PAMDataset/>", "<x/>", "<PAMDataset><PAMRasterBand/></PAMDataset>"])
def test_odd_files(tmp_path, cpl, text):
    assert open_raster(array_name(make(tmp_path, text)[0], "a")).ReadAsArray().sum() == sum(range(96))
    assert cpl.events == []


def test_an_update_moves_them_into_the_store(tmp_path, cpl):
    store, file = make(tmp_path)
    changed = gdal.Open(array_name(store, "a"), gdal.GA_Update)
    changed.SetMetadataItem("k", "v", "DOMAIN")
    changed.GetRasterBand(1).SetColorInterpretation(gdal.GCI_GrayIndex)
    changed = None
    assert zarr_formats.attributes(store, "a")["COLOR_INTERPRETATION"] == ["Gray", "Alpha"]
    file.unlink()
    assert open_raster(array_name(store, "a")).GetMetadataItem("author") == "ours"
    assert cpl.events == []


@pytest.mark.parametrize("place", ["of the array", "of the store", "of GDAL 3.10"])
def test_overviews(tmp_path, cpl, place):
    named = {"of the array": '<Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">pam.0.ovr</MDI></Metadata>',
             "of the store": '<Array name="/a"><OverviewFile>pam.0.ovr</OverviewFile></Array>'}.get(place, "")  # fmt: skip
    store, file = make(tmp_path, f"<PAMDataset>{named}</PAMDataset>")
    name = file.name.replace("aux.xml", "a.ovr") if place == "of GDAL 3.10" else "pam.0.ovr"
    if place == "of the store":
        file = file.replace(pathlib.Path(store) / "pam.aux.xml")
    source = gdal.Translate(str(tmp_path / "s.tif"), open_raster(array_name(store, "a")))
    source.BuildOverviews("NEAREST", [2])
    source = None
    with_overviews = gdal.Open(f"{tmp_path}/s.tif")
    overviews = with_overviews.GetRasterBand(1).GetOverview(0).GetDataset()
    gdal.Translate(str(file.parent / name), overviews, format="GTiff")
    assert open_band(array_name(store, "a"), 2).GetOverview(0).XSize == 3
    assert open_band(array_name(store, "a2"), 2).GetOverviewCount() == 0
    os.utime(file.parent / name, (1, 1))
    outdated = gdal.Open(array_name(store, "a"))
    assert outdated.GetRasterBand(2).GetOverviewCount() == 0
    assert "is older than the raster" in cpl.warnings[0] and len(cpl.events) == 1
