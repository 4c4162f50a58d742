# SPDX-License-Identifier: MIT
"""The raster API and the multidimensional API read Zarr v3 stores of zarr-python 3: data types and fill values,
codecs, shards, chunk keys, shapes, groups, attributes and consolidated metadata."""

import base64
import json
import shutil

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr3_check
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr3 import BIG, BYTES, CRC32C, LITTLE, blosc, codec, document, gzip, sharding, zstd
from zarr3 import transpose

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"]
FLOAT_FILLS = [0.0, -0.0, -9999.0, "NaN", "Infinity", "-Infinity"]
FILLS = {
    "bool": [False, True],
    **{f"int{n}": [0, 7, -(2 ** (n - 1)), 2 ** (n - 1) - 1] for n in (8, 16, 32, 64)},
    **{f"uint{n}": [0, 7, 2**n - 1] for n in (8, 16, 32, 64)},
    "float16": [*FLOAT_FILLS, "0x7e01"],
    "float32": [*FLOAT_FILLS, "0x7fc00001", 0.1],
    "float64": [*FLOAT_FILLS, "0x7ff8000000000001", 0.1, 1e300],
    **{name: [[0, 0], [1.5, "NaN"], ["-Infinity", -2.5]] for name in ("complex64", "complex128")},
}


def limits(dtype):
    """Returns extreme values of a numeric data type, as a list."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [info.min, info.max, 0, 1, info.max - 1]
    if dtype.kind == "c":
        return [complex(a, b) for a, b in ((1.5, -2.25), (0, 3), (-7, 0), (100, -0.5), (0, 0))]
    info = np.finfo(dtype)
    return [np.nan, np.inf, -np.inf, info.max, info.smallest_subnormal, -0.0, 1.5]


def number_values(data_type, shape=(5, 7)):
    count = int(np.prod(shape))
    edges = np.array(limits(data_type), data_type)
    return np.resize(
        np.concatenate([edges, (np.arange(23) % 100).astype(data_type)]), count
    ).reshape(shape)


def texts(*items):
    values = np.empty(len(items), object)
    values[:] = items
    return values.reshape(2, -1)


def number_cases():
    for data_type, fills in FILLS.items():
        for i, fill in enumerate(fills):
            codecs = [LITTLE if i % 2 else BIG] if "8" != data_type[-1] else None
            values = number_values(data_type)
            yield f"{data_type} {fill}", document((5, 7), data_type, (2, 3), codecs, fill), values


def time_cases():
    counts = np.array([[0, 1, -1], [-(2**63), 2**63 - 1, -(2**63) + 1]])
    for letter, name in (("M8", "numpy.datetime64"), ("m8", "numpy.timedelta64")):
        for i, unit in enumerate(UNITS):
            if (letter, unit) == ("M8", "generic"):
                continue  # zarr-python cannot read the fill value that it writes for generic datetime64
            factor = [1, 1, 25][i % 3] if unit != "generic" else 1
            values = counts.view(f"{letter}[{factor}{unit}]" if unit != "generic" else letter)
            fill = [-(2**63), "NaT", 0, 5][i % 4] if unit != "generic" else 5
            data_type = codec(name, unit=unit, scale_factor=factor)
            yield f"{name} {unit}", document((2, 3), data_type, (1, 2), [LITTLE], fill), values


def text_cases():
    words = ["a", "Höhe", "", "標高", "\U0001f30d", "end"]
    utf8, raw = codec("vlen-utf8"), codec("vlen-bytes")
    for fill in ("", "missing ä"):
        yield f"string {fill}", document((2, 3), "string", (2, 2), [utf8], fill), texts(*words)
        yield f"string zstd {fill}", document(
            (2, 3), "string", (1, 2), [utf8, zstd()], fill), texts(*words)  # fmt: skip
    data = texts(b"a", b"\0\xff", b"", b"end", b"base64:x", b"x" * 300)
    for name in ("bytes", "variable_length_bytes"):
        for fill in ("", "AQID"):
            yield f"{name} {fill}", document((2, 3), name, (2, 2), [raw], fill), data
    fixed = np.array([["abc", "Höhe"], ["", "標\U0001f30d"]], "U4")
    utf32 = codec("fixed_length_utf32", length_bytes=16)
    for order in (LITTLE, BIG):
        yield f"utf32 {order['configuration']}", document(
            (2, 2), utf32, (1, 2), [order], "ö"), fixed  # fmt: skip
    padded = np.array([[b"abc", b"de"], [b"", b"\xffx"]], "S3")
    yield "S3", document(
        (2, 2), codec("null_terminated_bytes", length_bytes=3), (1, 2), [BYTES], "YWI="
    ), padded  # fmt: skip
    void = np.array([[b"\0\1\2", b"abc"], [b"\xff\0\0", b"xyz"]], "V3")
    yield "raw_bytes", document(
        (2, 2), codec("raw_bytes", length_bytes=3), (1, 2), [BYTES], "AAEC"
    ), void  # fmt: skip


def structure_cases():
    """Yields cases with structures in the format of zarr-python: fields are pairs, the fill value is base64,
    and all bytes are little-endian."""
    inner = np.dtype([("u", "<f4"), ("v", "<f4")])
    dtype = np.dtype([("id", "<i4"), ("wind", inner), ("ok", "?"), ("t", "<M8[s]"), ("n", "S2")])
    values = np.zeros((3, 4), dtype)
    values["id"] = np.arange(12).reshape(3, 4)
    values["wind"]["v"] = -np.arange(12).reshape(3, 4) / 2
    values["t"] = np.arange(12).reshape(3, 4)
    values["n"] = b"ab"
    fields = [
        ["id", "int32"],
        ["wind", codec("structured", fields=[["u", "float32"], ["v", "float32"]])],
        ["ok", "bool"],
        ["t", codec("numpy.datetime64", unit="s", scale_factor=1)],
        ["n", codec("null_terminated_bytes", length_bytes=2)],
    ]
    yield "structured", document(
        (3, 4), codec("structured", fields=fields), (2, 3), [LITTLE], base64.b64encode(b"\5" + bytes(22)).decode()
    ), values  # fmt: skip
    numbers = np.zeros((3, 4), [("a", "<i2"), ("b", "<f8")])
    numbers["a"], numbers["b"] = np.arange(12).reshape(3, 4), 0.5
    yield "structured numbers", document(
        (3, 4), codec("structured", fields=[["a", "int16"], ["b", "float64"]]), (2, 3),
        [LITTLE, zstd()], "AQAAAAAAAAAAAA==",
    ), numbers  # fmt: skip


RAMP = np.arange(9 * 11, dtype="i4").reshape(9, 11) % 50
BLOSC = [
    blosc(name, shuffle, 4, level)
    for name in ("lz4", "lz4hc", "blosclz", "snappy", "zlib", "zstd")
    for shuffle, level in (("noshuffle", 0), ("shuffle", 5), ("bitshuffle", 9))
    if name != "snappy"  # numcodecs can no longer write blosc with snappy
]
N = "numcodecs."
CODECS = {
    "little": [LITTLE],
    "big": [BIG],
    "gzip": [LITTLE, gzip(9)],
    "gzip 0": [BIG, gzip(0)],
    "zstd": [LITTLE, zstd(3)],
    "zstd with a checksum": [LITTLE, zstd(-5, True)],
    "crc32c": [LITTLE, CRC32C],
    "two compressors": [LITTLE, gzip(1), zstd(1), CRC32C],
    "transpose": [transpose(1, 0), LITTLE],
    "transpose to itself": [transpose(0, 1), BIG],
    "transpose twice": [transpose(1, 0), transpose(1, 0), LITTLE, zstd()],
    **{f"blosc {c['configuration']['cname']} {c['configuration']['shuffle']}": [LITTLE, c] for c in BLOSC},
    "blosc of other elements": [LITTLE, blosc("lz4", "shuffle", 2, blocksize=64)],
    "blosc of big endian": [BIG, blosc("zstd", "bitshuffle", 4)],
}  # fmt: skip
NUMCODECS = {
    "delta": ([codec(N + "delta", dtype="<i4"), LITTLE], "int32"),
    "delta of narrow": ([codec(N + "delta", dtype="<i4", astype="<i2"), LITTLE], "int32"),
    "fixedscaleoffset": (
        [codec(N + "fixedscaleoffset", offset=-2, scale=10, dtype="<f4", astype="<i2"), LITTLE],
        "float32",
    ),
    "quantize": ([codec(N + "quantize", digits=1, dtype="<f8"), LITTLE], "float64"),
    "bitround": ([codec(N + "bitround", keepbits=3), LITTLE], "float32"),
    "bitround big": ([codec(N + "bitround", keepbits=3), BIG], "float64"),
    "astype": ([codec(N + "astype", encode_dtype="<i2", decode_dtype="<i4"), LITTLE], "int32"),
    "packbits": ([codec(N + "packbits"), BYTES], "bool"),
    "shuffle": ([LITTLE, codec(N + "shuffle", elementsize=4), zstd()], "int32"),
    "zfpy": ([codec(N + "zfpy", mode=4, tolerance=0.01)], "float32"),
    **{
        name: ([LITTLE, codec(N + name, **more)], "int32")
        for name, more in {
            "blosc": {"cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
            "zlib": {"level": 1}, "gzip": {"level": 1}, "bz2": {"level": 1}, "zstd": {"level": 1},
            "lz4": {"acceleration": 1}, "lzma": {"preset": 1}, "crc32": {}, "crc32c": {},
            "adler32": {}, "fletcher32": {}, "jenkins_lookup3": {},
        }.items()
    },
}  # fmt: skip
INNER = {
    "shard": sharding((2, 3)),
    "index at the start": sharding((2, 3), index_location="start"),
    "index at the end": sharding((2, 3), [LITTLE, gzip()], index_location="end"),
    "index without a checksum": sharding((2, 3), [BIG, zstd()], [LITTLE]),
    "index in big endian": sharding((2, 3), [LITTLE], [BIG, CRC32C]),
    "transposed chunks": sharding((2, 3), [transpose(1, 0), BIG, blosc("zstd", "bitshuffle")]),
    "shards in shards": sharding((4, 6), [sharding((2, 3), [LITTLE, zstd()])]),
    "three levels": sharding(
        (4, 6), [sharding((2, 6), [sharding((1, 3))], index_location="start"), CRC32C]
    ),
    "one chunk": sharding((4, 6)),
    "chunks of one element": sharding((1, 1)),
}
SHARDS = {
    **{name: [inner] for name, inner in INNER.items()},
    "crc32c of the shard": [sharding((2, 3)), CRC32C],
    "compressed shard": [sharding((2, 3), [LITTLE, zstd()]), gzip(1)],
    "transposed shard": [transpose(1, 0), sharding((2, 1), [LITTLE, gzip()])],
}


def codec_cases():
    for name, codecs in CODECS.items():
        yield name, document((9, 11), "int32", (4, 5), codecs, 7), RAMP
    for name, (codecs, data_type) in NUMCODECS.items():
        fill = False if data_type == "bool" else 7
        values = RAMP.astype(data_type) if data_type != "bool" else RAMP % 3 == 0
        yield N + name, document((9, 11), data_type, (4, 5), codecs, fill), values
    for name, codecs in SHARDS.items():
        values = np.where(RAMP < 20, 7, RAMP)  # chunks that hold only 7, the fill value, are absent
        yield name, document((9, 11), "int32", (4, 6), codecs, 7), values
    for name in ("bool", "uint8", "complex128", "float16"):
        values = number_values(name, (9, 11))
        fill = {"bool": True, "complex128": [0, 0]}.get(name, 0)
        shard = sharding((2, 3), [zarr3.bytes_for(name), blosc(typesize=1)])
        yield f"shard of {name}", document((9, 11), name, (4, 6), [shard], fill), values
    words = texts(*"a bc  Höhe e f".split(" "))
    shard = sharding((1, 2), [codec("vlen-utf8"), zstd()])
    yield "shard of texts", document((2, 3), "string", (2, 4), [shard], ""), words


def shape_cases():
    ramp = np.arange(2 * 3 * 5 * 7 * 2, dtype="i2")
    shapes = {
        "scalar": ((), ()), "1D": ((10,), (4,)), "1D in one": ((10,), (100,)),
        "3D": ((2, 15, 14), (1, 4, 5)), "4D": ((2, 3, 5, 14), (2, 2, 5, 5)),
        "5D": ((2, 3, 5, 7, 2), (1, 2, 3, 4, 5)), "chunks beyond the edge": ((7, 5), (100, 2)),
        "no rows": ((0, 5), (2, 2)), "nothing": ((0,), (3,)), "one": ((1, 1), (1, 1)),
    }  # fmt: skip
    for name, (shape, chunks) in shapes.items():
        values = ramp[: int(np.prod(shape))].reshape(shape)
        yield name, document(shape, "int16", chunks, [LITTLE, zstd()], -1), values
        if shape and 0 not in shape:
            order = list(range(len(shape)))[1:] + [0]
            codecs = [codec("transpose", order=order), LITTLE]
            yield name + " transposed", document(shape, "int16", chunks, codecs, -1), values
            shard = [n * 2 for n in chunks]
            codecs = [sharding(chunks, [LITTLE, gzip()])]
            yield name + " in shards", document(shape, "int16", shard, codecs, -1), values


def key_cases():
    for rank in (0, 1, 2, 3):
        shape, chunks = (3, 4, 5)[:rank], (2, 2, 2)[:rank]
        values = np.arange(np.prod(shape, dtype=int), dtype="u1").reshape(shape) + np.uint8(1)
        for name in ("default", "v2"):
            for separator in ("/", ".", None):
                more = {} if separator is None else {"separator": separator}
                encoding = {"name": name, "configuration": more} if more else {"name": name}
                yield f"{name} {separator} {rank}D", document(
                    shape, "uint8", chunks, chunk_key_encoding=encoding), values  # fmt: skip


def name_cases():
    values = np.arange(12, dtype="i2").reshape(3, 4)
    for case, names in {"named": ["lat", "lon"], "null": [None, "lon"], "all null": [None, None],
                        "without": ..., "same twice": ["x", "x"]}.items():  # fmt: skip
        yield case, document((3, 4), "int16", dimension_names=names), values


GROUPS = {
    "numbers": number_cases, "times": time_cases, "texts": text_cases, "structures": structure_cases,
    "codecs": codec_cases, "shapes": shape_cases, "keys": key_cases, "names": name_cases,
}  # fmt: skip
CASES = {f"{group}: {name}": (group, case[0], case[1])
         for group, make in GROUPS.items() for name, *case in make()}  # fmt: skip


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    """Writes the arrays of CASES, into one store for each kind of case. Returns {case: zarr3_arrays.Array}."""
    folder = tmp_path_factory.mktemp("v3")
    for group in GROUPS:
        zarr3_arrays.group(folder / f"{group}.zarr")
    found = {
        case: zarr3_arrays.array(folder / f"{group}.zarr", f"a{i}", metadata, values)
        for i, (case, (group, metadata, values)) in enumerate(CASES.items())
    }
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_arrays_of_zarr_python(arrays, case):
    zarr3_check.check(arrays[case])


def test_absent_chunks_are_among_the_cases(arrays):
    """CASES contain absent chunks, because zarr-python does not store chunks that hold only the fill value."""
    array = arrays["codecs: shard"]
    assert (array.values == 7).any() and (array.values != 7).any()


@pytest.mark.parametrize("case", ["codecs: gzip", "codecs: shard", "codecs: shards in shards"])
def test_without_any_chunk_all_is_the_fill_value(arrays, tmp_path, case):
    array = arrays[case]
    shutil.copytree(array.store / array.path, tmp_path / "a.zarr")
    shutil.rmtree(tmp_path / "a.zarr/c")
    zarr3_check.check_values(
        tmp_path / "a.zarr", "", np.full_like(array.values, 7), array.fill, array.document
    )


def test_arrays_with_default_options(tmp_path):
    """Reads arrays that zarr.create_array() has created with default options."""
    store = tmp_path / "a.zarr"
    zarr3_arrays.group(store)
    values = np.arange(600, dtype="f4").reshape(20, 30)
    made = [
        zarr3_arrays.create(store, "plain", values),
        zarr3_arrays.create(store, "shards", values, chunks=(5, 5), shards=(10, 15)),
        zarr3_arrays.create(store, "keys", values, chunks=(5, 5), chunk_key_encoding=codec("v2", separator="/")),
        zarr3_arrays.create(store, "order", values, chunks=(5, 5), filters=[transpose(1, 0)], fill_value=3),
        zarr3_arrays.create(store, "texts", texts("a", "b", "c", "d"), dtype="str"),
        zarr3_arrays.create(store, "days", values.astype("i8").view("M8[D]"), dimension_names=["y", "x"]),
    ]  # fmt: skip
    for array in made:
        zarr3_check.check(array)


# Tests of groups in Zarr v3


def hierarchy(folder, consolidated=False):
    """Writes a store with groups and arrays. Returns the store and {path: zarr3_arrays.Array}."""
    store = folder / "store.zarr"
    values = np.arange(12, dtype="i2").reshape(3, 4)
    zarr3_arrays.group(store, "", {"title": "root", "n": 5})
    zarr3_arrays.group(store, "deep", {"level": 1})
    zarr3_arrays.group(store, "deep/deeper")
    zarr3_arrays.group(store, "empty")
    made = {
        path: zarr3_arrays.array(
            store, path, document((3, 4), "int16", fill_value=-1, dimension_names=["y", "x"]),
            values + i,
        )
        for i, path in enumerate(["dem", "deep/slope", "deep/deeper/aspect"])
    }  # fmt: skip
    if consolidated:
        zarr3_arrays.consolidate(store)
    return store, made


@pytest.mark.parametrize("consolidated", [False, True])
def test_groups_and_arrays(tmp_path, cpl, consolidated):
    store, made = hierarchy(tmp_path, consolidated)
    root = zarr_mdim.open_group(store)
    assert sorted(root.GetGroupNames()) == ["deep", "empty"]
    assert root.GetMDArrayNames() == ["dem"]
    assert root.OpenGroup("deep").GetGroupNames() == ["deeper"]
    assert root.OpenGroup("empty").GetMDArrayNames() in ([], None)
    assert root.GetAttribute("title").Read() == "root" and root.GetAttribute("n").Read() == 5
    assert root.OpenGroup("deep").GetAttribute("level").Read() == 1
    names = [attribute.GetName() for attribute in root.GetAttributes()]
    assert sorted(names) == ["n", "title"]
    listed = {name for name, _ in gdal.Open(str(store)).GetSubDatasets()}
    assert listed >= {zarr_gdal.array_name(store, path) for path in made}
    for array in made.values():
        zarr3_check.check(array)
    for name in (store / "deep", store / "deep/zarr.json", f'ZARR:"{store}":/deep'):
        group = zarr_mdim.open_group(name)
        assert group.GetMDArrayNames() == ["slope"]
        values = zarr_mdim.read(group.OpenMDArray("slope"))[""]
        zarr_gdal.assert_same(values, made["deep/slope"].values)
    cpl.assert_quiet()


@pytest.mark.parametrize(
    "name", ["{}", "{}/zarr.json", 'ZARR:"{}"', "ZARR:{}", "{}/dem", "{}/dem/zarr.json"]
)
def test_names_that_open_a_store(tmp_path, name):
    store = tmp_path / "store.zarr"
    zarr3_arrays.group(store)
    values = np.arange(12, dtype="i2").reshape(3, 4)
    zarr3_arrays.array(store, "dem", document((3, 4), "int16"), values)
    dataset = zarr_gdal.open_raster(name.format(store))
    zarr_gdal.assert_same(dataset.ReadAsArray(), values)


def test_an_array_alone_is_a_store(tmp_path):
    store = tmp_path / "a.zarr"
    array = zarr3_arrays.array(store, "", document((3, 4), "int16"), np.ones((3, 4), "i2"))
    zarr3_check.check(array)


def test_folders_are_no_groups(tmp_path, cpl):
    """A folder without zarr.json is not a group in Zarr v3, so the driver does not list the folder. An array in
    this folder opens by its name, as in zarr-python."""
    store, made = hierarchy(tmp_path)
    (store / "deep/zarr.json").unlink()
    root = zarr_mdim.open_group(store)
    assert root.GetGroupNames() == ["empty"]
    tree = zarr3_arrays.tree(store)
    assert sorted(tree) == ["", "dem", "empty"]
    zarr_gdal.assert_same(gdal.Open(str(store)).ReadAsArray(), made["dem"].values)
    slope = made["deep/slope"]
    assert zarr3_check.raster_problem(store, slope.path, slope.values, slope.fill) is None
    cpl.assert_quiet()


def test_both_versions_side_by_side(tmp_path, cpl):
    """A folder with zarr.json and with documents of v2 opens as v3, as in zarr-python 3."""
    store, made = hierarchy(tmp_path)
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    (store / "old").mkdir()
    (store / "old/.zarray").write_text(json.dumps({
        "zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|u1", "compressor": None,
        "filters": None, "fill_value": 0, "order": "C"}))  # fmt: skip
    kind, tree = zarr3_arrays.kind(store), zarr3_arrays.tree(store)
    assert kind == [3, "Group"] and "old" not in tree
    root = zarr_mdim.open_group(store)
    assert root.GetMDArrayNames() == ["dem"] and root.GetAttribute("title").Read() == "root"
    zarr3_check.check(made["dem"])
    cpl.assert_quiet()


# Tests of attributes in Zarr v3

ATTRIBUTES = {
    "text": "Höhe", "number": 5, "fraction": 0.25, "flag": True, "numbers": [1, 2, 3],
    "fractions": [0.5, 1.5], "texts": ["a", "b"], "units": "m", "long": 2**53 + 1,
    "nothing": None, "object": {"a": [1, {"b": "c"}]}, "empty": [], "blank": "",
}  # fmt: skip


def test_attributes_of_arrays(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    metadata = document((3, 4), "int16", attributes=ATTRIBUTES)
    array = zarr3_arrays.array(store, "", metadata, np.zeros((3, 4), "i2"))
    assert array.attributes == ATTRIBUTES
    opened = zarr_mdim.open_array(store)
    assert opened.GetUnit() == "m"
    for name in ("text", "number", "fraction", "texts", "blank"):
        got = opened.GetAttribute(name).Read()
        assert (list(got) if isinstance(got, (list, tuple)) else got) == ATTRIBUTES[name], name
    assert zarr_mdim.attribute_numbers(opened.GetAttribute("long")) == [2**53 + 1]
    assert list(opened.GetAttribute("numbers").Read()) == [1, 2, 3]
    assert list(opened.GetAttribute("fractions").Read()) == [0.5, 1.5]
    assert json.loads(opened.GetAttribute("object").ReadAsString()) == ATTRIBUTES["object"]
    metadata = zarr_gdal.open_raster(store).GetMetadata()
    assert metadata["text"] == "Höhe" and metadata["number"] == "5"
    cpl.assert_quiet()


@pytest.mark.parametrize("attributes", [..., {}])
def test_attributes_may_be_missing(tmp_path, cpl, attributes):
    metadata = document((2, 3), "uint8", attributes=attributes)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": bytes(range(6))})
    assert gdal.Open(str(tmp_path / "a.zarr")).ReadAsArray().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert zarr_mdim.open_array(tmp_path / "a.zarr").GetAttributes() == []
    cpl.assert_quiet()


# Tests of consolidated metadata in Zarr v3


def edit(path, change):
    metadata = json.loads(path.read_text())
    change(metadata)
    path.write_text(json.dumps(metadata))


def test_consolidated_metadata_are_used(tmp_path, cpl):
    """Arrays open by consolidated metadata alone, after the test has deleted their own documents."""
    store, made = hierarchy(tmp_path, True)
    for path in store.rglob("zarr.json"):
        if path.parent != store:
            path.unlink()
    for path, array in made.items():
        assert gdal.Open(zarr_gdal.array_name(store, path)) is not None, path
        problem = zarr3_check.mdim_problem(store, path, array.values, array.fill, array.document)
        assert problem is None, problem
    cpl.assert_quiet()
    options = ["USE_CONSOLIDATED_METADATA=NO"]
    assert (
        gdal.OpenEx(zarr_gdal.array_name(store, "dem"), gdal.OF_RASTER, open_options=options)
        is None
    )


def test_stale_consolidated_metadata(tmp_path, cpl):
    """An array that was added after consolidation is not listed. With USE_CONSOLIDATED_METADATA=NO it is
    listed."""
    store, made = hierarchy(tmp_path, True)
    zarr3_arrays.array(store, "later", document((3, 4), "int16"), np.ones((3, 4), "i2"))
    assert "later" not in (zarr_mdim.open_group(store).GetMDArrayNames() or [])
    options = ["USE_CONSOLIDATED_METADATA=NO"]
    root = zarr_mdim.open_group(store, *options)
    assert sorted(root.GetMDArrayNames()) == ["dem", "later"]
    zarr3_check.check(made["dem"], options)


@pytest.mark.parametrize("value", [None, ...])
def test_null_consolidated_metadata_are_ignored(tmp_path, cpl, value):
    store, made = hierarchy(tmp_path)

    def change(metadata):
        metadata.pop("consolidated_metadata", None)
        if value is None:
            metadata["consolidated_metadata"] = None

    edit(store / "zarr.json", change)
    assert zarr_mdim.open_group(store).GetMDArrayNames() == ["dem"]
    zarr3_check.check(made["deep/slope"])
    cpl.assert_quiet()
