# SPDX-License-Identifier: MIT
"""Nodata 0 of Zarr v3 arrays that GDAL's built-in driver has written. Without nodata that driver writes the fill value
null, so its 0 means nodata, also without the attribute `_CRS`."""

import json
import pathlib

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import open_band

pytestmark = zarr_formats.V3
# Members in the order of GDAL 3.10 and later, which writes no spaces behind colons
DOCUMENT = {
    "zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "uint8",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0, "codecs": [{"name": "bytes"}], "attributes": {}, "dimension_names": ["Y", "X"],
}  # fmt: skip
SPATIAL = {"spatial:dimensions": ["Y", "X"], "spatial:transform": [1, 0, 5, 0, -1, 9], "proj:code": "EPSG:32632"}


def text_of_gdal(document):
    return json.dumps(document, indent=2, separators=(",", ":")).replace("/", "\\/")


def put(store, document, text_of=text_of_gdal, is_consolidated=False):
    folder = pathlib.Path(store) / "a"
    (folder / "c" / "0").mkdir(parents=True, exist_ok=True)
    root = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    if is_consolidated:
        root["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": {"a": document}}
    (folder.parent / "zarr.json").write_text(text_of(root))
    (folder / "zarr.json").write_text(text_of(document))
    (folder / "c" / "0" / "0").write_bytes(bytes(range(6)))
    return str(store)


def nodata(store):
    of_raster = open_band(store).GetNoDataValue()
    root = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.OpenMDArray("a").GetNoDataValueAsDouble() == of_raster
    return of_raster


@pytest.mark.parametrize("change, expected", [
    ({}, 0), ({"fill_value": None}, None), ({"fill_value": 9}, 9), ({"attributes": SPATIAL}, 0),
    ({"attributes": {"gdal_has_nodata": 0}}, None),
])  # fmt: skip
@pytest.mark.parametrize("is_consolidated", [False, True])
def test_the_fill_value_of_a_document(tmp_path, cpl, change, expected, is_consolidated):
    assert nodata(put(tmp_path / "s.zarr", DOCUMENT | change, is_consolidated=is_consolidated)) == expected
    assert cpl.events == []


@pytest.mark.parametrize("order, text_of", [
    (list, json.dumps), (list, lambda document: json.dumps(document, indent=2)), (sorted, text_of_gdal),
])  # fmt: skip
def test_other_writers_use_another_form(tmp_path, cpl, order, text_of):
    assert nodata(put(tmp_path / "s.zarr", {name: DOCUMENT[name] for name in order(DOCUMENT)}, text_of)) is None
    assert cpl.events == []


def test_a_document_without_codecs(tmp_path, cpl):
    document = {name: value for name, value in DOCUMENT.items() if name != "codecs"}
    assert nodata(put(tmp_path / "s.zarr", document)) == 0


def test_updates_keep_the_meaning(tmp_path, cpl):
    store = put(tmp_path / "s.zarr", DOCUMENT)
    changed = gdal.Open(store, gdal.GA_Update)
    changed.SetMetadataItem("k", "v")
    changed.GetRasterBand(1).WriteArray(np.full((1, 1), 5, "u1"))
    changed = None
    assert nodata(store) == 0
    changed = gdal.Open(store, gdal.GA_Update)
    changed.GetRasterBand(1).DeleteNoDataValue()
    changed = None
    assert nodata(store) is None
    copy = str(tmp_path / "copy.zarr")
    gdal.GetDriverByName("Zarr").CreateCopy(copy, gdal.Open(put(tmp_path / "t.zarr", DOCUMENT)))
    assert open_band(copy).GetNoDataValue() == 0
    assert cpl.events == []
