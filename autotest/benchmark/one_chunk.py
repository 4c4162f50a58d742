# SPDX-License-Identifier: MIT
"""Measures the read of a single chunk of 150 MB, which archives of reanalyses have. The driver uses all
cores; the floor is the bare codec on one core.

The destination is touched memory, as in full_band.py."""

import os
import zlib

import numpy as np
from full_band import array_into
from measuring import OURS, Floor, Row, at_most, preallocated, prepared, take_turns
from readers import open_mdim
from samples import one_chunk_samples

SHARE = 0.8  # required speedup, as a share of the number of cores


def measure(setting):
    cores = len(os.sched_getaffinity(0))
    limits = (at_most(1 / (SHARE * cores)),) if cores > 1 else ()
    for sample in one_chunk_samples(setting.data, 1000 if setting.small else 6200):
        memory = preallocated(sample.array())
        with Floor(setting.floor, sample) as floor:
            read = prepared(lambda path=sample.path: open_mdim(OURS, path), array_into(memory))
            seconds = take_turns({"floor": floor, "ours": read}, setting.rounds)
            assert floor.crc32() == zlib.crc32(np.ascontiguousarray(memory)), sample.path
        yield Row(f"{sample.label} (floor: one core)", seconds, limits)
