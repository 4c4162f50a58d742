# SPDX-License-Identifier: MIT
"""Program that writes references for zarr_references.py, in an environment with kerchunk and VirtualiZarr. A request of
zarr_forks.py is a list of JSON objects. "do" names a function of this module; other members are its arguments. `target`
is the file to write."""

import json
import pathlib
import warnings

import fastparquet
import kerchunk.df
import numpy as np
import pandas
import xarray
import zarr  # noqa: F401  (kerchunk and virtualizarr import it; here once for all requests)
import zarr_forks

warnings.simplefilter("ignore")  # xarray and zarr-python warn about features that are deprecated


def registry():
    from obspec_utils.registry import ObjectStoreRegistry
    from obstore.store import LocalStore

    return ObjectStoreRegistry({"file://": LocalStore()})


def kerchunk_tiff(target, *files):
    """Writes a JSON object to `target`, with kerchunk's references for each TIFF file."""
    import kerchunk.tiff

    documents = {file: kerchunk.tiff.tiff_to_zarr(file) for file in files}
    with open(target, "w", encoding="utf-8") as out:
        json.dump(documents, out)


def virtual_tiff(target, *files):
    """Writes a JSON object to `target`, with virtual-tiff's references for each TIFF file, which include a
    zarr.json."""
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
    """Writes an HDF5 file with one array for each way in which HDF5 stores chunks."""
    import h5py

    pixels = np.add.outer(np.arange(20), np.arange(30)) * 7 % 1000
    chunked = {"chunks": (8, 16)}
    deflated = {**chunked, "compression": "gzip"}
    arrays = {
        "contiguous": (pixels.astype("i2"), {}),
        "plain": (pixels.astype("<f4"), chunked),
        "big": (pixels.astype(">f8"), chunked),
        "deflated": (pixels.astype("i4"), deflated),
        "shuffled": (pixels.astype("i4"), {**deflated, "shuffle": True}),
        "half": (pixels.astype("f2"), deflated),
        "complex": ((pixels + 1j * pixels).astype("c8"), chunked),
        "unsigned": (pixels.astype("u8") + 2**63, deflated),
        "group/nested": (pixels.astype("u1"), deflated),
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
    """Writes references to a cube of several HDF5 files, which kerchunk combines along time."""
    import kerchunk.combine
    import kerchunk.hdf

    single = [kerchunk.hdf.SingleHdf5ToZarr(path, inline_threshold=0).translate() for path in paths]
    combined = kerchunk.combine.MultiZarrToZarr(single, concat_dims=["time"], identical_dims=["x", "y"])
    with open(target, "w", encoding="utf-8") as out:
        json.dump(combined.translate(), out)


def kerchunk_parquet(references, folder, record_size, categorical_threshold=10):
    """Lets kerchunk write the JSON document `references` as Parquet files."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    document = json.loads(pathlib.Path(references).read_text())
    kerchunk.df.refs_to_dataframe(
        document, str(folder), record_size=record_size, categorical_threshold=categorical_threshold
    )


def rewrite_parquet(folder, compression="ZSTD", padded=True, categories=False, groups=1):
    """Rewrites each Parquet file of references with the new `compression` and with `groups` row groups. padded=False
    omits empty rows at the end, as GDAL's writer does. categories=True gives the column of paths the type category."""
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


def virtualizarr_parquet(files, folder, record_size):
    """Writes each array of `files` to an HDF5 file. VirtualiZarr writes references that join these arrays along their
    first dimension."""
    import h5py
    import virtualizarr
    from virtualizarr.parsers import HDFParser

    datasets = []
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
                f"file://{name}", parser=HDFParser(), registry=registry(), loadable_variables=["time", "y", "x"]
            )
        )
    joined = xarray.concat(
        datasets, dim="time", coords="minimal", compat="override", join="override", data_vars="minimal"
    )
    joined.vz.to_kerchunk(folder, format="parquet", record_size=record_size)


def open_tree(target, store):
    """Opens a store with xarray.open_datatree(). Writes a JSON object to `target`, with the shape and sum of each
    variable and the shape of each coordinate, by group."""
    tree = xarray.open_datatree(store, engine="zarr", mask_and_scale=False, decode_times=False)
    found = {}
    for node in tree.subtree:
        dataset = node.to_dataset(inherit=False)
        found[node.path] = {
            name: [list(array.shape), int(array.sum())] for name, array in dataset.data_vars.items()
        } | {name: [list(array.shape)] for name, array in dataset.coords.items()}
    with open(target, "w", encoding="utf-8") as out:
        json.dump(found, out)


def encode_images(folder, cases):
    """Encodes an image for each name of `cases`: a dict with a codec's "configuration", and the "dtype" and "shape" of the
    image. Writes its bytes to NAME.bin, and what the codec decodes of them to NAME.npy."""
    import numcodecs
    from imagecodecs.numcodecs import register_codecs

    register_codecs(verbose=False)
    for name, case in cases.items():
        y, x, sample = np.indices((*case["shape"], 1)[:3])
        values = 60 + 3 * y + 5 * x + 40 * sample + np.random.default_rng(5).integers(0, 6, y.shape)
        values = values.reshape(case["shape"]).astype(case["dtype"]) * np.dtype(case["dtype"]).itemsize
        codec = numcodecs.get_codec(dict(case["configuration"]))
        encoded = codec.encode(np.ascontiguousarray(values, case["dtype"]))
        path = pathlib.Path(folder) / name
        path.with_suffix(".bin").write_bytes(bytes(encoded))
        np.save(path.with_suffix(".npy"), np.asarray(codec.decode(encoded)))


def encode_grib(folder, cases):
    """Encodes a GRIB message for each name of `cases`: a dict with a "sample" of ecCodes, the "rows" and "columns" of the
    grid, and "keys" to set in this order. The key "gaps" makes every fifth value missing. Writes the message to NAME.bin,
    and what kerchunk's codec decodes of it to NAME.values.npy, NAME.latitude.npy and NAME.longitude.npy."""
    import eccodes
    import kerchunk.codecs  # noqa: F401  (registers the codec)
    import numcodecs

    for name, case in cases.items():
        message = eccodes.codes_grib_new_from_samples(case["sample"])
        y, x = np.mgrid[: case["rows"], : case["columns"]]
        values = 273 + 20 * np.cos(y / 5) + 10 * np.sin(x / 7) + np.random.default_rng(5).random(y.shape)
        values = values.ravel() * 0 + 5 if case.get("constant") else values.ravel()
        for key, value in case["keys"]:
            if key == "gaps":
                eccodes.codes_set(message, "bitmapPresent", 1)
                eccodes.codes_set(message, "missingValue", 9999)
                values[::5] = 9999
            else:
                eccodes.codes_set(message, key, value)
        eccodes.codes_set_values(message, values)
        path = pathlib.Path(folder) / f"{name}.bin"
        path.write_bytes(eccodes.codes_get_message(message))
        for key, value in case["keys"]:
            if key == "packingType":
                assert eccodes.codes_get(message, key) == value, name
        for variable in ("values", "latitude", "longitude"):
            codec = numcodecs.get_codec({"id": "grib", "var": variable, "dtype": "float64"})
            np.save(path.with_suffix(f".{variable}.npy"), np.asarray(codec.decode(path.read_bytes())).reshape(y.shape))


def array_values(target, store):
    """Reads an array with zarr-python and the codecs of all installed packages, such as gribberish, imagecodecs and
    virtual-tiff, and saves its values to the file `target`."""
    np.save(target, zarr.open_array(store, mode="r")[...])


def kerchunk_grib(target, path):
    """Writes kerchunk's references to the only message of a GRIB file to `target`, as JSON."""
    import kerchunk.grib2

    (document,) = kerchunk.grib2.scan_grib(path)
    with open(target, "w", encoding="utf-8") as out:
        json.dump(document, out)


def execute(commands):
    for command in commands:
        function = globals()[command.pop("do")]
        arguments = command.pop("arguments", [])
        if "target" in command:
            arguments.insert(0, command.pop("target"))
        function(*arguments, **command)


if __name__ == "__main__":
    zarr_forks.serve(execute)
