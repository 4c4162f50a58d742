# SPDX-License-Identifier: MIT
"""No name in a store's metadata makes the driver open files outside of the store.

The tests replace names in the metadata by paths to an array outside of the store. strace shows which files the driver
opens or examines."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_store import handmade, make_store
from zarr_tools import plain_environment

pytestmark = zarr_formats.BOTH

ZEROS = np.zeros((4, 6), "<i2")

# Opens and reads all nodes of the stores by both APIs, changes rasters, and builds and removes overviews.
SCRIPT = """
import sys
from osgeo import gdal

gdal.DontUseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")

def walk(group):
    group.GetAttributes()
    for name in group.GetMDArrayNames() or []:
        array = group.OpenMDArray(name)
        if array is not None:
            [d.GetIndexingVariable() for d in array.GetDimensions() or []]
            array.GetSpatialRef()
            array.Read()
    for name in group.GetGroupNames() or []:
        inner = group.OpenGroup(name)
        if inner is not None:
            walk(inner)

def look(name, flags):
    dataset = gdal.OpenEx(name, flags)
    if dataset is None:
        return []
    for i in range(dataset.RasterCount):
        band = dataset.GetRasterBand(i + 1)
        band.Checksum()
        [band.GetOverview(k).Checksum() for k in range(band.GetOverviewCount())]
        if flags & gdal.OF_UPDATE:
            band.WriteRaster(0, 0, 1, 1, b"\\1\\0")
            band.SetDescription("changed")
    dataset.GetGeoTransform(), dataset.GetSpatialRef(), dataset.GetGCPs(), dataset.GetFileList()
    [dataset.GetMetadata(domain) for domain in dataset.GetMetadataDomainList() or []]
    if flags & gdal.OF_UPDATE and dataset.RasterCount:
        dataset.BuildOverviews("NEAREST", [2])
        dataset.BuildOverviews("NONE", [])
    return [name for name, _ in dataset.GetSubDatasets()]

kinds = (gdal.OF_RASTER, gdal.OF_RASTER | gdal.OF_UPDATE)
for name in sys.argv[2:]:
    for flags in kinds if sys.argv[1] == "all" else ():
        for inner in look(name, flags):
            look(inner, flags)
    dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
    if dataset is not None:
        walk(dataset.GetRootGroup())
"""


QUOTED = r'"((?:[^"\\]|\\.)*)"'


def looked_at(folder, *names, what="all"):
    """Runs SCRIPT under strace, and returns the paths of all files that the program opens or examines."""
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", "trace=%file",
               sys.executable, "-c", SCRIPT, what]  # fmt: skip
    done = subprocess.run(
        command + [str(name) for name in names], env=plain_environment(), cwd=folder, capture_output=True,
        text=True, errors="replace", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    texts = [text for line in done.stderr.splitlines() for text in re.findall(QUOTED, line)]
    return {os.path.normpath(folder / text.replace("\\\\", "\\")) for text in texts}


def outside(folder):
    """Writes arrays outside of the store, to which all paths of ways_out() lead."""
    handmade(folder / "outside", attrs={"secret": 1})
    handmade(folder / "outside" / "a")
    return folder / "outside"


def check(tmp_path, *stores, what="all"):
    """Asserts that SCRIPT opens files of the stores, and that it neither opens nor changes files in the folder
    "outside"."""
    kept = {path: path.read_bytes() for path in (tmp_path / "outside").rglob("*") if path.is_file()}
    paths = looked_at(tmp_path, *stores, what=what)
    assert any(path.startswith(str(stores[0])) for path in paths)  # strace has recorded calls
    assert [path for path in paths if path.startswith(str(tmp_path / "outside"))] == []
    assert kept == {path: path.read_bytes() for path in (tmp_path / "outside").rglob("*") if path.is_file()}


def ways_out(tmp_path, depth):
    """Returns relative and absolute paths to the array outside/a, for a group `depth` levels below the root."""
    up = "../" * (depth + 1)
    return [up + "outside/a", f"./{up}outside/a", f"x/../{up}outside/a", str(tmp_path / "outside" / "a"),
            up.replace("/", "\\") + "outside\\a", f"file://{tmp_path}/outside/a"]  # fmt: skip


@pytest.fixture(autouse=True)
def needs_plain_plugin():
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("strace and AddressSanitizer's runtime do not go together; the other stage does it")


def attributes(path):
    """Returns every attribute that can name another node, with the value `path`."""
    return {
        "_ARRAY_DIMENSIONS": [path, path],
        "coordinates": path,
        "grid_mapping": path,
        "ancillary_variables": path,
        "bounds": path,
        "labels": [path],
        "multiscales": [
            {"version": "0.4", "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
             "datasets": [{"path": "dem"}, {"path": path}], "layout": [{"asset": path, "path": path}],
             "base": path, "name": path},
        ],
        "plate": {"wells": [{"path": path}], "rows": [{"name": "A"}], "columns": [{"name": "1"}]},
        "well": {"images": [{"path": path}]},
        "series": [path],
        "bioformats2raw.layout": 3,
        "_nczarr_array": {"dimrefs": [path, path], "dimension_references": [path, path]},
        "_nczarr_group": {"dims": {path: 4}, "vars": [path], "groups": [path]},
        "tile_matrix_set": path,
        "spatial_ref": path,
    }  # fmt: skip


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.slow
def test_paths_in_attributes_stay_in_the_store(tmp_path, number, consolidated):
    outside(tmp_path)
    arrays = {
        "dem": {"values": ZEROS, "attrs": attributes(ways_out(tmp_path, 0)[number])},
        "deep/dem": {"values": ZEROS, "attrs": attributes(ways_out(tmp_path, 1)[number])},
        "deep/er/dem": {"values": ZEROS, "attrs": attributes(ways_out(tmp_path, 2)[number])},
    }
    groups = {"deep": attributes(ways_out(tmp_path, 1)[number])}
    store = make_store(tmp_path, arrays, attributes(ways_out(tmp_path, 0)[number]),
                       consolidated=consolidated, groups=groups)  # fmt: skip
    check(tmp_path, store)


def crs_texts(file):
    """Returns texts of coordinate reference systems that make PROJ or GDAL open the file `file`."""
    utm = ('PROJCS["a",GEOGCS["b",DATUM["c",SPHEROID["d",6378137,298]%s],PRIMEM["e",0],'
           'UNIT["f",0.017]],PROJECTION["Transverse_Mercator"],PARAMETER["central_meridian",9],'
           'UNIT["m",1]%s]')  # fmt: skip
    bound = {
        "type": "BoundCRS",
        "source_crs": {"type": "GeographicCRS", "name": "a", "datum": {
            "type": "GeodeticReferenceFrame", "name": "b",
            "ellipsoid": {"name": "c", "semi_major_axis": 6378137, "inverse_flattening": 298}},
            "coordinate_system": {"subtype": "ellipsoidal", "axis": [
                {"name": "Lat", "abbreviation": "la", "direction": "north", "unit": "degree"},
                {"name": "Lon", "abbreviation": "lo", "direction": "east", "unit": "degree"}]}},
        "target_crs": {"type": "GeographicCRS", "name": "WGS 84", "id": {"authority": "EPSG", "code": 4326}},
        "transformation": {"name": "t", "method": {"name": "NTv2"}, "parameters": [
            {"name": "Latitude and longitude difference file", "value": file}]},
    }  # fmt: skip
    return [
        file, f"@{file}", f"+init={file}", f"+init={file}:4326", f"+proj=longlat +nadgrids={file}",
        f"+proj=longlat +ellps=GRS80 +geoidgrids=@{file}", f"+proj=utm +zone=32 +grids={file}",
        f"+proj=pipeline +step +proj=hgridshift +grids={file}", f"+proj=tinshift +file={file}",
        f"DICT:{file},4326", f"ESRI::{file}", f"IGNF:{file}", f"urn:{file}", f"file://{file}",
        utm % (f',EXTENSION["PROJ4_GRIDS","{file}"]', ""),
        utm % ("", f',EXTENSION["PROJ4","+proj=utm +zone=32 +nadgrids={file}"]'),
        utm % ("", f',extension [ "PROJ4" , "+init={file}"]'),
        json.dumps(bound),
    ]  # fmt: skip


@zarr_formats.V2  # the attributes are equal in Zarr v3, so one format suffices
@pytest.mark.slow
def test_texts_of_coordinate_reference_systems_open_no_file(tmp_path):
    """The driver opens no file that a CRS text names. Each text is tested in each attribute that can state a CRS."""
    outside(tmp_path)
    arrays = {}
    for form, name in enumerate([str(tmp_path / "outside" / "a" / ".zarray"), "outside/a/.zarray"]):
        for number, text in enumerate(crs_texts(name)):
            group = f"g{form}_{number}"
            arrays[f"{group}/wkt"] = {"values": ZEROS, "attrs": {"_CRS": {"wkt": text}}}
            arrays[f"{group}/url"] = {"values": ZEROS, "attrs": {"_CRS": {"url": text}}}
            arrays[f"{group}/proj"] = {"values": ZEROS, "attrs": {"proj:wkt2": text, "proj:code": text}}
            arrays[f"{group}/json"] = {"values": ZEROS, "attrs": {
                "_CRS": {"projjson": json.loads(text)} if text[0] == "{" else text,
                "proj:projjson": text}}  # fmt: skip
            arrays[f"{group}/m/cf"] = {"values": ZEROS, "attrs": {"grid_mapping": "crs"}}
            arrays[f"{group}/m/crs"] = {"values": np.zeros((), "i4"), "attrs": {
                "crs_wkt": text, "spatial_ref": text, "proj4": text, "towgs84": text,
                "grid_mapping_name": "latitude_longitude", "geoid_name": text,
                "horizontal_datum_name": text, "reference_ellipsoid_name": text}}  # fmt: skip
    check(tmp_path, make_store(tmp_path, arrays, consolidated=True), what="multidimensional")


@zarr_formats.V2
@pytest.mark.slow
def test_a_pipe_for_a_crs_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for number, text in enumerate(crs_texts(str(tmp_path / "pipe"))):
        store = make_store(tmp_path, {"a": {"values": ZEROS, "attrs": {"_CRS": {"wkt": text}}}},
                           name=f"{number}.zarr")  # fmt: skip
        done = subprocess.run(["gdalinfo", str(store)], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0


@zarr_formats.V2
@pytest.mark.slow
def test_paths_in_array_metadata_stay_in_the_store(tmp_path):
    """Paths in .zarray, where NCZarr has its own metadata, do not lead out of the store."""
    outside(tmp_path)
    for number, path in enumerate(ways_out(tmp_path, 1)):
        extension = {"dimrefs": ["/" + path, path], "dimension_references": [path, path]}
        handmade(tmp_path / "store.zarr", path=f"a{number}", _NCZARR_ARRAY=extension, _nczarr_array=extension)
    (tmp_path / "store.zarr" / ".zgroup").write_text(json.dumps(
        {"zarr_format": 2, "_NCZARR_GROUP": {"dims": {"../outside": 4}, "vars": ways_out(tmp_path, 0),
                                             "groups": ways_out(tmp_path, 0)}}))  # fmt: skip
    check(tmp_path, tmp_path / "store.zarr")


def test_keys_of_consolidated_metadata_stay_in_the_store(tmp_path):
    outside(tmp_path)
    store = make_store(tmp_path, {"dem": ZEROS}, consolidated=True)
    file = zarr_formats.document_file(store, ".zmetadata")
    document = json.loads(file.read_text())
    for path in ways_out(tmp_path, 0):
        if zarr_formats.is_v3():
            metadata = document["consolidated_metadata"]["metadata"]
            metadata[path] = metadata["dem"]
            continue
        document["metadata"][path + "/.zarray"] = document["metadata"]["dem/.zarray"]
        document["metadata"][path + "/.zgroup"] = {"zarr_format": 2}
    file.write_text(json.dumps(document))
    check(tmp_path, store)


@zarr_formats.V2
@pytest.mark.slow
def test_links_of_xcube_stay_in_the_store(tmp_path):
    outside(tmp_path)
    # xcube's links may lead to stores beside x.levels, so x.levels must not be beside the folder "outside".
    folder = tmp_path / "deeper" / "x.levels"
    for number, path in enumerate(ways_out(tmp_path, 1)):
        make_store(folder, {"dem": ZEROS}, name=f"{2 * number + 1}.zarr")
        (folder / f"{2 * number}.link").write_text(path.replace("/a", ""))
    (folder / ".zlevels").write_text(json.dumps({"num_levels": 12, "base_dataset_path": "../../outside"}))
    check(tmp_path, folder)


def test_members_of_a_zip_stay_in_the_file(tmp_path):
    outside(tmp_path)
    store = make_store(tmp_path, {"dem": ZEROS}, attributes("../outside/a"))
    with zipfile.ZipFile(tmp_path / "store.zarr.zip", "w") as archive:
        for path in sorted(store.rglob("*")):
            if path.is_file():
                archive.writestr(path.relative_to(store).as_posix(), path.read_bytes())
        for path in ways_out(tmp_path, 0):
            document = zarr_formats.document_file(store, "dem/.zarray")
            archive.writestr(f"{path}/{document.name}", document.read_bytes())
    shutil.rmtree(store)
    check(tmp_path, tmp_path / "store.zarr.zip")


@zarr_formats.V2
def test_paths_in_attributes_of_v1_stay_in_the_store(tmp_path):
    outside(tmp_path)
    store = tmp_path / "store.zarr"
    store.mkdir()
    (store / "meta").write_text(json.dumps(
        {"zarr_format": 1, "shape": [4, 6], "chunks": [2, 3], "dtype": "<i2", "compression": "none",
         "compression_opts": None, "fill_value": 0, "order": "C"}))  # fmt: skip
    (store / "attrs").write_text(json.dumps(attributes("../outside/a")))
    check(tmp_path, store)


def test_symbolic_links_are_followed(tmp_path):
    """Symbolic links are followed, because the user has made them, and not the writer of the store."""
    values = np.arange(24, dtype="i2").reshape(4, 6)
    elsewhere = make_store(tmp_path, {"dem": values}, name="elsewhere.zarr")
    store = make_store(tmp_path, {"own": values + 1})
    (store / "linked").symlink_to(elsewhere / "dem", target_is_directory=True)
    chunk = zarr_formats.chunk_file(store, "own", 0, 0)
    chunk.unlink()
    chunk.symlink_to(zarr_formats.chunk_file(elsewhere, "dem", 0, 0))
    assert np.array_equal(gdal.Open(f'ZARR:"{store}":/linked').ReadAsArray(), values)
    assert np.array_equal(gdal.Open(f'ZARR:"{store}":/own').ReadAsArray(), values)
    # The driver writes a chunk to a new file and renames it, which replaces the symbolic link.
    dataset = gdal.Open(f'ZARR:"{store}":/own', gdal.GA_Update)
    dataset.GetRasterBand(1).Fill(7)
    del dataset
    assert (zarr.open(str(store / "own"), mode="r")[:] == 7).all()
    assert np.array_equal(zarr.open(str(elsewhere / "dem"), mode="r")[:], values)


def test_access_outside_of_the_store_would_be_seen(tmp_path):
    """strace does record an access outside of the store, so the tests above would notice one."""
    name = f"{tmp_path}/store.zarr/../outside/a"
    outside(tmp_path)
    assert any(path.startswith(str(tmp_path / "outside" / "a")) for path in looked_at(tmp_path, name))
