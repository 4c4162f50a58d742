# SPDX-License-Identifier: MIT
"""QGIS draws the pictures that the tests compute with NumPy. The pictures in docs/qgis equal those that QGIS
draws now."""

import pathlib

import numpy as np
import pytest
from qgis.core import QgsProject
from qgis.PyQt.QtGui import QImage
from qgis_layers import pixels
from qgis_pictures import PICTURES
from qgis_widgets import MAP, WIDGETS, map_of_times

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "qgis"
each_picture = pytest.mark.parametrize("name", PICTURES)


@each_picture
def test_qgis_draws_what_numpy_makes_of_the_data(name):
    image, wanted = PICTURES[name]()
    got = pixels(image).astype("f8")
    assert got.shape == wanted.shape
    assert np.abs(got - wanted).max() <= 1


@each_picture
def test_the_picture_of_the_docs_is_up_to_date(name):
    """The picture in docs/qgis is up to date. If not, run autotest/qgis/make_pictures.py."""
    kept = QImage(str(FOLDER / f"{name}.png"))
    assert not kept.isNull()
    got = pixels(PICTURES[name]()[0]).astype("i4")
    assert np.abs(got - pixels(kept).astype("i4")).max() <= 1


def test_the_map_below_the_temporal_controller_is_that_of_today(tmp_path):
    kept = pixels(QImage(str(FOLDER / "times.png")))
    got = pixels(map_of_times(tmp_path)).astype("i4")
    QgsProject.instance().clear()
    assert got.shape == (MAP.height(), MAP.width(), 3)
    assert np.abs(got - kept[-MAP.height() :, : MAP.width()]).max() <= 1
    assert len(np.unique(got.reshape(-1, 3), axis=0)) > 50


def test_pictures_are_these_and_small():
    files = list(FOLDER.glob("*"))
    assert {file.name for file in files} == {f"{name}.png" for name in (*PICTURES, *WIDGETS)}
    assert max(file.stat().st_size for file in files) < 100_000
