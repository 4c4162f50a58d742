# SPDX-License-Identifier: MIT
"""Datasets of one process that open the same array share its cached chunks. Datasets do not share chunks if
they differ in an open option that changes pixels."""

import json

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_http import Served
from zarr_s3 import S3
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

VALUES = np.arange(1, 17, dtype="<i2").reshape(4, 4)


@pytest.fixture(scope="module")
def folder(zarr_format, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    store = make_array(folder, VALUES, "x.zarr", chunks=(2, 2), fill_value=0)
    zarr_formats.chunk_file(store, "", 1, 1).unlink()
    assert str(store).endswith("x.zarr")
    return folder


@pytest.fixture
def web(folder):
    with Served(folder) as server:
        yield server


def absent():
    """Returns the URL path of the chunk that the store lacks."""
    return "/x.zarr/" + ("c/1/1" if zarr_formats.is_v3() else "1.1")


def name_of(web):
    return f'ZARR:"/vsicurl/{web.url}/x.zarr"'


def fails(dataset):
    with zarr_gdal.error_log() as log:
        values = dataset.ReadAsArray()
    return values is None and "403" in log.the_error()


@pytest.mark.parametrize("lenient_first", [True, False])
def test_only_datasets_with_missing_on_403_take_refusals_for_absence(web, lenient_first):
    web.rule(status={absent(): [403, -1]})
    order = ["YES", "NO"] if lenient_first else ["NO", "YES"]
    datasets = {option: open_raster(name_of(web), f"MISSING_ON_403={option}") for option in order}
    for option in order:
        if option == "NO":
            assert fails(datasets[option])
        else:
            assert datasets[option].ReadAsArray()[2:, 2:].max() == 0


def test_refusals_for_the_multidimensional_api(web):
    web.rule(status={absent(): [403, -1]})
    lenient = open_raster(name_of(web), "MISSING_ON_403=YES")
    assert lenient.ReadAsArray()[2:, 2:].max() == 0
    root = gdal.OpenEx(name_of(web), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    with zarr_gdal.error_log() as log:
        values = root.OpenMDArray(root.GetMDArrayNames()[0]).Read()
    assert not values and "403" in log.the_error()


def test_same_options_share_chunks(web):
    first = open_raster(name_of(web), "MISSING_ON_403=YES")
    expected = first.GetRasterBand(1).ReadAsArray(1, 1, 2, 2)  # a window that overlaps four chunks
    web.log()
    second = open_raster(name_of(web), "MISSING_ON_403=YES", "NUM_THREADS=1")
    np.testing.assert_array_equal(second.GetRasterBand(1).ReadAsArray(1, 1, 2, 2), expected)
    asked = [path for _, path, *_ in web.requests()]
    assert not any(path.endswith(("0.0", "0.1", "1.0", "0/0", "0/1", "1/0")) for path in asked), asked


def test_only_datasets_that_list_know_the_listed_chunks(tmp_path):
    store = make_array(tmp_path, VALUES, "x.zarr", chunks=(2, 2), fill_value=0)
    chunk = zarr_formats.chunk_file(store, "", 1, 1)
    content = chunk.read_bytes()
    chunk.unlink()
    looks = open_raster(store)
    lists = open_raster(store, "CACHE_TILE_PRESENCE=YES")
    chunk.write_bytes(content)
    assert lists.ReadAsArray()[2:, 2:].max() == 0
    np.testing.assert_array_equal(looks.ReadAsArray(), VALUES)


@pytest.mark.parametrize("specific", [False, True])
@pytest.mark.slow
def test_one_name_on_two_servers(tmp_path, specific):
    def upload(server, values):
        store = make_array(tmp_path, values, f"{values[0, 0]}.zarr", chunks=(2, 2))
        server.upload(store, "x.zarr")

    def read(server):
        gdal.VSICurlClearCache()
        if specific:
            for option, value in server.options.items():
                gdal.SetPathSpecificOption("/vsis3/demo/x.zarr", option, value)
            return open_raster("/vsis3/demo/x.zarr")
        with zarr_gdal.config_options(**server.options):
            dataset = open_raster("/vsis3/demo/x.zarr")
            dataset.ReadAsArray()
            return dataset

    try:
        with S3(tmp_path / "one") as one:
            upload(one, VALUES)
            with S3(tmp_path / "two") as two:
                upload(two, VALUES + 100)
                first = read(one)
                np.testing.assert_array_equal(first.ReadAsArray(), VALUES)
                second = read(two)
                np.testing.assert_array_equal(second.ReadAsArray(), VALUES + 100)
                assert first is not None
    finally:
        gdal.ClearPathSpecificOptions("/vsis3/demo/x.zarr")


def with_reversed_members(value):
    """Returns a JSON value in which all objects have their members in reverse order."""
    if isinstance(value, dict):
        return {name: with_reversed_members(member) for name, member in reversed(value.items())}
    return [with_reversed_members(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("api", ["raster", "multidimensional"])
def test_writers_share_chunks_however_consolidated_metadata_are_ordered(tmp_path, api):
    """Another program reorders the consolidated metadata while writers have the store open. Writers that open
    the store later still share chunks with the earlier writers, so no write is lost."""
    arrays = {"a": {"values": VALUES, "chunks": VALUES.shape}, "b": VALUES}
    store = make_store(tmp_path, arrays, consolidated=True)
    is_raster = api == "raster"
    name = array_name(store, "a") if is_raster else str(store)
    flags = gdal.OF_UPDATE | (gdal.OF_RASTER if is_raster else gdal.OF_MULTIDIM_RASTER)
    expected, datasets = VALUES.copy(), []

    def array_of(dataset):
        return dataset.GetRasterBand(1) if is_raster else dataset.GetRootGroup().OpenMDArray("a")

    for row in range(3):
        datasets.append(gdal.OpenEx(name, flags))
        # Earlier datasets have written rows that are not stored yet. The new dataset must read these rows.
        np.testing.assert_array_equal(array_of(datasets[row]).ReadAsArray(), expected)
        expected[row] = 100 + row
        place = (0, row) if is_raster else ([row, 0],)
        assert array_of(datasets[row]).WriteArray(expected[row : row + 1].copy(), *place) == 0
        # The reader below opens the array by the reordered consolidated metadata.
        document = zarr_formats.document_file(store, ".zmetadata")
        document.write_text(json.dumps(with_reversed_members(json.loads(document.read_text()))))
        reader = gdal.OpenEx(name, flags & ~gdal.OF_UPDATE)
        array_of(reader).ReadAsArray()
    datasets.clear()
    np.testing.assert_array_equal(open_raster(array_name(store, "a")).ReadAsArray(), expected)
