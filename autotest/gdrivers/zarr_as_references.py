# SPDX-License-Identifier: MIT
"""Runs tests of plain stores again through Kerchunk references or Icechunk repositories. Within opening(), gdal.Open()
and gdal.OpenEx() open a copy of the named store. The copy is a JSON document of references to one file with all chunks,
or a repository into which the package icechunk copies a v3 store. A changed store is copied again. Stores that are
opened for update, and other datasets, are not copied."""

import contextlib
import itertools
import pathlib
import tempfile

from zarr_references import DOCUMENTS, PYTHON, pack, write_json
from zarr_tools import Program, plain_environment


_copier = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_icechunk_program.py")], plain_environment("PYTHONPATH"))


def to_kerchunk(folder, output):
    """Packs the chunks of the store `folder` into one file in the folder `output`, and writes a JSON document of
    Kerchunk references to this file there. Returns the path of the document."""
    return write_json(output / f"{folder.name}.json", pack(folder, output / "packed.bin", inline=16))


def to_icechunk(folder, output):
    """Copies the v3 store `folder` into an Icechunk repository in the folder `output`. Returns the path of the
    repository. If `folder` is not a v3 store, returns `folder`."""
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
    """If `name` names a store, returns `name` with the path of the store replaced by copy(path). Otherwise returns
    `name` unchanged."""
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
    """Context manager in which gdal.Open() and gdal.OpenEx() open copies of stores. write(folder, place) copies the
    store `folder` into the empty folder `place`, and returns the path of the copy."""
    from osgeo import gdal  # imported here, because conftest.py imports this module before GDAL may be loaded

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
