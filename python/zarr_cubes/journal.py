# SPDX-License-Identifier: MIT
"""Headers that were read before zarr_cube was killed: a file beside the output, with a line for each source. The next run
takes those whose file has the same size and time."""

import json
import os
import time

from zarr_cubes import files, model

SECONDS = 2  # a shorter run is not worth a journal


class Journal:
    """Without `key` nothing is read or written."""

    def __init__(self, output, key):
        self.path = output.rstrip("/") + ".zarr_cube.partial"
        self.key = key
        self.known = {}
        self.file = None
        self.start = time.monotonic()
        self.pending = []

    def load(self):
        """Reads what an earlier run with the same options left. A last line that is cut short is not used."""
        if self.key is None:
            return
        try:
            with open(self.path, encoding="utf-8") as lines:
                if json.loads(next(lines, "null")) != self.key:
                    return
                for line in lines:
                    record = json.loads(line)
                    self.known[record["name"]] = record
        except (OSError, ValueError, TypeError, KeyError):
            return

    def find(self, name):
        """Returns the Source of an unchanged file; None for others. A file on a server is taken as unchanged."""
        record = self.known.get(name)
        if record is None:
            return None
        try:
            return model.from_record(record) if record["stamp"] == files.stamp_of(name) else None
        except (TypeError, ValueError, KeyError, AttributeError):
            return None

    def add(self, sources):
        if self.key is None:
            return
        self.pending += sources
        if time.monotonic() - self.start < SECONDS:
            return
        sources, self.pending = self.pending, []
        try:
            lines = "".join(json.dumps(model.as_record(source)) + "\n" for source in sources)
        except TypeError:
            return
        if self.file is None:
            fresh = not self.known
            self.file = open(self.path, "w" if fresh else "a", encoding="utf-8")
            self.file.write(json.dumps(self.key) + "\n" if fresh else "\n")
        self.file.write(lines)
        self.file.flush()

    def remove(self):
        if self.file is not None:
            self.file.close()
        if self.key is not None and os.path.exists(self.path):
            os.remove(self.path)
