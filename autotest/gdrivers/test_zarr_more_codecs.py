# SPDX-License-Identifier: MIT
"""Tests codecs for which zarr-python needs further packages: zfpy, pcodec, msgpack2 and imagecodecs_tiff."""

import base64
import json
import os
import pathlib
import random
import zlib

import numcodecs
import numpy as np
import pytest
import zarr2
import zarr_python as zarr
from osgeo import gdal, gdal_array
from zarr_gdal import array_name, as_gdal, assert_same, error_log, open_raster
from zarr_store import handmade

zfpy = pytest.importorskip("numcodecs.zfpy")
# numcodecs 0.15 with NumPy 2 has the module zfpy, but not its class ZFPY.
needs_zfpy = pytest.mark.skipif(not hasattr(zfpy, "ZFPY"), reason="numcodecs has no zfpy beside this NumPy")

SEED = os.environ["ZARR_TEST_SEED"]
MODES = {
    "accuracy": {"mode": 4, "tolerance": 0.01},
    "precision": {"mode": 3, "precision": 20},
    "rate": {"mode": 2, "rate": 12},
    # Mode 4 with tolerance -1 acts like mode 5 (reversible), which fails in numcodecs 0.11.
    "reversible": {"mode": 4, "tolerance": -1},
}


def values_of(dtype, shape):
    grid = np.indices(shape).sum(axis=0)
    return (1000 * np.sin(grid / 5)).astype(dtype)


def make(folder, values, codec, chunks, **options):
    path = str(folder / "a.zarr")
    array = zarr.open(path, mode="w", shape=values.shape, chunks=chunks, dtype=values.dtype, compressor=codec, **options)
    array[...] = values
    array.attrs["_ARRAY_DIMENSIONS"] = list("tzyx")[4 - values.ndim :]
    return path


def read(path):
    dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER)
    root = dataset.GetRootGroup()
    return root.OpenMDArray(root.GetMDArrayNames()[0]).ReadAsArray()


# libzfp does not support a tolerance for integers, so the mode "accuracy" is tested only with floats.
@needs_zfpy
@pytest.mark.parametrize("mode, dtype", [
    (mode, dtype) for mode in MODES for dtype in ("<f4", "<f8", "<i4", "<i8") if mode != "accuracy" or dtype[1] == "f"])
@pytest.mark.parametrize(("shape", "chunks"), [((50,), (20,)), ((30, 40), (8, 16)), ((3, 30, 40), (1, 30, 7)),
                                               ((2, 3, 9, 10), (2, 1, 9, 5))])  # fmt: skip
def test_zfpy(tmp_path, mode, dtype, shape, chunks):
    values = values_of(dtype, shape)
    codec = zfpy.ZFPY(**MODES[mode])
    path = make(tmp_path, values, codec, chunks)
    expected = zarr.open(path, mode="r")[...]
    assert_same(read(path), expected)
    if mode == "reversible":
        assert_same(expected, values)


@needs_zfpy
@pytest.mark.parametrize("mode", MODES)
def test_zfpy_is_written_as_numcodecs_does(tmp_path, mode):
    """The driver writes the same chunks as the system's numcodecs. The numcodecs of a PyPI wheel is not compared,
    because its libzfp pads chunks with zeros."""
    if not zarr2.call("has_codec", "zfpy"):
        pytest.skip("numcodecs of the system has no zfpy beside its NumPy")
    values = values_of("<f4", (32, 48))
    path = make(tmp_path, np.zeros_like(values), zfpy.ZFPY(**MODES[mode]), (16, 16))
    dataset = gdal.OpenEx(path, gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(values)
    dataset = None
    codec = zfpy.ZFPY(**MODES[mode]).get_config()
    for y in range(2):
        for x in range(3):
            chunk = np.ascontiguousarray(values[16 * y : 16 * y + 16, 16 * x : 16 * x + 16])
            assert (tmp_path / f"a.zarr/{y}.{x}").read_bytes() == zarr2.call("encoded", codec, chunk)
    assert_same(read(path), zarr.open(path, mode="r")[...])


@pytest.mark.parametrize(("options", "told"), [
    ({"dtype": ">f4"}, "dtype >f4"), ({"dtype": "<i2"}, "dtype <i2"), ({"order": "F"}, "order C"),
])  # fmt: skip
def test_data_that_zfpy_cannot_encode(tmp_path, options, told):
    compressor = {"id": "zfpy", "mode": 5, "compression_kwargs": {}, "tolerance": -1, "rate": -1, "precision": -1}
    store = handmade(tmp_path / "a.zarr", compressor=compressor, fill_value=0, files={}, **{"dtype": "<f4", **options})
    assert open_raster(store).ReadAsArray().max() == 0
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.GetRasterBand(1).Fill(1)
        dataset = None
    assert any("zfpy" in text and told in text for text in log.errors), log.events


@needs_zfpy
@pytest.mark.parametrize("mode", MODES)
def test_zfpy_that_is_damaged(tmp_path, mode):
    choose = random.Random(f"{SEED} {mode}")
    path = make(tmp_path, values_of("<f8", (16, 16)), zfpy.ZFPY(**MODES[mode]), (16, 16))
    chunk = tmp_path / "a.zarr/0.0"
    good = chunk.read_bytes()
    for size in (0, 1, 8, 11, 16, len(good) // 2):
        chunk.write_bytes(good[:size])
        with error_log() as log:
            assert open_raster(path).ReadAsArray() is None, size
        assert "0.0: chunk [0, 0]: zfpy: " in log.the_error()
    for _ in range(300):  # each damaged chunk gives values or an error, but no read outside of the chunk
        bad = bytearray(good)
        for _ in range(choose.randint(1, 4)):
            bad[choose.randrange(len(bad))] = choose.randrange(256)
        chunk.write_bytes(bytes(bad[: choose.randint(12, len(bad))]))
        with error_log():
            open_raster(path).ReadAsArray()


@needs_zfpy
def test_zfpy_of_another_shape(tmp_path):
    path = make(tmp_path, values_of("<f8", (16, 16)), zfpy.ZFPY(mode=4, tolerance=-1), (16, 16))
    (tmp_path / "a.zarr/0.0").write_bytes(bytes(zfpy.ZFPY(mode=4, tolerance=-1).encode(values_of("<f8", (17, 16)))))
    with error_log() as log:
        assert open_raster(path).ReadAsArray() is None
    assert "2048" in log.the_error()


# Debian has no package pcodec, so these tests and the C++ tests use recorded chunks of pcodec.

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "cpp/codec/pcodec.json").read_text())


def recorded(folder, entry, chunk=None):
    values = np.frombuffer(zlib.decompress(base64.b64decode(entry["decoded"])), entry["dtype"])
    handmade(folder / "a.zarr", compressor=entry["config"], dtype=entry["dtype"], fill_value=0, shape=[len(values)],
             chunks=[len(values)], files={"0": chunk or base64.b64decode(entry["encoded"])})  # fmt: skip
    return str(folder / "a.zarr"), values


@pytest.mark.parametrize("entry", RECORDED, ids=lambda entry: entry["name"])
def test_pcodec(tmp_path, entry):
    """The driver reads recorded chunks of pcodec. It writes exactly the bytes of `reencoded`, which pcodec has decoded
    correctly (record_pcodec.py check)."""
    path, values = recorded(tmp_path, entry)
    values = as_gdal(values)
    assert_same(read(path), values)
    if entry["reencoded"] is None:
        return
    dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    dataset.GetRootGroup().OpenMDArray("a").WriteArray(values)
    dataset = None
    assert_same(read(path), values)
    assert (tmp_path / "a.zarr/0").read_bytes() == base64.b64decode(entry["reencoded"])


def test_pcodec_of_eight_bits_is_read_and_not_written(tmp_path):
    entry = next(entry for entry in RECORDED if entry["dtype"] == "|u1")
    path, _ = recorded(tmp_path, entry)
    with error_log() as log:
        dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
        dataset and dataset.GetRootGroup().OpenMDArray("a").WriteArray(np.zeros(60, "u1"))
    assert any("pcodec: numcodecs' pcodec does not support dtype |u1" in text for text in log.errors), log.events


@pytest.mark.parametrize(("change", "told"), [
    (lambda chunk: chunk[:-1], "its end mark is missing"),
    (lambda chunk: b"qco!" + chunk[4:], 'does not begin with "pco!"'),
    (lambda chunk: chunk[:40], "is truncated within the numbers of a chunk")])  # fmt: skip
def test_pcodec_that_is_damaged(tmp_path, change, told):
    entry = next(entry for entry in RECORDED if entry["name"] == "pcodec_4_walk")
    path, _ = recorded(tmp_path, entry, change(base64.b64decode(entry["encoded"])))
    with error_log() as log:
        read(path)
    assert "0: chunk [0]: pcodec: " in log.the_error() and told in log.the_error()


# Codec msgpack2


@pytest.mark.parametrize("options", [{}, {"use_single_float": True}, {"use_bin_type": False}])
@pytest.mark.parametrize("dtype", ["<i2", ">i4", "<u8", "<f4", ">f8", "|b1", "<U5"])
def test_msgpack2(tmp_path, dtype, options):
    """numcodecs reads the written chunks, and the driver reads the chunks of numcodecs."""
    count = np.arange(600).reshape(20, 30)
    values = (count.astype("U3") if dtype == "<U5" else count % 2 if dtype == "|b1" else count - 100 * (dtype != "<u8")).astype(dtype)  # fmt: skip
    codec = numcodecs.MsgPack(**options)
    path = str(tmp_path / "a.zarr")
    zarr2.call("create", path, None, values, chunks=(7, 30), compressor=None, filters=[codec.get_config()])
    expected = zarr2.call("read", path)
    if dtype == "<U5":
        dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER)
        assert dataset.GetRootGroup().OpenMDArray("a").Read() == expected.ravel().tolist()
        return
    assert_same(read(path), expected.astype("u1" if dtype == "|b1" else dtype.replace(">", "<")))
    dataset = gdal.OpenEx(path, gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.ascontiguousarray(values[::-1]).astype(dtype.replace(">", "<").replace("b1", "u1")))  # fmt: skip
    dataset = None
    expected = np.zeros((21, 30), dtype)
    expected[:20] = values[::-1]
    for i in range(3):
        wanted = bytes(codec.encode(np.ascontiguousarray(expected[7 * i : 7 * i + 7])))
        assert (tmp_path / f"a.zarr/{i}.0").read_bytes()[:-8] == wanted[:-8], i
    assert_same(zarr2.call("read", path), expected[:20])


def test_msgpack2_of_objects(tmp_path):
    """Strings read unchanged, null reads as an empty string, and other values read as JSON text."""
    values = np.empty((2, 3), object)
    values[...] = [["Zürich", "", "x" * 300], [None, [1, "a"], {"b": 2.5}]]
    path = str(tmp_path / "a.zarr")
    codec = numcodecs.MsgPack().get_config()
    zarr2.call("create", path, None, values, chunks=(1, 3), object_codec=codec)
    dataset = gdal.OpenEx(path, gdal.OF_MULTIDIM_RASTER)
    expected = ["Zürich", "", "x" * 300, "", '[1, "a"]', '{"b": 2.5}']
    assert [text.replace('":2', '": 2').replace('1,"', '1, "') for text in dataset.GetRootGroup().OpenMDArray("a").Read()] == expected


# Codec imagecodecs_tiff

TIFFS = {
    "strips": ["COMPRESS=DEFLATE"],
    "tiles": ["TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16", "COMPRESS=LZW", "PREDICTOR=2"],
    "big endian": ["ENDIANNESS=BIG", "COMPRESS=PACKBITS"],
    "BigTIFF": ["BIGTIFF=YES", "COMPRESS=ZSTD"],
}


def tiff(path, values, options):
    """Writes `values` with the dimensions (sample, row, column) to a TIFF file by GDAL."""
    dtype = gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype)
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), *values.shape[:0:-1], len(values), dtype, options)
    dataset.WriteArray(values)


@pytest.mark.parametrize("kind", TIFFS)
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "f4", "f8"])
@pytest.mark.parametrize("interleave", ["PIXEL", "BAND"])
def test_imagecodecs_tiff(tmp_path, kind, dtype, interleave):
    """Each TIFF file is one chunk of an array, as tifffile and Kerchunk describe a series of TIFF files."""
    values = (np.arange(2 * 3 * 20 * 33).reshape(2, 3, 20, 33) * 7 % 251).astype(dtype)
    for i, scene in enumerate(values):
        predictor = ["PREDICTOR=2"] if kind == "tiles" and dtype[0] != "f" else []
        options = [o for o in TIFFS[kind] if not o.startswith("PREDICTOR")] + predictor
        tiff(tmp_path / f"{i}.tif", scene, [*options, f"INTERLEAVE={interleave}"])
    wanted = values if interleave == "BAND" else values.transpose(0, 2, 3, 1)
    zeros = "." + ".".join("0" * (wanted.ndim - 1))
    store = handmade(
        tmp_path / "a.zarr", shape=list(wanted.shape), chunks=[1, *wanted.shape[1:]], dtype="<" + dtype if dtype != "u1" else "|u1",
        compressor={"id": "imagecodecs_tiff"}, fill_value=None,
        files={f"{i}{zeros}": (tmp_path / f"{i}.tif").read_bytes() for i in range(2)},
    )  # fmt: skip
    assert_same(read(str(store)), wanted)


def test_imagecodecs_tiff_is_not_written(tmp_path):
    tiff(tmp_path / "0.tif", np.ones((1, 4, 6), "i2"), [])
    store = handmade(tmp_path / "a.zarr", compressor={"id": "imagecodecs_tiff"}, shape=[4, 6], chunks=[4, 6],
                     files={"0.0": (tmp_path / "0.tif").read_bytes()})  # fmt: skip
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.GetRasterBand(1).Fill(5)
        dataset = None
    assert any("imagecodecs_tiff: writing TIFF chunks is unsupported" in text for text in log.errors), log.events
    assert open_raster(store).ReadAsArray().tolist() == np.ones((4, 6)).tolist()


@pytest.mark.parametrize("kind", TIFFS)
def test_imagecodecs_tiff_that_is_damaged(tmp_path, kind):
    choose = random.Random(f"{SEED} {kind}")
    values = np.arange(40 * 50, dtype="i2").reshape(1, 40, 50)
    tiff(tmp_path / "0.tif", values, TIFFS[kind])
    good = (tmp_path / "0.tif").read_bytes()
    store = handmade(tmp_path / "a.zarr", compressor={"id": "imagecodecs_tiff"}, shape=[40, 50], chunks=[40, 50],
                     files={"0.0": good})  # fmt: skip
    assert_same(open_raster(store).ReadAsArray(), values[0])
    chunk = tmp_path / "a.zarr/0.0"
    for size in (0, 4, 8, len(good) // 2):
        chunk.write_bytes(good[:size])
        with error_log() as log:
            assert open_raster(store).ReadAsArray() is None, size
        assert "0.0: chunk [0, 0]: imagecodecs_tiff: " in log.the_error()
    for _ in range(300):  # each damaged chunk gives values or an error, but no read outside of the chunk
        bad = bytearray(good)
        for _ in range(choose.randint(1, 4)):
            at = choose.randrange(len(bad)) if choose.random() < 0.3 else choose.randrange(min(400, len(bad)))
            bad[at] = choose.randrange(256)
        chunk.write_bytes(bytes(bad))
        with error_log() as log:
            open_raster(store).ReadAsArray()
        assert len(log.errors) <= 1, log.errors


# Codecs that the driver does not know


@pytest.mark.parametrize("place", ["", "group/a"])
@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER, gdal.OF_RASTER | gdal.OF_UPDATE])
def test_an_unknown_codec_is_named(tmp_path, flags, place):
    """The only error names the unknown codec. GDAL's built-in driver also fails to open the array, but its error is not
    shown."""
    store = tmp_path / "a.zarr"
    if place:
        zarr.open_group(str(store)).create_group("group")
    handmade(store, path=place, compressor={"id": "wavelet", "level": 5}, files={})
    with error_log() as log:
        assert gdal.OpenEx(array_name(store, place), flags) is None
    assert 'unknown codec "wavelet"' in log.the_error()
