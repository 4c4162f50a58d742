# SPDX-License-Identifier: MIT
"""A hostile web server sends answers without end. A read takes little memory, and ends with one error that names the
key. The body of an answer to a range ends at the bytes that were asked for."""

import json
import resource

import numpy as np
import pytest
import zarr_formats
import zarr_hostile
from osgeo import gdal
from zarr_faults import ALL as EVERY
from zarr_gdal import error_log
from zarr_http import Served
from zarr_processes import MEASURES, Process
from zarr_store import make_array

pytestmark = zarr_formats.BOTH
MEGA = 1 << 20
WHOLE = np.arange(1024 * 1024, dtype="<u4").reshape(1024, 1024)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zarr_format):
    folder = tmp_path_factory.mktemp("served")
    make_array(folder, WHOLE, "raw.zarr", compressor=None, chunks=(1024, 1024))
    make_array(folder, WHOLE, "packed.zarr", chunks=(512, 1024))
    return folder


def chunk_of(store):
    return f"/{store}/" + ("c/0/0" if zarr_formats.is_v3() else "0.0")


def document_of(store):
    return f"/{store}/" + ("zarr.json" if zarr_formats.is_v3() else ".zarray")


def read_from(folder, rules, store, window):
    """Reads `window` of `store` from a server with `rules`, in a process of its own. Returns its errors, the growth of
    its memory in bytes, and the number of bytes that the server sent."""
    with Served(folder) as server:

        def work(report):
            gdal.SetConfigOption("GDAL_HTTP_MAX_RETRY", "0")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            server.rule(hostile=rules)
            with error_log() as log:
                dataset = gdal.Open(f'ZARR:"{server.url}/{store}"')
                if dataset is not None:
                    dataset.GetRasterBand(1).ReadAsArray(*window)
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            report(json.dumps([log.errors, (most - before) * 1024]))

        errors, memory = json.loads(Process(work).succeed()[-1])
        return errors, memory, server.log()["sent"]


PART, ALL = (3, 700, 5, 1), (0, 0, 1024, 1024)
BODIES = ["range", "chunks", "whole", "stated range", "stated whole", "gzip of a range", "gzip of all", "error",
          "absence"]  # fmt: skip


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_ends_at_the_range_that_was_asked_for(folder, kind):
    """A window of a large chunk without a codec is read by a range of 20 bytes at 2.8 MB."""
    errors, memory, sent = read_from(folder, {chunk_of("raw.zarr"): kind}, "raw.zarr", PART)
    # A server may ignore ranges and send the whole value. It is then read to its end, if the server states where that
    # is, and is one error otherwise. Only the range is kept.
    assert len(errors) == (kind != "stated whole")
    assert all(chunk_of("raw.zarr").removeprefix("/raw.zarr/") in error for error in errors)
    assert not MEASURES or memory < 64 * MEGA
    is_whole = kind in ("whole", "stated whole", "gzip of all", "error", "absence")
    # The wanted bytes, and those that sockets buffer. The end of an unstated length is awaited for 64 MiB.
    assert sent < (400 if is_whole else 32) * MEGA


def some_of(kinds, kind, choices):
    """Returns one of two choices, the other one in the other format; with ZARR_FAULTS=all, both."""
    return choices if EVERY else [choices[(kinds.index(kind) + zarr_formats.is_v3()) % 2]]


@pytest.mark.parametrize("kind", BODIES)
def test_a_whole_chunk_ends_at_its_largest_size(folder, kind):
    for store in some_of(BODIES, kind, ["raw.zarr", "packed.zarr"]):
        whole_chunk_ends(folder, store, kind)


def whole_chunk_ends(folder, store, kind):
    errors, memory, sent = read_from(folder, {chunk_of(store): kind}, store, ALL)
    assert len(errors) == 1
    assert chunk_of(store).removeprefix(f"/{store}/") in errors[0]
    assert not MEASURES or memory < 128 * MEGA
    assert sent < 128 * MEGA


HEADS = ["headers", "header", "interim answers", "redirects"]


@pytest.mark.parametrize("kind", HEADS)
def test_headers_and_redirects_end(folder, kind):
    for place in some_of(HEADS, kind, [chunk_of, document_of]):
        errors, memory, sent = read_from(folder, {place("raw.zarr") + "*": kind}, "raw.zarr", PART)
        assert len(errors) == 1
        assert not MEASURES or memory < 64 * MEGA
        assert sent < 64 * MEGA


def test_every_kind_is_tried():
    tried = {*BODIES, *HEADS}
    assert tried == set(zarr_hostile.KINDS)
