# SPDX-License-Identifier: MIT
"""If a writer is killed while it changes the documents of a store, the next writer of any kind undoes or finishes the
change, and restores the consolidated metadata."""

import json
import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
import zarr
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import error_log, open_raster
from zarr_tools import run_gdal

pytestmark = [
    zarr_formats.BOTH,
    pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                       reason="strace and AddressSanitizer's runtime do not go together; the other stage does it"),
]  # fmt: skip
ROWS, COLUMNS = 32, 48
APPEND = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]
SCRIPTS = {
    "append": f"""
scene = gdal.GetDriverByName("MEM").Create("", {COLUMNS}, {ROWS}, 1, gdal.GDT_Int16)
scene.GetRasterBand(1).Fill(3)
gdal.GetDriverByName("Zarr").CreateCopy(store, scene, options={[*APPEND, "APPEND_DIM_VALUES=2024-05-03"]})""",
    "overviews": """gdal.Open(store, gdal.GA_Update).BuildOverviews("NEAREST", [4])""",
    "attributes": """gdal.Open(store, gdal.GA_Update).SetMetadataItem("note", "new")""",
    "array": """gdal.OpenEx(store, gdal.OF_UPDATE | gdal.OF_MULTIDIM_RASTER).GetRootGroup().CreateMDArray(
    "new", [], gdal.ExtendedDataType.Create(gdal.GDT_Byte))""",
    "delete": """gdal.GetDriverByName("Zarr").Delete(f'ZARR:"{store}":/a')""",
    "nothing": """gdal.Open(store, gdal.GA_Update)""",
}


def run(store, act, trace=("-e", "trace=none")):
    """Changes the store in a new process under strace. Returns what strace has written."""
    script = f"import sys; from osgeo import gdal; store = sys.argv[1]; {SCRIPTS[act].strip()}"
    log = store.parent / "trace"
    subprocess.run(["strace", "-f", "-qq", "-o", str(log), *trace, sys.executable, "-c", script, str(store)],
                   capture_output=True, check=False)  # fmt: skip
    text = log.read_text()
    log.unlink()
    return text


def run_and_kill(store, act, call, number):
    """Kills the process just before its system call `call` with the number `number`, from 1. Returns the number of
    calls."""
    trace = ["-e", f"trace={call}", "-e", f"inject={call}:error=EIO:signal=KILL:when={number}"]
    return run(store, act, trace).count(f"{call}(")


def make(store, *more):
    for day, options in ((1, ["BAND_DIM=time", "OVERVIEWS=2", "ARRAY_NAME=a", *more]), (2, APPEND)):
        scene = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 1, gdal.GDT_Int16)
        scene.GetRasterBand(1).Fill(day)
        name = "BAND_DIM_VALUES" if day == 1 else "APPEND_DIM_VALUES"
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), scene,
                                                       options=[*options, f"{name}=2024-05-{day:02}"])  # fmt: skip


def assert_whole(store):
    """Asserts that the store agrees with its consolidated metadata, that its arrays fit together, and that nothing is
    left of an interrupted change."""
    documents = zarr_formats.documents(store)
    documents.pop(".zmetadata", None)
    assert zarr_formats.consolidated(store) == documents
    days = zarr_formats.array_document(store, "a")["shape"][0]
    assert zarr_formats.array_document(store, "time")["shape"] == [days]
    level = "ovr_2x"
    assert zarr_formats.array_document(store, f"{level}/a")["shape"][0] == days
    with error_log() as log:
        dataset = open_raster(store)
        assert dataset.RasterCount == days
        for day in range(1, days + 1):
            assert np.all(dataset.GetRasterBand(day).ReadAsArray() == day)
            assert dataset.GetRasterBand(day).GetDescription() == f"time=2024-05-{day:02}T00:00:00Z"
    log.assert_quiet()
    assert os.listdir(store.parent) == [store.name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(zarr.open_group(str(store), mode="r").members(max_depth=None))) > 3


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Returns a function that gives a store of the present version, made once."""
    made = {}

    def store(folder):
        key = zarr_formats.is_v3()
        if key not in made:
            made[key] = tmp_path_factory.mktemp("made") / "a.zarr"
            make(made[key])
        target = folder / "a.zarr"
        shutil.rmtree(target, ignore_errors=True)
        for left in os.listdir(folder):
            (folder / left).unlink()
        shutil.copytree(made[key], target)
        return target

    return store


@pytest.mark.parametrize("act", ["append", "overviews", "attributes", "array"])
@pytest.mark.slow
def test_the_next_writer_restores_the_store(tmp_path, stores, act):
    """Kills a writer before each of its renames, and of its removals of files. The next writer is the same command, or
    one of the others."""
    for call in ("rename", "unlink"):
        store = stores(tmp_path)
        calls = run_and_kill(store, act, call, 9999)
        numbers = zarr_faults.some(range(1, calls + 1), 5)
        for turn, number in enumerate(numbers):
            others = [act, "nothing", *sorted(set(SCRIPTS) - {act, "nothing", "delete"})]
            store = stores(tmp_path)
            run_and_kill(store, act, call, number)
            follower = others[turn % len(others)]
            run(store, follower)
            assert_whole(store)


@pytest.mark.parametrize("call", ["unlink", "rename"])
@pytest.mark.slow
def test_a_killed_deletion_is_finished_by_the_same_command(tmp_path, stores, call):
    calls = run_and_kill(stores(tmp_path), "delete", call, 9999)
    for number in zarr_faults.some(range(1, calls + 1), 8):
        store = stores(tmp_path)
        run_and_kill(store, "delete", call, number)
        intent = tmp_path / "a.zarr.intent"
        had_begun = intent.exists() and "a" in json.loads(intent.read_text())["nodes"]
        is_whole = any(store.glob("a/*.*"))
        run_gdal("gdalmanage", "delete", f'ZARR:"{store}":/a')
        if is_whole or had_begun:
            assert os.listdir(tmp_path) == ["a.zarr"]
        assert not (store / "a").exists() and not (store / "time").exists()
        assert not had_begun or not [path for path in store.rglob("*") if path.name in ("a", "time")]

@pytest.mark.slow
def test_an_intent_that_was_not_finished_is_removed(tmp_path, stores):
    trace = run(stores(tmp_path), "append", ["-e", "trace=rename"])
    names = [line.split('"')[3] for line in trace.splitlines() if "rename(" in line]
    store = stores(tmp_path)
    run_and_kill(store, "append", "rename", names.index(f"{store}.intent") + 1)
    assert os.listdir(tmp_path) == ["a.zarr"] and len(list(store.glob(".intent.*.partial"))) == 1
    run(store, "attributes")
    assert not list(store.glob(".intent*"))
    assert_whole(store)


def test_a_kill_between_an_array_and_its_coordinate_is_undone(tmp_path, stores):
    store = stores(tmp_path)
    trace = run(store, "append", ["-e", "trace=rename", "-s", "4096"])
    document = "zarr.json" if zarr_formats.is_v3() else ".zarray"
    targets = [line.split('"')[3] for line in trace.splitlines() if "rename(" in line]
    at = targets.index(f"{store}/a/{document}") + 1
    store = stores(tmp_path)
    run_and_kill(store, "append", "rename", at)
    assert zarr_formats.array_document(store, "time")["shape"] == [3]
    assert zarr_formats.array_document(store, "a")["shape"][0] == 2
    assert set(os.listdir(tmp_path)) == {"a.zarr", "a.zarr.intent"}  # beside the store, where no reader looks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(zarr.open_group(str(store), mode="r").members(max_depth=None))
    run(store, "nothing")
    assert zarr_formats.array_document(store, "time")["shape"] == [2]
    assert_whole(store)


def test_a_kill_after_the_sizes_is_undone(tmp_path, stores):
    """Kills an append between the size of the array and the last document of an overview. Some documents change twice."""
    store = stores(tmp_path)
    trace = run(store, "append", ["-e", "trace=rename", "-s", "4096"])
    targets = [line.split('"')[3] for line in trace.splitlines() if "rename(" in line]
    size, last = ("a/zarr.json", "ovr_2x/zarr.json") if zarr_formats.is_v3() else ("a/.zarray", "ovr_2x/.zattrs")
    first = targets.index(f"{store}/{size}") + 2
    end = len(targets) - targets[::-1].index(f"{store}/{last}")
    for number in zarr_faults.some(range(first, end + 1), 4):
        store = stores(tmp_path)
        run_and_kill(store, "append", "rename", number)
        assert zarr_formats.array_document(store, "a")["shape"][0] == 3
        run(store, "nothing")
        assert zarr_formats.array_document(store, "a")["shape"][0] == 2
        assert_whole(store)


def test_an_append_stays_if_its_intent_cannot_be_removed(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, "CREATE_CONSOLIDATED_METADATA=NO")
    trace = run(store, "append", ["-P", f"{store}.intent", "-e", "trace=unlink", "-e", "inject=unlink:error=EACCES"])
    assert "unlink(" in trace
    for act in ("nothing", "attributes"):
        assert zarr_formats.array_document(store, "a")["shape"][0] == 3
        run(store, act)
    assert zarr_formats.array_document(store, "time")["shape"] == [3]
    assert os.listdir(tmp_path) == ["a.zarr"] or (tmp_path / "a.zarr.intent").stat().st_size == 0


@pytest.mark.slow
def test_another_store_of_the_same_name_ignores_the_intent(tmp_path, stores):
    store = stores(tmp_path)
    document = "zarr.json" if zarr_formats.is_v3() else ".zarray"
    trace = run(store, "append", ["-e", "trace=rename", "-s", "4096"])
    targets = [line.split('"')[3] for line in trace.splitlines() if "rename(" in line]
    at = targets.index(f"{store}/a/{document}") + 1
    store = stores(tmp_path)
    run_and_kill(store, "append", "rename", at)
    intent = (tmp_path / "a.zarr.intent").read_bytes()
    store.rename(tmp_path / "old")  # keeps its inode, so that the new folder gets another one
    shutil.copytree(tmp_path / "old", store)
    documents = zarr_formats.documents(store)
    run(store, "nothing")
    assert zarr_formats.documents(store) == documents
    (tmp_path / "a.zarr.intent").write_bytes(intent)
    gdal.GetDriverByName("Zarr").Delete(str(store))
    assert os.listdir(tmp_path) == ["old"]
