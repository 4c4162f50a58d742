# SPDX-License-Identifier: MIT
"""Copies of a raster to Zarr keep its masks, alpha bands and signed bytes."""

import os
import shutil

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log, gdal_is_at_least, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 50, 70
VALUES = np.arange(2 * ROWS * COLUMNS).reshape(2, ROWS, COLUMNS).astype("u2")
MASK = ((VALUES[0] % 3 > 0) * 255).astype("u1")


def source_of(tmp_path, values=VALUES, mask=MASK):
    path = str(tmp_path / "source.tif")
    dataset = gdal.GetDriverByName("GTiff").Create(path, COLUMNS, ROWS, len(values), gdal.GDT_UInt16)
    dataset.WriteArray(values)
    dataset.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    with config_options(GDAL_TIFF_INTERNAL_MASK="YES"):
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    dataset = None
    return gdal.Open(path)


def check(name, values=VALUES, mask=MASK):
    dataset = open_raster(name)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    for i in range(len(values)):
        band = dataset.GetRasterBand(i + 1)
        assert band.GetMaskFlags() == gdal.GMF_PER_DATASET
        np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), mask)


def copy(target, source, *options):
    driver = gdal.GetDriverByName("Zarr")
    assert driver.CreateCopy(str(target), source, options=list(options)) is not None


@pytest.mark.parametrize("pam", ["NO", "YES"])
@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["OVERVIEWS=2"]])
def test_a_mask_is_copied(tmp_path, options, pam, cpl):
    with config_options(GDAL_PAM_ENABLED=pam):
        copy(tmp_path / "s.zarr", source_of(tmp_path), *options)
        check(tmp_path / "s.zarr")
        driver = gdal.GetDriverByName("Zarr")
        driver.Rename(str(tmp_path / "t.zarr"), str(tmp_path / "s.zarr"))
        check(tmp_path / "t.zarr")
        driver.Delete(str(tmp_path / "t.zarr"))
    assert [name for name in os.listdir(tmp_path) if "zarr" in name] == []
    cpl.assert_quiet()


def test_a_mask_is_copied_in_memory(tmp_path, cpl):
    copy("/vsimem/mask.zarr", source_of(tmp_path))
    check("/vsimem/mask.zarr")
    gdal.GetDriverByName("Zarr").Delete("/vsimem/mask.zarr")
    cpl.assert_quiet()


def test_a_mask_is_copied_into_a_zip_file(tmp_path, cpl):
    copy(tmp_path / "s.zarr.zip", source_of(tmp_path))
    check(tmp_path / "s.zarr.zip")
    cpl.assert_quiet()


def test_the_mask_of_an_appended_array_is_copied(tmp_path, cpl):
    with config_options(GDAL_PAM_ENABLED="YES"):
        copy(tmp_path / "s.zarr", source_of(tmp_path), "ARRAY_NAME=a")
        other = source_of(tmp_path, VALUES + 1, 255 - MASK)
        copy(tmp_path / "s.zarr", other, "APPEND_SUBDATASET=YES", "ARRAY_NAME=b")
        check(array_name(tmp_path / "s.zarr", "a"))
        check(array_name(tmp_path / "s.zarr", "b"), VALUES + 1, 255 - MASK)
    cpl.assert_quiet()


def test_warping_honours_the_mask(tmp_path, cpl):
    source = source_of(tmp_path)
    copy(tmp_path / "s.zarr", source)
    made = [gdal.Warp(str(tmp_path / f"{i}.tif"), name, width=COLUMNS, height=ROWS, dstNodata=65535)
            for i, name in enumerate((str(tmp_path / "s.zarr"), source))]  # fmt: skip
    got, wanted = (dataset.ReadAsArray() for dataset in made)
    assert (wanted == 65535).any()
    np.testing.assert_array_equal(got, wanted)
    cpl.assert_quiet()


def test_a_cancelled_copy_leaves_no_mask(tmp_path):
    with error_log():
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "s.zarr"), source_of(tmp_path),
            callback=lambda done, *_: done < 0.95) is None  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == ["source.tif"]


def test_appended_slices_give_a_warning_about_the_mask(tmp_path):
    copy(tmp_path / "s.zarr", source_of(tmp_path))
    single = source_of(tmp_path, VALUES[:1])
    with error_log() as log:
        gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "s.zarr"), single,
            options=["APPEND_SUBDATASET=YES", "APPEND_DIM=band"])  # fmt: skip
    assert [text for text in log.warnings if "mask" in text] != []


def test_alpha_is_copied(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 4)
    values = np.arange(4 * ROWS * COLUMNS).reshape(4, ROWS, COLUMNS).astype("u1")
    source.WriteArray(values)
    colours = [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand]
    for i, colour in enumerate(colours):
        source.GetRasterBand(i + 1).SetColorInterpretation(colour)
    with config_options(GDAL_PAM_ENABLED="YES"):
        copy(tmp_path / "s.zarr", source)
        dataset = open_raster(tmp_path / "s.zarr")
        bands = [dataset.GetRasterBand(i) for i in (1, 2, 3, 4)]
        assert [band.GetColorInterpretation() for band in bands] == colours
        assert bands[0].GetMaskFlags() == gdal.GMF_PER_DATASET | gdal.GMF_ALPHA
        np.testing.assert_array_equal(bands[0].GetMaskBand().ReadAsArray(), values[3])
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Signed bytes, which GDAL before 3.7 represents as bytes with a metadata item.

SIGNED = np.array([[-128, -1, 0], [1, 2, 127]], "i1")


def signed_source(tmp_path):
    path = str(tmp_path / "signed.tif")
    if gdal_is_at_least(3, 7):
        dataset = gdal.GetDriverByName("GTiff").Create(path, 3, 2, 1, gdal.GDT_Int8)
        dataset.WriteArray(SIGNED)
    else:
        dataset = gdal.GetDriverByName("GTiff").Create(
            path, 3, 2, 1, gdal.GDT_Byte, options=["PIXELTYPE=SIGNEDBYTE"])  # fmt: skip
        dataset.GetRasterBand(1).WriteRaster(0, 0, 3, 2, SIGNED.tobytes(), buf_type=gdal.GDT_Byte)
    dataset.GetRasterBand(1).SetNoDataValue(-128)
    dataset = None
    return gdal.Open(path)


def check_signed(store):
    array = zarr.open_group(str(store), mode="r")["a"]
    assert array.dtype == np.dtype("i1")
    np.testing.assert_array_equal(array[:], SIGNED)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), SIGNED)


def test_signed_bytes_are_copied(tmp_path, cpl):
    copy(tmp_path / "s.zarr", signed_source(tmp_path), "ARRAY_NAME=a")
    check_signed(tmp_path / "s.zarr")
    dataset = open_raster(tmp_path / "s.zarr")
    assert dataset.GetRasterBand(1).GetNoDataValue() == -128
    cpl.assert_quiet()


def test_bytes_are_copied_as_signed_ones(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 3, 2)
    source.WriteRaster(0, 0, 3, 2, SIGNED.tobytes(), buf_type=gdal.GDT_Byte)
    copy(tmp_path / "s.zarr", source, "ARRAY_NAME=a", "PIXELTYPE=SIGNEDBYTE")
    check_signed(tmp_path / "s.zarr")
    cpl.assert_quiet()


@pytest.mark.parametrize("by", ["band", "dataset"])
def test_signed_bytes_are_created(tmp_path, by, cpl):
    dataset = gdal.GetDriverByName("Zarr").Create(
        str(tmp_path / "s.zarr"), 3, 2, 1, gdal.GDT_Byte,
        options=["ARRAY_NAME=a", "PIXELTYPE=SIGNEDBYTE"])  # fmt: skip
    to = dataset if by == "dataset" else dataset.GetRasterBand(1)
    to.WriteRaster(0, 0, 3, 2, SIGNED.tobytes(), buf_type=gdal.GDT_Byte)
    to = dataset = None
    check_signed(tmp_path / "s.zarr")
    cpl.assert_quiet()


def test_another_pixel_type_is_refused(tmp_path):
    driver = gdal.GetDriverByName("Zarr")
    for data_type, value in ((gdal.GDT_Byte, "SIGNED"), (gdal.GDT_Int16, "SIGNEDBYTE")):
        with error_log() as log:
            assert driver.Create(
                str(tmp_path / "s.zarr"), 3, 2, 1, data_type,
                options=[f"PIXELTYPE={value}"]) is None  # fmt: skip
        assert "PIXELTYPE" in log.the_error() and os.listdir(tmp_path) == []


# Tests of masks, which are stored as arrays


def arrays_of(store):
    return sorted(name for name, array in zarr.open_group(str(store), mode="r").arrays() if array.ndim > 1)


@pytest.mark.parametrize("options, arrays", [
    ([], ["s", "s_mask"]), (["SINGLE_ARRAY=NO"], ["Band1", "Band2", "mask"]),
    (["INTERLEAVE=PIXEL"], ["s", "s_mask"]), (["ARRAY_NAME=g/h"], []),
])  # fmt: skip
def test_a_mask_of_all_bands_is_an_array_of_the_store(tmp_path, cpl, options, arrays):
    copy(tmp_path / "s.zarr", source_of(tmp_path), *options)
    shutil.copytree(tmp_path / "s.zarr", tmp_path / "t.zarr", copy_function=shutil.copyfile)
    check(tmp_path / "t.zarr")
    assert arrays_of(tmp_path / "t.zarr") == arrays
    assert not [name for name in os.listdir(tmp_path) if name.endswith((".msk", ".aux.xml"))]
    dataset = open_raster(tmp_path / "t.zarr")
    assert dataset.RasterCount == 2
    assert [name for name, _ in dataset.GetSubDatasets() if "mask" in name.rpartition(":")[2]] == []
    if arrays and "s_mask" in arrays:
        read = xr.open_zarr(str(tmp_path / "t.zarr"))
        np.testing.assert_array_equal(read["s_mask"].values, MASK)
        assert read["s_mask"].dims == ("y", "x")
        assert read["s_mask"].attrs["flag_meanings"] == "masked valid"
    cpl.assert_quiet()


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["INTERLEAVE=PIXEL"]])
@pytest.mark.parametrize("which", [(1,), (2,), (1, 2), (2, 1)])
def test_masks_of_bands(tmp_path, cpl, options, which):
    """A raster of two bands can have a mask for one of the bands, or a mask for each."""
    store = tmp_path / "s.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 2, gdal.GDT_UInt16, options)
    dataset.WriteArray(VALUES)
    for number in which:
        band = dataset.GetRasterBand(number)
        assert band.CreateMaskBand(0) == gdal.CE_None
        assert band.GetMaskFlags() == 0
        band.GetMaskBand().WriteArray(MASK if number == 1 else 255 - MASK)
    dataset = band = None
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES)
    for number in (1, 2):
        band = dataset.GetRasterBand(number)
        assert band.GetMaskFlags() == (0 if number in which else gdal.GMF_ALL_VALID)
        wanted = [MASK, 255 - MASK][number - 1] if number in which else np.full_like(MASK, 255)
        np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), wanted)
    cpl.assert_quiet()


def test_masks_of_bands_of_one_name(tmp_path, cpl):
    """If bands have equal names, each band still gets its own mask."""
    store = tmp_path / "s.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 2, gdal.GDT_UInt16)
    for number in (1, 2):
        dataset.GetRasterBand(number).SetDescription("same")
    dataset.FlushCache()
    dataset.GetRasterBand(2).CreateMaskBand(0)
    dataset.GetRasterBand(2).GetMaskBand().WriteArray(MASK)
    dataset = None
    dataset = open_raster(store)
    assert [dataset.GetRasterBand(i).GetMaskFlags() for i in (1, 2)] == [gdal.GMF_ALL_VALID, 0]
    np.testing.assert_array_equal(dataset.GetRasterBand(2).GetMaskBand().ReadAsArray(), MASK)
    cpl.assert_quiet()


def test_the_mask_of_a_subdataset(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    driver = gdal.GetDriverByName("Zarr")
    for name, more in (("a", []), ("g/b", ["APPEND_SUBDATASET=YES"]), ("c", ["APPEND_SUBDATASET=YES"])):
        driver.Create(str(store), COLUMNS, ROWS, 1, gdal.GDT_UInt16, [f"ARRAY_NAME={name}", *more])
    dataset = gdal.OpenEx(array_name(store, "g/b"), gdal.OF_UPDATE)
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(MASK)
    dataset = None
    for name, flags in (("a", gdal.GMF_ALL_VALID), ("g/b", gdal.GMF_PER_DATASET), ("c", gdal.GMF_ALL_VALID)):
        dataset = open_raster(array_name(store, name))
        assert dataset.GetRasterBand(1).GetMaskFlags() == flags
    dataset = open_raster(array_name(store, "g/b"))
    np.testing.assert_array_equal(dataset.GetRasterBand(1).GetMaskBand().ReadAsArray(), MASK)
    # A mask that is in the store can be overwritten.
    dataset = gdal.OpenEx(array_name(store, "g/b"), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).GetMaskBand().Fill(255)
    dataset = None
    dataset = open_raster(array_name(store, "g/b"))
    assert int(dataset.GetRasterBand(1).GetMaskBand().ReadAsArray().min()) == 255
    cpl.assert_quiet()


@pytest.mark.parametrize("attribute", ["nothing", "../a", "a/b", "", 7, None, ["m"], "x", "small", "wide"])
def test_an_attribute_that_names_no_mask(tmp_path, attribute):
    store = make_store(tmp_path, {
        "a": {"values": VALUES[0], "attrs": {"gdal_mask": attribute}},
        "x": np.arange(3), "small": MASK[:5], "wide": MASK.astype("u2"),
    })  # fmt: skip
    with error_log() as log:
        dataset = gdal.Open(array_name(store, "a"))
        assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_ALL_VALID
        np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES[0])
    assert log.errors == []
    assert len(log.warnings) == (attribute in ("nothing", "x", "small", "wide"))
