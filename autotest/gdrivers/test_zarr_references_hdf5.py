# SPDX-License-Identifier: MIT
"""References to the chunks of HDF5 and netCDF files, written by kerchunk and VirtualiZarr."""

import netCDF4
import numpy as np
import pytest
from osgeo import gdal
from zarr_references import write_by

NAMES = [
    "contiguous", "plain", "big", "deflated", "shuffled", "half", "complex", "unsigned", "sparse", "group/nested",
]  # fmt: skip


@pytest.fixture(scope="module", params=["kerchunk_hdf5", "virtualizarr_hdf5"])
def opened(request, tmp_path_factory):
    """Returns (name of the writer of the references, datasets, root groups). The first dataset is opened from the
    references, the second one from the HDF5 file."""
    folder = tmp_path_factory.mktemp(request.param)
    path = write_by("hdf5", folder / "a.h5")
    document = write_by(request.param, folder / "refs.json", path)
    datasets = [
        gdal.OpenEx(str(document), gdal.OF_MULTIDIM_RASTER),
        gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER, allowed_drivers=["HDF5"]),
    ]
    assert datasets[0].GetDriver().ShortName == "Zarr"
    return request.param, datasets, [dataset.GetRootGroup() for dataset in datasets]


@pytest.mark.parametrize("name", NAMES)
def test_values_of_an_hdf5_file(opened, name):
    writer, _, roots = opened
    if writer == "virtualizarr_hdf5" and "/" in name:
        assert not roots[0].GetGroupNames()  # VirtualiZarr references only the arrays of one group
        return
    arrays = [root.OpenMDArrayFromFullname(f"/{name}") for root in roots]
    assert np.array_equal(arrays[0].ReadAsArray(), arrays[1].ReadAsArray())


@pytest.mark.parametrize("writer", ["kerchunk_hdf5", "virtualizarr_hdf5"])
def test_places_and_units_of_netcdf(tmp_path, writer):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as file:
        write_netcdf(file, 0, 3)
    document = write_by(writer, tmp_path / "refs.json", path)
    found = gdal.Open(f'ZARR:"{document}":/height')
    wanted = gdal.Open(f"NETCDF:{path}:height")
    assert np.array_equal(found.ReadAsArray(), wanted.ReadAsArray())
    assert found.GetGeoTransform() == pytest.approx(wanted.GetGeoTransform())
    assert found.GetSpatialRef().IsSame(wanted.GetSpatialRef())
    for band in (found.GetRasterBand(2), wanted.GetRasterBand(2)):
        assert (band.GetScale(), band.GetOffset(), band.GetNoDataValue(), band.GetUnitType()) == (0.5, 100, -9999, "m")
    assert found.GetRasterBand(3).GetDescription().startswith("time=2020-01-03")


def test_a_cube_of_several_files(tmp_path):
    paths = [tmp_path / f"{number}.nc" for number in range(3)]
    for number, path in enumerate(paths):
        with netCDF4.Dataset(path, "w") as file:
            write_netcdf(file, 2 * number, 2)
    document = write_by("combined_hdf5", tmp_path / "refs.json", *paths)
    found = gdal.Open(f'ZARR:"{document}":/height')
    wanted = np.concatenate([gdal.Open(f"NETCDF:{path}:height").ReadAsArray() for path in paths])
    assert np.array_equal(found.ReadAsArray(), wanted)
    assert found.GetRasterBand(6).GetDescription().startswith("time=2020-01-06")


def write_netcdf(file, first, steps):
    """Writes heights to a netCDF file for `steps` days. `first` is the first day, counted from 2020-01-01."""
    file.Conventions = "CF-1.8"
    for name, size in (("time", None), ("y", 20), ("x", 30)):
        file.createDimension(name, size)
    time = file.createVariable("time", "f8", ("time",))
    time.units, time.standard_name, time.calendar = "days since 2020-01-01", "time", "standard"
    time[:] = np.arange(first, first + steps)
    for name, values in (("y", 5000 - 10.0 * np.arange(20)), ("x", 1000 + 10.0 * np.arange(30))):
        axis = file.createVariable(name, "f8", (name,))
        axis.standard_name, axis.units = f"projection_{name}_coordinate", "m"
        axis[:] = values
    mapping = file.createVariable("crs", "i4")
    mapping.grid_mapping_name, mapping.spatial_ref = "transverse_mercator", utm().ExportToWkt()
    for key, value in (
        ("scale_factor_at_central_meridian", 0.9996), ("longitude_of_central_meridian", 9.0),
        ("latitude_of_projection_origin", 0.0), ("false_easting", 500000.0), ("false_northing", 0.0),
    ):  # fmt: skip
        mapping.setncattr(key, value)
    height = file.createVariable("height", "i2", ("time", "y", "x"), fill_value=-9999, zlib=True, shuffle=True,
                                 chunksizes=(1, 8, 16))  # fmt: skip
    height.set_auto_maskandscale(False)
    height.units, height.scale_factor, height.add_offset, height.grid_mapping = "m", 0.5, 100.0, "crs"
    height[:] = np.arange(first * 600, (first + steps) * 600).reshape(steps, 20, 30)


def utm():
    from osgeo import osr

    reference = osr.SpatialReference()
    reference.ImportFromEPSG(32632)
    return reference
