#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures the driver against the least that reading takes, and against GDAL's built-in driver.

    autotest/benchmark/run.sh            builds what is needed into build/ and runs this
    autotest/benchmark/run.sh --small    the same on small arrays, in seconds: a test, no measurement

    /usr/bin/python3 autotest/benchmark/benchmark.py [--small] [--rounds N] [--data FOLDER]

Prints one table. A row is one task; its times are medians in milliseconds, and a ratio is the
median of the ratios within each round, in which all take turns. No time is too long for it; but
where the values that are read differ from zarr-python's, it fails.

floor     zarr_floor: reads the same files, decodes them with the bare codec library and copies them
          to their place in memory that is there, on all cores; without GDAL
ours      the driver "Zarr"
builtin   the driver "ZarrBuiltin", in the same process

GDAL_DRIVER_PATH  folder with the plugin; default <repository>/build/gdalplugins. zarr_floor is
                  taken from ../bin beside it, and the data (1 GB; 10 MB with --small) is kept in
                  ../benchmark-data unless --data says otherwise

More tasks: write a module with a function measure(setting) that yields rows as full_band.py does,
and add it to TASKS.
"""

import argparse
import os
import pathlib
import statistics
import sys
import types

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))
# Nothing of a user's set-up may change what is measured.
for variable in ("GDAL_NUM_THREADS", "GDAL_CACHEMAX", "GDAL_SKIP", "CPL_DEBUG"):
    os.environ.pop(variable, None)
os.environ["GDAL_PAM_ENABLED"] = "NO"

import full_band  # noqa: E402  (GDAL must find the plugin when it is imported)
import samples  # noqa: E402
from measuring import BUILTIN, median_ratio  # noqa: E402
from osgeo import gdal  # noqa: E402

TASKS = (full_band,)


def parse_arguments(build_folder):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--small", "--smoke", action="store_true", help="small arrays and few rounds: a test"
    )
    parser.add_argument("--rounds", type=int, help="default 15, with --small 3")
    parser.add_argument("--data", default=str(build_folder / "benchmark-data"))
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 3 if arguments.small else 15
    if arguments.rounds < 1:
        parser.error("--rounds: expected 1 or more")
    return arguments


def print_header():
    print(f"{'milliseconds':<28}{'floor':>9}{'ours':>9}{'builtin':>9}", end="")
    print(f"{'ours/floor':>12}{'builtin/ours':>14}")


def print_row(title, seconds):
    print(f"{title:<28}", end="")
    for name in ("floor", "ours", "builtin"):
        print(f"{1000 * statistics.median(seconds[name]):9.1f}", end="")
    print(f"{median_ratio(seconds['ours'], seconds['floor']):12.2f}", end="")
    print(f"{median_ratio(seconds['builtin'], seconds['ours']):14.2f}", flush=True)


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

    size, chunk = (1000, 256) if arguments.small else (8192, 512)
    setting = types.SimpleNamespace(
        floor=str(floor),
        rounds=arguments.rounds,
        terrain=samples.terrain_samples(arguments.data, size, chunk),
    )
    print(
        f"GDAL {gdal.__version__}, {len(os.sched_getaffinity(0))} cores, {arguments.rounds} rounds;"
        f" terrain {size} x {size} float32 in chunks of {chunk} x {chunk}"
    )
    print_header()
    for task in TASKS:
        for title, seconds in task.measure(setting):
            print_row(title, seconds)
    if arguments.small:
        print("small arrays: the values agree, the times mean nothing")


if __name__ == "__main__":
    main()
