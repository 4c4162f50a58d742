# SPDX-License-Identifier: MIT
"""Longitudes that jump by 360 degrees between columns are regular, and WRAP_LONGITUDE=YES shifts all kinds of longitudes
to -180..180."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import assert_geotransform, epsg
from zarr_mdim import open_array
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
DEGREES = {"units": "degrees_east"}


def write(folder, lon, attrs=None, name="lon", chunks=None, **data_attrs):
    """Writes a raster of two rows whose pixels are the longitudes from 0 to 360, times 1000, minus the row."""
    lon = np.asarray(lon)
    lat = np.array([2.0, 1.0]) * abs((lon[1] - lon[0] + 180) % 360 - 180)
    values = np.rint(lon.astype("f8") % 360 * 1000)[None] - np.arange(2.0)[:, None]
    more = {"chunks": chunks} if chunks else {}
    return array_name(make_store(folder, {
        "data": {"values": values.astype("i4"), "dims": ("lat", name), "attrs": data_attrs, **more},
        name: {"values": lon, "dims": (name,), "attrs": DEGREES if attrs is None else attrs},
        "lat": {"values": lat, "dims": ("lat",), "attrs": {"units": "degrees_north"}},
    }), "data")  # fmt: skip


# From GDAL 3.10 on, gdalwarp crashes or moves a raster of a few columns whose pixels have a negative width, also one of
# the driver MEM.
GDALWARP_IS_WRONG = int(gdal.VersionInfo()) >= 3100000


def assert_lands(dataset, first, step, tolerance=1e-9):
    """Asserts that the geotransform has the centre of the first column at `first`, and that all pixels are where the
    geotransform says. gdalwarp to EPSG:4326 moves them there, modulo 360."""
    height = -dataset.GetGeoTransform(can_return_null=True)[5]
    assert_geotransform(dataset, (first - step / 2, step, 0, 2.5 * height, 0, -height))
    values, columns = dataset.ReadAsArray(), dataset.RasterXSize
    np.testing.assert_allclose((values[0] / 1000 - first - step * np.arange(columns) + 180) % 360, 180, atol=tolerance)
    for x, width in ((0, 1), (1, columns - 1), (columns // 2, columns // 2), (columns - 2, 2)):
        assert np.array_equal(dataset.ReadAsArray(x, 0, width, 2), values[:, x:x + width])
    if step < 0 and GDALWARP_IS_WRONG:
        return
    size = {"format": "MEM", "dstSRS": "EPSG:4326", "xRes": abs(step), "yRes": height}
    whole = gdal.Warp("", dataset, **size)
    assert np.array_equal(whole.ReadAsArray()[:, :: 1 if step > 0 else -1], values)
    west, south = first - abs(step) / 2, 0.5 * height
    one = gdal.Warp("", dataset, outputBounds=(west, south, west + abs(step), 5 * south), **size)
    assert np.array_equal(one.ReadAsArray().reshape(2), values[:, 0])


JUMPS = {
    "180": ([178, 179, -180, -179], 178, 1), "360": ([358, 359, 0, 1], -2, 1), "0": ([0, 359, 358], 0, -1),
    "descending at 180": ([-179, -180, 179, 178], 181, -1), "descending at 360": ([1, 0, 359, 358], 1, -1),
    "two columns": ([179.5, -179.5], 179.5, 1), "two columns at 360": ([359.75, 0.25], -0.25, 0.5),
    "much": (np.r_[np.arange(100, 180, 0.25), np.arange(-180, -100, 0.25)], 100, 0.25),
    "all": (np.r_[np.arange(0, 180, 10), np.arange(-180, 0, 10)], 0, 10),
    "rounded": (np.round((np.arange(60) / 12 + 177.5 + 1 / 24 + 180) % 360 - 180, 3), 177.542, 4.916 / 59),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("case", JUMPS)
def test_jumps(tmp_path, cpl, case, dtype):
    lon, first, step = JUMPS[case]
    lon = np.asarray(lon, dtype)
    name = write(tmp_path, lon)
    if case == "rounded" and dtype == "f4":
        return assert_geotransform_is_near(open_raster(name), first, step)
    dataset = open_raster(name)
    assert epsg(dataset) == 4326 and dataset.GetMetadata("GEOLOCATION") == {}
    assert_lands(dataset, first, step, 1e-3)
    assert_lands(open_array(tmp_path / "store.zarr", "data").AsClassicDataset(1, 0), first, step, 1e-3)
    cpl.assert_quiet()


def assert_geotransform_is_near(dataset, first, step):
    got = dataset.GetGeoTransform(can_return_null=True)
    assert np.allclose(got[:2], (first - step / 2, step), atol=1e-4)


@pytest.mark.parametrize("attrs, name", [
    ({"standard_name": "longitude"}, "lon"), ({}, "lon"), ({}, "x"), ({"units": "degrees"}, "x"), ({"axis": "X"}, "x"),
])  # fmt: skip
def test_longitudes_by_other_statements(tmp_path, cpl, attrs, name):
    dataset = open_raster(write(tmp_path, [178, 179, -180, -179], attrs, name, crs="EPSG:4326"))
    assert_lands(dataset, 178, 1)
    cpl.assert_quiet()


@pytest.mark.parametrize("lon, attrs", [
    ([178, 179, -180, -178], DEGREES), ([178, 179, -179, -178], DEGREES), ([178, 179, -181, -180.5], DEGREES),
    ([10, 20, 300, 310], DEGREES), ([178, 179, -180, -179], {"units": "m"}), ([0, 200, 100, 300], DEGREES),
])  # fmt: skip
def test_irregular_longitudes(tmp_path, cpl, lon, attrs):
    assert open_raster(write(tmp_path, lon, attrs)).GetGeoTransform(can_return_null=True) is None
    cpl.assert_quiet()


SORTED = {
    "180": ([-180, -179, 178, 179], 178, 1), "360": ([0, 1, 358, 359], -2, 1),
    "descending": ([179, 178, -179, -180], 181, -1), "unequal": ([0, 1, 2, 359], -1, 1),
}  # fmt: skip


@pytest.mark.parametrize("case", SORTED)
def test_sorted_columns(tmp_path, cpl, case):
    """xarray's sortby("lon") moves columns apart. WRAP_LONGITUDE=YES joins them."""
    lon, first, step = SORTED[case]
    name = write(tmp_path, lon, chunks=(1, 3))
    dataset = gdal.Open(name)
    for _ in range(2):
        assert dataset.GetGeoTransform(can_return_null=True) is None
    assert np.array_equal(dataset.ReadAsArray()[0], np.array(lon) % 360 * 1000)
    assert len(cpl.warnings) == 1 and "open option WRAP_LONGITUDE=YES moves columns" in cpl.warnings[0]
    assert_lands(open_raster(name, "WRAP_LONGITUDE=YES"), first, step)
    assert len(cpl.warnings) == 1


WRAPPED = {
    "0..360": (np.arange(0, 360, 10), -180, 10), "half": (np.arange(0.5, 360), -179.5, 1),
    "descending": (np.arange(359.5, 0, -1), 179.5, -1), "descending whole": (np.arange(359, -1, -1), 179, -1),
    "180..539": (np.arange(180, 540), -180, 1), "190..549": (np.arange(190, 550), -180, 1),
    "descending 539..180": (np.arange(539, 179, -1), 179, -1),
    "cyclic": (np.arange(0, 361), -180, 1), "cyclic half": (np.arange(0.5, 361), -179.5, 1),
    "cyclic descending": (np.arange(360, -1, -1), 180, -1), "cyclic from 180": (np.arange(180, 541), -180, 1),
    "two columns more": (np.arange(-10, 370, 10), -180, 10),
    "-360..0": (np.arange(-360, 0, 10), -180, 10), "part": (np.arange(200, 250, 10), -160, 10),
    "part far": (np.arange(560, 600, 10), -160, 10), "jump": ([358, 359, 0, 1], -2, 1),
    "within": (np.arange(-180, 180, 10), -180, 10), "within and 180": (np.arange(-170, 181, 10), -170, 10),
}  # fmt: skip


@pytest.mark.parametrize("case", WRAPPED)
def test_wrapped(tmp_path, cpl, case):
    lon, first, step = WRAPPED[case]
    dataset = open_raster(write(tmp_path, np.asarray(lon, "f8"), chunks=(2, 7)), "WRAP_LONGITUDE=YES")
    assert_lands(dataset, first, step)
    cpl.assert_quiet()


@pytest.mark.parametrize("lon", [np.arange(170, 190), np.arange(185, 165, -1), [178, 179, -180, -179]])
def test_parts_across_180_are_not_wrapped(tmp_path, cpl, lon):
    name = write(tmp_path, np.asarray(lon, "f8"))
    plain, wrapped = gdal.Open(name), gdal.OpenEx(name, open_options=["WRAP_LONGITUDE=YES"])
    assert wrapped.GetGeoTransform() == plain.GetGeoTransform()
    assert len(cpl.warnings) == 1 and "does not span the globe" in cpl.warnings[0]
