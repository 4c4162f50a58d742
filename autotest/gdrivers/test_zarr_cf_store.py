# SPDX-License-Identifier: MIT
"""The driver finds the CRS in CF grid mappings without WKT, and scales the coordinates."""

import math

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from test_zarr_cf_grid_mapping import CASES, GOES, attributes_of
from zarr_cf import Ours, is_same_crs, unproject
from zarr_gdal import array_name, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
DATA = np.arange(20, dtype="i2").reshape(4, 5)


def store(folder, attributes, x, y, x_attrs, y_attrs):
    """Makes a store with the array `data` and its coordinates x and y. Returns the connection string of the array."""
    return array_name(
        make_store(folder, {
            "data": {"values": DATA, "dims": ["y", "x"], "attrs": {"grid_mapping": "crs"}},
            "crs": {"values": np.array(0, "i4"), "attrs": attributes, "dims": []},
            "x": {"values": x, "dims": ["x"], "attrs": x_attrs},
            "y": {"values": y, "dims": ["y"], "attrs": y_attrs},
        }),
        "data",
    )  # fmt: skip


def projected(folder, attributes, units, step, kind=""):
    """Makes a store whose raster has pixels of size `step`, and its upper left corner at (0, 0)."""
    x, y = (np.arange(5) + 0.5) * step, (np.arange(4) + 0.5) * -step
    names = [{"standard_name": f"projection_{a}_{kind}coordinate", "units": units} for a in "xy"]
    return store(folder, attributes, x, y, *names)


@pytest.mark.parametrize("units, metres", [("m", 1), ("km", 1000)])
@pytest.mark.parametrize("name", CASES)
def test_every_projection(tmp_path, cpl, name, units, metres):
    dataset = open_raster(projected(tmp_path, attributes_of(name), units, 2.0))
    srs = dataset.GetSpatialRef()
    assert srs is not None and is_same_crs(srs, Ours(attributes_of(name), units).srs)
    assert srs.GetLinearUnits() == metres
    assert srs.GetDataAxisToSRSAxisMapping() == [1, 2]
    assert dataset.GetGeoTransform() == pytest.approx((0, 2, 0, 0, 0, -2), abs=2e-9)
    zarr_gdal.assert_same(dataset.ReadAsArray(), DATA)
    cpl.assert_quiet()


@pytest.mark.parametrize("units, radians", [("rad", 1.0), ("microradian", 1e-6)])
@pytest.mark.parametrize("sweep", ["x", "y"])
def test_scanning_angles(tmp_path, cpl, sweep, units, radians):
    """Scanning angles are converted to metres. The raster begins at the point below the satellite, so the origin of
    its geotransform is (0, 0)."""
    attributes = {**GOES, "sweep_angle_axis": sweep}
    dataset = open_raster(projected(tmp_path, attributes, units, 0.01 / radians, "angular_"))
    metres = 0.01 * GOES["perspective_point_height"]
    assert dataset.GetGeoTransform() == pytest.approx((0, metres, 0, 0, 0, -metres), rel=1e-9, abs=1e-3)
    srs = dataset.GetSpatialRef()
    assert srs.GetLinearUnits() == 1
    (corner,) = unproject(srs, [(0.0, 0.0)])
    assert corner == pytest.approx([-75, 0], abs=1e-9)
    # The raster extends to the south-east from the point below the satellite.
    (first,) = unproject(srs, [(metres / 2, -metres / 2)])
    assert -75 < first[0] < -73 and -2 < first[1] < 0
    cpl.assert_quiet()


def test_rotated_pole(tmp_path, cpl):
    attributes = {
        "grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25,
        "grid_north_pole_longitude": -162.0, "earth_radius": 6371229.0,
    }  # fmt: skip
    name = store(
        tmp_path, attributes, -10 + 0.5 * np.arange(5), 5 - 0.5 * np.arange(4),
        {"standard_name": "grid_longitude", "units": "degrees"},
        {"standard_name": "grid_latitude", "units": "degrees"},
    )  # fmt: skip
    dataset = open_raster(name)
    srs = dataset.GetSpatialRef()
    assert is_same_crs(srs, Ours(attributes, "degrees").srs)
    assert dataset.GetGeoTransform() == pytest.approx((-10.25, 0.5, 0, 5.25, 0, -0.5))
    # gdalwarp to EPSG:4326 must move the first pixel to the longitude and latitude of its centre.
    (centre,) = unproject(srs, [(-10.0, 5.0)])
    warped = gdal.Warp(
        "", dataset, format="MEM", dstSRS="EPSG:4326", resampleAlg="near",
        outputBounds=[centre[0] - 0.05, centre[1] - 0.05, centre[0] + 0.05, centre[1] + 0.05],
        width=1, height=1, dstNodata=-1,
    )  # fmt: skip
    assert warped.ReadAsArray()[0, 0] == DATA[0, 0]
    cpl.assert_quiet()


@pytest.mark.parametrize("units, degrees", [("degrees", 1.0), ("radian", 180 / math.pi)])
def test_longitude_and_latitude(tmp_path, cpl, units, degrees):
    attributes = {
        "grid_mapping_name": "latitude_longitude", "semi_major_axis": 6378388.0,
        "inverse_flattening": 297.0,
    }  # fmt: skip
    x, y = (10 + 0.5 * np.arange(5)) / degrees, (50 - 0.5 * np.arange(4)) / degrees
    name = store(
        tmp_path, attributes, x, y, {"standard_name": "longitude", "units": units},
        {"standard_name": "latitude", "units": units},
    )  # fmt: skip
    dataset = open_raster(name)
    assert dataset.GetGeoTransform() == pytest.approx((9.75, 0.5, 0, 50.25, 0, -0.5), abs=1e-9)
    srs = dataset.GetSpatialRef()
    assert srs.GetInvFlattening() == pytest.approx(297) and srs.IsGeographic()
    assert srs.GetDataAxisToSRSAxisMapping() == [2, 1]
    cpl.assert_quiet()


@pytest.mark.parametrize("attributes, what", [
    ({"grid_mapping_name": "healpix"}, "healpix"),
    ({"grid_mapping_name": "mercator"}, "longitude_of_projection_origin"),
    ({"grid_mapping_name": 3}, "grid_mapping_name"),
    ({"grid_mapping_name": "lambert_conformal_conic", "longitude_of_central_meridian": 0.0,
      "latitude_of_projection_origin": 0.0, "standard_parallel": [30.0, -30.0]}, "lambert"),
])  # fmt: skip
def test_broken_grid_mapping(tmp_path, cpl, attributes, what):
    """With an invalid grid mapping, the raster has no CRS, and one warning names the fault."""
    dataset = open_raster(projected(tmp_path, attributes, "m", 2.0))
    assert dataset.GetSpatialRef() is None
    assert dataset.GetGeoTransform() == pytest.approx((0, 2, 0, 0, 0, -2))
    zarr_gdal.assert_same(dataset.ReadAsArray(), DATA)
    assert cpl.errors == []
    (warning,) = cpl.warnings
    assert what in warning
