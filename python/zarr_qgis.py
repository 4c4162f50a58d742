#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a layer definition for QGIS. QGIS then shows the times of a cube with its temporal controller.
`zarr_qgis --help` lists the options."""

import argparse
import calendar
import datetime
import math
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ET

import numpy as np
from osgeo import gdal

FOLDER = pathlib.Path(__file__).resolve().parent
# An installed program is in bin/, and its modules are in share/gdal-plugin-zarr/.
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "share" / "gdal-plugin-zarr")]

from zarr_checks.shown import shown  # noqa: E402  (in the folders that joined the path above)

TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")
TIME_ITEM = re.compile(r"DIM_(.+)_TIME")
INDEX_ITEM = re.compile(r"DIM_(.+)_INDEX")
SUBDATASET = re.compile(r'ZARR:"([^"]*)":(/.*)')
SECOND = datetime.timedelta(seconds=1)
LAST = datetime.datetime(9999, 12, 31, 23, 59, 59)  # last time that QGIS and Python have
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters that XML lacks
MOST_BOUNDS = 1 << 20  # bounds of time steps that are read
UNITS = {"d": 86400, "day": 86400, "h": 3600, "hr": 3600, "hour": 3600, "min": 60, "minute": 60, "s": 1, "sec": 1,
         "second": 1}  # fmt: skip
VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
SAMPLED_BANDS = 8
SAMPLED_SIDE = 512  # sample() reads at most this number of rows and columns of a band


class Failure(Exception):
    """Error whose text says why no layer definition is written."""


class Step:
    """Time step of a cube: a band and its time range, from `begin` until before `end`."""

    def __init__(self, band, begin, value):
        self.band, self.begin, self.value, self.end = band, begin, value, None

    def range_of_layer(self, is_first):
        """Returns (begin, end) of the layer that shows only this time step. QGIS 3.22 also shows a layer whose
        range only touches the current frame, so the range is one second shorter at each end. The first layer
        begins exactly at its time, because QGIS counts frames from there."""
        begin = self.begin if is_first else later(self.begin, SECOND)
        end = self.end - SECOND
        return (begin, end) if begin < end else (self.begin, self.begin)


# Functions that read the times of bands


def parse_time(text):
    """Converts a time of the driver, such as 2020-01-31T00:00:00Z, to a datetime. Returns None if QGIS cannot
    show the time."""
    match = TIME.match(text or "")
    try:
        return datetime.datetime(*map(int, match.groups())) if match else None
    except ValueError:  # some calendars have February 30
        return None


def later(time, step):
    """Returns `time + step`, but at most the last time."""
    return time + step if step <= LAST - time else LAST


def end_of_last_step(earlier, time):
    """Returns the end of the last time step, which begins at `time`. This step is as long as the previous step, which
    begins at `earlier`. If `time` and `earlier` are at the same day of the month and time of day, the length is a whole
    number of months."""
    months = 12 * (time.year - earlier.year) + time.month - earlier.month
    if months <= 0 or earlier.replace(year=time.year, month=time.month, day=1) != time.replace(day=1):
        return later(time, time - earlier)
    if earlier.day != time.day:
        return later(time, time - earlier)
    year, month = divmod(12 * time.year + time.month - 1 + months, 12)
    if year > LAST.year:
        return LAST
    return time.replace(year=year, month=month + 1, day=min(time.day, calendar.monthrange(year, month + 1)[1]))


def set_ends(steps):
    """Sets the end of each time step to the begin of the next. A single time step lasts a day."""
    begins = sorted({step.begin for step in steps})
    ends = dict(zip(begins, begins[1:]))
    if len(begins) > 1:
        ends[begins[-1]] = end_of_last_step(*begins[-2:])
    else:
        ends[begins[0]] = later(begins[0], datetime.timedelta(days=1))
    for step in steps:
        step.end = ends[step.begin]


def read_bounds(dataset, name, store, indexes):
    """Returns the bounds of a time coordinate at `indexes` (CF conventions, "Cell boundaries"), or None if there are
    none. Reads only the bounds between the smallest and the largest index."""
    group = gdal.OpenEx(store, gdal.OF_MULTIDIM_RASTER)
    root = group.GetRootGroup() if group else None
    array = root.OpenMDArrayFromFullname(dataset.GetMetadataItem("ARRAY", "ZARR")) if root else None
    for dimension in array.GetDimensions() if array else []:
        variable = dimension.GetIndexingVariable() if dimension.GetName() == name else None
        for attribute in variable.GetAttributes() if variable else []:
            if attribute.GetName() == "bounds":
                folder = os.path.dirname(variable.GetFullName()).rstrip("/")
                bounds = root.OpenMDArrayFromFullname(f"{folder}/{attribute.ReadAsString()}")
                return read_rows(bounds, dimension.GetSize(), indexes) if bounds else None
    return None


def read_rows(bounds, count, indexes):
    """Returns the rows `indexes` of an array of `count` pairs of numbers, or None if the array is another one."""
    first, last = min(indexes), max(indexes)
    is_number = bounds.GetDataType().GetClass() == gdal.GEDTC_NUMERIC
    sizes = [dimension.GetSize() for dimension in bounds.GetDimensions()]
    if not is_number or sizes != [count, 2] or not 0 <= first <= last < count or last - first >= MOST_BOUNDS:
        return None
    values = bounds.ReadAsArray(array_start_idx=[first, 0], count=[last - first + 1, 2])
    if values is None or values.dtype.kind not in "iuf":
        return None
    return values.astype("f8")[np.asarray(indexes) - first]


def set_bounds(steps, dataset, name, store):
    """Sets begin and end of each time step to the bounds of the time coordinate. Returns False if there are no
    bounds, or if they are no times that QGIS can show."""
    items = [dataset.GetRasterBand(step.band).GetMetadata() for step in steps]
    unit = items[0].get(f"DIM_{name}_UNIT", "").partition(" ")[0]
    seconds = UNITS.get(unit.lower()) or UNITS.get(unit.lower().rstrip("s"))
    indexes = [number_in(each.get(f"DIM_{name}_INDEX")) for each in items]
    if not seconds or not all(map(math.isfinite, indexes)):
        return False
    bounds = read_bounds(dataset, name, store, [int(index) for index in indexes])
    if bounds is None or not np.isfinite(bounds).all():
        return False
    ranges = []
    for step, pair in zip(steps, bounds):
        offsets = sorted(float(each) - step.value for each in pair)
        try:
            ranges.append([step.begin + datetime.timedelta(seconds=round(each * seconds)) for each in offsets])
        except (OverflowError, ValueError):  # a time before the year 1 or after 9999, or no number
            return False
    for step, (begin, end) in zip(steps, ranges):
        step.begin, step.end = begin, end
    return True


def number_in(text):
    """Returns the number that `text` states, or NaN."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def read_steps(dataset, store):
    """Returns the time steps of a raster, or an empty list if it has no times. Along other dimensions, such as
    levels, only bands at the first index are used."""
    steps, first, name = [], None, None
    for number in range(1, dataset.RasterCount + 1):
        items = dataset.GetRasterBand(number).GetMetadata()
        names = [match[1] for match in map(TIME_ITEM.fullmatch, items) if match]
        if not names:
            continue
        name = names[0]
        others = {key: value for key, value in items.items()
                  if INDEX_ITEM.fullmatch(key) and key != f"DIM_{name}_INDEX"}  # fmt: skip
        first = others if first is None else first
        begin = parse_time(items[f"DIM_{name}_TIME"])
        if others == first and begin:
            steps.append(Step(number, begin, number_in(items.get(f"DIM_{name}_VALUE", "0"))))
    if steps and not set_bounds(steps, dataset, name, store):
        set_ends(steps)
    return steps


# Functions that make the styles of layers


def limits(dataset, bands):
    """Returns (minimum, maximum) of the colour ramp. If all bands have statistics, these are the minimum and the
    maximum of all bands. Otherwise they are the 2nd and the 98th percentile of sample() of some bands."""
    stated = [(band.GetMetadataItem("STATISTICS_MINIMUM"), band.GetMetadataItem("STATISTICS_MAXIMUM"))
              for band in map(dataset.GetRasterBand, bands)]  # fmt: skip
    stated = [(number_in(low), number_in(high)) for low, high in stated]
    if all(math.isfinite(low) and math.isfinite(high) for low, high in stated):
        low, high = min(low for low, _ in stated), max(high for _, high in stated)
    else:
        chosen = bands[:: -(-len(bands) // SAMPLED_BANDS)]
        values = np.concatenate([sample(dataset.GetRasterBand(number)) for number in chosen])
        low, high = np.percentile(values, (2, 98)) if values.size else (0.0, 1.0)
    return float(low), float(high) if high > low else float(low) + 1


def sample(band):
    """Returns an array of scaled values of a band, without nodata and infinite values. The values come from an
    overview. If the band has no overview, they come from the middle of the band."""
    width, height = band.XSize, band.YSize
    buffer = {"buf_xsize": min(width, SAMPLED_SIDE), "buf_ysize": min(height, SAMPLED_SIDE)}
    window = (0, 0, width, height)
    if not band.GetOverviewCount():
        size = (buffer["buf_xsize"], buffer["buf_ysize"])
        window = ((width - size[0]) // 2, (height - size[1]) // 2, *size)
    values, mask = (each.ReadAsArray(*window, **buffer) for each in (band, band.GetMaskBand()))
    if values is None or mask is None:
        raise Failure("the values of a band cannot be read")
    scale, offset = band.GetScale(), band.GetOffset()
    values = values[mask != 0].astype("f8") * (1 if scale is None else scale) + (offset or 0)
    return values[np.isfinite(values)]


def renderer(dataset, band, stretch):
    """Returns the XML of a band's renderer: its colour table, or a colour ramp between the two limits
    `stretch`."""
    raster = dataset.GetRasterBand(band)
    table = raster.GetColorTable() if raster.GetColorInterpretation() == gdal.GCI_PaletteIndex else None
    words = {"opacity": "1", "alphaBand": "-1", "band": str(band)}
    if table:
        element = ET.Element("rasterrenderer", type="paletted", **words)
        classes, names = ET.SubElement(element, "colorPalette"), raster.GetCategoryNames() or []
        for value in range(table.GetCount()):
            red, green, blue, alpha = table.GetColorEntry(value)
            label = names[value] if value < len(names) and names[value] else str(value)
            if value < len(names) or alpha:
                ET.SubElement(classes, "paletteEntry", value=str(value), color=f"#{red:02x}{green:02x}{blue:02x}",
                              alpha=str(alpha), label=label)  # fmt: skip
        return element
    low, high = stretch
    element = ET.Element("rasterrenderer", type="singlebandpseudocolor", classificationMin=repr(low),
                         classificationMax=repr(high), **words)  # fmt: skip
    ramp = ET.SubElement(ET.SubElement(element, "rastershader"), "colorrampshader", colorRampType="INTERPOLATED",
                         classificationMode="1", clip="0", minimumValue=repr(low), maximumValue=repr(high))  # fmt: skip
    for value, colour in zip(np.linspace(low, high, len(VIRIDIS)), VIRIDIS):
        ET.SubElement(ramp, "item", value=repr(float(value)), color=colour, alpha="255",
                      label=f"{value:.4g} {raster.GetUnitType()}".rstrip())  # fmt: skip
    return element


# Functions that make layer definitions


def text_of(time):
    return f"{time.isoformat(timespec='seconds')}Z"


def temporal(steps, per_band, is_first):
    """Returns the XML of a layer's temporal properties. If `per_band`, each band has a time range, which QGIS
    supports since 3.38. Otherwise the layer has the time range of a single time step."""
    mode = "3" if per_band else "0"
    element = ET.Element("temporal", mode=mode, fetchMode="0", enabled="1", bandNumber="1")
    if per_band:
        ranges = ET.SubElement(element, "ranges")
        for step in steps:
            ET.SubElement(ranges, "range", band=str(step.band), begin=text_of(step.begin), end=text_of(step.end),
                          includeBeginning="1", includeEnd="0")  # fmt: skip
        return element
    fixed = ET.SubElement(element, "fixedRange")
    for key, time in zip(("start", "end"), steps[0].range_of_layer(is_first)):
        ET.SubElement(fixed, key).text = text_of(time)
    return element


class Cube:
    """Raster whose bands have times. `source` is the name by which QGIS opens it."""

    def __init__(self, dataset, source, node, name, steps):
        self.dataset, self.source, self.node, self.name, self.steps = dataset, source, node, name, steps
        self.limits = limits(dataset, [step.band for step in steps])

    def _add_style(self, layer, steps, per_band):
        layer.append(temporal(steps, per_band, steps[0].begin == min(step.begin for step in self.steps)))
        ET.SubElement(layer, "pipe").append(renderer(self.dataset, steps[0].band, self.limits))

    def style(self):
        document = ET.Element("qgis", version="3.38", styleCategories="AllStyleCategories")
        self._add_style(document, self.steps, True)
        return document

    def layer(self, identifier, name, steps, per_band):
        layer = ET.Element("maplayer", type="raster")
        for key, value in (("id", identifier), ("datasource", self.source), ("layername", name), ("provider", "gdal")):
            ET.SubElement(layer, key).text = value
        crs = self.dataset.GetSpatialRef()
        if crs:
            stated = ET.SubElement(ET.SubElement(layer, "srs"), "spatialrefsys", nativeFormat="Wkt")
            ET.SubElement(stated, "wkt").text = crs.ExportToWkt(["FORMAT=WKT2_2019"])
            if crs.GetAuthorityName(None):
                name = f"{crs.GetAuthorityName(None)}:{crs.GetAuthorityCode(None)}"
                ET.SubElement(stated, "authid").text = name
        self._add_style(layer, steps, per_band)
        return layer

    def step_names(self):
        midnight = all(step.begin.time() == datetime.time() for step in self.steps)
        return [str(step.begin.date() if midnight else step.begin) for step in self.steps]


def definition(cubes, one_layer):
    """Returns the layer definition as XML. For each cube it has a group with a layer for each time step; with
    `one_layer`, it has only one layer for each cube."""
    document = ET.Element("qlr")
    checked = {"checked": "Qt::Checked", "expanded": "0"}
    tree = ET.SubElement(document, "layer-tree-group", name="", **checked)
    layers = ET.SubElement(document, "maplayers")
    for number, cube in enumerate(cubes):
        parts = [(cube.name, cube.steps)]
        group = tree
        if not one_layer:
            parts = [(name, [step]) for name, step in zip(cube.step_names(), cube.steps)]
            group = ET.SubElement(tree, "layer-tree-group", name=cube.name, **checked)
        for index, (name, steps) in enumerate(parts):
            identifier = f"zarr_{number}_{index}"
            ET.SubElement(group, "layer-tree-layer", id=identifier, name=name, providerKey="gdal", source=cube.source,
                          **checked)  # fmt: skip
            layers.append(cube.layer(identifier, name, steps, one_layer))
    return document


def write(document, kind, path):
    """Writes a file beside `path` that then takes its place. A link at `path` is replaced, not followed."""
    ET.indent(document)
    text = f"<!DOCTYPE {kind}>\n{ET.tostring(document, 'unicode')}\n"
    if NO_XML.search(text):
        raise Failure("a name in the store has control characters, which a layer definition cannot have")
    descriptor, staging = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(staging, 0o666 & ~mask)
        os.replace(staging, path)
    except BaseException:
        os.unlink(staging)
        raise
    print(shown(str(path)))


# Functions that open stores and make their names


def split(name):
    """Returns (path of the store, path of the array) of a dataset name. The path of the array is empty if the
    name is that of a store."""
    match = SUBDATASET.fullmatch(name)
    return match.groups() if match else (name, "")


def source_of(name, folder):
    """Returns the name by which QGIS opens a raster. A local path is relative to `folder`, so that the store
    and the layer definition can be moved together."""
    path, node = split(name)
    if not os.path.exists(path):
        return name
    if not os.path.isdir(path) or ":" in node:
        return name.replace(path, os.path.abspath(path), 1)
    relative = pathlib.PurePath(os.path.relpath(path, folder) + node).as_posix()
    return relative if relative.startswith("../") else f"./{relative}"


def open_cubes(store, folder):
    """Returns the cubes of a store: its rasters with times. `folder` is the folder of the layer definition."""
    path = split(store)[0]
    if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
        raise Failure(f"{store} is neither a folder nor a file")  # opening a pipe could wait forever
    dataset = gdal.OpenEx(store, gdal.OF_RASTER, allowed_drivers=["Zarr"])
    if dataset is None:
        raise Failure(f"{store} is not a Zarr store")
    cubes = []
    for name in [name for name, _ in dataset.GetSubDatasets()] or [store]:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["Zarr"])
        steps = read_steps(dataset, path) if dataset and dataset.GetMetadataItem("ARRAY", "ZARR") else []
        if steps:
            cubes.append(Cube(dataset, source_of(name, folder), split(name)[1], stem(name), steps))
    return cubes


def stem(name):
    """Returns the array's name in a dataset name. If `name` names a store, returns the store's file name
    without .zarr and .zip."""
    path, node = split(name)
    return node.strip("/") or re.sub(r"(\.zarr)?(\.zip)?$", "", os.path.basename(path.rstrip("/"))) or "store"


def style_of(store, cubes):
    """Returns the path of the style that QGIS loads when a user drops the store on the map. Returns None if the
    store is not a local folder, or has several cubes."""
    if not os.path.isdir(store) or len(cubes) != 1 or cubes[0].node:
        return None
    return pathlib.Path(os.path.abspath(store)).with_suffix(".qml")


def make(store, output, one_layer, overwrite):
    path = split(store)[0]
    folder = pathlib.Path(path).absolute().parent if os.path.exists(path) else pathlib.Path()
    output = pathlib.Path(output) if output else folder / f"{re.sub('[^0-9A-Za-z_.-]+', '_', stem(store))}.qlr"
    if os.path.lexists(output) and not overwrite:
        raise Failure(f"{output} already exists; --overwrite replaces it")
    cubes = open_cubes(store, output.resolve().parent)
    if not cubes:
        raise Failure(f"{store} has no raster with times that QGIS can show")
    write(definition(cubes, one_layer), "qgis-layer-definition", output)
    style = style_of(store, cubes)
    if style and os.path.lexists(style) and not overwrite:
        print(shown(f"{style} already exists and is kept; --overwrite replaces it"))
    elif style:
        write(cubes[0].style(), "qgis", style)


def main(words):
    gdal.DontUseExceptions()
    options = argparse.ArgumentParser(
        prog="zarr_qgis", description="Writes STORE.qlr, a layer definition by which QGIS's temporal controller "
        "shows the times of a cube, and STORE.qml, the style that QGIS gives the store when it is dropped.")  # fmt: skip
    options.add_argument("store", help='a folder, a zip file, a URL, or one array as ZARR:"store":/array')
    options.add_argument("-o", "--output", metavar="FILE.qlr", help="default: beside a local store, else here")
    options.add_argument("--one-layer", action="store_true",
                         help="one layer for each array, for QGIS 3.38 and later; by default each time is a layer")  # fmt: skip
    options.add_argument("--overwrite", action="store_true", help="replace files that exist")
    given = options.parse_args(words)
    try:
        make(given.store, given.output, given.one_layer, given.overwrite)
    except (Failure, OSError) as failure:
        print(shown(f"zarr_qgis: {failure}"), file=sys.stderr)
        return 1
    except Exception as failure:  # stores of strangers may have anything anywhere
        print(shown(f"zarr_qgis: {given.store}: cannot be shown: {type(failure).__name__}: {failure}"), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
