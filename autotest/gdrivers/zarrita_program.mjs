// SPDX-License-Identifier: MIT
// Program that reads arrays with zarrita, for zarr3.py. Its argument is the folder node_modules.
// Standard input is a JSON list of {"store", "path"}. Standard output is a JSON list with an answer for
// each: {"shape", "stride", "type", "data"} with the elements as base64, {"shape", "type", "texts"} with
// texts in C order, or {"error"}.

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
  const node = request.path ? root.resolve(request.path) : root;
  const array = await zarrita.open.v3(node, { kind: "array" });
  const got = await zarrita.get(array);
  // For an array without dimensions, get() returns the element itself instead of an array.
  const { data, shape, stride } = array.shape.length ? got : await array.getChunk([]);
  if (array.dtype === "string") return { shape, type: array.dtype, texts: [...data] };
  // `data` is a view of the bytes: a typed array, or zarrita's own class for booleans.
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
