# SPDX-License-Identifier: MIT
"""Pictures of docs/qgis: sample stores drawn by QGIS, and the pictures that NumPy computes from their values."""

import numpy as np
from qgis.core import (
    QgsColorRampShader,
    QgsRasterShader,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtGui import QColor
from qgis_layers import DATA, draw, dropped, opened, stretched, values_of
from test_qgis_render import R10M, colours, reflectances

WHITE = (255, 255, 255)
HEIGHTS = {600: "#2c6b3f", 1000: "#8fb573", 1500: "#e8d9a0", 2100: "#a9794f", 2700: "#ffffff"}
KELVINS = {222: "#3b2a7e", 250: "#4a8fd0", 273: "#e8f1f5", 288: "#f6c65b", 306: "#b3202a"}


def ramp(layer, band, stops):
    """Makes QGIS draw a band of the layer in colours. `stops` maps values to colours; QGIS interpolates between them.
    Returns the layer."""
    shades = QgsColorRampShader(min(stops), max(stops))
    shades.setColorRampType(QgsColorRampShader.Interpolated)
    items = [QgsColorRampShader.ColorRampItem(at, QColor(colour)) for at, colour in stops.items()]
    shades.setColorRampItemList(items)
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(shades)
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), band, shader))
    return layer


def ramped(values, stops):
    """Returns the colours, not rounded, in which QGIS draws `values` after ramp() has set the colour ramp
    `stops`."""
    channels = np.array([QColor(colour).getRgb()[:3] for colour in stops.values()], "f8")
    return np.stack([np.interp(values, list(stops), channels[:, i]) for i in range(3)], axis=-1)


def enlarged(values, times):
    return values.repeat(times, axis=0).repeat(times, axis=1)


def terrain():
    """Draws the terrain at half its size. The lake has no data and is white, like the background."""
    heights = values_of(DATA / "terrain.zarr", "elevation")[0][1::2, 1::2]
    wanted = ramped(heights, HEIGHTS)
    wanted[heights == -32768] = WHITE
    layer = ramp(dropped(DATA / "terrain.zarr"), 1, HEIGHTS)
    return draw(layer, 400, 300, behind=WHITE), wanted


def temperature():
    """Draws the temperatures of January 2021 at twice the size. Pixels without data at the pole are white."""
    packed = values_of(DATA / "temperature.zarr", "air_temperature")[12]
    wanted = ramped(packed * 0.2 + 273.15, KELVINS)
    wanted[packed == -32767] = WHITE
    layer = ramp(dropped(DATA / "temperature.zarr"), 13, KELVINS)
    return draw(layer, 360, 180, behind=WHITE), enlarged(wanted, 2)


def satellite_rgb():
    values = values_of(DATA / "satellite_rgb.zarr", "rgb").transpose(1, 2, 0)
    return draw(dropped(DATA / "satellite_rgb.zarr"), 360, 280, behind=WHITE), values


def product():
    """Draws the bands with 10 m pixels of a Sentinel-2 product in true colours, at twice the size. The corner without
    data is white."""
    values, absent = reflectances()
    wanted = stretched(values[:3], 0.0, 0.45).transpose(1, 2, 0)
    wanted[absent[:3].any(axis=0)] = WHITE
    layer = colours(opened(R10M), (1, 2, 3), 0.0, 0.45)
    return draw(layer, 320, 320, behind=WHITE), enlarged(wanted, 2)


PICTURES = {each.__name__: each for each in (terrain, temperature, satellite_rgb, product)}
