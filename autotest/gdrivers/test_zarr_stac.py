# SPDX-License-Identifier: MIT
"""STAC Items and Collections whose assets are Zarr stores. (Assets at link-local addresses: test_zarr_link_local.)"""

import json
import pathlib

import numpy as np
import pytest
from osgeo import gdal
from zarr_formats import BOTH
from zarr_gdal import config_options
from zarr_http import Served
from zarr_store import make_store

ZARR_TYPES = ["application/vnd+zarr", "application/vnd.zarr", "application/vnd.zarr; version=3", "Application/VND.Zarr;version=2",
              "application/vnd.zarr+icechunk", "application/x-zarr"]  # fmt: skip
VALUES = np.arange(12, dtype="f4").reshape(3, 4)


def asset(href, title=None, media="application/vnd+zarr", **more):
    named = {} if title is None else {"title": title}
    typed = {} if media is None else {"type": media}
    return {"href": href, **typed, **named, **more}


def item(assets, links=(), **more):
    """A STAC Item in the order of pgstac: what tells that it is one is at its end."""
    return {"id": "an item", "bbox": [0, 0, 1, 1], "type": "Feature", "links": list(links), "assets": assets,
            "geometry": None, "collection": "a collection",
            "properties": {"datetime": "2020-01-02T03:04:05Z", "proj:code": "EPSG:32632", "eo:cloud_cover": 1.5,
                           "nested": {"left": "out"}},
            "stac_version": "1.0.0", **more}  # fmt: skip


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return str(path)


@pytest.fixture
def stores(tmp_path):
    """A folder with the stores x.zarr, which has the groups of an EOPF product, and y.zarr."""
    make_store(tmp_path, {"a": VALUES, "measurements/b": VALUES + 100}, name="x.zarr", consolidated=True)
    make_store(tmp_path, {"c": VALUES + 200}, name="y.zarr", consolidated=True)
    return tmp_path


def listed(dataset):
    found = dataset.GetMetadata("SUBDATASETS")
    return [(found[f"SUBDATASET_{i}_NAME"], found[f"SUBDATASET_{i}_DESC"]) for i in range(1, len(found) // 2 + 1)]


def raster(name):
    dataset = gdal.Open(name)
    return dataset.ReadAsArray()


# ---------------------------------------------------------------------------------------------
# What is opened


@BOTH
@pytest.mark.parametrize("prefix", ["", "ZARR:"])
@pytest.mark.parametrize("href", ["y.zarr", "./y.zarr", "./y.zarr/", "y.zarr/c", "sub/../y.zarr"])
def test_one_asset_opens_directly(stores, prefix, href, cpl):
    (stores / "sub").mkdir()
    name = write(stores / "item.json", item({"data": asset(href), "thumbnail": asset("x.png", media="image/png")}))
    dataset = gdal.Open(prefix + name)
    assert dataset.GetDriver().ShortName == "Zarr"
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES + 200)
    cpl.assert_quiet()


@BOTH
def test_an_asset_may_be_a_node_in_a_store(stores, cpl):
    name = write(stores / "item.json", item({"b": asset("x.zarr/measurements/b", "B"), "all": asset("x.zarr")}))
    (b_name, b_title), (all_name, all_title) = listed(gdal.Open(name))
    assert (b_title, all_title) == ("B", "all")
    np.testing.assert_array_equal(raster(b_name), VALUES + 100)
    assert {described.split()[1] for _, described in listed(gdal.Open(all_name))} >= {"/a", "/measurements/b"}
    cpl.assert_quiet()


@BOTH
def test_open_options_and_the_multidimensional_api_reach_the_store(stores, cpl):
    name = write(stores / "item.json", item({"data": asset("x.zarr")}))
    group = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    np.testing.assert_array_equal(group.OpenMDArrayFromFullname("/measurements/b").ReadAsArray(), VALUES + 100)
    make_store(stores, {"d": np.stack([VALUES, VALUES])}, name="z.zarr")
    name = write(stores / "z.json", item({"data": asset("z.zarr")}))
    assert gdal.Open(name).RasterCount == 2
    assert len(listed(gdal.OpenEx(name, gdal.OF_RASTER, open_options=["MULTIBAND=NO"]))) == 2
    cpl.assert_quiet()


@pytest.mark.parametrize("media", ZARR_TYPES)
def test_media_types(stores, media):
    name = write(stores / "item.json", item({"data": asset("y.zarr", media=media)}))
    np.testing.assert_array_equal(raster(name), VALUES + 200)


@pytest.mark.parametrize("found", [
    asset("y.zarr", media=None),
    asset("y.zarr/", media=None),
    asset("y.zarr", media="application/octet-stream", **{"xarray:open_kwargs": {"engine": "zarr"}}),
])  # fmt: skip
def test_an_asset_without_a_type_of_zarr(stores, found):
    np.testing.assert_array_equal(raster(write(stores / "item.json", item({"data": found}))), VALUES + 200)


def test_facts_and_storage_options(stores, cpl):
    options = {"account_name": "an account"}
    name = write(stores / "item.json", item({
        "near": asset("x.zarr", "Near", **{"xarray:storage_options": options}), "far": asset("s3://bucket/y.zarr"),
        "web": asset("https://example.invalid/y.zarr/c", "Web"),
    }))  # fmt: skip
    dataset = gdal.Open(name)
    assert dataset.RasterCount == 0
    facts = dataset.GetMetadata("STAC")
    assert json.loads(facts.pop("near:storage_options")) == options
    assert facts == {"id": "an item", "collection": "a collection", "datetime": "2020-01-02T03:04:05Z",
                     "proj:code": "EPSG:32632", "eo:cloud_cover": "1.5"}  # fmt: skip
    assert listed(dataset) == [(f'ZARR:"{stores}/x.zarr"', "Near"), ('ZARR:"/vsis3/bucket/y.zarr"', "far"),
                               ('ZARR:"/vsicurl/https://example.invalid/y.zarr/c"', "Web")]  # fmt: skip
    cpl.assert_quiet()


@pytest.mark.parametrize("href, path", [
    ("s3://b/k.zarr", "/vsis3/b/k.zarr"), ("gs://b/k.zarr", "/vsigs/b/k.zarr"), ("az://b/k.zarr", "/vsiaz/b/k.zarr"),
    ("abfs://b/k.zarr", "/vsiaz/b/k.zarr"), ("http://127.0.0.1:1/k.zarr", "/vsicurl/http://127.0.0.1:1/k.zarr"),
])  # fmt: skip
def test_schemes(stores, href, path):
    name = write(stores / "item.json", item({"a": asset(href), "b": asset("x.zarr")}))
    assert listed(gdal.Open(name))[0] == (f'ZARR:"{path}"', "a")


def test_alternates_follow_their_asset(stores, cpl):
    alternate = {"s3": {"href": "s3://bucket/y.zarr", "alternate:name": "S3"}, "same": {"href": "y.zarr"}, "local": {"href": "x.zarr"}}
    name = write(stores / "item.json", item({"data": asset("y.zarr", "Data", alternate=alternate)}))
    np.testing.assert_array_equal(raster(name), VALUES + 200)
    name = write(stores / "two.json", item({"data": asset("y.zarr", "Data", alternate=alternate), "more": asset("x.zarr")}))
    assert listed(gdal.Open(name)) == [
        (f'ZARR:"{stores}/y.zarr"', "Data"), ('ZARR:"/vsis3/bucket/y.zarr"', "Data (S3)"),
        (f'ZARR:"{stores}/x.zarr"', "Data (local)"), (f'ZARR:"{stores}/x.zarr"', "more")]  # fmt: skip
    cpl.assert_quiet()


def test_an_alternate_replaces_an_href_of_an_unknown_scheme(stores, cpl):
    found = asset("eodata://x/y.zarr", alternate={"here": {"href": "y.zarr"}})
    np.testing.assert_array_equal(raster(write(stores / "item.json", item({"data": found}))), VALUES + 200)
    (warning,) = cpl.warnings
    assert "the scheme" in warning and "eodata" in warning
    cpl.clear()


def test_a_collection(stores, cpl):
    collection = {"type": "Collection", "stac_version": "1.1.0", "id": "c", "title": "A collection", "license": "other",
                  "extent": {}, "links": [{"rel": "item", "href": "./never/read.json"}],
                  "assets": {"zarr": asset("x.zarr", "All"), "other": asset("y.zarr")}}  # fmt: skip
    dataset = gdal.Open(write(stores / "collection.json", collection))
    assert [title for _, title in listed(dataset)] == ["All", "other"]
    assert dataset.GetMetadata("STAC") == {"id": "c", "title": "A collection"}
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# On servers


@BOTH
@pytest.mark.parametrize("href", ["../y.zarr", "/y.zarr", "{url}/y.zarr"])
def test_hrefs_of_a_document_on_a_server(stores, href, cpl):
    with Served(stores) as server:
        write(stores / "items" / "item.json", item({"data": asset(href.format(url=server.url))}))
        write(stores / "items" / "two", item({"data": asset(href.format(url=server.url)), "x": asset("../x.zarr")}))
        for name in (f"/vsicurl/{server.url}/items/item.json", f"ZARR:{server.url}/items/item.json"):
            np.testing.assert_array_equal(raster(name), VALUES + 200)
        names = listed(gdal.Open(f"/vsicurl/{server.url}/items/two"))
        assert [name for name, _ in names] == [f'ZARR:"/vsicurl/{server.url}/y.zarr"', f'ZARR:"/vsicurl/{server.url}/x.zarr"']
        np.testing.assert_array_equal(raster(names[0][0]), VALUES + 200)
    cpl.assert_quiet()


def test_a_url_without_prefix_uses_the_link_to_itself(stores, cpl):
    """GDAL's own driver for HTTP downloads the document into its memory first."""
    with Served(stores) as server:
        link = {"rel": "self", "href": f"{server.url}/items/item.json"}
        write(stores / "items" / "item.json", item({"data": asset("../y.zarr")}, [link]))
        np.testing.assert_array_equal(raster(f"{server.url}/items/item.json"), VALUES + 200)
    cpl.assert_quiet()


@pytest.mark.parametrize("link", ["file://{folder}/item.json", "/x://item.json", "{folder}/://item.json", "local://{folder}/item.json"])
def test_a_link_to_itself_does_not_make_a_document_local(stores, tmp_path_factory, link, cpl):
    served = tmp_path_factory.mktemp("served")
    self_link = {"rel": "self", "href": link.format(folder=stores)}
    with Served(served) as server:
        write(served / "one.json", item({"data": asset("y.zarr")}, [self_link]))
        write(served / "two.json", item({"data": asset("y.zarr"), "more": asset("x.zarr")}, [self_link]))
        dataset = gdal.Open(f"{server.url}/one.json")
        assert dataset is None or dataset.RasterCount == 0
        assert str(stores) not in str(listed(gdal.Open(f"{server.url}/two.json")))
    cpl.clear()


@pytest.mark.parametrize("href", ["{folder}/y.zarr", "file://{folder}/y.zarr"])
def test_a_document_by_a_plain_url_names_no_file_of_this_machine(stores, tmp_path_factory, href, cpl):
    """If no driver opens what GDAL has downloaded into its memory, GDAL tries again with a file in a local folder."""
    served = tmp_path_factory.mktemp("served")
    with Served(served) as server:
        write(served / "one.json", item({"data": asset(href.format(folder=stores))}))
        dataset = gdal.Open(f"{server.url}/one.json")
        assert dataset.RasterCount == 0 and not dataset.GetMetadata("SUBDATASETS")
        assert 'asset "data"' in dataset.GetMetadataItem("refused_1", "STAC")
        write(served / "gone.json", item({"data": asset("y.zarr")}))
        dataset = gdal.Open(f"{server.url}/gone.json")
        assert dataset.RasterCount == 0 and str(stores) not in str(listed(dataset))
    cpl.clear()


@pytest.mark.parametrize("folder", ["missing.json", "missing", "missing.zarr"])
def test_requests_for_a_name_that_is_nothing(stores, folder, cpl):
    """A name with a prefix is asked for as a document, once, unless it is that of a store. A signature stays."""
    with Served(stores) as server:
        assert gdal.Open(f'ZARR:"/vsicurl/{server.url}/{folder}?sig=s"') is None
        cpl.the_error()
        asked = [path for _, path, _, _ in server.requests()]
        assert asked and all("sig=s" in path for path in asked)
        assert asked.count(f"/{folder}?sig=s") == {"missing.json": 3, "missing": 1, "missing.zarr": 0}[folder]
    cpl.clear()


def test_a_group_of_the_arguments_for_xarray(stores, cpl):
    found = asset("x.zarr", **{"xarray:open_kwargs": {"engine": "zarr", "group": "/measurements/b"}})
    np.testing.assert_array_equal(raster(write(stores / "item.json", item({"data": found}))), VALUES + 100)
    found["xarray:open_kwargs"]["group"] = "../y.zarr"
    name = write(stores / "item.json", item({"data": found, "other": asset("y.zarr")}))
    assert listed(gdal.Open(name))[0][0] == f'ZARR:"{stores}/x.zarr"'
    cpl.assert_quiet()


def test_listing_sends_no_request_to_the_stores(stores, cpl):
    with Served(stores) as server:
        write(stores / "item.json", item({"a": asset("x.zarr"), "b": asset(f"{server.url}/y.zarr")}))
        server.log()
        assert len(listed(gdal.Open(f"/vsicurl/{server.url}/item.json"))) == 2
        assert {path for _, path, _, _ in server.requests()} == {"/item.json"}
    cpl.assert_quiet()


def test_a_document_on_a_server_names_no_file_of_this_machine(stores, cpl):
    assets = {"a": asset(f"file://{stores}/x.zarr"), "b": asset("y.zarr")}
    with Served(stores) as server:
        write(stores / "item.json", item(assets))
        dataset = gdal.Open(f"/vsicurl/{server.url}/item.json")
        np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES + 200)
        (warning,) = cpl.warnings
        assert 'asset "a"' in warning and "ZARR_REFERENCE_FOLDERS=FOLDER" in warning
        cpl.clear()
        write(stores / "other.json", item({"a": assets["a"]}))
        assert gdal.Open(f"/vsicurl/{server.url}/other.json") is None
        assert 'asset "a"' in cpl.the_error() and "ZARR_REFERENCE_FOLDERS=FOLDER" in cpl.the_error()
        with config_options(ZARR_REFERENCE_FOLDERS=str(stores)):
            assert gdal.Open(f"/vsicurl/{server.url}/other.json") is not None
    cpl.clear()


# ---------------------------------------------------------------------------------------------
# Files of this machine


def test_a_store_elsewhere_is_listed_and_not_followed(stores, tmp_path_factory, cpl):
    """A document may come from anywhere. What it names outside of its folder is opened when the user asks for it."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    name = write(elsewhere / "item.json", item({"data": asset(f"{stores}/y.zarr")}))
    ((found, _),) = listed(gdal.Open(name))
    np.testing.assert_array_equal(raster(found), VALUES + 200)
    with config_options(ZARR_REFERENCE_FOLDERS=str(stores)):
        np.testing.assert_array_equal(raster(name), VALUES + 200)
    cpl.assert_quiet()


@pytest.mark.parametrize("href", ["/vsicurl/http://127.0.0.1:1/x.zarr", "/vsizip/x.zip/x.zarr", "/vsimem/x.zarr", "/vsicached?file=x.zarr"])
def test_virtual_file_systems_are_refused(stores, href, cpl):
    assert gdal.Open(write(stores / "item.json", item({"data": asset(href)}))) is None
    assert "references to virtual file systems are refused" in cpl.the_error()
    cpl.clear()


def test_an_asset_that_is_a_document_is_not_followed_again(stores, cpl):
    name = write(stores / "item.json", item({"data": asset("item.json")}))
    assert gdal.Open(name) is None
    assert "item.json" in cpl.the_error()
    cpl.clear()


# ---------------------------------------------------------------------------------------------
# Other documents


@pytest.mark.parametrize("document", [
    item({"data": asset("x.tif", media="image/tiff; application=geotiff")}),
    item({"data": asset("x.tif", media="image/tiff")}, description="made from x.zarr with application/vnd+zarr"),
    {"type": "Feature", "stac_version": "1.0.0", "assets": [asset("x.zarr")], "geometry": None, "properties": {}},
    {"type": "Feature", "assets": {"data": asset("x.zarr")}, "geometry": None, "properties": {}},
    {"type": "FeatureCollection", "features": [item({"data": asset("x.zarr")})]},
])  # fmt: skip
def test_other_documents_are_left_to_other_drivers(stores, document, cpl):
    name = write(stores / "item.json", document)
    assert gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["Zarr"]) is None
    cpl.assert_quiet()
    dataset = gdal.OpenEx(name, gdal.OF_VECTOR)
    assert dataset is None or dataset.GetDriver().ShortName == "GeoJSON"
    cpl.clear()


def test_a_copy_to_the_name_of_a_document_does_not_delete_its_stores(stores):
    name = write(stores / "item.json", item({"data": asset("y.zarr")}))
    source = gdal.GetDriverByName("MEM").Create("", 2, 2)
    gdal.GetDriverByName("GTiff").CreateCopy(name, source)
    assert gdal.Open(name).GetDriver().ShortName == "GTiff"
    np.testing.assert_array_equal(raster(str(stores / "y.zarr")), VALUES + 200)


# ---------------------------------------------------------------------------------------------
# Bad documents


def test_a_damaged_document_is_an_error(stores, cpl):
    text = json.dumps(item({"data": asset("y.zarr")}))
    path = stores / "item.json"
    path.write_text(text[:-1] + "]")
    assert gdal.OpenEx(str(path), gdal.OF_RASTER, allowed_drivers=["Zarr"]) is None
    assert str(path) in cpl.the_error() and "JSON" in cpl.the_error()
    cpl.clear()


@pytest.mark.parametrize("change", [
    {"assets": {"data": None, "b": asset("y.zarr")}}, {"assets": {"data": [1], "b": asset("y.zarr")}},
    {"assets": {"data": asset(3), "b": asset("y.zarr")}}, {"assets": {"data": asset(""), "b": asset("y.zarr")}},
    {"assets": {"b": asset("y.zarr", alternate=[1])}}, {"assets": {"b": asset("y.zarr", alternate={"x": 1})}},
    {"assets": {"b": asset("y.zarr", **{"xarray:open_kwargs": 1})}}, {"links": 3}, {"links": [None]}, {"properties": [1]},
    {"properties": None}, {"id": 3},
])  # fmt: skip
def test_odd_members_are_passed_over(stores, change, cpl):
    document = {**item({"b": asset("y.zarr")}), **change}
    np.testing.assert_array_equal(raster(write(stores / "item.json", document)), VALUES + 200)
    cpl.assert_quiet()


def test_a_large_document_is_bounded(stores, cpl):
    document = item({"data": asset("y.zarr")}, filler="x" * (2 << 20))
    name = write(stores / "item.json", document)
    np.testing.assert_array_equal(raster(name), VALUES + 200)
    with config_options(ZARR_MAX_METADATA_SIZE="1048576"):
        assert gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["Zarr"]) is None
    cpl.assert_quiet()


def test_programs_that_ask_for_vectors_get_the_footprint(stores):
    name = write(stores / "item.json", {**item({"data": asset("y.zarr")}), "geometry": {"type": "Point", "coordinates": [1, 2]}})
    assert gdal.OpenEx(name).GetDriver().ShortName == "GeoJSON"
    assert gdal.OpenEx(name, gdal.OF_RASTER).GetDriver().ShortName == "Zarr"


def test_texts_are_lines_without_secrets(stores):
    options = {"account_key": "hunter2", "client_kwargs": {"aws_secret_access_key": "hunter2", "region": "r"}, "anon": False}
    document = item({"a": asset("x.zarr", "A\nSUBDATASET_9_NAME=x\x1b" + "t" * 5000, **{"xarray:storage_options": options}),
                     "b": asset("y.zarr")}, description="d\n" * 3)  # fmt: skip
    document["properties"]["p=q"] = "v"
    dataset = gdal.Open(write(stores / "item.json", document))
    (_, title), _ = listed(dataset)
    assert title.startswith("A SUBDATASET_9_NAME=x ttt") and len(title) < 250
    facts = dataset.GetMetadata("STAC")
    assert "hunter2" not in str(facts) and "p" not in facts
    assert json.loads(facts["a:storage_options"]) == {"account_key": "***", "anon": False,
                                                     "client_kwargs": {"aws_secret_access_key": "***", "region": "r"}}  # fmt: skip


def test_many_assets_and_hosts(stores, cpl):
    assets = {f"a{i}": asset("x.zarr") for i in range(20000)}
    assert len(listed(gdal.Open(write(stores / "many.json", {"stac_version": "1.0.0", **item(assets)})))) == 20000
    hosts = {f"h{i}": asset(f"http://h{i}..test/x.zarr") for i in range(40)}
    dataset = gdal.Open(write(stores / "hosts.json", item({**hosts, "b": asset("y.zarr")})))
    assert len(listed(dataset)) == 17
    assert all("more than 16 hosts" in warning for warning in cpl.warnings) and len(cpl.warnings) == 24
    cpl.clear()


@pytest.mark.parametrize("href, path", [("y.zarr#part", "y.zarr"), ('y.zarr":/c', None)])
def test_fragments_and_quotes(stores, href, path, cpl):
    dataset = gdal.Open(write(stores / "item.json", item({"a": asset(href), "b": asset("x.zarr"), "c": asset("y.zarr")})))
    names = [name for name, _ in listed(dataset)]
    assert names == [f'ZARR:"{stores}/{each}"' for each in (path, "x.zarr", "y.zarr") if each]
    assert len(cpl.warnings) == (0 if path else 1)
    cpl.clear()


def test_an_update_is_refused_for_a_list(stores, cpl):
    name = write(stores / "item.json", item({"a": asset("x.zarr"), "b": asset("y.zarr")}))
    assert gdal.Open(name, gdal.GA_Update) is None
    assert "is a STAC document that lists several Zarr stores; open one of its subdatasets" in cpl.the_error()
    cpl.clear()
    dataset = gdal.Open(write(stores / "one.json", item({"b": asset("y.zarr")})), gdal.GA_Update)
    dataset.GetRasterBand(1).Fill(5)
    dataset = None
    assert (raster(str(stores / "y.zarr")) == 5).all()


def test_the_files_of_a_list(stores):
    name = write(stores / "item.json", item({"a": asset("x.zarr"), "b": asset("y.zarr")}))
    assert [pathlib.Path(file) for file in gdal.Open(name).GetFileList()] == [pathlib.Path(name)]
