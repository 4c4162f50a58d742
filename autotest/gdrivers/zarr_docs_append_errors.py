# SPDX-License-Identifier: MIT
"""Functions that provoke the messages of docs/errors.md about appending and BAND_DIM. zarr_docs_errors.py
explains how such functions are registered."""

import numpy as np
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_docs_errors import remembers
from zarr_docs_write_errors import make_cube, source, translate
from zarr_gdal import config_options
from zarr_refusing import ACCOUNTS, refusing, servers
from zarr_store import make_store

PROVOKED = {}
provokes = remembers(PROVOKED)


def append(folder, *options, of=None, array="a"):
    """Appends a raster along the dimension time to the cube that make_cube() writes. `of` is the raster; None means the
    default raster of translate(). The cube has the times 2020-01-01 and 2020-01-02."""
    name = [f"ARRAY_NAME={array}"] if array else []
    translate(make_cube(folder), "APPEND_SUBDATASET=YES", "APPEND_DIM=time", *name, *options, of=of)


@provokes("creation option APPEND_DIM: there is no Zarr store to append to")
def _(folder):
    translate(folder / "a.zarr", "APPEND_SUBDATASET=YES", "APPEND_DIM=time")


@provokes("there is no Zarr store to append a subdataset to")
def _(folder):
    translate(folder / "a.zarr", "APPEND_SUBDATASET=YES")


@provokes('creation option APPEND_DIM: more than one array of the source\'s size has a dimension '
          '"<name>"; name one with creation option ARRAY_NAME')  # fmt: skip
def _(folder):
    append(folder, array=None)


@provokes('creation option APPEND_DIM: no array of the source\'s size, <n> x <n> pixels, has a dimension '
          '"<name>"; arrays of other sizes have it: /<path> has <n> x <n>')  # fmt: skip
def _(folder):
    store = make_store(folder, {"a": {"values": np.zeros((1, 8, 8), "u1"), "dims": ["time", "y", "x"]}}, name="c.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", of=source(4, 8))


@provokes('/<path>: "<value>" is appended after a later coordinate, so that the coordinates are no longer in '
          "order, which some programs expect; sort the store with xarray: "
          'xarray.open_zarr(...).sortby("<name>")')  # fmt: skip
def _(folder):
    append(folder, "APPEND_DIM_VALUES=2019-01-01")


@provokes('/<path>: the new slices along dimension "<name>" are zero in arrays without a nodata value; write '
          "them, or set a nodata value before: <list>")  # fmt: skip
def _(folder):
    arrays = {"a": {"values": np.zeros((1, 8, 8), "u1"), "dims": ["time", "y", "x"]},
              "n": {"values": np.zeros(1, "u1"), "dims": ["time"]}}  # fmt: skip
    store = make_store(folder, arrays, name="c.zarr")
    zarr.open_group(str(store), mode="r+")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "ARRAY_NAME=a", of=source())


@provokes('creation option APPEND_DIM: /<path> has no dimension "<name>" besides X and Y')
def _(folder):
    translate(make_cube(folder), "APPEND_SUBDATASET=YES", "APPEND_DIM=level", "ARRAY_NAME=a")


@provokes("/<path>: its rasters have <n> x <n> pixels, the source's <n> x <n>")
def _(folder):
    append(folder, "APPEND_DIM_VALUES=9", of=source(4, 8))


def append_georeferenced(folder, transform, epsg):
    """Writes a raster to a new store. Appends a second raster, which has the geotransform `transform` and the EPSG code
    `epsg`, to the array of the first one."""
    store, first, other = folder / "place.zarr", source(bands=2), source()
    for raster, geotransform, code in ((first, (0, 1, 0, 0, 0, -1), 32632), (other, transform, epsg)):
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(code)
        raster.SetGeoTransform(geotransform)
        raster.SetSpatialRef(srs)
    translate(store, of=first)
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=band", "APPEND_DIM_VALUES=new", of=other)


@provokes("/<path>: the geotransform of the source differs from that of the array")
def _(folder):
    append_georeferenced(folder, (100, 1, 0, 0, 0, -1), 32632)


@provokes("/<path>: the CRS of the source differs from that of the array")
def _(folder):
    append_georeferenced(folder, (0, 1, 0, 0, 0, -1), 32633)


@provokes("/<path> has coordinates, but band <n> of the source has none; set creation option "
          "APPEND_DIM_VALUES")  # fmt: skip
def _(folder):
    append(folder)


def grown(folder, first, other, kind=gdal.GDT_Byte, other_kind=None):
    """Writes a raster to a store, and appends a second raster. first(band) and other(band) change the bands of the
    first and of the second raster, for example their scale, so that the rasters do not fit together."""
    rasters = source(kind=kind), source(kind=other_kind or kind)
    for raster, change in zip(rasters, (first, other)):
        change(raster.GetRasterBand(1))
    translate(folder / "s.zarr", "SINGLE_ARRAY=YES", "ARRAY_NAME=v", of=rasters[0])
    root = zarr.open_group(str(folder / "s.zarr"), mode="r+")
    if root["v"].ndim == 2:
        values, attrs = root["v"][:], {**root["v"].attrs, "_ARRAY_DIMENSIONS": ["band", "y", "x"]}
        fill = root["v"].fill_value
        array = root.create_dataset("v", data=values[None], fill_value=fill, overwrite=True)
        array.attrs.put(attrs)
    translate(folder / "s.zarr", "APPEND_SUBDATASET=YES", "APPEND_DIM=band", of=rasters[1])


@provokes("/<path>: band <n> of the source has the unit <unit>, the array has <unit>")
def _(folder):
    grown(folder, lambda band: band.SetUnitType("K"), lambda band: band.SetUnitType("degC"))


@provokes("/<path>: band <n> of the source has another scale, offset or nodata value than the array; "
          "these are not converted for 64-bit integers and complex numbers")  # fmt: skip
def _(folder):
    grown(folder, lambda band: None, lambda band: band.SetScale(2), gdal.GDT_Int64)


@provokes("/<path>: <n> pixels of the source are complex, and lose their imaginary part, because the array is real")
def _(folder):
    grown(folder, lambda band: None, lambda band: band.Fill(3, 4), gdal.GDT_Float32, gdal.GDT_CFloat32)


@provokes('/<path>: band <n> of the source lies at <value> along "<name>", but element <n> of the '
          "array's coordinates differs")  # fmt: skip
def _(folder):
    cube = {"values": np.zeros((1, 1, 8, 8), "u1"), "dims": ["time", "lev", "y", "x"]}
    axes = {name: {"values": np.arange(1.0), "dims": [name]} for name in ("time", "lev")}
    store = make_store(folder, {"a": cube, **axes}, name="cube.zarr")
    raster = source()
    raster.GetRasterBand(1).SetMetadataItem("NETCDF_DIM_lev", "7")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=1", of=raster)


@provokes("/<path>: the slices are converted to the scale and the offset of the array")
def _(folder):
    grown(folder, lambda band: None, lambda band: band.SetScale(2))


@provokes("/<path>: <n> pixels of the source are out of the range of the array, and are stored as "
          "the nearest number")  # fmt: skip
def _(folder):
    grown(folder, lambda band: None, lambda band: band.Fill(999), other_kind=gdal.GDT_Int16)


@provokes("/<path>: <n> pixels of the source have the nodata value of the array, and become nodata")
def _(folder):
    grown(folder, lambda band: band.SetNoDataValue(7), lambda band: band.Fill(7))


@provokes("/<path>: <n> pixels of the source are nodata, but the array has no nodata value; they are "
          "stored unchanged")  # fmt: skip
def _(folder):
    grown(folder, lambda band: band.Fill(1), lambda band: band.SetNoDataValue(0))


@provokes("/<path>: its mask applies to the appended slices, too")
def _(folder):
    raster = source(bands=2)
    raster.CreateMaskBand(gdal.GMF_PER_DATASET)
    translate(folder / "s.zarr", of=raster)
    translate(folder / "s.zarr", "APPEND_SUBDATASET=YES", "APPEND_DIM=band", of=source())


@provokes('/<path>: bounds of the new slices along dimension "<name>" are missing; write them')
def _(folder):
    cube = {"values": np.zeros((2, 8, 8), "u1"), "dims": ["time", "y", "x"]}
    time = {"values": np.arange(2), "dims": ["time"], "attrs": {"bounds": "b"}}
    bounds = {"values": np.zeros((2, 2)), "dims": ["time", "nv"]}
    store = make_store(folder, {"a": cube, "time": time, "b": bounds}, name="cube.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=5", of=source())


def start(folder, *options, of=None):
    translate(folder / "a.zarr", *options, of=of or source(bands=2))


BAND_DIM = {
    '"<name>" is the name of the new array; set another one with creation option ARRAY_NAME': ["BAND_DIM=a"],
    "expected a name without '/' that is neither x nor y, got <value>": ["BAND_DIM=x"],
    "expected a name, because BAND_DIM_VALUES is set, got <value>": ["BAND_DIM_VALUES=1,2"],
    "expected no value, because APPEND_DIM is set, got <value>": ["BAND_DIM=t", "APPEND_DIM=t"],
    "expected no value, because SINGLE_ARRAY=NO is set, got <value>": ["BAND_DIM=t", "SINGLE_ARRAY=NO"],
}
BAND_DIM_VALUES = {
    "<n> values for <n> bands; give one for each band": "1",
    "expected no empty value, got <value>": "1,",
    "expected values that differ, got <value>": "1,1.0",
    "expected only ISO 8601 times, because one value is a time, got <value>": "2020-01-01,5",
    "expected times of whole microseconds, got <value>": "2020-01-01,2020-01-01T00:00:00.0000001",
}
for _message, _options in BAND_DIM.items():
    provokes(f"creation option BAND_DIM: {_message}")(lambda folder, options=_options: start(folder, *options))
for _message, _value in BAND_DIM_VALUES.items():
    provokes(f"creation option BAND_DIM_VALUES: {_message}")(
        lambda folder, value=_value: start(folder, "BAND_DIM=t", f"BAND_DIM_VALUES={value}")
    )


@provokes('creation option BAND_DIM: "<name>" is the name of an array or a dimension of the store with other '
          "coordinates; set the coordinates that it has with creation option BAND_DIM_VALUES, or another "
          "name")  # fmt: skip
def _(folder):
    translate(make_cube(folder), "APPEND_SUBDATASET=YES", "ARRAY_NAME=c", "BAND_DIM=time")


@provokes("creation option <name>: expected FILENAME: and a pattern with %Y, and with %m, %d, %H, %M, %S, %j or "
          "%% at most once each, got <value>")  # fmt: skip
def _(folder):
    start(folder, "BAND_DIM=time", "BAND_DIM_VALUES=FILENAME:%b")


@provokes("creation option <name>: the file name <name> has no time of the form <pattern>")
def _(folder):
    file = str(folder / "scene.tif")
    gdal.GetDriverByName("GTiff").CreateCopy(file, source())
    start(folder, "BAND_DIM=time", "BAND_DIM_VALUES=FILENAME:%Y", of=gdal.Open(file))


@provokes("creation option <name>: <value> needs a source that is read from a file")
def _(folder):
    gdal.GetDriverByName("Zarr").CreateCopy(
        str(folder / "a.zarr"), source(), options=["BAND_DIM=time", "BAND_DIM_VALUES=FILENAME:%Y"]
    )


@provokes("creation option APPEND_DIM needs a source: it is for CreateCopy and gdal_translate")
def _(folder):
    gdal.GetDriverByName("Zarr").Create(str(make_cube(folder)), 8, 8, 1, gdal.GDT_Byte, ["APPEND_DIM=time"])


@provokes("/<path>: the source's <n> bands are not a multiple of the <n> bands of a slice along <name>")
def _(folder):
    cube = {"values": np.zeros((2, 2, 8, 8), "u1"), "dims": ["time", "level", "y", "x"]}
    store = make_store(folder, {"a": cube}, name="cube.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time")


@provokes("<text> is not a number, but the coordinates /<path> are numbers")
def _(folder):
    cube = {"values": np.zeros((2, 8, 8), "u1"), "dims": ["level", "y", "x"]}
    level = {"values": np.arange(2), "dims": ["level"]}
    store = make_store(folder, {"a": cube, "level": level}, name="cube.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=level", "APPEND_DIM_VALUES=high")


@provokes("<text> cannot be stored exactly in the coordinates /<path> of dtype <type>; a new cube counts seconds if its "
          "first coordinate has a time of day, such as BAND_DIM_VALUES=2024-05-01T00:00:00")  # fmt: skip
def _(folder):
    append(folder, "APPEND_DIM_VALUES=2020-01-03T06:00:00")


@provokes("creation option APPEND_DIM_VALUES: expected a date such as 2024-05-01, or a number whose time is within "
          "the years 1 to 2999, got <value>")  # fmt: skip
def _(folder):
    append(folder, "APPEND_DIM_VALUES=20240532")


@provokes("/<path>: creation option APPEND_DIM_VALUES: <n> is read as a number, <time>; write <date> for the year")
def _(folder):
    append(folder, "APPEND_DIM_VALUES=2024")


@provokes("/<path>: coordinates of dtype <type> cannot be extended")
def _(folder):
    cube = {"values": np.zeros((2, 8, 8), "u1"), "dims": ["name", "y", "x"]}
    names = {"values": np.array([b"a", b"b"]), "dims": ["name"]}
    store = make_store(folder, {"a": cube, "name": names}, name="cube.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=name", "APPEND_DIM_VALUES=c")


@provokes("/<path>: an array of structures cannot be extended by a raster")
def _(folder):
    cube = {"values": np.zeros((2, 8, 8), [("a", "u1"), ("b", "u1")]), "dims": ["time", "y", "x"]}
    store = make_store(folder, {"a": cube}, name="cube.zarr")
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "ARRAY_NAME=a")


@provokes("creation option APPEND_DIM_VALUES: <n> values for <n> slices")
def _(folder):
    append(folder, "APPEND_DIM_VALUES=5,6")


@provokes("<text> is not a date and time")
def _(folder):
    append(folder, "APPEND_DIM_VALUES=never")


@provokes("two slices of the source have the coordinate <value> along <name>")
def _(folder):
    append(folder, "APPEND_DIM_VALUES=5,5", of=source(bands=2))


@provokes("/<path>: already exists; set another name with creation option ARRAY_NAME")
def _(folder):
    translate(make_cube(folder), "APPEND_SUBDATASET=YES", "ARRAY_NAME=a")


@provokes("/<path>: its overviews lack the appended slices; build them again")
def _(folder):
    """Appends one slice to a pyramid whose levels have 4 and 2 slices. One new slice of the first level gives
    no slice of the second level."""
    attributes = {"multiscales": [{"axes": [{"name": name, "type": "space"} for name in "zyx"],
                                   "datasets": [{"path": "0"}, {"path": "1"}], "version": "0.4"}]}  # fmt: skip
    arrays = {"0": {"values": np.zeros((4, 8, 8), "u1"), "dims": ["z", "y", "x"]},
              "1": {"values": np.zeros((2, 4, 4), "u1"), "dims": ["z", "y", "x"]}}  # fmt: skip
    store = make_store(folder, arrays, attributes)
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=z", "ARRAY_NAME=0")


@provokes(
    "/<path> has <n> coordinates, /<path> has <n> slices; append the missing slices, and no others"
)
def _(folder):
    """Another program has extended /time to 3 elements, and has written the array /other with 3 elements. The test
    appends to /a, which still has 2 slices."""
    store = make_cube(folder)
    group = zarr.open_group(str(store), mode="r+")
    group["time"].resize(3)
    group.create_dataset("other", data=np.zeros(3, "u1")).attrs["_ARRAY_DIMENSIONS"] = ["time"]
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2020-02-02", "ARRAY_NAME=a")


@provokes(
    '/<path>: descriptions of the source are not stored, because dimension "<name>" has no coordinates: <list>'
)
def _(folder):
    store, named = folder / "plain.zarr", source()
    named.GetRasterBand(1).SetDescription("a scene")
    translate(store, "BAND_DIM=time", of=source())
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", of=named)


@provokes("/<path>: most chunks have no values, so that its fill value becomes 0, which other programs take for "
          "missing; set a nodata value")  # fmt: skip
def _(folder):
    options = ["FORMAT=ZARR_V2", "BLOCKSIZE=8,8"]
    gdal.GetDriverByName("Zarr").Create(str(folder / "s.zarr"), 4096, 4096, options=options)


@provokes("cannot be read: the server says <text>: <text> (options for access: <list>)")
def _(folder):
    with refusing(404, "NoSuchBucket", "No such bucket.") as (address, _):
        with config_options(**servers(address), **ACCOUNTS["s3://"]):
            gdal.VSICurlClearCache()
            gdal.OpenEx("s3://demo/a.zarr")


@provokes("GDAL says <text> (options for access: <list>)")
def _(folder):
    with refusing(403, "AccessDenied", "Access Denied") as (address, _):
        options = {"CPL_AWS_CREDENTIALS_FILE": str(folder / "none"), "AWS_CONFIG_FILE": str(folder / "none"),
                   "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_NO_SIGN_REQUEST": "NO"}  # fmt: skip
        with config_options(**servers(address), **options, CPL_AWS_AUTODETECT_EC2="NO",
                            CPL_AWS_EC2_API_ROOT_URL=f"http://{address}"):  # fmt: skip
            gdal.VSICurlClearCache()
            gdal.OpenEx("s3://demo/a.zarr")
