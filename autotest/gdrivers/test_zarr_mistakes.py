# SPDX-License-Identifier: MIT
"""Messages for wrong names, and for metadata documents that differ from the consolidated metadata."""

import json
import shutil

import numcodecs
import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_http import Served
from zarr_store import make_store

pytestmark = zarr_formats.BOTH


@pytest.fixture(params=[False, True])
def store(tmp_path, request):
    values = np.arange(12, dtype="<f8").reshape(3, 4)
    return make_store(tmp_path, {
        name: {"values": values, "attrs": {"long_name": f"the {name}", "units": "K"}}
        for name in ("air_temperature", "air_pressure", "humidity", "g/deep")
    }, consolidated=request.param)  # fmt: skip


@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
@pytest.mark.parametrize("name, near", [
    ("air_temprature", "/air_temperature"), ("Humidity", "/humidity"), ("air-pressure", "/air_pressure"),
    ("g/dep", "/g/deep"), ("zzz", None), ("nothing/at/all", None),
])  # fmt: skip
def test_a_wrong_name_of_an_array_lists_similar_names(store, cpl, flags, name, near):
    assert gdal.OpenEx(array_name(store, name), flags) is None
    error = cpl.the_error()
    assert f"/{name}: there is no such array or group" in error
    assert ("there is /" in error) == (near is not None)
    assert near is None or near in error


@pytest.mark.parametrize("name", ['ZARR:"{}/nothing.zarr"', 'ZARR:"{}/nothing.zarr":/a', "ZARR:{}/no/where.zarr"])
def test_a_wrong_path_says_that_it_does_not_exist(tmp_path, cpl, name):
    for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
        assert gdal.OpenEx(name.format(tmp_path), flags) is None
        assert "does not exist" in cpl.the_error()
        cpl.clear()


def test_a_missing_store_on_a_server_takes_few_requests(tmp_path, cpl):
    with Served(tmp_path) as server:
        assert gdal.Open(f"{server.url}/nothing.zarr") is None
        assert "/nothing.zarr: not a Zarr store" in cpl.the_error()
        asked = server.requests()
    assert len(asked) <= 9, asked


def test_subdatasets_list_long_names_and_units(store):
    told = dict(open_raster(store).GetSubDatasets())
    assert told[array_name(store, "humidity")] == "[3x4] /humidity (Float64) the humidity [K]"
    assert told[array_name(store, "g/deep")] == "[3x4] /g/deep (Float64) the g/deep [K]"


def test_a_broken_chunk_is_one_error_for_all_bands(tmp_path, cpl):
    store = make_store(tmp_path, {"t": {"values": np.ones((365, 8, 8)), "chunks": (365, 8, 8)}})
    chunk = zarr_formats.chunk_file(store, "t", 0, 0, 0)
    damaged = bytearray(chunk.read_bytes())
    damaged[12:40] = b"x" * 28
    chunk.write_bytes(damaged)
    dataset = open_raster(store)
    assert dataset.RasterCount == 365 and dataset.ReadAsArray() is None
    assert str(chunk.relative_to(store)) in cpl.the_error()


@zarr_formats.V2
def test_equal_consolidated_metadata_is_not_outdated(tmp_path, cpl):
    """Consolidated metadata is not outdated if it differs only in the spelling of values, or in options of codecs that
    newer programs add."""
    values = {"values": np.ones((3, 4)), "fill_value": -np.inf, "compressor": numcodecs.Zstd(3)}
    store = make_store(tmp_path, {"a": values, "b": np.ones((3, 4))}, consolidated=True)
    document = json.loads((store / "a/.zarray").read_text())
    document["compressor"] = {"id": "zstd", "level": 3}
    held = json.loads((store / ".zmetadata").read_text())
    held["metadata"]["a/.zarray"]["compressor"] = {"id": "zstd", "level": 3, "checksum": False}
    (store / ".zmetadata").write_text(json.dumps(held))
    for fill in (-np.inf, "-Infinity"):
        document["fill_value"] = fill
        (store / "a/.zarray").write_text(json.dumps(dict(sorted(document.items()))))
        assert gdal.Open(array_name(store, "a")) is not None
    assert cpl.errors == cpl.warnings == []


@pytest.mark.parametrize("change", [{"dtype": "<f4"}, {"shape": [2, 4]}, {"fill_value": 7.0}, {"order": "F"},
                                    {"filters": [{"id": "delta", "dtype": "<f8"}]}])  # fmt: skip
def test_outdated_consolidated_metadata_gives_a_warning(tmp_path, cpl, change):
    store = make_store(tmp_path, {"a": {"values": np.ones((3, 4)), "compressor": None, "chunks": (1, 4)},
                                  "b": np.ones((3, 4))}, consolidated=True)  # fmt: skip
    document = zarr_formats.array_document(store, "a")
    zarr_formats.put_array_document(store, {**document, **change}, "a")
    dataset = gdal.Open(array_name(store, "a"))
    assert cpl.errors == [] and len(set(cpl.warnings)) == 1
    own = zarr_formats.spelled("a/.zarray")
    assert f"consolidated metadata of {own} is outdated" in cpl.warnings[0]
    if "dtype" in change:
        assert dataset.GetRasterBand(1).DataType == gdal.GDT_Float32
    if "shape" in change:
        assert dataset.RasterYSize == 2
    cpl.clear()
    # The order and the spelling of members do not make consolidated metadata outdated.
    zarr_formats.put_array_document(store, document, "a")
    file = zarr_formats.document_file(store, "a/.zarray")
    file.write_text(json.dumps(dict(reversed(json.loads(file.read_text()).items()))))
    assert gdal.Open(array_name(store, "a")) is not None and gdal.Open(array_name(store, "b")) is not None
    assert cpl.events == []


@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_an_array_that_is_gone_gives_a_warning(tmp_path, cpl, flags):
    """A deleted array that the consolidated metadata still lists reads as the fill value, as in zarr-python. The driver
    gives a warning."""
    store = make_store(tmp_path, {"a": np.ones((3, 4)), "b": np.ones((3, 4))}, consolidated=True)
    shutil.rmtree(store / "a")
    if flags == gdal.OF_RASTER:
        assert gdal.Open(array_name(store, "a")) is not None
    else:
        group = gdal.OpenEx(str(store), flags).GetRootGroup()
        assert group.OpenMDArray("b") is not None
        cpl.assert_quiet()
        assert group.OpenMDArray("a") is not None
    assert len(cpl.warnings) == 1 and "contains /a, but the store has no key" in cpl.warnings[0]
    cpl.clear()
    assert gdal.Open(array_name(store, "b")) is not None
    cpl.assert_quiet()


@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_own_attributes_win_over_consolidated_ones(tmp_path, cpl, kind):
    attributes = {"units": "K", "scale_factor": 1.5, "valid_range": [0.0, 5e-06], "about": {"a": 1, "b": None}}
    store = make_store(tmp_path, {"a": {"values": np.ones((3, 4)), "attrs": attributes},
                                  "b": np.ones((3, 4))}, consolidated=True)  # fmt: skip

    def opened():
        dataset = gdal.OpenEx(array_name(store, "a"), kind)
        if kind == gdal.OF_RASTER:
            band = dataset.GetRasterBand(1)
            return band.GetScale(), band.GetUnitType()
        array = dataset.GetRootGroup().OpenMDArray("a")
        return array.GetScale(), array.GetUnit()

    assert opened() == (1.5, "K") and cpl.events == []
    # Attributes are equal if only their order and the spelling of numbers differ.
    own = zarr_formats.attributes(store, "a")
    zarr_formats.put_attributes(store, {**dict(reversed(own.items())), "valid_range": [0, 0.000005],
                                        "about": {"b": None, "a": 1.0}}, "a")  # fmt: skip
    assert opened() == (1.5, "K") and cpl.events == []
    zarr_formats.change_attributes(store, "a", scale_factor=0.1, units="m")
    assert opened() == (0.1, "m")
    key = zarr_formats.spelled("a/.zattrs")
    assert cpl.errors == [] and len(set(cpl.warnings)) == 1
    assert f"consolidated metadata of {key} is outdated" in cpl.warnings[0]
    cpl.clear()
    assert gdal.OpenEx(array_name(store, "b"), kind) is not None and cpl.events == []


def test_one_document_with_another_shape_and_other_attributes_is_one_warning(tmp_path, cpl):
    store = make_store(tmp_path, {"a": {"values": np.ones((3, 4)), "attrs": {"units": "K"}, "chunks": (1, 4)}},
                       consolidated=True)  # fmt: skip
    zarr_formats.put_array_document(store, {**zarr_formats.array_document(store, "a"), "shape": [2, 4]}, "a")
    zarr_formats.change_attributes(store, "a", units="m")
    dataset = gdal.Open(array_name(store, "a"))
    assert dataset.RasterYSize == 2 and dataset.GetRasterBand(1).GetUnitType() == "m"
    assert len(cpl.warnings) == (1 if zarr_formats.is_v3() else 2), cpl.warnings


@pytest.mark.parametrize("names", [("lat", "lon"), ("latitude", "longitude")])
@pytest.mark.parametrize("option, has_crs", [(None, False), ("YES", True), ("NO", False)])
def test_names_of_longitudes_and_latitudes(tmp_path, cpl, names, option, has_crs):
    """Coordinates that have names of longitudes and latitudes but no units get the CRS WGS 84 only with
    ASSUME_LONGLAT=YES."""
    store = make_store(tmp_path, {
        "v": {"values": np.zeros((3, 4)), "dims": names},
        names[0]: {"values": np.arange(3) + 0.5, "dims": names[:1]},
        names[1]: {"values": np.arange(4) + 0.5, "dims": names[1:]},
    })  # fmt: skip
    dataset = open_raster(store, *([f"ASSUME_LONGLAT={option}"] if option else []))
    assert (dataset.GetSpatialRef() is not None) == has_crs
    assert cpl.events == []


def test_names_that_are_no_longitudes(tmp_path, cpl):
    store = make_store(tmp_path, {
        "v": {"values": np.zeros((3, 4)), "dims": ("y", "x")},
        "y": {"values": np.arange(3) + 0.5, "dims": ("y",)}, "x": {"values": np.arange(4) + 0.5, "dims": ("x",)},
    })  # fmt: skip
    assert open_raster(store, "ASSUME_LONGLAT=YES").GetSpatialRef() is None
    assert cpl.events == []
