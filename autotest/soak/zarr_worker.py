# SPDX-License-Identifier: MIT
"""Process of the soak test with zarr-python. It reads and writes like the processes with GDAL. soak.py starts
it and reads its results as lines of JSON."""

import itertools
import json
import pathlib
import random
import sys
import time

import zarr_formats
import zarr_locks
import zarr_python as zarr
from model import ARRAYS, SERIES, SERIES_MOST, SHAPE, ZARR, Model, Plan, slice_values, window_in
from zarr.core.buffer import cpu
from zarr.storage import MemoryStore

WHOLE = tuple(slice(0, size) for size in SHAPE)


zarr_formats.set_default_format()


class Party:
    def __init__(self, request):
        self.folder = pathlib.Path(request["folder"])
        self.plan = Plan(request)
        self.model = Model(self.folder / "model")
        self.end = time.monotonic() + request["seconds"]
        self.choose = random.Random(f"{request['seed']} {ZARR}")
        self.version = 0
        self.writes = request["zarr_writes"]
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
            time.sleep(0.005)  # leaves processor time to the processes with GDAL
        print(json.dumps(self.counts), flush=True)

    def _open(self, name, mode):
        self.counts["openings"] += 1
        return zarr.open_group(str(self.folder / "soak.zarr"), mode=mode)[name]

    def write(self):
        name = self.choose.choice([
            name for name in ARRAYS if self.plan.parcels[name][ZARR, 0]])  # fmt: skip
        window = window_in(self.choose, self.choose.choice(self.plan.parcels[name][ZARR, 0]))
        array = self._open(name, "r+")
        self.version += 1
        values = self.model.begin(name, window, self.version, self.choose.random() < 0.1)
        if name == "shared":
            self._write_under_locks(array, name, window, values)
        else:
            array[window] = values
        self.model.flushed(name, window)
        self.counts["bytes"] += values.nbytes

    def _write_under_locks(self, array, name, window, values):
        """Writes a window chunk by chunk, each under its lock file, because zarr-python 3 itself uses no lock
        files."""
        ranges = [range(place.start // chunk, -(-place.stop // chunk))
                  for place, chunk in zip(window, array.chunks)]  # fmt: skip
        for index in itertools.product(*ranges):
            part = tuple(slice(max(place.start, i * chunk), min(place.stop, (i + 1) * chunk))
                         for place, i, chunk in zip(window, index, array.chunks))  # fmt: skip
            key = zarr_formats.chunk_key(self.folder / "soak.zarr", name, *index)
            inner = tuple(slice(p.start - w.start, p.stop - w.start) for p, w in zip(part, window))
            with zarr_locks.lock(self.folder / "locks", key):
                array[part] = values[inner]

    def read(self):
        name, window = self.choose.choice(ARRAYS), window_in(self.choose, WHOLE)
        least = self.model.least(name, window)
        values = self._values(name, window)
        self.counts["bytes"] += values.nbytes
        problem = self.model.problem(name, window, values, least)
        if problem:
            raise ValueError(problem)

    def _values(self, name, window):
        """Returns the values of a window. Reads again if zarr-python fails: another process may have deleted a
        chunk during the read."""
        for _ in range(100):
            try:
                return (self._open(name, "r") if self.writes else self._copy(name))[window]
            except FileNotFoundError as error:
                gone = error
        raise gone

    def _copy(self, name):
        """Returns a copy in memory of an array with shards. zarr-python opens a shard once for the index and
        again for the chunks, so replacing the shard in between would give wrong values."""
        self.counts["openings"] += 1
        folder = self.folder / "soak.zarr" / name
        files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
        copied = {key: cpu.Buffer.from_bytes(file.read_bytes()) for key, file in files.items()}
        return zarr.open_array(MemoryStore(copied), mode="r")

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
