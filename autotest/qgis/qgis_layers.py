# SPDX-License-Identifier: MIT
"""Layers as QGIS makes them of what a user drops into the map, and pictures of them as NumPy
arrays."""

import pathlib

import numpy as np
import zarr
from qgis.core import (
    QgsContrastEnhancement,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsProject,
    QgsProviderRegistry,
    QgsProviderSublayerDetails,
    QgsRasterLayer,
    QgsRectangle,
    QgsSingleBandGrayRenderer,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor, QImage

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
PYRAMIDS = DATA / "pyramids"
BEHIND = (255, 0, 255)  # the colour of the map where a layer has nothing


def sublayers(name):
    """What a dropped path holds: QGIS asks all its providers, and offers what they answer. The one
    layer of a list is added without a question."""
    return QgsProviderRegistry.instance().querySublayers(str(name))


def added(details):
    """The layer that QGIS adds for an item of the list."""
    options = QgsProviderSublayerDetails.LayerOptions(QgsProject.instance().transformContext())
    layer = details.toLayer(options)
    assert layer.isValid(), (details.uri(), layer.error().message())
    return layer


def dropped(name, number=0):
    """The layer that QGIS adds for the item of that number."""
    return added(sublayers(name)[number])


def opened(name):
    """The layer of a name that is one layer's."""
    layer = QgsRasterLayer(str(name), "layer")
    assert layer.isValid(), (name, layer.error().message())
    return layer


def provider_of(layer):
    """The layer's data provider, which keeps the layer; QGIS would delete it with the layer."""
    provider = layer.dataProvider()
    provider.layer = layer
    return provider


def band_names(layer):
    return [layer.bandName(band) for band in range(1, layer.bandCount() + 1)]


def descriptions(layer):
    """The names of bands without their numbers; newer versions add what colour a band has."""
    return [name.partition(": ")[2].partition(" (")[0] for name in band_names(layer)]


def values_of(store, path):
    """What zarr-python reads: bands x rows x columns."""
    values = zarr.open_array(str(store / path), mode="r")[...]
    return values.reshape(-1, *values.shape[-2:])


def gray(layer, low, high, band=1):
    """Black at `low`, white at `high`."""
    provider = layer.dataProvider()
    stretch = QgsContrastEnhancement(provider.dataType(band))
    stretch.setMinimumValue(low)
    stretch.setMaximumValue(high)
    stretch.setContrastEnhancementAlgorithm(QgsContrastEnhancement.StretchToMinimumMaximum)
    renderer = QgsSingleBandGrayRenderer(provider, band)
    renderer.setContrastEnhancement(stretch)
    layer.setRenderer(renderer)
    return layer


def draw(layer, width, height, extent=None, behind=BEHIND):
    """A map of the layer alone, as QImage."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setBackgroundColor(QColor(*behind))
    settings.setOutputSize(QSize(width, height))
    settings.setExtent(extent or layer.extent())
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    assert not job.errors(), [each.message for each in job.errors()]
    return job.renderedImage()


def nudged(layer, width, height):
    """The layer's extent, moved up and left by a tenth of a pixel of a map of that size. QGIS takes
    what lies at the corner of a map's pixel, so that where corners meet, rounding would decide."""
    extent = layer.extent()
    x, y = -0.1 * extent.width() / width, 0.1 * extent.height() / height
    return QgsRectangle(
        extent.xMinimum() + x, extent.yMinimum() + y, extent.xMaximum() + x, extent.yMaximum() + y
    )


def pixels(image):
    """A QImage as rows x columns x (red, green, blue)."""
    image = image.convertToFormat(QImage.Format_RGB888)
    data = image.constBits()
    data.setsize(image.bytesPerLine() * image.height())
    rows = np.frombuffer(data, "u1").reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def picture(layer, width, height, extent=None):
    return pixels(draw(layer, width, height, extent)).astype("i4")


def stretched(values, low, high):
    """The grey levels of gray(), as fractions."""
    return np.clip((np.asarray(values, "f8") - low) * 255 / (high - low), 0, 255)


def assert_pictures_agree(got, wanted, absent=None):
    """Each channel differs by less than one, which is how QGIS rounds; where `absent` is true, the
    colour behind the layer is seen."""
    if wanted.ndim == 2:
        wanted = np.stack([wanted] * 3, axis=-1)
    assert got.shape == wanted.shape
    absent = np.zeros(got.shape[:2], bool) if absent is None else absent
    off = np.abs(got - wanted)[~absent]
    assert off.size and off.max() <= 1, f"{(off > 1).sum()} of {off.size} are off, by {off.max()}"
    assert (got[absent] == BEHIND).all()
    assert not (got[~absent] == BEHIND).all(axis=-1).any()
