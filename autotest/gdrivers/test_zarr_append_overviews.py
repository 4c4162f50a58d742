# SPDX-License-Identifier: MIT
"""APPEND_DIM and overviews: appended slices get overviews, and statistics are updated."""

import json
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

pytestmark = zarr_formats.BOTH
APPEND = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]


def values_of(step, shape=(1, 64, 48)):
    return np.random.default_rng(step).integers(0, 1000, shape, "i2")


def raster(values):
    """Returns a dataset in memory whose bands are `values`."""
    bands, height, width = values.shape
    dataset = gdal.GetDriverByName("MEM").Create("", width, height, bands, gdal.GDT_Int16)
    dataset.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
    for number, band in enumerate(values, 1):
        dataset.GetRasterBand(number).WriteArray(band)
    return dataset


def copy(path, source, *options, callback=None):
    with error_log() as log:
        made = gdal.GetDriverByName("Zarr").CreateCopy(str(path), source, options=list(options), callback=callback)
    assert made is not None, log.events
    log.assert_quiet()


def append(path, step, *options, values=None, **arguments):
    source = raster(values_of(step) if values is None else values)
    copy(path, source, *APPEND, f"APPEND_DIM_VALUES={step}", *options, **arguments)


def make(path, *options, steps=2):
    """Writes a store with slices at the times 0, 1, ..., and builds their overviews."""
    copy(path, raster(np.concatenate([values_of(step) for step in range(steps)])), "BAND_DIM=time",
         "BAND_DIM_VALUES=" + ",".join(map(str, range(steps))), *options)  # fmt: skip


def overviews(path):
    """Returns, for each band, a list with the pixels of its overviews."""
    dataset = open_raster(path)
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return [[band.GetOverview(i).ReadAsArray() for i in range(band.GetOverviewCount())] for band in bands]


def assert_equal(one, two):
    assert len(one) == len(two)
    for a, b in zip(one, two):
        assert len(a) == len(b) > 0
        for of_a, of_b in zip(a, b):
            np.testing.assert_array_equal(of_a, of_b)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("method", ["NEAREST", "AVERAGE", "CUBIC"])
@pytest.mark.parametrize("layout", [[], ["BLOCKSIZE=2,16,16"], ["INTERLEAVE=PIXEL"], ["PROFILE=CLOUD"]])
def test_appended_slices_have_overviews(tmp_path, method, layout):
    """Appended slices get the same overviews as if the store had been written with all slices at once."""
    options = [*layout, "OVERVIEWS=2,4", f"OVERVIEW_RESAMPLING={method}"]
    if "PROFILE=CLOUD" in options:
        options.append("FORMAT=ZARR_V3" if zarr_formats.is_v3() else "FORMAT=ZARR_V2")
    make(tmp_path / "a.zarr", *options)
    for step in (2, 3):
        append(tmp_path / "a.zarr", step)
    make(tmp_path / "b.zarr", *options, steps=4)
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))
    np.testing.assert_array_equal(
        open_raster(tmp_path / "a.zarr").ReadAsArray(), open_raster(tmp_path / "b.zarr").ReadAsArray()
    )


def test_levels_have_the_coordinates_of_the_array(tmp_path):
    make(tmp_path / "a.zarr", "OVERVIEWS=2")
    append(tmp_path / "a.zarr", 7)
    group = "ovr_2x"
    seen = xarray.open_zarr(str(tmp_path / "a.zarr"), group=group, consolidated=False)
    assert seen["a"].dims == ("time", "y", "x") and seen["time"].values.tolist() == [0, 1, 7]
    # The consolidated metadata states the new sizes of all arrays.
    one = xarray.open_zarr(str(tmp_path / "a.zarr"), consolidated=True)
    assert one["a"].shape == (3, 64, 48) and one["time"].values.tolist() == [0, 1, 7]
    documents = json.loads(zarr_formats.document_file(tmp_path / "a.zarr", ".zmetadata").read_text())
    text = json.dumps(documents)
    assert text.count("[3, 32, 24]") == 1 and "[2, 32, 24]" not in text


def test_slices_that_are_written_again_have_new_overviews(tmp_path):
    make(tmp_path / "a.zarr", "OVERVIEWS=2")
    append(tmp_path / "a.zarr", 1, values=values_of(9))
    found = overviews(tmp_path / "a.zarr")
    np.testing.assert_array_equal(found[1][0], values_of(9)[0, ::2, ::2])
    np.testing.assert_array_equal(found[0][0], values_of(0)[0, ::2, ::2])


def test_other_levels_are_built_for_all_slices(tmp_path):
    make(tmp_path / "a.zarr", "OVERVIEWS=2")
    append(tmp_path / "a.zarr", 2, "OVERVIEWS=2,4")
    make(tmp_path / "b.zarr", "OVERVIEWS=2,4", steps=3)
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))


def test_overviews_of_a_store_that_had_none(tmp_path):
    make(tmp_path / "a.zarr")
    append(tmp_path / "a.zarr", 2, "OVERVIEWS=2", "OVERVIEW_RESAMPLING=AVERAGE")
    make(tmp_path / "b.zarr", "OVERVIEWS=2", "OVERVIEW_RESAMPLING=AVERAGE", steps=3)
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))


def test_each_level_keeps_its_method(tmp_path):
    for name, steps in (("a.zarr", 2), ("b.zarr", 3)):
        make(tmp_path / name, steps=steps)
        for method, factor in (("NEAREST", 2), ("AVERAGE", 4)):
            dataset = gdal.OpenEx(str(tmp_path / name), gdal.OF_UPDATE)
            assert dataset.BuildOverviews(method, [factor]) == gdal.CE_None
            dataset = None
    append(tmp_path / "a.zarr", 2)
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))


def test_another_method(tmp_path):
    make(tmp_path / "a.zarr", "OVERVIEWS=2")
    append(tmp_path / "a.zarr", 2, "OVERVIEW_RESAMPLING=AVERAGE")
    make(tmp_path / "b.zarr", "OVERVIEWS=2", "OVERVIEW_RESAMPLING=AVERAGE", steps=3)
    np.testing.assert_array_equal(overviews(tmp_path / "a.zarr")[2][0], overviews(tmp_path / "b.zarr")[2][0])


def test_a_cancelled_append_leaves_the_overviews(tmp_path):
    make(tmp_path / "a.zarr", "OVERVIEWS=2,4")
    before, pixels = contents(tmp_path / "a.zarr"), overviews(tmp_path / "a.zarr")
    reported = []
    def record(done, message, data):
        reported.append(done)
        return 1

    make(tmp_path / "b.zarr", "OVERVIEWS=2,4")
    append(tmp_path / "b.zarr", 2, callback=record)
    # Copying pixels takes the first three quarters of the progress, and building overviews the last quarter.
    assert len(reported) > 2 and 0 <= reported[0] < 0.76 and reported[-1] == 1
    for last in range(len(reported)):
        seen = []

        def cancel(done, message, data, seen=seen, last=last):
            seen.append(done)
            return 1 if len(seen) <= last else 0

        with error_log() as log:
            made = gdal.GetDriverByName("Zarr").CreateCopy(
                str(tmp_path / "a.zarr"), raster(values_of(2)), callback=cancel,
                options=[*APPEND, "APPEND_DIM_VALUES=2"],
            )  # fmt: skip
        if made is not None:  # a cancel at the last progress call has no effect, because all work is done
            break
        # GDAL's own error says "terminated". GDAL gives it if the copy is cancelled before its first pixels.
        assert len(log.errors) == 1 and ("cancelled" in log.errors[0] or "terminated" in log.errors[0])
        assert contents(tmp_path / "a.zarr") == before
        assert_equal(overviews(tmp_path / "a.zarr"), pixels)
    else:
        append(tmp_path / "a.zarr", 2)
    del made
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))


def test_a_cube_of_levels(tmp_path):
    """In a cube of (time, level, y, x), each appended time has several bands, one for each level. All appended bands
    get overviews."""
    shape = (2, 3, 32, 48)
    data = np.random.default_rng(1).integers(0, 99, (4, *shape[1:]), "i2")
    cube = xarray.Dataset({"a": (("time", "level", "y", "x"), data)}, {"time": [0, 1, 2, 3], "level": [5, 6, 7]})
    cube.isel(time=slice(2)).to_zarr(str(tmp_path / "a.zarr"), consolidated=True)
    dataset = gdal.OpenEx(str(tmp_path / "a.zarr"), gdal.OF_UPDATE)
    dataset.BuildOverviews("AVERAGE", [2])
    dataset = None
    append(tmp_path / "a.zarr", 2, values=data[2])
    append(tmp_path / "a.zarr", 3, values=data[3])
    cube.to_zarr(str(tmp_path / "b.zarr"), consolidated=True)
    dataset = gdal.OpenEx(str(tmp_path / "b.zarr"), gdal.OF_UPDATE)
    dataset.BuildOverviews("AVERAGE", [2])
    dataset = None
    assert_equal(overviews(tmp_path / "a.zarr"), overviews(tmp_path / "b.zarr"))


def test_statistics_after_an_append(tmp_path):
    """After an append, the stored statistics of each band match its pixels."""
    make(tmp_path / "a.zarr", "OVERVIEWS=2")
    dataset = gdal.OpenEx(str(tmp_path / "a.zarr"), gdal.OF_UPDATE)
    for number in (1, 2):
        dataset.GetRasterBand(number).ComputeStatistics(False)
    dataset = None
    assert "STATISTICS_MEAN" in open_raster(tmp_path / "a.zarr").GetRasterBand(2).GetMetadata()
    append(tmp_path / "a.zarr", 1, values=values_of(5))
    append(tmp_path / "a.zarr", 2)
    dataset = open_raster(tmp_path / "a.zarr")
    for number, step in ((1, 0), (2, 5), (3, 2)):
        band = dataset.GetRasterBand(number)
        shown = band.GetMetadataItem("STATISTICS_MEAN")
        assert shown is None or float(shown) == pytest.approx(values_of(step).mean())
        assert band.ComputeStatistics(False)[2] == pytest.approx(values_of(step).mean())
    stored = zarr_formats.attributes(tmp_path / "a.zarr", "a")
    assert "STATISTICS" not in json.dumps(stored)


def test_overviews_of_one_of_several_arrays(tmp_path):
    """Arrays with a common dimension grow together, and each keeps its own overviews."""
    store = tmp_path / "a.zarr"
    make(store, "OVERVIEWS=2")
    copy(store, raster(np.concatenate([values_of(0), values_of(1)])), "APPEND_SUBDATASET=YES", "ARRAY_NAME=other")
    append(store, 2, "ARRAY_NAME=a")
    dataset = open_raster(array_name(store, "a"))
    assert [dataset.GetRasterBand(i).GetOverviewCount() for i in (1, 2, 3)] == [1] * 3


def assert_readable(folder, former, grown):
    """Asserts that the store holds either the pixels `former` or the pixels `grown`, and that each overview
    matches its pixels. Returns the number of slices, and whether there are overviews."""
    with error_log() as log:
        dataset = open_raster(folder)
        pixels = dataset.ReadAsArray().reshape(-1, 64, 48)
        found = overviews(folder)
    assert not log.errors
    wanted = former if len(pixels) == len(former) else grown
    np.testing.assert_array_equal(pixels, wanted)
    for band, levels in zip(pixels, found):
        for level in levels:
            step = 64 // level.shape[0]
            np.testing.assert_array_equal(level, band[::step, ::step])
    return len(pixels), bool(found[0])


def test_a_killed_append_leaves_a_readable_store(tmp_path):
    """If an append is killed, the store stays readable. The test's progress function copies the store at each call;
    each copy is the store that a kill at this call would leave."""
    store, seen = tmp_path / "a.zarr", []
    make(store, "OVERVIEWS=2")
    former = open_raster(store).ReadAsArray()
    grown = np.concatenate([former, values_of(2)])

    def snapshot(done, message, data):
        shutil.copytree(store, tmp_path / str(len(seen)) / "a.zarr")
        seen.append(done)
        return 1

    append(store, 2, "OVERVIEWS=2,4", callback=snapshot)
    sizes = {assert_readable(tmp_path / str(number) / "a.zarr", former, grown) for number in range(len(seen))}
    assert (2, True) in sizes and (3, True) in sizes
    assert assert_readable(store, former, grown) == (3, True)


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""),
                    reason="strace and AddressSanitizer's runtime do not go together; the other stage does it")  # fmt: skip
@pytest.mark.slow
def test_an_append_that_fails_leaves_a_readable_store(tmp_path):
    """If any rename of an append fails, as on a full disk, the append gives one error, and the store stays
    readable."""
    store, source = tmp_path / "a.zarr", str(tmp_path / "s.tif")
    make(tmp_path / "old.zarr", "OVERVIEWS=2,4")
    gdal.Translate(source, raster(values_of(2)))
    former = open_raster(tmp_path / "old.zarr").ReadAsArray()
    grown = np.concatenate([former, values_of(2)])
    options = [word for option in [*APPEND, "APPEND_DIM_VALUES=2"] for word in ("-co", option)]

    def run(number):
        """Appends a slice in a new process, in which the rename with the number `number` fails. Returns the process."""
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(tmp_path / "old.zarr", store)
        trace = ["-o", str(tmp_path / "trace"), "-e", "trace=rename", "-e", f"inject=rename:error=ENOSPC:when={number}"]
        return subprocess.run(["strace", "-f", "-qq", *trace, "gdal_translate", "-q", "-of", "Zarr", *options, source, str(store)],
                              capture_output=True, text=True, check=False)  # fmt: skip

    assert run(9999).returncode == 0
    calls = len((tmp_path / "trace").read_text().splitlines())
    assert assert_readable(store, former, grown) == (3, True) and calls >= 12
    for number in zarr_faults.some(range(1, calls + 1), 8):
        done = run(number)
        failed = next(line for line in (tmp_path / "trace").read_text().splitlines() if "INJECTED" in line)
        if '.intent"' in failed:
            # An append records beside the store, or else in it, what it is about to change.
            assert done.returncode == 0 and done.stderr == "", (number, done.stderr)
            assert assert_readable(store, former, grown) == (3, True)
            continue
        assert done.returncode == 1 and done.stderr.count("ERROR") == 1, (number, done.stderr)
        assert "cannot replace: No space left on device" in done.stderr, (number, done.stderr)
        assert assert_readable(store, former, grown)[0] in (2, 3)


def test_a_store_is_readable_after_each_document_of_an_append(tmp_path):
    """An append writes the chunks first, then the metadata documents of the overviews, coordinates and array, and
    finally the consolidated metadata. The store is readable after each of these writes."""
    store, before = tmp_path / "a.zarr", tmp_path / "before" / "a.zarr"
    make(store, "OVERVIEWS=2,4")
    shutil.copytree(store, before)
    former = open_raster(store).ReadAsArray()
    grown = np.concatenate([former, values_of(2)])
    append(store, 2)
    old, new = contents(before), contents(store)
    is_document = lambda path: path.name in (".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json")  # noqa: E731
    changed = [path for path in new if is_document(path) and old.get(path) != new[path]]

    def order(path):
        parts = path.parts[:-1]
        turn = 9 if not parts else 2 if parts == ("time",) else 3 if parts == ("a",) else "time" not in parts
        return (turn, path.name == ".zattrs", str(path))

    changed.sort(key=order)
    assert len(changed) >= 6
    for path, content in new.items():
        if not is_document(path):
            (before / path).parent.mkdir(parents=True, exist_ok=True)
            (before / path).write_bytes(content)
    for path in changed:
        assert_readable(before, former, grown)
        (before / path).write_bytes(new[path])
    assert assert_readable(before, former, grown) == (3, True)
