// SPDX-License-Identifier: MIT
// Web server on loopback with HTTP/1.1 and HTTP/2 over TLS. Serves the files of a folder, and ranges of
// them. Prints its port, and serves until standard input ends. Then prints, as JSON, the path and the
// HTTP version of each request.
//
//     node http2_server.cjs FOLDER KEY CERTIFICATE
const fs = require("fs");
const http2 = require("http2");
const path = require("path");

const [folder, key, cert] = process.argv.slice(2);
const asked = [];

const server = http2.createSecureServer(
  { key: fs.readFileSync(key), cert: fs.readFileSync(cert), allowHTTP1: true },
  (request, response) => {
    const name = decodeURIComponent(request.url);
    asked.push([name, request.httpVersion]);
    const file = path.join(folder, name);
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
      response.writeHead(404);
      response.end();
      return;
    }
    const body = fs.readFileSync(file);
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range || "");
    if (!range) {
      response.writeHead(200, { "Content-Length": body.length });
      response.end(request.method === "HEAD" ? undefined : body);
      return;
    }
    const first = range[1] === "" ? Math.max(body.length - Number(range[2]), 0) : Number(range[1]);
    const last = range[1] === "" || range[2] === "" ? body.length - 1 : Math.min(Number(range[2]), body.length - 1);
    const part = body.subarray(first, last + 1);
    response.writeHead(206, {
      "Content-Length": part.length,
      "Content-Range": `bytes ${first}-${last}/${body.length}`,
    });
    response.end(part);
  },
);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => {
  console.log(JSON.stringify(asked));
  process.exit();
});
process.stdin.resume();
