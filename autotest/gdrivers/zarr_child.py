# SPDX-License-Identifier: MIT
"""Opens and reads rasters in other processes, so that a crash, a hang or a memory bomb does not end the tests. Each
test process has a server process that has loaded GDAL and forks a child for each attempt, because loading takes half a
second. The server runs this file as a program; requests and answers are lines of JSON."""

import atexit
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
import traceback

MEMORY = 2 << 30  # limit of a child's address space in bytes; not applied under a sanitizer
SECONDS = 120  # a child that runs longer is killed and counts as a hang


class Outcome:
    """Result of an attempt to open and read a raster. opened, read: True if that succeeded. errors, warnings: messages
    in order. values: pixels as nested lists, if requested."""

    def __init__(self, answer):
        self.opened, self.read = answer.get("opened"), answer.get("read")
        self.errors, self.warnings = answer.get("errors", []), answer.get("warnings", [])
        self.values = answer.get("values")

    def __repr__(self):
        return f"Outcome{vars(self)}"


def attempt(name, options=(), as_nobody=False, values=False, most=2000):
    """Opens and reads `name` in a child process with limits of memory and time. Reads at most `most` rows and columns
    of each band. If `as_nobody`, the child runs as the user nobody. Returns an Outcome."""
    return attempts([name], options, as_nobody, values, most)[0]


def attempts(names, options=(), as_nobody=False, values=False, most=2000):
    """Opens and reads all `names` in one child process, which has the limits of memory and time for all together.
    Returns an Outcome for each name."""
    names = [str(name) for name in names]
    done = _server.ask({
        "names": names, "options": list(options), "as_nobody": as_nobody, "values": values, "most": most,
        "environment": dict(os.environ), "folder": os.getcwd(),
    })  # fmt: skip
    answers = done["output"].splitlines()
    at = names[min(len(answers), len(names) - 1)]
    assert not done["hangs"], f"{at}: hangs: {done['errors']}"
    assert done["status"] == 0, f"{at}: ends with {done['status']}: {done['errors'][-2000:]}"
    assert len(answers) == len(names), (answers, done["errors"])
    return [Outcome(json.loads(answer)) for answer in answers]


class _Server:
    """The server process, which the first request starts. It forks a child for each request."""

    def __init__(self):
        self.process = None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-B", str(pathlib.Path(__file__).resolve())], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                # Forked children would lack the threads of OpenBLAS, so it gets only one thread.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            atexit.register(self.process.kill)
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"zarr_child.py ends with {self.process.wait()}"
        return json.loads(line)


_server = _Server()

# ---------------------------------------------------------------------------------------------
# Code of the server process


def _main():
    import zarr_gdal  # noqa: F401  (imported once for all children)
    from osgeo import gdal

    gdal.DontUseExceptions()
    gdal.AllRegister()  # loads the plugin before the fork, because a child may lack the permission to read it
    assert len(os.listdir("/proc/self/task")) == 1, "a thread that forking would lose"
    for line in sys.stdin:
        print(json.dumps(_in_child(json.loads(line))), flush=True)


def _in_child(request):
    """Executes a request in a forked child. Returns a dict with its standard output, standard error and exit status,
    and whether it was killed after SECONDS."""
    output, errors = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(output[1], 1)
        os.dup2(errors[1], 2)
        for end in (*output, *errors):
            os.close(end)
        code = 1
        try:
            _answer_all(request)
            code = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(output[1])
    os.close(errors[1])
    texts, hangs = _read_all([output[0], errors[0]], time.monotonic() + SECONDS)
    if hangs:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    output, errors = (text.decode(errors="replace") for text in texts)
    return {"output": output, "errors": errors, "status": status, "hangs": hangs}


def _read_all(ends, deadline):
    """Reads the pipes `ends` until all are closed, or until the time `deadline`. Returns the bytes of each pipe, and
    whether a pipe is still open."""
    texts, still_open = {end: b"" for end in ends}, set(ends)
    while still_open:
        ready, _, _ = select.select(still_open, [], [], max(0, deadline - time.monotonic()))
        if not ready:
            break
        for end in ready:
            piece = os.read(end, 1 << 16)
            texts[end] += piece
            if not piece:
                still_open.discard(end)
    for end in ends:
        os.close(end)
    return texts.values(), bool(still_open)


def _answer_all(request):
    import resource

    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    preloaded = os.environ.get("LD_PRELOAD", "")
    if "asan" not in preloaded and "tsan" not in preloaded:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if request["as_nobody"] and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    for name in request["names"]:
        print(json.dumps(_answer(name, request)), flush=True)


def _answer(name, request):
    import zarr_gdal
    from osgeo import gdal

    answer = {"opened": False, "read": False}
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, open_options=request["options"])
        if dataset is not None:
            answer["opened"] = True
            answer["read"] = True
            for i in range(min(dataset.RasterCount, 100)):
                band = dataset.GetRasterBand(i + 1)
                width, height = min(band.XSize, request["most"]), min(band.YSize, request["most"])
                data = band.ReadAsArray(0, 0, width, height)
                answer["read"] = answer["read"] and data is not None
                if request["values"] and data is not None:
                    answer.setdefault("values", []).append(data.tolist())
            dataset.GetMetadata()
    answer["errors"], answer["warnings"] = log.errors, log.warnings
    return answer


if __name__ == "__main__":
    _main()
