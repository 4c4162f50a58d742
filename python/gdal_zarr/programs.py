# SPDX-License-Identifier: MIT
"""Starts the programs zarr_check and zarr_qgis, which need GDAL's own Python module."""

import runpy
import sys

from gdal_zarr.libraries import PACKAGE


def run(name):
    try:
        import osgeo.gdal  # noqa: F401  (the program needs it)
    except ImportError as error:
        sys.exit(
            f"{name} needs the Python module osgeo.gdal ({error}): install python3-gdal of your system in an environment "
            "with --system-site-packages, or gdal with conda. rasterio does not contain it."
        )
    runpy.run_path(str(PACKAGE / "programs" / f"{name}.py"), run_name="__main__")


def zarr_check():
    run("zarr_check")


def zarr_qgis():
    run("zarr_qgis")
