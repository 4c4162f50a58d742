# SPDX-License-Identifier: MIT
"""A copy saves in GDAL's auxiliary metadata (PAM) what Zarr cannot express. Each test runs a process of its own,
because PAM is off in the process of the tests."""

import json
import os
import subprocess
import sys

import pytest
import zarr_formats

pytestmark = zarr_formats.BOTH
PROLOGUE = """
import json, sys
import numpy as np
from osgeo import gdal, osr
gdal.UseExceptions()
target = sys.argv[1]
driver = gdal.GetDriverByName("Zarr")
assert gdal.GetDriverByName("ZarrBuiltin") is not None
source = gdal.GetDriverByName("MEM").Create("", 30, 20, 2, gdal.GDT_Byte)
"""

MAKE = """
source.WriteArray(np.arange(1200, dtype="u1").reshape(2, 20, 30))
srs = osr.SpatialReference()
srs.ImportFromEPSG(4326)
band = source.GetRasterBand(1)
table = gdal.ColorTable()
for i, colour in enumerate([(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 128)]):
    table.SetColorEntry(i, colour)
band.SetColorTable(table)
band.SetCategoryNames(["water", "forest", "f\\u00e4ld"])
source.GetRasterBand(2).SetColorInterpretation(gdal.GCI_AlphaBand)
source.GetRasterBand(2).SetMetadataItem("sensor", "second")
source.SetGCPs([gdal.GCP(10, 50, 1, 0.5, 0.5), gdal.GCP(11, 50, 2, 29.5, 0.5),
                gdal.GCP(10, 49, 3, 0.5, 19.5)], srs)
source.SetMetadata({"X_DATASET": "lon.tif", "X_BAND": "1", "Y_DATASET": "lat.tif", "Y_BAND": "1",
                    "PIXEL_OFFSET": "0", "PIXEL_STEP": "1", "LINE_OFFSET": "0", "LINE_STEP": "1"},
                   "GEOLOCATION")
source.SetMetadata({"LINE_OFF": "1", "SAMP_OFF": "2"}, "RPC")
driver.CreateCopy(target, source, options=OPTIONS)
"""

TELL = """
copy = gdal.Open(target)
band = copy.GetRasterBand(1)
table = band.GetColorTable()
print(json.dumps({
    "table": [table.GetColorEntry(i) for i in range(3)] if table else None,
    "categories": band.GetCategoryNames(),
    "colours": [copy.GetRasterBand(i).GetColorInterpretation() for i in (1, 2)],
    "sensor": copy.GetRasterBand(2).GetMetadataItem("sensor"),
    "gcps": [(g.GCPX, g.GCPY, g.GCPZ, g.GCPPixel, g.GCPLine) for g in copy.GetGCPs()],
    "gcp_crs": copy.GetGCPSpatialRef().GetAuthorityCode(None),
    "geolocation": copy.GetMetadata("GEOLOCATION"), "rpc": copy.GetMetadata("RPC"),
    "pixels": int(copy.ReadAsArray().astype("i8").sum()),
    "bands": copy.RasterCount,
}))
"""


STRUCTURE = """
source.GetRasterBand(1).SetColorTable(gdal.ColorTable())
driver.CreateCopy(target, source, options=OPTIONS)
for update in (True, False):
    dataset = gdal.OpenEx(target, gdal.OF_RASTER | gdal.OF_UPDATE * update)
    for i in (1, 2):
        dataset.GetRasterBand(i).SetMetadataItem("COMPRESSION", "LZW", "IMAGE_STRUCTURE")
        dataset.GetRasterBand(i).ComputeStatistics(False)
        if not update:
            dataset.GetRasterBand(i).SetMetadataItem("own", "x", "OTHER")
    del dataset
"""


def run(script, *arguments):
    environment = {**os.environ, "GDAL_PAM_ENABLED": "YES"}
    done = subprocess.run([sys.executable, "-c", script, *arguments], env=environment, check=False,
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]])
@pytest.mark.slow
def test_image_structure_is_not_saved_in_pam(tmp_path, options):
    """The domain IMAGE_STRUCTURE is saved neither in attributes nor in the auxiliary file, because another
    program may rewrite the pixels with another structure."""
    store = tmp_path / "c.zarr"
    run(PROLOGUE + STRUCTURE.replace("OPTIONS", repr(options)), str(store))
    arrays = [""] + (["Band1", "Band2"] if options else ["c"])
    kept = [zarr_formats.attributes(store, path).get("gdal_pam", "") for path in arrays]
    assert "ColorTable" in "".join(kept)
    for text in (*kept, (tmp_path / "c.zarr.aux.xml").read_text()):
        assert "IMAGE_STRUCTURE" not in text and "LZW" not in text
    structure = """
<Metadata domain="IMAGE_STRUCTURE"><MDI key="COMPRESSION">LZW</MDI></Metadata>"""
    path = arrays[1]
    attributes = zarr_formats.attributes(store, path)
    attributes["gdal_pam"] = (
        f'<PAMDataset><PAMRasterBand band="1">{structure}</PAMRasterBand></PAMDataset>'
    )
    zarr_formats.put_attributes(store, attributes, path)
    beside = tmp_path / "c.zarr.aux.xml"
    beside.write_text(beside.read_text().replace("</PAMRasterBand>", f"{structure}</PAMRasterBand>"))
    told = run(PROLOGUE + """
dataset = gdal.OpenEx(target, open_options=["USE_CONSOLIDATED_METADATA=NO"])
for i in (1, 2):
    print(dataset.GetRasterBand(i).GetMetadata("IMAGE_STRUCTURE"))
""", str(store))  # fmt: skip
    assert told.split("\n")[:2] == ["{'COMPRESSION': 'BLOSC'}"] * 2


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"], ["INTERLEAVE=PIXEL"]])
@pytest.mark.slow
def test_metadata_without_a_place_in_zarr_is_kept_in_pam(tmp_path, options):
    target = str(tmp_path / "c.zarr")
    told = json.loads(run(PROLOGUE + MAKE.replace("OPTIONS", repr(options)) + TELL, target))
    assert told["table"] == [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128]]
    assert told["categories"] == ["water", "forest", "f\u00e4ld"]
    assert told["colours"][1] == 6  # the value of gdal.GCI_AlphaBand
    assert told["sensor"] == "second"
    assert told["gcps"] == [[10, 50, 1, 0.5, 0.5], [11, 50, 2, 29.5, 0.5], [10, 49, 3, 0.5, 19.5]]
    assert told["gcp_crs"] == "4326"
    assert told["geolocation"]["X_DATASET"] == "lon.tif"
    assert told["rpc"]["SAMP_OFF"] == "2"
    assert told["pixels"] == sum(i % 256 for i in range(1200)) and told["bands"] == 2
    # Another process finds equal properties in the copy.
    assert json.loads(run(PROLOGUE + TELL, target)) == told


@pytest.mark.slow
def test_the_auxiliary_file_moves_with_the_store(tmp_path):
    target = str(tmp_path / "c.zarr")
    script = PROLOGUE + MAKE.replace("OPTIONS", "[]") + "driver.Delete(target)\n"
    run(script, target)
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
def test_a_new_store_does_not_inherit_the_auxiliary_file(tmp_path):
    target = str(tmp_path / "c.zarr")
    run(PROLOGUE + MAKE.replace("OPTIONS", "[]"), target)
    tell = PROLOGUE + """
driver.Create(target, 30, 20, 1, gdal.GDT_Byte)
copy = gdal.Open(target)
print(json.dumps([copy.GetGCPCount(), copy.GetRasterBand(1).GetCategoryNames()]))
"""
    assert json.loads(run(tell, target)) == [0, None]


def test_statistics_go_when_the_values_change(tmp_path):
    """The multidimensional API saves the statistics of an array in the store. If the values change, the
    statistics are removed."""
    target = str(tmp_path / "c.zarr")
    script = PROLOGUE + """
import os
driver.Create(target, 30, 20, 1, gdal.GDT_Byte, ["ARRAY_NAME=v"]).WriteArray(np.full((20, 30), 5))

def statistics(force):
    dataset = gdal.OpenEx(target, gdal.OF_MULTIDIM_RASTER)
    array = dataset.GetRootGroup().OpenMDArray("v")
    found = array.GetStatistics(False, force)
    return found.max if found is not None else None

def write(value):
    dataset = gdal.OpenEx(target, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    array = dataset.GetRootGroup().OpenMDArray("v")
    array.Write(np.array([[value]], "u1"), [3, 4], [1, 1])

told = [statistics(True), statistics(False)]
told.append(os.path.exists(target + "/pam.aux.xml"))
write(9)
told += [statistics(False), statistics(True)]
print(json.dumps(told))
"""
    assert json.loads(run(script, target)) == [5, 5, True, None, 9]
