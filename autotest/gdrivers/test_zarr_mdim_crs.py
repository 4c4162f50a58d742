# SPDX-License-Identifier: MIT
"""gdalmdimtranslate and the multidimensional API store the CRS of an array in the same form as the CRS of a raster,
so that xarray, rioxarray and netCDF find it."""

import numpy as np
import pytest
import rioxarray  # noqa: F401  (adds .rio to xarray's objects)
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, open_raster

pytestmark = zarr_formats.BOTH

VALUES = np.arange(24.0).reshape(2, 3, 4)


def dataset_of(names=("air",), mapping="crs", attributes=None, crs="EPSG:32632"):
    coordinates = {"time": [0, 1], "y": [30.0, 20, 10], "x": [10.0, 20, 30, 40]}
    made = xr.Dataset({name: (("time", "y", "x"), VALUES) for name in names}, coordinates)
    for axis in "xy":
        made[axis].attrs = {"standard_name": f"projection_{axis}_coordinate", "units": "m"}
    made = made.rio.write_crs(crs, grid_mapping_name=mapping)
    made[mapping].attrs.update(attributes or {})
    return made


def mdim_translate(source, target, **options):
    made = gdal.MultiDimTranslate(str(target), str(source), format="Zarr", **options)
    assert made is not None, gdal.GetLastErrorMsg()


def check(store, names=("air",), code=32632, mappings=("spatial_ref",)):
    """Asserts that all readers find the CRS of the arrays `names`, and that the scalar arrays of the store
    are exactly `mappings`."""
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    for name in names:
        array = root.OpenMDArray(name)
        assert array.GetSpatialRef().GetAuthorityCode(None) == str(code)
        assert open_raster(array_name(store, name)).GetSpatialRef().GetAuthorityCode(None) == str(code)
        assert [a.GetName() for a in array.GetAttributes() if a.GetName() == "_CRS"] == []
    group = zarr.open_group(str(store), mode="r")
    assert sorted(n for n, array in group.arrays() if array.ndim == 0) == sorted(mappings)
    read = xr.open_zarr(str(store))
    assert read.rio.crs.to_epsg() == code
    written = store.with_suffix(".check.nc")
    read.to_netcdf(written)
    opened = gdal.OpenEx(str(written), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert opened.OpenMDArray(names[0]).GetSpatialRef().GetAuthorityCode(None) == str(code)


@pytest.mark.parametrize("names", [("air",), ("air", "tas", "zg")])
def test_the_crs_of_a_netcdf_file(tmp_path, cpl, names):
    """The copy of a netCDF file has its CRS, although GDAL's netCDF driver hides the grid mapping variable
    and the attribute grid_mapping."""
    dataset_of(names).to_netcdf(tmp_path / "a.nc")
    mdim_translate(tmp_path / "a.nc", tmp_path / "a.zarr")
    check(tmp_path / "a.zarr", names)
    assert cpl.events == []


def test_coordinates_that_are_not_copied_do_not_hide_the_crs(tmp_path, cpl):
    """The copy of a netCDF file has its CRS, even if the copy lacks scalar coordinates such as the height in CMIP data.
    GDAL's netCDF driver does not list these coordinates."""
    made = dataset_of(("tas",)).assign_coords(height=2.0)
    made.to_netcdf(tmp_path / "a.nc")
    mdim_translate(tmp_path / "a.nc", tmp_path / "a.zarr")
    check(tmp_path / "a.zarr", ("tas",))
    assert cpl.events == []


@pytest.mark.parametrize("first", ["air", "tas"])
@pytest.mark.parametrize("mapping_first", [False, True])
def test_the_grid_mapping_variable_of_netcdf_stays(tmp_path, cpl, first, mapping_first):
    """The grid mapping variable of a netCDF file may be copied before or after the arrays that use it. It keeps its
    name and its attributes."""
    dataset_of((first,), attributes={"comment": "mine"}).to_netcdf(tmp_path / "a.nc")
    arrays = ["crs", first] if mapping_first else [first, "crs"]
    specs = [f"name={name}" for name in arrays]
    mdim_translate(tmp_path / "a.nc", tmp_path / "a.zarr", arraySpecs=specs)
    check(tmp_path / "a.zarr", (first,), mappings=["crs"])
    assert zarr_formats.attributes(tmp_path / "a.zarr", "crs")["comment"] == "mine"
    assert zarr_formats.attributes(tmp_path / "a.zarr", first)["grid_mapping"] == "crs"
    assert cpl.events == []


@pytest.mark.parametrize("mapping", ["crs", "spatial_ref", "a_mapping"])
@pytest.mark.parametrize("names", [("air",), ("tas", "ta")])
def test_the_crs_of_a_store_of_xarray(tmp_path, cpl, mapping, names):
    dataset_of(names, mapping, {"comment": "mine"}).to_zarr(str(tmp_path / "a.zarr"))
    for source, target in (("a", "b"), ("b", "c")):
        mdim_translate(tmp_path / f"{source}.zarr", tmp_path / f"{target}.zarr")
        check(tmp_path / f"{target}.zarr", names, mappings=[mapping])
        assert zarr_formats.attributes(tmp_path / f"{target}.zarr", mapping)["comment"] == "mine"
    assert cpl.events == []


def test_the_crs_of_a_raster_of_this_driver(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    source.SetSpatialRef(srs)
    source.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    mdim_translate(tmp_path / "a.zarr", tmp_path / "b.zarr")
    check(tmp_path / "b.zarr", ("a",))
    dataset = open_raster(tmp_path / "b.zarr")
    assert dataset.GetGeoTransform() == (500000, 10, 0, 5200000, 0, -10)
    assert cpl.events == []


def test_the_attribute_crs_with_convention_gdal(tmp_path):
    dataset_of().to_netcdf(tmp_path / "a.nc")
    option = ["ARRAY:GEOREFERENCING_CONVENTION=GDAL"]
    mdim_translate(tmp_path / "a.nc", tmp_path / "a.zarr", creationOptions=option)
    assert "_CRS" in zarr_formats.attributes(tmp_path / "a.zarr", "air")
    assert "spatial_ref" not in zarr.open_group(str(tmp_path / "a.zarr"), mode="r")


def make(store, crss):
    """Creates an array for each CRS in `crss`, and sets the CRS of the array by the multidimensional API."""
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(store))
    root = dataset.GetRootGroup()
    dimensions = [root.CreateDimension(name, None, None, 4) for name in ("y", "x")]
    for name, crs in crss.items():
        kind = gdal.ExtendedDataType.Create(gdal.GDT_Byte)
        array = root.CreateMDArray(name, dimensions, kind)
        array.Write(np.ones((4, 4), "u1"))
        change(array, crs)
        del array
    del dimensions, root, dataset


def change(array, crs):
    srs = osr.SpatialReference()
    assert srs.SetFromUserInput(crs) == 0
    array.SetSpatialRef(srs)


def codes(store):
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    return {name: root.OpenMDArray(name).GetSpatialRef().GetAuthorityCode(None)
            for name in root.GetMDArrayNames() if root.OpenMDArray(name).GetDimensionCount() == 2
            if root.OpenMDArray(name).GetSpatialRef()}  # fmt: skip


def test_arrays_of_several_crs(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    crss = {"a": "EPSG:32632", "b": "EPSG:32633", "c": "EPSG:32632", "d": "EPSG:32633"}
    make(store, crss)
    assert codes(store) == {name: crs[5:] for name, crs in crss.items()}
    group = zarr.open_group(str(store), mode="r")
    assert sorted(n for n, array in group.arrays() if array.ndim == 0) == ["spatial_ref", "spatial_ref_b"]
    assert cpl.events == []


def test_a_changed_crs(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    make(store, {"a": "EPSG:32632", "b": "EPSG:32632"})
    for name, left in (("a", 2), ("b", 1)):
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
        array = dataset.GetRootGroup().OpenMDArray(name)
        change(array, "EPSG:3857")
        assert array.GetSpatialRef().GetAuthorityCode(None) == "3857"
        del array, dataset
        group = zarr.open_group(str(store), mode="r")
        assert len([n for n, array in group.arrays() if array.ndim == 0]) == left
        assert codes(store)[name] == "3857"
    assert xr.open_zarr(str(store)).rio.crs.to_epsg() == 3857
    assert cpl.events == []
