# SPDX-License-Identifier: MIT
"""Measures reading a whole band at full resolution into touched memory, by the raster API and by the
multidimensional API."""

import zlib

from measuring import Floor, Row, at_most, faster, preallocated, prepared, take_turns
from readers import DRIVERS, check_same, open_mdim, openers

DECODING_DOMINATES = ("blosc-zstd", "zstd", "zlib")


def band_into(memory):
    return lambda dataset: dataset.GetRasterBand(1).ReadAsArray(buf_obj=memory)


def array_into(memory):
    return lambda opened: opened[1].ReadAsArray(buf_obj=memory)


def classic(sample, memory):
    """Returns {driver: function that measures reading the band by the raster API}. Each read opens a new
    dataset, so GDAL's caches are empty."""
    return {name: prepared(each, band_into(memory)) for name, each in openers(sample).items()}


def multidimensional(sample, memory):
    return {
        name: prepared(lambda driver=driver: open_mdim(driver, sample.path), array_into(memory))
        for name, driver in DRIVERS.items()
    }


def check(sample, memory, floor):
    """Asserts that all drivers and zarr_floor read the values that zarr-python reads."""
    expected = sample.array()[...]
    for name, each in openers(sample).items():
        check_same(expected, memory, lambda into: band_into(into)(each()), f"{name} {sample.path}")
    for driver in DRIVERS.values():
        opened = open_mdim(driver, sample.path)
        check_same(expected, memory, lambda into: array_into(into)(opened), driver)
    assert floor.crc32() == zlib.crc32(expected), f"zarr_floor, {sample.path}"


def measure(setting):
    for sample in (*setting.terrain, setting.scene):
        memory = preallocated(sample.array())
        limits = [at_most(1.15)]
        if sample.label in DECODING_DOMINATES:
            limits += [faster(1.7)]
        with Floor(setting.floor, sample) as floor:
            check(sample, memory, floor)
            array = sample.array()
            zarr_python = prepared(lambda: None, lambda _: array.get_basic_selection(out=memory))
            contenders = {"floor": floor, "zarr": zarr_python}
            seconds = take_turns({**contenders, **classic(sample, memory)}, setting.rounds)
            yield Row(f"full band, {sample.label}", seconds, (*limits, faster(1, "tiff")))
            contenders = {"floor": floor, **multidimensional(sample, memory)}
            seconds = take_turns(contenders, setting.rounds)
            yield Row(f"multidimensional, {sample.label}", seconds, tuple(limits))
