# SPDX-License-Identifier: MIT
"""What a raster writes, the multidimensional array of the same store has, and the other way round: nodata, packing,
units, CRS, attributes and statistics."""

import contextlib
import dataclasses
import itertools
import resource
import typing

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import config_options
from zarr_mdim_write import create, number, update
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SHAPE = (6, 8)
MULTIDIM = gdal.OF_MULTIDIM_RASTER


def srs(code):
    found = osr.SpatialReference()
    found.ImportFromEPSG(code)
    return found


def code_of(found):
    return None if found is None else int(found.GetAuthorityCode(None))


def write_text(owner, text):
    for attribute in owner.GetAttributes():
        if attribute.GetName() == "note":
            return attribute.Write(text)
    return owner.CreateAttribute("note", [], gdal.ExtendedDataType.CreateString()).Write(text)


def text_of(owner):
    attribute = owner.GetAttribute("note")
    return None if attribute is None else attribute.ReadAsString()


@dataclasses.dataclass(frozen=True)
class Property:
    """`values` are set one after the other. Functions take a raster dataset, or an array; those that write return an error
    code of GDAL."""

    values: tuple
    write_raster: typing.Callable
    write_array: typing.Callable
    read_raster: typing.Callable
    read_array: typing.Callable


def band(call):
    return lambda dataset, *value: call(dataset.GetRasterBand(1), *value)


PROPERTIES = {
    "nodata": Property(
        (-1.0, 7.0, 0.0),
        band(lambda b, value: b.SetNoDataValue(value)), lambda a, value: a.SetNoDataValueDouble(value),
        band(lambda b: b.GetNoDataValue()), lambda a: a.GetNoDataValueAsDouble(),
    ),
    "scale": Property(
        (0.5, 10.0, 0.25),
        band(lambda b, value: b.SetScale(value)), lambda a, value: a.SetScale(value),
        band(lambda b: b.GetScale()), lambda a: a.GetScale(),
    ),
    "offset": Property(
        (3.0, -273.25, 1.5),
        band(lambda b, value: b.SetOffset(value)), lambda a, value: a.SetOffset(value),
        band(lambda b: b.GetOffset()), lambda a: a.GetOffset(),
    ),
    "unit": Property(
        ("m", "K", "kg m-2"),
        band(lambda b, value: b.SetUnitType(value)), lambda a, value: a.SetUnit(value),
        band(lambda b: b.GetUnitType()), lambda a: a.GetUnit(),
    ),
    "CRS": Property(
        (32632, 3035, 25833),
        lambda d, value: d.SetSpatialRef(srs(value)), lambda a, value: a.SetSpatialRef(srs(value)),
        lambda d: code_of(d.GetSpatialRef()), lambda a: code_of(a.GetSpatialRef()),
    ),
    "attribute": Property(
        ("one", "two", "three"),
        lambda d, value: d.SetMetadataItem("note", value), write_text,
        lambda d: d.GetMetadataItem("note"), text_of,
    ),
}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    values = np.arange(np.prod(SHAPE), dtype="f4").reshape(SHAPE)
    array = {"values": values, "chunks": (3, 4), "attrs": {"long_name": "height", "kept": [1, 2]}, "dims": ["y", "x"]}
    coordinates = {name: {"values": np.arange(size) * 10.0, "dims": [name]} for name, size in zip("yx", SHAPE)}
    return make_store(tmp_path, {"height": array, **coordinates})


def open_as(view, store):
    """Returns the dataset, and what the functions of Property take."""
    if view == "raster":
        dataset = gdal.OpenEx(f'ZARR:"{store}":/height', gdal.OF_RASTER | gdal.OF_UPDATE)
        return dataset, dataset
    dataset = update(store)
    return dataset, dataset.GetRootGroup().OpenMDArray("height")


def write(view, store, wanted, value):
    dataset, target = open_as(view, store)
    assert (wanted.write_raster if view == "raster" else wanted.write_array)(target, value) == gdal.CE_None
    del target, dataset


def read_both(store, wanted):
    """Returns what each view has, read anew."""
    raster = gdal.OpenEx(f'ZARR:"{store}":/height', gdal.OF_RASTER)
    array = gdal.OpenEx(str(store), MULTIDIM).GetRootGroup().OpenMDArray("height")
    return [wanted.read_raster(raster), wanted.read_array(array)]


VIEWS = ("raster", "array")


@pytest.mark.parametrize("order", itertools.product(VIEWS, repeat=3), ids="-".join)
@pytest.mark.parametrize("name", PROPERTIES)
def test_what_one_view_writes_the_other_reads(store, cpl, name, order):
    wanted = PROPERTIES[name]
    for view, value in zip(order, wanted.values):
        write(view, store, wanted, value)
        assert read_both(store, wanted) == [value] * 2, f"{view} wrote {value}"
    cpl.assert_quiet()
    raster = gdal.OpenEx(f'ZARR:"{store}":/height', gdal.OF_RASTER)
    np.testing.assert_array_equal(raster.ReadAsArray().ravel(), np.arange(np.prod(SHAPE)))
    array = gdal.OpenEx(str(store), MULTIDIM).GetRootGroup().OpenMDArray("height")
    assert array.GetAttribute("long_name").ReadAsString() == "height"
    assert list(array.GetAttribute("kept").Read()) == [1, 2]


@pytest.mark.parametrize("order", itertools.permutations(VIEWS), ids="-".join)
@pytest.mark.parametrize("name", PROPERTIES)
def test_handles_that_are_open_together(store, cpl, name, order):
    """The other handle is open while one writes. What it sets later is another property, so that both stay."""
    wanted = PROPERTIES[name]
    other = PROPERTIES["unit" if name != "unit" else "scale"]
    opened = [open_as(view, store) for view in order]
    for view, (_, target), each in zip(order, opened, (wanted, other)):
        set_value = each.write_raster if view == "raster" else each.write_array
        assert set_value(target, each.values[0]) == gdal.CE_None
    del _, target, opened
    assert read_both(store, wanted) == [wanted.values[0]] * 2
    assert read_both(store, other) == [other.values[0]] * 2
    cpl.assert_quiet()


@pytest.mark.parametrize("value", ["one", None])
def test_what_a_raster_sets_back_is_no_change(store, cpl, value):
    """The other handle has changed the values in the meantime, and its values stay."""
    attribute, unit = PROPERTIES["attribute"], PROPERTIES["unit"]
    write("raster", store, attribute, value)
    write("raster", store, unit, value or "")
    first, second = open_as("raster", store)[0], open_as("raster", store)[0]
    for new in ("two", value):
        attribute.write_raster(first, new)
        unit.write_raster(first, new or "")
    attribute.write_raster(second, "three")
    unit.write_raster(second, "K")
    del second, first
    assert read_both(store, attribute) == ["three"] * 2
    assert read_both(store, unit) == ["K"] * 2
    cpl.assert_quiet()


@pytest.mark.parametrize("changed", ["unit", "attribute", "CRS"])
def test_an_array_shows_what_another_handle_has_stored(store, cpl, changed):
    """The array reads its attributes again before a change. An attribute without a meaning for GDAL changes no property
    that is shown."""
    dataset, array = open_as("array", store)
    others = [name for name in ("nodata", "scale", "offset") if name != changed]
    for name in others:
        write("raster", store, PROPERTIES[name], PROPERTIES[name].values[0])
    for each in [changed] if changed != "attribute" else [changed, "unit"]:
        assert PROPERTIES[each].write_array(array, PROPERTIES[each].values[0]) == gdal.CE_None
    for name in others:
        assert PROPERTIES[name].read_array(array) == PROPERTIES[name].values[0]
    assert array.DeleteNoDataValue() == gdal.CE_None
    assert array.GetNoDataValueAsDouble() is None
    del array, dataset
    assert read_both(store, PROPERTIES["nodata"]) == [None, None]
    cpl.assert_quiet()


@pytest.mark.parametrize("name", PROPERTIES)
def test_an_array_and_its_raster_are_changed_together(store, cpl, name):
    """The raster of an array that is open for update writes to the same store."""
    wanted = PROPERTIES[name]
    other = PROPERTIES["unit" if name != "unit" else "scale"]
    dataset, array = open_as("array", store)
    assert other.write_array(array, other.values[1]) == gdal.CE_None
    raster = array.AsClassicDataset(1, 0)
    assert other.read_raster(raster) == other.values[1]
    assert wanted.write_raster(raster, wanted.values[0]) == gdal.CE_None
    assert other.write_array(array, other.values[0]) == gdal.CE_None
    del raster, array, dataset
    assert read_both(store, wanted) == [wanted.values[0]] * 2
    assert read_both(store, other) == [other.values[0]] * 2
    cpl.assert_quiet()


@pytest.mark.parametrize("other", VIEWS)
@pytest.mark.parametrize("name", ["nodata", "scale", "offset", "unit", "attribute"])
def test_the_value_that_an_array_sets_last_is_stored(store, cpl, name, other):
    """It is the value that the store had at first. Another handle has stored its own value in the meantime."""
    wanted = PROPERTIES[name]
    first, second, third = wanted.values
    write("array", store, wanted, first)
    dataset, array = open_as("array", store)
    assert wanted.write_array(array, second) == gdal.CE_None
    write(other, store, wanted, third)
    assert wanted.write_array(array, first) == gdal.CE_None
    assert wanted.read_array(array) == first
    del array, dataset
    assert read_both(store, wanted) == [first] * 2
    cpl.assert_quiet()


def test_the_unit_that_an_array_removes_last_is_removed(store, cpl):
    """The store had none at first. Another handle has stored one in the meantime."""
    dataset, array = open_as("array", store)
    assert array.SetUnit("m") == gdal.CE_None
    write("raster", store, PROPERTIES["unit"], "K")
    assert array.SetUnit("") == gdal.CE_None
    del array, dataset
    assert read_both(store, PROPERTIES["unit"]) == [""] * 2
    cpl.assert_quiet()


def test_an_item_with_the_text_null_stays(store):
    attribute = PROPERTIES["attribute"]
    write("raster", store, attribute, "null")
    assert read_both(store, attribute)[0] == "null"
    write("raster", store, attribute, None)
    assert read_both(store, attribute) == [None, None]


@pytest.mark.parametrize("order", itertools.product(VIEWS, repeat=2), ids="-".join)
def test_nodata_is_removed(store, cpl, order):
    """The last view removes what the first has set. Absent chunks keep the value that they had."""
    nodata = PROPERTIES["nodata"]
    write(order[0], store, nodata, -5.0)
    dataset, target = open_as(order[1], store)
    if order[1] == "raster":
        assert target.GetRasterBand(1).DeleteNoDataValue() == gdal.CE_None
    else:
        assert target.DeleteNoDataValue() == gdal.CE_None
    del target, dataset
    assert read_both(store, nodata) == [None, None]
    cpl.assert_quiet()


@pytest.mark.parametrize("order", itertools.product(VIEWS, repeat=2), ids="-".join)
def test_statistics_follow_the_pixels(store, cpl, order):
    """Statistics that one view computes are those of both, until one view writes pixels."""

    def compute(view):
        dataset, target = open_as(view, store)
        found = target.GetRasterBand(1).ComputeStatistics(False)[:2] if view == "raster" else None
        if found is None:
            statistics = target.ComputeStatistics(False)
            found = [statistics.min, statistics.max]
        del target, dataset
        return list(found)

    def stored(view):
        dataset, target = open_as(view, store)
        if view == "raster":
            value = target.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM")
            return None if value is None else float(value)
        statistics = target.GetStatistics(False, False)
        return None if statistics is None else statistics.max

    assert compute(order[0]) == [0, 47]
    assert stored(order[0]) == 47
    dataset, target = open_as(order[1], store)
    if order[1] == "raster":
        target.GetRasterBand(1).WriteArray(np.full((1, 1), 99, "f4"))
    else:
        assert target.Write(np.full((1, 1), 99, "f4").tobytes(), [0, 0], [1, 1]) == gdal.CE_None
    del target, dataset
    assert [stored(view) for view in VIEWS] == [None, None]
    assert compute(order[1]) == [1, 99]
    cpl.assert_quiet()


@contextlib.contextmanager
def small_files(size):
    """Lets writes of files with more than `size` bytes fail, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@zarr_formats.V2
@pytest.mark.parametrize("view", VIEWS)
def test_nodata_that_cannot_be_set_leaves_the_store_unchanged(tmp_path, cpl, view):
    """The new nodata value requires a new fill value, for which absent chunks are stored first."""
    store, nodata = tmp_path / "s.zarr", PROPERTIES["nodata"]
    options = ["COMPRESS=NONE", "BLOCKSIZE=64,64", "ARRAY_NAME=height"]
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 256, 256, 1, gdal.GDT_Int16, options=options)
    dataset.GetRasterBand(1).SetNoDataValue(-1)
    dataset.GetRasterBand(1).WriteArray(np.full((64, 64), 7, "i2"))
    dataset = None
    dataset, target = open_as(view, store)
    with small_files(6000):
        assert (nodata.write_raster if view == "raster" else nodata.write_array)(target, 5) != gdal.CE_None
    assert "height" in cpl.the_error()
    assert (nodata.read_raster if view == "raster" else nodata.read_array)(target) == -1
    del target, dataset
    assert read_both(store, nodata) == [-1, -1]


# -------------------------------------------------------------------------------------------------
# Arrays of a new store, which is still open, and their rasters


def new_arrays(path, names="ab", bands=0):
    """Makes a store with arrays of int16 that share their dimensions. X and Y have coordinates. Returns the dataset,
    and the arrays with `names`."""
    dataset = create(path)
    group = dataset.GetRootGroup()
    shared = [group.CreateDimension("band", "", "", bands)] if bands else []
    for name, size in zip("yx", SHAPE):
        dimension = group.CreateDimension(name, "HORIZONTAL_" + name.upper(), "", size)
        coordinates = group.CreateMDArray(name, [dimension], number(gdal.GDT_Float64))
        assert coordinates.Write(np.arange(size, dtype="f8") + 0.5) == gdal.CE_None
        shared.append(dimension)
    arrays = [group.CreateMDArray(name, shared, number(gdal.GDT_Int16)) for name in names]
    return dataset, arrays


def as_raster(array):
    y = array.GetDimensionCount() - 2
    return array.AsClassicDataset(y + 1, y)


def test_the_position_of_a_new_array_is_not_that_of_others(tmp_path):
    """The arrays share X and Y, whose coordinates stay, as in a store that was opened."""
    dataset, (a, b) = new_arrays(tmp_path / "n.zarr")
    raster = as_raster(a)
    assert raster.SetGeoTransform((100, 5, 0, 200, 0, 5)) == gdal.CE_None
    assert raster.SetSpatialRef(srs(32631)) == gdal.CE_None
    raster = None
    assert as_raster(b).GetGeoTransform() == (0, 1, 0, 0, 0, 1)
    x = dataset.GetRootGroup().OpenMDArray("x")
    assert x.Read(array_start_idx=[0], count=[2]) == np.array([0.5, 1.5]).tobytes()
    assert as_raster(a).GetGeoTransform() == (100, 5, 0, 200, 0, 5)
    del x, a, b, dataset
    assert gdal.Open(f'ZARR:"{tmp_path}/n.zarr":/a').GetGeoTransform() == (100, 5, 0, 200, 0, 5)
    assert gdal.Open(f'ZARR:"{tmp_path}/n.zarr":/b').GetGeoTransform() == (0, 1, 0, 0, 0, 1)


def test_control_points_of_a_new_array_keep_coordinates_of_others(tmp_path):
    dataset, (a, _) = new_arrays(tmp_path / "n.zarr")
    raster = as_raster(a)
    points = [gdal.GCP(x, y, 0, column, row) for x, y, column, row in [(1, 2, 3, 4), (5, 2, 6, 4), (1, 8, 3, 5)]]
    assert raster.SetGCPs(points, srs(4326).ExportToWkt()) == gdal.CE_None
    raster = None
    assert sorted(dataset.GetRootGroup().GetMDArrayNames()) == ["a", "b", "x", "y"]


def test_two_rasters_of_a_new_array_name_bands(tmp_path):
    """Each raster keeps the names that the other has stored."""
    dataset, (a,) = new_arrays(tmp_path / "n.zarr", "a", bands=3)
    first, second = as_raster(a), as_raster(a)
    first.GetRasterBand(1).SetDescription("one")
    second.GetRasterBand(2).SetDescription("two")
    first = None
    second = None
    again = as_raster(a)
    assert [again.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["one", "two", ""]
    del again, a, dataset


def test_closing_a_raster_defines_no_chunks_of_other_new_arrays(tmp_path, cpl):
    """Nobody has written to the other array, so that its nodata value becomes its fill value."""
    dataset, (a, _) = new_arrays(tmp_path / "n.zarr")
    raster = as_raster(a)
    shape = a.GetDimensions()
    later = dataset.GetRootGroup().CreateMDArray("c", shape, number(gdal.GDT_Int16))
    assert raster.GetRasterBand(1).SetScale(3) == gdal.CE_None
    raster = None
    assert zarr_formats.chunk_keys(str(tmp_path / "n.zarr"), "c") == []
    assert later.SetNoDataValueDouble(5) == gdal.CE_None
    assert set(np.frombuffer(later.Read(), "i2")) == {5}
    cpl.assert_quiet()
    del later, shape, a, _, dataset


def test_pixels_that_a_raster_writes_are_no_absent_chunks(tmp_path, cpl):
    """The elements beside the pixels have a value, too, which the nodata value of the array does not change."""
    dataset, (a,) = new_arrays(tmp_path / "n.zarr", "a")
    raster = as_raster(a)
    raster.GetRasterBand(1).WriteArray(np.full((1, 2), 9, "i2"))
    raster = None
    assert a.SetNoDataValueDouble(5) == gdal.CE_None
    wanted = np.zeros(SHAPE, "i2")
    wanted[0, :2] = 9
    np.testing.assert_array_equal(np.frombuffer(a.Read(), "i2").reshape(SHAPE), wanted)
    del a, dataset
    np.testing.assert_array_equal(gdal.Open(f'ZARR:"{tmp_path}/n.zarr":/a').ReadAsArray(), wanted)
    cpl.assert_quiet()


def reordered(path):
    """Makes a store with a latitude that ascends and longitudes from 0 to 360, whose elements are their indices.
    Returns the dataset and the array."""
    dataset = create(path)
    group = dataset.GetRootGroup()
    shared = []
    for name, size in (("lat", 6), ("lon", 8)):
        dimension = group.CreateDimension(name, "", "", size)
        coordinates = group.CreateMDArray(name, [dimension], number(gdal.GDT_Float64))
        step = 360 / size if name == "lon" else 10
        assert coordinates.Write((np.arange(size, dtype="f8") + 0.5) * step) == gdal.CE_None
        axis = {"lat": ("latitude", "degrees_north"), "lon": ("longitude", "degrees_east")}[name]
        for key, text in zip(("standard_name", "units"), axis):
            coordinates.CreateAttribute(key, [], gdal.ExtendedDataType.CreateString()).Write(text)
        shared.append(dimension)
    array = group.CreateMDArray("a", shared, number(gdal.GDT_Int16))
    assert array.SetNoDataValueDouble(0) == gdal.CE_None
    assert array.Write(np.arange(48, dtype="i2").reshape(SHAPE)) == gdal.CE_None
    return dataset, array


OPTIONS_OF_READING = ["NORTH_UP=YES", "WRAP_LONGITUDE=YES", "SELECT=lat=1", "MULTIBAND=NO", "FILL_VALUE_AS_NODATA=NO",
                      "DIM_X=lat"]  # fmt: skip


@pytest.mark.parametrize("option", [*OPTIONS_OF_READING, "ZARR_NORTH_UP"])
def test_the_raster_of_an_array_for_update_has_the_stored_order(tmp_path, cpl, option):
    """An option that changes what a raster shows is not allowed in update mode, and has no effect there."""
    is_open_option = "=" in option
    with config_options(**({} if is_open_option else {option: "YES"})):
        dataset, array = reordered(tmp_path / "r.zarr")
        if is_open_option:
            del array, dataset
            dataset = update(tmp_path / "r.zarr", option)
            array = dataset.GetRootGroup().OpenMDArray("a")
        raster = as_raster(array)
        wanted = np.arange(48, dtype="i2").reshape(SHAPE)
        np.testing.assert_array_equal(raster.ReadAsArray(), wanted)
        assert raster.GetRasterBand(1).GetNoDataValue() == 0
        raster.GetRasterBand(1).WriteArray(np.full((1, 8), -5, "i2"))
        assert raster.BuildOverviews("NEAREST", [2]) == gdal.CE_None
        raster = None
        wanted[0] = -5
        np.testing.assert_array_equal(np.frombuffer(array.Read(), "i2").reshape(SHAPE), wanted)
        del array, dataset
    raster = gdal.Open(f'ZARR:"{tmp_path}/r.zarr":/a')
    np.testing.assert_array_equal(raster.ReadAsArray(), wanted)
    assert raster.GetRasterBand(1).GetOverviewCount() == 1
    np.testing.assert_array_equal(raster.GetRasterBand(1).GetOverview(0).ReadAsArray(), wanted[::2, ::2])
    cpl.assert_quiet()


def test_the_raster_of_an_array_that_is_only_read_has_its_options(tmp_path, cpl):
    reordered(tmp_path / "r.zarr")
    dataset = gdal.OpenEx(str(tmp_path / "r.zarr"), MULTIDIM, open_options=["NORTH_UP=YES"])
    raster = as_raster(dataset.GetRootGroup().OpenMDArray("a"))
    np.testing.assert_array_equal(raster.ReadAsArray(), np.arange(48).reshape(SHAPE)[::-1])
    cpl.assert_quiet()


def test_lists_of_bands_wait_for_the_raster(tmp_path, cpl):
    """Equal entries become attributes of CF when the raster is closed. Until then, the array may be read."""
    lists = {"scales": [1.0, 2.0, 3.0], "units": ["a", "b", "c"]}
    values = np.zeros((3, *SHAPE), "i2")
    store = make_store(tmp_path, {"height": {"values": values, "attrs": lists, "dims": ["band", "y", "x"]}})
    dataset, array = open_as("array", store)
    raster = as_raster(array)
    for i in (1, 2, 3):
        assert raster.GetRasterBand(i).SetScale(9) == gdal.CE_None
        assert raster.GetRasterBand(i).SetUnitType("m") == gdal.CE_None
    assert array.GetSpatialRef() is None
    assert dataset.GetRootGroup().OpenMDArray("height") is not None
    raster = None
    del array, dataset
    stored = zarr_formats.attributes(store, "height")
    assert (stored["scale_factor"], stored["units"], "scales" in stored) == (9, "m", False)
    cpl.assert_quiet()


def test_a_failure_is_reported_for_the_handle_that_wrote(store, cpl):
    dataset, array = open_as("array", store)
    raster = as_raster(array)
    raster.GetRasterBand(1).WriteArray(np.full((1, 2), 9, "f4"))
    store.rename(store.with_name("moved"))
    store.write_text("a file")
    raster.FlushCache()
    raster = None
    assert cpl.errors
    cpl.clear()
    dataset.FlushCache()
    del array, dataset
    cpl.assert_quiet()
