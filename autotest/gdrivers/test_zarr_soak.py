# SPDX-License-Identifier: MIT
"""Runs autotest/soak for a short time: threads, processes and zarr-python read and write one store
concurrently."""

import os
import pathlib
import subprocess
import sys

import pytest

SOAK = pathlib.Path(__file__).resolve().parent.parent / "soak" / "soak.py"
SEED = os.environ["ZARR_TEST_SEED"]
FORMATS = ["v2", "v3", "shards"]
SECONDS = 300  # timeout of a soak run in seconds


def soak(minutes, *more):
    command = [sys.executable, "-B", str(SOAK), "--seed", SEED, "--minutes", str(minutes), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    print(done.stdout, done.stderr)
    return done.returncode, done.stdout


@pytest.mark.parametrize("store_format", FORMATS)
@pytest.mark.slow
def test_every_read_was_legal_and_memory_is_flat(store_format):
    """The soak test passes for each format. The seed selects one format, for which the test runs longer, so that it
    also measures the growth of memory."""
    minutes = 0.34 if store_format == FORMATS[int(SEED, 16) % len(FORMATS)] else 0.08
    code, told = soak(minutes, "--format", store_format)
    assert code == 0, told
    assert "operations" in told and told.rstrip().endswith("ok")


def test_lost_writes_are_found():
    """Without lock files, processes that share chunks lose writes. The soak test must detect this and fail."""
    code, told = soak(0.35, "--without-locks")
    assert code == 1, told
    assert f"seed {SEED}: thread (" in told or f"seed {SEED}: zarr-python, operation" in told, told
    assert "shared" in told and told.rstrip().endswith("FAILED")
