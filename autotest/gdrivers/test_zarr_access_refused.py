# SPDX-License-Identifier: MIT
"""If an object store refuses access, the error says what the server or GDAL says, and which options to set."""

import os

import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, error_log
from zarr_refusing import ACCOUNTS, refusing, servers

pytestmark = zarr_formats.BOTH  # the first request that is refused differs
REFUSALS = {
    "InvalidAccessKeyId": (403, "The AWS Access Key Id you provided does not exist in our records."),
    "SignatureDoesNotMatch": (403, "The request signature does not match the signature you provided."),
    "ExpiredToken": (400, "The provided token has expired."),
    "AccessDenied": (403, "Access Denied"),
    "NoSuchBucket": (404, "The specified bucket does not exist"),
}
ANONYMOUS = {"s3://": "AWS_NO_SIGN_REQUEST", "gs://": "GS_NO_SIGN_REQUEST", "az://": "AZURE_NO_SIGN_REQUEST"}


def source():
    return gdal.GetDriverByName("MEM").Create("", 3, 2)


def create(name):
    """The documents of a new store are written when it is closed."""
    gdal.GetDriverByName("Zarr").Create(name, 3, 2)


def create_groups(name):
    gdal.GetDriverByName("Zarr").CreateMultiDimensional(name)


ATTEMPTS = {
    "open": lambda name: gdal.OpenEx(f"ZARR:{name}" if name.startswith("/vsi") else name),
    "open for update": lambda name: gdal.OpenEx(f"ZARR:{name}" if name.startswith("/vsi") else name, gdal.OF_UPDATE),
    "open groups": lambda name: gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER),
    "create": create,
    "copy": lambda name: gdal.GetDriverByName("Zarr").CreateCopy(name, source()),
    "create groups": create_groups,
    "append": lambda name: gdal.GetDriverByName("Zarr").CreateCopy(
        name, source(), options=["APPEND_SUBDATASET=YES", "ARRAY_NAME=b"]),
}  # fmt: skip


@pytest.mark.parametrize("attempt, code", [
    *((attempt, "InvalidAccessKeyId") for attempt in ATTEMPTS), *(("open", code) for code in REFUSALS),
    ("create groups", "ExpiredToken"),
])  # fmt: skip
def test_what_the_server_says(attempt, code):
    status, message = REFUSALS[code]
    with refusing(status, code, message) as (address, _), config_options(**servers(address), **ACCOUNTS["s3://"]):
        gdal.VSICurlClearCache()
        with error_log() as log:
            assert ATTEMPTS[attempt]("s3://demo/x.zarr") is None
    assert len(log.errors) == 1, log.events
    assert f"the server says {code}: {message}" in log.errors[0]
    assert "AWS_NO_SIGN_REQUEST=YES" in log.errors[0] and "not a Zarr store" not in log.errors[0]
    assert "wrong" not in log.errors[0]


@pytest.mark.parametrize("scheme", ACCOUNTS)
@pytest.mark.parametrize("attempt", ["open", "create"])
def test_other_object_stores(scheme, attempt):
    options = {} if scheme == "az://" else ACCOUNTS[scheme]
    with refusing(403, "AuthenticationFailed", "Wrong signature.") as (address, _):
        with config_options(**servers(address), **options), error_log() as log:
            gdal.VSICurlClearCache()
            assert ATTEMPTS[attempt](f"{scheme}demo/x.zarr") is None
    assert len(log.errors) == 1, log.events
    assert "the server says AuthenticationFailed: Wrong signature." in log.errors[0]
    assert ANONYMOUS[scheme] in log.errors[0]


@pytest.mark.parametrize("attempt", ["open", "open groups", "create", "copy"])
@pytest.mark.slow
def test_without_credentials(tmp_path, attempt, monkeypatch):
    """No request is sent to the object store. GDAL looks for credentials with each request, and reports each time that
    it finds none."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with refusing(403, "AccessDenied", "Access Denied") as (address, requests):
        options = {**servers(address), "CPL_AWS_CREDENTIALS_FILE": str(tmp_path / "none"),
                   "AWS_CONFIG_FILE": str(tmp_path / "none"), "CPL_AWS_AUTODETECT_EC2": "NO",
                   "CPL_AWS_EC2_API_ROOT_URL": f"http://{address}"}  # fmt: skip
        with config_options(**options), error_log() as log:
            gdal.VSICurlClearCache()
            assert ATTEMPTS[attempt]("s3://demo/x.zarr") is None
    assert len(log.errors) == 1, log.events
    assert "GDAL says " in log.errors[0] and "AWS_SECRET_ACCESS_KEY" in log.errors[0]
    assert not [path for _, path in requests if "demo" in path]


def test_an_absent_store_is_not_refused():
    with refusing(404, "NoSuchKey", "The specified key does not exist.") as (address, _):
        with config_options(**servers(address), **ACCOUNTS["s3://"]), error_log() as log:
            gdal.VSICurlClearCache()
            assert ATTEMPTS["open"]("s3://demo/x.zarr") is None
    assert len(log.errors) == 1 and "not a Zarr store" in log.errors[0]


def test_text_of_a_server_is_cleaned():
    with refusing(403, "A\x1b[31mB", "x" * 3000) as (address, _):
        with config_options(**servers(address), **ACCOUNTS["s3://"]), error_log() as log:
            gdal.VSICurlClearCache()
            assert ATTEMPTS["open"]("s3://demo/x.zarr") is None
    assert "A [31mB: " in log.errors[0] and len(log.errors[0]) < 900
