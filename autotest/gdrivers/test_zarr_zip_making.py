# SPDX-License-Identifier: MIT
"""Reads and overwrites chunks of a new store in a zip file before the zip file is closed. This also works for
chunks that no cache holds."""

import os
import resource
import signal
import struct
import subprocess
import time
import zipfile

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, error_log, open_raster, read_all

pytestmark = zarr_formats.FORMS
LITTLE = {"GDAL_CACHEMAX": "1", "GDAL_NUM_THREADS": "2"}
PLACE = (500000, 10, 0, 5200000, 0, -10)
SIDE = 700


@pytest.fixture(params=["disk", "memory", "a folder in it"])
def target(request, tmp_path):
    if request.param == "memory":
        yield "/vsimem/making.zarr.zip"
        gdal.Unlink("/vsimem/making.zarr.zip")
    elif request.param == "disk":
        yield str(tmp_path / "m.zarr.zip")
    else:
        yield f"/vsizip/{tmp_path / 'm.zip'}/inner.zarr"


def driver():
    return gdal.GetDriverByName("Zarr")


def random(shape, seed=3, dtype="i2"):
    return np.random.default_rng(seed).integers(1, 30000, shape).astype(dtype)


def in_memory(values, place=PLACE):
    values = values.reshape((-1, *values.shape[-2:]))
    type_ = gdal.GDT_Float64 if values.dtype == np.float64 else gdal.GDT_Int16
    dataset = gdal.GetDriverByName("MEM").Create("", values.shape[2], values.shape[1], len(values), type_)
    dataset.WriteArray(values)
    dataset.SetGeoTransform(place)
    return dataset


def assert_whole(name, values):
    np.testing.assert_array_equal(read_all(open_raster(name)).reshape(values.shape), values)
    path = name.removeprefix("/vsizip/").removesuffix("/inner.zarr")
    if path.startswith("/vsimem/"):
        return
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    folder = os.path.dirname(path)
    assert [file for file in os.listdir(folder) if ".partial" in file] == []


def run(*words, **more):
    words = [str(word) for word in words]
    return subprocess.run(words, env={**os.environ, **LITTLE}, capture_output=True, text=True, timeout=120,
                          check=False, **more)  # fmt: skip


def make_tile(folder, name, values, x, y):
    path = folder / name
    place = (PLACE[0] + 10 * x, 10, 0, PLACE[3] - 10 * y, 0, -10)
    gdal.GetDriverByName("GTiff").CreateCopy(str(path), in_memory(values, place))
    return path


def test_windows_across_chunks_are_written_in_any_order(target, cpl):
    """Windows across chunks are written in any order, each followed by a flush. The store has the last values
    at the end."""
    expected = np.zeros((SIDE, SIDE), "i2")
    choose = np.random.default_rng(7)
    dataset = driver().Create(target, SIDE, SIDE, 1, gdal.GDT_Int16, zarr_formats.block_options(128, 128))
    for number in range(1, 40):
        x, y = choose.integers(0, SIDE - 300, 2)
        wide, high = choose.integers(1, 300, 2)
        expected[y : y + high, x : x + wide] = number
        dataset.GetRasterBand(1).WriteArray(expected[y : y + high, x : x + wide], int(x), int(y))
        dataset.FlushCache()
        if number % 5 == 0:
            np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
    dataset = None
    cpl.assert_quiet()
    assert_whole(target, expected)


@pytest.mark.slow
def test_a_raster_larger_than_any_cache(target):
    """Rows of 12 large bands are written in turn. Incomplete chunks do not fit in memory, so each chunk is stored
    several times."""
    bands, side = 12, 1700
    values = random((bands, side, side))
    with config_options(GDAL_CACHEMAX="1"):
        options = ["COMPRESS=NONE", *zarr_formats.block_options(1700, 1700)]
        dataset = driver().Create(target, side, side, bands, gdal.GDT_Int16, options)
        for top in range(0, side, 425):
            for band in range(bands):
                dataset.GetRasterBand(band + 1).WriteArray(values[band, top : top + 425], 0, top)
        dataset.GetRasterBand(3).WriteArray(-values[2, :10], 0, 5)
        values[2, 5:15] = -values[2, :10]
        np.testing.assert_array_equal(dataset.ReadAsArray(), values)
        dataset = None
    assert_whole(target, values)


@pytest.mark.parametrize("tool", ["gdal_merge.py", "gdal_merge.py -ps"])
def test_tiles_that_overlap_are_merged(tmp_path, tool):
    one, two = random((600, 600), 1), random((600, 600), 2)
    tiles = [make_tile(tmp_path, "a.tif", one, 0, 0), make_tile(tmp_path, "b.tif", two, 100, 150)]
    path = tmp_path / "m.zarr.zip"
    words = ["-ps", "10", "10"] if "-ps" in tool else []
    done = run("gdal_merge.py", "-of", "Zarr", "-o", path, *words, *tiles)
    assert done.returncode == 0 and "ERROR" not in done.stderr + done.stdout, done
    expected = np.zeros((750, 700), "i2")
    expected[:600, :600] = one
    expected[150:, 100:] = two
    assert_whole(str(path), expected)


@pytest.mark.slow
def test_holes_are_filled(tmp_path):
    """gdal_fillnodata.py reads pixels that it has written, after their chunks have left the cache. The result
    equals a GeoTIFF's."""
    values = random((1500, 1500))
    values[::7, ::3] = 0
    source = gdal.GetDriverByName("GTiff").CreateCopy(str(tmp_path / "a.tif"), in_memory(values))
    source.GetRasterBand(1).SetNoDataValue(0)
    source = None
    results = []
    for form, name in (("GTiff", "f.tif"), ("Zarr", "f.zarr.zip")):
        done = run("gdal_fillnodata.py", "-q", "-of", form, "-si", "2", tmp_path / "a.tif", tmp_path / name)
        assert done.returncode == 0 and "ERROR" not in done.stderr + done.stdout, done
        results.append(read_all(open_raster(tmp_path / name) if form == "Zarr" else gdal.Open(str(tmp_path / name))))
    assert (results[0] != values).any()
    np.testing.assert_array_equal(results[0], results[1])
    assert_whole(str(tmp_path / "f.zarr.zip"), results[1])


def test_a_second_source_is_warped_into_it(tmp_path):
    one, two = random((900, 900), 1), random((900, 900), 2)
    tiles = [make_tile(tmp_path, "a.tif", one, 0, 0), make_tile(tmp_path, "b.tif", two, 300, 100)]
    names = [tmp_path / "w.tif", tmp_path / "w.zarr.zip"]
    for form, name in zip(("GTiff", "Zarr"), names):
        done = run("gdalwarp", "-q", "-of", form, "-wm", "1", *tiles, name)
        assert done.returncode == 0 and done.stderr == "", done
    expected = read_all(gdal.Open(str(names[0])))
    assert (expected == one[0, 0]).any()
    assert_whole(str(names[1]), expected[0] if expected.ndim == 3 else expected)


@pytest.mark.parametrize("made", ["a copy", "gdalwarp", "gdal_translate"])
@pytest.mark.parametrize("bands", [1, 3])
def test_overviews_are_built_with_it(tmp_path, made, bands):
    values = random((bands, 1500, 1400))
    source = tmp_path / "a.tif"
    gdal.GetDriverByName("GTiff").CreateCopy(str(source), in_memory(values))
    path = str(tmp_path / "o.zarr.zip")
    creation = ["OVERVIEWS=2,4", *zarr_formats.block_options(256, 256)]
    words = [word for option in creation for word in ("-co", option)]
    if made == "a copy":
        with config_options(GDAL_CACHEMAX="1"), error_log() as log:
            assert driver().CreateCopy(path, gdal.Open(str(source)), options=creation) is not None
        assert log.events == []
    else:
        done = run(made, "-q", "-of", "Zarr", *words, source, path)
        assert done.returncode == 0 and done.stderr == "", done
    assert_whole(path, values if bands > 1 else values[0])
    opened = open_raster(path)
    for number in range(bands):
        band = opened.GetRasterBand(number + 1)
        assert [band.GetOverview(i).XSize for i in range(band.GetOverviewCount())] == [700, 350]
        np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), values[number, ::2, ::2])


def test_a_mask_and_overviews_of_a_created_store(target, cpl):
    values = random((SIDE, SIDE))
    dataset = driver().Create(target, SIDE, SIDE, 1, gdal.GDT_Int16, zarr_formats.block_options(128, 128))
    dataset.WriteArray(values)
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(np.where(values > 15000, 255, 0).astype("u1"))
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    np.testing.assert_array_equal(dataset.GetRasterBand(1).GetOverview(0).ReadAsArray(), values[::2, ::2])
    dataset = None
    cpl.assert_quiet()
    opened = open_raster(target)
    band = opened.GetRasterBand(1)
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray() == 255, values > 15000)
    np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), values[::2, ::2])
    assert_whole(target, values)


def test_a_copy_into_a_zip_file_is_changed_further(target, cpl):
    values = random((SIDE, SIDE))
    dataset = driver().CreateCopy(target, in_memory(values), options=zarr_formats.block_options(128, 128))
    dataset.GetRasterBand(1).WriteArray(values[:50, :50] + 1, 3, 4)
    values[4:54, 3:53] = values[:50, :50] + 1
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    dataset = None
    cpl.assert_quiet()
    assert_whole(target, values)


def test_a_store_that_is_created_again_has_its_own_pixels(target):
    """A store is created again at its path, while the old store is still open. The new store has only its own
    pixels."""
    kept = []
    for turn in range(3):
        dataset = driver().Create(target, 300, 300, 1, gdal.GDT_Int16, ["COMPRESS=NONE", *zarr_formats.block_options(100, 100)])
        if turn < 2:
            dataset.WriteArray(np.full((300, 300), turn + 1, "i2"))
        kept.append(dataset.GetRasterBand(1).ReadAsArray())
        dataset = None
        kept.append(open_raster(target))
        assert (kept[-1].ReadAsArray() == (turn + 1) % 3).all()


def test_members_have_a_date(tmp_path):
    path = tmp_path / "d.zarr.zip"
    before = time.localtime(time.time() - 4)[:6]
    driver().CreateCopy(str(path), in_memory(random((40, 30))))
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            assert before <= member.date_time <= time.localtime()[:6], member
            # The zip file states the date also in the local header of the member, which zipfile ignores.
            header = path.read_bytes()[member.header_offset :][:30]
            date, seconds = struct.unpack("<HH", header[12:14] + header[10:12])
            year, month, day, hour, minute, second = member.date_time
            assert date == (year - 1980) << 9 | month << 5 | day, member
            assert seconds == hour << 11 | minute << 5 | second // 2, member


@pytest.mark.parametrize("tool", ["gdalwarp", "gdal_translate"])
def test_a_full_disk_is_an_error_and_leaves_no_file(tmp_path, tool):
    source = make_tile(tmp_path, "a.tif", random((900, 900)), 0, 0)
    path = tmp_path / "full.zarr.zip"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    done = run(tool, "-q", "-of", "Zarr", "-co", "BLOCKSIZE=128,128", source, path, preexec_fn=limit)
    assert done.returncode != 0 and "full.zarr.zip" in done.stderr, done
    assert sorted(os.listdir(tmp_path)) == ["a.tif"]
