# SPDX-License-Identifier: MIT
"""Ways to open and read that several tasks share."""

import numpy as np
from measuring import BUILTIN, OURS, open_with
from osgeo import gdal

DRIVERS = {"ours": OURS, "builtin": BUILTIN}


def open_tiff(path):
    return open_with("GTiff", path, options=["NUM_THREADS=ALL_CPUS"])


def openers(sample):
    """Contender -> function that opens the sample's raster anew."""
    found = {
        name: lambda driver=driver: open_with(driver, sample.path)
        for name, driver in DRIVERS.items()
    }
    if sample.tiff is not None:
        found["tiff"] = lambda: open_tiff(sample.tiff)
    return found


def open_mdim(driver, path):
    """The only array of a store, and the dataset that it needs to live."""
    dataset = open_with(driver, path, gdal.OF_MULTIDIM_RASTER)
    group = dataset.GetRootGroup()
    (name,) = group.GetMDArrayNames()
    return dataset, group.OpenMDArray(name)


def check_same(expected, memory, read, what):
    """`read` fills `memory`, which held something else, with `expected`."""
    memory.view("u1").fill(0xFE)
    read(memory)
    np.testing.assert_array_equal(memory, expected, err_msg=what)
