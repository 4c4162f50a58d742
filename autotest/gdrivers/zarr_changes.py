# SPDX-License-Identifier: MIT
"""Changes of the metadata of a raster store, each by one handle, and the checks that the store has them. Used by tests
of two handles, or two processes, that change one store."""

import dataclasses
import typing

import numpy as np
from osgeo import gdal, osr

GEOTRANSFORM = (500000.0, 10.0, 0.0, 4600000.0, 0.0, -10.0)


@dataclasses.dataclass(frozen=True)
class Change:
    """`do` changes an open handle: a raster dataset, or with `is_multidim` the root group. `find` returns what a raster
    dataset, opened later, has of the change; that must equal `found`."""

    do: typing.Callable
    find: typing.Callable
    found: object
    is_multidim: bool = False


def open_for(change, store):
    if not change.is_multidim:
        return gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    return dataset.GetRootGroup()


def _first(group):
    """Returns the array of the first band."""
    names = [name for name in group.GetMDArrayNames() if name in ("x", "Band1")]
    return group.OpenMDArray(names[0])


def _write_attribute(owner, name, text):
    attribute = owner.CreateAttribute(name, [], gdal.ExtendedDataType.CreateString())
    assert attribute is not None and attribute.Write(text) == gdal.CE_None


def _table():
    table = gdal.RasterAttributeTable()
    table.CreateColumn("class", gdal.GFT_String, gdal.GFU_Name)
    table.SetRowCount(1)
    table.SetValueAsString(0, 0, "water")
    return table


def _colours():
    table = gdal.ColorTable()
    table.SetColorEntry(1, (10, 20, 30, 255))
    return table


def _points():
    return [gdal.GCP(500000 + 10 * i, 4600000 - 20 * i, 0, i, 2 * i) for i in range(4)]


def _srs(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs


def _band(change, number=1):
    return lambda dataset: change(dataset.GetRasterBand(number))


def _write_mask(dataset):
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    mask = np.full((dataset.RasterYSize, dataset.RasterXSize), 255, np.uint8)
    mask[0] = 0
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)


def _mask(dataset):
    return dataset.GetRasterBand(1).GetMaskFlags(), dataset.GetRasterBand(1).GetMaskBand().ReadAsArray()[0].tolist()


CHANGES = {
    "item": Change(lambda d: d.SetMetadataItem("one", "1"), lambda d: d.GetMetadataItem("one"), "1"),
    "another item": Change(lambda d: d.SetMetadataItem("two", "2"), lambda d: d.GetMetadataItem("two"), "2"),
    "item of a domain": Change(
        lambda d: d.SetMetadataItem("k", "3", "MINE"), lambda d: d.GetMetadataItem("k", "MINE"), "3"
    ),
    "another item of a domain": Change(
        lambda d: d.SetMetadataItem("l", "4", "MINE"), lambda d: d.GetMetadataItem("l", "MINE"), "4"
    ),
    "item of a band": Change(
        _band(lambda b: b.SetMetadataItem("sensor", "A")), _band(lambda b: b.GetMetadataItem("sensor")), "A"
    ),
    "another item of a band": Change(
        _band(lambda b: b.SetMetadataItem("gain", "5")), _band(lambda b: b.GetMetadataItem("gain")), "5"
    ),
    "item of the last band": Change(
        lambda d: d.GetRasterBand(d.RasterCount).SetMetadataItem("last", "6"),
        lambda d: d.GetRasterBand(d.RasterCount).GetMetadataItem("last"),
        "6",
    ),
    "item of a domain of a band": Change(
        _band(lambda b: b.SetMetadataItem("m", "7", "MINE")), _band(lambda b: b.GetMetadataItem("m", "MINE")), "7"
    ),
    "description": Change(_band(lambda b: b.SetDescription("red light")), _band(lambda b: b.GetDescription()), "red light"),
    "statistics": Change(
        _band(lambda b: b.SetStatistics(1, 2, 3, 4)), _band(lambda b: b.GetStatistics(False, False)), [1, 2, 3, 4]
    ),
    "histogram": Change(
        _band(lambda b: b.SetDefaultHistogram(0, 4, [4, 3, 2, 1])),
        _band(lambda b: b.GetDefaultHistogram(force=False)[3]),
        [4, 3, 2, 1],
    ),
    "mask": Change(_write_mask, _mask, (gdal.GMF_PER_DATASET, [0] * 6)),
    "nodata": Change(_band(lambda b: b.SetNoDataValue(200)), _band(lambda b: b.GetNoDataValue()), 200),
    "scale": Change(_band(lambda b: b.SetScale(0.5)), _band(lambda b: b.GetScale()), 0.5),
    "offset": Change(_band(lambda b: b.SetOffset(-7)), _band(lambda b: b.GetOffset()), -7),
    "unit": Change(_band(lambda b: b.SetUnitType("m")), _band(lambda b: b.GetUnitType()), "m"),
    "colour": Change(
        _band(lambda b: b.SetColorInterpretation(gdal.GCI_CyanBand)),
        _band(lambda b: b.GetColorInterpretation()),
        gdal.GCI_CyanBand,
    ),
    "colour table": Change(
        lambda d: d.GetRasterBand(d.RasterCount).SetRasterColorTable(_colours()),
        lambda d: d.GetRasterBand(d.RasterCount).GetRasterColorTable().GetColorEntry(1),
        (10, 20, 30, 255),
    ),
    "categories": Change(
        _band(lambda b: b.SetRasterCategoryNames(["land", "sea"])),
        _band(lambda b: b.GetRasterCategoryNames()),
        ["land", "sea"],
    ),
    "attribute table": Change(
        _band(lambda b: b.SetDefaultRAT(_table())), _band(lambda b: b.GetDefaultRAT().GetValueAsString(0, 0)), "water"
    ),
    "control points": Change(
        lambda d: d.SetGCPs(_points(), _srs(4326)), lambda d: [point.GCPX for point in d.GetGCPs()], [500000, 500010, 500020, 500030]
    ),
    "CRS": Change(lambda d: d.SetSpatialRef(_srs(32632)), lambda d: d.GetSpatialRef().GetAuthorityCode(None), "32632"),
    "geotransform": Change(lambda d: d.SetGeoTransform(GEOTRANSFORM), lambda d: d.GetGeoTransform(), GEOTRANSFORM),
    "attribute": Change(
        lambda g: _write_attribute(_first(g), "note", "8"),
        lambda d: d.GetMetadataItem("note") or d.GetRasterBand(1).GetMetadataItem("note"),
        "8",
        is_multidim=True,
    ),
    "attribute of the group": Change(
        lambda g: _write_attribute(g, "title", "9"), lambda d: d.GetMetadataItem("title"), "9", is_multidim=True
    ),
    "unit of the array": Change(
        lambda g: _first(g).SetUnit("K"), _band(lambda b: b.GetUnitType()), "K", is_multidim=True
    ),
}  # fmt: skip
# Pairs that change the same thing, of which the later one counts. Statistics are made with a nodata value, and are
# outdated by another one.
SAME = [
    {"unit", "unit of the array"}, {"colour", "colour table"}, {"nodata", "statistics"}, {"nodata", "histogram"}
]  # fmt: skip
