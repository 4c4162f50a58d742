# SPDX-License-Identifier: MIT
"""Model of the store that the soak test reads and writes, in a file that all processes map. A single thread writes each
element of the store.

The value of an element is version << 32 | (index + 1), where index is the index of the element in C order; an erased
element is 0. The thread records a version as begun before it writes the version, and as stored after a flush.

A read may return any version from the oldest to the newest. The oldest was stored when the read began, or when the
handle was opened if the handle caches values. The newest was begun when the read ended."""

import itertools
import random

import numpy as np

ZARR = "zarr"  # name of the process with zarr-python; processes with GDAL have numbers

# Chunks extend beyond the edges of the array. A chunk contains parts of two bands.
SHAPE, CHUNKS = (3, 120, 150), (2, 32, 40)
# alone    only one thread writes to each chunk
# threads  threads of one process write to each chunk
# shared   all writers write to each chunk, under lock files
ARRAYS = ("alone", "threads", "shared")
# Arrays that grow along time: the first by the creation option APPEND_DIM, the second by zarr-python
SERIES, SERIES_SHAPE, SERIES_MOST = ("series", "zseries"), (20, 30), 200
PYRAMID, PYRAMID_SIDE = "pyramids/base", 160
NAMES = ("begun", "stored", "erased")


class Plan:
    """Assignment of the elements of ARRAYS to writers, which depends only on the seed. A writer is (process,
    thread). `parcels` is {array: {writer: boxes of elements}}."""

    def __init__(self, request):
        self.seed = request["seed"]
        self.processes, self.threads = processes, threads = request["processes"], request["threads"]
        self.writers = [*itertools.product(range(processes), range(threads))]
        if request["zarr_writes"]:  # zarr-python writes only to stores without shards
            self.writers.append((ZARR, 0))
        self.parcels = {name: {writer: [] for writer in self.writers} for name in ARRAYS}
        choose = random.Random(f"{self.seed} plan")
        for chunk in boxes(CHUNKS):
            self._give(choose, "alone", chunk, self.writers)
            process = choose.choice(list(dict.fromkeys(writer[0] for writer in self.writers)))
            own = [writer for writer in self.writers if writer[0] == process]
            for band in bands_of(chunk, 4):
                self._give(choose, "threads", band, own)
        for box in boxes((SHAPE[0], 5, SHAPE[2] // 2)):
            self._give(choose, "shared", box, self.writers)

    def _give(self, choose, array, box, writers):
        self.parcels[array][choose.choice(writers)].append(box)


def boxes(size):
    """Returns boxes with at most `size` elements along each dimension, which cover an array of SHAPE."""
    axes = [[slice(at, min(at + step, whole)) for at in range(0, whole, step)]
            for whole, step in zip(SHAPE, size)]  # fmt: skip
    return list(itertools.product(*axes))


def bands_of(box, rows):
    return [(box[0], slice(at, min(at + rows, box[1].stop)), box[2])
            for at in range(box[1].start, box[1].stop, rows)]  # fmt: skip


def window_in(choose, box):
    """Returns a random window of a box; with a probability of 0.3, the whole box."""
    if choose.random() < 0.3:
        return box
    window = []
    for axis in box:
        start = choose.randrange(axis.start, axis.stop)
        window.append(slice(start, choose.randrange(start, axis.stop) + 1))
    return tuple(window)


PLACES = np.arange(1, np.prod(SHAPE) + 1, dtype="i8").reshape(SHAPE)


def values_of(window, version):
    return PLACES[window] | (np.int64(version) << 32)


def slice_values(index):
    """Returns the values of slice number `index` of an array of SERIES."""
    count = SERIES_SHAPE[0] * SERIES_SHAPE[1]
    return (np.arange(count, dtype="i8") + 1 | (np.int64(index + 1) << 32)).reshape(SERIES_SHAPE)


class Model:
    """Versions of each element of ARRAYS, and lengths of the arrays of SERIES."""

    def __init__(self, path, create=False):
        shape = (len(ARRAYS), len(NAMES), *SHAPE)
        mode = "w+" if create else "r+"
        count = int(np.prod(shape))
        memory = np.memmap(path, "i4", mode, shape=(count + 2 * len(SERIES),))
        elements = memory[:count].reshape(shape)
        self._of = {array: dict(zip(NAMES, elements[i])) for i, array in enumerate(ARRAYS)}
        # [number of slices that are stored, number of slices that are stored or being written]
        self.lengths = {name: memory[count + 2 * i : count + 2 * i + 2]
                        for i, name in enumerate(SERIES)}  # fmt: skip

    # ------------------------------------ Methods for the thread that writes an element

    def begin(self, array, window, version, erases):
        """Records that a version is being written to a window. Returns the values to write: those of the
        version, or 0 if `erases`."""
        versions = self._of[array]
        if erases:
            versions["erased"][window] = version
        versions["begun"][window] = version
        return values_of(window, version) * (not erases)

    def flushed(self, array, window):
        """Records that all versions begun in the window are stored."""
        versions = self._of[array]
        whole(versions["begun"][window], out=versions["stored"][window])

    def settled(self, array, window):
        """Returns the values that the writer of the window must read: the last values that it has written."""
        versions = self._of[array]
        begun = versions["begun"][window]
        values = PLACES[window] | (begun.astype("i8") << 32)
        return np.where((begun == 0) | (versions["erased"][window] == begun), 0, values)

    # ------------------------------------ Methods for threads that read

    def least(self, array, window=...):
        """Returns the lowest version of each element that a read may return from now on."""
        return whole(self._of[array]["stored"][window])

    def problem(self, array, window, values, least):
        """Returns None if all values that a read has returned are allowed, else a text about the first wrong
        element. `least` is the result of least() before the read."""
        begun = whole(self._of[array]["begun"][window])
        erased = whole(self._of[array]["erased"][window])
        if values.shape != begun.shape:
            return f"{array} {told(window)}: shape {values.shape}, not {begun.shape}"
        version = values >> 32
        is_right = (values & 0xFFFFFFFF) == PLACES[window]
        is_legal = is_right & (version >= np.maximum(least, 1)) & (version <= begun)
        is_legal |= (values == 0) & ((least == 0) | (erased >= least))
        if is_legal.all():
            return None
        at = tuple(int(i) for i in np.argwhere(~is_legal)[0])
        return (
            f"{array} {told(window)}: {int((~is_legal).sum())} of {values.size} elements are not values "
            f"that can be, the first at {at}: version {int(version[at])} of element "
            f"{int(values[at]) & 0xFFFFFFFF}, where {int(least[at])} to {int(begun[at])} of "
            f"{int(PLACES[window][at])} can be, erased by {int(erased[at])}"
        )


def whole(versions, out=None):
    """Copies numbers, each by a single load and a single store. numpy's own copy may copy single bytes, and
    could then read half of a number that another process is writing."""
    return np.add(versions, 0, out=out)


def told(window):
    axes = (f"{axis.start}:{axis.stop}" + (f":{axis.step}" if axis.step else "") for axis in window)
    return "[" + ", ".join(axes) + "]"
