# SPDX-License-Identifier: MIT
"""Measures reading a single chunk of 150 MB, as in archives of reanalyses. The driver uses all cores; the lower
bound is the codec library on one core."""

import os
import zlib

import numpy as np
from full_band import array_into
from measuring import OURS, Floor, Row, at_most, preallocated, prepared, take_turns
from readers import open_mdim
from samples import one_chunk_samples

SHARE = 0.8  # required speedup on all cores, as a share of the number of cores


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
