# SPDX-License-Identifier: MIT
"""Every pixel that the driver creates has a value. In Zarr v2 zarr-python 2 reads uninitialised memory from absent
chunks of an array without a fill value, so that such chunks are written."""

import numpy as np
import pytest
import zarr2
import zarr_formats
from osgeo import gdal
from zarr_gdal import open_raster

pytestmark = zarr_formats.BOTH


def chunks(store, path="a"):
    return zarr_formats.chunk_keys(store, path)


def assert_defined(store, path="a", count=None):
    document = zarr_formats.array_document(store, path)
    if document["fill_value"] is None and not zarr_formats.is_v3():
        grid = [-(-size // chunk) for size, chunk in zip(document["shape"], document["chunks"])]
        assert len(chunks(store, path)) == np.prod(grid)
    if not zarr_formats.is_v3():
        values = zarr2.call("read", str(store), path)
        assert np.count_nonzero(values) == (np.count_nonzero(values == 3) if count is None else count)


def create(store, bands=1, size=(20, 30), kind=gdal.GDT_Int16, options=()):
    return gdal.GetDriverByName("Zarr").Create(str(store), *size, bands, kind,
                                               options=["ARRAY_NAME=a", "BLOCKSIZE=8,8", *options])  # fmt: skip


@pytest.mark.parametrize("kind", [gdal.GDT_Byte, gdal.GDT_Int16, gdal.GDT_Float32, gdal.GDT_CFloat64])
@pytest.mark.parametrize("writes", [0, 1])
@pytest.mark.parametrize("bands", [1, 3])
def test_created_rasters(tmp_path, kind, writes, bands, cpl):
    store = tmp_path / "s.zarr"
    dataset = create(store, bands, kind=kind)
    if writes:
        dataset.GetRasterBand(bands).WriteArray(np.full((4, 4), 3))
    dataset = None
    cpl.assert_quiet()
    assert_defined(store)
    dataset = open_raster(store)
    assert dataset.GetRasterBand(bands).GetNoDataValue() is None
    assert dataset.GetRasterBand(bands).ReadAsArray()[10, 10] == 0
    assert dataset.GetRasterBand(bands).ReadAsArray()[0, 0] == (3 if writes else 0)


def test_several_arrays_masks_and_overviews(tmp_path, cpl):
    store = tmp_path / "s.zarr"
    dataset = create(store, 2, options=["SINGLE_ARRAY=NO", "OVERVIEWS=2"])
    dataset.GetRasterBand(1).WriteArray(np.full((4, 4), 3))
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset = None
    cpl.assert_quiet()
    for path in [str(file.parent.relative_to(store)) for file in store.rglob("*") if file.name in (".zarray", "zarr.json")]:
        if zarr_formats.has(store, f"{path}/.zarray"):
            document = zarr_formats.array_document(store, path)
            grid = [-(-size // chunk) for size, chunk in zip(document["shape"], document["chunks"])]
            is_stated = document["fill_value"] is not None or zarr_formats.is_v3()
            assert is_stated or len(chunks(store, path)) == np.prod(grid), path


def test_a_nodata_value_needs_no_chunks(tmp_path):
    store = tmp_path / "s.zarr"
    dataset = create(store)
    dataset.GetRasterBand(1).SetNoDataValue(-9)
    dataset = None
    assert chunks(store) == [] and zarr_formats.array_document(store, "a")["fill_value"] == -9


@pytest.mark.parametrize("name", ["s.zarr.zip", "/vsimem/defined.zarr"])
def test_other_stores(tmp_path, name):
    store = name if name.startswith("/vsi") else str(tmp_path / name)
    dataset = create(store)
    dataset.GetRasterBand(1).WriteArray(np.full((4, 4), 3))
    dataset = None
    listed = gdal.ReadDirRecursive("/vsizip/" + store if name.endswith("zip") else store)
    if not zarr_formats.is_v3():
        assert len([key for key in listed if key.startswith("a/") and key[-1].isdigit()]) == 12
    assert open_raster(store).ReadAsArray().sum() == 48
    gdal.GetDriverByName("Zarr").Delete(store)


def test_chunks_of_another_process_stay(tmp_path):
    """Create() is also used to make a store to which other processes write while it is open."""
    store = tmp_path / "s.zarr"
    dataset = create(store)
    dataset.FlushCache()
    other = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    other.GetRasterBand(1).WriteArray(np.full((8, 8), 3), 8, 8)
    other = None
    dataset = None
    got = open_raster(store).ReadAsArray()
    assert (got[8:16, 8:16] == 3).all() and got.sum() == 3 * 64
    assert_defined(store)


@pytest.mark.parametrize("kind", [gdal.GDT_Byte, gdal.GDT_Float64])
@pytest.mark.parametrize("nodata", [None, 5])
def test_multidimensional_arrays(tmp_path, kind, nodata, cpl):
    store = tmp_path / "s.zarr"
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(store))
    root = dataset.GetRootGroup()
    dims = [root.CreateDimension(name, None, None, size) for name, size in (("y", 20), ("x", 30))]
    group = root.CreateGroup("g")
    for parent, name in ((root, "a"), (group, "b"), (root, "old")):
        array = parent.CreateMDArray(name, dims, gdal.ExtendedDataType.Create(kind), ["BLOCKSIZE=8,8"])
        if nodata is not None:
            array.SetNoDataValueDouble(nodata)
        array.Write(np.full((4, 4), 3, "u1" if kind == gdal.GDT_Byte else "f8"), [0, 0], [4, 4])
    renamed = hasattr(array, "Rename")
    if renamed:
        array.Rename("new")
    del array, dims, group, parent, root
    dataset = None
    cpl.assert_quiet()
    for path in ("a", "g/b", "new" if renamed else "old"):
        if nodata is None:
            assert_defined(store, path)
        else:
            assert len(chunks(store, path)) == 1


def test_very_many_absent_chunks(tmp_path, cpl):
    """Above 65536 absent chunks the fill value 0 is stated in Zarr v2, so that closing takes no hours."""
    store = tmp_path / "s.zarr"
    dataset = create(store, size=(1 << 20, 1 << 20))
    dataset.GetRasterBand(1).WriteArray(np.full((4, 4), 3))
    dataset = None
    assert len(chunks(store)) == 1
    if zarr_formats.is_v3():
        cpl.assert_quiet()
        return
    assert zarr_formats.array_document(store, "a")["fill_value"] == 0
    assert len(cpl.warnings) == 1 and "most chunks have no values" in cpl.warnings[0]
