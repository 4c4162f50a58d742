# SPDX-License-Identifier: MIT
"""Random arrays of Zarr v3. zarr-python 3 writes arrays that GDAL must read. The driver writes arrays that zarr-python
3 and zarrita must read.

The raster API and the multidimensional API read arrays of zarr-python 3. The driver then writes random windows into
these arrays and into its own arrays.

Environment variables: ZARR_TEST_SEED is the seed, which is random by default and printed at the end.
ZARR_TEST_V3_ARRAYS (default 200) is the number of arrays that zarr-python writes, and also the number that the driver
writes. The coverage test needs at least 200. ZARR_TEST_ONLY is the number of a single array to test again."""

import base64
import collections
import json
import math
import os

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr3_check
import zarr_gdal
import zarr_mdim_check
import zarr_mdim_write
import zarr_random_types as types
from osgeo import gdal, gdal_array
from zarr3 import (
    BIG,
    BYTES,
    CRC32C,
    LITTLE,
    blosc,
    codec,
    document,
    gzip,
    sharding,
    transpose,
    zstd,
)

SEED = os.environ["ZARR_TEST_SEED"]
ARRAYS = int(os.environ.get("ZARR_TEST_V3_ARRAYS", "200"))
NAMES = {
    "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8",
    "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32",
    "f8": "float64", "c8": "complex64", "c16": "complex128",
}  # fmt: skip
KINDS = [*NAMES, "M8", "m8", "S", "U", "V", "struct", "object-str", "object-bytes"]
CHAINS = ["plain", "transposed", "shards", "shards in shards", "transposed chunks in shards"]
COMPRESSORS = {
    "gzip": lambda draw: gzip(draw.integer(0, 9)),
    "zstd": lambda draw: zstd(draw.choice([-3, 0, 1, 9]), draw.chance(0.5)),
    "blosc": lambda draw: blosc(
        draw.choice(["lz4", "lz4hc", "blosclz", "zlib", "zstd"]),
        draw.choice(["noshuffle", "shuffle", "bitshuffle"]), draw.choice([1, 2, 4, 8]),
        draw.integer(0, 9), draw.choice([0, 0, 256]),
    ),
    "crc32c": lambda draw: CRC32C,
    "numcodecs.zlib": lambda draw: codec("numcodecs.zlib", level=draw.integer(0, 9)),
    "numcodecs.bz2": lambda draw: codec("numcodecs.bz2", level=1),
    "numcodecs.lzma": lambda draw: codec("numcodecs.lzma", preset=0),
    "numcodecs.lz4": lambda draw: codec("numcodecs.lz4", acceleration=1),
    "numcodecs.gzip": lambda draw: codec("numcodecs.gzip", level=draw.integer(0, 9)),
    "numcodecs.zstd": lambda draw: codec("numcodecs.zstd", level=draw.choice([-1, 1])),
    "numcodecs.blosc": lambda draw: codec(
        "numcodecs.blosc", cname=draw.choice(["lz4", "zstd"]), clevel=3, blocksize=0,
        shuffle=draw.choice([-1, 0, 1, 2]),
    ),
    "numcodecs.crc32": lambda draw: codec("numcodecs.crc32", location=draw.choice(["start", "end"])),
    "numcodecs.crc32c": lambda draw: codec("numcodecs.crc32c"),
    "numcodecs.adler32": lambda draw: codec("numcodecs.adler32"),
    "numcodecs.fletcher32": lambda draw: codec("numcodecs.fletcher32"),
    "numcodecs.jenkins_lookup3": lambda draw: codec("numcodecs.jenkins_lookup3", initval=draw.integer(0, 9)),
}  # fmt: skip
# Codecs that transform elements, and that come before the codec "bytes". zarr-python 3.1 cannot read an array with such
# a codec if "bytes" is big-endian.
FILTERS = {
    "delta": lambda draw, dtype: codec("numcodecs.delta", dtype=dtype.str),
    "astype": lambda draw, dtype: codec(
        "numcodecs.astype", encode_dtype=f"<{dtype.kind}8", decode_dtype=dtype.str
    ),
    "bitround": lambda draw, dtype: codec("numcodecs.bitround", keepbits=draw.integer(1, 10)),
    "quantize": lambda draw, dtype: codec("numcodecs.quantize", digits=draw.integer(0, 3), dtype=dtype.str),
    "fixedscaleoffset": lambda draw, dtype: codec(
        "numcodecs.fixedscaleoffset", offset=draw.choice([0, -3, 0.5]), scale=draw.choice([1, 2, 10]),
        dtype=dtype.str, astype="<i4",
    ),
    "packbits": lambda draw, dtype: codec("numcodecs.packbits"),
}  # fmt: skip
FILTERS_OF = {
    "i": ["delta", "astype"], "u": ["delta", "astype"], "b": ["packbits"],
    "f": ["delta", "bitround", "quantize", "fixedscaleoffset"],
}  # fmt: skip
# Values of the creation option COMPRESS that are valid for Zarr v3
OPTIONS = ["NONE", "GZIP", "ZSTD", "BLOSC", "ZLIB", "LZ4", "LZMA", "BZ2"]
ZARRITA_LACKS = ("Unknown or unsupported dataType", "Unknown codec")


def numbers():
    """Returns the numbers of the arrays to test."""
    only = os.environ.get("ZARR_TEST_ONLY")
    return range(ARRAYS) if only is None else [int(only)]


def random_sizes(draw):
    """Draws (shape, chunk sizes, shard sizes). Each shard size is a multiple of the chunk size, and an array
    has at most 60 chunks."""
    rank = draw.choice([0, 1, 2, 2, 2, 3, 3, 4])
    shape = [draw.integer(1, {1: 200, 2: 40, 3: 12, 4: 6}[rank]) for _ in range(rank)]
    chunks = [draw.integer(1, max(1, min(size, 9))) for size in shape]
    while math.prod(-(-s // c) for s, c in zip(shape, chunks)) > 60:
        i = draw.integer(0, rank - 1)
        chunks[i] = min(shape[i] + 2, chunks[i] * 2)
    return shape, chunks, [c * draw.integer(1, 3) for c in chunks]


def struct_type(draw, depth=0):
    """Draws a structure, whose fields may be structures. Returns (NumPy type, data type in zarr.json)."""
    fields = []
    for name in draw.random.sample(["a", "b", "x y", "Höhe", "q.r", "1"], draw.integer(1, 4)):
        kind = draw.choice([*NAMES, "M8", "m8", "U", "V", *(["struct"] * (2 - depth))])
        own = struct_type(draw, depth + 1) if kind == "struct" else element_type(draw, kind, depth)
        fields.append((name, *own))
    dtype = np.dtype([(name, own.newbyteorder("<")) for name, own, _ in fields])
    return dtype, codec("structured", fields=[[name, data_type] for name, _, data_type in fields])


def element_type(draw, kind, turn):
    """Draws a data type of the given kind. Returns (NumPy type, data type in zarr.json)."""
    if kind == "struct":
        return struct_type(draw)
    dtype = types.random_dtype(draw, kind, turn)
    if kind in NAMES:
        return dtype.newbyteorder("="), NAMES[kind]
    if kind in ("M8", "m8"):
        dtype = dtype.newbyteorder("=")
        unit, factor = np.datetime_data(dtype)
        name = "numpy.datetime64" if kind == "M8" else "numpy.timedelta64"
        return dtype, codec(name, unit=unit, scale_factor=factor)
    if kind == "U":
        dtype = dtype.newbyteorder("=")
    names = {"S": "null_terminated_bytes", "U": "fixed_length_utf32", "V": "raw_bytes"}
    if kind in names:
        return dtype, codec(names[kind], length_bytes=dtype.itemsize)
    return dtype, "string" if kind == "object-str" else "variable_length_bytes"


def fill_json(draw, dtype):
    """Draws a fill value. Returns it as in zarr.json."""
    if dtype.kind == "V":  # raw bytes and structures
        return base64.b64encode(bytes(dtype.itemsize)).decode()
    if dtype.kind in "SUO":
        return ""
    values = types.limits(dtype)
    if dtype.kind == "c":  # zarr-python changes some complex fill values with NaN
        values = [value for value in values if np.isfinite(value)]
    value = draw.choice(values)
    if dtype.kind in "biu":
        return bool(value) if dtype.kind == "b" else int(value)
    if dtype.kind in "mM":
        return int(value)
    parts = [value.real, value.imag] if dtype.kind == "c" else [value]
    parts = [_float_json(np.array(part, f"f{dtype.itemsize // len(parts)}")) for part in parts]
    return parts if dtype.kind == "c" else parts[0]


def _float_json(value):
    value = float(value)
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _to_bytes(draw, kind):
    if kind.startswith("object"):
        return codec("vlen-utf8" if kind == "object-str" else "vlen-bytes")
    if kind == "struct":
        return LITTLE
    return BYTES if kind in ("S", "V", "b1", "i1", "u1") else draw.choice([LITTLE, BIG])


def random_codecs(draw, kind, chain, shape, chunks, compressor, filters):
    """Draws the codecs of an array. If `chain` names a chain with shards, the drawn codecs encode the inner
    chunks."""
    order = list(range(len(shape)))
    draw.random.shuffle(order)
    turned = [] if kind.startswith("object") else [transpose(*order)]
    more = [COMPRESSORS[compressor](draw)] if compressor else []
    if draw.chance(0.3):
        more.append(COMPRESSORS[draw.choice(list(COMPRESSORS))](draw))
    to_bytes = LITTLE if filters and kind != "b1" else _to_bytes(draw, kind)
    if chain == "plain" or not shape:
        return [*filters, to_bytes, *more]
    if chain == "transposed":
        return [*turned, *filters, to_bytes, *more]
    index = draw.choice([[LITTLE, CRC32C], [LITTLE], [BIG, CRC32C]])
    location = {"index_location": draw.choice(["start", "end"])} if draw.chance(0.6) else {}
    inside = [*(turned if chain.startswith("transposed") else []), *filters, to_bytes, *more]
    if chain == "shards in shards":
        smaller = [draw.choice([n for n in range(1, c + 1) if c % n == 0]) for c in chunks]
        inside = [sharding(smaller, inside, index)]
    return [sharding(chunks, inside, index, **location), *([CRC32C] if draw.chance(0.2) else [])]


class Plan:
    """Array number `index` with random properties, which zarr-python writes."""

    def __init__(self, index):
        draw = self.draw = types.Draw(SEED, index)
        self.kind = draw.deck("v3 kind", KINDS, index)
        self.chain = draw.deck("v3 chain", CHAINS, index // 3)
        self.compressor = draw.deck("v3 compressor", [None, *COMPRESSORS], index)
        self.dtype, data_type = element_type(draw, self.kind, index // len(KINDS))
        shape, chunks, shards = random_sizes(draw)
        # zarr-python 3.1 cannot write raw bytes or structures into shards. It cannot write texts without dimensions
        # either.
        if self.kind in ("V", "struct") and "shards" in self.chain:
            self.chain = "plain"
        while not shape and self.kind.startswith("object"):
            shape, chunks, shards = random_sizes(draw)
        turn, possible = index // len(KINDS), FILTERS_OF.get(self.dtype.kind, [])
        if self.kind == "i1" or self.kind == "u1":
            possible = ["delta"]  # zarr-python 3.1 cannot read (u)int8 with a filter other than delta
        self.filter = draw.deck(f"v3 filter {self.kind}", [None, *possible], turn)
        filters = [FILTERS[self.filter](draw, self.dtype)] if self.filter else []
        codecs = random_codecs(draw, self.kind, self.chain, shape, chunks, self.compressor, filters)
        fill = fill_json(draw, self.dtype)
        self.key = draw.choice(["default", "v2"]), draw.choice("./")
        names = draw.choice([..., None, "abcd", ["a", None, None, "d"]])
        self.document = document(
            shape, data_type, shards if "shards" in self.chain else chunks, codecs, fill,
            chunk_key_encoding=codec(self.key[0], separator=self.key[1]),
            dimension_names=names if names in (..., None) else list(names[: len(shape)]),
        )  # fmt: skip
        self.path, self.is_consolidated = draw.choice(["", "g/Höhe 1"]), draw.chance(0.5)
        self.values = self.random_values(draw, tuple(shape))
        if self.values.ndim and self.dtype.kind not in "OSUV" and draw.chance(0.5):
            # chunks that contain only the fill value stay absent
            self.values[: (shape[0] + 1) // 2] = self._fill(fill)

    def random_values(self, draw, shape):
        return types.random_values(draw, self.kind, self.dtype, shape, gentle=self.filter is not None)

    def loses(self):
        """Returns True if the filter may change values."""
        return self.dtype.kind == "f" and self.filter is not None

    def _fill(self, fill):
        if self.dtype.kind == "c":
            return complex(float(fill[0]), float(fill[1]))
        if self.dtype.kind in "mM":
            return np.array(fill, "i8").view(self.dtype)
        return float(fill) if self.dtype.kind == "f" else fill


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """Writes the random arrays with zarr-python. Returns {number: (Plan, zarr3_arrays.Array)}."""
    folder = tmp_path_factory.mktemp("theirs")
    found = {}
    for index in numbers():
        plan = Plan(index)
        store = folder / f"{index}.zarr"
        for group in ("", "g") if plan.path else ():
            zarr3_arrays.group(store, group)
        found[index] = plan, zarr3_arrays.array(store, plan.path, plan.document, plan.values)
        if plan.path and plan.is_consolidated:
            zarr3_arrays.consolidate(store)
    return found


@pytest.fixture(scope="module")
def seen():
    """Returns a counter {(property, value): number of arrays}. Each test counts the properties of the arrays whose
    values it found right."""
    return collections.Counter()


@pytest.mark.slow
def test_zarr_python_reads_its_own_arrays(theirs):
    """zarr-python reads its own arrays correctly, so the arrays are valid test data. Arrays with filters are
    left out, because zarr-python reads some of these arrays wrongly."""
    for index, (plan, array) in theirs.items():
        if plan.filter:
            continue
        if plan.dtype.kind == "O":
            assert array.values.tolist() == plan.values.tolist(), (SEED, index)
        else:
            assert _same(array.values, plan.values), (SEED, index, plan.document)


def _same(a, b):
    if a.dtype.names:
        return a.dtype.names == b.dtype.names and all(_same_field(a[name], b[name]) for name in a.dtype.names)
    if a.dtype.kind in "fcmMiub":
        return zarr_gdal.differences(a, b.astype(a.dtype)) is None
    return a.tolist() == b.tolist()


def _same_field(a, b):
    """zarr-python stores a chunk of -0.0 as absent if the fill value is 0.0, so -0.0 may become 0.0."""
    if a.dtype.names:
        return _same(a, b)
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fcmM")


@pytest.mark.slow
def test_arrays_that_zarr_python_writes(theirs, seen):
    failures = []
    for index, (plan, array) in theirs.items():
        options = [] if index % 2 else [f"NUM_THREADS={index % 5 + 1}"]
        problem = zarr3_check.problem(array, options, plan.draw)
        if problem:
            failures.append(
                f"ZARR_TEST_SEED={SEED} ZARR_TEST_ONLY={index}: {problem}\n    {json.dumps(plan.document)}"
            )
        for what in ("kind", "chain", "compressor", "key", "filter"):
            seen[what, getattr(plan, what)] += not problem
    assert not failures, f"{len(failures)} of {len(theirs)} arrays:\n" + "\n".join(failures)


@pytest.mark.slow  # as the tests whose arrays it counts
def test_the_random_arrays_covered_everything(theirs, seen):
    """The tests above have compared at least one array for each kind, codec and chunk key. Fails if a test
    above has failed or was not run."""
    if len(theirs) < 200:
        return
    wanted = [
        *(("kind", kind) for kind in KINDS), *(("chain", chain) for chain in CHAINS),
        *(("compressor", name) for name in COMPRESSORS), *(("filter", name) for name in FILTERS),
        *(("key", (name, separator)) for name in ("default", "v2") for separator in "./"),
    ]  # fmt: skip
    missing = [item for item in wanted if not seen[item]]
    assert not missing, f"ZARR_TEST_SEED={SEED}: never compared equal: {missing}"


# Tests of arrays that the driver writes or changes


def changed(plan, array):
    """Writes random values with the driver into a random window of `array`, which zarr-python has written. Returns the
    expected values of the whole array."""
    draw, values = types.Draw(SEED + " change", plan.draw.index), np.array(array.values, plan.dtype)
    start = [draw.integer(0, size - 1) for size in values.shape]
    count = [draw.integer(1, size - s) for s, size in zip(start, values.shape)]
    part = plan.random_values(draw, tuple(count))
    dataset = zarr_mdim_write.update(array.store)
    root = dataset.GetRootGroup()
    opened = root.OpenMDArrayFromFullname("/" + (array.path or root.GetMDArrayNames()[0]))
    assert zarr_mdim_write.write(opened, zarr_mdim_check.expected(part), start), gdal.GetLastErrorMsg()
    values[tuple(slice(s, s + n) for s, n in zip(start, count))] = part
    return values


@pytest.mark.slow
def test_arrays_that_the_driver_changes(theirs, tmp_path):
    """The driver changes arrays of zarr-python, and zarr-python reads the new values. This test runs after the
    tests that need the unchanged arrays."""
    failures, written = [], []
    for index, (plan, array) in theirs.items():
        if plan.loses() or plan.kind == "S":  # arrays of byte strings ("S") that are not UTF-8 would give warnings
            continue
        with zarr_gdal.error_log() as log:
            wanted = changed(plan, array)
        if log.events:
            failures.append(f"ZARR_TEST_SEED={SEED} {index}: {log.events}")
        written.append((index, plan, wanted, zarr3_arrays.read(array.store, array.path)))
    for index, plan, wanted, read in written:
        got, wanted = (zarr_mdim_check.expected(values) for values in (read.values, wanted))
        problem = zarr_mdim_check.leaf_problem(got, wanted)
        if problem:
            failures.append(f"ZARR_TEST_SEED={SEED} {index}: {problem}\n    {json.dumps(plan.document)}")
    assert not failures, f"{len(failures)} of {len(written)} arrays:\n" + "\n".join(failures)


class Own:
    """Array number `index` with random properties, which the driver writes. `values` are the values that
    readers must return."""

    def __init__(self, folder, index):
        draw = self.draw = types.Draw(SEED + " own", index)
        self.index, self.store = index, folder / f"{index}.zarr"
        kinds = ["u1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "c8", "c16"]
        self.dtype = np.dtype(draw.deck("own kind", kinds, index))
        self.shape, chunks, shards = random_sizes(draw)
        self.options = [f"COMPRESS={draw.deck('own compressor', OPTIONS, index)}"]
        is_sharded = bool(self.shape) and draw.chance(0.5)
        if self.shape:
            sizes = shards if is_sharded else chunks
            self.options.append("BLOCKSIZE=" + ",".join(map(str, sizes)))
        if is_sharded:
            self.options.append("SHARD_CHUNK_SHAPE=" + ",".join(map(str, chunks)))
        elif self.shape and draw.chance(0.3):
            self.options.append("CHUNK_MEMORY_LAYOUT=F")
        self.options.append(f"CHUNK_KEY_ENCODING={draw.choice(['DEFAULT', 'V2'])}")
        self.options.append(f"DIM_SEPARATOR={draw.choice('./')}")
        self.values = np.zeros(self.shape, self.dtype)

    def _random(self, shape):
        code = self.dtype.kind + str(self.dtype.itemsize)
        return types.random_values(self.draw, code, self.dtype, tuple(shape))

    def write(self):
        dataset = zarr_mdim_write.create(self.store, "FORMAT=ZARR_V3")
        root = dataset.GetRootGroup()
        number = gdal_array.NumericTypeCodeToGDALTypeCode(self.dtype.type)
        array = root.CreateMDArray(
            "v", zarr_mdim_write.dimensions(root, self.shape),
            gdal.ExtendedDataType.Create(number), self.options,
        )  # fmt: skip
        assert array is not None, gdal.GetLastErrorMsg()
        for _ in range(self.draw.integer(1, 3)):
            self._write_part(array)
        del array, root, dataset
        if self.draw.chance(0.5):
            dataset = zarr_mdim_write.update(self.store)
            self._write_part(dataset.GetRootGroup().OpenMDArray("v"))

    def _write_part(self, array):
        start = [self.draw.integer(0, size - 1) for size in self.shape]
        count = [self.draw.integer(1, size - s) for s, size in zip(start, self.shape)]
        if self.draw.chance(0.4):
            start, count = [0] * len(self.shape), list(self.shape)
        part = self._random(count)
        assert zarr_mdim_write.write(array, {"": part}, start), gdal.GetLastErrorMsg()
        self.values[tuple(slice(s, s + n) for s, n in zip(start, count))] = part

    def describe(self):
        return f"ZARR_TEST_SEED={SEED} ZARR_TEST_ONLY={self.index}: {self.shape} {self.options}"


@pytest.mark.slow
def test_arrays_that_the_driver_writes(tmp_path):
    failures, written = [], []
    for index in numbers():
        own = Own(tmp_path, index)
        with zarr_gdal.error_log() as log:
            try:
                own.write()
                written.append(own)
            except AssertionError as error:
                failures.append(f"{own.describe()}: {error}")
        if log.events:
            failures.append(f"{own.describe()}: {log.events}")
    arrays = [zarr3_arrays.read(own.store, "v", may_fail=True) for own in written]
    zarrita = zarr3.zarrita_read([(own.store, "v") for own in written])
    read_by_zarrita = 0
    for own, array, other in zip(written, arrays, zarrita):
        problem = array.error or zarr_gdal.differences(array.values, own.values)
        if problem is None and isinstance(other, str):
            problem = (
                None if any(words in other for words in ZARRITA_LACKS) else f"zarrita: {other}"
            )
        elif problem is None:
            read_by_zarrita += 1
            problem = zarr_gdal.differences(other, own.values)
        problem = problem or zarr3_check.mdim_problem(
            own.store, "v", own.values, None, array.document, own.draw
        )
        if problem:
            failures.append(f"{own.describe()}: {problem}")
    assert not failures, f"{len(failures)} failures:\n" + "\n".join(failures)
    assert len(written) < 100 or read_by_zarrita > len(written) // 4
