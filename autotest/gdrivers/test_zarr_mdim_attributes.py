# SPDX-License-Identifier: MIT
"""The multidimensional API returns exact values for attributes of all JSON types, of groups and arrays."""

import json
import math

import numpy as np
import pytest
import zarr_formats
import zarr_mdim
from osgeo import gdal
from zarr_store import group, handmade, make_store

pytestmark = zarr_formats.BOTH

def attribute_of(folder, text):
    """Writes an array whose attribute `note` has the JSON value `text`. Returns the attribute."""
    handmade(folder / "a.zarr", files={}, attrs=f'{{"note": {text}}}')
    array = zarr_mdim.open_array(folder / "a.zarr")
    attribute = array.GetAttribute("note")
    assert attribute is not None and attribute.GetName() == "note"
    return attribute


NUMBERS = [
    ("0", gdal.GDT_Int32, [0]),
    ("-2147483648", gdal.GDT_Int32, [-(2**31)]),
    ("2147483648", gdal.GDT_Int64, [2**31]),
    ("9007199254740993", gdal.GDT_Int64, [2**53 + 1]),
    ("-9223372036854775808", gdal.GDT_Int64, [-(2**63)]),
    ("9223372036854775808", gdal.GDT_UInt64, [2**63]),
    ("18446744073709551615", gdal.GDT_UInt64, [2**64 - 1]),
    ("0.1", gdal.GDT_Float64, [0.1]),
    ("5e-324", gdal.GDT_Float64, [5e-324]),
    ("-1e308", gdal.GDT_Float64, [-1e308]),
    ("Infinity", gdal.GDT_Float64, [math.inf]),
    ("-Infinity", gdal.GDT_Float64, [-math.inf]),
    ("[1, 2, 3]", gdal.GDT_Int32, [1, 2, 3]),
    ("[1, 3000000000]", gdal.GDT_Int64, [1, 3000000000]),
    ("[1, 18446744073709551615]", gdal.GDT_UInt64, [1, 2**64 - 1]),
    ("[1, 0.5]", gdal.GDT_Float64, [1, 0.5]),
    ("[7]", gdal.GDT_Int32, [7]),
]


@pytest.mark.parametrize("text, code, wanted", NUMBERS)
def test_numbers(tmp_path, cpl, text, code, wanted):
    attribute = attribute_of(tmp_path, text)
    assert attribute.GetDataType().GetClass() == gdal.GEDTC_NUMERIC
    assert attribute.GetDataType().GetNumericDataType() == code
    assert zarr_mdim.attribute_numbers(attribute) == wanted
    is_list = text.startswith("[")
    assert list(attribute.GetDimensionsSize() or []) == ([len(wanted)] if is_list else [])
    cpl.assert_quiet()


@pytest.mark.parametrize("text", ["NaN", "[NaN]", "[0.5, NaN]"])
def test_nan(tmp_path, text):
    attribute = attribute_of(tmp_path, text)
    assert attribute.GetDataType().GetNumericDataType() == gdal.GDT_Float64
    assert math.isnan(zarr_mdim.attribute_numbers(attribute)[-1])


@pytest.mark.parametrize("value", ["", "snow", "Schnee höhe\nzwei", "標高 \U0001f30d", '"\\'])
def test_text(tmp_path, value):
    attribute = attribute_of(tmp_path, json.dumps(value))
    assert attribute.GetDataType().GetClass() == gdal.GEDTC_STRING
    assert attribute.GetDataType().GetSubType() == gdal.GEDTST_NONE
    assert attribute.GetDimensionCount() == 0
    assert attribute.ReadAsString() == value and attribute.Read() == value


@pytest.mark.parametrize("value", [["a"], ["a", "", "höhe"], [f"item {i}" for i in range(300)]])
def test_lists_of_texts(tmp_path, value):
    attribute = attribute_of(tmp_path, json.dumps(value, ensure_ascii=False))
    assert list(attribute.GetDimensionsSize()) == [len(value)]
    assert attribute.ReadAsStringArray() == value


OTHERS = [
    "null", "true", "false", "[]", "{}", "[true, false]", "[null]", '[1, "a"]', "[[1, 2], [3, 4]]",
    '{"a": {"b": [1, 2.5, null], "höhe": "ü"}, "c": []}', "[18446744073709551615, -1]",
    "[9007199254740993, 0.5]", '{"big": 18446744073709551615}',
]  # fmt: skip


@pytest.mark.parametrize("text", OTHERS)
def test_everything_else_is_json(tmp_path, cpl, text):
    """A number, a text, or a list of numbers or texts has a GDAL type. Any other attribute is returned as JSON text,
    and so is a list of numbers that no data type can hold exactly."""
    attribute = attribute_of(tmp_path, text)
    assert attribute.GetDataType().GetClass() == gdal.GEDTC_STRING
    assert attribute.GetDataType().GetSubType() == gdal.GEDTST_JSON
    assert attribute.GetDimensionCount() == 0
    assert json.loads(attribute.ReadAsString()) == json.loads(text)
    cpl.assert_quiet()


def test_numbers_in_other_types(tmp_path):
    """Numbers of attributes can be read as other types: as floats, integers or texts."""
    attribute = attribute_of(tmp_path, "[1, 2, 300]")
    assert list(attribute.ReadAsDoubleArray()) == [1.0, 2.0, 300.0]
    assert list(attribute.ReadAsIntArray()) == [1, 2, 300]
    assert attribute.ReadAsStringArray() == ["1", "2", "300"]


def test_names(tmp_path):
    """Attributes are listed in the order in which the metadata document has them. Each attribute has a full name."""
    names = ["zebra", "apple", "höhe", "a/b", "with space", ""]
    handmade(tmp_path / "a.zarr", files={}, attrs={name: i for i, name in enumerate(names)})
    array = zarr_mdim.open_array(tmp_path / "a.zarr")
    assert [attribute.GetName() for attribute in array.GetAttributes()] == names
    assert [attribute.ReadAsInt() for attribute in array.GetAttributes()] == list(range(6))
    assert array.GetAttribute("apple").GetFullName() == "/a/apple"


def test_missing_attribute(tmp_path, cpl):
    handmade(tmp_path / "a.zarr", files={}, attrs={"note": 1})
    assert zarr_mdim.open_array(tmp_path / "a.zarr").GetAttribute("nope") is None
    assert zarr_mdim.open_group(tmp_path / "a.zarr").GetAttribute("nope") is None
    cpl.assert_quiet()


def test_unit_scale_offset_and_nodata_are_no_attributes(tmp_path):
    attrs = {"units": "K", "scale_factor": 0.5, "add_offset": 1.5, "_FillValue": 7, "keep": 1}
    store = make_store(
        tmp_path, {"a": {"values": np.zeros((2, 3), "i2"), "attrs": attrs, "dims": ["y", "x"]}}
    )
    array = zarr_mdim.open_array(store, "a")
    assert [attribute.GetName() for attribute in array.GetAttributes()] == ["keep"]
    assert (array.GetUnit(), array.GetScale(), array.GetOffset()) == ("K", 0.5, 1.5)
    assert array.GetScaleStorageType() == array.GetOffsetStorageType() == gdal.GDT_Float64
    assert array.GetNoDataValue() == 7


def test_neither_scale_nor_offset(tmp_path):
    handmade(tmp_path / "a.zarr", files={})
    array = zarr_mdim.open_array(tmp_path / "a.zarr")
    assert array.GetScale() is None and array.GetOffset() is None and array.GetUnit() == ""


@pytest.mark.parametrize("consolidated", [False, True])
def test_groups(tmp_path, consolidated):
    store = make_store(
        tmp_path, {"g/h/a": np.zeros(2)}, attributes={"n": 2**63, "title": "root"},
        groups={"g": {"level": 1}, "g/h": {"levels": [1, 2]}}, consolidated=consolidated,
    )  # fmt: skip
    root = zarr_mdim.open_group(store)
    assert [attribute.GetName() for attribute in root.GetAttributes()] == ["n", "title"]
    assert root.GetAttribute("title").Read() == "root"
    assert zarr_mdim.attribute_numbers(root.GetAttribute("n")) == [2**63]
    # The full name of a group's attribute has the part _GLOBAL_, as in other GDAL drivers.
    assert root.GetAttribute("n").GetFullName() == "/_GLOBAL_/n"
    assert root.OpenGroupFromFullname("/g/h").GetAttribute("levels").GetFullName() == "/g/h/_GLOBAL_/levels"
    deep = root.OpenGroupFromFullname("/g/h")
    assert list(deep.GetAttribute("levels").Read()) == [1, 2]
    assert root.OpenGroup("g").GetAttribute("level").Read() == 1


@zarr_formats.V2
def test_broken_attributes_of_a_group_are_a_warning(tmp_path, cpl):
    folder = group(tmp_path / "a.zarr")
    (folder / ".zattrs").write_text("{nonsense")
    handmade(tmp_path / "a.zarr", path="x")
    root = zarr_mdim.open_group(tmp_path / "a.zarr")
    assert (root.GetAttributes() or []) == []
    assert cpl.errors == [] and any(".zattrs" in text for text in cpl.warnings)
    assert root.GetMDArrayNames() == ["x"]


def test_attributes_outlive_their_array_and_dataset(tmp_path):
    attribute = attribute_of(tmp_path, '["a", "b"]')
    assert attribute.ReadAsStringArray() == ["a", "b"]
    del attribute
    notes = [attribute_of(tmp_path, f"[{i}]") for i in range(3)]
    assert [zarr_mdim.attribute_numbers(note) for note in notes] == [[0], [1], [2]]


def test_null_is_printed_copied_and_kept(tmp_path, cpl):
    """An attribute with the value null is printed, copied and kept without an error. GDAL's own JSON parser reports an
    error for null."""
    store = make_store(tmp_path, {"a": {"values": np.zeros((2, 3)), "attrs": {"none": None, "v": 1}}},
                       attributes={"nothing": None})  # fmt: skip
    gdal.UseExceptions()
    try:
        info = gdal.MultiDimInfo(str(store), detailed=True)
    finally:
        gdal.DontUseExceptions()
    assert set(info["arrays"]["a"]["attributes"]) == {"none", "v"}
    assert set(info["attributes"]) == {"nothing"}
    assert gdal.MultiDimTranslate(str(tmp_path / "copy.zarr"), str(store), format="Zarr") is not None
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup().OpenMDArray("a")
    array.GetAttribute("v").Write(2)
    array.GetAttribute("none").Write(array.GetAttribute("none").ReadAsString())
    del array
    for name, v in ((store, 2), (tmp_path / "copy.zarr", 1)):
        assert zarr_formats.attributes(name)["nothing"] is None
        held = zarr_formats.attributes(name, "a")
        assert held["none"] is None and held["v"] == v
    assert cpl.events == []
