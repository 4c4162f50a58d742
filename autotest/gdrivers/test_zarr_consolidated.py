# SPDX-License-Identifier: MIT
"""If consolidated metadata is invalid or has no version, the driver warns once and reads each node's own metadata
documents."""

import json
import re

import numpy as np
import pytest
import zarr_formats
import zarr_mdim_write
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, read_all
from zarr_http import Served
from zarr_store import make_store, zip_folder

pytestmark = zarr_formats.BOTH

VALUES = np.arange(12, dtype="<i4").reshape(3, 4)
ARRAYS = {"dem": VALUES, "deep/slope": VALUES + 100}
TOLD = "(using the documents of the arrays and groups instead)"

BROKEN = {
    "cut off": (lambda text: text[: len(text) // 2], "JSON|end|object"),
    "empty": (lambda text: "", "object"),
    "a list": (lambda text: "[]", "object"),
    "another version": (
        lambda text: text.replace('"zarr_consolidated_format": 1', '"zarr_consolidated_format": 2'),
        "zarr_consolidated_format: expected 1, got 2",
    ),
    "no metadata": (lambda text: '{"zarr_consolidated_format": 1}', '"metadata" is missing'),
    "nothing": (lambda text: "{}", '"metadata" is missing'),
    "metadata a list": (lambda text: '{"metadata": []}', "expected an object"),
    "a key outside": (
        lambda text: text.replace('"dem/.zarray"', '"../dem/.zarray"'),
        '"../dem/.zarray" is not a valid key',
    ),
}

INLINE = {"kind": "inline", "must_understand": False}
# case of BROKEN -> (value of "consolidated_metadata" in the root's zarr.json, text in the warning)
BROKEN_INLINE = {
    "cut off": ("{", "an object"),
    "empty": ("", "an object"),
    "a list": ([], "expected an object, got []"),
    "another version": ({**INLINE, "kind": "file", "metadata": {}}, '"inline"'),
    "no metadata": (INLINE, '"metadata" is missing'),
    "nothing": ({}, 'expected "inline"'),
    "metadata a list": ({**INLINE, "metadata": []}, "expected an object, got []"),
    "a key outside": (
        {**INLINE, "metadata": {"../dem": {"zarr_format": 3, "node_type": "group"}}}, '"../dem',
    ),
}


def broken(case):
    """Returns (change, texts) for a case. change(text) breaks the consolidated metadata in the document `text`. The
    driver's warning must contain one of `texts`, which "|" separates."""
    if not zarr_formats.is_v3():
        return BROKEN[case]
    value, told = BROKEN_INLINE[case]
    return lambda text: json.dumps({**json.loads(text), "consolidated_metadata": value}), told


def store_with(tmp_path, change):
    store = make_store(tmp_path, ARRAYS, consolidated=True)
    document = zarr_formats.document_file(store, ".zmetadata")
    document.write_text(change(document.read_text()))
    return store


def opened(name, *options, flags=gdal.OF_RASTER):
    """Opens a dataset, and asserts that it opens. The tests themselves check messages with `cpl`."""
    dataset = gdal.OpenEx(str(name), flags, open_options=list(options))
    assert dataset is not None, gdal.GetLastErrorMsg()
    return dataset


def names(store):
    return sorted(name.rsplit(":", 1)[1] for name, _ in opened(store).GetSubDatasets())


@zarr_formats.V2
def test_a_missing_version_is_the_first_one(tmp_path, cpl):
    def change(text):
        document = json.loads(text)
        del document["zarr_consolidated_format"], document["metadata"]["dem/.zarray"]
        return json.dumps(document)

    store = store_with(tmp_path, change)
    # This consolidated metadata lists only the array /deep/slope, so the store opens as the raster of this array.
    np.testing.assert_array_equal(read_all(opened(store))[0], VALUES + 100)
    assert len(cpl.warnings) <= 1 and cpl.errors == [], cpl.events


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("kind", ["raster", "multidimensional"])
def test_broken_metadata_give_one_warning(tmp_path, cpl, case, kind):
    change, told = broken(case)
    store = store_with(tmp_path, change)
    if kind == "raster":
        assert names(store) == ["/deep/slope", "/dem"]
    else:
        root = opened(store, flags=gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        assert root.GetMDArrayNames() == ["dem"] and root.GetGroupNames() == ["deep"]
    assert cpl.errors == [] and len(cpl.warnings) == 1, cpl.events
    assert f"{store}: {zarr_formats.spelled('.zmetadata')}: " in cpl.warnings[0] and TOLD in cpl.warnings[0]
    assert any(part in cpl.warnings[0] for part in told.split("|")), cpl.events
    cpl.clear()
    for path, values in ARRAYS.items():
        np.testing.assert_array_equal(read_all(opened(array_name(store, path)))[0], values)
    assert len(cpl.warnings) == 2
    cpl.clear()
    assert opened(store, "USE_CONSOLIDATED_METADATA=NO") is not None
    cpl.assert_quiet()


def test_a_broken_entry_affects_only_its_array(tmp_path, cpl):
    store = store_with(tmp_path, lambda text: re.sub('"(<i4|int32)"', '"i9"', text, count=1))
    dataset = opened(store)
    np.testing.assert_array_equal(read_all(dataset)[0] % 100, VALUES)
    assert cpl.errors == [] and len(cpl.warnings) == 1 and "i9" in cpl.warnings[0]


@pytest.mark.parametrize("case", BROKEN)
def test_update_mode_rewrites_consolidated_metadata(tmp_path, cpl, case):
    store = store_with(tmp_path, broken(case)[0])
    dataset = gdal.OpenEx(array_name(store, "dem"), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).SetUnitType("m")
    dataset = None
    group = zarr.open_consolidated(str(store), mode="r")
    assert group["dem"].attrs["units"] == "m"
    np.testing.assert_array_equal(group["deep/slope"][...], ARRAYS["deep/slope"])
    cpl.assert_quiet()
    assert names(store) == ["/deep/slope", "/dem"]
    cpl.assert_quiet()


def test_the_multidimensional_api_rewrites_consolidated_metadata(tmp_path, cpl):
    store = store_with(tmp_path, broken("cut off")[0])
    dataset = zarr_mdim_write.update(store)
    dataset.GetRootGroup().CreateGroup("more")
    del dataset
    assert sorted(zarr.open_consolidated(str(store), mode="r").group_keys()) == ["deep", "more"]
    cpl.assert_quiet()


def test_broken_metadata_in_a_zip_file(tmp_path, cpl):
    store = store_with(tmp_path, broken("cut off")[0])
    assert names(zip_folder(store, tmp_path / "s.zarr.zip")) == ["/deep/slope", "/dem"]
    assert cpl.errors == [] and len(cpl.warnings) == 1


@zarr_formats.V2
def test_broken_metadata_without_other_documents(tmp_path, cpl):
    """An error about the consolidated metadata is reported, because the store has no other metadata documents."""
    store = tmp_path / "s.zarr"
    store.mkdir()
    (store / ".zmetadata").write_text("{")
    assert gdal.Open(str(store)) is None
    assert ".zmetadata: " in cpl.the_error() and cpl.warnings == []


def test_broken_metadata_on_a_server(tmp_path, cpl):
    """On a web server, a store with broken consolidated metadata opens by the path of an array. Its root does not open,
    because the server returns no listing."""
    store = store_with(tmp_path, broken("cut off")[0])
    with Served(tmp_path) as server:
        dataset = opened(f'ZARR:"{server.url}/{store.name}":/dem')
        np.testing.assert_array_equal(read_all(dataset)[0], VALUES)
        assert cpl.errors == [] and len(cpl.warnings) == 1 and TOLD in cpl.warnings[0]
        cpl.clear()
        for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
            assert gdal.OpenEx(f"{server.url}/{store.name}", flags) is None
            assert f"{zarr_formats.spelled('.zmetadata')}: " in cpl.the_error() and cpl.warnings == []
            cpl.clear()
