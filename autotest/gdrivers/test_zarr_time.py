# SPDX-License-Identifier: MIT
"""Names of bands along a dimension of times, levels or texts. Times are tested in all calendars of CF."""

import datetime
import re
import subprocess
import sys
import warnings

import cftime
import numpy as np
import pytest
import xarray
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster
from zarr_store import handmade, make_store

pytestmark = zarr_formats.READERS
# calendar -> suffix that the driver adds to dates of this calendar
SUFFIXES = {"standard": "Z", "gregorian": "Z", "proleptic_gregorian": "Z", "julian": " (julian)",
            "noleap": " (noleap)", "365_day": " (noleap)", "all_leap": " (all_leap)",
            "366_day": " (all_leap)", "360_day": " (360_day)"}  # fmt: skip


def cube(folder, values, attrs=None, dim="time", **coordinate):
    """Writes an array "data" with the dimensions `dim`, y and x, and a coordinate array `dim` with `values`. `attrs`
    are the attributes of the coordinate array. Returns the store."""
    values = np.asarray(values)
    return make_store(
        folder,
        {
            "data": {"values": np.zeros((values.size, 2, 3), "u1"), "dims": [dim, "y", "x"],
                     "chunks": (values.size, 2, 3)},
            dim: {"values": values, "dims": [dim], "attrs": attrs or {}, **coordinate},
        },
    )  # fmt: skip


def bands(dataset):
    return [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]


def descriptions(store, *options):
    dataset = open_raster(store, *options)
    return [band.GetDescription() for band in bands(dataset)]


def items(store, name, *options):
    dataset = open_raster(store, *options)
    return [band.GetMetadataItem(name) for band in bands(dataset)]


def iso(date, calendar="standard"):
    """Formats a date of cftime as the driver does."""
    if not date.has_year_zero and date.year < 0:
        year = date.year + 1
    else:
        year = date.year
    sign = "" if 0 <= year <= 9999 else "-" if year < 0 else "+"
    digits = f"{abs(year):04d}" if not sign else f"{abs(year):06d}"
    fraction = f".{date.microsecond:06d}" if date.microsecond else ""
    if fraction.endswith("000"):
        fraction = fraction[:-3]
    return (f"{sign}{digits}-{date.month:02d}-{date.day:02d}T{date.hour:02d}:{date.minute:02d}:"
            f"{date.second:02d}{fraction}{SUFFIXES[calendar]}")  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Tests of bands whose names are times


@pytest.mark.parametrize("calendar", SUFFIXES)
@pytest.mark.parametrize("frequency", ["6H", "D", "M"])
@pytest.mark.slow
def test_calendars_written_by_xarray(tmp_path, cpl, calendar, frequency):
    times = xarray.cftime_range("2019-12-30T06:00", periods=70, freq=frequency, calendar=calendar)
    data = xarray.DataArray(
        np.zeros((70, 2, 3), "f4"), dims=("time", "lat", "lon"), coords={"time": times}, name="tas"
    )
    store = tmp_path / "x.zarr"
    data.to_dataset().to_zarr(store)
    dataset = open_raster(array_name(store, "tas"))
    wanted = [iso(date, calendar) for date in times]
    assert [band.GetDescription() for band in bands(dataset)] == [f"time={w}" for w in wanted]
    assert [band.GetMetadataItem("DIM_time_TIME") for band in bands(dataset)] == wanted
    cpl.assert_quiet()


def test_times_of_the_real_world_written_by_xarray(tmp_path, cpl):
    times = np.array(["2020-01-02", "2020-02-29T12:30:00.25", "1969-07-20T20:17:40"], "M8[ns]")
    data = xarray.DataArray(np.zeros((3, 2, 2)), dims=("time", "y", "x"), coords={"time": times})
    store = tmp_path / "x.zarr"
    data.to_dataset(name="t").to_zarr(store)
    texts = ["2020-01-02T00:00:00Z", "2020-02-29T12:30:00.250Z", "1969-07-20T20:17:40Z"]
    assert items(array_name(store, "t"), "DIM_time_TIME") == texts
    cpl.assert_quiet()


def test_raw_values_stay_what_they_are(tmp_path, cpl):
    attrs = {"units": "hours since 2020-01-01", "calendar": "standard"}
    store = cube(tmp_path, np.array([6, 30], ">i4"), attrs)
    dataset = open_raster(array_name(store, "data"))
    metadata = dataset.GetRasterBand(2).GetMetadata()
    assert metadata["DIM_time_INDEX"] == "1"
    assert metadata["DIM_time_VALUE"] == "30"
    assert metadata["DIM_time_UNIT"] == "hours since 2020-01-01"
    assert metadata["DIM_time_TIME"] == "2020-01-02T06:00:00Z"
    assert dataset.GetRasterBand(2).GetDescription() == "time=2020-01-02T06:00:00Z"
    cpl.assert_quiet()


@pytest.mark.parametrize("calendar", SUFFIXES)
@pytest.mark.slow
def test_random_times_against_cftime(tmp_path, cpl, calendar):
    draw = np.random.default_rng(list(calendar.encode()))
    units = {"days": 2e6, "hours": 4e7, "minutes": 1e9, "seconds": 1e11, "milliseconds": 1e13}
    for i, (unit, span) in enumerate(units.items()):
        for kind in "if":
            # cftime converts these values to dates without rounding errors. cftime_rounds_twice() in make_time_table.py
            # says for which values cftime makes such errors.
            values = draw.uniform(-span, span, 200) * draw.choice([1e-4, 0.1, 1], 200)
            values = np.round(values * 16) / 16 if kind == "f" else values.astype("i8")
            day, epoch = draw.integers(1, 28), draw.integers(1, 2500)
            attrs = {"units": f"{unit} since {epoch:04d}-02-{day:02d} 17:30", "calendar": calendar}
            store = cube(tmp_path / f"{i}{kind}", values, attrs)
            with warnings.catch_warnings():  # cftime warns about years before 1
                warnings.simplefilter("ignore")
                dates = cftime.num2date(
                    values, attrs["units"], calendar, only_use_cftime_datetimes=True
                )
            wanted = [iso(date, calendar) for date in dates]
            assert items(array_name(store, "data"), "DIM_time_TIME") == wanted
    cpl.assert_quiet()


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s"])
@pytest.mark.parametrize("order", "<>")
def test_numpy_datetimes(tmp_path, cpl, unit, order):
    draw = np.random.default_rng(list(unit.encode()))
    ticks = draw.integers(-(2**20), 2**20, 50)
    if unit in "YMW":
        # Larger times overflow 64 bits when counted in nanoseconds.
        ticks = ticks % {"Y": 290, "M": 3400, "W": 15000}[unit]
    ticks[0] = np.iinfo("i8").min
    times = ticks.view(f"M8[{unit}]")
    # GDAL sees one unit of CF per tick; see test_zarr_calendar_units.py.
    shown = times.astype(f"M8[{'D' if unit in 'YMW' else unit.lstrip('25')}]").view("i8")
    store = cube(tmp_path, times.astype(times.dtype.newbyteorder(order)))
    dataset = open_raster(array_name(store, "data"))
    for band, tick, when in zip(bands(dataset), shown, times):
        assert band.GetMetadataItem("DIM_time_VALUE") == str(tick)
        assert band.GetMetadataItem("DIM_time_UNIT").endswith("since 1970-01-01")
        text = band.GetMetadataItem("DIM_time_TIME")
        assert band.GetDescription() == f"time={text or 'NaT'}"
        if np.isnat(when):
            assert text is None
            continue
        year, rest = re.fullmatch(r"([+-]\d{6}|\d{4})(-.*)Z", text).groups()
        assert np.datetime64(f"{int(year):04d}{rest}", "ns") == when.astype("M8[ns]")
    cpl.assert_quiet()


def test_numpy_timedeltas(tmp_path, cpl):
    steps = np.array([0, 1, 6, np.iinfo("i8").min]).view("m8[h]")
    store = cube(tmp_path, steps, dim="step")
    assert descriptions(array_name(store, "data")) == [
        "step=0 hours", "step=1 hour", "step=6 hours", "step=NaT"
    ]  # fmt: skip
    assert items(array_name(store, "data"), "DIM_step_TIME") == [None] * 4
    assert items(array_name(store, "data"), "DIM_step_VALUE")[1:3] == ["1", "6"]
    cpl.assert_quiet()


def test_missing_and_far_times(tmp_path):
    attrs = {"units": "days since 2000-01-01"}
    store = cube(tmp_path / "nan", np.array([1, np.nan, 1e300, 2]), attrs)
    with error_log() as log:
        texts = descriptions(array_name(store, "data"))
    assert texts == ["time=2000-01-02T00:00:00Z", "time=NaT",
                     "time=1e+300 days since 2000-01-01", "time=2000-01-03T00:00:00Z"]  # fmt: skip
    assert len(log.warnings) == 1 and "1e+300" in log.warnings[0] and "/time" in log.warnings[0]
    store = cube(tmp_path / "int", np.array([1, -9999]), {**attrs, "_FillValue": -9999})
    assert descriptions(array_name(store, "data")) == ["time=2000-01-02T00:00:00Z", "time=NaT"]
    unsigned = np.array([1, 2**64 - 1], "u8")
    store = cube(tmp_path / "uint", unsigned, attrs)
    with error_log() as log:
        texts = descriptions(array_name(store, "data"))
    assert texts[1] == f"time={2**64 - 1} days since 2000-01-01" and len(log.warnings) == 1


@pytest.mark.parametrize(
    "attrs, named",
    [
        ({"units": "days since yesterday"}, "units"),
        ({"units": "moons since 2000-01-01"}, "units"),
        ({"units": "days since 2001-02-29"}, "units"),
        ({"units": "days since 2000-01-01", "calendar": "mayan"}, "calendar"),
        ({"units": "days since 2000-01-01", "calendar": 7}, "calendar"),
        ({"units": ["days"]}, "units"),
        ({"units": "days since 2000-01-01", "scale_factor": {}}, "scale_factor"),
    ],
)
def test_broken_attributes(tmp_path, attrs, named):
    store = cube(tmp_path, np.array([3, 4], "i4"), attrs)
    with error_log() as log:
        dataset = open_raster(array_name(store, "data"))
        texts = [band.GetDescription() for band in bands(dataset)]
        for band in bands(dataset):
            band.GetMetadata()
    assert len(log.warnings) == 1 and log.errors == [], log.events
    assert f"attribute {named}" in log.warnings[0] and "/time" in log.warnings[0]
    if named == "scale_factor":
        assert texts == ["time=2000-01-04T00:00:00Z", "time=2000-01-05T00:00:00Z"]
    else:
        units = f" {attrs['units']}" if isinstance(attrs["units"], str) else ""
        assert texts == [f"time=3{units}", f"time=4{units}"]


# ---------------------------------------------------------------------------------------------
# Tests of bands whose names are other coordinates, such as levels


@pytest.mark.parametrize(
    "values, attrs, wanted",
    [
        (np.array([850, 500], "i2"), {"units": "hPa"}, ["850 hPa", "500 hPa"]),
        (np.array([0.1, 2], "<f4"), {"units": "m"}, ["0.1 m", "2 m"]),
        (np.array([1, 2], "u1"), {}, ["1", "2"]),
        (np.array([1, 2], "u1"), {"units": "1"}, ["1", "2"]),
        (np.array([1, 2], "u1"), {"units": ""}, ["1", "2"]),
        (np.array([6, 12], "u1"), {"units": "hours"}, ["6 hours", "12 hours"]),
        (np.array([3, 7], ">i2"), {"units": "hPa", "scale_factor": 0.1}, ["0.3 hPa", "0.7 hPa"]),
        (np.array([3, 7], "i2"), {"scale_factor": 100, "add_offset": -1}, ["299", "699"]),
        (np.array([np.nan, 7]), {"units": "m"}, ["nan m", "7 m"]),
        (np.array([True, False]), {}, ["1", "0"]),
    ],
)
def test_levels(tmp_path, cpl, values, attrs, wanted):
    store = cube(tmp_path, values, attrs, dim="level")
    name = array_name(store, "data")
    assert descriptions(name) == [f"level={text}" for text in wanted]
    raw = [int(v) if values.dtype.kind == "b" else v for v in values.tolist()]
    assert [float(v) for v in items(name, "DIM_level_VALUE")] == pytest.approx(raw, nan_ok=True)
    assert items(name, "DIM_level_UNIT") == [attrs.get("units") or None] * 2
    assert items(name, "DIM_level_TIME") == [None] * 2
    cpl.assert_quiet()


def test_packed_times(tmp_path, cpl):
    attrs = {"units": "days since 2000-01-01", "scale_factor": 0.5, "add_offset": 10}
    store = cube(tmp_path, np.array([0, 1], "i2"), attrs)
    assert descriptions(array_name(store, "data")) == [
        "time=2000-01-11T00:00:00Z", "time=2000-01-11T12:00:00Z"
    ]  # fmt: skip
    cpl.assert_quiet()


@pytest.mark.parametrize("dtype", ["U5", "S5", ">U5", object])
def test_names(tmp_path, cpl, dtype):
    import numcodecs

    more = {"object_codec": numcodecs.VLenUTF8()} if dtype is object else {}
    values = np.array(["red", "green", ""], dtype)
    store = cube(tmp_path, values, dim="band", chunks=(1,), **more)
    assert descriptions(array_name(store, "data")) == ["red", "green", ""]
    # Texts along the dimension "band" become descriptions of bands. Texts along any other dimension also become
    # metadata items of bands.
    assert items(array_name(store, "data"), "DIM_band_VALUE") == [None] * 3
    again = cube(tmp_path / "other", values, dim="channel", chunks=(1,), **more)
    assert items(array_name(again, "data"), "DIM_channel_VALUE") == ["red", "green", ""]
    cpl.assert_quiet()


def test_several_dimensions(tmp_path, cpl):
    store = make_store(
        tmp_path,
        {
            "data": {"values": np.zeros((2, 2, 3, 2, 2), "u1"),
                     "dims": ["time", "band", "member", "y", "x"]},
            "time": {"values": np.array([1, 2]), "dims": ["time"],
                     "attrs": {"units": "days since 2020-01-01"}},
            "band": {"values": np.array(["red", "nir"]), "dims": ["band"]},
        },
    )  # fmt: skip
    dataset = open_raster(array_name(store, "data"))
    assert dataset.RasterCount == 12
    assert dataset.GetRasterBand(1).GetDescription() == "time=2020-01-02T00:00:00Z, band=red, member=0"
    assert dataset.GetRasterBand(12).GetDescription() == "time=2020-01-03T00:00:00Z, band=nir, member=2"
    one = open_raster(array_name(store, "data") + ":1:0")
    assert one.RasterCount == 3
    assert one.GetRasterBand(2).GetDescription() == "time=2020-01-03T00:00:00Z, band=red, member=1"
    assert one.GetRasterBand(2).GetMetadataItem("DIM_time_INDEX") == "1"
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of coordinates that cannot be read, or that take long to read


@pytest.mark.parametrize("dtype", ["<i4", "|V4", [["a", "<i2"], ["b", "<i2"]]])
def test_unreadable_coordinates(tmp_path, dtype):
    store = cube(tmp_path, np.arange(3, dtype="i4"))
    handmade(store, path="time", shape=[3], chunks=[3], dtype=dtype, fill_value=None,
             files={"0": b"12345"})  # fmt: skip
    with error_log() as log:
        dataset = open_raster(array_name(store, "data"))
        texts = [band.GetDescription() for band in bands(dataset)]
        metadata = [band.GetMetadata() for band in bands(dataset)]
    assert texts == ["time=0", "time=1", "time=2"]
    assert all("DIM_time_VALUE" not in m for m in metadata)
    assert len(log.warnings) == 1 and "time" in log.warnings[0], log.events


def many_chunks(folder, count=2000):
    attrs = {"units": "hours since 2020-01-01"}
    return cube(folder, np.arange(count, dtype="i8"), attrs, chunks=(1,), compressor=None)


@pytest.mark.slow
def test_tiny_chunks(tmp_path, cpl):
    name = array_name(many_chunks(tmp_path), "data")
    texts = descriptions(name, "LOAD_EXTRA_DIM_METADATA_DELAY=unlimited")
    first = datetime.datetime(2020, 1, 1)
    dates = [first + datetime.timedelta(hours=i) for i in range(2000)]
    assert texts == [f"time={date.isoformat()}Z" for date in dates]
    cpl.assert_quiet()


@pytest.mark.parametrize("delay", ["0", "0.0", "1e-9"])
@pytest.mark.slow
def test_coordinates_that_exceed_the_time_limit(tmp_path, delay):
    name = array_name(many_chunks(tmp_path), "data")
    with error_log() as log:
        dataset = open_raster(name, f"LOAD_EXTRA_DIM_METADATA_DELAY={delay}")
        assert log.events == []
        texts = [band.GetDescription() for band in bands(dataset)]
        metadata = dataset.GetRasterBand(7).GetMetadata()
    assert texts == [f"time={i}" for i in range(2000)]
    assert metadata["DIM_time_INDEX"] == "6" and "DIM_time_VALUE" not in metadata
    assert len(log.warnings) == 1 and "LOAD_EXTRA_DIM_METADATA_DELAY" in log.warnings[0]


SLOW_SERVER = """
import functools, http.server, sys, time

class Handler(http.server.SimpleHTTPRequestHandler):
    def send_head(self):
        if "/time/" in self.path and not self.path.split("/")[-1].startswith("."):
            with open(sys.argv[2], "a") as log:
                log.write(self.path + "\\n")
            time.sleep(0.1)
        return super().send_head()

    def log_message(self, *args):
        pass

handler = functools.partial(Handler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture
def slow_url(tmp_path):
    """Starts a server that takes 0.1 seconds to answer a request for a coordinate array. Yields the URL of
    tmp_path."""
    command = [sys.executable, "-c", SLOW_SERVER, str(tmp_path), str(tmp_path / "requests")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield f"/vsicurl/http://127.0.0.1:{int(server.stdout.readline())}"
        server.kill()


@pytest.mark.slow
def test_slow_coordinates(tmp_path, slow_url):
    zarr.consolidate_metadata(str(many_chunks(tmp_path, 300)))
    name = f'ZARR:"{slow_url}/store.zarr":/data'
    with error_log() as log:
        dataset = open_raster(name, "LOAD_EXTRA_DIM_METADATA_DELAY=0.5", "NUM_THREADS=2")
        texts = [band.GetDescription() for band in bands(dataset)]
    assert texts == [f"time={i}" for i in range(300)]
    requested = set((tmp_path / "requests").read_text().split())
    assert 1 <= len(requested) < 100, "it stops long before the 300 chunks"
    assert len(log.warnings) == 1 and " 0.5 seconds " in log.warnings[0], log.events
    many = descriptions(name, "LOAD_EXTRA_DIM_METADATA_DELAY=unlimited", "NUM_THREADS=16")
    assert many[0] == "time=2020-01-01T00:00:00Z" and many[-1] == "time=2020-01-13T11:00:00Z"


def test_one_warning_for_several_dimensions(tmp_path):
    store = make_store(
        tmp_path,
        {
            "data": {"values": np.zeros((2, 2, 2, 2), "u1"), "dims": ["time", "level", "y", "x"]},
            "time": {"values": np.array([1, 2]), "dims": ["time"]},
            "level": {"values": np.array([1, 2]), "dims": ["level"]},
        },
    )
    with error_log() as log:
        texts = descriptions(array_name(store, "data"), "LOAD_EXTRA_DIM_METADATA_DELAY=0")
    assert texts[0] == "time=0, level=0" and len(log.warnings) == 1


@pytest.mark.parametrize("delay", ["-1", "soon", "", "nan"])
def test_bad_delay(tmp_path, cpl, delay):
    name = array_name(many_chunks(tmp_path, 3), "data")
    option = f"LOAD_EXTRA_DIM_METADATA_DELAY={delay}"
    assert gdal.OpenEx(name, gdal.OF_RASTER, open_options=[option]) is None
    assert "LOAD_EXTRA_DIM_METADATA_DELAY" in cpl.the_error()


@pytest.mark.slow
def test_a_fixed_slice_reads_one_coordinate(tmp_path, cpl):
    store = many_chunks(tmp_path)
    for i in range(2000):
        if i != 1234:
            zarr_formats.chunk_file(store, "time", i).write_bytes(b"broken")
    dataset = open_raster(array_name(store, "data") + ":1234")
    band = dataset.GetRasterBand(1)
    assert band.GetDescription() == "time=2020-02-21T10:00:00Z"
    assert band.GetMetadataItem("DIM_time_VALUE") == "1234"
    cpl.assert_quiet()


def test_coordinates_are_not_read_before_they_are_needed(tmp_path, cpl):
    store = many_chunks(tmp_path, 5)
    for i in range(5):
        zarr_formats.chunk_file(store, "time", i).write_bytes(b"broken")
    dataset = open_raster(array_name(store, "data"))
    assert dataset.ReadAsArray().shape == (5, 2, 3)
    cpl.assert_quiet()
    dataset.GetRasterBand(3).GetDescription()
    assert len(cpl.warnings) == 1


def test_more_coordinates_than_bands(tmp_path, cpl):
    store = make_store(
        tmp_path,
        {
            "data": {"values": np.zeros((65537, 1, 1), "u1"), "dims": ["time", "y", "x"]},
            "time": {"values": np.arange(65537), "dims": ["time"],
                     "attrs": {"units": "s since 2020-01-01"}},
        },
    )  # fmt: skip
    dataset = gdal.Open(array_name(store, "data"))
    assert dataset.RasterCount == 0
    cpl.clear()
    one = open_raster(array_name(store, "data") + ":65536")
    assert one.GetRasterBand(1).GetDescription() == "time=2020-01-01T18:12:16Z"
    cpl.assert_quiet()


def test_the_option_is_described():
    text = gdal.GetDriverByName("Zarr").GetMetadataItem("DMD_OPENOPTIONLIST")
    assert "LOAD_EXTRA_DIM_METADATA_DELAY" in text and "unlimited" in text


def test_the_type_of_a_time_counts_more_than_its_units(tmp_path):
    store = tmp_path / "x.zarr"
    array = zarr.open_group(str(store), mode="w").array("a", np.zeros((2, 2), "M8[D]"))
    array.attrs["units"] = "days since 2000-01-01"
    dataset = gdal.Open(str(store))
    assert dataset.GetRasterBand(1).GetUnitType() == "days since 1970-01-01"
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.OpenMDArray("a").GetUnit() == "days since 1970-01-01"
