# SPDX-License-Identifier: MIT
"""Stores on a web server with HTTP/2. The driver uses HTTP/2 unless options of GDAL select another version."""

import json
import pathlib
import subprocess

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_gdal import open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH

SERVER = pathlib.Path(__file__).with_name("http2_server.cjs")
VALUES = np.arange(1, 33 * 31 + 1, dtype="<u2").reshape(33, 31)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return key, certificate


@pytest.mark.parametrize(("chosen", "version"), [(None, "2.0"), ("for all", "1.1"), ("for a path", "1.1")])
def test_server_with_http_2(tmp_path, certificate, chosen, version):
    arrays = {"dem": {"values": VALUES, "dims": ("y", "x"), "chunks": (8, 8)}}
    make_store(tmp_path, arrays, name="a.zarr", consolidated=True)
    command = ["node", SERVER, tmp_path, *certificate]
    gdal.VSICurlClearCache()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        url = f"https://127.0.0.1:{server.stdout.readline().strip()}/a.zarr"
        if chosen == "for a path":
            gdal.SetPathSpecificOption(f"/vsicurl/{url}", "GDAL_HTTP_VERSION", "1.1")
        options = {"GDAL_HTTP_VERSION": "1.1"} if chosen == "for all" else {}
        with zarr_gdal.config_options(GDAL_HTTP_UNSAFESSL="YES", **options):
            dataset = open_raster(f'ZARR:"{url}":/dem')
            np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), VALUES)
            dataset = None
        gdal.ClearPathSpecificOptions(f"/vsicurl/{url}")
        asked = json.loads(server.communicate()[0])
    chunks = [of for path, of in asked if path[-1].isdigit()]
    assert len(chunks) == 20 and set(chunks) == {version}, asked
