# SPDX-License-Identifier: MIT
"""Functions that open and read rasters, which several tasks use."""

import numpy as np
from measuring import BUILTIN, OURS, open_with
from osgeo import gdal

DRIVERS = {"ours": OURS, "builtin": BUILTIN}


def open_tiff(path):
    return open_with("GTiff", path, options=["NUM_THREADS=ALL_CPUS"])


def openers(sample):
    """Returns {program: function that opens a new dataset of the raster of a samples.Sample}."""
    found = {
        name: lambda driver=driver: open_with(driver, sample.path)
        for name, driver in DRIVERS.items()
    }
    if sample.tiff is not None:
        found["tiff"] = lambda: open_tiff(sample.tiff)
    return found


def open_mdim(driver, path):
    """Returns (dataset, the only array of the store). The array is valid only as long as the dataset exists."""
    dataset = open_with(driver, path, gdal.OF_MULTIDIM_RASTER)
    group = dataset.GetRootGroup()
    (name,) = group.GetMDArrayNames()
    return dataset, group.OpenMDArray(name)


def check_same(expected, memory, read, what):
    """Asserts that read(memory) fills `memory` with the values `expected`. `memory` has other contents before the
    call."""
    memory.view("u1").fill(0xFE)
    read(memory)
    np.testing.assert_array_equal(memory, expected, err_msg=what)
