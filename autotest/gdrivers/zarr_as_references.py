# SPDX-License-Identifier: MIT
"""Lets tests of plain stores run with Kerchunk references, and with repositories of Icechunk.

Within opening(), gdal.Open() and gdal.OpenEx() open the folder of a store for reading through references:
the chunks are packed into one file, and refs.json refers to them. Or the package icechunk copies a store of
v3 into a repository. Each call copies the store anew, so that it shows
the store's current files. Other names, and all calls for update, are unchanged.
"""

import contextlib
import itertools
import pathlib
import tempfile

from zarr_references import DOCUMENTS, PYTHON, pack, write_json
from zarr_tools import Program, plain_environment


_copier = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_icechunk_program.py")], plain_environment("PYTHONPATH"))


def to_kerchunk(folder, place):
    """Writes references to a store. Returns their path."""
    return write_json(place / f"{folder.name}.json", pack(folder, place / "packed.bin", inline=16))


def to_icechunk(folder, place):
    """Writes a repository with the contents of a store of v3. Returns its path, or the path of another
    store itself."""
    if not (folder / "zarr.json").is_file():
        return folder
    target = place / folder.name
    status, printed = _copier.ask([str(folder), str(target)])
    assert status == 0, f"icechunk does not take {folder}: {printed}"
    return target


def _is_store(folder):
    return folder.is_dir() and any((folder / name).is_file() for name in DOCUMENTS)


def _translate(name, place, write):
    """Returns `name` with the folder of its store replaced by the path of references, which `write`
    writes to `place`."""
    prefix, path, node = "", str(name), ""
    if path.upper().startswith('ZARR:"'):
        path, _, node = path[6:].partition('"')
        prefix, node = 'ZARR:"', '"' + node
    folder = pathlib.Path(path)
    if not path or not _is_store(folder):
        return name
    place.mkdir()
    return f"{prefix}{write(folder, place)}{node}"


@contextlib.contextmanager
def opening(write):
    from osgeo import gdal  # conftest.py imports this file before GDAL may be loaded

    before = gdal.Open, gdal.OpenEx
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder:

        def translate(name):
            return _translate(name, pathlib.Path(folder) / str(next(numbers)), write)

        def open_dataset(name, access=gdal.GA_ReadOnly):
            return before[0](name if access == gdal.GA_Update else translate(name), access)

        def open_ex(name, flags=0, *args, **kwargs):
            return before[1](name if flags & gdal.OF_UPDATE else translate(name), flags, *args, **kwargs)

        gdal.Open, gdal.OpenEx = open_dataset, open_ex
        try:
            yield
        finally:
            gdal.Open, gdal.OpenEx = before
