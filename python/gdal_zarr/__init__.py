# SPDX-License-Identifier: MIT
"""A GDAL driver for Zarr. Once the package is installed, rasterio, osgeo, fiona and pyogrio use the driver without
further steps.

The environment variable GDAL_ZARR=NO leaves the driver out. enable() and disable() do it from a program, and
`python -m gdal_zarr` says which GDAL uses it."""

from gdal_zarr.libraries import disable, enable

__all__ = ["disable", "enable"]
