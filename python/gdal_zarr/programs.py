# SPDX-License-Identifier: MIT
"""Starts the programs zarr_check, zarr_cube and zarr_qgis. Without GDAL's own Python module each says that it needs the module."""

import runpy
import sys

from gdal_zarr.libraries import PACKAGE


def run(name):
    runpy.run_path(str(PACKAGE / "programs" / f"{name}.py"), run_name="__main__")


def zarr_check():
    run("zarr_check")


def zarr_cube():
    run("zarr_cube")


def zarr_qgis():
    try:
        import osgeo.gdal  # noqa: F401  (the program needs it)
    except ImportError as error:
        sys.exit(
            f"zarr_qgis needs the Python module osgeo.gdal ({error}): install python3-gdal of your system in an environment "
            "with --system-site-packages, or gdal with conda. rasterio does not contain it."
        )
    run("zarr_qgis")
