# SPDX-License-Identifier: MIT
"""Reads references with fsspec, zarr-python, xarray and fastparquet; runs in their own environment.

A request to zarr_forks.py is a list [FUNCTION, PROTOCOL, RESULT, ARGUMENT...]. The function writes its result
to the file RESULT. PROTOCOL is the protocol of the files that the references name; functions find it as the
environment variable REMOTE_PROTOCOL.
"""

import json
import os
import pathlib
import warnings

import fastparquet
import fsspec
import fsspec.implementations.reference
import numpy as np
import xarray
import zarr
import zarr_forks

warnings.simplefilter("ignore")


def store_of(target):
    """Returns fsspec's reference file system as a store of zarr-python."""
    files = fsspec.filesystem("reference", fo=target, asynchronous=True, remote_options={"asynchronous": True},
                              remote_protocol=os.environ["REMOTE_PROTOCOL"])  # fmt: skip
    return zarr.storage.FsspecStore(files, read_only=True)


def with_zarr(result, target, *paths):
    """Reads arrays through fsspec's reference file system and zarr-python; writes them to `result`
    in NumPy's format NPZ."""
    root = zarr.open_group(store_of(target), mode="r")
    np.savez(result, **{path: root[path][...] for path in paths})


def with_xarray(result, target, *paths):
    """Reads variables of the root group through xarray, as NPZ: in Zarr v2 by its engine kerchunk, which does
    not open Zarr v3."""
    path = pathlib.Path(target)
    if path.is_file() and "zarr.json" in json.loads(path.read_text(encoding="utf-8"))["refs"]:
        opened = xarray.open_zarr(store_of(target), consolidated=False, mask_and_scale=False)
    else:
        opened = xarray.open_dataset(target, engine="kerchunk", mask_and_scale=False,
                                     storage_options={"remote_protocol": os.environ["REMOTE_PROTOCOL"]})  # fmt: skip
    np.savez(result, **{path: opened[path].values for path in paths})


def partition(result, *files):
    """Reads Parquet files through fastparquet, as JSON: a list of rows for each file."""
    read = {}
    for file in files:
        table = fastparquet.ParquetFile(file).to_pandas()
        assert list(map(str, table.dtypes)) == ["object", "int64", "int64", "object"], table.dtypes
        rows = zip(*(table[name] for name in ("path", "offset", "size", "raw")))
        read[file] = [[path, int(offset), int(size), None if raw is None else raw.hex()]
                      for path, offset, size, raw in rows]  # fmt: skip
    pathlib.Path(result).write_text(json.dumps(read), encoding="utf-8")


def execute(request):
    name, os.environ["REMOTE_PROTOCOL"], *arguments = request
    globals()[name](*arguments)


if __name__ == "__main__":
    zarr_forks.serve(execute)
