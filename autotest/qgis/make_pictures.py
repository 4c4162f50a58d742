#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the pictures of docs/qgis: sample stores of data/ that QGIS draws, and widgets of QGIS. Needs no
screen.

    GDAL_DRIVER_PATH=build/gdalplugins autotest/qgis/make_pictures.py [FOLDER]

Needs python3-qgis, qgis-providers, numpy and zarr.
"""

import gc
import os
import pathlib
import sys
import tempfile

import qgis_session

os.environ["GDAL_PAM_ENABLED"] = "NO"  # GDAL then writes no auxiliary files beside the sample stores


def main():
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else qgis_session.ROOT / "docs" / "qgis")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        application = qgis_session.start(folder, widgets=True)
        from qgis.core import QgsProject
        from qgis_pictures import PICTURES
        from qgis_widgets import WIDGETS

        images = {name: make()[0] for name, make in PICTURES.items()}
        images.update({name: make(folder) for name, make in WIDGETS.items()})
        for name, image in images.items():
            file = target / f"{name}.png"
            assert image.save(str(file), "PNG", 0), file  # quality 0 makes the smallest PNG
            print(f"{file.name}: {file.stat().st_size} bytes")
        QgsProject.instance().clear()
        gc.collect()
        application.exitQgis()


if __name__ == "__main__":
    main()
