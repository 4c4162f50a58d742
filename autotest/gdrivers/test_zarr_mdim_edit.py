# SPDX-License-Identifier: MIT
"""Renames, deletes and resizes nodes by the multidimensional API. zarr-python and xarray read the changed stores."""

import os
import re

import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
import zarr_random_types as types
from zarr_edit import Editor
from zarr_python import meaning
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

SEED = os.environ["ZARR_TEST_SEED"]
VALUES = np.arange(24, dtype="i4").reshape(4, 6)


def cf_store(folder, **options):
    """Writes a store with two arrays over time and x, their coordinates, and an array in a group that shares
    x."""
    arrays = {
        "v": {"values": VALUES, "dims": ["time", "x"], "chunks": (3, 4), "attrs": {"units": "m"}},
        "w": {"values": VALUES[0] * 2, "dims": ["x"], "chunks": (4,)},
        "time": {"values": np.arange(4.0), "dims": ["time"], "attrs": {"units": "days since 2000-01-01"}},
        "x": {"values": np.arange(6.0), "dims": ["x"], "chunks": (5,)},
        "g/u": {"values": VALUES[0] * 3, "dims": ["x"]},
    }
    return make_store(folder, arrays, {"title": "t"}, groups={"g": {"n": 1}}, **options)


def opened(store):
    assert_consolidated(store)
    return zarr.open_group(str(store), mode="r")


def assert_consolidated(store):
    """Asserts that the consolidated metadata, if it exists, equals the metadata documents of the store."""
    held = zarr_formats.consolidated(store)
    if held is None:
        return
    files = zarr_formats.documents(store)
    del files[".zmetadata"]
    assert meaning(held) == meaning(files)


@pytest.mark.parametrize("consolidated", [False, True])
def test_rename_an_array(tmp_path, consolidated):
    store = cf_store(tmp_path, consolidated=consolidated)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(create="attribute", **{"from": "v"}, name="n")
        edit.do(write="n", values=[7])
        edit.do(write="v", values=[5])
        edit.do(rename="v", to="height")
        assert edit.do(describe="v")["name"] == "/height"
        assert edit.do(describe="n")["name"] == "/height/n"
        edit.do(write="n", values=[8])
        assert edit.do(read="v") == [5.0] * 24
        assert sorted(edit.do(describe="root")["arrays"]) == ["height", "time", "w", "x"]
        assert edit.do(rename="v", to="height") is None  # array v was already renamed to "height", so nothing changes
    group = opened(store)
    assert sorted(group.array_keys()) == ["height", "time", "w", "x"]
    assert (group["height"][...] == 5).all() and group["height"].attrs["n"] == 8
    assert zarr_formats.has(store, ".zmetadata") == consolidated


def test_rename_a_group(tmp_path):
    """After a group is renamed, open nodes in it have the new path, and their pending changes are stored."""
    store = cf_store(tmp_path)
    with Editor(store) as edit:
        edit.do(hold="g", **{"from": "root"}, group="g")
        edit.do(hold="u", **{"from": "g"}, array="u")
        edit.do(hold="n", **{"from": "g"}, attribute="n")
        edit.do(create="group", **{"from": "g"}, name="deep")
        edit.do(create="dimension", **{"from": "deep"}, name="d", size=3)
        edit.do(create="array", **{"from": "deep"}, name="z", dimensions=["d"])
        edit.do(write="z", values=[1, 2, 3])
        edit.do(write="u", values=[4])
        edit.do(write="n", values=[2])
        edit.do(rename="g", to="group")
        names = {held: edit.do(describe=held)["name"] for held in ("g", "u", "n", "deep", "z", "d")}
        assert names == {"g": "/group", "u": "/group/u", "n": "/group/_GLOBAL_/n", "deep": "/group/deep",
                         "z": "/group/deep/z", "d": "/group/deep/d"}  # fmt: skip
        edit.do(write="n", values=[3])
        assert edit.do(read="z") == [1, 2, 3]
        edit.do(write="z", values=[3, 2, 1])
        edit.do(create="array", **{"from": "g"}, name="new", dimensions=["d"])
    group = opened(store)
    assert (group["group/u"][...] == 4).all() and group["group"].attrs["n"] == 3
    assert group["group/deep/z"][...].tolist() == [3, 2, 1] and "g" not in group
    assert group["group/new"].shape == (3,)


def test_rename_a_dimension(tmp_path):
    """Renaming a dimension renames it in each array that uses it, including arrays in subgroups. The coordinate array
    of the dimension is renamed, too."""
    store = cf_store(tmp_path, consolidated=True)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(hold="x", **{"from": "v"}, dimension=1)
        edit.do(hold="coordinates", **{"from": "root"}, array="x")
        edit.do(rename="x", to="easting")
        assert edit.do(describe="x") == {"name": "/easting", "size": 6, "variable": "/easting"}
        assert edit.do(describe="v")["dimensions"] == ["time", "easting"]
        assert edit.do(describe="coordinates")["name"] == "/easting"
        assert edit.do(describe="root")["dimensions"] == ["easting", "time"]
    group = opened(store)
    dims = {path: group[path].attrs["_ARRAY_DIMENSIONS"] for path in ("v", "w", "easting", "g/u")}
    assert dims == {"v": ["time", "easting"], "w": ["easting"], "easting": ["easting"],
                    "g/u": ["easting"]}  # fmt: skip
    dataset = xr.open_zarr(str(store))
    assert dataset.v.sel(easting=5, time="2000-01-02") == VALUES[1, 5]


def test_rename_a_dimension_that_no_array_has(tmp_path):
    with Editor(cf_store(tmp_path)) as edit:
        edit.do(create="dimension", **{"from": "root"}, name="d", size=2)
        edit.do(rename="d", to="e")
        edit.do(create="array", **{"from": "root"}, name="e", dimensions=["d"])
        assert edit.do(describe="d") == {"name": "/e", "size": 2, "variable": "/e"}
    assert zarr.open_group(str(tmp_path / "store.zarr"))["e"].attrs["_ARRAY_DIMENSIONS"] == ["e"]


def test_rename_an_attribute(tmp_path):
    store = make_store(tmp_path, {"v": {"values": VALUES, "attrs": {"a": 1, "b": [2]}}}, {"a": 3})
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        for held in ("v", "root"):
            edit.do(hold="a", **{"from": held}, attribute="a")
            edit.do(rename="a", to="ä/1")
            edit.do(write="a", values=[9])
            assert "ä/1" in edit.do(describe=held)["attributes"]
        edit.do(hold="b", **{"from": "v"}, attribute="b")
        assert "already" in edit.refuse(rename="b", to="ä/1")
        assert "name" in edit.refuse(rename="b", to="")
        assert "dimensions" in edit.refuse(rename="b", to="_ARRAY_DIMENSIONS")
    assert dict(opened(store)["v"].attrs) == {"ä/1": 9, "b": [2]}
    assert dict(opened(store).attrs) == {"ä/1": 9}


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", ".", "..", ".zarray", ".zgroup", ".zattrs",
                                  ".zmetadata", "w", "g"])  # fmt: skip
def test_names_that_are_refused(tmp_path, name):
    """Giving an array, a group or a dimension a name that is invalid, reserved or already used is an error."""
    store = cf_store(tmp_path, consolidated=True)
    before = {str(f): f.read_bytes() for f in store.rglob("*") if f.is_file()}
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(hold="gg", **{"from": "root"}, group="g")
        edit.do(hold="x", **{"from": "v"}, dimension=1)
        for held in ("v", "gg", "x"):
            if not (held == "gg" and name == "g"):
                edit.refuse(rename=held, to=name)
        edit.refuse(create="group", **{"from": "root"}, name=name)
        edit.refuse(create="array", **{"from": "root"}, name=name, dimensions=["x"])
        if name not in ("w", "g"):
            edit.refuse(create="dimension", **{"from": "root"}, name=name, size=3)
    assert {str(f): f.read_bytes() for f in store.rglob("*") if f.is_file()} == before


def test_renaming_the_root(tmp_path):
    with Editor(cf_store(tmp_path)) as edit:
        assert "cannot be renamed" in edit.refuse(rename="root", to="r")


@pytest.mark.parametrize("size", [2**63, 2**64 - 1])
def test_sizes_that_are_refused(tmp_path, size):
    with Editor(cf_store(tmp_path)) as edit:
        assert str(size) in edit.refuse(create="dimension", **{"from": "root"}, name="d", size=size)
        edit.do(hold="v", **{"from": "root"}, array="v")
        assert str(size) in edit.refuse(resize="v", to=[size, 6])


def test_arrays_that_are_too_large(tmp_path):
    with Editor(cf_store(tmp_path)) as edit:
        edit.do(create="dimension", **{"from": "root"}, name="d", size=2**40)
        edit.refuse(create="array", **{"from": "root"}, name="z", dimensions=["d", "d"])
        edit.do(create="dimension", **{"from": "root"}, name="e", size=2**40)
        edit.refuse(create="array", **{"from": "root"}, name="z", dimensions=["d", "e"])
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.refuse(resize="v", to=[2**40, 2**40])
        assert edit.do(describe="v")["shape"] == [4, 6]


def test_delete(tmp_path):
    """After a node is deleted, each use of it is an error, and a new node can have its name."""
    store = cf_store(tmp_path, consolidated=True)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(hold="gg", **{"from": "root"}, group="g")
        edit.do(hold="u", **{"from": "gg"}, array="u")
        edit.do(hold="n", **{"from": "gg"}, attribute="n")
        edit.do(create="attribute", **{"from": "v"}, name="m")
        edit.do(write="v", values=[1])
        edit.do(write="m", values=[1])
        edit.do(write="u", values=[1])
        edit.do(delete="array", **{"from": "root"}, name="v")
        edit.do(delete="group", **{"from": "root"}, name="g")
        for held in ("v", "u", "n", "m"):
            assert "deleted" in edit.refuse(read=held)
            assert "deleted" in edit.refuse(write=held, values=[1])
        for held in ("v", "gg", "u", "n"):
            assert "deleted" in edit.refuse(rename=held, to="z")
        for held in ("v", "gg"):
            assert "deleted" in edit.refuse(create="attribute", **{"from": held}, name="z")
            assert "deleted" in edit.refuse(delete="attribute", **{"from": held}, name="n")
        assert "deleted" in edit.refuse(create="group", **{"from": "gg"}, name="z")
        assert "deleted" in edit.refuse(resize="v", to=[9, 9])
        assert "is not an array" in edit.refuse(delete="array", **{"from": "root"}, name="v")
        assert "is not a sub-group" in edit.refuse(delete="group", **{"from": "root"}, name="v")
        edit.do(hold="x", **{"from": "root"}, dimension=1)
        edit.do(create="array", **{"from": "root"}, name="v", dimensions=["x"])
        assert edit.do(describe="v")["attributes"] == []
        edit.do(write="v", values=[2])
        edit.do(create="group", **{"from": "root"}, name="g")
    group = opened(store)
    assert group["v"][...].tolist() == [2] * 6 and list(group["g"].keys()) == []
    assert dict(group["g"].attrs) == {}


def test_delete_attributes(tmp_path):
    store = make_store(tmp_path, {"v": {"values": VALUES, "attrs": {"a": 1, "b": 2}}}, {"a": 3})
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        for held in ("v", "root"):
            edit.do(hold="a", **{"from": held}, attribute="a")
            edit.do(delete="attribute", **{"from": held}, name="a")
            assert "deleted" in edit.refuse(read="a") and "deleted" in edit.refuse(write="a", values=[1])
            assert "there is no attribute" in edit.refuse(delete="attribute", **{"from": held}, name="a")
            assert "a" not in edit.do(describe=held)["attributes"]
    assert dict(opened(store)["v"].attrs) == {"b": 2}
    assert not zarr_formats.has(store, ".zattrs")


@pytest.mark.parametrize("consolidated", [False, True])
def test_resize(tmp_path, consolidated):
    """All arrays with a resized dimension are resized. New elements have the fill value."""
    store = cf_store(tmp_path, consolidated=consolidated)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(hold="w", **{"from": "root"}, array="w")
        edit.do(hold="x", **{"from": "v"}, dimension=1)
        edit.do(write="w", values=[9])
        edit.do(resize="v", to=[3, 9])
        assert edit.do(describe="v")["shape"] == [3, 9]
        assert edit.do(describe="w")["shape"] == [9]
        assert edit.do(describe="x") == {"name": "/x", "size": 9, "variable": "/x"}
        assert edit.do(read="w") == [9.0] * 6 + [0.0] * 3
        edit.do(resize="v", to=[3, 9])
        edit.do(write="w", values=list(range(9)))
    group = opened(store)
    shapes = {path: group[path].shape for path in ("v", "w", "time", "x", "g/u")}
    assert shapes == {"v": (3, 9), "w": (9,), "time": (3,), "x": (9,), "g/u": (9,)}
    assert (group["v"][:, :6] == VALUES[:3]).all() and group["w"][...].tolist() == list(range(9))


def test_resize_wants_all_sizes(tmp_path):
    with Editor(cf_store(tmp_path)) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        for shape in ([3], [3, 6, 1], []):
            assert "sizes" in edit.refuse(resize="v", to=shape)


def chunk_keys(folder):
    """Returns the indices of all stored chunks of an array."""
    keys = zarr_formats.chunk_keys(folder)
    return {tuple(map(int, re.split("[./]", key))) for key in keys}


@pytest.mark.parametrize("turn", range(24))
def test_random_sizes(tmp_path, turn):
    """Grows, shrinks and writes an array in random order. Its values must equal those of an array in memory, the model.
    No chunk may be outside of the array."""
    draw = types.Draw(SEED, turn)
    told = f"ZARR_TEST_SEED={SEED} turn {turn}"
    rank = draw.integer(1, 3)
    shape = [draw.integer(1, 9) for _ in range(rank)]
    kind = draw.choice(["<i4", ">f8", "<U3", "str"])
    fill = draw.choice([None, 7]) if kind in ("<i4", ">f8") else draw.choice(["", "q"])
    model = np.array(draw.numpy.integers(0, 99, shape), "i8")
    values = model.astype("<i4" if kind == "str" else kind)
    options = {"object_codec": numcodecs.VLenUTF8()} if kind == "str" else {}
    if kind == "str":
        values = np.array([str(v) for v in values.ravel()], object).reshape(shape)
    chunks, separator, order = tuple(draw.integer(1, 5) for _ in shape), draw.choice("./"), draw.choice("CF")
    if kind == "str" and zarr_formats.is_v3():
        order = "C"  # not F, because zarr-python 3.1 does not transpose texts
    store = make_store(tmp_path, {"v": {"values": values, "chunks": chunks, "fill_value": fill, "order": order,
                                        "dimension_separator": separator, **options}})  # fmt: skip
    absent = {"": "", "q": "q", None: 0, 7: 7}[fill]
    model = values.astype(object)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        for _ in range(6):
            old, shape = shape, [max(1, size + draw.integer(-6, 6)) for size in shape]
            edit.do(resize="v", to=shape)
            both = tuple(slice(0, min(a, b)) for a, b in zip(old, shape))
            grown = np.full(shape, absent, object)
            grown[both] = model[both]
            model = grown
            if kind in ("<i4", ">f8"):
                assert edit.do(read="v") == [float(v) for v in model.ravel()], told
            if draw.chance(0.3):
                number = draw.integer(0, 99)
                edit.do(write="v", values=[number])
                model[...] = str(number) if isinstance(absent, str) else number
            if draw.chance(0.3):
                edit.do(flush=True)
    array = zarr.open_group(str(store), mode="r")["v"]
    counts = [-(-size // chunk) for size, chunk in zip(array.shape, array.chunks)]
    present = chunk_keys(store / "v")
    assert all(all(i < n for i, n in zip(key, counts)) for key in present), told
    if fill is not None:
        read = array[...].astype(object)
        read[np.equal(read, None)] = ""  # zarr-python may read the fill value "" as None
        assert read.tolist() == model.tolist(), told


def test_stray_chunks_do_not_appear_when_an_array_grows(tmp_path):
    store = make_store(tmp_path, {"v": {"values": np.arange(4), "chunks": (2,), "fill_value": 0}})
    zarr_formats.chunk_file(store, "v", 3).write_bytes(zarr_formats.chunk_file(store, "v", 0).read_bytes())
    (store / "v/notes").write_text("no chunk")
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(resize="v", to=[8])
        assert edit.do(read="v") == [0, 1, 2, 3, 0, 0, 0, 0]
    assert (store / "v/notes").exists()


def test_objects_that_outlive_the_dataset(tmp_path):
    """Nodes still work after their dataset is closed. Changes are stored when the last node is released."""
    store = cf_store(tmp_path, consolidated=True)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(write="v", values=[1])
        edit.do(close=True)
        assert (opened(store)["v"][...] == 1).all()
        edit.do(write="v", values=[2])
        edit.do(create="attribute", **{"from": "v"}, name="n")
        edit.do(write="n", values=[3])
        edit.do(rename="v", to="z")
        edit.do(drop="root")
        edit.do(drop="v")
        edit.do(write="n", values=[4])
    group = opened(store)
    assert (group["z"][...] == 2).all() and group["z"].attrs["n"] == 4


def test_an_array_that_is_the_store(tmp_path):
    """A store that consists of one array: the array can be written and resized. Renaming it, deleting it and
    creating a group in it are errors."""
    store = tmp_path / "a.zarr"
    zarr.open_array(str(store), mode="w", shape=(4,), chunks=(3,), dtype="i4", fill_value=0)[...] = 5
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="a")
        edit.do(resize="v", to=[6])
        edit.do(write="v", values=[1, 2])
        edit.do(create="attribute", **{"from": "v"}, name="n")
        edit.do(write="n", values=[3])
        edit.refuse(rename="v", to="b")
        edit.refuse(create="group", **{"from": "root"}, name="g")
        edit.refuse(delete="array", **{"from": "root"}, name="a")
    array = zarr.open_array(str(store), mode="r")
    assert array[...].tolist() == [1, 2, 1, 2, 1, 2] and array.attrs["n"] == 3


def test_resize_of_an_array_that_was_opened(tmp_path):
    """An array is opened alone and resized. All arrays in its group that share its dimensions are resized, too."""
    store = cf_store(tmp_path)
    with Editor(f'ZARR:"{store}":/v') as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(resize="v", to=[4, 8])
        edit.store = store
        edit.refuse(rename="v", to="z")
    shapes = {path: array.shape for path, array in opened(store).arrays()}
    assert shapes == {"v": (4, 8), "w": (8,), "x": (8,), "time": (4,)}
