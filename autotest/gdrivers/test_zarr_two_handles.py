# SPDX-License-Identifier: MIT
"""Two handles that are open for update at the same time change one store. The store then has both changes: a handle
writes what it was told to change, and nothing else."""

import itertools
import shutil

import numpy as np
import pytest
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_changes import CHANGES, SAME, open_for
from zarr_gdal import config_options, error_log, open_raster
from zarr_processes import run_at_once

pytestmark = zarr_formats.BOTH

# Forms of a raster: one band, three bands in an array, and three arrays.
FORMS = {"one": (1, []), "bands": (3, []), "arrays": (3, ["SINGLE_ARRAY=NO"])}


@pytest.fixture(autouse=True)
def pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def create(store, form):
    """Creates a raster of 5 x 6 pixels."""
    store.parent.mkdir()
    count, options = FORMS[form]
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 6, 5, count, gdal.GDT_Byte, options)
    for i in range(count):
        values = np.arange(30, dtype=np.uint8).reshape(5, 6) + i
        assert dataset.GetRasterBand(i + 1).WriteArray(values) == gdal.CE_None
    dataset = None


def is_same(first, second):
    return first == second or {first, second} in SAME


def missing(store, names):
    """Returns a text for each of the changes `names` that the store lacks."""
    dataset = open_raster(store)
    lacks = []
    for name in names:
        try:
            found = CHANGES[name].find(dataset)
        except Exception as error:  # for example: the dataset has no bands
            found = error
        if found != CHANGES[name].found:
            lacks.append(f"{name}: {found!r}")
    return lacks


def change_by_two(store, first, second, closes_last_first):
    handles = [open_for(CHANGES[first], store), open_for(CHANGES[second], store)]
    CHANGES[first].do(handles[0])
    CHANGES[second].do(handles[1])
    if closes_last_first:
        handles.reverse()
    while handles:
        handles.pop(0)


@pytest.mark.parametrize("form", FORMS)
def test_each_change_alone(tmp_path, form):
    """Each change is found by itself, so that the tests below fail for a lost change only."""
    create(tmp_path / "new" / "x.zarr", form)
    lacks = []
    for name, change in CHANGES.items():
        store = tmp_path / "x.zarr"
        shutil.copytree(tmp_path / "new" / "x.zarr", store)
        handle = open_for(change, store)
        change.do(handle)
        handle = None
        lacks += missing(store, [name])
        shutil.rmtree(store)
    assert lacks == []


def pairs_of(form):
    """Yields pairs of changes and whether the last handle is closed first. Each two changes meet in one form of a raster
    and one order in Zarr v2, and in another form and the other order in Zarr v3. ZARR_FAULTS=all tries all pairs."""
    if zarr_faults.ALL:
        yield from ((*pair, last) for pair in itertools.permutations(CHANGES, 2) for last in (False, True))
        return
    for number, (first, second) in enumerate(itertools.combinations(CHANGES, 2)):
        if (number + zarr_formats.is_v3()) % len(FORMS) == list(FORMS).index(form):
            yield (second, first, number % 2 == 1) if zarr_formats.is_v3() else (first, second, number % 2 == 1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_two_handles_lose_nothing_of_each_other(tmp_path, form):
    create(tmp_path / "new" / "x.zarr", form)
    lost = []
    for first, second, closes_last_first in pairs_of(form):
        if is_same(first, second):
            continue
        store = tmp_path / "x.zarr"
        shutil.copytree(tmp_path / "new" / "x.zarr", store)
        with error_log() as log:
            change_by_two(store, first, second, closes_last_first)
        lacks = missing(store, [first, second]) + log.errors
        if lacks:
            lost.append(f"{first} + {second}: {lacks}")
        shutil.rmtree(store)
    assert lost == [], f"{len(lost)} pairs:\n" + "\n".join(lost)


def change_alone(report, store, name):
    with config_options(GDAL_PAM_ENABLED="YES"):
        handle = open_for(CHANGES[name], store)
        CHANGES[name].do(handle)
        handle = None


RACES = [("mask", "item"), ("mask", "statistics"), ("description", "item of a band"), ("item", "attribute"),
         ("control points", "colour"), ("nodata", "scale")]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_two_processes_at_once(tmp_path, form):
    create(tmp_path / "new" / "x.zarr", form)
    for first, second in RACES * 2:
        store = tmp_path / "x.zarr"
        shutil.copytree(tmp_path / "new" / "x.zarr", store)
        run_at_once([(change_alone, store, first), (change_alone, store, second)])
        assert missing(store, [first, second]) == []
        assert open_raster(store).RasterCount == FORMS[form][0]
        shutil.rmtree(store)


def set_items(report, store, number):
    for i in range(10):
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.SetMetadataItem(f"item_{number}_{i}", "1")
        dataset.GetRasterBand(1).SetMetadataItem(f"item_{number}_{i}", "1", "MINE")
        dataset = None


@pytest.mark.slow
def test_many_processes_at_once(tmp_path):
    store = tmp_path / "new" / "x.zarr"
    create(store, "one")
    run_at_once([(set_items, store, number) for number in range(4)])
    dataset = open_raster(store)
    wanted = {f"item_{number}_{i}": "1" for number in range(4) for i in range(10)}
    assert wanted.items() <= dataset.GetMetadata().items()
    assert dataset.GetRasterBand(1).GetMetadata("MINE") == wanted


@pytest.mark.parametrize("form", FORMS)
def test_two_readers_that_store_statistics(tmp_path, form):
    """Without update mode, metadata goes to the auxiliary file beside the store."""
    store = tmp_path / "new" / "x.zarr"
    create(store, form)
    handles = [gdal.OpenEx(str(store), gdal.OF_RASTER) for _ in range(3)]
    handles[0].GetRasterBand(1).SetStatistics(1, 2, 3, 4)
    handles[1].GetRasterBand(FORMS[form][0]).SetDefaultHistogram(0, 4, [4, 3, 2, 1])
    handles[2].SetMetadataItem("one", "1")
    while handles:
        handles.pop()
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetStatistics(False, False) == [1, 2, 3, 4]
    assert dataset.GetRasterBand(FORMS[form][0]).GetDefaultHistogram(force=False)[3] == [4, 3, 2, 1]
    assert dataset.GetMetadataItem("one") == "1"
    handles = [gdal.OpenEx(str(store), gdal.OF_RASTER) for _ in range(2)]
    handles[0].SetMetadataItem("one", None)
    handles[1].SetMetadataItem("two", "2")
    while handles:
        handles.pop()
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("one") is None and dataset.GetMetadataItem("two") == "2"
    assert dataset.GetRasterBand(1).GetStatistics(False, False) == [1, 2, 3, 4]


@pytest.mark.parametrize("form", FORMS)
def test_a_mask_that_no_array_names(tmp_path, form):
    """Its writer was killed before the mask had its name. The raster opens with its bands."""
    store = tmp_path / "new" / "x.zarr"
    create(store, form)
    change_alone(print, store, "mask")
    for folder in store.iterdir():
        if folder.is_dir():
            attributes = zarr_formats.attributes(store, folder.name)
            attributes.pop("gdal_mask", None)
            zarr_formats.put_attributes(store, attributes, folder.name)
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER, open_options=["USE_CONSOLIDATED_METADATA=NO"])
    assert dataset.RasterCount == FORMS[form][0]
    assert dataset.GetSubDatasets() == [] or form == "arrays"
    assert ["no array names the mask /" in text for text in log.warnings] == [True]
    dataset = None
    change_alone(print, store, "mask")
    assert missing(store, ["mask"]) == []


def write_pixels(handle, number=1):
    band = handle.GetRasterBand(number)
    assert band.WriteArray(np.full((5, 6), 77, np.uint8)) == gdal.CE_None


COMPUTATIONS = {
    "statistics": lambda b: b.ComputeStatistics(False),
    "approximate statistics": lambda b: b.ComputeStatistics(True),
    "forced statistics": lambda b: b.GetStatistics(False, True),
    "histogram": lambda b: b.GetDefaultHistogram(force=True),
    "statistics that a user sets": lambda b: b.SetStatistics(1, 2, 3, 4),
    "items that a user sets": lambda b: b.SetMetadataItem("STATISTICS_MEAN", "3"),
    "histogram that a user sets": lambda b: b.SetDefaultHistogram(0, 4, [4, 3, 2, 1]),
}
MODES = {"read-only": gdal.OF_RASTER, "update": gdal.OF_RASTER | gdal.OF_UPDATE}


def statistics_of(store, number=1):
    dataset = open_raster(store)
    band = dataset.GetRasterBand(number)
    return band.GetMetadataItem("STATISTICS_MEAN"), band.GetDefaultHistogram(force=False)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", MODES)
def test_statistics_are_of_the_pixels_before_another_wrote(tmp_path, form, mode):
    create(tmp_path / "new" / "x.zarr", form)
    for name, compute in COMPUTATIONS.items():
        for has_older in (False, True):
            store = tmp_path / "copy" / "x.zarr"
            shutil.copytree(tmp_path / "new", tmp_path / "copy")
            if has_older:
                change_alone(print, store, "statistics")
            first = gdal.OpenEx(str(store), MODES[mode])
            second = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
            compute(first.GetRasterBand(1))
            write_pixels(second)
            second = None
            first = None
            assert statistics_of(store) == (None, None), (name, has_older)
            shutil.rmtree(tmp_path / "copy")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", MODES)
def test_statistics_of_the_pixels_that_another_wrote_are_kept(tmp_path, form, mode):
    store = tmp_path / "new" / "x.zarr"
    create(store, form)
    first = gdal.OpenEx(str(store), MODES[mode])
    assert first.GetRasterBand(1).ComputeStatistics(False)[2] == 14.5
    second = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    write_pixels(second)
    second = None
    first.FlushCache()
    assert first.GetRasterBand(1).ComputeStatistics(False)[2] == 77
    first = None
    assert float(statistics_of(store)[0]) == 77


@pytest.mark.parametrize("form", FORMS)
def test_newer_statistics_of_another_are_kept(tmp_path, form):
    store = tmp_path / "new" / "x.zarr"
    create(store, form)
    first, second = (gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE) for _ in range(2))
    first.GetRasterBand(1).ComputeStatistics(False)
    write_pixels(second)
    second.GetRasterBand(1).ComputeStatistics(False)
    second = None
    first = None
    assert float(statistics_of(store)[0]) == 77


@pytest.mark.parametrize("form", FORMS)
def test_statistics_are_not_renewed_by_another_change(tmp_path, form):
    """The handle knows the statistics from opening, and stores them again with an item."""
    store = tmp_path / "new" / "x.zarr"
    create(store, form)
    change_alone(print, store, "statistics")
    first, second = (gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE) for _ in range(2))
    assert first.GetRasterBand(1).GetMetadataItem("STATISTICS_MEAN") == "3"
    write_pixels(second)
    second = None
    first.GetRasterBand(1).SetMetadataItem("k", "3", "MINE")
    first = None
    assert statistics_of(store)[0] is None


@pytest.mark.parametrize("form", FORMS)
def test_pixels_of_the_same_handle(tmp_path, form):
    """Pixels that were written before the statistics count; pixels that are written later make them outdated."""
    for is_later in (False, True):
        for compute in COMPUTATIONS.values():
            store = tmp_path / "new" / "x.zarr"
            create(store, form)
            handle = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
            if not is_later:
                write_pixels(handle)
            compute(handle.GetRasterBand(1))
            if is_later:
                write_pixels(handle)
            handle = None
            assert (statistics_of(store) == (None, None)) == is_later
            shutil.rmtree(tmp_path / "new")
