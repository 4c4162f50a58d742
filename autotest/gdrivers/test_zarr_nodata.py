# SPDX-License-Identifier: MIT
"""Tests which fill values are nodata values.

Each array of Zarr v3 has a fill value, which zarr-python and xarray set to zero by default. xarray masks by the fill
value only in Zarr v2. A coordinate array has a nodata value only in three cases: an attribute states it, the fill value
is outside of the range of longitudes, or the array holds times (NaT)."""

import base64
import json
import pathlib
import struct

import netCDF4
import numpy as np
import pytest
import zarr3
import zarr_formats
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, gdal_is_at_least, open_band, open_raster
from zarr_tools import run_gdal

MARK = "gdal_has_nodata"
NAN = float("nan")


def double(value):
    """Returns a double as xarray stores it in the attribute `_FillValue` of float arrays in Zarr v3."""
    return base64.b64encode(struct.pack("<d", value)).decode()


def v3_type(dtype):
    if dtype.kind == "M":
        return zarr3.codec("numpy.datetime64", unit="s", scale_factor=1)
    return dtype.name


def put(store, path, values, fill=0, dims=None, attrs=None):
    """Writes an array with one chunk in the tested format. `fill` is the fill value as JSON."""
    values = np.asarray(values)
    raw, shape, attrs = values.tobytes(), list(values.shape), dict(attrs or {})
    folder = pathlib.Path(store) / path
    folder.mkdir(parents=True, exist_ok=True)
    if zarr_formats.is_v3():
        names = {} if dims is None else {"dimension_names": list(dims)}
        document = zarr3.document(
            shape, v3_type(values.dtype), fill_value=fill, attributes=attrs,
            codecs=[zarr3.LITTLE if values.itemsize > 1 else zarr3.BYTES], **names,
        )  # fmt: skip
        zarr3.handmade(store, document, {"/".join(["c", *"0" * len(shape)]): raw}, path)
        return
    if dims is not None:
        attrs["_ARRAY_DIMENSIONS"] = list(dims)
    document = {
        "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": values.dtype.str,
        "compressor": None, "filters": None, "fill_value": fill, "order": "C",
    }  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(document))
    (folder / ".zattrs").write_text(json.dumps(attrs))
    (folder / (".".join("0" * len(shape)) or "0")).write_bytes(raw)


def put_root(store, attrs=None):
    folder = pathlib.Path(store)
    folder.mkdir(parents=True, exist_ok=True)
    if zarr_formats.is_v3():
        zarr3.handmade(store, zarr3.group_document(attrs))
    else:
        (folder / ".zgroup").write_text('{"zarr_format": 2}')
        (folder / ".zattrs").write_text(json.dumps(attrs or {}))
    return folder


def stored(store, path):
    """Returns the stored attributes of an array; empty if the array has none."""
    name = "zarr.json" if zarr_formats.is_v3() else ".zattrs"
    file = pathlib.Path(store) / path / name
    if not file.exists():
        return {}
    document = json.loads(file.read_text())
    return document["attributes"] if zarr_formats.is_v3() else document


def mdim_nodata(store, path, *options):
    return zarr_mdim.open_group(store, *options).OpenMDArray(path).GetNoDataValueAsDouble()


def assert_nodata(store, path, wanted, *options):
    """Asserts that an array has the nodata value `wanted` as a raster and in the multidimensional API. None means no
    nodata value."""
    found = (
        open_band(array_name(store, path), options=options).GetNoDataValue(),
        mdim_nodata(store, path, *options),
    )
    for value in found:
        assert (value is None) == (wanted is None), (found, wanted)
        if wanted is not None:
            np.testing.assert_array_equal(value, wanted)


# ---------------------------------------------------------------------------------------------
# Fill values that are nodata values, and fill values that are not

GDAL_CRS = {"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32632"}}
RULE = [
    # (dtype, fill_value, attributes, nodata value)
    ("i2", 0, {}, None),
    ("i2", -9999, {}, -9999),
    ("u1", 0, {}, None),
    ("u1", 255, {}, 255),
    ("u4", 0, {}, None),
    ("f4", 0.0, {}, None),
    ("f4", -0.0, {}, None),
    ("f4", "0x80000000", {}, None),
    ("f4", "NaN", {}, NAN),
    ("f8", -9999.0, {}, -9999),
    ("f2", 0.0, {}, None),
    ("c8", [0.0, -0.0], {}, None),
    ("c8", [1.0, 0.0], {}, 1),
    ("i2", 0, GDAL_CRS, 0),
    ("f4", 0.0, GDAL_CRS, 0),
    ("i2", 0, {**GDAL_CRS, "grid_mapping": "spatial_ref"}, None),
    ("i2", 0, {MARK: 1}, 0),
    ("i2", 0, {MARK: True}, 0),
    ("i2", 0, {MARK: 0}, None),
    ("i2", -9999, {MARK: 0}, None),
    ("i2", -9999, {MARK: False}, None),
    ("i2", 0, {MARK: False}, None),
    ("i2", 0, {**GDAL_CRS, MARK: 0}, None),
    ("i2", 0, {**GDAL_CRS, MARK: False}, None),
    ("i2", 0, {"_FillValue": -1}, -1),
    ("i2", 0, {"_FillValue": 0}, 0),
    ("i2", -9999, {"_FillValue": 0, MARK: 0}, 0),
    ("i2", 0, {"missing_value": 7}, 7),
    ("f4", 0.0, {"_FillValue": double(-9999)}, -9999),
    ("f4", "NaN", {"_FillValue": double(-9999)}, -9999),
    ("f8", 0.0, {"_FillValue": double(NAN)}, NAN),
    ("f2", 0.0, {"_FillValue": double(1.5)}, 1.5),
    ("c8", [0.0, 0.0], {"_FillValue": [double(2), double(0)]}, 2),
]


@zarr_formats.V3
@pytest.mark.parametrize("dtype, fill, attrs, nodata", RULE)
def test_the_fill_value_of_v3(tmp_path, dtype, fill, attrs, nodata):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.ones((2, 3), dtype), fill, ["y", "x"], attrs)
    assert_nodata(store, "a", nodata)
    assert_nodata(store, "a", nodata, "FILL_VALUE_AS_NODATA=AUTO")
    named = "_FillValue" in attrs or "missing_value" in attrs
    assert_nodata(store, "a", nodata if named else None, "FILL_VALUE_AS_NODATA=NO")
    if not named and nodata is None:
        nodata = 0 if fill in (0, "0x80000000", [0.0, -0.0]) else fill
    assert_nodata(store, "a", nodata, "FILL_VALUE_AS_NODATA=YES")


@zarr_formats.V2
@pytest.mark.parametrize("fill, attrs, nodata", [
    (0, {}, 0), (-9999, {}, -9999), (None, {}, None), (0, {"_FillValue": 3}, 3),
    (0, {"missing_value": 3}, 3), (0, GDAL_CRS, 0),
])  # fmt: skip
def test_the_fill_value_of_v2(tmp_path, fill, attrs, nodata):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.ones((2, 3), "i2"), fill, ["y", "x"], attrs)
    assert_nodata(store, "a", nodata)
    named = "_FillValue" in attrs or "missing_value" in attrs
    assert_nodata(store, "a", nodata if named else None, "FILL_VALUE_AS_NODATA=NO")
    assert_nodata(store, "a", nodata, "FILL_VALUE_AS_NODATA=YES")


def xarray_store(folder, fill=0):
    """Writes a store as xarray does for Dataset(count int16 0..2, time).to_zarr(). All arrays have the fill
    value `fill`."""
    store = put_root(folder / "a.zarr")
    since = {"units": "days since 2000-01-01", "calendar": "noleap"}
    put(store, "count", np.array([[0, 1, 2], [0, 1, 2]], "i2"), fill, ["time", "x"])
    put(store, "time", np.arange(2, dtype="i8"), fill, ["time"], since)
    return store


@zarr_formats.V3
def test_a_copy_to_netcdf_has_every_value(tmp_path):
    store = xarray_store(tmp_path)
    run_gdal("gdalmdimtranslate", "-q", store, tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as copy:
        assert "_FillValue" not in copy["time"].ncattrs()
        assert "_FillValue" not in copy["count"].ncattrs()
        assert copy["time"][:].tolist() == [0, 1]
        assert copy["count"][:].mean() == 1.0


@zarr_formats.V3
def test_black_is_a_colour(tmp_path):
    store = put_root(tmp_path / "s.zarr")
    values = np.arange(3 * 4 * 5, dtype="u1").reshape(3, 4, 5) % 7
    put(store, "rgb", values, 0, ["band", "y", "x"])
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_ALL_VALID
    assert (dataset.GetRasterBand(1).GetMaskBand().ReadAsArray() == 255).all()
    vrt = gdal.BuildVRT("", [str(store)], srcNodata=None)
    assert vrt is None or vrt.GetRasterBand(1).GetNoDataValue() is None


@zarr_formats.V3
def test_unscaling_keeps_zeros(tmp_path):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.array([[0, 1]], "i2"), 0, ["y", "x"], {"scale_factor": 2.0, "add_offset": 1.0})
    copy = gdal.Translate("", open_raster(store), options="-of MEM -unscale -ot Float32")
    assert copy.ReadAsArray().tolist() == [[1, 3]]


# ---------------------------------------------------------------------------------------------
# Fill values of coordinate arrays


def put_swath(store, fill_of_floats, fill_of_integers):
    """Writes an array with all kinds of coordinate arrays. Each coordinate array contains its own fill value
    as an element."""
    floats = {"fill": fill_of_floats}
    put(store, "data", np.ones((2, 3, 4), "f4"), -9999.0, ["time", "y", "x"],
        {"coordinates": "lon lat height step"})  # fmt: skip
    put(store, "time", np.array([5, 6], "i8"), fill_of_integers, ["time"],
        {"units": "hours since 2000-01-01", "bounds": "time_limits"})  # fmt: skip
    put(store, "time_limits", np.array([[5, 6], [6, 7]], "i8"), fill_of_integers, ["time", "nv"])
    put(store, "y", np.array([5.0, 6.0, 7.0]), dims=["y"], **floats)
    put(store, "x", np.array([5.0, 6.0, 7.0, 8.0]), dims=["x"], **floats)
    put(store, "lon", np.full((3, 4), 5.0), dims=["y", "x"], **floats)
    put(store, "lat", np.full((3, 4), 5.0), dims=["y", "x"], attrs={"units": "degrees_north",
        "bounds": "corners"}, **floats)  # fmt: skip
    put(store, "corners", np.full((3, 4, 4), 5.0), dims=["y", "x", "nv"], **floats)
    put(store, "height", np.array(5.0), dims=[], **floats)
    put(store, "step", np.array([5, 6], "i8"), fill_of_integers, ["time"])
    put(store, "crs", np.array(5, "i8"), fill_of_integers, [], {"grid_mapping_name": "latitude_longitude"})
    put(store, "projection_x", np.full((3, 4), 5.0), dims=["y", "x"],
        attrs={"standard_name": "projection_x_coordinate"}, **floats)  # fmt: skip
    put(store, "plain", np.ones((3, 4)), dims=["y", "x"], **floats)


COORDINATES = (
    "time", "time_limits", "y", "x", "lon", "lat", "corners", "height", "step", "crs", "projection_x",
)  # fmt: skip


@zarr_formats.BOTH
@pytest.mark.parametrize("option", ["AUTO", "YES", "NO"])
@pytest.mark.parametrize("fill", [5, 0, "NaN"])
def test_coordinates_have_no_nodata_value(tmp_path, fill, option):
    store = put_root(tmp_path / "s.zarr")
    put_swath(store, fill if fill == "NaN" else float(fill), 5 if fill == "NaN" else fill)
    root = zarr_mdim.open_group(store, f"FILL_VALUE_AS_NODATA={option}")
    assert {name: root.OpenMDArray(name).GetNoDataValueAsDouble() for name in COORDINATES} == {
        name: None for name in COORDINATES
    }
    assert root.OpenMDArray("data").GetNoDataValueAsDouble() == (None if option == "NO" else -9999)
    for name in ("lon", "lat", "corners", "projection_x", "time_limits", "x"):
        band = open_band(array_name(store, name), options=[f"FILL_VALUE_AS_NODATA={option}"])
        assert band.GetNoDataValue() is None, name
    is_default_of_v3 = zarr_formats.is_v3() and fill == 0 and option == "AUTO"
    plain = None if option == "NO" or is_default_of_v3 else float(fill)
    assert_nodata(store, "plain", plain, f"FILL_VALUE_AS_NODATA={option}")


@zarr_formats.BOTH
def test_coordinates_have_the_nodata_value_that_an_attribute_names(tmp_path):
    store = put_root(tmp_path / "s.zarr")
    named = double(-1) if zarr_formats.is_v3() else -1.0
    put(store, "lon", np.ones((3, 4)), 0.0, ["y", "x"],
        {"units": "degrees_east", "_FillValue": named})  # fmt: skip
    assert_nodata(store, "lon", -1)


@zarr_formats.BOTH
@pytest.mark.parametrize("fill, nodata", [(-9999.0, -9999), (9.96921e36, 9.96921e36), (-180.0, None)])
def test_gaps_of_a_swath(tmp_path, fill, nodata):
    """A fill value outside of the range of longitudes is the nodata value of a longitude array. gdalwarp -geoloc skips
    the pixels with this longitude."""
    store = put_root(tmp_path / "s.zarr")
    put(store, "lon", np.ones((3, 4)), fill, ["y", "x"], {"units": "degrees_east"})
    assert_nodata(store, "lon", nodata)


@zarr_formats.BOTH
@pytest.mark.parametrize("fill", [0, 946684800])
def test_a_time_that_numpy_knows(tmp_path, fill):
    """NaT is the nodata value of a time coordinate, independent of the fill value."""
    store = put_root(tmp_path / "s.zarr")
    times = np.array(["2000-01-01", "NaT"], "M8[s]")
    put(store, "time", times, fill, ["time"])
    put(store, "seen", np.array([times, times]), fill, ["y", "time"])
    for name in ("time", "seen"):
        array = zarr_mdim.open_group(store).OpenMDArray(name)
        assert zarr_mdim.raw_nodata(array) == {"": np.iinfo("i8").min}


@zarr_formats.BOTH
def test_bounds_in_a_copy(tmp_path):
    store = put_root(tmp_path / "s.zarr")
    put_swath(store, 5.0, 5)
    run_gdal("gdalmdimtranslate", "-q", store, tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as copy:
        named = {name for name in copy.variables if "_FillValue" in copy[name].ncattrs()}
    assert named == {"data", "plain"}


# ---------------------------------------------------------------------------------------------
# Attributes that the driver writes


def source(dtype=gdal.GDT_Int16, nodata=None, crs=True, bands=1):
    dataset = gdal.GetDriverByName("MEM").Create("", 40, 30, bands, dtype)
    dataset.SetGeoTransform([500000, 10, 0, 4000000, 0, -10])
    if crs:
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(32632)
        dataset.SetSpatialRef(reference)
    for i in range(bands):
        dataset.GetRasterBand(i + 1).WriteArray(np.arange(1200).reshape(30, 40) % 5)
        if nodata is not None:
            dataset.GetRasterBand(i + 1).SetNoDataValue(nodata)
    return dataset


def copy_to(store, dataset, *options):
    driver = gdal.GetDriverByName("Zarr")
    given = ["ARRAY_NAME=a", "BLOCKSIZE=10,10", *options]
    assert driver.CreateCopy(str(store), dataset, options=given) is not None
    return store


CONVENTIONS = ["", "GDAL", "CF", "SPATIAL_PROJ"]


@zarr_formats.V3
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("nodata", [None, 0, 7])
@pytest.mark.parametrize("dtype", [gdal.GDT_Byte, gdal.GDT_Float32, gdal.GDT_CFloat32])
def test_a_copy_says_no_more_than_needed(tmp_path, dtype, nodata, convention):
    options = [f"GEOREFERENCING_CONVENTION={convention}"] if convention else []
    store = copy_to(tmp_path / "s.zarr", source(dtype, nodata), *options)
    assert_nodata(store, "a", nodata)
    # Without gdal_has_nodata=0, GDAL's built-in driver would treat 0 as the nodata value of an array whose CRS is only
    # in the attribute _CRS.
    is_needed = nodata is None and convention == "GDAL"
    assert stored(store, "a").get(MARK) == (0 if is_needed else None)
    again = copy_to(tmp_path / "again.zarr", open_raster(store))
    assert_nodata(again, "a", nodata)
    assert MARK not in stored(again, "a")


@zarr_formats.V3
def test_the_mark_is_a_number(tmp_path):
    """The attribute gdal_has_nodata is a number and not a boolean. xarray writes attributes through netCDF4, which
    refuses booleans."""
    store = copy_to(tmp_path / "s.zarr", source(nodata=7))
    run_gdal("gdal_edit.py", "-unsetnodata", store)
    assert stored(store, "a")[MARK] == 0 and stored(store, "a")[MARK] is not False
    assert_nodata(store, "a", None)


@zarr_formats.V3
@pytest.mark.parametrize("fill, wanted", [(0, {}), (-9999, {MARK: 0})])
def test_the_mark_of_an_older_store_becomes_a_number(tmp_path, fill, wanted):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.zeros((2, 3), "i2"), fill, ["y", "x"], {MARK: False})
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert MARK not in dataset.GetMetadata() and MARK not in dataset.GetRasterBand(1).GetMetadata()
    dataset.GetRasterBand(1).SetUnitType("m")
    dataset = None
    assert stored(store, "a") == {**wanted, "units": "m"}
    assert_nodata(store, "a", None)


@zarr_formats.V3
def test_a_change_of_the_crs_keeps_the_meaning(tmp_path):
    """Setting a CRS does not change the nodata value. With the fill value 0, an array of GDAL's built-in driver has the
    nodata value 0, and a plain array has none."""
    store = put_root(tmp_path / "s.zarr")
    put(store, "gdal", np.zeros((2, 3), "i2"), 0, ["y", "x"], GDAL_CRS)
    put(store, "plain", np.zeros((2, 3), "i2"), 0, ["y", "x"])
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(32633)
    for name, nodata in (("gdal", 0), ("plain", None)):
        dataset = gdal.OpenEx(array_name(store, name), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.SetSpatialRef(reference)
        dataset = None
        assert_nodata(store, name, nodata)
        root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()
        root.OpenMDArray(name).SetSpatialRef(reference)
        root = None
        assert_nodata(store, name, nodata)


@zarr_formats.BOTH
@pytest.mark.parametrize("nodata", [None, 0, 3])
def test_overviews_have_the_nodata_value_of_the_raster(tmp_path, nodata):
    store = copy_to(tmp_path / "s.zarr", source(nodata=nodata), "OVERVIEWS=2")
    band = open_band(store)
    assert band.GetOverview(0).GetNoDataValue() == nodata


@zarr_formats.V3
@pytest.mark.parametrize("attrs, nodata", [(GDAL_CRS, 0), ({MARK: 1}, 0), ({}, None)])
def test_overviews_of_a_fill_value(tmp_path, attrs, nodata):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.arange(64, dtype="i2").reshape(8, 8), 0, ["y", "x"], attrs)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    band = open_band(array_name(store, "a"))
    assert band.GetNoDataValue() == band.GetOverview(0).GetNoDataValue() == nodata


@zarr_formats.BOTH
@pytest.mark.parametrize("nodata", [None, 0, 3])
def test_appended_slices(tmp_path, nodata):
    store = copy_to(tmp_path / "s.zarr", source(nodata=nodata, bands=2))
    driver = gdal.GetDriverByName("Zarr")
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band", "ARRAY_NAME=a"]
    assert driver.CreateCopy(str(store), source(nodata=nodata), options=options) is not None
    dataset = open_raster(store)
    assert dataset.RasterCount == 3
    assert [dataset.GetRasterBand(i).GetNoDataValue() for i in (1, 2, 3)] == [nodata] * 3
    assert dataset.ReadAsArray()[2].tolist() == source().ReadAsArray().tolist()


@zarr_formats.BOTH
@pytest.mark.parametrize("nodata", [None, 0, 3])
def test_a_multidimensional_copy(tmp_path, nodata):
    first = copy_to(tmp_path / "s.zarr", source(nodata=nodata))
    run_gdal("gdalmdimtranslate", "-q", "-of", "Zarr", first, tmp_path / "t.zarr")
    assert_nodata(tmp_path / "t.zarr", "a", nodata)
    for name in ("x", "y"):
        assert mdim_nodata(tmp_path / "t.zarr", name) is None
    band = open_band(tmp_path / "t.zarr")
    np.testing.assert_array_equal(band.ReadAsArray(), source().ReadAsArray())


@zarr_formats.V3
@pytest.mark.parametrize("dtype, name, wanted", [
    ("f4", "_FillValue", double(2)), ("i2", "_FillValue", 2), ("c16", "_FillValue", [double(2), double(0)]),
    ("M8[s]", "missing_value", 2),
])  # fmt: skip
def test_the_attribute_is_one_that_xarray_reads(tmp_path, dtype, name, wanted):
    """A new nodata value is stored in the form that xarray reads. In Zarr v3, xarray fails to open an array of floats
    or times if `_FillValue` is a number."""
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.zeros((2, 3), dtype), [0, 0] if dtype == "c16" else 0, ["y", "x"])
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()
    array = array.OpenMDArray("a")
    assert array.SetNoDataValueDouble(2) == gdal.CE_None
    array = None
    assert stored(store, "a") == {name: wanted}
    assert mdim_nodata(store, "a") == 2


# ---------------------------------------------------------------------------------------------
# Fill values of absent chunks


def sparse(folder, fill, attrs=None):
    """Writes an array of four chunks. Only the first chunk is stored; its elements are 1."""
    store = put_root(folder / "s.zarr")
    if zarr_formats.is_v3():
        document = zarr3.document(
            (4, 4), "int16", (2, 2), fill_value=fill, dimension_names=["y", "x"],
            attributes=attrs or {},
        )  # fmt: skip
        zarr3.handmade(store, document, {"c/0/0": np.ones(4, "<i2").tobytes()}, "a")
    else:
        put(store, "a", np.ones((2, 2), "i2"), fill, ["y", "x"], attrs)
        document = json.loads((store / "a" / ".zarray").read_text())
        (store / "a" / ".zarray").write_text(json.dumps({**document, "shape": [4, 4]}))
    values = np.full((4, 4), fill, "i2")
    values[:2, :2] = 1
    return store, values


@zarr_formats.BOTH
@pytest.mark.parametrize("fill", [0, 5])
def test_absent_chunks_are_the_fill_value(tmp_path, fill):
    """Absent chunks read as the fill value in GDAL, zarr-python and xarray, even if `_FillValue` differs."""
    store, values = sparse(tmp_path, fill, {"_FillValue": -1})
    band = open_band(store)
    assert band.GetNoDataValue() == -1
    np.testing.assert_array_equal(band.ReadAsArray(), values)
    flags, percent = band.GetDataCoverageStatus(2, 2, 2, 2)
    assert flags & gdal.GDAL_DATA_COVERAGE_STATUS_EMPTY == 0 and percent != 0
    gdal.Translate(str(tmp_path / "t.tif"), open_raster(store), options="-co SPARSE_OK=TRUE -co TILED=YES")
    copy = gdal.Open(str(tmp_path / "t.tif"))
    np.testing.assert_array_equal(copy.ReadAsArray(), values)


def unset_classic(store):
    run_gdal("gdal_edit.py", "-unsetnodata", array_name(store, "a"))


def unset_mdim(store):
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()
    with error_log() as log:
        assert root.OpenMDArray("a").DeleteNoDataValue() == gdal.CE_None
    log.assert_quiet()


@zarr_formats.BOTH
@pytest.mark.parametrize("unset", [unset_classic, unset_mdim])
@pytest.mark.parametrize("fill, attrs", [
    (0, {}), (5, {}), (5, {"_FillValue": 5}), (0, {"missing_value": 1}), (5, {"_FillValue": -1}),
    (0, GDAL_CRS),
])  # fmt: skip
def test_nodata_is_unset_in_a_sparse_store(tmp_path, fill, attrs, unset):
    store, values = sparse(tmp_path, fill, attrs)
    unset(store)
    assert_nodata(store, "a", None)
    np.testing.assert_array_equal(open_band(store).ReadAsArray(), values)
    assert not {"_FillValue", "missing_value"} & set(stored(store, "a"))
    # In v2, absent chunks are stored with the fill value. The driver then removes the fill value from the metadata,
    # because other programs would treat it as nodata.
    if not zarr_formats.is_v3():
        assert json.loads((store / "a" / ".zarray").read_text())["fill_value"] is None
        assert len(zarr_formats.chunk_keys(store, "a")) == 4
    else:
        assert len(zarr_formats.chunk_keys(store, "a")) == 1


@zarr_formats.BOTH
def test_nodata_is_unset_in_overviews(tmp_path):
    store, values = sparse(tmp_path, 5)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    before = open_band(store)
    assert before.GetOverview(0).GetNoDataValue() == 5
    pixels = before.GetOverview(0).ReadAsArray()
    unset_classic(store)
    band = open_band(store)
    assert band.GetNoDataValue() is None and band.GetOverview(0).GetNoDataValue() is None
    np.testing.assert_array_equal(band.ReadAsArray(), values)
    np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), pixels)


@zarr_formats.BOTH
@pytest.mark.parametrize("word, nodata, warned", [
    ("YES", 0, 0), ("TRUE", 0, 0), ("on", 0, 0), ("1", 0, 0), ("NO", None, 0), ("False", None, 0),
    ("OFF", None, 0), ("0", None, 0), ("auto", "auto", 0), ("perhaps", "auto", 1),
])  # fmt: skip
@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_words_of_fill_value_as_nodata(tmp_path, word, nodata, warned, kind):
    store, _ = sparse(tmp_path, 0)
    if nodata == "auto":
        nodata = None if zarr_formats.is_v3() else 0
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), kind, open_options=[f"FILL_VALUE_AS_NODATA={word}"])
        if kind == gdal.OF_RASTER:
            value = dataset.GetRasterBand(1).GetNoDataValue()
        else:
            value = dataset.GetRootGroup().OpenMDArray("a").GetNoDataValueAsDouble()
    assert value == nodata
    assert log.errors == [] and len(log.warnings) == warned, log.warnings
    assert all("FILL_VALUE_AS_NODATA" in text and word in text for text in log.warnings)


# ---------------------------------------------------------------------------------------------
# Changes of the nodata value. In Zarr v2, xarray masks by the fill value and ignores `_FillValue`.


def assert_fill(store, name, value):
    """In v2, asserts that the array has the fill value `value`. In v3, asserts nothing, because the old fill value may
    stay for absent chunks."""
    fill = zarr_formats.array_document(store, name)["fill_value"]
    assert zarr_formats.is_v3() or (np.isnan(value) if fill == "NaN" else fill == value), fill


def stored_pixels(store):
    """Returns the pixels that zarr-python reads in v2, or the pixels that this driver reads in v3."""
    if zarr_formats.is_v3():
        return open_band(store).ReadAsArray()
    return zarr.open_group(str(store), mode="r")["a"][...]


def edit_tool(store, value):
    run_gdal("gdal_edit.py", "-a_nodata", str(value), array_name(store, "a"))


def edit_band(store, value):
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    with error_log() as log:
        assert dataset.GetRasterBand(1).SetNoDataValue(value) == gdal.CE_None
    log.assert_quiet()


def edit_mdim(store, value):
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()
    with error_log() as log:
        assert root.OpenMDArray("a").SetNoDataValueDouble(value) == gdal.CE_None
    log.assert_quiet()


@zarr_formats.BOTH
@pytest.mark.parametrize("edit", [edit_tool, edit_band, edit_mdim])
@pytest.mark.parametrize("fill, attrs", [
    (5, {"_FillValue": 5}), (5, {}), (0, {}), (0, {"_FillValue": 1}), (3, {"missing_value": 1}),
])  # fmt: skip
def test_another_nodata_value_of_a_sparse_store(tmp_path, fill, attrs, edit):
    store, values = sparse(tmp_path, fill, attrs)
    edit(store, 3)
    assert_nodata(store, "a", 3)
    assert_fill(store, "a", 3)
    np.testing.assert_array_equal(open_band(store).ReadAsArray(), values)
    np.testing.assert_array_equal(stored_pixels(store), values)
    edit(store, 0)
    assert_nodata(store, "a", 0)
    assert_fill(store, "a", 0)
    np.testing.assert_array_equal(stored_pixels(store), values)


@zarr_formats.BOTH
@pytest.mark.parametrize("kind, first, second", [
    (gdal.GDT_Int16, 3, 0), (gdal.GDT_Byte, 3, 255), (gdal.GDT_Float32, 3, float("nan")),
    (gdal.GDT_Float64, float("nan"), -1),
])  # fmt: skip
def test_another_nodata_value_of_a_copy(tmp_path, kind, first, second):
    source = gdal.GetDriverByName("MEM").Create("", 8, 4, 1, kind)
    source.GetRasterBand(1).WriteArray((np.arange(32) % 8).reshape(4, 8))
    source.GetRasterBand(1).SetNoDataValue(first)
    store = tmp_path / "s.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=["ARRAY_NAME=a"])
    edit_tool(store, second)
    assert_nodata(store, "a", second)
    assert_fill(store, "a", second)
    np.testing.assert_array_equal(open_band(store).ReadAsArray(), source.ReadAsArray())


@zarr_formats.BOTH
def test_another_nodata_value_while_a_store_is_made(tmp_path):
    store = tmp_path / "s.zarr"
    options = ["ARRAY_NAME=a", "BLOCKSIZE=2,2"]
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 4, 1, gdal.GDT_Int16, options)
    band = dataset.GetRasterBand(1)
    band.SetNoDataValue(3)
    band.WriteArray(np.array([[1, 3], [0, 7]], "i2"))
    dataset.FlushCache()
    for value in (0, 5):
        band.SetNoDataValue(value)
        band.WriteArray(np.array([[2]], "i2"), 3, 3)
    dataset = None
    assert_nodata(store, "a", 5)
    assert_fill(store, "a", 5)
    # Chunks that were never written read as the nodata value that was set last. Written chunks keep their values, as in
    # GeoTIFF.
    expected = np.full((4, 4), 5)
    expected[:2, :2] = [[1, 3], [0, 7]]
    expected[2:, 2:] = [[0, 0], [0, 2]]  # the nodata value was 0 when the chunk was written
    np.testing.assert_array_equal(stored_pixels(store), expected)


@zarr_formats.BOTH
def test_another_nodata_value_of_overviews(tmp_path):
    store, values = sparse(tmp_path, 5)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    overview = band.GetOverview(0)
    pixels = overview.ReadAsArray()
    band.SetNoDataValue(3)
    assert overview.GetNoDataValue() == 3
    dataset.FlushCache()
    # This pixel equals the former fill value of the overview. It keeps its value, because it was written while the
    # overview was open.
    overview.WriteArray(np.full((1, 1), 5, "i2"), 0, 0)
    pixels[0, 0] = 5
    dataset = None
    band = open_band(store)
    assert band.GetOverview(0).GetNoDataValue() == 3
    np.testing.assert_array_equal(band.ReadAsArray(), values)
    np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), pixels)
    if not zarr_formats.is_v3():
        for document in store.rglob(".zarray"):
            assert json.loads(document.read_text())["fill_value"] == 3, document


# ---------------------------------------------------------------------------------------------
# Statistics, and nodata values of 64 bits


@zarr_formats.V3
def test_statistics_of_another_rule_are_not_taken(tmp_path):
    """Statistics in the .aux.xml file are ignored if FILL_VALUE_AS_NODATA was different when they were computed. The
    nodata value was then different, too."""
    store = xarray_store(tmp_path)
    for option, mean in (("YES", 1.5), ("AUTO", 1.0), ("YES", 1.5)):
        dataset = open_raster(array_name(store, "count"), f"FILL_VALUE_AS_NODATA={option}")
        assert dataset.GetRasterBand(1).ComputeStatistics(False)[2] == mean
        dataset = None


@zarr_formats.V3
@pytest.mark.skipif(not gdal_is_at_least(3, 5), reason="GDAL has no 64-bit integers")
def test_zeros_of_64_bits(tmp_path):
    store = put_root(tmp_path / "s.zarr")
    put(store, "a", np.zeros((2, 3), "i8"), 0, ["y", "x"])
    put(store, "b", np.zeros((2, 3), "u8"), 2**64 - 1, ["y", "x"])
    assert open_band(array_name(store, "a")).GetNoDataValueAsInt64() is None
    assert open_band(array_name(store, "b")).GetNoDataValueAsUInt64() == 2**64 - 1
