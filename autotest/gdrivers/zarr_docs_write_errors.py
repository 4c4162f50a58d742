# SPDX-License-Identifier: MIT
"""Functions that provoke the messages of docs/errors.md about writing and attributes. zarr_docs_errors.py
explains how such functions are registered."""

import fcntl
import os
import resource
import shutil
import signal
import time
import zipfile

import numpy as np
import zarr_python as zarr
from osgeo import gdal
from zarr_docs_errors import DATA, read, remembers, update
from zarr_gdal import array_name, config_options, error_log
from zarr_http import Served
from zarr_object_server import DENIED, ObjectServer, endless_page
from zarr_object_server import DENIED, INTERNAL, ObjectServer
from zarr_processes import Process
from zarr_store import make_array, make_store, zip_folder

PROVOKED = {}
provokes = remembers(PROVOKED)


def source(width=8, height=8, bands=1, kind=gdal.GDT_Byte):
    return gdal.GetDriverByName("MEM").Create("", width, height, bands, kind)


def translate(target, *options, of=None):
    gdal.Translate(str(target), of or source(), format="Zarr", creationOptions=list(options))


def make_cube(folder):
    cube = {"values": np.zeros((2, 8, 8), "u1"), "dims": ["time", "y", "x"]}
    time = {"values": np.arange(2), "dims": ["time"], "attrs": {"units": "days since 2020-01-01"}}
    return make_store(folder, {"a": cube, "b": cube, "time": time}, name="cube.zarr")


def with_place(folder, *others):
    """Writes a store with the array /a, coordinates, and arrays `others` that share them."""
    arrays = {name: {"values": np.zeros((3, 4)), "dims": ["y", "x"]} for name in ("a", *others)}
    axes = {"y": {"values": np.arange(3.0), "dims": ["y"]}, "x": {"values": np.arange(4.0), "dims": ["x"]}}
    return make_store(folder, arrays | axes)


def with_overviews(folder):
    """Writes the store of make_cube(), and builds overviews of its array /a. Returns the store."""
    store = make_cube(folder)
    with error_log() as log:
        update(array_name(store, "a")).BuildOverviews("NEAREST", [2])
    assert log.errors == []
    return store


def add_point(store):
    update(array_name(store, "a")).SetGCPs([gdal.GCP(1, 2, 3, 4, 5)], "")


@provokes("A geotransform previously set is going to be cleared due to the setting of GCPs.")
def _(folder):
    add_point(with_place(folder))


@provokes("GCPs previously set are going to be cleared due to the setting of a geotransform.")
def _(folder):
    store = with_place(folder)
    with error_log():
        add_point(store)
    update(array_name(store, "a")).SetGeoTransform((0, 1, 0, 9, 0, -1))


@provokes("/<path>: the geotransform is not cleared, because other arrays use the coordinates /<path>")
def _(folder):
    add_point(with_place(folder, "b"))


# Messages about writing


@provokes("cannot be created: <reason>")
def _(folder):
    translate("/dev/null/new.zarr")


def refer(target, form, of):
    gdal.GetDriverByName("Zarr").CreateCopy(str(target), of, options=[f"CONVERT_TO_KERCHUNK_{form}=YES"])


def multidim(folder, **options):
    return gdal.OpenEx(str(make_store(folder, {"a": np.zeros((4, 4))}, **options)), gdal.OF_MULTIDIM_RASTER)


@provokes("is a file without references, so it is not overwritten")
def _(folder):
    (folder / "a.json").write_text("{}")
    refer(folder / "a.json", "JSON", multidim(folder))


@provokes("the name of references in JSON ends in .json, so that readers recognise them")
def _(folder):
    refer(folder / "a.txt", "JSON", multidim(folder))


@provokes("references can be made only for Zarr stores and multidimensional datasets, and the source is neither")
def _(folder):
    refer(folder / "a.json", "JSON", source())


@provokes("<key>: is compressed in the zip file, so that references cannot name its bytes; store the members "
          "uncompressed")  # fmt: skip
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4))})
    archive = zip_folder(store, folder / "a.zarr.zip", compression=zipfile.ZIP_DEFLATED)
    refer(folder / "a.json", "JSON", gdal.OpenEx(str(archive), gdal.OF_MULTIDIM_RASTER))


@provokes("<key>: references in Parquet describe stores of Zarr v2 only; write this store of Zarr v3 as references "
          "in JSON")  # fmt: skip
def _(folder):
    translate(folder / "a.zarr", "FORMAT=ZARR_V3")
    refer(folder / "a.parq", "PARQUET_REFERENCE", gdal.OpenEx(str(folder / "a.zarr"), gdal.OF_MULTIDIM_RASTER))


@provokes("holds <name> and no Zarr store, so it is not overwritten")
def _(folder):
    (folder / "letter.txt").write_text("dear")
    translate(folder)


@provokes("holds <name> beside a Zarr store, so it is not overwritten")
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4))})
    (store / "letter.txt").write_text("dear")
    translate(store)


@provokes("is a file, so it is not overwritten; a store in one file is named x.zarr.zip or x.ozx")
def _(folder):
    (folder / "letter.txt").write_text("dear")
    translate(folder / "letter.txt")


@provokes("not a Zarr store")
def _(folder):
    gdal.GetDriverByName("Zarr").Delete(str(folder))


@provokes("is not overwritten, because the source is read from it")
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4))})
    before = os.getcwd()
    os.chdir(store)
    try:
        translate(".", of=gdal.Translate("", ".", format="VRT"))
    finally:
        os.chdir(before)


@provokes("is open as a dataset in this process, so it is not <deleted, renamed or overwritten>; close the dataset first")
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4))})
    dataset = gdal.Open(str(store))
    gdal.GetDriverByName("Zarr").Delete(str(store))
    dataset.FlushCache()


@provokes("a zip file on a server cannot be updated in place; update a local copy")
def _(folder):
    zip_folder(DATA / "terrain.zarr", folder / "t.zarr.zip")
    with Served(folder) as served:
        update(f"ZARR:{served.url}/t.zarr.zip")


def hold(report, path):
    dataset = gdal.OpenEx(str(path), gdal.OF_RASTER | gdal.OF_UPDATE)
    report("open" if dataset else "closed")
    signal.pause()


@provokes("the zip file is open for update in another process; waited <n> s, set LOCK_TIMEOUT or ZARR_LOCK_TIMEOUT to "
          "wait longer")  # fmt: skip
def _(folder):
    path = zip_folder(DATA / "terrain.zarr", folder / "t.zarr.zip")
    other = Process(hold, path)
    other.wait_for("open")
    try:
        with config_options(ZARR_LOCK_TIMEOUT="0.01"):
            update(path)
    finally:
        other.kill()


@provokes("the zip file is open for update in this process, by another path; close that first")
def _(folder):
    path = zip_folder(DATA / "terrain.zarr", folder / "t.zarr.zip", "a")
    first = update(f"/vsizip/{path}/a")
    update(path)
    first.FlushCache()


@provokes(
    "the zip file was replaced or removed after it was opened, so nothing is written to it; "
    "open it again"
)
def _(folder):
    path = zip_folder(DATA / "terrain.zarr", folder / "t.zarr.zip")
    dataset = update(f'ZARR:"{path}":/elevation')
    dataset.GetRasterBand(1).Fill(1)
    path.unlink()
    dataset.FlushCache()


@provokes("the zip file has data before its first member, so it is read-only")
def _(folder):
    path = zip_folder(DATA / "terrain.zarr", folder / "t.zarr.zip")
    path.write_bytes(b"PK\3\4" + bytes(96) + path.read_bytes())
    update(path)


@provokes("/<path>: its bands differ in scale, offset, unit or nodata, but an array stores only the value "
          "that was set last; creation option SINGLE_ARRAY=NO gives each band an array")  # fmt: skip
def _(folder):
    dataset = gdal.GetDriverByName("Zarr").Create(str(folder / "a.zarr"), 4, 4, 2)
    dataset.GetRasterBand(1).SetScale(2)


@provokes("/<path>: nodata value <value> does not fit <type>; no nodata value is set")
def _(folder):
    dataset = gdal.GetDriverByName("Zarr").Create(str(folder / "a.zarr"), 4, 4)
    dataset.GetRasterBand(1).SetNoDataValue(-9999)


@provokes("is older than the raster, so it is not used; gdaladdo -ro builds it again")
def _(folder):
    gdal.GetDriverByName("Zarr").Create(str(folder / "a.zarr"), 4, 4)
    (folder / "a.zarr.ovr").write_bytes(b"")
    time.sleep(0.05)
    dataset = update(folder / "a.zarr")
    dataset.GetRasterBand(1).Fill(1)
    dataset = None
    gdal.Open(str(folder / "a.zarr"))


@provokes("is older than the array that it masks, so it is not used; write the mask again, or touch the "
          "file if the mask is still right")  # fmt: skip
def _(folder):
    (folder / "b.msk").write_bytes(b"")
    time.sleep(0.05)
    gdal.GetDriverByName("Zarr").Create(str(folder / "a.zarr"), 4, 4)
    os.rename(folder / "b.msk", folder / "a.zarr.msk")
    gdal.Open(str(folder / "a.zarr"))


@provokes("the mask of the source is not stored with the appended slices")
def _(folder):
    source = gdal.GetDriverByName("MEM").Create("", 4, 4, 2)
    driver = gdal.GetDriverByName("Zarr")
    driver.CreateCopy(str(folder / "a.zarr"), source)
    source.CreateMaskBand(gdal.GMF_PER_DATASET)
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=band"]
    driver.CreateCopy(str(folder / "a.zarr"), source, options=options)


@provokes("/<node>: xcube levels are separate stores; name each by its path")
def _(folder):
    translate(folder / "a.levels/0.zarr")
    translate(f'ZARR:"{folder / "a.levels"}":/b')


@provokes("is a store, which cannot be moved into <store>; gdalmanage copy copies it there as a group")
def _(folder):
    translate(folder / "a.zarr")
    translate(folder / "b.zarr")
    gdal.GetDriverByName("Zarr").Rename(str(folder / "a.zarr/b"), str(folder / "b.zarr"))


@provokes("HTTP stores are read-only")
def _(folder):
    with Served(folder) as served:
        translate(f"{served.url}/t.zarr")


@provokes("<key>: cannot write: <reason>")
def _(folder):
    def write(report):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        raster = source(64, 64)
        raster.GetRasterBand(1).WriteArray(np.random.default_rng(1).integers(0, 255, (64, 64)))
        with error_log() as log:
            translate(folder / "full.zarr", "COMPRESS=NONE", of=raster)
        for text in log.errors:
            report(text.replace("\n", " "))

    return Process(write).finish()


@provokes("opened for update by the parent process; open it again in this process")
def _(folder):
    store = folder / "terrain.zarr"
    shutil.copytree(DATA / "terrain.zarr", store)
    dataset = update(store)

    def write(report):
        with error_log() as log:
            dataset.GetRasterBand(1).WriteArray(np.zeros((4, 4)))
            dataset.FlushCache()
        for text in log.errors:
            report(text.replace("\n", " "))

    return Process(write).finish()


@provokes("open option WRAP_LONGITUDE is not allowed in update mode: it reorders columns")
def _(folder):
    update(DATA / "temperature.zarr", "WRAP_LONGITUDE=YES")


@provokes("open option NORTH_UP is not allowed in update mode: it reorders rows")
def _(folder):
    update(DATA / "temperature.zarr", "NORTH_UP=YES")


@provokes("data type <type> is not supported by Zarr; use CFloat32 or CFloat64")
def _(folder):
    translate(folder / "a.zarr", of=source(kind=gdal.GDT_CInt16))


@provokes("creation option COMPRESS: expected data type <types> with <format>, got <type>")
def _(folder):
    translate(folder / "a.zarr", "COMPRESS=JPEG", of=source(bands=3, kind=gdal.GDT_UInt16))


@provokes("creation option COMPRESS: expected 3 or 4 bands with WEBP, in one array without BAND_DIM, dimensions of a cube or "
          "PROFILE=OME, got \"<n>\"")  # fmt: skip
def _(folder):
    translate(folder / "a.zarr", "COMPRESS=WEBP")


@provokes("<member>: <codec>: <format> images have <numbers> samples, which are the last dimension of a chunk; chunks of "
          "<shape> do not fit")  # fmt: skip
def _(folder):
    translate(folder / "a.zarr", "COMPRESS=JPEG", "INTERLEAVE=PIXEL", of=source(bands=4))


@provokes("<member>: <codec>: writing needs GDAL's driver <name> with its writer, which this GDAL lacks or skips; install "
          "it, or remove it from GDAL_SKIP")  # fmt: skip
def _(folder):
    raster, memory = source(), gdal.GetDriverByName("MEM")
    memory.Deregister()
    try:
        translate(folder / "a.zarr", "COMPRESS=PNG", of=raster)
    finally:
        memory.Register()


@provokes("creation option <name>: Zarr has no <value>; the default <value> is used")
def _(folder):
    translate(folder / "a.zarr", "COMPRESS=LZW")


@provokes("creation option <name>: expected <what>, got <value>")
def _(folder):
    translate(folder / "a.zarr", "BLOCKSIZE=0")


@provokes("creation option FILTER: <name> changes values of dtype <type>: <change>")
def _(folder):
    translate(folder / "a.zarr", "FILTER=DELTA", of=source(kind=gdal.GDT_Float32))


@provokes("/<path>: filter <name> changes the nodata value <value> to <value>; nodata pixels become valid")
def _(folder):
    raster = source(kind=gdal.GDT_Float32)
    raster.GetRasterBand(1).SetNoDataValue(-9999)
    translate(folder / "a.zarr", "FILTER=BITROUND", "BITROUND_KEEPBITS=3", of=raster)


@provokes("/<node>: is of Zarr <version>, but the store is of <version>; gdal_translate and gdalmdimtranslate convert it")  # fmt: skip
def _(folder):
    for version in (2, 3):
        translate(folder / f"{version}.zarr", f"FORMAT=ZARR_V{version}", "ARRAY_NAME=a")
    driver = gdal.GetDriverByName("Zarr")
    driver.CopyFiles(str(folder / "3.zarr" / "b"), array_name(folder / "2.zarr", "a"))


@provokes("/<node>: the target is the source itself, or lies inside of the source")
def _(folder):
    translate(folder / "a.zarr", "ARRAY_NAME=g/a")
    gdal.GetDriverByName("Zarr").CopyFiles(str(folder / "a.zarr/g/b"), str(folder / "a.zarr/g"))


@provokes("creation option BLOCKSIZE: expected <n> numbers, one for each dimension, got <n>")
def _(folder):
    translate(folder / "a.zarr", "BLOCKSIZE=1,2,3")


@provokes("another writer is changing the store (<holder>); waited <n> s, set LOCK_TIMEOUT or ZARR_LOCK_TIMEOUT to "
          "wait longer")  # fmt: skip
def _(folder):
    store = make_cube(folder)
    held = os.open(store, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    translate(store, "APPEND_SUBDATASET=YES", "APPEND_DIM=time", "ARRAY_NAME=a", "LOCK_TIMEOUT=0.01")
    os.close(held)


@provokes('creation option LOCK_TIMEOUT: expected a number of seconds from 0 to 31622400, got "<value>"')
def _(folder):
    translate(folder / "a.zarr", "LOCK_TIMEOUT=soon")


def append_to_object(*options):
    make = ["BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01", "ARRAY_NAME=a"]
    translate("/vsis3/demo/a.zarr", *make)
    append = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2024-05-02", "ARRAY_NAME=a"]
    translate("/vsis3/demo/a.zarr", *append, *options)


@provokes("REQUIRE_LOCK: the store cannot be locked against other processes: <reason>")
def _(_folder):
    with ObjectServer():
        append_to_object("REQUIRE_LOCK=YES")


@provokes("the lock object cannot be written: <reason>")
def _(_folder):
    with ObjectServer(GDAL_HTTP_MAX_RETRY="0") as server:
        server.fail(INTERNAL, kind="PUT", key=r"\.lock$")
        append_to_object()


@provokes("SYNCHRONIZER: <folder>: lock files need a local folder")
def _(folder):
    translate(folder / "a.zarr", "SYNCHRONIZER=/vsimem/locks")


# Messages about appending


@provokes("creation option PROFILE=OME: the group /<path> has the metadata of another image; name a new "
          "group with creation option ARRAY_NAME, such as ARRAY_NAME=name/0")  # fmt: skip
def _(folder):
    translate(folder / "a.zarr", "PROFILE=OME", "ARRAY_NAME=cells/0")
    translate(folder / "a.zarr", "PROFILE=OME", "ARRAY_NAME=cells/1", "APPEND_SUBDATASET=YES")


# Messages about overviews


@provokes("/<path>: its overviews are outdated by this write; build them again when all is written")
def _(folder):
    dataset = update(array_name(with_overviews(folder), "a"))
    dataset.GetRasterBand(1).WriteArray(np.ones((8, 8), "u1"))


@provokes("overviews beside the store have no mask, unlike the raster: they show masked pixels as valid; "
          "open it for update to build them in the store")  # fmt: skip
def _(folder):
    dataset = gdal.GetDriverByName("Zarr").Create(str(folder / "a.zarr"), 8, 8)
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset = None
    gdal.Open(str(folder / "a.zarr")).BuildOverviews("NEAREST", [2])


@provokes("<origin>: level /<path> has no mask, unlike /<path>; it is left out")
def _(folder):
    store = with_overviews(folder)
    dataset = update(array_name(store, "a"))
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset = None
    dataset = gdal.Open(array_name(store, "a"))
    dataset.GetRasterBand(1).GetOverviewCount()


@provokes("<origin>: level /<path> was made from other values than /<path> holds now; build the overviews "
          "anew; it is left out")  # fmt: skip
def _(folder):
    store = with_overviews(folder)
    zarr.open_group(str(store), mode="r+")["a"][...] = 7
    dataset = gdal.Open(array_name(store, "a"))
    dataset.GetRasterBand(1).GetOverviewCount()


@provokes("<origin>: level /<path> is incomplete, because building it was interrupted; build the overviews "
          "anew; it is left out")  # fmt: skip
def _(folder):
    store = with_overviews(folder)
    with error_log():
        update(array_name(store, "a")).BuildOverviews("AVERAGE", [2], lambda *_: 0)
    dataset = gdal.Open(array_name(store, "a"))
    dataset.GetRasterBand(1).GetOverviewCount()


@provokes("/<path>: another process has changed the size of the array since it was opened; open it again")
def _(folder):
    store = make_cube(folder)
    dataset = update(array_name(store, "a"))
    array = zarr.open_group(str(store), mode="r+")["a"]
    array.resize((3, 8, 8))
    dataset.BuildOverviews("NEAREST", [2])


@provokes("<origin>: level /<path> has dtype <dtype>, not <dtype> as /<path>; it is left out")
def _(folder):
    levels = {"multiscales": [{"version": "0.4", "datasets": [{"path": "0"}, {"path": "1"}]}]}
    read(make_store(folder, {"0": np.zeros((8, 8)), "1": np.zeros((4, 4), "i2")}, levels))


def read_levels(folder, first, second):
    levels = {"multiscales": [{"version": "0.4", "datasets": [{"path": "0"}, {"path": "1"}]}]}
    items = {"0": {"values": np.zeros((8, 8)), "attrs": first}, "1": {"values": np.zeros((4, 4)), "attrs": second}}
    read(make_store(folder, items, levels))


@provokes("<origin>: level /<path> has <what> <value>, not <value> as /<path>; it is left out")
def _(folder):
    read_levels(folder, {"scale_factor": 0.5}, {"scale_factor": 2})


@provokes("<origin>: level /<path> has CRS EPSG:<n>, not EPSG:<n> as /<path>; it is left out")
def _(folder):
    read_levels(folder, {"proj:code": "EPSG:32632"}, {"proj:code": "EPSG:32633"})


def read_layout(folder, **said):
    """Opens and reads a pyramid of two levels. `said` are members of the second level in the attribute
    `multiscales`."""
    layout = [{"asset": "0"}, {"asset": "1", **said}]
    levels = {"0": np.zeros((8, 8)), "1": np.zeros((4, 4))}
    read(make_store(folder, levels, {"multiscales": {"layout": layout}}))


@provokes("<origin>: scale: <n> along <name> does not reduce <n> elements to <n>; it is ignored")
def _(folder):
    read_layout(folder, derived_from="0", transform={"scale": [3, 3]})


@provokes("<origin>: spatial:shape: is [<n>, <n>], but the level has [<n>, <n>]; it is ignored")
def _(folder):
    read_layout(folder, **{"spatial:shape": [4, 5]})


@provokes("<origin>: derived_from: /<path> does not exist; it is ignored")
def _(folder):
    read_layout(folder, derived_from="a")


@provokes("has overviews in the store; open it for update to change them")
def _(folder):
    gdal.Open(str(DATA / "pyramids" / "ome_0.4.zarr")).BuildOverviews("NEAREST", [2])


@provokes("has <n> bands, more than the maximum of 65535 for overviews beside the store; open it for "
          "update to build overviews in the store")  # fmt: skip
def _(folder):
    name = make_array(folder, np.zeros((65536, 2, 2), "u1"), chunks=(65536, 2, 2))
    dataset = gdal.Open(f'ZARR:"{name}"')
    assert dataset.RasterCount == 65536
    dataset.BuildOverviews("NEAREST", [2])


@provokes("a dimension has <n> elements, too many for coordinate arrays; the geotransform is written as "
          "the attribute spatial:transform, which not every reader supports")  # fmt: skip
def _(folder):
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(str(folder / "wide.zarr"), 1 << 25, 1, 1, gdal.GDT_Byte)
    dataset.SetGeoTransform((10, 0.5, 0, 20, 0, -0.5))


@provokes("has no bands to build overviews of")
def _(folder):
    update(make_cube(folder)).BuildOverviews("NEAREST", [2])


def of_others(folder):
    shutil.copytree(DATA / "pyramids" / "ome_0.4.zarr", folder / "others.zarr")
    return update(folder / "others.zarr")


@provokes("the levels of this pyramid were not built by GDAL: existing levels can be filled "
          "again, but a level of factor <n> cannot be added")  # fmt: skip
def _(folder):
    of_others(folder).BuildOverviews("NEAREST", [8])


@provokes("the levels of this pyramid were not built by GDAL, so they are not removed")
def _(folder):
    of_others(folder).BuildOverviews("NONE", [])


# Messages about attributes


def described(folder, attributes, **arrays):
    """Opens a raster with the attributes `attributes`, and requests its CRS and the names of its bands. `arrays` are
    other arrays of the store."""
    values = {"values": np.zeros((2, 4, 4)), "dims": ["time", "y", "x"], "attrs": attributes}
    dataset = gdal.Open(array_name(make_store(folder, {"a": values, **arrays}), "a"))
    dataset.GetSpatialRef()
    dataset.GetRasterBand(1).GetDescription()


@provokes("/<path>: attribute _ARRAY_DIMENSIONS: expected <n> names, got <value>")
def _(folder):
    make = {"values": np.zeros((4, 4)), "dims": ["a"]}
    gdal.Open(str(make_store(folder, {"a": make})))


@provokes("/<path>: attribute _CRS.url: not a CRS that PROJ knows: <cause>")
def _(folder):
    described(folder, {"_CRS": {"url": "EPSG:1"}})


@provokes("/<path>: attribute _CRS.url: <text> is not WKT, PROJJSON, PROJ string, or authority with a code")
def _(folder):
    described(folder, {"_CRS": {"url": "here"}})


@provokes("/<path>: attribute _CRS.wkt: +init names a file; a CRS in a store must not refer to files")
def _(folder):
    described(folder, {"_CRS": {"wkt": f"+init={folder}/epsg:4326"}})


@provokes("/<path>: +nadgrids names the file <path>, which is not read; the datum shift is "
          "ignored")  # fmt: skip
def _(folder):
    described(folder, {"_CRS": {"wkt": f"+proj=longlat +ellps=bessel +nadgrids={folder}/a.gsb"}})


@provokes("/<path>: attribute grid_mapping: <value> names no variable of the group or a group above it")
def _(folder):
    described(folder, {"grid_mapping": "nowhere"})


@provokes("/<path>: grid mapping /<path>: attribute epsg_code: <code> is not the CRS of the other "
          "attributes, which are used")  # fmt: skip
def _(folder):
    crs = {"grid_mapping_name": "latitude_longitude", "epsg_code": "EPSG:32632"}
    described(folder, {"grid_mapping": "crs"}, crs={"values": np.array(0), "attrs": crs})


@provokes("/<path>: attribute ProjCoordTransGeoKey: <n>: this projection of a user-defined CRS is not supported")
def _(folder):
    keys = {"GTModelTypeGeoKey": 1, "ProjectedCSTypeGeoKey": 32767, "GeographicTypeGeoKey": 4326}
    described(folder, {**keys, "ProjCoordTransGeoKey": 23})


@provokes("/<path>: attribute SCALE and OFFSET of a TIFF file with <n> bands: the band is not stated; all bands get "
          "the value")  # fmt: skip
def _(folder):
    tags = {"GTModelTypeGeoKey": 1, "SCALE": "0.5", "OFFSET": "3"}
    read(make_array(folder, np.zeros((20, 20, 2), "i2"), attrs=tags))


@provokes("/<path>: attribute <name>: is for a raster of <n> x <n> pixels (<name> or <name>) "
          "and is ignored for this raster of <n> x <n>")  # fmt: skip
def _(folder):
    described(folder, {"spatial:transform": [1, 0, 0, 0, -1, 0], "spatial:shape": [7, 9]})


@provokes("/<path>: attribute <name> disagrees with the coordinate arrays; the attribute is used")
def _(folder):
    axes = {name: {"values": np.arange(4.0) * 10, "dims": [name]} for name in ("y", "x")}
    described(folder, {"spatial:transform": [1, 0, 0, 0, -1, 0]}, **axes)


@provokes("/<path>: the cells of <grid> are not in rows and columns; there is no geotransform")
def _(folder):
    cells = {"values": np.zeros((2, 4)), "dims": ["time", "n"], "attrs": {"mesh": "m", "location": "face"}}
    gdal.Open(array_name(make_store(folder, {"a": cells}), "a")).GetSpatialRef()


@provokes("/<path>: longitudes jump before column <n>, so there is no geotransform; open option "
          "WRAP_LONGITUDE=YES moves columns")  # fmt: skip
def _(folder):
    lon = {"values": np.array([0, 1, 358, 359]), "dims": ["x"], "attrs": {"units": "degrees_east"}}
    described(folder, {}, x=lon, y={"values": np.arange(4), "dims": ["y"]})


@provokes("/<path>: attribute transform: expected the six or nine numbers of an affine transformation, got <value>")
def _(folder):
    described(folder, {"transform": [1, 2, 3]})


@provokes("/<path>: attribute transform disagrees with the coordinate arrays; the coordinate arrays are used")
def _(folder):
    axes = {name: {"values": np.arange(4.0) * 10, "dims": [name]} for name in ("y", "x")}
    described(folder, {"transform": [1, 0, 0, 0, -1, 0]}, **axes)


@provokes("/<path>: coordinates /<path> and /<path> are the corners of pixels by attribute transform, and are "
          "used as such")  # fmt: skip
def _(folder):
    axes = {name: {"values": np.arange(4.0) * 10, "dims": [name]} for name in ("y", "x")}
    described(folder, {"transform": [10, 0, 0, 0, 10, 0]}, **axes)


@provokes("/<path>: attribute spatial:transform_type: <type> is not supported; "
          "spatial:transform is ignored")  # fmt: skip
def _(folder):
    transform = [1, 0, 0, 0, -1, 0]
    described(folder, {"spatial:transform_type": "rpc", "spatial:transform": transform})


@provokes("/<path>: attribute gcps of /<path>: <cause>")
def _(folder):
    crs = {"crs_wkt": "EPSG:4326", "gcps": "none"}
    described(folder, {"grid_mapping": "crs"}, crs={"values": np.array(0), "attrs": crs})


@provokes("attribute gdal_pam: control points, RPC and GEOLOCATION are for a raster of <size>, not <size>; "
          "they are left out")  # fmt: skip
def _(folder):
    rpc = '<Metadata domain="RPC"><MDI key="LINE_OFF">1</MDI></Metadata>'
    size = '<Metadata domain="ZARR"><MDI key="SIZE">8 x 8</MDI></Metadata>'
    described(folder, {"gdal_pam": f"<PAMDataset>{rpc}{size}</PAMDataset>"})


@provokes("/<path>: GEOLOCATION: /<path> changes along <dimension>, and the first slice is used; "
          "open a slice of the array by its index")  # fmt: skip
def _(folder):
    values, dims = np.arange(32.0).reshape(2, 4, 4), ["time", "y", "x"]
    described(folder, {"coordinates": "lon lat"},
              lon={"values": values, "dims": dims, "attrs": {"units": "degrees_east"}},
              lat={"values": values, "dims": dims, "attrs": {"units": "degrees_north"}})  # fmt: skip


@provokes("/<path>: attribute calendar: unknown calendar <value>; times are shown as numbers")
def _(folder):
    attributes = {"units": "days since 2020-01-01", "calendar": "mayan"}
    described(folder, {}, time={"values": np.arange(2), "dims": ["time"], "attrs": attributes})


@provokes("/<path>: dimension <name> has <n> elements, but its coordinate array /<path> has <n>; the "
          "coordinate array is ignored")  # fmt: skip
def _(folder):
    described(folder, {}, time={"values": np.arange(3), "dims": ["time"]})


@provokes("the object store returns no listing, so the store is not deleted")
def _(folder):
    with ObjectServer() as server:
        translate("/vsis3/demo/store.zarr")
        server.fail(DENIED, kind=["LIST"])
        translate("/vsis3/demo/store.zarr")


@provokes("<key>: cannot be written, so the new store stays invisible")
def _(folder):
    with ObjectServer(GDAL_HTTP_MAX_RETRY="0") as server:
        dataset = gdal.GetDriverByName("Zarr").Create("/vsis3/demo/store.zarr", 8, 8)
        server.fail(DENIED, kind=["PUT"])
        dataset.WriteArray(np.ones((8, 8)))
        dataset.FlushCache()
        server.normal()
        del dataset


@provokes("<key>: the listing is too long; ZARR_MAX_REFERENCES allows <n>")
def _(folder):
    list_without_end(folder, ZARR_MAX_REFERENCES="5000")


@provokes("<key>: the listing is too long; ZARR_MAX_REFERENCE_SIZE allows <n>")
def _(folder):
    list_without_end(folder, ZARR_MAX_REFERENCE_SIZE="200000")


def list_without_end(folder, **bounds):
    with ObjectServer() as server, config_options(**bounds):
        server.upload(make_cube(folder), "cube.zarr")
        server.page = endless_page
        gdal.OpenEx("ZARR:/vsis3/demo/cube.zarr", gdal.OF_RASTER | gdal.OF_VERBOSE_ERROR)


@provokes("<key>: <path>: cannot write what is about to change: <reason>")
def _(folder):
    store = make_cube(folder)
    zarr.consolidate_metadata(str(store))
    for path in (f"{store}.intent", store / ".intent"):
        os.mkdir(path)
    dataset = update(array_name(store, "a"))
    dataset.SetMetadataItem("note", "new")
    del dataset
