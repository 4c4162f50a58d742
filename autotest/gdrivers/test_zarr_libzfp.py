# SPDX-License-Identifier: MIT
"""The plugin loads libzfp when a chunk needs the library. Programs of GDAL read and write zfpy with it. If the
library is missing or another library replaces its functions, there is an error."""

import ctypes.util
import os
import subprocess
import sys

import numpy as np
import pytest
import zarr2
import zarr_formats
from osgeo import gdal

pytestmark = zarr_formats.V2

PIXELS = np.arange(240, dtype="i4").reshape(12, 20)
SECONDS = 300
PRELOADED = os.environ.get("LD_PRELOAD", "")
# A function dlopen() that finds no libzfp.
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


@pytest.fixture
def store(tmp_path):
    """A store x.zarr with PIXELS, compressed by zfpy without loss."""
    path = tmp_path / "x.zarr"
    zarr2.call("create", str(path), "", PIXELS, compressor={"id": "zfpy", "mode": 4, "tolerance": -1})
    return path


def run(*words, preload=""):
    """Runs a program with the library `preload` loaded before all others."""
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=SECONDS, check=False,
                          env=os.environ | {"LD_PRELOAD": f"{PRELOADED} {preload}"})  # fmt: skip


@pytest.mark.skipif("san" in PRELOADED, reason="sanitizers abort on RTLD_DEEPBIND")
def test_programs_of_gdal_read_and_write_zfp(store):
    """Debian's gdalinfo links cfitsio, which has functions with the names of libzfp's."""
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.ReadAsArray(), PIXELS)
    done = run("gdalinfo", "-checksum", store)
    assert f"Checksum={dataset.GetRasterBand(1).Checksum()}\n" in done.stdout and done.stderr == ""
    done = run("gdaladdo", "-q", "-r", "nearest", store, "2")
    assert done.returncode == 0 and done.stderr == ""
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.GetRasterBand(1).GetOverview(0).ReadAsArray(), PIXELS[::2, ::2])


def test_replaced_functions_give_an_error(store):
    """If a program has loaded libzfp before the plugin, cfitsio's functions have replaced libzfp's there."""
    done = run("gdalinfo", "-checksum", store,
               preload=" ".join(ctypes.util.find_library(name) for name in ("cfitsio", "zfp")))  # fmt: skip
    assert "zfpy: libzfp does not work in this program, because" in done.stderr
    assert "Checksum=-1\n" in done.stdout


def test_missing_library_gives_an_error(store, tmp_path):
    source, library = tmp_path / "no_libzfp.cpp", tmp_path / "no_libzfp.so"
    source.write_text(NO_LIBZFP)
    subprocess.run(["g++", "-shared", "-fPIC", "-D_GNU_SOURCE", source, "-o", library], timeout=SECONDS, check=True)
    program = ("from osgeo import gdal; gdal.DontUseExceptions(); import sys\n"
               "dataset = gdal.OpenEx(sys.argv[1], gdal.OF_UPDATE)\n"
               "print(dataset.ReadAsArray())\n"
               "print(dataset.GetRasterBand(1).Fill(1), dataset.FlushCache())\n")  # fmt: skip
    done = run(sys.executable, "-c", program, store, preload=library)
    assert done.returncode == 0 and "None\n" in done.stdout
    assert "zfpy: cannot load libzfp" in done.stderr and "on Debian by the package libzfp1" in done.stderr
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.ReadAsArray(), PIXELS)
