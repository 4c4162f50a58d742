#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the tables of options in docs/options.md, from the tables of options in driver/.

    docs/make_option_tables.py [FOLDER]      FOLDER receives options.md; default docs

Only the rows of tables change. Needs only Python.
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# section of the page -> tables of the sources whose rows it lists, in this order
SECTIONS = {
    "Open options": ["kOpenRows", "kSelectionRows", "kLockRows"],
    "For arrays": ["kCodecRows", "kArrayRows"],
    "For rasters": ["kRasterRows", "kAppendRows", "kStoreRows", "kLockRows", "kReferenceRows", "kConventionRows",
                    "kChosenProfileRows", "kProfileRows"],
    "For multidimensional datasets": ["kStoreRows", "kLockRows", "kReferenceRows"],
    "For multidimensional arrays only": ["kStringRows", "kConventionRows"],
}
# names in place of texts
NAMED = {"ZARR_FORMAT_BY_DEFAULT": "ZARR_V2"}  # before GDAL 3.14

TABLE = re.compile(r"\b(k\w+Rows)\[\d*\] = \{\n(.*?)\n\};", re.DOTALL)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{},]|\w+|//[^\n]*|\S')


def texts_of(body):
    """Returns the fields of each row's OptionText: the texts at the second level of braces."""
    rows, depth = [], 0
    for token in TOKEN.findall(body):
        if token == "{":
            depth += 1
            if depth == 2:
                rows.append([""])
        elif token == "}":
            depth -= 1
        elif depth == 2 and token == ",":
            rows[-1].append("")
        elif depth == 2 and not token.startswith("//"):
            rows[-1][-1] += ast.literal_eval(token) if token.startswith('"') else NAMED.get(token, "")
    return rows


def tables():
    """Returns {name of a table in the sources: rows}."""
    return {
        name: texts_of(body)
        for file in sorted((ROOT / "driver").rglob("*.cpp"))
        for name, body in TABLE.findall(file.read_text(encoding="utf-8"))
    }


def line_of(names, _type, preset, text, *_):
    """Returns the line of the page for an option."""
    name, *others = (f"`{name}`" for name in names.split("|"))
    cells = [name + "".join(f" ({other})" for other in others), f"`{preset}`" if preset else "", text]
    line = "|".join(f" {cell} " if cell else " " for cell in (each.replace("\n", "").replace("|", "\\|") for each in cells))
    return f"|{line}|"


def with_tables(page):
    known = tables()
    for section, names in SECTIONS.items():
        lines = "\n".join(line_of(*row) for name in names for row in known[name])
        pattern = rf"(^#+ {re.escape(section)}\n(?:(?!#|\|).*\n)*\| name .*\n\|---.*\n)(?:\|.*\n)+"
        page, count = re.subn(pattern, lambda match, lines=lines: match[1] + lines + "\n", page, flags=re.MULTILINE)
        assert count == 1, section
    return page


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    (folder / "options.md").write_text(with_tables(page), encoding="utf-8")


if __name__ == "__main__":
    main()
