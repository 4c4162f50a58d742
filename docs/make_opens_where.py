#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes docs/opens_where.md, the page "which store opens where", from what was measured.

    docs/make_opens_where.py [FILE]      FILE: where it goes, docs/opens_where.md by default

The results lie in docs/opens_where/results: stores.json says what the stores are, every other file
holds what opens_where/probe.py found with one reader. No verdict is written here.
"""

import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent
RESULTS = DOCS / "opens_where" / "results"

# Readers in the order of the columns: the heading, and the versions that name it.
READERS = {
    "ours": ("ours", "GDAL"), "builtin": ("built-in", "GDAL"), "qgis": ("QGIS", "QGIS"),
    "zarr-python": ("zarr-python", "zarr-python"), "netcdf-c": ("netCDF-C", "netCDF-C"),
}  # fmt: skip
MARKS = {
    "yes": "yes", "name": "name", "part": "part", "wrong": "**wrong**", "no": "no",
    "crash": "**crash**", "hang": "**hang**", "-": "-",
}  # fmt: skip
BY_URL = "netcdf-c"  # which has no other names: what it took is no exception

INTRODUCTION = """# Which store opens where

Small stores of every kind, and what programs make of them. The page is written by
`make_opens_where.py` from what `opens_where/probe.py` measured; `opens_where/stores.py` writes the
stores. `opens_where/run.sh` repeats it with the readers that a machine has.

What is right is what the documents of the format and of the conventions say: NumPy's values, and
where a store says so the CRS (compared by where points lie), the geotransform, nodata, scale and
offset, overviews, control points, longitudes and latitudes of pixels. "ours" is GDAL of that
version with this driver, "built-in" is GDAL without it, and QGIS has this driver; they are asked
for all that, QGIS for no longitudes and latitudes of pixels. zarr-python and netCDF-C read arrays
and attributes, and leave to the caller what an attribute means, so that of them the stored values
are asked alone. netCDF-C is given `#mode=zarr` or `#mode=nczarr`. All are as Debian builds them:
which codecs a program has depends on its build.

| mark | what it means |
|---|---|
| yes | opens, and all that was asked is right |
| name | the same, but by other names than the path of the store and of the array |
| part | what it gives is right, and something is absent |
| **wrong** | opens, and something that it gives is wrong |
| no | opens none of the arrays |
| **crash**, **hang** | the process that opens it ends by a signal, or not in two minutes |
| - | nothing in it is a raster |

"""


def version_key(text):
    return [int(part) for part in text.split("+")[0].split(".") if part.isdigit()]


def load(folder=RESULTS):
    """The stores, and the results in the order of the columns."""
    stores = json.loads((folder / "stores.json").read_text(encoding="utf-8"))
    files = [path for path in sorted(folder.glob("*.json")) if path.name != "stores.json"]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    order = list(READERS)
    results.sort(key=lambda r: (order.index(r["reader"]), version_key(main_version(r))))
    return stores, results


def main_version(result):
    """The version in the heading, as of a release."""
    return result["versions"][READERS[result["reader"]][1]].split("+")[0]


def heading(result):
    return f"{READERS[result['reader']][0]} {main_version(result)}"


def mark(result, store):
    return MARKS[result["stores"][store["name"]]["verdict"]]


def table(stores, results):
    """A table for each family of stores."""
    lines, family = [], None
    columns = " | ".join(map(heading, results))
    for store in stores:
        if store["family"] != family:
            family = store["family"]
            rule = "|---" * (len(results) + 1) + "|"
            lines += ["", f"### {family}", "", f"| store | {columns} |", rule]
        marks = " | ".join(mark(result, store) for result in results)
        lines.append(f"| {store['title']} | {marks} |")
    return lines[1:]


def totals(stores, results):
    """How often each mark comes."""
    lines = ["", "### In numbers", "", "| reader | " + " | ".join(MARKS.values()) + " |",
             "|---|" + "--:|" * len(MARKS)]  # fmt: skip
    for result in results:
        verdicts = [result["stores"][store["name"]]["verdict"] for store in stores]
        counts = " | ".join(str(verdicts.count(verdict) or "") for verdict in MARKS)
        lines.append(f"| {heading(result)} | {counts} |")
    return lines


def versions(results):
    lines = ["", "## What was run", "", "| column | with |", "|---|---|"]
    for result in results:
        parts = ", ".join(f"{name} {text}" for name, text in result["versions"].items())
        lines.append(f"| {heading(result)} | {parts} |")
    return lines


def reasons(answer, reader):
    """What is not right of a store, as sentences without a dot; none where all is."""
    found = [answer["error"]] if "error" in answer else []
    found += answer.get("wrong", []) + answer.get("missing", [])
    if "as" in answer and reader != BY_URL:
        found.append(f"by {answer['as']}")
    return [escaped(text) for text in found]


def escaped(text):
    """As it is in Markdown: in it an error's own characters mean nothing."""
    for character in "\\`*_[]<>|":
        text = text.replace(character, "\\" + character)
    return text


def details(stores, results):
    lines = ["", "## What is not right", ""]
    lines.append("Three reasons at most are told of a store. The name of a slice is "
                 '`ZARR:"path":/array:0`.')  # fmt: skip
    for result in results:
        entries = []
        for store in stores:
            answer = result["stores"][store["name"]]
            why = reasons(answer, result["reader"])
            if why:
                more = f" (and {len(why) - 3} more)" if len(why) > 3 else ""
                verdict = MARKS[answer["verdict"]]
                reason = "; ".join(why[:3])
                entries.append(f"- {store['title']} ({verdict}): {reason}{more}")
        lines += ["", f"### {heading(result)}", "", *(entries or ["Nothing."])]
    return lines


def writers(stores):
    lines = ["", "## Who wrote the stores", "", "| store | name | written by |", "|---|---|---|"]
    return lines + [f"| {s['title']} | `{s['name']}` | {s['writer']} |" for s in stores]


def page(stores, results):
    lines = ["## The stores", "", *table(stores, results), *totals(stores, results)]
    lines += [*versions(results), *details(stores, results), *writers(stores)]
    return INTRODUCTION + "\n".join(lines) + "\n"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "opens_where.md"
    target.write_text(page(*load()), encoding="utf-8")
