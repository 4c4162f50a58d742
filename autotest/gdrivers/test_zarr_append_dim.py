# SPDX-License-Identifier: MIT
"""Creation option APPEND_DIM: the bands of a source are appended to an array along one of its dimensions."""

import json
import pathlib

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, open_raster, read_all

pytestmark = zarr_formats.BOTH
PLACE = (500000, 10, 0, 5200000, 0, -10)


def driver():
    return gdal.GetDriverByName("Zarr")


def utm():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    return srs


def slices(*values, size=(20, 10), transform=PLACE):
    """Returns a raster in memory with one band for each of `values`. All pixels of a band have the band's value."""
    dataset = gdal.GetDriverByName("MEM").Create("", *size, len(values), gdal.GDT_Int16)
    dataset.SetGeoTransform(transform)
    dataset.SetSpatialRef(utm())
    for i, value in enumerate(values):
        dataset.GetRasterBand(i + 1).Fill(value)
    return dataset


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*") if path.is_file()}  # fmt: skip


def make_cube(folder, times=("2020-01-01", "2020-01-02"), encoding=None, variables=("v",), chunk=1):
    """Writes a store with xarray. The variables have the dimensions time, y and x. Their coordinates y and x are
    those of the rasters that slices() returns."""
    store = folder / "cube.zarr"
    data = np.arange(len(times), dtype="i2")[:, None, None] + np.zeros((1, 10, 20), "i2")
    coordinates = {"time": np.array(times, "M8[ns]"), "y": 5199995.0 - 10 * np.arange(10),
                   "x": 500005.0 + 10 * np.arange(20)}  # fmt: skip
    # The variable w is a float, to which xarray gives the fill value NaN. Integers get no fill value.
    dataset = xr.Dataset({name: (("time", "y", "x"), data.astype("f4" if name == "w" else "i2"))
                          for name in variables}, coordinates)  # fmt: skip
    settings = {name: {"chunks": (chunk, 5, 20)} for name in variables}
    settings["time"] = {"chunks": (3,), **(encoding or {})}
    dataset.to_zarr(str(store), encoding=settings, consolidated=True)
    return store


def append(store, source, *options, **arguments):
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", *options]
    return driver().CreateCopy(str(store), source, options=options, **arguments)


ENCODINGS = {
    "days": {"units": "days since 2019-12-31"},
    "float hours": {"units": "hours since 2020-01-01 12:00", "dtype": "f8"},
    "seconds": {"units": "seconds since 1970-01-01", "dtype": "i8"},
    "noleap": {"units": "hours since 2020-01-01", "calendar": "noleap", "dtype": "i4"},
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("chunk", [1, 3])
def test_xarray_finds_the_next_times(tmp_path, encoding, chunk, cpl):
    store = make_cube(tmp_path, encoding=ENCODINGS[encoding], chunk=chunk)
    assert append(store, slices(70), "APPEND_DIM_VALUES=2020-01-05")
    assert append(store, slices(80, 90), "APPEND_DIM_VALUES=2020-01-06T06:00,2020-01-07") or (
        encoding == "days")  # fmt: skip
    if encoding == "days":  # integer days cannot hold the time 06:00, a quarter of a day
        assert "cannot be stored exactly" in cpl.the_error()
        cpl.clear()
        assert append(store, slices(80, 90), "APPEND_DIM_VALUES=2020-01-06,2020-01-07")
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=True) as opened:
        clock = "T00:00:00" if encoding == "days" else "T06:00:00"
        wanted = ["2020-01-01T00:00:00", "2020-01-02T00:00:00", "2020-01-05T00:00:00",
                  "2020-01-06" + clock, "2020-01-07T00:00:00"]  # fmt: skip
        assert [str(time.values)[:19].replace(" ", "T") for time in opened.time] == wanted
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 1, 70, 80, 90]
        assert (opened.v.values == opened.v.values[:, :1, :1]).all()


def test_datetime64_coordinates_grow(tmp_path):
    store = tmp_path / "t.zarr"
    group = zarr.open_group(str(store), mode="w")
    for name, data, dims in (("v", np.zeros((1, 10, 20), "i2"), ["time", "y", "x"]),
                             ("time", np.array(["2020-01-01"], "M8[ns]"), ["time"])):  # fmt: skip
        group.create_dataset(name, data=data, chunks=data.shape).attrs["_ARRAY_DIMENSIONS"] = dims
    text = "2020-01-01T00:00:00.000000001"
    assert append(store, slices(4), "APPEND_DIM_VALUES=" + text)
    assert zarr.open(str(store), mode="r")["time"][1] == np.datetime64(text, "ns")


def test_an_existing_slice_is_overwritten(tmp_path):
    store = make_cube(tmp_path)
    assert append(store, slices(50, 60), "APPEND_DIM_VALUES=2020-01-02,2020-01-03")
    with xr.open_zarr(str(store)) as opened:
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 50, 60]
    before = zarr_formats.array_document(store, "v")
    assert append(store, slices(70), "APPEND_DIM_VALUES=2020-01-01")
    assert zarr_formats.array_document(store, "v") == before
    assert read_all(open_raster(array_name(store, "v")))[0, 0, 0] == 70


def test_every_variable_grows(tmp_path):
    store = make_cube(tmp_path, variables=("v", "w"))
    with error_log() as log:
        assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03") is None
    assert "ARRAY_NAME" in log.the_error()
    assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=v")
    with xr.open_zarr(str(store)) as opened:
        assert opened.w.shape == opened.v.shape == (3, 10, 20)
        assert (opened.v[2] == 7).all() and np.isnan(opened.w.values[2]).all()
    assert append(store, slices(8), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=w")
    with xr.open_zarr(str(store)) as opened:
        assert opened.v.shape == (3, 10, 20)
        assert (opened.w[2] == 8).all() and (opened.v[2] == 7).all()


def test_times_come_from_the_bands_metadata(tmp_path):
    store = make_cube(tmp_path, encoding={"units": "hours since 2020-01-01"})
    (tmp_path / "next").mkdir()
    other = make_cube(tmp_path / "next", ["2020-02-01", "2020-02-02"], {"units": "days since 2000-01-01"})
    assert append(store, gdal.Open(array_name(other, "v")))
    path = tmp_path / "next.nc"
    with xr.open_zarr(str(other)) as opened:
        write_netcdf(path, opened)
    assert append(store, gdal.Open(f'NETCDF:"{path}":v'))
    with xr.open_zarr(str(store)) as opened:
        assert [str(time)[:10] for time in opened.time.values] == [
            "2020-01-01", "2020-01-02", "2020-02-01", "2020-02-02", "2020-03-02", "2020-03-03"]


def write_netcdf(path, opened):
    """Writes a netCDF file with the grid and the values of `opened`. Its times are minutes in March 2020."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("time", 2), ("y", 10), ("x", 20)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "minutes since 2020-03-01"
        time[:] = [1440, 2880]
        for name in ("y", "x"):
            file.createVariable(name, "f8", (name,))[:] = opened[name].values
        file.createVariable("v", "i2", ("time", "y", "x"))[:] = opened.v.values


def test_the_time_comes_from_a_tiff_tag(tmp_path):
    store = make_cube(tmp_path)
    path = tmp_path / "next.tif"
    gdal.GetDriverByName("GTiff").CreateCopy(str(path), slices(5)).SetMetadataItem(
        "TIFFTAG_DATETIME", "2020:01:09 00:00:00")
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]
    gdal.Translate(str(store), str(path), format="Zarr", creationOptions=options)
    with xr.open_zarr(str(store)) as opened:
        assert opened.time.values[-1] == np.datetime64("2020-01-09")
        assert (opened.v.values[-1] == 5).all()


def test_a_dimension_between_others(tmp_path):
    """The dimensions are (level, time, y, x), and slices are appended along time. The source has a band for each
    level and time: first all times of the first level, then all times of the second level."""
    store = tmp_path / "l.zarr"
    data = np.arange(4, dtype="i2").reshape(2, 2, 1, 1) + np.zeros((2, 2, 10, 20), "i2")
    array = zarr.open_group(str(store), mode="w").create_dataset("v", data=data, chunks=(1, 3, 10, 20))
    array.attrs["_ARRAY_DIMENSIONS"] = ["level", "time", "y", "x"]
    assert append(store, slices(10, 11, 12, 20, 21, 22))
    read = zarr.open(str(store), mode="r")["v"][..., 0, 0]
    np.testing.assert_array_equal(read, [[0, 1, 10, 11, 12], [2, 3, 20, 21, 22]])
    with error_log() as log:
        assert append(store, slices(1, 2, 3)) is None
    assert "2 bands" in log.the_error()


def test_names_of_bands_grow(tmp_path):
    store = tmp_path / "b.zarr"
    source = slices(1, 2)
    for i, name in enumerate(("red", "near infrared")):
        source.GetRasterBand(i + 1).SetDescription(name)
    driver().CreateCopy(str(store), source)
    more = slices(3)
    more.GetRasterBand(1).SetDescription("blue")
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band"]
    assert driver().CreateCopy(str(store), more, options=options)
    opened = open_raster(store)
    assert [opened.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["red", "near infrared", "blue"]
    assert [int(band[0, 0]) for band in read_all(opened)] == [1, 2, 3]


@pytest.mark.parametrize("source,options,told", [
    (lambda: slices(1, size=(21, 10)), [], "21 x 10"),
    (lambda: slices(1, transform=(0, 10, 0, 0, 0, -10)), ["APPEND_DIM_VALUES=2021-01-01"],
     "geotransform"),
    (lambda: slices(1), ["APPEND_DIM_VALUES=2020-01-03,2020-01-04"], "2 values for 1 slices"),
    (lambda: slices(1, 2), ["APPEND_DIM_VALUES=2020-01-03,2020-01-03"], "two slices"),
    (lambda: slices(1), ["APPEND_DIM_VALUES=soon"], "soon"),
    (lambda: slices(1), ["APPEND_DIM_VALUES="], "APPEND_DIM_VALUES"),
    (lambda: slices(1), ["ARRAY_NAME=w"], "there is no such array"),
    (lambda: slices(1), ["ARRAY_NAME=time"], '/time has no dimension "time"'),
])  # fmt: skip
def test_a_refused_source_changes_nothing(tmp_path, cpl, source, options, told):
    store = make_cube(tmp_path)
    before = contents(store)
    assert append(store, source(), *options, "ARRAY_NAME=v") is None
    assert told in cpl.the_error()
    assert contents(store) == before


@pytest.mark.parametrize("dimension,told", [("height", "height"), ("y", '"y"'), ("x", '"x"')])
def test_other_dimensions_are_refused(tmp_path, cpl, dimension, told):
    store = make_cube(tmp_path)
    before = contents(store)
    options = ["APPEND_SUBDATASET=YES", f"APPEND_DIM={dimension}", "ARRAY_NAME=v"]
    assert driver().CreateCopy(str(store), slices(1), options=options) is None
    assert told in cpl.the_error()
    assert contents(store) == before


@pytest.mark.parametrize("name", ["/vsimem/absent.zarr", "here"])
def test_without_a_store_there_is_nothing_to_grow(tmp_path, cpl, name):
    name = str(tmp_path / "absent.zarr") if name == "here" else name
    assert append(name, slices(1)) is None
    assert "no Zarr store" in cpl.the_error()


@pytest.mark.parametrize("chunk", [1, 4])
def test_a_cancelled_append_is_not_seen(tmp_path, chunk):
    store = make_cube(tmp_path, chunk=chunk)
    before = zarr_formats.contents(store)
    calls = []

    def cancel(done, *_):
        calls.append(done)
        return int(done < 0.6)

    with error_log() as log:
        options = ["APPEND_DIM_VALUES=2020-01-03,2020-01-04,2020-01-05"]
        assert append(store, slices(7, 8, 9), *options, callback=cancel) is None
    assert calls and len(log.errors) == 1
    after = zarr_formats.contents(store)
    root = zarr_formats.spelled(".zmetadata")
    assert json.loads(after.pop(root)) == json.loads(before.pop(root))
    allowed = {zarr_formats.chunk_key(store, "v", 0, i, 0) for i in (0, 1)}
    assert {key for key in after if after[key] != before.get(key)} <= allowed
    with xr.open_zarr(str(store)) as opened:
        assert opened.v.shape == (2, 10, 20) and [int(v[0, 0]) for v in opened.v.values] == [0, 1]
    assert append(store, slices(4), "APPEND_DIM_VALUES=2020-01-03")
    with xr.open_zarr(str(store)) as opened:
        assert [int(v[0, 0]) for v in opened.v.values] == [0, 1, 4]


def test_a_store_in_memory_grows():
    name = "/vsimem/grows.zarr"
    driver().CreateCopy(name, slices(1, 2))
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band", "APPEND_DIM_VALUES=c"]
    assert driver().CreateCopy(name, slices(3), options=options)
    assert [int(band[0, 0]) for band in read_all(open_raster(name))] == [1, 2, 3]
    driver().Delete(name)


def test_overviews_grow_with_the_array(tmp_path, cpl):
    store = make_cube(tmp_path)
    gdal.OpenEx(str(store), gdal.OF_UPDATE).BuildOverviews("NEAREST", [2])
    cpl.assert_quiet()
    assert append(store, slices(7), "APPEND_DIM_VALUES=2020-01-03", "ARRAY_NAME=v")
    cpl.assert_quiet()
    opened = open_raster(store)
    assert opened.RasterCount == 3
    assert opened.GetRasterBand(3).GetOverview(0).ReadAsArray().tolist() == [[7] * 10] * 5


# ---------------------------------------------------------------------------------------------
# Pixel values of appended slices


def cube_of(folder, like):
    """Creates a store with one array of two slices. Both slices have the properties of the first band of
    `like`."""
    two = gdal.Translate("", like, format="MEM", bandList=[1, 1])
    for number in (1, 2):
        two.GetRasterBand(number).SetUnitType(like.GetRasterBand(1).GetUnitType())
    made = ["SINGLE_ARRAY=YES", "ARRAY_NAME=v", "BLOCKSIZE=1,4,4"]
    assert driver().CreateCopy(str(folder / "s.zarr"), two, options=made) is not None
    return folder / "s.zarr"


def raster(value, kind=gdal.GDT_Int16, scale=None, offset=None, nodata=None, unit=None):
    dataset = gdal.GetDriverByName("MEM").Create("", 6, 5, 1, kind)
    dataset.SetGeoTransform(PLACE)
    band = dataset.GetRasterBand(1)
    band.Fill(value)
    if scale is not None:
        band.SetScale(scale), band.SetOffset(offset)
    if nodata is not None:
        band.SetNoDataValue(nodata)
        band.WriteArray(np.full((1, 1), nodata))
    if unit is not None:
        band.SetUnitType(unit)
    return dataset


def append_band(store, source):
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band"]
    return driver().CreateCopy(str(store), source, options=options) is not None


@pytest.mark.parametrize("source", [(100, 0.5, 200.0), (25000, 0.01, 0.0), (250, None, None)])
@pytest.mark.parametrize("kind", [gdal.GDT_Int16, gdal.GDT_Float64])
def test_values_are_converted_to_the_arrays_scale_and_type(tmp_path, cpl, source, kind):
    store = cube_of(tmp_path, raster(1000, scale=0.01, offset=0.0, nodata=-1))
    value, scale, offset = source
    assert append_band(store, raster(value, kind, scale, offset, nodata=-9))
    dataset = open_raster(store)
    band = dataset.GetRasterBand(3)
    pixels = band.ReadAsArray()
    assert (band.GetNoDataValue(), pixels[0, 0]) == (-1, -1)
    assert pixels[4, 5] * band.GetScale() + (band.GetOffset() or 0) == pytest.approx(250)
    assert len(cpl.warnings) == (scale != 0.01)
    assert all("converted to the scale and the offset" in text for text in cpl.warnings)


@pytest.mark.parametrize("make, told", [
    (lambda: raster(7.7e5, gdal.GDT_Float32), "30 pixels of the source are out of the range"),
    (lambda: raster(-1), "30 pixels of the source have the nodata value of the array"),
    (lambda: raster(-1, nodata=4), "29 pixels of the source have the nodata value of the array"),
    (lambda: raster(np.nan, gdal.GDT_Float32), "30 pixels of the source are out of the range"),
])  # fmt: skip
def test_a_warning_counts_pixels_that_cannot_be_converted(tmp_path, cpl, make, told):
    store = cube_of(tmp_path, raster(1000, nodata=-1))
    assert append_band(store, make())
    assert len(cpl.warnings) == 1 and told in cpl.warnings[0]


def test_a_warning_counts_nodata_pixels_without_nodata_in_the_array(tmp_path, cpl):
    store = cube_of(tmp_path, raster(1000))
    assert append_band(store, raster(5, nodata=4))
    assert read_all(open_raster(store))[2][0].tolist() == [4, 5, 5, 5, 5, 5]
    assert len(cpl.warnings) == 1 and "1 pixels of the source are nodata" in cpl.warnings[0]


def test_a_nodata_of_nan_becomes_the_arrays_nodata(tmp_path, cpl):
    store = cube_of(tmp_path, raster(1, gdal.GDT_Float32, nodata=-9999))
    assert append_band(store, raster(2, gdal.GDT_Float32, nodata=np.nan))
    dataset = open_raster(store)
    band = dataset.GetRasterBand(3)
    assert band.ReadAsArray()[0].tolist() == [-9999, 2, 2, 2, 2, 2]
    assert band.GetMaskBand().ReadAsArray()[0, 0] == 0
    cpl.assert_quiet()


def test_other_units_are_refused(tmp_path, cpl):
    store = cube_of(tmp_path, raster(1, unit="K"))
    assert not append_band(store, raster(1, unit="degC"))
    assert "the unit degC, the array has K" in cpl.the_error()
    cpl.clear()
    assert append_band(store, raster(1)) and append_band(store, raster(1, unit="K"))
    cpl.assert_quiet()


@pytest.mark.parametrize("nodata, told", [(None, None), (5, None), (6, "not converted for 64-bit")])
def test_integers_of_64_bits_are_exact(tmp_path, cpl, nodata, told):
    like = raster(2**53 + 1, gdal.GDT_Int64)
    like.GetRasterBand(1).WriteArray(np.full((5, 6), 2**53 + 1))
    like.GetRasterBand(1).SetNoDataValue(5)
    store = cube_of(tmp_path, like)
    if nodata is not None:
        like.GetRasterBand(1).SetNoDataValue(nodata)
    else:
        like.GetRasterBand(1).DeleteNoDataValue()
    assert append_band(store, like) == (told is None)
    if told is not None:
        assert told in cpl.the_error()
    else:
        assert (read_all(open_raster(store))[2] == 2**53 + 1).all()
        cpl.assert_quiet()


def test_a_mask_of_the_array_gives_a_warning(tmp_path, cpl):
    like = raster(1)
    like.CreateMaskBand(gdal.GMF_PER_DATASET)
    like.GetRasterBand(1).GetMaskBand().Fill(255)
    store = cube_of(tmp_path, like)
    assert append_band(store, raster(2))
    assert len(cpl.warnings) == 1 and "its mask applies to the appended slices, too" in cpl.warnings[0]


def levels(folder, times, lev, value, calendar="standard", units="days since 2020-01-01"):
    """Writes a netCDF file with the variable v(time, lev, y, x), and returns its dataset."""
    path = folder / f"{value}.nc"
    with netCDF4.Dataset(path, "w") as file:
        sizes = {"time": len(times), "lev": len(lev), "y": 5, "x": 6}
        for name, size in sizes.items():
            file.createDimension(name, size)
        for name, numbers in (("time", times), ("lev", lev), ("y", 50.0 - np.arange(5)),
                              ("x", np.arange(6.0))):  # fmt: skip
            file.createVariable(name, "f8", (name,))[:] = numbers
        file["time"].units, file["time"].calendar = units, calendar
        file["lev"].units = "hPa"
        v = file.createVariable("v", "f4", ("time", "lev", "y", "x"))
        v[:] = value
    return gdal.Open(f'NETCDF:"{path}":v')


def store_of(folder, *arguments, **options):
    """Writes the netCDF file of levels(), and copies it to a store by the multidimensional API. Returns the
    store."""
    levels(folder, *arguments, **options)
    path = folder / f"{arguments[2]}.nc"
    store = str(folder / "c.zarr")
    assert gdal.MultiDimTranslate(store, str(path), format="Zarr") is not None
    return store


@pytest.mark.parametrize("lev, along, fits", [
    ([10, 20], "time", True), ([20, 10], "time", False), ([500, 850], "time", False),
    ([30, 40], "lev", True),
])  # fmt: skip
@pytest.mark.parametrize("times", [[1.0], [0.0]])
def test_other_dimensions_have_the_same_coordinates(tmp_path, cpl, lev, along, fits, times):
    store = store_of(tmp_path, [0.0], [10, 20], 1)
    source = levels(tmp_path, times, lev, 2)
    options = ["APPEND_SUBDATASET=YES", f"APPEND_DIM={along}", "ARRAY_NAME=v"]
    cpl.clear()
    made = driver().CreateCopy(store, source, options=options)
    fits = fits and (along == "time" or times == [0.0])
    assert (made is not None) == fits
    if not fits:
        assert " of the source lies at " in cpl.the_error()


@pytest.mark.parametrize("calendar, source, count, wanted", [
    ("standard", "noleap", 60, "2020-03-02"), ("360_day", "360_day", 59, "2020-02-30"),
    ("noleap", "standard", 58, "2020-02-28"), ("noleap", "standard", 59, None),
])  # fmt: skip
@pytest.mark.parametrize("units", ["days since 2020-01-01", "hours since 2019-12-01"])
def test_dates_of_another_calendar(tmp_path, cpl, calendar, source, count, wanted, units):
    """An appended date keeps its year, month and day if the source has another calendar than the array. If the
    array's calendar has no such date, the append fails."""
    store = store_of(tmp_path, [0.0], [10], 1, calendar=calendar)
    days = {"noleap": 31, "360_day": 30, "standard": 31}[source]
    number = count if units.startswith("days") else 24.0 * (count + days)
    slice_ = levels(tmp_path, [number], [10], 2, calendar=source, units=units)
    cpl.clear()
    made = append(store, slice_, "ARRAY_NAME=v")
    if wanted is None:
        assert made is None and "the calendar has no date" in cpl.the_error()
        return
    made = None
    with xr.open_zarr(store, use_cftime=True) as opened:
        assert str(opened.time.values[-1])[:10] == wanted
        assert opened.v.values[:, 0, 0, 0].tolist() == [1, 2]


@pytest.mark.parametrize("units", ["days since 1970-01-01", "minutes since 2020-01-01", "hours since 1900-01-01"])
@pytest.mark.parametrize("given, wanted", [
    ("20240502", "2024-05-02"), (" 20240229", "2024-02-29"), ("20240502T09", "2024-05-02T09:00"),
    ("2024-05", "2024-05-01"), ("20240502,2024-05-03", "2024-05-02,2024-05-03"),
])  # fmt: skip
def test_dates_without_hyphens(tmp_path, cpl, units, given, wanted):
    if "T" in wanted and units.startswith("days"):
        units = "seconds since 2020-01-01"
    store = make_cube(tmp_path, encoding={"units": units, "dtype": "i8"})
    count = len(wanted.split(","))
    assert append(store, slices(*range(count)), "APPEND_DIM_VALUES=" + given)
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=True) as opened:
        np.testing.assert_array_equal(opened.time.values[2:], np.array(wanted.split(","), "M8[ns]"))


@pytest.mark.parametrize("kind", ["M8[ns]", "360_day"])
def test_dates_without_hyphens_in_other_coordinates(tmp_path, cpl, kind):
    """Dates without hyphens are read in the calendar of the array. For example, a calendar of 360 days has
    February 30."""
    store, attributes = tmp_path / "t.zarr", {}
    times, wanted = np.array(["2024-01-01"], "M8[ns]"), np.datetime64("2024-02-29", "ns")
    if kind == "360_day":
        attributes = {"units": "days since 2024-01-01", "calendar": kind}
        times, wanted = np.array([0], "i4"), 59
    group = zarr.open_group(str(store), mode="w")
    for name, data, dims in (("v", np.zeros((1, 10, 20), "i2"), ["time", "y", "x"]), ("time", times, ["time"])):
        array = group.create_dataset(name, data=data, chunks=data.shape)
        array.attrs.update({"_ARRAY_DIMENSIONS": dims, **(attributes if name == "time" else {})})
    given = "20240230" if kind == "360_day" else "20240229"
    assert append(store, slices(4), "APPEND_DIM_VALUES=" + given)
    cpl.assert_quiet()
    assert zarr.open(str(store), mode="r")["time"][1] == wanted


@pytest.mark.parametrize("given, units, wanted", [
    ("54321", "days since 1970-01-01", 54321), ("-7", "days since 1970-01-01", -7),
    ("20240532", "seconds since 1970-01-01", 20240532), ("20240501.0", "minutes since 1970-01-01", 20240501),
    ("2460123", "days since -4713-01-01", 2460123), ("20240501", "metres", 20240501),
])  # fmt: skip
def test_other_numbers_stay_numbers(tmp_path, cpl, given, units, wanted):
    store, dims = tmp_path / "t.zarr", {"v": ["time", "y", "x"], "time": ["time"]}
    group = zarr.open_group(str(store), mode="w")
    for name, data in (("v", np.zeros((1, 10, 20), "i2")), ("time", np.array([-10], "i8"))):
        array = group.create_dataset(name, data=data, chunks=data.shape)
        array.attrs.update({"_ARRAY_DIMENSIONS": dims[name], **({"units": units} if name == "time" else {})})
    assert append(store, slices(4), "APPEND_DIM_VALUES=" + given)
    cpl.assert_quiet()
    assert zarr.open(str(store), mode="r")["time"][1] == wanted


@pytest.mark.parametrize("given", ["20240532", "2024123", "20230229", "-900000", "1e30", "99999999"])
def test_a_number_that_is_no_plausible_time_is_refused(tmp_path, cpl, given):
    store = make_cube(tmp_path, encoding={"units": "days since 1970-01-01", "dtype": "i8"})
    before = contents(store)
    assert append(store, slices(4), "APPEND_DIM_VALUES=" + given) is None
    assert "2024-05-01" in cpl.the_error() and given in cpl.the_error()
    assert contents(store) == before


def test_a_number_like_a_year_gives_a_warning(tmp_path):
    times = ("1970-01-01", "1970-01-02")
    store = make_cube(tmp_path, times, encoding={"units": "days since 1970-01-01", "dtype": "i8"})
    with error_log() as log:
        assert append(store, slices(4), "APPEND_DIM_VALUES=2024")
    assert [kind for kind, _, _ in log.events] == [gdal.CE_Warning]
    assert "1975-07-18" in log.events[0][2] and "write 2024-01-01" in log.events[0][2]
    with xr.open_zarr(str(store), consolidated=True) as opened:
        assert opened.time.values[2] == np.datetime64("1975-07-18")


def test_numbers_of_metadata_stay_numbers(tmp_path, cpl):
    """A number of minutes in the metadata of a source is not read as a date, even if its digits look like a
    date."""
    times = ("2000-01-01", "2000-01-02")
    store = make_cube(tmp_path, times, encoding={"units": "minutes since 1970-01-01", "dtype": "i8"})
    source = slices(4)
    source.GetRasterBand(1).SetMetadata({"DIM_time_VALUE": "20240501", "DIM_time_UNIT": "minutes since 1970-01-01"})
    assert append(store, source)
    cpl.assert_quiet()
    with xr.open_zarr(str(store), consolidated=True, decode_times=False) as opened:
        assert opened.time.values[2] == 20240501


@pytest.mark.parametrize("first, units", [
    ("2024-05-01T00:00:00", "seconds"), ("2024-05-01T00:00Z", "seconds"), ("2024-05-01", "days"),
])  # fmt: skip
def test_a_cube_that_begins_at_midnight_takes_times_of_day(tmp_path, first, units):
    """If the first time states a time of day, even midnight, the times of the new cube count seconds. If the
    first time is only a date, they count days."""
    store = tmp_path / "a.zarr"
    with error_log() as log:
        options = ["BAND_DIM=time", "BAND_DIM_VALUES=" + first]
        assert driver().CreateCopy(str(store), slices(1), options=options)
        made = append(store, slices(2), "APPEND_DIM_VALUES=2024-05-01T10:30:00")
    assert zarr_formats.attributes(store, "time")["units"] == units + " since 1970-01-01"
    if units == "days":
        assert made is None and "such as BAND_DIM_VALUES=2024-05-01T00:00:00" in log.the_error()
        return
    log.assert_quiet()
    del made
    dataset = open_raster(store)
    names = [dataset.GetRasterBand(number).GetDescription() for number in (1, 2)]
    assert names == ["time=2024-05-01T00:00:00Z", "time=2024-05-01T10:30:00Z"]


def test_a_copy_of_a_cube_of_days_takes_times_of_day(tmp_path):
    """A cube whose times count days takes no times of day. A copy that is made as docs/errors.md recommends
    takes them."""
    for name, source, values in (("old", slices(1, 2), "2024-05-01,2024-05-02"),
                                 ("new", None, "2024-05-01T00:00:00,2024-05-02T00:00:00")):  # fmt: skip
        source = source or open_raster(tmp_path / "old.zarr")
        options = ["BAND_DIM=time", "BAND_DIM_VALUES=" + values]
        assert driver().CreateCopy(str(tmp_path / f"{name}.zarr"), source, options=options)
    assert append(tmp_path / "new.zarr", slices(3), "APPEND_DIM_VALUES=2024-05-02T10:30:00")
    dataset = open_raster(tmp_path / "new.zarr")
    assert dataset.GetRasterBand(3).GetDescription() == "time=2024-05-02T10:30:00Z"
