# SPDX-License-Identifier: MIT
"""A store has a pipe, a socket or a device in place of a file. The driver opens none of them, because that could wait
forever."""

import os
import shutil
import zipfile

import pytest
import zarr_formats
import zarr_icechunk
from osgeo import gdal
from zarr_gdal import error_log
from zarr_processes import Process
from zarr_store import handmade, odd_file

pytestmark = zarr_formats.BOTH
READS = (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER, gdal.OF_RASTER | gdal.OF_UPDATE)


def look_at(name):
    """Opens and reads a store in a process, which is killed if it hangs. Returns its errors."""

    def work(report):
        with error_log() as log:
            for flags in READS:
                dataset = gdal.OpenEx(str(name), flags, allowed_drivers=["Zarr"])
                if dataset is not None and flags == gdal.OF_RASTER and dataset.RasterCount:
                    dataset.ReadAsArray()
                    dataset.GetFileList()
                dataset = None
        report("\t".join(each.replace("\n", " ") for each in log.errors))

    return Process(work).succeed()[-1].split("\t")


@pytest.mark.parametrize("kind", ["fifo", "socket", "/dev/zero", "/dev/tty"])
@pytest.mark.slow
def test_in_a_folder(tmp_path, kind):
    names = ["zarr.json", "c/0/0"] if zarr_formats.is_v3() else [".zarray", ".zattrs", ".zmetadata", "0.0"]
    for number, name in enumerate([*names, ".zgroup", "repo", "refs", "other.tif", ".zmetadata", "x.aux.xml"]):
        store = handmade(tmp_path / f"{number}.zarr", shape=[4, 4], chunks=[4, 4], dtype="|u1", files={"0.0": bytes(16)})
        odd_file(store / name, kind)
        errors = look_at(store)
        if name in (names[0], names[-1]):
            assert any(name in error for error in errors), (name, errors)


@pytest.mark.parametrize("kind", ["fifo", "socket", "/dev/zero"])
@pytest.mark.parametrize("name", ["store.zip", "store.zarr.zip", "refs.json", "refs.json.zst", "refs.parquet", "x.zarr",
                                  "repo"])  # fmt: skip
@pytest.mark.parametrize("form", ["ZARR:{}", 'ZARR:"{}"', 'ZARR:"/vsizip/{}"', 'ICECHUNK:"{}"'])
def test_in_place_of_a_store(tmp_path, kind, name, form):
    odd_file(tmp_path / name, kind)
    assert look_at(form.format(tmp_path / name)) != [""]


@pytest.mark.parametrize("name", ["repo", "snapshots", "manifests", "chunks", "config.yaml"])
@pytest.mark.parametrize("sample", ["format1", "format2"])
def test_in_a_repository(tmp_path, name, sample):
    store = tmp_path / "store.icechunk"
    shutil.copytree(zarr_icechunk.sample(sample), store)
    for file in list((store / name).iterdir()) if (store / name).is_dir() else [store / name]:
        odd_file(file, "fifo")
    look_at(store)
    look_at(f'ZARR:"{store}/repo"')


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
def test_as_a_target_of_references(tmp_path, kind):
    store = handmade(tmp_path / "store.zarr", shape=[4, 4], chunks=[4, 4], dtype="|u1", files={"0.0": bytes(16)})
    names = [str(path.relative_to(store)) for path in store.rglob("*") if path.is_file()]
    for name in names:
        odd_file(tmp_path / "odd", kind)
        texts = ",".join(f'"{each}": ["{"odd" if each == name else "store.zarr/" + each}"]' for each in names)
        (tmp_path / "refs.json").write_text('{"version": 1, "refs": {' + texts + "}}")
        assert any("odd" in error or name in error for error in look_at(tmp_path / "refs.json"))


def test_in_a_zip_file_of_links(tmp_path):
    """A zip file that is a link to a pipe."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "store.zip").symlink_to("pipe")
    assert look_at(f'ZARR:"{tmp_path}/store.zip"') != [""]
    with zipfile.ZipFile(tmp_path / "good.zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
    look_at(tmp_path / "good.zip")
