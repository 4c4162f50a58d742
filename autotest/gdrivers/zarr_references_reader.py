# SPDX-License-Identifier: MIT
"""Reads references with fsspec, zarr-python, xarray and fastparquet; runs in their own environment.

    python zarr_references_reader.py FUNCTION RESULT ARGUMENT...

Each function writes its result to the file RESULT. The environment variable REMOTE_PROTOCOL is the
protocol of the files that the references name.
"""

import json
import os
import pathlib
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def store_of(target):
    """Returns fsspec's reference file system as a store of zarr-python."""
    import fsspec
    import zarr

    files = fsspec.filesystem("reference", fo=target, asynchronous=True, remote_options={"asynchronous": True},
                              remote_protocol=os.environ["REMOTE_PROTOCOL"])  # fmt: skip
    return zarr.storage.FsspecStore(files, read_only=True)


def with_zarr(result, target, *paths):
    """Reads arrays through fsspec's reference file system and zarr-python; writes them to `result`
    in NumPy's format NPZ."""
    import zarr

    root = zarr.open_group(store_of(target), mode="r")
    np.savez(result, **{path: root[path][...] for path in paths})


def with_xarray(result, target, *paths):
    """Reads variables of the root group through xarray, as NPZ: in Zarr v2 by its engine kerchunk, which does
    not open Zarr v3."""
    import xarray

    path = pathlib.Path(target)
    if path.is_file() and "zarr.json" in json.loads(path.read_text(encoding="utf-8"))["refs"]:
        opened = xarray.open_zarr(store_of(target), consolidated=False, mask_and_scale=False)
    else:
        opened = xarray.open_dataset(target, engine="kerchunk", mask_and_scale=False,
                                     storage_options={"remote_protocol": os.environ["REMOTE_PROTOCOL"]})  # fmt: skip
    np.savez(result, **{path: opened[path].values for path in paths})


def partition(result, *files):
    """Reads Parquet files through fastparquet, as JSON: a list of rows for each file."""
    import fastparquet

    read = {}
    for file in files:
        table = fastparquet.ParquetFile(file).to_pandas()
        assert list(map(str, table.dtypes)) == ["object", "int64", "int64", "object"], table.dtypes
        rows = zip(*(table[name] for name in ("path", "offset", "size", "raw")))
        read[file] = [[path, int(offset), int(size), None if raw is None else raw.hex()]
                      for path, offset, size, raw in rows]  # fmt: skip
    pathlib.Path(result).write_text(json.dumps(read), encoding="utf-8")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
