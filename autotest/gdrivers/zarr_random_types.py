# SPDX-License-Identifier: MIT
"""Draws random data types, values and fill values of all kinds in Zarr v2. A given seed determines all results."""

import numpy as np

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
KINDS = [
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16",
    "M8", "m8", "S", "U", "V", "struct", "object-str", "object-bytes", "object-json",
    "object-categorize",
]  # fmt: skip
SCALARS = KINDS[:16]
TEXTS = ["", "a", "Elevation", "Höhe", "標高", "\U0001f30d earth", "x" * 300, "2\nlines", '"\\']


class Draw:
    """Random choices for one array. deck(name, items, turn) returns choice number `turn` of a sequence that repeats all
    items, shuffled anew each time."""

    def __init__(self, seed, index):
        import random

        self.index = index
        self.seed = seed
        self.random = random.Random(f"{seed}/{index}")
        self.numpy = np.random.default_rng(self.random.getrandbits(64))

    def deck(self, name, items, turn):
        import random

        items = list(items)
        cycle, position = divmod(turn, len(items))
        random.Random(f"{self.seed}/{name}/{cycle}").shuffle(items)
        return items[position]

    def chance(self, probability):
        return self.random.random() < probability

    def choice(self, items):
        return self.random.choice(list(items))

    def integer(self, low, high):
        return self.random.randint(low, high)


def scalar_dtype(draw, kind, turn=None):
    """Draws a NumPy type of a kind in SCALARS, with either byte order. Successive values of `turn` use all units of
    times."""
    if kind == "b1":
        return np.dtype("?")
    order = draw.choice("<>")
    if kind in ("M8", "m8"):
        unit = draw.choice(UNITS) if turn is None else draw.deck(kind, UNITS, turn)
        # Multiples that NumPy does not replace by larger units, with 25 from the example in the specification.
        multiple = draw.choice([2, 3, 7, 25, 250]) if draw.chance(0.4) else ""
        return np.dtype(f"{order}{kind}[{multiple}{unit}]")
    return np.dtype(order + kind)


def struct_dtype(draw, depth=0):
    """Draws a structured type with fields of all kinds, nested structures and subarrays."""
    fields = []
    for i in range(draw.integer(1, 4)):
        name = draw.choice(["band", "Höhe", "wind_speed", "t", "x y", "q-flag"]) + str(i)
        what = draw.random.random()
        if what < 0.2 and depth < 2:
            base = struct_dtype(draw, depth + 1)
        elif what < 0.4:
            base = np.dtype(draw.choice(["S3", "S1", "<U2", ">U3", "V5"]))
        else:
            base = scalar_dtype(draw, draw.choice(SCALARS))
        if draw.chance(0.25):
            fields.append((name, base, draw.choice([(1,), (3,), (2,), (2, 2)])))
        else:
            fields.append((name, base))
    return np.dtype(fields)


def random_dtype(draw, kind, turn):
    """Draws a NumPy type for the given kind. `turn` is the number of earlier arrays of this kind."""
    if kind in SCALARS:
        return scalar_dtype(draw, kind, turn)
    if kind == "struct":
        return struct_dtype(draw)
    if kind == "S" or kind == "V":
        return np.dtype(f"{kind}{draw.integer(1, 20)}")
    if kind == "U":
        return np.dtype(f"{draw.choice('<>')}U{draw.integer(1, 9)}")
    return np.dtype(object)


def limits(dtype):
    """Returns a list of extreme values of a scalar type."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [0, 1, info.min, info.max, info.max - 1]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        tiny = float(info.smallest_subnormal)
        return [0.0, -0.0, 1.5, float(info.max), float(info.min), tiny,
                float("nan"), float("inf"), float("-inf")]  # fmt: skip
    if dtype.kind == "c":
        # zarr-python changes some complex numbers with infinite, NaN or -0 parts, so only two such numbers are used.
        parts = [v for v in limits(np.dtype(f"f{dtype.itemsize // 2}")) if np.isfinite(v)]
        parts = [v for v in parts if str(v) != "-0.0"]
        found = [complex(a, b) for a, b in zip(parts, parts[1:] + parts[:1])]
        return found + [complex("nan+infj"), complex("nan+nanj")]
    if dtype.kind == "b":
        return [False, True]
    # Stored numbers of datetime64 and timedelta64; -(2**63) is NaT.
    return [0, 1, -1, -(2**63), 2**63 - 1, -(2**63) + 1]


def _scalar_values(draw, dtype, count, gentle):
    """Draws `count` values of a scalar type. `gentle` values are small and finite, so that filters can calculate with
    them."""
    style = draw.choice(["bits", "ramp", "constant", "few"])
    if dtype.kind == "b":
        return draw.numpy.integers(0, 2, count).astype(bool)
    if dtype.kind in "mM":
        native = _scalar_values(draw, np.dtype("i8"), count, gentle)
        return native.view(dtype.newbyteorder("=")).astype(dtype)
    if gentle:
        low = 0 if dtype.kind == "u" else -50
        values = draw.numpy.integers(low, 60, count).astype("f8")
        if dtype.kind in "fc":
            values = values + draw.numpy.integers(0, 64, count) / 64.0
        return values.astype(dtype)
    if style == "bits":
        data = draw.numpy.bytes(count * dtype.itemsize)
        return np.frombuffer(data, dtype).copy()
    if style == "ramp":
        return (np.arange(count) % 100).astype(dtype)
    edges = np.array(limits(dtype), dtype=dtype)
    if style == "constant":
        return np.full(count, draw.choice(list(edges)), dtype=dtype)
    return draw.numpy.choice(edges, count)


def _text(draw, length):
    ranges = [(0x20, 0x7E), (0xA0, 0x24F), (0x4E00, 0x4EFF), (0x1F300, 0x1F5FF)]
    return "".join(chr(draw.integer(*draw.choice(ranges))) for _ in range(length))


def random_values(draw, kind, dtype, shape, gentle=False):
    """Draws an array of random values, which are str or bytes for an object kind."""
    count = int(np.prod(shape, dtype=int))
    if dtype.names:
        out = np.zeros(count, dtype)
        _fill_struct(draw, out, gentle)
        return out.reshape(shape)
    if dtype.kind == "O":
        out = np.empty(count, object)
        for i in range(count):
            out[i] = draw.choice(TEXTS)
            if kind == "object-bytes":
                out[i] = out[i].encode() + b"\x00\xff"[: draw.integer(0, 2)]
        return out.reshape(shape)
    return _any_values(draw, dtype, count, gentle).reshape(shape)


def _any_values(draw, dtype, count, gentle):
    if dtype.kind == "U":
        length = dtype.itemsize // 4
        return np.array([_text(draw, draw.integer(0, length)) for _ in range(count)], dtype)
    if dtype.kind in "SV":
        return np.frombuffer(draw.numpy.bytes(count * dtype.itemsize), dtype).copy()
    return _scalar_values(draw, dtype, count, gentle)


def _fill_struct(draw, out, gentle):
    for name in out.dtype.names:
        base, shape = out.dtype[name].base, out.dtype[name].shape
        total = out.size * int(np.prod(shape, dtype=int))
        if base.names:
            inner = np.zeros(total, base)
            _fill_struct(draw, inner, gentle)
        else:
            inner = _any_values(draw, base, total, gentle)
        out[name] = inner.reshape((out.size,) + shape)


def random_fill(draw, kind, dtype):
    """Draws the argument fill_value of zarr.create(); None becomes null in the metadata."""
    if draw.chance(0.25):
        return None
    if dtype.names:
        return 0
    if dtype.kind == "O":
        return 0 if kind == "object-bytes" else draw.choice(["", "missing", "ä", 0])
    if dtype.kind == "S":
        return draw.choice([0, "", b"a"])
    if dtype.kind == "U":
        return draw.choice([0, "", "ö"])
    if dtype.kind == "V":
        return draw.choice([0, b"", bytes(range(1, dtype.itemsize + 1))])
    if dtype.kind in "mM":
        return draw.choice(limits(dtype))
    return np.array(draw.choice(limits(dtype)), dtype=dtype.newbyteorder("="))[()]
