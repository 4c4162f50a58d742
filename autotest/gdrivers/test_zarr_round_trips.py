# SPDX-License-Identifier: MIT
"""Requests that open a store on a web server are sent concurrently. Datasets of one store share the answers.

The server delays its answers, so that concurrent requests overlap."""

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import config_options, open_raster
from zarr_http import Served
from zarr_overviews import level_group
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

DELAY = 0.2  # delay of each answer of the server, in seconds


@pytest.fixture(autouse=True)
def with_pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def make_pyramid(folder):
    path = str(folder / "pyramid.zarr")
    dataset = gdal.GetDriverByName("Zarr").Create(path, 1024, 1024)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform([400000, 10, 0, 5000000, 0, -10])
    dataset.BuildOverviews("NEAREST", [2, 4, 8, 16])


def make_ome(folder):
    group = zarr.open_group(str(folder / "ome.zarr"), mode="w")
    datasets = []
    for level in range(5):
        group.create_dataset(str(level), shape=(3, 8, 512 >> level, 512 >> level), chunks=(1, 8, 64, 64), dtype="u2")
        scale = {"type": "scale", "scale": [1, 1, 2**level, 2**level]}
        datasets.append({"path": str(level), "coordinateTransformations": [scale]})
    axes = [{"name": "c", "type": "channel"}, *({"name": name, "type": "space"} for name in "zyx")]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]


def make_four(folder):
    arrays = {name: {"values": np.full((4, 5), i), "dims": ("y", "x")} for i, name in enumerate("abcd")}
    arrays.update({name: {"values": np.arange(size) + 0.5, "dims": (name,)} for name, size in (("y", 4), ("x", 5))})
    make_store(folder, arrays, name="four.zarr", consolidated=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zarr_format):
    folder = tmp_path_factory.mktemp("far")
    make_pyramid(folder)
    make_ome(folder)
    make_four(folder)
    return folder


@pytest.fixture
def server(folder):
    with Served(folder, DELAY) as server:
        yield server


def name_of(server, array):
    return f'ZARR:"/vsicurl/{server.url}/four.zarr":/{array}'


@pytest.mark.slow
def test_a_pyramid_opens_in_three_round_trips(server):
    dataset = open_raster(f"{server.url}/pyramid.zarr")
    levels = [dataset.GetRasterBand(1).GetOverview(i).GetDataset() for i in range(4)]
    assert [each.GetGeoTransform()[1] for each in (dataset, *levels)] == [10, 20, 40, 80, 160]
    log = server.log()
    paths = [path for _, path, *_ in log["requests"]]
    # In v3, opening requests zarr.json, .aux.xml, the arrays x and y of five levels, and the four chunks that show whether
    # the overviews are outdated. In v2, opening also requests four metadata documents of the root, after zarr.json was
    # not found.
    assert len(paths) == len(set(paths)) == (16 if zarr_formats.is_v3() else 20), paths
    assert log["in_turn"] <= (2 if zarr_formats.is_v3() else 3)


@pytest.mark.slow
def test_an_image_without_consolidated_metadata(server):
    dataset = open_raster(f"{server.url}/ome.zarr")
    assert dataset.RasterCount == 24 and dataset.GetRasterBand(1).GetOverviewCount() == 4
    log = server.log()
    paths = [path for _, path, *_ in log["requests"]]
    assert len(paths) == len(set(paths))
    assert log["in_turn"] <= (3 if zarr_formats.is_v3() else 4), paths


@pytest.mark.slow
def test_datasets_that_are_opened_one_after_another_share_what_was_read(server, folder):
    datasets = [open_raster(name_of(server, array)) for array in "abcd"]
    assert {dataset.GetGeoTransform() for dataset in datasets} == {(0, 1, 0, 0, 0, 1)}
    paths = [path for _, path, *_ in server.requests() if not path.endswith(".aux.xml")]
    axes = [zarr_formats.chunk_key(folder / "four.zarr", name, 0) for name in "xy"]
    # The first dataset requests the metadata of `a` before it knows that the store has consolidated metadata.
    asked = ["a/zarr.json", "zarr.json", *axes]
    if not zarr_formats.is_v3():
        asked += [".zattrs", ".zmetadata", "a/.zarray", "a/.zattrs", "a/.zgroup"]
    assert sorted(paths) == sorted(f"/four.zarr/{key}" for key in asked)


@pytest.mark.slow
def test_a_closed_store_is_read_again(server, folder):
    dataset = open_raster(name_of(server, "a"))
    assert dataset.GetRasterBand(1).ReadAsArray().max() == 0
    dataset = None
    server.log()
    dataset = open_raster(name_of(server, "b"))
    assert dataset.GetRasterBand(1).ReadAsArray().max() == 1
    assert zarr_formats.spelled("/four.zarr/.zmetadata") in [path for _, path, *_ in server.requests()]


@pytest.mark.slow
def test_a_pyramid_that_fails_in_one_answer(server, folder):
    axis = f"{level_group(4)}/x"
    path = f"/pyramid.zarr/{zarr_formats.chunk_key(folder / 'pyramid.zarr', axis, 0)}"
    server.rule(status={path: [503, 1]})
    dataset = open_raster(f"{server.url}/pyramid.zarr")  # the request that failed with HTTP status 503 is sent again
    assert dataset.GetRasterBand(1).GetOverviewCount() == 4
    assert [asked for _, asked, *_ in server.requests()].count(path) == 2
    assert dataset.GetRasterBand(1).GetOverview(1).GetDataset().GetGeoTransform()[1] == 40


def test_colours_of_a_product_are_known_once_it_is_open(tmp_path):
    """Opening a group of an EOPF product also reads the attributes of the product's root, which give the colours of all
    bands. The colours are therefore still known after the test deletes these attributes."""
    root = zarr.open_group(str(tmp_path / "product.zarr"), mode="w")
    root.attrs["stac_discovery"] = {"properties": {"proj:epsg": 32632}}
    for name in ("b02", "b03", "b04"):
        root.create_dataset(f"r10m/{name}", shape=(4, 5), dtype="u2").attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    dataset = open_raster(f'ZARR:"{tmp_path}/product.zarr":/r10m')
    zarr_formats.document_file(tmp_path / "product.zarr", ".zattrs").unlink()
    colours = [dataset.GetRasterBand(i).GetColorInterpretation() for i in (1, 2, 3)]
    assert colours == [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand]
