#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes test vectors of pcodec into pcodec.json, which make_vectors.py adds to vectors.json.

    record_pcodec.py            replaces the vectors of the installed version of pcodec. Run it with 0.1.1, 0.3.6
                                and 1.1.0, each of which writes another version of the format.
    record_pcodec.py reencode   encodes the values of all vectors with the driver, as `reencoded`. Needs GDAL's
                                Python.
    record_pcodec.py check      checks that pcodec decodes `reencoded`, whose bytes may differ from those of pcodec.
"""

import base64
import json
import pathlib
import sys
import tempfile
import zlib

import numpy as np

try:
    from pcodec import ChunkConfig, PagingSpec, standalone
except ImportError:
    pass  # GDAL's Python has no pcodec
try:
    from pcodec import DeltaSpec, ModeSpec
except ImportError:
    DeltaSpec = ModeSpec = None  # the installed pcodec is older than 0.2

FOLDER = pathlib.Path(__file__).resolve().parent
CONFIG = {"id": "pcodec", "level": 8, "mode_spec": "auto", "delta_spec": "auto",
          "paging_spec": "equal_pages_up_to", "delta_encoding_order": None,
          "equal_pages_up_to": 262144}  # fmt: skip
TRAILING = base64.b64decode(json.loads((FOLDER / "vectors.json").read_text())["trailing"])
MODES = ("classic", "int_mult", "float_mult", "float_quant", "dict")
DELTAS = ("none", "consecutive", "lookback", "conv1")

rng = np.random.default_rng(20260101)


def b64(data):
    return base64.b64encode(data).decode("ascii")


def is_taken(values):
    """Returns True if the installed version of pcodec supports the type of `values`."""
    try:
        standalone.simple_compress(values, ChunkConfig())
    except (TypeError, RuntimeError):
        return False
    return True


def contents(encoded):
    """Returns the format version, mode and delta encoding of a pco file. The delta encoding is None in modes other than
    "classic", which store other data before it."""
    at = 5 if encoded[4] == 2 else 6
    at += (6 + (encoded[at] & 63) + 1 + 7) // 8
    version = encoded[at]
    at += 2 if version >= 4 else 1
    mode, delta = encoded[at + 4] & 15, encoded[at + 4] >> 4
    if version < 3:
        delta = min(delta & 7, 1)
    return version, MODES[mode], DELTAS[delta] if mode == 0 else None


def vector(name, values, mode="classic", delta="none", **options):
    encoded = bytes(standalone.simple_compress(values, ChunkConfig(**options)))
    version, found_mode, found_delta = contents(encoded)
    assert found_mode == mode, (name, found_mode)
    assert found_delta in (delta, None), (name, found_delta)
    decoded = standalone.simple_decompress(encoded)
    assert decoded.tobytes() == values.tobytes(), name
    try:
        again = standalone.simple_decompress(encoded + TRAILING)
        trailing = "same" if again.tobytes() == values.tobytes() else "error"
    except (TypeError, RuntimeError):
        trailing = "error"
    return {
        "name": f"pcodec_{version}_{name}",
        "config": CONFIG,
        "dtype": values.dtype.str,
        "decoded": b64(zlib.compress(values.tobytes(), 9)),
        "encoded": b64(encoded),
        "trailing": trailing,
        "reencoded": None,
    }


def geometric(dtype, count=60):
    return rng.geometric(0.1, count).astype(dtype)


def decimals(dtype, count=300):
    values = (rng.integers(-999, 999, count) * 0.01).astype(dtype)
    values[::50] = np.array([np.nan, np.inf, -np.inf, -0.0, 60000, 1e-6], dtype)
    return values


def period(dtype, count=300):
    """Returns numbers that repeat every 20 elements."""
    return np.tile(rng.integers(0, 30000, 20), count // 20).astype(dtype)


def of_every_version():
    for dtype in ("<u2", "<i2", "<f2", "<u4", "<i4", "<f4", "<u8", "<i8", "<f8"):
        values = rng.normal(size=60) if dtype[1] == "f" else geometric(dtype)
        values = (values if dtype[1] != "i" else -values).astype(dtype)
        if is_taken(values):
            plain = {"mode_spec": ModeSpec.classic()} if ModeSpec else {}
            plain |= {"delta_spec": DeltaSpec.no_op()} if hasattr(DeltaSpec, "no_op") else {}
            plain |= {"delta_spec": DeltaSpec.none()} if hasattr(DeltaSpec, "none") else {}
            plain |= {} if DeltaSpec else {"delta_encoding_order": 0}
            yield vector(f"{dtype[1:]}", values, **plain)
    yield vector("walk", np.cumsum(rng.integers(-5, 6, 300)).astype("<i4"), delta="consecutive")
    multiples = rng.integers(0, 90, 300) * 1000 + 7 * (np.arange(300) == 9)
    yield vector("int_mult", multiples.astype("<i8"), "int_mult")
    yield vector("float_mult", decimals("<f8"), "float_mult")
    yield vector("pages", np.full(10, 7, "<u4"), paging_spec=PagingSpec.equal_pages_up_to(3))


def of_version_4():
    classic, none = ModeSpec.classic(), DeltaSpec.no_op()
    walk = np.cumsum(rng.integers(-5, 6, 520)).astype("<i4")

    def order(n):
        return {"mode_spec": classic, "delta_spec": DeltaSpec.try_consecutive(n)}

    yield vector("order_1", walk, delta="consecutive", **order(1))
    sums = np.cumsum(np.cumsum(walk)).astype("<i8")
    yield vector("order_3", sums, delta="consecutive", **order(3))
    yield vector("order_7", walk[:9], delta="consecutive", **order(7))
    lookback = {"mode_spec": classic, "delta_spec": DeltaSpec.try_lookback()}
    yield vector("lookback", period("<u4"), delta="lookback", **lookback)
    conv1 = {"mode_spec": classic, "delta_spec": DeltaSpec.try_conv1(3)}
    yield vector("conv1", walk[:300], delta="conv1", **conv1)

    def plain(mode):
        return {"mode_spec": mode, "delta_spec": none}

    hundredths = plain(ModeSpec.try_float_mult(0.01))
    yield vector("float_mult_f4", decimals("<f4"), "float_mult", **hundredths)
    yield vector("float_mult_f2", decimals("<f2"), "float_mult", **hundredths)
    quantized = rng.normal(size=300).astype("<f2").astype("<f4")
    quantized[7] = 1 / 3
    yield vector("float_quant", quantized, "float_quant", **plain(ModeSpec.try_float_quant(13)))
    words = np.array([3.25, np.nan, -1e300, 7], "<f8")
    yield vector("dict", words[rng.integers(0, 4, 300)], "dict", **plain(ModeSpec.try_dict()))
    multiples = (period("<i4") * 100 + rng.integers(0, 100, 300)).astype("<i4")
    both = {"mode_spec": ModeSpec.try_int_mult(100), "delta_spec": DeltaSpec.try_lookback()}
    yield vector("int_mult_lookback", multiples, "int_mult", **both)
    yield vector("constant", np.full(600, -3.5, "<f4"))
    noise = rng.integers(0, 2**64, 40, dtype="<u8")
    yield vector("noise", noise, **plain(classic))
    for dtype in ("|u1", "|i1"):
        yield vector(dtype[1:], geometric(dtype), **plain(classic), enable_8_bit=True)


def save(vectors):
    lines = ",\n".join(json.dumps(entry, sort_keys=True) for entry in vectors)
    PATH.write_text(f"[\n{lines}\n]\n")


def version_of(entry):
    return entry["name"].split("_")[1]


def record(kept):
    made = list(of_every_version())
    version = version_of(made[0])
    if version == "4":
        made += of_version_4()
    kept = [entry for entry in kept if version_of(entry) != version]
    save(sorted(kept + made, key=version_of))


def decoded(entry):
    return np.frombuffer(zlib.decompress(base64.b64decode(entry["decoded"])), entry["dtype"])


def chunk_of_driver(entry, folder):
    from osgeo import gdal

    gdal.UseExceptions()
    values = decoded(entry)
    shape = [len(values)]
    metadata = {"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": entry["dtype"],
                "compressor": entry["config"], "fill_value": None, "order": "C",
                "filters": None}  # fmt: skip
    store = pathlib.Path(folder) / entry["name"]
    store.mkdir()
    (store / ".zarray").write_text(json.dumps(metadata))
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    root = dataset.GetRootGroup()
    array = root.OpenMDArray(root.GetMDArrayNames()[0])
    array.WriteArray(values.astype("<f4") if entry["dtype"] == "<f2" else values)
    del array, root, dataset
    return (store / "0").read_bytes()


def reencode(vectors):
    with tempfile.TemporaryDirectory() as folder:
        for entry in vectors:
            if np.dtype(entry["dtype"]).itemsize > 1:  # numcodecs does not write 1-byte types
                entry["reencoded"] = b64(chunk_of_driver(entry, folder))
    save(vectors)


def check(vectors):
    for entry in vectors:
        if entry["reencoded"] is not None:
            again = standalone.simple_decompress(base64.b64decode(entry["reencoded"]))
            assert again.dtype == entry["dtype"], entry["name"]
            assert again.tobytes() == decoded(entry).tobytes(), entry["name"]


PATH = FOLDER / "pcodec.json"

if __name__ == "__main__":
    actions = {"": record, "reencode": reencode, "check": check}
    actions["".join(sys.argv[1:])](json.loads(PATH.read_text()) if PATH.exists() else [])
