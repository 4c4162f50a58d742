#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes v3_vectors.json, test vectors of Zarr v3: chunks that other software encoded.

Needs zarr-python 3, zfpy 1.0.1 and, for the codecs of zarr-extensions, zarrs (PyPI). A vector is an
object with these members:

    name       a unique name
    dtype      NumPy dtype of the array, or "text" or "bytes" for variable-length elements
    shape      shape of the chunk
    codecs     codecs as in zarr.json
    decoded    the little-endian chunk in C order, compressed with zlib, in Base64; a list of texts for
               "text", a list of Base64 texts for "bytes"
    encoded    the encoded chunk in Base64
    exact      true if every encoder gives the same bytes as `encoded`
    reencoded  what `decoded` encodes to, in Base64; absent if that is `encoded`
"""

import base64
import json
import os
import tempfile
import warnings
import zlib

import numpy as np
import zarr
import zarr.codecs as zc
from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec
from zarr.codecs import numcodecs as zn
from zarr.registry import register_codec

warnings.simplefilter("ignore")


def b64(data):
    return base64.b64encode(data).decode("ascii")


def chunk_file(folder):
    """Returns the contents of the only chunk below `folder`."""
    for path, _, names in os.walk(folder):
        for name in names:
            if name != "zarr.json":
                with open(os.path.join(path, name), "rb") as file:
                    return file.read()
    raise AssertionError("no chunk was written")


def write(array, codecs):
    """Writes `array` as one chunk. Returns the stored chunk, its codecs as in zarr.json, and the array that
    zarr-python reads back."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"fill_value": 0} if array.dtype.kind in "iufcb" else {}
        written = zarr.create_array(
            folder, shape=array.shape, chunks=array.shape, dtype=array.dtype, overwrite=True,
            config={"write_empty_chunks": True}, **options, **codecs,
        )  # fmt: skip
        written[...] = array
        with open(os.path.join(folder, "zarr.json"), encoding="utf-8") as file:
            document = json.load(file)
        return chunk_file(folder), document["codecs"], zarr.open_array(folder, mode="r")[...]


def vector(name, array, filters=(), serializer="auto", compressors=(), exact=False):
    codecs = {
        "filters": list(filters), "serializer": serializer, "compressors": list(compressors)
    }  # fmt: skip
    encoded, listed, decoded = write(array, codecs)
    entry = {
        "name": name, "dtype": array.dtype.newbyteorder("<").str, "shape": array.shape,
        "codecs": listed, "encoded": b64(encoded), "exact": exact,
        "decoded": b64(zlib.compress(np.ascontiguousarray(decoded).astype(array.dtype.newbyteorder("<")).tobytes(), 9)),
    }  # fmt: skip
    again, _, _ = write(np.ascontiguousarray(decoded), codecs)
    if exact and again != encoded:
        entry["reencoded"] = b64(again)
    return entry


def ramp(dtype, *shape):
    return (np.arange(np.prod(shape)) * 3 % 120).astype(dtype).reshape(shape)


def wave(dtype, *shape):
    return (100 + 10 * np.sin(np.arange(np.prod(shape)) / 5)).astype(dtype).reshape(shape)


def core_vectors():
    for endian in ("little", "big"):
        for dtype in ("i2", "u4", "f8", "c8", "f2"):
            serializer = zc.BytesCodec(endian=endian)
            yield vector(f"bytes_{endian}_{dtype}", ramp(dtype, 3, 4), serializer=serializer, exact=True)
    yield vector("bytes_u1", ramp("u1", 7), exact=True)
    yield vector("bytes_bool", ramp("i4", 7) % 2 == 0, exact=True)
    for order in ((1, 0, 2), (2, 0, 1), (2, 1, 0), (0, 1, 2)):
        name = "transpose_" + "".join(map(str, order))
        yield vector(name, ramp("i2", 2, 3, 4), [zc.TransposeCodec(order=order)], exact=True)
        yield vector(
            name + "_big", ramp("f4", 4, 1, 3), [zc.TransposeCodec(order=order)],
            zc.BytesCodec(endian="big"), [zc.Crc32cCodec()], exact=True,
        )  # fmt: skip
    twice = [zc.TransposeCodec(order=(1, 0, 2)), zc.TransposeCodec(order=(0, 2, 1))]
    yield vector("transpose_twice", ramp("i4", 2, 3, 4), twice, exact=True)
    yield vector("crc32c", ramp("i2", 20), compressors=[zc.Crc32cCodec()], exact=True)
    for cname in ("lz4", "lz4hc", "blosclz", "zstd", "zlib"):
        for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
            codec = zc.BloscCodec(cname=cname, clevel=5, shuffle=shuffle)
            yield vector(f"blosc_{cname}_{shuffle}", ramp("i4", 10, 10), compressors=[codec])
    codec = zc.BloscCodec(cname="zstd", typesize=2, blocksize=512, shuffle="shuffle")
    yield vector("blosc_blocks", ramp("f8", 300), compressors=[codec])
    for level in (0, 1, 9):
        yield vector(f"gzip_{level}", ramp("i4", 100), compressors=[zc.GzipCodec(level=level)])
    for level, checksum in ((0, False), (19, True), (-5, True)):
        codec = zc.ZstdCodec(level=level, checksum=checksum)
        name = f"zstd_{level}".replace("-", "minus") + ("_checksum" if checksum else "")
        yield vector(name, ramp("i4", 100), compressors=[codec])
    chain = [zc.Crc32cCodec(), zc.GzipCodec(level=5), zc.ZstdCodec(level=1), zc.Crc32cCodec()]
    yield vector("chain", ramp("u2", 50), compressors=chain)


def numcodecs_vectors():
    filters = {
        "delta": (zn.Delta(dtype="<i4"), ramp("i4", 5, 6)),
        "delta_names": (zn.Delta(dtype="int32", astype="int16"), ramp("i4", 5, 6)),
        "delta_floats": (zn.Delta(dtype="f4"), ramp("f4", 9)),
        "fixedscaleoffset": (
            zn.FixedScaleOffset(offset=100, scale=10, dtype="<f4", astype="<i2"), wave("f4", 40)
        ),
        "fixedscaleoffset_own": (
            zn.FixedScaleOffset(offset=100, scale=10, astype="uint8"), wave("f8", 4, 4)
        ),
        "quantize": (zn.Quantize(digits=2), wave("f4", 30)),
        "quantize_names": (zn.Quantize(digits=1, dtype="float64"), wave("f8", 30)),
        "bitround_f4": (zn.BitRound(keepbits=5), wave("f4", 30)),
        "bitround_f8": (zn.BitRound(keepbits=50), wave("f8", 30)),
        "astype": (zn.AsType(encode_dtype="<i2"), ramp("i4", 30)),
        "astype_names": (zn.AsType(encode_dtype="float32", decode_dtype="int64"), ramp("i8", 30)),
    }  # fmt: skip
    for name, (codec, array) in filters.items():
        yield vector("numcodecs_" + name, array, [codec], exact=True)
    yield vector("numcodecs_bitround_big", wave("f4", 30), [zn.BitRound(keepbits=3)], zc.BytesCodec(endian="big"), exact=True)
    for count in (1, 8, 21):
        yield vector(f"numcodecs_packbits_{count}", ramp("i4", count) % 2 == 0, [zn.PackBits()], exact=True)
    two = [zn.FixedScaleOffset(offset=100, scale=10, dtype="<f4", astype="<i2"), zn.Delta(dtype="<i2")]
    yield vector("numcodecs_two", wave("f4", 40), two, compressors=[zn.Shuffle(), zn.Zlib(level=1)])
    for name, arguments in (
        ("CRC32", {}), ("Adler32", {}), ("Fletcher32", {}), ("CRC32C", {}), ("Shuffle", {}),
        ("CRC32C", {"location": "start"}), ("Shuffle", {"elementsize": 4}),
    ):  # fmt: skip
        codec = getattr(zn, name)(**arguments)
        more = "".join(f"_{value}" for value in arguments.values())
        yield vector(f"numcodecs_{name.lower()}{more}", ramp("f8", 20), compressors=[codec], exact=True)
    for name, arguments in (
        ("Blosc", {"cname": "lz4", "clevel": 5, "shuffle": 1}), ("Zlib", {"level": 3}), ("GZip", {"level": 3}),
        ("BZ2", {"level": 3}), ("LZMA", {"preset": 1}), ("LZ4", {"acceleration": 3}), ("Zstd", {"level": 3}),
        ("Zlib", {}), ("LZMA", {}), ("LZ4", {}), ("Zstd", {}), ("BZ2", {}), ("GZip", {}),
    ):  # fmt: skip
        codec = getattr(zn, name)(**arguments)
        more = "_options" if arguments else ""
        yield vector(f"numcodecs_{name.lower()}{more}", ramp("i4", 60), compressors=[codec])
    for name, arguments in (("tolerance", {"mode": 4, "tolerance": 0.01}), ("rate", {"mode": 2, "rate": 16})):
        yield vector(f"numcodecs_zfpy_{name}", wave("f4", 5, 6), serializer=zn.ZFPY(**arguments))


def objects(name, items, dtype, listed):
    encoded, codecs, _ = write(np.array(items, dtype=dtype), {"compressors": []})
    return {
        "name": name, "dtype": "text" if isinstance(items[0], str) else "bytes", "shape": [len(items)],
        "codecs": codecs, "encoded": b64(encoded), "exact": True, "decoded": listed,
    }  # fmt: skip


def object_vectors():
    texts = ["", "a", "W\u00fcste", "x" * 40]
    yield objects("vlen_utf8", texts, np.dtypes.StringDType(), texts)


def register(name, base):
    """Registers `name` as a codec of zarr-python and returns its class, a subclass of `base`. The class has no code:
    zarrs encodes and decodes."""

    class Named(base):
        is_fixed_size = False

        def __init__(self, configuration):
            self.configuration = configuration

        @classmethod
        def from_dict(cls, data):
            return cls(data.get("configuration", {}))

        def to_dict(self):
            return {"name": name, "configuration": self.configuration}

        def compute_encoded_size(self, size, _):
            return size

        def resolve_metadata(self, spec):
            return spec

        async def _decode_single(self, *_):
            raise AssertionError("zarrs does not run " + name)

        _encode_single = _decode_single

    register_codec(name, Named)
    return Named


def zarrs_vectors():
    import zarrs  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import

    pack = register("packbits", ArrayBytesCodec)
    reshape = register("reshape", ArrayArrayCodec)
    # Unlike the class of zarr-python, this class does not check the shape.
    transpose = register("transpose", ArrayArrayCodec)
    # The configuration selects this class instead of zarr-python's own class for "transpose".
    own = {"codecs.transpose": f"{transpose.__module__}.{transpose.__qualname__}"}
    pipeline = {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}
    with zarr.config.set({**own, **pipeline}):
        for padding in ("none", "first_byte", "last_byte"):
            for count in (8, 13):
                configuration = {"padding_encoding": padding}
                array = ramp("i4", count) % 2 == 0
                yield vector(f"packbits_{padding}_{count}", array, serializer=pack(configuration), exact=True)
        # These cases avoid two faults of zarrs 0.2.3: zarrs does not extend the sign beyond the byte of the last bit,
        # and omits the padding byte if all bits are kept.
        for dtype, first, last in (
            ("i1", 0, 3), ("i1", 1, 4), ("u1", 2, None), ("i2", 1, 11), ("u4", 3, 19), ("i8", 8, 63),
            ("u8", 5, 63), ("f4", 10, None), ("f8", 1, None), ("c8", 16, 31), ("i1", 7, 7),
        ):  # fmt: skip
            configuration = {"first_bit": first, "last_bit": last, "padding_encoding": "last_byte"}
            array = wave(dtype, 3, 5) * 0.9 - 5 if dtype[0] in "fc" else ramp(dtype, 3, 5) - np.array(9, dtype)
            yield vector(
                f"packbits_{dtype}_{first}_{last}", array.astype(dtype), serializer=pack(configuration), exact=True
            )
        for index, shape in enumerate(([24], [[0, 1], -1], [2, [1], [2]], [-1], [[], 3, 8])):
            order = transpose({"order": list(range(len(shape)))[::-1]})
            yield vector(
                f"reshape_{index}", ramp("i2", 2, 3, 4), [reshape({"shape": shape}), order], exact=True
            )


def main():
    groups = (core_vectors, numcodecs_vectors, object_vectors, zarrs_vectors)
    vectors = [entry for group in groups for entry in group()]
    names = [entry["name"] for entry in vectors]
    assert len(names) == len(set(names)), "names must be unique"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "v3_vectors.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry) for entry in vectors) + "\n]\n")


if __name__ == "__main__":
    main()
