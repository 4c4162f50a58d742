# SPDX-License-Identifier: MIT
"""A GRIB2 file as arrays of references: an index of its messages (WMO Manual on Codes, FM 92 GRIB edition 2). A chunk is a
message. Its codec is "grib", as in kerchunk's references."""

import datetime
import struct

import numpy as np

from zarr_cubes.files import stamp_of
from zarr_cubes.model import Array, Refused, Source

MOST_MESSAGES = 1 << 20
MOST_SECTIONS = 16
MOST_POINTS = 1 << 31
# names of GDAL's item GRIB_ELEMENT, by discipline, category and number (code table 4.2)
ELEMENTS = {(0, 0, 0): "TMP", (0, 0, 4): "TMAX", (0, 0, 5): "TMIN", (0, 0, 6): "DPT", (0, 1, 0): "SPFH", (0, 1, 1): "RH",
            (0, 1, 3): "PWAT", (0, 1, 8): "APCP", (0, 1, 11): "SNOD", (0, 2, 0): "WDIR", (0, 2, 1): "WIND", (0, 2, 2): "UGRD",
            (0, 2, 3): "VGRD", (0, 2, 8): "VVEL", (0, 2, 22): "GUST", (0, 3, 0): "PRES", (0, 3, 1): "PRMSL", (0, 3, 5): "HGT",
            (0, 6, 1): "TCDC", (0, 7, 6): "CAPE", (2, 0, 0): "LAND"}  # fmt: skip
UNITS = {0: 60, 1: 3600, 2: 86400, 10: 3 * 3600, 11: 6 * 3600, 12: 12 * 3600, 13: 1}  # seconds, code table 4.4
STATISTICAL = {8: 34, 9: 47, 10: 35, 11: 37, 12: 36}  # where the end of the interval is in section 4, by template
INSTANT = (0, 1, 2, 5, 6, 7, 15)


def is_grib(start):
    return start[:4] == b"GRIB"


def scan(head, options):
    source = Source(head.name, stamp_of(head.name), attrs={"": {"Conventions": "CF-1.8"}})
    fields = list(messages(head))
    grids = {field["grid"] for field in fields}
    if len(grids) != 1:
        raise Refused(f"{head.name}: messages with {len(grids)} grids; grib_copy writes files with one grid each")
    ni, nj, la1, lo1, la2, lo2 = grids.pop()
    times = sorted({field["time"] for field in fields})
    base = (len(times), nj, ni)
    add_axis(source, "time", np.array(times, "<i8"), {"units": "seconds since 1970-01-01", "standard_name": "time",
                                                      "calendar": "proleptic_gregorian"})  # fmt: skip
    add_axis(source, "latitude", np.linspace(la1, la2, nj), {"units": "degrees_north", "standard_name": "latitude"})
    add_axis(source, "longitude", np.linspace(lo1, lo2, ni), {"units": "degrees_east", "standard_name": "longitude"})
    for field in fields:
        array = source.arrays.get(field["name"])
        if array is None:
            array = source.arrays[field["name"]] = empty(field, base)
        step = times.index(field["time"])
        if array.lengths[step]:
            raise Refused(f"{head.name}: two messages of {field['name']} for {np.datetime64(field['time'], 's')}; grib_copy -w "
                          "writes files with one of them, such as one member of an ensemble")  # fmt: skip
        array.offsets[step], array.lengths[step] = field["offset"], field["length"]
    return source


def empty(field, shape):
    attrs = {"GRIB_discipline": field["parameter"][0],
             "GRIB_parameterCategory": field["parameter"][1], "GRIB_parameterNumber": field["parameter"][2],
             "GRIB_typeOfFirstFixedSurface": field["surface"], "_FillValue": float("nan")}  # fmt: skip
    filters = [{"id": "grib", "var": field["name"], "dtype": "float64"}]
    array = Array(("time", "latitude", "longitude"), shape, (1, *shape[1:]), "<f8", None, filters, float("nan"), attrs)
    array.offsets, array.lengths = np.zeros(shape[0], "u8"), np.zeros(shape[0], "u8")
    return array


def add_axis(source, name, values, attrs):
    array = Array((name,), values.shape, values.shape, values.dtype.newbyteorder("<").str, attrs=attrs)
    array.offsets = array.lengths = np.zeros(1, "u8")
    array.values, array.inline = values, {0: values.tobytes()}
    source.arrays[name] = array


def messages(head):
    offset, count = 0, 0
    while offset is not None:
        count += 1
        if count > MOST_MESSAGES:
            raise Refused(f"{head.name}: more than {MOST_MESSAGES} messages")
        start = head.get(offset, 16)
        if start[:4] != b"GRIB" or start[7] != 2:
            edition = f"GRIB edition {start[7]}" if start[:4] == b"GRIB" else "no message"
            raise Refused(f"{head.name}: {edition} at {offset}; grib_set -s edition=2 writes a file of edition 2")
        (length,) = struct.unpack(">Q", start[8:16])
        if length < 100 or length > 1 << 40:
            raise Refused(f"{head.name}: a message of {length} bytes at {offset}")
        yield {**field_of(head, offset, length, start[6]), "offset": offset, "length": length}
        offset += length
        if head.get(offset - 4, 4) != b"7777":
            raise Refused(f"{head.name}: the message that ends at {offset} has no end; copy the file again")
        offset = offset if following(head, offset) else None


def following(head, offset):
    """True if there is a message at `offset`, and False at the end of the file."""
    return offset < head.size if head.size is not None else len(head.read(offset, 16)) == 16


def field_of(head, offset, length, discipline):
    at, end, found = offset + 16, offset + length - 4, {}
    for _ in range(MOST_SECTIONS):
        if at >= end:
            break
        size, number = struct.unpack(">IB", head.get(at, 5))
        if size < 5 or at + size > end:
            raise Refused(f"{head.name}: a section of {size} bytes at {at}")
        if number in found:
            raise Refused(f"{head.name}: a message with several fields at {offset}; grib_copy writes one message for each")
        found[number] = head.get(at, min(size, 256)) if number in (1, 3, 4) else b""
        at += size
    if not {1, 3, 4, 7} <= found.keys():
        raise Refused(f"{head.name}: the message at {offset} has no grid, product or data")
    try:
        return {"grid": grid_of(head.name, found[3]), **product_of(head.name, discipline, found[1], found[4])}
    except (struct.error, ValueError, IndexError, OverflowError) as why:
        raise Refused(f"{head.name}: the message at {offset}: {why}") from None


def signed(number, bits=32):
    """Returns a number of GRIB, whose first bit is its sign."""
    return -(number & ~(1 << bits - 1)) if number >> bits - 1 else number


def grid_of(name, section):
    (template,) = struct.unpack(">H", section[12:14])
    if template != 0:
        raise Refused(f"{name}: the grid template 3.{template}; zarr_cube indexes grids of longitude and latitude (3.0). gdalwarp "
                      "-t_srs EPSG:4326 makes another file")  # fmt: skip
    ni, nj, basic, parts, la1, lo1 = struct.unpack(">6I", section[30:54])
    la2, lo2 = struct.unpack(">2I", section[55:63])
    if not (0 < ni and 0 < nj and ni * nj < MOST_POINTS) or section[71] & 0x30:
        raise Refused(f"{name}: a grid of {ni} x {nj} points with scanning mode {section[71]}")
    unit = 1e-6 if basic in (0, 0xFFFFFFFF) else basic / parts
    la1, lo1, la2, lo2 = (signed(number) * unit for number in (la1, lo1, la2, lo2))
    if not section[71] & 0x80 and lo2 < lo1:
        lo1 -= 360
    return ni, nj, la1, lo1, la2, lo2


def product_of(name, discipline, identification, section):
    template, category, number = struct.unpack(">HBB", section[7:11])
    year, *rest = struct.unpack(">H5B", identification[12:19])
    time = datetime.datetime(year, *rest)
    if template in STATISTICAL:
        year, *rest = struct.unpack(">H5B", section[STATISTICAL[template] : STATISTICAL[template] + 7])
        time = datetime.datetime(year, *rest)
    elif template in INSTANT:
        unit, forecast = struct.unpack(">BI", section[17:22])
        if unit not in UNITS:
            raise Refused(f"{name}: forecast times in the unit {unit}")
        time += datetime.timedelta(seconds=signed(forecast) * UNITS[unit])
    else:
        raise Refused(f"{name}: the product template 4.{template}")
    surface, factor, value = struct.unpack(">BBI", section[22:28])
    level = signed(value) / 10.0 ** signed(factor, 8) if value != 0xFFFFFFFF and factor != 0xFF else None
    element = ELEMENTS.get((discipline, category, number), f"var{discipline}_{category}_{number}")
    return {"name": f"{element}_{level_name(surface, level)}", "parameter": (discipline, category, number), "surface": surface,
            "time": int((time - datetime.datetime(1970, 1, 1)).total_seconds())}  # fmt: skip


def level_name(surface, level):
    if surface == 1:
        return "surface"
    if surface == 100 and level is not None:
        return f"{level / 100:g}hPa"
    if surface == 103 and level is not None:
        return f"{level:g}m"
    return f"level{surface}" + (f"_{level:g}" if level else "")
