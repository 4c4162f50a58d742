# SPDX-License-Identifier: MIT
"""Puts one store into several places, with and without consolidated metadata, and describes what GDAL answers there.

The places are a folder, a zip file, a web server that lists nothing, and an S3 server. An answer is what gdalinfo and
gdalmdiminfo print about a node, with checksums and all messages, in which the place's name is replaced."""

import contextlib
import json
import pathlib
import re
import shutil

from osgeo import gdal
from zarr_gdal import config_options, error_log
from zarr_http import Served
from zarr_store import zip_folder

V2_DOCUMENTS = (".zarray", ".zgroup", ".zattrs")
OWN, CONSOLIDATED = "own", "consolidated"
FOLDER, ZIP, HTTP, S3 = "folder", "zip", "http", "s3"
BUCKET = "bucket"
# Text before the key of a document that came consolidated, in messages.
CONSOLIDATED_KEY = re.compile(r"\.zmetadata: (?=\S*\.z)|zarr\.json: consolidated_metadata: ")


# ---------------------------------------------------------------------------------------------
# Consolidated metadata


def _json(file):
    try:
        return json.loads(file.read_bytes())
    except ValueError:
        return None


def _v3_documents(store):
    files = [file for file in store.rglob("zarr.json") if file.parent != store]
    return {file.parent.relative_to(store).as_posix(): _json(file) for file in sorted(files)}


def _v2_documents(store):
    files = [file for name in V2_DOCUMENTS for file in store.rglob(name)]
    return {file.relative_to(store).as_posix(): _json(file) for file in sorted(files)}


def consolidate(store):
    """Adds consolidated metadata that equals the store's own documents. Returns False if that is not possible: a
    document is no JSON, the root is no group, or the store is of Zarr v1 or of the "levels" format."""
    root = _json(store / "zarr.json") if (store / "zarr.json").is_file() else None
    if isinstance(root, dict) and root.get("node_type") == "group":
        documents = _v3_documents(store)
        if None in documents.values():
            return False
        root["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": documents}
        (store / "zarr.json").write_text(json.dumps(root))
        return True
    documents = _v2_documents(store)
    if root is not None or ".zgroup" not in documents or None in documents.values():
        return False
    whole = {"zarr_consolidated_format": 1, "metadata": documents}
    (store / ".zmetadata").write_text(json.dumps(whole))
    return True


def unconsolidate(store):
    """Removes consolidated metadata of the root. Returns False if the store's own documents differ from it."""
    file = store / ".zmetadata"
    if file.is_file():
        whole = _json(file)
        is_same = isinstance(whole, dict) and whole.get("metadata") == _v2_documents(store)
        file.unlink()
        return is_same
    root = _json(store / "zarr.json") if (store / "zarr.json").is_file() else None
    if not isinstance(root, dict) or root.get("consolidated_metadata") is None:
        return True
    whole = root.pop("consolidated_metadata")
    (store / "zarr.json").write_text(json.dumps(root))
    without = [{k: v for k, v in (each or {}).items() if k != "consolidated_metadata"}
               for each in _v3_documents(store).values()]  # fmt: skip
    listed = whole.get("metadata") if isinstance(whole, dict) else None
    return isinstance(listed, dict) and without == [
        {k: v for k, v in each.items() if k != "consolidated_metadata"} for _, each in sorted(listed.items())
    ]


# ---------------------------------------------------------------------------------------------
# Places


class Places:
    """Context manager with one server, which is both a web server that lists nothing and an object store. put() copies
    a store into all places."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.own = self.folder / BUCKET
        self.count = 0

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.own.mkdir(parents=True)
        self.server = self.stack.enter_context(Served(self.folder))
        self.server.rule(bucket=BUCKET)
        self.stack.enter_context(config_options(
            AWS_S3_ENDPOINT=self.server.url.removeprefix("http://"), AWS_HTTPS="NO", AWS_VIRTUAL_HOSTING="FALSE",
            AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret",
        ))  # fmt: skip
        gdal.VSICurlClearCache()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def clear(self):
        """Deletes the copies of the store that was put last."""
        shutil.rmtree(self.own / str(self.count))

    def put(self, store):
        """Copies the folder `store` into every place. Returns {(place, metadata): name of the store there}."""
        self.count += 1
        found = {}
        for metadata, change in ((OWN, unconsolidate), (CONSOLIDATED, consolidate)):
            at = f"{self.count}/{metadata}/{store.name}"
            copy = self.own / at
            shutil.copytree(store, copy, symlinks=True)
            if not change(copy):
                shutil.rmtree(copy.parent)
                continue
            found[FOLDER, metadata] = str(copy)
            archive = zip_folder(copy, self.own / f"{at}.zip", store.name)
            found[ZIP, metadata] = f"/vsizip/{archive}/{store.name}"
            found[HTTP, metadata] = f"/vsicurl/{self.server.url}/{BUCKET}/{at}"
            found[S3, metadata] = f"/vsis3/{BUCKET}/{at}"
        return found


# ---------------------------------------------------------------------------------------------
# Answers


def _without_place(text, store):
    """Returns `text` with "@" in place of the store's name and of its address, and with the keys of the nodes' own
    documents."""
    for name in (store, store.removeprefix("/vsicurl/"), store.replace("/vsis3/", "s3://")):
        text = text.replace(name, "@")
    return CONSOLIDATED_KEY.sub("", text)


def names_in(store, limit=12):
    """Returns the paths of the arrays and groups in the folder `store`, at most `limit`; the root is ""."""
    names = (".zarray", ".zgroup", "zarr.json")
    nodes = sorted({file.parent for name in names for file in store.rglob(name)})
    return ["", *(node.relative_to(store).as_posix() for node in nodes if node != store)][:limit]


def describe(store, path, options=()):
    """Returns what GDAL answers about the node at `path` of `store`: gdalinfo's answer, or None, and the messages."""
    name = f'ZARR:"{store}"' + (f":/{path}" if path else "")
    with error_log() as log:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, open_options=list(options))
        told = None
        if dataset is not None:
            told = gdal.Info(dataset, format="json", computeChecksum=True, extraMDDomains=["all"], showFileList=False)
        dataset = None
    answer = json.loads(_without_place(json.dumps(told), store)) if told else told
    if answer:
        answer.pop("files", None)
        answer["metadata"].get("ZARR", {}).pop("CONSOLIDATED_METADATA", None)
    return {"answer": answer, "messages": [_without_place(text, store) for _, _, text in log.events]}


def describe_mdim(store, detailed=True):
    """Returns what GDAL answers about a store in the multidimensional API, as describe() does. With `detailed`, the
    answer has all values."""
    with error_log() as log:
        dataset = gdal.OpenEx(f'ZARR:"{store}"', gdal.OF_MULTIDIM_RASTER)
        told = gdal.MultiDimInfo(dataset, detailed=detailed) if dataset is not None else None
        dataset = None
    answer = json.loads(_without_place(json.dumps(told), store)) if told else told
    return {"answer": answer, "messages": [_without_place(text, store) for _, _, text in log.events]}


def differences(a, b, where=""):
    """Returns texts that say where two answers differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [*a, *(key for key in b if key not in a)]
        return [text for key in keys for text in differences(a.get(key), b.get(key), f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [text for i, pair in enumerate(zip(a, b)) for text in differences(*pair, f"{where}[{i}]")]
    return [] if a == b else [f"{where}: {a!r} != {b!r}"]
