# SPDX-License-Identifier: MIT
"""The pictures of docs/qgis are those that QGIS draws, and QGIS draws the pictures that NumPy makes
of the data."""

import pathlib

import numpy as np
import pytest
from qgis.PyQt.QtGui import QImage
from qgis_layers import pixels
from qgis_pictures import PICTURES

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "qgis"
each_picture = pytest.mark.parametrize("name", PICTURES)


@each_picture
def test_qgis_draws_what_numpy_makes_of_the_data(name):
    image, wanted = PICTURES[name]()
    got = pixels(image).astype("f8")
    assert got.shape == wanted.shape
    assert np.abs(got - wanted).max() <= 1


@each_picture
def test_the_picture_of_the_docs_is_that_of_today(name):
    """If a picture is outdated, run autotest/qgis/make_pictures.py."""
    kept = QImage(str(FOLDER / f"{name}.png"))
    assert not kept.isNull()
    got = pixels(PICTURES[name]()[0]).astype("i4")
    assert np.abs(got - pixels(kept).astype("i4")).max() <= 1


def test_pictures_are_these_and_small():
    files = list(FOLDER.glob("*"))
    assert {file.name for file in files} == {f"{name}.png" for name in PICTURES}
    assert max(file.stat().st_size for file in files) < 100_000
