# SPDX-License-Identifier: MIT
"""Reads stores on a web server: right values, one request for each chunk, and many concurrent requests. If
the server fails, the error names the chunk; no fill value is returned."""

import email.utils
import resource
import time
import zipfile

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
from osgeo import gdal, osr
from zarr_gdal import error_log, open_raster
from zarr_http import Served
from zarr_processes import MEASURES, Process
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

SIDE, CHUNK = 64, 8  # 8 x 8 = 64 chunks
VALUES = np.arange(SIDE * SIDE, dtype="<f4").reshape(SIDE, SIDE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zarr_format):
    """Returns a folder with stores: the array `plain.zarr`, and the groups `group.zarr` and
    `consolidated.zarr`, which contain the array /dem."""
    folder = tmp_path_factory.mktemp("served")
    options = {"chunks": (CHUNK, CHUNK)}
    make_array(folder, VALUES, "plain.zarr", fill_value=-1, **options)
    make_array(folder, VALUES, "raw.zarr", compressor=None, chunks=(SIDE, SIDE))
    big = np.arange(1024 * 1024, dtype="<u4").reshape(1024, 1024)
    make_array(folder, big, "raw-big.zarr", compressor=None, chunks=(512, 1024))
    make_array(folder, big, "blosc-big.zarr", chunks=(512, 1024))
    dem = {"values": VALUES, "dims": ("y", "x"), **options}
    arrays = {"dem": dem, "my dem #1": dem}
    for axis in "xy":
        arrays[axis] = {"values": np.arange(SIDE) + 0.5, "dims": (axis,)}
    make_store(folder, arrays, name="group.zarr")
    make_store(folder, arrays, name="consolidated.zarr", consolidated=True)
    return folder


@pytest.fixture
def server(folder):
    with Served(folder) as served:
        yield served


def key(path):
    """Converts the path of a Zarr v2 metadata document or chunk to the corresponding path in the tested format."""
    store, _, name = path.rpartition("/")
    if not zarr_formats.is_v3() or ".zarr" not in store:
        return path
    name = "zarr.json" if name.startswith(".z") else "c/" + name.replace(".", "/")
    return f"{store}/{name}"


def shown(path):
    """Converts a path on the server to the key in its store, which error messages show."""
    return key(path).partition(".zarr/")[2]


def paths_of(requests):
    return [path for _, path, *_ in requests]


def assert_reads(dataset, expected=VALUES):
    np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), expected)


@pytest.mark.parametrize("prefix", ["http://", "/vsicurl/http://"])
@pytest.mark.slow
def test_consolidated_store_opens_with_few_requests(server, prefix):
    """An array opens with few requests. The driver requests metadata documents of Zarr v2 only if the server has none
    of Zarr v3."""
    url = server.url.replace("http://", prefix)
    with zarr_gdal.config_options(GDAL_PAM_ENABLED="YES"):
        dataset = open_raster(f'ZARR:"{url}/consolidated.zarr":/dem')
        asked = server.requests()
        root = "/consolidated.zarr"
        is_v3 = zarr_formats.is_v3()
        # The request for the .aux.xml file is left out of `asked`, because another thread sends it at an unknown time.
        assert ("GET", f"{root}.aux.xml", None, 404) in map(tuple, asked)
        asked = [tuple(each) for each in asked if not each[1].endswith(".aux.xml")]
        first = {("GET", f"{root}/{name}", None, 200 if is_v3 else 404) for name in ("zarr.json", "dem/zarr.json")}
        assert set(asked[:2]) == first
        assert sorted(path.removeprefix(root + "/") for _, path, *_ in asked[2:]) == (
            [] if is_v3 else [".zattrs", ".zmetadata", "dem/.zarray", "dem/.zattrs", "dem/.zgroup"]
        )
        assert dataset.GetRasterBand(1).GetOverviewCount() == 0
        assert server.requests() == []
    assert_reads(dataset)
    assert dataset.GetGeoTransform()[:2] == (0.0, 1.0)


def test_auxiliary_file_of_a_served_store_is_read(folder, server):
    auxiliary = folder / "plain.zarr.aux.xml"
    auxiliary.write_text(
        '<PAMDataset><Metadata><MDI key="FROM">aux</MDI></Metadata></PAMDataset>', encoding="utf-8"
    )
    try:
        with zarr_gdal.config_options(GDAL_PAM_ENABLED="YES"):
            dataset = open_raster(f"ZARR:{server.url}/plain.zarr")
            assert dataset.GetMetadataItem("FROM") == "aux"
    finally:
        auxiliary.unlink()


@pytest.mark.slow
def test_array_without_consolidated_metadata_opens_with_six_requests(server):
    with zarr_gdal.config_options(GDAL_PAM_ENABLED="YES"):
        dataset = open_raster(f'ZARR:"{server.url}/plain.zarr"')
    asked = server.requests()
    assert len(asked) <= 6 and {method for method, *_ in asked} == {"GET"}, asked
    assert_reads(dataset)


def test_no_document_is_requested_twice(server):
    dataset = open_raster(f'ZARR:"{server.url}/group.zarr":/dem')
    assert dataset.GetGeoTransform()[:2] == (0.0, 1.0)
    assert_reads(dataset)
    asked = paths_of(server.requests())
    assert len(asked) == len(set(asked)), asked


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_chunks_take_one_request_each_and_many_at_a_time(server, threads):
    server.rule(delay=0.05)
    dataset = open_raster(
        f'ZARR:"{server.url}/consolidated.zarr":/dem', f"NUM_THREADS={threads}"
    )
    server.log()
    assert_reads(dataset)
    log = server.log()
    paths = [path for _, path, *_ in log["requests"]]
    assert sorted(paths) == sorted(
        key(f"/consolidated.zarr/dem/{i}.{j}") for i in range(8) for j in range(8)
    )
    assert log["at_once"] >= 16


@pytest.mark.slow
def test_resampled_read_asks_for_its_chunks_at_the_same_time(server):
    server.rule(delay=0.05)
    dataset = open_raster(f'ZARR:"{server.url}/consolidated.zarr":/dem')
    server.log()
    half = dataset.GetRasterBand(1).ReadAsArray(buf_xsize=SIDE // 2, buf_ysize=SIDE // 2)
    np.testing.assert_array_equal(half, VALUES[1::2, 1::2])
    log = server.log()
    assert len(log["requests"]) == 64 and log["at_once"] >= 16


def test_multidimensional_read_takes_one_request_for_a_chunk(server):
    dataset = gdal.OpenEx(f'ZARR:"{server.url}/consolidated.zarr"', gdal.OF_MULTIDIM_RASTER)
    array = dataset.GetRootGroup().OpenMDArray("dem")
    server.log()
    np.testing.assert_array_equal(array.ReadAsArray(), VALUES)
    chunks = [path for path in paths_of(server.requests()) if "/dem/" in path]
    assert len(chunks) == len(set(chunks)) == 64


def test_part_of_a_large_uncompressed_chunk_is_a_range(server):
    dataset = open_raster(f'ZARR:"{server.url}/raw-big.zarr"')
    server.log()
    part = dataset.GetRasterBand(1).ReadAsArray(3, 700, 5, 1)
    np.testing.assert_array_equal(part, [700 * 1024 + np.arange(3, 8)])
    begin = 4 * (188 * 1024 + 3)
    assert server.requests() == [
        ("GET", key("/raw-big.zarr/1.0"), f"bytes={begin}-{begin + 19}", 206)
    ]


def test_parts_of_a_large_compressed_chunk_take_one_request_together(server):
    dataset = open_raster(f'ZARR:"{server.url}/blosc-big.zarr"')
    server.log()
    for y in (600, 700, 900):
        part = dataset.GetRasterBand(1).ReadAsArray(3, y, 5, 1)
        np.testing.assert_array_equal(part, [y * 1024 + np.arange(3, 8)])
    assert paths_of(server.requests()) == [key("/blosc-big.zarr/1.0")]


@pytest.mark.parametrize("name", ["plain.zarr", "consolidated.zarr"])
def test_plain_path_of_a_store(server, name):
    dataset = open_raster(f"/vsicurl/{server.url}/{name}")
    if dataset.RasterCount == 0:
        names = [n for n, _ in dataset.GetSubDatasets()]
        assert any(n.endswith(":/dem") for n in names), names
        dataset = open_raster(next(n for n in names if n.endswith(":/dem")))
    assert_reads(dataset)


def test_names_are_percent_encoded(server):
    dataset = open_raster(f'ZARR:"{server.url}/consolidated.zarr":/my dem #1')
    server.log()
    assert_reads(dataset)
    assert key("/consolidated.zarr/my dem #1/0.0") in paths_of(server.requests())


def test_query_of_a_url_stays_at_its_end(server):
    dataset = open_raster(f'ZARR:"{server.url}/plain.zarr?token=a%20b"')
    assert_reads(dataset)
    assert set(path.partition("?")[2] for path in paths_of(server.requests())) == {"token=a b"}


def test_absent_chunk_reads_as_fill_value(folder, server):
    server.rule(status={key("/plain.zarr/0.1"): [404, -1], key("/plain.zarr/1.1"): [410, -1]})
    expected = VALUES.copy()
    expected[0:8, 8:16] = expected[8:16, 8:16] = -1
    assert_reads(open_raster(f'ZARR:"{server.url}/plain.zarr"'), expected)


@pytest.mark.parametrize("status", [400, 401, 403, 500, 503])
def test_refused_chunk_is_an_error(server, status):
    server.rule(status={key("/plain.zarr/3.2"): [status, -1]})
    dataset = open_raster(f'ZARR:"{server.url}/plain.zarr"')
    with zarr_gdal.error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray() is None
    assert f"plain.zarr: {shown('plain.zarr/3.2')}" in log.the_error() and str(status) in log.the_error()
    server.rule(status={})
    assert_reads(dataset)


def test_chunk_that_ends_early_is_an_error(server):
    server.rule(drop={key("/raw.zarr/0.0"): 1000})
    dataset = open_raster(f'ZARR:"{server.url}/raw.zarr"')
    with zarr_gdal.error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray() is None
    assert f"raw.zarr: {shown('raw.zarr/0.0')}" in log.the_error()


@pytest.mark.parametrize("what", ["raw.zarr/0.0", "raw.zarr/.zarray"])
def test_transient_failure_is_retried_with_gdal_http_max_retry(server, what):
    what = key("/" + what)
    server.rule(status={what: [503, 2]})
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="3", GDAL_HTTP_RETRY_DELAY="0.01"):
        assert_reads(open_raster(f'ZARR:"{server.url}/raw.zarr"'))
    assert paths_of(server.requests()).count(what) == 3


def in_three_seconds():
    return email.utils.formatdate(time.time() + 3, usegmt=True)


@pytest.mark.parametrize("after", ["1", in_three_seconds, "not a time", "-5", "1e9"])
@pytest.mark.slow
def test_retry_after_is_obeyed(server, after):
    """A server with a rate limit sends the header Retry-After. The driver does not retry a request earlier than the
    header states. If the header states a long time, the driver does not retry at all."""
    what = key("/raw.zarr/0.0")
    start = time.monotonic()
    value = after() if callable(after) else after
    server.rule(status={what: [429, 1]}, **{"with": {"Retry-After": value}})
    dataset = open_raster(f'ZARR:"{server.url}/raw.zarr"')
    if not callable(after):
        start = time.monotonic()
    with zarr_gdal.config_options(GDAL_HTTP_MAX_RETRY="2", GDAL_HTTP_RETRY_DELAY="0.01"):
        if after == "1e9":
            with zarr_gdal.error_log() as log:
                assert dataset.GetRasterBand(1).ReadAsArray() is None
            assert "429" in log.the_error()
        else:
            assert_reads(dataset)
    server.rule(**{"with": {}})
    waited = time.monotonic() - start
    # in_three_seconds() rounds down to whole seconds, so its date is two to three seconds away.
    least = 1.9 if callable(after) else 0.9
    assert waited >= least if after == "1" or callable(after) else waited < 5


@pytest.mark.parametrize("codes, is_retried", [(None, True), ("500,503", True), ("429,503", False), ("ALL", True)])
def test_codes_that_are_retried(server, codes, is_retried):
    server.rule(status={key("/raw.zarr/0.0"): [500, 1]})
    options = {"GDAL_HTTP_MAX_RETRY": "1", "GDAL_HTTP_RETRY_DELAY": "0.01"}
    if codes:
        options["GDAL_HTTP_RETRY_CODES"] = codes
    dataset = open_raster(f'ZARR:"{server.url}/raw.zarr"')
    with zarr_gdal.config_options(**options), zarr_gdal.error_log() as log:
        read = dataset.GetRasterBand(1).ReadAsArray()
    assert (read is not None) == is_retried, log.errors
    server.rule(status={})


def test_range_does_not_apply_to_the_next_request(server):
    dataset = open_raster(f'ZARR:"{server.url}/raw-big.zarr"')
    whole = np.arange(1024 * 1024, dtype="<u4").reshape(1024, 1024)
    for y in (700, 701):
        np.testing.assert_array_equal(
            dataset.GetRasterBand(1).ReadAsArray(3, y, 5, 1), whole[y : y + 1, 3:8]
        )
    assert_reads(dataset, whole)


def test_server_without_ranges(server):
    server.rule(no_ranges=True)
    dataset = open_raster(f'ZARR:"{server.url}/raw-big.zarr"')
    part = dataset.GetRasterBand(1).ReadAsArray(3, 700, 5, 1)
    np.testing.assert_array_equal(part, [700 * 1024 + np.arange(3, 8)])


@pytest.mark.parametrize(
    "part",
    [{"shift": 4}, {"shift": -4}, {"cut": 4}, {"says": "bytes 0-19/2097152"}, {"says": "bytes 5-1/7"},
     {"says": "bytes */2097152"}, {"says": "pages 1-2/3"}, {"says": "bytes 18446744073709551615-0/1"}],
    ids=str,
)  # fmt: skip
def test_range_with_other_bytes_is_an_error(server, part):
    server.rule(part=part)
    dataset = open_raster(f'ZARR:"{server.url}/raw-big.zarr"')
    with error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray(3, 700, 5, 1) is None
    assert shown("raw-big.zarr/1.0") in log.the_error() and "but the request asked for bytes from offset " in log.the_error()
    server.rule(part={"says": "bytes 770060-770079/*"})  # a server may give "*" as the total size
    if part == {"shift": 4}:
        part = dataset.GetRasterBand(1).ReadAsArray(3, 700, 5, 1)
        np.testing.assert_array_equal(part, [700 * 1024 + np.arange(3, 8)])


@pytest.mark.parametrize("status", [204, 301, 304, 307, 600, 999])
@pytest.mark.parametrize("name", ["plain.zarr/0.0", "raw.zarr/0.0", "raw.zarr/.zarray"])
def test_answer_without_success_is_an_error(server, name, status):
    server.rule(status={key(f"/{name}"): [status, -1]})
    with error_log() as log:
        dataset = gdal.Open(f'ZARR:"{server.url}/{name.partition("/")[0]}"')
        assert dataset is None or dataset.ReadAsArray() is None
    assert shown(name) in log.the_error()


@pytest.mark.parametrize("name", ["plain.zarr/0.0", "raw.zarr/.zarray", "raw-big.zarr/0.0", "s.zip"])
def test_endless_answer_does_not_exhaust_memory(server, folder, name):
    with zipfile.ZipFile(folder / "s.zip", "w") as archive:
        for file in (folder / "raw.zarr").rglob("*"):
            archive.write(file, file.relative_to(folder / "raw.zarr"))

    def work(report):
        server.rule(endless=[key(f"/{name}")])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with error_log() as log, zarr_gdal.config_options(ZARR_MAX_CHUNK_SIZE="64MB"):
            url = f"{server.url}/{name}"
            url = url if name == "s.zip" else url.rpartition("/")[0]
            dataset = gdal.Open(f'ZARR:"{url}"')
            if dataset is not None:
                dataset.GetRasterBand(1).ReadAsArray(0, 0, 64, 64)
        report(f"{len(log.errors)}")
        report(str((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024))

    errors, megabytes = Process(work).succeed()
    assert errors == "1"
    assert not MEASURES or int(megabytes) < 600


def test_absent_chunks_are_requested_once(server):
    server.rule(status={key("/plain.zarr/0.*"): [404, -1]})
    dataset = open_raster(f'ZARR:"{server.url}/plain.zarr"')
    expected = VALUES.copy()
    expected[0:8] = -1
    server.log()
    for _ in range(3):
        assert_reads(dataset, expected)
    absent = [path for _, path, _, status in server.requests() if status == 404]
    # The metadata states the separator of chunk keys, so the driver requests each chunk by one key only.
    assert sorted(absent) == sorted(key(f"/plain.zarr/0.{j}") for j in range(8))
    # Chunks that were absent appear on the server. They are read after the store is opened again.
    server.rule(status={})
    again = open_raster(f'ZARR:"{server.url}/plain.zarr"')
    assert_reads(again, VALUES)


@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_missing_on_403(server, flags):
    refused = {key("/plain.zarr/1.*"): [403, -1], "/plain.zarr/.zattrs": [403, -1]}
    server.rule(status={**refused, "/plain.zarr/.zmetadata": [403, -1]})
    name = f'ZARR:"{server.url}/plain.zarr"'
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, flags)
        if zarr_formats.is_v3() and flags == gdal.OF_RASTER:
            assert dataset.ReadAsArray() is None
        elif zarr_formats.is_v3():
            group = dataset.GetRootGroup()
            assert zarr_mdim.read(group.OpenMDArray(group.GetMDArrayNames()[0])) is None
        else:
            assert dataset is None
    assert (shown("plain.zarr/1.") if zarr_formats.is_v3() else ".zmetadata") in log.the_error() and "MISSING_ON_403=YES" in log.the_error()
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, flags, open_options=["MISSING_ON_403=YES"])
        if flags == gdal.OF_RASTER:
            values = dataset.GetRasterBand(1).ReadAsArray()
        else:
            group = dataset.GetRootGroup()
            values = group.OpenMDArray(group.GetMDArrayNames()[0]).ReadAsArray()
    expected = VALUES.copy()
    expected[8:16] = -1
    np.testing.assert_array_equal(values, expected)
    assert log.events == []


@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
@pytest.mark.parametrize("name", ["consolidated.zarr", "consolidated.zarr:/dem"])
@pytest.mark.slow
def test_a_consolidated_store_on_a_server_that_answers_403(server, flags, name):
    server.rule(absent=403)
    store, _, node = name.partition(":")
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(f'ZARR:"{server.url}/{store}"' + (node and ":" + node), flags)
        if flags == gdal.OF_RASTER:
            if not node:
                dataset = gdal.Open(
                    next(name for name, _ in dataset.GetSubDatasets() if name.endswith("/dem"))
                )
            values = dataset.ReadAsArray()
            assert dataset.GetGeoTransform() == (0, 1, 0, 0, 0, 1)
        else:
            values = dataset.GetRootGroup().OpenMDArray("dem").ReadAsArray()
    np.testing.assert_array_equal(values, VALUES)
    assert log.events == []


def test_refused_and_required_objects_are_an_error(server):
    server.rule(absent=403)
    with zarr_gdal.error_log() as log:
        assert gdal.Open(f'ZARR:"{server.url}/nothing.zarr"') is None
    assert "MISSING_ON_403=YES" in log.the_error()
    server.rule(status={"/consolidated.zarr/" + ("dem/c/0/0" if zarr_formats.is_v3() else "dem/0.0"): [403, -1]})
    dataset = open_raster(f'ZARR:"{server.url}/consolidated.zarr":/dem')
    with zarr_gdal.error_log() as log:
        assert dataset.ReadAsArray() is None
    assert "dem/" in log.the_error() and "MISSING_ON_403=YES" in log.the_error()


@pytest.mark.parametrize("described", [
    {"layout": [{"asset": "0"}, {"asset": "1"}]}, [{"version": "0.4", "datasets": [{"path": "0"}, {"path": "1"}]}],
], ids=["layout", "datasets"])
@pytest.mark.parametrize("absent", [404, 403])
def test_a_pyramid_of_groups_without_a_listing(tmp_path, described, absent):
    """Without a listing, the driver cannot find the arrays in the groups of a pyramid. Opening the pyramid is therefore
    an error."""
    arrays = {f"{k}/band": {"values": VALUES[:: k + 1, :: k + 1], "dims": ("y", "x")} for k in range(2)}
    make_store(tmp_path, arrays, {"multiscales": described}, name="p.zarr")
    with Served(tmp_path) as server:
        server.rule(absent=absent)
        with zarr_gdal.error_log() as log:
            assert gdal.Open(f'ZARR:"{server.url}/p.zarr"') is None
        if absent == 404 or zarr_formats.is_v3():
            assert "the server returns no listing" in log.the_error()
        else:  # in v2, the error names .zmetadata, because this refused document might exist
            assert ".zmetadata" in log.the_error() and "MISSING_ON_403" in log.the_error()
        assert len(log.events) == 1
        # An array opens by its path even without a listing.
        server.rule(absent=404)
        assert_reads(open_raster(f'ZARR:"{server.url}/p.zarr":/0/band'), VALUES)


@pytest.mark.parametrize("refused, warned", [
    (["crs"], ["crs"]), (["x"], ["x"]), (["x", "crs"], ["crs", "x"]), (["x", "y"], ["y", "x"]), (["lat"], []), (["other"], []),
], ids=" ".join)
def test_refused_georeferencing_gives_a_warning(tmp_path, refused, warned):
    """The driver gives a warning if the server refuses a coordinate array or grid mapping that an attribute names. The
    driver also gives a warning for a refused coordinate array if the other axis has one. A guessed name gives no
    warning."""
    wkt = osr.SpatialReference()
    wkt.ImportFromEPSG(32632)
    arrays = {
        "t": {"values": np.zeros((3, 4)), "dims": ("y", "x"), "attrs": {"grid_mapping": "crs"}},
        "plain": {"values": np.zeros((5, 6)), "dims": ("lat", "lon")},
        "y": {"values": [25.0, 15.0, 5.0], "dims": ("y",)},
        "x": {"values": [5.0, 15.0, 25.0, 35.0], "dims": ("x",)},
        "crs": {"values": np.array(0), "dims": (), "attrs": {"crs_wkt": wkt.ExportToWkt()}},
    }
    make_store(tmp_path, arrays, name="p.zarr")
    with Served(tmp_path) as server:
        # In v2, the server answers 404 for absent metadata documents. If it answered 403 for the absent consolidated
        # metadata, the store would not open.
        absent = 403 if zarr_formats.is_v3() else 404
        server.rule(absent=absent, status={f"/p.zarr/{each}/*": [403, -1] for each in refused})
        name = f'ZARR:"{server.url}/p.zarr":'
        with zarr_gdal.error_log() as log:
            dataset = gdal.Open(name + "/t")
            plain = gdal.Open(name + "/plain")
            assert plain.GetGeoTransform(can_return_null=True) is None
            place = dataset.GetGeoTransform(can_return_null=True), dataset.GetSpatialRef()
        assert (place[0] is None) == bool({"x", "y"} & set(refused))
        assert (place[1] is None) == ("crs" in refused)
        texts = [text for _, _, text in log.events]
        assert len(texts) == len(warned), texts
        for text, key_ in zip(texts, warned):
            assert f"{key_}/" in text and "403" in text and "MISSING_ON_403=YES" in text
            assert "names no variable" not in text
        with zarr_gdal.error_log() as log:
            dataset = open_raster(name + "/t", "MISSING_ON_403=YES")
            dataset.GetGeoTransform()
        assert all("names no variable" in text for _, _, text in log.events)


@pytest.mark.parametrize("name", ["MISSING_ON_403", "ZARR_MISSING_ON_403"])
def test_missing_on_403_as_a_configuration_option(server, name):
    server.rule(status={key("/plain.zarr/1.*"): [403, -1]})
    expected = VALUES.copy()
    expected[8:16] = -1
    with zarr_gdal.config_options(**{name: "YES"}):
        dataset = open_raster(f'ZARR:"{server.url}/plain.zarr"')
        np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), expected)
        # The open option MISSING_ON_403 takes precedence over the configuration option.
        strict = open_raster(f'ZARR:"{server.url}/plain.zarr"', "MISSING_ON_403=NO")
        with zarr_gdal.error_log() as log:
            assert strict.GetRasterBand(1).ReadAsArray() is None
        assert "403" in log.the_error()


def test_missing_on_403_applies_only_to_403(server):
    server.rule(status={key("/plain.zarr/1.1"): [500, -1]})
    dataset = open_raster(f'ZARR:"{server.url}/plain.zarr"', "MISSING_ON_403=YES")
    with zarr_gdal.error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray() is None
    assert "500" in log.the_error()


def test_cache_tile_presence_gives_a_warning_on_a_web_server(server):
    server.rule(lists=True)
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(
            f'ZARR:"{server.url}/plain.zarr"', open_options=["CACHE_TILE_PRESENCE=YES"]
        )
    assert log.errors == [] and len(log.warnings) == 1
    assert "CACHE_TILE_PRESENCE" in log.warnings[0] and "returns no listing" in log.warnings[0]
    assert_reads(dataset)


def test_headers_that_a_server_requires(server):
    server.rule(header=["X-Token", "abc, def"])
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f'ZARR:"{server.url}/plain.zarr"') is None
    assert "401" in log.the_error()
    with zarr_gdal.config_options(GDAL_HTTP_HEADERS='"X-Token: abc, def",X-Other: 1'):
        assert_reads(open_raster(f'ZARR:"{server.url}/plain.zarr"'))


def test_headers_of_one_server_are_not_sent_to_another(folder, server):
    server.rule(header=["X-Token", "abc"])
    path = f"/vsicurl/{server.url}/"
    gdal.SetPathSpecificOption(path, "GDAL_HTTP_HEADERS", "X-Token: abc")
    gdal.SetPathSpecificOption(path, "GDAL_HTTP_USERPWD", "user:secret")
    try:
        assert_reads(open_raster(f'ZARR:"{server.url}/plain.zarr"'))
        with Served(folder) as other:
            other.rule(unwanted=["X-Token", "Authorization"])
            assert_reads(open_raster(f'ZARR:"{other.url}/plain.zarr"'))
    finally:
        gdal.ClearPathSpecificOptions(path)
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f'ZARR:"{server.url}/plain.zarr"') is None
    assert "401" in log.the_error()


@pytest.mark.parametrize("document", [".zmetadata", ".zarray"])
def test_refused_metadata_are_an_error(server, document):
    server.rule(status={key("/plain.zarr/" + document): [500, -1]})
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f'ZARR:"{server.url}/plain.zarr"', gdal.OF_RASTER) is None
    assert shown("plain.zarr/" + document) in log.the_error() and "500" in log.the_error()


@zarr_formats.V2
def test_refused_attributes_are_a_warning(server):
    server.rule(status={"/plain.zarr/.zattrs": [500, -1]})
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(f'ZARR:"{server.url}/plain.zarr"', gdal.OF_RASTER)
    assert_reads(dataset)
    assert log.errors == [] and ".zattrs" in log.warnings[0] and "500" in log.warnings[0]


def test_a_missing_store_is_an_error(server):
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f'ZARR:"{server.url}/nothing.zarr"', gdal.OF_RASTER) is None
    assert "not a Zarr store" in log.errors[0]


@pytest.mark.parametrize("prefix", ["http://", "/vsicurl/http://", 'ZARR:"http://'])
def test_each_attempt_to_write_is_one_error(folder, server, prefix):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    url = server.url.replace("http://", prefix) + "/{}" + '"' * prefix.startswith("ZARR:")
    driver = gdal.GetDriverByName("Zarr")
    source = gdal.GetDriverByName("MEM").Create("", 4, 4)
    plain = url.format("plain.zarr")
    for what in (
        lambda: driver.CreateCopy(url.format("new.zarr"), source),
        lambda: driver.Create(url.format("new.zarr"), 4, 4),
        lambda: driver.CreateMultiDimensional(url.format("new.zarr")),
        lambda: gdal.OpenEx(plain, gdal.OF_RASTER | gdal.OF_UPDATE),
        lambda: gdal.OpenEx(plain, gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE),
        lambda: driver.Delete(plain) == gdal.CE_None or None,
        lambda: driver.Rename("/vsimem/other.zarr", plain) == gdal.CE_None or None,
    ):
        with zarr_gdal.error_log() as log:
            assert what() is None
        told = [text for text in log.errors if "Only read-only mode" not in text]  # leaves out GDAL's own error
        assert len(told) == 1 and told[0].endswith(": HTTP stores are read-only")
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_group_that_cannot_be_listed_is_an_error(server):
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f'ZARR:"{server.url}/group.zarr"', gdal.OF_RASTER) is None
    assert "group.zarr: the server returns no listing" in log.the_error()


def test_server_that_does_not_answer_is_an_error(folder):
    with Served(folder) as served:
        dataset = open_raster(f'ZARR:"{served.url}/plain.zarr"')
    with zarr_gdal.error_log() as log:
        assert dataset.GetRasterBand(1).ReadAsArray() is None
    assert "plain.zarr: " in log.the_error()


def test_an_array_on_a_server_opens_in_one_round_trip(tmp_path):
    """An array opens in one round trip. Reading its only chunk then takes one request."""
    values = np.arange(16, dtype="<u2").reshape(4, 4)
    make_array(tmp_path, values, chunks=(4, 4))
    with Served(tmp_path) as server:
        server.rule(delay=0.05)
        gdal.VSICurlClearCache()
        server.log()
        dataset = gdal.OpenEx(f'ZARR:"/vsicurl/{server.url}/array.zarr"', gdal.OF_MULTIDIM_RASTER)
        group = dataset.GetRootGroup()
        array = group.OpenMDArray(group.GetMDArrayNames()[0])
        assert server.log()["in_turn"] == 1
        np.testing.assert_array_equal(array.ReadAsArray(), values)
        log = server.log()
        assert log["in_turn"] == 1 and len(log["requests"]) == 1, log
