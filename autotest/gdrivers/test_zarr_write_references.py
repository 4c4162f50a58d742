# SPDX-License-Identifier: MIT
"""The driver writes references to the chunks of a store, as a JSON document of Kerchunk or as Parquet files.
fsspec, zarr-python, xarray and fastparquet must read the references."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from test_zarr_cancel import refused_at_each_call
from zarr_formats import BOTH, V2, V3
from zarr_gdal import config_options, gdal_is_at_least
from zarr_http import Served
from zarr_references import PYTHON, pack, write_json
from zarr_s3 import S3
from zarr_store import make_array, make_store, zip_folder
from zarr_tools import Program, plain_environment

pytestmark = BOTH

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
JSON, PARQUET = "CONVERT_TO_KERCHUNK_JSON", "CONVERT_TO_KERCHUNK_PARQUET_REFERENCE"
CUBE = np.arange(4 * 30 * 50, dtype="<i2").reshape(4, 30, 50)
LEVEL = np.arange(30 * 50, dtype="<f4").reshape(30, 50)
VALUES = {"cube": CUBE, "level": LEVEL, "scalar": np.array(5, "<i4"), "deep/er/level": LEVEL + 1,
          "time": np.arange(4.0)}  # fmt: skip
READER = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_references_reader.py")], plain_environment("PYTHONPATH"))
SPARSE = CUBE.copy()
SPARSE[2, 16:30, 32:48] = 9


@pytest.fixture
def store(tmp_path):
    """Writes a store with arrays in nested groups. One chunk of the array "cube" is absent. Returns the store."""
    return make_sample(tmp_path / "in")


def make_sample(folder, consolidated=False):
    made = make_store(folder, {
        "cube": {"values": CUBE, "chunks": (1, 16, 16), "dims": ("time", "y", "x"), "fill_value": 9,
                 "attrs": {"units": "m", "long_name": "h\u00f6he"}},
        "level": {"values": LEVEL, "chunks": (16, 16), "dims": ("y", "x"), "dimension_separator": "/"},
        "deep/er/level": {"values": LEVEL + 1, "chunks": (30, 50), "dims": ("y", "x"), "compressor": None},
        "scalar": {"values": VALUES["scalar"], "dims": ()},
        "time": {"values": VALUES["time"], "dims": ("time",), "attrs": {"units": "days since 2020-01-01"}},
    }, {"title": "a store"}, consolidated=consolidated)  # fmt: skip
    zarr_formats.chunk_file(made, "cube", 2, 1, 2).unlink()
    return made


def wanted(path):
    return SPARSE if path == "cube" else VALUES[path]


def convert(source, target, option=JSON, **more):
    """Writes references to the chunks of `source`, which is a dataset or its name, to `target`. `option`
    selects JSON or Parquet. Returns True on success."""
    if not isinstance(source, gdal.Dataset):
        source = gdal.OpenEx(str(source), MULTIDIM)
        assert source is not None, gdal.GetLastErrorMsg()
    return gdal.GetDriverByName("Zarr").CreateCopy(str(target), source, options=[f"{option}=YES"], **more) is not None


def is_parquet(option):
    return option == PARQUET


def target_of(folder, option):
    return folder / ("refs.parq" if is_parquet(option) else "refs.json")


def references_in(document):
    return json.loads(pathlib.Path(document).read_text())["refs"]


def read_by(function, result, *arguments, protocol="file"):
    """Runs `function` of zarr_references_reader.py in a Python environment with fsspec and zarr-python. The function
    writes the values that it reads to the file `result`. `protocol` is fsspec's protocol for the files that contain the
    chunks. Returns `result`."""
    status, printed = READER.ask([function, protocol, str(result), *map(str, arguments)])
    assert status == 0, printed
    return result


def assert_readable(target, tmp_path, paths=tuple(VALUES), folders="ALL", protocol="file", oracles=True):
    """Asserts that the driver reads the right values through the references. With `oracles`, zarr-python and
    xarray must read them, too."""
    with config_options(ZARR_REFERENCE_FOLDERS=folders):
        root = gdal.OpenEx(str(target), MULTIDIM).GetRootGroup()
        for path in paths:
            array = root.OpenMDArrayFromFullname("/" + path)
            values = array.ReadAsArray()
            assert values is not None, gdal.GetLastErrorMsg()
            assert np.array_equal(np.reshape(values, wanted(path).shape), wanted(path)), path
    if not oracles:
        return
    functions = {"with_zarr": paths, "with_xarray": [path for path in paths if "/" not in path and path != "time"]}
    for function, names in functions.items():
        read = np.load(read_by(function, tmp_path / f"{function}.npz", target, *names, protocol=protocol))
        for path in names:
            assert np.array_equal(read[path], wanted(path)), (function, path)


@pytest.fixture
def option(request):
    if request.param == PARQUET and zarr_formats.is_v3():
        pytest.skip("references in Parquet hold Zarr v2 only")
    return request.param


FORMS = pytest.mark.parametrize("option", [JSON, PARQUET], indirect=True)


# ---------------------------------------------------------------------------------------------
# Tests of references to the chunks of Zarr stores


@FORMS
@pytest.mark.parametrize("consolidated", [False, True])
def test_a_folder(tmp_path, option, consolidated, cpl):
    store = make_sample(tmp_path / "in", consolidated)
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    target = target_of(tmp_path, option)
    assert convert(store, target, option)
    assert_readable(target, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before
    assert {path.name for path in tmp_path.iterdir()} - {"with_zarr.npz", "with_xarray.npz"} == {"in", target.name}
    cpl.assert_quiet()


def test_documents_are_copied_as_they_are(tmp_path, store):
    assert convert(store, tmp_path / "refs.json")
    references = references_in(tmp_path / "refs.json")
    files = {path.relative_to(store).as_posix(): path for path in store.rglob("*") if path.is_file()}
    assert references.keys() == files.keys()
    for key, path in files.items():
        is_chunk = isinstance(references[key], list)
        assert references[key] == ([str(path)] if is_chunk else path.read_text()), key


def test_names_of_files_that_need_escaping(tmp_path):
    store = make_store(tmp_path / 'a "b" #c%20', {"d e+\u00e9": {"values": LEVEL, "chunks": (16, 50), "dims": ("y", "x")}})
    for option in [JSON] if zarr_formats.is_v3() else [JSON, PARQUET]:
        target = target_of(tmp_path, option)
        assert convert(store, target, option)
        with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
            array = gdal.OpenEx(str(target), MULTIDIM).GetRootGroup().OpenMDArray("d e+\u00e9")
            assert np.array_equal(array.ReadAsArray(), LEVEL)
        read = np.load(read_by("with_zarr", tmp_path / "read.npz", target, "d e+\u00e9"))
        assert np.array_equal(read["d e+\u00e9"], LEVEL)


@FORMS
@pytest.mark.slow
def test_references_in_json(tmp_path, store, option):
    """If the source itself consists of Kerchunk references, the new references name the same ranges of files. Chunks
    whose bytes are in the source's JSON document are copied."""
    references = pack(store, tmp_path / "packed.bin", inline=64)
    inline = {key for key, value in references.items() if isinstance(value, str) and value.startswith("base64:")}
    assert inline
    source = write_json(tmp_path / "source.json", references)
    target = target_of(tmp_path, option)
    assert convert(source, target, option)
    assert_readable(target, tmp_path)
    if is_parquet(option):
        return
    written = references_in(target)
    assert written.keys() == references.keys() - {".zmetadata"}
    for key, value in references.items():
        if key in inline:
            text = written[key]
            bytes_ = base64.b64decode(text[7:]) if text.startswith("base64:") else text.encode()
            assert bytes_ == base64.b64decode(value[7:])
        elif isinstance(value, list):
            assert written[key] == [str(tmp_path / "packed.bin"), *value[1:]]
        else:
            assert written[key] == value


@FORMS
def test_a_web_server(tmp_path, option):
    store = make_sample(tmp_path / "in", consolidated=True)
    target = target_of(tmp_path, option)
    with Served(tmp_path / "in") as server:
        assert convert(f"{server.url}/{store.name}", target, option)
        assert_readable(target, tmp_path, folders="", protocol="http")
        if not is_parquet(option):
            found = [value for value in references_in(target).values() if isinstance(value, list)]
            assert found and all(value[0].startswith(server.url) for value in found)
            assert len(found) == sum(isinstance(value, list) for value in pack(store, tmp_path / "x").values())


@FORMS
@pytest.mark.slow
def test_references_to_a_web_server(tmp_path, store, option):
    references = pack(store, tmp_path / "packed.bin")
    with Served(tmp_path) as server:
        moved = {key: [f"{server.url}/{value[0]}", *value[1:]] if isinstance(value, list) else value
                 for key, value in references.items()}  # fmt: skip
        source = write_json(tmp_path / "source.json", moved)
        target = target_of(tmp_path, option)
        assert convert(source, target, option)
        assert_readable(target, tmp_path, folders="", protocol="http")


@FORMS
@pytest.mark.slow
def test_an_object_store(tmp_path, option):
    """References to a store in an object store have s3:// URLs. References can also be written to the object
    store."""
    store = make_sample(tmp_path / "in", consolidated=True)
    target = target_of(tmp_path, option)
    with S3(tmp_path / "bucket") as server:
        server.upload(store, "a.zarr")
        assert convert("/vsis3/demo/a.zarr", target, option)
        assert_readable(target, tmp_path, folders="", oracles=False)
        if not is_parquet(option):
            found = [value for value in references_in(target).values() if isinstance(value, list)]
            assert found and all(value[0].startswith("s3://demo/a.zarr/") for value in found)
        remote = f"/vsis3/demo/out/{target.name}"
        assert convert("/vsis3/demo/a.zarr", remote, option)
        assert_readable(remote, tmp_path, folders="", oracles=False)


@FORMS
def test_a_zip_file(tmp_path, store, option):
    archive = zip_folder(store, tmp_path / "a.zarr.zip")
    target = target_of(tmp_path, option)
    assert convert(archive, target, option)
    assert_readable(target, tmp_path)
    if not is_parquet(option):
        found = [value for value in references_in(target).values() if isinstance(value, list)]
        assert {value[0] for value in found} == {str(archive)} and all(len(value) == 3 for value in found)


def test_a_compressed_zip_file_is_refused(tmp_path, store, cpl):
    archive = zip_folder(store, tmp_path / "a.zarr.zip", compression=zipfile.ZIP_DEFLATED)
    assert not convert(archive, tmp_path / "refs.json")
    assert "is compressed in the zip file" in cpl.the_error()
    assert not (tmp_path / "refs.json").exists()


@FORMS
def test_a_group_and_an_array_of_a_store(tmp_path, option):
    store = make_sample(tmp_path / "in", consolidated=True)
    target = target_of(tmp_path, option)
    assert convert(f'ZARR:"{store}":/deep', target, option)
    with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
        root = gdal.OpenEx(str(target), MULTIDIM).GetRootGroup()
        assert (root.GetGroupNames(), root.GetMDArrayNames() or []) == (["er"], [])
        assert np.array_equal(root.OpenMDArrayFromFullname("/er/level").ReadAsArray(), LEVEL + 1)
    assert convert(f'ZARR:"{store}":/cube', target, option)
    with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
        root = gdal.OpenEx(str(target), MULTIDIM).GetRootGroup()
        assert (root.GetGroupNames() or [], root.GetMDArrayNames()) == ([], ["cube"])
    read = np.load(read_by("with_zarr", tmp_path / "read.npz", target, "cube"))
    assert np.array_equal(read["cube"], SPARSE)


def test_a_store_that_is_one_array(tmp_path, cpl):
    store = make_array(tmp_path, LEVEL, chunks=(16, 16))
    assert convert(store, tmp_path / "refs.json")
    with config_options(ZARR_REFERENCE_FOLDERS=str(tmp_path)):
        assert np.array_equal(gdal.Open(str(tmp_path / "refs.json")).ReadAsArray(), LEVEL)
    cpl.assert_quiet()
    assert not convert(store, tmp_path / "refs.parq", PARQUET)
    assert ("Zarr v2 only" if zarr_formats.is_v3() else "array at the root") in cpl.the_error()
    assert not (tmp_path / "refs.parq").exists()


@FORMS
def test_a_raster_is_a_source(tmp_path, store, option):
    target = target_of(tmp_path, option)
    subprocess.run(["gdal_translate", "-q", "-of", "Zarr", "-co", f"{option}=YES", f'ZARR:"{store}":/level', target], check=True)
    with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
        assert np.array_equal(gdal.Open(f'ZARR:"{target}":/level').ReadAsArray(), LEVEL)


@FORMS
def test_gdalmdimtranslate(tmp_path, store, option):
    """gdalmdimtranslate with relative names writes absolute paths into the references, so the references work
    in any working folder."""
    target = target_of(tmp_path, option)
    done = subprocess.run(
        ["gdalmdimtranslate", "-of", "Zarr", "-co", f"{option}=YES", os.path.relpath(store, tmp_path), target.name],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert_readable(target, tmp_path)


def test_implicit_groups_get_a_document(tmp_path):
    store = make_sample(tmp_path / "in")
    if zarr_formats.is_v3():
        pytest.skip("Zarr v3 has no implicit groups")
    for path in ("deep", "deep/er"):
        (store / path / ".zgroup").unlink()
    assert convert(store, tmp_path / "refs.json")
    assert json.loads(references_in(tmp_path / "refs.json")["deep/er/.zgroup"]) == {"zarr_format": 2}
    assert_readable(tmp_path / "refs.json", tmp_path)


@V3
def test_consolidated_metadata_of_other_arrays_is_left_out(tmp_path):
    store = make_sample(tmp_path / "in", consolidated=True)
    assert convert(f'ZARR:"{store}":/cube', tmp_path / "refs.json")
    assert not json.loads(references_in(tmp_path / "refs.json")["zarr.json"]).get("consolidated_metadata")
    assert convert(store, tmp_path / "refs.json")
    assert json.loads(references_in(tmp_path / "refs.json")["zarr.json"])["consolidated_metadata"]


# ---------------------------------------------------------------------------------------------
# Tests of references in Parquet files


@V2
def test_the_rows_of_parquet_files(tmp_path, store):
    references = pack(store, tmp_path / "packed.bin", inline=64)
    assert convert(write_json(tmp_path / "source.json", references), tmp_path / "refs.parq", PARQUET)
    document = json.loads((tmp_path / "refs.parq" / ".zmetadata").read_text())
    assert document["record_size"] == 4 * 2 * 4
    assert document["metadata"]["level/.zarray"]["dimension_separator"] == "."
    assert document["metadata"]["cube/.zattrs"]["long_name"] == "h\u00f6he"
    files = [str(path) for path in sorted((tmp_path / "refs.parq").rglob("*.parq"))]
    assert len(files) == len(VALUES)
    rows = json.loads(read_by("partition", tmp_path / "rows.json", *files).read_text())
    packed = str(tmp_path / "packed.bin")
    for file, table in rows.items():
        array = os.path.relpath(os.path.dirname(file), tmp_path / "refs.parq")
        assert len(table) == 32
        for row, (path, offset, size, raw) in enumerate(table):
            grid = {"cube": (4, 2, 4), "level": (2, 4), "deep/er/level": (1, 1)}.get(array, (1,))
            key = None
            if row < np.prod(grid):
                separator = "/" if array == "level" else "."
                key = f"{array}/{separator.join(map(str, np.unravel_index(row, grid)))}"
            reference = references.get(key)
            if reference is None:
                assert (path, offset, size, raw) == (None, 0, 0, None)
            elif isinstance(reference, list):
                assert (path, offset, size, raw) == (packed, *reference[1:], None)
            else:
                assert (path, raw) == (None, base64.b64decode(reference[7:]).hex())


@V2
@pytest.mark.slow
def test_many_chunks_are_in_several_files(tmp_path):
    count = 250_001
    references = {".zgroup": '{"zarr_format": 2}', "v/.zarray": json.dumps({
        "zarr_format": 2, "shape": [count], "chunks": [1], "dtype": "|u1", "compressor": None, "filters": None,
        "fill_value": 7, "order": "C"})}  # fmt: skip
    data = np.random.default_rng(0).integers(0, 255, count, dtype="u1")
    (tmp_path / "data").write_bytes(data.tobytes())
    references.update((f"v/{i}", ["data", i, 1]) for i in range(count) if i // 100_000 != 1)
    data[100_000:200_000] = 7
    assert convert(write_json(tmp_path / "source.json", references), tmp_path / "refs.parq", PARQUET)
    files = sorted((tmp_path / "refs.parq" / "v").iterdir())
    assert [path.name for path in files] == ["refs.0.parq", "refs.2.parq"]
    rows = json.loads(read_by("partition", tmp_path / "rows.json", files[1]).read_text())[str(files[1])]
    assert len(rows) == 100_000
    assert rows[50_000] == [str(tmp_path / "data"), 250_000, 1, None] and rows[50_001][0] is None
    with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
        array = gdal.OpenEx(str(tmp_path / "refs.parq"), MULTIDIM).GetRootGroup().OpenMDArray("v")
        for start in (0, 99_990, 199_990, 249_981):
            assert np.array_equal(array.ReadAsArray([start], [20]), data[start : start + 20])


@V3
def test_parquet_holds_zarr_v2_only(tmp_path, store, cpl):
    assert not convert(store, tmp_path / "refs.parq", PARQUET)
    assert "zarr.json: references in Parquet describe stores of Zarr v2 only" in cpl.the_error()
    assert not (tmp_path / "refs.parq").exists()


# ---------------------------------------------------------------------------------------------
# Tests of targets that already exist


def old_store(tmp_path, option, kind):
    """Writes an old target of the given kind, which the test replaces: references, a store or nothing. Returns
    the path of the target."""
    target = target_of(tmp_path, option)
    if kind == "references":
        assert convert(make_store(tmp_path / "old", {"old": LEVEL}), target, option)
    elif kind == "a store":
        shutil.copytree(make_store(tmp_path / "old", {"old": LEVEL}), target)
    return target


TARGETS = pytest.mark.parametrize("option, kind", [
    (JSON, "nothing"), (JSON, "references"), (PARQUET, "nothing"), (PARQUET, "references"),
    (PARQUET, "a store")], indirect=["option"])  # fmt: skip


@TARGETS
def test_a_target_is_replaced(tmp_path, store, option, kind):
    target = old_store(tmp_path, option, kind)
    assert convert(store, target, option)
    assert_readable(target, tmp_path)
    assert not (target.is_dir() and (target / "old").exists())
    assert not list(tmp_path.glob("*.partial"))


@TARGETS
def test_a_cancelled_copy_keeps_the_old_target(tmp_path, store, option, kind):
    folder = tmp_path / "out"
    folder.mkdir()
    target = old_store(folder, option, kind)
    aside = tmp_path / "aside"
    if target.exists():
        (shutil.copytree if target.is_dir() else shutil.copy)(target, aside)

    def undo():
        (shutil.rmtree if target.is_dir() else os.remove)(target)
        if aside.exists():
            (shutil.copytree if aside.is_dir() else shutil.copy)(aside, target)

    def copy(progress):
        return convert(store, target, option, callback=progress)

    assert refused_at_each_call(folder, copy, undo) >= 3


@FORMS
def test_a_failed_copy_keeps_the_old_target(tmp_path, store, option, cpl):
    target = old_store(tmp_path, option, "references")
    before = target.read_bytes() if target.is_file() else (target / ".zmetadata").read_bytes()
    zarr_formats.document_file(store, "time/.zarray").write_text("{")
    assert not convert(store, target, option)
    assert "not valid JSON" in cpl.the_error()
    assert (target.read_bytes() if target.is_file() else (target / ".zmetadata").read_bytes()) == before


def test_a_folder_that_comes_meanwhile_is_not_replaced(tmp_path, store, cpl):
    target = tmp_path / "refs.json"

    def make_folder(*_progress):
        target.mkdir(exist_ok=True)
        (target / "precious").write_text("x")
        return 1

    assert not convert(store, target, JSON, callback=make_folder)
    assert "cannot be renamed to its final name" in cpl.the_error()
    assert [path.name for path in target.iterdir()] == ["precious"] and not list(tmp_path.glob("*.partial"))


def test_other_files_are_not_overwritten(tmp_path, store, cpl):
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("x")
    (tmp_path / "f.json").mkdir()
    for target, option, message in [
        (other, JSON, "is a file without references, so it is not overwritten"),
        (tmp_path / "refs.txt", JSON, "ends in .json"), (tmp_path / "f.json", JSON, "is a folder"),
        (other, PARQUET, "is a file"), (folder, PARQUET, 'holds "notes.txt"'),
        (tmp_path / "missing" / "refs.json", JSON, "cannot be created"),
    ]:  # fmt: skip
        cpl.clear()
        assert not convert(store, target, option), target
        assert message in cpl.the_error()
    assert other.read_text() == '{"a": 1}' and (folder / "notes.txt").exists()
    assert not (tmp_path / "refs.txt").exists()


def test_references_with_a_file_of_another_program_are_not_overwritten(tmp_path, store, cpl):
    if zarr_formats.is_v3():
        pytest.skip("Parquet holds Zarr v2 only")
    target = old_store(tmp_path, PARQUET, "references")
    (target / "old" / "notes.txt").write_text("x")
    assert not convert(store, target, PARQUET)
    assert "notes.txt" in cpl.the_error() and (target / "old" / "refs.0.parq").exists()


def test_a_link_stays_a_link(tmp_path, store):
    (tmp_path / "real.json").write_text("")
    (tmp_path / "refs.json").symlink_to(tmp_path / "real.json")
    assert convert(store, tmp_path / "refs.json")
    assert (tmp_path / "refs.json").is_symlink()
    assert references_in(tmp_path / "real.json")


# ---------------------------------------------------------------------------------------------
# Tests of sources and targets that are refused


def test_sources_that_cannot_be_written(tmp_path, store, cpl):
    memory = gdal.GetDriverByName("MEM").Create("", 3, 4)
    assert not convert(memory, tmp_path / "refs.json")
    assert "and the source is neither" in cpl.the_error()
    cpl.clear()
    name = "/vsimem/references/a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(name, memory)
    assert not convert(name, tmp_path / "refs.json")
    assert "references cannot name a file in memory" in cpl.the_error()
    gdal.RmdirRecursive("/vsimem/references")
    cpl.clear()
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "refs.json"), gdal.OpenEx(str(store), MULTIDIM),
                                                   options=[JSON + "=YES", PARQUET + "=YES"]) is None  # fmt: skip
    assert f"expected one of the options {JSON} and {PARQUET}, got both" in cpl.the_error()
    assert not (tmp_path / "refs.json").exists()


def test_references_need_a_source(tmp_path, cpl):
    driver = gdal.GetDriverByName("Zarr")
    assert driver.Create(str(tmp_path / "a.json"), 3, 4, options=[JSON + "=YES"]) is None
    assert "references need a source" in cpl.the_error()
    cpl.clear()
    assert driver.CreateMultiDimensional(str(tmp_path / "a.json"), [], [JSON + "=YES"]) is None
    assert "references need a source" in cpl.the_error()
    assert not (tmp_path / "a.json").exists()


def test_a_location_that_readers_take_for_a_template(tmp_path, cpl):
    store = make_store(tmp_path / "{{a}}", {"level": LEVEL})
    assert not convert(store, tmp_path / "refs.json")
    assert "readers take for a template" in cpl.the_error()


def test_a_reference_that_must_not_be_followed(tmp_path, store, cpl):
    references = pack(store, tmp_path / "packed.bin")
    moved = {key: ["/etc/passwd", 0, 4] if isinstance(value, list) else value for key, value in references.items()}
    assert not convert(write_json(tmp_path / "source.json", moved), tmp_path / "refs.json")
    assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()


@V2
@FORMS
@pytest.mark.parametrize("offset", [0, 3])
def test_an_empty_value_does_not_become_the_whole_file(tmp_path, option, offset, cpl):
    """A document refers to a chunk of 0 bytes in a file of 12 bytes. The written reference must not mean the whole
    file, because 12 bytes would be a valid chunk."""
    (tmp_path / "f.bin").write_bytes(bytes(12))
    array = {"zarr_format": 2, "shape": [12], "chunks": [12], "dtype": "|u1", "compressor": None, "filters": None,
             "fill_value": 1, "order": "C"}  # fmt: skip
    references = {".zgroup": {"zarr_format": 2}, "x/.zarray": array, "x/0": ["f.bin", offset, 0]}
    names = [write_json(tmp_path / "source.json", references), target_of(tmp_path, option)]
    assert convert(*names, option)
    for name in names:
        cpl.clear()
        with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
            assert gdal.OpenEx(str(name), MULTIDIM).GetRootGroup().OpenMDArray("x").Read() is None
        assert "x/0: " in cpl.the_error() and "0 bytes" in cpl.the_error()


# ---------------------------------------------------------------------------------------------
# Tests of references to blocks of other formats, such as netCDF

OTHERS = pytest.mark.skipif(
    not gdal_is_at_least(3, 12) or gdal.GetDriverByName("netCDF") is None, reason="GDAL tells blocks from 3.12 on"
)


def write_netcdf(path, absent=None, **filters):
    """Writes a netCDF file with compressed, contiguous and big-endian variables. `absent` is the index of a
    slice of "cube" that is not written. Returns {path: values}."""
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(path, "w") as file:
        file.title = "a file"
        for name, size in {"time": None, "y": 30, "x": 50}.items():
            file.createDimension(name, size)
        cube = file.createVariable("cube", "i2", ("time", "y", "x"), zlib=True, shuffle=True, chunksizes=(1, 16, 16),
                                   fill_value=9, **filters)  # fmt: skip
        cube.units, cube.scale_factor = "m", 0.5
        cube.set_auto_maskandscale(False)
        for i in range(4):
            if i != absent:
                cube[i] = CUBE[i]
        file.createVariable("level", "f4", ("y", "x"))[:] = LEVEL
        file.createVariable("big", ">i4", ("y", "x"), chunksizes=(16, 16), endian="big")[:] = LEVEL
        file.createVariable("time", "f8", ("time",))[:] = np.arange(4.0)
        bytes_ = file.createGroup("deep").createVariable("bytes", "u1", ("y", "x"), zlib=True, shuffle=True)
        bytes_[:] = np.arange(1500).reshape(30, 50) % 256
        file.createVariable("name", "i4")[...] = 5
    return {"cube": CUBE, "level": LEVEL, "big": LEVEL.astype("i4"), "time": np.arange(4.0),
            "deep/bytes": np.arange(1500).reshape(30, 50) % 256}  # fmt: skip


@OTHERS
@V2
@FORMS
def test_a_netcdf_file(tmp_path, option, cpl):
    values = write_netcdf(tmp_path / "a.nc")
    target = target_of(tmp_path, option)
    assert convert(tmp_path / "a.nc", target, option)
    with config_options(ZARR_REFERENCE_FOLDERS="ALL"):
        root = gdal.OpenEx(str(target), MULTIDIM).GetRootGroup()
        assert root.GetAttribute("title").Read() == "a file"
        for path, expected in values.items():
            array = root.OpenMDArrayFromFullname("/" + path)
            assert np.array_equal(array.ReadAsArray(), expected), path
        cube = root.OpenMDArray("cube")
        assert (cube.GetUnit(), cube.GetScale(), cube.GetNoDataValue()) == ("m", 0.5, 9)
        assert [each.GetName() for each in cube.GetDimensions()] == ["time", "y", "x"]
    cpl.assert_quiet()


@OTHERS
@V2
def test_absent_blocks_are_refused(tmp_path, cpl):
    """A source file with absent blocks is refused. GDAL 3.13 returns wrong locations for blocks after an absent
    one."""
    write_netcdf(tmp_path / "a.nc", absent=1)
    assert not convert(tmp_path / "a.nc", tmp_path / "refs.json")
    assert "/cube: GDAL does not tell where block [" in cpl.the_error()
    assert not (tmp_path / "refs.json").exists()


@OTHERS
@V2
def test_a_filter_without_a_codec_is_refused(tmp_path, cpl):
    write_netcdf(tmp_path / "a.nc", fletcher32=True)
    assert not convert(tmp_path / "a.nc", tmp_path / "refs.json")
    assert "/cube: its blocks are stored with" in cpl.the_error() and "FLETCHER32" in cpl.the_error()
    assert not (tmp_path / "refs.json").exists()


def test_other_drivers_need_a_later_gdal(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").CreateMultiDimensional("memory")
    dimension = source.GetRootGroup().CreateDimension("x", None, None, 3)
    source.GetRootGroup().CreateMDArray("v", [dimension], gdal.ExtendedDataType.Create(gdal.GDT_Int16))
    made = convert(source, tmp_path / "refs.json")
    if gdal_is_at_least(3, 12):
        return
    assert not made and "need GDAL 3.12 or later, and the source is a dataset of the driver MEM" in cpl.the_error()
