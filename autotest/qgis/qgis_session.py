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
from qgis.core import Qgis, QgsApplication
from qgis.PyQt import sip

# Differences between versions of QGIS, for files of any format. Measured with 3.22.16, 3.40.6 and
# 3.44.15; versions after 3.22 and before 3.44 count as 3.40.
VERSION = Qgis.QGIS_VERSION_INT
SINCE_3_40 = VERSION >= 32300
SINCE_3_44 = VERSION >= 34400

# Ranges of time for each band of a layer are read since 3.38.
HAS_TIMES_PER_BAND = VERSION >= 33800

# Requests for a dropped URL, besides those of the raster: OGR asks if the URL is a file; since 3.40
# the WFS provider asks if it is a service.
OTHERS_REQUESTS = 2 if SINCE_3_40 else 1

# QGIS 3.40 opens each layer of a list before it shows the list.
OPENS_EACH_LAYER = SINCE_3_40 and not SINCE_3_44

# In a zip file QGIS 3.22 asks for each member; since 3.40 it asks for the whole file first.
ASKS_FOR_ZIP_MEMBERS = not SINCE_3_40

# The browser panel of QGIS 3.22 shows a possible layer, by its extension, as a layer. Since 3.40 it
# shows a collection, which is asked for its layers when it is opened.
BROWSES_COLLECTIONS = SINCE_3_40

# QGIS stretches unstyled bands with a scale by a histogram that has a bin for each sampled pixel.
# 3.44 multiplies the number of bins by the scale: a scale of 0.0001 gives two bins for 160 x 160
# pixels, and none for 80 x 80. Without bins the limits are NaN, all is black, and GDAL reports
# BINS_ARE_NONE.
HAS_TOO_FEW_BINS = SINCE_3_44
BINS_ARE_NONE = "dfMin and dfMax should be finite values such that nBuckets / (dfMax - dfMin)"


def start(folder, widgets=False):
    """Starts the application, with its settings in `folder`, and with widgets if asked."""
    os.environ["QGIS_CUSTOM_CONFIG_PATH"] = str(folder)
    if "XDG_RUNTIME_DIR" not in os.environ:
        runtime = pathlib.Path(folder) / "runtime"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    sip.setdestroyonexit(False)  # QGIS does not bear the order of deletion
    application = QgsApplication([], widgets)
    application.initQgis()
    # This driver renames the one built into GDAL, so the name proves that QGIS uses the plugin.
    ours = gdal.GetDriverByName("ZarrBuiltin") is not None
    assert ours, "QGIS uses GDAL's own Zarr driver: no plugin of ours was loaded"
    return application


@contextlib.contextmanager
def message_log():
    """Records the messages that QGIS logs, as tuples (text, tag)."""
    log = []

    def received(*words):
        if len(words) > 1:  # the other signal of this name has no message
            log.append((words[0], words[1]))

    signal = QgsApplication.messageLog().messageReceived
    signal.connect(received)
    try:
        yield log
    finally:
        signal.disconnect(received)
