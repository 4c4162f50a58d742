#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the sample stores of this folder and of pyramids/ with zarr-python 2 and a fixed seed.

    data/make_samples.py [FOLDER]      (default: the folder of this script)

Each run writes equal bytes. The landscapes are computed. Shapes, names, attributes and codecs are like those
of xarray, rioxarray and satellite products.
"""

import pathlib
import shutil
import sys

import make_pyramids
import numpy as np
import zarr
from numcodecs import Blosc, LZ4, Delta, Zlib

SEED = 20200101

UTM32_WKT = (
    'PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,'
    '298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,'
    'AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],'
    'AUTHORITY["EPSG","4326"]],PROJECTION["Transverse_Mercator"],'
    'PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],'
    'PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],'
    'PARAMETER["false_northing",0],UNIT["metre",1,AUTHORITY["EPSG","9001"]],'
    'AXIS["Easting",EAST],AXIS["Northing",NORTH],AUTHORITY["EPSG","32632"]]'
)

UTM32_CF = {
    "crs_wkt": UTM32_WKT,
    "semi_major_axis": 6378137.0,
    "semi_minor_axis": 6356752.314245179,
    "inverse_flattening": 298.257223563,
    "reference_ellipsoid_name": "WGS 84",
    "longitude_of_prime_meridian": 0.0,
    "prime_meridian_name": "Greenwich",
    "geographic_crs_name": "WGS 84",
    "horizontal_datum_name": "World Geodetic System 1984",
    "projected_crs_name": "WGS 84 / UTM zone 32N",
    "grid_mapping_name": "transverse_mercator",
    "latitude_of_projection_origin": 0.0,
    "longitude_of_central_meridian": 9.0,
    "false_easting": 500000.0,
    "false_northing": 0.0,
    "scale_factor_at_central_meridian": 0.9996,
    "spatial_ref": UTM32_WKT,
}

# Default compressor of zarr-python
DEFAULT_COMPRESSOR = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)


def rng(name):
    """Returns a random generator for the field `name`. Adding a field does not change the other fields."""
    return np.random.Generator(np.random.PCG64([SEED, *name.encode()]))


def noise(name, height, width, exponent, periodic=False):
    """Returns a random field whose power at the wavenumber k is proportional to k**-exponent. Its mean is 0,
    its standard deviation 1."""
    rows, cols = (height, width) if periodic else (2 * height, 2 * width)
    white = rng(name).standard_normal((rows, cols))
    ky = np.fft.fftfreq(rows)[:, None] * rows
    kx = np.fft.rfftfreq(cols)[None, :] * cols
    # Scales the frequencies, so that structures are as wide as high in pixels if the raster is not square.
    k = np.hypot(ky * max(rows, cols) / rows, kx * max(rows, cols) / cols)
    k[0, 0] = 1.0
    spectrum = np.fft.rfft2(white) * k ** (-exponent / 2.0)
    spectrum[0, 0] = 0.0
    field = np.fft.irfft2(spectrum, s=(rows, cols))[:height, :width]
    return (field - field.mean()) / field.std()


def new_group(folder, name, attributes):
    path = folder / name
    if path.exists():
        shutil.rmtree(path)
    group = zarr.open_group(zarr.DirectoryStore(str(path)), mode="w")
    group.attrs.put(attributes)
    return group


def add_array(group, name, data, dims, attributes, **options):
    data = np.asarray(data)
    options.setdefault("chunks", data.shape or None)
    options.setdefault("fill_value", None)
    options.setdefault("compressor", DEFAULT_COMPRESSOR)
    array = group.create_dataset(name, data=data, **options)
    array.attrs.put({"_ARRAY_DIMENSIONS": list(dims), **attributes})
    return array


def add_xy(group, easting, northing, pixel, width, height, **options):
    """Adds coordinate arrays with the centres of the pixels. (easting, northing) is the outer corner of the
    first pixel."""
    axes = (
        ("x", easting + pixel * (np.arange(width) + 0.5), "X", "projection_x_coordinate", "x"),
        ("y", northing - pixel * (np.arange(height) + 0.5), "Y", "projection_y_coordinate", "y"),
    )
    for name, values, axis, standard_name, letter in axes:
        attributes = {
            "axis": axis,
            "long_name": f"{letter} coordinate of projection",
            "standard_name": standard_name,
            "units": "metre",
        }
        add_array(group, name, values, (name,), attributes, fill_value="NaN", **options)


def terrain(folder):
    """Writes an alpine valley with a lake as rioxarray does: 600 x 800 pixels of 30 m."""
    height, width, pixel = 600, 800, 30.0
    easting, northing = 612000.0, 5214000.0
    y, x = np.mgrid[0:height, 0:width].astype("f8")

    # The river bends and flows from the south-west to the north-east. Ridged noise makes side valleys.
    wander = 45.0 * np.sin(x / 97.0) + 28.0 * np.sin(x / 41.0 + 1.3)
    from_river = np.abs(y - (430.0 - 0.28 * x + wander))
    shoulder = 1.0 - np.exp(-((from_river / 150.0) ** 2))
    ridges = 1.0 - np.abs(noise("ridges", height, width, 5.0))
    spurs = 1.0 - np.abs(noise("spurs", height, width, 4.2))
    gullies = 1.0 - np.abs(noise("gullies", height, width, 3.8))
    metres = 640.0 + 0.22 * (width - x) + 0.35 * from_river
    metres += shoulder * (1100.0 + 450.0 * ridges + 230.0 * spurs + 90.0 * gullies)
    metres = np.maximum(metres, 520.0)
    elevation = np.rint(metres).astype("i2")

    # Pixels of the lake, where the valley is widest, have no data.
    shore = 1.0 + 0.12 * noise("shore", height, width, 4.0)
    lake = ((x - 515.0) / 62.0) ** 2 + ((y - (430.0 - 0.28 * x + wander)) / 17.0) ** 2 < shore
    elevation[lake] = -32768

    group = new_group(
        folder,
        "terrain.zarr",
        {
            "Conventions": "CF-1.8",
            "title": "Synthetic alpine terrain",
            "source": "fractal noise, not a survey",
        },
    )
    add_array(
        group,
        "elevation",
        elevation,
        ("y", "x"),
        {
            "_FillValue": -32768,
            "grid_mapping": "spatial_ref",
            "long_name": "height above mean sea level",
            "standard_name": "surface_altitude",
            "units": "m",
        },
        chunks=(128, 128),
        fill_value=-32768,
        compressor=Blosc(cname="zstd", clevel=9, shuffle=Blosc.SHUFFLE),
    )
    transform = f"{easting} {pixel} 0.0 {northing} 0.0 {-pixel}"
    add_array(
        group, "spatial_ref", np.int64(0), (), {**UTM32_CF, "GeoTransform": transform}
    )
    add_xy(group, easting, northing, pixel, width, height)
    zarr.consolidate_metadata(group.store)


def temperature(folder):
    """Writes temperatures: monthly means of two years on a global grid of 2 degrees, packed into integers as
    xarray does."""
    months, height, width = 24, 90, 180
    lat = 89.0 - 2.0 * np.arange(height)
    lon = -179.0 + 2.0 * np.arange(width)
    days = (
        np.arange("2020-01", "2022-01", dtype="M8[M]").astype("M8[D]") - np.datetime64("2020-01-01")
    ).astype("i8")

    land = 1.0 / (1.0 + np.exp(-4.0 * noise("land", height, width, 4.2, periodic=True)))
    phi = np.deg2rad(lat)[:, None]
    annual = 302.0 - 52.0 * np.sin(phi) ** 2 + 4.0 * np.cos(3.0 * phi)
    swing = (3.0 + 20.0 * land) * np.sin(phi)
    kelvin = np.empty((months, height, width))
    for month in range(months):
        season = np.cos(2.0 * np.pi * (month - 6.5) / 12.0)
        weather = noise(f"weather{month}", height, width, 5.0, periodic=True)
        kelvin[month] = annual - 6.0 * land + swing * season + 1.5 * weather
    packed = np.rint((kelvin - 273.15) / 0.2).astype("i2")
    # Pixels around the pole have no data in January of the second year.
    packed[12, :3, :] = -32767

    group = new_group(
        folder,
        "temperature.zarr",
        {
            "Conventions": "CF-1.8",
            "title": "Synthetic monthly mean air temperature",
            "institution": "none: made for tests",
        },
    )
    add_array(
        group,
        "air_temperature",
        packed,
        ("time", "lat", "lon"),
        {
            "add_offset": 273.15,
            "cell_methods": "time: mean",
            "long_name": "air temperature at 2 m",
            "scale_factor": 0.2,
            "standard_name": "air_temperature",
            "units": "K",
        },
        chunks=(6, 45, 90),
        fill_value=-32767,
        filters=[Delta(dtype="<i2")],
        compressor=Zlib(level=9),
    )
    calendar = {"calendar": "proleptic_gregorian", "units": "days since 2020-01-01"}
    add_array(group, "time", days, ("time",), {**calendar, "axis": "T", "standard_name": "time"})
    axes = (("lat", lat, "Y", "latitude", "north"), ("lon", lon, "X", "longitude", "east"))
    for name, values, axis, standard_name, towards in axes:
        attributes = {
            "axis": axis,
            "long_name": standard_name,
            "standard_name": standard_name,
            "units": f"degrees_{towards}",
        }
        add_array(group, name, values, (name,), attributes, fill_value="NaN")
    zarr.consolidate_metadata(group.store)


def scene(name, height, width):
    """Returns ({band: reflectances}, mask of the sea) of a coast with a town."""
    y, x = np.mgrid[0:height, 0:width] / float(max(height, width))
    relief = noise(name + "relief", height, width, 3.6)
    coast = 0.45 + 0.10 * np.sin(9.0 * x) + 0.05 * relief - y * 0.15
    depth = np.clip((y - coast) / 0.4, -1.0, 1.0)
    sea = depth > 0.0
    green = 1.0 / (1.0 + np.exp(-3.0 * noise(name + "forest", height, width, 4.0)))

    # Fields and streets form grids. The town is at the bend of the coast.
    rows, cols = np.mgrid[0:height, 0:width]
    plots = rng(name + "plots").uniform(-0.05, 0.05, (height // 12 + 1, width // 16 + 1))
    field = plots[rows // 12, cols // 16]
    town = (np.hypot(x - 0.62, y - 0.30) < 0.13 + 0.015 * relief) & ~sea
    street = (rows % 8 == 0) | (cols % 10 == 0)
    house = rng(name + "houses").uniform(0.0, 0.12, (height // 8 + 1, width // 10 + 1))
    beach = ~sea & (depth > -0.035)

    land = {
        "b02": 0.10 - 0.05 * green + 0.4 * field,
        "b03": 0.15 - 0.06 * green + field,
        "b04": 0.18 - 0.12 * green + field,
        "b05": 0.22 - 0.04 * green + field,
        "b08": 0.24 + 0.20 * green + field,
        "b11": 0.30 - 0.10 * green + field,
    }
    water = {"b02": 0.12, "b03": 0.11, "b04": 0.05, "b05": 0.04, "b08": 0.02, "b11": 0.01}
    roof = {"b02": 0.16, "b03": 0.17, "b04": 0.24, "b05": 0.25, "b08": 0.27, "b11": 0.28}
    bands = {}
    for band, value in land.items():
        value = value + 0.01 * relief
        value = np.where(town, roof[band] + house[rows // 8, cols // 10], value)
        value = np.where(town & street, 0.14, value)
        value = np.where(beach & ~town, 0.38, value)
        value = np.where(sea, water[band] * np.exp(-2.2 * np.maximum(depth, 0.0)), value)
        bands[band] = np.clip(value, 0.0, 1.0)
    return bands, sea


def satellite_rgb(folder):
    """Writes a coast with a town in true colours, with the dimensions (band, y, x). The coordinates of `band` are
    the names of the bands."""
    height, width, pixel = 280, 360, 10.0
    bands, _ = scene("rgb", height, width)
    image = np.stack([np.rint(np.clip(bands[b] / 0.4, 0, 1) * 255) for b in ("b04", "b03", "b02")])

    group = new_group(
        folder, "satellite_rgb.zarr", {"Conventions": "CF-1.8", "title": "Synthetic coast and town"}
    )
    add_array(
        group,
        "rgb",
        image.astype("u1"),
        ("band", "y", "x"),
        {
            "grid_mapping": "crs",
            "long_name": "true colour image",
            "valid_range": [0, 255],
        },
        chunks=(1, 128, 128),
        compressor=Blosc(cname="lz4hc", clevel=9, shuffle=Blosc.NOSHUFFLE),
    )
    names = np.array(["red", "green", "blue"], dtype="<U5")
    add_array(group, "band", names, ("band",), {"long_name": "band name"}, fill_value="")
    add_array(group, "crs", np.int32(0), (), UTM32_CF, compressor=None)
    add_xy(group, 688000.0, 4920000.0, pixel, width, height, compressor=LZ4(acceleration=1))
    zarr.consolidate_metadata(group.store)


def product(folder):
    """Writes a product like one of Sentinel-2: no consolidated metadata, and nested chunk keys. Three groups
    have 2D arrays on different grids: 10 m, 20 m, and the coarse grid of angles."""
    easting, northing, size = 399960.0, 5300040.0, 160
    bands, sea = scene("product", size, size)
    root = new_group(
        folder,
        "product.zarr",
        {
            "stac_discovery": {
                "type": "Feature",
                "stac_version": "1.0.0",
                "id": "SYNTHETIC_MSIL2A_20230715T102601_T32UMU",
                "properties": {
                    "datetime": "2023-07-15T10:26:01Z",
                    "platform": "synthetic",
                    "proj:epsg": 32632,
                },
            },
        },
    )
    packing = {
        "scale_factor": 0.0001,
        "add_offset": -0.1,
        "valid_min": 1,
        "valid_max": 65535,
        "units": "1",
    }
    squeeze = {
        "compressor": Blosc(cname="zstd", clevel=9, shuffle=Blosc.BITSHUFFLE),
        "dimension_separator": "/",
    }

    def grid(path, pixel, count):
        group = root.create_group(path)
        transform = [pixel, 0.0, easting, 0.0, -pixel, northing]
        group.attrs.put({"proj:epsg": 32632, "proj:transform": transform})
        add_xy(group, easting, northing, pixel, count, count, dimension_separator="/")
        return group

    wavelengths = {"b02": 492, "b03": 560, "b04": 665, "b05": 704, "b08": 833, "b11": 1614}
    for path, pixel, names in (
        ("measurements/r10m", 10.0, ("b02", "b03", "b04", "b08")),
        ("measurements/r20m", 20.0, ("b05", "b11")),
    ):
        step = int(pixel) // 10
        group = grid(path, pixel, size // step)
        for band in names:
            reflectance = bands[band][::step, ::step]
            numbers = np.rint((reflectance + 0.1) * 1000.0).astype("u2") * 10
            numbers[:4, :7] = 0  # this corner is outside of the swath
            attributes = {
                **packing,
                "long_name": f"reflectance of band {band.upper()} at {wavelengths[band]} nm",
                "standard_name": "surface_bidirectional_reflectance",
            }
            add_array(group, band, numbers, ("y", "x"), attributes, chunks=(64, 64), fill_value=0,
                      **squeeze)

    group = grid("conditions/geometry", 400.0, 4)
    slope = np.add.outer(np.arange(4.0), 0.25 * np.arange(4.0))
    for name, first in (("sun_azimuth", 152.0), ("sun_zenith", 31.5)):
        add_array(group, name, (first + 0.01 * slope).astype("f4"), ("y", "x"),
                  {"long_name": name.replace("_", " ") + " angle", "units": "degree"},
                  fill_value="NaN", **squeeze)

    group = grid("quality/mask", 20.0, size // 2)
    cloud = noise("cloud", size // 2, size // 2, 3.6) > 1.1
    classes = np.where(cloud, 3, np.where(sea[::2, ::2], 2, 1)).astype("u1")
    add_array(group, "classification", classes, ("y", "x"),
              {"long_name": "scene classification", "flag_values": [1, 2, 3],
               "flag_meanings": "land water cloud"},
              chunks=(64, 64), fill_value=0, **squeeze)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    folder.mkdir(parents=True, exist_ok=True)
    for make in (terrain, temperature, satellite_rgb, product):
        make(folder)
    make_pyramids.make(folder / "pyramids")


if __name__ == "__main__":
    main()
