# SPDX-License-Identifier: MIT
"""Tests that docs/opens_where.md equals the output of docs/make_opens_where.py. Each file in docs/opens_where/results has a result for
every store."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
RESULTS = sorted((DOCS / "opens_where" / "results").glob("*-*.json"))
STORES = json.loads((DOCS / "opens_where" / "results" / "stores.json").read_text("utf-8"))
VERDICTS = {"yes", "name", "part", "wrong", "no", "crash", "hang", "-"}
READERS = {"ours", "builtin", "qgis", "zarr-python", "netcdf-c"}
NOT_RIGHT = {"part": "missing", "wrong": "wrong", "no": "error", "crash": "error", "hang": "error"}

each_result = pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)


def test_the_page_is_what_the_script_makes(tmp_path):
    script, page = DOCS / "make_opens_where.py", tmp_path / "page.md"
    subprocess.run([sys.executable, "-B", str(script), str(page)], check=True, timeout=60)
    assert page.read_text("utf-8") == (DOCS / "opens_where.md").read_text("utf-8")


def test_the_details_name_every_store(tmp_path):
    script, page = DOCS / "make_opens_where.py", tmp_path / "details.md"
    subprocess.run([sys.executable, "-B", script, "--details", page], check=True, timeout=60)
    text = page.read_text("utf-8")
    assert [store["name"] for store in STORES if f"`{store['name']}`" not in text] == []
    assert len(text.splitlines()) > 200


def test_every_reader_has_a_result():
    found = {json.loads(path.read_text("utf-8"))["reader"] for path in RESULTS}
    assert found == READERS
    assert len(STORES) >= 50 and len({store["name"] for store in STORES}) == len(STORES)


@each_result
def test_a_result_has_every_store(path):
    document = json.loads(path.read_text("utf-8"))
    assert list(document["stores"]) == [store["name"] for store in STORES]
    assert path.stem.startswith(document["reader"] + "-")
    assert next(iter(document["versions"].values())).startswith(path.stem.rpartition("-")[2])
    assert path.stat().st_size < 60_000


@each_result
def test_a_wrong_result_has_a_reason(path):
    for name, answer in json.loads(path.read_text("utf-8"))["stores"].items():
        assert answer["verdict"] in VERDICTS, name
        wanted = NOT_RIGHT.get(answer["verdict"])
        assert wanted is None or answer[wanted], name
        right = answer["verdict"] in ("yes", "name", "-")
        assert not right or not {"missing", "wrong", "error"} & set(answer), name


@each_result
def test_no_result_names_a_folder_of_a_machine(path):
    folders = re.compile(r"(?<![\w.])/(tmp|usr|var|opt|home|root)/|file:///")
    assert folders.findall(path.read_text("utf-8")) == []
