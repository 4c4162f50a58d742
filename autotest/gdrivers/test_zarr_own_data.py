# SPDX-License-Identifier: MIT
"""Metadata that other drivers keep in .aux.xml files is part of the store, and is copied with the store. The driver
writes no file beside the store, so nothing is lost if PAM is disabled."""

import os
import shutil

import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, open_band, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 20, 30
PIXELS = np.arange(2 * ROWS * COLUMNS, dtype="u1").reshape(2, ROWS, COLUMNS)
COLOURS = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 128)]
CLASSES = ["open water", "", "f\u00e4ld"]
RPC = {"LINE_OFF": "1", "SAMP_OFF": "2"}
LAYOUTS = [[], ["SINGLE_ARRAY=NO"], ["INTERLEAVE=PIXEL"]]


@pytest.fixture(params=["NO", "YES"], autouse=True)
def pam(request):
    with config_options(GDAL_PAM_ENABLED=request.param):
        yield request.param


def wgs84():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(4326)
    return srs


def table():
    colours = gdal.ColorTable()
    for i, colour in enumerate(COLOURS):
        colours.SetColorEntry(i, colour)
    return colours


def attribute_table():
    rat = gdal.RasterAttributeTable()
    rat.CreateColumn("VALUE", gdal.GFT_Integer, gdal.GFU_MinMax)
    rat.CreateColumn("CLASS", gdal.GFT_String, gdal.GFU_Name)
    rat.CreateColumn("AREA", gdal.GFT_Real, gdal.GFU_Generic)
    rat.SetRowCount(2)
    for row, (value, name, area) in enumerate([(3, "forest & <wood>", 1.25), (7, "f\u00e4ld", -1e300)]):
        rat.SetValueAsInt(row, 0, value)
        rat.SetValueAsString(row, 1, name)
        rat.SetValueAsDouble(row, 2, area)
    return rat


def describe(dataset):
    """Sets all properties that GDAL can store for a dataset in update mode."""
    bands = dataset.RasterCount
    first, last = dataset.GetRasterBand(1), dataset.GetRasterBand(bands)
    first.SetColorTable(table())
    first.SetCategoryNames(CLASSES)
    first.SetDefaultRAT(attribute_table())
    first.SetDescription("land cover")
    first.SetMetadataItem("sensor", "first")
    first.SetMetadataItem("gains", "{1,2.5}")
    last.SetMetadataItem("wavelength", "490")
    last.SetMetadataItem("wavelength", "nm", "UNITS")
    last.SetColorInterpretation(gdal.GCI_AlphaBand)
    dataset.SetMetadataItem("AREA_OR_POINT", "Point")
    dataset.SetMetadataItem("title", "a title")
    dataset.SetMetadata(RPC, "RPC")
    dataset.SetMetadata({"key": "v\u00e4lue <&>"}, "OWN")
    dataset.SetGCPs([gdal.GCP(10, 50, 1, 0.5, 0.5), gdal.GCP(11, 50, 2, 29.5, 0.5),
                     gdal.GCP(10, 49, 3, 0.5, 19.5)], wgs84().ExportToWkt())  # fmt: skip


def what_is_said(dataset):
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    colours, rat = bands[0].GetColorTable(), bands[0].GetDefaultRAT()
    return {
        "colours": [colours.GetColorEntry(i) for i in range(3)] if colours else None,
        "classes": bands[0].GetCategoryNames(),
        "rat": [[rat.GetValueAsString(row, column) for column in range(rat.GetColumnCount())]
                for row in range(rat.GetRowCount())] if rat else None,
        "description": bands[0].GetDescription(),
        "sensor": [band.GetMetadataItem("sensor") for band in bands],
        "gains": bands[0].GetMetadataItem("gains"),
        "wavelength": bands[-1].GetMetadataItem("wavelength"),
        "units": bands[-1].GetMetadata("UNITS"),
        "alpha": bands[-1].GetColorInterpretation(),
        "point": dataset.GetMetadataItem("AREA_OR_POINT"),
        "dataset": {k: v for k, v in dataset.GetMetadata().items() if k != "AREA_OR_POINT"},
        "rpc": dataset.GetMetadata("RPC"),
        "own": dataset.GetMetadata("OWN"),
        "gcps": [(g.GCPX, g.GCPY, g.GCPZ, g.GCPPixel, g.GCPLine) for g in dataset.GetGCPs()],
        "gcp crs": dataset.GetGCPSpatialRef() and dataset.GetGCPSpatialRef().GetAuthorityCode(None),
        "pixels": int(dataset.ReadAsArray().astype("i8").sum()),
    }  # fmt: skip


def source_of(bands=2):
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, bands, gdal.GDT_Byte)
    source.WriteArray(PIXELS[:bands] if bands > 1 else PIXELS[0])
    describe(source)
    return source


EXPECTED = what_is_said(source_of())


def beside(folder):
    """Returns the names of the .aux.xml, .msk and .ovr files in a folder. GDAL writes such files beside stores."""
    return sorted(name for name in os.listdir(folder) if name.endswith((".aux.xml", ".msk", ".ovr")))


def copied(store):
    """Copies the store as `cp -r` does, so that all files of the copy have new modification times. Returns
    the copy."""
    target = store.with_name("copied-" + store.name)
    if store.is_dir():
        shutil.copytree(store, target, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(store, target)
    return target


@pytest.mark.parametrize("options", LAYOUTS)
@pytest.mark.parametrize("name", ["a.zarr", "a.zarr.zip"])
def test_a_copy_has_all_that_its_source_has(tmp_path, cpl, options, name):
    store = tmp_path / name
    copy = gdal.GetDriverByName("Zarr").CreateCopy(str(store), source_of(), options=options)
    assert what_is_said(copy) == EXPECTED
    copy = None
    assert beside(tmp_path) == []
    for opened in (store, copied(store)):
        assert what_is_said(open_raster(opened)) == EXPECTED
    assert beside(tmp_path) == [] and cpl.events == []
    # A second copy, made from the copied store, has all properties, too.
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "again.zarr"), open_raster(store))
    assert what_is_said(open_raster(tmp_path / "again.zarr")) == EXPECTED


@pytest.mark.parametrize("options", LAYOUTS)
def test_an_update_stores_it(tmp_path, cpl, options):
    store = tmp_path / "a.zarr"
    made = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 2, options=options)
    made.WriteArray(PIXELS)
    made = None
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    describe(dataset)
    dataset = None
    assert what_is_said(open_raster(copied(store))) == EXPECTED
    # Each item can be changed, and can be deleted.
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    band.SetMetadataItem("sensor", None)
    band.SetCategoryNames(["x"])
    band.SetDescription("other")
    dataset.SetMetadata({}, "OWN")
    dataset.SetMetadataItem("AREA_OR_POINT", "Area")
    dataset = band = None
    told = what_is_said(open_raster(store))
    changed = {"sensor": [None, None], "classes": ["x"], "description": "other", "own": {}, "point": "Area"}
    assert {key: told[key] for key in changed} == changed
    assert {k: v for k, v in told.items() if k not in changed} == {
        k: v for k, v in EXPECTED.items() if k not in changed}  # fmt: skip
    assert beside(tmp_path) == [] and cpl.events == []


def has_statistics(store):
    return open_band(store).GetMetadataItem("STATISTICS_MEAN") is not None


@pytest.mark.parametrize("options", [[], ["BLOCKSIZE=10,15"]])
@pytest.mark.parametrize("how", ["changed", "first chunk", "last chunk"])
def test_statistics_of_a_changed_copy_go(tmp_path, cpl, options, how):
    """If the pixels of a copied store change, its statistics are ignored. Without compression, the changed chunks keep
    their names and sizes."""
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(
        str(store), source_of(1), options=[*options, "COMPRESS=NONE", "ARRAY_NAME=v"]
    )
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    copy = copied(store)
    assert has_statistics(store) and has_statistics(copy)
    part = {"changed": ..., "first chunk": np.s_[0, 0], "last chunk": np.s_[-1, -1]}[how]
    array = zarr.open_group(str(copy), mode="r+")["v"]
    array[part] = array[part] + 100
    assert has_statistics(store) and not has_statistics(copy)
    assert cpl.events == []


NAMES = ("red", "nir", "class")


def named_bands(store, *options):
    """Writes a store with three bands. The name of each band is in its description, its metadata and its categories. If
    `options` contains "unnamed", the bands have no description."""
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 3)
    for number, name in enumerate(NAMES, start=1):
        band = source.GetRasterBand(number)
        band.Fill(number)
        band.SetMetadataItem("of", name)
        band.SetCategoryNames([name + "0", name + "1"])
        if "unnamed" not in options:
            band.SetDescription(name)
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=["ARRAY_NAME=v"])


def bands_of(store):
    """Returns (description, metadata item, first category, pixel) for each band."""
    dataset = open_raster(store)
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return [
        (b.GetDescription(), b.GetMetadataItem("of"), (b.GetCategoryNames() or [None])[0], int(b.ReadAsArray()[0, 0]))
        for b in bands
    ]


def selected(store, **indices):
    """Selects bands with xarray, and writes them with all attributes to a new store. Returns the new store."""
    contents = xr.open_zarr(store, mask_and_scale=False, consolidated=False).load().isel(**indices)
    for name in contents.variables:
        contents[name].encoding = {}
    contents.to_zarr(store.with_name("selected.zarr"), mode="w")
    return store.with_name("selected.zarr")


EXPECTED_BANDS = [(name, name, name + "0", i + 1) for i, name in enumerate(NAMES)]


@pytest.mark.parametrize("bands", [[2, 0], [1], [2, 1, 0], [0, 1, 2], [0, 2]])
def test_bands_are_found_again_by_their_names(tmp_path, cpl, bands):
    store = tmp_path / "a.zarr"
    named_bands(store)
    assert bands_of(store) == EXPECTED_BANDS
    assert bands_of(selected(store, band=bands)) == [EXPECTED_BANDS[i] for i in bands]
    assert cpl.events == []


def test_bands_without_names_are_identified_by_their_number(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    named_bands(store, "unnamed")
    expected = [("", *band[1:]) for band in EXPECTED_BANDS]
    assert bands_of(store) == expected
    assert bands_of(selected(store, band=[0, 1, 2])) == expected
    assert bands_of(selected(store, band=[2, 0])) == [("", None, None, 3), ("", None, None, 1)]
    assert cpl.events == []


def test_renamed_bands_keep_their_properties(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    named_bands(store)
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(2).SetDescription("infrared")
    dataset = None
    expected = [EXPECTED_BANDS[0], ("infrared", *EXPECTED_BANDS[1][1:]), EXPECTED_BANDS[2]]
    assert bands_of(store) == expected
    assert bands_of(selected(store, band=[2, 1])) == [expected[2], expected[1]]
    # xarray renames all bands.
    contents = xr.open_zarr(store, mask_and_scale=False, consolidated=False).load()
    contents = contents.assign_coords(band=["a", "b", "c"])
    for name in contents.variables:
        contents[name].encoding = {}
    contents.to_zarr(tmp_path / "renamed.zarr")
    assert bands_of(tmp_path / "renamed.zarr") == [("abc"[i], *expected[i][1:]) for i in range(3)]
    assert cpl.events == []


def test_stores_of_earlier_versions_keep_the_properties_of_bands(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    named_bands(store)
    array = zarr.open_group(str(store), mode="r+")["v"]
    text = array.attrs["gdal_pam"]
    for name in NAMES:
        text = text.replace(f' name="{name}"', "")
    array.attrs["gdal_pam"] = text.replace('<MDI key="BANDS">3</MDI>', "")
    assert "BANDS" not in array.attrs["gdal_pam"] and "name=" not in array.attrs["gdal_pam"]
    assert bands_of(store) == EXPECTED_BANDS
    assert cpl.events == []


def test_properties_of_one_band_are_attributes(tmp_path, cpl):
    """Properties of a single band that CF defines are attributes of the array. The dataset does not show these
    attributes as its properties."""
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source_of(1))
    attributes = dict(zarr.open_group(str(store), mode="r")["a"].attrs)
    assert attributes["long_name"] == "land cover"
    assert attributes["flag_values"] == [0, 2] and attributes["flag_meanings"] == "open_water f\u00e4ld"
    assert attributes["sensor"] == "first" and attributes["title"] == "a title"
    assert attributes["gains"] == [1, 2.5] and attributes["AREA_OR_POINT"] == "Point"
    assert attributes["gdal_pam"].startswith("<PAMDataset>")
    told = what_is_said(open_raster(store))
    wanted = what_is_said(source_of(1))
    del told["alpha"], wanted["alpha"]  # a band with a colour table has the colour interpretation "palette"
    assert told == wanted
    read = xr.open_zarr(str(store))
    assert read["a"].attrs["long_name"] == "land cover"
    read.drop_vars("spatial_ref", errors="ignore").to_netcdf(str(tmp_path / "a.nc"))
    assert cpl.events == []


def test_properties_of_bands_in_arrays_of_their_own_are_attributes(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source_of(), options=["SINGLE_ARRAY=NO"])
    arrays = dict(zarr.open_group(str(store), mode="r").arrays())
    first = arrays.pop("land cover")
    (second,) = arrays.values()
    assert first.attrs["sensor"] == "first" and second.attrs["wavelength"] == "490"
    alone = open_band(array_name(store, "land cover"))
    assert alone.GetColorTable().GetColorEntry(1) == COLOURS[1]
    assert alone.GetCategoryNames() == CLASSES
    assert cpl.events == []


# Statistics of bands


def statistics(name):
    dataset = gdal.Open(str(name))
    band = dataset.GetRasterBand(1)
    found = band.GetMetadata()
    return found.get("STATISTICS_MAXIMUM"), band.GetStatistics(False, False)


@pytest.mark.parametrize("options", LAYOUTS)
@pytest.mark.parametrize("histogram", [False, True])
def test_statistics_stay_with_the_store(tmp_path, cpl, options, histogram):
    store = tmp_path / "a.zarr"
    made = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 2, options=options)
    made.WriteArray(PIXELS)
    wanted = made.GetRasterBand(1).ComputeStatistics(False)
    if histogram:
        made.GetRasterBand(1).SetDefaultHistogram(0, 255, [1, 2, 3])
    made = None
    assert beside(tmp_path) == []
    for name in (store, copied(store)):
        maximum, found = statistics(name)
        assert maximum == "255" and found[1] == wanted[1] == 255
        if histogram:
            assert open_band(name).GetDefaultHistogram(force=0)[3] == [1, 2, 3]
    assert cpl.events == []


@pytest.mark.parametrize("options", [*LAYOUTS, ["COMPRESS=NONE"]])  # uncompressed, a changed chunk keeps its size
@pytest.mark.parametrize("writer", ["gdal", "zarr"])
def test_statistics_go_when_the_pixels_change(tmp_path, cpl, options, writer):
    store = tmp_path / "a.zarr"
    made = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, 2, options=options)
    made.WriteArray(PIXELS)
    made.GetRasterBand(1).ComputeStatistics(False)
    made = None
    if writer == "gdal":
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        dataset.GetRasterBand(1).WriteArray(np.zeros((2, 2), "u1"))
        dataset = None
    else:
        group = zarr.open_group(str(store), mode="r+")
        array = group["a"] if "a" in group else group["Band1"]
        array[...] = 9
    assert statistics(store)[0] is None
    assert cpl.events == []


FIRST_USES = {
    "metadata": lambda band: "STATISTICS_MAXIMUM" in band.GetMetadata(),
    "item": lambda band: band.GetMetadataItem("STATISTICS_MAXIMUM") is not None,
    "statistics": lambda band: (band.GetStatistics(False, False) or [0, 0])[1] == 255,
    "maximum": lambda band: band.GetMaximum() == 255,
    "histogram": lambda band: band.GetDefaultHistogram(force=0) is not None,
}


def store_with_old_statistics(folder):
    store = folder / "a.zarr"
    made = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, options=["ARRAY_NAME=a"])
    made.WriteArray(PIXELS[0])
    made.GetRasterBand(1).ComputeStatistics(False)
    made.GetRasterBand(1).SetDefaultHistogram(0, 255, [1, 2, 3])
    made = None
    assert all(has_any(open_band(store)) for has_any in FIRST_USES.values())
    zarr.open_group(str(store), mode="r+")["a"][...] = 9
    return store


@pytest.mark.parametrize("first_use", FIRST_USES)
def test_old_statistics_go_at_their_first_use(tmp_path, cpl, first_use):
    """Outdated statistics are ignored. The driver checks statistics at their first use, and not at opening, so that
    opening is fast."""
    store = store_with_old_statistics(tmp_path)
    assert not FIRST_USES[first_use](open_band(store))
    assert cpl.events == []


@pytest.mark.parametrize("change", ["item", "metadata", "histogram", "statistic", "units"])
def test_old_statistics_are_not_stored_with_a_change(tmp_path, cpl, change):
    store = store_with_old_statistics(tmp_path)
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    band = dataset.GetRasterBand(1)
    if change == "item":
        band.SetMetadataItem("sensor", "one")
    elif change == "metadata":
        band.SetMetadata({"STATISTICS_MEAN": "9"})
    elif change == "histogram":
        band.SetDefaultHistogram(0, 9, [4])
    elif change == "statistic":
        band.SetMetadataItem("STATISTICS_MEAN", "9")
    else:
        band.SetUnitType("m")
    band = dataset = None
    found = open_band(store)
    assert found.GetMetadataItem("STATISTICS_MAXIMUM") is None
    assert found.GetMetadataItem("STATISTICS_MEAN") == ("9" if change in ("metadata", "statistic") else None)
    histogram = found.GetDefaultHistogram(force=0)
    assert (histogram and histogram[3]) == ([4] if change == "histogram" else None)
    assert cpl.events == []


# Properties that users set on read-only stores


def set_beside(dataset):
    band = dataset.GetRasterBand(1)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform((1, 2, 0, 3, 0, -2))
    band.SetNoDataValue(7)
    band.SetUnitType("K")
    band.SetScale(3)
    band.SetOffset(9)
    band.SetDescription("mine")
    band.SetColorTable(table())


def read_beside(dataset):
    band = dataset.GetRasterBand(1)
    return (dataset.GetSpatialRef().GetAuthorityCode(None), dataset.GetGeoTransform(), band.GetNoDataValue(),
            band.GetUnitType(), band.GetScale(), band.GetOffset(), band.GetDescription(),
            band.GetColorTable() is not None)  # fmt: skip


BESIDE = ("32633", (1, 2, 0, 3, 0, -2), 7, "K", 3, 9, "mine", True)


def store_with_all(folder, dtype="<i2"):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    values = np.arange(20, dtype=dtype).reshape(4, 5)
    return make_store(folder, {
        "a": {"values": values, "dims": ("y", "x"), "attrs": {
            "units": "m", "scale_factor": 2.0, "add_offset": 1.0, "_FillValue": 5, "long_name": "theirs",
            "grid_mapping": "crs"}},
        "crs": {"values": np.array(0), "attrs": {"crs_wkt": srs.ExportToWkt()}},
        "x": {"values": np.arange(5) + 0.5, "dims": ("x",)},
        "y": {"values": np.arange(4) + 0.5, "dims": ("y",)},
    })  # fmt: skip


def test_properties_set_on_a_read_only_store_are_kept_beside_it(tmp_path, cpl, pam):
    if pam == "NO":
        pytest.skip("GDAL keeps nothing beside datasets then")
    store = store_with_all(tmp_path)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    dataset = gdal.Open(str(store))
    set_beside(dataset)
    assert read_beside(dataset) == BESIDE
    dataset = None
    assert read_beside(open_raster(store)) == BESIDE
    assert {path: path.read_bytes() for path in store.rglob("*") if path.is_file()} == before
    assert beside(tmp_path) == ["store.zarr.aux.xml"]
    # In update mode, unit and metadata are written to the store, where later opens find them.
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.GetRasterBand(1).SetUnitType("mm")
    dataset.GetRasterBand(1).SetMetadataItem("note", "n")
    dataset = None
    assert read_beside(open_raster(store))[3] == "mm"
    assert cpl.events == []


@pytest.mark.parametrize("dtype, method", [("<i8", "Int64"), ("<u8", "UInt64")])
def test_nodata_of_64_bits_that_a_user_sets(tmp_path, cpl, pam, dtype, method):
    if pam == "NO":
        pytest.skip("GDAL keeps nothing beside datasets then")
    store = store_with_all(tmp_path, dtype)
    dataset = gdal.Open(str(store))
    getattr(dataset.GetRasterBand(1), f"SetNoDataValueAs{method}")(2**62 + 1)
    dataset = None
    band = open_band(store)
    assert band.GetNoDataValue() == 2**62 + 1
    assert cpl.events == []


@pytest.mark.parametrize("text", ["", "<", "<PAMDataset>", "<Other/>", "<PAMDataset/>", "x" * 100_000,
                                  "<PAMDataset><PAMRasterBand band='9'/></PAMDataset>",
                                  "<PAMDataset><SRS>+init=/etc/passwd</SRS></PAMDataset>",
                                  "<PAMDataset><GCPList Projection='+init=/etc/passwd'><GCP Id='1' Pixel='1'"
                                  " Line='1' X='1' Y='1'/></GCPList></PAMDataset>",
                                  "<a>" * 5000])  # fmt: skip
def test_a_damaged_or_foreign_attribute(tmp_path, cpl, text):
    for value in (text, 7, [text], None):
        store = make_store(tmp_path, {"a": {"values": np.zeros((3, 4)), "attrs": {"gdal_pam": value}}})
        dataset = open_raster(store)
        assert dataset.GetSpatialRef() is None and dataset.GetGCPCount() == 0
        np.testing.assert_array_equal(dataset.ReadAsArray(), np.zeros((3, 4)))
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        dataset.GetRasterBand(1).SetMetadataItem("k", "v")
        dataset = None
        assert open_band(store).GetMetadataItem("k") == "v"
    assert cpl.events == []


@zarr_formats.V2
def test_statistics_of_the_multidimensional_api_are_used_by_the_other(tmp_path, cpl, pam):
    """This driver reads the statistics and the CRS that GDAL's built-in driver writes to `pam.aux.xml` in the store.
    Statistics are ignored after pixels have changed."""
    if pam == "NO":
        pytest.skip("GDAL keeps nothing beside datasets then")
    values = np.arange(20, dtype="<i2").reshape(4, 5)
    store = make_store(tmp_path, {"a": values, "g/b": values + 1})
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["ZarrBuiltin"]).GetRootGroup()
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    for name in ("/a", "/g/b"):
        array = root.OpenMDArrayFromFullname(name)
        array.ComputeStatistics(False)
        array.SetSpatialRef(srs)
    del array, root
    assert (store / "pam.aux.xml").exists()
    for name, most in (("a", 19), ("g/b", 20)):
        dataset = open_raster(array_name(store, name))
        assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32633"
        assert dataset.GetRasterBand(1).GetStatistics(False, False)[1] == most
        array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArrayFromFullname("/" + name)
        assert array.GetStatistics(False, False).max == most
        assert array.GetSpatialRef().GetAuthorityCode(None) == "32633"
    zarr.open_group(str(store), mode="r+")["a"][0, 0] = 99
    assert open_band(array_name(store, "a")).GetMetadataItem("STATISTICS_MAXIMUM") is None
    assert cpl.events == []


@pytest.mark.parametrize("bands", [[2, 1, 0], [0], [1], [2, 1], [0, 1, 2], [1, 0]])
def test_masks_of_bands_are_found_again_by_their_names(tmp_path, cpl, bands):
    """A mask stays with its band after xarray selects or reorders the bands. The driver assigns masks to bands by the
    names of the bands."""
    store = tmp_path / "a.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 6, 4, 3)
    for i, name in enumerate(NAMES):
        source.GetRasterBand(i + 1).SetDescription(name)
        source.GetRasterBand(i + 1).Fill(i + 1)
    source.GetRasterBand(1).CreateMaskBand(0)
    source.GetRasterBand(1).GetMaskBand().WriteArray(np.repeat([[0], [0], [255], [255]], 6, axis=1))
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source) is not None

    def masks(path):
        dataset = open_raster(path)
        each = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
        return [(int(b.ReadAsArray()[0, 0]), b.GetMaskFlags(), b.GetMaskBand().ReadAsArray().mean()) for b in each]

    expected = [(1, 0, 127.5), (2, gdal.GMF_ALL_VALID, 255), (3, gdal.GMF_ALL_VALID, 255)]
    assert masks(store) == expected
    assert masks(selected(store, band=bands)) == [expected[i] for i in bands]
    cpl.assert_quiet()
