# SPDX-License-Identifier: MIT
"""Reads stores on a web server: few requests, few round trips, and no byte is read twice."""

import base64
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import config_options, error_log, open_raster
from zarr_http import Served

SIDE, SHARD, CHUNK = 512, 128, 32
BANDS = 40
RNG = np.random.default_rng(24)
SCENE = RNG.integers(0, 60000, (SIDE, SIDE), "u2")
CUBE = RNG.integers(0, 255, (BANDS, 40, 60), "u1")


def write(path, data, *options):
    """Writes `data`, with two or three dimensions, as a store with one array. Uses CreateCopy() of the driver."""
    data = data if data.ndim == 3 else data[None]
    kind = gdal.GDT_Byte if data.dtype == np.uint8 else gdal.GDT_UInt16
    memory = gdal.GetDriverByName("MEM").Create("", data.shape[2], data.shape[1], len(data), kind)
    for i, band in enumerate(data):
        memory.GetRasterBand(i + 1).WriteArray(band)
    assert gdal.GetDriverByName("Zarr").CreateCopy(str(path), memory, options=list(options))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote_requests")
    shards = [f"BLOCKXSIZE={SHARD}", f"BLOCKYSIZE={SHARD}", f"SHARD_CHUNK_SHAPE={CHUNK},{CHUNK}"]
    write(folder / "scene.zarr", SCENE, "FORMAT=ZARR_V3", "COMPRESS=ZSTD", *shards)
    for form in ("ZARR_V2", "ZARR_V3"):
        name = form.lower()
        blocks = ["BLOCKXSIZE=30", "BLOCKYSIZE=20", "INTERLEAVE=BAND"]
        write(folder / f"cube_{name}.zarr", CUBE, f"FORMAT={form}", *blocks)
        write(folder / f"zip_{name}.zarr", SCENE, f"FORMAT={form}", "BLOCKXSIZE=8", "BLOCKYSIZE=8")
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for file in sorted((folder / f"zip_{name}.zarr").rglob("*")):
                archive.write(file, file.relative_to(folder / f"zip_{name}.zarr"))
    write(folder / "pyramid.zarr", np.stack([SCENE] * 3), "BLOCKXSIZE=64", "BLOCKYSIZE=64")
    pyramid = gdal.OpenEx(str(folder / "pyramid.zarr"), gdal.OF_UPDATE)
    assert pyramid.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    del pyramid
    with Served(folder, 0.1) as served:
        served.folder = folder
        yield served


def opened(server, name, *options):
    """Returns a new dataset of a store. Opens the store under a new name each time, because datasets of one
    name share caches."""
    opened.count = getattr(opened, "count", 0) + 1
    link = server.folder / f"{opened.count}-{name}"
    link.symlink_to(server.folder / name)
    server.log()
    prefix = "/vsizip" if name.endswith(".zip") else ""
    return open_raster(f'ZARR:"{prefix}/vsicurl/{server.url}/{link.name}"', *options)


def ranges(requests):
    """Returns the byte ranges that were read, as {file: [(offset, end), ...]}. Also returns a list of the files whose
    shard index, at the end of the file, was read."""
    parts, indexes = {}, []
    for _, path, extent, _ in requests:
        first, _, last = (extent or "").removeprefix("bytes=").partition("-")
        if extent and first:
            parts.setdefault(path, []).append((int(first), int(last) + 1))
        elif extent:
            indexes.append(path)
    return parts, indexes


def assert_none_twice(parts):
    for path, each in parts.items():
        each.sort()
        assert all(a[1] <= b[0] for a, b in zip(each, each[1:])), (path, each)


@pytest.mark.slow
def test_window_takes_three_round_trips(server):
    """Reading a window takes three round trips: for metadata, for shard indexes and for chunks. All chunks of a shard
    take one request."""
    dataset = opened(server, "scene.zarr")
    got = dataset.GetRasterBand(1).ReadAsArray(SHARD, SHARD, 2 * SHARD, 2 * SHARD)
    np.testing.assert_array_equal(got, SCENE[SHARD : 3 * SHARD, SHARD : 3 * SHARD])
    log = server.log()
    parts, indexes = ranges(log["requests"])
    assert log["in_turn"] <= 3, log
    assert len(indexes) == len(set(indexes)) == 4
    assert sum(len(each) for each in parts.values()) == 4, parts


@pytest.mark.slow
def test_panning_reads_nothing_twice(server):
    dataset = opened(server, "scene.zarr")
    for x in range(0, SIDE - SHARD + 1, SHARD // 2):
        got = dataset.GetRasterBand(1).ReadAsArray(x, 0, SHARD, SHARD)
        np.testing.assert_array_equal(got, SCENE[:SHARD, x : x + SHARD])
    parts, indexes = ranges(server.requests())
    assert len(indexes) == len(set(indexes)) == SIDE // SHARD
    assert_none_twice(parts)


def test_chunks_far_apart_are_not_read_over(server):
    """The driver reads a column of chunks by one request for each chunk, because the gaps between these
    chunks are larger than the chunks."""
    dataset = opened(server, "scene.zarr")
    got = dataset.GetRasterBand(1).ReadAsArray(0, 0, CHUNK, SHARD)
    np.testing.assert_array_equal(got, SCENE[:SHARD, :CHUNK])
    parts, _ = ranges(server.requests())
    (each,) = parts.values()
    bytes_read = sum(end - begin for begin, end in each)
    assert len(each) == 4 and bytes_read < 1.1 * 4 * CHUNK * CHUNK * 2 * 1.01


@pytest.mark.parametrize("form", ["zarr_v2", "zarr_v3"])
@pytest.mark.slow
def test_members_of_a_zip_file_are_read_together(server, form):
    dataset = opened(server, f"{form}.zip")
    np.testing.assert_array_equal(dataset.ReadAsArray(), SCENE)
    requests = server.requests()
    assert len(requests) <= 10, (len(requests), (SIDE // 8) ** 2)


LIES = {
    "what follows": {"part": {"shift": 2}},
    "what is before": {"part": {"shift": -2}},
    "less": {"part": {"cut": 2}},
    "other bytes than it says": {"part": {"shift": 2, "says": "bytes {begin}-{last}/{size}"}},
    "no place": {"part": {"says": "bytes */{size}"}},
    "a place beyond 2^64": {"part": {"says": "bytes 18446744073709551615-0/{size}"}},
    "a part of the gzip": {"gzip": "within"},
    "a gzip of the part": {"gzip": "part"},
    "refused": {"header": ["Nobody", "knows"]},
}
TRUTH = {"all": {"no_ranges": True}, "all as gzip": {"gzip": "all"}}
NO_RULES = {"part": {}, "gzip": None, "no_ranges": False, "header": None}


@pytest.mark.parametrize("what", [*LIES, *TRUTH])
@pytest.mark.parametrize("form", ["zarr_v2", "zarr_v3"])
@pytest.mark.slow
def test_wrong_answers_are_never_other_members(server, form, what):
    """The driver reads several members of a zip file by one request. If the server answers with wrong bytes, the read
    fails or returns right values."""
    dataset = opened(server, f"{form}.zip")
    server.rule(**{**LIES, **TRUTH}[what])
    try:
        with error_log() as log:
            got = dataset.ReadAsArray()
    finally:
        server.rule(**NO_RULES)
    if got is None:
        assert what in LIES and re.search(r"\d+[./]\d+: .", log.the_error()), log.errors
    else:
        np.testing.assert_array_equal(got, SCENE)
    np.testing.assert_array_equal(dataset.ReadAsArray(), SCENE)


@pytest.mark.parametrize("form", ["zarr_v2", "zarr_v3"])
@pytest.mark.parametrize("options", [[], ["READ_AHEAD=NO"]], ids=["ahead", "not ahead"])
@pytest.mark.slow
def test_bands_in_turn_are_read_ahead(server, form, options):
    dataset = opened(server, f"cube_{form}.zarr", *options)
    server.log()
    for i in range(BANDS):
        np.testing.assert_array_equal(dataset.GetRasterBand(i + 1).ReadAsArray(), CUBE[i])
    log = server.log()
    paths = [path for _, path, *_ in log["requests"]]
    assert len(paths) == len(set(paths)) == 4 * BANDS  # each chunk was requested only once
    if options:
        assert log["in_turn"] >= BANDS
    else:
        assert log["in_turn"] <= BANDS // 2


CACHED = {
    "off": ({}, False),
    "on": ({"VSI_CACHE": "YES"}, True),
    "too small": ({"VSI_CACHE": "YES", "CPL_VSIL_CURL_CACHE_SIZE": "2000"}, False),
    "with a unit": ({"VSI_CACHE": "YES", "CPL_VSIL_CURL_CACHE_SIZE": "8MB"}, True),
}


@pytest.mark.parametrize("name", ["scene.zarr", "cube_zarr_v2.zarr", "zarr_v3.zip"])
@pytest.mark.parametrize("how", CACHED)
@pytest.mark.slow
def test_cached_chunks_outlive_their_dataset(server, name, how):
    """After a dataset is closed, its chunks stay cached only with GDAL's cache options. The driver always reads
    metadata documents again."""
    options, is_kept = CACHED[how]
    expected = CUBE if name.startswith("cube") else SCENE
    with config_options(**options):
        dataset = opened(server, name)
        np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
        address = dataset.GetDescription()
        dataset = None
        gdal.VSICurlClearCache()
        before = server.requests()
        np.testing.assert_array_equal(open_raster(address).ReadAsArray(), expected)
        after = server.requests()

    def of_chunks(requests):
        return [each for each in requests if re.search(r"\d$|\.zip$", each[1])]

    assert of_chunks(before)
    assert len(of_chunks(after)) <= (3 if is_kept else len(of_chunks(before)))
    assert is_kept or len(of_chunks(after)) >= len(of_chunks(before)) - 3


@pytest.mark.slow
def test_replaced_shard_is_not_mixed_with_the_cached_one(server):
    """A shard is replaced while its index is cached. The driver must read the index and the chunks of the new shard."""
    name = f"replaced{opened.count}.zarr"
    shutil.copytree(server.folder / "scene.zarr", server.folder / name)
    shard = next((server.folder / name).rglob("c/0/0"))
    changed = np.where(SCENE < 30000, SCENE + 1, SCENE - 1)
    options = ["FORMAT=ZARR_V3", f"BLOCKXSIZE={SHARD}", f"BLOCKYSIZE={SHARD}"]
    options += [f"SHARD_CHUNK_SHAPE={CHUNK},{CHUNK}", "COMPRESS=NONE"]
    server.rule(validators=["ETag"])
    try:
        with config_options(VSI_CACHE="YES"):
            url = f'ZARR:"/vsicurl/{server.url}/{name}"'
            old = open_raster(url)
            np.testing.assert_array_equal(
                old.ReadAsArray(0, 0, CHUNK, CHUNK), SCENE[:CHUNK, :CHUNK]
            )
            old = None
            other = server.folder / f"other{opened.count}.zarr"
            options[-1] = "COMPRESS=ZSTD"
            write(other, changed, *options)
            shutil.copy(next(other.rglob("c/0/0")), shard)
            new = open_raster(url)
            got = new.ReadAsArray(CHUNK, 0, 2 * CHUNK, CHUNK)
            np.testing.assert_array_equal(got, changed[:CHUNK, CHUNK : 3 * CHUNK])
            np.testing.assert_array_equal(
                new.ReadAsArray(0, 0, SHARD, SHARD), changed[:SHARD, :SHARD]
            )
    finally:
        server.rule(validators=[])


@pytest.mark.slow
def test_random_reads_cause_no_read_ahead(server):
    dataset = opened(server, "cube_zarr_v2.zarr")
    server.log()
    bands = [7, 31, 2, 19, 38, 11, 25]
    for i in bands:
        np.testing.assert_array_equal(dataset.GetRasterBand(i + 1).ReadAsArray(), CUBE[i])
    dataset = None
    assert len(server.requests()) == 4 * len(bands)


def test_advised_reads_run_in_the_background(server):
    dataset = opened(server, "cube_zarr_v2.zarr")
    server.log()
    for i in (3, 17, 30):
        band = dataset.GetRasterBand(i + 1)
        assert band.AdviseRead(0, 0, 60, 40) == gdal.CE_None
    for i in (3, 17, 30):
        np.testing.assert_array_equal(dataset.GetRasterBand(i + 1).ReadAsArray(), CUBE[i])
    log = server.log()
    assert len(log["requests"]) == 12 and log["in_turn"] <= 2
    assert dataset.GetRasterBand(1).AdviseRead(0, 0, 60, 40) == gdal.CE_None
    dataset = None  # closes the dataset while the read of AdviseRead() still runs


@pytest.mark.slow
def test_far_more_is_advised_than_is_loaded_at_a_time(server):
    dataset = opened(server, "cube_zarr_v3.zarr")
    for i in range(3 * BANDS):
        assert dataset.GetRasterBand(i % BANDS + 1).AdviseRead(0, 0, 60, 40) == gdal.CE_None
    np.testing.assert_array_equal(dataset.ReadAsArray(), CUBE)
    log = server.log()
    chunks = [path for _, path, *_ in log["requests"] if "/c/" in path]
    assert len(chunks) == len(set(chunks)) == 4 * BANDS
    assert log["at_once"] <= 2 * 32


@pytest.mark.slow
def test_process_ends_while_chunks_are_loading(server):
    program = """
import sys
from osgeo import gdal
gdal.DontUseExceptions()
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_RASTER, allowed_drivers=["Zarr"])
dataset.still_open = dataset  # keeps the dataset open until the process ends
for i in range(4):
    dataset.GetRasterBand(i + 1).ReadAsArray()
"""
    name = f'ZARR:"/vsicurl/{server.url}/cube_zarr_v3.zarr"'
    command = [sys.executable, "-B", "-c", program, name]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_bands_of_an_overview_are_read_together(server):
    dataset = opened(server, "pyramid.zarr")
    server.log()
    got = dataset.ReadAsArray(0, 0, 256, 256, buf_xsize=128, buf_ysize=128)
    np.testing.assert_array_equal(got, [SCENE[:256:2, :256:2]] * 3)
    log = server.log()
    chunks = [path for _, path, *_ in log["requests"] if path[-1].isdigit()]
    assert len(chunks) == len(set(chunks)) == 12 and log["in_turn"] <= 2


@pytest.mark.parametrize("form", ["zarr_v2", "zarr_v3"])
@pytest.mark.slow
def test_a_failed_read_ahead_is_an_error_of_its_band(server, form):
    """If the read-ahead of a chunk fails, only the band that contains the chunk reports an error."""
    dataset = opened(server, f"cube_{form}.zarr")
    root = next(each[1] for each in server.requests()).split("/")[1]
    key = "c/10/1/1" if form == "zarr_v3" else "10.1.1"
    chunk = f"/{root}/cube_{form}/{key}"
    assert (server.folder / chunk[1:]).is_file()
    server.rule(status={chunk: [500, -1]})
    for i in range(BANDS):
        with error_log() as log:
            got = dataset.GetRasterBand(i + 1).ReadAsArray()
        if i == 10:
            assert got is None and key in log.the_error()
        else:
            np.testing.assert_array_equal(got, CUBE[i])
    server.rule(status={})
    np.testing.assert_array_equal(dataset.GetRasterBand(11).ReadAsArray(), CUBE[10])


@pytest.mark.parametrize("name", ["cube_zarr_v2.zarr", "scene.zarr"])
@pytest.mark.parametrize("system", ["vsiaz", "vsiadls", "vsiswift"])
@pytest.mark.slow
def test_object_stores_that_are_not_s3(server, system, name):
    """A web server stands in for Azure and Swift. It answers requests for objects, and cannot list keys."""
    container = server.folder / system
    container.mkdir(exist_ok=True)
    (container / name).symlink_to(server.folder / name)
    key = base64.b64encode(b"secret").decode()
    azure = f"DefaultEndpointsProtocol=http;AccountName=a;AccountKey={key};BlobEndpoint={server.url}"
    options = {
        "AZURE_STORAGE_CONNECTION_STRING": azure,
        "SWIFT_STORAGE_URL": server.url,
        "SWIFT_AUTH_TOKEN": "token",
    }
    if system == "vsiswift":
        server.rule(header=["x-auth-token", "token"])
    try:
        with config_options(**options):
            gdal.VSICurlClearCache()
            dataset = open_raster(f"/{system}/{system}/{name}")
            expected = CUBE if name.startswith("cube") else SCENE
            np.testing.assert_array_equal(dataset.ReadAsArray(), expected)
    finally:
        server.rule(**NO_RULES)
