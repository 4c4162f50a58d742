# SPDX-License-Identifier: MIT
"""The table of the benchmarks: as text while they run, as Markdown and as a chart afterwards."""

import os
import statistics

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


class Table:
    """Takes results one by one and prints each as it comes."""

    def __init__(self):
        self.rows = []
        self.facts = []
        print(f"{'milliseconds':<{TITLE}}", *(f"{name:>8}" for name in CONTENDERS), end="")
        print(f"{'ours/floor':>12}{'builtin/ours':>14}{'tiff/ours':>11}  to reach")

    def add(self, result):
        if isinstance(result, Fact):
            self.facts.append(result)
            self._print_fact(result)
            return
        self.rows.append(result)
        print(f"{result.title:<{TITLE}}", *(f"{milliseconds(result, c):>8}" for c in CONTENDERS), end="")
        print(f"{ratio(result, 'ours', 'floor'):>12}{ratio(result, 'builtin', 'ours'):>14}", end="")
        print(f"{ratio(result, 'tiff', 'ours'):>11}  {verdict(result)}", flush=True)

    @staticmethod
    def _print_fact(fact):
        relation = "at least" if fact.is_least else "at most"
        limit = f"{'' if fact.reached else '- '}{relation} {fact.limit:g}"
        print(f"{fact.title:<{TITLE}} {'':>8} {fact.value:>8g}{'':>65}{limit}", flush=True)

    def finish(self):
        missed = [r.title for r in self.rows if not all(l.reached(r.seconds) for l in r.limits)]
        missed += [fact.title for fact in self.facts if not fact.reached]
        print("all is reached" if not missed else f"not reached: {'; '.join(missed)}")
