# SPDX-License-Identifier: MIT
"""Parses the documentation for tests: blocks of commands, tables, links and messages."""

import os
import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
SECONDS = 300  # maximum run time of an example in seconds

HEADING = re.compile(r"^(#+) +(.*)$")
FENCE = re.compile(r"^```(.*)$")
PLACEHOLDER = re.compile(r"<[^<>]*>")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Warning that gdalmdimtranslate also prints for netCDF files. It shows no fault of this driver.
GDAL_WARNING = "lacks a indexing variable"
HOST, BUCKET = "https://data.example.org", "my-bucket"


class Block:
    """A code block of a documentation page."""

    def __init__(self, page, section, language, text):
        self.page, self.section, self.language, self.text = page, section, language, text

    def __str__(self):
        return f"{self.page}: {self.section}: {self.text.splitlines()[0]}"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def fenced_blocks(name):
    """Returns the fenced code blocks of a page of docs/, in order."""
    blocks, section, open_at, info = [], "", None, ""
    lines = page(name).splitlines()
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence and open_at is None:
            open_at, info = number + 1, fence[1].strip()
        elif fence:
            blocks.append(Block(name, section, info, "\n".join(lines[open_at:number])))
            open_at = None
        elif open_at is None and HEADING.match(line):
            section = HEADING.match(line)[2]
    assert open_at is None, f"{name}: a block is not closed"
    return blocks


def indented_blocks(section):
    """Returns the indented blocks of shell commands in a section of the README."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    part = re.split(r"^## ", text.partition(f"\n## {section}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"(?:^    .*\n)+", part, re.MULTILINE)
    return [Block("README.md", section, "bash", re.sub("(?m)^    ", "", each)) for each in found]


def sections(blocks):
    """Returns {section: blocks}. Tests run the blocks of a section one after another in one folder."""
    found = {}
    for block in blocks:
        found.setdefault(block.section, []).append(block)
    return found


def links(name):
    """Returns the links of a page, except links inside of code. `name` is a path relative to the root of the
    repository."""
    path = REPOSITORY / name
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return LINK.findall(re.sub(r"`[^`\n]*`", "", text))


def anchors(path):
    """Returns the anchors of all headings of a page."""
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = HEADING.match(line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading[2].lower())
            found.add(words.replace(" ", "-"))
    return found


def table(name, section):
    """Returns the rows of the first table in a section, as lists of cells. The two header lines are omitted."""
    after = re.split(rf"^#+ {re.escape(section)}$", page(name), maxsplit=1, flags=re.MULTILINE)
    assert len(after) == 2, f"{name} has no section {section}"
    rows = []
    for line in after[1].splitlines():
        if line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip("|") if line.endswith("|") else line[1:])
            rows.append([cell.strip().replace("\\|", "|") for cell in cells])
        elif rows or HEADING.match(line):
            break
    assert len(rows) > 2, f"{name}: {section}: no table"
    return rows[2:]


def code(cell):
    """Returns all texts in backticks in a table cell."""
    return re.findall(r"`([^`]*)`", cell)


def messages():
    """Returns all messages of docs/errors.md. They are in the first column of its tables."""
    found = []
    for line in page("errors.md").splitlines():
        if line.startswith("| `"):
            found.append(re.match(r"\| `([^`]*)`", line)[1])
    return found


def matches(message, text):
    """True if `text` is the message `message` of docs/errors.md, with or without a store and a path before
    it."""
    pattern = ".*?".join(re.escape(part) for part in PLACEHOLDER.split(message))
    return re.fullmatch(f"(?:.*?: ?)?{pattern}", text, re.DOTALL) is not None


# Running the code blocks of documentation pages


def run_block(block, folder, environment, python=sys.executable):
    """Runs a code block in a folder and returns its output; fails the test if the block fails. `python` runs blocks of
    Python."""
    if block.language == "python":
        program = pathlib.Path(folder) / "example.py"
        program.write_text(block.text + "\n")
        words = [python, "-B", program.name]
    else:
        words = ["bash", "-e", "-u", "-o", "pipefail", "-c", preloaded() + block.text]
        environment = {key: text for key, text in environment.items() if key != "LD_PRELOAD"}
    done = subprocess.run(
        words, cwd=folder, env=environment, timeout=SECONDS, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"{block}\nexit code {done.returncode}\n{done.stdout}"
    problems = [
        line for line in done.stdout.splitlines()
        if re.search(r"(ERROR|Warning) \d", line) and not line.endswith(GDAL_WARNING)
    ]  # fmt: skip
    assert problems == [], f"{block}\n{done.stdout}"
    return done.stdout


def preloaded():
    """Returns a shell command that preloads the sanitizer's runtime for GDAL's programs. The shell itself
    runs without the runtime."""
    library = os.environ.get("LD_PRELOAD")
    return f"export LD_PRELOAD='{library}'\n" if library else ""


def addressed(block, url):
    """Returns a copy of the block that uses the test's server at `url` in place of HOST, and the bucket "demo"
    in place of BUCKET."""
    text = block.text.replace(HOST, url).replace(BUCKET, "demo")
    return Block(block.page, block.section, block.language, text)
