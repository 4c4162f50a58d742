# SPDX-License-Identifier: MIT
"""Who reads, and how they are timed: in turns, so that what else the machine does hits all alike."""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np
from osgeo import gdal

OURS, BUILTIN = "Zarr", "ZarrBuiltin"
# The contenders, in the order of the table's columns.
CONTENDERS = ("floor", "ours", "builtin", "tiff", "zarr")


FEW_ROUNDS = 3


@dataclasses.dataclass
class Limit:
    """What a row is to reach. A ratio is that of ours to a contender's time, or the other way."""

    other: str
    ratio: float
    is_slower: bool = False  # ours takes at most `ratio` x the other; else the other x ours

    def reached(self, seconds):
        ratio = median_ratio(seconds["ours"], seconds[self.other])
        return ratio <= self.ratio if self.is_slower else 1 / ratio >= self.ratio

    def __str__(self):
        if self.is_slower:
            return f"{self.ratio:g} x {self.other}"
        return f"{self.other} / {self.ratio:g}"


@dataclasses.dataclass
class Row:
    """One task: contender -> seconds, a number for each round."""

    title: str
    seconds: dict
    limits: tuple = ()


@dataclasses.dataclass
class Fact:
    """Something counted, or a time that no contender's is the measure for."""

    title: str
    value: float
    limit: float
    is_least: bool = False  # `limit` is to be reached, not kept

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
    """A contender: a function that returns the seconds that `action` takes."""

    def run():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


def prepared(prepare, action):
    """A contender that acts on what `prepare`, which is not timed, returns."""

    def run():
        prepared_ = prepare()
        return timed(lambda: action(prepared_))()

    return run


class Floor:
    """The program zarr_floor at work on one sample; a contender. Use it in a with statement."""

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
        """Of the array's bytes as the program reads them."""
        return self._ask("check")["crc32"]

    def __call__(self):
        return self._ask("read")["seconds"]

    def writing(self, folder, variant):
        """Encodes what was read last and writes it to files of a new folder; returns seconds."""
        pathlib.Path(folder).mkdir()
        return self._ask(f"write {folder} {variant}")["seconds"]

    def into_new_memory(self):
        """As the call, but to memory that is new to the process."""
        return self._ask("read new")["seconds"]

    def of_windows(self, windows, new=False):
        """The contender that decodes each chunk that a window touches once, and then copies the
        windows, tuples (x, y, width, height), to memory of their own, new or not."""
        words = ["windows", *(["new"] if new else []), *(",".join(map(str, w)) for w in windows)]
        return lambda: self._ask(" ".join(words))["seconds"]


def counters(domain="READ_COUNTERS"):
    """What all reads, or writes, of the process through our driver have done so far."""
    found = gdal.GetDriverByName(OURS).GetMetadata(domain)
    return {name: int(value) for name, value in found.items()}


def preallocated(array):
    """Memory for all of `array`, touched, and set to what the array does not hold."""
    memory = np.empty(array.shape, array.dtype)
    memory.view("u1").fill(0xFE)
    return memory


def take_turns(contenders, rounds, patience=float("inf")):
    """Runs every contender `rounds` times, after once for nothing; name -> list of seconds.

    Who goes first changes from round to round. Where the one for nothing takes them more than
    `patience` seconds together, FEW_ROUNDS are enough: what takes long varies less.
    """
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
    """The median of the ratios within each round, which stand nearest in time."""
    return statistics.median(a / b for a, b in zip(above, below))
