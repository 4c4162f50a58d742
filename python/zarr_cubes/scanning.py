# SPDX-License-Identifier: MIT
"""Reads the headers of all inputs, several at a time."""

import concurrent.futures
import contextlib
import sys

from osgeo import gdal

from zarr_cubes import grib2, hdf5, netcdf3, tiff, tiff_header, zarr_store
from zarr_cubes.files import Head, is_folder, is_local
from zarr_cubes.model import Refused

BATCH = 32
REMOTE = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "CPL_VSIL_CURL_USE_HEAD": "NO", "CPL_VSIL_CURL_CHUNK_SIZE": "32768",
          "GDAL_HTTP_MAX_RETRY": "3", "GDAL_HTTP_RETRY_DELAY": "0.5"}  # fmt: skip

READERS = ((tiff_header.is_tiff, tiff.scan), (hdf5.is_hdf5, hdf5.scan), (netcdf3.is_netcdf, netcdf3.scan),
           (grib2.is_grib, grib2.scan))  # fmt: skip


def scan_one(name, options):
    if is_folder(name) or name.endswith((".json", ".parq", ".zarr.zip")):
        return zarr_store.scan(name, options)
    head = Head(name)
    try:
        start = head.start()
        for is_one, scanner in READERS:
            if is_one(start):
                return read_by(scanner, head, options)
    finally:
        head.close()
    raise Refused(f"{name}: no file that zarr_cube knows: TIFF, netCDF, HDF5, GRIB2 or a Zarr store")


def read_by(scanner, head, options):
    try:
        return scanner(head, options)
    except (ValueError, TypeError, OverflowError, ArithmeticError, LookupError, MemoryError) as why:
        raise Refused(f"{head.name}: its headers are damaged: {why!r}") from why


@contextlib.contextmanager
def remote_options():
    before = {name: gdal.GetConfigOption(name) for name in REMOTE}
    for name, value in REMOTE.items():
        if before[name] is None:
            gdal.SetConfigOption(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            gdal.SetConfigOption(name, value)


def scan(entries, options, journal):
    """Returns the sources of all entries, in their order. The first file that cannot be read ends the scan."""
    names = [name for name, _ in entries]
    found = {name: journal.find(name) for name in names} if journal.known else {}
    wanted = [name for name in names if found.get(name) is None]
    progress = Progress(len(names), len(names) - len(wanted), options.quiet)
    batches = [wanted[i : i + BATCH] for i in range(0, len(wanted), BATCH)]
    local = all(map(is_local, names))
    workers = max(1, min(options.jobs, 2 if local else options.jobs))
    if not local:
        batches = [[name] for name in wanted]
    with remote_options(), concurrent.futures.ThreadPoolExecutor(workers) as pool:
        tasks = [pool.submit(lambda batch: [scan_one(name, options) for name in batch], batch) for batch in batches]
        try:
            for batch, task in zip(batches, tasks):
                sources = task.result()
                found.update(zip(batch, sources))
                journal.add(sources)
                progress.step(len(batch))
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
    progress.end()
    return [found[name] for name in names]


class Progress:
    """GDAL's progress bar, on standard error."""

    def __init__(self, total, done, quiet):
        self.total, self.done, self.quiet, self.shown = max(total, 1), done, quiet, -1

    def step(self, number):
        self.done += number
        if self.quiet:
            return
        tick = int(40 * self.done / self.total)
        for i in range(self.shown + 1, tick + 1):
            sys.stderr.write(str(i // 4 * 10) if i % 4 == 0 else ".")
        self.shown = max(self.shown, tick)
        sys.stderr.flush()

    def end(self):
        if not self.quiet and self.shown >= 0:
            sys.stderr.write(" - done.\n")
