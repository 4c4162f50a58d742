# SPDX-License-Identifier: MIT
"""Writes small products in the layout of ESA's EOPF, with groups and attributes named as in real products. make_s2()
writes Sentinel-2 L2A, make_s1() Sentinel-1 GRD; both return the product's folder."""

import functools
import json
import pathlib
import shutil
import tempfile

import numpy as np
import pyproj
import zarr_formats
import zarr_python as zarr

EPSG, ORIGIN = 32632, (600000.0, 5000040.0)  # EPSG code and coordinates of the upper left corner of all bands
SIDES = {"r10m": (10, 24), "r20m": (20, 12), "r60m": (60, 4)}  # name -> (pixel size in m, number of rows and columns)
BANDS = {"r10m": ("b02", "b03", "b04", "b08"), "r20m": ("b05", "b11"), "r60m": ("b01", "b09")}
CLASSES = ["no_data", "saturated_or_defective", "dark_area", "cloud_shadow", "vegetation", "water"]
BITS = ["ancillary_lost", "ancillary_degraded", "msi_lost", "msi_degraded"]
POLARISATIONS = ("VV", "VH")


def values_of(resolution, seed, dtype="u2"):
    side = SIDES[resolution][1]
    return (np.arange(side * side).reshape(side, side) + 1000 * seed + 1).astype(dtype)


def classes_of(resolution):
    return (values_of(resolution, 0) % len(CLASSES)).astype("u1")


def transform_of(resolution):
    """Returns the geotransform of the bands at `resolution`, for example "r10m"."""
    pixel = SIDES[resolution][0]
    return (ORIGIN[0], pixel, 0, ORIGIN[1], 0, -pixel)


def add(group, name, values, dims, eopf=None, attrs=None, **options):
    """Adds an array. Its attribute `_eopf_attrs` repeats properties of the array, as in products of EOPF's
    processor."""
    values = np.asarray(values)
    options.setdefault("fill_value", 0 if values.dtype.kind in "iu" else None)
    chunks = tuple(-(-n // 2) for n in values.shape)
    array = group.create_dataset(name, data=values, chunks=chunks, **options)
    described = {"coordinates": [], "dimensions": list(dims), "dtype": values.dtype.str}
    array.attrs.put({
        "_ARRAY_DIMENSIONS": list(dims),
        "_eopf_attrs": {**described, **(eopf or {})},
        "dtype": values.dtype.str,
        **(attrs or {}),
    })  # fmt: skip
    return array


def add_axes(group, resolution):
    pixel, side = SIDES[resolution]
    for name, start, step in (("x", ORIGIN[0], pixel), ("y", ORIGIN[1], -pixel)):
        axis = group.array(name, (start + step * (np.arange(side) + 0.5)).astype("i8"))
        axis.attrs.put({"_ARRAY_DIMENSIONS": [name]})


def projection(resolution):
    pixel, side = SIDES[resolution]
    west, north = ORIGIN
    return {
        "proj:bbox": [west, north - pixel * side, west + pixel * side, north],
        "proj:epsg": EPSG,
        "proj:shape": [side, side],
        "proj:transform": [float(pixel), 0.0, west, 0.0, -float(pixel), north, 0.0, 0.0, 1.0],
        "proj:wkt2": pyproj.CRS.from_epsg(EPSG).to_wkt(),
    }


def reflectance(name):
    return {
        "add_offset": -0.1, "coordinates": ["x", "y"], "fill_value": 0, "scale_factor": 0.0001,
        "long_name": f"BOA reflectance from MSI acquisition at spectral band {name}",
        "units": "digital_counts", "valid_max": 65535, "valid_min": 1,
    }  # fmt: skip


def discovery(**properties):
    return {
        "assets": {}, "bbox": [10.0, 45.0, 10.1, 45.1], "geometry": None, "id": "S2A_MSIL2A_TEST",
        "links": [], "stac_extensions": [], "stac_version": "1.0.0", "type": "Feature",
        "properties": {"datetime": None, "platform": "sentinel-2a", **properties},
    }  # fmt: skip


def make_s2(folder, name="S2A_MSIL2A.zarr", consolidated=True, on_arrays=True, cf_too=True,
            stac=None, other=None):  # fmt: skip
    """Writes a Sentinel-2 L2A product. Returns its folder. `on_arrays`: the bands state their CRS and transform.
    `cf_too`: CF attributes of the bands repeat scale, offset, units and fill value of `_eopf_attrs`. `stac` are the
    properties in the attribute stac_discovery, `other` is the attribute other_metadata. If `stac` or `other` is None,
    that attribute states the CRS."""
    stac = {"proj:epsg": EPSG} if stac is None else stac
    other = {"horizontal_CRS_code": f"EPSG:{EPSG}"} if other is None else other
    product = _s2_product(zarr_formats.is_v3(), consolidated, on_arrays, cf_too, json.dumps([stac, other]))
    return pathlib.Path(shutil.copytree(product.name, pathlib.Path(folder) / name))


@functools.cache
def _s2_product(is_v3, consolidated, on_arrays, cf_too, attributes):
    """Returns a temporary folder with a Sentinel-2 product, which is cached for all tests, because writing it takes
    half a second. `is_v3` only separates cached products of v2 and v3. `attributes` is the JSON text of [stac, other],
    arguments of make_s2()."""
    folder = tempfile.TemporaryDirectory()
    stac, other = json.loads(attributes)
    root = zarr.open_group(folder.name, mode="w")
    root.attrs.put({"stac_discovery": discovery(**stac), "other_metadata": other})
    cf_names = {"add_offset", "scale_factor", "units", "long_name", "valid_min", "valid_max"}
    for resolution, bands in BANDS.items():
        group = root.create_group(f"measurements/reflectance/{resolution}")
        add_axes(group, resolution)
        for i, band in enumerate(bands):
            eopf = reflectance(band)
            attrs = projection(resolution) if on_arrays else {}
            if cf_too:
                attrs.update({key: eopf[key] for key in cf_names}, _FillValue=eopf["fill_value"])
            add(group, band, values_of(resolution, i), "yx", eopf, attrs)
        mask = root.create_group(f"quality/mask/{resolution}")
        add_axes(mask, resolution)
        for band in bands:
            flags = {"flag_masks": [1, 2, 4, 8], "flag_meanings": BITS}
            bits = (values_of(resolution, 0) % 16).astype("u1")
            add(mask, band, bits, "yx", {**flags, "coordinates": ["x", "y"]}, flags)
    scl = root.create_group("conditions/mask/l2a_classification/r20m")
    add_axes(scl, "r20m")
    flags = {"flag_values": list(range(len(CLASSES))), "flag_meanings": " ".join(CLASSES)}
    add(scl, "scl", classes_of("r20m"), "yx", {**flags, "coordinates": ["x", "y"]}, flags,
        fill_value=None)  # fmt: skip
    geometry = root.create_group("conditions/geometry")
    for axis, step in (("x", 120), ("y", -120)):
        values = ORIGIN["xy".index(axis)] + step * (np.arange(3) + 0.5)
        geometry.array(axis, values.astype("i8")).attrs.put({"_ARRAY_DIMENSIONS": [axis]})
    angle = geometry.array("angle", np.array(["zenith", "azimuth"]))
    angle.attrs.put({"_ARRAY_DIMENSIONS": ["angle"]})
    angles = np.arange(18, dtype="f8").reshape(2, 3, 3)
    add(geometry, "sun_angles", angles, ("angle", "y", "x"), {"units": "deg"}, {"units": "deg"})
    if consolidated:
        zarr.consolidate_metadata(folder.name)
    return folder


# Geotransform, in degrees, of the grid of weather data that add_meteorology() adds.
METEO_PLACE = (9.95, 0.1, 0, 45.05, 0, -0.1)


def add_meteorology(store, said="attributes", names=("latitude", "longitude")):
    """Adds conditions/meteorology, weather data on a grid of longitudes and latitudes, and conditions/viewing, an array
    without coordinates. Returns the paths of the arrays. `said` selects what tells that the grid is in degrees:
    attributes of the coordinates ("attributes"), only their _eopf_attrs ("eopf"), or only their names ("names")."""
    root = zarr.open_group(str(store), mode="r+")
    group = root.create_group("conditions/meteorology/cams")
    for name, standard_name, first, step in (
        (names[0], "latitude", 45.0, -0.1),
        (names[1], "longitude", 10.0, 0.1),
    ):
        direction = "degrees_north" if standard_name == "latitude" else "degrees_east"
        its = {"units": direction, "standard_name": standard_name, "long_name": standard_name}
        axis = group.array(name, first + step * np.arange(9))
        axis.attrs.put({"_ARRAY_DIMENSIONS": [name]})
        if said == "attributes":
            axis.attrs.update(its)
        if said != "names":
            axis.attrs.update(_eopf_attrs={"coordinates": [], "dimensions": [name], **its})
    add(group, "aod550", np.arange(81, dtype="f4").reshape(9, 9), names, {"units": "~"})
    viewing = np.arange(12, dtype="f4").reshape(3, 4)
    add(root["conditions"], "viewing", viewing, ("band", "detector"))
    if zarr_formats.consolidated(store) is not None:
        zarr.consolidate_metadata(str(store))
    return "conditions/meteorology/cams/aod550", "conditions/viewing"


def make_s1(folder, name="S1A_IW_GRDH.zarr", consolidated=True, cf_times=True):
    """Writes a Sentinel-1 GRD product, which has a group with ground control points for each polarisation.
    With `cf_times`, times are stored as CF numbers, as xarray does; otherwise as NumPy's datetime64."""
    store = pathlib.Path(folder) / name
    root = zarr.open_group(str(store), mode="w")
    root.attrs.put({
        "stac_discovery": discovery(platform="sentinel-1a", **{"sar:polarizations": POLARISATIONS}),
        "other_metadata": {"title": "S01SIWGRH"},
    })  # fmt: skip
    for i, polarisation in enumerate(POLARISATIONS):
        product = root.create_group(f"S01SIWGRD_20240101T000000_0025_A000_{polarisation}")
        grd = product.create_group("measurements")
        add_swath_axes(grd, 20, 30, 1, cf_times)
        values = (np.arange(600).reshape(20, 30) + 1000 * i).astype("u2")
        dims = ("azimuth_time", "ground_range")
        eopf = {"coordinates": ["azimuth_time", "line", "ground_range", "pixel"], "units": "1",
                "long_name": "measurement data set for GRD IW"}  # fmt: skip
        add(grd, "grd", values, dims, eopf, {"coordinates": "line pixel", "units": "1"})
        gcp = product.create_group("conditions/gcp")
        add_swath_axes(gcp, 3, 4, 9, cf_times)
        rows, columns = np.mgrid[0:3, 0:4]
        for field, field_values in (
            ("latitude", 45.0 - 0.01 * rows + 0.001 * columns),
            ("longitude", 10.0 + 0.02 * columns + 0.002 * rows),
            ("height", 100.0 + rows + columns),
        ):
            add(gcp, field, field_values, dims, {"coordinates": ["line", "pixel"]},
                {"coordinates": "line pixel"})  # fmt: skip
    if consolidated:
        zarr.consolidate_metadata(str(store))
    return store


def add_swath_axes(group, rows, columns, step, cf_times):
    times = np.arange(rows, dtype="i8") * step * 1500
    if not cf_times:
        times = np.datetime64("2024-01-01T00:00:00", "us") + times.astype("m8[us]")
    for name, values, dim in (
        ("azimuth_time", times, "azimuth_time"),
        ("ground_range", 10.0 * step * np.arange(columns), "ground_range"),
        ("line", np.arange(rows) * step, "azimuth_time"),
        ("pixel", np.arange(columns) * step, "ground_range"),
    ):
        group.array(name, values).attrs.put({"_ARRAY_DIMENSIONS": [dim]})
    if cf_times:
        group["azimuth_time"].attrs["units"] = "microseconds since 2024-01-01"
