# SPDX-License-Identifier: MIT
"""Kills deletions and renames at system calls and at server requests. Afterwards, no array reads as zeros in place of
its data, and the next writer of the name removes remaining files. ZARR_FAULTS=all tries each call and request instead
of some."""

import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import numpy as np
import pytest
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_s3 import S3
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH
SECONDS = 120
HERE = pathlib.Path(__file__).resolve().parent
CALLS = ["rename", "renameat2", "unlink", "rmdir"]
VALUES = np.full((6, 9), 7, "i2")


def small(path, consolidated=True):
    """Makes a store with the arrays a and g/b, and returns its folder."""
    arrays = {
        "a": {"values": VALUES, "dims": ("y", "x"), "chunks": (3, 9)},
        "g/b": {"values": VALUES, "dims": ("y", "x"), "chunks": (6, 9)},
    }
    return make_store(path.parent, arrays, name=path.name, consolidated=consolidated)


def lone(path):
    """Makes a store whose root is an array, and returns its folder."""
    return make_array(path.parent, VALUES, name=path.name, chunks=(3, 9), fill_value=0)


def traced(act, *words, trace=()):
    """Runs gdalmanage under strace. `act` is "delete" with a name, or "rename" with an old and a new name."""
    return subprocess.run(
        ["strace", "-f", "-qq", *trace, "gdalmanage", act, "-f", "Zarr", *map(str, words)], timeout=SECONDS,
        capture_output=True, text=True, check=False)  # fmt: skip


def each_kill(prepare, act, *words):
    """Runs gdalmanage with a fresh store from prepare(), several times. strace kills each run at another system call.
    Yields name and number of that call after each run."""
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("strace and AddressSanitizer's runtime do not go together; the other stage does it")
    prepare()
    done = traced(act, *words, trace=["--seccomp-bpf", "-e", "trace=" + ",".join(CALLS)])
    assert done.returncode == 0 and "ERROR" not in done.stderr, done.stderr
    calls = collections.Counter(re.findall(r"(\w+)\(", done.stderr))
    killed = 0
    for name in CALLS:
        for number in zarr_faults.some(range(1, calls[name] + 1), 3, name):
            prepare()
            trace = ["-o", os.devnull, "-e", f"inject={name}:signal=KILL:when={number}"]
            done = traced(act, *words, trace=trace)
            if done.returncode == 0:
                break
            assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), (name, number, done.stderr)
            killed += 1
            yield name, number
    assert killed >= 3


def values_in(name):
    """Returns {name: pixels} of the rasters in a store, or {} if the store does not open."""
    with error_log():
        dataset = gdal.OpenEx(str(name), gdal.OF_RASTER, allowed_drivers=["Zarr"])
        if dataset is None:
            return {}
        if dataset.RasterCount:
            return {str(name): dataset.ReadAsArray()}
        return {
            item: gdal.OpenEx(item, gdal.OF_RASTER).ReadAsArray() for item, _ in dataset.GetSubDatasets()
        }


def arrays_in(name):
    """Returns {full name: values} of the arrays in a store, read by the multidimensional API, or {} if the store does
    not open."""

    def below(group):
        for array in group.GetMDArrayNames() or []:
            yield group.OpenMDArray(array)
        for child in group.GetGroupNames() or []:
            yield from below(group.OpenGroup(child))

    with error_log():
        dataset = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["Zarr"])
        if dataset is None:
            return {}
        return {array.GetFullName(): array.ReadAsArray() for array in below(dataset.GetRootGroup())}


def assert_no_zeros(name, told):
    found = {**values_in(name), **arrays_in(name)}
    for path in ("a", "g/b"):
        found.update(values_in(array_name(name, path)))
    for key, values in found.items():
        if values.ndim == 2:
            assert (values == 7).all(), (told, key)
    return len(found)


def assert_next_writer_cleans(store, told):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    source.GetRasterBand(1).Fill(5)
    made = gdal.GetDriverByName("Zarr").CreateCopy(str(store), source)
    assert made is not None, told
    made = None
    assert (open_raster(store).ReadAsArray() == 5).all(), told
    assert [path.name for path in store.parent.iterdir()] == [store.name], told


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


@pytest.mark.parametrize("kind", ["consolidated", "not consolidated", "an array"])
@pytest.mark.slow
def test_a_killed_deletion_of_a_store(tmp_path, kind):
    folder = tmp_path / "f"
    store = folder / "s.zarr"

    def prepare():
        clear(folder)
        lone(store) if kind == "an array" else small(store, kind == "consolidated")

    whole = None
    for told in each_kill(prepare, "delete", store):
        found = assert_no_zeros(store, told)
        whole = whole or found
        assert found in (0, whole), told  # a killed deletion leaves all arrays or none
        for left in folder.glob("*.partial"):
            assert_no_zeros(left, told)
        assert_next_writer_cleans(store, told)


@pytest.mark.parametrize("node", ["a", "g", "g/b"])
@pytest.mark.slow
def test_a_killed_deletion_of_a_node(tmp_path, node):
    folder = tmp_path / "f"
    store = folder / "s.zarr"

    def prepare():
        clear(folder)
        small(store)

    for told in each_kill(prepare, "delete", array_name(store, node)):
        assert_no_zeros(store, told)
        kept = "g/b" if node == "a" else "a"
        assert (open_raster(array_name(store, kept)).ReadAsArray() == 7).all(), told
        # After a kill, the array or group can be deleted and created again.
        with error_log():
            gdal.GetDriverByName("Zarr").Delete(array_name(store, node))
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
        group = dataset.GetRootGroup()
        x = group.CreateDimension("n", None, None, 2)
        if node == "g/b":
            group = group.OpenGroup("g")
        if node == "g":
            assert group.CreateGroup("g") is not None, told
        else:
            array = group.CreateMDArray(node[-1], [x], gdal.ExtendedDataType.Create(gdal.GDT_Int16))
            assert array is not None, told
            assert (array.ReadAsArray() == 0).all(), told
        array = group = dataset = x = None


def left_over(store, path):
    """Removes the metadata documents of an array, or of a group and all nodes below it. The chunks stay, as after a
    killed deletion."""
    for file in (store / path).rglob("*"):
        if file.is_file() and file.name.startswith((".z", "zarr.json")):
            file.unlink()


@pytest.mark.parametrize("path", ["a", "g"])
@pytest.mark.parametrize("made", ["group", "array", "raster"])
def test_a_new_node_replaces_chunks_that_a_deletion_left(tmp_path, path, made):
    store = small(tmp_path / "s.zarr", consolidated=False)
    left_over(store, path)
    before = {file: file.read_bytes() for file in (store / path).rglob("*") if file.is_file()}
    assert before
    if made == "raster":
        source = gdal.GetDriverByName("MEM").Create("", 4, 3)
        options = ["APPEND_SUBDATASET=YES", f"ARRAY_NAME={path}"]
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    else:
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
        group = dataset.GetRootGroup()
        x = group.CreateDimension("n", None, None, 20)
        if made == "group":
            assert group.CreateGroup(path) is not None
        else:
            type_ = gdal.ExtendedDataType.Create(gdal.GDT_Int16)
            assert (group.CreateMDArray(path, [x], type_).ReadAsArray() == 0).all()
        dataset = group = x = None
    assert [file for file in before if file.exists() and file.read_bytes() == before[file]] == []


def test_foreign_files_left_by_a_deletion_are_not_replaced(tmp_path):
    store = small(tmp_path / "s.zarr", consolidated=False)
    left_over(store, "a")
    (store / "a" / "more").mkdir()
    (store / "a" / "more" / "letter.txt").write_text("precious")
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    with error_log():
        group = dataset.GetRootGroup()
        x = group.CreateDimension("n", None, None, 2)
        assert group.CreateMDArray("a", [x], gdal.ExtendedDataType.Create(gdal.GDT_Int16)) is None
    assert (store / "a" / "more" / "letter.txt").read_text() == "precious"


@pytest.fixture
def elsewhere(tmp_path):
    """Returns a folder on another file system than `tmp_path`."""
    own, folders = os.stat(tmp_path).st_dev, ["/dev/shm", "/var/tmp", "/tmp", HERE]
    others = [folder for folder in folders if os.path.isdir(folder) and os.stat(folder).st_dev != own]
    assert others, f"all of {folders} are on the file system of {tmp_path}"
    with tempfile.TemporaryDirectory(dir=others[0]) as folder:
        yield pathlib.Path(folder) / "f"


@pytest.mark.parametrize("kind", ["a group", "an array", "a zip file"])
@pytest.mark.slow
def test_a_store_that_is_renamed_to_another_file_system(tmp_path, elsewhere, kind):
    end = ".zarr.zip" if kind == "a zip file" else ".zarr"
    source, target = tmp_path / "f" / f"s{end}", elsewhere / f"t{end}"

    def prepare():
        clear(source.parent)
        clear(target.parent)
        if kind == "a zip file":
            memory = gdal.GetDriverByName("MEM").Create("", 9, 6, 1, gdal.GDT_Int16)
            memory.GetRasterBand(1).Fill(7)
            assert gdal.GetDriverByName("Zarr").CreateCopy(str(source), memory) is not None
        else:
            lone(source) if kind == "an array" else small(source)

    prepare()
    whole = assert_no_zeros(source, "at the start")
    for told in each_kill(prepare, "rename", source, target):
        found = [assert_no_zeros(name, told) for name in (source, target)]
        assert set(found) <= {0, whole} and any(found), (told, found)
        for name in (source, target):
            assert_next_writer_cleans(name, told)


# ---------------------------------------------------------------------------------------------
# Deletions and renames in object stores, which cannot rename objects


@pytest.fixture(scope="module")
def server(zarr_format, tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        yield server


def each_interruption(server, store, act):
    """Runs act() several times on a fresh upload of `store` as m.zarr. Only the first n changes of run n reach the
    server, as if the client had been killed. Yields n after each run that fails."""
    for changes in zarr_faults.steps():
        server.front.rule(changes=None)
        for name in ("m.zarr", "n.zarr"):
            server.remove(name)
        server.upload(store, "m.zarr")
        server.front.rule(changes=changes)
        with error_log():
            is_done = act() == gdal.CE_None
        server.front.rule(changes=None)
        gdal.VSICurlClearCache()
        if is_done:
            break
        yield changes
        assert changes < 100
    assert changes >= 4


def found_on(server, name, folder, told):
    shutil.rmtree(folder / "downloaded", ignore_errors=True)
    store = server.download(name, folder)
    return assert_no_zeros(store, told) if store.exists() else 0


def assert_next_writer_cleans_on(server, name, told):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    options = ["ARRAY_NAME=new"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(f"/vsis3/demo/{name}", source, options=options) is not None, told
    keys = server.keys_of(name + "/")
    assert keys and all("/" not in key or key.startswith("new/") for key in keys), (told, keys)


@pytest.mark.parametrize("kind", ["consolidated", "not consolidated", "an array"])
@pytest.mark.slow
def test_a_store_that_is_deleted_from_an_object_store(server, tmp_path, kind):
    made = lone(tmp_path / "s.zarr") if kind == "an array" else small(tmp_path / "s.zarr", kind == "consolidated")
    driver = gdal.GetDriverByName("Zarr")
    for told in each_interruption(server, made, lambda: driver.Delete("/vsis3/demo/m.zarr")):
        found_on(server, "m.zarr", tmp_path, told)
        assert_next_writer_cleans_on(server, "m.zarr", told)
    assert server.keys_of("m.zarr/") == []


@pytest.mark.parametrize("kind", ["consolidated", "an array"])
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.slow
def test_listings_that_fail_while_a_store_is_deleted(server, tmp_path, kind, times):
    """If the server fails to list keys, Delete() fails, or it has removed all keys of the store."""
    made = lone(tmp_path / "s.zarr") if kind == "an array" else small(tmp_path / "s.zarr")
    driver = gdal.GetDriverByName("Zarr")
    listings = failed = 0
    while True:
        server.upload(made, "m.zarr")
        server.requests()
        server.front.rule(status={"/demo/": [500, times, listings]})
        with error_log():
            done = driver.Delete("/vsis3/demo/m.zarr") == gdal.CE_None
        server.front.rule(status={})
        is_hit = any(status == 500 for _, _, status in server.requests())
        assert not done or server.keys_of("m.zarr/") == [], listings
        if not is_hit:
            break
        failed += not done
        listings += 1
    assert done and listings > 1 and failed > 0


@pytest.mark.parametrize("node", ["a", "g"])
@pytest.mark.slow
def test_a_node_that_is_deleted_from_an_object_store(server, tmp_path, node):
    made = small(tmp_path / "s.zarr")
    driver = gdal.GetDriverByName("Zarr")
    name = array_name("/vsis3/demo/m.zarr", node)
    for told in each_interruption(server, made, lambda: driver.Delete(name)):
        assert found_on(server, "m.zarr", tmp_path, told) > 0
    assert not any(key.startswith(node + "/") for key in server.keys_of("m.zarr/"))


@pytest.mark.parametrize("kind", ["a group", "an array"])
@pytest.mark.slow
def test_a_store_that_is_renamed_in_an_object_store(server, tmp_path, kind):
    made = lone(tmp_path / "s.zarr") if kind == "an array" else small(tmp_path / "s.zarr")
    whole = assert_no_zeros(made, "at the start")
    driver = gdal.GetDriverByName("Zarr")
    for told in each_interruption(server, made, lambda: driver.Rename("/vsis3/demo/n.zarr", "/vsis3/demo/m.zarr")):
        found = [found_on(server, name, tmp_path, told) for name in ("m.zarr", "n.zarr")]
        assert max(found) == whole, (told, found)
