# SPDX-License-Identifier: MIT
"""A store to which tests of all forms of references refer."""

import numpy as np
from osgeo import gdal
from zarr_store import make_store

CUBE = np.arange(4 * 30 * 50, dtype="<i2").reshape(4, 30, 50)
IMAGE = np.arange(30 * 50, dtype="<f4").reshape(30, 50)


def make_sample(folder, **more):
    """Makes a store with the rasters CUBE and IMAGE, their coordinates, and `more` arrays."""
    return make_store(folder, {
        "cube": {"values": CUBE, "chunks": (1, 16, 16), "dims": ("time", "y", "x"), "attrs": {"units": "m"}},
        "image": {"values": IMAGE, "chunks": (16, 16), "dims": ("y", "x")},
        "x": {"values": np.arange(50) * 10.0 + 5, "dims": ("x",)},
        "y": {"values": 1000 - np.arange(30) * 10.0, "dims": ("y",)},
        "time": {"values": np.arange(4.0), "dims": ("time",), "attrs": {"units": "days since 2020-01-01"}},
        **more,
    })  # fmt: skip


def read(name, array):
    """Reads an array of references by the raster API."""
    dataset = gdal.OpenEx(f'ZARR:"{name}":/{array}', gdal.OF_RASTER)
    assert dataset is not None, gdal.GetLastErrorMsg()
    return dataset.ReadAsArray()


def read_all(name):
    """Checks the rasters of references to make_sample()."""
    assert np.array_equal(read(name, "cube"), CUBE)
    assert np.array_equal(read(name, "image"), IMAGE)
