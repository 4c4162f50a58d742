# SPDX-License-Identifier: MIT
"""Dimensions in the multidimensional API: the arrays that share them, their types and directions, and their indexing
variables."""

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from zarr_store import handmade, make_store

pytestmark = zarr_formats.BOTH
TIME = {"values": np.arange(2.0), "dims": ["time"],
        "attrs": {"standard_name": "time", "units": "days since 2000-01-01"}}  # fmt: skip
LEVEL = {"values": np.array([1000.0, 500.0, 10.0]), "dims": ["level"],
         "attrs": {"positive": "down", "units": "hPa"}}  # fmt: skip
LAT = {"values": np.linspace(60, 30, 4), "dims": ["lat"],
       "attrs": {"standard_name": "latitude", "units": "degrees_north"}}  # fmt: skip
LON = {"values": np.linspace(0, 40, 5), "dims": ["lon"],
       "attrs": {"standard_name": "longitude", "units": "degrees_east"}}  # fmt: skip
CUBE = np.arange(120, dtype="f4").reshape(2, 3, 4, 5)
ALL_DIMS = ["time", "level", "lat", "lon"]


def climate(folder, **more):
    arrays = {
        "t": {"values": CUBE, "dims": ALL_DIMS, "attrs": {"units": "K"}},
        "ps": {"values": CUBE[:, 0], "dims": ["time", "lat", "lon"]},
        "time": TIME, "level": LEVEL, "lat": LAT, "lon": LON, **more,
    }  # fmt: skip
    return make_store(folder, arrays)


def described(dimensions):
    return [(d.GetFullName(), d.GetSize(), d.GetType(), d.GetDirection()) for d in dimensions]


CF = [
    ("/time", 2, "TEMPORAL", "FUTURE"), ("/level", 3, "VERTICAL", "DOWN"),
    ("/lat", 4, "HORIZONTAL_Y", "NORTH"), ("/lon", 5, "HORIZONTAL_X", "EAST"),
]  # fmt: skip


def test_cf(tmp_path, cpl):
    root = zarr_mdim.open_group(climate(tmp_path))
    assert described(root.OpenMDArray("t").GetDimensions()) == CF
    assert described(root.OpenMDArray("ps").GetDimensions()) == [CF[0], CF[2], CF[3]]
    cpl.assert_quiet()


def test_positive_up(tmp_path):
    height = {"values": np.arange(3.0), "dims": ["level"], "attrs": {"positive": "up"}}
    root = zarr_mdim.open_group(climate(tmp_path, level=height))
    assert described(root.OpenMDArray("t").GetDimensions())[1] == ("/level", 3, "VERTICAL", "UP")


def test_group_lists_its_dimensions(tmp_path, cpl):
    root = zarr_mdim.open_group(climate(tmp_path))
    assert sorted(described(root.GetDimensions())) == sorted(CF)
    cpl.assert_quiet()


def test_shared_between_arrays(tmp_path):
    root = zarr_mdim.open_group(climate(tmp_path))
    t, ps, lat = (root.OpenMDArray(name) for name in ("t", "ps", "lat"))
    of_t, of_ps = t.GetDimensions(), ps.GetDimensions()
    assert zarr_mdim.is_same(of_t[2], of_ps[1]) and zarr_mdim.is_same(of_t[0], of_ps[0])
    assert not zarr_mdim.is_same(of_t[1], of_ps[1])
    assert zarr_mdim.is_same(of_t[2], lat.GetDimensions()[0])
    listed = {d.GetName(): d for d in root.GetDimensions()}
    assert zarr_mdim.is_same(listed["lon"], of_t[3])


def test_shared_with_groups_above(tmp_path):
    """Arrays of a subgroup share the dimensions of groups above it."""
    store = climate(tmp_path, **{"a/b/x": {"values": CUBE[0, 0], "dims": ["lat", "lon"]}})
    root = zarr_mdim.open_group(store)
    x, t = root.OpenMDArrayFromFullname("/a/b/x"), root.OpenMDArray("t")
    assert described(x.GetDimensions()) == CF[2:]
    deep, above = x.GetDimensions(), t.GetDimensions()
    assert zarr_mdim.is_same(deep[0], above[2]) and zarr_mdim.is_same(deep[1], above[3])
    assert (root.OpenGroupFromFullname("/a/b").GetDimensions() or []) == []


def test_the_nearest_coordinate_array_gives_the_dimension(tmp_path):
    """The coordinate array of a dimension is the nearest array with its name and size, in the array's group or in a
    group above. Arrays of another size are skipped."""
    own = {"values": np.arange(5.0) + 100, "dims": ["lon"], "attrs": LON["attrs"]}
    other = {"values": np.arange(9.0), "dims": ["lat"], "attrs": LAT["attrs"]}
    store = climate(
        tmp_path,
        **{"g/x": {"values": CUBE[0, 0], "dims": ["lat", "lon"]}, "g/lon": own, "g/lat": other},
    )
    x = zarr_mdim.open_group(store).OpenMDArrayFromFullname("/g/x")
    lat, lon = x.GetDimensions()
    assert (lat.GetFullName(), lon.GetFullName()) == ("/lat", "/g/lon")
    assert lon.GetIndexingVariable().GetFullName() == "/g/lon"
    assert lon.GetIndexingVariable().ReadAsArray().tolist() == own["values"].tolist()
    assert lat.GetIndexingVariable().ReadAsArray().tolist() == LAT["values"].tolist()


def test_one_name_two_sizes(tmp_path):
    store = make_store(
        tmp_path, {"a": {"values": np.zeros((2, 3)), "dims": ["y", "x"]},
                   "b": {"values": np.zeros((2, 7)), "dims": ["y", "x"]}},
    )  # fmt: skip
    root = zarr_mdim.open_group(store)
    a, b = (root.OpenMDArray(name).GetDimensions() for name in "ab")
    assert [d.GetSize() for d in a + b] == [2, 3, 2, 7]
    assert zarr_mdim.is_same(a[0], b[0]) and not zarr_mdim.is_same(a[1], b[1])
    assert [d.GetFullName() for d in root.GetDimensions()] == ["/y", "/x"]


def test_unnamed(tmp_path, cpl):
    """Arrays without dimension names share no dimensions, even of equal size. Full names of such dimensions have no
    slash, as in GDAL's built-in driver, so that GDAL does not look them up."""
    store = make_store(tmp_path, {"a": np.zeros((2, 3)), "b": np.zeros((2, 3))})
    root = zarr_mdim.open_group(store)
    a, b = (root.OpenMDArray(name).GetDimensions() for name in "ab")
    assert [d.GetFullName() for d in a + b] == ["dim0", "dim1"] * 2
    assert not zarr_mdim.is_same(a[0], b[0])
    assert [d.GetIndexingVariable() for d in a + b] == [None] * 4
    assert (root.GetDimensions() or []) == []
    cpl.assert_quiet()


def test_one_dimension_twice(tmp_path, cpl):
    """An array may have one dimension twice, like a covariance matrix."""
    store = make_store(tmp_path, {"cov": {"values": np.eye(3), "dims": ["band", "band"]}})
    array = zarr_mdim.open_array(store, "cov")
    assert [(d.GetName(), d.GetSize()) for d in array.GetDimensions()] == [("band", 3)] * 2
    zarr_gdal.assert_same(array.ReadAsArray(), np.eye(3))
    assert cpl.errors == []


def test_ome(tmp_path):
    root = zarr.open_group(str(tmp_path / "image.zarr"), mode="w")
    root.array("0", np.zeros((2, 3, 4, 5), "u2"), dimension_separator="/")
    root.attrs["multiscales"] = [{
        "version": "0.4",
        "axes": [{"name": "t", "type": "time"}, {"name": "z", "type": "space"},
                 {"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
        "datasets": [{"path": "0", "coordinateTransformations": [
            {"type": "scale", "scale": [1, 2, 0.5, 0.25]}]}],
    }]
    array = zarr_mdim.open_array(tmp_path / "image.zarr", "0")
    assert [(d.GetName(), d.GetType(), d.GetSize()) for d in array.GetDimensions()] == [
        ("t", "TEMPORAL", 2), ("z", "VERTICAL", 3), ("y", "HORIZONTAL_Y", 4),
        ("x", "HORIZONTAL_X", 5),
    ]  # fmt: skip


def test_indexing_variables(tmp_path, cpl):
    root = zarr_mdim.open_group(climate(tmp_path))
    t = root.OpenMDArray("t")
    for dimension, wanted in zip(t.GetDimensions(), (TIME, LEVEL, LAT, LON)):
        variable = dimension.GetIndexingVariable()
        assert variable.GetFullName() == dimension.GetFullName()
        assert variable.GetUnit() == wanted["attrs"]["units"]
        zarr_gdal.assert_same(variable.ReadAsArray(), wanted["values"])
        assert zarr_mdim.is_same(variable.GetDimensions()[0], dimension)
    cpl.assert_quiet()


def test_indexing_variable_of_strings(tmp_path):
    names = np.array(["red", "grün", ""], "<U5")
    store = make_store(
        tmp_path, {"a": {"values": np.zeros((3, 2, 2)), "dims": ["band", "y", "x"]},
                   "band": {"values": names, "dims": ["band"]}},
    )  # fmt: skip
    variable = zarr_mdim.open_array(store, "a").GetDimensions()[0].GetIndexingVariable()
    assert zarr_mdim.read(variable)[""].tolist() == [b"red", "grün".encode(), b""]
    assert variable.Read() == ["red", "grün", ""]


@zarr_formats.V2
def test_indexing_variable_that_cannot_be_opened(tmp_path, cpl):
    """An array with an invalid indexing variable can be read. Requesting the indexing variable returns None."""
    store = climate(tmp_path)
    handmade(store, dtype="<q9", shape=[5], chunks=[5], files={}, path="lon")
    root = zarr_mdim.open_group(store)
    t = root.OpenMDArray("t")
    assert t is not None and cpl.errors == []
    assert ['lon/.zarray: dtype "<q9" is not known; the array is ignored' in text for text in cpl.warnings] == [True]
    cpl.clear()
    zarr_gdal.assert_same(t.ReadAsArray(), CUBE)
    assert t.GetDimensions()[3].GetIndexingVariable() is None
    cpl.assert_quiet()


@pytest.mark.parametrize("place, y, x", [
    ([100.0, 2.0, 0.0, 50.0, 0.0, -3.0], [48.5, 45.5, 42.5], [101.0, 103.0, 105.0, 107.0]),
    ([-0.5, 1.0, 0.0, -0.5, 0.0, 1.0], [0, 1, 2], [0, 1, 2, 3]),
])  # fmt: skip
def test_indexing_variables_computed_from_a_geotransform(tmp_path, cpl, place, y, x):
    """The indexing variables of an array with a geotransform and no coordinate arrays are the centres of its pixels."""
    attrs = {"spatial:transform": [place[i] for i in (1, 2, 0, 4, 5, 3)],
             "spatial:dimensions": ["y", "x"]}  # fmt: skip
    values = np.arange(12, dtype="i2").reshape(3, 4)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"], "attrs": attrs}})
    raster = zarr_gdal.open_raster(store)
    assert list(raster.GetGeoTransform(can_return_null=True)) == place
    array = zarr_mdim.open_array(store, "a")
    found = [dimension.GetIndexingVariable() for dimension in array.GetDimensions()]
    assert [v.ReadAsArray().tolist() for v in found] == [y, x]
    assert [v.GetDimensions()[0].GetFullName() for v in found] == ["/y", "/x"]
    cpl.assert_quiet()


def test_no_indexing_variables_from_a_rotated_geotransform(tmp_path, cpl):
    attrs = {"spatial:transform": [2.0, 0.5, 100.0, 0.25, -3.0, 50.0],
             "spatial:dimensions": ["y", "x"]}  # fmt: skip
    values = np.arange(12, dtype="i2").reshape(3, 4)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"], "attrs": attrs}})
    assert zarr_gdal.open_raster(store).GetGeoTransform()[2] == 0.5
    array = zarr_mdim.open_array(store, "a")
    assert [d.GetIndexingVariable() for d in array.GetDimensions()] == [None, None]
    cpl.assert_quiet()


def test_coordinate_variables(tmp_path, cpl):
    lon2, lat2 = np.meshgrid(np.arange(5.0), np.arange(4.0))
    store = make_store(tmp_path, {
        "g/t": {"values": CUBE[0, 0], "dims": ["y", "x"],
                "attrs": {"coordinates": "lon2 lat2 station missing"}},
        "g/lon2": {"values": lon2, "dims": ["y", "x"]},
        "lat2": {"values": lat2, "dims": ["y", "x"]},  # in the root; the attribute "coordinates" of /g/t names it
        "g/station": {"values": np.array(["a", "b", "c", "d"], "S1"), "dims": ["y"]},
    })  # fmt: skip
    array = zarr_mdim.open_array(store, "g/t")
    found = array.GetCoordinateVariables()
    assert [v.GetFullName() for v in found] == ["/g/lon2", "/lat2", "/g/station"]
    zarr_gdal.assert_same(found[0].ReadAsArray(), lon2)
    zarr_gdal.assert_same(found[1].ReadAsArray(), lat2)
    assert cpl.errors == []


def test_no_coordinate_variables(tmp_path, cpl):
    array = zarr_mdim.open_array(climate(tmp_path), "t")
    assert (array.GetCoordinateVariables() or []) == []
    cpl.assert_quiet()


def test_coordinates_that_name_each_other(tmp_path, cpl):
    """Two arrays may name each other as coordinates; that causes no endless recursion."""
    store = make_store(tmp_path, {
        "a": {"values": CUBE[0, 0], "dims": ["b", "a"], "attrs": {"coordinates": "b a"}},
        "b": {"values": CUBE[0, 0], "dims": ["a", "b"], "attrs": {"coordinates": "a b"}},
    })  # fmt: skip
    a = zarr_mdim.open_array(store, "a")
    assert sorted(v.GetName() for v in a.GetCoordinateVariables()) == ["a", "b"]
    for dimension in a.GetDimensions():
        dimension.GetIndexingVariable()
    assert cpl.errors == []


def test_dimensions_of_an_array_opened_alone(tmp_path):
    """If a single array is opened, the root group contains only this array and its coordinate arrays."""
    store = climate(tmp_path, **{"g/x": {"values": CUBE[0, 0], "dims": ["lat", "lon"]}})
    root = zarr_mdim.open_group(zarr_gdal.array_name(store, "g/x"))
    assert root.GetMDArrayNames() == ["x", "lat", "lon"]
    lat, lon = root.OpenMDArray("x").GetDimensions()
    assert (lat.GetName(), lon.GetName()) == ("lat", "lon")
    assert lat.GetIndexingVariable().ReadAsArray().tolist() == LAT["values"].tolist()
    assert lon.GetType() == "HORIZONTAL_X"


def test_empty_array_has_dimensions(tmp_path, cpl):
    store = make_store(tmp_path, {"a": {"values": np.zeros((0, 3)), "dims": ["y", "x"]}})
    array = zarr_mdim.open_array(store, "a")
    assert [d.GetSize() for d in array.GetDimensions()] == [0, 3]
    assert array.GetTotalElementsCount() == 0
    cpl.assert_quiet()
    assert zarr_mdim.read(array) is None  # reading an empty array fails, as in GDAL's MEM driver


GRID_MAPPINGS = {
    "attribute": ({"grid_mapping": "crs"}, {"grid_mapping_name": "latitude_longitude"}, "crs"),
    "extended": ({"grid_mapping": "crs: lat lon"}, {"grid_mapping_name": "latitude_longitude"}, "crs"),
    "rioxarray": ({}, {"crs_wkt": "EPSG:4326"}, "spatial_ref"),
    "another name": ({}, {"crs_wkt": "EPSG:4326"}, "my_crs"),
}


@pytest.mark.parametrize("attrs, mapping, name", GRID_MAPPINGS.values(), ids=GRID_MAPPINGS)
def test_the_grid_mapping_is_no_coordinate_variable(tmp_path, attrs, mapping, name):
    store = make_store(tmp_path, {
        "v": {"values": CUBE[0, 0], "dims": ["lat", "lon"], "attrs": {**attrs, "coordinates": f"{name} height"}},
        name: {"values": np.array(0), "dims": [], "attrs": mapping},
        "height": {"values": np.array(2.0), "dims": [], "attrs": {"units": "m"}},
    })  # fmt: skip
    variables = zarr_mdim.open_array(store, "v").GetCoordinateVariables()
    assert [variable.GetName() for variable in variables] == ["height"]
