# SPDX-License-Identifier: MIT
"""Compares this driver with GDAL's built-in Zarr driver.

Asker runs processes in which GDAL tries either this driver or the built-in driver first. Other functions write stores
that both drivers can read."""

import json
import os
import pathlib
import subprocess
import sys

from osgeo import gdal

# Program that opens datasets and prints answers. Its argument is a JSON list of questions (name, flags, allowed
# drivers). An answer states the driver that identifies the name, the driver that opens it, the contents, and the
# errors.
_ANSWERS = """
import json, sys
from osgeo import gdal
gdal.DontUseExceptions()
answers = {"order": [name for name in map(lambda i: gdal.GetDriver(i).ShortName,
                                          range(gdal.GetDriverCount())) if "Zarr" in name]}
errors = []
gdal.PushErrorHandler(lambda kind, _, text: kind >= gdal.CE_Failure and errors.append(text))

def contents(dataset):
    if dataset is None:
        return None
    if dataset.GetRootGroup() is None:
        data = dataset.ReadAsArray() if dataset.RasterCount else None
        return [len(dataset.GetSubDatasets()), None if data is None else data.tolist()]
    group = dataset.GetRootGroup()
    arrays = {name: group.OpenMDArray(name) for name in group.GetMDArrayNames() or []}
    return {name: array and array.Read() and bytes(array.Read()).hex()
            for name, array in arrays.items()}

answers["answers"] = []
for name, flags, allowed in json.loads(sys.argv[1]):
    errors.clear()
    gdal.ErrorReset()
    kept = {"allowed_drivers": allowed} if allowed else {}
    driver = gdal.IdentifyDriverEx(name, flags, **kept)
    plain = gdal.IdentifyDriver(name)
    dataset = gdal.OpenEx(name, flags, **kept)
    answers["answers"].append({
        "identified": driver and driver.ShortName, "plainly": plain and plain.ShortName,
        "driver": dataset and dataset.GetDriver().ShortName, "contents": contents(dataset),
        "errors": list(errors)})
    del dataset
print(json.dumps(answers))
"""


def plugin_folder(folder, *order):
    """Creates a plugin folder with the plugin and a file drivers.ini that lists the drivers `order`. Returns the
    environment of a program that uses this folder."""
    folder = pathlib.Path(folder) / "gdalplugins"
    folder.mkdir()
    plugin = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]) / "gdal_ZarrV2.so"
    (folder / plugin.name).symlink_to(plugin)
    (folder / "drivers.ini").write_text("\n".join(["[order]", *order, ""]))
    return {**os.environ, "GDAL_DRIVER_PATH": str(folder)}


class Asker:
    """Sends questions to programs in other processes, in which GDAL has two Zarr drivers. With the order "ours first",
    GDAL tries this driver first when it opens a dataset. With "builtin first", it tries the built-in driver first, as
    in Debian; a file drivers.ini states this order."""

    def __init__(self, folder, order):
        self.order = order
        is_ours_first = order == "ours first"
        self.environment = dict(os.environ) if is_ours_first else plugin_folder(
            folder, "VRT", "GTiff", "MEM", "Zarr", "HTTP")  # fmt: skip

    def ask(self, *questions):
        """Runs the program once for all questions (name, flags, allowed drivers or None), and returns an
        answer for each."""
        done = subprocess.run(
            [sys.executable, "-B", "-c", _ANSWERS, json.dumps(questions)],
            capture_output=True, text=True, check=False, env=self.environment, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        first = "Zarr" if self.order == "ours first" else "ZarrBuiltin"
        assert found["order"][0] == first and len(found["order"]) == 2
        return found["answers"]


def make_v3(path, *names, size=(4, 5)):
    """Writes a store of Zarr v3 with this driver. Each array in `names` holds the bytes 0, 1, 2, ..."""
    driver = gdal.GetDriverByName("Zarr")
    group = driver.CreateMultiDimensional(str(path), options=["FORMAT=ZARR_V3"]).GetRootGroup()
    dimensions = [group.CreateDimension(f"d{i}", "", "", n) for i, n in enumerate(size)]
    for name in names:
        array = group.CreateMDArray(name, dimensions, gdal.ExtendedDataType.Create(gdal.GDT_Byte))
        assert array.Write(bytes(range(size[0] * size[1]))) == gdal.CE_None
    return path


ARRAY = {"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|u1", "fill_value": None,
         "filters": None, "compressor": None, "order": "C"}  # fmt: skip
REFERENCED = {".zgroup": {"zarr_format": 2}, "x/.zarray": ARRAY, "x/.zattrs": {}}


def reference_file(path, chunk):
    """Writes Kerchunk references, version 1, as a JSON document. The references describe an array x of 2 x 2
    bytes in one chunk, which is the whole file `chunk`."""
    documents = {key: json.dumps(value) for key, value in REFERENCED.items()}
    refs = {**documents, "x/0.0": [str(chunk), 0, 4]}
    path.write_text(json.dumps({"version": 1, "refs": refs}))
    return path


def reference_folder(path):
    """Writes a folder of Kerchunk references in Parquet, for an array x. The Parquet file is invalid, because
    this module cannot write Parquet. A driver that reads x must open this file, and must give an error."""
    (path / "x").mkdir(parents=True)
    (path / ".zmetadata").write_text(json.dumps({"metadata": REFERENCED, "record_size": 10}))
    (path / "x" / "refs.0.parq").write_bytes(b"PAR1")
    return path


def reads_references():
    """True if GDAL's built-in driver reads Kerchunk references. Such a version of GDAL has a file system for
    references."""
    return "/vsikerchunk_json_ref/" in gdal.GetFileSystemsPrefixes()
