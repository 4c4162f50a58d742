# SPDX-License-Identifier: MIT
"""Copies Zarr v3 stores into Icechunk repositories, for zarr_as_references.py. A request of zarr_forks.py is
a list [FOLDER, REPOSITORY]."""

import asyncio
import json
import pathlib
import re

import zarr_forks
from zarr.core.buffer import default_buffer_prototype

# Icechunk accepts chunks only under the keys of this encoding.
KEYS = {"name": "default", "configuration": {"separator": "/"}}


def values_of(node, document):
    """Yields (key, bytes) of zarr.json and of all chunks of a node. Chunk keys are converted to the encoding
    that Icechunk accepts."""
    folder = node.parent
    if document["node_type"] == "array":
        document = {**document, "chunk_key_encoding": KEYS}
        for path in folder.rglob("*"):
            numbers = re.split("[./]", path.relative_to(folder).as_posix())
            if numbers[0] == "c":
                numbers.pop(0)
            if path.is_file() and all(number.isdigit() for number in numbers):
                yield "/".join(["c", *numbers]), path.read_bytes()
    yield "zarr.json", json.dumps(document).encode()


async def copy(folder, target):
    # Icechunk 2 starts threads when it is imported. A forked process lacks these threads and would wait for them.
    import icechunk

    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 16
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(target), config=config)
    session = repository.writable_session("main")
    nodes = sorted(pathlib.Path(folder).rglob("zarr.json"), key=lambda node: len(node.parts))
    for node in nodes:
        path = node.parent.relative_to(folder).as_posix()
        document = json.loads(node.read_bytes())
        for key, value in reversed(list(values_of(node, document))):
            value = default_buffer_prototype().buffer.from_bytes(value)
            await session.store.set(f"{path}/{key}".removeprefix("./"), value)
    session.commit("copy")


if __name__ == "__main__":
    zarr_forks.serve(lambda request: asyncio.run(copy(*request)))
