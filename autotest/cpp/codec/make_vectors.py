#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes vectors.json: encoded chunks that the tests of all codecs decode and encode.

Needs numcodecs 0.11 and numpy. The bytes depend only on the seed and on the versions of the codec
libraries. A vector is an object with these members:

    name       a unique name
    config     configuration of the codec
    dtype      dtype of the array; the chunk has one dimension
    decoded    the chunk, compressed with zlib, in Base64. A chunk of objects has decoded_strings (a
               list of texts) or decoded_bytes (a list of Base64 texts) instead
    encoded    the encoded chunk in Base64
    trailing   result of numcodecs 0.11 if TRAILING follows the encoded bytes: "same" as without
               TRAILING, or "error" (also for a chunk of another length)
    needed     number of encoded bytes that decoding needs (default: all)
    checked    true if the format has a checksum, so that damage is always noticed
    reencoded  what `decoded` encodes to, in Base64; absent if that is `encoded`. The bytes differ if
               another encoder wrote `encoded`, or if the codec is lossy. null: it cannot be encoded

A bomb is a small input with a huge decoded size. It has the member `decoded_size` instead of `decoded`.
Its `encoded` is compressed with zlib before Base64.
"""

import base64
import bz2
import ctypes
import gzip
import io
import itertools
import json
import lzma
import os
import struct
import zlib

import numcodecs
import numpy as np
from numcodecs.zfpy import ZFPY

TRAILING = b"trailing bytes, no stream"
BOMB_SIZE = 100_000_000

rng = np.random.default_rng(20240229)
numcodecs.blosc.use_threads = False  # with threads, the order of blocks would vary


def b64(data):
    return base64.b64encode(data).decode("ascii")


def as_bytes(buffer):
    if isinstance(buffer, (bytes, bytearray)):
        return bytes(buffer)
    return np.ascontiguousarray(buffer).tobytes()


def outcome(decode, encoded, expected):
    """Decodes `encoded`. Returns "same" if the result is `expected`, else "error"."""
    try:
        return "same" if decode(encoded) == expected else "error"
    except Exception:  # codecs raise exceptions of any type
        return "error"


def encode(codec, array):
    """Returns `array` as numcodecs encodes it. In gzip, the time (4 bytes at offset 4) is set to zero."""
    encoded = as_bytes(codec.encode(array))
    return encoded[:4] + bytes(4) + encoded[8:] if codec.codec_id == "gzip" else encoded


def vector(name, codec, array, encoded=None, decoded=None, trailing=None, **more):
    """Returns a vector for a chunk of fixed-size elements. If `encoded` or `decoded` is None, numcodecs makes it
    from `array`."""
    config = codec if isinstance(codec, dict) else codec.get_config()
    if encoded is None:
        encoded = encode(codec, array)
    if decoded is None:
        decoded = as_bytes(codec.decode(encoded))
    if trailing is None:
        trailing = outcome(lambda e: as_bytes(codec.decode(e)), encoded + TRAILING, decoded)
    if not isinstance(codec, dict) and "reencoded" not in more:
        reencoded = encode(codec, np.frombuffer(decoded, array.dtype).copy())
        if reencoded != encoded:
            more["reencoded"] = b64(reencoded)
    return {
        "name": name,
        "config": config,
        "dtype": array.dtype.str,
        "decoded": b64(zlib.compress(decoded, 9)),
        "encoded": b64(encoded),
        "trailing": trailing,
        **more,
    }


def ramp(dtype="<i4", count=200):
    return (np.arange(count) * 3 + 1000).astype(dtype)


def wave(dtype="<f8", count=100):
    return (1000 + 100 * np.sin(np.arange(count) / 7)).astype(dtype)


def noise(count):
    return rng.integers(0, 256, count, dtype="u1")


# ------------------------------------------------------------------------------- compressors


def blosc_vectors():
    for cname, shuffle in itertools.product(numcodecs.blosc.list_compressors(), (0, 1, 2)):
        codec = numcodecs.Blosc(cname, 5, shuffle)
        yield vector(f"blosc_{cname}_shuffle{shuffle}", codec, ramp())
    for dtype in ("u1", ">i2", "<f8", "<c16", "S12"):
        codec = numcodecs.Blosc("lz4", 5, 1)
        yield vector(f"blosc_typesize{np.dtype(dtype).itemsize}", codec, ramp(dtype, 60))
    yield vector("blosc_incompressible", numcodecs.Blosc("zstd", 9, 1), noise(500))
    yield vector("blosc_stored", numcodecs.Blosc("lz4", 0, 0), ramp(count=40))
    for size in (1, 3, 15):
        yield vector(f"blosc_{size}_bytes", numcodecs.Blosc("lz4", 5, 1), noise(size))
    for cname, shuffle in (("lz4", 0), ("zstd", 1), ("blosclz", 2)):
        codec = numcodecs.Blosc(cname, 5, shuffle, blocksize=512)
        yield vector(f"blosc_{cname}_blocks", codec, ramp(count=600))
    for dtype in ("u1", "<f4"):
        codec = numcodecs.Blosc("lz4", 5, numcodecs.Blosc.AUTOSHUFFLE)
        yield vector(f"blosc_autoshuffle_{dtype[-2:]}", codec, ramp(dtype, 400) % 100)
    yield vector("blosc_large", numcodecs.Blosc("zstd", 5, 1), np.zeros(20000, "<f8"))


def gzip_member(data, name=""):
    stream = io.BytesIO()
    with gzip.GzipFile(name, "wb", 6, stream, mtime=0) as member:
        member.write(data)
    return stream.getvalue()


def deflate_vectors():
    for level in (0, 1, 9):
        yield vector(f"zlib_{level}", numcodecs.Zlib(level), ramp(), checked=True)
        yield vector(f"gzip_{level}", numcodecs.GZip(level), ramp(), checked=True)
    yield vector("zlib_incompressible", numcodecs.Zlib(6), noise(300), checked=True)
    yield vector("zlib_1_byte", numcodecs.Zlib(6), noise(1), checked=True)
    yield vector("zlib_large", numcodecs.Zlib(6), np.zeros(100000, "u1"), checked=True)

    data = ramp()
    halves = [data[:90].tobytes(), data[90:].tobytes()]
    members = gzip_member(halves[0], "first") + gzip_member(b"") + gzip_member(halves[1])
    yield vector("gzip_members", numcodecs.GZip(), data, members, checked=True)
    padded = gzip_member(halves[0]) + bytes(7) + gzip_member(halves[1])
    yield vector(
        "gzip_padded",
        numcodecs.GZip(),
        data,
        padded + bytes(20),
        needed=len(padded),
        checked=True,
    )


def bz2_vectors():
    for level in (1, 9):
        yield vector(f"bz2_{level}", numcodecs.BZ2(level), ramp(), checked=True)
    yield vector("bz2_incompressible", numcodecs.BZ2(1), noise(300), checked=True)
    yield vector("bz2_1_byte", numcodecs.BZ2(1), noise(1), checked=True)
    data = ramp()
    streams = bz2.compress(data[:90].tobytes(), 1) + bz2.compress(data[90:].tobytes(), 1)
    yield vector("bz2_streams", numcodecs.BZ2(), data, streams, checked=True)


def branches():
    """Returns bytes that the BCJ filters of all processors take for branch instructions."""
    code = b"".join(
        bytes([0xE8, i, 0, 0, 0]) + bytes([i, 0, 0, 0xEB]) + bytes([0x48, 0, i, 1])
        + bytes([0x40, 0, 0, i]) + bytes([0, 0xF0, i, 0xF8])
        for i in range(24)
    )
    return np.frombuffer(code, "u1")


def lzma_vectors():
    for check in (lzma.CHECK_NONE, lzma.CHECK_CRC32, lzma.CHECK_CRC64, lzma.CHECK_SHA256):
        codec = numcodecs.LZMA(lzma.FORMAT_XZ, check, 0)
        yield vector(f"lzma_xz_check{check}", codec, ramp(), checked=check != lzma.CHECK_NONE)
    yield vector("lzma_xz_preset9e", numcodecs.LZMA(preset=9 | lzma.PRESET_EXTREME), noise(8))
    yield vector("lzma_alone", numcodecs.LZMA(lzma.FORMAT_ALONE, preset=1), ramp())

    auto = {"id": "lzma", "format": 0, "check": -1, "preset": None, "filters": None}
    for name, container in (("xz", lzma.FORMAT_XZ), ("alone", lzma.FORMAT_ALONE)):
        encoded = lzma.compress(ramp().tobytes(), container, preset=1)
        yield vector(
            f"lzma_auto_{name}", auto, ramp(), encoded, ramp().tobytes(),
            outcome(lzma.decompress, encoded + TRAILING, ramp().tobytes()),
            reencoded=None,
        )

    # numcodecs writes XZ streams with filters, but cannot read them: it also passes the filters to the decoder, which
    # rejects them.
    codec = numcodecs.LZMA(
        filters=[{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]
    )
    yield vector("lzma_xz_delta", codec, ramp(), decoded=ramp().tobytes(), trailing="same")

    lzma2 = {"id": lzma.FILTER_LZMA2, "preset": 1}
    chains = {
        "lzma2": [lzma2],
        "lzma2_default": [{"id": lzma.FILTER_LZMA2}],
        "lzma1": [{"id": lzma.FILTER_LZMA1, "preset": 1}],
        "lzma1_options": [
            {"id": lzma.FILTER_LZMA1, "dict_size": 65536, "lc": 1, "lp": 2, "pb": 0,
             "mode": lzma.MODE_FAST, "nice_len": 64, "mf": lzma.MF_HC4, "depth": 4}
        ],
        "delta": [{"id": lzma.FILTER_DELTA, "dist": 4}, lzma2],
        "delta1": [{"id": lzma.FILTER_DELTA}, {"id": lzma.FILTER_LZMA1, "preset": 0}],
        "x86_offset_delta": [
            {"id": lzma.FILTER_X86, "start_offset": 4096}, {"id": lzma.FILTER_DELTA}, lzma2
        ],
    }
    for bcj in ("X86", "POWERPC", "IA64", "ARM", "ARMTHUMB", "SPARC"):
        chains[bcj.lower()] = [{"id": getattr(lzma, "FILTER_" + bcj)}, lzma2]
    for name, chain in chains.items():
        codec = numcodecs.LZMA(lzma.FORMAT_RAW, filters=chain)
        yield vector(f"lzma_raw_{name}", codec, branches() if "delta" != name else ramp())

    data = ramp()
    streams = b"".join(lzma.compress(part.tobytes(), preset=0) for part in (data[:90], data[90:]))
    yield vector("lzma_xz_streams", numcodecs.LZMA(), data, streams, checked=True)


def zstd_frame(data, checksum=False, content_size=True, level=3):
    """Returns a Zstandard frame with options that numcodecs 0.11 does not pass on to libzstd."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    for function in (library.ZSTD_compress2, library.ZSTD_compressBound):
        function.restype = ctypes.c_size_t
    context = ctypes.c_void_p(library.ZSTD_createCCtx())
    options = {100: level, 200: int(content_size), 201: int(checksum)}  # keys: values of the enum ZSTD_cParameter
    for option, value in options.items():
        library.ZSTD_CCtx_setParameter(context, option, value)
    capacity = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(capacity)
    size = library.ZSTD_compress2(
        context, out, ctypes.c_size_t(capacity), data, ctypes.c_size_t(len(data))
    )
    library.ZSTD_freeCCtx(context)
    return out.raw[:size]


def zstd_vectors():
    codec = numcodecs.Zstd(3)
    for level in (1, 19):
        yield vector(f"zstd_{level}", numcodecs.Zstd(level), ramp())
    # numcodecs 0.11 encodes with level 1 instead of -5. Newer versions pass the level to the library.
    fast = b64(zstd_frame(ramp().tobytes(), level=-5))
    yield vector("zstd_minus5", numcodecs.Zstd(-5), ramp(), reencoded=fast)
    yield vector("zstd_incompressible", codec, noise(300))
    yield vector("zstd_1_byte", codec, noise(1))
    yield vector("zstd_large", codec, np.zeros(200000, "u1"))
    data = ramp()
    yield vector("zstd_checksum", codec, data, zstd_frame(data.tobytes(), True), checked=True)
    checked = zstd_frame(data.tobytes(), True)
    config = {"id": "zstd", "level": 3, "checksum": True}
    yield vector("zstd_checksum_wanted", config, data, checked, data.tobytes(), "error", checked=True)
    # The Zstandard format allows the frames below, but numcodecs 0.11 does not read them.
    first, second = data[:90].tobytes(), data[90:].tobytes()
    frames = {
        "no_size": (zstd_frame(data.tobytes(), True, False), True),
        "frames": (zstd_frame(first) + zstd_frame(second), False),
        "mixed_frames": (zstd_frame(first, True) + zstd_frame(second, True, False), True),
        "skippable": (
            struct.pack("<II", 0x184D2A50, 5) + b"note!" + zstd_frame(data.tobytes(), True), False
        ),
    }
    for name, (encoded, checked) in frames.items():
        yield vector(
            f"zstd_{name}", codec, data, encoded, data.tobytes(), "error", checked=checked
        )


def lz4_vectors():
    for acceleration in (1, 10):
        yield vector(f"lz4_{acceleration}", numcodecs.LZ4(acceleration), ramp("<i8"))
    yield vector("lz4_zeros", numcodecs.LZ4(), np.zeros(5000, "<f4"))
    yield vector("lz4_incompressible", numcodecs.LZ4(), noise(300))
    yield vector("lz4_1_byte", numcodecs.LZ4(), noise(1))


# ----------------------------------------------------------------------------------- filters


def arithmetic_vectors():
    for dtype in ("|i1", "|u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f4", ">f4", "<f8"):
        name = dtype.translate(str.maketrans("<>|", "lb_"))
        values = rng.integers(0, 100, 40).astype(dtype)
        if values.dtype.kind in "iu":
            limits = np.iinfo(dtype)
            values[:2] = limits.max, limits.min  # the differences wrap around
        yield vector(f"delta_{name}", numcodecs.Delta(dtype), values)
    yield vector("delta_narrow", numcodecs.Delta("<i4", "<i2"), ramp("<i4", 40))
    yield vector("delta_wide", numcodecs.Delta("|u1", ">i4"), ramp("|u1", 40))
    yield vector("delta_float_to_int", numcodecs.Delta(">f4", "|i1"), ramp(">f4", 40))
    yield vector("delta_one", numcodecs.Delta("<f8", "<f4"), wave("<f8", 1))

    scalings = [
        ("<f8", "|u1", 1000, 1.2), ("<f8", ">i4", 1000.5, 1000), ("<f4", "<i2", 990, 10),
        (">f4", "<u2", 900, 7), (">f8", "<f4", 12.25, 0.3), ("<i4", "|i1", 1000, 1),
        ("<f8", "<f8", -7, 1e-3), ("<i2", ">i4", 1000, 3), ("|u1", "<i2", -3, 0.5),
        (">c8", "<c16", 1000, 4), ("<i8", "|i1", 1000.5, 0.25), ("|b1", "|u1", 0, 10),
    ]
    for index, (dtype, astype, offset, scale) in enumerate(scalings):
        codec = numcodecs.FixedScaleOffset(offset, scale, dtype, astype)
        yield vector(f"fixedscaleoffset_{index}", codec, wave(dtype, 40))

    for dtype, astype in (("<f8", "<f8"), ("<f8", "<f4"), (">f4", ">f2"), ("<f4", ">f8")):
        name = (dtype + "_" + astype).translate(str.maketrans("<>|", "lb_"))
        yield vector(f"quantize_{name}", numcodecs.Quantize(2, dtype, astype), wave(dtype, 40))

    for dtype in ("<f2", "<f4", "<f8"):
        values = (wave("<f8", 40) / 100).astype(dtype)
        yield vector(f"bitround_{dtype[1:]}", numcodecs.BitRound(4), values)

    casts = [
        ("<i2", "<i4"), (">i4", "<i4"), ("<f8", "<f4"), ("<f4", ">f8"), ("|u1", "<f4"),
        ("<i4", ">f4"), ("<f2", "<f4"), ("<f8", "<f2"), ("<f8", "<i4"), ("<i8", "|u1"),
        ("|i1", "<u2"), ("<u8", "<f8"), ("|b1", "|u1"), ("<i4", "|b1"),
    ]
    for stored, dtype in casts:
        name = (stored + "_" + dtype).translate(str.maketrans("<>|", "lb_"))
        codec = numcodecs.AsType(stored, dtype)
        values = (np.arange(40) % 100).astype(dtype)
        encoded = (np.arange(40) * 3.375 % 100).astype(stored).tobytes()
        yield vector(f"astype_{name}", codec, values, encoded)

    for count in (1, 8, 20, 64):
        bits = rng.integers(0, 2, count).astype(bool)
        yield vector(f"packbits_{count}", numcodecs.PackBits(), bits)

    labels = ["ice", "snow", "Wüste"]
    for dtype, astype in (("<U5", "|u1"), (">U5", ">u2"), ("<U8", "<i4")):
        name = (dtype + "_" + astype).translate(str.maketrans("<>|", "lb_"))
        values = np.array(labels + ["none", "", "snow"], dtype)
        yield vector(f"categorize_{name}", numcodecs.Categorize(labels, dtype, astype), values)


def byte_vectors():
    for size in (1, 2, 4, 8, 16):
        yield vector(f"shuffle_{size}", numcodecs.Shuffle(size), noise(size * 21))
    for size in (1, 2, 3, 100):
        yield vector(f"base64_{size}", numcodecs.Base64(), noise(size))
    for codec in (numcodecs.CRC32(), numcodecs.Adler32()):
        for dtype, count in (("|u1", 1), (">i2", 7), ("<f8", 50)):
            name = f"{codec.codec_id}_{dtype[1:]}"
            yield vector(name, codec, ramp(dtype, count), checked=True)


def json_vectors():
    arrays = {
        "i4": ramp("<i4", 12), "i2_big": ramp(">i2", 12), "u8": np.array([0, 2**64 - 1], "<u8"),
        "f8": np.array([0.1, -2.5e300, np.nan, np.inf, -np.inf, -0.0]),
        "f4_big": wave(">f4", 12), "bool": np.array([True, False, True]),
        "text": np.array(["x", "é\n", ""], "<U3"),
    }
    for name, array in arrays.items():
        yield vector(f"json2_{name}", numcodecs.JSON(), array)
    pretty = numcodecs.JSON(indent=1, ensure_ascii=False)
    yield vector("json2_pretty", pretty, np.array(["x", "€😀"], ">U2"))


def message_pack_vectors():
    arrays = {
        "i8": np.array([-(2**63), -(2**31) - 1, -32769, -129, -33, -32, -1, 0, 127, 255, 65535], "<i8"),
        "u8_big": np.array([128, 256, 65536, 2**32, 2**64 - 1], ">u8"),
        "f8": np.array([0.1, -2.5e300, np.nan, np.inf, -np.inf, -0.0]),
        "f4": wave("<f4", 12), "bool": np.array([True, False, True]),
        "text": np.array(["x", "\u00e9\n", "", "y" * 40], "<U40"),
        "many": ramp("<i2", 300),
    }  # fmt: skip
    for name, array in arrays.items():
        yield vector(f"msgpack2_{name}", numcodecs.MsgPack(), array)
    single = numcodecs.MsgPack(use_single_float=True)
    yield vector("msgpack2_single", single, wave("<f4", 12))


def zfpy_vectors():
    modes = {"reversible": {"mode": 4, "tolerance": -1}, "accuracy": {"mode": 4, "tolerance": 0.5},
             "precision": {"mode": 3, "precision": 16}, "rate": {"mode": 2, "rate": 8}}  # fmt: skip
    for name, arguments in modes.items():
        for array in (wave("<f4", 90), wave("<f8", 90), ramp("<i4", 90), ramp("<i8", 90)):
            if array.dtype.kind == "i" and name == "accuracy":
                continue  # libzfp has no tolerance for integers
            yield vector(f"zfpy_{name}_{array.dtype.str[1:]}", ZFPY(**arguments), array)


# ----------------------------------------------------------------------------------- objects


def object_vector(name, codec, values):
    array = np.empty(len(values), object)
    array[:] = values
    encoded = as_bytes(codec.encode(array))
    decoded = list(codec.decode(encoded))
    entry = {
        "name": name,
        "config": codec.get_config(),
        "dtype": "|O",
        "encoded": b64(encoded),
        "trailing": outcome(lambda e: list(codec.decode(e)), encoded + TRAILING, decoded),
    }
    if isinstance(decoded[0], bytes):
        return {**entry, "decoded_bytes": [b64(value) for value in decoded]}
    return {**entry, "decoded_strings": decoded}


def object_vectors():
    texts = ["Zürich", "", "a", "北京", "😀", 'a "b"\\\n', "x" * 300]
    yield object_vector("vlen_utf8", numcodecs.VLenUTF8(), texts)
    yield object_vector("vlen_utf8_one_empty", numcodecs.VLenUTF8(), [""])
    yield object_vector("vlen_bytes", numcodecs.VLenBytes(), [b"\x00\xff", b"", b"abc" * 50])
    yield object_vector("json2_objects", numcodecs.JSON(), texts)
    yield object_vector("json2_objects_utf8", numcodecs.JSON(ensure_ascii=False), texts)
    for name, codec in (("", numcodecs.MsgPack()), ("_old", numcodecs.MsgPack(use_bin_type=False))):
        yield object_vector(f"msgpack2_objects{name}", codec, [*texts, "y" * 200])
    labels = ["ice", "Wüste"]
    for astype in ("|u1", ">u2"):
        codec = numcodecs.Categorize(labels, object, astype)
        values = ["ice", "Wüste", "none", "ice"]
        yield object_vector(f"categorize_objects_{astype[1:]}", codec, values)


# --------------------------------------------------- codecs that numcodecs 0.11 does not have


def crc32c(data):
    """Returns the CRC-32C (RFC 3720), computed bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def fletcher32(data):
    """Returns HDF5's Fletcher-32: words are big-endian, and carries are added back to the sums."""
    sums = [0, 0]
    for i in range(0, len(data), 2):
        sums[0] += data[i] << 8 | (data[i + 1] if i + 1 < len(data) else 0)
        sums[1] += sums[0]
        sums = [(s & 0xFFFF) + (s >> 16) for s in sums]
    sums = [(s & 0xFFFF) + (s >> 16) for s in sums]
    return sums[1] << 16 | sums[0]


def jenkins_lookup3(data):
    """Returns the hash lookup3 of Bob Jenkins: rounds of twelve bytes, and another mix at the end."""

    def rotated(word, by):
        return (word << by | word >> 32 - by) & 0xFFFFFFFF

    state = [(0xDEADBEEF + len(data)) & 0xFFFFFFFF] * 3
    if not data:
        return state[2]
    blocks = [data[i : i + 12].ljust(12, b"\0") for i in range(0, len(data), 12)]
    for number, block in enumerate(blocks):
        state = [(s + w) & 0xFFFFFFFF for s, w in zip(state, struct.unpack("<3I", block))]
        if number + 1 == len(blocks):
            for x, y, by in (
                (2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)
            ):  # fmt: skip
                state[x] = ((state[x] ^ state[y]) - rotated(state[y], by)) & 0xFFFFFFFF
            return state[2]
        for x, y, z, by in (
            (0, 2, 1, 4), (1, 0, 2, 6), (2, 1, 0, 8), (0, 2, 1, 16), (1, 0, 2, 19), (2, 1, 0, 4)
        ):  # fmt: skip
            state[x] = (state[x] - state[y] & 0xFFFFFFFF) ^ rotated(state[y], by)
            state[y] = state[y] + state[z] & 0xFFFFFFFF
    return None


def checksum_vectors():
    """Yields vectors of checksums, computed by their published algorithms. Newer versions of numcodecs can put a
    checksum at the start or at the end."""
    assert crc32c(b"123456789") == 0xE3069283
    # numcodecs 0.17 computes this value.
    assert jenkins_lookup3(bytes(range(26))) == 0xA91DD5DB
    # libhdf5 1.10.8 stores these values for datasets of bytes.
    for data, stored in ((b"abcde", "c729f04f"), (b"abcdef", "2d2a5650"), (b"\xff" * 722, "f" * 8),
                         (b"\xff" * 3, "00ff00ff"), (bytes(4), "00000000")):  # fmt: skip
        assert struct.pack("<I", fletcher32(data)).hex() == stored

    def entry(name, config, array, checksum, at_start=False, **more):
        data = array.tobytes()
        stored = struct.pack("<I", checksum(data))
        encoded = stored + data if at_start else data + stored
        return vector(name, config, array, encoded, data, "error", **more)

    for dtype, count in (("|u1", 1), (">i2", 7), ("<f8", 50), ("|u1", 723)):
        name = f"{dtype[1:]}_{count}"
        values = ramp(dtype, count)
        yield entry(f"crc32c_{name}", {"id": "crc32c"}, values, crc32c, checked=True)
        # The entry is not "checked": Fletcher-32 accepts a chunk and checksum whose bytes are all 0 or all 255.
        yield entry(f"fletcher32_{name}", {"id": "fletcher32"}, values, fletcher32)
        config = {"id": "jenkins_lookup3"}
        yield entry(f"jenkins_lookup3_{name}", config, values, jenkins_lookup3, checked=True)
    yield entry("fletcher32_ones", {"id": "fletcher32"}, np.full(722, 255, "u1"), fletcher32)
    for name, function in (("crc32", zlib.crc32), ("adler32", zlib.adler32), ("crc32c", crc32c)):
        for location in ("start", "end"):
            config = {"id": name, "location": location}
            yield entry(
                f"{name}_at_{location}", config, ramp(), function, location == "start",
                checked=True,
            )


def tiff_file(pages, order="<", compression=1, tile=None):
    """Returns a TIFF 6.0 file. A page is an array of rows and columns, or of rows, columns and samples."""
    body, first, previous = b"", None, None
    for page in pages:
        rows, columns, *more = page.shape
        samples = more[0] if more else 1
        page = page.astype(page.dtype.newbyteorder(order)).reshape(rows, columns, samples)
        blocks = [page]
        if tile:
            padded = np.zeros((-(-rows // tile) * tile, -(-columns // tile) * tile, samples), page.dtype)
            padded[:rows, :columns] = page
            blocks = [padded[y:y + tile, x:x + tile] for y in range(0, rows, tile)
                      for x in range(0, columns, tile)]  # fmt: skip
        blocks = [block.tobytes() if compression == 1 else zlib.compress(block.tobytes()) for block in blocks]
        offsets = [8 + len(body) + sum(map(len, blocks[:i])) for i in range(len(blocks))]
        body += b"".join(blocks) + bytes(-sum(map(len, blocks)) % 2)
        kind = {"u": 1, "i": 2, "f": 3}[page.dtype.kind]
        tags = {256: [columns], 257: [rows], 258: [8 * page.itemsize] * samples, 259: [compression],
                262: [1], 277: [samples], 339: [kind] * samples}  # fmt: skip
        lengths = [len(block) for block in blocks]
        tags |= {322: [tile], 323: [tile], 324: offsets, 325: lengths} if tile else \
                {273: offsets, 278: [rows], 279: lengths}  # fmt: skip
        entries, extra, directory = b"", b"", 8 + len(body)
        after = directory + 2 + 12 * len(tags) + 4
        for tag, values in sorted(tags.items()):
            form = "I" if tag in (273, 279, 324, 325) else "H"
            packed = struct.pack(f"{order}{len(values)}{form}", *values)
            if len(packed) > 4:
                extra += packed + bytes(-len(packed) % 2)
                packed = struct.pack(order + "I", after + len(extra) - len(packed) - len(packed) % 2)
            entries += struct.pack(order + "HHI", tag, 4 if form == "I" else 3, len(values)) + packed.ljust(4, b"\0")
        if previous is None:
            first = directory
        else:
            body = body[:previous] + struct.pack(order + "I", directory) + body[previous + 4:]
        previous = len(body) + 2 + 12 * len(tags)
        body += struct.pack(order + "H", len(tags)) + entries + bytes(4) + extra
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "I", first) + body


def tiff_vectors():
    """Yields vectors of the codec imagecodecs_tiff. Decoded numbers have the byte order of the machine."""
    config = {"id": "imagecodecs_tiff"}
    rgb = noise(6 * 7 * 3).reshape(6, 7, 3)
    ints = (np.arange(9 * 20, dtype="<i2") - 50).reshape(9, 20)
    floats = wave("<f4", 60).reshape(2, 5, 6)
    for name, array, encoded, more in (
        ("rgb", rgb, tiff_file([rgb]), {}),
        ("tiles_big_endian", ints, tiff_file([ints], ">", 8, 16), {}),
        ("pages", floats, tiff_file(floats), {}),
        ("page", floats[1], tiff_file(floats), {"index": 1}),
        ("other_page_between", floats, tiff_file([floats[0], ints, floats[1]]), {}),
    ):
        # The file ends with the offset of the next page, which is 0 and may be missing.
        needed = {"needed": len(encoded) - 4} if name.startswith(("page", "other")) else {}
        yield vector(f"tiff_{name}", {**config, **more}, array.ravel(), encoded, array.tobytes(), "same",
                     reencoded=None, **needed)  # fmt: skip


def recorded_vectors(name):
    """Returns the vectors that record_NAME.py has recorded. That script needs packages that do not work with numcodecs
    0.11."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# ------------------------------------------------------------------------------------- bombs


def bomb(name, codec, encoded=None):
    if encoded is None:
        encoded = as_bytes(codec.encode(np.zeros(BOMB_SIZE, "u1")))
    return {
        "name": name,
        "config": codec.get_config(),
        "decoded_size": BOMB_SIZE,
        "encoded": b64(zlib.compress(encoded, 9)),
    }


def bombs():
    raw = [{"id": lzma.FILTER_LZMA2, "preset": 0}]
    for cname in ("lz4", "zstd", "blosclz"):
        yield bomb(f"blosc_{cname}", numcodecs.Blosc(cname, 5, 1))
    yield bomb("zlib", numcodecs.Zlib(9))
    yield bomb("gzip", numcodecs.GZip(9), gzip_member(bytes(BOMB_SIZE)))
    yield bomb("bz2", numcodecs.BZ2(9))
    yield bomb("lzma_xz", numcodecs.LZMA(preset=0))
    yield bomb("lzma_alone", numcodecs.LZMA(lzma.FORMAT_ALONE, preset=0))
    yield bomb("lzma_raw", numcodecs.LZMA(lzma.FORMAT_RAW, filters=raw))
    yield bomb("zstd", numcodecs.Zstd(3))
    yield bomb("zstd_no_size", numcodecs.Zstd(3), zstd_frame(bytes(BOMB_SIZE), False, False))
    yield bomb("lz4", numcodecs.LZ4())


def main():
    groups = (
        blosc_vectors, deflate_vectors, bz2_vectors, lzma_vectors, zstd_vectors, lz4_vectors,
        arithmetic_vectors, byte_vectors, json_vectors, object_vectors, checksum_vectors,
        message_pack_vectors, zfpy_vectors, tiff_vectors,
    )  # fmt: skip
    vectors = [entry for group in groups for entry in group()]
    vectors += recorded_vectors("pcodec") + recorded_vectors("imagecodecs")
    names = [entry["name"] for entry in vectors]
    assert len(names) == len(set(names)), "names must be unique"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors.json")
    with open(path, "w", encoding="utf-8") as file:
        lines = {
            key: ",\n".join(json.dumps(entry, sort_keys=True) for entry in entries)
            for key, entries in (("vectors", vectors), ("bombs", bombs()))
        }
        file.write(
            '{"trailing": "%s",\n"vectors": [\n%s\n],\n"bombs": [\n%s\n]}\n'
            % (b64(TRAILING), lines["vectors"], lines["bombs"])
        )


if __name__ == "__main__":
    main()
