# SPDX-License-Identifier: MIT
"""A nodata value that the data type cannot hold is refused, and never stored as another value."""

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, gdal_array
from zarr_gdal import error_log, gdal_is_at_least, open_band, open_raster

pytestmark = zarr_formats.BOTH
OUTSIDE = [
    (gdal.GDT_Byte, -9999, "Byte"),
    (gdal.GDT_Byte, 256, "Byte"),
    (gdal.GDT_Byte, 0.5, "Byte"),
    (gdal.GDT_Int16, float("nan"), "Int16"),
    (gdal.GDT_Int16, 1e30, "Int16"),
    (gdal.GDT_UInt16, -32768, "UInt16"),
    (gdal.GDT_Int32, float("-inf"), "Int32"),
    (gdal.GDT_UInt32, -1, "UInt32"),
    (gdal.GDT_Float32, 1e300, "Float32"),
    (gdal.GDT_CFloat32, -1e300, "CFloat32"),
]

INSIDE = [
    (gdal.GDT_Byte, 255),
    (gdal.GDT_Int16, -32768),
    (gdal.GDT_UInt32, 4294967295),
    (gdal.GDT_Float32, 0.1),
    (gdal.GDT_Float32, float("nan")),
    (gdal.GDT_Float32, float("-inf")),
    (gdal.GDT_Float32, -3.4028234663852886e38),
    (gdal.GDT_Float32, -3.4028235e38),
    (gdal.GDT_Float64, -1.7976931348623157e308),
    (gdal.GDT_CFloat64, -9999),
]


def create(store, data_type, bands=1):
    options = ["ARRAY_NAME=a", "COMPRESS=NONE"]
    driver = gdal.GetDriverByName("Zarr")
    return driver.Create(str(store), 4, 3, bands, data_type, options=options)


def assert_none(store):
    assert zarr_formats.array_document(store, "a")["fill_value"] is None
    assert "_FillValue" not in zarr_formats.attributes(store, "a")
    assert open_band(store).GetNoDataValue() is None


@pytest.mark.parametrize("data_type, value, name", OUTSIDE)
def test_nodata_outside_of_the_type_is_refused(tmp_path, data_type, value, name):
    store = tmp_path / "s.zarr"
    dataset = create(store, data_type)
    with error_log() as log:
        assert dataset.GetRasterBand(1).SetNoDataValue(value) == gdal.CE_None
    assert log.errors == [] and len(log.warnings) == 1
    assert f"nodata value {value:.17g} " in log.warnings[0] and f" does not fit {name}" in log.warnings[0]
    assert dataset.GetRasterBand(1).GetNoDataValue() is None
    zeros = np.zeros((3, 4), gdal_array.GDALTypeCodeToNumericTypeCode(data_type))
    dataset.WriteArray(zeros)
    dataset = None
    assert_none(store)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), zeros)


@pytest.mark.parametrize("data_type, value", INSIDE)
def test_nodata_inside_of_the_type_is_stored(tmp_path, data_type, value, cpl):
    store = tmp_path / "s.zarr"
    dataset = create(store, data_type)
    assert dataset.GetRasterBand(1).SetNoDataValue(value) == gdal.CE_None
    dataset = None
    wanted = np.float32(value) if data_type == gdal.GDT_Float32 else value
    np.testing.assert_array_equal(open_band(store).GetNoDataValue(), wanted)
    cpl.assert_quiet()


def test_a_refused_value_removes_the_old_one(tmp_path):
    """After a nodata value is refused, the band has no nodata value, as with GDAL's GeoTIFF driver."""
    store = tmp_path / "s.zarr"
    dataset = create(store, gdal.GDT_Byte)
    band = dataset.GetRasterBand(1)
    assert band.SetNoDataValue(0) == gdal.CE_None
    with error_log() as log:
        assert band.SetNoDataValue(-9999) == gdal.CE_None
    assert len(log.warnings) == 1 and log.errors == []
    assert band.GetNoDataValue() is None
    band = dataset = None
    assert_none(store)


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]])
@pytest.mark.parametrize("data_type, value, name", OUTSIDE[:1] + OUTSIDE[3:6])
def test_a_copy_of_nodata_outside_of_the_type_warns_once(tmp_path, data_type, value, name, options):
    """Three bands have a nodata value that does not fit their data type. A copy of the raster gives one warning for all
    three bands."""
    store = tmp_path / "s.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 3, data_type)
    values = np.arange(36).reshape(3, 3, 4).astype(
        gdal_array.GDALTypeCodeToNumericTypeCode(data_type))  # fmt: skip
    source.WriteArray(values)
    for i in (1, 2, 3):
        source.GetRasterBand(i).SetNoDataValue(value)
    if source.GetRasterBand(1).GetNoDataValue() is None:
        pytest.fail("the source has no such nodata value")
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    assert log.errors == [] and len(log.warnings) == 1, log.events
    assert f"nodata value {value:.17g} " in log.warnings[0] and f" does not fit {name}" in log.warnings[0]
    dataset = open_raster(store)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    assert [dataset.GetRasterBand(i).GetNoDataValue() for i in (1, 2, 3)] == [None] * 3


@pytest.mark.parametrize("data_type, setter, value", [
    (gdal.GDT_Byte, "SetNoDataValueAsInt64", 2**63 - 1),
    (gdal.GDT_Float32, "SetNoDataValueAsInt64", 2**53 + 1),
    (gdal.GDT_UInt64, "SetNoDataValueAsInt64", -1),
    (gdal.GDT_Int64, "SetNoDataValueAsUInt64", 2**64 - 1),
])  # fmt: skip
def test_integers_of_64_bits_do_not_fit_smaller_types(tmp_path, data_type, setter, value):
    store = tmp_path / "s.zarr"
    dataset = create(store, data_type)
    with error_log() as log:
        assert getattr(dataset.GetRasterBand(1), setter)(value) == gdal.CE_None
    assert log.errors == [] and len(log.warnings) == 1 and f" {value} " in log.warnings[0]
    dataset = None
    assert_none(store)


def test_a_structures_nodata_must_fit_its_field(tmp_path):
    """The nodata value must fit the data type of a field, not of the whole structure."""
    root = zarr.open_group(str(tmp_path / "s.zarr"), mode="w")
    values = np.zeros((3, 4), [("u", "u1"), ("f", "<f4")])
    root.create_dataset("a", data=values, fill_value=None)
    dataset = gdal.OpenEx(str(tmp_path / "s.zarr"), gdal.OF_RASTER | gdal.OF_UPDATE)
    with error_log() as log:
        dataset.GetRasterBand(1).SetNoDataValue(-1)
    assert len(log.warnings) == 1 and "Byte" in log.warnings[0]


@pytest.mark.parametrize("value, is_inside", [(-128, True), (127, True), (128, False), (-129, False)])
def test_multidimensional_8_bits(tmp_path, value, is_inside):
    """GDAL before 3.7 has no type Int8, so the array has a type of 16 bits. A nodata value that does not fit in 8 bits
    gives one warning."""
    store = tmp_path / "s.zarr"
    zarr.open_group(str(store), mode="w").create_dataset("a", data=np.zeros((3, 4), "i1"),
                                                         fill_value=None)  # fmt: skip
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("a")
    if gdal_is_at_least(3, 7):  # the array has GDAL's type Int8, so GDAL itself converts the value
        assert array.GetDataType().GetNumericDataType() == gdal.GDT_Int8
        return
    with error_log() as log:
        assert array.SetNoDataValueDouble(value) == gdal.CE_None
    assert log.errors == [] and len(log.warnings) == (0 if is_inside else 1)
    array = dataset = None
    held = zarr_formats.attributes(store, "a").get("_FillValue")
    assert held == (value if is_inside else None)


def test_each_array_warns_of_its_nodata(tmp_path):
    """Each attempt through the multidimensional API gives a warning that names the array."""
    root = zarr.open_group(str(tmp_path / "s.zarr"), mode="w")
    for name in "ab":
        root.create_dataset(name, data=np.zeros((3, 4), "i1"), fill_value=None)
    dataset = gdal.OpenEx(str(tmp_path / "s.zarr"), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    group = dataset.GetRootGroup()
    if gdal_is_at_least(3, 7):  # see above
        return
    with error_log() as log:
        for name in "aabb":
            assert group.OpenMDArray(name).SetNoDataValueDouble(300) == gdal.CE_None
    assert [text.split(": ")[1] for text in log.warnings] == ["/a", "/a", "/b", "/b"]


def test_removing_the_nodata_value_of_one_band_warns(tmp_path):
    """The array has no nodata value afterwards, as before, but the first band shows one."""
    with error_log() as log:
        dataset = create(tmp_path / "s.zarr", gdal.GDT_Int16, 2)
        dataset.GetRasterBand(1).SetNoDataValue(-9999)
        dataset.GetRasterBand(2).DeleteNoDataValue()
        dataset = None
    assert len(log.events) == 1 and "differ in scale, offset, unit or nodata" in log.warnings[0]


def test_a_raster_warns_once_of_differing_bands(tmp_path):
    """Other warnings in between change nothing. A store in a zip file has its name in GDAL."""
    for name, prefix in (("s.zarr", ""), ("s.zarr.zip", "/vsizip/")):
        with error_log() as log:
            dataset = create(tmp_path / name, gdal.GDT_Byte, 3)
            for factor in (1, 2):
                for i in (1, 2, 3):
                    dataset.GetRasterBand(i).SetScale(i * factor)
                    dataset.GetRasterBand(i).SetNoDataValue(300)
                if not prefix:
                    dataset.FlushCache()
            dataset = None
        assert len(log.warnings) == 2, log.events
        assert "nodata value 300" in log.warnings[0] and "differ in scale" in log.warnings[1]
        assert all(text.startswith(f"{prefix}{tmp_path / name}: /a: ") for text in log.warnings)


# ---------------------------------------------------------------------------------------------
# Nodata values that are set after the first pixels are written

PROFILES = [[], ["SINGLE_ARRAY=NO"], ["BLOCKSIZE=100,200"], ["FORMAT=ZARR_V3", "SHARD=YES", "BLOCKSIZE=400,400",
            "SHARD_CHUNK_SHAPE=100,100"], ["PROFILE=CLOUD"]]  # fmt: skip


def large(name, options=(), driver="Zarr", bands=1):
    return gdal.GetDriverByName(driver).Create(str(name), 1000, 900, bands, gdal.GDT_Int16, options=list(options))


def pixels_and_mask(name, number=1):
    dataset = gdal.Open(str(name))
    band = dataset.GetRasterBand(number)
    return band.ReadAsArray(), band.GetMaskBand().ReadAsArray()


@pytest.mark.parametrize("options", PROFILES)
def test_unwritten_chunks_become_nodata_as_in_geotiff(tmp_path, options):
    for driver, name in (("GTiff", "u.tif"), ("Zarr", "u.zarr")):
        blocks = ["TILED=YES"] if driver == "GTiff" else options
        dataset = large(tmp_path / name, blocks, driver, 2)
        for number in (1, 2):
            band = dataset.GetRasterBand(number)
            assert band.ReadAsArray(800, 800, 1, 1)[0, 0] == 0
            band.WriteArray(np.full((10, 10), 3, "i2"))
        for number in (1, 2):
            dataset.GetRasterBand(number).SetNoDataValue(-7)
        if driver == "Zarr":  # GTiff is not tested, because it still returns zeros from its cached block
            assert dataset.GetRasterBand(1).ReadAsArray(800, 800, 1, 1)[0, 0] == -7
        dataset = None
        for number in (1, 2):
            values, mask = pixels_and_mask(tmp_path / name, number)
            assert (values[:10, :10] == 3).all() and (values[10:20, :10] == 0).all(), "a written block"
            assert values[800, 800] == -7 and mask[800, 800] == 0
            assert mask[:20, :20].all()
    assert not list(tmp_path.glob("*.xml"))


def test_the_last_nodata_value_counts_for_unwritten_chunks(tmp_path):
    store = tmp_path / "u.zarr"
    dataset = large(store)
    dataset.GetRasterBand(1).WriteArray(np.full((10, 10), 3, "i2"))
    for value in (-7, -8):
        dataset.GetRasterBand(1).SetNoDataValue(value)
        assert dataset.GetRasterBand(1).ReadAsArray()[800, 800] == value
    dataset = None
    assert pixels_and_mask(store)[0][800, 800] == -8


def test_written_zeros_stay_valid(tmp_path):
    store = tmp_path / "u.zarr"
    dataset = large(store)
    values = np.zeros((900, 1000), "i2")
    values[0, 0] = 1
    dataset.GetRasterBand(1).WriteArray(values)
    dataset.GetRasterBand(1).SetNoDataValue(-7)
    dataset = None
    got, mask = pixels_and_mask(store)
    np.testing.assert_array_equal(got, values)
    assert mask.all()


def test_pixels_of_others_keep_their_values(tmp_path):
    store = tmp_path / "u.zarr"
    dataset = large(store)
    dataset.GetRasterBand(1).WriteArray(np.full((10, 10), 3, "i2"))
    dataset = None
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((10, 10), 4, "i2"))
    dataset.GetRasterBand(1).SetNoDataValue(-7)
    dataset = None
    got, mask = pixels_and_mask(store)
    assert got[800, 800] == 0 and mask.all()


def test_a_copy_s_pixels_keep_their_values(tmp_path):
    source = large("", driver="MEM")
    source.GetRasterBand(1).WriteArray(np.full((10, 10), 3, "i2"))
    copied = gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "c.zarr"), source)
    copied.GetRasterBand(1).SetNoDataValue(-7)
    copied = None
    got, mask = pixels_and_mask(tmp_path / "c.zarr")
    assert got[800, 800] == 0 and mask.all()


@pytest.mark.parametrize("removed", [None, 1e9])
def test_removed_nodata_stays_in_blocks_that_gdal_caches(tmp_path, removed):
    """A resampled write leaves dirty blocks, which count as written before the fill value changes. A value that the
    data type cannot hold removes the nodata value, too."""
    store = tmp_path / "s.zarr"
    options = ["ARRAY_NAME=a", *zarr_formats.block_options(16, 16)]
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 64, 64, 1, gdal.GDT_Int16, options=options)
    band = dataset.GetRasterBand(1)
    band.SetNoDataValue(-9999)
    band.WriteRaster(0, 0, 16, 16, np.full((32, 32), 7, "i2").tobytes(), 32, 32, gdal.GDT_Int16)
    wanted = np.full((64, 64), -9999)
    wanted[:16, :16] = 7
    with error_log():
        assert (band.DeleteNoDataValue() if removed is None else band.SetNoDataValue(removed)) == gdal.CE_None
    np.testing.assert_array_equal(band.ReadAsArray(), wanted)
    del band, dataset
    assert open_band(store).GetNoDataValue() is None
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), wanted)


@pytest.mark.parametrize("value", [-7, None])
def test_no_file_beside_the_store(tmp_path, value):
    store = tmp_path / "u.zarr"
    dataset = large(store)
    band = dataset.GetRasterBand(1)
    band.SetCategoryNames(["a", "b"])
    band.WriteArray(np.full((10, 10), 3, "i2"))
    band.SetNoDataValue(-1)
    band.SetNoDataValue(value) if value is not None else band.DeleteNoDataValue()
    assert [path.name for path in tmp_path.iterdir()] == ["u.zarr"]
    dataset = band = None
    assert [path.name for path in tmp_path.iterdir()] == ["u.zarr"]
    assert open_band(store).GetCategoryNames() == ["a", "b"]
