# SPDX-License-Identifier: MIT
"""Creation option FILTER, and the creation options of each filter."""

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import error_log, open_raster

pytestmark = zarr_formats.BOTH
TYPES = {"i2": gdal.GDT_Int16, "u2": gdal.GDT_UInt16, "i4": gdal.GDT_Int32, "f4": gdal.GDT_Float32,
         "f8": gdal.GDT_Float64}  # fmt: skip


def driver():
    return gdal.GetDriverByName("Zarr")


FILTERS = {
    "DELTA": ("i4", ["DELTA_DTYPE=<i4"], [{"id": "delta", "dtype": "<i4", "astype": "<i4"}], 0),
    "FIXEDSCALEOFFSET": (
        "f8", ["FIXEDSCALEOFFSET_SCALE=10", "FIXEDSCALEOFFSET_OFFSET=5.5", "FIXEDSCALEOFFSET_ASTYPE=<i4"],
        [{"id": "fixedscaleoffset", "scale": 10, "offset": 5.5, "dtype": "<f8", "astype": "<i4"}], 0.051),
    "QUANTIZE": ("f4", ["QUANTIZE_DIGITS=2"],
                 [{"id": "quantize", "digits": 2, "dtype": "<f4", "astype": "<f4"}], 0.0051),
    "BITROUND": ("f4", ["BITROUND_KEEPBITS=12"], [{"id": "bitround", "keepbits": 12}], 0.02),
    "SHUFFLE": ("i2", [], [{"id": "shuffle", "elementsize": 2}], 0),
    "ASTYPE": ("f8", ["ASTYPE_DTYPE=<f4"],
               [{"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}], 1e-5),
    "delta,shuffle": ("u2", ["SHUFFLE_ELEMENTSIZE=2"],
                      [{"id": "delta", "dtype": "<u2", "astype": "<u2"},
                       {"id": "shuffle", "elementsize": 2}], 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FILTERS)
def test_filters(tmp_path, name):
    dtype, options, filters, tolerance = FILTERS[name]
    store = tmp_path / "f.zarr"
    values = np.random.default_rng(5).uniform(0, 100, (50, 60)).astype(dtype)
    gdal_type = TYPES[dtype]
    driver().Create(str(store), 60, 50, 1, gdal_type, [f"FILTER={name}", *options]).WriteArray(values)
    assert zarr_formats.array_document(store, "f")["filters"] == filters
    read = zarr.open(str(store), mode="r")["f"][...]
    np.testing.assert_allclose(read, values, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), read)


@pytest.mark.parametrize("options,told", [
    (["FILTER=SQUEEZE"], "FILTER"),
    (["FILTER=QUANTIZE"], "QUANTIZE_DIGITS"),
    (["FILTER=BITROUND", "BITROUND_KEEPBITS=many"], "BITROUND_KEEPBITS"),
    (["FILTER=ASTYPE", "ASTYPE_DTYPE=float"], "ASTYPE_DTYPE"),
    (["FILTER=FIXEDSCALEOFFSET", "FIXEDSCALEOFFSET_SCALE=0"], "other than 0"),
    (["FILTER=CATEGORIZE", "CATEGORIZE_LABELS=a,b"], "categorize"),
    (["FILTER=QUANTIZE", "QUANTIZE_DIGITS=2", "X=i"], "quantize"),
])  # fmt: skip
def test_invalid_filters(tmp_path, cpl, options, told):
    gdal_type = gdal.GDT_Int16 if "X=i" in options else gdal.GDT_Float32
    store = tmp_path / "f.zarr"
    assert driver().Create(str(store), 60, 50, 1, gdal_type, options) is None
    assert told in cpl.the_error()
    assert not store.exists()


# ---------------------------------------------------------------------------------------------
# Warnings about filters that change values

SCALED = ["FIXEDSCALEOFFSET_SCALE=10", "FIXEDSCALEOFFSET_ASTYPE=<i2"]


def warnings_of(path, dtype, nodata, *options):
    """Copies a raster with the nodata value `nodata`. All pixels are 1, except the first, which is nodata.
    Returns the warnings."""
    ones = np.ones((10, 12), dtype)
    source = gdal.GetDriverByName("MEM").Create("", 12, 10, 2, TYPES[dtype])
    for number in (1, 2):
        source.GetRasterBand(number).WriteArray(ones)
        if nodata is not None:
            source.GetRasterBand(number).SetNoDataValue(nodata)
            source.GetRasterBand(number).WriteArray(np.full((1, 1), nodata, dtype))
    with error_log() as log:
        assert driver().CreateCopy(str(path), source, options=["ARRAY_NAME=f", *options])
    assert not log.errors
    return log.warnings


@pytest.mark.parametrize("dtype, nodata, options, told", [
    ("f4", -9999, ["FILTER=BITROUND", "BITROUND_KEEPBITS=3"], ["bitround changes the nodata value -9999 to -10240"]),
    ("f8", 1e-3, ["FILTER=QUANTIZE", "QUANTIZE_DIGITS=1"], ["quantize changes the nodata value 0.001 to 0"]),
    ("f4", -9999, ["FILTER=FIXEDSCALEOFFSET", *SCALED],
     ["fixedscaleoffset changes values of dtype <f4: NaN becomes 0",
      "fixedscaleoffset changes the nodata value -9999 to 3108.2"]),
    ("f4", np.nan, ["FILTER=FIXEDSCALEOFFSET", *SCALED],
     ["NaN becomes 0", "fixedscaleoffset changes the nodata value nan to 0"]),
    ("i2", -9999, ["FILTER=ASTYPE", "ASTYPE_DTYPE=|u1"],
     ["astype changes values of dtype <i2: 32767 becomes 255", "astype changes the nodata value -9999 to 241"]),
    ("u2", 0, ["FILTER=ASTYPE", "ASTYPE_DTYPE=|u1"], ["astype changes values of dtype <u2: 65535 becomes 255"]),
    ("i2", None, ["FILTER=PACKBITS"], ["packbits changes values of dtype <i2: 2 becomes 1"]),
    ("f4", None, ["FILTER=DELTA"], ["delta changes values of dtype <f4: 0.1 becomes 0.099975586, numbers after"]),
])  # fmt: skip
def test_a_filter_that_changes_values_gives_a_warning(tmp_path, dtype, nodata, options, told):
    warnings = warnings_of(tmp_path / "a.zarr", dtype, nodata, *options)
    assert len(warnings) == len(told), warnings
    for text, part in zip(warnings, told):
        assert part in text
    if "nodata value" in told[-1]:  # the warning ends with the value to which numcodecs decodes the nodata pixel
        stored = zarr.open(str(tmp_path / "a.zarr"), mode="r")["f"][...]
        value = float(told[-1].rsplit(" ", 1)[1])
        np.testing.assert_allclose(stored[:, 0, 0], value, rtol=1e-6)


@pytest.mark.parametrize("dtype, nodata, options", [
    ("i2", -9999, ["FILTER=DELTA"]), ("u2", 65535, ["FILTER=DELTA,SHUFFLE"]), ("i4", -(2**31), ["FILTER=DELTA"]),
    ("f4", np.nan, ["FILTER=SHUFFLE"]), ("f4", -9999, ["FILTER=BITROUND", "BITROUND_KEEPBITS=13"]),
    ("f4", np.nan, ["FILTER=BITROUND", "BITROUND_KEEPBITS=3"]), ("i4", -1, ["FILTER=ASTYPE", "ASTYPE_DTYPE=<i8"]),
    ("f8", -9999, ["FILTER=QUANTIZE", "QUANTIZE_DIGITS=2"]), ("f4", np.nan, ["FILTER=QUANTIZE", "QUANTIZE_DIGITS=2"]),
    ("f4", -9999, ["PROFILE=CLOUD", "BITROUND=3"]), ("i2", -9999, ["PROFILE=CLOUD", "PREDICTOR=STANDARD"]),
])  # fmt: skip
def test_a_filter_that_keeps_the_values_gives_no_warning(tmp_path, dtype, nodata, options):
    assert warnings_of(tmp_path / "a.zarr", dtype, nodata, *options) == []
    stored = open_raster(tmp_path / "a.zarr").ReadAsArray()
    np.testing.assert_array_equal(stored[:, 0, 0], np.full(2, nodata, dtype))


def test_a_filter_of_the_multidimensional_api_gives_a_warning(tmp_path):
    root = driver().CreateMultiDimensional(str(tmp_path / "m.zarr")).GetRootGroup()
    dimension = root.CreateDimension("x", None, None, 5)
    options = ["FILTER=FIXEDSCALEOFFSET", *SCALED]
    with error_log() as log:
        array = root.CreateMDArray("v", [dimension], gdal.ExtendedDataType.Create(gdal.GDT_Float32), options)
        assert array.SetNoDataValueDouble(-9999) == gdal.CE_None
    assert not log.errors and len(log.warnings) == 2
    assert "NaN becomes 0" in log.warnings[0] and "/v: filter fixedscaleoffset changes the nodata" in log.warnings[1]
