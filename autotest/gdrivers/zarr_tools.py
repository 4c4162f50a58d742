# SPDX-License-Identifier: MIT
"""Runs programs for tests: GDAL's programs, which load the driver, and others, which do not."""

import atexit
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading

SECONDS = 120


def plain_environment(*left_out):
    """Returns the environment for programs that do not load the driver. Removes the variables `left_out`, and the
    sanitizer's runtime, which would slow down or break such programs."""
    return {
        name: text for name, text in os.environ.items() if name not in ("LD_PRELOAD", *left_out)
    }  # fmt: skip


def temporary(path):
    """Returns `path`. Raises ValueError unless the path is absolute and in the temporary folder, because zarr-python
    deletes the folders that it overwrites."""
    root, store = pathlib.Path(tempfile.gettempdir()).resolve(), pathlib.Path(path)
    if not store.is_absolute() or ".." in store.parts or root not in store.resolve().parents:
        raise ValueError(f"refuses the store {path}: expected an absolute path in {root}")
    return store


def run_gdal(*words):
    """Runs a GDAL program with the tests' environment, including a sanitizer's runtime. Returns the output; fails the
    test if the program fails."""
    return _run(words, os.environ)


def run_tool(*words):
    """Runs a program that does not load the driver. Returns the output; fails the test if the program fails."""
    return _run(words, plain_environment())


def _run(words, environment):
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


class Program:
    """A program that answers each line of JSON with one line of JSON. One process answers all questions, because
    the program starts slowly. A question starts the process if none is running."""

    def __init__(self, command, environment=None, seconds=300):
        self.command, self.environment, self.seconds = [str(word) for word in command], environment, seconds
        self.process = self.errors = None

    def ask_many(self, questions):
        """Returns the answers in order, and the program's standard error. Fails if the program ends or takes longer
        than `seconds`."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        timer = threading.Timer(self.seconds, self.process.kill)
        writer = threading.Thread(target=self._write, args=(questions,))
        timer.start()
        writer.start()  # a separate thread, because the program reads no more questions while nobody reads its answers
        try:
            lines = [self.process.stdout.readline() for _ in questions]
        finally:
            timer.cancel()
            writer.join()
        is_whole = all(line.endswith("\n") for line in lines)
        code = 0 if is_whole else self.process.wait()
        self.errors.seek(0)
        printed = self.errors.read()
        self.errors.truncate(0)
        assert is_whole, f"{self.command} ends with {code}: {printed}"
        return [json.loads(line) for line in lines], printed

    def ask(self, question):
        """Returns the answer to one question, and the program's standard error."""
        (answer,), printed = self.ask_many([question])
        return answer, printed

    def _write(self, questions):
        text = "".join(json.dumps(question) + "\n" for question in questions)
        with contextlib.suppress(BrokenPipeError):  # if the program has ended, ask_many() notices missing answers
            self.process.stdin.write(text)
            self.process.stdin.flush()

    def _start(self):
        self.errors = tempfile.TemporaryFile("a+")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=self.environment,
        )  # fmt: skip
        atexit.register(self.process.kill)
