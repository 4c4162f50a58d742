# SPDX-License-Identifier: MIT
"""Further operations of the soak test: appending along a dimension, overviews and metadata. A single thread writes each
array, and all other threads check it."""

import numpy as np
from handles import Wrong, opened
from model import PYRAMID, PYRAMID_SIDE, SERIES, SERIES_MOST, SERIES_SHAPE, slice_values
from osgeo import gdal
from zarr_gdal import array_name


class Extra:
    def __init__(self, worker):
        self.worker, self.choose = worker, worker.choose
        self.store, self.model = worker.work.store, worker.model

    def is_owner(self, process, thread):
        return self.worker.me == (process, thread)

    def open(self, array, *options, update=False):
        self.worker.counts["openings"] += 1
        flags = gdal.OF_RASTER | (gdal.OF_UPDATE if update else 0)
        # Without lock files, the consolidated metadata could lack changes of other processes.
        options = [*options, *(self.worker.work.locks if update else ())]
        return opened(array_name(self.store, array), flags, options)

    def values(self, dataset):
        values = dataset.ReadAsArray()
        if values is None:
            raise Wrong(f"{dataset.GetDescription()}: {gdal.GetLastErrorMsg()}")
        self.worker.counts["bytes"] += values.nbytes
        return values


class Series(Extra):
    """Appends slices to an array along time. Other threads read the array meanwhile."""

    def operations(self):
        return {self.read: 4, **({self.append: 1} if self.is_owner(0, 0) else {})}

    def append(self):
        lengths = self.model.lengths[SERIES[0]]
        length = int(lengths[0])
        if length == SERIES_MOST:
            return
        rows, columns = SERIES_SHAPE
        source = gdal.GetDriverByName("MEM").Create("", columns, rows, 1, gdal.GDT_Int64)
        source.WriteArray(slice_values(length))
        lengths[1] = length + 1
        options = ["ARRAY_NAME=series", "APPEND_SUBDATASET=YES", "APPEND_DIM=time",
                   f"APPEND_DIM_VALUES={length}",
                   *self.worker.work.locks]  # fmt: skip
        driver = gdal.GetDriverByName("Zarr")
        if driver.CreateCopy(str(self.store), source, options=options) is None:
            raise Wrong(f"a slice cannot be appended: {gdal.GetLastErrorMsg()}")
        lengths[0] = length + 1

    def read(self):
        name = self.choose.choice(SERIES)
        lengths = self.model.lengths[name]
        least = int(lengths[0])
        # zarr-python appends to SERIES[1] without updating the consolidated metadata, so SERIES[1] is read without it.
        by = self.choose.choice(["YES", "NO"]) if name == SERIES[0] else "NO"
        values = self.values(self.open(name, f"USE_CONSOLIDATED_METADATA={by}"))
        values = values.reshape(-1, *SERIES_SHAPE)
        if not least <= len(values) <= lengths[1]:
            raise Wrong(f"{name} has {len(values)} slices, not {least} to {lengths[1]}; "
                        f"consolidated: {by}")  # fmt: skip
        for i, got in enumerate(values):
            # zarr-python enlarges an array before it writes the new elements, so the last slice may read as 0.
            is_legal = got == slice_values(i)
            if i >= least:
                is_legal |= got == 0
            if not is_legal.all():
                raise Wrong(f"{name}: slice {i} of {len(values)}, of which {least} were there, "
                            f"holds {got[~is_legal][0]}")  # fmt: skip


class Pyramid(Extra):
    """Raster with overviews. One thread writes its pixels, builds overviews and removes them."""

    def operations(self):
        plan = self.worker.work.plan
        if not self.is_owner(plan.processes - 1, plan.threads - 1):
            return {self.read: 2}
        self.base = np.zeros((PYRAMID_SIDE, PYRAMID_SIDE), "i4")
        self.version = 0
        return {self.read: 2, self.change: 2, self.build: 1, self.clean: 0.3}

    def change(self):
        side = self.choose.randint(1, PYRAMID_SIDE)
        x, y = (self.choose.randint(0, PYRAMID_SIDE - side) for _ in range(2))
        self.version += 1
        self.base[y : y + side, x : x + side] = self.version
        dataset = self.open(PYRAMID, update=True)
        dataset.GetRasterBand(1).WriteArray(self.base[y : y + side, x : x + side], x, y)

    def build(self):
        factors = self.choose.choice([[2], [4], [2, 4]])
        dataset = self.open(PYRAMID, update=True)
        if dataset.BuildOverviews("NEAREST", factors) != gdal.CE_None:
            raise Wrong(f"overviews cannot be built: {gdal.GetLastErrorMsg()}")
        del dataset
        dataset = self.open(PYRAMID)
        band = dataset.GetRasterBand(1)
        for i in range(band.GetOverviewCount()):
            level = band.GetOverview(i)
            factor = PYRAMID_SIDE // level.XSize
            if factor in factors and (level.ReadAsArray() != self.base[::factor, ::factor]).any():
                raise Wrong(f"the overview of factor {factor} is not the raster's")

    def clean(self):
        dataset = self.open(PYRAMID, update=True)
        if dataset.BuildOverviews("NEAREST", []) != gdal.CE_None:
            raise Wrong(f"overviews cannot be removed: {gdal.GetLastErrorMsg()}")

    def read(self):
        values = self.values(self.open(PYRAMID))
        if hasattr(self, "base") and (values != self.base).any():
            raise Wrong("the raster with overviews is not what was written to it")
        if values.shape != (PYRAMID_SIDE, PYRAMID_SIDE):
            raise Wrong(f"the raster with overviews has the shape {values.shape}")


class Notes(Extra):
    """Changes of an attribute. Each process changes its own array, while other processes open the store."""

    def operations(self):
        self.turn, self.array = 0, f"notes{self.worker.me[0]}"
        return {self.note: 1} if self.worker.me[1] == 0 else {}

    def note(self):
        self.turn += 1
        dataset = self.open(self.array, update=True)
        dataset.SetMetadataItem("turn", str(self.turn))
        del dataset
        option = f"USE_CONSOLIDATED_METADATA={self.choose.choice(['YES', 'NO'])}"
        found = self.open(self.array, option).GetMetadataItem("turn")
        if found != str(self.turn):
            raise Wrong(f"/{self.array} has the note {found}, not {self.turn}; {option}")


EXTRAS = (Series, Pyramid, Notes)
