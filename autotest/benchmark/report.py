# SPDX-License-Identifier: MIT
"""Prints the table of the benchmarks, row by row, and writes it as Markdown with a chart."""

import os
import statistics

from chart import draw
from measuring import CONTENDERS, Fact, median_ratio
from osgeo import gdal

TITLE = 46


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown processor"


def machine(rounds):
    cores = len(os.sched_getaffinity(0))
    return f"GDAL {gdal.__version__}, {cores} cores of {cpu()}, medians of {rounds} rounds"


def milliseconds(row, name):
    if name not in row.seconds:
        return ""
    value = 1000 * statistics.median(row.seconds[name])
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def ratio(row, above, below):
    if above not in row.seconds or below not in row.seconds:
        return ""
    return f"{median_ratio(row.seconds[above], row.seconds[below]):.2f}"


def verdict(row):
    return ", ".join(("" if each.reached(row.seconds) else "- ") + str(each) for each in row.limits)


def limit_of(fact):
    relation = "at least" if fact.is_least else "at most"
    return f"{'' if fact.reached else '- '}{relation} {fact.limit:g}"


class Table:
    """Collects results, and prints each result when it is added."""

    def __init__(self):
        self.rows = []
        self.facts = []
        print(f"{'milliseconds':<{TITLE}}", *(f"{name:>8}" for name in CONTENDERS), end="")
        print(f"{'ours/floor':>12}{'builtin/ours':>14}{'tiff/ours':>11}  to reach")

    def add(self, result):
        if isinstance(result, Fact):
            self.facts.append(result)
            title = f"{result.title:<{TITLE}} {'':>8} {result.value:>8.4g}"
            print(f"{title:<{TITLE + 83}}{limit_of(result)}", flush=True)
            return
        self.rows.append(result)
        times = " ".join(f"{milliseconds(result, name):>8}" for name in CONTENDERS)
        print(f"{result.title:<{TITLE}} {times}", end="")
        print(f"{ratio(result, 'ours', 'floor'):>12}{ratio(result, 'builtin', 'ours'):>14}", end="")
        print(f"{ratio(result, 'tiff', 'ours'):>11}  {verdict(result)}", flush=True)

    def finish(self):
        missed = [
            row.title
            for row in self.rows
            if not all(limit.reached(row.seconds) for limit in row.limits)
        ]
        missed += [fact.title for fact in self.facts if not fact.reached]
        print("all is reached" if not missed else f"not reached: {'; '.join(missed)}")

    def write(self, folder, rounds):
        """Writes benchmark.md and benchmark.svg to a folder."""
        lines = [
            f"{machine(rounds)}, of milliseconds. `autotest/benchmark/run.sh --report FOLDER`",
            "",
            "| | " + " | ".join(CONTENDERS) + " | ours/floor | builtin/ours | to reach |",
            "|---|" + "--:|" * (len(CONTENDERS) + 2) + "---|",
        ]
        for row in self.rows:
            cells = [milliseconds(row, name) for name in CONTENDERS]
            cells += [ratio(row, "ours", "floor"), ratio(row, "builtin", "ours"), verdict(row)]
            lines.append(f"| {row.title} | " + " | ".join(cells) + " |")
        lines += ["", "| counted | | to reach |", "|---|--:|---|"]
        lines += [f"| {each.title} | {each.value:.4g} | {limit_of(each)} |" for each in self.facts]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "benchmark.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "benchmark.svg").write_text(draw(self.rows, machine(rounds)), encoding="utf-8")
