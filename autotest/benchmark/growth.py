#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures how time depends on the number of chunks, on threads, and on the latency of a server.

    growth.py [--small] [--rounds N] [--data FOLDER] [--report FOLDER] [--of TABLE]... [PYTHON]

TABLE: chunks, threads or latency; the default is all of them. PYTHON is the interpreter of an environment with
TensorStore, zarrs and zarr-python 3, as peers.sh makes one. Without PYTHON, only this driver is measured.
Each reader runs in its own process, and readers take turns. The program fails if a reader reads wrong values.
The tables are:

    chunks    a whole array of 100 to a million chunks of 16 x 16 uint8 without compression. The time of
              opening is excluded. A reader that takes more than PATIENCE seconds skips larger arrays,
              which is marked "-";
    threads   a whole array of 4096 x 4096 float32 in chunks of 256 x 256, blosc-zstd, on 1 to 8 threads.
              The time of opening is excluded. With more threads than cores, only the cost of threads shows;
    latency   64 chunks of 256 x 256 float32, blosc-lz4, from a web server that waits 0 to 200 ms before
              each answer. The time of opening is included. zarr-python and zarrs need fsspec and aiohttp.

The system has cached all files. No reader keeps decoded chunks for the next round. Chunk files are hard links
to a few files, because a million separate files would need more memory and time.

--small is only a test, with at most 1000 chunks, 2 threads and 5 ms. --report writes growth.md and growth.svg.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import types
import zlib

# Removes settings of the user that would change the measurement.
for variable in ("GDAL_NUM_THREADS", "GDAL_CACHEMAX", "GDAL_SKIP", "CPL_DEBUG"):
    os.environ.pop(variable, None)

import numpy as np  # noqa: E402
import peers  # noqa: E402  (it sets GDAL_DRIVER_PATH)
import remote  # noqa: E402
import report  # noqa: E402
import samples  # noqa: E402
from growth_chart import draw  # noqa: E402
from measuring import BUILTIN, take_turns  # noqa: E402
from osgeo import gdal  # noqa: E402
from zarr_http import Served  # noqa: E402

PATIENCE = 10  # seconds; a reader that takes longer skips larger arrays
LONG = 5  # seconds; a reader that takes longer runs only once
SIDE = 16  # elements along each side of a chunk in the table "chunks"
# Numbers of chunks along the two dimensions, in total 10**2, 10**3, ... chunks
GRIDS = ((10, 10), (25, 40), (100, 100), (250, 400), (1000, 1000))
FILES = 32  # chunk files are hard links to this many files, because ext4 allows only 65000 links to a file
THREADS = (1, 2, 4, 8)
LATENCIES = (0, 5, 20, 50, 100, 200)  # milliseconds that the server waits before each answer


@dataclasses.dataclass
class Panel:
    """A table of results, which is also a panel of the chart."""

    title: str
    unit: str  # unit of the values in the first column
    guide_title: str
    guide: object  # function (value of the first column, rows) -> seconds; the chart draws it as a dashed line
    # Each row is (value of the first column, {reader: [seconds, ...]}).
    rows: list = dataclasses.field(default_factory=list)
    versions: dict = dataclasses.field(default_factory=dict)

    def add(self, value, seconds, versions):
        if not self.rows:
            self.versions = versions
            print("\n" + "\n".join(self.head()))
        self.rows.append((value, seconds))
        print(self.line(value, seconds), flush=True)

    def head(self):
        titles = [f"{name} {self.versions[name]}".strip() for name in self.versions]
        return [f"{self.title}", "", f"| {self.unit} | " + " | ".join(titles) + " |",
                "|--:|" + "--:|" * len(titles)]  # fmt: skip

    def line(self, value, seconds):
        cells = [
            f"{1000 * statistics.median(seconds[name]):.1f}" if name in seconds else "-"
            for name in self.versions
        ]
        return f"| {value} | " + " | ".join(cells) + " |"

    def text(self):
        return "\n".join([*self.head(), *(self.line(*row) for row in self.rows)])


def open_readers(stack, pythons, sample, threads=0):
    """Starts a process for each reader. Returns {name: peers.Reader}. `stack` is an ExitStack that ends the
    processes."""
    return {
        name: stack.enter_context(peers.Reader(peers.program([python], name, sample, threads)))
        for name, python in pythons.items()
    }


def versions_of(readers):
    """Returns {reader: version}. For this driver the version is "", because it would be the version of GDAL, which
    the chart's subtitle states."""
    return {name: "" if name == "ours" else each.version for name, each in readers.items()}


def measured(readers, command, rounds, expected):
    """Runs a command with each reader in turn. Returns {reader: [seconds of each round]}. With 0 rounds, each
    reader runs once without a warm-up."""

    def contender(name, reader):
        def run():
            answer = reader.ask(command)
            assert answer["crc32"] == expected, f"{name} reads other values: {reader.command}"
            return answer["seconds"]

        return run

    contenders = {name: contender(name, reader) for name, reader in readers.items()}
    if rounds:
        return take_turns(contenders, rounds)
    return {name: [run()] for name, run in contenders.items()}


def rounds_for(setting, panel, growth):
    """Returns the number of rounds for the next row, which probably takes `growth` times as long as the last
    row."""
    if not panel.rows:
        return setting.rounds
    _, seconds = panel.rows[-1]
    longest = max(statistics.median(each) for each in seconds.values())
    return setting.rounds if growth * longest <= LONG else 0


def links(rows, columns):
    """Returns an array with the file number of each chunk. The chunk is a hard link to the file with this
    number."""
    return (7 * np.arange(rows)[:, None] + 3 * np.arange(columns)) % FILES


def contents():
    random = np.random.Generator(np.random.PCG64(samples.SEED))
    return random.integers(0, 256, (FILES, SIDE, SIDE), "u1")


def many_chunks(folder, rows, columns):
    """Writes an array of rows x columns chunks in one folder. Returns (samples.Sample, CRC-32 of the values)."""

    def make(home):
        array = home / "array.zarr"
        array.mkdir()
        document = {
            "zarr_format": 2,
            "shape": [rows * SIDE, columns * SIDE],
            "chunks": [SIDE, SIDE],
            "dtype": "|u1",
            "compressor": None,
            "filters": None,
            "fill_value": None,
            "order": "C",
        }
        (array / ".zarray").write_text(json.dumps(document), encoding="utf-8")
        for number, values in enumerate(contents()):
            (home / str(number)).write_bytes(values.tobytes())
        for (row, column), number in np.ndenumerate(links(rows, columns)):
            os.link(home / str(number), f"{array}/{row}.{column}")

    home = samples.kept(folder, f"growth-{rows}x{columns}", make)
    files, crc32 = contents(), 0
    for numbers in links(rows, columns):
        crc32 = zlib.crc32(files[numbers].swapaxes(0, 1).tobytes(), crc32)
    return samples.Sample(f"{rows * columns} chunks", home / "array.zarr", "none"), crc32


def look_at_files(folder):
    """Loads the directory entries of all files into the system's cache, so that the first reader is not slower
    than the others. Returns the total size of the files in bytes."""
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries)


def against_chunks(setting):
    def proportional(value, rows):
        most, seconds = [row for row in rows if "ours" in row[1]][-1]
        return statistics.median(seconds["ours"]) * value / most

    panel = Panel("All of an array of small chunks", "chunks", "ours in proportion", proportional)
    pythons = setting.pythons
    for rows, columns in GRIDS[: 2 if setting.small else None]:
        sample, crc32 = many_chunks(setting.data, rows, columns)
        look_at_files(sample.path)
        with contextlib.ExitStack() as stack:
            readers = open_readers(stack, pythons, sample)
            versions = panel.versions or versions_of(readers)
            seconds = measured(readers, "read", rounds_for(setting, panel, 10), crc32)
        panel.add(rows * columns, seconds, versions)
        pythons = {name: pythons[name] for name in seconds if max(seconds[name]) <= PATIENCE}
        if not pythons:
            break
    return panel


def against_threads(setting):
    def shared_out(value, rows):
        return statistics.median(rows[0][1]["ours"]) / value

    size = 1024 if setting.small else 4096
    home = samples.kept(
        setting.data,
        f"growth-threads-{size}",
        lambda home: samples.save(
            home / "array.zarr", samples.terrain(size), (256, 256), samples.BLOSC_ZSTD
        ),
    )
    sample = samples.Sample("threads", home / "array.zarr", "blosc")
    crc32 = zlib.crc32(sample.array()[...])
    title = f"{size} x {size} float32, blosc-zstd, {setting.cores} cores"
    panel = Panel(title, "threads", "ours shared out", shared_out)
    for threads in THREADS[: 2 if setting.small else None]:
        with contextlib.ExitStack() as stack:
            readers = open_readers(stack, setting.pythons, sample, threads)
            seconds = measured(readers, "read", setting.rounds, crc32)
        panel.add(threads, seconds, versions_of(readers))
    return panel


def has_modules(python, *modules):
    command = [python, "-c", "import " + ", ".join(modules)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def against_latency(setting):
    pythons = dict(setting.pythons)
    if "zarrs" in pythons and not has_modules(pythons["zarrs"], "fsspec", "aiohttp"):
        print("\nno fsspec and aiohttp in their environment: zarrs and zarr-python are left out")
        del pythons["zarrs"], pythons["zarr-python"]
    home = samples.kept(setting.data, "remote", remote.make)
    crc32 = zlib.crc32(samples.Sample("", home / "array.zarr", "blosc").array()[...])
    title = "64 chunks from a web server, opening counted"
    panel = Panel(title, "ms of latency", "one answer", lambda value, rows: value / 1000)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Served(home))
        sample = samples.Sample("latency", f"{server.url}/array.zarr", "blosc")
        readers = open_readers(stack, pythons, sample)
        last = 0
        for latency in LATENCIES[: 2 if setting.small else None]:
            server.rule(delay=latency / 1000)
            rounds = rounds_for(setting, panel, latency / last if last else 1)
            seconds = measured(readers, "open", rounds, crc32)
            panel.add(latency, seconds, versions_of(readers))
            last = latency
    return panel


TABLES = {"chunks": against_chunks, "threads": against_threads, "latency": against_latency}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small data and few rounds: a test")
    parser.add_argument("--rounds", type=int, help="default 5, with --small 2")
    parser.add_argument("--data", default=str(peers.REPOSITORY / "build" / "benchmark-data"))
    parser.add_argument("--report", type=pathlib.Path, help="folder for growth.md and growth.svg")
    parser.add_argument("--of", action="append", choices=TABLES, help="measure this table")
    parser.add_argument("python", nargs="?", help="Python of the environment of the peers")
    arguments = parser.parse_args()
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds: expected 1 or more")
    gdal.UseExceptions()
    if gdal.GetDriverByName(BUILTIN) is None:
        sys.exit(f"cannot measure: no plugin of ours in {os.environ['GDAL_DRIVER_PATH']}")
    others = dict.fromkeys(peers.PEERS, arguments.python) if arguments.python else {}
    setting = types.SimpleNamespace(
        pythons={"ours": sys.executable, **others},
        rounds=arguments.rounds or (2 if arguments.small else 5),
        small=arguments.small,
        data=arguments.data,
        cores=len(os.sched_getaffinity(0)),
    )
    machine = report.machine(setting.rounds)
    print(f"{machine}, of milliseconds")
    panels = [TABLES[name](setting) for name in TABLES if name in (arguments.of or TABLES)]
    if arguments.small:
        print("\nsmall data: the values agree, the times mean nothing")
    if arguments.report:
        arguments.report.mkdir(parents=True, exist_ok=True)
        once = f"Where a reader is expected to take more than {LONG} seconds, all are measured once."
        text = "\n\n".join([f"{machine}, of milliseconds. {once}", *(panel.text() for panel in panels)])
        (arguments.report / "growth.md").write_text(text + "\n", encoding="utf-8")
        (arguments.report / "growth.svg").write_text(draw(panels, machine), encoding="utf-8")


if __name__ == "__main__":
    main()
