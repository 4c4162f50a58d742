# SPDX-License-Identifier: MIT
"""Overviews built by gdaladdo, and by the creation options OVERVIEWS and OVERVIEW_RESAMPLING."""

import os
import subprocess

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import error_log, open_raster
from zarr_overviews import (StopAt, check_consolidated, check_levels, entries, gtiff_levels,
                            level_folders, make, sizes, smooth)

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def run(*command):
    environment = dict(os.environ)
    return subprocess.run([str(word) for word in command], env=environment, capture_output=True,
                          text=True)  # fmt: skip


@pytest.mark.slow
def test_gdaladdo(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 600, 500)
    make(store, values)
    before = entries(store)
    done = run("gdaladdo", "-r", "average", store, 2, 4)
    assert done.returncode == 0 and done.stderr == "", done
    assert "100 - done" in done.stdout
    check_levels(open_raster(store), gtiff_levels(tmp_path, values, "AVERAGE", [2, 4]))
    told = run("gdalinfo", store).stdout
    assert "Overviews: 250x300, 125x150" in told and "SUBDATASET" not in told
    assert run("gdaladdo", "-clean", store).returncode == 0
    assert entries(store) == before
    assert run("gdaladdo", store).returncode == 0  # without factors, gdaladdo chooses them
    assert sizes(open_raster(store)) == [(250, 300), (125, 150)]
    assert not (tmp_path / "a.zarr.ovr").exists()
    assert run("gdaladdo", "-clean", store).returncode == 0
    assert run("gdaladdo", "-ro", store, 2).returncode == 0
    assert (tmp_path / "a.zarr.ovr").exists() and level_folders(store) == []
    cpl.assert_quiet()


@pytest.mark.parametrize("text,wanted", [
    ("NONE", []), ("AUTO", [(300, 260), (150, 130)]), ("2,8", [(300, 260), (75, 65)]),
    ("3", [(200, 174)]), ("auto", [(300, 260), (150, 130)])])  # fmt: skip
@pytest.mark.parametrize("copy", [True, False])
def test_creation_option(tmp_path, rng, text, wanted, copy, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 520, 600, "u2")
    options = [f"OVERVIEWS={text}", "OVERVIEW_RESAMPLING=AVERAGE"]
    if copy:
        source = make(tmp_path / "s.tif", values, driver="GTiff")
        stop = StopAt(2)
        gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options, callback=stop)
        assert stop.seen == sorted(stop.seen) and stop.seen[-1] == 1
    else:
        make(store, values, *options)
    opened = open_raster(store)
    assert sizes(opened) == wanted
    factors = [round(600 / width) for width, _ in wanted]
    if factors:
        check_levels(opened, gtiff_levels(tmp_path, values, "AVERAGE", factors))
    check_consolidated(store)
    cpl.assert_quiet()


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_a_cancelled_copy_is_deleted(tmp_path, rng, share, cpl):
    """A copy that is cancelled leaves no store. It is cancelled once while pixels are copied, and once while overviews
    are built."""
    source = make(tmp_path / "s.tif", smooth(rng, 1, 520, 600), driver="GTiff")
    with error_log() as log:
        copy = gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), source, options=["OVERVIEWS=2,4"], callback=StopAt(share))
    assert copy is None and len(log.errors) <= 1
    assert not (tmp_path / "a.zarr").exists()
    cpl.assert_quiet()


@pytest.mark.parametrize("option,word", [
    ("OVERVIEWS=1", "from 2 on"), ("OVERVIEWS=two", "two"), ("OVERVIEWS=2;4", "2;4"),
    ("OVERVIEWS=", "AUTO"), ("OVERVIEWS=99999999999", "from 2 on"),
    ("OVERVIEW_RESAMPLING=BEST", "BEST")])  # fmt: skip
def test_bad_options(tmp_path, option, word, cpl):
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 9, 9, options=[option])
    assert made is None and not (tmp_path / "a.zarr").exists()
    assert option.split("=")[0] in log.the_error() and word in log.the_error()
    cpl.assert_quiet()


def test_overviews_while_appending_to_a_dimension(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    make(store, smooth(rng, 2, 20, 20))
    source = make(tmp_path / "s.tif", smooth(rng, 1, 20, 20), driver="GTiff")
    with error_log() as log:
        copy = gdal.GetDriverByName("Zarr").CreateCopy(
            str(store), source, options=["APPEND_SUBDATASET=YES", "APPEND_DIM=band", "OVERVIEWS=2"])
    assert copy is not None
    log.assert_quiet()
    assert copy.GetRasterBand(copy.RasterCount).GetOverviewCount() == 1
    del copy
    check_consolidated(store)
    cpl.assert_quiet()


def test_options_are_described():
    text = gdal.GetDriverByName("Zarr").GetMetadataItem("DMD_CREATIONOPTIONLIST")
    assert "name='OVERVIEWS'" in text and "name='OVERVIEW_RESAMPLING'" in text
