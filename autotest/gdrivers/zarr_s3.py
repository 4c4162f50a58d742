# SPDX-License-Identifier: MIT
"""An S3 server (s3rver, from npm) on loopback. The server of zarr_http.py forwards requests to s3rver, counts
them, and can make them fail.

The environment variable ZARR_S3RVER names the executable s3rver. The default is
build/tools/node_modules/.bin/s3rver, which `scripts/setup.sh test` installs."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
S3RVER = os.environ.get("ZARR_S3RVER") or str(
    REPOSITORY / "build" / "tools" / "node_modules" / ".bin" / "s3rver"
)
CHANGES = pathlib.Path(__file__).resolve().with_name("s3rver_as_s3.cjs")


def serve(folder):
    """Runs s3rver until standard input ends. Standard input ends even if the test is killed."""
    command = [S3RVER, "-d", folder, "-a", "127.0.0.1", "-p", "0", "--silent"]
    environment = {**os.environ, "NODE_OPTIONS": f'--require "{CHANGES}"'}
    command += ["--configure-bucket", "demo"]
    with subprocess.Popen(command, env=environment) as process:
        sys.stdin.read()
        process.terminate()


if __name__ == "__main__":
    serve(sys.argv[1])
    sys.exit()

import zarr_gdal  # noqa: E402  (not needed by the server above)
from osgeo import gdal  # noqa: E402
from zarr_http import Served  # noqa: E402
from zarr_tools import plain_environment  # noqa: E402


class S3:
    """Context manager: starts an S3 server with a bucket "demo", and configures GDAL to use the server.
    `front` is the server of zarr_http.py that forwards requests to s3rver."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __enter__(self):
        assert shutil.which(S3RVER), f"{S3RVER} is not there: run scripts/setup.sh test"
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, str(self.folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=plain_environment(),
        )  # fmt: skip
        address = None
        while address is None:
            line = self.process.stdout.readline()
            assert line, "s3rver ended before it said where it listens"
            address = re.search(r"listening on (127\.0\.0\.1:\d+)", line)
        self.front = Served(address[1]).__enter__()
        self.options = {
            "AWS_S3_ENDPOINT": self.front.url.removeprefix("http://"),
            "AWS_HTTPS": "NO",
            "AWS_VIRTUAL_HOSTING": "FALSE",
            "AWS_ACCESS_KEY_ID": "S3RVER",
            "AWS_SECRET_ACCESS_KEY": "S3RVER",
        }
        self.config = zarr_gdal.config_options(**self.options)
        self.config.__enter__()
        gdal.VSICurlClearCache()
        return self

    def __exit__(self, *_):
        self.config.__exit__(None, None, None)
        self.front.__exit__()
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def upload(self, store, name):
        """Copies a folder into the bucket without requests, by writing the files in which s3rver keeps
        objects."""
        for file in sorted(pathlib.Path(store).rglob("*")):
            if not file.is_file():
                continue
            kept = self.folder / "demo" / name / file.relative_to(store)
            kept = kept.with_name(f"{kept.name}._S3rver_object")
            kept.parent.mkdir(parents=True, exist_ok=True)
            data = file.read_bytes()
            kept.write_bytes(data)
            kept.with_name(f"{kept.name}.md5").write_text(hashlib.md5(data).hexdigest())
        gdal.VSICurlClearCache()

    def remove(self, name):
        """Removes a store from the bucket without requests, by deleting s3rver's files."""
        shutil.rmtree(self.folder / "demo" / name, ignore_errors=True)
        gdal.VSICurlClearCache()

    @staticmethod
    def put(key, data):
        """Stores an object without the help of the driver, as another program would."""
        target = gdal.VSIFOpenL(f"/vsis3/demo/{key}", "wb")
        assert gdal.VSIFWriteL(data, 1, len(data), target) == len(data)
        assert gdal.VSIFCloseL(target) == 0

    def download(self, name, folder):
        """Copies all objects of a store into `folder`. Returns the path of the copied store."""
        gdal.VSICurlClearCache()
        for key in self.keys():
            if not key.startswith(f"{name}/"):
                continue
            file = pathlib.Path(folder) / "downloaded" / key
            file.parent.mkdir(parents=True, exist_ok=True)
            size = gdal.VSIStatL(f"/vsis3/demo/{key}").size
            source = gdal.VSIFOpenL(f"/vsis3/demo/{key}", "rb")
            data = gdal.VSIFReadL(1, size, source)  # VSIFReadL() returns None for an empty object
            gdal.VSIFCloseL(source)
            file.write_bytes(data or b"")
        return pathlib.Path(folder) / "downloaded" / name

    @property
    def environment(self):
        """Returns the environment variables for a process that uses the server."""
        return {**os.environ, **self.options}

    def keys(self):
        """Returns all keys of the bucket, sorted."""
        names = gdal.ReadDirRecursive("/vsis3/demo") or []
        return sorted(name for name in names if not name.endswith("/"))

    def keys_of(self, start):
        """Returns all keys that begin with `start`, without `start`. GDAL's cache is cleared first, so the
        server lists the keys anew."""
        gdal.VSICurlClearCache()
        return [key.removeprefix(start) for key in self.keys() if key.startswith(start)]

    def requests(self):
        """Returns the requests since the last call as tuples (method, path without the query,
        status)."""
        return [
            (method, path.partition("?")[0], status)
            for method, path, _, status in self.front.requests()
        ]
