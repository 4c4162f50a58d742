# SPDX-License-Identifier: MIT
"""Overviews that earlier releases wrote into stores of Zarr v2: groups such as overviews/2, and a list `multiscales`. They
are read, filled again in place, extended and removed."""

import os

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_overviews import (as_earlier_release, check_consolidated, check_levels, entries, gtiff_levels, level_folders,
                            make, root_attributes, sizes, smooth, stays, update)

pytestmark = pytest.mark.formats(2)
SEED = int(os.environ["ZARR_TEST_SEED"], 16)


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def earlier(store, values, *options, factors=(2, 4)):
    """Writes a store with overviews as earlier releases did. Returns what a store without overviews contains."""
    make(store, values, *options)
    before = stays(store)
    assert update(store).BuildOverviews("AVERAGE", list(factors)) == 0
    as_earlier_release(store)
    return before


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["CREATE_CONSOLIDATED_METADATA=NO"]], ids="".join)
def test_they_are_read(tmp_path, rng, options, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 64, 65)
    earlier(store, values, *options)
    wanted = gtiff_levels(tmp_path, values, "AVERAGE", [2, 4])
    check_levels(open_raster(store), wanted)
    assert len(open_raster(store).GetSubDatasets()) == (3 if "SINGLE_ARRAY=NO" in options else 0)
    name = "Band2" if "SINGLE_ARRAY=NO" in options else "a"
    bands = slice(1, 2) if name == "Band2" else slice(None)
    check_levels(open_raster(array_name(store, name)), [level[bands] for level in wanted])
    cpl.assert_quiet()


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]], ids="".join)
def test_they_are_filled_in_place_and_extended(tmp_path, rng, options, cpl):
    """A new level makes a layout of the list. The old levels stay where they are."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 64, 65)
    before = earlier(store, values, *options)
    names = ["Band1", "Band2"] if options else ["a"]
    folders = set(entries(store))
    assert update(store).BuildOverviews("NEAREST", [2, 4]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "NEAREST", [2, 4]))
    assert set(entries(store)) == folders and level_folders(store) == [store / "overviews"]
    assert update(store).BuildOverviews("NEAREST", [8]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "NEAREST", [2, 4, 8]))
    layout = root_attributes(store)["multiscales"]["layout"]
    assert [level["asset"] for level in layout[1:]] == ["overviews/2", "overviews/4", "ovr_8x"]
    assert layout[0]["asset"] == (names[0] if len(names) == 1 else ".")
    assert level_folders(store) == [store / "overviews", store / "ovr_8x"]
    check_consolidated(store)
    assert update(store).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]], ids="".join)
def test_they_are_removed(tmp_path, rng, options, cpl):
    store = tmp_path / "a.zarr"
    before = earlier(store, smooth(rng, 2, 64, 65), *options)
    assert update(store).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


def test_those_of_other_arrays_stay(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    one, two = smooth(rng, 1, 64, 65), smooth(rng, 1, 64, 65)
    make(store, one, "ARRAY_NAME=one").BuildOverviews("AVERAGE", [2])
    make(store, two, "ARRAY_NAME=two", "APPEND_SUBDATASET=YES").BuildOverviews("NEAREST", [2])
    as_earlier_release(store)
    assert update(array_name(store, "one")).BuildOverviews("NONE", []) == 0
    assert sizes(open_raster(array_name(store, "one"))) == []
    check_levels(open_raster(array_name(store, "two")), gtiff_levels(tmp_path, two, "NEAREST", [2]))
    assert root_attributes(store)["multiscales"]["layout"][0]["asset"] == "two"
    check_consolidated(store)
    cpl.assert_quiet()


def test_leftovers_of_an_interrupted_build_are_removed(tmp_path, rng, cpl):
    """A killed build of an earlier release left groups of levels that `multiscales` does not list."""
    store = tmp_path / "a.zarr"
    before = earlier(store, smooth(rng, 1, 64, 65))
    attributes = root_attributes(store)
    for member in ("datasets", "layout"):
        attributes["multiscales"][0][member].pop()
    zarr_formats.put_attributes(store, attributes)
    assert sizes(update(store)) == [(33, 32)]
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    assert not (store / "overviews" / "4").exists()
    assert update(store).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


def test_an_append_extends_them(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    driver = gdal.GetDriverByName("Zarr")
    values = smooth(rng, 3, 64, 65)
    options = ["BAND_DIM=time", "BAND_DIM_VALUES=0,1"]
    assert driver.CreateCopy(str(store), make("", values[:2], driver="MEM"), options=options)
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    as_earlier_release(store)
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2"]
    assert driver.CreateCopy(str(store), make("", values[2:], driver="MEM"), options=options)
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2]))
    cpl.assert_quiet()


@pytest.mark.parametrize("change", ["rename", "delete"])
def test_they_follow_their_array(tmp_path, rng, change, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 64, 65)
    make(store, values, "ARRAY_NAME=one").BuildOverviews("AVERAGE", [2])
    make(store, values, "ARRAY_NAME=two", "APPEND_SUBDATASET=YES").BuildOverviews("AVERAGE", [4])
    as_earlier_release(store)
    driver = gdal.GetDriverByName("Zarr")
    if change == "rename":
        assert driver.Rename(array_name(store, "three"), array_name(store, "one")) == gdal.CE_None
        check_levels(open_raster(array_name(store, "three")), gtiff_levels(tmp_path, values, "AVERAGE", [2]))
    else:
        assert driver.Delete(array_name(store, "one")) == gdal.CE_None
        assert not (store / "overviews" / "2").exists()
    check_levels(open_raster(array_name(store, "two")), gtiff_levels(tmp_path, values, "AVERAGE", [4]))
    check_consolidated(store)
    cpl.assert_quiet()


def test_an_image_keeps_its_metadata(tmp_path, rng, cpl):
    """The entry of an image of PROFILE=OME stays when its overviews change."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 3, 64, 65, "u1")
    source = make("", values, driver="MEM")
    options = ["PROFILE=OME", "FORMAT=ZARR_V2", "OVERVIEWS=2"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    (new,) = root_attributes(store)["multiscales"]
    array = new["datasets"][0]["path"]
    assert [level["asset"] for level in new["layout"]] == [array, "ovr_2x"]
    assert [level["path"] for level in new["datasets"]] == [array, f"ovr_2x/{array}"]
    as_earlier_release(store)
    assert sizes(open_raster(store)) == [(33, 32)]
    assert update(store).BuildOverviews("AVERAGE", [2, 4]) == 0
    (entry,) = root_attributes(store)["multiscales"]
    assert entry["axes"] == new["axes"] and entry["metadata"] == new["metadata"]
    paths = [level["path"] for level in entry["datasets"]]
    assert paths == [array, f"overviews/2/{array}", f"ovr_4x/{array}"]
    assert [level["asset"] for level in entry["layout"]] == [array, "overviews/2", "ovr_4x"]
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2, 4]))
    assert update(store).BuildOverviews("NONE", []) == 0
    (entry,) = root_attributes(store)["multiscales"]
    assert [level["path"] for level in entry["datasets"]] == [array] and "layout" not in entry
    assert level_folders(store) == []
    cpl.assert_quiet()


def test_a_renamed_array_keeps_the_lists_of_nczarr(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 2, 64, 65), "SINGLE_ARRAY=NO", "CREATE_CONSOLIDATED_METADATA=NO").BuildOverviews("AVERAGE", [2])
    folders = [path.name for path in level_folders(store)]
    zarr_formats.change_attributes(
        store, _nczarr_superblock={"version": "2.0.0"},
        _nczarr_group={"dimensions": {"X": 65, "Y": 64}, "arrays": ["Band1", "Band2", "X", "Y"], "groups": folders})
    for name in ("Band1", "Band2"):
        zarr_formats.change_attributes(
            store, name, _nczarr_array={"dimension_references": ["/Y", "/X"], "storage": "chunked"})
    driver = gdal.GetDriverByName("Zarr")
    assert driver.Rename(array_name(store, "new"), array_name(store, "Band1")) == 0
    assert sorted(root_attributes(store)["_nczarr_group"]["arrays"]) == ["Band2", "X", "Y", "new"]
    assert sizes(open_raster(array_name(store, "new"))) == [(33, 32)]
    assert driver.Delete(array_name(store, "new")) == 0
    assert sorted(root_attributes(store)["_nczarr_group"]["arrays"]) == ["Band2", "X", "Y"]
    cpl.assert_quiet()
