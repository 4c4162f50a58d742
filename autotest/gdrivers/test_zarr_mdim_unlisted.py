# SPDX-License-Identifier: MIT
"""Stores on servers without listings, in the multidimensional API. A node with a metadata document opens by its name.
In NCZarr stores, lists in the metadata name the nodes."""

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_http import Served
from zarr_tools import run_tool
from zarr_s3 import S3
from zarr_store import group, handmade, make_store

pytestmark = zarr_formats.BOTH

LAT, LON = np.linspace(60, 30, 4), np.linspace(0, 40, 5)
VALUES = np.arange(20, dtype="f4").reshape(4, 5)
CDL = """netcdf x { dimensions: lat = 3 ; lon = 2 ;
variables: float v(lat, lon) ; float lat(lat) ;
data: v = 1, 2, 3, 4, 5, 6 ; lat = 30, 20, 10 ;
group: g { dimensions: z = 2 ; variables: float w(z, lat) ; float z(z) ;
  data: w = 1, 2, 3, 4, 5, 6 ; z = 10, 20 ; }
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zarr_format):
    """Returns a folder with stores: "plain" has nested groups, and "raster" has a geotransform. In Zarr v2, the folder
    also has the NCZarr stores of make_nczarr()."""
    folder = tmp_path_factory.mktemp("stores")
    make_store(folder, {
        "lat": {"values": LAT, "dims": ["lat"]}, "lon": {"values": LON, "dims": ["lon"]},
        "sub/var": {"values": VALUES, "dims": ["lat", "lon"]},
        "sub/deep/var": {"values": VALUES[0], "dims": ["lon"]},
    }, name="plain.zarr")  # fmt: skip
    attrs = {"spatial:transform": [2.0, 0, 100.0, 0, -3.0, 50.0],
             "spatial:dimensions": ["y", "x"]}  # fmt: skip
    make_store(folder, {"a": {"values": VALUES, "dims": ["y", "x"], "attrs": attrs}},
               name="raster.zarr")  # fmt: skip
    if not zarr_formats.is_v3():
        make_nczarr(folder, tmp_path_factory.mktemp("nczarr") / "x.cdl")
    return folder


def make_nczarr(folder, cdl):
    """Writes three stores: "nczarr", "old" (as netCDF-C 4.8 writes it), and "gone" (which lists nodes that
    do not exist)."""
    cdl.write_text(CDL)
    url = f"file://{folder}/nczarr.zarr#mode=nczarr,file"
    run_tool("ncgen", "-4", "-o", url, cdl)
    old = group(folder / "old.zarr")
    (old / ".nczarr").write_text('{"nczarr_version": "1.0.0"}')
    (old / ".nczgroup").write_text('{"dims": {"y": 4, "x": 6}, "vars": ["v"], "groups": ["g"]}')
    handmade(old, path="v")
    (old / "v" / ".nczarray").write_text('{"dimrefs": ["/y", "/x"], "storage": "chunked"}')
    group(old, "g")
    (old / "g" / ".nczgroup").write_text('{"dims": {}, "vars": ["w"], "groups": []}')
    handmade(old, path="g/w")
    group(folder / "gone.zarr", attrs={"_nczarr_group": {
        "dimensions": {}, "arrays": ["v", "../old.zarr/v", "gone", 3], "groups": ["nor_this"]}})
    handmade(folder / "gone.zarr", path="v")


@pytest.fixture(scope="module")
def web(folder):
    with Served(folder) as server:
        yield server


@pytest.fixture(scope="module")
def s3(folder, tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        for store in folder.iterdir():
            server.upload(store, store.name)
        server.front.rule(status={"/demo/": [403, -1], "/demo": [403, -1]})
        gdal.VSICurlClearCache()
        yield server


# (kind of server, flags of OpenEx())
WAYS = [("web", 0), ("s3", 0), ("s3", gdal.OF_UPDATE)]


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]}-{'update' if way[1] else 'read'}")
def way(request):
    """Returns a function that opens a store of `folder`, or a node in it, through a server. The function
    returns the root group."""
    place, flags = request.param
    server = request.getfixturevalue(place)
    prefix = server.url + "/" if place == "web" else "/vsis3/demo/"
    gdal.VSICurlClearCache()

    def open_store(name, node=""):
        dataset = gdal.OpenEx(
            f'ZARR:"{prefix}{name}.zarr":/{node}', gdal.OF_MULTIDIM_RASTER | flags
        )
        assert dataset is not None, gdal.GetLastErrorMsg()
        return dataset.GetRootGroup()

    return open_store


@pytest.mark.slow
def test_nodes_with_documents_open_by_name(way, cpl):
    root = way("plain")
    zarr_gdal.assert_same(root.OpenMDArray("lat").ReadAsArray(), LAT)
    sub = root.OpenGroup("sub")
    zarr_gdal.assert_same(sub.OpenMDArray("var").ReadAsArray(), VALUES)
    assert sub.OpenGroup("deep").OpenMDArray("var").GetFullName() == "/sub/deep/var"
    array = root.OpenMDArrayFromFullname("/sub/deep/var")
    zarr_gdal.assert_same(array.ReadAsArray(), VALUES[0])
    assert array.GetDimensions()[0].GetIndexingVariable().GetFullName() == "/lon"
    assert root.OpenGroupFromFullname("/sub/deep").GetFullName() == "/sub/deep"
    assert root.ResolveMDArray("var", "/sub/deep").GetFullName() == "/sub/deep/var"
    assert root.ResolveMDArray("lat", "/sub/deep").GetFullName() == "/lat"
    assert root.OpenMDArray("nope") is None and root.OpenGroup("nope") is None
    assert root.OpenGroup("lat") is None and root.OpenMDArray("sub") is None
    assert cpl.errors == []


def test_nodes_below_the_root_open(way, cpl):
    root = way("plain", "sub")
    zarr_gdal.assert_same(root.OpenMDArray("var").ReadAsArray(), VALUES)
    zarr_gdal.assert_same(root.OpenMDArrayFromFullname("/lat").ReadAsArray(), LAT)
    root = way("plain", "sub/var")
    assert root.GetMDArrayNames() == ["var", "lat", "lon"]
    zarr_gdal.assert_same(root.OpenMDArray("lon").ReadAsArray(), LON)
    cpl.assert_quiet()


def test_listing_arrays_of_an_unlisted_store_is_an_error(web, cpl):
    name = f'ZARR:"{web.url}/plain.zarr"'
    root = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert not root.GetGroupNames()
    cpl.assert_quiet()
    assert not root.GetMDArrayNames()
    assert "returns no listing" in cpl.the_error() and "plain.zarr" in cpl.the_error()


@zarr_formats.V2
@pytest.mark.slow
def test_nczarr_lists_its_members(way, cpl):
    root = way("nczarr")
    assert sorted(root.GetMDArrayNames()) == ["lat", "v"] and root.GetGroupNames() == ["g"]
    g = root.OpenGroup("g")
    assert sorted(g.GetMDArrayNames()) == ["w", "z"] and not g.GetGroupNames()
    w = g.OpenMDArray("w")
    assert [d.GetFullName() for d in w.GetDimensions()] == ["/g/z", "/lat"]
    zarr_gdal.assert_same(w.ReadAsArray(), np.arange(1, 7, dtype="f4").reshape(2, 3))
    cpl.assert_quiet()


@zarr_formats.V2
def test_nczarr_of_older_releases_lists_its_members(way, cpl):
    root = way("old")
    assert root.GetMDArrayNames() == ["v"] and root.GetGroupNames() == ["g"]
    assert root.OpenGroup("g").GetMDArrayNames() == ["w"]
    assert [d.GetFullName() for d in root.OpenMDArray("v").GetDimensions()] == ["/y", "/x"]
    cpl.assert_quiet()


@zarr_formats.V2
def test_missing_members_that_nczarr_lists_are_skipped(way, cpl):
    root = way("gone")
    assert root.GetMDArrayNames() == ["v"] and not root.GetGroupNames()
    cpl.assert_quiet()


@zarr_formats.V2
def test_nczarr_opens_as_rasters(web, cpl):
    """The classic API lists the arrays of an NCZarr store, even on a server without listings."""
    dataset = gdal.OpenEx(f'ZARR:"{web.url}/nczarr.zarr"')
    names = [text for key, text in dataset.GetMetadata("SUBDATASETS").items() if "NAME" in key]
    found = {name.rpartition(":/")[2] for name in names} or {dataset.GetDescription()}
    assert {"v", "g/w"} <= found
    assert cpl.errors == []


def test_opening_by_name_lists_nothing(folder, s3):
    """Opening an array by its name does not list the store. The driver requests each metadata document that may exist
    at most once."""
    root = gdal.OpenEx(
        'ZARR:"/vsis3/demo/plain.zarr":/', gdal.OF_MULTIDIM_RASTER
    ).GetRootGroup()  # fmt: skip
    s3.requests()
    assert root.OpenMDArray("lat") is not None
    asked = [path for _, path, _ in s3.requests()]
    assert zarr_formats.spelled("/demo/plain.zarr/lat/.zarray") in asked and len(asked) <= 4
    assert not any(path.endswith("/demo/") for path in asked)
    assert zarr_formats.array_document(folder / "plain.zarr", "lat")["shape"] == [4]


def test_computed_variables_open_by_name(web, cpl):
    root = gdal.OpenEx(
        f'ZARR:"{web.url}/raster.zarr":/a', gdal.OF_MULTIDIM_RASTER
    ).GetRootGroup()  # fmt: skip
    assert root.OpenMDArray("x").ReadAsArray().tolist() == [101, 103, 105, 107, 109]
    cpl.assert_quiet()
