# SPDX-License-Identifier: MIT
"""Measures the time and memory for opening stores with many arrays, groups or chunks. Both must grow no faster than the
number of arrays, groups or chunks."""

import itertools
import json
import os

from memory import spent
from measuring import BUILTIN, OURS, Fact, Row, at_most, faster, open_with, take_turns, timed
from osgeo import gdal
from samples import kept

ROUNDS = 5


def make(count):
    """Returns a function that writes the documents of a v2 group with `count` arrays without chunks. Each array has
    attributes of its own."""
    array = {
        "zarr_format": 2, "shape": [512, 512], "chunks": [256, 256], "dtype": "<f4",
        "compressor": None, "fill_value": 0, "order": "C", "filters": None,
    }  # fmt: skip

    def write(home):
        metadata = {".zgroup": {"zarr_format": 2}, ".zattrs": {}}
        for i in range(count):
            group = f"group{i // 100:03}"
            metadata[f"{group}/.zgroup"] = {"zarr_format": 2}
            own = {**array, "shape": [512 + i, 512]}
            metadata[f"{group}/band{i:05}/.zarray"] = own
            metadata[f"{group}/band{i:05}/.zattrs"] = {
                "_ARRAY_DIMENSIONS": [f"y{i}", f"x{i}"],
                "long_name": f"band number {i}",
                "history": "made for a measurement, " * 10,
            }
        for key, document in metadata.items():
            path = home / "many.zarr" / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document), encoding="utf-8")
        consolidated = {"zarr_consolidated_format": 1, "metadata": metadata}
        text = json.dumps(consolidated, indent=4)
        (home / "many.zarr" / ".zmetadata").write_text(text, encoding="utf-8")

    return write


def make_version_3(groups, arrays):
    """Returns a function that writes a v3 store with consolidated metadata only. The root has `groups` groups with
    `arrays` arrays each."""
    array = {
        "zarr_format": 3, "node_type": "array", "shape": [512, 512], "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [256, 256]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }  # fmt: skip
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}

    def write(home):
        metadata = {}
        for i, j in itertools.product(range(groups), range(arrays)):
            metadata.setdefault(f"group{i:05}", group)
            metadata[f"group{i:05}/band{j:06}"] = {
                **array,
                "attributes": {"long_name": f"band number {j}", "history": "measured, " * 10},
                "dimension_names": [f"y{j}", f"x{j}"],
            }
        consolidated = {"kind": "inline", "must_understand": False, "metadata": metadata}
        text = json.dumps({**group, "consolidated_metadata": consolidated}, indent=2)
        (home / "many.zarr").mkdir()
        (home / "many.zarr" / "zarr.json").write_text(text, encoding="utf-8")

    return write


def make_chunks(count):
    """Returns a function that writes an array of `count` stored chunks, which are hard links to a few files."""
    links = 60000
    document = {
        "zarr_format": 2, "shape": [16 * count, 16], "chunks": [16, 16], "dtype": "<u1",
        "compressor": None, "fill_value": 0, "order": "C", "filters": None,
    }  # fmt: skip

    def write(home):
        array = home / "many.zarr"
        array.mkdir()
        (array / ".zarray").write_text(json.dumps(document), encoding="utf-8")
        for i in range(count):
            if i % links == 0:
                (array / f"{i}.0").write_bytes(bytes(range(256)))
            else:
                os.link(array / f"{i - i % links}.0", array / f"{i}.0")

    return write


LIST = "assert len(gdal.Open({path!r}).GetSubDatasets()) >= {count}"
DESCRIBE = "gdal.MultiDimInfo(gdal.OpenEx({path!r}, gdal.OF_MULTIDIM_RASTER))"
ONE_PIXEL = (
    "d = gdal.Open({path!r}); assert d.ReadRaster(3, d.RasterYSize - 14, 1, 1) == b'\\x23'; "
    "gdal.Info(d)"
)


def growth(setting):
    """For each kind of store, yields seconds and MB for opening it, and the ratio of the seconds to linear growth: ten
    times the seconds of a store of a tenth of the size."""
    shrink, rounds = (100, 1) if setting.small else (1, min(3, setting.rounds))
    # For each task: action, kind and number of objects, function that makes the store, Python code to measure, allowed
    # seconds, allowed MB.
    tasks = (
        ("list", "arrays of v2", 100_000, make, LIST, 12, 450),
        ("list", "arrays of v3", 100_000, lambda n: make_version_3(1, n), LIST, 20, 600),
        ("list", "groups of v3", 10_000, lambda n: make_version_3(n, 1), LIST, 3, 100),
        ("describe", "arrays of v2", 10_000, make, DESCRIBE, 10, 100),
        ("describe", "arrays of v3", 10_000, lambda n: make_version_3(1, n), DESCRIBE, 15, 100),
        ("describe", "groups of v3", 10_000, lambda n: make_version_3(n, 1), DESCRIBE, 15, 150),
        ("gdalinfo and a pixel,", "chunks", 1_000_000, make_chunks, ONE_PIXEL, 0.1, 10),
    )
    for verb, things, count, maker, action, seconds, megabytes in tasks:
        taken = {}
        for n in (count // shrink // 10, count // shrink):
            name = f"{things.replace(' of ', '-')}-{n}"
            path = str(kept(setting.data, name, maker(n)) / "many.zarr")
            runs = [spent(action.format(path=path, count=n)) for _ in range(rounds)]
            taken[n] = [min(each) for each in zip(*runs)]
        (few, _, _), (many, _, held) = taken.values()
        title = f"{verb} {count // shrink} {things}"
        yield Fact(f"s: {title}", many, seconds)
        yield Fact(f"MB: {title}", held, megabytes)
        yield Fact(f"s: {title} / (10 x a tenth of them)", many / few / 10, 1.5)


def listing(driver, path, count):
    def run():
        dataset = open_with(driver, path)
        found = dataset.GetSubDatasets()
        assert len(found) >= count, (driver, len(found))

    return timed(run)


def one_array(driver, path, name):
    return timed(lambda: gdal.Info(open_with(driver, f'ZARR:"{path}":/{name}')))


def measure(setting):
    counts = (100, 1000) if setting.small else (2000, 20000)
    rounds = min(ROUNDS, setting.rounds)
    homes = [str(kept(setting.data, f"many-{n}", make(n)) / "many.zarr") for n in counts]
    few, many = homes
    contenders = {
        "ours": listing(OURS, few, counts[0]),
        "builtin": listing(BUILTIN, few, counts[0]),
    }
    small = take_turns(contenders, rounds)
    yield Row(f"list {counts[0]} arrays, consolidated", small, (faster(1),))
    # The floor is linear growth: the time for the smaller store, multiplied by the ratio of the sizes.
    seconds = take_turns(
        {"ours": listing(OURS, many, counts[1]), "small": listing(OURS, few, counts[0])}, rounds
    )
    times = counts[1] / counts[0]
    seconds["floor"] = [each * times for each in seconds.pop("small")]
    yield Row(f"list {counts[1]} arrays (floor: linear)", seconds, (at_most(1.3),))
    name = "group001/band00123"
    contenders = {"ours": one_array(OURS, many, name), "builtin": one_array(BUILTIN, many, name)}
    yield Row(f"gdalinfo on one of {counts[1]}", take_turns(contenders, rounds), (faster(1),))
    yield from growth(setting)
