# SPDX-License-Identifier: MIT
"""Functions that provoke the messages of docs/errors.md about Zarr v3. zarr_docs_errors.py explains how such
functions are registered."""

import numpy as np
import zarr3
import zarr3_shards
from osgeo import gdal
from zarr_docs_errors import read, remembers, update
from zarr_gdal import config_options
from zarr_http import Served

PROVOKED = {}
provokes = remembers(PROVOKED)
ABSENT = 2**64 - 1


def document(**members):
    return zarr3.document((4, 6), "int16", chunks=(2, 3), **members)


def of_document(message, **members):
    """Registers a function that provokes `message`. The function opens an array whose zarr.json has the members
    `members`."""
    provokes(message)(
        lambda folder: read(zarr3.handmade(folder / "store.zarr", document(**members)))
    )


def shard(folder, *index, data=b"", codecs=(zarr3.LITTLE,)):
    """Writes a store with one shard of two chunks: the bytes `data`, followed by a shard index with the numbers
    `index`. `codecs` are the codecs of the index in zarr.json."""
    codecs = [zarr3.sharding((1, 3), index=codecs)]
    shard = data + np.array(index, "<u8").tobytes()
    return zarr3.handmade(folder / "store.zarr", document(codecs=codecs), {"c/0/0": shard})


def of_shard(message, *index, **more):
    provokes(message)(lambda folder: read(shard(folder, *index, **more)))


def create(target, *options):
    dataset = gdal.GetDriverByName("Zarr").Create(
        str(target), 8, 8, 1, gdal.GDT_Int16, list(options)
    )
    assert dataset is None or dataset.GetRasterBand(1).Fill(3) == gdal.CE_None


# Messages about zarr.json

of_document(
    'zarr.json: unknown member <name>, which does not state "must_understand": false',
    extension={"name": "x"},
)
of_document(
    "zarr.json: codecs[<n>]: unknown codec <name>", codecs=[zarr3.LITTLE, zarr3.codec("new")]
)
of_document(
    "zarr.json: codecs[<n>]: codec <name> is refused: <reason>",
    codecs=[zarr3.codec("numcodecs.pickle")],
)
of_document(
    "zarr.json: codecs[<n>]: codec <name> must be after array-to-bytes codec <name>",
    codecs=[zarr3.gzip(), zarr3.LITTLE],
)  # fmt: skip
of_document(
    'zarr.json: codecs: an array-to-bytes codec such as "bytes" is missing',
    codecs=[zarr3.gzip()],
)
of_document(
    "zarr.json: codecs[<n>].chunk_shape[<n>]: shard size <n> is not a multiple of the inner chunk "
    "size <n>",
    codecs=[zarr3.sharding((2, 2))],
)
of_document(
    "zarr.json: storage_transformers: expected an empty list, got <value>",
    storage_transformers=[{"name": "x"}],
)
of_document(
    'zarr.json: chunk_grid: expected "regular" or "rectilinear", got <name>',
    chunk_grid=zarr3.codec("hexagonal"),
)
of_document(
    "zarr.json: chunk_grid.configuration.chunk_shapes[<n>]: the sizes add up to <n>, less than the <n> "
    "elements of the dimension",
    chunk_grid=zarr3.codec("rectilinear", kind="inline", chunk_shapes=[[1, 2], 3]),
)  # fmt: skip


@provokes("zarr.json: data_type: unknown data type <name>")
def _(folder):
    read(zarr3.handmade(folder / "store.zarr", zarr3.document((4, 6), "int7")))


@provokes("zarr.json: <place>: shards nest more than <n> levels deep")
def _(folder):
    codecs = [zarr3.LITTLE]
    for _ in range(20):
        codecs = [zarr3.sharding((2, 3), codecs)]
    read(zarr3.handmade(folder / "store.zarr", document(codecs=codecs)))


@provokes("zarr.json: a shard of <n> chunks has an index of <n> bytes; ZARR_MAX_CHUNK_SIZE allows <n>")
def _(folder):
    with config_options(ZARR_MAX_CHUNK_SIZE="16"):
        read(shard(folder))


@provokes("CACHE_TILE_PRESENCE: <key>: its chunks cannot be listed: the indexes in it have too many "
          "bytes; ZARR_MAX_CHUNK_SIZE allows <n>")  # fmt: skip
def _(folder):
    inner = zarr3.shard_of([b"ab"] * 6)
    shards = zarr3.sharding((2, 3), [zarr3.sharding((1, 1), index=[zarr3.LITTLE])], [zarr3.LITTLE])
    data = inner + np.array([0, len(inner)] * 4, "<u8").tobytes()
    document_ = zarr3.document((4, 6), "int16", (4, 6), [shards])
    store = zarr3.handmade(folder / "store.zarr", document_, {"c/0/0": data})
    with config_options(ZARR_MAX_CHUNK_SIZE="200"):
        read(store, "CACHE_TILE_PRESENCE=YES")


# Messages about shards

of_shard("<key>: holds <n> bytes, fewer than the shard index of <n> bytes", data=b"short")
of_shard(
    "<key>: index: <codec>: checksum <sum> does not match the stored <sum>",
    ABSENT, ABSENT, ABSENT, ABSENT, 7, codecs=(zarr3.LITTLE, zarr3.CRC32C),
)  # fmt: skip
of_shard(
    "<key>: chunk [<index>]: the shard index states <n> bytes at offset <n>, beyond the end of the "
    "shard, which has <n> bytes",
    0, 600, ABSENT, ABSENT,
)  # fmt: skip
of_shard(
    "<key>: chunk [<index>]: the shard index states <n> bytes at offset <n>, but only one of the two "
    "numbers marks the chunk as absent",
    0, ABSENT, ABSENT, ABSENT,
)  # fmt: skip
of_shard(
    "<key>: chunk [<index>]: the shard index states <n> bytes at offset <n>, which exceeds the maximum "
    "of <n> bytes",
    0, 1 << 20, ABSENT, ABSENT, data=bytes(1 << 20),
)  # fmt: skip


@provokes("<key>: chunk [<index>]: the shard was replaced repeatedly while it was read")
def _(folder):
    file = zarr3_shards.make(folder / "store.zarr", "end") / "c/0/0"
    file.with_name("other").write_bytes(file.read_bytes() + file.read_bytes())
    with Served(folder) as server:
        turns = [f"/store.zarr/c/0/{name}" for name in ("0", "other")]
        server.rule(turns={"/store.zarr/c/0/0": turns})
        gdal.Open(f'ZARR:"{server.url}/store.zarr"').ReadAsArray(0, 0, 1, 1)


@provokes("<key>: the shard index has overlapping chunks, so that the shard cannot be updated")
def _(folder):
    codecs = [zarr3.sharding((1, 1), index=[zarr3.LITTLE])]
    store = zarr3.handmade(
        folder / "store.zarr", document(codecs=codecs),
        {"c/0/0": bytes(40) + np.array([0, 40] * 6, "<u8").tobytes()},
    )  # fmt: skip
    dataset = update(store)
    dataset.WriteArray(np.ones((1, 1), "i2"))
    del dataset


# Messages about creation options


@provokes("creation option <name>: requires Zarr v3 (FORMAT=ZARR_V3)")
def _(folder):
    create(folder / "new.zarr", "SHARD_CHUNK_SHAPE=2,2")


@provokes("creation option FORMAT: expected Zarr <version>, the format of the existing store")
def _(folder):
    create(folder / "new.zarr")
    create(folder / "new.zarr", "FORMAT=ZARR_V3", "APPEND_SUBDATASET=YES", "ARRAY_NAME=b")


@provokes("shard size <n> along dimension <n> is not a multiple of the inner chunk size <n>")
def _(folder):
    create(folder / "new.zarr", "FORMAT=ZARR_V3", "BLOCKSIZE=8,8", "SHARD_CHUNK_SHAPE=3,3")
