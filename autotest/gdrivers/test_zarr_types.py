# SPDX-License-Identifier: MIT
"""Data types and shapes of arrays, and what GDAL reads from them."""

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_store import good_values, handmade, make_array
from zarr_gdal import open_band, open_raster, read_all

pytestmark = zarr_formats.BOTH

NUMBERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("code", NUMBERS)
def test_numbers(tmp_path, code, order):
    values = (np.arange(35).reshape(5, 7) % 11).astype(order + code)
    dataset = open_raster(make_array(tmp_path, values, chunks=(2, 3)))
    band = dataset.GetRasterBand(1)
    assert dataset.RasterCount == 1
    wanted = zarr_gdal.gdal_type(values.dtype)
    assert gdal.GetDataTypeName(band.DataType) == gdal.GetDataTypeName(wanted)
    zarr_gdal.assert_same(read_all(dataset), zarr_gdal.as_raster(values))


def test_bool_is_one_bit(tmp_path):
    store = make_array(tmp_path, np.eye(4, dtype=bool))
    band = open_band(store)
    assert band.DataType == gdal.GDT_Byte
    assert band.GetMetadataItem("NBITS", "IMAGE_STRUCTURE") == "1"


@pytest.mark.parametrize("code", ["i1", "u1", "i2"])
def test_numbers_are_not_one_bit(tmp_path, code):
    band = open_band(make_array(tmp_path, np.eye(4, dtype=code)))
    assert band.GetMetadataItem("NBITS", "IMAGE_STRUCTURE") != "1"


@pytest.mark.parametrize("code", ["M8[D]", "m8[ns]", "M8[25s]"])
def test_times_are_int64_with_their_unit(tmp_path, code):
    values = np.array([[0, 1], [-5, 2**57]], "i8").view(code)
    dataset = open_raster(make_array(tmp_path, values))
    unit = code[3:-1].lstrip("25")
    zarr_gdal.assert_same(read_all(dataset)[0], values.astype(f"{code[0]}8[{unit}]").view("i8"))
    band = dataset.GetRasterBand(1)
    assert band.DataType == gdal.GDT_Int64
    metadata = {**dataset.GetMetadata(), **band.GetMetadata()}
    assert any(unit in value for value in metadata.values()), metadata


@pytest.mark.parametrize("dtype", ["|S5", "<U5", ">U5"])
def test_strings_are_no_rasters(tmp_path, cpl, dtype):
    store = make_array(tmp_path, np.array([["a", "bc"], ["def", ""]], dtype))
    assert gdal.Open(str(store)) is None
    assert "string" in cpl.the_error() or dtype in cpl.the_error()
    assert "array.zarr" in cpl.the_error()


def test_object_strings_are_no_rasters(tmp_path, cpl):
    store = str(tmp_path / "names.zarr")
    zarr.open_array(store, mode="w", shape=(2, 2), dtype=str)[...] = "Zürich"
    assert gdal.Open(store) is None
    assert "string" in cpl.the_error()


def test_opaque_bytes_are_no_rasters(tmp_path, cpl):
    store = make_array(tmp_path, np.zeros((2, 2), "V5"))
    assert gdal.Open(str(store)) is None
    assert "|V5" in cpl.the_error() or "bytes" in cpl.the_error()


@zarr_formats.V2
def test_byte_order_mark_for_not_relevant(tmp_path):
    """The data type `!u1`, which some writers use for `|u1`, reads as bytes."""
    handmade(tmp_path / "a.zarr", dtype="!u1", shape=[2, 3], files={"0.0": bytes(range(6))})
    assert open_raster(tmp_path / "a.zarr").ReadAsArray().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_scalar(tmp_path):
    dataset = open_raster(make_array(tmp_path, np.array(7, "u2")))
    assert (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount) == (1, 1, 1)
    assert read_all(dataset).tolist() == [[[7]]]


def test_one_dimension_is_one_row(tmp_path):
    dataset = open_raster(make_array(tmp_path, np.arange(10, dtype="i4"), chunks=4))
    assert (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount) == (10, 1, 1)
    assert read_all(dataset).tolist() == [[list(range(10))]]


def test_slices_become_bands_slowest_first(tmp_path):
    values = np.arange(2 * 3 * 4 * 5, dtype="i4").reshape(2, 3, 4, 5)
    dataset = open_raster(make_array(tmp_path, values, chunks=(1, 2, 3, 4)))
    assert dataset.RasterCount == 6
    zarr_gdal.assert_same(read_all(dataset), values.reshape(6, 4, 5))


def test_thirty_two_dimensions(tmp_path):
    shape = [1] * 32
    shape[3], shape[30], shape[31] = 2, 3, 4
    values = np.arange(24, dtype="u2").reshape(shape)
    dataset = open_raster(make_array(tmp_path, values))
    zarr_gdal.assert_same(read_all(dataset), values.reshape(2, 3, 4))


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (0, 4, 5)])
def test_no_raster_without_pixels(tmp_path, cpl, shape):
    store = make_array(tmp_path, np.zeros(shape, "u1"), chunks=(2,) * len(shape))
    assert gdal.Open(str(store)) is None
    assert "array.zarr" in cpl.the_error()


def test_numeric_fields_are_bands(tmp_path):
    # Structures of Zarr v3 have no subarrays and only one byte order.
    big, shape = ("<", ()) if zarr_formats.is_v3() else (">", (3,))
    dtype = np.dtype(
        [("wind", [("u", "<f4"), ("v", big + "f4")]), ("station", "S4"), ("rgb", "u1", shape),
         ("when", "<M8[s]"), ("ok", "?")]
    )  # fmt: skip
    values = np.zeros((3, 4), dtype)
    values["wind"]["u"] = np.arange(12).reshape(3, 4) / 2
    values["wind"]["v"] = -np.arange(12).reshape(3, 4)
    values["rgb"] = np.arange(values["rgb"].size).reshape((3, 4) + shape)
    values["when"] = np.arange(12).reshape(3, 4).astype("M8[s]")
    values["ok"][1] = True
    dataset = open_raster(make_array(tmp_path, values, chunks=(2, 3)))
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    names = [band.GetDescription() for band in bands]
    colours = ["rgb[0]", "rgb[1]", "rgb[2]"] if shape else ["rgb"]
    assert names == ["wind.u", "wind.v", *colours, "when", "ok"]
    for band, (name, column) in zip(bands, zarr_gdal.numeric_fields(values)):
        zarr_gdal.assert_same(band.ReadAsArray(), zarr_gdal.as_raster(column)[0], name)
        assert band.DataType == zarr_gdal.gdal_type(column.dtype), name


def test_structures_of_strings_are_no_rasters(tmp_path, cpl):
    values = np.zeros((2, 2), [("name", "S4"), ("label", "<U3")])
    assert gdal.Open(str(make_array(tmp_path, values))) is None
    assert "array.zarr" in cpl.the_error()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_order_and_separator(tmp_path, order, separator):
    values = np.arange(7 * 5 * 6, dtype="i2").reshape(7, 5, 6)
    store = make_array(
        tmp_path, values, chunks=(2, 3, 4), order=order, dimension_separator=separator
    )
    zarr_gdal.assert_same(read_all(open_raster(store)), values)


@pytest.mark.parametrize("fill, wanted", [(None, 0), (7, 7), (-32768, -32768)])
def test_absent_chunks_read_as_the_fill_value(tmp_path, cpl, fill, wanted):
    folder = handmade(tmp_path / "a.zarr", fill_value=fill)
    for index in ((0, 1), (1, 0)):
        zarr_formats.chunk_file(folder, "", *index).unlink()
    values = good_values()
    values[:2, 3:] = wanted
    values[2:, :3] = wanted
    zarr_gdal.assert_same(open_raster(folder).ReadAsArray(), values)
    cpl.assert_quiet()


@pytest.mark.parametrize(
    "dtype, fill",
    [("<i8", 2**63 - 1), ("<i8", -(2**63)), ("<i8", 2**53 + 1), ("<u8", 2**64 - 1),
     (">u8", 2**53 + 1)],
)  # fmt: skip
def test_64_bit_nodata_is_exact(tmp_path, dtype, fill):
    handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=fill, files={})
    band = open_band(tmp_path / "a.zarr")
    assert band.GetNoDataValue() == fill
    assert np.unique(band.ReadAsArray()).tolist() == [fill]


def assert_nan_nodata(store):
    band = open_band(store)
    assert np.isnan(band.GetNoDataValue())
    assert np.isnan(band.ReadAsArray()).all()


def test_nan_nodata(tmp_path):
    assert_nan_nodata(handmade(tmp_path / "a.zarr", dtype="<f4", fill_value="NaN", files={}))


@zarr_formats.V2  # only Zarr v2, because metadata of Zarr v3 is valid JSON, which has no NaN
def test_nan_nodata_that_is_not_json(tmp_path):
    store = handmade(tmp_path / "a.zarr", dtype="<f4", fill_value=np.nan, files={})
    assert '"fill_value": NaN' in (store / ".zarray").read_text()
    assert_nan_nodata(store)


FILL_TEXTS = pytest.mark.parametrize(
    "dtype, text, wanted",
    [("|u1", "0", 0), ("<i2", "-9999", -9999), (">i4", " 7 ", 7),
     ("<i8", "-9223372036854775808", -(2**63)), ("<i8", "9007199254740993", 2**53 + 1),
     ("<u8", "18446744073709551615", 2**64 - 1), ("<u8", "9223372036854775808", 2**63),
     ("<f4", "0", 0), ("<f8", "-9999", -9999.0), (">f8", "1e20", 1e20), ("<f4", "nan", np.nan),
     ("<f8", "-inf", -np.inf)],
)  # fmt: skip
def assert_nodata(store, wanted):
    """Asserts that both APIs, raster and multidimensional, report the nodata value `wanted`. Returns the band."""
    band = open_band(store)
    np.testing.assert_equal(band.GetNoDataValue(), wanted)
    np.testing.assert_equal(zarr_mdim.raw_nodata(zarr_mdim.open_array(store)), {"": wanted})
    return band


@zarr_formats.V2
@FILL_TEXTS
def test_fill_values_of_text(tmp_path, cpl, dtype, text, wanted):
    """A fill value stored as text, as by n5-zarr and early bioformats2raw, reads as a number."""
    store = handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=text, files={})
    values = np.unique(assert_nodata(store, wanted).ReadAsArray())
    assert np.array_equal(values, np.array([wanted], dtype), equal_nan=True)
    cpl.assert_quiet()


@pytest.mark.parametrize("name", ["_FillValue", "missing_value"])
@FILL_TEXTS
def test_attributes_of_text_say_nodata(tmp_path, cpl, dtype, text, wanted, name):
    store = handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=5, files={}, attrs={name: text})
    assert_nodata(store, wanted)
    cpl.assert_quiet()


@pytest.mark.parametrize(
    "dtype, text",
    [("|u1", "256"), ("|u1", "-1"), ("<i2", "1.5"), ("<i4", "NaN"), ("<i8", "9223372036854775808"),
     ("<u8", "18446744073709551616"), ("<i4", ""), ("<f4", "none"), ("<f8", "0x10"),
     ("<f8", "1,5")],
)  # fmt: skip
def test_text_that_is_no_fill_value_is_named(tmp_path, cpl, dtype, text):
    handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=text, files={})
    assert gdal.Open(str(tmp_path / "a.zarr")) is None
    kind = f"data type {np.dtype(dtype).name}" if zarr_formats.is_v3() else f"dtype {dtype}"
    assert f'fill_value: expected a value of {kind}, got "{text}"' in cpl.the_error()


@pytest.mark.parametrize("value", [2**64 - 1, 2**63, 2**63 - 1, 0])
def test_uint64_nodata_is_written_and_read(tmp_path, cpl, value):
    """uint64 nodata values are read as they were written, even above the range of int64. This driver writes a JSON
    integer. Above that range, GDAL's built-in driver writes a float or a string."""
    # GDAL 3.6's built-in driver writes only a draft of Zarr v3.
    for name in ("Zarr",) if zarr_formats.is_v3() else ("Zarr", "ZarrBuiltin"):
        store = str(tmp_path / f"{name}.zarr")
        dataset = gdal.GetDriverByName(name).CreateMultiDimensional(store)
        root = dataset.GetRootGroup()
        dimensions = [root.CreateDimension(n, None, None, 3) for n in "yx"]
        array = root.CreateMDArray("a", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_UInt64))
        assert array.SetNoDataValueUInt64(value) == gdal.CE_None
        del array, dimensions, root, dataset
        if name == "Zarr" or value < 2**63:
            assert zarr.open_group(store, mode="r")["a"].fill_value == value
        assert open_band(store).GetNoDataValue() == value
        assert zarr_mdim.raw_nodata(zarr_mdim.open_array(store, "a")) == {"": value}
        if name == "Zarr":
            assert zarr_formats.array_document(store, "a")["fill_value"] == value
    cpl.assert_quiet()


@zarr_formats.V3
@pytest.mark.parametrize("value", [2**64 - 1, 2**63])
def test_uint64_nodata_of_the_built_in_driver_in_version_3(tmp_path, cpl, value):
    """In Zarr v3, GDAL's built-in driver can write nodata above the range of int64 as a string. This driver and
    zarr-python 3 read the string as a number."""
    store = zarr3.handmade(tmp_path / "a.zarr", zarr3.document((2, 3), "uint64", fill_value=str(value)))
    array = zarr3_arrays.read(store, "")
    assert array.fill == value
    assert (assert_nodata(store, value).ReadAsArray() == np.uint64(value)).all()
    cpl.assert_quiet()


def test_null_fill_is_no_nodata(tmp_path):
    handmade(tmp_path / "a.zarr", fill_value=None)
    assert open_band(tmp_path / "a.zarr").GetNoDataValue() is None
