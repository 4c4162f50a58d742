# SPDX-License-Identifier: MIT
"""One QGIS for all tests of this folder, without a screen and without a user's settings.

autotest/conftest.py, which pytest reads first, makes GDAL load the plugin under test. Nothing here
may import osgeo or qgis before it has done so."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def files_of_data():
    return {str(path): path.stat().st_mtime_ns for path in DATA.rglob("*") if path.is_file()}


@pytest.fixture(scope="session", autouse=True)
def qgis(tmp_path_factory):
    """The application. It is not ended: what pytest still holds of it, as a failed test's layers,
    would outlive it. No test may change the samples."""
    import qgis_session

    before = files_of_data()
    yield qgis_session.start(tmp_path_factory.mktemp("qgis"))
    assert files_of_data() == before, "a test has changed data/"


@pytest.fixture
def messages(qgis):
    """What QGIS writes into its log of messages during the test, as tuples (text, tag)."""
    import qgis_session

    with qgis_session.message_log() as log:
        yield log
