# SPDX-License-Identifier: MIT
"""Tests that run in Zarr v3 really use v3. zarr-python 3 reads what zarr_python.py writes, and vice versa.
ZARR_DEFAULT_FORMAT sets the format that the driver writes."""

import tempfile

import numcodecs
import numpy as np
import pytest
import zarr2
import zarr3
import zarr3_arrays
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import config_options, error_log, open_raster
from zarr_store import handmade, make_store
from zarr_tools import temporary

V3 = pytest.mark.formats(3)
VALUES = np.arange(9 * 14).reshape(9, 14) % 97
ATTRS = {"units": "m", "_FillValue": -5}
# name -> arguments of create_dataset()
ARRAYS = {
    **{t: {"values": VALUES.astype(t)} for t in ("u1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8")},
    "bool": {"values": VALUES % 2 == 0},
    "complex": {"values": VALUES.astype("c8"), "fill_value": 1 + 2j},
    "text": {"values": VALUES.astype("U2")},
    "bytes": {"values": VALUES.astype("S2")},
    "times": {"values": VALUES.astype("M8[h]")},
    "strings": {"values": VALUES.astype(str).astype(object), "dtype": str},
    "order F": {"values": VALUES, "order": "F", "chunks": (4, 5)},
    "nested keys": {"values": VALUES, "dimension_separator": "/", "chunks": (4, 5)},
    "nodata": {"values": VALUES.astype("f4"), "fill_value": np.nan, "attrs": ATTRS},
    "names": {"values": VALUES, "dims": ["y", "x"], "fill_value": 7},
    "zlib": {"values": VALUES, "compressor": numcodecs.Zlib(3)},
    "none": {"values": VALUES, "compressor": None},
    "delta": {"values": VALUES, "filters": [numcodecs.Delta("<i8")], "compressor": numcodecs.Zlib(1)},
    "shuffle": {"values": VALUES, "filters": [numcodecs.Shuffle(8)]},
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory, zarr_format):
    """Writes each array of ARRAYS to a v3 store by zarr_python.py. Returns {name: (array, nodes of the store)}, as
    zarr-python 3 reads them."""
    folder = tmp_path_factory.mktemp("formats")
    found = {}
    for i, (name, item) in enumerate(ARRAYS.items()):
        store = make_store(folder, {"g/a": item}, {"title": name}, f"{i}.zarr", consolidated=True)
        found[name] = zarr3_arrays.read(store, "g/a"), zarr3_arrays.tree(store, consolidated=True)
    return found


@V3
@pytest.mark.parametrize("name", ARRAYS)
def test_zarr_python_reads_what_the_tests_write(written, name):
    array, tree = written[name]
    item = ARRAYS[name]
    assert array.values.tolist() == item["values"].tolist()
    assert array.document["zarr_format"] == 3 and not list(array.store.rglob(".z*"))
    assert array.dimension_names == (tuple(item["dims"]) if "dims" in item else None) or list(
        array.dimension_names
    ) == item["dims"]
    assert tree[""]["attributes"] == {"title": name}
    assert tree["g/a"]["shape"] == [9, 14]
    is_nodata_of_zero = item.get("fill_value") == 0 and "_FillValue" not in item.get("attrs", {})
    assert array.attributes.get("gdal_has_nodata") == (1 if is_nodata_of_zero else None)
    again = zarr.open_consolidated(str(array.store), mode="r")["g/a"]
    np.testing.assert_array_equal(again[...], item["values"])
    assert dict(again.attrs).get("_FillValue") == item.get("attrs", {}).get("_FillValue")


@V3
def test_the_tests_read_what_zarr_python_writes(tmp_path):
    sharded = zarr3.document(
        (9, 14), "int16", (8, 10), [zarr3.sharding((4, 5), [zarr3.LITTLE, zarr3.gzip()])]
    )
    zarr3_arrays.group(tmp_path / "s.zarr", "", {"a": 1})
    zarr3_arrays.array(tmp_path / "s.zarr", "g/shards", sharded, VALUES.astype("i2"))
    group = zarr.open_group(str(tmp_path / "s.zarr"), mode="r")
    assert dict(group.attrs) == {"a": 1}
    assert group["g/shards"].chunks == (4, 5)
    np.testing.assert_array_equal(group["g/shards"][...], VALUES)
    assert zarr_formats.chunk_key(tmp_path / "s.zarr", "g/shards", 2, 1) == "g/shards/c/1/0"


@zarr_formats.BOTH
def test_handmade_stores_are_of_the_format(tmp_path, zarr_format):
    store = handmade(tmp_path / "h.zarr", order="F", attrs={"units": "m"})
    assert open_raster(store).GetMetadataItem("ZARR_FORMAT", "ZARR") == str(zarr_format)
    assert zarr_formats.document_file(store, ".zattrs").exists()
    assert zarr_formats.chunk_file(store, "", 1, 0).exists()
    assert zarr_formats.attributes(store) == {"units": "m"}


# ---------------------------------------------------------------------------------------------
# Configuration option ZARR_DEFAULT_FORMAT


@zarr_formats.BOTH
@pytest.mark.parametrize("stated", [None, 2, 3])
def test_new_stores_have_the_default_format_unless_they_say_another(tmp_path, zarr_format, stated):
    options = [f"FORMAT=ZARR_V{stated}"] if stated else []
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    driver = gdal.GetDriverByName("Zarr")
    made = [
        driver.Create(str(tmp_path / "0.zarr"), 4, 3, options=options),
        driver.CreateCopy(str(tmp_path / "1.zarr"), source, options=options),
        driver.CreateMultiDimensional(str(tmp_path / "2.zarr"), [], options),
    ]
    assert None not in made
    del made
    found = {3 if (tmp_path / f"{i}.zarr/zarr.json").exists() else 2 for i in range(3)}
    assert found == {stated or zarr_format}


@zarr_formats.V2
def test_an_array_added_to_a_store_has_its_format(tmp_path, cpl):
    driver, store = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr"
    driver.Create(str(store), 4, 3, options=["ARRAY_NAME=a"])
    with config_options(ZARR_DEFAULT_FORMAT="ZARR_V3"):
        added = driver.Create(str(store), 4, 3, options=["ARRAY_NAME=b", "APPEND_SUBDATASET=YES"])
        assert added is not None
        del added
    assert (store / "b/.zarray").exists() and not list(store.rglob("zarr.json"))
    cpl.assert_quiet()


def test_an_invalid_default_format_is_refused(tmp_path):
    driver = gdal.GetDriverByName("Zarr")
    with config_options(ZARR_DEFAULT_FORMAT="ZARR_V9"), error_log() as log:
        assert driver.Create(str(tmp_path / "a.zarr"), 4, 3) is None
        assert driver.CreateMultiDimensional(str(tmp_path / "b.zarr")) is None
    assert len(log.errors) == 2
    for text in log.errors:
        assert "ZARR_DEFAULT_FORMAT: expected ZARR_V2 or ZARR_V3" in text and "ZARR_V9" in text
    assert list(tmp_path.iterdir()) == []


# Paths that must be refused, because tests may overwrite only stores in temporary folders of their own. The last two
# are the temporary folder itself, and a path below a symbolic link.
NOT_OWN = ["/", "a.zarr", "/a.zarr", "/tmp/../a.zarr", "/nowhere/a.zarr", tempfile.gettempdir(), "link/a.zarr"]


@pytest.mark.parametrize("store", NOT_OWN)
def test_only_folders_that_a_test_owns_are_overwritten(tmp_path, store, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if store.startswith("link/"):
        (tmp_path / "link").symlink_to("/nowhere")
        store = str(tmp_path / store)
    with pytest.raises(AssertionError, match="refuses the store"):
        zarr2.call("read", store)
    with pytest.raises(ValueError, match="refuses the store"):
        temporary(store)
    assert temporary(tmp_path / "a.zarr") == tmp_path / "a.zarr"


@zarr_formats.BOTH
def test_zarr_python_overwrites_only_folders_that_a_test_owns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for store in ("a.zarr", "/nowhere/a.zarr", zarr.LocalStore("/nowhere/a.zarr")):
        for make in (lambda: zarr.open_group(store, mode="w"), lambda: zarr.save_array(store, VALUES)):
            with pytest.raises(ValueError, match="refuses the store"):
                make()
    assert list(tmp_path.iterdir()) == []
