# SPDX-License-Identifier: MIT
"""Scalar coordinates, such as the time of a single raster, are metadata items of the bands."""

import numpy as np
import pytest
import xarray
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
TIME = {"units": "hours since 2020-01-01", "calendar": "proleptic_gregorian", "standard_name": "time"}
SHOWN = {"DIM_time_VALUE": "12", "DIM_time_UNIT": TIME["units"], "DIM_time_TIME": "2020-01-01T12:00:00Z",
         "DIM_heightAboveGround_VALUE": "2", "DIM_heightAboveGround_UNIT": "m"}  # fmt: skip


def scalar(value, attrs=None, shape=()):
    return {"values": np.full(shape, value), "dims": () if shape == () else ("one",), "attrs": attrs or {}}


def write(folder, attrs, dims=("y", "x"), group_attrs=None, shape=(), **others):
    values = np.arange(24.0).reshape([2, 3, 4][-len(dims):] if len(dims) == 3 else (6, 4))
    return array_name(make_store(folder, {
        "data": {"values": values, "dims": dims, "attrs": attrs},
        "time": scalar(12, TIME, shape), "heightAboveGround": scalar(2.0, {"units": "m"}, shape),
        "spatial_ref": scalar(0, {"crs_wkt": "EPSG:4326"}), "x": {"values": np.arange(4.0), "dims": ("x",)}, **others,
    }, attributes=group_attrs), "data")  # fmt: skip


def items(band):
    return {name: value for name, value in band.GetMetadata().items() if name.startswith("DIM_")}


@pytest.mark.parametrize("shape", [(), (1,)])
@pytest.mark.parametrize("of_group", [False, True])
def test_items(tmp_path, cpl, of_group, shape):
    stated = {"coordinates": "time heightAboveGround spatial_ref x nothing"}
    dataset = open_raster(write(tmp_path, {} if of_group else stated, (("y", "x")), stated if of_group else {}, shape))
    assert items(dataset.GetRasterBand(1)) == SHOWN
    assert dataset.GetRasterBand(1).GetMetadataItem("DIM_time_TIME") == SHOWN["DIM_time_TIME"]
    assert dataset.GetRasterBand(1).GetDescription() == ""
    cpl.assert_quiet()


def test_of_a_cube(tmp_path, cpl):
    level = {"values": np.array([850, 500]), "dims": ("level",), "attrs": {"units": "hPa"}}
    name = write(tmp_path, {"coordinates": "time heightAboveGround level"}, ("level", "y", "x"), level=level)
    dataset = open_raster(name)
    for i, value in enumerate(("850", "500")):
        own = {"DIM_level_INDEX": str(i), "DIM_level_VALUE": value, "DIM_level_UNIT": "hPa"}
        assert items(dataset.GetRasterBand(i + 1)) == {**SHOWN, **own}
        assert dataset.GetRasterBand(i + 1).GetDescription() == f"level={value} hPa"
    copy = gdal.Translate(str(tmp_path / "copy.zarr"), dataset, format="Zarr")
    assert copy.RasterCount == 2
    copy = None
    shapes = [zarr_formats.array_document(tmp_path / "copy.zarr", node)["shape"] for node in ("copy", "level")]
    assert shapes == [[2, 3, 4], [2]]
    cpl.assert_quiet()


def test_a_copy_of_a_raster_is_a_raster(tmp_path, cpl):
    source = write(tmp_path, {"coordinates": "time heightAboveGround"})
    gdal.Translate(str(tmp_path / "copy.zarr"), source, format="Zarr")
    assert zarr_formats.array_document(tmp_path / "copy.zarr", "copy")["shape"] == [6, 4]
    tiff = gdal.Translate(str(tmp_path / "copy.tif"), source)
    assert items(tiff.GetRasterBand(1)) == SHOWN
    gdal.Translate(str(tmp_path / "cube.zarr"), source, format="Zarr", creationOptions=["BAND_DIM=time"])
    assert zarr_formats.array_document(tmp_path / "cube.zarr", "time")["shape"] == [1]
    cpl.assert_quiet()


@pytest.mark.parametrize("values", [np.array("ice"), np.array(np.datetime64("2020-01-02T03:00", "ns"))])
def test_texts_and_times_of_xarray(tmp_path, cpl, values):
    version = 3 if zarr_formats.is_v3() else 2
    array = xarray.DataArray(np.zeros((3, 4)), dims=("y", "x"), coords={"valid": values}, name="data")
    array.to_dataset().to_zarr(str(tmp_path / "a.zarr"), zarr_format=version, consolidated=False)
    dataset = gdal.Open(str(tmp_path / "a.zarr"))
    shown = items(dataset.GetRasterBand(1))
    if values.dtype.kind == "M":
        assert shown["DIM_valid_TIME"] == "2020-01-02T03:00:00Z"
    else:
        assert shown == {"DIM_valid_VALUE": "ice"}


def test_broken_scalars(tmp_path, cpl):
    name = write(tmp_path, {"coordinates": "time wide deep"}, wide={"values": np.arange(3), "dims": ("n",)},
                 deep={"values": np.zeros((6, 4)), "dims": ("y", "x")}, time=scalar(12, {"units": 3}))  # fmt: skip
    dataset = gdal.Open(name)
    assert items(dataset.GetRasterBand(1)) == {"DIM_time_VALUE": "12"}
    assert len(cpl.warnings) == 1 and "units" in cpl.warnings[0]
