#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a Zarr store, and recommends commands that correct its faults; see `zarr_check --help`."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# An installed program is in bin/, and its modules are in share/gdal-plugin-zarr/.
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "share" / "gdal-plugin-zarr")]

from zarr_checks import command  # noqa: E402  (in the folders that joined the path above)

if __name__ == "__main__":
    sys.exit(command.main(sys.argv[1:]))
