# SPDX-License-Identifier: MIT
"""Measures reads through references. One task opens up to ten million references and reads a chunk, in comparison with
fsspec and icechunk. Another reads a cube in a single file on a web server, band after band."""

import json
import pathlib
import subprocess

import numpy as np
from measuring import OURS, Fact, Row, faster, open_with, take_turns
from memory import spent
from osgeo import gdal
from samples import kept
from zarr_http import Served
from zarr_references import PYTHON

CHUNK = 64  # number of values in a chunk
CHUNKS = 1000  # number of different byte ranges in the data file
LATENCY = 0.02
CUBE = (24, 200, 400)

# For each reader, a program that reads the chunk NUMBER, and prints the seconds for opening and for reading.
READERS = {
    "json": """
import fsspec, zarr
store = fsspec.filesystem("reference", fo={path!r}, remote_protocol="file", asynchronous=False).get_mapper("")
array = zarr.open_array(zarr.storage.FsspecStore.from_mapper(store), path="a", mode="r", zarr_format=2)
""",
    "parquet": """
import fsspec, zarr
store = fsspec.filesystem("reference", fo={path!r}, remote_protocol="file", asynchronous=False, lazy=True).get_mapper("")
array = zarr.open_array(zarr.storage.FsspecStore.from_mapper(store), path="a", mode="r", zarr_format=2)
""",
    "icechunk": """
import icechunk, zarr
container = icechunk.VirtualChunkContainer({prefix!r}, icechunk.local_filesystem_store({folder!r}))
repository = icechunk.Repository.open(
    icechunk.local_filesystem_storage({path!r}),
    authorize_virtual_chunk_access=icechunk.containers_credentials({{{prefix!r}: None}}),
)
array = zarr.open_array(repository.readonly_session("main").store, path="a", mode="r")
""",
}
TIMED = """
import time, warnings
warnings.simplefilter("ignore")
{imports}
start = time.perf_counter()
{program}
values = array[{first}:{last}]
seconds = time.perf_counter() - start
assert values.tolist() == list(range({value}, {value} + len(values))), values[:3]
print(seconds)
"""
OUR_PROGRAM = """
dataset = gdal.OpenEx({name!r}, gdal.OF_MULTIDIM_RASTER)
array = dataset.GetRootGroup().OpenMDArray("a")
import struct
values = struct.unpack("<{length}i", bytes(array.Read([{first}], [{length}])))
assert values == tuple(range({value}, {value} + {length})), values[:3]
"""

MAKE_ICECHUNK = """
import sys, icechunk, zarr
path, data, count, chunk, ranges = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
prefix = "file://" + data.rpartition("/")[0] + "/"
config = icechunk.RepositoryConfig.default()
config.set_virtual_chunk_container(
    icechunk.VirtualChunkContainer(prefix, icechunk.local_filesystem_store(data.rpartition("/")[0]))
)
repository = icechunk.Repository.create(icechunk.local_filesystem_storage(path), config)
session = repository.writable_session("main")
zarr.create_array(session.store, name="a", shape=(count * chunk,), chunks=(chunk,), dtype="<i4",
                  compressors=None, filters=None, fill_value=0)
size = 4 * chunk
for first in range(0, count, 100_000):
    session.store.set_virtual_refs("a", [
        icechunk.VirtualChunkSpec([i], "file://" + data, i % ranges * size, size)
        for i in range(first, min(count, first + 100_000))
    ])
session.commit("references")
"""


def maker(count):
    """Returns a function that writes references to the `count` chunks of an array, as JSON, as Parquet and in
    Icechunk."""

    def make(home):
        np.arange(CHUNK * CHUNKS, dtype="<i4").tofile(home / "values.bin")
        array = {
            "zarr_format": 2, "shape": [count * CHUNK], "chunks": [CHUNK], "dtype": "<i4", "order": "C",
            "compressor": None, "fill_value": 0, "filters": None,
        }  # fmt: skip
        # kept() later gives the folder its final name; this is the file's path under that name.
        data, size = str(home.with_suffix("") / "values.bin"), 4 * CHUNK
        documents = {".zgroup": '{"zarr_format": 2}', "a/.zarray": json.dumps(array), "a/.zattrs": "{}"}
        with open(home / "refs.json", "w", encoding="utf-8") as file:
            file.write('{"version": 1, "refs": ' + json.dumps(documents)[:-1])
            for i in range(count):
                file.write(f', "a/{i}": {json.dumps([data, i % CHUNKS * size, size])}')
            file.write("}}")
        source = gdal.OpenEx(str(home / "refs.json"), gdal.OF_MULTIDIM_RASTER, allowed_drivers=[OURS])
        options = ["CONVERT_TO_KERCHUNK_PARQUET_REFERENCE=YES"]
        # The references contain the final path of their folder, which kept() sets later. ZARR_REFERENCE_FOLDERS
        # allows references to files outside of the folder's present path.
        gdal.SetConfigOption("ZARR_REFERENCE_FOLDERS", "ALL")
        assert gdal.GetDriverByName(OURS).CreateCopy(str(home / "refs.parq"), source, options=options)
        gdal.SetConfigOption("ZARR_REFERENCE_FOLDERS", None)
        command = [str(PYTHON), "-c", MAKE_ICECHUNK, str(home / "icechunk"), data, count, CHUNK, CHUNKS]
        subprocess.run([str(word) for word in command], check=True)

    return make


def ours(name, first, value):
    program = OUR_PROGRAM.format(name=str(name), first=first, length=CHUNK, value=value)
    return spent(program)


def theirs(kind, path, first, value):
    folder = str(path.parent)
    program = READERS[kind].format(path=str(path), folder=folder, prefix=f"file://{folder}/")
    imports = next(line for line in program.splitlines() if line.startswith("import"))
    text = TIMED.format(imports=imports, program=program, first=first, last=first + CHUNK, value=value)
    done = subprocess.run([str(PYTHON), "-c", text], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def measure(setting):
    yield from counts(setting)
    yield from band_after_band(setting)


def counts(setting):
    rounds = min(3, setting.rounds)
    for count in (1000,) if setting.small else (1000, 100_000, 1_000_000, 10_000_000):
        home = pathlib.Path(kept(setting.data, f"references-{count}", maker(count)))
        number = count // 2 + 7
        first, value = number * CHUNK, number % CHUNKS * CHUNK
        # JSON documents and unsplit manifests of Icechunk are read whole, so their memory limits (MB) grow with
        # `count`.
        millions = max(1, count // 1_000_000)
        forms = (
            ("json", "refs.json", 60 * millions), ("parquet", "refs.parq", 150), ("icechunk", "icechunk", 220 * millions),
        )  # fmt: skip
        for kind, file, most in forms:
            path = home / file
            memory = []

            def run(path=path, memory=memory):
                seconds, _, megabytes = ours(path, first, value)
                memory.append(megabytes)
                return seconds

            contenders = {"ours": run, "zarr": lambda kind=kind, path=path: theirs(kind, path, first, value)}
            title = f"open {count:,} references and read a chunk, {kind}"
            yield Row(title, take_turns(contenders, rounds), (faster(1, "zarr"),))
            yield Fact(f"MB, {title}", max(memory), most)


def make_cube(home):
    values = np.arange(np.prod(CUBE), dtype="<u2").reshape(CUBE)
    values.tofile(home / "cube.bin")
    rows = CUBE[1] // 4
    size = 2 * rows * CUBE[2]
    array = {
        "zarr_format": 2, "shape": CUBE, "chunks": [1, rows, CUBE[2]], "dtype": "<u2", "order": "C",
        "compressor": None, "fill_value": None, "filters": None,
    }  # fmt: skip
    references = {".zgroup": '{"zarr_format": 2}', "cube/.zarray": json.dumps(array)}
    for band in range(CUBE[0]):
        for part in range(4):
            references[f"cube/{band}.{part}.0"] = ["cube.bin", (4 * band + part) * size, size]
    (home / "refs.json").write_text(json.dumps({"version": 1, "refs": references}))


def band_after_band(setting):
    """Yields the number of requests for reading a band. One request is enough, because the chunks of a band are
    neighbours in the file."""
    home = pathlib.Path(kept(setting.data, "references-cube", make_cube))
    with Served(home, LATENCY) as server:
        dataset = open_with(OURS, f'ZARR:"/vsicurl/{server.url}/refs.json":/cube')
        server.log()
        for number in range(CUBE[0]):
            band = dataset.GetRasterBand(number + 1).ReadAsArray()
            assert band[0, 1] == (number * band.size + 1) % 65536
        requests = [each for each in server.requests() if each[1].endswith("cube.bin")]
    yield Fact("requests / bands, a cube in one file by references, 20 ms", len(requests) / CUBE[0], 1.2)
