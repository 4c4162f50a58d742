# SPDX-License-Identifier: MIT
"""Creation option PROFILE=CLOUD, compared with a Cloud Optimized GeoTIFF: layout, encoding, overviews, size
and requests."""

import json
import os
import subprocess

import numpy as np
import pytest
import zarr
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import config_options, error_log, open_band, open_raster
from zarr_http import Served

pytestmark = zarr_formats.V3
SIDE = 2048
COG = ["COMPRESS=ZSTD", "PREDICTOR=YES", "BLOCKSIZE=512", "RESAMPLING=AVERAGE"]


def surface(seed, roughness):
    """Returns a fractal surface of random numbers with the mean 0 and the standard deviation 1."""
    rng = np.random.default_rng(seed)
    waves = np.fft.rfft2(rng.standard_normal((SIDE, SIDE)))
    y, x = np.fft.fftfreq(SIDE)[:, None], np.fft.rfftfreq(SIDE)[None, :]
    distance = np.hypot(x, y)
    distance[0, 0] = 1
    values = np.fft.irfft2(waves * distance ** (-roughness / 2), s=(SIDE, SIDE))
    return (values - values.mean()) / values.std()


def dem():
    return np.round(800 + 300 * surface(1, 3.4), 2).astype("f4")[None]


def photo():
    base = 110 + 40 * surface(2, 2.6)
    return np.stack([np.clip(base + 4 * surface(10 + i, 2.8), 0, 255) for i in range(3)]).astype("u1")


def scene():
    base = 2500 + 700 * surface(3, 2.4)
    return np.stack([np.clip(base + 100 * surface(20 + i, 2.4), 0, 65535) for i in range(4)]).astype("u2")


def classes():
    return np.digitize(surface(4, 3), [-1, 0, 1]).astype("u1")[None]


KINDS = {"dem": dem, "photo": photo, "scene": scene}


def save(path, values, *options):
    types = {"f4": gdal.GDT_Float32, "f8": gdal.GDT_Float64, "u1": gdal.GDT_Byte, "u2": gdal.GDT_UInt16}
    bands, height, width = values.shape
    dataset = gdal.GetDriverByName("GTiff").Create(
        str(path), width, height, bands, types[values.dtype.str[1:]], ["TILED=YES", *options]
    )
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    dataset.SetProjection(srs.ExportToWkt())
    dataset.SetGeoTransform([500000, 10, 0, 5000000, 0, -10])
    for number, band in enumerate(values, 1):
        dataset.GetRasterBand(number).WriteArray(band)
    del dataset
    return gdal.Open(str(path))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Returns {kind: (values, folder)}. Each folder has source.tif, cog.tif, and store.zarr, which is made with
    PROFILE=CLOUD."""
    made = {}
    for kind, function in KINDS.items():
        folder = tmp_path_factory.mktemp(kind)
        values = function()
        source = save(folder / "source.tif", values, *(["PHOTOMETRIC=RGB"] if kind == "photo" else []))
        assert gdal.GetDriverByName("COG").CreateCopy(str(folder / "cog.tif"), source, options=COG)
        convert(folder / "store.zarr", source)
        made[kind] = values, folder
    return made


def convert(path, source, *options):
    with error_log() as log:
        copy = gdal.GetDriverByName("Zarr").CreateCopy(str(path), source, options=["PROFILE=CLOUD", *options])
        assert copy is not None, log.events
    log.assert_quiet()
    del copy
    return path


def document(store, path=""):
    return json.loads((store / path / "zarr.json").read_text())


def array_of(store):
    return document(store, store.stem)


def codecs_of(metadata):
    """Returns the names of the codecs of a chunk; in an array with shards, of an inner chunk."""
    chain = metadata["codecs"]
    if chain[0]["name"] == "sharding_indexed":
        chain = chain[0]["configuration"]["codecs"]
    return [codec["name"] for codec in chain]


def size_of(path):
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_values_and_place_are_those_of_the_source(sources, kind):
    values, folder = sources[kind]
    dataset = open_raster(folder / "store.zarr")
    np.testing.assert_array_equal(dataset.ReadAsArray().reshape(values.shape), values)
    assert dataset.GetGeoTransform() == (500000, 10, 0, 5000000, 0, -10)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32633"


@pytest.mark.parametrize("kind", KINDS)
def test_store_is_not_larger_than_a_cog(sources, kind):
    _, folder = sources[kind]
    # The store may be 2 % larger than the COG, because metadata takes a large part of the store of a small raster.
    assert size_of(folder / "store.zarr") <= 1.02 * size_of(folder / "cog.tif")


@pytest.mark.parametrize("kind", KINDS)
def test_layout(sources, kind):
    values, folder = sources[kind]
    store = folder / "store.zarr"
    metadata = array_of(store)
    together = [len(values)] if len(values) > 1 else []
    sharding = metadata["codecs"][0]
    assert sharding["name"] == "sharding_indexed"
    assert sharding["configuration"]["chunk_shape"] == [*together, 512, 512]
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    assert band.GetBlockSize() == [512, 512]
    levels = [band.GetOverview(i).XSize for i in range(band.GetOverviewCount())]
    assert levels == [1024, 512], "the last level is a single chunk"
    last = document(store, f"ovr_4x/{store.stem}")
    assert last["codecs"][0]["name"] != "sharding_indexed", "a single chunk needs no index"
    assert "STATISTICS_MEAN" in band.GetMetadata()
    assert document(store)["consolidated_metadata"]["metadata"][store.stem]["shape"] == metadata["shape"]


def test_encoding_suits_the_data(sources):
    chosen = {kind: codecs_of(array_of(folder / "store.zarr")) for kind, (_, folder) in sources.items()}
    assert chosen["dem"] == ["bytes", "blosc"]
    assert chosen["photo"] == ["numcodecs.delta", "bytes", "numcodecs.shuffle", "zstd"]
    assert chosen["scene"][-2:] == ["bytes", "blosc"]


@pytest.mark.parametrize("kind", KINDS)
def test_zarr_python_reads_it_without_plug_ins(sources, kind):
    values, folder = sources[kind]
    read = zarr.open_group(str(folder / "store.zarr"), mode="r")["store"][...]
    np.testing.assert_array_equal(read.reshape(values.shape), values)


@pytest.mark.parametrize("predictor, wanted", [
    ("NO", ["bytes", "zstd"]),
    ("STANDARD", ["numcodecs.delta", "bytes", "numcodecs.shuffle", "zstd"]),
    ("2", ["numcodecs.delta", "bytes", "numcodecs.shuffle", "zstd"]),
    ("FLOATING_POINT", ["bytes", "zstd"]),
])  # fmt: skip
@pytest.mark.slow
def test_predictor(sources, tmp_path, predictor, wanted):
    values, folder = sources["photo"]
    source = gdal.Open(str(folder / "source.tif"))
    store = convert(tmp_path / "a.zarr", source, f"PREDICTOR={predictor}")
    assert codecs_of(array_of(store)) == wanted
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), values)


@pytest.mark.parametrize("compress, last", [
    ("ZSTD", "zstd"), ("DEFLATE", "numcodecs.zlib"), ("LZ4", "numcodecs.lz4"), ("NONE", None),
    ("GZIP", "gzip"), ("BLOSC", "blosc"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["photo", "dem"])
def test_compress(sources, tmp_path, kind, compress, last):
    values, folder = sources[kind]
    source = gdal.Open(str(folder / "source.tif"))
    store = convert(tmp_path / "a.zarr", source, f"COMPRESS={compress}", "LEVEL=3")
    names = codecs_of(array_of(store))
    in_blosc = kind == "dem" and compress in ("ZSTD", "DEFLATE", "LZ4")
    assert names[-1] == ("blosc" if in_blosc else last) or last is None and "blosc" not in names
    np.testing.assert_array_equal(open_raster(store).ReadAsArray().reshape(values.shape), values)


@pytest.mark.parametrize("options, resampling, factors", [
    ([], "average", [2, 4]),
    (["RESAMPLING=NEAREST"], "nearest", [2, 4]),
    (["OVERVIEW_RESAMPLING=CUBIC"], "cubic", [2, 4]),
    (["OVERVIEWS=IGNORE_EXISTING"], "average", [2, 4]),
    (["OVERVIEWS=8"], "average", [8]),
    (["OVERVIEWS=NONE"], None, []),
])  # fmt: skip
def test_overviews(sources, tmp_path, options, resampling, factors):
    _, folder = sources["dem"]
    store = convert(tmp_path / "a.zarr", gdal.Open(str(folder / "source.tif")), *options)
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    assert [SIDE // band.GetOverview(i).XSize for i in range(band.GetOverviewCount())] == factors
    layout = document(store)["attributes"].get("multiscales", {}).get("layout", [])
    assert {level["resampling_method"] for level in layout[1:]} == ({resampling} if factors else set())


@pytest.mark.slow
def test_classes_are_not_averaged_and_not_differenced_for_nothing(tmp_path):
    values = classes()
    source = save(tmp_path / "source.tif", values)
    table = gdal.ColorTable()
    table.SetColorEntry(1, (255, 0, 0))
    copy = gdal.GetDriverByName("MEM").CreateCopy("", source)
    copy.GetRasterBand(1).SetColorTable(table)
    store = convert(tmp_path / "a.zarr", copy)
    assert "numcodecs.delta" not in codecs_of(array_of(store))
    dataset = open_raster(store)
    level = dataset.GetRasterBand(1).GetOverview(0).ReadAsArray()
    assert set(np.unique(level)) <= set(np.unique(values))


@pytest.mark.parametrize("options, chunk", [
    (["BLOCKSIZE=256"], [256, 256]),
    (["BLOCKSIZE=128,256"], [128, 256]),
])  # fmt: skip
@pytest.mark.slow
def test_block_size_is_that_of_chunks(sources, tmp_path, options, chunk):
    values, folder = sources["dem"]
    store = convert(tmp_path / "a.zarr", gdal.Open(str(folder / "source.tif")), *options)
    sharding = array_of(store)["codecs"][0]
    assert sharding["configuration"]["chunk_shape"] == chunk
    np.testing.assert_array_equal(open_raster(store).ReadAsArray()[None], values)


@pytest.mark.slow
def test_a_block_larger_than_the_raster_is_as_large_as_the_raster(tmp_path):
    """If the block size is larger than the raster, a chunk is as large as the raster. The profile still samples the
    pixels, and selects numcodecs.delta for smooth colours."""
    values = photo()[:, :300, :200]
    store = convert(tmp_path / "a.zarr", save(tmp_path / "source.tif", values), "BLOCKSIZE=512")
    metadata = array_of(store)
    assert metadata["chunk_grid"]["configuration"]["chunk_shape"] == [3, 300, 200]
    assert "numcodecs.delta" in codecs_of(metadata)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), values)


@pytest.mark.parametrize("options, chunk, is_sharded", [
    (["SHARD=NO"], [512, 512], False),
    (["BLOCKSIZE=256,256", "SHARD_CHUNK_SHAPE=128,128"], [128, 128], True),
    (["BLOCKXSIZE=256", "BLOCKYSIZE=128"], [128, 256], False),
    (["BLOCKSIZE=1,9000000000000000000"], [1, 700], True),
])  # fmt: skip
@pytest.mark.slow
def test_layouts_of_the_user(tmp_path, options, chunk, is_sharded):
    values = dem()[:, :700, :700]
    store = convert(tmp_path / "a.zarr", save(tmp_path / "source.tif", values), "OVERVIEWS=NONE", *options)
    metadata = array_of(store)
    assert (metadata["codecs"][0]["name"] == "sharding_indexed") == is_sharded
    outer = metadata["chunk_grid"]["configuration"]["chunk_shape"]
    assert (metadata["codecs"][0]["configuration"]["chunk_shape"] if is_sharded else outer) == chunk
    np.testing.assert_array_equal(open_raster(store).ReadAsArray()[None], values)


@pytest.mark.slow
def test_shards_take_about_16_mib(tmp_path):
    values = np.random.default_rng(5).integers(0, 65535, (1, 6144, 6144), dtype="u2")
    store = convert(tmp_path / "a.zarr", save(tmp_path / "source.tif", values))
    sizes = sorted(file.stat().st_size for file in (store / "a" / "c").rglob("*") if file.is_file())
    assert 8 << 20 <= sizes[-1] <= 24 << 20
    np.testing.assert_array_equal(open_raster(store).ReadAsArray()[None], values)


def test_many_bands_have_chunks_of_their_own(tmp_path):
    values = np.random.default_rng(6).integers(0, 99, (6, 600, 700), dtype="u2")
    store = convert(tmp_path / "a.zarr", save(tmp_path / "source.tif", values))
    metadata = array_of(store)
    assert metadata["codecs"][0]["configuration"]["chunk_shape"] == [1, 512, 512]
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), values)


@pytest.mark.parametrize("width, height", [(1, 1), (511, 3), (513, 512), (300, 1500)])
@pytest.mark.parametrize("bands", [1, 3])
def test_small_rasters(tmp_path, width, height, bands):
    values = np.random.default_rng(7).integers(0, 9, (bands, height, width), dtype="u1")
    store = convert(tmp_path / "a.zarr", save(tmp_path / "source.tif", values))
    np.testing.assert_array_equal(open_raster(store).ReadAsArray().reshape(values.shape), values)


@pytest.mark.slow
def test_zarr_v2(sources, tmp_path):
    values, folder = sources["photo"]
    store = convert(tmp_path / "a.zarr", gdal.Open(str(folder / "source.tif")), "FORMAT=ZARR_V2")
    metadata = json.loads((store / "a" / ".zarray").read_text())
    assert metadata["chunks"] == [3, 1024, 1024]
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


def test_bands_that_differ_become_arrays(tmp_path):
    source = save(tmp_path / "source.tif", np.ones((2, 600, 600), "f4"))
    copy = gdal.GetDriverByName("MEM").CreateCopy("", source)
    copy.GetRasterBand(1).SetNoDataValue(-1)
    copy.GetRasterBand(2).SetNoDataValue(-2)
    store = convert(tmp_path / "a.zarr", copy)
    dataset = open_raster(store)
    assert [dataset.GetRasterBand(i).GetNoDataValue() for i in (1, 2)] == [-1, -2]
    assert document(store, "Band1")["codecs"][0]["configuration"]["chunk_shape"] == [512, 512]


@pytest.mark.parametrize("bands, size", [(4, 700), (3, 700), (2, 700), (1, 700)])
def test_create(tmp_path, bands, size):
    """Create() gets no pixels, so the profile selects the encoding by the data type."""
    values = np.random.default_rng(8).integers(0, 255, (bands, size, size), dtype="u1")
    dataset = gdal.GetDriverByName("Zarr").Create(
        str(tmp_path / "a.zarr"), size, size, bands, gdal.GDT_Byte, ["PROFILE=CLOUD"]
    )
    for number, band in enumerate(values, 1):
        dataset.GetRasterBand(number).WriteArray(band)
    del dataset
    names = codecs_of(array_of(tmp_path / "a.zarr"))
    assert ("numcodecs.delta" in names) == (bands >= 3)
    dataset = open_raster(tmp_path / "a.zarr")
    np.testing.assert_array_equal(dataset.ReadAsArray().reshape(values.shape), values)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


def test_default_profile(tmp_path):
    source = save(tmp_path / "source.tif", np.ones((1, 600, 600), "u1"))
    with config_options(ZARR_DEFAULT_PROFILE="CLOUD"):
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert array_of(tmp_path / "a.zarr")["codecs"][0]["name"] == "sharding_indexed"
    with config_options(ZARR_DEFAULT_PROFILE="FAST"), error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "b.zarr"), source) is None
    assert "ZARR_DEFAULT_PROFILE: expected NONE, CLOUD or OME" in log.the_error()


@pytest.mark.parametrize("option, wanted", [
    ("PREDICTOR=MAYBE", "PREDICTOR: expected YES, NO, STANDARD or FLOATING_POINT"),
    ("LEVEL=0", "LEVEL: expected a number from 1 to 22"),
    ("LEVEL=x", "LEVEL: expected a number from 1 to 22"),
    ("BLOCKSIZE=0", "BLOCKSIZE: expected numbers >= 1"),
    ("OVERVIEWS=1", "OVERVIEWS: expected NONE, AUTO or factors"),
])  # fmt: skip
def test_wrong_values(tmp_path, option, wanted):
    source = save(tmp_path / "source.tif", np.ones((1, 600, 600), "u1"))
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), source, options=["PROFILE=CLOUD", option]
        )
    assert made is None and wanted in log.the_error()
    assert not os.path.exists(tmp_path / "a.zarr")


def test_compressor_of_geotiff_gives_a_warning(tmp_path):
    source = save(tmp_path / "source.tif", np.ones((1, 600, 600), "u1"))
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), source, options=["PROFILE=CLOUD", "COMPRESS=LZW"]
        )
    assert "Zarr has no LZW; the default ZSTD is used" in log.warnings[0]


@pytest.mark.parametrize("format", ["ZARR_V2", "ZARR_V3"])
def test_added_arrays_have_the_format_of_the_store(tmp_path, format):
    values = np.random.default_rng(9).integers(0, 9, (1, 600, 600), dtype="u1")
    source = save(tmp_path / "source.tif", values)
    driver = gdal.GetDriverByName("Zarr")
    assert driver.CreateCopy(str(tmp_path / "a.zarr"), source, options=[f"FORMAT={format}"])
    assert driver.CreateCopy(
        str(tmp_path / "a.zarr"), source,
        options=["PROFILE=CLOUD", "APPEND_SUBDATASET=YES", "ARRAY_NAME=second"],
    )  # fmt: skip
    dataset = gdal.Open(f'ZARR:"{tmp_path / "a.zarr"}":/second')
    np.testing.assert_array_equal(dataset.ReadAsArray()[None], values)


# ---------------------------------------------------------------------------------------------
# Rounding with the filter BITROUND


def informative_bits(samples):
    """Returns how many mantissa bits of float32 numbers hold 99 % of their information. Uses NumPy and the
    method of xbitinfo."""
    information = []
    for bit in range(31, -1, -1):
        counts = np.zeros(4)
        for sample in samples:
            bits = (sample.view("u4") >> bit) & 1
            counts += np.bincount((2 * bits[:, :-1] + bits[:, 1:]).ravel(), minlength=4)
        p = (counts / counts.sum()).reshape(2, 2)
        expected = np.outer(p.sum(1), p.sum(0))
        found = (p[p > 0] * np.log2(p[p > 0] / expected[p > 0])).sum()
        chance = 0.5 + 2.5758 / (2 * np.sqrt(counts.sum()))
        free = 1 + chance * np.log2(chance) + (1 - chance) * np.log2(1 - chance)
        information.append(found if found > free else 0)
    part = np.cumsum(information) / np.sum(information)
    return max(1, int(np.argmax(part >= 0.99)) + 1 - 9)


def keep_bits_of(store):
    first = array_of(store)["codecs"][0]["configuration"]["codecs"][0]
    return first["configuration"]["keepbits"] if first["name"].endswith("bitround") else None


def test_rounding_keeps_the_information(sources, tmp_path):
    values, folder = sources["dem"]
    store = convert(tmp_path / "a.zarr", gdal.Open(str(folder / "source.tif")), "BITROUND=AUTO")
    places = [(int(x * SIDE) // 512 * 512, int(y * SIDE) // 512 * 512)
              for x, y in ((0.5, 0.5), (0.2, 0.7), (0.75, 0.25))]  # fmt: skip
    wanted = informative_bits([values[0, y : y + 512, x : x + 512].copy() for x, y in places])
    assert keep_bits_of(store) == wanted < 23
    read = open_raster(store).ReadAsArray()
    np.testing.assert_allclose(read, values[0], rtol=2.0 ** -(wanted + 1))
    assert size_of(store) < 0.7 * size_of(folder / "store.zarr")


def test_rounding_to_a_number_of_bits(sources, tmp_path):
    values, folder = sources["dem"]
    store = convert(tmp_path / "a.zarr", gdal.Open(str(folder / "source.tif")), "BITROUND=12")
    assert keep_bits_of(store) == 12
    np.testing.assert_allclose(open_raster(store).ReadAsArray(), values[0], rtol=2.0**-13)


@pytest.mark.parametrize("nodata, bits", [(-9999, 13), (-32768, 4), (np.nan, 4), (-3.4028234663852886e38, None)])
@pytest.mark.slow
def test_rounding_keeps_nodata(tmp_path, nodata, bits):
    values = np.where(surface(5, 3)[:700, :700] > 1, nodata, 100 + surface(6, 3)[:700, :700]).astype("f4")
    source = save(tmp_path / "source.tif", values[None])
    copy = gdal.GetDriverByName("MEM").CreateCopy("", source)
    copy.GetRasterBand(1).SetNoDataValue(nodata)
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), copy, options=["PROFILE=CLOUD", "BITROUND=4"]
        )
    assert keep_bits_of(tmp_path / "a.zarr") == bits
    assert ["BITROUND: no bits are removed" in text for text in log.warnings] == ([True] if bits is None else [])
    dataset = open_raster(tmp_path / "a.zarr")
    band = dataset.GetRasterBand(1)
    is_nodata = np.isnan if np.isnan(nodata) else lambda read: read == np.float32(band.GetNoDataValue())
    np.testing.assert_array_equal(is_nodata(band.ReadAsArray()), is_nodata(values))


@pytest.mark.slow
def test_rounding_keeps_nodata_of_every_band(tmp_path):
    values = np.stack([100 + surface(6, 3)[:700, :700]] * 2).astype("f4")
    values[1, :9] = -9999
    copy = gdal.GetDriverByName("MEM").CreateCopy("", save(tmp_path / "source.tif", values))
    copy.GetRasterBand(1).SetNoDataValue(-2)
    copy.GetRasterBand(2).SetNoDataValue(-9999)
    store = convert(tmp_path / "a.zarr", copy, "BITROUND=4")
    dataset = open_raster(store)
    band = dataset.GetRasterBand(2)
    assert band.GetNoDataValue() == -9999 and (band.ReadAsArray()[:9] == -9999).all()


@pytest.mark.parametrize("bits", [1, 7, 20])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("nodata", [-1, 1024, 0, 3.0, -0.5, np.nan, np.inf, None])
def test_rounding_makes_no_nodata_and_no_infinity(tmp_path, nodata, kind, bits):
    """Rounding never turns a valid number into nodata, and never a finite number into infinity, even next to the nodata
    value."""
    largest = np.finfo(kind).max
    centre = 1 if nodata is None or not np.isfinite(nodata) else nodata
    near = centre * (1 + np.linspace(-0.75, 0.75, 1999) * 2.0 ** -np.arange(1, 24)[:, None])
    values = np.concatenate([near.ravel(), [centre, largest, -largest, 0.999 * largest, np.finfo(kind).tiny,
                             np.finfo(kind).smallest_subnormal, -np.finfo(kind).smallest_subnormal, 0]])  # fmt: skip
    values = values.astype(kind)[None, None]
    if nodata is not None:
        values[0, 0, ::5] = nodata
    copy = gdal.GetDriverByName("MEM").CreateCopy("", save(tmp_path / "source.tif", values))
    if nodata is not None:
        copy.GetRasterBand(1).SetNoDataValue(nodata)
    convert(tmp_path / "a.zarr", copy, f"BITROUND={bits}", "OVERVIEWS=NONE")
    kept = keep_bits_of(tmp_path / "a.zarr")
    dataset = open_raster(tmp_path / "a.zarr")
    band = dataset.GetRasterBand(1)
    read = band.ReadAsArray()
    is_nodata = np.zeros(read.shape, bool) if nodata is None else (
        np.isnan(values[0]) if np.isnan(nodata) else values[0] == nodata)  # fmt: skip
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray() != 0, ~is_nodata)
    np.testing.assert_array_equal(np.isfinite(read), np.isfinite(values[0]))
    if np.isfinite(centre):
        valid = np.isfinite(values[0]) & (np.abs(values[0]) >= np.finfo(kind).tiny)
        # The tolerance is one step between numbers with `kept` mantissa bits. BITROUND changes numbers by at most half
        # a step, or a whole step near the nodata value and the largest number.
        np.testing.assert_allclose(read[valid], values[0][valid], rtol=2.0**-kept)


@pytest.mark.parametrize("values, nodata, wanted", [
    ([-0.999, -0.5, 0.25, 0.999], -1, [-0.99609375, -0.5, 0.25, 1]),
    ([1023.9, 1000, 1025, 3.4e38], 1024, [1020, 1000, 1032, 3.38953139e38]),
    ([-1023.9, 1024, -1024, -3.4e38], 1024, [-1024, 1024, -1024, -3.38953139e38]),
])  # fmt: skip
def test_rounding_beside_nodata(tmp_path, values, nodata, wanted):
    copy = gdal.GetDriverByName("MEM").CreateCopy("", save(tmp_path / "source.tif", np.array([[values]], "f4")))
    copy.GetRasterBand(1).SetNoDataValue(nodata)
    convert(tmp_path / "a.zarr", copy, "BITROUND=7")
    np.testing.assert_array_equal(open_raster(tmp_path / "a.zarr").ReadAsArray()[0], np.array(wanted, "f4"))


@pytest.mark.parametrize("option", ["LEVEL=3", "PREDICTOR=2", "RESAMPLING=CUBIC", "STATISTICS=YES", "BITROUND=AUTO"])
def test_options_of_profiles_without_a_profile(tmp_path, option):
    source = save(tmp_path / "source.tif", np.ones((1, 60, 60), "f4"))
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source, options=[option])
    assert f"{option.partition('=')[0]}: is used only with PROFILE=CLOUD" in log.warnings[0]


@pytest.mark.parametrize("compress", ["ZSTD", "BLOSC", "DEFLATE"])
@pytest.mark.slow
def test_no_predictor_shuffles_nothing(sources, tmp_path, compress):
    _, folder = sources["scene"]
    source = gdal.Open(str(folder / "source.tif"))
    store = convert(tmp_path / "a.zarr", source, "PREDICTOR=NO", f"COMPRESS={compress}")
    (codec,) = array_of(store)["codecs"][0]["configuration"]["codecs"][1:]
    assert codec["configuration"].get("shuffle", "noshuffle") == "noshuffle"


@pytest.mark.parametrize("values, option, wanted", [
    ("u1", "BITROUND=AUTO", "only float32 and float64 are rounded"),
    ("f4", "BITROUND=some", "AUTO, NO or a number of bits >= 1"),
    ("f4", "BITROUND=0", "AUTO, NO or a number of bits >= 1"),
])  # fmt: skip
def test_wrong_rounding(tmp_path, values, option, wanted):
    source = save(tmp_path / "source.tif", np.ones((1, 600, 600), values))
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), source, options=["PROFILE=CLOUD", option]
        ) is None  # fmt: skip
    assert wanted in log.the_error()


# ---------------------------------------------------------------------------------------------
# Reads over HTTP


def requests_of(server, read):
    gdal.VSICurlClearCache()
    server.log()
    read()
    return server.log()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_opening_takes_two_requests_and_one_round_trip(sources, kind):
    _, folder = sources[kind]
    with config_options(GDAL_PAM_ENABLED="YES"), Served(folder, 0.25) as server:
        opened = []
        log = requests_of(server, lambda: opened.append(open_raster(f"ZARR:{server.url}/store.zarr")))
        asked = sorted(path for _, path, *_ in log["requests"])
        assert asked == ["/store.zarr.aux.xml", "/store.zarr/zarr.json"]
        assert log["in_turn"] == 1
        band = opened[0].GetRasterBand(1)
        assert opened[0].GetGeoTransform()[1] == 10 and opened[0].GetSpatialRef() is not None
        assert band.GetOverviewCount() == 2 and "STATISTICS_MEAN" in band.GetMetadata()
        assert server.log()["requests"] == []


def test_an_empty_folder_has_no_auxiliary_file(sources):
    _, folder = sources["photo"]
    options = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "GDAL_PAM_ENABLED": "YES"}
    with config_options(**options), Served(folder) as server:
        opened = []
        log = requests_of(server, lambda: opened.append(open_raster(f"ZARR:{server.url}/store.zarr")))
        assert [path for _, path, *_ in log["requests"]] == ["/store.zarr/zarr.json"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_tiles_take_no_more_requests_than_those_of_a_cog(sources, kind):
    _, folder = sources[kind]
    counts = {}
    options = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "GDAL_PAM_ENABLED": "YES"}
    with config_options(**options), Served(folder) as server:
        for name in ("/vsicurl/{}/cog.tif", "ZARR:/vsicurl/{}/store.zarr"):
            counts[name] = len(requests_of(server, lambda: draw(name.format(server.url)))["requests"])
    cog, store = counts.values()
    # The store takes at most two requests more than the COG, for the indexes of its shards.
    assert store <= cog + 2, counts


def draw(name):
    """Reads map tiles at random zoom levels."""
    dataset = gdal.Open(name)
    rng = np.random.default_rng(11)
    for _ in range(30):
        side = 256 << int(rng.integers(0, 3))
        x, y = (int(rng.integers(0, (SIDE - side) // 256 + 1)) * 256 for _ in range(2))
        assert dataset.ReadAsArray(x, y, side, side, buf_xsize=256, buf_ysize=256) is not None


def test_a_tile_of_colours_is_one_range(sources):
    _, folder = sources["photo"]
    with Served(folder) as server:
        dataset = open_raster(f"ZARR:{server.url}/store.zarr")
        dataset.ReadAsArray(0, 0, 16, 16)
        log = requests_of(server, lambda: dataset.ReadAsArray(1024, 1024, 256, 256))
        assert len(log["requests"]) == 1


MASKED = {"parent": [], "groups": ["OVERVIEW_LAYOUT=GROUPS"], "v2": ["FORMAT=ZARR_V2", "BLOCKSIZE=512"],
          "arrays": ["SINGLE_ARRAY=NO"]}  # fmt: skip


@pytest.mark.parametrize("layout", MASKED)
@pytest.mark.slow
def test_a_mask_takes_only_the_requests_of_its_chunks(tmp_path, layout):
    values = np.random.default_rng(6).integers(1, 255, (3, 1000, 1000), "u1")
    mask = np.tile(np.where(np.arange(1000) % 7 == 3, 0, 255).astype("u1"), (1000, 1))
    asked = {}
    for name in ("plain", "masked"):
        (tmp_path / name).mkdir()
        source = save(tmp_path / name / "s.tif", values, "PHOTOMETRIC=RGB")
        if name == "masked":
            source.CreateMaskBand(gdal.GMF_PER_DATASET)
            source.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        convert(tmp_path / name / "a.zarr", source, *MASKED[layout])

    def tile(name):
        dataset = gdal.Open(name)
        window = {"xoff": 512, "yoff": 512, "win_xsize": 488, "win_ysize": 488}
        for size in (488, 244):
            band = dataset.GetRasterBand(1)
            dataset.ReadRaster(512, 512, 488, 488, size, size)
            band.GetMaskBand().ReadAsArray(**window, buf_xsize=size, buf_ysize=size)

    # Requests are joined by the measured speed of the link. Its delay is one that a busy machine does not change.
    for name in ("plain", "masked"):
        with config_options(GDAL_PAM_ENABLED="YES"), Served(tmp_path / name, delay=0.05) as server:
            log = requests_of(server, lambda: tile(f"ZARR:{server.url}/a.zarr"))
        asked[name] = [path for _, path, *_ in log["requests"]]
    chunks = [path for path in asked["masked"] if "mask/" in path and not path.endswith(("json", ".zarray", ".zattrs"))]
    assert 2 <= len(chunks) <= 4  # full size and half size, each perhaps with the index of a shard
    assert sorted(set(asked["masked"]) - set(chunks)) == sorted(set(asked["plain"]))
    assert len(asked["masked"]) == len(asked["plain"]) + len(chunks)


# ---------------------------------------------------------------------------------------------
# Statistics of rasters that gdalwarp or Create() makes


def statistics_of(store, number=1):
    items = open_band(store, number).GetMetadata()
    return {name: value for name, value in items.items() if name.startswith("STATISTICS_")}


@pytest.mark.parametrize("profile", ["CLOUD", "OME"])
@pytest.mark.parametrize("option, has_some", [([], True), (["STATISTICS=YES"], True), (["STATISTICS=NO"], False)])
@pytest.mark.slow
def test_gdalwarp_stores_statistics_as_gdal_translate(tmp_path, profile, option, has_some):
    values = (np.arange(1200 * 1100) % 250).reshape(1100, 1200).astype("u1")
    save(tmp_path / "s.tif", np.stack([values, values // 2]))
    options = [word for text in (f"PROFILE={profile}", *option) for word in ("-co", text)]
    for program in ("gdal_translate", "gdalwarp"):
        run = [program, "-q", "-of", "Zarr", *options, str(tmp_path / "s.tif"), str(tmp_path / f"{program}.zarr")]
        subprocess.run(run, check=True)
    for number in (1, 2):
        copied, warped = (statistics_of(tmp_path / f"{name}.zarr", number) for name in ("gdal_translate", "gdalwarp"))
        assert copied == warped and bool(copied) == has_some
    assert not list(tmp_path.glob("*.zarr.aux.xml"))


def peaks(path):
    """Saves a plain of 50 with one peak, one hole and a corner of nodata, and returns its dataset. The overviews of
    the plain have neither peak nor hole."""
    values = np.full((1, 1100, 1200), 50, "f4")
    values[0, 777, 1001], values[0, 3, 5], values[0, 900:, :333] = 99, 1, -5
    save(path, values)
    dataset = gdal.Open(str(path), gdal.GA_Update)
    dataset.GetRasterBand(1).SetNoDataValue(-5)
    return dataset


@pytest.mark.parametrize("way", ["copy", "create"])
@pytest.mark.slow
def test_statistics_of_an_overview_are_not_those_of_all_pixels(tmp_path, way):
    source = peaks(tmp_path / "s.tif")
    store = tmp_path / "a.zarr"
    if way == "copy":
        convert(store, source)
    else:
        gdal.Warp(str(store), source, format="Zarr", creationOptions=["PROFILE=CLOUD"])
    stated = statistics_of(store)
    assert stated["STATISTICS_APPROXIMATE"] == "YES" and float(stated["STATISTICS_MAXIMUM"]) < 99
    # More pixels of an average overview are valid than of the raster.
    assert "STATISTICS_VALID_PERCENT" not in stated
    band = open_band(store)
    assert (band.GetMinimum(), band.GetMaximum()) == (None, None)
    assert band.GetStatistics(True, False)[2] == pytest.approx(50)
    for name in (tmp_path / "s.tif", store):
        run = ["gdal_contour", "-q", "-3d", "-a", "level", "-i", "10", str(name), f"{name}.geojson"]
        subprocess.run(run, check=True)
    tiff, own = (json.loads((tmp_path / f"{name}.geojson").read_text())["features"] for name in ("s.tif", "a.zarr"))
    levels = [sorted(feature["properties"]["level"] for feature in features) for features in (tiff, own)]
    assert levels[0] == levels[1] and {10, 90} <= set(levels[1])
    assert band.ComputeStatistics(False)[:2] == [1, 99]
    assert (band.GetMinimum(), band.GetMaximum()) == (1, 99)


@pytest.mark.parametrize("width, height", [(600, 500), (20, 10)])
def test_a_created_raster_gets_statistics_when_it_is_closed(tmp_path, width, height):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), width, height, 2, gdal.GDT_Int16, ["PROFILE=CLOUD"])
    for number in (1, 2):
        dataset.GetRasterBand(number).SetNoDataValue(-1)
    dataset.GetRasterBand(1).WriteArray(np.arange(width * height).reshape(height, width) % 100)
    dataset = None
    # The maximum is 99, but the overview that is read may lack it.
    assert float(statistics_of(store)["STATISTICS_MAXIMUM"]) >= 97
    assert "STATISTICS_MEAN" not in statistics_of(store, 2), "a band without valid pixels"


def test_a_created_raster_without_pixels_gets_no_statistics(tmp_path):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").Create(str(store), 600, 500, 1, gdal.GDT_Int16, ["PROFILE=CLOUD"])
    assert statistics_of(store) == {}


def test_statistics_of_the_program_are_kept(tmp_path):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 600, 500, 1, gdal.GDT_Int16, ["PROFILE=CLOUD"])
    dataset.GetRasterBand(1).WriteArray(np.arange(300000).reshape(500, 600) % 100)
    dataset.GetRasterBand(1).SetStatistics(-5, 500, 7, 8)
    dataset = None
    assert float(statistics_of(store)["STATISTICS_MAXIMUM"]) == 500


@pytest.mark.parametrize("blocks", ["BLOCKSIZE=64", "BLOCKSIZE=64,64"])
def test_pixels_may_be_interleaved_in_chunks_of_a_side(tmp_path, blocks):
    values = np.random.default_rng(5).integers(0, 255, (3, 300, 400), "u1")
    store = convert(tmp_path / "a.zarr", save(tmp_path / "s.tif", values), "INTERLEAVE=PIXEL", blocks)
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    assert dataset.GetRasterBand(1).GetBlockSize() == [64, 64]
    assert array_of(store)["shape"] == [300, 400, 3]
