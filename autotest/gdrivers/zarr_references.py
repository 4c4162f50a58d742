# SPDX-License-Identifier: MIT
"""References to the chunks of stores, as kerchunk and VirtualiZarr write them."""

import base64
import json
import pathlib
import subprocess

from zarr3 import TOOLS
from zarr_tools import plain_environment

DOCUMENTS = {".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"}


def pack(store, packed, gap=3, inline=0):
    """Packs the chunks of a store into one file, with `gap` bytes between them. Returns references by key:
    documents and chunks of at most `inline` bytes as text, other chunks as [file, offset, size]."""
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
    """A document of references in JSON."""
    document = {"version": 1, **members, "refs": references} if version == 1 else references
    pathlib.Path(path).write_text(json.dumps(document))
    return path


PYTHON = TOOLS / "references" / "bin" / "python"
PROGRAM = pathlib.Path(__file__).with_name("zarr_references_program.py")
SECONDS = 300


def write_by(function, target, *arguments):
    """Runs a function of zarr_references_program.py, which writes references to `target`."""
    done = subprocess.run(
        [str(PYTHON), str(PROGRAM), function, str(target), *(str(argument) for argument in arguments)],
        env=plain_environment("PYTHONPATH"), capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target
