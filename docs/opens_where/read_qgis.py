# SPDX-License-Identifier: MIT
"""Reads stores with QGIS and this driver, and compares properties of raster layers. Strings and 1D arrays are
not rasters, so they are left out."""

import os

import numpy as np
import read_gdal
from findings import compare

attempts, prepare = read_gdal.attempts, read_gdal.prepare


def versions(reader):
    from qgis.core import Qgis

    found = read_gdal.versions("ours")
    return {"QGIS": Qgis.QGIS_VERSION.partition("-")[0], **found}


def start(folder):
    """Starts QGIS without a screen. Its settings are in `folder`."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QGIS_CUSTOM_CONFIG_PATH"] = str(folder)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    from qgis.core import QgsApplication

    application = QgsApplication([], False)
    application.initQgis()
    return application


def message(error):
    """Returns the text of a QgsError. summary() must not be called for an empty error."""
    return "QGIS gives no message" if error.isEmpty() else error.summary()


def is_raster(array):
    return array["kind"] in ("raster", "structure")


def measure(findings, folder, store, attempt):
    from qgis.core import QgsProviderRegistry, QgsRasterLayer

    name = read_gdal.Name(folder, attempt)
    whole = QgsRasterLayer(name.whole, "layer")
    if not whole.isValid() and not QgsProviderRegistry.instance().querySublayers(name.whole):
        findings.fails("", message(whole.error()))
        return
    for array in store["arrays"]:
        if not is_raster(array):
            continue
        wanted = np.load(f"{folder}/{array['file']}")
        layer = QgsRasterLayer(name.array(array["path"]), "layer")
        if not layer.isValid():
            findings.fails(f"/{array['path']}", message(layer.error()))
            continue
        if "gcps" in store["facts"]:
            check_warped(findings, layer, array["path"], wanted)
        else:
            check_values(findings, layer, array, wanted, is_south_up(name.array(array["path"])))
    if findings.read and "array" in store["facts"]:
        check_facts(findings, QgsRasterLayer(name.array(store["facts"]["array"]), "layer"),
                    store["facts"])  # fmt: skip


def is_south_up(name):
    """Returns True if the first row of GDAL's raster is the southernmost. QGIS shows every raster with north
    up."""
    from osgeo import gdal

    dataset = gdal.OpenEx(name, gdal.OF_RASTER, read_gdal.DRIVERS)
    transform = dataset and dataset.GetGeoTransform(can_return_null=True)
    return bool(transform) and transform[5] > 0


def check_values(findings, layer, array, wanted, south_up):
    """Compares the pixels of a layer with `wanted`, after the layer's scale and offset were removed from the
    pixels."""
    path, provider = array["path"], layer.dataProvider()
    try:
        got = [read_band(provider, band) for band in range(1, provider.bandCount() + 1)]
    except ValueError as error:
        findings.fails(f"/{path}", str(error))
        return
    if array["kind"] == "structure":
        compare(findings, path, dict(zip(wanted.dtype.names, got)), wanted)
        return
    got = np.stack(got)
    wanted = wanted[..., ::-1, :] if south_up else wanted
    if got.size == wanted.size:
        got = unscaled(provider, got.reshape(wanted.shape), wanted)
    compare(findings, path, got, wanted)


def unscaled(provider, got, wanted):
    """Returns the pixels `got` without the layer's scale. Pixels that equal `wanted` after scaling become
    `wanted`. check_facts() checks the scale itself."""
    scale, offset = provider.bandScale(1), provider.bandOffset(1)
    if (scale, offset) == (1.0, 0.0):
        return got
    hidden = wanted == provider.sourceNoDataValue(1)
    close = np.isclose(got, wanted * scale + offset, rtol=1e-6, atol=1e-9) | hidden
    return np.where(close, wanted, got)


def check_warped(findings, layer, path, wanted):
    """Compares a layer that QGIS warps by control points. Each pixel must be a value of the array."""
    if not layer.crs().isValid():
        findings.missing.append("no control points")
    values = read_band(layer.dataProvider(), 1)
    findings.read += 1
    strange = np.setdiff1d(values, wanted)
    if strange.size or np.unique(values).size < 10:
        findings.wrong.append(f"/{path}: warped, it has values of its own: {strange[:3].tolist()}")


def read_band(provider, band):
    """Returns the pixels of a band as a NumPy array."""
    from qgis.core import Qgis

    block = provider.block(band, provider.extent(), provider.xSize(), provider.ySize())
    types = {"Byte": "u1", "Int8": "i1", "UInt16": "u2", "Int16": "i2", "UInt32": "u4",
             "Int32": "i4", "Float32": "f4", "Float64": "f8", "CFloat32": "c8",
             "CFloat64": "c16"}  # fmt: skip
    known = {getattr(Qgis, name): code for name, code in types.items() if hasattr(Qgis, name)}
    if not block.isValid() or block.dataType() not in known:
        raise ValueError("QGIS has no such type of pixels")
    data = bytes(block.data())
    return np.frombuffer(data, known[block.dataType()]).reshape(provider.ySize(), provider.xSize())


def has_level(pyramid):
    return pyramid.getExists() if hasattr(pyramid, "getExists") else pyramid.exists


def check_facts(findings, layer, facts):
    from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsPointXY
    from qgis.core import QgsProject

    provider = layer.dataProvider()
    extent, size = layer.extent(), (provider.xSize(), provider.ySize())
    pixel = [extent.width() / size[0], extent.height() / size[1]]
    if facts.get("geotransform"):
        x, dx, _, y, _, dy = facts["geotransform"]
        corners = [x, min(y, y + dy * size[1]), x + dx * size[0], max(y, y + dy * size[1])]
        got = [extent.xMinimum(), extent.yMinimum(), extent.xMaximum(), extent.yMaximum()]
        pixels = np.allclose(got, [0, -size[1], size[0], 0])
        findings.number("extent", None if pixels else got, corners)
    if "pixel" in facts:
        findings.number("size of a pixel", None if np.allclose(pixel, 1) else pixel, facts["pixel"])
    if "crs" in facts:
        degrees = QgsCoordinateReferenceSystem("EPSG:4326")
        change = QgsCoordinateTransform(layer.crs(), degrees, QgsProject.instance())

        def to_degrees(x, y):
            point = change.transform(QgsPointXY(x, y))
            return point.x(), point.y()

        findings.points(facts["crs"], to_degrees if layer.crs().isValid() else None)
    if "nodata" in facts:
        has = provider.sourceHasNoDataValue(1)
        nodata = provider.sourceNoDataValue(1) if has else None
        scale, offset = provider.bandScale(1), provider.bandOffset(1)
        if nodata is not None and (scale, offset) != (1.0, 0.0):
            nodata = facts["nodata"] if np.isclose(nodata, facts["nodata"]) else nodata
        findings.number("nodata", nodata, facts["nodata"])
    if "scale" in facts:
        got = [provider.bandScale(1), provider.bandOffset(1)]
        findings.number("scale and offset", None if got == [1.0, 0.0] else got, facts["scale"])
    if "overviews" in facts:
        factors = [2 ** (k + 1) for k in range(facts["overviews"])]
        count = sum(1 for each in provider.buildPyramidList(factors) if has_level(each))
        findings.number("overviews", count or None, facts["overviews"])
