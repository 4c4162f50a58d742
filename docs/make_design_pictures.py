#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws docs/layers.svg and docs/read_path.svg, the pictures of docs/design.md.

    docs/make_design_pictures.py [FOLDER]      FOLDER receives the pictures; default docs

Layers and arrows come from the #include lines of core/ and driver/. The picture of a read names files and
functions. The program fails if a file does not contain its function. Needs only Python.
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

INK, SOFT, LINE = "#1f2a36", "#5a6775", "#8795a3"
PAPER, CORE, BOX, EDGE = "#ffffff", "#f1f5f9", "#ffffff", "#b6c2cd"
BLUE, GREEN, AMBER = "#1f6f9f", "#2f7d4f", "#a8680d"

# layer -> lines of its description, each short enough for the width of its box
PURPOSE = {
    "driver": ["the plugin's entry: what GDAL registers;", "opening by name, GDAL's own driver behind it"],
    "driver/multidim": ["groups, arrays,", "attributes, dimensions", "of the other API"],
    "driver/create": ["Create(), CreateCopy(), APPEND_DIM:", "which arrays a raster becomes"],
    "driver/raster": ["datasets, bands, subdatasets;", "names of slices and of images"],
    "driver/overviews": ["levels of a raster in its store:", "found, built, described, removed"],
    "driver/georef": ["CRS and geotransform read and written;", "which dimensions are X, Y and bands"],
    "driver/store": ["names and kinds of stores; nodes opened in them;", "written aside, replaced, deleted, copied"],
    "driver/transport": ["bytes of GDAL's file systems and of servers:", "paths, HTTP, caches, zip files"],
    "driver/codec": ["chunks that are files of other", "formats, which GDAL decodes"],
    "driver/base": ["versions of GDAL, errors, options,", "data types, metadata as text"],
    "core/library": ["what programs use:", "public headers over", "the rest of core/"],
    "core/conventions": ["attributes to plain facts, in folders: attributes,", "group, ome, facts, cf, crs, catalog, pyramid"],
    "core/hierarchy": ["groups: open, list, create, rename, delete,", "consolidate, resize"],
    "core/array": ["reads and writes regions of an array;", "decoded chunks in a cache"],
    "core/metadata": [".zarray and v1's meta: parsed once,", "checked, written"],
    "core/codec": ["compressors and filters, a file each;", "one table, one pipeline"],
    "core/dtype": ["data types, fill values, stored elements", "to native ones"],
    "core/json": ["JSON with order, exact integers,", "limits, errors with a place"],
    "core/base": ["errors as values, bytes, byte order,", "threads, fork(), limits"],
    "core/grid": ["regions, chunk keys,", "the one copy of", "n dimensions"],
    "core/references": ["Kerchunk, Icechunk: where", "values lie in other files"],
    "core/store": ["keys and values:", "memory, folder, zip,", "consolidated overlay"],
}  # fmt: skip

# prefix of an included header -> name of the library, as the pictures show it
LIBRARIES = {
    "gdal": "GDAL", "cpl_": "GDAL", "ogr_": "GDAL", "blosc": "blosc", "bzlib": "bzip2",
    "libdeflate": "libdeflate", "lz4": "lz4", "lzma": "liblzma", "zlib": "zlib", "zstd": "zstd",
    "nlohmann": "nlohmann-json",
}  # fmt: skip

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


# Functions that read source files


def layer_of(path):
    """Returns the layer of a source file: the first two folders of its path."""
    return "/".join(pathlib.PurePosixPath(path).parent.parts[:2])


def read_includes():
    """Returns ({layer: layers that it includes}, {layer: libraries that it includes})."""
    edges, libraries = {}, {}
    files = [*ROOT.glob("core/**/*"), *ROOT.glob("driver/**/*")]
    for file in files:
        if file.suffix not in (".h", ".cpp"):
            continue
        layer = layer_of(file.relative_to(ROOT).as_posix())
        edges.setdefault(layer, set())
        libraries.setdefault(layer, set())
        for target in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if target.startswith(("core/", "driver/")):
                edges[layer] |= {layer_of(target)} - {layer}
            libraries[layer] |= {v for k, v in LIBRARIES.items() if target.startswith(k)}
    return edges, libraries


def below(layer, edges):
    """Returns all layers that a layer includes, directly or through other layers."""
    found = set()
    for target in edges[layer]:
        found |= {target} | below(target, edges)
    return found


def direct(edges):
    """Returns {layer: layers to which an arrow is drawn}. Leaves out arrows that a path over another layer
    implies."""
    return {
        layer: {t for t in targets if not any(t in below(o, edges) for o in targets - {t})}
        for layer, targets in edges.items()
    }


def spine(layer, arrows):
    """Returns the longest path of arrows that begins at a layer, as a list of layers."""
    ways = [spine(target, arrows) for target in sorted(arrows[layer])]
    return [layer] + max(ways, key=len, default=[])


# Functions that draw shapes as SVG


class Svg:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{html.escape(title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8"'
            f' markerHeight="8" orient="auto"><path d="M0 1 L10 5 L0 9 z" fill="{LINE}"/>'
            "</marker></defs>",
            f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        ]

    def box(self, x, y, width, height, fill=BOX, edge=EDGE, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{fill}"'
            f' stroke="{edge}" stroke-width="1.2"{dash}/>'
        )

    def text(self, x, y, text, size=13, fill=INK, anchor="middle", bold=False, mono=False):
        extra = ' font-weight="bold"' if bold else ""
        extra += ' font-family="DejaVu Sans Mono, Consolas, monospace"' if mono else ""
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"'
            f"{extra}>{html.escape(text)}</text>"
        )

    def arrow(self, *points):
        """Draws an arrow with straight lines and rounded corners through `points`."""
        path = f"M{points[0][0]} {points[0][1]}"
        for before, at, after in zip(points, points[1:], points[2:]):
            path += " L{} {} Q{} {} {} {}".format(*near(at, before), *at, *near(at, after))
        path += f" L{points[-1][0]} {points[-1][1]}"
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.6"'
            ' marker-end="url(#tip)"/>'
        )

    def finish(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def near(at, other, radius=10):
    """Returns the point at the distance `radius` from the corner `at`, towards the point `other`. The line
    between them is horizontal or vertical."""
    step = [(o > a) - (o < a) for a, o in zip(at, other)]
    return at[0] + step[0] * radius, at[1] + step[1] * radius


# Functions that draw the picture of the layers, docs/layers.svg

MIDDLE, WIDE, HIGH, STEP, TOP = 460, 370, 76, 104, 72
# Layers of the core that are drawn left or right of the central column. The box of such a layer is centred on its
# arrows. SHIFT moves the box down, in pixels.
SIDE_OF = {"core/store": "left", "core/grid": "right", "core/references": "right"}
SHIFT = {"core/references": 130}
NARROW, SIDE_X = 180, {"left": 136, "right": 784}


def draw_layer(svg, name, x, y, width, height, libraries):
    """Draws the box of a layer. The middle of its upper edge is at (x, y)."""
    is_driver = name.startswith("driver")
    svg.box(x - width // 2, y, width, height, "#fff8ec" if is_driver else BOX,
            "#d9b26f" if is_driver else EDGE)  # fmt: skip
    svg.text(x, y + 22, name + "/", 15, AMBER if is_driver else BLUE, bold=True, mono=True)
    for i, line in enumerate(PURPOSE[name]):
        svg.text(x, y + 41 + 16 * i, line, 12.5)
    if libraries and width == NARROW:
        svg.text(x, y + height - 10, "with " + ", ".join(sorted(libraries)), 11, SOFT)
    elif libraries:
        svg.text(x + width // 2 - 10, y + 20, "with " + short(libraries), 10.5, SOFT, "end")


def short(libraries):
    names = sorted(libraries, key=str.lower)
    return ", ".join(names) if len(names) < 3 else f"{len(names)} libraries"


LIBRARY = "core/library"  # layer that programs include, but no other layer


def layers_picture():
    edges, libraries = read_includes()
    arrows = direct(edges)
    tops = {layer for layer in edges if not any(layer in t for t in edges.values())}
    assert tops == {"driver", LIBRARY}, f"no layer uses {tops}"
    column = spine("driver", arrows)
    assert set(edges) == set(PURPOSE), "a layer without words: tell PURPOSE what it is for"
    height = TOP + STEP * len(column) + 40
    svg = Svg(920, height, "The layers: each includes only those below it")
    svg.text(MIDDLE, 32, "Who includes whom: only downwards", 19, bold=True)
    svg.text(MIDDLE, 53, "An arrow is drawn where no longer way says it already", 12.5, SOFT)
    rooms = sum(name.startswith("driver") for name in column)
    core = TOP + STEP * rooms
    svg.box(26, core - 14, 868, STEP * (len(column) - rooms) + 14, CORE, "#d5dee6")
    svg.text(46, core + 12, "core/: the library zarr_core", 13, GREEN, "start", bold=True)
    svg.text(46, core + 30, "knows no GDAL", 12.5, GREEN, "start")
    place = {name: TOP + STEP * i for i, name in enumerate(column)}
    for upper, lower in zip(column, column[1:]):
        svg.arrow((MIDDLE, place[upper] + HIGH), (MIDDLE, place[lower] - 2))
    for name in column:
        draw_layer(svg, name, MIDDLE, place[name], WIDE, HIGH, libraries[name])
    draw_sides(svg, {name: t for name, t in arrows.items() if name != LIBRARY}, place, libraries)
    draw_library(svg, arrows, place)
    codecs = ", ".join(sorted(libraries["core/codec"], key=str.lower))
    svg.text(MIDDLE, height - 16, "the libraries of core/codec: " + codecs, 11.5, SOFT)
    return svg.finish()


def draw_sides(svg, arrows, place, libraries):
    """Draws the layers that are not in the central column to the left or right of it."""
    others = sorted(set(arrows) - set(place))
    beside = [name for name in others if name.startswith("core/")]
    assert len(others) - len(beside) <= len(SIDE_X), "no place left beside the column"
    # A layer of the driver may take a side that a layer of the core has, because it is drawn above that layer.
    sides = [*((name, SIDE_OF[name]) for name in beside), *zip([name for name in others if name not in beside], SIDE_X)]
    for name, side in sides:
        x, edge = SIDE_X[side], MIDDLE + (WIDE // 2 if side == "right" else -WIDE // 2)
        users = [user for user, targets in arrows.items() if name in targets]
        ends = [place[each] for each in [*users, *arrows[name]]]
        high = 58 + 16 * len(PURPOSE[name]) - (0 if libraries[name] else 16)
        y = (min(ends) + max(ends) + HIGH) // 2 - high // 2 + SHIFT.get(name, 0)
        for user in users:
            middle = place[user] + HIGH // 2
            svg.arrow((edge, middle), (x, middle), (x, y - 2))
        for target in arrows[name]:
            middle = place[target] + HIGH // 2
            svg.arrow((x, y + high), (x, middle), (edge + (2 if side == "right" else -2), middle))
        draw_layer(svg, name, x, y, NARROW, high, libraries[name])


def draw_library(svg, arrows, place):
    """Draws the layer of the public headers, to the right of the layer whose headers they include."""
    (target,) = arrows[LIBRARY]
    x, middle = SIDE_X["right"], place[target] + HIGH // 2
    high = 42 + 16 * len(PURPOSE[LIBRARY])
    svg.arrow((x - NARROW // 2, middle), (MIDDLE + WIDE // 2 + 2, middle))
    draw_layer(svg, LIBRARY, x, middle - high // 2, NARROW, high, set())


# Functions that draw the picture of a read, docs/read_path.svg

# (title, file, name that must occur in the file, lines of explanation) of each box
ENTRIES = [
    ("a band: RasterIO()", "driver/raster/band.cpp", "ZarrRasterBand::IRasterIO",
     ["blocks of GDAL, and what it resamples,", "take the same way"]),
    ("an array: Read()", "driver/multidim/mdim_array.cpp", "ZarrMDArray::IRead",
     ["of the multidimensional API"]),
]  # fmt: skip
COMMON = [
    ("a region of an array", "core/array/array.h", "Destination",
     ["where to, with which strides, and the one operation that",
      "turns stored elements into wanted ones"]),
    ("pieces", "core/array/region_split.h", "RegionSplit",
     ["split at the chunks' edges, by arithmetic alone:", "any number of them costs nothing"]),
    ("in parallel", "core/array/region_reader.cpp", "ParallelFor",
     ["a piece a thread; over a network 32 requests under way,", "however few threads decode"]),
]  # fmt: skip
QUESTIONS = [
    ("written, and not stored yet?", "core/array/pending_chunks.h",
     "PendingChunks", "copied from there"),
    ("decoded already, or just now?", "core/base/load_once_cache.h",
     "GetOrLoad", "copied, or waited for"),
    ("known to be absent?", "core/array/chunk_cache.h",
     "AbsentChunks", "the fill value"),
    ("a small part of a large chunk?", "core/array/region_reader.cpp",
     "Strategy::kDecodeRange", "only that is fetched or decoded"),
]  # fmt: skip
FETCH = [
    ("the stored chunk", "core/store/store.h", "Get",
     ["one request, and no question before it:", "folder, zip file, web server, object store"]),
    ("decoded", "core/codec/pipeline.h", "Pipeline",
     ["compressor, then filters backwards,", "on as many threads as NUM_THREADS says"]),
]  # fmt: skip
ENDS = [
    ("into the caller's memory", "core/array/region_reader.cpp", "Strategy::kIntoMemory",
     ["a whole chunk, wanted as stored:", "no copy"]),
    ("into scratch memory", "core/array/region_reader.cpp", "Strategy::kThroughScratch",
     ["a whole chunk that is used up", "by this read"]),
    ("into the cache", "core/array/region_reader.cpp", "Strategy::kThroughCache",
     ["where others may want", "the rest of the chunk"]),
]  # fmt: skip
LAST = ("one copy", "core/grid/copy.h", "CopyBlock",
        ["strides, byte order and data type in one pass"])  # fmt: skip


def check(file, name):
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text), f"{file} has no {name}"


def draw_step(svg, step, x, y, width, colour=BLUE):
    """Draws the box of `step`, with its middle at x and its upper edge at y. Returns the y of its lower edge."""
    title, file, name, lines = step
    check(file, name)
    height = 48 + 16 * len(lines)
    svg.box(x - width // 2, y, width, height)
    svg.text(x, y + 21, title, 14, colour, bold=True)
    for i, line in enumerate(lines):
        svg.text(x, y + 40 + 16 * i, line, 12.5)
    svg.text(x, y + height - 9, file, 10.5, SOFT, mono=True)
    return y + height


def draw_questions(svg, x, y):
    """Draws the questions that decide how a chunk is read, one below the other. Returns the y of their lower
    end."""
    for i, (title, file, name, answer) in enumerate(QUESTIONS):
        check(file, name)
        at = y + 74 * i
        svg.box(x - 180, at, 360, 50, "#f7fbff", "#a9c7dd")
        svg.text(x, at + 21, title, 14, BLUE, bold=True)
        svg.text(x, at + 39, file, 10.5, SOFT, mono=True)
        svg.arrow((x + 180, at + 25), (x + 256, at + 25))
        svg.text(x + 214, at + 18, "yes", 12, GREEN)
        svg.text(x + 264, at + 30, answer, 13, GREEN, "start")
        svg.arrow((x, at + 50), (x, at + 72))
        svg.text(x + 10, at + 66, "no", 12, SOFT, "start")
    return y + 74 * len(QUESTIONS)


def read_picture():
    x, width = 460, 920
    svg = Svg(width, 1206, "The way of a read")
    svg.text(x, 32, "The way of a read", 19, bold=True)
    svg.text(x, 53, "from a window of GDAL to its values in the caller's memory", 12.5, SOFT)
    places = [x - 165, x + 165]
    for entry, at in zip(ENTRIES, places):
        svg.arrow((at, draw_step(svg, entry, at, 76, 300, AMBER)), (at, 178))
    y = 180
    for step in COMMON:
        end = draw_step(svg, step, x, y, 630 if step is COMMON[0] else 420)
        svg.arrow((x, end), (x, end + 22))
        y = end + 24
    y = draw_questions(svg, x, y)
    for step in FETCH:
        end = draw_step(svg, step, x, y, 360)
        if step is not FETCH[-1]:
            svg.arrow((x, end), (x, end + 22))
        y = end + 24
    draw_ends(svg, x, end)
    return svg.finish()


def draw_ends(svg, x, start):
    """Draws the boxes that say where decoded elements are copied to."""
    y = start + 46
    for step, at in zip(ENDS, (x - 300, x, x + 300)):
        way = [(x, start), (x, start + 23), (at, start + 23)] if at != x else [(x, start)]
        svg.arrow(*way, (at, y - 2))
        end = draw_step(svg, step, at, y, 280, GREEN)
    svg.arrow((x, end), (x, end + 34))
    svg.arrow((x + 300, end), (x + 300, end + 68), (x + 162, end + 68))
    draw_step(svg, LAST, x, end + 36, 320, GREEN)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    (folder / "layers.svg").write_text(layers_picture(), encoding="utf-8")
    (folder / "read_path.svg").write_text(read_picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
