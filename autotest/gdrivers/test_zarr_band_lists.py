# SPDX-License-Identifier: MIT
"""Attributes that are lists with an entry for each band: `scales`, `offsets`, `units`, `long_name`, `descriptions` and
`nodatavals`, as rioxarray, odc-geo and xarray's former open_rasterio write them for arrays (band, y, x)."""

import gc
import time

import numpy as np
import pytest
import rasterio
import rioxarray
import xarray as xr
import zarr_formats
import zarr_mdim
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_band, open_raster
from zarr_store import make_store
from zarr_tools import run_gdal

pytestmark = zarr_formats.BOTH
LISTS = {"scales": [0.1, 0.2, 0.3], "offsets": [0.0, 1.0, -2.0], "long_name": ["red", "green", "nir"],
         "units": ["m", None, "K"]}  # fmt: skip
# scale, offset, unit and description of bands
FACTS = [(0.1, 0.0, "m", "red"), (0.2, 1.0, "", "green"), (0.3, -2.0, "K", "nir")]


def facts(dataset):
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return [(band.GetScale(), band.GetOffset(), band.GetUnitType(), band.GetDescription()) for band in bands]


def bands_of(folder, attrs, bands=3, numbers=None, dims=("band", "y", "x"), values=None, more=None):
    """Writes an array "a". `numbers` are the coordinates of its bands."""
    shape = (bands, 2, 4) if len(dims) == 3 else (2, 4)
    values = np.arange(np.prod(shape), dtype="i2").reshape(shape) if values is None else values
    arrays = {"a": {"values": values, "dims": dims, "attrs": attrs}, **(more or {})}
    if numbers is not None:
        arrays["band"] = {"values": np.asarray(numbers), "dims": ["band"] if np.ndim(numbers) else []}
    return make_store(folder, arrays)


def open_array(store, path="a", *options):
    return open_raster(array_name(store, path), *options)


def geotiff(folder):
    path = folder / "source.tif"
    with rasterio.open(path, "w", driver="GTiff", width=4, height=2, count=3, dtype="int16", nodata=-1,
                       crs="EPSG:32632", transform=rasterio.Affine(10, 0, 0, 0, -10, 0)) as dataset:  # fmt: skip
        dataset.write(np.arange(24, dtype="i2").reshape(3, 2, 4))
        dataset.scales, dataset.offsets = (0.1, 0.2, 0.3), (0, 1, -2)
        dataset.descriptions, dataset.units = ("red", "green", "nir"), ("m", "", "K")
    return path


def by_rioxarray(folder, select=None):
    """Lets rioxarray read a GeoTIFF, and xarray write selected bands of it."""
    array = rioxarray.open_rasterio(geotiff(folder))
    if select is not None:
        array = array.isel(band=select)
    store = folder / "r.zarr"
    array.to_dataset(name="a").to_zarr(str(store), mode="w", consolidated=False,
                                       zarr_format=3 if zarr_formats.is_v3() else 2)  # fmt: skip
    return store


@pytest.mark.parametrize("select", [None, [0, 1, 2], [1], [2, 0], [0, 1], [2, 1, 0], 0, 2, slice(1, None)])
def test_bands_that_xarray_selects(tmp_path, cpl, select):
    """xarray keeps the lists when it selects bands. The band coordinates number the entries."""
    store = by_rioxarray(tmp_path, select)
    wanted = np.empty(3, object)
    wanted[:] = FACTS
    wanted = [wanted[select]] if isinstance(select, int) else list(wanted if select is None else wanted[select])
    dataset = open_array(store)
    assert facts(dataset) == wanted
    assert dataset.GetRasterBand(1).GetNoDataValue() == -1
    items = {**dataset.GetMetadata(), **dataset.GetRasterBand(1).GetMetadata()}
    assert not {"scales", "offsets", "long_name", "units"} & set(items), items
    cpl.assert_quiet()


def test_rioxarray_gives_back_what_it_read(tmp_path):
    store = by_rioxarray(tmp_path)
    with rioxarray.open_rasterio(array_name(store, "a")) as array:
        assert array.attrs["scales"] == (0.1, 0.2, 0.3) and array.attrs["offsets"] == (0, 1, -2)
        assert array.attrs["long_name"] == ("red", "green", "nir")


@pytest.mark.parametrize("dims, numbers", [(("band", "y", "x"), None), (("bands", "y", "x"), None), (("z", "y", "x"), None),
                                           (("band", "y", "x"), [7, 8, 9]), (("y", "x", "band"), None),
                                           (("band", "y", "x"), [1, 1, 2])])  # fmt: skip
def test_entries_in_the_order_of_the_bands(tmp_path, cpl, dims, numbers):
    values = np.zeros((2, 4, 3) if dims[0] == "y" else (3, 2, 4), "i2")
    store = bands_of(tmp_path, LISTS, dims=dims, numbers=numbers, values=values)
    assert [fact[:3] for fact in facts(open_array(store))] == [fact[:3] for fact in FACTS]
    assert [fact[3].split("=")[-1] for fact in facts(open_array(store))] == ["red", "green", "nir"]
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs, numbers, count", [({"scales": [0.1, 0.2, 0.3]}, [7, 9], 2), ({"scales": [0.1, 0.2]}, None, 3),
                                                   ({"offsets": [1, 2]}, [1, 2, 3], 3), ({"units": ["m", "K"]}, [0, 1, 2], 3),
                                                   ({"long_name": ["a", "b"]}, None, 3), ({"descriptions": ["a", "b"]}, None, 1),
                                                   ({"nodatavals": [1, 2]}, None, 3)])  # fmt: skip
def test_lists_of_another_length_are_ignored(tmp_path, attrs, numbers, count):
    store = bands_of(tmp_path, attrs, count, numbers)
    with error_log() as log:
        found = facts(gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER))
    (name,) = attrs
    assert len(log.warnings) == 1 and f"attribute {name}: has" in log.warnings[0], log.events
    assert [(fact[0] or 1, fact[1] or 0, fact[2]) for fact in found] == [(1, 0, "")] * count
    assert all(fact[3] not in ("a", "b") for fact in found)


@pytest.mark.parametrize("attrs, wanted", [
    ({"scales": [0.5], "offsets": [3], "units": ["m"]}, (0.5, 3, "m")),
    ({"scales": [0.5] * 3, "offsets": ["3"] * 3, "units": ["m"] * 3}, (0.5, 3, "m")),
    ({"scales": [0.5] * 3, "scale_factor": 2.0, "add_offset": 1.0, "offsets": [3] * 3}, (2, 1, "")),
    ({"scales": [0.1, 0.2, 0.3], "scale_factor": 2.0}, (2, None, "")),
    ({"scales": [1.0] * 3, "offsets": [0.0] * 3}, (None, None, "")),
])  # fmt: skip
def test_values_of_all_bands(tmp_path, cpl, attrs, wanted):
    store = bands_of(tmp_path, attrs)
    assert [fact[:3] for fact in facts(open_array(store))] == [wanted] * 3
    array = zarr_mdim.open_group(store).OpenMDArray("a")
    assert (array.GetScale(), array.GetOffset(), array.GetUnit()) == wanted
    cpl.assert_quiet()


def test_the_multidimensional_api_has_no_value_of_bands_that_differ(tmp_path, cpl):
    array = zarr_mdim.open_group(bands_of(tmp_path, LISTS)).OpenMDArray("a")
    assert (array.GetScale(), array.GetOffset(), array.GetUnit()) == (None, None, "")
    shown = {attribute.GetName(): attribute.Read() for attribute in array.GetAttributes()}
    assert list(shown["scales"]) == [0.1, 0.2, 0.3] and "units" in shown
    cpl.assert_quiet()


def test_a_time_axis_beside_the_bands(tmp_path, cpl):
    store = make_store(tmp_path, {
        "a": {"values": np.zeros((2, 3, 2, 4), "i2"), "dims": ["time", "band", "y", "x"], "attrs": LISTS},
        "time": {"values": np.array([0, 1]), "dims": ["time"], "attrs": {"units": "days since 2020-01-01"}},
        "band": {"values": np.array([1, 2, 3]), "dims": ["band"]}})  # fmt: skip
    found = facts(open_array(store))
    assert [fact[:3] for fact in found] == [fact[:3] for fact in FACTS] * 2
    assert found[4][3] == "time=2020-01-02T00:00:00Z, band=green"
    assert facts(open_raster(array_name(store, "a") + ":1:2"))[0][:3] == FACTS[2][:3]
    cpl.assert_quiet()


def test_names_of_coordinates_come_first(tmp_path):
    store = bands_of(tmp_path, LISTS, numbers=np.array(["B04", "B03", "B08"]))
    assert [fact[3] for fact in facts(open_array(store))] == ["B04", "B03", "B08"]


@pytest.mark.parametrize("name", ["long_name", "descriptions"])
def test_names_of_colours_are_colours(tmp_path, name):
    store = bands_of(tmp_path, {name: ["red", "green", "blue"]})
    for ask_first in (False, True):
        dataset = open_array(store)
        if ask_first:
            assert dataset.GetRasterBand(1).GetDescription() == "red"
        colours = [dataset.GetRasterBand(i).GetColorInterpretation() for i in (1, 2, 3)]
        assert colours == [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand]


def test_a_list_of_one_name(tmp_path):
    store = bands_of(tmp_path, {"long_name": ["elevation"]}, dims=("y", "x"))
    assert facts(open_array(store))[0][3] == "elevation"


# ---------------------------------------------------------------------------------------------
# Nodata values of bands


@pytest.mark.slow
def test_nodata_values_that_differ(tmp_path):
    values = np.array([[[0, 1], [2, 255]]] * 3, "u1")
    store = bands_of(tmp_path, {"nodatavals": [0, 255, None]}, values=values)
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.BuildOverviews("AVERAGE", [2])
    del dataset
    gc.collect()
    dataset = open_array(store)
    bands = [dataset.GetRasterBand(i + 1) for i in range(3)]
    assert [band.GetNoDataValue() for band in bands] == [0, 255, None]
    assert [band.ComputeStatistics(False)[:2] for band in bands] == [[1, 255], [0, 2], [0, 255]]
    assert [band.GetOverview(0).GetNoDataValue() for band in bands] == [0, 255, None]
    assert [band.GetOverview(0).ReadAsArray().item() for band in bands] == [86, 1, 65]
    with error_log() as log:
        array = zarr_mdim.open_group(store).OpenMDArray("a")
        assert array.GetNoDataValueAsDouble() == 0
    assert len(log.warnings) == 1 and "nodatavals: differs" in log.warnings[0]
    run_gdal("gdal_translate", "-q", "-of", "Zarr", array_name(store, "a"), tmp_path / "copy.zarr")
    copy = open_raster(tmp_path / "copy.zarr")
    assert [copy.GetRasterBand(i + 1).GetNoDataValue() for i in range(3)] == [0, 255, None]


@pytest.mark.slow
def test_the_nodata_value_of_one_band_is_set(tmp_path):
    store = bands_of(tmp_path, {"nodatavals": [0, 255, None]}, values=np.ones((3, 2, 2), "u1"))
    for band, value, wanted in ((3, 7, [0, 255, 7]), (1, 9, [9, 255, 7]), (2, None, [9, None, 7])):
        dataset = gdal.Open(str(store), gdal.GA_Update)
        changed = dataset.GetRasterBand(band)
        assert (changed.DeleteNoDataValue() if value is None else changed.SetNoDataValue(value)) == 0
        del changed, dataset
        gc.collect()
        assert zarr_formats.attributes(store, "a")["nodatavals"] == wanted
    run_gdal("gdal_edit.py", "-a_nodata", "5", store)
    attrs = zarr_formats.attributes(store, "a")
    assert attrs["_FillValue"] == 5 and "nodatavals" not in attrs
    dataset = open_array(store)
    assert [dataset.GetRasterBand(i + 1).GetNoDataValue() for i in range(3)] == [5, 5, 5]


# ---------------------------------------------------------------------------------------------
# Copies, overviews and changes


@pytest.mark.parametrize("copy", ["a.tif", "a.zarr", "a.vrt"])
def test_copies(tmp_path, cpl, copy):
    store = bands_of(tmp_path, LISTS, numbers=[1, 2, 3])
    options = ["-of", "Zarr"] if copy.endswith("zarr") else []
    run_gdal("gdal_translate", "-q", *options, array_name(store, "a"), tmp_path / copy)
    found = facts(gdal.Open(str(tmp_path / copy)))
    assert [(fact[0] or 1, fact[1] or 0, *fact[2:]) for fact in found] == FACTS
    cpl.assert_quiet()


@pytest.mark.parametrize("select", [None, [2, 0], 1])
@pytest.mark.slow
def test_overviews(tmp_path, cpl, select):
    store = by_rioxarray(tmp_path, select)
    name = array_name(store, "a")
    dataset = gdal.OpenEx(name, gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    del dataset
    gc.collect()
    dataset = open_raster(name)
    for i in range(dataset.RasterCount):
        band = dataset.GetRasterBand(i + 1)
        assert band.GetOverviewCount() == 1
        level = band.GetOverview(0)
        assert (level.GetScale(), level.GetOffset(), level.GetUnitType()) == (
            band.GetScale(), band.GetOffset(), band.GetUnitType())  # fmt: skip
    cpl.assert_quiet()


def change(store, number, **changes):
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    band = dataset.GetRasterBand(number)
    for name, value in changes.items():
        getattr(band, name)(value)
    del band, dataset
    gc.collect()


@pytest.mark.parametrize("numbers", [None, [1, 2, 3], [11, 12, 13]])
@pytest.mark.slow
def test_a_change_of_one_band_keeps_the_others(tmp_path, cpl, numbers):
    store = bands_of(tmp_path, LISTS, numbers=numbers)
    change(store, 2, SetScale=5.0, SetOffset=6.0, SetUnitType="Pa", SetDescription="new")
    found = facts(open_array(store))
    assert [fact[:3] for fact in found] == [FACTS[0][:3], (5, 6, "Pa"), FACTS[2][:3]]
    assert [fact[3].split("=")[-1] for fact in found] == ["red", "new", "nir"]
    attrs = zarr_formats.attributes(store, "a")
    assert attrs["scales"] == [0.1, 5, 0.3] and attrs["long_name"] == ["red", "new", "nir"]
    assert attrs["units"] == ["m", "Pa", "K"] and "scale_factor" not in attrs
    cpl.assert_quiet()


@pytest.mark.slow
def test_a_change_of_a_selected_band(tmp_path, cpl):
    store = by_rioxarray(tmp_path, [2, 0])
    change(store, 1, SetScale=5.0, SetDescription="new")
    assert facts(open_array(store)) == [(5, -2, "K", "new"), FACTS[0]]
    assert zarr_formats.attributes(store, "a")["scales"] == [0.1, 0.2, 5]
    cpl.assert_quiet()


def test_one_value_of_all_bands_becomes_an_attribute_of_cf(tmp_path, cpl):
    store = bands_of(tmp_path, {"scales": [1.0] * 3, "offsets": [0.0] * 3, "units": ["m", "", "K"]})
    run_gdal("gdal_edit.py", "-scale", "0.5", "-offset", "3", "-units", "Pa", store)
    attrs = zarr_formats.attributes(store, "a")
    assert attrs["scale_factor"] == 0.5 and attrs["add_offset"] == 3 and attrs["units"] == "Pa"
    assert "scales" not in attrs and "offsets" not in attrs
    assert [fact[:3] for fact in facts(open_array(store))] == [(0.5, 3, "Pa")] * 3
    cpl.assert_quiet()


@pytest.mark.slow
def test_all_bands_change_one_after_another(tmp_path, cpl):
    """After the first change all entries are equal, but they are not yet known."""
    store = bands_of(tmp_path, {"scales": [1.0, 2.0, 2.0], "offsets": [1.0, 2.0, 2.0], "units": ["m", "K", "K"],
                                "nodatavals": [1, 2, 2]})  # fmt: skip
    wanted = [(2, 2, "K", 2), (3, 3, "Pa", 3), (4, 4, "s", 4)]
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    for i, (scale, offset, unit, nodata) in enumerate(wanted):
        band = dataset.GetRasterBand(i + 1)
        band.SetScale(scale)
        band.SetOffset(offset)
        band.SetUnitType(unit)
        band.SetNoDataValue(nodata)
    del band, dataset
    gc.collect()
    dataset = open_array(store)
    assert [fact[:3] for fact in facts(dataset)] == [fact[:3] for fact in wanted]
    assert [dataset.GetRasterBand(i + 1).GetNoDataValue() for i in range(3)] == [2, 3, 4]
    cpl.assert_quiet()


def test_changes_of_many_bands_take_no_time(tmp_path, cpl):
    """A change of one band neither makes nor compares the text of the whole list. The texts of 2000 bands took seconds."""
    count = 2000
    store = bands_of(tmp_path, {"scales": [float(i) for i in range(count)]}, count)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    before = time.process_time()
    for number in range(1, count + 1):
        dataset.GetRasterBand(number).SetScale(number * 3.0)
    took = time.process_time() - before
    del dataset
    gc.collect()
    assert zarr_formats.attributes(store, "a")["scales"] == [number * 3.0 for number in range(1, count + 1)]
    assert took < 0.5
    cpl.assert_quiet()


@pytest.mark.slow
def test_an_attribute_of_cf_that_comes_before_the_list_warns_if_bands_differ(tmp_path):
    store = bands_of(tmp_path, {"scales": [1.0, 2.0, 3.0], "scale_factor": 5.0})
    with error_log() as log:
        change(store, 2, SetScale=7.0)
    assert len(log.warnings) == 1 and "its bands differ" in log.warnings[0], log.events


@pytest.mark.slow
def test_two_handles_change_two_bands(tmp_path, cpl):
    store = bands_of(tmp_path, {"scales": [1.0, 2.0, 3.0], "long_name": ["a", "b", "c"]})
    handles = [gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE) for _ in range(2)]
    for i, handle in enumerate(handles):
        handle.GetRasterBand(i + 1).SetScale(i + 5.0)
        handle.GetRasterBand(i + 1).SetDescription(f"new {i}")
    for handle in handles:
        handle.FlushCache()
    del handle, handles
    gc.collect()
    attrs = zarr_formats.attributes(store, "a")
    assert attrs["scales"] == [5, 6, 3] and attrs["long_name"] == ["new 0", "new 1", "c"]
    cpl.assert_quiet()


@pytest.mark.slow
def test_lists_that_nobody_changes_stay(tmp_path, cpl):
    attrs = {"scales": [0.5] * 3, "units": ["m"] * 3, "nodatavals": [1, 1, 1]}
    store = bands_of(tmp_path, attrs)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.SetMetadataItem("title", "new")
    del dataset
    gc.collect()
    kept = zarr_formats.attributes(store, "a")
    assert {name: kept[name] for name in attrs} == attrs and "scale_factor" not in kept
    cpl.assert_quiet()


@pytest.mark.slow
def test_neutral_lists_get_the_value_of_one_band(tmp_path, cpl):
    store = bands_of(tmp_path, {"scales": [1.0] * 3})
    change(store, 2, SetScale=0.5)
    assert [fact[0] or 1 for fact in facts(open_array(store))] == [1, 0.5, 1]
    cpl.assert_quiet()


@pytest.mark.slow
def test_the_multidimensional_api_replaces_the_lists(tmp_path):
    store = bands_of(tmp_path, LISTS)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("a")
    assert array.SetScale(2.0) == 0 and array.SetOffset(3.0) == 0 and array.SetUnit("m") == 0
    del array, dataset
    gc.collect()
    assert [fact[:3] for fact in facts(open_array(store))] == [(2, 3, "m")] * 3
    attrs = zarr_formats.attributes(store, "a")
    assert "scales" not in attrs and "offsets" not in attrs


@pytest.mark.parametrize("end", ["zarr", "nc"])
def test_multidimensional_copies(tmp_path, end):
    store = bands_of(tmp_path, {**LISTS, "units": ["m", "s", "K"]})
    run_gdal("gdalmdimtranslate", store, tmp_path / f"copy.{end}")
    opened = (xr.open_dataset if end == "nc" else xr.open_zarr)(tmp_path / f"copy.{end}")
    with opened:
        assert list(opened.a.attrs["scales"]) == [0.1, 0.2, 0.3]
        assert list(opened.a.attrs["long_name"]) == ["red", "green", "nir"]
    if end == "zarr":
        found = facts(open_array(tmp_path / "copy.zarr"))
        assert [fact[:2] for fact in found] == [fact[:2] for fact in FACTS]


# ---------------------------------------------------------------------------------------------
# Values of classes as texts


@pytest.mark.parametrize("values", [[1, 2, 4], "1, 2, 4", "1 2 4", "1b, 2b, 4b", "{1,2,4}", "[1, 2, 4]", ["1", "2", "4"],
                                    ["1b", "2b", "4b"], [1.0, 2.0, 4.0], "1.0 2.0 4.0"])  # fmt: skip
def test_flag_values_as_texts(tmp_path, cpl, values):
    attrs = {"flag_values": values, "flag_meanings": "water land ice", "flag_colors": "#0000ff #00ff00 #ffffff"}
    store = make_store(tmp_path, {"a": {"values": np.ones((2, 3), "u1"), "dims": ["y", "x"], "attrs": attrs}})
    band = open_band(array_name(store, "a"))
    assert band.GetCategoryNames() == ["", "water", "land", "", "ice"]
    assert band.GetColorTable().GetColorEntry(4)[:3] == (255, 255, 255)
    cpl.assert_quiet()


def test_a_single_flag_as_a_text(tmp_path):
    attrs = {"flag_values": "1", "flag_meanings": "water"}
    store = make_store(tmp_path, {"a": {"values": np.ones((2, 3), "u1"), "dims": ["y", "x"], "attrs": attrs}})
    assert open_band(array_name(store, "a")).GetCategoryNames() == ["", "water"]


@pytest.mark.parametrize("lists, kept", [
    ({"scales": [1.0, 2.0], "offsets": [1.0, 2.0, 3.0, 4.0]}, {}),
    ({"scales": [1.0, 2.0, 3.0], "offsets": [4.0, 5.0, 6.0]}, {"scale_factor": 5.0, "add_offset": 1.0}),
])  # fmt: skip
def test_lists_that_state_no_band_stay(tmp_path, lists, kept):
    """The lists have another length, or an attribute of CF comes first. The raster changes this attribute only."""
    store = bands_of(tmp_path, {**lists, **kept})
    with error_log():
        dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE)
        assert dataset.GetRasterBand(2).SetScale(9) == gdal.CE_None
        assert dataset.GetRasterBand(2).SetOffset(3) == gdal.CE_None
        dataset = None
    stored = zarr_formats.attributes(store, "a")
    assert (stored["scale_factor"], stored["add_offset"]) == (9, 3)
    assert {name: stored[name] for name in lists} == lists


@pytest.mark.parametrize("value", ["x", 7, [1.0, 2.0, 3.0]])
def test_an_array_that_gets_one_scale_has_no_scales(tmp_path, value):
    """Even if the attribute is no list."""
    store = bands_of(tmp_path, {"scales": value, "offsets": value})
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("a")
    assert (array.SetScale(3), array.SetOffset(4)) == (gdal.CE_None, gdal.CE_None)
    assert (array.GetScale(), array.GetOffset()) == (3, 4)
    del array, dataset
    stored = zarr_formats.attributes(store, "a")
    assert (stored["scale_factor"], stored["add_offset"]) == (3, 4)
    assert "scales" not in stored and "offsets" not in stored
