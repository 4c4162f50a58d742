# SPDX-License-Identifier: MIT
"""Kerchunk references in JSON documents. The references describe stores whose chunks are in other files."""

import json
import os
import subprocess
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_formats import BOTH
from zarr_gdal import config_options, gdal_is_at_least
from zarr_http import Served
from zarr_reference_sample import CUBE, IMAGE, make_sample, read, read_all
from zarr_references import pack, write_json

pytestmark = BOTH

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER


@pytest.fixture
def references(tmp_path):
    """Returns references to a store with two arrays. The chunks are packed into the file packed.bin."""
    store = make_sample(tmp_path / "plain")
    return pack(store, tmp_path / "packed.bin", inline=64)


# ---------------------------------------------------------------------------------------------
# Contents of a store that programs see


@pytest.mark.parametrize("version", [0, 1])
def test_arrays_are_bands(tmp_path, references, version, cpl):
    name = str(write_json(tmp_path / "refs.json", references, version))
    assert gdal.OpenEx(name, RASTER).GetDriver().ShortName == "Zarr"
    listed = gdal.Open(name).GetMetadata("SUBDATASETS")
    assert {text.rpartition(":/")[2] for key, text in listed.items() if key.endswith("_NAME")} == {"cube", "image"}
    read_all(name)
    dataset = gdal.Open(f'ZARR:"{name}":/cube')
    assert dataset.GetGeoTransform() == (0, 10, 0, 1005, 0, -10)
    assert dataset.GetRasterBand(2).GetDescription().startswith("time=2020-01-02")
    assert dataset.GetRasterBand(1).GetUnitType() == "m"
    cpl.assert_quiet()


def test_the_multidimensional_view(tmp_path, references, cpl):
    name = str(write_json(tmp_path / "refs.json", references))
    root = gdal.OpenEx(name, MULTIDIM).GetRootGroup()
    assert set(root.GetMDArrayNames()) == {"cube", "image", "x", "y", "time"}
    cube = root.OpenMDArray("cube")
    assert np.array_equal(cube.ReadAsArray(), CUBE)
    assert np.array_equal(cube.ReadAsArray([1, 3, 5], [2, 20, 30]), CUBE[1:3, 3:23, 5:35])
    assert [dimension.GetName() for dimension in cube.GetDimensions()] == ["time", "y", "x"]
    cpl.assert_quiet()


@pytest.mark.skipif(not gdal_is_at_least(3, 12), reason="GDAL asks for it from 3.12 on")
def test_where_a_chunk_is_stored(tmp_path, references):
    """GetRawBlockInfo() reports the file, offset and size that the chunk's reference states. If the bytes of a chunk
    are in the JSON document, it reports no file and returns the bytes."""
    name = str(write_json(tmp_path / "refs.json", references))
    root = gdal.OpenEx(name, MULTIDIM).GetRootGroup()
    info = root.OpenMDArray("cube").GetRawBlockInfo([2, 1, 3])
    _, offset, size = references[next(key for key in references if key.startswith("cube") and key.endswith(("2.1.3", "2/1/3")))]
    assert (info.GetFilename(), info.GetOffset(), info.GetSize()) == (str(tmp_path / "packed.bin"), offset, size)
    info = root.OpenMDArray("time").GetRawBlockInfo([0])
    assert info.GetFilename() is None and info.GetOffset() == 0
    assert len(bytes(info.GetInlineData())) == info.GetSize() > 0


def test_a_slice_by_index_and_by_time(tmp_path, references):
    name = str(write_json(tmp_path / "refs.json", references))
    assert np.array_equal(gdal.Open(f'ZARR:"{name}":/cube:2').ReadAsArray(), CUBE[2])
    assert np.array_equal(gdal.Open(f'ZARR:"{name}":/cube:time=2020-01-04').ReadAsArray(), CUBE[3])


def test_programs_read_references(tmp_path, references):
    write_json(tmp_path / "refs.json", references)
    info = subprocess.run(["gdalinfo", "refs.json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "SUBDATASET_1_NAME=ZARR:" in info.stdout and info.stderr == ""
    subprocess.run(["gdal_translate", "-q", 'ZARR:"refs.json":/image', "image.tif"], cwd=tmp_path, check=True)
    assert np.array_equal(gdal.Open(str(tmp_path / "image.tif")).ReadAsArray(), IMAGE)
    subprocess.run(["gdalmdimtranslate", "-of", "Zarr", "refs.json", "copy.zarr"], cwd=tmp_path, check=True)
    assert np.array_equal(gdal.Open(f'ZARR:"{tmp_path}/copy.zarr":/cube').ReadAsArray(), CUBE)


# ---------------------------------------------------------------------------------------------
# Names that open references


@pytest.mark.parametrize("prefix", ["/vsikerchunk_json_ref/", "/vsikerchunk_json_ref_cached/"])
@pytest.mark.parametrize("extension", [".json", ".txt"])
def test_names_of_gdals_file_systems(tmp_path, references, prefix, extension):
    path = write_json(tmp_path / f"refs{extension}", references)
    base = f"{prefix}{{{path}}}"
    assert gdal.OpenEx(base, MULTIDIM).GetRootGroup().OpenMDArray("image") is not None
    assert np.array_equal(gdal.Open(f'ZARR:"{base}":/image').ReadAsArray(), IMAGE)
    assert np.array_equal(gdal.Open(f"{base}/image").ReadAsArray(), IMAGE)
    assert np.array_equal(gdal.Open(f'ZARR:"{base}/image"').ReadAsArray(), IMAGE)


@pytest.mark.parametrize("name", ["refs.json.zst", "REFS.JSON.ZST"])
def test_compressed_by_zstandard(tmp_path, references, name):
    import numcodecs

    path = write_json(tmp_path / "refs.json", references)
    packed = tmp_path / name
    packed.write_bytes(numcodecs.Zstd().encode(path.read_bytes()))
    path.unlink()
    assert gdal.OpenEx(str(packed), RASTER).GetDriver().ShortName == "Zarr"
    read_all(packed)


def test_in_a_zip_file(tmp_path, references):
    document = json.dumps({"refs": references})
    with zipfile.ZipFile(tmp_path / "refs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/refs.json", document)
        archive.write(tmp_path / "packed.bin", "deep/packed.bin")
    name = f"/vsizip/{tmp_path}/refs.zip/deep/refs.json"
    root = gdal.OpenEx(f'ZARR:"{name}"', MULTIDIM).GetRootGroup()
    assert "image" in root.GetMDArrayNames()
    read_all(name)


def test_other_json_is_left_to_other_drivers(tmp_path, cpl):
    path = tmp_path / "points.json"
    path.write_text('{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {},'
                    ' "geometry": {"type": "Point", "coordinates": [1, 2]}}]}')  # fmt: skip
    assert gdal.IdentifyDriverEx(str(path), gdal.OF_VECTOR).ShortName == "GeoJSON"
    assert gdal.OpenEx(str(path), gdal.OF_VECTOR).GetLayerCount() == 1
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Documents and chunks on servers


def test_a_document_on_a_web_server(tmp_path, references):
    write_json(tmp_path / "refs.json", references)
    with Served(tmp_path) as server:
        name = f"{server.url}/refs.json"
        read_all(name)
        read_all(f"/vsicurl/{name}")
        assert gdal.OpenEx(f"/vsikerchunk_json_ref/{{{name}}}", MULTIDIM) is not None


def test_chunks_on_a_web_server(tmp_path, references):
    """The references in a local JSON document name files on a server. Chunks that are close together in a file are read
    by one request."""
    with Served(tmp_path) as server:
        moved = {key: [f"{server.url}/{value[0]}", *value[1:]] if isinstance(value, list) else value
                 for key, value in references.items()}  # fmt: skip
        name = write_json(tmp_path / "refs.json", moved)
        server.log()
        assert np.array_equal(read(name, "image"), IMAGE)
        requests = [each for each in server.log()["requests"] if "packed.bin" in each[1]]
        assert len(requests) <= 2
        read_all(name)


# ---------------------------------------------------------------------------------------------
# Invalid references


def refused(references, key, reference, tmp_path, cpl):
    """Replaces the reference of the chunk `key`. Returns the error that reading the array "image" gives."""
    name = write_json(tmp_path / "refs.json", {**references, key: reference})
    cpl.clear()
    dataset = gdal.Open(f'ZARR:"{name}":/image')
    assert dataset is not None and dataset.ReadAsArray() is None
    return cpl.the_error()


def chunk_of(references):
    return next(key for key in references if key.startswith("image/") and isinstance(references[key], list))


def test_a_missing_or_short_target_is_an_error(tmp_path, references, cpl):
    key = chunk_of(references)
    text = refused(references, key, ["gone.bin", 0, 10], tmp_path, cpl)
    assert f"{key}: " in text and text.endswith("gone.bin: the file that a reference names does not exist")
    size = (tmp_path / "packed.bin").stat().st_size
    text = refused(references, key, ["packed.bin", size - 2, 10], tmp_path, cpl)
    assert f"packed.bin: the file is shorter than the reference to 10 bytes at {size - 2}" in text


def test_an_absent_chunk_is_the_fill_value(tmp_path, references):
    key = chunk_of(references)
    del references[key]
    name = write_json(tmp_path / "refs.json", references)
    assert not np.array_equal(read(name, "image"), IMAGE)


def test_damaged_documents_are_errors(tmp_path, cpl):
    path = tmp_path / "refs.json"
    for text, message in (
        ('{"version": 1, "refs": {".zgroup": "{}", "x/0": ["u", 1]}}', "x/0: expected [url] or [url, offset, length]"),
        ('{"refs": {".zgroup": "{"', 'byte 24 of the references: expected a comma or "}"'),
        ('{".zgroup": "{}", "x/0": "base64:*"}', "x/0: base64 text of 1 characters is invalid"),
    ):
        path.write_text(text)
        cpl.clear()
        assert gdal.Open(str(path)) is None
        assert message in cpl.the_error()


def test_references_are_read_only(tmp_path, references, cpl):
    name = str(write_json(tmp_path / "refs.json", references))
    before = (tmp_path / "refs.json").read_bytes()
    assert gdal.OpenEx(f'ZARR:"{name}":/image', RASTER | gdal.OF_UPDATE) is None
    assert "references are read-only" in cpl.the_error()
    assert (tmp_path / "refs.json").read_bytes() == before


# ---------------------------------------------------------------------------------------------
# Files to which a document may refer


@pytest.fixture
def beyond(tmp_path, references):
    """Returns references to a file outside of the folder of the JSON document."""
    (tmp_path / "documents").mkdir()
    moved = {key: [str(tmp_path / value[0]), *value[1:]] if isinstance(value, list) else value
             for key, value in references.items()}  # fmt: skip
    return write_json(tmp_path / "documents" / "refs.json", moved)


def test_a_file_elsewhere_needs_an_option(tmp_path, beyond, cpl):
    assert gdal.Open(f'ZARR:"{beyond}":/image').ReadAsArray() is None
    assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()


@pytest.mark.parametrize("option, value", [
    ("ZARR_REFERENCE_FOLDERS", "ALL"), ("ZARR_REFERENCE_FOLDERS", "/nowhere:{folder}"),
    ("GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE", "YES")])  # fmt: skip
def test_an_option_allows_a_file_elsewhere(tmp_path, beyond, option, value):
    with config_options(**{option: value.format(folder=tmp_path)}):
        read_all(beyond)


def test_a_link_out_of_the_folder_is_resolved(tmp_path, beyond, references, cpl):
    os.symlink(tmp_path / "packed.bin", tmp_path / "documents" / "packed.bin")
    name = write_json(tmp_path / "documents" / "linked.json", references)
    assert gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is None
    assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()


ELSEWHERE = "the file is not below the folder of the references; allow it with the configuration option ZARR_REFERENCE_FOLDERS=FOLDER"
LINK_LOCAL = "references to link-local addresses are refused"
VIRTUAL = "references to virtual file systems are refused"
NOT_ALLOWED = {
    ELSEWHERE: ["../packed.bin", "folder/../../packed.bin", "/dev/zero", "/etc/passwd", "file:///etc/passwd", "folder/.."],
    VIRTUAL: ["/vsimem/packed.bin", "/vsicurl/http://127.0.0.1/x", "/vsisubfile/0_100,/etc/passwd",
              "file:///vsicurl/http://127.0.0.1/x", "file:///vsizip/x.zip/y", "/vsizip//vsicurl/http://127.0.0.1/x"],
    LINK_LOCAL: ["http://169.254.169.254/latest/meta-data", "http://2852039166/latest", "http://[fe80::1]/x",
                 "http://[::ffff:169.254.169.254]/x", "http://0xa9fea9fe/x", "http://%3169.254.169.254/x",
                 "http://169.254.169.254./x", "http://u:p@169.254.169.254/x", "http://[fe80::1%25eth0]/x"],
    "expected a host name in ASCII (punycode)": ["http://\uff1169.254.169.254/x"],
    "the scheme \"ftp\" of the reference is unsupported": ["ftp://host/x"],
    "contains a NUL character": ["packed.bin\0/../x"],
    "not a regular file": ["dev.fifo"],
    "folder: cannot open: Is a directory": ["folder"],
}  # fmt: skip


@pytest.mark.parametrize("message, location", [(text, each) for text, places in NOT_ALLOWED.items() for each in places])
def test_what_a_document_must_not_name(tmp_path, references, message, location, cpl):
    os.mkfifo(tmp_path / "dev.fifo")
    (tmp_path / "folder").mkdir()
    assert message in refused(references, chunk_of(references), [location, 0, 10], tmp_path, cpl)


def test_a_server_is_named_by_a_url_alone(tmp_path, references, cpl):
    with Served(tmp_path) as server:
        for prefix, is_allowed in (("", True), ("/vsicurl/", False)):
            moved = {key: [f"{prefix}{server.url}/packed.bin", *value[1:]] if isinstance(value, list) else value
                     for key, value in references.items()}  # fmt: skip
            name = write_json(tmp_path / "refs.json", moved)
            assert (gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is not None) == is_allowed
    assert "references to virtual file systems are refused" in cpl.the_error()


# ---------------------------------------------------------------------------------------------
# Redirects to other servers


@pytest.fixture
def redirected(tmp_path, references):
    """Returns a function that opens an array by references to chunks on a server, which redirects requests to
    `location`. `{other}` in `location` is the address of a second server with the data. GDAL sees two hosts: 127.0.0.1
    and localhost."""
    with Served(tmp_path) as server, Served(tmp_path) as other:

        def opened(location):
            location = location.format(other=other.url.replace("127.0.0.1", "localhost"), same=other.url)
            server.rule(status={"/packed.bin": [302, -1]}, **{"with": {"Location": location}})
            moved = {key: [f"{server.url}/packed.bin", *value[1:]] if isinstance(value, list) else value
                     for key, value in references.items()}  # fmt: skip
            return gdal.Open(f'ZARR:"{write_json(tmp_path / "refs.json", moved)}":/image')

        opened.other = other
        yield opened


@pytest.mark.parametrize("location", ["{other}/packed.bin", "//localhost:{port}/packed.bin"])
def test_a_redirect_to_another_host_needs_an_option(redirected, location, cpl):
    port = redirected.other.url.rpartition(":")[2]
    assert redirected(location.replace("{port}", port)).ReadAsArray() is None
    message = cpl.the_error()
    assert "/packed.bin: the server redirects to the host \"localhost\"" in message
    assert message.endswith("ZARR_REFERENCE_HOSTS=localhost")


@pytest.mark.parametrize("hosts", ["localhost", "example.org, LOCALHOST", "ALL"])
def test_an_option_allows_a_redirect(redirected, hosts):
    with config_options(ZARR_REFERENCE_HOSTS=hosts):
        values = redirected("{other}/packed.bin").ReadAsArray()
    np.testing.assert_array_equal(values, IMAGE)


@pytest.mark.parametrize("hosts", ["host", "local", "127.0.0.1", "x.localhost", ""])
def test_another_host_does_not_allow_a_redirect(redirected, hosts, cpl):
    with config_options(ZARR_REFERENCE_HOSTS=hosts):
        assert redirected("{other}/packed.bin").ReadAsArray() is None
    assert "ZARR_REFERENCE_HOSTS=localhost" in cpl.the_error()


@pytest.mark.parametrize("location", ["{same}/packed.bin", "/folder/packed.bin", "folder/packed.bin"])
def test_a_redirect_within_the_host_needs_no_option(tmp_path, redirected, location, cpl):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "packed.bin").write_bytes((tmp_path / "packed.bin").read_bytes())
    np.testing.assert_array_equal(redirected(location).ReadAsArray(), IMAGE)
    assert cpl.events == []


def test_a_redirect_that_comes_back_is_refused(tmp_path, redirected, cpl):
    """A redirect to another host is refused, even if that host redirects back to the first host."""
    (tmp_path / "copy.bin").write_bytes((tmp_path / "packed.bin").read_bytes())
    home = redirected.other.url + "/copy.bin"
    redirected.other.rule(status={"/back": [302, -1]}, **{"with": {"Location": home}})
    assert redirected("{other}/back").ReadAsArray() is None
    assert "ZARR_REFERENCE_HOSTS=localhost" in cpl.the_error()


def test_no_option_allows_a_redirect_to_a_link_local_address(redirected, cpl):
    with config_options(ZARR_REFERENCE_HOSTS="ALL", GDAL_HTTP_CONNECTTIMEOUT="1"):
        assert redirected("http://169.254.169.254/latest/meta-data").ReadAsArray() is None
    assert 'redirects to the host "169.254.169.254", which the references must not name' in cpl.the_error()


def test_a_remote_document_names_no_local_file(tmp_path, references, cpl):
    moved = {key: [str(tmp_path / value[0]), *value[1:]] if isinstance(value, list) else value
             for key, value in references.items()}  # fmt: skip
    write_json(tmp_path / "refs.json", moved)
    with Served(tmp_path) as server:
        assert gdal.Open(f'ZARR:"{server.url}/refs.json":/image').ReadAsArray() is None
        assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()


def test_templates(tmp_path, references):
    moved = {key: ["{{u}}", *value[1:]] if isinstance(value, list) else value for key, value in references.items()}
    name = write_json(tmp_path / "refs.json", moved, templates={"u": "packed.bin"})
    read_all(name)
