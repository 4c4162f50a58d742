# SPDX-License-Identifier: MIT
"""A GRIB2 file as arrays of references: an index of its messages (WMO Manual on Codes, FM 92 GRIB edition 2). A chunk is a
message. Its codec is "grib", as in kerchunk's references."""

import datetime
import struct
import threading

import numpy as np
from osgeo import gdal

from zarr_cubes.files import stamp_of
from zarr_cubes.grid import written_by_driver
from zarr_cubes.model import Array, Refused, Source

MOST_MESSAGES = 1 << 20
MOST_SECTIONS = 16
MOST_POINTS = 1 << 31
# names of GDAL's item GRIB_ELEMENT, by discipline, category and number (code table 4.2)
ELEMENTS = {(0, 0, 0): "TMP", (0, 0, 4): "TMAX", (0, 0, 5): "TMIN", (0, 0, 6): "DPT", (0, 1, 0): "SPFH", (0, 1, 1): "RH",
            (0, 1, 3): "PWAT", (0, 1, 8): "APCP", (0, 1, 11): "SNOD", (0, 2, 0): "WDIR", (0, 2, 1): "WIND", (0, 2, 2): "UGRD",
            (0, 2, 3): "VGRD", (0, 2, 8): "VVEL", (0, 2, 22): "GUST", (0, 3, 0): "PRES", (0, 3, 1): "PRMSL", (0, 3, 5): "HGT",
            (0, 6, 1): "TCDC", (0, 7, 6): "CAPE", (2, 0, 0): "LAND"}  # fmt: skip
# ecCodes' cfVarName, by discipline, category, number, surface, level, and statistical process (code table 4.10)
NAMES = {(0, 0, 0, 103, 2, None): "t2m", (0, 0, 0, 103, 2, 2): "mx2t", (0, 0, 0, 103, 2, 3): "mn2t", (0, 0, 6, 103, 2, None): "d2m",
         (0, 0, 17, 1, 0, None): "skt", (0, 1, 0, 103, 2, None): "sh2", (0, 1, 1, 103, 2, None): "r2",
         (0, 1, 8, 1, 0, 1): "tp", (0, 1, 11, 1, 0, None): "sde", (0, 1, 13, 1, 0, None): "sdwe",
         (0, 1, 52, 1, 0, 1): "tp", (0, 2, 0, 103, 10, None): "wdir10",
         (0, 2, 1, 103, 10, None): "si10", (0, 2, 2, 103, 10, None): "u10",
         (0, 2, 3, 103, 10, None): "v10", (0, 2, 22, 1, 0, None): "gust",
         (0, 2, 22, 103, 10, 2): "fg10", (0, 3, 0, 1, 0, None): "sp", (0, 3, 0, 101, 0, None): "msl",
         (0, 3, 1, 101, 0, None): "prmsl", (0, 3, 5, 1, 0, None): "orog", (0, 3, 18, 1, 0, None): "blh",
         (0, 19, 0, 1, 0, None): "vis", (2, 0, 0, 1, 0, None): "lsm"}  # fmt: skip
# the same on levels of pressure, where the level follows the name
PRESSURE_NAMES = {(0, 0, 0): "t", (0, 1, 0): "q", (0, 1, 1): "r", (0, 2, 1): "ws", (0, 2, 2): "u", (0, 2, 3): "v", (0, 2, 8): "w",
                  (0, 3, 5): "gh"}  # fmt: skip
PROCESSES = {0: "avg", 1: "accum", 2: "max", 3: "min"}
UNITS = {0: 60, 1: 3600, 2: 86400, 10: 3 * 3600, 11: 6 * 3600, 12: 12 * 3600, 13: 1}  # seconds, code table 4.4
STATISTICAL = {8: 34, 9: 47, 10: 35, 11: 37, 12: 36}  # where the end of the interval is in section 4, by template
# where the scanning mode is in section 3, by grid template
SCANNING = {0: 71, 10: 59, 20: 64, 30: 64, 140: 63}
GRIDS = {1: " (rotated)", 40: " (Gaussian)", 50: " (spherical harmonics)", 90: " (space view)", 101: " (unstructured)"}
MOST_GRIDS = 16
PROJECTED, LOCK = {}, threading.Lock()  # coordinates by grid
INSTANT = (0, 1, 2, 5, 6, 7, 15)


def is_grib(start):
    return start[:4] == b"GRIB"


def scan(head, options):
    source = Source(head.name, stamp_of(head.name), attrs={"": {"Conventions": "CF-1.8"}})
    fields = list(messages(head))
    grids = {field["grid"] for field in fields}
    if len(grids) != 1:
        raise Refused(f"{head.name}: messages with {len(grids)} grids; grib_copy writes files with one grid each")
    axes = axes_of(head.name, grids.pop(), fields[0])
    times = sorted({field["time"] for field in fields})
    add_constant(source, "time", np.array(times, "<i8"), ("time",), {"units": "seconds since 1970-01-01",
                 "standard_name": "time", "calendar": "proleptic_gregorian"})  # fmt: skip
    for name, (values, attrs) in axes.items():
        add_constant(source, name, values, (name,) if values.ndim else (), attrs)
    dims = ("time", *(name for name in axes if name != "spatial_ref"))
    shape = (len(times), *(len(axes[name][0]) for name in dims[1:]))
    for field in fields:
        array = source.arrays.get(field["name"])
        if array is None:
            array = source.arrays[field["name"]] = empty(field, dims, shape)
        step = times.index(field["time"])
        if array.lengths[step]:
            raise Refused(f"{head.name}: two messages of {field['name']} for {np.datetime64(field['time'], 's')}; grib_copy -w "
                          "writes files with one of them, such as one member of an ensemble")  # fmt: skip
        array.offsets[step], array.lengths[step] = field["offset"], field["length"]
    return source


def empty(field, dims, shape):
    attrs = {"GRIB_discipline": field["parameter"][0],
             "GRIB_parameterCategory": field["parameter"][1], "GRIB_parameterNumber": field["parameter"][2],
             "GRIB_typeOfFirstFixedSurface": field["surface"], "_FillValue": float("nan")}  # fmt: skip
    if "x" in dims:
        attrs.update(grid_mapping="spatial_ref", coordinates="spatial_ref")
    filters = [{"id": "grib", "var": field["name"], "dtype": "float64"}]
    array = Array(dims, shape, (1, *shape[1:]), "<f8", None, filters, float("nan"), attrs)
    array.offsets, array.lengths = np.zeros(shape[0], "u8"), np.zeros(shape[0], "u8")
    return array


def add_constant(source, name, values, dims, attrs):
    array = Array(dims, values.shape, values.shape, values.dtype.newbyteorder("<").str, attrs=attrs)
    array.offsets = array.lengths = np.zeros(1, "u8")
    array.values, array.inline = values, {0: values.tobytes()}
    source.arrays[name] = array


def axes_of(name, grid, field):
    """Returns {name: (values, attributes)} of the coordinates, rows first, in the order of the message; and spatial_ref."""
    if grid[0] == 0:
        _, ni, nj, la1, lo1, la2, lo2 = grid
        return {"latitude": (np.linspace(la1, la2, nj), {"units": "degrees_north", "standard_name": "latitude"}),
                "longitude": (np.linspace(lo1, lo2, ni), {"units": "degrees_east", "standard_name": "longitude"})}  # fmt: skip
    with LOCK:
        if grid not in PROJECTED:
            if len(PROJECTED) >= MOST_GRIDS:
                PROJECTED.clear()
            PROJECTED[grid] = projected_axes(name, grid, field)
        return PROJECTED[grid]


def projected_axes(name, grid, field):
    """GDAL's driver tells where the grid is. It shows the northernmost row first, whatever the order in the message."""
    _, ni, nj, is_south_first, _ = grid
    dataset = gdal.OpenEx(f"/vsisubfile/{field['offset']}_{field['length']},{name}", gdal.OF_RASTER, allowed_drivers=["GRIB"])
    if dataset is None:
        raise Refused(f"{name}: its grid needs GDAL's driver GRIB, which cannot open it: {gdal.GetLastErrorMsg()}")
    at, crs = dataset.GetGeoTransform(can_return_null=True), dataset.GetSpatialRef()
    if at is None or at[2] or at[4] or crs is None or (dataset.RasterXSize, dataset.RasterYSize) != (ni, nj):
        raise Refused(f"{name}: GDAL does not tell where the grid of its messages is")
    sample = written_by_driver(crs, at)
    x, y = at[0] + at[1] * (np.arange(ni) + 0.5), at[3] + at[5] * (np.arange(nj) + 0.5)
    return {"y": (y[::-1] if is_south_first else y, sample.get("y", {})), "x": (x, sample.get("x", {})),
            "spatial_ref": (np.array(0, "<i4"), sample["spatial_ref"])}  # fmt: skip


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
        found[number] = bytes(head.get(at, min(size, 256))) if number in (1, 3, 4) else b""
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
    if template not in SCANNING:
        raise Refused(f"{name}: the grid template 3.{template}{GRIDS.get(template, '')}; zarr_cube indexes grids of longitude and "
                      "latitude (3.0), Mercator (3.10), polar stereographic (3.20), Lambert conformal (3.30) and Lambert "
                      "azimuthal equal-area (3.140). gdalwarp -t_srs EPSG:4326 makes another file")  # fmt: skip
    ni, nj = struct.unpack(">2I", section[30:38])
    scanning = section[SCANNING[template]]
    if not (0 < ni and 0 < nj and ni * nj < MOST_POINTS) or scanning & ~0x40:
        raise Refused(f"{name}: a grid of {ni} x {nj} points with scanning mode {scanning}; rows from west to east are read")
    if template != 0:
        return template, ni, nj, bool(scanning & 0x40), section
    basic, parts, la1, lo1 = struct.unpack(">4I", section[38:54])
    la2, lo2 = struct.unpack(">2I", section[55:63])
    unit = 1e-6 if basic in (0, 0xFFFFFFFF) else basic / parts
    la1, lo1, la2, lo2 = (signed(number) * unit for number in (la1, lo1, la2, lo2))
    return template, ni, nj, la1, lo1 - 360 if lo2 < lo1 else lo1, la2, lo2


def product_of(name, discipline, identification, section):
    template, category, number = struct.unpack(">HBB", section[7:11])
    year, *rest = struct.unpack(">H5B", identification[12:19])
    time, process = datetime.datetime(year, *rest), None
    if template in STATISTICAL:
        year, *rest = struct.unpack(">H5B", section[STATISTICAL[template] : STATISTICAL[template] + 7])
        time, process = datetime.datetime(year, *rest), section[STATISTICAL[template] + 12]
    elif template in INSTANT:
        unit, forecast = struct.unpack(">BI", section[17:22])
        if unit not in UNITS:
            raise Refused(f"{name}: forecast times in the unit {unit}")
        time += datetime.timedelta(seconds=signed(forecast) * UNITS[unit])
    else:
        raise Refused(f"{name}: the product template 4.{template}")
    surface, factor, value = struct.unpack(">BBI", section[22:28])
    level = signed(value) / 10.0 ** signed(factor, 8) if value != 0xFFFFFFFF and factor != 0xFF else None
    parameter = discipline, category, number
    return {"name": name_of(parameter, surface, level, process), "parameter": parameter, "surface": surface,
            "time": int((time - datetime.datetime(1970, 1, 1)).total_seconds())}  # fmt: skip


def name_of(parameter, surface, level, process):
    known = NAMES.get((*parameter, surface, level or 0, process))
    if known:
        return known
    name = ELEMENTS.get(parameter, "var{}_{}_{}".format(*parameter))
    if surface == 100 and process is None:
        name = PRESSURE_NAMES.get(parameter, name)
    end = "" if process is None else "_" + PROCESSES.get(process, f"process{process}")
    return f"{name}_{level_name(surface, level)}{end}"


def level_name(surface, level):
    if surface == 1:
        return "surface"
    if surface == 100 and level is not None:
        return f"{level / 100:g}hPa"
    if surface == 103 and level is not None:
        return f"{level:g}m"
    return f"level{surface}" + (f"_{level:g}" if level else "")
