# SPDX-License-Identifier: MIT
"""zarr_cube joins files of netCDF-4, HDF5, netCDF-3 and Zarr. What the driver and xarray read of the references equals what
netCDF4-python reads of the files."""

import json
import pathlib
import sys

import numpy as np
import pytest
from osgeo import gdal
from test_zarr_cube import with_xarray
from zarr_cube_files import cube, refused
from zarr_references import PYTHON
from zarr_store import make_store

netCDF4 = pytest.importorskip("netCDF4")
FORMATS = ["NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
GROWN = ("t2m", "wind", "count")


@pytest.fixture(scope="module", autouse=True)
def packages(tmp_path_factory):
    """Makes the packages h5py and icechunk of the environment "references" importable here."""
    folder = tmp_path_factory.mktemp("packages")
    for package in PYTHON.parent.parent.glob("lib/python*/site-packages/*"):
        if package.name in ("h5py", "h5py.libs", "icechunk"):
            (folder / package.name).symlink_to(package)
    sys.path.append(str(folder))
    yield
    sys.path.remove(str(folder))


def write(path, form, day, steps=3, size=(20, 30), chunks=(1, 10, 16), unit="hours since 2024-01-{:02}", scale=0.5,
          mapping="latitude_longitude", origin=0, **storage):  # fmt: skip
    """Writes a file with a packed, a float and a one-dimensional variable along time. Returns its path."""
    rng = np.random.default_rng(day)
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.title = "a sample"
        for name, length in (("time", steps if storage.get("contiguous") else None), ("y", size[0]), ("x", size[1])):
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar = unit.format(day), "standard"
        time[:] = np.arange(steps) * 6 if "{" in unit else np.arange(steps) * 6 + day * 24
        for name, length in (("y", size[0]), ("x", size[1])):
            axis = file.createVariable(name, "f4", (name,))
            axis.standard_name, axis.units = f"projection_{name}_coordinate", "m"
            axis[:] = origin + np.arange(length) * (10 if name == "x" else -10)
        if form.startswith("NETCDF4"):
            storage = {"chunksizes": chunks, **storage}
        packed = file.createVariable("t2m", "i2", ("time", "y", "x"), fill_value=-99, **storage)
        packed.scale_factor = scale
        packed[:] = rng.random((steps, *size)) * 50
        file.createVariable("wind", "f4", ("time", "y", "x"), **storage)[:] = rng.random((steps, *size))
        file.createVariable("count", "i4", ("time",))[:] = rng.integers(0, 99, steps)
        file.createVariable("mask", "i1", ("y", "x"))[:] = np.arange(size[0] * size[1]).reshape(size) % 2
        file.createVariable("crs", "i4", ()).grid_mapping_name = mapping
    return pathlib.Path(path)


def raw(files, name):
    parts = []
    for file in files:
        with netCDF4.Dataset(file) as data:
            data.set_auto_maskandscale(False)
            parts.append(data[name][...])
    return np.concatenate(parts)


def assert_same_values(output, files):
    root = gdal.OpenEx(str(output), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    read = with_xarray(output, *GROWN, "mask") if output.suffix == ".json" else None
    for name in GROWN:
        wanted = raw(files, name)
        np.testing.assert_array_equal(root.OpenMDArray(name).ReadAsArray(), wanted)
        if read is not None:
            np.testing.assert_array_equal(read[name], wanted)
    np.testing.assert_array_equal(root.OpenMDArray("mask").ReadAsArray(), raw(files[:1], "mask"))
    return root


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("output", ["x.json", "x.parq"])
def test_along_time(tmp_path, form, output):
    files = [write(tmp_path / f"a{day}.nc", form, day) for day in (2, 1, 3)]
    if form == "NETCDF3_64BIT_DATA":  # GDAL 3.6 does not read this form, so that --check has nothing to compare with
        cube(tmp_path / output, *files, "--quiet")
    else:
        text = cube(tmp_path / output, *files, "--check", "30")
        assert "30 blocks compared with the files: none differ" in text
    files.sort()
    root = assert_same_values(tmp_path / output, files)
    time = root.OpenMDArray("time")
    assert time.GetUnit() == "hours since 2024-01-01"
    np.testing.assert_array_equal(time.ReadAsArray(), np.concatenate([np.arange(3) * 6 + 24 * day for day in range(3)]))
    array = root.OpenMDArray("t2m")
    assert (array.GetNoDataValueAsDouble(), array.GetScale()) == (-99, 0.5)


@pytest.mark.parametrize("storage", [
    {"zlib": True, "shuffle": False}, {"zlib": True, "shuffle": True}, {"zlib": True, "fletcher32": True},
    {"fletcher32": True}, {"contiguous": True, "chunksizes": None}, {"endian": "big", "zlib": True},
])  # fmt: skip
def test_storage_of_hdf5(tmp_path, storage):
    files = [write(tmp_path / "a1.nc", "NETCDF4", 1, **storage)] if "contiguous" in storage else [
        write(tmp_path / f"a{day}.nc", "NETCDF4", day, **storage) for day in (1, 2)]  # fmt: skip
    cube(tmp_path / "x.json", *files, "--quiet", "--check", "20")
    assert_same_values(tmp_path / "x.json", files)


def test_a_new_dimension(tmp_path):
    for day in (1, 2):
        with netCDF4.Dataset(tmp_path / f"a_2024-05-0{day}.nc", "w") as file:
            file.createDimension("y", 20)
            file.createDimension("x", 30)
            file.createVariable("v", "f4", ("y", "x"), zlib=True)[:] = np.arange(600).reshape(20, 30) * day
    text = cube(tmp_path / "x.json", tmp_path / "*.nc", "--check", "5", "--quiet")
    assert "none differ" in text
    read = with_xarray(tmp_path / "x.json", "v", "time")
    np.testing.assert_array_equal(read["v"], np.arange(600).reshape(20, 30) * np.array([1, 2])[:, None, None])
    assert read["time"].astype("M8[D]").tolist() == np.array(["2024-05-01", "2024-05-02"], "M8[D]").tolist()


def test_zarr_stores(tmp_path):
    stores = []
    for day in (1, 2):
        values = np.arange(2 * 20 * 30, dtype="<i2").reshape(2, 20, 30) + day
        stores.append(make_store(tmp_path / f"in{day}.zarr", {
            "v": {"values": values, "chunks": (1, 16, 16), "dims": ("time", "y", "x")},
            "time": {"values": np.arange(2) * 1.0 + 2 * day, "dims": ("time",), "attrs": {"units": "days since 2020-01-01"}},
        }))  # fmt: skip
    text = cube(tmp_path / "x.json", *stores, "--check", "10", "--quiet")
    assert "none differ" in text
    wanted = np.concatenate([np.arange(1200).reshape(2, 20, 30) + day for day in (1, 2)])
    root = gdal.OpenEx(str(tmp_path / "x.json"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    np.testing.assert_array_equal(root.OpenMDArray("v").ReadAsArray(), wanted)
    np.testing.assert_array_equal(root.OpenMDArray("time").ReadAsArray(), [2, 3, 4, 5])


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("more, told", [
    ({"size": (21, 30)}, ", which has no dimension to join along"),
    ({"unit": "hours since 2024-01-01"}, "overlap along time"),
    ({"unit": "months since 2024-01-01"}, "other units along time"),
])  # fmt: skip
def test_files_that_differ(tmp_path, form, more, told):
    files = [write(tmp_path / "a1.nc", form, 1, unit="hours since 2024-01-02" if "overlap" in told else "hours since 2024-01-{:02}"),
             write(tmp_path / "a2.nc", form, 0 if "overlap" in told else 2, steps=9 if "overlap" in told else 3, **more)]  # fmt: skip
    line = refused(tmp_path / "x.json", *files)
    assert told in line and all(file.name in line for file in files)


def test_chunks_that_do_not_fit(tmp_path):
    files = [write(tmp_path / f"a{day}.nc", "NETCDF4", day, chunks=(2, 10, 16), zlib=True) for day in (1, 2)]
    line = refused(tmp_path / "x.json", *files)
    assert "t2m has chunks of 2 along time, and the files before have 3" in line
    files = [write(tmp_path / f"b{day}.nc", "NETCDF4", day, chunks=(1 + day, 10, 16), zlib=True) for day in (1, 2)]
    assert "other chunks of t2m: (2, 10, 16) and (3, 10, 16)" in refused(tmp_path / "x.json", *files)


def test_refusals(tmp_path, monkeypatch):
    file = write(tmp_path / "a.nc", "NETCDF4", 1)
    (tmp_path / "b.nc").write_bytes(file.read_bytes()[:3000])
    assert "b.nc: HDF5: " in refused(tmp_path / "x.json", tmp_path / "b.nc")
    classic = write(tmp_path / "c.nc", "NETCDF3_CLASSIC", 1)
    classic.write_bytes(classic.read_bytes()[:-2000])
    assert "copy it again" in refused(tmp_path / "x.json", classic)
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert "needs the package h5py: pip install h5py" in refused(tmp_path / "x.json", file)


def test_damaged_headers_of_netcdf3_end_soon(tmp_path):
    from zarr_cubes import command

    file = write(tmp_path / "a.nc", "NETCDF3_64BIT_OFFSET", 1)
    good, rng = file.read_bytes(), np.random.default_rng(4)
    for _ in range(100):
        damaged = bytearray(good)
        for at in rng.integers(4, 900, 4):
            damaged[at] = rng.integers(0, 256)
        file.write_bytes(bytes(damaged))
        assert command.main([str(tmp_path / "x.json"), str(file), "--quiet"]) in (0, 2)
        if (tmp_path / "x.json").exists():
            json.loads((tmp_path / "x.json").read_text())


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_icechunk_with_an_append(tmp_path, form):
    storage = {"zlib": True, "fletcher32": True} if form == "NETCDF4" else {}
    files = [write(tmp_path / f"a{day}.nc", form, day, **storage) for day in (1, 2, 3)]
    repository = tmp_path / "x.icechunk"
    cube(repository, *files[:2], "--quiet", "--check", "20")
    cube(repository, files[2], "--append", "--quiet", "--check", "20")
    root = gdal.OpenEx(f"ICECHUNK:{repository}", gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    for name in GROWN:
        np.testing.assert_array_equal(root.OpenMDArray(name).ReadAsArray(), raw(files, name))
    np.testing.assert_array_equal(root.OpenMDArray("mask").ReadAsArray(), raw(files[:1], "mask"))
    wanted = np.concatenate([np.arange(3) * 6 + 24 * day for day in range(3)])
    np.testing.assert_array_equal(root.OpenMDArray("time").ReadAsArray(), wanted)
    other = write(tmp_path / "a9.nc", form, 9, size=(20, 30), origin=5, **storage)
    assert "have other values of " in cube(repository, other, "--append", "--quiet", code=2)


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("more, told", [
    ({"scale": 0.25}, "another scale_factor of t2m: 0.5 and 0.25"), ({"mapping": "mercator"}, "another grid_mapping_name of crs"),
])  # fmt: skip
def test_values_of_another_meaning(tmp_path, form, more, told):
    files = [write(tmp_path / "a1.nc", form, 1), write(tmp_path / "a2.nc", form, 2, **more)]
    line = refused(tmp_path / "x.json", *files)
    assert told in line and all(file.name in line for file in files)
