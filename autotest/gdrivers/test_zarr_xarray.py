# SPDX-License-Identifier: MIT
"""Stores that pass between xarray, rioxarray, rasterio and GDAL. All read equal values, geotransforms, times,
attributes, masks and scales.

For other stores of xarray, see test_zarr_writers.py and test_zarr_time.py."""

import pathlib

import numpy as np
import pandas as pd
import pytest
import rasterio
import rioxarray
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from rasterio.enums import Resampling
from zarr_gdal import array_name, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg
from zarr_store import make_store

TIMES, ROWS, COLUMNS = 3, 20, 30
PLACE = (500000.0, 10.0, 0.0, 5200000.0, 0.0, -10.0)
X = 500005.0 + 10.0 * np.arange(COLUMNS)
Y = 5199995.0 - 10.0 * np.arange(ROWS)
DAYS = np.array(["2020-01-30", "2020-01-31", "2020-02-03"], "M8[ns]")
PACKED = {"dtype": "i2", "scale_factor": 0.25, "add_offset": 100.0, "_FillValue": -32768}


def cube(values=None, times=DAYS, **attrs):
    """Returns an xarray dataset with a CRS and the variable t along time, y and x, by default with multiples of 0.25
    and missing values."""
    if values is None:
        values = (np.arange(len(times) * ROWS * COLUMNS) / 4).astype("f4").reshape(-1, ROWS, COLUMNS)
        values[:, 3:6, 4:9] = np.nan
    data = xr.DataArray(values, dims=("time", "y", "x"), coords={"time": times, "y": Y, "x": X},
                        attrs=attrs)  # fmt: skip
    return data.to_dataset(name="t").rio.write_crs("EPSG:32632")


def to_store(dataset, store, **arguments):
    dataset.to_zarr(str(store), **arguments)
    return str(store)


def from_store(store, **arguments):
    with xr.open_zarr(str(store), decode_coords="all", **arguments) as dataset:
        return dataset.load()

pytestmark = [
    zarr_formats.BOTH,
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning"),
]


@pytest.fixture
def packed(tmp_path):
    return to_store(cube(units="K"), tmp_path / "packed.zarr", encoding={"t": PACKED})


# Stores that rioxarray reads


def test_open_rasterio_gives_stored_values(packed):
    with rioxarray.open_rasterio(packed) as got:
        assert (got.dims, got.shape, got.dtype) == (("band", "y", "x"), (3, ROWS, COLUMNS), "int16")
        assert (got.rio.nodata, got.rio.crs.to_epsg()) == (-32768, 32632)
        assert got.rio.transform().to_gdal() == PLACE
        np.testing.assert_array_equal(got.x, X)
        np.testing.assert_array_equal(got.y, Y)
        assert got.attrs["scale_factor"] == 0.25 and got.attrs["add_offset"] == 100
        raw = xr.open_zarr(packed, mask_and_scale=False)["t"]
        np.testing.assert_array_equal(got.values, raw.values)


@pytest.mark.parametrize("chunks", [None, True, {"x": 7, "y": 6}])
def test_open_rasterio_masks_and_scales(packed, chunks):
    wanted = cube()["t"].values
    with rioxarray.open_rasterio(packed, mask_and_scale=True, chunks=chunks) as got:
        assert (got.chunks is None) == (chunks is None)
        np.testing.assert_array_equal(got.values, wanted)
    with rioxarray.open_rasterio(packed, masked=True, chunks=chunks) as got:
        assert got.rio.encoded_nodata == -32768 and np.isnan(got.rio.nodata)
        np.testing.assert_array_equal(got.values, (wanted - 100) / np.float32(0.25))


def test_windows(packed):
    wanted = cube()["t"]
    with rioxarray.open_rasterio(packed, mask_and_scale=True) as got:
        one = got.isel(band=1, x=slice(5, 17), y=slice(2, 9))
        np.testing.assert_array_equal(one, wanted.isel(time=1, x=slice(5, 17), y=slice(2, 9)))
        point = got.sel(band=3, x=500111, y=5199888, method="nearest")
        assert float(point) == float(wanted.sel(x=500111, y=5199888, method="nearest")[2])
        box = got.rio.clip_box(500100, 5199850, 500200, 5199950)
        np.testing.assert_array_equal(box, wanted.rio.clip_box(500100, 5199850, 500200, 5199950))
        assert box.rio.bounds() == (500100, 5199850, 500200, 5199950)


def test_overview_levels(tmp_path):
    store = to_store(cube(np.arange(1800.0).reshape(3, ROWS, COLUMNS)), tmp_path / "a.zarr")
    dataset = gdal.Open(store, gdal.GA_Update)
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    del dataset
    with rioxarray.open_rasterio(store, overview_level=0) as got:
        wanted = cube(np.arange(1800.0).reshape(3, ROWS, COLUMNS))["t"].coarsen(x=2, y=2).mean()
        np.testing.assert_allclose(got.values, wanted.values, rtol=1e-12)
        np.testing.assert_allclose(got.x, wanted.x, rtol=1e-12)
        assert got.rio.resolution() == (20, -20)


def test_subdatasets(tmp_path):
    """Variables with different grids are subdatasets, which open by name. Variables with one grid open as one
    dataset."""
    dataset = cube()
    dataset["dem"] = (("y", "x"), np.arange(600.0).reshape(ROWS, COLUMNS))
    dataset["coarse"] = (("v", "u"), np.ones((4, 5), "u1"))
    store = to_store(dataset, tmp_path / "several.zarr")
    with rasterio.open(store) as opened:
        names = {name.rpartition(":/")[2] for name in opened.subdatasets}
    assert names >= {"t", "dem", "coarse"}
    with rioxarray.open_rasterio(array_name(store, "dem")) as got:
        np.testing.assert_array_equal(got[0], dataset["dem"])
        assert got.rio.crs.to_epsg() == 32632 and got.rio.transform().to_gdal() == PLACE
    with rioxarray.open_rasterio(array_name(store, "coarse")) as got:
        assert got.shape == (1, 4, 5)
    with rioxarray.open_rasterio(array_name(store, "t"), band_as_variable=True) as got:
        assert list(got.data_vars) == ["band_1", "band_2", "band_3"]
        np.testing.assert_array_equal(got["band_2"], dataset["t"][1])


# Stores that rioxarray writes


@pytest.mark.parametrize(
    "dtype, nodata, bands",
    [("u1", 7, 1), ("i2", -5, 3), ("u4", 2**32 - 1, 3), ("f4", np.nan, 1), ("f4", np.nan, 3)],
)
def test_to_raster_and_back(tmp_path, dtype, nodata, bands):
    """rioxarray's to_raster() writes a store, from which xarray, rioxarray and GDAL read equal values and metadata."""
    values = (np.arange(bands * 600) % 200).astype(dtype).reshape(bands, ROWS, COLUMNS)
    values[:, 2:4, 5:8] = nodata
    data = xr.DataArray(values, dims=("band", "y", "x"), coords={"x": X, "y": Y})
    data = data.rio.write_crs("EPSG:32632").rio.write_nodata(nodata)
    store = tmp_path / "r.zarr"
    data.rio.to_raster(store, driver="Zarr", compress="ZSTD")
    mask = np.isnan(values) if dtype == "f4" else values == nodata
    got = from_store(store)["r"]
    assert got.dims == (("band", "y", "x") if bands > 1 else ("y", "x"))
    np.testing.assert_array_equal(got.rio.transform().to_gdal(), PLACE)
    assert got.rio.crs.to_epsg() == 32632
    np.testing.assert_equal(float(got.rio.encoded_nodata), float(nodata))
    np.testing.assert_array_equal(np.isnan(got.values.reshape(values.shape)), mask)
    np.testing.assert_array_equal(got.values.reshape(values.shape)[~mask], values[~mask])
    with rioxarray.open_rasterio(store) as again:
        np.testing.assert_array_equal(again.values, values)
        np.testing.assert_array_equal(again.x, X)
    dataset = open_raster(store)
    np.testing.assert_array_equal(read_all(dataset), values)
    assert_geotransform(dataset, PLACE)
    assert epsg(dataset) == 32632


def test_to_raster_keeps_packing(tmp_path, packed):
    """A raster opened by rioxarray with mask_and_scale=True is written with its former scale and offset."""
    store = tmp_path / "again.zarr"
    with rioxarray.open_rasterio(packed, mask_and_scale=True) as data:
        data.rio.to_raster(store, driver="Zarr")
    np.testing.assert_array_equal(read_all(open_raster(store)), read_all(open_raster(packed)))
    got = from_store(store)["again"]
    np.testing.assert_array_equal(got.values, cube()["t"].values)
    assert {key: got.encoding[key] for key in ("scale_factor", "add_offset", "_FillValue")} == {
        key: PACKED[key] for key in ("scale_factor", "add_offset", "_FillValue")}  # fmt: skip


def test_to_raster_window_by_window(tmp_path, packed):
    """to_raster() writes a lazy array window by window, and the store finally has all values."""
    store = tmp_path / "w.zarr"
    with rioxarray.open_rasterio(packed, chunks={"x": 8, "y": 8}) as data:
        data.rio.to_raster(store, driver="Zarr", windowed=True, blocksize="1,8,8")
    np.testing.assert_array_equal(read_all(open_raster(store)), read_all(open_raster(packed)))


def test_reprojection_equals_that_of_a_geotiff(tmp_path, packed):
    gdal.Translate(str(tmp_path / "p.tif"), packed)
    warped = []
    for path in (packed, tmp_path / "p.tif"):
        with rioxarray.open_rasterio(path, masked=True) as data:
            warped.append(data.rio.reproject("EPSG:3857", resampling=Resampling.bilinear))
    np.testing.assert_array_equal(warped[0].values, warped[1].values)
    np.testing.assert_array_equal(warped[0].x, warped[1].x)
    assert np.isfinite(warped[0].values).any()


# Stores that xarray writes, GDAL copies and xarray reads again


def random_values(dtype):
    rng = np.random.default_rng(6)
    if dtype == "bool":
        return rng.random((TIMES, ROWS, COLUMNS)) < 0.5
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=(TIMES, ROWS, COLUMNS)).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, (TIMES, ROWS, COLUMNS), dtype, endpoint=True)


@pytest.mark.parametrize(
    "dtype, consolidated",
    [("bool", True), ("u1", True), ("i2", False), ("u4", True), ("i8", True), ("f4", False), ("f8", True)],
)
def test_through_gdal_translate(tmp_path, dtype, consolidated):
    """gdal_translate keeps values, CRS, geotransform, times and attributes of xarray's store."""
    dataset = cube(random_values(dtype), units="1", comment="as it was")
    store = to_store(dataset, tmp_path / "a.zarr", consolidated=consolidated)
    source = open_raster(store)
    assert epsg(source) == 32632
    assert_geotransform(source, PLACE)
    gdal.Translate(str(tmp_path / "b.zarr"), source, format="Zarr",
                   creationOptions=[f"CREATE_ZMETADATA={'YES' if consolidated else 'NO'}"])  # fmt: skip
    got = from_store(tmp_path / "b.zarr", consolidated=consolidated)["b"]
    np.testing.assert_array_equal(got.values, dataset["t"].values)
    np.testing.assert_array_equal(got.x, X)
    np.testing.assert_array_equal(got.y, Y)
    assert got.dims == ("time", "y", "x")
    assert list(pd.to_datetime(got.time.values)) == list(pd.to_datetime(DAYS))
    assert (got.attrs["units"], got.attrs["comment"]) == ("1", "as it was")
    assert got.rio.crs.to_epsg() == 32632 and got.rio.transform().to_gdal() == PLACE


@pytest.mark.parametrize("encoding", [PACKED, {"dtype": "u1", "scale_factor": 2.0, "_FillValue": 255},
                                      {"dtype": "f4", "_FillValue": -1e20}, {"dtype": "f8"},
                                      {"dtype": "i4", "scale_factor": 0.5, "_FillValue": 0}],
                         ids=["i2", "u1", "f4", "nan", "zero"])  # fmt: skip
def test_masks_and_scales_agree(tmp_path, encoding):
    """xarray, rasterio and GDAL's mask bands have the same missing pixels, before and after gdal_translate."""
    values = np.arange(TIMES * ROWS * COLUMNS, dtype="f8").reshape(TIMES, ROWS, COLUMNS) % 251 * 2
    values[:, 3:6, 4:9] = np.nan
    values[2, 10] = np.nan
    values[values == 0] = np.nan  # no zeros, because one encoding has _FillValue 0
    store = to_store(cube(values), tmp_path / "a.zarr", encoding={"t": encoding})
    gdal.Translate(str(tmp_path / "t.zarr"), store, format="Zarr")
    for name in (store, str(tmp_path / "t.zarr")):
        wanted = from_store(name)["t"].values
        np.testing.assert_array_equal(wanted, values)
        with rasterio.open(name) as dataset:
            packed, masks = dataset.read(masked=True), dataset.read_masks()
            scale = np.array(dataset.scales)[:, None, None]
            unpacked = packed.astype("f8") * scale + np.array(dataset.offsets)[:, None, None]
        np.testing.assert_array_equal(unpacked.filled(np.nan), values)
        np.testing.assert_array_equal(masks == 0, np.isnan(values))
        opened = open_raster(name)
        for i in range(TIMES):
            mask = opened.GetRasterBand(i + 1).GetMaskBand().ReadAsArray()
            np.testing.assert_array_equal(mask == 0, np.isnan(values[i]))
        with rioxarray.open_rasterio(name, mask_and_scale=True) as scaled:
            np.testing.assert_allclose(scaled.values, values, rtol=1e-6)


def test_unsigned(tmp_path):
    """int8 values with the attribute _Unsigned read as unsigned bytes, and their _FillValue -1 as nodata 255."""
    values = (np.arange(600) % 256).astype("u1").reshape(1, ROWS, COLUMNS)
    data = cube(values, DAYS[:1])
    data["t"].encoding = {"_Unsigned": "true", "dtype": "i1", "_FillValue": -1}
    with np.errstate(all="ignore"):
        store = to_store(data, tmp_path / "u.zarr")
    assert zarr.open_group(store, mode="r")["t"].dtype == np.dtype("i1")
    wanted = from_store(store)["t"].values
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    assert (band.DataType, band.GetNoDataValue()) == (gdal.GDT_Byte, 255)
    np.testing.assert_array_equal(band.ReadAsArray(), values[0])
    with rioxarray.open_rasterio(store, masked=True) as got:
        np.testing.assert_array_equal(got.values, wanted)
    gdal.Translate(str(tmp_path / "t.zarr"), store, format="Zarr")
    np.testing.assert_array_equal(from_store(tmp_path / "t.zarr")["t"].values.squeeze(), wanted[0])


TIME_ENCODINGS = [
    {"units": "hours since 2020-01-01", "dtype": "i4"},
    {"units": "days since 1900-01-01", "dtype": "f8"},
    {"units": "seconds since 1970-01-01 06:00", "dtype": "i8"},
    {"units": "days since 2020-01-01", "calendar": "proleptic_gregorian", "dtype": "i2"},
]


@pytest.mark.parametrize("encoding", TIME_ENCODINGS, ids=lambda encoding: encoding["units"])
def test_times(tmp_path, encoding):
    """Bands have the times that xarray has written, in each encoding. A multidimensional copy keeps the dimension
    time."""
    store = to_store(cube(), tmp_path / "a.zarr", encoding={"time": encoding})
    dataset = open_raster(store)
    got = [dataset.GetRasterBand(i + 1).GetMetadataItem("DIM_time_TIME") for i in range(TIMES)]
    assert [pd.Timestamp(text).tz_localize(None) for text in got] == list(pd.to_datetime(DAYS))
    assert gdal.MultiDimTranslate(str(tmp_path / "b.zarr"), store, format="Zarr") is not None
    copied = from_store(tmp_path / "b.zarr")
    xr.testing.assert_equal(copied["t"].drop_vars("spatial_ref", errors="ignore"),
                            cube()["t"].drop_vars("spatial_ref"))  # fmt: skip
    assert copied["time"].encoding["units"].startswith(encoding["units"][:20])


# Stores that xarray changes


@pytest.mark.parametrize("consolidated", [True, False])
def test_times_that_xarray_appends(tmp_path, consolidated):
    store = to_store(cube(), tmp_path / "a.zarr", consolidated=consolidated,
                     encoding={"t": PACKED, "time": {"units": "days since 2020-01-01"}})  # fmt: skip
    assert open_raster(store).RasterCount == TIMES
    more = np.array(["2020-02-10", "2020-02-11"], "M8[ns]")
    values = np.full((2, ROWS, COLUMNS), 150.25, "f4")
    addition = cube(values, more).drop_vars("spatial_ref")
    to_store(addition, store, append_dim="time", consolidated=consolidated)
    dataset = open_raster(store)
    assert dataset.RasterCount == TIMES + 2
    last = dataset.GetRasterBand(TIMES + 2)
    assert last.GetMetadataItem("DIM_time_TIME").startswith("2020-02-11")
    scaled = read_all(dataset)[-2:] * last.GetScale() + last.GetOffset()
    np.testing.assert_array_equal(scaled, values)
    np.testing.assert_array_equal(from_store(store, consolidated=consolidated)["t"][-2:], values)


def test_regions_that_xarray_writes_into_stores_of_gdal(tmp_path):
    store = tmp_path / "r.zarr"
    made = gdal.GetDriverByName("Zarr").Create(str(store), COLUMNS, ROWS, TIMES, gdal.GDT_Float32,
                                               ["BLOCKSIZE=1,10,10"])  # fmt: skip
    made.SetGeoTransform(PLACE)
    del made
    before = open_raster(store)
    assert not read_all(before).any()
    values = random_values("f4")[:, :10]
    patch = xr.Dataset({"r": (("band", "y", "x"), values)})
    patch.to_zarr(str(store), region={"band": slice(0, 3), "y": slice(10, 20), "x": slice(0, 30)})
    got = read_all(open_raster(store))
    np.testing.assert_array_equal(got[:, 10:], values)
    assert not got[:, :10].any()


def test_regions_that_gdal_writes_into_stores_of_xarray(tmp_path):
    """xarray writes only a variable's metadata (compute=False), and rasterio then a window of pixels. xarray reads this
    window, and missing values elsewhere."""
    store = to_store(cube().chunk({"time": 1, "y": 10, "x": 10}), tmp_path / "a.zarr", compute=False)
    patch = random_values("f4")[1, :7, :11]
    with rasterio.open(store, "r+") as dataset:
        dataset.write(patch, 2, window=rasterio.windows.Window(4, 9, 11, 7))
    got = from_store(store)["t"]
    np.testing.assert_array_equal(got[1, 9:16, 4:15], patch)
    assert int(got.notnull().sum()) == patch.size
    np.testing.assert_array_equal(got.time, DAYS)


# Groups with several rasters


PRODUCT = pathlib.Path(__file__).resolve().parents[2] / "data" / "product.zarr"


def rasters(folder, *paths):
    """Writes arrays of one size and different values at `paths`. Returns the store."""
    values = np.arange(48).reshape(6, 8).astype("i2")
    return make_store(folder, {
        path: {"values": values + 100 * i, "dims": ("y", "x")} for i, path in enumerate(paths)
    })  # fmt: skip


def nested(folder):
    """Writes a store with the arrays /d, /g/a, /g/b and /h/deep/c. Returns the store."""
    return rasters(folder, "g/a", "g/b", "h/deep/c", "d")


def flat(folder):
    """Writes a store with the arrays /a, /b and /c, which are the bands of one raster. Returns the store."""
    return rasters(folder, "a", "b", "c")


def opened_by_engine(store):
    return xr.open_dataset(store, engine="rasterio")


@pytest.mark.parametrize("make, opener", [
    (nested, rioxarray.open_rasterio), (nested, opened_by_engine), (flat, rioxarray.open_rasterio),
    (flat, opened_by_engine), (lambda _: PRODUCT, rioxarray.open_rasterio)])  # fmt: skip
def test_a_store_with_groups_of_rasters(tmp_path, make, opener):
    """rioxarray and xarray open a store with several rasters. They return one variable for each subdataset."""
    store = make(tmp_path)
    opened = opener(store)
    # rioxarray returns a list if the rasters have different grids.
    parts = opened if isinstance(opened, list) else [opened]
    found = {str(name) for part in parts for name in part.data_vars}
    listed = {name.rpartition(":/")[2] for name, _ in gdal.Open(str(store)).GetSubDatasets()}
    assert found == {name.replace("/", "_") for name in listed}
    for part in parts:
        for name, variable in part.data_vars.items():
            one = gdal.Open(array_name(store, next(x for x in listed if x.replace("/", "_") == name)))
            np.testing.assert_array_equal(variable.values[: one.RasterCount], read_all(one))
        part.close()


def test_one_group_of_a_store(tmp_path):
    with rioxarray.open_rasterio(array_name(nested(tmp_path), "g")) as got:
        assert got.shape == (2, 6, 8)
        np.testing.assert_array_equal(got[1], 100 + np.arange(48).reshape(6, 8))


@pytest.mark.parametrize("arrays", [[], ["SINGLE_ARRAY=NO"]])
def test_spatial_proj_has_coordinates_for_xarray(tmp_path, arrays):
    source = gdal.GetDriverByName("MEM").Create("", COLUMNS, ROWS, 2)
    source.SetGeoTransform(PLACE)
    source.SetProjection(osr_wkt(32632))
    store = str(tmp_path / "s.zarr")
    options = ["GEOREFERENCING_CONVENTION=SPATIAL_PROJ", "ARRAY_NAME=a", "OVERVIEWS=2", *arrays]
    assert gdal.GetDriverByName("Zarr").CreateCopy(store, source, options=options) is not None
    with xr.open_zarr(store) as got:
        np.testing.assert_array_equal(got.x, X)
        np.testing.assert_array_equal(got.y, Y)
        assert got.x.attrs["standard_name"] == "projection_x_coordinate"
        for variable in got.data_vars.values():
            assert variable.attrs["proj:code"] == "EPSG:32632" and "grid_mapping" not in variable.attrs
            assert variable.attrs["spatial:transform"] == [PLACE[i] for i in (1, 2, 0, 4, 5, 3)]
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    assert_geotransform(dataset, PLACE)
    # Setting a geotransform changes the stored coordinates, too.
    dataset = gdal.Open(store, gdal.GA_Update)
    dataset.SetGeoTransform((1000, 10, 0, 2000, 0, -10))
    del dataset
    with xr.open_zarr(store) as got:
        np.testing.assert_array_equal(got.x, 1005 + 10 * np.arange(COLUMNS))


def osr_wkt(code):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs.ExportToWkt()


@pytest.mark.parametrize("change", ["crop", "thin", "flip", "shift"])
@pytest.mark.parametrize("convention", ["SPATIAL_PROJ", "GDAL", "CF"])
def test_changes_by_xarray_to_a_store_of_this_driver(tmp_path, cpl, convention, change):
    """xarray changes the coordinates of this driver's raster, but keeps its attributes. The driver uses the new
    coordinates, or warns of the contradiction."""
    source = gdal.GetDriverByName("MEM").Create("", 8, 6)
    source.SetGeoTransform(PLACE)
    source.SetProjection(osr_wkt(32632))
    options = [f"GEOREFERENCING_CONVENTION={convention}", "ARRAY_NAME=v"]
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "s.zarr"), source, options=options)
    with xr.open_zarr(str(tmp_path / "s.zarr")) as store:
        changed = {
            "crop": lambda: store.isel(x=slice(2, 8), y=slice(1, 6)),
            "thin": lambda: store.isel(x=slice(None, None, 2), y=slice(None, None, 2)),
            "flip": lambda: store.isel(y=slice(None, None, -1)),
            "shift": lambda: store.assign_coords(x=store.x + 3000),
        }[change]().load()
    for variable in changed.variables.values():
        variable.encoding = {}
    changed.to_zarr(str(tmp_path / "c.zarr"), mode="w")
    x, y = changed.x.values, changed.y.values
    dx, dy = x[1] - x[0], y[1] - y[0]
    laid = (x[0] - dx / 2, dx, 0, y[0] - dy / 2, 0, dy)
    dataset = open_raster(array_name(tmp_path / "c.zarr", "v"))
    if convention != "GDAL" and (convention == "CF" or change in ("crop", "thin")):
        assert_geotransform(dataset, laid)
    else:
        assert_geotransform(dataset, PLACE)
        assert "disagrees with the coordinate arrays; the attribute is used" in cpl.warnings[0]
    assert len(cpl.warnings) == 1
