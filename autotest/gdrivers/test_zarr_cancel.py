# SPDX-License-Identifier: MIT
"""A progress function cancels copies, creations and builds of overviews. Afterwards the unfinished store or
array is gone, and the former contents are unchanged."""

import functools
import json
import shutil

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, error_log, open_raster, read_all
from zarr_overviews import entries, level_folders, level_group
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SHAPE = (3, 300, 260)
RANDOM = np.random.default_rng(1).integers(1, 250, SHAPE, "u1")


@pytest.fixture(autouse=True)
def many_calls():
    """Makes GDAL's block cache smaller. A copy then has smaller parts, and its progress function is called more
    often."""
    before = gdal.GetCacheMax()
    gdal.SetCacheMax(1 << 20)
    yield
    gdal.SetCacheMax(before)


class Refuse:
    """Progress function that counts its calls, and cancels at call number `at`, counted from 0."""

    def __init__(self, at=None):
        self.at, self.calls = at, 0

    def __call__(self, _complete, _message, _data):
        self.calls += 1
        return int(self.calls - 1 != self.at)


def moments(calls):
    """Returns the numbers of the progress calls at which a test cancels: all if there are few, else the first, the
    last, and some in between."""
    between = range(0, calls, max(1, calls // 8))
    return sorted({*range(min(calls, 4)), *between, *range(max(0, calls - 2), calls)})


def driver():
    return gdal.GetDriverByName("Zarr")


@functools.cache
def raster(side=2300, bands=3):
    """Returns a raster in memory that tests copy, and that no test changes."""
    dataset = gdal.GetDriverByName("MEM").Create("", side, side, bands)
    for i in range(bands):
        dataset.GetRasterBand(i + 1).Fill(i + 1)
    return dataset


def without_consolidated(files):
    """Returns {key: contents}, with the consolidated metadata parsed as JSON. A cancelled run may write this JSON with
    other bytes, but an equal value."""
    return {name: json.loads(data) if name.endswith(".zmetadata") else data
            for name, data in files.items()}  # fmt: skip


def refused_at_each_call(folder, job, undo, contents_of=entries):
    """Runs job(progress), which returns true on success, and reverts its changes by undo(). Then runs the job several
    times, and cancels it at another call of the progress function each time. Each cancelled run must give one error,
    and must leave contents_of(folder) unchanged. Returns the number of calls."""
    before = contents_of(folder)
    counter = Refuse()
    with error_log() as log:
        assert job(counter), log.events
    undo()
    assert contents_of(folder) == before
    for at in moments(counter.calls):
        with error_log() as log:
            assert not job(Refuse(at)), (at, counter.calls)
        assert len(log.errors) == 1, (at, counter.calls, log.events)
        assert contents_of(folder) == before, (at, counter.calls)
    return counter.calls


# ---------------------------------------------------------------------------------------------
# New stores, and stores that replace older ones

COPIES = {
    "plain": [],
    "an array for each band": ["SINGLE_ARRAY=NO"],
    "pixels together": ["INTERLEAVE=PIXEL"],
    "overviews": ["OVERVIEWS=2,4", "OVERVIEW_RESAMPLING=AVERAGE"],
    "overviews of an array for each band": ["SINGLE_ARRAY=NO", "OVERVIEWS=2"],
    "locks": ["SYNCHRONIZER={folder}.locks"],
    "no consolidated metadata": ["CREATE_ZMETADATA=NO"],
}


@pytest.mark.parametrize("way", ["CreateCopy", "Translate"])
@pytest.mark.parametrize("there", ["nothing", "a store", "an empty folder"])
@pytest.mark.parametrize("what", COPIES)
def test_a_cancelled_copy_leaves_the_former_store(tmp_path, what, there, way):
    folder = tmp_path / "folder"
    folder.mkdir()
    target = folder / "a.zarr"
    options = [option.format(folder=folder) for option in COPIES[what]]

    def prepare():
        if target.exists():
            assert driver().Delete(str(target)) == gdal.CE_None
        if there == "a store":
            driver().CreateCopy(str(target), raster(30))
            (folder / "a.zarr.aux.xml").write_text("<PAMDataset/>")
        elif there == "an empty folder":
            target.mkdir()

    def copy(progress):
        if way == "CreateCopy":
            return driver().CreateCopy(str(target), raster(), options=options, callback=progress)
        return gdal.Translate(str(target), raster(), format="Zarr", creationOptions=options,
                              outputType=gdal.GDT_Byte, callback=progress)  # fmt: skip

    prepare()
    calls = refused_at_each_call(folder, copy, prepare)
    assert calls >= 4
    assert {path.name for path in folder.iterdir()} <= {"a.zarr", "a.zarr.aux.xml"}


@pytest.mark.parametrize("there", ["nothing", "a store"])
@pytest.mark.slow
def test_a_cancelled_copy_leaves_the_former_zip_file(tmp_path, there):
    path = tmp_path / "a.zarr.zip"

    def prepare():
        if path.exists():
            path.unlink()
        if there == "a store":
            path.write_bytes(old)

    driver().CreateCopy(f"/vsizip/{path}", raster(30))
    old = path.read_bytes()
    prepare()
    refused_at_each_call(
        tmp_path, lambda progress: driver().CreateCopy(
            f"/vsizip/{path}", raster(), options=["COMPRESS=NONE"], callback=progress), prepare)


# ---------------------------------------------------------------------------------------------
# Appends to stores


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["OVERVIEWS=2"]])
def test_a_cancelled_subdataset_is_removed(tmp_path, options):
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), raster(30), options=["ARRAY_NAME=first"])

    def undo():
        gdal.GetDriverByName("Zarr").Delete(str(store))
        driver().CreateCopy(str(store), raster(30), options=["ARRAY_NAME=first"])

    def append(progress):
        return driver().CreateCopy(
            str(store), raster(), callback=progress,
            options=["ARRAY_NAME=second", "APPEND_SUBDATASET=YES", *options])

    refused_at_each_call(tmp_path, append, undo,
                         lambda folder: without_consolidated(entries(folder)))  # fmt: skip
    assert not (store / "second").exists() and level_folders(store) == []


def test_cancelled_slices_are_not_visible(tmp_path):
    """A slice whose append is cancelled is not visible. The slices of this test do not share chunks;
    test_zarr_append_dim.py tests slices that do."""
    store = tmp_path / "a.zarr"
    values = np.arange(2 * 700 * 900, dtype="i4").reshape(2, 700, 900)

    def make():
        make_store(tmp_path, {
            "v": {"values": values, "dims": ["time", "y", "x"], "chunks": (1, 100, 900)},
            "time": {"values": np.arange(2.0), "dims": ["time"], "chunks": (1,)},
            "y": {"values": np.arange(700.0), "dims": ["y"]},
            "x": {"values": np.arange(900.0), "dims": ["x"]}},
            name="a.zarr", consolidated=True)

    source = gdal.GetDriverByName("MEM").Create("", 900, 700, 3, gdal.GDT_Int32)

    def append(progress):
        options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=5,6,7"]
        return driver().CreateCopy(str(store), source, options=options, callback=progress)

    make()
    refused_at_each_call(store, append, make,
                         lambda folder: without_consolidated(entries(folder)))  # fmt: skip
    np.testing.assert_array_equal(read_all(open_raster(f'ZARR:"{store}":/v')), values)


# ---------------------------------------------------------------------------------------------
# Overviews whose build is cancelled


@pytest.mark.parametrize("method", ["NEAREST", "AVERAGE"])
@pytest.mark.parametrize("options", [[], ["INTERLEAVE=PIXEL"], ["SINGLE_ARRAY=NO"]])
def test_cancelled_overviews_are_removed(tmp_path, options, method):
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), raster(900), options=options)

    def build(progress):
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        return dataset.BuildOverviews(method, [2, 4], callback=progress) == gdal.CE_None

    def clean():
        assert gdal.OpenEx(str(store), gdal.OF_UPDATE).BuildOverviews("NEAREST", []) == 0

    build(Refuse())  # so that each later run starts with an equal store
    clean()
    refused_at_each_call(tmp_path, build, clean)
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 0


def test_a_cancelled_build_of_existing_overviews(tmp_path):
    """If a build of existing overviews is cancelled, the overviews may be partly filled. They stay, and are not used
    until they are built again. Of the rest, only the note that they are not whole is stored."""
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), raster(900), options=["OVERVIEWS=2"])
    before = entries(store)
    counter, copy = Refuse(), shutil.copytree(store, tmp_path / "copy.zarr")
    gdal.OpenEx(str(copy), gdal.OF_UPDATE).BuildOverviews("AVERAGE", [2, 8], callback=counter)
    for at in moments(counter.calls):
        with error_log() as log:
            dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
            assert dataset.BuildOverviews("AVERAGE", [2, 8], callback=Refuse(at)) != 0
            del dataset
        assert len(log.errors) == 1
        after = entries(store)
        assert set(after) == set(before)
        changed = {name for name in before if after[name] != before[name]}
        assert all(name.startswith(level_group(2) + "/") or name in ("zarr.json", ".zmetadata") for name in changed), at
        dataset = open_raster(store)
        assert dataset.GetRasterBand(1).GetOverviewCount() == 0
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


# ---------------------------------------------------------------------------------------------
# Multidimensional copies that are cancelled


@pytest.mark.parametrize("there", ["nothing", "a store"])
def test_a_cancelled_multidimensional_copy_leaves_the_former_store(tmp_path, there):
    folder = tmp_path / "folder"
    folder.mkdir()
    target = folder / "a.zarr"
    values = np.zeros((40, 200, 300), "f8")
    source = make_store(tmp_path, {"v": {"values": values, "dims": ["t", "y", "x"],
                                         "chunks": (5, 100, 100), "attrs": {"units": "m"}},
                                   "g/w": {"values": values[0], "dims": ["y", "x"]},
                                   "t": {"values": np.arange(40.0), "dims": ["t"]}})  # fmt: skip

    def prepare():
        if target.exists():
            assert driver().Delete(str(target)) == gdal.CE_None
        if there == "a store":
            driver().CreateCopy(str(target), raster(30))

    def copy(progress):
        return gdal.MultiDimTranslate(str(target), str(source), format="Zarr", callback=progress)

    prepare()
    with config_options(GDAL_NUM_THREADS="1"):
        assert refused_at_each_call(folder, copy, prepare) >= 4
