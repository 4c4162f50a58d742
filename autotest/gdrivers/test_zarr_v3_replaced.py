# SPDX-License-Identifier: MIT
"""Another program replaces shards on disk or in an object store during reads. Each chunk that is read has the
values of the old shard or of the new shard. test_zarr_v3_http.py replaces shards on a web server."""

import os
import random
import time

import numpy as np
import pytest
from osgeo import gdal
from zarr3_shards import IN_SHARD, KEY, KINDS, VALUES, make, shard
from zarr_gdal import error_log, open_raster
from zarr_processes import Process
from zarr_s3 import S3

SEED = os.environ["ZARR_TEST_SEED"]
CHUNKS = [(4, 6), (4, 9), (6, 6), (6, 9)]  # first element of each chunk of the shard
REPLACED = 3000  # number of replacements of the shard

pytestmark = pytest.mark.parametrize("kind", KINDS)


def read_chunk(dataset, chunk):
    return dataset.ReadAsArray(chunk[1], chunk[0], 3, 2)


def in_chunk(values, chunk):
    return values[chunk[0] : chunk[0] + 2, chunk[1] : chunk[1] + 3]


def replace(file, data, times=None):
    """Replaces a file by a new file, as most writers do: writes under another name, then renames. `times` are
    the access and modification times in nanoseconds."""
    beside = file.with_name("beside")
    beside.write_bytes(data)
    if times is not None:
        os.utime(beside, ns=times)
    beside.replace(file)


def test_a_file_of_the_same_size_and_time(tmp_path, kind):
    """A read after a replacement returns the new shard, even if old and new shard have the same size and
    modification time. cp -p and rsync cause this."""
    file = make(tmp_path / "x.zarr", kind) / KEY
    times = (10**18, 10**18)
    os.utime(file, ns=times)
    dataset = open_raster(tmp_path / "x.zarr")
    np.testing.assert_array_equal(read_chunk(dataset, CHUNKS[0]), in_chunk(VALUES, CHUNKS[0]))
    size = file.stat().st_size
    changed = VALUES + 1000
    replace(file, shard(changed[IN_SHARD], kind, turned=True), times)
    assert file.stat().st_size == size and file.stat().st_mtime_ns == times[0]
    with error_log() as log:
        for chunk in CHUNKS[1:]:
            np.testing.assert_array_equal(read_chunk(dataset, chunk), in_chunk(changed, chunk))
    log.assert_quiet()


def keep_replacing(report, file, kind):
    for i in range(REPLACED):
        replace(file, shard(VALUES[IN_SHARD] + 1000 * (i % 30), kind, turned=bool(i % 2)))
    report("done")


@pytest.mark.slow
def test_a_file_that_is_replaced_all_the_time(tmp_path, kind):
    store = tmp_path / "x.zarr"
    file = make(store, kind) / KEY
    choose = random.Random(f"{SEED} {kind}")
    writer = Process(keep_replacing, file, kind)
    read = failed = 0
    end = time.monotonic() + 60
    is_done = False
    try:
        while not is_done and time.monotonic() < end:
            ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
            is_done = os.waitid(os.P_PID, writer.pid, ended) is not None
            dataset = open_raster(store)
            for _ in range(choose.randint(1, 5)):
                whole = choose.random() < 0.3
                with error_log() as log:
                    got = dataset.ReadAsArray() if whole else read_chunk(dataset, CHUNKS[read % 4])
                if got is None:
                    assert "replaced repeatedly" in log.the_error(), log.events
                    failed += 1
                    continue
                read += 1
                for chunk in CHUNKS if whole else [CHUNKS[(read - 1) % 4]]:
                    values = in_chunk(got, chunk) if whole else got
                    more = np.unique(values - in_chunk(VALUES, chunk))
                    assert len(more) == 1 and more[0] % 1000 == 0, (SEED, kind, chunk, values)
    finally:
        assert writer.finish() == ["done"]
    assert read > 100 and failed < read / 2, (read, failed)
    assert is_done
    last = VALUES[IN_SHARD] + 1000 * ((REPLACED - 1) % 30)
    np.testing.assert_array_equal(open_raster(store).ReadAsArray()[IN_SHARD], last)


@pytest.mark.slow
def test_an_object(tmp_path, tmp_path_factory, kind):
    make(tmp_path / "x.zarr", kind)
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        server.upload(tmp_path / "x.zarr", "x.zarr")
        dataset = open_raster('ZARR:"s3://demo/x.zarr"')
        np.testing.assert_array_equal(read_chunk(dataset, CHUNKS[0]), in_chunk(VALUES, CHUNKS[0]))
        changed = VALUES + 1000
        (tmp_path / "new" / KEY).parent.mkdir(parents=True)
        (tmp_path / "new" / KEY).write_bytes(shard(changed[IN_SHARD], kind, turned=True))
        server.upload(tmp_path / "new", "x.zarr")
        with error_log() as log:
            for chunk in CHUNKS[1:]:
                np.testing.assert_array_equal(read_chunk(dataset, chunk), in_chunk(changed, chunk))
        log.assert_quiet()
        del dataset
        gdal.VSICurlClearCache()
