# SPDX-License-Identifier: MIT
"""Layers in QGIS have the bands, names, CRS, extent, nodata and values that zarr-python reads."""

import shutil

import numpy as np
import pytest
import zarr_python as zarr
from qgis.core import QgsPointXY, QgsRaster
from qgis_layers import (
    DATA, PYRAMIDS, band_names, descriptions, dropped, opened, provider_of, values_of
)  # fmt: skip
from zarr_gdal import config_options

PRODUCT = DATA / "product.zarr"


class Sample:
    """A raster of a sample store: the name that opens it, and the properties that QGIS must report."""

    def __init__(
        self, name, path, crs, extent, node=False, bands=("",), nodata=None, scale=1, offset=0
    ):
        self.store, self.path = DATA / name, path
        self.name = f'ZARR:"{self.store}":/{path}' if node else str(self.store)
        self.crs, self.extent, self.bands = crs, extent, list(bands)
        self.nodata, self.scale, self.offset = nodata, scale, offset
        self.values = values_of(self.store, path)


MONTHS = np.arange("2020-01", "2022-01", dtype="M8[M]")
REFLECTANCE = {"node": True, "nodata": 0, "scale": 0.0001, "offset": -0.1}
UTM = (612000, 5196000, 636000, 5214000)
TILE = (399960, 5298440, 401560, 5300040)
LEVELS = (600000, 5199040, 601280, 5200000)
SAMPLES = [
    Sample("terrain.zarr", "elevation", "EPSG:32632", UTM, nodata=-32768),
    Sample("temperature.zarr", "air_temperature", "EPSG:4326", (-180, -90, 180, 90),
           bands=[f"time={month}-01T00:00:00Z" for month in MONTHS],
           nodata=-32767, scale=0.2, offset=273.15),
    Sample("satellite_rgb.zarr", "rgb", "EPSG:32632", (688000, 4917200, 691600, 4920000),
           bands=["red", "green", "blue"]),
    Sample("product.zarr", "measurements/r10m/b02", "EPSG:32632", TILE, **REFLECTANCE),
    Sample("product.zarr", "measurements/r20m/b11", "EPSG:32632", TILE, **REFLECTANCE),
    Sample("product.zarr", "quality/mask/classification", "EPSG:32632", TILE, node=True, nodata=0),
    Sample("product.zarr", "conditions/geometry/sun_zenith", "EPSG:32632", TILE, node=True,
           nodata=float("nan")),
    Sample("pyramids/xcube.levels", "0.zarr/conc_chl", "EPSG:4326", (0, 52.26, 0.32, 52.5),
           bands=["time=2017-01-16T00:00:00Z", "time=2017-01-17T00:00:00Z"]),
    Sample("pyramids/layout_arrays.zarr", "0", "EPSG:32632", LEVELS),
    Sample("pyramids/ome_0.1.zarr", "0", "", (0, -96, 128, 0), bands=["z=0", "z=1"]),
    Sample("pyramids/ome_0.4.zarr", "0", "", (-0.25, -47.75, 63.75, 0.25), node=True,
           bands=["LaminB1", "Dapi"]),
]  # fmt: skip
IDS = [f"{each.store.name}/{each.path}" for each in SAMPLES]
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=IDS)


@each_sample
def test_bands_and_their_names(sample):
    layer = opened(sample.name)
    assert layer.bandCount() == len(sample.values) == len(sample.bands)
    assert descriptions(layer) == sample.bands
    digits = len(str(layer.bandCount()))
    for number, name in enumerate(band_names(layer), 1):
        assert name.startswith(f"Band {number:0{digits}}")


@each_sample
def test_place_and_size(sample):
    layer = opened(sample.name)
    assert (layer.width(), layer.height()) == sample.values.shape[:0:-1]
    assert layer.crs().authid() == sample.crs
    extent = layer.extent()
    got = (extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum())
    assert got == pytest.approx(sample.extent, rel=0, abs=1e-9 * max(map(abs, sample.extent)))


@each_sample
def test_nodata_scale_and_offset(sample):
    provider = provider_of(opened(sample.name))
    for band in range(1, provider.bandCount() + 1):
        assert provider.bandScale(band) == sample.scale
        assert provider.bandOffset(band) == sample.offset
        if sample.nodata is not None and sample.nodata == sample.nodata:
            assert provider.sourceHasNoDataValue(band)
            assert provider.sourceNoDataValue(band) == sample.nodata
        elif provider.sourceHasNoDataValue(band):
            assert np.isnan(provider.sourceNoDataValue(band))


@each_sample
def test_identify_tells_the_values_that_zarr_python_reads(sample):
    """QGIS identifies pixels with zarr-python's values. The pixels at the corners show that the raster is not
    turned or mirrored."""
    layer = opened(sample.name)
    provider, extent = layer.dataProvider(), layer.extent()
    rows, columns = sample.values.shape[1:]
    down = extent.height() / rows
    top = extent.yMaximum()
    places = [(0, 0), (0, columns - 1), (rows - 1, 0), (rows - 1, columns - 1)]
    some = np.random.default_rng(4).integers(0, (rows, columns), (20, 2))
    places += [tuple(each) for each in some]
    for row, column in places:
        point = QgsPointXY(
            extent.xMinimum() + (column + 0.5) * extent.width() / columns, top - (row + 0.5) * down
        )
        got = provider.identify(point, QgsRaster.IdentifyFormatValue).results()
        for band, values in enumerate(sample.values, 1):
            raw = values[row, column]
            value, there = provider.sample(point, band)
            if raw == sample.nodata or raw != raw:
                assert got[band] is None and not there
                continue
            wanted = float(raw) * sample.scale + sample.offset
            assert got[band] == pytest.approx(wanted, rel=1e-6), (row, column, band)
            assert there and value == pytest.approx(wanted, rel=1e-6)


def test_identify_beside_the_layer_is_nothing():
    provider = provider_of(opened(DATA / "terrain.zarr"))
    point = QgsPointXY(611990, 5205000)
    assert provider.identify(point, QgsRaster.IdentifyFormatValue).results() in ({}, {1: None})
    assert provider.sample(point, 1)[1] is False


@pytest.mark.parametrize("node, names", [
    ("measurements/r10m", ["b04", "b03", "b02", "b08"]),
    ("measurements/r20m", ["b05", "b11"]),
    ("conditions/geometry", ["sun_azimuth", "sun_zenith"]),
])  # fmt: skip
def test_a_group_is_a_layer_of_its_arrays(node, names):
    layer = opened(f'ZARR:"{PRODUCT}":/{node}')
    assert descriptions(layer) == names
    provider, centre = layer.dataProvider(), layer.extent().center()
    inside = QgsPointXY(centre.x() + 1, centre.y() - 1)
    for band, name in enumerate(names, 1):
        values = values_of(PRODUCT, f"{node}/{name}")[0]
        wanted = float(values[values.shape[0] // 2, values.shape[1] // 2])
        wanted = wanted * provider.bandScale(band) + provider.bandOffset(band)
        assert provider.sample(inside, band)[0] == pytest.approx(wanted, rel=1e-6)


def test_statistics_are_those_of_the_values():
    for name, path, scale, offset, nodata in (
        ("terrain.zarr", "elevation", 1, 0, -32768),
        ("temperature.zarr", "air_temperature", 0.2, 273.15, -32767),
    ):
        values = values_of(DATA / name, path)
        provider = provider_of(opened(DATA / name))
        for band in {1, len(values), (len(values) + 2) // 2}:
            kept = values[band - 1][values[band - 1] != nodata] * scale + offset
            found = provider.bandStatistics(band)
            assert found.minimumValue == pytest.approx(kept.min())
            assert found.maximumValue == pytest.approx(kept.max())
            assert found.mean == pytest.approx(kept.mean())


def test_colours_of_bands():
    """QGIS draws three bands in the colours that the driver reports for them: red, green and blue."""
    layer = opened(DATA / "satellite_rgb.zarr")
    provider = layer.dataProvider()
    names = [provider.colorInterpretationName(band) for band in (1, 2, 3)]
    assert names == ["Red", "Green", "Blue"]
    assert layer.renderer().type() == "multibandcolor"
    assert layer.renderer().usesBands() == [1, 2, 3]
    assert opened(DATA / "terrain.zarr").renderer().type() == "singlebandgray"
    image = opened(f'ZARR:"{PYRAMIDS}/ome_0.4.zarr":/0')
    names = [image.dataProvider().colorInterpretationName(band) for band in (1, 2)]
    assert names == ["Blue", "Red"]


def test_time_is_in_the_names_of_bands():
    """QGIS assigns no times to layers of its GDAL provider. The names of the bands state the times instead."""
    layer = dropped(DATA / "temperature.zarr")
    assert not layer.dataProvider().temporalCapabilities().hasTemporalCapabilities()
    days = zarr.open_array(str(DATA / "temperature.zarr" / "time"), mode="r")[...]
    times = np.datetime64("2020-01-01") + days
    assert descriptions(layer) == [f"time={day}T00:00:00Z" for day in times]


def test_the_information_page_has_the_attributes():
    page = dropped(DATA / "temperature.zarr").htmlMetadata()
    for text in (
        "title=Synthetic monthly mean air temperature",
        "standard_name=air_temperature",
        "DIM_time_TIME=2021-12-01T00:00:00Z",
        "Dimensions</td><td>X: 180 Y: 90 Bands: 24",
    ):
        assert text in page, page


def test_statistics_of_qgis_are_beside_the_store_and_not_in_it(tmp_path):
    """QGIS stores statistics and the histogram in a file .aux.xml beside the store. The store still opens."""
    store = tmp_path / "terrain.zarr"
    shutil.copytree(DATA / "terrain.zarr", store)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    with config_options(GDAL_PAM_ENABLED="YES"):
        layer = dropped(store)
        layer.dataProvider().bandStatistics(1)
        layer.dataProvider().histogram(1)
        del layer
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {"terrain.zarr", "terrain.zarr.aux.xml"}
        assert dropped(store).bandCount() == 1
    after = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    assert after == before
