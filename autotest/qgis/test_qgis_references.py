# SPDX-License-Identifier: MIT
"""Layers of Kerchunk references in QGIS. The JSON document is dropped, or opened by its path or by the name of
an array."""

import numpy as np
import pytest
from qgis.core import QgsPointXY, QgsRaster
from qgis_layers import DATA, dropped, opened, values_of
from zarr_references import pack, write_json

STORE = DATA / "terrain.zarr"
UTM = (612000, 5196000, 636000, 5214000)
NODATA = -32768


@pytest.fixture(name="document")
def _document(tmp_path):
    return write_json(tmp_path / "terrain.json", pack(STORE, tmp_path / "packed.bin", inline=64))


def by_path(document):
    return opened(document)


def by_node(document):
    return opened(f'ZARR:"{document}":/elevation')


def by_kerchunk_name(document):
    return opened(f'ZARR:"/vsikerchunk_json_ref/{{{document}}}":/elevation')


@pytest.mark.parametrize("open_layer", [by_path, dropped, by_node, by_kerchunk_name])
def test_a_layer_has_the_place_and_the_values_of_the_store(document, open_layer, messages):
    layer = open_layer(document)
    values = values_of(STORE, "elevation")[0]
    extent, provider = layer.extent(), layer.dataProvider()
    assert layer.crs().authid() == "EPSG:32632"
    assert (layer.width(), layer.height()) == values.shape[::-1]
    assert (extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum()) == pytest.approx(UTM)
    rows, columns = values.shape
    places = [(0, 0), (0, columns - 1), (rows - 1, 0), (rows - 1, columns - 1)]
    places += [tuple(each) for each in np.random.default_rng(5).integers(0, (rows, columns), (20, 2))]
    for row, column in places:
        point = QgsPointXY(
            extent.xMinimum() + (column + 0.5) * extent.width() / columns,
            extent.yMaximum() - (row + 0.5) * extent.height() / rows,
        )
        got = provider.identify(point, QgsRaster.IdentifyFormatValue).results()[1]
        assert got == (None if values[row, column] == NODATA else values[row, column])
    assert messages == []


def test_a_missing_file_gives_no_values(tmp_path, document, capfd):
    """A layer has no values if the file with the chunks is missing. QGIS prints the driver's error."""
    (tmp_path / "packed.bin").unlink()
    layer = opened(document)
    block = layer.dataProvider().block(1, layer.extent(), layer.width(), layer.height())
    assert not block.isValid() or all(block.isNoData(i) for i in range(layer.width() * layer.height()))
    assert "packed.bin: the file that a reference names does not exist" in capfd.readouterr().err
