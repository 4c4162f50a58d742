// SPDX-License-Identifier: MIT
// What zarr3.py has zarrita read: from standard input a list of {"store", "path"} in JSON, to
// standard output a list of {"shape", "stride", "type", "data"} with the elements as base64, or of
// texts in C order {"shape", "texts"}, or {"error"}. Its argument is the folder node_modules.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

async function load(name, entry = ".") {
  const folder = path.join(process.argv[2], name);
  const exported = JSON.parse(readFileSync(path.join(folder, "package.json"))).exports[entry];
  return import(pathToFileURL(path.join(folder, exported.import ?? exported)));
}

const zarrita = await load("zarrita");
const storage = await load("@zarrita/storage", "./fs");

async function read(request) {
  const store = new storage.default(request.store);
  const root = zarrita.root(store);
  const place = request.path ? root.resolve(request.path) : root;
  const array = await zarrita.open.v3(place, { kind: "array" });
  const got = await zarrita.get(array);
  // Without dimensions it is the element itself.
  const { data, shape, stride } = array.shape.length ? got : await array.getChunk([]);
  if (array.dtype === "string") return { shape, type: array.dtype, texts: [...data] };
  // Booleans are a class of zarrita's over their bytes, 64-bit integers BigInt64Array.
  const bytes = Buffer.from(data.buffer, data.byteOffset ?? 0, data.byteLength);
  return { shape, stride, type: array.dtype, data: bytes.toString("base64") };
}

const answers = [];
for (const request of JSON.parse(readFileSync(0))) {
  try {
    answers.push(await read(request));
  } catch (error) {
    answers.push({ error: String(error) });
  }
}
process.stdout.write(JSON.stringify(answers));
