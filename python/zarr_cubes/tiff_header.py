# SPDX-License-Identifier: MIT
"""Image file directories of TIFF 6.0 and BigTIFF, in both byte orders. All counts are bounded by the file's bytes, by
tiff_header.MOST_DIRECTORIES and by files.MOST_BYTES; a chain of directories that returns to itself is refused."""

import functools
import struct

import numpy as np

from zarr_cubes.model import Refused

MOST_DIRECTORIES = 1024
MOST_ENTRIES = 4096
# size of a value and NumPy's type, by the number of the TIFF type; rationals are pairs
TYPES = {1: "u1", 2: "S1", 3: "u2", 4: "u4", 5: "u4", 6: "i1", 7: "u1", 8: "i2", 9: "i4", 10: "i4", 11: "f4", 12: "f8",
         13: "u4", 16: "u8", 17: "i8", 18: "u8"}  # fmt: skip
SIZES = {number: int(kind[1:]) * (2 if number in (5, 10) else 1) for number, kind in TYPES.items()}

SUBFILE, WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 254, 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, SAMPLES, ROWS_PER_STRIP, STRIP_COUNTS, PLANAR, DATE_TIME, PREDICTOR = 273, 277, 278, 279, 284, 306, 317
COLOR_MAP, TILE_WIDTH, TILE_LENGTH, TILE_OFFSETS, TILE_COUNTS, EXTRA, FORMAT = 320, 322, 323, 324, 325, 338, 339
JPEG_TABLES = 347
SCALE, TIEPOINT, TRANSFORMATION, GEO_KEYS, GEO_DOUBLES, GEO_TEXTS = 33550, 33922, 34264, 34735, 34736, 34737
GDAL_METADATA, GDAL_NODATA, LERC = 42112, 42113, 50674
WANTED = frozenset((SUBFILE, WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, STRIP_OFFSETS, SAMPLES,
                    ROWS_PER_STRIP, STRIP_COUNTS, PLANAR, DATE_TIME, PREDICTOR, COLOR_MAP, TILE_WIDTH, TILE_LENGTH,
                    TILE_OFFSETS, TILE_COUNTS, EXTRA, FORMAT, JPEG_TABLES, SCALE, TIEPOINT, TRANSFORMATION, GEO_KEYS, GEO_DOUBLES,
                    GEO_TEXTS, GDAL_METADATA, GDAL_NODATA, LERC))  # fmt: skip
PLACES = frozenset((STRIP_OFFSETS, STRIP_COUNTS, TILE_OFFSETS, TILE_COUNTS))
KEY = "key"
TEXTS = (DATE_TIME, GDAL_METADATA, GDAL_NODATA, GEO_TEXTS)


def is_tiff(start):
    return start[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


class Directories:
    """The directories of a file, as a list `pages` of {tag: NumPy array, or bytes for texts}, and the byte order."""

    def __init__(self, head):
        self.head = head
        start = head.get(0, 8)
        if not is_tiff(start):
            raise Refused(f"{head.name}: no TIFF file")
        self.order = "<" if start[:2] == b"II" else ">"
        self.is_big = start[2:4] in (b"+\0", b"\0+")
        if self.is_big:
            size, zero, offset = struct.unpack(self.order + "HHQ", head.get(4, 12))
            if size != 8 or zero != 0:
                raise Refused(f"{head.name}: BigTIFF with offsets of {size} bytes")
            self.forms = struct.Struct(self.order + "Q"), struct.Struct(self.order + "HHQ8s"), struct.Struct(self.order + "Q")
        else:
            (offset,) = struct.unpack(self.order + "I", start[4:8])
            self.forms = struct.Struct(self.order + "H"), struct.Struct(self.order + "HHI4s"), struct.Struct(self.order + "I")
        self.pages = []
        self._read_chain(offset)

    def _read_chain(self, offset):
        seen = set()
        while offset:
            if offset in seen:
                raise Refused(f"{self.head.name}: a chain of directories that has no end")
            if len(seen) == MOST_DIRECTORIES:
                raise Refused(f"{self.head.name}: more than {MOST_DIRECTORIES} directories")
            seen.add(offset)
            page, offset = self._read_page(offset)
            self.pages.append(page)
        if not self.pages:
            raise Refused(f"{self.head.name}: no image")

    def _read_page(self, offset):
        count_form, entry_form, next_form = self.forms
        (count,) = count_form.unpack(self.head.get(offset, count_form.size))
        if count > MOST_ENTRIES:
            raise Refused(f"{self.head.name}: a directory of {count} entries; at most {MOST_ENTRIES} are read")
        table = self.head.get(offset + count_form.size, count * entry_form.size + next_form.size)
        facts, places = [], {}
        for tag, kind, number, value in entry_form.iter_unpack(table[: -next_form.size]):
            if tag in WANTED and kind in TYPES and number:
                value = self._bytes(kind, number, value)
                if tag in PLACES:
                    places[tag] = np.frombuffer(value, self.order + TYPES[kind])
                else:
                    facts.append((tag, kind, value))
        page = decoded(self.order, tuple(facts))
        return {**page, **places}, next_form.unpack(table[-next_form.size :])[0]

    def _bytes(self, kind, number, value):
        size = SIZES[kind] * number
        if size <= len(value):
            return value[:size]
        (at,) = self.forms[2].unpack(value)
        return self.head.get(at, size)


@functools.lru_cache(maxsize=256)
def decoded(order, facts):
    """Returns the values of a directory by tag, without the places of tiles. Files of one series have equal directories,
    so that most are decoded once. The member KEY is equal for equal directories."""
    page = {tag: value if tag in TEXTS else np.frombuffer(value, order + TYPES[kind]) for tag, kind, value in facts}
    page[KEY] = (order, facts)
    return page
