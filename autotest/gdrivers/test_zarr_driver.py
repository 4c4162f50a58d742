# SPDX-License-Identifier: MIT
"""Tests that this driver and GDAL's built-in driver work beside each other, and that the metadata items of this
driver state its abilities and options."""

import ctypes
import os
import pathlib
import re
import struct
import subprocess
import xml.etree.ElementTree

import numcodecs
import numpy as np
import pytest
import rasterio
import zarr_python as zarr
from osgeo import gdal
from zarr_drivers import Asker, make_v3, plugin_folder
from zarr_gdal import gdal_is_at_least
from zarr_store import group, handmade, make_store


def test_both_drivers_are_registered():
    names = [gdal.GetDriver(i).ShortName for i in range(gdal.GetDriverCount())]
    assert names.count("Zarr") == 1 and names.count("ZarrBuiltin") == 1
    assert names.index("Zarr") < names.index("ZarrBuiltin")


def test_drivers_after_registering_again():
    gdal.AllRegister()
    names = [gdal.GetDriver(i).ShortName for i in range(gdal.GetDriverCount())]
    assert names.count("Zarr") == 1 and names.count("ZarrBuiltin") == 1


@pytest.mark.parametrize(
    "item, value",
    [("DCAP_RASTER", "YES"), ("DCAP_VIRTUALIO", "YES"), ("DCAP_OPEN", "YES"),
     ("DMD_SUBDATASETS", "YES"), ("DMD_CONNECTION_PREFIX", "ZARR:"), ("DMD_EXTENSION", "zarr"),
     ("DMD_HELPTOPIC", "drivers/raster/zarr.html"), ("DCAP_CREATE_SUBDATASETS", "YES")],
)  # fmt: skip
def test_driver_metadata(item, value):
    assert gdal.GetDriverByName("Zarr").GetMetadataItem(item) == value


def test_items_that_an_update_can_change_are_listed():
    driver = gdal.GetDriverByName("Zarr")
    if not gdal_is_at_least(3, 11):
        assert driver.GetMetadataItem("DCAP_UPDATE") is None
        return
    assert driver.GetMetadataItem("DCAP_UPDATE") == "YES"
    assert driver.GetMetadataItem("DMD_UPDATE_ITEMS").split() == [
        "GeoTransform", "SRS", "GCPs", "NoData", "ColorInterpretation", "RasterValues",
        "DatasetMetadata", "BandMetadata"]  # fmt: skip


@pytest.mark.parametrize("option, told", [
    ("NONE", None), ("BLOSC", "BLOSC"), ("ZLIB", "ZLIB"), ("GZIP", "GZIP"), ("LZMA", "LZMA"),
    ("ZSTD", "ZSTD"), ("LZ4", "LZ4"), ("BZ2", "BZ2"), ("DEFLATE", "ZLIB"),
])  # fmt: skip
@pytest.mark.parametrize("single", ["YES", "NO"])
def test_the_compression_is_metadata(tmp_path, option, told, single):
    options = [f"COMPRESS={option}", f"SINGLE_ARRAY={single}"]
    gdal.GetDriverByName("Zarr").Create(str(tmp_path / "a.zarr"), 4, 3, 2, options=options)
    dataset = gdal.Open(str(tmp_path / "a.zarr"))
    for number in (1, 2):
        assert dataset.GetRasterBand(number).GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") == told
    # rasterio fails on a compression that it does not know, so the dataset states only compressions that rasterio
    # knows.
    known = {"ZSTD": "ZSTD", "ZLIB": "DEFLATE"}.get(told)
    assert dataset.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") == known
    with rasterio.open(tmp_path / "a.zarr") as opened:
        assert opened.profile.get("compress") == (known.lower() if known else None)


def test_compressions_that_differ_are_metadata_of_bands(tmp_path):
    values = np.zeros((3, 4))
    store = make_store(tmp_path, {"a": {"values": values, "dims": "yx", "compressor": numcodecs.Zstd()},
                                  "b": {"values": values, "dims": "yx", "compressor": None}})  # fmt: skip
    dataset = gdal.Open(str(store))
    assert dataset.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") is None
    told = [dataset.GetRasterBand(i).GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE") for i in (1, 2)]
    assert told == ["ZSTD", None]


PARTS = {
    'ZARR:"/d/x.zarr":/g/a': ("/d/x.zarr", "/g/a"),
    'ZARR:"/d/x.zarr":/g/a:3:0': ("/d/x.zarr", "/g/a:3:0"),
    "ZARR:/d/x.zarr:/a": ("/d/x.zarr", "/a"),
    'ZARR:"https://host/x.zarr":/a': ("https://host/x.zarr", "/a"),
    'zarr:"a "b" c":/a': ('a "b" c', "/a"),
    'ZARR:"/d/x.zarr"': None,
    "ZARR:/d/x.zarr": None,
    "/d/x.zarr": None,
    'ZARR:"/d/x.zarr': None,
    "ZARR:": None,
    'ZARR:"': None,
}


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL asks for it from 3.8 on")
@pytest.mark.parametrize("name", PARTS)
def test_the_parts_of_a_subdatasets_name(name):
    info = gdal.GetSubdatasetInfo(name)
    if PARTS[name] is None:
        assert info is None
        return
    path, node = PARTS[name]
    assert info.GetPathComponent() == path and info.GetSubdatasetComponent() == node
    assert info.ModifyPathComponent("/other/y.zarr") == name.replace(path, "/other/y.zarr")


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL asks for it from 3.8 on")
def test_a_vrt_of_a_subdataset_can_be_moved_with_its_store(tmp_path):
    values = np.arange(12, dtype="<i2").reshape(3, 4)
    (tmp_path / "a").mkdir()
    store = make_store(tmp_path / "a", {"x": values, "y": values + 1})
    vrt = gdal.Translate(str(tmp_path / "a/v.vrt"), f'ZARR:"{store}":/y', format="VRT")
    vrt = None
    (tmp_path / "a").rename(tmp_path / "b")
    np.testing.assert_array_equal(gdal.Open(str(tmp_path / "b/v.vrt")).ReadAsArray(), values + 1)


@pytest.mark.skipif(not gdal_is_at_least(3, 12), reason="GDAL asks for it from 3.12 on")
@pytest.mark.parametrize("separator", [".", "/"])
def test_where_a_chunk_is_stored(tmp_path, cpl, separator):
    values = np.arange(12, dtype="<i2").reshape(3, 4)
    store = make_store(tmp_path, {"g/a": {"values": values, "chunks": (2, 2), "compressor": None,
                                          "dimension_separator": separator}})  # fmt: skip
    (store / f"g/a/1{separator}0").unlink()
    array = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArrayFromFullname("/g/a")
    info = array.GetRawBlockInfo([0, 1])
    assert info.GetFilename() == str(store / f"g/a/0{separator}1")
    assert (info.GetOffset(), info.GetSize()) == (0, 8)
    assert array.GetRawBlockInfo([1, 0]).GetFilename() is None
    assert array.GetRawBlockInfo([1, 0]).GetSize() == 0
    assert cpl.events == []
    assert array.GetRawBlockInfo([2, 0]) is None
    assert "block 2 of 2 along dimension 0" in cpl.the_error()


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="SetStatistics() has options from 3.8 on")
def test_statistics_give_an_actual_range(tmp_path, cpl):
    store = make_store(tmp_path, {"i": np.arange(-3, 9, dtype="<i2").reshape(3, 4),
                                  "f": np.arange(12, dtype="<f4").reshape(3, 4) / 4})  # fmt: skip
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()
    for name in ("i", "f"):
        assert root.OpenMDArray(name).ComputeStatistics(False, options=["UPDATE_METADATA=YES"]) is not None
    del root
    read = zarr.open_group(str(store), mode="r")
    assert read["i"].attrs["actual_range"] == [-3, 8] and read["f"].attrs["actual_range"] == [0, 2.75]
    assert all(type(value) is int for value in read["i"].attrs["actual_range"])
    # Without its option UPDATE_METADATA=YES, ComputeStatistics() does not write actual_range.
    root = gdal.OpenEx(str(make_store(tmp_path, {"i": np.zeros((3, 4))}, name="b.zarr")),
                       gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE).GetRootGroup()  # fmt: skip
    root.OpenMDArray("i").ComputeStatistics(False)
    del root
    assert dict(zarr.open_group(str(tmp_path / "b.zarr"), mode="r")["i"].attrs) == {}
    assert cpl.events == []


def test_the_version_is_shown():
    """`gdalinfo --format Zarr` shows the version that the changelog and the build state."""
    root = pathlib.Path(__file__).resolve().parents[2]
    (version,) = re.findall(r"^project\(gdal_zarr VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.M)
    assert gdal.GetDriverByName("Zarr").GetMetadataItem("DRIVER_VERSION") == version
    assert f"## [{version}]" in (root / "CHANGELOG.md").read_text()
    assert f"version: {version}\n" in (root / "CITATION.cff").read_text()
    assert f'version: "{version}"\n' in (root / "packaging" / "conda" / "recipe.yaml").read_text()
    assert f"DRIVER_VERSION={version}" in subprocess.run(
        ["gdalinfo", "--format", "Zarr"], capture_output=True, text=True, check=True).stdout  # fmt: skip


def test_extension():
    metadata = gdal.GetDriverByName("Zarr").GetMetadata()
    assert "zarr" in metadata["DMD_EXTENSIONS"].split()


def test_open_options_are_described():
    text = gdal.GetDriverByName("Zarr").GetMetadataItem("DMD_OPENOPTIONLIST")
    options = {option.get("name"): option for option in xml.etree.ElementTree.fromstring(text)}
    wanted = {"USE_CONSOLIDATED_METADATA", "MULTIBAND", "DIM_X", "DIM_Y", "LIST_ALL_ARRAYS",
              "NUM_THREADS"}  # fmt: skip
    assert wanted <= set(options)
    assert options["USE_CONSOLIDATED_METADATA"].get("alias") == "USE_ZMETADATA"
    for option in options.values():
        assert option.get("type") and option.get("description"), option.get("name")


def test_codecs_are_listed():
    driver = gdal.GetDriverByName("Zarr")
    listed = driver.GetMetadataItem("COMPRESSORS").lower()
    for codec in ("blosc", "zlib", "gzip", "bz2", "lzma", "zstd", "lz4"):
        assert codec in listed
    assert "lz4" in driver.GetMetadataItem("BLOSC_COMPRESSORS")


def test_references_in_json_are_identified(tmp_path):
    reference = tmp_path / "reference.json"
    reference.write_text('{"version": 1, "refs": {".zgroup": "{\\"zarr_format\\": 2}"}}')
    assert gdal.OpenEx(str(reference), gdal.OF_MULTIDIM_RASTER).GetDriver().ShortName == "Zarr"
    # Before a copy, GDAL before 3.7 identifies the target with OF_RASTER, and deletes the target if a driver identifies
    # it. The driver therefore does not identify references in this way.
    found = gdal.IdentifyDriverEx(str(reference), gdal.OF_RASTER)
    assert (found.ShortName == "Zarr") if gdal_is_at_least(3, 7) else (found is None)


@pytest.mark.parametrize("how", [[], ["missing"]])
def test_a_plugin_in_the_place_of_the_builtin_driver(how):
    """From GDAL 3.9 on, the built-in Zarr driver can be a plugin that GDAL loads when needed. This driver works beside
    that plugin, and works alone if that plugin cannot be loaded."""
    tool = pathlib.Path(os.environ["ZARR_DUMP"]).with_name("zarr_deferred")
    done = subprocess.run([tool, *how], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


class Watch:
    """Watches a folder by inotify. events() returns the folders that were listed and the files that were
    opened."""

    ACCESS, OPEN = 0x1, 0x20

    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.handle = self.libc.inotify_init1(os.O_NONBLOCK)
        assert self.handle >= 0, os.strerror(ctypes.get_errno())
        folders = [folder] + [path for path in folder.rglob("*") if path.is_dir()]
        self.folders = {}
        for path in folders:
            mask = self.ACCESS | self.OPEN
            watch = self.libc.inotify_add_watch(self.handle, os.fsencode(path), mask)
            assert watch >= 0, os.strerror(ctypes.get_errno())
            self.folders[watch] = str(path.relative_to(folder))

    def events(self):
        """Returns (event, folder, name in the folder) for each event since the last call. If the event is about the
        folder itself, the name is empty."""
        try:
            data = os.read(self.handle, 1 << 20)
        except BlockingIOError:
            return []
        found = []
        while data:
            watch, mask, _, length = struct.unpack_from("iIII", data)
            name = data[16 : 16 + length].rstrip(b"\0").decode()
            what = "read" if mask & self.ACCESS else "open"
            found.append((what, self.folders[watch], name))
            data = data[16 + length :]
        return found


def test_identify_lists_nothing(tmp_path):
    """The driver identifies a store without listing a folder or opening a chunk."""
    store = group(tmp_path / "big.zarr")
    handmade(store, path="elevation")
    watch = Watch(store)
    os.listdir(store)
    assert ("read", ".", "") in watch.events()  # listing a folder gives this event
    for name in (str(store), f'ZARR:"{store}":/elevation', str(store / "elevation")):
        driver = gdal.IdentifyDriverEx(name, allowed_drivers=["Zarr"])
        assert driver.ShortName == "Zarr"
        seen = watch.events()
        assert not [event for event in seen if event[0] == "read" and not event[2]], seen
        assert not [event for event in seen if event[2] and not event[2].startswith(".z")
                    and event[2] != "elevation"], seen  # fmt: skip


@pytest.mark.parametrize("order", ["ours first", "builtin first"])
@pytest.mark.slow
def test_the_order_of_drivers_changes_nothing(tmp_path, order):
    """GDAL opens a store with this driver, whichever Zarr driver it tries first. With the file drivers.ini of Debian's
    package gdal-plugins, GDAL tries the built-in driver first, because the file does not list its new name
    ZarrBuiltin."""
    store = make_store(tmp_path, {"v": {"values": np.ones((4, 5))}})
    newer = make_v3(tmp_path / "v3.zarr", "v")
    raster, multidim = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
    names = [(store, raster), (store, multidim), (f'ZARR:"{store}":/v', raster), (newer, multidim)]
    asker = Asker(tmp_path, order)
    for answer in asker.ask(*((str(name), flags, None) for name, flags in names)):
        assert answer["identified"] == answer["driver"] == "Zarr" and answer["errors"] == []
    [only] = asker.ask((str(store), raster, ["ZarrBuiltin"]))
    assert only["driver"] == "ZarrBuiltin"


def test_with_a_list_of_drivers_there_is_one_error(tmp_path):
    environment = plugin_folder(tmp_path, "VRT", "Zarr")
    broken = handmade(tmp_path / "broken.zarr", chunks=[0, 2])
    done = subprocess.run(["gdalinfo", broken], capture_output=True, text=True, check=False,
                          env=environment)  # fmt: skip
    assert done.returncode != 0 and "chunks[0]: " in done.stderr
    assert done.stderr.count("ERROR 1: ") == 1
