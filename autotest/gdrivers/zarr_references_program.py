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


def hdf5(path):
    """An HDF5 file with one array for each way of storing chunks."""
    import h5py
    import numpy as np

    image = np.add.outer(np.arange(20), np.arange(30)) * 7 % 1000
    chunked = {"chunks": (8, 16)}
    deflated = {**chunked, "compression": "gzip"}
    arrays = {
        "contiguous": (image.astype("i2"), {}),
        "plain": (image.astype("<f4"), chunked),
        "big": (image.astype(">f8"), chunked),
        "deflated": (image.astype("i4"), deflated),
        "shuffled": (image.astype("i4"), {**deflated, "shuffle": True}),
        "half": (image.astype("f2"), deflated),
        "complex": ((image + 1j * image).astype("c8"), chunked),
        "unsigned": (image.astype("u8") + 2**63, deflated),
        "group/nested": (image.astype("u1"), deflated),
    }
    with h5py.File(path, "w") as file:
        for name, (values, options) in arrays.items():
            file.create_dataset(name, data=values, **options)
        sparse = file.create_dataset("sparse", shape=(20, 30), dtype="i2", chunks=(8, 16), fillvalue=-7)
        sparse[:8, :16] = 5


def kerchunk_hdf5(target, path):
    import kerchunk.hdf

    references = kerchunk.hdf.SingleHdf5ToZarr(path, inline_threshold=20).translate()
    with open(target, "w", encoding="utf-8") as out:
        json.dump(references, out)


def virtualizarr_hdf5(target, path):
    import virtualizarr
    from virtualizarr.parsers import HDFParser

    dataset = virtualizarr.open_virtual_dataset(
        f"file://{path}", registry=registry(), parser=HDFParser(), loadable_variables=[]
    )
    dataset.vz.to_kerchunk(target, format="json")


def combined_hdf5(target, *paths):
    """References to one cube of several files, by kerchunk."""
    import kerchunk.combine
    import kerchunk.hdf

    single = [kerchunk.hdf.SingleHdf5ToZarr(path, inline_threshold=0).translate() for path in paths]
    combined = kerchunk.combine.MultiZarrToZarr(single, concat_dims=["time"], identical_dims=["x", "y"])
    with open(target, "w", encoding="utf-8") as out:
        json.dump(combined.translate(), out)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
