# SPDX-License-Identifier: MIT
"""Limits on sizes that a store may state, and configuration options that raise these limits."""

import base64
import json
import lzma
import resource
import struct

import numpy as np
import pytest
import zarr3
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log, open_raster, read_all
from zarr_processes import MEASURES, Process
from zarr_store import good_values, group, handmade, make_store

pytestmark = zarr_formats.BOTH


def read(name, **options):
    """Reads a raster with configuration options set. Returns its values (None on failure) and the error log."""
    with config_options(**options), error_log() as log:
        dataset = gdal.OpenEx(str(name), gdal.OF_RASTER)
        values = None if dataset is None else dataset.ReadAsArray()
        del dataset
    return values, log


def refused(name, option, allowed, **options):
    """Asserts that reading fails with one error, and returns the error. The error names the configuration option
    `option` and its limit `allowed`."""
    values, log = read(name, **options)
    assert values is None
    error = log.the_error()
    assert f"{option} allows {allowed}" in error
    return error


def test_limit_of_a_chunk(tmp_path):
    store = handmade(tmp_path / "store.zarr")
    error = refused(store, "ZARR_MAX_CHUNK_SIZE", 11, ZARR_MAX_CHUNK_SIZE="11")
    assert zarr_formats.chunk_key(store, "", 0, 0) in error and "12 bytes" in error
    for enough in ("12", "12B", "1KB", "1 GB"):
        values, log = read(store, ZARR_MAX_CHUNK_SIZE=enough)
        log.assert_quiet()
        assert np.array_equal(values, good_values())


def test_limit_of_a_chunk_is_four_gigabytes(tmp_path):
    """A chunk larger than four gigabytes is refused before memory for it is allocated."""
    store = handmade(tmp_path / "store.zarr", shape=[2**17, 2**17], chunks=[2**17, 2**17],
                     compressor={"id": "zlib"}, files={"0.0": b"x"})  # fmt: skip
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).ReadAsArray(0, 0, 1, 1) is None
    assert "ZARR_MAX_CHUNK_SIZE allows 4294967296" in log.the_error()


def test_limit_of_a_codecs_memory(tmp_path):
    blocks = {
        f"{i}.{j}": lzma.compress(np.full(6, 10 * i + j, "<i2").tobytes(), preset=6)
        for i in (0, 1) for j in (0, 1)
    }  # fmt: skip
    store = handmade(tmp_path / "store.zarr", compressor={"id": "lzma"}, files=blocks)
    error = refused(store, "ZARR_MAX_CODEC_MEMORY", 1 << 20, ZARR_MAX_CODEC_MEMORY="1MB")
    assert "lzma" in error and "dictionary" in error
    values, log = read(store)
    log.assert_quiet()
    assert np.array_equal(values, good_values())


def test_limit_of_dimensions(tmp_path):
    shape = [1] * 31 + [4, 6]
    store = handmade(tmp_path / "store.zarr", shape=shape, chunks=shape,
                     files={".".join("0" * 33): good_values().tobytes()})  # fmt: skip
    assert "33 dimensions" in refused(store, "ZARR_MAX_DIMENSIONS", 32)
    values, log = read(store, ZARR_MAX_DIMENSIONS="33")
    log.assert_quiet()
    assert np.array_equal(values, good_values())


BASE64 = {"id": "base64"}


@zarr_formats.V3
def test_limit_of_codecs(tmp_path):
    """ZARR_MAX_FILTERS limits the number of codecs of an array. In Zarr v3, one list contains the filters and the
    compressor, so all of them count."""

    def encode(chunk):
        return chunk.tobytes() + struct.pack("<I", zarr3.crc32c(chunk.tobytes()))

    files = zarr3.encoded_files(good_values(), (2, 3), encode)
    one, many = tmp_path / "one.zarr", tmp_path / "many.zarr"
    for store, count in ((one, 1), (many, 65)):
        codecs = [zarr3.LITTLE, *[zarr3.CRC32C] * count]
        zarr3.handmade(store, zarr3.document((4, 6), "int16", (2, 3), codecs), files)
    assert "codecs: has 66 codecs" in refused(many, "ZARR_MAX_FILTERS", 64)
    assert "has 2 codecs" in refused(one, "ZARR_MAX_FILTERS", 1, ZARR_MAX_FILTERS="1")
    values, log = read(one)
    log.assert_quiet()
    assert np.array_equal(values, good_values())


@zarr_formats.V2
def test_limit_of_filters(tmp_path):
    store = handmade(tmp_path / "store.zarr", filters=[{"id": "crc32"}] * 65)
    assert "filters: has 65 filters" in refused(store, "ZARR_MAX_FILTERS", 64)
    few = handmade(tmp_path / "few.zarr", filters=[BASE64] * 2)
    assert "has 2 filters" in refused(few, "ZARR_MAX_FILTERS", 1, ZARR_MAX_FILTERS="1")
    for path in few.iterdir():
        if not path.name.startswith("."):
            path.write_bytes(base64.b64encode(base64.b64encode(path.read_bytes())))
    values, log = read(few)
    log.assert_quiet()
    assert np.array_equal(values, good_values())


@pytest.mark.slow
def test_the_output_of_filters_is_bounded(tmp_path):
    """If filters make too much output, a write fails, and allocates little memory. Here 60 base64 filters would make
    1.9 GB of one pixel."""

    def work(report):
        store = handmade(tmp_path / "store.zarr", shape=[1, 1], chunks=[1, 1], dtype="|u1",
                         filters=[BASE64] * 60, files={"0.0": b"x"})  # fmt: skip
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with error_log() as log:
            dataset.WriteArray(np.full((1, 1), 7, "u1"))
            dataset.FlushCache()
        assert "base64: encodes a chunk to" in log.errors[0]
        with error_log():
            dataset = None
        report((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)

    (megabytes,) = Process(work).succeed()
    assert not MEASURES or int(megabytes) < 256


def test_limit_of_dimensions_is_64_at_most(tmp_path):
    shape = [1] * 62 + [4, 6]
    key = ".".join("0" * 64)
    store = handmade(tmp_path / "store.zarr", shape=shape, chunks=shape, files={key: good_values().tobytes()})
    values, log = read(store, ZARR_MAX_DIMENSIONS="64")
    log.assert_quiet()
    assert np.array_equal(values, good_values())
    with config_options(ZARR_MAX_DIMENSIONS="64"):
        array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("store.zarr")
        assert array is None or array.GetDimensionCount() == 64


def test_limit_of_strings(tmp_path):
    long = np.array([b"x" * 500, b"y"], "S500")
    store = make_store(tmp_path, {"names": long, "objects": {"values": np.array(["a" * 400, "b"], object), "dtype": str}})

    def strings(name):
        array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray(name)
        return None if array is None else array.Read()

    with config_options(ZARR_MAX_STRING_SIZE="300"):
        for name in ("names", "objects"):
            with error_log() as log:
                assert strings(name) is None
            assert "ZARR_MAX_STRING_SIZE allows 300" in log.the_error(), name
    with error_log() as log:
        assert strings("objects") == ["a" * 400, "b"]
        assert strings("names") is not None
    log.assert_quiet()


@zarr_formats.V3
@pytest.mark.parametrize("is_array", [True, False])
def test_limit_of_a_v3_document(tmp_path, is_array):
    """ZARR_MAX_METADATA_SIZE limits the size of a zarr.json: the metadata and attributes of an array, or the
    consolidated metadata of a group."""
    values = {"values": good_values(), "dims": ["y", "x"]}
    store = make_store(tmp_path, {"dem": values}, consolidated=not is_array)
    path = store / "dem" / "zarr.json" if is_array else store / "zarr.json"
    path.write_text(path.read_text() + " " * 4096)
    name = array_name(store, "dem") if is_array else store
    values, log = read(name, ZARR_MAX_METADATA_SIZE="4KB")
    assert "ZARR_MAX_METADATA_SIZE allows 4096" in "".join(log.errors + log.warnings), log.events
    values, log = read(store, ZARR_MAX_METADATA_SIZE="8KB")
    log.assert_quiet()
    assert np.array_equal(values, good_values())


@zarr_formats.V2
@pytest.mark.parametrize("document", [".zarray", ".zattrs", ".zmetadata", ".zgroup"])
def test_limit_of_a_document(tmp_path, document):
    values = {"values": good_values(), "dims": ["y", "x"]}
    store = make_store(tmp_path, {"dem": values}, consolidated=document == ".zmetadata")
    path = next(path for path in (store / document, store / "dem" / document) if path.exists())
    path.write_text(path.read_text() + " " * 4096)
    name = array_name(store, "dem") if document == ".zgroup" else store
    values, log = read(name, ZARR_MAX_METADATA_SIZE="4KB")
    if document == ".zattrs":  # if .zattrs is refused, the array opens without attributes
        assert "ZARR_MAX_METADATA_SIZE allows 4096" in "".join(log.warnings + log.errors)
    elif document != ".zgroup":
        assert "ZARR_MAX_METADATA_SIZE allows 4096" in log.the_error()
    values, log = read(store, ZARR_MAX_METADATA_SIZE="8KB")
    log.assert_quiet()
    assert np.array_equal(values, good_values())


def test_limit_of_depth(tmp_path):
    nested = "[" * 200 + "]" * 200
    store = handmade(tmp_path / "store.zarr", attrs=f'{{"deep": {nested}}}')
    _, log = read(store)
    assert "ZARR_MAX_JSON_DEPTH allows 128" in "".join(log.warnings + log.errors)
    values, log = read(store, ZARR_MAX_JSON_DEPTH="300")
    log.assert_quiet()
    assert np.array_equal(values, good_values())


def test_limit_of_depth_is_a_thousand_at_most(tmp_path):
    """ZARR_MAX_JSON_DEPTH=1000 is the highest limit. An attribute of almost this depth is read without a stack
    overflow, even when GDAL parses its value as metadata."""
    nested = "[" * 990 + "]" * 990
    if zarr_formats.is_v3():
        text = json.dumps(zarr3.document((4, 6), "int16", (2, 3), attributes={"deep": 0}))
        text = text.replace('"deep": 0', f'"deep": {nested}')
        store = zarr3.handmade(tmp_path / "store.zarr", text)
    else:
        store = handmade(tmp_path / "store.zarr", attrs=f'{{"deep": {nested}}}')
    with config_options(ZARR_MAX_JSON_DEPTH="1000"), error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetMetadataItem("deep").replace(" ", "") == nested
    log.assert_quiet()


def test_limit_of_coordinates(tmp_path):
    x = {"values": np.arange(100.0), "dims": ["x"]}
    y = {"values": np.arange(50.0)[::-1], "dims": ["y"]}
    dem = {"values": np.zeros((50, 100), "u1"), "dims": ["y", "x"]}
    store = make_store(tmp_path, {"x": x, "y": y, "dem": dem})
    placed = open_raster(store).GetGeoTransform(can_return_null=True)
    assert placed == (-0.5, 1, 0, 49.5, 0, -1)
    with config_options(ZARR_MAX_COORDINATES="99"), error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetGeoTransform(can_return_null=True) is None
        assert read_all(dataset).shape == (1, 50, 100)
    assert len(log.warnings) == 1 and log.errors == []
    assert "x: has 100 coordinates; ZARR_MAX_COORDINATES allows 99" in log.warnings[0]


@pytest.mark.parametrize("value", ["many", "-1", "0", "10 apples", "65", "1KB", "99999999999999999999"])
def test_invalid_limit_gives_one_warning(tmp_path, value):
    store = handmade(tmp_path / "store.zarr")
    with config_options(ZARR_MAX_DIMENSIONS=value), error_log() as log:
        for _ in range(2):
            assert gdal.Open(str(store)) is not None
    assert len(log.events) == 1
    assert log.warnings == [f'ZARR_MAX_DIMENSIONS: expected a number from 1 to 64, got "{value}"; the default is used']
    open_raster(store)  # opening reads the options again, which resets the limits


def test_limits_apply_to_new_datasets_only(tmp_path):
    """If a limit is lowered, a dataset that is already open keeps the metadata that it has read."""
    store = group(tmp_path / "store.zarr")
    handmade(store, path="a")
    dataset = open_raster(store)
    with config_options(ZARR_MAX_METADATA_SIZE="1"):
        assert np.array_equal(dataset.ReadAsArray(), good_values())
