# SPDX-License-Identifier: MIT
"""Command line of zarr_check: the order of the checks, and its exit code."""

import re
import sys

from osgeo import gdal

from zarr_checks import conventions, layout, opening, rasters
from zarr_checks.messages import Messages
from zarr_checks.options import MOST_CHUNKS_READ, MOST_REQUESTS, parser
from zarr_checks.report import Report
from zarr_checks.shown import shown
from zarr_checks.store import Store


def check(store, report, max_requests=MOST_REQUESTS, max_chunks=MOST_CHUNKS_READ, http=True):
    report.facts["arrays"] = {}
    driver = gdal.GetDriverByName("Zarr")
    if driver is None or driver.GetMetadataItem("DRIVER_VERSION") is None:
        report.warning("driver-missing", "", "GDAL has not loaded this driver: findings are those of GDAL's own",
                       "install the plugin, or set GDAL_DRIVER_PATH to its folder")
    ask = Asking(report)
    ask("", layout.check_documents, store, report)
    largest_of, absent = ask("", rasters.levels_of, store) or ({}, [])
    ask("", rasters.check_levels, store, absent, report)
    helpers = ask("", rasters.helpers_of, store) or ()
    rasters_of_store = []
    for node in store.nodes.values():
        ask(node.path, conventions.check_conventions, store, node, report)
        if node.is_array and ask(node.path, check_array, store, node, report, largest_of, helpers):
            rasters_of_store.append(node)
    def remedy_of(node):
        return rasters.Remedy(store, rasters.base_of(store, node, largest_of))

    ask("", layout.check_empty_chunks, store, report, remedy_of, max_chunks)
    if http and store.is_local and rasters_of_store:
        # A store with several rasters opens as a list of subdatasets, which reads no raster. The check
        # therefore opens the first raster by its name.
        with Messages():
            dataset = gdal.OpenEx(store.name, gdal.OF_RASTER, allowed_drivers=["Zarr"])
        is_one = dataset is not None and dataset.RasterCount > 0
        node = (is_one and store.nodes.get("")) or rasters_of_store[0]
        ask(node.path, opening.check_opening, store, node, report, max_requests)


class Asking:
    """Calls checks. A check that a document of wrong types or sizes makes fail becomes a finding, so that the other
    checks still run."""

    def __init__(self, report):
        self.report = report

    def __call__(self, path, function, *arguments):
        try:
            return function(*arguments)
        except Exception as why:  # documents of strangers may have anything anywhere
            what = function.__name__.replace("_", " ")
            text = f"{type(why).__name__}: {why}"
            self.report.error("document-invalid", path, f"a member has a wrong type or size ({what}: {text[:200]})",
                              "restore the document from a copy, or write the store again")  # fmt: skip
            return None


def check_array(store, node, report, largest_of, helpers):
    """Checks an array. Returns True if it is a raster that is no level or mask of another one."""
    layout.check_chunks(node, report, rasters.Remedy(store, rasters.base_of(store, node, largest_of)))
    if len(node.shape) < 2 or node.path in helpers:
        return False
    report.facts["arrays"]["/" + node.path] = layout.facts_of(node)
    rasters.check_crs(store, node, report)
    if rasters.is_level(node.path, largest_of):
        return False
    rasters.check_raster(store, node, report)
    return True


def main(words):
    options = parser().parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # for terminals that are not UTF-8
    gdal.DontUseExceptions()
    try:
        return run(options)
    except Exception as why:
        print(shown(f"zarr_check: {options.store}: the check failed: {type(why).__name__}: {why}"), file=sys.stderr)
        return 4


def run(options):
    name = re.fullmatch(r'ZARR:"?([^"]+)"?', options.store)
    with Messages():
        store = Store(name[1] if name else options.store)
    if not store.is_readable:
        failure = store.failure()
        if failure is not None:
            print(shown(f"zarr_check: {failure}"), file=sys.stderr)
            return 4
        print(shown(f"zarr_check: {options.store}: no Zarr store: zarr.json, .zgroup, .zarray and .zmetadata are "
                    "absent"), file=sys.stderr)  # fmt: skip
        return 3
    report = Report(options.store)
    with Messages():
        check(store, report, options.max_requests, options.max_chunks, not options.no_http)
    if options.quiet:
        report.findings = [found for found in report.findings if found.severity != "note"]
        report.facts = {}
    if options.json:
        print(report.as_json())
    elif not options.quiet or report.findings:
        print(report.as_text())
    return report.exit_code(options.strict)
