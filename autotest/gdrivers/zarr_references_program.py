# SPDX-License-Identifier: MIT
"""Writes references with the packages that write them; runs in their own environment.

    python zarr_references_program.py FUNCTION ARGUMENT...

Each function writes the references to its first argument.
"""

import json
import sys
import warnings

warnings.simplefilter("ignore")


def registry():
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    return ObjectStoreRegistry({"file://": LocalStore()})


def kerchunk_tiff(target, *files):
    """References of kerchunk, by file."""
    import kerchunk.tiff

    documents = {file: kerchunk.tiff.tiff_to_zarr(file) for file in files}
    with open(target, "w", encoding="utf-8") as out:
        json.dump(documents, out)


def virtual_tiff(target, *files):
    """References of virtual-tiff, with documents of Zarr v3, by file."""
    from virtual_tiff import VirtualTIFF

    documents = {}
    for file in files:
        array = VirtualTIFF(ifd=0)(f"file://{file}", registry())._group.arrays["0"]
        references = {"zarr.json": json.dumps(array.metadata.to_dict(), default=str)}
        for key, entry in array.manifest.dict().items():
            references["c/" + key.replace(".", "/")] = [entry["path"], entry["offset"], entry["length"]]
        documents[file] = references
    with open(target, "w", encoding="utf-8") as out:
        json.dump(documents, out)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
