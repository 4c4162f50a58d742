# SPDX-License-Identifier: MIT
"""An object store with S3's requests on loopback, in a thread of this process, whose faults a test chooses.

It answers GET, HEAD, PUT, DELETE, LIST (both forms) and DeleteObjects (POST) for the bucket "demo", path-style. It
checks no signatures. A fault is one of

    (STATUS, CODE, MESSAGE)   an answer with S3's XML document of an error,
    "reset"                   the connection is closed with RST after the request was read,
    "lost"                    the change is made, and then the connection is closed with RST."""

import contextlib
import email.utils
import http.server
import os
import re
import socket
import struct
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

import zarr_gdal
from osgeo import gdal

EXPIRED = (400, "ExpiredToken", "The provided token has expired.")
TIMEOUT = (400, "RequestTimeout", "Your socket connection to the server was not read from.")
SLOW_DOWN = (503, "SlowDown", "Please reduce your request rate.")
INTERNAL = (500, "InternalError", "We encountered an internal error. Please try again.")
DENIED = (403, "AccessDenied", "Access Denied")
ABSENT = (404, "NoSuchKey", "The specified key does not exist.")

CHANGES = ("PUT", "DELETE", "POST")


def error_document(code, message, **more):
    extra = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in more.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{code}</Code><Message>{escape(message)}</Message>{extra}</Error>"
    ).encode()


def endless_page(query):
    """Returns an answer to LIST with 1000 keys that do not exist, and with the mark of the next page."""
    first = int(query.get("continuation-token") or query.get("marker") or 0)
    prefix, after = query.get("prefix", ""), first + 1000
    contents = "".join(
        f"<Contents><Key>{prefix}k{i:09}</Key><Size>1</Size>"
        "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        for i in range(first, after)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult>'
        f"<Name>demo</Name><Prefix>{prefix}</Prefix><MaxKeys>1000</MaxKeys>"
        f"<IsTruncated>true</IsTruncated><NextMarker>{after}</NextMarker>"
        f"<NextContinuationToken>{after}</NextContinuationToken>{contents}</ListBucketResult>"
    ).encode()


def tag_of(data):
    return f'"{abs(hash(data)):x}"'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle(self):
        with contextlib.suppress(ConnectionError):
            super().handle()

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        address = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        bucket, _, self.key = urllib.parse.unquote(address.path).lstrip("/").partition("/")
        kind = "LIST" if self.command == "GET" and not self.key else self.command
        fault = self.server.store.note(kind, self.key)
        if bucket != "demo":
            return self.send(*self.error(404, "NoSuchBucket", "The bucket does not exist"))
        if fault == "reset":
            return self.reset()
        if fault not in (None, "lost"):
            return self.send(*self.error(*fault))
        answer = getattr(self, "on_" + kind.lower())()
        return self.reset() if fault == "lost" else self.send(*answer)

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = answer

    def error(self, status, code, message, **more):
        return status, error_document(code, message, **more), {"Content-Type": "application/xml"}

    def on_get(self):
        data = self.server.store.objects.get(self.key)
        if data is None:
            return self.error(*ABSENT)
        extent = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        headers = {"ETag": tag_of(data), "Accept-Ranges": "bytes"}
        if self.key in self.server.store.times:
            headers["Last-Modified"] = email.utils.formatdate(self.server.store.times[self.key], usegmt=True)
        if not extent:
            return 200, data, headers
        first, last = extent.groups()
        begin = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1, len(data)) if first and last else len(data)
        if begin >= len(data):
            return 416, b"", {"Content-Range": f"bytes */{len(data)}"}
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
        return 206, data[begin:end], headers

    on_head = on_get

    def on_put(self):
        if "x-amz-copy-source" in self.headers:
            return self.error(501, "NotImplemented", "copies are not implemented")
        store = self.server.store
        with store.lock:
            if store.conditional and not self.meets_conditions(store.objects.get(self.key)):
                return self.error(412, "PreconditionFailed", "At least one of the conditions did not hold")
            store.objects[self.key] = self.body
            if store.conditional:
                store.times[self.key] = time.time()
        return 200, b"", {"ETag": tag_of(self.body)}

    def meets_conditions(self, data):
        tag = self.headers.get("If-Match")
        is_other = tag is not None and (data is None or tag != tag_of(data))
        return not is_other and (data is None or self.headers.get("If-None-Match") != "*")

    def on_delete(self):
        self.server.store.objects.pop(self.key, None)
        return 204, b"", {}

    def on_post(self):
        keys = re.findall(r"<Key>(.*?)</Key>", self.body.decode())
        for key in keys:
            self.server.store.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return 200, f"<DeleteResult>{deleted}</DeleteResult>".encode(), {}

    def on_list(self):
        page = self.server.store.page(self.query)
        if page is not None:
            return 200, page, {"Content-Type": "application/xml"}
        prefix, mark = self.query.get("prefix", ""), self.query.get("delimiter", "")
        names, folders = [], set()
        for key in sorted(self.server.store.listed()):
            rest = key[len(prefix) :]
            if not key.startswith(prefix) or not rest:
                continue
            if mark and mark in rest:
                folders.add(prefix + rest.partition(mark)[0] + mark)
            else:
                names.append(key)
        objects = self.server.store.objects
        contents = "".join(
            f"<Contents><Key>{escape(key)}</Key>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f'<ETag>"0"</ETag><Size>{len(objects.get(key, b""))}</Size></Contents>'
            for key in names
        )
        common = "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>"
            for each in sorted(folders)
        )
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult>'
            f"<Name>demo</Name><Prefix>{escape(prefix)}</Prefix><MaxKeys>1000</MaxKeys>"
            f"<IsTruncated>false</IsTruncated>{contents}{common}</ListBucketResult>"
        )
        return 200, text.encode(), {"Content-Type": "application/xml"}

    def reset(self):
        """Closes the connection with RST instead of FIN."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        # The file objects hold the socket open, so they are closed with it.
        self.wfile.close()
        self.rfile.close()
        self.connection.close()

    def finish(self):
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            if status != 204 or name != "Content-Length":
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    """Has a port that no earlier server of this process had, because the driver remembers which server has conditional
    requests."""

    daemon_threads = True
    request_queue_size = 128
    ports = set()

    def server_bind(self):
        super().server_bind()
        if self.server_port in self.ports:
            with self.socket:  # stays open until another port is bound, so that it is not given out again
                self.socket, self.server_address = socket.socket(), ("127.0.0.1", 0)
                self.server_bind()
        self.ports.add(self.server_port)

    def handle_error(self, request, client_address):
        pass  # a client that was killed, or a connection that was reset


class ObjectServer:
    """Context manager: starts the server and configures GDAL to use it. `objects` has the bytes of each key. A
    `conditional` server honours If-Match and If-None-Match in PUT requests; `times` has when its objects changed."""

    def __init__(self, conditional=False, **options):
        self.conditional, self.times, self.more = conditional, {}, options

    def __enter__(self):
        self.objects, self.log, self.lock = {}, [], threading.Lock()
        self.choose = lambda kind, key, number: None
        self.listed = lambda: list(self.objects)
        self.page = lambda query: None  # the XML document of an answer to LIST with this query
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.store = self
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.options = {
            "AWS_S3_ENDPOINT": f"127.0.0.1:{self.server.server_address[1]}",
            "AWS_HTTPS": "NO",
            "AWS_VIRTUAL_HOSTING": "FALSE",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_EC2_METADATA_DISABLED": "YES",
            "GDAL_HTTP_RETRY_DELAY": "0.001",
            **self.more,
        }
        self.config = zarr_gdal.config_options(**self.options)
        self.config.__enter__()
        gdal.VSICurlClearCache()
        return self

    def __exit__(self, *_):
        self.config.__exit__(None, None, None)
        self.server.shutdown()
        self.server.server_close()
        gdal.VSICurlClearCache()

    @property
    def environment(self):
        """Returns the environment variables for a process that uses the server."""
        return {**os.environ, **self.options}

    def note(self, kind, key):
        """Records a request, and returns the fault with which it is answered."""
        with self.lock:
            number = sum(each[0] == kind for each in self.log)
            self.log.append((kind, key))
            return self.choose(kind, key, number)

    def requests(self):
        """Returns the requests since the last call as tuples (kind, key), and clears GDAL's caches."""
        gdal.VSICurlClearCache()
        with self.lock:
            log, self.log = self.log, []
        return log

    def normal(self):
        """Ends all faults."""
        self.choose = lambda kind, key, number: None
        self.listed = lambda: list(self.objects)
        self.page = lambda query: None
        self.requests()

    def fail(self, fault, kind=None, key="", times=None, after=0):
        """Answers requests of a kind (or any) whose keys match a pattern with `fault`: all after the first `after`
        ones, or as many as `times`."""
        seen = [0]

        def choose(each, name, _number):
            if (kind and each not in kind) or not re.search(key, name):
                return None
            seen[0] += 1
            is_one = seen[0] > after and (times is None or seen[0] <= after + times)
            return fault if is_one else None

        self.normal()
        self.choose = choose

    def upload(self, folder, name):
        """Copies a folder into the bucket without requests."""
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.objects[f"{name}/{file.relative_to(folder)}"] = file.read_bytes()
        gdal.VSICurlClearCache()

    def remove(self, name):
        for key in [key for key in self.objects if key.startswith(name + "/")]:
            del self.objects[key]
        gdal.VSICurlClearCache()

    def keys(self, name):
        """Returns the keys below `name`, without it."""
        return sorted(key[len(name) + 1 :] for key in self.objects if key.startswith(name + "/"))

    def download(self, name, folder):
        """Writes the objects below `name` as files. Returns the folder."""
        for key in self.keys(name):
            file = folder / name / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.objects[f"{name}/{key}"])
        return folder / name
