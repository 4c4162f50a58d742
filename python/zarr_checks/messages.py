# SPDX-License-Identifier: MIT
"""Collects messages of GDAL, so that they are not printed."""

from osgeo import gdal


class Messages:
    """Context manager that collects GDAL's warnings and errors. An object may be used for several `with`
    statements."""

    def __init__(self):
        self.texts = []
        self.errors = []

    def __enter__(self):
        gdal.PushErrorHandler(self._add)
        return self

    def __exit__(self, *_):
        gdal.PopErrorHandler()

    def _add(self, kind, _, text):
        if kind >= gdal.CE_Warning:
            self.texts.append(text)
        if kind >= gdal.CE_Failure:
            self.errors.append(text)
