# SPDX-License-Identifier: MIT
"""Metadata of rasters: nodata, scale, offset, unit, attributes, and the list of files."""

import json
import math

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster
from zarr_store import handmade, make_array, make_store

pytestmark = zarr_formats.BOTH
DEM = np.arange(20, dtype="i2").reshape(4, 5)


def band_of(folder, **attrs):
    band = open_band(make_array(folder, DEM, attrs=attrs, fill_value=7))
    return band.dataset, band


def test_scale_offset_unit(tmp_path):
    dataset, band = band_of(tmp_path, scale_factor=0.01, add_offset=-5.5, units="K")
    assert (band.GetScale(), band.GetOffset(), band.GetUnitType()) == (0.01, -5.5, "K")
    zarr_gdal.assert_same(dataset.ReadAsArray(), DEM)  # raw values: GDAL does not apply scale and offset


@pytest.mark.parametrize("scale", ["0.5", [0.5]])
def test_other_spellings_of_a_number(tmp_path, scale):
    assert band_of(tmp_path, scale_factor=scale)[1].GetScale() == 0.5


def test_neither_scale_nor_offset(tmp_path):
    _, band = band_of(tmp_path)
    assert band.GetScale() in (None, 1.0) and band.GetOffset() in (None, 0.0)
    assert band.GetUnitType() == ""


@pytest.mark.parametrize(
    "attrs, nodata",
    [
        ({}, 7),
        ({"missing_value": -1}, -1),
        ({"_FillValue": -9999, "missing_value": -1}, -9999),
        ({"_FillValue": [-9999]}, -9999),
    ],
)
def test_where_nodata_comes_from(tmp_path, attrs, nodata):
    assert band_of(tmp_path, **attrs)[1].GetNoDataValue() == nodata


def test_bare_nan_in_attributes(tmp_path):
    """An attribute may be NaN. xarray writes NaN, although NaN is not valid JSON."""
    text = '{"_FillValue": NaN, "n": 1}'
    handmade(tmp_path / "a.zarr", dtype="<f4", fill_value=0.0, files={}, attrs=text)
    dataset = open_raster(tmp_path / "a.zarr")
    assert math.isnan(dataset.GetRasterBand(1).GetNoDataValue())
    assert dataset.GetMetadataItem("n") == "1"


@pytest.mark.parametrize("value", [2**53 + 1, -(2**63), 2**63 - 1])
def test_attribute_nodata_is_exact(tmp_path, value):
    values = np.zeros((2, 2), "i8")
    store = make_array(tmp_path, values, attrs={"_FillValue": value})
    assert open_band(store).GetNoDataValue() == value


@pytest.mark.parametrize(
    "value, text",
    [
        ("snow", "snow"),
        ("Schnee höhe\nzwei", "Schnee höhe\nzwei"),
        (3, "3"),
        (9007199254740993, "9007199254740993"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        ([1, 2, 3], "{1,2,3}"),
        ([0.5, 2], "{0.5,2}"),
        (["a", "b c"], "{a,b c}"),
        (["a,b", "c"], '["a,b", "c"]'),
        ([True, False], "[true, false]"),
        (["foo", 1], '["foo", 1]'),
        ([], "[]"),
        ([None], "[null]"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_attributes_become_metadata(tmp_path, value, text):
    got = band_of(tmp_path, note=value)[0].GetMetadataItem("note")
    if isinstance(value, float):
        assert float(got) == value
    else:
        assert got == text


def test_objects_become_json(tmp_path):
    import json

    value = {"a": {"b": [1, 2]}, "c": None}
    assert json.loads(band_of(tmp_path, note=value)[0].GetMetadataItem("note")) == value


def test_interpreted_attributes(tmp_path):
    """_ARRAY_DIMENSIONS describes the store and not the data, so it is not listed as metadata."""
    store = make_store(tmp_path, {"a": {"values": DEM, "dims": ["y", "x"]}})
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("_ARRAY_DIMENSIONS") is None
    assert dataset.GetRasterBand(1).GetMetadataItem("_ARRAY_DIMENSIONS") is None


def test_group_attributes(tmp_path):
    store = make_store(
        tmp_path, {"g/elevation": {"values": DEM, "attrs": {"source": "lidar"}}},
        attributes={"Conventions": "CF-1.8"}, groups={"g": {"level": 2}},
    )  # fmt: skip
    metadata = open_raster(array_name(store, "g/elevation")).GetMetadata()
    assert metadata["source"] == "lidar"
    assert metadata["level"] == "2"


def test_group_attributes_beside_subdatasets(tmp_path):
    store = make_store(
        tmp_path, {"a": DEM, "b": np.zeros((2, 3, 4))}, attributes={"title": "Alps", "n": [1, 2]}
    )
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("title") == "Alps"
    assert dataset.GetMetadataItem("n") == "{1,2}"


def test_broken_attributes_do_not_hide_the_array(tmp_path):
    """An attribute of the wrong type is ignored, with a warning that names the attribute."""
    for name, value in (("scale_factor", "much"), ("_FillValue", "nothing"), ("units", 5),
                        ("_ARRAY_DIMENSIONS", ["y"]), ("_ARRAY_DIMENSIONS", 3)):  # fmt: skip
        store = make_array(tmp_path, DEM, attrs={name: value})
        with zarr_gdal.error_log() as log:
            dataset = gdal.Open(str(store))
            assert dataset is not None, (name, value, log.events)
            zarr_gdal.assert_same(dataset.ReadAsArray(), DEM)
        assert log.errors == [], (name, value)
        assert len(log.warnings) <= 1, (name, value, log.events)
        assert all(name in text for text in log.warnings), (name, value, log.events)


def test_list_of_files(tmp_path):
    store = make_store(
        tmp_path,
        {"elevation": {"values": DEM, "dims": ["y", "x"], "attrs": {"units": "m"}}},
        attributes={"title": "Alps"}, consolidated=True,
    )  # fmt: skip
    for name in (str(store), array_name(store, "elevation")):
        assert open_raster(name).GetFileList() == [str(store)]


def test_info_prints_every_store(tmp_path):
    store = make_store(tmp_path, {"elevation": {"values": DEM, "attrs": {"units": "m"}}})
    text = gdal.Info(str(store))
    assert "Driver: Zarr/" in text and "Unit Type: m" in text and "Size is 5, 4" in text


@pytest.mark.parametrize("value", [[1, 2, 3], [0.5, -2e300], [9007199254740993], [True, False],
                                   ["foo", 1], [[1, 2], [3]], {"a": {"b": [1, None]}}, "{x,1}", "{1, 2}",
                                   "[not json", "{}x", "text", "{1,2"])  # fmt: skip
@pytest.mark.parametrize("of", ["array", "group"])
def test_attributes_keep_their_type_in_a_copy(tmp_path, cpl, value, of):
    """In a copy, lists of numbers, other lists and objects keep their type. Texts that look like a list stay
    texts."""
    attrs = {"note": value}
    store = make_store(tmp_path, {"a": {"values": np.zeros((2, 3)), "attrs": attrs if of == "array" else {}}},
                       attributes=attrs if of == "group" else {})  # fmt: skip
    assert gdal.Translate(str(tmp_path / "copy.zarr"), str(store), format="Zarr") is not None
    copied = zarr.open_group(str(tmp_path / "copy.zarr"), mode="r")
    assert copied["copy"].attrs["note"] == value
    assert open_raster(tmp_path / "copy.zarr").GetMetadataItem("note") == open_raster(store).GetMetadataItem("note")
    assert cpl.events == []


@zarr_formats.V2
def test_a_fill_value_that_is_missing(tmp_path, cpl):
    """If the metadata of an array lacks the compulsory fill_value, the driver gives one warning and treats the fill
    value as null."""
    values = np.arange(6, dtype="<i2").reshape(2, 3)
    store = make_array(tmp_path, values, fill_value=None)
    document = json.loads((store / ".zarray").read_text())
    del document["fill_value"]
    (store / ".zarray").write_text(json.dumps(document))
    dataset = gdal.Open(str(store))
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    assert dataset.GetRasterBand(1).GetNoDataValue() is None
    assert cpl.errors == [] and len(set(cpl.warnings)) == 1
    assert '.zarray: the compulsory member "fill_value" is missing; null is assumed' in cpl.warnings[0]
    cpl.clear()
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("array")
    np.testing.assert_array_equal(array.ReadAsArray(), values)
    assert array.GetNoDataValue() is None
    assert cpl.errors == [] and len(set(cpl.warnings)) == 1


@pytest.mark.parametrize("path", ["", "a", "g/h/a"])
def test_a_single_array_of_one_dimension_is_a_raster_of_one_row(tmp_path, cpl, path):
    values = np.arange(5, dtype="<f4")
    store = make_store(tmp_path, {path: values}) if path else make_array(tmp_path, values)
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values.reshape(1, 5))
    assert cpl.events == []
