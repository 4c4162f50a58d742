# SPDX-License-Identifier: MIT
"""Measures writing: converting a GeoTIFF to Zarr, and writing an array row by row."""

import itertools
import os
import pathlib
import shutil
import tempfile
import threading

import numpy as np
import zarr
from measuring import BUILTIN, OURS, Fact, Floor, Row, at_most, counters, faster, take_turns, timed
from numcodecs import Zlib, Zstd
from osgeo import gdal
from samples import BLOSC_LZ4

ROUNDS = 5
# (name, creation options, codec of numcodecs, creation options of the GeoTIFF, (sample that zarr_floor reads,
# VARIANT of zarr_floor))
CODECS = (
    (
        "zstd 3",
        ["COMPRESS=ZSTD", "ZSTD_LEVEL=3"],
        Zstd(3),
        ["COMPRESS=ZSTD", "ZSTD_LEVEL=3"],
        ("zstd", "3"),
    ),
    (
        "blosc-lz4",
        ["COMPRESS=BLOSC", "BLOSC_CNAME=lz4", "BLOSC_CLEVEL=5", "BLOSC_SHUFFLE=BYTE"],
        BLOSC_LZ4,
        ["COMPRESS=ZSTD", "PREDICTOR=2"],
        ("blosc-lz4", "lz4"),
    ),
    (
        "zlib 6",
        ["COMPRESS=ZLIB", "ZLIB_LEVEL=6"],
        Zlib(6),
        ["COMPRESS=DEFLATE", "ZLEVEL=6"],
        ("zlib", "6"),
    ),
)


def converters(source, folder, chunk, codec, floor):
    """Returns {program: function that converts `source` to a new file}. The lower bound reads the GeoTIFF,
    encodes the chunks with the codec library and writes them concurrently, on all cores."""
    _, options, compressor, tiff_options, (_, variant) = codec
    block = [f"BLOCKSIZE={chunk},{chunk}", *options]
    tiled = ["TILED=YES", f"BLOCKXSIZE={chunk}", f"BLOCKYSIZE={chunk}", "NUM_THREADS=ALL_CPUS"]

    # Each run writes a new file, because some file systems are slow after a deletion.
    turns = itertools.count()

    def by_gdal(driver, name, creation):
        def run():
            target = str(folder / f"{next(turns)}-{name}")
            return timed(
                lambda: gdal.Translate(target, source, format=driver, creationOptions=creation)
            )()

        return run

    def by_zarr():
        target = str(folder / f"{next(turns)}-python.zarr")

        def convert():
            data = gdal.Open(source).ReadAsArray()
            array = zarr.open_array(
                target, "w", data.shape, (chunk, chunk), data.dtype, compressor=compressor
            )
            array[...] = data

        return timed(convert)()

    def least():
        target = folder / f"{next(turns)}-floor"
        writing = threading.Thread(target=floor.writing, args=(target, variant))

        def both():
            writing.start()
            gdal.OpenEx(source, open_options=["NUM_THREADS=ALL_CPUS"]).ReadAsArray()
            writing.join()

        return timed(both)()

    return {
        "floor": least,
        "ours": by_gdal(OURS, "ours.zarr", block),
        "builtin": by_gdal(BUILTIN, "builtin.zarr", block),
        "tiff": by_gdal("GTiff", "other.tif", tiled + tiff_options),
        "zarr": by_zarr,
    }


def count_stored(folder, size, chunk):
    """Writes rows from top to bottom, with a cache that holds only a small part of the array. Returns how many
    chunks were stored."""
    path = str(folder / "rows.zarr")
    before = gdal.GetCacheMax()
    gdal.SetCacheMax(16 << 20)
    try:
        start = counters("WRITE_COUNTERS")["CHUNKS_WRITTEN"]
        dataset = gdal.GetDriverByName(OURS).Create(
            path, size, size, 1, gdal.GDT_Float32, [f"BLOCKSIZE={chunk},{chunk}", "COMPRESS=ZSTD"]
        )
        row = np.arange(size, dtype="f4")[np.newaxis]
        band = dataset.GetRasterBand(1)
        for y in range(size):
            band.WriteArray(row + y, 0, y)
        del band, dataset
        end = counters("WRITE_COUNTERS")["CHUNKS_WRITTEN"]
    finally:
        gdal.SetCacheMax(before)
    return end - start


def measure(setting):
    source = next(each for each in setting.terrain if each.label == "none")
    chunk = source.array().chunks[0]
    expected = source.array()[...]
    with tempfile.TemporaryDirectory(dir=setting.data) as name:
        folder = pathlib.Path(name)
        for codec in CODECS:
            with Floor(setting.floor, setting.terrain_of[codec[-1][0]]) as floor:
                floor.crc32()  # loads the values that zarr_floor writes later
                contenders = converters(source.tiff, folder, chunk, codec, floor)
                seconds = take_turns(contenders, min(ROUNDS, setting.rounds))
            for store in ("ours", "builtin"):
                written = zarr.open(str(next(folder.glob(f"*-{store}.zarr"))), mode="r")
                array = next(a for _, a in written.arrays() if a.ndim == 2)
                np.testing.assert_array_equal(array[...], expected)
            for made in folder.iterdir():
                shutil.rmtree(made) if made.is_dir() else made.unlink()
            cores = len(os.sched_getaffinity(0))
            limit = (at_most(1.1), faster(1 / 0.6)) if cores > 1 else ()
            yield Row(f"GeoTIFF to Zarr, {codec[0]}", seconds, limit)
        size = 2048 if setting.small else 8192
        whole = (-(-size // chunk)) ** 2
        yield Fact("chunks encoded, written row by row", count_stored(folder, size, chunk), whole)
