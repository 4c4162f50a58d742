# SPDX-License-Identifier: MIT
"""The Python package of dist/, which scripts/wheel.sh makes, can be turned on and off, says what it does, and harms no
program."""

import contextlib
import re
import shutil
import subprocess
import zipfile

import pytest
from wheel_environments import (
    HOSTS,
    PLUGINS,
    RASTERIO,
    TERRAIN,
    TERRAIN_CHECKSUM,
    install,
    make_environment,
    package_in,
    python_of,
    run,
    run_code,
    wheel,
)

DRIVERS = """
import os, rasterio
with rasterio.Env() as env:
    drivers = env.drivers()
print("ZarrBuiltin" in drivers, os.environ.get("GDAL_DRIVER_PATH"))
"""


@pytest.fixture
def python():
    """Python of the environment with rasterio."""
    return python_of(RASTERIO)


def test_a_variable_leaves_it_out(python):
    assert run_code(python, DRIVERS) == "True None"
    for value in ("NO", "off", "0"):
        assert run_code(python, DRIVERS, GDAL_ZARR=value) == "False None"


def test_a_folder_that_the_user_set_is_searched_too(python, tmp_path):
    """The folder contains the loader under another name, which GDAL loads if it searches the folder."""
    code = DRIVERS + "from rasterio.env import get_gdal_config; print(get_gdal_config('GDAL_DRIVER_PATH'))"
    found, folders = run_code(python, code, GDAL_DRIVER_PATH=str(tmp_path)).splitlines()
    assert found == f"True {tmp_path}"
    assert folders.split(":")[0] == str(tmp_path) and folders.split(":")[1].endswith("gdal_zarr/gdalplugins")
    assert run_code(python, DRIVERS, GDAL_DRIVER_PATH="disable") == "False disable"


def test_a_program_turns_it_on_and_off(python):
    late = "import rasterio\nwith rasterio.Env(): pass\nimport gdal_zarr\ngdal_zarr.enable()\n" + DRIVERS
    assert run_code(python, late, GDAL_ZARR="NO") == "True None"
    early = "import gdal_zarr\ngdal_zarr.disable()\n" + DRIVERS
    assert run_code(python, early) == "False None"
    too_late = "import rasterio\nwith rasterio.Env(): pass\nimport gdal_zarr\ngdal_zarr.disable()\n"
    assert "start the program with GDAL_ZARR=NO" in run(python, "-c", too_late, code=1)


def test_the_package_says_which_gdal_uses_it(python):
    lines = run(python, "-m", "gdal_zarr").splitlines()
    (line,) = [number for number, text in enumerate(lines) if text.startswith("rasterio: GDAL 3.10.")]
    assert lines[line + 1] == f"    plugin {package_in(python)}/plugins/gdal_zarr_3.10.so"
    assert "fiona: not installed" in lines
    assert "    no plugin: GDAL_ZARR=NO is set" in run(python, "-m", "gdal_zarr", GDAL_ZARR="NO")
    assert "    no plugin: GDAL_DRIVER_PATH=disable is set" in run(
        python, "-m", "gdal_zarr", GDAL_DRIVER_PATH="disable"
    )


@contextlib.contextmanager
def without_plugin(python):
    """The package in the environment of `python` then has a plugin for GDAL 3.99 only."""
    plugins = package_in(python) / "plugins"
    away = plugins.rename(plugins.with_name("away"))
    plugins.mkdir()
    (plugins / "gdal_zarr_3.99.so").touch()
    try:
        yield
    finally:
        shutil.rmtree(plugins)
        away.rename(plugins)


NO_PLUGIN = "gdal_zarr has plugins for GDAL 3.99, not for GDAL {}"
OPEN_TWICE = f"""
import logging, pickle, rasterio
logging.basicConfig()
with rasterio.MemoryFile() as file, file.open(driver="GTiff", width=1, height=1, count=1, dtype="uint8"):
    print("no store")
for _ in range(2):
    with rasterio.open("{TERRAIN}") as dataset:
        print(dataset.driver, len(dataset.subdatasets))
with rasterio.open(fp="{TERRAIN}") as dataset: pass
print(pickle.loads(pickle.dumps(rasterio.open)) is rasterio.open)
"""


def test_a_gdal_without_plugin_keeps_its_own_driver(python):
    """The user sees one warning, when GDAL's own driver first opens a store."""
    with without_plugin(python):
        text = run(python, "-c", OPEN_TWICE, PYTHONWARNINGS="always::UserWarning:__main__")
        assert text.splitlines()[:4] == ["no store", "Zarr 4", "Zarr 4", "True"]
        assert text.count(NO_PLUGIN.format("3.10.")) == 1 and "<string>:7: UserWarning" in text
        assert NO_PLUGIN.format("") not in run(python, "-c", DRIVERS, PYTHONWARNINGS="default")
        absent = "import rasterio; rasterio.open('/nothing.zarr')"
        assert run(python, "-c", absent, code=1, PYTHONWARNINGS="default").count(NO_PLUGIN.format("3.10.")) == 1
        late = "import rasterio\nwith rasterio.Env(): pass\nimport gdal_zarr\ngdal_zarr.enable()"
        assert run(python, "-c", late, GDAL_ZARR="NO", PYTHONWARNINGS="default").count(NO_PLUGIN.format("3.10.")) == 1
        assert "    no plugin: this package has plugins for GDAL 3" in run(python, "-m", "gdal_zarr")


def test_a_driver_of_the_user_needs_no_plugin():
    """The folder in GDAL_DRIVER_PATH contains this driver for the same GDAL. osgeo prints the warning of the loader."""
    python = python_of("osgeo of Debian")
    code = "from osgeo import gdal; print(gdal.GetDriverByName('ZarrBuiltin') is not None)"
    with without_plugin(python):
        text = run(python, "-c", code)
        assert "not for GDAL 3." in text and text.startswith("False")
        assert run(python, "-c", code, GDAL_DRIVER_PATH=str(PLUGINS)) == "True\n"
        text = run(python, "-m", "gdal_zarr", GDAL_DRIVER_PATH=str(PLUGINS))
        assert f"    plugin {PLUGINS}/gdal_ZarrV2.so, if it is for this GDAL; otherwise:\n    no plugin" in text


def test_a_folder_outside_of_site_packages_is_not_active(python, tmp_path):
    """Python processes no file .pth in folders of PYTHONPATH."""
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", tmp_path, wheel())
    without = make_environment(tmp_path / "environment", ["rasterio==1.4.4"], package=False)
    text = "so that the driver is not in use when a program starts"
    assert text not in run(python, "-m", "gdal_zarr")
    assert text in run(without, "-m", "gdal_zarr", PYTHONPATH=str(tmp_path))
    assert run_code(without, DRIVERS, PYTHONPATH=str(tmp_path)) == "False None"
    assert run_code(without, "import gdal_zarr\n" + DRIVERS, PYTHONPATH=str(tmp_path)) == "True None"


def test_a_damaged_package_stops_no_import(python):
    libraries = package_in(python) / "libraries.py"
    away = libraries.with_suffix(".away")
    libraries.rename(away)
    try:
        text = run(python, "-c", DRIVERS, PYTHONWARNINGS="default")
        assert "False None" in text and text.count("the GDAL of rasterio does not use the driver") == 1
    finally:
        away.rename(libraries)


PROCESSES = """
import multiprocessing, threading, rasterio

def read(path):
    with rasterio.open(path) as dataset:
        checksum = dataset.checksum(1)
    return checksum, "/memfd:gdal_zarr" in open("/proc/self/maps").read()

if __name__ == "__main__":
    path = "{store}"
    results = []
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results += pool.map(read, [path] * 4)
    threads = [threading.Thread(target=lambda: results.append(read(path))) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            results += pool.map(read, [path] * 4)
    print(set(results))
"""


@pytest.mark.parametrize("host", ["rasterio 1.4.3", "rasterio 1.4.4"])
def test_threads_and_processes(host, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROCESSES.format(store=TERRAIN))
    assert run(python_of(host), program).strip() == f"{{({TERRAIN_CHECKSUM}, True)}}"


# Prints whether this process has loaded a plugin of the package, a checksum, and the version of GDAL.
CHECKSUM = f"""
import rasterio
with rasterio.open("{TERRAIN}") as dataset:
    checksum = dataset.checksum(1)
print("/memfd:gdal_zarr" in open("/proc/self/maps").read(), checksum, rasterio.__gdal_version__)
"""


def test_a_read_only_environment_without_executable_temporary_files(tmp_path):
    """The environment is mounted read-only, and no file of any other folder below /tmp can be executed or mapped as code."""
    python = make_environment(tmp_path / "environment", HOSTS[RASTERIO].packages)
    shutil.copy("/bin/true", tmp_path / "copy")
    (tmp_path / "program.py").write_text(CHECKSUM)
    script = tmp_path / "mount.sh"
    script.write_text(
        f"""set -e
temporary=$(realpath "{tmp_path}") environment=$(realpath "{tmp_path}/environment")
mount --bind "$temporary" "$temporary"
mount -o remount,bind,noexec "$temporary"
mount --bind "$environment" "$environment"
mount -o remount,bind,ro,exec "$environment"
! touch "$environment/x" 2>/dev/null
! "$temporary/copy" 2>/dev/null
TMPDIR=$temporary "{python}" "{tmp_path}/program.py"
"""
    )
    namespace = ["unshare", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or not allowed(*namespace, "true"):
        pytest.skip("this system allows no mount namespaces")
    assert run(*namespace, "sh", script).startswith(f"True {TERRAIN_CHECKSUM} ")


def test_a_system_without_executable_files_in_memory(python):
    """The setting vm.memfd_noexec=2 holds for the processes of one namespace."""
    namespace = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    setting = "echo 2 >/proc/sys/vm/memfd_noexec"
    if shutil.which("unshare") is None or not allowed(*namespace, "sh", "-c", setting):
        pytest.skip("this system has no setting vm.memfd_noexec for a namespace")
    printed = run(*namespace, "sh", "-c", f'{setting}; exec "$0" -c "$1"', python, CHECKSUM)
    assert printed.startswith(f"True {TERRAIN_CHECKSUM} ")


def allowed(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_another_rasterio_is_installed_afterwards(tmp_path):
    """rasterio 1.4.4 has a newer GDAL than 1.4.3, with another C++ ABI."""
    python = make_environment(tmp_path / "later", HOSTS["rasterio 1.4.3"].packages)
    assert run_code(python, CHECKSUM) == f"True {TERRAIN_CHECKSUM} 3.9.3"
    for host in ("rasterio 1.4.4", "rasterio 1.4.3"):
        install(python, *HOSTS[host].packages)
        assert run_code(python, CHECKSUM) == f"True {TERRAIN_CHECKSUM} {HOSTS[host].gdal}"


def test_python_imports_one_more_module_when_it_starts(python):
    """docs/compatibility.md has the time that this takes."""
    code = "import os, sys\nbefore = set(sys.modules)\nimport gdal_zarr_start\nprint({*sys.modules} - before)"
    without_packages = f"import sys\nsys.path.append({str(package_in(python).parent)!r})\n{code}"
    assert run(python, "-S", "-c", without_packages).strip() == "{'gdal_zarr_start'}"


def test_a_program_without_gdal_loads_nothing(python):
    code = "import sys, json, ctypes; print([name for name in sys.modules if 'zarr' in name])"
    assert run_code(python, code) == "['gdal_zarr_start']"
    assert "zarr" not in run_code(python, "print(open('/proc/self/maps').read())")


def test_programs_say_what_they_need(python):
    assert run(python.with_name("zarr_qgis"), "--help", code=1).count("\n") == 1
    assert run(python.with_name("zarr_check"), TERRAIN, code=4).count("\n") == 1
    assert "usage: zarr_check" in run(python.with_name("zarr_check"), "--help")
    assert run(python.with_name("zarr_cube"), "x.json", TERRAIN, code=4).count("\n") == 1
    for program in ("zarr_check", "zarr_cube", "zarr_qgis"):
        assert "usage" in run(python_of("osgeo of Debian").with_name(program), "--help").lower()


def test_uninstalling_leaves_nothing(tmp_path):
    python = make_environment(tmp_path / "gone", [])
    run(python, "-c", "import gdal_zarr")
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "gdal_zarr")
    left = [path for path in (tmp_path / "gone").rglob("*") if "gdal_zarr" in path.name or "zarr_" in path.name]
    assert left == []


def test_licences_and_tag():
    assert re.fullmatch(r"gdal_zarr-[0-9.]+(\+gdal[.0-9a-z]+)?-py3-none-manylinux_2_\d+_x86_64\.whl", wheel().name)
    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
    licences = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
    assert {"gdal_zarr", "libblosc-dev", "libzstd-dev", "libtiff-dev", "libzfp-dev"} <= licences
    assert not [name for name in names if "placeholder" in name]


def test_the_package_says_for_which_versions_of_gdal_it_is():
    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
        (metadata,) = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    plugins = {name for text in names for name in re.findall(r"/plugins/gdal_zarr_([\d.]+)(?:_old_abi)?\.so", text)}
    assert plugins and plugins == set(re.findall(r"\d+\.\d+", re.search("^Plugins: (.*)", metadata, re.M)[1]))
    name = re.search("^Version: (.*)", metadata, re.M)[1]
    assert wheel().name.startswith(f"gdal_zarr-{name}-")
    if len(plugins) < 6:
        assert set(name.split("+gdal")[1].split(".gdal")) == plugins
        assert " only" in re.search("^Summary: (.*)", metadata, re.M)[1]
