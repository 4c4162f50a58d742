# SPDX-License-Identifier: MIT
"""Stores with metadata documents and chunks that are no regular files, or with symbolic links that form a cycle."""

import os
import stat
import subprocess

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_formats import chunk_file, document_file
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_store import handmade, make_store, odd_file

pytestmark = [zarr_formats.BOTH, pytest.mark.every_case]

VALUES = np.arange(24, dtype="<i2").reshape(4, 6)
SECONDS = 60


def fifo(path):
    odd_file(path, "fifo")


def unix_socket(path):
    odd_file(path, "socket")


def link_to_device(path):
    odd_file(path, "/dev/zero")


def link_to_pipe(path):
    odd_file(path.parent.parent / "pipe", "fifo")
    odd_file(path, path.parent.parent / "pipe")


ODD = [fifo, unix_socket, link_to_device, link_to_pipe]


def gdalinfo(*words):
    done = subprocess.run(["gdalinfo", *map(str, words)], capture_output=True, text=True,
                          timeout=SECONDS, check=False)  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("make", ODD)
@pytest.mark.parametrize("options", [[], ["-oo", "CACHE_TILE_PRESENCE=YES"]])
def test_a_chunk(tmp_path, make, options):
    store = handmade(tmp_path / "s" / "store.zarr")
    chunk = chunk_file(store, "", 0, 0)
    chunk.unlink()
    make(chunk)
    code, errors = gdalinfo("-checksum", *options, store)
    key = chunk.relative_to(store).as_posix()
    assert f"{key}: is not a regular file" in errors and str(store) in errors
    assert code == 0 or "ERROR" in errors


def with_odd_document(folder, make, key):
    """Replaces a metadata document of the array "a", which has the key `key` in Zarr v2, by make(path). Asserts that
    gdalinfo reports a document that is not a regular file, and returns its exit status."""
    store = make_store(folder / "s", {"a": VALUES}, attributes={"x": 1}, consolidated=False)
    document = document_file(store, f"a/{key}")
    document.unlink(missing_ok=True)
    make(document)
    code, errors = gdalinfo(array_name(store, "a"))
    assert "is not a regular file" in errors and f"a/{document.name}" in errors
    return code


@pytest.mark.parametrize("make", ODD)
def test_a_document(tmp_path, make):
    assert with_odd_document(tmp_path, make, ".zarray") != 0


@zarr_formats.V2  # only Zarr v2 has a separate document for attributes
@pytest.mark.parametrize("make", ODD)
def test_attributes(tmp_path, make):
    assert with_odd_document(tmp_path, make, ".zattrs") == 0


@pytest.mark.parametrize("options", [[], ["CACHE_TILE_PRESENCE=YES"]])
@pytest.mark.parametrize("separator", [".", "/"])
def test_a_chunk_that_is_a_folder(tmp_path, options, separator):
    store = make_store(tmp_path, {"a": {"values": VALUES, "chunks": (2, 3), "fill_value": 7,
                                        "dimension_separator": separator}})  # fmt: skip
    chunk = chunk_file(store, "a", 0, 0)
    chunk.unlink()
    chunk.mkdir()
    dataset = gdal.OpenEx(array_name(store, "a"), open_options=options)
    with error_log() as log:
        assert dataset.ReadAsArray() is None
    assert chunk.relative_to(store).as_posix() in log.the_error()


def test_folders_of_nested_chunks_are_no_chunks(tmp_path):
    store = make_store(tmp_path, {"a": {"values": VALUES[0], "chunks": (2,), "fill_value": 7}})
    chunk_file(store, "a", 0).unlink()
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, open_options=["CACHE_TILE_PRESENCE=YES"])
    array = root.GetRootGroup().OpenMDArray("a")
    np.testing.assert_array_equal(array.ReadAsArray(), [7, 7, 2, 3, 4, 5])


@pytest.mark.parametrize("target", ["/", ".", "..", "../g"])
def test_cyclic_links_are_not_followed(tmp_path, target):
    store = make_store(tmp_path, {"a": VALUES, "g/b": VALUES}, consolidated=False)
    for folder in (store, store / "g", store / "g" / "plain"):
        folder.mkdir(exist_ok=True)
        (folder / "circle").symlink_to(target, target_is_directory=True)
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-c", "-e", "trace=openat", "gdalinfo", str(store)]
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        command = command[-2:]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0
    assert '":/a' in done.stdout and '":/g/b' in done.stdout and "circle" not in done.stdout
    with error_log() as log:
        names = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().GetGroupNames()
    log.assert_quiet()
    assert "circle" not in names


def test_links_to_other_folders_are_followed(tmp_path):
    other = make_store(tmp_path, {"b": VALUES}, name="other.zarr", consolidated=False)
    store = make_store(tmp_path, {"a": VALUES}, consolidated=False)
    (store / "more").symlink_to(other)
    np.testing.assert_array_equal(read_all(open_raster(array_name(store, "more/b")))[0], VALUES)
    assert '":/more/b' in str(gdal.Open(str(store)).GetSubDatasets())
    assert stat.S_ISLNK(os.lstat(store / "more").st_mode)
