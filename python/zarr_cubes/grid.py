# SPDX-License-Identifier: MIT
"""Where rasters are: the same grid, or offsets by whole chunks in a mosaic; and what the cube says of it: grid mapping,
coordinates, levels, and the metadata that GDAL reads from the first file."""

import functools
import json
import re
from xml.sax.saxutils import escape, unescape

import numpy as np
from osgeo import gdal

from zarr_cubes.model import Array, CubeArray, Refused

TOLERANCE = 1e-3  # pixels
CONVENTION = {"description": "Multiscale layout of zarr datasets", "name": "multiscales",
              "schema_url": "https://raw.githubusercontent.com/zarr-conventions/multiscales/refs/tags/v0.1/schema.json",
              "spec_url": "https://github.com/zarr-conventions/multiscales/blob/v0.1/README.md",
              "uuid": "d35379db-88df-4056-af3a-620245f8e347"}  # fmt: skip
KEYS = {1024: "GTModelTypeGeoKey", 1025: "GTRasterTypeGeoKey", 2048: "GeographicTypeGeoKey", 2054: "GeogAngularUnitsGeoKey",
        3072: "ProjectedCSTypeGeoKey", 3076: "ProjLinearUnitsGeoKey"}  # fmt: skip
MOST_COLOUR_BANDS = 64
MOST_PIXELS = (1 << 31) - 1  # along an axis, as in GDAL
MOST_COORDINATES = 1 << 22  # a longer axis has a geotransform alone
# Attributes that mean something to readers of CF or of this driver. A metadata item of a file may have such a name.
RESERVED = {"_FillValue", "missing_value", "scale_factor", "add_offset", "units", "calendar", "valid_min", "valid_max", "valid_range",
            "flag_values", "flag_masks", "flag_meanings", "_Unsigned", "coordinates", "grid_mapping", "bounds", "dtype",
            "_ARRAY_DIMENSIONS", "scales", "offsets", "long_name", "standard_name", "axis", "gdal_pam"}  # fmt: skip


def size_of(array):
    sizes = dict(zip(array.dims, array.shape))
    return sizes["y"], sizes["x"]


def same(sources):
    """Checks that all sources have one grid. Returns the offset (0, 0) for each."""
    first = sources[0]
    check_crs(sources)
    for source in sources[1:]:
        for path, array in source.arrays.items():
            one, other = size_of(first.arrays[path]), size_of(array)
            if one != other:
                raise Refused(f"{first.name} and {source.name} have another size: {one[1]} x {one[0]} and {other[1]} x "
                              f"{other[0]} pixels; gdalwarp -te -ts makes files of one grid")  # fmt: skip
        if not equal_place(first, source):
            raise Refused(f"{first.name} and {source.name} have another geotransform: {first.place[0]} and "
                          f"{source.place[0]}; --join mosaic joins files that lie beside each other")  # fmt: skip
    return [dict.fromkeys(source.arrays, (0, 0)) for source in sources]


def equal_place(first, source):
    one, other = first.place[0], source.place[0]
    if one is None or other is None or one == other:
        return one == other
    height, width = size_of(next(iter(first.arrays.values())))
    return all(np.allclose(pixel(one, *at, one), pixel(other, *at, one), rtol=0, atol=TOLERANCE)
               for at in ((0, 0), (width, height)))  # fmt: skip


def pixel(transform, x, y, of):
    """Returns the column and row in the grid `of` of the point (x, y) of the grid `transform`."""
    to = np.array([[of[1], of[2]], [of[4], of[5]]])
    at = np.array([transform[0] + x * transform[1] + y * transform[2] - of[0],
                   transform[3] + x * transform[4] + y * transform[5] - of[3]])  # fmt: skip
    if np.linalg.det(to) == 0:
        return at
    return np.linalg.solve(to, at)


def crs_of(source):
    dataset = opened(source.name)
    return dataset.GetSpatialRef()


def opened(name):
    """Opens a TIFF file with GDAL's driver, without files beside it."""
    before = gdal.GetThreadLocalConfigOption("GDAL_PAM_ENABLED") if hasattr(gdal, "GetThreadLocalConfigOption") else None
    gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO") if hasattr(gdal, "SetThreadLocalConfigOption") else None
    try:
        dataset = gdal.OpenEx(name, gdal.OF_RASTER, allowed_drivers=["GTiff"], open_options=["GEOREF_SOURCES=INTERNAL"])
    finally:
        if hasattr(gdal, "SetThreadLocalConfigOption"):
            gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", before)
    if dataset is None:
        raise Refused(f"{name}: GDAL cannot open it: {gdal.GetLastErrorMsg()}")
    return dataset


def check_crs(sources):
    """Equal GeoKeys mean one CRS. Files with other GeoKeys are compared by GDAL, once for each form of the GeoKeys."""
    first = sources[0]
    alike = {first.place[1]}
    for source in sources[1:]:
        if source.place[1] in alike:
            continue
        one, other = crs_of(first), crs_of(source)
        if one is None and other is None or one is not None and other is not None and one.IsSame(other):
            alike.add(source.place[1])
            continue
        names = [crs.GetName() if crs is not None else "none" for crs in (one, other)]
        raise Refused(f"{first.name} and {source.name} have another CRS: {names[0]} and {names[1]}; gdalwarp -t_srs makes "
                      "files of one CRS")  # fmt: skip


def mosaic(sources):
    """Returns the offset in chunks of each source by path, and (height, width) of the mosaic by path."""
    first = sources[0]
    check_crs(sources)
    at = []
    for source in sources:
        one, other = first.place[0], source.place[0]
        if other is None:
            raise Refused(f"{source.name}: no geotransform, so that its place in a mosaic is unknown")
        if one is None or not np.allclose(np.array(one)[[1, 2, 4, 5]], np.array(other)[[1, 2, 4, 5]], rtol=1e-9):
            raise Refused(f"{first.name} and {source.name} have other pixel sizes")
        place = pixel(other, 0, 0, one)
        if np.abs(place - np.round(place)).max() > TOLERANCE:
            raise Refused(f"{first.name} and {source.name} differ by {place[0]:.3f} x {place[1]:.3f} pixels, no whole number; "
                          "gdalwarp -tap makes files of one grid")  # fmt: skip
        at.append(np.round(place).astype(int)[::-1])
    at = np.array(at) - np.min(at, axis=0)
    offsets, shape = [{} for _ in sources], {}
    for path in list(first.arrays):
        level_places(path, sources, at, offsets, shape)
    return offsets, shape


def level_places(path, sources, at, offsets, shape):
    base = next(iter(sources[0].arrays))
    ends = np.array([size_of(source.arrays[base]) for source in sources]) + at
    whole = ends.max(axis=0)
    if whole.max() > MOST_PIXELS:
        farthest = sources[int(ends.max(axis=1).argmax())]
        raise Refused(f"{farthest.name}: with it the mosaic has {whole[1]} x {whole[0]} pixels, more than a raster can have")
    ratio = np.round(np.array(size_of(sources[0].arrays[base])) / size_of(sources[0].arrays[path])).astype(int)
    chunks = dict(zip(sources[0].arrays[path].dims, sources[0].arrays[path].chunks))
    chunk = np.array([chunks["y"], chunks["x"]])
    shape[path] = tuple(int(n) for n in -(-whole // ratio))
    for source, place, offset in zip(sources, at, offsets):
        start, size = place / ratio, np.array(size_of(source.arrays[path]))
        is_end = start + size >= np.array(shape[path]) - 0.5
        if np.any(start % chunk) or np.any((size % chunk != 0) & ~is_end):
            raise Refused(f"{source.name}: it lies at {start[1]:g} x {start[0]:g} pixels of {path}, with {size[1]} x {size[0]} "
                          f"pixels, and the tiles have {chunk[1]} x {chunk[0]}; a mosaic needs whole tiles"
                          + ("" if path == base else "; --no-overviews makes one without overviews"))  # fmt: skip
        offset[path] = tuple(int(n) for n in start // chunk)


# ---------------------------------------------------------------------------------------------
# What the cube says


def coordinate(name, values, attrs, chunk=None):
    spec = Array((name,), (len(values),), (chunk or max(len(values), 1),), values.dtype.str, attrs=dict(attrs))
    return CubeArray(spec, values=values)


def describe(cube, sources, offsets, shape, options, band_sources):
    """Adds dimension names, grid mapping, coordinates, levels and metadata to the cube."""
    first = sources[0]
    dataset = opened(first.name)
    crs = dataset.GetSpatialRef()
    transform = first.place[0]
    if transform is not None and shape is not None:
        transform = moved(transform, first, offsets[0])
    base = next(path for path in cube.arrays if cube.arrays[path].pieces)
    facts = facts_of(cube, dataset, sources, band_sources, base)
    extra = {}
    sample = written_by_driver(crs, transform)
    height, width = size_of(cube.arrays[base].spec)
    for path in [path for path in cube.arrays if cube.arrays[path].pieces]:
        spec = cube.arrays[path].spec
        spec.dims = tuple(cube.dimension if name == "step" else name for name in spec.dims)
        spec.attrs = {**facts, **({"grid_mapping": "spatial_ref", "coordinates": "spatial_ref"} if sample else {})}
        if spec.fill is not None:
            spec.attrs["_FillValue"] = spec.fill
        prefix = path.rpartition("/")[0]
        cube.groups.setdefault(prefix, {})
        prefix += "/" if prefix else ""
        rows, columns = size_of(spec)
        extra.update(position(prefix, sample, transform, (rows, columns), (height / rows, width / columns), keys_of(first)))
        if prefix and cube.dimension:
            extra[prefix + cube.dimension] = cube.arrays[cube.dimension]
    cube.arrays.update(extra)
    levels(cube, base)
    cube.lines.append(f"array {base}: {dict(zip(cube.arrays[base].spec.dims, cube.arrays[base].spec.shape))}, "
                      f"chunks {cube.arrays[base].spec.chunks}, {cube.arrays[base].spec.dtype}")  # fmt: skip


def moved(transform, source, offset):
    path = next(iter(source.arrays))
    chunks = dict(zip(source.arrays[path].dims, source.arrays[path].chunks))
    y, x = (offset[path][i] * chunks[name] for i, name in enumerate("yx"))
    t = transform
    return [t[0] - x * t[1] - y * t[2], *t[1:3], t[3] - x * t[4] - y * t[5], *t[4:]]


def keys_of(source):
    words = json.loads(source.place[1])[0] if source.place else []
    rows = [words[i : i + 4] for i in range(4, len(words) - 3, 4)]
    return {KEYS[row[0]]: row[3] for row in rows if row[1] == 0 and row[0] in KEYS}


def has_driver():
    """True if GDAL has loaded this driver, not only its own driver of the same name."""
    driver = gdal.GetDriverByName("Zarr")
    return driver is not None and driver.GetMetadataItem("DRIVER_VERSION") is not None


def require_driver(what):
    if not has_driver():
        raise Refused(f"{what} needs this project's driver, which GDAL has not loaded: install the plugin, or set "
                      "GDAL_DRIVER_PATH to its folder")  # fmt: skip


def written_by_driver(crs, transform):
    """Returns the attributes of the grid mapping and coordinates, by name, as this driver writes them for a small raster;
    an empty dict without a place."""
    if crs is None and transform is None:
        return {}
    small = gdal.GetDriverByName("MEM").Create("", 2, 2)
    if crs is not None:
        small.SetSpatialRef(crs)
    small.SetGeoTransform(transform or (0, 1, 0, 0, 0, 1))
    name, found = "/vsimem/zarr_cube/small.zarr", {}
    if has_driver():
        gdal.GetDriverByName("Zarr").CreateCopy(name, small, options=["FORMAT=ZARR_V2"])
        for array in ("spatial_ref", "x", "y"):
            found[array] = attributes_in(f"{name}/{array}/.zattrs")
        gdal.RmdirRecursive("/vsimem/zarr_cube")
    mapping = found.setdefault("spatial_ref", {})
    if crs is not None and "crs_wkt" not in mapping:
        mapping["crs_wkt"] = mapping["spatial_ref"] = crs.ExportToWkt(["FORMAT=WKT2_2019"])
    for text in ("GeoTransform", "_ARRAY_DIMENSIONS"):
        for attributes in found.values():
            attributes.pop(text, None)
    return found


def attributes_in(name):
    state = gdal.VSIStatL(name)
    file = gdal.VSIFOpenL(name, "rb") if state is not None else None
    if file is None:
        return {}
    try:
        return json.loads(bytes(gdal.VSIFReadL(1, state.size, file)))
    finally:
        gdal.VSIFCloseL(file)


def position(prefix, sample, transform, size, ratio, keys):
    """Returns the grid mapping and the coordinates x and y of a level."""
    if not sample:
        return {}
    attrs = {**sample["spatial_ref"], **keys}
    result = {}
    if transform is not None:
        t = [transform[0], transform[1] * ratio[1], transform[2] * ratio[0],
             transform[3], transform[4] * ratio[1], transform[5] * ratio[0]]  # fmt: skip
        attrs["GeoTransform"] = " ".join(f"{number:.17g}" for number in t)
        if t[2] == 0 and t[4] == 0 and max(size) <= MOST_COORDINATES:
            for name, start, step, number in (("x", t[0], t[1], size[1]), ("y", t[3], t[5], size[0])):
                values = start + step * (np.arange(number) + 0.5)
                result[prefix + name] = coordinate(name, values, sample.get(name, {}))
    result[prefix + "spatial_ref"] = CubeArray(Array((), (), (), "<i4", attrs=attrs), values=np.array(0, "<i4"))
    return result


def levels(cube, base):
    """States the levels as the driver does, by `multiscales` of zarr-conventions."""
    paths = sorted((path for path, array in cube.arrays.items() if array.pieces),
                   key=lambda path: -size_of(cube.arrays[path].spec)[1])  # fmt: skip
    if len(paths) < 2:
        return
    layout, last = [], None
    for path in paths:
        spec = cube.arrays[path].spec
        entry = {"asset": path.rpartition("/")[0] or path}
        sizes = dict(zip(spec.dims, spec.shape))
        if last is None:
            entry["transform"] = {"scale": [1.0] * len(spec.dims)}
        else:
            before = dict(zip(last[1].dims, last[1].shape))
            entry["derived_from"] = last[0]
            entry["transform"] = {"scale": [before[n] / sizes[n] if n in "xy" else 1.0 for n in spec.dims],
                                  "translation": [0.0] * len(spec.dims)}  # fmt: skip
        layout.append(entry)
        last = entry["asset"], spec
    cube.groups[""].update(multiscales={"layout": layout}, zarr_conventions=[CONVENTION])


def facts_of(cube, dataset, sources, band_sources, base):
    """Returns attributes of the array: metadata of the dataset and of its bands, as GDAL reads them from the file."""
    names = {name for name, _, role in differing(sources) if role is None}
    facts = {name: value for name, value in dataset.GetMetadata().items() if name not in names | RESERVED}
    if len(sources) > 1:
        facts = {name: value for name, value in facts.items() if not name.startswith("TIFFTAG_")}
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    if len(band_sources) > 1:
        held = [opened(source.name) for source in band_sources]
        bands = [one.GetRasterBand(i + 1) for one in held for i in range(one.RasterCount)]
        facts.update(band_facts(bands, [source.name for source in band_sources]))
    else:
        facts.update(band_facts(bands, None))
    interpretations = [gdal.GetColorInterpretationName(band.GetColorInterpretation()) for band in bands]
    steps = cube.arrays[cube.dimension].spec.shape[0] if cube.dimension else 1
    if set(interpretations) - {"Gray", "Undefined", "Palette"}:
        is_one = len(set(interpretations)) == 1
        facts["COLOR_INTERPRETATION"] = interpretations[0] if is_one else interpretations
    pam = pam_of(bands, len(bands) * steps)
    if pam:
        facts["gdal_pam"] = pam
    return facts


@functools.lru_cache(maxsize=1024)
def items_in(text):
    """Returns {(name, sample, role): value} of the XML in the tag GDAL_METADATA."""
    found = {}
    for attributes, value in re.findall(r"<Item ([^<>]*)>([^<]*)</Item>", text):
        words = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
        found[unescape(words.get("name", "")), words.get("sample"), words.get("role")] = value
    return found


def differing(sources):
    """Returns the keys of items_in() whose values are not equal in all files."""
    first = items_in(sources[0].notes.get("metadata", ""))
    texts = {source.notes.get("metadata", "") for source in sources}
    return {key for text in texts for key in first.keys() | items_in(text).keys() if items_in(text).get(key) != first.get(key)}


def band_facts(bands, files):
    facts = {}
    names = [band.GetDescription() for band in bands]
    if files is not None and not any(names) and len(files) == len(names):
        names = [name.rpartition("/")[2].rpartition(".")[0] for name in files]
    if any(names):
        facts["long_name"] = names if len(names) > 1 else names[0]
    for one, many, values, usual in (
        ("scale_factor", "scales", [band.GetScale() for band in bands], 1.0),
        ("add_offset", "offsets", [band.GetOffset() for band in bands], 0.0),
        ("units", "units", [band.GetUnitType() for band in bands], ""),
    ):
        values = [usual if value is None else value for value in values]
        if len(set(values)) == 1 and values[0] != usual:
            facts[one] = values[0]
        elif len(set(values)) > 1:
            facts[many] = values
    return facts


def pam_of(bands, number):
    """Returns GDAL's XML for what attributes do not have: colour tables, and the name of a single band."""
    table, name = bands[0].GetColorTable(), bands[0].GetDescription()
    text = f"<Description>{escape(name)}</Description>" if number == 1 and name else ""
    if table is not None and number <= MOST_COLOUR_BANDS:
        entry = '<Entry c1="{}" c2="{}" c3="{}" c4="{}"/>'
        entries = "".join(entry.format(*table.GetColorEntry(i)) for i in range(table.GetCount()))
        text += f"<ColorInterp>Palette</ColorInterp><ColorTable>{entries}</ColorTable>"
    shown = range(1, number + 1) if text else ()
    rasters = "".join(f'<PAMRasterBand band="{i}">{text}</PAMRasterBand>' for i in shown)
    return f"<PAMDataset>{rasters}</PAMDataset>" if rasters else ""
