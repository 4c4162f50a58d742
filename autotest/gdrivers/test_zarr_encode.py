# SPDX-License-Identifier: MIT
"""Property test of the core's encoders: their bytes equal those of numcodecs, and zarr-python 2 reads them.

    ZARR_TEST_SEED    seed of the run; random if unset, and printed at the end of the run
    ZARR_TEST_CHUNKS  chunks per run; default 400
"""

import collections
import json
import os
import subprocess
import warnings

import numcodecs
import numpy as np
import pytest
import zarr2
import zarr_python as zarr
import zarr_random_codecs as codecs
import zarr_random_types as types
from zarr_encode_case import LARGE, may_encode_differently, large_values
from zarr_python import IS_NUMPY_2

SEED = os.environ["ZARR_TEST_SEED"]
CHUNKS = int(os.environ.get("ZARR_TEST_CHUNKS", "400"))
BATCHES = 8


@pytest.fixture(scope="module")
def seen():
    """Returns a counter {label: number of chunks that are encoded right}. A label names a dtype, a codec or an order of
    such chunks, or is "same bytes"."""
    return collections.Counter()


def encode(folders):
    """Encodes the cases in `folders` by the program zarr_encode. Returns the error messages of the program, or "" on
    success."""
    command = [os.environ["ZARR_ENCODE"], *folders]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    return done.stderr.decode(errors="replace")


def compare(folder, indices, seen):
    """Encodes one chunk for each random case in `indices`. Adds the labels of the chunks that are encoded right to the
    counter `seen`. Returns a message for each wrong chunk."""
    cases = zarr2.call("encode_cases", folder, SEED, indices)
    folders = [case for case, _ in cases]
    failures = [encode(folders)] if cases else []
    found = zarr2.call("encode_problems", folders)
    for index, (_, described), (problem, labels) in zip(indices, cases, found):
        if problem:
            reproduce = f"ZARR_TEST_SEED={SEED} ZARR_TEST_ONLY={index}"
            failures.append(f"{reproduce}: {problem}\n    {described}")
        else:
            seen.update(labels)
    return [failure for failure in failures if failure]


@pytest.mark.every_case
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_chunks(batch, tmp_path, seen):
    indices = range(batch, CHUNKS, BATCHES)
    if "ZARR_TEST_ONLY" in os.environ:
        indices = [i for i in indices if i == int(os.environ["ZARR_TEST_ONLY"])]
    failures = compare(tmp_path, indices, seen)
    assert not failures, "\n".join(failures)


def missing(seen):
    wanted = [*types.KINDS, *codecs.FILTERS, *codecs.COMPRESSORS, "order C", "order F"]
    wanted += [f"blosc {n} {s}" for n in zarr2.call("blosc_names") for s in codecs.BLOSC_SHUFFLES]
    return sorted({label for label in wanted if label != "blosc" and not seen[label]})


def test_the_random_chunks_covered_everything(tmp_path, seen):
    """Each label of seen() occurs among the chunks of the tests above. Chunks are added until the last label occurs,
    because the rarest filter is in only one of a hundred chunks."""
    if "ZARR_TEST_ONLY" in os.environ:
        return
    assert seen["same bytes"] >= CHUNKS * (0.8 if zarr2.call("is_of_system") else 0.1)
    for first in range(CHUNKS, CHUNKS + 2000, 100):
        if not missing(seen):
            break
        failures = compare(tmp_path, range(first, first + 100), seen)
        assert not failures, "\n".join(failures)
    assert not missing(seen), f"ZARR_TEST_SEED={SEED}: never compared equal: {missing(seen)}"


NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
# Types to which filters encode in these tests. u4 is left out, because NumPy's result for a float beyond u4 depends on
# the position of the float in the array.
TARGETS = [name for name in NUMBERS if name != "u4"]
OFFSETS = [0, 1, -3, 5, 200, 1000, -40000, 70000, 2**40, 2**63, 0.5, -1.25, 1e6, 1e39, 0.1]
SCALES = [1, 2, -3, 10, 300, 0.5, 0.1, 1e-3, 1e5, 100000, 2**33]


def number_filter(draw, name):
    """Returns a filter with random parameters from their whole range, and the data type that this filter encodes."""
    dtype, target = (draw.choice("<>") + draw.choice(names) for names in (NUMBERS, TARGETS))
    if name == "fixedscaleoffset":
        offset, scale = draw.choice(OFFSETS), draw.choice(SCALES)
        return numcodecs.FixedScaleOffset(offset, scale, dtype, target), dtype
    if name == "quantize":
        dtype, target = (draw.choice("<>") + draw.choice(["f2", "f4", "f8"]) for _ in range(2))
        return numcodecs.Quantize(draw.integer(-5, 12), dtype, target), dtype
    if name == "bitround":
        dtype, bits = draw.choice([("f2", 10), ("f4", 23), ("f8", 52)])
        return numcodecs.BitRound(draw.integer(0, bits)), dtype
    if name == "astype":
        return numcodecs.AsType(target, dtype), dtype
    if name == "packbits":
        return numcodecs.PackBits(), "u1"
    dtype = draw.choice([dtype, "<m8[s]"])
    return numcodecs.Delta(dtype), dtype


def encoded_by_numcodecs(codec, values):
    """Returns the values encoded by numcodecs. Returns None where numcodecs with NumPy 2 differs from the driver: for
    calculations in half or single precision, and for parameters that the type cannot hold."""
    calculates = isinstance(codec, (numcodecs.FixedScaleOffset, numcodecs.Quantize))
    if IS_NUMPY_2 and calculates and values.dtype.newbyteorder("=").str[1:] in ("f2", "f4", "c8"):
        return None
    try:
        return np.ascontiguousarray(codec.encode(values.copy()))  # bitround changes its input, so it gets a copy
    except OverflowError:
        if not IS_NUMPY_2:
            raise
        return None


def equal_but_for_nans(ours, wanted):
    """True if two arrays are equal bit for bit. All NaNs count as equal, because their bits depend on the
    compiler."""
    if wanted.dtype.kind not in "fc":
        return ours.tobytes() == wanted.tobytes()
    size = wanted.dtype.itemsize // (2 if wanted.dtype.kind == "c" else 1)
    order = wanted.dtype.str[0]
    same = ours.view(f"{order}u{size}") == wanted.view(f"{order}u{size}")
    nans = [np.isnan(a.view(f"{order}f{size}")) for a in (ours, wanted)]
    return bool(np.all(same | (nans[0] & nans[1])))


@pytest.mark.parametrize(
    "name", ["fixedscaleoffset", "quantize", "bitround", "astype", "packbits", "delta"]
)
def test_filters_of_any_numbers(name, tmp_path):
    """For arrays of random bits, the encoded bytes equal those of numcodecs. Such numbers include NaN, infinities, and
    values that overflow or wrap."""
    cases = []
    for index in range(60):
        draw = types.Draw(f"numbers {SEED} {name}", index)
        codec, dtype = number_filter(draw, name)
        dtype = np.dtype(dtype)
        count = draw.choice([1, 3, 511, 513, 1500])
        values = np.frombuffer(draw.numpy.bytes(count * dtype.itemsize), dtype)
        folder = tmp_path / str(index)
        folder.mkdir()
        metadata = {"zarr_format": 2, "shape": [count], "chunks": [count], "dtype": dtype.str,
                    "compressor": None, "filters": [codec.get_config()], "fill_value": None,
                    "order": "C"}  # fmt: skip
        (folder / ".zarray").write_text(json.dumps(metadata))
        (folder / "raw").write_bytes(values.tobytes())
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = encoded_by_numcodecs(codec, values)
        if wanted is not None:
            cases.append((codec, folder, wanted))
    assert len(cases) >= (10 if IS_NUMPY_2 else 60)
    command = [os.environ["ZARR_ENCODE"], *(str(folder) for _, folder, _ in cases)]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    for codec, folder, wanted in cases:
        ours = np.frombuffer((folder / "0").read_bytes(), wanted.dtype)
        assert ours.size == wanted.size and equal_but_for_nans(ours, wanted), (SEED, folder, codec)


@pytest.mark.parametrize("what", ["constant", "noise", "wave"])
@pytest.mark.slow
def test_large_chunks(what, tmp_path):
    values = large_values(what)
    folders = []
    for index, codec in enumerate(LARGE):
        folder = tmp_path / f"{index}.zarr"
        zarr.open_array(str(folder), shape=values.shape, chunks=values.shape, dtype=values.dtype, compressor=codec,
                        fill_value=None)  # fmt: skip
        (folder / "raw").write_bytes(values.tobytes())
        folders.append(folder)
    command = [os.environ["ZARR_ENCODE"], *map(str, folders)]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    for codec, folder, wanted in zip(LARGE, folders, zarr2.call("encode_large", what)):
        ours = (folder / "0").read_bytes()
        assert bytes(codec.decode(ours)) == values.tobytes(), codec
        if not may_encode_differently(codec, zarr2.call("is_of_system")):
            assert ours == wanted, codec
