# SPDX-License-Identifier: MIT
"""Environments in which the tests install the Python package of dist/ beside packages of PyPI that contain a GDAL. Each
environment is made once, and removed when the tests end."""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(__file__).with_name("wheel_program.py")
PLUGINS = REPOSITORY / "build" / "gdalplugins"  # the driver for Debian's GDAL
TERRAIN = REPOSITORY / "data" / "terrain.zarr"
TERRAIN_CHECKSUM = 24413


@dataclasses.dataclass(frozen=True)
class Host:
    """Package with a GDAL of its own. `gdal` begins its version; None for Debian's GDAL, whose version depends on the
    Debian. `python` is the oldest Python that can install `packages`."""

    gdal: str
    packages: tuple
    python: tuple = (3, 9)
    options: tuple = ()
    old_abi: bool = False

    @property
    def plugin(self):
        version = self.gdal or run_code("/usr/bin/python3", "import osgeo; print(osgeo.__version__)")
        return f"gdal_zarr_{'.'.join(version.split('.')[:2])}{'_old_abi' if self.old_abi else ''}.so"


# By the names that docs/compatibility.md gives them
HOSTS = {
    "rasterio 1.4.3": Host("3.9.3", ("rasterio==1.4.3", "affine<3"), old_abi=True),
    "rasterio 1.4.4": Host("3.10.3", ("rasterio==1.4.4",)),
    "rasterio 1.5.2": Host("3.12.2", ("rasterio==1.5.2",), python=(3, 12)),
    "osgeo of Debian": Host(None, (), options=("--system-site-packages",)),
    "fiona 1.10.1": Host("3.9.2", ("fiona==1.10.1",), old_abi=True),
    "pyogrio 0.10.0": Host("3.9.1", ("pyogrio==0.10.0",)),
    "pyogrio 0.12.1": Host("3.11.4", ("pyogrio==0.12.1",)),
    "pyogrio 0.13.0": Host("3.12.4", ("pyogrio==0.13.0",)),
}
RASTERIO = "rasterio 1.4.4"
NEWEST_PYTHON = (3, 13)  # for which PyPI has all packages of HOSTS, and zarr-python 2


def run(*words, code=0, cwd=None, **environment):
    """Runs a program without the settings of the tests. Returns its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GDAL_", "PYTHON"))}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**kept, "PYTHONWARNINGS": "ignore", **environment})  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_code(python, code, **environment):
    """Runs Python code, which may span several lines. Returns its output."""
    return run(python, "-c", code, cwd="/", **environment).strip()


def wheel():
    """Returns the path of the package."""
    (found,) = (REPOSITORY / "dist").glob("gdal_zarr-*.whl")
    return found


def python_from(oldest):
    """Returns a Python of this machine that is at least version `oldest`: Debian's, or one in PATH."""
    found = ["/usr/bin/python3", sys.executable]
    found += [path for minor in range(oldest[1], 20) if (path := shutil.which(f"python3.{minor}"))]
    for python in found:
        if run_code(python, f"import sys; print(sys.version_info >= {oldest})") == "True":
            return python
    pytest.skip(f"needs Python {oldest[0]}.{oldest[1]} or later, which is not in PATH")


def make_environment(folder, packages, *options, python="/usr/bin/python3", package=True):
    """Makes an environment with packages of PyPI and, if `package` is true, the package under test. Returns its Python."""
    run(python, "-m", "venv", *options, folder)
    python = folder / "bin" / "python"
    if packages:
        install(python, *packages)
    if package:
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel())
    return python


def install(python, *packages):
    """Installs packages of PyPI. Skips the test if pip does not reach PyPI, or if PyPI has no such package for a Python
    that is newer than that of Debian 13."""
    words = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *packages]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 and re.search("NewConnectionError|ConnectTimeout|name resolution", done.stderr):
        pytest.skip(f"PyPI is not reachable: {done.stderr.splitlines()[0]}")
    missing = re.search("No matching distribution found for (.*)", done.stderr)
    version = run_code(python, "import platform; print(platform.python_version())")
    if done.returncode != 0 and missing and tuple(map(int, version.split(".")[:2])) > NEWEST_PYTHON:
        pytest.skip(f"PyPI has no {missing[1]} for Python {version}")
    assert done.returncode == 0, done.stderr


@functools.cache
def folder():
    """Returns a folder for environments, which is removed when the tests end."""
    kept = tempfile.TemporaryDirectory(prefix="gdal_zarr_wheel_")
    folder.kept = kept
    return pathlib.Path(kept.name)


@functools.cache
def python_of(name):
    """Returns the Python of the environment of a host."""
    host = HOSTS[name]
    return make_environment(folder() / name.replace(" ", "_"), host.packages, *host.options,
                            python=python_from(host.python))  # fmt: skip


@functools.cache
def python_with(*packages):
    """Returns the Python of an environment with these packages."""
    return make_environment(folder() / str(len(list(folder().iterdir()))), packages)


def package_in(python):
    """Returns the folder of the package in the environment of `python`."""
    return pathlib.Path(run_code(python, "import gdal_zarr; print(gdal_zarr.__path__[0])"))
