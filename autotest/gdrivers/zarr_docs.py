# SPDX-License-Identifier: MIT
"""The documentation as the tests see it: blocks of commands, tables, links, messages."""

import os
import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
SECONDS = 300  # no example runs longer

HEADING = re.compile(r"^(#+) +(.*)$")
FENCE = re.compile(r"^```(.*)$")
PLACEHOLDER = re.compile(r"<[^<>]*>")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# What gdalmdimtranslate to netCDF says of netCDF's own files, too.
OF_GDALS_TOOLS = "lacks a indexing variable"
HOST, BUCKET = "https://data.example.org", "my-bucket"


class Block:
    """A block of a page: its section, language and lines."""

    def __init__(self, page, section, language, text):
        self.page, self.section, self.language, self.text = page, section, language, text

    def __str__(self):
        return f"{self.page}: {self.section}: {self.text.splitlines()[0]}"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def fenced_blocks(name):
    """The fenced blocks of a page of docs/, in order."""
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
    """The blocks of shell commands of a section of the README, which are indented."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    part = re.split(r"^## ", text.partition(f"\n## {section}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"(?:^    .*\n)+", part, re.MULTILINE)
    return [Block("README.md", section, "bash", re.sub("(?m)^    ", "", each)) for each in found]


def sections(blocks):
    """The blocks by section: those of one run one after the other in one folder."""
    found = {}
    for block in blocks:
        found.setdefault(block.section, []).append(block)
    return found


def links(name):
    """What a page of docs/ or of the root links to, without code."""
    path = REPOSITORY / name
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return LINK.findall(re.sub(r"`[^`\n]*`", "", text))


def anchors(path):
    """The names that headings have on the page."""
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = HEADING.match(line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading[2].lower())
            found.add(words.replace(" ", "-"))
    return found


def table(name, section):
    """The rows of the first table of a section, as lists of cells without the first two lines."""
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
    """What stands in backticks in a cell."""
    return re.findall(r"`([^`]*)`", cell)


def messages():
    """The messages of errors.md: the first column of its tables."""
    found = []
    for line in page("errors.md").splitlines():
        if line.startswith("| `"):
            found.append(re.match(r"\| `([^`]*)`", line)[1])
    return found


def matches(message, text):
    """True where a text is a message of the page, behind a store and perhaps a path."""
    pattern = ".*?".join(re.escape(part) for part in PLACEHOLDER.split(message))
    return re.fullmatch(f"(?:.*?: ?)?{pattern}", text, re.DOTALL) is not None


# Running


def run_block(block, folder, environment):
    """Runs a block in a folder. Fails the test with what it printed. Returns what that was."""
    if block.language == "python":
        program = pathlib.Path(folder) / "example.py"
        program.write_text(block.text + "\n")
        words = [sys.executable, "-B", program.name]
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
        if re.search(r"(ERROR|Warning) \d", line) and not line.endswith(OF_GDALS_TOOLS)
    ]  # fmt: skip
    assert problems == [], f"{block}\n{done.stdout}"
    return done.stdout


def preloaded():
    """The sanitizer's runtime is for GDAL's tools and not for the shell."""
    library = os.environ.get("LD_PRELOAD")
    return f"export LD_PRELOAD='{library}'\n" if library else ""


def addressed(block, url):
    """The block with servers of the test in the place of those that the page names."""
    text = block.text.replace(HOST, url).replace(BUCKET, "demo")
    return Block(block.page, block.section, block.language, text)
