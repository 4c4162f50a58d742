# SPDX-License-Identifier: MIT
"""The zarr-python process of the soak, which reads and writes as the GDAL processes do. soak.py
starts it, and reads its answers as lines of JSON."""

import json
import pathlib
import random
import sys
import time

import zarr
import zarr_formats
from model import ARRAYS, SERIES, SERIES_MOST, SHAPE, ZARR, Model, Plan, slice_values, window_in

WHOLE = tuple(slice(0, size) for size in SHAPE)


zarr_formats.install()


class Locks(zarr.ProcessSynchronizer):
    """Lock files of a store, named after chunks or shards in the store's format."""

    def __init__(self, store, folder):
        super().__init__(str(folder))
        self.view = zarr_formats.view(store)

    def __getitem__(self, key):
        if isinstance(self.view, zarr_formats.V3View):
            key = self.view.value_key(key)[0]
        return super().__getitem__(key)


class Party:
    def __init__(self, request):
        self.folder = pathlib.Path(request["folder"])
        self.plan = Plan(request)
        self.model = Model(self.folder / "model")
        self.end = time.monotonic() + request["seconds"]
        self.choose = random.Random(f"{request['seed']} {ZARR}")
        self.version = 0
        self.counts = {"operations": 0, "bytes": 0, "openings": 0}

    def run(self):
        operations = {self.read: 8, self.grow: 0.2}
        if (ZARR, 0) in self.plan.writers:
            operations[self.write] = 8
        while time.monotonic() < self.end and not (self.folder / "stop").exists():
            (operation,) = self.choose.choices(list(operations), list(operations.values()))
            try:
                operation()
            except BaseException as error:
                number = self.counts["operations"] + 1
                text = f"zarr-python, operation {number}, {operation.__name__}: {error!r}"
                print(json.dumps({"failed": text}), flush=True)
                (self.folder / "stop").touch()
                break
            self.counts["operations"] += 1
            time.sleep(0.005)  # leaves most of the machine to GDAL
        print(json.dumps(self.counts), flush=True)

    def _open(self, name, mode):
        self.counts["openings"] += 1
        locks = Locks(self.folder / "soak.zarr", self.folder / "locks") if name == "shared" else None
        return zarr.open_group(str(self.folder / "soak.zarr"), mode=mode, synchronizer=locks)[name]

    def write(self):
        name = self.choose.choice([
            name for name in ARRAYS if self.plan.parcels[name][ZARR, 0]])  # fmt: skip
        window = window_in(self.choose, self.choose.choice(self.plan.parcels[name][ZARR, 0]))
        array = self._open(name, "r+")
        self.version += 1
        values = self.model.begin(name, window, self.version, self.choose.random() < 0.1)
        array[window] = values
        self.model.flushed(name, window)
        self.counts["bytes"] += values.nbytes

    def read(self):
        name, window = self.choose.choice(ARRAYS), window_in(self.choose, WHOLE)
        least = self.model.least(name, window)
        values = self._values(name, window)
        self.counts["bytes"] += values.nbytes
        problem = self.model.problem(name, window, values, least)
        if problem:
            raise ValueError(problem)

    def _values(self, name, window):
        """Reads again if a chunk is deleted, because it holds only the fill value, between
        zarr-python's check of the file and its opening."""
        for _ in range(100):
            try:
                return self._open(name, "r")[window]
            except FileNotFoundError as error:
                gone = error
        raise gone

    def grow(self):
        lengths = self.model.lengths[SERIES[1]]
        length = int(lengths[0])
        if length == SERIES_MOST:
            return
        lengths[1] = length + 1
        self._open(SERIES[1], "r+").append(slice_values(length)[None], axis=0)
        lengths[0] = length + 1


if __name__ == "__main__":
    Party(json.loads(sys.argv[1])).run()
