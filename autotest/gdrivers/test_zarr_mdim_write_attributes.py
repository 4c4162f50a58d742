# SPDX-License-Identifier: MIT
"""Writes attributes of all types by the multidimensional API, and checks the JSON in the store."""

import json
import math
import os

import numpy as np
import pytest
import zarr_formats
import zarr_mdim
import zarr_mdim_write as w
import zarr_python as zarr
import zarr_random_types as types
from osgeo import gdal
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

SEED = os.environ["ZARR_TEST_SEED"]
JSON = gdal.ExtendedDataType.CreateString(0, gdal.GEDTST_JSON)


def holders(store):
    """Creates a store with a group and an array. Returns the dataset and [(path, group), (path, array)]."""
    dataset = w.create(store)
    group = dataset.GetRootGroup().CreateGroup("g")
    array = group.CreateMDArray("v", w.dimensions(group, [2]), w.number(gdal.GDT_Byte))
    return dataset, [("g", group), ("g/v", array)]


def stored(store, path):
    """Returns the stored attributes of an array or group, except the names of dimensions."""
    attributes = zarr_formats.attributes(store, path)
    attributes.pop("_ARRAY_DIMENSIONS", None)
    return attributes


def same(a, b):
    """True if two values are equal and of equal types. NaN equals NaN."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return sorted(a) == sorted(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and a == b and str(a) == str(b)


def as_json(values, code):
    """Returns numbers of the GDAL type `code` as JSON stores them: complex numbers as pairs."""
    numbers = np.asarray(values, w.DTYPES[code])
    if numbers.dtype.kind == "c":
        pairs = np.stack([numbers.real, numbers.imag], -1)
        return pairs.astype("f8").tolist()
    return numbers.astype("f8" if numbers.dtype.kind == "f" else numbers.dtype).tolist()


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize("code", w.DTYPES)
def test_numbers(tmp_path, cpl, code, shape):
    draw = types.Draw(SEED, code)
    store = tmp_path / "a.zarr"
    dataset, nodes = holders(store)
    dtype = np.dtype(w.DTYPES[code])
    edges = np.array(types.limits(dtype), dtype)
    wanted = {}
    for path, node in nodes:
        attribute = node.CreateAttribute("n", list(shape), w.number(code))
        for turn in range(2):  # the second turn replaces the values of the first
            count = int(np.prod(shape, dtype=int))
            numbers = draw.numpy.choice(edges, count) if turn else np.zeros(count, dtype)
            assert w.write_attribute(attribute, {"": numbers})
        wanted[path] = as_json(numbers.reshape(shape), code)
    del attribute, nodes, node, dataset
    cpl.assert_quiet()
    for path, numbers in wanted.items():
        got = stored(store, path)
        assert list(got) == ["n"] and same(got["n"], numbers), f"ZARR_TEST_SEED={SEED} {got}"
    if len(shape) < 2 and dtype.kind != "c":
        attribute = zarr_mdim.open_array(store, "g/v").GetAttribute("n")
        numbers = zarr_mdim.attribute_numbers(attribute)
        flat = wanted["g/v"] if shape else [wanted["g/v"]]
        assert all(a == b or (a != a and b != b) for a, b in zip(numbers, flat))


@pytest.mark.parametrize("shape, texts", [
    ((), ["Zürich \U0001f30d"]), ((), [""]), ((1,), ["one"]), ((3,), ["a", "", 'quo"te\n']),
    ((2, 2), ["a", "b", "c", "d"]),
])  # fmt: skip
def test_texts(tmp_path, cpl, shape, texts):
    store = tmp_path / "a.zarr"
    dataset, nodes = holders(store)
    for _, node in nodes:
        attribute = node.CreateAttribute("t", list(shape), w.TEXT)
        assert w.write_attribute(attribute, {"": [text.encode() for text in texts]})
        if len(shape) < 2:
            assert attribute.Read() == (texts if len(texts) > 1 else texts[0])
    del attribute, nodes, node, dataset
    cpl.assert_quiet()
    wanted = np.array(texts, object).reshape(shape).tolist()
    for path in ("g", "g/v"):
        assert stored(store, path) == {"t": wanted}


@pytest.mark.parametrize("text", [
    '{"b": [1, 2.5, null], "a": {"c": true}}', "null", "[]", "18446744073709551615", '"text"',
    '[{"x": "ö"}, [[1], [2, 3]]]', "NaN",
])  # fmt: skip
def test_json(tmp_path, cpl, text):
    store = tmp_path / "a.zarr"
    dataset, nodes = holders(store)
    for _, node in nodes:
        assert node.CreateAttribute("j", [], JSON).Write(text) == 0
    del nodes, node, dataset
    cpl.assert_quiet()
    for path in ("g", "g/v"):
        assert same(stored(store, path)["j"], json.loads(text))


def test_no_json(tmp_path, cpl):
    dataset, nodes = holders(tmp_path / "a.zarr")
    assert nodes[0][1].CreateAttribute("j", [], JSON).Write('{"a": ') != 0
    assert "/g/_GLOBAL_/j" in cpl.the_error() and "a.zarr" in cpl.the_error()
    del nodes, dataset
    assert stored(tmp_path / "a.zarr", "g") == {"j": None}


def test_compound(tmp_path, cpl):
    inner = [("d", w.number(gdal.GDT_Float32))]
    kind = w.compound([("a", w.number(gdal.GDT_Int64)), ("b", w.TEXT), ("c", inner)])
    store = tmp_path / "a.zarr"
    dataset, nodes = holders(store)
    attribute = nodes[1][1].CreateAttribute("s", [2], kind)
    assert w.write_attribute(attribute, {"a": [2**62 + 1, -1], "b": [b"x", None], "c.d": [0.5, 2]})
    del attribute, nodes, dataset
    cpl.assert_quiet()
    assert stored(store, "g/v")["s"] == [
        {"a": 2**62 + 1, "b": "x", "c": {"d": 0.5}}, {"a": -1, "b": "", "c": {"d": 2.0}}
    ]  # fmt: skip


def test_lists_without_items(tmp_path):
    dataset, nodes = holders(tmp_path / "a.zarr")
    for _, node in nodes:
        assert node.CreateAttribute("e", [0], w.number(gdal.GDT_Int32)) is not None
    del nodes, node, dataset
    assert stored(tmp_path / "a.zarr", "g") == {"e": []} == stored(tmp_path / "a.zarr", "g/v")


def test_many_at_once_are_written_once(tmp_path, cpl):
    """A flush stores all changed attributes together. Before that, open arrays and groups already return the new
    values."""
    store = tmp_path / "a.zarr"
    dataset, nodes = holders(store)
    for path, node in nodes:
        for i in range(20):
            assert node.CreateAttribute(f"n{i}", [], w.number(gdal.GDT_Int32)).Write(i) == 0
            assert node.GetAttribute(f"n{i}").Read() == i
            assert len(node.GetAttributes()) == i + 1
    assert not zarr_formats.has(store, "g/.zattrs") and stored(store, "g/v") == {}
    dataset.FlushCache()
    for path, _ in nodes:
        assert stored(store, path) == {f"n{i}": i for i in range(20)}
    cpl.assert_quiet()


def test_an_attribute_that_is_not_written(tmp_path, cpl):
    """A new attribute has the value 0 until its first write."""
    dataset, nodes = holders(tmp_path / "a.zarr")
    for _, node in nodes:
        attribute = node.CreateAttribute("n", [], w.number(gdal.GDT_Float32))
        assert [a.GetName() for a in node.GetAttributes()] == ["n"]
        assert zarr_mdim.is_same(node.GetAttribute("n"), attribute)
        assert node.CreateAttribute("n", [], w.TEXT) is None
        assert '"n"' in cpl.errors.pop()
        del attribute
        assert [a.GetName() for a in node.GetAttributes()] == ["n"]
    del nodes, node, dataset
    for path in ("g", "g/v"):
        assert stored(tmp_path / "a.zarr", path) == {"n": 0}


@pytest.mark.parametrize("name", ["scale_factor", "add_offset", "_FillValue", "missing_value"])
def test_unwritten_scale_offset_and_nodata_are_not_stored(tmp_path, cpl, name):
    dataset, nodes = holders(tmp_path / "a.zarr")
    array = nodes[1][1]
    assert array.CreateAttribute(name, [], w.number(gdal.GDT_Float32)) is not None
    assert array.GetScale() is None and array.GetOffset() is None
    assert array.GetNoDataValueAsRaw() is None
    del nodes, array, dataset
    assert stored(tmp_path / "a.zarr", "g/v") == {}
    cpl.assert_quiet()


@pytest.mark.parametrize("name, cause", [
    ("", "name"), ("_ARRAY_DIMENSIONS", "dimensions"), ("there", "already"),
])  # fmt: skip
def test_names_that_are_refused(tmp_path, cpl, name, cause):
    store = make_store(tmp_path, {"v": {"values": np.zeros(2), "attrs": {"there": 1}}}, {"there": 2})
    root = w.update(store).GetRootGroup()
    for node in (root, root.OpenMDArray("v")):
        assert node.CreateAttribute(name, [], w.TEXT) is None
        assert cause in cpl.errors[-1] and "store.zarr" in cpl.errors[-1]
    assert len(cpl.errors) == 2


def test_attributes_larger_than_memory_are_refused(tmp_path, cpl):
    dataset, nodes = holders(tmp_path / "a.zarr")
    for shape in ([2**40], [2**33, 2**33], [1] * 40):
        assert nodes[0][1].CreateAttribute("n", shape, w.number(gdal.GDT_Float64)) is None
    assert len(cpl.errors) == 3


@zarr_formats.V2
def test_attributes_that_are_broken_are_not_replaced(tmp_path, cpl):
    store = make_store(tmp_path, {"v": np.zeros(2)})
    (store / ".zattrs").write_text('{"a": ')
    root = w.update(store).GetRootGroup()
    assert root.CreateAttribute("n", [], w.TEXT) is None
    assert ".zattrs" in cpl.the_error()
    del root
    assert (store / ".zattrs").read_text() == '{"a": '


def test_an_update_keeps_other_attributes(tmp_path, cpl):
    """Writing one attribute does not change the stored values of others. A new attribute `units` takes effect at
    once."""
    attrs = {"big": 2**64 - 1, "nan": float("nan"), "deep": {"a": [1, {"b": None}]}, "t": "ö"}
    store = make_store(tmp_path, {"v": {"values": np.zeros(2), "attrs": attrs, "dims": ["x"]}}, attrs)
    root = w.update(store).GetRootGroup()
    array = root.OpenMDArray("v")
    for node in (root, array):
        assert node.GetAttribute("t").Write("ü") == 0
        assert node.CreateAttribute("units", [], w.TEXT).Write("km") == 0
    assert array.GetUnit() == "km"
    assert root.GetAttribute("units").Read() == "km"
    del root, node, array
    cpl.assert_quiet()
    for path in ("", "v"):
        assert same(stored(store, path), {**attrs, "t": "ü", "units": "km"})
    assert zarr.open_group(str(store), mode="r")["v"].attrs["_ARRAY_DIMENSIONS"] == ["x"]


def test_reading_only(tmp_path, cpl):
    store = make_store(tmp_path, {"v": {"values": np.zeros(2), "attrs": {"t": "ö"}}}, {"t": "ö"})
    root = zarr_mdim.open_group(store)
    for node in (root, root.OpenMDArray("v")):
        assert node.GetAttribute("t").Write("ü") != 0
        assert node.CreateAttribute("n", [], w.TEXT) is None
    assert len(cpl.errors) == 4
    assert all("not open in update mode" in error and "store.zarr" in error for error in cpl.errors)
    assert stored(store, "") == {"t": "ö"}


def test_changes_by_another_dataset_stay(tmp_path):
    """If two datasets change different attributes of one array or group, both changes are stored."""
    store = str(tmp_path / "o.zarr")
    zarr.open_group(store, mode="w").attrs.update({"old": 1, "gone": 2})
    opened = [gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE) for _ in range(2)]
    for i, dataset in enumerate(opened):
        root = dataset.GetRootGroup()
        text = gdal.ExtendedDataType.CreateString()
        root.CreateAttribute(f"new{i}", [], text).Write(f"by {i}")
        del root
    while opened:
        dataset = opened.pop()
        dataset.FlushCache()
        del dataset
    assert zarr.open_group(store, mode="r").attrs.asdict() == {
        "old": 1, "gone": 2, "new0": "by 0", "new1": "by 1"}  # fmt: skip
