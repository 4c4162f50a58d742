# SPDX-License-Identifier: MIT
"""GDAL's programs and rasterio write rasters to a path inside of an existing store: `store/node` or ZARR:"store":/node.
The driver must add the array `node` to the store."""

import os
import subprocess

import numpy as np
import pytest
import rasterio
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster

pytestmark = zarr_formats.BOTH

VALUES = np.arange(12, dtype="i2").reshape(3, 4)


def raster(bands=1, nodata=()):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, bands, gdal.GDT_Int16)
    source.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    for i in range(bands):
        source.GetRasterBand(i + 1).WriteArray(VALUES + i)
    for i, value in enumerate(nodata):
        source.GetRasterBand(i + 1).SetNoDataValue(value)
    return source


def write(target, options=(), **of):
    driver = gdal.GetDriverByName("Zarr")
    return driver.CreateCopy(str(target), raster(**of), options=list(options)) is not None


@pytest.fixture(name="store")
def _store(tmp_path):
    store = tmp_path / "s.zarr"
    assert write(store, ["ARRAY_NAME=a"])
    return store


def by_path(store, node):
    return store / node


@pytest.fixture(name="named", params=[by_path, array_name])
def _named(request):
    return request.param


def check(store, node, read=None):
    """Asserts that the store and its consolidated metadata have the array `node` with the pixels VALUES. Asserts that
    no other store is nested in the store. If `read` is not None, xarray must find a variable of this name."""
    assert node in zarr.open_consolidated(str(store))
    roots = [path for path in store.rglob(".zmetadata") if path.parent != store]
    assert roots == []
    for name in (store / node, array_name(store, node)):
        dataset = open_raster(name)
        assert (dataset.GetRasterBand(1).ReadAsArray() == VALUES).all()
    if read is not None:
        assert read in xr.open_zarr(str(store))


@pytest.mark.parametrize("node", ["new", "g/new", "g/h/new.zarr"])
def test_a_copy_to_a_path_in_a_store_is_an_array_of_it(store, named, node, cpl):
    assert write(named(store, node))
    check(store, node, node if "/" not in node else None)
    assert zarr.open_group(str(store), mode="r")[node].shape == (3, 4)
    assert cpl.events == []


def test_create_and_rasterio_make_arrays_of_the_store(store, named, cpl):
    made = gdal.GetDriverByName("Zarr").Create(str(named(store, "c")), 4, 3, 1, gdal.GDT_Int16)
    made.WriteArray(VALUES)
    del made
    check(store, "c", "c")
    with rasterio.open(
        str(named(store, "r")), "w", driver="Zarr", width=4, height=3, count=1, dtype="int16"
    ) as made:
        made.write(VALUES, 1)
    check(store, "r", "r")
    assert cpl.events == []


@pytest.mark.slow
def test_gdal_translate_and_gdalwarp_and_gdalmdimtranslate(store):
    gdal.GetDriverByName("GTiff").CreateCopy(str(store.parent / "b.tif"), raster())
    for program, node in (("gdal_translate", "t"), ("gdalwarp", "w"), ("gdalmdimtranslate", "m")):
        source = "b.tif" if program != "gdalmdimtranslate" else "s.zarr"
        command = [program, "-q", "-of", "Zarr", source, f"s.zarr/{node}"]
        subprocess.run([c for c in command if c != "-q" or program != "gdalmdimtranslate"],
                       cwd=store.parent, check=True)  # fmt: skip
        check(store, node if node != "m" else "m/a")


@pytest.mark.parametrize("name", ["air", "zg"])
@pytest.mark.parametrize("kind", ["zarr", "nc"])
def test_a_copied_group_has_all_arrays_of_its_source(tmp_path, named, name, kind, cpl):
    """Copies a group into a store. The copy has all arrays of its source, even if the store has other arrays of the
    same names. Without the driver's correction, GDAL 3.13 omits such arrays."""
    for path, first in (("s.zarr", 0.0), (f"t.{kind}", 100.0)):
        values = first + np.arange(12.0).reshape(3, 4)
        coordinates = {v: (("j", "i"), values + n) for n, v in enumerate(("lat", "lon"), 1)}
        source = xr.Dataset({name: (("j", "i"), values)}, {**coordinates, "i": first + np.arange(4)})
        source.to_netcdf(tmp_path / path) if path.endswith(".nc") else source.to_zarr(tmp_path / path)
    target = named(tmp_path / "s.zarr", "m")
    assert gdal.MultiDimTranslate(str(target), str(tmp_path / f"t.{kind}"), format="Zarr") is not None
    group = zarr.open_group(str(tmp_path / "s.zarr"), mode="r")["m"]
    assert sorted(group.array_keys()) == sorted([name, "i", "lat", "lon"])
    for array in group.array_keys():
        np.testing.assert_array_equal(group[array][...], source[array].values)
    assert cpl.events == []


@pytest.mark.parametrize("consolidated", ["YES", "NO"])
@pytest.mark.parametrize("node", ["m", "g/m", "h/m"])
def test_a_store_is_copied_into_a_group_of_its_own(tmp_path, named, node, consolidated, cpl):
    """A store is copied into a group of itself. The copy has the earlier contents of the store and does not
    contain itself."""
    store = tmp_path / "s.zarr"
    assert write(store, ["ARRAY_NAME=a", f"CREATE_CONSOLIDATED_METADATA={consolidated}"])
    assert write(store / "g/b")
    before = {path for path in zarr_formats.documents(store) if path != ".zmetadata"}
    assert gdal.MultiDimTranslate(str(named(store, node)), str(store), format="Zarr") is not None
    copied = {path.removeprefix(node + "/") for path in zarr_formats.documents(store) if path.startswith(node + "/")}
    assert {path for path in copied if path.endswith(".zarray")} == {
        path for path in before if path.endswith(".zarray")
    }
    assert {path for path in copied if path.endswith(".zgroup")} == {".zgroup", "g/.zgroup"}
    for array in ("a", "g/b"):
        assert (open_raster(store / node / array).ReadAsArray() == VALUES).all()
    assert cpl.events == []


def test_bands_of_several_arrays_are_a_group(store, named, cpl):
    assert write(named(store, "g"), bands=2, nodata=(1, 2))
    check(store, "g")
    assert open_raster(store / "g").RasterCount == 2
    assert sorted(zarr.open_group(str(store), mode="r")["g"].array_keys()) == ["Band1", "Band2", "x", "y"]
    assert write(named(store, "g"), ["ARRAY_NAME=more", "APPEND_SUBDATASET=YES"])
    check(store, "g/more")
    assert cpl.events == []


def test_a_group_of_the_multidimensional_api(store, named, cpl):
    made = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(named(store, "m")))
    root = made.GetRootGroup()
    size = root.CreateDimension("n", None, None, 3)
    array = root.CreateMDArray("v", [size], gdal.ExtendedDataType.Create(gdal.GDT_Int16))
    array.Write(VALUES[:, 0].copy())
    del array, size, root, made
    group = zarr.open_consolidated(str(store))
    assert group["m/v"][:].tolist() == VALUES[:, 0].tolist()
    assert "a" in group and cpl.events == []
    assert gdal.GetDriverByName("Zarr").CreateMultiDimensional(array_name(store, "a")) is None
    assert "/a: already exists" in cpl.the_error()


def test_a_cancelled_copy_of_a_group_leaves_nothing(store):
    source = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
    driver = gdal.GetDriverByName("Zarr")
    assert driver.CreateCopy(str(store / "m"), source, callback=lambda *_: 0) is None
    assert "m" not in zarr.open_consolidated(str(store)) and not (store / "m").exists()


def test_existing_nodes_are_not_overwritten(store, cpl):
    assert write(store / "g/b")
    before = zarr_formats.contents(store)
    for node in ("a", "g", "g/b", "a/below"):
        for options in ((), ["APPEND_SUBDATASET=YES"]):
            cpl.clear()
            assert not write(store / node, options)
            said = "cannot be created inside it" if node == "a/below" else f"/{node}: already exists"
            assert said in cpl.the_error()
    assert zarr_formats.contents(store) == before


@pytest.mark.parametrize("mdim", [False, True])
def test_another_format_than_the_stores_is_refused(store, named, cpl, mdim):
    other, own = (2, 3) if zarr_formats.is_v3() else (3, 2)
    before = zarr_formats.contents(store)
    options = [f"FORMAT=ZARR_V{other}"]
    driver = gdal.GetDriverByName("Zarr")
    if mdim:
        assert driver.CreateMultiDimensional(str(named(store, "b")), [], options) is None
    else:
        assert not write(named(store, "b"), options)
    assert f"creation option FORMAT: expected Zarr v{own}, the format of the existing store" in cpl.the_error()
    assert zarr_formats.contents(store) == before


def test_slices_are_appended_to_an_array_named_by_its_path(store, named, cpl):
    assert write(named(store, "s"), bands=2)
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band"]
    assert write(named(store, "s"), options)
    assert open_raster(store / "s").RasterCount == 3
    assert cpl.events == []


def test_a_path_in_the_current_folder_or_with_dots(store, cpl, monkeypatch):
    monkeypatch.chdir(store)
    for target, node in (("new", "new"), ("./g/d", "g/d"), ("g/../e", "e")):
        assert write(target), target
        monkeypatch.chdir(os.path.dirname(store))
        check(store, node)
        monkeypatch.chdir(store)
    monkeypatch.chdir(store / "g")
    assert write("f")
    monkeypatch.chdir(os.path.dirname(store))
    check(store, "g/f")
    assert write("s.zarr/../o.zarr")
    assert sorted(path.name for path in store.parent.iterdir()) == ["o.zarr", "s.zarr"]
    assert cpl.events == []


def test_a_zip_file_takes_arrays(tmp_path, named, cpl):
    store = tmp_path / "s.zarr.zip"
    assert write(store, ["ARRAY_NAME=a"]) and write(named(store, "new")) and write(named(store, "g/b"))
    for node in ("a", "new", "g/b"):
        assert (open_raster(array_name(store, node)).ReadAsArray() == VALUES).all()
    assert cpl.events == []


def test_stores_inside_of_other_folders_are_made_and_replaced(store, cpl):
    """A store in a plain folder, which is not a Zarr group, is a separate store, even if another store contains the
    folder. Levels of an xcube store are separate stores, too. Writing creates or replaces only the separate store."""
    levels = store.parent / "w.levels"
    for name in ("0.zarr", "1.zarr"):
        assert write(levels / name)
    assert write(levels / "1.zarr", ["ARRAY_NAME=again"])
    plain = store.parent / "t.zarr"
    assert write(plain)
    plain.rename(store.parent / "kept")
    (store / "plain").mkdir()
    (store.parent / "kept").rename(store / "plain/t.zarr")
    assert write(store / "plain/t.zarr", ["ARRAY_NAME=again"])
    for place in (levels / "1.zarr", store / "plain/t.zarr"):
        assert "again" in zarr.open_group(str(place), mode="r")
    assert "plain" not in zarr.open_consolidated(str(store))
    assert cpl.events == []
    assert not write(array_name(levels, "x"))
    assert "xcube levels are separate stores" in cpl.the_error()
    assert "again" in zarr.open_group(str(levels / "1.zarr"), mode="r")


def test_a_node_of_a_store_that_does_not_exist_makes_the_store(tmp_path, cpl):
    assert write(array_name(tmp_path / "n.zarr", "g/b"))
    check(tmp_path / "n.zarr", "g/b")
    assert cpl.events == []


def test_a_store_is_not_renamed_into_a_store(store, tmp_path, cpl):
    other = tmp_path / "o.zarr"
    assert write(other)
    assert gdal.GetDriverByName("Zarr").Rename(str(store / "g"), str(other)) == gdal.CE_Failure
    assert "cannot be moved into" in cpl.the_error()
    assert other.exists() and not (store / "g").exists()
