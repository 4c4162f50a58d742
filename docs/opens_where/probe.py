#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens all stores that stores.py has written with one reader. Writes a verdict for each store.

    docs/opens_where/probe.py READER FOLDER RESULT

READER is `ours` (GDAL with this driver, found by GDAL_DRIVER_PATH), `builtin` (GDAL without this driver),
`zarr-python`, `netcdf-c` or `qgis` (with this driver). RESULT is a file, or a folder in which the file is named
by reader and version. The file gets the versions of the programs and a verdict for each store:

    yes      the store opens, and all its properties are right;
    name     all is right, but the store or an array opens only by a name other than its path;
    part     nothing is wrong, but a property or an array is absent;
    wrong    the store opens, but a value or property is wrong;
    no       no array opens; `error` is the first line of the error;
    crash    the reader crashed;
    hang     the reader did not end in time;
    -        the store has only arrays that this reader does not support.

Each store is opened in a new process. Needs NumPy and the reader.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

SECONDS = 120
READERS = ("ours", "builtin", "zarr-python", "netcdf-c", "qgis")
RANK = {"yes": 0, "part": 1, "wrong": 2, "no": 3, "crash": 3, "hang": 3}


def module_of(reader):
    """Returns the module of a reader, which has the functions attempts(store), versions(reader) and
    measure(findings, folder, store, name)."""
    if reader in ("ours", "builtin"):
        import read_gdal as module
    elif reader == "qgis":
        import read_qgis as module
    else:
        import read_others

        module = read_others.ZarrPython if reader == "zarr-python" else read_others.NetCDF
    if hasattr(module, "prepare"):
        module.prepare(reader)
    return module


def open_stores(folder):
    return json.loads((pathlib.Path(folder) / "stores.json").read_text(encoding="utf-8"))


def child(reader, folder, number, attempt):
    """Opens store number `number` in this process by the name `attempt`. Prints the verdict as JSON and ends
    the process."""
    import findings

    module = module_of(reader)
    store = open_stores(folder)[number]
    found = findings.Findings(folder)
    with tempfile.TemporaryDirectory() as settings:
        application = module.start(settings) if hasattr(module, "start") else None
        module.measure(found, folder, store, attempt)
        print("\n" + json.dumps(found.verdict()), flush=True)
        del application
        os._exit(0)  # crashes of libraries at exit are not measured


def ask(*words):
    """Runs child() in a new process with these arguments. Returns its answer, or a verdict such as "crash" or
    "hang"."""
    command = [sys.executable, "-B", str(HERE / "probe.py"), "--child", *map(str, words)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"verdict": "hang", "error": f"not done after {SECONDS} s"}
    if done.returncode < 0:
        return {"verdict": "crash", "error": f"ended by signal {-done.returncode}"}
    if done.returncode:
        raise SystemExit(f"{words}: the probe fails: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout.decode().splitlines()[-1])


def measure(reader, folder, number, store):
    """Opens a store by each name of attempts(). Returns the best verdict; if several are equally good, the first
    of them."""
    module = module_of(reader)
    if hasattr(module, "is_raster") and not any(map(module.is_raster, store["arrays"])):
        return {"verdict": "-"}
    attempts, answers = module.attempts(store), []
    for attempt in attempts:
        answers.append(ask(reader, folder, number, attempt))
        if answers[-1]["verdict"] == "yes":
            break
    best = min(answers, key=lambda answer: RANK[answer["verdict"]])
    chosen = answers.index(best)
    if RANK[best["verdict"]] < RANK["no"] and (chosen > 0 or reader == "netcdf-c"):
        best = {**best, "as": ", ".join([attempts[chosen], *filter(None, [best.get("as")])])}
    if best["verdict"] == "yes" and "as" in best and reader != "netcdf-c":
        best["verdict"] = "name"
    return best


def versions(reader):
    return module_of(reader).versions(reader)


def result_name(reader, found):
    """Returns the file name of a result: the reader, and the version of the first program in `found`."""
    return f"{reader}-{next(iter(found.values())).split('+')[0]}.json"


def text_of(document):
    """Returns a result as JSON with one line for each store."""
    lines = [f"  {word(name)}: {word(answer)}" for name, answer in document["stores"].items()]
    head = f'{{"reader": {word(document["reader"])},\n "versions": {word(document["versions"])},\n'
    return head + ' "stores": {\n' + ",\n".join(lines) + "\n}}\n"


def word(value):
    return json.dumps(value, ensure_ascii=False)


def main(reader, folder, result):
    folder = pathlib.Path(folder).resolve()
    document = {"reader": reader, "versions": versions(reader), "stores": {}}
    for number, store in enumerate(open_stores(folder)):
        document["stores"][store["name"]] = measure(reader, folder, number, store)
    path = pathlib.Path(result)
    if path.is_dir():
        path = path / result_name(reader, document["versions"])
    path.write_text(text_of(document), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "--child":
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    elif len(sys.argv) == 4 and sys.argv[1] in READERS:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
