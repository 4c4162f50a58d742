# SPDX-License-Identifier: MIT
"""Unpacks and uses the Debian packages in build/package, which scripts/package.sh makes.
scripts/check_package.sh installs and removes them in a clean system."""

import os
import pathlib
import re
import subprocess

import pytest
import zarr

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / "build" / "package"


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def package(name):
    (found,) = PACKAGES.glob(f"{name}_*.deb")  # scripts/package.sh makes one package of each name
    return found


def field(name, key):
    return run("dpkg-deb", "--field", package(name), key).strip()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    for name in ("gdal-plugin-zarr", "libzarr-core-dev"):
        run("dpkg-deb", "-x", package(name), folder / name)
    return folder


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_plugin_is_one_file_in_gdals_folder(unpacked):
    files = files_of(unpacked / "gdal-plugin-zarr")
    (plugin,) = [file for file in files if file.startswith("usr/lib/")]
    others = {file.split("/")[2] for file in files if file.startswith("usr/share/")}
    assert {file for file in files if file.startswith("usr/bin/")} == {"usr/bin/zarr_check", "usr/bin/zarr_cube", "usr/bin/zarr_qgis"}
    assert others == {"doc", "gdal-plugin-zarr"}
    assert re.fullmatch(r"usr/lib/[^/]+/gdalplugins/gdal_ZarrV2\.so", plugin)
    assert "usr/share/doc/gdal-plugin-zarr/copyright" in files


def test_it_depends_on_the_gdal_that_it_is_linked_with(unpacked):
    depends = field("gdal-plugin-zarr", "Depends")
    (library,) = set(re.findall(r"libgdal\d+", depends))
    (soname,) = set(re.findall(r"libgdal\.so\.(\d+)", run("readelf", "-d", next(
        unpacked.glob("gdal-plugin-zarr/usr/lib/*/gdalplugins/*.so")))))  # fmt: skip
    assert library == f"libgdal{soname}"
    for codec in ("libblosc1", "libzstd1", "liblz4-1", "liblzma5", "libbz2-1.0", "libdeflate0", "libzfp1"):
        assert codec in depends


def test_gdal_uses_it(unpacked):
    (folder,) = unpacked.glob("gdal-plugin-zarr/usr/lib/*/gdalplugins")
    environment = {"GDAL_DRIVER_PATH": str(folder), "GDAL_PAM_ENABLED": "NO"}
    assert "ZarrBuiltin" in run("gdalinfo", "--formats", **environment)
    assert 'ID["EPSG",32632]' in run("gdalinfo", REPOSITORY / "data" / "terrain.zarr", **environment)


def test_zarr_check_runs(unpacked):
    (folder,) = unpacked.glob("gdal-plugin-zarr/usr/lib/*/gdalplugins")
    program = unpacked / "gdal-plugin-zarr" / "usr" / "bin" / "zarr_check"
    store = REPOSITORY / "data" / "terrain.zarr"
    text = run("/usr/bin/python3", "-B", program, "--max-requests", "20", store,
               GDAL_DRIVER_PATH=str(folder))  # fmt: skip
    assert "[chunk-small]" in text and text.endswith(f"{store}: 1 warning\n")
    assert "python3-jsonschema" in field("gdal-plugin-zarr", "Recommends")


def test_zarr_qgis_runs(unpacked, tmp_path):
    (folder,) = unpacked.glob("gdal-plugin-zarr/usr/lib/*/gdalplugins")
    program = unpacked / "gdal-plugin-zarr" / "usr" / "bin" / "zarr_qgis"
    output, store = tmp_path / "temperature.qlr", REPOSITORY / "data" / "temperature.zarr"
    text = run("/usr/bin/python3", "-B", program, f'ZARR:"{store}":/air_temperature', "-o", output,
               GDAL_DRIVER_PATH=str(folder))  # fmt: skip
    assert text == f"{output}\n" and output.read_text().count("<maplayer ") == 24


def test_a_program_links_the_core(unpacked, tmp_path):
    """A program finds the core by find_package(). It compiles without this project's warning options and does
    not link GDAL."""
    source = REPOSITORY / "docs" / "examples" / "core_reader"
    prefix = unpacked / "libzarr-core-dev" / "usr"
    run("cmake", "-S", source, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    store = REPOSITORY / "data" / "terrain.zarr"
    lines = run(tmp_path / "core_reader", store).splitlines()
    values = zarr.open_group(str(store), mode="r")["elevation"][...]
    assert lines[lines.index("/elevation (<i2)") + 1] == f"  from {values.min()} to {values.max()}"
    failed = subprocess.run([tmp_path / "core_reader", tmp_path], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == f"{tmp_path}: there is no Zarr group or array at the root\n"
    assert "libgdal" not in run("ldd", tmp_path / "core_reader")


def test_only_public_headers_are_installed(unpacked):
    files = files_of(unpacked / "libzarr-core-dev")
    headers = {file for file in files if file.endswith(".h")}
    public = (REPOSITORY / "core" / "library" / "zarr_core").glob("*.h")
    assert headers == {f"usr/include/zarr_core/{path.name}" for path in public}
    assert 0 < len(headers) <= 12
    needed = field("libzarr-core-dev", "Depends")
    assert "gdal" not in needed and "libblosc-dev" in needed


def test_cmake_installs_the_plugin_and_the_core_by_its_component(tmp_path):
    """`cmake --install` installs the plugin and its programs, but not the core. `--component core` installs the
    core."""
    modules = [path.name for folder in ("zarr_checks", "zarr_cubes") for path in (REPOSITORY / "python" / folder).rglob("*.*")
               if path.suffix in (".py", ".json")]  # fmt: skip
    program = {"zarr_check", "zarr_cube", "zarr_qgis", *modules}
    for component, wanted in ((None, {"gdal_ZarrV2.so", "copyright"} | program),
                              ("core", {"libzarr_core.a", "zarr_coreConfig.cmake", "store.h"})):  # fmt: skip
        target = tmp_path / (component or "all")
        words = ["--component", component] if component else []
        run("cmake", "--install", REPOSITORY / "build", *words, DESTDIR=str(target))
        names = {path.name for path in target.rglob("*") if path.is_file()}
        assert wanted <= names
        if component is None:
            assert names == wanted
