# SPDX-License-Identifier: MIT
"""Classes by which a thread of the soak test opens, reads, writes and closes an array through GDAL."""

import numpy as np
from model import SHAPE
from osgeo import gdal
from zarr_gdal import array_name, error_log


class Wrong(Exception):
    """Error of a read or a write that breaks the rules of model.py."""


def opened(name, flags, options=()):
    with error_log() as log:
        dataset = gdal.OpenEx(name, flags, open_options=list(options))
    if dataset is None or log.errors:
        raise Wrong(f"{name} does not open: {log.events}")
    return dataset


class Classic:
    """Opens an array as a raster dataset, and reads or writes it band by band."""

    def __init__(self, store, array, options=(), update=False):
        flags = gdal.OF_RASTER | (gdal.OF_UPDATE if update else 0)
        self._dataset = opened(array_name(store, array), flags, options)

    def read(self, window):
        bands, rows, columns = window
        values = self._dataset.ReadAsArray(
            columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start,
            band_list=[i + 1 for i in range(SHAPE[0])[bands]],
        )  # fmt: skip
        if values is None:
            raise Wrong(f"cannot be read: {gdal.GetLastErrorMsg()}")
        values = values.reshape(-1, *values.shape[-2:])
        return values[:, :: rows.step or 1, :: columns.step or 1]

    def write(self, window, values):
        bands, rows, columns = window
        for i, band in enumerate(range(bands.start, bands.stop)):
            self._dataset.GetRasterBand(band + 1).WriteArray(values[i], columns.start, rows.start)

    def flush(self):
        self._dataset.FlushCache()

    def close(self):
        self._dataset = None


class Multidimensional:
    """Opens an array by the multidimensional API, and reads or writes it."""

    def __init__(self, store, array, options=(), update=False):
        flags = gdal.OF_MULTIDIM_RASTER | (gdal.OF_UPDATE if update else 0)
        self._dataset = opened(str(store), flags, options)
        self._array = self._dataset.GetRootGroup().OpenMDArray(array)
        if self._array is None:
            raise Wrong(f"/{array}: no such array: {gdal.GetLastErrorMsg()}")

    def read(self, window):
        steps = [axis.step or 1 for axis in window]
        counts = [len(range(size)[axis]) for size, axis in zip(SHAPE, window)]
        values = self._array.ReadAsArray([axis.start for axis in window], counts, steps)
        if values is None:
            raise Wrong(f"cannot be read: {gdal.GetLastErrorMsg()}")
        return values

    def write(self, window, values):
        start = [axis.start for axis in window]
        if self._array.WriteArray(np.ascontiguousarray(values), start) != gdal.CE_None:
            raise Wrong(f"cannot be written: {gdal.GetLastErrorMsg()}")

    def flush(self):
        self._dataset.FlushCache()

    def close(self):
        self._array = self._dataset = None


WAYS = {"classic": Classic, "multidimensional": Multidimensional}
