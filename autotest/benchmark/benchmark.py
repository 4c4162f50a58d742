#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures the driver against the lower bound of each task, and against programs that users have.

    autotest/benchmark/run.sh            builds what is needed into build/ and runs this program.
    autotest/benchmark/run.sh --small    runs on small data in seconds: a test, not a measurement.

    /usr/bin/python3 autotest/benchmark/benchmark.py [--small] [--rounds N] [--data FOLDER]
                                                     [--report FOLDER] [TASK ...]

Prints a table with a row for each task, and a column for each contender, a program that does the task.
Times are medians of all rounds in milliseconds; ratios are medians of the rounds' ratios. Fails only if values
differ from zarr-python's. Contenders:

floor     zarr_floor, the lower bound: reads the files, decodes them with the codec library, and copies
          them into touched memory, on all cores and without GDAL;
ours      the driver "Zarr";
builtin   the driver "ZarrBuiltin", in this process, if it can read the array;
tiff      a tiled GeoTIFF or COG of equal values and codec (for blosc: zstd and predictor), read and
          written on all cores;
zarr      zarr-python.

The last columns state the goal of a task: a maximum of ours/floor, or a minimum of another contender's time
/ ours. A "-" precedes a goal that is not reached. Counts, such as numbers of requests, follow the table.

--report writes the table to benchmark.md and its chart to benchmark.svg. TASK is the name of a module in TASKS
below, which has a function measure(setting) that yields Rows and Facts.

GDAL_DRIVER_PATH  folder with the plugin; default <repository>/build/gdalplugins. zarr_floor is in
                  ../bin beside this folder. Arrays (4 GB; 40 MB with --small) are stored in
                  ../benchmark-data, or in the folder of --data
"""

import argparse
import importlib
import os
import pathlib
import sys
import types

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))
# Removes settings of the user that would change the measurement.
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
    "round_trips",
    "cloud",
    "zipped",
    "pyramid",
    "writing",
    "uploading",
    "memory",
    "opening",
    "references",
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
    # GDAL's built-in driver is called "ZarrBuiltin" only if our plugin is loaded.
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
