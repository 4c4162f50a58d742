# SPDX-License-Identifier: MIT
"""Functions that open layers in QGIS as if a user dropped a path on the map, and that return pictures as NumPy
arrays."""

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
BEHIND = (255, 0, 255)  # colour of the map outside of a layer's pixels


def sublayers(name):
    """Returns the layers that QGIS offers if a user drops a path on the map. QGIS adds a single layer without
    asking."""
    return QgsProviderRegistry.instance().querySublayers(str(name))


def added(details):
    """Adds a layer from the list of sublayers() and returns it."""
    options = QgsProviderSublayerDetails.LayerOptions(QgsProject.instance().transformContext())
    layer = details.toLayer(options)
    assert layer.isValid(), (details.uri(), layer.error().message())
    return layer


def dropped(name, number=0):
    """Adds layer number `number` of the layers that QGIS offers for a dropped path. Returns the layer."""
    return added(sublayers(name)[number])


def opened(name):
    """Opens a name as a single raster layer and returns the layer."""
    layer = QgsRasterLayer(str(name), "layer")
    assert layer.isValid(), (name, layer.error().message())
    return layer


def load_definition(path):
    """Loads a layer definition into an empty project. Returns its layers from top to bottom."""
    project = QgsProject.instance()
    project.clear()
    done, message = QgsLayerDefinition.loadLayerDefinition(str(path), project, project.layerTreeRoot())
    assert done, message
    layers = [each.layer() for each in project.layerTreeRoot().findLayers()]
    assert layers and all(layer.isValid() for layer in layers)
    return layers


def provider_of(layer):
    """Returns the data provider of a layer. The provider refers to the layer, because QGIS deletes it with the
    layer."""
    provider = layer.dataProvider()
    provider.layer = layer
    return provider


def band_names(layer):
    return [layer.bandName(band) for band in range(1, layer.bandCount() + 1)]


def descriptions(layer):
    """Returns the names of a layer's bands without band numbers and without the colours that newer versions of
    QGIS add."""
    return [name.partition(": ")[2].partition(" (")[0] for name in band_names(layer)]


def values_of(store, path):
    """Returns the values of an array, read by zarr-python, in the shape (bands, rows, columns)."""
    values = zarr.open_array(str(store / path), mode="r")[...]
    return values.reshape(-1, *values.shape[-2:])


def gray(layer, low, high, band=1):
    """Makes QGIS draw a band of the layer in grey: black at `low`, white at `high`. Returns the layer."""
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
    """Converts a time in the format ISO 8601 to QDateTime."""
    return QDateTime.fromString(text, Qt.ISODate)


def draw(layer, width, height, extent=None, behind=BEHIND, times=None):
    """Draws a map with one layer or a list of layers. Returns it as QImage. `times` is (begin, end) of the time
    range that the temporal controller shows, in the format ISO 8601."""
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
    """Returns the extent of a layer, moved up and left by a tenth of a map pixel. QGIS takes the value at the
    corner of a map pixel, so rounding could otherwise select the neighbouring pixel."""
    extent = layer.extent()
    x, y = -0.1 * extent.width() / width, 0.1 * extent.height() / height
    return QgsRectangle(
        extent.xMinimum() + x, extent.yMinimum() + y, extent.xMaximum() + x, extent.yMaximum() + y
    )


def pixels(image):
    """Converts a QImage to an array of the shape (rows, columns, 3) with red, green and blue."""
    image = image.convertToFormat(QImage.Format_RGB888)
    data = image.constBits()
    data.setsize(image.bytesPerLine() * image.height())
    rows = np.frombuffer(data, "u1").reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def picture(layer, width, height, extent=None, times=None):
    return pixels(draw(layer, width, height, extent, times=times)).astype("i4")


def stretched(values, low, high):
    """Returns the grey levels, not rounded, in which QGIS draws `values` after gray(layer, low, high)."""
    return np.clip((np.asarray(values, "f8") - low) * 255 / (high - low), 0, 255)


def assert_pictures_agree(got, wanted, absent=None):
    """Asserts that two pictures differ by at most 1 in each channel, because QGIS rounds. `absent` is a mask of pixels
    that must have the background colour BEHIND, or None. Other pixels must not have this colour."""
    if wanted.ndim == 2:
        wanted = np.stack([wanted] * 3, axis=-1)
    assert got.shape == wanted.shape
    absent = np.zeros(got.shape[:2], bool) if absent is None else absent
    off = np.abs(got - wanted)[~absent]
    assert off.size and off.max() <= 1, f"{(off > 1).sum()} of {off.size} are off, by {off.max()}"
    assert (got[absent] == BEHIND).all()
    assert not (got[~absent] == BEHIND).all(axis=-1).any()
