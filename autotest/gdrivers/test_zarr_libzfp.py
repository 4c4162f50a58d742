# SPDX-License-Identifier: MIT
"""The plugin loads libzfp when a chunk needs the library. GDAL's programs read and write zfpy chunks. A missing libzfp
gives an error, and so does another library that replaces its functions."""

import numpy as np
import pytest
import zarr_formats
import zarr_libzfp
from osgeo import gdal
from zarr_libzfp import PIXELS, PRELOADED

pytestmark = zarr_formats.V2


@pytest.fixture
def store(tmp_path):
    return zarr_libzfp.make(tmp_path)


@pytest.mark.skipif("san" in PRELOADED, reason="sanitizers abort on RTLD_DEEPBIND")
def test_programs_of_gdal_read_and_write_zfp(store):
    """The driver calls the functions of libzfp, although Debian's gdalinfo links cfitsio, which has functions of the
    same names."""
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.ReadAsArray(), PIXELS)
    done = zarr_libzfp.run("gdalinfo", "-checksum", store)
    assert f"Checksum={dataset.GetRasterBand(1).Checksum()}\n" in done.stdout and done.stderr == ""
    done = zarr_libzfp.run("gdaladdo", "-q", "-r", "nearest", store, "2")
    assert done.returncode == 0 and done.stderr == ""
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.GetRasterBand(1).GetOverview(0).ReadAsArray(), PIXELS[::2, ::2])


def test_replaced_functions_give_an_error(store):
    done = zarr_libzfp.run_with_replaced_functions(store)
    assert "zfpy: libzfp does not work in this program, because" in done.stderr
    assert "Checksum=-1\n" in done.stdout


def test_without_the_library_nothing_is_read_or_written(store):
    done = zarr_libzfp.run_without_library(store)
    assert done.returncode == 0 and done.stdout == "None\n"
    assert "zfpy: cannot load libzfp" in done.stderr and "on Debian by the package libzfp1" in done.stderr
    dataset = gdal.Open(str(store))
    assert np.array_equal(dataset.ReadAsArray(), PIXELS)
