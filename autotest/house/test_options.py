# SPDX-License-Identifier: MIT
"""The tables of docs/options.md are those of the driver, and options are described and looked up only by the tables."""

import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
HOME = "driver/base/option_table.cpp"
# a look-up in a list of options, as opposed to one in metadata or in headers
LOOK_UP = re.compile(r"\b(?:CSLFetchNameValue(?:Def)?|CPLFetchBool|CSLFindName)\((?:\w*[oO]ptions|\w*OPTIONS|given)\b")


def test_the_page_of_options_is_that_of_the_tables(tmp_path):
    program = REPOSITORY / "docs" / "make_option_tables.py"
    subprocess.run([sys.executable, "-B", str(program), str(tmp_path)], check=True)
    page = (REPOSITORY / "docs" / "options.md").read_text(encoding="utf-8")
    assert (tmp_path / "options.md").read_text(encoding="utf-8") == page, "run docs/make_option_tables.py"


def test_only_the_tables_describe_and_read_options():
    texts = {
        str(path.relative_to(REPOSITORY)): path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "driver").rglob("*.cpp")
    }
    assert LOOK_UP.search(texts[HOME]) and "<Option" in texts[HOME]
    found = [name for name, text in texts.items() if name != HOME and (LOOK_UP.search(text) or "<Option " in text)]
    assert found == []
