# SPDX-License-Identifier: MIT
"""A store gives the same answers wherever it lies: in a folder, in a zip file, on a web server that lists nothing, in an
object store, each with and without consolidated metadata.

The environment variable ZARR_ANSWERS says how many stores of each module of tests are compared."""

import os
import pathlib
import re

import numpy as np
import pytest
import zarr_formats
import zarr_places
import zarr_python as zarr
import zarr_small_stores
import zarr_store
from osgeo import gdal, osr
from zarr_places import CONSOLIDATED, FOLDER, HTTP, OWN, Places
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
SAMPLES = [*sorted(DATA.glob("*.zarr")), *(each for each in sorted(DATA.glob("pyramids/*")) if each.is_dir())]
MOST = int(os.environ.get("ZARR_ANSWERS", "1"))
MOST_BANDS = 16  # of a raster; larger ones are left out, because they take long
SMALL = 20_000  # bytes of a store whose values are compared in the multidimensional API, too
# Messages of a server that does not list a group, whose metadata is not consolidated either. The group then has no
# members unless attributes name them.
UNLISTED = re.compile("the server returns no listing|the server does not list the group|not a Zarr store: ")


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    with Places(tmp_path_factory.mktemp("places")) as there:
        yield there


def differing(places, store, nodes=4, options=()):
    """Puts a store into all places. Returns texts about answers that differ from those in the folder."""
    found = []
    is_small = sum(file.stat().st_size for file in store.rglob("*") if file.is_file()) <= SMALL
    names = places.put(store)
    assert names, f"{store} is in no place"
    first = names.get((FOLDER, OWN)) or names[FOLDER, CONSOLIDATED]
    for path in [*zarr_places.names_in(pathlib.Path(first), nodes), None]:
        wanted = None
        for place, name in names.items():
            if path is None:
                got = zarr_places.describe_mdim(name, is_small)
            else:
                got = zarr_places.describe(name, path, options)
            if wanted is None:
                wanted = got
                if len((got["answer"] or {}).get("bands", [])) > MOST_BANDS:
                    break
            is_unlisted = path is None or any(UNLISTED.search(text) for text in got["messages"])
            if place == (HTTP, OWN) and is_unlisted:
                continue
            found += [f"/{path} {place}: {text}" for text in zarr_places.differences(wanted, got)]
    places.clear()
    return found


@pytest.mark.parametrize("sample", [f"{store.parent.name}/{store.name}" for store in SAMPLES])
@zarr_formats.V2
@pytest.mark.slow
def test_samples(places, sample):
    (store,) = (each for each in SAMPLES if sample == f"{each.parent.name}/{each.name}")
    assert differing(places, store) == []


@pytest.mark.parametrize("module", zarr_small_stores.MODULES)
def test_stores_of_the_suite(places, tmp_path, module):
    for name, store in zarr_small_stores.stores(module, tmp_path, MOST):
        assert differing(places, store) == [], name


# ---------------------------------------------------------------------------------------------
# Facts that need more than an array's own documents. Where a group is not listed and its metadata is not
# consolidated, the driver cannot know arrays that nothing names.


def wkt(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs.ExportToWkt()


def axis(start, step, count, name):
    return {"values": start + step * (np.arange(count) + 0.5), "dims": (name,)}


def named_coordinate(folder):
    """`height2d` has the fill value 0, which is no nodata value, because `data` names it as a coordinate."""
    values = np.arange(12, dtype="f4").reshape(3, 4)
    return make_store(folder, {
        "data": {"values": values, "dims": "yx", "attrs": {"coordinates": "height2d"}, "fill_value": -1.0},
        "height2d": {"values": values, "dims": "yx", "fill_value": 0.0},
    })  # fmt: skip


def another_crs(folder):
    """The second level of the pyramid has another CRS than the first."""
    items = {}
    for level, code in enumerate((32632, 32633)):
        side = 8 >> level
        mapped = {"grid_mapping": "crs"}
        items[f"{level}/v"] = {"values": np.full((side, side), level + 1, "u2"), "dims": "yx", "attrs": mapped}
        items[f"{level}/crs"] = {"values": 0, "attrs": {"crs_wkt": wkt(code)}}
        items[f"{level}/x"] = axis(600000, 10 << level, side, "x")
        items[f"{level}/y"] = axis(5000000, -(10 << level), side, "y")
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]
    return make_store(folder, items, {"multiscales": {"layout": layout}})


def stated_crs(folder):
    """Like another_crs(), but attributes of the levels state transform and CRS."""
    items = {}
    for level, code in enumerate((32632, 32633)):
        side, step = 8 >> level, 10 << level
        stated = {"spatial:transform": [step, 0, 600000, 0, -step, 5000000], "spatial:dimensions": ["y", "x"],
                  "proj:code": f"EPSG:{code}"}  # fmt: skip
        items[str(level)] = {"values": np.full((side, side), level + 1, "u2"), "dims": "yx", "attrs": stated}
    return make_store(folder, items, {"multiscales": {"layout": [{"asset": "0"}, {"asset": "1"}]}})


def crs_of_another_array(folder):
    """`crs` belongs to `b`, which has other dimensions than `a`."""
    values = np.arange(12, dtype="i2").reshape(3, 4)
    return make_store(folder, {
        "a": {"values": values, "dims": ("v", "u")},
        "b": {"values": values, "dims": "yx", "attrs": {"grid_mapping": "crs"}},
        "crs": {"values": 0, "attrs": {"crs_wkt": wkt(32632)}},
        "x": axis(600000, 10, 4, "x"), "y": axis(5000000, -10, 3, "y"),
    })  # fmt: skip


def contradicted_attribute(folder):
    """The geotransform attribute disagrees with the coordinates, which gives a warning."""
    stated = {"spatial:transform": [10, 0, 0, 0, -10, 0], "spatial:dimensions": ["y", "x"]}
    return make_store(folder, {
        "a": {"values": np.zeros((3, 4), "i2"), "dims": "yx", "attrs": stated},
        "x": axis(600000, 10, 4, "x"), "y": axis(5000000, -10, 3, "y"),
    })  # fmt: skip


def outdated_overviews(folder):
    """Pixels change after overviews and statistics were made, by a program that knows neither."""
    store = folder / "store.zarr"
    values = np.arange(64 * 64, dtype="u2").reshape(64, 64)
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(str(store), 64, 64, 1, gdal.GDT_UInt16, ["COMPRESS=NONE", "BLOCKSIZE=16,16"])
    dataset.WriteArray(values)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset.BuildOverviews("NEAREST", [2])
    dataset = None
    root = zarr.open_group(str(store), mode="r+")
    (name,) = (name for name, each in root.arrays() if each.shape == (64, 64))
    root[name][:] = values + 7
    return store


def old_netcdf(folder):
    """NCZarr as netCDF-C 4.8.0 writes it, whose dimensions are in documents that consolidated metadata lacks."""
    store = zarr_store.group(folder / "store.zarr")
    (store / ".nczarr").write_text('{"nczarr_version": "1.0.0"}')
    (store / ".nczgroup").write_text('{"dims": {"lat": 4, "lon": 6}, "vars": ["v"], "groups": []}')
    zarr_store.handmade(store, path="v")
    (store / "v" / ".nczarray").write_text('{"dimrefs": ["/lat", "/lon"], "storage": "chunked"}')
    return store


def computed_variables(folder):
    stated = {"spatial:transform": [2.0, 0, 100.0, 0, -3.0, 50.0], "spatial:dimensions": ["y", "x"]}
    return make_store(folder, {"a": {"values": np.zeros((3, 4), "f4"), "dims": "yx", "attrs": stated}})


UNKNOWN = {named_coordinate: "/height2d", crs_of_another_array: "/a"}
FACTS = [named_coordinate, another_crs, stated_crs, crs_of_another_array, contradicted_attribute, outdated_overviews,
         computed_variables]  # fmt: skip


@pytest.mark.parametrize("make", FACTS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("options", [(), ("FILL_VALUE_AS_NODATA=YES",)], ids=["", "fill"])
def test_facts(places, tmp_path, make, options):
    store = make(tmp_path)
    found = differing(places, store, nodes=12, options=options)
    unlisted = f"{UNKNOWN.get(make)} {(HTTP, OWN)}"
    assert [text for text in found if not text.startswith(unlisted)] == []


@zarr_formats.V2
def test_dimensions_of_old_netcdf(places, tmp_path):
    assert differing(places, old_netcdf(tmp_path)) == []


def told(name, path=""):
    return zarr_places.describe(name, path)


@pytest.mark.slow
def test_each_place_gives_what_is_true(places, tmp_path):
    """The answers are not only equal, but right."""
    names = places.put(another_crs(tmp_path))
    for name in names.values():
        got = told(name, "0/v")
        assert "overviews" not in got["answer"]["bands"][0] and "has CRS EPSG:32633" in got["messages"][0]
    names = places.put(contradicted_attribute(tmp_path / "b"))
    for name in names.values():
        assert "disagrees with the coordinate arrays" in told(name, "a")["messages"][0]
    names = places.put(outdated_overviews(tmp_path))
    for name in names.values():
        got = told(name)
        assert "overviews" not in got["answer"]["bands"][0] and "mean" not in got["answer"]["bands"][0]
        assert "build the overviews anew" in got["messages"][0]
    names = places.put(crs_of_another_array(tmp_path / "c"))
    assert [place for place, name in names.items() if "coordinateSystem" in told(name, "a")["answer"]] in (
        [], [(HTTP, OWN)])  # fmt: skip
