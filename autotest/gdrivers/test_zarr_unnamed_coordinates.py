# SPDX-License-Identifier: MIT
"""Coordinates that are not those of a dimension's name: lat(y) and lon(x) that `coordinates` names, and longitudes and
latitudes of each pixel that no attribute names."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_georeferencing import epsg
from zarr_http import Served
from zarr_mdim import open_array, open_group
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = np.mgrid[0:5, 0:8]
LON = 5 + 0.5 * COLUMNS + 0.1 * ROWS
LAT = 50 - 0.25 * ROWS + 0.05 * COLUMNS
VALUES = (ROWS * 10 + COLUMNS).astype("i2")
LON_ATTRS = {"standard_name": "longitude", "units": "degrees_east"}
LAT_ATTRS = {"standard_name": "latitude", "units": "degrees_north"}
UTM = {"epsg_code": "EPSG:32632"}


def array(values, dims, **attrs):
    return {"values": values, "dims": dims, "attrs": attrs}


# ---------------------------------------------------------------------------------------------
# Auxiliary coordinates of one dimension


def auxiliary(folder, lon=LON[0], lat=LAT[:, 0], data=VALUES, dims=("y", "x"), attrs=(LON_ATTRS, LAT_ATTRS), **more):
    return make_store(folder, {
        "data": array(data, dims, coordinates="lat lon", **more),
        "lon": array(lon, ("x",), **attrs[0]), "lat": array(lat, ("y",), **attrs[1]),
    }, consolidated=True)  # fmt: skip


def test_regular_coordinates_give_a_geotransform(tmp_path):
    store = auxiliary(tmp_path)
    dataset = open_raster(store)
    assert dataset.GetGeoTransform() == pytest.approx((4.75, 0.5, 0, 50.125, 0, -0.25))
    assert epsg(dataset) == 4326
    assert not dataset.GetMetadata("GEOLOCATION")
    data = open_array(store, "data")
    assert data.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert [variable.GetName() for variable in data.GetCoordinateVariables()] == ["lat", "lon"]
    assert data.AsClassicDataset(1, 0).GetGeoTransform() == dataset.GetGeoTransform()


def test_irregular_coordinates_give_a_geolocation(tmp_path):
    store = auxiliary(tmp_path, lat=np.array([50, 49.5, 49.2, 48, 47.0]))
    dataset = open_raster(store)
    assert dataset.GetGeoTransform(can_return_null=True) is None
    items = dataset.GetMetadata("GEOLOCATION")
    assert (items["X_DATASET"], items["Y_DATASET"]) == (array_name(store, "lon"), array_name(store, "lat"))
    warped = gdal.Warp("", dataset, format="MEM", geoloc=True, dstSRS="EPSG:4326", xRes=0.5, yRes=0.5)
    assert warped is not None and warped.ReadAsArray().max() == VALUES.max()


def test_coordinates_of_a_projection(tmp_path):
    attrs = [{"units": "m", "standard_name": f"projection_{axis}_coordinate"} for axis in "xy"]
    dims = ("row", "col")
    store = make_store(tmp_path, {
        "data": array(VALUES, dims, coordinates="easting northing", **UTM),
        "easting": array(500005.0 + 10 * np.arange(8), ("col",), **attrs[0]),
        "northing": array(5999995.0 - 10 * np.arange(5), ("row",), **attrs[1]),
    })  # fmt: skip
    dataset = open_raster(array_name(store, "data"))
    assert dataset.GetGeoTransform() == pytest.approx((500000, 10, 0, 6000000, 0, -10))
    assert epsg(dataset) == 32632


def test_coordinates_without_attributes_have_no_crs(tmp_path):
    dataset = open_raster(auxiliary(tmp_path, attrs=({}, {})))
    assert dataset.GetGeoTransform() == pytest.approx((4.75, 0.5, 0, 50.125, 0, -0.25))
    assert dataset.GetSpatialRef() is None


def test_coordinates_of_the_dimension_come_first(tmp_path):
    store = make_store(tmp_path, {
        "data": array(VALUES, ("y", "x"), coordinates="lat lon", **UTM),
        "x": array(500005.0 + 10 * np.arange(8), ("x",)), "y": array(5999995.0 - 10 * np.arange(5), ("y",)),
        "lon": array(LON[0], ("x",), **LON_ATTRS), "lat": array(LAT[:, 0], ("y",), **LAT_ATTRS),
    })  # fmt: skip
    dataset = open_raster(array_name(store, "data"))
    assert dataset.GetGeoTransform() == pytest.approx((500000, 10, 0, 6000000, 0, -10))
    assert epsg(dataset) == 32632


@pytest.mark.parametrize("lat", [LAT[:4, 0], LAT, np.array(list("abcde"), "S1")], ids=["length", "2-D", "text"])
def test_coordinates_that_do_not_fit_are_ignored(tmp_path, lat):
    dims = ("y", "x")[: np.ndim(lat)]
    store = make_store(tmp_path, {
        "data": array(VALUES, ("y", "x"), coordinates="lat lon missing"),
        "lon": array(LON[0], ("x",), **LON_ATTRS), "lat": array(lat, dims, **LAT_ATTRS),
    })  # fmt: skip
    with error_log() as log:
        dataset = gdal.Open(array_name(store, "data"))
        assert dataset.GetGeoTransform(can_return_null=True) is None
    assert not log.errors
    assert np.array_equal(dataset.ReadAsArray(), VALUES)


# ---------------------------------------------------------------------------------------------
# Longitudes and latitudes of each pixel that no attribute names

NAMES = [("lon", "lat"), ("longitude", "latitude")]


def swath(folder, names=NAMES[0], dims=("y", "x"), data=VALUES, data_dims=None, attrs=(LON_ATTRS, LAT_ATTRS), **more):
    options = {"consolidated": more.pop("consolidated", False)}
    return make_store(folder, {
        "data": array(data, data_dims or dims, **more),
        names[0]: array(LON, dims, **attrs[0]), names[1]: array(LAT, dims, **attrs[1]),
    }, **options)  # fmt: skip


@pytest.mark.parametrize("attrs", [(LON_ATTRS, LAT_ATTRS), ({}, {})], ids=["said", "names"])
@pytest.mark.parametrize("names", NAMES, ids=["short", "long"])
def test_a_raster_with_longitudes_and_latitudes_beside_it(tmp_path, names, attrs):
    store = swath(tmp_path, names, attrs=attrs)
    dataset = open_raster(store)
    assert dataset.RasterCount == 1 and not dataset.GetSubDatasets()
    items = dataset.GetMetadata("GEOLOCATION")
    assert items == open_raster(array_name(store, "data")).GetMetadata("GEOLOCATION")
    assert (items["X_DATASET"], items["Y_DATASET"]) == tuple(array_name(store, name) for name in names)
    assert np.array_equal(open_raster(items["X_DATASET"]).ReadAsArray(), LON)
    data = open_array(store, "data")
    assert [variable.GetName() for variable in data.GetCoordinateVariables()] == [names[1], names[0]]
    assert set(open_group(store).GetMDArrayNames()) == {"data", *names}


@pytest.mark.parametrize("case", ["cube", "unnamed", "two", "x-first"])
def test_rasters_with_other_dimensions(tmp_path, case):
    cube = np.stack([VALUES, VALUES + 1])
    options = {
        "cube": {"data": cube, "data_dims": ("time", "y", "x")}, "unnamed": {"dims": (None, None)},
        "two": {}, "x-first": {"data": np.moveaxis(cube, 0, -1), "data_dims": ("y", "x", "time")},
    }[case]  # fmt: skip
    if case == "unnamed":
        store = make_store(tmp_path, {"data": VALUES, "lon": LON, "lat": LAT})
    else:
        store = swath(tmp_path, **options)
    if case == "two":
        make_store(tmp_path, {
            "data": array(VALUES, ("y", "x")), "more": array(VALUES, ("y", "x")),
            "lon": array(LON, ("y", "x"), **LON_ATTRS), "lat": array(LAT, ("y", "x"), **LAT_ATTRS),
        })  # fmt: skip
    dataset = open_raster(store)
    assert dataset.RasterCount == {"cube": 2, "unnamed": 1, "two": 2, "x-first": 2}[case]
    assert dataset.GetMetadata("GEOLOCATION")["X_DATASET"] == array_name(store, "lon")


KEPT = {
    "alone": {}, "other size": {"data": array(VALUES[:4], ("b", "a"))},
    "with a CRS": {"data": array(VALUES, ("y", "x"), **{"proj:code": "EPSG:32632"})},
    "with a transform": {"data": array(VALUES, ("y", "x"), transform=[10.0, 0, 5, 0, -10, 60])},
    "with coordinates": {
        "data": array(VALUES, ("y", "x")), "x": array(np.arange(8.0), ("x",)), "y": array(np.arange(5.0), ("y",)),
    },
}  # fmt: skip


@pytest.mark.parametrize("arrays", KEPT.values(), ids=KEPT)
def test_longitudes_that_locate_no_raster_are_rasters(tmp_path, arrays):
    store = make_store(tmp_path, {
        **arrays, "lon": array(LON, ("y", "x"), **LON_ATTRS), "lat": array(LAT, ("y", "x"), **LAT_ATTRS),
    })  # fmt: skip
    dataset = open_raster(store)
    if "data" in arrays:
        assert not open_raster(array_name(store, "data")).GetMetadata("GEOLOCATION")
    assert dataset.RasterCount + len(dataset.GetSubDatasets()) >= 2


def test_metres_called_lon_are_a_raster(tmp_path):
    store = swath(tmp_path, attrs=({"units": "m"}, LAT_ATTRS))
    assert open_raster(store).RasterCount == 3


@pytest.mark.parametrize("consolidated", [False, True])
def test_on_a_server(tmp_path, consolidated):
    store = swath(tmp_path, consolidated=consolidated)
    wanted = open_raster(store).GetMetadata("GEOLOCATION")
    with Served(tmp_path) as served:
        url = f"/vsicurl/{served.url}/{store.name}"
        found = open_raster(array_name(url, "data")).GetMetadata("GEOLOCATION")
    assert {name: text.replace(url, str(store)) for name, text in found.items()} == wanted
