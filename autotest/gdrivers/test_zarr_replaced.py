# SPDX-License-Identifier: MIT
"""A store is replaced while it is open. Reads that would decode chunks of the new store as chunks of the old one fail
once for each read, and say that the store was replaced. A second open reads the new store."""

import shutil

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import error_log, open_raster
from zarr_processes import run_at_once
from zarr_store import zip_folder

pytestmark = zarr_formats.BOTH

REPLACED = "the store was replaced after it was opened; open it again"
VALUES = (np.arange(40 * 60) * 7 % 30011).astype(np.int16).reshape(40, 60)
BASE = {"COMPRESS": "NONE", "BLOCKSIZE": "16,20"}
# Creation options of the new store. The chunks of the old one and of most of these have equal sizes.
OTHERS = {
    "compressor": {"COMPRESS": "ZLIB"},
    "filter": {"FILTER": "DELTA"},
    "byte order": {"ENDIAN": "BIG"},
    "memory order": {"CHUNK_MEMORY_LAYOUT": "F"},
    "chunk shape": {"BLOCKSIZE": "20,16"},
    "separator": {"DIM_SEPARATOR": "/"},
    "shards": {"SHARD_CHUNK_SHAPE": "8,10"},
    "type": {},
}


def copy(store, values=VALUES, **options):
    """Writes the values to the store, which is replaced if it exists."""
    source = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, gdal.GDT_Int16)
    if values.dtype == np.uint16:
        source = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, gdal.GDT_UInt16)
    source.SetGeoTransform((0, 1, 0, 0, 0, -1))
    source.GetRasterBand(1).WriteArray(values)
    listed = [f"{name}={value}" for name, value in {**BASE, **options}.items()]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=listed) is not None


def copy_elsewhere(report, store, values, options):
    copy(store, values, **options)


def new_store(kind):
    """Returns values and creation options of a store of `kind`; skips what a version of Zarr cannot have."""
    if kind == "separator" and zarr_formats.is_v3():
        return VALUES[::-1].copy(), {"DIM_SEPARATOR": "."}
    values = VALUES[::-1].astype(np.uint16) if kind == "type" else VALUES[::-1].copy()
    return values, OTHERS[kind]


def assert_refused(read):
    """Asserts that a read fails with one error."""
    with error_log() as log:
        assert read() is None
    assert REPLACED in log.the_error()


def assert_array_refused(array):
    """The bindings of GDAL return an array of NumPy even if the multidimensional read has failed."""
    with error_log() as log:
        array.ReadAsArray()
    assert REPLACED in log.the_error()


def kinds():
    return [name for name in OTHERS if name != "shards"]


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("kind", kinds() + ["shards"])
def test_replaced_by_another_kind_of_array(tmp_path, kind, is_own):
    if kind == "shards" and not zarr_formats.is_v3():
        kind = "chunk shape"  # Zarr v2 has no shards
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("x")
    np.testing.assert_array_equal(raster.ReadAsArray(0, 0, 20, 16), VALUES[:16, :20])
    np.testing.assert_array_equal(array.ReadAsArray([0, 0], [16, 20]), VALUES[:16, :20])
    values, options = new_store(kind)
    if is_own:
        copy(store, values, **options)
    else:
        run_at_once([(copy_elsewhere, store, values, options)])
    for _ in range(2):  # each read fails
        assert_refused(lambda: raster.ReadAsArray())
        assert_refused(lambda: raster.GetRasterBand(1).ReadAsArray(0, 0, 3, 3))
        assert_array_refused(array)
    with error_log() as log:
        again = open_raster(store)
        np.testing.assert_array_equal(again.ReadAsArray(), values)
        group = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        np.testing.assert_array_equal(group.OpenMDArray("x").ReadAsArray(), values)
    log.assert_quiet()
    assert_refused(lambda: raster.ReadAsArray())


@pytest.mark.parametrize("kind", kinds())
def test_opened_before_and_first_read_after(tmp_path, kind):
    """Arrays that are opened lazily are those of the store that was opened."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    group = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    array = group.OpenMDArray("x")
    values, options = new_store(kind)
    copy(store, values, **options)
    assert_refused(lambda: raster.ReadAsArray())
    assert_array_refused(array)


def test_replaced_by_an_array_of_the_same_kind(tmp_path):
    """Chunks that are cached are read again."""
    store = tmp_path / "x.zarr"
    copy(store, COMPRESS="ZLIB")
    raster = open_raster(store)
    np.testing.assert_array_equal(raster.ReadAsArray(3, 3, 10, 10), VALUES[3:13, 3:13])
    copy(store, VALUES[::-1].copy(), COMPRESS="ZLIB")
    with error_log() as log:
        raster.ReadAsArray(3, 3, 10, 10)
        np.testing.assert_array_equal(raster.ReadAsArray(), VALUES[::-1])
    log.assert_quiet()


def test_replaced_and_put_back(tmp_path):
    """Chunks of the other store that a failed read has seen are forgotten."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    shutil.copytree(store, tmp_path / "kept")
    copy(store, VALUES[::-1].copy(), ENDIAN="BIG")
    assert_refused(lambda: raster.ReadAsArray(3, 3, 10, 10))
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "kept", store)
    np.testing.assert_array_equal(raster.ReadAsArray(), VALUES)


def test_another_fill_value(tmp_path):
    """Absent chunks have other values."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    document = zarr_formats.array_document(store, "x")
    zarr_formats.put_array_document(store, {**document, "fill_value": 6}, "x")
    assert_refused(lambda: raster.ReadAsArray())


def test_deleted(tmp_path):
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    shutil.rmtree(store / "x")
    with error_log() as log:
        assert raster.ReadAsArray() is None
    assert "the array was deleted after it was opened" in log.the_error()


def test_a_zip_file(tmp_path):
    for name, options in (("old", {}), ("new", {"ENDIAN": "BIG"})):
        (tmp_path / name).mkdir()
        copy(tmp_path / name / "x.zarr", **options)
        zip_folder(tmp_path / name / "x.zarr", tmp_path / f"{name}.zip")
    (tmp_path / "old.zip").rename(tmp_path / "x.zip")
    raster = open_raster(tmp_path / "x.zip")
    np.testing.assert_array_equal(raster.ReadAsArray(0, 0, 20, 16), VALUES[:16, :20])
    (tmp_path / "new.zip").rename(tmp_path / "x.zip")
    with error_log() as log:
        assert raster.ReadAsArray() is None
    assert "the zip file was replaced after it was opened; open it again" in log.the_error()
    np.testing.assert_array_equal(open_raster(tmp_path / "x.zip").ReadAsArray(), VALUES)


def with_overviews_and_mask(store, **options):
    copy(store, **options)
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset.GetRasterBand(1).GetMaskBand().Fill(255)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None


def test_overviews_and_masks(tmp_path):
    """Each array has its own document."""
    store = tmp_path / "x.zarr"
    with_overviews_and_mask(store, COMPRESS="ZLIB")
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    overview, mask = band.GetOverview(0), band.GetMaskBand()
    assert overview.ReadAsArray(0, 0, 3, 3).shape == (3, 3) and mask.ReadAsArray(0, 0, 3, 3).min() == 255
    with_overviews_and_mask(store, COMPRESS="NONE")
    for read in (overview, mask, band):
        assert_refused(lambda: read.ReadAsArray())


def test_changes_that_leave_chunks_as_they_are(tmp_path):
    """Attributes, statistics, nodata, growth and shrinking by other handles of this process raise no error."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    handle = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    multidim = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = multidim.GetRootGroup().OpenMDArray("x")

    def assert_read():
        with error_log() as log:
            np.testing.assert_array_equal(raster.ReadAsArray(), VALUES)
        log.assert_quiet()

    handle.SetMetadataItem("a", "b")
    handle.GetRasterBand(1).SetStatistics(1, 2, 3, 4)
    handle.FlushCache()
    assert_read()
    handle.GetRasterBand(1).SetNoDataValue(30000)
    handle.FlushCache()
    assert_read()
    attribute = array.CreateAttribute("c", [], gdal.ExtendedDataType.CreateString())
    attribute.Write("d")
    attribute = array = multidim = handle = None
    assert_read()
    copy_of_array = zarr.open(str(store / "x"), mode="r+")
    copy_of_array.attrs["e"] = "f"
    copy_of_array.resize((50, 60))
    assert_read()


def test_a_document_that_is_being_written(tmp_path):
    """A program that writes documents in place leaves half of one for a moment."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    file = store / "x" / ("zarr.json" if zarr_formats.is_v3() else ".zarray")
    text = file.read_bytes()
    for part in (b"", text[: len(text) // 2], text):
        file.write_bytes(part)
        np.testing.assert_array_equal(raster.ReadAsArray(), VALUES)


def test_a_document_of_another_array_that_is_being_written(tmp_path):
    """The chunk was read while the document was incomplete. It is not taken from the cache when the document is whole."""
    store, other = tmp_path / "x.zarr", tmp_path / "other" / "x.zarr"
    other.parent.mkdir()
    copy(store)
    copy(other, ENDIAN="BIG")
    raster = open_raster(store)
    document = "zarr.json" if zarr_formats.is_v3() else ".zarray"
    text = (other / "x" / document).read_bytes()
    (other / "x" / document).write_bytes(text[: len(text) // 2])
    shutil.copytree(other / "x", store / "x", dirs_exist_ok=True)
    raster.ReadAsArray(3, 3, 4, 4)
    (store / "x" / document).write_bytes(text)
    for _ in range(2):
        assert_refused(lambda: raster.GetRasterBand(1).ReadAsArray(3, 3, 3, 3))


def test_cached_chunks_stay_right(tmp_path):
    """A read that the cache answers needs no look at the store, until a read of the new store was refused."""
    store = tmp_path / "x.zarr"
    copy(store)
    raster = open_raster(store)
    np.testing.assert_array_equal(raster.ReadAsArray(3, 3, 4, 4), VALUES[3:7, 3:7])
    run_at_once([(copy_elsewhere, store, VALUES[::-1].copy(), {"ENDIAN": "BIG"})])
    np.testing.assert_array_equal(raster.GetRasterBand(1).ReadAsArray(3, 3, 3, 3), VALUES[3:6, 3:6])
    for _ in range(2):
        assert_refused(lambda: raster.GetRasterBand(1).ReadAsArray(23, 3, 3, 3))
        assert_refused(lambda: raster.GetRasterBand(1).ReadAsArray(3, 3, 3, 3))


def test_a_write_to_a_replaced_store(tmp_path):
    """The new store stays as it is."""
    store = tmp_path / "x.zarr"
    copy(store)
    handle = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert handle.GetRasterBand(1).ReadAsArray() is not None
    values = VALUES[::-1].copy()
    copy(store, values, ENDIAN="BIG")
    with error_log() as log:
        handle.GetRasterBand(1).WriteArray(np.zeros((16, 20), np.int16))
        handle = None
    assert log.errors and all(REPLACED in error for error in log.errors)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), values)
