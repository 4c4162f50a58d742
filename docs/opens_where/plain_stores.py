# SPDX-License-Identifier: MIT
"""Writes stores that each have one feature of the format: data types, layouts, compressors, filters and
containers. The expected values are those that NumPy had before writing."""

import pathlib

import numpy as np
import zarr2
import zarr_python as zarr
import zarr_store
import zarr_v1
from numcodecs import LZ4, LZMA, BZ2, AsType, Base64, Blosc, Categorize, Delta, FixedScaleOffset
from numcodecs import GZip, JSON, PackBits, Quantize, Shuffle, VLenUTF8, Zlib, Zstd, blosc

TYPES, LAYOUT, COMPRESSORS = "Data types", "Layout", "Compressors"
FILTERS, CONTAINERS = "Filters", "Containers"
ZARR = f"zarr-python {zarr.__version__}"
WORDS = ["alpha", "be", "", "delta", "epsilo", "ze", "eta"]


def numbers(dtype, shape=(12, 10)):
    """Returns small numbers that the data type represents exactly. Signed types also have negative numbers."""
    dtype = np.dtype(dtype)
    values = np.arange(np.prod(shape)).reshape(shape) % 97
    if dtype.kind in "ifc":
        values = values - 40
    if dtype.kind == "c":
        values = values + 1j * (values + 2)
    return (values / 8 if dtype.kind in "fc" else values).astype(dtype)


def group_of(folder, name, arrays, title, family, consolidated=False, note=None, **options):
    """Writes a group of arrays, each with one feature. Chunks extend beyond the arrays, and are not compressed
    unless `compressor` is given."""
    options.setdefault("compressor", None)
    described = {}
    for path, values in arrays.items():
        values = np.asarray(values)
        item = {"values": values, **options}
        item.setdefault("chunks", (5, 4) if values.ndim == 2 else (3,))
        described[path] = item
    store = zarr_store.make_store(folder, described, name=f"{name}.zarr", consolidated=consolidated)
    return {
        "name": name, "path": store.name, "family": family, "title": title,
        "writer": note or ZARR, "arrays": arrays,
    }  # fmt: skip


def types(folder):
    def one(name, title, arrays, **options):
        return group_of(folder, name, arrays, title, TYPES, **options)

    small = [f"{kind}{size}" for kind in "iu" for size in (1, 2, 4)]
    yield one("integers", "int8 to int32, uint8 to uint32", {f"a_{t}": numbers(t) for t in small})
    large = {f"a_{t}": numbers(t) for t in ("i8", "u8")}
    large["a_i8"][0, :2] = -(2**63), 2**53 + 1
    large["a_u8"][0, :2] = 2**64 - 1, 2**53 + 1
    yield one("integers_64", "int64 and uint64", large)
    floats = {f"a_{t}": numbers(t) for t in ("f4", "f8")}
    for values in floats.values():
        values[0, :3] = np.nan, np.inf, -np.inf
    yield one("floats", "float32 and float64, with NaN and infinities", floats)
    yield one("float16", "float16", {"a_f2": numbers("f2")})
    yield one("complex", "complex64 and complex128", {f"a_{t}": numbers(t) for t in ("c8", "c16")})
    yield one("bool", "bool", {"a_b1": numbers("u1") % 3 == 0})
    words = np.array(WORDS, "S6")
    yield one("fixed_strings", "strings of bytes of fixed length (S6)", {"a": words})
    greek = [word.replace("e", "\u03b5") for word in WORDS]
    yield one("unicode", "Unicode strings of fixed length (U6)", {"a": np.array(greek, "U6")})
    fields = np.zeros((12, 10), [("height", "<f4"), ("count", "<i2"), ("kind", "u1")])
    for i, field in enumerate(fields.dtype.names):
        fields[field] = numbers(fields.dtype[field]) + i
    yield one("structured", "a structure of three numbers", {"a": fields})
    days = numbers("u2").astype("i8").view("M8[D]") + np.timedelta64(18000, "D")
    seconds = (numbers("i8") * 1000).view("m8[s]")
    yield one("times", "datetime64 and timedelta64", {"day": days, "lag": seconds})


def layouts(folder):
    def one(name, title, arrays=None, **options):
        return group_of(folder, name, arrays or {"a": numbers("i2")}, title, LAYOUT, **options)

    arrays = {f"a_{t}": numbers(">" + t) for t in ("i2", "f4")}
    yield one("big_endian", "big-endian numbers", arrays)
    yield one("order_f", "chunks in Fortran's order", order="F")
    cube = {"a": numbers("i2", (3, 12, 10))}
    yield one("separator_slash", 'chunk keys with "/", three dimensions', cube, chunks=(2, 5, 4),
              dimension_separator="/")  # fmt: skip
    store = one("missing_chunks", "chunks that are absent, fill value 7", fill_value=7)
    gone = store["arrays"]["a"] = numbers("i2")
    for row, column in ((0, 0), (1, 2)):
        (pathlib.Path(folder) / store["path"] / "a" / f"{row}.{column}").unlink()
        gone[5 * row : 5 * row + 5, 4 * column : 4 * column + 4] = 7
    yield store
    yield one("null_fill", "fill value null", fill_value=None)
    yield one("fill_nan", 'fill value "NaN"', {"a": numbers("f4")}, fill_value=float("nan"))
    deep = {"one/a": numbers("i2"), "one/two/b": numbers("f4"), "one/two/c": numbers("u1")}
    yield one("nested_groups", "groups in groups, not consolidated", deep.copy())
    deep.popitem()
    yield one("consolidated", "groups in groups, consolidated metadata", deep, consolidated=True)
    values = numbers("f8")
    store = zarr_store.make_array(folder, values, "root_array.zarr", chunks=(5, 4), compressor=None)
    yield {"name": "root_array", "path": store.name, "family": LAYOUT, "writer": ZARR,
           "title": "an array without a group", "arrays": {"": values}}  # fmt: skip


def compressors(folder):
    kinds = [
        ("zlib", Zlib(6)), ("gzip", GZip(6)), ("zstd", Zstd(3)), ("lz4", LZ4()),
        ("lzma", LZMA()), ("bz2", BZ2()),
    ]  # fmt: skip
    for name, codec in kinds:
        yield group_of(folder, name, {"a": numbers("i2")}, name, COMPRESSORS, compressor=codec)
    for cname in ("lz4", "lz4hc", "blosclz", "zlib", "zstd"):
        arrays = {f"shuffle_{s}": numbers("i4", (40, 30)) for s in ("none", "byte", "bit")}
        store = group_of(folder, f"blosc_{cname}", {}, f"blosc, {cname}", COMPRESSORS)
        root = zarr.open_group(str(pathlib.Path(folder) / store["path"]), mode="r+")
        shuffles = (Blosc.NOSHUFFLE, Blosc.SHUFFLE, Blosc.BITSHUFFLE)
        for (path, values), shuffle in zip(arrays.items(), shuffles):
            item = {"values": values, "chunks": (16, 16), "compressor": Blosc(cname, 5, shuffle)}
            zarr_store.add_array(root, path, item)
        yield {**store, "arrays": arrays}
    assert set(blosc.list_compressors()) >= {"lz4", "lz4hc", "blosclz", "zlib", "zstd"}


def filters(folder):
    def one(name, values, *codecs, title=None, **options):
        return group_of(folder, f"filter_{name}", {"a": values}, title or name, FILTERS,
                        filters=list(codecs), **options)  # fmt: skip

    yield one("delta", numbers("i4"), Delta("<i4"))
    yield one("fixedscaleoffset", numbers("f8") * 4 + 1000,
              FixedScaleOffset(offset=1000, scale=2, dtype="<f8", astype="<i2"))  # fmt: skip
    yield one("quantize", numbers("f4"), Quantize(digits=3, dtype="<f4"))
    yield one("packbits", numbers("u1") % 3 == 0, PackBits())
    yield one("astype", numbers("f4") * 8, AsType(encode_dtype="<i2", decode_dtype="<f4"))
    labels = np.array([("north", "south", "west")[i % 3] for i in range(7)], "U5")
    yield one("categorize", labels, Categorize(labels=["north", "south", "west"], dtype="<U5"))
    yield one("shuffle", numbers("i4"), Shuffle(elementsize=4), compressor=Zlib(6),
              title="shuffle, then zlib")  # fmt: skip
    yield one("base64", numbers("i2"), Base64())
    texts = np.array([word + "\u00e9" for word in WORDS], object)
    title = "{}: strings of any length"
    yield one("vlen_utf8", texts, title=title.format("vlen-utf8"), dtype=object, object_codec=VLenUTF8(),
              compressor=Zlib(6))  # fmt: skip
    store = group_of(folder, "filter_json2", {}, title.format("json2"), FILTERS)
    zarr2.call("create", str(pathlib.Path(folder) / store["path"]), "a", texts, chunks=3,
               object_codec=JSON().get_config(), compressor=Zlib(6), fill_value=None)  # fmt: skip
    yield {**store, "arrays": {"a": texts}}


def containers(folder):
    folder = pathlib.Path(folder)
    arrays = {"a": numbers("i2"), "deep/b": numbers("f4")}
    common = {"family": CONTAINERS, "arrays": arrays}
    with zarr.ZipStore(str(folder / "zip.zarr.zip"), mode="w") as archive:
        root = zarr.open_group(archive)
        for path, values in arrays.items():
            item = {"values": values, "chunks": (5, 4), "compressor": None}
            zarr_store.add_array(root, path, item)
    yield {**common, "name": "zip", "path": "zip.zarr.zip", "title": "a zip file", "writer": ZARR,
           "container": "zip"}  # fmt: skip
    store = group_of(folder, "packed", arrays, "", CONTAINERS)
    zarr_store.zip_folder(folder / store["path"], folder / "zip_nested.zip", store["path"])
    for file in sorted((folder / store["path"]).rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    (folder / store["path"]).rmdir()
    yield {**common, "name": "zip_nested", "path": "zip_nested.zip", "container": "zip",
           "title": "a store's folder in a zip file", "top": store["path"],
           "writer": f"{ZARR}, then zipped"}  # fmt: skip
    values = numbers("<i2")
    options = {"cname": "lz4", "clevel": 5, "shuffle": 1}
    zarr_v1.write_v1(folder / "v1.zarr", values, (5, 4), "blosc", options)
    yield {"name": "v1", "path": "v1.zarr", "family": CONTAINERS, "arrays": {"": values},
           "title": "Zarr version 1", "writer": "byte for byte, by its specification"}  # fmt: skip


MAKERS = [types, layouts, compressors, filters, containers]
