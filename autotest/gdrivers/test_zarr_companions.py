# SPDX-License-Identifier: MIT
"""Deleting or renaming an array also deletes or renames its mask, overviews, coordinates and CRS. Overviews are ignored
if another program has replaced the array's values."""

import shutil

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_edit import Editor
from zarr_gdal import array_name, assert_same, error_log, open_raster
from zarr_overviews import check_consolidated, entries, level_folders, level_group, sizes, update
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 40, 60
VALUES = np.arange(ROWS * COLUMNS, dtype="u2").reshape(ROWS, COLUMNS)
UTM_32 = (500000, 10, 0, 5200000, 0, -10)
UTM_33 = (300000, 20, 0, 4200000, 0, -20)


def raster(values=VALUES, epsg=32632, geotransform=UTM_32, mask=True):
    rows, columns = values.shape
    dataset = gdal.GetDriverByName("MEM").Create("", columns, rows, 1, gdal.GDT_UInt16)
    dataset.GetRasterBand(1).WriteArray(values)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(epsg)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform(geotransform)
    if mask:
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(((values % 3 > 0) * 255).astype("u1"))
    return dataset


def add(store, name, source, *options):
    options = [f"ARRAY_NAME={name}", "OVERVIEWS=2,4", *options]
    made = gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    assert made is not None, gdal.GetLastErrorMsg()
    made = None
    return store


def with_two(folder):
    """Makes a store with the arrays a and m, which differ in CRS and have masks and overviews. Returns the store, and
    its contents before m was added."""
    store = add(folder / "s.zarr", "a", raster())
    before = entries(store)
    add(store, "m", raster(VALUES + 7, 32633, UTM_33), "APPEND_SUBDATASET=YES")
    return store, before


def delete(store, path, how):
    if how == "classic":
        assert gdal.GetDriverByName("Zarr").Delete(array_name(store, path)) == 0
        return
    group, _, name = path.rpartition("/")
    with Editor(store) as edit:
        edit.do(hold="g", **{"from": "root"}, group=group) if group else None
        edit.do(delete="array", **{"from": "g" if group else "root"}, name=name)


def rename(store, old, new, how):
    if how == "classic":
        names = [array_name(store, name) for name in (new, old)]
        assert gdal.GetDriverByName("Zarr").Rename(*names) == 0
        return
    with Editor(store) as edit:
        edit.do(hold="x", **{"from": "root"}, array=old)
        edit.do(rename="x", to=new)


def check(store, name, values):
    """Asserts that an array has the pixels `values`, a mask, and two overviews with masks. Returns its dataset."""
    dataset = open_raster(array_name(store, name))
    band = dataset.GetRasterBand(1)
    assert_same(band.ReadAsArray(), values)
    assert_same(band.GetMaskBand().ReadAsArray(), ((values % 3 > 0) * 255).astype("u1"))
    assert sizes(dataset) == [(30, 20), (15, 10)]
    for i, step in enumerate((2, 4)):
        level = band.GetOverview(i)
        assert_same(level.ReadAsArray(), values[::step, ::step])
        assert level.GetMaskFlags() == gdal.GMF_PER_DATASET
    return dataset


each_way = pytest.mark.parametrize("how", ["classic", "multidim"])


@each_way
def test_mask_and_overviews_are_deleted_with_the_array(tmp_path, how, cpl):
    store, before = with_two(tmp_path)
    check(store, "a", VALUES)
    check(store, "m", VALUES + 7)
    delete(store, "m", how)
    assert entries(store) == before
    check_consolidated(store)
    check(store, "a", VALUES)
    cpl.assert_quiet()


@each_way
def test_a_new_array_inherits_nothing_of_a_deleted_one(tmp_path, how, cpl):
    store, _ = with_two(tmp_path)
    delete(store, "m", how)
    other = VALUES[::-1].copy()
    add(store, "m", raster(other, 32631, UTM_32), "APPEND_SUBDATASET=YES")
    dataset = check(store, "m", other)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32631"
    assert dataset.GetGeoTransform() == UTM_32
    del dataset  # an array that a dataset shows is not deleted
    delete(store, "m", how)
    source = raster(other, 32631, UTM_32, mask=False)
    options = ["ARRAY_NAME=m", "APPEND_SUBDATASET=YES"]
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    assert sizes(open_raster(array_name(store, "m"))) == []
    cpl.assert_quiet()


@each_way
def test_a_shared_grid_mapping_and_dimensions_stay(tmp_path, how, cpl):
    """The arrays a and b share a grid mapping and dimensions, which stay for b if a is deleted."""
    store = add(tmp_path / "s.zarr", "a", raster())
    add(store, "b", raster(VALUES + 1), "APPEND_SUBDATASET=YES")
    delete(store, "a", how)
    dataset = check(store, "b", VALUES + 1)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert dataset.GetGeoTransform() == UTM_32
    with xr.open_zarr(store) as opened:
        assert_same(opened.b.x.values, UTM_32[0] + 10 * np.arange(0.5, COLUMNS))
    cpl.assert_quiet()


@each_way
def test_coordinates_that_a_group_below_uses_stay(tmp_path, how, cpl):
    arrays = {
        "a": {"values": VALUES, "dims": ["y", "x"], "attrs": {"coordinates": "height"}},
        "x": {"values": np.arange(60.0), "dims": ["x"], "attrs": {"bounds": "x_bnds"}},
        "x_bnds": {"values": np.zeros((60, 2)), "dims": ["x", "nv"]},
        "y": {"values": np.arange(40.0), "dims": ["y"], "attrs": {"bounds": "y_bnds"}},
        "y_bnds": {"values": np.zeros((40, 2)), "dims": ["y", "nv"]},
        "height": {"values": np.zeros(()), "dims": []},
        "g/line": {"values": np.zeros((3, 60)), "dims": ["z", "x"]},
    }
    store = make_store(tmp_path, arrays)
    delete(store, "a", how)
    left = {path.parent.relative_to(store).as_posix() for path in store.rglob("*") if path.name in (".zarray", "zarr.json")}  # fmt: skip
    # The multidimensional API keeps the dimension y and its bounds, although no array uses y any more.
    dimensions = {"y", "y_bnds"} if how == "multidim" else set()
    assert left - {".", "g"} == {"x", "x_bnds", "g/line"} | dimensions
    cpl.assert_quiet()


@each_way
def test_the_last_array_leaves_an_empty_store(tmp_path, how, cpl):
    store = add(tmp_path / "s.zarr", "a", raster())
    delete(store, "a", how)
    assert level_folders(store) == []
    left = {"x", "y"} if how == "multidim" else set()
    assert set(zarr.open_group(str(store), mode="r")) == left
    cpl.assert_quiet()


@each_way
def test_a_renamed_array_keeps_its_mask_and_overviews(tmp_path, how, cpl):
    store, _ = with_two(tmp_path)
    rename(store, "m", "n", how)
    dataset = check(store, "n", VALUES + 7)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32633"
    check_consolidated(store)
    check(store, "a", VALUES)
    assert [path for path in store.rglob("*") if path.name in ("m", "m_mask", "spatial_ref_m")] == []
    # The name m is free again after the rename.
    other = VALUES[::-1].copy()
    add(store, "m", raster(other, 32631), "APPEND_SUBDATASET=YES")
    dataset = check(store, "m", other)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32631"
    dataset = None
    dataset = check(store, "n", VALUES + 7)
    # The overviews of the renamed array can be deleted.
    dataset = None
    assert update(array_name(store, "n")).BuildOverviews("NONE", []) == 0
    assert sizes(open_raster(array_name(store, "n"))) == []
    check(store, "m", other)
    cpl.assert_quiet()


def test_files_beside_the_store_go_with_their_array(tmp_path, cpl):
    store = add(tmp_path / "s.zarr", "a", raster(mask=False))
    add(store, "m", raster(VALUES + 7, mask=False), "APPEND_SUBDATASET=YES")
    assert update(array_name(store, "m")).BuildOverviews("NONE", []) == 0
    assert open_raster(array_name(store, "m")).BuildOverviews("NEAREST", [2]) == 0
    assert (tmp_path / "s.zarr@m.ovr").exists()
    rename(store, "m", "n", "classic")
    assert not (tmp_path / "s.zarr@m.ovr").exists() and sizes(open_raster(array_name(store, "n"))) != []
    delete(store, "n", "classic")
    assert list(tmp_path.glob("*.ovr")) == []
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Overviews of arrays that another program has replaced


def changed_by_xarray(store, values):
    """Lets xarray read the store, change the values, and write it back with all attributes."""
    with xr.open_zarr(store) as opened:
        opened = opened.load()
    opened.a.values[...] = values
    opened.to_zarr(store, mode="a")


def replaced_by_zarr_python(store, values):
    root = zarr.open_group(str(store), mode="a")
    root.create_dataset("a", data=values, chunks=values.shape, overwrite=True)
    root["a"].attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    zarr.consolidate_metadata(str(store))


def written_by_zarr_python(store, values):
    zarr.open_group(str(store), mode="r+")["a"][...] = values


REPLACERS = [changed_by_xarray, replaced_by_zarr_python, written_by_zarr_python]


def is_left_out(store):
    with error_log() as log:
        assert sizes(gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER)) == []
    assert log.errors == [] and log.warnings != []
    assert all("was made from other values than /a" in text for text in log.warnings)
    return True


@pytest.mark.parametrize("options", [[], ["COMPRESS=NONE", "BLOCKXSIZE=16", "BLOCKYSIZE=16"]], ids=["", "raw"])
@pytest.mark.parametrize("replace", REPLACERS, ids=lambda replace: replace.__name__)
def test_overviews_of_replaced_values_are_left_out(tmp_path, replace, options):
    store = add(tmp_path / "s.zarr", "a", raster(mask=False), *options)
    assert sizes(open_raster(store)) == [(30, 20), (15, 10)]
    replace(store, VALUES + 7)
    assert is_left_out(store)
    dataset = update(array_name(store, "a"))
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    dataset = open_raster(array_name(store, "a"))
    assert_same(dataset.GetRasterBand(1).GetOverview(0).ReadAsArray(), (VALUES + 7)[::2, ::2])
    assert sizes(dataset) == [(30, 20)]


def test_overviews_of_a_replaced_shape_are_left_out(tmp_path):
    store = add(tmp_path / "s.zarr", "a", raster(mask=False))
    replaced_by_zarr_python(store, np.zeros((80, 120), "u2"))
    with error_log() as log:
        assert sizes(gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER)) == []
    assert log.errors == [] and [text for text in log.warnings if "is left out" in text] != []


def test_an_array_replaced_by_xarray_has_no_overviews(tmp_path):
    """If xarray replaces an array (mode="a") by an array without attributes, the old overviews are ignored."""
    store = add(tmp_path / "s.zarr", "a", raster(mask=False))
    xr.Dataset({"a": (("y", "x"), VALUES + 7)}).to_zarr(store, mode="a")
    with error_log() as log:
        dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER)
    assert log.errors == [] and sizes(dataset) == []
    assert_same(dataset.GetRasterBand(1).ReadAsArray(), VALUES + 7)


def test_copies_of_a_store_keep_the_overviews(tmp_path, cpl):
    store = add(tmp_path / "s.zarr", "a", raster())
    shutil.copytree(store, tmp_path / "copy.zarr")
    check(tmp_path / "copy.zarr", "a", VALUES)
    # Array a is replaced by equal values in other chunks without a codec, so its overviews stay valid.
    root = zarr.open_group(str(tmp_path / "copy.zarr"), mode="a")
    attributes = root["a"].attrs.asdict()
    root.create_dataset("a", data=VALUES, chunks=(7, 9), compressor=None, overwrite=True)
    root["a"].attrs.put(attributes)
    zarr.consolidate_metadata(str(tmp_path / "copy.zarr"))
    check(tmp_path / "copy.zarr", "a", VALUES)
    cpl.assert_quiet()


def test_written_pixels_give_a_warning_about_overviews(tmp_path):
    """Writing pixels gives a warning that the overviews are outdated. The outdated overviews stay until they are built
    again."""
    store = add(tmp_path / "s.zarr", "a", raster(mask=False))
    dataset = update(store)
    with error_log() as log:
        dataset.GetRasterBand(1).WriteArray(VALUES + 7)
        dataset = None
    assert len(log.warnings) == 1 and "overviews" in log.warnings[0]
    assert sizes(open_raster(store)) == [(30, 20), (15, 10)]


def test_gdal_base_state_is_no_metadata_of_the_overview(tmp_path, cpl):
    store = add(tmp_path / "s.zarr", "a", raster(mask=False))
    level = f"{level_group(2)}/a"
    assert "gdal_base_state" in zarr_formats.attributes(store, level_group(2))
    dataset = open_raster(array_name(store, level))
    assert "gdal_base_state" not in {**dataset.GetMetadata(), **dataset.GetRasterBand(1).GetMetadata()}
    cpl.assert_quiet()
