# SPDX-License-Identifier: MIT
"""Each sample pyramid of data/pyramids opens as one raster with overviews. The samples are stores with
different layouts.

The expected values are those that zarr-python reads. The metadata domain READ_COUNTERS counts decoded chunks."""

import pathlib
import subprocess

import numpy as np
import pytest
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg

PYRAMIDS = pathlib.Path(__file__).resolve().parents[2] / "data" / "pyramids"
OME = (-0.25, 0.5, 0, 0.25, 0, -0.5)
UTM = (600000, 10, 0, 5200000, 0, -10)
TILE = 2 * 20037508.342789244 / 256 / 2**10


class Layout:
    """A sample pyramid: its name, its arrays from the largest to the smallest, its CRS and its geotransform."""

    def __init__(self, name, levels, crs=None, place=None, node=None, chunks=None):
        self.store = PYRAMIDS / name
        self.name = str(self.store) if node is None else array_name(self.store, node)
        self.id = name if node is None else f"{name}:{node}"
        self.crs, self.place = crs, place
        self.values = []  # pixels of each level, as bands x rows x columns
        for path in levels:
            values = zarr.open_array(str(self.store / path), mode="r")[...]
            self.values.append(values.reshape(-1, *values.shape[-2:]))
        self.chunks = chunks or [4 * len(self.values[0])] + [len(self.values[0])] * (len(levels) - 1)

    def open(self, *options):
        return open_raster(self.name, *options)


DEM = (612000, 30, 0, 5214000, 0, -30)
LAYOUTS = [
    Layout("ome_0.1.zarr", "012"),
    Layout("ome_0.1.zarr", "012", node="0"),
    Layout("ome_0.3.zarr", ["s0", "s1", "s2"], chunks=[4, 1, 1]),
    Layout("ome_0.4.zarr", "012", place=OME),
    Layout("ome_0.4.zarr", ["labels/cells/0", "labels/cells/1"], place=OME,
           node="labels/cells", chunks=[1, 1]),
    Layout("ome_two_levels.zarr", "01", place=OME),
    Layout("ndpyramid.zarr", ["2/tavg", "1/tavg", "0/tavg"], 3857,
           (1000000, 100, 0, 6000000, 0, -100), node="2/tavg", chunks=[4, 1, 1]),
    Layout("ndpyramid.zarr", ["2/prec", "1/prec", "0/prec"], 3857,
           (1000000, 100, 0, 6000000, 0, -100), node="2/prec"),
    Layout("geozarr_inline.zarr", ["2/dem", "1/dem", "0/dem"], 32632, DEM),
    Layout("geozarr_inline.zarr", ["2/dem", "1/dem", "0/dem"], 32632, DEM, node="2/dem"),
    Layout("geozarr_named.zarr", ["10/dem", "9/dem", "8/dem"], 3857, (0, TILE, 0, 0, 0, -TILE)),
    Layout("xcube.levels", [f"{i}.zarr/conc_chl" for i in range(3)], 4326,
           (0, 0.0025, 0, 52.5, 0, -0.0025), chunks=[4, 1, 1]),
    Layout("xcube_link.levels", [f"{i}.zarr/conc_chl" for i in ("base", 1, 2)], 4326,
           (0, 0.0025, 0, 52.5, 0, -0.0025)),
    Layout("layout_arrays.zarr", "012", 32632, UTM),
    Layout("layout_groups.zarr", [f"{name}/b02" for name in ("r10m", "r20m", "r40m")], 32632, UTM),
    Layout("layout_groups.zarr", ["r20m/b05", "r40m/b05"], 32632,
           (600000, 20, 0, 5200000, 0, -20), node="r20m/b05", chunks=[1, 1]),
]  # fmt: skip
each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.id)


def decoded():
    return int(gdal.GetDriverByName("Zarr").GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS"))


def sizes(band):
    return [(band.XSize, band.YSize)] + [
        (overview.XSize, overview.YSize)
        for overview in (band.GetOverview(i) for i in range(band.GetOverviewCount()))
    ]


@each_layout
def test_every_band_has_the_levels_as_overviews(layout):
    dataset = layout.open()
    assert dataset.RasterCount == len(layout.values[0])
    for i in range(dataset.RasterCount):
        band = dataset.GetRasterBand(i + 1)
        assert sizes(band) == [values.shape[:0:-1] for values in layout.values]
        np.testing.assert_array_equal(band.ReadAsArray(), layout.values[0][i])
        for k, values in enumerate(layout.values[1:]):
            overview = band.GetOverview(k)
            assert overview.DataType == band.DataType
            np.testing.assert_array_equal(overview.ReadAsArray(), values[i])
            rows, columns = values.shape[1:]
            assert overview.GetBlockSize()[0] <= max(columns, 64)
        assert band.GetOverview(-1) is None
        assert band.GetOverview(len(layout.values)) is None


@each_layout
def test_levels_have_the_extent_of_the_base(layout):
    dataset = layout.open()
    assert epsg(dataset) == layout.crs
    if layout.place is None:
        assert dataset.GetGeoTransform(can_return_null=True) is None
    else:
        assert_geotransform(dataset, layout.place)


@each_layout
def test_overview_level_opens_a_level(layout):
    for k, values in enumerate(layout.values[1:]):
        dataset = layout.open(f"OVERVIEW_LEVEL={k}")
        np.testing.assert_array_equal(read_all(dataset), values)
        if layout.place is not None:
            x, dx, _, y, _, dy = layout.place
            factor = 2 ** (k + 1)
            assert_geotransform(dataset, (x, dx * factor, 0, y, 0, dy * factor))


def fresh(layout):
    """Opens the sample and reads its coordinates first, so that later counts of decoded chunks count only pixels."""
    dataset = layout.open()
    dataset.GetGeoTransform(can_return_null=True)
    return dataset


@each_layout
def test_a_smaller_read_decodes_chunks_of_one_level_only(layout):
    for k in range(len(layout.values) - 1, 0, -1):
        values = layout.values[k]
        rows, columns = values.shape[1:]
        dataset = fresh(layout)
        before = decoded()
        got = dataset.ReadAsArray(buf_xsize=columns, buf_ysize=rows)
        np.testing.assert_array_equal(got.reshape(values.shape), values)
        assert decoded() - before == layout.chunks[k]
        del dataset


@each_layout
def test_a_smaller_read_of_a_band_decodes_chunks_of_one_level_only(layout):
    for k in range(len(layout.values) - 1, 0, -1):
        values = layout.values[k]
        rows, columns = values.shape[1:]
        dataset = fresh(layout)
        before = decoded()
        band = dataset.GetRasterBand(1)
        got = band.ReadAsArray(buf_xsize=columns, buf_ysize=rows)
        np.testing.assert_array_equal(got, values[0])
        got = band.ReadAsArray(buf_xsize=columns - 5, buf_ysize=rows - 4)
        assert set(got.ravel().tolist()) <= set(values[0].ravel().tolist())
        assert decoded() - before == max(1, layout.chunks[k] // len(values))
        del band, dataset


@each_layout
def test_a_window_at_full_size_reads_the_base(layout):
    dataset = fresh(layout)
    before = decoded()
    window = dataset.GetRasterBand(1).ReadAsArray(3, 5, 20, 10)
    np.testing.assert_array_equal(window, layout.values[0][0][5:15, 3:23])
    assert decoded() - before == 1


@each_layout
def test_gdalinfo_lists_the_levels(layout):
    done = subprocess.run(["gdalinfo", layout.name], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stderr == b"", done.stderr.decode()
    text = done.stdout.decode()
    bands, rows, columns = layout.values[0].shape
    assert f"Size is {columns}, {rows}\n" in text
    listed = ", ".join(f"{values.shape[2]}x{values.shape[1]}" for values in layout.values[1:])
    assert text.count(f"  Overviews: {listed}\n") == bands
    for line in text.splitlines():  # multiscales and omero describe levels, which a copy would not have
        assert not line.strip().startswith(("multiscales=", "omero="))


@pytest.mark.parametrize(
    "node, k", [("0", 2), ("1", 1), ("2", 0)], ids=["smallest", "middle", "largest"]
)
def test_a_level_opens_by_its_own_name(node, k):
    dataset = open_raster(array_name(PYRAMIDS / "geozarr_inline.zarr", f"{node}/dem"))
    assert (dataset.RasterXSize, dataset.RasterYSize) == (128 >> k, 96 >> k)
    assert dataset.GetRasterBand(1).GetOverviewCount() == (2 if k == 0 else 0)
    assert_geotransform(dataset, (612000, 30 << k, 0, 5214000, 0, -30 << k))


def test_several_variables_are_listed_each_by_its_largest_array():
    dataset = gdal.Open(str(PYRAMIDS / "ndpyramid.zarr"))
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert names == [array_name(PYRAMIDS / "ndpyramid.zarr", path) for path in ("2/prec", "2/tavg")]
    dataset = gdal.Open(str(PYRAMIDS / "layout_groups.zarr"))
    names = [name for name, _ in dataset.GetSubDatasets()]
    paths = ("r10m/b02", "r20m/b05")
    assert names == [array_name(PYRAMIDS / "layout_groups.zarr", path) for path in paths]


def test_gdalwarp_and_translate_use_the_levels(tmp_path):
    """The output of gdalwarp and gdal_translate is not larger than the smallest level, so they read only this level."""
    name = str(PYRAMIDS / "layout_arrays.zarr")
    for program in (
        ["gdal_translate", "-q", "-outsize", "16", "12"],
        ["gdalwarp", "-q", "-ts", "16", "12"],
    ):
        target = tmp_path / f"{program[0]}.tif"
        command = [*program, name, str(target)]
        subprocess.run(command, check=True, timeout=60)
        values = gdal.Open(str(target)).ReadAsArray()
        # Each level has another multiple of 10 added to its pixels, so a value identifies its level.
        smallest = zarr.open_array(f"{name}/2", mode="r")[...]
        assert set(values.ravel().tolist()) <= set(smallest.ravel().tolist()), program


def test_external_overviews_still_work_without_levels(tmp_path):
    values = np.arange(64 * 64, dtype="u2").reshape(64, 64)
    zarr.open_group(str(tmp_path / "x.zarr"), mode="w").array("a", values, chunks=(32, 32))
    dataset = open_raster(str(tmp_path / "x.zarr"))
    assert dataset.GetRasterBand(1).GetOverviewCount() == 0
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = open_raster(str(tmp_path / "x.zarr"))
    assert sizes(dataset.GetRasterBand(1)) == [(64, 64), (32, 32)]


def test_variables_on_one_grid_are_bands_with_overviews(tmp_path):
    """If each level of a pyramid is a group of 2D arrays, the arrays of the base are bands. The overviews of a band are
    the arrays with its name in the smaller levels."""
    root = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
    datasets = [{"path": str(i)} for i in range(3)]
    root.attrs["multiscales"] = [{"datasets": datasets, "metadata": {"version": "0.1.0"}}]
    for i in range(3):
        for j, name in enumerate(("blue", "green", "red")):
            values = np.full((40 >> i, 60 >> i), 10 * i + j, "u1")
            array = root.require_group(str(i)).array(name, values, chunks=(16, 16))
            array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    dataset = open_raster(str(tmp_path / "x.zarr"))
    assert dataset.RasterCount == 3
    for number, j, name in ((1, 2, "red"), (2, 1, "green"), (3, 0, "blue")):
        band = dataset.GetRasterBand(number)
        assert band.GetDescription() == name
        assert sizes(band) == [(60, 40), (30, 20), (15, 10)]
        assert (band.ReadAsArray() == j).all()
        for i in range(1, 3):
            assert (band.GetOverview(i - 1).ReadAsArray() == 10 * i + j).all()


def test_multidimensional_api_reaches_each_level():
    for layout in LAYOUTS:
        dataset = gdal.OpenEx(str(layout.store), gdal.OF_MULTIDIM_RASTER)
        assert dataset is not None, layout.id
    root = gdal.OpenEx(str(PYRAMIDS / "ome_0.4.zarr"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.GetMDArrayNames() == ["0", "1", "2"]
    for k in range(3):
        array = root.OpenMDArray(str(k))
        sizes_of = [dimension.GetSize() for dimension in array.GetDimensions()]
        assert sizes_of == [2, 96 >> k, 128 >> k]
        assert [dimension.GetName() for dimension in array.GetDimensions()] == ["c", "y", "x"]
    cells = root.OpenMDArrayFromFullname("/labels/cells/1")
    assert cells.ReadAsArray().shape == (48, 64)
    with error_log() as log:
        classic = root.OpenMDArray("0").AsClassicDataset(2, 1)
        assert sizes(classic.GetRasterBand(1))[1:] == [(64, 48), (32, 24)]
    log.assert_quiet()


def test_overviews_of_the_multidimensional_api():
    if not hasattr(gdal.MDArray, "GetOverviewCount"):
        pytest.skip(f"GDAL {gdal.__version__} has no overviews of arrays; 3.13 has")
    dataset = gdal.OpenEx(str(PYRAMIDS / "layout_arrays.zarr"), gdal.OF_MULTIDIM_RASTER)
    base, level = (dataset.GetRootGroup().OpenMDArray(name) for name in "01")
    assert (base.GetOverviewCount(), level.GetOverviewCount()) == (2, 1)
    assert level.GetOverview(0).GetFullName() == "/2"
    values = [base.GetOverview(k).ReadAsArray() for k in range(2)]
    for k in range(2):
        wanted = zarr.open_array(str(PYRAMIDS / "layout_arrays.zarr" / str(k + 1)), mode="r")
        np.testing.assert_array_equal(values[k], wanted[...])
