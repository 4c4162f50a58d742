# SPDX-License-Identifier: MIT
"""Repeats tests of plain stores with Kerchunk references and with repositories of Icechunk.

Within opening(), gdal.Open() and gdal.OpenEx() read the store's folder through references. The chunks are
packed into one file, and refs.json refers to them. For Icechunk, the package icechunk copies a v3 store into a
repository. Each call copies the store anew, to include the latest files of the store. Calls with other names,
and calls for update, are passed on unchanged.
"""

import contextlib
import itertools
import pathlib
import tempfile

from zarr_references import DOCUMENTS, PYTHON, pack, write_json
from zarr_tools import Program, plain_environment


_copier = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_icechunk_program.py")], plain_environment("PYTHONPATH"))


def to_kerchunk(folder, place):
    """Writes a JSON document of Kerchunk references to the store `folder`, and returns the path of the
    document."""
    return write_json(place / f"{folder.name}.json", pack(folder, place / "packed.bin", inline=16))


def to_icechunk(folder, place):
    """Copies a v3 store into an Icechunk repository and returns the repository's path. If `folder` is not a
    v3 store, returns `folder`."""
    if not (folder / "zarr.json").is_file():
        return folder
    target = place / folder.name
    status, printed = _copier.ask([str(folder), str(target)])
    assert status == 0, f"icechunk does not take {folder}: {printed}"
    return target


def _is_store(folder):
    return folder.is_dir() and any((folder / name).is_file() for name in DOCUMENTS)


def _translate(name, place, write):
    """Returns `name` with the store's folder replaced by a copy of the store. `write` writes the copy, such
    as references, to `place`, and returns its path."""
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
