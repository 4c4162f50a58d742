# SPDX-License-Identifier: MIT
"""The coordinate epoch of a dynamic CRS is stored. Readers that ignore epochs still find the CRS."""

import pyproj
import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import array_name, open_raster

pytestmark = zarr_formats.BOTH

ITRF2014 = 9000  # EPSG code of a dynamic CRS of longitudes and latitudes
ETRS89_UTM32 = 25832  # EPSG code of a static CRS
CONVENTIONS = [[], *([f"GEOREFERENCING_CONVENTION={name}"] for name in ("GDAL", "CF", "SPATIAL_PROJ", "ALL"))]


def crs_of(code, epoch=0.0):
    srs = osr.SpatialReference()
    assert srs.ImportFromEPSG(code) == 0
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    if epoch:
        srs.SetCoordinateEpoch(epoch)
    return srs


def source(srs, bands=1):
    dataset = gdal.GetDriverByName("MEM").Create("", 5, 4, bands)
    dataset.SetGeoTransform((3, 0.1, 0, 50, 0, -0.1))
    dataset.SetSpatialRef(srs)
    return dataset


def copy(store, srs, options, bands=1):
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source(srs, bands), options=["ARRAY_NAME=a", *options])
    return store


def epoch_of(store):
    srs = open_raster(store).GetSpatialRef()
    return srs.GetCoordinateEpoch()


@pytest.mark.parametrize("options", CONVENTIONS)
def test_a_copy_keeps_the_epoch(tmp_path, cpl, options):
    srs = crs_of(ITRF2014, 2021.3)
    store = copy(tmp_path / "a.zarr", srs, options)
    assert open_raster(store).GetSpatialRef().IsSame(srs)  # IsSame() also compares the coordinate epochs
    assert epoch_of(store) == 2021.3
    assert "coordinateEpoch" not in open_raster(store).GetMetadata()
    cpl.assert_quiet()


@zarr_formats.V3
def test_the_profile_cloud_keeps_the_epoch(tmp_path):
    assert epoch_of(copy(tmp_path / "a.zarr", crs_of(ITRF2014, 2010.0), ["PROFILE=CLOUD"], bands=3)) == 2010.0


@pytest.mark.parametrize("options", CONVENTIONS)
def test_the_crs_is_stated_as_without_an_epoch(tmp_path, options):
    with_epoch = copy(tmp_path / "a.zarr", crs_of(ITRF2014, 2021.3), options)
    without = copy(tmp_path / "b.zarr", crs_of(ITRF2014), options)
    attributes = dict(zarr_formats.attributes(with_epoch, "a"))
    assert attributes.pop("coordinateEpoch") == 2021.3
    assert attributes == dict(zarr_formats.attributes(without, "a"))
    if "grid_mapping" in attributes:
        mapping = zarr_formats.attributes(with_epoch, attributes["grid_mapping"])
        assert pyproj.CRS.from_wkt(mapping["crs_wkt"]).to_epsg() == ITRF2014


@pytest.mark.parametrize("options", CONVENTIONS)
def test_a_changed_crs_has_its_own_epoch(tmp_path, options):
    store = copy(tmp_path / "a.zarr", crs_of(ITRF2014, 2021.3), options)
    for srs in (crs_of(ITRF2014, 2022.5), crs_of(ITRF2014), crs_of(ITRF2014, 2021.3), crs_of(ETRS89_UTM32)):
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE, open_options=options)
        dataset.SetSpatialRef(srs)
        dataset = None
        assert epoch_of(store) == srs.GetCoordinateEpoch()
    assert "coordinateEpoch" not in zarr_formats.attributes(store, "a")


def test_an_epoch_makes_no_second_grid_mapping(tmp_path):
    store = copy(tmp_path / "a.zarr", crs_of(ITRF2014, 2021.3), ["GEOREFERENCING_CONVENTION=CF"])
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source(crs_of(ITRF2014, 2001.5)),
                                            options=["ARRAY_NAME=b", "APPEND_SUBDATASET=YES"])  # fmt: skip
    assert [zarr_formats.attributes(store, name)["grid_mapping"] for name in "ab"] == ["spatial_ref"] * 2
    assert [epoch_of(array_name(store, name)) for name in "ab"] == [2021.3, 2001.5]


@pytest.mark.parametrize("options", CONVENTIONS[:2])
def test_the_epoch_in_the_multidimensional_api(tmp_path, options):
    store = copy(tmp_path / "a.zarr", crs_of(ETRS89_UTM32), options)
    for epoch in (2015.25, 0.0):
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE, open_options=options)
        assert dataset.GetRootGroup().OpenMDArray("a").SetSpatialRef(crs_of(ITRF2014, epoch)) == gdal.CE_None
        dataset = None
        dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER)
        assert dataset.GetRootGroup().OpenMDArray("a").GetSpatialRef().GetCoordinateEpoch() == epoch
        assert epoch_of(store) == epoch


@pytest.mark.parametrize("value", ["2021.3", -1, 0, None, [2021.3], True])
def test_an_epoch_that_is_no_positive_number_is_ignored(tmp_path, cpl, value):
    store = copy(tmp_path / "a.zarr", crs_of(ITRF2014), [])
    zarr_formats.change_attributes(store, "a", coordinateEpoch=value)
    assert epoch_of(store) == 0
    cpl.assert_quiet()


def test_a_static_crs_of_another_program_has_no_epoch(tmp_path):
    store = copy(tmp_path / "a.zarr", crs_of(ITRF2014, 2021.3), ["GEOREFERENCING_CONVENTION=SPATIAL_PROJ"])
    ed50_utm32 = 23032  # static in all versions of PROJ, unlike ETRS89
    zarr_formats.change_attributes(store, "a", **{"proj:code": f"EPSG:{ed50_utm32}"})
    assert epoch_of(store) == 0


def test_warping_to_a_crs_with_an_epoch(tmp_path):
    store = tmp_path / "a.zarr"
    gdal.Warp(str(store), source(crs_of(4326)), format="Zarr", dstSRS=f"EPSG:{ITRF2014}",
              options=["-t_coord_epoch", "2018.5"])  # fmt: skip
    assert epoch_of(store) == 2018.5
