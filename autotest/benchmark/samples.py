# SPDX-License-Identifier: MIT
"""The data that the benchmarks read: made once, kept in a folder, the same on every machine."""

import os
import pathlib
import shutil

import numpy as np
import zarr
from numcodecs import Blosc, Zlib, Zstd

SEED = 20200101
VERSION = 1  # of the data; part of the folder's name, so that older data is not taken for new

# Label, codec as numcodecs has it, and its name for zarr_floor. Levels are the usual defaults.
CODECS = (
    ("blosc-lz4", Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE), "blosc"),
    ("blosc-zstd", Blosc(cname="zstd", clevel=5, shuffle=Blosc.SHUFFLE), "blosc"),
    ("zstd", Zstd(level=3), "zstd"),
    ("zlib", Zlib(level=6), "zlib"),
    ("none", None, "none"),
)


def fractal(size):
    """A random surface with the spectrum of a landscape, size x size: mean 0, deviation 1."""
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
    """Elevations in metres, whole decimetres as surveys deliver them; the sea lies at 0."""
    metres = 350.0 + 420.0 * fractal(size)
    return np.maximum(np.round(metres, 1), 0.0).astype("<f4")


class Sample:
    """An array in a store of its own."""

    def __init__(self, label, path, floor_codec):
        self.label = label
        self.path = str(path)
        self.floor_codec = floor_codec

    def array(self):
        return zarr.open_array(self.path, mode="r")


def terrain_samples(folder, size, chunk):
    """The terrain, once per codec, in a subfolder of `folder`; made where it is not there."""
    home = pathlib.Path(folder) / f"terrain-{size}-{chunk}-v{VERSION}"
    if not home.is_dir():
        print(f"making {home} ...", flush=True)
        unfinished = pathlib.Path(f"{home}.{os.getpid()}")
        data = terrain(size)
        for label, codec, _ in CODECS:
            zarr.save_array(
                zarr.DirectoryStore(str(unfinished / f"{label}.zarr")),
                data,
                chunks=(chunk, chunk),
                compressor=codec,
            )
        try:
            unfinished.rename(home)
        except OSError:  # another run was faster
            shutil.rmtree(unfinished)
    return [Sample(label, home / f"{label}.zarr", floor) for label, _, floor in CODECS]
