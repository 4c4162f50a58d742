# SPDX-License-Identifier: MIT
"""Process of the soak test with GDAL. Each thread opens, reads and writes arrays independently. soak.py starts
the process, and reads its results as lines of JSON."""

import json
import pathlib
import random
import sys
import threading
import time

import numpy as np
from extras import EXTRAS
from handles import WAYS, Wrong
from model import ARRAYS, SHAPE, Model, Plan, told, window_in
from osgeo import gdal
from zarr_gdal import error_log

WHOLE = tuple(slice(0, size) for size in SHAPE)


class Work:
    """State that the threads of this process share."""

    def __init__(self, request):
        self.folder = pathlib.Path(request["folder"])
        self.store = self.folder / "soak.zarr"
        self.locks = [f"SYNCHRONIZER={self.folder / 'locks'}"] if request["locks"] else []
        self.plan = Plan(request)
        self.model = Model(self.folder / "model")
        self.process, self.seconds = request["process"], request["seconds"]
        self.end = time.monotonic() + self.seconds
        self.counts = {"operations": 0, "bytes": 0, "openings": 0}
        self._lock = threading.Lock()

    def goes_on(self):
        return time.monotonic() < self.end and not (self.folder / "stop").exists()

    def count(self, counts):
        with self._lock:
            for name, number in counts.items():
                self.counts[name] += number

    def fail(self, text):
        """Prints a failure as JSON, and makes all processes stop."""
        with self._lock:
            print(json.dumps({"failed": text}), flush=True)
        (self.folder / "stop").touch()


class Writing:
    """An array that a thread has open for writing, with the windows that are not flushed yet. A thread has at
    most one Writing for each array."""

    def __init__(self, worker, array, way):
        self._worker, self.array, self.way, self._pending = worker, array, way, []
        work = worker.work
        options = work.locks if array == "shared" else []
        self.handle = WAYS[way](work.store, array, options, update=True)
        worker.counts["openings"] += 1

    def write(self, window, erases):
        worker = self._worker
        worker.version += 1
        values = worker.model.begin(self.array, window, worker.version, erases)
        self._pending.append(window)
        self.handle.write(window, values)
        worker.counts["bytes"] += values.nbytes

    def flush(self):
        self.handle.flush()
        self._settle()

    def close(self):
        self.handle.close()
        self._settle()

    def _settle(self):
        self._worker.quiet()
        for window in self._pending:
            self._worker.model.flushed(self.array, window)
        self._pending.clear()


class Worker:
    """Thread that performs random operations. The seed determines the operations of each thread."""

    def __init__(self, work, thread):
        self.work, self.model, self.me = work, work.model, (work.process, thread)
        self.choose = random.Random(f"{work.plan.seed} {self.me}")
        self.version, self.writing, self.kept = 0, {}, {}
        self.counts = dict.fromkeys(work.counts, 0)
        self.log = None
        operations = {
            self.write: 40, self.erase: 6, self.flush: 6, self.close: 6, self.read_fresh: 15,
            self.read_kept: 25, self.reopen: 5, self.read_own: 10,
        }  # fmt: skip
        for extra in EXTRAS:
            operations.update(extra(self).operations())
        self.operations, self.weights = list(operations), list(operations.values())

    def run(self):
        operation = None
        try:
            with error_log() as self.log:
                while self.work.goes_on():
                    (operation,) = self.choose.choices(self.operations, self.weights)
                    operation()
                    self.quiet()
                    self.counts["operations"] += 1
                for writing in self.writing.values():
                    writing.close()
        except BaseException as error:
            name = getattr(operation, "__qualname__", operation)
            number = self.counts["operations"] + 1
            self.work.fail(f"thread {self.me}, operation {number}, {name}: {error!r}")
        finally:
            self.writing, self.kept = {}, {}
            self.work.count(self.counts)

    def quiet(self):
        if self.log.errors:
            raise Wrong(f"GDAL says {self.log.errors}")
        self.log.clear()

    # ------------------------------------ Operations that write

    def _writing(self, array):
        """Returns the thread's Writing for an array. Sometimes closes it, and opens the array again in a random
        way of WAYS."""
        held = self.writing.get(array)
        if held is not None and self.choose.random() < 0.9:
            return held
        way = self.choose.choice(list(WAYS))
        if held is not None:
            held.close()
        self.writing[array] = Writing(self, array, way)
        return self.writing[array]

    def _parcel(self):
        array = self.choose.choice([
            name for name in ARRAYS if self.work.plan.parcels[name][self.me]])  # fmt: skip
        return array, self.choose.choice(self.work.plan.parcels[array][self.me])

    def write(self, erases=False):
        array, parcel = self._parcel()
        window = window_in(self.choose, parcel)
        writing = self._writing(array)
        writing.write(window, erases)
        if self.choose.random() < 0.6:
            writing.flush()

    def erase(self):
        self.write(erases=True)

    def flush(self):
        for writing in self.writing.values():
            writing.flush()

    def close(self):
        if self.writing:
            array = self.choose.choice(sorted(self.writing))
            self.writing.pop(array).close()

    # ------------------------------------ Operations that read

    def _check(self, array, window, values, least, how):
        self.counts["bytes"] += values.nbytes
        problem = self.model.problem(array, window, values, least)
        if problem:
            raise Wrong(f"{how}: {problem}")

    def _window(self):
        window = window_in(self.choose, WHOLE)
        if self.choose.random() < 0.2:
            step = self.choose.randint(2, 5)
            window = (window[0], *(slice(axis.start, axis.stop, step) for axis in window[1:]))
        return window

    def read_fresh(self):
        """Reads an array that is opened for this read. The values must include all writes that were flushed before the
        opening."""
        array, window = self.choose.choice(ARRAYS), self._window()
        way = self.choose.choice(list(WAYS))
        least = self.model.least(array, window)
        handle = WAYS[way](self.work.store, array)
        self.counts["openings"] += 1
        self._check(array, window, handle.read(window), least, f"{way}, fresh")

    def read_kept(self):
        """Reads an array that stays open. The values must include all writes that were flushed before the array was
        opened."""
        key = array, way = self.choose.choice(ARRAYS), self.choose.choice(list(WAYS))
        window = self._window()
        if key not in self.kept:
            least = self.model.least(array)
            self.kept[key] = WAYS[way](self.work.store, array), least
            self.counts["openings"] += 1
        handle, least = self.kept[key]
        self._check(array, window, handle.read(window), least[window], f"{way}, kept")

    def reopen(self):
        if self.kept:
            self.kept.pop(self.choose.choice(sorted(self.kept)))

    def read_own(self):
        """Reads through the object that writes for this thread. The values must be exactly those that this
        thread has written."""
        array, parcel = self._parcel()
        window = window_in(self.choose, parcel)
        values = self._writing(array).handle.read(window)
        self.counts["bytes"] += values.nbytes
        wrong = values != self.model.settled(array, window)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise Wrong(f"{array} {told(window)} holds what was not written there, first at {at}: "
                        f"{values[at]}, {self.writing[array].way}")  # fmt: skip


def main():
    gdal.DontUseExceptions()
    gdal.SetCacheMax(4 << 20)  # a small cache, so that GDAL writes and reads blocks often
    work = Work(json.loads(sys.argv[1]))
    workers = [Worker(work, thread) for thread in range(work.plan.threads)]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(work.counts), flush=True)


if __name__ == "__main__":
    main()
