# SPDX-License-Identifier: MIT
"""Small files of references that decompress to gigabytes. Opening ends with one error that names the option, and takes
no more memory than the budget of an open store, 1 GiB."""

import json
import pathlib
import resource
import shutil

import pytest
import zarr_icechunk
from numcodecs.zstd import Zstd
from osgeo import gdal
from zarr_gdal import config_options, error_log
from zarr_processes import MEASURES, Process

MEGA = 1 << 20
HEADER = 39  # bytes before the payload of a file of Icechunk
FRAME = 64 * MEGA


def frames(count, text=b"\0"):
    """Returns `count` Zstandard frames that decompress to FRAME bytes each."""
    return Zstd(level=1).encode(text * (FRAME // len(text))) * count


def open_apart(name, **options):
    """Opens a store in a process of its own. Returns its errors and the growth of its memory in bytes."""

    def work(report):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with error_log() as log, config_options(**options):
            for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
                dataset = gdal.OpenEx(str(name), flags, allowed_drivers=["Zarr"])
                if dataset is not None:
                    report(json.dumps(None))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report(json.dumps([log.errors, (most - before) * 1024]))

    return json.loads(Process(work).succeed()[-1])


@pytest.mark.parametrize("folder", ["snapshots", "repo"])
@pytest.mark.parametrize("options", [{}, {"ZARR_MAX_MANIFEST_SIZE": "100MB"}], ids=str)
@pytest.mark.slow
def test_a_small_file_of_icechunk(tmp_path, folder, options):
    store = tmp_path / "bomb.icechunk"
    shutil.copytree(zarr_icechunk.sample("format2"), store)
    bomb = frames(31)  # below 2 GiB, the bound of a single file in earlier versions
    assert len(bomb) < MEGA
    for file in [store / "repo"] if folder == "repo" else (store / folder).iterdir():
        head = bytearray(file.read_bytes()[:HEADER])
        head[38] = 1  # Zstandard
        file.write_bytes(bytes(head) + bomb)
    errors, memory = open_apart(store, **options)
    assert len(errors) == 2
    assert all("ZARR_MAX_MANIFEST_SIZE allows" in error for error in errors), errors
    assert not MEASURES or memory < (1100 if not options else 160) * MEGA


BLOCKS = {
    "spaces": b" ",
    "references": b'"aaaaaa":"",' + b" " * 4,
    "chunks": b'"a/1.2":["b",1,2],' + b" " * 14,
    "arrays": b'"a/0/1.2.3":"",' + b" ",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_small_document_of_references(tmp_path, kind):
    path = pathlib.Path(tmp_path, "refs.json.zst")
    path.write_bytes(Zstd().encode(b'{"version": 1, "refs": {".zgroup": "{\\"zarr_format\\": 2}", ')
                     + frames(120, BLOCKS[kind]))  # fmt: skip
    errors, memory = open_apart(path)
    assert len(errors) == 2
    message = "the references decompress to more than 256 times their size; ZARR_MAX_REFERENCE_SIZE allows"
    assert all(message in error for error in errors), errors
    assert not MEASURES or memory < 200 * MEGA
