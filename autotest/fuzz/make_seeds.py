#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzzers into a folder FOLDER/TARGET for each fuzz target.

    make_seeds.py FOLDER

Also writes FOLDER/zarr.dict: words of Zarr documents, which fuzzers insert. Seeds are the sample stores of data/,
stores that the tests write as other programs do, and the test vectors of the codecs. Large files are left out,
because fuzzers work faster with small inputs.
"""

import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "autotest" / "gdrivers"))

import numcodecs  # noqa: E402
import numpy as np  # noqa: E402
import zarr_eopf  # noqa: E402
import zarr_formats  # noqa: E402
import zarr_ome  # noqa: E402
import zarr_v1  # noqa: E402

LARGEST_VALUE = 2048
LARGEST_STORE = 16 * 1024
DOCUMENTS = {".zarray", ".zgroup", ".zattrs", ".zmetadata", "meta", "attrs", "zarr.json"}
TARGETS = {".zarray": "zarray", "meta": "v1", "zarr.json": "v3"}
COMPRESSORS = {"blosc", "zlib", "gzip", "bz2", "lzma", "zstd", "lz4"}
NAMES = [
    "x.zarr",
    "ZARR:x.zarr",
    'ZARR:"x.zarr":/group/array',
    'ZARR:"x.zarr":/array:3:0',
    "ZARR:/vsizip/x.zip/store:/a",
    "ZARR:C:\\data\\x.zarr:/a:1",
    "file:///data/x%20y.zarr",
    "https://host:8080/x.zarr/.zmetadata?key=a:/b#c",
    'ZARR:"/vsicurl?max_retry=3&url=https%3A%2F%2Fhost%2Fx.zarr":/a',
    "s3://bucket/x.zarr",
    "ZARR:s3://bucket/x.zarr:/a:18446744073709551615",
    "zarr:\"a\\\"b\":/",
]


class Seeds:
    """Folders of seeds for the targets. Files are named by the hash of their contents."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0
        self.words = set()

    def add(self, target, data):
        place = self.folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / hashlib.sha1(data).hexdigest()).write_bytes(data)
        self.count += 1

    def add_store(self, root):
        """Adds a store to the seeds of every target that can read the store or one of its metadata documents."""
        values = {}
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.stat().st_size <= LARGEST_VALUE * 8:
                data = path.read_bytes()
                if path.name in DOCUMENTS or len(data) <= LARGEST_VALUE:
                    values[path.relative_to(root).as_posix()] = data
        for key, data in values.items():
            name = key.rsplit("/", 1)[-1]
            if name in DOCUMENTS:
                self.add("json", data)
                self.words.update(re.findall(rb'"[\w.:<>|/-]{1,40}"', data))
            if name in TARGETS:
                self.add(TARGETS[name], data)
        if sum(map(len, values.values())) > LARGEST_STORE:
            values = {key: data for key, data in values.items() if key.rsplit("/", 1)[-1] in DOCUMENTS}
        if sum(map(len, values.values())) > LARGEST_STORE:
            return
        self.add("store", b"\n".join(b"=== " + key.encode() + b"\n" + data for key, data in values.items()))
        self.add("tar", tar_of(values))
        self.add("zip", zip_of(values, zipfile.ZIP_STORED))
        self.add("zip", zip_of(values, zipfile.ZIP_DEFLATED))


    def write_words(self):
        words = self.words | {b"NaN", b"-Infinity", b"\\x0a=== ", b"18446744073709551615"}
        lines = (b'"%s"\n' % word.replace(b'"', b'\\"') for word in sorted(words))
        (self.folder / "zarr.dict").write_bytes(b"".join(lines))


def tar_of(values):
    file = io.BytesIO()
    # tarfile pads archives to ten kilobytes. Keeps only the members and the two blocks that end an archive.
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for key, data in values.items():
            member = tarfile.TarInfo(key)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        end = archive.offset
    return file.getvalue()[: end + 1024]


def zip_of(values, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, data in values.items():
            archive.writestr(zipfile.ZipInfo(key), data, method)
    return file.getvalue()


def add_icechunk(seeds):
    """Adds the payloads and the configurations of the repositories in data/icechunk."""
    for path in sorted((REPOSITORY / "data" / "icechunk").glob("*.icechunk/**/*")):
        if path.name == "config.yaml":
            seeds.add("yaml", path.read_bytes())
        elif path.name == "repo" or path.parent.name in ("snapshots", "manifests"):
            try:
                payload = numcodecs.Zstd().decode(path.read_bytes()[39:])
            except RuntimeError:  # decode() fails for frames that do not state their size
                continue
            if len(payload) <= LARGEST_STORE:
                seeds.add("icechunk", bytes(payload))
            if path.name == "repo":
                seeds.add("flex", flexbuffer_of(bytes(payload)))


def add_configurations(seeds):
    """Adds configurations of Icechunk with containers of each kind, and with odd URLs."""
    stores = [
        '!s3\n        region: us-east-1\n        endpoint_url: "https://host:9000/"\n        anonymous: true',
        '!s3_compatible\n        region: null\n        endpoint_url: "://"\n        anonymous: true\n        force_path_style: true',
        "!tigris\n        anonymous: true",
        "!gcs\n        google_skip_signature: 'true'",
        "!azure\n        account: name\n        azure_skip_signature: '1'",
        "!http {}",
        "!local_file_system /data",
    ]  # fmt: skip
    prefixes = ["s3://bucket/", "s3://bucket/a", "s3://", "gs://bucket/", "az://box/", "http://host/", "file:///data/", "f"]
    for store, prefix in zip(stores + stores[:1], prefixes, strict=True):
        text = ("inline_chunk_threshold_bytes: 512\nvirtual_chunk_containers:\n  name:\n    name: name\n"
                f"    url_prefix: {prefix}\n    store: {store}\n")  # fmt: skip
        seeds.add("yaml", text.encode())


def flexbuffer_of(repo):
    """Returns the configuration in a file `repo`: field 9 of its root table, a FlexBuffer."""
    root = struct.unpack_from("<I", repo)[0]
    vtable = root - struct.unpack_from("<i", repo, root)[0]
    field = root + struct.unpack_from("<H", repo, vtable + 4 + 2 * 9)[0]
    vector = field + struct.unpack_from("<I", repo, field)[0]
    size = struct.unpack_from("<I", repo, vector)[0]
    return repo[vector + 4 : vector + 4 + size]


def add_parquet(seeds):
    for path in sorted((REPOSITORY / "autotest/cpp/references/parquet").glob("*.parq")):
        seeds.add("parquet", path.read_bytes())


def add_kerchunk(seeds):
    array = {"zarr_format": 2, "shape": [4, 4], "chunks": [2, 2], "dtype": "<i2", "compressor": None,
             "fill_value": 0, "filters": None, "order": "C"}  # fmt: skip
    text = json.dumps(array)
    packed = "base64:" + base64.b64encode(text.encode()).decode()
    rows = ", ".join(f'"a/0.{i}": ["s3://b/f.nc", {i}, 8]' for i in range(3))
    plain = f'{{".zgroup": "{{}}", "a/.zarray": {json.dumps(text)}, {rows}}}'
    documents = [
        plain,
        f'{{"version": 0, "refs": {plain}}}',
        # The documents have metadata after the chunks, a bare NaN, and a comma before a closing bracket.
        f'\ufeff{{{rows}, "a/.zarray": {text}, "a/.zattrs": {{"x": NaN}}, "n": null, "a/c": "x",}}',
        f'{{"a/.zarray": "{packed}", "a/0.0": "base64:AAECAw==", "a/0.1": "\\u00e9\\ud83d\\ude00"}}',
        json.dumps({"version": 1, "refs": {
            "zarr.json": {"zarr_format": 3, "node_type": "group"}, "a/c/0/1/2": ["x.nc", 5, 7],
            "a/c.0.1": ["file:///d/x"], "a/c": ["x", 0, 0], "a/18446744073709551615": "y"}}),
        json.dumps({
            "version": 1,
            "templates": {"u": "https://host/d", "f": "{{u}}/{{c}}_{{ '%04d' % i }}.nc"},
            "gen": [
                {"key": "g/{{i}}.{{j}}", "url": "{{f(c='x', i=i * 2 + 1)}}", "offset": "{{(i + 1) * 4}}",
                 "length": "{{j // 2 % 3 + 9}}",
                 "dimensions": {"i": {"start": 1, "stop": 9, "step": 2}, "j": [3, 5]}},
                {"key": "h/{{i}}", "url": "{{u}}_{{-i}}", "dimensions": {"i": {"stop": 3}}},
            ],
            "refs": {"a/.zarray": text, "a/0.0": ["{{u}}", 10, 100], "a/0.1": ["{{f(c='t', i=1)}}"]},
        }),
    ]  # fmt: skip
    for document in documents:
        seeds.add("kerchunk", document.encode())
    seeds.add("kerchunk", numcodecs.Zstd(1).encode(documents[1].encode()))
    seeds.words.update((b"{{u}}", b"'%04d' % i", b"base64:", b'["u", 0, 0]', b'"templates"', b'"dimensions"'))


def add_codecs(seeds):
    text = (REPOSITORY / "autotest" / "cpp" / "codec" / "vectors.json").read_text()
    for vector in json.loads(text)["vectors"]:
        config = vector["config"]
        dtype = vector["dtype"]
        if "decoded" in vector:
            decoded = zlib.decompress(base64.b64decode(vector["decoded"]))
            count = len(decoded) // np.dtype(dtype).itemsize
        else:
            count = len(vector.get("decoded_strings", vector.get("decoded_bytes")))
        is_compressor = config["id"] in COMPRESSORS
        line = {"dtype": dtype, "chunks": [count], "order": "C",
                "compressor": config if is_compressor else None,
                "filters": None if is_compressor else [config]}
        encoded = base64.b64decode(vector["encoded"])
        if len(encoded) <= 2 * LARGEST_VALUE:
            seeds.add("codec", json.dumps(line).encode() + b"\n" + encoded)
        if not is_compressor and len(encoded) <= LARGEST_VALUE:
            line["compressor"] = {"id": "zlib", "level": 1}
            seeds.add("codec", json.dumps(line).encode() + b"\n" + zlib.compress(encoded, 1))


def add_written_stores(seeds, folder):
    for make in (zarr_eopf.make_s2, zarr_eopf.make_s1):
        (folder / make.__name__).mkdir()
        seeds.add_store(pathlib.Path(make(folder / make.__name__)))
    seeds.add_store(pathlib.Path(zarr_ome.make_plate(folder / "plate.zarr", ["A/1", "B/2"])))
    seeds.add_store(pathlib.Path(zarr_ome.make_series(folder / "series.zarr", ["one", "two"])))
    for compression in ("none", "zlib", "bz2", "blosc"):
        store = folder / f"v1_{compression}.zarr"
        options = {"blosc": {"cname": "lz4", "clevel": 1, "shuffle": 1}}.get(compression, 1)
        values = np.arange(120, dtype="<i2").reshape(10, 12)
        zarr_v1.write_v1(store, values, (5, 6), compression, None if compression == "none" else options)
        seeds.add_store(store)


def crc32c(data):
    """Returns the CRC-32C (Castagnoli), which the codec crc32c appends."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def v3_array(dtype, shape, chunks, codecs, fill=0, **members):
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": fill, "codecs": codecs, **members}  # fmt: skip


def sharded(chunks, codecs, index, location="end"):
    return {"name": "sharding_indexed", "configuration": {
        "chunk_shape": chunks, "codecs": codecs, "index_codecs": index, "index_location": location}}  # fmt: skip


def shard_of(chunks, at_end, with_crc):
    """Returns a shard of encoded chunks. None is an absent chunk."""
    size = 16 * len(chunks) + (4 if with_crc else 0)
    at, entries, body = 0 if at_end else size, [], b""
    for chunk in chunks:
        entries += [2**64 - 1] * 2 if chunk is None else [at, len(chunk)]
        body += chunk or b""
        at += len(chunk or b"")
    index = struct.pack(f"<{len(entries)}Q", *entries)
    index += crc32c(index) if with_crc else b""
    return body + index if at_end else index + body


def lying_indexes(chunk):
    """Yields shards of two chunks with a wrong or unusual index. The index is the last 32 bytes."""
    whole, most = len(chunk), 2**64 - 1
    for entries in (
        [0, whole, 0, whole],  # both chunks have the same byte range
        [0, whole, whole // 2, whole],  # the byte ranges of the two chunks overlap
        [0, whole, 2 * whole + 32, whole], [most - 1, whole, 0, most - 1], [most, whole, 0, most],
        [0, 0, most, most], [2 * whole, 32, 0, whole], [2**63, 2**63, whole, whole],
    ):  # fmt: skip
        yield 2 * chunk + struct.pack("<4Q", *entries)


def add_shards(seeds):
    """Adds seeds of a document and a shard: valid shards, nested shards, bombs (small shards with a huge decoded
    size), and shards with a wrong index."""
    def add(document, shard):
        seeds.add("shard", json.dumps(document).encode() + b"\n" + shard)

    data = np.arange(12, dtype="<i2").tobytes()
    flat = v3_array("int16", [4, 6], [2, 6], [sharded([2, 3], [LITTLE], [LITTLE])])
    for shard in lying_indexes(data[:12]):
        add(flat, shard)
    inner = sharded([2, 3], [LITTLE], [LITTLE])
    for location in ("start", "end"):
        outer = sharded([2, 6], [inner], [LITTLE, "crc32c"], location)
        nested = v3_array("int16", [4, 6], [4, 6], [outer], 3)
        for shard in (shard_of([data[:12], data[12:]], True, False), *lying_indexes(data[:12])):
            add(nested, shard_of([shard, None], location == "end", True))
    bomb = v3_array("uint8", [1024, 1024], [1024, 1024],
                    [sharded([512, 1024], ["bytes", GZIP], [LITTLE])])  # fmt: skip
    packed = gzip.compress(bytes(1 << 20), 9, mtime=0)
    add(bomb, shard_of([packed, packed], True, False))
    turned = {"name": "transpose", "configuration": {"order": [1, 0]}}
    packed_index = v3_array("int16", [4, 6], [4, 6], [sharded([2, 3], [LITTLE], [turned_index(), LITTLE])])
    add(packed_index, shard_of([data[:12], None, data[12:], data[:12]], True, False))
    uneven = v3_array("int16", [6, 6], [4, 6], [turned, sharded([3, 2], [LITTLE], [LITTLE], "start")], 7)
    uneven["chunk_grid"] = {"name": "rectilinear", "configuration": {
        "kind": "inline", "chunk_shapes": [[2, 4], [6]]}}  # fmt: skip
    add(uneven, shard_of([data[:12], None], False, False))


def turned_index():
    """Returns a codec that stores a shard index by columns: all offsets, then all sizes."""
    return {"name": "transpose", "configuration": {"order": [2, 0, 1]}}


def add_v3(seeds, folder):
    """Adds handwritten stores of Zarr v3."""
    def write(name, documents, chunks):
        for key, document in documents.items():
            path = folder / name / key / "zarr.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document))
        for key, data in chunks.items():
            path = folder / name / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        seeds.add_store(folder / name)

    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    plain = v3_array("uint16", [4, 6], [2, 6], [LITTLE, GZIP], dimension_names=["y", "x"])
    data = np.arange(12, dtype="<u2").tobytes()
    whole = {**group, "consolidated_metadata": {
        "kind": "inline", "must_understand": False, "metadata": {"a": plain}}}  # fmt: skip
    write("plain.zarr", {"": whole, "a": plain}, {"a/c/0/0": gzip.compress(data, 1, mtime=0)})
    for location in ("start", "end"):
        codec = sharded([2, 3], [LITTLE, GZIP], [LITTLE, "crc32c"], location)
        chunk = gzip.compress(data[:12], 1, mtime=0)
        write(f"shard_{location}.zarr", {"": v3_array("int16", [4, 6], [4, 6], [codec])},
              {"c/0/0": shard_of([chunk, None, chunk, chunk], location == "end", True)})  # fmt: skip
    inner = sharded([2, 3], [LITTLE], [LITTLE])
    outer = sharded([2, 6], [inner], [LITTLE])
    shard = shard_of([data[:12], data[12:]], True, False)
    write("nested.zarr", {"": v3_array("int16", [4, 6], [4, 6], [outer])},
          {"c/0/0": shard_of([shard, None], True, False)})  # fmt: skip
    outer = sharded([2, 6], [inner, GZIP], [LITTLE, "crc32c"], "start")
    wrapped = shard_of([None, gzip.compress(shard, 1, mtime=0)], False, True)
    write("wrapped.zarr", {"": v3_array("int16", [4, 6], [4, 6], [outer, "crc32c"])},
          {"c/0/0": wrapped + crc32c(wrapped)})  # fmt: skip
    unequal = v3_array("int16", [6, 6], [4, 6], [sharded([2, 3], [LITTLE], [LITTLE], "start")], 7)
    unequal["chunk_grid"] = {"name": "rectilinear", "configuration": {
        "kind": "inline", "chunk_shapes": [[2, 4], [6]]}}  # fmt: skip
    write("uneven_shards.zarr", {"": unequal},
          {"c/0/0": shard_of([data[:12], None], False, False),
           "c/1/0": shard_of([None, data[:12], data[12:], None], False, False)})  # fmt: skip
    uneven = v3_array("uint8", [6, 5], [2, 2], ["bytes"])
    uneven["chunk_grid"] = {"name": "rectilinear", "configuration": {
        "kind": "inline", "chunk_shapes": [[1, 3, 2], [[2, 2], 1]]}}  # fmt: skip
    write("uneven.zarr", {"": uneven}, {"c/1/2": b"abc", "c/0/0": b"de"})
    uneven_shards = v3_array("int16", [4, 6], [4, 6], [sharded([2, 3], [LITTLE], [LITTLE])])
    uneven_shards["chunk_grid"] = {"name": "rectilinear", "configuration": {
        "kind": "inline", "chunk_shapes": [4, [3, 6]]}}  # fmt: skip
    write("uneven_shards.zarr", {"": uneven_shards}, {
        "c/0/0": shard_of([data[:12], data[12:]], True, False),
        "c/0/1": shard_of([None, data[:12], None, None], True, False)})  # fmt: skip
    turned = {"name": "transpose", "configuration": {"order": [1, 0]}}
    packed = {"name": "packbits", "configuration": {"padding_encoding": "first_byte"}}
    for dtype, fill, codecs in (
        ("float32", "NaN", [turned, LITTLE, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}]),
        ("bfloat16", "0x7fc0", [LITTLE, "crc32c"]), ("int4", -1, ["bytes"]), ("bool", True, [packed]),
        ("complex64", [0, "-Infinity"], [LITTLE]), ("r24", [1, 2, 3], ["bytes"]),
        ({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 10}}, "NaT", [LITTLE]),
        ("string", "x", ["vlen-utf8"]), ("bytes", "AQI=", ["vlen-bytes"]),
        ("float64", 0.5, [{"name": "bitround", "configuration": {"keepbits": 3}}, LITTLE]),
        ({"name": "zarrs.optional", "configuration": {"name": "int16", "configuration": {}}}, None,
         [{"name": "zarrs.optional", "configuration": {"mask_codecs": [packed], "data_codecs": [LITTLE, GZIP]}}]),
        ("uint32", 3, [{"name": "zfp", "configuration": {"mode": "fixed_precision", "precision": 20}}]),
        ("bfloat16", 0, [{"name": "zfp", "configuration": {"mode": "reversible"}}]),
        ("int32", 3, [{"name": "reshape", "configuration": {"shape": [[0, 1]]}}, LITTLE]),
    ):  # fmt: skip
        seeds.add("v3", json.dumps(v3_array(dtype, [4, 6], [2, 3], codecs, fill)).encode())
        line = json.dumps({"data_type": dtype, "chunks": [2, 3], "codecs": codecs}).encode()
        seeds.add("codec", line + b"\n" + bytes(48))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    zarr_formats.set_default_format()
    seeds = Seeds(sys.argv[1])
    samples = {path.parent for path in (REPOSITORY / "data").rglob(".z*") if path.name in DOCUMENTS}
    for root in sorted(samples):
        if root.parent not in samples:
            seeds.add_store(root)
    for root in sorted((REPOSITORY / "data" / "pyramids").glob("*")):
        if root.is_dir():
            seeds.add_store(root)
    with tempfile.TemporaryDirectory() as folder:
        add_written_stores(seeds, pathlib.Path(folder))
        add_v3(seeds, pathlib.Path(folder))
    add_icechunk(seeds)
    add_configurations(seeds)
    add_codecs(seeds)
    add_parquet(seeds)
    add_kerchunk(seeds)
    add_shards(seeds)
    for name in NAMES:
        seeds.add("connection", name.encode())
    seeds.write_words()
    print(f"{seeds.count} seeds in {seeds.folder}")


if __name__ == "__main__":
    main()
