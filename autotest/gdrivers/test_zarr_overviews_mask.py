# SPDX-License-Identifier: MIT
"""Overviews of rasters with masks: the masks of the levels, and resampling that respects mask, alpha and
nodata."""

import os
import shutil

import numpy as np
import pytest
import rasterio
import rasterio.vrt
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import assert_same, config_options, error_log, open_raster
from zarr_overviews import entries, level_group, refused, sizes, update

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
SIDE = 200
LAYOUTS = [[], ["SINGLE_ARRAY=NO"], ["INTERLEAVE=PIXEL"]]
each_layout = pytest.mark.parametrize("options", LAYOUTS, ids=lambda options: "".join(options) or "one")
each_method = pytest.mark.parametrize("method", ["NEAREST", "AVERAGE", "CUBIC", "MODE"])


@pytest.fixture
def rng():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return np.random.default_rng(SEED)


def disc(rng):
    """Returns a mask with the shape of a disc with holes."""
    rows, columns = np.indices((SIDE, SIDE))
    mask = ((rows - 100) ** 2 + (columns - 95) ** 2 < 65**2) & (rng.random((SIDE, SIDE)) > 0.2)
    return (mask * 255).astype("u1")


def raster(rng, bands=3, mask=None, alpha=None, nodata=None):
    dataset = gdal.GetDriverByName("MEM").Create("", SIDE, SIDE, bands + (alpha is not None))
    values = rng.integers(1, 255, (bands, SIDE, SIDE), dtype="u1")
    if nodata is not None:
        values[:, mask == 0] = nodata
    for i in range(bands):
        dataset.GetRasterBand(i + 1).WriteArray(values[i])
        if nodata is not None:
            dataset.GetRasterBand(i + 1).SetNoDataValue(nodata)
    if alpha is not None:
        colours = [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand]
        for i, colour in enumerate(colours[: bands + 1]):
            dataset.GetRasterBand(i + 1).SetColorInterpretation(colour)
        dataset.GetRasterBand(bands + 1).WriteArray(alpha)
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    dataset.SetSpatialRef(srs)
    dataset.SetGeoTransform((500000, 10, 0, 5200000, 0, -10))
    if mask is not None and nodata is None:
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    return dataset


def as_tiff(folder, source, method, factors):
    """Copies `source` to a GeoTIFF, builds overviews, and returns the dataset. The bands are interleaved, because GDAL
    would compute smaller levels of separate bands from larger levels without their masks."""
    name = str(folder / f"{method}.tif")
    options = ["TILED=YES", "INTERLEAVE=PIXEL", "BLOCKXSIZE=64", "BLOCKYSIZE=64"]
    with config_options(GDAL_TIFF_INTERNAL_MASK="YES"):
        gdal.GetDriverByName("GTiff").CreateCopy(name, source, options=options)
        gdal.Open(name, gdal.GA_Update).BuildOverviews(method, factors)
    return gdal.Open(name)


def copy(name, source, *options):
    options = ["BLOCKXSIZE=64", "BLOCKYSIZE=64", *options]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(name), source, options=options) is not None
    return name


def levels_of(dataset):
    """Returns (pixels, mask, mask flags, colour interpretation) for each overview of each band. Masked pixels are 0."""
    found = []
    for number in range(1, dataset.RasterCount + 1):
        band = dataset.GetRasterBand(number)
        for i in range(band.GetOverviewCount()):
            level = band.GetOverview(i)
            mask = level.GetMaskBand().ReadAsArray()
            found.append((np.where(mask > 0, level.ReadAsArray(), 0), mask, level.GetMaskFlags(), level.GetColorInterpretation()))  # fmt: skip
    return found


def same_levels(dataset, wanted, colours=True):
    got, wanted = levels_of(dataset), levels_of(wanted)
    assert len(got) == len(wanted) > 0
    for one, other in zip(got, wanted):
        assert one[2] == other[2] and (one[3] == other[3] or not colours)
        assert_same(one[1], other[1])
        assert_same(one[0], other[0])


def warped(dataset, **options):
    return gdal.Warp("", dataset, format="MEM", width=50, height=50, **options).ReadAsArray()


@each_method
@each_layout
def test_the_mask_has_levels(tmp_path, rng, options, method, cpl):
    source = raster(rng, mask=disc(rng))
    store = copy(tmp_path / "a.zarr", source, *options)
    before = entries(store)
    assert update(store).BuildOverviews(method, [2, 4]) == 0
    wanted = as_tiff(tmp_path, source, method, [2, 4])
    same_levels(open_raster(store), wanted, colours=False)
    assert_same(warped(open_raster(store), dstAlpha=True), warped(wanted, dstAlpha=True))
    dataset = open_raster(store)
    mask = dataset.GetRasterBand(2).GetMaskBand()
    assert [mask.GetOverview(i).XSize for i in range(mask.GetOverviewCount())] == [100, 50]
    dataset = mask = None
    assert update(store).BuildOverviews("NONE", []) == 0
    assert entries(store) == before
    cpl.assert_quiet()


@each_layout
def test_a_copy_with_overviews(tmp_path, rng, options, cpl):
    source = raster(rng, mask=disc(rng))
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2,4", "OVERVIEW_RESAMPLING=AVERAGE", *options)
    same_levels(open_raster(store), as_tiff(tmp_path, source, "AVERAGE", [2, 4]), colours=False)
    cpl.assert_quiet()


def test_overviews_of_a_created_raster(tmp_path, rng, cpl):
    source = raster(rng, mask=disc(rng))
    options = ["OVERVIEWS=AUTO", "OVERVIEW_RESAMPLING=AVERAGE", "BLOCKXSIZE=64", "BLOCKYSIZE=64"]
    dataset = gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 400, 400, 1, options=options)
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = np.zeros((400, 400), "u1")
    mask[:100] = 255
    dataset.GetRasterBand(1).WriteArray(np.full((400, 400), 9, "u1"))
    dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    dataset = None
    dataset = open_raster(tmp_path / "a.zarr")
    level = dataset.GetRasterBand(1).GetOverview(0)
    assert level.GetMaskFlags() == gdal.GMF_PER_DATASET
    assert_same(level.GetMaskBand().ReadAsArray(), mask[::2, ::2])
    assert source is not None
    cpl.assert_quiet()


def test_masks_of_single_bands(tmp_path, rng, cpl):
    masks = [disc(rng), 255 - disc(rng)]
    source = raster(rng, bands=3)
    store = copy(tmp_path / "a.zarr", source)
    dataset = update(store)
    for number, mask in zip((1, 3), masks):
        assert dataset.GetRasterBand(number).CreateMaskBand(0) == 0
        dataset.GetRasterBand(number).GetMaskBand().WriteArray(mask)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    dataset = open_raster(store)
    levels = [dataset.GetRasterBand(i).GetOverview(0) for i in (1, 2, 3)]
    assert [level.GetMaskFlags() for level in levels] == [0, gdal.GMF_ALL_VALID, 0]
    for level, mask in zip((levels[0], levels[2]), masks):
        assert_same(level.GetMaskBand().ReadAsArray(), mask[::2, ::2])
    cpl.assert_quiet()


@each_method
@each_layout
def test_alpha_masks_the_levels(tmp_path, rng, options, method, cpl):
    """In overviews, an alpha band masks the colour bands as a mask does. The alpha band itself is resampled like any
    band."""
    mask = disc(rng)
    values = rng.bit_generator.state
    store = copy(tmp_path / "a.zarr", raster(rng, alpha=mask), *options)
    rng.bit_generator.state = values
    masked = copy(tmp_path / "m.zarr", raster(rng, mask=mask))
    for name in (store, masked):
        assert update(name).BuildOverviews(method, [2, 4, 8]) == 0
    dataset, wanted = open_raster(store), open_raster(masked)
    for number in (1, 2, 3):
        for i in range(3):
            level = dataset.GetRasterBand(number).GetOverview(i)
            other = wanted.GetRasterBand(number).GetOverview(i)
            assert level.GetMaskFlags() == gdal.GMF_PER_DATASET | gdal.GMF_ALPHA
            valid = other.GetMaskBand().ReadAsArray() > 0
            if method in ("NEAREST", "AVERAGE"):  # with other methods, alpha and mask differ in which pixels are > 0
                assert_same(level.GetMaskBand().ReadAsArray() > 0, valid)
                assert_same(np.where(valid, level.ReadAsArray(), 0), np.where(valid, other.ReadAsArray(), 0))
    assert dataset.GetRasterBand(4).GetOverview(0).GetColorInterpretation() == gdal.GCI_AlphaBand
    cpl.assert_quiet()


@each_method
def test_nodata_is_left_out(tmp_path, rng, method, cpl):
    source = raster(rng, mask=disc(rng), nodata=0)
    store = copy(tmp_path / "a.zarr", source)
    assert update(store).BuildOverviews(method, [2, 4]) == 0
    same_levels(open_raster(store), as_tiff(tmp_path, source, method, [2, 4]), colours=False)
    cpl.assert_quiet()


def test_colours_of_levels_are_the_rasters(tmp_path, rng, cpl):
    source = raster(rng, bands=1)
    table = gdal.ColorTable()
    table.SetColorEntry(7, (1, 2, 3, 255))
    source.GetRasterBand(1).SetColorTable(table)
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2")
    dataset = open_raster(store)
    level = dataset.GetRasterBand(1).GetOverview(0)
    assert level.GetColorInterpretation() == gdal.GCI_PaletteIndex
    assert level.GetColorTable().GetColorEntry(7) == (1, 2, 3, 255)
    cpl.assert_quiet()


def test_rasterio_reads_the_mask_of_a_level(tmp_path, rng, cpl):
    mask = disc(rng)
    source = raster(rng, mask=mask)
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2,4")
    with rasterio.open(store, OVERVIEW_LEVEL=0) as dataset:
        assert_same(dataset.dataset_mask(), mask[::2, ::2])
    tiff = as_tiff(tmp_path, source, "NEAREST", [2, 4]).GetDescription()
    read = []
    for name in (store, tiff):
        with rasterio.open(name) as dataset:
            options = {"width": 50, "height": 50, "transform": dataset.transform * dataset.transform.scale(4), "add_alpha": True}  # fmt: skip
            with rasterio.vrt.WarpedVRT(dataset, crs="EPSG:32632", **options) as vrt:
                read.append(vrt.read())
    assert_same(*read)
    cpl.assert_quiet()


# -------------------------------------------------------------------------------------------------
# Masks that are added or changed after overviews were built


def left_out(store, words):
    with error_log() as log:
        assert sizes(gdal.OpenEx(str(store), gdal.OF_RASTER)) == []
    assert log.errors == [] and len(log.warnings) == 1 and words in log.warnings[0], log.events


def test_a_mask_that_comes_after_the_overviews(tmp_path, rng):
    mask = disc(rng)
    source = raster(rng)
    store = copy(tmp_path / "a.zarr", source, "OVERVIEWS=2")
    dataset = update(store)
    with error_log() as log:
        assert dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == 0
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        dataset = None
    assert log.errors == [] and len(log.warnings) == 1 and "overviews" in log.warnings[0]
    left_out(store, "has no mask")
    with error_log():
        assert update(store).BuildOverviews("NEAREST", [2]) == 0
    dataset = open_raster(store)
    level = dataset.GetRasterBand(3).GetOverview(0)
    assert_same(level.GetMaskBand().ReadAsArray(), mask[::2, ::2])


def test_overviews_that_are_built_again_get_the_mask(tmp_path, rng):
    mask = disc(rng)
    store = copy(tmp_path / "a.zarr", raster(rng), "OVERVIEWS=2")
    dataset = update(store)
    with error_log():
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    assert_same(dataset.GetRasterBand(1).GetOverview(0).GetMaskBand().ReadAsArray(), mask[::2, ::2])
    dataset = open_raster(store)
    level = dataset.GetRasterBand(1).GetOverview(0)
    assert_same(level.GetMaskBand().ReadAsArray(), mask[::2, ::2])


def test_writing_to_a_mask_warns(tmp_path, rng):
    store = copy(tmp_path / "a.zarr", raster(rng, mask=disc(rng)), "OVERVIEWS=2")
    dataset = update(store)
    with error_log() as log:
        dataset.GetRasterBand(1).GetMaskBand().WriteArray(disc(rng))
        dataset = None
    assert log.errors == [] and len(log.warnings) == 1 and "overviews" in log.warnings[0]
    assert sizes(open_raster(store)) == [(100, 100)]


def test_overviews_without_a_mask_are_ignored(tmp_path, rng):
    """If a raster has a mask, overviews without a mask are ignored. Earlier versions of this driver built
    such overviews."""
    store = copy(tmp_path / "a.zarr", raster(rng, mask=disc(rng)), "OVERVIEWS=2")
    level = f"{level_group(2)}/a"
    attributes = zarr_formats.attributes(store, level)
    del attributes["gdal_mask"]
    zarr_formats.put_attributes(store, attributes, level)
    for name in store.rglob(".zmetadata"):
        name.unlink()
    with error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER, open_options=["USE_CONSOLIDATED_METADATA=NO"])
        assert sizes(dataset) == []
    assert len(log.warnings) == 1 and "has no mask" in log.warnings[0]


def test_overviews_beside_the_store_get_no_mask(tmp_path, rng):
    store = copy(tmp_path / "a.zarr", raster(rng, mask=disc(rng)))
    with error_log() as log:
        assert open_raster(store).BuildOverviews("AVERAGE", [2]) == 0
    assert log.errors == [] and len(log.warnings) == 1 and "no mask" in log.warnings[0]
    assert sizes(open_raster(store)) == [(100, 100)]


def test_a_build_that_is_refused_makes_no_masks(tmp_path, rng):
    store = copy(tmp_path / "a.zarr", raster(rng, mask=disc(rng)))
    before = entries(store)
    refused(update(store), "WRONG", [2], "unknown resampling method")
    assert entries(store) == before


@pytest.mark.parametrize("gone", ["mask", "level"])
def test_a_deleted_mask_or_level_is_not_used(tmp_path, cpl, gone):
    """A deleted mask or level is ignored, even if the consolidated metadata lists it."""
    source = gdal.GetDriverByName("MEM").Create("", 256, 256)
    source.GetRasterBand(1).Fill(50)
    source.CreateMaskBand(gdal.GMF_PER_DATASET)
    source.GetRasterBand(1).GetMaskBand().Fill(255)
    store = tmp_path / "s.zarr"
    options = ["ARRAY_NAME=v", "OVERVIEWS=2"]
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options) is not None
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    cpl.clear()
    (name,) = ["v_mask"] if gone == "mask" else [p.name for p in store.iterdir() if p.name.startswith("ov")]
    shutil.rmtree(store / name)
    dataset = open_raster(store)
    band = dataset.GetRasterBand(1)
    if gone == "mask":
        assert (band.GetMaskBand().ReadAsArray() == 255).all()
        assert any("missing in the store" in warning for warning in cpl.warnings), cpl.warnings
    else:
        assert band.GetOverviewCount() == 0
