#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws docs/pyramid.png: QGIS renders a pyramid at three zoom levels, without a screen.

    GDAL_DRIVER_PATH=build/gdalplugins docs/make_pyramid_picture.py [PICTURE]

Needs python3-qgis, qgis-providers, numpy and zarr. The pyramid contains data/terrain.zarr. The text under
each picture says how many chunks the driver has read, and from which level.
"""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import zarr
from osgeo import gdal
from qgis.core import (
    QgsApplication,
    QgsColorRampShader,
    QgsCoordinateReferenceSystem,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsRasterLayer,
    QgsRasterShader,
    QgsRectangle,
    QgsSingleBandPseudoColorRenderer,
)
from qgis.PyQt.QtCore import QRect, QSize, Qt
from qgis.PyQt.QtGui import QColor, QFont, QImage, QPainter

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZE = 256  # width and height of each picture in pixels
MARGIN, CAPTION = 8, 40


def make_pyramid(path):
    """Writes the sample terrain as a pyramid of the convention multiscales with four levels."""
    terrain = zarr.open_group(str(ROOT / "data" / "terrain.zarr"), mode="r")["elevation"]
    values = terrain[...]
    group = zarr.open_group(str(path), mode="w")
    spacing, layout = 30.0, []
    for level in range(4):
        array = group.array(str(level), values, chunks=(64, 64), fill_value=-32768)
        array.attrs["_ARRAY_DIMENSIONS"] = [f"y{level}", f"x{level}"]
        array.attrs["spatial:transform"] = [spacing, 0.0, 612000.0, 0.0, -spacing, 5214000.0]
        layout.append({"asset": str(level), "transform": {"scale": [2**level, 2**level]}})
        height, width = values.shape[0] // 2 * 2, values.shape[1] // 2 * 2
        blocks = values[:height, :width].reshape(height // 2, 2, width // 2, 2)
        values = blocks.mean(axis=(1, 3)).astype(values.dtype)
        spacing *= 2
    group.attrs.update({"multiscales": {"layout": layout}, "proj:code": "EPSG:32632"})


def style(layer):
    """Sets the colours in which a layer shows heights."""
    ramp = QgsColorRampShader(600, 3000)
    ramp.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(height, QColor(colour))
            for height, colour in (
                (600, "#2c6b3f"),
                (1000, "#8fb573"),
                (1500, "#e8d9a0"),
                (2100, "#a9794f"),
                (3000, "#ffffff"),
            )
        ]
    )
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(ramp)
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))


def counters():
    items = gdal.GetDriverByName("Zarr").GetMetadata("READ_COUNTERS")
    return {name: int(count) for name, count in items.items()}


def render(layer, extent):
    """Draws an extent of a layer. Returns (picture, number of chunks that were requested)."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:32632"))
    settings.setOutputSize(QSize(SIZE, SIZE))
    settings.setExtent(extent)
    settings.setBackgroundColor(QColor("white"))
    before = counters()["CHUNKS_REQUESTED"]
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    return job.renderedImage(), counters()["CHUNKS_REQUESTED"] - before


def zooms(layer):
    """Yields (caption, extent) of three views. Each view is a part of the view before."""
    full = layer.extent()
    side = max(full.width(), full.height())
    for text, part in (("all of it", 1.0), ("a third", 1 / 3), ("a tenth", 0.1)):
        half = side * part / 2
        centre = full.center()
        if part < 1:  # the smaller views show the end of the lake
            centre.set(full.xMinimum() + 0.71 * full.width(), full.yMinimum() + 0.55 * full.height())
        yield text, QgsRectangle(
            centre.x() - half, centre.y() - half, centre.x() + half, centre.y() + half
        )


def draw(path, target):
    pictures = []
    # Each view uses a new layer, because a layer caches chunks.
    for number in range(3):
        layer = QgsRasterLayer(str(path), "terrain")
        assert layer.isValid(), layer.error().message()
        style(layer)
        text, extent = list(zooms(layer))[number]
        image, chunks = render(layer, extent)
        pictures.append((image, f"{text}: {chunks} chunks read"))
        del layer
    width = MARGIN + 3 * (SIZE + MARGIN)
    sheet = QImage(width, SIZE + MARGIN + CAPTION, QImage.Format_RGB32)
    sheet.fill(Qt.white)
    painter = QPainter(sheet)
    painter.setFont(QFont("DejaVu Sans", 11))
    for i, (image, text) in enumerate(pictures):
        left = MARGIN + i * (SIZE + MARGIN)
        painter.drawImage(left, MARGIN, image)
        painter.drawText(QRect(left, SIZE + MARGIN, SIZE, CAPTION), Qt.AlignCenter, text)
    painter.end()
    assert sheet.save(str(target))


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pyramid.png"
    application = QgsApplication([], False)
    application.initQgis()
    with tempfile.TemporaryDirectory() as folder:
        make_pyramid(pathlib.Path(folder) / "terrain.zarr")
        draw(pathlib.Path(folder) / "terrain.zarr", target)
    application.exitQgis()


if __name__ == "__main__":
    main()
