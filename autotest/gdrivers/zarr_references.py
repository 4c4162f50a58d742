# SPDX-License-Identifier: MIT
"""Writes references to the chunks of stores, in the formats of kerchunk and VirtualiZarr.

The packages kerchunk and VirtualiZarr run in a process of their own. `scripts/setup.sh test` installs them."""

import base64
import json
import pathlib
import shutil
import tempfile

import numpy as np
from zarr3 import TOOLS
from zarr_tools import Program, plain_environment

PYTHON = TOOLS / "references" / "bin" / "python"
PROGRAM = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_references_program.py")], plain_environment("PYTHONPATH"))

DOCUMENTS = {".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"}


def pack(store, packed, gap=3, inline=0):
    """Packs the chunks of a store into the file `packed`, with `gap` bytes between them. Returns {key: reference}.

    The reference of a metadata document, or of a chunk of at most `inline` bytes, contains the value itself. The
    reference of any other chunk is [file, offset, size]."""
    store, packed = pathlib.Path(store), pathlib.Path(packed)
    references, data = {}, bytearray(b"head")
    for path in sorted(store.rglob("*")):
        if not path.is_file():
            continue
        key, value = path.relative_to(store).as_posix(), path.read_bytes()
        if path.name in DOCUMENTS:
            references[key] = value.decode()
        elif len(value) <= inline:
            references[key] = "base64:" + base64.b64encode(value).decode()
        else:
            references[key] = [packed.name, len(data), len(value)]
            data += value + b"\xee" * gap
    packed.write_bytes(bytes(data))
    return references


def write_json(path, references, version=1, **members):
    """Writes references as a JSON document in kerchunk's format `version`. Returns the path."""
    document = {"version": 1, **members, "refs": references} if version == 1 else references
    pathlib.Path(path).write_text(json.dumps(document))
    return path

def write_by(function, target, *arguments):
    """Runs a function of zarr_references_program.py that writes references to `target`. Returns `target`."""
    run({"do": function, "target": str(target), "arguments": [str(argument) for argument in arguments]})
    return target


def run(*commands):
    """Executes commands of zarr_references_program.py, and asserts that they succeed."""
    status, printed = PROGRAM.ask(commands)
    assert status == 0, printed


def write_parquet(folder, references, record_size=4, categorical_threshold=10, **rewritten):
    """Writes references as Parquet files in kerchunk's format. Other files in the folder remain. `rewritten`
    are arguments of rewrite_parquet() in zarr_references_program.py; if given, that function rewrites the
    files."""
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as temporary:
        made = pathlib.Path(temporary) / "refs.parq"
        document = write_json(made.with_name("refs.json"), references)
        commands = [{"do": "kerchunk_parquet", "references": str(document), "folder": str(made),
                     "record_size": record_size, "categorical_threshold": categorical_threshold}]  # fmt: skip
        if rewritten:
            commands.append({"do": "rewrite_parquet", "folder": str(made), **rewritten})
        run(*commands)
        shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder


def virtualize(folder, cubes, record_size=5):
    """Writes each cube to an HDF5 file. VirtualiZarr then writes references that join the cubes along the
    first dimension. Returns the folder of the references, `folder`/refs.parq."""
    folder = pathlib.Path(folder)
    files = {}
    for number, cube in enumerate(cubes):
        np.save(folder / f"cube{number}.npy", cube)
        files[str(folder / f"cube{number}.h5")] = str(folder / f"cube{number}.npy")
    run({"do": "virtualizarr_parquet", "files": files, "folder": str(folder / "refs.parq"), "record_size": record_size})
    return folder / "refs.parq"
