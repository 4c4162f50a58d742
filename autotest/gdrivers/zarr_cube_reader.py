# SPDX-License-Identifier: MIT
"""Program that reads repositories of zarr_cube with icechunk and zarr-python. A request of zarr_forks.py is a list
[REPOSITORY, BRANCH, RESULT]. RESULT gets the arrays of the root group, and the messages of the commits, as NPZ."""

import numpy as np
import zarr
import zarr_forks


def execute(request):
    # Icechunk starts threads when it is imported. A forked process lacks these threads and would wait for them.
    import icechunk

    repository, branch, result = request
    storage = icechunk.local_filesystem_storage(repository)
    config = icechunk.Repository.fetch_config(storage)
    allowed = icechunk.containers_credentials(dict.fromkeys(config.virtual_chunk_containers))
    opened = icechunk.Repository.open(storage, config=config, authorize_virtual_chunk_access=allowed)
    root = zarr.open_group(opened.readonly_session(branch).store, mode="r")
    arrays = {name: root[name][...] for name in root.array_keys()}
    np.savez(result, messages=[entry.message for entry in opened.ancestry(branch=branch)], **arrays)


if __name__ == "__main__":
    zarr_forks.serve(execute)
