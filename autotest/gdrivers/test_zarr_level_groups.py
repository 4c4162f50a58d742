# SPDX-License-Identifier: MIT
"""With the creation option OVERVIEW_LAYOUT=GROUPS, full resolution and each overview level are groups, whose parent
group describes the pyramid.

xarray opens such a store as a tree, and GDAL as any other store."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import zarr_formats
import zarr_references
from osgeo import gdal, osr
from zarr3 import REPOSITORY
from zarr_gdal import array_name, assert_same, error_log, gdal_is_at_least, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg
from zarr_mdim import open_group
from zarr_overviews import (UTM, check_consolidated, check_levels, entries, gtiff_levels, level_values,
                            make, refused, root_attributes, sizes, smooth, update)  # fmt: skip
from zarr_processes import Process

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
GROUPS = "OVERVIEW_LAYOUT=GROUPS"
GEO_MEMBERS = {"proj:code", "spatial:bbox", "spatial:dimensions", "spatial:shape", "spatial:transform"}


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def layout(store, group=""):
    return root_attributes(store, group)["multiscales"]["layout"]


def assets(store, group=""):
    return [(entry["asset"], entry.get("derived_from")) for entry in layout(store, group)]


def groups(store):
    """Returns the sorted names of the folders in the store's root."""
    return sorted(path.name for path in store.iterdir() if path.is_dir())


def tree(tmp_path, store):
    """Returns {group: {variable: [shape, sum of the values]}} from xarray.open_datatree(). Coordinates have no sum."""
    target = tmp_path / "tree.json"
    zarr_references.write_by("open_tree", target, store)
    return json.loads(target.read_text())


def source_of(folder, values, nodata=-1, place=True):
    """Writes a GeoTIFF of `values` with nodata, band descriptions and metadata. Returns its path."""
    name = folder / "terrain.tif"
    tiff = make(name, values, driver="GTiff", nodata=nodata, georeferenced=place)
    tiff.SetMetadataItem("TITLE", "a raster")
    for i in range(len(values)):
        tiff.GetRasterBand(i + 1).SetDescription(f"name {i + 1}")
    tiff = None
    return str(name)


def copy(store, source, *options, layout_option=GROUPS):
    given = [*options, layout_option] if layout_option else list(options)
    copied = gdal.GetDriverByName("Zarr").CreateCopy(str(store), gdal.Open(source), options=given)
    assert copied is not None, gdal.GetLastErrorMsg()
    copied = None
    return store


def facts(dataset):
    """Returns properties of a raster for comparisons: geotransform, CRS, sizes, metadata, bands and subdatasets."""
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return {
        "place": (dataset.GetGeoTransform(), epsg(dataset)),
        "sizes": [sizes(dataset, i + 1) for i in range(len(bands))],
        "metadata": dataset.GetMetadata(),
        "bands": [(b.GetDescription(), b.GetNoDataValue(), b.DataType, b.GetBlockSize(), b.GetMetadata()) for b in bands],
        "subdatasets": len(dataset.GetSubDatasets()),
    }


# ---------------------------------------------------------------------------------------------
# New stores with overview levels in groups


@pytest.mark.parametrize("options", [
    ["OVERVIEWS=2,4"], ["OVERVIEWS=2,4", "GEOREFERENCING_CONVENTION=GDAL"], ["PROFILE=CLOUD", "OVERVIEWS=2,4"],
    ["OVERVIEWS=2,4", "SINGLE_ARRAY=NO"], [],
], ids=" ".join)  # fmt: skip
@pytest.mark.parametrize("bands", [1, 3])
def test_a_store_reads_as_with_the_other_layout(tmp_path, rng, cpl, options, bands):
    source = source_of(tmp_path, smooth(rng, bands, 90, 101))
    one = open_raster(copy(tmp_path / "a" / "terrain.zarr", source, *options))
    other = open_raster(copy(tmp_path / "b" / "terrain.zarr", source, *options, layout_option=None))
    got, wanted = facts(one), facts(other)
    if "SINGLE_ARRAY=NO" in options and bands > 1:
        got.pop("subdatasets"), wanted.pop("subdatasets")
    assert got == wanted
    assert_same(read_all(one), read_all(other))
    check_levels(one, level_values(other))
    cpl.assert_quiet()


@pytest.mark.parametrize("single", [True, False])
def test_the_parent_group_has_only_attributes(tmp_path, rng, single):
    values = smooth(rng, 2, 64, 65)
    options = ["OVERVIEWS=2,4", *([] if single else ["SINGLE_ARRAY=NO"])]
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values), *options)
    assert groups(store) == ["0", "1", "2"]
    arrays = ["a"] if single else ["name 1", "name 2"]
    assert {path.name for path in (store / "0").iterdir() if path.is_dir()} == {*arrays, "x", "y", "spatial_ref",
                                                                              *(["band"] if single else [])}
    zero, one, two = layout(store)
    rank = [1] if single else []
    assert zero == {"asset": "0", "gdal_arrays": arrays, "transform": {"scale": [*rank, 1, 1]},
                    "spatial:shape": [64, 65], "spatial:transform": [10, 0, 500000, 0, -10, 5200000]}
    assert one == {"asset": "1", "derived_from": "0", "gdal_arrays": arrays, "resampling_method": "nearest",
                   "transform": {"scale": [*rank, 2, 65 / 33], "translation": [0] * (len(rank) + 2)},
                   "spatial:shape": [32, 33],
                   "spatial:transform": [650 / 33, 0, 500000, 0, -20, 5200000]}  # fmt: skip
    assert (two["asset"], two["derived_from"], two["spatial:shape"]) == ("2", "1", [16, 17])
    attributes = root_attributes(store)
    assert set(attributes) >= GEO_MEMBERS
    assert attributes["proj:code"] == "EPSG:32632" and attributes["spatial:shape"] == [64, 65]
    assert {entry["name"] for entry in attributes["zarr_conventions"]} == {"multiscales", "proj", "spatial"}
    check_consolidated(store)


@pytest.mark.parametrize("options", [["OVERVIEWS=2,4"], ["PROFILE=CLOUD", "OVERVIEWS=2,4", "PREDICTOR=NO"],
                                     ["OVERVIEWS=2,4", "SINGLE_ARRAY=NO"]], ids=" ".join)  # fmt: skip
def test_xarray_opens_the_tree(tmp_path, rng, options):
    values = smooth(rng, 2, 64, 65, "i4")
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values), *options)
    found = tree(tmp_path, store)
    levels = [values, *level_values(open_raster(store))]
    for name, pixels in zip("012", levels):
        variables = found["/" + name]
        if "SINGLE_ARRAY=NO" in options:
            got = [variables["name 1"], variables["name 2"]]
            assert got == [[list(band.shape), int(band.sum())] for band in pixels]
        else:
            assert variables["a"] == [list(pixels.shape), int(pixels.sum())]
        assert variables["x"][0] == [pixels.shape[2]]
    assert found["/"] == {}


def test_xarray_refuses_the_tree_of_the_other_layout(tmp_path, rng):
    """Without OVERVIEW_LAYOUT=GROUPS, xarray refuses to open a store with overviews as a tree."""
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, smooth(rng, 1, 64, 65)), "OVERVIEWS=2", layout_option=None)
    with pytest.raises(AssertionError, match="not aligned"):
        tree(tmp_path, store)


def findings(store):
    """Returns the codes of the faults that the program zarr_check finds in a store."""
    program = [sys.executable, "-B", str(REPOSITORY / "python" / "zarr_check.py")]
    done = subprocess.run([*program, str(store), "--json"], capture_output=True, text=True, check=False)
    return sorted(found["code"] for found in json.loads(done.stdout)["findings"])


@pytest.mark.parametrize("options", [["PROFILE=CLOUD"], ["OVERVIEWS=AUTO", "OVERVIEW_RESAMPLING=AVERAGE"]], ids=" ".join)
@pytest.mark.slow
def test_zarr_check_finds_nothing(tmp_path, rng, options):
    source = source_of(tmp_path, smooth(rng, 1, 1100, 1200))
    store = copy(tmp_path / "a.zarr", source, *options)
    plain = copy(tmp_path / "b.zarr", source, *options, layout_option=None)
    assert findings(store) == findings(plain)


def test_options_that_do_not_fit_are_refused(tmp_path, rng):
    source = source_of(tmp_path, smooth(rng, 1, 40, 40))
    for options, words in (
        ([GROUPS, "PROFILE=OME"], "OVERVIEW_LAYOUT: expected PARENT with PROFILE=OME"),
        (["OVERVIEW_LAYOUT=FLAT"], "OVERVIEW_LAYOUT: expected PARENT or GROUPS"),
    ):
        with error_log() as log:
            assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "x.zarr"), gdal.Open(source), options=options) is None
        assert any(words in event[-1] for event in log.events), log.events
    assert not (tmp_path / "x.zarr").exists()


# ---------------------------------------------------------------------------------------------
# Changes of existing stores with overview levels in groups


@pytest.mark.parametrize("single", [True, False])
def test_overviews_are_added_and_removed(tmp_path, rng, cpl, single):
    values = smooth(rng, 2, 64, 65)
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values, nodata=None), *([] if single else ["SINGLE_ARRAY=NO"]))
    assert groups(store) == ["0"] and assets(store) == [("0", None)]
    before = entries(store)
    assert update(store).BuildOverviews("NEAREST", [2, 8]) == 0
    assert assets(store) == [("0", None), ("1", "0"), ("3", "1")]
    assert update(store).BuildOverviews("AVERAGE", [4]) == 0
    assert assets(store) == [("0", None), ("1", "0"), ("2", "1"), ("3", "2")]
    assert [entry.get("resampling_method") for entry in layout(store)] == [None, "nearest", "average", "nearest"]
    opened = open_raster(store)
    assert sizes(opened) == [(33, 32), (17, 16), (9, 8)]
    two, eight = gtiff_levels(tmp_path, values, "NEAREST", [2, 8])
    (four,) = gtiff_levels(tmp_path, values, "AVERAGE", [4])
    check_levels(opened, [two, four, eight])
    tree(tmp_path, store)
    check_consolidated(store)
    opened = None
    assert update(store).BuildOverviews("NONE", []) == 0
    assert entries(store) == before
    cpl.assert_quiet()


def test_names_of_levels(tmp_path, rng, cpl):
    """Overview groups of the factors 2, 3 and 4 are named 1, 3x and 2. Here the last name is 2_2, because another
    program has made a group 2. The group 3x, which a killed build has left, is replaced."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 65), GROUPS).BuildOverviews("NEAREST", [2, 3])
    assert assets(store) == [("0", None), ("1", "0"), ("3x", "1")]
    attributes = root_attributes(store)
    attributes["multiscales"]["layout"].pop()
    zarr_formats.put_attributes(store, attributes)
    shutil.copytree(store / "0", store / "2")
    assert update(store, "USE_CONSOLIDATED_METADATA=NO").BuildOverviews("NEAREST", [2, 3, 4]) == 0
    assert assets(store) == [("0", None), ("1", "0"), ("3x", "1"), ("2_2", "3x")]
    assert sizes(open_raster(store)) == [(33, 32), (22, 22), (17, 16)]


@pytest.mark.parametrize("overviews", [[2, 4], []])
def test_changes_of_the_place_reach_all_levels(tmp_path, rng, cpl, overviews):
    store = tmp_path / "a.zarr"
    made = make(store, smooth(rng, 1, 64, 66), GROUPS)
    if overviews:
        assert made.BuildOverviews("NEAREST", overviews) == 0
    made = None
    dataset = update(store)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform((0, 2, 0, 100, 0, -3))
    dataset.GetRasterBand(1).SetNoDataValue(-7)
    dataset = None
    opened = open_raster(store)
    assert epsg(opened) == 32633
    assert_geotransform(opened, (0, 2, 0, 100, 0, -3))
    assert sizes(opened) == [(33, 32), (17, 16)][: len(overviews)]
    attributes = root_attributes(store)
    assert attributes["proj:code"] == "EPSG:32633" and attributes["spatial:transform"] == [2, 0, 0, 0, -3, 100]
    assert attributes["spatial:bbox"] == [0, 100 - 3 * 64, 132, 100]
    if overviews:
        assert layout(store)[1]["spatial:transform"] == [4, 0, 0, 0, -6, 100]
        level = open_raster(array_name(store, "1/a"))
        assert (epsg(level), level.GetRasterBand(1).GetNoDataValue()) == (32633, -7)
        assert_geotransform(level, (0, 4, 0, 100, 0, -6))
    check_consolidated(store)
    cpl.assert_quiet()
    dataset = update(store)
    dataset.SetSpatialRef(None)
    dataset = None
    assert not any(name.startswith("proj:") for name in root_attributes(store))


def test_pixels_and_metadata_change(tmp_path, rng):
    values = smooth(rng, 2, 64, 65)
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values), "OVERVIEWS=2")
    dataset = update(store)
    values[:, :8] = 3
    dataset.WriteArray(values)
    dataset.SetMetadataItem("TITLE", "another")
    dataset.GetRasterBand(2).SetDescription("second")
    dataset = None
    assert update(store).BuildOverviews("NEAREST", [2]) == 0
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    check_levels(opened, gtiff_levels(tmp_path, values, "NEAREST", [2]))
    assert opened.GetMetadataItem("TITLE") == "another"
    assert opened.GetRasterBand(2).GetDescription() == "second"
    assert_same(tree(tmp_path, store)["/0"]["a"][0], [2, 64, 65])


def test_a_mask_has_levels(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    dataset = make(store, smooth(rng, 1, 64, 65), GROUPS)
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.full((64, 65), 255, "u1")
    mask[:32] = 0
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    opened = open_raster(store)
    level = opened.GetRasterBand(1).GetOverview(0).GetMaskBand().ReadAsArray()
    assert (level[:16] == 0).all() and (level[16:] == 255).all()
    cpl.assert_quiet()


def test_append_dim_grows_all_levels(tmp_path, rng, cpl):
    values = smooth(rng, 2, 64, 65, "i4")
    first, second = (source_of(tmp_path / f"{i}", values[i : i + 1]) for i in range(2) if not (tmp_path / f"{i}").mkdir())
    store = copy(tmp_path / "a.zarr", first, "BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01", "OVERVIEWS=2,4")
    copy(store, second, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2024-05-02", layout_option=None)
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    check_levels(opened, gtiff_levels(tmp_path, values, "NEAREST", [2, 4]))
    found = tree(tmp_path, store)
    assert [found["/" + name]["time"][0] for name in "012"] == [[2]] * 3
    assert assets(store) == [("0", None), ("1", "0"), ("2", "1")]
    cpl.assert_quiet()


def test_a_cancelled_copy_is_resumed(tmp_path, rng, cpl):
    source = source_of(tmp_path, smooth(rng, 1, 600, 700))
    store = tmp_path / "a.zarr"
    options = [GROUPS, "RESUME=YES", "OVERVIEWS=2", "BLOCKSIZE=64,64"]

    def work(_report):
        gdal.SetCacheMax(1 << 17)
        gdal.GetDriverByName("Zarr").CreateCopy(str(store), gdal.Open(source), options=options, callback=slow)

    def slow(fraction, *_):
        time.sleep(0.1)
        if fraction > 0.6:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1

    Process(work).finish()
    assert not store.exists() and list(tmp_path.glob("a.zarr.*.partial"))
    copied = gdal.GetDriverByName("Zarr").CreateCopy(str(store), gdal.Open(source), options=options)
    copied = None
    wanted = copy(tmp_path / "b" / "a.zarr", source, *options[1:])
    assert_same(read_all(open_raster(store)), read_all(open_raster(wanted)))
    assert layout(store) == layout(wanted)
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Stores of several arrays with overview levels in groups


def test_an_added_raster_gets_a_group_of_its_own(tmp_path, rng, cpl):
    values = smooth(rng, 1, 64, 65)
    source = source_of(tmp_path, values)
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2")
    copy(store, source, "APPEND_SUBDATASET=YES", "ARRAY_NAME=slope", "OVERVIEWS=2,4")
    copy(store / "derived" / "aspect", source, "OVERVIEWS=2")
    assert assets(store, "slope") == [("0", None), ("1", "0"), ("2", "1")]
    assert sizes(open_raster(array_name(store, "slope"))) == [(33, 32), (17, 16)]
    assert sizes(open_raster(array_name(store, "derived/aspect"))) == [(33, 32)]
    found = tree(tmp_path, store)
    assert found["/0"]["a"][0] == found["/slope/0"]["slope"][0] == found["/derived/aspect/0"]["aspect"][0] == [64, 65]
    check_consolidated(store)
    cpl.assert_quiet()


def test_a_raster_that_is_not_added_leaves_nothing(tmp_path, rng):
    source = source_of(tmp_path, smooth(rng, 1, 64, 65))
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2")
    before = entries(store)
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=slope", "OVERVIEWS=2", GROUPS]
    with error_log():
        copied = gdal.GetDriverByName("Zarr").CreateCopy(str(store), gdal.Open(source), options=options, callback=lambda *_: 0)
    assert copied is None and entries(store) == before
    for name in "01":  # the store has groups of these names, so an array cannot have them
        given = ["APPEND_SUBDATASET=YES", GROUPS, f"ARRAY_NAME={name}"]
        with error_log() as log:
            assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), gdal.Open(source), options=given) is None
        assert any("already exists" in event[-1] for event in log.events), log.events
    assert entries(store) == before


def test_bands_that_become_a_cube(tmp_path, rng, cpl):
    """gdalwarp creates plain bands first, and then sets metadata that makes them a cube. The overviews get the cube's
    dimensions, too."""
    values = smooth(rng, 4, 64, 65)
    bands = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 65, 64, 4, gdal.GDT_Float32, [GROUPS])
    for i in range(4):
        items = {"DIM_time_VALUE": str(i // 2), "DIM_time_UNIT": "days since 2020-01-01", "DIM_z_VALUE": str(i % 2)}
        bands.GetRasterBand(i + 1).SetMetadata(items)
    bands.WriteArray(values)
    assert bands.BuildOverviews("NEAREST", [2]) == 0
    bands = None
    store = tmp_path / "a.zarr"
    assert [entry["transform"]["scale"] for entry in layout(store)] == [[1, 1, 1, 1], [1, 1, 2, 65 / 33]]
    assert "spatial:transform" not in root_attributes(store)
    assert tree(tmp_path, store)["/1"]["a"][0] == [2, 2, 32, 33]
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    assert sizes(opened, 4) == [(33, 32)]
    cpl.assert_quiet()


def test_an_array_takes_its_levels_along(tmp_path, rng, cpl):
    values = smooth(rng, 2, 64, 65)
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values), "OVERVIEWS=2", "SINGLE_ARRAY=NO", "ARRAY_NAME=b")
    driver = gdal.GetDriverByName("Zarr")
    assert driver.Rename(array_name(store, "0/c"), array_name(store, "0/b_band2")) == 0
    assert [entry["gdal_arrays"] for entry in layout(store)] == [["b_band1", "c"]] * 2
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    assert sizes(opened, 2) == [(33, 32)]
    opened = None
    assert driver.Delete(array_name(store, "0/c")) == 0
    assert [entry["gdal_arrays"] for entry in layout(store)] == [["b_band1"]] * 2
    assert sizes(open_raster(store)) == [(33, 32)]
    assert driver.Delete(array_name(store, "0/b_band1")) == 0
    assert "multiscales" not in root_attributes(store) and not (store / "1").exists()
    cpl.assert_quiet()


def test_a_pyramid_of_another_program_is_left_alone(tmp_path, rng):
    """A pyramid without the member gdal_arrays in its layout was made by another program. This driver refuses to build
    or remove overviews of such a pyramid."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 65), GROUPS).BuildOverviews("NEAREST", [2])
    attributes = root_attributes(store)
    for entry in attributes["multiscales"]["layout"]:
        del entry["gdal_arrays"]
    zarr_formats.put_attributes(store, attributes)
    before = entries(store)
    refused(update(store, "USE_CONSOLIDATED_METADATA=NO"), "NEAREST", [4], "not built by GDAL")
    refused(update(store, "USE_CONSOLIDATED_METADATA=NO"), "NONE", [], "not built by GDAL")
    assert {key: before[key] for key in before if "zarr.json" not in key and ".z" not in key} == {
        key: value for key, value in entries(store).items() if "zarr.json" not in key and ".z" not in key}  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Other ways to open stores with overview levels in groups


def test_a_zip_file(tmp_path, rng, cpl):
    values = smooth(rng, 1, 64, 65)
    store = copy(tmp_path / "a.zarr.zip", source_of(tmp_path, values), "OVERVIEWS=2,4")
    opened = open_raster(store)
    assert_same(read_all(opened), values)
    assert sizes(opened) == [(33, 32), (17, 16)]
    cpl.assert_quiet()


def test_the_multidimensional_api(tmp_path, rng, cpl):
    values = smooth(rng, 1, 64, 65)
    store = copy(tmp_path / "a.zarr", source_of(tmp_path, values), "OVERVIEWS=2,4")
    root = open_group(store)
    assert sorted(root.GetGroupNames()) == ["0", "1", "2"] and not root.GetMDArrayNames()
    array = root.OpenMDArrayFromFullname("/0/a")
    assert_same(array.ReadAsArray(), values[0])
    if gdal_is_at_least(3, 13):
        assert [array.GetOverview(i).GetFullName() for i in range(array.GetOverviewCount())] == ["/1/a", "/2/a"]
    cpl.assert_quiet()


def test_a_level_too_many_changes_nothing(tmp_path, rng):
    """Readers ignore more than 256 levels."""
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 1, 64, 64), GROUPS, "CREATE_CONSOLIDATED_METADATA=NO").BuildOverviews("NEAREST", [2])
    full = layout(store)
    full += [{**full[-1], "asset": str(number), "gdal_arrays": ["other"]} for number in range(1000, 1254)]
    zarr_formats.change_attributes(store, multiscales={"layout": full})
    before = entries(store)
    with error_log() as log:
        assert update(array_name(store, "0/a")).BuildOverviews("AVERAGE", [2, 4]) != 0
    assert "more than 256 levels" in log.the_error()
    assert entries(store) == before
    with error_log():
        assert update(array_name(store, "0/a")).BuildOverviews("NONE", []) == 0
    assert len(layout(store)) == 255
