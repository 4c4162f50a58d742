# SPDX-License-Identifier: MIT
"""Products in the EOPF layout of Sentinel data: hierarchy, CRS, groups of bands, masks, ground control points, and
properties that only the attribute `_eopf_attrs` states."""


import numpy as np
import pyproj
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_eopf import (
    BANDS, BITS, CLASSES, EPSG, METEO_PLACE, POLARISATIONS, SIDES, add, add_meteorology, classes_of,
    make_s1, make_s2, transform_of, values_of,
)
from zarr_gdal import array_name, gdal_is_at_least, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg
from zarr_http import Served
from zarr_mdim import open_array, open_group, read
from zarr_store import make_store, zip_folder

pytestmark = zarr_formats.READERS

REFLECTANCE = "measurements/reflectance/"
VV = f"S01SIWGRD_20240101T000000_0025_A000_{POLARISATIONS[0]}"


@pytest.fixture(scope="module")
def s2(zarr_format, tmp_path_factory):
    return make_s2(tmp_path_factory.mktemp("s2"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Returns a Sentinel-2 product whose bands are described only by `_eopf_attrs` and by attributes of the root
    group."""
    return make_s2(tmp_path_factory.mktemp("bare"), on_arrays=False, cf_too=False)


@pytest.fixture(scope="module", params=["cf", "numpy"])
def s1(request, zarr_format, tmp_path_factory):
    return make_s1(tmp_path_factory.mktemp("s1"), cf_times=request.param == "cf")


def quiet(name):
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(str(name))
        assert dataset is not None, log.events
        dataset.GetSpatialRef()  # the driver looks for the CRS only at this call, so its messages appear now
    log.assert_quiet()
    return dataset


def quiet_band(name):
    """Opens a dataset and asserts that no message appears. Returns its first band, which keeps the dataset
    open."""
    dataset = quiet(name)
    band = dataset.GetRasterBand(1)
    band.dataset = dataset
    return band


def assert_at(dataset, transform, code):
    assert_geotransform(dataset, transform)
    assert epsg(dataset) == code


def change(store, path, update):
    attributes = zarr_formats.attributes(store, path)
    update(attributes)
    zarr_formats.put_attributes(store, attributes, path)


# ---------------------------------------------------------------------------------------------
# Sentinel-2 products


@zarr_formats.BOTH
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.slow
def test_hierarchy(tmp_path, consolidated):
    store = make_s2(tmp_path, consolidated=consolidated)
    listed = [name for name, _ in quiet(store).GetSubDatasets()]
    groups = [parent + r for parent in (REFLECTANCE, "quality/mask/") for r in BANDS]
    wanted = [array_name(store, path) for path in sorted(groups)]
    assert listed[: len(wanted)] == wanted
    arrays = {f"{group}/{band}" for group in groups for band in BANDS[group.split("/")[-1]]}
    arrays |= {"conditions/geometry/sun_angles", "conditions/mask/l2a_classification/r20m/scl"}
    assert set(listed[len(wanted) :]) == {array_name(store, path) for path in arrays}
    for name in listed:
        # Only the grd image of a Sentinel-1 product has ground control points.
        assert (quiet(name).GetGCPCount() > 0) == name.endswith("/grd")


@pytest.mark.parametrize("resolution", BANDS)
@pytest.mark.parametrize("product", ["s2", "bare"])
def test_a_group_of_bands(request, product, resolution):
    store = request.getfixturevalue(product)
    dataset = quiet(array_name(store, REFLECTANCE + resolution))
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    colours = [name for name in ("b04", "b03", "b02") if resolution == "r10m"]
    names = colours + [name for name in BANDS[resolution] if name not in colours]
    assert [band.GetDescription() for band in bands] == names
    values = [values_of(resolution, list(BANDS[resolution]).index(name)) for name in names]
    np.testing.assert_array_equal(read_all(dataset), values)
    assert_at(dataset, transform_of(resolution), EPSG)


@pytest.mark.parametrize("product", ["s2", "bare"])
def test_a_band(request, product):
    dataset = quiet(array_name(request.getfixturevalue(product), REFLECTANCE + "r20m/b11"))
    band = dataset.GetRasterBand(1)
    assert (band.GetScale(), band.GetOffset(), band.GetNoDataValue()) == (0.0001, -0.1, 0)
    assert band.GetUnitType() == "digital_counts"
    assert "spectral band b11" in dataset.GetMetadataItem("long_name")
    assert_at(dataset, transform_of("r20m"), EPSG)


def test_attributes_of_the_bands_win_over_eopf_attrs(tmp_path):
    store = make_s2(tmp_path, consolidated=False)
    path = REFLECTANCE + "r10m/b02"
    change(store, path, lambda a: a.update(scale_factor=7, units="K", _FillValue=5))
    change(store, path, lambda a: a["_eopf_attrs"].update(dimensions=["a", "b"]))
    change(store, path, lambda a: a.update({"proj:epsg": 32633}))
    dataset = quiet(array_name(store, path))
    band = dataset.GetRasterBand(1)
    assert (band.GetScale(), band.GetUnitType(), band.GetNoDataValue()) == (7, "K", 5)
    assert_at(dataset, transform_of("r10m"), 32633)


def test_dimensions_that_only_eopf_names(tmp_path):
    store = make_s2(tmp_path, consolidated=False)
    for band in BANDS["r10m"]:
        change(store, REFLECTANCE + f"r10m/{band}", lambda a: a.pop("_ARRAY_DIMENSIONS"))
    assert quiet(array_name(store, REFLECTANCE + "r10m")).RasterCount == 4
    array = open_group(store).OpenMDArrayFromFullname(f"/{REFLECTANCE}r10m/b02")
    names = [d.GetFullName() for d in array.GetDimensions()]
    assert names == [f"/{REFLECTANCE}r10m/y", f"/{REFLECTANCE}r10m/x"]


def test_decoded_values_are_not_decoded_again(tmp_path):
    store = make_s2(tmp_path, consolidated=False, cf_too=False)
    group = zarr.open_group(str(store), mode="r+")[REFLECTANCE + "r10m"]
    attributes = group["b02"].attrs.asdict()
    group.array("b02", values_of("r10m", 0) * 0.0001 - 0.1, overwrite=True, fill_value=np.nan)
    group["b02"].attrs.put(attributes)
    band = quiet_band(array_name(store, REFLECTANCE + "r10m/b02"))
    assert band.GetScale() in (None, 1) and band.GetOffset() in (None, 0)
    assert np.isnan(band.GetNoDataValue())


@pytest.mark.parametrize(
    "stac, other",
    [
        ({"proj:code": "EPSG:32632"}, {}), ({"proj:epsg": 32632}, {}),
        ({}, {"horizontal_CRS_code": "EPSG:32632"}), ({}, {"horizontal_CRS_code": "32632"}),
        ({}, {"horizontal_CRS_code": 32632}),
        ({"proj:epsg": None}, {"horizontal_CRS_code": "EPSG:32632"}),
        ({"proj:epsg": 32632}, {"horizontal_CRS_code": "EPSG:4326"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("consolidated", [True, False])
def test_crs_of_the_product(tmp_path, stac, other, consolidated):
    store = make_s2(tmp_path, on_arrays=False, stac=stac, other=other, consolidated=consolidated)
    for path in (REFLECTANCE + "r60m", "quality/mask/r60m/b01", "conditions/geometry/sun_angles"):
        assert quiet(array_name(store, path)).GetSpatialRef().GetAuthorityCode(None) == "32632"
    array = open_group(store).OpenMDArrayFromFullname("/quality/mask/r20m/b05")
    assert array.GetSpatialRef().GetAuthorityCode(None) == "32632"


@pytest.mark.parametrize("stac", [{"proj:epsg": "far away"}, {"proj:code": "EPSG:1"}])
@pytest.mark.slow
def test_a_broken_crs_gives_one_warning(tmp_path, stac):
    store = make_s2(tmp_path, on_arrays=False, stac=stac, other={})
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(array_name(store, REFLECTANCE + "r10m/b02"))
        assert dataset.GetSpatialRef() is None
    assert dataset.GetGeoTransform() == transform_of("r10m")
    assert log.errors == [] and len(log.warnings) == 1, log.events
    assert list(stac)[0] in log.warnings[0]


PRODUCT_CRS = [
    ({"proj:epsg": EPSG}, {}), ({"proj:code": f"EPSG:{EPSG}"}, {}),
    ({}, {"horizontal_CRS_code": f"EPSG:{EPSG}"}), ({"proj:epsg": "far away"}, {}),
]  # fmt: skip


@pytest.mark.parametrize("stac, other", PRODUCT_CRS)
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("said", ["attributes", "eopf", "names"])
@pytest.mark.slow
def test_arrays_in_degrees_do_not_have_the_product_s_crs(
    tmp_path, said, stac, other, consolidated
):
    store = make_s2(tmp_path, stac=stac, other=other, consolidated=consolidated)
    weather, _ = add_meteorology(store, said)
    dataset = quiet(array_name(store, weather))
    assert_geotransform(dataset, METEO_PLACE)
    if stac.get("proj:epsg") == "far away" and said == "names":
        return  # no CRS, because no attribute says that the coordinates are longitudes and latitudes
    assert epsg(dataset) == 4326
    array = open_group(store).OpenMDArrayFromFullname("/" + weather)
    assert array.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert array.GetSpatialRef().GetDataAxisToSRSAxisMapping() == [1, 2]
    source = dataset.GetMetadataItem("CRS_SOURCE", "ZARR")
    assert source == "longitude and latitude coordinates"


def test_degrees_have_no_crs_with_assume_longlat_no(tmp_path):
    store = make_s2(tmp_path)
    weather, _ = add_meteorology(store, names=("lat", "lon"))
    assert open_raster(array_name(store, weather), "ASSUME_LONGLAT=NO").GetSpatialRef() is None


@pytest.mark.parametrize("stac, other", PRODUCT_CRS[:3])
@pytest.mark.slow
def test_an_array_without_spatial_dimensions_has_no_crs(tmp_path, stac, other):
    store = make_s2(tmp_path, stac=stac, other=other)
    _, viewing = add_meteorology(store)
    assert quiet(array_name(store, viewing)).GetSpatialRef() is None
    assert open_group(store).OpenMDArrayFromFullname("/" + viewing).GetSpatialRef() is None


@pytest.mark.parametrize("stac, other", PRODUCT_CRS[:3])
@pytest.mark.parametrize("shape", [(4, 5), (2, 4, 5)])
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.slow
def test_an_array_without_dimension_names_has_the_product_s_crs(
    tmp_path, stac, other, shape, consolidated
):
    store = make_s2(tmp_path, stac=stac, other=other, consolidated=False)
    root = zarr.open_group(str(store), mode="r+")
    root.array("measurements/bare", np.zeros(shape, "u2"))
    root.array("bare", np.zeros(shape, "u2"))
    root.array("measurements/line", np.zeros(5, "u2"))
    if consolidated:
        zarr.consolidate_metadata(str(store))
    for path in ("measurements/bare", "bare"):
        dataset = quiet(array_name(store, path))
        assert epsg(dataset) == EPSG
        assert dataset.GetGeoTransform(can_return_null=True) is None
        array = open_group(store).OpenMDArrayFromFullname("/" + path)
        assert array.GetSpatialRef().GetAuthorityCode(None) == str(EPSG)
    assert quiet(array_name(store, "measurements/line")).GetSpatialRef() is None


def test_an_array_with_two_dimensional_longitudes_has_no_crs(tmp_path):
    store = make_s2(tmp_path, consolidated=False)
    group = zarr.open_group(str(store), mode="r+").create_group("conditions/swath")
    rows, columns = np.mgrid[0:4, 0:5]
    group.array("longitude", 10 + 0.1 * columns).attrs["units"] = "degrees_east"
    group.array("latitude", 45 - 0.1 * rows).attrs["units"] = "degrees_north"
    group.array("data", np.zeros((4, 5))).attrs["coordinates"] = "latitude longitude"
    dataset = quiet(array_name(store, "conditions/swath/data"))
    assert dataset.GetSpatialRef() is None
    assert dataset.GetMetadata("GEOLOCATION")["X_DATASET"].endswith("swath/longitude")


def test_a_grid_mapping_that_is_missing_in_a_product(tmp_path):
    """If a product lacks the grid mapping that an attribute names, the CRS of the product applies, without a
    message."""
    store = make_s2(tmp_path, consolidated=False)
    for path in (REFLECTANCE + "r10m/b02", "quality/mask/r10m/b02"):
        change(store, path, lambda a: a.update(grid_mapping="spatial_ref"))
        assert_at(quiet(array_name(store, path)), transform_of("r10m"), EPSG)


def test_a_curvilinear_grid_does_not_have_the_product_s_crs(tmp_path):
    store = make_s2(tmp_path, consolidated=False)
    group = zarr.open_group(str(store), mode="r+").create_group("conditions/swath")
    rows, columns = np.mgrid[0:4, 0:5]
    for name, values, direction in (
        ("latitude", 45 - 0.1 * rows, "north"),
        ("longitude", 10 + 0.1 * columns, "east"),
    ):
        attrs = {"units": f"degrees_{direction}", "standard_name": name}
        add(group, name, values, "yx", attrs=attrs)
    attrs = {"coordinates": "latitude longitude"}
    add(group, "data", np.arange(20, dtype="f4").reshape(4, 5), "yx", attrs=attrs)
    dataset = quiet(array_name(store, "conditions/swath/data"))
    assert dataset.GetSpatialRef() is None
    assert dataset.GetMetadata("GEOLOCATION")["X_DATASET"].endswith("swath/longitude")


@zarr_formats.BOTH
@pytest.mark.parametrize("flag", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_a_crs_that_is_written_leaves_the_coordinates(tmp_path, flag):
    """An attribute `coordinates` for the grid mapping replaces the list in `_eopf_attrs`, so it repeats the list."""
    store = make_s2(tmp_path, consolidated=False)
    group = zarr.open_group(str(store), mode="r+").create_group("conditions/swath")
    for name in ("latitude", "longitude"):
        add(group, name, np.zeros((4, 5)), "yx")
    listed = {"coordinates": ["latitude", "longitude", "y", "x"]}
    add(group, "data", np.zeros((4, 5)), "yx", listed)
    path = "conditions/swath/data"
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(EPSG)
    is_raster = flag == gdal.OF_RASTER
    dataset = gdal.OpenEx(array_name(store, path) if is_raster else str(store), flag | gdal.OF_UPDATE)
    owner = dataset if is_raster else dataset.GetRootGroup().OpenMDArrayFromFullname("/" + path)
    assert owner.SetSpatialRef(srs) == gdal.CE_None
    del owner, dataset
    attributes = zarr_formats.attributes(store, path)
    assert attributes["coordinates"].split() == ["latitude", "longitude", attributes["grid_mapping"]]
    variables = open_array(store, path).GetCoordinateVariables()
    assert [v.GetName() for v in variables] == ["latitude", "longitude"]


@pytest.mark.parametrize("product", ["s2", "bare"])
def test_classes_are_categories(request, product):
    store = request.getfixturevalue(product)
    dataset = quiet(array_name(store, "conditions/mask/l2a_classification/r20m/scl"))
    band = dataset.GetRasterBand(1)
    assert band.GetCategoryNames() == CLASSES and band.GetNoDataValue() is None
    np.testing.assert_array_equal(band.ReadAsArray(), classes_of("r20m"))
    assert not {"flag_values", "flag_meanings"} & set(dataset.GetMetadata())


def test_meanings_as_a_list(tmp_path):
    store = make_s2(tmp_path, consolidated=False)
    path = "conditions/mask/l2a_classification/r20m/scl"
    change(store, path, lambda a: a.update(flag_meanings=CLASSES))
    assert quiet_band(array_name(store, path)).GetCategoryNames() == CLASSES


def test_bit_flags_are_metadata_and_no_categories(s2):
    for dataset, shown in (
        (quiet(array_name(s2, "quality/mask/r10m/b03")), lambda d: d.GetMetadata()),
        (quiet(array_name(s2, "quality/mask/r10m")), lambda d: d.GetRasterBand(2).GetMetadata()),
    ):
        band = dataset.GetRasterBand(1)
        assert band.GetCategoryNames() is None and band.DataType == gdal.GDT_Byte
        assert shown(dataset)["flag_masks"] == "{1,2,4,8}"
        assert shown(dataset)["flag_meanings"] == "{" + ",".join(BITS) + "}"
        assert_at(dataset, transform_of("r10m"), EPSG)


def test_angles_are_bands_of_their_own_grid(s2):
    dataset = quiet(array_name(s2, "conditions/geometry/sun_angles"))
    assert dataset.RasterCount == 2
    names = [dataset.GetRasterBand(i).GetDescription() for i in (1, 2)]
    assert ["zenith" in names[0], "azimuth" in names[1]] == [True, True], names
    assert dataset.GetRasterBand(1).GetUnitType() == "deg"
    assert_at(dataset, (600000, 120, 0, 5000040, 0, -120), EPSG)


@pytest.mark.parametrize("product", ["s2", "bare"])
def test_the_multidimensional_api(request, product):
    root = open_group(request.getfixturevalue(product))
    array = root.OpenMDArrayFromFullname(f"/{REFLECTANCE}r10m/b04")
    assert (array.GetScale(), array.GetOffset()) == (0.0001, -0.1)
    assert (array.GetUnit(), array.GetNoDataValueAsDouble()) == ("digital_counts", 0)
    assert array.GetSpatialRef().GetAuthorityCode(None) == str(EPSG)
    assert [d.GetSize() for d in array.GetDimensions()] == [SIDES["r10m"][1]] * 2
    np.testing.assert_array_equal(read(array)[""], values_of("r10m", 2))
    assert "long_name" in [a.GetName() for a in array.GetAttributes()]


@pytest.mark.parametrize(
    "broken",
    [3, [], "text", {"dimensions": "yx"}, {"dimensions": ["y"]}, {"dimensions": [1, 2]},
     {"scale_factor": "big"}, {"fill_value": "none"}, {"dtype": 7}, {"coordinates": {"x": 1}},
     {"flag_values": [1, 2], "flag_meanings": "one"}],
)  # fmt: skip
def test_broken_attributes_give_at_most_one_warning(tmp_path, broken):
    store = make_s2(tmp_path, consolidated=False, cf_too=False)
    path = REFLECTANCE + "r10m/b02"
    change(store, path, lambda a: a.update(_eopf_attrs=broken))
    with zarr_gdal.error_log() as log:
        dataset = gdal.Open(array_name(store, path))
    np.testing.assert_array_equal(dataset.ReadAsArray(), values_of("r10m", 0))
    assert log.errors == [] and len(log.warnings) <= 1, log.events
    assert_at(dataset, transform_of("r10m"), EPSG)


def test_a_change_keeps_the_eopf_attributes(tmp_path):
    store = make_s2(tmp_path, consolidated=False, cf_too=False)
    name = array_name(store, REFLECTANCE + "r10m/b02")
    dataset = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArrayFromFullname(f"/{REFLECTANCE}r10m/b02")
    assert array.SetUnit("1") == gdal.CE_None
    assert (array.GetUnit(), array.GetScale()) == ("1", 0.0001)
    del array, dataset
    band = quiet_band(name)
    stored = zarr_formats.attributes(store, REFLECTANCE + "r10m/b02")
    assert stored["units"] == "1" and "scale_factor" not in stored
    assert stored["_eopf_attrs"]["units"] == "digital_counts"


def test_a_product_on_a_web_server(s2):
    with Served(s2.parent) as server:
        url = f"/vsicurl/{server.url}/{s2.name}"
        dataset = open_raster(f'ZARR:"{url}":/{REFLECTANCE}r10m')
        asked = [each for each in server.requests() if ".aux.xml" not in each[1]]
        assert len(asked) == (2 if zarr_formats.is_v3() else 7)
        np.testing.assert_array_equal(read_all(dataset)[1], values_of("r10m", 1))
        assert dataset.GetSpatialRef().GetAuthorityCode(None) == str(EPSG)


# ---------------------------------------------------------------------------------------------
# Sentinel-1 products


def test_swaths_have_ground_control_points(s1):
    dataset = quiet(array_name(s1, f"{VV}/measurements/grd"))
    assert (dataset.RasterXSize, dataset.RasterYSize) == (30, 20)
    np.testing.assert_array_equal(dataset.ReadAsArray(), np.arange(600).reshape(20, 30))
    # Times in azimuth direction are not map coordinates, so the raster has no geotransform and no CRS of its own.
    assert dataset.GetGeoTransform(can_return_null=True) is None and dataset.GetSpatialRef() is None
    assert dataset.GetGCPSpatialRef().GetAuthorityCode(None) == "4326"
    points = [(p.GCPPixel, p.GCPLine, p.GCPX, p.GCPY, p.GCPZ) for p in dataset.GetGCPs()]
    assert len(points) == 12
    np.testing.assert_allclose(points[0], (0, 0, 10, 45, 100))
    np.testing.assert_allclose(points[6], (18, 9, 10.042, 44.992, 103))


def test_swaths_are_warped_by_ground_control_points(s1):
    swath = array_name(s1, f"{VV}/measurements/grd")
    warped = gdal.Warp("", swath, format="MEM", dstSRS="EPSG:4326")
    x, pixel, _, y, _, line = warped.GetGeoTransform()
    assert 9.99 < x < 10.01 and 44.99 < y < 45.01 and pixel > 0 > line
    assert warped.ReadAsArray().max() > 0


@zarr_formats.BOTH
def test_subdatasets_of_a_swath(s1):
    listed = [name for name, _ in quiet(s1).GetSubDatasets()]
    for polarisation in POLARISATIONS:
        product = VV[:-2] + polarisation
        for path in ("measurements/grd", "conditions/gcp/height"):
            assert array_name(s1, f"{product}/{path}") in listed
    assert not [name for name in listed if name.endswith(("/line", "/pixel", "/azimuth_time"))]
    are_measured = ["/measurements/" in name for name in listed]
    assert are_measured == sorted(are_measured, reverse=True) and are_measured[0]
    for name in listed:
        # Only the grd image of a Sentinel-1 product has ground control points.
        assert (quiet(name).GetGCPCount() > 0) == name.endswith("/grd")


@pytest.mark.parametrize("root", [
    {"stac_discovery": {"properties": {"proj:epsg": "32632"}}},
    {"stac_discovery": {"properties": {"proj:epsg": "EPSG:32632"}}},
    {"other_metadata": {"proj:code": "EPSG:32632"}},
    {"processing": {"proj:epsg": 32632}, "stac_discovery": {}},
    {"stac_discovery": {"geometry": {"type": "Polygon", "crs": {"properties": {"code": 32632}}}}},
    {"stac_discovery": {"geometry": {"crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}}}},
    {"spatial_ref": pyproj.CRS.from_epsg(32632).to_wkt(), "stac_discovery": {}},
    {"stac_discovery": {"properties": {"grid:code": "MGRS-32TQM"}}},
    {"stac_discovery": {"id": "S2A_MSIL2A_20240101T101010_N0500_R022_T32TQM_20240101T120000"}},
    {"stac_discovery": {"properties": {"s2:mgrs_tile": "32TQM"}, "geometry": {"crs": 5}}},
])  # fmt: skip
def test_where_products_state_their_crs(tmp_path, root):
    store = make_s2(tmp_path, on_arrays=False, stac={}, other={}, consolidated=False)
    zarr.open_group(str(store), mode="r+").attrs.put(root)
    for path in (REFLECTANCE + "r60m", "quality/mask/r60m/b01"):
        assert quiet(array_name(store, path)).GetSpatialRef().GetAuthorityCode(None) == "32632"


@pytest.mark.parametrize("name, code", [
    ("S2B_MSIL1C_T32TQM_N0500.zarr", "32632"), ("S2B_T56HLH_x.zarr", "32756"), ("T01CCC.zarr", "32701"),
    ("S2_T61HLH.zarr", None), ("AT32TQM.zarr", None), ("S2_T32TQMX.zarr", None),
])  # fmt: skip
@pytest.mark.slow
def test_the_tile_in_the_name_of_a_product(tmp_path, name, code):
    store = make_s2(tmp_path, on_arrays=False, stac={}, other={}, consolidated=False)
    zarr.open_group(str(store), mode="r+").attrs.put({"stac_discovery": {}})
    store = store.rename(store.with_name(name))
    srs = quiet(array_name(store, REFLECTANCE + "r60m")).GetSpatialRef()
    assert (srs.GetAuthorityCode(None) if srs else None) == code


PRODUCT = "S2A_MSIL1C_20240101T101010_N0511_R022_T32VLK_20240101T120000.zarr"
WKT = pyproj.CRS.from_epsg(32632).to_wkt()
BARE = {
    "stac": (PRODUCT, {"stac_discovery": {}}), "other metadata": (PRODUCT, {"other_metadata": {}}),
    "name alone": (PRODUCT, {}), "zip": (PRODUCT + ".zip", {}),
    "WKT": ("a.zarr", {"stac_discovery": {"properties": {"spatial_ref": WKT}}}),
    "WKT before the tile": ("S2A_MSIL1C_T33VLK.zarr", {"stac_discovery": {"properties": {"spatial_ref": WKT}}}),
}  # fmt: skip


@pytest.mark.parametrize("name, root", BARE.values(), ids=BARE)
def test_arrays_without_names_of_dimensions(tmp_path, name, root):
    store = make_store(tmp_path, {"measurements/b02": np.ones((4, 6), "u2")}, root, name="a.zarr")
    store = zip_folder(store, tmp_path / name) if name.endswith(".zip") else store.rename(store.with_name(name))
    dataset = quiet(array_name(store, "measurements/b02"))
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert open_array(store, "measurements/b02").GetSpatialRef().GetAuthorityCode(None) == "32632"


def test_a_tile_in_the_name_of_another_store_is_no_crs(tmp_path):
    store = make_store(tmp_path, {"b02": np.ones((4, 6), "u2")}, name="report_T32VLK_2024.zarr")
    assert quiet(array_name(store, "b02")).GetSpatialRef() is None


def test_bands_have_colours(request):
    """Bands state their colours, so that QGIS shows true colours."""
    store = request.getfixturevalue("s2")
    dataset = quiet(array_name(store, REFLECTANCE + "r10m"))
    told = {dataset.GetRasterBand(i + 1).GetDescription(): dataset.GetRasterBand(i + 1).GetColorInterpretation()
            for i in range(dataset.RasterCount)}  # fmt: skip
    nir = gdal.GCI_NIRBand if gdal_is_at_least(3, 10) else gdal.GCI_Undefined
    assert told == {"b02": gdal.GCI_BlueBand, "b03": gdal.GCI_GreenBand, "b04": gdal.GCI_RedBand, "b08": nir}


def test_names_of_bands_elsewhere_are_no_colours(tmp_path):
    values = np.zeros((4, 5), "u2")
    store = tmp_path / "a.zarr"
    group = zarr.open_group(str(store), mode="w")
    for name in ("b02", "b03", "b04"):
        group.array(name, values).attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    dataset = quiet(store)
    assert {dataset.GetRasterBand(i).GetColorInterpretation() for i in (1, 2, 3)} == {gdal.GCI_Undefined}


def test_measurements_come_first_in_the_list(request):
    names = [name.rpartition(":")[2] for name, _ in quiet(request.getfixturevalue("s2")).GetSubDatasets()]
    are_measured = [name.startswith("/measurements") for name in names]
    groups = [name for name in names if name.rpartition("/")[2].startswith("r")]
    assert names[0].startswith("/measurements/reflectance")
    arrays = are_measured[len(groups):]
    assert arrays == sorted(arrays, reverse=True)
