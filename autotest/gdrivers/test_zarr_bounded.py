# SPDX-License-Identifier: MIT
"""Reading a store takes at most 256 MB of memory plus four times the size of its metadata documents, not counting what
the limits ZARR_MAX_... allow. Reading always ends."""

import json
import resource

import numpy as np
import pytest
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log
from zarr_processes import MEASURES, Process
from zarr_store import group, handmade, make_store

MEGA = 1 << 20


def look_at(name):
    """Reads all properties of a dataset that gdalinfo and gdalmdiminfo print."""
    dataset = gdal.Open(str(name))
    if dataset is not None:
        str(dataset.GetMetadata())
        dataset.GetSubDatasets()
        for i in range(dataset.RasterCount):
            band = dataset.GetRasterBand(i + 1)
            str((band.GetMetadata(), band.GetDescription()))
    del dataset
    root = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER)
    group = root.GetRootGroup() if root is not None else None
    for array in (group.GetMDArrayNames() if group is not None else []):
        for attribute in group.OpenMDArray(array).GetAttributes():
            attribute.Read()


def taken(action, *arguments):
    """Calls `action(*arguments)` in a separate process. Returns the growth of its memory in bytes, and the logged
    messages."""

    def work(report):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with error_log() as log:
            action(*arguments)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report(json.dumps([(most - before) * 1024, log.warnings + log.errors]))

    return json.loads(Process(work).succeed()[-1])


def assert_bounded(action, *arguments, documents):
    memory, log = taken(action, *arguments)
    if MEASURES:
        assert memory <= 4 * documents + 256 * MEGA, (memory // MEGA, documents // MEGA)
    return log


ATTRIBUTES = {
    "many": lambda n: json.dumps({f"a{i}": i for i in range(n // 16)}),
    "repeated": lambda n: "{" + ",".join(['"a":1'] * (n // 6)) + "}",
    "repeated in other letters": lambda n: "{" + ",".join(['"a":1,"A":2'] * (n // 12)) + "}",
    "numbers": lambda n: '{"a":[' + ",".join(["1"] * (n // 2)) + "]}",
    "strings": lambda n: '{"a":[' + ",".join(['"ab"'] * (n // 5)) + "]}",
    "lists": lambda n: '{"a":[' + ",".join(["[1]"] * (n // 4)) + "]}",
    "objects": lambda n: '{"a":[' + ",".join(['{"b":1}'] * (n // 8)) + "]}",
    "text": lambda n: json.dumps({"a": "x" * n}),
    "spaces": lambda n: '{"a":1' + " " * n + "}",
}


@pytest.mark.parametrize("kind", ATTRIBUTES)
def test_attributes(tmp_path, kind):
    attributes = ATTRIBUTES[kind](2 * MEGA)
    store = handmade(tmp_path / "store.zarr", attrs=attributes)
    assert assert_bounded(look_at, store, documents=len(attributes)) == []


@pytest.mark.slow
def test_more_values_than_the_limit_are_not_kept(tmp_path):
    attributes = ATTRIBUTES["numbers"](60 * MEGA)
    store = handmade(tmp_path / "store.zarr", attrs=attributes)
    log = assert_bounded(look_at, store, documents=len(attributes))
    assert log and all("too many JSON values; ZARR_MAX_JSON_VALUES allows 4194304" in text for text in log)


@pytest.mark.slow
def test_the_name_of_a_dimension_with_many_bands(tmp_path):
    name = "band" * 25_000
    array = {"values": np.zeros((65536, 1, 1), "u1"), "chunks": (65536, 1, 1), "dims": [name, "y", "x"]}
    store = make_store(tmp_path, {"a": array})
    assert assert_bounded(look_at, array_name(store, "a"), documents=2 * len(name)) == []
    dataset = gdal.Open(array_name(store, "a"))
    band = dataset.GetRasterBand(3)
    assert band.GetMetadata() == {f"DIM_{name[:255]}..._INDEX": "2"}
    assert band.GetDescription() == f"{name[:255]}...=2"


@pytest.mark.slow
def test_units_of_many_bands(tmp_path):
    units = "µ" * 50_000
    level = {"values": np.arange(20000), "dims": ["level"], "attrs": {"units": units}}
    array = {"values": np.zeros((20000, 1, 1), "u1"), "chunks": (20000, 1, 1), "dims": ["level", "y", "x"]}
    store = make_store(tmp_path, {"a": array, "level": level})
    assert assert_bounded(look_at, array_name(store, "a"), documents=2 * len(units)) == []
    dataset = gdal.Open(array_name(store, "a"))
    band = dataset.GetRasterBand(3)
    assert band.GetMetadataItem("DIM_level_UNIT") == units[:127] + "..."


def test_the_fill_value_of_many_arrays(tmp_path):
    store = tmp_path / "store.zarr"
    for i in range(40):
        handmade(store, path=f"a{i}", dtype="|V999999999", shape=[1, 1], chunks=[1, 1])
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    assert_bounded(look_at, store, documents=10_000)


def many_chunks(folder, irregular=None):
    """Makes a raster of 2**24 columns with x coordinates in chunks of 16, but stores only the 64 chunks of x that the
    driver samples.

    Shifts the coordinates in chunk `irregular` by a quarter of a pixel."""
    store = group(folder / "store.zarr")
    size, chunk = 1 << 24, 16
    chunks = size // chunk
    asked = sorted({(chunks - 1) * i // 63 for i in range(64)})
    files = {str(i): (np.arange(chunk) + i * chunk + 0.5 + 0.25 * (i == irregular)).astype("<f8").tobytes()
             for i in asked}  # fmt: skip
    axis = {"_ARRAY_DIMENSIONS": ["x"], "units": "m"}
    handmade(store, path="x", shape=[size], chunks=[chunk], dtype="<f8", attrs=json.dumps(axis), files=files)
    axis = {"_ARRAY_DIMENSIONS": ["y"], "units": "m"}
    handmade(store, path="y", shape=[2], chunks=[2], dtype="<f8", attrs=json.dumps(axis),
             files={"0": np.array([1.5, 0.5]).tobytes()})  # fmt: skip
    handmade(store, path="a", shape=[2, size], chunks=[2, size], dtype="|u1",
             attrs=json.dumps({"_ARRAY_DIMENSIONS": ["y", "x"]}), files={})  # fmt: skip
    return store


def test_coordinates_in_many_chunks_take_few_reads(tmp_path):
    store = many_chunks(tmp_path)
    with error_log() as log:
        dataset = gdal.Open(array_name(store, "a"))
        assert dataset.GetGeoTransform(can_return_null=True) == (0, 1, 0, 2, 0, -1)
    log.assert_quiet()


@pytest.mark.parametrize("chunk", [0, 16644, ((1 << 20) - 1) * 31 // 63, (1 << 20) - 1])
def test_coordinates_in_many_chunks_that_are_not_regular(tmp_path, chunk):
    store = many_chunks(tmp_path, irregular=chunk)
    dataset = gdal.Open(array_name(store, "a"))
    assert dataset.GetGeoTransform(can_return_null=True) is None


@pytest.mark.slow
def test_coordinates_of_very_many_columns_are_not_written(tmp_path):
    def make():
        driver = gdal.GetDriverByName("Zarr")
        dataset = driver.Create(str(tmp_path / "wide.zarr"), 2_000_000_000, 1, 1, gdal.GDT_Byte,
                                ["BLOCKSIZE=1,1000000"])  # fmt: skip
        dataset.SetGeoTransform((10, 0.5, 0, 20, 0, -0.5))
        del dataset

    log = assert_bounded(make, documents=0)
    assert len(log) == 1 and "2000000000 elements, too many for coordinate arrays" in log[0]
    dataset = gdal.Open(str(tmp_path / "wide.zarr"))
    assert dataset.GetGeoTransform() == (10, 0.5, 0, 20, 0, -0.5)


def test_coordinates_of_many_columns_are_written_chunk_by_chunk(tmp_path):
    size = (1 << 20) + 5
    for _ in range(2):  # the second run adds the array b to the store, where x exists already
        driver = gdal.GetDriverByName("Zarr")
        options = ["BLOCKSIZE=1,1000000"] + ["ARRAY_NAME=b", "APPEND_SUBDATASET=YES"] * _
        dataset = driver.Create(str(tmp_path / "wide.zarr"), size, 1, 1, gdal.GDT_Byte, options)
        dataset.SetGeoTransform((10, 0.5, 0, 20, 0, -0.5))
        del dataset
    x = zarr.open_group(str(tmp_path / "wide.zarr"), mode="r")["x"]
    assert x.chunks == (1 << 20,)
    np.testing.assert_array_equal(x[:], 10 + 0.5 * (np.arange(size) + 0.5))
    name = array_name(tmp_path / "wide.zarr", "b")
    dataset = gdal.Open(name)
    assert dataset.GetGeoTransform() == (10, 0.5, 0, 20, 0, -0.5)
