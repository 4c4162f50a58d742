# SPDX-License-Identifier: MIT
"""Property test: GDAL reads random arrays of zarr-python 2 bit for bit, as rasters and by the
multidimensional API.

Environment variables: ZARR_TEST_SEED is the seed of the run; by default random, and printed at the end.
ZARR_TEST_ARRAYS is the number of arrays, by default 1200; the coverage test needs at least 1000. ZARR_TEST_ONLY
is the number of a single array to test, to reproduce a failure."""

import collections
import os
import re
import shutil

import numpy as np
import pytest
import zarr2
import zarr_gdal
import zarr_mdim_check
import zarr_random_codecs
import zarr_random_types
from osgeo import gdal
from zarr_dump import check_dump
from zarr_tools import temporary

SEED = os.environ["ZARR_TEST_SEED"]
ARRAYS = int(os.environ.get("ZARR_TEST_ARRAYS", "1200"))
BATCHES = 20


@pytest.fixture(scope="module")
def seen():
    """Returns a counter {(property, value): number of arrays}. Each array that was compared adds its
    properties."""
    return collections.Counter()


def _connection_string(array, turn):
    """Returns the array's own name if `turn` is a multiple of 3, or if the array is in a group and is no raster.
    Otherwise returns the name of the store. Tests open the raster by this name."""
    alone = array.values.ndim >= 2 and array.values.size and array.values.dtype.kind in "biufcmM"
    if turn % 3 == 0 or (array.path and not alone):
        return zarr_gdal.array_name(array.store, array.path)
    return str(array.store) if turn % 2 else f'ZARR:"{array.store}"'


def _refusal_problem(name, pattern):
    """Returns None if opening `name` fails with exactly one error, which matches `pattern`. Otherwise returns a text
    that says what happened."""
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(name)
    if dataset is not None:
        return f"opens, with {dataset.RasterCount} bands"
    if len(log.errors) != 1:
        return f"should fail with one error: {log.events}"
    if not re.search(pattern, log.errors[0], re.IGNORECASE):
        return f"the error does not say {pattern!r}: {log.errors[0]}"
    return None


def _nodata_problem(band, array):
    fill, dtype = array.metadata["fill_value"], array.values.dtype
    nodata = band.GetNoDataValue()
    if dtype.kind in "mM":  # times have the nodata value NaT and ignore the fill value
        nat = np.iinfo(np.int64).min
        return None if nodata == nat else f"nodata {nodata}, expected NaT"
    if fill is None:
        return None if nodata is None else f"nodata {nodata} though the fill value is null"
    if dtype.kind not in "iuf":
        return None
    wanted = np.array(fill if dtype.kind in "iu" else float(fill), dtype)[()].item()
    if dtype.kind == "f" and np.isnan(wanted):
        return None if nodata is not None and np.isnan(nodata) else f"nodata {nodata}, not NaN"
    return None if nodata == wanted else f"nodata {nodata!r}, expected {wanted!r}"


def _raster_problem(name, array, options):
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, open_options=options)
        if dataset is None:
            return f"does not open: {log.events}"
        if array.values.dtype.names:
            return _struct_problem(dataset, array) or _noise(log)
        wanted = zarr_gdal.as_raster(array.values)
        size = (dataset.RasterCount, dataset.RasterYSize, dataset.RasterXSize)
        if size != wanted.shape:
            return f"bands, rows, columns are {size}, expected {wanted.shape}"
        band = dataset.GetRasterBand(1)
        if band.DataType != zarr_gdal.gdal_type(array.values.dtype):
            return f"type is {gdal.GetDataTypeName(band.DataType)}"
        data = dataset.ReadAsArray()
        if data is None:
            return f"does not read: {log.events}"
        return (
            zarr_gdal.differences(data.reshape(wanted.shape), wanted)
            or _nodata_problem(band, array)
            or _noise(log)
        )


def _struct_problem(dataset, array):
    wanted = list(zarr_gdal.numeric_fields(array.values))
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    names = [band.GetDescription() for band in bands]
    if names != [label for label, _ in wanted]:
        return f"bands are {names}, expected {[label for label, _ in wanted]}"
    for band, (label, column) in zip(bands, wanted):
        raster = zarr_gdal.as_raster(column)[0]
        data = band.ReadAsArray()
        if data is None:
            return f"field {label} does not read: {gdal.GetLastErrorMsg()}"
        problem = zarr_gdal.differences(data, raster)
        if problem:
            return f"field {label}: {problem}"
    return None


def _noise(log):
    return f"errors or warnings: {log.events}" if log.events else None


def _problem(array, index):
    """Returns None if GDAL and zarr_dump read the values that zarr-python reads; else a text that describes
    the difference."""
    name = _connection_string(array, index)
    values = array.values
    fields = values.dtype.names and list(zarr_gdal.numeric_fields(np.zeros(1, values.dtype)))
    if values.dtype.kind in "SUOT" or (values.dtype.kind == "V" and not fields):
        pattern = "string|structure|field|bytes|" + re.escape(str(array.metadata["dtype"]))
        problem = _refusal_problem(name, pattern)
        dumped = True
    elif values.size == 0:
        problem = _refusal_problem(name, r"empty|size 0|no elements|\b0\b")
        dumped = True
    elif fields and values.ndim > 2:
        problem, dumped = None, True
    else:
        options = [] if index % 2 else [f"NUM_THREADS={index % 5 + 1}"]
        problem = _raster_problem(name, array, options)
        dumped = bool(fields) or index % 5 == 0
    if problem is None and dumped:
        problem = check_dump(array.store, array.path, values)
    return problem and f"{name}: {problem}"


def _multidimensional_problem(array, index):
    """Returns None if the multidimensional API reads the values that zarr-python reads; else a text about the
    difference. Each fourth array is opened by its own name, the others by the name of the store."""
    draw = zarr_random_types.Draw(SEED, f"{index}/mdim")
    name, path = str(array.store), array.path
    if index % 4 == 0:
        name, path = zarr_gdal.array_name(array.store, path), path.split("/")[-1]
    problem = zarr_mdim_check.check_array(draw, name, path, array.values, array.metadata)
    return problem and f"{name}, multidimensional: {problem}"


def _count(seen, array):
    for what, value in array.labels.items():
        for item in value if what == "filters" else [value]:
            seen[what, item] += 1
    seen["arrays", "compared"] += 1


@pytest.mark.every_case
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.slow
def test_random_arrays(batch, tmp_path, seen):
    failures = []
    indices = range(batch, ARRAYS, BATCHES)
    if "ZARR_TEST_ONLY" in os.environ:
        indices = [i for i in indices if i == int(os.environ["ZARR_TEST_ONLY"])]
    for index in indices:
        array = zarr2.call("random_array", tmp_path, SEED, index)
        problem = _problem(array, index) or _multidimensional_problem(array, index)
        if problem:
            failures.append(
                f"ZARR_TEST_SEED={SEED} ZARR_TEST_ONLY={index}: {problem}\n    {array.describe()}"
            )
        else:
            _count(seen, array)
            shutil.rmtree(temporary(array.store))
    assert not failures, f"{len(failures)} of {len(indices)} arrays:\n" + "\n".join(failures)


def _everything():
    """Yields each (property, value) that must occur in a complete run."""
    yield from (("kind", kind) for kind in zarr_random_types.KINDS)
    yield from (("unit", unit) for unit in zarr_random_types.UNITS)
    yield from (("filters", name) for name in zarr_random_codecs.FILTERS)
    for label in zarr_random_codecs.COMPRESSORS:
        if label != "blosc":
            yield "compressor", label
    for name in zarr2.call("blosc_names"):
        for shuffle in zarr_random_codecs.BLOSC_SHUFFLES:
            yield "compressor", f"blosc {name} {shuffle}"
    for what in ("empty", "missing chunks", "grouped", "overhang", "consolidated",
                 "respelled fill", "unit multiple"):  # fmt: skip
        yield from ((what, value) for value in (False, True))
    yield from (("dims", dims) for dims in (0, 1, 2, 3, 4, 5, 6, 9))
    yield from (("order", order) for order in "CF")
    yield from (("separator", separator) for separator in "./")
    yield from (("byte order", order) for order in "<>")
    fills = ("null", "nan", "inf", "-inf", "complex", "NaT", "value")
    yield from (("fill", fill) for fill in fills)


@pytest.mark.slow  # as the tests whose arrays it counts
def test_the_random_arrays_covered_everything(seen):
    """Each property has occurred in an array that was compared. A test above that fails or is not run makes this test
    fail."""
    if "ZARR_TEST_ONLY" in os.environ:
        return
    missing = [item for item in _everything() if not seen[item]]
    assert not missing, f"ZARR_TEST_SEED={SEED}: never compared equal: {missing}"
    assert seen["arrays", "compared"] >= 1000
