# SPDX-License-Identifier: MIT
"""Repeats tests of plain stores with Kerchunk references and with repositories of Icechunk.

Within opening(), gdal.Open() and gdal.OpenEx() read the store's folder through references. The chunks are
packed into one file, and refs.json refers to them. For Icechunk, the package icechunk copies a v3 store into a
repository. A store that has changed since the last call is copied anew. Calls with other names, and calls for
update, are passed on unchanged.
"""

import contextlib
import itertools
import pathlib
import tempfile

from zarr_references import DOCUMENTS, PYTHON, pack, write_json
from zarr_tools import Program, plain_environment


_copier = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_icechunk_program.py")], plain_environment("PYTHONPATH"))


def to_kerchunk(folder, output):
    """Writes a JSON document of Kerchunk references to the store `folder`, and returns the path of the
    document."""
    return write_json(output / f"{folder.name}.json", pack(folder, output / "packed.bin", inline=16))


def to_icechunk(folder, output):
    """Copies a v3 store into an Icechunk repository and returns the repository's path. If `folder` is not a
    v3 store, returns `folder`."""
    if not (folder / "zarr.json").is_file():
        return folder
    target = output / folder.name
    status, printed = _copier.ask([str(folder), str(target)])
    assert status == 0, f"icechunk does not take {folder}: {printed}"
    return target


def _is_store(folder):
    return folder.is_dir() and any((folder / name).is_file() for name in DOCUMENTS)


def _state(folder):
    """Returns a value that changes if a program writes a file of `folder`."""
    found = [(str(path), path.stat()) for path in folder.rglob("*")]
    return tuple(sorted((path, file.st_ino, file.st_size, file.st_mtime_ns) for path, file in found))


def _translate(name, copy):
    """Returns `name` with the store's folder replaced by copy(folder), the path of a copy."""
    prefix, path, node = "", str(name), ""
    if path.upper().startswith('ZARR:"'):
        path, _, node = path[6:].partition('"')
        prefix, node = 'ZARR:"', '"' + node
    folder = pathlib.Path(path)
    if not path or not _is_store(folder):
        return name
    return f"{prefix}{copy(folder)}{node}"


@contextlib.contextmanager
def opening(write):
    """Context manager: gdal.Open() and gdal.OpenEx() read copies of stores. write(folder, place) copies the
    store `folder` into the empty folder `place`, and returns the path of the copy."""
    from osgeo import gdal  # conftest.py imports this file before GDAL may be loaded

    before = gdal.Open, gdal.OpenEx
    copies = {}  # folder of a store -> its state when it was copied, and the path of the copy
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as temporary:

        def copy(folder):
            state = _state(folder)
            if folder not in copies or copies[folder][0] != state:
                place = pathlib.Path(temporary) / str(next(numbers))
                place.mkdir()
                copies[folder] = state, write(folder, place)
            return copies[folder][1]

        def translate(name):
            return _translate(name, copy)

        def open_dataset(name, access=gdal.GA_ReadOnly):
            return before[0](name if access == gdal.GA_Update else translate(name), access)

        def open_ex(name, flags=0, *args, **kwargs):
            return before[1](name if flags & gdal.OF_UPDATE else translate(name), flags, *args, **kwargs)

        gdal.Open, gdal.OpenEx = open_dataset, open_ex
        try:
            yield
        finally:
            gdal.Open, gdal.OpenEx = before
