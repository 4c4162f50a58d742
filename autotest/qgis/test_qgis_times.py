# SPDX-License-Identifier: MIT
"""QGIS reads layer definitions and styles of zarr_qgis, and its temporal controller shows the times."""

import pathlib
import shutil
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
from osgeo import gdal
from qgis.core import QgsProject
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor
from qgis_layers import BEHIND, DATA, assert_pictures_agree, dropped, load_definition, picture, values_of
from qgis_session import HAS_TIMES_PER_BAND
from zarr_http import Served
from zarr_store import make_store

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PYTHON))

import zarr_qgis  # noqa: E402  (in the folder that joined the path above)

PLACE = {"spatial:transform": [10, 0, 500000, 0, -10, 5200000], "proj:code": "EPSG:32632"}


def run(*words, code=0):
    assert zarr_qgis.main([str(word) for word in words]) == code


@pytest.fixture(scope="module")
def temperature(tmp_path_factory):
    """Returns a copy of temperature.zarr for which zarr_qgis has written two layer definitions. The first has a
    layer for each time. The second, further/one.qlr, has one layer for all times."""
    folder = tmp_path_factory.mktemp("times")
    store = folder / "temperature.zarr"
    shutil.copytree(DATA / "temperature.zarr", store)
    (folder / "further").mkdir()
    run(store)
    run(store, "--one-layer", "-o", folder / "further" / "one.qlr")
    return store


@pytest.fixture(autouse=True)
def project():
    """Removes all layers after each test, so that none keeps a store open."""
    yield
    QgsProject.instance().clear()


def ranges(layers):
    """Returns a list of (name, begin, end) of layers with time ranges."""
    found = []
    for layer in layers:
        times = layer.temporalProperties()
        assert times.isActive()
        begin, end = times.fixedTemporalRange().begin(), times.fixedTemporalRange().end()
        found.append((layer.name(), begin.toString(Qt.ISODate), end.toString(Qt.ISODate)))
    return found


def months():
    """Returns the start times of all months of temperature.zarr, and the end of the last month."""
    return [f"{month}-01T00:00:00Z" for month in np.arange("2020-01", "2022-02", dtype="M8[M]")]


def expected(month):
    """Returns (picture of a month in the colours of the style, mask of pixels without data)."""
    packed = values_of(DATA / "temperature.zarr", "air_temperature")
    kept = packed[::3].astype("f8") * 0.2 + 273.15
    low, high = np.percentile(kept[packed[::3] != -32767], (2, 98))
    values = packed[month] * 0.2 + 273.15
    stops = np.linspace(low, high, 5)
    channels = np.array([QColor(colour).getRgb()[:3] for colour in zarr_qgis.VIRIDIS], "f8")
    wanted = np.stack([np.interp(values, stops, channels[:, i]) for i in range(3)], axis=-1)
    return wanted, packed[month] == -32767


@pytest.mark.parametrize("month", [0, 12])
def test_the_temporal_controller_shows_each_time(temperature, month):
    layers = load_definition(temperature.with_suffix(".qlr"))
    shown = months()[month], months()[month + 1]
    assert_pictures_agree(picture(layers, 180, 90, times=shown), *expected(month))


def test_each_time_is_a_layer_with_its_range(temperature):
    layers = load_definition(temperature.with_suffix(".qlr"))
    assert [layer.crs().authid() for layer in layers] == ["EPSG:4326"] * 24
    assert [layer.renderer().usesBands() for layer in layers] == [[band] for band in range(1, 25)]
    found = ranges(layers)
    assert [name for name, _, _ in found] == [time[:10] for time in months()[:-1]]
    begins = np.arange("2020-01", "2022-02", dtype="M8[M]").astype("M8[s]")
    assert [end for _, _, end in found] == [f"{end}Z" for end in begins[1:] - 1]
    assert [begin for _, begin, _ in found] == [f"{begin}Z" for begin in (begins[0], *(begins[1:-1] + 1))]


def test_before_and_after_the_times_nothing_is_drawn(temperature):
    layers = load_definition(temperature.with_suffix(".qlr"))
    for shown in (("2019-01-01T00:00:00Z", "2019-12-01T00:00:00Z"), ("2022-01-01T00:00:00Z", "2022-02-01T00:00:00Z")):
        assert (picture(layers, 180, 90, times=shown) == BEHIND).all()


def test_the_bands_of_one_layer_have_times(temperature):
    """A layer for all times shows the band of the current time. In QGIS before 3.38 it always shows the first
    band."""
    (layer,) = load_definition(temperature.parent / "further" / "one.qlr")
    assert layer.name() == "temperature" and layer.temporalProperties().isActive()
    for month in (0, 12, 23):
        shown = months()[month], months()[month + 1]
        got = picture(layer, 180, 90, times=shown)
        assert_pictures_agree(got, *expected(month if HAS_TIMES_PER_BAND else 0))
    document = xml.etree.ElementTree.parse(temperature.parent / "further" / "one.qlr")
    found = [(each.get("band"), each.get("begin"), each.get("end")) for each in document.iter("range")]
    assert found == [(str(i + 1), months()[i], months()[i + 1]) for i in range(24)]


def test_a_dropped_cube_is_drawn_by_its_style(temperature):
    """A cube that is dropped onto the map is drawn with the style that zarr_qgis wrote. Without the style, QGIS
    would draw three time steps as red, green and blue."""
    layer = dropped(temperature)
    assert layer.renderer().type() == "singlebandpseudocolor"
    assert_pictures_agree(picture(layer, 180, 90), *expected(0))
    items = layer.renderer().shader().rasterShaderFunction().colorRampItemList()
    assert len(items) == 5 and all(item.label.endswith(" K") for item in items)
    assert dropped(DATA / "temperature.zarr").renderer().type() == "multibandcolor"


def test_files_are_replaced_only_if_asked(tmp_path, capsys):
    store = tmp_path / "temperature.zarr"
    shutil.copytree(DATA / "temperature.zarr", store)
    definition, style = store.with_suffix(".qlr"), store.with_suffix(".qml")
    style.write_text("mine")
    run(store)
    assert style.read_text() == "mine"
    assert capsys.readouterr().out == f"{definition}\n{style} already exists and is kept; --overwrite replaces it\n"
    definition.write_text("mine")
    run(store, code=1)
    assert definition.read_text() == "mine"
    assert capsys.readouterr().err == f"zarr_qgis: {definition} already exists; --overwrite replaces it\n"
    run(store, "--overwrite")
    assert "mine" not in (definition.read_text(), style.read_text())


def cubes(folder):
    """Writes two cubes of three days, the second with levels. The times have bounds. Returns the store."""
    days = np.array([10.5, 11.5, 13.0])
    rng = np.random.default_rng(1)
    x, y = 500005.0 + 10 * np.arange(12), 5199995.0 - 10 * np.arange(8)
    times = {"units": "days since 2024-02-20", "bounds": "time_bnds", "standard_name": "time"}
    return make_store(folder, {
        "rain": {"values": rng.random((3, 8, 12)), "dims": ("time", "y", "x"), "attrs": PLACE},
        "wind": {"values": rng.random((3, 2, 8, 12)), "dims": ("time", "level", "y", "x"), "attrs": PLACE},
        "time": {"values": days, "dims": ("time",), "attrs": times},
        "time_bnds": {"values": np.array([[10, 11], [11, 12], [12, 14]], "f8"), "dims": ("time", "nv")},
        "level": {"values": np.array([850, 500]), "dims": ("level",), "attrs": {"units": "hPa", "positive": "down"}},
        "x": {"values": x, "dims": ("x",)}, "y": {"values": y, "dims": ("y",)},
    })  # fmt: skip


def test_a_store_of_cubes_is_a_group_of_layers_each(tmp_path):
    """A layer definition of two cubes has a group of layers for each cube. Time ranges come from the CF bounds of the
    time coordinate. Only the first vertical level of a cube has layers."""
    store = cubes(tmp_path)
    run(store)
    assert not store.with_suffix(".qml").exists()
    layers = load_definition(store.with_suffix(".qlr"))
    groups = QgsProject.instance().layerTreeRoot().findGroups()
    assert [group.name() for group in groups] == ["rain", "wind"]
    days = [("2024-03-01T00:00:00Z", "2024-03-01T23:59:59Z"), ("2024-03-02T00:00:01Z", "2024-03-02T23:59:59Z"),
            ("2024-03-03T00:00:01Z", "2024-03-04T23:59:59Z")]  # fmt: skip
    assert [(begin, end) for _, begin, end in ranges(layers)] == days * 2
    assert [layer.source() for layer in layers] == [f"{store}/rain"] * 3 + [f"{store}/wind"] * 3
    assert [layer.renderer().usesBands() for layer in layers] == [[1], [2], [3], [1], [3], [5]]
    for layer in layers:
        assert layer.crs().authid() == "EPSG:32632" and layer.extent().xMinimum() == 500000
    run(f'ZARR:"{store}":/wind', "-o", tmp_path / "wind.qlr")
    found = load_definition(tmp_path / "wind.qlr")
    assert [layer.renderer().usesBands() for layer in found] == [[1], [3], [5]]
    assert [(begin, end) for _, begin, end in ranges(found)] == days
    run(f'ZARR:"{store}":/wind:level=500')
    found = load_definition(tmp_path / "wind_level_500.qlr")
    assert [layer.renderer().usesBands() for layer in found] == [[1], [2], [3]]
    provider, centre = found[2].dataProvider(), found[2].extent().center()
    column, row = 6, 4  # the pixel to the lower right of the centre
    wanted = values_of(store, "wind")[5, row, column]
    point = type(centre)(centre.x() + 1, centre.y() - 1)
    assert provider.sample(point, 3) == (pytest.approx(wanted), True)


def test_a_remote_store(tmp_path):
    with Served(DATA) as server:
        run(f"{server.url}/temperature.zarr", "--one-layer", "-o", tmp_path / "remote.qlr")
        layers = load_definition(tmp_path / "remote.qlr")
        shown = months()[12], months()[13]
        assert_pictures_agree(picture(layers, 180, 90, times=shown), *expected(12 if HAS_TIMES_PER_BAND else 0))


def test_classes_have_their_colours(tmp_path):
    source = gdal.GetDriverByName("MEM").Create("", 12, 8, 2)
    source.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    table = gdal.ColorTable()
    for value, colour in enumerate([(0, 0, 0), (10, 120, 30), (20, 40, 200)]):
        table.SetColorEntry(value, colour)
    values = np.arange(96, dtype="u1").reshape(8, 12) % 3
    for number in (1, 2):
        band = source.GetRasterBand(number)
        band.SetColorTable(table)
        band.WriteArray((values + number) % 3)
    store = tmp_path / "classes.zarr"
    options = ["BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01,2024-05-02"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    run(store)
    layers = load_definition(store.with_suffix(".qlr"))
    assert [layer.renderer().type() for layer in layers] == ["paletted"] * 2
    colours = np.array([(0, 0, 0), (10, 120, 30), (20, 40, 200)])
    got = picture(layers, 12, 8, times=("2024-05-02T00:00:00Z", "2024-05-03T00:00:00Z"))
    assert_pictures_agree(got, colours[(values + 2) % 3])


@pytest.mark.parametrize("begins, ends", [
    (["2024-01-31", "2024-02-29"], ["2024-02-29", "2024-03-29"]),
    (["2023-11-01", "2023-12-01"], ["2023-12-01", "2024-01-01"]),
    (["2024-01-15", "2025-01-15"], ["2025-01-15", "2026-01-15"]),
    (["2024-01-01T00:00", "2024-01-01T06:00"], ["2024-01-01T06:00", "2024-01-01T12:00"]),
    (["2024-01-05", "2024-01-01"], ["2024-01-09", "2024-01-05"]),
    (["2024-01-05"], ["2024-01-06"]),
])  # fmt: skip
def test_a_step_ends_where_the_next_begins(begins, ends):
    steps = [zarr_qgis.Step(i + 1, zarr_qgis.datetime.datetime.fromisoformat(each), 0) for i, each in enumerate(begins)]
    zarr_qgis.set_ends(steps)
    assert [step.end for step in steps] == [zarr_qgis.datetime.datetime.fromisoformat(each) for each in ends]


def test_stores_without_times_are_refused(tmp_path, capsys):
    for store, message in ((DATA / "terrain.zarr", "has no raster with times"), (tmp_path, "is not a Zarr store")):
        run(store, "-o", tmp_path / "none.qlr", code=1)
        assert message in capsys.readouterr().err and not (tmp_path / "none.qlr").exists()


def test_times_that_qgis_cannot_show():
    for text in (None, "", "+012345-01-01T00:00:00Z", "2024-02-30T00:00:00 (360_day)"):
        assert zarr_qgis.parse_time(text) is None
    assert zarr_qgis.parse_time("2023-02-28T12:00:00.5 (noleap)").isoformat() == "2023-02-28T12:00:00"
