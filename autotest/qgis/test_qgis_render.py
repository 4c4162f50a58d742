# SPDX-License-Identifier: MIT
"""QGIS draws the sample stores. The pictures equal those that NumPy computes from zarr-python's values: same
limits and rounding, north is up, pixels without data are not drawn."""

import numpy as np
import pytest
from osgeo import gdal
from qgis.core import QgsContrastEnhancement, QgsMultiBandColorRenderer, QgsRectangle
from qgis_layers import (
    DATA,
    assert_pictures_agree,
    descriptions,
    dropped,
    gray,
    opened,
    picture,
    stretched,
    values_of,
)
from qgis_session import HAS_TOO_FEW_BINS
from zarr_store import make_store

R10M = f'ZARR:"{DATA}/product.zarr":/measurements/r10m'


def colours(layer, bands, low=None, high=None):
    """Makes QGIS draw three bands of the layer as red, green and blue: 0 at `low`, 255 at `high`. Without `low` and
    `high`, QGIS chooses limits. Returns the layer."""
    provider = layer.dataProvider()
    renderer = QgsMultiBandColorRenderer(provider, *bands)
    if low is not None:
        setters = (
            renderer.setRedContrastEnhancement,
            renderer.setGreenContrastEnhancement,
            renderer.setBlueContrastEnhancement,
        )
        for set_stretch, band in zip(setters, bands):
            stretch = QgsContrastEnhancement(provider.dataType(band))
            stretch.setMinimumValue(low)
            stretch.setMaximumValue(high)
            stretch.setContrastEnhancementAlgorithm(
                QgsContrastEnhancement.StretchToMinimumMaximum
            )
            set_stretch(stretch)
    layer.setRenderer(renderer)
    return layer


def reflectances():
    """Returns (reflectances of the four bands with 10 m pixels, mask of pixels without data)."""
    names = ("b04", "b03", "b02", "b08")
    numbers = [values_of(DATA / "product.zarr", f"measurements/r10m/{name}")[0] for name in names]
    return np.stack(numbers) * 0.0001 - 0.1, np.stack(numbers) == 0


def test_terrain():
    heights = values_of(DATA / "terrain.zarr", "elevation")[0]
    got = picture(gray(dropped(DATA / "terrain.zarr"), 500, 3000), 800, 600)
    absent = heights == -32768
    assert 1000 < absent.sum() < 10000  # pixels of the lake
    assert_pictures_agree(got, stretched(heights, 500, 3000), absent)


def test_terrain_at_half_the_size():
    heights = values_of(DATA / "terrain.zarr", "elevation")[0][1::2, 1::2]
    got = picture(gray(dropped(DATA / "terrain.zarr"), 500, 3000), 400, 300)
    assert_pictures_agree(got, stretched(heights, 500, 3000), heights == -32768)


def test_a_part_of_the_terrain_enlarged():
    """A map shows columns 300 to 360 and rows 250 to 290 of the terrain at four times the size. QGIS draws each pixel,
    which is 30 m wide, as a square of 4 x 4 map pixels."""
    left, top = 612000 + 300 * 30, 5214000 - 250 * 30
    part = QgsRectangle(left, top - 40 * 30, left + 60 * 30, top)
    heights = values_of(DATA / "terrain.zarr", "elevation")[0][250:290, 300:360]
    got = picture(gray(dropped(DATA / "terrain.zarr"), 500, 3000), 240, 160, part)
    wanted = np.kron(stretched(heights, 500, 3000), np.ones((4, 4)))
    assert_pictures_agree(got, wanted, np.kron(heights == -32768, np.ones((4, 4), bool)))


WRONG = {
    "flipped": lambda wanted: wanted[::-1],
    "mirrored": lambda wanted: wanted[:, ::-1],
    "turned": lambda wanted: wanted[::-1, ::-1],
    "a pixel lower": lambda wanted: np.roll(wanted, 1, axis=0),
    "a pixel to the right": lambda wanted: np.roll(wanted, 1, axis=1),
    "lighter": lambda wanted: wanted + 2,
    "inverted": lambda wanted: 255 - wanted,
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_picture_would_be_noticed(change):
    heights = values_of(DATA / "terrain.zarr", "elevation")[0][:100, :100]
    wanted = np.floor(stretched(heights, 500, 3000))
    assert_pictures_agree(np.stack([wanted] * 3, axis=-1), wanted)
    with pytest.raises(AssertionError):
        assert_pictures_agree(np.stack([wanted] * 3, axis=-1), change(wanted))


@pytest.mark.parametrize("band", [1, 7, 13, 24])
def test_temperature(band):
    """QGIS draws temperatures with scale and offset. Pixels without data around the pole in January 2021 are
    not drawn."""
    packed = values_of(DATA / "temperature.zarr", "air_temperature")[band - 1]
    layer = dropped(DATA / "temperature.zarr")
    got = picture(gray(layer, 220, 310, band), 180, 90)
    absent = packed == -32767
    assert absent.sum() == (3 * 180 if band == 13 else 0)
    assert_pictures_agree(got, stretched(packed * 0.2 + 273.15, 220, 310), absent)


@pytest.mark.parametrize("bands", [(1, 2, 3), (3, 2, 1), (2, 2, 1)])
def test_true_colours(bands):
    values = values_of(DATA / "satellite_rgb.zarr", "rgb")
    got = picture(colours(dropped(DATA / "satellite_rgb.zarr"), bands), 360, 280)
    assert (got == np.stack([values[band - 1] for band in bands], axis=-1)).all()


def test_true_colours_without_metadata_of_bands():
    """QGIS draws a dropped RGB raster of bytes with its stored values, without a stretch."""
    values = values_of(DATA / "satellite_rgb.zarr", "rgb")
    layer = dropped(DATA / "satellite_rgb.zarr")
    got = picture(layer, 360, 280)
    bands = (layer.renderer().redBand(), layer.renderer().greenBand(), layer.renderer().blueBand())
    assert bands == (1, 2, 3)
    assert (got == values.transpose(1, 2, 0)).all()


@pytest.mark.parametrize("bands", [(1, 2, 3), (4, 1, 2)], ids=["true", "infrared"])
def test_bands_of_a_group_as_colours(bands):
    """A group opens as one layer with a band for each array. The corner outside of the swath is not drawn."""
    values, absent = reflectances()
    got = picture(colours(opened(R10M), bands, 0.0, 0.45), 160, 160)
    chosen = [band - 1 for band in bands]
    wanted = stretched(values[chosen], 0.0, 0.45).transpose(1, 2, 0)
    assert_pictures_agree(got, wanted, absent[chosen].any(axis=0))


def test_a_product_of_sentinel_2_is_in_true_colours_before_any_styling():
    layer = opened(R10M)
    renderer = layer.renderer()
    assert renderer.type() == "multibandcolor"
    assert (renderer.redBand(), renderer.greenBand(), renderer.blueBand()) == (1, 2, 3)
    assert descriptions(layer)[:3] == ["b04", "b03", "b02"]


def test_classes_of_a_mask():
    classes = values_of(DATA / "product.zarr", "quality/mask/classification")[0]
    layer = opened(f'ZARR:"{DATA}/product.zarr":/quality/mask/classification')
    assert_pictures_agree(picture(gray(layer, 0, 3), 80, 80), stretched(classes, 0, 3))
    assert set(np.unique(classes)) == {1, 2, 3}


def test_classes_with_colours_are_drawn_in_them_with_their_names(tmp_path):
    values = np.arange(20 * 30, dtype="u1").reshape(20, 30) % 3
    attributes = {"flag_values": [0, 1, 2], "flag_meanings": "land water cloud",
                  "flag_colors": "#0a781e #1428c8 #ffffff", "proj:code": "EPSG:32632",
                  "spatial:transform": [10, 0, 500000, 0, -10, 5200000]}  # fmt: skip
    item = {"values": values, "dims": ("y", "x"), "attrs": attributes}
    layer = dropped(make_store(tmp_path, {"classes": item}))
    assert layer.renderer().type() == "paletted"
    assert [each.label for each in layer.renderer().classes()] == ["land", "water", "cloud"]
    shades = np.array([(10, 120, 30), (20, 40, 200), (255, 255, 255)])
    assert_pictures_agree(picture(layer, 30, 20), shades[values])


@pytest.mark.parametrize("name", ["terrain", "temperature", "satellite_rgb"])
def test_a_dropped_layer_shows_something_before_any_styling(name):
    layer = dropped(DATA / f"{name}.zarr")
    got = picture(layer, layer.width() // 2, layer.height() // 2)
    assert len(np.unique(got.reshape(-1, 3), axis=0)) > 50
    assert got.max() - got.min() > 200


def limits(layer):
    """Returns the limits that QGIS has chosen for the red and the green band."""
    renderer = layer.renderer()
    found = [renderer.redContrastEnhancement(), renderer.greenContrastEnhancement()]
    return np.array([(each.minimumValue(), each.maximumValue()) for each in found])


@pytest.mark.parametrize("node, names", [("r10m", ("b04", "b03")), ("r20m", ("b05", "b11"))])
def test_an_unstyled_group_is_drawn_as_a_geotiff_of_it(node, names, tmp_path):
    """QGIS draws a group like a GeoTIFF copy of the group. QGIS chooses the same limits for the two, and leaves
    out 2 % of the values at each end."""
    name, copy = f'ZARR:"{DATA}/product.zarr":/measurements/{node}', str(tmp_path / "copy.tif")
    assert gdal.Translate(copy, name) is not None
    ours, tiff = opened(name), opened(copy)
    np.testing.assert_array_equal(limits(ours), limits(tiff))  # two NaN count as equal
    assert (picture(ours, 160, 160) == picture(tiff, 160, 160)).all()
    if HAS_TOO_FEW_BINS:
        return
    for band, found in zip(names, limits(ours)):
        raw = values_of(DATA / "product.zarr", f"measurements/{node}/{band}")
        wanted = np.quantile(raw[raw != 0] * 0.0001 - 0.1, [0.02, 0.98])
        assert found == pytest.approx(wanted, abs=0.0005)
