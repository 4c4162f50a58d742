# SPDX-License-Identifier: MIT
"""Runs in an environment with the Python package gdal_zarr: opens rasters with rasterio, or with osgeo where rasterio is
absent, and prints their checksums as JSON. Arguments: NAME..."""

import json
import sys
import warnings

warnings.simplefilter("ignore")  # rasters without a geotransform


def with_rasterio(name):
    import rasterio

    with rasterio.open(name) as dataset:
        return [dataset.driver, [dataset.checksum(band) for band in dataset.indexes]]


def with_osgeo(name):
    from osgeo import gdal

    dataset = gdal.Open(name)
    bands = range(1, dataset.RasterCount + 1)
    return [dataset.GetDriver().ShortName, [dataset.GetRasterBand(band).Checksum() for band in bands]]


def main(names):
    try:
        import rasterio  # noqa: F401  (whether it is there)
    except ImportError:
        read = with_osgeo
    else:
        read = with_rasterio
    json.dump({name: read(name) for name in names}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
