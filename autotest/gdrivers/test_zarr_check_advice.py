# SPDX-License-Identifier: MIT
"""Tests what zarr_check says of stores that PROFILE=CLOUD has just written, and the commands that it advises: each is
run, and the result has fewer findings and equal pixels."""

import re
import shutil
import subprocess

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal, osr
from test_zarr_check import check, codes
from zarr_store import make_store

COVER = ((np.add.outer(np.arange(1100), np.arange(1300)) // 37) % 5 * 10).astype("u1")
DEM = np.add.outer(np.arange(1100.0), np.sin(np.arange(1300))).astype("f4")
COMMAND = re.compile(r"gdal_translate |gdaladdo ")

pytestmark = zarr_formats.V3


def source(values, bands=1, mask=False, colours=False):
    kind = {"f": gdal.GDT_Float32, "u": gdal.GDT_Byte}[values.dtype.kind]
    dataset = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], bands, kind)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    for number in range(1, bands + 1):
        band = dataset.GetRasterBand(number)
        band.WriteArray(values)
        if values.dtype.kind == "f":
            band.SetNoDataValue(-9999)
    if mask:
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(np.where(values == 20, 0, 255).astype("u1"))
    if colours:
        table = gdal.ColorTable()
        for value in range(0, 50, 10):
            table.SetColorEntry(value, (value, 2 * value, 0, 255))
        dataset.GetRasterBand(1).SetColorTable(table)
    return dataset


def write(store, dataset, *options, profile="CLOUD"):
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), dataset, options=[f"PROFILE={profile}", *options])
    return store


def two(store, *options, **more):
    """Writes an elevation model, and a land cover that is to have no new classes."""
    write(store, source(DEM), "ARRAY_NAME=dem", *options, **more)
    return write(store, source(COVER), "ARRAY_NAME=cover", "APPEND_SUBDATASET=YES", "RESAMPLING=MODE", *options, **more)


CLOUD = {
    "masked colours": lambda store: write(store, source(COVER, 3, mask=True)),
    "masked arrays": lambda store: write(store, source(COVER, 3, mask=True), "SINGLE_ARRAY=NO"),
    "masked groups": lambda store: write(store, source(COVER, 3, mask=True), "OVERVIEW_LAYOUT=GROUPS"),
    "masked image": lambda store: write(store, source(COVER, 3, mask=True), profile="OME"),
    "two rasters": two,
    "many bands": lambda store: write(store, source(COVER[:, :700] + 1, 20)),
    "few rows": lambda store: write(store, source(np.tile(COVER[:40], 9) + 1)),
    "land cover": lambda store: write(store, source(COVER, colours=True)),
}


@pytest.mark.parametrize("case", CLOUD)
@pytest.mark.slow
def test_what_profile_cloud_writes_has_no_findings(tmp_path, case):
    store = CLOUD[case](tmp_path / "a.zarr")
    assert [one for one in check(store, http=True)["findings"] if one["severity"] != "note"] == []


def without_level(store):
    write(store, source(DEM), "OVERVIEWS=2,4")
    shutil.rmtree(store / "ovr_4x")
    return store


def with_empty_chunks(store):
    values = COVER.copy()
    values[:300] = 0
    make_store(store.parent, {"a": {"values": values, "chunks": (100, 1300), "fill_value": 0, "dims": ["y", "x"],
                                    "write_empty_chunks": True}}, name=store.name)  # fmt: skip
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.BuildOverviews("MODE", [2, 4])
    return store


FAULTY = {
    "overviews-missing": lambda store: write(store, source(COVER), "OVERVIEWS=NONE"),
    "overviews-missing, colours": lambda store: write(store, source(COVER, colours=True), "OVERVIEWS=NONE"),
    "overviews-missing, numbers": lambda store: write(store, source(DEM), "OVERVIEWS=NONE"),
    "overviews-gap": lambda store: write(store, source(COVER), "OVERVIEWS=8", "RESAMPLING=NEAREST"),
    "overviews-few": lambda store: write(store, source(np.tile(COVER, 2)), "OVERVIEWS=2", "RESAMPLING=MODE"),
    "overview-level-missing": without_level,
    "chunk-small": lambda store: two(store, "BLOCKSIZE=64"),
    "chunk-oblong": lambda store: write(store, source(COVER, 3, mask=True), "BLOCKXSIZE=1300", "BLOCKYSIZE=100",
                                        "RESAMPLING=MODE"),
    "shard-of-one": lambda store: write(store, source(COVER), "BLOCKSIZE=512,512", "SHARD_CHUNK_SHAPE=512,512",
                                        "RESAMPLING=MODE"),
    "empty-chunks": with_empty_chunks,
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTY)
def test_commands_mend(tmp_path, case):
    code = case.split(",")[0]
    store = FAULTY[case](tmp_path / "a.zarr")
    before = check(store)["findings"]
    assert code in {one["code"] for one in before}
    commands = list(dict.fromkeys(one["mend"] for one in before if COMMAND.match(one["mend"])))
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "ERROR" not in done.stderr, command + done.stderr
    copies = {path.name: path for path in tmp_path.glob("NEW*.zarr")}
    assert set(copies) == set(re.findall(r"NEW\w*\.zarr", " ".join(commands)))
    for new in copies.values() or [store]:
        assert code not in codes(new)
        assert codes(new) < {one["code"] for one in before}
        array = next((name for name in ("dem", "cover") if name in new.name), None)
        was = gdal.Open(f'ZARR:"{store}":/{array}' if array else str(store))
        now = gdal.Open(str(new))
        np.testing.assert_array_equal(now.ReadAsArray(), was.ReadAsArray())
        first, level = now.GetRasterBand(1), now.GetRasterBand(1).GetOverview(0)
        assert first.GetOverviewCount() >= 2
        assert first.GetMaskFlags() == was.GetRasterBand(1).GetMaskFlags()
        classes = set(np.unique(first.ReadAsArray()))
        assert (len(classes) > 9) or set(np.unique(level.ReadAsArray())) <= classes
