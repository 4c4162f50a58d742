# SPDX-License-Identifier: MIT
"""Counts the requests for opening a store without cached data. Serves a local store by HTTP on this machine and
opens it."""

import hmac
import http.server
import os
import re
import secrets
import subprocess
import sys
import threading
import urllib.parse

from zarr_checks import layout, rasters
from zarr_checks.store import open_regular

PIECE = 1 << 20  # bytes of a file in memory
# The name comes from standard input, because arguments are visible to all users of the machine.
OPEN = """
import sys
from osgeo import gdal
dataset = gdal.OpenEx(sys.stdin.read(), gdal.OF_RASTER, allowed_drivers=["Zarr"])
if dataset is None:
    sys.exit(gdal.GetLastErrorMsg())
dataset.GetSpatialRef(), dataset.GetGeoTransform()
if dataset.RasterCount:
    dataset.GetRasterBand(1).GetOverviewCount()
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves one store, a folder or a zip file, below a path that other users of the machine cannot guess. Supports
    range requests. Serves neither listings, nor files outside of the store, nor pipes and devices."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(with_body=True)

    def do_HEAD(self):
        self.answer(with_body=False)

    def file_at(self, path):
        """Returns the open file at the path of a request, or None."""
        secret, _, key = path.lstrip("/").partition("/")
        if not hmac.compare_digest(secret.encode(errors="replace"), self.server.secret.encode()):
            return None
        top, _, key = key.partition("/")
        self.server.log.append(f"{self.command} {key or '/'}")
        if top != self.server.name:
            return None
        path = os.path.realpath(os.path.join(self.server.store, key)) if key else self.server.store
        is_inside = path == self.server.store or path.startswith(os.path.join(self.server.store, ""))
        return open_regular(path) if is_inside and ".." not in key.split("/") else None

    def answer(self, with_body):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path, errors="surrogateescape")
        try:
            file = self.file_at(path)
        except ValueError:  # a name that the file system cannot have
            file = None
        if file is None:
            return self.send(404)
        with file:
            size = os.fstat(file.fileno()).st_size
            wanted = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", self.headers.get("Range", ""), re.ASCII)
            if wanted is None or not (wanted[1] or wanted[2]):
                return self.send(200, size, file if with_body else None)
            first, last = wanted.groups()
            begin = int(first) if first else max(0, size - int(last))
            end = min(size, int(last) + 1) if first and last else size
            if begin >= end:
                return self.send(416)
            file.seek(begin)
            return self.send(206, end - begin, file if with_body else None, f"bytes {begin}-{end - 1}/{size}")

    def send(self, status, length=0, file=None, content_range=None):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Accept-Ranges", "bytes")
        if content_range is not None:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        while file is not None and length > 0:
            piece = file.read(min(length, PIECE))
            if not piece:
                self.close_connection = True
                return
            self.wfile.write(piece)
            length -= len(piece)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, path):
        super().__init__(("127.0.0.1", 0), Handler)
        self.store, self.name = os.path.realpath(path), os.path.basename(path)
        self.secret = secrets.token_urlsafe(32)
        self.log = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/{self.secret}/{urllib.parse.quote(self.name)}"

    def handle_error(self, *_):
        pass  # the client has closed the connection


def count(path, node=""):
    """Returns a list of the requests, as "METHOD key", for opening a local store, or for opening its array
    `node`."""
    path = os.path.abspath(path)
    server = Server(path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        name = f'ZARR:"/vsicurl/{server.url}"' + (f":/{node}" if node else "")
        environment = {**os.environ, "GDAL_PAM_ENABLED": "NO", "no_proxy": "127.0.0.1"}
        done = subprocess.run([sys.executable, "-c", OPEN], input=name, capture_output=True, text=True, check=False,
                              env=environment, timeout=120)  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip() or "the process ended").split("\n")[-1].replace(server.url, path))
        return list(server.log)
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
            mend = rasters.Remedy(store, node).for_cloud()
        report.warning("open-requests", node.path, f"a cold open takes {len(requests)} requests, more than {most} "
                       "(--max-requests)", mend)
