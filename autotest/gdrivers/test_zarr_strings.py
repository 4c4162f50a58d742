# SPDX-License-Identifier: MIT
"""Arrays of strings or structures, which are not rasters. The program zarr_dump reads these arrays. Also tests fill
values that zarr-python reads wrongly."""

import os
import subprocess

import numcodecs
import numpy as np
import pytest
import zarr2
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_mdim_write
import zarr_python as zarr
from osgeo import gdal
from zarr_dump import check_dump
from zarr_gdal import open_raster
from zarr_store import handmade, make_array, make_store

pytestmark = zarr_formats.BOTH

NAMES = np.array([["Zürich", "", "東京"], ["a\nb", "\U0001f30d", "x" * 500]], dtype=object)


def write_objects(folder, values, codec, order="C", **options):
    store = str(folder / "names.zarr")
    zarr.save_array(store, values, chunks=(2, 2), dtype=object, object_codec=codec, order=order, **options)
    return store


@zarr_formats.V2  # only v2, because test_zarr_v3_read.py tests strings of v3
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["vlen-utf8", "json2", "categorize"])
def test_object_strings(tmp_path, order, name):
    """zarr_dump returns each string at the index at which it was written. The test compares with the written strings,
    because zarr-python 2 reads json2 arrays of order F in a wrong order."""
    labels = sorted(set(NAMES.ravel()) - {""})
    codec = {"vlen-utf8": numcodecs.VLenUTF8(), "json2": numcodecs.JSON(),
             "categorize": numcodecs.Categorize(labels, dtype=object)}[name]  # fmt: skip
    store = str(tmp_path / "names.zarr")
    zarr2.call("create", store, None, NAMES, chunks=(2, 2), object_codec=codec.get_config(), order=order,
               fill_value="")  # fmt: skip
    assert check_dump(store, "", NAMES) is None


def test_object_bytes(tmp_path):
    values = np.array([[b"\x00\xff", b""], [b"abc", bytes(300)]], dtype=object)
    store = write_objects(tmp_path, values, numcodecs.VLenBytes(), fill_value=0)
    assert check_dump(store, "", values) is None


@pytest.mark.parametrize("codec", ["vlen-bytes", "vlen-utf8", "|S7", "<U7", ">U7"])
def test_strings_that_gdal_cannot_hold(tmp_path, cpl, codec):
    """A string that GDAL cannot hold, such as one with NUL, reads as "base64:" and its encoded bytes. A copy of
    the array stores the original bytes."""
    values = [b"plain", b"a\0b", b"\0", b"base64:", b"", b"base64:AA==", "Zürich".encode()]
    marked = [b"plain", b"base64:YQBi", b"base64:AA==", b"base64:YmFzZTY0Og==", b"",
              b"base64:YmFzZTY0OkFBPT0=", "Zürich".encode()]  # fmt: skip
    if codec == "vlen-bytes":
        values, marked = values + [b"\xff"], marked + [b"base64:/w=="]
    if codec[0] in "|<>":
        # Fixed-length strings lose NULs at their end, so the test has a NUL at the start.
        values[2], marked[2] = b"\0a", b"base64:AGE="
        values[5], marked[5] = b"", b""  # b"base64:AA==" does not fit into a string of 7 characters
    is_bytes = codec in ("vlen-bytes", "|S7")
    dtype = object if codec[0] == "v" else codec
    wanted = np.array([v if is_bytes else v.decode() for v in values], dtype)
    options = {}
    if dtype is object:
        options["object_codec"] = numcodecs.VLenBytes() if is_bytes else numcodecs.VLenUTF8()
    arrays = {"v": {"values": wanted, "chunks": 3, "dims": ["c"], **options},
              "copy": {"values": wanted[::-1], "chunks": 4, **options}}  # fmt: skip
    store = make_store(tmp_path, arrays)
    dataset = zarr_mdim_write.update(store)
    array = dataset.GetRootGroup().OpenMDArray("v")
    got = zarr_mdim.read(array, [0], [len(values)])
    assert got[""].tolist() == marked
    copy = dataset.GetRootGroup().OpenMDArray("copy")
    assert zarr_mdim_write.write(copy, got)
    del array, copy, dataset
    cpl.assert_quiet()
    assert zarr.open_group(str(store), mode="r")["copy"][...].tolist() == wanted.tolist()


def test_labels_and_attributes_with_nul_are_marked(tmp_path, cpl):
    names = np.array(["red", "g\0n"], object)
    zeros = np.zeros((2, 3, 4), "i2")
    image = {"values": zeros, "dims": ["band", "y", "x"], "attrs": {"a": "b\0c"}}
    store = make_store(tmp_path, {"image": image, "band": {
        "values": names, "dims": ["band"], "object_codec": numcodecs.VLenUTF8()}})  # fmt: skip
    dataset = open_raster(store)
    assert dataset.GetRasterBand(2).GetDescription() == "base64:ZwBu"
    root = zarr_mdim.open_group(store)
    assert root.OpenMDArray("image").GetAttribute("a").ReadAsString() == "base64:YgBj"
    cpl.assert_quiet()


@pytest.mark.parametrize("dtype", ["|S7", "<U7", ">U7"])
def test_fixed_strings(tmp_path, dtype):
    words = ["Alps", "Rhône", ""] if dtype[1] == "U" else [b"Alps", b"\xff\x00x", b""]
    values = np.array([words, words[::-1]], dtype=dtype)
    assert check_dump(make_array(tmp_path, values, chunks=(2, 2)), "", values) is None


@zarr_formats.V2
def test_structures(tmp_path):
    place = [("lon", ">f8"), ("lat", "<f4")]
    values = np.zeros(5, [("name", "S3"), ("at", place), ("n", ">i2", (2,))])
    values["name"] = [b"a", b"bc", b"", b"def", b"x"]
    values["at"]["lon"], values["n"] = np.arange(5) / 3, np.arange(10).reshape(5, 2)
    zarr2.call("create", str(tmp_path / "s.zarr"), None, values, chunks=2, fill_value=None)
    assert check_dump(tmp_path / "s.zarr", "", values) is None


@zarr_formats.V2
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
    """The driver reads the real and the imaginary part of a complex fill value separately, so Infinity stays Infinity.
    In zarr-python it becomes NaN, because zarr-python computes re + 1j * im."""
    store = handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=fill, files={})
    got = open_raster(store).ReadAsArray()
    if fill == "NaN":
        assert np.isnan(got.real).all()
    else:
        zarr_gdal.assert_same(got, np.full((4, 6), wanted, got.dtype))


@zarr_formats.V2
@pytest.mark.parametrize("codec", [{"id": "pickle", "protocol": 4}, {"id": "msgpack"}])
def test_refused_object_codecs(tmp_path, codec):
    """Reading an array with an unsupported codec, such as pickle, fails with an error that names the codec."""
    store = handmade(tmp_path / "a.zarr", dtype="|O", fill_value=None, filters=[codec], files={})
    command = [os.environ["ZARR_DUMP"], str(store), ""]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode > 0 and codec["id"] in done.stderr.decode()


@zarr_formats.V2
def test_objects_without_a_codec(tmp_path):
    store = handmade(tmp_path / "a.zarr", dtype="|O", fill_value=None, files={})
    command = [os.environ["ZARR_DUMP"], str(store), ""]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode > 0 and "|O" in done.stderr.decode()


CATEGORIES = {"id": "categorize", "labels": ["female", "male"], "dtype": "|S10", "astype": "|u1"}


@zarr_formats.V2
@pytest.mark.parametrize("filters", [None, [CATEGORIES]])
def test_categorized_bytes(tmp_path, cpl, filters):
    """The driver reads and writes byte strings with the codec "categorize", which replaces each string by the number of
    its label. numcodecs 0.5.0 and later refuse labels that are bytes, so the test writes and checks the stored bytes
    itself."""
    sexes = np.array([[b"female", b"male", b""], [b"male", b"", b"female"]], "S10")
    codes = np.array([[1, 2, 0], [2, 0, 1]], "u1")
    raw = (codes if filters else sexes).tobytes()
    handmade(
        tmp_path / "a.zarr", dtype="|S10", shape=[2, 3], chunks=[2, 3], fill_value="",
        files={"0.0": raw}, filters=filters,
    )  # fmt: skip
    assert check_dump(str(tmp_path / "a.zarr"), "", sexes) is None
    wanted = np.array([[b"male", b"female", b""], [b"", b"male", b"male"]], "S10")
    writable = zarr_mdim_write.update(tmp_path / "a.zarr")
    array = writable.GetRootGroup().OpenMDArray("a")
    assert zarr_mdim_write.write(array, {"": wanted.astype(object)})
    del array, writable
    cpl.assert_quiet()
    stored = (tmp_path / "a.zarr/0.0").read_bytes()
    if filters:
        assert np.frombuffer(stored, "u1").tolist() == [2, 1, 0, 0, 2, 2]
    else:
        assert stored == wanted.tobytes()
    assert check_dump(str(tmp_path / "a.zarr"), "", wanted) is None


@zarr_formats.V2
@pytest.mark.parametrize(
    "dtype, codec, fill", [("<U5", "vlen-utf8", "xy"), ("|S5", "vlen-bytes", "eHk=")]
)
def test_fixed_strings_that_are_stored_as_objects(tmp_path, cpl, dtype, codec, fill):
    """zarr-python 3.0 stores fixed-length strings of Zarr v2 in the format of variable-length strings. The driver reads
    these strings and uses them as names of bands."""
    chunk = b"\x02\0\0\0" + b"\x05\0\0\0green" + b"\x02\0\0\0IR"  # chunk that zarr-python 3.0.6 has written
    shape = {"shape": [3], "chunks": [2], "compressor": None}
    folder = tmp_path / "a.zarr"
    zarr.open_group(str(folder), mode="w")
    handmade(
        folder, None, {"0": chunk}, "band", {"_ARRAY_DIMENSIONS": ["band"]}, dtype=dtype,
        filters=[{"id": codec}], fill_value=fill, **shape,
    )  # fmt: skip
    names = np.array([b"green", b"IR", b"xy"], object)
    assert check_dump(str(folder), "band", names) is None
    handmade(
        folder, None, {}, "image", {"_ARRAY_DIMENSIONS": ["band", "y", "x"]}, shape=[3, 4, 6],
        chunks=[1, 2, 3],
    )  # fmt: skip
    dataset = open_raster(folder)
    got = [dataset.GetRasterBand(i).GetDescription() for i in (1, 2, 3)]
    assert [name.rpartition("=")[2] for name in got] == ["green", "IR", "xy"]
    before = (folder / "band/.zarray").read_bytes()
    writable = gdal.OpenEx(str(folder), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    writable.GetRootGroup().OpenMDArray("band").Write(["nir"], [2], [1])
    assert cpl.events == []
    with zarr_gdal.error_log() as log:
        writable.GetRootGroup().OpenMDArray("band").Write(["yellow"], [2], [1])
    assert log.errors == [] and len(log.warnings) == 1
    assert f'"yellow": too long for dtype {dtype}; truncated' in log.warnings[0]
    del writable
    names[2] = b"yello"
    assert check_dump(str(folder), "band", names) is None
    assert (folder / "band/.zarray").read_bytes() == before
