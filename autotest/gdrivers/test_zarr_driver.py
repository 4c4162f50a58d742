# SPDX-License-Identifier: MIT
"""The driver beside GDAL's built-in one, and what it says of itself."""

import ctypes
import os
import pathlib
import struct
import subprocess
import xml.etree.ElementTree

import numpy as np
import pytest
from osgeo import gdal
from zarr_drivers import Asker, make_v3, plugin_folder, reads_references
from zarr_store import group, handmade, make_store


def test_both_drivers_are_there():
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
     ("DMD_SUBDATASETS", "YES"), ("DMD_CONNECTION_PREFIX", "ZARR:")],
)  # fmt: skip
def test_driver_metadata(item, value):
    assert gdal.GetDriverByName("Zarr").GetMetadataItem(item) == value


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


def test_kerchunk_is_for_who_reads_it(tmp_path):
    reference = tmp_path / "reference.json"
    reference.write_text('{"version": 1, "refs": {".zgroup": "{\\"zarr_format\\": 2}"}}')
    driver = gdal.IdentifyDriver(str(reference))
    assert (driver is not None and driver.ShortName == "Zarr") == reads_references()


@pytest.mark.parametrize("how", [[], ["missing"]])
def test_a_plugin_in_the_place_of_the_builtin_driver(how):
    """As GDAL can be built from 3.9 on; where it is missing, the driver does without."""
    tool = pathlib.Path(os.environ["ZARR_DUMP"]).with_name("zarr_deferred")
    done = subprocess.run([tool, *how], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


class Watch:
    """Linux's own notices of folders read and files opened below a folder."""

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
        """(what, folder, name in it) since the last call; the name is empty for the folder."""
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
    """To tell what a store is, no folder of it is listed and no chunk is looked at."""
    store = group(tmp_path / "big.zarr")
    handmade(store, path="elevation")
    watch = Watch(store)
    os.listdir(store)
    assert ("read", ".", "") in watch.events()  # that is what a listing looks like
    for name in (str(store), f'ZARR:"{store}":/elevation', str(store / "elevation")):
        driver = gdal.IdentifyDriverEx(name, allowed_drivers=["Zarr"])
        assert driver.ShortName == "Zarr"
        seen = watch.events()
        assert not [event for event in seen if event[0] == "read" and not event[2]], seen
        assert not [event for event in seen if event[2] and not event[2].startswith(".z")
                    and event[2] != "elevation"], seen  # fmt: skip


@pytest.mark.parametrize("order", ["ours first", "builtin first"])
def test_the_order_of_drivers_changes_nothing(tmp_path, order):
    """drivers.ini, as Debian's gdal-plugins has it: GDAL then asks the drivers first that are not in
    it, and among them its own under the new name."""
    store = make_store(tmp_path, {"v": {"values": np.ones((4, 5))}})
    newer = make_v3(tmp_path / "v3.zarr", "v")
    raster, multidim = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
    names = [(store, raster), (store, multidim), (f'ZARR:"{store}":/v', raster), (newer, multidim)]
    asker = Asker(tmp_path, order)
    for answer in asker.ask(*((str(name), flags, None) for name, flags in names)):
        assert answer["identified"] == answer["driver"] == "Zarr" and answer["errors"] == []
    [only] = asker.ask((str(store), raster, ["ZarrBuiltin"]))
    assert only["driver"] == "ZarrBuiltin"


def test_with_a_list_of_drivers_an_error_is_ours(tmp_path):
    environment = plugin_folder(tmp_path, "VRT", "Zarr")
    broken = handmade(tmp_path / "broken.zarr", chunks=[0, 2])
    done = subprocess.run(["gdalinfo", broken], capture_output=True, text=True, check=False,
                          env=environment)  # fmt: skip
    assert done.returncode != 0 and "chunks[0]: " in done.stderr
    assert done.stderr.count("ERROR 1: ") == 1
