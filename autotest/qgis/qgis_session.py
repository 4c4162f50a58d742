# SPDX-License-Identifier: MIT
"""QGIS in this process: without a screen, with settings of its own, with the plugin under test."""

import contextlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(ROOT / "build" / "gdalplugins"))
os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(ROOT / "autotest" / "gdrivers"))

from osgeo import gdal
from qgis.core import QgsApplication
from qgis.PyQt import sip


def start(folder):
    """The application, with its settings in `folder`."""
    os.environ["QGIS_CUSTOM_CONFIG_PATH"] = str(folder)
    if "XDG_RUNTIME_DIR" not in os.environ:
        runtime = pathlib.Path(folder) / "runtime"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    sip.setdestroyonexit(False)  # in no order that QGIS would bear
    application = QgsApplication([], False)
    application.initQgis()
    # Our driver renames the one built into GDAL, so this name proves that QGIS uses ours.
    ours = gdal.GetDriverByName("ZarrBuiltin") is not None
    assert ours, "QGIS uses GDAL's own Zarr driver: no plugin of ours was loaded"
    return application


@contextlib.contextmanager
def message_log():
    """What QGIS logs meanwhile, as tuples (text, tag)."""
    log = []

    def received(*words):
        if len(words) > 1:  # the other signal of this name tells only that there is something
            log.append((words[0], words[1]))

    signal = QgsApplication.messageLog().messageReceived
    signal.connect(received)
    try:
        yield log
    finally:
        signal.disconnect(received)
