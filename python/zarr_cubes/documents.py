# SPDX-License-Identifier: MIT
"""Metadata documents of Zarr v2 and v3, and chunks of coordinates, of a cube."""

import numpy as np

V3_TYPES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
V3_CODECS = {"zlib": "numcodecs.zlib", "lzma": "numcodecs.lzma", "shuffle": "numcodecs.shuffle", "zstd": "zstd",
             "fletcher32": "numcodecs.fletcher32"}  # fmt: skip
ARRAY_FILTERS = ("imagecodecs_delta", "imagecodecs_floatpred", "delta", "fixedscaleoffset", "astype")


def number(value, dtype):
    """Returns a fill value as JSON has it."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if np.dtype(dtype).kind == "c":
        value = complex(value)
        return [number(value.real, "f8"), number(value.imag, "f8")]
    if np.dtype(dtype).kind in "iu":
        return int(value)
    value = float(value)
    if np.isnan(value):
        return "NaN"
    return value if np.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def attributes(spec):
    attrs = dict(spec.attrs)
    if "_FillValue" in attrs:
        attrs["_FillValue"] = number(attrs["_FillValue"], spec.dtype)
    return attrs


def filters_of(spec):
    return [{**codec, "shape": list(spec.chunks)} if "shape" in codec else codec for codec in spec.filters or ()]


def v2(spec):
    """Returns (.zarray, .zattrs) of an array."""
    fill = spec.fill
    if fill is not None and np.dtype(spec.dtype).kind in "fiuc":
        fill = number(fill, spec.dtype)
    array = {"zarr_format": 2, "shape": list(spec.shape), "chunks": list(spec.chunks), "dtype": spec.dtype,
             "compressor": spec.compressor, "filters": filters_of(spec) or None, "fill_value": fill, "order": "C",
             "dimension_separator": "."}  # fmt: skip
    return array, {"_ARRAY_DIMENSIONS": list(spec.dims), **attributes(spec)}


def v3(spec):
    """Returns zarr.json of an array."""
    dtype = np.dtype(spec.dtype)
    name = "bool" if dtype.kind == "b" else f"{V3_TYPES[dtype.kind]}{dtype.itemsize * 8}"
    fill = spec.fill if spec.fill is not None else 0
    codecs, after, serializer = [], [], None
    for codec in filters_of(spec):
        if codec["id"] == "grib":
            serializer = v3_codec(codec)
        else:
            (codecs if codec["id"] in ARRAY_FILTERS else after).append(v3_codec(codec))
    endian = {"endian": "big" if spec.dtype[0] == ">" else "little"}
    codecs.append(serializer or {"name": "bytes", **({"configuration": endian} if dtype.itemsize > 1 else {})})
    codecs += after + ([v3_codec(spec.compressor)] if spec.compressor else [])
    return {"zarr_format": 3, "node_type": "array", "shape": list(spec.shape), "data_type": name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(spec.chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": bool(fill) if dtype.kind == "b" else number(fill, spec.dtype), "codecs": codecs,
            "attributes": attributes(spec), "dimension_names": list(spec.dims)}  # fmt: skip


def v3_codec(codec):
    configuration = {name: value for name, value in codec.items() if name != "id"}
    if codec["id"] == "zstd":
        configuration = {"level": 0, "checksum": False}
    return {"name": V3_CODECS.get(codec["id"], codec["id"]), "configuration": configuration}


def value_chunks(array):
    """Yields (position in the grid, bytes) of an array that has values."""
    spec, values = array.spec, np.asarray(array.values)
    for at in np.ndindex(*spec.grid):
        part = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, spec.chunks))]
        part = part if part.ndim == 0 else np.pad(part, [(0, c - n) for n, c in zip(part.shape, spec.chunks)])
        yield at, part.astype(spec.dtype).tobytes()
