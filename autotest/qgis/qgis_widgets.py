# SPDX-License-Identifier: MIT
"""Draws those pictures of docs/qgis that show widgets. QGIS must run with widgets."""

import pathlib
import sys

from qgis.core import (
    QgsApplication,
    QgsDateTimeRange,
    QgsInterval,
    QgsProviderSublayerModel,
    QgsProviderSublayerProxyModel,
    QgsTemporalNavigationObject,
    QgsUnitTypes,
)
from qgis.PyQt.QtCore import QSize, Qt
from qgis.PyQt.QtGui import QImage, QPainter
from qgis_layers import DATA, draw, load_definition, sublayers, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import zarr_qgis  # noqa: E402  (in the folder that joined the path above)

MAP = QSize(720, 360)
SHOWN = ("2021-07-01T00:00:00Z", "2021-08-01T00:00:00Z")


def grab(widget):
    widget.show()
    QgsApplication.processEvents()
    return widget.grab().toImage()


def list_of_sublayers():
    """Draws the list of a product's layers, as in the dialog in which a user selects layers."""
    from qgis.PyQt.QtWidgets import QTreeView

    model = QgsProviderSublayerModel()
    model.setSublayerDetails(sublayers(DATA / "product.zarr"))
    rows = QgsProviderSublayerProxyModel()
    rows.setSourceModel(model)
    view = QTreeView()
    view.setStyleSheet("font-size: 8pt")
    view.setModel(rows)
    view.resize(720, 262)
    view.setColumnWidth(0, 210)
    # Colours from a palette make a smaller PNG than true colours.
    return grab(view).convertToFormat(QImage.Format_Indexed8, Qt.ThresholdDither | Qt.AvoidDither)


def map_of_times(folder):
    """Draws the temperatures of July 2021 with the layer definition that the program zarr_qgis writes."""
    definition = pathlib.Path(folder) / "temperature.qlr"
    array = f'ZARR:"{DATA}/temperature.zarr":/air_temperature'
    assert zarr_qgis.main([array, "-o", str(definition)]) == 0
    return draw(load_definition(definition), MAP.width(), MAP.height(), behind=(255, 255, 255), times=SHOWN)


def temporal_controller(folder):
    """Draws QGIS's temporal controller above a map."""
    from qgis.gui import QgsTemporalControllerWidget

    widget = QgsTemporalControllerWidget()
    widget.setStyleSheet("font-size: 8pt")
    controller = widget.temporalController()
    controller.setNavigationMode(QgsTemporalNavigationObject.Animated)
    controller.setTemporalExtents(QgsDateTimeRange(time("2020-01-01T00:00:00Z"), time("2021-12-31T23:59:59Z")))
    controller.setFrameDuration(QgsInterval(1, QgsUnitTypes.TemporalMonths))
    controller.setCurrentFrameNumber(18)
    widget.resize(720, 100)
    above, below = grab(widget), map_of_times(folder)
    whole = QImage(above.width(), above.height() + MAP.height(), QImage.Format_RGB888)
    whole.fill(0xFFFFFFFF)
    painter = QPainter(whole)
    painter.drawImage(0, 0, above)
    painter.drawImage(0, above.height(), below)
    painter.end()
    return whole


WIDGETS = {"sublayers": lambda _: list_of_sublayers(), "times": temporal_controller}
