# SPDX-License-Identifier: MIT
"""Stores that are open as datasets in the process that deletes, renames or replaces them. Commands whose target is
their own source give the same pixels as for another target, or an error that leaves everything as it was."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import rasterio
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_overviews import make, smooth
from zarr_processes import Process
from zarr_tools import run_gdal

pytestmark = zarr_formats.BOTH
OPEN = "open as a dataset in this process, so it is not "
WAYS = ["as it is", "relative", "dot", "link", "prefix", "array"]


def driver():
    return gdal.GetDriverByName("Zarr")


@pytest.fixture
def values():
    return smooth(np.random.default_rng(int(os.environ["ZARR_TEST_SEED"], 16)), 2, 64, 48)


@pytest.fixture(params=["s.zarr", "s.zarr.zip"])
def store(request, tmp_path, values):
    path = tmp_path / request.param
    make(path, values, "ARRAY_NAME=a", "BLOCKSIZE=1,16,16").BuildOverviews("NEAREST", [2])
    return path


def stored(store):
    """Returns the bytes of all files of a store."""
    return zarr_formats.contents(store) if store.is_dir() else store.read_bytes()


def named(way, store, monkeypatch):
    """Returns another name for a store."""
    monkeypatch.chdir(store.parent)
    if way == "link":
        link = store.with_name("link-" + store.name)
        link.symlink_to(store)
        return str(link)
    return {"as it is": str(store), "relative": store.name, "dot": f"./{store.name}",
            "prefix": f'ZARR:"{store.name}"', "array": array_name(store, "a")}[way]  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Deleting and renaming


@pytest.mark.parametrize("way", WAYS)
def test_an_open_store_is_neither_deleted_nor_renamed(store, values, way, monkeypatch, tmp_path):
    before = stored(store)
    dataset = open_raster(named(way, store, monkeypatch))
    what = "s.zarr"
    for attempt, word in ((lambda: driver().Delete(str(store)), "deleted"),
                          (lambda: driver().Rename(str(tmp_path / "new.zarr"), str(store)), "renamed")):  # fmt: skip
        with error_log() as log:
            assert attempt() != gdal.CE_None
        assert what in log.the_error() and OPEN + word in log.the_error()
    assert stored(store) == before
    assert (read_all(dataset) == values).all()
    dataset = None
    target = store.with_name("t" + store.name)
    with error_log() as log:
        assert driver().Rename(str(target), str(store)) == gdal.CE_None
        assert driver().Delete(str(target)) == gdal.CE_None
    log.assert_quiet()
    assert not store.exists() and not target.exists()


@pytest.mark.parametrize("kind", ["update", "group", "array"])
def test_every_kind_of_dataset_keeps_its_store(store, kind):
    flags = {"update": gdal.OF_RASTER | gdal.OF_UPDATE}.get(kind, gdal.OF_MULTIDIM_RASTER)
    dataset = gdal.OpenEx(array_name(store, "a") if kind == "array" else str(store), flags)
    before = stored(store)
    with error_log() as log:
        assert driver().Delete(str(store)) != gdal.CE_None
    assert OPEN + "deleted" in log.the_error() and stored(store) == before
    dataset = None
    assert driver().Delete(str(store)) == gdal.CE_None


def test_an_array_that_a_dataset_shows_is_kept(tmp_path, values):
    store = tmp_path / "s.zarr"
    make(store, values, "ARRAY_NAME=a")
    make(store, values, "ARRAY_NAME=b", "APPEND_SUBDATASET=YES")
    dataset = open_raster(array_name(store, "a"))
    for attempt in (lambda: driver().Delete(array_name(store, "a")),
                    lambda: driver().Rename(array_name(store, "c"), array_name(store, "a"))):  # fmt: skip
        with error_log() as log:
            assert attempt() != gdal.CE_None
        assert "/a: is " + OPEN in log.the_error()
    assert driver().Delete(array_name(store, "b")) == gdal.CE_None
    assert (read_all(dataset) == values).all()
    dataset = None
    assert driver().Delete(array_name(store, "a")) == gdal.CE_None


def test_a_folder_of_open_stores_is_kept(tmp_path, values):
    outer = tmp_path / "outer.zarr"
    zarr.open_group(str(outer), mode="w")
    make(outer / "inner", values, "ARRAY_NAME=a")
    dataset = open_raster(outer / "inner")
    with error_log() as log:
        assert driver().Delete(str(outer)) != gdal.CE_None
    assert OPEN + "deleted" in log.the_error()
    assert (read_all(dataset) == values).all()


def test_another_process_may_delete_a_store(tmp_path, values):
    """The rule holds for one process. Datasets of other processes are not known."""
    store = tmp_path / "s.zarr"
    make(store, values)
    dataset = open_raster(store)

    def delete(report):
        os._exit(subprocess.run([sys.executable, "-c", "import sys; from osgeo import gdal\n"
                                 "sys.exit(gdal.GetDriverByName('Zarr').Delete(sys.argv[1]))", str(store)],
                                check=False).returncode)  # fmt: skip

    assert Process(delete).succeed() == []
    assert not store.exists()
    make(store, values)
    dataset = None
    assert driver().Delete(str(store)) == gdal.CE_None


# ---------------------------------------------------------------------------------------------
# Replacing


@pytest.mark.parametrize("way", WAYS)
def test_create_over_its_own_source(store, values, way, monkeypatch):
    """A program that reads blocks of the old store while it writes the new one gets the old pixels."""
    source = open_raster(named(way, store, monkeypatch))
    with error_log() as log:
        target = driver().Create(str(store), 48, 64, 2, gdal.GDT_Float32, ["BLOCKSIZE=1,16,16"])
        target.SetGeoTransform(source.GetGeoTransform())
        for band in (1, 2):
            for row in range(0, 64, 8):
                block = source.GetRasterBand(band).ReadAsArray(0, row, 48, 8)
                target.GetRasterBand(band).WriteArray(block + 1, 0, row)
        assert (read_all(open_raster(store)) == values).all()
        assert target.GetDescription() in (str(store), "/vsizip/" + str(store))
        target = None
    log.assert_quiet()
    source = None
    assert (read_all(open_raster(store)) == values + 1).all()
    assert sorted(path.name for path in store.parent.iterdir() if "link" not in path.name) == [store.name]


TARGETS = {
    "prefix": lambda store: f'ZARR:"{store}"',
    "prefix without quotes": lambda store: f"ZARR:{store}",
    "url": lambda store: f"file://{store}",
    "document or zip": lambda store: str(next(store.glob("*z*")) if store.is_dir() else f"/vsizip/{store}"),
}


@pytest.mark.parametrize("how", ["create", "copy", "group"])
@pytest.mark.parametrize("way", TARGETS)
def test_a_target_by_another_name(store, values, way, how):
    """GDAL deletes the dataset of a name before it creates one there, unless the name is a folder. If the driver refused
    this with an error, bindings that raise exceptions would drop the new dataset."""
    name = TARGETS[way](store)
    flags = gdal.OF_MULTIDIM_RASTER if how == "group" else gdal.OF_RASTER
    source = gdal.OpenEx(str(store), flags)
    with error_log() as log:
        if how == "create":
            target = driver().Create(name, 48, 64, 2, gdal.GDT_Float32)
            target.WriteRaster(0, 0, 48, 64, values.tobytes())
        else:
            target = driver().CreateCopy(name, source)
        target = None
    log.assert_quiet()
    source = None
    assert (read_all(open_raster(array_name(store, "a") if how == "group" else store)) == values).all()


def test_an_array_of_its_own_source(tmp_path, values):
    """An array of an open store is no target: the dataset of the whole store may read it."""
    store = tmp_path / "s.zarr"
    make(store, values, "ARRAY_NAME=a")
    make(store, values, "ARRAY_NAME=b", "APPEND_SUBDATASET=YES")
    before = stored(store)
    for flags in (gdal.OF_MULTIDIM_RASTER, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE):
        source = gdal.OpenEx(str(store), flags)
        array = source.GetRootGroup().OpenMDArray("a")
        for attempt in (lambda: driver().CreateCopy(array_name(store, "a"), source),
                        lambda: driver().CreateMultiDimensional(array_name(store, "a")),
                        lambda: driver().Create(array_name(store, "a"), 48, 64)):  # fmt: skip
            with error_log() as log:
                assert attempt() is None
            assert "/a: already exists" in log.the_error()
        with error_log() as log:
            assert driver().Delete(array_name(store, "b")) != gdal.CE_None
        assert "/b: is " + OPEN + "deleted" in log.the_error()
        assert stored(store) == before
        assert (array.ReadAsArray() == values).all()
        array = source = None
    with error_log() as log:
        assert driver().CreateCopy(array_name(store, "c"), gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER))
    log.assert_quiet()
    assert driver().Delete(array_name(store, "b")) == gdal.CE_None


def test_create_that_is_abandoned_leaves_the_source(tmp_path, values):
    """If the process ends before the new dataset is closed, the old store is still there."""
    store = tmp_path / "s.zarr"
    make(store, values)

    def work(report):
        source = open_raster(store)
        target = driver().Create(str(store), 48, 64, 2, gdal.GDT_Float32)
        target.GetRasterBand(1).WriteArray(source.GetRasterBand(1).ReadAsArray())
        target.FlushCache()
        os._exit(9)

    Process(work).finish()
    assert (read_all(open_raster(store)) == values).all()


@pytest.mark.parametrize("how, way", [
    *(("copy", way) for way in WAYS),
    *((how, way) for how in ("window", "vrt", "warp") for way in ("as it is", "link"))])  # fmt: skip
def test_a_copy_of_its_own_source(store, values, way, how, monkeypatch, tmp_path):
    name = named(way, store, monkeypatch)
    source = open_raster(name)
    wanted = values
    if how == "window":
        source = gdal.Translate("", source, format="VRT", srcWin=[8, 16, 32, 32])
        wanted = values[:, 16:48, 8:40]
    if how == "vrt":
        gdal.Translate(str(tmp_path / "s.vrt"), source, format="VRT")
        source = gdal.Open(str(tmp_path / "s.vrt"))
    with error_log() as log:
        if how == "warp":
            source = gdal.Warp(str(store), source, format="Zarr", resampleAlg="near")
        else:
            source = driver().CreateCopy(str(store), source)
        assert source is not None
    assert log.errors == []
    source = None
    assert (read_all(open_raster(store)) == wanted).all()


def test_a_multidimensional_copy_of_its_own_source(store, values):
    before = stored(store)
    source = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
    with error_log() as log:
        assert driver().CreateMultiDimensional(str(store)) is None
    assert OPEN + "overwritten" in log.the_error() and stored(store) == before
    with error_log() as log:
        target = driver().CreateCopy(str(store), source)
        assert target is not None
    log.assert_quiet()
    source = target = None
    assert (read_all(open_raster(array_name(store, "a"))) == values).all()


def test_a_store_that_can_only_be_replaced_in_place_is_kept(tmp_path, values, monkeypatch):
    store = tmp_path / "s.zarr"
    make(store, values)
    before = stored(store)
    monkeypatch.chdir(store)
    source = open_raster(store)
    with error_log() as log:
        assert driver().Create(".", 48, 64, 2, gdal.GDT_Float32) is None
    assert OPEN + "overwritten" in log.the_error()
    for one in (source, gdal.Translate("", source, format="VRT")):
        with error_log() as log:
            assert driver().CreateCopy(".", one) is None
        assert "not overwritten" in log.the_error()
    assert stored(store) == before and (read_all(source) == values).all()


# ---------------------------------------------------------------------------------------------
# Programs


def fails_or_gives(words, store, wanted):
    """Runs a program. Asserts that it succeeds and gives the pixels `wanted`, or that it fails with an error that names
    the store, and changes nothing. Returns True if it succeeded."""
    before = stored(store)
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode == 0:
        got = read_all(open_raster(store))
        assert got.shape == wanted.shape and (got == wanted).all(), done.stderr
        return True
    assert stored(store) == before and "ERROR" in done.stderr, done.stderr
    return False


@pytest.mark.parametrize("store, way", [("s.zarr", "link"), ("s.zarr", "array"), ("s.zarr.zip", "as it is")],
                         indirect=["store"])  # fmt: skip
@pytest.mark.slow
def test_programs_of_gdal(store, values, way, monkeypatch, tmp_path):
    name = named(way, store, monkeypatch)
    tiff = tmp_path / "wanted.tif"
    copy = tmp_path / "copy.tif"
    gdal.Translate(str(copy), str(store))
    as_zarr = ["-of", "Zarr"]
    for words in (
        ["gdal_translate", *as_zarr],
        ["gdalwarp", "-overwrite", "-ovr", "NONE", "-ts", "24", "32", *as_zarr],
        ["gdaldem", "hillshade", *as_zarr],
        ["gdalmdimtranslate", *as_zarr],
    ):
        if words[0] != "gdalmdimtranslate":
            run_gdal(*words[:-2], copy, tiff)
            wanted = read_all(gdal.Open(str(tiff)))
        else:
            wanted = values
        before = stored(store)
        fails_or_gives([*words, name, store], store, wanted)
        tiff.unlink(missing_ok=True)
        shutil.rmtree(store) if store.is_dir() else store.unlink()
        for key, data in (before if isinstance(before, dict) else {"": before}).items():
            (store / key if key else store).parent.mkdir(parents=True, exist_ok=True)
            (store / key if key else store).write_bytes(data)


@pytest.mark.skipif(shutil.which("gdal_calc.py") is None, reason="gdal_calc.py is not installed")
@pytest.mark.slow
def test_gdal_calc(store, values):
    done = fails_or_gives(["gdal_calc.py", "--quiet", "--overwrite", "-A", store, "--A_band=1", "--calc=A+1",
                           "--format=Zarr", f"--outfile={store}"], store, values[:1] + 1)  # fmt: skip
    assert done


@pytest.mark.skipif(shutil.which("gdal") is None, reason="the program gdal came with GDAL 3.11")
@pytest.mark.parametrize("command", [
    ["fill-nodata"], ["hillshade"], ["reproject", "--size=24,32"], ["clip", "--window=8,16,32,32"],
    ["resize", "--size=24,32"], ["select", "--band=1"], ["set-type", "--ot=Float64"], ["convert"],
    ["pipeline"], ["mdim"]], ids=lambda command: command[0])  # fmt: skip
def test_the_program_gdal(tmp_path, values, command):
    store, copy, tiff = tmp_path / "s.zarr", tmp_path / "copy.tif", tmp_path / "wanted.tif"
    make(store, values, "ARRAY_NAME=a")
    gdal.Translate(str(copy), str(store))

    def words(source, target):
        if command == ["mdim"]:
            return ["gdal", "mdim", "convert", "--quiet", "--overwrite", source, target]
        if command == ["pipeline"]:
            return ["gdal", "raster", "pipeline", "read", source, "!", "select", "--band=1", "!", "write",
                    "--quiet", "--overwrite", target]  # fmt: skip
        return ["gdal", "raster", *command, "--quiet", "--overwrite", source, target]

    if command == ["mdim"]:
        wanted = values
    else:
        run_gdal(*words(copy, tiff))
        wanted = read_all(gdal.Open(str(tiff)))
    fails_or_gives(words(store, store), store, wanted)


@pytest.mark.skipif(shutil.which("gdal") is None, reason="the program gdal came with GDAL 3.11")
@pytest.mark.parametrize("name", ["s.zarr", "s.tif"])
def test_calc_of_the_program_gdal(tmp_path, values, name):
    """`gdal raster calc --overwrite` deletes its target before it opens its sources. No driver can know this, and GTiff
    loses the file, too. It is an error for both."""
    target = tmp_path / name
    make(tmp_path / "s.zarr", values)
    gdal.Translate(str(tmp_path / "s.tif"), str(tmp_path / "s.zarr"))
    done = subprocess.run(["gdal", "raster", "calc", "--quiet", "--overwrite", "-i", f"A={target}", "--calc=A[1]+1",
                           "-o", str(target)], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode != 0 and "Failed to open" in done.stderr and not target.exists()


def test_rasterio_over_its_own_source(store, values):
    before = stored(store)
    with rasterio.open(str(store)) as source:
        profile = {**source.profile, "driver": "Zarr"}
        try:
            with rasterio.open(str(store), "w", **profile) as target:
                for _, window in source.block_windows(1):
                    target.write(source.read(window=window) + 1, window=window)
        except Exception as error:  # of a class that differs between versions of rasterio
            assert OPEN in str(error) and stored(store) == before
            return
    assert (read_all(open_raster(store)) == values + 1).all()
