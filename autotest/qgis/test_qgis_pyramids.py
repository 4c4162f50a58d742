# SPDX-License-Identifier: MIT
"""A pyramid is one layer in QGIS. QGIS draws small views from small levels. The values of the sample pyramids
differ between levels, so a picture shows which level was drawn."""

import numpy as np
import pytest
from osgeo import gdal
from qgis.core import QgsRectangle
from qgis_layers import (
    PYRAMIDS,
    assert_pictures_agree,
    dropped,
    gray,
    nudged,
    opened,
    picture,
    provider_of,
    stretched,
    values_of,
)
from zarr_as_v3 import as_v3

# (store, node in the store or None for the store itself, arrays from the largest level to the smallest)
PYRAMID_LAYERS = [
    ("geozarr_inline.zarr", None, ["2/dem", "1/dem", "0/dem"]),
    ("geozarr_named.zarr", None, ["10/dem", "9/dem", "8/dem"]),
    ("layout_arrays.zarr", None, ["0", "1", "2"]),
    ("layout_groups.zarr", "r10m/b02", ["r10m/b02", "r20m/b02", "r40m/b02"]),
    ("ndpyramid.zarr", "2/tavg", ["2/tavg", "1/tavg", "0/tavg"]),
    ("ome_0.1.zarr", None, ["0", "1", "2"]),
    ("ome_0.3.zarr", None, ["s0", "s1", "s2"]),
    ("ome_0.4.zarr", "0", ["0", "1", "2"]),
    ("ome_two_levels.zarr", None, ["0", "1"]),
    ("xcube.levels", None, [f"{k}.zarr/conc_chl" for k in range(3)]),
    ("xcube_link.levels", None, [f"{k}.zarr/conc_chl" for k in ("base", 1, 2)]),
]
each_pyramid = pytest.mark.parametrize(
    "store, node, levels", PYRAMID_LAYERS, ids=[each[0] for each in PYRAMID_LAYERS]
)


def layer_of(store, node):
    name = PYRAMIDS / store
    return opened(f'ZARR:"{name}":/{node}') if node else dropped(name)


def level_is_there(pyramid):
    return pyramid.getExists() if hasattr(pyramid, "getExists") else pyramid.exists


@each_pyramid
def test_qgis_knows_the_levels(store, node, levels):
    provider = provider_of(layer_of(store, node))
    assert provider.hasPyramids()
    base = values_of(PYRAMIDS / store, levels[0]).shape
    assert (provider.xSize(), provider.ySize()) == base[:0:-1]
    # buildPyramidList() has all sizes of more than 32 pixels along each side, and marks the sizes for which the raster
    # has a level.
    there = [(each.xDim, each.yDim) for each in provider.buildPyramidList() if level_is_there(each)]
    shapes = [values_of(PYRAMIDS / store, level).shape[:0:-1] for level in levels[1:]]
    assert there == [shape for shape in shapes if min(shape) > 32]


@each_pyramid
def test_each_view_is_drawn_of_the_level_of_its_size(store, node, levels):
    layer = layer_of(store, node)
    for level in levels:
        values = values_of(PYRAMIDS / store, level)
        rows, columns = values.shape[1:]
        for band, plane in enumerate(values, 1):
            high = float(values.max()) + 50
            extent = nudged(layer, columns, rows)
            got = picture(gray(layer, 0, high, band), columns, rows, extent)
            assert_pictures_agree(got, stretched(plane, 0, high))


def test_a_part_is_drawn_of_the_level_of_its_scale():
    """A map of the lower right quarter, at half the resolution, is drawn from the second level."""
    layer = dropped(PYRAMIDS / "layout_arrays.zarr")
    full = layer.extent()
    part = QgsRectangle(full.center().x(), full.yMinimum(), full.xMaximum(), full.center().y())
    second = values_of(PYRAMIDS / "layout_arrays.zarr", "1")[0]
    got = picture(gray(layer, 0, 600), 32, 24, part)
    assert_pictures_agree(got, stretched(second[24:, 32:], 0, 600))


def test_a_level_opened_by_its_name_is_a_layer():
    layer = opened(f'ZARR:"{PYRAMIDS}/layout_arrays.zarr":/2')
    values = values_of(PYRAMIDS / "layout_arrays.zarr", "2")[0]
    assert (layer.width(), layer.height()) == values.shape[::-1]
    assert layer.extent() == dropped(PYRAMIDS / "layout_arrays.zarr").extent()
    assert_pictures_agree(picture(gray(layer, 0, 600), 32, 24), stretched(values, 0, 600))


def test_a_layer_without_levels_has_none():
    provider = provider_of(opened(f'ZARR:"{PYRAMIDS}/layout_arrays.zarr":/2'))
    assert not provider.hasPyramids()
    assert not [each for each in provider.buildPyramidList() if level_is_there(each)]


def test_values_differ_between_levels():
    """Levels have different values. Otherwise, the pictures above could not show the level."""
    first, second = (values_of(PYRAMIDS / "layout_arrays.zarr", level)[0] for level in "01")
    assert np.abs(first[1::2, 1::2] - second.astype("i4")).min() > 4


# Zarr v3


def test_a_pyramid_in_shards_is_drawn_of_its_levels(tmp_path):
    values = (np.add.outer(np.arange(256), np.arange(192)) % 200 + 20).astype("u1")
    memory = gdal.GetDriverByName("MEM").Create("", 192, 256, 1, gdal.GDT_Byte)
    memory.SetGeoTransform((600000, 10, 0, 5200000, 0, -10))
    memory.GetRasterBand(1).WriteArray(values)
    store = tmp_path / "shards.zarr"
    options = ["FORMAT=ZARR_V3", "BLOCKSIZE=32,32", "SHARD_CHUNK_SHAPE=16,16"]
    dataset = gdal.GetDriverByName("Zarr").CreateCopy(str(store), memory, options=options)
    assert dataset is not None
    del dataset
    assert '"sharding_indexed"' in (store / "shards" / "zarr.json").read_text()
    dataset = gdal.Open(str(store), gdal.GA_Update)
    assert dataset.BuildOverviews("NEAREST", [2, 4]) == 0
    band = dataset.GetRasterBand(1)
    levels = [band.ReadAsArray(), *(band.GetOverview(k).ReadAsArray() for k in range(2))]
    del band, dataset
    layer = dropped(store)
    assert provider_of(layer).hasPyramids()
    for level in levels:
        rows, columns = level.shape
        got = picture(gray(layer, 0, 255), columns, rows, nudged(layer, columns, rows))
        assert_pictures_agree(got, stretched(level, 0, 255))


def test_an_image_of_ome_05_is_drawn_of_its_levels(tmp_path):
    source = PYRAMIDS / "ome_two_levels.zarr"
    layer = dropped(as_v3(source, tmp_path / "image.zarr"))
    assert provider_of(layer).hasPyramids()
    for level in "01":
        values = values_of(source, level)[0]
        rows, columns = values.shape
        high = float(values.max()) + 50
        got = picture(gray(layer, 0, high), columns, rows, nudged(layer, columns, rows))
        assert_pictures_agree(got, stretched(values, 0, high))
