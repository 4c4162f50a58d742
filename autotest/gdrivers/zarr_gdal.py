# SPDX-License-Identifier: MIT
"""Helpers for GDAL: a log of its errors, and conversions of NumPy arrays to the rasters that GDAL must return."""

import contextlib

import numpy as np
from osgeo import gdal, gdal_array


class ErrorLog:
    """Errors, warnings and debug messages that GDAL reported through CPLError, in order, as (class, number,
    text)."""

    def __init__(self):
        self.events = []

    def __call__(self, error_class, number, text):
        if error_class != gdal.CE_Debug:
            self.events.append((error_class, number, text))

    @property
    def errors(self):
        return [text for error_class, _, text in self.events if error_class >= gdal.CE_Failure]

    @property
    def warnings(self):
        return [text for error_class, _, text in self.events if error_class == gdal.CE_Warning]

    def clear(self):
        self.events.clear()

    def the_error(self):
        """Returns the text of the only error; fails the test if the number of errors is not one."""
        assert len(self.errors) == 1, f"expected exactly one error, got {self.events}"
        return self.errors[0]

    def assert_quiet(self):
        assert self.events == [], f"expected neither error nor warning, got {self.events}"


@contextlib.contextmanager
def error_log():
    log = ErrorLog()
    gdal.PushErrorHandler(log)
    try:
        yield log
    finally:
        gdal.PopErrorHandler()


@contextlib.contextmanager
def config_options(**options):
    """Context manager that sets configuration options of GDAL. The Python bindings of GDAL 3.6 have no such
    context manager."""
    before = {name: gdal.GetConfigOption(name) for name in options}
    for name, value in options.items():
        gdal.SetConfigOption(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            gdal.SetConfigOption(name, value)


def read_array(path, name=None):
    """Returns the values of an array of a store, or of its only array, by the multidimensional API. Asserts that no
    error is emitted: ReadAsArray() of GDAL 3.6 returns an array also after a failed read."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
        assert dataset is not None, log.events
        root = dataset.GetRootGroup()
        if name is None:
            (name,) = root.GetMDArrayNames()
        values = root.OpenMDArray(name).ReadAsArray()
    assert values is not None and log.errors == [], log.events
    return values


def error_of(path):
    """Returns the only error of opening and reading a raster, which must fail."""
    with error_log() as log:
        dataset = gdal.Open(str(path))
        assert dataset is None or dataset.ReadAsArray() is None
    return log.the_error()


def open_raster(name, *options):
    """Opens a raster dataset; fails the test with GDAL's message if it does not open."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(name), gdal.OF_RASTER, open_options=list(options))
    assert dataset is not None, f"{name} does not open: {log.events}"
    assert log.errors == [], f"{name} opens, but with errors: {log.events}"
    assert dataset.GetDriver().ShortName == "Zarr"
    return dataset


def open_band(name, number=1, options=()):
    """Returns a band that keeps its dataset open. A band of GDAL's bindings becomes invalid when its dataset
    is closed."""
    dataset = open_raster(name, *options)
    band = dataset.GetRasterBand(number)
    assert band is not None, f"{name} has {dataset.RasterCount} bands"
    band.dataset = dataset
    return band


def read_all(dataset):
    """Returns all pixels of a dataset, always with the shape bands x rows x columns."""
    data = dataset.ReadAsArray()
    assert data is not None, f"{dataset.GetDescription()}: {gdal.GetLastErrorMsg()}"
    return data.reshape(dataset.RasterCount, dataset.RasterYSize, dataset.RasterXSize)


def array_name(store, path):
    """Returns the name that opens one array of a store as a raster: ZARR:"store":/path."""
    return f'ZARR:"{store}":/{path.lstrip("/")}'


def gdal_is_at_least(major, minor):
    return int(gdal.VersionInfo("VERSION_NUM")) >= major * 1000000 + minor * 10000


def gdal_type(dtype):
    """Returns the GDALDataType in which GDAL must read an array with this NumPy type."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return gdal.GDT_Byte
    if dtype.kind in "mM":
        return gdal.GDT_Int64
    if dtype.kind == "i" and dtype.itemsize == 1:
        return gdal.GDT_Int8 if gdal_is_at_least(3, 7) else gdal.GDT_Int16
    if dtype.kind == "f" and dtype.itemsize == 2:
        return gdal.GDT_Float16 if gdal_is_at_least(3, 11) else gdal.GDT_Float32
    return {
        "u1": gdal.GDT_Byte, "u2": gdal.GDT_UInt16, "u4": gdal.GDT_UInt32, "u8": gdal.GDT_UInt64,
        "i2": gdal.GDT_Int16, "i4": gdal.GDT_Int32, "i8": gdal.GDT_Int64,
        "f4": gdal.GDT_Float32, "f8": gdal.GDT_Float64,
        "c8": gdal.GDT_CFloat32, "c16": gdal.GDT_CFloat64,
    }[dtype.kind + str(dtype.itemsize)]  # fmt: skip


def shown_unit(dtype):
    """Returns the unit in which GDAL shows times of a NumPy type, as NumPy spells it: days for weeks, and for months
    and years of datetime64, which have no fixed length."""
    unit, _ = np.datetime_data(dtype)
    return "D" if unit == "W" or (dtype.kind == "M" and unit in ("M", "Y")) else unit


def _first_day(month):
    """Returns the first day of a month, both counted from 1970-01 in the Gregorian calendar. NumPy's own conversion
    overflows in silence."""
    year, month = divmod(1970 * 12 + month - 2, 12)  # of years that begin in March
    era, year = divmod(year, 400)
    day = (153 * month + 2) // 5 + year * 365 + year // 4 - year // 100
    return era * 146097 + day - 719468


def shown_ticks(values):
    """Returns times as the integers that GDAL must show: in shown_unit(), or NaT if an integer is too large."""
    nat, most_years = np.iinfo(np.int64).min, 10**9
    unit, multiple = np.datetime_data(values.dtype)
    ticks = values.astype(values.dtype.newbyteorder("=")).view("i8")
    is_date = shown_unit(values.dtype) == "D" and unit in ("M", "Y")
    count = multiple * {"W": 7, "Y": 12 if is_date else 1}.get(unit, 1)
    if unit == "generic" or (count == 1 and not is_date):
        return ticks

    def shown(tick):
        plain = tick * count
        if tick != nat and is_date:
            plain = _first_day(plain) if abs(1970 + plain // 12) <= most_years else nat
        return plain if tick != nat and abs(plain) <= -nat - 1 else nat

    return np.array([shown(int(tick)) for tick in ticks.ravel()], "i8").reshape(ticks.shape)


def as_gdal(values):
    """Returns numbers and times converted to the NumPy type in which GDAL must return them, in C order."""
    values = np.asarray(values)
    if values.dtype.kind in "mM":
        values = shown_ticks(values)
    wanted = gdal_array.GDALTypeCodeToNumericTypeCode(gdal_type(values.dtype))
    return np.array(values, wanted, order="C")


def as_raster(values):
    """Returns `values` as GDAL must return them: in GDAL's NumPy type, and in the shape bands x rows x columns. All
    dimensions except the last two give the bands, the first varying slowest."""
    values = as_gdal(values)
    rows = values.shape[-2] if values.ndim >= 2 else 1
    columns = values.shape[-1] if values.ndim >= 1 else 1
    return values.reshape(-1, rows, columns)


def numeric_fields(values, prefix=""):
    """Yields the numeric fields of a structured array as (name, array), in the order of the fields.
    Nested fields are named outer.inner, elements of subarrays name[0], name[1], ..."""
    for name in values.dtype.names:
        base, shape = values.dtype[name].base, values.dtype[name].shape
        column = values[name].reshape(values.shape + (int(np.prod(shape, dtype=int)),))
        for element in range(column.shape[-1]):
            label = f"{prefix}{name}[{element}]" if shape else prefix + name
            if base.names:
                yield from numeric_fields(column[..., element], label + ".")
            elif base.kind in "biufcmM":
                yield label, column[..., element]


def differences(got, wanted):
    """Returns None if both arrays have equal types, shapes and bits (any NaN equals any NaN), else a text
    that describes the difference."""
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"got {got.dtype} {got.shape}, expected {wanted.dtype} {wanted.shape}"
    got, wanted = np.ascontiguousarray(got), np.ascontiguousarray(wanted)
    if got.dtype.kind == "c":
        real = np.dtype(f"f{got.dtype.itemsize // 2}")
        got, wanted = got.view(real), wanted.view(real)
    bits = np.dtype(f"u{got.dtype.itemsize}")
    bad = got.view(bits) != wanted.view(bits)
    if got.dtype.kind == "f":
        bad &= ~(np.isnan(got) & np.isnan(wanted))
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    return (
        f"{int(bad.sum())} of {bad.size} values differ, first at {where}: "
        f"got {got[where]!r}, expected {wanted[where]!r}"
    )


def assert_same(got, wanted, what=""):
    problem = differences(np.asarray(got), np.asarray(wanted))
    assert problem is None, f"{what}: {problem}"
