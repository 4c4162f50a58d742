# SPDX-License-Identifier: MIT
"""CF grid mappings: figure of the Earth (ellipsoid, datum, prime meridian), units, and invalid grid
mappings."""

import json
import math

import pytest
from osgeo import osr
from zarr_cf import (
    Ours,
    ask_many,
    base_of,
    netcdf_srs,
    project,
    srs_of,
    transform,
    unproject,
)

LATLON = {"grid_mapping_name": "latitude_longitude"}
TMERC = {
    "grid_mapping_name": "transverse_mercator", "scale_factor_at_central_meridian": 0.9996,
    "longitude_of_central_meridian": 9.5, "latitude_of_projection_origin": 0.0,
}  # fmt: skip
WGS84 = {"semi_major_axis": 6378137.0, "inverse_flattening": 298.257223563}
GRS80 = {"semi_major_axis": 6378137.0, "inverse_flattening": 298.257222101}

# case -> (attributes, semi-major axis, inverse flattening, longitude of the prime meridian, EPSG code of the
# geographic CRS)
EARTHS = {
    "nothing": ({}, 6378137, 298.257223563, 0, "4326"),
    "wgs84 axes": (WGS84, 6378137, 298.257223563, 0, "4326"),
    "grs80 axes": (GRS80, 6378137, 298.257222101, 0, None),
    "both axes": (
        {"semi_major_axis": 6377563.396, "semi_minor_axis": 6356256.909237}, 6377563.396, 299.3249646,
        0, None,
    ),
    "sphere": ({"earth_radius": 6371229.0}, 6371229, 0, 0, None),
    "sphere by its axis": ({"semi_major_axis": 6371200.0}, 6371200, 0, 0, None),
    "sphere by 0": (
        {"semi_major_axis": 6371200.0, "inverse_flattening": 0.0}, 6371200, 0, 0, None,
    ),
    "sphere by axes": (
        {"semi_major_axis": 6370000.0, "semi_minor_axis": 6370000.0}, 6370000, 0, 0, None,
    ),
    "meridian": ({**GRS80, "longitude_of_prime_meridian": 2.5}, 6378137, 298.257222101, 2.5, None),
    "paris": (
        {**GRS80, "longitude_of_prime_meridian": 2.33722917, "prime_meridian_name": "Paris"},
        6378137, 298.257222101, 2.33722917, None,
    ),
    "greenwich": (
        {**WGS84, "longitude_of_prime_meridian": 0.0, "prime_meridian_name": "Greenwich"},
        6378137, 298.257223563, 0, "4326",
    ),
    "etrs89": (
        {**GRS80, "horizontal_datum_name": "European_Terrestrial_Reference_System_1989",
         "reference_ellipsoid_name": "GRS 1980", "geographic_crs_name": "ETRS89",
         "prime_meridian_name": "Greenwich"},
        6378137, 298.257222101, 0, "4258",
    ),
    "wgs84 named": (
        {**WGS84, "horizontal_datum_name": "WGS_1984"}, 6378137, 298.257223563, 0, "4326",
    ),
    "nad27": (
        {"semi_major_axis": 6378206.4, "inverse_flattening": 294.978698213898,
         "horizontal_datum_name": "North_American_Datum_1927"},
        6378206.4, 294.978698213898, 0, "4267",
    ),
    "unknown datum": (
        {**GRS80, "horizontal_datum_name": "Datum of Nowhere"}, 6378137, 298.257222101, 0, None,
    ),
}  # fmt: skip

# Further cases like EARTHS, which GDAL's netCDF driver reads wrongly. Each comment says what the netCDF driver
# does.
EARTHS_NETCDF_IS_WRONG = {
    # The netCDF driver uses the name of a datum only if axes are given. Without axes, it takes WGS 84.
    "datum alone": (
        {"horizontal_datum_name": "North_American_Datum_1983"}, 6378137, 298.257222101, 0, "4269",
    ),
    "datum alone, by its EPSG name": (
        {"horizontal_datum_name": "European Terrestrial Reference System 1989"},
        6378137, 298.257222101, 0, "4258",
    ),
    "geographic crs alone": ({"geographic_crs_name": "OSGB36"}, 6377563.396, 299.3249646, 0, "4277"),
    "ellipsoid by name": (
        {"reference_ellipsoid_name": "International 1924"}, 6378388, 297, 0, None,
    ),
    # Without the semi-major axis, the netCDF driver takes WGS 84.
    "minor axis and flattening": (
        {"semi_minor_axis": 6356514.0, "inverse_flattening": 300.0}, 6356514 * 300 / 299, 300, 0, None,
    ),
    # The netCDF driver takes longitude 0 for the prime meridian Paris. The right longitude is 2.337.
    "meridian by name": ({**GRS80, "prime_meridian_name": "Paris"}, 6378137, 298.257222101,
                         2.33722917, None),
    # The netCDF driver ignores the radius, because it is stored as text.
    "text": ({"earth_radius": "6371229.0"}, 6371229, 0, 0, None),
    # The netCDF driver wrongly takes the prime meridian of Greenwich for this datum.
    "ntf paris": (
        {"horizontal_datum_name": "Nouvelle_Triangulation_Francaise_Paris"},
        6378249.2, 293.466021293627, 2.33722917, None,
    ),
}  # fmt: skip


def epsg_wkt(code):
    srs = osr.SpatialReference()
    assert srs.ImportFromEPSG(code) == 0
    return srs.ExportToWkt(["FORMAT=WKT2_2019"])


def meridian(srs):
    node = json.loads(base_of(srs).ExportToPROJJSON())
    datum = node.get("datum") or node["datum_ensemble"]
    longitude = datum.get("prime_meridian", {"longitude": 0})["longitude"]
    if isinstance(longitude, dict):
        return longitude["value"] * longitude["unit"]["conversion_factor"] * 180 / math.pi
    return longitude


def figure(srs):
    return srs.GetSemiMajor(), srs.GetInvFlattening(), meridian(srs)


@pytest.mark.parametrize("name", [*EARTHS, *EARTHS_NETCDF_IS_WRONG])
def test_figure_of_the_earth(name):
    attributes, major, inverse, longitude, code = {**EARTHS, **EARTHS_NETCDF_IS_WRONG}[name]
    for mapping in (LATLON, TMERC):
        ours = Ours({**mapping, **attributes}, "degrees" if mapping is LATLON else "m")
        assert ours.error is None and ours.warnings == []
        assert figure(ours.srs) == pytest.approx((major, inverse, longitude), rel=1e-9, abs=1e-8)
        assert ours.srs.GetAuthorityCode("GEOGCS") == code
        assert ours.mapping == ([2, 1] if mapping is LATLON else [1, 2])
        assert ours.scale == 1


@pytest.mark.parametrize("name", EARTHS)
def test_figure_equals_the_netcdf_drivers(tmp_path, name):
    attributes = EARTHS[name][0]
    for mapping, units in ((LATLON, "degrees"), (TMERC, "m")):
        ours = Ours({**mapping, **attributes}, units).srs
        theirs = netcdf_srs(tmp_path, {**mapping, **attributes}, units)
        assert figure(ours) == pytest.approx(figure(theirs), rel=1e-9, abs=1e-8)
        points = [(9.5, 45.0), (12.0, 47.5)]
        if mapping is TMERC:
            assert project(ours, points) == pytest.approx(project(theirs, points), abs=1e-6)
        if name != "nad27":  # NAD27 has no code in the netCDF driver's CRS, so PROJ cannot transform it to WGS 84
            wgs84 = srs_of("+proj=longlat +datum=WGS84")
            at = transform(ours, wgs84, points), transform(theirs, wgs84, points)
            assert at[0] == pytest.approx(at[1], abs=1e-9)


def test_datum_of_another_angle():
    """EPSG defines NTF (Paris) in grads from Paris, but CF coordinates are in degrees. The CRS has degrees, and
    its longitude 0 is Paris."""
    paris = {"horizontal_datum_name": "Nouvelle_Triangulation_Francaise_Paris"}
    wgs84 = srs_of("+proj=longlat +datum=WGS84")
    wanted = transform(srs_of(epsg_wkt(4807)), wgs84, [(0, 54)])[0]
    assert wanted == pytest.approx([2.33722917, 48.6], abs=2e-3)
    ours = Ours({**LATLON, **paris}, "degrees")
    assert ours.srs.GetAngularUnits() == pytest.approx(math.pi / 180)
    assert transform(ours.srs, wgs84, [(0, 48.6)])[0] == pytest.approx(wanted, abs=1e-9)
    lambert = {
        "grid_mapping_name": "lambert_conformal_conic", "standard_parallel": 46.8,
        "longitude_of_central_meridian": 0.0, "latitude_of_projection_origin": 46.8,
        "scale_factor_at_projection_origin": 0.99987742, "false_easting": 600000.0,
        "false_northing": 2200000.0, **paris,
    }  # fmt: skip
    points = [(600000, 2400000), (650000, 2425000)]
    got = transform(Ours(lambert, "m").srs, wgs84, points)
    assert got == pytest.approx(transform(srs_of(epsg_wkt(27572)), wgs84, points), abs=1e-8)


def test_datum_shift():
    """The parameters of towgs84 are in metres, arc-seconds and parts per million, as in PROJ."""
    shift = [582.0, 105.0, 414.0, 1.04, 0.35, -3.08, 8.3]
    bessel = {"semi_major_axis": 6377397.155, "inverse_flattening": 299.1528128}
    wgs84 = srs_of("+proj=longlat +datum=WGS84")
    for count in (3, 6, 7):
        values = shift[:count]
        text = ",".join(map(repr, values + [0.0] * (7 if count > 3 else 3))).split(",")
        text = ",".join(text[: 7 if count > 3 else 3])
        reference = srs_of(
            f"+proj=tmerc +lon_0=9.5 +k=0.9996 +a=6377397.155 +rf=299.1528128 +towgs84={text} +type=crs"
        )
        ours = Ours({**TMERC, **bessel, "towgs84": values}, "m")
        assert ours.error is None and ours.warnings == []
        points = [(500000.0, 5000000.0), (0.0, 5500000.0)]
        got, wanted = transform(ours.srs, wgs84, points), transform(reference, wgs84, points)
        assert got == pytest.approx(wanted, abs=1e-9)
        unshifted = transform(Ours({**TMERC, **bessel}, "m").srs, wgs84, points)
        assert abs(got - unshifted).max() > 1e-4
    for attributes in ({"towgs84": [0.0] * 7}, {"towgs84": [1.0, 2.0, 3.0]}):
        assert Ours({**LATLON, **WGS84, **attributes}, "degrees").srs.GetAuthorityCode(None) == "4326"


def test_names_are_kept():
    ours = Ours(
        {**TMERC, **GRS80, "projected_crs_name": 'my "grid"', "geographic_crs_name": "my globe",
         "horizontal_datum_name": "my datum", "reference_ellipsoid_name": "my ellipsoid",
         "longitude_of_prime_meridian": 3.25, "prime_meridian_name": "my meridian"},
        "m",
    ).srs  # fmt: skip
    assert ours.GetName() == 'my "grid"'
    text = ours.ExportToWkt(["FORMAT=WKT2_2019"])
    for name in ("my globe", "my datum", "my ellipsoid", "my meridian"):
        assert f'"{name}"' in text
    for name in ("unknown", "undefined", "Unknown based on GRS 1980 ellipsoid"):
        srs = Ours({**LATLON, **WGS84, "horizontal_datum_name": name}, "degrees").srs
        assert srs.GetAuthorityCode(None) == "4326"


@pytest.mark.parametrize("attributes, warned", [
    ({"horizontal_datum_name": "WGS_1984", "earth_radius": 6371229.0}, "horizontal_datum_name"),
    ({"geographic_crs_name": "WGS 84", "earth_radius": 6371229.0}, "geographic_crs_name"),
    ({"reference_ellipsoid_name": "WGS 84", "earth_radius": 6371229.0}, "reference_ellipsoid_name"),
    ({"semi_major_axis": "long", "earth_radius": 6371229.0}, "semi_major_axis"),
    ({"earth_radius": 6371.229}, "earth_radius"),
])  # fmt: skip
def test_numbers_count_before_names(attributes, warned):
    """If an attribute states the radius of a sphere, the driver uses this radius. It ignores names such as WGS 84 in
    other attributes. One warning names the attribute that is ignored or corrected."""
    for mapping, units in ((LATLON, "degrees"), (TMERC, "m")):
        ours = Ours({**mapping, **attributes}, units)
        assert figure(ours.srs) == pytest.approx((6371229, 0, 0))
        assert ours.srs.GetAuthorityCode("GEOGCS") is None
        (warning,) = ours.warnings
        assert warning.startswith(f"attribute {warned}: ")


# Each case: (units of the coordinates, length of the CRS's unit in metres, name of the CRS's unit)


@pytest.mark.parametrize("units, metres, name", [
    ("m", 1, "metre"), ("metre", 1, "metre"), ("Meters", 1, "metre"), ("", 1, "metre"),
    ("km", 1000, "kilometre"), ("kilometers", 1000, "kilometre"), ("1000 m", 1000, "kilometre"),
    ("US survey foot", 1200 / 3937, "US survey foot"), ("US_survey_foot", 1200 / 3937, "US survey foot"),
    ("foot", 0.3048, "foot"), ("10 km", 10000, "10 km"), ("cm", 0.01, "centimetre"),
])  # fmt: skip
def test_linear_unit(units, metres, name):
    """The unit of the coordinates becomes the unit of the CRS and of its false origin."""
    ours = Ours({**TMERC, "false_easting": 500.0, "false_northing": -20.0}, units)
    assert ours.warnings == [] and ours.scale == 1
    assert ours.srs.GetLinearUnits() == pytest.approx(metres, rel=1e-12)
    assert ours.srs.GetLinearUnitsName() == name
    (origin,) = project(ours.srs, [(9.5, 0.0)])
    assert origin == pytest.approx([500, -20], abs=1e-9)
    far = project(ours.srs, [(9.5, 45.0)])[0][1] + 20
    assert far * metres == pytest.approx(4982950.40022, abs=1e-2)


@pytest.mark.parametrize("units", ["banana", "K", "degrees_east", "rad", "1", "m s-1", "Mm", "\u00b5"])
def test_unknown_units_mean_metres(units):
    ours = Ours(TMERC, units)
    (warning,) = ours.warnings
    assert warning.startswith("attribute units: ") and "metres" in warning
    assert ours.scale == 1 and ours.srs.GetLinearUnits() == 1


@pytest.mark.parametrize("units, degrees, warnings", [
    ("degrees_east", 1, 0), ("degree", 1, 0), ("", 1, 0), ("degrees_E", 1, 0),
    ("radians", 180 / math.pi, 0), ("rad", 180 / math.pi, 0), ("arcsec", 1 / 3600, 0),
    ("m", 1, 1), ("banana", 1, 1),
])  # fmt: skip
def test_units_of_longitude(units, degrees, warnings):
    ours = Ours(LATLON, units)
    assert len(ours.warnings) == warnings
    assert ours.scale == pytest.approx(degrees, rel=1e-14)
    assert ours.srs.GetAngularUnits() == pytest.approx(math.pi / 180)


# Invalid grid mappings give an error or warnings, never a crash. GDAL itself prints nothing.

BAD_VALUES = [None, True, "", "x", [], [1, 2, 3], {}, 1e400, -1e400, float("nan"), 1e300, -1e300, 0,
              "1e999", [[]], "\u0000", "\U0001f30d" * 100, -1, 91, 361]  # fmt: skip
EVERYTHING = {
    "standard_parallel": [30.0, 60.0], "longitude_of_central_meridian": 10.0,
    "longitude_of_projection_origin": 10.0, "straight_vertical_longitude_from_pole": 10.0,
    "latitude_of_projection_origin": 45.0, "scale_factor_at_central_meridian": 0.9996,
    "scale_factor_at_projection_origin": 0.9, "false_easting": 1.0, "false_northing": 1.0,
    "perspective_point_height": 1e7, "sweep_angle_axis": "y", "fixed_angle_axis": "x",
    "azimuth_of_central_line": 30.0, "grid_north_pole_latitude": 40.0,
    "grid_north_pole_longitude": 10.0, "north_pole_grid_longitude": 1.0, "semi_major_axis": 6378137.0,
    "semi_minor_axis": 6356752.314, "inverse_flattening": 298.257223563, "earth_radius": 6371229.0,
    "reference_ellipsoid_name": "WGS 84", "longitude_of_prime_meridian": 0.0,
    "prime_meridian_name": "Greenwich", "horizontal_datum_name": "WGS_1984",
    "geographic_crs_name": "WGS 84", "projected_crs_name": "grid", "towgs84": [0.0] * 7,
}  # fmt: skip
PROJECTIONS = [
    "albers_conical_equal_area", "azimuthal_equidistant", "geostationary",
    "lambert_azimuthal_equal_area", "lambert_conformal_conic", "lambert_cylindrical_equal_area",
    "latitude_longitude", "mercator", "oblique_mercator", "orthographic", "polar_stereographic",
    "rotated_latitude_longitude", "sinusoidal", "stereographic", "transverse_mercator",
    "vertical_perspective",
]  # fmt: skip


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_bad_values(projection):
    """Any attribute with any bad value gives a CRS, or an error that states the reason."""
    units = "rad" if projection == "geostationary" else "km"
    questions = [
        {"attributes": {**EVERYTHING, "grid_mapping_name": projection, name: value}, "units": units}
        for name in EVERYTHING
        for value in BAD_VALUES
    ]
    answers = ask_many(questions)
    assert len(answers) == len(questions)
    usable = [answer for answer in answers if "error" not in answer]
    assert len(usable) > len(answers) / 2
    for answer in answers:
        assert ("wkt" in answer) != ("error" in answer), answer
        assert answer.get("error") != ""
    for answer in usable:
        assert math.isfinite(answer["scale"]) and answer["scale"] > 0
        srs_of(answer["wkt"])


@pytest.mark.parametrize("name", [None, "", "healpix", "mercator2", 5, ["mercator"], "\u0000"])
def test_bad_names(name):
    ours = Ours({"grid_mapping_name": name, **EVERYTHING}, "m")
    assert ours.srs is None and "grid_mapping_name" in ours.error


def test_a_missing_parameter_is_named():
    ours = Ours({k: v for k, v in TMERC.items() if k != "longitude_of_central_meridian"}, "m")
    assert "longitude_of_central_meridian" in ours.error
    assert Ours({}, "m").error and Ours([], "m").error and Ours(None, "m").error


def test_impossible_parameters():
    """Parameters that are each valid but contradict each other give an error, and not a CRS that fails
    later."""
    conic = {
        "grid_mapping_name": "lambert_conformal_conic", "longitude_of_central_meridian": 0.0,
        "latitude_of_projection_origin": 0.0,
    }  # fmt: skip
    for parallels in ([30.0, -30.0], 0.0, 90.0):
        assert Ours({**conic, "standard_parallel": parallels}, "m").error
    cea = {
        "grid_mapping_name": "lambert_cylindrical_equal_area", "longitude_of_central_meridian": 0.0,
        "scale_factor_at_projection_origin": 1.5,
    }  # fmt: skip
    assert "1.5" in Ours(cea, "m").error
    assert unproject(Ours({**cea, "scale_factor_at_projection_origin": 1.0}, "m").srs, [(0, 0)])[0] == (
        pytest.approx([0, 0])
    )
