# SPDX-License-Identifier: MIT
"""Builds of overviews that end in the middle: killed, cancelled, or with a full disk. A level whose pixels are partly
replaced is left out until a later build has filled it."""

import os
import resource
import shutil
import signal

import numpy as np
import pytest
import zarr_faults
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_overviews import (StopAt, check_consolidated, gtiff_levels, level_folders, level_group,
                            level_values, make, sizes, smooth, update)  # fmt: skip
from zarr_processes import Process

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
SIDE = 256
INCOMPLETE = "is incomplete, because building it was interrupted; build the overviews anew"
ONE = ["BLOCKSIZE=32,32"]  # for a raster of one band
FORMS = {
    "one": ["BLOCKSIZE=1,32,32"],
    "pixel": ["INTERLEAVE=PIXEL", "BLOCKSIZE=32,32,2"],
    "arrays": ["SINGLE_ARRAY=NO", "BLOCKSIZE=32,32"],
    "groups": ["OVERVIEW_LAYOUT=GROUPS", "BLOCKSIZE=1,32,32"],
}


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def rebuild(report, name, share, method="NEAREST", factors=(2, 4)):
    """Builds overviews. Ends the process without any clean-up when the fraction `share` of the work is done."""

    def die(complete, _message, _data):
        if complete >= share:
            report("dies")
            os._exit(9)
        return 1

    update(name).BuildOverviews(method, list(factors), die)
    report("ended")
    os._exit(9)


def check_whole(store, *wanted):
    """Asserts that each level is in one of the states `wanted`, lists of all levels, and that no level is partly in one
    and partly in another state. Returns the warnings of opening, and the number of levels."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER)  # open_raster() would take the warnings
        got = level_values(dataset)
    assert log.errors == []
    for level in got:
        assert any(level.shape == other.shape and (level == other).all()
                   for levels in wanted for other in levels), level.shape  # fmt: skip
    return log.warnings, len(got)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_a_killed_rebuild_leaves_no_mixed_level(tmp_path, rng, form):
    values = smooth(rng, 2, SIDE, SIDE)
    old, new = (gtiff_levels(tmp_path, values, method, [2, 4]) for method in ("AVERAGE", "NEAREST"))
    mixed = 0
    shares = (1e-9, 0.3, 0.55, 0.8, 1.0) if form == "one" or zarr_faults.ALL else (0.3, 0.8)
    for number, share in enumerate(shares):
        store = tmp_path / f"{number}.zarr"
        make(store, values, *FORMS[form]).BuildOverviews("AVERAGE", [2, 4])
        process = Process(rebuild, store, share)
        assert process.finish() == ["dies"]
        warnings, count = check_whole(store, old, new)
        each = 2 if form == "arrays" else 1  # each array of a level gives a warning
        assert len(warnings) == each * (2 - count) and all(INCOMPLETE in text for text in warnings)
        mixed += len(warnings)
        assert (read_all(open_raster(store)) == values).all()
        assert update(store).BuildOverviews("CUBIC", [2, 4]) == 0
        assert check_whole(store, gtiff_levels(tmp_path, values, "CUBIC", [2, 4])) == ([], 2)
        if form != "groups":
            folders = [store / level_group(factor) for factor in (2, 4)]
            assert all(folder.is_dir() for folder in folders)
            assert len(level_folders(store)) == 2
        assert update(store).BuildOverviews("NONE", []) == 0
        assert sizes(open_raster(store)) == []
    assert mixed >= len(shares), mixed


@pytest.mark.slow
def test_rebuilds_that_are_killed_at_any_moment(tmp_path, rng):
    values = smooth(rng, 1, SIDE, SIDE)
    choose = np.random.default_rng(SEED)
    states = [gtiff_levels(tmp_path, values, method, [2, 4]) for method in ("AVERAGE", "NEAREST", "CUBIC")]
    store = tmp_path / "a.zarr"
    make(store, values, *ONE).BuildOverviews("AVERAGE", [2, 4])

    def build(report, method):
        dataset = update(store)
        at = choose.random()
        report("opened")
        dataset.BuildOverviews(method, [2, 4], lambda complete, *_: report(f"{complete >= at}") or 1)

    for turn in range(40 if zarr_faults.ALL else 10):
        choose = np.random.default_rng(SEED + turn)
        process = Process(build, ("NEAREST", "CUBIC")[turn % 2])
        process.wait_for_word(choose.choice(["opened", "True"]))
        process.kill()
        check_whole(store, *states)
    assert update(store).BuildOverviews("AVERAGE", [2, 4]) == 0
    assert check_whole(store, states[0]) == ([], 2)


@pytest.mark.parametrize("share", [1e-9, 0.9])
@pytest.mark.parametrize("form", FORMS)
def test_a_cancelled_rebuild_leaves_no_mixed_level(tmp_path, rng, form, share):
    values = smooth(rng, 2, SIDE, SIDE)
    store = tmp_path / "a.zarr"
    make(store, values, *FORMS[form]).BuildOverviews("AVERAGE", [2, 4])
    old, new = (gtiff_levels(tmp_path, values, method, [2, 4]) for method in ("AVERAGE", "NEAREST"))
    dataset = update(store)
    held = dataset.GetRasterBand(1).GetOverview(0)
    with error_log() as log:
        assert dataset.BuildOverviews("NEAREST", [2, 4], StopAt(share)) != 0
    assert "cancel" in log.the_error() or "terminated" in log.the_error(), log.errors
    assert log.warnings == []
    assert sizes(dataset) == [] and held.XSize == SIDE // 2
    with error_log() as log:
        assert dataset.BuildOverviews("NEAREST", [4]) == 0
    log.assert_quiet()
    assert sizes(dataset) == [(SIDE // 4, SIDE // 4)]
    held = dataset = None
    assert check_whole(store, old, new) == ([], 1)
    check_consolidated(store)


def test_one_band_of_a_level_is_filled_again_in_vain(tmp_path, rng):
    values = smooth(rng, 2, SIDE, SIDE)
    store = tmp_path / "a.zarr"
    make(store, values, *FORMS["one"]).BuildOverviews("AVERAGE", [2])
    dataset = update(array_name(store, "a") + ":1")
    with error_log():
        assert dataset.BuildOverviews("NEAREST", [2], StopAt(0.5)) != 0
    dataset = None
    warnings, count = check_whole(store)
    assert count == 0 and len(warnings) == 1 and INCOMPLETE in warnings[0]
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    assert check_whole(store, gtiff_levels(tmp_path, values, "NEAREST", [2])) == ([], 1)


def fill_a_disk(report, store):
    """Builds overviews whose last chunks are larger than the maximum size of files. All documents are smaller."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10000, hard))
    dataset = update(store)
    with error_log() as log:
        assert dataset.BuildOverviews("NEAREST", [2]) != 0
    assert sizes(dataset) == []
    report(log.the_error())
    os._exit(0)


def test_a_rebuild_that_does_not_fit_leaves_no_mixed_level(tmp_path, rng):
    values = np.zeros((1, SIDE, SIDE), "f4")
    values[:, :128] = rng.random((1, 128, 1)) * 200
    store = tmp_path / "a.zarr"
    make(store, values, "BLOCKSIZE=64,64", "COMPRESS=ZLIB").BuildOverviews("AVERAGE", [2])
    old = gtiff_levels(tmp_path, values, "AVERAGE", [2])
    values[:, 128:] = rng.random((1, 128, SIDE)) + 1  # these pixels cannot be compressed
    dataset = update(store)
    with error_log():
        dataset.WriteArray(values)
        dataset = None
    (error,) = Process(fill_a_disk, store).succeed()
    assert str(store) in error and "File too large" in error
    warnings, count = check_whole(store, old)
    assert count == 0 and len(warnings) == 1 and INCOMPLETE in warnings[0]
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    assert check_whole(store, gtiff_levels(tmp_path, values, "NEAREST", [2])) == ([], 1)


def add_mask(store, mask):
    dataset = update(store)
    with error_log():
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        dataset = None


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.slow
def test_masks_of_levels_are_whole(tmp_path, rng, is_new):
    """A killed build leaves no level whose mask is empty, or partly of another method. The levels may get their mask in
    that build."""
    values = smooth(rng, 1, SIDE, SIDE)
    mask = ((rng.random((SIDE, SIDE)) > 0.5) * 255).astype("u1")
    for number, share in enumerate((1e-9, 1.0)):
        store = tmp_path / f"{number}.zarr"
        make(store, values, *ONE)
        if not is_new:
            add_mask(store, mask)
        assert update(store).BuildOverviews("AVERAGE", [2, 4]) == 0
        if is_new:
            add_mask(store, mask)
        process = Process(rebuild, store, share)
        assert process.finish() == ["dies"]
        with error_log() as log:
            assert sizes(gdal.Open(str(store))) == []
        assert log.errors == []
        assert all(INCOMPLETE in text or "mask" in text for text in log.warnings)
        assert update(store).BuildOverviews("NEAREST", [2]) == 0
        dataset = open_raster(store)
        band = dataset.GetRasterBand(1)
        assert (band.GetOverview(0).GetMaskBand().ReadAsArray() == mask[::2, ::2]).all()


def test_levels_of_another_program(tmp_path, rng):
    """A killed build leaves a level of another program incomplete. Filling it again makes it whole, and leaves no
    trace in the metadata."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, SIDE, SIDE)[0]
    root = zarr.open_group(str(store))
    root.attrs["multiscales"] = [{"version": "0.4", "name": "other", "datasets": [
        {"path": "image/0"}, {"path": "image/1"}, {"path": "image/2"}]}]  # fmt: skip
    for level in range(3):
        step = 2**level
        root.create_dataset(f"image/{level}", data=values[::step, ::step], chunks=(32, 32))
    before = zarr_formats.documents(store)
    zarr.consolidate_metadata(str(store))
    name = array_name(store, "image/0")
    process = Process(rebuild, name, 0.3, "AVERAGE")
    assert process.finish() == ["dies"]
    with error_log() as log:
        assert sizes(gdal.Open(name)) == []
    assert log.errors == [] and [INCOMPLETE in text for text in log.warnings] == [True] * 2
    assert update(name).BuildOverviews("AVERAGE", [4]) == 0
    with error_log() as log:
        assert sizes(gdal.Open(name)) == [(SIDE // 4, SIDE // 4)]
    assert [INCOMPLETE in text for text in log.warnings] == [True]
    assert update(name).BuildOverviews("AVERAGE", [2, 4]) == 0
    # Zero is the fill value, which means that pixels are missing.
    assert check_whole(name, gtiff_levels(tmp_path, values[None], "AVERAGE", [2, 4], nodata=0)) == ([], 2)
    after = zarr_formats.documents(store)
    after.pop(".zmetadata", None)
    # An empty .zattrs means the same as none.
    before, after = ({key: value for key, value in one.items() if value} for one in (before, after))
    assert after == before


def test_an_append_fills_an_incomplete_level(tmp_path, rng):
    """An append fills all slices of a level that a killed build has left incomplete."""
    store = tmp_path / "a.zarr"
    driver = gdal.GetDriverByName("Zarr")
    values = smooth(rng, 3, SIDE, SIDE)
    options = ["BAND_DIM=time", "BAND_DIM_VALUES=0,1", "BLOCKSIZE=1,32,32"]
    assert driver.CreateCopy(str(store), make("", values[:2], driver="MEM"), options=options)
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    process = Process(rebuild, store, 0.6, "NEAREST", [2])
    assert process.finish() == ["dies"]
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2"]
    assert driver.CreateCopy(str(store), make("", values[2:], driver="MEM"), options=options)
    assert check_whole(store, gtiff_levels(tmp_path, values, "AVERAGE", [2])) == ([], 1)


# ---------------------------------------------------------------------------------------------
# What killed processes leave


def names(store):
    """Returns the names of the files of a store. A killed process leaves no consolidated metadata."""
    return sorted(key for key in zarr_formats.contents(store) if key != ".zmetadata")


def unlist(store):
    """Removes the list of levels, as the first step of removing overviews does."""
    attributes = zarr_formats.attributes(store)
    layout = attributes["multiscales"]["layout"]
    if "gdal_arrays" in layout[0]:
        attributes["multiscales"]["layout"] = layout[:1]
    else:
        attributes.pop("multiscales")
        attributes.pop("zarr_conventions")
    zarr_formats.put_attributes(store, attributes)
    if not attributes and not zarr_formats.is_v3():
        zarr_formats.document_file(store, ".zattrs").unlink()


LEFT = {
    "everything": lambda folder: None,
    "no documents of arrays": lambda folder: remove_documents(folder, "*/"),
    "no documents": lambda folder: remove_documents(folder, "*/", ""),
    "an empty folder": lambda folder: [shutil.rmtree(path) for path in folder.iterdir() if path.is_dir()],
}


def remove_documents(folder, *patterns):
    for pattern in patterns:
        for name in (".zarray", ".zgroup", *([".zattrs"] if pattern else []), "zarr.json"):
            for path in folder.glob(pattern + name):
                path.unlink()


@pytest.mark.parametrize("clean, left", [
    *((True, left) for left in LEFT), (False, "everything"), (False, "no documents")])  # fmt: skip
@pytest.mark.parametrize("form", ["one", "arrays", "groups"])
def test_leftovers_of_a_killed_clean_are_removed(tmp_path, rng, form, left, clean):
    values = smooth(rng, 2, 128, 128)
    store = tmp_path / "a.zarr"
    make(store, values, *FORMS[form])
    without = names(store)
    assert update(store).BuildOverviews("AVERAGE", [2, 4, 8]) == 0
    unlist(store)
    base = "2" if form == "groups" else level_group(4)
    LEFT[left](store / base)
    if clean:
        assert update(store).BuildOverviews("NONE", []) == 0
        assert names(store) == without
    else:
        assert update(store).BuildOverviews("NEAREST", [2]) == 0
        assert check_whole(store, gtiff_levels(tmp_path, values, "NEAREST", [2])) == ([], 1)
        for level in ("2", "3") if form == "groups" else (level_group(4), level_group(8)):
            assert not [key for key in names(store) if key.startswith(level + "/")]


@pytest.mark.slow
def test_cleans_that_are_killed_at_any_moment(tmp_path, rng):
    values = smooth(rng, 1, SIDE, SIDE)
    store = tmp_path / "a.zarr"
    make(store, values, "BLOCKSIZE=16,16")
    without = names(store)

    def clean(report):
        dataset = update(store)
        report("opened")
        dataset.BuildOverviews("NONE", [])
        report("cleaned")

    wanted = gtiff_levels(tmp_path, values, "NEAREST", [2, 4])
    for _ in range(20 if zarr_faults.ALL else 6):
        assert update(store).BuildOverviews("NEAREST", [2, 4]) == 0
        process = Process(clean)
        process.wait_for("opened")
        process.kill()
        check_whole(store, wanted)
        assert update(store).BuildOverviews("NONE", []) == 0
        assert names(store) == without


def test_what_others_made_is_no_leftover(tmp_path, rng):
    """Groups that are not marked, and arrays of other names in a group for overviews, stay."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64), "ARRAY_NAME=a")
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    root = zarr.open_group(str(store))
    names = ["ovr_8x/mine", "overviews_mine/4/mine", "4/mine", "overviews/small"]
    for name in names:
        root.create_dataset(name, data=np.ones((7, 9)))
    zarr.consolidate_metadata(str(store))
    name = array_name(store, "a")
    for method, factors in (("AVERAGE", [4]), ("NONE", [])):
        with error_log() as log:
            assert update(name).BuildOverviews(method, factors) == 0
        assert log.errors == []
        for other in names:
            assert (zarr.open_group(str(store), mode="r")[other][...] == 1).all(), other
