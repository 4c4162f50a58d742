# SPDX-License-Identifier: MIT
"""Draws random compressors and filter chains that are valid for a data type."""

import lzma

import numcodecs
import numpy as np
from numcodecs.checksum32 import CRC32, Adler32

IS_NUMPY_2 = int(np.__version__.split(".")[0]) >= 2
BLOSC_NAMES = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]
if "snappy" not in numcodecs.blosc.list_compressors():  # Blosc in the wheels of numcodecs lacks snappy
    BLOSC_NAMES.remove("snappy")
BLOSC_SHUFFLES = [numcodecs.Blosc.NOSHUFFLE, numcodecs.Blosc.SHUFFLE, numcodecs.Blosc.BITSHUFFLE,
                  numcodecs.Blosc.AUTOSHUFFLE]  # fmt: skip
# Kinds of compressors, each drawn equally often. "blosc" occurs twice, because it stands for 24 combinations of
# options.
COMPRESSORS = ["none", "blosc", "blosc", "zlib", "gzip", "gzip-members", "bz2", "lzma-xz",
               "lzma-alone", "lzma-raw", "zstd", "lz4"]  # fmt: skip
LZMA_RAW_CHAINS = [
    [{"id": lzma.FILTER_LZMA2, "preset": 1}],
    [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 2, "lp": 1, "pb": 1}],
    [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 4}],
    [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}],
    [{"id": lzma.FILTER_ARM}, {"id": lzma.FILTER_DELTA, "dist": 1},
     {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 18}],
]  # fmt: skip
LZMA_CHECKS = [lzma.CHECK_NONE, lzma.CHECK_CRC32, lzma.CHECK_CRC64, lzma.CHECK_SHA256]

BYTE_FILTERS = ["shuffle", "base64", "crc32", "adler32", "compressor"]
FILTERS = BYTE_FILTERS + ["delta", "fixedscaleoffset", "quantize", "packbits", "categorize",
                          "bitround", "astype", "vlen-utf8", "vlen-bytes", "json2"]  # fmt: skip
# Filters that calculate with values. Values of their arrays are small and finite, so that calculations do not overflow.
GENTLE_FILTERS = {"delta", "fixedscaleoffset", "quantize", "astype"}


def make_compressor(draw, label, turn):
    """Draws a compressor of the kind `label` in COMPRESSORS. Returns (codec, label for test statistics). `turn` is the
    number of earlier draws of this kind; 24 successive turns of "blosc" use all pairs of its codecs and shuffles."""
    if label == "none":
        return None, label
    if label == "blosc":
        pairs = [(name, shuffle) for name in BLOSC_NAMES for shuffle in BLOSC_SHUFFLES]
        name, shuffle = draw.deck("blosc", pairs, turn)
        blocksize = draw.choice([0, 0, 0, 256, 1024])
        codec = numcodecs.Blosc(name, draw.integer(0, 9), shuffle, blocksize)
        return codec, f"blosc {name} {shuffle}"
    if label == "zlib":
        return numcodecs.Zlib(draw.integer(-1, 9)), label
    if label in ("gzip", "gzip-members"):
        return numcodecs.GZip(draw.integer(0, 9)), label
    if label == "bz2":
        return numcodecs.BZ2(draw.integer(1, 9)), label
    if label == "zstd":
        return numcodecs.Zstd(draw.choice([-5, 0, 1, 3, 9, 19])), label
    if label == "lz4":
        return numcodecs.LZ4(draw.choice([0, 1, 50])), label
    if label == "lzma-xz":
        check = draw.choice(LZMA_CHECKS)
        return numcodecs.LZMA(lzma.FORMAT_XZ, check, draw.integer(0, 6), None), label
    if label == "lzma-alone":
        return numcodecs.LZMA(lzma.FORMAT_ALONE, -1, draw.integer(0, 6), None), label
    return numcodecs.LZMA(lzma.FORMAT_RAW, -1, None, draw.choice(LZMA_RAW_CHAINS)), label


def valid_filters(stream):
    """Returns the names of possible next filters in a chain. `stream` is the data type of the filter's input; None for
    opaque bytes. Filters made for this data type occur twice, to be drawn more often."""
    names = []
    if stream is None or stream.names:
        return BYTE_FILTERS
    if stream.kind in "iufcmM":
        names.append("delta")
    if stream.kind in "iuf":
        names += ["fixedscaleoffset", "astype"]
    if stream.kind == "f":
        names.append("quantize")
        if stream.isnative:
            names.append("bitround")
    if stream.kind == "b":
        names.append("packbits")
    if stream.kind == "U":
        names.append("categorize")
    return names * 2 + BYTE_FILTERS


def _narrow_types(draw, stream):
    """Returns data types that can store small values of `stream` without overflow."""
    order = draw.choice("<>")
    if stream.kind == "u":
        return [np.dtype(order + t) for t in ("u1", "u2", "u4", "i2", "i4", "i8", "f4", "f8")]
    if stream.kind == "i":
        return [np.dtype(order + t) for t in ("i1", "i2", "i4", "i8", "f4", "f8")]
    return [np.dtype(order + t) for t in ("f2", "f4", "f8", "i1", "i2", "i4", "i8")]


def make_filter(draw, name, stream, values):
    """Draws the options of the filter `name` for elements of the data type `stream`. Returns (codec, data type
    after this filter); the data type None stands for opaque bytes."""
    if name == "delta":
        if stream.kind in "mM":
            integer = np.dtype(stream.str[0] + "i8")
            return numcodecs.Delta(integer), integer
        if stream.kind in "fc":
            stored = stream
        else:
            signed = [np.dtype(draw.choice("<>") + t) for t in ("i2", "i4", "i8")]
            stored = draw.choice([stream] + signed)
        return numcodecs.Delta(stream, stored), stored
    if name == "fixedscaleoffset":
        scale = draw.choice([1, 2, 10, 0.5, 0.25])
        offset = draw.choice([0, 5, -3, 0.5]) if stream.kind != "u" else draw.choice([0, -3])
        if stream.kind == "u" and IS_NUMPY_2:
            offset = 0  # the filter cannot subtract a negative offset from unsigned numbers
        stored = np.dtype(draw.choice("<>") + draw.choice(["i2", "i4", "f4", "f8"]))
        return numcodecs.FixedScaleOffset(offset, scale, stream, stored), stored
    if name == "astype":
        stored = draw.choice(_narrow_types(draw, stream))
        return numcodecs.AsType(stored, stream), stored
    if name == "quantize":
        smaller = [np.dtype(f"{draw.choice('<>')}f{n}") for n in (2, 4, 8) if n <= stream.itemsize]
        stored = draw.choice(smaller)
        return numcodecs.Quantize(draw.integer(0, 2), stream, stored), stored
    if name == "bitround":
        return numcodecs.BitRound(draw.integer(1, {2: 10, 4: 23, 8: 52}[stream.itemsize])), stream
    if name == "packbits":
        return numcodecs.PackBits(), None
    if name == "categorize":
        return categorize(draw, stream, values)
    if name == "shuffle":
        # numcodecs refuses element sizes that do not divide the number of bytes.
        sizes = [n for n in (1, 2, 3, 4, 8, 16) if stream and stream.itemsize % n == 0]
        return numcodecs.Shuffle(draw.choice(sizes or [1])), None
    if name == "compressor":
        label = draw.choice([c for c in COMPRESSORS if c not in ("none", "gzip-members")])
        return make_compressor(draw, label, draw.index)[0], None
    return {"base64": numcodecs.Base64, "crc32": CRC32, "adler32": Adler32}[name](), None


def categorize(draw, dtype, values):
    """Returns (codec, stored data type) for the codec categorize. The codec has labels for most of the values.
    A value without a label reads back as empty."""
    labels = sorted(set(values.ravel().tolist()))
    if dtype.kind == "O":
        labels = [label for label in labels if label != ""] or ["only"]
    if len(labels) > 2 and draw.chance(0.3):
        labels.pop()
    if not labels:
        labels = ["only"[: max(1, dtype.itemsize // 4)]]
    stored = np.dtype(draw.choice(["u1", "<u2", ">i2", "<i4"]))
    if len(labels) > 100:
        stored = np.dtype("<u2")
    return numcodecs.Categorize(labels, dtype=dtype, astype=stored), stored


def make_chain(draw, kind, dtype, values_of, turn):
    """Draws a chain of filters for an array of `dtype`, and the values of the array. Returns (codecs, names of the
    filters, values).

    values_of(gentle) draws the values. `gentle` is True if the first filter is in GENTLE_FILTERS, which need small
    values. `turn` is the number of arrays of this kind that were drawn before; successive turns begin with different
    filters."""
    codecs, names = [], []
    stream = dtype
    if dtype.kind == "O":
        values = values_of(False)
        names.append({"object-str": "vlen-utf8", "object-bytes": "vlen-bytes",
                      "object-json": "json2", "object-categorize": "categorize"}[kind])  # fmt: skip
        if kind == "object-categorize":
            codec, stream = categorize(draw, dtype, values)
        else:
            codec = {"object-str": numcodecs.VLenUTF8, "object-bytes": numcodecs.VLenBytes,
                     "object-json": numcodecs.JSON}[kind]()  # fmt: skip
            stream = None
        codecs.append(codec)
        length = draw.choice([1, 1, 2, 3])
    else:
        length = draw.choice([0, 1, 1, 2, 3, 4])
        if length == 0:
            return codecs, names, values_of(False)
        first = draw.deck(f"filter {kind}", valid_filters(stream), turn)
        values = values_of(first in GENTLE_FILTERS)
        codec, stream = make_filter(draw, first, stream, values)
        codecs.append(codec)
        names.append(first)
    while len(codecs) < length:
        # The values suit the first filter. The output of the first filter may be too large for a second filter that
        # calculates, so only byte filters follow.
        name = draw.choice(BYTE_FILTERS)
        codec, stream = make_filter(draw, name, stream, values)
        codecs.append(codec)
        names.append(name)
    return codecs, names, values
