# SPDX-License-Identifier: MIT
"""Checks comments and commit subjects by those rules of CONTRIBUTING.md that a program can check. Comments begin with a
noun or verb, have at most 30 words per sentence, and avoid unclear phrases. Needs neither GDAL nor a build."""

import ast
import io
import pathlib
import re
import shutil
import subprocess
import tokenize

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core", "driver", "autotest", "scripts", "docs", "data", "cmake", "python")

# First words with which a comment must not begin, because its subject would be missing.
FIRST_WORD = re.compile(r"^(Of|What|The same|As|That|One|Those|So|Where|Which|Whose|None|It)\b")
MOST_WORDS = 30
# Phrases that a reader cannot understand without another comment.
PHRASES = re.compile(
    r"\b(the same (of|for|as for)|that of (it|them|these|those)|of theirs|as such ones|"
    r"is there already|are there already|from afar|what is (told|held|given up)|"
    r"held in mind|is let go of|which may be none|where there is none of|those that are none|"
    r"what there is of|as it has them|as (it|they) (is|are) there)\b", re.I)  # fmt: skip
# Commit after which subjects are checked; earlier commits had no rule.
BEFORE_THE_RULE = "781b4e40db9a"
SUBJECT = re.compile(r"^[a-z][a-z0-9 _,/.-]*: \S.{2,}$")
MOST_IN_SUBJECT = 100


def prose(lines):
    """Joins the lines of a comment to one text, without lines that begin with two spaces: grammars, tables and
    commands."""
    return " ".join(line.strip() for line in lines if line[:2] != "  ").strip()


def blocks_of_cpp(text):
    """Yields (line number, text) of each C++ comment that is alone on its lines."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        if re.match(r"\s*//", lines[at]) and "SPDX" not in lines[at]:
            end = at
            while end < len(lines) and re.match(r"\s*//", lines[end]):
                end += 1
            yield at + 1, prose(re.sub(r"^\s*//+ ?", "", line) for line in lines[at:end])
            at = end
        else:
            at += 1


def blocks_of_python(text):
    """Yields (line number, text) of each docstring in Python code, and of each comment that has lines of its own."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, prose(ast.get_docstring(node).splitlines())
    block, last = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or token.line.strip() != token.string:
            continue
        if block and token.start[0] != last + 1:
            yield last - len(block) + 1, " ".join(block)
            block = []
        last = token.start[0]
        block.append(token.string.lstrip("#!").strip())
    if block:
        yield last - len(block) + 1, " ".join(block)


def blocks_of_shell(text):
    block, start = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*#(?!!)", line):
            start = start if block else number
            block.append(line.strip().lstrip("#").strip())
        elif block:
            yield start, " ".join(block)
            block = []
    if block:
        yield start, " ".join(block)


READERS = {".h": blocks_of_cpp, ".cpp": blocks_of_cpp, ".py": blocks_of_python, ".sh": blocks_of_shell,
           ".cmake": blocks_of_shell, ".txt": blocks_of_shell}  # fmt: skip


def sentences(text):
    """Returns the sentences of a text, with `x` in place of code and links."""
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"https?://\S+", "x", text)
    return [part for part in re.split(r"(?<=[.:;!?])\s+", text) if part]


def faults_of(text):
    """Returns a list of the rules that a comment's text breaks."""
    faults = []
    if "SPDX" in text or len(text) <= 8 or set(text[:8]) == {"-"}:
        return faults
    if FIRST_WORD.match(text):
        faults.append("begins with " + FIRST_WORD.match(text).group(0))
    if phrase := PHRASES.search(text):
        faults.append("says: " + phrase.group(0))
    longest = max((len(re.findall(r"[\w'-]+", sentence)) for sentence in sentences(text)), default=0)
    if longest > MOST_WORDS:
        faults.append(f"has a sentence of {longest} words")
    return faults


def comments():
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            reader = READERS.get(path.suffix)
            if reader is None or (path.suffix == ".txt" and path.name != "CMakeLists.txt"):
                continue
            for line, text in reader(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(REPOSITORY).as_posix()}:{line}", text


def test_comments_follow_the_rules():
    found = list(comments())
    assert len(found) > 5000
    assert [f"{place}: {fault}" for place, text in found for fault in faults_of(text)] == []


def subjects():
    """Returns the subjects of all commits after the commit BEFORE_THE_RULE; None without a git history."""
    if shutil.which("git") is None:
        return None
    log = subprocess.run(["git", "-C", REPOSITORY, "log", "--no-merges", "--format=%s", f"{BEFORE_THE_RULE}.."],
                         capture_output=True, text=True, check=False)  # fmt: skip
    return log.stdout.splitlines() if log.returncode == 0 else None


def subject_faults(subject):
    if len(subject) > MOST_IN_SUBJECT:
        return [f"{subject}: {len(subject)} characters"]
    return [] if SUBJECT.match(subject) else [f"{subject}: not `area: what changes`"]


def test_commit_subjects_name_their_area():
    found = subjects()
    if found is None:
        pytest.skip("without git, or in a copy without its history, there are no commits to look at")
    assert [fault for subject in found for fault in subject_faults(subject)] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Returns the number of chunks.", 0),
        ("Of one read.", 1),
        ("What is copied is there already; false where it is not", 2),
        ("The same for who changes the store.", 2),
        ("Adds " + "word " * 31 + ".", 1),
        ("Adds " + "word " * 15 + ". Takes " + "word " * 15 + ".", 0),
        ("--------------------------------- Reading", 0),
    ],
)
def test_checker_tells_comments_apart(text, count):
    assert len(faults_of(text)) == count


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ('"""Says what."""\n# one\n# two\nx = 1  # three\n', ["Says what.", "one two"]),
        ('def f():\n    """Does a\n    thing."""\n', ["Does a thing."]),
    ],
)
def test_checker_finds_comments_of_python(text, blocks):
    assert [block for _, block in blocks_of_python(text)] == blocks
    assert [block for _, block in blocks_of_cpp("// one\n// two\nint x;  // three\n")] == ["one two"]
    assert [block for _, block in blocks_of_shell("#!/bin/bash\n# one\n# two\nx=1\n")] == ["one two"]


@pytest.mark.parametrize(
    ("subject", "count"),
    [("codec: decode zstd frames in parallel", 0), ("Measure the floor", 1), ("codec: " + "x" * 100, 1)],
)
def test_checker_tells_subjects_apart(subject, count):
    assert len(subject_faults(subject)) == count
