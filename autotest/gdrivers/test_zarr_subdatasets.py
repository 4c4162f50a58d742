# SPDX-License-Identifier: MIT
"""Stores with several arrays: subdatasets, groups that open as one dataset with several bands, and arrays that
never become bands."""

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_gdal import array_name, open_raster, read_all
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

def grid(dtype="f4", rows=3, columns=4, start=0):
    return (np.arange(rows * columns) + start).reshape(rows, columns).astype(dtype)


def names(dataset):
    return [name for name, _ in dataset.GetSubDatasets()]


def test_names_and_descriptions(tmp_path):
    store = make_store(
        tmp_path,
        {"elevation": grid("f8"), "deep/er/cube": np.zeros((2, 5, 6), "u2"),
         "mask": grid("?", 7, 8), "wide": np.zeros((2, 3, 4, 5), "c8")},
    )  # fmt: skip
    dataset = open_raster(store)
    assert dataset.RasterCount == 0
    assert sorted(dataset.GetSubDatasets()) == sorted(
        [
            (array_name(store, "elevation"), "[3x4] /elevation (Float64)"),
            (array_name(store, "deep/er/cube"), "[2x5x6] /deep/er/cube (UInt16)"),
            (array_name(store, "mask"), "[7x8] /mask (Byte)"),
            (array_name(store, "wide"), "[2x3x4x5] /wide (CFloat32)"),
        ]
    )
    metadata = dataset.GetMetadata("SUBDATASETS")
    assert sorted(metadata) == sorted(
        f"SUBDATASET_{i}_{what}" for i in range(1, 5) for what in ("NAME", "DESC")
    )


def test_every_subdataset_opens(tmp_path):
    arrays = {f"g{i % 3}/a{i}": grid("i2", 2 + i, 3, i) for i in range(15)}
    store = make_store(tmp_path, arrays)
    listed = names(open_raster(store))
    assert sorted(listed) == sorted(array_name(store, path) for path in arrays)
    for path, values in arrays.items():
        zarr_gdal.assert_same(open_raster(array_name(store, path)).ReadAsArray(), values)


def test_the_only_array_opens_directly(tmp_path):
    store = make_store(tmp_path, {"a/b/elevation": grid()})
    dataset = open_raster(store)
    zarr_gdal.assert_same(dataset.ReadAsArray(), grid())


def test_vectors_are_listed_on_demand(tmp_path):
    store = make_store(
        tmp_path,
        {"elevation": grid(), "slope": grid(rows=9), "profile": np.arange(6, dtype="i2"),
         "scalar": np.array(1.5)},
    )  # fmt: skip
    two = [array_name(store, path) for path in ("elevation", "slope")]
    assert sorted(names(open_raster(store))) == two
    everything = open_raster(store, "LIST_ALL_ARRAYS=YES")
    assert sorted(names(everything)) == sorted(
        two + [array_name(store, path) for path in ("profile", "scalar")]
    )
    descriptions = [text for _, text in everything.GetSubDatasets()]
    assert "[6] /profile (Int16)" in descriptions
    profile = open_raster(array_name(store, "profile"))
    assert profile.ReadAsArray().tolist() == [[0, 1, 2, 3, 4, 5]]


def test_strings_are_not_listed(tmp_path):
    store = make_store(
        tmp_path, {"elevation": grid(), "slope": grid(rows=9), "labels": np.full((3, 4), "ä")}
    )
    listed = names(open_raster(store))
    assert sorted(listed) == [array_name(store, path) for path in ("elevation", "slope")]


def bands_store(folder, **options):
    dims = ["y", "x"]
    arrays = {
        "b02": {"values": grid("u2", start=100), "dims": dims, "attrs": {"wavelength": 490}},
        "b03": {"values": grid("u2", start=200), "dims": dims, "attrs": {"wavelength": 560}},
        "b04": {"values": grid("u2", start=300), "dims": dims, "attrs": {"wavelength": 665}},
        "x": {"values": np.arange(4.0) * 10, "dims": ["x"]},
        "y": {"values": np.arange(3.0) * -10, "dims": ["y"]},
    }
    prefix = options.pop("prefix", "")
    arrays = {prefix + path: item for path, item in arrays.items()}
    arrays.update(options.pop("more", {}))
    return make_store(folder, arrays, **options)


@pytest.mark.parametrize("consolidated", [False, True])
def test_arrays_on_one_grid_are_bands(tmp_path, consolidated):
    store = bands_store(tmp_path, attributes={"title": "Scene"}, consolidated=consolidated)
    dataset = open_raster(store)
    assert [dataset.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["b02", "b03", "b04"]
    wanted = np.stack([grid("u2", start=start) for start in (100, 200, 300)])
    zarr_gdal.assert_same(read_all(dataset), wanted)
    assert dataset.GetMetadataItem("title") == "Scene"
    assert dataset.GetRasterBand(2).GetMetadataItem("wavelength") == "560"
    assert dataset.GetMetadataItem("wavelength") is None
    assert names(dataset) == [array_name(store, path) for path in ("", "b02", "b03", "b04")]


def test_groups_of_bands_come_first(tmp_path):
    store = bands_store(tmp_path, prefix="r10m/", more={"alone": np.zeros((2, 3, 4), "i2")})
    listed = open_raster(store).GetSubDatasets()
    assert listed[0][0] == array_name(store, "r10m")
    assert "/r10m" in listed[0][1]
    wanted = ["alone", "r10m/b02", "r10m/b03", "r10m/b04"]
    assert sorted(name for name, _ in listed[1:]) == [array_name(store, path) for path in wanted]
    for name in (listed[0][0], str(store / "r10m"), f'ZARR:"{store / "r10m"}"'):
        assert open_raster(name).RasterCount == 3
        zarr_gdal.assert_same(open_raster(name).ReadAsArray()[1], grid("u2", start=200))


def test_bands_of_different_types(tmp_path):
    kinds = (("f4", (1, 4), -1.0), ("i8", (2, 2), 2**62), ("u1", (3, 4), None))
    arrays = {
        code: {"values": grid(code), "dims": ["y", "x"], "chunks": chunks, "fill_value": fill}
        for code, chunks, fill in kinds
    }
    dataset = open_raster(make_store(tmp_path, arrays))
    found = {}
    for i in (1, 2, 3):
        band = dataset.GetRasterBand(i)
        zarr_gdal.assert_same(band.ReadAsArray(), grid(band.GetDescription()))
        found[band.GetDescription()] = (band.GetBlockSize(), band.GetNoDataValue())
    assert found == {"f4": ([4, 1], -1.0), "i8": ([2, 2], 2**62), "u1": ([4, 3], None)}


@pytest.mark.parametrize(
    "other",
    [
        {"values": grid(rows=5), "dims": ["y2", "x"]},
        {"values": np.zeros((2, 3, 4)), "dims": ["t", "y", "x"]},
    ],
)
def test_different_grids_are_subdatasets(tmp_path, other):
    store = bands_store(tmp_path, more={"other": other})
    dataset = open_raster(store)
    assert dataset.RasterCount == 0
    wanted = ["b02", "b03", "b04", "other"]
    assert sorted(names(dataset)) == [array_name(store, path) for path in wanted]


def test_coordinates_are_never_bands(tmp_path):
    """Arrays of coordinates do not become bands: 1D coordinates, 2D longitudes and latitudes, bounds, and
    grid mappings."""
    dims = ["y", "x"]
    store = make_store(
        tmp_path,
        {
            "temperature": {"values": grid(), "dims": dims,
                            "attrs": {"coordinates": "lon lat", "grid_mapping": "crs"}},
            "lon": {"values": grid("f8"), "dims": dims, "attrs": {"units": "degrees_east"}},
            "lat": {"values": grid("f8"), "dims": dims, "attrs": {"units": "degrees_north"}},
            "x": {"values": np.arange(4.0), "dims": ["x"], "attrs": {"bounds": "x_bnds"}},
            "y": {"values": np.arange(3.0), "dims": ["y"]},
            "x_bnds": {"values": np.zeros((4, 2)), "dims": ["x", "nv"]},
            "crs": {"values": np.array(0, "i4"), "dims": [],
                    "attrs": {"grid_mapping_name": "latitude_longitude"}},
        },
    )  # fmt: skip
    dataset = open_raster(store)
    assert dataset.RasterCount == 1
    zarr_gdal.assert_same(dataset.ReadAsArray(), grid())


def test_coordinates_still_open_by_name(tmp_path):
    store = bands_store(tmp_path)
    assert open_raster(array_name(store, "x")).ReadAsArray().tolist() == [[0, 10, 20, 30]]


def test_an_empty_store(tmp_path, cpl):
    store = make_store(tmp_path, {})
    dataset = gdal.Open(str(store))
    if dataset is None:
        assert "store.zarr" in cpl.the_error()
    else:
        assert dataset.RasterCount == 0 and names(dataset) == []
