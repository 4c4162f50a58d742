# SPDX-License-Identifier: MIT
"""Arrays without elements in the multidimensional API. GDAL may crash, because it divides by the sizes of dimensions.
Each method therefore runs in a separate process."""

import json
import subprocess
import sys
import xml.etree.ElementTree

import netCDF4
import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SHAPES = [(0,), (0, 5), (5, 0), (4, 0, 3), (4, 5, 0), (0, 4, 5), (0, 0), (4, 0, 0), (0, 3, 0)]
GOOD = np.arange(24, dtype="i2").reshape(4, 6)


def shown(shape):
    """Returns the shape that the driver reports for a stored shape. The first dimension has the size 0. Other
    dimensions of size 0 are removed."""
    return [0] + [size for size in shape if size != 0]


def names_of(shape):
    return [f"d{i}_{size}" for i, size in enumerate(shape)]


def store_of(folder, *shapes):
    """Writes a store with the array "good", and an array "empty" (or "empty0", "empty1", ...) for each
    shape."""
    arrays = {"good": {"values": GOOD, "dims": ["y", "x"], "attrs": {"note": "kept"}}}
    for i, shape in enumerate(shapes):
        arrays["empty" if len(shapes) == 1 else f"empty{i}"] = {
            "values": np.zeros(shape, "f4"), "dims": names_of(shape), "fill_value": -1.0,
            "attrs": {"note": "x", "scale_factor": 2.0},
        }  # fmt: skip
    return make_store(folder, arrays)


def run(*command):
    """Runs a program and asserts that it succeeds. Returns its output and its error messages as text."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, timeout=120, check=False, text=True
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout, done.stderr


CHILD = """
import sys
from osgeo import gdal
gdal.PushErrorHandler("CPLQuietErrorHandler")
store, flags, names = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
for name in names:
    dataset = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER | flags)
    root = dataset.GetRootGroup()
    array = root.OpenMDArray(name)
    rank = array.GetDimensionCount()
    array.ComputeStatistics(False), array.GetStatistics(False, True)
    array.GetProcessingChunkSize(1000000), array.GetTotalElementsCount()
    views = [array, array.GetMask(), array.GetView("[...]"), array.GetUnscaled(),
             array.Transpose(list(range(rank)))]
    for view in views:
        assert view is not None
        view.GetMask(), view.ReadAsArray(), view.GetStatistics(False, False), view.AdviseRead()
        if flags == 0:
            view.ComputeStatistics(False), view.GetProcessingChunkSize(1000000)
            copy = gdal.GetDriverByName("MEM").CreateMultiDimensional("").GetRootGroup()
        view.GetView("[0]"), view.GetView("[:]")
    assert array.AsClassicDataset(rank - 1, max(rank - 2, 0)) is None
    array.GetResampled([None] * rank, gdal.GRIORA_NearestNeighbour, None)
    if flags == 0:
        array.Cache()
        assert gdal.MultiDimTranslate("", dataset, format="MEM") is not None
        assert gdal.MultiDimTranslate("", dataset, format="MEM", arraySpecs=[name]) is not None
print("well")
"""


@pytest.mark.parametrize("flags", [0, gdal.OF_UPDATE])
def test_no_method_ends_the_program(tmp_path, flags):
    store = store_of(tmp_path, *SHAPES)
    names = ",".join(f"empty{i}" for i in range(len(SHAPES)))
    assert run(sys.executable, "-c", CHILD, store, flags, names)[0] == "well\n"


@pytest.mark.parametrize("shape", SHAPES)
def test_an_empty_array_has_one_empty_dimension(tmp_path, cpl, shape):
    store = store_of(tmp_path, shape)
    array = zarr_mdim.open_array(store, "empty")
    dimensions = array.GetDimensions()
    assert [d.GetSize() for d in dimensions] == shown(shape)
    first = shape.index(0)
    wanted = [f"d{first}_0"] + [f"d{i}_{size}" for i, size in enumerate(shape) if size != 0]
    assert [d.GetName() for d in dimensions] == wanted
    assert array.GetBlockSize() == [max(size, 1) for size in shown(shape)]
    assert array.GetStructuralInfo()["SHAPE"] == ",".join(str(size) for size in shape)
    assert array.GetAttribute("note").Read() == "x" and array.GetNoDataValueAsDouble() == -1
    cpl.assert_quiet()


@pytest.mark.parametrize("shape", SHAPES)
def test_update_mode_shows_the_stored_shape(tmp_path, cpl, shape):
    store = store_of(tmp_path, shape)
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("empty")
    assert [d.GetSize() for d in array.GetDimensions()] == list(shape)
    cpl.assert_quiet()


def test_an_empty_array_is_no_raster(tmp_path, cpl):
    array = zarr_mdim.open_array(store_of(tmp_path, (5, 0)), "empty")
    assert array.AsClassicDataset(1, 0) is None
    assert "/empty: dimension d1_0 is empty" in cpl.the_error()


@pytest.mark.parametrize("option", ["-stats", "-detailed"])
def test_info(tmp_path, option):
    store = store_of(tmp_path, *SHAPES)
    arrays = json.loads(run("gdalmdiminfo", option, store)[0])["arrays"]
    for i, shape in enumerate(SHAPES):
        assert arrays[f"empty{i}"]["structural_info"]["SHAPE"] == ",".join(str(n) for n in shape)
    if option == "-stats":
        assert arrays["good"]["statistics"]["max"] == 23


@pytest.mark.parametrize("shape", SHAPES)
def test_to_netcdf(tmp_path, shape):
    """gdalmdimtranslate copies a store with an empty array to netCDF. The copy of the empty array has its attributes
    and the shape that shown() returns."""
    run("gdalmdimtranslate", "-q", store_of(tmp_path, shape), tmp_path / "o.nc")
    with netCDF4.Dataset(tmp_path / "o.nc") as dataset:
        dataset.set_auto_mask(False)
        zarr_gdal.assert_same(dataset["good"][...], GOOD)
        assert dataset["good"].note == "kept"
        empty = dataset["empty"]
        assert list(empty.shape) == shown(shape) and empty.note == "x"


@pytest.mark.parametrize("shape", SHAPES)
def test_the_empty_array_alone_to_netcdf(tmp_path, shape):
    run("gdalmdimtranslate", "-q", "-array", "empty", store_of(tmp_path, shape), tmp_path / "o.nc")
    with netCDF4.Dataset(tmp_path / "o.nc") as dataset:
        assert list(dataset["empty"].shape) == shown(shape)


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_to_zarr(tmp_path, shape, alone):
    """An empty array that is copied to Zarr keeps its stored shape, although the driver reports the shape that shown()
    returns."""
    store = store_of(tmp_path, shape)
    source = f'ZARR:"{store}":/empty' if alone else store
    assert run("gdalmdimtranslate", "-q", "-of", "Zarr", source, tmp_path / "o.zarr")[1] == ""
    copy = zarr.open_group(str(tmp_path / "o.zarr"), mode="r")
    assert copy["empty"].shape == shape and copy["empty"].dtype == "f4"
    assert copy["empty"].attrs["_ARRAY_DIMENSIONS"] == names_of(shape)
    assert copy["empty"].attrs["note"] == "x"
    assert copy["empty"].chunks == zarr.open_group(str(store), mode="r")["empty"].chunks
    if not alone:
        zarr_gdal.assert_same(copy["good"][...], GOOD)


def test_copying_an_array_that_is_open(tmp_path):
    """A dataset is copied while its empty array is open. The open array keeps the shape that shown() returns."""
    dataset = gdal.OpenEx(str(store_of(tmp_path, (5, 0))), gdal.OF_MULTIDIM_RASTER)
    held = dataset.GetRootGroup().OpenMDArray("empty")
    assert gdal.MultiDimTranslate(str(tmp_path / "o.zarr"), dataset, format="Zarr") is not None
    assert [d.GetSize() for d in held.GetDimensions()] == [0, 5]
    assert zarr.open_group(str(tmp_path / "o.zarr"), mode="r")["empty"].shape == (5, 0)


def test_to_a_virtual_dataset(tmp_path):
    """A virtual dataset lists an empty array. The test does not open the array, because GDAL's VRT driver cannot open a
    dimension of size 0."""
    run("gdalmdimtranslate", "-q", store_of(tmp_path, (5, 0)), tmp_path / "o.vrt")
    root = xml.etree.ElementTree.parse(tmp_path / "o.vrt").getroot()
    assert {array.get("name") for array in root.iter("Array")} == {"good", "empty"}


@pytest.mark.parametrize("shape", SHAPES)
def test_from_netcdf(tmp_path, shape):
    """Copies empty arrays from netCDF to Zarr. The copy keeps the shape of the netCDF variable, which GDAL's netCDF
    driver reports unchanged."""
    with netCDF4.Dataset(tmp_path / "i.nc", "w") as dataset:
        for name, size in zip(names_of(shape), shape):
            dataset.createDimension(name, size or None)
        dataset.createVariable("empty", "f4", names_of(shape)).note = "x"
    command = ["gdalmdimtranslate", "-q", "-of", "Zarr", tmp_path / "i.nc", tmp_path / "o.zarr"]
    run(*command)
    copy = zarr.open_group(str(tmp_path / "o.zarr"), mode="r")
    assert copy["empty"].shape == shape and copy["empty"].attrs["note"] == "x"


@pytest.mark.parametrize("shape", [(5, 0), (0, 5), (0, 0)])
def test_created_and_grown(tmp_path, cpl, shape):
    """An array that was created without elements can be resized and written."""
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.CreateMultiDimensional(str(tmp_path / "o.zarr"))
    root = dataset.GetRootGroup()
    dimensions = [root.CreateDimension(f"d{i}", "", "", size) for i, size in enumerate(shape)]
    array = root.CreateMDArray("a", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Int16))
    assert [d.GetSize() for d in array.GetDimensions()] == list(shape)
    cpl.assert_quiet()
    if hasattr(array, "Resize"):
        assert array.Resize([4, 6]) == gdal.CE_None
        assert array.Write(GOOD) == gdal.CE_None
    del array, root, dataset, dimensions
    stored = zarr.open_group(str(tmp_path / "o.zarr"), mode="r")["a"]
    if stored.shape == shape:
        return
    zarr_gdal.assert_same(stored[...], GOOD)
