# SPDX-License-Identifier: MIT
"""Measures the time of a small read from cached data."""

import numpy as np
from measuring import Row, at_most, prepared, take_turns
from readers import openers
from samples import SEED

READS = 20000


def measure(setting):
    sample = next(each for each in setting.terrain if each.label == "zstd")
    array = sample.array()
    chance = np.random.Generator(np.random.PCG64(SEED))
    side = min(array.shape[0], 2048)
    places = [tuple(map(int, chance.integers(side, size=2))) for _ in range(READS)]

    def warm(opener):
        dataset = opener()
        dataset.ReadAsArray(0, 0, side, side)
        for x, y in places[:1000]:
            dataset.GetRasterBand(1).ReadRaster(x, y, 1, 1)
        return dataset

    def read(dataset):
        band = dataset.GetRasterBand(1)
        for x, y in places:
            band.ReadRaster(x, y, 1, 1)

    contenders = {
        name: prepared(lambda each=each: warm(each), read) for name, each in openers(sample).items()
    }
    seconds = take_turns(contenders, min(5, setting.rounds))
    yield Row(f"{READS} reads of 1 x 1, warm, {sample.label}", seconds, (at_most(2, "tiff"),))
