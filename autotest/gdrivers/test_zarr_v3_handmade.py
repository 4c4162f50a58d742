# SPDX-License-Identifier: MIT
"""Zarr v3 stores that zarr-python 3 cannot write: data types, codecs and chunk grids of zarr-extensions, and other
spellings of zarr.json.

The tests write bytes by the specifications. ml_dtypes computes the expected values of types with few bits, such as int4
and bfloat16."""

import gzip
import itertools
import struct

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr3_check
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr3 import BIG, BYTES, LITTLE, codec, document, sharding, transpose

# data type -> number of bits that a stored element uses. Readers ignore all other bits of its byte.
NARROW = {
    "int2": 2, "int4": 4, "uint2": 2, "uint4": 4, "float4_e2m1fn": 4, "float6_e2m3fn": 6,
    "float6_e3m2fn": 6, "float8_e3m4": 8, "float8_e4m3": 8, "float8_e4m3fn": 8,
    "float8_e4m3b11fnuz": 8, "float8_e4m3fnuz": 8, "float8_e5m2": 8, "float8_e5m2fnuz": 8,
    "float8_e8m0fnu": 8, "bfloat16": 16,
}  # fmt: skip
FLOATS = [name for name in NARROW if "float" in name]


@pytest.fixture(scope="module")
def meanings():
    """Returns {data type: values}, where element i has the bit pattern i. Values have the type that GDAL returns."""
    return {name: zarr3_arrays.narrow(name).astype(np_type(name)) for name in NARROW}


def np_type(name):
    return "f4" if "float" in name else "i1" if name.startswith("int") else "u1"


def all_codes(name):
    """Returns all bit patterns of a stored element of a data type, as a square array."""
    side = 256 if name.endswith("bfloat16") else 16
    return np.arange(side * side, dtype="u2" if side == 256 else "u1").reshape(side, side)


def significant(codes, name):
    return codes & ((1 << NARROW[name]) - 1)


def fill_of(name):
    return np.array(1, np_type(name))


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("name", NARROW)
def test_narrow_numbers(tmp_path, meanings, name, order):
    codes = all_codes(name)
    data = codes.astype(codes.dtype.newbyteorder("<" if order == "little" else ">")).tobytes()
    metadata = document(codes.shape, name, None, [codec("bytes", endian=order)], 1)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": data})
    values = meanings[name][significant(codes, name)]
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, fill_of(name))


@pytest.mark.parametrize("name", FLOATS)
def test_complex_numbers_of_narrow_ones(tmp_path, meanings, name):
    codes = all_codes(name)
    metadata = document(
        (codes.shape[0], codes.shape[1] // 2), "complex_" + name, None, [LITTLE], [1, 1]
    )
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": codes.tobytes()})
    values = np.ascontiguousarray(meanings[name][significant(codes, name)]).view("c8")
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)


@pytest.mark.parametrize("part", ["f2", "f4", "f8"])
def test_complex_numbers_of_floats(tmp_path, cpl, part):
    parts = np.arange(24, dtype=part).reshape(3, 8) / 2
    name = f"complex_float{8 * parts.dtype.itemsize}"
    zarr3.handmade(
        tmp_path / "a.zarr", document((3, 4), name, None, [BIG], ["NaN", -2.5]),
        {"c/0/0": parts.astype(">" + part).tobytes()},
    )  # fmt: skip
    values = parts.astype("f8" if part == "f8" else "f4").view("c16" if part == "f8" else "c8")
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)
    nodata = zarr_mdim.raw_nodata(zarr_mdim.open_array(tmp_path / "a.zarr"))[""]
    assert np.isnan(nodata.real) and nodata.imag == -2.5


def test_raw_bits(tmp_path):
    """The data type r16 of the core specification, which zarr-python calls raw_bytes, reads as bytes."""
    data = bytes(range(12))
    metadata = document((2, 3), "r16", None, [BYTES], [1, 2])
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": data})
    values = np.frombuffer(data, "V2").reshape(2, 3)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, np.array(b"\1\2", "V2"))


def fields(*pairs):
    return codec("struct", fields=[{"name": name, "data_type": kind} for name, kind in pairs])


@pytest.mark.parametrize("order", "<>")
def test_structures(tmp_path, order):
    """Structures ("struct" of zarr-extensions) are read. Fields and fill value are JSON objects, and the codec "bytes"
    states the byte order of all fields."""
    point = fields(("x", "float32"), ("y", {"name": "float32"}))
    time = codec("numpy.datetime64", unit="s", scale_factor=1)
    data_type = fields(("id", "int32"), ("flags", "uint8"), ("point", point), ("t", time))
    inner = np.dtype([("x", order + "f4"), ("y", order + "f4")])
    dtype = np.dtype(
        [("id", order + "i4"), ("flags", "u1"), ("point", inner), ("t", order + "M8[s]")]
    )
    values = np.zeros((2, 3), dtype)
    values["id"] = np.arange(6).reshape(2, 3) - 3
    values["flags"] = 200
    values["point"]["y"] = np.arange(6).reshape(2, 3) / 4
    values["t"] = np.arange(6).reshape(2, 3)
    fill = {"id": -1, "flags": 7, "point": {"x": "NaN", "y": 0.5}, "t": 5}
    metadata = document((2, 3), data_type, (2, 2), [BIG if order == ">" else LITTLE], fill)
    files = zarr3.encoded_files(values, (2, 2), lambda chunk: chunk.tobytes())
    del files["c/0/1"]
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    element = np.array((-1, 7, (np.nan, 0.5), 5), dtype)
    values[:, 2] = element
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, element)


def test_fill_value_of_bytes_as_a_list(tmp_path):
    metadata = document((1, 2), "bytes", None, [codec("vlen-bytes")], [1, 2, 255])
    zarr3.handmade(tmp_path / "a.zarr", metadata)
    values = np.empty((1, 2), object)
    values[:] = b"\1\2\xff"
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)


# Codecs of zarr-extensions


def packed(codes, width, padding=None):
    """Returns numbers as the codec packbits stores them: number i has the bits [i * width, (i + 1) * width), least
    significant bit first."""
    bits = (codes.ravel().astype("u8")[:, None] >> np.arange(width, dtype="u8")) & np.uint64(1)
    data = np.packbits(bits.astype("u1").ravel(), bitorder="little").tobytes()
    count = bytes([-bits.size % 8])
    return count + data if padding == "first_byte" else data + count if padding else data


PADDINGS = [None, "none", "first_byte", "last_byte"]


def packbits(padding=None, **more):
    return codec("packbits", **({} if padding is None else {"padding_encoding": padding}), **more)


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("name", ["bool", *(n for n, bits in NARROW.items() if bits < 8)])
def test_packbits(tmp_path, meanings, name, padding):
    width = 1 if name == "bool" else NARROW[name]
    codes = np.arange(35).reshape(5, 7) * 3 % (1 << width)
    values = codes == 1 if name == "bool" else meanings[name][codes]
    kind = padding if padding != "none" else None
    files = zarr3.encoded_files(codes, (2, 3), lambda chunk: packed(chunk, width, kind))
    fill = False if name == "bool" else 1
    metadata = document((5, 7), name, (2, 3), [packbits(padding)], fill)
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, None, metadata)


@pytest.mark.parametrize(
    "name, first, last",
    [("int16", 1, 11), ("uint16", 3, None), ("int8", None, 4), ("uint8", 2, 5), ("int64", 0, 40),
     ("float32", 16, 31), ("uint32", None, None), ("int32", 31, 31)],
)  # fmt: skip
def test_packbits_of_some_bits(tmp_path, name, first, last):
    """packbits can store only the bits `first` to `last` of each element. Lower bits decode as 0. Higher bits decode
    as the sign bit in signed integers, and as 0 in other types."""
    dtype = np.dtype(name)
    bits = 8 * dtype.itemsize
    low, high = first or 0, bits - 1 if last is None else last
    width = high - low + 1
    given = np.array([i * 0x9E3779B97F4A7C15 % (1 << 64) for i in range(24)], "u8").reshape(4, 6)
    kept = given & np.uint64((1 << width) - 1)
    codes = (kept << np.uint64(low)) & np.uint64((1 << bits) - 1)
    if dtype.kind == "i":
        sign = (codes >> np.uint64(high)) & np.uint64(1)
        above = np.uint64((1 << bits) - 1) & ~np.uint64((1 << (high + 1)) - 1)
        codes |= sign * above
    values = codes.astype(f"u{dtype.itemsize}").view(dtype)
    metadata = document((4, 6), name, None, [packbits(first_bit=first, last_bit=last)], 0)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": packed(kept, width)})
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)


def test_packbits_of_complex_numbers(tmp_path, meanings):
    codes = np.arange(24).reshape(3, 8) * 5 % 16
    metadata = document((3, 4), "complex_float4_e2m1fn", None, [packbits()], [0, 0])
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": packed(codes, 4)})
    values = np.ascontiguousarray(meanings["float4_e2m1fn"][codes]).view("c8")
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)


def cast(data_type, **more):
    return codec("cast_value", data_type=data_type, **more)


def scaled(**more):
    return codec("scale_offset", **more)


NAN_MAP = {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}
OFF = {"rounding": "towards-negative"}
# case -> (data type, fill value, codecs before "bytes", stored NumPy type, stored values, decoded values)
ARITHMETIC = {
    "offset": ("float32", 0, [scaled(offset=5)], "f4", [[-5, 0], [1.5, 7]], [[0, 5], [6.5, 12]]),
    "scale": ("float64", 0, [scaled(scale=0.5)], "f8", [[1, -2], [0, 8]], [[2, -4], [0, 16]]),
    "both": ("float32", 1, [scaled(offset=-1, scale=4)], "f4", [[4, 8], [0, 2]], [[0, 1], [-1, -0.5]]),
    "neither": ("int16", 0, [{"name": "scale_offset"}], "i2", [[1, 2], [3, -4]], [[1, 2], [3, -4]]),
    "integers": ("int32", 0, [scaled(offset=-10, scale=2)], "i4", [[0, 2], [20, -8]], [[-10, -9], [0, -14]]),
    "offset and cast": (
        "uint16", 1000, [scaled(offset=1000), cast("uint8")], "u1", [[0, 255], [7, 1]],
        [[1000, 1255], [1007, 1001]],
    ),
    "NaN": (
        "float64", "NaN", [scaled(offset=-10, scale=0.5), cast("uint8", scalar_map=NAN_MAP)], "u1",
        [[0, 1], [255, 5]], [[np.nan, -8], [500, 0]],
    ),
    "cast": ("int32", 0, [cast("int8")], "i1", [[-128, 127], [0, 5]], [[-128, 127], [0, 5]]),
    "cast to more": ("uint8", 3, [cast("float64")], "f8", [[0, 255], [3, 4]], [[0, 255], [3, 4]]),
    "nearest, even": ("int16", 0, [cast("float32")], "f4", [[0.5, 1.5], [-2.5, 3.4]], [[0, 2], [-2, 3]]),
    "towards zero": (
        "int16", 0, [cast("float32", rounding="towards-zero")], "f4", [[0.9, 1.5], [-2.9, -0.5]],
        [[0, 1], [-2, 0]],
    ),
    "upwards": (
        "int16", 0, [cast("float32", rounding="towards-positive")], "f4", [[0.1, -1.5], [2, -0.5]],
        [[1, -1], [2, 0]],
    ),
    "downwards": ("int16", 0, [cast("float32", **OFF)], "f4", [[0.9, -1.5], [2, -0.1]], [[0, -2], [2, -1]]),
    "away": (
        "int16", 0, [cast("float32", rounding="nearest-away")], "f4", [[0.5, -0.5], [2.5, 1.4]],
        [[1, -1], [3, 1]],
    ),
    "clamp": (
        "uint8", 0, [cast("int16", out_of_range="clamp")], "i2", [[-5, 300], [255, 0]],
        [[0, 255], [255, 0]],
    ),
    "wrap": (
        "int8", 0, [cast("int32", out_of_range="wrap")], "i4", [[128, -129], [257, 5]],
        [[-128, 127], [1, 5]],
    ),
    "first of a map": (
        "int16", -1, [cast("uint8", scalar_map={"encode": [[-1, 255]], "decode": [[255, -1], [255, 9]]})],
        "u1", [[255, 1], [2, 255]], [[-1, 1], [2, -1]],
    ),
    "bitround": ("float32", 0, [codec("bitround", keepbits=3)], "f4", [[1.5, 2], [np.nan, -0.125]],
                 [[1.5, 2], [np.nan, -0.125]]),
    "bitround of integers": ("int32", 0, [codec("bitround", keepbits=1)], "i4", [[8, -16], [0, 1]],
                             [[8, -16], [0, 1]]),
}  # fmt: skip


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("case", ARITHMETIC)
def test_arithmetic(tmp_path, case, order):
    """Codecs that calculate, such as an offset, give the specified values in plain chunks and in shards. Absent chunks
    read as the fill value."""
    data_type, fill, codecs, stored, inside, values = ARITHMETIC[case]
    data = np.array(inside, order + stored).tobytes()
    values = np.array(values, data_type)
    element = np.array(float(fill) if "float" in data_type else fill, data_type)
    to_bytes = BIG if order == ">" else LITTLE
    whole = np.vstack([values, np.full((2, 2), element)])
    metadata = document((4, 2), data_type, (2, 2), [*codecs, to_bytes], fill)
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": data})
    zarr3_check.check_values(tmp_path / "a.zarr", "", whole, element, metadata)
    index = struct.pack("<4Q", 0, len(data), 2**64 - 1, 2**64 - 1)
    metadata = document(
        (4, 2), data_type, None, [sharding((2, 2), [*codecs, to_bytes], [LITTLE])], fill
    )
    zarr3.handmade(tmp_path / "b.zarr", metadata, {"c/0/0": data + index})
    zarr3_check.check_values(tmp_path / "b.zarr", "", whole, element, metadata)


def test_values_that_a_cast_refuses_are_an_error(tmp_path, cpl):
    metadata = document((2, 2), "uint8", None, [cast("int16"), LITTLE], 0)
    data = np.array([[1, 2], [300, 4]], "<i2").tobytes()
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": data})
    assert gdal.Open(str(tmp_path / "a.zarr")).ReadAsArray() is None
    error = cpl.the_error()
    assert "a.zarr" in error and "c/0/0" in error and "cast_value" in error and "300" in error


RESHAPES = {
    "flat": ([24], []), "joined": ([[0, 1], [2]], []), "split": ([[0], 3, 1, [2]], []),
    "the rest": ([2, -1], []), "and transposed": ([[0, 1], [2]], [transpose(1, 0)]),
}  # fmt: skip


@pytest.mark.parametrize("case", RESHAPES)
def test_reshape(tmp_path, case):
    shape, more = RESHAPES[case]
    values = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    stored = values.reshape(6, 4).T if more else values
    metadata = document((2, 3, 4), "int16", None, [codec("reshape", shape=shape), *more, LITTLE])
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0/0": stored.tobytes()})
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, None, metadata)


def n5_block(chunk):
    header = struct.pack(">HH", 0, chunk.ndim) + struct.pack(f">{chunk.ndim}I", *chunk.shape)
    return header + gzip.compress(chunk.T.astype(chunk.dtype.newbyteorder(">")).tobytes())


@pytest.mark.parametrize("cut_off", [False, True])
def test_n5_blocks(tmp_path, cut_off):
    """Chunks in the format of N5 are read. At the edge of the array, a chunk may be whole or cut off."""
    values = np.arange(35, dtype="i2").reshape(5, 7)
    inner = [transpose(1, 0), BIG, zarr3.gzip()]
    metadata = document(
        (5, 7), "int16", (2, 3), [codec("n5_default", codecs=inner)], 0,
        chunk_key_encoding=codec("v2", separator="/"),
    )  # fmt: skip
    files = {}
    for i, j in zarr3.chunk_indices((5, 7), (2, 3)):
        chunk = zarr3.chunk_values(values, (2, 3), (i, j))
        if cut_off:
            chunk = values[2 * i : 2 * i + 2, 3 * j : 3 * j + 3]
        files[f"{i}/{j}"] = n5_block(chunk)
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, None, metadata)


# Chunk grids of zarr-extensions


def rectilinear(*shapes):
    return codec("rectilinear", kind="inline", chunk_shapes=list(shapes))


def expanded(edges, size):
    """Returns all chunk sizes along a dimension of `size` elements. `edges` is one size for all chunks, or a list with
    items size or [size, number of chunks]."""
    if isinstance(edges, int):
        return [edges] * -(-size // edges)
    pairs = [e if isinstance(e, list) else [e, 1] for e in edges]
    return [edge for edge, count in pairs for _ in range(count)]


GRIDS = {
    "lists": ([1, 2, 3], [4, 5]), "numbers": (4, 3), "runs": ([[2, 3]], [[1, 3], [3, 2]]),
    "runs and numbers": ([[1, 3], 3], [9]), "mixed": ([3, 3], 2), "beyond the edge": ([4, 4], [5, 5]),
    "chunks outside": ([6, 1, 1], [8, [2, 3]]), "one chunk": ([6], [9]),
}  # fmt: skip


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("case", GRIDS)
def test_rectilinear_grids(tmp_path, case, absent):
    values = np.arange(54, dtype="<i2").reshape(6, 9)
    sizes = [expanded(edges, size) for edges, size in zip(GRIDS[case], values.shape)]
    starts = [[0, *itertools.accumulate(each)] for each in sizes]
    padded = np.zeros([start[-1] for start in starts], "<i2")
    padded[:6, :9] = values
    files = {
        f"c/{i}/{j}": padded[starts[0][i] : starts[0][i + 1], starts[1][j] : starts[1][j + 1]].tobytes()
        for i in range(len(sizes[0])) for j in range(len(sizes[1]))
    }  # fmt: skip
    if absent:
        del files["c/0/0"]
        values[: sizes[0][0], : sizes[1][0]] = -1
    metadata = document((6, 9), "int16", fill_value=-1, chunk_grid=rectilinear(*GRIDS[case]))
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values, np.array(-1, "i2"), metadata)
    band = zarr_gdal.open_band(tmp_path / "a.zarr")
    for x, y, width, height in ((0, 0, 9, 1), (3, 2, 3, 4), (8, 5, 1, 1), (1, 0, 8, 6)):
        zarr_gdal.assert_same(
            band.ReadAsArray(x, y, width, height), values[y : y + height, x : x + width]
        )


SHARD_GRIDS = {
    "numbers": (2, 4), "lists": ([2, 2, 2], [4, 4]), "runs": ([[2, 3]], 4),
    "several sizes": ([2, 4], [6, 2]), "several along one": ([4, 2], 2),
    "beyond the edge": ([4, 6], [2, 2, 8, 4]),
}  # fmt: skip


def rectilinear_shards(edges, values, at_end=True, nested=False):
    """Returns the zarr.json and the files of an array, with shard sizes `edges` per dimension and inner chunks of 2 x 2
    elements.

    `at_end` puts the shard index at the end of each shard instead of the start. `nested` makes each inner chunk a shard
    with one chunk."""
    sizes = [expanded(e, n) for e, n in zip(edges, values.shape)]
    starts = [[0, *itertools.accumulate(each)] for each in sizes]
    padded = np.zeros([start[-1] for start in starts], values.dtype)
    padded[: values.shape[0], : values.shape[1]] = values

    def shard(chunks):
        place = 0 if at_end else 16 * len(chunks)
        entries = []
        for chunk in chunks:
            entries.append(struct.pack("<2Q", place, len(chunk)))
            place += len(chunk)
        return b"".join(chunks + entries if at_end else entries + chunks)

    def chunks(part):
        return [part[i : i + 2, j : j + 2].tobytes()
                for i in range(0, part.shape[0], 2) for j in range(0, part.shape[1], 2)]  # fmt: skip

    location = "end" if at_end else "start"
    inner = sharding((2, 2), [LITTLE], [LITTLE], index_location=location)
    codecs = [sharding((2, 2), [inner], [LITTLE], index_location=location)] if nested else [inner]
    files = {}
    for i, j in itertools.product(*map(range, map(len, sizes))):
        part = padded[starts[0][i] : starts[0][i + 1], starts[1][j] : starts[1][j + 1]]
        files[f"c/{i}/{j}"] = shard([shard([c]) for c in chunks(part)] if nested else chunks(part))
    metadata = document(
        values.shape, "int16", None, codecs, 0, chunk_grid=rectilinear(*edges)
    )  # fmt: skip
    return metadata, files


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize("case", SHARD_GRIDS)
def test_rectilinear_shards(tmp_path, case, at_end, nested):
    values = np.arange(54, dtype="<i2").reshape(6, 9) if case == "beyond the edge" else (
        np.arange(48, dtype="<i2").reshape(6, 8))  # fmt: skip
    metadata, files = rectilinear_shards(SHARD_GRIDS[case], values, at_end, nested)
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    zarr3_check.check_values(tmp_path / "a.zarr", "", values)
    band = zarr_gdal.open_band(tmp_path / "a.zarr")
    for x, y, width, height in ((0, 0, 8, 1), (5, 1, 2, 4), (7, 5, 1, 1), (1, 0, 6, 6)):
        zarr_gdal.assert_same(
            band.ReadAsArray(x, y, width, height), values[y : y + height, x : x + width]
        )


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("case", SHARD_GRIDS)
def test_rectilinear_shards_are_written(tmp_path, case, nested):
    """The driver writes shards of different sizes as specified, and stores each shard that contains an element of the
    array."""
    values = np.arange(1, 49, dtype="<i2").reshape(6, 8)
    metadata, files = rectilinear_shards(SHARD_GRIDS[case], values, True, nested)
    store = zarr3.handmade(tmp_path / "a.zarr", metadata)
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    for row in (slice(3, 6), slice(0, 3)):
        band.WriteArray(values[row], 0, row.start)
    del band, dataset
    stored = {
        path.relative_to(store).as_posix(): path.read_bytes()
        for path in store.rglob("*") if path.is_file() and path.name != "zarr.json"
    }  # fmt: skip
    wanted = {} if case == "beyond the edge" else files
    for key, data in wanted.items():
        assert stored.pop(key) == data, key
    assert case == "beyond the edge" or not stored
    zarr3_check.check_values(store, "", values)
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((3, 3), -7, "i2"), 2, 1)
    del dataset
    values[1:4, 2:5] = -7
    zarr3_check.check_values(store, "", values)


def test_rectilinear_shards_say_their_sizes(tmp_path):
    values = np.arange(48, dtype="<i2").reshape(6, 8)
    zarr3.handmade(tmp_path / "a.zarr", *rectilinear_shards(([2, 4], [6, 2]), values))
    told = gdal.Open(str(tmp_path / "a.zarr")).GetMetadata("ZARR")
    assert told["CHUNK_SHAPE"] == "2,2" and told["SHARD_SHAPE"] == "4,6"
    assert told["CHUNKS"] == "12"


def test_rectilinear_shards_of_no_whole_chunks(tmp_path, cpl):
    values = np.arange(48, dtype="<i2").reshape(6, 8)
    metadata, files = rectilinear_shards(([2, 4], [6, 2]), values)
    metadata["chunk_grid"] = rectilinear([4, 2], [3, 3, 2])
    zarr3.handmade(tmp_path / "a.zarr", metadata, files)
    assert gdal.Open(str(tmp_path / "a.zarr")) is None
    assert "size 3 of shard 0 along dimension 1 is not a multiple of the inner chunk size 2" in cpl.the_error()


# Valid zarr.json that zarr-python would spell differently

SIX = bytes(range(6))
SPELLINGS = {
    "codec by its name": {"codecs": ["bytes"]},
    "codecs of names and objects": {"codecs": [transpose(0, 1), "bytes"]},
    "key encoding by its name": {"chunk_key_encoding": "default"},
    "type as an object": {"data_type": {"name": "uint8"}},
    "no storage transformers": {"storage_transformers": []},
    "a member to ignore": {"later": {"name": "x", "must_understand": False, "more": [1]}},
    "no configuration": {"codecs": [{"name": "bytes"}], "chunk_key_encoding": {"name": "default"}},
    "empty configuration": {"codecs": [codec("bytes")], "chunk_key_encoding": codec("default")},
    "names that are null": {"dimension_names": None},
    "endian of bytes": {"codecs": [BIG]},
    "must be understood": {"codecs": [{"name": "bytes", "must_understand": True}]},
}  # fmt: skip


@pytest.mark.parametrize("case", SPELLINGS)
def test_spellings(tmp_path, cpl, case):
    metadata = {**document((2, 3), "uint8"), **SPELLINGS[case]}
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": SIX})
    zarr3_check.check_values(tmp_path / "a.zarr", "", np.frombuffer(SIX, "u1").reshape(2, 3))
    cpl.assert_quiet()


def test_a_group_with_a_member_to_ignore(tmp_path, cpl):
    more = {"later": {"must_understand": False, "a": 1}}
    zarr3.handmade(tmp_path / "a.zarr", zarr3.group_document({"t": 1}, **more))
    zarr3.handmade(tmp_path / "a.zarr", document((2, 3), "uint8"), {"c/0/0": SIX}, "dem")
    assert zarr_mdim.open_group(tmp_path / "a.zarr").GetMDArrayNames() == ["dem"]
    cpl.assert_quiet()


@pytest.mark.parametrize("codecs", [[LITTLE], ...], ids=["codecs", "no codecs"])
def test_arrays_of_gdal_have_a_fill_value_of_null(tmp_path, cpl, codecs):
    """Without a nodata value, GDAL's built-in driver writes the fill value null; old versions also omit `codecs`. Such
    arrays open, and absent chunks read as 0."""
    metadata = document((2, 6), "int16", (2, 3), fill_value=None) | {"codecs": codecs}
    chunk = np.array([[1, 2, 3], [-4, 5, 6]], "<i2").tobytes()
    present = {name: value for name, value in metadata.items() if value is not ...}
    zarr3.handmade(tmp_path / "a.zarr", present, {"c/0/0": chunk})
    expected = np.array([[1, 2, 3, 0, 0, 0], [-4, 5, 6, 0, 0, 0]], "i2")

    def opened(nodata, flags=0):
        dataset = gdal.OpenEx(str(tmp_path / "a.zarr"), gdal.OF_RASTER | flags)
        np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
        assert dataset.GetRasterBand(1).GetNoDataValue() == nodata
        return dataset

    opened(None)
    dataset = opened(None, gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((2, 1), 9, "i2"), 5)
    dataset = None
    expected[:, 5] = 9
    dataset = opened(None, gdal.OF_UPDATE)
    dataset.GetRasterBand(1).SetNoDataValue(-4)
    dataset = None
    opened(-4)
    cpl.assert_quiet()


@pytest.mark.parametrize("fill", [0, 1, True])
def test_booleans_of_zarrita(tmp_path, cpl, fill):
    """A boolean array whose fill value is the number 0 or 1 opens. The Python library zarrita wrote 0."""
    metadata = document((4, 4), "bool", (2, 4), fill_value=fill, dimension_names=["y", "x"])
    zarr3.handmade(tmp_path / "a.zarr", metadata, {"c/0/0": bytes([1, 0] * 4)})
    for options in ([], ["FILL_VALUE_AS_NODATA=YES"]):
        dataset = gdal.OpenEx(str(tmp_path / "a.zarr"), open_options=options)
        wanted = [[1, 0] * 2] * 2 + [[int(fill)] * 4] * 2
        assert dataset.ReadAsArray().tolist() == wanted
        assert dataset.GetRasterBand(1).GetNoDataValue() is None
    array = zarr_mdim.open_array(tmp_path / "a.zarr")
    assert zarr_mdim.read(array)[""].tolist() == wanted
    cpl.assert_quiet()


@pytest.mark.parametrize("fill", [2, -1, 0.5, "0", None])
def test_no_other_number_is_a_boolean(tmp_path, fill):
    metadata = document((4, 4), "bool", (2, 4), fill_value=fill)
    zarr3.handmade(tmp_path / "a.zarr", metadata)
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(str(tmp_path / "a.zarr"))
    assert (dataset is None) == (fill is not None)  # null is accepted, because GDAL's built-in driver writes it
    assert fill is None or "fill_value" in log.the_error()
