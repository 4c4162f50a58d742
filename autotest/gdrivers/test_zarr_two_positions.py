# SPDX-License-Identifier: MIT
"""Two handles that are open for update at the same time. One sets the CRS and the other the geotransform, or each
describes a band, or one builds overviews. The store then has both."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import config_options, error_log, open_raster

pytestmark = zarr_formats.BOTH

FORMS = {"one": (1, []), "bands": (3, []), "arrays": (3, ["SINGLE_ARRAY=NO"])}
CONVENTIONS = ["", "GDAL", "CF", "ALL", "SPATIAL_PROJ"]
OLD = (1.0, 1.0, 0.0, 1.0, 0.0, -1.0)
NEW = (500.0, 10.0, 0.0, 700.0, 0.0, -10.0)
ROTATED = (500.0, 10.0, 1.0, 700.0, 1.0, -10.0)


@pytest.fixture(autouse=True)
def pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def srs_of(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs


def create(store, form="one", convention="", transform=OLD, code=None, layout="PARENT"):
    """Creates a raster of 8 x 8 pixels."""
    count, options = FORMS[form]
    options = [*options, "OVERVIEW_LAYOUT=" + layout]
    source = gdal.GetDriverByName("MEM").Create("", 8, 8, count, gdal.GDT_Int16)
    for i in range(count):
        source.GetRasterBand(i + 1).WriteArray(np.arange(64, dtype=np.int16).reshape(8, 8) + i)
    if transform is not None:
        source.SetGeoTransform(transform)
    if code is not None:
        source.SetSpatialRef(srs_of(code))
    if convention:
        options = [*options, "GEOREFERENCING_CONVENTION=" + convention]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None


def open_two(store):
    return [gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE) for _ in range(2)]


def position_of(store):
    dataset = open_raster(store)
    srs = dataset.GetSpatialRef()
    return dataset.GetGeoTransform(can_return_null=True), srs and srs.GetAuthorityCode(None)


def change_in_turn(handles, changes, *, first_closes_last, closes_between=False):
    if closes_between:
        changes[0](handles[0])
        handles[0] = None
        changes[1](handles[1])
        handles.clear()
        return
    for handle, change in zip(handles, changes):
        change(handle)
    handle = None
    if first_closes_last:
        handles.reverse()
    while handles:
        handles.pop(0)


ORDERS = [
    {"first_closes_last": False},
    {"first_closes_last": True},
    {"first_closes_last": False, "closes_between": True},
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("code", [None, 32633])
def test_geotransform_and_crs(tmp_path, form, convention, code):
    changes = [lambda d: d.SetGeoTransform(NEW), lambda d: d.SetSpatialRef(srs_of(3035))]
    store = tmp_path / "x.zarr"
    for order in ORDERS:
        for in_order in (changes, changes[::-1]):
            for have_looked in (False, True):
                create(store, form, convention, code=code)
                handles = open_two(store)
                if have_looked:
                    assert [handle.GetGeoTransform() for handle in handles] == [OLD, OLD]
                with error_log() as log:
                    change_in_turn(handles, in_order, **order)
                assert log.errors == []
                assert position_of(store) == (NEW, "3035"), (order, have_looked)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_crs_is_unset_beside_a_geotransform(tmp_path, convention):
    changes = [lambda d: d.SetGeoTransform(NEW), lambda d: d.SetSpatialRef(None)]
    store = tmp_path / "x.zarr"
    for order in ORDERS:
        for in_order in (changes, changes[::-1]):
            create(store, convention=convention, code=32633)
            with error_log() as log:
                change_in_turn(open_two(store), in_order, **order)
            assert log.errors == []
            assert position_of(store) == (NEW, None), order


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_last_position_counts(tmp_path, convention):
    """Each position is written in another form: as an attribute if it is rotated, else as coordinates."""
    store = tmp_path / "x.zarr"
    for first, second in ((ROTATED, NEW), (NEW, ROTATED)):
        for code in (None, 32633):
            create(store, convention=convention, code=code)
            changes = [lambda d, t=first: d.SetGeoTransform(t), lambda d, t=second: d.SetGeoTransform(t)]
            change_in_turn(open_two(store), changes, first_closes_last=False)
            assert position_of(store) == (second, code and str(code))


def test_a_raster_without_position(tmp_path):
    store = tmp_path / "x.zarr"
    for order in ORDERS:
        create(store, transform=None)
        changes = [lambda d: d.SetSpatialRef(srs_of(3035)), lambda d: d.SetGeoTransform(NEW)]
        change_in_turn(open_two(store), changes, **order)
        assert position_of(store) == (NEW, "3035"), order


def points():
    return [gdal.GCP(500000 + 10 * i, 4600000 - 20 * i, 0, i, 2 * i) for i in range(4)]


NEIGHBOURS = {
    "control points": (
        lambda d: d.SetGCPs(points(), srs_of(4326)),
        lambda d: (d.GetGCPCount(), d.GetGCPSpatialRef().GetAuthorityCode(None)),
        (4, "4326"),
    ),
    "RPC": (
        lambda d: d.SetMetadata({"LINE_OFF": "1", "SAMP_OFF": "2"}, "RPC"),
        lambda d: d.GetMetadataItem("LINE_OFF", "RPC"),
        "1",
    ),
    "geolocation": (
        lambda d: d.SetMetadata({"X_DATASET": "x.tif", "X_BAND": "1"}, "GEOLOCATION"),
        lambda d: d.GetMetadataItem("X_DATASET", "GEOLOCATION"),
        "x.tif",
    ),
    "nodata": (
        lambda d: d.GetRasterBand(1).SetNoDataValue(-7),
        lambda d: d.GetRasterBand(1).GetNoDataValue(),
        -7,
    ),
}


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_a_position_beside_its_neighbours(tmp_path, neighbour):
    change, find, found = NEIGHBOURS[neighbour]
    store = tmp_path / "x.zarr"
    positions = [lambda d: d.SetGeoTransform(NEW), lambda d: d.SetSpatialRef(srs_of(3035))]
    for order in ORDERS:
        for number, position in enumerate(positions):
            for changes in ([change, position], [position, change]):
                create(store, code=32633)
                change_in_turn(open_two(store), changes, **order)
                assert find(open_raster(store)) == found
                transform, epsg = (NEW, "32633") if number == 0 else (OLD, "3035")
                # Control points clear the geotransform, unless another handle stores a new one after them.
                last = changes[0 if order["first_closes_last"] else 1]
                if neighbour == "control points" and (number == 1 or last is change):
                    transform = None
                assert position_of(store) == (transform, epsg)


def test_a_handle_that_flushed_writes_only_later_changes(tmp_path):
    store = tmp_path / "x.zarr"
    create(store, code=32633)
    first, second = open_two(store)
    first.SetGeoTransform(ROTATED)
    first.FlushCache()
    second.SetGeoTransform(NEW)
    second = None
    first.SetSpatialRef(srs_of(3035))
    first = None
    assert position_of(store) == (NEW, "3035")


def names_of(store):
    dataset = open_raster(store)
    return [dataset.GetRasterBand(i + 1).GetDescription() for i in range(dataset.RasterCount)]


def describe(number, name):
    return lambda dataset: dataset.GetRasterBand(number).SetDescription(name)


@pytest.mark.parametrize("form", ["bands", "arrays"])
@pytest.mark.parametrize("order", ORDERS)
def test_each_describes_another_band(tmp_path, form, order):
    store = tmp_path / "x.zarr"
    create(store, form)
    unnamed = names_of(store)[2]
    change_in_turn(open_two(store), [describe(1, "eins"), describe(2, "zwei")], **order)
    assert names_of(store) == ["eins", "zwei", unnamed]
    change_in_turn(open_two(store), [describe(3, "drei"), describe(2, "")], **order)
    assert names_of(store)[::2] == ["eins", "drei"] and names_of(store)[1] != "zwei"


def test_a_description_that_was_written_is_not_written_again(tmp_path):
    store = tmp_path / "x.zarr"
    create(store, "bands")
    first, second = open_two(store)
    describe(1, "eins")(first)
    first.FlushCache()
    describe(1, "uno")(second)
    second = None
    describe(2, "zwei")(first)
    first = None
    assert names_of(store) == ["uno", "zwei", ""]


def test_items_stay_with_their_bands_if_each_describes_another(tmp_path):
    """Metadata of bands is found by their names."""
    store = tmp_path / "x.zarr"
    create(store, "bands")
    first, second = open_two(store)
    for number, handle in ((1, first), (2, second)):
        describe(number, f"band {number}")(handle)
        handle.GetRasterBand(number).SetMetadataItem("number", str(number))
    handle = first = None
    second = None
    dataset = open_raster(store)
    assert [dataset.GetRasterBand(i).GetMetadataItem("number") for i in (1, 2, 3)] == ["1", "2", None]
    assert names_of(store) == ["band 1", "band 2", ""]


def test_an_item_of_a_band_that_another_names(tmp_path):
    for order in ORDERS:
        store = tmp_path / "x.zarr"
        create(store, "bands")
        changes = [lambda d: d.GetRasterBand(2).SetMetadataItem("k", "1", "MINE"), describe(2, "zwei")]
        for in_order in (changes, changes[::-1]):
            change_in_turn(open_two(store), in_order, **order)
            dataset = open_raster(store)
            band = dataset.GetRasterBand(2)
            assert (band.GetDescription(), band.GetMetadataItem("k", "MINE")) == ("zwei", "1")


# ---------------------------------------------------------------------------------------------
# Overviews that one handle builds while the other changes the raster

CHANGES = {
    "geotransform": lambda d: d.SetGeoTransform(NEW),
    "rotated": lambda d: d.SetGeoTransform(ROTATED),
    "crs": lambda d: d.SetSpatialRef(srs_of(3035)),
    "nodata": lambda d: d.GetRasterBand(1).SetNoDataValue(-7),
    "scale": lambda d: d.GetRasterBand(1).SetScale(2.5),
}


def build(dataset):
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None


def state_of(store):
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    levels = [band.GetOverview(i) for i in range(band.GetOverviewCount())]
    of_band = [(each.GetNoDataValue(), each.GetScale()) for each in (band, *levels)]
    return position_of(store), of_band, [level.ReadAsArray().tolist() for level in levels]


@pytest.mark.parametrize("layout", ["PARENT", "GROUPS"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.slow
def test_overviews_are_built_beside_a_change(tmp_path, layout, change):
    create(tmp_path / "alone.zarr", code=32633, layout=layout)
    alone = gdal.OpenEx(str(tmp_path / "alone.zarr"), gdal.OF_RASTER | gdal.OF_UPDATE)
    CHANGES[change](alone)
    build(alone)
    alone = None
    wanted = state_of(tmp_path / "alone.zarr")
    assert len(wanted[1]) == 2
    store = tmp_path / "x.zarr"
    for order in ORDERS:
        for changes in ([CHANGES[change], build], [build, CHANGES[change]]):
            for has_levels in (False, True):
                create(store, code=32633, layout=layout)
                if has_levels:
                    build(gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE))
                with error_log() as log:
                    change_in_turn(open_two(store), changes, **order)
                    assert state_of(store) == wanted, (order, changes[0] is build, has_levels)
                log.assert_quiet()


@pytest.mark.parametrize("layout", ["PARENT", "GROUPS"])
@pytest.mark.parametrize("change", CHANGES)
def test_overviews_that_were_removed_beside_a_change_stay_removed(tmp_path, layout, change):
    store = tmp_path / "x.zarr"
    for order in ORDERS:
        for is_first in (True, False):
            create(store, code=32633, layout=layout)
            build(gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE))
            changes = [CHANGES[change], lambda d: d.BuildOverviews("", [])]
            with error_log() as log:
                change_in_turn(open_two(store), changes if is_first else changes[::-1], **order)
                assert open_raster(store).GetRasterBand(1).GetOverviewCount() == 0, (order, is_first)
            log.assert_quiet()


@pytest.mark.parametrize("layout", ["PARENT", "GROUPS"])
def test_a_change_beside_an_append(tmp_path, layout):
    """The handle has fewer bands than the array then. What it sets is stored. Levels that lack it are left out."""
    source = gdal.GetDriverByName("MEM").Create("", 8, 8, 1, gdal.GDT_Int16)
    source.SetGeoTransform(OLD)
    driver = gdal.GetDriverByName("Zarr")
    changes = {
        "item": (lambda d: d.SetMetadataItem("k", "v"), lambda d: d.GetMetadataItem("k"), "v"),
        "scale": (CHANGES["scale"], lambda d: d.GetRasterBand(2).GetScale(), 2.5),
        "nodata": (CHANGES["nodata"], lambda d: d.GetRasterBand(2).GetNoDataValue(), -7),
    }
    if layout == "PARENT":
        changes["geotransform"] = (CHANGES["geotransform"], lambda d: d.GetGeoTransform(), NEW)
    for name, (change, find, found) in changes.items():
        store = str(tmp_path / f"{name}.zarr")
        driver.CreateCopy(store, source, options=["BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01", "OVERVIEWS=2",
                                                  "OVERVIEW_LAYOUT=" + layout])  # fmt: skip
        handle = gdal.OpenEx(store, gdal.OF_RASTER | gdal.OF_UPDATE)
        source.GetRasterBand(1).Fill(5)
        driver.CreateCopy(store, source, options=["APPEND_SUBDATASET=YES", "APPEND_DIM=time",
                                                  "APPEND_DIM_VALUES=2020-01-02"])  # fmt: skip
        source.GetRasterBand(1).Fill(0)
        with error_log() as log:
            change(handle)
            handle = None
            dataset = open_raster(store)
            assert [dataset.GetRasterBand(i + 1).Checksum() for i in range(dataset.RasterCount)] == [0, 320]
            assert find(dataset) == found, name
            levels = [dataset.GetRasterBand(i).GetOverviewCount() for i in (1, 2)]
        assert log.errors == []
        if name == "item":
            assert levels == [1, 1] and log.warnings == []
        else:
            assert levels in ([1, 1], [0, 0]) and all("left out" in text for text in log.warnings)
