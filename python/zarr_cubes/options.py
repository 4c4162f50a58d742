# SPDX-License-Identifier: MIT
"""Options of zarr_cube. This module needs no GDAL, so that `zarr_cube --help` works without it."""

import argparse
import sys

EXIT = """exit code: 0 done; 1 --check found a difference; 2 files that cannot be joined or read; 3 wrong options"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(3, f"{self.prog}: {message}\n")


def parser():
    words = Parser(prog="zarr_cube", epilog=EXIT, description="Makes one cube of many files: a virtual Zarr store with "
                   "references to their chunks. No pixels are copied.")  # fmt: skip
    add = words.add_argument
    add("output", help="x.json (Kerchunk's references), x.parq (Parquet), or x.icechunk (an Icechunk repository)")
    add("inputs", nargs="+", metavar="input", help="files, folders, patterns in quotes, lists (@list.txt: a name, or a "
        "name, a tab and a value, on each line), s3://, gs://, az:// and https://")  # fmt: skip
    add("--join", metavar="HOW", help="time (default), band, mosaic, or time,mosaic")
    add("--dim", default="time", metavar="NAME", help="name of the dimension that --join time makes (default %(default)s)")
    add("--values", metavar="VALUES", help="values along it: FILENAME:%%Y%%m%%d takes times from names; or a,b,c. By default "
        "those of a list, else times in names, else TIFFTAG_DATETIME")  # fmt: skip
    add("--name", default="data", help="name of the array (default %(default)s)")
    add("--no-overviews", action="store_true", help="leave overviews out")
    add("--ignore-masks", action="store_true", help="leave masks out")
    add("--dry-run", action="store_true", help="read the headers, say what would be joined, and write nothing")
    add("--check", type=int, default=0, metavar="N", help="read N random blocks through the driver and from the files, and compare")
    add("--jobs", type=int, default=16, metavar="N", help="files that are read at a time (default %(default)s)")
    add("--quiet", action="store_true", help="no progress bar and no summary")
    add("--append", action="store_true", help="add the files along time to the cube of an Icechunk repository, as one commit")
    add("--branch", default="main", help="branch of the Icechunk repository (default %(default)s); a new one begins at main")
    add("--tag", help="name the commit with a tag")
    add("--message", help="message of the commit")
    return words
