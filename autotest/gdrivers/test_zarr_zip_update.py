# SPDX-License-Identifier: MIT
"""Updates stores in zip files. New data is appended to the zip file, and every program reads it. If the writer
is killed, flushed data stays readable."""

import contextlib
import os
import random
import shutil
import threading
import time
import zipfile

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, error_log, open_raster
from zarr_processes import Process
from zarr_store import make_array, make_store, zip_folder

pytestmark = zarr_formats.BOTH
SEED = os.environ["ZARR_TEST_SEED"]
VALUES = np.arange(1, 40 * 30 + 1, dtype="<i4").reshape(40, 30)
ARRAYS = {
    "dem": {"values": VALUES, "dims": ("y", "x"), "chunks": (8, 8)},
    "deep/slope": {"values": VALUES[::2], "dims": ("y2", "x"), "chunks": (7, 30)},
    "x": {"values": np.arange(30) + 0.5, "dims": ("x",)},
    "y": {"values": np.arange(40) + 0.5, "dims": ("y",)},
}


def driver():
    return gdal.GetDriverByName("Zarr")


def update(name, *options):
    return gdal.OpenEx(str(name), gdal.OF_RASTER | gdal.OF_UPDATE, open_options=list(options))


def open_root(name):
    dataset = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    assert dataset is not None
    return dataset, dataset.GetRootGroup()


def read_by_zarr_python(path, array, top=""):
    """Asserts that all members of the zip file are valid. Returns the values that zarr-python reads from
    `array`. `top` is the folder of the store in the zip file."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    store = zarr.ZipStore(str(path), mode="r")
    try:
        group = zarr.open(store, mode="r", path=top) if top else zarr.open(store, mode="r")
        return (group[array] if array else group)[...]
    finally:
        store.close()


@pytest.fixture(params=["stored", "deflated", "in a folder", "consolidated", "in memory"])
def place(request, tmp_path):
    """Writes a store with ARRAYS in a zip file. Yields (name that opens the store, path of the zip file on disk
    or None, folder of the store in the zip file)."""
    consolidated = request.param == "consolidated"
    top = "inner.zarr" if request.param == "in a folder" else ""
    compression = zipfile.ZIP_DEFLATED if request.param == "deflated" else zipfile.ZIP_STORED
    store = make_store(tmp_path, ARRAYS, consolidated=consolidated)
    path = zip_folder(store, tmp_path / "s.zip", top, compression, folders=bool(top))
    shutil.rmtree(store)
    if request.param != "in memory":
        yield path, path, top
        return
    gdal.FileFromMemBuffer("/vsimem/update.zip", path.read_bytes())
    yield "/vsimem/update.zip", None, ""
    gdal.Unlink("/vsimem/update.zip")


@pytest.mark.parametrize("prefix", ["", "/vsizip/"])
def test_pixels_are_written(place, prefix):
    name, path, top = place
    expected = VALUES.copy()
    for turn in (1, 2):
        dataset = update(f'ZARR:"{prefix}{name}":/dem')
        expected[3:12, 5:20] = -turn
        dataset.GetRasterBand(1).WriteArray(expected[3:12, 5:20], 5, 3)
        np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
        assert dataset.FlushCache() in (None, gdal.CE_None)
        np.testing.assert_array_equal(open_raster(array_name(name, "dem")).ReadAsArray(), expected)
        dataset = None
        np.testing.assert_array_equal(open_raster(array_name(name, "dem")).ReadAsArray(), expected)
        np.testing.assert_array_equal(open_raster(array_name(name, "deep/slope")).ReadAsArray(), VALUES[::2])
    if path:
        np.testing.assert_array_equal(read_by_zarr_python(path, "dem", top), expected)


def test_chunks_of_fill_values_are_deleted(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 8), fill_value=0), tmp_path / "a.zip")
    dataset = update(path)
    dataset.GetRasterBand(1).WriteArray(np.zeros((40, 30), "i4"))
    dataset = None
    assert open_raster(path).ReadAsArray().max() == 0
    assert read_by_zarr_python(path, "").max() == 0
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) <= {".zarray", ".zattrs", "zarr.json"}


def test_metadata_are_written(place):
    name, path, top = place
    dataset = update(array_name(name, "dem"))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    dataset.SetSpatialRef(srs)
    dataset.SetMetadataItem("author", "ü")
    band = dataset.GetRasterBand(1)
    band.SetUnitType("m")
    band.SetDescription("height")
    band.ComputeStatistics(False)
    assert dataset.FlushCache() in (None, gdal.CE_None)
    dataset = band = None
    dataset = open_raster(array_name(name, "dem"))
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert dataset.GetMetadataItem("author") == "ü"
    assert dataset.GetRasterBand(1).GetUnitType() == "m"
    assert dataset.GetRasterBand(1).GetDescription() == "height"
    if path:
        np.testing.assert_array_equal(read_by_zarr_python(path, "dem", top), VALUES)
        assert os.listdir(path.parent) == [path.name]  # no other file was written


def test_the_multidimensional_api_writes(place):
    name, path, top = place
    dataset, root = open_root(name)
    group = root.CreateGroup("made")
    x = group.CreateDimension("x", None, None, 6)
    array = group.CreateMDArray("a", [x], gdal.ExtendedDataType.Create(gdal.GDT_Float64))
    assert array.Write(np.arange(6.0)) == gdal.CE_None
    array.CreateAttribute("note", [], gdal.ExtendedDataType.CreateString()).Write("new")
    assert root.OpenMDArray("dem").Write(VALUES * 2) == gdal.CE_None
    dataset = root = group = x = array = None
    root = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    array = root.OpenMDArrayFromFullname("/made/a")
    np.testing.assert_array_equal(array.ReadAsArray(), np.arange(6.0))
    assert array.GetAttribute("note").Read() == "new"
    np.testing.assert_array_equal(root.OpenMDArray("dem").ReadAsArray(), VALUES * 2)
    if path:
        np.testing.assert_array_equal(read_by_zarr_python(path, "made/a", top), np.arange(6.0))


@pytest.mark.parametrize("folder", ["disk", "memory"])
def test_the_multidimensional_api_makes_a_zip_file(tmp_path, folder):
    source = make_store(tmp_path, ARRAYS)
    target = str(tmp_path / "new.zarr.zip") if folder == "disk" else "/vsimem/new.zarr.zip"
    for _ in range(2):  # the second store replaces the first
        with error_log() as log:
            assert gdal.MultiDimTranslate(target, str(source), format="Zarr") is not None
        assert log.events == []
        root = gdal.OpenEx(target, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        np.testing.assert_array_equal(root.OpenMDArrayFromFullname("/deep/slope").ReadAsArray(), VALUES[::2])
    if folder == "memory":
        root = None  # an open store is not deleted
        assert gdal.GetDriverByName("Zarr").Delete(target) == gdal.CE_None
        return
    np.testing.assert_array_equal(read_by_zarr_python(target, "dem"), VALUES)
    assert sorted(os.listdir(tmp_path)) == ["new.zarr.zip", "store.zarr"]
    dataset = driver().CreateMultiDimensional(str(tmp_path / "empty.zarr.zip"))
    group = dataset.GetRootGroup()
    group.CreateMDArray("a", [group.CreateDimension("x", None, None, 3)], gdal.ExtendedDataType.Create(gdal.GDT_Byte))
    group = dataset = None
    assert read_by_zarr_python(tmp_path / "empty.zarr.zip", "a").shape == (3,)


def test_nodes_are_deleted_renamed_and_made_again(place):
    name, path, top = place
    with error_log() as log:
        assert driver().Rename(array_name(name, "slopes"), array_name(name, "deep/slope")) == gdal.CE_Failure
    assert "within its group" in log.the_error()
    with error_log() as log:
        assert driver().Rename(array_name(name, "deep/steep"), array_name(name, "deep/slope")) == gdal.CE_None
        np.testing.assert_array_equal(open_raster(array_name(name, "deep/steep")).ReadAsArray(), VALUES[::2])
        assert driver().Delete(array_name(name, "dem")) == gdal.CE_None
        assert gdal.OpenEx(array_name(name, "deep/slope")) is None
        assert gdal.OpenEx(array_name(name, "dem")) is None
        log.clear()
        add(name, "dem", VALUES + 1)
        if hasattr(gdal.Group, "DeleteMDArray"):  # GDAL has this method since 3.8
            dataset, root = open_root(name)
            assert root.DeleteGroup("deep") == gdal.CE_None
            dataset = root = None
            assert gdal.OpenEx(array_name(name, "deep/steep")) is None
            log.clear()
    log.assert_quiet()
    np.testing.assert_array_equal(open_raster(array_name(name, "dem")).ReadAsArray(), VALUES + 1)
    if path:
        np.testing.assert_array_equal(read_by_zarr_python(path, "dem", top), VALUES + 1)


def add(name, array, values, progress=None):
    """Adds an array to a store. Returns True if the copy succeeded."""
    source = gdal.GetDriverByName("MEM").Create("", *values.shape[::-1], 1, gdal.GDT_Int32)
    source.WriteArray(values)
    options = ["APPEND_SUBDATASET=YES", f"ARRAY_NAME={array}", *zarr_formats.block_options(8, 30)]
    return driver().CreateCopy(str(name), source, 0, options, progress) is not None


@pytest.mark.parametrize("share", [1e-9, 0.4, 1.0])
def test_an_array_whose_writer_is_killed_is_not_there(tmp_path, share):
    """A process that is killed while it adds an array leaves the zip file as it was, however often the file's
    directory was moved. The array can then be added."""
    path = tmp_path / "s.zarr.zip"
    make_store(tmp_path / "s.zarr", ARRAYS)
    zip_folder(tmp_path / "s.zarr", path)
    rng = np.random.default_rng(int(SEED, 16))
    values = rng.integers(1, 2**31, (1600, 300), "i4")

    def work(report):
        def die(complete, *_):
            if complete >= share:
                os._exit(9)
            return 1

        add(path, "new", values, die)

    with zipfile.ZipFile(path) as archive:
        before = {info.filename: info.CRC for info in archive.infolist()}
    process = Process(work)
    process.finish()
    assert os.waitstatus_to_exitcode(process.status) == 9
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {info.filename: info.CRC for info in archive.infolist()} == before
    with error_log():
        assert gdal.OpenEx(array_name(path, "new")) is None
    with error_log() as log:
        assert add(path, "new", values)
        np.testing.assert_array_equal(open_raster(array_name(path, "new")).ReadAsArray(), values)
        assert driver().Delete(array_name(path, "new")) == gdal.CE_None
    log.assert_quiet()
    np.testing.assert_array_equal(open_raster(array_name(path, "dem")).ReadAsArray(), VALUES)
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if name.startswith("new")]


def test_overviews_and_masks_are_built(place):
    name, path, top = place
    dataset = update(array_name(name, "dem"))
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(np.full((40, 30), 255, "u1"))
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    dataset = open_raster(array_name(name, "dem"))
    band = dataset.GetRasterBand(1)
    assert band.GetOverviewCount() == 1 and band.GetOverview(0).XSize == 15
    assert band.GetMaskFlags() == gdal.GMF_PER_DATASET and band.GetMaskBand().Checksum() != 0
    if path:
        np.testing.assert_array_equal(read_by_zarr_python(path, "dem", top), VALUES)


def test_rasters_and_slices_are_appended(tmp_path):
    cube = np.arange(2 * 4 * 6, dtype="f8").reshape(2, 4, 6)
    times = {"values": np.arange(2.0), "dims": ("time",), "attrs": {"units": "days since 2020-01-01"}}
    store = make_store(tmp_path, {"t": {"values": cube, "dims": ("time", "y", "x")}, "time": times})
    path = zip_folder(store, tmp_path / "s.zip")
    source = gdal.GetDriverByName("MEM").Create("", 6, 4, 1, gdal.GDT_Float64)
    source.WriteArray(cube[0] + 100)
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2020-01-03"]
    assert driver().CreateCopy(str(path), source, options=options) is not None
    assert driver().CreateCopy(str(path), source, options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=more"]) is not None
    np.testing.assert_array_equal(read_by_zarr_python(path, "t"), np.concatenate([cube, cube[:1] + 100]))
    np.testing.assert_array_equal(read_by_zarr_python(path, "time"), [0, 1, 2])
    np.testing.assert_array_equal(read_by_zarr_python(path, "more"), cube[0] + 100)
    assert open_raster(array_name(path, "t")).RasterCount == 3


def test_python_and_the_driver_append_in_turn(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 8)), tmp_path / "a.zip")
    expected = VALUES.copy()
    for turn in range(4):
        expected[turn * 8 : turn * 8 + 8, :8] = -turn - 1
        if turn % 2 == 0:
            dataset = update(path)
            dataset.GetRasterBand(1).WriteArray(expected[turn * 8 : turn * 8 + 8, :8], 0, turn * 8)
            dataset = None
        else:
            store = zarr.ZipStore(str(path), mode="a")
            with pytest.warns(UserWarning, match="Duplicate name"):
                zarr.open(store, mode="r+")[turn * 8 : turn * 8 + 8, :8] = expected[turn * 8 : turn * 8 + 8, :8]
            store.close()
        np.testing.assert_array_equal(open_raster(path).ReadAsArray(), expected)
        np.testing.assert_array_equal(read_by_zarr_python(path, ""), expected)


def test_two_datasets_of_this_process_share_the_file(tmp_path):
    path = zip_folder(make_store(tmp_path, ARRAYS), tmp_path / "s.zip")
    one, two = update(array_name(path, "dem")), update(array_name(path, "deep/slope"))
    one.GetRasterBand(1).Fill(1)
    two.GetRasterBand(1).Fill(2)
    one = None
    two.GetRasterBand(1).Fill(3)
    two = None
    assert read_by_zarr_python(path, "dem").max() == 1 and read_by_zarr_python(path, "deep/slope").min() == 3


@pytest.fixture(params=["on disk", "in memory"])
def replaced(request, tmp_path):
    """Yields (name of a zip file, dataset that is open in update mode, function that replaces the zip file)."""
    name = "/vsimem/replaced.zarr.zip" if request.param == "in memory" else tmp_path / "r.zarr.zip"

    def make():
        source = gdal.GetDriverByName("MEM").Create("", 20, 10, 1, gdal.GDT_Int16)
        source.GetRasterBand(1).Fill(50)
        assert driver().CreateCopy(str(name), source) is not None

    make()
    yield name, update(name), make
    driver().Delete(str(name))


def test_a_zip_file_that_was_replaced_is_opened_again(replaced):
    name, idle, make = replaced
    assert idle.GetRasterBand(1).Checksum() != 0
    make()
    dataset = update(name)
    dataset.GetRasterBand(1).Fill(500)
    with error_log() as log:
        dataset.FlushCache()
        dataset = None
        assert open_raster(name).ReadAsArray().min() == 500
        idle = None
    assert log.errors == [] and open_raster(name).ReadAsArray().min() == 500


def test_pixels_of_a_zip_file_that_was_replaced_are_an_error(replaced):
    name, dataset, make = replaced
    dataset.GetRasterBand(1).Fill(7)
    make()
    with error_log() as log:
        dataset.FlushCache()
        dataset = None
    assert "replaced or removed after it was opened" in log.the_error() and str(name) in log.the_error()
    assert open_raster(name).ReadAsArray().max() == 50


def test_a_zip_file_that_another_program_replaces_is_opened_again(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    idle = update(path)
    shutil.copy(path, tmp_path / "b.zip")
    os.replace(tmp_path / "b.zip", path)
    dataset = update(path)
    dataset.GetRasterBand(1).Fill(3)
    dataset = None
    idle = None
    assert read_by_zarr_python(path, "").min() == 3


def hold(report, path):
    dataset = update(path)
    report(dataset is not None)
    time.sleep(60)


def test_another_process_cannot_update_the_file(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    other = Process(hold, path)
    try:
        other.wait_for("True")
        with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.01"):
            assert update(path) is None
        assert "is open for update in another process" in log.the_error()
        np.testing.assert_array_equal(open_raster(path).ReadAsArray(), VALUES)
    finally:
        other.kill()
    assert update(path) is not None


def test_the_open_option_limits_the_wait(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    other = Process(hold, path)
    try:
        other.wait_for("True")
        with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.02"):
            assert update(path, "LOCK_TIMEOUT=0.01") is None
            assert "waited 0.01 s" in log.the_error()
            assert gdal.GetConfigOption("ZARR_LOCK_TIMEOUT") == "0.02"
    finally:
        other.kill()


def test_a_zip_file_that_is_held_blocks_no_other_one(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    shutil.copy(path, tmp_path / "b.zip")
    other = Process(hold, path)
    try:
        other.wait_for("True")
        opened = []
        waiting = threading.Thread(target=lambda: opened.append(update(path)))
        waiting.start()
        for _ in range(20):  # once at least while the other thread waits
            assert update(tmp_path / "b.zip") is not None
        assert waiting.is_alive()
    finally:
        other.kill()
    waiting.join()
    assert opened[0] is not None


@pytest.mark.parametrize("second", ['ZARR:"/vsizip/{}/y"', "{}"])
def test_two_folders_of_one_zip_file(tmp_path, second):
    path = tmp_path / "a.zip"
    store = make_array(tmp_path, VALUES)
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(each for each in store.rglob("*") if each.is_file()):
            for top in ("x", "y")[: 1 + ("/y" in second)]:
                archive.write(file, f"{top}/{file.relative_to(store)}")
    first = update(f'ZARR:"/vsizip/{path}/x"')
    with error_log() as log, config_options(ZARR_LOCK_TIMEOUT="0.01"):
        assert update(second.format(path)) is None
    assert "is open for update in this process, by another path" in log.the_error()
    first.GetRasterBand(1).Fill(3)
    first = None
    assert update(second.format(path)) is not None


def hold_until(report, path, gate):
    dataset = update(path)
    report(dataset is not None)
    os.read(gate, 1)
    dataset.GetRasterBand(1).WriteArray(np.full((8, 30), 5, "i4"))
    dataset = None


def write_below(report, path):
    report("starts")
    dataset = update(path)  # waits
    dataset.GetRasterBand(1).WriteArray(np.full((8, 30), 6, "i4"), 0, 8)
    dataset = None


def test_another_process_waits_for_the_file(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 30)), tmp_path / "a.zip")
    gate, opener = os.pipe()
    first = Process(hold_until, path, gate)
    first.wait_for("True")
    second = Process(write_below, path)
    second.wait_for("starts")
    os.write(opener, b"x")
    first.succeed()
    second.succeed()
    os.close(gate)
    os.close(opener)
    values = open_raster(path).ReadAsArray()
    assert np.all(values[:8] == 5) and np.all(values[8:16] == 6)
    np.testing.assert_array_equal(values[16:], VALUES[16:])
    np.testing.assert_array_equal(read_by_zarr_python(path, ""), values)


def write_often(report, path):
    dataset = update(path)
    report("writes")
    for number in range(150):
        dataset.GetRasterBand(1).WriteArray(np.full((8, 30), 1000 + number, "i4"), 0, 8 * (number % 5))
        dataset.FlushCache()


def test_a_file_opens_while_another_process_changes_it(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 30)), tmp_path / "a.zip")
    writer = Process(write_often, path)
    writer.wait_for("writes")
    opened = 0
    while os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with error_log() as log:
            dataset = gdal.Open(str(path))
            assert dataset is not None, (opened, log.errors)
            values = dataset.ReadAsArray()
            dataset = None
        assert values is not None, (opened, log.errors)
        assert not log.errors
        for row in range(0, 40, 8):
            block = values[row : row + 8]
            assert np.all(block == block[0, 0]) or np.array_equal(block, VALUES[row : row + 8])
        opened += 1
    writer.succeed()
    assert opened > 0


def test_an_open_file_that_becomes_shorter_is_the_same(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 30)), tmp_path / "a.zip")
    writer = update(path)
    writer.GetRasterBand(1).WriteArray(np.full((8, 30), 5, "i4"))
    long = path.stat().st_size  # with free space before the central directory
    reader = open_raster(path)
    writer.FlushCache()
    assert path.stat().st_size < long
    with error_log() as log:
        np.testing.assert_array_equal(reader.ReadAsArray(), VALUES)
    assert not log.errors
    np.testing.assert_array_equal(open_raster(path).ReadAsArray()[:8], 5)


def test_a_file_that_may_not_be_written(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    path.chmod(0o444)
    if os.access(path, os.W_OK):
        pytest.skip("root may write")
    with error_log() as log:
        assert update(path) is None
    assert "Permission denied" in log.the_error()


def test_a_zip_file_behind_other_bytes_is_read_only(tmp_path):
    path = zip_folder(make_array(tmp_path, VALUES), tmp_path / "a.zip")
    path.write_bytes(b"PK\3\4" + b"x" * 96 + path.read_bytes())
    with error_log() as log:
        assert update(path) is None
    assert "read-only" in log.the_error()
    np.testing.assert_array_equal(open_raster(path).ReadAsArray(), VALUES)


def write_for_ever(report, path):
    dataset = update(path)
    band = dataset.GetRasterBand(1)
    for number in range(1, 100000):
        band.WriteArray(np.full((8, 30), number, "i4"), 0, 8 * (number % 5))
        if number % 3 == 0:
            dataset.FlushCache()
            report(number)


@pytest.mark.parametrize("turn", range(30))
def test_flushed_data_survives_a_killed_writer(tmp_path, turn):
    choose = random.Random(f"{SEED} {turn}")
    path = zip_folder(make_array(tmp_path, VALUES, chunks=(8, 8), compressor=None), tmp_path / "a.zip")
    process = Process(write_for_ever, path)
    process.next()
    time.sleep(choose.random() * 0.05)
    flushed = int(process.kill()[-1])
    values = open_raster(path).ReadAsArray()
    # If the process was killed while it wrote the zip directory, zarr-python cannot read the zip file.
    with contextlib.suppress(zipfile.BadZipFile):
        np.testing.assert_array_equal(read_by_zarr_python(path, ""), values)
    for band in range(5):
        rows = values[8 * band : 8 * band + 8]
        last = flushed - (flushed - band) % 5  # number of the last flushed write to these rows
        if last > 0:
            assert rows.min() >= last, (turn, flushed)
        assert [len(np.unique(rows[:, at : at + 8])) == 1 or last <= 0 for at in range(0, 30, 8)] == [True] * 4
    dataset = update(path)  # the zip file can be updated again
    dataset.GetRasterBand(1).Fill(7)
    dataset = None
    assert read_by_zarr_python(path, "").min() == 7
