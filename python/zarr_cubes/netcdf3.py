# SPDX-License-Identifier: MIT
"""A file of netCDF-3 (classic, 64-bit offsets, CDF-5) as arrays of references. The form is that of the "NetCDF Classic
Format Specification". Each record of a record variable is a chunk."""

import struct

import numpy as np

from zarr_cubes.files import stamp_of
from zarr_cubes.model import Array, Refused, Source

TYPES = {1: ">i1", 2: "|S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: ">u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
MOST_ITEMS = 1 << 16
MOST_RECORDS = 1 << 26
SMALL = 65536


def is_netcdf(start):
    return start[:4] in (b"CDF\x01", b"CDF\x02", b"CDF\x05")


class Reader:
    def __init__(self, head):
        self.head, self.at = head, 4
        self.version = head.get(0, 4)[3]
        self.count = self.numbers(">q" if self.version == 5 else ">i")

    def take(self, size):
        data = self.head.get(self.at, size)
        self.at += size + (-size) % 4
        return data

    def numbers(self, form):
        size = struct.calcsize(form)
        self.at += size
        return struct.unpack(form, self.head.get(self.at - size, size))[0]

    def number(self):
        found = self.numbers(">q" if self.version == 5 else ">i")
        if found < 0:
            raise Refused(f"{self.head.name}: a negative number in the header of netCDF-3")
        return found

    def length_of_list(self):
        self.numbers(">i")
        found = self.number()
        if found > MOST_ITEMS:
            raise Refused(f"{self.head.name}: a list of {found} items in the header of netCDF-3")
        return found

    def name(self):
        return self.take(self.number()).decode("utf-8", "replace")

    def attributes(self):
        found = {}
        for _ in range(self.length_of_list()):
            name, kind = self.name(), self.numbers(">i")
            found[name] = self.value(kind)
        return found

    def value(self, kind):
        if kind not in TYPES:
            raise Refused(f"{self.head.name}: the type {kind} of netCDF-3 is unknown")
        dtype = np.dtype(TYPES[kind])
        data = self.take(self.number() * dtype.itemsize)
        if kind == 2:
            return data.rstrip(b"\0").decode("utf-8", "replace")
        values = np.frombuffer(data, dtype).tolist()
        return values[0] if len(values) == 1 else values


def scan(head, options):
    reader = Reader(head)
    records = reader.count
    dimensions = [(reader.name(), reader.number()) for _ in range(reader.length_of_list())]
    source = Source(head.name, stamp_of(head.name), attrs={"": plain(reader.attributes())})
    variables = [variable_of(reader, dimensions) for _ in range(reader.length_of_list())]
    in_records = [v for v in variables if v["dims"] and dimensions[v["dims"][0]][1] == 0]
    step = sum(v["bytes"] + (-v["bytes"]) % 4 for v in in_records) if len(in_records) != 1 else in_records[0]["bytes"]
    if records < 0 or records > MOST_RECORDS:
        raise Refused(f"{head.name}: the number of records is {records}; ncdump and ncgen write the file again")
    for variable in variables:
        if variable["kind"] != 2:
            source.arrays[variable["name"]] = array_of(head, variable, dimensions, records, step)
    if not source.arrays:
        raise Refused(f"{head.name}: no arrays of numbers")
    return source


def variable_of(reader, dimensions):
    name = reader.name()
    dims = [reader.number() for _ in range(min(reader.number(), 1024))]
    if any(number >= len(dimensions) for number in dims):
        raise Refused(f"{reader.head.name}: {name} has an unknown dimension")
    attrs, kind = reader.attributes(), reader.numbers(">i")
    reader.number() if reader.version == 5 else reader.numbers(">i")  # vsize, which the shape gives, too
    begin = reader.numbers(">i" if reader.version == 1 else ">q")
    if kind not in TYPES or begin < 0:
        raise Refused(f"{reader.head.name}: {name} has an unknown type or place")
    sizes = [dimensions[number][1] for number in dims]
    if sizes and sizes[0] == 0:
        sizes = sizes[1:]
    size = int(np.prod(sizes, dtype=object)) * np.dtype(TYPES[kind]).itemsize
    return {"name": name, "dims": dims, "attrs": attrs, "kind": kind, "begin": begin, "bytes": size}


def plain(attrs):
    return {name: value for name, value in attrs.items() if not isinstance(value, float) or np.isfinite(value)}


def array_of(head, variable, dimensions, records, step):
    dims = tuple(dimensions[number][0] for number in variable["dims"])
    sizes = [dimensions[number][1] for number in variable["dims"]]
    is_record = bool(sizes) and sizes[0] == 0
    shape = (records, *sizes[1:]) if is_record else tuple(sizes)
    chunks = tuple(max(size, 1) for size in ((1, *sizes[1:]) if is_record else sizes))
    dtype = TYPES[variable["kind"]]
    array = Array(dims, shape, chunks, dtype.replace(">", "|") if dtype[2] == "1" else dtype, attrs=plain(variable["attrs"]))
    array.fill = variable["attrs"].get("_FillValue")
    if array.fill is not None:
        array.attrs["_FillValue"] = array.fill
    count = records if is_record else 1
    array.offsets = np.uint64(variable["begin"]) + np.arange(count, dtype="u8") * np.uint64(step)
    array.lengths = np.full(count, variable["bytes"], "u8")
    end = int(array.offsets[-1] + array.lengths[-1]) if count else 0
    if head.size is not None and end > head.size:
        raise Refused(f"{head.name}: {variable['name']} ends at {end}, and the file has {head.size} bytes; copy it again")
    if len(shape) < 2 and count * variable["bytes"] <= SMALL * 8:
        array.values = values_of(head, array, variable, step, count)
    return array


def values_of(head, array, variable, step, count):
    if count < 2 or step == variable["bytes"]:
        data = head.get(variable["begin"], count * variable["bytes"]) if count else b""
    else:
        data = b"".join(head.get(int(at), variable["bytes"]) for at in array.offsets)
    return np.frombuffer(data, array.dtype).reshape(array.shape)
