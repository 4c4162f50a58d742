# SPDX-License-Identifier: MIT
"""Icechunk repositories for tests: the samples in data/icechunk, and new repositories that the package
icechunk writes."""

import json
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PYTHON = REPOSITORY / "build" / "tools" / "references" / "bin" / "python"
SAMPLES = REPOSITORY / "data" / "icechunk"
NAMES = ("format1", "format2", "migrated")
EXPECTED = json.loads((SAMPLES / "expected.json").read_text())

PRELUDE = """
import datetime, json, sys
import icechunk
import numpy as np
import zarr
folder = sys.argv[1]
config = icechunk.RepositoryConfig.default()
config.inline_chunk_threshold_bytes = 0

def container(prefix, store):
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))

def create():
    made = icechunk.Repository.create(icechunk.local_filesystem_storage(folder), config=config)
    made.save_config()
    return made
"""


def sample(name):
    """Returns the path of a sample of data/icechunk."""
    return str(SAMPLES / f"{name}.icechunk")


def write(folder, script):
    """Runs the Python code `script` with the package icechunk. The code writes a repository to `folder`.
    Returns the folder."""
    run = subprocess.run([PYTHON, "-c", PRELUDE + script, str(folder)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, (run.returncode, run.stderr[-3000:])
    return str(folder)


VIRTUAL = """
container({prefix!r}, {store})
repository = create()
session = repository.writable_session("main")
root = zarr.group(session.store)
array = root.create_array("v", shape=(12,), chunks=(4,), dtype="u1", compressors=None, fill_value=0)
for key, location, offset, length, checksum in {chunks!r}:
    if isinstance(checksum, int):
        checksum = datetime.datetime.fromtimestamp(checksum, datetime.timezone.utc)
    session.store.set_virtual_ref(key, location, offset=offset, length=length, checksum=checksum,
                                  validate_container=False)
session.commit("virtual")
"""


def write_virtual(folder, prefix, store, chunks):
    """Writes a repository with an array "v" of 12 bytes in chunks of 4 bytes. The chunks are virtual.
    `chunks` lists them as [key, location, offset, length, ETag, time or None]."""
    return write(folder, VIRTUAL.format(prefix=prefix, store=store, chunks=chunks))
