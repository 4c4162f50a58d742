# SPDX-License-Identifier: MIT
"""Every package with a GDAL that docs/compatibility.md names reads every store of data/ and of docs/opens_where through
the Python package as Debian's GDAL does through Debian's plugin."""

import json
import re
import sys

import pytest
from wheel_environments import (
    HOSTS,
    NEWEST_PYTHON,
    PLUGINS,
    PROGRAM,
    REPOSITORY,
    TERRAIN,
    TERRAIN_CHECKSUM,
    package_in,
    python_of,
    python_with,
    run,
    run_code,
)

PAGE = REPOSITORY / "docs" / "compatibility.md"
HAS_ALL_STORES = sys.version_info[:2] <= NEWEST_PYTHON
STORE_ENDINGS = (".icechunk", ".levels", ".zarr", ".zip")
# Stores of docs/opens_where that have only strings. The drivers must refuse them in the same words.
STRINGS = {"filter_categorize", "filter_json2", "filter_vlen_utf8", "fixed_strings", "unicode"}


def stores_below(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in STORE_ENDINGS)


# Prints the names of the rasters of each store, and the name of a store that is refused.
NAMES = """
import sys
from osgeo import gdal
gdal.PushErrorHandler("CPLQuietErrorHandler")
for name in sys.argv[1:]:
    dataset = gdal.OpenEx(name, gdal.OF_RASTER)
    if dataset is None or dataset.RasterCount:
        print(name)
    for subdataset, _ in dataset.GetSubDatasets() if dataset else ():
        print(subdataset)
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """A file with the names of all rasters of data/ and of the stores of docs/opens_where, which are written here, some
    by zarr-python 2. Without it, a file with those of data/ alone."""
    folder = tmp_path_factory.mktemp("hosts")
    stores = stores_below(REPOSITORY / "data")
    assert len(stores) > 15
    if HAS_ALL_STORES:
        python = REPOSITORY / "build" / "tools" / "python" / "bin" / "python"
        writer = REPOSITORY / "docs" / "opens_where" / "stores.py"
        run(python, "-B", writer, folder / "stores", GDAL_DRIVER_PATH=str(PLUGINS))
        stores += stores_below(folder / "stores")
        assert len(stores) > 80
    file = folder / "names.txt"
    file.write_text(run("/usr/bin/python3", "-c", NAMES, *stores, GDAL_DRIVER_PATH=str(PLUGINS)), encoding="utf-8")
    return file


def read(python, package, names, **environment):
    """Returns what PROGRAM prints, without the warnings of GDAL after it."""
    return json.loads(run(python, PROGRAM, package, names, **environment).splitlines()[0])


@pytest.fixture(scope="module")
def expected(names):
    """What Debian's GDAL reads with the plugin of build/gdalplugins."""
    rasters = read("/usr/bin/python3", "osgeo", names, GDAL_DRIVER_PATH=str(PLUGINS))["rasters"]
    refused = {name.rsplit("/", 1)[1].removesuffix(".zarr") for name, (driver, _) in rasters.items() if driver != "Zarr"}
    if HAS_ALL_STORES:
        assert len(rasters) > 190 and refused == STRINGS
    else:
        assert len(rasters) > 45 and not refused
    return rasters


@pytest.mark.parametrize("host", HOSTS)
def test_every_raster_has_the_checksums_of_debians_plugin(host, names, expected):
    found = read(python_of(host), host.split()[0], names)
    assert found["rasters"] == expected
    assert found["plugins"] == 1


@pytest.mark.parametrize("host", HOSTS)
def test_the_package_names_the_plugin_of_each_host(host):
    python = python_of(host)
    lines = run(python, "-m", "gdal_zarr").splitlines()
    ((number, line),) = [each for each in enumerate(lines) if each[1].startswith(f"{host.split()[0]}: GDAL ")]
    assert line.startswith(f"{host.split()[0]}: GDAL {HOSTS[host].gdal or '3.'}")
    assert (" with the old C++ ABI," in line) == HOSTS[host].old_abi
    assert lines[number + 1] == f"    plugin {package_in(python)}/plugins/{HOSTS[host].plugin}"


def test_the_page_lists_the_hosts():
    """The rows of sid's osgeo and of other versions say how they were tested."""
    rows = re.findall(r"^\| ((?:rasterio|osgeo|fiona|pyogrio)[^|]*) \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.M)
    for name, host in HOSTS.items():
        versions = [gdal for row, gdal in rows if row.startswith(name)]
        assert versions and (host.gdal is None or versions == [host.gdal]), name


WRITE = """
import sys, numpy, rasterio
with rasterio.open(sys.argv[1], "w", driver="Zarr", width=70, height=50, count=2, dtype="float32", nodata=-1,
                   crs="EPSG:32632", transform=rasterio.Affine(30, 0, 612000, 0, -30, 5214000),
                   FORMAT="ZARR_V3", COMPRESS="ZSTD") as dataset:
    dataset.write(numpy.arange(7000, dtype="float32").reshape(2, 50, 70))
    dataset.build_overviews([2])
"""


@pytest.mark.parametrize("host", [host for host in HOSTS if host.startswith("rasterio")])
def test_what_rasterio_writes_is_what_debians_plugin_reads(host, tmp_path):
    store = tmp_path / "x.zarr"
    run(python_of(host), "-c", WRITE, store)
    info = json.loads(run("gdalinfo", "-json", "-checksum", store, GDAL_DRIVER_PATH=str(PLUGINS)))
    assert info["driverShortName"] == "Zarr" and info["geoTransform"][0] == 612000
    assert [len(band["overviews"]) for band in info["bands"]] == [1, 1]
    assert [band["noDataValue"] for band in info["bands"]] == [-1, -1]
    names = tmp_path / "names.txt"
    names.write_text(str(store), encoding="utf-8")
    found = read(python_of(host), "rasterio", names)["rasters"]
    assert found[str(store)][1] == [band["checksum"] for band in info["bands"]]


@pytest.mark.parametrize("host", [host for host in HOSTS if host.startswith("rasterio")])
def test_rasterios_program_uses_it(host):
    """The store is a pyramid. GDAL's own driver shows its levels as subdatasets."""
    rio = python_of(host).with_name("rio")
    pyramid = REPOSITORY / "data" / "pyramids" / "geozarr_inline.zarr"
    ours, own = (json.loads(run(rio, "info", pyramid, **options).splitlines()[-1]) for options in ({}, {"GDAL_ZARR": "NO"}))
    assert ours["driver"] == own["driver"] == "Zarr"
    assert ours["count"] == 1 and own["count"] == 0


TWO = """
import {0}
with rasterio.open("{store}") as dataset:
    print(dataset.driver, dataset.checksum(1))
for module in (fiona, pyogrio):
    print(module.__gdal_version__)
import fiona.env
with fiona.env.Env():
    pass
with open("/proc/self/maps") as maps:
    lines = maps.read().splitlines()
for name in ("/memfd:gdal_zarr", "/libgdal_zarr_core"):
    print(len({{line.split()[4] for line in lines if name in line}}))
"""


@pytest.mark.parametrize("order", ["rasterio, fiona, pyogrio", "pyogrio, fiona, rasterio", "fiona, rasterio, pyogrio"])
@pytest.mark.parametrize("rasterio", ["rasterio 1.4.3", "rasterio 1.4.4"])
def test_each_gdal_of_a_process_has_its_own_plugin(rasterio, order):
    """In one process are GDAL 3.9 or 3.10 of rasterio, 3.12 of pyogrio and 3.9 of fiona. fiona has the old C++ ABI, so that
    there are two cores."""
    packages = HOSTS[rasterio].packages + HOSTS["pyogrio 0.13.0"].packages + HOSTS["fiona 1.10.1"].packages
    python = python_with(*packages)
    driver, fiona, pyogrio, plugins, cores = run_code(python, TWO.format(order, store=TERRAIN)).splitlines()
    assert driver == f"Zarr {TERRAIN_CHECKSUM}"
    assert fiona == "3.9.2" and pyogrio == "(3, 12, 4)"
    assert (plugins, cores) == ("3", "2")
