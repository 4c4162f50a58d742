# SPDX-License-Identifier: MIT
"""Measures contenders: functions that do a task with one program, and return the seconds. They take turns, so that
other load affects all of them equally."""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
from osgeo import gdal

OURS, BUILTIN = "Zarr", "ZarrBuiltin"
# Names of the compared programs, in the order of the table's columns
CONTENDERS = ("floor", "ours", "builtin", "tiff", "zarr")


FEW_ROUNDS = 3


@dataclasses.dataclass
class Limit:
    """Goal of a table row: a limit for the time of this driver divided by the time of the program `other`."""

    other: str
    ratio: float
    is_slower: bool = False  # False: driver / other must be <= `ratio`. True: other / driver must be >= `ratio`

    def reached(self, seconds):
        ratio = median_ratio(seconds["ours"], seconds[self.other])
        return ratio <= self.ratio if self.is_slower else 1 / ratio >= self.ratio

    def __str__(self):
        if self.is_slower:
            return f"{self.ratio:g} x {self.other}"
        return f"{self.other} / {self.ratio:g}"


@dataclasses.dataclass
class Row:
    """Times of a task: for each program, the seconds of every round."""

    title: str
    seconds: dict
    limits: tuple = ()


@dataclasses.dataclass
class Fact:
    """Result of this driver without a comparison: a count or a time."""

    title: str
    value: float
    limit: float
    is_least: bool = False  # True if `limit` is a minimum of `value`, False if it is a maximum

    @property
    def reached(self):
        return self.value >= self.limit if self.is_least else self.value <= self.limit


def at_most(ratio, other="floor"):
    return Limit(other, ratio, is_slower=True)


def faster(ratio, other="builtin"):
    return Limit(other, ratio)


def open_with(driver, path, flags=gdal.OF_RASTER, options=()):
    dataset = gdal.OpenEx(path, flags, allowed_drivers=[driver], open_options=list(options))
    assert dataset is not None and dataset.GetDriver().ShortName == driver, path
    return dataset


def timed(action):
    """Returns a function that calls `action` and returns the seconds that it took."""

    def run():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


def prepared(prepare, action):
    """Returns a function that calls action(prepare()) and returns the seconds of `action`, without those of
    `prepare`."""

    def run():
        prepared_ = prepare()
        return timed(lambda: action(prepared_))()

    return run


class Floor:
    """Runs the program zarr_floor on the array of a samples.Sample, as a context manager. Calling the object reads the
    whole array and returns the seconds."""

    def __init__(self, program, sample):
        array = sample.array()
        assert array.order == "C" and array.filters is None
        sizes = [array.shape, sample.chunks, *([sample.shards] if sample.shards else [])]
        sizes = [",".join(map(str, each)) for each in sizes]
        item_size = str(array.dtype.itemsize)
        self.command = [program, sample.path, sample.floor_codec, item_size, *sizes]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        code = self.process.wait()
        assert code == 0, f"{self.command} ended with {code}"

    def _ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def crc32(self):
        """Reads the array with zarr_floor, and returns the CRC-32 of the decoded bytes."""
        return self._ask("check")["crc32"]

    def __call__(self):
        return self._ask("read")["seconds"]

    def writing(self, folder, variant):
        """Makes zarr_floor encode the values that it has last read, into files in a new folder. Returns the seconds."""
        pathlib.Path(folder).mkdir()
        return self._ask(f"write {folder} {variant}")["seconds"]

    def into_new_memory(self):
        """Reads the array into new memory. Returns the seconds, which include page faults."""
        return self._ask("read new")["seconds"]

    def windows_contender(self, windows, new=False):
        """Returns a function that decodes each chunk of the windows once, copies each window (x, y, width, height), and
        returns the seconds. With `new`, the seconds include page faults of new memory."""
        words = ["windows", *(["new"] if new else []), *(",".join(map(str, w)) for w in windows)]
        return lambda: self._ask(" ".join(words))["seconds"]


def counters(domain="READ_COUNTERS"):
    """Returns {name: count} of the driver's counters for this process; by default, those of reads."""
    found = gdal.GetDriverByName(OURS).GetMetadata(domain)
    return {name: int(value) for name, value in found.items()}


def preallocated(array):
    """Returns an array of the shape and type of `array`. Its pages are mapped, so that writing to it causes no page
    faults."""
    memory = np.empty(array.shape, array.dtype)
    memory.view("u1").fill(0xFE)
    return memory


def take_turns(contenders, rounds, patience=float("inf")):
    """Runs each contender once as a warm-up and once in each of `rounds` rounds, which begin with different contenders.
    After warm-ups of more than `patience` seconds, runs at most FEW_ROUNDS rounds.

    Returns {name: [seconds of each round]}."""
    names = list(contenders)
    seconds = {name: [] for name in names}
    start = time.perf_counter()
    for turn in range(-1, rounds):
        if turn == 0 and time.perf_counter() - start > patience:
            rounds = min(rounds, FEW_ROUNDS)
        if turn == rounds:
            break
        for i in range(len(names)):
            name = names[(turn + i) % len(names)]
            result = contenders[name]()
            if turn >= 0:
                seconds[name].append(result)
    return seconds


def median_ratio(above, below):
    """Returns the median ratio of two programs' times, which are lists of the seconds of each round."""
    return statistics.median(a / b for a, b in zip(above, below))
