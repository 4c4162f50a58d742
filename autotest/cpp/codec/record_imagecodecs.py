#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes imagecodecs.json: test vectors of the codecs of the package imagecodecs.

make_vectors.py describes a vector, and adds these vectors to vectors.json. Needs imagecodecs 2026.3.6, which
does not work together with numcodecs 0.11.
"""

import base64
import json
import pathlib
import zlib

import numpy as np
from imagecodecs import numcodecs as codecs

FOLDER = pathlib.Path(__file__).resolve().parent
TRAILING = base64.b64decode(json.loads((FOLDER / "vectors.json").read_text())["trailing"])

rng = np.random.default_rng(20261127)


def b64(data):
    return base64.b64encode(data).decode("ascii")


def as_bytes(data):
    return data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()


def outcome(codec, encoded, expected):
    try:
        return "same" if as_bytes(codec.decode(encoded)) == expected else "error"
    except Exception:  # imagecodecs raises exceptions of any type
        return "error"


def vector(name, codec, array, **more):
    shape = codec.get_config().get("shape", array.shape)
    encoded = as_bytes(codec.encode(array.reshape(shape)))
    decoded = as_bytes(codec.decode(encoded))
    assert decoded == array.tobytes(), name
    config = {key: value for key, value in codec.get_config().items() if value is not None}
    return {
        "name": name, "config": config, "dtype": array.dtype.str, "decoded": b64(zlib.compress(decoded, 9)),
        "encoded": b64(encoded), "trailing": outcome(codec, encoded + TRAILING, decoded), **more,
    }  # fmt: skip


def is_whole(encoded, array):
    return as_bytes(codecs.Lzw().decode(encoded)) == array.tobytes()


def lerc_vectors(image):
    """Yields (name, codec, array) for each test vector of the codec Lerc, whose decoded numbers are little-endian."""
    for dtype in ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8"):
        yield f"{dtype[1:]}", codecs.Lerc(), (image % 100).astype(dtype)
    yield "rgb", codecs.Lerc(), rng.integers(0, 256, (9, 14, 3), "u1")
    yield "bands", codecs.Lerc(planar=True), rng.integers(0, 256, (3, 9, 14), "u1")
    yield "deflate", codecs.Lerc(compression="deflate"), (image * 0.37).astype("<f4")
    yield "zstd", codecs.Lerc(compression="zstd"), (image * 0.37).astype("<f8")
    yield "version_3", codecs.Lerc(version=3), image


def vectors():
    image = (np.add.outer(np.arange(9), np.arange(14)) * 37 % 1000).astype("<i2")
    for name, array in (
        ("text", np.frombuffer(b"abcabcabcabc" * 20, "u1")),
        ("one_value", np.zeros(5000, "u1")),
        # Random bytes fill LZW's code table, so that the encoder clears it.
        ("noise", rng.integers(0, 256, 4600, "u1")),
        ("image", image.ravel()),
    ):
        encoded = as_bytes(codecs.Lzw().encode(array))
        # LZW decodes without its end code, so fewer bytes than the whole stream may be needed.
        needed = next(n for n in range(len(encoded), 0, -1) if not is_whole(encoded[: n - 1], array))
        yield vector(f"imagecodecs_lzw_{name}", codecs.Lzw(), array, needed=needed, reencoded=None)
    for name, codec, array in lerc_vectors(image):
        yield vector(f"imagecodecs_lerc_{name}", codec, array, reencoded=None)
    for name, array in (
        ("runs", np.repeat(rng.integers(0, 256, 40, "u1"), rng.integers(1, 300, 40))),
        ("noise", rng.integers(0, 256, 1000, "u1")),
        ("image", image),
    ):
        yield vector(f"imagecodecs_packbits_{name}", codecs.Packbits(), array, reencoded=None)
    for dtype in ("|u1", "<i2", ">i2", "<u4", ">i8", "<f4", ">f8"):
        for axis, shape in ((-1, (9, 14)), (-2, (3, 14, 3)), (0, (126,))):
            array = image.astype(dtype) * (1 if dtype[1] != "f" else 0.37)
            codec = codecs.Delta(shape=shape, dtype=dtype, axis=axis)
            yield vector(f"imagecodecs_delta_{dtype[1:]}_{'big' if dtype[0] == '>' else 'little'}_{len(shape)}", codec, array.astype(dtype).ravel())
    for dtype in ("<f2", "<f4", ">f4", "<f8", ">f8"):
        for axis, shape in ((-1, (9, 14)), (-2, (3, 14, 3))):
            array = (image * 0.37).astype(dtype)
            codec = codecs.Floatpred(shape=shape, dtype=dtype, axis=axis)
            order = "big" if dtype[0] == ">" else "little"
            yield vector(f"imagecodecs_floatpred_{dtype[1:]}_{order}_{len(shape)}", codec, array.ravel())
    floats = (image * 0.37).astype("<f4").ravel()
    yield vector("imagecodecs_zlib", codecs.Zlib(level=6), floats)
    yield vector("imagecodecs_deflate", codecs.Deflate(level=6), floats)
    # Every version of libzstd encodes equal values as the same bytes.
    yield vector("imagecodecs_zstd", codecs.Zstd(level=9), np.zeros(300, "u1"))
    # imagecodecs 2026.3.6 can encode raw deflate streams, but cannot decode them.
    raw = vector("imagecodecs_deflate_raw", codecs.Deflate(level=6), floats)
    raw["config"]["raw"] = True
    yield {**raw, "encoded": b64(as_bytes(codecs.Deflate(level=6, raw=True).encode(floats)))}


def main():
    made = [json.dumps(entry, sort_keys=True) for entry in vectors()]
    (FOLDER / "imagecodecs.json").write_text("[\n" + ",\n".join(made) + "\n]\n")


if __name__ == "__main__":
    main()
