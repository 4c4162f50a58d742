# SPDX-License-Identifier: MIT
"""Counts the requests for opening a store without cached data. Serves a local store by HTTP on this machine and
opens it."""

import http.server
import os
import subprocess
import sys
import threading
import urllib.parse

from zarr_checks import layout

# Number of requests above which opening a remote store is noticeably slow
MOST_REQUESTS = 6
OPEN = """
import sys
from osgeo import gdal
dataset = gdal.OpenEx(sys.argv[1], gdal.OF_RASTER, allowed_drivers=["Zarr"])
if dataset is None:
    sys.exit(gdal.GetLastErrorMsg())
dataset.GetSpatialRef(), dataset.GetGeoTransform()
if dataset.RasterCount:
    dataset.GetRasterBand(1).GetOverviewCount()
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves one folder or file by HTTP. Supports range requests. Does not list folders."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(with_body=True)

    def do_HEAD(self):
        self.answer(with_body=False)

    def answer(self, with_body):
        key = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).lstrip("/")
        self.server.log.append(f"{self.command} {key or '/'}")
        path = os.path.normpath(os.path.join(self.server.folder, key))
        is_below = path.startswith(self.server.folder + os.sep)
        if not is_below or not os.path.isfile(path):
            return self.send(404, b"", with_body)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            begin, end, status = 0, size, 200
            wanted = self.headers.get("Range", "")
            if wanted.startswith("bytes="):
                first, _, last = wanted[6:].split(",")[0].partition("-")
                begin = int(first) if first else max(0, size - int(last))
                end = min(size, int(last) + 1) if first and last else size
                status = 206
                if begin >= size:
                    return self.send(416, b"", with_body)
            file.seek(begin)
            return self.send(status, file.read(end - begin), with_body, f"bytes {begin}-{end - 1}/{size}")

    def send(self, status, body, with_body, content_range=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        if with_body:
            self.wfile.write(body)


def count(path, node=""):
    """Returns a list of the requests, as "METHOD key", for opening a local store, or for opening its array
    `node`."""
    path = os.path.abspath(path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.folder, server.log = os.path.dirname(path), []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/{urllib.parse.quote(os.path.basename(path))}"
        name = f'ZARR:"/vsicurl/{url}"' + (f":/{node}" if node else "")
        environment = {**os.environ, "GDAL_PAM_ENABLED": "NO", "no_proxy": "127.0.0.1"}
        done = subprocess.run([sys.executable, "-c", OPEN, name], capture_output=True, text=True, check=False,
                              env=environment, timeout=120)  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().split("\n")[-1])
        top = os.path.basename(path)
        return [request.replace(f" {top}/", " ").replace(f" {top}", " /") for request in server.log]
    finally:
        server.shutdown()
        server.server_close()


def check_opening(store, node, report, most):
    """Reports a finding if opening the store, or its array `node`, takes more than `most` requests."""
    consolidate = layout.consolidate(store)
    try:
        requests = count(store.name, node.path)
    except (RuntimeError, subprocess.TimeoutExpired) as why:
        report.warning("open-failed", node.path, f"the store does not open over HTTP: {why}", consolidate)
        return
    report.facts["open_requests"] = requests
    if len(requests) > most:
        mend = consolidate
        if store.consolidated is not None:
            mend = layout.copy(store, node, "-co PROFILE=CLOUD")
        report.warning("open-requests", node.path, f"a cold open takes {len(requests)} requests, more than {most} "
                       "(--max-requests)", mend)
