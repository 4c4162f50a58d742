# SPDX-License-Identifier: MIT
"""The attribute COLOR_INTERPRETATION, with which GDAL's built-in Zarr driver stores the colours of bands. It is a text, or
a list with an entry for each band."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, config_options, gdal_is_at_least, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
NAME = "COLOR_INTERPRETATION"
RGBA = ["Red", "Green", "Blue", "Alpha"]
NUMBERS = {gdal.GetColorInterpretationName(i): i for i in range(gdal.GCI_YCbCr_CrBand + 1)}


def colours(dataset):
    dataset = dataset if isinstance(dataset, gdal.Dataset) else gdal.Open(str(dataset))
    bands = map(dataset.GetRasterBand, range(1, dataset.RasterCount + 1))
    return [gdal.GetColorInterpretationName(band.GetColorInterpretation()) for band in bands]


def stated(store, array="a"):
    return zarr_formats.attributes(store, array).get(NAME)


def make(tmp_path, colour, shape=(4, 3, 2), dims=("band", "y", "x"), **others):
    values = np.arange(np.prod(shape), dtype="u1").reshape(shape)
    arrays = {"a": {"values": values, "dims": dims, "attrs": {NAME: colour}}, **others}
    return make_store(tmp_path, arrays)


def numbers(*values):
    return {"values": np.array(values), "dims": ("band",)}


def update(store):
    return gdal.Open(str(store), gdal.GA_Update)


def set_colours(dataset, *names):
    for number, name in enumerate(names, 1):
        dataset.GetRasterBand(number).SetColorInterpretation(NUMBERS[name])


def create(path, *colours, options=(), bands=4):
    made = gdal.GetDriverByName("Zarr").Create(str(path), 3, 2, bands, options=["ARRAY_NAME=a", *options])
    made.GetRasterBand(1).Fill(1)
    set_colours(made, *colours)
    return made


# Reading


@pytest.mark.parametrize("colour, shape, expected", [
    (RGBA, (4, 3, 2), RGBA),
    (["blue", "ALPHA", "Undefined", "Gray"], (4, 3, 2), ["Blue", "Alpha", "Undefined", "Gray"]),
    (["Cyan", "Hue", "YCbCr_Cr", "Palette"], (4, 3, 2), ["Cyan", "Hue", "YCbCr_Cr", "Palette"]),
    ("Alpha", (3, 2), ["Alpha"]),
    (["Alpha"], (1, 3, 2), ["Alpha"]),
    ("Undefined", (3, 2), ["Undefined"]),
    ("Gray", (2, 3, 2), ["Gray", "Gray"]),
])  # fmt: skip
def test_a_text_or_a_list(colour, shape, expected, tmp_path, cpl):
    store = make(tmp_path, colour, shape, ("band", "y", "x")[-len(shape) :])
    assert colours(store) == expected
    read = open_raster(store)
    assert NAME not in (read.GetMetadata() or {})
    is_transparent = len(expected) in (2, 4) and expected[-1] == "Alpha"
    assert (read.GetRasterBand(1).GetMaskFlags() & gdal.GMF_ALPHA != 0) == is_transparent
    assert cpl.events == []


@pytest.mark.parametrize("bands, expected", [
    ((2, 4), ["Green", "Alpha"]), ((4, 3, 2, 1), RGBA[::-1]), ((4,), ["Alpha"]),
])  # fmt: skip
def test_bands_that_xarray_has_selected(bands, expected, tmp_path, cpl):
    assert colours(array_name(make(tmp_path, RGBA, (len(bands), 3, 2), band=numbers(*bands)), "a")) == expected
    assert cpl.events == []


def test_slices_along_two_dimensions(tmp_path, cpl):
    store = make(tmp_path, ["Red", "Green", "Blue", "Undefined", "Gray", "Alpha"], (2, 3, 3, 2),
                 ("time", "band", "y", "x"), band=numbers(1, 2, 3))  # fmt: skip
    assert colours(array_name(store, "a")) == ["Red", "Green", "Blue", "Undefined", "Gray", "Alpha"]
    assert colours(array_name(store, "a") + ":1:2") == ["Alpha"]
    assert cpl.events == []


def test_the_slice_of_a_name_and_a_group_of_arrays(tmp_path, cpl):
    store = make(tmp_path, RGBA)
    assert [colours(f"{array_name(store, 'a')}:{i}") for i in range(4)] == [[name] for name in RGBA]
    several = {name: {"values": np.zeros((3, 2), "u1"), "dims": ("y", "x"), "attrs": {NAME: colour}}
               for name, colour in (("p", "Blue"), ("q", "Green"), ("r", "Alpha"))}  # fmt: skip
    assert colours(make_store(tmp_path, several, name="several.zarr")) == ["Blue", "Green", "Alpha"]
    assert cpl.events == []


@pytest.mark.parametrize("colour, says", [
    (3, "expected a text or a list of texts, got a number"),
    ({"a": 1}, "expected a text or a list of texts, got an object"),
    (["Red", None, "Blue", "Alpha"], "expected a text or a list of texts, got null"),
    ("Purple", '"Purple" is no colour interpretation of GDAL'),
    (["Red"] * 2 + ["Blue"], "has 3 entries for 4 bands"),
])  # fmt: skip
def test_a_bad_attribute_gives_one_warning(colour, says, tmp_path, cpl):
    store = make(tmp_path, colour)
    assert len(colours(store)) == 4
    assert len(cpl.events) == 1 and f"attribute {NAME}: {says}" in cpl.warnings[0]


def test_names_of_later_versions_of_gdal(tmp_path, cpl):
    store = make(tmp_path, ["NIR", "Coastal", "Pan", "Alpha"])
    later = ["NIR", "Coastal", "Pan"] if gdal_is_at_least(3, 10) else ["Undefined"] * 3
    assert colours(store) == [*later, "Alpha"]
    changed = update(store)
    changed.GetRasterBand(4).SetColorInterpretation(gdal.GCI_GrayIndex)
    changed = None
    assert stated(store) == ["NIR", "Coastal", "Pan", "Gray"]
    assert cpl.events == []


# Writing


@pytest.mark.parametrize("options", [(), ("INTERLEAVE=PIXEL",), ("SINGLE_ARRAY=NO",)])
@pytest.mark.parametrize("names", [RGBA, ["Blue", "Green", "Red", "Undefined"], ["Gray"], ["Alpha"]])
def test_colours_of_new_stores(names, options, tmp_path, cpl):
    create(tmp_path / "x.zarr", *names, options=options, bands=len(names))
    assert colours(tmp_path / "x.zarr") == names
    if "SINGLE_ARRAY=NO" not in options:
        assert stated(tmp_path / "x.zarr") == (names if len(names) > 1 else names[0])
        assert "gdal_pam" not in zarr_formats.attributes(tmp_path / "x.zarr", "a")
    assert cpl.events == []


def test_default_colours_and_a_later_change(tmp_path, cpl):
    store = tmp_path / "x.zarr"
    create(store)
    assert stated(store) == RGBA
    changed = update(store)
    changed.GetRasterBand(4).SetColorInterpretation(gdal.GCI_Undefined)
    changed = None
    assert stated(store) == [*RGBA[:3], "Undefined"] == colours(store)
    set_colours(update(store), "Gray")
    assert stated(store) == ["Gray", "Green", "Blue", "Undefined"] == colours(store)
    assert cpl.events == []


def test_two_datasets_change_colours(tmp_path, cpl):
    store = make(tmp_path, RGBA)
    first, second = update(store), update(store)
    first.GetRasterBand(1).SetColorInterpretation(gdal.GCI_GrayIndex)
    second.GetRasterBand(4).SetColorInterpretation(gdal.GCI_Undefined)
    first = second = None
    assert stated(store) == ["Gray", "Green", "Blue", "Undefined"]
    assert cpl.events == []


def test_the_colour_of_one_slice(tmp_path, cpl):
    store = make(tmp_path, RGBA)
    changed = update(f"{array_name(store, 'a')}:3")
    changed.GetRasterBand(1).SetColorInterpretation(gdal.GCI_GrayIndex)
    changed = None
    assert stated(store) == [*RGBA[:3], "Gray"] == colours(store)
    assert cpl.events == []


def test_copies(tmp_path, cpl):
    source = open_raster(make(tmp_path, RGBA))
    gdal.Translate(str(tmp_path / "s.tif"), source)
    assert NAME not in gdal.Open(str(tmp_path / "s.tif")).GetMetadata()
    assert colours(tmp_path / "s.tif") == RGBA
    for i, original in enumerate((source, gdal.Open(str(tmp_path / "s.tif")))):
        copy = tmp_path / f"{i}.zarr"
        gdal.Translate(str(copy), original, format="Zarr", creationOptions=["ARRAY_NAME=a"])
        assert stated(copy) == RGBA == colours(copy)
    named = gdal.GetDriverByName("MEM").Create("", 3, 2, 4)
    set_colours(named, *RGBA)
    for number, name in enumerate(RGBA, 1):
        named.GetRasterBand(number).SetDescription(name)
    gdal.Translate(str(tmp_path / "named.zarr"), named, format="Zarr", creationOptions=["ARRAY_NAME=a"])
    assert stated(tmp_path / "named.zarr") == RGBA
    grey = gdal.GetDriverByName("MEM").Create("", 3, 2, 1)
    set_colours(grey, "Gray")
    gdal.Translate(str(tmp_path / "grey.zarr"), grey, format="Zarr", creationOptions=["ARRAY_NAME=a"])
    assert stated(tmp_path / "grey.zarr") is None
    assert cpl.events == []


def test_appended_bands(tmp_path, cpl):
    store = tmp_path / "x.zarr"
    create(store, *RGBA[:3], bands=3)
    one = gdal.GetDriverByName("MEM").Create("", 3, 2, 1)
    for colour, expected in (("Alpha", RGBA), ("Undefined", [*RGBA, "Undefined"])):
        set_colours(one, colour)
        driver = gdal.GetDriverByName("Zarr")
        driver.CreateCopy(str(store), one, options=["APPEND_DIM=band", "APPEND_SUBDATASET=YES", "ARRAY_NAME=a"])
        assert stated(store) == expected == colours(store)
    assert cpl.warnings == []


def test_colours_that_older_versions_stored(tmp_path, cpl):
    """The attribute wins over the colours in PAM, which older versions of the driver have written. Changed PAM is moved."""
    pam = "".join(f'<PAMRasterBand band="{i}"><ColorInterp>{name}</ColorInterp></PAMRasterBand>'
                  for i, name in enumerate(RGBA, 1))  # fmt: skip
    store = make(tmp_path, ["Gray", "Undefined", "Undefined", "Undefined"])
    zarr_formats.change_attributes(store, "a", gdal_pam=f"<PAMDataset>{pam}</PAMDataset>")
    assert colours(store) == ["Gray", "Undefined", "Undefined", "Undefined"]
    old = {name: value for name, value in zarr_formats.attributes(store, "a").items() if name != NAME}
    zarr_formats.put_attributes(store, old, "a")
    assert colours(store) == RGBA
    changed = update(store)
    changed.GetRasterBand(1).SetColorInterpretation(gdal.GCI_GrayIndex)
    changed = None
    assert stated(store) == ["Gray", *RGBA[1:]] == colours(store)
    assert cpl.events == []


def test_overviews_and_the_multidimensional_api(tmp_path, cpl):
    store = make(tmp_path, RGBA, (4, 8, 8))
    built = update(store)
    built.BuildOverviews("NEAREST", [2])
    set_colours(built, "Gray")
    built = None
    read = open_raster(store)
    assert [read.GetRasterBand(i).GetOverview(0).GetColorInterpretation() for i in (1, 4)] == [1, 6]
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.OpenMDArray("a").GetAttribute(NAME).Read() == ["Gray", *RGBA[1:]]
    assert cpl.events == []


def test_a_sidecar_of_a_reader_comes_first(tmp_path, cpl):
    store = make(tmp_path, RGBA)
    with config_options(GDAL_PAM_ENABLED="YES"):
        set_colours(open_raster(store), "Gray")
        assert colours(store) == ["Gray", *RGBA[1:]]
        assert stated(store) == RGBA
        set_colours(update(store), "Undefined", "Blue")
        assert colours(store) == ["Undefined", "Blue", *RGBA[2:]] == stated(store)
    assert cpl.events == []


@pytest.mark.skipif(not gdal_is_at_least(3, 13), reason="older built-in drivers have no colours")
@pytest.mark.parametrize("names", [RGBA, ["Alpha"], ["Blue", "Undefined"]])
def test_the_built_in_driver(names, tmp_path):
    create(tmp_path / "x.zarr", *names, bands=len(names))
    name = array_name(tmp_path / "x.zarr", "a")
    of_builtin = gdal.OpenEx(name, allowed_drivers=["ZarrBuiltin"])
    assert colours(of_builtin) == names
