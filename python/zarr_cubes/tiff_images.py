# SPDX-License-Identifier: MIT
"""Tiles of a TIFF image that are image files: JPEG (TIFF Technical Note 2), WebP and JPEG XL. The codecs and their members are
those of the package imagecodecs, as in the references of tifffile and kerchunk."""

import base64

from osgeo import gdal

from zarr_cubes import tiff_header as tags
from zarr_cubes.model import Refused

# format, GDAL's driver that decodes it, and numbers of samples in a tile, by the tag Compression
FORMATS = {7: ("JPEG", "JPEG", (1, 3)), 50001: ("WebP", "WEBP", (3, 4)), 50002: ("JPEG XL", "JPEGXL", (1, 2, 3, 4)),
           52546: ("JPEG XL", "JPEGXL", (1, 2, 3, 4))}  # fmt: skip
JPEG_COLOURS = {0: "GRAYSCALE", 1: "GRAYSCALE", 2: "RGB", 6: "YCBCR"}  # by PhotometricInterpretation
REMEDY = "gdal_translate -of COG -co COMPRESS=DEFLATE makes a file that has another"


def compressor_of(name, page, array):
    number, photometric = int(page[tags.COMPRESSION][0]), page.get(tags.PHOTOMETRIC)
    what, driver, allowed = FORMATS[number]
    samples = array.chunks[-1] if array.dims[-1] == "band" else 1
    if gdal.GetDriverByName(driver) is None:
        raise Refused(f"{name}: compression {what} needs GDAL's driver {driver}, which is absent; {REMEDY}")
    if array.dtype != "|u1" and (what != "JPEG XL" or array.dtype[1:] != "u2"):
        raise Refused(f"{name}: compression {what} with data type {array.dtype}; {REMEDY}")
    if samples not in allowed:
        raise Refused(f"{name}: tiles with compression {what} of {samples} bands, which the codec does not decode; {REMEDY}")
    if what == "WebP":
        return {"id": "imagecodecs_webp", "hasalpha": samples == 4}
    if what == "JPEG XL":
        return {"id": "imagecodecs_jpegxl"}
    return jpeg(name, page, int(photometric[0]) if photometric is not None else 1, samples)


def jpeg(name, page, photometric, samples):
    colours = "GRAYSCALE" if samples == 1 else JPEG_COLOURS.get(photometric)
    if samples == 1 and photometric == 6 or samples == 3 and colours == "GRAYSCALE":
        # Technical Note 2: the components are the samples as they are
        colours = "GRAYSCALE" if samples == 1 else "RGB"
    if colours is None:
        raise Refused(f"{name}: compression JPEG with PhotometricInterpretation {photometric}; {REMEDY}")
    codec = {"id": "imagecodecs_jpeg", "colorspace_jpeg": colours, "colorspace_data": "RGB" if samples == 3 else colours}
    tables = page.get(tags.JPEG_TABLES)
    if tables is not None:
        codec["tables"] = base64.b64encode(tables.tobytes()).decode()
    return codec
