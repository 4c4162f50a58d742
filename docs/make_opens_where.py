#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes docs/opens_where.md, the page "which store opens where", from measured results.

    docs/make_opens_where.py [FILE]           writes the page to FILE; default docs/opens_where.md
    docs/make_opens_where.py --details FILE   writes each store with each reader, and its faults

The results are in docs/opens_where/results: stores.json describes the stores, and each other file has the
findings of opens_where/probe.py with one reader. This script contains no verdicts of its own.
"""

import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent
RESULTS = DOCS / "opens_where" / "results"

# reader -> (heading of its column, program whose version the heading shows), in the order of the columns
READERS = {
    "ours": ("ours", "GDAL"), "builtin": ("built-in", "GDAL"), "qgis": ("QGIS", "QGIS"),
    "zarr-python": ("zarr-python", "zarr-python"), "netcdf-c": ("netCDF-C", "netCDF-C"),
}  # fmt: skip
MARKS = {
    "yes": "yes", "name": "name", "part": "part", "wrong": "**wrong**", "no": "no",
    "crash": "**crash**", "hang": "**hang**", "-": "-",
}  # fmt: skip
BY_URL = "netcdf-c"  # netCDF-C opens a store only by a URL, so opening it by its path is not demanded

INTRODUCTION = """# Which store opens where

For those who choose a form of store, or a program to read it with.

The table counts the stores of each kind that a program opens right. "Right" means that the values are those of
NumPy, and that all other statements of the store are read as its specification or convention says: CRS
(compared by the positions of points), geotransform, nodata, scale and offset, overviews, control points,
longitudes and latitudes of pixels.

"ours" is GDAL with this driver, and "built-in" is GDAL without it. QGIS has this driver. zarr-python and netCDF-C
do not interpret attributes, so only values are compared for them. All programs are Debian's builds. The codecs
of a program depend on its build.

"""

LEGEND = """
A number without a letter counts the stores that open right. The letters count the others: *p* give a part and
nothing wrong, **w** give something wrong, *n* do not open, **c** end the process by a signal.
"""

CLOSING = """
## How it is measured

`docs/opens_where/stores.py` writes the stores, and `docs/opens_where/probe.py` opens them.
`docs/opens_where/run.sh` does both with all programs that a machine has. `docs/make_opens_where.py --details FILE`
lists every store with every program, and says why a store does not open right. A test opens every store with
this driver.
"""

LETTERS = {"part": "*p*", "wrong": "**w**", "no": "*n*", "crash": "**c**", "hang": "**c**"}


def version_key(text):
    return [int(part) for part in text.split("+")[0].split(".") if part.isdigit()]


def load(folder=RESULTS):
    """Returns (descriptions of the stores, results of the readers in the order of the columns)."""
    stores = json.loads((folder / "stores.json").read_text(encoding="utf-8"))
    files = [path for path in sorted(folder.glob("*.json")) if path.name != "stores.json"]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    order = list(READERS)
    results.sort(key=lambda r: (order.index(r["reader"]), version_key(main_version(r))))
    return stores, results


def main_version(result):
    """Returns the version of a reader's program for the heading."""
    return result["versions"][READERS[result["reader"]][1]].split("+")[0]


def heading(result):
    return f"{READERS[result['reader']][0]} {main_version(result)}"


def mark(result, store):
    return MARKS[result["stores"][store["name"]]["verdict"]]


def table(stores, results):
    """Returns the lines of the tables. There is a table for each family of stores."""
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


def cell(result, stores):
    """Returns the text of a table cell: how many stores are right, and the verdicts about the others."""
    verdicts = [result["stores"][store["name"]]["verdict"] for store in stores]
    verdicts = [verdict for verdict in verdicts if verdict != "-"]
    if not verdicts:
        return "-"
    right = sum(verdict in ("yes", "name") for verdict in verdicts)
    counts = {letter: 0 for letter in LETTERS.values()}
    for verdict in verdicts:
        if verdict in LETTERS:
            counts[LETTERS[verdict]] += 1
    return " ".join([str(right), *(f"{n}{letter}" for letter, n in counts.items() if n)])


def summary(stores, results):
    """Returns the lines of the summary, a table with a row for each family of stores and a column for each
    reader."""
    families = list(dict.fromkeys(store["family"] for store in stores))
    columns = " | ".join(map(heading, results))
    lines = [f"| stores | number | {columns} |", "|---|--:|" + "---|" * len(results)]
    for family in [*families, None]:
        members = [s for s in stores if family in (s["family"], None)]
        cells = " | ".join(cell(result, members) for result in results)
        lines.append(f"| {family or '**all**'} | {len(members)} | {cells} |")
    return lines


def contents(stores):
    """Returns lines with the titles of all stores, by family."""
    lines = ["", "## The stores", ""]
    for family in dict.fromkeys(store["family"] for store in stores):
        titles = "; ".join(store["title"] for store in stores if store["family"] == family)
        lines.append(f"- **{family}**: {titles}")
    return lines


def versions(results):
    lines = ["", "## What was run", "", "| column | with |", "|---|---|"]
    for result in results:
        parts = ", ".join(f"{name} {text}" for name, text in result["versions"].items())
        lines.append(f"| {heading(result)} | {parts} |")
    return lines


def reasons(answer, reader):
    """Returns the faults of a reader with a store, as sentences without a full stop, or an empty list."""
    found = [answer["error"]] if "error" in answer else []
    found += answer.get("wrong", []) + answer.get("missing", [])
    if "as" in answer and reader != BY_URL:
        found.append(f"by {answer['as']}")
    return [escaped(text) for text in found]


def escaped(text):
    """Returns a text in which characters with a meaning in Markdown are escaped."""
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
    lines = [*summary(stores, results), LEGEND, *contents(stores)[1:], CLOSING]
    return INTRODUCTION + "\n".join(lines)


def all_details(stores, results):
    lines = ["# Which store opens where: every store", "", *table(stores, results)]
    lines += [*versions(results), *details(stores, results), *writers(stores)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    is_detailed = sys.argv[1:2] == ["--details"]
    rest = sys.argv[2:] if is_detailed else sys.argv[1:]
    target = pathlib.Path(rest[0]) if rest else DOCS / "opens_where.md"
    target.write_text((all_details if is_detailed else page)(*load()), encoding="utf-8")
