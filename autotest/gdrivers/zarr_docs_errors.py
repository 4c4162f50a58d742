# SPDX-License-Identifier: MIT
"""Functions that provoke the messages of docs/errors.md. provokes(message) is the decorator that registers such a
function.

The function gets an empty folder, and must make the driver emit the message."""

import json
import os
import shutil

import numcodecs
import numpy as np
import zarr_corrupt
import zarr_icechunk
import zarr_libzfp
import zarr_python as zarr
from osgeo import gdal
from zarr_docs import REPOSITORY
from zarr_drivers import reference_folder
from zarr_gdal import array_name, config_options
from zarr_http import Served
from zarr_store import add_array, handmade, make_array, make_store, zip_folder
from zarr_object_server import EXPIRED, ObjectServer
from zarr_store import add_array, handmade, make_array, make_store

DATA = REPOSITORY / "data"
# message, as docs/errors.md spells it -> function that makes the driver emit it. The page leaves out messages that say
# themselves what to do.
PROVOKED = {}


def remembers(functions):
    """Returns the decorator provokes(message), which adds a function to `functions` under the message."""

    def provokes(message):
        def remember(function):
            assert message not in functions
            functions[message] = function
            return function

        return remember

    return provokes


provokes = remembers(PROVOKED)


def read(name, *options, flags=gdal.OF_RASTER):
    dataset = gdal.OpenEx(str(name), flags, open_options=list(options))
    return dataset and dataset.ReadAsArray()


def update(name, *options):
    return gdal.OpenEx(str(name), gdal.OF_RASTER | gdal.OF_UPDATE, open_options=list(options))


def with_late_array(folder):
    """Writes a store whose consolidated metadata lacks the array /late."""
    store = make_store(folder, {"a": np.zeros((4, 4))}, consolidated=True)
    add_array(zarr.open_group(str(store), "a"), "late", np.ones((4, 4)))
    return store


def of_sample(message, name):
    """Registers a function that provokes `message` by reading the store `name` of zarr_corrupt."""
    provokes(message)(lambda folder: read(zarr_corrupt.make(folder, name)))


def of_limit(message, name, value, store):
    def run(folder):
        with config_options(**{name: value}):
            dataset = gdal.Open(str(store(folder) if callable(store) else store))
            if dataset is not None:
                dataset.GetGeoTransform(can_return_null=True)
                dataset.ReadAsArray()

    provokes(message)(run)


@provokes("its rows run from south to north; open option NORTH_UP=YES, or configuration option "
          "ZARR_NORTH_UP=YES, reverses their order")  # fmt: skip
def _(folder):
    attrs = {"_ARRAY_DIMENSIONS": ["y", "x"], "spatial:transform": [1, 0, 0, 0, 1, 0],
             "spatial:dimensions": ["y", "x"]}  # fmt: skip
    dataset = gdal.Open(str(make_array(folder, np.zeros((4, 4)), attrs=attrs)))
    gdal.Translate("", dataset, format="MEM", projWin=(0, 4, 4, 0))


# Messages about values of bands


def put_bands(folder, dtype="i2", **attrs):
    values = np.zeros((3, 2, 2), dtype)
    return make_store(folder, {"a": {"values": values, "dims": ["band", "y", "x"], "attrs": attrs}})


@provokes("/<path>: attribute <name>: <value> is not a value of dtype <dtype>")
def _(folder):
    read(put_bands(folder, "u1", _FillValue=-9999))


@provokes("/<path>: attribute COLOR_INTERPRETATION: <reason>; it is ignored")
def _(folder):
    read(put_bands(folder, COLOR_INTERPRETATION=3))


@provokes("/<path>: attribute <name>: has <n> entries for <n> bands, whose coordinates do not number the entries; the "
          "list is ignored")  # fmt: skip
def _(folder):
    read(put_bands(folder, scales=[0.1, 0.2]))


@provokes("/<path>: attribute nodatavals: differs between the bands; the array has the nodata value of the first band")
def _(folder):
    store = put_bands(folder, nodatavals=[1, 2, 3])
    gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("a")


# Messages about opening a store


@provokes("not a Zarr store: it has no zarr.json, .zgroup, .zarray or .zmetadata, no meta of Zarr v1 and no "
          "groups or arrays")  # fmt: skip
def _(folder):
    read(f'ZARR:"{folder}"')


@provokes("the repository has no <kind> <name>; it has <names>")
def _(folder):
    read(f"ICECHUNK:{zarr_icechunk.sample('format2')}?branch=nix")


@provokes("not an Icechunk repository: it has no file repo and no refs/branch.main/ref.json")
def _(folder):
    read(f"ICECHUNK:{folder}")


@provokes("Icechunk repositories are read-only")
def _(folder):
    gdal.OpenEx(zarr_icechunk.sample("format2"), gdal.OF_RASTER | gdal.OF_UPDATE)


@provokes("the open options BRANCH, TAG and SNAPSHOT exclude each other")
def _(folder):
    gdal.OpenEx(zarr_icechunk.sample("format2"), gdal.OF_RASTER, open_options=["BRANCH=a", "TAG=b"])


@provokes("<key>: exists, but cannot be opened: No such file or directory")
def _(folder):
    store = handmade(folder / "annexed.zarr")
    (store / "0.0").unlink()
    (store / "0.0").symlink_to(folder / "not" / "fetched")
    read(store)


@provokes("<key>: is not a regular file (a pipe, a socket or a device), and not read")
def _(folder):
    store = handmade(folder / "odd.zarr")
    (store / "0.0").unlink()
    os.mkfifo(store / "0.0")
    read(store)


@provokes("<key>: cannot read: the server sent <n> bytes as <text>, but the request asked for bytes "
          "from offset <n>")  # fmt: skip
def _(folder):
    make_array(folder, np.zeros((512, 1024), "u4"), "raw.zarr", compressor=None, chunks=(512, 1024))
    with Served(folder) as server:
        server.rule(part={"shift": 4})
        gdal.Open(f'ZARR:"{server.url}/raw.zarr"').ReadAsArray(3, 200, 5, 1)


@provokes("<key>: cannot read: the server sent more than <n> bytes as <text>, but the request asked for bytes "
          "from offset <n>")  # fmt: skip
def _(folder):
    make_array(folder, np.zeros((512, 1024), "u4"), "raw.zarr", compressor=None, chunks=(512, 1024))
    with Served(folder) as server:
        server.rule(hostile={"/raw.zarr/0.0": "range", "/raw.zarr/c/0/0": "range"})
        gdal.Open(f'ZARR:"{server.url}/raw.zarr"').ReadAsArray(3, 200, 5, 1)


@provokes("does not exist")
def _(folder):
    read(f'ZARR:"{folder}/typo.zarr"')


@provokes("/<path>: there is no such array or group; there is <arrays>")
def _(folder):
    read(array_name(DATA / "product.zarr", "measurements/r10m/b2"))


@provokes("consolidated metadata of <key> is outdated; using <key> itself. Re-consolidate the store")
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4)), "b": np.zeros((4, 4))}, consolidated=True)
    document = json.loads((store / "a/.zarray").read_text())
    (store / "a/.zarray").write_text(json.dumps({**document, "dtype": "<f4"}))
    gdal.Open(array_name(store, "a"))


@provokes("consolidated metadata contains /<path>, but the store has no key of that array; it reads as fill values. "
          "Re-consolidate the store if the array was deleted")  # fmt: skip
def _(folder):
    store = make_store(folder, {"a": np.zeros((4, 4)), "b": np.zeros((4, 4))}, consolidated=True)
    shutil.rmtree(store / "a")
    gdal.Open(array_name(store, "a"))


@provokes("/<path>: SELECT: there is no dimension <name> beside X and Y; there is <names>")
def _(folder):
    read(DATA / "temperature.zarr", "SELECT=level=3")


@provokes("/<path>: SELECT: dimension <name> has no coordinate <text>; it has <coordinates>")
def _(folder):
    read(DATA / "temperature.zarr", "SELECT=time=1999-01-01")


@provokes("/<path>: SELECT: <n> coordinates of dimension <name> are <text>: <coordinates>")
def _(folder):
    read(DATA / "temperature.zarr", "SELECT=time=2021")


@provokes("/<path>: SELECT: dimension <name> has <n> coordinates; ZARR_MAX_COORDINATES allows <n>")
def _(_):
    with config_options(ZARR_MAX_COORDINATES="2"):
        read(DATA / "temperature.zarr", "SELECT=time=2020-01-01")


def placed_by(folder, *transformations):
    """Opens an OME-NGFF image with the coordinate transformations `transformations`, and reads its geotransform."""
    axes = [{"name": name, "type": "space"} for name in "yx"]
    steps = [{"type": "scale", "scale": [1, 1]}]
    described = {"version": "0.4", "axes": axes, "coordinateTransformations": list(transformations),
                 "datasets": [{"path": "0", "coordinateTransformations": steps}]}  # fmt: skip
    store = make_store(folder, {"0": np.zeros((4, 4), "u1")}, {"multiscales": [described]})
    gdal.Open(str(store)).GetGeoTransform()


@provokes("/<path>: multiscales: coordinateTransformations: the image is placed in the system <name>; "
          "its placement in <names> is ignored")  # fmt: skip
def _(folder):
    placed_by(folder, {"type": "identity", "output": {"name": "global"}},
              {"type": "scale", "scale": [2, 2], "output": {"name": "other"}})  # fmt: skip


@provokes("/<path>: multiscales: coordinateTransformations: the label is placed in <system>, its image "
          "in <system>")  # fmt: skip
def _(folder):
    axes = [{"name": name, "type": "space"} for name in "yx"]
    placed = {"type": "scale", "scale": [2, 2], "output": {"name": "global"}}
    image, label = (
        {"multiscales": [{"version": "0.4", "axes": axes, "coordinateTransformations": leading,
                          "datasets": [{"path": "0", "coordinateTransformations": [
                              {"type": "scale", "scale": [1, 1]}]}]}]}
        for leading in ([placed], []))  # fmt: skip
    values = np.zeros((4, 4), "u1")
    store = make_store(folder, {"0": values, "labels/a/0": values}, image)
    (store / "labels/a/.zattrs").write_text(json.dumps(label))
    gdal.Open(array_name(store, "labels/a")).GetGeoTransform()


@provokes("/<path>: multiscales: coordinateTransformations: byDimension: expected each axis of the "
          "output once, got <text>")  # fmt: skip
def _(folder):
    part = {"inputAxes": [0], "outputAxes": [0], "transformation": {"type": "identity"}}
    placed_by(folder, {"type": "byDimension", "transformations": [part]})


@provokes("/<path>: multiscales: coordinateTransformations: a transformation of type <text> is not supported")
def _(folder):
    placed_by(folder, {"type": "displacements", "path": "field"})


@provokes("is a STAC document that lists several Zarr stores; open one of its subdatasets, such as <name>")
def _(folder):
    assets = {name: {"href": f"{name}.zarr", "type": "application/vnd+zarr"} for name in "ab"}
    item = folder / "item.json"
    item.write_text(json.dumps({"type": "Feature", "stac_version": "1.0.0", "assets": assets}))
    gdal.OpenEx(str(item), gdal.OF_MULTIDIM_RASTER)


@provokes("/<path>: there is no such array or group")
def _(folder):
    read(array_name(DATA / "product.zarr", "nothing"))


@provokes("/<path>: there is no such array or group in the consolidated metadata (open option "
          "USE_CONSOLIDATED_METADATA=NO ignores them)")  # fmt: skip
def _(folder):
    read(array_name(with_late_array(folder), "late"))


@provokes("arrays whose CRS or geotransform differs from that of /<path> are not among the bands: <arrays> "
          "(open each by its name)")  # fmt: skip
def _(folder):
    arrays = {name: {"values": np.zeros((4, 4)), "attrs": {"proj:code": f"EPSG:{code}"}}
              for name, code in (("a", 32632), ("b", 32632), ("c", 32633))}  # fmt: skip
    read(make_store(folder, arrays))


@provokes("consolidated metadata is missing nodes of the store: <arrays> (open option "
          "USE_CONSOLIDATED_METADATA=NO reads them)")  # fmt: skip
def _(folder):
    read(with_late_array(folder))


@provokes("follows the draft of Zarr v3 that GDAL 3.4 to 3.6 wrote; convert it to FORMAT=ZARR_V2 "
          "with gdalmdimtranslate of one of these versions")  # fmt: skip
def _(folder):
    (folder / "d.zarr").mkdir()
    (folder / "d.zarr/zarr.json").write_text('{"zarr_format": "https://example.org/draft"}')
    read(folder / "d.zarr")


@provokes("holds no array of two or more dimensions with numbers (open option LIST_ALL_ARRAYS=YES "
          "lists the others)")  # fmt: skip
def _(folder):
    read(make_store(folder, {"x": np.arange(3), "t": np.arange(4)}))


@provokes("/<path>: an array of dtype <dtype> is not a raster; GDAL's multidimensional API reads "
          "strings and raw bytes")  # fmt: skip
def _(folder):
    read(make_array(folder, np.array([["a"]])))


@provokes("/<path>: dimension <name> is empty (shape 0), and GDAL has no empty rasters")
def _(folder):
    read(handmade(folder / "a.zarr", shape=[0, 4]))


@provokes("/<path>: dimension <name> has <n> elements, more than a GDAL raster can")
def _(folder):
    read(handmade(folder / "a.zarr", shape=[3000000000, 4], files={}))


@provokes("the quote after ZARR: is not closed")
def _(folder):
    read('ZARR:"x.zarr')


@provokes("the name of an array or group starts with /, as in <name>, got <text>")
def _(folder):
    read(f'ZARR:"{DATA}/terrain.zarr":elevation')


@provokes("/<path>: index <n> is outside dimension <name>, which has <n> elements")
def _(folder):
    read(f'ZARR:"{DATA}/temperature.zarr":/air_temperature:24')


@provokes("/<path>: got <n> indices, but there are <n> dimensions besides X and Y")
def _(folder):
    read(f'ZARR:"{DATA}/temperature.zarr":/air_temperature:1:2')


@provokes("/<path> is a group, which has no slices")
def _(folder):
    read(f'ZARR:"{DATA}/product.zarr":/measurements:1')


@provokes("/<path>: DIM_X: there is no dimension <name>")
def _(folder):
    read(DATA / "terrain.zarr", "DIM_X=nothing")


@provokes("open option <name>: expected <what>, got <text>")
def _(folder):
    read(DATA / "terrain.zarr", "NUM_THREADS=many")


@provokes("open option FILL_VALUE_AS_NODATA: expected AUTO, YES or NO, got <text>; AUTO is used")
def _(_):
    read(DATA / "terrain.zarr", "FILL_VALUE_AS_NODATA=perhaps")


@provokes("open option LOAD_EXTRA_DIM_METADATA_DELAY: expected a number of seconds >= 0 or unlimited, got <text>")
def _(folder):
    read(DATA / "terrain.zarr", "LOAD_EXTRA_DIM_METADATA_DELAY=long")


# Messages about metadata and chunks

of_sample("<key>: not valid JSON at byte <n>, <what>", "bad_json")
of_sample('<key>: the compulsory member "<name>" is missing', "missing_dtype")
of_sample("<key>: <member>: expected <what>, got <value>", "zero_chunk")
of_sample("<key>: dtype <dtype> is not known", "unknown_dtype")
of_sample("<key>: shape: the product of the sizes overflows", "overflow_shape")
of_sample("<key>: compressor: unknown codec <name>", "unknown_codec")
of_sample('<key>: filters[<n>]: codec "<name>" is refused: <reason>', "unknown_filter")


@provokes(".zmetadata: <what> (using the documents of the arrays and groups instead)")
def _(folder):
    read(zarr_corrupt.make(folder, "key_with_dots"))  # Opens, but warns about .zmetadata.


CHUNK = "<key>: chunk [<index>]: "
of_sample(CHUNK + "<codec>: compressed data is truncated (<n> bytes)",
          "truncated_chunk")  # fmt: skip
of_sample(CHUNK + "<codec>: is empty", "empty_chunk")
of_sample(CHUNK + "<codec>: decodes to <n> bytes instead of <n>", "short_chunk")
of_sample(CHUNK + "<codec>: decodes to more than the <n> bytes that the metadata allow",
          "bomb_chunk")  # fmt: skip
of_sample(CHUNK + "<codec>: checksum <sum> does not match the stored <sum>", "wrong_checksum")


@provokes(CHUNK + "holds <n> bytes instead of <n>")
def _(folder):
    read(handmade(folder / "a.zarr", files={"0.0": b"12345"}))


def png_chunk(folder, width, end=None):
    """Reads a chunk of 3 columns that is the first bytes, up to index `end`, of a PNG image of `width` columns."""
    source = gdal.GetDriverByName("MEM").Create("", width, 2, 1, gdal.GDT_Byte)
    gdal.GetDriverByName("PNG").CreateCopy(str(folder / "a.png"), source)
    data = (folder / "a.png").read_bytes()[:end]
    read(handmade(folder / "a.zarr", files={"0.0": data}, dtype="|u1", compressor={"id": "imagecodecs_png"}))


@provokes(CHUNK + "<codec>: the <format> image has the shape <shape>, the chunk <shape>")
def _(folder):
    png_chunk(folder, 5)


@provokes(CHUNK + "<codec>: GDAL's driver <name>: <reason>")
def _(folder):
    png_chunk(folder, 3, -20)


@provokes('<key>: compressor: codec "<name>" is refused: <reason>')
def _(folder):
    for codec in ("pickle", "msgpack", "vlen-array"):
        read(handmade(folder / f"{codec}.zarr", compressor={"id": codec}))


@provokes("meta: Zarr v1 is read-only; use gdal_translate -of Zarr to make a copy in Zarr v2")
def _(folder):
    metadata = {
        "zarr_format": 1, "shape": [2, 2], "chunks": [2, 2], "dtype": "<i2", "compression": "none",
        "compression_opts": None, "fill_value": 0, "order": "C",
    }  # fmt: skip
    (folder / "meta").write_text(json.dumps(metadata))
    (folder / "attrs").write_text("{}")
    update(folder)


# Messages about web servers


def asked(folder, status, *options):
    """Reads a store from a server that answers the request for the only chunk with the HTTP status `status`."""
    make_store(folder, {"a": np.zeros((4, 4))}, consolidated=True)
    with Served(folder) as server:
        server.rule(status={"/store.zarr/a/0.0": [status, -1]})
        read(f"{server.url}/store.zarr", *options)


@provokes("<key>: cannot read: HTTP error code : 403 (if the server answers 403 for absent keys, as "
          "object stores do to clients without the right to list, use open option MISSING_ON_403=YES)")  # fmt: skip
def _(folder):
    asked(folder, 403)


@provokes("<key>: cannot read: HTTP error code : <code>")
def _(folder):
    asked(folder, 500)


@provokes("<key>: cannot read: HTTP <code> <name>: <reason>")
def _(folder):
    make_store(folder, {"a": np.zeros((4, 4))}, consolidated=True)
    with ObjectServer() as server:
        server.upload(folder / "store.zarr", "store.zarr")
        server.fail(EXPIRED, key="a/0.0")
        read("/vsis3/demo/store.zarr")


@provokes("CACHE_TILE_PRESENCE: <path>: the web server returns no listing")
def _(folder):
    asked(folder, 200, "CACHE_TILE_PRESENCE=YES")


@provokes("<key>: cannot read: <reason>")
def _(folder):
    with Served(folder) as server:
        url = server.url
    read(f"{url}/x.zarr")


@provokes("<path>: the server returns no listing; use consolidated metadata, or name the array in "
          "the path")  # fmt: skip
def _(folder):
    make_store(folder, {"a": np.zeros((4, 4))})
    with Served(folder) as server:
        read(f"{server.url}/store.zarr")


# Messages about limits of the driver


def with_dictionary(folder):
    return make_array(folder, np.zeros((4, 4)), compressor=numcodecs.LZMA(preset=9))


of_limit(CHUNK + "the chunk decodes to <n> bytes; ZARR_MAX_CHUNK_SIZE allows <n>",
         "ZARR_MAX_CHUNK_SIZE", "1KB", DATA / "terrain.zarr")  # fmt: skip
of_limit(CHUNK + "<codec>: decoding with its dictionary needs <n> bytes of memory; "
         "ZARR_MAX_CODEC_MEMORY allows <n>", "ZARR_MAX_CODEC_MEMORY", "1MB", with_dictionary)  # fmt: skip
of_limit("<key>: dtype <dtype> has elements that are too large; ZARR_MAX_STRING_SIZE allows <n>",
         "ZARR_MAX_STRING_SIZE", "10", lambda folder: handmade(folder, dtype="<U200"))  # fmt: skip
of_limit("<key>: shape: has <n> dimensions; ZARR_MAX_DIMENSIONS allows <n>",
         "ZARR_MAX_DIMENSIONS", "1", DATA / "terrain.zarr")  # fmt: skip
of_limit("<key>: the file has too many bytes; ZARR_MAX_MANIFEST_SIZE allows <n>", "ZARR_MAX_MANIFEST_SIZE", "100",
         zarr_icechunk.SAMPLES / "format2.icechunk")
of_limit("<key>: filters: has <n> filters; ZARR_MAX_FILTERS allows <n>", "ZARR_MAX_FILTERS", "1",
         lambda folder: handmade(folder, filters=[{"id": "crc32"}] * 2))  # fmt: skip
of_limit("<key>: size of <n> bytes exceeds the maximum of <n>; "
         "ZARR_MAX_METADATA_SIZE allows <n>", "ZARR_MAX_METADATA_SIZE", "100",
         DATA / "terrain.zarr")  # fmt: skip
of_limit("<key>: nested too deep; ZARR_MAX_JSON_DEPTH allows <n>",
         "ZARR_MAX_JSON_DEPTH", "1", DATA / "product.zarr")  # fmt: skip
of_limit("<key>: too many JSON values; ZARR_MAX_JSON_VALUES allows <n>",
         "ZARR_MAX_JSON_VALUES", "1", DATA / "product.zarr")  # fmt: skip
of_limit("<path>: has <n> coordinates; ZARR_MAX_COORDINATES allows <n>",
         "ZARR_MAX_COORDINATES", "100", DATA / "terrain.zarr")  # fmt: skip
of_limit("<option>: expected a number from 1 to <n>, got <text>; the default is used",
         "ZARR_MAX_CHUNK_SIZE", "lots", DATA / "terrain.zarr")  # fmt: skip


def many_slices(folder):
    return handmade(folder / "a.zarr", shape=[70000, 2, 2], chunks=[1, 2, 2], files={})


@provokes("/<path>: <n> slices exceed the maximum of <n> bands of a dataset, which has no bands now; "
          "open a slice by its name, such as <name>")  # fmt: skip
def _(folder):
    gdal.Open(str(many_slices(folder)))


@provokes("/<path>: <n> slices are too many to list; open one by its name, such as <name>")
def _(folder):
    gdal.OpenEx(str(many_slices(folder)), gdal.OF_RASTER, open_options=["MULTIBAND=NO"])


@provokes("reading the coordinates of dimension <name> takes longer than the <n> seconds of open option "
          "LOAD_EXTRA_DIM_METADATA_DELAY; bands are described by their index")  # fmt: skip
def _(folder):
    dataset = gdal.OpenEx(str(DATA / "temperature.zarr"),
                          open_options=["LOAD_EXTRA_DIM_METADATA_DELAY=0"])  # fmt: skip
    dataset.GetRasterBand(1).GetDescription()


# Messages about Kerchunk references


def referenced(folder, key, reference):
    """Reads an array of 2 x 2 bytes through Kerchunk references, with `reference` under the key `key`."""
    array = {"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|u1", "fill_value": None,
             "filters": None, "compressor": None, "order": "C"}  # fmt: skip
    path = folder / "refs.json"
    path.write_text(json.dumps({".zarray": json.dumps(array), key: reference}))
    dataset = gdal.Open(str(path))
    if dataset is not None:
        dataset.ReadAsArray()
    return path


@provokes("<key>: <path>: the file that a reference names does not exist")
def _(folder):
    referenced(folder, "0.0", ["gone.nc", 0, 4])


@provokes("<key>: <path>: the file is shorter than the reference to <n> bytes at <n>")
def _(folder):
    (folder / "short.nc").write_bytes(b"12")
    referenced(folder, "0.0", ["short.nc", 0, 4])


@provokes("<key>: <location>: the file is not below the folder of the references; allow it with the "
          "configuration option ZARR_REFERENCE_FOLDERS=FOLDER")  # fmt: skip
def _(folder):
    referenced(folder, "0.0", ["/etc/hostname", 0, 4])


@provokes("<key>: <location>: references to virtual file systems are refused")
def _(folder):
    referenced(folder, "0.0", ["file:///vsicurl/http://127.0.0.1/a.nc", 0, 4])


@provokes("<key>: <url>: references to link-local addresses are refused")
def _(folder):
    referenced(folder, "0.0", ["http://169.254.169.254/latest/meta-data", 0, 4])


@provokes('<key>: <url>: the host "<host>" cannot be resolved')
def _(folder):
    referenced(folder, "0.0", ["http://a..test/a.nc", 0, 4])  # no name server is asked for an empty label


@provokes("<key>: <url>: expected a host name in ASCII (punycode)")
def _(folder):
    referenced(folder, "0.0", ["http://m\u00fcller.example/a.nc", 0, 4])


@provokes("<key>: <url>: expected the name of a bucket")
def _(folder):
    referenced(folder, "0.0", ["s3://bucket#/a.nc", 0, 4])


@provokes("<key>: <url>: expected the URL of a server as endpoint_url, got <text>")
def _(folder):
    repository = shutil.copytree(REPOSITORY / "data" / "icechunk" / "format1.icechunk", folder / "repository")
    config = repository / "config.yaml"
    before = "endpoint_url: null\n      anonymous: false\n"
    config.write_text(config.read_text().replace(before, 'endpoint_url: "://"\n      anonymous: true\n', 1))
    # The server of a container counts only if the user has set neither a server nor credentials.
    with config_options(AWS_S3_ENDPOINT=None, AWS_ACCESS_KEY_ID=None):
        read(f'ZARR:"{repository}":/virtual')


@provokes('<key>: <url>: the server redirects to the host "<host>", which the references do not name; allow it '
          "with the configuration option ZARR_REFERENCE_HOSTS=<host>")  # fmt: skip
def _(folder):
    with Served(folder) as server:
        other = server.url.replace("127.0.0.1", "localhost")
        server.rule(status={"/a.nc": [302, -1]}, **{"with": {"Location": f"{other}/b.nc"}})
        referenced(folder, "0.0", [f"{server.url}/a.nc", 0, 4])


@provokes("<key>: expected [url] or [url, offset, length] as a reference")
def _(folder):
    referenced(folder, "0.0", ["a.nc", 0])


@provokes("<key>: is not a complete Parquet file")
def _(folder):
    gdal.Open(f'ZARR:"{reference_folder(folder / "refs.parq")}":/x').ReadAsArray()


@provokes("<key>: has <n> rows, which is more than the record size <n>")
def _(folder):
    refs = reference_folder(folder / "refs.parq")
    samples = REPOSITORY / "autotest" / "cpp" / "references" / "parquet"
    shutil.copy(samples / "kerchunk_plain.parq", refs / "x" / "refs.0.parq")
    document = json.loads((refs / ".zmetadata").read_text())
    (refs / ".zmetadata").write_text(json.dumps({**document, "record_size": 3}))
    gdal.Open(f'ZARR:"{refs}":/x').ReadAsArray()


@provokes("references are read-only")
def _(folder):
    gdal.OpenEx(str(referenced(folder, "0.0", "base64:AAECAw==")), gdal.OF_RASTER | gdal.OF_UPDATE)


@provokes("/<path>: <key>: <cause>; the array is ignored")
def invalid_coordinate_array(folder):
    dimension = {"values": np.arange(3.0), "dims": ["x"]}
    store = make_store(folder, {"v": dimension, "x": dimension})
    (store / "x" / ".zarray").write_text("[1]")
    gdal.Open(array_name(store, "v"))


@provokes("libzfp does not work in this program, because <library> has functions of equal names (<name>)")
def replaced_libzfp(folder):
    return lines_of(zarr_libzfp.run_with_replaced_functions(zarr_libzfp.make(folder)))


@provokes("cannot load libzfp (<reason>); install it, on Debian by the package libzfp1")
def missing_libzfp(folder):
    return lines_of(zarr_libzfp.run_without_library(zarr_libzfp.make(folder)))


def lines_of(process):
    return process.stderr.splitlines()


def replaced(folder, replace):
    """Reads a store after `replace` has replaced it."""
    values = np.arange(16, dtype="i2").reshape(4, 4)
    store = make_store(folder, {"a": values})
    dataset = gdal.Open(str(store))
    replace(store)
    dataset.ReadAsArray()


@provokes("<document>: the store was replaced after it was opened; open it again")
def _(folder):
    def replace(store):
        shutil.rmtree(store)
        make_store(folder, {"a": np.zeros((4, 4), "f8")})

    replaced(folder, replace)


@provokes("<document>: the array was deleted after it was opened")
def _(folder):
    replaced(folder, lambda store: shutil.rmtree(store / "a"))


@provokes("the zip file was replaced after it was opened; open it again")
def _(folder):
    for name in ("a", "b"):
        zip_folder(make_array(folder, np.arange(16.0).reshape(4, 4), name=f"{name}.zarr"), folder / f"{name}.zip")
    dataset = gdal.Open(str(folder / "a.zip"))
    (folder / "b.zip").rename(folder / "a.zip")
    dataset.ReadAsArray()


@provokes("no array names the mask /<path>, so it is not used; create the mask again, or delete the array")
def _(folder):
    mask = {"values": np.full((4, 4), 255, "u1"), "attrs": {"gdal_mask_flags": 2}}
    read(make_store(folder, {"a": np.zeros((4, 4)), "a_mask": mask}))
