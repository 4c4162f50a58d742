# SPDX-License-Identifier: MIT
"""Colour interpretation of bands. As in a GeoTIFF, bands are red, green and blue only if the store has all
three."""

import numpy as np
import pytest
import rasterio
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_store import make_store
from zarr_tools import run_gdal

pytestmark = zarr_formats.BOTH
RED, GREEN, BLUE = gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand
ALPHA, GREY, NONE = gdal.GCI_AlphaBand, gdal.GCI_GrayIndex, gdal.GCI_Undefined


def colours(dataset):
    dataset = dataset if isinstance(dataset, gdal.Dataset) else open_raster(dataset)
    bands = range(1, dataset.RasterCount + 1)
    return [dataset.GetRasterBand(i).GetColorInterpretation() for i in bands]


def zeros(*shape):
    return np.zeros(shape, "u1")


# Stores that other programs wrote


@pytest.mark.parametrize("names, expected", [
    (["blue", "green", "red"], [BLUE, GREEN, RED]),
    (["Red", "GREEN", "blue", "nir"], [RED, GREEN, BLUE, NONE]),
    (["alpha", "blue", "green", "red"], [ALPHA, BLUE, GREEN, RED]),
    (["nir", "red"], [NONE, NONE]),
    (["blue", "green"], [NONE, NONE]),
    (["red"], [GREY]),
    (["alpha", "grey"], [ALPHA, NONE]),
])  # fmt: skip
def test_arrays_and_slices_by_their_names(names, expected, tmp_path, cpl):
    group = make_store(tmp_path, {name: zeros(4, 4) for name in names}, name="group.zarr")
    assert sorted(colours(group)) == sorted(expected)
    if len(names) > 1:
        order = [band.GetDescription() for band in map(open_raster(group).GetRasterBand, range(1, len(names) + 1))]
        assert dict(zip(order, colours(group))) == dict(zip(names, expected))
        # Red, green and blue bands come first, because viewers show the first three bands as colours.
        is_coloured = {RED, GREEN, BLUE} <= set(expected)
        assert (colours(group)[:3] == [RED, GREEN, BLUE]) == is_coloured
        assert is_coloured or order == sorted(names)
    stack = make_store(tmp_path, {
        "v": {"values": zeros(len(names), 4, 4), "dims": ("band", "y", "x")},
        "band": {"values": np.array(names, "U8"), "dims": ("band",)},
    }, name="stack.zarr")  # fmt: skip
    assert colours(array_name(stack, "v")) == expected
    assert cpl.events == []


@pytest.mark.parametrize("channels, expected", [
    (["FF0000", "00FF00", "0000FF"], [RED, GREEN, BLUE]),
    (["0000FF", "00FF00", "FF0000", "FFFFFF"], [BLUE, GREEN, RED, NONE]),
    (["FF0000", "00FF00"], [RED, GREEN]),
    (["0000FF"], [BLUE]),
])  # fmt: skip
def test_channels_of_an_image(channels, expected, tmp_path, cpl):
    """Each band has the colour of its channel, independent of the colours of other channels."""
    image = {
        "version": "0.4", "datasets": [{"path": "0"}],
        "axes": [{"name": n, "type": "channel" if n == "c" else "space"} for n in "cyx"],
    }  # fmt: skip
    attributes = {"multiscales": [image], "omero": {"channels": [{"color": each} for each in channels]}}
    store = make_store(tmp_path, {"0": zeros(len(channels), 8, 8)}, attributes)
    assert colours(store) == expected
    assert cpl.events == []


@pytest.mark.parametrize("bands, expected", [
    (["b02", "b03", "b04"], {RED, GREEN, BLUE}), (["b02", "b03"], {NONE}), (["b04"], {GREY}),
])  # fmt: skip
def test_bands_of_sentinel_2(bands, expected, tmp_path, cpl):
    product = {"stac_discovery": {"properties": {"product:type": "S02MSIL2A"}}, "other_metadata": {}}
    arrays = {f"measurements/r10m/{name}": zeros(4, 4) for name in bands}
    store = make_store(tmp_path, arrays, product)
    assert set(colours(array_name(store, "measurements/r10m"))) == expected
    assert cpl.events == []


# Stores that the driver creates


def make_tiff(path, dtype=gdal.GDT_Byte, shown=(RED, GREEN, BLUE)):
    options = ["PHOTOMETRIC=" + ("RGB" if shown[0] == RED else "MINISBLACK")]
    made = gdal.GetDriverByName("GTiff").Create(str(path), 20, 10, len(shown), dtype, options)
    made.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    for number, colour in enumerate(shown, 1):
        made.GetRasterBand(number).SetColorInterpretation(colour)
        made.GetRasterBand(number).Fill(10 * number)
    return str(path)


@pytest.mark.parametrize("names", [("blue", "green", "red"), ("b04", "red", "green", "blue")])
def test_a_copy_has_its_bands_in_the_order_of_the_source(names, tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, len(names))
    for number, name in enumerate(names, 1):
        source.GetRasterBand(number).SetDescription(name)
        source.GetRasterBand(number).Fill(number)
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source, options=["SINGLE_ARRAY=NO"])
    copy = open_raster(tmp_path / "a.zarr")
    assert tuple(band.GetDescription() for band in map(copy.GetRasterBand, range(1, len(names) + 1))) == names
    np.testing.assert_array_equal(copy.ReadAsArray(), source.ReadAsArray())
    assert cpl.events == []


@pytest.mark.parametrize("shown", [(RED, GREEN, BLUE), (RED, GREEN, BLUE, ALPHA), (RED, GREEN, BLUE, NONE)])
@pytest.mark.parametrize("name, options", [
    ("w.zarr", []), ("w.zarr.zip", []), ("w.zarr", ["SINGLE_ARRAY=NO"]), ("w.zarr", ["INTERLEAVE=PIXEL"]),
])  # fmt: skip
def test_gdalwarp_gives_the_colours_of_a_geotiff(name, options, shown, tmp_path, cpl):
    source = make_tiff(tmp_path / "s.tif", shown=shown)
    as_tiff = gdal.Warp(str(tmp_path / "w.tif"), source)
    assert colours(as_tiff) == list(shown)
    made = gdal.Warp(str(tmp_path / name), source, format="Zarr", creationOptions=options)
    assert colours(made) == list(shown)
    made = None
    reopened = open_raster(tmp_path / name)
    assert colours(reopened) == list(shown)
    np.testing.assert_array_equal(reopened.ReadAsArray(), as_tiff.ReadAsArray())
    assert cpl.events == []


def create(path, *options, dtype=gdal.GDT_Byte, bands=3):
    return gdal.GetDriverByName("Zarr").Create(str(path), 8, 8, bands, dtype, list(options))


@pytest.mark.parametrize("photometric, dtype, bands, expected", [
    (None, gdal.GDT_Byte, 1, [GREY]),
    (None, gdal.GDT_Byte, 2, [NONE] * 2),
    (None, gdal.GDT_Byte, 3, [RED, GREEN, BLUE]),
    (None, gdal.GDT_Byte, 4, [RED, GREEN, BLUE, ALPHA]),
    (None, gdal.GDT_Byte, 5, [NONE] * 5),
    (None, gdal.GDT_UInt16, 3, [NONE] * 3),
    ("RGB", gdal.GDT_UInt16, 3, [RED, GREEN, BLUE]),
    ("rgb", gdal.GDT_Float32, 5, [RED, GREEN, BLUE, NONE, NONE]),
    ("YCBCR", gdal.GDT_Byte, 3, [RED, GREEN, BLUE]),
    ("MINISBLACK", gdal.GDT_Byte, 3, [NONE] * 3),
    ("RGB", gdal.GDT_Byte, 2, [NONE] * 2),
])  # fmt: skip
def test_create(photometric, dtype, bands, expected, tmp_path, cpl):
    options = [f"PHOTOMETRIC={photometric}"] if photometric else []
    made = create(tmp_path / "a.zarr", *options, dtype=dtype, bands=bands)
    assert colours(made) == expected
    made.GetRasterBand(1).Fill(1)
    made = None
    assert colours(tmp_path / "a.zarr") == expected
    assert cpl.events == []


@pytest.mark.parametrize("alpha", [None, "YES", "NO", "NON-PREMULTIPLIED"])
@pytest.mark.parametrize("photometric", [None, "RGB", "MINISBLACK"])
@pytest.mark.parametrize("dtype", [gdal.GDT_Byte, gdal.GDT_UInt16, gdal.GDT_Float32])
def test_the_alpha_band_of_a_geotiff(tmp_path, cpl, dtype, photometric, alpha):
    given = {"PHOTOMETRIC": photometric, "ALPHA": alpha}
    options = [f"{name}={value}" for name, value in given.items() if value]
    for bands in range(1, 7):
        with error_log():  # GeoTIFF warns of colours that do not fit the number of bands
            gdal.GetDriverByName("GTiff").Create(str(tmp_path / "a.tif"), 8, 8, bands, dtype, options)
            wanted = colours(gdal.Open(str(tmp_path / "a.tif")))
        if bands > 1 and ALPHA not in wanted and RED not in wanted:
            wanted = [NONE] * bands  # GeoTIFF cannot say that band 1 is not grey
        if bands == 2 and photometric == "RGB" and alpha in (None, "NO"):
            wanted = [NONE] * 2
        create(tmp_path / "a.zarr", *options, dtype=dtype, bands=bands)
        assert colours(tmp_path / "a.zarr") == wanted, bands
    assert cpl.events == []


def test_an_alpha_band_that_is_taken_back(tmp_path, cpl):
    made = create(tmp_path / "a.zarr", bands=4)
    assert made.GetRasterBand(1).GetMaskFlags() == gdal.GMF_ALPHA | gdal.GMF_PER_DATASET
    made.GetRasterBand(4).SetColorInterpretation(NONE)
    made = None
    assert colours(tmp_path / "a.zarr") == [RED, GREEN, BLUE, NONE]
    assert gdal.Open(str(tmp_path / "a.zarr")).GetRasterBand(1).GetMaskFlags() == gdal.GMF_ALL_VALID
    assert cpl.events == []


def test_transparency_of_programs(tmp_path):
    """Programs that make four bands of bytes and set no colours keep their transparency, as in a GeoTIFF."""
    heights = gdal.GetDriverByName("GTiff").Create(str(tmp_path / "dem.tif"), 8, 8, 1, gdal.GDT_Float32)
    heights.GetRasterBand(1).SetNoDataValue(-1)
    heights.GetRasterBand(1).WriteArray(np.where(np.eye(8) > 0, -1, 5).astype("f4"))
    heights = None
    (tmp_path / "colours.txt").write_text("0 10 20 30 255\n9 200 100 50 255\nnv 0 0 0 0\n")
    read = []
    for form, name in (("GTiff", "a.tif"), ("Zarr", "a.zarr")):
        target = str(tmp_path / name)
        run_gdal("gdaldem", "color-relief", "-q", "-alpha", "-of", form, tmp_path / "dem.tif",
                 tmp_path / "colours.txt", target)  # fmt: skip
        made = gdal.Open(target)
        assert colours(made) == [RED, GREEN, BLUE, ALPHA]
        read.append((made.ReadAsArray(), made.GetRasterBand(1).GetMaskBand().ReadAsArray()))
        smaller = gdal.Warp("", made, format="MEM", width=4, height=4, resampleAlg="average")
        read[-1] += (smaller.ReadAsArray(),)
    for as_tiff, as_zarr in zip(*read):
        np.testing.assert_array_equal(as_zarr, as_tiff)


PROGRAMS = {
    "gdal_merge.py": lambda form, source, target: ["gdal_merge.py", "-q", "-of", form, "-o", target, source],
    "nearblack": lambda form, source, target: ["nearblack", "-q", "-setalpha", "-of", form, "-o", target, source],
    "gdalwarp": lambda form, source, target: ["gdalwarp", "-q", "-of", form, source, target],
    "gdalwarp -dstalpha": lambda form, source, target: ["gdalwarp", "-q", "-dstalpha", "-of", form, source, target],
}


@pytest.mark.parametrize("shown", [(RED, GREEN, BLUE, ALPHA), (RED, GREEN, BLUE)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_alpha_bands_of_programs(tmp_path, program, shown):
    make_tiff(tmp_path / "s.tif", shown=shown)
    read = []
    for form, name in (("GTiff", "a.tif"), ("Zarr", "a.zarr")):
        run_gdal(*PROGRAMS[program](form, tmp_path / "s.tif", tmp_path / name))
        made = gdal.Open(str(tmp_path / name))
        read.append((colours(made), made.GetRasterBand(1).GetMaskFlags(), made.ReadAsArray()))
    assert read[1][:2] == read[0][:2]
    np.testing.assert_array_equal(read[1][2], read[0][2])


def test_the_alpha_band_of_rasterio(tmp_path):
    profile = {"driver": "Zarr", "width": 8, "height": 8, "count": 4, "dtype": "uint8"}
    with rasterio.open(str(tmp_path / "a.zarr"), "w", **profile) as made:
        made.write(np.full((4, 8, 8), 7, "u1"))
    assert colours(tmp_path / "a.zarr") == [RED, GREEN, BLUE, ALPHA]


def test_the_alpha_band_of_a_copy(tmp_path, cpl):
    plain = gdal.GetDriverByName("MEM").Create("", 8, 8, 4)
    driver = gdal.GetDriverByName("Zarr")
    for options, wanted in (([], [NONE] * 4), (["ALPHA=YES"], [GREY, ALPHA, NONE, NONE]),
                            (["ALPHA=YES", "PHOTOMETRIC=RGB"], [RED, GREEN, BLUE, ALPHA]),
                            (["ALPHA=NO"], [NONE] * 4)):  # fmt: skip
        driver.CreateCopy(str(tmp_path / "a.zarr"), plain, options=options)
        assert colours(tmp_path / "a.zarr") == wanted
    assert cpl.events == []


def test_colours_set_on_bands_win_over_the_default(tmp_path, cpl):
    made = create(tmp_path / "a.zarr")
    for number, name in enumerate(("nir", "red", "green"), 1):
        made.GetRasterBand(number).SetDescription(name)
    made = None
    assert colours(tmp_path / "a.zarr") == [NONE] * 3
    made = create(tmp_path / "b.zarr")
    for number, colour in enumerate((BLUE, GREEN, RED), 1):
        made.GetRasterBand(number).SetColorInterpretation(colour)
    assert colours(made) == [BLUE, GREEN, RED]
    made = None
    assert colours(tmp_path / "b.zarr") == [BLUE, GREEN, RED]
    made = create(tmp_path / "c.zarr")
    made.GetRasterBand(1).SetColorInterpretation(GREY)
    made = None
    assert colours(tmp_path / "c.zarr") == [GREY, NONE, NONE]
    made = create(tmp_path / "d.zarr", bands=4)
    made.GetRasterBand(4).SetColorInterpretation(ALPHA)
    made = None
    assert colours(tmp_path / "d.zarr") == [RED, GREEN, BLUE, ALPHA]
    assert cpl.events == []


def test_copies(tmp_path, cpl):
    driver = gdal.GetDriverByName("Zarr")
    plain = gdal.GetDriverByName("MEM").Create("", 8, 8, 3)
    driver.CreateCopy(str(tmp_path / "a.zarr"), plain)
    assert colours(tmp_path / "a.zarr") == [NONE] * 3  # the source's bands have no colours
    driver.CreateCopy(str(tmp_path / "b.zarr"), plain, options=["PHOTOMETRIC=RGB"])
    assert colours(tmp_path / "b.zarr") == [RED, GREEN, BLUE]
    source = gdal.Open(make_tiff(tmp_path / "s.tif", shown=(BLUE, GREEN, RED)))
    assert colours(source) == [BLUE, GREEN, RED]
    driver.CreateCopy(str(tmp_path / "c.zarr"), source, options=["PHOTOMETRIC=RGB"])
    assert colours(tmp_path / "c.zarr") == [BLUE, GREEN, RED]
    assert cpl.events == []


def test_an_array_that_is_added(tmp_path, cpl):
    create(tmp_path / "a.zarr", bands=1)
    create(tmp_path / "a.zarr", "APPEND_SUBDATASET=YES", "ARRAY_NAME=rgb")
    assert colours(array_name(tmp_path / "a.zarr", "rgb")) == [RED, GREEN, BLUE]
    assert cpl.events == []


def test_a_change_afterwards_stays(tmp_path, cpl):
    create(tmp_path / "a.zarr")
    changed = gdal.Open(str(tmp_path / "a.zarr"), gdal.GA_Update)
    for number in (1, 2, 3):
        changed.GetRasterBand(number).SetColorInterpretation(GREY)
    changed = None
    assert colours(tmp_path / "a.zarr") == [GREY] * 3
    assert cpl.events == []
