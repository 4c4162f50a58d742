# SPDX-License-Identifier: MIT
"""Programs that tests run: GDAL's, which load the driver, and netCDF-C's, which do not."""

import os
import subprocess

SECONDS = 120


def plain_environment(*left_out):
    """Returns the environment of a program that does not load the driver. Sanitizers are left out,
    which slow such programs down or break them, and so are the given variables."""
    return {
        name: text for name, text in os.environ.items() if name not in ("LD_PRELOAD", *left_out)
    }  # fmt: skip


def run_gdal(*words):
    """Runs a program of GDAL in the environment of the tests, with the sanitizer's runtime that the
    driver may need. Returns its output; fails the test if the program fails."""
    return _run(words, os.environ)


def run_tool(*words):
    """Runs a program that does not load the driver. Returns its output; fails the test if the
    program fails."""
    return _run(words, plain_environment())


def _run(words, environment):
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
