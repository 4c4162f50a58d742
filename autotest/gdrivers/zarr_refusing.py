# SPDX-License-Identifier: MIT
"""A server on loopback that refuses every request, as an object store refuses wrong credentials."""

import contextlib
import http.server
import threading


@contextlib.contextmanager
def refusing(status, code, message):
    """Runs a server on loopback that answers every request with an error in XML, as object stores do. Yields its
    address and the list of requests."""
    body = f'<?xml version="1.0"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'.encode()
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            requests.append((self.command, self.path))
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = answer

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


ACCOUNTS = {
    "s3://": {"AWS_ACCESS_KEY_ID": "wrong", "AWS_SECRET_ACCESS_KEY": "wrong"},
    "gs://": {"GS_ACCESS_KEY_ID": "wrong", "GS_SECRET_ACCESS_KEY": "wrong"},
    "az://": {"AZURE_STORAGE_ACCOUNT": "wrong", "AZURE_STORAGE_ACCESS_KEY": "d3Jvbmc="},
}


def servers(address):
    """Returns the options with which GDAL uses the server for all object stores."""
    return {"AWS_S3_ENDPOINT": address, "AWS_HTTPS": "NO", "AWS_VIRTUAL_HOSTING": "FALSE",
            "CPL_GS_ENDPOINT": f"http://{address}/",
            "AZURE_STORAGE_CONNECTION_STRING": "DefaultEndpointsProtocol=http;AccountName=wrong;AccountKey=d3Jvbmc=;"
                                               f"BlobEndpoint=http://{address}/wrong"}  # fmt: skip
