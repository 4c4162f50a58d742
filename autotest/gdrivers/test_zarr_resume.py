# SPDX-License-Identifier: MIT
"""Creation option RESUME=YES: a copy continues where an earlier copy was killed, cancelled or failed."""

import json
import os
import signal
import time

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import config_options, error_log, open_raster
from zarr_overviews import entries
from zarr_processes import Process
from zarr_s3 import S3

SIDE = 2100
PAUSE = 0.35  # seconds to wait after each part of a copy, because the copy adds an entry to its journal every second
RANDOM = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def many_parts():
    """Makes GDAL's block cache small, so that a copy has small parts, and its journal many entries."""
    before = gdal.GetCacheMax()
    gdal.SetCacheMax(1 << 20)
    yield
    gdal.SetCacheMax(before)


def driver():
    return gdal.GetDriverByName("Zarr")


def make_source(folder, bands=2, has_mask=False):
    """Writes a GeoTIFF with nodata, descriptions, metadata, and areas without data. Returns its path."""
    name = str(folder / "source.tif")
    tiff = gdal.GetDriverByName("GTiff").Create(name, SIDE, SIDE, bands, gdal.GDT_Int32)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    tiff.SetSpatialRef(srs)
    tiff.SetGeoTransform([500000, 10, 0, 5000000, 0, -10])
    tiff.SetMetadataItem("TITLE", "a raster")
    for i in range(1, bands + 1):
        band = tiff.GetRasterBand(i)
        values = RANDOM.integers(0, 10000, (SIDE, SIDE)).astype("i4")
        values[300:900, :700] = -9  # the driver does not store chunks that are all nodata
        band.WriteArray(values)
        if not has_mask:
            band.SetNoDataValue(-9)
        band.SetDescription(f"name {i}")
    if has_mask:
        with config_options(GDAL_TIFF_INTERNAL_MASK="YES"):
            tiff.CreateMaskBand(gdal.GMF_PER_DATASET)
            mask = np.full((SIDE, SIDE), 255, "u1")
            mask[:500, 20:] = 0
            tiff.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    return name


class Slow:
    """Progress function that calls `end()` at the fraction `last` of a copy. During the quarter before, each call waits
    PAUSE seconds, so that the journal gets entries."""

    def __init__(self, last, end):
        self.last, self.end, self.fractions = last, end, []

    def __call__(self, fraction, _message, _data):
        self.fractions.append(fraction)
        if fraction >= self.last:
            return self.end()
        if fraction >= self.last - 0.25:
            time.sleep(PAUSE)
        return 1


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def run_killed_copy(target, source, options, last=0.6):
    """Runs a copy in another process, which is killed at the fraction `last` of the copy."""

    def copy(_report):
        driver().CreateCopy(str(target), gdal.Open(source), options=options,
                            callback=Slow(last, kill))  # fmt: skip

    process = Process(copy)
    process.finish()
    assert os.WIFSIGNALED(process.status) and os.WTERMSIG(process.status) == signal.SIGKILL


def cancel_copy(target, source, options, last=0.6):
    """Runs a copy, and cancels it at the fraction `last`."""
    with error_log() as log:
        assert not driver().CreateCopy(str(target), gdal.Open(source), options=options,
                                       callback=Slow(last, lambda: 0))  # fmt: skip
    assert len(log.errors) == 1, log.events


def resume(target, source, options, warnings=0):
    """Resumes a copy. Returns the first progress, from 0 to 1, that it reports."""
    fractions = []

    def note(fraction, _message, _data):
        fractions.append(fraction)
        return 1

    with error_log() as log:
        made = driver().CreateCopy(str(target), gdal.Open(source),
                                   options=[*options, "RESUME=YES"], callback=note)  # fmt: skip
    assert made is not None and not log.errors and len(log.warnings) == warnings, log.events
    return fractions[0]


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".partial"))


def contents(store):
    """Returns {name: contents} of the files in a store. JSON is parsed, because the order of members depends on the
    order of changes. `gdal_base_state` of a level, which contains the times of its files, becomes True."""

    def without_times(members):
        return {name: True if name == "gdal_base_state" else value for name, value in members.items()}

    return {name: json.loads(data, object_hook=without_times)
            if name.endswith(("json", ".zarray", ".zattrs", ".zmetadata")) else data
            for name, data in entries(store).items()}  # fmt: skip


LAYOUTS = {
    "plain": [],
    "an array for each band": ["SINGLE_ARRAY=NO"],
    "pixels together": ["INTERLEAVE=PIXEL"],
    "overviews": ["OVERVIEWS=2,4", "OVERVIEW_RESAMPLING=AVERAGE"],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@zarr_formats.FORMS
@pytest.mark.slow
def test_a_killed_copy_goes_on(tmp_path, layout):
    source = make_source(tmp_path)
    options = [*zarr_formats.block_options(300, 700), "ARRAY_NAME=a", *LAYOUTS[layout]]
    target = tmp_path / "a.zarr"
    run_killed_copy(target, source, options, 0.6 if layout != "overviews" else 0.45)
    (partial,) = leftovers(tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / partial).rglob("*")
            if path.stat().st_size > 10000}  # larger than any metadata document, so a chunk
    assert resume(target, source, options) > 0.2
    moved = [target / path.relative_to(tmp_path / partial) for path in kept]
    same = [path for path, time_ns in zip(moved, kept.values(), strict=True)
            if path.stat().st_mtime_ns == time_ns]  # fmt: skip
    assert len(same) >= 4  # the resumed copy keeps the chunks of the killed copy
    assert leftovers(tmp_path) == []
    whole = tmp_path / "whole" / "a.zarr"
    whole.parent.mkdir()
    assert driver().CreateCopy(str(whole), gdal.Open(source), options=options)
    assert contents(target) == contents(whole)


@zarr_formats.BOTH
@pytest.mark.slow
def test_a_copy_that_was_killed_while_overviews_were_built_goes_on(tmp_path):
    source = make_source(tmp_path)
    options = ["BLOCKSIZE=300,700", "OVERVIEWS=2,4", "ARRAY_NAME=a"]
    target = tmp_path / "a.zarr"
    run_killed_copy(target, source, options, 0.85)
    assert resume(target, source, options) > 0.7
    whole = tmp_path / "whole.zarr"
    assert driver().CreateCopy(str(whole), gdal.Open(source), options=options)
    assert contents(target) == contents(whole)


@zarr_formats.BOTH
@pytest.mark.slow
def test_a_copy_with_a_mask_goes_on(tmp_path):
    source = make_source(tmp_path, 1, has_mask=True)
    options = ["BLOCKSIZE=100,700", "ARRAY_NAME=a"]
    target = tmp_path / "a.zarr"
    run_killed_copy(target, source, options, 0.93)  # the copy writes the mask at this fraction
    assert resume(target, source, options) > 0.8
    opened, expected = open_raster(target), gdal.Open(source)
    for band in (opened.GetRasterBand(1), expected.GetRasterBand(1)):
        assert band.GetMaskFlags() == gdal.GMF_PER_DATASET
    np.testing.assert_array_equal(opened.GetRasterBand(1).GetMaskBand().ReadAsArray(),
                                  expected.GetRasterBand(1).GetMaskBand().ReadAsArray())  # fmt: skip
    np.testing.assert_array_equal(opened.ReadAsArray(), expected.ReadAsArray())


@zarr_formats.BOTH
@pytest.mark.slow
def test_a_cancelled_copy_goes_on_if_the_user_asks_for_it(tmp_path):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    options = ["BLOCKSIZE=300,700"]
    cancel_copy(target, source, options)
    assert leftovers(tmp_path) == []  # without RESUME=YES, a cancelled copy leaves no files
    cancel_copy(target, source, [*options, "RESUME=YES"])
    assert len(leftovers(tmp_path)) == 1 and not target.exists()
    assert resume(target, source, options) > 0.2
    np.testing.assert_array_equal(open_raster(target).ReadAsArray(), gdal.Open(source).ReadAsArray())


@pytest.mark.slow
def test_a_copy_is_resumed_twice(tmp_path):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    options = ["BLOCKSIZE=300,700"]
    cancel_copy(target, source, [*options, "RESUME=YES"], 0.4)
    cancel_copy(target, source, [*options, "RESUME=YES"], 0.45)
    assert resume(target, source, options) > 0.2
    np.testing.assert_array_equal(open_raster(target).ReadAsArray(), gdal.Open(source).ReadAsArray())


@pytest.mark.slow
def test_another_source_starts_again(tmp_path):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    cancel_copy(target, source, ["RESUME=YES", "BLOCKSIZE=300,700"])
    changed = gdal.Open(source, gdal.GA_Update)
    changed.GetRasterBand(1).Fill(5)
    changed = None
    os.utime(source, (1, 1))  # changes the modification time of the source
    assert resume(target, source, ["BLOCKSIZE=300,700"], warnings=1) < 0.2
    assert leftovers(tmp_path) == []
    np.testing.assert_array_equal(open_raster(target).ReadAsArray(), gdal.Open(source).ReadAsArray())


@pytest.mark.parametrize("change", ["chunks", "codec", "nodata"])
@pytest.mark.slow
def test_other_options_start_again(tmp_path, change):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    cancel_copy(target, source, ["RESUME=YES", "BLOCKSIZE=300,700"])
    options = {"chunks": ["BLOCKSIZE=150,700"],
               "codec": ["BLOCKSIZE=300,700", "COMPRESS=LZ4"],
               "nodata": ["BLOCKSIZE=300,700"]}[change]  # fmt: skip
    if change == "nodata":
        source = gdal.Translate("", source, format="VRT", noData=77).GetMetadata("xml:VRT")[0]
    assert resume(target, source, options, warnings=1) < 0.2
    opened, expected = open_raster(target), gdal.Open(source)
    np.testing.assert_array_equal(opened.ReadAsArray(), expected.ReadAsArray())
    assert opened.GetRasterBand(1).GetNoDataValue() == (77 if change == "nodata" else -9)


@pytest.mark.slow
def test_a_copy_without_the_option_removes_the_unfinished_store(tmp_path):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    run_killed_copy(target, source, [])
    assert len(leftovers(tmp_path)) == 1
    assert driver().CreateCopy(str(target), gdal.Open(source))
    assert leftovers(tmp_path) == []


@pytest.mark.slow
def test_an_old_store_stays_until_the_resumed_copy_is_complete(tmp_path):
    source = make_source(tmp_path)
    target = tmp_path / "a.zarr"
    assert driver().CreateCopy(str(target), gdal.GetDriverByName("MEM").Create("", 5, 5))
    cancel_copy(target, source, ["RESUME=YES", "BLOCKSIZE=300,700"])
    assert open_raster(target).RasterXSize == 5
    assert resume(target, source, ["BLOCKSIZE=300,700"]) > 0.2
    assert open_raster(target).RasterXSize == SIDE


def test_without_an_unfinished_copy_the_option_has_no_effect(tmp_path):
    source = make_source(tmp_path, 1)
    for _ in range(2):
        assert resume(tmp_path / "a.zarr", source, []) < 0.5
    assert leftovers(tmp_path) == []


def abandoned(folder, name):
    """Makes an unfinished store with the staging name `name`. No process has it locked."""
    assert driver().CreateCopy(str(folder / "made.zarr"), gdal.GetDriverByName("MEM").Create("", 5, 5))
    return (folder / "made.zarr").rename(folder / name)


@pytest.mark.parametrize("text", ['{"store"', "[]", '{"copy": ["x", 1, 0]}',
                                  '{"store": "", "consolidated": [], "documents": {}, "nodes": {}, "copy": ["x", 1, -1]}',
                                  '{"store": "", "consolidated": [], "documents": {}, "nodes": {}, "copy": [5, 1, 0]}'])  # fmt: skip
def test_a_bad_record_starts_again(tmp_path, text):
    source = make_source(tmp_path, 1)
    left = abandoned(tmp_path, f"a.zarr.7a617272{7:024x}.partial")
    (tmp_path / f"{left.name}.intent").write_text(text)
    resume(tmp_path / "a.zarr", source, [])
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("a.zarr")) == ["a.zarr"]
    assert open_raster(tmp_path / "a.zarr").RasterXSize == SIDE


def test_what_version_0_1_left_stays(tmp_path):
    """Version 0.1 named an unfinished store "a.zarr.0.partial", a deleted one "a.zarr.17.partial", and recorded a copy in
    "copy.partial". Files of users may have such names, too."""
    source = make_source(tmp_path, 1)
    for number in (0, 15, 17, 32):
        left = abandoned(tmp_path, f"a.zarr.{number}.partial")
        (left / "copy.partial").write_text('{"signature": "x", "band": 1, "row": 3}')
    resume(tmp_path / "a.zarr", source, [])
    assert leftovers(tmp_path) == [f"a.zarr.{number}.partial" for number in (0, 15, 17, 32)]
    assert open_raster(tmp_path / "a.zarr").RasterXSize == SIDE


def test_deletion_of_the_old_store_keeps_the_unfinished_copy(tmp_path):
    source, target = make_source(tmp_path), tmp_path / "a.zarr"
    driver().CreateCopy(str(target), gdal.Open(source))
    run_killed_copy(target, source, ["RESUME=YES"])
    assert driver().Delete(str(target)) == gdal.CE_None and not target.exists()
    assert resume(target, source, []) > 0.2


def test_where_the_option_has_no_effect_a_warning_says_why(tmp_path):
    memory = gdal.GetDriverByName("MEM").Create("", 5, 5)
    source = make_source(tmp_path, 1)
    for target, from_, more, reason in (
        ("a.zarr", memory, [], "no files"),
        ("a.zarr.zip", gdal.Open(source), [], "zip"),
        ("a.zarr", memory, ["APPEND_SUBDATASET=YES", "ARRAY_NAME=b"], "existing"),
    ):
        with error_log() as log:
            options = ["RESUME=YES", *more]
            assert driver().CreateCopy(str(tmp_path / target), from_, options=options)
        (warning,) = log.warnings
        assert "RESUME has no effect" in warning and reason in warning
    assert not log.errors


def test_create_and_appends_say_that_they_are_not_resumed(tmp_path):
    with error_log() as log:
        made = driver().Create(str(tmp_path / "a.zarr"), 5, 5, 2, options=["RESUME=YES", "BAND_DIM=t"])
    made = None
    assert "not made by a copy" in log.warnings[0] and not log.errors
    source = gdal.GetDriverByName("MEM").Create("", 5, 5)
    options = ["RESUME=YES", "APPEND_SUBDATASET=YES", "APPEND_DIM=t"]
    with error_log() as log:
        assert driver().CreateCopy(str(tmp_path / "a.zarr"), source, options=options)
    assert "slices are appended" in log.warnings[0] and not log.errors


@zarr_formats.BOTH
@pytest.mark.slow
def test_a_copy_in_place_goes_on_after_a_change_by_another_writer(tmp_path, monkeypatch):
    source = make_source(tmp_path)
    options = ["BLOCKSIZE=300,700", "ARRAY_NAME=a"]
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    monkeypatch.chdir(folder)  # a current folder is not replaced by another one
    run_killed_copy(".", source, [*options, "RESUME=YES"])
    assert gdal.Open(".", gdal.GA_Update).SetMetadataItem("A", "B") == gdal.CE_None
    assert resume(".", source, options) > 0.2
    np.testing.assert_array_equal(open_raster(folder).ReadAsArray(), gdal.Open(source).ReadAsArray())
    assert not (tmp_path / "a.zarr.intent").exists() and not (folder / ".intent").exists()


@pytest.mark.slow
def test_a_copy_in_an_object_store_goes_on(tmp_path):
    source = make_source(tmp_path)
    options = ["BLOCKSIZE=300,700", "ARRAY_NAME=a"]
    (tmp_path / "bucket").mkdir()
    with S3(tmp_path / "bucket") as server:
        gdal.VSICurlClearCache()
        with config_options(**server.options):
            target = "/vsis3/demo/a.zarr"
            cancel_copy(target, source, [*options, "RESUME=YES"])
            assert open_raster(target).RasterXSize == SIDE
            assert resume(target, source, options) > 0.2
            got = open_raster(target).ReadAsArray()
            assert ".intent" not in (gdal.ReadDir(target) or [])
            gdal.VSICurlClearCache()
    np.testing.assert_array_equal(got, gdal.Open(source).ReadAsArray())
