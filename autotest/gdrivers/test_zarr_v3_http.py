# SPDX-License-Identifier: MIT
"""Reads shards from a web server that answers wrongly, or that replaces shards between requests. A read returns
right values, or fails with an error that names the store, the shard and the reason. It never returns wrong
values."""

import os
import re

import numpy as np
import pytest
from zarr3_shards import IN_SHARD, KEY, KINDS, VALUES, make, shard
from zarr_gdal import error_log, open_raster
from zarr_http import Served

FIRST, OTHER = (4, 6), (6, 9)  # (row, column) at which two chunks of the shard begin

class Store:
    """Store on the server, with a new name for each test, because datasets of one URL share cached data. `file`
    is the shard that the test reads."""

    count = 0

    def __init__(self, server, kind):
        Store.count += 1
        self.name = f"{kind}{Store.count}.zarr"
        self.path = f"/{self.name}/{KEY}"
        self.url = f'ZARR:"{server.url}/{self.name}"'
        self.file = make(server.folder / self.name, kind) / KEY

    def open(self):
        return open_raster(self.url)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Yields one server for all tests, because starting a server is slow."""
    folder = tmp_path_factory.mktemp("served")
    with Served(folder) as server:
        server.folder = folder
        yield server


NO_RULES = {"status": {}, "drop": {}, "part": {}, "gzip": None, "no_ranges": False,
            "validators": [], "turns": {}}  # fmt: skip


@pytest.fixture
def server(served):
    served.rule(**NO_RULES)
    return served


@pytest.fixture
def store(server, kind):
    return Store(server, kind)


def read_chunk(dataset, chunk, size=(2, 3)):
    return dataset.ReadAsArray(chunk[1], chunk[0], size[1], size[0])


def in_chunk(values, chunk, size=(2, 3)):
    return values[chunk[0] : chunk[0] + size[0], chunk[1] : chunk[1] + size[1]]


# kind of wrong answer to a range request -> rule that makes the server send this answer
PARTS = {
    "what follows": {"part": {"shift": 2}},
    "what is before": {"part": {"shift": -2}},
    "less": {"part": {"cut": 2}},
    "less of a value that ends there": {"part": {"cut": 2, "says": "bytes {begin}-{last}/{last}"}},
    "other bytes than it says": {"part": {"shift": 2, "says": "bytes {begin}-{last}/{begin}"}},
    "a value that ends before": {"part": {"says": "bytes {begin}-{last}/{begin}"}},
    "no place": {"part": {"says": "bytes */{size}"}},
    "pages": {"part": {"says": "pages {begin}-{last}/{size}"}},
    "a place beyond 2^64": {"part": {"says": "bytes 18446744073709551615-0/{size}"}},
    "a part of the gzip": {"gzip": "within"},
    "a gzip of the part": {"gzip": "part"},
}
WELL = {
    "all": {"no_ranges": True},
    "all as gzip": {"gzip": "all"},
    "no size": {"part": {"says": "bytes {begin}-{last}/*"}},
}
STATUS = [204, 304, 400, 401, 403, 416, 500, 503]


def rule_for(store, what):
    if isinstance(what, int):
        return {"status": {store.path: [what, -1]}}
    return {"drop": {store.path: 5}} if what == "breaks off" else {**PARTS, **WELL}[what]


def outcome(dataset, chunk, size=(2, 3)):
    """Reads one or more chunks. Returns (values, None) or (None, error). An error must name the store, the
    shard and the cause."""
    with error_log() as log:
        got = read_chunk(dataset, chunk, size)
    if got is None:
        error = log.the_error()
        assert dataset.GetDescription().split('"')[1] in error, error
        place = r"((shard of level 1 of )?chunk \[[23], [23]\]: |index: |holds \d+ bytes, )"
        assert re.search(f": {KEY}: {place}.", error), error
        return None, error
    assert log.errors == []
    return got, None


@pytest.mark.parametrize("what", [*PARTS, *WELL, "breaks off", *STATUS])
@pytest.mark.parametrize("when", ["index", "chunk", "chunks"])
def test_wrong_answers_are_errors(server, store, kind, what, when):
    """The server answers a range request for the shard's index, for one chunk or for several chunks. A wrong answer
    makes the read fail with one error. After an unusual but valid answer, the read returns the right values. A later
    read always succeeds."""
    dataset = store.open()
    place, size = ((4, 6), (4, 6)) if when == "chunks" else (OTHER, (2, 3))
    if when != "index":
        np.testing.assert_array_equal(read_chunk(dataset, FIRST), in_chunk(VALUES, FIRST))
    server.rule(**rule_for(store, what))
    got, error = outcome(dataset, place, size)
    if got is not None:
        np.testing.assert_array_equal(got, in_chunk(VALUES, place, size))
    if what in WELL:
        assert error is None
    else:
        assert got is None
    server.rule(**NO_RULES)
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES)


VALIDATORS = {
    "ETag": ["ETag"], "weak ETag": ["W/ETag"], "Last-Modified": ["Last-Modified"], "size": []
}  # fmt: skip


@pytest.mark.parametrize("validator", VALIDATORS)
def test_shard_that_is_replaced_between_index_and_chunk(server, store, kind, validator):
    """After a shard is replaced, its cached index is wrong. The driver must notice this and read the new shard."""
    server.rule(validators=VALIDATORS[validator])
    dataset = store.open()
    np.testing.assert_array_equal(read_chunk(dataset, FIRST), in_chunk(VALUES, FIRST))
    changed = VALUES + 1000
    more = b"" if validator in ("ETag", "Last-Modified") else b"    "
    store.file.write_bytes(shard(changed[IN_SHARD], kind, turned=True, more=more))
    os.utime(store.file, (10**9, 10**9))
    for chunk in (OTHER, (4, 9), (6, 6)):
        np.testing.assert_array_equal(outcome(dataset, chunk)[0], in_chunk(changed, chunk))


@pytest.mark.parametrize("turns", ["onnnn", "nooo", "oonnn", "onon", "ooonn"])
def test_shard_that_is_replaced_while_many_chunks_are_read(server, store, kind, turns):
    """A shard is replaced during a read. Each chunk has the values of the old shard or of the new one. `turns`
    lists which shard the server sends for each request: "o" for old, "n" for new."""
    changed = VALUES + 1000
    store.file.with_name("new").write_bytes(shard(changed[IN_SHARD], kind, turned=True))
    paths = {"o": store.path, "n": store.path.replace("c/1/1", "c/1/new")}
    server.rule(validators=["ETag"], turns={store.path: [paths[turn] for turn in turns] +
                                            [paths[turns[-1]]] * 50})  # fmt: skip
    got = store.open().ReadAsArray(6, 4, 6, 4)
    for i, j in ((0, 0), (0, 3), (2, 0), (2, 3)):
        chunk = (slice(i, i + 2), slice(j, j + 3))
        wanted = [values[IN_SHARD][chunk].tolist() for values in (VALUES, changed)]
        assert got[chunk].tolist() in wanted, (i, j)


def test_shard_that_changes_with_each_request_is_an_error(server, store, kind):
    """If each request returns another version of a shard, reading fails. Several servers behind one address can
    cause this."""
    store.file.with_name("new").write_bytes(shard(VALUES[IN_SHARD] + 1000, kind, turned=True))
    turns = [store.path, store.path.replace("c/1/1", "c/1/new")]
    server.rule(validators=["ETag"], turns={store.path: turns})
    dataset = store.open()
    got, error = outcome(dataset, OTHER)
    assert got is None and "chunk [3, 3]: the shard was replaced repeatedly" in error
    server.rule(**NO_RULES)
    np.testing.assert_array_equal(dataset.ReadAsArray(), VALUES)


@pytest.mark.parametrize("validators", [["ETag"], []], ids=["ETag", "size"])
def test_shard_that_is_deleted_between_index_and_chunk_is_absent(server, store, validators):
    server.rule(validators=validators)
    dataset = store.open()
    np.testing.assert_array_equal(read_chunk(dataset, FIRST), in_chunk(VALUES, FIRST))
    store.file.unlink()
    assert (outcome(dataset, OTHER)[0] == -1).all()


def test_shards_take_no_more_requests(server, store, kind):
    """Reading a shard takes one request for its index and one for all its chunks. Reading the shard a second
    time takes no request. The server sends the headers ETag and Last-Modified."""
    server.rule(validators=["ETag", "Last-Modified"])
    dataset = store.open()
    server.log()
    np.testing.assert_array_equal(dataset.ReadAsArray(6, 4, 6, 4), VALUES[IN_SHARD])
    assert len(server.requests()) == (4 if kind == "nested" else 2)
    again = store.open()
    np.testing.assert_array_equal(again.ReadAsArray(6, 4, 6, 4), VALUES[IN_SHARD])
    assert [path for _, path, *_ in server.requests() if "/c/" in path] == []
