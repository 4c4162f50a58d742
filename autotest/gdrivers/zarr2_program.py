# SPDX-License-Identifier: MIT
"""Program that runs zarr-python 2 for zarr2.py. It reads calls from standard input, one line of JSON each:
[function, pickled arguments]. It answers each call with one line of JSON."""

import json
import sys
import traceback
import warnings

import numcodecs
import zarr
import zarr_encode_case
import zarr_writer
from zarr2 import packed, unpacked
from zarr.storage import migrate_1to2
from zarr_tools import temporary

numcodecs.blosc.use_threads = False  # with several threads, Blosc writes its blocks in random order
_cases = {}  # folder of a random array -> Case of zarr_encode_case.py


def _folder(store):
    """Returns the store in the folder `store`. Raises ValueError unless the folder is in the temporary folder."""
    return zarr.DirectoryStore(str(temporary(store)))


def create(store, path, values, attributes=None, **options):
    """Creates an array and writes `values`. If `path` is not empty, also creates the root group."""
    if path:
        zarr.open_group(_folder(store), mode="a")
    # Codecs are given by their configurations, because pickles of codecs differ between versions of numcodecs.
    for name in ("object_codec", "compressor"):
        if isinstance(options.get(name), dict):
            options[name] = numcodecs.get_codec(options[name])
    options["filters"] = [numcodecs.get_codec(item) for item in options.get("filters") or []] or None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr-python warns about object codecs in the filters
        array = zarr.create(values.shape, dtype=values.dtype, store=_folder(store), path=path,
                            **options)  # fmt: skip
        array[...] = values
    if attributes:
        array.attrs.put(attributes)


def read(store, path=None):
    return zarr.open_array(_folder(store), mode="r", path=path)[...]


def create_nested(store, values, attributes, is_consolidated, **options):
    """Writes a group with an array "v" whose chunks are in nested folders."""
    nested = zarr.NestedDirectoryStore(_folder(store).path)
    array = zarr.open_group(nested, mode="w").create_dataset("v", data=values, **options)
    array.attrs.put(attributes)
    if is_consolidated:
        zarr.consolidate_metadata(nested)


def read_nested(store, path):
    return zarr.open_group(zarr.NestedDirectoryStore(_folder(store).path), mode="r")[path][...]


def migrate(store):
    migrate_1to2(_folder(store))


def write_under_locks(store, locks, path, pieces):
    """Writes `pieces`, a list of (selection, values), into an array. Lock files in the folder `locks` protect
    the chunks."""
    array = zarr.open_group(_folder(store), mode="r+", synchronizer=zarr.ProcessSynchronizer(locks))[path]
    for selection, values in pieces:
        array[selection] = values


def set_under_locks(store, locks, path, name, value):
    """Sets an attribute while a lock file in the folder `locks` is held. Opens the group anew, because zarr-python
    caches attributes."""
    synchronizer = zarr.ProcessSynchronizer(locks)
    zarr.open_group(_folder(store), mode="r+", synchronizer=synchronizer)[path].attrs[name] = value


def random_array(folder, seed, index):
    return zarr_writer.write_random_array(temporary(folder), seed, index)


def has_codec(name):
    return name in numcodecs.registry.codec_registry


def is_of_system():
    return zarr_encode_case.IS_OF_SYSTEM


def encoded(configuration, values):
    return bytes(numcodecs.get_codec(configuration).encode(values))


def blosc_names():
    return zarr_encode_case.codecs.BLOSC_NAMES


def encode_cases(folder, seed, indices):
    """Creates a random array below `folder` for each number in `indices`. Returns a list of (folder of the array,
    description)."""
    made = [zarr_encode_case.Case(temporary(folder), seed, index) for index in indices]
    _cases.update({str(case.folder): case for case in made})
    return [(str(case.folder), case.describe()) for case in made]


def encode_problems(folders):
    """Checks the chunk that zarr_encode wrote to each of `folders`. Returns (problem, labels) for each: a message or
    None, and the names of the array's dtype, codecs and order."""
    cases = [_cases.pop(folder) for folder in folders]
    return [(case.problem() if case.chunk.exists() else "not encoded", case.labels) for case in cases]


def encode_large(what):
    """Encodes large_values(`what`) with each codec of LARGE. Returns the list of encoded bytes."""
    values = zarr_encode_case.large_values(what)
    return [bytes(codec.encode(values)) for codec in zarr_encode_case.LARGE]


def main():
    for line in sys.stdin:
        name, text = json.loads(line)
        try:
            arguments, named = unpacked(text)
            answer = {"result": packed(globals()[name](*arguments, **named))}
        except Exception:
            answer = {"error": f"{name}: {traceback.format_exc()}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
