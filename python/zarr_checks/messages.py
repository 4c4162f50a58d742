# SPDX-License-Identifier: MIT
"""Messages of GDAL, collected instead of printed."""

from osgeo import gdal


class Messages:
    """Collects warnings and errors while it is entered. May be entered again."""

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
