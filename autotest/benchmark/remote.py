# SPDX-License-Identifier: MIT
"""Measures a store on a web server that waits 20 ms before each answer, like a server on the same continent."""

import numpy as np
from measuring import BUILTIN, OURS, Fact, Row, faster, open_with, prepared, take_turns
from osgeo import gdal
from samples import BLOSC_LZ4, kept, save, terrain
from zarr_http import Served

LATENCY = 0.02
CHUNKS_ACROSS = 8
ROUNDS = 5


def make(home):
    import zarr

    data = terrain(CHUNKS_ACROSS * 256)
    save(home / "array.zarr", data, (256, 256), BLOSC_LZ4)
    group = zarr.open_group(str(home / "group.zarr"), mode="w")
    for name in ("dem", "slope"):
        array = group.create_dataset(name, data=data, chunks=(256, 256), compressor=BLOSC_LZ4)
        array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    zarr.consolidate_metadata(str(home / "group.zarr"))


def opened(driver, path):
    gdal.VSICurlClearCache()
    return open_with(driver, path)


def measure(setting):
    home = kept(setting.data, "remote", make)
    expected = terrain(CHUNKS_ACROSS * 256)
    memory = np.full(expected.shape, -2, expected.dtype)
    with Served(home, LATENCY) as server:
        consolidated = f'ZARR:"/vsicurl/{server.url}/group.zarr":/dem'

        def reader(driver):
            return prepared(
                lambda: opened(driver, consolidated),
                lambda dataset: dataset.GetRasterBand(1).ReadAsArray(buf_obj=memory),
            )

        contenders = {"ours": reader(OURS), "builtin": reader(BUILTIN)}
        seconds = take_turns(contenders, min(ROUNDS, setting.rounds))
        np.testing.assert_array_equal(memory, expected)
        yield Row("64 chunks over HTTP, 20 ms latency", seconds, (faster(1),))
        yield Fact("64 chunks over HTTP, milliseconds", 1000 * np.median(seconds["ours"]), 300)

        server.log()
        dataset = opened(OURS, consolidated)
        # The driver requests the v2 and v3 documents of the root and of the array concurrently.
        yield Fact("requests to open a consolidated store", len(server.requests()), 5)
        dataset.GetRasterBand(1).ReadAsArray()
        log = server.log()
        chunks = [path for _, path, *_ in log["requests"] if "/dem/" in path]
        yield Fact("requests for 64 chunks", len(chunks), 64)
        yield Fact("requests under way at the same time", log["at_once"], 16, is_least=True)
        opened(OURS, f'ZARR:"/vsicurl/{server.url}/array.zarr"')
        yield Fact("requests to open an array", len(server.requests()), 5)
