# SPDX-License-Identifier: MIT
"""What GDAL's own driver reads and writes it reads and writes through "Zarr", too: whatever the order
of drivers, and where "Zarr" alone may be asked."""

import os
import pathlib
import shutil
import xml.etree.ElementTree
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_drivers import Asker, make_v3, reads_references, reference_file, reference_folder
from zarr_gdal import (
    array_name, create_deletes_first, error_log, gdal_is_at_least, open_raster
)  # fmt: skip
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
    """Three answers for each name: of GDAL's own driver alone, of all, of "Zarr" alone."""
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
# Zarr v3


@ORDERS
def test_a_folder_of_version_3(tmp_path, order):
    """As of GDAL 3.8; before, its driver writes and reads a draft of version 3."""
    store = make_v3(tmp_path / "three.zarr", "v")
    names = [(str(store), RASTER), (str(store), MULTIDIM), (f'ZARR:"{store}"', MULTIDIM),
             (array_name(store, "v"), RASTER), (f"ZARR:{store}", MULTIDIM)]  # fmt: skip
    answers = ask_three_ways(Asker(tmp_path, order), names)
    assert assert_as_builtin(answers, names) >= 8
    for answer in answers[1::3]:
        assert answer["plainly"] == "Zarr", answer


@ORDERS
def test_version_3_on_a_web_server(tmp_path, order):
    make_v3(tmp_path / "one.zarr", "v")
    make_v3(tmp_path / "two.zarr", "v", "w")
    with Served(tmp_path) as server:
        names = []
        for store in ("one.zarr", "two.zarr"):
            base = f"/vsicurl/{server.url}/{store}"
            for name in (f'ZARR:"{base}"', f"{base}/zarr.json", f'ZARR:"{base}":/v'):
                names += [(name, RASTER), (name, MULTIDIM)]
        answers = ask_three_ways(Asker(tmp_path, order), names)
        opened = assert_as_builtin(answers, names)
        # GDAL 3.6 looks for its draft in folders that a web server does not list.
        assert opened >= (16 if gdal_is_at_least(3, 11) else 12 if gdal_is_at_least(3, 10) else 0)


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL's own driver reads drafts of version 3")
@pytest.mark.parametrize("name", ["{url}/one.zarr", 'ZARR:"{url}/one.zarr":/v', "{url}/one.zarr/v",
                                  "file://{folder}/one.zarr", "{folder}/one.zarr/zarr.json"])
def test_names_of_version_3_that_are_ours(tmp_path, name):
    """URLs, and the document itself."""
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        dataset = gdal.OpenEx(name.format(url=server.url, folder=tmp_path), MULTIDIM)
        assert dataset.GetDriver().ShortName == "Zarr"
        assert bytes(dataset.GetRootGroup().OpenMDArray("v").Read()) == bytes(range(20))


def requests_of(server, name, flags, allowed):
    gdal.VSICurlClearCache()
    server.requests()
    kept = {"allowed_drivers": allowed} if allowed else {}
    dataset = gdal.OpenEx(name, flags, **kept)
    opened = dataset is not None
    del dataset
    return opened, server.requests()


@pytest.mark.skipif(not gdal_is_at_least(3, 10), reason="GDAL's own driver opens no v3 remotely")
@pytest.mark.parametrize("flags", [RASTER, MULTIDIM])
def test_requests_for_version_3(tmp_path, flags):
    """A name that says what it is takes what GDAL's own driver takes. Of another one it is known
    after five requests, three of them together, that it is not a store of version 1 or 2."""
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        for ending, more in (("", 5), ("/zarr.json", 0)):
            name = f'ZARR:"/vsicurl/{server.url}/one.zarr{ending}"'
            alone = f'ZARR:"/vsicurl/{server.url}/one.zarr"'
            could, wanted = requests_of(server, alone, flags, BUILTIN)
            opened, asked = requests_of(server, name, flags, None)
            assert opened == could, asked
            assert len(asked) <= len(wanted) + more, asked


@pytest.mark.skipif(not gdal_is_at_least(3, 10), reason="GDAL's own driver opens no v3 remotely")
@pytest.mark.parametrize("status", [403, 401, 500])
def test_version_3_of_a_server_that_refuses_what_is_absent(tmp_path, status, cpl):
    """As object stores do to clients without the right to list."""
    make_v3(tmp_path / "one.zarr", "v")
    with Served(tmp_path) as server:
        absent = (".zmetadata", ".zarray", ".zgroup", ".zattrs", "v/.zarray", "v/.zgroup")
        server.rule(status={f"/one.zarr/{name}": [status, -1] for name in absent})
        gdal.VSICurlClearCache()
        dataset = gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/one.zarr"', MULTIDIM)
        assert dataset.GetRootGroup().OpenMDArray("v").Read() is not None
    assert [text for text in cpl.errors if "HTTP" in text or "cannot" in text] == []


def test_a_folder_of_both_versions_is_ours(tmp_path):
    store = make_store(tmp_path, {"v": {"values": np.ones((4, 5), "u1")}})
    for path in make_v3(tmp_path / "three.zarr", "v").rglob("*"):
        target = pathlib.Path(store) / path.relative_to(tmp_path / "three.zarr")
        if path.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    assert (pathlib.Path(store) / "zarr.json").exists()
    assert gdal.IdentifyDriver(str(store)).ShortName == "Zarr"
    assert open_raster(store).ReadAsArray().tolist() == [[1] * 5] * 4
    assert open_raster(store).GetMetadataItem("ZARR_FORMAT", "ZARR") == "2"


def zipped(folder, path, below=""):
    with zipfile.ZipFile(path, "w") as archive:
        for file in pathlib.Path(folder).rglob("*"):
            if file.is_file():
                archive.write(file, below + str(file.relative_to(folder)))
    return path


@pytest.mark.parametrize("where", ["", "three.zarr/"])
@pytest.mark.parametrize("name", ["{path}", 'ZARR:"{path}"', 'ZARR:"{path}":/v', "/vsizip/{path}/{where}"])  # fmt: skip
def test_a_zip_file_of_version_3(tmp_path, where, name):
    path = zipped(make_v3(tmp_path / "three.zarr", "v"), tmp_path / "three.zip", where)
    name = name.format(path=path, where=where)
    wanted = gdal.OpenEx(f'ZARR:"/vsizip/{path}/{where}":/v', RASTER, allowed_drivers=BUILTIN)
    opened = gdal.OpenEx(name, RASTER)
    assert opened.ReadAsArray().tolist() == wanted.ReadAsArray().tolist() != [[0] * 5] * 4
    assert gdal.OpenEx(name, MULTIDIM).GetRootGroup().GetMDArrayNames() == ["v"]


def test_deleting_version_3(tmp_path):
    """GDAL before 3.8 deletes no folders."""
    found = []
    for by in (driver(), builtin()):
        store = make_v3(tmp_path / "a.zarr", "v")
        with error_log() as log:
            answer = by.Delete(str(store))
        found.append((answer, log.errors, store.exists()))
        shutil.rmtree(store, ignore_errors=True)
    assert found[0] == found[1]
    assert found[0] == (gdal.CE_None, [], False) or not gdal_is_at_least(3, 8)


def test_renaming_and_copying_version_3(tmp_path, cpl):
    store = make_v3(tmp_path / "a.zarr", "v")
    before = files_below(store)
    assert driver().Rename(str(tmp_path / "b.zarr"), str(store)) == gdal.CE_None
    assert os.listdir(tmp_path) == ["b.zarr"] and files_below(tmp_path / "b.zarr") == before
    assert driver().CopyFiles(str(tmp_path / "c.zarr"), str(tmp_path / "b.zarr")) == gdal.CE_None
    assert sorted(os.listdir(tmp_path)) == ["b.zarr", "c.zarr"]
    if gdal_is_at_least(3, 10):
        assert files_below(tmp_path / "c.zarr") == before
    assert [text for text in cpl.errors if "Zarr v2" in text] == []


@pytest.mark.parametrize("how", ["Create", "CreateCopy"])
def test_an_array_in_a_store_of_version_3(tmp_path, how, cpl):
    store = make_v3(tmp_path / "a.zarr", "v")
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]
    if how == "Create":
        made = driver().Create(str(store), 5, 4, 1, gdal.GDT_Byte, options)
        made.GetRasterBand(1).Fill(7)
    else:
        made = driver().CreateCopy(str(store), raster(7), options=options)
    cpl.clear()  # of GDAL 3.10's own driver about its fill values
    assert made is None or made.GetDriver().ShortName == "Zarr"
    del made
    group = gdal.OpenEx(str(store), MULTIDIM, allowed_drivers=BUILTIN).GetRootGroup()
    assert sorted(group.GetMDArrayNames()) == ["v", "w"]
    assert not (store / ".zgroup").exists() and not (store / "w" / ".zarray").exists()


@pytest.mark.parametrize("how", ["Create", "CreateCopy"])
def test_version_3_in_the_place_of_version_2(tmp_path, how):
    """GDAL from 3.13 on deletes what is to be replaced; before, its own driver refuses."""
    def make(by, path):
        assert driver().CreateCopy(str(path), raster(), options=["FORMAT=ZARR_V2"]) is not None
        options = ["FORMAT=ZARR_V3", "ARRAY_NAME=w"]
        with error_log() as log:
            made = (by.Create(str(path), 5, 4, 1, gdal.GDT_Byte, options) if how == "Create"
                    else by.CreateCopy(str(path), raster(), options=options))  # fmt: skip
        is_made = made is not None
        del made
        return is_made, len(log.errors), sorted(os.listdir(path))

    ours = make(driver(), tmp_path / "a.zarr")
    if create_deletes_first():
        assert ours == (True, 0, ["w", "zarr.json"])
    else:
        assert ours[:2] == (False, 1) and ".zgroup" in ours[2]


def test_what_is_made_as_version_3_names_the_driver_that_was_asked(tmp_path):
    made = driver().CreateMultiDimensional(str(tmp_path / "a.zarr"), options=["FORMAT=ZARR_V3"])
    assert made.GetDriver().ShortName == "Zarr"


# ---------------------------------------------------------------------------------------------
# Kerchunk references


@ORDERS
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
    opened = assert_as_builtin(answers, names)
    assert opened >= 30 if reads_references() else opened == 0
    for (name, _), alone, free in zip(names, answers[0::3], answers[1::3]):
        if not reads_references() and name.startswith("ZARR:"):
            assert len(free["errors"]) == 1 and "Kerchunk references" in free["errors"][0], name
        # A file on a server may not refer to one of this machine.
        if reads_references() and "/vsicurl/" not in name:
            assert alone["contents"] in ([0, [[1, 2], [3, 4]]], {"x": "01020304"}), name


@ORDERS
def test_a_reference_to_a_file_that_is_gone(tmp_path, order):
    """Never the fill value in silence."""
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
    for (one, _), alone, *others in zip(names, answers[0::3], answers[1::3], answers[2::3]):
        for answer in others:
            if reads_references():
                assert {**answer, "driver": "", "identified": "", "plainly": ""} == {
                    **alone, "driver": "", "identified": "", "plainly": ""}, one  # fmt: skip
                assert answer["driver"] == "Zarr"
            elif one.startswith("ZARR:"):
                # GDAL before it knew them reads such chunks as absent.
                assert answer["contents"] is None and len(answer["errors"]) == 1, answer
                assert "Kerchunk references" in answer["errors"][0], answer


def test_references_in_parquet_files_on_a_web_server(tmp_path, cpl):
    reference_folder(tmp_path / "k.zarr")
    with Served(tmp_path) as server:
        dataset = gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/k.zarr"', MULTIDIM)
    if reads_references():
        assert dataset.GetRootGroup().GetMDArrayNames() == ["x"]
        cpl.assert_quiet()
    else:
        assert dataset is None and "Kerchunk references" in cpl.the_error()


def test_references_are_no_store_that_is_deleted_or_written_to(tmp_path):
    folder = reference_folder(tmp_path / "k.zarr")
    before = files_below(folder)
    with error_log():
        options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]
        assert driver().CreateCopy(str(folder), raster(), options=options) is None
    assert files_below(folder).items() >= before.items()
    assert not (folder / ".zgroup").exists()


def test_conversion_of_references_is_left_to_the_driver_that_knows_it(tmp_path, cpl):
    """It needs GDAL's driver Parquet, which GDAL's own driver misses by name."""
    (tmp_path / "chunk").write_bytes(bytes(4))
    path = reference_file(tmp_path / "k.json", tmp_path / "chunk")
    option = "CONVERT_TO_KERCHUNK_PARQUET_REFERENCE"
    is_known = f"'{option}'" in builtin().GetMetadataItem("DMD_CREATIONOPTIONLIST").replace('"', "'")
    is_listed = f"'{option}'" in driver().GetMetadataItem("DMD_CREATIONOPTIONLIST").replace('"', "'")
    assert is_known == is_listed
    if not is_known:
        assert not reads_references() or not gdal_is_at_least(3, 12)
        return
    source = gdal.Open(f'ZARR:"{path}"')
    made = driver().CreateCopy(str(tmp_path / "k.parq"), source, options=[option + "=YES"])
    if gdal.GetDriverByName("Parquet") is None:
        assert made is None and "PARQUET" in cpl.the_error() and cpl.warnings == []
    else:
        assert (tmp_path / "k.parq" / ".zmetadata").exists()
    assert not (tmp_path / "k.parq" / ".zgroup").exists()


# ---------------------------------------------------------------------------------------------
# Others


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("flags", [RASTER, MULTIDIM])
def test_a_repository_of_icechunk_is_called_by_its_name(tmp_path, version, flags, cpl):
    folder = tmp_path / "ic"
    for name in ("snapshots", "manifests", "transactions", "chunks"):
        (folder / name).mkdir(parents=True)
    (folder / "snapshots" / "1CECHNKREP0F1RSTCMT0").write_bytes("ICE🧊CHUNK".encode() + bytes(30))
    if version == 1:
        (folder / "refs" / "branch.main").mkdir(parents=True)
        (folder / "refs" / "branch.main" / "ref.json").write_text('{"snapshot": "1CECHNKREP0F1RSTCMT0"}')
    else:
        (folder / "repo").write_bytes("ICE🧊CHUNK".encode() + bytes(30))
    assert gdal.OpenEx(f'ZARR:"{folder}"', flags) is None
    assert "Icechunk" in cpl.the_error() and str(folder) in cpl.the_error()


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
        assert {"CACHE_KERCHUNK_JSON", "CONVERT_TO_KERCHUNK_PARQUET_REFERENCE"} & set(theirs) <= marked
        assert not marked & {"COMPRESS", "FORMAT", "MULTIBAND", "USE_ZMETADATA", "CREATE_ZMETADATA"}


def options_of(one, item):
    found = {}
    for option in xml.etree.ElementTree.fromstring(one.GetMetadataItem(item)):
        for name in {option.get("name"), option.get("alias", option.get("name"))}:
            found[name] = option.attrib
    return found


def test_the_builtin_driver_opens_what_is_left_to_it_alone(tmp_path):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    for flags in (RASTER, MULTIDIM):
        found = gdal.IdentifyDriverEx(str(store), flags, allowed_drivers=BUILTIN)
        assert found.ShortName == "ZarrBuiltin"
        opened = gdal.OpenEx(str(store), flags, allowed_drivers=BUILTIN)
        assert opened.GetDriver().ShortName == "ZarrBuiltin"


# ---------------------------------------------------------------------------------------------
# Who is told what a name is


@pytest.mark.parametrize("flags", [RASTER, MULTIDIM, RASTER | gdal.OF_UPDATE])
def test_a_store_that_was_opened_is_identified(tmp_path, flags):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    other = make_v3(tmp_path / "three.zarr", "v")
    for name in (str(store), str(other)):
        for _ in range(2):
            # GDAL 3.6 does not update its draft of version 3.
            if name == str(store) or flags & gdal.OF_UPDATE == 0:
                assert gdal.OpenEx(name, flags) is not None
            assert gdal.Open(name) is not None
            assert gdal.IdentifyDriver(name).ShortName == "Zarr"
            assert gdal.IdentifyDriverEx(name, flags).ShortName == "Zarr"


def test_a_store_that_was_copied_over_is_identified(tmp_path):
    store = tmp_path / "a.zarr"
    for _ in range(2):
        assert driver().CreateCopy(str(store), raster()) is not None
        assert gdal.IdentifyDriver(str(store)).ShortName == "Zarr"
