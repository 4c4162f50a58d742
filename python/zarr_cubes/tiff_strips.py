# SPDX-License-Identifier: MIT
"""The last strip of a TIFF image has fewer rows than the others, and chunks of Zarr are all equal. The references hold a
copy of that strip with rows of padding. Its bytes are stored by the image's codec in the form that compresses nothing."""

import lzma
import zlib

import numpy as np
from osgeo import gdal

from zarr_cubes.model import Refused


def complete(name, array, level):
    """Adds the last strip of each plane to `array.inline`, if it is short and not sparse."""
    axis = array.dims.index("y")
    rows, height = array.chunks[axis], array.shape[axis]
    if height % rows == 0:
        return
    last = np.arange(len(array.lengths)).reshape(array.grid).take(-1, axis=axis).ravel()
    for plane, chunk in enumerate(last):
        if array.lengths[chunk]:
            pixels = read_rows(name, level, array, plane, height - height % rows)
            array.inline[int(chunk)] = stored(name, array, pixels)
            array.lengths[chunk] = 0


def read_rows(name, level, array, plane, first):
    """Returns a strip's pixels, padded, with the axes of the file: rows, columns, samples."""
    dataset = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["GTiff"])
    if dataset is None:
        raise Refused(f"{name}: GDAL cannot open it: {gdal.GetLastErrorMsg()}")
    numbers = range(dataset.RasterCount) if array.dims[-1] == "band" else [plane]
    block = []
    for number in numbers:
        band = dataset.GetRasterBand(number + 1)
        band = band if level == 0 else band.GetOverview(level - 1)
        if band is None or (band.YSize, band.XSize) != (array.shape[array.dims.index("y")], array.shape[array.dims.index("x")]):
            raise Refused(f"{name}: GDAL shows other overviews than the file has; --no-overviews leaves overviews out")
        values = band.ReadAsArray(0, first, band.XSize, band.YSize - first)
        if values is None:
            raise Refused(f"{name}: the last strip cannot be read: {gdal.GetLastErrorMsg()}")
        rows = array.chunks[array.dims.index("y")]
        block.append(np.pad(values, ((0, rows - len(values)), (0, 0))))
    return np.stack(block, axis=-1).astype(array.dtype)


def stored(name, array, pixels):
    for codec in array.filters or ():
        pixels = predicted(codec["id"], array.dtype, pixels)
    data = pixels.tobytes()
    codec = (array.compressor or {"id": None})["id"]
    if codec not in ENCODERS:
        raise Refused(f"{name}: the last strip is short, and zarr_cube does not write {codec}; gdal_translate -of COG makes "
                      "a file with tiles")  # fmt: skip
    return ENCODERS[codec](data)


def predicted(codec, dtype, pixels):
    if codec == "imagecodecs_delta":
        whole = pixels.view(np.dtype(dtype).str.replace("i", "u"))
        return np.concatenate([whole[:, :1], whole[:, 1:] - whole[:, :-1]], axis=1).astype(whole.dtype)
    # TIFF Technical Note 3: the bytes of a row of floats by significance, then differences of pixels
    rows, columns, samples = pixels.shape
    planes = pixels.astype(np.dtype(dtype).newbyteorder(">")).view("u1").reshape(rows, columns * samples, -1)
    row = planes.transpose(0, 2, 1).reshape(rows, -1, samples)
    return np.concatenate([row[:, :1], row[:, 1:] - row[:, :-1]], axis=1).astype("u1")


def lzw(data):
    """TIFF 6.0, section 13. A clear code before each 254 bytes keeps codes at nine bits, which is valid LZW."""
    codes = []
    for start in range(0, len(data), 250):
        codes += [256, *data[start : start + 250]]
    codes.append(257)
    bits = (np.array(codes)[:, None] >> np.arange(8, -1, -1)) & 1
    return np.packbits(bits.astype("u1").ravel()).tobytes()


def packbits(data):
    parts = (data[at : at + 128] for at in range(0, len(data), 128))
    return b"".join(bytes([len(part) - 1]) + part for part in parts)


def zstd(data):
    """RFC 8878: a frame with its size, and blocks that are not compressed."""
    frame = [b"\x28\xb5\x2f\xfd\xe0", len(data).to_bytes(8, "little")]
    for at in range(0, max(len(data), 1), 1 << 17):
        part = data[at : at + (1 << 17)]
        is_last = at + (1 << 17) >= len(data)
        frame += [(len(part) << 3 | is_last).to_bytes(3, "little"), part]
    return b"".join(frame)


ENCODERS = {None: bytes, "zlib": zlib.compress, "imagecodecs_lzw": lzw, "imagecodecs_packbits": packbits, "zstd": zstd,
            "lzma": lzma.compress}  # fmt: skip
