# SPDX-License-Identifier: MIT
"""Collects messages of GDAL instead of printing them."""

from osgeo import gdal


class Messages:
    """Context manager that collects warnings and errors of GDAL. One object may be entered several times."""

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
