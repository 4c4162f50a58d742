# SPDX-License-Identifier: MIT
"""Reads arrays through references in a network namespace of its own, in which a web server answers at link-local
addresses. Nothing leaves the namespace.

The program runs in a new network and mount namespace, as its superuser. Its standard input is a JSON object: `folder`
is served; `names` maps host names to addresses; `arrays` lists [name, array], to be read one after the other. The
answer is a JSON list of {"read": whether the array was read, "errors": [message, ...], "requests": [path, ...]}."""

import fcntl
import http.server
import json
import pathlib
import socket
import struct
import sys
import threading

import zarr_mounts

SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP, LOOPBACK = 0x8914, 0x8916, 1, 1
ADDRESSES = ["169.254.169.254", "100.100.100.200", "fe80::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1"]


def add_addresses():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    for number, address in enumerate(ADDRESSES):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        packed = socket.inet_pton(family, address)
        with socket.socket(family, socket.SOCK_DGRAM) as link:
            if family == socket.AF_INET:
                request = struct.pack("16sHH4s8x", b"lo:%d" % number, family, 0, packed)
            else:
                request = struct.pack("16sIi", packed, 128, LOOPBACK)
            fcntl.ioctl(link, SIOCSIFADDR, request)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files, with byte ranges. A path that starts with /to/HOST is redirected to HOST."""

    requests = []
    folder = None

    def do_GET(self):
        self.requests.append(self.path)
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", "http://" + self.path.removeprefix("/to/"))
            self.send_header("Content-Length", "0")
            return self.end_headers()
        body = (self.folder / pathlib.Path(self.path).name).read_bytes()
        first, _, last = (self.headers["Range"] or "bytes=0-").removeprefix("bytes=").partition("-")
        part = body[int(first) : int(last) + 1 if last else None]
        self.send_response(206 if self.headers["Range"] else 200)
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A server that takes connections to all addresses of IPv4 and IPv6."""

    address_family, daemon_threads = socket.AF_INET6, True

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def main():
    add_addresses()
    work = json.load(sys.stdin)
    Handler.folder = pathlib.Path(work["folder"])
    hosts = Handler.folder / "hosts"
    hosts.write_text("".join(f"{address} {name}\n" for name, address in work["names"].items()))
    zarr_mounts.mount(hosts, "/etc/hosts", flags=zarr_mounts.BIND)
    server = Server(("::", 80), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    from osgeo import gdal
    from zarr_gdal import error_log

    gdal.DontUseExceptions()
    answers = []
    for name, array in work["arrays"]:
        Handler.requests.clear()
        with error_log() as log:
            dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
            values = None if dataset is None else dataset.GetRootGroup().OpenMDArray(array).Read()
        answers.append({"read": values is not None, "errors": log.errors, "requests": list(Handler.requests)})
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
