# SPDX-License-Identifier: MIT
"""Lock files in the form of zarr-python 2: one file for each key, in a separate folder."""

import contextlib
import fcntl
import pathlib


@contextlib.contextmanager
def lock(folder, key):
    """Context manager that holds the lock file of a key. Other processes wait for the lock."""
    file = pathlib.Path(folder) / key
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        yield
