# SPDX-License-Identifier: MIT
"""Pyramids whose levels are groups; each array of a group is a band. The overviews of a band are the smaller levels
that contain the band."""

import json

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_overviews import refused, sizes, update
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 48, 64
FULL, HALF, QUARTER = (64, 48), (32, 24), (16, 12)
# Bands of each level, as in a Sentinel-2 pyramid. The base r10 lacks two bands of r20, and r40 lacks one.
BANDS = {"r10": ["b02", "b03", "b04"], "r20": ["b02", "b03", "b04", "b05", "b06"], "r40": ["b02", "b04", "b05", "b06"]}  # fmt: skip


def mark(level, band):
    """Returns the value of all pixels of `band` in `level`."""
    return 10 * level + int(band[1:])


def arrays(names=("r10", "r20", "r40"), **attrs):
    made = {}
    for level, (name, bands) in enumerate(zip(names, BANDS.values())):
        for band in bands:
            shape = (ROWS >> level, COLUMNS >> level)
            values = np.full(shape, mark(level, band), "u1")
            made[f"{name}/{band}"] = {"values": values, "dims": ["y", "x"], "attrs": dict(attrs)}
    return made


def as_layout(folder):
    layout = [{"asset": "r10"}] + [
        {"asset": name, "derived_from": source, "transform": {"scale": [2.0, 2.0]}}
        for name, source in (("r20", "r10"), ("r40", "r20"))
    ]
    return make_store(folder, arrays(), {"multiscales": {"layout": layout}}), list(BANDS)


def as_ndpyramid(folder):
    datasets = [{"path": str(i), "pixels_per_tile": 16} for i in range(3)]
    attributes = {"multiscales": [{"datasets": datasets, "type": "reduce", "metadata": {"version": "0.1"}}]}
    return make_store(folder, arrays("012"), attributes), list("012")


def as_tile_matrices(folder):
    matrices = [{"id": str(i), "cellSize": 10.0 * 2**i} for i in range(3)]
    multiscales = {"tile_matrix_set": {"id": "own", "tileMatrices": matrices}, "resampling_method": "average"}
    return make_store(folder, arrays("012", multiscales=multiscales)), list("012")


def as_xcube(folder):
    names = [f"{i}.zarr" for i in range(3)]
    for level in range(3):
        own = {key.split("/")[1]: item for key, item in arrays(names).items() if key.startswith(names[level])}
        make_store(folder, own, name=f"x.levels/{names[level]}")
    store = folder / "x.levels"
    (store / ".zlevels").write_text(json.dumps({"version": "1.0", "num_levels": 3}))
    return store, names


WRITERS = [as_layout, as_ndpyramid, as_tile_matrices, as_xcube]
each_writer = pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)


def check(dataset, bands, level, levels_of):
    """Asserts the names and pixels of the bands of `level`, and the pixels of their overviews. levels_of(band) returns
    the numbers of the levels that are overviews of `band`."""
    assert [dataset.GetRasterBand(i + 1).GetDescription() for i in range(dataset.RasterCount)] == bands
    for number, band in enumerate(bands, 1):
        raster = dataset.GetRasterBand(number)
        assert (raster.ReadAsArray() == mark(level, band)).all()
        levels = levels_of(band)
        assert sizes(dataset, number) == [(COLUMNS >> i, ROWS >> i) for i in levels]
        for i, other in enumerate(levels):
            assert (raster.GetOverview(i).ReadAsArray() == mark(other, band)).all()
        assert raster.GetOverview(len(levels)) is None and raster.GetOverview(-1) is None


def levels_below(level):
    def levels_of(band):
        return [i for i, bands in enumerate(BANDS.values()) if i > level and band in bands]

    return levels_of


@each_writer
def test_each_band_of_a_level_has_its_own_overviews(tmp_path, write, cpl):
    store, names = write(tmp_path)
    for level, (name, bands) in enumerate(zip(names, BANDS.values())):
        check(open_raster(array_name(store, name)), bands, level, levels_below(level))
    cpl.assert_quiet()


@each_writer
def test_a_downsampled_read_uses_the_band_s_own_level(tmp_path, write, cpl):
    store, names = write(tmp_path)
    dataset = open_raster(array_name(store, names[0]))
    got = dataset.ReadAsArray(buf_xsize=16, buf_ysize=12)
    for band, values in zip(BANDS["r10"], got):
        smallest = 2 if band in BANDS["r40"] else 1
        assert (values == mark(smallest, band)).all(), band
    cpl.assert_quiet()


@each_writer
def test_the_listing_says_how_many_bands_open(tmp_path, write, cpl):
    store, _ = write(tmp_path)
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER)
    listed = [(name, text) for name, text in dataset.GetSubDatasets() if " bands)" in text]
    assert listed != []
    for name, text in listed:
        count = int(text.split("group of ")[1].split()[0])
        assert open_raster(name).RasterCount == count, text
        assert count in (3, 5)
    assert cpl.errors == []


def test_a_band_without_levels_has_no_overviews(tmp_path, cpl):
    """A band that only the base contains has no overviews, even if other bands have some."""
    store, _ = as_layout(tmp_path)
    values = np.full((ROWS, COLUMNS), 77, "u1")
    made = zarr.open_group(str(store / "r10"), mode="a").create_dataset("aot", data=values)
    made.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    dataset = open_raster(array_name(store, "r10"))
    assert dataset.RasterCount == 4 and sizes(dataset, 1) == [] and sizes(dataset, 2) == [HALF, QUARTER]
    assert dataset.GetRasterBand(1).GetOverview(0) is None
    cpl.assert_quiet()


def test_overviews_of_one_array_are_its_bands_in_the_group(tmp_path, cpl):
    """If one array of a group has overviews, only the band of this array has overviews in the raster of the group."""
    values = np.arange(ROWS * COLUMNS, dtype="u2").reshape(ROWS, COLUMNS)
    dims = ["y", "x"]
    store = make_store(tmp_path, {name: {"values": values + i, "dims": dims} for i, name in enumerate("abc")})
    assert update(array_name(store, "b")).BuildOverviews("NEAREST", [2]) == 0
    dataset = open_raster(store)
    assert [sizes(dataset, i) for i in (1, 2, 3)] == [[], [HALF], []]
    assert (dataset.GetRasterBand(2).GetOverview(0).ReadAsArray() == (values + 1)[::2, ::2]).all()
    # Building overviews of all bands replaces the overviews of the array that already had some.
    dataset = update(store)
    assert dataset.BuildOverviews("NEAREST", [4]) == 0
    dataset = None
    dataset = open_raster(store)
    assert [sizes(dataset, i) for i in (1, 2, 3)] == [[QUARTER]] * 3
    cpl.assert_quiet()


def test_levels_not_built_by_gdal_are_not_replaced(tmp_path, cpl):
    store, names = as_layout(tmp_path)
    refused(update(array_name(store, names[0])), "NEAREST", [2], "not built by GDAL")
    check(open_raster(array_name(store, names[0])), BANDS["r10"], 0, levels_below(0))
    cpl.assert_quiet()


def test_writing_a_band_with_levels_gives_a_warning(tmp_path):
    store, names = as_layout(tmp_path)
    dataset = update(array_name(store, names[0]))
    with error_log() as log:
        dataset.GetRasterBand(3).WriteArray(np.zeros((ROWS, COLUMNS), "u1"))
        dataset.FlushCache()
    assert log.errors == [] and len(log.warnings) == 1 and "/r10/b04" in log.warnings[0]
