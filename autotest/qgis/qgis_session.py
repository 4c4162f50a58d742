# SPDX-License-Identifier: MIT
"""Starts QGIS in this process without a screen, with its own settings and with the tested plugin."""

import contextlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(ROOT / "build" / "gdalplugins"))
os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(ROOT / "autotest" / "gdrivers"))

from osgeo import gdal
from qgis.core import Qgis, QgsApplication
from qgis.PyQt import sip

# Differences between versions of QGIS, which concern files of any format. They were measured with 3.22.16,
# 3.40.6 and 3.44.15. Versions between 3.22 and 3.44 are treated like 3.40.
VERSION = Qgis.QGIS_VERSION_INT
SINCE_3_40 = VERSION >= 32300
SINCE_3_44 = VERSION >= 34400

# QGIS reads time ranges of single bands since 3.38.
HAS_TIMES_PER_BAND = VERSION >= 33800

# Number of requests for a dropped URL that are not requests of the raster provider. OGR checks if the URL is a
# file; since 3.40 the WFS provider checks if it is a service.
OTHERS_REQUESTS = 2 if SINCE_3_40 else 1

# QGIS 3.40 opens every layer of a store before it shows the list of layers.
OPENS_EACH_LAYER = SINCE_3_40 and not SINCE_3_44

# QGIS 3.22 looks up layers in every member of a zip file. Since 3.40 QGIS opens the zip file as a whole first.
ASKS_FOR_ZIP_MEMBERS = not SINCE_3_40

# The browser panel of QGIS 3.22 shows a store as a layer. Since 3.40 it shows a store as a collection of
# layers, which it looks up when a user opens the collection.
BROWSES_COLLECTIONS = SINCE_3_40

# QGIS takes limits of unstyled bands from a histogram with a bin for each sampled pixel. QGIS 3.44 multiplies
# the number of bins by the band's scale, so a scale of 0.0001 leaves no bin for 80 x 80 pixels. The limits are
# then NaN, the layer is black, and GDAL reports BINS_ARE_NONE.
HAS_TOO_FEW_BINS = SINCE_3_44
BINS_ARE_NONE = "dfMin and dfMax should be finite values such that nBuckets / (dfMax - dfMin)"


def start(folder, widgets=False):
    """Starts QGIS with its settings in `folder`. Returns the application. Widgets can be shown only if
    `widgets` is true."""
    os.environ["QGIS_CUSTOM_CONFIG_PATH"] = str(folder)
    if "XDG_RUNTIME_DIR" not in os.environ:
        runtime = pathlib.Path(folder) / "runtime"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    sip.setdestroyonexit(False)  # the default order of deletion at exit crashes QGIS
    application = QgsApplication([], widgets)
    application.initQgis()
    # GDAL's built-in driver has this name only if our plugin is loaded.
    ours = gdal.GetDriverByName("ZarrBuiltin") is not None
    assert ours, "QGIS uses GDAL's own Zarr driver: no plugin of ours was loaded"
    return application


@contextlib.contextmanager
def message_log():
    """Records the messages that QGIS logs, as a list of (text, tag)."""
    log = []

    def received(*words):
        if len(words) > 1:  # QGIS has two signals of this name; only one of them has a text
            log.append((words[0], words[1]))

    signal = QgsApplication.messageLog().messageReceived
    signal.connect(received)
    try:
        yield log
    finally:
        signal.disconnect(received)
