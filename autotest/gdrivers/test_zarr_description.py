# SPDX-License-Identifier: MIT
"""Reports of the driver about a store: the metadata domain ZARR, the structural information of arrays, and
the debug lines of CPL_DEBUG=ZARR."""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

import numcodecs
import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr3 import LITTLE, codec
from zarr_formats import chunk_file
from zarr_gdal import array_name, open_raster
from zarr_http import Served
from zarr_store import zip_folder

pytestmark = zarr_formats.BOTH

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def make(path, **changes):
    """Writes a raster of 5 x 7 chunks, of which only two are stored. Returns the array of zarr-python."""
    group = zarr.open_group(str(path), mode="w")
    # Filters of Zarr v3 take elements in the machine's byte order, so the type is little-endian.
    dtype = "<i4" if zarr_formats.is_v3() else ">i4"
    settings = {
        "shape": (50, 70), "chunks": (10, 10), "dtype": dtype, "fill_value": -9,
        "compressor": numcodecs.Zlib(3), "filters": [numcodecs.Delta(dtype)], "order": "F",
    }  # fmt: skip
    array = group.create_dataset("dem", **{**settings, **changes})
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    array[:10, :20] = np.arange(200).reshape(10, 20)
    return array


def described(name, *options):
    dataset = gdal.OpenEx(str(name), gdal.OF_RASTER, open_options=list(options))
    assert "ZARR" in dataset.GetMetadataDomainList()
    return dataset.GetMetadata("ZARR")


# Zarr version -> items of the metadata domain ZARR that depend on the version
TOLD = {
    2: {
        "COMPRESSOR": {"id": "zlib", "level": 3},
        "FILTERS": [{"id": "delta", "dtype": ">i4", "astype": ">i4"}],
        "ZARR_FORMAT": "2", "DTYPE": ">i4", "DIMENSION_SEPARATOR": ".",
    },
    3: {
        "COMPRESSOR": codec("numcodecs.zlib", level=3),
        "FILTERS": [codec("numcodecs.delta", dtype="<i4", astype="<i4"), LITTLE],
        "ZARR_FORMAT": "3", "DTYPE": "<i4", "DIMENSION_SEPARATOR": "/",
    },
}  # fmt: skip


def test_an_array(tmp_path, zarr_format):
    make(tmp_path / "a.zarr")
    told = described(tmp_path / "a.zarr")
    told.update({name: json.loads(told[name]) for name in ("COMPRESSOR", "FILTERS")})
    assert told == {
        **TOLD[zarr_format], "ARRAY": "/dem", "SHAPE": "50,70", "ORDER": "F", "CHUNKS": "35",
        "CHUNK_SHAPE": "10,10", "FILL_VALUE": "-9", "BYTES": "14000", "CONSOLIDATED_METADATA": "NO",
    }  # fmt: skip


@pytest.mark.parametrize("separator", [".", "/"])
def test_stored_chunks_and_bytes_equal_zarr_pythons(tmp_path, separator):
    array = make(tmp_path / "a.zarr", dimension_separator=separator)
    told = described(tmp_path / "a.zarr", "CACHE_TILE_PRESENCE=YES")
    assert int(told["CHUNKS"]) == array.nchunks == 35
    assert told["CHUNKS_INITIALIZED"] == "2"
    files = [path for path in (tmp_path / "a.zarr" / "dem").rglob("*") if path.is_file()]
    assert int(told["BYTES_STORED"]) == sum(path.stat().st_size for path in files)
    assert array.nchunks_initialized == 2
    assert int(told["BYTES_STORED"]) == array.nbytes_stored()
    assert float(told["STORAGE_RATIO"]) == round(14000 / int(told["BYTES_STORED"]), 1)


def test_structural_info_in_the_multidimensional_api(tmp_path, zarr_format):
    make(tmp_path / "a.zarr")
    dataset = gdal.OpenEx(str(tmp_path / "a.zarr"), gdal.OF_MULTIDIM_RASTER,
                          open_options=["CACHE_TILE_PRESENCE=YES"])  # fmt: skip
    told = dataset.GetRootGroup().OpenMDArray("dem").GetStructuralInfo()
    assert told["CHUNKS_INITIALIZED"] == "2" and told["CHUNK_SHAPE"] == "10,10"
    assert json.loads(told["COMPRESSOR"]) == TOLD[zarr_format]["COMPRESSOR"]


@zarr_formats.V2  # the sample stores have version 2
def test_bands_of_several_arrays_have_a_domain_each():
    dataset = open_raster(array_name(DATA / "product.zarr", "measurements/r10m"))
    told = [dataset.GetRasterBand(i + 1).GetMetadata("ZARR") for i in range(4)]
    assert [each["ARRAY"][-3:] for each in told] == ["b04", "b03", "b02", "b08"]
    assert dataset.GetRasterBand(2).GetMetadataItem("CHUNKS", "ZARR") == "9"
    assert "ZARR" in dataset.GetRasterBand(2).GetMetadataDomainList()
    assert set(dataset.GetMetadata("ZARR")) == {
        "CRS_SOURCE", "GEOTRANSFORM_SOURCE", "CONSOLIDATED_METADATA"}  # fmt: skip
    one = open_raster(DATA / "terrain.zarr")
    assert "ZARR" not in (one.GetRasterBand(1).GetMetadataDomainList() or [])


UTM = osr.SpatialReference()
UTM.ImportFromEPSG(32632)
UTM = UTM.ExportToWkt()
ORIGINS = {
    "_CRS": ({"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32632"}}, {}, "_CRS"),
    "proj": ({"proj:code": "EPSG:32632"}, {}, "proj:code"),
    "grid mapping": ({"grid_mapping": "crs"}, {"spatial_ref": UTM}, "crs"),
    "none": ({}, {}, None),
}


@pytest.mark.parametrize("convention", ORIGINS)
def test_where_the_crs_comes_from(tmp_path, convention):
    attributes, mapping, told = ORIGINS[convention]
    array = make(tmp_path / "a.zarr")
    array.attrs.update(attributes)
    if mapping:
        group = zarr.open_group(str(tmp_path / "a.zarr"))
        group.create_dataset("crs", shape=(), dtype="i4").attrs.update(mapping)
    dataset = open_raster(array_name(tmp_path / "a.zarr", "dem"))
    assert (dataset.GetSpatialRef() is not None) == (told is not None)
    source = dataset.GetMetadataItem("CRS_SOURCE", "ZARR")
    assert told in source if told else source is None


def test_where_the_geotransform_comes_from(tmp_path):
    group = make(tmp_path / "a.zarr").store
    root = zarr.open_group(group)
    for name, size in (("y", 50), ("x", 70)):
        axis = root.create_dataset(name, data=np.arange(size) * 2.0)
        axis.attrs["_ARRAY_DIMENSIONS"] = [name]
    source = described(tmp_path / "a.zarr")["GEOTRANSFORM_SOURCE"]
    assert "/x" in source and "/y" in source
    root["dem"].attrs["spatial:transform"] = [1, 0, 0, 0, -1, 0]
    assert "spatial:transform" in described(tmp_path / "a.zarr")["GEOTRANSFORM_SOURCE"]


def test_the_domain_is_not_saved_in_pam(tmp_path):
    make(tmp_path / "a.zarr")
    words = ["gdalinfo", "-stats", "-mdd", "all", tmp_path / "a.zarr"]
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env={**os.environ, "GDAL_PAM_ENABLED": "YES"})  # fmt: skip
    assert "Metadata (ZARR):" in done.stdout and "STATISTICS_MEAN" in done.stdout
    saved = (tmp_path / "a.zarr.aux.xml").read_text()
    assert "STATISTICS_MEAN" in saved and "CHUNK_SHAPE" not in saved


# ---------------------------------------------------------------------------------------------
# Debug lines of CPL_DEBUG=ZARR


def debug_lines(program, *arguments):
    """Runs a Python program with CPL_DEBUG=ZARR. Returns the debug lines that the driver prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True,
        check=True, env={**os.environ, "CPL_DEBUG": "ZARR"},
    )  # fmt: skip
    return [line[6:] for line in done.stderr.splitlines() if line.startswith("ZARR: ")]


REQUEST = re.compile(r"(GET|HEAD|LIST|PUT|DELETE) (\S+): (.+) in \d+\.\d ms")


def but_requests(lines):
    return [line for line in lines if not REQUEST.fullmatch(line)]


def requests(lines, *verbs):
    """Returns {requested path: answer} for the debug lines of requests with one of `verbs`, such as GET."""
    found = [REQUEST.fullmatch(line) for line in lines]
    return {match[2]: match[3] for match in found if match and match[1] in verbs}


def test_reading(tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    program = """
import sys
from osgeo import gdal
dataset = gdal.Open(sys.argv[1])
dataset.ReadAsArray(0, 0, 70, 5)
dataset.ReadAsArray(0, 5, 70, 5)
"""
    opened, read, closed = but_requests(debug_lines(program, store))
    assert re.fullmatch(
        rf"{store}: opened /dem as 70 x 50 pixels \(bands: 1, overviews: 0, subdatasets: 0\) without "
        r"consolidated metadata after \d+ requests \(\d+\.\d ms\)", opened)  # fmt: skip
    stored = sum(chunk_file(store, "dem", 0, i).stat().st_size for i in (0, 1))
    assert re.fullmatch(
        rf"{store}: /dem: 7 chunks read, 5 of them absent \({stored} bytes in \d+\.\d ms\); 2 decoded "
        r"\(800 bytes in \d+\.\d ms\); 7 taken from the cache", read)  # fmt: skip
    assert re.fullmatch(rf"{store}: closed after \d+ requests \(\d+\.\d ms\)", closed)
    before, after = (int(re.search(r"after (\d+) req", line)[1]) for line in (opened, closed))
    assert after - before == 7


@pytest.mark.slow
def test_the_multidimensional_api(tmp_path):
    make(tmp_path / "a.zarr")
    program = """
import sys
from osgeo import gdal
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_MULTIDIM_RASTER)
array = dataset.GetRootGroup().OpenMDArray("dem")
array.ReadAsArray([0, 0], [10, 10])
"""
    opened, read, _ = but_requests(debug_lines(program, tmp_path / "a.zarr"))
    assert "opened / by the multidimensional API without consolidated" in opened
    assert "/dem: 1 chunk read, 0 of them absent" in read


def test_writing(tmp_path):
    program = """
import sys
from osgeo import gdal
source = gdal.GetDriverByName("MEM").Create("", 20, 20)
source.GetRasterBand(1).Fill(3)
gdal.GetDriverByName("Zarr").CreateCopy(sys.argv[1], source, options=["BLOCKSIZE=10,10"])
"""
    lines = debug_lines(program, tmp_path / "a.zarr")
    chunks = [chunk_file(tmp_path / "a.zarr", "a", i, j) for i in (0, 1) for j in (0, 1)]
    stored = sum(path.stat().st_size for path in chunks)
    assert f"{tmp_path}/a.zarr: /a: 4 chunks written ({stored} bytes)" in lines


@pytest.mark.slow
def test_requests(tmp_path):
    make(tmp_path / "a.zarr")
    zarr.consolidate_metadata(str(tmp_path / "a.zarr"))
    program = """
import sys
from osgeo import gdal
gdal.Open(sys.argv[1]).ReadAsArray(0, 0, 30, 10)
"""
    with Served(tmp_path) as server:
        url = f"{server.url}/a.zarr"
        lines = [line for line in debug_lines(program, f"{url}?token=secret") if "GET" in line]
    shown = [re.fullmatch(rf"GET /vsicurl/{url}/(\S+): (.+) in \d+\.\d ms", line) for line in lines]
    answers = {match[1]: match[2] for match in shown if match}
    document = zarr_formats.document_file(tmp_path / "a.zarr", ".zmetadata")
    assert answers[document.name] == f"{document.stat().st_size} bytes"
    assert answers[zarr_formats.chunk_key(tmp_path / "a.zarr", "dem", 0, 2)] == "absent"
    assert "secret" not in "".join(lines)


READ_ALL = """
import sys
from osgeo import gdal
gdal.Open(sys.argv[1]).ReadAsArray()
"""


@pytest.mark.parametrize("kind", ["folder", "memory", "zip", "other"])
def test_requests_of_this_machine(kind, tmp_path):
    store = tmp_path / "a.zarr"
    make(store)
    name, program = store, READ_ALL
    if kind in ("zip", "other"):
        name = zip_folder(store, f"{store}.zip")
    if kind == "other":
        name = f"/vsisubfile/0_{os.path.getsize(name)},{name}"
        name = f"/vsizip/{{{name}}}"
    if kind == "memory":
        name = "/vsimem/a.zarr"
        copy = f"gdal.GetDriverByName('Zarr').CopyFiles('{name}', '{store}')\n"
        program = READ_ALL.replace("gdal.Open(", copy + "gdal.Open(")
    names = {
        path.rpartition("a.zarr")[2].removeprefix(".zip").strip("}/"): told
        for path, told in requests(debug_lines(program, name), "GET").items()
    }
    document = zarr_formats.document_file(store, "dem/.zarray")
    assert names[str(document.relative_to(store))] == f"{document.stat().st_size} bytes"
    chunk = zarr_formats.chunk_file(store, "dem", 0, 0)
    assert names[str(chunk.relative_to(store))] == f"{chunk.stat().st_size} bytes"
    assert names[zarr_formats.chunk_key(store, "dem", 4, 6)] == "absent"


def test_requests_that_write_and_list(tmp_path):
    program = """
import sys
from osgeo import gdal
made = gdal.GetDriverByName("Zarr").Create(sys.argv[1], 20, 20, options=["BLOCKSIZE=10,10"])
made.GetRasterBand(1).Fill(3)
"""
    store = tmp_path / "a.zarr"
    lines = debug_lines(program, store)
    written = requests(lines, "PUT")
    assert written[str(zarr_formats.document_file(store, "a/.zarray"))] == "done"
    assert written[str(zarr_formats.chunk_file(store, "a", 1, 1))] == "done"
    assert not any(".partial" in line for line in lines)
    listed = READ_ALL.replace("gdal.Open(", "gdal.OpenEx(").replace(
        "])", "], open_options=['USE_CONSOLIDATED_METADATA=NO'])"
    )
    assert re.fullmatch(r"\d entries", requests(debug_lines(listed, store), "LIST")[str(store)])


@pytest.mark.slow
def test_requests_of_a_server(tmp_path):
    make(tmp_path / "a.zarr")
    with Served(tmp_path) as server:
        url = f"{server.url}/a.zarr"
        encoded = urllib.parse.quote(url, safe="")
        name = f"/vsicurl?use_head=no&cookie=secret&url={encoded}"
        lines = debug_lines(READ_ALL, f'ZARR:"{name}":/dem')
        asked = requests(lines, "GET", "HEAD", "LIST")
        server.rule(lists=True)
        listed = requests(debug_lines(READ_ALL, f'ZARR:"{url}"'), "LIST")
    chunk = zarr_formats.chunk_key(tmp_path / "a.zarr", "dem", 0, 0)
    hidden = name.replace("secret", "***")
    assert any(path == f"{hidden}/{chunk}" for path in asked), asked
    assert f"/vsicurl/{url}" in listed
    assert "secret" not in "".join(lines)
