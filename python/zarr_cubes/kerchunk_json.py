# SPDX-License-Identifier: MIT
"""Writes a cube as Kerchunk's references, version 1: a JSON document, or Parquet files, which this driver makes of it."""

import base64
import contextlib
import functools
import json
import os
import shutil
import tempfile

import numpy as np
from osgeo import gdal

from zarr_cubes import documents
from zarr_cubes.files import is_local, location
from zarr_cubes.model import Refused


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def texts(cube):
    """Yields (key, text) of the documents and of inline values."""
    for path, attrs in cube.groups.items():
        prefix = f"{path}/" if path else ""
        yield prefix + ".zgroup", compact({"zarr_format": 2})
        if attrs:
            yield prefix + ".zattrs", compact(attrs)
    for path, array in cube.arrays.items():
        document, attrs = documents.v2(array.spec)
        yield path + "/.zarray", compact(document)
        yield path + "/.zattrs", compact(attrs)
        if array.values is not None:
            for at, data in documents.value_chunks(array):
                yield f"{path}/{key_of(at)}", "base64:" + base64.b64encode(data).decode()


def key_of(at):
    return ".".join(map(str, at)) if len(at) else "0"


@functools.lru_cache(maxsize=256)
def positions(grid):
    """Returns the positions of all chunks of a grid, in order C, as an array of numbers."""
    return np.indices(grid).reshape(len(grid), -1).T if grid else np.zeros((1, 0), int)


def places(spec, piece):
    """Returns the positions in the cube's grid of a piece's chunks: an array with a row for each chunk."""
    missing = len(spec.shape) - len(piece.array.shape)
    grid = (1,) * missing + piece.array.grid
    return positions(grid) + np.array(piece.at, int)


def references(path, array):
    """Yields texts of members of the JSON object: the references of all pieces."""
    for piece in array.pieces:
        part = piece.array
        at = places(array.spec, piece)
        prefix = compact(path)[:-1] + "/"
        several = isinstance(part.file, list)
        name = compact(location(piece.source.name) if not part.file or several else part.file)
        for i in np.flatnonzero(part.lengths):
            named = compact(part.file[i]) if several else name
            yield f'{prefix}{key_of(at[i])}":[{named},{part.offsets[i]},{part.lengths[i]}]'
        for i, data in part.inline.items():
            yield f'{prefix}{key_of(at[i])}":"base64:{base64.b64encode(data).decode()}"'


def members(cube):
    for key, text in texts(cube):
        yield f"{compact(key)}:{compact(text)}"
    for path, array in cube.arrays.items():
        yield from references(path, array)


def write_json(cube, output):
    """Writes the document beside its name and renames it, so that a reader never sees a part of it."""
    for source in cube.sources:
        if "{{" in source.name:
            raise Refused(f"{source.name}: {{{{ in a name is a template in references; rename the file")
    if os.path.exists(output) and not holds_references(output):
        raise Refused(f"{output}: exists and holds no references; remove it, or choose another name")
    with replaced(output) as name, open(name, "w", encoding="ascii") as out:
        out.write('{"version":1,"refs":{\n')
        first = True
        batch = []
        for member in members(cube):
            batch.append(member)
            if len(batch) == 4096:
                out.write(("" if first else ",\n") + ",\n".join(batch))
                first, batch = False, []
        out.write(("" if first or not batch else ",\n") + ",\n".join(batch) + "\n}}\n")
        out.flush()
        os.fsync(out.fileno())


def holds_references(path):
    try:
        with open(path, "rb") as file:
            return b'"refs"' in file.read(4096)
    except OSError:
        return False


@contextlib.contextmanager
def replaced(output):
    """Yields a name beside `output`, and renames it to `output` at the end."""
    folder = os.path.dirname(os.path.abspath(output))
    try:
        handle, name = tempfile.mkstemp(prefix=os.path.basename(output) + ".", suffix=".partial", dir=folder)
    except OSError as why:
        raise Refused(f"{output}: {why.strerror or why}") from None
    os.close(handle)
    try:
        yield name
        os.chmod(name, 0o666 & ~umask())
        os.replace(name, output)
    finally:
        if os.path.exists(name):
            os.remove(name)


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_parquet(cube, output):
    """Lets the driver convert the JSON document to Parquet files. The driver renames the folder when it is complete."""
    folder = os.path.dirname(os.path.abspath(output))
    temporary = tempfile.mkdtemp(prefix=os.path.basename(output.rstrip("/")) + ".", suffix=".partial", dir=folder)
    try:
        document = os.path.join(temporary, "refs.json")
        write_json(cube, document)
        with reading_allowed(cube.sources):
            source = gdal.OpenEx(document, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["Zarr"])
            driver = gdal.GetDriverByName("Zarr")
            options = ["CONVERT_TO_KERCHUNK_PARQUET_REFERENCE=YES"]
            if source is None or driver.CreateCopy(output, source, options=options) is None:
                raise Refused(f"{output}: the driver cannot write it: {gdal.GetLastErrorMsg()}")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def folders_of(sources):
    """Returns the folders of local files, without folders that are in others."""
    folders = sorted({os.path.dirname(os.path.realpath(source.name)) for source in sources if is_local(source.name)})
    kept = []
    for folder in folders:
        if not kept or not (folder + "/").startswith(kept[-1].rstrip("/") + "/"):
            kept.append(folder)
    return kept


@contextlib.contextmanager
def reading_allowed(sources):
    before = gdal.GetConfigOption("ZARR_REFERENCE_FOLDERS")
    gdal.SetConfigOption("ZARR_REFERENCE_FOLDERS", os.pathsep.join(folders_of(sources)) or before)
    try:
        yield
    finally:
        gdal.SetConfigOption("ZARR_REFERENCE_FOLDERS", before)


def what_to_set(sources, output):
    """Returns what a reader has to set, as text; None if nothing."""
    base = os.path.realpath(os.path.dirname(os.path.abspath(output)))
    others = [folder for folder in folders_of(sources) if not (os.path.realpath(folder) + "/").startswith(base.rstrip("/") + "/")]
    return f"ZARR_REFERENCE_FOLDERS={os.pathsep.join(others)}" if others else None
