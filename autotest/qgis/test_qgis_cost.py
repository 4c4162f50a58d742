# SPDX-License-Identifier: MIT
"""Counts the files that QGIS opens and the requests that it sends. Times are not tested, but `pytest -s` prints them.

The stores are a satellite product with 200 arrays, and pyramids of 10^10 pixels. The web server waits 20 ms before each
answer."""

import collections
import re
import subprocess
import sys
import time

import pytest
from osgeo import gdal
from qgis.core import QgsRaster, QgsRectangle
from qgis_layers import (
    BEHIND, added, assert_pictures_agree, dropped, gray, picture, stretched, sublayers
)  # fmt: skip
from qgis_session import OPENS_EACH_LAYER, OTHERS_REQUESTS
from qgis_stores import (
    BANDS,
    CHUNK,
    RESOLUTIONS,
    SIDE,
    level_sizes,
    level_values,
    make_image,
    make_map,
    make_product,
)
from zarr_gdal import open_raster
from zarr_http import Served

DELAY = 0.02
# Number of requests that open a consolidated Zarr v2 store: zarr.json, and then four documents of the root concurrently
DOCUMENTS = 5
LEVELS = level_sizes()


class Meter:
    """Collects and prints the requests to a server, as a context manager."""

    def __init__(self, server, what):
        self.server, self.what = server, what

    def __enter__(self):
        self.server.log()
        self.start, self.cpu = time.monotonic(), time.process_time()
        return self

    def __exit__(self, *_):
        seconds, cpu = time.monotonic() - self.start, time.process_time() - self.cpu
        log = self.server.log()
        self.paths = [path for _, path, _, _ in log["requests"]]
        print(f"\n{self.what}: {seconds:.2f} s ({cpu:.2f} s of processors), "
              f"{len(self.paths)} requests, {log['at_once']} at once", end="")  # fmt: skip


def the_chunks(paths):
    """Returns (level, row, column) of each path that is a chunk of a pyramid."""
    found = []
    for path in paths:
        level, _, key = path.rpartition("/")
        if key[:1].isdigit():
            found.append((int(level.rpartition("/")[2]), *map(int, key.split("."))))
    return found


# A satellite product with 200 arrays


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    """Writes plain.zarr and consolidated.zarr, and returns their folder."""
    folder = tmp_path_factory.mktemp("products")
    make_product(folder / "plain.zarr", False)
    make_product(folder / "consolidated.zarr", True)
    return folder


def assert_is_product(found):
    groups = [f"/measurements/r{each}m" for each in RESOLUTIONS]
    names = [each.name() for each in found]
    assert sorted(names[:4]) == sorted(groups)
    assert sorted(names[4:]) == sorted(f"{group}/b{i:02}" for group in groups for i in range(BANDS))
    texts = {each.name(): each.description() for each in found}
    assert texts["/measurements/r10m"] == f"[64x64] /measurements/r10m (group of {BANDS} bands)"
    assert texts["/measurements/r60m/b07"] == "[64x64] /measurements/r60m/b07 (UInt16)"


@pytest.mark.parametrize("store", ["plain.zarr", "consolidated.zarr"])
def test_a_product_of_200_arrays_shows_its_layers(products, store):
    start = time.monotonic()
    found = sublayers(products / store)
    print(f"\n204 layers of a folder, {store}: {time.monotonic() - start:.2f} s", end="")
    assert_is_product(found)


OPENER = """
import sys
from osgeo import gdal
gdal.DontUseExceptions()
print(len(gdal.OpenEx(sys.argv[1], gdal.OF_RASTER).GetSubDatasets()))
"""


def files_opened(store, trace):
    """Returns the files of a store that are opened to list its subdatasets. strace watches a new process, which makes
    the call by which QGIS lists subdatasets."""
    done = subprocess.run(
        ["strace", "-f", "-e", "trace=open,openat,openat2", "-o", trace, sys.executable, "-c",
         OPENER, str(store)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "204"
    lines = [line for line in trace.read_text().splitlines() if f'"{store}/' in line]
    files = [line for line in lines if "O_DIRECTORY" not in line and "ENOENT" not in line]
    return [line.split('"')[1] for line in files]


def test_only_documents_are_opened_for_the_list(products, tmp_path):
    """Listing the layers of a store opens only metadata documents, each at most four times on average."""
    store = products / "plain.zarr"
    times = collections.Counter(files_opened(store, tmp_path / "trace"))
    print(f"\nplain.zarr: {len(times)} files opened, {sum(times.values())} times", end="")
    documents = {str(path) for path in store.rglob(".z*")}
    assert sum(times.values()) <= 4 * len(documents)
    assert set(times) <= documents
    assert {path for path in documents if path.endswith("/.zarray")} <= set(times)


def test_one_file_is_opened_if_metadata_are_consolidated(products, tmp_path):
    store = products / "consolidated.zarr"
    opened = files_opened(store, tmp_path / "trace")
    assert set(opened) == {f"{store}/.zmetadata"} and len(opened) <= 2


def test_a_product_on_a_web_server_is_a_few_requests(products):
    with Served(products, DELAY) as server:
        # QGIS checks with further requests whether the URL is a file or a service. For /vsicurl/, QGIS also lists the
        # folder.
        for prefix, others in (("", OTHERS_REQUESTS), ("/vsicurl/", 2)):
            with Meter(server, f"204 layers of {prefix or 'a URL'}") as meter:
                found = sublayers(f"{prefix}{server.url}/consolidated.zarr")
            assert_is_product(found)
            datasets = 1 + len(found) if OPENS_EACH_LAYER else 1
            assert len(meter.paths) <= DOCUMENTS * datasets + others
            assert meter.paths.count("/consolidated.zarr/.zmetadata") == datasets
            gdal.VSICurlClearCache()


# Pyramids of 10^10 pixels


@pytest.fixture(scope="module")
def pyramids(tmp_path_factory):
    """Yields a server with the pyramids map.zarr and image.zarr, and with plain.zarr, a copy of map.zarr without
    consolidated metadata."""
    folder = tmp_path_factory.mktemp("pyramids")
    make_map(folder / "map.zarr")
    make_map(folder / "plain.zarr", consolidated=False)
    make_image(folder / "image.zarr")
    with Served(folder, DELAY) as server:
        yield server


@pytest.fixture(autouse=True)
def clear_caches():
    """Clears GDAL's caches, as when QGIS is started."""
    gdal.VSICurlClearCache()


def full_view(server, store, documents):
    """Drops a store on QGIS, and draws all of it. Returns (layer, picture). Asserts that listing, adding and drawing
    the layer each send about `documents` requests."""
    with Meter(server, f"{store}: list of layers") as asked:
        found = sublayers(f"{server.url}/{store}")
    assert len(found) == 1
    with Meter(server, f"{store}: adding the layer") as adding:
        layer = added(found[0])
    with Meter(server, f"{store}: drawing the full view") as drawing:
        got = picture(layer, 800, 800)
    assert (layer.width(), layer.height()) == (SIDE, SIDE)
    assert len(asked.paths) <= documents + OTHERS_REQUESTS
    assert len(adding.paths) <= documents + 1
    assert len(drawing.paths) <= documents + 4
    assert the_chunks(asked.paths) == []
    # QGIS reads the smallest level for the minimum and maximum.
    assert the_chunks(adding.paths) == [(len(LEVELS) - 1, 0, 0)]
    # GDAL draws 800 x 800 pixels from the level of 782 x 782 pixels.
    level = LEVELS.index(782)
    assert sorted(the_chunks(drawing.paths)) == [(level, i, j) for i in (0, 1) for j in (0, 1)]
    return layer, got


@pytest.mark.parametrize("store, documents", [
    ("map.zarr", DOCUMENTS),
    ("image.zarr", DOCUMENTS),
    # Without consolidated metadata or a listing, which this server refuses, the driver requests all metadata documents
    # that the pyramid may have.
    ("plain.zarr", 2 * len(LEVELS) + 15),
])  # fmt: skip
def test_the_full_view_of_a_pyramid_is_a_few_requests(pyramids, store, documents):
    layer, got = full_view(pyramids, store, documents)
    enhancement = layer.renderer().contrastEnhancement()
    assert 10 <= enhancement.minimumValue() < enhancement.maximumValue() <= 250
    assert got[10, 10].max() < 15 and got[-10, -10].min() > 240
    assert (got.min(axis=-1) == got.max(axis=-1)).all()


def test_a_view_of_a_pyramid_is_the_level_of_its_size(pyramids):
    layer = gray(dropped(f"{pyramids.url}/map.zarr"), 0, 255)
    for size in (391, 782, 1563):
        with Meter(pyramids, f"{size} x {size} pixels") as meter:
            got = picture(layer, size, size)
        assert_pictures_agree(got, stretched(level_values(size), 0, 255))
        across = -(-size // CHUNK)
        chunks = the_chunks(meter.paths)
        assert len(chunks) == across**2 == len(set(chunks))
        assert {chunk[0] for chunk in chunks} == {LEVELS.index(size)}


def test_a_part_at_full_resolution_reads_its_chunks_only(pyramids):
    """Drawing 600 x 600 pixels at full resolution requests at most nine chunks, which are absent, each once."""
    layer = gray(dropped(f"{pyramids.url}/map.zarr"), 0, 255)
    x, y, side = 500000.0, 5500000.0, 6000.0
    with Meter(pyramids, "600 x 600 pixels of level 0") as meter:
        got = picture(layer, 600, 600, QgsRectangle(x, y, x + side, y + side))
    chunks = [path for path in meter.paths if re.search(r"/\d+/\d+\.\d+$", path)]
    assert not [path for path in meter.paths if re.search(r"/\d+/\d+/\d+$", path)]
    assert 4 <= len(chunks) <= 9 and {chunk[0] for chunk in the_chunks(chunks)} == {0}
    assert (got == BEHIND).all()  # absent chunks read as the fill value, which is nodata


def test_identify_reads_one_chunk(pyramids):
    """Identifying a pixel requests one chunk key. The array states its dimension_separator, so no other key is
    tried."""
    layer = dropped(f"{pyramids.url}/map.zarr")
    with Meter(pyramids, "identify") as meter:
        layer.dataProvider().identify(layer.extent().center(), QgsRaster.IdentifyFormatValue)
    (path,) = (path.rpartition("/map.zarr/")[2] for path in meter.paths)
    assert re.fullmatch(r"\d+/\d+\.\d+", path)


def test_the_pyramid_has_ten_thousand_million_pixels(pyramids):
    dataset = open_raster(f"{pyramids.url}/map.zarr")
    assert dataset.RasterXSize * dataset.RasterYSize == 10**10
    band = dataset.GetRasterBand(1)
    sizes = [SIDE] + [band.GetOverview(i).XSize for i in range(band.GetOverviewCount())]
    assert sizes == LEVELS and LEVELS[-1] < 512
