# SPDX-License-Identifier: MIT
"""The chart of the benchmarks, as SVG: the time of each contender for each task, relative to this
driver's time."""

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
LEAST, MOST = 0.4, 200.0  # of the axis, which is logarithmic


def place(value):
    share = math.log(min(max(value, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + WIDTH * share


def text(x, y, words, anchor="start", size=12, colour="#222222"):
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}">{html.escape(words)}</text>'
    )


def legend():
    parts = [text(LEFT, 18, "time of others, where ours takes 1 (logarithmic)", size=13)]
    x = LEFT
    for name, colour in COLOURS.items():
        parts.append(f'<circle cx="{x + 5}" cy="34" r="5" fill="{colour}"/>')
        parts.append(text(x + 14, 38, NAMES[name], size=11))
        x += 24 + 6.2 * len(NAMES[name])
    return parts


def axis(bottom):
    parts = []
    for value in (0.5, 1, 2, 5, 10, 20, 50, 100):
        x = place(value)
        colour = "#27ae60" if value == 1 else "#dddddd"
        parts.append(f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="{colour}" fill="none"/>')
        parts.append(text(x, bottom + 14, f"{value:g}", "middle", 11))
    return parts


def draw(rows, subtitle):
    """Draws the chart of `rows`, which are measuring.Row objects."""
    bottom = TOP + LINE * len(rows)
    parts = legend() + axis(bottom)
    for i, row in enumerate(rows):
        y = TOP + LINE * i + 5
        parts.append(text(LEFT - 10, y + 4, row.title, "end"))
        for name, colour in COLOURS.items():
            if name in row.seconds:
                x = place(median_ratio(row.seconds[name], row.seconds["ours"]))
                parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{colour}"/>')
    parts.append(text(10, bottom + 34, subtitle, size=11, colour="#666666"))
    width, height = LEFT + WIDTH + 30, bottom + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
