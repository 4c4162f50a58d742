#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the Icechunk repositories of this folder, and expected.json with the values that icechunk itself
reads from each branch and tag.

    make_repositories.py make FOLDER/NAME.icechunk          with any version of icechunk
    make_repositories.py migrate OLD NEW                    with icechunk 2: OLD in format 1 becomes NEW in format 2

Each run writes equal values but other files, because identifiers are random and commits have times. README.md
says how the files of this folder were made.
"""

import json
import pathlib
import shutil
import sys

import icechunk
import numpy as np
import zarr

IS_2 = int(icechunk.__version__.split(".")[0]) >= 2
IS_0 = icechunk.__version__.startswith("0.")
# Number of virtual chunks. icechunk 2 compresses the locations of at least 1,000 virtual chunks.
VIRTUAL = 1000 if IS_2 else 100
SERVER = "s3://icechunk-test/data/"


def config():
    settings = icechunk.RepositoryConfig.default()
    settings.inline_chunk_threshold_bytes = 40
    store = icechunk.s3_store(region="us-east-1", anonymous=True)
    if IS_0:
        container = icechunk.VirtualChunkContainer("test", SERVER, store)
    elif IS_2:
        container = icechunk.VirtualChunkContainer(SERVER, store, name="test server")
    else:
        container = icechunk.VirtualChunkContainer(SERVER, store)
    settings.set_virtual_chunk_container(container)
    return settings


def split(settings):
    """Makes icechunk split manifests, if its version can. Returns the settings."""
    if not IS_0:
        condition = icechunk.ManifestSplitCondition.name_matches("^split$")
        sizes = {condition: {icechunk.ManifestSplitDimCondition.Axis(0): 2}}
        settings.manifest = icechunk.ManifestConfig(splitting=icechunk.ManifestSplittingConfig.from_dict(sizes))
    return settings


def plain(group, name, values, chunks, **options):
    values = np.asarray(values)
    array = group.create_array(name, shape=values.shape, chunks=chunks, dtype=values.dtype, fill_value=9, **options)
    array[...] = values
    return array


def first_commit(store):
    root = zarr.group(store, attributes={"title": "first"})
    plain(root, "image", np.arange(48, dtype="i2").reshape(6, 8), (3, 4), compressors=None,
          dimension_names=["y", "x"])  # fmt: skip
    plain(root, "x", np.arange(8) * 10.0 + 5, (8,), dimension_names=["x"])
    plain(root, "y", 60 - np.arange(6) * 10.0, (6,), dimension_names=["y"])
    plain(root, "group/scalar", np.float64(2.5), ())
    plain(root, "group/sharded", np.arange(64, dtype="u2").reshape(8, 8), (2, 2), shards=(4, 4))
    plain(root, "group/deleted", np.arange(12, dtype="u1").reshape(3, 4), (2, 2))
    plain(root, "split", np.arange(160, dtype="i4").reshape(8, 20), (1, 20), compressors=None)
    root.create_array("virtual", shape=(4 * VIRTUAL,), chunks=(4,), dtype="u1", compressors=None, fill_value=0)
    root.create_array("sparse", shape=(10, 10), chunks=(5, 5), dtype="i2", fill_value=7)[:5, 5:] = 1
    for i in range(VIRTUAL):
        options = {} if i % 3 else {"checksum": "etag%d" % (i % 2)}
        store.set_virtual_ref(f"virtual/c/{i}", f"{SERVER}f{i % 2}.bin", offset=i % 97, length=4, **options)


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    storage = icechunk.local_filesystem_storage(str(folder))
    repository = icechunk.Repository.create(storage, config=split(config()))
    repository.save_config()
    session = repository.writable_session("main")
    first_commit(session.store)
    first = session.commit("first")
    repository.create_tag("release 1!", first)
    repository.create_tag("deleted", first)
    repository.delete_tag("deleted")
    repository.create_branch("dev", first)
    session = repository.writable_session("dev")
    root = zarr.open_group(session.store)
    root.attrs["title"] = "dev"
    root["image"][:3, :] = -1
    root["split"][7, :] = 700
    session.commit("dev")
    session = repository.writable_session("main")
    root = zarr.open_group(session.store)
    root["image"].resize((5, 8))
    root["split"].resize((5, 20))
    root.create_array("later", shape=(4,), chunks=(4,), dtype="f4")[:] = 1.5
    del root["group/deleted"]
    session.commit("second")
    if IS_2:
        session = repository.rearrange_session("main")
        session.move("/group", "/moved")
        session.commit("moved")


def migrate(old, new):
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(old, new)
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(new)))
    repository = icechunk.upgrade_icechunk_repository(repository, dry_run=False)
    session = repository.writable_session("main")
    zarr.open_group(session.store).create_array("migrated", shape=(3,), chunks=(2,), dtype="i4")[:] = [1, 2, 3]
    session.commit("after the migration")


def values_of(store):
    """Returns the values of all arrays except the virtual one, as icechunk and zarr-python read them."""
    root = zarr.open_group(store, mode="r")
    return {
        path: {"shape": list(array.shape), "values": np.asarray(array[...]).ravel().tolist()}
        for path, array in sorted(root.members(max_depth=None))
        if isinstance(array, zarr.Array) and path != "virtual"
    }


def expected(folder):
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(folder)))
    states = {}
    for branch in sorted(repository.list_branches()):
        states[f"branch={branch}"] = repository.readonly_session(branch)
    for tag in sorted(repository.list_tags()):
        states[f"tag={tag}"] = repository.readonly_session(tag=tag)
    return {
        state: {
            "title": dict(zarr.open_group(session.store, mode="r").attrs).get("title"),
            "snapshot": session.snapshot_id,
            "arrays": values_of(session.store),
        }
        for state, session in states.items()
    }


def main():
    action, *paths = sys.argv[1:]
    made = pathlib.Path(paths[-1])
    if action == "make":
        make(made)
    else:
        migrate(pathlib.Path(paths[0]), made)
    # Deletes files that no reader needs.
    for name in ("transactions", "overwritten"):
        shutil.rmtree(made / name, ignore_errors=True)
    table = made.parent / "expected.json"
    states = json.loads(table.read_text()) if table.exists() else {}
    states[made.stem] = expected(made)
    lines = (json.dumps(name) + ": " + json.dumps(states[name]) for name in sorted(states))
    table.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
