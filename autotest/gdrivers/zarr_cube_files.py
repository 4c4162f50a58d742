# SPDX-License-Identifier: MIT
"""Files for the tests of zarr_cube, and zarr_cube itself in this process."""

import contextlib
import io
import pathlib
import sys

import numpy as np
from osgeo import gdal, gdal_array, osr

REPOSITORY = pathlib.Path(__file__).parents[2]
PROGRAM = REPOSITORY / "python" / "zarr_cube.py"
sys.path.insert(0, str(PROGRAM.parent))

from zarr_cubes import command  # noqa: E402  (in the folder that joined the path above)

PLACE = (500000, 10, 0, 5300000, 0, -10)


def cube(output, *inputs, code=0):
    """Runs zarr_cube, and asserts its exit code. Returns what it printed, on both streams."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        found = command.main([str(output), *map(str, inputs)])
    assert found == code, out.getvalue()
    return out.getvalue()


def refused(output, *inputs):
    """Runs zarr_cube, which must refuse and leave nothing. Returns its only line."""
    text = cube(output, *inputs, "--quiet", code=2)
    assert not pathlib.Path(output).exists()
    (line,) = text.splitlines()
    assert line.startswith("zarr_cube: ")
    return line


def values_for(shape, dtype, seed=0):
    """Returns smooth values with some noise, so that predictors and compressors have work."""
    bands, height, width = shape
    band, y, x = np.mgrid[:bands, :height, :width]
    noise = np.random.default_rng(seed).integers(0, 9, shape)
    values = (y * 3 + x * 5 + band * 7 + noise + seed) % 200
    if np.dtype(dtype).kind == "c":
        return (values + 1j * noise).astype(dtype)
    return (values + (noise / 16 if np.dtype(dtype).kind == "f" else 0)).astype(dtype)


def tiff(path, values, options=("TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"), nodata=None, place=PLACE, epsg=32632,
         overviews=(), metadata=None, edit=None):  # fmt: skip
    """Writes a TIFF file of `values`, with axes band, y, x. Returns its path."""
    values = np.asarray(values)
    kind = gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype)
    options = list(options)
    if values.dtype == np.int8:
        kind, options = gdal.GDT_Byte, [*options, "PIXELTYPE=SIGNEDBYTE"]
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), *values.shape[:0:-1], len(values), kind, options)
    if epsg:
        crs = osr.SpatialReference()
        crs.ImportFromEPSG(epsg)
        dataset.SetProjection(crs.ExportToWkt())
    if place:
        dataset.SetGeoTransform(place)
    for number in range(len(values)):
        if nodata is not None:
            dataset.GetRasterBand(number + 1).SetNoDataValue(nodata)
    dataset.SetMetadata(metadata or {})
    if edit:
        edit(dataset)
    dataset.WriteArray(values)
    if overviews:
        dataset.FlushCache()
        dataset.BuildOverviews("NEAREST", list(overviews))
    dataset = None
    return pathlib.Path(path)


def assert_equal(output, files, bands=None):
    """Asserts that the bands of the cube are those of the files in turn: pixels, nodata, type, place, CRS, overviews."""
    made = gdal.Open(str(output))
    assert made is not None, gdal.GetLastErrorMsg()
    sources = [gdal.Open(str(file)) for file in files]
    assert made.GetGeoTransform() == sources[0].GetGeoTransform()
    one, other = made.GetSpatialRef(), sources[0].GetSpatialRef()
    assert other.IsSame(one) if other is not None else one is None
    wanted = [source.GetRasterBand(i + 1) for source in sources for i in range(source.RasterCount)]
    assert made.RasterCount == len(wanted)
    for number, band in enumerate(wanted):
        found = made.GetRasterBand(number + 1)
        assert_same_band(found, band)
        assert found.GetOverviewCount() == band.GetOverviewCount()
        for level in range(band.GetOverviewCount()):
            assert_same_band(found.GetOverview(level), band.GetOverview(level))
    return made


def assert_same_band(found, wanted):
    assert (found.XSize, found.YSize) == (wanted.XSize, wanted.YSize)
    np.testing.assert_array_equal(found.ReadAsArray(), wanted.ReadAsArray())
    assert repr(found.GetNoDataValue()) == repr(wanted.GetNoDataValue())
    assert (found.GetScale() or 1, found.GetOffset() or 0) == (wanted.GetScale() or 1, wanted.GetOffset() or 0)
    assert found.GetUnitType() == wanted.GetUnitType()
