# SPDX-License-Identifier: MIT
"""Copies arrays and groups within a store, into a store and out of a store, and appends rasters. Each array
keeps its geotransform, and a group gets one grid mapping for each CRS."""

import subprocess

import numpy as np
import pytest
import rioxarray  # noqa: F401  (adds .rio to xarray's objects)
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

PLACE = (500000, 10, 0, 5200000, 0, -10)
EAST = (600000, 10, 0, 5200000, 0, -10)
SOUTH_UP = (500000, 10, 0, 5199970, 0, 10)
VALUES = np.arange(12, dtype="i2").reshape(3, 4)


def crs_of(text):
    srs = osr.SpatialReference()
    assert srs.SetFromUserInput(text) == 0
    return srs


def raster(geotransform=PLACE, crs="EPSG:32632", values=VALUES, masked=False):
    source = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, gdal.GDT_Int16)
    source.WriteArray(values)
    if geotransform:
        source.SetGeoTransform(geotransform)
    if crs:
        source.SetSpatialRef(crs_of(crs))
    if masked:
        source.CreateMaskBand(gdal.GMF_PER_DATASET)
        source.GetRasterBand(1).GetMaskBand().WriteArray(np.where(values % 2, 255, 0).astype("u1"))
    return source


def write(store, name, **of):
    options = [f"ARRAY_NAME={name}"] + ["APPEND_SUBDATASET=YES"] * store.exists()
    made = gdal.GetDriverByName("Zarr").CreateCopy(str(store), raster(**of), options=options)
    assert made is not None, gdal.GetLastErrorMsg()


def copy(source, target):
    return gdal.GetDriverByName("Zarr").CopyFiles(str(target), str(source))


def facts(name):
    dataset = open_raster(name)
    code = dataset.GetSpatialRef() and dataset.GetSpatialRef().GetAuthorityCode(None)
    return dataset.GetGeoTransform(), code, dataset.ReadAsArray().tolist()


def mappings(store, group=""):
    """Returns the names of the scalar arrays in a group, which are its grid mappings."""
    opened = zarr.open_group(str(store), mode="r")
    opened = opened[group] if group else opened
    return sorted(name for name, array in opened.arrays() if array.ndim == 0)


def dims(store, path):
    return zarr.open_group(str(store), mode="r")[path].attrs["_ARRAY_DIMENSIONS"]


# ---------------------------------------------------------------------------------------------
# Copies of arrays and groups


def test_a_copy_in_a_store_shares_grid_mapping_and_coordinates(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    write(store, "a")
    assert copy(array_name(store, "a"), array_name(store, "b")) == gdal.CE_None
    assert cpl.events == []
    assert facts(array_name(store, "b")) == facts(array_name(store, "a"))
    group = zarr.open_group(str(store), mode="r")
    assert sorted(group.array_keys()) == ["a", "b", "spatial_ref", "x", "y"]
    assert zarr_formats.consolidated(store) is not None
    assert xr.open_zarr(str(store)).rio.crs.to_epsg() == 32632
    open_raster(array_name(store, "b"))
    assert open_raster(store).RasterCount == 2


def test_gdalmanage_copies_an_array_by_connection_string(tmp_path):
    store = tmp_path / "s.zarr"
    write(store, "a")
    names = [array_name("s.zarr", name) for name in "ab"]
    subprocess.run(["gdalmanage", "copy", *names], cwd=tmp_path, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["s.zarr"]
    assert facts(array_name(store, "b")) == facts(array_name(store, "a"))


@pytest.mark.parametrize("name", ["g/b", "g/h/b"])
def test_a_copy_to_another_group_of_a_store(tmp_path, cpl, name):
    """An array that is copied to another group uses the coordinates of the root group."""
    store = tmp_path / "s.zarr"
    write(store, "a")
    assert copy(store / "a", store / name) == gdal.CE_None
    assert facts(store / name) == facts(store / "a")
    assert cpl.events == []


def test_a_mask_is_copied_and_not_shared(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    write(store, "a", masked=True)
    assert copy(store / "a", store / "b") == gdal.CE_None
    group = zarr.open_group(str(store), mode="r")
    assert group["b"].attrs["gdal_mask"] == "b_mask"
    opened = [open_raster(store / name) for name in "ab"]
    mask = [dataset.GetRasterBand(1).GetMaskBand().ReadAsArray() for dataset in opened]
    assert (mask[0] == mask[1]).all() and set(mask[0].flat) == {0, 255}
    assert cpl.events == []


def test_an_array_is_copied_out_with_crs_and_coordinates(tmp_path, cpl):
    store, out = tmp_path / "s.zarr", tmp_path / "out.zarr"
    write(store, "a", masked=True)
    write(store, "g/c", geotransform=(10, 0.25, 0, 50, 0, -0.25), crs="EPSG:4326")
    for source, target in (("a", out), ("g/c", tmp_path / "c.zarr")):
        assert copy(store / source, target) == gdal.CE_None
        assert facts(target) == facts(store / source)
    assert cpl.events == []
    read = xr.open_zarr(str(out))
    assert read.rio.crs.to_epsg() == 32632 and {"x", "y"} <= set(read.coords)
    dataset = open_raster(out)
    assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_PER_DATASET
    assert sorted(zarr.open_group(str(out), mode="r").array_keys()) == [
        "a", "a_mask", "spatial_ref", "x", "y"]  # fmt: skip
    assert copy(store / "a", out) == gdal.CE_Failure
    assert "already exist" in cpl.the_error()


def test_a_group_is_copied_out_with_coordinates_and_crs_from_above(tmp_path, cpl):
    store, out = tmp_path / "s.zarr", tmp_path / "out.zarr"
    write(store, "a")
    assert copy(store / "a", store / "g/b") == gdal.CE_None
    assert copy(store / "g", out) == gdal.CE_None
    assert facts(out) == facts(store / "a")
    assert copy(store / "g", tmp_path / "s.zarr" / "k") == gdal.CE_None
    assert facts(store / "k/b") == facts(store / "a")
    assert cpl.events == []


def test_a_path_into_a_store_names_a_node(tmp_path, cpl):
    store, target = tmp_path / "s.zarr", tmp_path / "t.zarr"
    write(store, "a")
    write(target, "z")
    for source, name in ((store / "a", "new"), (store, "all")):
        assert copy(source, target / name) == gdal.CE_None
    assert cpl.events == []
    assert facts(target / "new") == facts(store / "a") == facts(target / "all" / "a")
    kinds = zarr.open_group(str(target), mode="r")
    assert sorted(kinds.array_keys()) == ["new", "spatial_ref", "x", "y", "z"]
    assert sorted(kinds.group_keys()) == ["all"]
    assert xr.open_zarr(str(target)).rio.crs.to_epsg() == 32632
    assert {"new", "z"} <= set(xr.open_zarr(str(target), consolidated=True))


@pytest.mark.parametrize("other", [EAST, SOUTH_UP, (500000, 20, 0, 5200000, 0, -20)])
def test_a_copy_into_a_store_keeps_its_own_coordinates(tmp_path, cpl, other):
    store, target = tmp_path / "s.zarr", tmp_path / "t.zarr"
    write(store, "a", geotransform=other)
    write(target, "z")
    before = facts(target / "z")
    assert copy(store / "a", target / "b") == gdal.CE_None
    assert facts(target / "b") == facts(store / "a") and facts(target / "z") == before
    assert cpl.events == []
    read = xr.open_zarr(str(target))
    assert read.rio.crs.to_epsg() == 32632
    y, x = read["b"].dims
    data = read["b"].rio.set_spatial_dims(x, y)
    assert data.rio.transform(recalc=True).to_gdal() == other


def test_a_copy_into_a_store_keeps_its_crs(tmp_path, cpl):
    store, target = tmp_path / "s.zarr", tmp_path / "t.zarr"
    write(store, "a", crs="EPSG:32633")
    write(target, "z")
    assert copy(store / "a", target / "b") == gdal.CE_None
    assert facts(target / "b") == facts(store / "a")
    assert facts(target / "z")[1] == "32632"
    assert mappings(target) == ["spatial_ref", "spatial_ref_b"]
    assert cpl.events == []


@pytest.mark.parametrize("size", [(3, 4), (5, 6)])
def test_a_copy_without_coordinates_gets_none(tmp_path, cpl, size):
    """A copy of an array without coordinates has no coordinates. The copy shares no dimensions with the arrays of the
    target store, which have coordinates."""
    store, target = tmp_path / "s.zarr", tmp_path / "t.zarr"
    write(store, "a", geotransform=None, crs=None, values=np.ones(size, "i2"))
    write(target, "z")
    assert copy(store / "a", target / "b") == gdal.CE_None
    assert dims(target, "b") == ["y_b", "x_b"]
    read = xr.open_zarr(str(target))
    assert read["b"].shape == size and not {"x", "y"} & set(read["b"].coords)
    assert cpl.events == []


def test_copies_that_are_refused(tmp_path, cpl):
    store, other = tmp_path / "s.zarr", tmp_path / "o.zarr"
    write(store, "a")
    gdal.GetDriverByName("Zarr").CreateCopy(
        str(other), raster(), options=[f"FORMAT=ZARR_V{2 if zarr_formats.is_v3() else 3}"]
    )
    before = zarr_formats.contents(store)
    for source, target, cause in (
        (store / "a", store / "x", "keys already exist"), (store / "a", store / "a/b", "the target is the source"),
        (store, store / "g", "the target is the source"), (other / "o", store / "b", "Zarr v"),
        (store / "a", array_name(store, "b:0"), "slice"), (store / "a", tmp_path, "already exist"),
    ):  # fmt: skip
        cpl.clear()
        assert copy(source, target) == gdal.CE_Failure, target
        assert cause in cpl.the_error()
    assert zarr_formats.contents(store) == before


def test_a_copy_that_fails_leaves_nothing(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    write(store, "a", masked=True)
    chunk = zarr_formats.chunk_file(store, "a", 0, 0)
    chunk.unlink()
    chunk.symlink_to(chunk.name)

    def names():
        """Returns the paths of all files except consolidated metadata. The driver cannot write consolidated
        metadata while the store contains a link, so it leaves an intent, by which the next writer does."""
        left_out = (".zmetadata", "s.zarr.intent")
        return sorted(str(path) for path in tmp_path.rglob("*") if path.name not in left_out)

    before = names()
    for target in (store / "b", tmp_path / "out.zarr"):
        cpl.clear()
        assert copy(store / "a", target) == gdal.CE_Failure
        assert "a/" in cpl.the_error()
        assert names() == before


# ---------------------------------------------------------------------------------------------
# Appends of rasters to stores


def without_codes(text):
    """Returns the WKT of a CRS without the codes of EPSG and other authorities."""
    srs = crs_of(text)
    wkt = srs.ExportToWkt()
    while ',AUTHORITY["' in wkt:
        start = wkt.index(',AUTHORITY["')
        wkt = wkt[:start] + wkt[wkt.index("]", start) + 1 :]
    return wkt


@pytest.mark.parametrize("other", [PLACE, EAST, (500000, 10, 1, 5200000, 1, -10)])
@pytest.mark.parametrize("spelled", ["same", "wkt1", "without codes", "projjson"])
def test_arrays_of_equal_crs_share_a_grid_mapping(tmp_path, cpl, other, spelled):
    srs = crs_of("EPSG:32632")
    text = {"same": "EPSG:32632", "wkt1": srs.ExportToWkt(), "projjson": srs.ExportToPROJJSON(),
            "without codes": without_codes("EPSG:32632")}[spelled]  # fmt: skip
    store = tmp_path / "s.zarr"
    write(store, "a")
    write(store, "b", geotransform=other, crs=text)
    assert cpl.events == []
    assert mappings(store) == ["spatial_ref"]
    for name, expected in (("a", PLACE), ("b", other)):
        dataset = open_raster(store / name)
        assert dataset.GetGeoTransform() == expected
        assert dataset.GetSpatialRef().IsSame(srs)
    read = xr.open_zarr(str(store))
    assert read.rio.crs.to_epsg() == 32632
    # rioxarray reads GeoTransform from the grid mapping. The grid mapping therefore states GeoTransform only if both
    # arrays have the same geotransform.
    stated = zarr_formats.attributes(store, "spatial_ref").get("GeoTransform")
    assert (stated is not None) == (other == PLACE)


def test_a_grid_mapping_of_xarray_is_shared(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    data = xr.DataArray(VALUES, dims=["y", "x"], coords={"y": [25.0, 15, 5], "x": [5.0, 15, 25, 35]})
    data = data.rio.write_crs("EPSG:32632", grid_mapping_name="crs")
    xr.Dataset({"a": data}).to_zarr(str(store))
    write(store, "b", geotransform=EAST)
    assert mappings(store) == ["crs"]
    assert facts(store / "b")[:2] == (EAST, "32632")
    assert facts(store / "a")[:2] == ((0, 10, 0, 30, 0, -10), "32632")
    assert xr.open_zarr(str(store)).rio.crs.to_epsg() == 32632
    assert cpl.events == []


def test_another_crs_has_a_grid_mapping_of_its_own(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    write(store, "a")
    for name in "bc":
        write(store, name, crs="EPSG:32633")
    assert mappings(store) == ["spatial_ref", "spatial_ref_b"]
    assert [facts(store / name)[1] for name in "abc"] == ["32632", "32633", "32633"]
    assert cpl.events == []


def test_a_changed_crs_leaves_no_grid_mapping_behind(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    for name in "ab":
        write(store, name)

    def change(name, crs):
        dataset = gdal.OpenEx(array_name(store, name), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.SetSpatialRef(crs and crs_of(crs))
        del dataset

    change("a", "EPSG:3857")
    assert mappings(store) == ["spatial_ref", "spatial_ref_a"]
    assert [facts(store / name)[1] for name in "ab"] == ["3857", "32632"]
    change("b", "EPSG:3857")
    assert len(mappings(store)) == 1
    assert [facts(store / name)[1] for name in "ab"] == ["3857", "3857"]
    assert xr.open_zarr(str(store)).rio.crs.to_epsg() == 3857
    change("a", None)
    assert len(mappings(store)) == 1 and facts(store / "b")[1] == "3857"
    change("b", None)
    assert mappings(store) == []
    change("a", "EPSG:4326")
    assert len(mappings(store)) == 1 and facts(store / "a")[:2] == (PLACE, "4326")
    assert cpl.events == []


@pytest.mark.parametrize("created", [False, True])
def test_dimensions_of_a_group_are_its_own_y_and_x(tmp_path, cpl, created):
    """A new group gets its own dimensions, even if dimensions of the root have equal sizes."""
    store = tmp_path / "s.zarr"
    write(store, "a")
    for name, where in (("g/b", PLACE), ("h/c", EAST), ("h/d", EAST), ("h/e", PLACE)):
        if created:
            options = [f"ARRAY_NAME={name}", "APPEND_SUBDATASET=YES"]
            dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, 1, gdal.GDT_Int16, options)
            dataset.WriteArray(VALUES)
            dataset.FlushCache()
            dataset.SetGeoTransform(where)
            dataset.SetSpatialRef(crs_of("EPSG:32632"))
            del dataset
        else:
            write(store, name, geotransform=where)
        assert facts(store / name) == (where, "32632", VALUES.tolist())
    assert [dims(store, name) for name in ("a", "g/b", "h/c", "h/d")] == [["y", "x"]] * 4
    assert dims(store, "h/e") == ["y", "x_e"]
    for group in "gh":
        assert mappings(store, group) == ["spatial_ref"]
        read = xr.open_zarr(str(store), group=group)
        assert read.rio.crs.to_epsg() == 32632
    assert facts(store / "a")[0] == PLACE
    assert cpl.events == []


def test_an_array_without_a_geotransform_inherits_none(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    write(store, "a")
    write(store, "g/b", geotransform=None, crs=None)
    assert open_raster(store / "g/b").GetGeoTransform(can_return_null=True) is None
    assert cpl.events == []


# ---------------------------------------------------------------------------------------------
# Copies of arrays whose georeferencing is in attributes of their group or of the root

AFFINE = [10, 0, 500000, 0, -10, 5200000]
GROUPS = {
    "spatial": {"proj:code": "EPSG:32632", "spatial:dimensions": ["y", "x"], "spatial:transform": AFFINE},
    "proj": {"proj:code": "EPSG:32632", "proj:transform": AFFINE},
    "plain crs": {"crs": "EPSG:32632", "spatial:transform": AFFINE},
    "box": {"proj:epsg": 32632, "spatial:bbox": [500000, 5199970, 500040, 5200000], "spatial:shape": [3, 4]},
}


def georeferenced_by_group(folder, said, dims=("y", "x"), more=None, at=""):
    arrays = {f"{at}a": {"values": VALUES, "dims": dims}, **(more or {})}
    groups = {at.strip("/"): said} if at else {}
    return make_store(folder, arrays, {} if at else said, name="e.zarr", groups=groups)


@pytest.mark.parametrize("said", GROUPS)
def test_a_copy_keeps_its_groups_geotransform_and_crs(tmp_path, cpl, said):
    store = georeferenced_by_group(tmp_path, GROUPS[said])
    wanted = (PLACE, "32632", VALUES.tolist())
    assert facts(array_name(store, "a")) == wanted
    other = tmp_path / "t.zarr"
    write(other, "b", geotransform=EAST, crs="EPSG:32633")
    out = tmp_path / "o.zarr"
    targets = [out, array_name(store, "sub/a2"), array_name(other, "c"), array_name(store, "a3")]
    for target in targets:
        assert copy(array_name(store, "a"), target) == gdal.CE_None
    for target in (array_name(out, "a"), *targets[1:]):
        assert facts(target) == wanted, target
    assert facts(array_name(store, "a")) == wanted
    assert facts(array_name(other, "b"))[:2] == (EAST, "32633")
    assert xr.open_zarr(str(out)).rio.crs.to_epsg() == 32632
    assert "grid_mapping" not in zarr.open_group(str(store), mode="r")["a3"].attrs
    assert cpl.events == []


@pytest.mark.parametrize("said", GROUPS)
def test_a_copied_group_keeps_the_geotransform_of_a_group_above(tmp_path, cpl, said):
    store = georeferenced_by_group(tmp_path, GROUPS[said], at="g/h/")
    out = tmp_path / "o.zarr"
    for source, target, name in (("g/h", out, "a"), ("g", array_name(store, "k"), "k/h/a")):
        assert copy(array_name(store, source), target) == gdal.CE_None
        held = out if target == out else store
        assert facts(array_name(held, name)) == (PLACE, "32632", VALUES.tolist())
    # The copied group has the attributes that state the CRS, so its arrays need no grid mapping.
    assert "grid_mapping" not in zarr.open_group(str(out), mode="r")["a"].attrs
    assert cpl.events == []


@pytest.mark.parametrize("source", ["measurements/r10m/b02", "measurements/r10m", "measurements"])
def test_nodes_copied_out_of_a_product_keep_its_crs(tmp_path, cpl, source):
    stac = {"stac_discovery": {"properties": {"proj:code": "EPSG:32632"}}}
    axes = {"x": {"values": 500005.0 + 10 * np.arange(4), "dims": ("x",)},
            "y": {"values": 5199995.0 - 10 * np.arange(3), "dims": ("y",)}}
    arrays = {f"measurements/r10m/{name}": item for name, item in axes.items()}
    for name in ("b02", "b03"):
        arrays[f"measurements/r10m/{name}"] = {"values": VALUES, "dims": ("y", "x")}
    store = make_store(tmp_path, arrays, stac, name="e.zarr")
    out = tmp_path / "o.zarr"
    assert copy(array_name(store, source), out) == gdal.CE_None
    name = {"measurements": "r10m/b02"}.get(source, "b02")
    assert facts(array_name(out, name)) == (PLACE, "32632", VALUES.tolist())
    group = "r10m" if source == "measurements" else ""
    assert mappings(out, group) == ["spatial_ref"]
    assert xr.open_zarr(str(out), group=group or None, consolidated=False).rio.crs.to_epsg() == 32632
    assert cpl.events == []


def test_a_level_of_an_image_keeps_its_scale(tmp_path, cpl):
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    scale = [{"type": "scale", "scale": [0.5, 0.25]}]
    image = {"version": "0.4", "axes": axes, "datasets": [{"path": "a", "coordinateTransformations": scale}]}
    store = georeferenced_by_group(tmp_path, {"multiscales": [image]})
    out = tmp_path / "o.zarr"
    assert copy(array_name(store, "a"), out) == gdal.CE_None
    assert facts(array_name(out, "a")) == facts(array_name(store, "a"))
    assert cpl.events == []


def test_degrees_are_copied_into_a_store_of_metres(tmp_path, cpl):
    degrees = {"lat": {"values": 50 - 0.5 * np.arange(3), "dims": ("lat",), "attrs": {"units": "degrees_north"}},
               "lon": {"values": 10 + 0.5 * np.arange(4), "dims": ("lon",), "attrs": {"units": "degrees_east"}}}
    store = make_store(tmp_path, {"t": {"values": VALUES, "dims": ("lat", "lon")}, **degrees}, name="e.zarr")
    other = tmp_path / "t.zarr"
    write(other, "b")
    assert copy(array_name(store, "t"), array_name(other, "t")) == gdal.CE_None
    assert facts(array_name(other, "t")) == facts(array_name(store, "t"))
    assert facts(array_name(other, "t"))[1] == "4326"
    assert facts(array_name(other, "b"))[:2] == (PLACE, "32632")
    assert cpl.events == []


def test_a_copy_into_a_group_with_a_transform_keeps_its_own(tmp_path, cpl):
    store = georeferenced_by_group(tmp_path, GROUPS["spatial"])
    other = tmp_path / "t.zarr"
    write(other, "b", geotransform=EAST, crs="EPSG:32633")
    assert copy(array_name(other, "b"), array_name(store, "b")) == gdal.CE_None
    assert facts(array_name(store, "b"))[:2] == (EAST, "32633")
    assert facts(array_name(store, "a"))[:2] == (PLACE, "32632")
    assert cpl.events == []


def test_a_copy_without_a_geotransform_takes_the_groups(tmp_path, cpl):
    store = georeferenced_by_group(tmp_path, GROUPS["spatial"])
    bare = make_store(tmp_path, {"n": {"values": VALUES, "dims": ("y", "x")}}, name="n.zarr")
    assert copy(array_name(bare, "n"), array_name(store, "n")) == gdal.CE_None
    assert facts(array_name(store, "n"))[:2] == (PLACE, "32632")
    assert ["takes the CRS of group attribute proj:code" in cpl.warnings[0],
            "takes the geotransform of attribute spatial:transform" in cpl.warnings[1]] == [True, True]
    assert len(cpl.events) == 2
