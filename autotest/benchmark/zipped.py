# SPDX-License-Identifier: MIT
"""Measures reading a band of many chunks from a zip file, in comparison with a folder."""

import pathlib
import zipfile

import zarr
from measuring import (
    BUILTIN,
    OURS,
    Row,
    at_most,
    faster,
    open_with,
    preallocated,
    prepared,
    take_turns,
)
from readers import check_same
from samples import BLOSC_LZ4, kept, save, scene


def make(folder, size):
    save(folder / "scene.zarr", scene(size), (64, 64), BLOSC_LZ4)
    with zipfile.ZipFile(folder / "scene.zarr.zip", "w") as archive:
        for file in sorted((folder / "scene.zarr").iterdir()):
            archive.write(file, file.name)


def measure(setting):
    size = 512 if setting.small else 4096
    folder = pathlib.Path(kept(setting.data, f"zipped-{size}", lambda home: make(home, size)))
    array = zarr.open_array(str(folder / "scene.zarr"), mode="r")
    memory = preallocated(array)

    def contender(driver, path):
        return prepared(lambda: open_with(driver, str(path)), into_memory)

    def into_memory(dataset):
        dataset.GetRasterBand(1).ReadAsArray(buf_obj=memory)

    path = folder / "scene.zarr.zip"
    check_same(array[...], memory, lambda _: into_memory(open_with(OURS, str(path))), str(path))
    contenders = {
        "floor": contender(OURS, folder / "scene.zarr"),
        "ours": contender(OURS, path),
        "builtin": contender(BUILTIN, f"/vsizip/{path}"),
    }
    chunks = (size // 64) ** 2
    seconds = take_turns(contenders, min(5, setting.rounds))
    title = f"{chunks} chunks of a zip file (floor: a folder)"
    yield Row(title, seconds, (at_most(1.1), faster(1)))
