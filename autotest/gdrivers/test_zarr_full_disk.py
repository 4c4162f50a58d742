# SPDX-License-Identifier: MIT
"""On a full disk or without write permission, the error names the chunk, and stored data stay unchanged. Other data
stay pending until the disk has room."""

import json
import os
import resource
import shutil
import signal

import numpy as np
import pytest
import zarr_formats
import zarr_mounts
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import error_log, gdal_is_at_least, open_raster, read_all
from zarr_processes import Process

pytestmark = zarr_formats.FORMS
SIDE = 100
CHUNK = 50  # a chunk or shard has 50 x 50 pixels, which take 10,000 bytes


class LimitedFiles:
    """Simulates a full disk by a limit for the size of each file. Writing then fails with EFBIG."""

    reason = "File too large"

    def __init__(self, folder):
        self.folder = folder
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(self, room=8192):
        """Fills the disk so that metadata documents still fit, but chunks do not. With room=0, nothing fits."""
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (min(room, 4000), hard))

    def free(self):
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


class SmallDisk:
    """A mounted file system of one megabyte. Writing to the full file system fails with ENOSPC."""

    reason = "No space left"

    def __init__(self, folder):
        problem = mount_small(str(folder))
        if problem:
            raise NoSmallDisk(problem)
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self, room=8192):
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
            file.truncate(file.tell() - room)

    def free(self):
        self.ballast.unlink()


class NoSmallDisk(Exception):
    pass


def mount_small(folder):
    """Mounts a small file system that only this process sees. Returns None, or why this failed."""
    try:
        zarr_mounts.unshare()
        zarr_mounts.mount("none", folder, "tmpfs", options="size=1m")
    except OSError as error:
        return str(error)
    return None


@pytest.fixture(params=[LimitedFiles, SmallDisk])
def on_full_disk(request, tmp_path):
    """Returns a function that calls body(disk) in a separate process. `disk` is a LimitedFiles or SmallDisk, which
    body() fills."""

    def work(report, body):
        try:
            disk = request.param(tmp_path)
        except NoSmallDisk as problem:
            report(f"cannot: {problem}")
            return
        body(disk)

    def run(body):
        lines = Process(work, body).succeed()
        if lines and lines[0].startswith("cannot: "):
            pytest.skip(f"no small file system can be mounted here: {lines[0]}")

    return run


def old_values():
    return np.random.default_rng(1).integers(1, 2**31, (SIDE, SIDE), "i4")


def new_values():
    return np.random.default_rng(2).integers(1, 2**31, (SIDE, SIDE), "i4")


def raster_of(values):
    source = gdal.GetDriverByName("MEM").Create("", *values.shape[::-1], 1, gdal.GDT_Int32)
    source.WriteArray(values)
    return source


def options_of(*more):
    return ["COMPRESS=NONE", *zarr_formats.block_options(CHUNK, CHUNK), *more]


def make_store(folder):
    store = folder / "s.zarr"
    dataset = gdal.GetDriverByName("Zarr").CreateCopy(
        str(store), raster_of(old_values()), options=options_of("ARRAY_NAME=a")
    )
    dataset.SetMetadataItem("note", "old")
    del dataset
    assert zarr_formats.has(store, ".zmetadata")
    return store


def chunk_key(store):
    """Returns the key of the chunk or shard that the tests write."""
    rows = zarr_formats.array_document(store, "a")["chunks"][0]
    return zarr_formats.chunk_key(store, "a", CHUNK // rows, 0)


def first_key(array):
    return f"{array}/c/0/0" if zarr_formats.is_v3() else f"{array}/0.0"


def attributes_key():
    """Returns the key of the document that a change of attributes writes. Before it is written, the consolidated
    metadata are erased, and the error names the document also if that fails."""
    return "a/zarr.json" if zarr_formats.is_v3() else "a/.zattrs"


def update(store, *options):
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE, open_options=list(options))
    assert dataset is not None, gdal.GetLastErrorMsg()
    return dataset


def stored(store):
    """Returns the stored values, which zarr-python and a new dataset must read equally."""
    values = zarr.open_group(str(store), mode="r")["a"][...]
    np.testing.assert_array_equal(read_all(open_raster(store))[0], values)
    return values


def assert_untouched(store):
    np.testing.assert_array_equal(
        zarr.open_group(str(store), mode="r")["a"][...], old_values()
    )
    assert not list(store.rglob("*.partial"))


def assert_names_chunk(error, store, disk, chunk=None):
    chunk = chunk_key(store) if chunk is None else chunk
    assert str(store) in error and chunk in error and disk.reason in error, error


def test_a_whole_chunk_does_not_fit(on_full_disk):
    def body(disk):
        store = make_store(disk.folder)
        dataset = update(store)
        disk.fill()
        values = new_values()[CHUNK:, :CHUNK]
        with error_log() as log:
            result = dataset.GetRasterBand(1).WriteArray(values, 0, CHUNK)
        assert result != gdal.CE_None
        assert_names_chunk(log.the_error(), store, disk)
        assert_untouched(store)
        disk.free()
        with error_log() as log:
            assert dataset.GetRasterBand(1).WriteArray(values, 0, CHUNK) == gdal.CE_None
            dataset = None
        log.assert_quiet()
        wanted = old_values()
        wanted[CHUNK:, :CHUNK] = values
        np.testing.assert_array_equal(stored(store), wanted)

    on_full_disk(body)


@pytest.mark.parametrize("with_locks", [False, True])
@pytest.mark.parametrize("way", ["window", "blocks", "fill"])
def test_data_that_cannot_be_flushed_stays_pending(on_full_disk, tmp_path_factory, way, with_locks):
    """After a failed flush, pixels stay in memory: partly written chunks in the driver, and whole chunks in GDAL's
    block cache."""
    locks = tmp_path_factory.mktemp("locks")

    def body(disk):
        store = make_store(disk.folder)
        dataset = update(store, *([f"SYNCHRONIZER={locks}"] if with_locks else []))
        band = dataset.GetRasterBand(1)
        wanted = old_values()
        disk.fill()
        with error_log() as log:
            if way == "window":
                wanted[CHUNK + 3 : CHUNK + 20, 2:30] = new_values()[:17, :28]
                band.WriteArray(wanted[CHUNK + 3 : CHUNK + 20, 2:30], 2, CHUNK + 3)
            elif way == "blocks":
                half = CHUNK // 2  # GDAL resamples a buffer of half the size in its block cache
                values = np.ascontiguousarray(new_values()[:half, :half])
                wanted[CHUNK:, :CHUNK] = values.repeat(2, 0).repeat(2, 1)
                band.WriteRaster(0, CHUNK, CHUNK, CHUNK, values.tobytes(), half, half)
            else:
                wanted[:] = 123456789
                band.Fill(123456789)
            dataset.FlushCache()
        assert_names_chunk(log.the_error(), store, disk, "a/" if way == "fill" else None)
        assert_untouched(store)
        np.testing.assert_array_equal(read_all(dataset)[0], wanted)
        with error_log() as log:
            dataset.FlushCache()
        assert_names_chunk(log.the_error(), store, disk, "a/")
        disk.free()
        with error_log() as log:
            dataset.FlushCache()
        log.assert_quiet()
        np.testing.assert_array_equal(stored(store), wanted)
        with error_log() as log:
            del band
            dataset = None
        log.assert_quiet()
        np.testing.assert_array_equal(stored(store), wanted)

    on_full_disk(body)


def test_a_chunk_that_does_not_fit_at_closing(on_full_disk):
    def body(disk):
        store = make_store(disk.folder)
        dataset = update(store)
        dataset.GetRasterBand(1).WriteArray(new_values()[:5, :5], 0, CHUNK)
        disk.fill()
        with error_log() as log:
            dataset = None
        assert_names_chunk(log.the_error(), store, disk)
        assert_untouched(store)
        disk.free()
        np.testing.assert_array_equal(stored(store), old_values())

    on_full_disk(body)


def test_metadata_that_do_not_fit(on_full_disk):
    def body(disk):
        store = make_store(disk.folder)
        dataset = update(store)
        dataset.SetMetadataItem("note", "new " * 5000)
        disk.fill(0)
        with error_log() as log:
            dataset.FlushCache()
        assert_names_chunk(log.the_error(), store, disk, attributes_key())
        array = zarr.open(str(store), mode="r")["a"]
        assert array.attrs["note"] == "old"
        np.testing.assert_array_equal(array[...], old_values())
        open_raster(store)
        with error_log() as log:
            dataset = None
        assert log.errors and all(str(store) in error for error in log.errors)
        assert zarr.open(str(store), mode="r")["a"].attrs["note"] == "old"
        if zarr_formats.has(store, ".zmetadata"):  # closing the dataset may have stored .zmetadata again
            consolidated = zarr.open_consolidated(str(store), mode="r")
            assert consolidated["a"].attrs["note"] == "old"
        disk.free()
        dataset = update(store)
        with error_log() as log:
            dataset.SetMetadataItem("note", "new")
            dataset = None
        log.assert_quiet()
        assert zarr.open(str(store), mode="r")["a"].attrs["note"] == "new"

    on_full_disk(body)


def test_metadata_are_written_when_there_is_room_again(on_full_disk):
    def body(disk):
        store = make_store(disk.folder)
        dataset = update(store)
        dataset.SetMetadataItem("note", "new " * 5000)
        disk.fill(0)
        with error_log() as log:
            dataset.FlushCache()
        assert_names_chunk(log.the_error(), store, disk, attributes_key())
        disk.free()
        with error_log() as log:
            dataset = None
        log.assert_quiet()
        assert zarr.open_consolidated(str(store), mode="r")["a"].attrs["note"] == "new " * 5000

    on_full_disk(body)


def test_a_copy_that_does_not_fit_leaves_nothing(on_full_disk):
    def body(disk):
        source = raster_of(np.random.default_rng(3).integers(1, 2**31, (600, 600), "i4"))
        target = disk.folder / "copy.zarr"
        options = ["COMPRESS=NONE", *zarr_formats.block_options(200, 200)]
        disk.fill(100_000)
        driver = gdal.GetDriverByName("Zarr")
        with error_log() as log:
            assert driver.CreateCopy(str(target), source, options=options) is None
        assert len(log.errors) >= 1
        assert_names_chunk(log.errors[0], target, disk, first_key("copy"))
        assert not target.exists()
        disk.free()

    on_full_disk(body)


def test_a_zip_file_whose_end_does_not_fit(on_full_disk):
    """Closing a zip file writes its small chunks. If the disk is full then, the copy fails."""

    def body(disk):
        source = raster_of(new_values())
        target = disk.folder / "copy.zarr.zip"
        disk.fill(8192)
        with error_log() as log:
            driver = gdal.GetDriverByName("Zarr")
            assert driver.CreateCopy(str(target), source, options=options_of()) is None
        assert str(target) in log.the_error() and "zip file" in log.the_error()
        assert not [path for path in disk.folder.iterdir() if path.name != "ballast"]
        disk.free()

    on_full_disk(body)


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="Close() tells nothing before GDAL 3.8")
@pytest.mark.parametrize("name", ["new.zarr", "new.zarr.zip"])
def test_close_returns_an_error(on_full_disk, name):
    def body(disk):
        driver = gdal.GetDriverByName("Zarr")
        options = options_of()
        dataset = driver.Create(str(disk.folder / name), SIDE, SIDE, 1, gdal.GDT_Int32, options)
        dataset.GetRasterBand(1).WriteArray(new_values()[:5, :5])
        disk.fill(0)
        with error_log() as log:
            assert dataset.Close() != gdal.CE_None
        assert name in log.errors[0]
        disk.free()

    on_full_disk(body)


def test_a_store_that_cannot_be_created(on_full_disk):
    def body(disk):
        target = disk.folder / "new.zarr"
        disk.fill(0)
        with error_log() as log:
            driver = gdal.GetDriverByName("Zarr")
            assert driver.Create(str(target), 600, 600, 1, gdal.GDT_Int32) is None
        assert str(target) in log.the_error() and disk.reason in log.the_error()
        disk.free()
        assert not target.exists() or not any(target.iterdir())

    on_full_disk(body)


# ---------------------------------------------------------------------------------------------
# No write permission for folders and files


def as_nobody(report, body):
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    body()
    report("done")


@pytest.fixture
def guarded(public_folder):
    """Gives the test a store without write permission, and asserts afterwards that its files are unchanged."""
    store = make_store(public_folder)
    for path in [store, *store.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    yield store
    assert before == {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}


@pytest.mark.parametrize("moment", ["write", "flush", "close"])
def test_a_store_that_cannot_be_written(guarded, moment):
    def body():
        dataset = update(guarded)
        band = dataset.GetRasterBand(1)
        with error_log() as log:
            if moment == "write":
                values = new_values()[CHUNK:, :CHUNK]
                assert band.WriteArray(values, 0, CHUNK) != gdal.CE_None
                assert chunk_key(guarded) in log.the_error() and "ermission" in log.the_error()
            else:
                band.WriteArray(new_values()[:7, :7], 3, CHUNK + 3)
                if moment == "flush":
                    dataset.FlushCache()
                    assert chunk_key(guarded) in log.the_error() and "ermission" in log.the_error()
            if moment == "flush" or (moment == "write" and zarr_formats.has_shards()):
                log.clear()  # closing the dataset tries to write again, and emits another error
            del band
            dataset = None
        assert chunk_key(guarded) in log.the_error() and "ermission" in log.the_error()
        np.testing.assert_array_equal(stored(guarded), old_values())

    assert Process(as_nobody, body).succeed() == ["done"]


def test_metadata_that_cannot_be_written(guarded):
    def body():
        dataset = update(guarded)
        dataset.SetMetadataItem("note", "new")
        with error_log() as log:
            dataset = None
        assert "ermission" in log.errors[0] and str(guarded) in log.errors[0]
        assert zarr.open_consolidated(str(guarded), mode="r")["a"].attrs["note"] == "old"

    assert Process(as_nobody, body).succeed() == ["done"]


@pytest.mark.parametrize("way", ["beside", "over", "append", "delete"])
def test_a_folder_in_which_nothing_can_be_created(guarded, way):
    def body():
        driver = gdal.GetDriverByName("Zarr")
        target = guarded.parent / "new.zarr" if way == "beside" else guarded
        options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=b"] if way == "append" else []
        with error_log() as log:
            if way == "delete":
                assert driver.Delete(str(target)) != gdal.CE_None
            else:
                assert driver.Create(str(target), 9, 9, 1, gdal.GDT_Byte, options) is None
        assert str(target) in log.the_error() and "ermission" in log.the_error()
        assert target.exists() == (way != "beside")

    guarded.parent.chmod(0o555)
    try:
        assert Process(as_nobody, body).succeed() == ["done"]
    finally:
        guarded.parent.chmod(0o755)


@pytest.mark.parametrize("name", ["copy.zarr", "copy.zarr.zip"])
def test_gdal_translate_fails(tmp_path, name):
    """gdal_translate fails with an error that names the chunk or the zip file."""
    if shutil.which("gdal_translate") is None:
        pytest.fail("gdal_translate is not installed")
    store = make_store(tmp_path)
    place = "zip file" if name.endswith(".zip") else first_key("copy")

    def body(report):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        read, write = os.pipe()
        command = ["gdal_translate", "-q", "-of", "Zarr", str(store), str(tmp_path / name)]  # fmt: skip
        command[2:2] = [word for option in options_of() for word in ("-co", option)]
        child = os.fork()
        if child == 0:
            os.dup2(write, 2)
            os.execvp(command[0], command)
        os.close(write)
        with os.fdopen(read) as errors:
            text = errors.read()
        _, status = os.waitpid(child, 0)
        report(json.dumps([os.WEXITSTATUS(status), text]))

    (line,) = Process(body).succeed()
    code, text = json.loads(line)
    assert code != 0
    assert place in text and name in text and ("File too large" in text or ".zip" in name), text
    assert sorted(os.listdir(tmp_path)) == ["s.zarr"]
