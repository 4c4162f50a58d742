# SPDX-License-Identifier: MIT
"""Pyramids in QGIS: one layer, whose levels are what it draws smaller views of. The values of a
sample tell their level, so that a picture does, too."""

import numpy as np
import pytest
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

# (store, node or None, arrays from the largest on)
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
    # QGIS lists the levels that it could build down to 32 pixels, and which of them are there.
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
    """A quarter of the map in pixels of the second level: its lower right one."""
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
    """Else the pictures above would tell nothing."""
    first, second = (values_of(PYRAMIDS / "layout_arrays.zarr", level)[0] for level in "01")
    assert np.abs(first[1::2, 1::2] - second.astype("i4")).min() > 4
