# SPDX-License-Identifier: MIT
"""Processes that change one store in an object store exclude each other by a lock object, if the server has
conditional requests."""

import socket
import time

import pytest
import zarr_formats
from osgeo import gdal
from test_zarr_append_together import APPEND, append, copy, days_of
from zarr_gdal import array_name, config_options, error_log
from zarr_object_server import DENIED, INTERNAL, SLOW_DOWN, ObjectServer
from zarr_processes import SECONDS, Process, run_at_once

pytestmark = zarr_formats.FORMS
STORE = "/vsis3/demo/a.zarr"
LOCK = "a.zarr.lock"
FOREIGN = b"elsewhere\nanother machine\n4711\n12345\n1-0\n"
CANNOT = "REQUIRE_LOCK: the store cannot be locked against other processes: "
PATIENT = {"ZARR_LOCK_TIMEOUT": "100000"}


@pytest.fixture(name="server")
def fixture_server():
    with ObjectServer(conditional=True) as server:
        yield make(server)


@pytest.fixture(name="plain_server")
def fixture_plain_server():
    with ObjectServer() as server:
        yield make(server)


def make(server):
    """Writes a store of one day. Asserts that a new store takes no lock."""
    copy(STORE, 1, "BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01", *zarr_formats.block_options(16, 16))
    assert not [key for _, key in server.requests() if key == LOCK]
    return server


def fails_to_append(*options, day=2):
    with pytest.raises(RuntimeError) as error:
        copy(STORE, day, *APPEND, f"APPEND_DIM_VALUES=2024-05-{day:02}", *options)
    return str(error.value)


def append_day(day, *options):
    append(lambda _: None, STORE, day, *options)


def lock_requests(server):
    return [kind for kind, key in server.requests() if key == LOCK]


def changes(server):
    return [key for kind, key in server.requests() if kind in ("PUT", "DELETE", "POST") and key != LOCK]


def leave_lock(server, text, age=0):
    server.objects[LOCK] = text
    server.times[LOCK] = time.time() - age


def wait_until(is_true):
    deadline = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start_append_without_end(server):
    """Starts a process that holds the lock until the server answers other PUT requests normally."""
    server.fail(SLOW_DOWN, kind="PUT", key="a.zarr/")
    with config_options(GDAL_HTTP_MAX_RETRY="1000000"):
        process = Process(append, STORE, 2)
    wait_until(lambda: LOCK in server.objects)
    return process


@pytest.mark.parametrize("writers", [2, 4])
@pytest.mark.slow
def test_appends_at_once_lose_nothing(server, writers):
    days = list(range(2, 2 + writers))
    with config_options(**PATIENT):
        run_at_once([(append, STORE, day) for day in days])
    gdal.VSICurlClearCache()
    assert sorted(days_of(STORE)) == [1, *days]
    assert LOCK not in server.objects


def test_a_change_takes_the_lock_and_removes_it(server):
    append_day(2)
    assert lock_requests(server) == ["PUT", "PUT", "DELETE"]  # the second one asks whether conditions count
    append_day(3)
    assert lock_requests(server) == ["PUT", "DELETE"]
    assert sorted(server.objects) == sorted(f"a.zarr/{key}" for key in server.keys("a.zarr"))


def test_update_mode_and_overviews_take_the_lock(server):
    dataset = gdal.OpenEx(array_name(STORE, "a"), gdal.OF_UPDATE)
    dataset.SetMetadataItem("title", "T")
    dataset = None
    assert lock_requests(server)[:1] == ["PUT"]
    dataset = gdal.OpenEx(array_name(STORE, "a"), gdal.OF_UPDATE)
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    assert lock_requests(server)[:1] == ["PUT"]
    assert LOCK not in server.objects
    assert gdal.OpenEx(array_name(STORE, "a")).GetMetadataItem("title") == "T"


def test_two_datasets_that_are_open_for_update_lose_nothing(server):
    datasets = [gdal.OpenEx(array_name(STORE, "a"), gdal.OF_UPDATE) for _ in range(2)]
    for number, dataset in enumerate(datasets):
        dataset.SetMetadataItem(f"item_{number}", "kept")
    del dataset
    datasets.clear()
    metadata = gdal.OpenEx(array_name(STORE, "a")).GetMetadata()
    assert metadata["item_0"] == metadata["item_1"] == "kept"
    assert LOCK not in server.objects


def test_a_failed_append_removes_the_lock(server):
    fails_to_append("ARRAY_NAME=absent")
    assert LOCK not in server.objects
    server.fail(DENIED, kind="PUT", key="a.zarr/")
    fails_to_append()
    assert LOCK not in server.objects
    server.normal()
    append_day(2)
    assert days_of(STORE) == [1, 2]


def test_the_message_names_the_holder(server):
    leave_lock(server, FOREIGN)
    message = fails_to_append("LOCK_TIMEOUT=0.01")
    holder = f"process 4711 on host elsewhere, {STORE}.lock"
    assert f"another writer is changing the store ({holder}); waited 0.01 s" in message
    assert server.objects[LOCK] == FOREIGN
    assert not changes(server)
    with config_options(ZARR_LOCK_TIMEOUT="0.01"), error_log() as log:
        dataset = gdal.OpenEx(array_name(STORE, "a"), gdal.OF_UPDATE)
        dataset.SetMetadataItem("title", "T")
        dataset = None
    assert "process 4711 on host elsewhere" in str(log.errors)
    assert not changes(server)


def test_a_waiting_writer_goes_on_when_the_lock_is_removed(server):
    leave_lock(server, FOREIGN)
    with config_options(**PATIENT):
        process = Process(append, STORE, 2)
        wait_until(lambda: ("GET", LOCK) in server.log)
        assert days_of(STORE) == [1]
        del server.objects[LOCK]
        process.succeed()
    gdal.VSICurlClearCache()
    assert days_of(STORE) == [1, 2]


def test_an_old_lock_is_taken_over(server):
    leave_lock(server, FOREIGN, age=3600)
    append_day(2, "LOCK_TIMEOUT=0")
    assert days_of(STORE) == [1, 2]
    assert LOCK not in server.objects


def test_the_lock_of_a_killed_process_is_taken_over(server):
    process = start_append_without_end(server)
    process.kill()
    server.normal()
    assert str(process.pid).encode() in server.objects[LOCK]
    append_day(3, "LOCK_TIMEOUT=0")
    assert days_of(STORE) == [1, 3]
    assert LOCK not in server.objects


def test_the_lock_of_another_process_of_this_machine_is_kept(server):
    process = start_append_without_end(server)
    message = fails_to_append("LOCK_TIMEOUT=0.01", day=3)
    assert f"process {process.pid} on host {socket.gethostname()}" in message
    server.normal()
    process.succeed()
    gdal.VSICurlClearCache()
    assert days_of(STORE) == [1, 2]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("fault", ["lost", "reset", INTERNAL])
def test_one_failed_request_for_the_lock_is_repeated(server, number, fault):
    server.fail(fault, key=LOCK, times=1, after=number)
    append_day(2, "LOCK_TIMEOUT=0")
    server.normal()
    assert days_of(STORE) == [1, 2]
    assert LOCK not in server.objects


def test_a_server_that_fails_changes_nothing(server):
    server.fail(INTERNAL, kind="PUT", key=LOCK)
    assert "the lock object cannot be written" in fails_to_append()
    assert not changes(server)


def test_a_lock_object_that_may_not_be_written(server):
    server.fail(DENIED, kind="PUT", key=LOCK)
    message = fails_to_append("REQUIRE_LOCK=YES")
    assert CANNOT + "the lock object cannot be written" in message
    assert "403 AccessDenied" in message
    assert not changes(server)
    server.fail(DENIED, kind="PUT", key=LOCK)
    append_day(2)
    assert days_of(STORE) == [1, 2]


def test_requests_that_gdal_cannot_sign(server):
    with config_options(AWS_REQUEST_PAYER="requester"):
        assert CANNOT + f"GDAL cannot sign a request for {STORE}.lock" in fails_to_append("REQUIRE_LOCK=YES")
        assert not changes(server)
        append_day(2)
    assert days_of(STORE) == [1, 2]


def test_a_server_without_conditions(plain_server):
    append_day(2)
    assert lock_requests(plain_server) == ["PUT", "PUT", "DELETE"]
    append_day(3)
    assert not lock_requests(plain_server)
    assert days_of(STORE) == [1, 2, 3]
    plain_server.requests()
    for message in (fails_to_append("REQUIRE_LOCK=YES", day=4), fails_to_append_by_configuration()):
        assert CANNOT + "the server has no conditional requests" in message
    assert not changes(plain_server)
    assert LOCK not in plain_server.objects


def fails_to_append_by_configuration():
    with config_options(ZARR_REQUIRE_LOCK="YES"):
        return fails_to_append(day=4)


def test_opening_for_update_requires_the_lock(plain_server):
    with error_log() as log:
        assert gdal.OpenEx(array_name(STORE, "a"), gdal.OF_UPDATE, open_options=["REQUIRE_LOCK=YES"]) is None
        flags = gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE
        assert gdal.OpenEx(STORE, flags, open_options=["REQUIRE_LOCK=YES"]) is None
        driver = gdal.GetDriverByName("Zarr")
        assert driver.CreateMultiDimensional(array_name(STORE, "g"), options=["REQUIRE_LOCK=YES"]) is None
    assert str(log.errors).count(CANNOT) == 3
    assert not changes(plain_server)
    assert gdal.OpenEx(array_name(STORE, "a"), open_options=["REQUIRE_LOCK=YES"]) is not None


def test_a_required_lock_that_exists(server, tmp_path):
    append_day(2, "REQUIRE_LOCK=YES")
    for store in (str(tmp_path / "a.zarr"), "/vsimem/lock/a.zarr"):
        copy(store, 1, "BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01", "REQUIRE_LOCK=YES")
        append(lambda _: None, store, 2, "REQUIRE_LOCK=YES")
        assert days_of(store) == [1, 2]
    gdal.RmdirRecursive("/vsimem/lock")
    copy("/vsis3/demo/new.zarr", 1, "REQUIRE_LOCK=YES")  # a new store has no lock
    assert LOCK not in server.objects
    assert days_of(STORE) == [1, 2]
