# SPDX-License-Identifier: MIT
"""Opens nodes with invalid metadata by the multidimensional API. Opening an invalid node is an error; valid nodes still
open."""

import json
import re
import subprocess

import netCDF4
import numpy as np
import pytest
import zarr3
import zarr_formats
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr_store import GOOD, good_values, group, handmade

pytestmark = zarr_formats.BOTH

# name -> (changes to a valid metadata document of Zarr v2, changes to one of Zarr v3, pattern of the error). A text in
# place of changes replaces the whole document.
BROKEN = {
    "no JSON": ("{nonsense", "{nonsense", r"\.zarray|zarr\.json"),
    "nothing": ("", "", r"\.zarray|zarr\.json"),
    "no such codec": (
        {"compressor": {"id": "lolzip"}}, {"codecs": [zarr3.LITTLE, {"name": "lolzip"}]}, "lolzip",
    ),
    "no such dtype": ({"dtype": "<q9"}, {"data_type": "q9"}, "q9"),
    "no shape": ({"shape": ...}, {"shape": ...}, "shape"),
}  # fmt: skip


def broken(store, case, path=""):
    """Writes an array that consists only of an invalid metadata document. Returns the array's folder."""
    is_v3 = zarr_formats.is_v3()
    text = BROKEN[case][is_v3]
    if not isinstance(text, str):
        sound = zarr3.document((4, 6), "int16", (2, 3)) if is_v3 else GOOD
        changed = {**sound, **text}
        text = json.dumps({name: value for name, value in changed.items() if value is not ...})
    folder = store / path
    folder.mkdir(parents=True)
    (folder / ("zarr.json" if is_v3 else ".zarray")).write_text(text)
    return folder


def run(*command):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, timeout=120, check=False, text=True
    )
    assert done.returncode >= 0, done.stderr
    return done


def mixed(folder, case="no such codec"):
    """Writes a store with the invalid array "bad" and three valid arrays."""
    store = group(folder / "s.zarr")
    handmade(store, path="a_good", attrs={"_ARRAY_DIMENSIONS": ["y", "x"]})
    broken(store, case, "bad")
    handmade(store, path="g/z_good")
    group(store, "g")
    handmade(store, path="z_good", attrs={"_ARRAY_DIMENSIONS": ["y", "x"]})
    return store


@pytest.mark.parametrize("update", [0, gdal.OF_UPDATE])
@pytest.mark.parametrize("as_store", [True, False])
@pytest.mark.parametrize("case", BROKEN)
def test_opening_a_broken_array_is_an_error(tmp_path, cpl, case, as_store, update):
    if as_store:
        name = str(broken(tmp_path / "s.zarr", case))
    else:
        name = f'ZARR:"{mixed(tmp_path, case)}":/bad'
    assert gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER | update) is None
    assert re.search(BROKEN[case][2], cpl.the_error()) and "s.zarr" in cpl.the_error()


@pytest.mark.parametrize("case", ["no JSON", "no such codec"])
@pytest.mark.slow
def test_gdals_programs_fail_for_a_broken_array(tmp_path, case):
    alone = broken(tmp_path / "alone.zarr", case)
    inside = f'ZARR:"{mixed(tmp_path, case)}":/bad'
    for name in (alone, inside):
        done = run("gdalmdimtranslate", name, tmp_path / "o.nc")
        assert done.returncode != 0 and re.search(BROKEN[case][2], done.stderr)
        assert not (tmp_path / "o.nc").exists()
        done = run("gdalmdiminfo", name)
        assert done.returncode != 0 and re.search(BROKEN[case][2], done.stderr)


def test_gdals_programs_name_the_fault_of_the_array(tmp_path):
    store = mixed(tmp_path)
    done = run("gdalmdimtranslate", "-array", "bad", store, tmp_path / "o.nc")
    assert done.returncode != 0 and "lolzip" in done.stderr
    # The exit code is not asserted, because gdalmdiminfo before GDAL 3.11 always returns 0.
    assert "lolzip" in run("gdalmdiminfo", "-array", "bad", store).stderr


@pytest.mark.parametrize("update", [0, gdal.OF_UPDATE])
def test_siblings_of_a_broken_array_open(tmp_path, cpl, update):
    """An invalid array is listed, and opening it gives its error. Valid arrays open."""
    dataset = gdal.OpenEx(str(mixed(tmp_path)), gdal.OF_MULTIDIM_RASTER | update)
    root = dataset.GetRootGroup()
    assert root.GetMDArrayNames() == ["a_good", "bad", "z_good"]
    cpl.assert_quiet()
    assert root.OpenMDArray("bad") is None
    assert "lolzip" in cpl.the_error()
    cpl.clear()
    for name in ("/a_good", "/z_good", "/g/z_good"):
        array = root.OpenMDArrayFromFullname(name)
        zarr_gdal.assert_same(array.ReadAsArray(), good_values())
    cpl.assert_quiet()


@pytest.mark.parametrize("target", ["o.nc", "o.zarr"])
def test_a_store_is_copied_without_the_broken_array(tmp_path, target):
    done = run("gdalmdimtranslate", "-q", mixed(tmp_path), tmp_path / target)
    assert "lolzip" in done.stderr
    if target == "o.nc":
        with netCDF4.Dataset(tmp_path / target) as dataset:
            assert sorted(dataset.variables) == ["a_good", "z_good"]
            assert list(dataset["g"].variables) == ["z_good"]
            np.testing.assert_array_equal(dataset["z_good"][...].data, good_values())
    else:
        root = zarr_mdim.open_group(tmp_path / target)
        assert root.GetMDArrayNames() == ["a_good", "z_good"]
        zarr_gdal.assert_same(root.OpenMDArray("a_good").ReadAsArray(), good_values())
