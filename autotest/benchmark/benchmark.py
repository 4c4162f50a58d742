#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures the driver against the least that a task takes, and against what else users have.

    autotest/benchmark/run.sh            builds what is needed into build/ and runs this
    autotest/benchmark/run.sh --small    the same on small data, in seconds: a test, no measurement

    /usr/bin/python3 autotest/benchmark/benchmark.py [--small] [--rounds N] [--data FOLDER]
                                                     [--report FOLDER] [TASK ...]

Prints one table. A row is one task; its times are medians in milliseconds, and a ratio is the
median of the ratios within each round, in which all take turns. No time is too long for it; but
where the values that are read differ from zarr-python's, it fails.

floor     zarr_floor: reads the same files, decodes them with the bare codec library and copies them
          to their place in memory that is there, on all cores; without GDAL
ours      the driver "Zarr"
builtin   the driver "ZarrBuiltin", in the same process, where it reads the sample
tiff      a tiled GeoTIFF or COG of the same data, with the same codec (blosc: zstd and predictor),
          read and written on all cores
zarr      zarr-python

The last columns say what a row is to reach: at most so many times the floor, or the time of another
divided by so many; "-" in front where it does not. Below the table stands what was counted.

--report writes benchmark.md and benchmark.svg: the table and a chart of it. TASK is a module's name
from TASKS below; more tasks: write one with a function measure(setting) that yields Rows and Facts.

GDAL_DRIVER_PATH  folder with the plugin; default <repository>/build/gdalplugins. zarr_floor is
                  taken from ../bin beside it, and the data (4 GB; 40 MB with --small) is kept in
                  ../benchmark-data unless --data says otherwise
"""

import argparse
import importlib
import os
import pathlib
import sys
import types

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))
# Nothing of a user's set-up may change what is measured.
for variable in ("GDAL_NUM_THREADS", "GDAL_CACHEMAX", "GDAL_SKIP", "CPL_DEBUG"):
    os.environ.pop(variable, None)
os.environ["GDAL_PAM_ENABLED"] = "NO"

import report  # noqa: E402  (GDAL must find the plugin when it is imported)
import samples  # noqa: E402
from measuring import BUILTIN  # noqa: E402
from osgeo import gdal  # noqa: E402

TASKS = (
    "full_band",
    "one_chunk",
    "windows",
    "cube",
    "small_reads",
    "version_3",
    "remote",
    "afar",
    "zipped",
    "pyramid",
    "writing",
    "uploading",
    "memory",
    "opening",
)


def parse_arguments(build_folder):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--small", "--smoke", action="store_true", help="small data and few rounds: a test"
    )
    parser.add_argument("--rounds", type=int, help="default 15, with --small 3")
    parser.add_argument("--data", default=str(build_folder / "benchmark-data"))
    parser.add_argument("--report", type=pathlib.Path, help="folder for benchmark.md and .svg")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="default all: " + " ".join(TASKS))
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 3 if arguments.small else 15
    if arguments.rounds < 1:
        parser.error("--rounds: expected 1 or more")
    for name in arguments.tasks:
        if name not in TASKS:
            parser.error(f"no task {name}")
    return arguments


def make_setting(arguments, floor):
    small, data = arguments.small, arguments.data
    terrain = samples.terrain_samples(data, *((1000, 256) if small else (8192, 512)))
    return types.SimpleNamespace(
        floor=str(floor),
        rounds=arguments.rounds,
        small=small,
        data=data,
        terrain=terrain,
        terrain_of={each.label: each for each in terrain},
        scene=samples.scene_sample(data, *((1000, 256) if small else (8192, 1024))),
        cube=samples.cube_sample(
            data,
            *(((24, 36, 72), (6, 9, 18)) if small else ((240, 360, 720), (60, 90, 180))),
        ),
    )


def main():
    plugins = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]).resolve()
    arguments = parse_arguments(plugins.parent)
    gdal.UseExceptions()
    floor = plugins.parent / "bin" / "zarr_floor"
    # Our driver renames the one built into GDAL, so this name proves that ours was loaded.
    if gdal.GetDriverByName(BUILTIN) is None:
        sys.exit(f"cannot measure: no plugin of ours in {plugins}")
    if not os.access(floor, os.X_OK):
        sys.exit(f"cannot measure: {floor} is not there; configure with ZARR_BUILD_BENCHMARKS=ON")
    setting = make_setting(arguments, floor)
    print(report.machine(arguments.rounds))
    table = report.Table()
    for name in arguments.tasks or TASKS:
        for result in importlib.import_module(name).measure(setting):
            table.add(result)
    table.finish()
    if arguments.small:
        print("small data: the values agree, the times mean nothing")
    if arguments.report:
        table.write(arguments.report, arguments.rounds)


if __name__ == "__main__":
    main()
