#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the stores of the page "which store opens where", and the properties that readers must find.

    docs/opens_where/stores.py FOLDER [LIST.json]

FOLDER receives the stores, `expected/` with the values of their arrays, and `stores.json`, which probe.py
reads. stores.json has the name, path, title, writer, arrays and properties of each store. The properties (CRS,
geotransform, nodata, scale, overviews, ...) follow from the specification and from the conventions.
LIST.json receives the descriptions for the page.

Needs build/tools/python of `scripts/setup.sh test`, ncgen of netCDF-C, and GDAL with this driver
(GDAL_DRIVER_PATH).
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
for sources in (HERE, HERE.parents[1] / "data", HERE.parents[1] / "autotest" / "gdrivers"):
    sys.path.insert(0, str(sources))

# Members of a store's description that the page shows, but the results do not contain
DESCRIPTION = ("name", "family", "title", "writer")


def kind_of(values):
    """Returns the kind of an array, which tells how readers open it: "structure", "strings", "raster" (at least
    two dimensions) or "vector"."""
    if values.dtype.names:
        return "structure"
    if values.dtype.kind in "OSU":
        return "strings"
    return "raster" if values.ndim >= 2 else "vector"


def keep(folder, store, path, values):
    """Writes the values of an array to a file, in native byte order and without pickles. Returns the array's
    entry for stores.json."""
    kind = kind_of(values)
    if values.dtype.kind == "O":
        values = values.astype("U")
    values = values.astype(values.dtype.newbyteorder("="))
    file = f"expected/{store['name']}-{path.replace('/', '-') or 'root'}.npy"
    (folder / "expected").mkdir(exist_ok=True)
    np.save(folder / file, values, allow_pickle=False)
    return {"path": path, "kind": kind, "file": file}


def make(folder):
    """Writes all stores into an empty folder. Returns the contents of stores.json."""
    import geo_stores
    import plain_stores
    import zarr_formats

    zarr_formats.set_default_format()
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    stores = []
    for maker in [*plain_stores.MAKERS, *geo_stores.MAKERS]:
        for store in maker(folder):
            arrays = [keep(folder, store, path, v) for path, v in store["arrays"].items()]
            stores.append({"facts": {}, **store, "arrays": arrays})
    names = [store["name"] for store in stores]
    assert len(set(names)) == len(names)
    write_json(folder / "stores.json", stores)
    return stores


def descriptions(stores):
    return [{key: store[key] for key in DESCRIPTION} for store in stores]


def write_json(path, document):
    """Writes a list as JSON with one line for each item."""
    lines = [json.dumps(item, ensure_ascii=False) for item in document]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    pathlib.Path(path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    made = make(sys.argv[1])
    if len(sys.argv) == 3:
        write_json(sys.argv[2], descriptions(made))
    print(f"{len(made)} stores in {sys.argv[1]}")
