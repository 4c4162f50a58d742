# SPDX-License-Identifier: MIT
"""Programs that tests run: GDAL's, which load the driver, and netCDF-C's, which do not."""

import os
import subprocess

SECONDS = 120


def plain_environment(*left_out):
    """The environment of a program that loads none of our code: without our sanitizers, which
    slow such programs down or which they may not bear, and without the variables left out."""
    return {
        name: text for name, text in os.environ.items() if name not in ("LD_PRELOAD", *left_out)
    }  # fmt: skip


def run_gdal(*words):
    """Runs a program of GDAL with the environment of the tests, and so with the sanitizer's
    runtime that the driver may need. Returns its output; fails the test where it fails."""
    return _run(words, os.environ)


def run_tool(*words):
    """Runs a program that loads none of our code. Returns its output; fails the test where it
    fails."""
    return _run(words, plain_environment())


def _run(words, environment):
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
