# SPDX-License-Identifier: MIT
"""Stores in QGIS's browser panel."""

from qgis.core import QgsDataCollectionItem, QgsDirectoryItem, QgsLayerItem, QgsMapLayerType
from qgis.PyQt import sip
from qgis_layers import DATA, sublayers
from qgis_session import BROWSES_COLLECTIONS


def children_of(item):
    """Returns the items that the browser shows in an item. QGIS crashes if Python deletes an
    item."""
    item.populate(True)
    found = item.children()
    for each in (item, *found):
        sip.transferto(each, None)
    return found


def children(folder):
    """Returns the items that the browser shows in a folder, as tuples (class, name, item)."""
    item = QgsDirectoryItem(None, "folder", str(folder))
    return [(type(each), each.name(), each) for each in children_of(item)]


def is_store(kind):
    """True if the browser shows a store by an item of this class; a folder is a collection, too."""
    if not BROWSES_COLLECTIONS:
        return issubclass(kind, QgsLayerItem)
    return issubclass(kind, QgsDataCollectionItem) and not issubclass(kind, QgsDirectoryItem)


def layers_of(item):
    """Returns the layers that the browser offers for a store: the item itself, or those of the
    collection."""
    return children_of(item) if BROWSES_COLLECTIONS else [item]


def test_the_browser_shows_the_layers_of_a_store_beside_its_folder():
    shown = children(DATA)
    items = [(name, item) for kind, name, item in shown if is_store(kind)]
    folders = {name for kind, name, item in shown if issubclass(kind, QgsDirectoryItem)}
    stores = {path.name for path in DATA.glob("*.zarr")}
    assert stores <= folders
    assert sorted(name for name, _ in items) == sorted(stores)  # recognised by extension
    for name, item in items:
        store = str(DATA / name)
        # A collection is sorted by names.
        wanted = sorted(each.uri() for each in sublayers(store)) if BROWSES_COLLECTIONS else [store]
        layers = layers_of(item)
        assert [each.uri() for each in layers] == wanted
        for layer in layers:
            assert layer.providerKey() == "gdal"
            assert layer.mapLayerType() == QgsMapLayerType.RasterLayer


def test_a_store_dragged_from_the_browser_is_the_layer():
    named = [each for each in children(DATA) if each[1] == "temperature.zarr"]
    stores = [item for kind, _, item in named if is_store(kind)]
    uris = [uri for item in stores for layer in layers_of(item) for uri in layer.mimeUris()]
    assert [(uri.layerType, uri.providerKey) for uri in uris] == [("raster", "gdal")]
    layer = uris[0].rasterLayer("")[0]
    assert layer.isValid()
    assert layer.bandCount() == 24
