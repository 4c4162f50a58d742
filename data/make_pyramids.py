# SPDX-License-Identifier: MIT
"""Writes the sample pyramids of data/pyramids with zarr-python 2, for make_samples.py. Each is a small store with another
layout. The value of a pixel depends on its position and level:

    value = f * (column + 3 * row) + 2 * (f - 1) + 10 * k + 1000 * s

k is the number of the level: 0 is the largest. f is 2**k. Row and column are indices in the level. s is the
number of the slice along all dimensions before the rows. The value is the mean of f x f pixels of level 0, plus
10 k and 1000 s. Pixels of labels are value // 64 of slice 0.
"""

import json
import pathlib
import shutil
import sys

import numpy as np
import zarr
from numcodecs import Zlib

OPTIONS = {"compressor": Zlib(9), "fill_value": None}  # no fill value, because 0 is a valid value

MULTISCALES_CONVENTION = {
    "schema_url": "https://raw.githubusercontent.com/zarr-conventions/multiscales/refs/tags/v1/"
    "schema.json",
    "spec_url": "https://github.com/zarr-conventions/multiscales/blob/v1/README.md",
    "uuid": "d35379db-88df-4056-af3a-620245f8e347",
    "name": "multiscales",
    "description": "Multiscale layout of zarr datasets",
}


def ramp(level, dtype, shape):
    """Returns the values of level number `level`, an array of `shape`. The module's docstring has the formula."""
    factor = 2**level
    rows, columns = np.mgrid[0 : shape[-2], 0 : shape[-1]]
    plane = factor * (columns + 3 * rows) + 2 * (factor - 1) + 10 * level
    slices = int(np.prod(shape[:-2], dtype="i8"))
    return np.stack([plane + 1000 * s for s in range(slices)]).reshape(shape).astype(dtype)


def sizes(shape, levels):
    """Returns the shapes of all levels. Each level halves the last two dimensions."""
    return [(*shape[:-2], shape[-2] >> k, shape[-1] >> k) for k in range(levels)]


def new_folder(folder, name):
    path = folder / name
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path


def new_group(path, attributes):
    group = zarr.open_group(str(path), mode="w")
    group.attrs.put(attributes)
    return group


def add_array(group, name, data, attributes=None, **options):
    data = np.asarray(data)
    options.setdefault("chunks", data.shape or None)
    array = group.create_dataset(name, data=data, **{**OPTIONS, **options})
    if attributes:
        array.attrs.put(attributes)
    return array


def add_variable(group, name, data, dims, **attributes):
    chunks = tuple(min(n, 64) for n in data.shape)
    return add_array(group, name, data, {"_ARRAY_DIMENSIONS": list(dims), **attributes},
                     chunks=chunks)


def add_axes(group, shape, origin, pixel, names=("x", "y"), attributes=({}, {})):
    """Adds coordinate arrays with the centres of the pixels. `origin` is the outer corner of the first pixel,
    `pixel` the pixel size."""
    for name, start, spacing, count, more in zip(
        names, origin, (pixel, -pixel), (shape[-1], shape[-2]), attributes
    ):
        add_array(group, name, start + spacing * (np.arange(count) + 0.5),
                  {"_ARRAY_DIMENSIONS": [name], **more})


# OME-NGFF


def ome_image(group, shape, dtype, levels, **options):
    """Adds the levels of an image as arrays "0", "1", ... A chunk has a slice, or a part of a slice."""
    for k, size in enumerate(sizes(shape, levels)):
        chunks = (1,) * (len(size) - 2) + tuple(min(n, 64) for n in size[-2:])
        add_array(group, str(k), ramp(k, dtype, size), **{"chunks": chunks, **options})


def ome_04(names, levels, pixel=0.5, name="image", slice_scale=1.0):
    """Returns the attribute `multiscales` of OME-NGFF 0.4. Pixel sizes are in micrometres."""
    types = {"t": "time", "c": "channel"}
    axes = []
    for axis in names:
        axes.append({"name": axis, "type": types.get(axis, "space")})
        if axes[-1]["type"] == "space":
            axes[-1]["unit"] = "micrometer"
    others = len(names) - 2
    datasets = []
    for k in range(levels):
        shift = pixel * (2**k - 1) / 2
        datasets.append({
            "path": str(k),
            "coordinateTransformations": [
                {"type": "scale", "scale": [slice_scale] * others + [pixel * 2**k] * 2},
                {"type": "translation", "translation": [0.0] * others + [shift, shift]},
            ],
        })
    return [{"version": "0.4", "name": name, "axes": axes, "datasets": datasets,
             "type": "mean"}]


def ome_0_1(folder):
    """Writes an image of OME-NGFF 0.1: five dimensions without names, and flat chunk keys."""
    datasets = [{"path": str(k)} for k in range(3)]
    group = new_group(folder / "ome_0.1.zarr",
                      {"multiscales": [{"version": "0.1", "name": "image", "datasets": datasets}]})
    ome_image(group, (1, 1, 2, 96, 128), "u2", 3, dimension_separator=".")


def ome_0_3(folder):
    """Writes an image of OME-NGFF 0.3: named axes, and nested chunk keys."""
    datasets = [{"path": f"s{k}"} for k in range(3)]
    group = new_group(folder / "ome_0.3.zarr", {
        "multiscales": [{"version": "0.3", "axes": ["c", "y", "x"], "datasets": datasets}]})
    for k, size in enumerate(sizes((2, 96, 128), 3)):
        add_array(group, f"s{k}", ramp(k, "i2", size), chunks=(2, 48, 64),
                  dimension_separator="/")


def ome_0_4(folder):
    """Writes an image of OME-NGFF 0.4: scales, two channels with colours, and labels, which have their own
    levels."""
    window = {"min": 0.0, "max": 65535.0}
    channels = [
        {"label": "LaminB1", "color": "0000FF", "active": True,
         "window": {**window, "start": 0.0, "end": 500.0}},
        {"label": "Dapi", "color": "FF0000", "active": True,
         "window": {**window, "start": 1000.0, "end": 1500.0}},
    ]
    group = new_group(folder / "ome_0.4.zarr", {
        "multiscales": ome_04("cyx", 3),
        "omero": {"id": 1, "version": "0.4", "channels": channels,
                  "rdefs": {"defaultT": 0, "defaultZ": 0, "model": "color"}},
    })
    ome_image(group, (2, 96, 128), "u2", 3, dimension_separator="/")
    group.create_group("labels").attrs.put({"labels": ["cells"]})
    cells = group.create_group("labels/cells")
    cells.attrs.put({"multiscales": ome_04("yx", 2, name="cells"),
                     "image-label": {"version": "0.4", "source": {"image": "../../"}}})
    for k, size in enumerate(sizes((96, 128), 2)):
        add_array(cells, str(k), (ramp(k, "u2", size) // 64).astype("u1"),
                  dimension_separator="/")


def ome_examples(folder):
    """Writes three images like those of OME-Zarr's documentation: with one chunk, with three chunks along z,
    and with two levels."""
    group = new_group(folder / "ome_one_chunk.zarr", {"multiscales": ome_04("yx", 1)})
    add_array(group, "0", ramp(0, "u2", (96, 128)), dimension_separator="/")
    group = new_group(folder / "ome_three_z_chunks.zarr",
                      {"multiscales": ome_04("zyx", 1, slice_scale=2.0)})
    add_array(group, "0", ramp(0, "u2", (3, 96, 128)), chunks=(1, 96, 128),
              dimension_separator="/")
    group = new_group(folder / "ome_two_levels.zarr", {"multiscales": ome_04("yx", 2)})
    ome_image(group, (96, 128), "u2", 2, dimension_separator="/")


def ome_plate(folder):
    """Writes a plate of OME-NGFF with two wells in one column. Each well has one image."""
    rows = [{"name": "A"}, {"name": "B"}]
    wells = [{"path": f"{row['name']}/1", "rowIndex": i, "columnIndex": 0}
             for i, row in enumerate(rows)]
    root = new_group(folder / "ome_plate.zarr", {
        "plate": {"version": "0.4", "name": "plate", "field_count": 1, "rows": rows,
                  "columns": [{"name": "1"}], "wells": wells}})
    for row in rows:
        well = root.create_group(f"{row['name']}/1")
        well.attrs.put({"well": {"version": "0.4", "images": [{"path": "0"}]}})
        image = well.create_group("0")
        image.attrs.put({"multiscales": ome_04("yx", 2)})
        ome_image(image, (24, 32), "u1", 2, dimension_separator="/")


# Functions that write pyramids of maps


def ndpyramid(folder):
    """Writes a pyramid as ndpyramid does. Level 0 is the smallest. Attributes state the CRS, and coordinates
    the geotransform. There are two variables."""
    datasets = [{"path": str(i), "pixels_per_tile": 128, "crs": "EPSG:3857"} for i in range(3)]
    root = new_group(folder / "ndpyramid.zarr", {
        "multiscales": [{"datasets": datasets, "type": "reduce",
                         "metadata": {"method": "pyramid_reproject", "version": "0.1.0"}}]})
    for i, (k, size) in enumerate(reversed(list(enumerate(sizes((2, 96, 128), 3))))):
        group = root.create_group(str(i))
        add_variable(group, "tavg", ramp(k, "f4", size), ("month", "y", "x"), units="degC")
        add_variable(group, "prec", ramp(k, "f4", size)[0], ("y", "x"), units="mm")
        add_array(group, "month", np.arange(1, 3, dtype="i4"), {"_ARRAY_DIMENSIONS": ["month"]})
        add_axes(group, size, (1000000.0, 6000000.0), 100.0 * 2**k)


def geozarr_inline(folder):
    """Writes a GeoZarr pyramid. Attributes of the largest array contain the tile matrix set and its CRS; the
    smallest level is first. Each level has coordinates."""
    root = new_group(folder / "geozarr_inline.zarr", {"title": "elevation"})
    levels = list(reversed(list(enumerate(sizes((96, 128), 3)))))
    matrices = [
        {"id": str(i), "scaleDenominator": 30.0 * 2**k / 0.00028, "cellSize": 30.0 * 2**k,
         "pointOfOrigin": [612000.0, 5214000.0], "tileWidth": 64, "tileHeight": 64,
         "matrixWidth": -(-size[1] // 64), "matrixHeight": -(-size[0] // 64)}
        for i, (k, size) in enumerate(levels)
    ]
    for i, (k, size) in enumerate(levels):
        group = root.create_group(str(i))
        more = {}
        if k == 0:
            more = {"multiscales": {
                "tile_matrix_set": {"id": "utm32", "crs": "EPSG:32632", "tileMatrices": matrices},
                "resampling_method": "average"}}
        add_variable(group, "dem", ramp(k, "i2", size), ("y", "x"), units="m", **more)
        add_axes(group, size, (612000.0, 5214000.0), 30.0 * 2**k)


def geozarr_named(folder):
    """Writes a GeoZarr pyramid whose attributes name a known tile matrix set, and list the zoom levels that are
    stored. Each level has these attributes, and coordinates."""
    root = new_group(folder / "geozarr_named.zarr", {})
    for k, size in enumerate(sizes((96, 128), 3)):
        pixel = 2 * 20037508.342789244 / 256 / 2 ** (10 - k)
        limits = {str(10 - j): {"tileMatrix": str(10 - j)} for j in (2, 1, 0)}
        group = root.create_group(str(10 - k))
        add_variable(group, "dem", ramp(k, "f4", size), ("y", "x"), multiscales={
            "tile_matrix_set": "WebMercatorQuad", "resampling_method": "average",
            "tile_matrix_limits": limits})
        add_axes(group, size, (0.0, 0.0), pixel)


def xcube_dataset(path, k, size):
    group = new_group(path, {"Conventions": "CF-1.7"})
    names = ("lon", "lat")
    attributes = ({"standard_name": "longitude", "units": "degrees_east"},
                  {"standard_name": "latitude", "units": "degrees_north"})
    add_variable(group, "conc_chl", ramp(k, "f4", size), ("time", "lat", "lon"), units="mg m^-3")
    add_array(group, "time", np.arange(size[0], dtype="i8"),
              {"_ARRAY_DIMENSIONS": ["time"], "units": "days since 2017-01-16"})
    add_axes(group, size, (0.0, 52.5), 0.0025 * 2**k, names, attributes)


def xcube(folder):
    """Writes a folder of levels as xcube does, with xcube's file of properties, `.zlevels`. The coordinates are
    longitudes and latitudes of WGS 84."""
    path = new_folder(folder, "xcube.levels")
    for k, size in enumerate(sizes((2, 96, 128), 3)):
        xcube_dataset(path / f"{k}.zarr", k, size)
    properties = {"version": "1.0", "num_levels": 3, "use_saved_levels": False,
                  "tile_size": [64, 64], "agg_methods": {"conc_chl": "mean"}}
    (path / ".zlevels").write_text(json.dumps(properties, indent=2) + "\n")


def xcube_link(folder):
    """Writes a folder of levels like those of xcube, but without the optional file of properties. Level 0 is the
    file 0.link, which names a dataset in the folder."""
    path = new_folder(folder, "xcube_link.levels")
    for k, size in enumerate(sizes((1, 96, 128), 3)):
        xcube_dataset(path / ("base.zarr" if k == 0 else f"{k}.zarr"), k, size)
    (path / "0.link").write_text("base.zarr")


def layout_entry(asset, k, source, **more):
    entry = {"asset": asset, **more}
    if k > 0:
        entry.update(derived_from=source, resampling_method="average",
                     transform={"scale": [2.0, 2.0], "translation": [0.0, 0.0]})
    return entry


def layout_arrays(folder):
    """Writes a pyramid of the convention multiscales whose levels are arrays. The group states the CRS, and
    each array its geotransform."""
    layout = [layout_entry(str(k), k, str(k - 1)) for k in range(3)]
    group = new_group(folder / "layout_arrays.zarr", {
        "zarr_conventions": [MULTISCALES_CONVENTION],
        "multiscales": {"layout": layout, "resampling_method": "average"},
        "proj:code": "EPSG:32632"})
    for k, size in enumerate(sizes((96, 128), 3)):
        pixel = 10.0 * 2**k
        add_variable(group, str(k), ramp(k, "i2", size), ("y", "x"), **{
            "spatial:dimensions": ["y", "x"],
            "spatial:transform": [pixel, 0.0, 600000.0, 0.0, -pixel, 5200000.0]})


def layout_groups(folder):
    """Writes a pyramid of the convention multiscales whose levels are groups. Each group states its CRS and
    geotransform. The array b05 is absent from the largest level."""
    names = ("r10m", "r20m", "r40m")
    layout = [layout_entry(name, k, names[k - 1]) for k, name in enumerate(names)]
    root = new_group(folder / "layout_groups.zarr", {
        "zarr_conventions": [MULTISCALES_CONVENTION],
        "multiscales": {"layout": layout, "resampling_method": "average"}})
    for k, (name, size) in enumerate(zip(names, sizes((96, 128), 3))):
        pixel = 10.0 * 2**k
        group = root.create_group(name)
        group.attrs.put({"proj:code": "EPSG:32632", "spatial:dimensions": ["y", "x"],
                         "spatial:transform": [pixel, 0.0, 600000.0, 0.0, -pixel, 5200000.0]})
        for band in ("b02", "b05") if k > 0 else ("b02",):
            add_variable(group, band, ramp(k, "u2", size), ("y", "x"))


def make(folder):
    """Writes all pyramids into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for pyramid in (ome_0_1, ome_0_3, ome_0_4, ome_examples, ome_plate, ndpyramid, geozarr_inline,
                    geozarr_named, xcube, xcube_link, layout_arrays, layout_groups):
        pyramid(folder)
