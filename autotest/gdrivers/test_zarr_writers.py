# SPDX-License-Identifier: MIT
"""Reads stores that other programs write: xarray, rioxarray, netCDF-C and GDAL's built-in driver."""


import netCDF4
import numpy as np
import pytest
import rioxarray  # noqa: F401 (gives xarray its .rio)
import xarray as xr
from osgeo import gdal, osr
from zarr_gdal import array_name, open_raster, read_all
from zarr_georeferencing import assert_geotransform, assert_lands, epsg
from zarr_tools import run_tool

VALUES = np.arange(12, dtype="f4").reshape(3, 4) / 4
PLACE = (500000.0, 30.0, 0.0, 5200000.0, 0.0, -30.0)
X = 500015.0 + 30.0 * np.arange(4)
Y = 5200000.0 - 15.0 - 30.0 * np.arange(3)


def raster(values=VALUES, name="elevation", **attrs):
    dims = ["y", "x"] if values.ndim == 2 else ["time", "y", "x"]
    return xr.DataArray(values, dims=dims, coords={"x": X, "y": Y}, name=name, attrs=attrs)


def test_xarray_dataset(tmp_path):
    time = np.array(["2020-01-01", "2020-01-03"], "M8[ns]")
    cube = raster(np.stack([VALUES, VALUES + 1]), units="K", long_name="temperature")
    store = tmp_path / "cube.zarr"
    data = cube.assign_coords(time=time).to_dataset()
    data["elevation"].encoding = {"_FillValue": -1, "scale_factor": 0.25, "add_offset": 2.0,
                                  "dtype": "i2"}
    data.to_zarr(str(store))
    dataset = open_raster(store)
    band = dataset.GetRasterBand(2)
    assert (band.GetScale(), band.GetOffset(), band.GetNoDataValue()) == (0.25, 2.0, -1)
    assert band.GetUnitType() == "K"
    assert band.GetDescription() == "time=2020-01-03T00:00:00Z"
    assert band.GetMetadataItem("DIM_time_VALUE") == "2"
    assert "2020-01-01" in band.GetMetadataItem("DIM_time_UNIT")
    assert np.allclose(read_all(dataset) * 0.25 + 2.0, np.stack([VALUES, VALUES + 1]))
    assert dataset.GetMetadataItem("long_name") == "temperature"
    assert_geotransform(dataset, PLACE)


@pytest.mark.parametrize("crs", ["EPSG:32632", "EPSG:3035", "EPSG:4326"])
@pytest.mark.parametrize("consolidated", [True, False])
def test_rioxarray(tmp_path, crs, consolidated):
    """The driver reads the CRS, the geotransform and the nodata value that rioxarray writes. A GeoTIFF copy has the
    pixel values that rioxarray reads."""
    store = tmp_path / "r.zarr"
    data = raster().rio.write_nodata(-9999).rio.write_crs(crs).rio.write_transform()
    data.to_dataset().to_zarr(str(store), consolidated=consolidated)
    dataset = open_raster(store)
    assert epsg(dataset) == int(crs.split(":")[1])
    assert_geotransform(dataset, PLACE)
    if crs != "EPSG:4326":  # the coordinates are in metres, and thus no valid degrees of EPSG:4326
        assert_lands(dataset, crs, X[2], Y[1], 1, 2)
    assert dataset.GetRasterBand(1).GetNoDataValue() == -9999
    tiff = tmp_path / "r.tif"
    gdal.Translate(str(tiff), dataset)
    from_tiff = rioxarray.open_rasterio(str(tiff))
    reopened = xr.open_zarr(str(store), decode_coords="all")["elevation"]
    assert from_tiff.rio.crs == reopened.rio.crs
    assert np.allclose(from_tiff.rio.transform(), reopened.rio.transform(), atol=1e-8)
    assert from_tiff.rio.nodata == reopened.rio.encoded_nodata
    assert np.array_equal(from_tiff.values[0], reopened.values)


def test_rioxarray_without_the_attribute_grid_mapping(tmp_path):
    """The CRS is found even if no array names the grid mapping, because some workflows of xarray with
    decode_coords="all" lose the attribute grid_mapping."""
    store = tmp_path / "r.zarr"
    data = raster().rio.write_crs("EPSG:32632").to_dataset()
    data["elevation"].attrs.pop("grid_mapping", None)
    data["elevation"].encoding.pop("grid_mapping", None)
    data.to_zarr(str(store))
    assert epsg(open_raster(store)) == 32632


def test_built_in_driver(tmp_path):
    """GDAL's built-in driver writes a raster through the multidimensional API. This driver reads the properties of the
    raster, and the pixels that the built-in driver reads."""
    store = str(tmp_path / "g.zarr")
    group = gdal.GetDriverByName("ZarrBuiltin").CreateMultiDimensional(store).GetRootGroup()
    y = group.CreateDimension("y", "HORIZONTAL_Y", "", 3)
    x = group.CreateDimension("x", "HORIZONTAL_X", "", 4)
    for dimension, values in ((y, Y), (x, X)):
        axis = group.CreateMDArray(dimension.GetName(), [dimension],
                                   gdal.ExtendedDataType.Create(gdal.GDT_Float64))
        axis.Write(values)
        dimension.SetIndexingVariable(axis)
    array = group.CreateMDArray("elevation", [y, x],
                                gdal.ExtendedDataType.Create(gdal.GDT_Float32))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    array.SetSpatialRef(srs)
    array.SetNoDataValueDouble(-9999)
    array.SetScale(0.5)
    array.SetOffset(3)
    array.SetUnit("m")
    array.Write(VALUES)
    del array, axis, x, y, group
    ours = open_raster(store)
    theirs = gdal.OpenEx(f'ZARR:"{store}":/elevation', allowed_drivers=["ZarrBuiltin"])
    assert np.array_equal(ours.ReadAsArray(), theirs.ReadAsArray())
    assert np.array_equal(ours.ReadAsArray(), VALUES)
    assert epsg(ours) == 32632
    assert_geotransform(ours, PLACE)
    assert_lands(ours, "EPSG:32632", X[2], Y[1], 1, 2)
    band = ours.GetRasterBand(1)
    assert (band.GetNoDataValue(), band.GetScale(), band.GetOffset()) == (-9999, 0.5, 3)
    assert band.GetUnitType() == "m"


def test_built_in_driver_from_a_geotiff(tmp_path):
    tiff, store = tmp_path / "in.tif", str(tmp_path / "out.zarr")
    source = gdal.GetDriverByName("GTiff").Create(str(tiff), 4, 3, 1, gdal.GDT_Float32)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    source.SetSpatialRef(srs)
    source.SetGeoTransform(PLACE)
    source.GetRasterBand(1).SetNoDataValue(-9999)
    source.GetRasterBand(1).WriteArray(VALUES)
    del source
    gdal.Translate(store, str(tiff), format="ZarrBuiltin")
    ours = open_raster(store)
    assert np.array_equal(ours.ReadAsArray(), VALUES)
    assert epsg(ours) == 32632
    assert_geotransform(ours, PLACE)
    assert ours.GetRasterBand(1).GetNoDataValue() == -9999


def write_netcdf(path):
    """Writes a netCDF file with two grids, one in the root group and one in a subgroup. Both use longitudes and
    latitudes of the root group."""
    with netCDF4.Dataset(path, "w", format="NETCDF4") as root:
        root.createDimension("lat", 3)
        root.createDimension("lon", 4)
        for name, values, units in (("lat", [49.75, 49.25, 48.75], "degrees_north"),
                                    ("lon", [10.25, 10.75, 11.25, 11.75], "degrees_east")):
            axis = root.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = values
        for owner, name in ((root, "height"), (root.createGroup("deep"), "depth")):
            data = owner.createVariable(name, "f4", ("lat", "lon"), fill_value=-1.0)
            data.long_name = name
            data[:] = VALUES


@pytest.mark.parametrize("mode", ["nczarr", "xarray", "zarr"])
def test_netcdf_c(tmp_path, mode):
    """Reads the stores that nccopy writes: NCZarr with _NCZARR attributes, NCZarr for xarray, and plain Zarr."""
    write_netcdf(tmp_path / "in.nc")
    store = tmp_path / "out.zarr"
    options = {"nczarr": "nczarr,file", "xarray": "xarray,file", "zarr": "zarr,file"}[mode]
    run_tool("nccopy", tmp_path / "in.nc", f"file://{store}#mode={options}")
    for path in ("height", "deep/depth"):
        dataset = open_raster(array_name(store, path))
        assert np.array_equal(dataset.ReadAsArray(), VALUES)
        assert dataset.GetRasterBand(1).GetNoDataValue() == -1
        names = dataset.GetMetadata()
        assert names["long_name"] == path.split("/")[-1]
        assert not any(name.lower().startswith("_nc") for name in names), names
        # The CRS follows from coordinate arrays, which are found by dimension names. Plain Zarr has no dimension names,
        # and the mode "xarray" has none for dimensions of parent groups.
        if mode == "nczarr" or (mode == "xarray" and path == "height"):
            assert epsg(dataset) == 4326
            assert_geotransform(dataset, (10.0, 0.5, 0, 50.0, 0, -0.5))


def test_netcdf_c_dimensions_of_the_group_above(tmp_path):
    """A dimension that _NCZARR_ARRAY states as a full path belongs to the group in that path."""
    write_netcdf(tmp_path / "in.nc")
    store = tmp_path / "out.zarr"
    run_tool("nccopy", tmp_path / "in.nc", f"file://{store}#mode=nczarr,file")
    assert_geotransform(open_raster(array_name(store, "deep/depth")), (10.0, 0.5, 0, 50.0, 0, -0.5))
