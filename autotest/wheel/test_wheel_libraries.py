# SPDX-License-Identifier: MIT
"""Libraries on rasterio use the driver of the Python package: rioxarray, xarray, rio-tiler and titiler."""

import contextlib
import io
import json
import math
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy
import pytest
from wheel_environments import HOSTS, REPOSITORY, python_with, run, run_code

LIBRARIES = ("rioxarray==0.19.0", "xarray==2026.9.0", "rio-tiler==9.4.12", "titiler.core==2.4.0", "uvicorn==0.54.0",
             "distributed==2026.7.1")  # fmt: skip
# A pyramid of three levels. GDAL's own driver shows its levels as subdatasets.
PYRAMID = REPOSITORY / "data" / "pyramids" / "geozarr_inline.zarr"
DOCS = REPOSITORY / "docs"
PAGE = DOCS / "tiles.md"


@pytest.fixture(params=["rasterio 1.4.3", "rasterio 1.4.4"])
def python(request):
    return python_with(*HOSTS[request.param].packages, *LIBRARIES)


def value(column, row, level=0):
    """Value of a pixel of PYRAMID, by the formula of data/make_pyramids.py."""
    factor = 2**level
    return factor * (column + 3 * row) + 2 * (factor - 1) + 10 * level


def test_rioxarray_reads_and_writes(python, tmp_path):
    code = f"""
import rioxarray
array = rioxarray.open_rasterio("{PYRAMID}")
print(array.shape, array.rio.crs, array.rio.transform()[2], int(array[0, 95, 127]))
print(int(rioxarray.open_rasterio("{PYRAMID}", overview_level=1)[0, 0, 0]))
array.rio.to_raster("{tmp_path}/x.zarr", driver="Zarr", FORMAT="ZARR_V3")
print(rioxarray.open_rasterio("{tmp_path}/x.zarr").equals(array))
"""
    first, overview, equal = run_code(python, code).splitlines()
    assert first == f"(1, 96, 128) EPSG:32632 612000.0 {value(127, 95)}"
    assert overview == str(value(0, 0, level=2))
    assert equal == "True" and (tmp_path / "x.zarr" / "zarr.json").exists()


def test_xarray_reads_with_the_engine_rasterio(python):
    code = f"""
import xarray
dataset = xarray.open_dataset("{PYRAMID}", engine="rasterio")
print(dataset.band_data.shape, dataset.rio.crs, float(dataset.band_data[0, 95, 127]))
slices = xarray.open_dataset("{REPOSITORY}/data/temperature.zarr", engine="rasterio")
print(dict(slices.sizes))
"""
    raster, slices = run_code(python, code).splitlines()
    assert raster == f"(1, 96, 128) EPSG:32632 {float(value(127, 95))}"
    assert slices == "{'band': 24, 'x': 180, 'y': 90}"


def test_rio_tiler_takes_tiles_from_overviews(python):
    """The value of a pixel states its level. A preview of 32 pixels is level 2."""
    code = f"""
from rio_tiler.io import Reader
with Reader("{PYRAMID}") as reader:
    preview = reader.preview(max_size=32)
    print(preview.array.shape, int(preview.array[0, 0, 0]), int(preview.array[0, 23, 31]))
"""
    assert run_code(python, code) == f"(1, 24, 32) {value(0, 0, level=2)} {value(31, 23, level=2)}"


def commands(page):
    """Returns the indented commands of a page, by their first words."""
    lines = re.findall(r"^    (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {line.split()[0].rsplit("/", 1)[-1]: line for line in lines}


@contextlib.contextmanager
def server(python, log):
    """Runs the command with which docs/tiles.md starts titiler. Yields the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [python.with_name("uvicorn"), *commands(PAGE)["uvicorn"].split()[1:], "--port", str(port)]
    with log.open("w") as output, subprocess.Popen(words, cwd=REPOSITORY, stdout=output, stderr=output) as process:
        try:
            while "Application startup complete" not in log.read_text():
                assert process.poll() is None, log.read_text()
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def test_the_command_of_the_page_serves_tiles(python, tmp_path):
    """The remainder of a pixel's value by 4 shows its level: 2 at level 2, 0 or 2 at level 1, any at level 0."""
    url = urllib.parse.quote(str(PYRAMID), safe="")
    with server(python, tmp_path / "log") as address:

        def get(path):
            with urllib.request.urlopen(f"{address}/{path}", timeout=60) as answer:
                return answer.read(), answer.headers["Content-Type"]

        assert b"tilejson" in get("")[0]
        described = json.loads(get(f"WebMercatorQuad/tilejson.json?url={url}&tilesize=256")[0])
        assert described["maxzoom"] == 12
        west, south, east, north = described["bounds"]
        remainders = []
        for zoom in (9, 14):
            column, row = tile_of((west + east) / 2, (south + north) / 2, zoom)
            tile = f"tiles/WebMercatorQuad/{zoom}/{column}/{row}"
            image, kind = get(f"{tile}.png?url={url}&tilesize=256&rescale=0,412&colormap_name=viridis")
            assert kind == "image/png" and image.startswith(b"\x89PNG")
            values, mask = numpy.load(io.BytesIO(get(f"{tile}.npy?url={url}&tilesize=256")[0]))
            remainders.append(set((values[mask > 0] % 4).tolist()))
        assert remainders == [{2}, {0, 1, 2, 3}]
        information = json.loads(get(f"info?url={url}")[0])
        assert information["driver"] == "Zarr" and information["overviews"] == [2, 4]
        with pytest.raises(urllib.error.HTTPError):
            get("info?url=nothing.zarr")


def tile_of(longitude, latitude, zoom):
    """Returns column and row of the tile of WebMercatorQuad that contains a position."""
    sine = math.sin(math.radians(latitude))
    x, y = longitude / 360 + 0.5, 0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)
    return int(x * 2**zoom), int(y * 2**zoom)


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def test_the_python_of_the_page_about_tiles_runs(python):
    (code,) = python_blocks(PAGE)
    printed = run(python, "-c", code, cwd=REPOSITORY).splitlines()
    assert printed[-1].startswith("(1, 48, 64) ")


def test_the_python_of_the_page_about_dask_runs(python, tmp_path):
    """Two processes write a region each. Then the store has overviews."""
    (code,) = python_blocks(DOCS / "dask.md")
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    run(python, "program.py", cwd=tmp_path)
    check = f"""
import rasterio, rioxarray
with rasterio.open("{tmp_path}/mosaic.zarr") as dataset:
    print(dataset.block_shapes, dataset.overviews(1), dataset.read(1)[0, ::512].tolist())
lazy = rioxarray.open_rasterio("{tmp_path}/mosaic.zarr", chunks={{"x": 512, "y": 512}}, lock=False)
print(lazy.chunks, int(lazy.sum()))
"""
    first, second = run_code(python, check).splitlines()
    assert first == "[(512, 512)] [2, 4] [0, 512]"
    assert second == f"((1,), (512,), (512, 512)) {512**3}"
