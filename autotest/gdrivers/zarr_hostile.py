# SPDX-License-Identifier: MIT
"""Answers of a hostile web server, as pieces of bytes. Each answer has at most MOST bytes, so that a client that reads
on ends, too."""

import zlib

MEGA = 1 << 20
MOST = 3000 * MEGA  # above the largest body that GDAL's client keeps
ZEROS = bytes(MEGA)


def answer(kind, path, status, body, extent):
    """Yields the pieces of the answer `kind` to a request for `path`. `status`, `body` and `extent`, the text of the
    header Range, are those of an honest answer."""
    return KINDS[kind](path=path, status=status, body=body, extent=extent)


def head(status, *lines):
    return "\r\n".join([f"HTTP/1.1 {status} OK", *lines, "Connection: close", "", ""]).encode()


def place(extent, total="*"):
    """Returns the header Content-Range for the requested range."""
    if not extent:
        return []
    first, _, last = extent.partition("=")[2].partition("-")
    if not first:
        return [f"Content-Range: bytes 0-{int(last) - 1}/{last}"]
    return [f"Content-Range: bytes {first}-{last}/{total}"]


def zeros():
    for _ in range(MOST // MEGA):
        yield ZEROS


def chunked(pieces):
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)


def endless_range(extent, **_):
    yield head(206 if extent else 200, *place(extent))
    yield from zeros()


def endless_chunks(extent, **_):
    yield head(206 if extent else 200, "Transfer-Encoding: chunked", *place(extent))
    yield from chunked(zeros())


def endless_whole(**_):
    """Ignores the range."""
    yield head(200)
    yield from zeros()


def stated_whole(**_):
    """Ignores the range, and states the length of a large body."""
    yield head(200, f"Content-Length: {300 * MEGA}")
    yield from (ZEROS for _ in range(300))


def stated_range(extent, **_):
    """States a length of the body that is not the length of the range."""
    yield head(206 if extent else 200, f"Content-Length: {MOST}", *place(extent, 1 << 40))
    yield from zeros()


def compressed(pieces):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()



def gzip_range(extent, **_):
    yield head(206 if extent else 200, "Content-Encoding: gzip", *place(extent))
    yield from compressed(zeros())


def gzip_whole(**_):
    yield head(200, "Content-Encoding: gzip")
    yield from compressed(zeros())


def endless_headers(**_):
    yield b"HTTP/1.1 200 OK\r\n"
    for i in range(MOST // MEGA * 1000):
        yield b"X-%d: %b\r\n" % (i, b"a" * 1000)


def endless_header(**_):
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    yield from (b"a" * MEGA for _ in range(MOST // MEGA))


def interim(**_):
    """Sends interim answers without end."""
    for _ in range(MOST // 4000):
        yield b"HTTP/1.1 103 Early Hints\r\nLink: <a>; rel=preload\r\n\r\n" * 100


def redirects(path, **_):
    yield head(302, f"Location: {path}x", "Content-Length: 0")


def endless_error(**_):
    yield head(500)
    yield b'<?xml version="1.0"?><Error><Code>'
    yield from (b"a" * MEGA for _ in range(MOST // MEGA))


def endless_404(**_):
    yield head(404)
    yield from zeros()


KINDS = {
    "range": endless_range,
    "chunks": endless_chunks,
    "whole": endless_whole,
    "stated whole": stated_whole,
    "stated range": stated_range,
    "gzip of a range": gzip_range,
    "gzip of all": gzip_whole,
    "headers": endless_headers,
    "header": endless_header,
    "interim answers": interim,
    "redirects": redirects,
    "error": endless_error,
    "absence": endless_404,
}
