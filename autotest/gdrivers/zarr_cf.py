# SPDX-License-Identifier: MIT
"""Reads CF grid mappings by two programs: the driver (through the executable zarr_cf_srs), and GDAL's netCDF
driver from a netCDF file with equal attributes.

The environment variable ZARR_CF_SRS names the executable. By default it is beside zarr_dump."""

import json
import os
import pathlib

import netCDF4
import numpy as np
from osgeo import gdal, osr
from zarr_tools import Program

DEFAULT_TOOL = pathlib.Path(os.environ["ZARR_DUMP"]).parent / "zarr_cf_srs"
TOOL = os.environ.get("ZARR_CF_SRS", str(DEFAULT_TOOL))


_program = Program([TOOL])


def ask_many(questions):
    """Sends questions to the program zarr_cf_srs and returns its answers in order. A question has the
    attributes of a grid mapping (`attributes`) or a CRS (`crs`), and the `units` of coordinates."""
    answers, printed = _program.ask_many(questions)
    assert printed == "", f"GDAL printed {printed}"
    return answers


def ask(question):
    (answer,) = ask_many([question])
    return answer


class Ours:
    """CRS that the driver makes of the `attributes` of a grid mapping, for coordinates with `units`.

    If the driver succeeds, `srs`, `scale` (factor of the coordinates) and `mapping` (of data axes to CRS axes)
    are set. If the driver fails, `error` is its message and `srs` is None. `warnings` is always set."""

    def __init__(self, attributes, units):
        answer = ask({"attributes": attributes, "units": units})
        self.warnings = answer["warnings"]
        self.error = answer.get("error")
        self.srs = None
        if self.error is None:
            self.scale = answer["scale"]
            self.mapping = answer["mapping"]
            self.srs = srs_of(answer["wkt"])


def srs_of(text):
    """Returns the CRS that WKT or a PROJ string describes, in GIS axis order."""
    srs = osr.SpatialReference()
    if text.startswith("+"):
        assert srs.ImportFromProj4(text) == 0, text
    else:
        assert srs.ImportFromWkt(text) == 0, text
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs


STANDARD_NAMES = {
    "latitude_longitude": ("longitude", "latitude"),
    "rotated_latitude_longitude": ("grid_longitude", "grid_latitude"),
}


STEP = 0.01  # distance between neighbouring coordinates in the netCDF file


def netcdf_crs_and_scale(folder, attributes, units):
    """Writes a netCDF file whose grid mapping has `attributes` and whose coordinates have `units`. Returns (CRS, scale)
    that GDAL's netCDF driver reads from the file.

    The CRS is None if the netCDF driver finds none. `scale` is the factor by which the netCDF driver multiplies the
    coordinates of the file."""
    assert gdal.GetDriverByName("netCDF") is not None, "this GDAL has no netCDF driver to compare with"
    path = pathlib.Path(folder) / "oracle.nc"
    kind = attributes["grid_mapping_name"]
    names = {"latitude_longitude": ("lon", "lat"), "rotated_latitude_longitude": ("rlon", "rlat")}
    x, y = names.get(kind, ("x", "y"))
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions = "CF-1.8"
        standard_names = STANDARD_NAMES.get(
            kind, ("projection_x_coordinate", "projection_y_coordinate")
        )
        suffixes = ("_east", "_north") if kind == "latitude_longitude" else ("", "")
        for name, standard_name, suffix in zip((x, y), standard_names, suffixes):
            file.createDimension(name, 3)
            variable = file.createVariable(name, "f8", (name,))
            variable[:] = np.arange(3) * STEP
            variable.standard_name = standard_name
            variable.units = units + suffix
        file.createVariable("crs", "i4").setncatts(attributes)
        file.createVariable("data", "f4", (y, x)).grid_mapping = "crs"
    with gdal.quiet_errors() if hasattr(gdal, "quiet_errors") else _Quiet():
        dataset = gdal.Open(f'NETCDF:"{path}":data')
        srs = dataset.GetSpatialRef()
        scale = dataset.GetGeoTransform()[1] / STEP
    if srs is not None:
        srs = srs.Clone()
        srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return srs, scale


def netcdf_srs(folder, attributes, units):
    return netcdf_crs_and_scale(folder, attributes, units)[0]


class _Quiet:
    def __enter__(self):
        gdal.PushErrorHandler("CPLQuietErrorHandler")

    def __exit__(self, *_):
        gdal.PopErrorHandler()


def base_of(srs):
    """Returns the geographic CRS on which a projected or rotated CRS is based."""
    root = json.loads(srs.ExportToPROJJSON())
    if root["type"] == "BoundCRS":
        root = root["source_crs"]
    base = root.get("base_crs")
    if base is None:
        base = root
    else:
        # WKT and PROJJSON omit the axes of a base CRS, so this code adds them.
        axis = {"unit": "degree"}
        base = dict(base)
        base["coordinate_system"] = {
            "subtype": "ellipsoidal",
            "axis": [
                {**axis, "name": "Geodetic latitude", "abbreviation": "Lat", "direction": "north"},
                {**axis, "name": "Geodetic longitude", "abbreviation": "Lon", "direction": "east"},
            ],
        }
        base["type"] = "GeographicCRS"
    base.pop("id", None)
    geographic = osr.SpatialReference()
    assert geographic.SetFromUserInput(json.dumps(base)) == 0, base
    geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return geographic


def project(srs, points):
    """Converts `points` (longitude, latitude) to coordinates of the CRS `srs`. The points are on the datum
    of `srs`."""
    return transform(base_of(srs), srs, points)


def unproject(srs, points):
    return transform(srs, base_of(srs), points)


def transform(source, target, points):
    options = osr.CoordinateTransformationOptions()
    transformation = osr.CreateCoordinateTransformation(source, target, options)
    assert transformation is not None, gdal.GetLastErrorMsg()
    return np.array([transformation.TransformPoint(float(x), float(y))[:2] for x, y in points])


def is_same_crs(a, b):
    return bool(
        a.IsSame(b, ["CRITERION=EQUIVALENT", "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"])
    )
