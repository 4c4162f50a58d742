# SPDX-License-Identifier: MIT
"""The small stores that tests of this folder make, for tests that apply to every store.

A maker is a case of a test of another module. It runs the test in a folder and keeps the stores that the test has left
there, whatever else the test does. So stores of new tests join by themselves."""

import contextlib
import hashlib
import importlib
import inspect
import itertools
import os
import pathlib
import zlib

import pytest
import zarr_formats
from zarr_gdal import error_log

# Modules about georeferencing, pyramids, OME, nodata, masks and metadata, without the prefix "test_zarr_".
MODULES = (
    "axes", "bands", "cf_store", "colours", "companions", "create_masks", "create_nodata", "crs_for_all",
    "description", "eopf", "geolocation", "georeferencing", "group_georeferencing", "group_levels",
    "invalid_companions", "level_groups", "level_meaning", "mdim_dimensions", "mdim_groups", "metadata", "nczarr",
    "nodata", "north_up", "ome", "ome_06", "ome_containers", "ome_systems", "ome_volumes", "overviews",
    "overviews_mask", "overviews_others", "profile_ome", "pyramids_bad", "sidecars", "stated_georeferencing",
    "subdatasets", "time", "v1", "v3_conventions",
)  # fmt: skip
DOCUMENTS = {".zgroup", ".zarray", ".zmetadata", "zarr.json"}
MOST_BYTES = 300_000  # of a store; larger ones are left out
FIXTURES = {"tmp_path", "cpl"}


def _cases(function):
    """Yields the arguments of each case of a test; nothing if it needs fixtures that are unknown here."""
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    lists = []
    for mark in marks:
        names = mark.args[0]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        values = [each.values if hasattr(each, "values") and hasattr(each, "marks") else
                  (each if len(names) > 1 else (each,)) for each in mark.args[1]]  # fmt: skip
        lists.append([dict(zip(names, each)) for each in values])
    for chosen in itertools.product(*lists):
        arguments = {name: value for each in chosen for name, value in each.items()}
        if set(inspect.signature(function).parameters) <= FIXTURES | set(arguments):
            yield arguments


def _is_in_format(function, version):
    formats = [mark.args for mark in getattr(function, "pytestmark", []) if mark.name == "formats"]
    return all(version in args for args in formats)


def makers(module):
    """Returns the makers of one of MODULES that apply to the running format, as (name, function, arguments), in an
    order that looks random and never changes."""
    tests = importlib.import_module(f"test_zarr_{module}")
    version = 3 if zarr_formats.is_v3() else 2
    found = []
    for name, function in inspect.getmembers(tests, inspect.isfunction):
        if name.startswith("test_") and function.__module__ == tests.__name__ and _is_in_format(function, version):
            parameters = inspect.signature(function).parameters
            cases = _cases(function) if "tmp_path" in parameters else ()
            found += [(f"{name}-{i}", function, arguments) for i, arguments in enumerate(cases)]
    return sorted(found, key=lambda maker: zlib.crc32(maker[0].encode()))


def _roots(folder):
    for path, folders, files in os.walk(folder):
        is_v1 = {"meta", "attrs"} <= set(files)
        if DOCUMENTS & set(files) or is_v1 or path.endswith(".levels"):
            folders.clear()
            yield pathlib.Path(path)


def _digest(store):
    """Returns a digest of the files of a store; None if it is too large or not made of files."""
    digest, size = hashlib.sha1(), 0
    for file in sorted(store.rglob("*")):
        if file.is_symlink():
            return None
        if file.is_file():
            data = file.read_bytes()
            size += len(data)
            digest.update(file.relative_to(store).as_posix().encode() + b"\0" + data)
    return digest.digest() if size <= MOST_BYTES else None


def make(maker, folder):
    """Lets a maker make its stores in `folder`. Returns the folders of the stores that it has left."""
    _, function, arguments = maker
    folder.mkdir(parents=True)
    with error_log() as log, contextlib.suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):
        fixtures = {"tmp_path": folder, "cpl": log}
        wanted = inspect.signature(function).parameters
        function(**{name: value for name, value in fixtures.items() if name in wanted}, **arguments)
    return sorted(_roots(folder))


def stores(module, folder, most):
    """Yields the names and folders of up to `most` different stores that tests of `module` make."""
    seen = set()
    for number, maker in enumerate(makers(module)):
        for store in make(maker, folder / str(number)):
            digest = _digest(store)
            if digest is None or digest in seen:
                continue
            seen.add(digest)
            yield f"{module}: {maker[0]}", store
            if len(seen) >= most:
                return
