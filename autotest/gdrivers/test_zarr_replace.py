# SPDX-License-Identifier: MIT
"""Copies that create or replace a store, and are killed. At any moment, the path has the complete old store or the
complete new store, or nothing if there was no old store."""

import collections
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import numpy as np
import pytest
import zarr_faults
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import error_log, open_raster, read_all
from zarr_overviews import entries
from zarr_processes import Process

pytestmark = zarr_formats.BOTH
SECONDS = 120  # maximum run time of a started program
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Options that make a copy slow, with LZMA and small chunks, so that a test can act while the copy runs.
SLOW = ["ARRAY_NAME=v", "COMPRESS=LZMA", "LZMA_PRESET=1", "BLOCKSIZE=256,256"]
ENVIRONMENT = {"GDAL_CACHEMAX": "1", "GDAL_NUM_THREADS": "1"}
WHERE = ["nothing", "an empty folder", "a store"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Writes a raster that takes several seconds to encode; returns its path."""
    path = tmp_path_factory.mktemp("source") / "source.tif"
    values = np.random.default_rng(1).integers(0, 65535, (2500, 2500), "u2")
    dataset = gdal.GetDriverByName("GTiff").Create(
        str(path), 2500, 2500, 1, gdal.GDT_UInt16, ["TILED=YES"])  # fmt: skip
    dataset.WriteArray(values)
    dataset.SetGeoTransform([0, 1, 0, 2500, 0, -1])
    del dataset
    return path


class Job:
    """A running program in which signals have their default effect, even if the shell that started the tests ignores
    them."""

    def __init__(self, *words):
        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)

        self.process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **ENVIRONMENT}, preexec_fn=prepare)  # fmt: skip
        self.deadline = time.monotonic() + SECONDS

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()

    def wait_until(self, is_there):
        """Waits until `is_there()` returns true. Fails if the program ends before."""
        while not is_there():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < self.deadline, "too slow"
            time.sleep(0.002)

    def end_by(self, number):
        """Sends the signal `number`, asserts that it ends the program, and returns the output."""
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=max(1, self.deadline - time.monotonic()))
        assert self.process.returncode == -number, output
        return output.decode()


def chunks_below(folder):
    """Returns the number of chunk files below `folder` that are complete."""
    return sum(path.name[0].isdigit() and path.is_file() and path.suffix != ".partial"
               for path in pathlib.Path(folder).rglob("*"))  # fmt: skip


def options(*items):
    return [word for item in items for word in ("-co", item)]


def small_raster(value=7, size=(30, 40)):
    dataset = gdal.GetDriverByName("MEM").Create("", size[1], size[0], 1, gdal.GDT_UInt16)
    dataset.GetRasterBand(1).Fill(value)
    return dataset


def driver():
    return gdal.GetDriverByName("Zarr")


def small_store(path, *creation_options):
    assert driver().CreateCopy(str(path), small_raster(), options=list(creation_options))


def prepare(store, there):
    """Prepares the path `store` as `there` says: with nothing, an empty folder, or a store with an .aux.xml file."""
    if there == "an empty folder":
        store.mkdir()
    elif there == "a store":
        small_store(store, "ARRAY_NAME=old")
        store.with_name(store.name + ".aux.xml").write_text("<PAMDataset/>")


def named(folder, store):
    """Returns {path: contents} of the files in `folder`, without staging files of `store`."""
    return {name: data for name, data in entries(folder).items()
            if not re.match(re.escape(store.name) + r"\.[0-9a-f]{32}\.partial(/|$)", name)}  # fmt: skip


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.name.endswith(".partial")]


# ---------------------------------------------------------------------------------------------
# Copies whose process is killed


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGKILL])
@pytest.mark.parametrize("there", WHERE)
def test_a_killed_copy_leaves_the_old_store(tmp_path, source, number, there):
    folder = tmp_path / "folder"
    folder.mkdir()
    store = folder / "a.zarr"
    prepare(store, there)
    before = entries(folder)
    with Job("gdal_translate", "-of", "Zarr", *options(*SLOW), source, store) as job:
        job.wait_until(lambda: chunks_below(folder) >= 3)
        assert named(folder, store) == before
        job.end_by(number)
    assert named(folder, store) == before
    assert len(leftovers(folder)) == 1
    # The next store at this path removes the staging files of the killed copy.
    small_store(store)
    assert [path.name for path in folder.iterdir()] == ["a.zarr"]
    assert (read_all(open_raster(store)) == 7).all()


@pytest.mark.parametrize("there", ["nothing", "a store"])
def test_a_killed_copy_into_a_zip_file_leaves_the_old_file(tmp_path, source, there):
    path = tmp_path / "a.zarr.zip"
    if there == "a store":
        small_store(f"/vsizip/{path}")
    before = entries(tmp_path)
    with Job("gdal_translate", "-of", "Zarr", *options(*SLOW), source, f"/vsizip/{path}") as job:
        job.wait_until(
            lambda: any(name.stat().st_size > 300_000 for name in tmp_path.glob("*.partial")))
        assert named(tmp_path, path) == before
        job.end_by(signal.SIGKILL)
    assert named(tmp_path, path) == before
    assert leftovers(tmp_path)
    small_store(f"/vsizip/{path}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr.zip"]
    assert (read_all(open_raster(path)) == 7).all()


@pytest.mark.parametrize("there", ["nothing", "a store"])
@pytest.mark.slow
def test_a_killed_multidimensional_copy_leaves_the_old_store(tmp_path, source, there):
    folder = tmp_path / "folder"
    folder.mkdir()
    store = folder / "a.zarr"
    prepare(store, there)
    plain = tmp_path / "plain.zarr"
    gdal.Translate(str(plain), str(source), format="Zarr",
                   creationOptions=["COMPRESS=NONE", "ARRAY_NAME=v"])  # fmt: skip
    before = entries(folder)
    words = ["-co", "ARRAY:COMPRESS=LZMA", "-co", "ARRAY:LZMA_PRESET=1"]
    with Job("gdalmdimtranslate", "-of", "Zarr", *words, plain, store) as job:
        job.wait_until(lambda: chunks_below(folder) > (1 if there == "a store" else 0))
        job.end_by(signal.SIGKILL)
    assert named(folder, store) == before
    gdal.MultiDimTranslate(str(store), str(plain), format="Zarr")
    assert [path.name for path in folder.iterdir()] == ["a.zarr"]
    np.testing.assert_array_equal(
        zarr.open_group(str(store), mode="r")["v"][...], zarr.open_group(str(plain))["v"][...])


CHANGES = ["mkdir", "rename", "renameat2", "unlink", "rmdir"]


def traced(store, *words):
    """Copies a small raster to `store`, in a process that strace traces with the arguments `words`."""
    script = textwrap.dedent("""
        import sys
        from osgeo import gdal
        source = gdal.GetDriverByName("MEM").Create("", 20, 30, 1)
        source.GetRasterBand(1).Fill(9)
        source.SetGeoTransform([0, 1, 0, 30, 0, -1])
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            sys.argv[1], source, options=["BLOCKSIZE=15,20", "ARRAY_NAME=new"])
    """)
    return subprocess.run(
        ["strace", "-f", "-qq", *words, sys.executable, "-c", script, str(store)], timeout=SECONDS,
        env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False)  # fmt: skip


@pytest.mark.parametrize("there", ["nothing", "a store"])
@pytest.mark.slow
def test_killed_at_each_change_of_the_file_system(tmp_path, there):
    """strace kills a copy at the n-th call of a system call that changes files, for each of these system calls and
    several n."""
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("strace and AddressSanitizer's runtime do not go together; the other stage does it")
    store = tmp_path / "folder" / "a.zarr"
    store.parent.mkdir()
    prepare(store, there)
    old = named(store.parent, store)
    done = traced(store, "--seccomp-bpf", "-e", "trace=" + ",".join(CHANGES))
    assert done.returncode == 0, done.stderr
    calls = collections.Counter(re.findall(r"(\w+)\(", done.stderr))
    calls = {name: calls[name] for name in CHANGES if calls[name]}
    assert {"mkdir", "rename"} <= set(calls) and sum(calls.values()) > 10
    new = named(store.parent, store)
    seen, killed, tried = collections.Counter(), 0, 0
    for name, count in calls.items():
        for number in zarr_faults.some(range(1, count + 1), 5, name):
            tried += 1
            for path in sorted(store.parent.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            prepare(store, there)
            old = named(store.parent, store)
            done = traced(store, "-o", os.devnull, "-e",
                          f"inject={name}:signal=KILL:when={number}")  # fmt: skip
            if done.returncode == 0:  # strace counts calls per thread; no thread made `number` calls
                break
            assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), (name, number)
            killed += 1
            got = named(store.parent, store)
            # The old store's .aux.xml file may still exist, because it is deleted last.
            is_new = {**got, "a.zarr.aux.xml": b""} == {**new, "a.zarr.aux.xml": b""}
            assert is_new or got == old, (name, number)
            seen["new" if is_new else "old"] += 1
            small_store(store)
            assert (read_all(open_raster(store)) == 7).all()
            assert [path.name for path in store.parent.iterdir()] == ["a.zarr"], (name, number)
    assert killed > tried / 2
    assert seen["old"] > 5 and (there == "nothing" or seen["new"] > 0), seen


def test_a_killed_create_leaves_the_written_chunks(tmp_path, source):
    """A killed gdalwarp leaves the chunks that it has written. Create() uses the final name at once, because another
    program may write into the store before it is closed."""
    store = tmp_path / "a.zarr"
    words = ["-wm", "1", *options(*SLOW)]
    with Job("gdalwarp", "-of", "Zarr", *words, source, store) as job:
        job.wait_until(lambda: chunks_below(store) >= 3)
        job.end_by(signal.SIGINT)
    assert not (store / ".zmetadata").exists()  # consolidated metadata is written when the store is closed
    got, wanted = read_all(open_raster(store)), read_all(gdal.Open(str(source)))
    assert 0 < (got == wanted).sum() < wanted.size
    assert ((got == wanted) | (got == 0)).all()
    small_store(store)
    assert (read_all(open_raster(store)) == 7).all()
    assert [path.name for path in tmp_path.iterdir()] == [store.name]


# ---------------------------------------------------------------------------------------------
# Staging files of other processes that are running or were killed


def hold(report, store, seconds):
    """Copies a raster to `store`. The copy pauses until the file <store>.go exists, or for `seconds` at most."""
    go_on = pathlib.Path(str(store) + ".go")

    def progress(complete, *_):
        report("began")
        deadline = time.monotonic() + seconds
        while not go_on.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        return 1

    made = driver().CreateCopy(
        str(store), small_raster(11, (300, 300)), options=["BLOCKSIZE=100,100"], callback=progress)
    report("made" if made else "failed")


def test_staging_files_of_a_running_process_are_left_alone(tmp_path):
    store = tmp_path / "a.zarr"
    other = Process(hold, store, SECONDS)
    other.wait_for("began")
    assert len(leftovers(tmp_path)) == 1
    small_store(store)
    assert len(leftovers(tmp_path)) == 1 and (read_all(open_raster(store)) == 7).all()
    assert driver().CreateCopy(str(store), small_raster(8))
    assert len(leftovers(tmp_path)) == 1 and (read_all(open_raster(store)) == 8).all()
    (tmp_path / "a.zarr.go").touch()
    assert other.succeed()[-1] == "made"
    # The process that finishes last replaces the store that the other one made.
    assert leftovers(tmp_path) == [] and (read_all(open_raster(store)) == 11).all()


def test_staging_files_of_killed_processes_are_removed_together(tmp_path):
    store = tmp_path / "a.zarr"
    others = [Process(hold, store, SECONDS) for _ in range(3)]
    for other in others:
        other.wait_for("began")
    assert len(leftovers(tmp_path)) == 3
    others[1].kill()
    small_store(store)
    assert len(leftovers(tmp_path)) == 2
    others[0].kill()
    others[2].kill()
    small_store(store)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


def test_threads_that_make_the_same_store(tmp_path):
    store = tmp_path / "a.zarr"
    results = []

    def make(value):
        gdal.DontUseExceptions()
        with gdal.quiet_errors() if hasattr(gdal, "quiet_errors") else error_log():
            made = driver().CreateCopy(str(store), small_raster(value, (400, 400)),
                                       options=["BLOCKSIZE=50,50"])  # fmt: skip
            results.append(made is not None)

    threads = [threading.Thread(target=make, args=(value,)) for value in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert any(results)
    pixels = np.unique(read_all(open_raster(store)))
    assert len(pixels) == 1 and pixels[0] in range(1, 5)
    assert leftovers(tmp_path) == []


# ---------------------------------------------------------------------------------------------
# Replacement of the old store by the new one


@pytest.mark.parametrize("name", ["a.zarr", "a.zarr.zip"])
def test_warnings_name_the_store_and_not_its_staging_name(name, tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 4, 4, 2)
    source.GetRasterBand(1).SetScale(2)
    source.GetRasterBand(1).SetNoDataValue(-9999)
    assert driver().CreateCopy(str(tmp_path / name), source, options=["SINGLE_ARRAY=YES"])
    assert len(cpl.warnings) == 2 and cpl.errors == []
    assert not any(".partial" in text for text in cpl.warnings), cpl.warnings
    assert all(f"{tmp_path}/{name}" in text for text in cpl.warnings)


def test_files_created_beside_the_old_store_meanwhile_stay(tmp_path):
    store = tmp_path / "a.zarr"
    small_store(store)

    def progress(*_):
        (store / "letter.txt").write_text("Dear")
        return 1

    with error_log() as log:
        assert driver().CreateCopy(str(store), small_raster(8), callback=progress) is None
    (error,) = log.errors
    assert "letter.txt" in error and ".partial" not in error
    assert (store / "letter.txt").exists() and (read_all(open_raster(store)) == 7).all()
    assert leftovers(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "real.zarr", tmp_path / "a.zarr"
    small_store(real)
    link.symlink_to(real)
    assert driver().CreateCopy(str(link), small_raster(8))
    assert link.is_symlink() and link.resolve() == real
    assert (read_all(open_raster(real)) == 8).all()
    assert sorted(path.name for path in (tmp_path / "disk").iterdir()) == ["real.zarr"]


@pytest.mark.parametrize("there", ["an empty folder", "a store"])
def test_the_new_folder_has_the_mode_of_the_old(tmp_path, there):
    store = tmp_path / "a.zarr"
    prepare(store, there)
    store.chmod(0o750)
    small_store(store)
    assert stat.S_IMODE(store.stat().st_mode) == 0o750


def test_the_current_folder_is_filled_in_place(tmp_path, monkeypatch):
    (tmp_path / "a.zarr").mkdir()
    monkeypatch.chdir(tmp_path / "a.zarr")
    small_store(".")
    assert (read_all(open_raster(tmp_path / "a.zarr")) == 7).all()
    assert (read_all(open_raster(pathlib.Path("."))) == 7).all()


def test_relative_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in (7, 8):
        assert driver().CreateCopy("b/a.zarr", small_raster(value))
        assert (read_all(open_raster("b/a.zarr")) == value).all()
    assert os.listdir("b") == ["a.zarr"]


@pytest.mark.parametrize("there", ["an empty folder", "a store"])
def test_a_folder_below_a_read_only_folder_is_filled_in_place(there):
    folder = pathlib.Path(tempfile.mkdtemp())
    store = folder / "a.zarr"
    prepare(store, there)

    def write(report):
        if os.getuid() == 0:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
        report("made" if driver().CreateCopy(str(store), small_raster(8)) else "failed")

    if os.getuid() == 0:
        for path in [store, *store.rglob("*")]:
            os.chown(path, 65534, 65534)
    folder.chmod(0o555)
    try:
        assert Process(write).succeed() == ["made"]
        assert (read_all(open_raster(store)) == 8).all()
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_the_returned_dataset_is_in_update_mode(tmp_path):
    store = tmp_path / "a.zarr"
    made = driver().CreateCopy(str(store), small_raster())
    assert made.GetDescription() == str(store) and made.GetFileList() == [str(store)]
    made.GetRasterBand(1).WriteArray(np.full((5, 5), 9, "u2"))
    made.SetMetadataItem("title", "changed")
    del made
    opened = open_raster(store)
    assert (read_all(opened)[0, :5, :5] == 9).all() and opened.GetMetadataItem("title") == "changed"
    assert zarr.open_consolidated(str(store), mode="r")["a"].attrs["title"] == "changed"


@pytest.mark.parametrize("way", ["Create", "CreateCopy", "CreateMultiDimensional"])
def test_messages_name_the_store_as_it_will_be(tmp_path, way, cpl):
    """Errors during a copy name the store by its final name, not by its staging name."""
    store = tmp_path / "a.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 50, 50)
    source.SetMetadataItem("_CRS", "not one")
    if way == "CreateCopy":
        assert driver().CreateCopy(str(store), source)
    elif way == "Create":
        driver().Create(str(store), 5, 5).SetMetadataItem("_CRS", "not one")
    else:
        root = driver().CreateMultiDimensional(str(store)).GetRootGroup()
        assert root.CreateGroup(".zarray") is None
    text = cpl.the_error() if way == "CreateMultiDimensional" else cpl.warnings[0]
    assert text.startswith(f"{store}: ")


# ---------------------------------------------------------------------------------------------
# Copies do not change the calling process: its signal handlers, umask and working folder


def caught():
    """Returns the signals that this process handles, as hexadecimal digits of a bit set."""
    status = pathlib.Path("/proc/self/status").read_text()
    return re.search(r"SigCgt:\s*(\w+)", status)[1]


@pytest.mark.parametrize("job", ["copy", "multidimensional copy", "overviews"])
def test_signals_stay_the_hosts(tmp_path, job):
    before, during = caught(), set()

    def progress(*_):
        during.add(caught())
        return 1

    store = tmp_path / "a.zarr"
    if job == "copy":
        assert driver().CreateCopy(str(store), small_raster(), callback=progress)
    elif job == "multidimensional copy":
        small_store(tmp_path / "b.zarr")
        source = gdal.OpenEx(str(tmp_path / "b.zarr"), gdal.OF_MULTIDIM_RASTER)
        assert driver().CreateCopy(str(store), source, callback=progress)
    else:
        small_store(store)
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        assert dataset.BuildOverviews("NEAREST", [2], callback=progress) == gdal.CE_None
    assert during == {before}


_THREAD = """
import sys, threading
from osgeo import gdal
source, store = sys.argv[1:]
opened = gdal.Open(source)
def copy():
    gdal.GetDriverByName("Zarr").CreateCopy(store, opened, options=%r)
    print("copied", flush=True)
thread = threading.Thread(target=copy)
thread.start()
thread.join()
"""


def test_a_signal_ends_python_while_a_thread_copies(tmp_path, source):
    store = tmp_path / "a.zarr"
    with Job(sys.executable, "-c", textwrap.dedent(_THREAD) % (SLOW,), source, store) as job:
        job.wait_until(lambda: chunks_below(tmp_path) >= 1)
        output = job.end_by(signal.SIGTERM)
    assert "copied" not in output and chunks_below(tmp_path) < 100
    assert not store.exists()


# ---------------------------------------------------------------------------------------------
# Stores that another process deletes while a dataset is open


@pytest.mark.parametrize("way", ["Create", "update", "multidimensional"])
def test_a_store_that_was_deleted_meanwhile_does_not_come_back(tmp_path, way, cpl):
    store = tmp_path / "a.zarr"
    small_store(store)
    if way == "Create":
        dataset = driver().Create(str(store), 30, 40, 1, gdal.GDT_Byte)
    elif way == "update":
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.SetMetadataItem("title", "stored")
        dataset.FlushCache()
    else:
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
        dataset.GetRootGroup().CreateGroup("g")
    subprocess.run(["rm", "-r", str(store)], check=True)
    del dataset
    assert list(tmp_path.iterdir()) == []
    cpl.assert_quiet()
    # A new store at the path of the deleted store opens normally.
    zarr.open_group(str(store), mode="w").array("b", np.ones((3, 4)))
    assert (read_all(open_raster(store)) == 1).all()


def test_pixels_for_a_store_that_was_deleted_meanwhile_are_an_error(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    dataset = driver().Create(str(store), 30, 40, 1, gdal.GDT_Byte)
    dataset.GetRasterBand(1).Fill(5)
    subprocess.run(["rm", "-r", str(store)], check=True)
    with error_log() as log:
        del dataset
    assert len(log.errors) == 1 and str(store) in log.errors[0]
    assert list(tmp_path.iterdir()) == []
