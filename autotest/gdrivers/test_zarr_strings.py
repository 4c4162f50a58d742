# SPDX-License-Identifier: MIT
"""Strings and whole structures, which are no rasters, through zarr_dump; and fill values that
zarr-python itself does not read right."""

import os
import subprocess

import numcodecs
import numpy as np
import pytest
import zarr
import zarr_gdal
from zarr_dump import check_dump
from zarr_gdal import open_raster
from zarr_store import handmade, make_array

NAMES = np.array([["Zürich", "", "東京"], ["a\nb", "\U0001f30d", "x" * 500]], dtype=object)


def write_objects(folder, values, codec, order="C", **options):
    store = str(folder / "names.zarr")
    array = zarr.create(
        values.shape, chunks=(2, 2), dtype=object, object_codec=codec, order=order,
        store=zarr.DirectoryStore(store), **options,
    )  # fmt: skip
    array[...] = values
    return store


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["vlen-utf8", "json2", "categorize"])
def test_object_strings(tmp_path, order, name):
    """Item (i, j) is what was written there. zarr-python 2.13 itself returns items of json2 in
    another order where the array's is F, though the chunk's lists say which is which."""
    labels = sorted(set(NAMES.ravel()) - {""})
    codec = {"vlen-utf8": numcodecs.VLenUTF8(), "json2": numcodecs.JSON(),
             "categorize": numcodecs.Categorize(labels, dtype=object)}[name]  # fmt: skip
    store = write_objects(tmp_path, NAMES, codec, order, fill_value="")
    assert check_dump(store, "", NAMES) is None


def test_object_bytes(tmp_path):
    values = np.array([[b"\x00\xff", b""], [b"abc", bytes(300)]], dtype=object)
    store = write_objects(tmp_path, values, numcodecs.VLenBytes(), fill_value=0)
    assert check_dump(store, "", values) is None


@pytest.mark.parametrize("dtype", ["|S7", "<U7", ">U7"])
def test_fixed_strings(tmp_path, dtype):
    words = ["Alps", "Rhône", ""] if dtype[1] == "U" else [b"Alps", b"\xff\x00x", b""]
    values = np.array([words, words[::-1]], dtype=dtype)
    assert check_dump(make_array(tmp_path, values, chunks=(2, 2)), "", values) is None


def test_structures(tmp_path):
    place = [("lon", ">f8"), ("lat", "<f4")]
    values = np.zeros(5, [("name", "S3"), ("at", place), ("n", ">i2", (2,))])
    values["name"] = [b"a", b"bc", b"", b"def", b"x"]
    values["at"]["lon"], values["n"] = np.arange(5) / 3, np.arange(10).reshape(5, 2)
    assert check_dump(make_array(tmp_path, values, chunks=2), "", values) is None


@pytest.mark.parametrize(
    "fill, wanted",
    [
        (["Infinity", "-Infinity"], complex("inf-infj")),
        ([0.0, "Infinity"], complex("0+infj")),
        ([-0.0, 1.5], complex(-0.0, 1.5)),
        ([1.5, "NaN"], complex("1.5+nanj")),
        (2.5, complex(2.5, 0)),
        ("NaN", complex("nan+nanj")),
    ],
)
@pytest.mark.parametrize("dtype", ["<c8", ">c16"])
def test_complex_fill_values(tmp_path, dtype, fill, wanted):
    """Each part by itself: zarr-python computes re + 1j * im, and Infinity becomes NaN."""
    store = handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=fill, files={})
    got = open_raster(store).ReadAsArray()
    if fill == "NaN":
        assert np.isnan(got.real).all()
    else:
        zarr_gdal.assert_same(got, np.full((4, 6), wanted, got.dtype))


@pytest.mark.parametrize("codec", [{"id": "pickle", "protocol": 4}, {"id": "msgpack2"}])
def test_refused_object_codecs(tmp_path, codec):
    """By name; pickle would run code."""
    store = handmade(tmp_path / "a.zarr", dtype="|O", fill_value=None, filters=[codec], files={})
    command = [os.environ["ZARR_DUMP"], str(store), ""]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode > 0 and codec["id"] in done.stderr.decode()


def test_objects_without_a_codec(tmp_path):
    store = handmade(tmp_path / "a.zarr", dtype="|O", fill_value=None, files={})
    command = [os.environ["ZARR_DUMP"], str(store), ""]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode > 0 and "|O" in done.stderr.decode()
