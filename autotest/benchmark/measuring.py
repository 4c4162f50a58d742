# SPDX-License-Identifier: MIT
"""Contenders, and the measurement of their times. Contenders take turns, so that other load of the machine
affects all equally."""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
from osgeo import gdal

OURS, BUILTIN = "Zarr", "ZarrBuiltin"
# Contenders, in the order of the columns of the table.
CONTENDERS = ("floor", "ours", "builtin", "tiff", "zarr")


FEW_ROUNDS = 3


@dataclasses.dataclass
class Limit:
    """Goal of a row. It limits the ratio of this driver's time to a contender's time, or the inverse ratio."""

    other: str
    ratio: float
    is_slower: bool = False  # goal: at most `ratio` x the other's time; else the inverse

    def reached(self, seconds):
        ratio = median_ratio(seconds["ours"], seconds[self.other])
        return ratio <= self.ratio if self.is_slower else 1 / ratio >= self.ratio

    def __str__(self):
        if self.is_slower:
            return f"{self.ratio:g} x {self.other}"
        return f"{self.other} / {self.ratio:g}"


@dataclasses.dataclass
class Row:
    """A task, and for each contender the seconds of all rounds."""

    title: str
    seconds: dict
    limits: tuple = ()


@dataclasses.dataclass
class Fact:
    """A count or a time that is not compared with another contender."""

    title: str
    value: float
    limit: float
    is_least: bool = False  # True: `value` must be at least `limit`. False: at most

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
    """Returns a contender: a function that calls `action` and returns the seconds that it took."""

    def run():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


def prepared(prepare, action):
    """Returns a contender that calls `prepare`, and then measures the time of `action` with the result."""

    def run():
        prepared_ = prepare()
        return timed(lambda: action(prepared_))()

    return run


class Floor:
    """Context manager and contender. Runs the program zarr_floor on one sample."""

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
        """Returns the CRC-32 of the array's bytes that the program has read."""
        return self._ask("check")["crc32"]

    def __call__(self):
        return self._ask("read")["seconds"]

    def writing(self, folder, variant):
        """Encodes the data of the last read, and writes them to files in a new folder. Returns the seconds."""
        pathlib.Path(folder).mkdir()
        return self._ask(f"write {folder} {variant}")["seconds"]

    def into_new_memory(self):
        """Reads the array into memory that is new to the process. Returns the seconds."""
        return self._ask("read new")["seconds"]

    def windows_contender(self, windows, new=False):
        """Returns a contender that decodes each chunk of the windows once, and then copies each window into
        memory of its own. A window is (x, y, width, height). With `new` that memory is new to the
        process; otherwise it is touched before."""
        words = ["windows", *(["new"] if new else []), *(",".join(map(str, w)) for w in windows)]
        return lambda: self._ask(" ".join(words))["seconds"]


def counters(domain="READ_COUNTERS"):
    """Returns the driver's counters of all reads, or of all writes, in this process."""
    found = gdal.GetDriverByName(OURS).GetMetadata(domain)
    return {name: int(value) for name, value in found.items()}


def preallocated(array):
    """Returns touched memory for all of `array`. It is filled with bytes that the array does not contain."""
    memory = np.empty(array.shape, array.dtype)
    memory.view("u1").fill(0xFE)
    return memory


def take_turns(contenders, rounds, patience=float("inf")):
    """Runs each contender once as a warm-up, and then `rounds` times. Returns {contender: list of seconds}.

    In each round another contender is the first. If the warm-up of all contenders takes more than `patience`
    seconds, only FEW_ROUNDS are run, because long tasks vary less."""
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
    """Returns the median of the ratios of two contenders' times. Each ratio is of times in one round, which
    are measured shortly after each other."""
    return statistics.median(a / b for a, b in zip(above, below))
