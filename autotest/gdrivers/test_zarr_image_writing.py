# SPDX-License-Identifier: MIT
"""COMPRESS=JPEG, WEBP and PNG: chunks that are image files, which GDAL's drivers encode. zarr-python with imagecodecs reads
them."""

import json
import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import config_options, error_log, open_raster, read_all
from zarr_references import run
from zarr_store import handmade

V2, V3 = ["FORMAT=ZARR_V2"], ["FORMAT=ZARR_V3"]
LAYOUTS = {
    "v2": V2,
    "v3": V3,
    "shards": [*V3, "BLOCKSIZE=128,128", "SHARD_CHUNK_SHAPE=64,64"],
    "cloud": ["PROFILE=CLOUD", "BLOCKSIZE=64"],
}


def photo(bands, height=150, width=210):
    """Returns bands of bytes with the slow and fast changes of a photo."""
    y, x = np.mgrid[:height, :width]
    waves = [110 + 50 * np.sin(x / 31 + band) + 40 * np.cos(y / 19 - band) for band in range(bands)]
    values = np.stack(waves) + np.random.default_rng(5).normal(0, 3, (1, height, width))
    return np.clip(values, 1, 254).astype("u1")


def source_of(values):
    kind = {1: gdal.GDT_Byte, 2: gdal.GDT_UInt16}[values.dtype.itemsize]
    dataset = gdal.GetDriverByName("MEM").Create("", values.shape[2], values.shape[1], values.shape[0], kind)
    dataset.WriteArray(values)
    dataset.SetGeoTransform((500000, 1, 0, 5000000, 0, -1))
    return dataset


def write(store, values, *options):
    source = source_of(values) if isinstance(values, np.ndarray) else values
    with error_log() as log:
        dataset = gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=list(options))
        assert dataset is not None, log.events
        dataset = None
    log.assert_quiet()
    return store


def refused(store, values, *options):
    """Returns the only error of a copy that must fail, and asserts that nothing is left."""
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source_of(values), options=list(options)) is None
    assert list(store.parent.glob("*.zarr*")) == []
    return log.the_error()


def pixels(store):
    return read_all(open_raster(store))


def psnr(values, wanted):
    error = np.square(values.astype("f8") - wanted).mean()
    return np.inf if error == 0 else 10 * np.log10(255**2 / error)


def by_python(tmp_path, store, array="a"):
    """Returns the values of an array as zarr-python decodes them with imagecodecs."""
    run({"do": "array_values", "target": str(tmp_path / "read.npy"), "store": str(store / array)})
    return np.load(tmp_path / "read.npy")


def document_of(store, array="a"):
    (path,) = [path for name in (".zarray", "zarr.json") if (path := store / array / name).exists()]
    return json.loads(path.read_text())


def codec_of(store, array="a"):
    """Returns the configuration of an array's image codec, with its id, in either version."""
    document = document_of(store, array)
    if document["zarr_format"] == 2:
        assert document["filters"] is None
        return document["compressor"]
    codecs = document["codecs"]
    if codecs[0]["name"] == "sharding_indexed":
        codecs = codecs[0]["configuration"]["codecs"]
    return {"id": codecs[-1]["name"], **codecs[-1].get("configuration", {})}


def chunk_of(store, array="a"):
    document = document_of(store, array)
    if document["zarr_format"] == 2:
        return document["chunks"]
    sharding = [codec for codec in document["codecs"] if codec["name"] == "sharding_indexed"]
    return (sharding[0] if sharding else document["chunk_grid"])["configuration"]["chunk_shape"]


def size_of(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


# name: number of bands, dtype, options, stored codec, whether the bands are samples of one image, whether pixels are kept
CODECS = {
    "png-1": (1, "u1", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, False, True),
    "png-2": (2, "u1", ["COMPRESS=PNG", "ZLEVEL=9"], {"id": "imagecodecs_png", "level": 9}, True, True),
    "png-3": (3, "u1", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, True, True),
    "png-4": (4, "u1", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, True, True),
    "png-5": (5, "u1", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, False, True),
    "png-16": (3, "u2", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, True, True),
    "png-grey-16": (1, "u2", ["COMPRESS=PNG"], {"id": "imagecodecs_png", "level": 6}, False, True),
    "webp-3": (3, "u1", ["COMPRESS=WEBP"], {"id": "imagecodecs_webp", "level": 75, "lossless": False}, True, False),
    "webp-4": (4, "u1", ["COMPRESS=WEBP", "WEBP_LEVEL=90"],
               {"id": "imagecodecs_webp", "level": 90, "lossless": False, "hasalpha": True}, True, False),
    "webp-lossless": (3, "u1", ["COMPRESS=WEBP", "WEBP_LOSSLESS=YES"],
                      {"id": "imagecodecs_webp", "level": 75, "lossless": True}, True, True),
    "webp-lossless-4": (4, "u1", ["COMPRESS=WEBP", "QUALITY=100"],
                        {"id": "imagecodecs_webp", "level": 100, "lossless": True, "hasalpha": True}, True, True),
    "jpeg-1": (1, "u1", ["COMPRESS=JPEG"], {"id": "imagecodecs_jpeg", "level": 75}, False, False),
    "jpeg-3": (3, "u1", ["COMPRESS=JPEG", "JPEG_QUALITY=85"], {"id": "imagecodecs_jpeg", "level": 85}, True, False),
    "jpeg-4": (4, "u1", ["COMPRESS=JPEG", "QUALITY=90"], {"id": "imagecodecs_jpeg", "level": 90}, False, False),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CODECS)
def test_round_trip(tmp_path, name, layout):
    """GDAL and zarr-python read the source if the codec keeps pixels; else both read nearly the same, near the source."""
    bands, dtype, options, codec, is_one_image, is_exact = CODECS[name]
    values = photo(bands).astype(dtype) * (257 if dtype == "u2" else 1)
    blocks = [] if "BLOCKSIZE" in str(LAYOUTS[layout]) else ["BLOCKSIZE=64,64"]
    store = write(tmp_path / "a.zarr", values, *options, *LAYOUTS[layout], *blocks)
    assert codec_of(store) == codec
    assert chunk_of(store) == ([64, 64, bands] if is_one_image else [64, 64] if bands == 1 else [1, 64, 64])
    got, python = pixels(store), by_python(tmp_path, store)
    python = python.transpose(2, 0, 1) if is_one_image else python.reshape(got.shape)
    if is_exact:
        np.testing.assert_array_equal(got, values)
        np.testing.assert_array_equal(python, values)
    else:
        assert np.abs(got.astype("i4") - python).max() <= 2
        assert 32 < psnr(got, values) < 60
    if layout == "cloud":
        assert open_raster(store).GetRasterBand(1).GetOverviewCount() == 2
        assert codec_of(store, "ovr_2x/a") == codec == codec_of(store, "ovr_4x/a")


@pytest.mark.parametrize("options", [["WEBP_LOSSLESS=YES"], ["WEBP_LEVEL=80"]])
def test_opaque_and_transparent_webp(tmp_path, options):
    """libwebp leaves out an alpha channel that is opaque, which some chunks have. Colours stay where alpha is 0."""
    values = photo(4)
    values[3] = 255
    values[3, 70:100, 70:90] = 0
    store = write(tmp_path / "a.zarr", values, "COMPRESS=WEBP", "BLOCKSIZE=50,70", *options)
    got, python = pixels(store), by_python(tmp_path, store).transpose(2, 0, 1)
    np.testing.assert_array_equal(got[3], values[3])
    np.testing.assert_array_equal(python[3], values[3])
    if options == ["WEBP_LOSSLESS=YES"]:
        np.testing.assert_array_equal(got, values)
        np.testing.assert_array_equal(python, values)


def test_a_mask_is_not_lossy(tmp_path):
    source = source_of(photo(3))
    source.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.where(np.hypot(*np.mgrid[-75:75, -105:105]) < 60, 255, 0).astype("u1")
    source.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    store = write(tmp_path / "a.zarr", source, "COMPRESS=JPEG", "PROFILE=CLOUD", "BLOCKSIZE=64")
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.GetRasterBand(1).GetMaskBand().ReadAsArray(), mask)
    documents = [path.read_text() for path in store.glob("*mask*/zarr.json")]
    assert len(documents) == 1 and "imagecodecs" not in documents[0]


@pytest.mark.parametrize("name", ["jpeg-3", "jpeg-4", "png-3", "webp-4", "webp-lossless-4"])
@pytest.mark.parametrize("layout", ["v2", "shards"])
def test_a_part_of_a_chunk_is_changed(tmp_path, name, layout):
    bands, _, options, _, _, is_exact = CODECS[name]
    values = photo(bands)
    blocks = ["BLOCKSIZE=64,64"] if layout == "v2" else []
    store = write(tmp_path / "a.zarr", values, *options, *LAYOUTS[layout], *blocks)
    before = pixels(store)
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.WriteArray(np.full((bands, 20, 30), 200, "u1"), 80, 70)
    dataset = None
    values[:, 70:90, 80:110] = 200
    after = pixels(store)
    np.testing.assert_array_equal(after, values) if is_exact else None
    assert is_exact or psnr(after, values) > 30
    # the other chunks stay as they were
    for chunk in (np.s_[:, :64], np.s_[:, 128:], np.s_[:, :, :64], np.s_[:, :, 128:]):
        np.testing.assert_array_equal(after[chunk], before[chunk])


@pytest.mark.parametrize("name", ["jpeg-1", "jpeg-3", "png-16", "webp-lossless"])
def test_create_and_write(tmp_path, name):
    """Bands are written one after the other, and a chunk without pixels is absent."""
    bands, dtype, options, codec, is_one_image, is_exact = CODECS[name]
    values = photo(bands).astype(dtype)
    values[:, :64, :64] = 0
    store = tmp_path / "a.zarr"
    kind = gdal.GDT_UInt16 if dtype == "u2" else gdal.GDT_Byte
    with error_log() as log:
        dataset = gdal.GetDriverByName("Zarr").Create(str(store), 210, 150, bands, kind, [*options, *V3, "BLOCKSIZE=64,64"])
        for band in range(bands):
            dataset.GetRasterBand(band + 1).WriteArray(values[band])
        dataset = None
    log.assert_quiet()
    assert codec_of(store) == codec
    chunks = {path.relative_to(store / "a").as_posix() for path in (store / "a" / "c").rglob("*") if path.is_file()}
    end = "/0" if is_one_image else ""
    assert f"c/0/0{end}" not in chunks and f"c/2/3{end}" in chunks and len(chunks) == 11
    got = pixels(store)
    assert (got[:, :64, :64] == 0).all()
    np.testing.assert_array_equal(got, values) if is_exact else None
    assert is_exact or psnr(got, values) > 32


@pytest.mark.parametrize("name", ["jpeg-3", "png-2", "webp-3"])
@pytest.mark.parametrize("version", [V2, V3])
def test_gdaladdo(tmp_path, name, version):
    bands, _, options, codec, _, is_exact = CODECS[name]
    values = photo(bands)
    store = write(tmp_path / "a.zarr", values, *options, *version, "BLOCKSIZE=64,64")
    dataset = gdal.Open(str(store), gdal.GA_Update)
    assert dataset.BuildOverviews("AVERAGE", [2]) == gdal.CE_None
    dataset = None
    assert codec_of(store, "ovr_2x/a") == codec
    dataset = open_raster(store)
    small = dataset.GetRasterBand(1).GetOverview(0).ReadAsArray()
    base = pixels(store)[0].astype("f8")
    wanted = base.reshape(75, 2, 105, 2).mean(axis=(1, 3))
    assert np.abs(small - wanted).max() <= 0.6 if is_exact else psnr(small, wanted) > 32


def test_append_along_band_dim(tmp_path):
    first, second = photo(2), photo(3)[2:]
    options = ["COMPRESS=JPEG", "JPEG_QUALITY=90", "BLOCKSIZE=64,64", "BAND_DIM=time", "BAND_DIM_VALUES=2024-01-01,2024-01-02"]
    store = write(tmp_path / "a.zarr", first, *options)
    before = pixels(store)
    write(store, second, "APPEND_DIM=time", "APPEND_DIM_VALUES=2024-01-03")
    after = pixels(store)
    np.testing.assert_array_equal(after[:2], before)
    assert after.shape == (3, 150, 210) and psnr(after[2], second[0]) > 32
    assert np.abs(by_python(tmp_path, store).astype("i4") - after).max() <= 1


def test_a_cancelled_copy_goes_on(tmp_path):
    source = tmp_path / "source.tif"
    gdal.GetDriverByName("GTiff").CreateCopy(str(source), source_of(photo(3, 4000, 1400)), options=["INTERLEAVE=PIXEL"])
    options = ["COMPRESS=JPEG", "BLOCKSIZE=200,700", "RESUME=YES", "ARRAY_NAME=a"]
    driver, target = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr"

    def slow(done, _message, _data):
        time.sleep(0.7)  # the position of a copy is recorded every second
        return done < 0.6

    cache = gdal.GetCacheMax()
    gdal.SetCacheMax(32 << 20)  # a copy reads parts of an eighth of it
    try:
        with error_log():
            cancelled = driver.CreateCopy(str(target), gdal.Open(str(source)), options=options, callback=slow)
    finally:
        gdal.SetCacheMax(cache)
    assert cancelled is None and not target.exists() and len(list(tmp_path.glob("a.zarr.*.partial"))) == 1
    fractions = []
    driver.CreateCopy(str(target), gdal.Open(str(source)), options=options, callback=lambda done, *_: fractions.append(done) or 1)
    assert fractions[0] > 0.2
    whole = write(tmp_path / "whole.zarr", gdal.Open(str(source)), *options)
    assert list(tmp_path.glob("*.partial")) == []
    np.testing.assert_array_equal(pixels(target), pixels(whole))


@pytest.mark.parametrize("compress, options", [("JPEG", ["JPEG_QUALITY=75"]), ("WEBP", ["WEBP_LEVEL=75"]), ("WEBP", ["WEBP_LOSSLESS=YES"])])
def test_size_and_quality_are_those_of_geotiff(tmp_path, compress, options):
    values = photo(3, 1024, 1024)
    tiff = tmp_path / "a.tif"
    tiled = ["TILED=YES", "BLOCKXSIZE=512", "BLOCKYSIZE=512", "INTERLEAVE=PIXEL"]
    photometric = ["PHOTOMETRIC=YCBCR"] if compress == "JPEG" else []
    gdal.GetDriverByName("GTiff").CreateCopy(
        str(tiff), source_of(values), options=[f"COMPRESS={compress}", *options, *tiled, *photometric]
    )
    store = write(tmp_path / "a.zarr", values, f"COMPRESS={compress}", *options)
    assert size_of(store / "a") == pytest.approx(size_of(tiff), rel=0.05)
    if "LOSSLESS" not in options[0]:
        assert psnr(pixels(store), values) == pytest.approx(psnr(gdal.Open(str(tiff)).ReadAsArray(), values), abs=0.2)


def test_statistics_of_a_profile(tmp_path):
    store = write(tmp_path / "a.zarr", photo(3), "PROFILE=CLOUD", "COMPRESS=JPEG", "BLOCKSIZE=64")
    dataset = open_raster(store)
    for band, read in enumerate(pixels(store)):
        minimum, maximum, mean, deviation = dataset.GetRasterBand(band + 1).GetStatistics(True, False)
        assert mean == pytest.approx(read.mean(), abs=1) and deviation == pytest.approx(read.std(), rel=0.1)
        assert read.min() - 1 <= minimum < mean < maximum <= read.max() + 1


def test_shards_of_a_profile_have_many_images(tmp_path):
    """The size of a shard follows from the encoded size of samples of the source."""
    values = photo(3, 1100, 1300)
    write(tmp_path / "a.zarr", values, "PROFILE=CLOUD", "COMPRESS=JPEG")
    document = document_of(tmp_path / "a.zarr", "a")
    assert chunk_of(tmp_path / "a.zarr") == [512, 512, 3]
    shard = document["chunk_grid"]["configuration"]["chunk_shape"]
    assert shard[0] >= 1024 and shard[1] >= 1024 and shard[2] == 3


def test_the_same_files_on_several_threads(tmp_path):
    """Encoding leaves no file in memory behind, and does not depend on the number of threads."""
    before = gdal.ReadDirRecursive("/vsimem/") or []
    values = photo(3, 700, 900)
    for compress in ("JPEG", "PNG", "WEBP"):
        found = []
        for threads in ("1", "4"):
            with config_options(GDAL_NUM_THREADS=threads):
                store = write(tmp_path / f"{compress}{threads}.zarr", values, f"COMPRESS={compress}", "BLOCKSIZE=64,64", "ARRAY_NAME=a")
            found.append({path.name: path.read_bytes() for path in (store / "a").iterdir() if path.name[0] != "."})
        assert found[0] == found[1] and len(found[0]) == 11 * 15
    assert (gdal.ReadDirRecursive("/vsimem/") or []) == before


@pytest.mark.parametrize("values, options, told", [
    (photo(3).astype("u2"), ["COMPRESS=JPEG"], "creation option COMPRESS: expected data type Byte with JPEG, got"),
    (photo(3).astype("u2"), ["COMPRESS=WEBP"], "creation option COMPRESS: expected data type Byte with WEBP, got"),
    (photo(3), ["COMPRESS=JPEG", "PIXELTYPE=SIGNEDBYTE"], "creation option COMPRESS: expected data type Byte with JPEG, got"),
    (photo(1), ["COMPRESS=WEBP"], "creation option COMPRESS: expected 3 or 4 bands with WEBP, in one array without BAND_DIM"),
    (photo(5), ["COMPRESS=WEBP"], "creation option COMPRESS: expected 3 or 4 bands with WEBP, in one array without BAND_DIM"),
    (photo(3), ["COMPRESS=WEBP", "SINGLE_ARRAY=NO"], "creation option COMPRESS: expected 3 or 4 bands with WEBP"),
    (photo(3), ["COMPRESS=WEBP", "BAND_DIM=time"], "creation option COMPRESS: expected 3 or 4 bands with WEBP"),
    (photo(3), ["COMPRESS=WEBP", "PROFILE=OME"], "creation option COMPRESS: expected 3 or 4 bands with WEBP"),
    (photo(4), ["COMPRESS=JPEG", "INTERLEAVE=PIXEL"], "imagecodecs_jpeg: JPEG images have 1 or 3 samples, which are the last dimension of a chunk"),
    (photo(5), ["COMPRESS=PNG", "INTERLEAVE=PIXEL"], "imagecodecs_png: PNG images have 1, 2, 3 or 4 samples"),
    (photo(3), ["COMPRESS=JPEG", "BLOCKSIZE=3,64,64"], "imagecodecs_jpeg: JPEG images have 1 or 3 samples"),
    (photo(1), ["COMPRESS=JPEG", "BLOCKSIZE=65536,64"], "imagecodecs_jpeg: JPEG images have at most 65500 rows and columns"),
    (photo(3), ["COMPRESS=JPEG", "FILTER=DELTA"], "creation option FILTER: expected NONE, because COMPRESS=JPEG is set"),
    (photo(3), ["COMPRESS=PNG", "CHUNK_MEMORY_LAYOUT=F"], "imagecodecs_png: images are supported in the memory order C only"),
    (photo(1).astype("u2"), ["COMPRESS=PNG", "ENDIAN=BIG"], "imagecodecs_png: images are decoded to the byte order of the computer"),
])  # fmt: skip
def test_what_is_refused(tmp_path, values, options, told):
    assert told in refused(tmp_path / "a.zarr", values, *options)


def test_reals_are_refused(tmp_path):
    for compress, types in (("JPEG", "Byte"), ("WEBP", "Byte"), ("PNG", "Byte or UInt16")):
        with error_log() as log:
            driver = gdal.GetDriverByName("Zarr")
            assert driver.Create(str(tmp_path / "a.zarr"), 30, 20, 3, gdal.GDT_Float32, [f"COMPRESS={compress}"]) is None
        assert f'expected data type {types} with {compress}, got "<f4"' in log.the_error()
        assert list(tmp_path.iterdir()) == []


def test_a_quality_out_of_range(tmp_path):
    with error_log() as log:
        options = ["COMPRESS=JPEG", "JPEG_QUALITY=101"]
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source_of(photo(3)), options=options) is None
    assert "imagecodecs_jpeg: level: expected a number from 1 to 100" in log.the_error()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("compressor, told", [
    ({"id": "imagecodecs_jpeg", "subsampling": "444"}, "subsampling: expected 420 or null"),
    ({"id": "imagecodecs_jpeg", "colorspace_data": 2, "colorspace_jpeg": 2}, "writing with the option colorspace_data is unsupported"),
    ({"id": "imagecodecs_jpeg", "lossless": True}, "writing with the option lossless is unsupported"),
    ({"id": "imagecodecs_webp", "hasalpha": True}, "hasalpha: images of 3 samples are written only if it is not true"),
    ({"id": "imagecodecs_webp", "lossless": 3}, "lossless: expected true, false or null"),
    ({"id": "imagecodecs_jpeg2k"}, "writing JPEG 2000 is unsupported"),
])  # fmt: skip
def test_options_of_other_writers(tmp_path, compressor, told):
    """An array of another program is not changed if GDAL's driver cannot write as its options say."""
    members = {"shape": [40, 48, 3], "chunks": [40, 48, 3], "dtype": "|u1", "compressor": compressor, "filters": None,
               "fill_value": 0, "order": "C", "zarr_format": 2}  # fmt: skip
    path = handmade(tmp_path / "a.zarr", metadata=json.dumps(members), files={})
    with error_log() as log:
        dataset = gdal.Open(str(path), gdal.GA_Update)
        if dataset is not None:
            dataset.GetRasterBand(1).WriteArray(np.ones((dataset.RasterYSize, dataset.RasterXSize), "u1"))
            dataset = None
    assert told in log.the_error()
    assert sorted(file.name for file in path.iterdir()) == [".zarray"]


def test_multidimensional(tmp_path):
    values = photo(3).transpose(1, 2, 0)
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(tmp_path / "a.zarr"))
    root = dataset.GetRootGroup()
    sizes = [root.CreateDimension(name, "", "", size) for name, size in zip("yxb", values.shape, strict=True)]
    array = root.CreateMDArray("a", sizes, gdal.ExtendedDataType.Create(gdal.GDT_Byte), ["COMPRESS=PNG", "BLOCKSIZE=64,64,3"])
    array.Write(np.ascontiguousarray(values))
    array = root = dataset = sizes = None
    assert codec_of(tmp_path / "a.zarr") == {"id": "imagecodecs_png", "level": 6}
    np.testing.assert_array_equal(by_python(tmp_path, tmp_path / "a.zarr"), values)


PROGRAM = """
    import sys
    from osgeo import gdal
    gdal.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    for compress in ("JPEG", "PNG", "WEBP"):
        dataset = gdal.GetDriverByName("Zarr").Create(sys.argv[1], 40, 30, 3, gdal.GDT_Byte, ["COMPRESS=" + compress])
        print(dataset is None, gdal.GetLastErrorMsg())
"""


@pytest.mark.parametrize("skipped", ["JPEG PNG WEBP", "MEM"])
def test_a_missing_driver_is_named(tmp_path, skipped):
    words = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path / "a.zarr")]
    environment = {**os.environ, "GDAL_SKIP": skipped}
    lines = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    for name, line in zip(("JPEG", "PNG", "WEBP"), lines, strict=True):
        driver = name if skipped != "MEM" else "MEM"
        assert line.startswith("True ") and f"imagecodecs_{name.lower()}: " in line
        assert f"GDAL's driver {driver} " in line and "which this GDAL lacks or skips" in line
    assert list(tmp_path.iterdir()) == []
