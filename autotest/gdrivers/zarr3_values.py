# SPDX-License-Identifier: MIT
"""Saves and loads arrays in files, which pass them between the tests and the process with zarr-python 3. The
two use different versions of NumPy."""

import base64
import json
import pathlib

import numpy as np


def save(path, values):
    """Writes an array to a file. Elements of fixed size (numbers, times, structures) are written as .npy,
    elements of any length (texts, bytes) as .json. Returns the path of the file."""
    values = np.asarray(values)
    path = pathlib.Path(path)
    if values.dtype.kind not in "OT":
        path = path.with_name(path.name + ".npy")
        np.save(path, values, allow_pickle=False)
        return path
    items = values.ravel().tolist()
    name = "base64" if any(isinstance(item, bytes) for item in items) else "texts"
    if name == "base64":
        items = [base64.b64encode(item).decode() for item in items]
    path = path.with_name(path.name + ".json")
    path.write_text(json.dumps({"shape": values.shape, name: items}))
    return path


def load(path):
    path = pathlib.Path(path)
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False)
    document = json.loads(path.read_text())
    items = document.get("texts")
    if items is None:
        items = [base64.b64decode(item) for item in document["base64"]]
    values = np.empty(len(items), object)
    for i, item in enumerate(items):
        values[i] = item
    return values.reshape(document["shape"])
