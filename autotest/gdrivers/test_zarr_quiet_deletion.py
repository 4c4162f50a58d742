# SPDX-License-Identifier: MIT
"""Before it creates a dataset, GDAL deletes the dataset that has the target's name. The driver keeps a store then: the
new store replaces it when it is complete, and a creation that fails changes nothing. A deletion by the user deletes."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, gdal_is_at_least, open_raster, read_all

pytestmark = zarr_formats.BOTH
OTHER_NAME = pytest.mark.skipif(not gdal_is_at_least(3, 9), reason="GDAL before 3.9 does not tell the driver why it "
                                "deletes, so it deletes stores that a prefix, URL or document names")  # fmt: skip
NAMES = {
    "path": str,
    "prefix": lambda store: f'ZARR:"{store}"',
    "prefix without quotes": lambda store: f"ZARR:{store}",
    "url": lambda store: f"file://{store}",
    "document": lambda store: str(next(store.glob("*z*"))),
}
NAMED = pytest.mark.parametrize("way", ["path", *(pytest.param(way, marks=OTHER_NAME) for way in list(NAMES)[1:])])


def driver():
    return gdal.GetDriverByName("Zarr")


def raster(value, side=20):
    dataset = gdal.GetDriverByName("MEM").Create("", side, side, 1, gdal.GDT_Int16)
    dataset.GetRasterBand(1).Fill(value)
    return dataset


@pytest.fixture(params=["s.zarr", "s.zarr.zip"])
def store(request, tmp_path):
    path = tmp_path / request.param
    assert driver().CreateCopy(str(path), raster(7), options=["ARRAY_NAME=a"]) is not None
    return path


def name_of(store, way):
    if way == "document" and store.is_file():
        return f"/vsizip/{store}"
    return NAMES[way](store)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cancel(*_):
    return 0


FAILURES = {
    "a creation": lambda name: driver().Create(name, 9, 9, 1, gdal.GDT_Byte, ["COMPRESS=FANCY"]),
    "a copy": lambda name: driver().CreateCopy(name, raster(8), callback=cancel),
    "a translation": lambda name: gdal.Translate(name, raster(8, 2000), format="Zarr", callback=cancel),
}


@pytest.mark.parametrize("how", FAILURES)
@NAMED
def test_a_creation_that_fails_keeps_the_old_store(tmp_path, store, way, how):
    before = contents(tmp_path)
    with error_log() as log:
        assert FAILURES[how](name_of(store, way)) is None
    assert len(log.errors) == 1 and log.warnings == [], log.events
    assert contents(tmp_path) == before


@NAMED
def test_a_creation_replaces_the_old_store(tmp_path, store, way):
    name = name_of(store, way)
    with error_log() as log:
        assert driver().CreateCopy(name, raster(8), options=["ARRAY_NAME=b"]) is not None
    log.assert_quiet()
    assert (read_all(open_raster(array_name(store, "b"))) == 8).all()
    with error_log() as log:
        assert gdal.Open(array_name(store, "a")) is None
    assert "there is no such array" in log.the_error()
    assert [path.name for path in tmp_path.iterdir()] == [store.name]


@NAMED
@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_deletion_by_the_user_deletes(tmp_path, store, way, times):
    name = name_of(store, way)
    for _ in range(times):
        if gdal_is_at_least(3, 9) or store.is_dir():
            assert gdal.IdentifyDriver(name).ShortName == "Zarr"
    assert driver().Delete(name) == gdal.CE_None
    assert list(tmp_path.iterdir()) == []


def test_programs_delete(tmp_path, store):
    subprocess.run(["gdalmanage", "delete", "-f", "Zarr", str(store)], check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []
    assert driver().CreateCopy(str(store), raster(7)) is not None
    if shutil.which("gdal") is not None:
        subprocess.run(["gdal", "dataset", "delete", str(store)], check=True, timeout=60)
        assert list(tmp_path.iterdir()) == []


@NAMED
def test_a_name_of_nothing(tmp_path, way, cpl):
    if way == "document":
        pytest.skip("a store that is not there has no document")
    store = tmp_path / "new.zarr"
    assert driver().Create(NAMES[way](store), 9, 9) is not None
    cpl.assert_quiet()
    assert driver().Delete(NAMES[way](store)) == gdal.CE_None
    assert driver().Delete(NAMES[way](store)) == gdal.CE_Failure
    assert "not a Zarr store" in cpl.the_error()


def test_an_array_named_beside_the_store_is_replaced(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    for name in ("a", "b"):
        driver().CreateCopy(str(store), raster(7), options=["APPEND_SUBDATASET=YES"][: name == "b"] + [f"ARRAY_NAME={name}"])
    cpl.clear()
    assert driver().CreateCopy(array_name(store, "a"), raster(8)) is not None
    cpl.assert_quiet()
    for name, value in (("a", 8), ("b", 7)):
        assert (read_all(open_raster(array_name(store, name))) == value).all()


# ---------------------------------------------------------------------------------------------
# Appending. Only the option APPEND_DIM is given, from which GDAL does not see that the store stays.

APPEND = ["APPEND_DIM=time", "APPEND_DIM_VALUES=2024-05-02"]


@pytest.fixture
def cube(tmp_path):
    path = tmp_path / "cube.zarr"
    options = ["BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01"]
    assert driver().CreateCopy(str(path), raster(1), options=options) is not None
    return path


@OTHER_NAME
def test_a_slice_is_appended_to_an_array_named_beside_the_store(cube, cpl):
    assert driver().CreateCopy(array_name(cube, "cube"), raster(2), options=APPEND) is not None
    cpl.assert_quiet()
    assert read_all(open_raster(cube))[:, 0, 0].tolist() == [1, 2]


@OTHER_NAME
@pytest.mark.parametrize("option", ["COMPRESS=FANCY", "APPEND_DIM=none"])
def test_an_array_stays_if_the_options_cannot_be_met(cube, cpl, option):
    before = contents(cube)
    assert driver().CreateCopy(array_name(cube, "cube"), raster(2), options=[option]) is None
    cpl.the_error()
    assert contents(cube) == before


@NAMED
def test_a_slice_is_appended(cube, way, cpl):
    assert driver().CreateCopy(name_of(cube, way), raster(2), options=APPEND) is not None
    cpl.assert_quiet()
    assert read_all(open_raster(cube))[:, 0, 0].tolist() == [1, 2]


@pytest.mark.skipif(shutil.which("gdal") is None, reason="the program gdal came with GDAL 3.11")
@pytest.mark.parametrize("command", ["convert", "reproject", "hillshade", "fill-nodata", "pipeline", "calc"])
def test_the_program_gdal_appends_or_changes_nothing(tmp_path, cube, command):
    tiff = str(tmp_path / "in.tif")
    source = raster(2)
    source.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    source.SetProjection("EPSG:32632")
    gdal.Translate(tiff, source)
    words = {
        "pipeline": ["pipeline", "read", tiff, "!", "reproject", "!", "write"],
        "calc": ["calc", "-i", f"A={tiff}", "--calc=A"],
    }.get(command, [command, tiff])
    options = ["--quiet", "--append", "--of=Zarr", *(f"--co={option}" for option in APPEND)]
    before = contents(cube)
    done = subprocess.run(["gdal", "raster", *words, *options, str(cube)], capture_output=True, text=True, timeout=60)
    if command in ("convert", "fill-nodata", "calc"):
        assert done.returncode == 0, done.stderr
        assert open_raster(cube).RasterCount == 2
    else:
        assert done.returncode != 0 and "APPEND_DIM needs a source" in done.stderr
        assert contents(cube) == before


def test_the_store_of_a_relative_name_is_kept(tmp_path, store, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    with error_log() as log:
        assert driver().Create(store.name, 9, 9, 1, gdal.GDT_Byte, ["COMPRESS=FANCY"]) is None
    assert len(log.errors) == 1 and contents(pathlib.Path()) == before
    assert np.all(read_all(open_raster(store)) == 7)
