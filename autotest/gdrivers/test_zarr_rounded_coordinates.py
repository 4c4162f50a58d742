# SPDX-License-Identifier: MIT
"""Coordinates that were rounded to decimals are regular. The geotransform is the one between their ends."""

import numpy as np
import pytest
import zarr_formats
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import assert_geotransform, epsg
from zarr_mdim import open_array
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
TWELFTH, THIRD_OF_SECOND = 1 / 12, 1 / 10800


def place_of(values):
    step = (float(values[-1]) - float(values[0])) / (len(values) - 1)
    return float(values[0]) - step / 2, step


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("start, step, count, digits", [
    (-180 + TWELFTH / 2, TWELFTH, 480, 3), (-20.0417, -TWELFTH, 8, 3),
    (10.00005, THIRD_OF_SECOND, 360, 6), (10.00005, -THIRD_OF_SECOND, 360, 5), (10.00005, THIRD_OF_SECOND, 360, 4),
])  # fmt: skip
def test_geotransform(tmp_path, cpl, start, step, count, digits, dtype):
    lon = np.round(start + step * np.arange(count), digits).astype(dtype)
    lat = np.round(50 - abs(step) * np.arange(20), digits).astype(dtype)
    assert np.ptp(np.diff(lon.astype("f8"))) > 1e-3 * abs(step)
    name = array_name(make_store(tmp_path, {
        "data": {"values": np.zeros((20, count), "u1"), "dims": ("lat", "lon")},
        "lon": {"values": lon, "dims": ("lon",), "attrs": {"units": "degrees_east"}},
        "lat": {"values": lat, "dims": ("lat",), "attrs": {"units": "degrees_north"}},
    }), "data")  # fmt: skip
    array = open_array(tmp_path / "store.zarr", "data")
    (west, width), (north, height) = place_of(lon), place_of(lat)
    for dataset in (open_raster(name), array.AsClassicDataset(1, 0)):
        assert_geotransform(dataset, (west, width, 0, north, 0, height))
        assert epsg(dataset) == 4326
        assert dataset.GetMetadata("GEOLOCATION") == {}
    cpl.assert_quiet()
