# SPDX-License-Identifier: MIT
"""Opens and reads a raster in a process of its own, where a crash, a hang or a memory bomb is an
answer and not the end of the tests: `attempt(name)`; `attempts(names)` of several, one after another in
one process, as each takes half a second to start.

Run as a program (what attempts() does): zarr_child.py JSON, with the keys of attempts(). Prints a line
for each raster."""

import json
import os
import pathlib
import subprocess
import sys

MEMORY = 2 << 30  # bytes of address space; a sanitizer needs more for itself and goes without
SECONDS = 120  # a hang, on any machine


class Outcome:
    """opened, read: whether it worked; errors, warnings: texts in order; values: as nested lists
    when asked for; exit: how the process ended, 0 when well."""

    def __init__(self, answer, exit_code, stderr):
        self.exit, self.stderr = exit_code, stderr
        self.opened, self.read = answer.get("opened"), answer.get("read")
        self.errors, self.warnings = answer.get("errors", []), answer.get("warnings", [])
        self.values = answer.get("values")

    def __repr__(self):
        return f"Outcome{vars(self)}"


def attempt(name, options=(), as_nobody=False, values=False, most=2000):
    """Opens `name` and reads every band, no more than `most` rows and columns, under limits of memory
    and time."""
    return attempts([name], options, as_nobody, values, most)[0]


def attempts(names, options=(), as_nobody=False, values=False, most=2000):
    """[Outcome] of each name. What the limits allow one they allow all together."""
    names = [str(name) for name in names]
    request = {
        "names": names, "options": list(options), "as_nobody": as_nobody, "values": values, "most": most
    }  # fmt: skip
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), json.dumps(request)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as expired:
        at = len((expired.stdout or b"").splitlines())
        raise AssertionError(f"{names[at]}: hangs: {expired.stderr}") from None
    stderr = done.stderr.decode(errors="replace")
    answers = done.stdout.splitlines()
    at = names[min(len(answers), len(names) - 1)]
    assert done.returncode == 0, f"{at}: ends with {done.returncode}: {stderr[-2000:]}"
    assert len(answers) == len(names), (answers, stderr)
    return [Outcome(json.loads(answer), done.returncode, stderr) for answer in answers]


def _main():
    import resource

    from osgeo import gdal

    request = json.loads(sys.argv[1])
    gdal.DontUseExceptions()
    gdal.AllRegister()  # before the privileges go, so that the plugin may lie anywhere
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
