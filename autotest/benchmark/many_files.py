#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures zarr_cube: references to many COG headers, beside VirtualiZarr with virtual-tiff and kerchunk; a pixel's series
through the cube and through a VRT; opening the cube; killed appends.

    many_files.py [--small] [--files N] [--peer-files N] [--kills N] [--folder F]

Needs the environments of scripts/setup.sh test, and the plugin in GDAL_DRIVER_PATH. Prints a line of JSON for each figure."""

import argparse
import datetime
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).parents[2]
TOOLS = REPOSITORY / "build" / "tools"
PROGRAM = REPOSITORY / "python" / "zarr_cube.py"
PYTHON, PEERS = (TOOLS / name / "bin" / "python" for name in ("python", "references"))
sys.path.insert(0, str(REPOSITORY / "autotest" / "gdrivers"))

import numpy as np  # noqa: E402
from osgeo import gdal, osr  # noqa: E402
from zarr_http import Served  # noqa: E402  (in the folder that joined the path above)

LATENCY = 0.02
SIZE = 256

VIRTUALIZARR = """
import pathlib, sys, warnings
warnings.simplefilter("ignore")
import icechunk, numpy, xarray
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import LocalStore
from virtual_tiff import VirtualTIFF
from virtualizarr import open_virtual_dataset
folder, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = sorted(pathlib.Path(folder).glob("*.tif"))[:count]
registry, parser = ObjectStoreRegistry({"file://": LocalStore()}), VirtualTIFF(ifd=0)
parts = [open_virtual_dataset(f"file://{file}", registry=registry, parser=parser) for file in files]
times = [numpy.datetime64(f"{file.stem[2:6]}-{file.stem[6:8]}-{file.stem[8:]}", "ns") for file in files]
joined = xarray.concat(parts, dim="time", coords="minimal", compat="override", join="override", combine_attrs="override")
joined = joined.assign_coords(time=("time", times))
config = icechunk.RepositoryConfig.default()
prefix = f"file://{folder}/"
config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, icechunk.local_filesystem_store(folder)))
repository = icechunk.Repository.create(icechunk.local_filesystem_storage(target), config)
session = repository.writable_session("main")
joined.vz.to_icechunk(session.store)
session.commit("all")
"""
KERCHUNK = """
import json, pathlib, sys, warnings
warnings.simplefilter("ignore")
import kerchunk.combine, kerchunk.tiff
folder, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
files = sorted(pathlib.Path(folder).glob("*.tif"))[:count]
parts = []
for number, file in enumerate(files):
    part = kerchunk.tiff.tiff_to_zarr(str(file))
    parts.append({"version": 1, "refs": part})
combined = kerchunk.combine.MultiZarrToZarr(
    parts, concat_dims=["time"], identical_dims=["X", "Y"], coo_map={"time": list(range(len(files)))})
json.dump(combined.translate(), open(target, "w"))
"""


def make_cogs(folder, count):
    """Writes COGs of about 50 KB with a day in their names, tiles of 128 pixels and an overview."""
    folder.mkdir(parents=True, exist_ok=True)
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32632)
    rng, first = np.random.default_rng(1), datetime.date(1990, 1, 1)
    for number in range(count):
        path = folder / f"s_{(first + datetime.timedelta(number)):%Y%m%d}.tif"
        if path.exists():
            continue
        scene = gdal.GetDriverByName("MEM").Create("", SIZE, SIZE, 1, gdal.GDT_UInt16)
        scene.SetProjection(crs.ExportToWkt())
        scene.SetGeoTransform((500000, 10, 0, 5300000, 0, -10))
        scene.WriteArray((rng.integers(0, 10, (SIZE, SIZE)) + 1000 + number % 500).astype("u2"))
        gdal.GetDriverByName("COG").CreateCopy(str(path), scene, options=["BLOCKSIZE=128", "COMPRESS=DEFLATE", "LEVEL=1"])


def packages(home):
    """Returns a folder from which the package icechunk can be imported where osgeo is."""
    folder = home / "packages"
    folder.mkdir(exist_ok=True)
    (package,) = PEERS.parent.parent.glob("lib/python*/site-packages/icechunk")
    if not (folder / "icechunk").exists():
        (folder / "icechunk").symlink_to(package)
    return folder


def measured(command, **environment):
    """Runs a program. Returns its seconds and its peak of memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"failed: {command}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def tell(what, **figures):
    print(json.dumps({"what": what, **{name: round(value, 4) for name, value in figures.items()}}), flush=True)


def scans(home, folder, count, peer_count):
    environment = {"PYTHONPATH": str(packages(home))}
    for form in ("json", "parq", "icechunk"):
        seconds, memory = measured([PYTHON, "-B", PROGRAM, home / f"cube.{form}", folder, "--quiet"], **environment)
        tell(f"zarr_cube, local, {form}", files=count, seconds=seconds, MB=memory)
        ours = seconds / count
    with Served(folder, LATENCY) as server:
        names = sorted(path.name for path in folder.glob("*.tif"))
        (home / "list.txt").write_text("\n".join(f"{server.url}/{name}" for name in names))
        # Icechunk drops the port of a URL, and the server here has one.
        command = [PYTHON, "-B", PROGRAM, home / "remote.json", f"@{home / 'list.txt'}", "--quiet", "--jobs", 32]
        seconds, memory = measured(command, **environment)
        requests = len(server.requests())
        tell("zarr_cube, HTTP with 20 ms, json", files=count, seconds=seconds, MB=memory, requests=requests)
    for name, program, target in (("VirtualiZarr with virtual-tiff, local, icechunk", VIRTUALIZARR, "peer.icechunk"),
                                  ("kerchunk, local, json", KERCHUNK, "peer.json")):  # fmt: skip
        seconds, memory = measured([PEERS, "-c", program, folder, home / target, peer_count])
        tell(name, files=peer_count, seconds=seconds, MB=memory, times_of_zarr_cube=seconds / peer_count / ours)


def best(work, rounds=5):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[rounds // 2], result


def series(home, folder, count):
    """Times one pixel through all files, each time with a new dataset."""
    files = [str(path) for path in sorted(folder.glob("*.tif"))]
    gdal.BuildVRT(str(home / "all.vrt"), files, separate=True).FlushCache()
    gdal.SetConfigOption("ZARR_REFERENCE_FOLDERS", str(folder))

    def through_vrt():
        dataset = gdal.Open(str(home / "all.vrt"))
        return [int(dataset.GetRasterBand(i + 1).ReadAsArray(100, 100, 1, 1)[0, 0]) for i in range(count)]

    def opened(name):
        dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
        return dataset, dataset.GetRootGroup().OpenMDArray("data")

    def through_cube(name):
        return opened(name)[1].ReadAsArray([0, 100, 100], [count, 1, 1]).ravel().tolist()

    slow, wanted = best(through_vrt, 1)
    for name in (home / "cube.json", home / "cube.parq", f"ICECHUNK:{home / 'cube.icechunk'}"):
        seconds, found = best(lambda name=name: through_cube(str(name)))
        assert found == wanted, "the series differ"
        opening, _ = best(lambda name=name: opened(str(name)))
        as_raster, _ = best(lambda name=name: gdal.Open(str(name)))
        tell(f"series of a pixel, {str(name).rpartition('.')[2]}", seconds=seconds, VRT=slow, times=slow / seconds, open=opening,
             open_as_raster=as_raster)  # fmt: skip


def kills(home, folder, count):
    """Kills appends at random moments. Each branch must then open, with the old files or also the new one."""
    names = sorted(folder.glob("*.tif"))
    environment = {**os.environ, "PYTHONPATH": str(packages(home))}
    repository, choice, unreadable, held = home / "killed.icechunk", random.Random(1), 0, 1

    def program(path, *more):
        return subprocess.Popen([str(PYTHON), "-B", str(PROGRAM), str(repository), str(path), "--quiet", *more], env=environment)

    assert program(names[0], "--values", f"{names[0].stem[2:6]}-{names[0].stem[6:8]}-{names[0].stem[8:]}").wait() == 0
    start = time.perf_counter()
    assert program(names[1], "--append").wait() == 0
    seconds, held, committed = time.perf_counter() - start, 2, 0
    for _ in range(count):
        process = program(names[held], "--append")
        time.sleep(seconds * (0.3 + 0.8 * choice.random()))
        process.send_signal(signal.SIGKILL)
        process.wait()
        dataset = gdal.Open(f"ICECHUNK:{repository}")
        if dataset is None or dataset.RasterCount not in (held, held + 1) or dataset.ReadAsArray(100, 100, 1, 1) is None:
            unreadable += 1
        elif dataset.RasterCount == held + 1:
            held, committed = held + 1, committed + 1
    tell("killed appends", kills=count, unreadable=unreadable, committed=committed)


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--small", action="store_true", help="run the same code on few files")
    words.add_argument("--files", type=int, default=10_000)
    words.add_argument("--peer-files", type=int, default=1000)
    words.add_argument("--kills", type=int, default=100)
    words.add_argument("--folder", type=pathlib.Path, help="folder of the files, which are made if they are absent")
    options = words.parse_args()
    if options.small:
        options.files, options.peer_files, options.kills = 30, 10, 3
    with tempfile.TemporaryDirectory() as temporary:
        home = pathlib.Path(temporary)
        folder = (options.folder or home / "cogs").resolve()
        make_cogs(folder, options.files)
        scans(home, folder, options.files, options.peer_files)
        series(home, folder, options.files)
        kills(home, folder, options.kills)


if __name__ == "__main__":
    main()
