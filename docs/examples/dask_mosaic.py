#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a mosaic of rasters in one Zarr store. Each process of a Dask cluster writes some regions of it.

    dask_mosaic.py [options] OUTPUT INPUT...

OUTPUT is a path of GDAL, such as mosaic.zarr or /vsis3/bucket/mosaic.zarr. All inputs must have one CRS and one
pixel size, as gdalbuildvrt requires. Regions of whole chunks need no locks, because each chunk
is then written by only one process. Other regions share chunks, which --synchronizer protects by lock files.
"""

import argparse
import os

from dask.distributed import Client, LocalCluster, as_completed
from osgeo import gdal


def mosaic_of(inputs):
    """Returns a dataset (VRT) that shows all inputs as one raster. Reading a window opens only the inputs that
    overlap the window."""
    mosaic = gdal.BuildVRT("", inputs)
    if mosaic is None:
        raise ValueError(f"no mosaic of {', '.join(inputs)}")
    return mosaic


def create(output, inputs, chunk):
    """Creates the store with metadata, but without pixels."""
    mosaic = mosaic_of(inputs)
    band = mosaic.GetRasterBand(1)
    dataset = gdal.GetDriverByName("Zarr").Create(
        output, mosaic.RasterXSize, mosaic.RasterYSize, mosaic.RasterCount, band.DataType,
        [f"BLOCKSIZE={chunk},{chunk}"] if mosaic.RasterCount == 1 else
        [f"BLOCKSIZE={mosaic.RasterCount},{chunk},{chunk}"],
    )  # fmt: skip
    dataset.SetSpatialRef(mosaic.GetSpatialRef())
    dataset.SetGeoTransform(mosaic.GetGeoTransform())
    if band.GetNoDataValue() is not None:
        for i in range(mosaic.RasterCount):
            dataset.GetRasterBand(i + 1).SetNoDataValue(band.GetNoDataValue())
    dataset.FlushCache()  # raises an exception on failure; closing the dataset would only print the error
    return mosaic.RasterXSize, mosaic.RasterYSize


def write_region(output, inputs, window, options):
    """Writes a region of the store. Runs in a process of the cluster, with its own dataset, and stores the
    pixels when it closes the dataset."""
    gdal.UseExceptions()  # an exception reaches the process that requested the region
    pixels = mosaic_of(inputs).ReadRaster(*window)
    dataset = gdal.OpenEx(output, gdal.OF_RASTER | gdal.OF_UPDATE, open_options=options)
    dataset.WriteRaster(*window, pixels)
    dataset.FlushCache()
    del dataset
    return os.getpid()


def windows(width, height, region):
    for y in range(0, height, region):
        for x in range(0, width, region):
            yield x, y, min(region, width - x), min(region, height - y)


def build_overviews(output):
    """Builds overviews until the smallest one fits in a chunk."""
    dataset = gdal.OpenEx(output, gdal.OF_RASTER | gdal.OF_UPDATE)
    block = dataset.GetRasterBand(1).GetBlockSize()[0]
    levels = [2]
    while max(dataset.RasterXSize, dataset.RasterYSize) / levels[-1] > block:
        levels.append(2 * levels[-1])
    dataset.BuildOverviews("AVERAGE", levels)
    dataset.FlushCache()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("output")
    parser.add_argument("inputs", nargs="+", metavar="input")
    parser.add_argument("--scheduler", help="address of a cluster; default: one on this machine")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="of that one")
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--region", type=int, default=2048)
    parser.add_argument("--synchronizer", help="folder of lock files that all processes see")
    chosen = parser.parse_args()
    if chosen.region % chosen.chunk != 0 and not chosen.synchronizer:
        parser.error("regions that share chunks need --synchronizer")
    gdal.UseExceptions()
    options = [f"SYNCHRONIZER={chosen.synchronizer}"] if chosen.synchronizer else []
    size = create(chosen.output, chosen.inputs, chosen.chunk)
    cluster = chosen.scheduler or LocalCluster(
        n_workers=chosen.processes, threads_per_worker=1, dashboard_address=None)  # fmt: skip
    with Client(cluster) as client:
        written = [client.submit(write_region, chosen.output, chosen.inputs, window, options, retries=2)
                   for window in windows(*size, chosen.region)]  # fmt: skip
        processes = {future.result() for future in as_completed(written)}
    if not chosen.scheduler:
        cluster.close()
    build_overviews(chosen.output)
    print(f"{len(written)} regions written by {len(processes)} processes")


if __name__ == "__main__":
    main()
