# SPDX-License-Identifier: MIT
"""Opening a local store calls stat() at most once for each path, and opens each metadata document once."""

import collections
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options
from zarr_ome import make_image
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

# Files that the driver may open: metadata documents of the store, and pam.aux.xml, which GDAL reads.
LAST_NAMES = re.compile(r"/(zarr\.json|\.z[a-z]+|pam\.aux\.xml)$|\.zarr$")

# Only the calls of the second opening are counted, because a process does some look-ups only once.
SCRIPT = """
import os, sys
from osgeo import gdal
gdal.UseExceptions()
for i in range(2):
    os.path.exists(f"/ROUND{i}")
    gdal.OpenEx(sys.argv[1])
"""


def calls_below(store, name=None):
    """Opens a store twice under strace. Returns a counter {("stat" or "open", path): number of calls} of the second
    opening."""
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=%file", sys.executable, "-c", SCRIPT]
    command.append(name or store)
    with config_options(GDAL_DRIVER_PATH=os.environ["GDAL_DRIVER_PATH"]):
        run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    counts = collections.Counter()
    for line in run.stderr.partition('"/ROUND1"')[2].splitlines():
        call, _, rest = line.partition("(")
        if f'"{store}/' in rest:
            kind = "open" if "open" in call else "stat"
            counts[kind, rest.split('"')[1]] += 1
    return counts


def rasters(folder, consolidated, groups=("",)):
    arrays = {}
    for group in groups:
        for name in ("a", "b", "c"):
            arrays[group + name] = {"values": np.ones((4, 6), "f4"), "dims": ["y", "x"]}
        arrays[group + "y"] = {"values": np.arange(4.0), "dims": ["y"]}
        arrays[group + "x"] = {"values": np.arange(6.0), "dims": ["x"]}
    return str(make_store(folder, arrays, consolidated=consolidated))


@pytest.mark.parametrize("consolidated", [False, True])
def test_arrays_of_a_group(tmp_path, consolidated):
    counts = calls_below(rasters(tmp_path, consolidated))
    assert counts and max(counts.values()) == 1, counts.most_common(5)


@pytest.mark.parametrize("consolidated", [False, True])
def test_array_by_its_name(tmp_path, consolidated):
    store = rasters(tmp_path, consolidated)
    counts = calls_below(store, f'ZARR:"{store}":/a')
    assert counts and max(counts.values()) == 1, counts.most_common(5)


@pytest.mark.parametrize("consolidated", [False, True])
def test_product_of_several_groups(tmp_path, consolidated):
    counts = calls_below(rasters(tmp_path, consolidated, ["r10m/", "r20m/", "quality/"]))
    assert counts and max(counts.values()) == 1, counts.most_common(5)


def test_levels_of_an_image(tmp_path):
    store = str(make_image(tmp_path, ["0", "1", "2"])[0])
    counts = calls_below(store)
    assert counts and max(counts.values()) == 1, counts.most_common(5)


def test_overviews_are_not_looked_at_before_they_are_asked_for(tmp_path):
    """Opening a raster reads neither its overviews nor the chunks that show whether the overviews are outdated. The
    driver reads them when a program requests overviews."""
    arrays = {
        "a": {"values": np.ones((64, 96), "f4"), "dims": ["y", "x"]},
        "y": {"values": np.arange(64.0), "dims": ["y"]},
        "x": {"values": np.arange(96.0), "dims": ["x"]},
    }
    store = str(make_store(tmp_path, arrays))
    assert gdal.OpenEx(store, gdal.OF_RASTER | gdal.OF_UPDATE).BuildOverviews("NEAREST", [2, 4]) == 0
    opened = [path for kind, path in calls_below(store) if kind == "open"]
    assert opened and all(LAST_NAMES.search(path) for path in opened), opened
    levels = [path for path in opened if path.count("/") > store.count("/") + 2]
    assert levels == [], levels
    dataset = gdal.OpenEx(store)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 2
