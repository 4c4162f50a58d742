# SPDX-License-Identifier: MIT
"""The browser panel of QGIS shows stores and their layers."""

from qgis.core import QgsDataCollectionItem, QgsDirectoryItem, QgsLayerItem, QgsMapLayerType
from qgis.PyQt import sip
from qgis_layers import DATA, sublayers
from qgis_session import BROWSES_COLLECTIONS


def children_of(item):
    """Returns the items below an item of the browser. Takes the ownership of all these items from Python, because
    QGIS crashes if Python deletes them."""
    item.populate(True)
    found = item.children()
    for each in (item, *found):
        sip.transferto(each, None)
    return found


def children(folder):
    """Returns (class, name, item) for each item that the browser shows in a folder."""
    item = QgsDirectoryItem(None, "folder", str(folder))
    return [(type(each), each.name(), each) for each in children_of(item)]


def is_store(kind):
    """Returns True if an item of the browser panel that has the class `kind` is a store. A folder is also a
    QgsDataCollectionItem, but no store."""
    if not BROWSES_COLLECTIONS:
        return issubclass(kind, QgsLayerItem)
    return issubclass(kind, QgsDataCollectionItem) and not issubclass(kind, QgsDirectoryItem)


def layers_of(item):
    """Returns the layer items of a store: the items in a collection, or the item itself in older versions of
    QGIS."""
    return children_of(item) if BROWSES_COLLECTIONS else [item]


def test_the_browser_shows_the_layers_of_a_store_beside_its_folder():
    shown = children(DATA)
    items = [(name, item) for kind, name, item in shown if is_store(kind)]
    folders = {name for kind, name, item in shown if issubclass(kind, QgsDirectoryItem)}
    stores = {path.name for path in DATA.glob("*.zarr")}
    assert stores <= folders
    assert sorted(name for name, _ in items) == sorted(stores)  # QGIS recognises stores by their extension
    for name, item in items:
        store = str(DATA / name)
        # The browser sorts the layers of a collection by name.
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
