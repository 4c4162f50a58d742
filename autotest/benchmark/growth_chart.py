# SPDX-License-Identifier: MIT
"""Draws the chart of growth.py as SVG: a panel for each table, with a line for each reader."""

import math
import statistics

from chart import text

COLOURS = {
    "ours": "#c0392b",
    "tensorstore": "#2471a3",
    "zarrs": "#b7950b",
    "zarr-python": "#27ae60",
}
GUIDE = "#999999"
WIDTH, HEIGHT = 270, 260  # size of a panel without its labels, in pixels
LEFT, GAP, TOP, BOTTOM = 66, 84, 84, 66
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axis:
    """Logarithmic axis that maps values to pixels from `begin` to `end`. The value 0 has a position before the smallest
    positive value."""

    def __init__(self, values, begin, end):
        positive = [value for value in values if value > 0]
        self.zero = min(positive) / 2.5
        self.least = self.zero if len(positive) < len(values) else min(positive)
        self.most = max(*positive, 1.01 * self.least)
        self.begin, self.end = begin, end

    def place(self, value):
        share = math.log((value or self.zero) / self.least) / math.log(self.most / self.least)
        return self.begin + (self.end - self.begin) * share

    def ticks(self):
        """Returns the values that get labels: powers of ten; for short axes, also powers of ten times 2 and 5."""
        digits = (1,) if self.most / self.least > 300 else (1, 2, 5)
        exponents = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
        values = [digit * 10.0**exponent for exponent in exponents for digit in digits]
        return [value for value in values if self.least <= value <= self.most]


def number(value):
    exponent = round(math.log10(value)) if value else 0
    return "10" + str(exponent).translate(SUPERSCRIPTS) if value == 10**exponent >= 1000 else str(value)


def duration(seconds):
    return f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"


def path(points, colour, extra=""):
    places = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{places}" stroke="{colour}" fill="none" {extra}/>'


def draw_panel(panel, left):
    lines = {
        name: [(value, statistics.median(each[name])) for value, each in panel.rows if name in each]
        for name in panel.versions
    }
    guide = [(value, panel.guide(value, panel.rows)) for value, _ in panel.rows]
    guide = [point for point in guide if point[1] > 0]
    seconds = [each for points in (guide, *lines.values()) for _, each in points]
    across = Axis([value for value, _ in panel.rows], left, left + WIDTH)
    upward = Axis([0.9 * min(seconds), 1.1 * max(seconds)], TOP + HEIGHT, TOP)

    def placed(points):
        return [(across.place(x), upward.place(y)) for x, y in points]

    parts = [text(left, TOP - 12, panel.title, size=12)]
    for value, _ in panel.rows:
        x = across.place(value)
        parts.append(path([(x, TOP), (x, TOP + HEIGHT)], "#eeeeee"))
        parts.append(text(x, TOP + HEIGHT + 15, number(value), "middle", 11))
    for value in upward.ticks():
        y = upward.place(value)
        parts.append(path([(left, y), (left + WIDTH, y)], "#dddddd"))
        parts.append(text(left - 6, y + 4, duration(value), "end", 11))
    words = f"{panel.unit} (dashed: {panel.guide_title})"
    parts.append(text(left + WIDTH / 2, TOP + HEIGHT + 32, words, "middle", 12))
    parts.append(path(placed(guide), GUIDE, 'stroke-dasharray="4 4"'))
    for name, points in lines.items():
        parts.append(path(placed(points), COLOURS[name], 'stroke-width="2"'))
        for x, y in placed(points):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[name]}"/>')
    return parts


def legend(versions):
    parts, x = [text(LEFT, 22, "time to read, both axes logarithmic", size=13)], LEFT
    for name, version in versions.items():
        words = "this driver" if name == "ours" else f"{name} {version}"
        parts.append(f'<circle cx="{x + 5}" cy="40" r="5" fill="{COLOURS[name]}"/>')
        parts.append(text(x + 14, 44, words, size=11))
        x += 34 + 6.2 * len(words)
    return parts


def draw(panels, subtitle):
    """Returns a chart of `panels`, a list of growth.Panel, as SVG text."""
    parts = legend(max((panel.versions for panel in panels), key=len))
    for i, panel in enumerate(panels):
        parts += draw_panel(panel, LEFT + i * (WIDTH + GAP))
    width = LEFT + len(panels) * (WIDTH + GAP) - GAP + 30
    height = TOP + HEIGHT + BOTTOM
    parts.append(text(10, height - 10, subtitle, size=11, colour="#666666"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
