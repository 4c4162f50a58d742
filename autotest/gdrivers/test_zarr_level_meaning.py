# SPDX-License-Identifier: MIT
"""A pyramid level is not an overview if its stored values have another meaning than those of the base, for
example another scale."""

import json

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log
from zarr_overviews import make, sizes, update
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SHAPE = (48, 64)
FULL, HALF, QUARTER = (64, 48), (32, 24), (16, 12)


def arrays(names, first, second, **attrs):
    """Returns {path: array} for make_store(), with three levels named `names`. `first` describes the largest and the
    smallest level, `second` the middle level."""
    made = {}
    for level, (name, said) in enumerate(zip(names, (first, second, first))):
        shape = [size >> level for size in SHAPE]
        item = {"values": np.full(shape, level + 1, "i2"), "dims": ["y", "x"], **said}
        made[name] = {**item, "attrs": {**attrs, **said.get("attrs", {})}}
    return made


def as_ome(folder, *said):
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    datasets = [
        {"path": str(i), "coordinateTransformations": [{"type": "scale", "scale": [2**i, 2**i]}]} for i in range(3)
    ]
    multiscales = [{"version": "0.4", "axes": axes, "datasets": datasets}]
    return make_store(folder, arrays("012", *said), {"multiscales": multiscales}), "0"


def as_layout(folder, *said):
    names = ["r10", "r20", "r40"]
    layout = [{"asset": "r10"}] + [
        {"asset": name, "derived_from": source, "transform": {"scale": [2.0, 2.0]}}
        for source, name in zip(names, names[1:])
    ]
    made = arrays([name + "/v" for name in names], *said)
    return make_store(folder, made, {"multiscales": {"layout": layout}}), "r10/v"


def as_ndpyramid(folder, *said):
    attributes = {"multiscales": [{"datasets": [{"path": str(i)} for i in range(3)], "type": "reduce"}]}
    return make_store(folder, arrays(["0/v", "1/v", "2/v"], *said), attributes), "0/v"


def as_tile_matrices(folder, *said):
    matrices = [{"id": str(i), "cellSize": 10.0 * 2**i} for i in range(3)]
    multiscales = {"tile_matrix_set": {"id": "own", "tileMatrices": matrices}, "resampling_method": "average"}
    return make_store(folder, arrays(["0/v", "1/v", "2/v"], *said, multiscales=multiscales)), "0/v"


def as_xcube(folder, *said):
    for level, item in enumerate(arrays("012", *said).values()):
        make_store(folder, {"v": item}, name=f"x.levels/{level}.zarr")
    store = folder / "x.levels"
    (store / ".zlevels").write_text(json.dumps({"version": "1.0", "num_levels": 3}))
    return store, "0.zarr/v"


WRITERS = [as_ome, as_layout, as_ndpyramid, as_tile_matrices, as_xcube]
each_writer = pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)


def attrs(**members):
    return {"attrs": members}


def wkt(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs.ExportToWkt()


# case -> (description of the base array for make_store(), description of the middle level, warning of the driver)
OTHERS = {
    "scale": (attrs(scale_factor=0.1), attrs(scale_factor=0.2), "has scale_factor 0.2, not 0.1"),
    "no scale": (attrs(scale_factor=0.1), attrs(), "has scale_factor 1, not 0.1"),
    "a scale": (attrs(), attrs(scale_factor=0.1), "has scale_factor 0.1, not 1"),
    "offset": (attrs(add_offset=5), attrs(add_offset=-5.5), "has add_offset -5.5, not 5"),
    "nodata": (attrs(_FillValue=-1), attrs(_FillValue=-9), "has nodata value -9, not -1"),
    "no nodata": (attrs(_FillValue=-1), attrs(), "has nodata value none, not -1"),
    "missing_value": (attrs(_FillValue=-1), attrs(missing_value=-9), "has nodata value -9, not -1"),
    "fill value": ({"fill_value": -1}, {"fill_value": -9}, "has nodata value -9, not -1"),
    "a fill value": ({}, {"fill_value": -9}, "has nodata value -9, not none"),
    "units": (attrs(units="m"), attrs(units="cm"), "has units cm, not m"),
    "unsigned": (attrs(_Unsigned="true"), attrs(), "has dtype <i2, not <u2"),
    "crs": (attrs(_CRS={"wkt": wkt(32632)}), attrs(_CRS={"wkt": wkt(32633)}), "has CRS EPSG:32633, not EPSG:32632"),
    "code": (
        attrs(**{"proj:code": "EPSG:32632"}),
        attrs(**{"proj:code": "EPSG:3857"}),
        "has CRS EPSG:3857, not EPSG:32632",
    ),
}

SAME = {
    "no scale": (attrs(scale_factor=1.0, add_offset=0), attrs()),
    "rounded": (attrs(scale_factor=0.1), attrs(scale_factor=float(np.float32(0.1)))),
    "by another name": (attrs(_FillValue=-1), attrs(missing_value=[-1])),
    "by the fill value": (attrs(_FillValue=-1), {"fill_value": -1}),
    "units of one": (attrs(units="m"), attrs()),
    "crs of one": (attrs(_CRS={"wkt": wkt(32632)}), attrs()),
    "crs in other words": (attrs(_CRS={"wkt": wkt(32632)}), attrs(_CRS={"url": "EPSG:32632"})),
}


def opened(store, path):
    with error_log() as log:
        dataset = gdal.Open(array_name(store, path))
        assert log.errors == []
    return dataset, log.warnings


@each_writer
@pytest.mark.parametrize("what", OTHERS)
def test_a_level_of_another_meaning_is_left_out(tmp_path, write, what):
    first, second, told = OTHERS[what]
    dataset, warnings = opened(*write(tmp_path, first, second))
    assert sizes(dataset) == [QUARTER]
    assert len(warnings) == 1 and told in warnings[0] and "; it is left out" in warnings[0], warnings
    reduced = dataset.GetRasterBand(1).ReadAsArray(buf_xsize=32, buf_ysize=24)
    assert (reduced != 2).all()


@each_writer
@pytest.mark.parametrize("what", SAME)
def test_a_level_of_the_same_meaning_is_an_overview(tmp_path, write, what):
    dataset, warnings = opened(*write(tmp_path, *SAME[what]))
    assert sizes(dataset) == [HALF, QUARTER] and warnings == []


def test_nan_in_fill_value_and_attribute_are_equal(tmp_path):
    levels = {"values": np.zeros((16, 16), "f4"), "fill_value": float("nan")}
    levels = {"0": levels, "1": {**levels, "values": np.zeros((8, 8), "f4"), "fill_value": 0, **attrs(_FillValue="NaN")}}
    store = make_store(tmp_path, levels, {"multiscales": [{"datasets": [{"path": "0"}, {"path": "1"}]}]})
    dataset, warnings = opened(store, "0")
    assert sizes(dataset) == [(8, 8)] and warnings == []


def test_black_pixels_of_an_image_are_data_in_each_level(tmp_path):
    dataset, warnings = opened(*as_ome(tmp_path, {"fill_value": 0}, {"fill_value": None}))
    assert sizes(dataset) == [HALF, QUARTER] and warnings == []


def test_the_crs_of_a_grid_mapping(tmp_path):
    made = arrays(["0/v", "1/v", "2/v"], attrs(grid_mapping="crs"), attrs(grid_mapping="crs"))
    for level, code in enumerate((32632, 32633, 32632)):
        made[f"{level}/crs"] = {"values": np.int32(0), "dims": [], **attrs(crs_wkt=wkt(code))}
    multiscales = [{"datasets": [{"path": str(i)} for i in range(3)]}]
    dataset, warnings = opened(make_store(tmp_path, made, {"multiscales": multiscales}), "0/v")
    assert sizes(dataset) == [QUARTER]
    assert len(warnings) == 1 and "level /1/v has CRS EPSG:32633, not EPSG:32632 as /0/v" in warnings[0]


def test_overviews_follow_changes_of_the_raster(tmp_path):
    store = tmp_path / "a.zarr"
    dataset = make(store, np.ones((1, 48, 64), "i2"), "ARRAY_NAME=a", nodata=-1)
    dataset.BuildOverviews("AVERAGE", [2])
    dataset = None
    dataset = update(array_name(store, "a"))
    band = dataset.GetRasterBand(1)
    band.SetScale(0.5)
    band.SetOffset(3)
    band.SetNoDataValue(-7)
    dataset = band = None
    dataset, warnings = opened(store, "a")
    assert sizes(dataset) == [HALF] and not [text for text in warnings if "left out" in text]


def test_overviews_without_a_scale_belong_to_the_raster(tmp_path):
    store = tmp_path / "a.zarr"
    dataset = make(store, np.ones((1, 48, 64), "i2"), "ARRAY_NAME=a")
    dataset.BuildOverviews("AVERAGE", [2])
    dataset = None
    zarr.open_group(str(store), mode="r+")["a"].attrs["scale_factor"] = 0.5
    dataset, warnings = opened(store, "a")
    assert sizes(dataset) == [HALF] and not [text for text in warnings if "left out" in text]
