# SPDX-License-Identifier: MIT
"""Rare ways to state the CRS and the geotransform of a raster: plain attributes, control points, bounding
boxes, CRS codes beside projection parameters, and coordinates without units."""

import json

import numpy as np
import pyproj
import pytest
import rioxarray  # noqa: F401, for its accessor
import xarray
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, config_options, gdal_is_at_least, open_raster
from zarr_georeferencing import assert_geotransform, assert_lands, epsg
from zarr_http import Served
from zarr_mdim import open_array
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
VALUES = np.arange(12, dtype="i2").reshape(3, 4)
X = 500015.0 + 30.0 * np.arange(4)
Y = 5200000.0 - 15.0 - 30.0 * np.arange(3)
PLACE = (500000.0, 30.0, 0.0, 5200000.0, 0.0, -30.0)
UTM = pyproj.CRS.from_epsg(32632)
PROJ4 = "+proj=utm +zone=32 +datum=WGS84 +units=m +no_defs"
PARAMETERS = {"proj": "utm", "zone": 32, "datum": "WGS84", "units": "m", "no_defs": True}
TRANSFORM = [30.0, 0.0, 500000.0, 0.0, -30.0, 5200000.0]
BOX = [500000.0, 5199910.0, 500120.0, 5200000.0]


def array(values, attrs=None, dims=("y", "x"), **options):
    dims = {} if dims is None else {"dims": dims}
    return {"values": np.asarray(values), "attrs": attrs or {}, **dims, **options}


def axes(x=X, y=Y, x_attrs=None, y_attrs=None):
    return {"x": array(x, x_attrs, ("x",)), "y": array(y, y_attrs, ("y",))}


def scalar(**attrs):
    return array(np.array(0, "i4"), attrs, ())


def write(folder, attrs=None, arrays=None, group_attrs=None, values=VALUES, dims=("y", "x")):
    data = array(values, attrs, dims)
    store = make_store(folder, {"data": data, **(arrays or {})}, attributes=group_attrs)
    return array_name(store, "data")


# ---------------------------------------------------------------------------------------------
# Tests of plain attributes that belong to no convention

PLAIN = {
    "crs code": {"crs": "EPSG:32632"}, "crs small": {"crs": "epsg:32632"},
    "crs number": {"crs": 32632}, "crs digits": {"crs": "32632"},
    "crs init": {"crs": "+init=epsg:32632"}, "crs proj": {"crs": PROJ4},
    "crs wkt": {"crs": UTM.to_wkt()}, "crs urn": {"crs": "urn:ogc:def:crs:EPSG::32632"},
    "crs json": {"crs": json.loads(UTM.to_json())},
    "crs_wkt": {"crs_wkt": UTM.to_wkt()}, "spatial_ref": {"spatial_ref": UTM.to_wkt("WKT1_GDAL")},
    "spatial_ref code": {"spatial_ref": "EPSG:32632"}, "epsg_code": {"epsg_code": "EPSG:32632"},
    "epsg_code number": {"epsg_code": 32632}, "epsg_code digits": {"epsg_code": "32632"},
    "proj4": {"proj4": PROJ4}, "proj4 init": {"proj4": "+init=epsg:32632"},
    "crs init object": {"crs": {"init": "epsg:32632"}}, "crs proj object": {"crs": PARAMETERS},
}  # fmt: skip


@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("case", PLAIN)
def test_a_plain_attribute_states_the_crs(tmp_path, cpl, case, of_group):
    attrs = PLAIN[case]
    name = write(tmp_path, {} if of_group else attrs, axes(), attrs if of_group else {})
    dataset = open_raster(name)
    assert epsg(dataset) == (None if PROJ4 in attrs.values() or PARAMETERS in attrs.values() else 32632)
    assert_geotransform(dataset, PLACE)
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)
    md = open_array(tmp_path / "store.zarr", "data").GetSpatialRef()
    assert md.GetDataAxisToSRSAxisMapping() == [2, 1]
    copy = gdal.Translate(str(tmp_path / "copy.tif"), dataset)
    assert copy.GetSpatialRef().IsProjected() and not {"crs", "crs_wkt", "proj4"} & set(copy.GetMetadata())
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs, arrays, group_attrs", [
    ({"_CRS": "EPSG:32633"}, {}, {}), ({"proj:code": "EPSG:32633"}, {}, {}),
    ({"grid_mapping": "utm"}, {"utm": scalar(spatial_ref=pyproj.CRS(32633).to_wkt())}, {}),
    ({}, {"crs": scalar(spatial_ref=pyproj.CRS(32633).to_wkt())}, {}),
    ({}, {}, {"proj:code": "EPSG:32633"}), ({}, {}, {"stac_discovery": {"properties": {"proj:epsg": 32633}}}),
])  # fmt: skip
def test_plain_attributes_count_last(tmp_path, cpl, attrs, arrays, group_attrs):
    name = write(tmp_path, {"crs": "EPSG:32632", **attrs}, {**axes(), **arrays}, group_attrs)
    assert epsg(open_raster(name)) == 32633
    cpl.assert_quiet()


def lonlat(**attrs):
    return {
        "lon": array(10.25 + 0.5 * np.arange(4), {"units": "degrees_east", **attrs}, ("lon",)),
        "lat": array(49.75 - 0.5 * np.arange(3), {"units": "degrees_north", **attrs}, ("lat",)),
    }


def test_degrees_are_not_made_metres(tmp_path, cpl):
    """Coordinates in degrees give the CRS EPSG:4326, even if a plain attribute of the group names a projected
    CRS."""
    group_attrs = {"crs": "EPSG:32632"}
    store = make_store(tmp_path, {
        "data": array(VALUES, {}, ("lat", "lon")), **lonlat(),
        "table": array(np.zeros((5, 6)), {}, ("station", "sensor")),
    }, attributes=group_attrs)  # fmt: skip
    assert epsg(open_raster(array_name(store, "data"))) == 4326
    assert open_raster(array_name(store, "table")).GetSpatialRef() is None
    cpl.assert_quiet()


def test_a_datum_of_degrees(tmp_path, cpl):
    name = write(tmp_path, {"epsg_code": 4269}, lonlat(), dims=("lat", "lon"))
    assert epsg(open_raster(name)) == 4269
    cpl.assert_quiet()


def test_an_invalid_crs_gives_one_warning(tmp_path, cpl):
    dataset = gdal.Open(write(tmp_path, {"crs": "the usual one"}, axes()))
    assert dataset.GetSpatialRef() is None
    assert len(cpl.warnings) == 1 and "attribute crs" in cpl.warnings[0]


def test_a_new_crs_replaces_plain_attributes(tmp_path, cpl):
    name = write(tmp_path, {"crs": "EPSG:32632", "GeoTransform": "0 1 0 0 0 -1", "title": "kept"}, axes())
    dataset = gdal.OpenEx(name, gdal.OF_UPDATE)
    srs = dataset.GetSpatialRef().Clone()
    srs.ImportFromEPSG(32633)
    dataset.SetSpatialRef(srs)
    dataset = None
    assert epsg(gdal.Open(name)) == 32633
    dataset = gdal.OpenEx(name, gdal.OF_UPDATE)
    dataset.SetSpatialRef(None)
    dataset = None
    assert gdal.Open(name).GetSpatialRef() is None
    assert gdal.Open(name).GetMetadata() == {"title": "kept"}
    stored = zarr_formats.attributes(tmp_path / "store.zarr", "data")
    assert not {"crs", "GeoTransform"} & set(stored)


# ---------------------------------------------------------------------------------------------
# Tests of grid mappings of CF


@pytest.mark.parametrize("nested", [False, True])
def test_a_grid_mapping_of_the_group(tmp_path, cpl, nested):
    path = "deep/data" if nested else "data"
    group = path.rpartition("/")[0]
    axes_of = {f"{group}/{key}".strip("/"): value for key, value in axes().items()}
    store = make_store(tmp_path, {
        path: array(VALUES), **axes_of, "utm": scalar(spatial_ref=UTM.to_wkt(), GeoTransform="500000 30 0 5200000 0 -30"),
        f"{group}/table".strip("/"): array(np.zeros((5, 6)), {}, ("station", "sensor")),
    }, attributes={} if nested else {"grid_mapping": "utm"},
       groups={"deep": {"grid_mapping": "utm"}} if nested else {})  # fmt: skip
    dataset = open_raster(array_name(store, path))
    assert epsg(dataset) == 32632
    assert_geotransform(dataset, PLACE)
    assert open_array(store, path).GetSpatialRef().IsProjected()
    assert open_raster(array_name(store, f"{group}/table".strip("/"))).GetSpatialRef() is None
    cpl.assert_quiet()


def test_the_array_s_grid_mapping_counts_first(tmp_path):
    name = write(tmp_path, {"grid_mapping": "own"}, {
        **axes(), "own": scalar(spatial_ref=UTM.to_wkt()),
        "other": scalar(spatial_ref=pyproj.CRS(32633).to_wkt()),
    }, {"grid_mapping": "other"})  # fmt: skip
    assert epsg(open_raster(name)) == 32632


@pytest.mark.parametrize("attrs, group_attrs", [
    ({"proj:code": "EPSG:32632"}, {}), ({}, {"proj:code": "EPSG:32632"}),
    ({}, {"stac_discovery": {"properties": {"proj:epsg": 32632}}}), ({"epsg_code": 32632}, {}),
])  # fmt: skip
@pytest.mark.parametrize("of_group", [False, True])
def test_a_missing_grid_mapping_that_is_not_needed(tmp_path, cpl, attrs, group_attrs, of_group):
    missing = {"grid_mapping": "spatial_ref"}
    attrs, group_attrs = dict(attrs), dict(group_attrs)
    (group_attrs if of_group else attrs).update(missing)
    assert epsg(open_raster(write(tmp_path, attrs, axes(), group_attrs))) == 32632
    cpl.assert_quiet()


def test_a_missing_grid_mapping_that_is_needed(tmp_path, cpl):
    name = write(tmp_path, {"grid_mapping": "nowhere"}, lonlat(), dims=("lat", "lon"))
    dataset = gdal.Open(name)
    assert epsg(dataset) == 4326
    assert len(cpl.warnings) == 1 and "grid_mapping" in cpl.warnings[0]


ROUNDED = {"semi_major_axis": float(np.float32(6378137)), "inverse_flattening": float(np.float32(298.257223563))}
ROUNDED_AXES = {"semi_major_axis": 6378137.0, "semi_minor_axis": float(np.float32(6356752.314245179))}
WRITTEN = {"semi_major_axis": 6378137.0, "semi_minor_axis": 6356752.3}


def cf(code, **changes):
    left_out = ("name", "wkt", "axis", "flattening", "prime_meridian")
    stated = pyproj.CRS(code).to_cf()
    kept = {k: v for k, v in stated.items() if not k.endswith(left_out) or k == "grid_mapping_name"}
    return {**kept, **changes}


@pytest.mark.parametrize("figure", [ROUNDED, ROUNDED_AXES, WRITTEN])
@pytest.mark.parametrize("code", [4326, 32632, 3035, 3413, 3031])
@pytest.mark.parametrize("spelling", ["EPSG:{}", "{}", "number"])
def test_a_rounded_ellipsoid_beside_a_code(tmp_path, cpl, figure, code, spelling):
    stated = code if spelling == "number" else spelling.format(code)
    parameters = cf(code, epsg_code=stated, **figure)
    if code in (3413, 3031):  # CRS.to_cf() omits the latitude of the origin for polar stereographic CRSs
        parameters["latitude_of_projection_origin"] = 90.0 if code == 3413 else -90.0
    dims = ("lat", "lon") if code == 4326 else ("y", "x")
    arrays = lonlat() if code == 4326 else axes()
    name = write(tmp_path, {"grid_mapping": "crs"}, {**arrays, "crs": scalar(**parameters)}, dims=dims)
    assert epsg(open_raster(name)) == code
    cpl.assert_quiet()


def test_rounded_parameters_beside_a_code(tmp_path, cpl):
    parameters = cf(32632, epsg_code=32632, **ROUNDED)
    parameters["scale_factor_at_central_meridian"] = float(np.float32(0.9996))
    name = write(tmp_path, {"grid_mapping": "crs"}, {**axes(), "crs": scalar(**parameters)})
    dataset = open_raster(name)
    assert epsg(dataset) == 32632
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)
    cpl.assert_quiet()


def test_kilometres_beside_a_code(tmp_path, cpl):
    parameters = cf(32632, epsg_code=32632, **ROUNDED)
    parameters["false_easting"] = 500.0
    km = {"units": "km"}
    name = write(tmp_path, {"grid_mapping": "crs"}, {**axes(X / 1000, Y / 1000, km, km), "crs": scalar(**parameters)})
    dataset = open_raster(name)
    assert epsg(dataset) == 32632
    assert_geotransform(dataset, PLACE)
    cpl.assert_quiet()


@pytest.mark.parametrize("code, stated, figure", [
    (32632, 32633, ROUNDED), (32632, 999999, ROUNDED), (32632, 25832, {**ROUNDED, "semi_major_axis": 6378388.0}),
    (3035, 3035, {"earth_radius": 6371229.0}), (4326, 32632, ROUNDED),
])  # fmt: skip
def test_a_code_that_is_another_crs(tmp_path, cpl, code, stated, figure):
    parameters = cf(code, epsg_code=stated, **figure)
    crs = scalar(**parameters)
    dataset = gdal.Open(write(tmp_path, {"grid_mapping": "crs"}, {**axes(), "crs": crs}))
    srs = dataset.GetSpatialRef()
    assert bool(srs.IsProjected()) == (code != 4326)
    assert srs.GetSemiMajor() == figure.get("earth_radius", figure.get("semi_major_axis"))
    if code == 32632:
        assert srs.GetNormProjParm("central_meridian") == 9
    warnings = [text for text in cpl.warnings if "epsg_code" in text]
    assert len(warnings) == 1 and str(stated) in warnings[0]


def test_a_grid_mapping_with_a_code_alone(tmp_path, cpl):
    name = write(tmp_path, {"grid_mapping": "crs"}, {**axes(), "crs": scalar(epsg_code="EPSG:32632")})
    assert epsg(open_raster(name)) == 32632
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of attributes that state a geotransform

STATED = {
    "GeoTransform text": ({"GeoTransform": "500000 30 0 5200000 0 -30"}, {}),
    "GeoTransform list": ({"GeoTransform": [500000, 30, 0, 5200000, 0, -30]}, {}),
    "box and shape": ({"spatial:bbox": BOX, "spatial:shape": [3, 4]}, {}),
    "box of nodes": (
        {"spatial:bbox": [500015, 5199925, 500105, 5199985], "spatial:shape": [3, 4], "spatial:registration": "node"}, {}),
    "box of the group": ({}, {"spatial:bbox": BOX, "spatial:shape": [3, 4], "spatial:dimensions": ["y", "x"]}),
    "box alone": ({"spatial:bbox": BOX}, {}),
    "box of nodes alone": ({"spatial:bbox": [500015, 5199925, 500105, 5199985], "spatial:registration": "node"}, {}),
    "box of the group alone": ({}, {"spatial:bbox": BOX, "spatial:dimensions": ["y", "x"]}),
    "box of STAC": ({"proj:bbox": BOX, "proj:shape": [3, 4]}, {}),
    "transform before box": ({"spatial:transform": TRANSFORM, "spatial:bbox": [0, 0, 1, 1], "spatial:shape": [3, 4]}, {}),
    "transform_type affine": ({"spatial:transform": TRANSFORM, "spatial:transform_type": "affine"}, {}),
    "transform_type null": ({"spatial:transform": TRANSFORM, "spatial:transform_type": None}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", STATED)
def test_geotransform(tmp_path, cpl, case):
    attrs, group_attrs = STATED[case]
    name = write(tmp_path, {"proj:code": "EPSG:32632", **attrs}, group_attrs=group_attrs)
    dataset = open_raster(name)
    assert_geotransform(dataset, PLACE)
    assert_lands(dataset, "EPSG:32632", X[2], Y[1], 1, 2)
    copy = gdal.Translate("", dataset, format="MEM", srcWin=[1, 1, 2, 2])
    assert_geotransform(copy, (500030.0, 30.0, 0.0, 5199970.0, 0.0, -30.0))
    assert "GeoTransform" not in copy.GetMetadata()
    cpl.assert_quiet()


@pytest.mark.parametrize("coordinates", [True, False])
@pytest.mark.parametrize("said", [
    {"spatial:transform": TRANSFORM, "spatial:shape": [6, 8]},
    {"spatial:transform": TRANSFORM, "spatial:bbox": [500000, 5199820, 500240, 5200000]},
    {"proj:transform": TRANSFORM, "proj:shape": [6, 8]},
    {"proj:transform": TRANSFORM, "proj:bbox": [500000, 5199820, 500240, 5200000]},
])
def test_a_transform_of_another_size_is_not_applied(tmp_path, cpl, said, coordinates):
    moved = axes(X + 120, Y - 90) if coordinates else {}
    dataset = open_raster(write(tmp_path, said, moved))
    place = dataset.GetGeoTransform(can_return_null=True)
    assert place == ((500120, 30, 0, 5199910, 0, -30) if coordinates else None)
    assert len(cpl.warnings) == 1 and "is for a raster of 6 x 8 pixels" in cpl.warnings[0]


def test_a_size_that_no_raster_has(tmp_path, cpl):
    said = {"spatial:transform": TRANSFORM, "spatial:shape": [1e300, 4]}
    assert open_raster(write(tmp_path, said)).GetGeoTransform(can_return_null=True) is None
    assert len(cpl.warnings) == 1 and "is for a raster of 1e+300 x 4 pixels" in cpl.warnings[0]


def test_coordinates_that_number_pixels_give_no_geotransform(tmp_path, cpl):
    name = write(tmp_path, {"spatial:transform": TRANSFORM}, axes(np.arange(4.0), np.arange(3.0)))
    assert_geotransform(open_raster(name), PLACE)
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs, group_attrs", [
    ({"proj:bbox": BOX}, {}), ({"spatial:bbox": BOX, "spatial:shape": [4, 3]}, {}),
    ({}, {"spatial:bbox": BOX, "spatial:shape": [6, 8]}), ({}, {"proj:bbox": BOX}),
    ({}, {"spatial:bbox": BOX, "spatial:dimensions": ["lat", "lon"]}),
    ({"spatial:bbox": BOX, "spatial:transform_type": "rpc"}, {}),
])  # fmt: skip
def test_a_bounding_box_of_another_shape_gives_no_geotransform(tmp_path, cpl, attrs, group_attrs):
    dataset = open_raster(write(tmp_path, attrs, group_attrs=group_attrs))
    assert dataset.GetGeoTransform(can_return_null=True) is None
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs", [
    {"GeoTransform": "1 2 3"}, {"GeoTransform": 5}, {"spatial:bbox": [1, 2, 3], "spatial:shape": [3, 4]},
    {"spatial:bbox": [2, 0, 1, 1], "spatial:shape": [3, 4]},
])  # fmt: skip
def test_an_invalid_geotransform_gives_one_warning(tmp_path, cpl, attrs):
    dataset = gdal.Open(write(tmp_path, attrs))
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(cpl.warnings) == 1 and list(attrs)[0] in cpl.warnings[0]


def test_coordinates_count_more_than_a_geotransform_of_the_array(tmp_path, cpl):
    dataset = gdal.Open(write(tmp_path, {"GeoTransform": "0 30 0 5200000 0 -30"}, axes()))
    assert_geotransform(dataset, PLACE)
    assert len(cpl.warnings) == 1 and "GeoTransform" in cpl.warnings[0]


@pytest.mark.parametrize("kind", ["rpc", "polynomial", 5])
@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("more", [{}, {"spatial:bbox": BOX, "spatial:shape": [3, 4]}])
def test_a_transform_that_is_not_affine_is_not_applied(tmp_path, cpl, kind, of_group, more):
    attrs = {"spatial:transform": TRANSFORM, "spatial:transform_type": kind, "proj:code": "EPSG:4326", **more}
    name = write(tmp_path, {} if of_group else attrs, group_attrs=attrs if of_group else {})
    dataset = gdal.Open(name)
    for _ in range(2):
        assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(cpl.warnings) == 1 and "spatial:transform_type" in cpl.warnings[0]


def test_coordinates_beside_a_transform_that_is_not_affine(tmp_path, cpl):
    attrs = {"spatial:transform": [1, 0, 0, 0, 1, 0], "spatial:transform_type": "rpc"}
    dataset = gdal.Open(write(tmp_path, attrs, axes()))
    assert_geotransform(dataset, PLACE)
    assert len(cpl.warnings) == 1


@pytest.mark.parametrize("stated", ["transform", "box", "box alone", "rpc"])
def test_levels_of_a_layout(tmp_path, cpl, stated):
    values = np.arange(48, dtype="i2").reshape(6, 8)
    box = [500000.0, 5199820.0, 500240.0, 5200000.0]
    levels = [{"asset": f"r{k}", "spatial:shape": [6 >> k, 8 >> k], "transform": {"scale": [2.0**k] * 2}} for k in (0, 1)]
    group_attrs = {"spatial:bbox": box, "spatial:dimensions": ["y", "x"], "proj:code": "EPSG:32632"}
    if stated == "box alone":
        group_attrs["spatial:shape"] = levels[0]["spatial:shape"]
        group_attrs["spatial:transform"] = [30.0, 0, 500000.0, 0, -30.0, 5200000.0]
        for level in levels:
            del level["spatial:shape"]
    elif stated != "box":
        for k, level in enumerate(levels):
            level["spatial:transform"] = [30.0 * 2**k, 0, 500000.0, 0, -30.0 * 2**k, 5200000.0]
    if stated == "rpc":
        group_attrs["spatial:transform_type"] = "rpc"
    store = make_store(tmp_path, {f"r{k}/data": array(values[:: 2**k, :: 2**k]) for k in (0, 1)},
                       attributes={"multiscales": {"layout": levels}, **group_attrs})  # fmt: skip
    for k in (0, 1):
        dataset = gdal.Open(array_name(store, f"r{k}/data"))
        if stated == "rpc":
            assert dataset.GetGeoTransform(can_return_null=True) is None
        else:
            assert_geotransform(dataset, (500000, 30 * 2**k, 0, 5200000, 0, -30 * 2**k))
    assert len(cpl.warnings) == (2 if stated == "rpc" else 0)


# ---------------------------------------------------------------------------------------------
# Tests: which axes are X and Y


@pytest.mark.parametrize("shape, order, stated", [
    ((20, 20, 3), (0, 1), [20, 20]), ((3, 20, 20), (1, 2), [20, 20]), ((20, 3, 30), (0, 2), [20, 30]),
    ((20, 30, 3), (0, 1), [20, 30]), ((30, 20), (1, 0), [20, 30]), ((20, 30), (0, 1), [20, 30]),
    ((2, 20, 30, 3), (1, 2), [20, 30]),
    # If spatial:shape matches no pair of axes or several pairs, the last two axes are X and Y.
    ((20, 20, 20), (1, 2), [20, 20]), ((4, 20, 30), (1, 2), [40, 60]),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["f4", "u1"])
@pytest.mark.parametrize("of_group", [False, True])
def test_spatial_shape_tells_the_axes(tmp_path, cpl, shape, order, stated, dtype, of_group):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    attrs = {"spatial:shape": stated}
    name = write(tmp_path, {} if of_group else attrs, group_attrs=attrs if of_group else {}, values=values, dims=None)
    dataset = open_raster(name)
    rest = [i for i in range(len(shape)) if i not in order]
    expected = values.transpose(*rest, *order).reshape(-1, *(shape[i] for i in order))
    got = dataset.ReadAsArray().reshape(dataset.RasterCount, dataset.RasterYSize, dataset.RasterXSize)
    np.testing.assert_array_equal(got, expected)
    cpl.assert_quiet()


def test_names_count_before_spatial_shape(tmp_path):
    values = np.arange(400.0).reshape(20, 20)
    name = write(tmp_path, {"spatial:shape": [20, 20]}, values=values, dims=("x", "y"))
    np.testing.assert_array_equal(open_raster(name).ReadAsArray(), values.T)


def test_levels_of_an_image_that_spatial_shape_describes(tmp_path, cpl):
    values = np.arange(64 * 64 * 2, dtype="f4").reshape(64, 64, 2)
    store = make_store(
        tmp_path, {"0": values, "1": values[::2, ::2], "2": values[::4, ::4], "3": values[::32, ::32]},
        attributes={"spatial:shape": [64, 64], "multiscales": {"layout": [{"asset": str(k)} for k in range(4)]}},
    )  # fmt: skip
    dataset = open_raster(store)
    assert (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount) == (64, 64, 2)
    band = dataset.GetRasterBand(2)
    sizes = [band.GetOverview(i).XSize for i in range(band.GetOverviewCount())]
    assert sizes == [32, 16, 2]
    np.testing.assert_array_equal(band.GetOverview(1).ReadAsArray(), values[::4, ::4, 1])


# ---------------------------------------------------------------------------------------------
# Tests of images of geostationary satellites

HEIGHT = 35786023.0
GEOS = {
    "grid_mapping_name": "geostationary", "perspective_point_height": HEIGHT, "sweep_angle_axis": "x",
    "semi_major_axis": 6378137.0, "semi_minor_axis": 6356752.31414, "longitude_of_projection_origin": -75.0,
}  # fmt: skip
ANGLE = 2.8e-4


@pytest.mark.parametrize("in_metres", [False, True])
@pytest.mark.parametrize("how", ["cf", "wkt"])
@pytest.mark.parametrize("units", [None, "said"])
@pytest.mark.parametrize("first", [-0.14, -0.0005])
def test_units_of_a_view_by_their_size(tmp_path, cpl, in_metres, how, units, first):
    x = first + ANGLE * np.arange(8)
    y = 0.0006 - ANGLE * np.arange(6) if first > -0.1 else 0.03 - ANGLE * np.arange(6)
    factor = HEIGHT if in_metres else 1
    its = {"units": "m" if in_metres else "rad"} if units else {}
    wkt = pyproj.CRS.from_proj4(
        f"+proj=geos +h={HEIGHT} +lon_0=-75 +sweep=x +a=6378137 +b=6356752.31414 +units=m").to_wkt()  # fmt: skip
    values = np.arange(48, dtype="i2").reshape(6, 8)
    name = write(tmp_path, {"grid_mapping": "goes"}, {
        **axes(x * factor, y * factor, its, its),
        "goes": scalar(**(GEOS if how == "cf" else {"crs_wkt": wkt})),
    }, values=values)  # fmt: skip
    dataset = open_raster(name)
    step = ANGLE * HEIGHT
    place = ((first - ANGLE / 2) * HEIGHT, step, 0, y[0] * HEIGHT + step / 2, 0, -step)
    got = dataset.GetGeoTransform()
    np.testing.assert_allclose(got, place, rtol=1e-9, atol=1e-6)
    to_lonlat = pyproj.Transformer.from_crs(
        f"+proj=geos +h={HEIGHT} +lon_0=-75 +sweep=x +a=6378137 +b=6356752.31414", "EPSG:4326", always_xy=True)
    lon, lat = to_lonlat.transform(x[5] * HEIGHT, y[2] * HEIGHT)
    transformer = gdal.Transformer(dataset, None, ["DST_SRS=EPSG:4326"])
    ok, point = transformer.TransformPoint(0, 5.5, 2.5)
    where = point[:2] if gdal_is_at_least(3, 0) else point[1::-1]
    np.testing.assert_allclose(sorted(where), sorted((lon, lat)), rtol=0, atol=1e-5)
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of ground control points as rioxarray writes them

POINTS = [(0.0, 0.0, 10.0, 50.0, 100.0), (0.0, 40.0, 10.8, 50.1, 0.0), (30.0, 0.0, 9.9, 49.4, 5.5), (30.0, 40.0, 10.7, 49.5, 0.0)]


def geojson(points=POINTS, **changes):
    features = [
        {"type": "Feature", "properties": {"id": str(i), "info": "", "row": row, "col": col},
         "geometry": {"type": "Point", "coordinates": [x, y, z]}}
        for i, (row, col, x, y, z) in enumerate(points)
    ]  # fmt: skip
    return {"type": "FeatureCollection", "features": features, **changes}


def points_of(dataset):
    return [(p.GCPLine, p.GCPPixel, p.GCPX, p.GCPY, p.GCPZ) for p in dataset.GetGCPs()]


def with_points(folder, gcps, x=None, y=None, **attrs):
    values = np.zeros((30, 40), "f4")
    values[10:14, 20:24] = 100
    arrays = {"spatial_ref": scalar(crs_wkt=pyproj.CRS(4326).to_wkt(), gcps=gcps, **attrs)}
    if x is not None:
        arrays.update(axes(x, y))
        values = values[: len(y), : len(x)]
    return write(folder, {"grid_mapping": "spatial_ref"}, arrays, values=values)


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("has_axes", [False, True])
def test_ground_control_points(tmp_path, cpl, as_text, has_axes):
    gcps = json.dumps(geojson()) if as_text else geojson()
    more = {"x": np.arange(40) + 0.5, "y": np.arange(30) + 0.5,
            "GeoTransform": "0.0 1.0 0.0 0.0 0.0 1.0"} if has_axes else {}  # fmt: skip
    name = with_points(tmp_path, gcps, **more)
    dataset = open_raster(name)
    assert points_of(dataset) == POINTS
    assert dataset.GetGCPSpatialRef().GetAuthorityCode(None) == "4326"
    assert dataset.GetSpatialRef() is None
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert open_array(tmp_path / "store.zarr", "data").GetSpatialRef() is None
    warped = gdal.Warp("", dataset, format="MEM", dstSRS="EPSG:4326", xRes=0.01, yRes=0.01)
    place, pixels = warped.GetGeoTransform(), warped.ReadAsArray()
    rows, columns = np.nonzero(pixels == 100)
    lon = place[0] + (columns.mean() + 0.5) * place[1]
    lat = place[3] + (rows.mean() + 0.5) * place[5]
    # The pixels of value 100 are centred at column 22 and row 12. The longitude and latitude below follow from the
    # control points.
    assert abs(lon - (10 + 22 * 0.02 - 12 / 300)) < 0.03 and abs(lat - (50 + 22 * 0.0025 - 12 * 0.02)) < 0.03
    cpl.assert_quiet()


def test_control_points_of_a_part_of_a_raster(tmp_path, cpl):
    """Stored control points count rows and columns from the corner of a whole raster. The store has a part of this
    raster, and GDAL must return points that count from its corner."""
    name = with_points(tmp_path, geojson(), np.arange(10, 20) + 0.5, np.arange(5, 12) + 0.5)
    assert [p[:2] for p in points_of(open_raster(name))] == [(r - 5, c - 10) for r, c, *_ in POINTS]
    halves = with_points(tmp_path / "b", geojson(), 2 * np.arange(20) + 1.0, 2 * np.arange(15) + 1.0)
    assert [p[:2] for p in points_of(open_raster(halves))] == [(r / 2, c / 2) for r, c, *_ in POINTS]
    cpl.assert_quiet()


def test_coordinates_take_precedence_over_control_points(tmp_path, cpl):
    name = with_points(tmp_path, geojson(), 10 + 0.02 * np.arange(40), 50 - 0.02 * np.arange(30))
    dataset = open_raster(name)
    assert dataset.GetGCPCount() == 0 and epsg(dataset) == 4326
    assert_geotransform(dataset, (9.99, 0.02, 0, 50.01, 0, -0.02))
    cpl.assert_quiet()


@pytest.mark.parametrize("gcps", ["{", [1], {"features": [{"type": "Feature"}]}, {"features": 5}, 7])
def test_broken_points_give_one_warning(tmp_path, cpl, gcps):
    dataset = gdal.Open(with_points(tmp_path, gcps))
    assert dataset.GetGCPCount() == 0
    assert len(cpl.warnings) == 1 and "gcps" in cpl.warnings[0]


def test_points_that_rioxarray_writes(tmp_path, cpl):
    from rasterio.control import GroundControlPoint

    gcps = [GroundControlPoint(row=r, col=c, x=x, y=y, z=z, id=str(i)) for i, (r, c, x, y, z) in enumerate(POINTS)]
    data = xarray.DataArray(np.zeros((30, 40), "f4"), dims=("y", "x"), name="data")
    data = data.rio.write_gcps(gcps, "EPSG:4326")
    data.to_dataset().to_zarr(str(tmp_path / "r.zarr"))
    dataset = open_raster(array_name(tmp_path / "r.zarr", "data"))
    assert points_of(dataset) == POINTS
    assert dataset.GetGCPSpatialRef().GetAuthorityCode(None) == "4326"
    assert dataset.GetSpatialRef() is None
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of a group with a grid mapping that the array does not name

MAPPING = scalar(crs_wkt=UTM.to_wkt(), GeoTransform="500000 30 0 5200000 0 -30")


def beside(folder, arrays, names=True, **options):
    utm = array(VALUES, {"grid_mapping": "spatial_ref"} if names else {})
    return make_store(folder, {"utm": utm, "spatial_ref": MAPPING, **arrays}, **options)


def place_of(name):
    dataset = open_raster(name)
    return dataset.GetGeoTransform(can_return_null=True), epsg(dataset)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("consolidated", [True, False])
def test_degrees_beside_a_projected_grid_mapping(tmp_path, cpl, names, consolidated):
    arrays = {"t": array(VALUES, {}, ("lat", "lon")), **lonlat()}
    store = beside(tmp_path, arrays, names, consolidated=consolidated)
    assert place_of(array_name(store, "t")) == ((10, 0.5, 0, 50, 0, -0.5), 4326)
    assert open_array(store, "/t").GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert place_of(array_name(store, "utm")) == (PLACE, 32632)
    cpl.assert_quiet()


def test_irregular_degrees_beside_a_projected_grid_mapping(tmp_path, cpl):
    arrays = {"t": array(VALUES, {}, ("lat", "lon")), **lonlat()}
    arrays["lon"]["values"] = np.array([1.0, 2.0, 4.0, 7.0])
    store = beside(tmp_path, arrays, names=False)
    assert place_of(array_name(store, "t")) == (None, 4326)


def test_degrees_beside_a_grid_mapping_of_degrees(tmp_path, cpl):
    """A grid mapping that no array names applies to all arrays of its group."""
    mapping = scalar(crs_wkt=pyproj.CRS.from_epsg(4258).to_wkt())
    arrays = {"t": array(VALUES, {}, ("lat", "lon")), **lonlat(), "spatial_ref": mapping}
    assert place_of(array_name(make_store(tmp_path, arrays), "t")) == ((10, 0.5, 0, 50, 0, -0.5), 4258)


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("dims", [("y_l", "x_l"), ("y", "x_l"), ("y_l", "x"), None])
def test_a_grid_mapping_applies_to_arrays_that_name_it(tmp_path, cpl, dims, consolidated):
    store = beside(tmp_path, {"l": array(VALUES[:2], {}, dims)}, consolidated=consolidated)
    assert place_of(array_name(store, "l")) == (None, None)
    assert open_array(store, "/l").GetSpatialRef() is None
    assert place_of(array_name(store, "utm")) == (PLACE, 32632)
    cpl.assert_quiet()


@pytest.mark.parametrize("how", ["shared dimensions", "coordinates", "that of nothing"])
def test_a_grid_mapping_that_also_applies_to_the_array(tmp_path, cpl, how):
    cube = array(np.stack([VALUES, VALUES]), {}, ("time", "y", "x"))
    other = array(VALUES, {"coordinates": "spatial_ref"}, ("v", "u"))
    arrays = {"l": {"shared dimensions": cube, "coordinates": other}.get(how, array(VALUES, {}, ("b", "a")))}
    store = beside(tmp_path, arrays, names=how != "that of nothing")
    assert place_of(array_name(store, "l")) == (PLACE, 32632)
    cpl.assert_quiet()


def test_a_variable_that_xarray_adds_keeps_rioxarrays_crs(tmp_path, cpl):
    data = xarray.DataArray(VALUES.astype("f4"), dims=("y", "x"), coords={"y": Y, "x": X}, name="a")
    read = data.rio.write_crs("EPSG:32632").to_dataset()
    read["b"] = (("y", "x"), VALUES)
    store = tmp_path / "s.zarr"
    read.to_zarr(store)
    for name in "ab":
        assert epsg(open_raster(array_name(store, name))) == 32632
    cpl.assert_quiet()


@pytest.mark.parametrize("same_size", [True, False])
def test_a_raster_without_a_geotransform_is_added_beside_one_that_has_it(tmp_path, cpl, same_size):
    driver = gdal.GetDriverByName("Zarr")
    store = str(tmp_path / "s.zarr")
    placed = gdal.GetDriverByName("MEM").Create("", 4, 3)
    placed.SetGeoTransform(PLACE)
    placed.SetProjection(UTM.to_wkt())
    driver.CreateCopy(store, placed, options=["ARRAY_NAME=v"])
    bare = gdal.GetDriverByName("MEM").Create("", 4 if same_size else 7, 3)
    driver.CreateCopy(store, bare, options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=l"])
    assert place_of(array_name(store, "l")) == (None, None)
    assert place_of(array_name(store, "v")) == (PLACE, 32632)
    cpl.assert_quiet()


@pytest.mark.parametrize("consolidated", [True, False])
def test_a_grid_mapping_on_a_server(tmp_path, cpl, consolidated):
    """Opening an array on a server requests no grid mapping that nothing names. An array whose coordinates are in
    degrees has the CRS EPSG:4326 nevertheless."""
    arrays = {"t": array(VALUES, {}, ("lat", "lon")), **lonlat(), "l": array(VALUES, {}, ("v", "u"))}
    store = beside(tmp_path, arrays, consolidated=consolidated)
    with Served(tmp_path) as server, config_options(GDAL_PAM_ENABLED="NO"):
        url = f"{server.url}/{store.name}"
        assert place_of(array_name(url, "t"))[1] == 4326
        server.log()
        assert place_of(array_name(url, "l"))[1] == (None if consolidated else 32632)
        asked = [path for _, path, *_ in server.log()["requests"]]
        assert not any("/utm" in path for path in asked), asked
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of units of coordinates


@pytest.mark.parametrize("unit, size", [("radian", np.pi / 180), ("arcmin", 60), ("degrees", 1)])
def test_longitudes_without_a_grid_mapping_are_in_their_units(tmp_path, cpl, unit, size):
    longitudes = array((10.25 + 0.5 * np.arange(4)) * size, {"units": unit, "standard_name": "longitude"}, ("lon",))
    latitudes = array((50.0 - 0.25 * np.arange(3)) * size, {"units": unit, "standard_name": "latitude"}, ("lat",))
    name = write(tmp_path, arrays={"lon": longitudes, "lat": latitudes}, dims=("lat", "lon"))
    dataset = open_raster(name)
    assert epsg(dataset) == 4326
    assert_geotransform(dataset, (10, 0.5, 0, 50.125, 0, -0.25))
    srs = open_array(tmp_path / "store.zarr", "data").GetSpatialRef()
    assert srs.IsGeographic() and srs.GetAngularUnits() == pytest.approx(np.pi / 180 / size)
    cpl.assert_quiet()


@pytest.mark.parametrize("x_units, x_size", [("m", 1), ("km", 1000), (None, None)])
@pytest.mark.parametrize("y_units, y_size", [("m", 1), ("km", 1000), (None, None)])
def test_x_and_y_have_units_of_their_own(tmp_path, cpl, x_units, x_size, y_units, y_size):
    x_attrs, y_attrs = ({"units": units} if units else {} for units in (x_units, y_units))
    x, y = X / (x_size or y_size or 1), Y / (y_size or x_size or 1)
    crs = scalar(crs_wkt=UTM.to_wkt())
    name = write(tmp_path, {"grid_mapping": "crs"}, {"crs": crs, **axes(x, y, x_attrs, y_attrs)})
    assert_geotransform(open_raster(name), PLACE)
    srs = open_array(tmp_path / "store.zarr", "data").GetSpatialRef()
    assert (srs is None) == (None not in (x_size, y_size) and x_size != y_size)
    cpl.assert_quiet()


@pytest.mark.parametrize("part", [{"y": [1]}, {"x": [2]}, {"x": [2], "y": [1]}, {"x": [0], "y": [0]}])
@pytest.mark.parametrize("units", ["m", "km"])
def test_a_row_of_a_raster_lies_where_its_coordinate_is(tmp_path, cpl, part, units):
    """A row or column that is cut from a raster keeps the raster's GeoTransform. The driver takes the pixel
    size from GeoTransform, and the origin from the coordinates."""
    crs = scalar(crs_wkt=UTM.to_wkt(), GeoTransform=" ".join(map(str, PLACE)))
    size = {"m": 1, "km": 1000}[units]
    cut = {name: values[part.get(name, slice(None))] for name, values in (("x", X), ("y", Y))}
    attrs = {"units": units}
    arrays = {"crs": crs, **axes(cut["x"] / size, cut["y"] / size, attrs, attrs)}
    values = VALUES[part.get("y", slice(None))][:, part.get("x", slice(None))]
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, arrays, values=values))
    if units == "m":
        place = (cut["x"][0] - 15, 30, 0, cut["y"][0] + 15, 0, -30)
        assert_geotransform(dataset, place)
        if place == PLACE:
            cpl.assert_quiet()
        else:
            assert "disagrees with the coordinate arrays; the coordinate arrays are used" in cpl.warnings[0]


CUTS = {"rows left out": ([0, 1, 2, 3], [0, 2, 3]), "columns left out": ([0, 1, 3], [0, 1, 2, 3]),
        "swapped": ([2, 3, 0, 1], [0, 1, 2, 3])}  # fmt: skip


@pytest.mark.parametrize("attribute", ["GeoTransform", "spatial:transform"])
@pytest.mark.parametrize("cut", CUTS)
def test_the_transform_of_a_whole_raster_contradicts_picked_rows_and_columns(tmp_path, cpl, cut, attribute):
    """A selection of rows or columns leaves irregular coordinates, which contradict the transform of the whole raster.
    The driver warns. It prefers the coordinates to GeoTransform, but spatial:transform to the coordinates."""
    columns, rows = CUTS[cut]
    x, y = X[columns], 5200000.0 - 15.0 - 30.0 * np.array(rows)
    attrs, crs = {"grid_mapping": "crs"}, {"crs_wkt": UTM.to_wkt()}
    if attribute == "GeoTransform":
        crs[attribute] = " ".join(map(str, PLACE))
    else:
        attrs[attribute] = TRANSFORM
    arrays = {"crs": scalar(**crs), **axes(x, y, {"units": "m"}, {"units": "m"})}
    dataset = open_raster(write(tmp_path, attrs, arrays, values=np.ones((len(rows), len(columns)), "i2")))
    if attribute == "GeoTransform":
        assert dataset.GetGeoTransform(can_return_null=True) is None
        assert "disagrees with the coordinate arrays; the coordinate arrays are used" in cpl.warnings[0]
        assert dataset.GetMetadata("GEOLOCATION") != {}
    else:  # spatial:transform overrides coordinates, as its convention demands
        assert_geotransform(dataset, PLACE)
        assert "disagrees with the coordinate arrays; the attribute is used" in cpl.warnings[0]


def test_rounded_coordinates_do_not_contradict_a_transform(tmp_path, cpl):
    """GeoTransform is used without a warning if it agrees with all coordinates to half a pixel."""
    crs = scalar(crs_wkt=UTM.to_wkt(), GeoTransform=" ".join(map(str, PLACE)))
    x, y = X + [3, -4, 0, 5], Y + [5, 0, -5]
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, {"crs": crs, **axes(x, y)}))
    assert_geotransform(dataset, PLACE)
    cpl.assert_quiet()


@pytest.mark.parametrize("angles", [[0.1, 0.2, 0.31], [0.1]])
def test_angles_of_a_satellite_do_not_contradict_a_transform_in_metres(tmp_path, cpl, angles):
    """A GeoTransform in metres is used without a warning, although the coordinates are angles in radians."""
    place = (-5e6, 1e5, 0, 5e6, 0, -1e5)
    crs = scalar(crs_wkt=pyproj.CRS("+proj=geos +h=35786023 +sweep=x").to_wkt(),
                 GeoTransform=" ".join(map(str, place)))  # fmt: skip
    y = array(np.array(angles), {"units": "rad"}, ("y",))
    x = array(np.array([0.1, 0.15, 0.3, 0.31]), {"units": "rad"}, ("x",))
    values = np.ones((len(angles), 4), "i2")
    dataset = open_raster(write(tmp_path, {"grid_mapping": "crs"}, {"crs": crs, "x": x, "y": y}, values=values))
    assert_geotransform(dataset, place)
    cpl.assert_quiet()
