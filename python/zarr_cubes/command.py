# SPDX-License-Identifier: MIT
"""Command line of zarr_cube: the order of the steps, and its exit code."""

import sys

from osgeo import gdal

from zarr_cubes import check, dataset_join, files, grid, icechunk_repository, join, kerchunk_json, scanning
from zarr_cubes.journal import Journal
from zarr_cubes.model import Refused
from zarr_cubes.options import parser


def main(words):
    options = parser().parse_args(words)
    gdal.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    try:
        return run(options)
    except Refused as why:
        print(files.shown(f"zarr_cube: {why}").replace("\n", " "), file=sys.stderr)
        return 2
    except OSError as why:  # such as a full disk
        print(f"zarr_cube: {options.output}: {why}", file=sys.stderr)
        return 2
    finally:
        gdal.PopErrorHandler()


def form_of(output):
    for ending, form in ((".json", "json"), (".parq", "parquet"), (".parquet", "parquet"), (".icechunk", "icechunk")):
        if output.rstrip("/").endswith(ending):
            return form
    raise Refused(f"{output}: expected a name that ends with .json, .parq or .icechunk")


def run(options):
    form = form_of(options.output)
    if form == "icechunk":
        icechunk_repository.library()
    elif options.append:
        raise Refused("--append adds to an Icechunk repository (x.icechunk)")
    if form == "parquet" or options.check:
        grid.require_driver("--check" if options.check else options.output)
    entries = files.expanded(options.inputs)
    key = {"zarr_cube": 1, "name": options.name, "no_overviews": options.no_overviews, "ignore_masks": options.ignore_masks}
    journal = Journal(options.output, None if options.dry_run else key)
    journal.load()
    sources = scanning.scan(entries, options, journal)
    try:
        return make(form, entries, sources, options)
    finally:
        journal.remove()  # it is for runs that are killed, or that cannot read a file


def make(form, entries, sources, options):
    kinds = {source.is_raster: source for source in sources}
    if len(kinds) == 2:
        raise Refused(f"{kinds[True].name} and {kinds[False].name}: TIFF files and others make no cube together")
    joined = join.join if sources[0].is_raster else dataset_join.join
    cube = joined(sources, listed_of(entries, sources), options)
    summary = [f"{len(sources)} files", *cube.lines]
    if options.dry_run:
        print(files.shown("\n".join([*summary, *(source.name for source in sources), "nothing is written (--dry-run)"])))
        return 0
    write(form, cube, options)
    say(options, cube, summary)
    at = f"ICECHUNK:{options.output}?branch={options.branch}" if form == "icechunk" else options.output
    return check.check(cube, at, options.check) if options.check else 0


def listed_of(entries, sources):
    values = dict(entries)
    return [values[source.name] for source in sources]


def write(form, cube, options):
    if form == "json":
        kerchunk_json.write_json(cube, options.output)
    elif form == "parquet":
        kerchunk_json.write_parquet(cube, options.output)
    elif options.append:
        icechunk_repository.append(cube, options)
    else:
        icechunk_repository.write(cube, options)


def say(options, cube, summary):
    if options.quiet:
        return
    print(files.shown("\n".join(summary)))
    if any(files.shown(source.name) != source.name for source in cube.sources):
        print("the references hold the passwords or signatures of the URLs")
    setting = kerchunk_json.what_to_set(cube.sources, options.output)
    if setting:
        print(f"to read it with GDAL: export {setting}")
