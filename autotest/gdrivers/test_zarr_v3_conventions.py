# SPDX-License-Identifier: MIT
"""Conventions have the same meaning in Zarr v3 as in v2. The tests convert v2 stores to v3: images of OME-NGFF,
pyramids and EOPF products. GDAL must report equal properties for the v2 store and the v3 store."""

import json
import pathlib

import numpy as np
import pytest
import zarr3
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_as_v3 import as_v3, ome_05
from zarr_eopf import add_meteorology, make_s1, make_s2
from zarr_gdal import array_name, open_band
from zarr_http import Served
from zarr_ome import add_labels, make_image, make_plate, make_series

PYRAMIDS = pathlib.Path(__file__).resolve().parents[2] / "data" / "pyramids"
# Items of the metadata domain ZARR that must be equal in v2 and v3. All other items of this domain describe how the
# array is stored.
ORIGINS = ("CRS_SOURCE", "GEOTRANSFORM_SOURCE")


def srs_text(srs):
    return srs and srs.ExportToWkt()


def facts_of_band(band):
    table = band.GetDefaultRAT()
    colours = band.GetColorTable()
    return {
        "description": band.GetDescription(), "type": band.DataType, "nodata": band.GetNoDataValue(),
        "scale": band.GetScale(), "offset": band.GetOffset(), "unit": band.GetUnitType(),
        "colour": band.GetColorInterpretation(), "metadata": band.GetMetadata(),
        "categories": band.GetCategoryNames(), "block": band.GetBlockSize(),
        "colours": colours and [colours.GetColorEntry(i) for i in range(colours.GetCount())],
        "table": table and [
            [table.GetValueAsString(row, column) for column in range(table.GetColumnCount())]
            for row in range(table.GetRowCount())
        ],
        "overviews": [
            (overview.XSize, overview.YSize, overview.Checksum())
            for overview in map(band.GetOverview, range(band.GetOverviewCount()))
        ],
        "checksum": band.Checksum(),
    }  # fmt: skip


def facts_of(dataset):
    metadata = dataset.GetMetadata()
    metadata.pop("image-label", None)  # only v2 has this item; in v3 it is a member of `ome`
    return {
        "size": (dataset.RasterXSize, dataset.RasterYSize), "metadata": metadata,
        "sources": {name: dataset.GetMetadataItem(name, "ZARR") for name in ORIGINS},
        "geolocation": dataset.GetMetadata("GEOLOCATION"),
        "place": dataset.GetGeoTransform(can_return_null=True),
        "srs": srs_text(dataset.GetSpatialRef()), "gcp_srs": srs_text(dataset.GetGCPSpatialRef()),
        "gcps": [(p.GCPPixel, p.GCPLine, p.GCPX, p.GCPY, p.GCPZ) for p in dataset.GetGCPs()],
        "bands": [facts_of_band(dataset.GetRasterBand(i + 1)) for i in range(dataset.RasterCount)],
    }  # fmt: skip


def facts_of_group(group, path=""):
    facts = {}
    for name in group.GetMDArrayNames() or []:
        array = group.OpenMDArray(name)
        # GetNoDataValueAsRaw() of a string array returns an address, which differs in each run.
        is_text = array.GetDataType().GetClass() == gdal.GEDTC_STRING
        nodata = array.GetNoDataValueAsString() if is_text else array.GetNoDataValueAsRaw()
        facts[f"{path}/{name}"] = (
            [(d.GetFullName(), d.GetType(), d.GetDirection(), d.GetSize()) for d in array.GetDimensions()],
            array.GetUnit(), array.GetScale(), array.GetOffset(), nodata,
            srs_text(array.GetSpatialRef()), sorted(a.GetName() for a in array.GetAttributes()),
        )  # fmt: skip
    for name in group.GetGroupNames() or []:
        facts.update(facts_of_group(group.OpenGroup(name), f"{path}/{name}"))
    return facts


def all_facts(store):
    """Returns all properties that GDAL reports for a store and its subdatasets. Names are relative to the
    store, so that stores can be compared."""
    facts = {}
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset is not None, log.events
        subdatasets = dataset.GetSubDatasets()
        facts[""] = [text for _, text in subdatasets] if subdatasets else facts_of(dataset)
        for name, _ in subdatasets:
            opened = gdal.Open(name)
            assert opened is not None, (name, log.events)
            facts[name] = facts_of(opened)
        multidim = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
        facts["multidim"] = facts_of_group(multidim.GetRootGroup())
    facts["warnings"] = log.events
    text = json.dumps(facts, default=repr, sort_keys=True, ensure_ascii=False)
    return json.loads(text.replace(str(store), "STORE"))


def differences(got, wanted, where=""):
    """Returns a list of the differences between two nested structures, as texts."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        return [
            text for name in sorted({*got, *wanted})
            for text in differences(got.get(name), wanted.get(name), f"{where} {name}")
        ]  # fmt: skip
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        pairs = enumerate(zip(got, wanted))
        return [text for i, (a, b) in pairs for text in differences(a, b, f"{where}[{i}]")]
    return [] if got == wanted else [f"{where}: {got!r}, not {wanted!r}"]


def assert_same(store, target, change=ome_05):
    """Converts a v2 store to a v3 store `target`. Asserts that GDAL reports equal properties for the two
    stores, and returns the properties."""
    wanted = all_facts(store)
    got = all_facts(as_v3(store, target, change))
    assert differences(got, wanted) == []
    return wanted


SAMPLES = sorted(path.name for path in PYRAMIDS.glob("*.zarr"))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_pyramid_is_the_same(tmp_path, name):
    facts = assert_same(PYRAMIDS / name, tmp_path / name)
    assert facts["warnings"] == []
    rasters = [
        raster for raster in facts.values() if isinstance(raster, dict) and "bands" in raster
    ]
    has_levels = name not in ("ome_one_chunk.zarr", "ome_three_z_chunks.zarr")
    assert any(raster["bands"][0]["overviews"] for raster in rasters) == has_levels


# ---------------------------------------------------------------------------------------------
# Tests of images of OME-NGFF 0.5


def open_for_change(store, path=""):
    group = zarr.open_group(str(store), mode="r+")
    return group[path] if path else group


def series(folder):
    store = make_series(folder, ["first", "slide [1]", "größe"])
    add_labels(open_for_change(store, "1"), ["nuclei", "cells"])
    return store


def coloured_labels(folder):
    store, _ = make_image(folder, ("0", "1"), axes="cyx")
    group = open_for_change(store)
    add_labels(group, ["cells"])
    said = {
        "version": "0.4", "colors": [{"label-value": 2, "rgba": [0, 255, 0, 128]}],
        "properties": [{"label-value": 2, "class": "nucleus"}], "source": {"image": "../../"},
    }  # fmt: skip
    group["labels/cells"].attrs["image-label"] = said
    return store


IMAGES = {
    "series": series,
    "numbered series": lambda folder: make_series(folder, ["a", "b"], series=False, xml=False),
    "plate": lambda folder: make_plate(folder, ["B/2", "A/10", "A/2"], fields=2),
    "plate of bioformats2raw": lambda folder: make_plate(
        folder, ["B/2"], fields=2, attrs={"bioformats2raw.layout": 3}
    ),
    "labels": coloured_labels,
    "volume": lambda folder: make_image(folder, ("0", "1"), axes="tczyx")[0],
    "deep": lambda folder: make_image(folder, ("a/b/0", "a/c/1"), turned=True, at="fields/7")[0],
}


@pytest.mark.parametrize("name", IMAGES)
def test_images_of_ome_05(tmp_path, name):
    facts = assert_same(IMAGES[name](tmp_path), tmp_path / "v3.zarr")
    assert facts["warnings"] == []


@pytest.mark.parametrize("name", ["series", "numbered series", "plate", "labels"])
def test_images_of_ome_05_on_a_server_that_lists_nothing(tmp_path, name):
    store = IMAGES[name](tmp_path)
    target = as_v3(store, tmp_path / "v3.zarr")
    wanted = [text for _, text in gdal.Open(str(target)).GetSubDatasets()]
    with Served(tmp_path) as server:
        server.log()
        dataset = gdal.Open(f"ZARR:{server.url}/v3.zarr")
        assert [text for _, text in dataset.GetSubDatasets()] == wanted and len(wanted) > 1
        requests = [path for _, path, *_ in server.requests()]
        assert len(set(requests)) == len(requests), requests
        # The driver detects v3 at the root, so it requests no v2 metadata documents of the arrays and groups below the
        # root.
        assert not [path for path in requests if path.count("/") > 2 and "/.z" in path], requests
        for sub, _ in dataset.GetSubDatasets():
            assert gdal.Open(sub).ReadAsArray().any()


def test_metadata_below_ome_win(tmp_path):
    store, values = make_image(tmp_path, ("0", "1"))
    target = as_v3(store, tmp_path / "v3.zarr")
    file = target / "zarr.json"
    document = json.loads(file.read_text())
    document["attributes"]["omero"] = {"channels": [{"label": "old"}]}
    file.write_text(json.dumps(document))
    dataset = gdal.Open(str(target))
    assert dataset.GetRasterBand(1).GetDescription() == "Dapi"
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)


def test_a_later_version_is_read_with_one_warning(tmp_path):
    store = IMAGES["labels"](tmp_path)
    target = as_v3(store, tmp_path / "v3.zarr", lambda attributes: ome_05(attributes, "0.9"))
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(array_name(target, "0"))
    assert dataset.GetRasterBand(2).GetDescription() == "GFP"
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    assert log.errors == [] and len(log.warnings) == 1, log.events
    assert 'ome.version: "0.9" is unknown' in log.warnings[0]


# ---------------------------------------------------------------------------------------------
# Tests of EOPF products

PRODUCTS = {
    "Sentinel-2": make_s2,
    "Sentinel-2, only by _eopf_attrs": lambda folder: make_s2(
        folder, on_arrays=False, cf_too=False, consolidated=False
    ),
    "Sentinel-1": make_s1,
    "Sentinel-1, times of NumPy": lambda folder: make_s1(
        folder, cf_times=False, consolidated=False
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_the_same(tmp_path, name):
    store = PRODUCTS[name](tmp_path)
    if name == "Sentinel-2":
        add_meteorology(store, "eopf")
    (tmp_path / "v3").mkdir()
    facts = assert_same(store, tmp_path / "v3" / store.name)
    assert facts["warnings"] == [] and len(facts) > 6


# ---------------------------------------------------------------------------------------------
# Stores of xarray, written exactly as xarray 2026.9 with zarr-python 3.1 writes them

NAN, FAR = "AAAAAAAA+H8=", "AAAAAICHw8A="  # NaN and -9999 as little-endian doubles in base64
VALUES = np.arange(12, dtype="f4").reshape(3, 4)


def xarray_node(store, name, values, dims, attributes, fill_value=0, data_type=None):
    document = zarr3.document(
        values.shape, data_type or values.dtype.name, fill_value=fill_value,
        attributes=attributes, dimension_names=list(dims), storage_transformers=[],
    )  # fmt: skip
    key = "/".join(["c", *["0"] * values.ndim])
    zarr3.handmade(store, document, {key: values.tobytes()}, name)


@pytest.fixture
def of_xarray(tmp_path):
    store = tmp_path / "x.zarr"
    zarr3.handmade(store, zarr3.group_document())
    lat = {"units": "degrees_north", "standard_name": "latitude", "_FillValue": NAN}
    lon = {"units": "degrees_east", "standard_name": "longitude", "_FillValue": NAN}
    xarray_node(store, "lat", np.array([50, 49.5, 49]), ["lat"], lat, "NaN")
    xarray_node(store, "lon", np.array([10, 10.5, 11, 11.5]), ["lon"], lon, "NaN")
    time = {"units": "hours since 2024-01-01", "calendar": "proleptic_gregorian"}
    xarray_node(store, "time", np.array([0, 6]), ["time"], time)
    dims = ["lat", "lon"]
    temp = {"units": "K", "coordinates": "height", "_FillValue": FAR}
    cube = np.stack([VALUES, VALUES + 20])
    xarray_node(store, "temp", cube, ["time", *dims], temp, "NaN")
    packed = {"add_offset": 5.0, "scale_factor": 0.1, "_FillValue": -32768}
    xarray_node(store, "packed", VALUES.astype("i2"), dims, packed)
    xarray_node(store, "nan", VALUES, dims, {"_FillValue": NAN}, "NaN")
    xarray_node(store, "flag", (VALUES > 5).astype("i1"), dims, {"dtype": "bool"})
    xarray_node(store, "height", np.array(2.0), [], {"_FillValue": NAN}, "NaN")
    return store


def test_stores_of_xarray(of_xarray):
    with zarr_gdal.error_log() as log:
        temp = gdal.Open(array_name(of_xarray, "temp"))
        assert temp.GetGeoTransform() == (9.75, 0.5, 0, 50.25, 0, -0.5)
        assert temp.GetSpatialRef().GetAuthorityCode(None) == "4326"
        band = temp.GetRasterBand(2)
        assert (band.GetNoDataValue(), band.GetUnitType()) == (-9999, "K")
        assert band.GetDescription() == "time=2024-01-01T06:00:00Z"
        np.testing.assert_array_equal(band.ReadAsArray(), VALUES + 20)
        packed = gdal.Open(array_name(of_xarray, "packed"))
        band = packed.GetRasterBand(1)
        assert (band.GetScale(), band.GetOffset(), band.GetNoDataValue()) == (0.1, 5, -32768)
        nan = gdal.Open(array_name(of_xarray, "nan"))
        assert np.isnan(nan.GetRasterBand(1).GetNoDataValue())
        flag = gdal.Open(array_name(of_xarray, "flag"))
        np.testing.assert_array_equal(flag.ReadAsArray(), VALUES > 5)
    log.assert_quiet()


# The attribute `_FillValue` of a float array is base64. xarray cannot open a v3 store in which it is a number.
@pytest.mark.parametrize("convention", ["CF", "GDAL", "SPATIAL_PROJ"])
@pytest.mark.parametrize("type_, wanted", [(gdal.GDT_Float32, FAR), (gdal.GDT_Int16, -9999)])
def test_nodata_is_written_as_xarray_reads_it(tmp_path, convention, type_, wanted):
    memory = gdal.GetDriverByName("MEM").Create("", 4, 3, 1, type_)
    memory.SetGeoTransform((600000, 10, 0, 5200000, 0, -10))
    memory.GetRasterBand(1).WriteArray(VALUES)
    memory.GetRasterBand(1).SetNoDataValue(-9999)
    options = ["FORMAT=ZARR_V3", f"GEOREFERENCING_CONVENTION={convention}", "ARRAY_NAME=dem"]
    store = tmp_path / "o.zarr"
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), memory, options=options) is not None
    document = json.loads((store / "dem" / "zarr.json").read_text())
    assert document["attributes"]["_FillValue"] == wanted
    assert document["dimension_names"] == ["y", "x"]
    band = open_band(array_name(store, "dem"))
    assert band.GetNoDataValue() == -9999


def test_nodata_of_the_multidimensional_api_is_written_as_xarray_reads_it(of_xarray):
    dataset = gdal.OpenEx(str(of_xarray), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("nan")
    assert array.SetNoDataValueDouble(-9999) == gdal.CE_None
    del array, dataset
    document = json.loads((of_xarray / "nan" / "zarr.json").read_text())
    assert document["attributes"]["_FillValue"] == FAR
