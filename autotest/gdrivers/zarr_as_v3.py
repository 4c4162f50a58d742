# SPDX-License-Identifier: MIT
"""Copies of stores of Zarr v2 as Zarr v3 has them, with chunks and what is said unchanged. What
OME-NGFF 0.4 says becomes what 0.5 says: below `ome`, where the version stands once."""

import json
import pathlib
import shutil

import numpy as np

OME = (
    "multiscales", "omero", "plate", "well", "labels", "image-label", "bioformats2raw.layout", "series",
)  # fmt: skip
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")


def codec(name, **configuration):
    return {"name": name, "configuration": configuration}


def without_version(value):
    return {k: v for k, v in value.items() if k != "version"} if isinstance(value, dict) else value


def is_ome(name, value):
    """Other conventions have `multiscales` of their own."""
    if name == "multiscales":
        return isinstance(value, list) and value and "axes" in value[0]
    return name in OME


def ome_05(attributes, version="0.5"):
    """Attributes as this version of OME-NGFF has them."""
    below = {name: value for name, value in attributes.items() if is_ome(name, value)}
    if not below:
        return attributes
    rest = {name: value for name, value in attributes.items() if name not in below}
    below = {
        name: [without_version(item) for item in value] if isinstance(value, list)
        else without_version(value)
        for name, value in below.items()
    }  # fmt: skip
    return {**rest, "ome": {"version": version, **below}}


def array_document(array, attributes):
    dtype, attributes = np.dtype(array["dtype"]), dict(attributes)
    endian = {"endian": "big" if dtype.str[0] == ">" else "little"} if dtype.itemsize > 1 else {}
    if dtype.kind == "U":
        data_type = codec("fixed_length_utf32", length_bytes=dtype.itemsize)
    elif dtype.kind in "mM":
        unit, factor = np.datetime_data(dtype)
        name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
        data_type = codec(name, unit=unit, scale_factor=factor)
    else:
        data_type = dtype.name
    assert array["order"] == "C" and not array["filters"], array
    chain = [codec("bytes", **endian)]
    compressor = dict(array["compressor"] or {})
    name = compressor.pop("id", None)
    if name == "blosc":
        shuffle = compressor["shuffle"]
        if shuffle == -1:
            shuffle = 2 if dtype.itemsize == 1 else 1
        compressor.update(shuffle=SHUFFLES[shuffle], typesize=dtype.itemsize)
    elif name == "zstd":
        compressor.setdefault("checksum", False)
    elif name == "zlib":
        name = "numcodecs.zlib"
    if name is not None:
        chain.append(codec(name, **compressor))
    fill = array["fill_value"]
    if fill is None:
        fill = "" if dtype.kind == "U" else 0
        attributes["gdal_has_nodata"] = False
    document = {
        "zarr_format": 3, "node_type": "array", "shape": array["shape"], "data_type": data_type,
        "chunk_grid": codec("regular", chunk_shape=array["chunks"]),
        "chunk_key_encoding": codec("v2", separator=array.get("dimension_separator", ".")),
        "fill_value": fill, "codecs": chain,
    }  # fmt: skip
    names = attributes.pop("_ARRAY_DIMENSIONS", None)
    if names is not None:
        document["dimension_names"] = names
    return {**document, "attributes": ome_05(attributes)}


def as_v3(store, target, change=ome_05):
    """A copy of the store at `target`; `change` makes attributes of groups of attributes. Folders on
    the way to a node become groups. Returns the target."""
    store, target = pathlib.Path(store), pathlib.Path(target)
    shutil.copytree(store, target)
    nodes = {}
    for base in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        read = {
            name: json.loads((base / name).read_text())
            for name in (".zarray", ".zgroup", ".zattrs") if (base / name).exists()
        }  # fmt: skip
        attributes = read.get(".zattrs", {})
        if ".zarray" in read:
            nodes[base] = array_document(read[".zarray"], attributes)
        elif ".zgroup" in read:
            nodes[base] = {
                "zarr_format": 3, "node_type": "group", "attributes": change(attributes)
            }  # fmt: skip
        for name in (*read, ".zmetadata"):
            (base / name).unlink(missing_ok=True)
    assert nodes, store
    if (store / ".zmetadata").exists():
        nodes[target]["consolidated_metadata"] = {
            "kind": "inline", "must_understand": False,
            "metadata": {
                str(path.relative_to(target)): dict(node)
                for path, node in nodes.items() if path != target
            },
        }  # fmt: skip
    for path, node in nodes.items():
        (path / "zarr.json").write_text(json.dumps(node))
    return target
