# SPDX-License-Identifier: MIT
"""References to the chunks of stores, as kerchunk and VirtualiZarr write them."""

import base64
import json
import pathlib

DOCUMENTS = {".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"}


def pack(store, packed, gap=3, inline=0):
    """Packs the chunks of a store into one file, with `gap` bytes between them. Returns references by key:
    documents and chunks of at most `inline` bytes as text, other chunks as [file, offset, size]."""
    store, packed = pathlib.Path(store), pathlib.Path(packed)
    references, data = {}, bytearray(b"head")
    for path in sorted(store.rglob("*")):
        if not path.is_file():
            continue
        key, value = path.relative_to(store).as_posix(), path.read_bytes()
        if path.name in DOCUMENTS:
            references[key] = value.decode()
        elif len(value) <= inline:
            references[key] = "base64:" + base64.b64encode(value).decode()
        else:
            references[key] = [packed.name, len(data), len(value)]
            data += value + b"\xee" * gap
    packed.write_bytes(bytes(data))
    return references


def write_json(path, references, version=1, **members):
    """A document of references in JSON."""
    document = {"version": 1, **members, "refs": references} if version == 1 else references
    pathlib.Path(path).write_text(json.dumps(document))
    return path
