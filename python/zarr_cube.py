#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one cube of references from many files; see `zarr_cube --help`."""

import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# An installed program is in bin/, and its modules are in share/gdal-plugin-zarr/.
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "share" / "gdal-plugin-zarr")]

from zarr_cubes import options  # noqa: E402  (in the folders that joined the path above)


def main(words):
    options.parser().parse_args(words)  # --help and wrong options end the program here
    try:
        from zarr_cubes import command
    except ImportError as error:
        print(f"zarr_cube: {error}. It needs NumPy and GDAL's Python module osgeo, which rasterio does not contain: install "
              "python3-gdal of your system in an environment with --system-site-packages, or gdal with conda.",
              file=sys.stderr)  # fmt: skip
        return 4
    return command.main(words)


def run(words):
    """Runs the program, and ends the process. A thread of icechunk that has answered the last request may still call
    Python, which must not be finalized then: Python before 3.14 aborts the process."""
    code = main(words)
    if "icechunk" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    run(sys.argv[1:])
