# SPDX-License-Identifier: MIT
"""Runs gdalmanage on stores in an object store. gdalmanage runs in a new process, so no cached data can hide an
error."""

import concurrent.futures
import subprocess
import urllib.request

import numpy as np
import pytest
import zarr_formats
from zarr_s3 import S3
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
VALUES = np.arange(1, 25, dtype="<i4").reshape(4, 6)


@pytest.fixture(scope="module")
def server(zarr_format, tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        yield server


def gdalmanage(s3, *words):
    done = subprocess.run(
        ["gdalmanage", *words],
        env=s3.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done


@pytest.fixture
def managed(server, tmp_path):
    """Uploads a store m.zarr with groups, nested chunk keys and sidecar files. Also uploads an object of another store,
    whose name begins with m.zarr. Returns the keys of m.zarr."""
    arrays = {"a": {"values": VALUES, "dims": "yx", "chunks": (2, 3)},
              "g/b": {"values": VALUES, "dims": "yx", "dimension_separator": "/"}}  # fmt: skip
    server.upload(make_store(tmp_path, arrays, consolidated=True), "m.zarr")
    server.put("m.zarr.aux.xml", b"<PAMDataset/>")
    server.put("m.zarr@g.b.ovr", b"an overview of a subdataset")
    server.put("m.zarr2/precious", b"of others")
    keys = server.keys_of("m.zarr/")
    assert "g/b/0/0" in keys
    return keys


@pytest.mark.slow
def test_gdalmanage_deletes_a_store(server, managed):
    gdalmanage(server, "delete", "/vsis3/demo/m.zarr")
    assert server.keys_of("m.zarr") == ["2/precious"]


@pytest.mark.slow
def test_gdalmanage_copies_a_store(server, managed):
    gdalmanage(server, "copy", "/vsis3/demo/m.zarr", "/vsis3/demo/n.zarr")
    assert server.keys_of("n.zarr/") == managed == server.keys_of("m.zarr/")
    assert server.keys_of("n.zarr.") == server.keys_of("m.zarr.") == ["aux.xml"]
    assert server.keys_of("n.zarr@") == server.keys_of("m.zarr@") == ["g.b.ovr"]
    gdalmanage(server, "delete", "/vsis3/demo/n.zarr")
    assert server.keys_of("n.zarr") == []


@pytest.mark.slow
def test_gdalmanage_renames_a_store(server, managed):
    gdalmanage(server, "rename", "/vsis3/demo/m.zarr", "/vsis3/demo/o.zarr")
    assert server.keys_of("o.zarr/") == managed
    assert server.keys_of("m.zarr") == ["2/precious"] and server.keys_of("o.zarr.") == ["aux.xml"]
    assert server.keys_of("o.zarr@") == ["g.b.ovr"]
    gdalmanage(server, "delete", "/vsis3/demo/o.zarr")
    assert server.keys_of("o.zarr") == []


def test_the_server_deletes_concurrently(server, tmp_path):
    """The test server deletes objects of one folder concurrently. s3rver alone would answer 404 to some of these
    requests."""
    for number in range(8):
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "a" / str(number)).write_bytes(b"x")

    def delete(number):
        address = f"{server.front.url}/demo/m.zarr/a/{number}"
        with urllib.request.urlopen(urllib.request.Request(address, method="DELETE")) as answer:
            return answer.status

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        for _ in range(20):
            server.upload(tmp_path, "m.zarr")
            assert set(threads.map(delete, range(8))) == {204}
    assert server.keys_of("m.zarr/") == []
