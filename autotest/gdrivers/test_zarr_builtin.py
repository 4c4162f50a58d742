# SPDX-License-Identifier: MIT
"""This driver opens each dataset name that GDAL's built-in Zarr driver opens. The order in which GDAL tries the two
drivers makes no difference. This driver also opens the names if it alone is allowed."""

import json
import pathlib
import xml.etree.ElementTree
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_drivers import Asker, make_v3, reference_file, reference_folder
from zarr_gdal import error_log, gdal_is_at_least, open_raster
from zarr_http import Served
from zarr_store import make_store

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
ZARR, BUILTIN = ["Zarr"], ["ZarrBuiltin"]
OF_BUILTIN = "(GDAL`s own driver) "
ORDERS = pytest.mark.parametrize("order", ["ours first", "builtin first"])


def driver():
    return gdal.GetDriverByName("Zarr")


def builtin():
    return gdal.GetDriverByName("ZarrBuiltin")


def raster(value=0):
    dataset = gdal.GetDriverByName("MEM").Create("", 5, 4)
    dataset.GetRasterBand(1).Fill(value)
    return dataset


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


def assert_as_builtin(answers, names):
    """Asserts that this driver opens each name with the contents and errors of the built-in driver. `answers` has three
    answers for each name: from the built-in driver alone, from all drivers, and from "Zarr" alone. Returns how many
    answers of this driver were compared with contents of the built-in driver."""
    opened = 0
    for i, name in enumerate(names):
        alone, free, zarr = answers[3 * i : 3 * i + 3]
        for answer in (free, zarr):
            if alone["contents"] is not None:
                opened += 1
                assert answer["driver"] == answer["identified"] == "Zarr", (name, answer)
                assert answer["contents"] == alone["contents"], (name, answer)
                assert answer["errors"] == alone["errors"], (name, answer)
            else:
                assert answer["driver"] in (None, "Zarr"), (name, answer)
                assert answer["driver"] or len(answer["errors"]) <= 1, (name, answer)
    return opened


def ask_three_ways(asker, names):
    return asker.ask(*((name, flags, allowed)
                       for name, flags in names for allowed in (BUILTIN, None, ZARR)))  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Kerchunk references, opened by this driver and by the built-in driver


@ORDERS
@pytest.mark.slow
def test_references_in_a_json_file(tmp_path, order):
    chunk = tmp_path / "chunk"
    chunk.write_bytes(bytes([1, 2, 3, 4]))
    path = reference_file(tmp_path / "k.json", chunk)
    with Served(tmp_path) as server:
        names = []
        for base in (str(path), f"/vsicurl/{server.url}/k.json", f"/vsikerchunk_json_ref/{{{path}}}"):
            for name in (base, f'ZARR:"{base}"', f'ZARR:"{base}":/x'):
                names += [(name, RASTER), (name, MULTIDIM)]
        answers = ask_three_ways(Asker(tmp_path, order), names)
    # This driver opens the Kerchunk references, whichever Zarr driver is registered first.
    for (name, _), free, zarr_alone in zip(names, answers[1::3], answers[2::3]):
        for answer in (free, zarr_alone):
            # The chunk of x is in a local file, which references on a server may not name. Over /vsicurl/, x thus has
            # no values.
            expected = [[0, [[1, 2], [3, 4]]], {"x": "01020304"}] if "/vsicurl/" not in name else [None, [0, None], {"x": None}]
            assert answer["contents"] in expected, (name, answer)
            assert answer["driver"] in ("Zarr", None) and ("/vsicurl/" in name or answer["errors"] == []), (name, answer)


@ORDERS
def test_a_reference_to_a_missing_file(tmp_path, order):
    """If a reference names a missing file, reading fails instead of returning the fill value."""
    path = reference_file(tmp_path / "k.json", tmp_path / "gone")
    names = [(f'ZARR:"{path}":/x', RASTER), (f"/vsikerchunk_json_ref/{{{path}}}", RASTER),
             (f'ZARR:"/vsikerchunk_json_ref/{{{path}}}":/x', RASTER)]  # fmt: skip
    for answer in Asker(tmp_path, order).ask(*((name, flags, None) for name, flags in names)):
        assert answer["contents"] in (None, [0, None]), answer
        assert answer["errors"] != [] or answer["driver"] is None, answer


@ORDERS
@pytest.mark.parametrize("name", ["k.parq", "k.zarr"])
def test_references_in_parquet_files(tmp_path, order, name):
    folder = reference_folder(tmp_path / name)
    base = f"/vsikerchunk_parquet_ref/{{{folder}}}"
    names = [(one, flags) for flags in (RASTER, MULTIDIM)
             for one in (f'ZARR:"{folder}"', f'ZARR:"{folder}":/x', base, f'ZARR:"{base}"')]  # fmt: skip
    answers = ask_three_ways(Asker(tmp_path, order), names)
    # This driver opens the Kerchunk references, whichever Zarr driver is registered first. The Parquet file of x is
    # damaged, so x cannot be read.
    for (one, _), free, zarr_alone in zip(names, answers[1::3], answers[2::3]):
        for answer in (free, zarr_alone):
            assert answer["driver"] == "Zarr" and answer["contents"] in ([0, None], {"x": None}), (one, answer)
            assert any("x/refs.0.parq: is not a complete Parquet file" in text for text in answer["errors"]), answer


def test_references_in_parquet_files_on_a_web_server(tmp_path, cpl):
    reference_folder(tmp_path / "k.zarr")
    with Served(tmp_path) as server:
        dataset = gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/k.zarr"', MULTIDIM)
    assert dataset.GetRootGroup().GetMDArrayNames() == ["x"]
    cpl.assert_quiet()


@pytest.mark.parametrize("inner", ["", "k.parq"])
@pytest.mark.parametrize("flags", [RASTER, MULTIDIM])
def test_references_in_parquet_files_in_a_zip_file(tmp_path, cpl, flags, inner):
    folder = reference_folder(tmp_path / "k.parq")
    archive = tmp_path / "k.parq.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                zipped.write(path, pathlib.PurePath(inner) / path.relative_to(folder))
    for name in (f"/vsizip/{archive}", str(archive), f"/vsizip/{archive}/{inner}".rstrip("/")):
        dataset = gdal.OpenEx(f'ZARR:"{name}":/x', flags)
        assert dataset is not None and dataset.GetDriver().ShortName == "Zarr", name
        if flags == RASTER:
            cpl.clear()
            assert dataset.ReadAsArray() is None
            assert "x/refs.0.parq: is not a complete Parquet file" in cpl.the_error()
    assert gdal.OpenEx(f'ZARR:"/vsizip/{folder}"', flags) is None


@pytest.mark.skipif(gdal_is_at_least(3, 7), reason="later versions have Zarr v3 itself")
@ORDERS
def test_the_draft_of_v3_that_gdal_wrote(tmp_path, order):
    path = tmp_path / "d.zarr"
    made = builtin().Create(str(path), 5, 4, 1, gdal.GDT_Byte, ["FORMAT=ZARR_V3"])
    made.GetRasterBand(1).WriteRaster(0, 0, 5, 4, bytes(range(20)))
    made.Close() if hasattr(made, "Close") else None
    del made
    assert isinstance(json.loads((path / "zarr.json").read_text())["zarr_format"], str)
    names = [(name, flags) for flags in (RASTER, MULTIDIM) for name in (str(path), f'ZARR:"{path}"')]
    answers = ask_three_ways(Asker(tmp_path, order), names)
    assert assert_as_builtin(answers, names) == 8


def test_another_draft_of_v3_is_named_in_the_error(tmp_path, cpl):
    path = tmp_path / "d.zarr"
    path.mkdir()
    (path / "zarr.json").write_text(json.dumps({"zarr_format": "https://example.org/another"}))
    assert gdal.Open(str(path)) is None
    assert "draft of Zarr v3" in cpl.the_error()
    driver = gdal.GetDriverByName("Zarr")
    for change in (
        lambda: driver.CopyFiles(str(tmp_path / "e.zarr"), str(path)),
        lambda: driver.Rename(str(tmp_path / "e.zarr"), str(path)),
        lambda: driver.Delete(str(path)),
        lambda: driver.CopyFiles(str(path / "a"), str(path)),
    ):
        cpl.clear()
        assert change() == gdal.CE_Failure
        assert "draft of Zarr v3" in cpl.the_error() and "FORMAT=ZARR_V2" in cpl.the_error()
    assert [entry.name for entry in path.iterdir()] == ["zarr.json"]


def test_references_are_no_store_that_is_deleted_or_written_to(tmp_path):
    folder = reference_folder(tmp_path / "k.zarr")
    before = files_below(folder)
    with error_log():
        options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]
        assert driver().CreateCopy(str(folder), raster(), options=options) is None
    assert files_below(folder).items() >= before.items()
    assert not (folder / ".zgroup").exists()


def test_conversion_to_kerchunk_is_an_option_of_both_drivers():
    """This driver lists the creation option for Kerchunk references that GDAL's built-in driver has since version 3.13.
    test_zarr_write_references.py tests the option itself."""
    option = "'CONVERT_TO_KERCHUNK_PARQUET_REFERENCE'"
    for item in ("DMD_CREATIONOPTIONLIST", "DMD_MULTIDIM_DATASET_CREATIONOPTIONLIST"):
        assert driver().GetMetadataItem(item).replace('"', "'").count(option) == 1
    if gdal_is_at_least(3, 13):
        assert option in builtin().GetMetadataItem("DMD_CREATIONOPTIONLIST").replace('"', "'")


# ---------------------------------------------------------------------------------------------
# Stores beside Kerchunk references, and options of the two drivers


def test_a_group_with_a_folder_of_snapshots_is_a_store(tmp_path):
    store = make_store(tmp_path, {"snapshots/v": {"values": np.ones((4, 5), "u1")},
                                  "refs/v": {"values": np.ones((4, 5), "u1")}})  # fmt: skip
    assert len(open_raster(store).GetSubDatasets()) == 2


def test_options_of_the_builtin_driver_are_listed_as_its_own():
    for item in ("DMD_OPENOPTIONLIST", "DMD_CREATIONOPTIONLIST",
                 "DMD_MULTIDIM_DATASET_CREATIONOPTIONLIST",
                 "DMD_MULTIDIM_ARRAY_CREATIONOPTIONLIST"):  # fmt: skip
        ours, theirs = (options_of(one, item) for one in (driver(), builtin()))
        assert set(theirs) <= set(ours), item
        marked = {name for name in theirs if OF_BUILTIN in ours[name].get("description", "")}
        assert {"CACHE_KERCHUNK_JSON"} & set(theirs) <= marked
        assert not marked & {"CONVERT_TO_KERCHUNK_PARQUET_REFERENCE", "COMPRESS", "FORMAT", "MULTIBAND", "USE_ZMETADATA", "CREATE_ZMETADATA"}


def options_of(one, item):
    found = {}
    for option in xml.etree.ElementTree.fromstring(one.GetMetadataItem(item)):
        for name in {option.get("name"), option.get("alias", option.get("name"))}:
            found[name] = option.attrib
    return found


def test_the_builtin_driver_opens_stores_if_only_it_is_allowed(tmp_path):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    for flags in (RASTER, MULTIDIM):
        found = gdal.IdentifyDriverEx(str(store), flags, allowed_drivers=BUILTIN)
        assert found.ShortName == "ZarrBuiltin"
        opened = gdal.OpenEx(str(store), flags, allowed_drivers=BUILTIN)
        assert opened.GetDriver().ShortName == "ZarrBuiltin"


# ---------------------------------------------------------------------------------------------
# Identification of stores by GDALIdentifyDriver()


@pytest.mark.parametrize("flags", [RASTER, MULTIDIM, RASTER | gdal.OF_UPDATE])
def test_a_store_that_was_opened_is_identified(tmp_path, flags):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    other = make_v3(tmp_path / "three.zarr", "v")
    for name in (str(store), str(other)):
        for _ in range(2):
            assert gdal.OpenEx(name, flags) is not None
            assert gdal.Open(name) is not None
            assert gdal.IdentifyDriver(name).ShortName == "Zarr"
            assert gdal.IdentifyDriverEx(name, flags).ShortName == "Zarr"


def test_a_store_that_was_copied_over_is_identified(tmp_path):
    store = tmp_path / "a.zarr"
    for _ in range(2):
        assert driver().CreateCopy(str(store), raster()) is not None
        assert gdal.IdentifyDriver(str(store)).ShortName == "Zarr"
