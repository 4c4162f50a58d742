# SPDX-License-Identifier: MIT
"""Reads arrays with the executable zarr_dump, which uses the core without GDAL. Tests compare strings and
whole structures in this way, because rasters cannot hold them."""

import base64
import json
import os
import subprocess

import numpy as np
import zarr_gdal


def dump(store, path):
    """Returns (shape, payload) of an array. For object arrays, the payload is a list of bytes in C order.
    For other arrays, it is the bytes of all elements, in C order and little-endian."""
    command = [os.environ["ZARR_DUMP"], str(store), path]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command} says {done.stderr.decode(errors='replace')}"
    answer = json.loads(done.stdout)
    if "strings_base64" in answer:
        payload = [base64.b64decode(item) for item in answer["strings_base64"]]
    else:
        payload = base64.b64decode(answer["data_base64"])
    return tuple(answer["shape"]), payload


def _object_bytes(item):
    """Returns the bytes of an element of an object array. An element of 0 or None, which zarr-python reads if
    the fill value is 0 or null, is empty."""
    if isinstance(item, bytes):
        return item
    return item.encode() if isinstance(item, str) else b""


def check_dump(store, path, values):
    """Returns None if zarr_dump prints `values`, which zarr-python has read, else the difference."""
    shape, payload = dump(store, path)
    if shape != values.shape:
        return f"zarr_dump: shape {shape}, expected {values.shape}"
    if isinstance(payload, list):  # an array of strings
        wanted = [_object_bytes(item) for item in values.ravel().tolist()]
        for i, (a, b) in enumerate(zip(payload, wanted)):
            if a != b:
                return f"zarr_dump: item {i} is {a!r}, expected {b!r}"
        return None if len(payload) == len(wanted) else f"zarr_dump: {len(payload)} items"
    little = values.astype(values.dtype.newbyteorder("<"), order="C")
    wanted = little.tobytes()
    if len(payload) != len(wanted):
        return f"zarr_dump: {len(payload)} bytes, expected {len(wanted)}"
    if payload == wanted:
        return None
    if little.dtype.kind in "fc":  # NaN equals NaN, whatever its bits
        got = np.frombuffer(payload, little.dtype).reshape(values.shape)
        return zarr_gdal.differences(got, little)
    at = next(i for i, (a, b) in enumerate(zip(payload, wanted)) if a != b)
    element = at // values.dtype.itemsize
    got = np.frombuffer(payload, little.dtype)[element]
    return f"zarr_dump: element {element} is {got!r}, expected {little.ravel()[element]!r}"
