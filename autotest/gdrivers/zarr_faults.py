# SPDX-License-Identifier: MIT
"""Which of many faults a run tries: some, which ZARR_TEST_SEED draws, or all with ZARR_FAULTS=all."""

import os
import random

ALL = os.environ.get("ZARR_FAULTS") == "all"
SEED = os.environ["ZARR_TEST_SEED"]


def _random(salt):
    """Returns a generator that draws other numbers in each test, and for each salt."""
    return random.Random(f"{SEED} {os.environ['PYTEST_CURRENT_TEST']} {salt}")


def some(faults, most, salt=""):
    """At most `most` of a sequence, in its order; the first and the last are always among them."""
    faults = list(faults)
    if ALL or len(faults) <= most:
        return faults
    between = _random(salt).sample(range(1, len(faults) - 1), max(0, most - 2))
    return [faults[i] for i in sorted({0, len(faults) - 1, *between})]


def steps():
    """Yields 0 and ever greater numbers without end, for faults that are not counted before: each
    number with ZARR_FAULTS=all, else every second on average."""
    choose, number = _random("steps"), 0
    while True:
        yield number
        number += 1 if ALL else choose.randint(1, 3)
