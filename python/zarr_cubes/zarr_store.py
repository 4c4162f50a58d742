# SPDX-License-Identifier: MIT
"""A Zarr store, or Kerchunk's references, as arrays of references. The driver lists the chunks: it writes references to a
document in memory, which is read here."""

import base64
import itertools
import json

import numpy as np
from osgeo import gdal

from zarr_cubes import grid
from zarr_cubes.files import gdal_name
from zarr_cubes.hdf5 import SMALL
from zarr_cubes.model import Array, Refused, Source

NUMBER = itertools.count()


def scan(name, options):
    grid.require_driver(f"{name}: a Zarr store as input")
    references, root = listed(name)
    source = Source(name, None)
    for key, text in references.items():
        folder, _, last = key.rpartition("/")
        if last == "zarr.json":
            raise Refused(f"{name}: a store of Zarr v3; zarr_cube joins stores of Zarr v2 (gdalmdimtranslate -co FORMAT=ZARR_V2)")
        if last == ".zgroup":
            source.attrs[folder] = json.loads(references.get(f"{folder}/.zattrs".lstrip("/"), "{}"))
    for key in [key for key in references if key.rpartition("/")[2] == ".zarray"]:
        path = key.rpartition("/")[0]
        array = array_of(name, path, json.loads(references[key]), json.loads(references.get(path + "/.zattrs", "{}")))
        if array is not None:
            locate(name, path, array, references)
            if np.prod(array.shape) <= SMALL and len(array.shape) < 2:
                array.values = root.OpenMDArrayFromFullname("/" + path).ReadAsArray()
            source.arrays[path] = array
    if not source.arrays:
        raise Refused(f"{name}: no arrays of numbers")
    return source


def listed(name):
    """Returns the references to the chunks of a store, and its open root group."""
    temporary = f"/vsimem/zarr_cube/{next(NUMBER)}.json"
    dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["Zarr"])
    made = dataset and gdal.GetDriverByName("Zarr").CreateCopy(temporary, dataset, options=["CONVERT_TO_KERCHUNK_JSON=YES"])
    if made is None:
        raise Refused(f"{name}: no store that the driver can list: {gdal.GetLastErrorMsg()}")
    made = None
    document = grid.attributes_in(temporary)
    gdal.Unlink(temporary)
    return document["refs"], dataset.GetRootGroup()


def array_of(name, path, document, attrs):
    if not isinstance(document["dtype"], str) or np.dtype(document["dtype"]).kind not in "iufbc" or document["order"] != "C":
        return None
    dims = attrs.pop("_ARRAY_DIMENSIONS", None) or [f"{path.replace('/', '_')}_dim{i}" for i in range(len(document["shape"]))]
    fill = document["fill_value"]
    if isinstance(fill, str):
        fill = float(fill.replace("Infinity", "inf"))
    return Array(tuple(dims), tuple(document["shape"]), tuple(document["chunks"]), document["dtype"], document["compressor"],
                 document["filters"], fill, attrs)  # fmt: skip


def locate(name, path, array, references):
    count = int(np.prod(array.grid, dtype=object))
    array.offsets, array.lengths = np.zeros(count, "u8"), np.zeros(count, "u8")
    array.file = [None] * count
    for i, at in enumerate(np.ndindex(*array.grid)):
        keys = (separator.join(map(str, at)) if at else "0" for separator in "./")
        value = next((references[f"{path}/{key}"] for key in keys if f"{path}/{key}" in references), None)
        if isinstance(value, str):
            is_coded = value.startswith("base64:")
            array.inline[i] = base64.b64decode(value[7:]) if is_coded else value.encode()
        elif value is not None:
            array.file[i] = gdal_name(value[0])
            array.offsets[i], array.lengths[i] = value[1:] if len(value) == 3 else (0, size_of(name, array.file[i]))


def size_of(name, chunk):
    state = gdal.VSIStatL(chunk)
    if state is None:
        raise Refused(f"{name}: the chunk {chunk} is absent")
    return state.size
