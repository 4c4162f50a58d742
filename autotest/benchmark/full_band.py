# SPDX-License-Identifier: MIT
"""A whole band into memory that is there already, at full resolution."""

import zlib

import numpy as np
from measuring import BUILTIN, OURS, Floor, open_with, preallocated, take_turns, timed


def reader(driver, path, memory):
    """Reads the band of a newly opened dataset, so that no cache of GDAL's has a part in it."""

    def run():
        dataset = open_with(driver, path)
        band = dataset.GetRasterBand(1)
        return timed(lambda: band.ReadAsArray(buf_obj=memory))()

    return run


def check(sample, memory, floor):
    """Everyone reads the same values, and they are those that zarr-python reads."""
    expected = sample.array()[...]
    for driver in (OURS, BUILTIN):
        memory.view("u1").fill(0xFE)
        dataset = open_with(driver, sample.path)
        result = dataset.GetRasterBand(1).ReadAsArray(buf_obj=memory)
        assert result is memory, f"{driver} cannot read {sample.path}"
        np.testing.assert_array_equal(memory, expected, err_msg=f"{driver}, {sample.path}")
    assert floor.crc32() == zlib.crc32(expected), f"zarr_floor, {sample.path}"


def measure(setting):
    """Rows (title, contender -> seconds), one for each codec."""
    for sample in setting.terrain:
        memory = preallocated(sample.array())
        with Floor(setting.floor, sample) as floor:
            check(sample, memory, floor)
            contenders = {
                "floor": floor,
                "ours": reader(OURS, sample.path, memory),
                "builtin": reader(BUILTIN, sample.path, memory),
            }
            yield f"full band, {sample.label}", take_turns(contenders, setting.rounds)
