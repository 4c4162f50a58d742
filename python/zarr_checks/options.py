# SPDX-License-Identifier: MIT
"""Options of zarr_check. This module needs no GDAL, so that `zarr_check --help` works without it."""

import argparse
import sys

from zarr_checks.shown import shown

MOST_REQUESTS = 6  # requests above which opening a remote store is noticeably slow
MOST_CHUNKS_READ = 256

EXIT = """exit code: 0 valid, or warnings without --strict; 1 warnings with --strict; 2 errors;
3 no store, or wrong options; 4 the check itself failed"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(3, shown(f"{self.prog}: {message}") + "\n")


def parser():
    words = Parser(prog="zarr_check", description="Checks a Zarr store: documents, chunks and shards, consolidated "
                   "metadata, overviews, conventions, CRS, nodata, empty chunks, and the requests of a cold open. "
                   "Says what to type to mend each finding.", epilog=EXIT)  # fmt: skip
    words.add_argument("store", help="a folder, a zip file, a URL (https://, s3://, gs://, az://) or a /vsi path")
    words.add_argument("--json", action="store_true", help="print one JSON object")
    words.add_argument("--strict", action="store_true", help="exit with 1 if there are warnings")
    words.add_argument("--quiet", action="store_true", help="print nothing but findings that are no notes")
    words.add_argument("--no-http", action="store_true", help="do not count the requests of a cold open")
    words.add_argument("--max-requests", type=int, default=MOST_REQUESTS, metavar="N",
                       help="requests that a cold open may take (default %(default)s)")  # fmt: skip
    words.add_argument("--max-chunks", type=int, default=MOST_CHUNKS_READ, metavar="N",
                       help="stored chunks of an array to read in search of empty ones (default %(default)s)")  # fmt: skip
    return words
