# SPDX-License-Identifier: MIT
"""Chunks that are image files, as imagecodecs writes them, which GDAL's drivers decode: JPEG, JPEG 2000, PNG and WebP."""

import concurrent.futures
import json
import os
import random
import struct
import subprocess
import sys
import textwrap
import zlib

import numpy as np
import pytest
from osgeo import gdal
from zarr_child import attempts
from zarr_gdal import config_options, error_log, error_of, read_array
from zarr_references import run, write_by, write_json
from zarr_store import handmade

GREY, RGB, RGBA = [40, 48], [40, 48, 3], [40, 48, 4]


def case(codec, dtype, shape, largest=0, **options):
    """Describes an image. `largest` is the largest difference between the pixels of GDAL and those of imagecodecs."""
    return {"configuration": {"id": f"imagecodecs_{codec}", **options}, "dtype": dtype, "shape": shape, "largest": largest}


CASES = {
    "jpeg-grey": case("jpeg", "u1", GREY, 1),
    "jpeg-rgb": case("jpeg", "u1", RGB, 1, level=95, subsampling="444"),
    "jpeg-subsampled": case("jpeg", "u1", RGB, 1, level=75, subsampling="420"),
    "jpeg-stored-rgb": case("jpeg", "u1", RGB, 1, colorspace_data=2, colorspace_jpeg=2),
    "jpeg-named-colours": case("jpeg", "u1", RGB, 1, colorspace_data="RGB", colorspace_jpeg="YCBCR"),
    "png-grey": case("png", "u1", GREY),
    "png-rgb": case("png", "u1", RGB, level=9),
    "png-rgba": case("png", "u1", RGBA),
    "png-grey-alpha": case("png", "u1", [40, 48, 2]),
    "png-grey-16": case("png", "u2", GREY),
    "png-rgb-16": case("png", "u2", RGB),
    "webp-rgb": case("webp", "u1", RGB, lossless=True),
    "webp-rgba": case("webp", "u1", RGBA, lossless=True),
    "webp-lossy": case("webp", "u1", RGB, 2, level=80),
    "jpeg2k-grey": case("jpeg2k", "u1", GREY, codecformat="j2k"),
    "jpeg2k-file": case("jpeg2k", "u1", RGB, codecformat="jp2"),
    "jpeg2k-rgb": case("jpeg2k", "u1", RGB, codecformat="j2k"),
    "jpeg2k-16": case("jpeg2k", "u2", GREY, codecformat="j2k"),
    "jpeg2k-signed": case("jpeg2k", "i2", GREY, codecformat="j2k"),
    "jpeg2k-12-bits": case("jpeg2k", "u2", GREY, codecformat="j2k", bitspersample=12),
    "jpeg2k-planar": case("jpeg2k", "u1", [3, 40, 48], codecformat="j2k", planar=True),
    "jpeg2k-lossy": case("jpeg2k", "u1", RGB, 1, codecformat="j2k", level=40, reversible=False),
}  # fmt: skip


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """Returns a function from the name of a case to the bytes of its image, and the pixels that imagecodecs decodes."""
    folder = tmp_path_factory.mktemp("images")
    run({"do": "encode_images", "folder": str(folder), "cases": CASES})
    return lambda name: ((folder / f"{name}.bin").read_bytes(), np.load(folder / f"{name}.npy"))


def store_of(path, name, data, **changes):
    """Writes an array of one chunk, the image `data` of case `name`."""
    shape, dtype = CASES[name]["shape"], np.dtype(CASES[name]["dtype"]).str
    members = {"shape": shape, "chunks": shape, "dtype": dtype, "compressor": CASES[name]["configuration"]}
    members.update({"filters": None, "fill_value": 0, "order": "C", "zarr_format": 2, **changes})
    key = ".".join("0" for _ in members["shape"])
    return handmade(path, metadata=json.dumps(members), files={key: data})


def store_of_v3(path, name, data):
    """Writes an array of one chunk in Zarr v3, as virtual-tiff names codecs."""
    options = dict(CASES[name]["configuration"])
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": options.pop("id"), "configuration": options}]
    shape = CASES[name]["shape"]
    document = {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": np.dtype(CASES[name]["dtype"]).name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}}, "fill_value": 0, "codecs": codecs,
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}}, "attributes": {},
    }  # fmt: skip
    path.mkdir()
    (path / "zarr.json").write_text(json.dumps(document))
    (path / ".".join(["c", *("0" for _ in shape)])).write_bytes(data)
    return path


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", CASES)
def test_pixels_are_those_of_imagecodecs(tmp_path, images, name, version):
    data, wanted = images(name)
    got = read_array((store_of if version == 2 else store_of_v3)(tmp_path / "a.zarr", name, data))
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert np.abs(got.astype("i4") - wanted.astype("i4")).max() <= CASES[name]["largest"]


@pytest.mark.parametrize("compression", ["JPEG", "WEBP"])
@pytest.mark.parametrize("photometric", ["YCBCR", "RGB", "MINISBLACK"])
def test_tiles_of_a_tiff(tmp_path, compression, photometric):
    """kerchunk's references state the tables and the colours of JPEG tiles. GDAL reads the same file."""
    if compression == "WEBP" and photometric != "RGB":
        return
    bands = 1 if photometric == "MINISBLACK" else 3
    path = tmp_path / "a.tif"
    options = ["TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=32", "INTERLEAVE=PIXEL"]
    dataset = gdal.GetDriverByName("GTiff").Create(
        str(path), 128, 96, bands, gdal.GDT_Byte, [*options, f"COMPRESS={compression}", f"PHOTOMETRIC={photometric}"]
    )
    y, x = np.mgrid[:96, :128]
    dataset.WriteArray(np.stack([(y * 2 + x + 30 * band) % 200 for band in range(bands)]).astype("u1"))
    dataset = None
    document = json.loads(write_by("kerchunk_tiff", tmp_path / "all.json", path).read_text())[str(path)]
    assert f"imagecodecs_{compression.lower()}" in json.dumps(document)
    got = read_array(write_json(tmp_path / "a.json", document))
    wanted = gdal.Open(str(path)).ReadAsArray()
    np.testing.assert_array_equal(got, wanted if bands == 1 else wanted.transpose(1, 2, 0))


def test_a_jpeg_2000_file_with_tiles_and_precincts(tmp_path):
    """GDAL writes a file as those of Sentinel-2 are, which the chunk contains."""
    values = (np.arange(300 * 260).reshape(300, 260) % 4000).astype("u2")
    source = gdal.GetDriverByName("MEM").Create("", 260, 300, 1, gdal.GDT_UInt16)
    source.WriteArray(values)
    options = ["QUALITY=100", "REVERSIBLE=YES", "BLOCKXSIZE=128", "BLOCKYSIZE=128", "PRECINCTS={64,64},{32,32}", "RESOLUTIONS=3"]
    path = tmp_path / "a.jp2"
    gdal.GetDriverByName("JP2OpenJPEG").CreateCopy(str(path), source, options=options)
    store = store_of(tmp_path / "a.zarr", "jpeg2k-16", path.read_bytes(), shape=[300, 260], chunks=[300, 260])
    np.testing.assert_array_equal(read_array(store), values)


def png(width, height, depth=8, colour=0, extra=b""):
    """Returns a PNG file without pixels."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = [(b"IHDR", head), *([(b"tRNS", extra)] if extra else []), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("name, change, told", [
    ("png-grey", lambda data: png(48, 41), "the PNG image has the shape [41, 48, 1], the chunk [40, 48]"),
    ("png-grey", lambda data: png(2**31 - 1, 2**31 - 1), "the PNG image has the shape [2147483647, 2147483647, 1]"),
    ("png-grey", lambda data: png(48, 40, 16), "unsigned samples of 16 bits, the array has the type |u1"),
    ("png-grey", lambda data: png(48, 40, 8, 3), "PNG images with a palette are unsupported"),
    ("png-grey", lambda data: png(48, 40, 4), "PNG images of 4 bits are unsupported"),
    ("png-grey", lambda data: png(48, 40, 8, 0, b"\0\1"), "PNG images with a transparent colour are unsupported"),
    ("png-grey", lambda data: data[:200], "imagecodecs_png: "),
    ("png-grey", lambda data: b"", "not a PNG image"),
    ("jpeg-grey", lambda data: data[: len(data) // 2], "GDAL's driver JPEG: "),
    ("jpeg-grey", lambda data: data[:20], "the JPEG image has no frame"),
    ("jpeg-grey", lambda data: data.replace(b"\xff\xc0\0\x0b\x08", b"\xff\xc0\0\x0b\x0c"), "JPEG images of 12 bits are unsupported"),
    ("jpeg-grey", lambda data: data.replace(b"\xff\xc0", b"\xff\xc9"), "this one is lossless, hierarchical or arithmetic"),
    ("jpeg-grey", lambda data: png(48, 40), "not a JPEG image"),
    ("webp-rgb", lambda data: data[:16], "not a WebP image"),
    ("webp-rgb", lambda data: data[: len(data) // 2], "GDAL's driver WEBP: "),
    ("jpeg2k-grey", lambda data: data[:-2], "JPEG 2000: the code stream is truncated"),
    ("jpeg2k-grey", lambda data: data[:6] + b"\x40\0" + data[8:], "high-throughput code streams (HTJ2K) are unsupported"),
    ("jpeg2k-grey", lambda data: data[:100], "JPEG 2000: "),
    ("jpeg2k-file", lambda data: data[:60], "JP2: "),
])  # fmt: skip
def test_files_that_do_not_fit(tmp_path, images, name, change, told):
    data, _ = images(name)
    message = error_of(store_of(tmp_path / "a.zarr", name, change(data)))
    assert told in message and CASES[name]["configuration"]["id"] in message and "a.zarr" in message


@pytest.mark.parametrize("name, options, told", [
    ("jpeg-grey", {"tables": 5}, "tables: expected base64 or null"),
    ("jpeg-grey", {"tables": "AAAA"}, "tables: not a JPEG stream"),
    ("jpeg-grey", {"header": "AAAA"}, "header: expected null"),
    ("jpeg-grey", {"bitspersample": 12}, "bitspersample: expected 8 or null"),
    ("jpeg-rgb", {"colorspace_data": "CMYK"}, "colorspace_data: expected grey, RGB, YCbCr or null"),
    ("webp-rgb", {"hasalpha": True}, "the WebP image has the shape [40, 48, 4], the chunk [40, 48, 3]"),
    ("webp-rgb", {"index": 2}, "index: expected 0 or null"),
    ("jpeg2k-grey", {"planar": 3}, "planar: expected true, false or null"),
])  # fmt: skip
def test_options_that_are_invalid(tmp_path, images, name, options, told):
    data, _ = images(name)
    compressor = {**CASES[name]["configuration"], **options}
    assert told in error_of(store_of(tmp_path / "a.zarr", name, data, compressor=compressor))


@pytest.mark.parametrize("name, dtype, told", [
    ("jpeg-grey", "<f4", "JPEG images have no numbers of type <f4"),
    ("jpeg-grey", "<u2", "JPEG images have no numbers of type <u2"),
    ("png-grey-16", ">u2", "images are decoded to the byte order of the computer, which >u2 is not"),
    ("jpeg2k-16", "<i2", "the JPEG 2000 image has unsigned samples of 16 bits, the array has the type <i2"),
])  # fmt: skip
def test_types_that_do_not_fit(tmp_path, images, name, dtype, told):
    data, _ = images(name)
    assert told in error_of(store_of(tmp_path / "a.zarr", name, data, dtype=dtype))


PROGRAM = """
    import sys
    from osgeo import gdal
    gdal.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    for path in sys.argv[1:]:
        assert gdal.Open(path) is None
        print(gdal.GetLastErrorMsg())
"""


def test_a_missing_driver_is_named(tmp_path, images):
    drivers = {"jpeg-grey": "JPEG", "jpeg2k-grey": "JP2OpenJPEG", "png-grey": "PNG", "webp-rgb": "WEBP"}
    paths = [str(store_of(tmp_path / f"{name}.zarr", name, images(name)[0])) for name in drivers]
    environment = {**os.environ, "GDAL_SKIP": " ".join(drivers.values())}
    words = [sys.executable, "-c", textwrap.dedent(PROGRAM), *paths]
    lines = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    for name, line in zip(drivers, lines, strict=True):
        codec = CASES[name]["configuration"]["id"]
        assert f"{codec}: GDAL's driver {drivers[name]} decodes it, which this GDAL lacks or skips" in line


def test_jpeg_xl_needs_its_driver(tmp_path):
    if gdal.GetDriverByName("JPEGXL") is None:
        compressor = {"id": "imagecodecs_jpegxl"}
        message = error_of(store_of(tmp_path / "a.zarr", "png-grey", b"", compressor=compressor))
        assert "imagecodecs_jpegxl: GDAL's driver JPEGXL decodes it" in message


def test_writing_of_jpeg_2000_is_refused(tmp_path, images):
    data, _ = images("jpeg2k-grey")
    path = store_of(tmp_path / "a.zarr", "jpeg2k-grey", data)
    dataset = gdal.Open(str(path), gdal.GA_Update)
    with error_log() as log:
        if dataset is not None:
            dataset.WriteArray(np.zeros(GREY, "u1"))
            dataset = None
    assert "writing JPEG 2000 is unsupported" in log.the_error()


def test_chunks_are_decoded_on_several_threads(tmp_path, images):
    """Several datasets and threads decode the same chunks, and leave no file in memory behind."""
    before = gdal.ReadDirRecursive("/vsimem/") or []
    names = [name for name in CASES if CASES[name]["shape"] == RGB and CASES[name]["dtype"] == "u1"]
    tiled = {}
    for name in names:
        data, wanted = images(name)
        path = tmp_path / f"{name}.zarr"
        store_of(path, name, data, shape=[40 * 6, 48 * 5, 3])
        for i in range(6):
            for j in range(5):
                (path / f"{i}.{j}.0").write_bytes(data)
        tiled[path] = np.tile(wanted, (6, 5, 1))
    with config_options(GDAL_NUM_THREADS="4"), concurrent.futures.ThreadPoolExecutor(4) as pool:
        for path, got in zip([*tiled] * 4, pool.map(read_array, [*tiled] * 4), strict=True):
            assert np.abs(got.astype("i4") - tiled[path]).max() <= 2, path
    assert (gdal.ReadDirRecursive("/vsimem/") or []) == before


@pytest.mark.parametrize("size", [0xFF000040, 0x00010040])
def test_tiles_of_jpeg_2000_that_are_larger_than_the_image(tmp_path, images, cpl, size):
    """GDAL would allocate memory for a whole tile."""
    name = next(name for name in CASES if name.startswith("jpeg2k-"))
    data = bytearray(images(name)[0])
    at = data.index(b"\xff\x51") + 4 + 18  # XTsiz and YTsiz of the segment SIZ
    data[at : at + 8] = size.to_bytes(4, "big") * 2
    dataset = gdal.Open(str(store_of(tmp_path / "x.zarr", name, bytes(data))))
    assert dataset.ReadAsArray() is None
    assert f"tiles of {size} x {size} pixels are larger than the image" in cpl.errors[0]
    cpl.clear()


def mutated(data, generator):
    """Returns `data` with a few bytes changed, removed or repeated."""
    data = bytearray(data)
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(min(len(data), generator.choice([40, 120, len(data)])))
        choice = generator.random()
        if choice < 0.7:
            data[at] = generator.choice([0, 1, 0x7F, 0x80, 0xFF, generator.randrange(256)])
        elif choice < 0.85:
            del data[at : at + generator.randint(1, 8)]
        else:
            data[at:at] = data[at : at + generator.randint(1, 8)]
    return bytes(data)


@pytest.mark.parametrize("kind", ["jpeg", "jpeg2k", "png", "webp"])
def test_damaged_files_end_in_an_error(tmp_path, images, kind):
    """A child process with a limit of memory reads many damaged images. It must survive, and each failed read of a
    band must give one error that names the codec."""
    generator = random.Random(os.environ.get("ZARR_TEST_SEED", "7"))
    names = [name for name in CASES if name.startswith(f"{kind}-")]
    paths = []
    for number in range(150):
        name = names[number % len(names)]
        data = mutated(images(name)[0], generator)
        paths.append(store_of(tmp_path / f"{number}.zarr", name, data))
    outcomes = attempts(paths)
    for path, outcome in zip(paths, outcomes, strict=True):
        assert outcome.opened, (path, outcome)
        if not outcome.read:
            assert outcome.errors and all(f"imagecodecs_{kind}: " in error for error in outcome.errors), (path, outcome)
    assert sum(not outcome.read for outcome in outcomes) > 20
