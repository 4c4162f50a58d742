# SPDX-License-Identifier: MIT
"""Calls zarr-python 2 for tests of features that zarr-python 3 does not have: lock files,
NestedDirectoryStore, Zarr v1, and some types and codecs of Zarr v2.

    zarr2.call("migrate", store)    # calls a function of zarr2_program.py in a process of its own

`scripts/setup.sh test` installs zarr-python 2. Arguments and results are pickled. zarr-python 2 needs Python 3.13 or
older; with a later Python, the tests that call it are skipped."""

import base64
import os
import pathlib
import pickle
import sys

import pytest
from zarr_tools import Program, plain_environment

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "build" / "tools" / "zarr2" / "bin" / "python"
HERE = pathlib.Path(__file__).resolve().parent
_programs = {}  # process id -> Program, because forked test processes cannot share a Program's pipes


def require():
    """Skips the test if this Python has no zarr-python 2. Call this before forking a process that uses call()."""
    if sys.version_info >= (3, 14):
        pytest.skip("zarr-python 2 needs Python 3.13 or older", allow_module_level=True)


def call(name, *arguments, **named):
    """Calls the function `name` of zarr2_program.py in another process, and returns its result. An exception there
    fails the test."""
    require()
    assert PYTHON.exists(), f"{PYTHON} is not there: run scripts/setup.sh test"
    program = _programs.get(os.getpid())
    if program is None:
        environment = plain_environment("PYTHONPATH", "PYTHONHOME")
        program = _programs[os.getpid()] = Program([PYTHON, "-B", HERE / "zarr2_program.py"], environment)
    answer, _ = program.ask([name, packed((arguments, named))])
    assert "error" not in answer, answer["error"]
    return unpacked(answer["result"])


def packed(value):
    # Earlier pickle protocols lose the byte order of arrays.
    return base64.b64encode(pickle.dumps(value, protocol=5)).decode()


def unpacked(text):
    return pickle.loads(base64.b64decode(text))
