# SPDX-License-Identifier: MIT
"""The driver beside GDAL's built-in one, and what it says of itself."""

import json
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


def test_identify_lists_nothing(tmp_path):
    """Not one folder of the store is listed, nor a chunk looked at, to tell what it is."""
    store = group(tmp_path / "big.zarr")
    handmade(store, path="elevation")
    code = (
        "import sys; from osgeo import gdal; gdal.AllRegister();"
        "sys.stderr.write('START\\n'); sys.stderr.flush();"
        f"print(gdal.IdentifyDriverEx({str(store)!r}, allowed_drivers=['Zarr']).ShortName)"
    )
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-o", str(trace), "-e", "trace=%file,getdents64,write"]
    done = subprocess.run(
        command + [sys.executable, "-c", code], capture_output=True, timeout=120, check=False
    )
    assert done.stdout.decode().strip() == "Zarr", done.stderr.decode()
    after = trace.read_text().split("START")[-1].splitlines()
    ours = [line for line in after if "big.zarr" in line]
    assert ours, "strace saw nothing"
    assert not [line for line in after if "getdents64" in line], after
    assert not [line for line in ours if "elevation" in line], ours
    assert len(ours) <= 10, ours
