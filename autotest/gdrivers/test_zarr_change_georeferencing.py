# SPDX-License-Identifier: MIT
"""After the CRS or the geotransform of a raster is changed, every reader finds the new CRS or geotransform. Each case
states the old ones by another convention."""

import subprocess

import numpy as np
import pyproj
import pytest
import rasterio
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from rasterio.transform import Affine
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import epsg
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

ROWS, COLUMNS = 4, 5
OLD = (500000.0, 10.0, 0.0, 4000000.0, 0.0, -10.0)
NEW = (0.0, 10.0, 0.0, 40.0, 0.0, -10.0)
NEW_ROTATED = (0.0, 10.0, 1.0, 40.0, 2.0, -10.0)
UTM = {"proj:code": "EPSG:32632"}
AFFINE = [OLD[i] for i in (1, 2, 0, 4, 5, 3)]
DIMS = {"spatial:dimensions": ["y", "x"]}
SHAPE = [ROWS, COLUMNS]
BOX = [OLD[0], OLD[3] - 10 * ROWS, OLD[0] + 10 * COLUMNS, OLD[3]]
GDAL_ORDER = " ".join(str(number) for number in OLD)
WKT = pyproj.CRS.from_epsg(32632).to_wkt()

# case -> (attributes of the array, attributes of its group), which state the old CRS and geotransform
CASES = {
    "proj:transform": ({**UTM, "proj:transform": AFFINE, "proj:shape": SHAPE, "proj:bbox": BOX}, {}),
    "proj:epsg": ({"proj:epsg": 32632, "proj:transform": AFFINE}, {}),
    "spatial:transform": ({**UTM, **DIMS, "spatial:transform": AFFINE}, {}),
    "proj:bbox": ({**UTM, "proj:bbox": BOX, "proj:shape": SHAPE}, {}),
    "group's spatial:transform": ({}, {**UTM, **DIMS, "spatial:transform": AFFINE}),
    "group's proj:transform": ({}, {**UTM, "proj:transform": AFFINE}),
    "group's spatial:transform with a shape": (
        {}, {**UTM, **DIMS, "spatial:transform": AFFINE, "spatial:shape": SHAPE}),
    "group's, and the array's": (
        {**UTM, "proj:transform": AFFINE}, {**UTM, **DIMS, "spatial:transform": AFFINE}),
    "group's spatial:bbox": ({}, {**UTM, **DIMS, "spatial:bbox": BOX, "spatial:shape": SHAPE}),
    "GeoTransform": ({"crs_wkt": "EPSG:32632", "GeoTransform": GDAL_ORDER}, {}),
    "_CRS": ({"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32632"},
              "proj:transform": AFFINE}, {}),
}


def write(folder, case, consolidated=False):
    attrs, group = CASES[case]
    array = {"values": np.arange(20, dtype="u1").reshape(ROWS, COLUMNS), "dims": ("y", "x"), "attrs": attrs}
    return make_store(folder, {"a": array}, group, consolidated=consolidated)


def crs_of(code):
    srs = osr.SpatialReference()
    assert srs.ImportFromEPSG(code) == 0
    return srs


def georeferencing_of(name):
    dataset = open_raster(name)
    return dataset.GetGeoTransform(can_return_null=True), epsg(dataset)


def georeferencing_in_multidim(store, path="a"):
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
    array = dataset.GetRootGroup().OpenMDArrayFromFullname(f"/{path}")
    srs = array.GetSpatialRef()
    raster = array.AsClassicDataset(1, 0)
    return raster.GetGeoTransform(can_return_null=True), srs and int(srs.GetAuthorityCode(None))


def assert_georeferencing(store, geotransform, code, path="a"):
    assert georeferencing_of(array_name(store, path)) == (geotransform, code)
    assert georeferencing_in_multidim(store, path)[1] == code
    if geotransform is None or not (geotransform[2] or geotransform[4]):
        assert georeferencing_in_multidim(store, path)[0] in (geotransform, None)


def change(store, geotransform=None, code=None, path="a"):
    dataset = gdal.OpenEx(array_name(store, path), gdal.OF_UPDATE)
    if code:
        assert dataset.SetSpatialRef(crs_of(code)) == gdal.CE_None
    if geotransform:
        assert dataset.SetGeoTransform(geotransform) == gdal.CE_None


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_geotransform_and_the_crs(tmp_path, cpl, case, consolidated):
    store = write(tmp_path, case, consolidated)
    assert georeferencing_of(array_name(store, "a")) == (OLD, 32632)
    change(store, NEW, 3857)
    assert_georeferencing(store, NEW, 3857)
    cpl.assert_quiet()


@pytest.mark.parametrize("case", CASES)
def test_the_geotransform_alone(tmp_path, cpl, case):
    store = write(tmp_path, case)
    change(store, NEW)
    assert_georeferencing(store, NEW, 32632)
    change(store, NEW_ROTATED)
    assert_georeferencing(store, NEW_ROTATED, 32632)
    cpl.assert_quiet()


@pytest.mark.parametrize("case", CASES)
def test_the_crs_alone(tmp_path, cpl, case):
    store = write(tmp_path, case)
    change(store, code=3857)
    assert_georeferencing(store, OLD, 3857)
    cpl.assert_quiet()


@pytest.mark.parametrize("convention", ["GDAL", "CF", "SPATIAL_PROJ"])
@pytest.mark.parametrize("case", CASES)
def test_each_convention(tmp_path, cpl, case, convention):
    store = write(tmp_path, case)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE,
                          open_options=[f"GEOREFERENCING_CONVENTION={convention}"])
    dataset.SetSpatialRef(crs_of(3857))
    dataset.SetGeoTransform(NEW)
    dataset = None
    assert_georeferencing(store, NEW, 3857)


@pytest.mark.parametrize("case", CASES)
def test_the_crs_in_the_multidimensional_api(tmp_path, cpl, case):
    store = write(tmp_path, case)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    assert dataset.GetRootGroup().OpenMDArray("a").SetSpatialRef(crs_of(3857)) == gdal.CE_None
    dataset = None
    assert_georeferencing(store, OLD, 3857)
    cpl.assert_quiet()


@pytest.mark.parametrize("case", CASES)
def test_gdal_edit(tmp_path, case):
    store = write(tmp_path, case)
    edit = ["gdal_edit.py", "-a_ullr", "0", "40", "50", "0", "-a_srs", "EPSG:3857", str(store)]
    subprocess.run(edit, check=True)
    assert_georeferencing(store, NEW, 3857)
    subprocess.run(["gdal_edit.py", "-unsetgt", str(store)], check=True)
    assert georeferencing_of(array_name(store, "a"))[0] in (None, (0, 1, 0, 0, 0, 1))


@pytest.mark.parametrize("case", CASES)
def test_rasterio(tmp_path, case):
    store = write(tmp_path, case)
    with rasterio.open(array_name(store, "a"), "r+") as dataset:
        dataset.crs = rasterio.crs.CRS.from_epsg(3857)
        dataset.transform = Affine.from_gdal(*NEW)
    with rasterio.open(array_name(store, "a")) as dataset:
        assert (dataset.crs.to_epsg(), dataset.transform.to_gdal()) == (3857, NEW)
    assert_georeferencing(store, NEW, 3857)


@pytest.mark.parametrize("case", CASES)
def test_a_crs_that_is_unset(tmp_path, cpl, case):
    store = write(tmp_path, case)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
    dataset.SetSpatialRef(None)
    dataset = None
    is_of_group = case.startswith("group's")
    assert georeferencing_of(array_name(store, "a")) == (OLD, 32632 if is_of_group else None)
    assert len(cpl.warnings) == is_of_group
    if is_of_group:
        assert "the CRS cannot be unset: group attribute proj:code states it" in cpl.warnings[0]


def test_a_level_of_ome(tmp_path, cpl):
    datasets = [{"path": "a", "coordinateTransformations": [{"type": "scale", "scale": [2, 2]}]}]
    axes = [{"name": name, "type": "space", "unit": "metre"} for name in "yx"]
    image = {"version": "0.4", "axes": axes, "datasets": datasets}
    array = {"values": np.zeros((ROWS, COLUMNS), "u1"), "dims": ("y", "x")}
    store = make_store(tmp_path, {"a": array}, {"multiscales": [image]})
    assert georeferencing_of(array_name(store, "a")) == ((-1, 2, 0, 1, 0, -2), None)
    change(store, NEW, 3857)
    assert_georeferencing(store, NEW, 3857)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("code", [3857, 32632])
def test_an_array_that_shares_the_grid_mapping_stays(tmp_path, cpl, code, names):
    named = {"grid_mapping": "spatial_ref"}
    array = {"values": np.zeros((ROWS, COLUMNS), "u1"), "dims": ("y", "x")}
    mapping = {"values": np.array(0, "i4"), "dims": (), "attrs": {"crs_wkt": WKT, "GeoTransform": GDAL_ORDER}}
    arrays = {"a": {**array, "attrs": named}, "b": {**array, "attrs": named if names else {}},
              "spatial_ref": mapping}
    store = make_store(tmp_path, arrays)
    assert_georeferencing(store, OLD, 32632, "b")
    change(store, NEW, code)
    assert_georeferencing(store, NEW, code)
    assert_georeferencing(store, OLD, 32632, "b")


def test_another_array_gets_no_geotransform(tmp_path, cpl):
    array = {"values": np.zeros((ROWS, COLUMNS), "u1"), "dims": ("y", "x")}
    store = make_store(tmp_path, {"a": array, "b": array})
    change(store, NEW, 3857)
    assert_georeferencing(store, NEW, 3857)
    assert_georeferencing(store, None, None, "b")


def test_arrays_beside_share_coordinates_and_their_crs(tmp_path, cpl):
    array = {"values": np.zeros((ROWS, COLUMNS), "u1"), "dims": ("y", "x")}
    axes = {"x": {"values": np.arange(COLUMNS) * 10.0, "dims": ("x",)},
            "y": {"values": np.arange(ROWS) * -10.0, "dims": ("y",)}}
    store = make_store(tmp_path, {"a": array, "b": array, **axes})
    change(store, code=3857)
    for path in "ab":
        assert_georeferencing(store, (-5, 10, 0, 5, 0, -10), 3857, path)
    cpl.assert_quiet()


def test_an_added_raster_overrides_the_groups_transform(tmp_path, cpl):
    store = write(tmp_path, "group's spatial:transform")
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS)
    source.SetGeoTransform(NEW)
    source.SetSpatialRef(crs_of(3857))
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=b"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    assert_georeferencing(store, NEW, 3857, "b")
    assert_georeferencing(store, OLD, 32632)


def test_attributes_of_the_old_convention_are_removed(tmp_path):
    store = write(tmp_path, "proj:transform")
    change(store, NEW, 3857)
    attrs = dict(zarr.open_group(str(store), mode="r")["a"].attrs)
    assert not {name for name in attrs if name.startswith("proj:")} - {"proj:shape"}


@pytest.mark.parametrize("options", [[], ["OVERVIEWS=2"], ["GEOREFERENCING_CONVENTION=CF", "OVERVIEWS=2,4"],
                                     ["PROFILE=CLOUD", "OVERVIEWS=2"]])  # fmt: skip
def test_the_crs_that_the_driver_wrote_is_unset(tmp_path, options):
    source = gdal.GetDriverByName("MEM").Create("", 40, 32)
    source.SetGeoTransform(OLD)
    source.SetSpatialRef(crs_of(32632))
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    edit = subprocess.run(["gdal_edit.py", "-a_srs", "", str(store)], capture_output=True, text=True, check=True)
    assert edit.stderr == ""
    dataset = open_raster(store)
    assert dataset.GetSpatialRef() is None
    assert dataset.GetGeoTransform() == OLD
    band = dataset.GetRasterBand(1)
    levels = [band.GetOverview(i).GetDataset() for i in range(band.GetOverviewCount())]
    assert len(levels) == (0 if not options else len(options[-1].split(",")))
    assert [level.GetSpatialRef() for level in levels if level is not None] == [None] * len(levels)
    assert not list(store.rglob("spatial_ref"))
