# SPDX-License-Identifier: MIT
"""Choice of the dimensions X and Y in difficult cases: text coordinates, names that only end in x and y, and colour
images without dimension names."""

import re

import numcodecs
import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster, read_all
from zarr_mdim import open_array
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH
RGB = [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand]
COLOURS = {3: RGB, 4: RGB + [gdal.GCI_AlphaBand]}


def size(dataset):
    return dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount


def types(array):
    return [dimension.GetType() for dimension in array.GetDimensions()]


# ---------------------------------------------------------------------------------------------
# X and Y by names and coordinates of dimensions


def satip(folder, names=("IR_016", "VIS006", "WV_062"), x="x_geostationary", y="y_geostationary"):
    """Writes a store like those of the program Satip, which have the dimensions time, y, x and variable."""
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


def test_text_dimensions_are_axes_if_no_others_are_left(tmp_path):
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


# ---------------------------------------------------------------------------------------------
# Arrays that are colour images


def colour_pixels(rows, columns, colours, dtype="u1"):
    values = np.arange(rows * columns * colours) % 251
    return values.reshape(rows, columns, colours).astype(dtype)


def colours_of(dataset):
    count = dataset.RasterCount
    return [dataset.GetRasterBand(i + 1).GetColorInterpretation() for i in range(count)]


def debugged(open_it):
    """Calls open_it(). Returns its dataset, and the debug messages about colour images."""
    told = []

    def tell(kind, number, text):
        told.append(text)

    gdal.PushErrorHandler(tell)
    with zarr_gdal.config_options(CPL_DEBUG="ZARR"):
        dataset = open_it()
    gdal.PopErrorHandler()
    return dataset, [text for text in told if "image (open options" in text]


@pytest.mark.parametrize("colours", [3, 4])
@pytest.mark.parametrize("dtype", ["u1", "<u2", ">u2"])
@pytest.mark.parametrize("whole_store", [True, False])
def test_an_image_is_bands_in_colours(tmp_path, colours, dtype, whole_store):
    values = colour_pixels(40, 50, colours, dtype)
    if whole_store:
        store = make_array(tmp_path, values, chunks=(16, 16, colours))
    else:
        store = make_store(tmp_path, {"photo": {"values": values, "chunks": (16, 16, colours)}})
    dataset, told = debugged(lambda: gdal.Open(str(store)))
    assert size(dataset) == (50, 40, colours)
    assert colours_of(dataset) == COLOURS[colours]
    np.testing.assert_array_equal(read_all(dataset), values.transpose(2, 0, 1))
    assert dataset.GetMetadataItem("INTERLEAVE", "IMAGE_STRUCTURE") == "PIXEL"
    assert dataset.GetRasterBand(1).GetBlockSize() == [16, 16]
    assert len(told) == 1 and "RGBA" in told[0] if colours == 4 else "RGB " in told[0], told
    assert re.search(r"\[40, 50, [34]\].*DIM_X", told[0])


@pytest.mark.parametrize(
    "shape, dtype",
    [((5, 4, 3), "u1"), ((23, 100, 3), "u1"), ((100, 23, 3), "u1"), ((31, 100, 4), "u1"),
     ((100, 100, 2), "u1"), ((100, 100, 5), "u1"), ((40, 50, 3), "i1"), ((40, 50, 3), "i2"),
     ((40, 50, 3), "u4"), ((40, 50, 3), "f4"), ((40, 50, 3), "?"), ((3, 40, 50), "u1"),
     ((2, 40, 50, 3), "u1")],
)  # fmt: skip
def test_arrays_unlike_images_are_cubes(tmp_path, shape, dtype):
    store = make_array(tmp_path, np.zeros(shape, dtype))
    dataset, told = debugged(lambda: gdal.Open(str(store)))
    assert size(dataset) == (shape[-1], shape[-2], int(np.prod(shape[:-2])))
    assert told == []


def test_the_smallest_image(tmp_path):
    for colours, side in ((3, 24), (4, 32)):
        store = make_array(tmp_path, colour_pixels(side, side, colours), f"{colours}.zarr")
        assert size(open_raster(store)) == (side, side, colours)


def test_an_array_with_dimension_names_is_no_image(tmp_path):
    values = colour_pixels(40, 50, 3)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ("p", "q", "r")}})
    assert size(open_raster(store)) == (3, 50, 40)


def test_open_options_choose_the_axes_of_an_image(tmp_path):
    store = make_array(tmp_path, colour_pixels(40, 50, 3))
    for options, wanted in (
        (("DIM_X=2", "DIM_Y=1"), (3, 50, 40)),
        (("DIM_X=dim2",), (3, 40, 50)),
        (("DIM_X=0", "DIM_Y=1"), (40, 50, 3)),
    ):
        dataset, told = debugged(lambda: gdal.OpenEx(str(store), open_options=list(options)))
        assert size(dataset) == wanted
        is_image = wanted[2] == 3
        assert len(told) == is_image
        assert (colours_of(dataset)[0] == gdal.GCI_RedBand) == is_image


def test_all_bands_decode_each_chunk_once(tmp_path):
    values = colour_pixels(64, 96, 3)
    store = make_array(tmp_path, values, chunks=(32, 32, 3))

    def decoded():
        counters = gdal.GetDriverByName("Zarr").GetMetadata("READ_COUNTERS")
        return int(counters["CHUNKS_DECODED"])

    before = decoded()
    np.testing.assert_array_equal(read_all(open_raster(store)), values.transpose(2, 0, 1))
    assert decoded() - before == 6
    before = decoded()
    dataset = open_raster(array_name(store, "/"))
    for number in range(3):
        band = dataset.GetRasterBand(number + 1)
        np.testing.assert_array_equal(band.ReadAsArray(), values[:, :, number])
    assert decoded() - before <= 6


def test_lists_and_slices_agree(tmp_path):
    store = make_store(tmp_path, {"a": colour_pixels(40, 50, 3), "b": colour_pixels(40, 50, 3)})
    dataset = open_raster(store)
    assert dataset.RasterCount == 0  # two colour images are two subdatasets, not bands of one raster
    assert [name for name, _ in dataset.GetSubDatasets()] == [array_name(store, n) for n in "ab"]
    for name, _ in dataset.GetSubDatasets():
        assert size(open_raster(name)) == (50, 40, 3)
    blue = open_raster(array_name(store, "a:2"))
    np.testing.assert_array_equal(blue.ReadAsArray(), colour_pixels(40, 50, 3)[:, :, 2])
    assert colours_of(blue) == [gdal.GCI_GrayIndex]  # a single band of the image is grey
    slices = open_raster(array_name(store, "a"), "MULTIBAND=NO").GetSubDatasets()
    assert [text for _, text in slices][0].startswith("[40x50]")


def test_the_multidimensional_api_agrees(tmp_path):
    values = colour_pixels(40, 50, 3)
    store = make_store(tmp_path, {"a": values})
    array = open_array(store, "a")
    assert types(array) == ["HORIZONTAL_Y", "HORIZONTAL_X", ""]
    classic = array.AsClassicDataset(1, 0)
    assert size(classic) == (50, 40, 3) and colours_of(classic) == RGB
    np.testing.assert_array_equal(read_all(classic), values.transpose(2, 0, 1))


def test_a_copy_keeps_the_colours(tmp_path):
    values = colour_pixels(40, 50, 4, "u2")
    store = make_array(tmp_path, values)
    copy = str(tmp_path / "copy.tif")
    gdal.Translate(copy, str(store))
    copied = gdal.Open(copy)
    assert colours_of(copied) == COLOURS[4]
    np.testing.assert_array_equal(copied.ReadAsArray(), values.transpose(2, 0, 1))


def test_overviews_of_an_image_down_to_small_ones(tmp_path):
    values = colour_pixels(80, 100, 3)
    store = make_store(tmp_path, {"a": {"values": values, "chunks": (32, 32, 3)}})
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2, 4, 16]) == gdal.CE_None
    dataset = None
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(str(store))
        band = dataset.GetRasterBand(2)
        found = [band.GetOverview(i) for i in range(band.GetOverviewCount())]
    log.assert_quiet()
    assert [(each.XSize, each.YSize) for each in found] == [(50, 40), (25, 20), (7, 5)]
    assert [each.GetColorInterpretation() for each in found] == [gdal.GCI_GreenBand] * 3
    np.testing.assert_array_equal(found[1].ReadAsArray()[0, :3], values[::4, ::4, 1][0, :3])
