# SPDX-License-Identifier: MIT
"""Sidecar files of a store (.aux.xml, .ovr, .msk). Each file belongs to one dataset. The driver ignores
statistics and overviews once the dataset's pixels have changed."""

import os
import shutil

import numpy as np
import pytest
import xarray
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log, open_band, open_raster
from zarr_store import make_array, make_store, zip_folder

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 64, 80
A = np.arange(ROWS * COLUMNS, dtype="f8").reshape(ROWS, COLUMNS)
B = A[::-1] * 2 + 1000


@pytest.fixture(autouse=True)
def pam():
    """Enables PAM, which is on by default in GDAL but off in other tests."""
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def overviews(name, *options):
    return open_band(name, options=options).GetOverviewCount()


def half(name, *options):
    """Returns the raster's pixels at half resolution. GDAL takes the pixels from an overview if the dataset has one."""
    return open_raster(name, *options).ReadAsArray(buf_xsize=COLUMNS // 2, buf_ysize=ROWS // 2)


def build(name, *options):
    dataset = open_raster(name, *options)
    assert dataset.BuildOverviews("AVERAGE", [2]) == gdal.CE_None


def clean(name, *options):
    dataset = open_raster(name, *options)
    assert dataset.BuildOverviews("NONE", []) == gdal.CE_None


def compute(name, *options, number=1):
    return open_band(name, number, options=options).ComputeStatistics(False)[:2]


def statistics(name, *options, number=1):
    """Returns the saved statistics of a band as [minimum, maximum], or None if no statistics are saved."""
    found = open_band(name, number, options=options).GetMetadata()
    if "STATISTICS_MINIMUM" not in found:
        return None
    return [float(found["STATISTICS_MINIMUM"]), float(found["STATISTICS_MAXIMUM"])]


def average(values):
    return values.reshape(ROWS // 2, 2, COLUMNS // 2, 2).mean((1, 3))


# ---------------------------------------------------------------------------------------------
# Tests: each sidecar file belongs to one dataset


def test_overviews_of_arrays(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A, "b": B, "g/a": A + 7})
    names = [array_name(store, path) for path in ("a", "b", "g/a")]
    build(names[0])
    assert [overviews(name) for name in names] == [1, 0, 0]
    np.testing.assert_array_equal(half(names[0]), average(A))
    np.testing.assert_array_equal(half(names[1]), half(make_array(tmp_path, B)))
    build(names[1])
    build(names[2])
    for name, values in zip(names, (A, B, A + 7)):
        np.testing.assert_array_equal(half(name), average(values))
    clean(names[0])
    assert [overviews(name) for name in names] == [0, 1, 1]
    cpl.assert_quiet()


def test_names_of_files(tmp_path):
    """Every array has a sidecar file with a different name, even if array names differ only in case or by a
    dot."""
    paths = ["a", "A", "g/a", "g.a", "g@a", "g_a", "long" * 60 + "1", "long" * 60 + "2"]
    store = make_store(tmp_path, {path: A for path in paths})
    for path in paths:
        build(array_name(store, path))
    files = sorted(path.name for path in tmp_path.glob("*.ovr"))
    assert len({name.lower() for name in files}) == len(paths) and max(map(len, files)) < 130
    assert {"store.zarr@a.ovr", "store.zarr@g.a.ovr", "store.zarr@g_a.ovr"} <= set(files)


def test_the_store_itself_has_the_plain_name(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A})
    build(store)
    assert compute(store) == [A.min(), A.max()]
    assert sorted(os.listdir(tmp_path)) == ["store.zarr", "store.zarr.aux.xml", "store.zarr.ovr"]
    assert overviews(store) == 1 and statistics(store) == [A.min(), A.max()]
    # Statistics and overviews that were saved for the store's name are also found by the array's own name.
    assert overviews(array_name(store, "a")) == 1
    assert statistics(array_name(store, "a")) == [A.min(), A.max()]
    cpl.assert_quiet()


def test_statistics_are_dropped_if_the_store_opens_as_another_array(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A})
    compute(store)
    shutil.move(store / "a", store / "b")
    assert statistics(store) is None and statistics(array_name(store, "b")) is None
    compute(store)
    shutil.move(store / "b", store / "a")
    assert statistics(store) == [A.min(), A.max()]
    cpl.assert_quiet()


def test_statistics_of_slices(tmp_path, cpl):
    values = np.stack([A, A + 10000, A + 20000])
    store = make_store(tmp_path, {"a": values, "b": values * 2})
    for i in (2, 0):
        assert compute(array_name(store, f"a:{i}")) == [values[i].min(), values[i].max()]
    assert statistics(array_name(store, "a:1")) is None
    assert statistics(array_name(store, "a")) is None
    assert statistics(array_name(store, "b:0")) is None
    assert compute(array_name(store, "a"), number=2) == [values[1].min(), values[1].max()]
    for i in (2, 0):
        assert statistics(array_name(store, f"a:{i}")) == [values[i].min(), values[i].max()]
    build(array_name(store, "a:2"))
    assert overviews(array_name(store, "a:2")) == 1 and overviews(array_name(store, "a:1")) == 0
    cpl.assert_quiet()


@pytest.mark.parametrize("option", ["DIM_X=0", "DIM_Y=0"])
def test_statistics_of_views(tmp_path, option, cpl):
    values = np.arange(5 * 6 * 7).reshape(5, 6, 7)
    store = make_store(tmp_path, {"a": values})
    assert compute(store) == [0, 41]
    assert statistics(store, option) is None
    other = compute(store, option)
    assert other != [0, 41] and statistics(store, option) == other and statistics(store) == [0, 41]
    cpl.assert_quiet()


def test_statistics_without_the_fill_value(tmp_path, cpl):
    store = make_store(tmp_path, {"a": dict(values=A, fill_value=0.0)})
    assert compute(store) == [1, A.max()]
    assert statistics(store, "FILL_VALUE_AS_NODATA=NO") is None
    assert compute(store, "FILL_VALUE_AS_NODATA=NO") == [0, A.max()]
    assert statistics(store) == [1, A.max()]
    cpl.assert_quiet()


def test_masks_of_arrays(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A, "b": B})
    mask = (A % 3 > 0).astype("u1") * np.uint8(255)
    dataset = gdal.Open(array_name(store, "a"))
    assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    dataset = None
    band = open_band(array_name(store, "a"))
    assert band.GetMaskFlags() == gdal.GMF_PER_DATASET
    np.testing.assert_array_equal(band.GetMaskBand().ReadAsArray(), mask)
    assert open_band(array_name(store, "b")).GetMaskFlags() == gdal.GMF_ALL_VALID
    assert (tmp_path / "store.zarr@a.msk").exists()
    cpl.assert_quiet()


def test_the_marks_of_files_beside_the_store_are_hidden(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A})
    compute(store)
    dataset = open_raster(store)
    assert "SIDECAR" not in " ".join(dataset.GetMetadataDomainList() or [])
    assert "SIDECAR" not in gdal.Info(dataset, options=["-mdd", "all"])
    files = dataset.GetFileList()
    assert files == [str(store), str(store) + ".aux.xml"]
    assert open_raster(array_name(store, "a")).GetFileList() == files
    cpl.assert_quiet()


def test_files_of_other_programs_are_read(tmp_path, cpl):
    """An .aux.xml file of another program does not state to which array it belongs. GDAL still reports the statistics
    in this file."""
    store = make_store(tmp_path, {"a": A})
    item = '<MDI key="STATISTICS_M%sIMUM">%d</MDI>'
    (tmp_path / "store.zarr.aux.xml").write_text(
        "<PAMDataset><PAMRasterBand band='1'><Metadata>" + item % ("IN", 1) + item % ("AX", 2)
        + "</Metadata></PAMRasterBand></PAMDataset>")  # fmt: skip
    assert statistics(store) == [1, 2]
    zarr.open_group(str(store))["a"][:] = B
    assert statistics(store) is None
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests: sidecar files are ignored once pixels have changed


def rewritten_by_xarray(store):
    data = xarray.Dataset({"a": (("y", "x"), B)})
    data.to_zarr(str(store), mode="w")


def updated_by_zarr(store):
    zarr.open_group(str(store))["a"][:] = B


def a_chunk_updated_by_zarr(store):
    zarr.open_group(str(store))["a"][3, 4] = -5


def updated_by_gdal(store):
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.WriteArray(B)


def updated_by_the_multidimensional_api(store):
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    dataset.GetRootGroup().OpenMDArray("a").Write(B)


def nodata_set(store):
    zarr.open_group(str(store))["a"].attrs["_FillValue"] = 0.0


CHANGES = [rewritten_by_xarray, updated_by_zarr, a_chunk_updated_by_zarr, updated_by_gdal,
           updated_by_the_multidimensional_api]  # fmt: skip


@pytest.mark.parametrize("compressor", ["default", None])
@pytest.mark.parametrize("change", [*CHANGES, nodata_set])
def test_statistics_go_with_the_values(tmp_path, change, compressor, cpl):
    store = make_store(tmp_path, {"a": dict(values=A, chunks=(16, 16), compressor=compressor)})
    whole = array_name(store, "a")
    compute(store)
    assert statistics(store) == statistics(whole) == [A.min(), A.max()]
    change(store)
    assert statistics(store) is None and statistics(whole) is None
    values = open_raster(store).ReadAsArray()
    found = compute(store)
    assert statistics(store) == found
    assert found == [values[values != 0].min() if change is nodata_set else values.min(),
                     values.max()]  # fmt: skip
    cpl.assert_quiet()


@pytest.mark.parametrize("change", CHANGES)
def test_overviews_go_with_the_values(tmp_path, change):
    store = make_store(tmp_path, {"a": dict(values=A, chunks=(16, 16))})
    build(store)
    assert overviews(store) == 1
    change(store)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).GetOverviewCount() == 0
    dataset = None
    assert len(log.warnings) == 1 and ".ovr" in log.warnings[0] and "older" in log.warnings[0]
    values = open_raster(store).ReadAsArray()
    build(store)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    assert log.events == []
    np.testing.assert_array_equal(half(store), average(values))


def test_old_overviews_are_cleaned(tmp_path):
    store = make_store(tmp_path, {"a": A})
    build(store)
    updated_by_zarr(store)
    clean(store)
    assert not (tmp_path / "store.zarr.ovr").exists()


def test_a_mask_goes_with_its_array(tmp_path):
    store = make_store(tmp_path, {"a": A})
    dataset = gdal.Open(str(store))
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset.GetRasterBand(1).GetMaskBand().Fill(0)
    dataset = None
    # The .msk file stays valid after a change of pixels, because a mask is not computed from pixels.
    updated_by_gdal(store)
    updated_by_zarr(store)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_PER_DATASET
    assert log.events == []
    rewritten_by_xarray(store)
    with error_log() as log:
        dataset = gdal.Open(str(store))
        assert dataset.GetRasterBand(1).GetMaskFlags() != gdal.GMF_PER_DATASET
    assert len(log.warnings) == 1 and ".msk" in log.warnings[0]


def metadata_set_by_gdal(store):
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.SetMetadata({"A": "changed"}, "MINE")
    dataset.SetMetadataItem("title", "changed")


def attributes_set_by_zarr(store):
    zarr.open_group(str(store))["a"].attrs["title"] = "changed"


def mask_and_overviews(store):
    """Returns True or False for the mask file and for the overview file, and the warnings about them."""
    with error_log() as log:
        dataset = gdal.Open(str(store))
    band = dataset.GetRasterBand(1)
    return [band.GetMaskFlags() == gdal.GMF_PER_DATASET, band.GetOverviewCount() == 1, len(log.warnings)]


def add_mask_and_overviews(store):
    dataset = gdal.Open(str(store))
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset.GetRasterBand(1).GetMaskBand().Fill(255)
    dataset = None
    build(store)


@pytest.mark.parametrize("change", [metadata_set_by_gdal, attributes_set_by_zarr])
def test_changed_attributes_leave_masks_and_overviews_current(tmp_path, change):
    """In Zarr v3, a changed attribute rewrites the array's metadata document, which is then newer than the mask and
    overview files."""
    store = make_store(tmp_path, {"a": dict(values=A, chunks=(16, 16))})
    add_mask_and_overviews(store)
    assert mask_and_overviews(store) == [True, True, 0]
    for _ in range(2):
        change(store)
        assert mask_and_overviews(store) == [True, True, 0]
    with error_log() as log:
        title = gdal.Open(str(store)).GetMetadataItem("title")
    assert title == "changed" and log.events == []


@pytest.mark.parametrize("values", [B, np.zeros_like(B)], ids=["values", "fill value alone"])
def test_masks_and_overviews_of_a_replaced_array_are_outdated(tmp_path, values):
    """The new array has the metadata of the replaced array. If all values of the new array are the fill value, the new
    array has no chunks."""
    store = make_store(tmp_path, {"a": dict(values=A, chunks=(16, 16))})
    add_mask_and_overviews(store)
    shutil.rmtree(store)
    make_store(tmp_path, {"a": dict(values=values, chunks=(16, 16))})
    assert mask_and_overviews(store) == [False, False, 2]


def test_statistics_in_memory(cpl):
    """Saves statistics of a store in /vsimem/. The driver ignores the statistics once pixels have changed, although
    modification times in /vsimem/ are whole seconds."""
    store = "/vsimem/sidecars.zarr"
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(store, COLUMNS, ROWS, 2, gdal.GDT_Float64, ["COMPRESS=NONE"])
    dataset.WriteArray(np.stack([A, B]))
    dataset = None
    slices = [array_name(store, f"sidecars:{i}") for i in (0, 1)]
    for name in slices:
        compute(name)
    assert statistics(slices[0]) == [A.min(), A.max()]
    assert statistics(slices[1]) == [B.min(), B.max()]
    dataset = gdal.OpenEx(store, gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(B)
    dataset = None
    assert statistics(slices[0]) is None
    driver.Delete(store)
    assert not any(name.startswith("sidecars") for name in gdal.ReadDir("/vsimem/") or [])
    cpl.assert_quiet()


def test_statistics_of_a_zip_file(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A})
    archive = zip_folder(store, tmp_path / "s.zarr.zip")
    compute(archive)
    assert statistics(archive) == [A.min(), A.max()]
    shutil.copyfile(archive, tmp_path / "t.zarr.zip")
    shutil.copyfile(f"{archive}.aux.xml", tmp_path / "t.zarr.zip.aux.xml")
    assert statistics(tmp_path / "t.zarr.zip") == [A.min(), A.max()]
    updated_by_zarr(store)
    zip_folder(store, archive)
    assert statistics(archive) is None
    cpl.assert_quiet()


def test_statistics_in_update_mode(tmp_path, cpl):
    """Writing pixels removes statistics that were computed before. Statistics that the caller sets before the
    first write stay."""
    store = tmp_path / "s.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 1, gdal.GDT_Float64)
    band = dataset.GetRasterBand(1)
    band.SetStatistics(1, 2, 1.5, 0.5)
    band.WriteArray(A)
    band = dataset = None
    assert statistics(store) == [1, 2]
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    assert band.ComputeStatistics(False)[:2] == [A.min(), A.max()]
    band.WriteArray(B)
    assert "STATISTICS_MINIMUM" not in band.GetMetadata()
    band = dataset = None
    assert statistics(store) is None
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    band.WriteArray(A)
    assert band.ComputeStatistics(False)[:2] == [A.min(), A.max()]
    band = dataset = None
    assert statistics(store) == [A.min(), A.max()]
    cpl.assert_quiet()


def test_a_histogram_goes_with_the_values(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A.astype("u1")})
    histogram = open_band(store).GetDefaultHistogram(force=1)
    assert histogram is not None and "Histograms" in (tmp_path / "store.zarr.aux.xml").read_text()
    zarr.open_group(str(store))["a"][:] = np.zeros_like(A, "u1")
    assert open_band(store).GetDefaultHistogram(force=1) != histogram
    cpl.assert_quiet()


def test_metadata_that_a_user_has_added_stay(tmp_path, cpl):
    store = make_store(tmp_path, {"a": A})
    dataset = open_raster(store)
    dataset.SetMetadataItem("sensor", "mine")
    dataset.GetRasterBand(1).SetColorInterpretation(gdal.GCI_RedBand)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    updated_by_zarr(store)
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("sensor") == "mine" and statistics(store) is None
    assert dataset.GetRasterBand(1).GetColorInterpretation() == gdal.GCI_RedBand
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests: sidecar files are copied and deleted with the store


def test_files_beside_the_store_are_copied_and_deleted_with_it(tmp_path, cpl):
    driver = gdal.GetDriverByName("Zarr")
    store = make_store(tmp_path, {"a": A, "b": B})
    for name in "ab":
        build(array_name(store, name))
        compute(array_name(store, name))
    neighbours = ["store.zarr.zip.aux.xml", "store.zarr@other.aux.xml", "store.zarr@other"]
    for name in neighbours:
        (tmp_path / name).write_text("<PAMDataset/>")
    driver.CopyFiles(str(tmp_path / "copy.zarr"), str(store))
    assert [overviews(array_name(tmp_path / "copy.zarr", name)) for name in "ab"] == [1, 1]
    assert statistics(array_name(tmp_path / "copy.zarr", "b")) == [B.min(), B.max()]
    driver.Delete(str(tmp_path / "copy.zarr"))
    driver.Rename(str(tmp_path / "other.zarr"), str(store))
    assert [overviews(array_name(tmp_path / "other.zarr", name)) for name in "ab"] == [1, 1]
    assert statistics(array_name(tmp_path / "other.zarr", "b")) == [B.min(), B.max()]
    driver.Delete(str(tmp_path / "other.zarr"))
    assert sorted(os.listdir(tmp_path)) == sorted(neighbours)
    cpl.assert_quiet()


# ---------------------------------------------------------------------------------------------
# Tests of statistics in the multidimensional API


def array_statistics(name, path, force):
    """Returns the minimum in an array's statistics, or None if no statistics are saved. If `force`, GDAL
    computes absent statistics."""
    root = gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    found = root.OpenMDArrayFromFullname(path).GetStatistics(False, force)
    return found.min if found else None


@pytest.fixture
def nested(tmp_path):
    array = {"values": A, "dims": ("y", "x"), "chunks": (32, 40)}
    return make_store(tmp_path, {"a": array, "g/a": {**array, "values": B}})


def test_statistics_of_arrays_that_were_rewritten_are_dropped(nested):
    for path in ("/a", "/g/a"):
        array_statistics(nested, path, True)
    assert array_statistics(nested, "/a", False) == 0
    assert array_statistics(nested, "/g/a", False) == B.min()
    zarr.open_group(str(nested))["a"][...] = A + 7
    # Computing statistics of /g/a makes the sidecar file newer than the chunks of /a. The file's modification time
    # therefore does not show that /a has changed.
    root = gdal.OpenEx(str(nested), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.OpenMDArrayFromFullname("/g/a").ComputeStatistics(False).min == B.min()
    del root
    assert array_statistics(nested, "/a", False) is None
    assert array_statistics(nested, "/g/a", False) == B.min()
    assert array_statistics(nested, "/a", True) == 7
    assert array_statistics(nested, "/a", False) == 7
    shutil.rmtree(nested / "a")
    assert array_statistics(nested, "/g/a", False) == B.min()


def test_statistics_below_the_root_are_of_their_own_array(nested):
    assert array_statistics(nested, "/a", True) == 0
    assert array_statistics(nested / "g", "/a", False) is None
    assert array_statistics(nested / "g", "/a", True) == B.min()
    assert array_statistics(nested, "/a", False) == 0
    assert array_statistics(nested / "g", "/a", False) == B.min()
