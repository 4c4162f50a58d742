# SPDX-License-Identifier: MIT
"""A store compressed by zfpy, and programs in which the plugin cannot use libzfp."""

import ctypes.util
import os
import subprocess
import sys

import numpy as np
import pytest
import zarr2

PIXELS = np.arange(240, dtype="i4").reshape(12, 20)
SECONDS = 300
PRELOADED = os.environ.get("LD_PRELOAD", "")
# C++ source of a library that is preloaded. Its dlopen() never finds libzfp.
NO_LIBZFP = """
#include <dlfcn.h>
#include <string.h>
extern "C" void* dlopen(const char* name, int flags) {
    using Function = void* (*)(const char*, int);
    const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "dlopen"));
    const bool is_libzfp = name != nullptr && strncmp(name, "libzfp", 6) == 0;
    return next(is_libzfp ? "libzfp_is_missing.so" : name, flags);
}
"""
# Python program that reads a store and overwrites its chunks.
READ_AND_WRITE = """
import sys
from osgeo import gdal
gdal.DontUseExceptions()
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_UPDATE)
print(dataset.ReadAsArray())
dataset.GetRasterBand(1).Fill(1)
dataset = None
"""


def make(folder):
    """Writes PIXELS to folder/x.zarr, compressed by zfpy without loss. Returns the path of the store."""
    if not zarr2.call("has_codec", "zfpy"):
        pytest.skip("numcodecs of zarr-python 2 has no zfpy beside its NumPy")
    path = folder / "x.zarr"
    zarr2.call("create", str(path), "", PIXELS, compressor={"id": "zfpy", "mode": 4, "tolerance": -1})
    return path


def run(*words, preload=""):
    """Runs a program, which loads the libraries `preload` before all others. Returns the ended process."""
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=SECONDS, check=False,
                          env=os.environ | {"LD_PRELOAD": f"{PRELOADED} {preload}"})  # fmt: skip


def run_with_replaced_functions(store):
    """Runs gdalinfo with cfitsio and libzfp loaded before the plugin. cfitsio's functions then replace libzfp's."""
    libraries = [ctypes.util.find_library(name) for name in ("cfitsio", "zfp")]
    return run("gdalinfo", "-checksum", store, preload=" ".join(libraries))


def run_without_library(store):
    """Runs READ_AND_WRITE in a process that does not find libzfp."""
    source, library = store.parent / "no_libzfp.cpp", store.parent / "no_libzfp.so"
    source.write_text(NO_LIBZFP)
    subprocess.run(["g++", "-shared", "-fPIC", "-D_GNU_SOURCE", source, "-o", library], timeout=SECONDS, check=True)
    return run(sys.executable, "-c", READ_AND_WRITE, store, preload=library)
