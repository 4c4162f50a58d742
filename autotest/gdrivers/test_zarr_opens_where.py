# SPDX-License-Identifier: MIT
"""The column `ours` of docs/opens_where.md states what this driver does. The test writes the stores, or uses the folder
ZARR_OPENS_WHERE, which docs/opens_where/stores.py has written."""

import json
import os
import pathlib
import shutil
import sys

import pytest
from osgeo import gdal

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "opens_where"
DESCRIBED = json.loads((FOLDER / "results" / "stores.json").read_text(encoding="utf-8"))
NAMES = [store["name"] for store in DESCRIBED]
sys.path.insert(0, str(FOLDER))

import probe
import stores as writer


def version_key(text):
    return [int(part) for part in text.split(".") if part.isdigit()]


def kept_result():
    """Returns the recorded result for this GDAL version. If there is none, returns the result for the newest version
    before it."""
    kept = {path.stem[5:]: path for path in (FOLDER / "results").glob("ours-*.json")}
    running = version_key(gdal.VersionInfo("RELEASE_NAME"))
    versions = sorted(kept, key=version_key)
    older = [version for version in versions if version_key(version) <= running]
    path = kept[older[-1] if older else versions[0]]
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Writes the stores of docs/opens_where.md. Returns their folder and their descriptions from stores.json."""
    folder = tmp_path_factory.mktemp("opens_where") / "stores"
    if "ZARR_OPENS_WHERE" in os.environ:
        shutil.copytree(os.environ["ZARR_OPENS_WHERE"], folder)
    else:
        writer.make(folder)
    return folder, probe.open_stores(folder)


@pytest.mark.slow
def test_the_stores_are_those_of_the_page(made):
    """The stores are those that docs/opens_where.md describes. Their writers are not compared, because versions of
    writers differ."""
    told = [{**each, "writer": None} for each in DESCRIBED]
    assert [{**each, "writer": None} for each in writer.descriptions(made[1])] == told


@pytest.mark.parametrize("name", NAMES)
def test_opens_as_the_page_says(name, made):
    folder, listed = made
    number = NAMES.index(name)
    assert listed[number]["name"] == name
    assert probe.measure("ours", folder, number, listed[number]) == kept_result()["stores"][name]


@pytest.mark.slow
def test_a_probe_finds_what_is_wrong(made):
    """docs/opens_where/probe.py reports each wrong property in the description of a store: shape, geotransform, CRS and
    number of overviews. A nodata value that the store lacks is reported as missing."""
    folder, listed = made
    store = json.loads(json.dumps(listed[NAMES.index("ndpyramid")]))
    store["arrays"] = store["arrays"][:1]
    store["facts"].update(geotransform=[0, 1, 0, 0, 0, -1], overviews=5, nodata=8)
    store["facts"]["crs"]["points"][0][2] += 0.001
    assert probe.measure("ours", folder, NAMES.index("ndpyramid"), store)["verdict"] == "yes"
    other = folder / "other"
    other.mkdir()
    for path in ("ndpyramid.zarr", "expected"):
        (other / path).symlink_to(folder / path)
    store["arrays"][0]["file"] = "expected/ndpyramid-1-tavg.npy"
    (other / "stores.json").write_text(json.dumps([store]), encoding="utf-8")
    answer = probe.measure("ours", other, 0, store)
    assert answer["verdict"] == "wrong"
    assert answer["missing"] == ["no nodata"]
    told = " ".join(answer["wrong"])
    assert all(word in told for word in ("shape", "geotransform", "CRS is not", "overviews is 2"))
