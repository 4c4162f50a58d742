# SPDX-License-Identifier: MIT
"""Selects the faults that a run tries: some, drawn by ZARR_TEST_SEED, or all with
ZARR_FAULTS=all."""

import os
import random

ALL = os.environ.get("ZARR_FAULTS") == "all"
SEED = os.environ["ZARR_TEST_SEED"]


def _random(salt):
    """Returns a generator that draws other numbers in each test, and for each salt."""
    return random.Random(f"{SEED} {os.environ['PYTEST_CURRENT_TEST']} {salt}")


def some(faults, most, salt=""):
    """Returns at most `most` items of a sequence, in order, always with the first and the last."""
    faults = list(faults)
    if ALL or len(faults) <= most:
        return faults
    between = _random(salt).sample(range(1, len(faults) - 1), max(0, most - 2))
    return [faults[i] for i in sorted({0, len(faults) - 1, *between})]


def steps():
    """Yields 0 and ever greater numbers without end, for faults whose number is not known before
    the run. With ZARR_FAULTS=all yields each number, else every second on average."""
    choose, number = _random("steps"), 0
    while True:
        yield number
        number += 1 if ALL else choose.randint(1, 3)
