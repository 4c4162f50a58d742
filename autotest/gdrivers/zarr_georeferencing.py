# SPDX-License-Identifier: MIT
"""Checks CRS and geotransform of datasets."""

import numpy as np
import pyproj
from osgeo import gdal


def assert_geotransform(dataset, expected):
    """Asserts that the geotransform of `dataset` equals `expected` to a billionth of a pixel."""
    got = dataset.GetGeoTransform(can_return_null=True)
    assert got is not None
    assert np.allclose(got, expected, rtol=0, atol=1e-9 * abs(expected[1])), (got, expected)


def epsg(dataset):
    """Returns the EPSG code of the dataset's CRS as a number; None if the dataset has no CRS or the CRS has
    no code."""
    srs = dataset.GetSpatialRef()
    if srs is None:
        return None
    if srs.GetAuthorityCode(None) is None:
        srs.AutoIdentifyEPSG()
    return int(srs.GetAuthorityCode(None)) if srs.GetAuthorityCode(None) else None


def assert_lands(dataset, crs, x, y, row, column):
    """Asserts that gdalwarp to EPSG:4326 moves the pixel (row, column) to the position of the point (x, y) of
    `crs`. pyproj computes this position."""
    to_wgs84 = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    lon, lat = to_wgs84.transform(x, y)
    size = 1e-7
    warped = gdal.Warp("", dataset, format="MEM", dstSRS="EPSG:4326", width=1, height=1,
                       outputBounds=[lon - size, lat - size, lon + size, lat + size])
    got = warped.ReadAsArray().reshape(dataset.RasterCount)
    expected = dataset.ReadAsArray(column, row, 1, 1).reshape(dataset.RasterCount)
    assert got.tolist() == expected.tolist(), (got, expected)
