# SPDX-License-Identifier: MIT
"""A copy or an append fails if any of its documents cannot be written. GDAL before 3.7 ignores failures at closing, so
that a copy writes everything before it returns. The last change of each kind of copy fails, among others."""

import itertools
import os
import shutil
import subprocess

import numpy as np
import pytest
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import error_log
from zarr_s3 import S3

pytestmark = zarr_formats.BOTH
CHANGES = ("PUT", "POST", "DELETE")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        yield server


def source():
    dataset = gdal.GetDriverByName("MEM").Create("", 12, 8, 1, gdal.GDT_Int16)
    dataset.SetGeoTransform((0, 1, 0, 8, 0, -1))
    dataset.GetRasterBand(1).WriteArray(np.arange(96).reshape(8, 12))
    dataset.GetRasterBand(1).SetDescription("height")
    dataset.SetMetadataItem("KEY", "value")
    return dataset


def copy(*options):
    return lambda name: gdal.GetDriverByName("Zarr").CreateCopy(name, source(), options=list(options))


def copy_groups(name):
    shape = gdal.GetDriverByName("MEM").CreateMultiDimensional("")
    root = shape.GetRootGroup()
    dimension = root.CreateDimension("x", None, None, 5)
    array = root.CreateMDArray("a", [dimension], gdal.ExtendedDataType.Create(gdal.GDT_Int16))
    array.Write(np.arange(5, dtype="i2"))
    del array, dimension, root
    return gdal.GetDriverByName("Zarr").CreateCopy(name, shape)


OPTIONS = {
    "copy": [], "overviews": ["OVERVIEWS=2", "SINGLE_ARRAY=NO"],
    "cube": ["BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01"], "cloud": ["PROFILE=CLOUD"],
    "added array": ["APPEND_SUBDATASET=YES", "ARRAY_NAME=second"],
    "append": ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2024-05-02"],
}  # fmt: skip
COPIES = {**{kind: copy(*options) for kind, options in OPTIONS.items()}, "groups": copy_groups}
STARTS = {"added array": COPIES["copy"], "append": COPIES["cube"]}


def begin(kind, name):
    """Makes the store to which the copy adds something."""
    if kind in STARTS:
        made = STARTS[kind](name)
        assert made is not None
        del made


def is_change(request):
    """True if a request changes the store. Whether the server has a lock is asked once, beside the store."""
    return request[0] in CHANGES and not request[1].endswith(".lock")


@pytest.mark.parametrize("kind", [kind for kind in COPIES if kind not in ("cube", "cloud", "overviews")])
@pytest.mark.slow
def test_each_change_of_an_object_store_fails(server, kind):
    """The server refuses all changes after the first ones."""
    counter = itertools.count()

    def attempt(changes):
        name = f"/vsis3/demo/{kind.replace(' ', '_')}{zarr_formats.is_v3():d}_{next(counter)}.zarr"
        begin(kind, name)
        server.requests()
        server.front.rule(changes=changes)
        try:
            with error_log() as log:
                made = COPIES[kind](name)
                before_closing = [request for request in server.requests() if is_change(request)]
                is_made = made is not None
                del made
            late = [request for request in server.requests() if is_change(request)]
        finally:
            server.front.rule(changes=None)
        return is_made, log, before_closing, late

    is_made, log, requests, late = attempt(None)
    assert is_made and log.errors == [] and late == [], "closing has nothing to write"
    for changes in zarr_faults.some(range(len(requests)), 2):
        is_made, log, *_ = attempt(changes)
        assert not is_made and log.errors, f"{changes} of {len(requests)} changes were possible"


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="strace and AddressSanitizer do not go together")
@pytest.mark.parametrize("kind", OPTIONS)
def test_gdal_translate_ends_with_an_error(tmp_path, kind):
    """Each rename of a document or chunk to its final name fails in turn, as on a disk that becomes full."""
    gdal.GetDriverByName("GTiff").CreateCopy(str(tmp_path / "source.tif"), source())
    options = [word for option in OPTIONS[kind] for word in ("-co", option)]
    store = tmp_path / "s.zarr"

    def run(number):
        shutil.rmtree(store, ignore_errors=True)
        begin(kind, str(store))
        trace = ["-o", str(tmp_path / "trace"), "-e", "trace=rename",
                 "-e", f"inject=rename:error=ENOSPC:when={number}+"]  # fmt: skip
        command = ["gdal_translate", "-q", "-of", "Zarr", *options, str(tmp_path / "source.tif"), str(store)]
        done = subprocess.run(["strace", "-f", "-qq", *trace, *command], capture_output=True, check=False, text=True)
        lines = [line for line in (tmp_path / "trace").read_text().splitlines() if "rename(" in line]
        return done, [i for i, line in enumerate(lines, 1) if line.endswith("= 0")]

    done, renames = run(9999)
    assert done.returncode == 0, done.stderr
    for number in zarr_faults.some(renames[::-1], 2):
        done, _ = run(number)
        assert done.returncode != 0 and "ERROR" in done.stderr, f"rename {number} of {renames}: {done.stderr}"
