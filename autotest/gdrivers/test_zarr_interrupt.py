# SPDX-License-Identifier: MIT
"""Signals that arrive while GDAL's tools make or change a store: the process ends by the signal,
and before it does a store that was being made is gone, and one that was there is whole."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import zarr
from osgeo import gdal
from zarr_gdal import create_deletes_first, open_raster, read_all
from zarr_overviews import entries

SECONDS = 120  # no job takes longer
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Slow to encode, so that there is time to come in between; and in many small parts.
SLOW = ["ARRAY_NAME=v", "COMPRESS=LZMA", "LZMA_PRESET=1", "BLOCKSIZE=256,256"]
ENVIRONMENT = {"GDAL_CACHEMAX": "1", "GDAL_NUM_THREADS": "1"}
CHUNKS = 100  # of the raster, about


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A raster that takes seconds to encode."""
    path = tmp_path_factory.mktemp("source") / "source.tif"
    values = np.random.default_rng(1).integers(0, 65535, (2500, 2500), "u2")
    dataset = gdal.GetDriverByName("GTiff").Create(
        str(path), 2500, 2500, 1, gdal.GDT_UInt16, ["TILED=YES"])  # fmt: skip
    dataset.WriteArray(values)
    dataset.SetGeoTransform([0, 1, 0, 2500, 0, -1])
    del dataset
    return path


@pytest.fixture(scope="module")
def slow_store(source, tmp_path_factory):
    """The same as a store of slow chunks."""
    path = tmp_path_factory.mktemp("slow") / "slow.zarr"
    gdal.Translate(str(path), str(source), format="Zarr", creationOptions=SLOW)
    return path


class Job:
    """A program that runs; signals that the shell of the tests may ignore have their default
    disposition in it, but for `ignored`."""

    def __init__(self, *words, ignored=(), environment=()):
        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        self.process = subprocess.Popen(
            [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, **ENVIRONMENT, **dict(environment)}, preexec_fn=prepare,
        )  # fmt: skip
        self.deadline = time.monotonic() + SECONDS

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()

    def wait_until(self, is_there):
        """Polls; the job must not end before."""
        while not is_there():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < self.deadline, "too slow"
            time.sleep(0.002)

    def send(self, number):
        """Returns once the process has taken the signal."""
        self.process.send_signal(number)
        status = pathlib.Path(f"/proc/{self.process.pid}/status")

        def is_taken():
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
            waiting = int(fields["SigPnd"], 16) | int(fields["ShdPnd"], 16)
            return fields["State"][0] == "Z" or not waiting & (1 << (number - 1))

        while not is_taken():
            assert time.monotonic() < self.deadline, "too slow"

    def end(self):
        """How it ended (a signal as a negative number), and what it said."""
        output, _ = self.process.communicate(timeout=max(1, self.deadline - time.monotonic()))
        return self.process.returncode, output.decode()


def chunks_below(folder):
    """How many chunks there are."""
    return sum(path.name[0].isdigit() and path.is_file() and path.suffix != ".partial"
               for path in pathlib.Path(folder).rglob("*"))  # fmt: skip


def options(*items):
    return [word for item in items for word in ("-co", item)]


def same(folder):
    """Files, and consolidated metadata as what they say."""
    return {name: json.loads(data) if name.endswith(".zmetadata") else data
            for name, data in entries(folder).items()}  # fmt: skip


def small_store(path, *creation_options):
    dataset = gdal.GetDriverByName("MEM").Create("", 40, 30, 1, gdal.GDT_UInt16)
    dataset.GetRasterBand(1).Fill(7)
    gdal.GetDriverByName("Zarr").CreateCopy(str(path), dataset, options=list(creation_options))


# ---------------------------------------------------------------------------------------------
# gdal_translate


@pytest.mark.parametrize("number,chunks,there", [
    *((number, 1, there) for number in SIGNALS for there in (False, True)),
    *((signal.SIGINT, chunks, there) for chunks in (0, CHUNKS // 2) for there in (False, True)),
])  # fmt: skip
def test_a_store_that_was_being_made_is_gone(tmp_path, source, number, chunks, there):
    folder = tmp_path / "folder"
    folder.mkdir()
    store = folder / "a.zarr"
    if there:
        small_store(store, "ARRAY_NAME=old")
        (folder / "a.zarr.aux.xml").write_text("<PAMDataset/>")
    before = entries(folder)
    with Job("gdal_translate", "-of", "Zarr", *options(*SLOW), source, store) as job:
        job.wait_until(lambda: (store / "v" / ".zarray").exists()
                       and chunks_below(store) >= chunks)  # fmt: skip
        assert entries(folder) != before
        job.send(number)
        code, output = job.end()
    assert code == -number, output
    assert "cancelled" in output
    assert entries(folder) == before and store.exists() == there


def growing_store(path):
    """A cube of slow chunks with one slice."""
    group = zarr.open_group(str(path), mode="w")
    array = group.create_dataset("v", shape=(1, 2500, 2500), chunks=(1, 256, 256), dtype="u2",
                                 compressor=zarr.codecs.LZMA(preset=1))  # fmt: skip
    array.attrs["_ARRAY_DIMENSIONS"] = ["time", "y", "x"]
    time_of = group.create_dataset("time", data=np.arange(1.0), chunks=(1,))
    time_of.attrs["_ARRAY_DIMENSIONS"] = ["time"]
    zarr.consolidate_metadata(str(path))


# Creation options; what is there before; where chunks appear, and how many to wait for.
OTHERS = {
    "overviews": ([*SLOW, "OVERVIEWS=2,4"], None, "overviews", 1),
    "a subdataset": ([*SLOW, "APPEND_SUBDATASET=YES"],
                     lambda path: small_store(path, "ARRAY_NAME=first"), "v", 3),
    "slices": (["APPEND_DIM=time", "APPEND_DIM_VALUES=1"], growing_store, "v", 3),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_so_is_what_was_being_added(tmp_path, source, what):
    words, prepare, array, count = OTHERS[what]
    store = tmp_path / "a.zarr"
    if prepare:
        prepare(store)
    before = same(tmp_path)
    with Job("gdal_translate", "-of", "Zarr", *options(*words), source, store) as job:
        job.wait_until(lambda: chunks_below(store / array) >= count)
        job.send(signal.SIGINT)
        code, output = job.end()
    assert code == -signal.SIGINT, output
    assert same(tmp_path) == before


@pytest.mark.parametrize("there", [False, True])
def test_so_is_a_zip_file(tmp_path, source, there):
    path = tmp_path / "a.zarr.zip"
    target = f"/vsizip/{path}"
    if there:
        small_store(target)
    before, chunk = entries(tmp_path), 100_000
    with Job("gdal_translate", "-of", "Zarr", *options(*SLOW), source, target) as job:
        job.wait_until(lambda: path.exists() and path.stat().st_size > 3 * chunk)
        job.send(signal.SIGINT)
        code, output = job.end()
    assert code == -signal.SIGINT, output
    assert entries(tmp_path) == before


def test_the_second_signal_ends_it_at_once(tmp_path, source):
    """What was made till then stays, opens, and gives way to another store."""
    store = tmp_path / "a.zarr"
    with Job("gdal_translate", "-of", "Zarr", *options(*SLOW), source, store,
             environment={"GDAL_CACHEMAX": "200"}) as job:  # fmt: skip
        job.wait_until(lambda: chunks_below(store) >= 1)
        job.send(signal.SIGINT)
        job.send(signal.SIGINT)
        code, output = job.end()
    assert code == -signal.SIGINT and "cancelled" not in output
    check_partial(store, source)


def check_partial(store, source):
    """What a process that ended at once leaves: pixels are those of the source, or absent."""
    got, wanted = read_all(open_raster(store)), read_all(gdal.Open(str(source)))
    assert 0 < (got == wanted).sum() < wanted.size
    assert ((got == wanted) | (got == 0)).all()
    group = zarr.open_group(str(store), mode="r")
    array = next(array for _, array in group.arrays() if array.ndim == 2)
    places = chunk_places(array, store)
    assert places
    for place in places:  # without a fill value absent chunks have no value
        assert ((array[place] == wanted[0][place]) | (array[place] == 0)).all()
    small_store(store)
    assert (read_all(open_raster(store)) == 7).all()
    assert [path.name for path in store.parent.iterdir()] == [store.name]


def chunk_places(array, store):
    """The slices of the chunks that the store has."""
    names = [path.name for path in (pathlib.Path(store) / array.path).iterdir()]
    return [tuple(slice(int(index) * size, (int(index) + 1) * size)
                  for index, size in zip(name.split("."), array.chunks))
            for name in names if re.fullmatch(r"\d+\.\d+", name)]  # fmt: skip


@pytest.mark.parametrize("number", SIGNALS)
def test_signals_that_are_ignored_stay_so(tmp_path, source, number):
    """As under nohup: the store is made to its end."""
    store = tmp_path / "a.zarr"
    words = ["-srcwin", 0, 0, 1000, 1000, *options(*SLOW)]
    with Job("gdal_translate", "-of", "Zarr", *words, source, store, ignored=SIGNALS) as job:
        job.wait_until(lambda: chunks_below(store) >= 1)
        job.send(number)
        code, output = job.end()
    assert code == 0, output
    np.testing.assert_array_equal(
        read_all(open_raster(store))[0], gdal.Open(str(source)).ReadAsArray(0, 0, 1000, 1000))


# ---------------------------------------------------------------------------------------------
# Other tools


@pytest.mark.parametrize("number", SIGNALS)
def test_overviews_that_were_being_built_are_gone(tmp_path, slow_store, number):
    store = shutil.copytree(slow_store, tmp_path / "a.zarr")
    before = same(store)
    with Job("gdaladdo", "-r", "average", store, 2, 4) as job:
        job.wait_until(lambda: chunks_below(store / "overviews") >= 1)
        job.send(number)
        code, output = job.end()
    assert code == -number, output
    assert same(store) == before
    assert open_raster(store).GetRasterBand(1).GetOverviewCount() == 0


@pytest.mark.parametrize("there", [False, True])
def test_a_multidimensional_copy_is_gone(tmp_path, source, there):
    if there and create_deletes_first():
        pytest.skip(create_deletes_first.__doc__)
    folder = tmp_path / "folder"
    folder.mkdir()
    store = folder / "a.zarr"
    if there:
        small_store(store)
    plain = tmp_path / "plain.zarr"
    gdal.Translate(str(plain), str(source), format="Zarr",
                   creationOptions=["COMPRESS=NONE", "ARRAY_NAME=v"])  # fmt: skip
    before = entries(folder)
    words = ["-co", "ARRAY:COMPRESS=LZMA", "-co", "ARRAY:LZMA_PRESET=1"]
    with Job("gdalmdimtranslate", "-of", "Zarr", *words, plain, store) as job:
        job.wait_until(lambda: chunks_below(store / "v") >= 1)
        job.send(signal.SIGINT)
        code, output = job.end()
    assert code == -signal.SIGINT, output
    assert entries(folder) == before and store.exists() == there


def test_what_create_made_stays_as_far_as_it_was_written(tmp_path, source):
    """gdalwarp and others that write step by step: the driver cannot know that what is there is of
    no use, so that the process ends at once, as ever."""
    store = tmp_path / "a.zarr"
    words = ["-wm", "1", *options(*SLOW)]
    with Job("gdalwarp", "-of", "Zarr", *words, source, store) as job:
        job.wait_until(lambda: chunks_below(store) >= 3)
        job.send(signal.SIGINT)
        code, _ = job.end()
    assert code == -signal.SIGINT
    assert not (store / ".zmetadata").exists()  # it comes last, with all that there is
    check_partial(store, source)


# ---------------------------------------------------------------------------------------------
# Programs with handlers of their own

_PYTHON = """
import signal, sys, time
from osgeo import gdal
source, store, disposition = sys.argv[1:]
handlers = {"python": signal.default_int_handler, "default": signal.SIG_DFL}
signal.signal(signal.SIGINT, handlers[disposition])
gdal.DontUseExceptions()
opened = gdal.Translate("", source, format="VRT", srcWin=[0, 0, 1000, 1000])
try:
    gdal.GetDriverByName("Zarr").CreateCopy(store, opened, options=%r)
    print("went on", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


@pytest.mark.parametrize("disposition", ["python", "default"])
def test_python_keeps_its_handler(tmp_path, source, disposition):
    """KeyboardInterrupt comes when the call returns, as from any; only without Python's handler is
    the signal the driver's to see."""
    store = tmp_path / "a.zarr"
    program = textwrap.dedent(_PYTHON) % (SLOW,)
    with Job(sys.executable, "-c", program, source, store, disposition) as job:
        job.wait_until(lambda: chunks_below(store) >= 1)
        job.send(signal.SIGINT)
        code, output = job.end()
    if disposition == "python":
        assert code == 0 and "KeyboardInterrupt" in output and "cancelled" not in output, output
        np.testing.assert_array_equal(
            read_all(open_raster(store))[0], gdal.Open(str(source)).ReadAsArray(0, 0, 1000, 1000))
    else:
        assert code == -signal.SIGINT and "went on" not in output, output
        assert list(tmp_path.iterdir()) == []
