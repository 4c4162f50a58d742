# SPDX-License-Identifier: MIT
"""Measures reads of a cube with many bands: one band after another, and all values of a pixel."""

import pathlib

import numpy as np
from measuring import (
    BUILTIN,
    OURS,
    Fact,
    Floor,
    Row,
    at_most,
    counters,
    faster,
    open_with,
    prepared,
    take_turns,
    timed,
)
from osgeo import gdal
from readers import openers

# The tasks of this module run fewer rounds, because GDAL's built-in driver decodes each chunk again for each
# band.
FEW_ROUNDS = 3
PIXELS = 40


def every_band(memory):
    def read(dataset):
        for number in range(dataset.RasterCount):
            dataset.GetRasterBand(number + 1).ReadAsArray(buf_obj=memory[number])

    return read


def every_pixel(size, memory):
    """Returns a function that reads windows of size x size pixels in all bands. Each window lies one pixel to the
    right of the window before."""

    def read(dataset):
        for i in range(len(memory)):
            dataset.ReadAsArray(5 + i, 7, size, size, buf_obj=memory[i])

    return read


def every_slice(sample, memory):
    """Returns a function that reads one slice after another with GDAL's built-in driver. Before GDAL 3.8, the
    built-in driver opens each slice as a separate dataset."""
    name = pathlib.Path(sample.path).stem

    def read():
        for i in range(len(memory)):
            dataset = open_with(BUILTIN, f'ZARR:"{sample.path}":/{name}:{i}')
            dataset.GetRasterBand(1).ReadAsArray(buf_obj=memory[i])

    return timed(read)


def every_pixel_of_slices(sample, size, memory):
    """Returns a function that measures reading pixels of all slices with GDAL's built-in driver. The time of
    opening the slices is excluded."""
    name = pathlib.Path(sample.path).stem

    def prepare():
        return [
            open_with(BUILTIN, f'ZARR:"{sample.path}":/{name}:{i}') for i in range(memory.shape[1])
        ]

    def read(slices):
        for i in range(PIXELS):
            for dataset, part in zip(slices, memory[i]):
                dataset.GetRasterBand(1).ReadAsArray(5 + i, 7, size, size, buf_obj=part)

    return prepared(prepare, read)


def count_decoded(sample, cache_bytes):
    """Reads all bands in turn with a cache of `cache_bytes`. Returns how many chunks were decoded."""
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
            "floor": floor,
            "ours": prepared(openers(sample)["ours"], every_band(memory)),
            "builtin": every_slice(sample, memory),
        }
        seconds = take_turns(contenders, rounds)
        yield Row(f"each band in turn, {sample.label}", seconds, (at_most(1.5), faster(30)))
    for size in (1, 3):
        memory = np.full((PIXELS, array.shape[0], size, size), -2, array.dtype)
        every_pixel(size, memory)(openers(sample)["ours"]())
        for i in range(PIXELS):
            np.testing.assert_array_equal(
                memory[i], expected[:, 7 : 7 + size, 5 + i : 5 + i + size]
            )
        contenders = {
            "ours": prepared(openers(sample)["ours"], every_pixel(size, memory)),
            "builtin": every_pixel_of_slices(sample, size, memory),
        }
        title = f"{PIXELS} times {size} x {size} of all bands, {sample.label}"
        yield Row(title, take_turns(contenders, rounds), (faster(100),))
    whole = int(np.prod([-(-n // c) for n, c in zip(array.shape, array.chunks)]))
    decoded = count_decoded(sample, expected.nbytes // 2)
    yield Fact(f"of {whole} chunks decoded, cache of half the cube", decoded, 2 * whole)
