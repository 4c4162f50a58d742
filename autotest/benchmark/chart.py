# SPDX-License-Identifier: MIT
"""Draws the chart of the benchmarks as SVG: for each task, the time of each program relative to the time of
this driver."""

import html
import math

from measuring import median_ratio

COLOURS = {"floor": "#555555", "builtin": "#c0392b", "tiff": "#2471a3", "zarr": "#b7950b"}
NAMES = {
    "floor": "floor",
    "builtin": "GDAL's built-in Zarr driver",
    "tiff": "GeoTIFF or COG",
    "zarr": "zarr-python",
}
LEFT, WIDTH, LINE, TOP = 330, 420, 20, 64
MOST = 200.0  # largest ratio that the logarithmic axis shows
TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def ratios_of(row):
    """Returns {name: time / this driver's time} for each program that the chart shows."""
    return {name: median_ratio(row.seconds[name], row.seconds["ours"]) for name in COLOURS if name in row.seconds}


class Axis:
    """Logarithmic axis that covers `ratios` up to MOST, and at least 0.5 to 2."""

    def __init__(self, ratios):
        self.least = 0.8 * min([0.5, *ratios])
        self.most = min(MOST, 1.25 * max([2.0, *ratios]))

    def place(self, ratio):
        share = math.log(min(ratio, self.most) / self.least) / math.log(self.most / self.least)
        return LEFT + WIDTH * share

    def draw(self, bottom):
        parts = []
        for value in TICKS:
            if self.least <= value <= self.most:
                x = self.place(value)
                colour = "#27ae60" if value == 1 else "#dddddd"
                parts.append(f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="{colour}" fill="none"/>')
                parts.append(text(x, bottom + 14, f"{value:g}", "middle", 11))
        return parts


def text(x, y, words, anchor="start", size=12, colour="#222222"):
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}">{html.escape(words)}</text>'
    )


def legend(names):
    parts = [text(LEFT, 18, "time of others, where ours takes 1 (logarithmic)", size=13)]
    x = LEFT
    for name in names:
        parts.append(f'<circle cx="{x + 5}" cy="34" r="5" fill="{COLOURS[name]}"/>')
        parts.append(text(x + 14, 38, NAMES[name], size=11))
        x += 24 + 6.2 * len(NAMES[name])
    return parts


def draw(rows, subtitle):
    """Returns the chart of `rows`, a list of measuring.Row, as SVG text."""
    bottom = TOP + LINE * len(rows)
    ratios = [ratios_of(row) for row in rows]
    axis = Axis([ratio for each in ratios for ratio in each.values()])
    parts = legend([name for name in COLOURS if any(name in each for each in ratios)]) + axis.draw(bottom)
    for i, row in enumerate(rows):
        y = TOP + LINE * i + 5
        parts.append(text(LEFT - 10, y + 4, row.title, "end"))
        for name, ratio in ratios[i].items():
            parts.append(f'<circle cx="{axis.place(ratio):.1f}" cy="{y}" r="5" fill="{COLOURS[name]}"/>')
    parts.append(text(10, bottom + 34, subtitle, size=11, colour="#666666"))
    width, height = LEFT + WIDTH + 30, bottom + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
