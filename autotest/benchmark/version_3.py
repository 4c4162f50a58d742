# SPDX-License-Identifier: MIT
"""Measures arrays of Zarr v3, with and without shards, which zarr-python 3 has written."""

import itertools
import pathlib
import shutil
import tempfile

import numpy as np
from cube import every_band, every_pixel
from full_band import array_into, band_into
from measuring import (
    OURS,
    Fact,
    Floor,
    Row,
    at_most,
    counters,
    open_with,
    preallocated,
    prepared,
    take_turns,
    timed,
)
from osgeo import gdal
from readers import open_mdim, open_tiff
from samples import version_3_samples

ROUNDS = 5
PIXELS = 10
BLOSC = ["COMPRESS=BLOSC", "BLOSC_CNAME=lz4", "BLOSC_CLEVEL=5", "BLOSC_SHUFFLE=BYTE"]


def whole(sample, setting):
    """Yields the times for reading the whole array by the raster API and by the multidimensional API."""
    expected = sample.array()[...]
    memory = preallocated(expected)
    readers = {
        "full band": (lambda: open_with(OURS, sample.path), band_into(memory)),
        "multidimensional": (lambda: open_mdim(OURS, sample.path), array_into(memory)),
    }
    with Floor(setting.floor, sample) as floor:
        for title, (opened, read) in readers.items():
            memory.view("u1").fill(0xFE)
            read(opened())
            np.testing.assert_array_equal(memory, expected, sample.path)
            contenders = {"floor": floor, "ours": prepared(opened, read)}
            if sample.tiff is not None and title == "full band":
                contenders["tiff"] = prepared(lambda: open_tiff(sample.tiff), read)
            seconds = take_turns(contenders, setting.rounds)
            yield Row(f"{title}, {sample.label}", seconds, (at_most(1.15),))


def bands(sample, setting):
    """Yields the times for reading a cube band after band, and for reading single pixels of all bands."""
    expected = sample.array()[...]
    memory = np.full(expected.shape, -2, expected.dtype)
    opened = lambda: open_with(OURS, sample.path)  # noqa: E731
    with Floor(setting.floor, sample) as floor:
        every_band(memory)(opened())
        np.testing.assert_array_equal(memory, expected)
        contenders = {"floor": floor, "ours": prepared(opened, every_band(memory))}
        seconds = take_turns(contenders, min(ROUNDS, setting.rounds))
        yield Row(f"each band in turn, {sample.label}", seconds, (at_most(1.5),))
    series = np.full((PIXELS, len(expected), 1, 1), -2, expected.dtype)
    read = every_pixel(1, series)
    seconds = take_turns({"ours": prepared(opened, read)}, min(ROUNDS, setting.rounds))
    for i in range(PIXELS):
        np.testing.assert_array_equal(series[i, :, 0, 0], expected[:, 7, 5 + i])
    title = f"{PIXELS} pixels of all bands, {sample.label}, milliseconds"
    yield Fact(title, 1000 * np.median(seconds["ours"]), 100)


def stored_sizes(sample, window):
    """Returns the encoded size in bytes of each chunk that overlaps a window. Reads the sizes from the shard
    indexes."""
    x, y, width, height = window
    rows, columns = sample.chunks
    per_shard = [shard // chunk for shard, chunk in zip(sample.shards, sample.chunks)]
    count = int(np.prod(per_shard))
    sizes = []
    for i, j in itertools.product(
        range(y // rows, (y + height - 1) // rows + 1),
        range(x // columns, (x + width - 1) // columns + 1),
    ):
        shard = pathlib.Path(sample.path, "c", str(i // per_shard[0]), str(j // per_shard[1]))
        index = np.frombuffer(shard.read_bytes()[-(16 * count + 4) : -4], "<u8").reshape(count, 2)
        sizes.append(int(index[i % per_shard[0] * per_shard[1] + j % per_shard[1], 1]))
    return sizes


def window_of(sample):
    """Yields how many chunks are decoded and how many bytes are read for a window, each with its lower bound."""
    expected = sample.array()
    side = expected.shape[0] // 4
    window = (expected.shape[1] // 5, expected.shape[0] // 3, side, side)
    sizes = stored_sizes(sample, window)
    before = counters()
    pixels = open_with(OURS, sample.path).ReadAsArray(*window)
    after = counters()
    x, y, width, height = window
    np.testing.assert_array_equal(pixels, expected[y : y + height, x : x + width])
    title = f"a window of {side} x {side} of a {sample.label}"
    decoded = after["CHUNKS_DECODED"] - before["CHUNKS_DECODED"]
    yield Fact(f"chunks decoded for {title}", decoded, len(sizes))
    read = after["BYTES_READ"] - before["BYTES_READ"]
    yield Fact(f"bytes read for {title}, of those needed", read / sum(sizes), 1.1)


def round_trip(setting):
    """Yields the time for writing a raster with shards and reading it again. The lower bound is this driver's
    time in Zarr v2."""
    sample = setting.terrain_of["blosc-lz4"]
    expected = sample.array()[...]
    source = gdal.GetDriverByName("MEM").Create(
        "", expected.shape[1], expected.shape[0], 1, gdal.GDT_Float32
    )
    source.WriteArray(expected)
    chunk = sample.chunks[0]
    memory = preallocated(expected)
    options = {
        "floor": [f"BLOCKSIZE={chunk},{chunk}", *BLOSC],
        "ours": [
            "FORMAT=ZARR_V3", f"BLOCKSIZE={4 * chunk},{4 * chunk}",
            f"SHARD_CHUNK_SHAPE={chunk},{chunk}", *BLOSC,
        ],
    }  # fmt: skip
    with tempfile.TemporaryDirectory(dir=setting.data) as folder:
        turns = itertools.count()  # each run writes a new store, because some file systems are slow after a deletion

        def write_and_read(name):
            path = pathlib.Path(folder, f"{next(turns)}.zarr")

            def act():
                gdal.Translate(str(path), source, format=OURS, creationOptions=options[name])
                band_into(memory)(open_with(OURS, str(path)))

            memory.view("u1").fill(0xFE)
            seconds = timed(act)()
            np.testing.assert_array_equal(memory, expected)
            assert (path / "zarr.json").exists() == (name == "ours")
            shutil.rmtree(path)
            return seconds

        contenders = {name: lambda name=name: write_and_read(name) for name in options}
        seconds = take_turns(contenders, setting.rounds)
    yield Row("written and read back, v3, sharded (floor: v2)", seconds, (at_most(1.1),))


def measure(setting):
    samples = version_3_samples(setting.data, setting.terrain_of, setting.scene, setting.cube)
    for label in ("zstd", "sharded, blosc-lz4"):
        yield from whole(samples[label], setting)
    yield from bands(samples["sharded cube"], setting)
    yield from window_of(samples["sharded scene"])
    yield from round_trip(setting)
