# SPDX-License-Identifier: MIT
"""Attributes, units and coordinates of pixels that raster copies of other programs keep."""

import netCDF4
import numpy as np
import pytest
import rioxarray  # noqa: F401  (adds the accessor rio)
import xarray
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, open_band, open_raster

pytestmark = zarr_formats.BOTH
ROWS, COLUMNS = 3, 4
CF = {"standard_name": "land_cover", "long_name": "Land cover", "cell_methods": "time: mean", "units": "m"}
FLAGS = {"flag_values": np.array([1, 2], "u1"), "flag_meanings": "water land"}


def netcdf(path, name, attributes, dims=("y", "x"), sizes=(ROWS, COLUMNS), dtype="u1", **others):
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions = "CF-1.8"
        for dim, size in zip(dims, sizes):
            file.createDimension(dim, size)
            if dim in ("y", "x", "time"):
                file.createVariable(dim, "f8", (dim,))[:] = np.arange(size) * (-1 if dim == "y" else 1)
        if "time" in dims:
            file["time"].units = "days since 2020-01-01"
        for other, (of, values) in others.items():
            file.createVariable(other, "f4", dims)[:] = values
            file[other].setncatts(of)
        file.createVariable(name, dtype, dims, fill_value=False)[:] = np.arange(np.prod(sizes)).reshape(sizes) % 3
        file[name].setncatts(attributes)
    return f'NETCDF:"{path}":{name}'


def translate(source, target):
    with config_options(GDAL_NETCDF_VERIFY_DIMS="NO"):
        gdal.Translate(str(target), source, format="Zarr", creationOptions=["ARRAY_NAME=v"])
    return zarr_formats.attributes(target, "v")


@pytest.mark.parametrize("dims, sizes", [(("y", "x"), (ROWS, COLUMNS)), (("time", "y", "x"), (2, ROWS, COLUMNS))])
def test_attributes_of_cf(tmp_path, cpl, dims, sizes):
    source = netcdf(tmp_path / "a.nc", "cls", CF | FLAGS, dims, sizes)
    stored = translate(source, tmp_path / "a.zarr")
    assert {name: stored[name] for name in CF} == CF
    assert stored["flag_values"] == [1, 2] and stored["flag_meanings"] == "water land"
    assert open_band(tmp_path / "a.zarr").GetCategoryNames() == ["", "water", "land"]
    assert [text for text in cpl.warnings if "not stored" in text] == []
    opened = xarray.open_zarr(tmp_path / "a.zarr", consolidated=None)
    assert opened["v"].attrs["standard_name"] == "land_cover"


def test_one_flag_and_a_mask(tmp_path, cpl):
    stored = translate(netcdf(tmp_path / "a.nc", "m", {"flag_masks": np.array([1, 2], "u1"), "flag_meanings": "a b",
                                                       "valid_min": np.uint8(1)}), tmp_path / "a.zarr")  # fmt: skip
    assert (stored["flag_masks"], stored["flag_meanings"], stored["valid_min"]) == ([1, 2], "a b", 1)
    stored = translate(netcdf(tmp_path / "b.nc", "m", {"flag_values": np.uint8(1), "flag_meanings": "a"}),
                       tmp_path / "b.zarr")  # fmt: skip
    assert stored["flag_values"] == 1 and stored["flag_meanings"] == "a"


def test_a_swath_brings_its_coordinates(tmp_path):
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    lat, lon = 50 - rows + 0.1 * columns, 7 + columns + 0.2 * rows
    source = netcdf(tmp_path / "s.nc", "v", {"coordinates": "lat lon"}, ("row", "col"), dtype="f4",
                    lat=({"units": "degrees_north", "standard_name": "latitude"}, lat),
                    lon=({"units": "degrees_east", "standard_name": "longitude"}, lon))  # fmt: skip
    assert translate(source, tmp_path / "s.zarr")["coordinates"].split()[:2] == ["lat", "lon"]
    expected = {name: gdal.Open(f'NETCDF:"{tmp_path}/s.nc":{name}').ReadAsArray() for name in ("v", "lat", "lon")}
    (tmp_path / "s.nc").unlink()
    opened = xarray.open_zarr(tmp_path / "s.zarr")
    for name, values in expected.items():
        np.testing.assert_allclose(opened[name], values, rtol=1e-6)
    assert set(opened.v.coords) == {"lat", "lon"}
    copy = open_raster(tmp_path / "s.zarr")
    assert str(tmp_path / "s.zarr") in copy.GetMetadata("GEOLOCATION")["X_DATASET"]
    warped = gdal.Warp("", copy, format="MEM", geoloc=True, dstSRS="EPSG:4326")
    assert warped.RasterXSize > 1 and 6 < warped.GetGeoTransform()[0] < 8


@pytest.mark.parametrize(("driver", "copied"), [("GTiff", False), ("GTiff beside", False), ("VRT", True)])
def test_metadata_of_a_file_opens_no_other_file(tmp_path, driver, copied):
    """A file may come from a stranger, and could name a server, also one with a name like its own. A VRT may name any
    file as its source, too."""
    driver, _, beside = driver.partition(" ")
    other = f"/vsisubfile/0,{tmp_path}/b" if beside else f"{tmp_path}/"
    for name in ("lon", "lat"):
        path = f"{tmp_path}/b{name}.tif" if beside else f"{tmp_path}/{name}.tif"
        degrees = gdal.GetDriverByName("GTiff").Create(path, 4, 3, 1, gdal.GDT_Float64)
        degrees.GetRasterBand(1).WriteArray(np.arange(12.0).reshape(3, 4))
    degrees = None
    gdal.GetDriverByName("GTiff").Create(str(tmp_path / "a.tif"), 4, 3)
    source = gdal.GetDriverByName(driver).CreateCopy(str(tmp_path / "b"), gdal.Open(str(tmp_path / "a.tif")))
    items = {"X_DATASET": f"{other}lon.tif", "Y_DATASET": f"{other}lat.tif", "X_BAND": "1", "Y_BAND": "1",
             "PIXEL_OFFSET": "0", "LINE_OFFSET": "0", "PIXEL_STEP": "1", "LINE_STEP": "1",
             "GEOREFERENCING_CONVENTION": "PIXEL_CENTER"}  # fmt: skip
    source.SetMetadata(items, "GEOLOCATION")
    source = None
    assert gdal.Open(str(tmp_path / "b")).GetMetadata("GEOLOCATION")["X_DATASET"] == f"{other}lon.tif"
    assert ("coordinates" in translate(str(tmp_path / "b"), tmp_path / "s.zarr")) == copied


@pytest.mark.parametrize("shape, dims", [((3, 4), ("y", "x")), ((2, 3, 4), ("band", "y", "x"))])
def test_rioxarray_keeps_the_unit(tmp_path, cpl, shape, dims):
    coords = {"x": np.arange(4) + 0.5, "y": np.arange(3)[::-1] + 0.5}
    values = xarray.DataArray(np.ones(shape, "f4"), dims=dims, coords=coords, attrs={"units": "m", "long_name": "h"})
    values.rio.write_crs(32632).rio.to_raster(tmp_path / "a.zarr", driver="Zarr")
    assert open_band(tmp_path / "a.zarr").GetUnitType() == "m"
    assert set(rioxarray.open_rasterio(tmp_path / "a.zarr").attrs["units"]) == {"m"}
    assert zarr_formats.attributes(tmp_path / "a.zarr", "a")["units"] == "m"
    assert cpl.events == []


def test_a_unit_that_differs_is_not_stored(tmp_path, cpl):
    made = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 2, 2)
    made.GetRasterBand(1).SetUnitType("K")
    made.SetMetadataItem("units", "m")
    assert made.GetRasterBand(1).GetUnitType() == "K"
    assert len(cpl.warnings) == 1 and "metadata item units is not stored" in cpl.warnings[0]


def test_a_description_stays_beside_statistics(tmp_path, cpl):
    made = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 2, 2)
    band = made.GetRasterBand(1)
    band.Fill(3)
    band.SetDescription("height")
    colours = gdal.ColorTable()
    colours.SetColorEntry(3, (1, 2, 3, 255))
    band.SetColorTable(colours)
    band.SetMetadataItem("k", "v", "OTHER")
    made = band = None
    with config_options(GDAL_PAM_ENABLED="YES"):
        open_band(tmp_path / "a.zarr").ComputeStatistics(False)
        assert (tmp_path / "a.zarr.aux.xml").exists()
        read = open_band(tmp_path / "a.zarr")
        assert (read.GetDescription(), read.GetMetadataItem("k", "OTHER")) == ("height", "v")
        assert read.GetColorTable().GetColorEntry(3) == (1, 2, 3, 255)
        assert read.GetColorInterpretation() == gdal.GCI_PaletteIndex
        assert read.GetMetadataItem("STATISTICS_MAXIMUM") == "3"
        changed = gdal.Open(str(tmp_path / "a.zarr"), gdal.GA_Update)
        changed.GetRasterBand(1).SetDescription("depth")
        changed = None
        assert open_band(tmp_path / "a.zarr").GetDescription() == "depth"
    assert cpl.events == []
