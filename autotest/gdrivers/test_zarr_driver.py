# SPDX-License-Identifier: MIT
"""The driver beside GDAL's built-in one, and what it says of itself."""

import ctypes
import json
import os
import struct
import xml.etree.ElementTree

import numpy as np
import pytest
from osgeo import gdal
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


def v3_store(folder):
    """A store of Zarr version 3, by hand."""
    folder.mkdir()
    metadata = {
        "zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }  # fmt: skip
    (folder / "zarr.json").write_text(json.dumps(metadata))
    (folder / "c" / "0").mkdir(parents=True)
    (folder / "c" / "0" / "0").write_bytes(bytes(range(6)))
    return folder


def test_version_3_is_left_to_the_builtin_driver(tmp_path):
    store = v3_store(tmp_path / "three.zarr")
    driver = gdal.IdentifyDriver(str(store))
    assert driver is None or driver.ShortName == "ZarrBuiltin"
    asked = gdal.IdentifyDriverEx(str(store), allowed_drivers=["ZarrBuiltin"])
    assert (driver is None) == (asked is None)


def test_kerchunk_is_left_to_others(tmp_path):
    reference = tmp_path / "reference.json"
    reference.write_text('{"version": 1, "refs": {".zgroup": "{\\"zarr_format\\": 2}"}}')
    driver = gdal.IdentifyDriver(str(reference))
    assert driver is None or driver.ShortName != "Zarr"


def test_the_builtin_driver_still_opens(tmp_path):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    name = f'ZARR:"{store}":/elevation'
    dataset = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["ZarrBuiltin"])
    assert dataset.GetDriver().ShortName == "ZarrBuiltin"
    assert dataset.ReadAsArray().tolist() == [[1] * 4] * 3


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
