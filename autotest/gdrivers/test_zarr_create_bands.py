# SPDX-License-Identifier: MIT
"""Bands with different scales, offsets, units or nodata values become separate arrays, because an array has only one of
each."""

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SETTERS = {
    "scale": lambda band, i: band.SetScale(i + 2),
    "offset": lambda band, i: band.SetOffset(i + 2),
    "unit": lambda band, i: band.SetUnitType("mM"[i]),
    "nodata": lambda band, i: band.SetNoDataValue(i + 2),
    "nodata of one": lambda band, i: band.SetNoDataValue(2) if i else None,
}


def source_of(setter, bands=2):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, bands, gdal.GDT_Int16)
    for i in range(bands):
        source.GetRasterBand(i + 1).Fill(i + 5)
        source.GetRasterBand(i + 1).SetDescription(f"b{i}")
        setter(source.GetRasterBand(i + 1), i)
    return source


def facts(dataset):
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return [(band.GetDescription(), band.GetScale() or 1, band.GetOffset() or 0, band.GetUnitType(),
             band.GetNoDataValue(), band.Checksum()) for band in bands]  # fmt: skip


def arrays_of(store):
    return sorted(zarr.open_group(str(store), mode="r").array_keys())


@pytest.mark.parametrize("what", SETTERS)
def test_a_copy_of_bands_that_differ_has_an_array_for_each(tmp_path, cpl, what):
    source = source_of(SETTERS[what])
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert arrays_of(tmp_path / "a.zarr") == ["b0", "b1"]
    assert facts(open_raster(tmp_path / "a.zarr")) == facts(source)
    assert cpl.events == []


@pytest.mark.parametrize("alike", [lambda band, i: None, lambda band, i: band.SetScale(3),
                                   lambda band, i: band.SetNoDataValue(7)])  # fmt: skip
def test_a_copy_of_bands_that_are_alike_has_one_array(tmp_path, cpl, alike):
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source_of(alike))
    assert "a" in arrays_of(tmp_path / "a.zarr")
    assert cpl.events == []


@pytest.mark.parametrize("second", [2**62 + 1, 2**62 + 2])
def test_nodata_of_64_bits_are_compared_exactly(tmp_path, cpl, second):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Int64)
    for i, value in enumerate((2**62 + 1, second)):
        source.GetRasterBand(i + 1).SetNoDataValueAsInt64(value)
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert len(arrays_of(tmp_path / "a.zarr")) == (1 if second == 2**62 + 1 else 2)
    assert cpl.events == []


def test_a_scale_of_one_equals_no_scale(tmp_path):
    source = source_of(lambda band, i: band.SetScale(1) if i else None)
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert "a" in arrays_of(tmp_path / "a.zarr")


def test_bands_without_a_value_and_with_nan_are_alike(tmp_path):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Float32)
    for i in (1, 2):
        source.GetRasterBand(i).SetNoDataValue(float("nan"))
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert arrays_of(tmp_path / "a.zarr") == ["a"]


@pytest.mark.parametrize("option", ["SINGLE_ARRAY=YES", "INTERLEAVE=PIXEL", "ARRAY_NAME=x",
                                    "BLOCKSIZE=1,2,2"])  # fmt: skip
def test_one_array_for_bands_that_differ_gives_a_warning(tmp_path, cpl, option):
    source = source_of(SETTERS["scale"])
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source, options=[option])
    dataset = open_raster(tmp_path / "a.zarr")
    assert [dataset.GetRasterBand(i).GetScale() for i in (1, 2)] == [3, 3]
    assert cpl.errors == [] and len(cpl.warnings) == 1
    assert "bands differ in scale" in cpl.warnings[0] and "SINGLE_ARRAY=NO" in cpl.warnings[0]


def test_setting_the_scale_of_all_bands_gives_no_warning(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, 3)
    for count in (3, 1):
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        for i in range(count):
            dataset.GetRasterBand(i + 1).SetScale(count)
        dataset = None
        dataset = open_raster(store)
        assert dataset.GetRasterBand(3).GetScale() == count
        assert len(cpl.warnings) == (count == 1)


@pytest.mark.parametrize("is_whole", [True, False])
def test_nodata_is_removed_and_pixels_stay(tmp_path, cpl, is_whole):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 6, 1, gdal.GDT_Int16,
                                                  ["BLOCKSIZE=3,4"])  # fmt: skip
    dataset.GetRasterBand(1).SetNoDataValue(-1)
    values = np.full((6, 4), -1, "i2")
    values[0] = 5
    values[3] = 7 if is_whole else -1  # a chunk that holds only the fill value -1 is not stored
    dataset.GetRasterBand(1).WriteArray(values)
    dataset = None
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    done = dataset.GetRasterBand(1).DeleteNoDataValue() == gdal.CE_None
    dataset = None
    dataset = open_raster(store)
    assert done and dataset.GetRasterBand(1).GetNoDataValue() is None
    assert (dataset.ReadAsArray() == values).all() and cpl.events == []
    assert zarr_formats.array_document(store, "a")["fill_value"] is None or not is_whole


def test_pixels_equal_to_a_removed_nodata_value_are_stored(tmp_path):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 4, 1, gdal.GDT_Int16)
    band = dataset.GetRasterBand(1)
    band.SetNoDataValue(-1)
    band.Fill(5)
    assert band.DeleteNoDataValue() == gdal.CE_None
    band.Fill(-1)
    dataset = band = None
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetNoDataValue() is None
    assert (dataset.ReadAsArray() == -1).all()
    assert (zarr.open(str(store / "a"), mode="r")[:] == -1).all()


def test_the_auxiliary_file_is_deleted_with_a_zip_file(tmp_path):
    driver, store = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr.zip"
    driver.CreateCopy(str(store), gdal.GetDriverByName("MEM").Create("", 4, 4))
    (tmp_path / "a.zarr.zip.aux.xml").write_text("<PAMDataset/>")
    driver.Delete(str(store))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [".msk", ".ovr", ".aux.xml"])
def test_auxiliary_files_go_with_the_store(tmp_path, end):
    """If a store is deleted, renamed or replaced, so is its auxiliary file."""
    driver, store = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr"

    def make():
        driver.Create(str(store), 4, 4)
        (tmp_path / f"a.zarr{end}").write_text("<PAMDataset/>")

    make()
    driver.Delete(str(store))
    assert list(tmp_path.iterdir()) == []
    make()
    driver.Rename(str(tmp_path / "b.zarr"), str(store))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zarr", f"b.zarr{end}"]
    make()
    driver.Create(str(store), 8, 8)
    assert sorted(path.name for path in tmp_path.glob("a*")) == ["a.zarr"]


def georeferenced(store, options, transform=(100, 10, 0, 500, 0, -10), bands=2):
    """Creates a raster by Create(), and then sets its geotransform and CRS."""
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, bands, gdal.GDT_Byte, options)
    if transform is not None:
        dataset.SetGeoTransform(transform)
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32632)
        dataset.SetSpatialRef(srs)
    for i in range(bands):
        dataset.GetRasterBand(i + 1).Fill(i + len(options))
    dataset = None


def dimensions_of(store):
    group = zarr.open_group(str(store), mode="r")
    return {name: array.attrs["_ARRAY_DIMENSIONS"] for name, array in group.arrays()
            if array.ndim > 1}  # fmt: skip


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("flushed", [False, True])
def test_arrays_for_bands_with_a_name(tmp_path, cpl, copied, flushed):
    """ARRAY_NAME=foo with SINGLE_ARRAY=NO gives the arrays foo_band1, foo_band2, ... A store can hold
    several such rasters, which share equal dimensions."""
    store = tmp_path / "a.zarr"
    for name in ("foo", "bar"):
        options = ["SINGLE_ARRAY=NO", f"ARRAY_NAME={name}"] + ["APPEND_SUBDATASET=YES"] * (name == "bar")
        if copied:
            source = source_of(lambda band, i: None)
            source.SetGeoTransform((100, 10, 0, 500, 0, -10))
            made = gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
        else:
            made = gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, 2, gdal.GDT_Int16, options)
            made.SetGeoTransform((100, 10, 0, 500, 0, -10))
        if flushed:
            made.FlushCache()
        made = None
    names = [f"{name}_band{i}" for name in ("foo", "bar") for i in (1, 2)]
    assert dimensions_of(store) == {name: ["y", "x"] for name in names}
    assert arrays_of(store) == sorted([*names, "x", "y"])
    dataset = open_raster(store)
    assert dataset.RasterCount == 4 and dataset.GetGeoTransform() == (100, 10, 0, 500, 0, -10)
    assert [band_array(dataset, i) for i in (1, 2, 3, 4)] == names
    assert cpl.events == []


def band_array(dataset, number):
    return dataset.GetRasterBand(number).GetMetadataItem("ARRAY", "ZARR").lstrip("/")


def test_equal_dimensions_are_shared(tmp_path, cpl):
    """An array that is appended to a store uses the dimensions of an existing array if the coordinates are equal.
    Existing arrays stay unchanged."""
    store = tmp_path / "a.zarr"
    georeferenced(store, ["ARRAY_NAME=first"])
    before = zarr_formats.contents(store)
    append = "APPEND_SUBDATASET=YES"
    georeferenced(store, ["ARRAY_NAME=same", append])
    georeferenced(store, ["ARRAY_NAME=east", append], (110, 10, 0, 500, 0, -10))
    georeferenced(store, ["ARRAY_NAME=rotated", append], (100, 10, 1, 500, 1, -10))
    georeferenced(store, ["ARRAY_NAME=nowhere", append], None)
    georeferenced(store, ["ARRAY_NAME=nowhere2", append], None, bands=3)
    georeferenced(store, ["ARRAY_NAME=east2", append], (110, 10, 0, 500, 0, -10), bands=1)
    assert dimensions_of(store) == {
        "first": ["band", "y", "x"],
        "same": ["band", "y", "x"],
        "east": ["band", "y", "x_east"],
        "rotated": ["band", "y_rotated", "x_rotated"],
        "nowhere": ["band", "y_rotated", "x_rotated"],
        "nowhere2": ["band_nowhere2", "y_rotated", "x_rotated"],
        "east2": ["y", "x_east"],
    }
    after = zarr_formats.contents(store)
    for key, content in before.items():
        # An append removes GeoTransform from a grid mapping that several arrays share, so its attributes may change.
        is_shared = key.startswith("spatial_ref/")
        assert key in (zarr_formats.spelled(".zmetadata"), "pam.aux.xml") or is_shared or after[key] == content, key
    for name, x in (("first", 100), ("same", 100), ("east", 110), ("east2", 110)):
        dataset = open_raster(f'ZARR:"{store}":/{name}')
        assert dataset.GetGeoTransform() == (x, 10, 0, 500, 0, -10)
        assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert open_raster(f'ZARR:"{store}":/rotated').GetGeoTransform() == (100, 10, 1, 500, 1, -10)
    read = xr.open_zarr(str(store))
    assert dict(read.sizes) == {"band": 2, "y": 3, "x": 4, "x_east": 4, "y_rotated": 3,
                                "x_rotated": 4, "band_nowhere2": 3}  # fmt: skip
    assert cpl.events == []


@pytest.mark.parametrize("size, bands, expected", [
    (["BLOCKSIZE=2,3"], 2, (1, 2, 3)), (["BLOCKSIZE=2,2,3"], 2, (2, 2, 3)),
    (["BLOCKSIZE=2,3"], 1, (2, 3)), (["BLOCKSIZE=2,3", "INTERLEAVE=PIXEL"], 2, (2, 3, 2)),
    (["BLOCKXSIZE=3"], 2, (1, 5, 3)), (["BLOCKXSIZE=3", "BLOCKYSIZE=2"], 1, (2, 3)),
    (["BLOCKYSIZE=2"], 2, (1, 5, 7)), (["BLOCKYSIZE=2", "TILED=YES"], 1, (5, 7)),
    (["BLOCKXSIZE=3", "BLOCKYSIZE=2", "INTERLEAVE=PIXEL"], 2, (2, 3, 2)),
    (["BLOCKXSIZE=3", "BLOCKYSIZE=2", "TILED=YES"], 1, (2, 3)),
    (["BLOCKXSIZE=7", "BLOCKYSIZE=1", "TILED=NO"], 1, (5, 7)),
    (["BLOCKXSIZE=3", "BLOCKSIZE=2,2"], 1, (2, 2)), (["BLOCKXSIZE=3", "BLOCKSIZE=2,2,2"], 2, (2, 2, 2)),
])  # fmt: skip
def test_chunk_sizes(tmp_path, cpl, size, bands, expected):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").Create(str(store), 7, 5, bands, gdal.GDT_Byte, size)
    assert zarr.open_group(str(store), mode="r")["a"].chunks == expected
    assert cpl.events == []


@pytest.mark.parametrize("options, bands, cause", [
    (["BLOCKSIZE=2"], 1, "expected 2 numbers, one for each dimension, got 1"), (["BLOCKSIZE=2"], 2, "expected 3"),
    (["BLOCKSIZE=2,2,2"], 1, "expected 2"), (["BLOCKSIZE=2,2,2,2"], 2, "expected 3"),
    (["BLOCKXSIZE=0"], 1, "BLOCKXSIZE: expected a number >= 1"), (["BLOCKYSIZE=a"], 1, "BLOCKYSIZE"),
])  # fmt: skip
def test_invalid_chunk_sizes(tmp_path, cpl, options, bands, cause):
    store = tmp_path / "a.zarr"
    assert gdal.GetDriverByName("Zarr").Create(str(store), 7, 5, bands, gdal.GDT_Byte, options) is None
    assert cause in cpl.the_error()
    assert not store.exists()


FOREIGN = [
    ("COMPRESS=LZW", "LZW", "BLOSC"), ("COMPRESS=jxl", "jxl", "BLOSC"),
    ("COMPRESS=LERC_ZSTD", "LERC_ZSTD", "BLOSC"), ("COMPRESS=CCITTFAX4", "CCITTFAX4", "BLOSC"),
    ("INTERLEAVE=LINE", "LINE", "BAND"), ("INTERLEAVE=tile", "tile", "BAND"),
]  # fmt: skip


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("option, value, used", FOREIGN)
def test_values_of_other_formats_are_one_warning_and_the_default(
    tmp_path, cpl, option, value, used, copy
):
    driver = gdal.GetDriverByName("Zarr")
    plain, store = tmp_path / "plain" / "a.zarr", tmp_path / "a.zarr"
    plain.parent.mkdir()
    for path, options in ((plain, []), (store, [option])):
        if copy:
            assert driver.CreateCopy(str(path), source_of(lambda band, i: None), options=options)
        else:
            assert driver.Create(str(path), 7, 5, 2, gdal.GDT_Byte, options)
    name = option.split("=")[0]
    expected = f"{store}: creation option {name}: Zarr has no {value}; the default {used} is used"
    assert cpl.warnings == [expected] and cpl.errors == []
    assert zarr_formats.array_document(store, "a") == zarr_formats.array_document(plain, "a")


def test_compressors_that_no_format_has_are_an_error(tmp_path, cpl):
    driver = gdal.GetDriverByName("Zarr")
    store = tmp_path / "a.zarr"
    assert driver.Create(str(store), 7, 5, 1, gdal.GDT_Byte, ["COMPRESS=LZX"]) is None
    assert "COMPRESS: expected NONE, BLOSC" in cpl.the_error()
    assert not store.exists()


def test_zstd_with_a_checksum(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    options = ["COMPRESS=ZSTD", "ZSTD_CHECKSUM=YES", "ZSTD_LEVEL=3"]
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source_of(lambda band, i: None), options=options)
    held = zarr_formats.array_document(store, "a")
    assert held["compressor"] == {"id": "zstd", "level": 3, "checksum": True}
    assert facts(open_raster(store)) == facts(source_of(lambda band, i: None))
    # A zstd frame ends with its checksum, so a changed last byte gives an error.
    chunk = zarr_formats.chunk_file(store, "a", 0, 0, 0)
    damaged = bytearray(chunk.read_bytes())
    damaged[-1] ^= 1
    chunk.write_bytes(damaged)
    assert cpl.events == []
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).ReadRaster() is None
    assert "zstd" in cpl.the_error()


def names_of(dataset):
    return [dataset.GetRasterBand(i + 1).GetDescription() for i in range(dataset.RasterCount)]


@pytest.mark.parametrize("through", ["Zarr", "GTiff", "VRT"])
@pytest.mark.parametrize("dims", [("band", "y", "x"), ("time", "y", "x"), ("t", "z", "y", "x")])
@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]])
def test_placeholder_names_of_bands_are_not_stored(tmp_path, cpl, through, dims, options):
    values = np.arange(48, dtype="<i2").reshape((2, 2, 3, 4) if len(dims) == 4 else (4, 3, 4))
    store = make_store(tmp_path, {"cube": {"values": values, "dims": dims}})
    source = open_raster(store)
    placeholders = names_of(source)
    assert (placeholders == [""] * 4) == (dims[0] == "band")
    if through != "Zarr":
        source = gdal.GetDriverByName(through).CreateCopy(str(tmp_path / "between"), source)
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "c.zarr"), source, options=options)
    copied = open_raster(tmp_path / "c.zarr")
    np.testing.assert_array_equal(copied.ReadAsArray(), values.reshape(4, 3, 4))
    group = zarr.open_group(str(tmp_path / "c.zarr"), mode="r")
    if options:
        assert sorted(group.array_keys()) == ["Band1", "Band2", "Band3", "Band4"]
    else:
        # The copy has the dimensions of the source. The driver therefore gives its bands equal names, made of indices
        # along these dimensions.
        assert list(group.array_keys()) == ["c"] and names_of(copied) == placeholders
    assert cpl.events == []


def test_bands_without_names_among_others_stay_without(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, 3)
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(2).SetDescription("red")
    dataset = None
    assert names_of(open_raster(store)) == ["", "red", ""]
    assert list(xr.open_zarr(str(store))["band"].values) == ["", "red", ""]
    assert cpl.events == []


def test_a_copy_does_not_inherit_zarr_conventions(tmp_path, cpl):
    store = make_store(tmp_path, {"a": {"values": np.zeros((3, 4)), "attrs": {
        "zarr_conventions": [{"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f"}], "proj:code": "EPSG:32632"}}})
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "c.zarr"), open_raster(store))
    attributes = dict(zarr.open_group(str(tmp_path / "c.zarr"), mode="r")["c"].attrs)
    assert "zarr_conventions" not in attributes and "proj:code" not in attributes
    assert open_raster(tmp_path / "c.zarr").GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert cpl.events == []


LONG = "Sentinel-2 level-2A surface reflectance; " * 7


@pytest.mark.parametrize("name", [LONG, "ä" * 120, "zarr.json", ".zarray", "a/b"])
@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]])
def test_a_description_that_is_no_name_of_a_folder(tmp_path, cpl, name, options):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Int16)
    for number, description in ((1, name), (2, "red")):
        band = source.GetRasterBand(number)
        band.SetDescription(description)
        band.SetNoDataValue(-number)  # an array has one nodata value, so each band becomes an array
        band.Fill(number)
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "c.zarr"), source, options=options)
    group = zarr.open_group(str(tmp_path / "c.zarr"), mode="r")
    assert sorted(group.array_keys()) == ["Band1", "red"]
    assert group["Band1"].attrs["long_name"] == name
    assert names_of(open_raster(tmp_path / "c.zarr")) == [name, "red"]
    assert cpl.events == []


def test_the_longest_name_of_a_band_s_array(tmp_path, cpl):
    store = tmp_path / "c.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2)
    for number in (1, 2):
        source.GetRasterBand(number).SetDescription("b" * (199 + number))
        source.GetRasterBand(number).CreateMaskBand(0)
    options = ["SINGLE_ARRAY=NO", "OVERVIEWS=2"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    assert names_of(open_raster(store)) == ["b" * 200, "b" * 201]
    assert (store / ("b" * 200)).is_dir() and (store / "Band2").is_dir()
    assert cpl.events == []
