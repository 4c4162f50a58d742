# SPDX-License-Identifier: MIT
"""An object store continues its listings without end. Whatever lists ends with an error that names the bound, and the
store is as before."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log
from zarr_object_server import ObjectServer, endless_page
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
PATH = "/vsis3/demo/s.zarr"
NAME = f"ZARR:{PATH}"  # GDAL lists the siblings of a path without a prefix, also without end
VALUES = np.arange(64, dtype="u2").reshape(8, 8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zarr_format):
    array = {"values": VALUES, "dims": ["y", "x"]}
    return make_store(tmp_path_factory.mktemp("made"), {"a": array, "b": array}, name="s.zarr")


@pytest.fixture
def store(folder):
    with ObjectServer() as started:
        started.upload(folder, "s.zarr")
        bounds = {"ZARR_MAX_REFERENCES": "5000", "ZARR_MAX_REFERENCE_SIZE": "200000"}
        with config_options(**bounds):
            yield started


def open_root():
    gdal.OpenEx(NAME, gdal.OF_RASTER | gdal.OF_VERBOSE_ERROR)


def open_groups():
    dataset = gdal.OpenEx(NAME, gdal.OF_MULTIDIM_RASTER | gdal.OF_VERBOSE_ERROR)
    if dataset is not None:
        dataset.GetRootGroup().GetMDArrayNames()


def build_overviews():
    dataset = gdal.OpenEx(array_name(PATH, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.BuildOverviews("NEAREST", [2])


def overwrite():
    source = gdal.GetDriverByName("MEM").Create("", 8, 8)
    gdal.GetDriverByName("Zarr").CreateCopy(NAME, source)


def delete():
    gdal.GetDriverByName("Zarr").Delete(PATH)


@pytest.mark.parametrize("work", [open_root, open_groups, build_overviews, overwrite, delete])
def test_an_endless_listing_is_bounded(store, folder, work):
    store.page = endless_page
    with error_log() as log:
        work()
    assert any("ZARR_MAX_" in text for _, _, text in log.events), log.events
    assert len(store.log) < 100
    store.page = lambda query: None
    kept = {key for key in store.keys("s.zarr")}
    assert kept >= {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
