# SPDX-License-Identifier: MIT
"""Copies the sample stores, and NumPy times, to netCDF by gdalmdimtranslate. netCDF4 and xarray must find
equal values, attributes, dimensions and CRS."""

import pathlib
import re
import subprocess

import netCDF4
import numpy as np
import pyproj
import pytest
import xarray as xr
import zarr_formats
import zarr_python as zarr
from zarr_as_v3 import as_v3

pytestmark = zarr_formats.BOTH

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
SAMPLES = ("terrain", "temperature", "satellite_rgb", "product")
EPSG = {"terrain": 32632, "temperature": 4326, "satellite_rgb": 32632, "product": 32632}
# Attributes that differ in a copy, because the netCDF driver writes its own grid mapping variable.
REWRITTEN = {"_ARRAY_DIMENSIONS", "grid_mapping"}
# Harmless warnings of the netCDF driver. It creates arrays before the coordinate arrays of their dimensions. GDAL 3.10
# and 3.13 expect the unit "m" in a projected CRS, but the samples have the unit "metre".
REMARKS = re.compile(
    r"Warning 1: (Dimension \w+ lacks a indexing variable"
    r"|Variable [xy] has a units which is metre and not m)"
)


def translate(store, target):
    command = ["gdalmdimtranslate", "-q", str(store), str(target)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stderr.decode().splitlines()
    assert [line for line in lines if not REMARKS.fullmatch(line)] == []


def sample(name, folder):
    """Returns a sample store in the format of the test; for v3, as a converted copy."""
    store = DATA / f"{name}.zarr"
    return as_v3(store, folder / store.name) if zarr_formats.is_v3() else store


@pytest.fixture(scope="module", params=SAMPLES)
def pair(request, tmp_path_factory, zarr_format):
    """Copies a sample to netCDF. Returns (name of the sample, its Zarr group, netCDF file of the copy)."""
    folder = tmp_path_factory.mktemp("netcdf")
    store = sample(request.param, folder)
    translate(store, folder / "x.nc")
    dataset = netCDF4.Dataset(folder / "x.nc")
    dataset.set_auto_maskandscale(False)
    yield request.param, zarr.open_group(str(store), mode="r"), dataset
    dataset.close()


def arrays(group):
    return [(path, node) for path, node in group.members(max_depth=None) if isinstance(node, zarr.Array)]


def groups(group):
    found = [("", group), *group.members(max_depth=None)]
    return [(path, node) for path, node in found if isinstance(node, zarr.Group)]


def plain(value):
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def test_values(pair):
    _, store, dataset = pair
    assert len(arrays(store)) >= 4
    for path, array in arrays(store):
        variable = dataset["/" + path]
        np.testing.assert_array_equal(np.asarray(variable[...]).astype(array.dtype), array[...])
        if array.dtype.kind != "U":
            assert variable.dtype == array.dtype.newbyteorder("="), path


def test_dimensions(pair):
    _, store, dataset = pair
    for path, array in arrays(store):
        variable = dataset["/" + path]
        assert list(variable.dimensions) == array.attrs["_ARRAY_DIMENSIONS"], path
        assert variable.shape == array.shape, path
        # The netCDF group of the array contains the dimensions, which other arrays of the group share.
        for name in variable.dimensions:
            assert name in variable.group().dimensions, path


def test_attributes(pair):
    _, store, dataset = pair
    for path, array in arrays(store):
        variable = dataset["/" + path]
        for key, value in array.attrs.items():
            if key not in REWRITTEN:
                assert plain(variable.getncattr(key)) == value, (path, key)
        if array.ndim < 2:  # coordinate arrays and grid mappings have no nodata value
            assert "_FillValue" not in variable.ncattrs(), path
        elif "_FillValue" not in array.attrs and array.fill_value is not None:
            if array.dtype.kind != "U":
                np.testing.assert_equal(variable.getncattr("_FillValue"), array.fill_value)
    for path, group in groups(store):
        node = dataset["/" + path] if path else dataset
        for key, value in group.attrs.items():
            if not isinstance(value, dict):
                assert plain(node.getncattr(key)) == value, (path, key)


def test_crs(pair):
    name, store, dataset = pair
    rasters = [path for path, array in arrays(store) if array.ndim >= 2]
    for path in rasters:
        variable = dataset["/" + path]
        mapping = variable.group()[variable.grid_mapping]
        assert pyproj.CRS(mapping.crs_wkt).to_epsg() == EPSG[name], path


@pytest.mark.parametrize("name", SAMPLES)
def test_xarray_decodes_the_same(name, tmp_path):
    store = sample(name, tmp_path)
    if zarr_formats.is_v3():  # in v3, xarray masks by the attribute _FillValue only, so the test sets it
        for _, array in arrays(zarr.open_group(str(store), mode="r+")):
            if array.ndim >= 2 and array.fill_value is not None:
                array.attrs["_FillValue"] = plain(array.fill_value)
        zarr.consolidate_metadata(str(store))
    translate(store, tmp_path / "x.nc")
    compared = 0
    for path, _ in groups(zarr.open_group(str(store), mode="r")):
        group = path or None
        with xr.open_zarr(str(store), group=group, consolidated=False) as wanted:
            with xr.open_dataset(tmp_path / "x.nc", group=group) as got:
                for variable in wanted.variables:
                    assert got[variable].dims == wanted[variable].dims
                    values = wanted[variable].values
                    np.testing.assert_array_equal(got[variable].values.astype(values.dtype), values)
                    compared += 1
    assert compared >= 4


def test_numpy_times_keep_their_meaning(tmp_path):
    group = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
    times = np.array(["2020-02-29T12:00", "NaT", "1969-12-31T23:59:59"], "datetime64[s]")
    array = group.array("time", times)
    array.attrs["_ARRAY_DIMENSIONS"] = ["time"]
    spans = np.array([1, -5, "NaT"], "timedelta64[h]")
    array = group.array("lead", spans)
    array.attrs["_ARRAY_DIMENSIONS"] = ["time"]
    translate(tmp_path / "x.zarr", tmp_path / "x.nc")
    # xarray 2026.4 decodes numbers of hours to durations only with decode_timedelta.
    with xr.open_dataset(tmp_path / "x.nc", decode_timedelta=True) as dataset:
        np.testing.assert_array_equal(dataset["time"].values, times.astype("datetime64[ns]"))
        np.testing.assert_array_equal(dataset["lead"].values, spans.astype("timedelta64[ns]"))
