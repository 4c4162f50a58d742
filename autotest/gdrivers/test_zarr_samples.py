# SPDX-License-Identifier: MIT
"""Reads the sample stores of data/ with GDAL's programs, GDAL's Python bindings and rasterio. All must return the
values that zarr-python reads."""

import json
import pathlib
import subprocess

import numpy as np
import pytest
import rasterio
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal, gdal_array
from zarr_gdal import array_name, open_raster, read_all

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
STORES = sorted(DATA.glob("*.zarr"))
TERRAIN, TEMPERATURE, RGB, PRODUCT = (
    DATA / f"{name}.zarr" for name in ("terrain", "temperature", "satellite_rgb", "product")
)


def _rasters():
    """Returns (store, path, values) for each numeric array that has at least two dimensions."""
    return [
        (store, path, node) for store in STORES
        for path, node in sorted(zarr.open_group(str(store), mode="r").members(max_depth=None), key=lambda m: m[0])
        if isinstance(node, zarr.Array) and node.ndim >= 2 and node.dtype.kind in "biufc"
    ]  # fmt: skip


RASTERS = _rasters()
IDS = [f"{store.stem}/{path}" for store, path, _ in RASTERS]
each_raster = pytest.mark.parametrize("store, path, array", RASTERS, ids=IDS)


def run(*command):
    """Runs a program. Asserts that it succeeds and prints nothing to standard error. Returns its standard
    output."""
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr.decode()}"
    assert done.stderr == b"", f"{command}: {done.stderr.decode()}"
    return done.stdout.decode()


def test_the_samples_exist():
    assert {TERRAIN, TEMPERATURE, RGB, PRODUCT} <= set(STORES)
    assert len(RASTERS) >= 8


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.stem)
def test_stores_open_without_warnings(store, cpl):
    dataset = gdal.Open(str(store))
    assert dataset is not None and (dataset.RasterCount or dataset.GetSubDatasets())
    for name, _ in dataset.GetSubDatasets():
        assert gdal.Open(name) is not None
    cpl.assert_quiet()


@each_raster
def test_read_as_array(store, path, array):
    got = read_all(open_raster(array_name(store, path)))
    zarr_gdal.assert_same(got, zarr_gdal.as_raster(array[...]))


@each_raster
def test_gdalinfo(store, path, array):
    info = json.loads(run("gdalinfo", "-json", "-checksum", array_name(store, path)))
    assert info["driverShortName"] == "Zarr"
    assert info["size"] == [array.shape[-1], array.shape[-2]]
    raster = zarr_gdal.as_raster(array[...])
    assert len(info["bands"]) == raster.shape[0]
    for band, values in zip(info["bands"], raster):
        assert band["block"] == [array.chunks[-1], array.chunks[-2]]
        memory = gdal_array.OpenArray(np.ascontiguousarray(values))
        assert band["checksum"] == memory.GetRasterBand(1).Checksum()


@each_raster
def test_gdal_translate(store, path, array, tmp_path):
    target = tmp_path / "out.tif"
    run("gdal_translate", "-q", array_name(store, path), target)
    zarr_gdal.assert_same(read_all(gdal.Open(str(target))), zarr_gdal.as_raster(array[...]))


@each_raster
def test_rasterio(store, path, array):
    with rasterio.open(array_name(store, path)) as dataset:
        assert dataset.driver == "Zarr"
        zarr_gdal.assert_same(dataset.read(), zarr_gdal.as_raster(array[...]))
        window = rasterio.windows.Window(1, 2, array.shape[-1] - 3, array.shape[-2] - 4)
        wanted = zarr_gdal.as_raster(array[...])[:, 2:-2, 1:-2]
        zarr_gdal.assert_same(dataset.read(window=window), wanted)


@pytest.mark.slow
def test_gdalwarp(tmp_path):
    """Warping a raster to its own grid changes no pixel. Warping with resampling returns the same pixels from a
    store and from a GeoTIFF."""
    elevation = zarr.open(str(TERRAIN / "elevation"), mode="r")[...]
    pixels = ["-q", "-to", "SRC_METHOD=NO_GEOTRANSFORM", "-to", "DST_METHOD=NO_GEOTRANSFORM"]
    warp = ["gdalwarp", *pixels]
    run(*warp, array_name(TERRAIN, "elevation"), tmp_path / "same.tif")
    zarr_gdal.assert_same(gdal.Open(str(tmp_path / "same.tif")).ReadAsArray(), elevation)
    tiff = tmp_path / "terrain.tif"
    run("gdal_translate", "-q", TERRAIN, tiff)
    for method in ("bilinear", "cubic", "average"):
        smaller = warp + ["-r", method, "-ts", "300", "200", "-te", "10", "10", "700", "500"]
        a, b = tmp_path / f"{method}_a.tif", tmp_path / f"{method}_b.tif"
        run(*smaller, TERRAIN, a)
        run(*smaller, tiff, b)
        got = gdal.Open(str(a)).ReadAsArray()
        zarr_gdal.assert_same(got, gdal.Open(str(b)).ReadAsArray(), method)
        assert np.unique(got).size > 100


@pytest.mark.parametrize("mode", ["hillshade", "slope", "TRI"])
def test_gdaldem(mode, tmp_path):
    tiff = tmp_path / "terrain.tif"
    run("gdal_translate", "-q", TERRAIN, tiff)
    run("gdaldem", mode, "-q", TERRAIN, tmp_path / "a.tif")
    run("gdaldem", mode, "-q", tiff, tmp_path / "b.tif")
    a, b = (gdal.Open(str(tmp_path / name)).ReadAsArray() for name in ("a.tif", "b.tif"))
    zarr_gdal.assert_same(a, b)
    assert np.unique(a).size > 50


def test_terrain():
    dataset = open_raster(TERRAIN)
    assert dataset.RasterCount == 1
    array = zarr.open(str(TERRAIN / "elevation"), mode="r")
    zarr_gdal.assert_same(dataset.ReadAsArray(), array[...])
    fill = array.attrs.get("_FillValue", array.fill_value)
    assert dataset.GetRasterBand(1).GetNoDataValue() == fill


def test_temperature():
    dataset = open_raster(TEMPERATURE)
    array = zarr.open(str(TEMPERATURE / "air_temperature"), mode="r")
    assert dataset.RasterCount == array.shape[0]
    band = dataset.GetRasterBand(3)
    assert band.GetScale() == array.attrs["scale_factor"]
    assert band.GetOffset() == array.attrs["add_offset"]
    assert band.GetUnitType() == array.attrs["units"]
    assert band.GetMetadataItem("DIM_time_INDEX") == "2"
    zarr_gdal.assert_same(band.ReadAsArray(), array[2])


def test_rgb_to_png(tmp_path):
    run("gdal_translate", "-q", "-of", "PNG", RGB, tmp_path / "rgb.png")
    values = zarr.open(str(RGB / "rgb"), mode="r")[...]
    zarr_gdal.assert_same(gdal.Open(str(tmp_path / "rgb.png")).ReadAsArray(), values)


def test_product_hierarchy():
    dataset = open_raster(PRODUCT)
    names = [name for name, _ in dataset.GetSubDatasets()]
    groups = ["conditions/geometry", "measurements/r10m", "measurements/r20m"]
    assert set(array_name(PRODUCT, path) for path in groups) <= set(names)
    arrays = {array_name(store, path) for store, path, _ in RASTERS if store == PRODUCT}
    assert arrays <= set(names)
    first_array = min(names.index(name) for name in arrays)
    assert all(names.index(array_name(PRODUCT, path)) < first_array for path in groups)
    group = zarr.open_group(str(PRODUCT), mode="r")["measurements/r20m"]
    bands = open_raster(array_name(PRODUCT, "measurements/r20m"))
    for i in range(bands.RasterCount):
        band = bands.GetRasterBand(i + 1)
        zarr_gdal.assert_same(band.ReadAsArray(), group[band.GetDescription()][...])
