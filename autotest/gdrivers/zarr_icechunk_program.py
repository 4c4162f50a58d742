# SPDX-License-Identifier: MIT
"""Copies Zarr v3 stores into repositories of Icechunk, for zarr_as_references.py. Reads lines of JSON
[FOLDER, REPOSITORY], and prints a line for each."""

import asyncio
import json
import pathlib
import sys

import icechunk
from zarr.core.buffer import default_buffer_prototype


async def copy(folder, target):
    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 16
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(target), config=config)
    session = repository.writable_session("main")
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    keys = {path.relative_to(folder).as_posix(): path for path in files}
    for key in sorted(keys, key=lambda key: (not key.endswith("zarr.json"), key.count("/"), key)):
        if key.endswith("zarr.json") or "c" in key.split("/"):
            value = default_buffer_prototype().buffer.from_bytes(keys[key].read_bytes())
            await session.store.set(key, value)
    session.commit("copy")


for line in sys.stdin:
    asyncio.run(copy(*json.loads(line)))
    print("copied", flush=True)
