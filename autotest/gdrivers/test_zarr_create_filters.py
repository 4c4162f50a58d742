# SPDX-License-Identifier: MIT
"""Creation option FILTER, and the options of each filter."""

import numpy as np
import pytest
import zarr
import zarr_formats
from osgeo import gdal
from zarr_gdal import open_raster

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
