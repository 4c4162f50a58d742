# SPDX-License-Identifier: MIT
"""A copy of a cube has the dimensions and coordinates of its source, which the driver finds in the metadata of the
source's bands. Sources are stores, netCDF and GRIB files, and copies of these in other formats."""

import numpy as np
import pytest
import rasterio
import rasterio.shutil
import xarray
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import config_options, error_log, open_raster

pytestmark = zarr_formats.BOTH
TIMES = [6.0, 18.0]
LEVELS = [850.0, 700.0, 500.0]
VALUES = np.arange(2 * 3 * 8 * 10, dtype="f4").reshape(2, 3, 8, 10)


def cube(calendar="proleptic_gregorian"):
    return xarray.Dataset(
        {"t": (("time", "level", "y", "x"), VALUES, {"units": "K"})},
        coords={
            "time": ("time", TIMES, {"units": "hours since 2020-02-28", "calendar": calendar,
                                     "standard_name": "time", "axis": "T"}),
            "level": ("level", LEVELS, {"units": "hPa", "positive": "down", "standard_name": "air_pressure"}),
            "y": ("y", np.arange(8)[::-1] * 10.0 + 5, {"standard_name": "projection_y_coordinate", "units": "m"}),
            "x": ("x", np.arange(10) * 10.0 + 5, {"standard_name": "projection_x_coordinate", "units": "m"}),
        },
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    cube().to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    return tmp_path / "c.zarr"


def copy(source, target, driver="Zarr", options=(), **translate):
    """Copies `source` to `target` by gdal_translate. Asserts that no error and no warning occurs."""
    source = gdal.OpenEx(str(source)) if not isinstance(source, gdal.Dataset) else source
    with error_log() as log:
        made = gdal.Translate(str(target), source, format=driver, creationOptions=list(options), **translate)
    assert made is not None, log.events
    log.assert_quiet()
    return made


def own_format():
    """Returns the creation option that sets the tested Zarr version. Without this option, PROFILE=CLOUD makes
    v3."""
    return "FORMAT=ZARR_V3" if zarr_formats.is_v3() else "FORMAT=ZARR_V2"


def opened(path):
    return xarray.open_zarr(str(path), consolidated=True, decode_times=False)


def assert_is_cube(path, wanted=None, array=None):
    """Asserts that dimensions, coordinates and the attributes of coordinates in the store equal those of
    `wanted`, by default cube()."""
    wanted = cube() if wanted is None else wanted
    seen = opened(path)
    found = seen[array or path.name.split(".")[0]]
    assert found.dims == wanted["t"].dims
    np.testing.assert_array_equal(found.values, wanted["t"].values)
    for name in set(found.dims) - {"x", "y"}:
        np.testing.assert_array_equal(seen[name].values, wanted[name].values)
        assert seen[name].attrs == wanted[name].attrs
    return seen


def test_zarr_to_zarr(tmp_path, store):
    copy(store, tmp_path / "d.zarr")
    seen = assert_is_cube(tmp_path / "d.zarr")
    assert seen["time"].dtype == seen["level"].dtype == np.dtype("f8")
    assert "time#calendar" not in seen["d"].attrs and seen["d"].attrs["units"] == "K"
    group = gdal.OpenEx(str(tmp_path / "d.zarr"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    array = group.OpenMDArray("d")
    assert [dimension.GetName() for dimension in array.GetDimensions()] == ["time", "level", "y", "x"]
    level = group.OpenMDArray("level")
    assert level.ReadAsArray().tolist() == LEVELS and level.GetUnit() == "hPa"
    assert level.GetAttribute("standard_name").Read() == "air_pressure"
    assert group.OpenMDArray("time").GetAttribute("calendar").Read() == "proleptic_gregorian"


def test_bands_of_a_copy_are_those_of_the_source(tmp_path, store):
    copy(store, tmp_path / "d.zarr")
    one, two = open_raster(store), open_raster(tmp_path / "d.zarr")
    for number in range(1, 7):
        for get in (lambda band: band.GetDescription(), lambda band: band.GetMetadata()):
            assert get(one.GetRasterBand(number)) == get(two.GetRasterBand(number))
    assert one.GetMetadata() == two.GetMetadata()


@pytest.mark.parametrize("calendar", ["standard", "360_day", "noleap", "proleptic_gregorian"])
def test_zarr_to_geotiff_to_zarr(tmp_path, calendar):
    wanted = cube(calendar)
    wanted.to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    copy(tmp_path / "c.zarr", tmp_path / "c.tif", "GTiff")
    copy(tmp_path / "c.tif", tmp_path / "d.zarr")
    assert_is_cube(tmp_path / "d.zarr", wanted)
    assert not [name for name in opened(tmp_path / "d.zarr")["d"].attrs if "#" in name]


@pytest.mark.parametrize("calendar", ["standard", "360_day"])
def test_netcdf_to_zarr(tmp_path, calendar):
    wanted = cube(calendar)
    wanted.to_netcdf(str(tmp_path / "c.nc"))
    copy(f"NETCDF:{tmp_path}/c.nc:t", tmp_path / "d.zarr")
    seen = assert_is_cube(tmp_path / "d.zarr", wanted)
    assert not [name for name in seen["d"].attrs if name.startswith(("NETCDF_DIM", "time#", "level#"))]


def test_netcdf_of_one_dimension(tmp_path):
    wanted = cube().isel(level=0, drop=True)
    wanted.to_netcdf(str(tmp_path / "c.nc"))
    copy(f"NETCDF:{tmp_path}/c.nc:t", tmp_path / "d.zarr")
    assert_is_cube(tmp_path / "d.zarr", wanted)


def test_a_dimension_of_one_index_keeps_its_place(tmp_path):
    for number, part in enumerate((cube().isel(time=[1]), cube().isel(level=[1]), cube().isel(time=[0], level=[2]))):
        part.to_zarr(str(tmp_path / f"{number}.zarr"), consolidated=True)
        part.to_netcdf(str(tmp_path / f"{number}.nc"))
        copy(tmp_path / f"{number}.zarr", tmp_path / f"z{number}.zarr")
        assert_is_cube(tmp_path / f"z{number}.zarr", part)
        with error_log() as log:
            assert gdal.Translate(str(tmp_path / f"n{number}.zarr"), f"NETCDF:{tmp_path}/{number}.nc:t", format="Zarr")
        assert not log.errors
        assert_is_cube(tmp_path / f"n{number}.zarr", part)


def test_subsets_that_form_a_grid(tmp_path, store):
    copy(store, tmp_path / "d.zarr", bandList=[1, 3, 4, 6])
    assert_is_cube(tmp_path / "d.zarr", cube().isel(level=[0, 2]))
    copy(store, tmp_path / "e.zarr", bandList=[2, 5])
    assert_is_cube(tmp_path / "e.zarr", cube().isel(level=[1]))
    # With the bands in this order, the copy has the dimensions (level, time, y, x).
    copy(store, tmp_path / "f.zarr", bandList=[1, 4, 2, 5, 3, 6])
    assert_is_cube(tmp_path / "f.zarr", cube().transpose("level", "time", "y", "x"))


@pytest.mark.parametrize("bands", [[1, 2, 4], [1, 2, 3, 4, 6, 5], [1, 1]])
def test_bands_that_form_no_grid_stay_bands(tmp_path, store, bands):
    messages = []

    def log(error_class, number, text):
        messages.append(text)

    source = gdal.Translate("", str(store), format="VRT", bandList=bands)
    names = [source.GetRasterBand(i + 1).GetDescription() for i in range(len(bands))]
    gdal.PushErrorHandler(log)
    with config_options(CPL_DEBUG="ZARR"):
        made = gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "d.zarr"), source)
    gdal.PopErrorHandler()
    assert len([text for text in messages if "its bands are no cube" in text]) == 1
    made = None  # noqa: F841
    seen = opened(tmp_path / "d.zarr")
    assert seen["d"].dims == ("band", "y", "x")
    assert seen["band"].values.tolist() == names
    np.testing.assert_array_equal(seen["d"].values, source.ReadAsArray())


def test_band_dim_none_keeps_one_dimension(tmp_path, store):
    copy(store, tmp_path / "d.zarr", options=["BAND_DIM=NONE"])
    seen = opened(tmp_path / "d.zarr")
    assert seen["d"].dims == ("band", "y", "x")
    assert seen["band"].values[0] == "time=2020-02-28T06:00:00Z, level=850 hPa"


def test_other_options_that_say_how_bands_are_stored(tmp_path, store):
    copy(store, tmp_path / "a.zarr", options=["SINGLE_ARRAY=NO"])
    assert len([name for name in opened(tmp_path / "a.zarr").data_vars if name != "spatial_ref"]) == 6
    copy(store, tmp_path / "b.zarr", options=["BAND_DIM=n", "BAND_DIM_VALUES=1,2,3,4,5,6"])
    assert opened(tmp_path / "b.zarr")["b"].dims == ("n", "y", "x")
    copy(store, tmp_path / "c2.zarr", options=["BLOCKSIZE=2,4,4"])
    assert opened(tmp_path / "c2.zarr")["c2"].dims == ("band", "y", "x")
    copy(store, tmp_path / "d.zarr", options=["BLOCKSIZE=2,3,4,4"])
    assert_is_cube(tmp_path / "d.zarr")


@pytest.mark.parametrize("options", [
    ["INTERLEAVE=PIXEL"], ["BLOCKSIZE=4,4"], ["OVERVIEWS=2"], ["PROFILE=CLOUD", "OVERVIEWS=2"],
    ["PROFILE=CLOUD", "BLOCKSIZE=4,4", "INTERLEAVE=PIXEL"], ["BLOCKSIZE=8,8", "SHARD_CHUNK_SHAPE=4,4"],
])  # fmt: skip
def test_other_layouts(tmp_path, store, options):
    if not zarr_formats.is_v3() and options[-1].startswith("SHARD"):
        options = options[:1]
    copy(store, tmp_path / "d.zarr", options=[*options, own_format()])
    wanted = cube()
    if "INTERLEAVE=PIXEL" in options:
        wanted = wanted.transpose("y", "x", "time", "level")
    assert_is_cube(tmp_path / "d.zarr", wanted)
    dataset = open_raster(tmp_path / "d.zarr")
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES.reshape(6, 8, 10))
    if "OVERVIEWS=2" in options:
        assert [dataset.GetRasterBand(i).GetOverviewCount() for i in range(1, 7)] == [1] * 6


def test_long_series_have_chunks_of_several_steps(tmp_path):
    values = np.random.default_rng(7).random((20, 3, 300, 200), dtype="f4")
    wanted = xarray.Dataset({"t": (("time", "level", "y", "x"), values)},
                            coords={"time": np.arange(20), "level": [1, 2, 3]})  # fmt: skip
    wanted.to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    copy(tmp_path / "c.zarr", tmp_path / "d.zarr")
    seen = assert_is_cube(tmp_path / "d.zarr", wanted)
    assert seen["d"].encoding["chunks"] == (16, 1, 128, 128)


def test_dimensions_without_coordinates(tmp_path):
    wanted = xarray.Dataset({"t": (("member", "step", "y", "x"), VALUES)})
    wanted.to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    copy(tmp_path / "c.zarr", tmp_path / "d.zarr")
    seen = opened(tmp_path / "d.zarr")
    assert seen["d"].dims == ("member", "step", "y", "x") and not seen.coords
    np.testing.assert_array_equal(seen["d"].values, VALUES)


def test_texts_repeated_numbers_and_times_of_numpy(tmp_path):
    wanted = xarray.Dataset(
        {"t": (("time", "kind", "y", "x"), VALUES)},
        coords={"time": np.array(["2020-01-01", "2020-02-01"], "M8[ns]"), "kind": ["low", "mid", "high"]},
    )
    wanted.to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    copy(tmp_path / "c.zarr", tmp_path / "d.zarr")
    seen = xarray.open_zarr(str(tmp_path / "d.zarr"), consolidated=True)
    assert seen["kind"].values.tolist() == ["low", "mid", "high"]
    np.testing.assert_array_equal(seen["time"].values, wanted["time"].values)
    repeated = wanted.assign_coords(kind=[1, 1, 2])
    repeated.to_zarr(str(tmp_path / "e.zarr"), consolidated=True)
    copy(tmp_path / "e.zarr", tmp_path / "f.zarr")
    seen = opened(tmp_path / "f.zarr")
    assert seen["f"].dims == ("time", "kind", "y", "x") and seen["kind"].values.tolist() == [1, 1, 2]


def grib_like(elements, times, levels):
    """Returns a dataset in memory whose bands have metadata like that of GDAL's GRIB driver."""
    shape = [(element, time, level) for element in elements for time in times for level in levels]
    dataset = gdal.GetDriverByName("MEM").Create("", 10, 8, len(shape), gdal.GDT_Float32)
    for number, (element, time, level) in enumerate(shape, 1):
        band = dataset.GetRasterBand(number)
        band.WriteArray(np.full((8, 10), number, "f4"))
        band.SetDescription(f'{level}[Pa] ISBL="Isobaric surface"')
        band.SetMetadata({"GRIB_ELEMENT": element, "GRIB_VALID_TIME": f"{time}", "GRIB_REF_TIME": f"{times[0]}",
                          "GRIB_UNIT": "[K]", "GRIB_SHORT_NAME": f"{level}-ISBL"})  # fmt: skip
    return dataset


def test_grib(tmp_path):
    times = [1483228800, 1483272000]
    copy(grib_like(["TMP"], times, [85000, 50000, 20000]), tmp_path / "a.zarr")
    seen = xarray.open_zarr(str(tmp_path / "a.zarr"), consolidated=True)
    assert seen["a"].dims == ("time", "level", "y", "x")
    np.testing.assert_array_equal(seen["time"].values, np.array(times, "M8[s]").astype("M8[ns]"))
    assert seen["level"].values.tolist() == [85000, 50000, 20000]
    assert seen["level"].attrs == {"units": "Pa", "long_name": "Isobaric surface",
                                   "standard_name": "air_pressure", "positive": "down"}  # fmt: skip
    assert seen["a"].values[:, :, 0, 0].tolist() == [[1, 2, 3], [4, 5, 6]]
    # A level that is common to all bands does not become a dimension.
    copy(grib_like(["TMP"], times, [85000]), tmp_path / "b.zarr")
    assert opened(tmp_path / "b.zarr")["b"].dims == ("time", "y", "x")
    # Bands of several meteorological elements (TMP, UGRD) do not form a cube, so the copy has the dimension "band".
    copy(grib_like(["TMP", "UGRD"], times, [85000]), tmp_path / "d.zarr")
    assert opened(tmp_path / "d.zarr")["d"].dims == ("band", "y", "x")


def test_a_file_of_grib(tmp_path):
    source = grib_like(["TMP"], [1483228800, 1483272000], [1])
    source.SetGeoTransform((10, 1, 0, 50, 0, -1))
    source.SetSpatialRef(open_srs())
    options = ["IDS=CENTER=98(ECMWF) REF_TIME=2017-01-01T00:00:00Z", "PDS_PDTN=1"]
    number = 0
    for hours in (0, 12):
        for member in (1, 2):
            number += 1
            # Product definition section of GRIB2 from octet 10 on: temperature, forecast hours, isobaric surface of
            # 850 hPa, ensemble of 2 members.
            options.append(
                f"BAND_{number}_PDS_TEMPLATE_ASSEMBLED_VALUES=0 0 2 0 96 0 0 1 {hours} 100 0 85000 255 0 0 "
                f"3 {member} 2"
            )
    four = gdal.Translate("", source, format="MEM", bandList=[1, 1, 2, 2])
    assert gdal.GetDriverByName("GRIB").CreateCopy(str(tmp_path / "a.grb2"), four, options=options)
    copy(tmp_path / "a.grb2", tmp_path / "b.zarr")
    seen = xarray.open_zarr(str(tmp_path / "b.zarr"), consolidated=True)
    assert seen["b"].dims == ("time", "member", "y", "x")
    assert seen["member"].values.tolist() == [1, 2]
    assert seen["member"].attrs == {"standard_name": "realization"}
    np.testing.assert_array_equal(
        seen["time"].values, np.array(["2017-01-01T00", "2017-01-01T12"], "M8[ns]")
    )


def open_srs():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(4326)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs


def test_cubes_share_equal_dimensions_of_a_store(tmp_path, store):
    target = tmp_path / "d.zarr"
    copy(store, target)
    with error_log() as log:
        assert gdal.Translate(str(target), str(store), format="Zarr",
                              creationOptions=["APPEND_SUBDATASET=YES", "ARRAY_NAME=e"])  # fmt: skip
    log.assert_quiet()
    assert_is_cube(target, array="e")
    # If the store already has a dimension "time" with other times, the new dimension gets another name.
    other = cube().isel(time=[1])
    other.to_zarr(str(tmp_path / "o.zarr"), consolidated=True)
    assert gdal.Translate(str(target), str(tmp_path / "o.zarr"), format="Zarr",
                          creationOptions=["APPEND_SUBDATASET=YES", "ARRAY_NAME=f"])  # fmt: skip
    seen = assert_is_cube(target)
    assert seen["f"].dims == ("time_f", "level", "y", "x") and seen["time_f"].values.tolist() == [18]
    np.testing.assert_array_equal(seen["f"].values, VALUES[1:])


def test_a_cube_that_is_named_like_its_dimension(tmp_path, store):
    copy(store, tmp_path / "time.zarr")
    seen = opened(tmp_path / "time.zarr")
    assert seen["time"].dims == ("time_time", "level", "y", "x")
    assert seen["time_time"].values.tolist() == TIMES


def test_append_dim_continues_a_copy(tmp_path, store):
    target = tmp_path / "d.zarr"
    copy(store, target)
    later = cube().assign_coords(time=("time", [30.0, 42.0], cube()["time"].attrs))
    later.to_zarr(str(tmp_path / "later.zarr"), consolidated=True)
    with error_log() as log:
        assert gdal.Translate(str(target), str(tmp_path / "later.zarr"), format="Zarr",
                              creationOptions=["APPEND_SUBDATASET=YES", "APPEND_DIM=time"])  # fmt: skip
    log.assert_quiet()
    seen = opened(target)
    assert seen["time"].values.tolist() == [6, 18, 30, 42] and seen["d"].shape == (4, 3, 8, 10)


def test_metadata_of_coordinates_is_shown_and_not_stored(store):
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    items = dataset.GetMetadata()
    assert items["time#calendar"] == "proleptic_gregorian" and items["level#positive"] == "down"
    dataset.SetMetadata({**items, "note": "x"})
    dataset = None  # noqa: F841
    attributes = opened(store)["t"].attrs
    assert attributes["note"] == "x" and not [name for name in attributes if "#" in name]


def test_masks_and_statistics_of_a_cube(tmp_path, store):
    source = gdal.Translate("", str(store), format="MEM")
    source.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.full((8, 10), 255, "u1")
    mask[2:4, 1:5] = 0
    source.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    for number in range(1, 7):
        source.GetRasterBand(number).DeleteNoDataValue()
    copy(source, tmp_path / "d.zarr", options=["PROFILE=CLOUD", own_format()])
    dataset = open_raster(tmp_path / "d.zarr")
    assert opened(tmp_path / "d.zarr")["d"].dims == ("time", "level", "y", "x")
    np.testing.assert_array_equal(dataset.GetRasterBand(6).GetMaskBand().ReadAsArray(), mask)
    valid = VALUES[1, 2][mask != 0]
    assert float(dataset.GetRasterBand(6).GetMetadataItem("STATISTICS_MAXIMUM")) == valid.max()


def warp(source, target, *options, **arguments):
    """Runs gdalwarp from `source` to the store `target`, with an unchanged grid. Asserts that no error and no
    warning occurs."""
    with error_log() as log:
        made = gdal.Warp(str(target), str(source), format="Zarr", creationOptions=list(options), **arguments)
        assert made is not None, log.events
        del made
    assert not log.errors and not log.warnings, log.events


@pytest.mark.parametrize("between", [None, "VRT", "GTiff", "netCDF"])
@pytest.mark.parametrize("options", [[], ["OVERVIEWS=2"], ["BLOCKSIZE=4,4"]])
def test_gdalwarp(tmp_path, store, between, options):
    """gdalwarp calls Create() before it sets the metadata that describes the dimensions of the source. The target still
    gets these dimensions."""
    source = str(store)
    if between == "netCDF":
        cube().to_netcdf(str(tmp_path / "c.nc"))
        source = f"NETCDF:{tmp_path}/c.nc:t"
    elif between:
        source = str(tmp_path / "between")
        copy(store, source, between)
    warp(source, tmp_path / "d.zarr", *options)
    seen = assert_is_cube(tmp_path / "d.zarr")
    assert set(seen["d"].attrs) & {"units"} == {"units"} and "band" not in seen
    assert not [name for name in seen["d"].attrs if name.startswith(("NETCDF_DIM", "time#", "level#"))]
    dataset = open_raster(tmp_path / "d.zarr")
    assert dataset.GetRasterBand(1).GetOverviewCount() == ("OVERVIEWS=2" in options)
    band = dataset.GetRasterBand(6)
    assert band.GetDescription() == "time=2020-02-28T18:00:00Z, level=500 hPa"
    if options == ["OVERVIEWS=2"]:
        np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), VALUES[1, 2, ::2, ::2])


def test_gdalwarp_of_one_dimension(tmp_path):
    wanted = cube().isel(level=0, drop=True)
    wanted.to_zarr(str(tmp_path / "c.zarr"), consolidated=True)
    warp(tmp_path / "c.zarr", tmp_path / "d.zarr")
    assert_is_cube(tmp_path / "d.zarr", wanted)
    warp(tmp_path / "c.zarr", tmp_path / "e.zarr", "BAND_DIM=NONE")
    assert opened(tmp_path / "e.zarr")["e"].dims == ("band", "y", "x")


@pytest.mark.parametrize("flushes", [False, True])
def test_create_with_metadata_of_bands(tmp_path, flushes):
    dataset = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 10, 8, 4, gdal.GDT_Float32)
    for number in range(4):
        band = dataset.GetRasterBand(number + 1)
        band.SetMetadata({"DIM_time_VALUE": str(number // 2), "DIM_level_VALUE": str(10 * (number % 2)),
                          "DIM_time_UNIT": "days since 2000-01-01"})  # fmt: skip
        band.SetDescription(["first", "", "", ""][number])
        band.SetNoDataValue(-9)
    if flushes:
        dataset.FlushCache()
    for number in range(4):
        dataset.GetRasterBand(number + 1).WriteArray(VALUES[0, 0] + number)
    np.testing.assert_array_equal(dataset.ReadAsArray()[3], VALUES[0, 0] + 3)
    dataset = None
    seen = opened(tmp_path / "a.zarr")
    assert seen["a"].dims == ("level", "time", "y", "x") or seen["a"].dims == ("time", "level", "y", "x")
    assert seen["time"].attrs == {"units": "days since 2000-01-01", "calendar": "standard"}
    assert "band" not in seen
    dataset = open_raster(tmp_path / "a.zarr")
    names = [dataset.GetRasterBand(i).GetDescription() for i in (1, 2)]
    assert names == ["first", "time=2000-01-01T00:00:00Z, level=10"]
    assert dataset.GetRasterBand(3).GetNoDataValue() == -9
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES[0, 0] + np.arange(4)[:, None, None])


@pytest.mark.parametrize("flushes", [False, True])
def test_what_is_removed_from_a_new_cube_stays_away(tmp_path, flushes):
    """The raster becomes a cube when its first pixels are written. Until then, its attributes wait."""
    dataset = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 10, 8, 2, gdal.GDT_Float32)
    dataset.SetMetadataItem("note", "x")
    dataset.SetMetadataItem("kept", "y")
    for number in (1, 2):
        band = dataset.GetRasterBand(number)
        band.SetMetadataItem("DIM_level_VALUE", str(number * 5))
        band.SetNoDataValue(-9)
        band.SetUnitType("m")
    if flushes:
        dataset.FlushCache()
    dataset.WriteArray(VALUES[0, 0] + np.zeros((2, 1, 1)))
    dataset.SetMetadataItem("note", None)
    assert dataset.GetRasterBand(1).DeleteNoDataValue() == gdal.CE_None
    for number in (1, 2):
        dataset.GetRasterBand(number).SetUnitType("")
    del band, dataset
    dataset = open_raster(tmp_path / "a.zarr")
    assert opened(tmp_path / "a.zarr")["a"].dims == ("level", "y", "x")
    assert (dataset.GetMetadataItem("note"), dataset.GetMetadataItem("kept")) == (None, "y")
    assert (dataset.GetRasterBand(1).GetNoDataValue(), dataset.GetRasterBand(1).GetUnitType()) == (None, "")


def test_create_without_pixels_is_a_cube(tmp_path):
    dataset = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 10, 8, 2, gdal.GDT_Float32)
    for number in (1, 2):
        dataset.GetRasterBand(number).SetMetadataItem("DIM_level_VALUE", str(number * 5))
    dataset = None
    seen = opened(tmp_path / "a.zarr")
    assert seen["a"].dims == ("level", "y", "x") and seen["level"].values.tolist() == [5, 10]


def test_rasterio(tmp_path, store):
    rasterio.shutil.copy(str(store), str(tmp_path / "d.zarr"), driver="Zarr")
    assert_is_cube(tmp_path / "d.zarr")
    # If a program copies the bands of a cube and their tags one by one, the copy has the dimensions of the cube, too.
    with rasterio.open(str(store)) as source:
        with rasterio.open(str(tmp_path / "e.zarr"), "w", **{**source.profile, "driver": "Zarr"}) as target:
            for number in source.indexes:
                target.update_tags(number, **source.tags(number))
            for number in source.indexes:
                target.write(source.read(number), number)
    seen = opened(tmp_path / "e.zarr")
    assert seen["e"].dims == ("time", "level", "y", "x")
    np.testing.assert_array_equal(seen["e"].values, VALUES)
