# SPDX-License-Identifier: MIT
"""Program that executes commands of zarr3.py with zarr-python 3, in a process of its own.

Each line of standard input is a JSON list of commands. Each line of standard output is the list of
their answers, with {"error": text} for a command that failed. A command is an object: "do" names
one of COMMANDS, and the other members are its arguments."""

import json
import pathlib
import sys
import warnings

import ml_dtypes
import numpy as np
import zarr
import zarr3_values

warnings.simplefilter("ignore")  # warnings that data types or codecs are not specified yet


def _keep(folder, store, path):
    """Reads an array, saves its values in `folder`, and returns the result that zarr3.Array expects."""
    array = zarr.open_array(store, path=path, mode="r", zarr_format=3)
    values = array[...]
    name = pathlib.Path(folder) / f"{len(list(pathlib.Path(folder).iterdir()))}"
    fill = np.empty((), values.dtype)
    fill[()] = array.fill_value
    return {
        "values": str(zarr3_values.save(f"{name}-read", values)),
        "fill": str(zarr3_values.save(f"{name}-fill", fill)),
        "document": json.loads((pathlib.Path(store) / path / "zarr.json").read_text()),
        "attributes": dict(array.attrs),
        "dimension_names": array.metadata.dimension_names,
    }


def group(store, path="", attributes=None):
    zarr.create_group(store, path=path, attributes=attributes or {}, zarr_format=3)


def array(folder, store, path, document, values):
    """Creates an array with `document` as its zarr.json, and writes `values`. zarr-python then rewrites
    zarr.json. Returns the values that are read back, because lossy codecs change values."""
    place = pathlib.Path(store) / path
    place.mkdir(parents=True, exist_ok=True)
    (place / "zarr.json").write_text(json.dumps(document))
    opened = zarr.open_array(store, path=path, mode="r+", zarr_format=3)
    opened.update_attributes(document.get("attributes", {}))
    if values is not None:
        opened[...] = zarr3_values.load(values)
    return _keep(folder, store, path)


def create(folder, store, path, values, arguments):
    """Creates an array by zarr.create_array(), which uses its own defaults for arguments that are not given."""
    loaded = zarr3_values.load(values)
    named = {"dtype": loaded.dtype, "shape": loaded.shape, **arguments}
    for name in ("chunks", "shards"):
        if isinstance(named.get(name), list):
            named[name] = tuple(named[name])
    zarr.create_array(store, name=path, zarr_format=3, **named)[...] = loaded
    return _keep(folder, store, path)


def consolidate(store, path=""):
    zarr.consolidate_metadata(store, path=path, zarr_format=3)


def read(folder, store, path=""):
    return _keep(folder, store, path)


def write(store, path, values, start):
    """Writes `values` into an existing array, from the index `start` on."""
    loaded = zarr3_values.load(values)
    where = tuple(slice(s, s + n) for s, n in zip(start, loaded.shape))
    zarr.open_array(store, path=path, mode="r+", zarr_format=3)[where] = loaded


def tree(store, consolidated=None, path=""):
    """Returns all nodes below a group by path: shapes of arrays, and attributes of groups."""
    opened = zarr.open_group(
        store, path=path, mode="r", zarr_format=3, use_consolidated=consolidated
    )
    found = {"": {"attributes": dict(opened.attrs)}}
    for name, member in opened.members(max_depth=None):
        found[name] = {"attributes": dict(member.attrs)}
        if isinstance(member, zarr.Array):
            found[name]["shape"] = list(member.shape)
    return found


def kind(store, path=""):
    """Returns [format, node type] as zarr-python detects them for a node, for example [3, "Array"]."""
    node = zarr.open(store, path=path, mode="r")
    return [node.metadata.zarr_format, type(node).__name__]


def narrow(names):
    """Returns, for each type of ml_dtypes in `names`, the float64 values of all its bit patterns. The types
    have one or two bytes."""
    found = {}
    for name in names:
        dtype = np.dtype(getattr(ml_dtypes, name))
        codes = np.arange(1 << (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}")
        values = codes.view(dtype).astype("f8")
        found[name] = [v if np.isfinite(v) else str(v) for v in values.tolist()]
    return found


COMMANDS = {
    f.__name__: f for f in (array, consolidate, create, group, kind, narrow, read, tree, write)
}


def _answer(command):
    function = COMMANDS[command.pop("do")]
    try:
        return {"result": function(**command)}
    except Exception as error:  # the tests state which error they expect
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps([_answer(command) for command in json.loads(line)]), flush=True)
