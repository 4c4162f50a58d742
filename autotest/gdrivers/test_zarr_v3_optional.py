# SPDX-License-Identifier: MIT
"""The data type and codec zarrs.optional of the library zarrs, in which elements may be missing. Missing
elements read as nodata. The tests write stores according to the documentation of zarrs."""

import gzip
import json
import struct

import numpy as np
import pytest
import zarr3
import zarr3_check
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr3 import BYTES, LITTLE, codec, document, sharding, transpose


def optional(name, **configuration):
    return codec("zarrs.optional", name=name, configuration=configuration)


def optional_codec(mask=(BYTES,), data=(LITTLE,), name="zarrs.optional"):
    return codec(name, mask_codecs=list(mask), data_codecs=list(data))


def encoded(values, present, mask=bytes, data=bytes):
    """Returns an encoded chunk. `present` is False for missing elements. The functions `mask` and `data` encode
    the bytes of `present` and of the present elements."""
    of_mask = mask(present.astype("u1").tobytes())
    of_data = data(values[present].tobytes()) if present.any() else b""
    return struct.pack("<2Q", len(of_mask), len(of_data)) + of_mask + of_data


def packed(mask):
    """Encodes the bytes of a boolean array as the codec packbits does."""
    return np.packbits(np.frombuffer(mask, "u1"), bitorder="little").tobytes()


def sample(dtype, shape=(4, 6)):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    return values, np.arange(values.size).reshape(shape) % 3 != 1


NAT = np.iinfo("i8").min
# data type -> (its configuration, NumPy type, value that GDAL returns for missing elements)
TYPES = {
    "int8": ({}, "i1", -128), "uint8": ({}, "u1", 255), "int16": ({}, "<i2", -32768),
    "uint16": ({}, "<u2", 65535), "int32": ({}, "<i4", -2**31), "uint32": ({}, "<u4", 2**32 - 1),
    "int64": ({}, "<i8", NAT), "uint64": ({}, "<u8", 2**64 - 1), "float16": ({}, "<f2", np.nan),
    "float32": ({}, "<f4", np.nan), "float64": ({}, "<f8", np.nan),
    "numpy.datetime64": ({"unit": "s", "scale_factor": 1}, "<M8[s]", NAT),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types(tmp_path, name):
    configuration, dtype, missing = TYPES[name]
    values, present = sample(dtype)
    data = LITTLE if values.dtype.itemsize > 1 else BYTES
    metadata = document(
        (4, 6), optional(name, **configuration), None, [optional_codec(data=[data])], None
    )
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": encoded(values, present)})
    stand_in = np.array(missing, "i8").view(dtype) if "datetime" in name else np.array(missing, dtype)
    values[~present] = stand_in
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, stand_in, metadata)


CHAINS = {
    "compressed": ([optional_codec([codec("packbits"), zarr3.gzip()], [LITTLE, zarr3.gzip()])],
                   lambda m: gzip.compress(packed(m)), gzip.compress),
    "old name": ([optional_codec(name="optional")], bytes, bytes),
    "compressed as a whole": ([optional_codec(), zarr3.gzip()], bytes, bytes),
    "transposed": ([transpose(1, 0), optional_codec()], bytes, bytes),
}  # fmt: skip


@pytest.mark.parametrize("in_shards", [False, True])
@pytest.mark.parametrize("case", CHAINS)
def test_chains(tmp_path, case, in_shards):
    codecs, mask, data = CHAINS[case]
    values, present = sample("<i4")
    if case == "transposed":
        chunk = encoded(np.ascontiguousarray(values.T), present.T.copy(), mask, data)
    else:
        chunk = encoded(values, present, mask, data)
    if case == "compressed as a whole":
        chunk = gzip.compress(chunk)
    if in_shards:
        codecs = [sharding((4, 6), codecs, [LITTLE])]
        chunk += struct.pack("<2Q", 0, len(chunk))
    metadata = document((4, 6), optional("int32"), None, codecs, None)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": chunk})
    values[~present] = -(2**31)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, np.array(-(2**31), "i4"), metadata)


@pytest.mark.parametrize("fill, shown", [(None, -9999), ([7], 7)])
def test_absent_chunks_are_the_fill_value(tmp_path, fill, shown):
    """If the fill value is null, elements of absent chunks are missing and read as `_FillValue`. Otherwise they
    read as the fill value. The nodata value is always `_FillValue`."""
    values, present = sample("<i2")
    metadata = document(
        (8, 6), optional("int16"), (4, 6), [optional_codec()], fill, attributes={"_FillValue": -9999}
    )
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/1/0": encoded(values, present)})
    values[~present] = -9999
    whole = np.vstack([np.full((4, 6), shown, "i2"), values])
    zarr3_check.check_values(tmp_path / "a.zarr", "", whole, np.array(-9999, "i2"), metadata)


def test_nodata_is_written_as_missing(tmp_path):
    values, present = sample("<i2")
    metadata = document((8, 6), optional("int16"), (4, 6), [optional_codec()], None)
    store = zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/1/0": encoded(values, present)})
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    assert band.GetNoDataValue() == -32768
    band.WriteArray(np.array([[1, -32768, 3]], "i2"), 2, 0)
    band.WriteArray(np.full((1, 6), 5, "i2"), 0, 4)
    band.WriteArray(np.full((1, 6), -32768, "i2"), 0, 5)
    del band, dataset
    first = np.zeros((4, 6), "<i2")
    first[0, 2], first[0, 4] = 1, 3
    assert (store / "c/0/0").read_bytes() == encoded(first, first != 0)
    values[0], values[1] = 5, 0
    present[0], present[1] = True, False
    assert (store / "c/1/0").read_bytes() == encoded(values, present)
    assert json.loads((store / "zarr.json").read_text())["data_type"] == optional("int16")
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((8, 6), -32768, "i2"))
    del dataset
    assert not [path for path in store.rglob("*") if path.is_file() and path.name != "zarr.json"]


def test_nodata_cannot_be_changed(tmp_path, cpl):
    values, present = sample("<i2")
    metadata = document((4, 6), optional("int16"), None, [optional_codec()], None)
    store = zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": encoded(values, present)})
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    for change in (lambda: band.SetNoDataValue(-1), band.DeleteNoDataValue):
        assert change() != gdal.CE_None
        assert "zarrs.optional" in cpl.the_error()
        cpl.clear()
    assert band.GetNoDataValue() == -32768
    del band, dataset
    assert json.loads((store / "zarr.json").read_text()) == metadata


def test_overviews_have_the_same_nodata(tmp_path):
    values = np.full((64, 64), 9, "<i2")
    present = np.ones((64, 64), bool)
    present[:32] = False
    metadata = document(
        (64, 64), optional("int16"), None, [optional_codec()], None, attributes={"_FillValue": -5}
    )
    store = tmp_path / "a.zarr"
    zarr3.handmade(store, zarr3.group_document())
    zarr3.handmade(store, metadata, {"c/0/0": encoded(values, present)}, "band")
    dataset = gdal.OpenEx(f'ZARR:"{store}":/band', gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    del dataset
    dataset = gdal.Open(f'ZARR:"{store}":/band')
    overview = dataset.GetRasterBand(1).GetOverview(0)
    assert overview.GetNoDataValue() == -5
    wanted = np.full((32, 32), 9, "i2")
    wanted[:16] = -5
    zarr_gdal.assert_same(overview.ReadAsArray(), wanted)


BAD = {
    "bytes alone": ({"codecs": [LITTLE]}, "zarrs.optional"),
    "of booleans": ({"data_type": optional("bool")}, "zarrs.optional of"),
    "of texts": ({"data_type": optional("string")}, "zarrs.optional of"),
    "nested": ({"data_type": codec("zarrs.optional", name="zarrs.optional", configuration={"name": "int8", "configuration": {}})}, "inside"),
    "plain type": ({"data_type": "int16", "fill_value": 0}, "zarrs.optional"),
    "fill value": ({"fill_value": 3}, "fill_value"),
    "codecs": ({"codecs": [optional_codec([])]}, "mask_codecs"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_invalid_configurations_are_refused(tmp_path, cpl, case):
    members, told = BAD[case]
    values, present = sample("<i2")
    default = {"data_type": optional("int16"), "fill_value": None, "codecs": [optional_codec()]}
    members = {**default, **members}
    metadata = document((4, 6), members.pop("data_type"), **members)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": encoded(values, present)})
    assert gdal.Open(str(tmp_path / "a.zarr")) is None
    assert told in cpl.the_error()


def test_a_damaged_chunk_is_an_error(tmp_path, cpl):
    values, present = sample("<i2")
    metadata = document((4, 6), optional("int16"), None, [optional_codec()], None)
    chunk = encoded(values, present)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": chunk[:-1]})
    assert gdal.Open(str(tmp_path / "a.zarr")).ReadAsArray() is None
    error = cpl.the_error()
    assert "a.zarr" in error and "c/0/0" in error and "zarrs.optional" in error


def test_the_multidimensional_api_has_it(tmp_path):
    values, present = sample("<f4")
    metadata = document((4, 6), optional("float32"), None, [optional_codec()], None)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": encoded(values, present)})
    array = zarr_mdim.open_array(tmp_path / "a.zarr")
    assert np.isnan(zarr_mdim.raw_nodata(array)[""])
    values[~present] = np.nan
    zarr_gdal.assert_same(array.ReadAsArray(), values)
