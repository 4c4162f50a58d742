# SPDX-License-Identifier: MIT
"""Who reads, and how they are timed: in turns, so that what else the machine does hits all alike."""

import json
import statistics
import subprocess
import time

import numpy as np
from osgeo import gdal

OURS, BUILTIN = "Zarr", "ZarrBuiltin"


def open_with(driver, path):
    dataset = gdal.OpenEx(path, gdal.OF_RASTER, allowed_drivers=[driver])
    assert dataset is not None and dataset.GetDriver().ShortName == driver, path
    return dataset


def timed(action):
    """A contender: a function that returns the seconds that `action` takes."""

    def run():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return run


class Floor:
    """The program zarr_floor at work on one sample; a contender. Use it in a with statement."""

    def __init__(self, program, sample):
        array = sample.array()
        assert array.order == "C" and array.ndim == 2 and array.filters is None
        numbers = (*array.shape, *array.chunks, array.dtype.itemsize)
        self.command = [program, sample.path, sample.floor_codec, *map(str, numbers)]

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


def preallocated(array):
    """Memory for all of `array`, touched, and set to what the array does not hold."""
    memory = np.empty(array.shape, array.dtype)
    memory.view("u1").fill(0xFE)
    return memory


def take_turns(contenders, rounds):
    """Runs every contender `rounds` times, after once for nothing; name -> list of seconds.

    Who goes first changes from round to round.
    """
    names = list(contenders)
    seconds = {name: [] for name in names}
    for turn in range(-1, rounds):
        for i in range(len(names)):
            name = names[(turn + i) % len(names)]
            result = contenders[name]()
            if turn >= 0:
                seconds[name].append(result)
    return seconds


def median_ratio(above, below):
    """The median of the ratios within each round, which stand nearest in time."""
    return statistics.median(a / b for a, b in zip(above, below))
