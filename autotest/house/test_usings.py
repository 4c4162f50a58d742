# SPDX-License-Identifier: MIT
"""Each using-declaration of a source file is used in the file. clang-tidy checks this, too, but takes minutes,
because clang-tidy parses GDAL's headers for each file."""

import pathlib
import re

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [path for folder in ("core", "driver") for path in (REPOSITORY / folder).rglob("*.cpp")]
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
USING = re.compile(r"^[ \t]*using ((?:\w+::)+)(\w+);", re.MULTILINE)


def unused(text):
    """Returns the names of using-declarations that occur nowhere else in the text."""
    text = COMMENT.sub(" ", text)
    rest = USING.sub("", text)
    return [
        prefix + name for prefix, name in USING.findall(text)
        # A declaration such as Base::Base inherits constructors, so its name need not occur elsewhere.
        if not prefix.endswith(f"{name}::")
        and not re.search(rf"(?<!::)\b{name}\b", rest)
    ]  # fmt: skip


def test_names_are_used():
    assert sum(len(USING.findall(path.read_text())) for path in SOURCES) > 50
    found = {str(path.relative_to(REPOSITORY)): unused(path.read_text()) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("text, names", [
    ("using zarr::Status;\nStatus Open();", []),
    ("using zarr::Status;\n// Status\nconst char* text = \"Status\";", ["zarr::Status"]),
    ("using zarr::Status;\nzarr::Status Open(); StatusOf(x);", ["zarr::Status"]),
    ("    using std::chrono::nanoseconds;\nreturn 1;", ["std::chrono::nanoseconds"]),
    ("struct B : A {\n    using A::A;\n};", []),
])  # fmt: skip
def test_checker_tells_used_from_unused(text, names):
    assert unused(text) == names
