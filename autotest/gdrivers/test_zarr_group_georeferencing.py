# SPDX-License-Identifier: MIT
"""Georeferencing of a group, and the arrays to which it applies. Arrays of a group with equal georeferencing
become the bands of one raster."""

import numpy as np
import pyproj
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg
from zarr_http import Served
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

ROWS, COLUMNS = 40, 60
PLACE = (500000.0, 10.0, 0.0, 5200000.0, 0.0, -10.0)
ELSEWHERE = (600000.0, *PLACE[1:])
UTM = {"proj:code": "EPSG:32632"}
WKT = pyproj.CRS.from_epsg(32632).to_wkt()


def affine(place=PLACE):
    return {"spatial:transform": [place[i] for i in (1, 2, 0, 4, 5, 3)]}


def spatial(place=PLACE, dims=("y", "x"), **more):
    return {"spatial:dimensions": list(dims), **affine(place), **more}


def image(rows=ROWS, columns=COLUMNS, start=0, dims=("y", "x"), **attrs):
    values = (np.arange(rows * columns) + start).reshape(rows, columns).astype("u2")
    named = {"dims": dims} if dims else {}
    return {"values": values, "attrs": attrs, **named}


def place_of(name, *options):
    dataset = open_raster(name, *options)
    return dataset.GetGeoTransform(can_return_null=True), epsg(dataset)


def crs_in_multidim(store, path):
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
    srs = dataset.GetRootGroup().OpenMDArrayFromFullname(f"/{path}").GetSpatialRef()
    return srs and int(srs.GetAuthorityCode(None))


# ---------------------------------------------------------------------------------------------
# Arrays to which a group's georeferencing applies


TABLES = {
    "another name": (("station", "variable"), (5, 3)),
    "one of the dimensions": (("x", "nv"), (COLUMNS, 2)),
    "as many elements": (("row", "column"), (ROWS, COLUMNS)),
    "times": (("time", "station"), (3, 4)),
}


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("at", ["", "measurements/r10m"])
@pytest.mark.parametrize("says_dimensions", [True, False])
def test_tables_get_no_geotransform(tmp_path, cpl, says_dimensions, at, consolidated):
    said = {**(spatial() if says_dimensions else affine()), **UTM}
    prefix = f"{at}/" if at else ""
    arrays = {f"{prefix}red": image()}
    for name, (dims, shape) in TABLES.items():
        arrays[prefix + name.replace(" ", "_")] = {"values": np.ones(shape, "f4"), "dims": dims}
    groups = {} if at == "" else {at: said}
    store = make_store(tmp_path, arrays, said if at == "" else {}, groups=groups, consolidated=consolidated)
    assert place_of(array_name(store, f"{prefix}red")) == (PLACE, 32632)
    assert crs_in_multidim(store, f"{prefix}red") == 32632
    for path in set(arrays) - {f"{prefix}red"}:
        assert place_of(array_name(store, path)) == (None, None), path
        assert crs_in_multidim(store, path) is None, path
    cpl.assert_quiet()


def test_a_groups_transform_applies_to_rows_and_columns(tmp_path):
    """If no array of the group has the dimensions y and x, the group's transform applies to the dimensions
    row and column."""
    dims = ("row", "column")
    store = make_store(tmp_path, {"a": image(dims=dims), "b": image(dims=dims)}, {**affine(), **UTM})
    assert place_of(store) == place_of(array_name(store, "a")) == (PLACE, 32632)


def test_a_groups_transform_applies_without_dimension_names(tmp_path):
    store = make_store(
        tmp_path,
        {"a": image(dims=None), "small": image(20, 30, dims=None)},
        {**spatial(), **UTM},
    )
    assert place_of(array_name(store, "a")) == (PLACE, 32632)
    assert place_of(array_name(store, "small"))[0] is None


def test_an_array_names_its_own_dimensions(tmp_path):
    """If an array and its group have the attribute `spatial:dimensions`, the attribute of the array is used."""
    own = {"spatial:dimensions": ["lat", "lon"]}
    store = make_store(
        tmp_path, {"a": image(dims=("lat", "lon"), **own), "b": image()}, {**spatial(), **UTM}
    )
    for name in ("a", "b"):
        assert place_of(array_name(store, name)) == (PLACE, 32632)


def test_a_groups_transform_applies_to_cubes_and_transposed_arrays(tmp_path):
    cube = {"values": np.zeros((3, ROWS, COLUMNS), "u1"), "dims": ("time", "y", "x")}
    turned = {"values": np.zeros((COLUMNS, ROWS), "u1"), "dims": ("x", "y")}
    store = make_store(tmp_path, {"cube": cube, "turned": turned}, {**spatial(), **UTM})
    for name in ("cube", "turned"):
        dataset = open_raster(array_name(store, name))
        assert (dataset.RasterYSize, dataset.RasterXSize) == (ROWS, COLUMNS)
        assert_geotransform(dataset, PLACE)


SIZES = {
    "shape": {"spatial:shape": [ROWS, COLUMNS]},
    "nothing": {},
}


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("says", SIZES)
@pytest.mark.parametrize("transform", ["spatial", "proj"])
def test_a_groups_transform_skips_other_sizes(tmp_path, cpl, transform, says, consolidated):
    said = {**spatial(), **SIZES[says], **UTM}
    if transform == "proj":
        said["proj:transform"] = said.pop("spatial:transform")
    arrays = {"full": image(), "half": image(20, 30), "other": image(ROWS, 30)}
    store = make_store(tmp_path, arrays, said, consolidated=consolidated)
    assert place_of(array_name(store, "full")) == (PLACE, 32632)
    for name in ("half", "other"):
        assert place_of(array_name(store, name)) == (None, 32632)
        assert crs_in_multidim(store, name) == 32632
    cpl.assert_quiet()


def test_spatial_shape_wins_over_the_largest_array(tmp_path):
    said = {**spatial(), "spatial:shape": [20, 30]}
    store = make_store(tmp_path, {"full": image(), "half": image(20, 30)}, said)
    assert place_of(array_name(store, "full"))[0] is None
    assert place_of(array_name(store, "half"))[0] == PLACE


def test_spatial_bbox_gives_the_size_of_the_transform(tmp_path):
    said = spatial(**{"spatial:bbox": [500000, 5199800, 500300, 5200000]})
    store = make_store(tmp_path, {"full": image(), "half": image(20, 30)}, said)
    assert place_of(array_name(store, "full"))[0] != PLACE
    assert place_of(array_name(store, "half"))[0] == PLACE


def test_without_a_largest_array_the_transform_applies_to_none(tmp_path):
    store = make_store(tmp_path, {"a": image(40, 60), "b": image(60, 40)}, spatial())
    for name in "ab":
        assert place_of(array_name(store, name))[0] is None


def test_a_groups_transform_applies_despite_another_arrays_own(tmp_path):
    finer = (500000.0, 5.0, 0.0, 5200000.0, 0.0, -5.0)
    arrays = {"fine": image(80, 120, **affine(finer)), "coarse": image()}
    store = make_store(tmp_path, arrays, {**spatial(), **UTM})
    assert place_of(array_name(store, "fine")) == (finer, 32632)
    assert place_of(array_name(store, "coarse")) == (PLACE, 32632)


def test_one_array_of_a_group_has_the_same_geotransform_over_http(tmp_path):
    arrays = {"full": image(), "half": image(20, 30), "table": image(3, 4, dims=("a", "b"))}
    store = make_store(tmp_path, arrays, {**spatial(), **UTM}, consolidated=True)
    with Served(tmp_path) as server, config_options(GDAL_PAM_ENABLED="NO"):
        url = f"{server.url}/{store.name}"
        for name in arrays:
            server.log()
            assert place_of(array_name(url, name)) == place_of(array_name(store, name))
            assert len(server.log()["requests"]) <= (6 if zarr_formats.is_v3() else 7)


@pytest.mark.parametrize("case", ["unknown", "group's shape", "own shape", "coordinates", "consolidated", "box"])
def test_the_size_of_a_groups_transform_on_a_server_that_does_not_list(tmp_path, cpl, case):
    """A group's transform applies only to arrays of one size. Without listings, attributes, coordinate arrays or
    consolidated metadata must state this size; else the driver warns, and requests no other arrays of the group."""
    box = [PLACE[0], PLACE[3] - 10 * ROWS, PLACE[0] + 10 * COLUMNS, PLACE[3]]
    more = {"group's shape": {"spatial:shape": [ROWS, COLUMNS]}, "box": {"spatial:bbox": box}}.get(case, {})
    own = {"spatial:shape": [20, 30]} if case == "own shape" else {}
    arrays = {"full": image(), "half": image(20, 30, **own)}
    if case == "coordinates":
        arrays["x"] = {"values": PLACE[0] + 10 * np.arange(30) + 5, "dims": ["x"]}
        arrays["y"] = {"values": PLACE[3] - 10 * np.arange(20) - 5, "dims": ["y"]}
    store = make_store(tmp_path, arrays, {**spatial(**more), **UTM}, consolidated=case == "consolidated")
    requests = []
    with Served(tmp_path) as server, config_options(GDAL_PAM_ENABLED="NO"):
        url = f"{server.url}/{store.name}"
        server.log()
        place = place_of(array_name(url, "half"))
        requests = server.log()["requests"]
    assert place == (PLACE if case in ("unknown", "own shape", "coordinates") else None, 32632)
    assert not any("/full" in path for _, path, *_ in requests)
    assert len(cpl.warnings) == (case == "unknown")
    if case == "unknown":
        assert "states no spatial:shape, and the server does not list the group" in cpl.warnings[0]


def test_a_groups_transform_is_that_of_its_base_level(tmp_path, cpl):
    """The transform of a pyramid's group applies only to the base. A smaller level has the transform that the layout
    states for it, or none."""
    levels = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": {"scale": [2.0, 2.0]}}]
    said = {"multiscales": {"layout": levels}, **spatial(), **UTM}
    store = make_store(tmp_path, {"0": image(), "1": image(20, 30)}, said)
    dataset = open_raster(store)
    assert_geotransform(dataset, PLACE)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    assert place_of(array_name(store, "1"))[0] in (None, (500000.0, 20.0, 0.0, 5200000.0, 0.0, -20.0))
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Arrays of a group as bands of one raster


def coordinates(place=PLACE):
    x = place[0] + place[1] * (np.arange(COLUMNS) + 0.5)
    y = place[3] + place[5] * (np.arange(ROWS) + 0.5)
    return {"x": {"values": x, "dims": ["x"]}, "y": {"values": y, "dims": ["y"]}}


def grid_mapping(code):
    return {"values": np.array(0, "i4"), "dims": [], "attrs": {
        "crs_wkt": pyproj.CRS.from_epsg(code).to_wkt()}}  # fmt: skip


GEODETIC = {"standard_name": "longitude", "units": "degrees_east"}, {
    "standard_name": "latitude", "units": "degrees_north"}  # fmt: skip
LATLON = {
    "lon_b1": {"values": np.add.outer(np.zeros(ROWS), np.arange(COLUMNS) / 7), "dims": ("y", "x"), "attrs": GEODETIC[0]},
    "lat_b1": {"values": np.add.outer(np.arange(ROWS) / 7, np.zeros(COLUMNS)), "dims": ("y", "x"), "attrs": GEODETIC[1]},
}  # fmt: skip

# case -> (attributes of array a, of array b and of their group, further arrays, (geotransform, EPSG code) of a, and of
# b). Arrays a and b have equal shapes and dimensions, but are not bands of one raster.
APART = {
    "transform": (spatial(), spatial(ELSEWHERE), UTM, {}, (PLACE, 32632), (ELSEWHERE, 32632)),
    "code": ({**spatial(), **UTM}, {**spatial(), "proj:code": "EPSG:32633"}, {}, {}, (PLACE, 32632), (PLACE, 32633)),
    "override of the group's code": ({}, {"proj:code": "EPSG:32633"}, {**spatial(), **UTM}, {}, (PLACE, 32632), (PLACE, 32633)),
    "override of the group's transform": ({}, affine(ELSEWHERE), {**spatial(), **UTM}, {}, (PLACE, 32632), (ELSEWHERE, 32632)),
    "grid mapping": ({"grid_mapping": "crs_a"}, {"grid_mapping": "crs_b"}, {},
                     {**coordinates(), "crs_a": grid_mapping(32632), "crs_b": grid_mapping(32633)}, (PLACE, 32632), (PLACE, 32633)),
    "_CRS": ({"_CRS": WKT}, {}, {}, coordinates(), (PLACE, 32632), (PLACE, None)),
    "no place at all": ({**spatial(), **UTM}, {}, {}, {}, (PLACE, 32632), (None, None)),
    "no CRS": ({**spatial(), **UTM}, spatial(), {}, {}, (PLACE, 32632), (PLACE, None)),
    "registration": ({**spatial(), **UTM}, {**spatial(), **UTM, "spatial:registration": "node"}, {}, {},
                     (PLACE, 32632), ((499995.0, 10.0, 0.0, 5200005.0, 0.0, -10.0), 32632)),
    "axes": (spatial(dims=("y", "x")), spatial(dims=("x", "y")), {}, {}, (PLACE, None), (PLACE, None)),
    "geolocation": ({"coordinates": "lon_b1 lat_b1"}, {}, {}, LATLON, (None, None), (None, None)),
}  # fmt: skip


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("at", ["", "g/h"])
@pytest.mark.parametrize("case", APART)
def test_arrays_with_different_georeferencing_are_no_bands(tmp_path, case, at, consolidated):
    first, second, said, beside, *places = APART[case]
    side = {"rows": 30, "columns": 30} if case == "axes" else {}
    arrays = {"b1": image(**side, **first), "b2": image(**side, start=7, **second), **beside}
    prefix = f"{at}/" if at else ""
    store = make_store(
        tmp_path, {prefix + name: item for name, item in arrays.items()},
        {} if at else said, groups={at: said} if at else {}, consolidated=consolidated,
    )  # fmt: skip
    names = [array_name(store, f"{prefix}{name}") for name in ("b1", "b2")]
    assert [place_of(name) for name in names] == places
    for opened in (store, array_name(store, at)):
        dataset = open_raster(opened)
        assert dataset.RasterCount == 0
        assert [name for name, _ in dataset.GetSubDatasets()] == names
    for number, name in enumerate(("b1", "b2")):
        assert crs_in_multidim(store, prefix + name) == places[number][1]


def test_an_array_with_another_geotransform_is_no_band(tmp_path, cpl):
    arrays = {name: image(**spatial()) for name in ("b1", "b3", "b4")}
    arrays["b2"] = image(**spatial(ELSEWHERE))
    store = make_store(tmp_path, {f"g/{name}": item for name, item in arrays.items()}, groups={"g": UTM})
    listed = open_raster(store).GetSubDatasets()
    assert listed[0] == (array_name(store, "g"), f"[{ROWS}x{COLUMNS}] /g (group of 3 bands)")
    assert sorted(name for name, _ in listed[1:]) == [array_name(store, f"g/b{i}") for i in range(1, 5)]
    cpl.clear()
    dataset = gdal.Open(array_name(store, "g"))
    assert [dataset.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["b1", "b3", "b4"]
    assert dataset.RasterCount == 3
    assert_geotransform(dataset, PLACE)
    (warning,) = cpl.warnings
    assert "/g/b2" in warning and "/g/b1" in warning and str(store) in warning


# case -> (attributes of array a, of array b and of their group, further arrays). Different attributes of a and b give
# equal georeferencing, so a and b are bands of one raster.
TOGETHER = {
    "code and WKT": ({**spatial(), **UTM}, {**spatial(), "proj:wkt2": WKT}, {}, {}),
    "own and the group's": ({**spatial(), **UTM}, {}, {**spatial(), **UTM}, {}),
    "attribute and coordinates": ({**spatial(), **UTM}, UTM, {}, coordinates()),
    "grid mapping and code": ({"grid_mapping": "crs_a"}, UTM, {},
                              {**coordinates(), "crs_a": grid_mapping(32632)}),
    "other coordinates": ({"coordinates": "one", **UTM}, {"coordinates": "two", **UTM}, {}, coordinates()),
    "metadata": ({"wavelength": 490, **UTM}, {"wavelength": 665, **UTM}, {}, coordinates()),
}  # fmt: skip


@pytest.mark.parametrize("case", TOGETHER)
def test_equal_georeferencing_in_different_attributes(tmp_path, case, cpl):
    first, second, said, beside = TOGETHER[case]
    store = make_store(tmp_path, {"b1": image(**first), "b2": image(**second), **beside}, said)
    dataset = open_raster(store)
    assert dataset.RasterCount == 2
    assert_geotransform(dataset, PLACE)
    assert epsg(dataset) == 32632
    assert place_of(array_name(store, "b2")) == (PLACE, 32632)
    cpl.assert_quiet()


def test_arrays_of_a_pyramid_s_base_with_two_geotransforms(tmp_path):
    """In ndpyramid, each level is a group of arrays. If arrays of the base have different geotransforms, the arrays are
    subdatasets and not bands."""
    said = {"multiscales": [{"datasets": [{"path": "0", "crs": "EPSG:32632"}, {"path": "1", "crs": "EPSG:32632"}]}]}
    arrays = {}
    for level, size in (("0", (ROWS, COLUMNS)), ("1", (ROWS // 2, COLUMNS // 2))):
        for name, west in (("a", 500000), ("b", 600000)):
            place = (west, 10 * 2 ** int(level), 0, 5200000, 0, -10 * 2 ** int(level))
            arrays[f"{level}/{name}"] = image(*size, **spatial(place))
    store = make_store(tmp_path, arrays, said)
    dataset = open_raster(store)
    assert dataset.RasterCount == 0
    assert [name for name, _ in dataset.GetSubDatasets()] == [array_name(store, f"0/{name}") for name in "ab"]
    for name, west in (("a", 500000), ("b", 600000)):
        base = open_raster(array_name(store, f"0/{name}"))
        assert base.GetGeoTransform()[0] == west
        assert base.GetRasterBand(1).GetOverviewCount() == 1


def test_many_bands_read_their_coordinates_once(tmp_path):
    """If 30 arrays with equal attributes become bands, the driver reads their common coordinates only once."""
    arrays = {f"b{i:02}": image(**UTM, wavelength=i) for i in range(30)}
    store = make_store(tmp_path, {**arrays, **coordinates()}, consolidated=True)
    with Served(tmp_path) as server, config_options(GDAL_PAM_ENABLED="NO"):
        server.log()
        dataset = open_raster(f"{server.url}/{store.name}")
        assert dataset.RasterCount == 30
        assert len(server.log()["requests"]) <= (6 if zarr_formats.is_v3() else 7)


# ---------------------------------------------------------------------------------------------
# Subdatasets that a group lists


def names_of(dataset):
    return [name for name, _ in dataset.GetSubDatasets()]


def composite(folder, prefix="", more=None):
    arrays = {f"{prefix}b{i}": image(start=i, **spatial(), **UTM) for i in (1, 2, 3)}
    return make_store(folder, {**arrays, **(more or {})})


def test_a_raster_of_several_arrays_is_listed_before_them(tmp_path):
    store = composite(tmp_path)
    dataset = open_raster(store)
    arrays = [array_name(store, f"b{i}") for i in (1, 2, 3)]
    assert names_of(dataset) == [array_name(store, ""), *arrays]
    assert dataset.GetSubDatasets()[0][1] == f"[{ROWS}x{COLUMNS}] / (group of 3 bands)"
    by_name = open_raster(names_of(dataset)[0])
    assert names_of(by_name) == []
    assert np.array_equal(read_all(by_name), read_all(dataset))


def test_a_listed_raster_lists_no_subdatasets(tmp_path):
    store = composite(tmp_path, "deep/g/", {"other": image(5, 6), "cube": {"values": np.zeros((2, 5, 6))}})
    listed = names_of(open_raster(store))
    assert listed[0] == array_name(store, "deep/g") and len(listed) == 6
    for name in listed:
        dataset = open_raster(name)
        assert dataset.RasterCount > 0 and names_of(dataset) == []
    # A group that is opened by its path has only the arrays of this group as subdatasets.
    assert names_of(open_raster(store / "deep" / "g"))[1:] == listed[-3:]
    assert len(names_of(open_raster(array_name(store, "deep/g"), "LIST_ALL_ARRAYS=YES"))) == 4


def test_without_bands_a_group_lists_its_arrays_by_any_name(tmp_path):
    store = composite(tmp_path, "g/")
    assert len(names_of(open_raster(array_name(store, ""), "MULTIBAND=NO"))) > 0
    assert len(names_of(open_raster(array_name(store, "")))) == 4


def test_a_copy_of_a_listed_group_keeps_its_geotransform(tmp_path):
    store = composite(tmp_path, "g/", {"other": image(5, 6)})
    copy = gdal.Translate(str(tmp_path / "copy.tif"), array_name(store, "g"))
    assert copy.RasterCount == 3
    assert_geotransform(copy, PLACE)
    assert osr.SpatialReference(copy.GetProjection()).GetAuthorityCode(None) == "32632"


def test_a_changed_group_keeps_other_arrays_geotransforms(tmp_path):
    """Update mode changes the georeferencing of the arrays that are bands of the raster. The georeferencing of other
    arrays in the group stays."""
    arrays = {name: image(**spatial(), **UTM) for name in ("b1", "b3")}
    arrays["b2"] = image(**spatial(ELSEWHERE), **UTM)
    store = make_store(tmp_path, arrays)
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.SetGeoTransform((1000, 10, 0, 2000, 0, -10))
    del dataset
    assert place_of(array_name(store, "b2")) == (ELSEWHERE, 32632)
    for name in ("b1", "b3"):
        assert place_of(array_name(store, name)) == ((1000, 10, 0, 2000, 0, -10), 32632)


def test_a_changed_geotransform_makes_arrays_bands(tmp_path):
    """If a change gives two arrays equal geotransforms, the arrays are bands when the store is opened again."""
    store = make_store(tmp_path, {"b1": image(**spatial()), "b2": image(**spatial(ELSEWHERE))})
    assert open_raster(store).RasterCount == 0
    zarr.open_group(str(store), mode="r+")["b2"].attrs.update(spatial())
    assert open_raster(store).RasterCount == 2
