# SPDX-License-Identifier: MIT
"""Reads stores with GDAL and this driver (reader `ours`), or without it (reader `builtin`). Numeric arrays with
at least two dimensions are read as rasters, other arrays by the multidimensional API."""

import os

import numpy as np
from findings import compare

DRIVERS = ["Zarr"]


def attempts(store):
    """Returns the names by which a user would open a store. The first is its path."""
    path = store["path"]
    if store.get("container") != "zip":
        return [path, f'ZARR:"{path}"']
    inside = "/vsizip/" + path + (f"/{store['top']}" if "top" in store else "")
    return [path, f'ZARR:"{path}"', inside, f'ZARR:"{inside}"']


def versions(reader):
    from osgeo import gdal

    gdal.AllRegister()
    ours = gdal.GetDriverByName("ZarrBuiltin") is not None
    if ours != (reader == "ours"):
        raise SystemExit(f"{reader}: GDAL {'uses' if ours else 'does not use'} this driver")
    if gdal.GetDriverByName("Zarr") is None:
        raise SystemExit(f"{reader}: this GDAL has no driver Zarr")
    return {"GDAL": gdal.VersionInfo("RELEASE_NAME"), "numpy": np.__version__}


def prepare(reader):
    """Sets environment variables for a reader. GDAL must not be imported yet."""
    os.environ["GDAL_PAM_ENABLED"] = "NO"
    if reader == "builtin":
        os.environ["GDAL_DRIVER_PATH"] = "disable"


class Name:
    """Name by which GDAL opens a store, and from which the names of its arrays are made."""

    def __init__(self, folder, attempt):
        bare = attempt.startswith('ZARR:"')
        inner = attempt[6:-1] if bare else attempt
        zipped = inner.startswith("/vsizip/")
        self.path = f"/vsizip/{folder}/{inner[8:]}" if zipped else f"{folder}/{inner}"
        self.whole = f'ZARR:"{self.path}"' if bare else self.path

    def array(self, path):
        return f'ZARR:"{self.path}":/{path}' if path else self.whole


def measure(findings, folder, store, attempt):
    from osgeo import gdal

    gdal.DontUseExceptions()
    errors = []
    gdal.PushErrorHandler(lambda level, _, text: level >= gdal.CE_Failure and errors.append(text))
    name = Name(folder, attempt)
    multidimensional = gdal.OpenEx(name.whole, gdal.OF_MULTIDIM_RASTER, DRIVERS)
    flags = gdal.OF_RASTER | gdal.OF_VERBOSE_ERROR
    if multidimensional is None and gdal.OpenEx(name.whole, flags, DRIVERS) is None:
        findings.fails("", errors[0] if errors else "GDAL gives no message")
        return
    for array in store["arrays"]:
        errors.clear()
        wanted = np.load(f"{folder}/{array['file']}")
        if array["kind"] == "raster":
            got = read_raster(gdal, name.array(array["path"]))
            if got is None and wanted.ndim > 2:
                got = read_slices(gdal, findings, name.array(array["path"]), wanted.shape[:-2])
        else:
            got = read_array(gdal, multidimensional, array["path"], wanted)
        if got is None:
            findings.fails(f"/{array['path']}", errors[0] if errors else "GDAL gives no message")
            continue
        if store["facts"].get("unsigned"):
            check_unsigned(findings, got, wanted)
        if array["kind"] == "raster":
            got = got.reshape(wanted.shape) if got.size == wanted.size else got
        compare(findings, array["path"], got, wanted)
    if findings.read:
        check_facts(gdal, findings, name, store["facts"])


def check_unsigned(findings, got, wanted):
    """Records that _Unsigned is not applied if the reader returns the stored signed numbers."""
    if (got.reshape(wanted.shape) == wanted.view("i1")).all():
        findings.missing.append("_Unsigned is not applied")
        wanted.dtype = "i1"


def read_raster(gdal, name):
    """Returns all bands of a raster. If it has no bands, returns the values of its subdatasets, each of which is
    a slice. Returns None if the raster or a subdataset does not open."""
    dataset = gdal.OpenEx(name, gdal.OF_RASTER, DRIVERS)
    if dataset is None:
        return None
    if dataset.RasterCount:
        return dataset.ReadAsArray()
    parts = [gdal.OpenEx(each, gdal.OF_RASTER, DRIVERS) for each, _ in dataset.GetSubDatasets()]
    if not parts or None in parts:
        return None
    data = [part.ReadAsArray() for part in parts]
    return None if any(each is None for each in data) else np.stack(data)


def read_slices(gdal, findings, name, shape):
    """Reads an array slice by slice, by the names that GDAL before 3.8 gives to slices. Returns None if a slice
    does not open."""
    data = [read_raster(gdal, slice_name(name, index)) for index in np.ndindex(*shape)]
    if any(each is None for each in data):
        return None
    findings.name = "the names of slices"
    return np.stack(data)


def slice_name(name, index):
    return ":".join([name, *map(str, index)])


def read_array(gdal, dataset, path, wanted):
    """Returns the values of an array. Returns {field: values} for a structure, or None if the array does not
    open."""
    root = dataset.GetRootGroup() if dataset is not None else None
    if root is None:
        return None
    array = root.OpenMDArrayFromFullname("/" + path)
    if array is None:
        return None
    if array.GetDataType().GetClass() == gdal.GEDTC_STRING:
        return array.Read()
    if wanted.dtype.names:
        views = {field: array.GetView(f"['{field}']") for field in wanted.dtype.names}
        data = {field: view.ReadAsArray() for field, view in views.items() if view is not None}
        return None if not data or any(each is None for each in data.values()) else data
    return array.ReadAsArray()


def check_facts(gdal, findings, name, facts):
    if "array" not in facts:
        return
    dataset = gdal.OpenEx(name.array(facts["array"]), gdal.OF_RASTER, DRIVERS)
    if dataset is None:  # the array opens only slice by slice
        names = (slice_name(name.array(facts["array"]), [0] * extra) for extra in (1, 2, 3))
        opened = (gdal.OpenEx(each, gdal.OF_RASTER, DRIVERS) for each in names)
        dataset = next((each for each in opened if each is not None), None)
    if dataset is None:
        return  # the fault was already recorded with the values
    if not dataset.RasterCount:
        dataset = gdal.OpenEx(dataset.GetSubDatasets()[0][0], gdal.OF_RASTER, DRIVERS)
    band = dataset.GetRasterBand(1)
    transform = dataset.GetGeoTransform(can_return_null=True)
    if facts.get("geotransform"):
        findings.number("geotransform", transform, facts["geotransform"])
    if "pixel" in facts:
        size = transform and [abs(transform[1]), abs(transform[5])]
        findings.number("size of a pixel", size, facts["pixel"])
    if "crs" in facts:
        findings.points(facts["crs"], to_degrees(dataset.GetSpatialRef()))
    if "nodata" in facts:
        findings.number("nodata", band.GetNoDataValue(), facts["nodata"])
    if "scale" in facts:
        scale = band.GetScale()
        findings.number("scale and offset", None if scale is None else [scale, band.GetOffset()],
                        facts["scale"])  # fmt: skip
    counts = {"overviews": band.GetOverviewCount(), "gcps": dataset.GetGCPCount()}
    for kind, what in (("overviews", "overviews"), ("gcps", "control points")):
        if kind in facts:
            findings.number(what, counts[kind] or None, facts[kind])
    if facts.get("geolocation") and not dataset.GetMetadata("GEOLOCATION"):
        findings.missing.append("no GEOLOCATION")


def to_degrees(srs):
    from osgeo import osr

    if srs is None or not srs.ExportToWkt():
        return None
    srs, degrees = srs.Clone(), osr.SpatialReference()
    degrees.ImportFromEPSG(4326)
    for each in (srs, degrees):
        each.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    change = osr.CreateCoordinateTransformation(srs, degrees)
    if change is None:
        return lambda x, y: (np.nan, np.nan)
    return lambda x, y: change.TransformPoint(float(x), float(y))[:2]
