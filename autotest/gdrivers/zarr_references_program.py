# SPDX-License-Identifier: MIT
"""Program that writes Kerchunk references in Parquet files for zarr_references.py, in a process of its own
with kerchunk and VirtualiZarr.

Standard input is a JSON list of commands. A command is an object: "do" names a function of this module, and
the other members are its arguments."""

import json
import pathlib
import sys
import warnings

import fastparquet
import numpy as np
import pandas

warnings.simplefilter("ignore")  # deprecations in xarray and zarr-python


def kerchunk(references, folder, record_size, categorical_threshold=10):
    """Writes the references of a JSON document as kerchunk does."""
    from kerchunk import df

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    document = json.loads(pathlib.Path(references).read_text())
    df.refs_to_dataframe(
        document, str(folder), record_size=record_size, categorical_threshold=categorical_threshold
    )


def rewrite(folder, compression="ZSTD", padded=True, categories=False, groups=1):
    """Writes each Parquet file again: with another compression, without the empty rows at the end as GDAL
    does, with paths as categories, or in several row groups."""
    for path in sorted(pathlib.Path(folder).rglob("refs.*.parq")):
        frame = fastparquet.ParquetFile(str(path)).to_pandas()
        frame["path"] = frame["path"].astype(object).where(frame["path"].notna(), None)
        if not padded:
            filled = np.flatnonzero(frame["path"].notna() | frame["raw"].notna())
            frame = frame.iloc[: filled[-1] + 1]
        if categories:
            frame["path"] = frame["path"].astype(pandas.CategoricalDtype())
        starts = [len(frame) * i // groups for i in range(groups)]
        fastparquet.write(
            str(path),
            frame,
            compression=compression,
            object_encoding={"path": "utf8", "raw": "bytes"},
            has_nulls=["path", "raw"],
            row_group_offsets=sorted(set(starts)),
        )


def virtualizarr(files, folder, record_size):
    """Makes HDF5 files of the arrays in `files`, and writes references to them as VirtualiZarr does. The
    arrays are joined along their first dimension."""
    import h5py
    import virtualizarr
    import xarray
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore
    from virtualizarr.parsers import HDFParser

    datasets = []
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    for number, (name, values) in enumerate(files.items()):
        values = np.load(values)
        with h5py.File(name, "w") as file:
            chunks = (1, *(max(size // 2, 1) for size in values.shape[1:]))
            data = file.create_dataset("v", data=values, chunks=chunks, compression="gzip", shuffle=True)
            for axis, dimension in enumerate(("time", "y", "x")):
                start = number * len(values) if axis == 0 else 0
                scale = file.create_dataset(dimension, data=np.arange(values.shape[axis]) + start * 1.0)
                scale.make_scale(dimension)
                data.dims[axis].attach_scale(scale)
        datasets.append(
            virtualizarr.open_virtual_dataset(
                f"file://{name}", parser=HDFParser(), registry=registry, loadable_variables=["time", "y", "x"]
            )
        )
    joined = xarray.concat(
        datasets, dim="time", coords="minimal", compat="override", join="override", data_vars="minimal"
    )
    joined.vz.to_kerchunk(folder, format="parquet", record_size=record_size)


def main():
    functions = {"kerchunk": kerchunk, "rewrite": rewrite, "virtualizarr": virtualizarr}
    for command in json.load(sys.stdin):
        functions[command.pop("do")](**command)


main()
