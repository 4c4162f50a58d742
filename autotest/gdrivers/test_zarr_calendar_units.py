# SPDX-License-Identifier: MIT
"""Times of NumPy that count months, years, weeks, or several units per tick, such as datetime64[M] and
datetime64[10s]. CF has no such units: a month of UDUNITS has 30.44 days, and xarray and cftime refuse the units. The
driver shows these times in days, or in one unit."""

import netCDF4
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_band, open_raster
from zarr_store import make_array, make_store
from zarr_tools import run_gdal

pytestmark = zarr_formats.BOTH
NAT = np.iinfo("i8").min
# typestr -> unit that the driver shows, as NumPy spells it
POINTS = {"M8[M]": "D", "M8[Y]": "D", "M8[3M]": "D", "M8[10Y]": "D", "M8[W]": "D", "M8[2W]": "D", "M8[7D]": "D",
          "M8[6h]": "h", "M8[15m]": "m", "M8[10s]": "s", "M8[25s]": "s", "M8[100ms]": "ms"}  # fmt: skip
SPANS = {"m8[W]": "D", "m8[10s]": "s", "m8[3h]": "h", "m8[M]": "M", "m8[3M]": "M", "m8[10Y]": "Y"}
NAMES = {"D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "M": "months",
         "Y": "years"}  # fmt: skip
TICKS = np.array([[0, 1, -1], [20, 13, NAT]])


def series(kind, *ticks):
    """Returns times of a type: `ticks` after the first one in 2020."""
    return np.datetime64("2020-01-01").astype(kind) + np.array(ticks)


def shown(values, unit):
    return values.astype(f"{values.dtype.kind}8[{unit}]")


@pytest.mark.parametrize("kind", [*POINTS, *SPANS])
def test_pixels_that_are_times(tmp_path, kind):
    values = TICKS.view(kind)
    unit = {**POINTS, **SPANS}[kind]
    wanted = shown(values, unit).view("i8")
    units = NAMES[unit] + (" since 1970-01-01" if kind[0] == "M" else "")
    store = make_array(tmp_path, values)
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    np.testing.assert_array_equal(band.ReadAsArray(), wanted)
    assert band.GetUnitType() == units and band.GetNoDataValueAsInt64() == NAT
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("array")
    np.testing.assert_array_equal(array.ReadAsArray(), wanted)
    assert array.GetUnit() == units and array.GetNoDataValueAsInt64() == NAT


@pytest.mark.parametrize("kind", POINTS)
def test_pixels_are_copied(tmp_path, kind):
    values = TICKS.view(kind)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"]}})
    for copy, options in (("a.tif", ["-of", "GTiff"]), ("b.zarr", ["-of", "Zarr"])):
        run_gdal("gdal_translate", "-q", *options, store, tmp_path / copy)
        dataset = gdal.Open(str(tmp_path / copy))
        band = dataset.GetRasterBand(1)
        np.testing.assert_array_equal(band.ReadAsArray(), shown(values, POINTS[kind]).view("i8"))
        assert band.GetUnitType() == NAMES[POINTS[kind]] + " since 1970-01-01"
    with xr.open_zarr(str(tmp_path / "b.zarr"), consolidated=False) as opened:
        (name,) = [name for name in opened.variables if opened[name].ndim == 2]
        np.testing.assert_array_equal(opened[name].values, values.astype("M8[ns]"))


@pytest.mark.parametrize("kind", [*POINTS, *SPANS])
@pytest.mark.parametrize("end", ["nc", "zarr"])
def test_multidimensional_copies(tmp_path, kind, end):
    times = TICKS[:, :2].ravel().view(kind)
    store = make_store(
        tmp_path,
        {"time": {"values": times, "dims": ["time"]}, "v": {"values": np.arange(4.0), "dims": ["time"]}},
    )  # fmt: skip
    copy = tmp_path / f"copy.{end}"
    run_gdal("gdalmdimtranslate", store, copy)
    opened = xr.open_dataset(copy) if end == "nc" else xr.open_zarr(str(copy), consolidated=False)
    with opened:
        found = opened.time.values
        if kind in ("m8[M]", "m8[3M]", "m8[10Y]"):  # durations without a fixed length stay numbers
            wanted = shown(times, SPANS[kind]).view("i8")
            assert opened.time.attrs["units"] == NAMES[SPANS[kind]]
        else:
            wanted = times.astype(f"{kind[0]}8[ns]")
            if found.dtype.kind not in "mM":
                found = (found * np.timedelta64(1, SPANS[kind])).astype("m8[ns]")
        np.testing.assert_array_equal(found, wanted)


def cube(folder, times, name="store.zarr"):
    count = len(times)
    values = np.arange(count * 6, dtype="i2").reshape(count, 2, 3)
    return make_store(
        folder,
        {
            "data": {"values": values, "dims": ["time", "y", "x"], "chunks": (1, 2, 3)},
            "time": {"values": times, "dims": ["time"], "chunks": (count,)},
            "x": {"values": np.arange(3.0), "dims": ["x"]},
            "y": {"values": -np.arange(2.0), "dims": ["y"]},
        },
        name=name,
    )  # fmt: skip


def metadata_of(dataset, item):
    return [dataset.GetRasterBand(i + 1).GetMetadataItem(item) for i in range(dataset.RasterCount)]


@pytest.mark.parametrize("kind", POINTS)
def test_times_of_bands(tmp_path, cpl, kind):
    times = series(kind, 0, 2, 14, -7)
    store = cube(tmp_path, times)
    plain = shown(times, POINTS[kind])
    run_gdal("gdal_translate", "-q", array_name(store, "data"), tmp_path / "a.tif")
    for name in (array_name(store, "data"), tmp_path / "a.tif"):
        dataset = gdal.Open(str(name))
        assert metadata_of(dataset, "DIM_time_VALUE") == [str(v) for v in plain.view("i8")]
        assert set(metadata_of(dataset, "DIM_time_UNIT")) == {NAMES[POINTS[kind]] + " since 1970-01-01"}
        texts = metadata_of(dataset, "DIM_time_TIME")
        seconds = [np.datetime64(text.rstrip("Z")).astype("M8[ms]") for text in texts]
        np.testing.assert_array_equal(seconds, times.astype("M8[ms]"))
    cpl.assert_quiet()


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("through", ["directly", "a.tif", "a.vrt"])
def test_copies_of_cubes(tmp_path, kind, through):
    times = series(kind, -9, 0, 2, 14)
    source = array_name(cube(tmp_path, times), "data")
    if through != "directly":
        run_gdal("gdal_translate", "-q", source, tmp_path / through)
        source = tmp_path / through
    run_gdal("gdal_translate", "-q", "-of", "Zarr", source, tmp_path / "copy.zarr")
    with xr.open_zarr(str(tmp_path / "copy.zarr"), consolidated=False) as opened:
        np.testing.assert_array_equal(opened.time.values, times.astype("M8[ns]"))


@pytest.mark.parametrize("kind", POINTS)
def test_a_copy_to_netcdf_by_bands(tmp_path, kind):
    times = series(kind, 0, 2, 14)
    store = cube(tmp_path, times)
    run_gdal("gdal_translate", "-q", "-of", "netCDF", array_name(store, "data"), tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc") as opened:
        texts = [
            str(getattr(variable, "units", "")) for variable in opened.variables.values()
        ] + [str(value) for variable in opened.variables.values() for value in variable.__dict__.values()]  # fmt: skip
    assert not any("months" in text or "years" in text or "weeks" in text for text in texts), texts


@pytest.mark.parametrize("kind", POINTS)
def test_slices_are_appended_to_such_times(tmp_path, kind):
    first, later = series(kind, 0, 1), series(kind, 2, 5)
    store = cube(tmp_path, first, "target.zarr")
    source = cube(tmp_path, later, "source.zarr")
    run_gdal("gdal_translate", "-q", "-of", "Zarr", "-co", "APPEND_DIM=time", "-co", "ARRAY_NAME=data",
             array_name(source, "data"), store)  # fmt: skip
    root = zarr.open_group(str(store), mode="r")
    np.testing.assert_array_equal(root["time"][:], np.concatenate([first, later]))
    assert root["data"].shape == (4, 2, 3) and root["data"][2, 0, 0] == 0
    # Another source states the time as the days of CF.
    xr.Dataset({"data": (("time", "y", "x"), np.full((1, 2, 3), 7, "i2"))},
               {"time": series(kind, 6).astype("M8[ns]"), "x": np.arange(3.0), "y": -np.arange(2.0)},
               ).to_zarr(str(tmp_path / "cf.zarr"), mode="w", consolidated=False)  # fmt: skip
    run_gdal("gdal_translate", "-q", "-of", "Zarr", "-co", "APPEND_DIM=time", "-co", "ARRAY_NAME=data",
             array_name(tmp_path / "cf.zarr", "data"), store)  # fmt: skip
    assert zarr.open_group(str(store), mode="r")["time"][4] == series(kind, 6)[0]


@pytest.mark.parametrize("kind, time", [("M8[M]", "2020-03-15"), ("M8[Y]", "2020-02-01"), ("M8[10s]", "2030-01-01T00:00:05"),
                                        ("M8[M]", "18335")])  # fmt: skip
def test_times_between_two_ticks_are_refused(tmp_path, kind, time):
    store = cube(tmp_path, series(kind, 0))
    source = gdal.GetDriverByName("MEM").Create("", 3, 2, 1, gdal.GDT_Int16)
    source.SetGeoTransform((-0.5, 1, 0, 0.5, 0, -1))
    with error_log() as log:
        assert gdal.Translate(str(store), source, format="Zarr", creationOptions=[
            "APPEND_DIM=time", "ARRAY_NAME=data", "APPEND_DIM_VALUES=" + time]) is None  # fmt: skip
    assert len(log.errors) == 1 and "cannot be stored exactly" in log.errors[0], log.events
    assert zarr.open_group(str(store), mode="r")["time"].shape == (1,)


@pytest.mark.parametrize("kind", ["M8[M]", "M8[Y]", "M8[10s]", "M8[W]", "m8[3h]", "m8[3M]"])
def test_written_elements_are_in_the_shown_unit(tmp_path, kind):
    store = make_store(tmp_path, {"t": {"values": np.zeros(4, "i8").view(kind), "dims": ["x"]}})
    values = np.array([5, 602, -3, NAT]).view(kind)
    plain = shown(values, {**POINTS, **SPANS}[kind]).view("i8")
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("t")
    assert array.Write(plain) == gdal.CE_None
    np.testing.assert_array_equal(array.ReadAsArray(), plain)
    del array, dataset
    np.testing.assert_array_equal(zarr.open_group(str(store), mode="r")["t"][:], values)


def test_bounds_of_months_continue(tmp_path, cpl):
    months = np.array(["2020-01", "2020-02"], "M8[M]")
    store = cube(tmp_path, months)
    group = zarr.open_group(str(store), mode="a")
    group["time"].attrs["bounds"] = "time_bnds"
    bounds = group.create_dataset("time_bnds", data=np.stack([months, months + 1], 1), chunks=(2, 2))
    bounds.attrs["_ARRAY_DIMENSIONS"] = ["time", "nv"]
    source = gdal.GetDriverByName("MEM").Create("", 3, 2, 1, gdal.GDT_Int16)
    source.SetGeoTransform((-0.5, 1, 0, 0.5, 0, -1))
    assert gdal.Translate(str(store), source, format="Zarr", creationOptions=[
        "APPEND_DIM=time", "ARRAY_NAME=data", "APPEND_DIM_VALUES=2020-03-01"])  # fmt: skip
    got = zarr.open_group(str(store), mode="r")["time_bnds"][2]
    np.testing.assert_array_equal(got, np.array(["2020-03", "2020-04"], "M8[M]"))
    cpl.assert_quiet()


@pytest.mark.parametrize("selection", ["2020-03-01", "2020-03", "18322"])
def test_a_month_is_selected_by_its_first_day(tmp_path, cpl, selection):
    store = cube(tmp_path, series("M8[M]", 0, 2, 14))
    dataset = open_raster(array_name(store, "data"), f"SELECT=time={selection}")
    assert dataset.RasterCount == 1 and dataset.ReadAsArray()[0, 0] == 6
    cpl.assert_quiet()


@zarr_formats.V2
@pytest.mark.parametrize("order", "<>")
def test_members_of_structures(tmp_path, order):
    values = np.zeros((2, 3), [("month", f"{order}M8[M]"), ("level", f"{order}i2")])
    values["month"], values["level"] = TICKS, 7
    store = make_array(tmp_path, values)
    wanted = shown(TICKS.view("M8[M]"), "D").view("i8")
    band = open_band(store)
    assert band.GetUnitType() == "days since 1970-01-01"
    np.testing.assert_array_equal(band.ReadAsArray(), wanted)
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("array")
    member = array.GetView("['month']")
    np.testing.assert_array_equal(member.ReadAsArray(), wanted)


@pytest.mark.parametrize("kind, fill, wanted", [("M8[M]", 602, 18322), ("M8[10s]", 3, 30), ("m8[3M]", -1, -3)])
def test_absent_chunks_are_in_the_shown_unit(tmp_path, kind, fill, wanted):
    values = np.full((2, 4), fill, "i8").view(kind)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"], "chunks": (2, 2), "fill_value": fill}})
    for file in [path for path in store.rglob("*") if path.is_file() and path.suffix != ".json" and path.name[0] != "."]:
        file.unlink()
    np.testing.assert_array_equal(open_raster(store).ReadAsArray(), np.full((2, 4), wanted))


@pytest.mark.parametrize("kind", ["M8[M]", "M8[10s]"])
def test_overviews_of_times(tmp_path, cpl, kind):
    values = (np.arange(16).reshape(4, 4) + 500).view(kind)
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"]}})
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.BuildOverviews("NEAREST", [2])
    del dataset
    band = open_band(store)
    assert band.GetOverviewCount() == 1
    assert set(band.GetOverview(0).ReadAsArray().ravel()) <= set(shown(values, POINTS[kind]).view("i8").ravel())
    cpl.assert_quiet()


@pytest.mark.parametrize("api", ["raster", "multidim"])
@pytest.mark.parametrize("kind, value, is_tick", [("M8[M]", 31, True), ("M8[M]", 15, False), ("M8[10s]", 20, True),
                                                  ("M8[10s]", 25, False)])  # fmt: skip
def test_nodata_values_that_are_times(tmp_path, api, kind, value, is_tick):
    store = make_store(tmp_path, {"a": {"values": np.zeros((2, 2), "i8").view(kind), "dims": ["y", "x"]}})
    with error_log() as log:
        if api == "raster":
            dataset = gdal.Open(str(store), gdal.GA_Update)
            dataset.GetRasterBand(1).SetNoDataValueAsInt64(value)
        else:
            dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
            dataset.GetRootGroup().OpenMDArray("a").SetNoDataValueInt64(value)
        del dataset
    assert [f"nodata value {value} does not fit" in text for text in log.warnings] == [True] * (not is_tick), log.events
    assert open_band(store).GetNoDataValueAsInt64() == (value if is_tick else NAT)
