# SPDX-License-Identifier: MIT
"""Contenders and their timing: contenders take turns, so that other load of the machine affects all
alike."""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
from osgeo import gdal

OURS, BUILTIN = "Zarr", "ZarrBuiltin"
# Contenders in the order of the table's columns.
CONTENDERS = ("floor", "ours", "builtin", "tiff", "zarr")


FEW_ROUNDS = 3


@dataclasses.dataclass
class Limit:
    """Goal of a row: the ratio of this driver's time to a contender's, or the inverse."""

    other: str
    ratio: float
    is_slower: bool = False  # at most `ratio` x the other; else the inverse

    def reached(self, seconds):
        ratio = median_ratio(seconds["ours"], seconds[self.other])
        return ratio <= self.ratio if self.is_slower else 1 / ratio >= self.ratio

    def __str__(self):
        if self.is_slower:
            return f"{self.ratio:g} x {self.other}"
        return f"{self.other} / {self.ratio:g}"


@dataclasses.dataclass
class Row:
    """A task, with the seconds of each round for each contender."""

    title: str
    seconds: dict
    limits: tuple = ()


@dataclasses.dataclass
class Fact:
    """A count, or a time without a contender to compare with."""

    title: str
    value: float
    limit: float
    is_least: bool = False  # the value must reach `limit`, not stay below

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
    """Returns a contender: a function that returns the seconds of `action`."""

    def run():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


def prepared(prepare, action):
    """Returns a contender that times `action` on the result of `prepare`, which is not timed."""

    def run():
        prepared_ = prepare()
        return timed(lambda: action(prepared_))()

    return run


class Floor:
    """Context manager and contender: the program zarr_floor working on one sample."""

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
        """Returns the CRC-32 of the array's bytes as the program reads them."""
        return self._ask("check")["crc32"]

    def __call__(self):
        return self._ask("read")["seconds"]

    def writing(self, folder, variant):
        """Encodes the data that were read last, writes them to files of a new folder, and returns
        the seconds."""
        pathlib.Path(folder).mkdir()
        return self._ask(f"write {folder} {variant}")["seconds"]

    def into_new_memory(self):
        """Reads like a call of the object, but into memory that is new to the process."""
        return self._ask("read new")["seconds"]

    def of_windows(self, windows, new=False):
        """Returns the contender that decodes each chunk of the windows once, and then copies the
        windows. Windows are tuples (x, y, width, height). Each is copied into memory of its own,
        new or touched."""
        words = ["windows", *(["new"] if new else []), *(",".join(map(str, w)) for w in windows)]
        return lambda: self._ask(" ".join(words))["seconds"]


def counters(domain="READ_COUNTERS"):
    """Returns the counters of all reads, or of all writes, of this process through the driver."""
    found = gdal.GetDriverByName(OURS).GetMetadata(domain)
    return {name: int(value) for name, value in found.items()}


def preallocated(array):
    """Allocates memory for all of `array`, touched, and filled with values that the array does not
    have."""
    memory = np.empty(array.shape, array.dtype)
    memory.view("u1").fill(0xFE)
    return memory


def take_turns(contenders, rounds, patience=float("inf")):
    """Runs every contender `rounds` times after a warm-up, and returns {name: list of seconds}.

    Another contender begins in each round. If the warm-up takes all together more than `patience`
    seconds, FEW_ROUNDS are run, as long tasks vary less."""
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
    """Returns the median of the ratios within each round, whose measurements are close in time."""
    return statistics.median(a / b for a, b in zip(above, below))
