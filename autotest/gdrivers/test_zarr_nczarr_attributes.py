# SPDX-License-Identifier: MIT
"""NCZarr stores in the form of netCDF-C 4.9.1 and later, written file by file. Characters have the dtype >S1. From
4.9.3 on, the extensions of NCZarr are attributes."""

import numpy as np
import pytest
from osgeo import gdal
from test_zarr_nczarr import FILL_DOUBLE, quiet_group, sizes
from zarr_mdim import read
from zarr_store import group, handmade

TEXTS = b"abcde\0"  # the characters of an array with the shape [2, 3]


def root_of(store, **dims):
    extension = {"dimensions": dims, "arrays": [], "groups": []}
    group(store, attrs={"_nczarr_group": extension, "_nczarr_superblock": {"version": "2.0.0"}})


def extension_of(*dims, **more):
    extension = {"dimension_references": list(dims), **more, "storage": "chunked"}
    return {"_nczarr_array": extension, "_nczarr_attr": {"types": {"_nczarr_array": "|J0"}}}


def texts(store, dtype, in_attributes):
    root_of(store, n=2, len=3)
    more = {"attrs": {"_ARRAY_DIMENSIONS": ["n", "len"], **extension_of("/n", "/len")}}
    if not in_attributes:
        more = {"_nczarr_array": {"dimrefs": ["/n", "/len"], "storage": "chunked"}}
    handmade(store, path="t", shape=[2, 3], chunks=[2, 3], dtype=dtype, fill_value="",
             files={"0.0": TEXTS}, **more)  # fmt: skip
    return quiet_group(store).OpenMDArray("t")


@pytest.mark.parametrize("in_attributes", [True, False])
def test_characters(tmp_path, in_attributes):
    array = texts(tmp_path / "x.zarr", ">S1", in_attributes)
    assert sizes(array) == [("/n", 2)]
    assert array.GetDataType().GetClass() == gdal.GEDTC_STRING
    assert read(array)[""].tolist() == [b"abc", b"de"]


@pytest.mark.parametrize("in_attributes", [True, False])
def test_strings_of_one_character(tmp_path, in_attributes):
    """NCZarr stores strings (NC_STRING) of one character as |S1, and characters (NC_CHAR) as >S1. An array of strings
    keeps its dimensions. The last dimension of an array of characters becomes the length of its strings."""
    array = texts(tmp_path / "x.zarr", "|S1", in_attributes)
    assert sizes(array) == [("/n", 2), ("/len", 3)]
    assert read(array)[""].tolist() == [[b"a", b"b", b"c"], [b"d", b"e", b""]]


def test_scalars(tmp_path):
    store = tmp_path / "x.zarr"
    root_of(store, x=6)
    handmade(
        store, path="crs", shape=[1], chunks=[1], dtype="<i4", files={"0": b"\x2a\0\0\0"},
        attrs={"_ARRAY_DIMENSIONS": ["_scalar_"], **extension_of(scalar=1)},
    )  # fmt: skip
    root = quiet_group(store)
    crs = root.OpenMDArray("crs")
    assert crs.GetDimensionCount() == 0 and read(crs)[""] == 42
    assert {d.GetName(): d.GetSize() for d in root.GetDimensions()} == {"x": 6}


def test_fill_values(tmp_path):
    """netCDF-C rounds the fill value in .zarray to six digits, but stores it exactly in chunks. The driver returns the
    exact nodata value."""
    store = tmp_path / "x.zarr"
    root_of(store, x=2)
    handmade(
        store, path="d", shape=[2], chunks=[2], dtype="<f8", fill_value=9.96921e36,
        files={"0": np.array([1.5, FILL_DOUBLE]).tobytes()},
        attrs={"_ARRAY_DIMENSIONS": ["x"], **extension_of("/x")},
    )  # fmt: skip
    array = quiet_group(store).OpenMDArray("d")
    assert array.GetNoDataValueAsDouble() == FILL_DOUBLE == read(array)[""][1]


def test_dimension_references_win_over_names(tmp_path):
    """The dimension references of netCDF-C take precedence over _ARRAY_DIMENSIONS. For arrays in groups, netCDF-C 4.10
    writes references and _ARRAY_DIMENSIONS, but 4.9.3 writes only references."""
    store = tmp_path / "x.zarr"
    root_of(store, lat=4)
    handmade(store, path="lat", shape=[4], chunks=[4], dtype="<f4", files={},
             attrs={"_ARRAY_DIMENSIONS": ["lat"], **extension_of("/lat")})  # fmt: skip
    extension = {"dimensions": {"lat": 4, "x": 6}, "arrays": ["q"], "groups": []}
    group(store, "g", attrs={"_nczarr_group": extension})
    attrs = {"_ARRAY_DIMENSIONS": ["lat", "x"], **extension_of("/g/lat", "/g/x")}
    handmade(store, path="g/q", attrs=attrs)
    q = quiet_group(store).OpenGroup("g").OpenMDArray("q")
    assert sizes(q) == [("/g/lat", 4), ("/g/x", 6)]
    assert q.GetDimensions()[0].GetIndexingVariable() is None


@pytest.mark.parametrize("extension, wanted", [
    ([1, 2], [b"a", b"b", b"c", b"d", b"e", b""]),
    ("x", [b"a", b"b", b"c", b"d", b"e", b""]),
    ({"dimension_references": 7}, [b"abc", b"de"]),
    ({"dimension_references": ["/n", "/len", "/n"], "storage": 5}, [b"abc", b"de"]),
])  # fmt: skip
def test_extensions_that_make_no_sense(tmp_path, extension, wanted):
    """An attribute of NCZarr, such as _nczarr_array, is ignored if it is not a JSON object. In an object, only invalid
    members are ignored."""
    store = tmp_path / "x.zarr"
    root_of(store, n=2, len=3)
    handmade(store, path="t", shape=[2, 3], chunks=[2, 3], dtype=">S1", fill_value="",
             files={"0.0": TEXTS}, attrs={"_nczarr_array": extension})  # fmt: skip
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert read(root.OpenMDArray("t"))[""].ravel().tolist() == wanted
