# SPDX-License-Identifier: MIT
"""Installs the Python package of dist/, which scripts/wheel.sh makes, into new environments beside packages of PyPI that
contain a GDAL, and uses the driver there."""

import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(__file__).with_name("wheel_program.py")
PLUGINS = REPOSITORY / "build" / "gdalplugins"  # the driver for Debian's GDAL
PYTHON = tuple(sys.version_info[:2])
# Packages of PyPI with a GDAL of their own. The number is the version of this GDAL.
HOSTS = {
    "3.10": ["rasterio==1.4.4"],
    "3.12": ["rasterio==1.5.2"],
    "system": [],  # Debian's osgeo
}
if PYTHON < (3, 12):
    del HOSTS["3.12"]  # rasterio 1.5 needs Python 3.12
STORES = sorted(str(path) for path in (REPOSITORY / "data").rglob("*.zarr") if "corrupt" not in path.parts)
TERRAIN = REPOSITORY / "data" / "terrain.zarr"


def run(*words, code=0, cwd=None, **environment):
    """Runs a program without the settings of the tests. Returns its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GDAL_", "PYTHON"))}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**kept, "PYTHONWARNINGS": "ignore", **environment})  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel():
    (found,) = (REPOSITORY / "dist").glob("gdal_zarr-*.whl")
    return found


def run_code(python, code, **environment):
    """Runs Python code, which may span several lines. Returns its output."""
    return run(python, "-c", code, cwd="/", **environment).strip()


def make_environment(folder, wheel, packages, *options):
    """Makes an environment with packages of PyPI and the package under test. Returns its Python."""
    run("/usr/bin/python3", "-m", "venv", *options, folder)
    python = folder / "bin" / "python"
    if packages:
        run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *packages)
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
    return python


@pytest.fixture(scope="session")
def python_of(wheel, tmp_path_factory):
    """Returns a function that makes the environment of a host once, and returns its Python."""
    made = {}

    def make(host):
        if host not in made:
            options = ["--system-site-packages"] if host == "system" else []
            made[host] = make_environment(tmp_path_factory.mktemp("host") / host, wheel, HOSTS[host], *options)
        return made[host]

    return make


@pytest.fixture
def package(python_of):
    """Folder of the package in the environment of rasterio 1.4.4."""
    return pathlib.Path(run_code(python_of("3.10"), "import gdal_zarr; print(gdal_zarr.__path__[0])"))


@pytest.fixture(scope="session")
def subdatasets():
    """Returns names of all rasters in the stores of data/."""
    from osgeo import gdal

    names = []
    for store in STORES:
        dataset = gdal.OpenEx(store)
        if dataset.RasterCount:
            names.append(store)
        names += [name for name, _ in dataset.GetSubDatasets()]
    return names


@pytest.fixture(scope="session")
def expected(subdatasets):
    """Returns what Debian's GDAL with the plugin of build/gdalplugins reads."""
    return json.loads(run("/usr/bin/python3", PROGRAM, *subdatasets, GDAL_DRIVER_PATH=str(PLUGINS)))


@pytest.mark.parametrize("host", HOSTS)
def test_every_raster_has_the_checksums_of_debians_plugin(host, python_of, subdatasets, expected):
    assert len(subdatasets) > 20
    assert json.loads(run(python_of(host), PROGRAM, *subdatasets).splitlines()[0]) == expected


WRITE = """
import sys, numpy, rasterio
with rasterio.open(sys.argv[1], "w", driver="Zarr", width=70, height=50, count=2, dtype="float32", nodata=-1,
                   crs="EPSG:32632", transform=rasterio.Affine(30, 0, 612000, 0, -30, 5214000),
                   FORMAT="ZARR_V3", COMPRESS="ZSTD") as dataset:
    dataset.write(numpy.arange(7000, dtype="float32").reshape(2, 50, 70))
    dataset.build_overviews([2])
"""


@pytest.mark.parametrize("host", [host for host in HOSTS if host != "system"])
def test_what_rasterio_writes_is_what_debians_plugin_reads(host, python_of, tmp_path):
    store = tmp_path / "x.zarr"
    run(python_of(host), "-c", WRITE, store)
    info = json.loads(run("gdalinfo", "-json", "-checksum", store, GDAL_DRIVER_PATH=str(PLUGINS)))
    assert info["driverShortName"] == "Zarr" and info["geoTransform"][0] == 612000
    assert [len(band["overviews"]) for band in info["bands"]] == [1, 1]
    assert [band["noDataValue"] for band in info["bands"]] == [-1, -1]
    read = json.loads(run(python_of(host), PROGRAM, store))
    assert read[str(store)][1] == [band["checksum"] for band in info["bands"]]


DRIVERS = """
import os, sys, rasterio
from rasterio.env import Env, GDALVersion
from rasterio.drivers import raster_driver_extensions
with Env() as env:
    drivers = env.drivers()
print("ZarrBuiltin" in drivers, os.environ.get("GDAL_DRIVER_PATH"))
"""


def test_a_variable_leaves_it_out(python_of):
    python = python_of("3.10")
    assert run_code(python, DRIVERS) == "True None"
    for value in ("NO", "off", "0"):
        assert run_code(python, DRIVERS, GDAL_ZARR=value) == "False None"


def test_a_folder_that_the_user_set_is_searched_too(python_of, tmp_path):
    """The folder contains the loader under another name, which GDAL loads if it searches the folder."""
    python = python_of("3.10")
    code = DRIVERS + "from rasterio.env import get_gdal_config; print(get_gdal_config('GDAL_DRIVER_PATH'))"
    found, folders = run_code(python, code, GDAL_DRIVER_PATH=str(tmp_path)).splitlines()
    assert found == f"True {tmp_path}"
    assert folders.split(":")[0] == str(tmp_path) and folders.split(":")[1].endswith("gdal_zarr/gdalplugins")
    assert run_code(python, DRIVERS, GDAL_DRIVER_PATH="disable") == "False disable"


def test_a_program_turns_it_on_and_off(python_of):
    python = python_of("3.10")
    late = "import rasterio\nwith rasterio.Env(): pass\nimport gdal_zarr\ngdal_zarr.enable()\n" + DRIVERS
    assert run_code(python, late, GDAL_ZARR="NO") == "True None"
    early = "import gdal_zarr\ngdal_zarr.disable()\n" + DRIVERS
    assert run_code(python, early) == "False None"
    too_late = "import rasterio\nwith rasterio.Env(): pass\nimport gdal_zarr\ngdal_zarr.disable()\n"
    assert "start the program with GDAL_ZARR=NO" in run(python, "-c", too_late, code=1)


def test_the_package_says_which_gdal_uses_it(python_of, package):
    python = python_of("3.10")
    lines = run(python, "-m", "gdal_zarr").splitlines()
    (line,) = [number for number, text in enumerate(lines) if text.startswith("rasterio: GDAL 3.10.")]
    assert lines[line + 1] == f"    plugin {package}/plugins/gdal_zarr_3.10.so"
    assert "fiona: not installed" in lines
    assert "    no plugin: GDAL_ZARR=NO is set" in run(python, "-m", "gdal_zarr", GDAL_ZARR="NO")
    assert "    no plugin: GDAL_DRIVER_PATH=disable is set" in run(
        python, "-m", "gdal_zarr", GDAL_DRIVER_PATH="disable"
    )


def test_another_gdal_keeps_its_own_driver(python_of, package):
    """A package without the plugin for this GDAL stands for a GDAL that is newer than the package."""
    python = python_of("3.10")
    plugin, away = package / "plugins" / "gdal_zarr_3.10.so", package / "plugins" / "away"
    plugin.rename(away)
    try:
        text = run(python, "-c", "import logging; logging.basicConfig()\n" + DRIVERS)
        assert text.count("this package has plugins for GDAL") == 1 and "not for GDAL 3.10." in text
        assert "False None" in text
        assert "    no plugin: this package has plugins for GDAL" in run(python, "-m", "gdal_zarr")
    finally:
        away.rename(plugin)


TWO = """
import {0}
with rasterio.open("{store}") as dataset:
    print(dataset.driver, dataset.checksum(1))
for module in (fiona, pyogrio):
    print(module.__gdal_version__)
"""


def test_each_gdal_of_a_process_has_its_own_plugin(wheel, tmp_path):
    """pyogrio and fiona have GDAL 3.12 and 3.9, which register their drivers in the same process. fiona has the old C++ ABI,
    for which the package has no plugin."""
    python = make_environment(tmp_path / "both", wheel, ["rasterio==1.4.4", "pyogrio==0.13.0", "fiona==1.10.1"])
    for order in ("rasterio, fiona, pyogrio", "pyogrio, fiona, rasterio"):
        code = TWO.format(order, store=TERRAIN) + MAPS
        driver, fiona, pyogrio, loaded, *warnings = run_code(python, code).splitlines()
        assert driver == "Zarr 24413"
        assert fiona.startswith("3.9") and pyogrio == "(3, 12, 4)"
        assert loaded == "2 plugins, 1 core"
        assert all("not for GDAL 3.9.2" in warning for warning in warnings) and len(warnings) <= 1


MAPS = """
import fiona.env
with fiona.env.Env():
    pass
with open("/proc/self/maps") as maps:
    lines = maps.read().splitlines()
plugins = {line.split()[4] for line in lines if "/memfd:gdal_zarr" in line}
cores = {line.split()[4] for line in lines if "libgdal_zarr_core" in line}
print(f"{len(plugins)} plugins, {len(cores)} core")
"""


PROCESSES = """
import multiprocessing, threading, rasterio

def read(path):
    with rasterio.open(path) as dataset:
        return dataset.checksum(1)

if __name__ == "__main__":
    path = "{store}"
    results = []
    threads = [threading.Thread(target=lambda: results.append(read(path))) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            results += pool.map(read, [path] * 4)
    print(set(results))
"""


def test_threads_and_processes(python_of, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROCESSES.format(store=TERRAIN))
    assert run(python_of("3.10"), program).strip() == "{24413}"


def test_programs_say_what_they_need(python_of):
    for program in ("zarr_check", "zarr_qgis"):
        beside = python_of("3.10").with_name(program)
        assert run(beside, "--help", code=1).count("\n") == 1
        assert "usage" in run(python_of("system").with_name(program), "--help").lower()


def test_uninstalling_leaves_nothing(wheel, tmp_path):
    python = make_environment(tmp_path / "gone", wheel, [])
    run(python, "-c", "import gdal_zarr")
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "gdal_zarr")
    left = [path for path in (tmp_path / "gone").rglob("*") if "gdal_zarr" in path.name or "zarr_" in path.name]
    assert left == []


def test_licences_and_tag(wheel):
    assert re.fullmatch(r"gdal_zarr-[0-9.]+-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    licences = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
    assert {"gdal_zarr", "libblosc-dev", "libzstd-dev", "libtiff-dev", "libzfp-dev"} <= licences
    assert not [name for name in names if "placeholder" in name]
