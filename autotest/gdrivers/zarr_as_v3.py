# SPDX-License-Identifier: MIT
"""Converts the metadata documents of Zarr v2 stores to v3 and back. The chunks stay unchanged.

The attributes of OME-NGFF 0.4 are converted to version 0.5: they move into the attribute `ome`, which states the
version once."""

import base64
import json
import math
import pathlib
import shutil
import struct

import numpy as np
import zarr
from zarr.dtype import parse_dtype

OME = (
    "multiscales", "omero", "plate", "well", "labels", "image-label", "bioformats2raw.layout", "series",
)  # fmt: skip
OME_WITH_VERSION = ("multiscales", "plate", "well", "image-label")
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
ELEMENT_FILTERS = ("delta", "fixedscaleoffset", "quantize", "bitround", "astype", "packbits")
TEXT_CODECS = {"vlen-utf8": "string", "vlen-bytes": "variable_length_bytes"}
SAME_NAMES = ("blosc", "gzip", "zstd", "crc32c")
# Attribute that states whether the fill value is the nodata value (1) or not (0). It is written only if the driver's
# default for arrays without this attribute would be wrong.
HAS_NODATA = "gdal_has_nodata"
# Members that zarr.json may have, for an array and for a group.
ARRAY_MEMBERS = {
    "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
    "fill_value", "codecs", "attributes", "dimension_names", "storage_transformers",
}  # fmt: skip
GROUP_MEMBERS = {"zarr_format", "node_type", "attributes", "consolidated_metadata"}


def codec(name, **configuration):
    return {"name": name, "configuration": configuration}


# ---------------------------------------------------------------------------------------------
# Attributes of nodes


def without_version(value):
    return {k: v for k, v in value.items() if k != "version"} if isinstance(value, dict) else value


def is_ome(name, value):
    """True if the attribute `name` belongs to OME-NGFF. Other conventions use the name `multiscales` for a
    different attribute, so its value is examined."""
    if name == "multiscales":
        return isinstance(value, list) and value and "axes" in value[0]
    return name in OME


def ome_05(attributes, version="0.5"):
    """Returns `attributes` with the attributes of OME-NGFF 0.4 converted to `version`. Other attributes stay."""
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


def ome_04(attributes):
    """Returns `attributes` with the attributes of OME-NGFF 0.5 converted to version 0.4. Other attributes stay."""
    if "ome" not in attributes:
        return attributes
    rest = {name: value for name, value in attributes.items() if name != "ome"}
    for name, value in attributes["ome"].items():
        if name == "version":
            continue
        if name in OME_WITH_VERSION:
            items = value if isinstance(value, list) else [value]
            items = [{"version": "0.4", **item} for item in items]
            value = items if isinstance(value, list) else items[0]
        rest.setdefault(name, value)
    return rest


def double_text(value):
    """Returns base64 of a double's bytes. xarray stores the attribute _FillValue of float arrays in this
    encoding."""
    return base64.b64encode(struct.pack("<d", value)).decode()


def names_nodata(attributes):
    return any(attributes.get(name) is not None for name in ("_FillValue", "missing_value"))


def is_default_fill(fill):
    """True if a fill value of v3 is the default of its type: zero, false or an empty text."""
    if isinstance(fill, dict):
        return all(map(is_default_fill, fill.values()))
    if isinstance(fill, list):
        return all(map(is_default_fill, fill))
    if isinstance(fill, str):  # an empty text, or zeros in base64
        return not fill or bool(fill.rstrip("=")) and not fill.rstrip("=").strip("A")
    return fill == 0


def is_fill_nodata_by_default(fill, attributes):
    """True if the driver treats the v3 fill value `fill` as nodata when the attribute HAS_NODATA is absent."""
    is_of_gdal = "_CRS" in attributes and "grid_mapping" not in attributes
    return not is_default_fill(fill) or is_of_gdal


def is_fill_nodata(document):
    """True if the fill value in an array's zarr.json is its nodata value. The .zarray then states this fill
    value; otherwise it states null."""
    attributes = document.get("attributes", {})
    if HAS_NODATA in attributes:
        return bool(attributes[HAS_NODATA])
    return names_nodata(attributes) or is_fill_nodata_by_default(document["fill_value"], attributes)


def mark_fill(document, attributes, is_nodata):
    """Adds HAS_NODATA to `attributes` if the driver would decide otherwise without it. `is_nodata` states whether the
    fill value is the nodata value."""
    if names_nodata(attributes) and is_nodata:
        return
    if is_fill_nodata_by_default(document["fill_value"], attributes) != is_nodata:
        attributes[HAS_NODATA] = int(is_nodata)


def put_attributes(document, attributes, change=ome_05):
    """Converts the attributes of a Zarr v2 node to v3, and writes them into `document`, the node's zarr.json. `change`
    converts the attributes of OME-NGFF."""
    attributes = dict(attributes)
    if document["node_type"] == "array":
        document.pop("dimension_names", None)
        names = attributes.get("_ARRAY_DIMENSIONS")
        if isinstance(names, list) and len(names) == len(document["shape"]):
            document["dimension_names"] = attributes.pop("_ARRAY_DIMENSIONS")
        fill = attributes.get("_FillValue")
        is_float = str(document["data_type"]).startswith("float")
        if is_float and isinstance(fill, (int, float)):
            attributes["_FillValue"] = double_text(fill)
        mark_fill(document, attributes, is_fill_nodata(document))
    # If the old zarr.json has an OME attribute outside of `ome`, the attribute stays outside. Its new value comes from
    # `attributes`.
    old = document.get("attributes", {})
    beside = {name: attributes.pop(name) for name in OME if name in old and name in attributes}
    document["attributes"] = {**change(attributes), **beside}


def attributes_of(document):
    """Returns the attributes of a v3 node, converted to those of Zarr v2."""
    attributes = ome_04(dict(document.get("attributes", {})))
    if document["node_type"] == "array":
        attributes.pop(HAS_NODATA, None)
        if "dimension_names" in document:
            attributes["_ARRAY_DIMENSIONS"] = document["dimension_names"]
        fill = attributes.get("_FillValue")
        if str(document["data_type"]).startswith("float") and isinstance(fill, str):
            try:
                (value,) = struct.unpack("<d", base64.b64decode(fill, validate=True))
                # NaN is always the object math.nan, because dicts compare NaN by identity.
                attributes["_FillValue"] = math.nan if math.isnan(value) else value
            except (ValueError, struct.error):
                pass  # text that is not a double in base64 stays unchanged
    return attributes


# ---------------------------------------------------------------------------------------------
# Data types, codecs and fill values of arrays


def dtype_of(typestr):
    if not isinstance(typestr, list):
        return np.dtype(typestr)
    return np.dtype([(name, dtype_of(kind), *map(tuple, shape)) for name, kind, *shape in typestr])


def typestr_of(data_type, endian="<"):
    """Returns NumPy's type string for a v3 data type; for a structure, returns a list of fields."""
    name = data_type if isinstance(data_type, str) else data_type["name"]
    if name in ("structured", "struct"):
        fields = data_type["configuration"]["fields"]
        fields = [f if isinstance(f, list) else [f["name"], f["data_type"]] for f in fields]
        return [[field, typestr_of(kind, endian)] for field, kind in fields]
    return parse_dtype(data_type, zarr_format=3).to_json(zarr_format=2)["name"].replace("<", endian)


def _codec_in_v3(said, dtype):
    said = dict(said)
    name = said.pop("id")
    if name == "blosc":
        shuffle = said["shuffle"]
        if shuffle == -1:
            shuffle = 2 if dtype.itemsize == 1 else 1
        said.update(shuffle=SHUFFLES[shuffle], typesize=dtype.itemsize)
    elif name == "zstd":
        said.setdefault("checksum", False)
    return codec(name if name in SAME_NAMES else f"numcodecs.{name}", **said)


def codecs_in_v3(array, dtype):
    """Returns the v3 codecs for the filters and the compressor of a .zarray, in encoding order."""
    filters = [dict(item) for item in array["filters"] or []]
    chain = []
    if array["order"] == "F" and len(array["shape"]) > 1:
        chain.append(codec("transpose", order=list(range(len(array["shape"])))[::-1]))
    while filters and filters[0]["id"] in ELEMENT_FILTERS:
        chain.append(_codec_in_v3(filters.pop(0), dtype))
    has_filters = bool(chain) and chain[-1]["name"] != "transpose"
    if filters and filters[0]["id"] in TEXT_CODECS:
        chain.append(codec(filters.pop(0)["id"]))
    else:
        big = dtype.str[0] == ">" or any(dtype[n].str[0] == ">" for n in dtype.names or ())
        wide = dtype.itemsize > 1 and dtype.kind not in "S" or has_filters
        endian = {"endian": "big" if big else "little"} if wide else {}
        chain.append(codec("bytes", **endian))
    compressor = [array["compressor"]] if array["compressor"] else []
    return chain + [_codec_in_v3(item, dtype) for item in filters + compressor]


def _codec_in_v2(said):
    name, said = said["name"], dict(said.get("configuration", {}))
    if name == "blosc":
        said.pop("typesize", None)
        said["shuffle"] = SHUFFLES.index(said["shuffle"])
    elif name == "zstd" and not said["checksum"]:
        del said["checksum"]
    elif name.startswith("numcodecs."):
        name = name.removeprefix("numcodecs.")
        assert name not in SAME_NAMES, name
    elif name.startswith("imagecodecs_"):
        pass  # the same name and options in both versions
    else:
        assert name in SAME_NAMES, name
    return {"id": name, **said}


def codecs_in_v2(codecs, rank):
    """Converts v3 codecs to members of a .zarray: (order, filters, compressor, byte order "<" or ">"). `codecs`
    are the codecs of an array without shards, or the codecs inside of its shards."""
    codecs, order, filters, endian = list(codecs), "C", [], "<"
    if codecs[0]["name"] == "transpose":
        assert codecs.pop(0)["configuration"]["order"] == list(range(rank))[::-1], codecs
        order = "F"
    for said in codecs:
        if said["name"] == "bytes":
            endian = ">" if said.get("configuration", {}).get("endian") == "big" else "<"
        elif said["name"] in TEXT_CODECS:
            filters.append({"id": said["name"]})
        else:
            filters.append(_codec_in_v2(said))
    not_last = (*ELEMENT_FILTERS, *TEXT_CODECS, "crc32", "crc32c", "adler32", "fletcher32", "shuffle")
    compressor = filters.pop() if filters and filters[-1]["id"] not in not_last else None
    return order, filters or None, compressor, endian


def sharding_of(document):
    """Returns the configuration of the array's sharding codec; None if the array has no shards."""
    last = [item for item in document["codecs"] if item["name"] == "sharding_indexed"]
    return last[0]["configuration"] if last else None


def fill_in_v3(fill, dtype):
    if isinstance(fill, (np.generic, np.ndarray)):
        fill = fill.item()
    if dtype.names or dtype.kind == "V":
        zeros = bytes(dtype.itemsize)
        return fill if isinstance(fill, str) else base64.b64encode(zeros).decode()
    if fill is None:
        if dtype.kind in "USO":
            return ""
        return {"c": [0.0, 0.0], "b": False}.get(dtype.kind, 0)
    if dtype.kind == "O":
        return fill or ""
    if dtype.kind == "b":
        return bool(fill)
    return fill


def _fill_in_v2(fill, dtype):
    if isinstance(fill, str) and fill.startswith("0x") and dtype.kind in "fu":
        value = np.frombuffer(bytes.fromhex(fill[2:]), dtype.newbyteorder(">"))[0]
        return "NaN" if value != value else float(value)
    if fill == "NaT":
        return -(2**63)
    if dtype.kind in "OU" and fill == "":
        return None  # an empty text is no nodata value in Zarr v3, because xarray does not mask it
    return fill


def array_document(array, attributes, separator=None, change=ome_05):
    """Returns the zarr.json for a .zarray and its .zattrs. `separator` is the separator of v3's default
    chunk key encoding; if it is None, the chunks keep their v2 keys."""
    texts = [item["id"] for item in array["filters"] or [] if item["id"] in TEXT_CODECS]
    # zarr-python 3.0 stores fixed-length texts ("<U7") with a codec for texts of any length, so their v2 dtype is
    # object.
    dtype = dtype_of("|O" if texts else array["dtype"])
    data_type = TEXT_CODECS[texts[0]] if texts else parse_dtype(dtype, zarr_format=3).to_json(zarr_format=3)
    own = array.get("dimension_separator", ".")
    document = {
        "zarr_format": 3, "node_type": "array", "shape": list(array["shape"]), "data_type": data_type,
        "chunk_grid": codec("regular", chunk_shape=array["chunks"]),
        "chunk_key_encoding": codec("default", separator=separator) if separator
        else codec("v2", separator=own),
        "fill_value": fill_in_v3(array["fill_value"], dtype),
        "codecs": codecs_in_v3(array, dtype), "attributes": {},
    }  # fmt: skip
    document["attributes"][HAS_NODATA] = int(array["fill_value"] is not None)
    put_attributes(document, attributes, change)
    return document


def zarray_of(document):
    """Returns the .zarray for the zarr.json of an array. Asserts that zarr.json has only members that the
    specification defines."""
    assert set(document) <= ARRAY_MEMBERS, set(document) - ARRAY_MEMBERS
    assert document["zarr_format"] == 3, document
    rank = len(document["shape"])
    shards = sharding_of(document)
    order, filters, compressor, endian = codecs_in_v2(
        shards["codecs"] if shards else document["codecs"], rank
    )
    grid = document["chunk_grid"]
    assert grid["name"] == "regular", grid
    dtype = typestr_of(document["data_type"], endian)
    fill = _fill_in_v2(document["fill_value"], dtype_of(dtype))
    if not is_fill_nodata(document):
        fill = None
    encoding = document["chunk_key_encoding"]
    separator = encoding.get("configuration", {}).get("separator")
    array = {
        "zarr_format": 2, "shape": document["shape"],
        "chunks": shards["chunk_shape"] if shards else grid["configuration"]["chunk_shape"],
        "dtype": dtype, "compressor": compressor, "filters": filters, "fill_value": fill,
        "order": order,
    }  # fmt: skip
    if encoding["name"] == "v2" and separator == "/":
        array["dimension_separator"] = "/"
    return array


def group_document(attributes, change=ome_05):
    document = {"zarr_format": 3, "node_type": "group"}
    put_attributes(document, attributes, change)
    return document


def v2_documents(document):
    """Returns the v2 metadata documents of a v3 node as {name: document}. A node without attributes gets no .zattrs."""
    attributes = attributes_of(document)
    if document["node_type"] == "array":
        found = {".zarray": zarray_of(document)}
    else:
        assert set(document) <= GROUP_MEMBERS, set(document) - GROUP_MEMBERS
        found = {".zgroup": {"zarr_format": 2}}
    if attributes:
        found[".zattrs"] = attributes
    consolidated = document.get("consolidated_metadata")
    if consolidated is not None:
        assert consolidated["kind"] == "inline", consolidated
        metadata = dict(found)
        for path, node in consolidated["metadata"].items():
            assert not (node.get("consolidated_metadata") or {}).get("metadata"), node
            below = v2_documents({k: v for k, v in node.items() if k != "consolidated_metadata"})
            metadata.update({f"{path}/{name}": value for name, value in below.items()})
        found[".zmetadata"] = {"zarr_consolidated_format": 1, "metadata": metadata}
    return found


# ---------------------------------------------------------------------------------------------
# Whole stores


def as_v3(store, target, change=ome_05):
    """Copies the v2 store `store` to `target` as Zarr v3, and returns `target`. `change` converts the OME-NGFF
    attributes of groups."""
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
            nodes[base] = group_document(attributes, change)
        for name in (*read, ".zmetadata"):
            (base / name).unlink(missing_ok=True)
    assert nodes, store
    for path, node in nodes.items():
        (path / "zarr.json").write_text(json.dumps(node))
    if (store / ".zmetadata").exists():
        zarr.consolidate_metadata(target)
    return target
