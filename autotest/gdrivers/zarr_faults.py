# SPDX-License-Identifier: MIT
"""Selects the faults, such as failing system calls, that a test tries. By default the selection is random, with
the seed ZARR_TEST_SEED. With ZARR_FAULTS=all, a test tries all faults."""

import itertools
import os
import random

ALL = os.environ.get("ZARR_FAULTS") == "all"
SEED = os.environ["ZARR_TEST_SEED"]


def _random(seed):
    """Returns a random generator. Its numbers depend on ZARR_TEST_SEED, the current test, and the text
    `seed`."""
    return random.Random(f"{SEED} {os.environ['PYTEST_CURRENT_TEST']} {seed}")


def some(faults, most, seed=""):
    """Returns at most `most` of `faults`, in order. The first and the last are always included. Calls with
    different texts `seed` select different faults."""
    faults = list(faults)
    if ALL or len(faults) <= most:
        return faults
    between = _random(seed).sample(range(1, len(faults) - 1), max(0, most - 2))
    return [faults[i] for i in sorted({0, len(faults) - 1, *between})]


def steps():
    """Yields increasing numbers from 0 on, without end: every number with ZARR_FAULTS=all, otherwise every second
    number on average. For tests that do not know the number of faults before the run."""
    choose, number = _random("steps"), 0
    while True:
        yield number
        number += 1 if ALL else choose.randint(1, 3)


def combinations(*lists, together=2):
    """Returns some of the combinations of one element of each list: any `together` elements of different lists occur
    in one. With ZARR_FAULTS=all, returns all combinations."""
    every = [*itertools.product(*(range(len(values)) for values in lists))]

    def parts(numbers):
        return itertools.combinations(enumerate(numbers), together)

    left, chosen = {part for numbers in every for part in parts(numbers)}, []
    while left:
        best = max(every, key=lambda numbers: len(left.intersection(parts(numbers))))
        left.difference_update(parts(best))
        chosen.append(best)
    elements = [list(values) for values in lists]
    return [
        tuple(values[number] for values, number in zip(elements, numbers))
        for numbers in (every if ALL else chosen)
    ]
