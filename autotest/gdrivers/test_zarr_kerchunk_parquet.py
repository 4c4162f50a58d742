# SPDX-License-Identifier: MIT
"""Kerchunk references in Parquet files, which describe stores whose chunks are in other files. The driver reads a
Parquet file only when it needs a reference in it."""

import json
import pathlib
import re
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_formats import V2
from zarr_gdal import config_options
from zarr_http import Served
from zarr_reference_sample import CUBE, IMAGE, make_sample, read, read_all
from zarr_references import pack, virtualize, write_parquet
from zarr_store import make_store

pytestmark = V2

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
PREFIX = "/vsikerchunk_parquet_ref/"


@pytest.fixture
def references(tmp_path):
    """Returns Kerchunk references to a store with three arrays, whose chunks are in refs.parq/packed.bin."""
    store = make_sample(tmp_path / "plain", number={"values": np.array(7, "<i2")})
    (tmp_path / "refs.parq").mkdir()
    return pack(store, tmp_path / "refs.parq" / "packed.bin", inline=64)


def written(tmp_path, references, **options):
    return write_parquet(tmp_path / "refs.parq", references, **options)


# ---------------------------------------------------------------------------------------------
# Parquet references that other programs wrote


@pytest.mark.parametrize("threshold", [0, 10])
@pytest.mark.parametrize("record_size", [1, 4, 1000])
@pytest.mark.slow
def test_kerchunk_wrote_it(tmp_path, references, record_size, threshold, cpl):
    name = written(tmp_path, references, record_size=record_size, categorical_threshold=threshold)
    read_all(name)
    number = gdal.OpenEx(str(name), MULTIDIM).GetRootGroup().OpenMDArray("number")
    assert np.array_equal(number.ReadAsArray(), np.array(7, "<i2"))
    cpl.assert_quiet()


@pytest.mark.parametrize("options", [
    {"compression": "SNAPPY"}, {"compression": "GZIP", "categories": True}, {"compression": "UNCOMPRESSED"},
    {"padded": False}, {"groups": 3}])  # fmt: skip
def test_other_programs_wrote_it(tmp_path, references, options):
    read_all(written(tmp_path, references, **options))


def test_virtualizarr_wrote_it(tmp_path, cpl):
    cubes = [np.arange(2 * 20 * 30, dtype="<f4").reshape(2, 20, 30) + 1000 * i for i in range(3)]
    name = virtualize(tmp_path, cubes)
    assert len(list((name / "v").iterdir())) > 1
    with config_options(ZARR_REFERENCE_FOLDERS=str(tmp_path)):
        assert np.array_equal(read(name, "v"), np.concatenate(cubes))
        root = gdal.OpenEx(str(name), MULTIDIM).GetRootGroup()
        assert np.array_equal(root.OpenMDArray("time").ReadAsArray(), [0, 1, 2, 3, 4, 5])
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Contents of a store of Parquet references


def test_arrays_are_bands(tmp_path, references, cpl):
    name = str(written(tmp_path, references))
    assert gdal.IdentifyDriverEx(name, RASTER).ShortName == "Zarr"
    listed = gdal.Open(name).GetMetadata("SUBDATASETS")
    assert {text.rpartition(":/")[2] for key, text in listed.items() if key.endswith("_NAME")} == {"cube", "image"}
    dataset = gdal.Open(f'ZARR:"{name}":/cube')
    assert dataset.GetDriver().ShortName == "Zarr"
    assert dataset.GetGeoTransform() == (0, 10, 0, 1005, 0, -10)
    assert dataset.GetRasterBand(2).GetDescription().startswith("time=2020-01-02")
    assert dataset.GetRasterBand(1).GetUnitType() == "m"
    assert np.array_equal(gdal.Open(f'ZARR:"{name}":/cube:2').ReadAsArray(), CUBE[2])
    cpl.assert_quiet()


def test_the_multidimensional_view(tmp_path, references, cpl):
    name = str(written(tmp_path, references))
    root = gdal.OpenEx(name, MULTIDIM).GetRootGroup()
    assert set(root.GetMDArrayNames()) == {"cube", "image", "number", "x", "y", "time"}
    cube = root.OpenMDArray("cube")
    assert np.array_equal(cube.ReadAsArray(), CUBE)
    assert np.array_equal(cube.ReadAsArray([1, 3, 5], [2, 20, 30]), CUBE[1:3, 3:23, 5:35])
    assert [dimension.GetName() for dimension in cube.GetDimensions()] == ["time", "y", "x"]
    cpl.assert_quiet()


@pytest.mark.slow
def test_programs_read_references(tmp_path, references):
    written(tmp_path, references)
    info = subprocess.run(["gdalinfo", "refs.parq"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "SUBDATASET_1_NAME=ZARR:" in info.stdout and info.stderr == ""
    subprocess.run(["gdal_translate", "-q", 'ZARR:"refs.parq":/image', "image.tif"], cwd=tmp_path, check=True)
    assert np.array_equal(gdal.Open(str(tmp_path / "image.tif")).ReadAsArray(), IMAGE)
    subprocess.run(["gdalmdimtranslate", "-of", "Zarr", "refs.parq", "copy.zarr"], cwd=tmp_path, check=True)
    assert np.array_equal(gdal.Open(f'ZARR:"{tmp_path}/copy.zarr":/cube').ReadAsArray(), CUBE)


def test_chunks_are_listed(tmp_path, references):
    """With CACHE_TILE_PRESENCE, GetDataCoverageStatus() reports chunks without references as empty."""
    gone = [key for key in references if key.startswith("image/0.")]
    name = written(tmp_path, {key: value for key, value in references.items() if key not in gone})
    dataset = gdal.OpenEx(f'ZARR:"{name}":/image', RASTER, open_options=["CACHE_TILE_PRESENCE=YES"])
    assert dataset.GetRasterBand(1).GetDataCoverageStatus(0, 0, 16, 16)[0] == gdal.GDAL_DATA_COVERAGE_STATUS_EMPTY
    expected = IMAGE.copy()
    expected[:16] = 0
    assert np.array_equal(np.nan_to_num(dataset.ReadAsArray()), expected)


# ---------------------------------------------------------------------------------------------
# Dataset names that open Parquet references


@pytest.mark.parametrize("folder", ["refs.parq", "refs.zarr", "refs"])
def test_names_of_gdals_file_system(tmp_path, references, folder):
    path = written(tmp_path, references)
    path = path.rename(tmp_path / folder)
    base = f"{PREFIX}{{{path}}}"
    for name in (str(path), base, str(path / ".zmetadata")):
        root = gdal.OpenEx(name, MULTIDIM).GetRootGroup()
        assert np.array_equal(root.OpenMDArray("image").ReadAsArray(), IMAGE)
        root = None  # GDAL 3.6 identifies an open store by the path of its folder only
        assert gdal.IdentifyDriverEx(name, RASTER).ShortName == "Zarr"
    assert np.array_equal(gdal.Open(f'ZARR:"{base}":/image').ReadAsArray(), IMAGE)
    assert np.array_equal(gdal.Open(f"{base}/image").ReadAsArray(), IMAGE)
    assert np.array_equal(gdal.Open(f'ZARR:"{base}/image"').ReadAsArray(), IMAGE)
    read_all(path)


def zip_folder(folder, archive, inner=""):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                zipped.write(path, pathlib.PurePath(inner) / path.relative_to(folder))


def assert_quiet_but_for_gdal(log):
    """Asserts that this driver logged nothing. Errors of GDAL's own file system for Kerchunk references (GDAL 3.11 and
    later) are allowed."""
    own = re.compile(r"Cannot open file '.*/\.zmetadata'|Load json file .* failed|VSIKerchunkParquetRefFileSystem: ")
    assert [event for event in log.events if not own.match(event[2])] == []


@pytest.mark.parametrize("inner", ["", "deep/refs.parq"])
@pytest.mark.parametrize("archive", ["refs.parq.zip", "refs.zip"])
def test_in_a_zip_file(tmp_path, references, archive, inner, cpl):
    folder = written(tmp_path, references)
    zip_folder(folder, tmp_path / archive, inner)
    shutil.rmtree(folder)
    name = f"/vsizip/{tmp_path}/{archive}/{inner}".rstrip("/")
    read_all(name)
    assert "image" in gdal.OpenEx(f'ZARR:"{name}"', MULTIDIM).GetRootGroup().GetMDArrayNames()
    if archive == "refs.parq.zip" and inner == "":
        for path in (str(tmp_path / archive), f"{PREFIX}{{{tmp_path / archive}}}"):
            read_all(path)
            assert gdal.Open(path).GetDriver().ShortName == "Zarr"
            assert len(gdal.Open(path).GetMetadata("SUBDATASETS")) == 4
    assert_quiet_but_for_gdal(cpl)


def test_a_folder_with_other_documents_is_a_store(tmp_path, references):
    """A folder with Zarr metadata documents opens as a plain store, even if its name ends in .parq."""
    store = make_store(tmp_path / "store.parq", {"image": {"values": IMAGE}})
    assert np.array_equal(read(store, "image"), IMAGE)
    assert gdal.OpenEx(f'ZARR:"{store}":/image', RASTER | gdal.OF_UPDATE) is not None


# ---------------------------------------------------------------------------------------------
# References and referenced chunks on servers


@pytest.mark.parametrize("folder", ["refs.parq", "refs.zarr"])
def test_references_on_a_web_server(tmp_path, references, folder, cpl):
    written(tmp_path, references).rename(tmp_path / folder)
    with Served(tmp_path) as server:
        name = f"{server.url}/{folder}"
        read_all(name)
        read_all(f"/vsicurl/{name}")
        read_all(f"{PREFIX}{{{name}}}")
        assert gdal.OpenEx(f"{PREFIX}{{{name}}}", MULTIDIM) is not None
        assert gdal.OpenEx(name, MULTIDIM) is not None
    assert_quiet_but_for_gdal(cpl)


def test_a_zip_file_on_a_web_server(tmp_path, references):
    zip_folder(written(tmp_path, references), tmp_path / "refs.parq.zip")
    with Served(tmp_path) as server:
        read_all(f"/vsizip//vsicurl/{server.url}/refs.parq.zip")


def test_each_file_is_requested_once(tmp_path, references):
    folder = written(tmp_path, references, record_size=4)
    files = len(list((folder / "cube").iterdir()))
    with Served(tmp_path) as server:
        dataset = gdal.Open(f'ZARR:"{server.url}/refs.parq":/cube')
        opening = server.log()["requests"]
        assert not any("cube/refs" in path for _, path, *_ in opening)
        assert np.array_equal(dataset.ReadAsArray(), CUBE)
        requests = [path for _, path, *_ in server.log()["requests"]]
    assert sum("cube/refs" in path for path in requests) == files == 8
    assert sum("packed.bin" in path for path in requests) <= 2


def test_targets_on_a_web_server(tmp_path, references):
    """References in a local folder may name files on a server. Chunks that are close together in such a file are read
    with one request."""
    with Served(tmp_path) as server:
        moved = {key: [f"{server.url}/refs.parq/{value[0]}", *value[1:]] if isinstance(value, list) else value
                 for key, value in references.items()}  # fmt: skip
        name = written(tmp_path, moved)
        server.log()
        assert np.array_equal(read(name, "image"), IMAGE)
        requests = [each for each in server.log()["requests"] if "packed.bin" in each[1]]
        assert len(requests) <= 2
        read_all(name)


# ---------------------------------------------------------------------------------------------
# Invalid Parquet references


def chunk_of(references):
    return next(key for key in references if key.startswith("image/") and isinstance(references[key], list))


def refused(references, key, reference, tmp_path, cpl):
    """Replaces the reference of the chunk `key`, and returns the error from reading the array "image"."""
    name = written(tmp_path, {**references, key: reference})
    cpl.clear()
    dataset = gdal.Open(f'ZARR:"{name}":/image')
    assert dataset is not None and dataset.ReadAsArray() is None
    return cpl.the_error()


def test_a_missing_or_short_target_is_an_error(tmp_path, references, cpl):
    key = chunk_of(references)
    text = refused(references, key, ["gone.bin", 0, 10], tmp_path, cpl)
    assert f"{key}: " in text and text.endswith("gone.bin: the file that a reference names does not exist")
    size = (tmp_path / "refs.parq" / "packed.bin").stat().st_size
    text = refused(references, key, ["packed.bin", size - 2, 10], tmp_path, cpl)
    assert f"packed.bin: the file is shorter than the reference to 10 bytes at {size - 2}" in text


def test_an_absent_file_or_row_is_the_fill_value(tmp_path, references):
    key = chunk_of(references)
    name = written(tmp_path, {other: value for other, value in references.items() if other != key})
    assert not np.array_equal(read(name, "image"), IMAGE)
    for path in (name / "image").iterdir():
        path.unlink()
    assert not np.nan_to_num(read(name, "image")).any()
    assert np.array_equal(read(name, "cube"), CUBE)


def test_a_damaged_file_is_an_error(tmp_path, references, cpl):
    name = written(tmp_path, references)
    path = next((name / "image").iterdir())
    whole = path.read_bytes()
    for bytes_ in (b"PAR1", b"", whole[:-1], whole[:30] + b"\xff" * 30 + whole[60:]):
        path.write_bytes(bytes_)
        cpl.clear()
        assert gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is None
        assert f"image/{path.name}: " in cpl.the_error()
    assert np.array_equal(read(name, "cube"), CUBE)


@pytest.mark.parametrize("change, text", [
    ({"record_size": 0}, "record_size: expected an integer >= 1, got 0"),
    ({"record_size": "x"}, "record_size: expected an integer"),
    ({"metadata": 3}, "metadata: ")])  # fmt: skip
def test_damaged_metadata_is_an_error(tmp_path, references, change, text, cpl):
    name = written(tmp_path, references)
    document = json.loads((name / ".zmetadata").read_text())
    (name / ".zmetadata").write_text(json.dumps({**document, **change}))
    assert gdal.Open(str(name)) is None
    assert text in cpl.the_error()


def test_references_that_change_are_read_again(tmp_path, references):
    name = written(tmp_path, references)
    dataset = gdal.Open(f'ZARR:"{name}":/image')
    assert np.array_equal(dataset.ReadAsArray(), IMAGE)
    key = chunk_of(references)
    written(tmp_path, {**references, key: "base64:" + "AAAA" * 10})
    assert gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is None


def test_references_are_read_only(tmp_path, references, cpl):
    name = str(written(tmp_path, references))
    before = {path: path.read_bytes() for path in (tmp_path / "refs.parq").rglob("*") if path.is_file()}
    assert gdal.OpenEx(f'ZARR:"{name}":/image', RASTER | gdal.OF_UPDATE) is None
    assert "references are read-only" in cpl.the_error()
    driver = gdal.GetDriverByName("Zarr")
    image = gdal.GetDriverByName("MEM").Create("", 5, 4)
    for change in (lambda: driver.Delete(name), lambda: driver.Rename(str(tmp_path / "other.parq"), name)):
        cpl.clear()
        assert change() == gdal.CE_Failure
        assert "references are read-only" in cpl.the_error()
    for options in ([], ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]):
        cpl.clear()
        assert driver.CreateCopy(name, image, options=options) is None
        assert "references are read-only" in cpl.the_error()
    assert {path: path.read_bytes() for path in (tmp_path / "refs.parq").rglob("*") if path.is_file()} == before


# ---------------------------------------------------------------------------------------------
# Limits of size, and files to which references may refer


def test_the_size_of_a_file_is_bounded(tmp_path, references, cpl):
    name = written(tmp_path, references, record_size=100000)
    with config_options(ZARR_MAX_PARTITION_SIZE="1000000"):
        assert gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is None
    assert "ZARR_MAX_PARTITION_SIZE allows 1000000" in cpl.the_error()
    read_all(name)


@pytest.mark.parametrize("location, message", [
    ("../../packed.bin", "ZARR_REFERENCE_FOLDERS=FOLDER"), ("/dev/zero", "ZARR_REFERENCE_FOLDERS=FOLDER"),
    ("/etc/passwd", "ZARR_REFERENCE_FOLDERS=FOLDER"), ("file:///etc/passwd", "ZARR_REFERENCE_FOLDERS=FOLDER"),
    ("/vsimem/packed.bin", "references to virtual file systems are refused"),
    ("/vsicurl/http://127.0.0.1/x", "references to virtual file systems are refused"),
    ("file:///vsicurl/http://127.0.0.1/x", "references to virtual file systems are refused"),
    ("http://169.254.169.254/latest/meta-data", "references to link-local addresses are refused"),
    ("ftp://host/x", 'the scheme "ftp" of the reference is unsupported'), ("a\x00b", "contains a NUL character")])  # fmt: skip
def test_what_references_must_not_name(tmp_path, references, location, message, cpl):
    assert message in refused(references, chunk_of(references), [location, 0, 10], tmp_path, cpl)


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_file_elsewhere_needs_an_option(tmp_path, references, cpl, is_beside):
    """References may name a file beside the folder of the references. References to a file elsewhere are refused
    without the option ZARR_REFERENCE_FOLDERS."""
    place = tmp_path if is_beside else tmp_path / "elsewhere"
    place.mkdir(exist_ok=True)
    shutil.copy(tmp_path / "refs.parq" / "packed.bin", place / "packed.bin")
    moved = {key: [str(place / value[0]), *value[1:]] if isinstance(value, list) else value
             for key, value in references.items()}  # fmt: skip
    (tmp_path / "references").mkdir()
    name = written(tmp_path if is_beside else tmp_path / "references", moved)
    if is_beside:
        read_all(name)
        return
    assert gdal.Open(f'ZARR:"{name}":/image').ReadAsArray() is None
    assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()
    with config_options(ZARR_REFERENCE_FOLDERS=str(tmp_path)):
        read_all(name)


def test_remote_references_name_no_local_file(tmp_path, references, cpl):
    moved = {key: [str(tmp_path / "refs.parq" / value[0]), *value[1:]] if isinstance(value, list) else value
             for key, value in references.items()}  # fmt: skip
    read_all(written(tmp_path, moved))
    with Served(tmp_path) as server:
        assert gdal.Open(f'ZARR:"{server.url}/refs.parq":/image').ReadAsArray() is None
        assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()
