# SPDX-License-Identifier: MIT
"""Writes stores as programs and projects of geoscientists write them.

The writers are xarray, rioxarray, netCDF-C, GDAL, and programs for microscope images, pyramids and Sentinel
products. The stores also state a CRS and coordinates. This module computes the longitudes and latitudes that
readers must return."""

import os
import pathlib
import shutil
import subprocess

import make_pyramids
import netCDF4
import numpy as np
import pyproj
import rioxarray
import xarray
import zarr_eopf
import zarr_ome
import zarr_python as zarr
from osgeo import gdal, osr
from plain_stores import ZARR, numbers

ROOT = pathlib.Path(__file__).resolve().parents[2]
CF, PROGRAMS = "CF, by xarray", "Written by other programs"
PYRAMIDS, PRODUCTS = "Microscopy and pyramids", "Satellite products"
XARRAY = f"xarray with {ZARR}"
NETCDF = f"netCDF-C {netCDF4.__netcdf4libversion__}"
UTM = "EPSG:32632"
CDL = """netcdf x {
dimensions: y = 12 ; x = 10 ;
variables: short a(y, x) ; a:_FillValue = -99s ; double y(y) ; double x(x) ;
data: a = %s ; y = %s ; x = %s ;
group: deep { variables: float b(y, x) ; data: b = %s ; }
}"""


def crs(code, x, y, step=1000.0):
    """Returns {"name": ..., "points": ...}: the name of a CRS, and points near (x, y) with their longitudes and
    latitudes."""
    to_degrees = pyproj.Transformer.from_crs(code, "EPSG:4326", always_xy=True).transform
    places = [(x, y), (x + step, y), (x, y - step)]
    return {"name": code, "points": [[*place, *to_degrees(*place)] for place in places]}


def degrees(x, y):
    """Returns the points that prove a CRS of longitudes and latitudes: each point near (x, y) converts to itself.
    Any datum is right, because CF does not demand one."""
    points = [[x, y, x, y], [x + 3, y + 2, x + 3, y + 2]]
    return {"name": "longitudes and latitudes", "points": points}


def place(array, transform=None, **facts):
    return {"array": array, "geotransform": transform, **facts}


def entry(name, family, title, writer, arrays, facts=None, path=None, **more):
    path = path or f"{name}.zarr"
    return {"name": name, "path": path, "family": family, "title": title, "writer": writer,
            "arrays": arrays, "facts": facts or {}, **more}  # fmt: skip


def axis(start, step, count):
    return start + step * (np.arange(count) + 0.5)


def with_rioxarray(folder):
    values = numbers("f4")
    values[0, :3] = np.nan
    array = xarray.DataArray(
        values, dims=("y", "x"), name="elevation",
        coords={"y": axis(5200000.0, -30.0, 12), "x": axis(600000.0, 30.0, 10)},
    )  # fmt: skip
    array = array.rio.write_crs(UTM).rio.write_transform()
    array.encoding.update(_FillValue=-9999.0, compressors=None)
    array.to_dataset().to_zarr(str(folder / "rioxarray.zarr"))
    stored = np.where(np.isnan(values), np.float32(-9999), values)
    facts = place("elevation", [600000, 30, 0, 5200000, 0, -30], nodata=-9999,
                  crs=crs(UTM, 600000, 5200000))  # fmt: skip
    title = "a terrain: spatial_ref, GeoTransform, nodata"
    writer = f"rioxarray {rioxarray.__version__}, xarray and {ZARR}"
    yield entry("rioxarray", CF, title, writer, {"elevation": stored}, facts)


def samples(folder):
    for name, array, title, facts in (
        ("temperature", "air_temperature",
         "a cube on longitudes and latitudes: scale, offset, time",
         {"geotransform": [-180, 2, 0, 90, 0, -2], "nodata": -32767, "scale": [0.2, 273.15],
          "crs": degrees(8, 50)}),
        ("satellite_rgb", "rgb", "an image: grid_mapping with CF's parameters, names of bands",
         {"geotransform": [688000, 10, 0, 4920000, 0, -10], "crs": crs(UTM, 688000, 4920000)}),
    ):  # fmt: skip
        shutil.copytree(ROOT / "data" / f"{name}.zarr", folder / f"{name}.zarr")
        values = zarr.open_array(str(folder / f"{name}.zarr" / array), mode="r")[...]
        writer = f"{ZARR} (data/make_samples.py)"
        yield entry(name, CF, title, writer, {array: values}, place(array, **facts))


def unrotated(rlon, rlat, pole_lon, pole_lat):
    """Returns (longitude, latitude) of a point of a rotated grid. All angles are in degrees."""
    rlon, rlat, pole_lon, pole_lat = np.radians([rlon, rlat, pole_lon, pole_lat])
    across = np.sin(rlon) * np.cos(rlat)
    along = np.cos(pole_lat) * np.sin(rlat) - np.sin(pole_lat) * np.cos(rlon) * np.cos(rlat)
    lon = np.arctan2(
        np.sin(pole_lon) * along - np.cos(pole_lon) * across,
        np.cos(pole_lon) * along + np.sin(pole_lon) * across,
    )
    height = np.cos(pole_lat) * np.cos(rlat) * np.cos(rlon) + np.sin(pole_lat) * np.sin(rlat)
    return float(np.degrees(lon)), float(np.degrees(np.arcsin(height)))


def to_zarr(folder, name, dataset, **encoding):
    for variable in dataset.variables:
        encoding.setdefault(variable, {})["compressors"] = None
    dataset.to_zarr(str(folder / f"{name}.zarr"), encoding=encoding)


def rotated_pole(folder):
    cube = numbers("f4", (3, 12, 10))
    rlon, rlat = -5.5 + 0.5 * np.arange(10), -2.5 + 0.5 * np.arange(12)
    pole = {"grid_mapping_name": "rotated_latitude_longitude",
            "grid_north_pole_longitude": -162.0, "grid_north_pole_latitude": 39.25}  # fmt: skip
    pairs = np.array([[unrotated(x, y, -162.0, 39.25) for x in rlon] for y in rlat])
    named = {"grid_mapping": "rotated_pole", "units": "K"}
    y_axis = {"standard_name": "grid_latitude", "units": "degrees", "axis": "Y"}
    x_axis = {"standard_name": "grid_longitude", "units": "degrees", "axis": "X"}
    times = np.array(["2020-01-16T12", "2020-02-15T12", "2020-03-16T12"], "M8[ns]")
    edges = np.array(["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"], "M8[ns]")
    dataset = xarray.Dataset(
        {"tas": (("time", "rlat", "rlon"), cube, named), "rotated_pole": ((), np.int32(0), pole),
         "time_bnds": (("time", "bnds"), np.stack([edges[:-1], edges[1:]], axis=1))},
        {"time": ("time", times, {"bounds": "time_bnds", "axis": "T"}),
         "rlat": ("rlat", rlat, y_axis),
         "rlon": ("rlon", rlon, x_axis),
         "lon": (("rlat", "rlon"), pairs[..., 0], {"units": "degrees_east"}),
         "lat": (("rlat", "rlon"), pairs[..., 1], {"units": "degrees_north"})},
        {"Conventions": "CF-1.8"},
    )  # fmt: skip
    to_zarr(folder, "rotated_pole", dataset)
    points = [[x, y, *unrotated(x, y, -162.0, 39.25)] for x, y in ((-3, -1), (-2, 2), (-1, 1))]
    facts = place("tas", [-5.75, 0.5, 0, -2.75, 0, 0.5],
                  crs={"name": "the rotated pole", "points": points})  # fmt: skip
    title = "a climate model's cube: rotated pole, bounds, time"
    yield entry("rotated_pole", CF, title, XARRAY, {"tas": cube, "lon": pairs[..., 0]}, facts)


def unsigned_and_swath(folder):
    counts = (numbers("u1") * 3 % 250).astype("u1")
    # Writes the signed integers and _Unsigned as they are to be stored, because newer versions of xarray encode
    # _Unsigned only with a fill value.
    how = {"units": "1", "_Unsigned": "true"}
    dataset = xarray.Dataset({"counts": (("y", "x"), counts.view("i1"), how)})
    to_zarr(folder, "unsigned", dataset)
    yield entry("unsigned", CF, "unsigned numbers in a signed type (_Unsigned)", XARRAY,
                {"counts": counts}, {"unsigned": True})  # fmt: skip
    rows, columns = np.mgrid[0:12, 0:10]
    lon, lat = 10 + 0.1 * columns + 0.02 * rows, 50 - 0.1 * rows + 0.03 * columns
    dataset = xarray.Dataset(
        {"bt": (("row", "column"), numbers("f4"), {"units": "K"})},
        {"lon": (("row", "column"), lon, {"units": "degrees_east", "standard_name": "longitude"}),
         "lat": (("row", "column"), lat, {"units": "degrees_north", "standard_name": "latitude"})},
    )  # fmt: skip
    to_zarr(folder, "swath", dataset)
    title = "a swath: longitudes and latitudes of each pixel"
    yield entry("swath", CF, title, XARRAY, {"bt": numbers("f4"), "lon": lon, "lat": lat},
                place("bt", geolocation=True))  # fmt: skip


def with_netcdf(folder):
    short, deep = numbers("i2"), numbers("f4")
    y, x = axis(5200000.0, -30.0, 12), axis(600000.0, 30.0, 10)
    rows = [", ".join(map(str, values.ravel())) for values in (short, y, x, deep)]
    for mode, title in (("nczarr", "NCZarr"), ("zarr", "NCZarr's plain mode")):
        name = f"netcdf_{mode}"
        source = folder / f"{name}.cdl"
        source.write_text(CDL % tuple(rows))
        url = f"file://{folder / name}.zarr#mode={mode},file"
        subprocess.run(["ncgen", "-4", "-o", url, source], check=True)
        source.unlink()
        facts = place("a", [600000, 30, 0, 5200000, 0, -30], nodata=-99)
        arrays = {"a": short, "x": x, "deep/b": deep}
        yield entry(name, PROGRAMS, title, NETCDF, arrays, facts)


def with_gdal(folder):
    values, tiff = numbers("i2"), str(folder / "source.tif")
    transform = [600000, 30, 0, 5200000, 0, -30]
    dataset = gdal.GetDriverByName("GTiff").Create(tiff, 10, 12, 1, gdal.GDT_Int16)
    srs = osr.SpatialReference()
    srs.SetFromUserInput(UTM)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform(transform)
    dataset.GetRasterBand(1).SetNoDataValue(-40)
    dataset.GetRasterBand(1).WriteArray(values)
    dataset = None
    plugin = os.environ.get("GDAL_DRIVER_PATH", "disable")
    version = gdal.VersionInfo("RELEASE_NAME")
    for name, path, title, writer in (
        ("gdal_builtin", "disable", "GDAL's _CRS", f"GDAL {version}, built-in driver"),
        ("gdal_ours", plugin, "a raster of this driver", f"GDAL {version}, this driver"),
    ):
        environment = {**os.environ, "GDAL_DRIVER_PATH": path}
        command = ["gdal_translate", "-q", "-of", "Zarr", tiff, str(folder / f"{name}.zarr")]
        subprocess.run(command, check=True, env=environment)
        facts = place(name, transform, nodata=-40, crs=crs(UTM, 600000, 5200000))
        yield entry(name, PROGRAMS, title, writer, {name: values}, facts)
    pathlib.Path(tiff).unlink()


def register_conventions(store):
    """Declares the conventions proj: and spatial: in the attribute `zarr_conventions` of each array."""
    listed = [{"uuid": uuid, "name": name} for name, uuid in (
        ("proj:", "f17cb550-5864-4468-aeb7-f3180cfb622f"),
        ("spatial:", "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4"))]  # fmt: skip
    for _, array in zarr.open_group(str(store), mode="r+").arrays():
        array.attrs.update({"zarr_conventions": listed, "proj:code": UTM})


def pyramids(folder):
    web, utm = crs("EPSG:3857", 1000000, 6000000), crs(UTM, 612000, 5214000)
    make_pyramids.zarr = zarr  # the script's functions then write with zarr_python
    ramp = make_pyramids.ramp
    for name, title, base, dtype, shape, levels, facts in (
        ("ome_0.1", "OME-Zarr 0.1", "0", "u2", (1, 1, 2, 96, 128), ["1", "2"], {}),
        ("ome_0.4", "OME-Zarr 0.4, two channels, labels", "0", "u2", (2, 96, 128), ["1", "2"],
         {"pixel": [0.5, 0.5]}),
        ("ndpyramid", "ndpyramid, two variables", "2/tavg", "f4", (2, 96, 128),
         ["1/tavg", "0/tavg"], {"geotransform": [1000000, 100, 0, 6000000, 0, -100], "crs": web}),
        ("geozarr_inline", "GeoZarr 0.4, a tile matrix set", "2/dem", "i2", (96, 128),
         ["1/dem", "0/dem"], {"geotransform": [612000, 30, 0, 5214000, 0, -30], "crs": utm}),
        ("layout_arrays", "zarr-conventions: multiscales, proj:, spatial:", "0", "i2",
         (96, 128), ["1", "2"], {"geotransform": [600000, 10, 0, 5200000, 0, -10], "crs": utm}),
    ):  # fmt: skip
        shutil.copytree(ROOT / "data" / "pyramids" / f"{name}.zarr", folder / f"{name}.zarr")
        if name == "layout_arrays":
            register_conventions(folder / f"{name}.zarr")
        sizes = make_pyramids.sizes(shape, 3)
        arrays = {path: ramp(k, dtype, sizes[k]) for k, path in enumerate([base, *levels])}
        writer = f"{ZARR} (data/make_pyramids.py)"
        facts = place(base, overviews=2, **facts)
        yield entry(name, PYRAMIDS, title, writer, arrays, facts)
    zarr_ome.make_plate(folder, ["A/1", "B/2"], 2)
    arrays = {"A/1/0/0": zarr_ome.values_of(0), "B/2/1/0": zarr_ome.values_of(3)}
    yield entry("ome_plate", PYRAMIDS, "OME-Zarr 0.4, a plate of two wells", ZARR, arrays,
                place("A/1/0/0", overviews=1, pixel=[0.5, 0.5]), "plate.zarr")  # fmt: skip


def products(folder):
    store = zarr_eopf.make_s2(folder)
    paths = [f"measurements/reflectance/{r}/{b}" for r, b in (("r10m", "b02"), ("r20m", "b05"))]
    arrays = {path: zarr_eopf.values_of(path.split("/")[2], 0) for path in paths}
    facts = place(paths[0], list(zarr_eopf.transform_of("r10m")), nodata=0, scale=[0.0001, -0.1],
                  crs=crs(UTM, *zarr_eopf.ORIGIN))  # fmt: skip
    writer = f"{ZARR} (as EOPF's Sentinel-2 L2A)"
    title = "Sentinel-2 L2A in EOPF's layout"
    yield entry("sentinel_2", PRODUCTS, title, writer, arrays, facts, store.name)
    store = zarr_eopf.make_s1(folder)
    path = "S01SIWGRD_20240101T000000_0025_A000_VV/measurements/grd"
    values = (np.arange(600).reshape(20, 30)).astype("u2")
    writer = f"{ZARR} (as EOPF's Sentinel-1 GRD)"
    title = "Sentinel-1 GRD in EOPF's layout: control points"
    yield entry("sentinel_1", PRODUCTS, title, writer, {path: values}, place(path, gcps=12),
                store.name)  # fmt: skip


MAKERS = [
    with_rioxarray, samples, rotated_pole, unsigned_and_swath, with_netcdf, with_gdal, pyramids,
    products,
]  # fmt: skip
