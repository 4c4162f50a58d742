# SPDX-License-Identifier: MIT
"""Says which libgdal of this Python uses the driver, and why another does not."""

import os
import sys
from importlib import metadata

import gdal_zarr_start
from gdal_zarr import libraries


def describe(package):
    """Returns lines about the libgdal of `package`."""
    if libraries.extension_of(package) is None:
        return [f"{package}: not installed"]
    library = libraries.library_of(package)
    if library is None:
        return [f"{package}: its libgdal cannot be loaded"]
    lines = [f"{package}: GDAL {library.version}{libraries.OLD_ABI if library.has_old_abi else ''}, {library.path}"]
    folders = library.folders
    if gdal_zarr_start.Waiting not in sys.meta_path:
        return [*lines, "    no plugin: GDAL_ZARR=NO is set"]
    if folders == ["disable"]:
        return [*lines, "    no plugin: GDAL_DRIVER_PATH=disable is set"]
    lines += [f"    plugin {plugin}, if it is for this GDAL; otherwise:" for plugin in library.other_plugins]
    if not library.plugin.exists():
        return [*lines, f"    no plugin: this package has plugins for GDAL {', '.join(libraries.versions())}"]
    lines.append(f"    plugin {library.plugin}")
    others = [folder for folder in folders if folder != str(libraries.PLUGIN_FOLDER)]
    return [*lines, *(f"    also plugins in {folder}" for folder in others)]


def main():
    print(f"gdal_zarr {metadata.version('gdal_zarr')} in {libraries.PACKAGE}")
    if not gdal_zarr_start.CAME_WITH_PYTHON:
        print(
            "Python does not process gdal_zarr_start.pth in this folder, so that the driver is not in use when a program "
            "starts. What follows is true of a program that imports gdal_zarr before the other packages."
        )
    for package in sorted(gdal_zarr_start.PACKAGES):
        print("\n".join(describe(package)))
    if os.environ.get("GDAL_SKIP"):
        print(f"GDAL_SKIP={os.environ['GDAL_SKIP']}")


if __name__ == "__main__":
    main()
