# SPDX-License-Identifier: MIT
"""Overviews in Zarr v3 in the layout of GDAL 3.13: groups such as ovr_2x beside the array, and the attribute
`multiscales`. This driver and GDAL's built-in driver read each other's overviews."""

import json
import os

import numpy as np
import pytest
from osgeo import gdal, osr
from zarr_gdal import array_name, assert_same, error_log, gdal_is_at_least, open_raster
from zarr_overviews import (check_consolidated, entries, gtiff_levels, level_folders, level_values,
                            make, root_attributes, sizes, smooth, update)

pytestmark = pytest.mark.formats(3)
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
UUID = "d35379db-88df-4056-af3a-620245f8e347"
multidim = pytest.mark.skipif(not gdal_is_at_least(3, 13),
                              reason="arrays get overviews from GDAL 3.13 on")  # fmt: skip
builtin = pytest.mark.skipif(not gdal_is_at_least(3, 13),
                             reason="GDAL's own driver knows overviews of Zarr v3 from 3.13 on")  # fmt: skip


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def levels_of(array):
    """Returns [(full name, shape)] of the overviews of an array."""
    found = [array.GetOverview(i) for i in range(array.GetOverviewCount())]
    return [(level.GetFullName(), [d.GetSize() for d in level.GetDimensions()]) for level in found]


def assets(store, group=""):
    layout = root_attributes(store, group)["multiscales"]["layout"]
    return [(entry["asset"], entry.get("derived_from")) for entry in layout]


def arrays_of_two_sets(store, rng, *options):
    """Writes two arrays into one group, builds different overviews for each, and returns their pixels."""
    one, two = smooth(rng, 1, 64, 65), smooth(rng, 2, 99, 33)
    make(store, one, "ARRAY_NAME=one", *options).BuildOverviews("NEAREST", [2, 4])
    dataset = make(store, two, "ARRAY_NAME=two", "APPEND_SUBDATASET=YES")
    assert dataset.BuildOverviews("AVERAGE", [2, 3]) == 0
    return one, two


# If the first asset in `multiscales` is the group, ".", GDAL 3.13 finds the overviews only in a store without
# consolidated metadata.
PLAIN = "CREATE_CONSOLIDATED_METADATA=NO"


# -------------------------------------------------------------------------------------------------
# Metadata and groups of overviews


def test_the_layout_is_that_of_gdal(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    assert make(store, smooth(rng, 2, 64, 65)).BuildOverviews("AVERAGE", [4, 2]) == 0
    attributes = root_attributes(store)
    one, two, four = attributes["multiscales"]["layout"]
    assert one == {"asset": "a", "transform": {"scale": [1, 1, 1]}}
    assert two == {"asset": "ovr_2x", "derived_from": "a", "resampling_method": "average",
                   "transform": {"scale": [1, 2, 65 / 33], "translation": [0, 0, 0]}}  # fmt: skip
    assert (four["asset"], four["derived_from"]) == ("ovr_4x", "ovr_2x")
    assert four["transform"]["scale"] == pytest.approx([1, 2, 33 / 17])
    assert [entry["uuid"] for entry in attributes["zarr_conventions"]] == [UUID]
    assert sizes(open_raster(store)) == [(33, 32), (17, 16)]
    check_consolidated(store)
    before = entries(store)
    assert update(store).BuildOverviews("NONE", []) == 0
    assert "multiscales" not in root_attributes(store) and level_folders(store) == []
    assert "zarr_conventions" not in root_attributes(store)
    assert set(entries(store)) == {key for key in before if not key.startswith("ovr_")}
    cpl.assert_quiet()


def test_arrays_of_a_group_share_its_description(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    one, two = arrays_of_two_sets(store, rng)
    # `multiscales` lists the overviews of both arrays, from large to small. "ovr_2x_2" belongs to the array "two",
    # which is larger than the array "one".
    assert assets(store) == [(".", None), ("ovr_2x_2", "."), ("ovr_2x", "."), ("ovr_3x", "."), ("ovr_4x", ".")]
    for name, values, method, factors in (("one", one, "NEAREST", [2, 4]), ("two", two, "AVERAGE", [2, 3])):
        opened = open_raster(array_name(store, name))
        for got, wanted in zip(level_values(opened), gtiff_levels(tmp_path, values, method, factors), strict=True):
            assert_same(got, wanted)
    assert update(array_name(store, "one")).BuildOverviews("NONE", []) == 0
    assert assets(store) == [("two", None), ("ovr_2x_2", "two"), ("ovr_3x", "ovr_2x_2")]
    assert [path.name for path in level_folders(store)] == ["ovr_2x_2", "ovr_3x"]
    check_consolidated(store)
    cpl.assert_quiet()


def test_a_pyramid_of_another_program_is_left_alone(tmp_path, rng, cpl):
    """Building overviews fails, with the store unchanged, if another program has described a pyramid in the group. A
    group can describe only one pyramid."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 40, 40), georeferenced=False)
    document = json.loads((store / "zarr.json").read_text())
    document.pop("consolidated_metadata", None)
    document["attributes"]["multiscales"] = {"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]}
    (store / "zarr.json").write_text(json.dumps(document))
    before = entries(store)
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    failed = update(array_name(store, "a")).BuildOverviews("NEAREST", [2])
    gdal.PopErrorHandler()
    assert failed != 0 and "does not describe levels" in gdal.GetLastErrorMsg()
    assert entries(store) == before


# -------------------------------------------------------------------------------------------------
# Overviews that GDAL's built-in driver builds or reads


@builtin
@pytest.mark.parametrize("options", [[], [PLAIN], ["SINGLE_ARRAY=NO", PLAIN]])
def test_the_built_in_driver_finds_overviews(tmp_path, rng, options):
    store = tmp_path / "a.zarr"
    assert make(store, smooth(rng, 2, 64, 65), *options).BuildOverviews("NEAREST", [2, 4]) == 0
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["ZarrBuiltin"])
    group = dataset.GetRootGroup()
    names = ["Band1", "Band2"] if "SINGLE_ARRAY=NO" in options else ["a"]
    for name in names:
        shape = [2] if len(names) == 1 else []
        assert levels_of(group.OpenMDArray(name)) == [
            (f"/ovr_2x/{name}", [*shape, 32, 33]), (f"/ovr_4x/{name}", [*shape, 16, 17])]


@builtin
def test_the_built_in_driver_finds_the_overviews_of_each_array(tmp_path, rng):
    store = tmp_path / "a.zarr"
    arrays_of_two_sets(store, rng, PLAIN)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["ZarrBuiltin"])
    group = dataset.GetRootGroup()
    assert [name for name, _ in levels_of(group.OpenMDArray("one"))] == ["/ovr_2x/one", "/ovr_4x/one"]
    assert [name for name, _ in levels_of(group.OpenMDArray("two"))] == ["/ovr_2x_2/two", "/ovr_3x/two"]


@builtin
@pytest.mark.parametrize("options", [
    ["PROFILE=CLOUD"], ["PROFILE=OME"], ["PROFILE=OME", "OME_VERSION=0.6"], ["OVERVIEWS=2,4"],
], ids=lambda options: " ".join(options))  # fmt: skip
def test_the_built_in_driver_reads_a_pyramid_as_this_driver_does(tmp_path, rng, options):
    values = rng.uniform(1, 2, (3, 1000, 1200)).astype("f4")
    source = gdal.GetDriverByName("MEM").Create("", 1200, 1000, 3, gdal.GDT_Float32)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    source.SetSpatialRef(srs)
    source.SetGeoTransform([500000, 10, 0, 5000000, 0, -10])
    source.WriteArray(values)
    for number in (1, 2, 3):
        source.GetRasterBand(number).SetNoDataValue(-9999)
    store = str(tmp_path / "a.zarr")
    assert gdal.GetDriverByName("Zarr").CreateCopy(store, source, options=options) is not None
    ours, builtin = (gdal.OpenEx(store, gdal.OF_RASTER, allowed_drivers=[name]) for name in ("Zarr", "ZarrBuiltin"))
    for dataset in (ours, builtin):
        assert dataset.GetGeoTransform() == source.GetGeoTransform()
        assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"
        assert dataset.GetRasterBand(3).GetNoDataValue() == -9999
        np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    levels = [level_values(dataset) for dataset in (ours, builtin)]
    assert len(levels[0]) == len(levels[1]) == 2
    for mine, theirs in zip(*levels):
        np.testing.assert_array_equal(mine, theirs)


@builtin
def test_overviews_that_the_built_in_driver_built(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 64, 65) + 1  # without zeros, which GDAL's built-in driver takes for nodata
    make(store, values, georeferenced=False)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE,
                          allowed_drivers=["ZarrBuiltin"])  # fmt: skip
    array = dataset.GetRootGroup().OpenMDArray("a")
    assert array.BuildOverviews("AVERAGE", [2]) == 0
    del array, dataset
    opened = open_raster(store)
    assert opened.GetSubDatasets() == []
    wanted = gtiff_levels(tmp_path, values, "AVERAGE", [2])[0]
    # GDAL rounds differently in overviews of arrays and of bands.
    np.testing.assert_allclose(level_values(opened)[0], wanted, rtol=1e-6)
    assert update(store).BuildOverviews("AVERAGE", [4]) == 0
    assert sizes(open_raster(store)) == [(33, 32), (17, 16)]
    assert update(store).BuildOverviews("NONE", []) == 0
    assert level_folders(store) == [] and "multiscales" not in root_attributes(store)
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Overviews in the multidimensional API


@multidim
def test_an_array_has_the_overviews_that_were_built_last(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 90, 60))
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("a")
    assert array.BuildOverviews("NEAREST", [2, 3]) == 0
    assert array.BuildOverviews("NEAREST", [3]) == 0
    assert levels_of(array) == [("/ovr_3x/a", [30, 20])]
    assert dataset.GetRootGroup().OpenGroup("ovr_3x") is not None
    assert [path.name for path in level_folders(store)] == ["ovr_3x"]
    assert array.BuildOverviews("NEAREST", []) == 0
    assert levels_of(array) == [] and level_folders(store) == []
    cpl.assert_quiet()


@multidim
def test_an_array_as_a_raster_gets_them_in_the_store(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64))
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    raster = dataset.GetRootGroup().OpenMDArray("a").AsClassicDataset(1, 0)
    assert raster.BuildOverviews("NEAREST", [2]) == 0
    del raster, dataset
    assert sizes(open_raster(store)) == [(32, 32)]
    assert not (tmp_path / "a.zarr.ovr").exists() and [p.name for p in level_folders(store)] == ["ovr_2x"]
    cpl.assert_quiet()


@multidim
def test_a_level_between_others_has_the_smaller_ones(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64)).BuildOverviews("NEAREST", [2, 4, 8])
    group = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    smaller = [("/ovr_4x/a", [16, 16]), ("/ovr_8x/a", [8, 8])]
    assert levels_of(group.OpenMDArray("a")) == [("/ovr_2x/a", [32, 32]), *smaller]
    assert levels_of(group.OpenGroup("ovr_2x").OpenMDArray("a")) == smaller
    assert levels_of(group.OpenGroup("ovr_8x").OpenMDArray("a")) == []
    cpl.assert_quiet()


@pytest.mark.parametrize("shapes", [[(64, 33, 2)], [(64, 33, 2), (64, 17, 1)]], ids=len)
def test_overviews_of_other_axes_are_left_out(tmp_path, rng, shapes):
    """GDAL's own driver reduces the last two axes of an array. With INTERLEAVE=PIXEL these are columns and bands."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 3, 64, 65, "u1")
    make(store, values, "INTERLEAVE=PIXEL")
    document = json.loads((store / "a" / "zarr.json").read_text())
    layout = [{"asset": "a", "transform": {"scale": [1.0, 1.0, 1.0]}}]
    for factor, shape in zip((2, 4), shapes):
        group = f"ovr_{factor}x"
        (store / group / "a").mkdir(parents=True)
        (store / group / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
        document["shape"] = document["chunk_grid"]["configuration"]["chunk_shape"] = shape
        (store / group / "a" / "zarr.json").write_text(json.dumps(document))
        layout.append({"asset": group, "derived_from": layout[-1]["asset"], "resampling_method": "average",
                       "transform": {"scale": [1.0, 2.0, 2.0], "translation": [0.0, 0.0, 0.0]}})  # fmt: skip
    root = json.loads((store / "zarr.json").read_text())
    root.pop("consolidated_metadata", None)
    root["attributes"]["multiscales"] = {"layout": layout}
    (store / "zarr.json").write_text(json.dumps(root))
    for name in (str(store), f'ZARR:"{store}":/a'):
        with error_log() as log:
            dataset = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["Zarr"])
            assert dataset.GetSubDatasets() == [] and dataset.GetRasterBand(1).GetOverviewCount() == 0
        np.testing.assert_array_equal(dataset.ReadAsArray(), values)
        assert log.errors == [] and len(log.warnings) == 1 and "along band, not 3 as /a; it is left out" in log.warnings[0]
