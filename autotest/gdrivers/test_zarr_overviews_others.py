# SPDX-License-Identifier: MIT
"""Requests that BuildOverviews() refuses, overviews in files beside the store, and overviews in stores of
other programs."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, assert_same, gdal_is_at_least, open_raster, read_all
from zarr_overviews import (check_consolidated, check_levels, entries, gtiff_levels, level_folders, level_group,
                            level_values, make, refused, root_attributes, sizes, smooth, stays, update)

pytestmark = zarr_formats.BOTH
PYRAMIDS = pathlib.Path(__file__).resolve().parents[2] / "data" / "pyramids"
SEED = int(os.environ["ZARR_TEST_SEED"], 16)


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def test_overviews_of_a_read_only_dataset_go_beside_the_store(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 80, 80)
    make(store, values)
    before = entries(store)
    dataset = open_raster(store)
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    dataset = None
    assert entries(store) == before and (tmp_path / "a.zarr.ovr").exists()
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2, 4]))
    # Overviews in the store take precedence over an .ovr file beside it. Removing
    # overviews removes those in the store and the .ovr file.
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "NEAREST", [2]))
    assert update(store).BuildOverviews("NONE", []) == 0
    assert entries(store) == before and not (tmp_path / "a.zarr.ovr").exists()
    cpl.assert_quiet()


def test_statistics_of_a_level_are_not_saved_as_those_of_the_raster(tmp_path, rng, cpl):
    make(tmp_path / "a.zarr", smooth(rng, 1, 40, 40)).BuildOverviews("NEAREST", [2])
    program = f"""
from osgeo import gdal
for flags in (gdal.OF_RASTER, gdal.OF_RASTER | gdal.OF_UPDATE):
    dataset = gdal.OpenEx({str(tmp_path / "a.zarr")!r}, flags)
    assert dataset.GetRasterBand(1).GetOverview(0).ComputeStatistics(False)
    dataset = None
"""
    # PAM is disabled in the process of the tests, so another process runs the program.
    environment = {**os.environ, "GDAL_PAM_ENABLED": "YES"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)
    assert [path.name for path in tmp_path.rglob("*.aux.xml")] == ["pam.aux.xml"]  # pam.aux.xml holds the CRS
    cpl.assert_quiet()


def test_a_read_only_dataset_keeps_the_overviews_in_the_store(tmp_path, rng, cpl):
    make(tmp_path / "a.zarr", smooth(rng, 1, 40, 40)).BuildOverviews("NEAREST", [2])
    before = entries(tmp_path)
    refused(open_raster(tmp_path / "a.zarr"), "NEAREST", [4], "open it for update")
    refused(open_raster(tmp_path / "a.zarr"), "NONE", [], "open it for update")
    assert entries(tmp_path) == before
    cpl.assert_quiet()


@pytest.mark.parametrize("factors", [[1], [0], [-2], [2, 1]])
def test_bad_factors(tmp_path, rng, factors, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40))
    before = entries(store)
    is_told_by_gdal = gdal_is_at_least(3, 10) and min(factors) < 1
    why = "It must be a positive value" if is_told_by_gdal else "at least 2"
    refused(update(store), "NEAREST", factors, why, str(min(factors)))
    assert entries(store) == before
    cpl.assert_quiet()


def test_unknown_method(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40))
    before = entries(store)
    refused(update(store), "BEST", [2], "BEST", "AVERAGE")
    assert entries(store) == before
    cpl.assert_quiet()


def test_multiscales_of_another_kind_are_not_touched(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40))
    zarr.open_group(str(store)).attrs["multiscales"] = {
        "layout": [{"asset": "elsewhere/0"}, {"asset": "elsewhere/1"}]}
    zarr.open_group(str(store)).create_dataset("elsewhere/0", data=np.ones((8, 8)))
    zarr.open_group(str(store)).create_dataset("elsewhere/1", data=np.ones((4, 4)))
    zarr.consolidate_metadata(str(store))
    before = stays(store)
    refused(update(array_name(store, "a")), "NEAREST", [2], "multiscales", "does not describe levels")
    assert stays(store) == before
    cpl.assert_quiet()


def test_an_array_that_is_the_whole_store(tmp_path, rng, cpl):
    """If a store is a single array, no group can contain overviews. The driver writes overviews to an .ovr file beside
    the store."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 40, 40)
    zarr.save_array(str(store), values[0], fill_value=None)
    before = entries(store)
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    assert entries(store) == before and (tmp_path / "a.zarr.ovr").exists()
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2]))
    cpl.assert_quiet()


def test_a_level_gets_no_overviews_of_its_own(tmp_path, rng, cpl):
    """A level that is opened by its name cannot get overviews. Removing the overviews of the base deletes
    all levels."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64))
    before = entries(store)
    update(store).BuildOverviews("NEAREST", [2])
    refused(update(array_name(store, f"{level_group(2)}/a")), "NEAREST", [2], "is an overview itself")
    update(store).BuildOverviews("NONE", [])
    assert entries(store) == before
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Pyramids that other programs wrote


@pytest.mark.parametrize("name", ["ome_0.4.zarr", "ome_0.1.zarr", "ndpyramid.zarr",
                                  "layout_arrays.zarr", "geozarr_inline.zarr"])  # fmt: skip
def test_levels_of_other_programs_are_rebuilt(tmp_path, name, cpl):
    shutil.copytree(PYRAMIDS / name, tmp_path / name)
    node = {"ndpyramid.zarr": "2/tavg"}.get(name)
    opened = tmp_path / name if node is None else array_name(tmp_path / name, node)
    before = entries(tmp_path / name)
    dataset = update(opened)
    old = sizes(dataset)
    factor = round(dataset.RasterXSize / old[0][0])
    values = read_all(dataset)
    refused(dataset, "NEAREST", [64], "not built by GDAL", "64")
    refused(dataset, "NONE", [], "not built by GDAL", "not removed")
    assert dataset.BuildOverviews("NEAREST", [factor]) == 0
    assert_same(level_values(dataset)[0], values[:, ::factor, ::factor])
    dataset = None
    assert sizes(open_raster(opened)) == old
    after = entries(tmp_path / name)
    changed = {key for key in before if before[key] != after[key]}
    assert set(after) == set(before) and not any(key.rpartition("/")[2][0] == "." for key in changed)
    cpl.assert_quiet()


def test_an_image_without_smaller_levels(tmp_path, rng, cpl):
    """BuildOverviews() works for an OME image that has only one level. Removing the overviews restores the store."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 32, 48)
    root = zarr.open_group(str(store), mode="w")
    root.create_dataset("0", data=values[0], chunks=(16, 16), fill_value=None)
    root.attrs["multiscales"] = [{
        "version": "0.4", "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
        "datasets": [{"path": "0", "coordinateTransformations": [
            {"type": "scale", "scale": [0.5, 0.5]}]}]}]  # fmt: skip
    place = open_raster(store).GetGeoTransform()
    before = stays(store)
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    opened = open_raster(store)
    check_levels(opened, gtiff_levels(tmp_path, values, "AVERAGE", [2]))
    assert opened.GetGeoTransform() == place and opened.GetSubDatasets() == []
    assert update(store).BuildOverviews("NONE", []) == 0
    assert stays(store) == before
    cpl.assert_quiet()


def test_a_store_of_xarray(tmp_path, rng, cpl):
    """The levels of a cube get the cube's coordinates and attributes, even if its dimensions are not named x and y."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 3, 40, 60)
    time = np.array(["2020-01-01", "2020-01-02", "2020-01-05"], "M8[ns]")
    cube = xr.Dataset(
        {"tas": (("time", "lat", "lon"), values, {"units": "K", "standard_name": "air_temperature"})},
        {"time": time, "lat": ("lat", 50 - np.arange(40) / 4, {"units": "degrees_north"}),
         "lon": ("lon", 5 + np.arange(60) / 4, {"units": "degrees_east"})})  # fmt: skip
    cube.to_zarr(str(store), consolidated=True, encoding={"tas": {"_FillValue": -1}})
    crs = open_raster(store).GetSpatialRef().GetAuthorityCode(None)
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    check_levels(opened, gtiff_levels(tmp_path, values, "AVERAGE", [2], nodata=-1))
    level = open_raster(array_name(store, f"{level_group(2)}/tas"))
    assert level.GetGeoTransform() == (4.875, 0.5, 0, 50.125, 0, -0.5)
    assert level.GetSpatialRef().GetAuthorityCode(None) == crs
    with xr.open_zarr(str(store), consolidated=True) as base:
        assert base["tas"].shape == values.shape and set(base.data_vars) == {"tas"}
    with xr.open_zarr(str(store), group=level_group(2), consolidated=False) as level:
        assert (level["time"].values == time).all()
        assert np.allclose(level["lon"], 5.125 + np.arange(30) / 2)
        assert level["tas"].attrs["units"] == "K"
        assert np.allclose(level["tas"], values.reshape(3, 20, 2, 30, 2).mean((2, 4)), rtol=1e-6)
    check_consolidated(store)
    cpl.assert_quiet()


def test_columns_before_rows(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 31, 44)
    xr.Dataset({"v": (("lon", "lat"), values[0].T)},
               {"lon": ("lon", 5 + np.arange(44) / 4), "lat": ("lat", 50 - np.arange(31) / 4)},
               ).to_zarr(str(store), consolidated=False)  # fmt: skip
    assert update(store).BuildOverviews("AVERAGE", [3]) == 0
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [3]))
    assert zarr.open(str(store))[f"{level_group(3)}/v"].shape == (15, 11)
    assert not (store / ".zmetadata").exists()
    cpl.assert_quiet()


@pytest.mark.parametrize("kind", ["struct", "bool", "time", "big-endian", "i8"])
def test_other_types(tmp_path, rng, kind, cpl):
    store = tmp_path / "a.zarr"
    values = rng.integers(0, 2**20, (30, 22))  # GDAL 3.6 resamples as float32, which rounds large integers
    if kind == "struct":
        values = np.rec.fromarrays([values, values % 251], [("a", ">i8"), ("b", "u1")])
    else:
        values = (values % 2 if kind == "bool" else values).astype({"bool": "?", "time": "M8[s]", "big-endian": ">f4", "i8": "i8"}[kind])
    zarr.open_group(str(store)).create_dataset("v", data=values, chunks=(16, 16), fill_value=None)
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    level = zarr.open(str(store))[f"{level_group(2)}/v"]
    documents = [zarr_formats.array_document(store, path) for path in (level.path, "v")]
    assert documents[0]["dtype"] == documents[1]["dtype"]  # the dtypes include the byte orders
    assert level.dtype.newbyteorder("=") == values.dtype.newbyteorder("=")
    assert level[...].tolist() == values[::2, ::2].tolist()
    assert sizes(open_raster(store)) == [(11, 15)]
    cpl.assert_quiet()


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize("folder", ["ovr_2x", "overviews/2"])
def test_levels_that_another_program_lists_as_arrays_are_not_removed(tmp_path, rng, folder, is_list, cpl):
    """Overviews of GDAL are listed by their groups; lists of earlier releases have a mark."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64), "CREATE_CONSOLIDATED_METADATA=NO").BuildOverviews("NEAREST", [2])
    zarr_formats.put_attributes(store / level_group(2), {})
    if folder == "overviews/2":
        (store / "overviews").mkdir()
        (store / level_group(2)).rename(store / folder)
        zarr.open_group(store / "overviews", mode="a", zarr_format=3 if zarr_formats.is_v3() else 2)
    layout = {"layout": [{"asset": "a"}, {"asset": f"{folder}/a", "derived_from": "a"}]}
    zarr_formats.change_attributes(store, multiscales=[layout] if is_list else layout)
    before = entries(store)
    assert sizes(open_raster(store)) == [(32, 32)]
    refused(update(store), "NONE", [], "not built by GDAL", "not removed")
    refused(update(store), "NEAREST", [4], "not built by GDAL", "4")
    assert entries(store) == before
    cpl.assert_quiet()


@pytest.mark.parametrize("how", ["clean", "delete"])
def test_an_array_beside_an_overview_of_another_program_stays(tmp_path, rng, how, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64), "CREATE_CONSOLIDATED_METADATA=NO").BuildOverviews("NEAREST", [2, 4])
    for factor in (2, 4):
        zarr_formats.put_attributes(store / level_group(factor), {})
    shutil.copytree(store / level_group(2) / "a", store / level_group(2) / "mine")
    if how == "clean":
        assert update(array_name(store, "a")).BuildOverviews("NONE", []) == 0
    else:
        assert gdal.GetDriverByName("Zarr").Delete(array_name(store, "a")) == 0
    assert "multiscales" not in root_attributes(store)
    assert (store / level_group(2) / "mine").exists() and not (store / level_group(2) / "a").exists()
    assert not (store / level_group(4)).exists()
    cpl.assert_quiet()


def test_a_new_name_does_not_get_overviews_of_a_missing_array(tmp_path, rng, cpl):
    """Another program has removed an array, but not its overviews."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 64, 64)
    make(store, values, "SINGLE_ARRAY=NO", "CREATE_CONSOLIDATED_METADATA=NO").BuildOverviews("NEAREST", [2])
    assert update(array_name(store, "Band2")).BuildOverviews("NEAREST", [4]) == 0
    shutil.rmtree(store / "Band2")
    assert gdal.GetDriverByName("Zarr").Rename(array_name(store, "Band2"), array_name(store, "Band1")) == 0
    check_levels(open_raster(array_name(store, "Band2")), gtiff_levels(tmp_path, values[:1], "NEAREST", [2]))
    assert len(level_folders(store)) == 1
    assert update(store).BuildOverviews("NONE", []) == 0
    assert level_folders(store) == []
    cpl.assert_quiet()
