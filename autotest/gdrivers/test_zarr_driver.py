# SPDX-License-Identifier: MIT
"""The driver beside GDAL's built-in one, and what it says of itself."""

import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys
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


_ORDERED = """
import sys
from osgeo import gdal
gdal.UseExceptions()
names = [gdal.GetDriver(i).ShortName for i in range(gdal.GetDriverCount())]
assert names.index("ZarrBuiltin") < names.index("Zarr"), names
for path in sys.argv[1:]:
    flags = gdal.OF_RASTER if not path.startswith("M:") else gdal.OF_MULTIDIM_RASTER
    path = path.removeprefix("M:")
    driver = gdal.IdentifyDriverEx(path, flags)
    print(driver.ShortName, gdal.OpenEx(path, flags).GetDriver().ShortName)
only = gdal.OpenEx(sys.argv[1], allowed_drivers=["ZarrBuiltin"])
print(only.GetDriver().ShortName)
"""


def with_list_of_drivers(tmp_path, *names):
    """The environment of a program whose plugin folder has the plugin and a file drivers.ini."""
    folder = tmp_path / "gdalplugins"
    folder.mkdir()
    plugin = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]) / "gdal_ZarrV2.so"
    (folder / plugin.name).symlink_to(plugin)
    (folder / "drivers.ini").write_text("\n".join(["[order]", *names, ""]))
    return {**os.environ, "GDAL_DRIVER_PATH": str(folder)}


def test_a_list_of_drivers_in_the_plugin_folder_changes_nothing(tmp_path):
    """drivers.ini, as Debian's gdal-plugins has it: GDAL then asks the drivers first that are not in
    it, and among them its own under the new name."""
    environment = with_list_of_drivers(tmp_path, "VRT", "GTiff", "MEM", "Zarr", "HTTP")
    store = make_store(tmp_path, {"v": {"values": np.ones((4, 5))}})
    newer = tmp_path / "v3.zarr"
    group = gdal.GetDriverByName("ZarrBuiltin").CreateMultiDimensional(
        str(newer), options=["FORMAT=ZARR_V3"]).GetRootGroup()
    dimensions = [group.CreateDimension(name, "", "", 4) for name in "yx"]
    group.CreateMDArray("v", dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Byte))
    del group, dimensions
    done = subprocess.run(
        [sys.executable, "-c", _ORDERED, store, f"M:{store}", f'ZARR:"{store}":/v', f"M:{newer}"],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Zarr Zarr"] * 3 + ["ZarrBuiltin ZarrBuiltin", "ZarrBuiltin"]


def test_with_a_list_of_drivers_an_error_is_ours(tmp_path):
    environment = with_list_of_drivers(tmp_path, "VRT", "Zarr")
    broken = handmade(tmp_path / "broken.zarr", chunks=[0, 2])
    done = subprocess.run(["gdalinfo", broken], capture_output=True, text=True, check=False,
                          env=environment)  # fmt: skip
    assert done.returncode != 0 and "chunks[0]: " in done.stderr
    assert done.stderr.count("ERROR 1: ") == 1
