# SPDX-License-Identifier: MIT
"""zarr_cube references the tiles of TIFF files that are JPEG and WebP images. GDAL's driver GTiff reads the expected pixels."""

import json

import numpy as np
import pytest
from osgeo import gdal
from zarr_cube_files import assert_equal, cube, refused, tiff

TILES = ["TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"]
# options of GTiff and the number of bands
FORMS = {
    "jpeg-grey": (["COMPRESS=JPEG"], 1),
    "jpeg-rgb": (["COMPRESS=JPEG", "PHOTOMETRIC=RGB", "INTERLEAVE=PIXEL"], 3),
    "jpeg-ycbcr": (["COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", "INTERLEAVE=PIXEL"], 3),
    "jpeg-of-three-grey-bands": (["COMPRESS=JPEG", "PHOTOMETRIC=MINISBLACK", "INTERLEAVE=PIXEL"], 3),
    "jpeg-planes": (["COMPRESS=JPEG", "INTERLEAVE=BAND"], 4),
    "jpeg-tables-in-tiles": (["COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", "INTERLEAVE=PIXEL", "JPEGTABLESMODE=0"], 3),
    "jpeg-huffman-tables": (["COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", "INTERLEAVE=PIXEL", "JPEGTABLESMODE=3", "JPEG_QUALITY=50"], 3),
    "webp-rgb": (["COMPRESS=WEBP", "INTERLEAVE=PIXEL"], 3),
    "webp-rgba": (["COMPRESS=WEBP", "INTERLEAVE=PIXEL"], 4),
    "webp-lossless": (["COMPRESS=WEBP", "INTERLEAVE=PIXEL", "WEBP_LOSSLESS=YES"], 4),
}  # fmt: skip


def smooth(bands, seed=0, shape=(70, 90)):
    y, x = np.mgrid[: shape[0], : shape[1]]
    return np.stack([(y * (2 + band) + x * 2 + 9 * seed + 40 * band) % 256 for band in range(bands)]).astype("u1")


def scene(path, name, seed=0, more=(), overviews=(2,), tiles=TILES):
    options, bands = FORMS[name]
    return tiff(path, smooth(bands, seed), [*tiles, *options, *more], overviews=overviews)


def requires(name):
    if name.startswith("webp") and "WEBP" not in gdal.GetDriverByName("GTiff").GetMetadataItem("DMD_CREATIONOPTIONLIST"):
        pytest.skip("GDAL's driver GTiff lacks WebP")


@pytest.mark.parametrize("output", ["x.json", "x.parq"])
@pytest.mark.parametrize("name", FORMS)
def test_pixels_are_those_of_gdal(tmp_path, name, output):
    requires(name)
    files = [scene(tmp_path / f"a_2024050{day}.tif", name, day) for day in (1, 2)]
    text = cube(tmp_path / output, *files, "--check", "20", "--quiet")
    assert "20 blocks compared with the files: none differ" in text
    assert_equal(tmp_path / output, files)


def test_whole_strips(tmp_path):
    values = smooth(3, shape=(64, 90))
    file = tiff(tmp_path / "a.tif", values, ["COMPRESS=JPEG", "PHOTOMETRIC=YCBCR", "INTERLEAVE=PIXEL", "BLOCKYSIZE=16"])
    cube(tmp_path / "x.json", file, "--quiet")
    assert_equal(tmp_path / "x.json", [file])


def test_codec_of_references(tmp_path):
    cube(tmp_path / "x.json", scene(tmp_path / "a.tif", "jpeg-ycbcr"), "--quiet")
    codec = json.loads(json.loads((tmp_path / "x.json").read_text())["refs"]["data/.zarray"])["compressor"]
    tables = codec.pop("tables")
    assert codec == {"id": "imagecodecs_jpeg", "colorspace_jpeg": "YCBCR", "colorspace_data": "RGB"}
    assert tables.startswith("/9j/")


def test_files_of_another_quality_are_not_joined(tmp_path):
    files = [scene(tmp_path / f"a_2024050{day}.tif", "jpeg-grey", day, [f"JPEG_QUALITY={60 + 10 * day}"]) for day in (1, 2)]
    line = refused(tmp_path / "x.json", *files)
    assert "have another set of JPEG tables, which follow from its JPEG_QUALITY" in line and len(line) < 500


@pytest.mark.parametrize("options, bands, told", [
    (["COMPRESS=JPEG", "INTERLEAVE=PIXEL"], 4, "tiles with compression JPEG of 4 bands"),
    (["COMPRESS=JPEG", "INTERLEAVE=PIXEL"], 2, "tiles with compression JPEG of 2 bands"),
])  # fmt: skip
def test_refusals(tmp_path, options, bands, told):
    line = refused(tmp_path / "x.json", tiff(tmp_path / "a.tif", smooth(bands), [*TILES, *options]))
    assert told in line and "gdal_translate" in line


def test_short_last_strip_is_refused(tmp_path):
    file = tiff(tmp_path / "a.tif", smooth(1), ["COMPRESS=JPEG", "BLOCKYSIZE=16"])
    assert "the last strip is short, and zarr_cube does not write imagecodecs_jpeg" in refused(tmp_path / "x.json", file)


def test_jpeg_xl_needs_its_driver(tmp_path):
    file = scene(tmp_path / "a.tif", "jpeg-grey", overviews=())
    data = file.read_bytes()
    at = data.index(b"\x03\x01\x03\x00\x01\x00\x00\x00\x07\x00")  # the tag Compression, with the number of JPEG
    file.write_bytes(data[: at + 8] + (50002).to_bytes(2, "little") + data[at + 10 :])
    line = refused(tmp_path / "x.json", file)
    absent = gdal.GetDriverByName("JPEGXL") is None
    assert ("compression JPEG XL needs GDAL's driver JPEGXL, which is absent" if absent else "GDAL cannot open it") in line
