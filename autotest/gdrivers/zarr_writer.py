# SPDX-License-Identifier: MIT
"""Writes random Zarr v2 arrays with zarr-python 2, and records the values that readers must return."""

import base64
import gzip
import itertools
import json
import math
import pathlib
import warnings

import numcodecs
import numpy as np
import zarr
import zarr_random_codecs as codecs
import zarr_random_types as types

SHAPES = ["0d", "1d", "1d", "2d", "2d", "2d", "2d", "3d", "3d", "4d", "more"]
MAX_ELEMENTS = 3000
MAX_CHUNKS = 150


class RandomArray:
    """A random array in a store of its own: the folder of the store, the array's path in the store ("" for the root),
    the values that readers must return, and labels. Labels are properties such as kind and codecs, which
    test_zarr_property.py counts."""

    def __init__(self, store, path, values, labels):
        self.store = pathlib.Path(store)
        self.path = path
        self.values = values
        self.labels = labels

    @property
    def metadata(self):
        return json.loads((self.store / self.path / ".zarray").read_text())

    def describe(self):
        return f"{self.store}/{self.path}: {json.dumps(self.metadata)}"


def random_shape(draw, label):
    dims = {"0d": 0, "1d": 1, "2d": 2, "3d": 3, "4d": 4}.get(label) or 0
    if label == "more":
        dims = draw.choice([5, 6, 9])
    shape = []
    for _ in range(dims):
        room = max(1, int(MAX_ELEMENTS ** (1 / dims)) if dims > 4 else 10 ** (4 - dims) + 12)
        left = MAX_ELEMENTS // max(1, math.prod(shape))
        size = 1 if draw.chance(0.15) else draw.integer(1, max(1, min(room, left)))
        shape.append(size)
    draw.random.shuffle(shape)
    if dims and draw.chance(0.04):
        shape[draw.integer(0, dims - 1)] = 0
    return tuple(shape)


def random_chunks(draw, shape):
    """Draws the chunk size along each dimension, from 1 to more than the array's size. The array gets at
    most MAX_CHUNKS chunks."""
    chunks = [draw.integer(1, size + 3) for size in shape]
    while math.prod(-(-s // c) for s, c in zip(shape, chunks)) > MAX_CHUNKS:
        i = draw.integer(0, len(shape) - 1)
        chunks[i] = min(shape[i] + 3, chunks[i] * 2)
    return tuple(chunks)


class Plan:
    """Random properties of array number `index` of the run with the seed `seed`. All are drawn before the
    array is written."""

    def __init__(self, seed, index):
        draw = self.draw = types.Draw(seed, index)
        self.kind = draw.deck("kind", types.KINDS, index)
        turn = index // len(types.KINDS)
        self.dtype = types.random_dtype(draw, self.kind, turn)
        self.shape = random_shape(draw, self._shape_label(index))
        self.chunks = random_chunks(draw, self.shape)
        self.order, self.separator = draw.choice("CF"), draw.choice("./")
        if self.kind == "object-json":
            self.order = "C"  # zarr-python 2 reads json2 arrays of order F wrongly
        self.compressor_label = draw.deck("compressor", codecs.COMPRESSORS, index)
        self.compressor, self.compressor_name = codecs.make_compressor(
            draw, self.compressor_label, index // len(codecs.COMPRESSORS)
        )
        if not self.shape:  # zarr-python does not compress arrays without dimensions
            self.compressor, self.compressor_label, self.compressor_name = None, "none", "none"
        self.filters, self.filter_names, self.values = codecs.make_chain(
            draw, self.kind, self.dtype, self._values, turn
        )
        first = (self.filters + [self.compressor])[0]
        if self.dtype.names and isinstance(first, numcodecs.GZip):  # GZip as the first codec cannot encode a structure with times
            self.filters.insert(0, numcodecs.Shuffle(1))
            self.filter_names.insert(0, "shuffle")
        self.path = draw.choice(["", "", "elevation", "level_1/L2 data/values"])
        self.fill = types.random_fill(draw, self.kind, self.dtype)
        self.consolidated = draw.chance(0.2)

    def _shape_label(self, index):
        label = self.draw.deck("shape", SHAPES, index)
        if self.dtype.names and self.draw.chance(0.9):
            # test_zarr_property.py reads structures as rasters only if they have one of these shapes.
            label = self.draw.choice(["0d", "1d", "2d"])
        if self.kind == "object-json" and label == "0d":
            label = "1d"  # numcodecs' json2 cannot encode a scalar
        return label

    def _values(self, gentle):
        return types.random_values(self.draw, self.kind, self.dtype, self.shape, gentle)

    def labels(self):
        dtype, overhangs = self.dtype, zip(self.shape, self.chunks)
        return {
            "kind": self.kind, "byte order": dtype.str[0] if not dtype.names else "struct",
            "unit": np.datetime_data(dtype)[0] if dtype.kind in "mM" else None,
            "unit multiple": dtype.kind in "mM" and np.datetime_data(dtype)[1] > 1,
            "dims": len(self.shape), "empty": 0 in self.shape, "order": self.order,
            "separator": self.separator, "compressor": self.compressor_name,
            "filters": tuple(self.filter_names), "fill": _fill_label(self.fill),
            "grouped": bool(self.path), "overhang": any(c < s and s % c for s, c in overhangs),
            "consolidated": self.consolidated,
        }  # fmt: skip


def write_random_array(folder, seed, index):
    """Writes array number `index` of the run with the seed `seed` below `folder`. Returns a RandomArray."""
    plan = Plan(seed, index)
    store = pathlib.Path(folder) / f"array{index}.zarr"
    directory = zarr.DirectoryStore(str(store))
    if plan.path:
        zarr.group(directory)
    with warnings.catch_warnings():
        # zarr-python warns about casts that overflow outside of the array, and about an object codec in
        # `filters`.
        warnings.simplefilter("ignore")
        array = zarr.create(
            plan.shape, chunks=plan.chunks, dtype=plan.dtype, compressor=plan.compressor,
            filters=plan.filters or None, order=plan.order, fill_value=plan.fill,
            dimension_separator=plan.separator, store=directory, path=plan.path or None,
        )  # fmt: skip
        if math.prod(plan.shape):
            array[...] = plan.values
    labels = plan.labels()
    labels["missing chunks"] = _remove_chunks(plan.draw, array, store / plan.path)
    if plan.compressor_label == "gzip-members":
        _split_gzip_members(plan.draw, store / plan.path)
    zarray = store / plan.path / ".zarray"
    labels["respelled fill"] = _respell_fill(plan.draw, plan.dtype, zarray)
    if plan.consolidated:
        zarr.consolidate_metadata(directory)
    return RandomArray(store, plan.path, _expected(directory, plan.path), labels)


def chunk_files(array, folder):
    """Yields (index, file) of every chunk in the grid. The file may be absent."""
    separator = array._dimension_separator or "."
    for index in itertools.product(*(range(n) for n in array.cdata_shape)):
        yield index, folder / (separator.join(map(str, index)) or "0")


def _remove_chunks(draw, array, folder):
    share = draw.choice([0, 0, 0.3, 1])
    missing = False
    for _, file in chunk_files(array, folder):
        if draw.chance(share):
            file.unlink(missing_ok=True)
            missing = True
    return missing


def _split_gzip_members(draw, folder):
    """Rewrites every chunk as several gzip members. Readers must decode and join all members."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith("."):
            data = gzip.decompress(file.read_bytes())
            cut = draw.integer(0, len(data))
            parts = [data[:cut], data[cut:]]
            file.write_bytes(b"".join(gzip.compress(part) for part in parts))


def _respell_fill(draw, element_dtype, zarray):
    """Writes the fill value in another spelling that the specification allows, or that Python's JSON
    accepts."""
    metadata = json.loads(zarray.read_text())
    dtype, fill = metadata["dtype"], metadata["fill_value"]
    if not draw.chance(0.5):
        return False
    if isinstance(dtype, list):
        if not fill:
            return False
        element = types.random_values(draw, "struct", element_dtype, (1,))
        metadata["fill_value"] = base64.b64encode(element.tobytes()).decode()
    elif dtype[1] in "mM" and fill == -(2**63):
        metadata["fill_value"] = "NaT"
    elif dtype == "|O" and fill == 0:
        metadata["fill_value"] = ""
    elif dtype[1] == "f" and fill in ("NaN", "Infinity", "-Infinity"):
        metadata["fill_value"] = float(fill)  # json.dumps() writes NaN and Infinity without quotes
    else:
        return False
    zarray.write_text(json.dumps(metadata))
    return True


def _fill_label(fill):
    if fill is None:
        return "null"
    if isinstance(fill, (float, np.floating)) and not np.isfinite(fill):
        return str(float(fill))
    if isinstance(fill, (complex, np.complexfloating)):
        return "complex"
    if isinstance(fill, int) and fill == -(2**63):
        return "NaT"
    return "value"


def _expected(directory, path):
    """Returns the values that zarr-python reads. If the fill value is null, zarr-python leaves random memory
    in absent chunks; this function returns zeros there."""
    array = zarr.open_array(zarr.DirectoryStore(directory.path), mode="r", path=path or None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.array(array[...])
    if array.fill_value is None:
        folder = pathlib.Path(directory.path) / path
        for index, file in chunk_files(array, folder):
            if not file.exists():
                where = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, array.chunks))
                values[where] = np.zeros((), values.dtype)
    return values
