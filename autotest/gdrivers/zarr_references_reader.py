# SPDX-License-Identifier: MIT
"""Program that reads references with fsspec, zarr-python, xarray and fastparquet, in an environment with these
packages. A request of zarr_forks.py is a list [FUNCTION, PROTOCOL, RESULT, ARGUMENT...]; the function writes its result
to the file RESULT. PROTOCOL is fsspec's protocol for the referenced files, which functions find in the environment
variable REMOTE_PROTOCOL."""

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
    """Returns a store of zarr-python that reads through fsspec's file system for references."""
    files = fsspec.filesystem("reference", fo=target, asynchronous=True, remote_options={"asynchronous": True},
                              remote_protocol=os.environ["REMOTE_PROTOCOL"])  # fmt: skip
    return zarr.storage.FsspecStore(files, read_only=True)


def with_zarr(result, target, *paths):
    """Reads the arrays `paths` through fsspec and zarr-python. Writes their values to `result` as NPZ."""
    root = zarr.open_group(store_of(target), mode="r")
    np.savez(result, **{path: root[path][...] for path in paths})


def with_xarray(result, target, *paths):
    """Reads variables of the root group through xarray. Writes their values to `result` as NPZ. References
    to Zarr v2 are read by xarray's engine kerchunk, which cannot open Zarr v3."""
    path = pathlib.Path(target)
    if path.is_file() and "zarr.json" in json.loads(path.read_text(encoding="utf-8"))["refs"]:
        opened = xarray.open_zarr(store_of(target), consolidated=False, mask_and_scale=False)
    else:
        opened = xarray.open_dataset(target, engine="kerchunk", mask_and_scale=False,
                                     storage_options={"remote_protocol": os.environ["REMOTE_PROTOCOL"]})  # fmt: skip
    np.savez(result, **{path: opened[path].values for path in paths})


def partition(result, *files):
    """Reads Parquet files through fastparquet. Writes JSON to `result`: a list of rows for each file."""
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
