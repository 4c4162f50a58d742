# SPDX-License-Identifier: MIT
"""Arrays for the benchmarks. They are written once to a folder, and are equal on all machines."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import zarr
from numcodecs import Blosc, Zlib, Zstd
from osgeo import gdal

GDRIVERS = pathlib.Path(__file__).resolve().parents[1] / "gdrivers"
sys.path.insert(0, str(GDRIVERS))

import zarr3  # noqa: E402  (in the folder that joined the path above)

SEED = 20200101
VERSION = 2  # part of the folders' names; increased when the arrays change, so that older folders are not used

BLOSC_LZ4 = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)
BLOSC_ZSTD = Blosc(cname="zstd", clevel=5, shuffle=Blosc.SHUFFLE)
# (label, codec of numcodecs, codec's name in zarr_floor, creation options for a comparable GeoTIFF). Levels of
# compression are the usual defaults.
CODECS = (
    ("blosc-lz4", BLOSC_LZ4, "blosc", ["COMPRESS=ZSTD", "PREDICTOR=2"]),
    ("blosc-zstd", BLOSC_ZSTD, "blosc", ["COMPRESS=ZSTD", "PREDICTOR=2"]),
    ("zstd", Zstd(level=3), "zstd", ["COMPRESS=ZSTD", "ZSTD_LEVEL=3"]),
    ("zlib", Zlib(level=6), "zlib", ["COMPRESS=DEFLATE", "ZLEVEL=6"]),
    ("none", None, "none", ["COMPRESS=NONE"]),
)

FRAMES = "zstd in 16 frames"
ONE_CHUNK = {"blosc-lz4": BLOSC_LZ4, "blosc-zstd": BLOSC_ZSTD, "none": None, FRAMES: Zstd(level=3)}


def fractal(size):
    """Returns a random surface of size x size elements that looks like a landscape. Its mean is 0, its standard
    deviation 1."""
    white = np.random.Generator(np.random.PCG64(SEED)).standard_normal((size, size))
    spectrum = np.fft.rfft2(white)
    del white
    ky = np.fft.fftfreq(size)[:, None] * size
    kx = np.fft.rfftfreq(size)[None, :] * size
    k2 = ky**2 + kx**2
    k2[0, 0] = 1.0
    spectrum *= k2**-0.95
    spectrum[0, 0] = 0.0
    surface = np.fft.irfft2(spectrum, s=(size, size))
    return (surface - surface.mean()) / surface.std()


def terrain(size):
    """Returns elevations in metres, rounded to decimetres. The sea is at 0."""
    metres = 350.0 + 420.0 * fractal(size)
    return np.maximum(np.round(metres, 1), 0.0).astype("<f4")


def scene(size):
    """Returns reflectances of a satellite's band, with noise."""
    noise = np.random.Generator(np.random.PCG64(SEED)).normal(0, 12, (size, size))
    return np.clip(2400 + 900 * fractal(size) + noise, 0, 65535).astype("<u2")


def cube(times, height, width):
    """Returns a field that moves at each time step, packed into integers as in climate data."""
    field = 1500 * fractal(max(height, width))[:height, :width]
    steps = np.arange(times)
    drift = 400 * np.sin(2 * np.pi * steps / 60)
    cells = np.empty((times, height, width), "<i2")
    for step in steps:
        cells[step] = np.roll(field, 2 * step, axis=1) + drift[step]
    return cells


class Sample:
    """Array for a benchmark, in its own store. `tiff` is the path of a GeoTIFF with equal values, or None."""

    def __init__(self, label, path, floor_codec, tiff=None):
        self.label = label
        self.path = str(path)
        self.floor_codec = floor_codec
        self.tiff = None if tiff is None else str(tiff)

    def array(self):
        return zarr.open_array(self.path, mode="r")

    @property
    def chunks(self):
        return self.array().chunks

    shards = None


class Version3Sample(Sample):
    """Array of Zarr v3 for a benchmark, in its own store, with the values of the Sample `same`. Without shards,
    `shards` equals `chunks`."""

    def __init__(self, label, path, floor_codec, same, chunks, shards):
        super().__init__(label, path, floor_codec, same.tiff)
        self.same, self._chunks, self.shards = same, chunks, shards

    def array(self):
        return self.same.array()

    @property
    def chunks(self):
        return self._chunks


def kept(folder, name, make):
    """Returns the path of the folder that keeps the data `name` in `folder`. If the folder is missing, make(path)
    writes it first."""
    home = pathlib.Path(folder) / f"{name}-v{VERSION}"
    if not home.is_dir():
        print(f"making {home} ...", flush=True)
        unfinished = pathlib.Path(f"{home}.{os.getpid()}")
        unfinished.mkdir(parents=True)
        make(unfinished)
        try:
            unfinished.rename(home)
        except OSError:  # another process has made the folder in the meantime
            shutil.rmtree(unfinished)
    return home


def save(path, data, chunks, codec):
    array = zarr.open_array(
        zarr.DirectoryStore(str(path)),
        mode="w",
        shape=data.shape,
        dtype=data.dtype,
        chunks=chunks,
        compressor=codec,
        fill_value=None,
    )
    array[...] = data


def tiff_from(store, path, chunk, options, driver="GTiff"):
    """Writes a store's array to a GeoTIFF, with tiles as large as the chunks, on all cores."""
    blocks = ["TILED=YES", f"BLOCKXSIZE={chunk}", f"BLOCKYSIZE={chunk}"]
    if driver == "COG":
        blocks = [f"BLOCKSIZE={chunk}"]
    gdal.Translate(
        str(path),
        str(store),
        format=driver,
        creationOptions=[*blocks, *options, "NUM_THREADS=ALL_CPUS", "BIGTIFF=IF_SAFER"],
    )


def terrain_samples(folder, size, chunk):
    """Returns a list of Samples with the terrain, one for each codec."""

    def make(home):
        data = terrain(size)
        for label, codec, _, tiff_options in CODECS:
            save(home / f"{label}.zarr", data, (chunk, chunk), codec)
            tiff_from(home / f"{label}.zarr", home / f"{label}.tif", chunk, tiff_options)

    home = kept(folder, f"terrain-{size}-{chunk}", make)
    return [
        Sample(label, home / f"{label}.zarr", floor, home / f"{label}.tif")
        for label, _, floor, _ in CODECS
    ]


def shaded_sample(folder, size, chunk):
    """Returns a Sample with a shaded picture of the terrain: uint8 in small chunks."""

    def make(home):
        height = terrain(size)
        shade = np.clip(128 + 8 * (np.roll(height, 1, 0) - height), 0, 255).astype("u1")
        save(home / "shaded.zarr", shade, (chunk, chunk), Zstd(level=3))

    home = kept(folder, f"shaded-{size}-{chunk}", make)
    return Sample("uint8 in small chunks, zstd", home / "shaded.zarr", "zstd")


def one_chunk_samples(folder, size):
    """Returns a list of Samples with the terrain in a single chunk, as in archives of reanalyses. The chunk of the last
    Sample has several Zstandard frames, which some readers do not support."""

    def make(home):
        data = terrain(size)
        for label, codec in ONE_CHUNK.items():
            path = home / f"{label}.zarr"
            save(path, data, data.shape, codec)
            if label == FRAMES:
                parts = np.array_split(data, 16)
                frames = [bytes(codec.encode(np.ascontiguousarray(part))) for part in parts]
                (path / "0.0").write_bytes(b"".join(frames))

    home = kept(folder, f"one-chunk-{size}", make)
    floors = {"blosc-lz4": "blosc", "blosc-zstd": "blosc", "none": "none", FRAMES: "zstd"}
    return [
        Sample(f"one chunk, {label}", home / f"{label}.zarr", floors[label]) for label in ONE_CHUNK
    ]


def scene_sample(folder, size, chunk):
    def make(home):
        save(home / "scene.zarr", scene(size), (chunk, chunk), BLOSC_LZ4)
        tiff_from(
            home / "scene.zarr", home / "scene.tif", chunk, ["COMPRESS=ZSTD", "PREDICTOR=2"]
        )

    home = kept(folder, f"scene-{size}-{chunk}", make)
    return Sample("scene, blosc-lz4", home / "scene.zarr", "blosc", home / "scene.tif")


def cube_sample(folder, shape, chunks):
    def make(home):
        save(home / "cube.zarr", cube(*shape), chunks, BLOSC_LZ4)

    name = "cube-" + "x".join(map(str, shape)) + "-" + "x".join(map(str, chunks))
    home = kept(folder, name, make)
    return Sample("cube, blosc-lz4", home / "cube.zarr", "blosc")


def write_version_3(path, values, chunks, shards, codecs):
    """Writes an array with zarr-python 3, in another process. `codecs` follow the codec "bytes"."""
    codecs = [zarr3.LITTLE, *codecs]
    if shards != chunks:
        codecs = [zarr3.sharding(chunks, codecs)]
    between = path.parent / "between.npy"
    # zarr_floor cannot read absent chunks. The fill value therefore does not occur in the array, so that
    # zarr-python stores every chunk.
    fill_value = np.iinfo(values.dtype).max if values.dtype.kind == "u" else -9999
    document = zarr3.document(values.shape, values.dtype.name, shards, codecs, int(fill_value))
    np.save(between, values)
    script = """import json, sys, numpy, zarr3_arrays
values = numpy.load(sys.argv[2])
array = zarr3_arrays.array(sys.argv[1], "", json.loads(sys.argv[3]), values)
numpy.testing.assert_array_equal(array.values, values)"""
    command = [zarr3.TOOLS / "python/bin/python", "-c", script, path, between, json.dumps(document)]
    environment = {**os.environ, "PYTHONPATH": str(GDRIVERS)}
    subprocess.run([str(word) for word in command], env=environment, check=True)
    between.unlink()


def version_3_sample(folder, label, terrain, floor_codec, chunks, shards, codecs):
    """Returns a Version3Sample with the values of `terrain`, a Sample of Zarr v2. Without shards, `shards` equals
    `chunks`."""
    array = terrain.array()

    def make(home):
        write_version_3(home / "array.zarr", array[...], chunks, shards, codecs)

    sizes = "-".join("x".join(map(str, each)) for each in (array.shape, chunks, shards))
    name = label.replace(",", "").replace(" ", "-")
    home = kept(folder, f"v3-{name}-{sizes}", make)
    return Version3Sample(f"v3, {label}", home / "array.zarr", floor_codec, terrain, chunks, shards)


def version_3_samples(folder, terrain_of, scene_of, cube_of):
    """Returns {label: Version3Sample}: the terrain in chunks with zstd, the terrain in shards with blosc, and
    the scene and the cube in shards. `terrain_of` is {label: Sample of Zarr v2}. The other arguments are
    Samples of Zarr v2."""
    plain = terrain_of["zstd"].chunks
    shards = tuple(4 * size for size in plain)
    inner = tuple(size // 2 for size in scene_of.chunks)
    scene_shards = tuple(4 * size for size in scene_of.chunks)
    cube_chunks = cube_of.chunks
    cube_shards = tuple(2 * size for size in cube_chunks)
    words, floats = [zarr3.blosc(typesize=2)], [zarr3.blosc(typesize=4)]
    of = terrain_of
    wanted = (
        ("zstd", of["zstd"], "zstd", plain, plain, [zarr3.zstd(3)]),
        ("sharded, blosc-lz4", of["blosc-lz4"], "blosc", plain, shards, floats),
        ("sharded scene", scene_of, "blosc", inner, scene_shards, words),
        ("sharded cube", cube_of, "blosc", cube_chunks, cube_shards, words),
    )
    return {label: version_3_sample(folder, label, *rest) for label, *rest in wanted}


def more_version_3_samples(folder, terrain_of):
    """Returns Version3Samples of the terrain: in chunks with codecs that version_3_samples() does not have, and
    in shards."""
    plain = terrain_of["zstd"].chunks
    shards = tuple(4 * size for size in plain)
    wanted = (
        ("blosc-lz4", "blosc", plain, [zarr3.blosc(typesize=4)]),
        ("blosc-zstd", "blosc", plain, [zarr3.blosc("zstd", typesize=4)]),
        ("gzip", "gzip", plain, [zarr3.gzip(6)]),
        ("none", "none", plain, []),
        ("sharded, blosc-zstd", "blosc", shards, [zarr3.blosc("zstd", typesize=4)]),
        ("sharded, zstd", "zstd", shards, [zarr3.zstd(3)]),
        ("sharded, gzip", "gzip", shards, [zarr3.gzip(6)]),
        ("sharded, none", "none", shards, []),
    )
    terrain = terrain_of["none"]
    return [
        version_3_sample(folder, label, terrain, floor_codec, plain, outer, codecs)
        for label, floor_codec, outer, codecs in wanted
    ]
