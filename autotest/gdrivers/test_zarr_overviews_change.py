# SPDX-License-Identifier: MIT
"""Changes of overviews: building again, adding levels, removing levels, and cancelled builds."""

import os
import subprocess
import sys

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, assert_same, error_log, open_raster, read_all
from zarr_overviews import (StopAt, check_consolidated, check_levels, entries, gtiff_levels,
                            level_folders, level_group, make, refused, root_attributes, sizes,
                            smooth, stays, update)

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def rewrite(dataset, values):
    """Overwrites pixels of a raster with overviews. Asserts that the write gives one warning, about outdated
    overviews."""
    with error_log() as log:
        assert dataset.WriteArray(values) == 0
        dataset.FlushCache()  # writes the blocks in GDAL's block cache to the store
    assert log.errors == [] and len(log.warnings) == 1 and "overviews" in log.warnings[0]


# -------------------------------------------------------------------------------------------------
# Building again, adding levels and removing levels


@pytest.mark.parametrize("options", [[], ["INTERLEAVE=PIXEL"], ["SINGLE_ARRAY=NO"],
                                     ["CREATE_CONSOLIDATED_METADATA=NO"]])  # fmt: skip
def test_build_again_add_levels_and_clean(tmp_path, rng, options, cpl):
    store = tmp_path / "a.zarr"
    old, new = smooth(rng, 2, 90, 70), smooth(rng, 2, 90, 70)
    consolidated = "CREATE_CONSOLIDATED_METADATA=NO" not in options

    def check(wanted):
        check_levels(open_raster(store), wanted)
        assert zarr_formats.has(store, ".zmetadata") == consolidated
        if consolidated:
            check_consolidated(store)

    make(store, old, "BLOCKSIZE=32,32" if "INTERLEAVE=PIXEL" not in options else "BLOCKSIZE=32,32,2",
         *options)
    before = entries(store)
    assert update(store).BuildOverviews("AVERAGE", [4]) == 0
    check(gtiff_levels(tmp_path, old, "AVERAGE", [4]))
    dataset = update(store)
    rewrite(dataset, new)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0  # adds a level that is larger than the existing one
    dataset = None
    two, four = gtiff_levels(tmp_path, new, "NEAREST", [2]), gtiff_levels(tmp_path, old, "AVERAGE", [4])
    check(two + four)
    methods = [asset.get("resampling_method") for asset in root_attributes(store)["multiscales"]["layout"]]
    assert methods == [None, "nearest", "average"]
    assert update(store).BuildOverviews("CUBIC", [2, 4, 8]) == 0
    check(gtiff_levels(tmp_path, new, "CUBIC", [2, 4, 8]))
    dataset = update(store)
    rewrite(dataset, old)
    assert dataset.BuildOverviews("NONE", []) == 0
    assert sizes(dataset) == []
    dataset = None
    assert entries(store) == before
    cpl.assert_quiet()


SETTERS = {
    "scale": lambda band: band.SetScale(3),
    "offset": lambda band: band.SetOffset(3),
    "unit": lambda band: band.SetUnitType("m"),
    "item": lambda band: band.SetMetadataItem("note", "x"),
    "description": lambda band: band.SetDescription("x"),
    "classes": lambda band: band.SetCategoryNames(["a", "b"]),
    "nodata": lambda band: band.SetNoDataValue(77),
    "no nodata": lambda band: band.DeleteNoDataValue(),
}


FLUSHES = {
    "overview": lambda band: band.GetOverview(0).GetDataset().FlushCache(),
    "mask": lambda band: band.GetMaskBand().GetDataset().FlushCache(),
}


@pytest.mark.parametrize("name", FLUSHES)
def test_overviews_follow_the_raster_after_a_flush_of_their_own(tmp_path, rng, name, cpl):
    """The changes of the raster wait for the raster, which stores them in the overviews, too."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 90, 70), "BLOCKSIZE=32,32")
    dataset = update(store)
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    assert dataset.GetRasterBand(1).GetMaskBand().Fill(255) == gdal.CE_None
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    dataset = update(store)
    band = dataset.GetRasterBand(1)
    assert band.SetUnitType("m") == gdal.CE_None and band.SetScale(2) == gdal.CE_None
    assert dataset.SetMetadataItem("note", "x") == gdal.CE_None
    FLUSHES[name](band)
    del band, dataset
    wanted = {"units": "m", "scale_factor": 2, "note": "x"}
    for path in ("a", "ovr_2x/a"):
        assert wanted.items() <= zarr_formats.attributes(store, path).items(), path
    cpl.assert_quiet()


@pytest.mark.parametrize("name", SETTERS)
def test_properties_of_an_overview_or_mask_are_not_stored(tmp_path, rng, name):
    """They are shown until the dataset is closed. Stored in one level, they would make this level unusable."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 90, 70), "BLOCKSIZE=32,32")
    dataset = update(store)
    assert dataset.GetRasterBand(1).SetNoDataValue(5) == gdal.CE_None
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    assert dataset.BuildOverviews("NEAREST", [2, 4]) == gdal.CE_None
    dataset = None
    before = zarr_formats.contents(store)
    dataset = update(store)
    band = dataset.GetRasterBand(1)
    SETTERS[name](band.GetOverview(0))
    SETTERS[name](band.GetMaskBand())
    dataset.FlushCache()
    del band, dataset
    assert zarr_formats.contents(store) == before
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    assert (band.GetOverviewCount(), band.GetMaskFlags()) == (2, gdal.GMF_PER_DATASET)


def test_clean_and_build_without_closing(tmp_path, rng, cpl):
    """A program keeps a handle of a level that is deleted. The level has written pixels that are not stored. Closing
    the dataset must not store these pixels."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 64, 64)
    dataset = make(store, values, "BLOCKSIZE=1,32,32")
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    old = dataset.GetRasterBand(1).GetOverview(0)
    old.WriteArray(np.full((5, 5), 7777, "f4"), 3, 3)  # the driver has not stored the written chunk yet
    assert dataset.BuildOverviews("NONE", []) == 0
    assert level_folders(store) == []
    with error_log() as log:
        assert old.ReadAsArray() is None
    assert "the array was deleted after it was opened" in log.the_error()
    with error_log() as log:
        assert old.WriteArray(np.full((5, 5), 8888, "f4"), 3, 3) != 0
    assert "not open in update mode" in log.the_error()
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    wanted = gtiff_levels(tmp_path, values, "AVERAGE", [2, 4])
    check_levels(dataset, wanted)
    dataset = old = None
    check_levels(open_raster(store), wanted)
    check_consolidated(store)
    cpl.assert_quiet()


def test_bands_can_be_filled_again_by_themselves(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    old, new = smooth(rng, 3, 40, 40), smooth(rng, 3, 40, 40)
    make(store, old).BuildOverviews("AVERAGE", [2])
    dataset = update(store)
    rewrite(dataset, new)
    band = dataset.GetRasterBand(2)
    regenerated = gdal.RegenerateOverviews(band, [band.GetOverview(0)], "AVERAGE")
    assert regenerated == 0
    dataset = band = None
    one, other = (gtiff_levels(tmp_path, values, "AVERAGE", [2])[0] for values in (old, new))
    check_levels(open_raster(store), [np.stack([one[0], other[1], one[2]])])
    dataset = update(array_name(store, "a") + ":2")
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    refused(dataset, "AVERAGE", [4], "slice", "whole array")
    dataset = None
    check_levels(open_raster(store), [np.stack([one[0], other[1], other[2]])])
    cpl.assert_quiet()


@pytest.mark.parametrize("clean", [True, False])
def test_levels_that_no_longer_fit_go_away(tmp_path, rng, clean, cpl):
    """If bands are added to an array after its overviews were built, the levels are ignored with one warning. The next
    change of overviews removes them, and gives no warning."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 2, 40, 40), "ARRAY_NAME=raster").BuildOverviews("AVERAGE", [2, 4])
    array = zarr.open(str(store))["raster"]
    values = smooth(rng, 3, 40, 40)
    array.resize(values.shape)
    array[...] = values
    zarr.consolidate_metadata(str(store))
    with error_log() as log:
        assert sizes(gdal.OpenEx(str(store), gdal.OF_RASTER)) == []
    assert len(log.warnings) == 1 and "left out" in log.warnings[0]
    dataset = update(store)
    assert sizes(dataset) == []
    if clean:
        assert dataset.BuildOverviews("NONE", []) == 0
        dataset = None
        assert level_folders(store) == [] and root_attributes(store) == {}
    else:
        assert dataset.BuildOverviews("AVERAGE", [2]) == 0
        dataset = None
        check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2]))
        assert level_folders(store) == [store / "ovr_2x"]
    check_consolidated(store)
    cpl.assert_quiet()


@pytest.mark.parametrize("name", ["small", "deep/er/small", "overviews/small", "overviews/7/nothing", "x", "../b"])
def test_only_overviews_are_ever_deleted(tmp_path, rng, name, cpl):
    """Overviews are deleted only in groups that were made for overviews. If attributes list another array as a level,
    the description is that of another program."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40), "ARRAY_NAME=raster").BuildOverviews("AVERAGE", [2])
    root = zarr.open_group(str(store))
    if name not in ("x", "../b", "overviews/7/nothing"):
        root.create_dataset(name, data=np.ones((10, 10), "f4"), fill_value=None)
    described = root.attrs["multiscales"]
    described["layout"].append({"asset": name, "derived_from": "raster", "resampling_method": "average"})
    root.attrs["multiscales"] = described
    zarr.consolidate_metadata(str(store))
    before = stays(store)
    with error_log():
        dataset = update(array_name(store, "raster"))
        assert dataset.BuildOverviews("NONE", []) != 0 and "not built by GDAL" in gdal.GetLastErrorMsg()
        dataset = None
    assert stays(store) == before


def test_clean_keeps_what_others_wrote(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40), georeferenced=False)
    root = zarr.open_group(str(store))
    root.attrs["title"] = "kept"
    root.attrs["multiscales"] = [{"version": "0.4", "name": "other", "datasets": [
        {"path": "image/0"}, {"path": "image/1"}]}]  # fmt: skip
    root.create_dataset("image/0", data=np.ones((8, 8)))
    root.create_dataset("image/1", data=np.ones((4, 4)))
    zarr.consolidate_metadata(str(store))
    before = stays(store)
    assert update(array_name(store, "a")).BuildOverviews("NEAREST", [2]) == 0
    listed = root_attributes(store)["multiscales"]
    assert [entry["name"] for entry in listed] == ["other"] and "layout" in listed[0]
    assert sizes(open_raster(array_name(store, "a"))) == [(20, 20)]
    assert sizes(open_raster(array_name(store, "image/0"))) == [(4, 4)]
    assert update(array_name(store, "a")).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


@pytest.mark.parametrize("taken", ["group", "array"])
def test_a_name_that_is_taken_is_left_alone(tmp_path, rng, taken, cpl):
    """If a user's array has the name of an overview group or of an array in it, the user's array stays unchanged. The
    overviews are still built."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40))
    root = zarr.open_group(str(store))
    name = f"{level_group(2)}/a" if taken == "group" else level_group(2).partition("/")[0]
    root.create_dataset(name, data=np.full((7, 9), 3.5))
    zarr.consolidate_metadata(str(store))
    before = stays(store)
    assert update(array_name(store, "a")).BuildOverviews("NEAREST", [2]) == 0
    assert_same(zarr.open_group(str(store))[name][...], np.full((7, 9), 3.5))
    assert sizes(open_raster(array_name(store, "a"))) == [(20, 20)]
    assert [one for one, _ in open_raster(store).GetSubDatasets()] == [
        array_name(store, "a"), array_name(store, name)]  # fmt: skip
    assert update(array_name(store, "a")).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


def test_pixels_that_became_nodata_are_left_out(tmp_path, rng, cpl):
    """If overviews are built again after a nodata value was set, nodata pixels are left out in all levels. A level that
    is computed from another level is no exception."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 64, 64, "i2")
    values[:, 8:43, 8:33] = -99
    dataset = make(store, values)
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    dataset.GetRasterBand(1).SetNoDataValue(-99)
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    wanted = gtiff_levels(tmp_path, values, "AVERAGE", [2, 4], nodata=-99)
    check_levels(dataset, wanted)
    dataset = None
    opened = open_raster(store)
    check_levels(opened, wanted)
    assert opened.GetRasterBand(1).GetOverview(1).GetNoDataValue() == -99
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Builds that fail or are cancelled


@pytest.mark.parametrize("share", [0, 1e-9, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("options", [["BLOCKSIZE=1,32,32"], ["INTERLEAVE=PIXEL"],
                                     ["SINGLE_ARRAY=NO"]], ids=lambda o: o[0])  # fmt: skip
def test_cancelling_leaves_the_store_as_it_was(tmp_path, rng, share, options, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 300, 200)
    make(store, values, *options)
    assert update(store).BuildOverviews("AVERAGE", [8]) == 0
    before = entries(store)
    dataset = update(store)
    stop = StopAt(share)
    with error_log() as log:
        assert dataset.BuildOverviews("AVERAGE", [2, 4], stop) != 0
    assert len(log.errors) == 1, log.events
    assert stop.seen == sorted(stop.seen) and stop.seen[-1] <= 1
    assert sizes(dataset) == [(25, 38)]
    dataset = None
    assert entries(store) == before
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [8]))
    assert update(store).BuildOverviews("AVERAGE", [2, 4]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2, 4])
                 + gtiff_levels(tmp_path, values, "AVERAGE", [8]))
    check_consolidated(store)
    cpl.assert_quiet()


def test_progress_goes_from_0_to_1(tmp_path, rng, cpl):
    dataset = make(tmp_path / "a.zarr", smooth(rng, 3, 200, 200))
    stop = StopAt(2)
    assert dataset.BuildOverviews("AVERAGE", [2, 4], stop) == 0
    assert stop.seen == sorted(stop.seen) and stop.seen[0] == 0 and stop.seen[-1] == 1
    assert len(stop.seen) > 5
    cpl.assert_quiet()


KILLED = """
import os, sys
from osgeo import gdal
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_RASTER | gdal.OF_UPDATE)
def die(complete, message, data):
    if complete > 0.4:
        os._exit(9)
    return 1
dataset.BuildOverviews("AVERAGE", [2, 4], die)
"""


@pytest.mark.parametrize("single", ["YES", "NO"])
def test_a_process_that_ends_leaves_no_overviews(tmp_path, rng, single, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 300, 200)
    make(store, values, f"SINGLE_ARRAY={single}")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(store)], env=dict(os.environ))
    assert ended.returncode == 9
    assert (store / level_group(2)).exists(), "it ended too early to mean anything"
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    assert sizes(opened) == [] and len(opened.GetSubDatasets()) == (0 if single == "YES" else 3)
    assert update(store).BuildOverviews("AVERAGE", [2, 4]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2, 4]))
    assert level_folders(store) == [store / "ovr_2x", store / "ovr_4x"]
    cpl.assert_quiet()


@pytest.mark.parametrize("is_first", [True, False])
def test_a_store_that_cannot_be_written(tmp_path, rng, is_first, cpl):
    """A file is in the place of a folder that the overviews need, so building fails, even for the user root."""
    store = tmp_path / "a.zarr"
    where = level_group(2)
    values = smooth(rng, 1, 40, 40)
    make(store, values)
    if not is_first:
        update(store).BuildOverviews("NEAREST", [4])
    (store / where).write_text("in the way")
    before = entries(store)
    dataset = update(store)
    refused(dataset, "NEAREST", [2], str(store), where)
    dataset = None
    assert entries(store) == before
    assert sizes(open_raster(store)) == ([] if is_first else [(10, 10)])
    check_consolidated(store)
    cpl.assert_quiet()
