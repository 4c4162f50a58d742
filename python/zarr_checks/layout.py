# SPDX-License-Identifier: MIT
"""Checks metadata documents, and sizes of chunks and shards."""

import math
import shlex

import numpy as np
from osgeo import gdal

from zarr_checks.messages import Messages
from zarr_checks.options import MOST_CHUNKS_READ

KIB, MIB = 1024, 1024 * 1024
SMALLEST_CHUNK = 64 * KIB
LARGEST_CHUNK = 16 * MIB
SMALLEST_SHARD = MIB
LARGEST_SHARD = 512 * MIB
BEST_SIDE = 512  # rows and columns of a chunk that the commands ask for
MOST_OBJECTS = 10000
FEW_CHUNKS = 16  # small or oblong chunks are not reported if an array has at most this number of chunks
LONGEST_CHUNK = 8  # largest allowed ratio of a chunk's longest to its shortest side
LARGEST_CHUNK_READ = 256 * MIB


def consolidate(store):
    code = "import sys, zarr; zarr.consolidate_metadata(sys.argv[1])"
    return f"python3 -c '{code}' {shlex.quote(store.name)}"


def dataset_name(store, node):
    return store.name if not node.path else f'ZARR:"{store.name}":/{node.path}'


def check_documents(store, report):
    for key, why in store.broken.items():
        report.error("document-invalid", key, f"the document {key} {why}",
                     f"restore {key} from a copy, or write the store again")
    if store.keys is None:
        report.note("not-listed", "", "the store cannot be listed: stored chunks, and nodes that consolidated "
                    "metadata lacks, are not checked", "check a local copy of the store")
    if store.consolidated is None:
        if len(store.nodes) > 1 or (store.keys is None and not any(n.is_array for n in store.nodes.values())):
            report.warning("consolidated-missing", "", "there is no consolidated metadata: opening the store "
                           "takes a request for each document", consolidate(store))
        return
    own = store.documents()
    stated = dict(store.consolidated)
    if "" in stated:
        stated[""] = {name: value for name, value in stated[""].items() if name != "consolidated_metadata"}
    for key in sorted(own.keys() | stated.keys()):
        if key not in stated:
            report.error("consolidated-lacks", key, f"consolidated metadata lacks /{key}", consolidate(store))
        elif key not in own:
            # An empty .zattrs in consolidated metadata is no fault, because an absent .zattrs means no attributes.
            if not (key.endswith(".zattrs") and stated[key] == {}):
                report.error("consolidated-extra", key, f"consolidated metadata has /{key}, which is absent from "
                             "the store", consolidate(store))
        elif not _same(own[key], stated[key]):
            report.error("consolidated-outdated", key, f"consolidated metadata of /{key} differs from the document",
                         consolidate(store))


def _same(own, stated):
    """True if two metadata documents are equal, where an empty "attributes" equals an absent one."""
    def plain(value):
        return {name: item for name, item in value.items() if name != "attributes" or item != {}}
    return isinstance(stated, dict) and repr(_sorted(plain(own))) == repr(_sorted(plain(stated)))


def _sorted(value):
    """Returns a copy of a JSON value with sorted members, whole floats as integers, and no consolidated metadata.
    Comparing the repr() of copies works even with NaN."""
    if isinstance(value, dict):
        return sorted((name, _sorted(item)) for name, item in value.items() if name != "consolidated_metadata")
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def facts_of(node):
    facts = {"shape": node.shape, "type": str(node.type), "chunk": node.chunk}
    if node.shard:
        facts["shard"] = node.shard
    return facts


def _size(count):
    if count >= 1024 * 1024 * MIB:
        return f"{count // (1024 * 1024 * MIB)} TiB"
    return f"{count / MIB:.1f} MiB" if count >= MIB else f"{count / KIB:.1f} KiB"


def rows_and_columns(node):
    """Returns the axes of rows and columns: the last two, or those before a last axis of bands."""
    last = len(node.shape)
    has_bands_last = last > 2 and (node.dimensions or [None])[-1] == "band"
    return range(max(0, last - 2 - has_bands_last), last - has_bands_last)


def _reaches(node, part, side=math.inf):
    """True if `part`, the shape of a chunk or shard, has as many rows and columns as the array, or `side` of them."""
    return all(part[axis] >= min(node.shape[axis], side) for axis in rows_and_columns(node))


def check_chunks(node, report, remedy):
    """Reports unsuitable sizes and numbers of an array's chunks and shards. `remedy` gives the command that copies the
    raster to which the array belongs."""
    if not node.chunk or node.itemsize is None or 0 in node.shape:
        return
    used = [min(size, step) for size, step in zip(node.shape, node.chunk)]
    size = node.bytes_of(used)
    chunks = math.prod(-(-size // step) for size, step in zip(node.shape, node.chunk))
    is_split = chunks > FEW_CHUNKS
    if is_split and size < SMALLEST_CHUNK and not _reaches(node, used, BEST_SIDE):
        report.warning("chunk-small", node.path, f"a chunk is {_size(size)}, less than {_size(SMALLEST_CHUNK)}: "
                       "reading takes many requests", remedy.other_chunks())
    if size > LARGEST_CHUNK:
        report.warning("chunk-large", node.path, f"a chunk is {_size(size)}, more than {_size(LARGEST_CHUNK)}: "
                       "a map tile needs the whole chunk", remedy.other_chunks())
    if is_split and _is_oblong(node.shape[-2:], used[-2:]):
        report.warning("chunk-oblong", node.path, f"a chunk is {used[-2]} x {used[-1]}: a square window needs many "
                       "chunks", remedy.other_chunks())
    objects = node.objects()
    if node.shard is None and objects > MOST_OBJECTS:
        report.warning("objects-many", node.path, f"the array has {objects} chunks, each an object of the store",
                       remedy.for_cloud())
    if node.shard is None:
        return
    used = [min(a, b) for a, b in zip(node.shape, node.shard)]
    shard = node.bytes_of(used)
    if objects > 1 and shard < SMALLEST_SHARD and not _reaches(node, used):
        report.warning("shard-small", node.path, f"a shard is {_size(shard)}, less than {_size(SMALLEST_SHARD)}",
                       remedy.for_cloud())
    if shard > LARGEST_SHARD:
        report.warning("shard-large", node.path, f"a shard is {_size(shard)}, more than {_size(LARGEST_SHARD)}: "
                       "a writer needs as much memory", remedy.for_cloud())
    if node.shard == node.chunk:
        report.warning("shard-of-one", node.path, "each shard has one chunk: its index is one more request",
                       remedy.for_cloud())


def _is_oblong(shape, chunk):
    """True if a chunk is much longer than wide, but the array is not."""
    if len(chunk) < 2 or max(chunk) <= LONGEST_CHUNK * min(chunk):
        return False
    return min(shape) > min(chunk)


def fill_value(node):
    """Returns an array's fill value as a number; None for other fill values."""
    fill = node.fill
    if isinstance(fill, bool):
        return int(fill)
    if isinstance(fill, str):
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(fill)
    return fill if isinstance(fill, (int, float)) and abs(fill) < 1 << 64 or fill in (math.inf, -math.inf) else None


def check_empty_chunks(store, report, remedy_of, most=MOST_CHUNKS_READ):
    """Reports stored chunks that have only the fill value. Reads at most `most` chunks of each array. `remedy_of`
    returns the commands for an array."""
    dataset = gdal.OpenEx(store.name, gdal.OF_MULTIDIM_RASTER, allowed_drivers=["Zarr"])
    root = dataset.GetRootGroup() if dataset is not None else None
    for node in store.nodes.values() if root is not None and store.keys is not None else ():
        size = node.bytes_of(node.chunk) if node.is_array and node.chunk else None
        if size is not None and size <= LARGEST_CHUNK_READ and node.shape and fill_value(node) is not None:
            _check_empty_chunks(store, node, root, report, remedy_of(node), most)


def _check_empty_chunks(store, node, root, report, remedy, most):
    """Reports empty chunks among at most `most` stored chunks of an array. Reads the smallest chunks first, because
    equal elements compress best."""
    fill = fill_value(node)
    stored = sorted(store.stored_chunks(node), key=lambda chunk: chunk[2])
    if not stored:
        return
    name = node.path or (root.GetMDArrayNames() or [""])[0]  # if the store is a single array, its path is empty
    array = root.OpenMDArrayFromFullname("/" + name)
    if array is None or [d.GetSize() for d in array.GetDimensions()] != node.shape:
        return
    empty = 0
    for start, shape, _ in stored[:most]:
        count = [min(step, size - first) for first, step, size in zip(start, shape, node.shape)]
        if min(count) <= 0:
            continue
        # GDAL 3.6 returns an array even if the read fails, so check the messages, too.
        with Messages() as messages:
            values = array.ReadAsArray(array_start_idx=start, count=count)
        if messages.errors or values is None:
            why = "; ".join(messages.errors)
            report.error("chunk-unreadable", node.path, f"the chunk at {start} cannot be read: {why}",
                         "write the chunk again from its source")
            continue
        values = np.asarray(values)
        if values.dtype.kind not in "biuf":
            return
        is_nan = values.dtype.kind == "f" and math.isnan(fill)
        empty += bool(np.isnan(values).all() if is_nan else (values == fill).all())
    report.facts.setdefault("chunks_read", {})["/" + node.path] = min(most, len(stored))
    if empty:
        read = "" if len(stored) <= most else f" (of the {most} smallest that were read)"
        report.warning("empty-chunks", node.path, f"{empty} of {len(stored)} stored chunks hold the fill value "
                       f"{node.fill} alone{read}: an absent chunk has the same values", remedy.copy())
