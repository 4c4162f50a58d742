# SPDX-License-Identifier: MIT
"""Writes and checks a sample store to which references of all formats refer."""

import numpy as np
from osgeo import gdal
from zarr_store import make_store

CUBE = np.arange(4 * 30 * 50, dtype="<i2").reshape(4, 30, 50)
IMAGE = np.arange(30 * 50, dtype="<f4").reshape(30, 50)


def make_sample(folder, **more):
    """Writes a store with the rasters CUBE and IMAGE, their coordinates, and the arrays in `more`. Returns
    its folder."""
    return make_store(folder, {
        "cube": {"values": CUBE, "chunks": (1, 16, 16), "dims": ("time", "y", "x"), "attrs": {"units": "m"}},
        "image": {"values": IMAGE, "chunks": (16, 16), "dims": ("y", "x")},
        "x": {"values": np.arange(50) * 10.0 + 5, "dims": ("x",)},
        "y": {"values": 1000 - np.arange(30) * 10.0, "dims": ("y",)},
        "time": {"values": np.arange(4.0), "dims": ("time",), "attrs": {"units": "days since 2020-01-01"}},
        **more,
    })  # fmt: skip


def read(name, array):
    """Returns the values of an array that the raster API reads through references."""
    dataset = gdal.OpenEx(f'ZARR:"{name}":/{array}', gdal.OF_RASTER)
    assert dataset is not None, gdal.GetLastErrorMsg()
    return dataset.ReadAsArray()


def read_all(name):
    """Asserts that the rasters of make_sample() read right through references."""
    assert np.array_equal(read(name, "cube"), CUBE)
    assert np.array_equal(read(name, "image"), IMAGE)
