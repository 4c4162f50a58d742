#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Repeats a task. In each run, a different memory allocation of the plugin fails.

    zarr_no_memory.py LIBRARY TASK FOLDER RUNS SEED ALL OPTION...

LIBRARY is the path of zarr_failing_memory, which is loaded before all other libraries. The task runs RUNS
times. With RUNS=0 it runs once for each allocation of the plugin. With ALL=1, all later allocations of the run
fail, too. OPTION... are creation options. Prints the number of allocations that failed, and the number of all
allocations of a run.
"""

import contextlib
import ctypes
import pathlib
import shutil
import sys

import numpy as np
from osgeo import gdal

gdal.DontUseExceptions()
VALUES = np.arange(6 * 8, dtype="i4").reshape(6, 8)
OPTIONS = []


def opened(folder):
    dataset = gdal.Open(str(folder / "kept.zarr"))
    if dataset is not None:
        dataset.GetGeoTransform()
        dataset.GetSpatialRef()
        dataset.GetMetadata()
        dataset.GetFileList()
        for band in (dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)):
            band.GetDescription()
            band.GetMetadata()
            band.GetNoDataValue()
            band.GetUnitType()
    return dataset


def read(folder):
    dataset = opened(folder)
    return None if dataset is None else dataset.ReadAsArray()


def listed(folder):
    gdal.IdentifyDriverEx(str(folder / "group.zarr")) if hasattr(gdal, "IdentifyDriverEx") else None
    dataset = gdal.Open(str(folder / "group.zarr"))
    return None if dataset is None else dataset.GetSubDatasets()


def multidim(folder):
    dataset = gdal.OpenEx(str(folder / "group.zarr"), gdal.OF_MULTIDIM_RASTER)
    root = None if dataset is None else dataset.GetRootGroup()
    if root is None:
        return None
    for name in root.GetGroupNames() or []:
        root.OpenGroup(name)
    values = []
    for name in root.GetMDArrayNames() or []:
        array = root.OpenMDArray(name)
        if array is None:
            continue
        for attribute in array.GetAttributes() or []:
            attribute.Read()
        array.GetCoordinateVariables()
        array.GetSpatialRef()
        values.append(array.ReadAsArray())
    return values


def described(dataset):
    dataset.SetGeoTransform((0, 1, 0, 6, 0, -1))
    dataset.SetProjection("EPSG:32632")
    dataset.SetMetadataItem("title", "a b")
    band = dataset.GetRasterBand(1)
    band.SetNoDataValue(-1)
    band.SetDescription("first")


def written(folder):
    shutil.rmtree(folder / "new.zarr", ignore_errors=True)
    dataset = gdal.GetDriverByName("Zarr").Create(str(folder / "new.zarr"), 8, 6, 1, gdal.GDT_Int32, OPTIONS)
    if dataset is None:
        return
    described(dataset)
    dataset.WriteArray(VALUES)
    dataset.FlushCache()
    dataset.BuildOverviews("NEAREST", [2])
    dataset.Close() if hasattr(dataset, "Close") else None


def updated(folder):
    dataset = gdal.OpenEx(str(folder / "changed.zarr"), gdal.OF_UPDATE)
    if dataset is None:
        return
    described(dataset)
    dataset.GetRasterBand(1).WriteArray(VALUES[:3, :3], 2, 2)
    dataset.FlushCache()


def copied(folder):
    source = gdal.GetDriverByName("MEM").Create("", 8, 6, 2, gdal.GDT_Int32)
    source.WriteArray(np.stack([VALUES, VALUES]))
    gdal.GetDriverByName("Zarr").CreateCopy(str(folder / "copy.zarr"), source, options=OPTIONS)
    gdal.GetDriverByName("Zarr").Delete(str(folder / "copy.zarr"))


def multidim_written(folder):
    shutil.rmtree(folder / "mdim.zarr", ignore_errors=True)
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(folder / "mdim.zarr"))
    root = None if dataset is None else dataset.GetRootGroup()
    if root is None:
        return
    group = root.CreateGroup("g")
    size = root.CreateDimension("y", None, None, 8)
    if size is None or group is None:
        return
    array = group.CreateMDArray("a", [size], gdal.ExtendedDataType.Create(gdal.GDT_Int32))
    if array is None:
        return
    array.Write(VALUES[0].tobytes())
    attribute = array.CreateAttribute("title", [], gdal.ExtendedDataType.CreateString())
    if attribute is not None:
        attribute.Write("text")
    array.SetUnit("m")


TASKS = {task.__name__: task for task in
         (opened, read, listed, multidim, written, updated, copied, multidim_written)}  # fmt: skip


def main():
    library, task, folder, runs, seed, fail_all, *options = sys.argv[1:]
    OPTIONS.extend(options)
    fail = ctypes.CDLL(library).zarr_fail_memory
    fail.restype = ctypes.c_long
    fail.argtypes = [ctypes.c_long, ctypes.c_int]
    folder, task = pathlib.Path(folder), TASKS[task]
    gdal.SetConfigOption("GDAL_NUM_THREADS", "1")
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    task(folder)  # fills the caches, so that all later runs make equal allocations
    fail(1 << 62, 0)
    task(folder)
    count, failed = fail(0, 0), 0
    step = max(1, count // int(runs)) if int(runs) else 1
    for number in range(1 + int(seed) % step, count + 1, step):
        fail(number, int(fail_all))
        # If an allocation fails, the bindings may return None. The task then raises an exception.
        with contextlib.suppress(RuntimeError, AttributeError, TypeError, ValueError):
            task(folder)
        failed += fail(0, 0) >= number
    task(folder)
    if task in (opened, read):
        assert (read(folder) == VALUES).all()
    print(failed, count)


if __name__ == "__main__":
    main()
