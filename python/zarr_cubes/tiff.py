# SPDX-License-Identifier: MIT
"""A TIFF file as arrays of references: TIFF 6.0, its technical notes on predictors, and GDAL's GeoTIFF and COG pages."""

import json
import math
import re

import numpy as np

from zarr_cubes import tiff_header as tags
from zarr_cubes import tiff_images, tiff_strips
from zarr_cubes.files import stamp_of
from zarr_cubes.model import Array, Refused, Source

KINDS = {1: "u", 2: "i", 3: "f", 6: "c"}
COMPRESSORS = {1: None, 5: {"id": "imagecodecs_lzw"}, 8: {"id": "zlib"}, 32946: {"id": "zlib"}, 50000: {"id": "zstd"},
               32773: {"id": "imagecodecs_packbits"}, 34925: {"id": "lzma"}, 34887: {"id": "imagecodecs_lerc"}}  # fmt: skip
NAMES = {2: "CCITT RLE", 3: "CCITT FAX3", 4: "CCITT FAX4", 6: "old JPEG", 34712: "JPEG 2000"}
CONVERTED = {5: "CMYK", 6: "YCbCr", 8: "CIE L*a*b*", 9: "ICC L*a*b*", 10: "ITU L*a*b*"}  # PhotometricInterpretation
LERC_WITHIN = {0: None, 1: "deflate", 2: "zstd"}
MOST_PIXELS = 1 << 31  # along an axis, as in GDAL


def scan(head, options):
    """Returns the Source of a TIFF file. One read of some KB is enough if the directories come first, as in a COG."""
    name = head.name
    directories = tags.Directories(head)
    pages = pages_of(name, directories.pages, options)
    source = Source(name, stamp_of(name), is_raster=True)
    first = pages[0]
    source.place, source.notes, nodata = facts_of(first)
    fill = None
    for level, page in enumerate(pages):
        array = array_of(name, page, directories.order)
        if level == 0:
            fill = nodata_of(nodata, array.dtype)
        array.fill = fill
        if fill is None and nodata.strip() and not np.all(array.lengths):
            raise Refused(f"{name}: tiles that are absent have the nodata value {nodata.strip()}, which {array.dtype} does not have; "
                          "gdal_translate -a_nodata makes a file with another")  # fmt: skip
        if tags.TILE_WIDTH not in page:
            tiff_strips.complete(name, array, level)
        path = path_of(level, pages, options.name)
        if path in source.arrays:
            raise Refused(f"{name}: two overviews of one size, {path}; --no-overviews leaves overviews out")
        source.arrays[path] = array
    check_ends(source, head.size)
    return source


def pages_of(name, pages, options):
    """Returns the directory of the image and those of its overviews, in the order of the file, which is GDAL's."""
    kinds = [number_of(page, tags.SUBFILE, 0) for page in pages]
    if any(kind & 4 for kind in kinds) and not options.ignore_masks:
        raise Refused(f"{name}: the mask of 1 bit in this file has no form in Zarr; --ignore-masks leaves it out, and "
                      "gdal_translate -b 1 -mask none makes a file without it")  # fmt: skip
    images = [page for page, kind in zip(pages, kinds) if not kind & 5]
    if len(images) != 1:
        raise Refused(f"{name}: {len(images)} images in one file; write each to a file of its own (gdal_translate GTIFF_DIR:1:...)")
    levels = [page for page, kind in zip(pages, kinds) if kind & 5 == 1]
    widths = [number_of(page, tags.WIDTH, 0) + number_of(page, tags.LENGTH, 0) for page in images + levels]
    if not options.no_overviews and any(b >= a for a, b in zip(widths, widths[1:])):
        raise Refused(f"{name}: its overviews are not in the order of their size; --no-overviews leaves overviews out")
    return images if options.no_overviews else images + levels


def path_of(level, pages, name):
    if level == 0:
        return name
    ratio = number_of(pages[0], tags.WIDTH, 1) / max(number_of(pages[level], tags.WIDTH, 1), 1)
    return f"ovr_{max(round(ratio), 1)}x/{name}"


def number_of(page, tag, otherwise):
    values = page.get(tag)
    return int(values[0]) if values is not None and len(values) else otherwise


def text_of(page, tag):
    return page.get(tag, b"").split(b"\0")[0].decode("utf-8", "replace")


def time_of(text):
    """Returns a TIFF date and time, 2024:05:01 10:20:30, as ISO 8601; an empty text if there is none."""
    found = re.fullmatch(r"\s*(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d:\d\d:\d\d)\s*", text)
    return "{}-{}-{}T{}".format(*found.groups()) if found else ""


MEMO = {}  # what equal directories give; cleared when it has MOST_KEPT entries
MOST_KEPT = 256


def kept(what, page, make):
    """Returns what `make` returns, which is called once for equal directories."""
    key = (what, page[tags.KEY])
    found = MEMO.get(key)
    if found is None:
        if len(MEMO) >= MOST_KEPT:
            MEMO.clear()
        found = MEMO[key] = make()
    return found


def facts_of(page):
    """Returns the place, the notes, and the text of the nodata value."""

    def make():
        notes = {"metadata": text_of(page, tags.GDAL_METADATA), "time": time_of(text_of(page, tags.DATE_TIME)),
                 "colours": page[tags.COLOR_MAP].tobytes().hex() if tags.COLOR_MAP in page else "",
                 "photometric": number_of(page, tags.PHOTOMETRIC, 1),
                 "extra": [int(kind) for kind in page.get(tags.EXTRA, ())]}  # fmt: skip
        return (transform_of(page), geo_keys(page)), notes, text_of(page, tags.GDAL_NODATA)

    return kept("facts", page, make)


def array_of(name, page, order):
    form = kept("array", page, lambda: form_of(name, page, order))
    array = Array(form.dims, form.shape, form.chunks, form.dtype, form.compressor, form.filters)
    count = math.prod(form.grid)
    array.offsets, array.lengths = locations(name, page, tags.TILE_WIDTH in page, count)
    return array


def form_of(name, page, order):
    """Returns the array without the places of its chunks."""
    width, height = number_of(page, tags.WIDTH, 0), number_of(page, tags.LENGTH, 0)
    samples = number_of(page, tags.SAMPLES, 1)
    if not (0 < width < MOST_PIXELS and 0 < height < MOST_PIXELS and 0 < samples <= 65535):
        raise Refused(f"{name}: an image of {width} x {height} pixels and {samples} bands")
    tiled = tags.TILE_WIDTH in page
    if tiled:
        block = number_of(page, tags.TILE_LENGTH, 0), number_of(page, tags.TILE_WIDTH, 0)
    else:
        block = min(number_of(page, tags.ROWS_PER_STRIP, height), height), width
    if not (0 < block[0] < MOST_PIXELS and 0 < block[1] < MOST_PIXELS):
        raise Refused(f"{name}: tiles or strips of {block[1]} x {block[0]} pixels")
    if samples == 1:
        form = ("y", "x"), (height, width), block
    elif number_of(page, tags.PLANAR, 1) == 2:
        form = ("band", "y", "x"), (samples, height, width), (1, *block)
    else:
        form = ("y", "x", "band"), (height, width, samples), (*block, samples)
    array = Array(*form, dtype=dtype_of(name, page, order, samples))
    array.compressor = compressor_of(name, page, array)
    array.filters = filters_of(name, page, array)
    return array


def dtype_of(name, page, order, samples):
    bits, formats = page.get(tags.BITS, np.array([1])), page.get(tags.FORMAT, np.array([1]))
    if len(set(bits.tolist())) != 1 or len(set(formats.tolist())) != 1:
        raise Refused(f"{name}: its bands have several types; gdal_translate -ot makes a file with one")
    size, kind = int(bits[0]), KINDS.get(int(formats[0]))
    if kind is None or size not in {"u": (8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64), "c": (64, 128)}[kind]:
        raise Refused(f"{name}: samples of {size} bits and format {int(formats[0])} have no data type in Zarr; gdal_translate "
                      "-ot makes a file with one")  # fmt: skip
    if number_of(page, tags.FILL_ORDER, 1) != 1:
        raise Refused(f"{name}: the order of bits is reversed (FillOrder 2)")
    return f"{'|' if size == 8 else order}{kind}{size // 8}"


def compressor_of(name, page, array):
    number = number_of(page, tags.COMPRESSION, 1)
    photometric = number_of(page, tags.PHOTOMETRIC, 1)
    if photometric in CONVERTED and number not in tiff_images.FORMATS:
        raise Refused(f"{name}: colours are stored as {CONVERTED[photometric]}, which no codec converts; gdal_translate -of COG makes "
                      "a file with RGB")  # fmt: skip
    extra = [int(kind) for kind in page.get(tags.EXTRA, ())]
    if number == 34887 and 2 in extra and array.dims[-1] == "band":
        raise Refused(f"{name}: LERC keeps the alpha channel as a mask of its own; gdal_translate -of COG -co COMPRESS=DEFLATE makes "
                      "a file that has a codec")  # fmt: skip
    if number in tiff_images.FORMATS:
        return tiff_images.compressor_of(name, page, array)
    if number not in COMPRESSORS:
        raise Refused(f"{name}: compression {NAMES.get(number, number)} has no codec in Zarr that the readers share; "
                      "gdal_translate -of COG -co COMPRESS=DEFLATE makes a file that has one")  # fmt: skip
    compressor = COMPRESSORS[number]
    if number == 34887:
        within = page.get(tags.LERC)
        within = LERC_WITHIN.get(int(within[1]) if within is not None and len(within) > 1 else 0, "?")
        if within == "?":
            raise Refused(f"{name}: an unknown compression within LERC")
        compressor = {"id": "imagecodecs_lerc", "compression": within} if within else compressor
    return compressor


def filters_of(name, page, array):
    predictor = number_of(page, tags.PREDICTOR, 1)
    if predictor == 1 or number_of(page, tags.COMPRESSION, 1) not in (5, 8, 32946, 50000, 34925):
        return None
    if predictor not in (2, 3) or (predictor == 3) != (array.dtype[1] == "f") and predictor == 3:
        raise Refused(f"{name}: predictor {predictor} for data type {array.dtype}")
    axis = -2 if array.dims[-1] == "band" else -1
    # The members are those of kerchunk's references. A float is the integer of its bits for predictor 2.
    codec = "imagecodecs_delta" if predictor == 2 else "imagecodecs_floatpred"
    if predictor == 2 and array.dtype[1] not in "ui":
        raise Refused(f"{name}: predictor 2 for data type {array.dtype}; gdal_translate -co PREDICTOR=3 makes another file")
    return [{"axis": axis, "dist": 1, "dtype": array.dtype, "id": codec, "shape": None}]


def locations(name, page, tiled, count):
    offsets = page.get(tags.TILE_OFFSETS if tiled else tags.STRIP_OFFSETS)
    lengths = page.get(tags.TILE_COUNTS if tiled else tags.STRIP_COUNTS)
    if offsets is None or lengths is None or len(offsets) != count or len(lengths) != count:
        found = [0 if numbers is None else len(numbers) for numbers in (offsets, lengths)]
        raise Refused(f"{name}: {found[0]} offsets and {found[1]} byte counts for {count} {'tiles' if tiled else 'strips'}")
    offsets, lengths = offsets.astype(np.uint64), lengths.astype(np.uint64)
    lengths[offsets == 0] = 0
    return offsets, lengths


def check_ends(source, size):
    """Refuses a local file that ends before its tiles do."""
    for array in source.arrays.values():
        if size is not None and len(array.offsets):
            ends = array.offsets + array.lengths
            if int(ends.max()) > size or np.any(ends < array.offsets):
                raise Refused(f"{source.name}: the file has {size} bytes, and tiles at {int(ends.max())}; copy it again")


def nodata_of(text, dtype):
    """Returns the nodata value as a number of the data type; None if there is none or the type does not have it."""
    text, kind = text.strip(), np.dtype(dtype).kind
    if not text or kind == "c":
        return None
    try:
        if kind == "f":
            return float(text)
        number = int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
        limits = np.iinfo(dtype)
        return int(number) if number == int(number) and limits.min <= number <= limits.max else None
    except (ValueError, OverflowError):
        return None


def transform_of(page):
    """Returns GDAL's geotransform; None without one. Points are moved by half a pixel, as GDAL does."""
    scale, tie, matrix = (page.get(tag) for tag in (tags.SCALE, tags.TIEPOINT, tags.TRANSFORMATION))
    if scale is not None and len(scale) >= 2 and tie is not None and len(tie) >= 6 and scale[0] and scale[1]:
        dx, dy = float(scale[0]), -abs(float(scale[1]))
        at = [float(tie[3]) - float(tie[0]) * dx, dx, 0.0, float(tie[4]) - float(tie[1]) * dy, 0.0, dy]
    elif matrix is not None and len(matrix) == 16:
        at = [float(matrix[i]) for i in (3, 0, 1, 7, 4, 5)]
    else:
        return None
    if is_point(page):
        at[0] -= (at[1] + at[2]) / 2
        at[3] -= (at[4] + at[5]) / 2
    return at


def keys_of(page):
    """Returns {key: number} of the GeoKeys that are numbers of 16 bits."""
    words = page.get(tags.GEO_KEYS)
    if words is None or len(words) < 4:
        return {}
    rows = words[4 : 4 + 4 * min(int(words[3]), len(words) // 4 - 1)].reshape(-1, 4)
    return {int(key): int(value) for key, place, _, value in rows if place == 0}


def is_point(page):
    return keys_of(page).get(1025) == 2


def geo_keys(page):
    """Returns a text that is equal for files with equal GeoKeys."""
    words, numbers = page.get(tags.GEO_KEYS), page.get(tags.GEO_DOUBLES)
    return json.dumps([[] if words is None else words.tolist(), [] if numbers is None else numbers.tolist(),
                       page.get(tags.GEO_TEXTS, b"").decode("latin-1")])  # fmt: skip
