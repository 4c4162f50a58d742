# SPDX-License-Identifier: MIT
"""Random arrays of one chunk for test_zarr_encode.py. zarr-python 2 writes the chunk; the program zarr_encode must
write one with equal values."""

import base64
import json
import pathlib
import warnings

import numcodecs
import numpy as np
import zarr
import zarr_random_codecs as codecs
import zarr_random_types as types

# Debian's numcodecs uses the libraries of the core (zarr_encode), so both encode equal bytes. A wheel of numcodecs
# contains libraries of its own.
IS_OF_SYSTEM = numcodecs.__file__.startswith("/usr/lib/")
BLOSC_WAYS = len(codecs.BLOSC_NAMES) * len(codecs.BLOSC_SHUFFLES)
# (compressor, variant): blosc has a variant for each combination of its compressors and shuffles, others have only the
# variant 0.
COMPRESSORS = [(label, 0) for label in sorted(set(codecs.COMPRESSORS) - {"blosc"})]
COMPRESSORS += [("blosc", number) for number in range(BLOSC_WAYS)]


# Compressors for chunks of two megabytes, which the libraries compress in several blocks.
LARGE = [
    numcodecs.Blosc("lz4", 5, 1), numcodecs.Blosc("zstd", 3, 2), numcodecs.Blosc("blosclz", 9, 0),
    numcodecs.Blosc("zlib", 1, 1, 65536), numcodecs.Zlib(0), numcodecs.Zlib(1), numcodecs.Zlib(9),
    numcodecs.GZip(0), numcodecs.GZip(5), numcodecs.BZ2(1), numcodecs.BZ2(9),
    numcodecs.LZMA(preset=0), numcodecs.Zstd(1), numcodecs.Zstd(19), numcodecs.LZ4(), numcodecs.LZ4(20),
]  # fmt: skip


def large_values(what):
    count = 500_000
    if what == "constant":
        return np.full(count, 7, "<i4")
    if what == "noise":
        return np.random.default_rng(3).integers(0, 2**32, count, dtype="<u4").view("<i4")
    return (1000 * np.sin(np.arange(count) / 500)).astype("<i4")


class Case:
    """A random array of one chunk that zarr-python has written. zarr_encode must write a chunk with equal values."""

    def __init__(self, folder, seed, index):
        draw = types.Draw(f"encode {seed}", index)
        kind = draw.deck("kind", types.KINDS, index)
        turn = index // len(types.KINDS)
        dtype = types.random_dtype(draw, kind, turn)
        shape = [draw.integer(1, 12) for _ in range(draw.integer(1, 3))]
        if draw.chance(0.2):
            shape = [draw.integer(500, 3000)]  # so many elements that the core filters the chunk in several pieces
        self.order = "C" if kind == "object-json" else draw.choice("CF")
        label, number = draw.deck("compressor", COMPRESSORS, index)
        number += index // len(COMPRESSORS) * BLOSC_WAYS
        self.compressor, name = codecs.make_compressor(draw, label, number)
        self.filters, names, self.values = codecs.make_chain(
            draw, kind, dtype,
            lambda gentle: types.random_values(draw, kind, dtype, shape, gentle), turn,
        )  # fmt: skip
        first = (self.filters + [self.compressor])[0]
        # numcodecs.GZip fails for structures with datetime64 fields, unless another codec comes before it.
        if dtype.names and isinstance(first, numcodecs.GZip):
            self.filters.insert(0, numcodecs.Shuffle(1))
        self.labels = [kind, name, *names, "order " + self.order]
        self.folder = pathlib.Path(folder) / f"{index}.zarr"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zarr-python warns about casts that overflow, and about object codecs
            array = zarr.create(
                tuple(shape), chunks=tuple(shape), dtype=dtype, compressor=self.compressor,
                filters=self.filters or None, order=self.order, fill_value=None,
                store=zarr.DirectoryStore(str(self.folder)),
            )  # fmt: skip
            array[...] = self.values
        self.chunk = self.folder / ".".join(["0"] * len(shape))
        self.expected = self.chunk.read_bytes()
        self.chunk.unlink()
        self._write_elements()

    def _write_elements(self):
        if self.values.dtype.kind != "O":
            (self.folder / "raw").write_bytes(self.values.tobytes(self.order))
            return
        items = [v if isinstance(v, bytes) else v.encode() for v in self.values.ravel(self.order)]
        texts = [base64.b64encode(item).decode() for item in items]
        (self.folder / "objects").write_text(json.dumps(texts))

    def describe(self):
        return json.dumps(json.loads((self.folder / ".zarray").read_text()))

    def _read(self, chunk):
        """Lets zarr-python read the bytes `chunk`. Returns the values in a form for which `==` compares all bits."""
        self.chunk.write_bytes(chunk)
        values = zarr.open_array(str(self.folder), mode="r")[...]
        return values.ravel().tolist() if values.dtype.kind == "O" else values.tobytes()

    def problem(self):
        """Returns None if the chunk that zarr_encode wrote is right; otherwise a text about its difference from
        numcodecs' chunk."""
        ours, wanted = self.chunk.read_bytes(), self.expected
        if self._read(ours) != self._read(wanted):
            return "reads as other values"
        chain = [codec for codec in self.filters + [self.compressor] if codec]
        if any(may_encode_differently(codec) for codec in chain):
            return None
        self.labels.append("same bytes")
        if ours == wanted:
            return None
        at = next((i for i, (a, b) in enumerate(zip(ours, wanted)) if a != b), -1)
        return f"{len(ours)} bytes, numcodecs {len(wanted)}, the first other one at {at}"


def may_encode_differently(codec, is_of_system=IS_OF_SYSTEM):
    """True if the core and numcodecs may encode equal values to different bytes. The bytes must nevertheless decode to
    equal values. `is_of_system` is True if numcodecs uses the libraries of the system, as the core does."""
    if isinstance(codec, (numcodecs.Blosc, numcodecs.Zstd)) and not is_of_system:
        return True  # these packages contain other versions of the libraries
    if isinstance(codec, (numcodecs.Zlib, numcodecs.GZip)):
        return True  # the core compresses with libdeflate, numcodecs with zlib
    # For a Zstd level below 1, numcodecs 0.11 uses level 1. Later versions and the core pass the level to the library.
    return isinstance(codec, numcodecs.Zstd) and codec.level < 1
