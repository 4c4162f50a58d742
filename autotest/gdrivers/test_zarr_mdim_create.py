# SPDX-License-Identifier: MIT
"""Creates multidimensional datasets: paths where this is allowed, properties of dimensions, the time when changes are
stored, and errors of writing."""

import os
import pathlib
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_mdim_write as w
import zarr_python as zarr
from osgeo import gdal, osr
from test_zarr_mdim_edit import assert_consolidated
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

X, Y = (gdal.DIM_TYPE_HORIZONTAL_X, "EAST"), (gdal.DIM_TYPE_HORIZONTAL_Y, "NORTH")
Z, T = (gdal.DIM_TYPE_VERTICAL, "UP"), (gdal.DIM_TYPE_TEMPORAL, "FUTURE")


# Files of an empty store in Zarr v2, and in Zarr v3
EMPTY = [[".zgroup", ".zmetadata"], ["zarr.json"]]


def contents(folder):
    folder = pathlib.Path(folder)
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_driver():
    driver = gdal.GetDriverByName("Zarr")
    assert driver.GetMetadataItem("DCAP_CREATE_MULTIDIMENSIONAL") == "YES"
    listed = {}
    for kind in ("DATASET", "ARRAY"):
        text = driver.GetMetadataItem(f"DMD_MULTIDIM_{kind}_CREATIONOPTIONLIST")
        listed[kind] = {option.get("name") for option in ET.fromstring(text)}
    assert listed["DATASET"] == {
        "FORMAT", "CREATE_CONSOLIDATED_METADATA", "SYNCHRONIZER", "LOCK_TIMEOUT", "REQUIRE_LOCK",
        "CONVERT_TO_KERCHUNK_JSON", "CONVERT_TO_KERCHUNK_PARQUET_REFERENCE",
    }  # fmt: skip
    assert {"COMPRESS", "BLOCKSIZE", "STRING_FORMAT", "FILTER", "DIM_SEPARATOR"} <= listed["ARRAY"]


def test_empty(tmp_path, cpl):
    store = tmp_path / "e.zarr"
    dataset = w.create(store)
    group = dataset.GetRootGroup()
    assert not group.GetMDArrayNames() and not group.GetGroupNames() and not group.GetDimensions()
    del group, dataset
    cpl.assert_quiet()
    assert sorted(contents(store)) == EMPTY[zarr_formats.is_v3()]
    assert list(zarr.open_consolidated(str(store)).keys()) == []
    assert not zarr_mdim.open_group(store).GetMDArrayNames()


def test_an_old_store_is_replaced(tmp_path):
    store = make_store(tmp_path, {"v": np.zeros(2)})
    dataset = w.create(store)
    del dataset
    assert sorted(contents(store)) == EMPTY[zarr_formats.is_v3()]
    assert [p.name for p in tmp_path.iterdir()] == ["store.zarr"]


@pytest.mark.parametrize("what", ["file", "folder", "store with a file", "file in a group"])
def test_other_files_are_not_replaced(tmp_path, cpl, what):
    """Creating a dataset at a path that exists and is not a store is an error. All files stay."""
    store = tmp_path / "s.zarr"
    if what == "file":
        store.write_text("a text")
    else:
        if what == "folder":
            store.mkdir()
        else:
            make_store(tmp_path, {"g/v": np.zeros(2)}, name="s.zarr")
        (store / ("g" if what == "file in a group" else ".") / "notes.txt").write_text("a text")
    before = contents(tmp_path)
    driver = gdal.GetDriverByName("Zarr")
    assert driver.CreateMultiDimensional(str(store)) is None
    assert "s.zarr" in cpl.the_error() and "overwritten" in cpl.the_error()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("option", ["FORMAT=ZARR_V1"])
def test_options_that_are_refused(tmp_path, cpl, option):
    driver = gdal.GetDriverByName("Zarr")
    assert driver.CreateMultiDimensional(str(tmp_path / "s.zarr"), [], [option]) is None
    assert option.split("=")[1] in cpl.the_error()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [
    "COMPRESS=RAR", "BLOCKSIZE=0,1", "BLOCKSIZE=1,2,3", "BLOCKSIZE=a,b", "CHUNK_MEMORY_LAYOUT=X",
    "DIM_SEPARATOR=-", "STRING_FORMAT=EBCDIC", "ZSTD_LEVEL=high COMPRESS=ZSTD", "FILTER=NOISE",
])  # fmt: skip
def test_options_of_arrays_that_are_refused(tmp_path, cpl, option):
    dataset = w.create(tmp_path / "s.zarr")
    group = dataset.GetRootGroup()
    kind = w.number(gdal.GDT_Int16)
    assert group.CreateMDArray("v", w.dimensions(group, [2, 3]), kind, option.split()) is None
    assert option.split("=")[0] in cpl.the_error() and "s.zarr: /v" in cpl.the_error()
    assert not group.GetMDArrayNames() and not (tmp_path / "s.zarr/v").exists()


@pytest.mark.parametrize("kind, cause", [
    (w.number(gdal.GDT_CInt16), "CInt16"), (w.number(gdal.GDT_CInt32), "CInt32"),
    (w.compound([("a", w.TEXT)]), "length"),
    (w.compound([("a", w.number(gdal.GDT_Byte)), ("a", w.number(gdal.GDT_Byte))]), "a"),
])  # fmt: skip
def test_types_that_are_refused(tmp_path, cpl, kind, cause):
    group = w.create(tmp_path / "s.zarr").GetRootGroup()
    assert group.CreateMDArray("v", [], kind) is None
    assert cause in cpl.the_error() and "/v" in cpl.the_error()


# ---------------------------------------------------------------------------------------------
# Dimensions and their indexing variables


@pytest.mark.parametrize("name, kind, hint", [
    ("x", X, {}), ("lat", Y, {}), ("time", T, {}), ("level", Z, {"positive": "up"}),
    ("east", X, {"axis": "X"}), ("row", Y, {"axis": "Y"}), ("when", T, {"axis": "T"}),
    ("altitude", Z, {"axis": "Z", "positive": "up"}), ("x", Y, {"axis": "Y"}), ("any", ("", ""), {}),
])  # fmt: skip
def test_kind_of_a_dimension(tmp_path, cpl, name, kind, hint):
    """A dimension keeps the type and the direction with which it was created. Attributes state type and direction only
    if the name of the dimension does not imply them."""
    dataset = w.create(tmp_path / "d.zarr")
    group = dataset.GetRootGroup()
    dimension = group.CreateDimension(name, *kind, 4)
    variable = group.CreateMDArray(name, [dimension], w.number(gdal.GDT_Float64))
    variable.Write(np.arange(4.0))
    assert dimension.SetIndexingVariable(variable)
    assert zarr_mdim.is_same(dimension.GetIndexingVariable(), variable)
    assert zarr_mdim.is_same(variable.GetDimensions()[0], dimension)
    del dataset, group, dimension, variable
    cpl.assert_quiet()
    attributes = zarr_formats.attributes(tmp_path / "d.zarr", name)
    assert attributes == {"_ARRAY_DIMENSIONS": [name], **hint}
    assert_consolidated(tmp_path / "d.zarr")
    group = zarr_mdim.open_group(tmp_path / "d.zarr")
    (read,) = group.GetDimensions()
    assert (read.GetName(), read.GetType(), read.GetDirection(), read.GetSize()) == (name, *kind, 4)
    assert read.GetIndexingVariable().GetName() == name


@pytest.mark.parametrize("attribute, value", [
    ("axis", "Y"), ("standard_name", "latitude"), ("units", "degrees_north"),
])  # fmt: skip
def test_attributes_that_describe_a_dimension_are_kept(tmp_path, attribute, value):
    dataset = w.create(tmp_path / "d.zarr")
    group = dataset.GetRootGroup()
    dimension = group.CreateDimension("east", *X, 4)
    variable = group.CreateMDArray("east", [dimension], w.number(gdal.GDT_Float64))
    variable.CreateAttribute(attribute, [], w.TEXT).Write(value)
    del dataset, group, dimension, variable
    attributes = zarr_formats.attributes(tmp_path / "d.zarr", "east")
    assert attributes == {"_ARRAY_DIMENSIONS": ["east"], attribute: value}


def test_dimensions_of_groups(tmp_path, cpl):
    """An array in a subgroup can use dimensions of its parent groups. A dimension that no array uses exists only in the
    open dataset, and is not stored."""
    dataset = w.create(tmp_path / "d.zarr")
    root = dataset.GetRootGroup()
    root.CreateDimension("x", *X, 4)
    assert [d.GetFullName() for d in root.GetDimensions()] == ["/x"]
    inner = root.CreateGroup("g").CreateGroup("h")
    x = root.GetDimensions()[0]
    y = inner.CreateDimension("y", *Y, 3)
    assert y.GetFullName() == "/g/h/y"
    array = inner.CreateMDArray("v", [y, x, x], w.number(gdal.GDT_Byte))
    assert [d.GetFullName() for d in array.GetDimensions()] == ["/g/h/y", "/x", "/x"]
    root.CreateMDArray("x", [x], w.number(gdal.GDT_Byte)).Write(np.arange(4, dtype="u1"))
    del array
    array = inner.OpenMDArray("v")
    assert zarr_mdim.is_same(array.GetDimensions()[1], x)
    assert array.GetDimensions()[1].GetIndexingVariable().GetFullName() == "/x"
    del dataset, root, inner, x, y, array
    cpl.assert_quiet()
    array = zarr_mdim.open_array(tmp_path / "d.zarr", "g/h/v")
    assert [d.GetFullName() for d in array.GetDimensions()] == ["/g/h/y", "/x", "/x"]


def test_dimensions_that_are_refused(tmp_path, cpl):
    dataset = w.create(tmp_path / "d.zarr")
    root = dataset.GetRootGroup()
    x = root.CreateDimension("x", *X, 4)
    assert root.CreateDimension("x", *X, 5) is None and "already" in cpl.errors[-1]
    inner = root.CreateGroup("g")
    other = inner.CreateDimension("x", *X, 5)
    assert inner.CreateMDArray("v", [x, other], w.number(gdal.GDT_Byte)) is None
    assert "two dimensions" in cpl.errors[-1]
    assert root.CreateMDArray("v", [x] * 33, w.number(gdal.GDT_Byte)) is None
    assert "33" in cpl.errors[-1]
    assert len(cpl.errors) == 3


def test_indexing_variables(tmp_path, cpl):
    """A dimension's indexing variable is stored only if it has the name of the dimension. SetIndexingVariable() with
    another array gives a warning, and takes effect only until the dataset is closed."""
    dataset = w.create(tmp_path / "d.zarr")
    root = dataset.GetRootGroup()
    x, y = root.CreateDimension("x", *X, 4), root.CreateDimension("y", *Y, 3)
    kind = w.number(gdal.GDT_Byte)
    lon, table = root.CreateMDArray("lon", [x], kind), root.CreateMDArray("table", [y, x], kind)
    assert x.GetIndexingVariable() is None
    assert x.SetIndexingVariable(lon)
    assert zarr_mdim.is_same(x.GetIndexingVariable(), lon)
    assert len(cpl.warnings) == 1 and "/lon" in cpl.warnings[0]
    for wrong in (table, root.CreateMDArray("lat", [y], kind),
                  w.create(tmp_path / "o.zarr").GetRootGroup().CreateMDArray("s", [], kind)):  # fmt: skip
        assert not x.SetIndexingVariable(wrong)
    assert len(cpl.errors) == 3
    assert x.SetIndexingVariable(None) and x.GetIndexingVariable() is None


def test_dimensions_of_another_dataset(tmp_path, cpl):
    memory = gdal.GetDriverByName("MEM").CreateMultiDimensional("memory").GetRootGroup()
    x = memory.CreateDimension("x", *X, 4)
    dataset = w.create(tmp_path / "d.zarr")
    root = dataset.GetRootGroup()
    arrays = [root.CreateMDArray(name, [x], w.number(gdal.GDT_Byte)) for name in "vw"]
    first, second = (array.GetDimensions()[0] for array in arrays)
    assert zarr_mdim.is_same(first, second) and not zarr_mdim.is_same(first, x)
    assert (first.GetFullName(), first.GetSize(), first.GetType()) == ("/x", 4, X[0])
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# When changes are stored


def test_consolidated_metadata_are_never_stale(tmp_path, cpl):
    """The driver removes the consolidated metadata before it first changes a metadata document. If the store had
    consolidated metadata, closing the dataset writes it again."""
    for consolidated in (False, True):
        folder = tmp_path / str(consolidated)
        folder.mkdir()
        store = make_store(folder, {"v": {"values": np.arange(6), "dims": ["x"]}},
                           consolidated=consolidated)  # fmt: skip
        dataset = w.update(store)
        root = dataset.GetRootGroup()
        array = root.OpenMDArray("v")
        array.Write(np.arange(6)[::-1].copy())
        dataset.FlushCache()
        # Writing chunks does not change the metadata.
        assert (zarr_formats.consolidated(store) is not None) == consolidated
        array.SetUnit("m")
        dataset.FlushCache()
        assert not (zarr_formats.consolidated(store) is not None)
        root.CreateGroup("g")
        del dataset
        assert (zarr_formats.consolidated(store) is not None) == consolidated
        assert_consolidated(store)
        root.CreateMDArray("w", array.GetDimensions(), w.number(gdal.GDT_Byte))
        assert not (zarr_formats.consolidated(store) is not None)
        del root, array
        assert (zarr_formats.consolidated(store) is not None) == consolidated
        assert_consolidated(store)
        assert xr.open_zarr(str(store), consolidated=consolidated).v.attrs == {"units": "m"}
    cpl.assert_quiet()


def test_update_that_changes_nothing(tmp_path, cpl):
    store = make_store(tmp_path, {"v": {"values": np.arange(6), "dims": ["x"]}}, consolidated=True)
    before = {f: f.stat().st_mtime_ns for f in store.rglob("*")}
    dataset = w.update(store)
    root = dataset.GetRootGroup()
    array = root.OpenMDArray("v")
    assert array.ReadAsArray().tolist() == list(range(6)) and array.GetUnit() == ""
    assert [d.GetName() for d in root.GetDimensions()] == ["x"] and array.GetAttributes() == []
    del dataset, root, array
    cpl.assert_quiet()
    assert {f: f.stat().st_mtime_ns for f in store.rglob("*")} == before


def test_values_written_by_one_handle_are_read_by_another(tmp_path):
    """Values that one dataset writes are read by a classic dataset of the array, and by a second multidimensional
    dataset."""
    store = make_store(tmp_path, {"v": {"values": np.zeros((6, 6), "i4"), "dims": ["y", "x"],
                                        "chunks": (4, 4)}})  # fmt: skip
    dataset = w.update(store)
    array = dataset.GetRootGroup().OpenMDArray("v")
    array.Write(np.full((2, 2), 5, "i4"), [1, 1], [2, 2])
    wanted = np.zeros((6, 6), "i4")
    wanted[1:3, 1:3] = 5
    np.testing.assert_array_equal(array.AsClassicDataset(1, 0).ReadAsArray(), wanted)
    np.testing.assert_array_equal(zarr_mdim.open_array(store, "v").ReadAsArray(), wanted)
    dataset.FlushCache()
    np.testing.assert_array_equal(zarr.open_group(str(store), mode="r")["v"], wanted)


def test_reading_only(tmp_path, cpl):
    """Any change of a dataset that is open for reading is an error."""
    store = make_store(tmp_path, {"v": {"values": np.zeros(3), "dims": ["x"]}})
    before = contents(store)
    root = zarr_mdim.open_group(store)
    array = root.OpenMDArray("v")
    kind = w.number(gdal.GDT_Byte)
    assert root.CreateGroup("g") is None
    assert root.CreateDimension("d", "", "", 3) is None
    assert root.CreateMDArray("w", array.GetDimensions(), kind) is None
    assert array.Write(np.ones(3)) != 0
    assert array.SetUnit("m") != 0 and array.SetScale(2) != 0 and array.SetOffset(2) != 0
    assert array.SetNoDataValueDouble(2) != 0
    assert not array.GetDimensions()[0].SetIndexingVariable(array)
    assert len(cpl.errors) == 9
    assert all("not open in update mode" in text and "store.zarr" in text for text in cpl.errors)
    assert contents(store) == before


_CHILD = """
    import os, sys
    from osgeo import gdal
    import numpy as np
    gdal.AllRegister()
    if os.geteuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
    store, what = sys.argv[1:]
    messages = []
    gdal.PushErrorHandler(lambda kind, number, text: messages.append(text))
    gdal.SetErrorHandler(lambda kind, number, text: messages.append(text))
    flags = gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE
    if what == "create":
        print(gdal.GetDriverByName("Zarr").CreateMultiDimensional(store) is None)
    else:
        dataset = gdal.OpenEx(store, flags)
        root = dataset.GetRootGroup()
        array = root.OpenMDArray("v")
        if what == "group":
            print(root.CreateGroup("g") is None)
        if what == "chunk":
            print(array.Write(np.ones(6, "i4")) != 0)
        if what == "part of a chunk":
            array.Write(np.ones(2, "i4"), [1], [2])
        if what == "attribute":
            array.SetUnit("m")
        if what == "nodata":
            array.SetNoDataValueDouble(3)
        del array, root, dataset
    print(chr(10).join(messages))
"""


@pytest.mark.parametrize("what, key", [
    ("create", "s.zarr"), ("group", "g/.zgroup"), ("chunk", "v/0"), ("part of a chunk", "v/0"),
    ("attribute", "v/.zattrs"), ("nodata", "v/.zattrs"),
])  # fmt: skip
def test_a_folder_that_cannot_be_written(public_folder, what, key):
    """In a folder without write permission, writing or closing gives an error that names the store and the key. All
    files stay unchanged."""
    values = np.arange(6, dtype="i4")
    store = make_store(public_folder, {"v": {"values": values, "chunks": (3,)}}, name="s.zarr")
    key = zarr_formats.chunk_key(store, "v", 0) if key == "v/0" else zarr_formats.spelled(key)
    if what == "create":
        store = public_folder / "sub" / "s.zarr"
        store.parent.mkdir()
    for path in [*public_folder.rglob("*"), public_folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = contents(public_folder)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_CHILD), str(store), what], capture_output=True,
        text=True, check=False, env={**os.environ, "GDAL_PAM_ENABLED": "NO"},
    )  # fmt: skip
    for path in [*public_folder.rglob("*"), public_folder]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert done.returncode == 0, done.stderr
    assert key in done.stdout and str(store) in done.stdout, done.stdout
    if what in ("create", "group", "chunk"):
        assert done.stdout.startswith("True"), done.stdout
    assert contents(public_folder) == before


def test_a_cancelled_copy_changes_nothing(tmp_path):
    """A cancelled copy to the path of an existing store leaves this store unchanged."""
    source = make_store(tmp_path, {"v": {"values": np.zeros((99, 99)), "dims": ["y", "x"]}})
    target = make_store(tmp_path, {"old": np.arange(3)}, name="target.zarr")
    before = contents(target)
    with zarr_gdal.error_log():
        copied = gdal.MultiDimTranslate(str(target), str(source), format="Zarr", callback=lambda *_: 0)
    assert copied is None
    assert contents(target) == before
    fresh = tmp_path / "fresh.zarr"
    with zarr_gdal.error_log():
        copied = gdal.MultiDimTranslate(str(fresh), str(source), format="Zarr", callback=lambda *_: 0)
    assert copied is None and not fresh.exists()


def test_in_memory(cpl):
    dataset = w.create("/vsimem/mdim/m.zarr")
    group = dataset.GetRootGroup().CreateGroup("g")
    array = group.CreateMDArray("v", w.dimensions(group, [3]), w.number(gdal.GDT_Int32))
    array.Write(np.arange(3, dtype="i4"))
    del dataset, group, array
    assert zarr_mdim.open_array("/vsimem/mdim/m.zarr", "g/v").ReadAsArray().tolist() == [0, 1, 2]
    gdal.RmdirRecursive("/vsimem/mdim")
    cpl.assert_quiet()


@zarr_formats.V2  # in GDAL 3.6 the built-in driver reads only a draft of Zarr v3
def test_the_built_in_driver_reads_new_datasets(tmp_path):
    dataset = w.create(tmp_path / "b.zarr")
    root = dataset.GetRootGroup()
    x = root.CreateDimension("x", *X, 6)
    kind = w.compound([("a", w.number(gdal.GDT_Int16)), ("b", w.number(gdal.GDT_Float64))])
    numbers = np.arange(6)
    for name, code in (("i", gdal.GDT_Int32), ("f", gdal.GDT_Float64), ("x", gdal.GDT_UInt16)):
        array = root.CreateMDArray(name, [x], w.number(code), ["BLOCKSIZE=4"])
        array.Write(numbers.astype(w.DTYPES[code]))
    array = root.CreateMDArray("s", [x], kind)
    w.write(array, {"a": numbers.astype("i2"), "b": numbers / 2})
    array = root.CreateMDArray("t", [x], gdal.ExtendedDataType.CreateString(3))
    w.write(array, {"": np.array([b"a", b"bb", b"ccc", b"", b"d", b"e"], object)})
    array.CreateAttribute("n", [2], w.number(gdal.GDT_Float64)).Write([1.5, 2.5])
    del dataset, root, x, array
    opened = gdal.OpenEx(str(tmp_path / "b.zarr"), gdal.OF_MULTIDIM_RASTER,
                         allowed_drivers=["ZarrBuiltin"])  # fmt: skip
    root = opened.GetRootGroup()
    for name in "ifx":
        np.testing.assert_array_equal(root.OpenMDArray(name).ReadAsArray(), numbers)
        assert root.OpenMDArray(name).GetDimensions()[0].GetName() == "x"
    got = zarr_mdim.read(root.OpenMDArray("s"))
    w.assert_leaves(got, {"a": numbers.astype("i2"), "b": numbers / 2})
    texts = root.OpenMDArray("t")
    assert zarr_mdim.read(texts)[""].tolist() == [b"a", b"bb", b"ccc", b"", b"d", b"e"]
    assert list(texts.GetAttribute("n").Read()) == [1.5, 2.5]


def test_an_attribute_that_is_never_written_is_stored(tmp_path, cpl):
    """An attribute that is created but not written is stored with zeros, as by GDAL's built-in driver."""
    store = str(tmp_path / "a.zarr")
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(store)
    root = dataset.GetRootGroup()
    group = root.CreateGroup("g")
    array = group.CreateMDArray("v", [], gdal.ExtendedDataType.Create(gdal.GDT_Byte))
    for node in (group, array):
        node.CreateAttribute("n", [], w.number(gdal.GDT_Byte))
        node.CreateAttribute("list", [2], w.number(gdal.GDT_Float64))
        node.CreateAttribute("s", [], gdal.ExtendedDataType.CreateString())
        node.CreateAttribute("units", [], gdal.ExtendedDataType.CreateString())
    del node, array, group, root, dataset
    group = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenGroup("g")
    for node in (group, group.OpenMDArray("v")):
        read = {a.GetName(): a.Read() for a in node.GetAttributes()}
        assert {name: read[name] for name in ("n", "list", "s")} == {"n": 0, "list": (0, 0), "s": ""}
    assert group.OpenMDArray("v").GetUnit() == ""
    cpl.assert_quiet()


@pytest.mark.parametrize("convention,written", [
    (None, {"grid_mapping", "coordinates"}), ("GDAL", {"_CRS"}), ("CF", {"grid_mapping"}),
    ("SPATIAL_PROJ", {"proj:code", "proj:wkt2", "zarr_conventions"})])  # fmt: skip
def test_a_crs_is_written_in_the_chosen_convention(tmp_path, convention, written):
    store = str(tmp_path / "c.zarr")
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(store)
    root = dataset.GetRootGroup()
    dimensions = [root.CreateDimension(name, None, None, 4) for name in ("y", "x")]
    options = [f"GEOREFERENCING_CONVENTION={convention}"] if convention else []
    array = root.CreateMDArray("v", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Byte), options)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    assert array.SetSpatialRef(srs) in (0, None)
    assert array.GetSpatialRef().GetAuthorityCode(None) == "32632"
    del array, dimensions, root, dataset
    attributes = zarr.open_consolidated(store, mode="r")["v"].attrs.asdict()
    assert set(attributes) - {"_ARRAY_DIMENSIONS"} == written
    dataset = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    root = dataset.GetRootGroup()
    array = root.OpenMDArray("v")
    assert array.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert ("spatial_ref" in root.GetMDArrayNames()) == (convention in (None, "CF"))
    array.SetSpatialRef(None)
    del array, root, dataset
    dataset = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER)
    left = zarr.open_consolidated(store, mode="r")["v"].attrs.asdict()
    assert set(left) == {"_ARRAY_DIMENSIONS"}


def test_an_unknown_convention_is_refused(tmp_path, cpl):
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(tmp_path / "c.zarr"))
    root = dataset.GetRootGroup()
    dimension = root.CreateDimension("x", None, None, 4)
    assert root.CreateMDArray("v", [dimension], gdal.ExtendedDataType.Create(gdal.GDT_Byte),
                              ["GEOREFERENCING_CONVENTION=ISO"]) is None  # fmt: skip
    assert "GEOREFERENCING_CONVENTION" in cpl.the_error()
    assert not root.GetMDArrayNames()
