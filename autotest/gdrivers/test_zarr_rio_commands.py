# SPDX-License-Identifier: MIT
"""rasterio's command line program (rio, in Debian rasterio) with stores as input and output."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from rasterio.features import shapes
import zarr_corrupt
from zarr_store import make_array

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
SCENE, TERRAIN = DATA / "satellite_rgb.zarr", DATA / "terrain.zarr"
PROGRAM = shutil.which("rio") or shutil.which("rasterio")
SECONDS = 120

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def start(*words):
    """Runs rasterio's program with GDAL_PAM_ENABLED=YES, which is GDAL's default. Returns the completed
    process."""
    assert PROGRAM is not None, "rasterio's program is not installed"
    environment = {**os.environ, "GDAL_PAM_ENABLED": "YES", "PYTHONWARNINGS": "ignore"}
    return subprocess.run([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, text=True, check=False,
                          capture_output=True, timeout=SECONDS, env=environment)  # fmt: skip


def rio(*words):
    """Runs rasterio's program, and asserts that it succeeds. Returns its output."""
    done = start(*words)
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr, done.stderr
    return done.stdout


def told(path):
    """Returns what rasterio reads from a file that its program has written: profile, bounds, tags, and more."""
    with rasterio.Env(GDAL_PAM_ENABLED="YES"), rasterio.open(path) as dataset:
        return {**dataset.profile, "bounds": list(dataset.bounds), "tags": dataset.tags(),
                "colours": [colour.name for colour in dataset.colorinterp],
                **dataset.tags(ns="ZARR")}  # fmt: skip


def values(path):
    with rasterio.open(path) as dataset:
        return dataset.read()


def copy_of(name, store):
    """Copies a raster to a store with rasterio's Python function, because rasterio's program starts slowly.
    Returns the store."""
    rasterio.shutil.copy(str(name), str(store), driver="Zarr")
    return store


def small(folder, name="small.zarr", **options):
    """Writes a raster of zeros with two rectangles of ones. Returns its path."""
    data = np.zeros((20, 30), "u1")
    data[2:8, 3:10] = data[12:18, 15:25] = 1
    return make_array(folder, data, name, {"proj:code": "EPSG:32632", "spatial:dimensions": ["y", "x"],
                      "spatial:transform": [10, 0, 500000, 0, -10, 5200000],
                      "_ARRAY_DIMENSIONS": ["y", "x"]}, chunks=(8, 9), **options), data  # fmt: skip


def test_info():
    got = json.loads(rio("info", SCENE))
    assert (got["driver"], got["dtype"], got["shape"]) == ("Zarr", "uint8", [280, 360])
    assert (got["crs"], got["nodata"], got["count"]) == ("EPSG:32632", None, 3)
    assert got["bounds"] == [688000, 4917200, 691600, 4920000]
    assert got["transform"][:6] == [10, 0, 688000, 0, -10, 4920000]
    assert got["descriptions"] == got["colorinterp"] == ["red", "green", "blue"]
    assert (got["blockxsize"], got["blockysize"]) == (128, 128)


@pytest.mark.slow
def test_info_of_tags_and_subdatasets():
    tags = json.loads(rio("info", SCENE, "--tags"))
    assert tags["title"] == "Synthetic coast and town" and tags["valid_range"] == "{0,255}"
    assert json.loads(rio("info", TERRAIN, "--tags", "--namespace", "ZARR"))["CHUNK_SHAPE"] == "128,128"
    with rasterio.open(DATA / "product.zarr") as dataset:
        name = next(name for name in dataset.subdatasets if name.endswith(":/measurements/r10m"))
    assert rio("info", "--count", name) == "4\n"


@pytest.mark.slow
def test_convert_both_ways(tmp_path):
    """rio convert selects the driver by the file extension .zarr."""
    tiff, store = tmp_path / "a.tif", tmp_path / "a.zarr"
    rio("convert", SCENE, tiff)
    rio("convert", tiff, store)
    np.testing.assert_array_equal(values(store), values(SCENE))
    np.testing.assert_array_equal(values(tiff), values(SCENE))
    got, wanted = told(store), told(tiff)
    assert (got["driver"], wanted["driver"]) == ("Zarr", "GTiff")
    for key in ("bounds", "count", "crs", "dtype", "height", "nodata", "transform", "width"):
        assert got[key] == wanted[key], key


@pytest.mark.slow
def test_convert_with_options(tmp_path):
    store = tmp_path / "a.store"
    rio("convert", SCENE, store, "--format", "Zarr", "--dtype", "float32", "--scale-ratio", "0.5",
        "--scale-offset", "-3", "--co", "compress=zstd", "--co", "BLOCKSIZE=1,64,32")  # fmt: skip
    assert told(store)["CHUNK_SHAPE"] == "1,64,32"
    assert json.loads(told(store)["COMPRESSOR"])["id"] == "zstd"
    np.testing.assert_array_equal(values(store), values(SCENE).astype("f4") * 0.5 - 3)


@pytest.mark.slow
def test_only_overwrite_overwrites(tmp_path):
    store, data = small(tmp_path)
    assert "--overwrite" in start("convert", SCENE, store).stderr
    np.testing.assert_array_equal(values(store)[0], data)
    rio("convert", "--overwrite", SCENE, store)
    np.testing.assert_array_equal(values(store), values(SCENE))


@pytest.mark.parametrize(
    "words, why",
    [
        (["info", "nowhere.zarr"], "nowhere.zarr"),
        # TILED=NO is needed, because newer versions of rasterio would use the store's chunk size as tile size, which
        # TIFF does not allow.
        (["convert", "truncated_chunk.zarr", "a.tif", "--co", "TILED=NO"],
         "zlib: compressed data is truncated"),
        (["convert", str(SCENE), "a.zarr", "--co", "compress=rar"], "creation option COMPRESS: expected"),
    ],
    ids=["no store", "no chunk", "no option"],
)  # fmt: skip
@pytest.mark.slow
def test_errors_say_why(tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    zarr_corrupt.make(tmp_path, "truncated_chunk")
    done = start(*words)
    assert done.returncode != 0 and why in done.stderr
    assert not (tmp_path / "a.zarr").exists()


@pytest.mark.slow
def test_warp(tmp_path):
    outputs = [tmp_path / "w.zarr", tmp_path / "w.tif"]
    for output in outputs:
        rio("warp", SCENE, output, "--dst-crs", "EPSG:3857", "--resampling", "bilinear")
    got, wanted = map(told, outputs)
    assert (got["driver"], got["crs"], got["bounds"]) == ("Zarr", "EPSG:3857", wanted["bounds"])
    np.testing.assert_array_equal(values(outputs[0]), values(outputs[1]))
    assert values(outputs[0]).max() > 0


@pytest.mark.slow
def test_overview(tmp_path):
    store = copy_of(TERRAIN, tmp_path / "a.zarr")
    rio("overview", "--build", "2,4", "--resampling", "average", store)
    assert "[2, 4] (method: 'average')" in rio("overview", "--ls", store)
    with rasterio.open(store, overview_level=1) as level:
        coarse = level.read(1)
    blocks = values(TERRAIN)[0].reshape(150, 4, 200, 4).astype("f8")
    valid = (blocks != -32768).all(axis=(1, 3))
    # The overview of factor 4 is made from the rounded overview of factor 2.
    assert np.abs(coarse - blocks.mean(axis=(1, 3)))[valid].max() < 2
    with rasterio.open(store, "r+") as dataset:
        dataset.write(np.full((600, 800), 7, "i2"), 1)
    rio("overview", "--rebuild", store)
    with rasterio.open(store, overview_level=1) as level:
        assert (level.read(1) == 7).all()
    assert (store / "ovr_2x").is_dir() and not (tmp_path / "a.zarr.ovr").exists()


@pytest.mark.slow
def test_clip(tmp_path):
    rio("clip", TERRAIN, tmp_path / "c.zarr", "--bounds", "[612300, 5196000, 624000, 5205000]")
    got = told(tmp_path / "c.zarr")
    assert (got["driver"], got["bounds"]) == ("Zarr", [612300, 5196000, 624000, 5205000])
    assert (got["nodata"], got["crs"]) == (-32768, "EPSG:32632")
    np.testing.assert_array_equal(values(tmp_path / "c.zarr"), values(TERRAIN)[:, 300:, 10:400])


@pytest.mark.slow
def test_stack(tmp_path):
    copy = copy_of(SCENE, tmp_path / "a.zarr")
    output = tmp_path / "s.zarr"
    rio("stack", SCENE, "--bidx", "3,1", copy, "--bidx", "2..", "-o", output, "--driver", "Zarr")
    np.testing.assert_array_equal(values(output), values(SCENE)[[2, 0, 1, 2]])


@pytest.mark.slow
def test_merge(tmp_path):
    west, east, output = tmp_path / "w.zarr", tmp_path / "e.tif", tmp_path / "m.zarr"
    rio("clip", SCENE, west, "--bounds", "[688000, 4917200, 690000, 4920000]")
    rio("clip", SCENE, east, "--bounds", "[689500, 4917200, 691600, 4920000]", "--driver", "GTiff")
    rio("merge", west, east, "-o", output)
    assert told(output)["driver"] == "Zarr" and told(output)["bounds"] == told(SCENE)["bounds"]
    np.testing.assert_array_equal(values(output), values(SCENE))


@pytest.mark.slow
def test_edit_info(tmp_path):
    store = copy_of(SCENE, tmp_path / "a.zarr")
    rio("edit-info", store, "--crs", "EPSG:32633", "--transform", "[20, 0, 100, 0, -20, 200]",
        "--nodata", "9", "--tag", "title=edited", "--tag", "note=second")  # fmt: skip
    got = told(store)
    assert (got["crs"], got["nodata"]) == ("EPSG:32633", 9)
    assert got["transform"][:6] == (20, 0, 100, 0, -20, 200)
    assert got["tags"].items() >= {"title": "edited", "note": "second"}.items()
    rio("edit-info", store, "--unset-nodata")
    rio("edit-info", store, "--colorinterp", "blue,green,red")
    assert (told(store)["nodata"], told(store)["colours"]) == (None, ["blue", "green", "red"])
    np.testing.assert_array_equal(values(store), values(SCENE))
    assert start("edit-info", store, "--nodata", "300").returncode != 0


@pytest.mark.slow
def test_bounds_and_blocks(tmp_path):
    box = json.loads(rio("bounds", "--bbox", "--projected", SCENE))
    assert box == [688000, 4917200, 691600, 4920000]
    west, south, east, north = json.loads(rio("bounds", "--bbox", SCENE))
    assert (11.36 < west < east < 11.41) and (44.38 < south < north < 44.41)
    store, _ = small(tmp_path)
    features = json.loads(rio("blocks", "--projected", store))["features"]
    assert len(features) == 3 * 4 and features[5]["properties"]["window"] == {
        "col_off": 9, "row_off": 8, "height": 8, "width": 9}  # fmt: skip


@pytest.mark.slow
def test_shapes(tmp_path):
    store, data = small(tmp_path, fill_value=0)
    lines = rio("shapes", "--projected", "--sequence", "--no-rs", store).splitlines()
    features = [json.loads(line) for line in lines]
    with rasterio.open(store) as dataset:
        wanted = list(shapes(data, mask=data > 0, transform=dataset.transform))
    assert len(wanted) == 2
    got = [(feature["geometry"]["coordinates"], feature["properties"]["val"]) for feature in features]
    as_lists = [(json.loads(json.dumps(shape["coordinates"])), value) for shape, value in wanted]
    assert sorted(got) == sorted(as_lists)


@pytest.mark.slow
def test_sample_and_calc(tmp_path):
    points = subprocess.run(
        [PROGRAM, "sample", SCENE], input="[688005, 4919995]\n[691595, 4917205]\n", text=True,
        capture_output=True, check=True, timeout=SECONDS,
    ).stdout.split("\n")  # fmt: skip
    got = [json.loads(point) for point in points[:2]]
    assert got == [values(SCENE)[:, 0, 0].tolist(), values(SCENE)[:, -1, -1].tolist()]
    output = tmp_path / "c.zarr"
    rio("calc", "(+ 100 (read 1 1))", TERRAIN, output, "--driver", "Zarr", "--dtype", "float32")
    valid = values(TERRAIN) != -32768
    np.testing.assert_array_equal(values(output)[valid], values(TERRAIN)[valid] + np.float32(100))


@pytest.mark.slow
def test_rm(tmp_path):
    store = copy_of(SCENE, tmp_path / "a.zarr")
    with rasterio.Env(GDAL_PAM_ENABLED="YES"), rasterio.open(store) as dataset:
        dataset.statistics(1)
    assert sorted(os.listdir(tmp_path)) == ["a.zarr", "a.zarr.aux.xml"]
    rio("rm", "--yes", store)
    assert os.listdir(tmp_path) == []
