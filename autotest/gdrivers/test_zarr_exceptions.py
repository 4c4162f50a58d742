# SPDX-License-Identifier: MIT
"""Python exceptions of GDAL: with them, any error that the driver leaves behind makes a call fail.
"""

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
    """Runs the test in a separate process, because drivers are registered only once in a
    process."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(DATA / "terrain.zarr")],
                          capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "(600, 800)" and lines[1].startswith("refused:"), done.stdout
