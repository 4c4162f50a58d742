# SPDX-License-Identifier: MIT
"""Layers that QGIS makes of a path dropped into the map, and pictures of layers as NumPy arrays."""

import pathlib

import numpy as np
import zarr_python as zarr
from qgis.core import (
    QgsContrastEnhancement,
    QgsDateTimeRange,
    QgsLayerDefinition,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsProject,
    QgsProviderRegistry,
    QgsProviderSublayerDetails,
    QgsRasterLayer,
    QgsRectangle,
    QgsSingleBandGrayRenderer,
)
from qgis.PyQt.QtCore import QDateTime, QSize, Qt
from qgis.PyQt.QtGui import QColor, QImage

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
PYRAMIDS = DATA / "pyramids"
BEHIND = (255, 0, 255)  # colour of the map where a layer has no pixels


def sublayers(name):
    """Returns the layers that QGIS offers for a dropped path, from all its providers. A single
    layer is added without a question."""
    return QgsProviderRegistry.instance().querySublayers(str(name))


def added(details):
    """Returns the layer that QGIS adds for an offered layer."""
    options = QgsProviderSublayerDetails.LayerOptions(QgsProject.instance().transformContext())
    layer = details.toLayer(options)
    assert layer.isValid(), (details.uri(), layer.error().message())
    return layer


def dropped(name, number=0):
    """Returns the layer that QGIS adds for the offered layer of that number."""
    return added(sublayers(name)[number])


def opened(name):
    """Returns the layer of a name that stands for one layer."""
    layer = QgsRasterLayer(str(name), "layer")
    assert layer.isValid(), (name, layer.error().message())
    return layer


def load_definition(path):
    """Returns the layers of a layer definition, from top to bottom, as the project has them alone."""
    project = QgsProject.instance()
    project.clear()
    done, message = QgsLayerDefinition.loadLayerDefinition(str(path), project, project.layerTreeRoot())
    assert done, message
    layers = [each.layer() for each in project.layerTreeRoot().findLayers()]
    assert layers and all(layer.isValid() for layer in layers)
    return layers


def provider_of(layer):
    """Returns the layer's data provider, and stores the layer in it; QGIS would delete the provider
    with the layer."""
    provider = layer.dataProvider()
    provider.layer = layer
    return provider


def band_names(layer):
    return [layer.bandName(band) for band in range(1, layer.bandCount() + 1)]


def descriptions(layer):
    """Returns the names of bands without their numbers; newer versions add a band's colour."""
    return [name.partition(": ")[2].partition(" (")[0] for name in band_names(layer)]


def values_of(store, path):
    """Returns the values that zarr-python reads: bands x rows x columns."""
    values = zarr.open_array(str(store / path), mode="r")[...]
    return values.reshape(-1, *values.shape[-2:])


def gray(layer, low, high, band=1):
    """Styles a band in grey: black at `low`, white at `high`."""
    provider = layer.dataProvider()
    stretch = QgsContrastEnhancement(provider.dataType(band))
    stretch.setMinimumValue(low)
    stretch.setMaximumValue(high)
    stretch.setContrastEnhancementAlgorithm(QgsContrastEnhancement.StretchToMinimumMaximum)
    renderer = QgsSingleBandGrayRenderer(provider, band)
    renderer.setContrastEnhancement(stretch)
    layer.setRenderer(renderer)
    return layer


def time(text):
    """Returns a time of ISO 8601 as QDateTime."""
    return QDateTime.fromString(text, Qt.ISODate)


def draw(layer, width, height, extent=None, behind=BEHIND, times=None):
    """Draws a map of the layer alone, or of a list of layers, as QImage. `times` are the begin and the
    end, as texts, that the temporal controller shows."""
    settings = QgsMapSettings()
    layers = layer if isinstance(layer, list) else [layer]
    layer = layers[0]
    settings.setLayers(layers)
    if times:
        settings.setIsTemporal(True)
        settings.setTemporalRange(QgsDateTimeRange(*map(time, times), True, False))
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
    """Returns the layer's extent, moved up and left by a tenth of a pixel of a map of that size.
    QGIS takes the value at the corner of a map's pixel, where rounding would decide between two
    pixels of the layer."""
    extent = layer.extent()
    x, y = -0.1 * extent.width() / width, 0.1 * extent.height() / height
    return QgsRectangle(
        extent.xMinimum() + x, extent.yMinimum() + y, extent.xMaximum() + x, extent.yMaximum() + y
    )


def pixels(image):
    """Converts a QImage to rows x columns x (red, green, blue)."""
    image = image.convertToFormat(QImage.Format_RGB888)
    data = image.constBits()
    data.setsize(image.bytesPerLine() * image.height())
    rows = np.frombuffer(data, "u1").reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def picture(layer, width, height, extent=None, times=None):
    return pixels(draw(layer, width, height, extent, times=times)).astype("i4")


def stretched(values, low, high):
    """Returns the grey levels of gray(), with fractions."""
    return np.clip((np.asarray(values, "f8") - low) * 255 / (high - low), 0, 255)


def assert_pictures_agree(got, wanted, absent=None):
    """Asserts that each channel differs by less than one, as QGIS rounds. Where `absent` is true,
    the colour behind the layer must be seen."""
    if wanted.ndim == 2:
        wanted = np.stack([wanted] * 3, axis=-1)
    assert got.shape == wanted.shape
    absent = np.zeros(got.shape[:2], bool) if absent is None else absent
    off = np.abs(got - wanted)[~absent]
    assert off.size and off.max() <= 1, f"{(off > 1).sum()} of {off.size} are off, by {off.max()}"
    assert (got[absent] == BEHIND).all()
    assert not (got[~absent] == BEHIND).all(axis=-1).any()
