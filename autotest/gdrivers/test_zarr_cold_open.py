# SPDX-License-Identifier: MIT
"""A store on a web server opens in three round trips, because the driver sends several requests together.

A pyramid of Zarr v2 without consolidated metadata takes four round trips: the first one only shows that the store is
not Zarr v3. The server delays each answer, so requests that are sent together count as one round trip. Each test uses a
new port, so nothing is cached.

Each opening adds its number of round trips and its requests to a file, if the environment variable ZARR_COLD_OPEN_LOG
names one."""

import os

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
import zarr_s3
from osgeo import gdal, osr
from zarr_eopf import EPSG, make_s2
from zarr_gdal import config_options, open_raster
from zarr_http import Served
from zarr_ome import add_image, add_labels, make_image
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

DELAY = 0.25  # delay of each answer of the server in seconds
UTM = (600000, 10, 0, 5000000, 0, -10)
SIDE, LEVELS = 32, 3
REFLECTANCE = "measurements/reflectance"


@pytest.fixture(autouse=True)
def with_pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


# ---------------------------------------------------------------------------------------------
# Stores that are opened


def ome_image(folder):
    """Writes an image with labels as writers of OME-NGFF 0.4 do, without dimension names."""
    root = zarr.open_group(str(folder / "image.zarr"), mode="w")
    add_image(root, "", levels=LEVELS)
    add_labels(root, ["cells", "nuclei"])


def image_of_channels(folder):
    make_image(folder, ("0", "1"), axes="tczyx")


def levels(side=SIDE):
    """Returns arrays for make_store(): the levels "0", "1", ... of a pyramid, each with a geotransform in its
    attributes."""
    arrays = {}
    for level in range(LEVELS):
        pixel = UTM[1] * 2**level
        transform = [pixel, 0, UTM[0], 0, -pixel, UTM[3]]
        attrs = {"spatial:transform": transform, "spatial:dimensions": ["y", "x"]}
        values = np.full((side >> level, side >> level), level + 1, "u2")
        arrays[str(level)] = {"values": values, "dims": ("y", "x"), "attrs": attrs}
    return arrays


def layout(names, crs=True):
    assets = [{"asset": name} for name in names]
    for before, asset in zip(names, assets[1:]):
        asset |= {"derived_from": before, "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]}}
    stated = {"proj:code": f"EPSG:{EPSG}"} if crs else {}
    return {"multiscales": {"layout": assets, "resampling_method": "average"}, **stated}


def arrays(folder, consolidated=False):
    """Writes a pyramid by the Zarr convention "multiscales". The levels are arrays."""
    make_store(folder, levels(), layout([str(k) for k in range(LEVELS)]), "arrays.zarr", consolidated)


def axes(side, step, group, names="yx"):
    """Returns the coordinate arrays of a raster. Their values are the centres of pixels."""
    starts = {names[0]: UTM[3] - step / 2, names[1]: UTM[0] + step / 2}
    steps = {names[0]: -step, names[1]: step}
    return {
        f"{group}{name}": {"values": starts[name] + steps[name] * np.arange(side), "dims": (name,)}
        for name in names
    }


def coordinates(folder, consolidated=False):
    """Writes a pyramid whose levels are arrays, each in a group with coordinates and a grid mapping."""
    content = {}
    for level in range(LEVELS):
        side, step = SIDE >> level, UTM[1] * 2**level
        dem = np.full((side, side), level + 1, "u2")
        content[f"{level}/dem"] = {"values": dem, "dims": "yx", "attrs": {"grid_mapping": "spatial_ref"}}
        wkt = osr.SpatialReference()
        wkt.ImportFromEPSG(EPSG)
        content[f"{level}/spatial_ref"] = {"values": 0, "attrs": {"crs_wkt": wkt.ExportToWkt()}}
        content |= axes(side, step, f"{level}/")
    paths = [f"{level}/dem" for level in range(LEVELS)]
    make_store(folder, content, layout(paths, crs=False), "coordinates.zarr", consolidated)


def groups(folder, consolidated=False):
    """Writes a pyramid whose levels are groups. Only a listing of such a group shows the names of its
    arrays."""
    coordinates(folder)
    root = zarr.open_group(str(folder / "coordinates.zarr"), mode="r+")
    root.attrs.update(layout([str(level) for level in range(LEVELS)], crs=False))
    if consolidated:
        zarr.consolidate_metadata(str(folder / "coordinates.zarr"))


def overviews(folder):
    """Writes a raster, whose overviews this driver builds."""
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(str(folder / "overviews.zarr"), SIDE * 8, SIDE * 8)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(EPSG)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform(UTM)
    dataset.BuildOverviews("NEAREST", [2, 4])


def product(folder):
    """Writes a Sentinel-2 product in the layout of EOPF."""
    make_s2(folder, "product.zarr")


def product_pyramid(folder, on_arrays=True):
    """Writes a Sentinel-2 product whose group of reflectances describes its resolutions as a pyramid. With
    `on_arrays`, the bands have geotransform attributes in addition to coordinates."""
    store = make_s2(folder, "product_pyramid.zarr", consolidated=False, on_arrays=on_arrays)
    zarr.open_group(str(store / REFLECTANCE), mode="r+").attrs.update(layout(["r10m", "r20m", "r60m"]))
    zarr.consolidate_metadata(str(store))


# case -> (function that makes the store, path of the node to open)
CASES = {
    "ome": (ome_image, ""),
    "ome, channels": (image_of_channels, ""),
    "ome, label": (ome_image, "labels/cells"),
    "layout": (arrays, ""),
    "layout, coordinates": (coordinates, ""),
    "layout, level": (coordinates, "0/dem"),
    "layout, consolidated": (lambda folder: arrays(folder, True), ""),
    "layout, coordinates, consolidated": (lambda folder: coordinates(folder, True), ""),
    "layout, groups, consolidated": (lambda folder: groups(folder, True), ""),
    "overviews": (overviews, ""),
    "eopf": (product, ""),
    "eopf, group": (product, f"{REFLECTANCE}/r10m"),
    "eopf, band": (product, f"{REFLECTANCE}/r10m/b02"),
    "eopf, pyramid": (product_pyramid, REFLECTANCE),
    "eopf, pyramid by coordinates": (lambda folder: product_pyramid(folder, False), REFLECTANCE),
}
# Cases in which opening requires a listing of the group
LISTED = {"layout, groups": (groups, "")}
each_case = pytest.mark.parametrize("case", CASES)


def make(folder, case):
    """Makes the store of a case. Returns its folder and the path of the node to open."""
    build, node = (CASES | LISTED)[case]
    build(folder)
    (store,) = folder.glob("*.zarr")
    return store, node


def name_of(store, node):
    return f'ZARR:"{store}":/{node}'


def facts_of(dataset):
    """Returns the properties of a dataset that programs usually read before the pixels."""
    srs = dataset.GetSpatialRef()
    band = dataset.GetRasterBand(1)
    levels = band.GetOverviewCount() if band else 0
    return {
        "size": (dataset.RasterXSize, dataset.RasterYSize, dataset.RasterCount),
        "levels": [(band.GetOverview(i).XSize, band.GetOverview(i).YSize) for i in range(levels)],
        "geotransform": dataset.GetGeoTransform(can_return_null=True),
        "srs": srs and srs.ExportToWkt(),
        "subdatasets": [text for _, text in dataset.GetSubDatasets()],
    }


def open_cold(front, name, case):
    """Opens a store on the server `front`, which delays its answers. Returns the result of facts_of(), the requests,
    and the number of round trips."""
    front.rule(delay=DELAY)
    front.log()
    facts = facts_of(open_raster(name))
    log = front.log()
    front.rule(delay=0)
    file = os.environ.get("ZARR_COLD_OPEN_LOG")
    if file:
        version = "v3" if zarr_formats.is_v3() else "v2"
        with open(file, "a", encoding="utf-8") as out:
            there = "s3" if "s3://" in name else "http"
            print(f"{there} {version} {case}: {log['in_turn']}, {len(log['requests'])}", file=out)
            for method, path, extent, status in log["requests"]:
                print("   ", method, path, extent or "", status, file=out)
    return facts, log["requests"], log["in_turn"]


def most_round_trips(case):
    is_old_pyramid = not zarr_formats.is_v3() and case.startswith(("ome", "layout"))
    # In Zarr v2, the driver lists a folder only after it has found no metadata document of an array there. The listing
    # takes another round trip.
    return 3 + is_old_pyramid + (case in LISTED and not zarr_formats.is_v3())


@each_case
def test_over_http(tmp_path, case):
    store, node = make(tmp_path, case)
    wanted = facts_of(open_raster(name_of(store, node)))
    with Served(tmp_path) as server:
        url = f"{server.url}/{store.name}"
        facts, requests, round_trips = open_cold(server, name_of(url, node), case)
    assert facts == wanted
    assert round_trips <= most_round_trips(case), requests
    assert len(requests) == len(set(map(tuple, requests))), requests


def test_overviews_name_the_arrays_of_a_group(tmp_path):
    """A server does not list folders. Without consolidated metadata, the description of overviews names the arrays."""
    options = ["SINGLE_ARRAY=NO", "CREATE_CONSOLIDATED_METADATA=NO"]
    dataset = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 64, 48, 3, gdal.GDT_Byte, options)
    dataset.WriteArray(np.arange(3 * 48 * 64, dtype="u1").reshape(3, 48, 64))
    assert dataset.BuildOverviews("NEAREST", [2, 4]) == 0
    del dataset
    wanted = facts_of(open_raster(str(tmp_path / "a.zarr")))
    assert wanted["size"][2] == 3 and len(wanted["levels"]) == 2
    with Served(tmp_path) as server:
        facts, _, round_trips = open_cold(server, name_of(f"{server.url}/a.zarr", ""), "overviews, listed")
    # A store that cannot be listed has no subdatasets.
    assert facts == {**wanted, "subdatasets": []}
    assert round_trips <= (4 if zarr_formats.is_v3() else 6)


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with zarr_s3.S3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.mark.parametrize("case", CASES | LISTED)
@pytest.mark.slow
def test_over_s3(tmp_path, s3, case):
    store, node = make(tmp_path, case)
    wanted = facts_of(open_raster(name_of(store, node)))
    at = f"{os.urandom(4).hex()}/{store.name}"
    s3.upload(store, at)
    gdal.VSICurlClearCache()
    facts, requests, round_trips = open_cold(s3.front, name_of(f"s3://demo/{at}", node), case)
    assert facts == wanted
    assert round_trips <= most_round_trips(case), requests
