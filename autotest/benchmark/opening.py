# SPDX-License-Identifier: MIT
"""Opening a consolidated store of many arrays, and one array of it."""

import json

from measuring import BUILTIN, OURS, Fact, Row, at_most, faster, open_with, take_turns, timed
from osgeo import gdal
from samples import kept

ROUNDS = 5


def make(count):
    """Writes only the documents: a group with `count` rasters, each with attributes of its own."""
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
    # The floor is the time in proportion to that of the smaller store.
    seconds = take_turns(
        {"ours": listing(OURS, many, counts[1]), "small": listing(OURS, few, counts[0])}, rounds
    )
    times = counts[1] / counts[0]
    seconds["floor"] = [each * times for each in seconds.pop("small")]
    yield Row(f"list {counts[1]} arrays (floor: linear)", seconds, (at_most(1.3),))
    name = "group001/band00123"
    contenders = {"ours": one_array(OURS, many, name), "builtin": one_array(BUILTIN, many, name)}
    yield Row(f"gdalinfo on one of {counts[1]}", take_turns(contenders, rounds), (faster(1),))
