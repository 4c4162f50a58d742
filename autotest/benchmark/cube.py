# SPDX-License-Identifier: MIT
"""A cube of many bands: band after band, and the series of a pixel."""

import numpy as np
from measuring import (
    Fact,
    Floor,
    Row,
    at_most,
    counters,
    faster,
    open_with,
    prepared,
    take_turns,
    OURS,
)
from osgeo import gdal
from readers import openers

# The built-in driver decodes each chunk anew for each band: few rounds say enough.
FEW_ROUNDS = 3
PIXELS = 40


def every_band(memory):
    def read(dataset):
        for number in range(dataset.RasterCount):
            dataset.GetRasterBand(number + 1).ReadAsArray(buf_obj=memory[number])

    return read


def every_pixel(size, memory):
    """Neighbouring pixels of a line, or windows around them, through all bands."""

    def read(dataset):
        for i in range(PIXELS):
            dataset.ReadAsArray(5 + i, 7, size, size, buf_obj=memory[i])

    return read


def count_decoded(sample, cache_bytes):
    """Chunks decoded where each band is read in turn with a cache of so many bytes."""
    before = gdal.GetCacheMax()
    gdal.SetCacheMax(cache_bytes)
    try:
        dataset = open_with(OURS, sample.path)
        start = counters()["CHUNKS_DECODED"]
        for number in range(dataset.RasterCount):
            dataset.GetRasterBand(number + 1).ReadAsArray()
        return counters()["CHUNKS_DECODED"] - start
    finally:
        gdal.SetCacheMax(before)


def measure(setting):
    sample = setting.cube
    array = sample.array()
    expected = array[...]
    rounds = min(FEW_ROUNDS, setting.rounds)
    memory = np.full(array.shape, -2, array.dtype)
    with Floor(setting.floor, sample) as floor:
        every_band(memory)(openers(sample)["ours"]())
        np.testing.assert_array_equal(memory, expected)
        contenders = {
            name: prepared(each, every_band(memory)) for name, each in openers(sample).items()
        }
        seconds = take_turns({"floor": floor, **contenders}, rounds)
        yield Row(f"each band in turn, {sample.label}", seconds, (at_most(1.5), faster(30)))
    for size in (1, 3):
        memory = np.full((PIXELS, array.shape[0], size, size), -2, array.dtype)
        every_pixel(size, memory)(openers(sample)["ours"]())
        for i in range(PIXELS):
            np.testing.assert_array_equal(
                memory[i], expected[:, 7 : 7 + size, 5 + i : 5 + i + size]
            )
        contenders = {
            name: prepared(each, every_pixel(size, memory))
            for name, each in openers(sample).items()
        }
        title = f"{PIXELS} times {size} x {size} of all bands, {sample.label}"
        yield Row(title, take_turns(contenders, rounds), (faster(100),))
    whole = int(np.prod([-(-n // c) for n, c in zip(array.shape, array.chunks)]))
    decoded = count_decoded(sample, expected.nbytes // 4)
    yield Fact("chunks decoded, cache of a quarter of the cube", decoded, 2 * whole)
