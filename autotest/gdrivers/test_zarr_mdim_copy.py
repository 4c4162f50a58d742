# SPDX-License-Identifier: MIT
"""Copies netCDF files and stores by gdalmdimtranslate. xarray and zarr-python must find everything of the
source in the copy."""

import json
import os
import pathlib
import warnings

import netCDF4
import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_mdim
import zarr_mdim_write as w
import zarr_python as zarr
import zarr_random_types as types
from osgeo import gdal
from test_zarr_mdim_edit import assert_consolidated
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

SEED = os.environ["ZARR_TEST_SEED"]
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
warnings.filterwarnings("ignore", "Engine 'rasterio'")


def translate(target, source, **options):
    copied = gdal.MultiDimTranslate(str(target), str(source), format="Zarr", **options)
    assert copied is not None, gdal.GetLastErrorMsg()
    del copied
    return target


def weather(calendar="standard"):
    """Returns an xarray dataset by the CF conventions, with times, texts and several types of numbers."""
    rng = np.random.default_rng(int(SEED, 16) if set(SEED) <= set("0123456789abcdef") else 1)
    t2m = rng.normal(280, 10, (3, 4, 5)).astype("f4")
    t2m[0, 0, 0] = np.nan
    name = {"standard_name": "air_temperature", "long_name": "Temperature", "units": "K"}
    numbers = {"valid_range": np.array([200, 320], "f4"), "flag": np.int8(3), "big": np.int64(2**60)}
    return xr.Dataset(
        {
            "t2m": (("time", "lat", "lon"), t2m, {**name, **numbers, "comment": "Zürich"}),
            "count": (("lat", "lon"), rng.integers(0, 99, (4, 5), "i2"), {"units": "1"}),
            "large": (("lon",), np.arange(5) + 2**60, {"long_name": "large numbers"}),
            "station": (("lat",), np.array(["a", "bb", "ccc", "ö"], object)),
            "code": (("lat",), np.array([b"a", b"bb", b"ccc", b"d"], "S3")),
        },
        coords={
            "time": ("time", xr.cftime_range("2001-02-27", periods=3, calendar=calendar),
                     {"standard_name": "time", "long_name": "valid time"}),
            "lat": ("lat", np.arange(4.0), {"standard_name": "latitude", "axis": "Y",
                                            "units": "degrees_north"}),
            "lon": ("lon", np.arange(5.0), {"standard_name": "longitude",
                                            "units": "degrees_east"}),
        },
        attrs={"title": "hé", "Conventions": "CF-1.8", "n": np.int32(5), "f": 1.5,
               "list": np.array([1.5, 2.5])},
    )  # fmt: skip


def plain(attributes):
    """Returns {name: text} for attributes. Values are compared as texts, because NaN must equal NaN."""
    return {name: repr(np.asarray(value).tolist()) for name, value in attributes.items()}


def kind_of(variable):
    """Returns the data type of a variable; for texts, the Python types of the values. xarray returns texts from Zarr as
    objects. xarray 2025.3 and 2026.4 return texts from netCDF with a fixed width."""
    if variable.dtype.kind in "OTU":
        return {type(value) for value in np.asarray(variable.values, object).flat}
    return variable.dtype


def assert_texts(store, path):
    """Asserts that an array contains texts of variable length, stored as zarr-python and xarray do. Reads the metadata
    in the form of v2, because versions of zarr-python name the v3 type differently."""
    document = zarr_formats.array_document(store, path)
    assert document["dtype"] == "|O" and document["filters"] == [{"id": "vlen-utf8"}]


def assert_same_dataset(got, wanted):
    assert sorted(got.variables) == sorted(wanted.variables)
    assert plain(got.attrs) == plain(wanted.attrs)
    for name, variable in wanted.variables.items():
        assert got[name].dims == variable.dims, name
        assert kind_of(got[name]) == kind_of(variable), name
        assert plain(got[name].attrs) == plain(variable.attrs), name
        np.testing.assert_array_equal(got[name].values, variable.values, err_msg=name)


@pytest.mark.parametrize("calendar", ["standard", "noleap", "360_day", "julian"])
def test_netcdf_of_xarray(tmp_path, cpl, calendar):
    source = tmp_path / "source.nc"
    units = {"units": "hours since 2000-01-01", "calendar": calendar}
    weather(calendar).to_netcdf(source, encoding={"time": units, "t2m": {"_FillValue": -999.0}})
    store = translate(tmp_path / "copy.zarr", source)
    cpl.assert_quiet()
    assert_consolidated(store)
    assert zarr_formats.consolidated(store) is not None
    assert_texts(store, "station")
    for decode in (False, True):
        wanted = xr.open_dataset(source, decode_cf=decode)
        got = xr.open_zarr(str(store), decode_cf=decode)
        if not decode:  # netCDF stores the texts of `code` as characters with one more dimension
            wanted, got = wanted.drop_vars("code"), got.drop_vars("code")
        assert_same_dataset(got, wanted)
    assert got.time.encoding["units"] == "hours since 2000-01-01"
    assert got.time.encoding["calendar"] == calendar
    group = zarr_mdim.open_group(store)
    kinds = {d.GetName(): (d.GetType(), d.GetSize()) for d in group.GetDimensions()}
    assert kinds == {"time": ("TEMPORAL", 3), "lat": ("HORIZONTAL_Y", 4), "lon": ("HORIZONTAL_X", 5)}


def test_netcdf_with_groups_and_packing(tmp_path, cpl):
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w") as root:
        root.createDimension("x", 6)
        inner = root.createGroup("inner").createGroup("deep")
        inner.createDimension("y", 3)
        inner.title = "deep"
        packed = inner.createVariable("p", "i2", ("y", "x"), fill_value=-1, zlib=True)
        packed.scale_factor, packed.add_offset, packed.units = 0.5, 10.0, "m"
        packed[:] = np.ma.masked_less(np.arange(18.0).reshape(3, 6) / 2 + 10, 11)
        for kind in ("u1", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
            root.createVariable(f"v_{kind}", kind, ("x",))[:] = np.arange(6).astype(kind)
        texts = root.createVariable("texts", str, ("x",))
        texts[:] = np.array(list("abcdeö"), object)
        texts.list = ["one", "two"]
    store = translate(tmp_path / "copy.zarr", source)
    cpl.assert_quiet()
    assert_texts(store, "texts")
    for group in (None, "inner/deep"):
        wanted = xr.open_dataset(source, group=group, mask_and_scale=False)
        got = xr.open_zarr(str(store), group=group, mask_and_scale=False)
        if group is None:  # GDAL 3.6 has no type Int8, so the copy has Int16
            wide = gdal.GDT_Int16 if not hasattr(gdal, "GDT_Int8") else None
            wanted = wanted.assign(v_i1=wanted.v_i1.astype("i2")) if wide else wanted
        assert_same_dataset(got, wanted)


@pytest.mark.parametrize("source", [
    "temperature.zarr", "terrain.zarr", "product.zarr", "satellite_rgb.zarr",
])  # fmt: skip
def test_samples(tmp_path, source):
    """A copy of a sample equals the sample, except that its CRS is stored in a grid mapping. A copy of that copy equals
    the copy."""
    first = translate(tmp_path / "first.zarr", DATA / source)
    second = translate(tmp_path / "second.zarr", first)
    assert_same_groups(zarr_mdim.open_group(first), zarr_mdim.open_group(DATA / source), MAPPING)
    assert_same_groups(zarr_mdim.open_group(second), zarr_mdim.open_group(first))


MAPPING = {"spatial_ref", "coordinates", "grid_mapping"}  # array of the CRS, and attributes that refer to it


def attributes_of(node, besides=()):
    found = {}
    for attribute in node.GetAttributes():
        if attribute.GetName() in besides:
            continue
        kind = attribute.GetDataType()
        value = attribute.Read()
        if kind.GetClass() == gdal.GEDTC_NUMERIC:
            value = zarr_mdim.attribute_numbers(attribute)
        elif kind.GetSubType() == gdal.GEDTST_JSON and isinstance(value, str):
            value = json.loads(value)
        found[attribute.GetName()] = (kind.GetClass(), kind.GetSubType(), repr(value))
    return found


def assert_same_arrays(got, wanted, besides=()):
    told = wanted.GetFullName()
    assert attributes_of(got, besides) == attributes_of(wanted, besides), told
    described = []
    for array in (got, wanted):
        names = [(d.GetName(), d.GetSize(), d.GetType()) for d in array.GetDimensions()]
        srs = array.GetSpatialRef()
        described.append(
            (names, array.GetUnit(), array.GetScale(), array.GetOffset(),
             repr(zarr_mdim.raw_nodata(array)), srs and srs.ExportToWkt(),
             [leaf[::2] for leaf in zarr_mdim.leaves(array.GetDataType())])
        )  # fmt: skip
    assert described[0] == described[1], told
    w.assert_leaves(zarr_mdim.read(got), zarr_mdim.read(wanted), told)


def assert_same_groups(got, wanted, besides=()):
    # GDAL's Python bindings return None if there are no names.
    names = [set(group.GetMDArrayNames() or []) - set(besides) for group in (got, wanted)]
    assert names[0] == names[1]
    assert sorted(got.GetGroupNames() or []) == sorted(wanted.GetGroupNames() or [])
    assert attributes_of(got) == attributes_of(wanted)
    for name in wanted.GetMDArrayNames() or []:
        assert_same_arrays(got.OpenMDArray(name), wanted.OpenMDArray(name), besides)
    for name in wanted.GetGroupNames() or []:
        assert_same_groups(got.OpenGroup(name), wanted.OpenGroup(name), besides)


# Structure for Zarr v2, and structure for Zarr v3. In v3 a structure has no subarrays, and all fields have one
# byte order.
STRUCTURES = [
    np.dtype([("a", ">i2"), ("b", "S3"), ("c", [("d", "<f4", (2,)), ("e", ">u8")])]),
    np.dtype([("a", "<i2"), ("b", "S3"), ("c", [("d", "<f4"), ("e", "<u8")])]),
]


@pytest.mark.parametrize("turn", range(len(types.KINDS)))
def test_every_dtype(tmp_path, cpl, turn):
    """For each data type, GDAL finds no difference between a store of zarr-python, its copy, and a copy of the copy.
    Only text of type U in a structure becomes type S."""
    kind = types.KINDS[turn]
    if kind in ("object-json", "object-categorize", "object-bytes"):
        kind = "object-str"
    draw = types.Draw(SEED, turn)
    dtype = types.random_dtype(draw, kind, turn)
    if dtype.names:
        dtype = STRUCTURES[zarr_formats.is_v3()]
    values = types.random_values(draw, kind, dtype, (4, 5))
    if dtype.names:
        values["b"] = b"xy"
    if kind == "S":
        values = np.array([b"a", b"", b"xyz", b"q"] * 5, f"S{max(3, dtype.itemsize)}").reshape(4, 5)
    item = {"values": values, "dims": ["y", "x"], "chunks": (2, 3), "attrs": {"units": "m"}}
    if kind == "object-str":
        item["object_codec"] = numcodecs.VLenUTF8()
    if dtype.kind in "mM":
        item["attrs"] = {}
    store = make_store(tmp_path, {"v": item, "y": {"values": np.arange(4.0), "dims": ["y"]}})
    first = translate(tmp_path / "first.zarr", store)
    second = translate(tmp_path / "second.zarr", first)
    cpl.assert_quiet()
    originals = zarr_mdim.open_group(store).OpenMDArray("v")
    for copy in (first, second):
        array = zarr_mdim.open_group(copy).OpenMDArray("v")
        w.assert_leaves(zarr_mdim.read(array), zarr_mdim.read(originals), SEED)
        assert array.GetUnit() == originals.GetUnit()
    copies = [zarr.open_group(str(copy), mode="r")["v"] for copy in (first, second)]
    assert copies[0].dtype == copies[1].dtype
    if dtype.kind in "iufcSO" and dtype.str[1:] not in ("f2", "i1"):  # GDAL 3.6 copies f2 and i1 as other types
        np.testing.assert_array_equal(copies[1][...], values)
        if kind == "object-str":
            assert_texts(second, "v")
        else:
            assert copies[1].dtype == dtype.newbyteorder("<") or kind == "S"
    if dtype.names:
        assert copies[1].dtype == dtype.newbyteorder("<")


@pytest.mark.parametrize("options, wanted", [
    (["ARRAY:COMPRESS=ZSTD", "ARRAY:ZSTD_LEVEL=3"], {"id": "zstd", "level": 3}),
    (["ARRAY:COMPRESS=NONE"], None),
    (["ARRAY:IF(NAME=v):COMPRESS=GZIP"], {"id": "gzip", "level": 6}),
])  # fmt: skip
def test_options_of_arrays(tmp_path, options, wanted):
    store = make_store(tmp_path, {"v": {"values": np.zeros((4, 5)), "dims": ["y", "x"]}})
    copy = translate(tmp_path / "copy.zarr", store, creationOptions=options)
    document = zarr_formats.array_document(copy, "v")
    assert document["compressor"] == wanted


@pytest.mark.parametrize("option, is_there", [
    ("CREATE_CONSOLIDATED_METADATA=YES", True), ("CREATE_CONSOLIDATED_METADATA=NO", False),
    ("CREATE_ZMETADATA=NO", False), ("FORMAT", True),
])  # fmt: skip
def test_options_of_datasets(tmp_path, option, is_there):
    if option == "FORMAT":
        option = f"FORMAT=ZARR_V{3 if zarr_formats.is_v3() else 2}"
    store = make_store(tmp_path, {"v": {"values": np.zeros((4, 5)), "dims": ["y", "x"]}})
    copy = translate(tmp_path / "copy.zarr", store, creationOptions=[option])
    assert (zarr_formats.consolidated(copy) is not None) == is_there
    assert zarr.open_group(str(copy), mode="r")["v"].shape == (4, 5)


def test_part_of_an_array(tmp_path):
    """Copies a part of an array, as gdalmdimtranslate -array name=v,view=[...] does."""
    values = np.arange(60).reshape(6, 10)
    store = make_store(tmp_path, {"v": {"values": values, "dims": ["y", "x"]}})
    copy = translate(tmp_path / "copy.zarr", store, arraySpecs=["name=v,view=[::-2,1:7:3]"])
    got = zarr.open_group(str(copy), mode="r")["v"][...]
    # In GDAL 3.6 the copy of the part has the shape of the whole array.
    np.testing.assert_array_equal(got[:3, :2], values[::-2, 1:7:3])
    assert got.shape in ((3, 2), (6, 10))
