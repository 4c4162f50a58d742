# SPDX-License-Identifier: MIT
"""Says which libgdal of this Python uses the driver, and why another does not."""

import os
import sys
from importlib import metadata

import gdal_zarr_start
from gdal_zarr import libraries


OLD_ABI = " with the old C++ ABI"


def describe(package):
    """Returns lines about the libgdal of `package`."""
    if libraries.extension_of(package) is None:
        return [f"{package}: not installed"]
    library = libraries.library_of(package)
    if library is None:
        return [f"{package}: its libgdal cannot be loaded"]
    lines = [f"{package}: GDAL {library.version}{OLD_ABI if library.has_old_abi else ''}, {library.path}"]
    folders = library.folders
    if gdal_zarr_start.Waiting not in sys.meta_path:
        return [*lines, "    no plugin: GDAL_ZARR=NO is set"]
    if folders == ["disable"]:
        return [*lines, "    no plugin: GDAL_DRIVER_PATH=disable is set"]
    if not library.plugin.exists():
        return [*lines, f"    no plugin: this package has plugins for GDAL {', '.join(versions())}"]
    lines.append(f"    plugin {library.plugin}")
    others = [folder for folder in folders if folder != str(libraries.PLUGIN_FOLDER)]
    lines += [f"    also plugins in {folder}" for folder in others]
    return lines


def versions():
    """Returns the versions of GDAL for which this package has plugins."""
    names = (path.stem.removeprefix("gdal_zarr_") for path in (libraries.PACKAGE / "plugins").glob("*.so"))
    names = sorted(names, key=lambda name: (int(name.split("_")[0].split(".")[1]), name))
    return [name.replace("_old_abi", OLD_ABI) for name in names]


def main():
    print(f"gdal_zarr {metadata.version('gdal_zarr')} in {libraries.PACKAGE}")
    for package in sorted(gdal_zarr_start.PACKAGES):
        print("\n".join(describe(package)))
    if os.environ.get("GDAL_SKIP"):
        print(f"GDAL_SKIP={os.environ['GDAL_SKIP']}")


if __name__ == "__main__":
    main()
