# SPDX-License-Identifier: MIT
"""Checks that facts do not depend on where a store lies. Only reads text."""

import pathlib
import re

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# Questions about a store that have other answers for equal documents: where it lies, what its cache holds, whether
# its documents came consolidated.
QUESTION = re.compile(
    r"(\.|->)(remote|packed|caches_absence|IsCached|IsListingCached|prefetcher|is_consolidated|request_cost)\b|CanPrefetch\("
)
PLACE = re.compile(r"(\.|->)(remote|is_remote\(\))")
# The plans of what is requested together. They yield no facts.
PLAN = {f"core/conventions/{file}" for file in ("opening_prefetch.cpp", "facts/prefetch.cpp", "facts/prefetch.h")}
# file -> the only functions that may ask, and why
ALLOWED = {
    # Outdated consolidated metadata is noticed only where that takes no requests. Equal documents have equal answers.
    # A replaced store is noticed only where that takes no requests.
    # Statements that should agree are compared where that takes no round trip; see REPEATED.
    "core/hierarchy/hierarchy.h": ("ComparesOwnDocuments", "NoticesReplacement", "ComparesRepeatedStatements"),
    # Plans what the axes of an array need.
    "core/conventions/cf/coordinates.cpp": ("CanPrefetch",),
    # Writers of remote stores remember what they wrote.
    "core/hierarchy/node_documents.h": ("DistrustsListings",),
    # Counts how many reads run at once.
    "core/hierarchy/reference_export.cpp": ("ParallelFor",),
}
# The only place that may ask Hierarchy::ComparesRepeatedStatements(). A transform that states its size is compared with
# coordinates, which gives a warning, in local stores alone.
REPEATED = ["core/conventions/crs/affine.cpp"]


def lines_of(folder):
    for file in sorted((REPOSITORY / folder).rglob("*")):
        if file.suffix in {".h", ".cpp"}:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield file.relative_to(REPOSITORY).as_posix(), number, line.partition("//")[0]


@pytest.mark.parametrize(
    ("folder", "question"),
    [("core/conventions", QUESTION), ("core/hierarchy", PLACE), ("driver/multidim", PLACE), ("driver/georef", PLACE)],
)
def test_facts_do_not_ask_where_a_store_lies(folder, question):
    asked = [
        f"{file}:{number}: {line.strip()}"
        for file, number, line in lines_of(folder)
        if question.search(line) and file not in PLAN and not any(name in line for name in ALLOWED.get(file, ()))
    ]
    assert asked == []


def test_repeated_statements_are_compared_in_one_place():
    folders = ["core/conventions", "driver/multidim", "driver/georef", "driver/raster", "driver/overviews"]
    files = [file for folder in folders for file, _, line in lines_of(folder) if "ComparesRepeatedStatements" in line]
    assert files == REPEATED


def test_the_patterns_find_what_they_look_for():
    assert QUESTION.search("if (hierarchy.store()->Traits().remote) return {};")
    assert QUESTION.search("store.IsCached(key)") and QUESTION.search("hierarchy->is_consolidated()")
    assert PLACE.search("location_.store_path.is_remote()")
    assert any(QUESTION.search(line) for file, _, line in lines_of("core/conventions") if file in PLAN)
