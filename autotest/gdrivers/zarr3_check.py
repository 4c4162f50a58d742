# SPDX-License-Identifier: MIT
"""Compares arrays of Zarr v3 with expected values through both APIs of GDAL."""

import numpy as np
import zarr_gdal
import zarr_mdim
import zarr_mdim_check
from osgeo import gdal

FILL_AS_NODATA = ["FILL_VALUE_AS_NODATA=YES"]


def chunk_shape(document):
    """Returns the shape of the smallest unit that is decoded at once: the innermost chunk if the array has
    shards, else the chunk."""
    grid = document["chunk_grid"]["configuration"]
    shape = list(grid.get("chunk_shape", ()))
    order = list(range(len(shape)))
    codecs = document["codecs"]
    while True:
        for codec in codecs:
            name = codec if isinstance(codec, str) else codec["name"]
            if name == "transpose":
                order = [order[i] for i in codec["configuration"]["order"]]
            if name == "sharding_indexed":
                for axis, size in zip(order, codec["configuration"]["chunk_shape"]):
                    shape[axis] = size
                codecs = codec["configuration"]["codecs"]
                break
        else:
            return shape


def raster_problem(store, path, values, fill=None, options=()):
    """Returns None if the raster API reads `values` from the array, else a text that describes the difference. An array
    that cannot be a raster must give exactly one error.

    `fill` is the fill value, as an array without dimensions. The array is always opened with FILL_VALUE_AS_NODATA, so
    its nodata value must be `fill`. If `fill` is None, the nodata value is not compared."""
    name = zarr_gdal.array_name(store, path)
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, open_options=[*options, *FILL_AS_NODATA])
        if values.size == 0 or values.dtype.kind in "SUO" or _holds_no_number(values.dtype):
            if dataset is not None or len(log.errors) != 1:
                return f"{name}: is no raster, and should be refused with one error: {log.events}"
            return None
        if dataset is None:
            return f"{name}: does not open: {log.events}"
        problem = _bands_problem(dataset, values) or _band_nodata_problem(dataset, fill)
        if problem is None and log.events:
            problem = f"errors or warnings: {log.events}"
    return problem and f"{name}: {problem}"


def _holds_no_number(dtype):
    """True if `dtype` is raw bytes, or a structure without numeric fields. Such arrays cannot be rasters."""
    fields = zarr_gdal.numeric_fields(np.zeros(1, dtype)) if dtype.names else ()
    return dtype.kind == "V" and not list(fields)


def _bands_problem(dataset, values):
    columns = [values]
    if values.dtype.names:
        columns = [column for _, column in zarr_gdal.numeric_fields(values)]
    wanted = [raster for rasters in zip(*map(zarr_gdal.as_raster, columns)) for raster in rasters]
    if dataset.RasterCount != len(wanted):
        return f"{dataset.RasterCount} bands, expected {len(wanted)}"
    for i, raster in enumerate(wanted):
        band = dataset.GetRasterBand(i + 1)
        got = band.ReadAsArray()
        if got is None:
            return f"band {i + 1} does not read: {gdal.GetLastErrorMsg()}"
        problem = zarr_gdal.differences(got, raster)
        if problem:
            return f"band {i + 1}: {problem}"
    return None


def _band_nodata_problem(dataset, fill):
    if fill is None or fill.dtype.kind not in "iufmM":
        return None
    wanted = zarr_mdim_check.nodata_of(fill)[""]
    got = dataset.GetRasterBand(1).GetNoDataValue()
    is_equal = got is not None and (got == wanted or (np.isnan(got) and np.isnan(wanted)))
    return None if is_equal else f"nodata {got!r}, expected {wanted!r}"


def mdim_problem(store, path, values, fill=None, document=None, draw=None):
    """Returns None if the multidimensional API reads `values` from the array, else a text that describes the
    difference.

    `fill` is the fill value, as an array without dimensions; None if the nodata value is not compared. `document` is
    the array's zarr.json. `draw` is a zarr_random_types.Draw, which selects random windows to read; None if only the
    whole array is read."""
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, open_options=FILL_AS_NODATA)
        if dataset is None:
            return f"{store}: does not open: {log.events}"
        array = _open(dataset.GetRootGroup(), path)
        if array is None:
            return f"{store}: no array {path}: {log.events}"
        problem = _array_problem(array, values, fill, document, draw)
        if problem is None and log.events:
            problem = f"errors or warnings: {log.events}"
    return problem and f"{store}: /{path}: {problem}"


def _open(root, path):
    name = "/" + (path or (root.GetMDArrayNames() or ["?"])[0])
    return root.OpenMDArrayFromFullname(name)


def _array_problem(array, values, fill, document, draw):
    wanted = zarr_mdim_check.expected(values)
    problem = zarr_mdim_check.type_problem(array, wanted)
    if problem is None and fill is not None:
        nodata = zarr_mdim_check.nodata_of(fill)
        problem = zarr_mdim_check.nodata_problem(array, nodata, fill.dtype)
    if problem is None and document is not None and values.size:
        problem = _structure_problem(array, document)
    if problem or values.size == 0:
        return problem
    problem = zarr_mdim_check.leaf_problem(zarr_mdim.read(array), wanted)
    for _ in range(zarr_mdim_check.SLICES if draw else 0):
        problem = problem or zarr_mdim_check.slice_problem(draw, array, values)
    return problem


def _structure_problem(array, document):
    sizes = [dimension.GetSize() for dimension in array.GetDimensions()]
    if sizes != document["shape"]:
        return f"dimensions {sizes}, expected {document['shape']}"
    if document["chunk_grid"]["name"] == "regular":
        block, wanted = list(array.GetBlockSize() or []), chunk_shape(document)
        if block != wanted:
            return f"block size {block}, expected {wanted}"
    names = document.get("dimension_names") or []
    got = [dimension.GetName() for dimension in array.GetDimensions()]
    wrong = [(g, w) for g, w in zip(got, names) if w is not None and g != w]
    return f"dimensions are called {got}, expected {names}" if wrong else None


def problem(array, options=(), draw=None):
    """Returns None if both APIs read the values and the fill value of a zarr3_arrays.Array, else a text that
    describes the difference."""
    node = array.store, array.path
    return raster_problem(*node, array.values, array.fill, options) or mdim_problem(
        *node, array.values, array.fill, array.document, draw
    )


def check(array, options=()):
    found = problem(array, options)
    assert found is None, f"{found}\n{array.document}"


def check_values(store, path, values, fill=None, document=None):
    """Asserts that both APIs of GDAL read `values` from an array. Used for stores that no other program can
    read."""
    found = raster_problem(store, path, values, fill) or mdim_problem(
        store, path, values, fill, document
    )
    assert found is None, found
