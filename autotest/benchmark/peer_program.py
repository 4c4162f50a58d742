# SPDX-License-Identifier: MIT
"""Program that reads or writes one array with one Zarr reader, for peers.py and growth.py.

    peer_program.py READER PATH FORMAT [THREADS]
    READER    ours, tensorstore, zarrs, zarr-python, or builtin (GDAL's built-in driver without this driver);
    PATH      a folder, or an http:// URL, whose chunks are not cached between commands;
    FORMAT    2 or 3;
    THREADS   number of threads that read and decode; by default, the choice of the reader.

All readers except ours run in the Python environment that peers.sh makes. The program reads commands from standard
input, and answers each with a line of JSON: {"seconds": S, "crc32": N}

    read                 reads the whole array;
    open                 opens and reads the whole array, and measures both;
    windows W W ...      reads windows one after another; each is START:STOP,START:STOP,...;
    write FOLDER         writes the whole array to a new array with equal metadata, and reads it again.

Each command opens the array again. Only "open" includes the time of opening. All times include the allocation
of memory.
"""

import importlib.metadata
import json
import os
import pathlib
import shutil
import sys
import time
import zlib

import numpy as np


def is_url(path):
    return str(path).startswith("http://")


class ThroughGdal:
    """Array of GDAL's multidimensional API, with the interface that the other readers' arrays have."""

    def __init__(self, path):
        # With a plain URL, GDAL would list the server's root before it asks the driver.
        self.path = f'ZARR:"/vsicurl/{path}"' if is_url(path) else str(path)
        self.array = self.opened(0)[-1]

    def opened(self, flags):
        """Returns (dataset, group, array). The array is valid only as long as the dataset and the group exist."""
        from osgeo import gdal

        dataset = gdal.OpenEx(self.path, gdal.OF_MULTIDIM_RASTER | flags, allowed_drivers=["Zarr"])
        group = dataset.GetRootGroup()
        (name,) = group.GetMDArrayNames()
        return dataset, group, group.OpenMDArray(name)

    def __getitem__(self, window):
        if window is ...:
            return self.array.ReadAsArray()
        begin, count = [each.start for each in window], [each.stop - each.start for each in window]
        return self.array.ReadAsArray(array_start_idx=begin, count=count)

    def __setitem__(self, window, values):
        from osgeo import gdal

        assert window is ... and self.opened(gdal.OF_UPDATE)[-1].Write(values) == gdal.CE_None


class ThroughBuiltin(ThroughGdal):
    """Array of GDAL's built-in driver. It calls AdviseRead() before each read, because the built-in driver uses
    several threads only then."""

    def __getitem__(self, window):
        if window is ...:
            self.array.AdviseRead()
        else:
            begin = [each.start for each in window]
            self.array.AdviseRead(begin, [each.stop - each.start for each in window])
        return super().__getitem__(window)


def open_ours(path, form, threads, through=ThroughGdal):
    from osgeo import gdal

    gdal.UseExceptions()
    gdal.SetConfigOption("GDAL_NUM_THREADS", str(threads) if threads else None)
    gdal.VSICurlClearCache()
    return through(path)


def open_builtin(path, form, threads):
    return open_ours(path, form, threads or len(os.sched_getaffinity(0)), ThroughBuiltin)


def open_tensorstore(path, form, threads):
    import tensorstore

    store = {"driver": "file", "path": str(path)}
    if is_url(path):
        store = {"driver": "http", "base_url": f"{path}/"}
    spec = {"driver": "zarr3" if form == 3 else "zarr", "kvstore": store}
    if threads:
        spec["context"] = {"data_copy_concurrency": {"limit": threads}}
    return tensorstore.open(spec, open=True).result()


def open_zarr(path, form, threads):
    import zarr

    if threads:
        zarr.config.set({"async.concurrency": threads, "threading.max_workers": threads})
    mode = "r" if is_url(path) else "r+"
    return zarr.open_array(str(path), mode=mode, zarr_format=form)


def open_zarrs(path, form, threads):
    import zarr
    import zarrs  # noqa: F401  (registers itself)

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    if threads:
        zarr.config.set({"codec_pipeline.chunk_concurrent_maximum": threads})
    return open_zarr(path, form, threads)


READERS = {
    "ours": open_ours,
    "builtin": open_builtin,
    "tensorstore": open_tensorstore,
    "zarrs": open_zarrs,
    "zarr-python": open_zarr,
}
PACKAGES = {"ours": "GDAL", "builtin": "GDAL", "tensorstore": "tensorstore", "zarrs": "zarrs",
            "zarr-python": "zarr"}  # fmt: skip


def read(array, window=...):
    found = array[window]
    return found.read().result() if hasattr(found, "read") else np.asarray(found)


def parse(text):
    return tuple(slice(*map(int, each.split(":"))) for each in text.split(","))


def main():
    name, path, form = sys.argv[1], sys.argv[2], int(sys.argv[3])
    path = path if is_url(path) else pathlib.Path(path)
    threads = int(sys.argv[4]) if len(sys.argv) > 4 else 0

    def opened(path):
        return READERS[name](path, form, threads)

    print(json.dumps({"version": importlib.metadata.version(PACKAGES[name])}), flush=True)
    array = None
    for line in sys.stdin:
        words = line.split()
        # An open array would share its decoded chunks with the next opening, so the array is closed first.
        del array
        array = opened(path)
        if words[0] == "read":
            start = time.perf_counter()
            values = [read(array)]
            seconds = time.perf_counter() - start
        elif words[0] == "open":
            del array
            start = time.perf_counter()
            array = opened(path)
            values = [read(array)]
            seconds = time.perf_counter() - start
        elif words[0] == "windows":
            windows = [parse(text) for text in words[1:]]
            start = time.perf_counter()
            values = [read(array, window) for window in windows]
            seconds = time.perf_counter() - start
        else:
            data, target = read(array), pathlib.Path(words[1])
            target.mkdir(parents=True)
            for document in ("zarr.json",) if form == 3 else (".zarray",):
                shutil.copy(path / document, target)
            start = time.perf_counter()
            copy = opened(target)
            copy[...] = data
            values = [read(opened(target))]
            seconds = time.perf_counter() - start
        crc32 = 0
        for each in values:
            crc32 = zlib.crc32(np.ascontiguousarray(each), crc32)
        print(json.dumps({"seconds": seconds, "crc32": crc32}), flush=True)


if __name__ == "__main__":
    main()
