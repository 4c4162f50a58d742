# SPDX-License-Identifier: MIT
"""Groups of the multidimensional API: their names, which node a name opens, and errors."""

import concurrent.futures
import json
import os
import pathlib
import re

import numpy as np
import pytest
import zarr3
import zarr_formats
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr_store import GOOD, good_values, group, handmade, make_array, make_store

pytestmark = zarr_formats.BOTH

DEM = np.arange(12, dtype="i2").reshape(3, 4)


def tree(folder, consolidated=False):
    arrays = {
        "top": DEM, "g/b": DEM + 1, "g/a": DEM + 2, "g/h/deep": DEM + 3, "g/h/top": DEM + 4,
        "with space/höhe": DEM + 5,
    }  # fmt: skip
    return make_store(folder, arrays, consolidated=consolidated, groups={"empty": {}})


@pytest.mark.parametrize("consolidated", [False, True])
def test_names(tmp_path, cpl, consolidated):
    root = zarr_mdim.open_group(tree(tmp_path, consolidated))
    assert (root.GetName(), root.GetFullName()) == ("/", "/")
    assert root.GetMDArrayNames() == ["top"]
    assert root.GetGroupNames() == ["empty", "g", "with space"]
    g = root.OpenGroup("g")
    assert (g.GetName(), g.GetFullName()) == ("g", "/g")
    assert g.GetMDArrayNames() == ["a", "b"] and g.GetGroupNames() == ["h"]
    h = g.OpenGroup("h")
    assert (h.GetName(), h.GetFullName()) == ("h", "/g/h")
    assert (h.GetMDArrayNames(), h.GetGroupNames() or []) == (["deep", "top"], [])
    deep = h.OpenMDArray("deep")
    assert (deep.GetName(), deep.GetFullName()) == ("deep", "/g/h/deep")
    empty = root.OpenGroup("empty")
    assert (empty.GetMDArrayNames() or [], empty.GetGroupNames() or []) == ([], [])
    cpl.assert_quiet()


@pytest.mark.parametrize(
    "name, offset", [("/top", 0), ("/g/a", 2), ("/g/h/deep", 3), ("/with space/höhe", 5)]
)
def test_full_names(tmp_path, name, offset):
    root = zarr_mdim.open_group(tree(tmp_path))
    array = root.OpenMDArrayFromFullname(name)
    assert array.GetFullName() == name
    zarr_gdal.assert_same(array.ReadAsArray(), DEM + np.int16(offset))
    assert root.OpenGroupFromFullname("/g/h").GetFullName() == "/g/h"


def test_resolving_array_names(tmp_path):
    """ResolveMDArray() searches the starting group and all groups below it. If they lack the array, the search goes on
    from the parent group, up to the root."""
    root = zarr_mdim.open_group(tree(tmp_path))
    assert root.ResolveMDArray("top", "/g/h").GetFullName() == "/g/h/top"
    assert root.ResolveMDArray("top", "/g").GetFullName() == "/g/h/top"
    assert root.ResolveMDArray("top", "/with space").GetFullName() == "/top"
    assert root.ResolveMDArray("a", "/g/h").GetFullName() == "/g/a"
    assert root.ResolveMDArray("deep", "").GetFullName() == "/g/h/deep"
    assert root.ResolveMDArray("/g/b", "/nowhere").GetFullName() == "/g/b"
    assert root.ResolveMDArray("nothing", "") is None


def test_one_array_is_one_object_however_it_is_reached(tmp_path):
    """While an array is in use, each way of opening it returns the same object."""
    root = zarr_mdim.open_group(tree(tmp_path))
    a, b = root.OpenMDArrayFromFullname("/g/a"), root.OpenGroup("g").OpenMDArray("a")
    assert zarr_mdim.is_same(a, b)
    assert not zarr_mdim.is_same(a, root.OpenMDArrayFromFullname("/g/b"))


def test_missing_nodes_give_no_error(tmp_path, cpl):
    """Requesting a node that a group does not have returns None, without an error."""
    root = zarr_mdim.open_group(tree(tmp_path))
    for name in ("nope", "g", "", "g/a", "..", ".", "/top"):
        assert root.OpenMDArray(name) is None, name
    for name in ("nope", "top", "", "g/h", "..", "."):
        assert root.OpenGroup(name) is None, name
    assert cpl.errors == []


@pytest.mark.parametrize("consolidated", [False, True])
def test_a_group_as_the_root(tmp_path, cpl, consolidated):
    store = tree(tmp_path, consolidated)
    root = zarr_mdim.open_group(f'ZARR:"{store}":/g')
    assert (root.GetName(), root.GetFullName()) == ("/", "/")
    assert (root.GetMDArrayNames(), root.GetGroupNames()) == (["a", "b"], ["h"])
    array = root.OpenMDArrayFromFullname("/h/deep")
    assert array.GetFullName() == "/h/deep"
    zarr_gdal.assert_same(array.ReadAsArray(), DEM + np.int16(3))
    cpl.assert_quiet()


def test_a_group_opens_by_its_folder(tmp_path):
    root = zarr_mdim.open_group(tree(tmp_path) / "g")
    assert (root.GetMDArrayNames(), root.GetGroupNames()) == (["a", "b"], ["h"])


@pytest.mark.parametrize("path", ["top", "g/a", "g/h/deep"])
def test_an_array_as_the_root(tmp_path, cpl, path):
    store = tree(tmp_path)
    for name in (f'ZARR:"{store}":/{path}', store / path):
        root = zarr_mdim.open_group(name)
        assert root.GetMDArrayNames() == [path.split("/")[-1]]
        assert (root.GetGroupNames() or []) == []
        array = root.OpenMDArray(path.split("/")[-1])
        assert array.GetFullName() == "/" + path.split("/")[-1]
        assert array.GetTotalElementsCount() == 12
    cpl.assert_quiet()


def test_a_store_that_is_an_array(tmp_path, cpl):
    """If the store is an array, the array has the name of the store and the attributes of the metadata document."""
    store = make_array(tmp_path, DEM, name="elevation.zarr", attrs={"note": "x"})
    root = zarr_mdim.open_group(store)
    assert root.GetMDArrayNames() == ["elevation"] and (root.GetGroupNames() or []) == []
    assert (root.GetAttributes() or []) == []
    array = root.OpenMDArray("elevation")
    assert array.GetFullName() == "/elevation" and array.GetAttribute("note").Read() == "x"
    zarr_gdal.assert_same(array.ReadAsArray(), DEM)
    cpl.assert_quiet()


@pytest.mark.parametrize("name", ["/", "/nope", "/g/nope", "/top/x"])
def test_names_that_do_not_open(tmp_path, cpl, name):
    store = tree(tmp_path)
    dataset = gdal.OpenEx(f'ZARR:"{store}":{name}', gdal.OF_MULTIDIM_RASTER)
    if name == "/":
        assert dataset.GetRootGroup().GetMDArrayNames() == ["top"]
        cpl.assert_quiet()
    else:
        assert dataset is None
        assert name.strip("/") in cpl.the_error() and "store.zarr" in cpl.the_error()


def test_slices_are_no_multidimensional_datasets(tmp_path, cpl):
    store = make_store(tmp_path, {"cube": np.zeros((2, 3, 4))})
    assert gdal.OpenEx(f'ZARR:"{store}":/cube:1', gdal.OF_MULTIDIM_RASTER) is None
    assert "cube" in cpl.the_error()


# -------------------------------------------------------------------------------------------------
# Invalid arrays among valid ones

BAD = {
    "no JSON": ("{nonsense", r"\.zarray"),
    "no such codec": (json.dumps({**GOOD, "compressor": {"id": "lolzip"}}), "lolzip"),
    "no such dtype": (json.dumps({**GOOD, "dtype": "<q9"}), "<q9"),
    "chunks of 0": (json.dumps({**GOOD, "chunks": [0, 3]}), "chunks"),
    "not as many chunk sizes": (json.dumps({**GOOD, "chunks": [2]}), "chunks"),
    "a format to come": (json.dumps({**GOOD, "zarr_format": 4}), "zarr_format"),
}


@zarr_formats.V2  # for v3, see test_zarr_mdim_broken.py
@pytest.mark.parametrize("case", BAD)
def test_bad_among_good(tmp_path, cpl, case):
    text, cause = BAD[case]
    store = group(tmp_path / "s.zarr")
    handmade(store, path="good")
    handmade(store, text, files={}, path="bad")
    handmade(store, path="other")
    root = zarr_mdim.open_group(store)
    assert root.GetMDArrayNames() == ["bad", "good", "other"]
    assert len(root.GetDimensions() or []) == 0  # GetDimensions() reads the bad array without an error
    cpl.assert_quiet()
    assert root.OpenMDArray("bad") is None
    error = cpl.the_error()
    assert re.search(cause, error) and "s.zarr" in error and "bad" in error
    cpl.clear()
    zarr_gdal.assert_same(root.OpenMDArray("good").ReadAsArray(), good_values())
    assert root.OpenMDArrayFromFullname("/other") is not None
    cpl.assert_quiet()


@zarr_formats.V2
def test_too_many_fields(tmp_path, cpl):
    store = group(tmp_path / "s.zarr")
    handmade(store, dtype=[["a", "|u1", [300, 300]]], fill_value=None, files={}, path="wide")
    root = zarr_mdim.open_group(store)
    assert root.OpenMDArray("wide") is None
    assert "65536" in cpl.the_error() and "wide" in cpl.the_error()


@zarr_formats.V2
def test_broken_consolidated_metadata(tmp_path, cpl):
    store = tree(tmp_path, consolidated=True)
    (store / ".zmetadata").write_text("{")
    assert zarr_mdim.open_group(store).GetMDArrayNames() == ["top"]
    root = zarr_mdim.open_group(store, "USE_CONSOLIDATED_METADATA=NO")
    assert root.GetMDArrayNames() == ["top"]


# -------------------------------------------------------------------------------------------------
# Large and deep stores


def consolidated_store(folder, groups, arrays=()):
    """Writes a store whose nodes exist only in the consolidated metadata. The fill value of an array is its index in
    `arrays`."""
    store = group(folder / "s.zarr")
    if zarr_formats.is_v3():
        nodes = {path: zarr3.group_document() for path in groups}
        nodes.update({path: zarr3.document((4, 6), "int16", (2, 3), fill_value=i)
                      for i, path in enumerate(arrays)})  # fmt: skip
        inline = {"kind": "inline", "must_understand": False, "metadata": nodes}
        zarr3.handmade(store, zarr3.group_document(consolidated_metadata=inline))
        return store
    metadata = {f"{path}/.zgroup".lstrip("/"): {"zarr_format": 2} for path in ("", *groups)}
    for i, path in enumerate(arrays):
        metadata[path + "/.zarray"] = {**GOOD, "fill_value": i}
    text = json.dumps({"zarr_consolidated_format": 1, "metadata": metadata})
    (store / ".zmetadata").write_text(text)
    return store


@pytest.mark.slow
def test_ten_thousand_consolidated_arrays(tmp_path, cpl):
    """The consolidated metadata lists ten thousand arrays, which have no metadata documents of their own. Listing does
    not open the arrays. Each array opens by its name."""
    store = consolidated_store(tmp_path, ["g"], [f"g/a{i:05}" for i in range(10000)])
    root = zarr_mdim.open_group(store)
    assert root.GetGroupNames() == ["g"] and (root.GetMDArrayNames() or []) == []
    g = root.OpenGroup("g")
    assert g.GetMDArrayNames() == [f"a{i:05}" for i in range(10000)]
    array = g.OpenMDArray("a09999")
    assert array.ReadAsArray().tolist() == [[9999] * 6] * 4
    cpl.assert_quiet()


@zarr_formats.V2
def test_listing_does_not_open_arrays(tmp_path, cpl):
    """Listing does not read the metadata documents of arrays, so it succeeds even if the documents are not JSON."""
    store = group(tmp_path / "s.zarr")
    for i in range(50):
        handmade(store, "\0", files={}, path=f"a{i}")
    assert len(zarr_mdim.open_group(store).GetMDArrayNames()) == 50
    cpl.assert_quiet()


@pytest.mark.parametrize("consolidated", [False, True])
def test_depth(tmp_path, cpl, consolidated):
    """Groups open down to a depth of 64; deeper groups are refused."""
    paths = ["/".join(["g"] * depth) for depth in range(1, 81)]
    if consolidated:
        store = consolidated_store(tmp_path, paths)
    else:
        store = group(tmp_path / "s.zarr")
        for path in paths:
            group(store, path)
    node, depth = zarr_mdim.open_group(store), 0
    while node is not None and depth < 100:
        names = node.GetGroupNames() or []
        node = node.OpenGroup("g") if "g" in names else None
        depth += node is not None
    assert 60 <= depth <= 70
    assert len(cpl.errors) <= 1


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_a_group_inside_itself(tmp_path, cpl):
    """ResolveMDArray() ends, although a symbolic link makes the tree of groups endless."""
    store = group(tmp_path / "s.zarr")
    group(store, "g")
    handmade(store, path="g/a")
    os.symlink(store, pathlib.Path(store) / "g" / "loop", target_is_directory=True)
    root = zarr_mdim.open_group(store)
    assert root.ResolveMDArray("nothing", "") is None
    assert root.ResolveMDArray("a", "").GetFullName() == "/g/a"
    assert len(cpl.errors) <= 1


def test_objects_outlive_the_dataset(tmp_path):
    array = zarr_mdim.open_group(tree(tmp_path)).OpenGroup("g").OpenMDArray("a")
    dimension = array.GetDimensions()[0]
    zarr_gdal.assert_same(array.ReadAsArray(), DEM + np.int16(2))
    del array
    assert dimension.GetSize() == 3 and dimension.GetIndexingVariable() is None


@pytest.mark.parametrize("form, arrays, groups", [
    ('ZARR:"{}":/g/', ["a", "b"], ["h"]), ('ZARR:"{}":/g/a/', ["a"], []),
    ('ZARR:"{}/g"', ["a", "b"], ["h"]), ("{}/", ["top"], ["empty", "g", "with space"]),
    ("{}/.zgroup", ["top"], ["empty", "g", "with space"]), ("{}/g/a/.zarray", ["a"], []),
    ("ZARR:{}", ["top"], ["empty", "g", "with space"]),
])  # fmt: skip
def test_other_spellings_of_names(tmp_path, cpl, form, arrays, groups):
    root = zarr_mdim.open_group(zarr_formats.spelled(form).format(tree(tmp_path)))
    assert (root.GetMDArrayNames() or []) == arrays and (root.GetGroupNames() or []) == groups
    cpl.assert_quiet()


def test_names_without_a_store_are_refused(tmp_path, cpl):
    (tmp_path / "empty.zarr").mkdir()
    for name in ("empty.zarr", "nope.zarr"):
        assert gdal.OpenEx(f'ZARR:"{tmp_path / name}"', gdal.OF_MULTIDIM_RASTER) is None
        assert name in cpl.the_error()
        cpl.clear()


@zarr_formats.V2
def test_folders_that_are_no_groups(tmp_path, cpl):
    """A folder is a group only if it contains a node at some depth. A folder with only the document `.zattrs` is not a
    group."""
    store = make_store(tmp_path, {"a": np.zeros((2, 3))})
    for name in ("described", "deep/below", "plain", "implied"):
        (store / name).mkdir(parents=True)
    (store / "described/.zattrs").write_text("{}")
    (store / "deep/below/.zattrs").write_text("{}")
    (store / "plain/readme.txt").write_text("nothing")
    make_store(store / "implied", {"b": np.ones((2, 3))}, name="inner")
    root = zarr_mdim.open_group(store)
    assert root.GetGroupNames() == ["implied"]
    assert root.OpenGroup("plain") is None and root.OpenGroup("implied").GetGroupNames() == ["inner"]
    assert cpl.events == []


def test_a_folder_that_is_no_store(tmp_path, cpl):
    folder = tmp_path / "pictures"
    (folder / "2020" / "summer").mkdir(parents=True)
    (folder / "2020" / "a.tif").write_bytes(b"II*")
    for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
        assert gdal.OpenEx(f'ZARR:"{folder}"', flags) is None
        assert "not a Zarr store" in cpl.the_error()
        cpl.clear()


def test_bad_options(tmp_path, cpl):
    store = tree(tmp_path)
    options = ["NUM_THREADS=many"]
    assert gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, open_options=options) is None
    assert "NUM_THREADS" in cpl.the_error()


def test_options_of_rasters_do_not_matter(tmp_path, cpl):
    """DIM_X, DIM_Y and MULTIBAND have no effect, because callers of the multidimensional API choose the axes
    themselves."""
    values = np.arange(24, dtype="i2").reshape(2, 3, 4)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["z", "y", "x"]}})
    for options in (["DIM_X=0", "DIM_Y=2"], ["MULTIBAND=NO"], ["DIM_X=z", "DIM_Y=x"]):
        array = zarr_mdim.open_group(store, *options).OpenMDArray("a")
        kinds = [dimension.GetType() for dimension in array.GetDimensions()]
        assert kinds[1:] == ["HORIZONTAL_Y", "HORIZONTAL_X"]
        dataset = array.AsClassicDataset(2, 1)
        zarr_gdal.assert_same(zarr_gdal.read_all(dataset), values)
        dataset = array.AsClassicDataset(0, 2)
        zarr_gdal.assert_same(zarr_gdal.read_all(dataset), values.transpose(1, 2, 0).copy())
    assert cpl.errors == []


def test_a_dataset_for_reading_cannot_be_changed(tmp_path, cpl):
    """Each change of a dataset that is open for reading is an error. The store is unchanged."""
    store = tree(tmp_path)
    root = zarr_mdim.open_group(store)
    array = root.OpenMDArray("top")
    assert array.Write(DEM + 1) != gdal.CE_None
    assert root.CreateGroup("new") is None
    assert array.CreateAttribute("new", [], gdal.ExtendedDataType.CreateString()) is None
    assert len(cpl.errors) == 3
    zarr_gdal.assert_same(array.ReadAsArray(), DEM)
    assert not (store / "new").exists()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.slow
def test_closing_frees_memory(tmp_path):
    """Closing a dataset frees its memory, although its objects refer to each other."""
    attrs = {"note": "x" * 300000, "spatial:transform": [30, 0, 5e5, 0, -30, 5.2e6],
             "spatial:dimensions": ["y", "x"]}  # fmt: skip
    lat = {"values": np.arange(3.0), "dims": ["lat"], "attrs": {**attrs, "units": "degrees_north"}}
    store = make_store(tmp_path, {
        "a": {"values": DEM, "dims": ["y", "x"], "attrs": attrs},
        "b": {"values": DEM, "dims": ["lat", "x"], "attrs": {"coordinates": "lat"}}, "lat": lat,
    })  # fmt: skip

    def use():
        root = zarr_mdim.open_group(store)
        kept = [root.OpenMDArray(name) for name in ("a", "b", "lat")] + root.GetDimensions()
        for array in kept[:3]:
            kept += [dimension.GetIndexingVariable() for dimension in array.GetDimensions()]
            kept += [array.GetCoordinateVariables(), array.GetSpatialRef(), array.ReadAsArray()]
        kept.append(kept[0].AsClassicDataset(1, 0))

    def resident():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")

    for _ in range(20):
        use()
    before = resident()
    for _ in range(100):  # if attributes leaked, each run would take 0.3 megabytes more
        use()
    assert resident() - before < 15e6


def test_threads_open_and_georeference_arrays(tmp_path):
    """Many threads open arrays of one dataset, and read their dimensions, coordinates and CRS."""
    attrs = {"proj:code": "EPSG:32632"}
    lon = {"values": 5e5 + np.arange(4.0), "dims": ["x"]}
    lat = {"values": 5e6 - np.arange(3.0), "dims": ["y"]}
    arrays = {f"a{i}": {"values": DEM + i, "dims": ["y", "x"], "attrs": attrs} for i in range(8)}
    root = zarr_mdim.open_group(make_store(tmp_path, {**arrays, "x": lon, "y": lat}))

    def task(i):
        array = root.OpenMDArray(f"a{i % 8}")
        y, x = array.GetDimensions()
        assert x.GetIndexingVariable().ReadAsArray().tolist() == lon["values"].tolist()
        assert y.GetIndexingVariable().ReadAsArray().tolist() == lat["values"].tolist()
        assert array.GetSpatialRef().GetAuthorityCode(None) == "32632"
        return zarr_gdal.differences(array.ReadAsArray(), (DEM + i % 8).astype("i2"))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(task, range(200))) == {None}
