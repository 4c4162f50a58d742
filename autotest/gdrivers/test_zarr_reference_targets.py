# SPDX-License-Identifier: MIT
"""Targets of references: where relative locations and links lead, whole files, odd configurations of Icechunk, and the
statistics of arrays whose chunks are elsewhere."""

import json
import os
import pathlib
import shutil
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_child import attempt
from zarr_formats import BOTH, FORMS
from zarr_gdal import config_options
from zarr_http import Served
from zarr_icechunk import sample
from zarr_reference_sample import IMAGE, make_sample, read, read_all
from zarr_references import DOCUMENTS, pack, write_json

MULTIDIM = gdal.OF_MULTIDIM_RASTER
FOLDERS = "the file is not below the folder of the references; allow it with the configuration option ZARR_REFERENCE_FOLDERS=FOLDER"


@pytest.fixture
def references(tmp_path):
    return pack(make_sample(tmp_path / "plain"), tmp_path / "packed.bin", inline=64)


def moved(references, location):
    """Returns `references` with another location of all targets."""
    return {key: [location, *value[1:]] if isinstance(value, list) else value for key, value in references.items()}


# ---------------------------------------------------------------------------------------------
# Where locations lead


@pytest.fixture
def deep(tmp_path, references):
    """Returns a function that writes a document into tmp_path/a/b, in which all targets have the given location."""
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    return lambda location: write_json(tmp_path / "a" / "b" / "refs.json", moved(references, location))


@BOTH
@pytest.mark.parametrize("location", ["../../packed.bin", "c/../../../packed.bin", "./..//../packed.bin", "..\\..\\packed.bin"])
def test_a_location_is_resolved_and_then_judged(tmp_path, deep, location, cpl):
    name = deep(location)
    assert read(name, "image") is None
    assert cpl.the_error().endswith(f"{json.dumps(location)}: {FOLDERS}")
    for folders in ("ALL", str(tmp_path), f"/nowhere:{tmp_path}/a/.."):
        with config_options(ZARR_REFERENCE_FOLDERS=folders):
            read_all(name)
    cpl.clear()
    with config_options(ZARR_REFERENCE_FOLDERS=f"{tmp_path}/a"):
        assert read(name, "image") is None
    assert FOLDERS in cpl.the_error()


@BOTH
@pytest.mark.parametrize("location", ["c/../packed.bin", "./packed.bin", "../b/packed.bin", "{folder}/c/../packed.bin",
                                      "file://{folder}/c/../packed.bin", "local://{folder}/../b/packed.bin"])  # fmt: skip
def test_a_location_may_leave_and_return(tmp_path, deep, location, cpl):
    shutil.copy(tmp_path / "packed.bin", tmp_path / "a" / "b")
    read_all(deep(location.format(folder=tmp_path / "a" / "b")))
    cpl.assert_quiet()


@BOTH
def test_links_are_resolved_before_dots(tmp_path, deep, cpl):
    """The link a/b/link leads to tmp_path/else/deep, so link/../packed.bin is tmp_path/else/packed.bin."""
    (tmp_path / "else" / "deep").mkdir(parents=True)
    shutil.copy(tmp_path / "packed.bin", tmp_path / "else")
    (tmp_path / "a" / "b" / "packed.bin").write_bytes(bytes(1 << 16))
    os.symlink(tmp_path / "else" / "deep", tmp_path / "a" / "b" / "link")
    name = deep("link/../packed.bin")
    assert read(name, "image") is None
    assert FOLDERS in cpl.the_error()
    with config_options(ZARR_REFERENCE_FOLDERS=str(tmp_path / "else")):
        read_all(name)


@BOTH
@pytest.mark.parametrize("location", ["../packed.bin", "x/../../packed.bin", "../../../packed.bin", "/vsizip/{zip}/deep/../packed.bin"])
def test_a_location_does_not_leave_its_folder_in_a_zip_file(tmp_path, references, location, cpl):
    archive = tmp_path / "refs.zip"
    location = location.format(zip=archive)
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("deep/refs.json", json.dumps({"refs": moved(references, location)}))
        out.write(tmp_path / "packed.bin", "packed.bin")
    assert read(f"/vsizip/{archive}/deep/refs.json", "image") is None
    assert cpl.the_error().endswith(": references to virtual file systems are refused")


@BOTH
@pytest.mark.parametrize("location", ["../packed.bin", "c/./../../packed.bin", "../../../../packed.bin"])
def test_a_location_stays_on_its_server(tmp_path, references, location):
    (tmp_path / "documents").mkdir()
    write_json(tmp_path / "documents" / "refs.json", moved(references, location))
    with Served(tmp_path) as server:
        read_all(f"{server.url}/documents/refs.json")
        assert {path for _, path, *_ in server.requests() if path.endswith("/packed.bin")} == {"/packed.bin"}


# ---------------------------------------------------------------------------------------------
# Whole files


@FORMS
@pytest.mark.parametrize("is_served", [False, True])
def test_a_whole_file_can_be_a_chunk_or_a_shard(tmp_path, is_served, cpl):
    store = pathlib.Path(make_sample(tmp_path / "plain"))
    with Served(tmp_path) as server:
        root = server.url + "/" if is_served else ""
        references = {}
        for path in sorted(store.rglob("*")):
            if path.is_file():
                whole = [root + path.relative_to(tmp_path).as_posix()]
                references[path.relative_to(store).as_posix()] = path.read_text() if path.name in DOCUMENTS else whole
        name = write_json(tmp_path / "refs.json", references)
        read_all(name)
        assert np.array_equal(gdal.Open(f'ZARR:"{name}":/image').ReadAsArray(7, 3, 20, 5), IMAGE[3:8, 7:27])
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Configurations of Icechunk

ENDPOINTS = ["://", "/", "//", "http://", "HTTPS:///", "::", "s3://host", "file:///etc", "http://:80/", "x://"]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_an_endpoint_without_a_server_is_an_error(tmp_path, endpoint):
    """A process that reads such a repository goes on."""
    folder = shutil.copytree(sample("format1"), tmp_path / "repo")
    config = folder / "config.yaml"
    before = "endpoint_url: null\n      anonymous: false\n"
    assert before in config.read_text()
    config.write_text(config.read_text().replace(before, f'endpoint_url: "{endpoint}"\n      anonymous: true\n', 1))
    outcome = attempt(f'ZARR:"{folder}":/virtual')
    assert outcome.opened and not outcome.read and len(outcome.errors) == 1, outcome
    assert f'expected the URL of a server as endpoint_url, got "{endpoint}"' in outcome.errors[0]


# ---------------------------------------------------------------------------------------------
# Statistics


@pytest.fixture
def pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in pathlib.Path(folder).rglob("*")}


def compute(name, array, is_raster):
    """Returns the mean of an array, and writes its statistics."""
    if is_raster:
        dataset = gdal.Open(f'ZARR:"{name}":/{array}')
        return dataset.GetRasterBand(1).ComputeStatistics(False)[2]
    root = gdal.OpenEx(f'ZARR:"{name}"', MULTIDIM).GetRootGroup()
    return root.OpenMDArray(array).ComputeStatistics().mean


@BOTH
@pytest.mark.parametrize("is_raster", [True, False])
def test_statistics_are_kept_beside_a_document(tmp_path, references, is_raster, pam, cpl):
    name = write_json(tmp_path / "refs.json", references)
    before = names_in(tmp_path)
    assert compute(name, "image", is_raster) == pytest.approx(IMAGE.mean())
    assert {each for each in names_in(tmp_path) - before if not each.startswith("refs.json")} == set()
    cpl.assert_quiet()
    root = gdal.OpenEx(str(name), MULTIDIM).GetRootGroup()
    kept = root.OpenMDArray("image").GetStatistics()
    assert is_raster or kept.mean == pytest.approx(IMAGE.mean())


@pytest.mark.parametrize("is_raster", [True, False])
@pytest.mark.parametrize("form", ["{}", "/vsiicechunk/{{{}}}", "/vsiicechunk/{{{}?branch=main}}"])
def test_statistics_are_kept_beside_a_repository(tmp_path, is_raster, form, pam, cpl):
    folder = shutil.copytree(sample("format2"), tmp_path / "repo")
    before = names_in(folder)
    compute(form.format(folder), "split", is_raster)
    assert names_in(folder) == before
    assert len(names_in(tmp_path) - {f"repo/{each}" for each in before} - {"repo"}) == 1
    cpl.assert_quiet()


@BOTH
def test_statistics_of_a_document_on_a_server_are_not_kept(tmp_path, references, pam, cpl):
    write_json(tmp_path / "refs.json", references)
    before = names_in(tmp_path)
    with Served(tmp_path) as server:
        for is_raster in (True, False):
            compute(f"{server.url}/refs.json", "image", is_raster)
    assert names_in(tmp_path) == before
    cpl.assert_quiet()
