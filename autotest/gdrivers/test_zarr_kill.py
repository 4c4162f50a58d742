# SPDX-License-Identifier: MIT
"""Kills processes while they write. Afterwards the store opens, each of its chunks decodes, and data flushed
before the kill are stored."""

import fcntl
import os
import pathlib
import random
import resource
import signal
import time

import numpy as np
import pytest
import zarr_faults
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_processes import Process

pytestmark = zarr_formats.FORMS
SEED = os.environ["ZARR_TEST_SEED"]
ROUNDS = 80 if zarr_faults.ALL else 32  # number of processes to kill for each of zarr_formats.FORMS
WINDOWS = 4000  # number of windows in a plan, more than a process can write before its kill
KINDS = ["create", "update", "replace", "append"]


def driver():
    return gdal.GetDriverByName("Zarr")


class Plan:
    """Plan of one round: an Int32 raster, and the windows that a process writes into it. All pixels of the n-th window
    have the value n; other pixels are negative or 0."""

    def __init__(self, turn):
        self.turn = turn
        self.kind = KINDS[turn % len(KINDS)]
        choose = self.choose = random.Random(f"{SEED} {turn}")
        self.told = f"ZARR_TEST_SEED={SEED} turn {turn} {self.kind}"
        self.bands = choose.randint(1, 2)
        self.rows, self.columns = choose.randint(20, 150), choose.randint(20, 150)
        self.chunk = choose.choice([16, 40, 200])
        self.options = ["ARRAY_NAME=a", "COMPRESS=" + choose.choice(["NONE", "ZLIB", "ZSTD"]),
                        "DIM_SEPARATOR=" + choose.choice("./"), *zarr_formats.block_options(
                            min(self.chunk, self.rows), min(self.chunk, self.columns))]  # fmt: skip
        self.consolidated = choose.random() < 0.7
        self.options.append(f"CREATE_ZMETADATA={'YES' if self.consolidated else 'NO'}")
        self.windows = [self._window() for _ in range(WINDOWS)]
        self.flushes = [choose.random() < 0.3 for _ in range(WINDOWS)]
        self.notes = [choose.random() < 0.3 for _ in range(WINDOWS)]
        self.delay = choose.choice([0.004, 0.02, 0.06]) * choose.random()
        # The delay before the kill begins when the process reports the word `start`, or when the process starts if
        # `start` is empty. Without such words, a slow process would always be killed before its first flush.
        self.start = choose.choice(["", "opened", "flushed"])

    def _window(self):
        choose = self.choose
        width, height = choose.randint(1, self.columns), choose.randint(1, self.rows)
        if choose.random() < 0.2:
            width, height = self.columns, self.rows
        x, y = choose.randint(0, self.columns - width), choose.randint(0, self.rows - height)
        return choose.randrange(self.bands), slice(y, y + height), slice(x, x + width)

    def before(self):
        """Returns the pixels of the store that exists before the writing process starts. Returns zeros for the kind
        "create", which has no such store."""
        shape = (self.bands, self.rows, self.columns)
        if self.kind == "create":
            return np.zeros(shape, "i4")
        return -1 - np.arange(np.prod(shape), dtype="i4").reshape(shape)

    def make(self, store):
        """Writes the store that exists before the writing process starts. Writes nothing for the kind "create"."""
        if self.kind == "create":
            return
        source = gdal.GetDriverByName("MEM").Create(
            "", self.columns, self.rows, self.bands, gdal.GDT_Int32
        )
        source.WriteArray(self.before() if self.bands > 1 else self.before()[0])
        options = ["ARRAY_NAME=old", *self.options[1:]] if self.kind == "append" else self.options
        driver().CreateCopy(str(store), source, options=options)


def write(report, plan, store):
    """Writes the windows of the plan. Runs in the process that is killed."""
    if plan.kind == "update":
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    else:
        options = [*plan.options, *(["APPEND_SUBDATASET=YES"] if plan.kind == "append" else [])]
        dataset = driver().Create(
            str(store), plan.columns, plan.rows, plan.bands, gdal.GDT_Int32, options
        )
    assert dataset is not None, gdal.GetLastErrorMsg()
    report("opened")
    for i, (band, rows, columns) in enumerate(plan.windows):
        values = np.full((rows.stop - rows.start, columns.stop - columns.start), i + 1, "i4")
        dataset.GetRasterBand(band + 1).WriteArray(values, columns.start, rows.start)
        if plan.notes[i]:
            dataset.SetMetadataItem("note", str(i + 1))
        if plan.flushes[i]:
            dataset.FlushCache()
            report(f"flushed {i + 1}")
        if i % 40 == 39:
            del dataset
            report(f"flushed {i + 1}")
            dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
            report("opened")


def documents(store):
    """Returns {v2 key: metadata document} without the consolidated metadata. Fails if a metadata document is
    truncated."""
    found = zarr_formats.documents(store)
    found.pop(".zmetadata", None)
    return found


def is_made(store):
    """True if the store exists and contains an array."""
    return store.exists() and any(key.endswith(".zarray") for key in documents(store))


def check_consolidated(store, told):
    consolidated = zarr_formats.consolidated(store)
    if consolidated is not None:
        assert consolidated == documents(store), told
    return consolidated is not None


def check_pixels(plan, got, before, flushed):
    """Asserts that each pixel has the value of the last flushed window that contains it, or of a later
    window."""
    model = before.copy()
    for i in range(flushed):
        model[plan.windows[i]] = i + 1
    for pixel in np.argwhere(got != model):
        value = int(got[tuple(pixel)])
        assert flushed < value <= WINDOWS, (plan.told, pixel, value, model[tuple(pixel)])
        band, rows, columns = plan.windows[value - 1]
        inside = rows.start <= pixel[1] < rows.stop and columns.start <= pixel[2] < columns.stop
        assert inside and band == pixel[0], (plan.told, pixel, value)


def values_of(array):
    """Returns the values that zarr-python reads, with the shape bands x rows x columns."""
    values = array[...]
    return values if values.ndim == 3 else values[None]


def check(plan, store, lines):
    """Asserts all properties that a store must have after its writer was killed. `lines` are the reports of the writer.
    Returns words that describe the state of the store, which the test counts."""
    flushed = max([int(line.split()[1]) for line in lines if line.startswith("flushed")], default=0)
    if not is_made(store):
        # The process was killed before its first array existed. If it was replacing a store, it had already deleted the
        # old store.
        assert "opened" not in lines and plan.kind in ("create", "replace"), plan.told
        return {"nothing"}
    consolidated = check_consolidated(store, plan.told)
    group = zarr.open_group(str(store), mode="r")
    if plan.kind == "append":
        np.testing.assert_array_equal(values_of(group["old"]), plan.before())
        if "a" not in group:
            assert "opened" not in lines, plan.told
            return {"nothing"}
    before = np.zeros_like(plan.before()) if plan.kind == "append" else plan.before()
    with error_log() as log:
        dataset = open_raster(array_name(store, "a"))
        got = read_all(dataset)
        note = int(dataset.GetMetadataItem("note") or 0)
    log.assert_quiet()
    # Pixels that were never written are undefined in zarr-python and 0 in GDAL, so only written pixels are
    # compared.
    written = got != 0
    np.testing.assert_array_equal(
        values_of(group["a"])[written], got[written], err_msg=plan.told)
    if plan.kind == "replace" and ("opened" in lines or not (got == before).all()):
        before = np.zeros_like(before)
    check_pixels(plan, got, before, flushed)
    noted = max([i + 1 for i in range(flushed) if plan.notes[i]], default=0)
    assert noted <= note, plan.told
    return {"flushed" if flushed else "opened", *(["consolidated"] if consolidated else [])}


def go_on(plan, store):
    """Asserts that another writer can change, replace and delete the store."""
    if plan.kind == "replace" or not is_made(store):
        source = gdal.GetDriverByName("MEM").Create("", 30, 20, 1, gdal.GDT_Int32)
        source.WriteArray(np.full((20, 30), 5))
        assert driver().CreateCopy(str(store), source, options=["ARRAY_NAME=a"]), plan.told
        wanted = np.full((1, 20, 30), 5)
    else:
        name = name_of(store)
        dataset = gdal.OpenEx(array_name(store, name), gdal.OF_UPDATE)
        wanted = read_all(dataset)
        wanted[:, 3:9, 5:11] = 77
        for i in range(dataset.RasterCount):
            dataset.GetRasterBand(i + 1).WriteArray(wanted[i, 3:9, 5:11], 5, 3)
        dataset.SetMetadataItem("next", "writer")
        del dataset
        assert zarr.open_group(str(store), mode="r")[name].attrs["next"] == "writer"
    np.testing.assert_array_equal(read_all(open_raster(array_name(store, name_of(store)))), wanted)
    check_consolidated(store, plan.told)
    assert driver().Delete(str(store)) == gdal.CE_None, plan.told
    assert not store.exists()


def name_of(store):
    return "a" if zarr_formats.has(store, "a/.zarray") else "old"


@pytest.mark.slow
def test_a_killed_writer_leaves_whole_stores(tmp_path):
    """Kills each writer at a random moment, and checks the store."""
    print(f"ZARR_TEST_SEED={SEED}")
    seen = {}
    for turn in range(ROUNDS):
        plan = Plan(turn)
        store = tmp_path / f"{turn}.zarr"
        plan.make(store)
        process = Process(write, plan, store)
        if plan.start:
            process.wait_for_word(plan.start)
        time.sleep(plan.delay)
        lines = process.kill()
        assert process.status == signal.SIGKILL, (plan.told, lines)
        leftovers = {"leftovers"} if any(tmp_path.rglob("*.partial")) else set()
        for what in check(plan, store, lines) | leftovers:
            seen[what] = seen.get(what, 0) + 1
        go_on(plan, store)
    print(seen)
    # If few processes flushed before their kill, the kills are too early to test anything.
    assert seen.get("flushed", 0) > ROUNDS / 10, seen


def write_too_much(report, store):
    """Writes a chunk that is larger than the limit on file sizes. The system then kills the process in the
    middle of a file."""
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
    values = np.random.default_rng(1).integers(0, 2**31, (100, 100), "i4")
    report("opened")
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
    dataset.GetRasterBand(1).WriteArray(values)
    report("written")
    dataset.FlushCache()
    report("flushed")


def make_store(store, options=()):
    dataset = driver().Create(str(store), 100, 100, 1, gdal.GDT_Int32, [
        "ARRAY_NAME=a", "COMPRESS=NONE", *zarr_formats.block_options(100, 100), *options])  # fmt: skip
    dataset.GetRasterBand(1).Fill(3)
    del dataset
    return store


@pytest.mark.parametrize("next_writer", ["update", "replace", "delete"])
def test_half_a_file_is_never_a_chunk(tmp_path, next_writer):
    """A process that is killed in the middle of writing a file leaves a file *.partial. All chunks of the store are
    therefore complete."""
    store = make_store(tmp_path / "half.zarr")
    process = Process(write_too_much, store)
    lines = process.finish()
    assert os.WTERMSIG(process.status) == signal.SIGXFSZ, lines
    assert lines[-1] == "opened"
    (half,) = store.rglob("*.partial")
    assert half.stat().st_size == 10000
    assert (zarr.open_group(str(store), mode="r")["a"][...] == 3).all()
    assert (read_all(open_raster(store)) == 3).all()
    assert list(zarr.open_group(str(store), mode="r").array_keys()) == ["a", *(
        name for name in ("x", "y") if (store / name).exists())]  # fmt: skip
    if next_writer == "update":
        dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
        dataset.GetRasterBand(1).WriteArray(np.full((50, 50), 4))
        del dataset
        assert not half.exists()
        assert (read_all(open_raster(store))[0, :50, :50] == 4).all()
        assert (read_all(open_raster(store))[0, 50:] == 3).all()
    elif next_writer == "replace":
        make_store(store)
        assert not half.exists()
        assert (read_all(open_raster(store)) == 3).all()
    assert driver().Delete(str(store)) == gdal.CE_None
    assert not pathlib.Path(store).exists()


def change_a_chunk(store):
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((10, 10), 4))
    del dataset


def test_unlocked_files_of_killed_writers_are_removed(tmp_path):
    store = make_store(tmp_path / "left.zarr", ["DIM_SEPARATOR=/"])
    folder = zarr_formats.chunk_file(store, "a", 0, 0).parent
    root = zarr_formats.document_file(store, ".zgroup")
    held = folder / f"0.7a617272{7:024x}.partial"
    left = [folder / f"{key}.7a617272{i:024x}.partial" for i in range(3) for key in ("0", "1", ".x")]
    others = [folder / f"0.{7:032x}.partial", folder / f".7a617272{7:024x}.partial",
              folder / f"0.7a617272{7:024x}.partial.bak", folder / f"0.7a617272{7:024X}.PARTIAL"]  # fmt: skip
    for path in [held, *left, *others]:
        path.write_bytes(b"half of a chunk")
    (folder / f"5.7a617272{7:024x}.partial").mkdir()
    (folder / f"6.7a617272{7:024x}.partial").symlink_to(root)
    with held.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        change_a_chunk(store)
        assert held.exists() and not any(path.exists() for path in left)
    change_a_chunk(store)
    assert not held.exists() and all(path.exists() for path in others)
    assert root.exists() and (folder / f"5.7a617272{7:024x}.partial").exists()
    assert (read_all(open_raster(store))[0, :10, :10] == 4).all()
