# SPDX-License-Identifier: MIT
"""Connection strings, and other names by which a store opens."""

import os
import shutil

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

DEM = np.arange(20, dtype="i4").reshape(4, 5)
CUBE = np.arange(2 * 3 * 4 * 5, dtype="i4").reshape(2, 3, 4, 5)


@pytest.fixture
def array(tmp_path):
    return make_array(tmp_path, DEM, "dem.zarr", chunks=(2, 2))


@pytest.fixture
def store(tmp_path):
    return make_store(
        tmp_path, {"elevation": DEM, "level/cube": {"values": CUBE, "chunks": (1, 1, 2, 2)}},
        consolidated=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "spelling",
    ["{}", "{}/", "ZARR:{}", 'ZARR:"{}"', "{}/.zarray", 'ZARR:"{}/"', 'ZARR:"{}":/', "zarr:{}"],
)
def test_spellings_of_one_array(array, spelling):
    zarr_gdal.assert_same(open_raster(zarr_formats.spelled(spelling.format(array))).ReadAsArray(), DEM)


@pytest.mark.parametrize(
    "spelling",
    ['ZARR:"{}":/elevation', "ZARR:{}:/elevation", "{}/elevation", "{}/elevation/",
     "ZARR:{}/elevation", "{}/elevation/.zarray", 'ZARR:"{}/":/elevation'],
)  # fmt: skip
def test_spellings_of_an_array_in_a_group(store, spelling):
    zarr_gdal.assert_same(open_raster(zarr_formats.spelled(spelling.format(store))).ReadAsArray(), DEM)


@pytest.mark.parametrize(
    "spelling", ["{}", "{}/", "ZARR:{}", 'ZARR:"{}"', "{}/.zgroup", "{}/.zmetadata"]
)
def test_spellings_of_a_store(store, spelling):
    dataset = open_raster(zarr_formats.spelled(spelling.format(store)))
    assert dataset.RasterCount == 0
    assert len(dataset.GetSubDatasets()) == 2


def test_relative_path(array, monkeypatch):
    monkeypatch.chdir(array.parent)
    zarr_gdal.assert_same(open_raster("dem.zarr").ReadAsArray(), DEM)
    monkeypatch.chdir(array)
    zarr_gdal.assert_same(open_raster(zarr_formats.spelled(".zarray")).ReadAsArray(), DEM)
    zarr_gdal.assert_same(open_raster('ZARR:"."').ReadAsArray(), DEM)


@pytest.mark.parametrize(
    "name", ["with space.zarr", "Höhe 標高.zarr", "a:b.zarr", "no_extension", "x"]
)
def test_unusual_store_names(tmp_path, name):
    store = make_store(tmp_path, {"elevation": DEM}, name=name)
    zarr_gdal.assert_same(open_raster(store).ReadAsArray(), DEM)
    zarr_gdal.assert_same(open_raster(array_name(store, "elevation")).ReadAsArray(), DEM)


@pytest.mark.parametrize("path", ["surface temperature", "Höhe", "a/b/c/d", "B0-1.x"])
def test_unusual_array_names(tmp_path, path):
    store = make_store(tmp_path, {path: DEM, "other": DEM + 1})
    names = [name for name, _ in open_raster(store).GetSubDatasets()]
    assert array_name(store, path) in names or open_raster(store).RasterCount == 2
    zarr_gdal.assert_same(open_raster(array_name(store, path)).ReadAsArray(), DEM)


def test_slices(store):
    whole = open_raster(array_name(store, "level/cube"))
    assert whole.RasterCount == 6
    for i in range(2):
        for j in range(3):
            dataset = open_raster(array_name(store, f"level/cube:{i}:{j}"))
            assert dataset.RasterCount == 1
            zarr_gdal.assert_same(dataset.ReadAsArray(), CUBE[i, j])


def test_slice_of_three_dimensions(tmp_path):
    store = make_store(tmp_path, {"cube": CUBE[0]})
    zarr_gdal.assert_same(open_raster(f"ZARR:{store}:/cube:2").ReadAsArray(), CUBE[0, 2])
    zarr_gdal.assert_same(open_raster(array_name(store, "cube:2")).ReadAsArray(), CUBE[0, 2])


@pytest.mark.parametrize(
    "index", [":2:0", ":0:3", ":-1:0", ":0:0:0", ":x:0", ":99999999999999999999:0"]
)
def test_slices_that_do_not_exist(store, cpl, index):
    assert gdal.Open(array_name(store, "level/cube") + index) is None
    cpl.the_error()


@pytest.mark.parametrize("path", ["nothing", "level/nothing", "elevation/deeper", "elevatio"])
def test_arrays_that_do_not_exist(store, cpl, path):
    assert gdal.Open(array_name(store, path)) is None
    assert path in cpl.the_error()


def test_stores_that_do_not_exist(tmp_path, cpl):
    assert gdal.Open(f'ZARR:"{tmp_path}/nothing.zarr"') is None
    assert "nothing.zarr" in cpl.the_error()


@pytest.mark.parametrize("name, message", [
    ('ZARR:"{}', "the quote after ZARR: is not closed"), ("ZARR:", "no path after ZARR:"), ('ZARR:""', "no path after ZARR:"),
    ('ZARR:"{}"x', 'expected :/name of an array or group after the path, got "x"')])  # fmt: skip
def test_invalid_connection_strings(store, cpl, name, message):
    assert gdal.Open(name.format(store)) is None
    assert message in cpl.the_error()


def test_a_folder_that_is_no_store(tmp_path, cpl):
    (tmp_path / "photos").mkdir()
    assert gdal.IdentifyDriver(str(tmp_path / "photos")) is None
    assert gdal.Open(str(tmp_path / "photos")) is None
    assert "Zarr" not in " ".join(cpl.errors)


@zarr_formats.V2
def test_plain_folder_with_the_prefix(store):
    """With the prefix ZARR:, a folder without .zgroup opens as a group of the arrays in it."""
    for file in list(store.rglob(".zgroup")) + [store / ".zmetadata"]:
        file.unlink()
    assert len(open_raster(f'ZARR:"{store}"').GetSubDatasets()) == 2
    zarr_gdal.assert_same(open_raster(array_name(store, "elevation")).ReadAsArray(), DEM)


def test_identify(array, store):
    for name in (array, store, f"ZARR:{store}", array_name(store, "level/cube:0:1")):
        assert gdal.IdentifyDriver(str(name)).ShortName == "Zarr"


def test_python_exceptions(tmp_path):
    """With gdal.UseExceptions(), the exception contains the text of the driver's error."""
    gdal.UseExceptions()
    with pytest.raises(RuntimeError, match="nothing.zarr"):
        gdal.Open(f'ZARR:"{tmp_path}/nothing.zarr"')


def test_update_mode_never_harms(array):
    before = {file: file.read_bytes() for file in array.rglob("*") if file.is_file()}
    with zarr_gdal.error_log():
        gdal.Open(str(array), gdal.GA_Update)
    assert before == {file: file.read_bytes() for file in array.rglob("*") if file.is_file()}


def copy_to_vsimem(folder, target):
    for root, _, files in os.walk(folder):
        gdal.MkdirRecursive(os.path.join(target, os.path.relpath(root, folder)), 0o755)
        for file in files:
            path = os.path.join(root, file)
            with open(path, "rb") as source:
                inside = os.path.relpath(path, folder)
                gdal.FileFromMemBuffer(f"{target}/{inside}", source.read())


def test_vsimem(store):
    copy_to_vsimem(store, "/vsimem/copy.zarr")
    try:
        for name in ('ZARR:"/vsimem/copy.zarr":/elevation', "/vsimem/copy.zarr/elevation"):
            zarr_gdal.assert_same(open_raster(name).ReadAsArray(), DEM)
        cube = open_raster('ZARR:"/vsimem/copy.zarr":/level/cube').ReadAsArray()
        zarr_gdal.assert_same(cube, CUBE.reshape(6, 4, 5))
        assert len(open_raster("/vsimem/copy.zarr").GetSubDatasets()) == 2
    finally:
        gdal.RmdirRecursive("/vsimem/copy.zarr")


def test_vsizip(store, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "copy"), "zip", store)
    name = f'ZARR:"/vsizip/{archive}":/elevation'
    zarr_gdal.assert_same(open_raster(name).ReadAsArray(), DEM)


@pytest.mark.parametrize("option", ["USE_CONSOLIDATED_METADATA", "USE_ZMETADATA"])
def test_consolidated_metadata(store, option, cpl):
    """A store that has only consolidated metadata opens. If the open option `option` is NO, the driver ignores
    consolidated metadata, so opening fails."""
    kept = zarr_formats.document_file(store, ".zmetadata")
    for file in [*store.rglob(".z*"), *store.rglob("zarr.json")]:
        if file != kept:
            file.unlink()
    name = array_name(store, "elevation")
    zarr_gdal.assert_same(open_raster(name).ReadAsArray(), DEM)
    zarr_gdal.assert_same(open_raster(name, f"{option}=YES").ReadAsArray(), DEM)
    assert len(open_raster(store).GetSubDatasets()) == 2
    assert gdal.OpenEx(name, gdal.OF_RASTER, open_options=[f"{option}=NO"]) is None
    cpl.the_error()


def test_stale_consolidated_metadata(store):
    """If the attributes of an array differ from the consolidated metadata, the array's own attributes are used, with a
    warning."""
    zarr.open(str(store / "elevation"), mode="r+").attrs["note"] = "new"
    name = array_name(store, "elevation")
    with zarr_gdal.error_log() as log:
        assert gdal.Open(name).GetMetadataItem("note") == "new"
    assert len(log.warnings) == 1 and "consolidate" in log.warnings[0]
    assert open_raster(name, "USE_CONSOLIDATED_METADATA=NO").GetMetadataItem("note") == "new"
