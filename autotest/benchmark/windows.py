# SPDX-License-Identifier: MIT
"""Measures reading parts of a scene: strips from top to bottom, and windows at random positions. The lower
bound for windows decodes each overlapping chunk once, on all cores, and then copies the windows."""

import numpy as np
from measuring import Floor, Row, at_most, faster, prepared, take_turns
from readers import openers
from samples import SEED

STRIP_ROWS = 256
WINDOWS = 100


def strips(shape):
    rows, columns = shape
    return [(0, top, columns, min(STRIP_ROWS, rows - top)) for top in range(0, rows, STRIP_ROWS)]


def random_windows(shape, size):
    chance = np.random.Generator(np.random.PCG64(SEED))
    return [
        (int(chance.integers(shape[1] - size)), int(chance.integers(shape[0] - size)), size, size)
        for _ in range(WINDOWS)
    ]


def read_all(windows, memory):
    def read(dataset):
        band = dataset.GetRasterBand(1)
        for window, part in zip(windows, memory):
            band.ReadAsArray(*window, buf_obj=part)

    return read


def measure(setting):
    sample = setting.scene
    array = sample.array()
    side = 700 * array.shape[0] // 8192 + 1
    tasks = {
        f"strips of {STRIP_ROWS} rows, {sample.label}": strips(array.shape),
        f"{WINDOWS} windows of {side} x {side}, {sample.label}": random_windows(array.shape, side),
    }
    expected = array[...]
    with Floor(setting.floor, sample) as floor:
        for title, windows in tasks.items():
            memory = [np.full((h, w), 0xFEFE, array.dtype) for _, _, w, h in windows]
            # The strips together are the whole array, so their lower bound is reading the whole array.
            contenders = {"floor": floor.windows_contender(windows) if "windows" in title else floor}
            for name, each in openers(sample).items():
                read_all(windows, memory)(each())
                for (x, y, w, h), part in zip(windows, memory):
                    np.testing.assert_array_equal(part, expected[y : y + h, x : x + w], name)
                    part.fill(0xFEFE)
                contenders[name] = prepared(each, read_all(windows, memory))
            yield Row(title, take_turns(contenders, setting.rounds), (at_most(1.3), faster(1)))
