# SPDX-License-Identifier: MIT
"""Starts QGIS once for all tests of this folder, without a screen and without a user's settings.

autotest/conftest.py, which pytest reads first, makes GDAL load the tested plugin. This file must not import
osgeo or qgis at its top, because the plugin would not be loaded then."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def files_of_data():
    return {str(path): path.stat().st_mtime_ns for path in DATA.rglob("*") if path.is_file()}


@pytest.fixture(scope="session", autouse=True)
def qgis(tmp_path_factory):
    """Starts QGIS, and asserts at the end that no test has changed the sample stores. QGIS is not ended,
    because pytest may still refer to layers of failed tests."""
    import qgis_session

    before = files_of_data()
    yield qgis_session.start(tmp_path_factory.mktemp("qgis"))
    assert files_of_data() == before, "a test has changed data/"


@pytest.fixture
def messages(qgis):
    """Records the messages that QGIS logs during a test, as a list of (text, tag)."""
    import qgis_session

    with qgis_session.message_log() as log:
        yield log
