# SPDX-License-Identifier: MIT
"""The plain attribute `transform` of rasterio's relatives gives the geotransform if nothing else does."""

import json

import affine
import numpy as np
import pytest
import xarray
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import assert_geotransform, assert_lands, epsg
from zarr_mdim import open_array
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
VALUES = np.arange(12, dtype="i2").reshape(3, 4)
PLACE = (500000.0, 30.0, 0.0, 5200000.0, 0.0, -30.0)
AFFINE = affine.Affine(30.0, 0.0, 500000.0, 0.0, -30.0, 5200000.0)
SIX = list(AFFINE)[:6]
TURNED = affine.Affine(20.0, 5.0, 500000.0, 5.0, -20.0, 5200000.0)
CENTRES = 500015.0 + 30.0 * np.arange(4), 5199985.0 - 30.0 * np.arange(3)
CORNERS = 500000.0 + 30.0 * np.arange(4), 5200000.0 - 30.0 * np.arange(3)


def write(folder, attrs=None, axes=None, group_attrs=None, dims=("y", "x"), **others):
    arrays = {"data": {"values": VALUES, "dims": dims, "attrs": attrs or {}}, **others}
    for name, values in zip("xy", axes or ()):
        arrays[name] = {"values": values, "dims": (name,)}
    return array_name(make_store(folder, arrays, attributes=group_attrs), "data")


STATED = {
    "six": (SIX, PLACE), "nine": (list(AFFINE), PLACE), "rows": (np.reshape(AFFINE, (3, 3)).tolist(), PLACE),
    "integers": ([30, 0, 500000, 0, -30, 5200000], PLACE), "texts": (["30", "0", "5e5", "0", "-30", "5.2e6"], PLACE),
    "str": (str(AFFINE), PLACE), "repr": (repr(AFFINE), PLACE), "tuple": (str(tuple(SIX)), PLACE),
    "blanks": ("30.0 0.0 500000.0 0.0 -30.0 5200000.0", PLACE), "turned": (list(TURNED), TURNED.to_gdal()),
    "GDAL's order": (list(PLACE), PLACE), "GDAL's order as text": ("500000 30 0 5200000 0 -30", PLACE),
}  # fmt: skip


@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("case", STATED)
def test_without_coordinates(tmp_path, cpl, case, of_group):
    value, place = STATED[case]
    attrs = {"transform": value, "crs": "EPSG:32632"}
    name = write(tmp_path, *(({}, (), attrs) if of_group else (attrs,)))
    dataset = open_raster(name)
    assert_geotransform(dataset, place)
    assert epsg(dataset) == 32632
    if place == PLACE:
        assert_lands(dataset, "EPSG:32632", 500075, 5199955, 1, 2)
        x = open_array(tmp_path / "store.zarr", "data").GetDimensions()[1].GetIndexingVariable()
        assert x.ReadAsArray().tolist() == CENTRES[0].tolist()
    assert dataset.GetMetadata() == {}  # a copy of the item would be wrong at another position
    assert "transform" in dataset.GetMetadataItem("GEOTRANSFORM_SOURCE", "ZARR")
    cpl.assert_quiet()


def test_dimensions_with_other_names(tmp_path, cpl):
    dataset = open_raster(write(tmp_path, {"transform": SIX, "crs": "EPSG:32632"}, dims=("a", "b")))
    assert_geotransform(dataset, PLACE)
    assert epsg(dataset) == 32632
    cpl.assert_quiet()


@pytest.mark.parametrize("value", [
    "log", {"scale": [30, 30], "translate": [0, 0]}, 1.5, "1.5", ["log", "norm"], None, [], "",
    [1, 0, 0, 0, 1, 0], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
])  # fmt: skip
def test_another_meaning(tmp_path, cpl, value):
    """`transform` may be anything in a convention of its own. rasterio's identity means that there is none."""
    dataset = open_raster(write(tmp_path, {"transform": value, "title": "kept"}))
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert dataset.GetMetadataItem("title") == "kept"
    assert value != "log" or dataset.GetMetadataItem("transform") == "log"
    cpl.assert_quiet()


@pytest.mark.parametrize("value", [
    [1, 2, 3, 4, 5], "1 2 3 4 5 6 7", [0, 0, 3, 0, 0, 5], str(affine.Affine(0.001, 0, 10, 0, -0.001, 50)),
    [30, 0, None, 0, -30, 0], [1e308, 0, 1, 0, "inf", 1],
])  # fmt: skip
@pytest.mark.parametrize("of_group", [False, True])
def test_broken_transforms_warn_once(tmp_path, cpl, value, of_group):
    stated = {"transform": value}
    dataset = gdal.Open(write(tmp_path, *(({}, (), stated) if of_group else (stated,))))
    for _ in range(2):
        assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(cpl.warnings) == 1 and "attribute transform: expected" in cpl.warnings[0]
    assert np.array_equal(dataset.ReadAsArray(), VALUES)


@pytest.mark.parametrize("of_group", [False, True])
def test_beside_coordinates_that_agree(tmp_path, cpl, of_group):
    stated = {"transform": SIX}
    dataset = open_raster(write(tmp_path, {} if of_group else stated, CENTRES, stated if of_group else {}))
    assert_geotransform(dataset, PLACE)
    assert "coordinates" in dataset.GetMetadataItem("GEOTRANSFORM_SOURCE", "ZARR")
    cpl.assert_quiet()


@pytest.mark.parametrize("of_group", [False, True])
@pytest.mark.parametrize("shift", [(-600, 0), (0, 30), (15, 0)])
def test_coordinates_count_more(tmp_path, cpl, shift, of_group):
    """xarray keeps the attribute when a part is selected."""
    x, y = CENTRES[0] + shift[0], CENTRES[1] + shift[1]
    stated = {"transform": SIX}
    dataset = gdal.Open(write(tmp_path, {} if of_group else stated, (x, y), stated if of_group else {}))
    assert_geotransform(dataset, (PLACE[0] + shift[0], 30, 0, PLACE[3] + shift[1], 0, -30))
    assert len(cpl.warnings) == 1 and "transform disagrees with the coordinate arrays" in cpl.warnings[0]


@pytest.mark.parametrize("axes, place", [
    (CORNERS, PLACE),
    ((CORNERS[0] + 60, CORNERS[1] - 30), (500060.0, 30.0, 0.0, 5199970.0, 0.0, -30.0)),  # a part
])  # fmt: skip
def test_coordinates_of_corners(tmp_path, cpl, axes, place):
    """stackstac's coordinates are those of the pixels' top left corners (xy_coords="topleft")."""
    dataset = gdal.Open(write(tmp_path, {"transform": str(AFFINE)}, axes))
    assert_geotransform(dataset, place)
    assert len(cpl.warnings) == 1 and "corners" in cpl.warnings[0]


def test_coordinates_that_are_pixel_numbers(tmp_path, cpl):
    dataset = open_raster(write(tmp_path, {"transform": SIX}, (np.arange(4.0), np.arange(3.0))))
    assert_geotransform(dataset, PLACE)
    cpl.assert_quiet()


@pytest.mark.parametrize("attrs", [
    {"spatial:transform": [10, 0, 0, 0, -10, 0]}, {"proj:transform": [10, 0, 0, 0, -10, 0]},
    {"GeoTransform": "0 10 0 0 0 -10"}, {"spatial:bbox": [0, -30, 40, 0]},
])  # fmt: skip
def test_all_other_statements_count_more(tmp_path, cpl, attrs):
    assert_geotransform(open_raster(write(tmp_path, {"transform": SIX, **attrs})), (0, 10, 0, 0, 0, -10))
    cpl.assert_quiet()


def test_of_a_group_with_arrays_of_other_sizes(tmp_path, cpl):
    small = {"values": VALUES[:2, :2], "dims": ("y2", "x2")}
    levels = {"values": VALUES[:2, :2], "dims": ("y", "x")}
    name = write(tmp_path, {}, (), {"transform": SIX}, small=small, levels=levels)
    assert_geotransform(open_raster(name), PLACE)
    for other in ("small", "levels"):
        assert open_raster(name.replace("data", other)).GetGeoTransform(can_return_null=True) is None
    cpl.assert_quiet()


def test_a_new_geotransform_replaces_it(tmp_path, cpl):
    name = write(tmp_path, {"transform": SIX, "title": "kept", "crs": "EPSG:32632"})
    dataset = gdal.OpenEx(name, gdal.OF_UPDATE)
    dataset.SetMetadataItem("title", "new")
    dataset.FlushCache()
    assert zarr_formats.attributes(tmp_path / "store.zarr", "data")["transform"] == SIX
    dataset.SetGeoTransform((0, 10, 0, 0, 0, -10))
    dataset = None
    assert "transform" not in zarr_formats.attributes(tmp_path / "store.zarr", "data")
    assert_geotransform(gdal.Open(name), (0, 10, 0, 0, 0, -10))
    cpl.assert_quiet()


def test_overviews_have_their_own_place(tmp_path, cpl):
    name = write(tmp_path, {"transform": SIX})
    values = np.zeros((64, 64), "i2")
    make_store(tmp_path, {"data": {"values": values, "dims": ("y", "x"), "attrs": {"transform": SIX}}})
    assert gdal.OpenEx(name, gdal.OF_UPDATE).BuildOverviews("NEAREST", [2]) == 0
    dataset = open_raster(name)
    assert_geotransform(dataset, PLACE)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    cpl.assert_quiet()


def test_open_rasterio_of_old(tmp_path, cpl):
    """xarray's former open_rasterio() wrote `transform` as a tuple, and no coordinates of a turned raster."""
    attrs = {"transform": tuple(TURNED)[:6], "crs": "+init=epsg:32632", "res": (20.0, 20.0), "is_tiled": 1}
    array = xarray.DataArray(VALUES[None], dims=("band", "y", "x"), coords={"band": [1]}, attrs=attrs, name="data")
    version = 3 if zarr_formats.is_v3() else 2
    array.to_dataset().to_zarr(str(tmp_path / "a.zarr"), zarr_format=version, consolidated=False)
    dataset = open_raster(tmp_path / "a.zarr")
    assert_geotransform(dataset, TURNED.to_gdal())
    assert json.loads(json.dumps(attrs["transform"])) == list(TURNED)[:6] and epsg(dataset) == 32632
    cpl.assert_quiet()
