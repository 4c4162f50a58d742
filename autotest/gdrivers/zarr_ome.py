# SPDX-License-Identifier: MIT
"""Writes stores with OME-NGFF images, in the layouts of bioformats2raw and ome-zarr."""

import pathlib

import numpy as np
import zarr_python as zarr

OME_XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">\n{}</OME>\n'
)


def multiscales(levels, name=None, paths=None):
    """Returns the attribute `multiscales` of a yx image with levels "0", "1", ..., each half as large as the previous
    one."""
    axes = [{"name": axis, "type": "space", "unit": "micrometer"} for axis in "yx"]
    datasets = [
        {"path": path,
         "coordinateTransformations": [{"type": "scale", "scale": [0.5 * 2**k, 0.5 * 2**k]}]}
        for k, path in enumerate(paths or [str(k) for k in range(levels)])
    ]  # fmt: skip
    described = {"version": "0.4", "axes": axes, "datasets": datasets}
    if name is not None:
        described["name"] = name
    return [described]


def values_of(seed, shape=(24, 32)):
    return (np.arange(shape[0] * shape[1]).reshape(shape) % 50 + seed).astype("u1")


def add_image(root, path, seed=0, name=None, levels=2, shape=(24, 32)):
    image = root.require_group(path)
    image.attrs["multiscales"] = multiscales(levels, name)
    for k in range(levels):
        values = values_of(seed, shape)[:: 2**k, :: 2**k]
        image.create_dataset(
            str(k), data=values, chunks=(12, 16), dimension_separator="/", fill_value=None
        )
    return image


def add_labels(image, names):
    image.require_group("labels").attrs["labels"] = list(names)
    for i, name in enumerate(names):
        label = add_image(image, f"labels/{name}", 100 + i, name)
        label.attrs["image-label"] = {"version": "0.4", "source": {"image": "../../"}}


def make_image(folder, paths, axes="cyx", version="0.4", attrs=None, named=False, turned=False,
               name="image.zarr", at=""):  # fmt: skip
    """Writes an OME-NGFF image with two channels and omero metadata. Its levels, of 12 x 16 and 6 x 8 pixels, are the
    arrays `paths`.

    `version` is that of OME-NGFF. `named` adds dimension names to the arrays. `turned` puts x before y. Returns the
    store, and the first level's values as channels x rows x columns."""
    store = pathlib.Path(folder) / name
    root = zarr.open_group(str(store), mode="a")
    group = root.require_group(at) if at else root
    values = np.arange(2 * 12 * 16, dtype="u2").reshape(2, 12, 16)
    order = axes.replace("yx", "xy") if turned else axes
    types = {"t": "time", "c": "channel"}
    described = [{"name": a, "type": types.get(a, "space")} for a in order]
    for axis in described:
        if axis["name"] in "xy":
            axis["unit"] = "micrometer"
    datasets = []
    for k, path in enumerate(paths):
        level = values[:, :: 2**k, :: 2**k].reshape((2, 1, 12 >> k, 16 >> k))[None]
        level = level[0, :, 0] if axes == "cyx" else level
        level = level.swapaxes(-1, -2) if turned else level
        separator = "." if version == "0.1" else "/"
        array = group.create_dataset(path, data=level, dimension_separator=separator)
        if named:
            array.attrs["_ARRAY_DIMENSIONS"] = list(order)
        scale = [0.5 * 2**k if a in "xy" else 1.0 for a in order]
        steps = [{"type": "scale", "scale": scale}]
        datasets.append({"path": path, "coordinateTransformations": steps})
        if "/" in path and not named:  # ngff-zarr stores dimension names in the group around the array
            around = group[path.rpartition("/")[0]]
            around.attrs["_ARRAY_DIMENSIONS"] = list(order)
    one = {"version": version, "axes": described, "datasets": datasets, "name": "cells"}
    if version < "0.4":
        for entry in datasets:
            del entry["coordinateTransformations"]
        one["axes"] = list(order)
    if version < "0.3":
        del one["axes"]
    channels = [{"label": "Dapi", "color": "0000FF"}, {"label": "GFP", "color": "00FF00"}]
    group.attrs.update(multiscales=[one], omero={"channels": channels}, **(attrs or {}))
    return store, values


def make_series(folder, names, series=True, xml=True, attrs=None):
    """Writes a store with several images as bioformats2raw does. Group "0", "1", ... has one image each; the values of
    image i are values_of(10 * i)."""
    store = pathlib.Path(folder) / "series.zarr"
    root = zarr.open_group(str(store), mode="w")
    root.attrs.put({"bioformats2raw.layout": 3, **(attrs or {})})
    for i, _ in enumerate(names):
        add_image(root, str(i), 10 * i)
    if series or xml:
        ome = root.create_group("OME")
        if series:
            ome.attrs["series"] = [str(i) for i in range(len(names))]
    if xml:
        images = "".join(f'  <Image ID="Image:{i}" Name="{n}"/>\n' for i, n in enumerate(names))
        (store / "OME" / "METADATA.ome.xml").write_text(OME_XML.format(images), "utf-8")
    return store


def make_plate(folder, wells, fields=1, attrs=None):
    """Writes an OME-NGFF plate with `fields` images in each of `wells`. Image number i has the values values_of(i)."""
    store = pathlib.Path(folder) / "plate.zarr"
    root = zarr.open_group(str(store), mode="w")
    rows = sorted({well.split("/")[0] for well in wells})
    columns = sorted({well.split("/")[1] for well in wells})
    listed = [
        {"path": well, "rowIndex": rows.index(well.split("/")[0]),
         "columnIndex": columns.index(well.split("/")[1])}
        for well in wells
    ]  # fmt: skip
    root.attrs.put({
        "plate": {"version": "0.4", "name": "plate", "field_count": fields,
                  "rows": [{"name": row} for row in rows],
                  "columns": [{"name": column} for column in columns], "wells": listed},
        **(attrs or {}),
    })  # fmt: skip
    seed = 0
    for path in wells:
        well = root.create_group(path)
        images = [{"path": str(field)} for field in range(fields)]
        well.attrs["well"] = {"version": "0.4", "images": images}
        for field in range(fields):
            add_image(well, str(field), seed)
            seed += 1
    return store
