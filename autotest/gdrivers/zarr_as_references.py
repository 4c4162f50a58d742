# SPDX-License-Identifier: MIT
"""Lets tests of plain stores run with Kerchunk references.

Within opening(), gdal.Open() and gdal.OpenEx() open the folder of a store for reading through references:
the chunks are packed into one file, and refs.json refers to them. Each call packs the store anew, so that
it shows the store's current files. Other names, and all calls for update, are unchanged.
"""

import contextlib
import itertools
import pathlib
import tempfile

from zarr_references import DOCUMENTS, pack, write_json


def _is_store(folder):
    return folder.is_dir() and any((folder / name).is_file() for name in DOCUMENTS)


def _translate(name, place):
    """Returns `name` with the folder of its store replaced by the path of references, which are
    written to `place`."""
    prefix, path, node = "", str(name), ""
    if path.upper().startswith('ZARR:"'):
        path, _, node = path[6:].partition('"')
        prefix, node = 'ZARR:"', '"' + node
    folder = pathlib.Path(path)
    if not path or not _is_store(folder):
        return name
    place.mkdir()
    document = write_json(place / f"{folder.name}.json", pack(folder, place / "packed.bin", inline=16))
    return f"{prefix}{document}{node}"


@contextlib.contextmanager
def opening():
    from osgeo import gdal  # conftest.py imports this file before GDAL may be loaded

    before = gdal.Open, gdal.OpenEx
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder:

        def translate(name):
            return _translate(name, pathlib.Path(folder) / str(next(numbers)))

        def open_dataset(name, access=gdal.GA_ReadOnly):
            return before[0](name if access == gdal.GA_Update else translate(name), access)

        def open_ex(name, flags=0, *args, **kwargs):
            return before[1](name if flags & gdal.OF_UPDATE else translate(name), flags, *args, **kwargs)

        gdal.Open, gdal.OpenEx = open_dataset, open_ex
        try:
            yield
        finally:
            gdal.Open, gdal.OpenEx = before
