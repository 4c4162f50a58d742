# SPDX-License-Identifier: MIT
"""Creation option BAND_DIM names the dimension of the bands, and BAND_DIM_VALUES sets its coordinates. Creation
option APPEND_DIM can later extend the cube."""

import cftime
import numpy as np
import pytest
import xarray
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import error_log, open_raster

pytestmark = zarr_formats.BOTH
PLACE = (500000, 10, 0, 5000000, 0, -10)


def raster(values):
    """Returns a dataset in memory whose bands are `values`."""
    bands, height, width = values.shape
    dataset = gdal.GetDriverByName("MEM").Create("", width, height, bands, gdal.GDT_Int16)
    dataset.SetGeoTransform(PLACE)
    for number, band in enumerate(values, 1):
        dataset.GetRasterBand(number).WriteArray(band)
    return dataset


def values_of(bands, first=0):
    return np.arange(first, first + bands * 20 * 30, dtype="i2").reshape(bands, 20, 30)


def copy(path, source, *options):
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").CreateCopy(str(path), source, options=list(options))
    assert made is not None, log.events
    log.assert_quiet()
    return made.ReadAsArray().reshape(-1, 20, 30)


def refused(path, source, *options):
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(path), source, options=list(options)) is None
    assert not path.exists()
    return log.the_error()


def opened(path):
    """Returns the store as an xarray dataset, whose array is called "a"."""
    return xarray.open_zarr(str(path), consolidated=True)


@pytest.mark.parametrize("values, wanted", [
    ("2020-01-01,2020-02-01,2021-01-01", np.array(["2020-01-01", "2020-02-01", "2021-01-01"], "M8[ns]")),
    ("2020-01-01T06:30:00,2020-01-01T07:00:00,2020-01-02",
     np.array(["2020-01-01T06:30", "2020-01-01T07:00", "2020-01-02"], "M8[ns]")),
    ("2020-01-01T00:00:00.250,2020-01-02,2020-01-03",
     np.array(["2020-01-01T00:00:00.250", "2020-01-02", "2020-01-03"], "M8[ns]")),
    ("1,5,3", np.array([1, 5, 3], "i8")),
    ("0.5,1,2e3", np.array([0.5, 1, 2000], "f8")),
    ("low,middle,high", np.array(["low", "middle", "high"])),
])  # fmt: skip
def test_coordinates(tmp_path, values, wanted):
    np.testing.assert_array_equal(
        copy(tmp_path / "a.zarr", raster(values_of(3)), "BAND_DIM=when", f"BAND_DIM_VALUES={values}"),
        values_of(3),
    )
    seen = opened(tmp_path / "a.zarr")
    assert seen["a"].dims == ("when", "y", "x")
    np.testing.assert_array_equal(seen["when"].values, wanted)
    np.testing.assert_array_equal(seen["a"].values, values_of(3))


@pytest.mark.parametrize("dimension", ["spatial_ref", "crs", "spatial_ref_a"])
def test_a_dimension_with_the_name_of_a_grid_mapping(tmp_path, dimension):
    """The CRS is written beside the coordinates of the bands, not in their place."""
    store = tmp_path / "a.zarr"
    source = raster(values_of(3))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    source.SetSpatialRef(srs)
    copy(store, source, f"BAND_DIM={dimension}", "BAND_DIM_VALUES=1,5,3")
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert log.events == []
    assert dataset.GetSpatialRef().IsSame(srs)
    values = [dataset.GetRasterBand(i).GetMetadataItem(f"DIM_{dimension}_VALUE") for i in (1, 2, 3)]
    assert values == ["1", "5", "3"]
    np.testing.assert_array_equal(opened(store)[dimension].values, [1, 5, 3])


def test_a_single_band_starts_a_cube(tmp_path):
    store = tmp_path / "a.zarr"
    copy(store, raster(values_of(1)), "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01")
    for day in (2, 3):
        copy(store, raster(values_of(1, day)), "APPEND_SUBDATASET=YES", "APPEND_DIM=time",
             f"APPEND_DIM_VALUES=2020-01-0{day}")  # fmt: skip
    seen = opened(store)
    assert seen["a"].shape == (3, 20, 30)
    np.testing.assert_array_equal(
        seen["time"].values, np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[ns]")
    )
    np.testing.assert_array_equal(open_raster(store).ReadAsArray()[2], values_of(1, 3)[0])


@pytest.mark.parametrize("item, value", [
    ("DIM_time_TIME", "2020-05-01"), ("TIFFTAG_DATETIME", "2020:05:01 00:00:00"), (None, "2020-05-01"),
])  # fmt: skip
def test_coordinates_by_metadata(tmp_path, item, value):
    source = raster(values_of(1))
    if item is None:
        source.GetRasterBand(1).SetDescription(value)
    elif item.startswith("TIFF"):
        source.SetMetadataItem(item, value)
    else:
        source.GetRasterBand(1).SetMetadataItem(item, value)
    copy(tmp_path / "a.zarr", source, "BAND_DIM=time")
    np.testing.assert_array_equal(opened(tmp_path / "a.zarr")["time"].values, np.array(["2020-05-01"], "M8[ns]"))


def test_coordinates_of_netcdf(tmp_path):
    source = raster(values_of(2))
    source.SetMetadataItem("time#units", "hours since 2000-01-01")
    for number in (1, 2):
        source.GetRasterBand(number).SetMetadataItem("NETCDF_DIM_time", str(24 * number))
    copy(tmp_path / "a.zarr", source, "BAND_DIM=time")
    np.testing.assert_array_equal(
        opened(tmp_path / "a.zarr")["time"].values, np.array(["2000-01-02", "2000-01-03"], "M8[ns]")
    )


@pytest.mark.parametrize("calendar, values, wanted", [
    # Day 59 is 02-30 in a calendar whose months have 30 days, and 03-01 in the other calendars.
    ("360_day", (59, 60), ["2001-02-30", "2001-03-01"]),
    ("noleap", (59, 424), ["2001-03-01", "2002-03-01"]),
    ("standard", (-153000, -152999), None),
    (None, (-153000, -152999), None),
])  # fmt: skip
def test_calendars_of_netcdf(tmp_path, calendar, values, wanted):
    """Times keep their calendar, and the date that they have in it. This includes dates before the Gregorian
    calendar."""
    source = raster(values_of(2))
    source.SetMetadataItem("time#units", "days since 2001-01-01")
    if calendar is not None:
        source.SetMetadataItem("time#calendar", calendar)
    for number, value in enumerate(values, 1):
        source.GetRasterBand(number).SetMetadataItem("NETCDF_DIM_time", str(value))
    copy(tmp_path / "a.zarr", source, "BAND_DIM=time")
    stored = xarray.open_zarr(str(tmp_path / "a.zarr"), consolidated=True, decode_times=False)["time"]
    name = calendar or "standard"
    assert stored.attrs["calendar"] == name
    dates = cftime.num2date(stored.values, stored.attrs["units"], name)
    assert list(dates) == list(cftime.num2date(values, "days since 2001-01-01", name))
    if wanted is not None:
        assert [date.strftime("%Y-%m-%d") for date in dates] == wanted
    # A copy of the copy keeps the calendar of the source.
    copy(tmp_path / "b.zarr", open_raster(tmp_path / "a.zarr"), "BAND_DIM=time")
    again = xarray.open_zarr(str(tmp_path / "b.zarr"), consolidated=True, decode_times=False)["time"]
    assert list(cftime.num2date(again.values, again.attrs["units"], again.attrs["calendar"])) == list(dates)


def test_old_dates_are_those_of_iso_8601(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)), "BAND_DIM=time", "BAND_DIM_VALUES=1500-01-01,1582-10-10")
    stored = xarray.open_zarr(str(tmp_path / "a.zarr"), consolidated=True, decode_times=False)["time"]
    first = np.datetime64("1970-01-01")
    wanted = [(np.datetime64(date) - first).astype(int) for date in ("1500-01-01", "1582-10-10")]
    assert stored.values.tolist() == wanted and stored.attrs["calendar"] == "proleptic_gregorian"


@pytest.mark.parametrize("texts", [("2020-01-01", "cloud mask"), ("cloud mask", "2020-01-01")])
def test_descriptions_that_are_no_coordinates(tmp_path, texts):
    source = raster(values_of(2))
    for number, text in enumerate(texts, 1):
        source.GetRasterBand(number).SetDescription(text)
    copy(tmp_path / "a.zarr", source, "BAND_DIM=time")
    dataset = open_raster(tmp_path / "a.zarr")
    assert tuple(dataset.GetRasterBand(i).GetDescription() for i in (1, 2)) == texts


def test_numbers_beyond_int64(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)), "BAND_DIM=n", "BAND_DIM_VALUES=1,18446744073709551616")
    assert opened(tmp_path / "a.zarr")["n"].values.tolist() == [1.0, 2.0**64]


def test_a_cube_of_zarr_keeps_its_times(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)), "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01,2020-01-02T12:00:00")
    copy(tmp_path / "b.zarr", open_raster(tmp_path / "a.zarr"), "BAND_DIM=time", "ARRAY_NAME=a")
    np.testing.assert_array_equal(
        opened(tmp_path / "b.zarr")["time"].values, np.array(["2020-01-01", "2020-01-02T12:00"], "M8[ns]")
    )


def test_bands_without_coordinates_have_a_named_dimension(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)), "BAND_DIM=level")
    seen = opened(tmp_path / "a.zarr")
    assert seen["a"].dims == ("level", "y", "x") and "level" not in seen.coords


def test_descriptions_of_bands_stay_beside_their_times(tmp_path):
    source = raster(values_of(2))
    for number, text in enumerate(("first", "second"), 1):
        source.GetRasterBand(number).SetDescription(text)
    copy(tmp_path / "a.zarr", source, "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01,2020-01-02")
    np.testing.assert_array_equal(
        opened(tmp_path / "a.zarr")["time"].values, np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
    )
    dataset = open_raster(tmp_path / "a.zarr")
    assert [dataset.GetRasterBand(i).GetDescription() for i in (1, 2)] == ["first", "second"]


def test_create(tmp_path):
    dataset = gdal.GetDriverByName("Zarr").Create(
        str(tmp_path / "a.zarr"), 30, 20, 2, gdal.GDT_Int16, ["BAND_DIM=depth", "BAND_DIM_VALUES=10,20"]
    )
    for number, band in enumerate(values_of(2), 1):
        dataset.GetRasterBand(number).WriteArray(band)
    del dataset
    seen = opened(tmp_path / "a.zarr")
    assert seen["depth"].values.tolist() == [10, 20]
    np.testing.assert_array_equal(seen["a"].values, values_of(2))


def test_pixel_interleaved(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)), "BAND_DIM=level", "BAND_DIM_VALUES=1,2", "INTERLEAVE=PIXEL")
    assert opened(tmp_path / "a.zarr")["a"].dims == ("y", "x", "level")


def test_a_pixel_interleaved_cube_goes_on(tmp_path):
    store = tmp_path / "a.zarr"
    copy(store, raster(values_of(2)), "BAND_DIM=level", "BAND_DIM_VALUES=1,2", "INTERLEAVE=PIXEL")
    copy(store, raster(values_of(1, 7)), "APPEND_SUBDATASET=YES", "APPEND_DIM=level", "APPEND_DIM_VALUES=3")
    seen = opened(store)
    assert seen["a"].dims == ("y", "x", "level") and seen["level"].values.tolist() == [1, 2, 3]
    np.testing.assert_array_equal(seen["a"].values[..., 2], values_of(1, 7)[0])
    np.testing.assert_array_equal(seen["a"].values[..., :2], np.moveaxis(values_of(2), 0, 2))


def back_to_geotiff(folder, store):
    """Copies a store to a GeoTIFF. Returns the descriptions and the metadata of its bands."""
    gdal.GetDriverByName("GTiff").CreateCopy(str(folder / "back.tif"), open_raster(store))
    dataset = gdal.Open(str(folder / "back.tif"))
    assert not [name for name in dataset.GetMetadata() if "#" in name]
    bands = [dataset.GetRasterBand(number + 1) for number in range(dataset.RasterCount)]
    return [(band.GetDescription(), band.GetMetadata()) for band in bands]


def test_plain_bands_go_back_to_geotiff_clean(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(2)))
    assert back_to_geotiff(tmp_path, tmp_path / "a.zarr") == [("", {}), ("", {})]


def test_names_of_plain_bands_go_back_to_geotiff_as_descriptions(tmp_path):
    source = raster(values_of(3))
    for number, text in enumerate(("red", "", "blue"), 1):
        source.GetRasterBand(number).SetDescription(text)
    source.GetRasterBand(2).SetMetadataItem("WAVELENGTH", "550")
    copy(tmp_path / "a.zarr", source)
    bands = back_to_geotiff(tmp_path, tmp_path / "a.zarr")
    assert bands == [("red", {}), ("", {"WAVELENGTH": "550"}), ("blue", {})]


@pytest.mark.parametrize("coordinates, clean", [
    ([1, 2, 3], True), ([0, 1, 2], False), ([1, 2, 4], False), ([443, 560, 665], False), (["r", "g", "b"], True),
])  # fmt: skip
def test_numbers_of_plain_bands_are_no_coordinates(tmp_path, coordinates, clean):
    """The numbers 1, 2, ... that rioxarray gives to the bands of a GeoTIFF are not treated as coordinates."""
    xarray.Dataset({"a": (("band", "y", "x"), values_of(3))}, {"band": coordinates}).to_zarr(
        str(tmp_path / "a.zarr"), consolidated=True
    )
    bands = back_to_geotiff(tmp_path, tmp_path / "a.zarr")
    assert [metadata == {} for _, metadata in bands] == [clean] * 3
    if coordinates == [1, 2, 3]:
        assert [name for name, _ in bands] == [""] * 3
    if not clean:
        assert [metadata["DIM_band_VALUE"] for _, metadata in bands] == [str(value) for value in coordinates]


def file_of(folder, name, values):
    path = str(folder / name)
    gdal.GetDriverByName("GTiff").CreateCopy(path, raster(values))
    return gdal.Open(path)


@pytest.mark.parametrize("name, pattern, wanted", [
    ("S2A_20240501T101031_B04.tif", "%Y%m%d", "2024-05-01"),
    ("S2A_20240501T101031_B04.tif", "%Y%m%dT%H%M%S", "2024-05-01T10:10:31"),
    ("T32TQM_0099_2024-05-01.tif", "%Y-%m-%d", "2024-05-01"),
    ("MOD13Q1.A2024122.h18v04.tif", "A%Y%j", "2024-05-01"),
    ("MOD13Q1.A2024366.h18v04.tif", ".A%Y%j.", "2024-12-31"),
    ("ndvi_2024.tif", "%Y", "2024-01-01"),
    ("scene_12345678_20240501.tif", "%Y%m%d", "2024-05-01"),  # the first number is not a date, so the second is taken
    ("scene_20240501_20240601.tif", "%Y%m%d", "2024-05-01"),  # the first of two dates is taken
    ("scene_x20240501101031.tif", "%Y%m%d", "2024-05-01"),  # more digits may follow the date
    ("9920240501_20240601.tif", "%Y%m%d", "2024-06-01"),  # the first date follows digits, so the second is taken
    ("100%20240501.tif", "%%%Y%m%d", "2024-05-01"),
    ("20240229.tif", "%Y%m%d", "2024-02-29"),
])  # fmt: skip
def test_times_in_file_names(tmp_path, name, pattern, wanted):
    copy(tmp_path / "a.zarr", file_of(tmp_path, name, values_of(1)), "BAND_DIM=time",
         f"BAND_DIM_VALUES=FILENAME:{pattern}")  # fmt: skip
    np.testing.assert_array_equal(opened(tmp_path / "a.zarr")["time"].values, np.array([wanted], "M8[ns]"))


def test_files_continue_a_cube_by_their_names(tmp_path):
    store = tmp_path / "a.zarr"
    files = [file_of(tmp_path, f"ndvi_2024060{day}.tif", values_of(1, day)) for day in (1, 2, 3)]
    copy(store, files[0], "BAND_DIM=time", "BAND_DIM_VALUES=FILENAME:%Y%m%d")
    for file in files[1:]:
        copy(store, file, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=FILENAME:%Y%m%d")
    # With a list of bands, gdal_translate passes a VRT of the file to the driver. The driver must find the file's name
    # in the VRT.
    last = file_of(tmp_path, "ndvi_20240604.tif", values_of(2, 4))
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=filename:ndvi_%Y%m%d"]
    assert gdal.Translate(str(store), last, format="Zarr", bandList=[1], creationOptions=options)
    wanted = np.array([f"2024-06-0{day}" for day in (1, 2, 3, 4)], "M8[ns]")
    np.testing.assert_array_equal(opened(store)["time"].values, wanted)
    np.testing.assert_array_equal(opened(store)["a"].values[:, 0, 0], [1, 2, 3, 4])


@pytest.mark.parametrize("name, pattern, message", [
    ("a_20241301.tif", "%Y%m%d", "the file name a_20241301.tif has no time of the form %Y%m%d"),
    ("a_20230229.tif", "%Y%m%d", "has no time of the form"),
    ("a_2023366.tif", "%Y%j", "has no time of the form"),
    ("a_20240501T250000.tif", "%Y%m%dT%H%M%S", "has no time of the form"),
    ("a_20240501.tif", "%m%d", "a pattern with %Y"),
    ("a_20240501.tif", "%Y%m%Y", "at most once each"),
    ("a_20240501.tif", "%Y%b", "a pattern with %Y"),
    ("a_20240501.tif", "%Y%", "a pattern with %Y"),
    ("a_20240501.tif", "", "a pattern with %Y"),
])  # fmt: skip
def test_file_names_without_a_time(tmp_path, name, pattern, message):
    source = file_of(tmp_path, name, values_of(1))
    error = refused(tmp_path / "a.zarr", source, "BAND_DIM=time", f"BAND_DIM_VALUES=FILENAME:{pattern}")
    assert message in error and "BAND_DIM_VALUES" in error
    store = tmp_path / "b.zarr"
    copy(store, raster(values_of(1)), "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01")
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(store), source,
            options=["APPEND_SUBDATASET=YES", "APPEND_DIM=time", f"APPEND_DIM_VALUES=FILENAME:{pattern}"],
        ) is None  # fmt: skip
    assert message in log.the_error() and "APPEND_DIM_VALUES" in log.the_error()


def test_a_file_name_gives_one_time(tmp_path):
    options = ("BAND_DIM=time", "BAND_DIM_VALUES=FILENAME:%Y")
    assert "1 values for 2 bands" in refused(tmp_path / "a.zarr", file_of(tmp_path, "2024.tif", values_of(2)), *options)
    assert "needs a source that is read from a file" in refused(tmp_path / "a.zarr", raster(values_of(1)), *options)
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").Create(
            str(tmp_path / "a.zarr"), 30, 20, 1, gdal.GDT_Int16, list(options)
        ) is None  # fmt: skip
    assert "needs a source that is read from a file" in log.the_error()


def test_profile_and_overviews_of_a_cube(tmp_path):
    values = np.arange(2 * 700 * 600, dtype="i4").reshape(2, 700, 600).astype("i2")
    source = gdal.GetDriverByName("MEM").Create("", 600, 700, 2, gdal.GDT_Int16)
    for number, band in enumerate(values, 1):
        source.GetRasterBand(number).WriteArray(band)
    options = ["PROFILE=CLOUD", "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01,2020-01-02"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source, options=options)
    dataset = open_raster(tmp_path / "a.zarr")
    np.testing.assert_array_equal(dataset.ReadAsArray(), values)
    assert dataset.GetRasterBand(2).GetOverviewCount() == 1
    assert dataset.GetRasterBand(2).GetMetadataItem("DIM_time_TIME").startswith("2020-01-02")


@pytest.mark.parametrize("options, wanted", [
    (["BAND_DIM=x"], "neither x nor y"),
    (["BAND_DIM=a/b"], "without '/'"),
    (["BAND_DIM=a"], "the name of the new array"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=1"], "1 values for 2 bands"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=1,1"], "values that differ"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=1,1.0"], "values that differ"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=2020-01-01,2020-01-01T00:00:00"], "values that differ"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=1,"], "no empty value"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=1,,2"], "3 values for 2 bands"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=2020-01-01,x"], "only ISO 8601 times, because one value is a time"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=x,2020-01-01"], "only ISO 8601 times, because one value is a time"),
    (["BAND_DIM=t", "BAND_DIM_VALUES=5,2020-01-01"], "only ISO 8601 times, because one value is a time"),
    (["BAND_DIM_VALUES=1,2"], "because BAND_DIM_VALUES is set"),
    (["BAND_DIM=t", "SINGLE_ARRAY=NO"], "because SINGLE_ARRAY=NO is set"),
])  # fmt: skip
def test_wrong_values(tmp_path, options, wanted):
    assert wanted in refused(tmp_path / "a.zarr", raster(values_of(2)), *options)


def test_names_of_a_store_are_not_used_twice(tmp_path):
    copy(tmp_path / "a.zarr", raster(values_of(1)), "BAND_DIM=time", "BAND_DIM_VALUES=2020-01-01")
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(
            str(tmp_path / "a.zarr"), raster(values_of(1)),
            options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=b", "BAND_DIM=time", "BAND_DIM_VALUES=2021-01-01"],
        ) is None  # fmt: skip
    assert "the name of an array or a dimension of the store" in log.the_error()


@pytest.mark.parametrize("name, values, wanted", [
    ("time", "20240501,20240502", np.array(["2024-05-01", "2024-05-02"], "M8[ns]")),
    ("when", "20240501,20240502", np.array(["2024-05-01", "2024-05-02"], "M8[ns]")),
    ("t", "20240501, 2024-05-02T06:00", np.array(["2024-05-01", "2024-05-02T06:00"], "M8[ns]")),
    ("time", "2023,2024", np.array([2023, 2024], "i8")),
    ("time", "20241301,20241302", np.array([20241301, 20241302], "i8")),
    ("id", "20240501,7", np.array([20240501, 7], "i8")),
    ("id", "20240501.0,7", np.array([20240501, 7], "i8")),
    ("id", "20240501,nir", np.array(["20240501", "nir"])),
])  # fmt: skip
def test_dates_without_hyphens(tmp_path, name, values, wanted):
    copy(tmp_path / "a.zarr", raster(values_of(2)), f"BAND_DIM={name}", f"BAND_DIM_VALUES={values}")
    np.testing.assert_array_equal(opened(tmp_path / "a.zarr")[name].values, wanted)


@pytest.mark.parametrize("name", ["time", "t"])
@pytest.mark.parametrize("values, other", [("20240501,7", "7"), ("20230228,20230229", "20230229")])
def test_only_some_dates_along_a_time_are_refused(tmp_path, name, values, other):
    told = refused(tmp_path / "a.zarr", raster(values_of(2)), f"BAND_DIM={name}", f"BAND_DIM_VALUES={values}")
    assert "BAND_DIM_VALUES" in told and f'"{other}"' in told


def test_a_cube_of_dates_without_hyphens_grows(tmp_path):
    store = tmp_path / "a.zarr"
    copy(store, raster(values_of(1)), "BAND_DIM=time", "BAND_DIM_VALUES=20240501")
    copy(store, raster(values_of(1)), "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=20240502")
    times = np.array(["2024-05-01", "2024-05-02"], "M8[ns]")
    np.testing.assert_array_equal(opened(store)["time"].values, times)
    assert open_raster(store).GetRasterBand(2).GetMetadataItem("DIM_time_TIME") == "2024-05-02T00:00:00Z"
