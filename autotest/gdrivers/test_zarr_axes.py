# SPDX-License-Identifier: MIT
"""Which dimensions of an array are X and Y: coordinates of texts, names that only end in x and y."""

import numcodecs
import numpy as np
import pytest
import zarr
from zarr_gdal import array_name, open_raster, read_all
from zarr_mdim import open_array
from zarr_store import make_store


def size(dataset):
    return dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount


def types(array):
    return [dimension.GetType() for dimension in array.GetDimensions()]


# ---------------------------------------------------------------------------------------------
# Names and coordinates


def satip(folder, names=("IR_016", "VIS006", "WV_062"), x="x_geostationary", y="y_geostationary"):
    """A store as Satip writes it: time, y, x, variable."""
    values = np.arange(2 * 5 * 7 * 3, dtype="i2").reshape(2, 5, 7, 3)
    store = make_store(folder, {
        "data": {"values": values, "dims": ("time", y, x, "variable")},
        x: {"values": 1000.0 * np.arange(7), "dims": (x,)},
        y: {"values": -1000.0 * np.arange(5), "dims": (y,)},
        "time": {"values": np.arange(2), "dims": ("time",),
                 "attrs": {"units": "hours since 2020-01-01"}},
    })  # fmt: skip
    group = zarr.open_group(str(store), mode="r+")
    group.array("variable", np.array(names)).attrs["_ARRAY_DIMENSIONS"] = ["variable"]
    return store, values


@pytest.mark.parametrize(
    "x, y",
    [("x_geostationary", "y_geostationary"), ("X_osgb", "Y_osgb"), ("pixel_x", "pixel_y"),
     ("Grid_X", "grid_Y"), ("anything", "something")],
)  # fmt: skip
def test_a_channel_that_lies_last_is_neither_x_nor_y(tmp_path, x, y):
    store, values = satip(tmp_path, x=x, y=y)
    dataset = open_raster(array_name(store, "data"))
    assert size(dataset) == (7, 5, 6)
    wanted = values.transpose(0, 3, 1, 2).reshape(6, 5, 7)
    np.testing.assert_array_equal(read_all(dataset), wanted)
    assert "IR_016" in dataset.GetRasterBand(1).GetDescription()
    assert dataset.GetGeoTransform() == (-500, 1000, 0, 500, 0, -1000)
    turned = open_raster(array_name(store, "data"), "DIM_X=variable", f"DIM_Y={x}")
    assert size(turned) == (3, 7, 10)


@pytest.mark.parametrize("dtype", ["U", "S", "O"])
def test_texts_are_not_x_or_y_even_by_their_name(tmp_path, dtype):
    values = np.arange(24, dtype="u1").reshape(2, 3, 4)
    store = make_store(tmp_path, {"data": {"values": values, "dims": ("a", "b", "x")}})
    group = zarr.open_group(str(store), mode="r+")
    texts = np.array(["p", "q", "r", "s"])
    if dtype == "O":
        group.array("x", texts.astype("O"), object_codec=numcodecs.VLenUTF8())
    else:
        group.array("x", texts.astype(dtype))
    group["x"].attrs["_ARRAY_DIMENSIONS"] = ["x"]
    dataset = open_raster(array_name(store, "data"))
    assert size(dataset) == (3, 2, 4)
    np.testing.assert_array_equal(read_all(dataset), values.transpose(2, 0, 1))
    assert types(open_array(store, "data"))[2] == ""


def test_texts_are_taken_where_nothing_else_is_left(tmp_path):
    values = np.arange(6, dtype="u1").reshape(2, 3)
    store = make_store(tmp_path, {"data": {"values": values, "dims": ("station", "name")}})
    group = zarr.open_group(str(store), mode="r+")
    for name, texts in (("station", ["p", "q"]), ("name", ["r", "s", "t"])):
        group.array(name, np.array(texts)).attrs["_ARRAY_DIMENSIONS"] = [name]
    np.testing.assert_array_equal(open_raster(array_name(store, "data")).ReadAsArray(), values)


def test_whole_names_come_before_parts_of_names(tmp_path):
    array = {"values": np.zeros((2, 3, 4, 5), "u1"), "dims": ("y", "x", "y_bnds", "x_bnds")}
    store = make_store(tmp_path, {"data": array})
    assert size(open_raster(store)) == (3, 2, 20)
    array = open_array(store, "data")
    assert types(array) == ["HORIZONTAL_Y", "HORIZONTAL_X", "", ""]


def test_parts_of_names_give_dimensions_their_type(tmp_path):
    store, _ = satip(tmp_path)
    assert types(open_array(store, "data")) == ["TEMPORAL", "HORIZONTAL_Y", "HORIZONTAL_X", ""]


@pytest.mark.parametrize("names", [("max", "xy", "yx"), ("ax", "boxy", "x1")])
def test_other_names_are_no_axes(tmp_path, names):
    store = make_store(tmp_path, {"data": {"values": np.zeros((2, 3, 4), "u1"), "dims": names}})
    assert size(open_raster(store)) == (4, 3, 2)
