# SPDX-License-Identifier: MIT
"""If an append with APPEND_DIM is killed, the next append finds the store as it was before, or with all of the slice."""

import os
import shutil
import subprocess

import numpy as np
import pytest
import xarray
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster

pytestmark = [
    zarr_formats.BOTH,
    pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                       reason="strace and AddressSanitizer's runtime do not go together; the other stage does it"),
]  # fmt: skip
APPEND = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]
GROUPS = ("ovr_2x", "ovr_4x")  # groups of the overview levels


def values_of(day):
    return np.random.default_rng(day).integers(0, 1000, (64, 48), "i2")


def scene(day):
    dataset = gdal.GetDriverByName("MEM").Create("", 48, 64, 1, gdal.GDT_Int16)
    dataset.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    dataset.GetRasterBand(1).WriteArray(values_of(day))
    return dataset


def copy(store, day, *options):
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), scene(day), options=list(options)), log.events
    log.assert_quiet()


def append(store, day):
    copy(store, day, *APPEND, f"APPEND_DIM_VALUES=2024-05-{day:02}")


def make(store, *days):
    copy(store, days[0], "BAND_DIM=time", f"BAND_DIM_VALUES=2024-05-{days[0]:02}", "OVERVIEWS=2,4")
    for day in days[1:]:
        append(store, day)


def append_and_kill(store, day, folder, number):
    """Appends the slice of `day` in a new process. The process is killed just before its rename with the number
    `number`, counted from 1. Returns how many renames the process began."""
    source = str(folder / f"{day}.tif")
    gdal.Translate(source, scene(day))
    options = [word for option in [*APPEND, f"APPEND_DIM_VALUES=2024-05-{day:02}"] for word in ("-co", option)]
    trace = ["-o", str(folder / "trace"), "-e", "trace=rename",
             "-e", f"inject=rename:error=EIO:signal=KILL:when={number}"]  # fmt: skip
    subprocess.run(["strace", "-f", "-qq", *trace, "gdal_translate", "-q", "-of", "Zarr", *options, source, str(store)],
                   capture_output=True, check=False)  # fmt: skip
    lines = (folder / "trace").read_text().splitlines()
    return sum("rename(" in line for line in lines)


def assert_holds(store, *days):
    """Asserts that this driver and xarray find exactly the slices `days` in the store, with their times and
    overviews."""
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.RasterCount == len(days)
        for number, day in enumerate(days, 1):
            band = dataset.GetRasterBand(number)
            assert band.GetDescription() == f"time=2024-05-{day:02}T00:00:00Z"
            np.testing.assert_array_equal(band.ReadAsArray(), values_of(day))
            assert band.GetOverviewCount() == 2
            for level, step in enumerate((2, 4)):
                np.testing.assert_array_equal(band.GetOverview(level).ReadAsArray(), values_of(day)[::step, ::step])
    log.assert_quiet()
    wanted = [np.datetime64(f"2024-05-{day:02}") for day in days]
    for group in (None, *GROUPS):
        with xarray.open_zarr(str(store), group=group, consolidated=False) as opened:
            assert opened["time"].values.tolist() == np.array(wanted, "M8[ns]").tolist()


def faults(tmp_path, *days):
    """Yields the numbers of renames at which the test kills an append. Before each yield, tmp_path/a.zarr becomes a
    fresh copy of a store with the slices `days`."""
    make(tmp_path / "old.zarr", *days)
    shutil.copytree(tmp_path / "old.zarr", tmp_path / "a.zarr")
    renames = append_and_kill(tmp_path / "a.zarr", 9, tmp_path, 9999)
    assert renames >= 12
    for number in zarr_faults.some(range(1, renames + 1), 8):
        shutil.rmtree(tmp_path / "a.zarr")
        shutil.copytree(tmp_path / "old.zarr", tmp_path / "a.zarr")
        yield number


@pytest.mark.slow
def test_the_same_append_after_a_kill(tmp_path):
    store = tmp_path / "a.zarr"
    for number in faults(tmp_path, 1, 2):
        append_and_kill(store, 9, tmp_path, number)
        append(store, 9)
        assert_holds(store, 1, 2, 9)
        append(store, 10)
        assert_holds(store, 1, 2, 9, 10)


@pytest.mark.slow
def test_another_append_after_a_kill(tmp_path):
    """After the append of slice 9 is killed, slice 10 is appended. Slice 9 exists completely or not at all, and slice
    10 has its own time."""
    store = tmp_path / "a.zarr"
    sizes = set()
    for number in faults(tmp_path, 1, 2):
        append_and_kill(store, 9, tmp_path, number)
        append(store, 10)
        sizes.add(open_raster(store).RasterCount)
        assert_holds(store, 1, 2, *([9] if max(sizes) == 4 else []), 10)
    assert sizes == {3, 4}


def test_an_edit_by_another_program_after_a_kill(tmp_path):
    """Another program edits an array after an append was killed. The next append keeps the edit, and undoes the rest of
    the killed one."""
    import zarr

    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    shutil.copytree(store, tmp_path / "old.zarr")
    append_and_kill(store, 9, tmp_path, 9999)
    document = "zarr.json" if zarr_formats.is_v3() else ".zarray"
    lines = (tmp_path / "trace").read_text().splitlines()
    targets = [line.split('"')[3] for line in lines if "rename(" in line]
    at = targets.index(f"{store}/a/{document}") + 1
    for number in (at, at + 1):  # before and after the array gets its new size
        shutil.rmtree(store)
        shutil.copytree(tmp_path / "old.zarr", store)
        append_and_kill(store, 9, tmp_path, number)
        for name in ("a", "time"):
            zarr.open_group(str(store), mode="r+")[name].attrs["note"] = "checked"
        append(store, 10)
        assert_holds(store, 1, 2, 10)
        for name in ("a", "time"):
            assert zarr.open_group(str(store), mode="r")[name].attrs["note"] == "checked"


@pytest.mark.slow
def test_a_replacement_after_a_kill(tmp_path):
    """After an append is killed, a second append replaces an existing slice."""
    store = tmp_path / "a.zarr"
    for number in faults(tmp_path, 1, 2):
        append_and_kill(store, 9, tmp_path, number)
        append(store, 2)
        assert_holds(store, 1, 2, *([9] if open_raster(store).RasterCount == 3 else []))


@pytest.mark.slow
def test_an_append_after_several_kills(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    for number in range(1, 99):
        renames = append_and_kill(store, 9, tmp_path, number)
        if renames < number:
            break
    assert number >= 12
    append(store, 9)
    assert_holds(store, 1, 2, 9)


def test_coordinates_and_array_are_resized_one_after_the_other(tmp_path):
    """An append resizes the arrays of the overviews first, then /time, and directly afterwards the array /a."""
    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    append_and_kill(store, 9, tmp_path, 9999)
    document = "zarr.json" if zarr_formats.is_v3() else ".zarray"
    lines = (tmp_path / "trace").read_text().splitlines()
    targets = [line.split('"')[3] for line in lines if "rename(" in line]
    resized = [target[len(str(store)) + 1 :] for target in targets if target.endswith(document)]
    at = resized.index(f"time/{document}")
    assert resized[at + 1] == f"a/{document}"
    before = [f"{group}/{name}/{document}" for group in GROUPS for name in ("time", "a")]
    assert set(before) <= set(resized[:at])
    # If the append is killed after it has resized /time, but not /a, the store shows all former slices without times.
    shutil.rmtree(store)
    make(store, 1, 2)
    append_and_kill(store, 9, tmp_path, targets.index(f"{store}/a/{document}") + 1)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert [dataset.GetRasterBand(i).ReadAsArray()[0, 0] for i in (1, 2)] == [values_of(i)[0, 0] for i in (1, 2)]
        assert dataset.RasterCount == 2
    assert "dimension time has 2 elements, but its coordinate array /time has 3" in str(log.events)


def test_a_replacement_that_is_killed(tmp_path):
    """If the replacement of a slice is killed, the next append builds the overviews of this slice again."""
    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    dataset = gdal.OpenEx(array_name(store, "a"), gdal.OF_UPDATE | gdal.OF_MULTIDIM_RASTER)
    pixels = dataset.GetRootGroup().OpenMDArray("a")
    # A killed replacement of a slice leaves new pixels beside old overviews and an old attribute gdal_base_state. A
    # write by the multidimensional API leaves the store in the same state.
    pixels.Write(np.stack([values_of(1), values_of(7)]))
    del pixels, dataset
    append(store, 1)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        np.testing.assert_array_equal(dataset.GetRasterBand(2).GetOverview(0).ReadAsArray(), values_of(7)[::2, ::2])
    log.assert_quiet()


def shorten(store, name, size):
    """Resizes the array `name` to `size` slices, as a killed append of version 0.1 may have left it."""
    import zarr

    array = zarr.open_array(str(store / name), mode="r+")
    array.resize((size, *array.shape[1:]))


def test_levels_that_are_shorter(tmp_path):
    """If an overview level has fewer slices than the array, the next append fills all slices of the level."""
    store = tmp_path / "a.zarr"
    make(store, 1, 2, 3)
    shorten(store, "ovr_2x/a", 1)
    append(store, 9)
    assert_holds(store, 1, 2, 3, 9)


def test_coordinates_that_another_array_uses_stay(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    shorten(store, "time", 3)
    data = xarray.Dataset({"other": (("time",), np.arange(3))})
    data.to_zarr(str(store), mode="a", consolidated=False)
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").CreateCopy(
            str(store), scene(9), options=[*APPEND, "ARRAY_NAME=a", "APPEND_DIM_VALUES=2024-05-09"]
        )
    assert made is None
    assert "/time has 3 coordinates, /a has 2 slices; append the missing slices, and no others" in log.the_error()
    assert open_raster(array_name(store, "a")).RasterCount == 2


def test_coordinates_that_are_longer_get_their_slices(tmp_path):
    """An append of version 0.1 that was killed at the worst moment left a time without a slice."""
    import zarr

    store = tmp_path / "a.zarr"
    make(store, 1, 2, 9)
    day = zarr.open_array(str(store / "time"), mode="r")[2]
    for name in ("a", "ovr_2x/a", "ovr_4x/a"):
        shorten(store, name, 2)
    append(store, 9)
    assert_holds(store, 1, 2, 9)
    assert zarr.open_array(str(store / "time"), mode="r")[2] == day
    append(store, 10)
    assert_holds(store, 1, 2, 9, 10)


def test_levels_that_are_longer(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, 1, 2)
    for name in ("a", "time"):
        shorten(store, f"{GROUPS[0]}/{name}", 3)
    append(store, 2)
    assert_holds(store, 1, 2)
