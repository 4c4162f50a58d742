#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A web server on loopback that serves a folder as object stores and web servers do, slowly or with faults.

As a program it prints its port, and serves until standard input ends:

    zarr_http.py FOLDER [DELAY]      serves FOLDER; answers all requests of a round trip together,
                                     DELAY seconds after the last of them;
    zarr_http.py HOST:PORT [DELAY]   forwards all requests to the server at HOST:PORT.

Without an argument it runs launch(), which starts and ends servers for the class Served.

    GET /-/log      returns JSON about the requests since the last call:
                    {"requests": [[method, path, range, status], ...], "at_once": N, "in_turn": N};
                    at_once: maximum number of requests that waited concurrently;
                    in_turn: number of round trips; concurrent requests are one round trip.
    PUT /-/rules    sets rules, given as JSON.

Rules:

    delay           seconds before each answer;
    status          {PATH: [STATUS, TIMES, AFTER]}: after AFTER normal answers, answers TIMES times
                    with STATUS, or always if TIMES is -1; a PATH that ends in * is a prefix;
    with            {NAME: VALUE}: headers of the answers that `status` sets;
    drop            {PATH: N}: closes the connection after N bytes;
    jitter          maximum of a random further delay in seconds;
    header          [NAME, VALUE]: header that a request must have;
    unwanted        [NAME, ...]: headers that a request must not have;
    no_ranges       true: ignores range requests and sends the whole file;
    part            {"shift": N, "cut": N, "says": CONTENT-RANGE}: sends a wrong range;
                    {begin}, {last} and {size} in CONTENT-RANGE stand for the true numbers;
    validators      headers to send: "ETag", "Last-Modified", or "W/ETag", a constant weak ETag;
    gzip            "all": sends the whole file encoded, whatever the range;
                    "part": encodes the requested range; "within": sends the range of the encoded file;
    turns           {PATH: [PATH, ...]}: sends these files in turn for one path;
    absent          status of an absent file, 404 by default;
    endless         [PATH, ...]: files whose answers have 6 GB;
    hostile         {PATH: KIND}: answers without end, by the functions of zarr_hostile.py; a PATH that ends in * is a prefix;
    changes         number of objects that may be written or deleted; later changes fail, as if the
                    client had been killed;
    lists           true: lists folders as HTML;
    bucket          NAME: lists the folder NAME as S3 does.
"""

import contextlib
import ctypes
import gzip
import hashlib
import html
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import signal
import sys
import threading
import time
import urllib.parse
import urllib.request

import zarr_hostile
from zarr_tools import Program, plain_environment

PR_SET_PDEATHSIG = 1


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(with_body=True)

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_PUT(self):
        if self.path != "/-/rules":
            return self.answer(with_body=True)
        rules = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.rules.update(rules)
        self.send(200, b"")

    do_POST = do_DELETE = do_PUT

    def wait(self, turn, rules):
        """Waits until `delay` has passed since the latest request of the round trip `turn`. All requests of a round
        trip are thus answered together, even if a busy machine sends some late."""
        delay = rules.get("delay", 0)
        time.sleep(delay + random.random() * rules.get("jitter", 0))
        latest = time.monotonic() + 5 * delay
        while time.monotonic() < min(latest, self.server.arrivals.get(turn, 0) + delay):
            time.sleep(delay / 10)

    def answer(self, with_body):
        path = urllib.parse.unquote(self.path)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path == "/-/log":
            with self.server.lock:
                answer = {"requests": self.server.log, "at_once": self.server.most_active,
                          "in_turn": self.server.in_turn, "sent": self.server.sent}  # fmt: skip
                self.server.log, self.server.most_active, self.server.in_turn = [], 0, 0
                self.server.arrivals = {}
            return self.send(200, json.dumps(answer).encode())
        with self.server.lock:
            self.server.active += 1
            self.server.most_active = max(self.server.most_active, self.server.active)
            turn = self.server.in_turn + 1
            self.server.arrivals[turn] = time.monotonic()
        self.wait(turn, self.server.rules)
        with self.server.lock:
            self.server.active -= 1
            self.server.in_turn = max(self.server.in_turn, turn)
        status, body, headers = self.find(path)
        extent = self.headers.get("Range")
        own = self.server.folder is not None
        if own and status == 200:
            marks = self.validators(path, body)
            status, body, headers = self.cut_and_encode(body, extent)
            headers = {**headers, **marks}
        with self.server.lock:
            self.server.log.append([self.command, path, extent, status])
        if with_body and path in self.server.rules.get("endless", []):
            return self.send_without_end(extent)
        for pattern, kind in self.server.rules.get("hostile", {}).items():
            if path == pattern or (pattern.endswith("*") and path.startswith(pattern[:-1])):
                return self.send_hostile(kind, status, body, extent)
        self.send(status, body, with_body, headers, self.server.rules.get("drop", {}).get(path))

    def planned(self, path):
        for pattern, plan in self.server.rules.get("status", {}).items():
            starts = pattern.endswith("*") and path.startswith(pattern[:-1])
            if (starts or path == pattern) and plan[1] != 0:
                if len(plan) > 2 and plan[2] > 0:
                    plan[2] -= 1
                    continue
                plan[1] -= 1
                return plan[0]
        return None

    def find(self, path):
        wanted = self.server.rules.get("header")
        if wanted and self.headers.get(wanted[0]) != wanted[1]:
            return 401, b"who are you?", {}
        if any(self.headers.get(name) for name in self.server.rules.get("unwanted", [])):
            return 400, b"that is not for me", {}
        with self.server.lock:
            status = self.planned(path.partition("?")[0])
        if status is not None:
            return status, b"as planned", self.server.rules.get("with", {})
        if not self.server.folder:
            if self.command == "POST" and self.path.endswith("?delete"):
                return self.delete_each()
            if self.command in ("PUT", "POST", "DELETE") and not self.may_change():
                return 403, b"no more changes", {}
            return self.pass_on()
        with self.server.lock:
            turns = self.server.rules.get("turns", {}).get(path)
            if turns:
                path = turns[0]
                turns.append(turns.pop(0))
        return *self.look_up(path), {}

    def delete_each(self):
        """Answers S3's DeleteObjects by deleting each key in s3rver, because s3rver 3.7 answers 500 if keys share a
        folder."""
        bucket = self.path.partition("?")[0].strip("/")
        keys = re.findall(r"<Key>(.*?)</Key>", self.body.decode())
        for key in keys:
            if not self.may_change():
                return 403, b"no more changes", {}
            address = f"http://{self.server.upstream}/{bucket}/{key}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return 200, f"<DeleteResult>{deleted}</DeleteResult>".encode(), {}

    def may_change(self):
        with self.server.lock:
            left = self.server.rules.get("changes")
            if left:
                self.server.rules["changes"] = left - 1
            return left != 0

    def pass_on(self):
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        connection.putrequest(
            self.command, self.path, skip_host=True, skip_accept_encoding=True
        )
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(self.body)
        answer = connection.getresponse()
        own = ("content-length", "connection", "keep-alive", "transfer-encoding", "date", "server")
        headers = {n: v for n, v in answer.getheaders() if n.lower() not in own}
        try:
            body = answer.read()
        except http.client.IncompleteRead as cut:
            body = cut.partial
        if self.command == "HEAD":
            headers["Content-Length"] = answer.getheader("Content-Length") or "0"
        connection.close()
        return answer.status, body, headers

    def look_up(self, path):
        file = self.server.folder / path.partition("?")[0].lstrip("/")
        if file.is_file():
            return 200, file.read_bytes()
        bucket = self.server.rules.get("bucket")
        if bucket and path.partition("?")[0].strip("/") == bucket:
            return 200, self.list_bucket(file)
        if file.is_dir() and self.server.rules.get("lists"):
            names = sorted(each.name + "/" * each.is_dir() for each in file.iterdir())
            links = "".join(f'<a href="{urllib.parse.quote(n)}">{n}</a>\n' for n in names)
            return 200, f"<html><title>Index of {path}</title>\n{links}</html>".encode()
        return self.server.rules.get("absent", 404), b"not here"

    def list_bucket(self, folder):
        """Answers S3's ListObjectsV2 with one level of keys. A prefix must end with a "/" or be empty."""
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        prefix = query.get("prefix", [""])[0]
        below = folder / prefix if (folder / prefix).is_dir() else None
        items = ""
        for each in sorted(below.iterdir()) if below else []:
            key = html.escape(prefix + each.name)
            if each.is_dir():
                items += f"<CommonPrefixes><Prefix>{key}/</Prefix></CommonPrefixes>"
            else:
                items += f"<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                items += f"<Size>{each.stat().st_size}</Size></Contents>"
        head = f"<Name>{folder.name}</Name><Prefix>{html.escape(prefix)}</Prefix><IsTruncated>false</IsTruncated>"
        return f"<ListBucketResult>{head}<Delimiter>/</Delimiter>{items}</ListBucketResult>".encode()

    def validators(self, path, body):
        file = self.server.folder / path.partition("?")[0].lstrip("/")
        known = {
            "ETag": f'"{hashlib.sha1(body).hexdigest()}"',
            "W/ETag": 'W/"1"',
            "Last-Modified": self.date_time_string(file.stat().st_mtime if file.is_file() else 0),
        }
        wanted = self.server.rules.get("validators", [])
        return {name.removeprefix("W/"): known[name] for name in wanted}

    def cut_and_encode(self, body, extent):
        coding = self.server.rules.get("gzip")
        encoded = {"Content-Encoding": "gzip"}
        whole = self.server.rules.get("no_ranges") or not extent
        if whole or not extent.startswith("bytes="):
            return 200, body, {}
        if coding == "all":
            return 200, gzip.compress(body), encoded
        body = gzip.compress(body) if coding == "within" else body
        part = self.server.rules.get("part", {})
        status, body, headers = self.part_of(body, extent[6:], **part)
        body = gzip.compress(body) if coding == "part" else body
        return status, body, {**headers, **(encoded if coding else {})}

    @staticmethod
    def part_of(body, extent, shift=0, cut=0, says=None):
        """Returns the range `extent` of `body`, or a wrong answer: `shift` moves the range, `cut` shortens it, and
        `says` replaces the header Content-Range."""
        first, _, last = extent.partition("-")
        begin = (int(first) if first else max(0, len(body) - int(last))) + shift
        end = min(int(last) + 1 + shift, len(body)) - cut if first and last else len(body)
        if begin >= len(body):
            return 416, b"", {"Content-Range": f"bytes */{len(body)}"}
        told = {"begin": begin, "last": end - 1, "size": len(body)}
        says = (says or "bytes {begin}-{last}/{size}").format(**told)
        return 206, body[begin:end], {"Content-Range": says}

    def send_without_end(self, extent):
        self.send_response(206 if extent else 200)
        if extent:
            self.send_header("Content-Range", extent.replace("=", " ") + "/*")
        self.end_headers()
        self.close_connection = True
        zeros = bytes(1 << 20)
        with contextlib.suppress(OSError):  # raised if the client closes the connection
            for _ in range(6000):
                self.wfile.write(zeros)

    def send_hostile(self, kind, status, body, extent):
        """Answers a request in a way that does not end by itself. The log gets the number of bytes that were sent."""
        self.close_connection = True
        sent = 0
        with contextlib.suppress(OSError):  # raised if the client closes the connection
            for piece in zarr_hostile.answer(kind, self.path, status, body, extent):
                self.connection.sendall(piece)
                sent += len(piece)
        with self.server.lock:
            self.server.sent += sent

    def send(self, status, body, with_body=True, headers=None, drop_after=None):
        self.send_response(status)
        headers = {"Content-Length": str(len(body)), "Accept-Ranges": "bytes", **(headers or {})}
        if status in (204, 304):  # no body may follow, because the client would take it for the next response
            headers["Connection"] = "close"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body and drop_after is not None:
            self.wfile.write(body[:drop_after])
            self.close_connection = True
        elif with_body:
            self.wfile.write(body)


class HttpServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, folder, delay):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = pathlib.Path(folder) if "/" in folder else None
        self.upstream = folder
        self.rules = {"delay": delay}
        self.log = []
        self.active = self.most_active = self.in_turn = 0
        self.sent = 0  # bytes of the answers that the rule `hostile` sets
        self.arrivals = {}  # number of a round trip -> time of its last request
        self.lock = threading.Lock()


_launcher = Program([sys.executable, "-B", __file__], plain_environment())


class Served:
    """Serves a folder on loopback from a separate process, as a context manager."""

    def __init__(self, folder, delay=0.0):
        self.folder, self.delay = str(folder), delay

    def __enter__(self):
        (self.pid, port), _ = _launcher.ask([self.folder, self.delay])
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_):
        _, printed = _launcher.ask(self.pid)
        print(printed, file=sys.stderr, end="")

    def log(self):
        """Returns the answer of GET /-/log: the requests since the last call, `at_once` and `in_turn`."""
        with contextlib.closing(urllib.request.urlopen(f"{self.url}/-/log")) as answer:
            return json.load(answer)

    def requests(self):
        """Returns the requests since the last call, as (method, path, range, status)."""
        return [tuple(each) for each in self.log()["requests"]]

    def rule(self, **rules):
        data = json.dumps(rules).encode()
        request = urllib.request.Request(f"{self.url}/-/rules", data=data, method="PUT")
        urllib.request.urlopen(request).close()


def launch():
    """Starts and ends servers, as forks of this process, because a new interpreter starts slowly. The JSON line
    [FOLDER, DELAY] starts a server, and is answered with [PID, PORT]. A line with a PID ends that server. All servers
    end with this process."""
    for line in sys.stdin:
        request = json.loads(line)
        if isinstance(request, int):
            os.kill(request, signal.SIGKILL)
            answer = os.waitpid(request, 0)[1]
        else:
            server = HttpServer(*request)
            answer = [os.fork(), server.server_address[1]]
            if answer[0] == 0:
                try:
                    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                    server.serve_forever()
                finally:
                    os._exit(1)
            server.socket.close()
        print(json.dumps(answer), flush=True)


def main():
    if len(sys.argv) == 1:
        return launch()
    server = HttpServer(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
