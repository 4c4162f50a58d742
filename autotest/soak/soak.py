# SPDX-License-Identifier: MIT
"""Soak test: threads of several processes with GDAL, and zarr-python, read and write one store at random.

    autotest/soak/run.sh --minutes 30 [--seed 1234abcd] [--format v3] [--processes 2] [--threads 3] [--keep]

Compares every value that is read with a model (model.py), and checks that memory does not grow. Prints the
seed, and at the end a line of counts. Prints failures, and exits with 1 if there are any. The seed selects the
store's format (v2, v3, or v3 with shards) unless --format does. The seed also determines the operations of each
thread, but not the order between threads. GDAL_DRIVER_PATH is the folder of the plugin.
"""

import argparse
import json
import os
import pathlib
import random
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(REPOSITORY / "autotest" / "gdrivers"))
os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))
os.environ["GDAL_PAM_ENABLED"] = "NO"

# pylint: disable=wrong-import-position
import numcodecs
import numpy as np
import zarr3
import zarr_formats
import zarr_python as zarr
from handles import WAYS
from model import (ARRAYS, CHUNKS, PYRAMID, PYRAMID_SIDE, SERIES, SERIES_SHAPE, SHAPE, ZARR, Model,
                   slice_values)

# Maximum growth of a process's memory in bytes, measured after the first third of its run time
TOLERANCE = 16 << 20
WARM = 20  # seconds; shorter runs do not check memory, because caches still grow
# Sanitizers keep freed memory, so growth is not checked.
HAS_SANITIZER = "san" in os.environ.get("LD_PRELOAD", "")
WHOLE = tuple(slice(0, size) for size in SHAPE)
zarr_formats.set_default_format()


FORMATS = {"v2": 2, "v3": 3, zarr_formats.SHARDS: zarr_formats.SHARDS}


def put_in_shards(store, path):
    """Changes the codecs of an empty array, so that each chunk becomes a shard with smaller inner chunks."""
    file = zarr_formats.document_file(store, f"{path}/.zarray")
    document = json.loads(file.read_text())
    whole = document["chunk_grid"]["configuration"]["chunk_shape"]
    chunks = [n // 2 if n % 2 == 0 else n for n in whole]
    codecs = [zarr3.sharding(chunks, document["codecs"])]
    file.write_text(json.dumps({**document, "codecs": codecs}))
    # zarr-python rewrites zarr.json, which must equal the consolidated metadata that zarr-python writes later.
    zarr.open_array(str(store / path), mode="r+").update_attributes({})


def make_store(path, processes):
    """Writes the store for the soak test, whose arrays are all empty."""
    group = zarr.open_group(str(path), mode="w")

    def add(name, dims, attributes=None, **arguments):
        array = group.create_dataset(name, fill_value=0, **arguments)
        array.attrs.put({"_ARRAY_DIMENSIONS": dims, **(attributes or {})})
        return array

    compressors = [numcodecs.Blosc(cname="lz4"), None, numcodecs.Zstd(3)]
    for i, name in enumerate(ARRAYS):
        add(name, ["band", "y", "x"], shape=SHAPE, chunks=CHUNKS, dtype="<i8",
            compressor=compressors[i], dimension_separator="./."[i])  # fmt: skip
    for name, time_of in zip(SERIES, ("time", "ztime")):
        array = add(name, [time_of, "row", "column"], shape=(1, *SERIES_SHAPE),
                    chunks=(1, *SERIES_SHAPE), dtype="<i8")  # fmt: skip
        array[0] = slice_values(0)
    add("time", ["time"], data=np.zeros(1), chunks=(1,))
    pyramids = group.create_group("pyramids")
    array = pyramids.create_dataset("base", shape=(PYRAMID_SIDE,) * 2, chunks=(64, 64), dtype="<i4",
                                    fill_value=0)  # fmt: skip
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    assert PYRAMID == "pyramids/base"
    for process in range(processes):
        add(f"notes{process}", ["j", "i"], shape=(4, 4), chunks=(4, 4), dtype="<i4")
    if zarr_formats.has_shards():
        for name in (*ARRAYS, PYRAMID):
            put_in_shards(path, name)
    zarr.consolidate_metadata(str(path))


class Runner:
    """A worker process and the samples of its memory."""

    def __init__(self, request):
        is_zarr = request["process"] == ZARR
        program = HERE / ("zarr_worker.py" if is_zarr else "worker.py")
        self.name = f"process {request['process']}"
        search = [str(HERE), str(REPOSITORY / "autotest" / "gdrivers")]
        self._process = subprocess.Popen(
            [sys.executable, "-B", str(program), json.dumps(request)], stdout=subprocess.PIPE,
            text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(search)},
        )  # fmt: skip
        self.samples = []

    def is_running(self):
        return self._process.poll() is None

    def sample(self):
        """Records the memory of the process in bytes, without mapped files."""
        try:
            text = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return
        for line in text.splitlines():
            if line.startswith("RssAnon:"):
                self.samples.append(int(line.split()[1]) << 10)

    def finish(self, seconds):
        """Waits for the process. Returns ({name: count}, [texts of failures])."""
        try:
            output, _ = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            output, _ = self._process.communicate()
            return {}, [f"{self.name} hangs"]
        answers = [json.loads(line) for line in output.splitlines()]
        failed = [answer["failed"] for answer in answers if "failed" in answer]
        counts = [answer for answer in answers if "failed" not in answer]
        if self._process.returncode != 0 or not counts:
            failed.append(f"{self.name} ends with {self._process.returncode}")
        return counts[-1] if counts else {}, failed

    def memory(self):
        """Returns the memory in bytes after a third of the run time, and at the end. Each value is the median of a
        tenth of all samples."""
        tenth = max(1, len(self.samples) // 10)
        third = len(self.samples) // 3
        if len(self.samples) < 6:
            return 0, 0
        return (int(statistics.median(self.samples[third : third + tenth])),
                int(statistics.median(self.samples[-tenth:])))  # fmt: skip


def run(folder, chosen, seed):
    """Runs the soak test. Returns (texts of failures, a line that summarizes the run)."""
    processes, threads, seconds = chosen.processes, chosen.threads, 60 * chosen.minutes
    make_store(folder / "soak.zarr", processes)
    model = Model(folder / "model", create=True)
    for lengths in model.lengths.values():
        lengths[:] = 1
    request = {"folder": str(folder), "seed": seed, "processes": processes, "threads": threads,
               "seconds": seconds, "locks": not chosen.without_locks,
               "zarr_writes": not zarr_formats.has_shards()}  # fmt: skip
    runners = [Runner({**request, "process": name}) for name in [*range(processes), ZARR]]
    deadline = time.monotonic() + seconds + 60
    while any(runner.is_running() for runner in runners) and time.monotonic() < deadline:
        for runner in runners:
            runner.sample()
        time.sleep(min(1, seconds / 50))
    failures, total = [], {"operations": 0, "bytes": 0, "openings": 0}
    for runner in runners:
        counts, failed = runner.finish(1)
        failures += failed
        for name, number in counts.items():
            total[name] += number
    if not failures:
        failures += check_end(folder, model)
        failures += [
            f"{runner.name} has grown from {runner.memory()[0] >> 20} to "
            f"{runner.memory()[1] >> 20} MiB"
            for runner in runners
            if runner.memory()[1] - runner.memory()[0] > TOLERANCE and not HAS_SANITIZER
            and seconds >= WARM
        ]
    memory = ", ".join("{}->{}".format(*(b >> 20 for b in runner.memory())) for runner in runners)
    summary = (
        f"soak seed={seed} {chosen.format} {seconds:.0f} s {processes}x{threads} threads and zarr-python: "
        f"{total['operations']} operations, {total['bytes'] >> 20} MiB, {total['openings']} "
        f"openings, {model.lengths[SERIES[0]][0]}+{model.lengths[SERIES[1]][0]} slices, "
        f"memory {memory} MiB: {'FAILED' if failures else 'ok'}"
    )
    return failures, summary


def check_end(folder, model):
    """Compares the store with the model after all processes have ended. Returns texts about differences."""
    store, failures = folder / "soak.zarr", []
    for name in ARRAYS:
        wanted = model.settled(name, WHOLE)
        found = {way: WAYS[way](store, name).read(WHOLE) for way in WAYS}
        found["zarr-python"] = zarr.open_group(str(store), mode="r")[name][...]
        failures += [f"in the end {name} is not what was written to it, by {how}"
                     for how, values in found.items() if (values != wanted).any()]  # fmt: skip
    documents = zarr_formats.documents(store)
    # zarr-python appends to SERIES[1] without updating the consolidated metadata, so the metadata of SERIES[1] may
    # differ.
    consolidated = documents.pop(".zmetadata")["metadata"]
    grown = f"{SERIES[1]}/.zarray"
    failures += [f"in the end the consolidated metadata have another {key}" for key in {*documents, *consolidated}
                 if key != grown and documents.get(key) != consolidated.get(key)]  # fmt: skip
    failures += [f"in the end {path} is left over" for path in store.rglob("*.partial")]
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", default=None)
    parser.add_argument("--format", choices=FORMATS, default=None)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="keep the store of a failure")
    parser.add_argument("--without-locks", action="store_true", help="to see it fail")
    chosen = parser.parse_args()
    seed = chosen.seed or secrets.token_hex(4)
    chosen.format = chosen.format or random.Random(f"{seed} format").choice(list(FORMATS))
    print(f"seed {seed}, {chosen.format}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="zarr-soak-"))
    with zarr_formats.running(FORMATS[chosen.format]):
        failures, summary = run(folder, chosen, seed)
    for failure in failures:
        print(f"seed {seed}: {failure}")
    print(summary, flush=True)
    if failures and chosen.keep:
        print(f"the store is kept in {folder}")
    else:
        shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
