# SPDX-License-Identifier: MIT
"""Opens and reads rasters in another process, where a crash, a hang or a memory bomb does not end
the tests.

attempt(name) reads one raster. attempts(names) reads several in one process, as a process takes
half a second to start. attempts() runs this file as a program, with its arguments as JSON; the
program prints a line for each raster."""

import json
import os
import pathlib
import subprocess
import sys

MEMORY = 2 << 30  # bytes of address space; no limit with a sanitizer, which needs more for itself
SECONDS = 120  # longer is a hang, on any machine


class Outcome:
    """Result of an attempt.

    opened, read: True if this worked. errors, warnings: texts in order. values: nested lists, if
    asked for. exit: exit status of the process, 0 if it succeeded."""

    def __init__(self, answer, exit_code, stderr):
        self.exit, self.stderr = exit_code, stderr
        self.opened, self.read = answer.get("opened"), answer.get("read")
        self.errors, self.warnings = answer.get("errors", []), answer.get("warnings", [])
        self.values = answer.get("values")

    def __repr__(self):
        return f"Outcome{vars(self)}"


def attempt(name, options=(), as_nobody=False, values=False, most=2000):
    """Opens `name` and reads at most `most` rows and columns of every band, under limits of memory
    and time."""
    return attempts([name], options, as_nobody, values, most)[0]


def attempts(names, options=(), as_nobody=False, values=False, most=2000):
    """Returns an Outcome for each name. The limits apply to all names together."""
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
    gdal.AllRegister()  # before privileges are dropped, so that any folder can hold the plugin
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
