# SPDX-License-Identifier: MIT
"""With Python exceptions of GDAL, a call fails if the driver leaves any error behind, even if the call
succeeds otherwise."""

import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"

SCRIPT = """
import sys
from osgeo import gdal
gdal.UseExceptions()
dataset = gdal.Open(sys.argv[1])
print(dataset.GetRasterBand(1).ReadAsArray().shape)
gdal.AllRegister()
try:
    gdal.Open(sys.argv[1] + "/nowhere")
except RuntimeError as error:
    print("refused:", error)
"""


def test_exceptions():
    """The script runs in a new process, because GDAL registers its drivers only once in a process."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(DATA / "terrain.zarr")],
                          capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "(600, 800)" and lines[1].startswith("refused:"), done.stdout
