# SPDX-License-Identifier: MIT
"""Full names in the multidimensional API. Each full name belongs to one object, and opens it from the root
group, even if the dataset is a group or an array below the store's root."""

import json
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
LAT, LON = np.linspace(60, 30, 4), np.linspace(0, 40, 5)
VALUES = np.arange(20, dtype="f4").reshape(4, 5)
FLAT = {"values": VALUES, "dims": ["lat", "lon"]}


def tree(folder, consolidated=False, **more):
    """Writes a store with coordinates in the root group, and with arrays in the groups "sub" and "sub/deep"
    that use them."""
    arrays = {
        "lat": {"values": LAT, "dims": ["lat"], "attrs": {"units": "degrees_north"}},
        "lon": {"values": LON, "dims": ["lon"], "attrs": {"units": "degrees_east"}},
        "unused": {"values": LON, "dims": ["unused"]},
        "sub/var": FLAT,
        "sub/deep/var": {"values": VALUES[0], "dims": ["lon"]},
        **more,
    }  # fmt: skip
    return make_store(folder, arrays, consolidated=consolidated)


def names_below(store, node):
    return [f'ZARR:"{store}":/{node}', str(store / node)]


def all_dimensions(group):
    found = list(group.GetDimensions() or [])
    for name in group.GetMDArrayNames() or []:
        found += group.OpenMDArray(name).GetDimensions()
    for name in group.GetGroupNames() or []:
        found += all_dimensions(group.OpenGroup(name))
    return found


def assert_names_open(root):
    """Asserts that the full name of each dimension and of each indexing variable opens exactly that object.
    Returns {full name: dimension}."""
    seen = {}
    for dimension in all_dimensions(root):
        full = dimension.GetFullName()
        if not full.startswith("/"):
            continue
        other = seen.setdefault(full, dimension)
        assert (other.GetSize(), other.GetName()) == (dimension.GetSize(), dimension.GetName())
        variable = dimension.GetIndexingVariable()
        if variable is not None:
            opened = root.OpenMDArrayFromFullname(variable.GetFullName())
            assert opened is not None, variable.GetFullName()
            zarr_gdal.assert_same(opened.ReadAsArray(), variable.ReadAsArray())
    return seen


def translate(source, target, *options):
    """Runs gdalmdimtranslate. Returns what it prints to standard error."""
    done = subprocess.run(
        ["gdalmdimtranslate", "-q", *options, str(source), str(target)],
        capture_output=True, timeout=120, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


# -------------------------------------------------------------------------------------------------
# Datasets that are groups or arrays below the root


@pytest.mark.parametrize("update", [0, gdal.OF_UPDATE])
@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("form", [0, 1])
def test_a_group_shows_the_coordinates_of_groups_above(tmp_path, cpl, form, consolidated, update):
    name = names_below(tree(tmp_path, consolidated), "sub")[form]
    root = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER | update).GetRootGroup()
    assert root.GetMDArrayNames() == ["var", "lat", "lon"]
    assert {d.GetFullName(): d.GetSize() for d in root.GetDimensions()} == {"/lat": 4, "/lon": 5}
    zarr_gdal.assert_same(root.OpenMDArray("lat").ReadAsArray(), LAT)
    zarr_gdal.assert_same(root.OpenMDArrayFromFullname("/lon").ReadAsArray(), LON)
    zarr_gdal.assert_same(root.ResolveMDArray("lat", "/deep").ReadAsArray(), LAT)
    deep = root.OpenMDArrayFromFullname("/deep/var")
    assert zarr_mdim.is_same(deep.GetDimensions()[0], root.OpenMDArray("lon").GetDimensions()[0])
    assert root.OpenGroup("deep").GetMDArrayNames() == ["var"]
    assert set(assert_names_open(root)) == {"/lat", "/lon"}
    cpl.assert_quiet()


@pytest.mark.parametrize("form", [0, 1])
def test_an_array_shows_its_coordinates(tmp_path, cpl, form):
    root = zarr_mdim.open_group(names_below(tree(tmp_path), "sub/var")[form])
    assert root.GetMDArrayNames() == ["var", "lat", "lon"]
    assert set(assert_names_open(root)) == {"/lat", "/lon"}
    assert root.OpenMDArray("nope") is None and root.OpenGroup("deep") is None
    cpl.assert_quiet()


def test_an_unused_array_above_opens_by_name(tmp_path, cpl):
    """An array of a parent group opens by its name, as in CF. It is listed only if a listed array uses it."""
    root = zarr_mdim.open_group(names_below(tree(tmp_path), "sub")[0])
    zarr_gdal.assert_same(root.OpenMDArray("unused").ReadAsArray(), LON)
    assert root.OpenGroup("deep").OpenMDArray("unused") is None
    assert root.OpenMDArray("nope") is None and root.OpenMDArray("lat_2") is None
    cpl.assert_quiet()


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("node", ["sub", "sub/var"])
@pytest.mark.parametrize("options", [[], ["-array", "/var"], ["-array", "var"]])
def test_translating_keeps_coordinates(tmp_path, node, options, consolidated):
    store = tree(tmp_path, consolidated)
    for i, name in enumerate(names_below(store, node)):
        complaints = translate(name, tmp_path / f"{i}.nc", *options)
        assert "ERROR" not in complaints
        with xr.open_dataset(tmp_path / f"{i}.nc") as dataset:
            assert dataset["var"].dims == ("lat", "lon") and dataset.sizes == {"lat": 4, "lon": 5}
            np.testing.assert_array_equal(dataset["var"].values, VALUES)
            np.testing.assert_array_equal(dataset["lat"].values, LAT)
            np.testing.assert_array_equal(dataset["lon"].values, LON)


def test_translating_a_group_of_groups(tmp_path):
    """gdalmdimtranslate copies a group with a subgroup to netCDF. The dimensions are stored in the root group, and the
    array of the subgroup uses them."""
    translate(names_below(tree(tmp_path), "sub")[0], tmp_path / "o.nc")
    with netCDF4.Dataset(tmp_path / "o.nc") as dataset:
        assert sorted(dataset.dimensions) == ["lat", "lon"]
        assert not dataset["deep"].dimensions and list(dataset["deep"].variables) == ["var"]


def test_copying_a_group_to_zarr(tmp_path):
    assert translate(names_below(tree(tmp_path), "sub")[0], tmp_path / "o.zarr", "-of", "Zarr") == ""
    root = zarr.open_group(str(tmp_path / "o.zarr"), mode="r")
    assert sorted(root.array_keys()) == ["lat", "lon", "spatial_ref", "var"]
    np.testing.assert_array_equal(root["lat"][...], LAT)
    assert root["deep/var"].attrs["_ARRAY_DIMENSIONS"] == ["lon"]


def test_two_dimensional_coordinates_come_along(tmp_path, cpl):
    grid = {"values": VALUES, "dims": ["y", "x"]}
    swath = {**grid, "attrs": {"coordinates": "lat2 lon2 crs"}}
    store = make_store(tmp_path, {
        "sub/v": swath, "lat2": grid, "sub/lon2": grid, "crs": {"values": np.array(0), "dims": []},
    })  # fmt: skip
    root = zarr_mdim.open_group(names_below(store, "sub")[0])
    assert root.GetMDArrayNames() == ["lon2", "v", "lat2"]
    root = zarr_mdim.open_group(names_below(store, "sub/v")[0])
    assert root.GetMDArrayNames() == ["v", "lat2", "lon2"]
    found = root.OpenMDArray("v").GetCoordinateVariables()
    assert [v.GetFullName() for v in found] == ["/lat2", "/lon2"]
    for variable in found:
        assert zarr_mdim.is_same(root.OpenMDArrayFromFullname(variable.GetFullName()), variable)
    cpl.assert_quiet()


def test_coordinates_above_get_another_name_if_theirs_is_taken(tmp_path, cpl):
    """If the opened group has an array lat, the array lat of a parent group is listed by the name lat_2."""
    own = {"values": np.arange(7.0), "dims": ["lat"]}
    store = tree(tmp_path, **{"sub/lat": own, "sub/own": own})
    root = zarr_mdim.open_group(names_below(store, "sub")[0])
    assert root.GetMDArrayNames() == ["lat", "own", "var", "lat_2", "lon"]
    zarr_gdal.assert_same(root.OpenMDArray("lat").ReadAsArray(), own["values"])
    zarr_gdal.assert_same(root.OpenMDArray("lat_2").ReadAsArray(), LAT)
    var = root.OpenMDArray("var")
    assert [(d.GetName(), d.GetFullName()) for d in var.GetDimensions()] == [
        ("lat_2", "/lat_2"), ("lon", "/lon")
    ]  # fmt: skip
    sizes = {full: d.GetSize() for full, d in assert_names_open(root).items()}
    assert sizes == {"/lat": 7, "/lat_2": 4, "/lon": 5}
    # GDAL's virtual datasets open arrays without listing them first, so lat_2 must open in a new dataset.
    root = zarr_mdim.open_group(names_below(store, "sub")[0])
    zarr_gdal.assert_same(root.OpenMDArrayFromFullname("/lat_2").ReadAsArray(), LAT)
    cpl.assert_quiet()
    for options in ([], ["-array", "var"]):
        translate(names_below(store, "sub")[0], tmp_path / "o.nc", *options)
        with xr.open_dataset(tmp_path / "o.nc") as dataset:
            assert dataset["var"].dims == ("lat_2", "lon")
            np.testing.assert_array_equal(dataset["lat_2"].values, LAT)


def test_changes_from_below(tmp_path, cpl):
    """A dataset that is opened at a group below the root can create and write arrays in this group. It can also write
    arrays of parent groups that it lists, such as coordinates."""
    store = tree(tmp_path)
    dataset = gdal.OpenEx(names_below(store, "sub")[0], gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    root = dataset.GetRootGroup()
    lat, lon = root.OpenMDArray("var").GetDimensions()
    new = root.CreateMDArray("new", [lat, lon], gdal.ExtendedDataType.Create(gdal.GDT_Float32))
    assert new.Write(VALUES + 1) == gdal.CE_None
    assert root.OpenMDArray("lat").Write(LAT + 1) == gdal.CE_None
    del new, lat, lon, root, dataset
    cpl.assert_quiet()
    group = zarr.open_group(str(store), mode="r")
    np.testing.assert_array_equal(group["sub/new"][...], VALUES + 1)
    np.testing.assert_array_equal(group["lat"][...], LAT + 1)


# -------------------------------------------------------------------------------------------------
# Names of dimensions


def test_one_name_several_sizes(tmp_path, cpl):
    """If arrays have dimensions of one name and several sizes, the group's dimension has the size of the coordinate
    array. The order of opening does not matter."""
    store = make_store(tmp_path, {
        "a": {"values": np.zeros((2, 3)), "dims": ["y", "x"]},
        "b": {"values": np.zeros((2, 7)), "dims": ["y", "x"]},
        "c": {"values": np.zeros((2, 9)), "dims": ["y", "x"]},
        "g/d": {"values": np.zeros((2, 9)), "dims": ["y", "x"]},
        "x": {"values": np.arange(7.0), "dims": ["x"]},
    })  # fmt: skip
    root = zarr_mdim.open_group(store)
    with zarr_gdal.error_log():
        full = {
            name: [d.GetFullName() for d in root.OpenMDArrayFromFullname(name).GetDimensions()]
            for name in ("/c", "/a", "/b", "/g/d")
        }
    assert full == {
        "/a": ["/y", "x_3"], "/b": ["/y", "/x"], "/c": ["/y", "x_9"], "/g/d": ["/g/y", "/g/x"]
    }  # fmt: skip
    assert [d.GetName() for d in root.OpenMDArray("c").GetDimensions()] == ["y", "x"]
    listed = {d.GetFullName(): d.GetSize() for d in root.GetDimensions()}
    assert listed == {"/y": 2, "/x": 7}


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_without_coordinates_the_first_keeps_the_name(tmp_path, cpl, order):
    """Arrays have dimensions x of different sizes, and no coordinate arrays. The dimension that is opened first has
    the full name /x until the dataset is closed. The other dimensions have full names like x_7."""
    sizes = {"a": 3, "b": 7, "c": 9}
    store = make_store(tmp_path, {
        name: {"values": np.zeros(size), "dims": ["x"]} for name, size in sizes.items()
    })  # fmt: skip
    root = zarr_mdim.open_group(store)
    for _ in range(2):
        for name in order:
            (dimension,) = root.OpenMDArray(name).GetDimensions()
            wanted = "/x" if name == order[0] else f"x_{sizes[name]}"
            assert (dimension.GetName(), dimension.GetFullName()) == ("x", wanted)
        assert [d.GetSize() for d in root.GetDimensions()] == [sizes[order[0]]]
    cpl.assert_quiet()


def test_a_deleted_arrays_dimension_name_is_free(tmp_path):
    store = make_store(tmp_path, {"a": {"values": np.zeros(3), "dims": ["x"]}})
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    root = dataset.GetRootGroup()
    if not hasattr(root, "DeleteMDArray"):
        pytest.skip("needs GDAL 3.8")
    assert root.OpenMDArray("a").GetDimensions()[0].GetFullName() == "/x"
    assert root.DeleteMDArray("a") == gdal.CE_None
    x = root.CreateDimension("x", "", "", 5)
    assert x is not None and x.GetFullName() == "/x"


PLAIN = {
    "unnamed": {"a": np.zeros((2, 3)), "b": np.zeros((2, 7)), "g/c": np.zeros((4, 3))},
    "conflicting": {"a": {"values": np.zeros((2, 3)), "dims": ["y", "x"]},
                    "b": {"values": np.zeros((2, 7)), "dims": ["y", "x"]}},
    "one": {"a": np.zeros((2, 3))},
}  # fmt: skip


@pytest.mark.parametrize("target", ["o.nc", "o.zarr"])
@pytest.mark.parametrize("case", PLAIN)
def test_translating_a_plain_store_gives_no_error(tmp_path, case, target):
    store = make_store(tmp_path, PLAIN[case])
    assert "ERROR" not in translate(store, tmp_path / target)
    root = zarr_mdim.open_group(store)
    for name in PLAIN[case]:
        source = root.OpenMDArrayFromFullname(f"/{name}")
        if target == "o.nc":
            with netCDF4.Dataset(tmp_path / target) as dataset:
                assert list(dataset[name].shape) == [d.GetSize() for d in source.GetDimensions()]
        else:
            copy = zarr.open_group(str(tmp_path / target), mode="r")[name]
            assert list(copy.shape) == [d.GetSize() for d in source.GetDimensions()]


def test_info_of_unnamed_dimensions_tells_each_size(tmp_path):
    store = make_store(tmp_path, PLAIN["unnamed"])
    done = subprocess.run(["gdalmdiminfo", str(store)], capture_output=True, check=True)
    arrays = json.loads(done.stdout)["arrays"]
    assert arrays["a"]["dimension_size"] == [2, 3] and arrays["b"]["dimension_size"] == [2, 7]
    assert [d["size"] for d in arrays["b"]["dimensions"]] == [2, 7]


# -------------------------------------------------------------------------------------------------
# Names of indexing variables that the driver computes from a geotransform


@pytest.mark.parametrize("node, options", [
    ("", ["-array", "a"]), ("", ["-array", "/a"]), ("a", []), ("a", ["-array", "a"]),
])  # fmt: skip
def test_variables_computed_from_a_geotransform_translate(tmp_path, node, options):
    attrs = {"spatial:transform": [2.0, 0, 100.0, 0, -3.0, 50.0],
             "spatial:dimensions": ["y", "x"], "proj:code": "EPSG:32632"}  # fmt: skip
    store = make_store(tmp_path, {"a": {"values": VALUES, "dims": ["y", "x"], "attrs": attrs}})
    root = zarr_mdim.open_group(f'ZARR:"{store}":/{node}')
    assert set(assert_names_open(root)) == {"/y", "/x"}
    assert root.GetMDArrayNames() == ["a"]
    assert "ERROR" not in translate(f'ZARR:"{store}":/{node}', tmp_path / "o.nc", *options)
    with netCDF4.Dataset(tmp_path / "o.nc") as dataset:
        np.testing.assert_array_equal(dataset["a"][...].data, VALUES)
        if options:
            assert dataset["x"][...].data.tolist() == [101, 103, 105, 107, 109]
            assert dataset["y"][...].data.tolist() == [48.5, 45.5, 42.5, 39.5]


def test_an_unnamed_raster_translates(tmp_path):
    attrs = {"spatial:transform": [2.0, 0, 100.0, 0, -3.0, 50.0], "proj:code": "EPSG:32632"}
    store = make_store(tmp_path, {"a": {"values": VALUES, "attrs": attrs}})
    assert "ERROR" not in translate(store, tmp_path / "o.nc", "-array", "a")
    with netCDF4.Dataset(tmp_path / "o.nc") as dataset:
        np.testing.assert_array_equal(dataset["a"][...].data, VALUES)
