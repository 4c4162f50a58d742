# SPDX-License-Identifier: MIT
"""All readers find the CRS that the driver writes by default: GDAL's built-in driver, xarray with rioxarray, and
readers of netCDF files that xarray makes of the store.

Without the WKT, the CF parameters alone give the CRS."""

import numpy as np
import pytest
import rioxarray  # noqa: F401  (adds .rio to xarray's objects)
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, open_raster

pytestmark = zarr_formats.BOTH

PLACE = (500000, 10, 0, 5200000, 0, -10)
# CRS -> (grid_mapping_name, whether the CF parameters alone describe the CRS). None: all but the datum. False: CF
# cannot express the CRS, for example the sphere of Web Mercator.
CRSS = {
    "EPSG:32632": ("transverse_mercator", True),
    "EPSG:4326": ("latitude_longitude", True),
    "EPSG:3035": ("lambert_azimuthal_equal_area", None),
    "EPSG:3857": ("mercator", False),
    "EPSG:2154": ("lambert_conformal_conic", True),
    "EPSG:27700": ("transverse_mercator", True),
    "EPSG:3031": ("polar_stereographic", True),
    "EPSG:32661": ("polar_stereographic", True),
    "EPSG:5070": ("albers_conical_equal_area", True),
    "EPSG:6933": ("lambert_cylindrical_equal_area", True),
    "EPSG:2056": ("oblique_mercator", False),
    "EPSG:2193": ("transverse_mercator", None),
    "EPSG:4807": ("latitude_longitude", None),
    "EPSG:28992": (None, False),
    "+proj=moll +datum=WGS84": (None, False),
    "+proj=geos +h=35785831 +lon_0=0 +sweep=y +datum=WGS84": ("geostationary", True),
    "+proj=geos +h=35786023 +lon_0=-75 +sweep=x +ellps=GRS80": ("geostationary", None),
    "+proj=sinu +R=6371007.181": ("sinusoidal", True),
    "+proj=aeqd +lat_0=10 +lon_0=20 +datum=WGS84": ("azimuthal_equidistant", True),
    "+proj=ortho +lat_0=10 +lon_0=20 +datum=WGS84": ("orthographic", True),
    "+proj=stere +lat_0=50 +lon_0=5 +k=0.9 +datum=WGS84": ("stereographic", True),
    "+proj=merc +lon_0=3 +k=0.8 +datum=WGS84": ("mercator", True),
    "+proj=merc +lat_ts=20 +datum=WGS84": ("mercator", True),
    "+proj=lcc +lat_1=40 +lat_0=40 +lon_0=3 +k_0=0.99 +datum=WGS84": (None, False),
    "+proj=utm +zone=33 +datum=WGS84 +units=us-ft": ("transverse_mercator", None),
}
SAME = ["CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS", "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"]


def builtin_reads():
    """True if GDAL's built-in driver reads the tested format. Before GDAL 3.7, the built-in driver reads only an
    early draft of Zarr v3."""
    return not zarr_formats.is_v3()


def crs_of(text):
    srs = osr.SpatialReference()
    assert srs.SetFromUserInput(text) == 0
    return srs


def make(store, text, *options, bands=1):
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 5, 4, bands, gdal.GDT_Int16, list(options))
    dataset.SetGeoTransform(PLACE if "4326" not in text and "4807" not in text else (10, 0.1, 0, 50, 0, -0.1))
    dataset.SetSpatialRef(crs_of(text))
    dataset.GetRasterBand(1).Fill(3)
    dataset = None
    return store


def is_same(found, text):
    return found is not None and bool(found.IsSame(crs_of(text), SAME))


@pytest.mark.parametrize("text", CRSS)
def test_every_reader_finds_the_crs(tmp_path, cpl, text):
    store = make(tmp_path / "a.zarr", text)
    assert is_same(open_raster(store).GetSpatialRef(), text)
    mdim = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("a")
    assert is_same(mdim.GetSpatialRef(), text)
    with config_options(GDAL_PAM_ENABLED="YES"):
        for flags in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER) if builtin_reads() else ():
            opened = gdal.OpenEx(str(store), flags, allowed_drivers=["ZarrBuiltin"])
            found = opened if flags == gdal.OF_RASTER else opened.GetRootGroup().OpenMDArray("a")
            assert is_same(found.GetSpatialRef(), text)
    with xr.open_zarr(str(store)) as opened:
        for crs in (opened.rio.crs, opened["a"].rio.crs):
            assert crs is not None
            # rasterio returns WKT 1, which has less information, so the expected CRS is converted to WKT 1, too.
            assert crs_of(crs.to_wkt()).IsSame(crs_of(crs_of(text).ExportToWkt()), SAME)
        opened.to_netcdf(str(tmp_path / "a.nc"))
    assert is_same(gdal.Open(f'NETCDF:"{tmp_path / "a.nc"}":a').GetSpatialRef(), text)
    assert cpl.events == []


@pytest.mark.parametrize("text", CRSS)
def test_cf_parameters(tmp_path, text):
    """Without the WKT in the store, the driver builds the CRS from the CF parameters."""
    store = make(tmp_path / "a.zarr", text)
    name, comes_back = CRSS[text]
    attributes = zarr_formats.attributes(store, "spatial_ref")
    assert attributes.get("grid_mapping_name") == name
    assert {"semi_major_axis", "inverse_flattening", "longitude_of_prime_meridian", "crs_wkt"} <= set(attributes)
    if not name:
        return
    for key in ("crs_wkt", "spatial_ref"):
        del attributes[key]
    zarr_formats.put_attributes(store, attributes, "spatial_ref")
    (store / "pam.aux.xml").unlink()
    found = open_raster(store, "USE_CONSOLIDATED_METADATA=NO").GetSpatialRef()
    # CF describes a datum without a CF name only by its ellipsoid. The CRS is then not equal, but transforms points
    # equally.
    if comes_back:
        assert is_same(found, text)
    if comes_back is not False:
        at = (10, 50) if crs_of(text).IsGeographic() else PLACE[::3]
        coordinates = []
        for srs in (found, crs_of(text)):
            srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
            geographic = srs.CloneGeogCS()
            geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
            coordinates.append(osr.CoordinateTransformation(srs, geographic).TransformPoint(*at)[:2])
        np.testing.assert_allclose(coordinates[0], coordinates[1], atol=1e-7)


@pytest.mark.parametrize("options, bands", [([], 3), (["SINGLE_ARRAY=NO"], 3), (["INTERLEAVE=PIXEL"], 3),
                                            (["ARRAY_NAME=g/h/dem"], 1)])  # fmt: skip
@pytest.mark.slow
def test_every_layout(tmp_path, cpl, options, bands):
    store = make(tmp_path / "a.zarr", "EPSG:3035", *options, bands=bands)
    with config_options(GDAL_PAM_ENABLED="YES"):
        reader = "ZarrBuiltin" if builtin_reads() else "Zarr"
        root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER, allowed_drivers=[reader]).GetRootGroup()
        names = ["/g/h/dem"] if "ARRAY_NAME=g/h/dem" in options else (
            ["/Band1", "/Band3"] if "SINGLE_ARRAY=NO" in options else ["/a"])  # fmt: skip
        for name in names:
            srs = root.OpenMDArrayFromFullname(name).GetSpatialRef()
            assert srs.GetAuthorityCode(None) == "3035"
            if "INTERLEAVE=PIXEL" not in options:
                rank = 3 if bands == 3 and "SINGLE_ARRAY=NO" not in options else 2
                # Dimension y is northing, x is easting.
                assert list(srs.GetDataAxisToSRSAxisMapping()) == [rank - 1, rank]
            # GDAL's built-in driver opens a 3D array as a list of slices, so only rasters of 2D arrays are compared.
            if root.OpenMDArrayFromFullname(name).GetDimensionCount() == 2:
                classic = gdal.OpenEx(array_name(store, name), allowed_drivers=[reader])
                assert is_same(classic.GetSpatialRef(), "EPSG:3035")
    group = "g/h" if "ARRAY_NAME=g/h/dem" in options else None
    with xr.open_zarr(str(store), group=group) as opened:
        assert opened.rio.crs.to_epsg() == 3035
        opened.to_netcdf(str(tmp_path / "a.nc"))
    assert cpl.events == []


def test_a_crs_is_changed_and_removed_for_every_reader(tmp_path, cpl):
    store = make(tmp_path / "a.zarr", "EPSG:32632")
    for text in ("EPSG:3035", "EPSG:4326", None):
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        dataset.SetSpatialRef(crs_of(text) if text else None)
        dataset = None
        with config_options(GDAL_PAM_ENABLED="YES"):
            found = [open_raster(store).GetSpatialRef()]
            if builtin_reads():
                own = gdal.OpenEx(str(store), allowed_drivers=["ZarrBuiltin"])
                found.append(own.GetSpatialRef())
            mdim = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("a")
            found.append(mdim.GetSpatialRef())
        assert all(is_same(srs, text) if text else srs is None for srs in found), text
        attributes = dict(zarr.open_group(str(store), mode="r")["a"].attrs)
        assert ("coordinates" in attributes) == (text is not None)
    assert cpl.events == []


def test_a_crs_that_another_program_writes_later_wins(tmp_path, cpl):
    """The store has a copy of the CRS for GDAL's built-in driver. If another program changes the CRS of the store
    later, this driver ignores the copy."""
    store = make(tmp_path / "a.zarr", "EPSG:32632")
    attributes = zarr_formats.attributes(store, "spatial_ref")
    wkt = crs_of("EPSG:32633").ExportToWkt()
    changed = {**attributes, "crs_wkt": wkt, "spatial_ref": wkt}
    zarr_formats.put_attributes(store, changed, "spatial_ref")
    zarr.consolidate_metadata(str(store))
    with config_options(GDAL_PAM_ENABLED="YES"):
        assert is_same(open_raster(store).GetSpatialRef(), "EPSG:32633")
        root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        assert is_same(root.OpenMDArray("a").GetSpatialRef(), "EPSG:32633")
        assert is_same(root.OpenMDArray("a").AsClassicDataset(1, 0).GetSpatialRef(), "EPSG:32633")
    assert cpl.events == []


def test_a_changed_crs_keeps_the_coordinates_attribute(tmp_path, cpl):
    store = make(tmp_path / "a.zarr", "EPSG:32632")
    group = zarr.open_group(str(store), mode="r+")
    group["a"].attrs["coordinates"] = "lat spatial_ref lon"
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    dataset.SetSpatialRef(crs_of("EPSG:3035"))
    dataset = None
    assert zarr.open_group(str(store), mode="r")["a"].attrs["coordinates"] == "lat lon spatial_ref"
    assert cpl.events == []


def test_overviews_have_the_crs(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    source = gdal.GetDriverByName("MEM").Create("", 64, 64, 1)
    source.SetGeoTransform(PLACE)
    source.SetSpatialRef(crs_of("EPSG:3035"))
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=["OVERVIEWS=2"])
    with xr.open_zarr(str(store), group="ovr_2x") as opened:
        assert opened.rio.crs.to_epsg() == 3035
        opened.to_netcdf(str(tmp_path / "a.nc"))
    assert cpl.events == []


@zarr_formats.V2  # GDAL's built-in driver reads only an early draft of Zarr v3
def test_the_crs_in_a_zip_file_and_in_memory(tmp_path, cpl):
    with config_options(GDAL_PAM_ENABLED="YES"):
        make(tmp_path / "a.zarr.zip", "EPSG:3035")
        archive = zarr.ZipStore(str(tmp_path / "a.zarr.zip"), mode="r")
        with archive, xr.open_zarr(archive) as opened:
            assert opened.rio.crs.to_epsg() == 3035
        name = f"/vsizip/{tmp_path / 'a.zarr.zip'}"
        assert is_same(gdal.OpenEx(f'ZARR:"{name}"', allowed_drivers=["ZarrBuiltin"]).GetSpatialRef(), "EPSG:3035")
        make("/vsimem/a.zarr", "EPSG:3035")
        assert is_same(gdal.OpenEx("/vsimem/a.zarr", allowed_drivers=["ZarrBuiltin"]).GetSpatialRef(), "EPSG:3035")
        gdal.GetDriverByName("Zarr").Delete("/vsimem/a.zarr")
    assert cpl.events == []
