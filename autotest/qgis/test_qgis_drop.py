# SPDX-License-Identifier: MIT
"""QGIS offers the right layers if a user drops a store on the map, or types its name as a data source."""

import shutil

import numpy as np
import pytest
import zarr_python as zarr
from qgis.core import (
    QgsMapLayerType,
    QgsMultiBandColorRenderer,
    QgsProviderSublayerModel,
    QgsProviderSublayerProxyModel,
    QgsRasterLayer,
)
from qgis.PyQt.QtCore import QModelIndex, Qt
from qgis_layers import (
    DATA, PYRAMIDS, added, descriptions, dropped, opened, sublayers, values_of
)  # fmt: skip
from qgis_session import ASKS_FOR_ZIP_MEMBERS, BINS_ARE_NONE, HAS_TOO_FEW_BINS
from zarr_http import Served
from zarr_store import make_store, zip_folder

PRODUCT = DATA / "product.zarr"
PRODUCT_LAYERS = {
    "/measurements/r10m": "[160x160] /measurements/r10m (group of 4 bands)",
    "/measurements/r20m": "[80x80] /measurements/r20m (group of 2 bands)",
    "/conditions/geometry": "[4x4] /conditions/geometry (group of 2 bands)",
    "/measurements/r10m/b02": "[160x160] /measurements/r10m/b02 (UInt16) reflectance of band B02 at 492 nm [1]",
    "/measurements/r10m/b03": "[160x160] /measurements/r10m/b03 (UInt16) reflectance of band B03 at 560 nm [1]",
    "/measurements/r10m/b04": "[160x160] /measurements/r10m/b04 (UInt16) reflectance of band B04 at 665 nm [1]",
    "/measurements/r10m/b08": "[160x160] /measurements/r10m/b08 (UInt16) reflectance of band B08 at 833 nm [1]",
    "/measurements/r20m/b05": "[80x80] /measurements/r20m/b05 (UInt16) reflectance of band B05 at 704 nm [1]",
    "/measurements/r20m/b11": "[80x80] /measurements/r20m/b11 (UInt16) reflectance of band B11 at 1614 nm [1]",
    "/conditions/geometry/sun_azimuth": "[4x4] /conditions/geometry/sun_azimuth (Float32) sun azimuth angle [degree]",
    "/conditions/geometry/sun_zenith": "[4x4] /conditions/geometry/sun_zenith (Float32) sun zenith angle [degree]",
    "/quality/mask/classification": "[80x80] /quality/mask/classification (Byte) scene classification",
}
# (store, names of its layers); None instead of names for a single layer with the store's name
STORES = [
    (DATA / "terrain.zarr", None),
    (DATA / "temperature.zarr", None),
    (DATA / "satellite_rgb.zarr", None),
    (PRODUCT, list(PRODUCT_LAYERS)),
    (PYRAMIDS / "geozarr_inline.zarr", None),
    (PYRAMIDS / "geozarr_named.zarr", None),
    (PYRAMIDS / "layout_arrays.zarr", None),
    (PYRAMIDS / "layout_groups.zarr", ["/r10m/b02", "/r20m/b05"]),
    (PYRAMIDS / "ndpyramid.zarr", ["/2/prec", "/2/tavg"]),
    (PYRAMIDS / "ome_0.1.zarr", None),
    (PYRAMIDS / "ome_0.3.zarr", None),
    (PYRAMIDS / "ome_0.4.zarr", ["/0", "/labels/cells/0"]),
    (PYRAMIDS / "ome_one_chunk.zarr", None),
    (PYRAMIDS / "ome_plate.zarr", ["/A/1/0/0", "/B/1/0/0"]),
    (PYRAMIDS / "ome_three_z_chunks.zarr", None),
    (PYRAMIDS / "ome_two_levels.zarr", None),
    (PYRAMIDS / "xcube.levels", None),
    (PYRAMIDS / "xcube_link.levels", None),
]
each_store = pytest.mark.parametrize(
    "store, names", STORES, ids=[store.name for store, _ in STORES]
)  # fmt: skip


def spellings(store):
    """Returns names of a store other than its path: names that users type or that file managers pass."""
    found = [f"{store}/", f'ZARR:"{store}"', f"ZARR:{store}"]
    return found + [str(path) for path in sorted(store.glob(".z*")) if path.name != ".zlevels"]


def test_every_sample_is_among_these():
    stores = {*DATA.glob("*.zarr"), *PYRAMIDS.glob("*.zarr"), *PYRAMIDS.glob("*.levels")}
    assert stores == {store for store, _ in STORES}


@each_store
def test_a_dropped_folder_is_its_layers(store, names):
    found = sublayers(store)
    assert [each.name() for each in found] == (names or [store.stem])
    assert [each.layerNumber() for each in found] == list(range(1, len(found) + 1))
    for each in found:
        assert each.providerKey() == "gdal" and each.driverName() == "Zarr"
        assert each.type() == QgsMapLayerType.RasterLayer
        wanted = f'ZARR:"{store}":{each.name()}' if names else str(store)
        assert each.uri() == wanted


def is_excused(error, layer):
    """Returns True for two errors of GDAL that QGIS causes and does not show: layers without a geotransform are
    transformed, and QGIS 3.44 asks for histograms without bins."""
    if HAS_TOO_FEW_BINS and BINS_ARE_NONE in error:
        return layer.dataProvider().bandScale(1) != 1
    return "SRC_METHOD=NO_GEOTRANSFORM" in error


@each_store
def test_each_layer_is_added_without_messages(store, names, messages, cpl):
    for number in range(len(sublayers(store))):
        layer = dropped(store, number)
        assert layer.name() == (names[number] if names else store.stem)
        assert [text for text, _ in messages if text != "Creating Warped VRT."] == []
        assert cpl.warnings == []
        assert [text for text in cpl.errors if not is_excused(text, layer)] == []
        cpl.clear()


@each_store
def test_other_spellings_give_equal_layers(store, names):
    wanted = [each.uri() for each in sublayers(store)]
    for name in spellings(store):
        # OGR may also offer a layer for a JSON document.
        found = [each for each in sublayers(name) if each.providerKey() == "gdal"]
        if names is None:
            assert len(found) == 1, name
            assert dropped(name).bandCount() == dropped(store).bandCount()
        else:
            # QGIS names a layer by the array or by the whole subdataset name. URIs and descriptions must not depend on
            # how the store's name is spelled.
            assert [each.uri() for each in found] == wanted, name
            assert [each.description() for each in found] == [
                each.description() for each in sublayers(store)
            ]
            for each, short in zip(found, names):
                assert each.name() in (short, each.uri())


def test_the_dialog_lists_groups_before_their_arrays_with_size_and_type():
    """The dialog for choosing layers lists groups before their arrays, with the size and type of each layer."""
    model = QgsProviderSublayerModel()
    model.setSublayerDetails(sublayers(PRODUCT))
    rows = QgsProviderSublayerProxyModel()
    rows.setSourceModel(model)
    top = QModelIndex()

    def text(row, column):
        return rows.data(rows.index(row, column, top), Qt.DisplayRole)

    shown = [(text(row, 0), text(row, 1)) for row in range(rows.rowCount(top))]
    assert shown == sorted(PRODUCT_LAYERS.items())


def test_a_product_opened_as_one_layer_names_its_layers():
    """A raster layer opened by the name of a store with several rasters has no bands, so it is not valid. subLayers()
    lists the rasters."""
    layer = QgsRasterLayer(str(PRODUCT), "product")
    assert not layer.isValid()
    assert [text.split("!!::!!") for text in layer.subLayers()] == [
        [f'ZARR:"{PRODUCT}":{name}', text] for name, text in PRODUCT_LAYERS.items()
    ]


def test_groups_and_arrays_open_by_their_names():
    for name in ("/measurements/r10m", "/measurements/r10m/b04"):
        by_name = opened(f'ZARR:"{PRODUCT}":{name}')
        by_path = opened(f"{PRODUCT}{name}")
        assert by_name.bandCount() == by_path.bandCount() == (1 if name.endswith("b04") else 4)
        assert by_name.extent() == by_path.extent()


# Tests of stores in zip files


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    """Writes terrain.zarr.zip and product.zarr.zip with the store at the root, and terrain.zip with the store in a
    folder. Returns the folder of these files."""
    folder = tmp_path_factory.mktemp("zipped")
    for store in ("terrain.zarr", "product.zarr"):
        zip_folder(DATA / store, folder / f"{store}.zip")
    zip_folder(DATA / "terrain.zarr", folder / "terrain.zip", top="terrain.zarr")
    return folder


def test_a_zip_file_is_a_layer(zipped):
    terrain = opened(DATA / "terrain.zarr")
    for name in (
        zipped / "terrain.zarr.zip",
        zipped / "terrain.zip",
        f'ZARR:"{zipped}/terrain.zarr.zip"',
        f"/vsizip/{zipped}/terrain.zip/terrain.zarr",
    ):
        layer = opened(name)
        assert (layer.width(), layer.height(), layer.crs()) == (800, 600, terrain.crs())
        assert layer.extent() == terrain.extent()
    assert len(sublayers(f'ZARR:"{zipped}/terrain.zarr.zip"')) == 1


def test_groups_of_a_zip_file_open_by_their_names(zipped):
    for name in (
        f'ZARR:"{zipped}/product.zarr.zip":/measurements/r10m',
        f"/vsizip/{zipped}/product.zarr.zip/measurements/r10m",
    ):
        layer = opened(name)
        assert layer.bandCount() == 4
        assert layer.extent() == opened(f"{PRODUCT}/measurements/r10m").extent()


def assert_are_documents(found):
    """Asserts that QGIS offers layers, each of which opens the zip file or a metadata document in it, but no chunk."""
    assert found
    for each in found:
        assert each.driverName() == "Zarr"
        node, _, member = each.uri().partition(".zip")[2].rpartition("/")
        assert member in ("", ".zattrs", ".zgroup", ".zarray", ".zmetadata"), each.uri()
        if node in ("", "/elevation"):
            layer = opened(each.uri())
            assert (layer.width(), layer.height()) == (800, 600)


def test_a_dropped_zip_file_is_the_store(zipped):
    """QGIS offers the layers of the store in a dropped zip file. QGIS 3.22 offers a layer for each metadata
    document."""
    if ASKS_FOR_ZIP_MEMBERS:
        assert_are_documents(sublayers(zipped / "terrain.zarr.zip"))
        return
    for name, short in (("terrain.zarr.zip", "terrain.zarr"), ("terrain.zip", "terrain")):
        (found,) = sublayers(zipped / name)
        assert (found.name(), found.uri()) == (short, str(zipped / name))
        assert (found.providerKey(), found.driverName()) == ("gdal", "Zarr")
        assert (added(found).width(), added(found).height()) == (800, 600)
    found = sublayers(zipped / "product.zarr.zip")
    assert [(each.name(), each.description()) for each in found] == list(PRODUCT_LAYERS.items())
    for each in found:
        assert (each.providerKey(), each.driverName()) == ("gdal", "Zarr")
        assert each.uri() == f'ZARR:"{zipped}/product.zarr.zip":{each.name()}'
        assert added(each).extent() == opened(f"{PRODUCT}{each.name()}").extent()


# URLs


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Yields a web server with consolidated copies of terrain.zarr and product.zarr."""
    folder = tmp_path_factory.mktemp("served")
    for store in ("terrain.zarr", "product.zarr"):
        shutil.copytree(DATA / store, folder / store)
    zarr.consolidate_metadata(str(folder / "product.zarr"))
    with Served(folder) as server:
        yield server


FORMS = ["{}", "/vsicurl/{}", 'ZARR:"/vsicurl/{}"', 'ZARR:"{}"', "ZARR:{}"]


@pytest.mark.parametrize("form", FORMS)
def test_a_url_is_its_layers(served, form):
    url = f"{served.url}/product.zarr"
    found = sublayers(form.format(url))
    prefix = f'ZARR:"/vsicurl/{url}":'
    assert [each.uri() for each in found] == [prefix + name for name in PRODUCT_LAYERS]
    assert [each.description() for each in found] == list(PRODUCT_LAYERS.values())
    for each, short in zip(found, PRODUCT_LAYERS):
        assert each.name() in (short, each.uri())
        assert each.name() == short or form.startswith("ZARR:")
    layer = dropped(form.format(f"{served.url}/terrain.zarr"))
    assert layer.name() == "terrain"
    value, there = layer.dataProvider().sample(layer.extent().center(), 1)
    assert there and value == values_of(DATA / "terrain.zarr", "elevation")[0, 300, 400]


# Tests of a store with several arrays at its root


def flat(folder):
    """Writes a store with four 2D arrays at its root, like a satellite image without groups. Returns the store."""
    place = {"spatial:transform": [10, 0, 500000, 0, -10, 5200000], "proj:code": "EPSG:32632"}
    arrays = {
        name: {"values": np.full((40, 60), 50 * i + 10, "u1"), "dims": ("y", "x"), "attrs": place}
        for i, name in enumerate(("blue", "green", "nir", "red"))
    }
    return make_store(folder, arrays, name="flat.zarr")


def test_the_composite_of_a_root_is_offered_first(tmp_path):
    store = flat(tmp_path)
    found = sublayers(store)
    assert [each.uri() for each in found] == [
        f'ZARR:"{store}":/{name}' for name in ("", "blue", "green", "nir", "red")
    ]
    assert found[0].description() == "[40x60] / (group of 4 bands)"
    layer = added(found[0])
    assert layer.bandCount() == 4 and type(layer.renderer()) is QgsMultiBandColorRenderer
    assert layer.renderer().usesBands() == [1, 2, 3]
    assert descriptions(layer) == ["red", "green", "blue", "nir"]
    assert layer.crs().authid() == "EPSG:32632"
    assert layer.extent().xMinimum() == 500000
    assert layer.subLayers() == []
    for each, value in zip(found[1:], (10, 60, 110, 160)):
        one = added(each)
        assert one.bandCount() == 1
        assert one.dataProvider().sample(one.extent().center(), 1) == (value, True)
