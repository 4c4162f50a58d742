# SPDX-License-Identifier: MIT
"""Checks rasters as GDAL opens them: CRS, geotransform, nodata value and overviews."""

import functools
import json
import math
import posixpath
import re
import shlex

import numpy as np
from osgeo import gdal, osr

from zarr_checks.layout import BEST_SIDE, dataset_name, rows_and_columns
from zarr_checks.messages import Messages

NEEDS_OVERVIEWS = 1024  # longest side in pixels above which a raster needs overviews
SAMPLE_SIDE = 256  # pixels of a sampled window along a side
MOST_CLASSES = 64  # largest number of values of integers that may be classes
EQUAL = ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS"]
CODE = re.compile(r"^[A-Za-z]+:\w+$")
URN = re.compile(r"^urn:ogc:def:crs:[\w.:]+$")
OGC_URL = re.compile(r"^https?://(?:www\.)?opengis\.net/def/crs/(\w+)/[\w.]+/(\w+)/?$")


def levels_of(store):
    """Returns (the path of the largest level of each pyramid, by the paths of its other levels; list of (group, path,
    largest level) of each level that a group's attributes name but the store lacks). Masks count as levels of the array
    that names them."""
    largest_of, absent = {}, []
    for node in list(store.nodes.values()):
        for paths in _listed(node):
            sizes, missing = {}, []
            for path in paths:
                full = _joined(node.path, path)
                arrays = _arrays_below(store, full)
                if full not in store.nodes and not arrays:
                    missing.append(path)
                sizes[full] = max((math.prod(array.shape) for array in arrays), default=0)
            largest = max(sizes, key=sizes.get, default=None)
            largest_of.update({path: largest for path in sizes if path != largest})
            absent += [(node.path, path, largest) for path in missing]
        largest_of.update({path: node.path for path in _levels_of_matrices(store, node)})
        mask = node.attributes.get("gdal_mask")
        if node.is_array and isinstance(mask, str):
            largest_of[posixpath.join(node.parent, mask)] = node.path
    return largest_of, absent


def _joined(group, path):
    """Returns the path of a node from the root. The path "." is the group itself."""
    full = posixpath.normpath(posixpath.join(group, path)).strip("/")
    return "" if full == "." else full


def base_of(store, node, largest_of):
    """Returns the raster to which an array belongs as a level or as a mask, or the array itself."""
    path = node.path
    for _ in range(2):  # the mask of a level
        at, below = path, ""
        while at and at not in largest_of:
            at, below = posixpath.dirname(at), posixpath.join(posixpath.basename(at), below).rstrip("/")
        largest = store.nodes.get(largest_of.get(at)) if at else None
        if largest is not None:
            path = largest.path if largest.is_array else posixpath.join(largest.path, below)
    return store.nodes.get(path, node)


def _levels_of_matrices(store, node):
    """Returns the paths of the smaller pyramid levels of `node`, a GeoZarr array with a tile matrix set: the arrays
    with its name in sibling groups. Empty for other nodes."""
    stated = node.attributes.get("multiscales")
    if not node.is_array or not isinstance(stated, dict) or "tile_matrix_set" not in stated:
        return set()
    above = posixpath.dirname(node.parent)
    return {other.path for other in store.nodes.values()
            if other.is_array and other.name == node.name and posixpath.dirname(other.parent) == above
            and math.prod(other.shape) < math.prod(node.shape)}  # fmt: skip


def _listed(node):
    """Yields, for each pyramid that a group's attributes describe, the list of its level paths."""
    values = [node.attributes.get("multiscales")]
    if isinstance(node.attributes.get("ome"), dict):
        values.append(node.attributes["ome"].get("multiscales"))
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("layout"), list):
            yield [level["asset"] for level in value["layout"]
                   if isinstance(level, dict) and isinstance(level.get("asset"), str)]  # fmt: skip
        for entry in value if isinstance(value, list) else []:
            levels = entry.get("datasets") if isinstance(entry, dict) else None
            if isinstance(levels, list):
                yield [level["path"] for level in levels
                       if isinstance(level, dict) and isinstance(level.get("path"), str)]  # fmt: skip


def _arrays_below(store, path):
    return [node for node in store.nodes.values()
            if node.is_array and (node.path == path or node.parent == path)]  # fmt: skip


def is_level(path, largest_of):
    while path:
        if path in largest_of:
            return True
        path = posixpath.dirname(path)
    return False


def helpers_of(store):
    """Returns the paths of all arrays that another array names as coordinates, bounds or grid mapping."""
    named = set()
    for node in store.nodes.values():
        for name in ("coordinates", "grid_mapping", "bounds", "ancillary_variables"):
            text = node.attributes.get(name)
            if isinstance(text, str):
                folder = node.parent if node.is_array else node.path
                named |= {posixpath.join(folder, word.rstrip(":")) for word in text.split()}
    return named


def check_levels(store, absent, report):
    for group, path, largest in absent:
        base = store.nodes.get(largest)
        mend = "gdaladdo -clean and gdaladdo write overviews and their list again"
        if base is not None and base.is_array and len(base.shape) > 1:
            mend = Remedy(store, base).levels_again()
        report.error("overview-level-missing", group, f"multiscales lists {path}, which is absent from the store", mend)


def check_raster(store, node, report):
    """Opens an array as a raster and reports its faults. Records the number of overviews in report.facts."""
    with Messages() as messages:
        dataset = gdal.OpenEx(dataset_name(store, node), gdal.OF_RASTER, allowed_drivers=["Zarr"])
    name = dataset_name(store, node)
    if dataset is None or dataset.RasterCount == 0:
        # Empty arrays, and arrays that are not numeric, are no rasters, so they need not open.
        if 0 not in node.shape and node.itemsize is not None:
            why = "; ".join(messages.texts) or "it has no bands"
            report.error("not-opened", node.path, f"GDAL does not open the array as a raster: {why}",
                         "see docs/errors.md for the message")
        return
    with messages:
        srs, transform = dataset.GetSpatialRef(), dataset.GetGeoTransform(can_return_null=True)
        band = dataset.GetRasterBand(1)
        sizes = [max(level.XSize, level.YSize) for level in map(band.GetOverview, range(band.GetOverviewCount()))]
        nodata = band.GetNoDataValue()
    for text in messages.texts:
        if "consolidated metadata" in text:
            continue  # check_documents() has reported this fault
        report.warning("open-warning", node.path, f"GDAL warns: {text}", "see docs/errors.md for the message")
    is_curved = bool(dataset.GetMetadata("GEOLOCATION")) or dataset.GetGCPCount() > 0
    is_image = ome_of(store, node) is not None
    is_placed_level = transform is not None and _group_that_lists(store, node) is not None
    if srs is None and not is_image and not is_placed_level and not is_curved:
        report.warning("crs-missing", node.path, "GDAL finds no CRS", f"gdal_edit.py -a_srs EPSG:CODE {shlex.quote(name)}")
    if transform is None and not is_image and not is_curved:
        report.warning("geotransform-missing", node.path, "GDAL finds no geotransform",
                       f"gdal_edit.py -a_ullr ULX ULY LRX LRY {shlex.quote(name)}")
    _check_overviews(dataset, sizes, node, report, Remedy(store, node))
    check_nodata(node, nodata, name, report)


def _group_that_lists(store, node, *others):
    """Returns the nearest group above an array that lists the array, or one of the paths `others`, as a pyramid level.
    Returns None if there is no such group."""
    path = node.path
    while path:
        path = posixpath.dirname(path)
        group = store.nodes.get(path)
        if group is not None and any(_joined(path, level) in (node.path, *others)
                                     for paths in _listed(group) for level in paths):  # fmt: skip
            return group
    return None


def ome_of(store, node):
    """Returns the OME-Zarr version of the image that lists an array as a pyramid level, or None."""
    group = _group_that_lists(store, node)
    if group is None:
        return None
    if isinstance(group.attributes.get("ome"), dict):
        return str(group.attributes["ome"].get("version"))[:3]
    stated = group.attributes.get("multiscales")
    images = [entry for entry in stated if isinstance(entry, dict)] if isinstance(stated, list) else []
    return next((str(image.get("version", "0.4")) for image in images if "axes" in image or "version" in image), None)


def copy_options(store, node):
    """Returns creation options for a copy of the array `node`. The copy has the same Zarr format, and is an OME-Zarr
    image, has shards or has pyramid levels if the array does."""
    version = ome_of(store, node)
    if version is not None:
        return f"-co PROFILE=OME -co FORMAT=ZARR_V{node.format}" + (" -co OME_VERSION=0.6" if version == "0.6" else "")
    if node.shard is not None:
        return f"-co PROFILE=CLOUD -co FORMAT=ZARR_V{node.format}"
    has_levels = _group_that_lists(store, node, node.parent) is not None
    return f"-co FORMAT=ZARR_V{node.format}" + (" -co OVERVIEWS=AUTO" if has_levels else "")


def _is_categorical(band):
    """True if pixels of a band are classes, whose averages are other classes. Integers of few values may be classes."""
    if band.GetColorTable() is not None or band.GetCategoryNames() or band.GetMetadataItem("flag_values"):
        return True
    width, height = min(band.XSize, SAMPLE_SIDE), min(band.YSize, SAMPLE_SIDE)
    values = band.ReadAsArray((band.XSize - width) // 2, (band.YSize - height) // 2, width, height)
    return values is not None and values.dtype.kind in "biu" and len(np.unique(values)) <= MOST_CLASSES


class Remedy:
    """Commands that mend a raster. A copy keeps the raster's Zarr format, profile, shards, levels and their resampling
    method."""

    def __init__(self, store, node):
        self.store, self.node = store, node
        self.name = dataset_name(store, node)

    @functools.cached_property
    def method(self):
        """The resampling method of the raster's overviews, or the method that suits its pixels."""
        with Messages():
            dataset = gdal.OpenEx(self.name, gdal.OF_RASTER, allowed_drivers=["Zarr"])
            band = dataset.GetRasterBand(1) if dataset is not None and dataset.RasterCount else None
            if band is None:
                return "average"
            levels = map(band.GetOverview, range(band.GetOverviewCount()))
            stated = next(filter(None, (level.GetMetadataItem("RESAMPLING") for level in levels)), None)
            return stated.lower() if stated else "mode" if _is_categorical(band) else "average"

    def copy(self, options=None):
        """Returns the command that copies the raster, with `options` in place of those that keep its layout."""
        options = copy_options(self.store, self.node) if options is None else options
        usual = "average" if "PROFILE" in options else "nearest"
        if ("PROFILE" in options or "OVERVIEWS" in options) and self.method != usual:
            options += f" -co OVERVIEW_RESAMPLING={self.method.upper()}"
        return f"gdal_translate -of Zarr {options} {shlex.quote(self.name)} {shlex.quote(self._new_name())}"

    def _new_name(self):
        """Returns the name of a copy. Copies of several rasters have names of their own, so that none replaces
        another."""
        rasters = [node for node in self.store.nodes.values() if node.is_array and len(node.shape) > 1
                   and node.parent == self.node.parent and "gdal_mask_flags" not in node.attributes]  # fmt: skip
        return f"NEW_{self.node.name}.zarr" if self.node.is_array and len(rasters) > 1 else "NEW.zarr"

    def other_chunks(self):
        options = copy_options(self.store, self.node)
        if "PROFILE" in options:
            return self.copy(f"{options} -co BLOCKSIZE={BEST_SIDE}")
        return self.copy(f"{options} -co BLOCKXSIZE={BEST_SIDE} -co BLOCKYSIZE={BEST_SIDE}")

    def for_cloud(self):
        return self.copy("-co PROFILE=CLOUD")

    def levels(self):
        side = max(self._sides())
        factors = [str(2**power) for power in range(1, 32) if side / 2 ** (power - 1) > 512]
        return f"gdaladdo -r {self.method} {shlex.quote(self.name)} {' '.join(factors)}"

    def levels_again(self):
        return f"gdaladdo -clean {shlex.quote(self.name)} && {self.levels()}"

    def _sides(self):
        return [self.node.shape[axis] for axis in rows_and_columns(self.node)]


def _check_overviews(dataset, sizes, node, report, remedy):
    side = max(dataset.RasterXSize, dataset.RasterYSize)
    report.facts["arrays"]["/" + node.path]["overviews"] = len(sizes)
    if side <= NEEDS_OVERVIEWS:
        return
    is_gap = any(larger > 4 * smaller + 4 for larger, smaller in zip([side, *sizes], sizes))
    if sizes and min(sizes) <= NEEDS_OVERVIEWS and not is_gap:
        return
    mend = remedy.levels()
    if not sizes:
        report.warning("overviews-missing", node.path, f"a raster of {dataset.RasterXSize} x {dataset.RasterYSize} "
                       "pixels has no overviews: a small map reads all of it", mend)
    elif min(sizes) > NEEDS_OVERVIEWS:
        report.warning("overviews-few", node.path, f"the smallest overview is {min(sizes)} pixels long: a small map "
                       "reads all of it", mend)
    else:
        report.warning("overviews-gap", node.path, "an overview is less than a quarter as long as the next larger "
                       "one", mend)


# ---------------------------------------------------------------------------------------------
# Functions that check the CRS


def check_crs(store, node, report):
    """Reports each statement of an array's CRS that disagrees with its first statement."""
    parsed = []
    for origin, text in statements(store, node):
        srs = parse(text)
        if srs is None:
            brief = text if len(text) < 60 else text[:60] + "..."
            report.error("crs-unreadable", node.path, f"{origin} is no CRS that PROJ reads: {brief}",
                         f"remove {origin}, or state it as \"EPSG:CODE\"")
        else:
            parsed.append((origin, srs))
    for origin, srs in parsed[1:]:
        if not parsed[0][1].IsSame(srs, EQUAL):
            report.error("crs-contradicts", node.path, f"{parsed[0][0]} is {parsed[0][1].GetName()}, but {origin} is "
                         f"{srs.GetName()}", f"gdal_edit.py -a_srs EPSG:CODE {shlex.quote(dataset_name(store, node))}")


def parse(text):
    """Returns the CRS that `text` describes, or None. Opens no file and sends no request."""
    text = text.strip()
    if match := OGC_URL.match(text):
        text = f"{match[1]}:{match[2]}"
    srs = osr.SpatialReference()
    with Messages():
        try:
            if CODE.match(text) or URN.match(text) or text.startswith("{"):
                failed = srs.SetFromUserInput(text)
            elif text.startswith("+proj="):
                failed = srs.ImportFromProj4(text)
            else:
                failed = srs.ImportFromWkt(text)
        except RuntimeError:
            return None
    return None if failed else srs


def statements(store, node):
    """Yields (attribute name, CRS as text) for each attribute that states the CRS of an array."""
    stated = node.attributes.get("_CRS")
    if isinstance(stated, str):
        yield "_CRS", stated
    elif isinstance(stated, dict):
        for form in ("url", "wkt", "projjson"):
            if form in stated:
                yield f"_CRS.{form}", _text(stated[form])
    mapping = node.attributes.get("grid_mapping")
    if isinstance(mapping, str) and mapping.split():
        yield from _of_grid_mapping(store, node, mapping.split()[0].rstrip(":"))
    group = store.nodes.get(node.parent)
    for where, owner in (("", node), ("group ", group)):
        if owner is None or where and owner is node:
            continue
        for name in ("proj:code", "proj:wkt2", "proj:projjson"):
            if owner.attributes.get(name) is not None:
                value = owner.attributes[name]
                yield where + name, f"EPSG:{value}" if isinstance(value, int) else _text(value)


def _of_grid_mapping(store, node, name):
    folder = node.parent
    while posixpath.join(folder, name) not in store.nodes and folder:
        folder = posixpath.dirname(folder)
    found = store.nodes.get(posixpath.join(folder, name))
    for member in ("crs_wkt", "spatial_ref") if found is not None else ():
        if isinstance(found.attributes.get(member), str):
            yield f"{name}.{member}", found.attributes[member]


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


# ---------------------------------------------------------------------------------------------
# Functions that check the nodata value


# Attributes that state nodata values, in the order of kNodataAttributes in core/metadata/fill_meaning.h. CF defines the
# first two. The driver ignores a value of the others that the data type cannot hold.
NODATA_OF_CF = ("_FillValue", "missing_value")
NODATA_ATTRIBUTES = (*NODATA_OF_CF, "fill_value", "nodata", "nodatavals")


def _numbers(value):
    """Returns the numbers that an attribute states: of `nodatavals` one for each band, of others at most one."""
    if isinstance(value, list):
        return [number for item in value if not isinstance(item, list) for number in _numbers(item)]
    if isinstance(value, str):
        try:
            value = int(value) if value.lstrip("+-").isdecimal() else float(value)
        except ValueError:
            return []  # Base64 of Zarr v3, or no number
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return [math.copysign(math.inf, value)]  # no data type of Zarr holds it, and NumPy would fail
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def _differ(a, b):
    return a != b and not (a != a and b != b)


def _stored(value, kinds):
    """Returns `value` as a number of the stored type. It may have the sign that `_Unsigned` states."""
    if not _fits(value, kinds[0]) and _fits(value, kinds[-1]):
        return int(np.array(value, kinds[-1]).astype(kinds[0]))
    return value


def check_nodata(node, nodata, name, report):
    kinds = _numpy_types(node)
    stated = [
        (key, value if not kinds else _stored(value, kinds), value)
        for key in NODATA_ATTRIBUTES for value in _numbers(node.attributes.get(key))
        if key in NODATA_OF_CF or not kinds or any(_fits(value, kind) for kind in kinds)
    ]  # fmt: skip
    mend = f"gdal_edit.py -a_nodata VALUE {shlex.quote(name)}"
    for key, stored, value in stated:
        if key != stated[0][0] and _differ(stated[0][1], stored):
            report.warning("nodata-contradicts", node.path, f"{stated[0][0]} is {stated[0][2]}, but {key} is {value}",
                           mend)
            break
    for key, stored, value in stated:
        if kinds and not _fits(stored, kinds[0]):
            report.error("nodata-out-of-range", node.path, f"{key} is {value}, which {kinds[0].name} cannot hold", mend)
    if nodata is None and kinds and kinds[0].kind == "f":
        report.note("nodata-missing", node.path, "no nodata value is stated for real numbers", mend)


def _numpy_types(node):
    """Returns the stored type, and the type of the sign that `_Unsigned` states. Empty for types without numbers."""
    try:
        kind = np.dtype(node.type)
    except TypeError:
        return []
    if kind.kind not in "iuf":
        return []
    signs = {"true": "u", "false": "i"}
    sign = signs.get(str(node.attributes.get("_Unsigned")).lower())
    return [kind, np.dtype(f"{sign}{kind.itemsize}")] if sign and kind.kind != "f" else [kind]


def _fits(value, kind):
    if kind.kind == "f":
        return value != value or math.isinf(value) or abs(value) <= np.finfo(kind).max
    limits = np.iinfo(kind)
    return math.isfinite(value) and float(value).is_integer() and limits.min <= value <= limits.max
