# SPDX-License-Identifier: MIT
"""An object store that refuses, fails or closes the connection, at every request in turn. The driver gives the right
values or an error, never zeros; a store opens as a whole or not at all. ZARR_FAULTS=all tries every request of every
combination."""

import json
import socket
import subprocess

import numpy as np
import pytest
import zarr_gdal
import zarr_object_server as server
from osgeo import gdal
from zarr_faults import combinations, some
from zarr_object_server import ObjectServer
from zarr_processes import Process

SIZE, CHUNK = 64, 32
OLD = np.arange(1, SIZE * SIZE + 1, dtype="<u2").reshape(SIZE, SIZE)
NEW = (OLD + 7000).astype("<u2")
KINDS = {
    "v2": ["FORMAT=ZARR_V2", "COMPRESS=NONE"],
    "v3": ["FORMAT=ZARR_V3", "COMPRESS=NONE"],
    "shards": ["FORMAT=ZARR_V3", "COMPRESS=NONE", f"SHARD_CHUNK_SHAPE={CHUNK // 2},{CHUNK // 2}"],
    "cloud": ["PROFILE=CLOUD", "COMPRESS=NONE"],
}
BLOCKS = f"BLOCKSIZE={CHUNK},{CHUNK}"
CHUNKS = r"/\d+[./]\d+$"
PATH = "/vsis3/demo/s.zarr"
UPDATE = gdal.OF_RASTER | gdal.OF_UPDATE
WAYS = ["own", "GDAL's"]
MOST = 4  # how many requests of a work fail in turn


def combined(names, *lists, together=2):
    """Parametrizes a test with `names`; any `together` values occur in one case."""
    fixtures = [name for name in names.split(", ") if name in ("kind", "way")]
    chosen = combinations(*lists, together=together)
    return pytest.mark.parametrize(names, chosen, indirect=fixtures, ids=str)


@pytest.fixture(scope="module")
def store():
    with ObjectServer() as started:
        yield started


@pytest.fixture(autouse=True)
def clean(store):
    yield
    store.normal()
    store.remove("s.zarr")


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


# Makes the driver read by its own requests, or by GDAL's, which it uses if AWS_REQUEST_PAYER is set.
@pytest.fixture(params=WAYS)
def way(request):
    payer = "requester" if request.param == "GDAL's" else None
    with zarr_gdal.config_options(AWS_REQUEST_PAYER=payer):
        yield request.param


def raster(values):
    dataset = gdal.GetDriverByName("MEM").Create("", SIZE, SIZE, 1, gdal.GDT_UInt16)
    dataset.WriteArray(values)
    dataset.SetGeoTransform((10, 1, 0, 20, 0, -1))
    return dataset


def options_of(kind):
    return KINDS[kind] + ([] if kind == "cloud" else [BLOCKS])


def write(kind, values, path=PATH):
    """Copies `values` to a store as gdal_translate does. Returns True if that succeeds."""
    copy = gdal.GetDriverByName("Zarr").CreateCopy(path, raster(values), options=options_of(kind))
    made = copy is not None
    copy = None
    return made


@pytest.fixture(scope="module")
def templates(store, tmp_path_factory):
    """The objects of a store of each kind with the values OLD."""
    made = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp(kind) / "s.zarr"
        assert write(kind, OLD, str(folder))
        made[kind] = {
            f"s.zarr/{file.relative_to(folder)}": file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }
    return made


@pytest.fixture
def old(store, kind, templates):
    store.objects.update(templates[kind])
    store.normal()


def pixels(path=PATH):
    """Returns the pixels of a store; None, with messages, if it does not open or read."""
    dataset = gdal.OpenEx(path, gdal.OF_RASTER | gdal.OF_VERBOSE_ERROR)
    return None if dataset is None else dataset.ReadAsArray()


def state(store, *known):
    """Returns which of the arrays `known` the store holds, as an index; None if it does not open."""
    store.normal()
    with zarr_gdal.error_log():
        read = pixels()
    if read is None:
        return None
    found = [i for i, values in enumerate(known) if np.array_equal(values, read)]
    assert found, "the store opens with other pixels"
    return found[0]


# ---- reading


REFUSALS = [
    server.EXPIRED, server.SLOW_DOWN, server.DENIED, (400, "InvalidRequest", "Something is missing."),
    server.INTERNAL, (200, "InternalError", "We failed late."), "reset",
]  # fmt: skip


@combined("way, fault, kind", WAYS, REFUSALS, KINDS)
def test_a_refused_chunk_is_an_error_that_says_why(store, old, way, fault):
    if way == "GDAL's" and fault[0] == 200:
        pytest.skip("GDAL's client takes the body for the value")
    dataset = gdal.OpenEx(PATH)
    store.fail(fault, key=CHUNKS)
    with zarr_gdal.error_log() as log:
        assert dataset.ReadAsArray() is None
    assert log.the_error()
    if fault != "reset":
        assert f"HTTP {fault[0]}" in log.the_error()
        assert fault[2].rstrip(".") in log.the_error()
        assert way == "GDAL's" or fault[1] in log.the_error()
    store.normal()
    np.testing.assert_array_equal(dataset.ReadAsArray(), OLD)


@combined("way, fault, kind", WAYS, [server.ABSENT, (410, "Gone", "It was deleted.")], KINDS)
def test_only_404_and_410_mean_absent(store, old, way, fault):
    dataset = gdal.OpenEx(PATH)
    store.fail(fault, key=CHUNKS)
    assert not dataset.ReadAsArray().any()


def test_403_means_absent_with_missing_on_403(store, old, way):
    dataset = gdal.OpenEx(PATH, open_options=["MISSING_ON_403=YES"])
    store.fail(server.DENIED, key=CHUNKS)
    assert not dataset.ReadAsArray().any()


@combined(
    "way, fault, flags", WAYS, [server.EXPIRED, server.DENIED, server.SLOW_DOWN, "reset"],
    [gdal.OF_RASTER, UPDATE, gdal.OF_MULTIDIM_RASTER]
)  # fmt: skip
@pytest.mark.parametrize("kind", ["v3"], indirect=True)
def test_a_store_that_cannot_be_examined_is_an_error_that_says_why(store, old, way, fault, flags):
    """The path has no prefix, and GDAL itself takes every failure for an absent file."""
    store.fail(fault)
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        assert gdal.OpenEx(PATH, flags) is None
    (message,) = [text for text in log.errors if text.startswith(f"{PATH}: ")]
    assert "not a Zarr store" not in message
    if fault != "reset":
        assert fault[2].rstrip(".") in message


def test_an_absent_store_is_no_error(store, way):
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(PATH) is None
    assert log.events == []


@combined("way, fault, kind", WAYS, [server.EXPIRED, server.SLOW_DOWN, "reset"], KINDS)
def test_a_token_that_ends_at_any_request_of_a_copy(store, old, way, kind, fault):
    """From the n-th request on, all requests fail."""
    pixels()
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"):
        for number in some(range(len(store.requests())), MOST):
            store.fail(fault, after=number)
            with zarr_gdal.error_log() as log:
                read = pixels()
            assert read is None or np.array_equal(read, OLD), number
            assert read is not None or log.errors, number


@combined(
    "way, fault, kind", WAYS, [server.TIMEOUT, server.SLOW_DOWN, server.INTERNAL, "reset"], KINDS
)
def test_a_failure_that_passes_is_not_seen(store, old, way, fault):
    name = f'ZARR:"{PATH}"'  # without the prefix, GDAL examines the path first, and repeats nothing
    pixels(name)
    for number in some(range(len(store.requests())), MOST):
        store.fail(fault, times=1, after=number)
        np.testing.assert_array_equal(pixels(name), OLD, str(number))


def read_or_write(report, is_read):
    with zarr_gdal.error_log() as log:
        done = pixels(f'ZARR:"{PATH}"') is not None if is_read else write("v2", NEW)
    report(json.dumps([done, log.errors]))


@pytest.mark.parametrize("is_read", [True, False])
def test_a_server_that_cannot_be_reached_is_asked_once(store, way, is_read):
    """A repetition would come after a day."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # does not listen, so that connections are refused
        with zarr_gdal.config_options(
            AWS_S3_ENDPOINT=f"127.0.0.1:{nobody.getsockname()[1]}", GDAL_HTTP_RETRY_DELAY="86400"
        ):
            done, errors = json.loads(Process(read_or_write, is_read).succeed()[-1])
    assert not done and "onnect to " in errors[-1]


def test_an_error_document_is_not_taken_for_a_range_of_bytes(store, tmp_path):
    """A raw chunk of 512 KB is read in parts. The server answers 200 with a document of an error."""
    big = gdal.GetDriverByName("MEM").Create("", 512, 512, 1, gdal.GDT_UInt16)
    big.GetRasterBand(1).Fill(7)
    options = ["COMPRESS=NONE", "BLOCKSIZE=512,512", "FORMAT=ZARR_V2"]
    folder = tmp_path / "s.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(folder), big, options=options)
    store.upload(folder, "s.zarr")
    dataset = gdal.OpenEx(PATH)
    store.fail((200, "InternalError", "We failed late." * 20), key=CHUNKS)
    with zarr_gdal.error_log() as log:
        assert dataset.ReadAsArray(10, 0, 8, 1) is None
    assert "InternalError" in log.the_error()
    store.normal()
    assert (dataset.ReadAsArray(10, 0, 8, 1) == 7).all()


# ---- listings


def consolidated(store, name="s.zarr"):
    """Returns the paths of the nodes in the consolidated metadata."""
    if f"{name}/.zmetadata" in store.objects:
        keys = json.loads(store.objects[f"{name}/.zmetadata"])["metadata"]
        return sorted({key.rpartition("/")[0] for key in keys} - {""})
    document = json.loads(store.objects[f"{name}/zarr.json"])
    return sorted(document["consolidated_metadata"]["metadata"])


def nodes(store, name="s.zarr"):
    """Returns the paths of the stored nodes."""
    ends = (".zarray", ".zgroup", "/zarr.json")
    documents = [key for key in store.keys(name) if key.endswith(ends)]
    return sorted({key.rpartition("/")[0] for key in documents} - {""})


LISTINGS = {"refused": server.DENIED, "failing": server.SLOW_DOWN, "reset": "reset", "lagging": None}


@pytest.fixture(params=LISTINGS)
def listing(request, store):
    """Makes the server refuse listings. Returns a function that does so."""

    def begin():
        fault = LISTINGS[request.param]
        stored = list(store.objects) if request.param == "lagging" else []
        if fault:
            store.fail(fault, kind=["LIST"])
        else:
            store.normal()
            store.listed = lambda: stored

    return begin


def test_a_new_store_needs_no_listing(store, kind, listing):
    listing()
    assert write(kind, NEW)
    assert state(store, NEW) == 0
    assert nodes(store) == consolidated(store) != []


def test_an_overwritten_store_is_the_old_one_or_the_new_one(store, old, kind, listing):
    listing()
    with zarr_gdal.error_log() as log:
        done = write(kind, NEW)
    assert done or log.errors
    assert state(store, OLD, NEW) == (1 if done else 0)
    assert nodes(store) == consolidated(store) != []


def test_an_update_keeps_consolidated_metadata(store, old, kind, listing):
    dataset = gdal.OpenEx(PATH, UPDATE)
    listing()
    with zarr_gdal.error_log() as log:
        dataset.SetMetadataItem("title", "sums")
        dataset.BuildOverviews("AVERAGE", [2])
        dataset = None
    assert state(store, OLD) == 0
    assert set(nodes(store)) == set(consolidated(store)), log.errors
    assert gdal.OpenEx(PATH).GetMetadataItem("title") == "sums"


# ---- writing


@combined(
    "fault, kind, is_there", [server.SLOW_DOWN, server.INTERNAL, "reset", "lost"], KINDS, [False, True]
)
def test_one_failed_request_of_a_copy_is_repeated(store, kind, templates, is_there, fault):
    if is_there:
        store.objects.update(templates[kind])
    store.normal()
    assert write(kind, NEW)
    for number in some(range(len(store.requests())), MOST):
        store.remove("s.zarr")
        if is_there:
            store.objects.update(templates[kind])
        store.fail(fault, times=1, after=number)
        with zarr_gdal.error_log() as log:
            done = write(kind, NEW)
        # GDAL takes a failed listing for an empty one. An overwritten store then stays as it was.
        found = state(store, OLD, NEW)
        assert found == 1 if done else found == (0 if is_there else None), (number, log.errors)
        assert not done or nodes(store) == consolidated(store), number


@combined("fault, kind, is_there", [server.EXPIRED, "reset"], KINDS, [False, True])
@pytest.mark.slow
def test_a_copy_whose_requests_fail_from_any_one_on(store, kind, templates, is_there, fault):
    """Stands for a killed process, too, whose last request is any of these."""
    if is_there:
        store.objects.update(templates[kind])
    store.normal()
    assert write(kind, NEW)
    total = len(store.requests())
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"):
        for number in some(range(total), MOST):
            store.remove("s.zarr")
            if is_there:
                store.objects.update(templates[kind])
            store.fail(fault, after=number)
            with zarr_gdal.error_log() as log:
                done = write(kind, NEW)
            assert done or log.errors, number
            found = state(store, OLD, NEW)
            assert found == 1 if done else found in (None, 0, 1), number
            store.normal()
            assert write(kind, NEW) and state(store, NEW) == 0, number  # the rest is replaced


@pytest.mark.parametrize("fault", [server.EXPIRED, server.SLOW_DOWN], ids=str)
def test_an_overwrite_by_another_kind_keeps_the_old_store_until_the_end(store, templates, fault):
    """Zarr v2 and v3 have other keys, so that a failed chunk or document of the new store harms nothing."""
    store.objects.update(templates["v2"])
    store.fail(fault, kind=["PUT"], key="zarr.json$")
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        assert not write("v3", NEW)
    assert log.errors
    store.normal()
    store.remove("s.zarr")
    store.objects.update(templates["v2"])
    store.fail(fault, kind=["PUT"], key="c/1/1$")
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        assert not write("v3", NEW)
    assert log.errors and state(store, OLD) == 0
    assert write("v3", NEW) and state(store, NEW) == 0
    assert not [key for key in store.keys("s.zarr") if "/.z" in f"/{key}"]


def test_a_new_store_stays_if_the_rest_of_the_old_one_does(store, templates):
    """The keys of the old store are removed at last. If that fails, the new store is whole."""
    store.objects.update(templates["v2"])
    store.fail(server.SLOW_DOWN, kind=["DELETE", "POST"])
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        write("v3", NEW)
    assert log.errors
    store.normal()
    with zarr_gdal.error_log():
        array = gdal.OpenEx('ZARR:"/vsis3/demo/s.zarr":/s', gdal.OF_RASTER)
        found = None if array is None else array.ReadAsArray()
    assert (found is not None and np.array_equal(found, NEW)) or state(store, OLD) == 0


@pytest.mark.parametrize("document", [".zmetadata", ".zgroup"])
def test_documents_of_two_stores_do_not_mix(store, templates, document):
    """Both stores have documents of the root, and arrays of other names."""
    store.objects.update(templates["v2"])
    store.fail(server.SLOW_DOWN, kind=["PUT"], key=f"s.zarr/{document}$")
    options = [*options_of("v2"), "ARRAY_NAME=other"]
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(PATH, raster(NEW), options=options) is None
    assert log.errors
    assert state(store, OLD) in (0, None)


def test_a_created_raster_opens_when_it_is_closed(store, kind):
    """Other processes do not see a store without its chunks. This dataset reads what it wrote."""
    options = options_of(kind)
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create(PATH, SIZE, SIZE, 1, gdal.GDT_UInt16, options=options)
    dataset.GetRasterBand(1).WriteArray(NEW[:CHUNK], 0, 0)
    assert not [key for key in store.keys("s.zarr") if key.endswith(("zarr.json", ".zgroup"))]
    np.testing.assert_array_equal(dataset.ReadAsArray()[:CHUNK], NEW[:CHUNK])
    dataset.GetRasterBand(1).WriteArray(NEW[CHUNK:], 0, CHUNK)
    dataset = None
    assert state(store, NEW) == 0 and nodes(store) == consolidated(store)


@combined("fault, way, kind", [server.DENIED, server.SLOW_DOWN, "reset"], WAYS, KINDS)
def test_a_removed_chunk_is_gone_or_an_error(store, old, way, kind, fault):
    """A chunk of fill values is not stored: the old chunk is removed."""
    dataset = gdal.OpenEx(PATH, UPDATE)
    dataset.GetRasterBand(1).SetNoDataValue(0)
    dataset.FlushCache()
    store.fail(fault, key=CHUNKS)
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"), zarr_gdal.error_log() as log:
        dataset.WriteArray(OLD * 0)
        dataset.FlushCache()
        dataset = None
    assert log.errors


# ---- commands


def run(store, command, **options):
    environment = {**store.environment, **options}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.parametrize("kind", ["v2", "cloud"], indirect=True)
def test_gdal_translate_from_a_store_whose_token_ends(store, old, kind, tmp_path):
    # A slow link reads the shard with one request, a fast one with several.
    store.fail(server.EXPIRED, key=CHUNKS, after=0 if kind == "cloud" else 1)
    code, told = run(store, ["gdal_translate", "-q", PATH, str(tmp_path / "copy.tif")])
    assert code != 0 and "ExpiredToken" in told


@combined("fault, kind", [server.DENIED, "reset"], ["v2", "v3", "shards"], together=1)
@pytest.mark.slow
def test_gdal_translate_to_a_server_that_stops(store, kind, tmp_path, fault):
    source = str(tmp_path / "source.tif")
    gdal.GetDriverByName("GTiff").CreateCopy(source, raster(NEW))
    options = [word for option in options_of(kind) for word in ("-co", option)]
    command = ["gdal_translate", "-q", "-of", "Zarr", *options, source, PATH]
    for key in (CHUNKS, "zarr.json$|.zarray$", r"s.zarr/(zarr.json|\.zgroup)$"):
        store.fail(fault, kind=["PUT"], key=key)
        code, told = run(store, command, GDAL_HTTP_MAX_RETRY="0")
        assert code != 0 and told
        assert state(store) is None
    assert run(store, command)[0] == 0
    assert state(store, NEW) == 0


@pytest.mark.parametrize("kind", ["v2", "v3"], indirect=True)
@pytest.mark.slow
def test_gdalmdimtranslate_to_a_server_that_stops(store, old, kind, tmp_path):
    source = str(tmp_path / "source.zarr")
    assert write(kind, NEW, source)
    command = ["gdalmdimtranslate", "-q", "-of", "Zarr", "-co", KINDS[kind][0], source, PATH]
    for key in (CHUNKS, "zarr.json$|.zarray$"):
        store.remove("s.zarr")
        store.fail(server.DENIED, kind=["PUT"], key=key)
        # GDAL before 3.7 ignores errors at closing in its exit code.
        told = run(store, command, GDAL_HTTP_MAX_RETRY="0")[1]
        assert "ERROR" in told
        assert state(store) is None
    assert run(store, command)[0] == 0
    assert state(store, NEW) == 0


@combined("fault, kind", [server.EXPIRED, "reset"], KINDS, together=1)
@pytest.mark.slow
def test_overviews_and_edits_whose_requests_fail_from_any_one_on(store, kind, templates, fault):
    def change():
        dataset = gdal.OpenEx(PATH, UPDATE)
        if dataset is None:
            return False
        built = dataset.BuildOverviews("NEAREST", [2]) == 0
        dataset.SetMetadataItem("title", "sums")
        dataset = None
        return built

    store.objects.update(templates[kind])
    store.normal()
    assert change()
    total = len(store.requests())
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="0"):
        for number in some(range(total), MOST):
            store.remove("s.zarr")
            store.objects.update(templates[kind])
            store.fail(fault, after=number)
            with zarr_gdal.error_log() as log:
                done = change()
            assert done or log.errors, number
            assert state(store, OLD) == 0, number
            dataset = gdal.OpenEx(PATH)
            overview = dataset.GetRasterBand(1).GetOverview(0)
            if overview is not None and overview.XSize == SIZE // 2:
                np.testing.assert_array_equal(overview.ReadAsArray(), OLD[::2, ::2], str(number))
