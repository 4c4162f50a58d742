#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the times of the driver and its core with TensorStore, zarrs and zarr-python 3 on equal arrays.

    peers.py [--small] [--rounds N] [--data FOLDER] [--of LABEL]... [--builtin ROOT] PYTHON

PYTHON is the interpreter of an environment with these packages, which peers.sh makes. LABEL is the label of an
array in the table, such as "v3, zstd"; the default is all arrays.

"ours" is the multidimensional API, which reads into new NumPy arrays like the other readers. "core" is the
core without GDAL, in the program zarr_core_reader. Each reader runs in its own process, and readers take turns.
All values are compared. The system has cached all files, except in rows that say otherwise. Chunks on a server
are requested in each round. ours/best is the median of the ratios of all rounds: the driver's time / the time
of the fastest peer.

"floor" is the program zarr_floor, a lower bound: it reads the chunk files and decodes them with the codec's
library, into new memory. For windows it decodes each chunk once. For a round trip it writes the chunk files, and
reads the existing array.

ROOT is the folder of another Debian system with python3-gdal. Its built-in driver becomes one more peer.
`scripts/try_fresh_debian.sh --suite sid --root ROOT` makes this folder. Using it needs root rights.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))

import numpy as np  # noqa: E402
import remote  # noqa: E402
import report  # noqa: E402
import samples  # noqa: E402
from measuring import BUILTIN, Floor, median_ratio, take_turns  # noqa: E402
from osgeo import gdal  # noqa: E402
from zarr_http import Served  # noqa: E402  (in the folder that samples adds to the path)

PEERS = ("tensorstore", "zarrs", "zarr-python")
PROGRAM = pathlib.Path(__file__).with_name("peer_program.py")
# Shell script that runs a command in another Debian system. $0 is the folder of that system. Folders $1 and $2
# are mounted in it. The other arguments are the command.
ELSEWHERE = """
root=$0
for folder in "$1" "$2"; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
done
mkdir -p "$root/proc"
mount -t proc proc "$root/proc"
shift 2
exec chroot "$root" "$@"
"""
COLD = "read all, page cache cold"
COLD_ARRAYS = ("blosc-lz4", "none", "v3, sharded scene")
LATENCY = 0.02  # seconds that the server waits before each answer
WINDOWS = 40  # number of windows; 5 with --small
BANDS = 60
PIXELS = 10
PATIENCE = 12  # seconds for the warm-up of all readers; take_turns() runs fewer rounds if it takes longer


def program(python, name, sample, threads=0):
    """Returns the command that starts a Python reader with `threads` threads. With 0, the reader chooses the
    number."""
    form = "3" if isinstance(sample, samples.Version3Sample) else "2"
    return [*python, "-B", str(PROGRAM), name, sample.path, form, str(threads)]


def python_in(root, data):
    """Returns the command that runs Python in the Debian system in folder `root`, without this driver."""
    inside = ["/usr/bin/env", "-u", "GDAL_DRIVER_PATH", "/usr/bin/python3"]
    return ["unshare", "--mount", "bash", "-euc", ELSEWHERE, root, str(REPOSITORY), data, *inside]


class Reader:
    """Context manager: runs a reader on one array, in a new process. A reader is another Zarr library or this
    driver."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.version = self._answer()["version"]
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self):
        answer = self.process.stdout.readline()
        assert answer, f"{self.command} has ended"
        return json.loads(answer)


class RemoteSample(samples.Sample):
    """The array of the Sample `local` on a web server."""

    def __init__(self, local, url):
        super().__init__(f"HTTP, {1000 * LATENCY:.0f} ms, {local.label}", url, local.floor_codec)
        self.local = local

    def array(self):
        return self.local.array()


def text_of(begin, size):
    return ",".join(f"{b}:{b + s}" for b, s in zip(begin, size))


def random_windows(number, shape, size, step, random):
    """Returns `number` random windows as text, for peer_program.py. Their offsets are multiples of `step`."""
    places = [max((length - each) // step, 0) + 1 for length, each in zip(shape, size)]
    return " ".join(
        text_of([int(random.integers(n)) * step for n in places], size) for _ in range(number)
    )


def tasks_of(sample, folder, windows):
    """Returns {title of a task: command for peer_program.py}."""
    shape, chunks = sample.array().shape, sample.chunks
    random = np.random.default_rng(25)
    if chunks == shape:
        return {"read all": "read", "written and read back": f"write {folder}/"}
    if isinstance(sample, RemoteSample):
        return {"open and read all": "open"}
    if len(shape) == 2:
        side = min(2 * chunks[0], *shape)
        cold = {COLD: "read"} if sample.label in COLD_ARRAYS else {}
        return {
            "read all": "read",
            **cold,
            "windows at chunks' edges": "windows "
            + random_windows(windows, shape, (side, side), chunks[0], random),
            "windows anywhere": "windows " + random_windows(windows, shape, (side, side), 1, random),
            "written and read back": f"write {folder}/",
        }
    bands = [text_of([i, 0, 0], [1, *shape[1:]]) for i in range(min(BANDS, shape[0]))]
    series = [text_of([0, 7, 5 + i], [shape[0], 1, 1]) for i in range(PIXELS)]
    return {
        "read all": "read",
        f"{len(bands)} bands in turn": "windows " + " ".join(bands),
        f"series of {PIXELS} pixels": "windows " + " ".join(series),
    }


def variant_of(sample):
    """Returns the argument VARIANT of zarr_floor for an array's codec. Returns None for arrays with shards,
    which zarr_floor cannot write."""
    if sample.shards and sample.shards != sample.chunks:
        return None
    return {
        "blosc": "zstd" if "zstd" in sample.label else "lz4",
        "zstd": "3",
        "zlib": "6",
        "gzip": "6",
        "none": "-",
    }[sample.floor_codec]


def floor_of(floor, sample, title, command, target):
    """Returns a function that does the task with zarr_floor, or None if zarr_floor cannot do it. target()
    returns the path of a new store."""
    if title == COLD or isinstance(sample, RemoteSample):
        return None
    if command == "read":
        return floor.into_new_memory
    if command.startswith("windows ") and len(sample.chunks) == 2:
        windows = []
        for window in command.split()[1:]:
            (top, bottom), (left, right) = (map(int, part.split(":")) for part in window.split(","))
            windows.append((left, top, right - left, bottom - top))
        return floor.windows_contender(windows, new=True)
    variant = variant_of(sample)
    if command.startswith("write ") and variant:

        def there_and_back():
            place = target()
            seconds = floor.writing(place, variant) + floor.into_new_memory()
            empty(place)
            return seconds

        return there_and_back
    return None


class Table:
    def __init__(self, versions):
        """Prints the head of the table. Its columns are zarr_floor, the core, this driver and the peers.
        `versions` is {peer: version}."""
        self.peers = tuple(versions)
        self.names = ("floor", "core", "ours", *self.peers)
        titles = [f"{name} {versions.get(name, '')}".strip() for name in self.names]
        print("| milliseconds | " + " | ".join(titles) + " | ours/floor | ours/best | floor/best |")
        print("|---|" + "--:|" * (len(self.names) + 3))

    def add(self, title, seconds):
        cells = [
            f"{1000 * float(np.median(seconds[name])):.1f}" if name in seconds else ""
            for name in self.names
        ]
        peers = [seconds[name] for name in self.peers if name in seconds]
        seconds = {**seconds, "best": [min(each) for each in zip(*peers)]}
        for above, below in (("ours", "floor"), ("ours", "best"), ("floor", "best")):
            is_there = above in seconds and below in seconds
            ratio = median_ratio(seconds[above], seconds[below]) if is_there else None
            cells.append(f"{ratio:.2f}" if ratio else "")
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


def forget(folder):
    """Writes the files of a folder to the disk, and removes them from the page cache."""
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def empty(folder):
    """Truncates the files of a folder to free their disk space. Deleted files would slow down later writes,
    because ext4 examines recently deleted files when it creates a file."""
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file():
            os.truncate(path, 0)


def commands_of(setting, sample):
    """Returns {reader: command that starts it} for this driver, the core and the peers."""
    others = [setting.python]
    commands = {"ours": program([sys.executable], "ours", sample)}
    if not isinstance(sample, RemoteSample):
        commands["core"] = [setting.core, sample.path]
    commands |= {name: program(others, name, sample) for name in PEERS}
    if setting.builtin:
        commands["builtin"] = program(python_in(setting.builtin, setting.data), "builtin", sample)
    return commands


def measure(sample, setting, table):
    with contextlib.ExitStack() as stack:
        readers = {
            name: stack.enter_context(Reader(command))
            for name, command in commands_of(setting, sample).items()
        }
        if table is None:
            ours = ("ours", "core")
            table = Table({name: each.version for name, each in readers.items() if name not in ours})
        is_remote = isinstance(sample, RemoteSample)
        floor = None if is_remote else stack.enter_context(Floor(setting.floor, sample))
        whole = floor.crc32() if floor else None  # also loads the values that zarr_floor writes later
        folder, turns = setting.written, setting.turns
        for title, command in tasks_of(sample, folder, setting.windows).items():
            answers = {}

            def contender(name, reader, title=title, command=command, answers=answers):
                def run():
                    if title == COLD:
                        forget(sample.path)
                    target = f"{next(turns)}" if command.startswith("write") else ""
                    answer = reader.ask(command + target)
                    answers[name] = answer["crc32"]
                    if target:
                        empty(pathlib.Path(folder) / target)
                    return answer["seconds"]

                return run

            contenders = {name: contender(name, reader) for name, reader in readers.items()}
            least = floor_of(floor, sample, title, command, lambda: f"{folder}/{next(turns)}")
            if least:
                contenders["floor"] = least
            seconds = take_turns(contenders, setting.rounds, PATIENCE)
            if floor and command == "read":
                answers["floor"] = whole
            assert len(set(answers.values())) == 1, (title, sample.path, answers)
            table.add(f"{title}, {sample.label}", seconds)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small data and few rounds: a test")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", default=str(REPOSITORY / "build" / "benchmark-data"))
    parser.add_argument("--of", action="append", metavar="LABEL", help="measure this array")
    parser.add_argument("--builtin", metavar="ROOT", help="another system, with GDAL's own driver")
    parser.add_argument("python", help="Python of the environment of the peers")
    arguments = parser.parse_args()
    gdal.UseExceptions()
    plugins = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]).resolve()
    if gdal.GetDriverByName(BUILTIN) is None:
        sys.exit(f"cannot measure: no plugin of ours in {plugins}")
    small, data = arguments.small, str(pathlib.Path(arguments.data).resolve())
    terrain = samples.terrain_samples(data, *((1000, 256) if small else (8192, 512)))
    scene = samples.scene_sample(data, *((1000, 256) if small else (8192, 1024)))
    cube = samples.cube_sample(
        data, *(((24, 36, 72), (6, 9, 18)) if small else ((240, 360, 720), (60, 90, 180)))
    )
    setting = types.SimpleNamespace(
        floor=str(plugins.parent / "bin" / "zarr_floor"),
        core=str(plugins.parent / "bin" / "zarr_core_reader"),
        python=arguments.python,
        builtin=arguments.builtin,
        rounds=1 if small else arguments.rounds,
        windows=5 if small else WINDOWS,
        data=data,
        turns=itertools.count(),
    )
    terrain_of = {each.label: each for each in terrain}
    version_3 = samples.version_3_samples(data, terrain_of, scene, cube)
    more = samples.more_version_3_samples(data, terrain_of)
    shaded = samples.shaded_sample(data, *((600, 128) if small else (4096, 256)))
    whole = [
        each
        for each in samples.one_chunk_samples(data, 1000 if small else 6200)
        if samples.FRAMES not in each.label
    ]
    home = samples.kept(data, "remote", remote.make)
    written = tempfile.TemporaryDirectory(dir=data)
    with Served(home, LATENCY) as server, written as setting.written:
        near = samples.Sample("blosc-lz4", home / "array.zarr", "blosc")
        remote_sample = RemoteSample(near, f"{server.url}/array.zarr")
        arrays = (*terrain, shaded, scene, cube, *whole, *version_3.values(), *more, remote_sample)
        labels = [each.label for each in arrays]
        if not set(arguments.of or labels) <= set(labels):
            sys.exit(f"no such array: --of takes {', '.join(labels)}")
        print(report.machine(setting.rounds), end="\n\n")
        table = None
        for sample in arrays:
            if sample.label in (arguments.of or labels):
                table = measure(sample, setting, table)


if __name__ == "__main__":
    main()
