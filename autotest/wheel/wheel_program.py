# SPDX-License-Identifier: MIT
"""Runs in an environment with the Python package gdal_zarr. Opens rasters with the GDAL of another package, and prints as
JSON the number of plugins that this process has loaded, and the driver and checksums of each raster, or the error.

    wheel_program.py PACKAGE FILE    PACKAGE is rasterio, osgeo, pyogrio or fiona; FILE has one name in each line"""

import ctypes
import importlib
import json
import logging
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")  # rasters without a geotransform
logging.disable(logging.CRITICAL)


def with_rasterio(name):
    import rasterio

    try:
        with rasterio.open(name) as dataset:
            return [dataset.driver, [dataset.checksum(band) for band in dataset.indexes]]
    except rasterio.RasterioIOError as error:
        return ["error", str(error)]


def with_osgeo(name):
    from osgeo import gdal

    gdal.UseExceptions()
    try:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER)
        bands = range(1, dataset.RasterCount + 1)
        return [dataset.GetDriver().ShortName, [dataset.GetRasterBand(band).Checksum() for band in bands]]
    except RuntimeError as error:
        return ["error", str(error)]


def with_libgdal_of(package):
    """Returns a function for a package that has no rasters, but a libgdal that reads them."""
    from gdal_zarr import libraries

    gdal = libraries.library_of(package).functions
    for function, result, *arguments in (
        ("CPLGetLastErrorMsg", ctypes.c_char_p),
        ("GDALChecksumImage", ctypes.c_int, ctypes.c_void_p, *[ctypes.c_int] * 4),
        ("GDALClose", None, ctypes.c_void_p),
        ("GDALGetDatasetDriver", ctypes.c_void_p, ctypes.c_void_p),
        ("GDALGetDriverShortName", ctypes.c_char_p, ctypes.c_void_p),
        ("GDALGetRasterBand", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int),
        ("GDALGetRasterCount", ctypes.c_int, ctypes.c_void_p),
        ("GDALGetRasterXSize", ctypes.c_int, ctypes.c_void_p),
        ("GDALGetRasterYSize", ctypes.c_int, ctypes.c_void_p),
        ("GDALOpenEx", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, *[ctypes.c_void_p] * 3),
    ):
        getattr(gdal, function).restype, getattr(gdal, function).argtypes = result, arguments
    gdal.CPLPushErrorHandler(gdal.CPLQuietErrorHandler)
    gdal.GDALAllRegister()
    raster, verbose = 2, 64  # GDAL_OF_RASTER, GDAL_OF_VERBOSE_ERROR

    def read(name):
        dataset = gdal.GDALOpenEx(name.encode(), raster | verbose, None, None, None)
        if dataset is None:
            return ["error", gdal.CPLGetLastErrorMsg().decode()]
        driver = gdal.GDALGetDriverShortName(gdal.GDALGetDatasetDriver(dataset)).decode()
        size = gdal.GDALGetRasterXSize(dataset), gdal.GDALGetRasterYSize(dataset)
        bands = [gdal.GDALGetRasterBand(dataset, 1 + band) for band in range(gdal.GDALGetRasterCount(dataset))]
        checksums = [gdal.GDALChecksumImage(band, 0, 0, *size) for band in bands]
        gdal.GDALClose(dataset)
        return [driver, checksums]

    return read


def main(package, file):
    importlib.import_module(package)
    read = READERS.get(package) or with_libgdal_of(package)
    names = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    rasters = {name: read(name) for name in names}
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    plugins = {line.split()[4] for line in maps if "/memfd:gdal_zarr" in line}
    print(json.dumps({"plugins": len(plugins), "rasters": rasters}))


READERS = {"rasterio": with_rasterio, "osgeo": with_osgeo}

if __name__ == "__main__":
    main(*sys.argv[1:])
