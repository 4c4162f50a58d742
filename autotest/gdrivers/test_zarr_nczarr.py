# SPDX-License-Identifier: MIT
"""Tests NCZarr, the variant of Zarr that netCDF-C writes. The driver reads stores of the installed netCDF-C, and
netCDF-C opens stores of this driver. The tests write stores in the form of older and newer netCDF-C versions file by
file."""

import json
import re
import subprocess

import netCDF4
import numpy as np
import pytest
import zarr_gdal
from osgeo import gdal
from zarr_gdal import array_name, open_raster, read_all
from zarr_mdim import attribute_numbers, is_same, open_group, read
from zarr_store import group, handmade, make_store
from zarr_tools import run_tool

FILL_DOUBLE = 9.969209968386869e36  # NC_FILL_DOUBLE, the default fill value of netCDF-C

CDL = """netcdf x {
dimensions: time = 2 ; lat = 3 ; lon = 4 ; strlen = 5 ; unused = 7 ;
variables:
  double time(time) ; time:units = "days since 2000-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ;
  float lon(lon) ; lon:units = "degrees_east" ;
  short t(time, lat, lon) ;
    t:_FillValue = -9s ; t:scale_factor = 0.5 ; t:add_offset = 2. ; t:units = "K" ;
    t:a_bytes = -1b, 2b ; t:a_ubyte = 200UB ; t:a_short = 3s ; t:a_ushort = 40000US ; t:a_int = 5 ;
    t:a_uint = 4000000000U ; t:a_big = -5000000000LL ; t:a_ubig = 18446744073709551615ULL ;
    t:a_float = 1.5f ; t:a_double = 0.1 ; t:a_text = "words" ;
    t:_ChunkSizes = 1, 2, 3 ;
  byte b(lat, lon) ; ubyte ub(lat, lon) ; ushort us(lat, lon) ; int i(lat, lon) ;
  uint ui(lat, lon) ; int64 l(lat, lon) ; uint64 ul(lat, lon) ; float f(lat, lon) ;
  double d(lat, lon) ;
  int crs ; crs:grid_mapping_name = "latitude_longitude" ;
  char names(lat, strlen) ; names:long_name = "names" ;
  char word(strlen) ;
  char letter ;
  :title = "hello" ;
  :number = 5 ;
data:
  time = 1, 2 ;
  lat = 30, 20, 10 ;
  lon = 1, 2, 3, 4 ;
  t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, _ ;
  b = -128, 2, 3 ;
  ub = 0, 255 ;
  us = 65535 ;
  i = 1, -2147483648 ;
  ui = 4294967295 ;
  l = -9223372036854775807 ;
  ul = 18446744073709551615 ;
  f = 1.5 ;
  d = 1.5 ;
  crs = 42 ;
  names = "abc", "de", "" ;
  word = "hello" ;
  letter = "x" ;
group: g {
  dimensions: z = 2 ; lon = 3 ;
  variables: float v(z, lat, lon) ; float z(z) ;
  data: v = 1, 2, 3 ; z = 10, 20 ;
  group: deep {
    dimensions: lat = 3 ;
    variables: int q(lat, time) ; int other(lat, lon) ;
    data: q = 1, 2, 3 ; other = 7 ;
  }
}
}
"""


def ncgen(folder, mode, cdl=CDL):
    (folder / "x.cdl").write_text(cdl)
    store = folder / "x.zarr"
    run_tool("ncgen", "-4", "-o", f"file://{store}#mode={mode},file", folder / "x.cdl")
    return store


def ncdump(store, *arguments, mode="zarr"):
    return run_tool("ncdump", *arguments, f"file://{store}#mode={mode},file")


def quiet_group(store):
    with zarr_gdal.error_log() as log:
        root = open_group(store)
        for name in root.GetMDArrayNames():
            assert root.OpenMDArray(name) is not None
    log.assert_quiet()
    return root


def sizes(array):
    return [(d.GetFullName(), d.GetSize()) for d in array.GetDimensions()]


def filled(fill, dtype, *values):
    array = np.full(12, fill, dtype)
    array[: len(values)] = values
    return array.reshape(3, 4)


VALUES = {
    "b": filled(-127, "i1", -128, 2, 3),
    "ub": filled(255, "u1", 0, 255),
    "us": filled(65535, "u2", 65535),
    "i": filled(-2147483647, "i4", 1, -2147483648),
    "ui": filled(4294967295, "u4", 4294967295),
    "l": filled(-9223372036854775806, "i8", -9223372036854775807),
    "ul": filled(18446744073709551614, "u8", 18446744073709551615),
    "f": filled(FILL_DOUBLE, "f4", 1.5),
    "d": filled(FILL_DOUBLE, "f8", 1.5),
}
MODES = ["nczarr", "zarr", "xarray,zarr"]


@pytest.fixture(scope="module", params=MODES)
def store(request, tmp_path_factory):
    return ncgen(tmp_path_factory.mktemp("nczarr"), request.param)


@pytest.fixture(scope="module")
def nczarr(tmp_path_factory):
    return ncgen(tmp_path_factory.mktemp("nczarr"), "nczarr")


# ---------------------------------------------------------------------------------------------
# Stores that the installed netCDF-C writes


@pytest.mark.parametrize("name", sorted(VALUES))
def test_numbers(store, name):
    zarr_gdal.assert_same(
        open_raster(array_name(store, name)).ReadAsArray(), zarr_gdal.as_gdal(VALUES[name])
    )
    array = open_group(store).OpenMDArray(name)
    zarr_gdal.assert_same(read(array)[""], zarr_gdal.as_gdal(VALUES[name]))


def test_fill_values_are_exact(nczarr):
    root = open_group(nczarr)
    for name, values in VALUES.items():
        assert root.OpenMDArray(name).GetNoDataValueAsDouble() == float(values[2, 3]), name
    dataset = open_raster(array_name(nczarr, "d"))
    assert dataset.GetRasterBand(1).GetNoDataValue() == FILL_DOUBLE


def test_chunks_scale_and_nodata(store):
    dataset = open_raster(array_name(store, "t"))
    band = dataset.GetRasterBand(1)
    assert band.GetBlockSize() == [3, 2]
    assert (band.GetNoDataValue(), band.GetScale(), band.GetOffset()) == (-9, 0.5, 2)
    assert band.GetUnitType() == "K"
    wanted = np.arange(24).reshape(2, 3, 4)
    wanted[1, 2, 3] = -9
    np.testing.assert_array_equal(read_all(dataset), wanted)


def test_bookkeeping_attributes_of_nczarr_are_hidden(store):
    root = quiet_group(store)
    assert [a.GetName() for a in root.GetAttributes()] == ["title", "number"]
    names = [a.GetName() for a in root.OpenMDArray("t").GetAttributes()]
    assert names == [
        f"a_{kind}" for kind in ("bytes", "ubyte", "short", "ushort", "int", "uint", "big", "ubig",
                             "float", "double", "text")
    ]  # fmt: skip
    hidden = re.compile("(?i)_nczarr|_NCProp|_ARRAY_DIM")
    array = open_raster(array_name(store, "t"))
    for shown in (open_raster(store), array, array.GetRasterBand(1)):
        assert not [key for key in shown.GetMetadata() if hidden.match(key)]


def test_subdatasets_open(store):
    with zarr_gdal.error_log() as log:
        listed = [name for name, _ in gdal.Open(str(store)).GetSubDatasets()]
        assert len([name for name in listed if gdal.Open(name)]) == len(listed)
    log.assert_quiet()
    for path in ("t", "g/v", "g/deep/q", *VALUES):
        assert array_name(store, path) in listed
    assert array_name(store, "names") not in listed


def test_attributes_have_the_types_that_netcdf_gave_them(nczarr):
    array = open_group(nczarr).OpenMDArray("t")
    wanted = {
        "bytes": (zarr_gdal.gdal_type("i1"), [-1, 2]), "ubyte": (gdal.GDT_Byte, [200]),
        "short": (gdal.GDT_Int16, [3]), "ushort": (gdal.GDT_UInt16, [40000]),
        "int": (gdal.GDT_Int32, [5]), "uint": (gdal.GDT_UInt32, [4000000000]),
        "big": (gdal.GDT_Int64, [-5000000000]), "float": (gdal.GDT_Float32, [1.5]),
        "ubig": (gdal.GDT_UInt64, [18446744073709551615]), "double": (gdal.GDT_Float64, [0.1]),
    }  # fmt: skip
    for name, (number, values) in wanted.items():
        attribute = array.GetAttribute("a_" + name)
        assert attribute.GetDataType().GetNumericDataType() == number, name
        assert attribute_numbers(attribute) == values
    assert array.GetAttribute("a_text").ReadAsString() == "words"


@pytest.mark.parametrize("stated", ["<i1", "<u2", "|b1", "?", 3, "<U1", "<f4"])
def test_attributes_that_are_not_of_the_stated_type(tmp_path, stated):
    attrs = {"n": [-70000, 5], "_NCZARR_ATTR": {"types": {"n": stated}}}
    handmade(tmp_path / "x.zarr", attrs=attrs)
    attribute = open_group(tmp_path / "x.zarr").OpenMDArray("x").GetAttribute("n")
    assert attribute.ReadAsDoubleArray() == (-70000, 5)


def test_dimensions_are_shared_between_groups(nczarr):
    root = quiet_group(nczarr)
    assert sizes(root.OpenMDArray("t")) == [("/time", 2), ("/lat", 3), ("/lon", 4)]
    g, deep = root.OpenGroup("g"), root.OpenGroupFromFullname("/g/deep")
    assert sizes(g.OpenMDArray("v")) == [("/g/z", 2), ("/lat", 3), ("/g/lon", 3)]
    q = deep.OpenMDArray("q")
    assert sizes(q) == [("/g/deep/lat", 3), ("/time", 2)]
    assert is_same(q.GetDimensions()[1], root.OpenMDArray("t").GetDimensions()[0])
    assert q.GetDimensions()[1].GetIndexingVariable().GetFullName() == "/time"
    # The array /lat is not the indexing variable of the dimension /g/deep/lat, although the two have equal sizes.
    assert q.GetDimensions()[0].GetIndexingVariable() is None
    assert sizes(deep.OpenMDArray("other")) == [("/g/deep/lat", 3), ("/g/lon", 3)]


def test_groups_list_the_dimensions_that_they_declare(nczarr):
    root = open_group(nczarr)
    listed = {d.GetName(): d.GetSize() for d in root.GetDimensions()}
    assert listed == {"time": 2, "lat": 3, "lon": 4, "strlen": 5, "unused": 7}
    assert [d.GetFullName() for d in root.OpenGroup("g").GetDimensions()] == ["/g/z", "/g/lon"]


def test_scalars_have_no_dimension(nczarr):
    root = quiet_group(nczarr)
    crs = root.OpenMDArray("crs")
    assert crs.GetDimensionCount() == 0 and read(crs)[""] == 42
    assert open_raster(array_name(nczarr, "crs")).ReadAsArray().tolist() == [[42]]


def test_scalars_of_the_plain_mode_give_no_warning(store):
    assert read(quiet_group(store).OpenMDArray("crs"))[""].ravel().tolist() == [42]


def test_characters_are_texts(nczarr):
    root = quiet_group(nczarr)
    names = root.OpenMDArray("names")
    assert names.GetDataType().GetClass() == gdal.GEDTC_STRING
    assert sizes(names) == [("/lat", 3)] and names.GetBlockSize() == [3]
    assert read(names)[""].tolist() == [b"abc", b"de", b""]
    assert read(names, [2], [3], [-1])[""].tolist() == [b"", b"de", b"abc"]
    assert read(names, [1], [1], [1])[""].tolist() == [b"de"]
    word = root.OpenMDArray("word")
    assert word.GetDimensionCount() == 0 and read(word)[""].tolist() == b"hello"
    letter = root.OpenMDArray("letter")
    assert letter.GetDimensionCount() == 0 and read(letter)[""].tolist() == b"x"
    assert names.GetNoDataValueAsRaw() is None


def test_texts_survive_a_copy(nczarr, tmp_path):
    copy = tmp_path / "copy.zarr"
    subprocess.run(["gdalmdimtranslate", "-q", str(nczarr), str(copy)], check=True)
    names = open_group(copy).OpenMDArray("names")
    assert read(names)[""].tolist() == [b"abc", b"de", b""]
    assert sizes(names) == [("/lat", 3)]


@pytest.mark.parametrize("chunks", [[1, 2], [2, 3], [3, 1]])
def test_texts_in_several_chunks(tmp_path, chunks):
    """Reads characters of one byte from several chunks. netCDF-C 4.9.0 stores them with the dtype <U1."""
    texts = np.array([list("abcd"), list("ef\0\0"), list("ghi\0")], "S1")
    group(tmp_path / "x.zarr")
    files = {}
    for i in range(-(-3 // chunks[0])):
        for j in range(-(-4 // chunks[1])):
            block = np.zeros(chunks, "S1")
            part = texts[i * chunks[0] : (i + 1) * chunks[0], j * chunks[1] : (j + 1) * chunks[1]]
            block[: part.shape[0], : part.shape[1]] = part
            files[f"{i}.{j}"] = block.tobytes()
    handmade(
        tmp_path / "x.zarr", path="t", files=files, shape=[3, 4], chunks=chunks, dtype="<U1",
        fill_value="\0", _NCZARR_ARRAY={"dimrefs": ["/n", "/len"], "storage": "chunked"},
    )  # fmt: skip
    array = open_group(tmp_path / "x.zarr").OpenMDArray("t")
    assert sizes(array) == [("/n", 3)]
    assert read(array)[""].tolist() == [b"abcd", b"ef", b"ghi"]
    assert read(array, [0], [2], [2])[""].tolist() == [b"abcd", b"ghi"]


@pytest.mark.parametrize("update", [True, False])
def test_texts_are_not_written(nczarr, tmp_path, update):
    subprocess.run(["cp", "-r", str(nczarr), str(tmp_path / "x.zarr")], check=True)
    flags = gdal.OF_MULTIDIM_RASTER | (gdal.OF_UPDATE if update else 0)
    dataset = gdal.OpenEx(str(tmp_path / "x.zarr"), flags)
    array = dataset.GetRootGroup().OpenMDArray("names")
    with zarr_gdal.error_log() as log:
        assert array.Write(["x", "y", "z"]) != gdal.CE_None
    assert log.errors
    del array, dataset
    root = open_group(tmp_path / "x.zarr")
    assert read(root.OpenMDArray("names"))[""].tolist() == [b"abc", b"de", b""]


def test_the_crs_of_a_scalar_grid_mapping(tmp_path):
    cdl = """netcdf x { dimensions: y = 2 ; x = 3 ;
    variables: float v(y, x) ; v:grid_mapping = "crs" ; double x(x) ; double y(y) ;
      int crs ; crs:grid_mapping_name = "transverse_mercator" ;
      crs:longitude_of_central_meridian = 9. ; crs:latitude_of_projection_origin = 0. ;
      crs:scale_factor_at_central_meridian = 0.9996 ; crs:false_easting = 500000. ;
      crs:false_northing = 0. ; crs:semi_major_axis = 6378137. ;
      crs:inverse_flattening = 298.257223563 ;
    data: x = 10, 20, 30 ; y = 40, 30 ; v = 1, 2, 3, 4, 5, 6 ; }"""
    dataset = open_raster(ncgen(tmp_path, "nczarr", cdl))
    assert dataset.GetGeoTransform() == (5, 10, 0, 45, 0, -10)
    assert dataset.GetSpatialRef().GetAttrValue("PROJECTION") == "Transverse_Mercator"


# ---------------------------------------------------------------------------------------------
# Stores in the form of other netCDF-C versions, written file by file


def test_the_form_of_netcdf_4_8(tmp_path):
    """Reads a store in the form of netCDF-C 4.8: the extensions of NCZarr are separate documents, and the root has a
    document `.nczarr` (superblock)."""
    store = tmp_path / "x.zarr"
    group(store)
    (store / ".nczarr").write_text('{"nczarr_version": "1.0.0"}')
    (store / ".nczgroup").write_text(
        '{"dims": {"lat": 4, "lon": 6, "n": 3}, "vars": ["v", "lat"], "groups": ["g"]}'
    )
    for path, dims, shape in (("v", ["/lat", "/lon"], [4, 6]), ("g/v", ["/lat", "/g/x"], [4, 6])):
        handmade(store, path=path, shape=shape)
        (store / path / ".nczarray").write_text(json.dumps({"dimrefs": dims, "storage": "chunked"}))
        (store / path / ".nczattr").write_text('{"types": {}}')
    group(store, "g")
    (store / "g" / ".nczgroup").write_text('{"dims": {"x": 6}, "vars": ["v"], "groups": []}')
    handmade(store, path="lat", shape=[4], chunks=[2], files={})
    (store / "lat" / ".nczarray").write_text('{"dimrefs": ["/lat"], "storage": "chunked"}')
    root = quiet_group(store)
    assert sizes(root.OpenMDArray("v")) == [("/lat", 4), ("/lon", 6)]
    assert root.OpenMDArray("v").GetDimensions()[0].GetIndexingVariable().GetFullName() == "/lat"
    assert sizes(root.OpenGroup("g").OpenMDArray("v")) == [("/lat", 4), ("/g/x", 6)]
    assert {d.GetName(): d.GetSize() for d in root.GetDimensions()} == {"lat": 4, "lon": 6, "n": 3}


@pytest.mark.parametrize("dims", [
    {"time": {"size": 4, "unlimited": 1}, "x": 6},
    [{"name": "time", "size": 4, "unlimited": 1}, {"name": "x", "size": "6"}],
])  # fmt: skip
def test_the_form_of_netcdf_4_9_3(tmp_path, dims):
    """Reads a store in the form of netCDF-C 4.9.3: the extensions of NCZarr are attributes. The attribute of a group
    states the dimensions as an object or as a list."""
    store = tmp_path / "x.zarr"
    group(store, attrs={"_nczarr_group": {"dimensions": dims, "arrays": ["v"], "groups": []},
                        "_nczarr_superblock": {"version": "2.0.0"}, "title": "t"})  # fmt: skip
    handmade(store, path="v", attrs={
        "_nczarr_array": {"dimension_references": ["/time", "/x"], "storage": "chunked"},
        "_nczarr_attr": {"types": {"n": "<i2"}}, "n": 3})  # fmt: skip
    root = quiet_group(store)
    assert sizes(root.OpenMDArray("v")) == [("/time", 4), ("/x", 6)]
    assert [d.GetSize() for d in root.GetDimensions()] == [4, 6]
    assert [a.GetName() for a in root.GetAttributes()] == ["title"]
    (attribute,) = root.OpenMDArray("v").GetAttributes()
    assert attribute.GetDataType().GetNumericDataType() == gdal.GDT_Int16


def test_compressors_and_filters_as_netcdf_names_them(tmp_path):
    import numcodecs

    values = np.arange(6, dtype="<i2").reshape(2, 3)
    shuffled = numcodecs.Shuffle(2).encode(values.tobytes())
    group(tmp_path / "x.zarr")
    handmade(
        tmp_path / "x.zarr", path="v", shape=[2, 3], chunks=[2, 3],
        compressor={"id": "zlib", "level": 4}, filters=[{"id": "shuffle", "elementsize": 2}],
        files={"0.0": numcodecs.Zlib(4).encode(shuffled)},
        _nczarr_array={"dimrefs": ["/y", "/x"], "storage": "chunked"},
    )  # fmt: skip
    dataset = open_raster(array_name(tmp_path / "x.zarr", "v"))
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)


@pytest.mark.parametrize(
    "extension",
    [3, [], {}, {"dimrefs": 3}, {"dimrefs": ["/y"]}, {"dimrefs": ["/y", 4]},
     {"dimrefs": ["/", "/x"]}, {"dimrefs": ["/..", "/x"]}, {"dimrefs": ["/y", "/x"], "storage": "scalar"}, {"storage": 7}],
)  # fmt: skip
def test_broken_extensions(tmp_path, extension):
    group(tmp_path / "x.zarr", attrs={"_NCZARR_GROUP": extension})
    handmade(tmp_path / "x.zarr", path="v", _NCZARR_ARRAY=extension)
    with zarr_gdal.error_log() as log:
        root = open_group(tmp_path / "x.zarr")
        array = root.OpenMDArray("v")
        root.GetDimensions()
    assert [d.GetSize() for d in array.GetDimensions()] == [4, 6]
    assert log.errors == [] and len(log.warnings) <= 1, log.events


@pytest.mark.parametrize(
    "dims", [{"x": -1}, {"x": "1e3"}, {"x": 2**64}, [{"name": 3, "size": 1}], [3], "x", {"x": None}]
)
def test_broken_dimensions_of_a_group(tmp_path, dims):
    group(tmp_path / "x.zarr", attrs={"_NCZARR_GROUP": {"dims": dims}})
    handmade(tmp_path / "x.zarr", path="v")
    root = quiet_group(tmp_path / "x.zarr")
    assert not root.GetDimensions()


def test_arrays_with_other_dimensions_are_no_bands_of_one_grid(tmp_path):
    """Arrays without _ARRAY_DIMENSIONS and with equal shapes are bands of one raster only if they refer to the same
    dimensions."""
    for name, second in (("same", "/x"), ("other", "/col")):
        store = tmp_path / f"{name}.zarr"
        group(store)
        for path, dims in (("a", ["/y", "/x"]), ("b", ["/y", second])):
            handmade(store, path=path, _NCZARR_ARRAY={"dimrefs": dims, "storage": "chunked"})
    assert open_raster(tmp_path / "same.zarr").RasterCount == 2
    assert open_raster(tmp_path / "other.zarr").RasterCount == 0


# ---------------------------------------------------------------------------------------------
# Stores of this driver, read by netCDF-C. Debian's netCDF-C 4.9.0, 4.9.3 and 4.10.1 have no codecs, and read compressed
# chunks as noise. Version 4.9.0 crashes when it reads a scalar; 4.9.3 and 4.10.1 do not list scalars. Version 4.9.0
# refuses attributes that are lists of strings, such as spatial:dimensions.

NETCDF_C = tuple(int(number) for number in netCDF4.getlibversion().split()[0].split(".")[:3])


def assert_scalar(listing, *lines):
    """Asserts that `lines`, which describe a scalar, are in `listing` if netCDF-C is older than 4.9.3, and are absent
    otherwise."""
    for line in lines:
        assert (line in listing) == (NETCDF_C < (4, 9, 3)), line


def values_in(listing, name):
    text = re.search(rf"\n {name} =([^;]*);", listing).group(1)
    return np.array([np.nan if word.strip() == "_" else float(word) for word in text.split(",")])


def our_raster(folder, *options, has_crs=True):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Float32)
    source.SetGeoTransform((1000, 10, 0, 2000, 0, -10))
    srs = gdal.osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    if has_crs:
        source.SetSpatialRef(srs)
    values = np.arange(24, dtype="f4").reshape(2, 3, 4)
    source.WriteArray(values)
    store = folder / "ours.zarr"
    options = ["ARRAY_NAME=data", *options]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    return store, values


@pytest.mark.parametrize("mode", ["zarr", "xarray,zarr"])
@pytest.mark.parametrize("option", ["BLOCKSIZE=1,2,3", "BLOCKSIZE=2,3,4", "DIM_SEPARATOR=/"])
def test_a_raster_of_ours_opens_in_netcdf(tmp_path, mode, option):
    store, values = our_raster(tmp_path, "COMPRESS=NONE", option)
    listing = ncdump(store, "-v", "data,x,y", mode=mode)
    (data,) = re.findall(r"float data\((\w+), y, x\) ;", listing)
    assert f"{data} = 2 ;" in listing and "y = 3 ;" in listing and "x = 4 ;" in listing
    np.testing.assert_array_equal(values_in(listing, "data"), values.ravel())
    np.testing.assert_array_equal(values_in(listing, "x"), [1005, 1015, 1025, 1035])
    np.testing.assert_array_equal(values_in(listing, "y"), [1995, 1985, 1975])
    assert_scalar(listing, "int spatial_ref ;", "spatial_ref:crs_wkt = ")


def test_a_raster_without_a_crs_opens_in_netcdf(tmp_path):
    store, values = our_raster(tmp_path, "COMPRESS=NONE", has_crs=False)
    listing = ncdump(store)  # opens in all versions of netCDF-C, because a raster without a CRS has no scalar array
    np.testing.assert_array_equal(values_in(listing, "data"), values.ravel())
    np.testing.assert_array_equal(values_in(listing, "y"), [1995, 1985, 1975])
    assert open_raster(store).GetGeoTransform() == (1000, 10, 0, 2000, 0, -10)


@pytest.mark.parametrize("transform", [(1 / 3, 0.1, 0, 7e6 + 0.7, 0, -1 / 7), (5, 10, 0, 2, 0, 3)])
@pytest.mark.parametrize("side", [1, 2, 1000])
def test_a_place_without_a_crs_is_exact(tmp_path, transform, side):
    source = gdal.GetDriverByName("MEM").Create("", side, side)
    source.SetGeoTransform(transform)
    store = str(tmp_path / "x.zarr")
    gdal.GetDriverByName("Zarr").CreateCopy(store, source)
    assert open_raster(store).GetGeoTransform() == transform


def test_coordinates_of_a_compressed_raster_open_in_netcdf(tmp_path):
    store, _ = our_raster(tmp_path)
    listing = ncdump(store, "-v", "x,y")
    np.testing.assert_array_equal(values_in(listing, "x"), [1005, 1015, 1025, 1035])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_a_multidimensional_copy_of_ours_opens_in_netcdf(tmp_path, dtype):
    values = np.array([[[0, 1, 2], [3, 100, 127]]] * 2, dtype)
    make_store(
        tmp_path,
        {"v": {"values": values, "dims": "tyx", "attrs": {"units": "m"}},
         "t": {"values": np.array([5, 6], "i4"), "dims": "t"},
         "s": {"values": np.array(7.5), "dims": ""}},
        {"title": "x"},
    )  # fmt: skip
    target = tmp_path / "copy.zarr"
    subprocess.run(
        ["gdalmdimtranslate", "-q", "-of", "Zarr", "-co", "ARRAY:COMPRESS=NONE",
         str(tmp_path / "store.zarr"), str(target)],
        check=True,
    )  # fmt: skip
    listing = ncdump(target, "-v", "v,t")
    np.testing.assert_array_equal(values_in(listing, "v"), values.ravel())
    np.testing.assert_array_equal(values_in(listing, "t"), [5, 6])
    for line in ("v(t, y, x)", ':title = "x"', 'v:units = "m"'):
        assert line in listing
    assert_scalar(listing, "double s ;")


def test_what_netcdf_copies_of_ours_reads_the_same(tmp_path):
    """nccopy copies a store of this driver, and a netCDF file, to NCZarr. Each copy has the values of its source."""
    values = np.arange(12, dtype="f4").reshape(3, 4)
    make_store(tmp_path, {"v": {"values": values, "dims": "yx", "compressor": None}})
    url = "file://{}#mode={},file"
    for name, source in (
        ("ours", url.format(tmp_path / "store.zarr", "zarr")), ("file", str(tmp_path / "x.nc"))
    ):  # fmt: skip
        if name == "file":
            (tmp_path / "x.cdl").write_text(CDL)
            run_tool("ncgen", "-4", "-o", source, tmp_path / "x.cdl")
        copy = tmp_path / f"{name}.zarr"
        run_tool("nccopy", source, url.format(copy, "nczarr"))
        root = quiet_group(copy)
        if name == "ours":
            np.testing.assert_array_equal(read(root.OpenMDArray("v"))[""], values)
            assert sizes(root.OpenMDArray("v")) == [("/y", 3), ("/x", 4)]
        else:
            np.testing.assert_array_equal(read(root.OpenMDArray("ui"))[""], VALUES["ui"])
            assert read(root.OpenMDArray("names"))[""].tolist() == [b"abc", b"de", b""]
