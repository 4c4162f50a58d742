# SPDX-License-Identifier: MIT
"""Python imports this module when it starts, by gdal_zarr_start.pth. The module waits for the import of a package that
has a GDAL, and does nothing else, so that programs without GDAL do not notice it."""

import os
import sys

PACKAGES = frozenset(("fiona", "osgeo", "pyogrio", "rasterio"))
# False if a program imported gdal_zarr, and Python did not process gdal_zarr_start.pth
CAME_WITH_PYTHON = "gdal_zarr" not in sys.modules


class Waiting:
    """Finder of modules that prepares the libgdal of a package before Python loads the package. It finds no modules, except
    a rasterio for whose GDAL there is no plugin."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in PACKAGES:
            try:
                from gdal_zarr import libraries

                return libraries.prepare(name)
            except Exception as error:  # the package that is imported works without the driver
                import warnings

                warnings.warn(f"gdal_zarr: the GDAL of {name} does not use the driver: {error!r}", stacklevel=2)
        return None


def wait():
    if Waiting not in sys.meta_path:
        sys.meta_path.insert(0, Waiting)


def do_not_wait():
    if Waiting in sys.meta_path:
        sys.meta_path.remove(Waiting)


if os.environ.get("GDAL_ZARR", "").upper() not in ("NO", "OFF", "FALSE", "0"):
    wait()
