# SPDX-License-Identifier: MIT
"""Writes large stores for test_qgis_cost.py: a satellite product with 200 arrays, and pyramids of 10^10 pixels
whose chunks are nearly all absent."""

import numpy as np
import zarr_python as zarr

RESOLUTIONS = (10, 20, 60, 100)
BANDS = 50  # number of arrays in the group of each resolution
SIDE = 100000  # number of pixels along each side of a pyramid's largest level
CHUNK = 512
FILLED = 4096  # a level with more than this number of pixels along a side has no stored chunks


def make_product(path, consolidated):
    """Writes a store like a satellite product: four groups, each with 50 arrays on one grid, and with
    coordinates."""
    root = zarr.open_group(str(path), mode="w")
    root.attrs["proj:code"] = "EPSG:32632"
    for resolution in RESOLUTIONS:
        group = root.create_group(f"measurements/r{resolution}m")
        group.attrs["proj:code"] = "EPSG:32632"
        centres = resolution * (np.arange(64) + 0.5)
        for axis, values in (("x", 600000 + centres), ("y", 5300000 - centres)):
            group.array(axis, values).attrs["_ARRAY_DIMENSIONS"] = [axis]
        for band in range(BANDS):
            values = np.full((64, 64), band, "u2")
            array = group.array(f"b{band:02}", values, chunks=(32, 32), fill_value=None)
            array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    if consolidated:
        zarr.consolidate_metadata(str(path))
    return path


def level_sizes():
    """Returns the side in pixels of each level, from SIDE down to less than 512."""
    sizes = [SIDE]
    while sizes[-1] >= 512:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes


def level_values(size):
    """Returns the values of a level: a ramp from 10 in the upper left corner to 250 in the lower right corner."""
    ramp = np.arange(size, dtype="f4") / (size - 1)
    return (10 + 120 * (ramp[:, None] + ramp[None, :])).astype("u1")


def add_level(group, level, size, attributes):
    array = group.create_dataset(
        str(level), shape=(size, size), chunks=(CHUNK, CHUNK), dtype="u1", fill_value=0
    )  # fmt: skip
    array.attrs.put({"_ARRAY_DIMENSIONS": ["y", "x"], **attributes})
    if size <= FILLED:
        array[...] = level_values(size)


def make_map(path, consolidated=True):
    """Writes a pyramid of the convention multiscales, with pixels of 10 m."""
    group = zarr.open_group(str(path), mode="w")
    layout = []
    for level, size in enumerate(level_sizes()):
        pixel = 10.0 * SIDE / size
        transform = [pixel, 0.0, 0.0, 0.0, -pixel, 6000000.0]
        add_level(group, level, size, {"spatial:transform": transform})
        layout.append({"asset": str(level), "transform": {"scale": [2.0**level, 2.0**level]}})
    group.attrs.put({"multiscales": {"layout": layout}, "proj:code": "EPSG:32632"})
    if consolidated:
        zarr.consolidate_metadata(str(path))
    return path


def make_image(path):
    """Writes a pyramid of OME-NGFF 0.4, with pixels of 0.25 micrometres. Its y axis points down."""
    group = zarr.open_group(str(path), mode="w")
    datasets = []
    for level, size in enumerate(level_sizes()):
        scale = 0.25 * SIDE / size
        add_level(group, level, size, {})
        datasets.append({
            "path": str(level),
            "coordinateTransformations": [{"type": "scale", "scale": [scale, scale]}],
        })  # fmt: skip
    axes = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "yx"]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]
    zarr.consolidate_metadata(str(path))
    return path
