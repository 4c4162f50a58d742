# SPDX-License-Identifier: MIT
"""Compares the output of gdalmdiminfo for the sample stores with the values that zarr-python reads."""

import json
import pathlib
import subprocess

import numpy as np
import pytest
import zarr_python as zarr
from osgeo import osr

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
SAMPLES = ("terrain", "temperature", "satellite_rgb", "product")
each_sample = pytest.mark.parametrize("name", SAMPLES)

TYPES = {"i2": "Int16", "i4": "Int32", "i8": "Int64", "u1": "Byte", "u2": "UInt16",
         "f4": "Float32", "f8": "Float64", "U": "String"}  # fmt: skip
HIDDEN = {"_ARRAY_DIMENSIONS", "_FillValue", "units", "scale_factor", "add_offset"}
AXES = {"x": ("HORIZONTAL_X", "EAST"), "lon": ("HORIZONTAL_X", "EAST"),
        "y": ("HORIZONTAL_Y", "NORTH"), "lat": ("HORIZONTAL_Y", "NORTH"),
        "time": ("TEMPORAL", "FUTURE"), "band": (None, None)}  # fmt: skip
EPSG = {"temperature": "4326"}


def info(name, *options):
    """Runs gdalmdiminfo, asserts that it prints no error, and returns its JSON output."""
    command = ["gdalmdiminfo", *options, str(DATA / f"{name}.zarr")]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stderr == b"", done.stderr.decode()
    return json.loads(done.stdout)


def nodes(answer, path=""):
    """Yields (path, "group" or "array", its part of gdalmdiminfo's output) for each group and array."""
    yield path, "group", answer
    for name, array in answer.get("arrays", {}).items():
        yield f"{path}/{name}".lstrip("/"), "array", array
    for name, group in answer.get("groups", {}).items():
        yield from nodes(group, f"{path}/{name}".lstrip("/"))


def opened(name):
    return zarr.open_group(str(DATA / f"{name}.zarr"), mode="r")


@each_sample
def test_every_group_and_array_is_listed(name):
    wanted = {("", "group")}
    for path, node in opened(name).members(max_depth=None):
        wanted.add((path, "array" if isinstance(node, zarr.Array) else "group"))
    answer = info(name)
    assert answer["driver"] == "Zarr" and answer["type"] == "group" and answer["name"] == "/"
    assert {(path, kind) for path, kind, _ in nodes(answer)} == wanted


@each_sample
def test_arrays_are_described(name):
    store = opened(name)
    for path, kind, said in nodes(info(name)):
        if kind != "array":
            continue
        array = store[path]
        dtype = array.dtype
        assert said["datatype"] == TYPES["U" if dtype.kind == "U" else dtype.str[1:]], path
        assert said.get("dimension_size", []) == list(array.shape), path
        assert said.get("block_size", []) == list(array.chunks), path
        structure = said.get("structural_info", {})
        document = json.loads((DATA / f"{name}.zarr" / path / ".zarray").read_text())
        assert json.loads(structure.get("COMPRESSOR", "null")) == document["compressor"], path
        assert json.loads(structure.get("FILTERS", "null")) == document["filters"], path


@each_sample
def test_attributes_are_complete(name):
    store = opened(name)
    for path, kind, said in nodes(info(name)):
        node = store[path] if path else store
        wanted = dict(node.attrs)
        if kind == "array":
            assert said.get("unit") == wanted.get("units"), path
            assert said.get("scale") == wanted.get("scale_factor"), path
            assert said.get("offset") == wanted.get("add_offset"), path
            wanted = {key: value for key, value in wanted.items() if key not in HIDDEN}
        assert said.get("attributes", {}) == wanted, path


@each_sample
def test_nodata(name):
    store = opened(name)
    for path, kind, said in nodes(info(name)):
        if kind != "array":
            continue
        wanted = store[path].attrs.get("_FillValue", store[path].fill_value)
        is_coordinate = store[path].ndim < 2  # arrays of fewer than two dimensions are coordinates in the samples
        if store[path].dtype.kind == "U" or wanted is None or is_coordinate:
            assert "nodata_value" not in said, path
        elif np.isnan(float(wanted)):
            assert said["nodata_value"] == "NaN", path
        else:
            assert said["nodata_value"] == wanted, path


@each_sample
def test_dimensions_are_shared_in_their_group(name):
    store = opened(name)
    for path, kind, said in nodes(info(name)):
        if kind == "group":
            for dimension in said.get("dimensions", []):
                axis = (dimension.get("type"), dimension.get("direction"))
                assert axis == AXES[dimension["name"]], dimension
                full_name = "/".join([""] + ([path] if path else []) + [dimension["name"]])
                assert dimension["full_name"] == full_name
                variable = dimension["indexing_variable"]  # full name of the variable, or its description in newer GDAL
                assert variable == full_name or list(variable) == [dimension["name"]]
                assert dimension["size"] == store[full_name].shape[0]
            continue
        group = "/" + path.rpartition("/")[0]
        names = store[path].attrs["_ARRAY_DIMENSIONS"]
        wanted = [f"{group.rstrip('/')}/{dimension}" for dimension in names]
        assert said.get("dimensions", []) == wanted, path


@each_sample
def test_crs(name):
    store = opened(name)
    rasters = 0
    for path, kind, said in nodes(info(name)):
        if kind != "array":
            continue
        if store[path].ndim < 2:
            assert "srs" not in said, path
            continue
        rasters += 1
        srs = osr.SpatialReference(said["srs"]["wkt"])
        wanted = osr.SpatialReference()
        wanted.ImportFromEPSG(int(EPSG.get(name, "32632")))
        assert srs.IsSame(wanted), path
        rank = store[path].ndim  # X is the last dimension, Y the one before
        latitude_first = name == "temperature"
        axes = [rank - 1, rank] if latitude_first else [rank, rank - 1]
        assert said["srs"]["data_axis_to_srs_axis_mapping"] == axes, path
    assert rasters >= 1


@each_sample
def test_detailed_values(name):
    store = opened(name)
    compared = 0
    for path, kind, said in nodes(info(name, "-detailed")):
        if kind != "array" or store[path].ndim == 0 or store[path].size > 50000:
            continue
        values = np.array(said["values"])
        wanted = store[path][...]
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(values.astype("f8"), wanted, rtol=1e-6)
        else:
            np.testing.assert_array_equal(values, wanted)
        compared += 1
    assert compared >= 2
