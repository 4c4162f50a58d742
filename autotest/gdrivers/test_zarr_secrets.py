# SPDX-License-Identifier: MIT
"""Passwords, tokens and signatures in URLs never appear in error messages, warnings or the debug output of
CPL_DEBUG=ZARR."""

import json
import os
import subprocess
import sys
import urllib.parse

import numpy as np
import pytest
import zarr_docs
import zarr_docs_append_errors
import zarr_docs_errors
import zarr_docs_v3_errors
import zarr_docs_write_errors
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options
from zarr_http import Served
from zarr_store import make_store, zip_folder

SECRET = "hunter2"
PROVOKED = {
    **zarr_docs_errors.PROVOKED,
    **zarr_docs_v3_errors.PROVOKED,
    **zarr_docs_write_errors.PROVOKED,
    **zarr_docs_append_errors.PROVOKED,
}


# Tests of the messages that docs/errors.md lists


@pytest.mark.parametrize("message", PROVOKED)
def test_no_message_shows_secrets(message, tmp_path, cpl, capfd):
    """Provokes each message of docs/errors.md in a folder whose name looks like a signed URL. No message shows
    the signature."""
    folder = tmp_path / f"signed?v=1&sig={SECRET}&se=2"
    folder.mkdir()
    with config_options(CPL_DEBUG="ZARR"):
        reported = PROVOKED[message](folder) or []
    texts = [text for _, _, text in cpl.events] + list(reported)
    assert any(zarr_docs.matches(message, text) for text in texts), texts
    printed = "\n".join([*texts, *capfd.readouterr()])
    assert SECRET not in printed
    assert "signed?v=1&sig=***&se=2" in printed or "signed" not in printed


# Tests of dataset names with secrets, for valid and for invalid stores

TRIES = """
import sys
from osgeo import gdal
name = sys.argv[1]
source = gdal.GetDriverByName("MEM").Create("", 4, 4)

def raster(name, flags=gdal.OF_RASTER, *options):
    dataset = gdal.OpenEx(name, flags, open_options=list(options))
    if dataset is None:
        return []
    assert dataset.GetDescription() == name
    if dataset.RasterCount:
        dataset.GetGeoTransform()
        dataset.ReadAsArray()
        dataset.GetRasterBand(1).GetColorInterpretation()
    return [each for each, _ in dataset.GetSubDatasets()]

opened = 0
for each in raster(name):
    raster(each)
    opened += 1
print("subdatasets:", opened)
for options in (["DIM_X=none"], ["SELECT=none=1"], ["USE_CONSOLIDATED_METADATA=NO"],
                ["CACHE_TILE_PRESENCE=YES"], ["LIST_ALL_ARRAYS=YES"], ["NUM_THREADS=none"]):
    raster(name, gdal.OF_RASTER, *options)
raster(name, gdal.OF_UPDATE)
multidim = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
if multidim is not None:
    group = multidim.GetRootGroup()
    for array in group.GetMDArrayNames() or []:
        group.OpenMDArray(array).Read()
multidim = group = None
driver = gdal.GetDriverByName("Zarr")
driver.CreateCopy(name, source)
driver.Create(name, 4, 4)
driver.CreateMultiDimensional(name)
driver.Delete(name)
driver.Rename(name + "2", name)
"""

QUERY = f"sv=2020-08-04&sig={SECRET}%2Ba%3D&X-Amz-Security-Token={SECRET}&token={SECRET}"


def encoded(text):
    return urllib.parse.quote(text, safe="")


NAMES = {
    "user": lambda host, store: f"http://me:{SECRET}@{host}/{store}",
    "prefix": lambda host, store: f'ZARR:"http://me:{SECRET}@{host}/{store}"',
    "array": lambda host, store: f'ZARR:"http://me:{SECRET}@{host}/{store}":/a',
    "no array": lambda host, store: f'ZARR:"http://me:{SECRET}@{host}/{store}":/none',
    "query": lambda host, store: f"/vsicurl/http://{host}/{store}?{QUERY}",
    "query of a prefix": lambda host, store: f'ZARR:"http://{host}/{store}?{QUERY}"',
    "token alone": lambda host, store: f"http://{host}/{store}?{SECRET}",
    "options": lambda host, store: 'ZARR:"/vsicurl?use_head=no&header.Authorization=Bearer'
    f"%20{SECRET}&url=" + encoded(f"http://me:{SECRET}@{host}/{store}") + '"',
    "zip": lambda host, store: f"/vsizip//vsicurl/http://me:{SECRET}@{host}/{store}.zip",
    "zip in braces": lambda host, store: f"/vsizip/{{/vsicurl/http://{host}/{store}.zip?{QUERY}}}",
    "plain zip": lambda host, store: f"http://me:{SECRET}@{host}/{store}.zip?{QUERY}",
    "no server": lambda host, store: f"http://me:{SECRET}@127.0.0.1:9/{store}",
    "no quote": lambda host, store: f'ZARR:"http://me:{SECRET}@{host}/{store}',
    "odd password": lambda host, store: f'ZARR:"http://me:{SECRET}/{SECRET}@{host}/{store}"',
}  # fmt: skip


def make(folder):
    """Writes a valid store, and invalid stores that give warnings and errors."""
    values = np.arange(64).reshape(8, 8)
    arrays = {
        "a": {"values": values, "chunks": (4, 4), "attrs": {"grid_mapping": "none", "_CRS": {"wkt": "x"}}},
        "b": {"values": values, "chunks": (4, 4), "attrs": {"scale_factor": "none"}},
    }  # fmt: skip
    good = make_store(folder, arrays, name="good.zarr", consolidated=True)
    for name in ("cut.zarr", "old.zarr", "torn.zarr"):
        make_store(folder, arrays, name=name, consolidated=True)
    document = zarr_formats.document_file(folder / "cut.zarr", "a/.zarray")
    document.write_text(document.read_text()[:20])
    document = zarr_formats.document_file(folder / "old.zarr", "a/.zarray")
    changed = json.loads(document.read_text())
    changed["shape"] = [8, 4]
    document.write_text(json.dumps(changed))
    zarr_formats.chunk_file(folder / "torn.zarr", "a", 0, 0).write_bytes(b"torn")
    zip_folder(good, f"{good}.zip")


def tries(name, **options):
    environment = {**os.environ, "CPL_DEBUG": "ZARR", "GDAL_HTTP_CONNECTTIMEOUT": "2", **options}
    done = subprocess.run(
        [sys.executable, "-c", TRIES, name], capture_output=True, text=True, env=environment,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@zarr_formats.BOTH
@pytest.mark.parametrize("kind", NAMES)
def test_names_of_every_kind(kind, tmp_path):
    make(tmp_path)
    with Served(tmp_path) as server:
        host = server.url.removeprefix("http://")
        printed = tries(NAMES[kind](host, "good.zarr"))
    assert SECRET not in printed and "me:" not in printed
    assert "***" in printed


@zarr_formats.BOTH
@pytest.mark.parametrize("store", ["cut.zarr", "old.zarr", "torn.zarr", "none.zarr"])
@pytest.mark.slow
def test_broken_stores(store, tmp_path):
    make(tmp_path)
    with Served(tmp_path) as server:
        host = server.url.removeprefix("http://")
        printed = tries(NAMES["user"](host, store)) + tries(NAMES["query"](host, store))
    assert SECRET not in printed and "me:" not in printed
    assert f"http://***@{host}/{store}" in printed


@pytest.mark.parametrize("status", [401, 403, 429, 500])
@pytest.mark.slow
def test_servers_that_refuse(status, tmp_path):
    make(tmp_path)
    with Served(tmp_path) as server:
        server.rule(status={"/good.zarr/a/*": [status, -1]})
        host = server.url.removeprefix("http://")
        printed = tries(NAMES["user"](host, "good.zarr")) + tries(NAMES["query"](host, "good.zarr"))
    assert SECRET not in printed and "me:" not in printed
    assert str(status) in printed and f"http://***@{host}/good.zarr" in printed


def test_names_stay_usable(tmp_path, cpl):
    """GetDescription(), GetSubDatasets() and GetFileList() return names with the secrets, because a name
    without its secret would not open."""
    make(tmp_path)
    with Served(tmp_path) as server:
        host = server.url.removeprefix("http://")
        for kind in ("user", "query", "prefix"):
            dataset = gdal.Open(NAMES[kind](host, "good.zarr"))
            assert SECRET in dataset.GetDescription()
            names = [name for name, _ in dataset.GetSubDatasets()]
            assert len(names) == 3 and all(SECRET in name for name in names)
            for name in names:
                assert gdal.Open(name).ReadAsArray()[..., 7, 7].min() == 63
            files = gdal.Open(names[0]).GetFileList()
            assert files is None or all(SECRET in file for file in files)
    assert not any(SECRET in text for _, _, text in cpl.events)


def test_harmless_parameters_are_shown(tmp_path, cpl):
    with Served(tmp_path) as server:
        host = server.url.removeprefix("http://")
        assert gdal.Open(f"http://{host}/x.zarr?sv=2020-08-04&sig={SECRET}&se=2026-01-01") is None
    assert f"http://{host}/x.zarr?sv=2020-08-04&sig=***&se=2026-01-01: " in cpl.the_error()


@zarr_formats.BOTH
@pytest.mark.parametrize("absent", [403, 404])
@pytest.mark.parametrize("name", ["good.zarr", "none.zarr"])
def test_requests_keep_the_query_of_a_url(name, absent, tmp_path, cpl):
    """Requests for a signed URL keep the query at the end of the path. The messages equal those for a URL
    without a query."""
    make(tmp_path)
    said = []
    with Served(tmp_path) as server:
        server.rule(absent=absent)
        for query in ("", f"?sig={SECRET}"):
            server.requests()
            for node in ("", ":/c", ":/a"):
                cpl.clear()
                gdal.VSICurlClearCache()
                gdal.Open(f'ZARR:"{server.url}/{name}{query}"{node}')
                said.append([text.split(".zarr", 1)[1].replace("?sig=***", "") for _, _, text in cpl.events])
            paths = [path for _, path, *_ in server.requests()]
            assert paths and all(path.endswith(query) for path in paths)
    assert said[:3] == said[3:]
    if name == "good.zarr":
        assert len(said[1]) == 1 and "/c: there is no such array or group" in said[1][0]
