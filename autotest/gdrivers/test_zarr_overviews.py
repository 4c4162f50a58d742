# SPDX-License-Identifier: MIT
"""Overviews in the store: their pixels, their metadata, and how they open. GDAL's overviews of a GeoTIFF with equal
pixels are the expected pixels."""

import os

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, assert_same, gdal_is_at_least, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg
from zarr_overviews import (CODES, UTM, check_consolidated, check_levels, gtiff_levels,
                            level_group, level_values, make, root_attributes, sizes, smooth,
                            update)
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
METHODS = "NEAREST AVERAGE RMS BILINEAR CUBIC CUBICSPLINE LANCZOS GAUSS MODE".split()


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


# -------------------------------------------------------------------------------------------------
# Pixels of overviews


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [
    ["BLOCKSIZE=1,32,32"], ["INTERLEAVE=PIXEL", "BLOCKSIZE=32,32,3"], ["BLOCKSIZE=2,32,32"],
    ["SINGLE_ARRAY=NO", "BLOCKSIZE=32,32"]], ids=lambda o: o[0])  # fmt: skip
def test_methods_are_gdals(tmp_path, rng, method, options, cpl):
    values = smooth(rng, 3, 97, 131, "f4")
    dataset = make(tmp_path / "a.zarr", values, *options)
    assert dataset.BuildOverviews(method, [2, 4, 8]) == 0
    wanted = gtiff_levels(tmp_path, values, method, [2, 4, 8])
    check_levels(dataset, wanted)
    dataset = None
    check_levels(open_raster(tmp_path / "a.zarr"), wanted)
    check_consolidated(tmp_path / "a.zarr")
    cpl.assert_quiet()


def resampling(dataset):
    return [dataset.GetRasterBand(1).GetOverview(i).GetMetadataItem("RESAMPLING") for i in range(len(sizes(dataset)))]


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["OVERVIEW_LAYOUT=GROUPS"]], ids=str)
def test_bands_state_their_method(tmp_path, rng, options, cpl):
    """GDAL's refresh of overviews takes the method from the item RESAMPLING, as of a GeoTIFF."""
    store = tmp_path / "a.zarr"
    dataset = make(store, smooth(rng, 2, 60, 50), *options)
    assert dataset.BuildOverviews("CUBICSPLINE", [2, 4]) == 0
    assert resampling(dataset) == ["CUBICSPLINE"] * 2
    assert dataset.BuildOverviews("average", [4]) == 0
    assert resampling(dataset) == ["CUBICSPLINE", "AVERAGE"]
    dataset = None
    for _ in range(2):
        dataset = update(store)
        assert resampling(dataset) == ["CUBICSPLINE", "AVERAGE"]
        level = dataset.GetRasterBand(2).GetOverview(1)
        assert level.GetMetadata()["RESAMPLING"] == "AVERAGE"
        assert dataset.GetRasterBand(2).GetMetadataItem("RESAMPLING") is None
        dataset.SetMetadataItem("title", "levels get attributes again")
        dataset = None
    assert "RESAMPLING" not in str(zarr_formats.documents(store))
    cpl.assert_quiet()


def test_two_rasters_have_methods_of_their_own(tmp_path, rng):
    store = tmp_path / "a.zarr"
    for name, method in (("dem", "AVERAGE"), ("cover", "MODE")):
        more = ["APPEND_SUBDATASET=YES"] if store.exists() else []
        dataset = make(store, smooth(rng, 1, 60, 50), f"ARRAY_NAME={name}", *more)
        assert dataset.BuildOverviews(method, [2, 4]) == 0
        dataset = None
    for dem in ("AVERAGE", "RMS"):
        assert resampling(open_raster(array_name(store, "dem"))) == [dem] * 2
        assert resampling(open_raster(array_name(store, "cover"))) == ["MODE"] * 2
        dataset = update(array_name(store, "dem"))
        assert dataset.BuildOverviews("RMS", [2, 4]) == 0
        dataset = None


@pytest.mark.parametrize("method, wanted", [("gauss", "GAUSS"), ("max", None), (7, None)])
def test_methods_of_other_programs(tmp_path, method, wanted):
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "resampling_method": method}]
    store = make_store(tmp_path, {str(i): np.ones((8 >> i, 8 >> i), "u1") for i in range(2)},
                       attributes={"multiscales": {"layout": layout}})  # fmt: skip
    assert resampling(open_raster(array_name(store, "0"))) == [wanted]


@pytest.mark.parametrize("dtype", CODES)
@pytest.mark.parametrize("method", ["NEAREST", "AVERAGE", "CUBIC"])
def test_data_types(tmp_path, rng, dtype, method, cpl):
    if dtype == "c8" and method == "CUBIC":
        pytest.skip("GDAL resamples complex numbers with few methods")
    values = smooth(rng, 2, 61, 45, dtype)
    dataset = make(tmp_path / "a.zarr", values, "BLOCKSIZE=1,16,16")
    assert dataset.BuildOverviews(method, [2, 5]) == 0
    check_levels(dataset, gtiff_levels(tmp_path, values, method, [2, 5]))
    cpl.assert_quiet()


@pytest.mark.parametrize("method", ["AVERAGE", "BILINEAR", "MODE", "RMS"])
@pytest.mark.parametrize("interleave", ["BAND", "PIXEL"])
def test_nodata_is_left_out(tmp_path, rng, method, interleave, cpl):
    values = smooth(rng, 2, 64, 70, "i2")
    values[:, 10:33, 20:41] = -99
    values[1, ::5, ::4] = -99
    dataset = make(tmp_path / "a.zarr", values, f"INTERLEAVE={interleave}", nodata=-99)
    assert dataset.BuildOverviews(method, [2, 4]) == 0
    wanted = gtiff_levels(tmp_path, values, method, [2, 4], nodata=-99)
    # With MODE, GDAL 3.10 and later write zeros instead of nodata where no pixel is valid, with any driver.
    is_lost = method == "MODE" and gdal_is_at_least(3, 10)
    assert wanted[0].min() == (0 if is_lost else -99) and (wanted[0] > 0).any()
    check_levels(dataset, wanted)
    dataset = None
    dataset = open_raster(tmp_path / "a.zarr")
    assert dataset.GetRasterBand(1).GetOverview(0).GetNoDataValue() == -99
    assert zarr.open(str(tmp_path / "a.zarr"))[f"{level_group(2)}/a"].fill_value == -99
    cpl.assert_quiet()


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (2, 3), (33, 17), (64, 64), (65, 127)])
def test_sizes(tmp_path, rng, size, cpl):
    """A factor adds no overview that would have the size of another level, or that would not be smaller than the full
    raster."""
    values = smooth(rng, 1, *size)
    dataset = make(tmp_path / "a.zarr", values, "BLOCKSIZE=16,16")
    assert dataset.BuildOverviews("AVERAGE", [2, 3, 4, 8, 16, 128]) == 0
    wanted = []
    for factor in [2, 3, 4, 8, 16, 128]:
        one = (-(-size[1] // factor), -(-size[0] // factor))
        if one not in wanted and one != size[::-1]:
            wanted.append(one)
    assert sizes(dataset) == wanted
    dataset = None
    assert sizes(open_raster(tmp_path / "a.zarr")) == wanted
    cpl.assert_quiet()


def test_method_none_makes_empty_levels_that_can_be_written(tmp_path, rng, cpl):
    values = smooth(rng, 2, 40, 40)
    dataset = make(tmp_path / "a.zarr", values, nodata=-1)
    assert dataset.BuildOverviews("NONE", [2]) == 0
    assert (level_values(dataset)[0] == -1).all()
    dataset.GetRasterBand(2).GetOverview(0).WriteArray(values[1, ::2, ::2])
    dataset = None
    first, second = level_values(open_raster(tmp_path / "a.zarr"))[0]
    assert (first == -1).all()
    assert_same(second, values[1, ::2, ::2])
    cpl.assert_quiet()


def test_pixels_that_are_not_stored_yet_count(tmp_path, rng, cpl):
    """Overviews include pixels that are not stored yet, in pending chunks of the driver and in GDAL's block cache."""
    values = smooth(rng, 1, 50, 50)
    make(tmp_path / "a.zarr", values, "BLOCKSIZE=32,32")
    dataset = update(tmp_path / "a.zarr")
    values[0, 3:9, 5:11] = 1000
    dataset.GetRasterBand(1).WriteArray(values[0, 3:9, 5:11], 5, 3)
    values[0, :32, 32:] = np.arange(32 * 18).reshape(32, 18)
    small = dataset.GetRasterBand(1).WriteRaster(
        32, 0, 18, 32, np.repeat(np.repeat(values[0, :32, 32:], 2, 0), 2, 1).tobytes(), 36, 64,
        gdal.GDT_Float32)  # GDAL resamples these pixels, and keeps them in its block cache
    assert small == 0
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    check_levels(dataset, gtiff_levels(tmp_path, values, "AVERAGE", [2]))
    cpl.assert_quiet()


def test_reading_smaller_uses_the_level(tmp_path, rng, cpl):
    values = smooth(rng, 1, 64, 64)
    dataset = make(tmp_path / "a.zarr", values)
    dataset.BuildOverviews("NONE", [2])
    assert not dataset.GetRasterBand(1).HasArbitraryOverviews()
    dataset.GetRasterBand(1).GetOverview(0).Fill(7)
    assert (dataset.ReadAsArray(buf_xsize=32, buf_ysize=32) == 7).all()
    dataset = None
    assert (open_raster(tmp_path / "a.zarr").ReadAsArray(buf_xsize=16, buf_ysize=16) == 7).all()
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Metadata of overviews


def test_levels_are_arrays_like_the_base(tmp_path, rng, cpl):
    values = smooth(rng, 2, 70, 50, "u2")
    dataset = make(tmp_path / "a.zarr", values, "COMPRESS=ZLIB", "ZLIB_LEVEL=3", "FILTER=DELTA",
                   "DIM_SEPARATOR=/", "CHUNK_MEMORY_LAYOUT=F", "BLOCKSIZE=2,40,20",
                   "ARRAY_NAME=raster")  # fmt: skip
    band = dataset.GetRasterBand(1)
    for each in (band, dataset.GetRasterBand(2)):
        each.SetScale(0.5)
        each.SetOffset(3)
        each.SetUnitType("K")
    band.SetDescription("first")
    dataset.GetRasterBand(2).SetDescription("second")
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    dataset = None
    root = zarr.open(str(tmp_path / "a.zarr"), mode="r")
    base = root["raster"]
    for factor, shape in ((2, (2, 35, 25)), (4, (2, 18, 13))):
        level = root[f"{level_group(factor)}/raster"]
        assert level.shape == shape
        assert level.chunks == (2, min(40, shape[1]), min(20, shape[2]))
        documents = [zarr_formats.array_document(tmp_path / "a.zarr", each.path) for each in (level, base)]
        for name in ("dtype", "fill_value", "compressor", "filters", "order", "dimension_separator"):
            assert documents[0].get(name) == documents[1].get(name), name
        assert dict(level.attrs) == dict(base.attrs)
        assert list(root[f"{level_group(factor)}/band"]) == ["first", "second"]
    opened = open_raster(array_name(tmp_path / "a.zarr", f"{level_group(2)}/raster"))
    assert opened.GetRasterBand(2).GetDescription() == "second"
    assert opened.GetRasterBand(1).GetScale() == 0.5
    cpl.assert_quiet()


def test_zarr_python_reads_the_same(tmp_path, rng, cpl):
    make(tmp_path / "a.zarr", smooth(rng, 3, 77, 51)).BuildOverviews("CUBIC", [2, 4])
    root = zarr.open(str(tmp_path / "a.zarr"), mode="r")
    levels = level_values(open_raster(tmp_path / "a.zarr"))
    for factor, level in zip((2, 4), levels):
        assert_same(root[f"{level_group(factor)}/a"][...], level)
    cpl.assert_quiet()


@pytest.mark.parametrize("convention", [None, "GDAL", "CF", "SPATIAL_PROJ"])
@pytest.mark.parametrize("transform", [UTM, (1000, 3, 1, 2000, 1, -3)])
def test_each_level_has_the_extent_of_the_base(tmp_path, rng, convention, transform, cpl):
    options = [f"GEOREFERENCING_CONVENTION={convention}"] if convention else []
    dataset = make(tmp_path / "a.zarr", smooth(rng, 1, 67, 101), *options)
    dataset.SetGeoTransform(transform)
    assert dataset.BuildOverviews("NEAREST", [2, 4]) == 0
    dataset = None
    assert_geotransform(open_raster(tmp_path / "a.zarr"), transform)
    for factor, width, height in ((2, 51, 34), (4, 26, 17)):
        level = open_raster(array_name(tmp_path / "a.zarr", f"{level_group(factor)}/a"))
        x, y = 101 / width, 67 / height
        t = transform
        assert_geotransform(level, (t[0], t[1] * x, t[2] * y, t[3], t[4] * x, t[5] * y))
        assert epsg(level) == 32632
    cpl.assert_quiet()


def test_levels_of_a_raster_without_a_geotransform_have_none(tmp_path, rng, cpl):
    dataset = make(tmp_path / "a.zarr", smooth(rng, 1, 40, 40), georeferenced=False)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    for name in (tmp_path / "a.zarr", array_name(tmp_path / "a.zarr", f"{level_group(2)}/a")):
        opened = open_raster(name)
        assert opened.GetGeoTransform(can_return_null=True) is None
        assert opened.GetSpatialRef() is None
    cpl.assert_quiet()


def test_the_geotransform_may_be_set_after_the_overviews(tmp_path, rng, cpl):
    """If the CRS and geotransform are set after the overviews were built, the overviews get them, too. The dataset may
    be closed in between."""
    dataset = make(tmp_path / "a.zarr", smooth(rng, 2, 40, 40), georeferenced=False)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(3857)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform((1, 2, 0, 3, 0, -2))
    dataset.GetRasterBand(2).SetDescription("infrared")
    dataset = None
    name = array_name(tmp_path / "a.zarr", f"{level_group(2)}/a")
    assert_geotransform(open_raster(name), (1, 4, 0, 3, 0, -4))
    assert epsg(open_raster(name)) == 3857
    dataset = open_raster(name)
    assert dataset.GetRasterBand(2).GetDescription() == "infrared"
    dataset = None
    update(tmp_path / "a.zarr").SetGeoTransform((10, 1, 0, 30, 0, -1))
    assert_geotransform(open_raster(name), (10, 2, 0, 30, 0, -2))
    check_consolidated(tmp_path / "a.zarr")
    cpl.assert_quiet()


def test_xarray_opens_base_and_levels(tmp_path, rng, cpl):
    values = smooth(rng, 2, 41, 60)
    make(tmp_path / "a.zarr", values, "ARRAY_NAME=raster").BuildOverviews("AVERAGE", [2])
    for consolidated in (True, False):
        with xr.open_zarr(str(tmp_path / "a.zarr"), consolidated=consolidated) as base:
            assert set(base.data_vars) - {"spatial_ref"} == {"raster"}
            assert_same(base["raster"].values, values)
            assert float(base["x"][0]) == 500005
    with xr.open_zarr(str(tmp_path / "a.zarr"), group=level_group(2), consolidated=False) as level:
        assert level["raster"].shape == (2, 21, 30)
        assert float(level["x"][0]) == 500010
        assert float(level["y"][0]) == pytest.approx(5200000 - 5 * 41 / 21)
        assert "crs_wkt" in level["spatial_ref"].attrs
    cpl.assert_quiet()


def test_irregular_coordinates_are_between_those_of_the_base(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    x = np.cumsum(rng.random(9) + 0.1)
    dataset = xr.Dataset({"v": (("y", "x"), smooth(rng, 1, 6, 9)[0])},
                         {"x": ("x", x, {"long_name": "place"}), "y": ("y", np.arange(6.0) ** 2)})
    dataset.to_zarr(str(store), consolidated=True)
    assert update(store).BuildOverviews("AVERAGE", [3]) == 0
    with xr.open_zarr(str(store), group=level_group(3), consolidated=False) as level:
        assert np.allclose(level["x"], x[1::3])
        assert np.allclose(level["y"], [1, 16])
        assert level["x"].attrs["long_name"] == "place"
    check_consolidated(store)
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Opening rasters that have overviews


@pytest.mark.parametrize("single", ["YES", "NO"])
def test_every_name_of_the_raster_has_its_levels(tmp_path, rng, single, cpl):
    values = smooth(rng, 3, 64, 64)
    store = tmp_path / "a.zarr"
    dataset = make(store, values, f"SINGLE_ARRAY={single}", "ARRAY_NAME=raster")
    assert dataset.BuildOverviews("NEAREST", [2, 4]) == 0
    dataset = None
    wanted = [(32, 32), (16, 16)]
    for options in ([], ["USE_ZMETADATA=NO"]):
        opened = open_raster(store, *options)
        assert_same(read_all(opened), values)
        assert [sizes(opened, band) for band in (1, 2, 3)] == [wanted] * 3
        subdatasets = opened.GetSubDatasets()
        if single == "YES":
            assert subdatasets == []
        else:
            assert [name for name, _ in subdatasets] == [
                array_name(store, ""), *(array_name(store, f"raster_band{i}") for i in (1, 2, 3))]
    names = ["raster"] if single == "YES" else [f"raster_band{i}" for i in (1, 2, 3)]
    for name in names:
        assert sizes(open_raster(array_name(store, name))) == wanted
    if single == "YES":
        assert sizes(open_raster(array_name(store, "raster") + ":1")) == wanted
    for name in names:
        level = open_raster(array_name(store, f"{level_group(2)}/{name}"))
        assert (level.RasterXSize, sizes(level)) == (32, [])
    assert open_raster(array_name(store, level_group(2))).RasterCount == 3
    cpl.assert_quiet()


@zarr_formats.V2
def test_builtin_driver_opens_the_base(tmp_path, rng, cpl):
    values = smooth(rng, 1, 64, 64)
    make(tmp_path / "a.zarr", values).BuildOverviews("NEAREST", [2])
    opened = gdal.OpenEx(array_name(tmp_path / "a.zarr", "a"), allowed_drivers=["ZarrBuiltin"])
    assert_same(opened.ReadAsArray(), values[0])
    assert opened.GetGeoTransform() == UTM


def test_rasters_of_one_store_keep_to_themselves(tmp_path, rng, cpl):
    """A group with two rasters of different sizes lists both as subdatasets, even if each has overviews."""
    store = tmp_path / "a.zarr"
    one, two = smooth(rng, 1, 64, 64), smooth(rng, 2, 99, 33)
    make(store, one, "ARRAY_NAME=one").BuildOverviews("NEAREST", [2, 4])
    dataset = make(store, two, "ARRAY_NAME=two", "APPEND_SUBDATASET=YES")
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    dataset = None
    opened = open_raster(store)
    assert opened.RasterCount == 0
    assert [name for name, _ in opened.GetSubDatasets()] == [array_name(store, n)
                                                             for n in ("one", "two")]
    check_levels(open_raster(array_name(store, "one")), gtiff_levels(tmp_path, one, "NEAREST", [2, 4]))
    check_levels(open_raster(array_name(store, "two")), gtiff_levels(tmp_path, two, "AVERAGE", [2]))
    assert update(array_name(store, "one")).BuildOverviews("NONE", []) == 0
    assert sizes(open_raster(array_name(store, "one"))) == []
    check_levels(open_raster(array_name(store, "two")), gtiff_levels(tmp_path, two, "AVERAGE", [2]))
    check_consolidated(store)
    cpl.assert_quiet()


def test_one_array_of_a_group_of_bands(tmp_path, rng, cpl):
    """If the arrays of a raster's bands have different overviews, each band has those of its own array."""
    store = tmp_path / "a.zarr"
    values = smooth(rng, 2, 50, 50)
    make(store, values, "SINGLE_ARRAY=NO")
    assert update(array_name(store, "Band2")).BuildOverviews("AVERAGE", [2]) == 0
    opened = open_raster(store)
    assert opened.RasterCount == 2 and sizes(opened) == [] and sizes(opened, 2) == [(25, 25)]
    assert update(array_name(store, "Band1")).BuildOverviews("AVERAGE", [2, 4]) == 0
    opened = open_raster(store)
    assert sizes(opened, 1) == [(25, 25), (13, 13)] and sizes(opened, 2) == [(25, 25)]
    (wanted,) = gtiff_levels(tmp_path, values, "AVERAGE", [2])
    for i in (0, 1):
        assert_same(opened.GetRasterBand(i + 1).GetOverview(0).ReadAsArray(), wanted[i])
    check_consolidated(store)
    cpl.assert_quiet()


def test_arrays_in_a_group_below_the_root(tmp_path, rng, cpl):
    store = tmp_path / "a.zarr"
    values = smooth(rng, 1, 50, 60)
    make(store, values, "ARRAY_NAME=deep/er/raster")
    assert update(store).BuildOverviews("AVERAGE", [2]) == 0
    assert "multiscales" in root_attributes(store, "deep/er")
    wanted = gtiff_levels(tmp_path, values, "AVERAGE", [2])
    for name in (store, array_name(store, "deep/er/raster"), array_name(store, "deep/er")):
        opened = open_raster(name)
        assert opened.GetSubDatasets() == []
        check_levels(opened, wanted)
    cpl.assert_quiet()
