# SPDX-License-Identifier: MIT
"""Reads and writes stores in an object store through an S3 server. The tests count the requests: one for each
chunk that is read, and one for each object that is written. No object is renamed."""

import concurrent.futures

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_s3 import S3
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

SIDE, CHUNK = 64, 8  # a raster of 64 x 64 pixels, with 64 chunks
VALUES = np.arange(1, SIDE * SIDE + 1, dtype="<f4").reshape(SIDE, SIDE)


@pytest.fixture(scope="module")
def s3(zarr_format, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    dem = {"values": VALUES, "dims": ("y", "x"), "chunks": (CHUNK, CHUNK)}
    sparse = np.zeros((SIDE, SIDE), "<i2")
    sparse[8:16, 8:16] = 7
    arrays = {"dem": dem, "deep/dem": dem}
    for axis in "xy":
        arrays[axis] = {"values": np.arange(SIDE) + 0.5, "dims": (axis,)}
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        server.upload(make_store(folder, arrays, name="group.zarr"), "group.zarr")
        server.upload(
            make_store(folder, arrays, name="consolidated.zarr", consolidated=True),
            "consolidated.zarr",
        )
        for separator, name in ((".", "sparse.zarr"), ("/", "nested.zarr")):
            store = make_array(
                folder, sparse, name, fill_value=0, chunks=(CHUNK, CHUNK),
                dimension_separator=separator, write_empty_chunks=False,
            )  # fmt: skip
            server.upload(store, name)
        yield server


@pytest.fixture(autouse=True)
def fresh(s3):
    s3.front.rule(status={})
    gdal.VSICurlClearCache()
    s3.front.log()
    yield
    s3.front.rule(status={})


def key(*index):
    """Returns the key of the chunk with the index `index`, relative to its array, in the format's default spelling."""
    return "/".join(["c", *map(str, index)]) if zarr_formats.is_v3() else ".".join(map(str, index))


def assert_reads(dataset, expected=VALUES):
    np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), expected)


@pytest.mark.parametrize("prefix", ["s3://", "/vsis3/"])
@pytest.mark.slow
def test_consolidated_store_opens_with_few_requests_and_reads_with_one_a_chunk(s3, prefix):
    with zarr_gdal.config_options(GDAL_PAM_ENABLED="YES"):
        dataset = open_raster(f'ZARR:"{prefix}demo/consolidated.zarr":/dem')
    asked = s3.requests()
    root = "/demo/consolidated.zarr"
    is_v3 = zarr_formats.is_v3()
    first = {("GET", f"{root}/{name}", 200 if is_v3 else 404) for name in ("zarr.json", "dem/zarr.json")}
    # Another thread requests the auxiliary file at any time, so the test removes this request from the list.
    assert ("GET", f"{root}.aux.xml", 404) in asked
    asked = [each for each in asked if not each[1].endswith(".aux.xml")]
    assert set(asked[:2]) == first
    assert sorted(path.removeprefix(root + "/") for _, path, _ in asked[2:]) == (
        [] if is_v3 else [".zattrs", ".zmetadata", "dem/.zarray", "dem/.zattrs", "dem/.zgroup"]
    )
    assert_reads(dataset)
    asked = s3.requests()
    assert {method for method, *_ in asked} == {"GET"}
    paths = [path for _, path, _ in asked]
    assert len(paths) == len(set(paths)) == 64
    assert dataset.GetGeoTransform()[:2] == (0.0, 1.0)


@pytest.mark.parametrize("name", ["/vsis3/demo/group.zarr", "ZARR:s3://demo/group.zarr"])
@pytest.mark.slow
def test_listing_finds_the_members(s3, name):
    dataset = open_raster(name)
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert [name.rpartition(":")[2] for name in names] == ["/dem", "/deep/dem"]
    assert_reads(open_raster(names[1]))


def test_path_of_a_metadata_document(s3):
    assert_reads(open_raster(zarr_formats.spelled("/vsis3/demo/group.zarr/dem/.zarray")))


def test_absent_chunks_are_requested_once(s3):
    dataset = open_raster('ZARR:"/vsis3/demo/sparse.zarr"')
    s3.requests()
    for _ in range(2):
        values = dataset.GetRasterBand(1).ReadAsArray()
        assert values.sum() == 7 * 64 and values[8, 8] == 7
    chunks = [path for _, path, status in s3.requests() if status == 404]
    assert len(chunks) == len(set(chunks)) == 63


@pytest.mark.parametrize("name", ["sparse.zarr", "nested.zarr"])
@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_only_listed_chunks_are_requested(s3, name, flags):
    dataset = gdal.OpenEx(
        f'ZARR:"/vsis3/demo/{name}"', flags, open_options=["CACHE_TILE_PRESENCE=YES"]
    )
    if flags == gdal.OF_RASTER:
        values = dataset.GetRasterBand(1).ReadAsArray()
    else:
        group = dataset.GetRootGroup()
        values = group.OpenMDArray(group.GetMDArrayNames()[0]).ReadAsArray()
    assert values.sum() == 7 * 64 and values[8, 8] == 7
    asked = s3.requests()
    tail = key(1, 1) if name == "sparse.zarr" else "1/1"
    assert [path for _, path, status in asked if path.endswith(("0", "1", "2", "7"))] == [
        f"/demo/{name}/{tail}"
    ]
    assert len([path for _, path, _ in asked if path == "/demo/"]) <= 2, asked


def test_chunks_are_requested_if_the_bucket_may_not_be_listed(s3):
    s3.front.rule(status={"/demo/": [403, -1], "/demo": [403, -1]})
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(
            'ZARR:"s3://demo/sparse.zarr"', open_options=["CACHE_TILE_PRESENCE=YES"]
        )
        values = dataset.GetRasterBand(1).ReadAsArray()
    assert values.sum() == 7 * 64 and values[8, 8] == 7
    assert log.errors == [] and "CACHE_TILE_PRESENCE" in log.warnings[0]


def test_unsigned_requests(s3):
    with zarr_gdal.config_options(
        AWS_NO_SIGN_REQUEST="YES", AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None
    ):
        dataset = gdal.OpenEx('ZARR:"s3://demo/consolidated.zarr":/dem')
        requests = s3.front.requests()
        assert all("Signature" not in path for _, path, *_ in requests)
        if dataset is not None:  # opening fails if the server refuses unsigned requests
            assert_reads(dataset)
    names = ("zarr.json", "dem/zarr.json")
    assert {path for _, path, *_ in requests} >= {f"/demo/consolidated.zarr/{name}" for name in names}


def test_wrong_credentials_are_an_error_that_says_so(s3):
    with zarr_gdal.config_options(AWS_ACCESS_KEY_ID="NOBODY"), zarr_gdal.error_log() as log:
        assert gdal.OpenEx('ZARR:"s3://demo/consolidated.zarr":/dem') is None
    assert "403" in log.the_error() and "MISSING_ON_403" in log.the_error()


def test_requester_pays_uses_gdals_own_requests(s3):
    with zarr_gdal.config_options(AWS_REQUEST_PAYER="requester"):
        assert_reads(open_raster('ZARR:"s3://demo/consolidated.zarr":/dem'))
    assert all("X-Amz-Signature" not in path for _, path, *_ in s3.front.requests())


def test_a_bucket_of_another_region_is_read_by_gdals_own_requests(s3):
    # S3 answers 400 if a request is signed for another region than the region of the bucket.
    s3.front.rule(status={f"/demo/consolidated.zarr/dem/{key(0, 0)}": [400, 1]})
    assert_reads(open_raster('ZARR:"s3://demo/consolidated.zarr":/dem'))


@pytest.mark.slow
def test_options_of_the_calling_thread_apply_to_reads_and_writes(s3):
    """If GDAL options are set only in the calling thread, they apply in the driver's own threads, too. rasterio sets
    options in this way."""

    def work():
        for option, value in s3.options.items():
            gdal.SetThreadLocalConfigOption(option, value)
        for name in ("group", "consolidated"):
            assert_reads(open_raster(f"ZARR:/vsis3/demo/{name}.zarr:/dem"))
        options = [f"BLOCKSIZE={CHUNK},{CHUNK}"]
        if zarr_formats.is_v3():
            options.append(f"SHARD_CHUNK_SHAPE={CHUNK // 2},{CHUNK // 2}")
        source = open_raster("ZARR:/vsis3/demo/consolidated.zarr:/dem")
        copy = gdal.GetDriverByName("Zarr").CreateCopy("/vsis3/demo/thread.zarr", source, options=options)
        assert copy is not None
        copy = None
        assert_reads(open_raster("/vsis3/demo/thread.zarr"))

    with zarr_gdal.config_options(**dict.fromkeys(s3.options)):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()
    assert_reads(open_raster("/vsis3/demo/thread.zarr"))


@pytest.mark.parametrize("status", [403, 500, 503])
def test_refused_chunk_is_an_error(s3, status):
    s3.front.rule(status={f"/demo/consolidated.zarr/dem/{key(3, 2)}": [status, -1]})
    dataset = open_raster('ZARR:"s3://demo/consolidated.zarr":/dem')
    with zarr_gdal.error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray() is None
    assert f"dem/{key(3, 2)}" in log.the_error() and str(status) in log.the_error()


@pytest.mark.parametrize("option", ["YES", "NO"])
def test_missing_on_403(s3, option):
    # S3 answers 403 instead of 404 for an absent key if the client may not list the bucket.
    s3.front.rule(status={path: [403, -1] for path in (f"/demo/sparse.zarr/{key(0, 0)}", "/demo")})
    dataset = open_raster('ZARR:"s3://demo/sparse.zarr"', f"MISSING_ON_403={option}")
    with zarr_gdal.error_log() as log:
        values = dataset.GetRasterBand(1).ReadAsArray()
    if option == "YES":
        assert values.sum() == 7 * 64 and log.events == []
    else:
        assert values is None and "MISSING_ON_403=YES" in log.the_error()


@pytest.mark.slow
def test_bucket_that_may_not_be_listed(s3):
    s3.front.rule(status={"/demo/": [403, -1], "/demo": [403, -1]})
    assert_reads(open_raster('ZARR:"s3://demo/group.zarr":/dem'))
    assert_reads(open_raster('ZARR:"s3://demo/consolidated.zarr":/deep/dem'))
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx('ZARR:"s3://demo/group.zarr"') is None
    assert "consolidated" in log.the_error()


@pytest.mark.slow
def test_writing_puts_each_object_once_and_renames_nothing(s3):
    source = gdal.GetDriverByName("MEM").Create("", SIDE, SIDE, 1, gdal.GDT_Float32)
    source.GetRasterBand(1).WriteArray(VALUES)
    with zarr_gdal.error_log() as log:
        written = gdal.GetDriverByName("Zarr").CreateCopy(
            "/vsis3/demo/new.zarr", source, options=["BLOCKSIZE=8,8"]
        )
        written = None
    assert log.events == []
    puts = [path for method, path, _ in s3.requests() if method == "PUT"]
    chunks = [path for path in puts if path[-1].isdigit() and "/new/" in path]
    assert len(chunks) == len(set(chunks)) == 64
    assert not any("partial" in path or path.endswith("/") for path in puts), puts
    assert written is None
    assert_reads(open_raster("ZARR:s3://demo/new.zarr"))
    assert_reads(open_raster("/vsis3/demo/new.zarr"))


@pytest.mark.slow
def test_a_new_store_takes_few_requests(s3):
    """Creating a store takes no PUT request, and flushing it at most 3, and no other request."""
    dataset = gdal.GetDriverByName("Zarr").Create("/vsis3/demo/made.zarr", SIDE, SIDE)
    made = s3.requests()
    assert not any(method == "PUT" for method, *_ in made)
    assert sum(path.endswith("/meta") for _, path, _ in made) <= 1
    dataset.FlushCache()  # other datasets see the store from now on
    stored = s3.requests()
    assert {method for method, *_ in stored} == {"PUT"} and len(stored) <= 3, stored
    # Another dataset adds an array to the store. If `dataset` is closed later, the array must stay.
    other = gdal.GetDriverByName("Zarr").Create(
        "/vsis3/demo/made.zarr", SIDE, SIDE, options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=other"]
    )
    assert other is not None
    other = None
    dataset.GetRasterBand(1).Fill(3)
    dataset = None
    gdal.VSICurlClearCache()
    names = [name for name, _ in open_raster("/vsis3/demo/made.zarr").GetSubDatasets()]
    assert [name.rpartition("/")[2] for name in names] == ["", "made", "other"]  # the first name is the group "/"


@pytest.mark.slow
def test_sidecar_files_are_requested_in_batches(s3):
    """Creating a store where 40 old sidecar files exist sends at most 32 requests at a time. The old sidecar files are
    deleted, but a sidecar file of another store stays."""
    names = [f"many.zarr@{i}.aux.xml" for i in range(40)]
    for name in [*names, "many.zarr@other.aux.xml"]:
        s3.put(name, b"<PAMDataset/>")
    s3.put("many.zarr@other/.zgroup", b'{"zarr_format": 2}')  # a store, whose sidecar file must stay
    gdal.VSICurlClearCache()
    s3.front.log()
    s3.front.rule(delay=0.05)
    dataset = gdal.GetDriverByName("Zarr").Create("/vsis3/demo/many.zarr", SIDE, SIDE)
    s3.front.rule(delay=0)
    log = s3.front.log()
    assert 16 < log["at_once"] <= 32
    asked = [path for _, path, *_ in log["requests"] if "many.zarr@" in path]
    assert len(asked) <= len(names) + 1, "what a listing shows is not looked for"
    dataset = None
    gdal.VSICurlClearCache()
    left = set(gdal.ReadDir("/vsis3/demo/"))
    assert not set(names) & left
    assert {"many.zarr@other.aux.xml", "many.zarr@other"} <= {name.rstrip("/") for name in left}


@pytest.mark.slow
def test_vsi_cache_does_not_hide_what_this_process_writes(s3):
    """With VSI_CACHE=YES, GDAL caches chunks beyond the lifetime of a dataset. After this process has
    overwritten a chunk, a read returns the new chunk and not the cached one."""
    name = "/vsis3/demo/kept.zarr"
    with zarr_gdal.config_options(VSI_CACHE="YES"):
        for value in (1, 2, 3):
            flags = gdal.OF_UPDATE | gdal.OF_RASTER
            if value == 1:
                dataset = gdal.GetDriverByName("Zarr").Create(name, SIDE, SIDE)
            else:
                dataset = gdal.OpenEx(name, flags, allowed_drivers=["Zarr"])
            dataset.GetRasterBand(1).Fill(value)
            dataset = None
            gdal.VSICurlClearCache()
            for is_kept in (False, True):
                s3.requests()
                assert_reads(open_raster(name), np.full((SIDE, SIDE), value))
                chunks = [path for _, path, _ in s3.requests() if path[-1].isdigit()]
                assert bool(chunks) != is_kept, chunks


@pytest.mark.slow
def test_a_store_is_overwritten_in_place_and_erased_by_few_requests(s3):
    driver = gdal.GetDriverByName("Zarr")
    source = gdal.GetDriverByName("MEM").Create("", SIDE, SIDE, 1, gdal.GDT_Float32)
    source.SetGCPs([gdal.GCP(1, 2, 0, 3, 4)], 'LOCAL_CS["somewhere"]')  # GDAL stores GCPs in an auxiliary file
    for value in (1, 2):
        gdal.VSICurlClearCache()
        source.GetRasterBand(1).Fill(value)
        s3.requests()
        assert driver.CreateCopy("/vsis3/demo/again.zarr", source, options=["BLOCKSIZE=8,8"])
        asked = s3.requests()
        assert len([path for method, path, _ in asked if method == "PUT"]) < 64 + 10
        erased = [path for method, path, _ in asked if method in ("DELETE", "POST")]
        assert len(erased) < 12, erased
    assert any(method == "POST" for method, *_ in asked)
    gdal.VSICurlClearCache()
    names = {key.partition("/")[0] for key in s3.keys()}
    assert not any("partial" in name for name in names), names
    assert_reads(open_raster("/vsis3/demo/again.zarr"), np.full((SIDE, SIDE), 2))


@pytest.mark.slow
def test_update_and_overviews_and_delete(s3):
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create("/vsis3/demo/change.zarr", 40, 30, 1, gdal.GDT_Int16,
                            options=["BLOCKSIZE=16,16"])  # fmt: skip
    dataset.GetRasterBand(1).WriteArray(np.full((10, 10), 3, "i2"), 12, 12)
    dataset = None
    dataset = gdal.OpenEx('ZARR:"s3://demo/change.zarr"', gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((2, 2), 5, "i2"), 0, 0)
    dataset.SetMetadataItem("COLOUR", "blue")
    assert dataset.BuildOverviews("NEAREST", [2]) == 0
    dataset = None
    dataset = open_raster('ZARR:"s3://demo/change.zarr"')
    values = dataset.GetRasterBand(1).ReadAsArray()
    assert values.sum() == 3 * 100 + 5 * 4 and values[0, 0] == 5 and values[12, 12] == 3
    assert dataset.GetMetadataItem("COLOUR") == "blue"
    assert dataset.GetRasterBand(1).GetOverview(0).ReadAsArray()[0, 0] == 5
    dataset = None
    with zarr_gdal.error_log() as log:
        assert driver.Delete("/vsis3/demo/change.zarr") == 0
    assert log.events == []
    gdal.VSICurlClearCache()
    assert [key for key in s3.keys() if key.startswith("change.zarr")] == []


def test_chunk_that_cannot_be_written_is_an_error(s3):
    """The new store, which would lack pixels, does not open."""
    s3.front.rule(status={f"/demo/refused.zarr/refused/{key(1, 0)}": [500, -1]})
    driver = gdal.GetDriverByName("Zarr")
    dataset = driver.Create("/vsis3/demo/refused.zarr", 8, 16, 1, gdal.GDT_Byte,
                            options=["BLOCKSIZE=8,8"])  # fmt: skip
    dataset.GetRasterBand(1).WriteArray(np.ones((16, 8), "u1"))
    for is_closed in (False, True):
        with zarr_gdal.error_log() as log:
            if is_closed:
                dataset = None
            else:
                dataset.FlushCache()
        assert log.errors and all(f"refused/{key(1, 0)}: cannot" in text for text in log.errors), log.events
        assert "the new store stays invisible" in log.errors[-1]
    s3.front.rule(status={})
    gdal.VSICurlClearCache()
    with zarr_gdal.error_log() as log:
        assert gdal.Open("ZARR:s3://demo/refused.zarr") is None
    assert "not a Zarr store" in log.the_error()
