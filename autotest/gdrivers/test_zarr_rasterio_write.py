# SPDX-License-Identifier: MIT
"""Writes, changes and reads stores with rasterio.

test_zarr_rasterio.py tests reads through GDAL's RasterIO()."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import rasterio
import rasterio.mask
import rasterio.merge
import rasterio.shutil
import zarr_corrupt
import zarr_formats
import zarr_python as zarr
from affine import Affine
from osgeo import gdal
from rasterio.control import GroundControlPoint
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, Interleaving, MaskFlags, Resampling
from rasterio.errors import RasterioError, RasterioIOError
from rasterio.io import MemoryFile
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window
from zarr_overviews import check_consolidated, entries

BANDS, ROWS, COLUMNS = 3, 50, 70
VALUES = np.arange(BANDS * ROWS * COLUMNS, dtype="i2").reshape(BANDS, ROWS, COLUMNS)
PLACE = Affine(10, 0, 500000, 0, -10, 5200000)
TYPES = ["uint8", "int16", "uint16", "int32", "uint32", "float32", "float64", "complex64", "complex128"]
if rasterio.dtypes.dtype_rev["int64"] == gdal.GDT_Int64:  # false in rasterio 1.3, where "int64" means another GDAL type
    TYPES += ["int64", "uint64"]
FAILURES = (RasterioError, RasterioIOError, rasterio._err.CPLE_BaseError)

pytestmark = [
    zarr_formats.BOTH,
    pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning"),
]


@pytest.fixture
def auxiliary():
    """Enables PAM, which is GDAL's default. With PAM, GDAL writes data that Zarr cannot hold to a file beside the
    store."""
    with rasterio.Env(GDAL_PAM_ENABLED="YES"):
        yield


def profile(values=VALUES, driver="Zarr", **changes):
    count, height, width = values.shape
    return {"driver": driver, "count": count, "height": height, "width": width,
            "dtype": values.dtype.name, "crs": "EPSG:32632", "transform": PLACE, **changes}  # fmt: skip


def write(path, values=VALUES, **changes):
    with rasterio.open(path, "w", **profile(values, **changes)) as dataset:
        dataset.write(values)
    return path


def read(path, *arguments, **options):
    with rasterio.open(path) as dataset:
        return dataset.read(*arguments, **options)


def metadata(store, name):
    return zarr_formats.array_document(store, name)


def told(error):
    """Returns the messages of an exception and of its causes, as one text."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@pytest.mark.parametrize("dtype", TYPES)
def test_each_data_type_comes_back(tmp_path, dtype):
    values = np.arange(-3000, 7500).reshape(VALUES.shape).astype(dtype)
    if dtype.startswith("complex"):
        values += (1j * values[:, ::-1]).astype(dtype)
    store = write(tmp_path / "a.zarr", values)
    with rasterio.open(store) as dataset:
        assert set(dataset.dtypes) == {dtype}
        np.testing.assert_array_equal(dataset.read(), values)
    array = zarr.open_group(str(store), mode="r")["a"]
    assert array.dtype == values.dtype
    np.testing.assert_array_equal(array[...], values)


PLACES = {"north up": PLACE, "south up": Affine(10, 0, 500000, 0, 10, 5200000),
          "rotated": Affine(10, 2, 500000, 1, -10, 5200000),
          "fine": Affine(1 / 3, 0, -1e-7, 0, -1 / 7, 1e-7)}  # fmt: skip


@pytest.mark.parametrize(
    "crs, place",
    [("EPSG:32632", "north up"), ("EPSG:3035", "south up"), ("EPSG:4326", "fine"), (None, "north up"),
     ("+proj=laea +lat_0=50 +lon_0=5", "rotated")],
)  # fmt: skip
def test_the_profile_comes_back(tmp_path, crs, place):
    wanted = profile(crs=CRS.from_user_input(crs) if crs else None, transform=PLACES[place], nodata=-7)
    with rasterio.open(tmp_path / "a.zarr", "w", **wanted):
        pass
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        got = dataset.profile
        assert dataset.interleaving == Interleaving.band
    assert tuple(got["transform"]) == pytest.approx(tuple(PLACES[place]), rel=1e-15, abs=1e-20)
    for key in set(wanted) - {"transform"}:
        assert got[key] == wanted[key], key


NODATA = [("uint8", 0), ("int16", -32768), ("float32", np.nan), ("float32", -9999),
          ("float64", 1e-300)]  # fmt: skip


@pytest.mark.parametrize("dtype, nodata", NODATA)
def test_nodata_makes_masks(tmp_path, dtype, nodata):
    values = (VALUES % 200 + 10).astype(dtype)
    valid = np.random.default_rng(4).random(values.shape) < 0.7
    values[~valid] = nodata
    store = write(tmp_path / "a.zarr", values, nodata=nodata)
    with rasterio.open(store) as dataset:
        np.testing.assert_equal(dataset.nodata, nodata)
        assert dataset.mask_flag_enums == ([MaskFlags.nodata],) * BANDS
        np.testing.assert_array_equal(dataset.read_masks(), valid * np.uint8(255))
        np.testing.assert_array_equal(dataset.dataset_mask(), valid.any(axis=0) * np.uint8(255))
        masked = dataset.read(masked=True)
        assert masked.count() == valid.sum()
        np.testing.assert_array_equal(masked.mask, ~valid)
        np.testing.assert_array_equal(masked.compressed(), values[valid])
    np.testing.assert_equal(float(metadata(store, "a")["fill_value"]), nodata)


def test_descriptions_scales_offsets_and_units_of_one_array(tmp_path):
    names = ("near", "middle", "f\u00e4r")
    with rasterio.open(tmp_path / "a.zarr", "w", **profile()) as dataset:
        dataset.descriptions = names
        dataset.scales, dataset.offsets = (0.5,) * BANDS, (-3.25,) * BANDS
        dataset.units = ("m s-1",) * BANDS
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        assert dataset.descriptions == names
        assert (dataset.scales, dataset.offsets) == ((0.5,) * BANDS, (-3.25,) * BANDS)
        assert dataset.units == ("m s-1",) * BANDS
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="r")
    assert list(group["band"][:]) == list(names)
    attributes = group["a"].attrs
    found = [attributes[name] for name in ("scale_factor", "add_offset", "units")]
    assert found == [0.5, -3.25, "m s-1"]


def test_bands_that_are_arrays_keep_their_properties(tmp_path, auxiliary):
    wanted = {"descriptions": ("b1", "b2", "b3"), "scales": (0.5, 2.0, 1.0),
              "offsets": (1.0, 2.0, 3.0), "units": ("m", "s", "K")}  # fmt: skip
    with rasterio.open(tmp_path / "a.zarr", "w", **profile(single_array="NO")) as dataset:
        dataset.write(VALUES)
        for name, value in wanted.items():
            setattr(dataset, name, value)
        for band in dataset.indexes:
            dataset.update_tags(band, sensor=f"s{band}")
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        assert {name: getattr(dataset, name) for name in wanted} == wanted
        assert [dataset.tags(band)["sensor"] for band in dataset.indexes] == ["s1", "s2", "s3"]
        np.testing.assert_array_equal(dataset.read(), VALUES)


def test_scales_that_one_array_cannot_keep_are_kept_or_refused(tmp_path, auxiliary, caplog):
    with rasterio.open(tmp_path / "a.zarr", "w", **profile()) as dataset:
        dataset.scales = (1.0, 2.0, 3.0)
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        assert dataset.scales == (1.0, 2.0, 3.0) or "scale" in caplog.text


def test_tags_of_datasets_bands_and_namespaces(tmp_path, auxiliary):
    store = tmp_path / "a.zarr"
    with rasterio.open(store, "w", **profile()) as dataset:
        dataset.update_tags(title="Alpen f\u00fcr alle", count=3)
        dataset.update_tags(2, sensor="second")
        dataset.update_tags(ns="MINE", key="of the dataset")
        dataset.update_tags(1, ns="MINE", key="of the band")
    with rasterio.open(store) as dataset:
        assert dataset.tags() == {"title": "Alpen f\u00fcr alle", "count": "3"}
        assert dataset.tags(2)["sensor"] == "second" and "sensor" not in dataset.tags(1)
        assert dataset.tags(ns="MINE") == {"key": "of the dataset"}
        assert dataset.tags(1, ns="MINE") == {"key": "of the band"}
        assert dataset.tags(ns="ZARR")["CHUNK_SHAPE"] == "1,50,70"
    assert zarr.open_group(str(store), mode="r")["a"].attrs["title"] == "Alpen f\u00fcr alle"


@pytest.mark.parametrize(
    "beside",
    [{}, {"ns": "MINE"}],
)
def test_a_changed_tag_is_the_new_one(tmp_path, auxiliary, beside):
    """After a tag is changed, readers find its new value, even if an auxiliary file holds other tags of the dataset."""
    with rasterio.open(tmp_path / "a.zarr", "w", **profile()) as dataset:
        dataset.update_tags(title="old")
        dataset.update_tags(**beside, key="value")
    with rasterio.open(tmp_path / "a.zarr", "r+") as dataset:
        dataset.update_tags(title="new")
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        assert dataset.tags()["title"] == "new"
        assert dataset.tags(**beside)["key"] == "value"


@pytest.mark.parametrize("blocks", [(16, 16), (50, 70), (1, 64)])
def test_written_and_read_block_by_block(tmp_path, blocks):
    """The store has one chunk for each block that rasterio writes. Written blocks can be read before the dataset is
    closed."""
    store = tmp_path / "a.zarr"
    options = profile(blocksize=",".join(map(str, (1, *blocks))))
    with rasterio.open(store, "w+", **options) as dataset:
        assert dataset.block_shapes == [blocks] * BANDS
        for band in dataset.indexes:
            windows = [window for _, window in dataset.block_windows(band)]
            assert len(windows) == -(-ROWS // blocks[0]) * -(-COLUMNS // blocks[1])
            for window in windows:
                dataset.write(VALUES[band - 1][window.toslices()], band, window=window)
        np.testing.assert_array_equal(dataset.read(), VALUES)
    with rasterio.open(store) as dataset:
        for (i, j), window in dataset.block_windows(2):
            assert (window.row_off, window.col_off) == (i * blocks[0], j * blocks[1])
            np.testing.assert_array_equal(dataset.read(2, window=window), VALUES[1][window.toslices()])
    assert len(zarr_formats.chunk_keys(store, "a")) == BANDS * len(windows)


def test_windows_that_share_chunks(tmp_path):
    store, wanted = tmp_path / "a.zarr", np.zeros_like(VALUES)
    with rasterio.open(store, "w", **profile(blocksize="2,16,16")) as dataset:
        for row, column in [(0, 0), (13, 11), (40, 60), (5, 3), (0, 69)]:
            where = (slice(None), slice(row, row + 17), slice(column, column + 23))
            wanted[where] = VALUES[where]
            height, width = wanted[where].shape[1:]
            dataset.write(VALUES[where], window=Window(column, row, width, height))
        wanted[1, 30:32] = 9
        dataset.write(np.full((2, COLUMNS), 9, "i2"), 2, window=Window(0, 30, COLUMNS, 2))
    np.testing.assert_array_equal(read(store), wanted)
    boundless = read(store, 1, window=Window(-5, -4, 20, 10), boundless=True, fill_value=-1)
    np.testing.assert_array_equal(boundless[4:, 5:], wanted[0, :6, :15])
    assert (boundless[:4] == -1).all() and (boundless[:, :5] == -1).all()


def test_an_update_changes_only_what_was_written(tmp_path):
    store = write(tmp_path / "a.zarr", blocksize="1,16,16", nodata=-1)
    before = zarr_formats.contents(store)
    with rasterio.open(store, "r+") as dataset:
        dataset.write(np.full((4, 5), 1234, "i2"), 3, window=Window(20, 18, 5, 4))
        dataset.crs, dataset.transform = "EPSG:32633", PLACE * Affine.scale(2)
        dataset.nodata = -2
        dataset.set_band_description(2, "two")
        assert dataset.read(3, window=Window(20, 18, 1, 1)) == 1234
    wanted = VALUES.copy()
    wanted[2, 18:22, 20:25] = 1234
    with rasterio.open(store) as dataset:
        np.testing.assert_array_equal(dataset.read(), wanted)
        assert (dataset.crs.to_epsg(), dataset.nodata) == (32633, -2)
        assert dataset.transform == PLACE * Affine.scale(2)
        assert dataset.descriptions[1] == "two"
    after = zarr_formats.contents(store)
    chunks = {name for name in before if name.startswith("a/")} - {f"a/{name}" for name in zarr_formats.FILES}
    assert {name for name in chunks if before[name] != after[name]} == {zarr_formats.chunk_key(store, "a", 2, 1, 1)}
    check_consolidated(store)


@pytest.mark.parametrize(
    "at_first",
    [None, -1],
)
def test_nodata_that_is_removed_stays_so(tmp_path, at_first):
    store = write(tmp_path / "a.zarr", nodata=at_first)
    for nodata in (-2, None):
        with rasterio.open(store, "r+") as dataset:
            dataset.nodata = nodata
        with rasterio.open(store) as dataset:
            assert dataset.nodata == nodata
    assert rasterio.open(store).mask_flag_enums[0] == [MaskFlags.all_valid]


def test_colours(tmp_path, auxiliary):
    values = (VALUES % 3).astype("u1")
    table = {0: (255, 0, 0, 255), 1: (0, 255, 0, 255), 2: (0, 0, 255, 128)}
    with rasterio.open(tmp_path / "a.zarr", "w", **profile(values[:1])) as dataset:
        dataset.write_colormap(1, table)
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        assert dataset.colorinterp == (ColorInterp.palette,)
        assert {key: dataset.colormap(1)[key] for key in table} == table
    colours = (ColorInterp.gray, ColorInterp.alpha)
    with rasterio.open(tmp_path / "b.zarr", "w", **profile(values[:2])) as dataset:
        dataset.colorinterp = colours
    with rasterio.open(tmp_path / "b.zarr") as dataset:
        assert dataset.colorinterp == colours
        assert MaskFlags.alpha in dataset.mask_flag_enums[0]


@pytest.mark.parametrize("interleave, rows", [("pixel", 19), ("band", 58)])
def test_the_default_strip_of_a_geotiff_is_no_chunk(tmp_path, interleave, rows):
    """In rasterio 1.4 and later, the profile of a GeoTIFF states GDAL's default strips as block size, without `tiled`.
    The driver ignores a block size that equals these strips, and uses any other block size."""
    shape = (BANDS, 2 * ROWS, COLUMNS)
    values = np.arange(np.prod(shape)).reshape(shape).astype(VALUES.dtype)
    found = {}
    for name, height in (("strip", rows), ("block", rows + 1)):
        write(tmp_path / f"{name}.zarr", values, blockxsize=COLUMNS, blockysize=height, interleave=interleave)
        chunks = metadata(tmp_path / f"{name}.zarr", name)["chunks"]
        found[name] = chunks[0] if interleave == "pixel" else chunks[1]
    assert found == {"strip": 2 * ROWS, "block": rows + 1}


def test_an_unknown_creation_option_gives_a_warning(tmp_path, caplog):
    store = write(tmp_path / "a.zarr", bigtiff="YES")
    assert "BIGTIFF" in caplog.text
    np.testing.assert_array_equal(read(store), VALUES)


PROFILES = {
    "strips": dict(),
    "lzw": dict(compress="lzw", predictor=2, bigtiff="yes", num_threads="all_cpus"),
    "packbits": dict(compress="packbits", interleave="pixel", sparse_ok=True),
    "jpeg": dict(
        compress="jpeg", tiled=True, blockxsize=32, blockysize=16, interleave="pixel",
        photometric="ycbcr",
    ),
    "deflate": dict(compress="deflate", zlevel=9, tiled=True, blockxsize=32, blockysize=16),
    "lerc": dict(compress="lerc", max_z_error=0),
}  # fmt: skip


@pytest.mark.parametrize("name", PROFILES)
def test_the_profile_of_a_geotiff_makes_a_store(tmp_path, caplog, name):
    """Users change only the driver of a profile that they have read: profile.update(driver="Zarr"). The driver ignores
    the strips of the profile, and gives one warning about options that only GeoTIFF has."""
    values = VALUES.astype("u1") if name == "jpeg" else VALUES
    write(tmp_path / "a.tif", values, **PROFILES[name] | {"driver": "GTiff"})
    with rasterio.open(tmp_path / "a.tif") as source:
        found = {**source.profile, **PROFILES[name], "driver": "Zarr"}
        values = source.read()
    caplog.clear()
    with rasterio.open(tmp_path / "a.zarr", "w", **found) as dataset:
        dataset.write(values)
    tiled, pixel = "blockxsize" in PROFILES[name], found["interleave"] == "pixel"
    chunk = (16, 32) if tiled else (ROWS, COLUMNS)
    chunk = (*chunk, BANDS) if pixel else (1, *chunk)
    held = metadata(tmp_path / "a.zarr", "a")
    assert tuple(held["chunks"]) == chunk
    compressors = {"deflate": {"id": "zlib", "level": 9}, "jpeg": {"id": "imagecodecs_jpeg", "level": 75}}
    if name in compressors:
        assert held["compressor"] == compressors[name]
    else:
        assert held["compressor"]["id"] == "blosc"
    difference = np.abs(read(tmp_path / "a.zarr").astype("i8") - values)
    assert difference.mean() < 10 if name == "jpeg" else difference.max() == 0
    has_no = {"lzw", "packbits", "lerc"}
    expected = [f"COMPRESS: Zarr has no {name}"] if name in has_no else []
    unknown = [option.upper() for option in PROFILES[name]
               if option in ("predictor", "bigtiff", "num_threads", "sparse_ok",
                             "max_z_error")]  # fmt: skip
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == len(expected) + len(unknown), warnings
    for part in expected + unknown:
        assert sum(part in text for text in warnings) == 1, (part, warnings)


OPTIONS = [
    (dict(compress="zstd", zstd_level=3), "compressor", {"id": "zstd", "level": 3}),
    (dict(compress="NONE"), "compressor", None),
    (dict(filter="delta"), "filters", [{"id": "delta", "dtype": "<i2", "astype": "<i2"}]),
    (dict(blocksize="3,20,30"), "chunks", [3, 20, 30]),
    (dict(interleave="pixel"), "shape", [ROWS, COLUMNS, BANDS]),
    (dict(chunk_memory_layout="F"), "order", "F"),
]


@pytest.mark.parametrize("options, key, wanted", OPTIONS, ids=lambda value: str(value)[:30])
def test_creation_options(tmp_path, options, key, wanted):
    store = write(tmp_path / "a.zarr", **options)
    assert metadata(store, "a")[key] == wanted
    np.testing.assert_array_equal(read(store), VALUES)


def test_the_separator_of_keys_as_an_option(tmp_path):
    separator, key = (".", "c.0.0.0") if zarr_formats.is_v3() else ("/", "0/0/0")
    store = write(tmp_path / "a.zarr", dim_separator=separator)
    assert (store / "a" / key).is_file()
    np.testing.assert_array_equal(read(store), VALUES)


@pytest.mark.parametrize("method", [Resampling.nearest, Resampling.average, Resampling.mode])
def test_overviews(tmp_path, method):
    """Overviews equal those that rasterio builds in a tiled GeoTIFF. rasterio reads the overviews by output shape, by
    overview_level and in a window."""
    store = write(tmp_path / "a.zarr", blocksize="1,16,16")
    tiled = dict(driver="GTiff", tiled=True, blockxsize=32, blockysize=32, interleave="band")
    tiff = write(tmp_path / "a.tif", **tiled)
    for path in (store, tiff):
        with rasterio.open(path, "r+") as dataset:
            dataset.build_overviews([2, 4], method)
    for level, shape in enumerate([(25, 35), (13, 18)]):
        wanted = read(tiff, out_shape=(BANDS, *shape))
        np.testing.assert_array_equal(read(store, out_shape=(BANDS, *shape)), wanted)
        with rasterio.open(store, overview_level=level) as dataset:
            assert dataset.shape == shape
            np.testing.assert_array_equal(dataset.read(), wanted)
    with rasterio.open(store) as dataset:
        assert [dataset.overviews(band) for band in dataset.indexes] == [[2, 4]] * BANDS
        window = Window(10, 8, 40, 30)
        half = dataset.read(2, window=window, out_shape=(15, 20))
    np.testing.assert_array_equal(half, read(tiff, 2, window=window, out_shape=(15, 20)))
    assert not (tmp_path / "a.zarr.ovr").exists()


def test_a_mask_is_in_the_store(tmp_path):
    store, mask = write(tmp_path / "a.zarr"), (VALUES[0] % 3 > 0) * np.uint8(255)
    with rasterio.open(store, "r+") as dataset:
        dataset.write_mask(mask)
    with rasterio.open(store) as dataset:
        assert dataset.mask_flag_enums == ([MaskFlags.per_dataset],) * BANDS
        np.testing.assert_array_equal(dataset.dataset_mask(), mask)
        np.testing.assert_array_equal(dataset.read(2, masked=True).mask, mask == 0)
        assert [os.path.basename(name) for name in dataset.files] == ["a.zarr"]
    assert os.listdir(tmp_path) == ["a.zarr"]


def test_the_mask_goes_with_the_store(tmp_path):
    store = write(tmp_path / "a.zarr")
    with rasterio.open(store, "r+") as dataset:
        dataset.write_mask(np.zeros((ROWS, COLUMNS), "u1"))
    rasterio.shutil.delete(str(store))
    assert os.listdir(tmp_path) == []


def test_copy_exists_and_delete(tmp_path):
    store, copy = str(write(tmp_path / "a.zarr", nodata=5)), str(tmp_path / "copy.zarr")
    tiff = str(write(tmp_path / "a.tif", driver="GTiff", interleave="band"))
    rasterio.shutil.copy(store, copy, driver="Zarr", compress="ZLIB", blocksize="1,25,70")
    with rasterio.open(copy) as dataset:
        assert (dataset.nodata, dataset.crs.to_epsg(), dataset.transform) == (5, 32632, PLACE)
        np.testing.assert_array_equal(dataset.read(), VALUES)
    assert metadata(tmp_path / "copy.zarr", "copy")["compressor"]["id"] == "zlib"
    with rasterio.open(tiff) as dataset:
        rasterio.shutil.copy(dataset, copy, driver="Zarr")
    assert sorted(entries(copy)) == sorted(name.replace("a/", "copy/", 1) if name[:2] == "a/" else name
                                           for name in entries(store))  # fmt: skip
    rasterio.shutil.copyfiles(copy, str(tmp_path / "third.zarr"))
    np.testing.assert_array_equal(read(tmp_path / "third.zarr"), VALUES)
    assert rasterio.shutil.exists(copy)
    rasterio.shutil.delete(copy)
    assert not rasterio.shutil.exists(copy) and not os.path.exists(copy)


def test_a_copy_of_several_bands_is_one_array_of_band_y_x(tmp_path):
    """A copy has one array of the shape (bands, rows, columns) even if the bands of its source are interleaved by
    pixel."""
    tiff = write(tmp_path / "a.tif", driver="GTiff", interleave="pixel")
    rasterio.shutil.copy(str(tiff), str(tmp_path / "a.zarr"), driver="Zarr")
    assert metadata(tmp_path / "a.zarr", "a")["shape"] == [BANDS, ROWS, COLUMNS]


def test_only_a_store_is_overwritten(tmp_path):
    store = write(tmp_path / "a.zarr", array_name="old")
    write(store, VALUES[:1], array_name="new")
    assert read(store).shape == (1, ROWS, COLUMNS) and not (store / "old").exists()
    folder = tmp_path / "mine.zarr"
    folder.mkdir()
    for place in (folder, store):
        (place / "letter.txt").write_text("precious")
        before = entries(place)
        with pytest.raises(FAILURES) as caught:
            write(place)
        assert "letter.txt" in told(caught.value)
        assert entries(place) == before


@pytest.fixture
def both(tmp_path):
    """Writes a store and a GeoTIFF with equal values and equal nodata values. Returns both paths."""
    return [write(tmp_path / name, driver=driver, nodata=60)
            for name, driver in (("a.zarr", "Zarr"), ("a.tif", "GTiff"))]  # fmt: skip


def through_a_warped_vrt(path):
    with rasterio.open(path) as dataset, WarpedVRT(
        dataset, crs="EPSG:3857", resampling=Resampling.bilinear, nodata=-1
    ) as warped:
        values = warped.read(window=Window(5, 6, 40, 30))
        return values, tuple(warped.transform), warped.dataset_mask()


def through_a_mask(path):
    triangle = {"type": "Polygon", "coordinates": [[[500103, 5199903], [500503, 5199903],
                                                    [500303, 5199603], [500103, 5199903]]]}  # fmt: skip
    with rasterio.open(path) as dataset:
        values, place = rasterio.mask.mask(dataset, [triangle], crop=True)
        return values, tuple(place), rasterio.mask.mask(dataset, [triangle], invert=True)[0]


def through_samples(path):
    points = [(500005, 5199995), (500695, 5199505), (499995, 5199995), (500350.1, 5199700.2)]
    with rasterio.open(path) as dataset:
        return np.array(list(dataset.sample(points))), [dataset.index(*point) for point in points[:2]]


def through_a_merge(path):
    shifted = path.with_name("shifted" + path.suffix)
    with rasterio.open(path) as dataset:
        options = {**dataset.profile, "transform": PLACE * Affine.translation(33, -11)}
    for name in ("tiled", "blockxsize", "blockysize"):
        options.pop(name, None)
    with rasterio.open(shifted, "w", **options) as dataset:
        dataset.write(VALUES + 1)
    with rasterio.open(path) as one, rasterio.open(shifted) as other:
        values, place = rasterio.merge.merge([one, other])
        assert values.shape == (BANDS, ROWS + 11, COLUMNS + 33)
        return values, tuple(place)


def through_threads(path):
    """Reads several windows in parallel threads. Each thread has its own dataset."""
    windows = [Window(column, row, 17, 13) for row in (0, 20, 37) for column in (0, 30, 53)]
    with ThreadPoolExecutor(4) as pool:
        return tuple(pool.map(lambda window: read(path, window=window), windows))


WAYS = [through_a_warped_vrt, through_a_mask, through_samples, through_a_merge, through_threads]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_reads_equal_those_of_a_geotiff(both, way):
    got, wanted = way(both[0]), way(both[1])
    assert np.ptp(wanted[0]) > 0
    for one, other in zip(got, wanted):
        np.testing.assert_array_equal(one, other)


def test_zip_files(tmp_path):
    path = write(tmp_path / "a.zarr.zip")
    for name in (path, f"zip://{path}"):
        np.testing.assert_array_equal(read(name), VALUES)
    with MemoryFile(ext=".zarr.zip") as memory:
        with memory.open(**profile()) as dataset:
            dataset.write(VALUES)
        with memory.open() as dataset:
            np.testing.assert_array_equal(dataset.read(), VALUES)


def test_a_file_in_memory_must_be_named_as_a_zip_file():
    """rasterio creates a file with the given name, but a store is a folder. The error therefore recommends
    the name x.zarr.zip."""
    with MemoryFile(ext=".zarr") as memory, pytest.raises(RasterioIOError, match=r"x\.zarr\.zip"):
        memory.open(**profile())


def test_subdatasets_open_by_the_names_that_rasterio_gives(tmp_path):
    store = write(tmp_path / "a.zarr", array_name="deep/one")
    write(store, VALUES[:2, :, :30], array_name="two", append_subdataset=True)
    with rasterio.open(store) as dataset:
        names = dataset.subdatasets
        assert dataset.count == 0
    got = {name.rpartition(":/")[2]: read(name) for name in names}
    np.testing.assert_array_equal(got["deep/one"], VALUES)
    np.testing.assert_array_equal(got["two"], VALUES[:2, :, :30])
    with rasterio.open(names[0], "r+") as dataset:
        dataset.write(VALUES[0] * 0, 1)
    assert not read(names[0], 1).any() and read(names[1]).any()


def test_ground_control_points(tmp_path, auxiliary):
    points = [GroundControlPoint(0.5, 0.5, 10, 50, 1), GroundControlPoint(0.5, 29.5, 11, 50, 2),
              GroundControlPoint(19.5, 0.5, 10, 49, 3)]  # fmt: skip
    with rasterio.open(tmp_path / "a.zarr", "w", **profile(crs=None, transform=None)) as dataset:
        dataset.gcps = (points, CRS.from_epsg(4326))
    with rasterio.open(tmp_path / "a.zarr") as dataset:
        got, crs = dataset.gcps
    place = [(p.row, p.col, p.x, p.y, p.z) for p in points]
    assert [(p.row, p.col, p.x, p.y, p.z) for p in got] == place and crs.to_epsg() == 4326


REFUSED = {
    "no store": ("nowhere.zarr", "r", {}, "nowhere.zarr"),
    "a codec": ("unknown_codec.zarr", "r", {}, 'compressor: unknown codec "middle-out"'),
    "a compressor": ("b.zarr", "w", dict(compress="RAR"), 'creation option COMPRESS: expected NONE'),
    "a block size": ("b.zarr", "w", dict(blocksize="0"), "creation option BLOCKSIZE: expected numbers"),
    "complex integers": ("b.zarr", "w", dict(dtype="complex_int16"), "is not supported by Zarr"),
    "a file": ("letter.txt", "w", {}, "is a file, so it is not overwritten"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_exceptions_that_say_why(tmp_path, case):
    name, mode, options, words = REFUSED[case]
    (tmp_path / "letter.txt").write_text("precious")
    write(tmp_path / "a.zarr.zip")
    zarr_corrupt.make(tmp_path, "unknown_codec")
    options = profile(**options) if mode == "w" else {}
    with pytest.raises(FAILURES) as caught:
        with rasterio.open(tmp_path / name, mode, **options) as dataset:
            dataset.update_tags(key="value")
    assert words in told(caught.value) and str(name) in told(caught.value)
    assert sorted(os.listdir(tmp_path)) == ["a.zarr.zip", "letter.txt", "unknown_codec.zarr"]


def test_a_chunk_that_is_damaged_is_an_exception(tmp_path):
    store = write(tmp_path / "a.zarr", blocksize="1,16,16", compress="ZLIB")
    chunk = zarr_formats.chunk_file(store, "a", 1, 2, 0)
    chunk.write_bytes(chunk.read_bytes()[:30])
    with rasterio.open(store) as dataset:
        with pytest.raises(RasterioIOError) as caught:
            dataset.read(2)
        key = chunk.relative_to(store).as_posix()
        assert f"{key}: chunk [1, 2, 0]: " in told(caught.value)
        assert "zlib: compressed data is truncated" in told(caught.value)
        np.testing.assert_array_equal(dataset.read(1), VALUES[0])


@pytest.mark.parametrize("scale, offset, stored", [
    (1.0, 0.0, {}), (2.0, 0.0, {"scale_factor": 2.0, "add_offset": 0.0}),
    (1.0, 5.0, {"add_offset": 5.0}),
])  # fmt: skip
def test_a_scale_that_changes_nothing_is_not_stored(tmp_path, scale, offset, stored):
    """rasterio and rioxarray always set a scale and an offset. The driver does not store the values 1 and 0, because
    xarray would convert the pixels to floats."""
    path = str(tmp_path / "s.zarr")
    profile = {"driver": "Zarr", "width": 4, "height": 3, "count": 1, "dtype": "uint8", "ARRAY_NAME": "a"}
    with rasterio.open(path, "w", **profile) as made:
        made.scales, made.offsets = [scale], [offset]
    attributes = zarr.open_array(path + "/a", mode="r").attrs
    assert {name: attributes[name] for name in ("scale_factor", "add_offset") if name in attributes} == stored
    with rasterio.open(path, "r+") as made:
        assert (made.scales, made.offsets) == ((scale,), (offset,))
        made.scales, made.offsets = [1.0], [0.0]
    with rasterio.open(path) as made:
        assert (made.scales, made.offsets) == ((1.0,), (0.0,))
