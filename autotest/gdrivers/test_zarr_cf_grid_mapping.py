# SPDX-License-Identifier: MIT
"""Compares every projection of CF's appendix F with the CRS that GDAL's netCDF driver makes of equal attributes. If the
netCDF driver is wrong, a PROJ string or the projection's formulas replace it."""

import math

import numpy as np
import pytest
from osgeo import gdal
from zarr_cf import (
    Ours,
    ask,
    base_of,
    is_same_crs,
    netcdf_crs_and_scale,
    netcdf_srs,
    project,
    srs_of,
    unproject,
)

FALSE = {"false_easting": 1000.0, "false_northing": 2000.0}
CONIC = {
    "longitude_of_central_meridian": 10.0,
    "latitude_of_projection_origin": 45.0,
    **FALSE,
}
ORIGIN = {
    "longitude_of_projection_origin": 10.0,
    "latitude_of_projection_origin": 45.0,
    **FALSE,
}
GEOS = {
    "longitude_of_projection_origin": 10.0,
    "latitude_of_projection_origin": 0.0,
    "perspective_point_height": 35785831.0,
    **FALSE,
}
PROJ_FALSE = "+x_0={x_0} +y_0={y_0} +datum=WGS84 {unit}"

# name -> (grid_mapping_name, parameters, PROJ string of an equal CRS)
CASES = {
    "albers 2sp": (
        "albers_conical_equal_area", {**CONIC, "standard_parallel": [30.0, 60.0]},
        "+proj=aea +lat_1=30 +lat_2=60 +lat_0=45 +lon_0=10",
    ),
    "albers 1sp": (
        "albers_conical_equal_area", {**CONIC, "standard_parallel": 40.0},
        "+proj=aea +lat_1=40 +lat_2=40 +lat_0=45 +lon_0=10",
    ),
    "azimuthal equidistant": (
        "azimuthal_equidistant", ORIGIN, "+proj=aeqd +lat_0=45 +lon_0=10",
    ),
    "geostationary sweep y": (
        "geostationary", {**GEOS, "sweep_angle_axis": "y"}, "+proj=geos +h=35785831 +lon_0=10",
    ),
    "geostationary sweep x": (
        "geostationary", {**GEOS, "sweep_angle_axis": "x"},
        "+proj=geos +h=35785831 +lon_0=10 +sweep=x",
    ),
    "geostationary fixed y": (
        "geostationary", {**GEOS, "fixed_angle_axis": "y"},
        "+proj=geos +h=35785831 +lon_0=10 +sweep=x",
    ),
    "lambert azimuthal": (
        "lambert_azimuthal_equal_area", ORIGIN, "+proj=laea +lat_0=45 +lon_0=10",
    ),
    "lambert conformal 2sp": (
        "lambert_conformal_conic", {**CONIC, "standard_parallel": [30.0, 60.0]},
        "+proj=lcc +lat_1=30 +lat_2=60 +lat_0=45 +lon_0=10",
    ),
    "lambert conformal 1sp": (
        "lambert_conformal_conic", {**CONIC, "standard_parallel": 45.0},
        "+proj=lcc +lat_1=45 +lat_0=45 +lon_0=10",
    ),
    "lambert conformal 1sp off origin": (
        "lambert_conformal_conic", {**CONIC, "standard_parallel": 40.0},
        "+proj=lcc +lat_1=40 +lat_2=40 +lat_0=45 +lon_0=10",
    ),
    "cylindrical equal area": (
        "lambert_cylindrical_equal_area",
        {"longitude_of_central_meridian": 10.0, "standard_parallel": 30.0, **FALSE},
        "+proj=cea +lat_ts=30 +lon_0=10",
    ),
    "cylindrical equal area by scale": (
        "lambert_cylindrical_equal_area",
        {"longitude_of_central_meridian": 10.0, "scale_factor_at_projection_origin": 0.9, **FALSE},
        "+proj=cea +k_0=0.9 +lon_0=10",
    ),
    "mercator": (
        "mercator",
        {"longitude_of_projection_origin": 10.0, "standard_parallel": 30.0, **FALSE},
        "+proj=merc +lat_ts=30 +lon_0=10",
    ),
    "mercator by scale": (
        "mercator",
        {"longitude_of_projection_origin": 10.0, "scale_factor_at_projection_origin": 0.9, **FALSE},
        "+proj=merc +k_0=0.9 +lon_0=10",
    ),
    "oblique mercator": (
        "oblique_mercator",
        {**ORIGIN, "azimuth_of_central_line": 30.0, "scale_factor_at_projection_origin": 0.9},
        "+proj=omerc +lat_0=45 +lonc=10 +alpha=30 +k=0.9",
    ),
    "oblique mercator due east": (
        "oblique_mercator",
        {**ORIGIN, "azimuth_of_central_line": 90.0, "scale_factor_at_projection_origin": 1.0},
        "+proj=omerc +lat_0=45 +lonc=10 +alpha=90 +k=1",
    ),
    "orthographic": ("orthographic", ORIGIN, "+proj=ortho +lat_0=45 +lon_0=10"),
    "polar north": (
        "polar_stereographic",
        {"straight_vertical_longitude_from_pole": 10.0, "latitude_of_projection_origin": 90.0,
         "standard_parallel": 70.0, **FALSE},
        "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=10",
    ),
    "polar south": (
        "polar_stereographic",
        {"straight_vertical_longitude_from_pole": 10.0, "latitude_of_projection_origin": -90.0,
         "standard_parallel": -71.0, **FALSE},
        "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=10",
    ),
    "polar by scale": (
        "polar_stereographic",
        {"straight_vertical_longitude_from_pole": 10.0, "latitude_of_projection_origin": -90.0,
         "scale_factor_at_projection_origin": 0.994, **FALSE},
        "+proj=stere +lat_0=-90 +k=0.994 +lon_0=10",
    ),
    "polar, longitude as of CF 1.7": (
        "polar_stereographic",
        {"longitude_of_projection_origin": 10.0, "latitude_of_projection_origin": 90.0,
         "standard_parallel": 70.0, **FALSE},
        "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=10",
    ),
    "sinusoidal": (
        "sinusoidal", {"longitude_of_projection_origin": 10.0, **FALSE}, "+proj=sinu +lon_0=10",
    ),
    "stereographic": (
        "stereographic", {**ORIGIN, "scale_factor_at_projection_origin": 0.9999},
        "+proj=stere +lat_0=45 +lon_0=10 +k=0.9999",
    ),
    "transverse mercator": (
        "transverse_mercator", {**CONIC, "scale_factor_at_central_meridian": 0.9996},
        "+proj=tmerc +lat_0=45 +lon_0=10 +k=0.9996",
    ),
    "vertical perspective": (
        "vertical_perspective", {**ORIGIN, "perspective_point_height": 5e6},
        "+proj=nsper +lat_0=45 +lon_0=10 +h=5000000",
    ),
}  # fmt: skip

# case -> reason why GDAL's netCDF driver finds a wrong CRS or none. The netCDF driver of GDAL 3.6, 3.10 and 3.13 is
# wrong; the PROJ strings of CASES are right.
NETCDF_IS_WRONG = {
    "geostationary sweep x": "it builds the CRS from a PROJ string, whose WKT loses the unit km",
    "geostationary fixed y": "it does not know fixed_angle_axis, which implies sweep_angle_axis x",
    "lambert conformal 1sp off origin": "it gives up and leaves longitude and latitude",
    "cylindrical equal area by scale": "it does not know the scale factor and takes 1",
    "oblique mercator": "it does not know this projection",
    "oblique mercator due east": "it does not know this projection",
    "polar, longitude as of CF 1.7": "it knows only the deprecated name, and takes 0 degrees",
    "sinusoidal": "it knows only longitude_of_central_meridian, which CF does not have here",
    "vertical perspective": "it does not know this projection",
}
# case -> reason why GDAL's netCDF driver is wrong if the unit of the CRS is kilometres or feet, but not if it is
# metres.
NETCDF_IS_WRONG_IN_OTHER_UNITS = {
    "geostationary sweep y": "perspective_point_height is metres, whatever the coordinates are in",
    "geostationary sweep x": "perspective_point_height is metres, whatever the coordinates are in",
}
# Cases in which the WKT of GDAL's netCDF driver has a parameter that the projection method lacks. In these cases,
# projected coordinates are compared, and not the CRS itself.
SAME_BUT_FOR_SPELLING = {"lambert conformal 1sp"}

UNITS = {"m": 1.0, "km": 1000.0, "US_survey_foot": 1200 / 3937}


def sample_points(name):
    latitudes = {"polar north": (60, 89), "polar, longitude as of CF 1.7": (60, 89)}
    low, high = latitudes.get(name, (-89, -60) if name.startswith("polar") else (35, 55))
    return [
        (longitude, latitude)
        for longitude in np.linspace(3, 20, 5)
        for latitude in np.linspace(low, high, 5)
    ]


def attributes_of(name):
    kind, parameters, _ = CASES[name]
    return {"grid_mapping_name": kind, **parameters}


def proj_string(name, metres):
    definition = CASES[name][2]
    false = f"+x_0={1000 * metres!r} +y_0={2000 * metres!r}"
    return f"{definition} {false} +to_meter={metres!r} +datum=WGS84 +type=crs"


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_proj(name, units):
    """The driver's CRS projects points like the PROJ string of the case. False easting and northing have the unit
    of the coordinates, and heights are in metres."""
    metres = UNITS[units]
    ours = Ours(attributes_of(name), units)
    assert ours.error is None and ours.warnings == [] and ours.scale == 1
    assert ours.mapping == [1, 2]
    assert ours.srs.GetLinearUnits() == pytest.approx(metres, rel=1e-12)
    reference = srs_of(proj_string(name, metres))
    points = sample_points(name)
    wanted = project(reference, points)
    assert np.isfinite(wanted).all()
    assert np.abs(project(ours.srs, points) - wanted).max() * metres < 1e-6
    # PROJ's inverse equal-area projections have errors of 1e-8 degrees. The inverse projections by the driver's CRS and
    # by PROJ's CRS are therefore compared with each other, not with the original points.
    assert np.abs(unproject(ours.srs, wanted) - unproject(reference, wanted)).max() < 1e-9


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_netcdf(tmp_path, name, units):
    """The CRS agrees with that of GDAL's netCDF driver. GDAL 3.10 and 3.13 convert coordinates of netCDF files from
    kilometres and feet to metres, but not the false origin. Then a CRS in metres is expected, and coordinates are
    compared for a false origin of 0."""
    theirs, scale = netcdf_crs_and_scale(tmp_path, attributes_of(name), units)
    in_metres = units != "m" and scale == pytest.approx(UNITS[units], rel=1e-9)
    ours = Ours(attributes_of(name), "m" if in_metres else units).srs
    if name in NETCDF_IS_WRONG or (
        units != "m" and not in_metres and name in NETCDF_IS_WRONG_IN_OTHER_UNITS
    ):
        # Up to GDAL 3.13, the netCDF driver finds a wrong CRS or none. Later versions may be right.
        if int(gdal.VersionInfo("VERSION_NUM")) < 3140000:
            assert theirs is None or not is_same_crs(ours, theirs)
        return
    assert theirs is not None
    assert scale * theirs.GetLinearUnits() == pytest.approx(UNITS[units], rel=1e-12)
    if name not in SAME_BUT_FOR_SPELLING:
        assert is_same_crs(ours, theirs), f"{ours.ExportToWkt()}\n{theirs.ExportToWkt()}"
    assert_same_coordinates(ours, theirs, 1, sample_points(name))
    if in_metres:
        attributes = {key: n for key, n in attributes_of(name).items() if key not in FALSE}
        theirs, scale = netcdf_crs_and_scale(tmp_path, attributes, units)
        assert_same_coordinates(Ours(attributes, units).srs, theirs, scale, sample_points(name))


def assert_same_coordinates(ours, theirs, scale, points):
    """Asserts that `points` (longitude, latitude) have coordinates in the CRS `theirs` that are `scale` times those in
    the CRS `ours`."""
    wanted = project(theirs, points)
    assert np.isfinite(wanted).all()
    assert np.abs(project(ours, points) * scale - wanted).max() * theirs.GetLinearUnits() < 1e-6
    assert np.abs(unproject(ours, wanted / scale) - unproject(theirs, wanted)).max() < 1e-9


# Formulas of projections for which the netCDF driver is wrong

RADIUS = 6371229.0
SPHERE = {"earth_radius": RADIUS}


def on_sphere(name, points, **parameters):
    ours = Ours({"grid_mapping_name": name, **SPHERE, **parameters}, "m")
    assert ours.error is None and ours.warnings == []
    return project(ours.srs, points)


POINTS = [(3.0, 36.0), (10.0, 45.0), (17.5, 52.25), (-2.0, 41.0)]


def test_sinusoidal_formula():
    got = on_sphere("sinusoidal", POINTS, longitude_of_projection_origin=10.0)
    for (longitude, latitude), (x, y) in zip(POINTS, got):
        phi = math.radians(latitude)
        assert x == pytest.approx(RADIUS * math.radians(longitude - 10) * math.cos(phi), abs=1e-6)
        assert y == pytest.approx(RADIUS * phi, abs=1e-6)


def test_cylindrical_equal_area_formula():
    k = 0.9
    got = on_sphere(
        "lambert_cylindrical_equal_area", POINTS,
        longitude_of_central_meridian=10.0, scale_factor_at_projection_origin=k,
    )  # fmt: skip
    for (longitude, latitude), (x, y) in zip(POINTS, got):
        assert x == pytest.approx(RADIUS * k * math.radians(longitude - 10), abs=1e-6)
        assert y == pytest.approx(RADIUS / k * math.sin(math.radians(latitude)), abs=1e-6)


def test_vertical_perspective_formula():
    """The coordinates agree with Snyder, Map Projections, page 173: equations (22-3), (23-3) and (5-3)."""
    height = 5e6
    got = on_sphere(
        "vertical_perspective", POINTS, longitude_of_projection_origin=10.0,
        latitude_of_projection_origin=45.0, perspective_point_height=height,
    )  # fmt: skip
    p = 1 + height / RADIUS
    phi1 = math.radians(45)
    for (longitude, latitude), (x, y) in zip(POINTS, got):
        phi, dl = math.radians(latitude), math.radians(longitude - 10)
        cos_c = math.sin(phi1) * math.sin(phi) + math.cos(phi1) * math.cos(phi) * math.cos(dl)
        k = RADIUS * (p - 1) / (p - cos_c)
        wanted_y = math.cos(phi1) * math.sin(phi) - math.sin(phi1) * math.cos(phi) * math.cos(dl)
        assert x == pytest.approx(k * math.cos(phi) * math.sin(dl), abs=1e-6)
        assert y == pytest.approx(k * wanted_y, abs=1e-6)


@pytest.mark.parametrize("azimuth", [30.0, 60.0, -50.0, 90.0])
def test_oblique_mercator_points_north(azimuth):
    """At the centre of the oblique Mercator projection, x points east and y points north, at the scale of the centre
    line. Coordinates are not rotated to the line (+no_rot in PROJ), and do not start at the equator (+no_uoff)."""
    k, step = 0.9, 1e-4
    points = [(10, 45), (10, 45 + step), (10 + step, 45)]
    origin, north, east = on_sphere(
        "oblique_mercator", points, longitude_of_projection_origin=10.0,
        latitude_of_projection_origin=45.0, azimuth_of_central_line=azimuth,
        scale_factor_at_projection_origin=k, **FALSE,
    )  # fmt: skip
    length = k * RADIUS * math.radians(step)
    assert origin == pytest.approx([1000, 2000], abs=1e-6)
    assert north - origin == pytest.approx([0, length], abs=1e-4)
    assert east - origin == pytest.approx([length * math.cos(math.pi / 4), 0], abs=1e-4)


# Images of geostationary satellites, whose coordinates are angles

A, B, HEIGHT = 6378137.0, 6356752.31414, 35786023.0
GOES = {
    "grid_mapping_name": "geostationary", "longitude_of_projection_origin": -75.0,
    "latitude_of_projection_origin": 0.0, "perspective_point_height": HEIGHT,
    "semi_major_axis": A, "semi_minor_axis": B, "inverse_flattening": 298.2572221,
}  # fmt: skip


def view(longitude, latitude, sweep):
    """Returns the scanning angles (x, y) in radians under which the satellite GOES sees a point. Sweep x:
    GOES-R product users' guide, volume 3, section 5.1.2.8.2. Sweep y: CGMS 03, section 4.4.3.2."""
    phi = math.atan((B / A) ** 2 * math.tan(math.radians(latitude)))
    r = B / math.sqrt(1 - (1 - (B / A) ** 2) * math.cos(phi) ** 2)
    dl = math.radians(longitude + 75)
    sx = HEIGHT + A - r * math.cos(phi) * math.cos(dl)
    sy = r * math.cos(phi) * math.sin(dl)
    sz = r * math.sin(phi)
    if sweep == "x":
        return math.asin(sy / math.sqrt(sx**2 + sy**2 + sz**2)), math.atan(sz / sx)
    return math.atan(sy / sx), math.asin(sz / math.sqrt(sx**2 + sy**2 + sz**2))


@pytest.mark.parametrize("units, radians", [("rad", 1), ("radians", 1), ("1", 1), ("", 1),
                                            ("microradian", 1e-6), ("degrees", math.pi / 180)])  # fmt: skip
@pytest.mark.parametrize("axis", [{"sweep_angle_axis": "x"}, {"sweep_angle_axis": "y"},
                                  {"fixed_angle_axis": "y"}])  # fmt: skip
def test_scanning_angles(axis, units, radians):
    ours = Ours({**GOES, **axis}, units)
    assert ours.error is None and ours.warnings == []
    assert ours.scale == pytest.approx(HEIGHT * radians, rel=1e-15)
    assert ours.srs.GetLinearUnits() == 1
    sweep = "y" if axis.get("sweep_angle_axis") == "y" else "x"
    points = [(-75.0, 0.0), (-84.690932, 33.846162), (-40.0, -35.0), (-110.0, 50.0)]
    metres = project(ours.srs, points)
    for (longitude, latitude), at in zip(points, metres):
        assert at / ours.scale * radians == pytest.approx(
            view(longitude, latitude, sweep), abs=1e-13
        )


def test_example_of_the_goes_guide():
    """Example of the GOES-R product users' guide: the point at longitude -84.690932 and latitude 33.846162 has the
    scanning angles x = -0.024052 and y = 0.095340 radians."""
    ours = Ours({**GOES, "sweep_angle_axis": "x"}, "rad")
    (at,) = unproject(ours.srs, [(-0.024052 * ours.scale, 0.095340 * ours.scale)])
    assert at == pytest.approx([-84.690932, 33.846162], abs=1e-6)


def test_false_origin_in_angles():
    false = {"false_easting": 0.01, "false_northing": -0.02, "sweep_angle_axis": "x"}
    ours = Ours({**GOES, **false}, "rad")
    (centre,) = project(ours.srs, [(-75.0, 0.0)])
    assert centre / ours.scale == pytest.approx([0.01, -0.02], abs=1e-15)


@pytest.mark.parametrize("units, scale", [("rad", HEIGHT), ("km", 1000.0), ("m", 1.0),
                                          ("degree", HEIGHT * math.pi / 180), ("", 1.0)])  # fmt: skip
@pytest.mark.parametrize("sweep", ["x", "y"])
def test_scale_to_a_stated_crs(sweep, units, scale):
    """If the attribute `crs` states a CRS in metres, coordinates in another unit, which `units` states, are scaled to
    metres."""
    text = f"+proj=geos +sweep={sweep} +h={HEIGHT!r} +lon_0=-75 +ellps=GRS80 +type=crs"
    assert ask({"crs": text, "units": units})["scale"] == pytest.approx(scale, rel=1e-12)
    wkt = srs_of(text).ExportToWkt(["FORMAT=WKT2_2019"])
    assert ask({"crs": wkt, "units": units})["scale"] == pytest.approx(scale, rel=1e-12)


@pytest.mark.parametrize("crs, units, scale", [
    ("EPSG:32632", "km", 1000.0), ("EPSG:32632", "m", 1.0), ("EPSG:32632", "rad", 1.0),
    ("EPSG:2263", "m", 3937 / 1200), ("EPSG:2263", "US survey foot", 1.0),
    ("EPSG:4326", "degrees_east", 1.0), ("EPSG:4326", "radian", 180 / math.pi),
    ("EPSG:4326", "m", 1.0), ("EPSG:32632", "banana", 1.0), ("EPSG:32632", "", 1.0),
])  # fmt: skip
def test_scale_to_other_stated_crs(crs, units, scale):
    assert ask({"crs": crs, "units": units})["scale"] == pytest.approx(scale, rel=1e-12)


# Grid mappings with a rotated pole


def unrotate(longitude, latitude, pole_longitude, pole_latitude, north_pole_grid_longitude):
    """Returns the true longitude and latitude of a point with rotated coordinates, computed by rotating
    vectors on the sphere."""
    lam, phi = math.radians(longitude - north_pole_grid_longitude), math.radians(latitude)
    v = np.array([math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)])
    # Axes of the rotated frame: z points to the rotated pole. x lies in the meridian of the rotated pole, on
    # the far side of the true pole.
    pl, pp = math.radians(pole_longitude), math.radians(pole_latitude)
    z = np.array([math.cos(pp) * math.cos(pl), math.cos(pp) * math.sin(pl), math.sin(pp)])
    true_pole = np.array([0.0, 0.0, 1.0])
    x = true_pole - z * (true_pole @ z)
    x /= np.linalg.norm(x)  # x points to the true north pole, where `lam` is 0
    y = np.cross(z, x)
    t = v[0] * x + v[1] * y + v[2] * z
    return math.degrees(math.atan2(t[1], t[0])), math.degrees(math.asin(t[2]))


@pytest.mark.parametrize("grid_longitude", [None, 0.0, 20.0, 180.0])
def test_rotated_pole(tmp_path, grid_longitude):
    attributes = {
        "grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25,
        "grid_north_pole_longitude": -162.0, **SPHERE,
    }  # fmt: skip
    if grid_longitude is not None:
        attributes["north_pole_grid_longitude"] = grid_longitude
    ours = Ours(attributes, "degrees")
    assert ours.error is None and ours.warnings == [] and ours.scale == 1
    assert ours.mapping == [2, 1]  # latitude is first in the CRS, longitude is first in the data
    points = [(-10.0, 5.0), (0.5, -3.25), (12.0, 20.0), (170.0, -40.0)]
    got = unproject(ours.srs, points)
    for (longitude, latitude), at in zip(points, got):
        wanted = unrotate(longitude, latitude, -162.0, 39.25, grid_longitude or 0.0)
        assert at == pytest.approx(wanted, abs=1e-9)
    theirs = netcdf_srs(tmp_path, attributes, "degrees")
    assert theirs is not None and np.abs(unproject(theirs, points) - got).max() < 1e-9
    strings = [srs.ExportToProj4() for srs in (ours.srs, theirs)]
    assert strings[0] == strings[1]


def test_rotated_pole_without_ellipsoid(tmp_path):
    """A grid mapping with a rotated pole but without ellipsoid gets WGS 84. For such a grid mapping, GDAL's netCDF
    driver finds no CRS."""
    attributes = {
        "grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25,
        "grid_north_pole_longitude": -162.0,
    }  # fmt: skip
    ours = Ours(attributes, "degrees")
    assert base_of(ours.srs).GetInvFlattening() == pytest.approx(298.257223563)
    (at,) = unproject(ours.srs, [(-10.0, 5.0)])
    assert at == pytest.approx(unrotate(-10.0, 5.0, -162.0, 39.25, 0.0), abs=1e-9)
    assert Ours(attributes, "radians").scale == pytest.approx(180 / math.pi)


def test_epsg_codes():
    """If GDAL finds the EPSG code of a CRS in metres, EPSG's definition replaces the CRS. A CRS in another unit stays
    as it is."""
    utm = {
        "grid_mapping_name": "transverse_mercator", "scale_factor_at_central_meridian": 0.9996,
        "longitude_of_central_meridian": 9.0, "latitude_of_projection_origin": 0.0,
        "false_easting": 500000.0, "false_northing": 0.0,
    }  # fmt: skip
    ours = Ours(utm, "m").srs
    assert ours.GetAuthorityCode(None) == "32632" and ours.GetName() == "WGS 84 / UTM zone 32N"
    kilometres = {**utm, "false_easting": 500.0}
    assert Ours(kilometres, "km").srs.GetAuthorityCode(None) is None
    assert Ours({**utm, "false_easting": 500.0}, "m").srs.GetAuthorityCode(None) is None
    other = {**utm, "semi_major_axis": 6378388.0, "inverse_flattening": 297.0}
    assert Ours(other, "m").srs.GetAuthorityCode(None) is None
    etrs = {**utm, "horizontal_datum_name": "European_Terrestrial_Reference_System_1989"}
    assert Ours(etrs, "m").srs.GetAuthorityCode(None) == "25832"
    lambert93 = {
        "grid_mapping_name": "lambert_conformal_conic", "standard_parallel": [49.0, 44.0],
        "longitude_of_central_meridian": 3.0, "latitude_of_projection_origin": 46.5,
        "false_easting": 700000.0, "false_northing": 6600000.0, "horizontal_datum_name": "RGF93",
    }  # fmt: skip
    assert Ours(lambert93, "m").srs.GetAuthorityCode(None) == "2154"
    antarctic = {
        "grid_mapping_name": "polar_stereographic", "standard_parallel": -71.0,
        "straight_vertical_longitude_from_pole": 0.0, "latitude_of_projection_origin": -90.0,
    }  # fmt: skip
    assert Ours(antarctic, "m").srs.GetAuthorityCode(None) == "3031"
