# SPDX-License-Identifier: MIT
"""Updates NCZarr stores that netCDF-C wrote.

After each change, netCDF-C opens the store as NCZarr and as plain Zarr, and shows the change."""

import json

import netCDF4
import numpy as np
import pytest
import zarr_gdal
from osgeo import gdal, osr
from test_zarr_nczarr import ncdump, ncgen, quiet_group, sizes, values_in
from zarr_gdal import array_name, gdal_is_at_least, open_raster

UPDATE = gdal.OF_UPDATE
CDL = """netcdf x {
dimensions: time = 2 ; y = 3 ; x = 4 ;
variables:
  int time(time) ; time:units = "days since 2000-01-01" ;
  float t(time, y, x) ; t:units = "K" ; t:_ChunkSizes = 1, 2, 3 ;
  short dem(y, x) ; dem:long_name = "height" ; dem:number = 3s ;
  :title = "hello" ;
data:
  time = 1, 2 ;
  t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
  dem = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
group: g {
  dimensions: z = 2 ;
  variables: int v(z, x) ;
  data: v = 1, 2, 3, 4, 5, 6, 7, 8 ;
  group: deep { variables: int w(z) ; data: w = 7, 8 ; }
}
}
"""
DEM = np.arange(1, 13).reshape(3, 4)
NETCDF_C = tuple(int(number) for number in netCDF4.getlibversion().split()[0].split(".")[:3])
UNCOMPRESSED = ["COMPRESS=NONE"]


@pytest.fixture
def store(tmp_path):
    return ncgen(tmp_path, "nczarr", CDL)


def driver():
    return gdal.GetDriverByName("Zarr")


def raster(store, path="dem", flags=UPDATE):
    return gdal.OpenEx(array_name(store, path), gdal.OF_RASTER | flags)


def root_of(store, flags=UPDATE):
    return gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | flags).GetRootGroup()


def listings(store, *arguments):
    """Lists the store with ncdump in the modes nczarr and zarr. Asserts that each listing succeeds, and returns the two
    listings."""
    own, plain = (ncdump(store, *arguments, mode=mode) for mode in ("nczarr", "zarr"))
    return own, plain


def assert_lists(store, *lines, without=()):
    for listing in listings(store, "-h"):
        for line in lines:
            assert line in listing, listing
        for line in without:
            assert line not in listing, listing


def documents(store):
    """Returns {key: document} for all metadata documents of the store."""
    return {str(path.relative_to(store)): json.loads(path.read_text())
            for path in store.rglob(".z*")}  # fmt: skip


def int32():
    return gdal.ExtendedDataType.Create(gdal.GDT_Int32)


def test_new_scalars(store):
    root = root_of(store)
    root.CreateMDArray("s", [], int32(), UNCOMPRESSED).Write(np.int32(42).tobytes())
    set_attribute(root.OpenMDArray("s"), "word", gdal.ExtendedDataType.CreateString(), "abc")
    root = None
    for listing in listings(store, "-v", "s,dem"):
        assert values_in(listing, "s").tolist() == [42] and 's:word = "abc"' in listing
    root = quiet_group(store)
    assert root.OpenMDArray("s").GetDimensionCount() == 0
    assert int.from_bytes(root.OpenMDArray("s").Read(), "little") == 42
    assert "_scalar_" not in [d.GetName() for d in root.GetDimensions()]


def test_new_arrays_and_groups(store):
    root = root_of(store)
    dims = {d.GetName(): d for d in root.GetDimensions()}
    size5 = root.CreateDimension("n", None, None, 5)
    for name, of in {"a": [dims["y"], dims["x"]], "b": [size5, dims["x"]]}.items():
        array = root.CreateMDArray(name, of, int32(), UNCOMPRESSED)
        count = [d.GetSize() for d in of]
        array.Write(np.arange(np.prod(count), dtype="i4").tobytes())
    group = root.CreateGroup("new").CreateGroup("er")
    own = group.CreateDimension("x", None, None, 2)  # hides the root's dimension x inside of the group
    array = group.CreateMDArray("c", [dims["y"], own], int32(), UNCOMPRESSED)
    array.Write(np.arange(6, dtype="i4").tobytes())
    array = group = root = own = size5 = dims = of = None
    own, plain = listings(store)
    for listing in (own, plain):
        assert "int a(y, x) ;" in listing and "int b(n, x) ;" in listing
        np.testing.assert_array_equal(values_in(listing, "a"), np.arange(12))
        np.testing.assert_array_equal(values_in(listing, "b"), np.arange(20))
        assert "group: new {" in listing and "group: er {" in listing
        assert "short dem(y, x) ;" in listing
    assert "int c(y, x) ;" in own and own.count("x = 2 ;") == 1
    root = quiet_group(store)
    assert sizes(root.OpenGroup("new").OpenGroup("er").OpenMDArray("c")) == [
        ("/y", 3), ("/new/er/x", 2)]  # fmt: skip


def test_an_appended_raster(store):
    source = gdal.GetDriverByName("MEM").Create("", 7, 5, 2, gdal.GDT_Int16)
    source.SetGeoTransform((1000, 10, 0, 2000, 0, -10))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    source.SetSpatialRef(srs)
    source.WriteArray(np.arange(70).reshape(2, 5, 7))
    with zarr_gdal.error_log() as log:
        driver().CreateCopy(
            str(store), source, options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=more", *UNCOMPRESSED]
        )
    log.assert_quiet()
    for listing in listings(store, "-v", "more,dem"):
        np.testing.assert_array_equal(values_in(listing, "more"), np.arange(70))
        np.testing.assert_array_equal(values_in(listing, "dem"), DEM.ravel())
    dataset = open_raster(array_name(store, "more"))
    assert dataset.GetGeoTransform() == (1000, 10, 0, 2000, 0, -10)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"


def test_a_place_on_the_map(store):
    dataset = raster(store)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(3035)
    assert dataset.SetSpatialRef(srs) == 0
    assert dataset.SetGeoTransform((10, 2, 0, 20, 0, -3)) == 0
    dataset = None
    assert_lists(store, "short dem(y, x) ;", 'dem:long_name = "height"', "float t(time, y, x) ;")
    dataset = open_raster(array_name(store, "dem"))
    assert dataset.GetGeoTransform() == (10, 2, 0, 20, 0, -3)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "3035"
    np.testing.assert_array_equal(dataset.ReadAsArray(), DEM)


def test_a_place_without_a_crs_and_rotated(store):
    for transform in [(1 / 3, 0.1, 0, 7e6 + 0.7, 0, -1 / 7), (10, 2, 1, 20, 1, -3)]:
        assert raster(store).SetGeoTransform(transform) == 0
        assert_lists(store, "short dem(y, x) ;")
        assert open_raster(array_name(store, "dem")).GetGeoTransform() == transform


def test_overviews(store):
    dataset = raster(store)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    own, plain = listings(store, "-h")
    assert "group: ovr_2x {" in own and "short dem(y, x) ;" in own.partition("ovr_2x")[2]
    assert "group: ovr_2x {" in plain
    assert "_zdim" not in own
    with zarr_gdal.error_log() as log:
        dataset = open_raster(array_name(store, "dem"))
        assert dataset.GetRasterBand(1).GetOverviewCount() == 1
        assert dataset.GetRasterBand(1).GetOverview(0).ReadAsArray().shape == (2, 2)
    log.assert_quiet()
    dataset = raster(store)
    assert dataset.BuildOverviews("NEAREST", []) == 0
    dataset = None
    assert_lists(store, "short dem(y, x) ;", without=["ovr_2x"])


@pytest.mark.parametrize("path", ["dem", "t", "time", "g/v", "g/deep", "g"])
def test_deleted_nodes(store, path):
    assert driver().Delete(array_name(store, path)) == 0
    name = path.rpartition("/")[2]
    assert_lists(store, *([] if path == "t" else ["float t(time, y, x) ;"]),
                 without=[f" {name}(", f"group: {name} "])  # fmt: skip
    quiet_group(store)


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL's API has no deletion before 3.8")
def test_nodes_deleted_by_the_multidimensional_api(store):
    root = root_of(store)
    root.DeleteMDArray("dem")
    root.DeleteGroup("g")
    root = None
    assert_lists(store, "float t(time, y, x) ;", without=[" dem(", "group: g "])


def test_renamed_nodes(store):
    assert driver().Rename(array_name(store, "height"), array_name(store, "dem")) == 0
    assert driver().Rename(array_name(store, "group"), array_name(store, "g")) == 0
    assert_lists(store, "short height(y, x) ;", "group: group {", without=[" dem(", "group: g "])
    own, _ = listings(store, "-h")
    assert "int v(z, x) ;" in own and "int w(z) ;" in own
    array = quiet_group(store).OpenGroup("group").OpenMDArray("v")
    assert sizes(array) == [("/group/z", 2), ("/x", 4)]


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL's API does not rename before 3.8")
def test_a_dimension_that_is_renamed(store):
    root = root_of(store)
    dims = {d.GetName(): d for d in root.GetDimensions()}
    dims["x"].Rename("column")
    dims = root = None
    assert_lists(store, "short dem(y, column) ;", "float t(time, y, column) ;")
    own, _ = listings(store, "-h")
    # netCDF-C may find the old name of the dimension, because the driver does not rewrite the metadata document of the
    # array's group.
    assert "int v(z, x) ;" in own or "int v(z, column) ;" in own


def grow(store):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 1, gdal.GDT_Float32)
    source.WriteArray(np.full((3, 4), 99, "f4"))
    with zarr_gdal.error_log() as log:
        written = driver().CreateCopy(
            str(store), source,
            options=["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "ARRAY_NAME=t",
                     "APPEND_DIM_VALUES=3"],
        )  # fmt: skip
    assert written is not None, log.events


def test_a_dimension_that_grows(store):
    grow(store)
    for listing in listings(store, "-v", "time,t"):
        assert "time = 3 ;" in listing
        np.testing.assert_array_equal(values_in(listing, "time"), [1, 2, 3])
        np.testing.assert_array_equal(values_in(listing, "t"), [*range(24), *[99] * 12])


@pytest.mark.skipif(not gdal_is_at_least(3, 7), reason="GDAL's API has no Resize() before 3.7")
@pytest.mark.parametrize("size", [1, 5])
def test_arrays_that_are_resized(store, size):
    root = root_of(store)
    assert root.OpenMDArray("t").Resize([size, 3, 4]) == 0
    root = None
    for listing in listings(store, "-v", "t"):
        assert f"time = {size} ;" in listing
        assert values_in(listing, "t").size == size * 12


def set_attribute(node, name, type_, value, *dimensions):
    attribute = node.CreateAttribute(name, dimensions, type_)
    assert attribute.Write(value) == 0


def test_attributes(store):
    string = gdal.ExtendedDataType.CreateString()
    root = root_of(store)
    for node in (root, root.OpenMDArray("dem"), root.OpenGroup("g")):
        set_attribute(node, "word", string, "abc")
        set_attribute(node, "words", string, ["a", "b"], 2)
        set_attribute(node, "pi", gdal.ExtendedDataType.Create(gdal.GDT_Float64), 3.25)
    dem = root.OpenMDArray("dem")
    if gdal_is_at_least(3, 8):
        assert dem.DeleteAttribute("long_name") == 0
    assert dem.GetAttribute("number").Write(5) == 0
    dem = node = root = None
    for listing in listings(store, "-h"):
        for of in ("", "dem"):
            assert f'{of}:word = "abc"' in listing and f"{of}:pi = 3.25" in listing, listing
        assert "dem:number = 5s ;" in listing or "dem:number = 5b ;" in listing
        assert ("long_name" in listing) == (not gdal_is_at_least(3, 8))
    root = quiet_group(store)
    for node in (root, root.OpenMDArray("dem"), root.OpenGroup("g")):
        assert node.GetAttribute("words").Read() == ["a", "b"]
        assert not [a.GetName() for a in node.GetAttributes() if "NCZARR" in a.GetName().upper()]
    node = None
    # The first update has stored the attribute "words" as text. A second update must still change it.
    root = root_of(store)
    assert root.OpenMDArray("dem").GetAttribute("words").Write(["c", "d"]) == 0
    root = None
    assert_lists(store, 'dem:word = "abc"')
    assert quiet_group(store).OpenMDArray("dem").GetAttribute("words").Read() == ["c", "d"]


def test_a_text_that_looks_like_json_stays_one(store):
    root = root_of(store)
    set_attribute(root, "list", gdal.ExtendedDataType.CreateString(), '["a", "b"]')
    root = None
    assert quiet_group(store).GetAttribute("list").Read() == '["a", "b"]'
    assert_lists(store, r':list = "[\"a\", \"b\"]"')


def test_types_unknown_to_netcdf_hide_no_other_array(store):
    root = root_of(store)
    dims = root.OpenMDArray("dem").GetDimensions()
    complex_ = gdal.ExtendedDataType.Create(gdal.GDT_CFloat32)
    root.CreateMDArray("complex", dims, complex_, UNCOMPRESSED).Write(
        np.ones((3, 4), "c8").tobytes()
    )
    dims = root = None
    listing = ncdump(store, "-h", mode="nczarr")
    assert "short dem(y, x) ;" in listing and "complex" not in listing
    assert quiet_group(store).OpenMDArray("complex") is not None


def test_nodata_and_values(store):
    dataset = raster(store)
    band = dataset.GetRasterBand(1)
    assert band.SetNoDataValue(-5) == 0
    assert band.WriteArray(np.array([[-5]]), 1, 1) == 0
    band.SetScale(0.5)
    band.SetUnitType("m")
    band = dataset = None
    for listing in listings(store, "-v", "dem"):
        assert 'dem:units = "m"' in listing and "dem:scale_factor = 0.5" in listing
        values = values_in(listing, "dem")
        assert values[:5].tolist() == [1, 2, 3, 4, 5] and values[6] == 7
    dataset = open_raster(array_name(store, "dem"))
    assert dataset.GetRasterBand(1).GetNoDataValue() == -5


# ---------------------------------------------------------------------------------------------
# Stores in the form of other netCDF-C versions, converted from the form of the installed version


def as_documents(store):
    """Converts a store to the form of netCDF-C 4.8.0, which stores the extensions of NCZarr as separate documents."""
    for path in list(store.rglob(".zgroup")):
        group = json.loads(path.read_text())
        if group.pop("_NCZARR_SUPERBLOCK", None):
            path.with_name(".nczarr").write_text('{"zarr_format": 2, "nczarr_version": "1.0.0"}')
        path.with_name(".nczgroup").write_text(json.dumps(group.pop("_NCZARR_GROUP")))
        path.write_text(json.dumps(group))
    for path in list(store.rglob(".zarray")):
        array = json.loads(path.read_text())
        path.with_name(".nczarray").write_text(json.dumps(array.pop("_NCZARR_ARRAY")))
        path.write_text(json.dumps(array))


def as_attributes(store):
    """Converts a store to the form of netCDF-C 4.9.3, which stores the extensions of NCZarr as attributes with other
    names."""
    words = {"dims": "dimensions", "vars": "arrays", "dimrefs": "dimension_references"}
    for path in [*store.rglob(".zgroup"), *store.rglob(".zarray")]:
        document = json.loads(path.read_text())
        attributes_path = path.with_name(".zattrs")
        attributes = json.loads(attributes_path.read_text()) if attributes_path.exists() else {}
        for name in [name for name in document if name.startswith("_NCZARR")]:
            value = document.pop(name)
            attributes[name.lower()] = {words.get(key, key): item for key, item in value.items()}
        attributes.pop("_NCZARR_ATTR", None)
        path.write_text(json.dumps(document))
        attributes_path.write_text(json.dumps(attributes))


@pytest.mark.skipif(NETCDF_C >= (4, 9, 3), reason="makes other forms of that of 4.9.0 to 4.9.2")
@pytest.mark.parametrize("form", [as_documents, as_attributes])
def test_other_forms(store, form):
    form(store)
    quiet_group(store)
    root = root_of(store)
    x = root.OpenMDArray("dem").GetDimensions()[1]
    group = root.CreateGroup("new")
    n = group.CreateDimension("n", None, None, 5)
    if form is as_documents:  # in this form, an array finds dimensions only in its own group
        x = group.CreateDimension("x", None, None, 4)
    group.CreateMDArray("a", [n, x], int32(), UNCOMPRESSED)
    root.CreateMDArray("scalar", [], int32(), UNCOMPRESSED).Write(np.int32(42).tobytes())
    set_attribute(root, "word", gdal.ExtendedDataType.CreateString(), "abc")
    n = x = group = root = None
    grow(store)
    assert driver().Delete(array_name(store, "dem")) == 0
    assert driver().Rename(array_name(store, "group"), array_name(store, "g")) == 0
    root = quiet_group(store)
    x = "/new/x" if form is as_documents else "/x"
    assert sizes(root.OpenGroup("new").OpenMDArray("a")) == [("/new/n", 5), (x, 4)]
    assert sizes(root.OpenGroup("group").OpenMDArray("v")) == [("/group/z", 2), ("/x", 4)]
    assert sizes(root.OpenMDArray("t"))[0] == ("/time", 3)
    assert "_scalar_" not in [d.GetName() for d in root.GetDimensions()]
    scalar = root.OpenMDArray("scalar")
    assert scalar.GetDimensionCount() == 0 and int.from_bytes(scalar.Read(), "little") == 42
    assert root.GetAttribute("word").Read() == "abc"
    if form is as_documents:
        own = store.rglob(".nczgroup")
        groups = {path.parent.name: json.loads(path.read_text()) for path in own}
        old, arrays = groups[store.name], "vars"
        assert {"_scalar_": 1, "time": 3, "y": 3, "x": 4} == old["dims"]
        assert groups["new"]["vars"] == ["a"] and groups["new"]["dims"]["n"] == 5
    else:
        old = json.loads((store / ".zattrs").read_text())["_nczarr_group"]
        arrays = "arrays"
        assert {"time": 3, "y": 3, "x": 4} == old["dimensions"]
        new = json.loads((store / "new" / "a" / ".zattrs").read_text())["_nczarr_array"]
        assert new == {"dimension_references": ["/new/n", "/x"], "storage": "chunked"}
    assert sorted(old[arrays]) == ["scalar", "t", "time"] and old["groups"] == ["new", "group"]


def test_plain_stores_get_no_nczarr_metadata(tmp_path):
    store = ncgen(tmp_path, "zarr", CDL)
    root = root_of(store)
    root.CreateGroup("new").CreateMDArray("s", [], int32(), UNCOMPRESSED)
    root = None
    assert "NCZARR" not in json.dumps(documents(store)).upper().replace("NCZARR=", "")
