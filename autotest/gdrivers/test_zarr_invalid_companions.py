# SPDX-License-Identifier: MIT
"""Coordinate arrays and grid mappings with invalid metadata documents. The raster opens without their georeferencing,
and one warning names each invalid document."""

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal, osr
from zarr_gdal import array_name
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

INVALID = ['{"a":', "[1]", ""]
Y, X = np.mgrid[0:3, 0:4].astype("f8")


def utm():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    return {"crs_wkt": srs.ExportToWkt(), "grid_mapping_name": "transverse_mercator"}


def array(values, dims, **attrs):
    return {"values": np.asarray(values), "dims": dims, "attrs": attrs}


def make_with_axes(folder):
    """Writes a raster t with coordinates along its axes, and a CRS that the attribute grid_mapping names."""
    return make_store(folder, {
        "t": array(X, ["y", "x"], grid_mapping="crs"),
        "x": array([15.0, 25, 35, 45], ["x"], units="m", standard_name="projection_x_coordinate"),
        "y": array([55.0, 45, 35], ["y"], units="m", standard_name="projection_y_coordinate"),
        "crs": array(np.int32(0), [], **utm()),
    })  # fmt: skip


def make_with_geolocation(folder):
    """Writes a raster t with 2-D longitudes and latitudes, and a CRS that no attribute names."""
    return make_store(folder, {
        "t": array(X, ["r", "c"], coordinates="lon lat"),
        "lon": array(10 + X + Y / 9, ["r", "c"], units="degrees_east", standard_name="longitude"),
        "lat": array(50 - Y, ["r", "c"], units="degrees_north", standard_name="latitude"),
        "crs": array(np.int32(0), [], **utm()),
    })  # fmt: skip


def facts(store):
    """Returns whether the raster t has a geotransform, a CRS and geolocation arrays."""
    dataset = gdal.Open(array_name(store, "t"))
    return (dataset.GetGeoTransform(can_return_null=True) is not None, dataset.GetSpatialRef() is not None,
            bool(dataset.GetMetadata("GEOLOCATION")))  # fmt: skip


def invalidate(store, name, document, text):
    """Replaces a metadata document of the array `name` by `text`: zarr.json in Zarr v3, else `document`. Returns the
    key of the replaced document."""
    found = "zarr.json" if zarr_formats.is_v3() else document
    (store / name / found).write_text(text)
    return f"{name}/{found}"


@pytest.mark.parametrize("text", INVALID)
@pytest.mark.parametrize("make, name, lost", [
    (make_with_axes, "x", 0), (make_with_axes, "y", 0), (make_with_axes, "crs", 1),
    (make_with_geolocation, "lon", 2), (make_with_geolocation, "lat", 2), (make_with_geolocation, "crs", 1),
])  # fmt: skip
def test_one_warning_names_an_invalid_document(tmp_path, make, name, lost, text):
    store = make(tmp_path)
    complete = facts(store)
    assert complete[lost]
    document = ".zattrs" if (make, name) == (make_with_axes, "crs") else ".zarray"
    key = invalidate(store, name, document, text)
    with zarr_gdal.error_log() as log:
        found = facts(store)
    assert [is_there for i, is_there in enumerate(found) if i != lost] == [
        is_there for i, is_there in enumerate(complete) if i != lost]  # fmt: skip
    assert not found[lost]
    (warning,) = log.warnings
    assert f"/t: {key}: " in warning and warning.endswith("ignored") and log.errors == []


def test_a_group_with_the_name_of_a_dimension_is_no_invalid_array(tmp_path, cpl):
    store = make_store(tmp_path, {"t": array(X, ["y", "x"]), "x/a": array([1.0], ["n"])})
    gdal.Open(array_name(store, "t")).GetSpatialRef()
    cpl.assert_quiet()
