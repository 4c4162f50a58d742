# SPDX-License-Identifier: MIT
"""Arrays with chunks in nested folders, although `.zarray` has no dimension_separator. NestedDirectoryStore of
zarr-python before 2.8 writes such arrays, and so do programs that follow the OGC standard, which has no
dimension_separator."""

import json
import pathlib

import numpy as np
import pytest
import zarr2
import zarr_gdal
import zarr_mdim_write
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster, read_all
from zarr_http import Served
from zarr_store import make_store, zip_folder

VALUES = np.arange(1, 12 * 10 + 1, dtype="<i4").reshape(12, 10)
CUBE = np.arange(1, 4 * 6 * 5 + 1, dtype="<i4").reshape(4, 6, 5)


def unsay(store):
    """Removes the member dimension_separator from all metadata documents of the store."""
    for path in pathlib.Path(store).rglob(".z*"):
        document = json.loads(path.read_text())
        for metadata in document.get("metadata", {"": document}).values():
            metadata.pop("dimension_separator", None)
        path.write_text(json.dumps(document))


def make_nested(folder, values=VALUES, chunks=(4, 5), consolidated=False, name="n.zarr", **options):
    store = pathlib.Path(folder) / name
    options = {"fill_value": 0, "write_empty_chunks": False, **options}
    attributes = {"_ARRAY_DIMENSIONS": ["t", "y", "x"][-values.ndim :]}
    zarr2.call("create_nested", str(store), values, attributes, consolidated, chunks=chunks, **options)
    unsay(store)
    return store


def by_zarr(store, path="v"):
    return zarr2.call("read_nested", str(store), path)


def chunk_keys(store, path="v"):
    folder = pathlib.Path(store) / path
    return {str(p.relative_to(folder)) for p in folder.rglob("[0-9]*") if p.is_file()}


def by_mdim(name, path="v"):
    dataset = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER)
    return dataset.GetRootGroup().OpenMDArray(path).ReadAsArray()


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("options", [[], ["CACHE_TILE_PRESENCE=YES"], ["NUM_THREADS=8"]])
@pytest.mark.parametrize("empty", [None, (0, 0), (0, 1), (2, 1)])
def test_nested_folders_are_read(tmp_path, cpl, consolidated, options, empty):
    """Nested chunks are found even if some chunks are absent, with and without consolidated metadata, which does not
    list chunks."""
    values = VALUES.copy()
    if empty:
        values[4 * empty[0] : 4 * empty[0] + 4, 5 * empty[1] : 5 * empty[1] + 5] = 0
    store = make_nested(tmp_path, values, consolidated=consolidated)
    np.testing.assert_array_equal(by_zarr(store), values)
    assert len(chunk_keys(store)) == (5 if empty else 6)
    dataset = open_raster(store, *options)
    np.testing.assert_array_equal(read_all(dataset)[0], values)
    assert dataset.GetMetadata("ZARR")["DIMENSION_SEPARATOR"] == "/"
    np.testing.assert_array_equal(by_mdim(store), values)
    cpl.assert_quiet()


@pytest.mark.parametrize("compressor", [None, "default"])
def test_slices_of_a_nested_cube_are_read(tmp_path, cpl, compressor):
    store = make_nested(tmp_path, CUBE, (1, 4, 3), compressor=compressor)
    np.testing.assert_array_equal(read_all(open_raster(store)), CUBE)
    slice_ = open_raster(array_name(store, "v") + ":2")
    window = slice_.GetRasterBand(1).ReadAsArray(1, 2, 3, 3)
    np.testing.assert_array_equal(window, CUBE[2, 2:5, 1:4])
    np.testing.assert_array_equal(by_mdim(store), CUBE)
    cpl.assert_quiet()


def test_nested_folders_in_memory_and_in_a_zip_file(tmp_path, cpl):
    store = make_nested(tmp_path)
    for path in store.rglob("*"):
        if path.is_file():
            name = f"/vsimem/nested/{path.relative_to(store)}"
            gdal.FileFromMemBuffer(name, path.read_bytes())  # GDAL 3.6 does not list folders of files made this way
    dataset = open_raster('ZARR:"/vsimem/nested":/v')
    np.testing.assert_array_equal(read_all(dataset)[0], VALUES)
    gdal.RmdirRecursive("/vsimem/nested")
    archive = zip_folder(store, tmp_path / "n.zarr.zip")
    np.testing.assert_array_equal(read_all(open_raster(archive))[0], VALUES)
    cpl.assert_quiet()


def test_nested_folders_on_a_server(tmp_path, cpl):
    """Nested chunks are found on a web server without listings: the driver requests the first chunk by its key with "."
    and by its key with "/"."""
    make_nested(tmp_path)
    with Served(tmp_path) as server:
        dataset = open_raster(f'ZARR:"{server.url}/n.zarr":/v')
        server.requests()
        np.testing.assert_array_equal(read_all(dataset)[0], VALUES)
        asked = [path for _, path, *_ in server.requests()]
        chunks = [(i, j) for i in range(3) for j in range(2)]
        dotted, nested = [[f"/n.zarr/v/{i}{s}{j}" for i, j in chunks] for s in "./"]
        # Each thread requests at most one chunk by its key with ".", until a nested chunk is found.
        tried = set(asked) & set(dotted)
        assert tried and set(nested) <= set(asked) and len(asked) == len(tried) + 7
    cpl.assert_quiet()


def test_sparse_arrays_on_a_server_cost_one_extra_request(tmp_path, cpl):
    store = make_store(tmp_path, {"v": {"values": np.zeros_like(VALUES), "chunks": (4, 5),
                                        "fill_value": 0, "write_empty_chunks": False}})  # fmt: skip
    unsay(store)
    with Served(tmp_path) as server:
        dataset = open_raster(f'ZARR:"{server.url}/{store.name}":/v', "NUM_THREADS=1")
        server.requests()
        np.testing.assert_array_equal(read_all(dataset)[0], np.zeros_like(VALUES))
        asked = [path for _, path, *_ in server.requests()]
        assert len(asked) == 6 + 1 and sum("." not in path[-3:] for path in asked) == 1, asked
    cpl.assert_quiet()


@pytest.mark.parametrize("first", [True, False], ids=["read first", "written at once"])
def test_chunks_written_into_nested_folders_are_nested(tmp_path, cpl, first):
    values = VALUES.copy()
    values[:4, :5] = 0
    store = make_nested(tmp_path, values)
    dataset = gdal.OpenEx(array_name(store, "v"), gdal.OF_RASTER | gdal.OF_UPDATE)
    if first:
        np.testing.assert_array_equal(read_all(dataset)[0], values)
    values[:6, 3:] += 1000
    dataset.GetRasterBand(1).WriteArray(values[:6, 3:], 3, 0)
    dataset = None
    np.testing.assert_array_equal(by_zarr(store), values)
    np.testing.assert_array_equal(read_all(open_raster(store))[0], values)
    assert chunk_keys(store) == {f"{i}/{j}" for i in range(3) for j in range(2)}
    cpl.assert_quiet()


def test_slices_are_appended_to_nested_folders(tmp_path, cpl):
    store = make_nested(tmp_path, CUBE, (1, 4, 3))
    source = gdal.GetDriverByName("MEM").Create("", 5, 6, 1, gdal.GDT_Int32)
    source.GetRasterBand(1).WriteArray(CUBE[0] + 1000)
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=t", "ARRAY_NAME=v"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    wanted = np.concatenate([CUBE, CUBE[:1] + 1000])
    np.testing.assert_array_equal(by_zarr(store), wanted)
    assert all(key.count("/") == 2 for key in chunk_keys(store))
    assert cpl.errors == []


@pytest.mark.skipif(not zarr_gdal.gdal_is_at_least(3, 7), reason="GDAL 3.6 does not resize")
def test_nested_folders_are_resized(tmp_path, cpl):
    store = make_nested(tmp_path)
    dataset = zarr_mdim_write.update(store)
    array = dataset.GetRootGroup().OpenMDArray("v")
    assert array.Resize([5, 7]) == gdal.CE_None
    assert array.Resize([12, 10]) == gdal.CE_None
    del array, dataset
    wanted = np.zeros_like(VALUES)
    wanted[:5, :7] = VALUES[:5, :7]
    np.testing.assert_array_equal(by_zarr(store), wanted)
    assert chunk_keys(store) == {"0/0", "0/1", "1/0", "1/1"}
    cpl.assert_quiet()


def test_overviews_of_nested_folders_are_nested(tmp_path, cpl):
    store = make_nested(tmp_path)
    dataset = gdal.OpenEx(array_name(store, "v"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    level = store / "ovr_2x" / "v"
    assert json.loads((level / ".zarray").read_text())["dimension_separator"] == "/"
    band = open_band(store)
    np.testing.assert_array_equal(by_zarr(store, "ovr_2x/v"), band.GetOverview(0).ReadAsArray())
    assert band.GetOverviewCount() == 1 and band.GetOverview(0).ReadAsArray().any()
    assert cpl.errors == []


def test_an_empty_array_is_written_as_the_specification_says(tmp_path, cpl):
    store = make_nested(tmp_path, np.zeros_like(VALUES))
    assert chunk_keys(store) == set()
    dataset = gdal.OpenEx(array_name(store, "v"), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert not read_all(dataset).any()
    dataset.GetRasterBand(1).WriteArray(VALUES)
    dataset = None
    assert chunk_keys(store) == {f"{i}.{j}" for i in range(3) for j in range(2)}
    np.testing.assert_array_equal(zarr.open_group(str(store), mode="r")["v"][...], VALUES)
    cpl.assert_quiet()


def test_arrays_that_say_nothing_and_are_not_nested(tmp_path, cpl):
    """Without dimension_separator, the separator comes from names of stored chunks. Here they have the form "2.1", and
    the first chunk is absent."""
    values = VALUES.copy()
    values[:4, :5] = 0
    store = make_store(tmp_path, {"v": {"values": values, "chunks": (4, 5), "fill_value": 0,
                                        "write_empty_chunks": False}})  # fmt: skip
    unsay(store)
    dataset = gdal.OpenEx(array_name(store, "v"), gdal.OF_RASTER | gdal.OF_UPDATE)
    np.testing.assert_array_equal(read_all(dataset)[0], values)
    dataset.GetRasterBand(1).WriteArray(VALUES)
    dataset = None
    assert chunk_keys(store) == {f"{i}.{j}" for i in range(3) for j in range(2)}
    np.testing.assert_array_equal(zarr.open_group(str(store), mode="r")["v"][...], VALUES)
    cpl.assert_quiet()
