# SPDX-License-Identifier: MIT
"""Renames, deletes and resizes nodes through the multidimensional API. Uses the program zarr_mdim_edit, because GDAL's
Python bindings before 3.8 lack some of these functions."""

import json
import os
import pathlib
import subprocess

TOOL = pathlib.Path(os.environ["ZARR_DUMP"]).with_name("zarr_mdim_edit")


class Editor:
    """Runs the program zarr_mdim_edit on a store. do() asserts that a command succeeds, and returns its value. refuse()
    asserts that a command gives one error that names the store, and returns it."""

    def __init__(self, store):
        self.store = store
        self.process = subprocess.Popen(
            [str(TOOL), str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def answer(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"{command}: ended with {self.process.wait()}"
        return json.loads(line)

    def do(self, **command):
        answer = self.answer(**command)
        assert answer["ok"] and answer["errors"] == [], (command, answer)
        return answer.get("value")

    def refuse(self, **command):
        answer = self.answer(**command)
        assert not answer["ok"] and len(answer["errors"]) == 1, (command, answer)
        assert str(self.store) in answer["errors"][0], answer
        return answer["errors"][0]

    def finish(self):
        out, _ = self.process.communicate()
        assert self.process.returncode == 0 and json.loads(out) == {"ok": True, "errors": []}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.process.kill()
            self.process.wait()
