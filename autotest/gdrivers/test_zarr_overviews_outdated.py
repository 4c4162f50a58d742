# SPDX-License-Identifier: MIT
"""Overviews of pixels that other programs have changed. In a folder, changed files of chunks show this wherever they
lie. In a copied folder all times differ, which is no change."""

import os
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log
from zarr_overviews import make, sizes, update

pytestmark = zarr_formats.BOTH
SIDE, BLOCK = 320, 32  # 100 chunks; more pixels than the samples of values
LEVELS = [(160, 160), (80, 80)]
LAYOUTS = {
    "compressed": ["BLOCKSIZE=32,32"],
    "raw": ["BLOCKSIZE=32,32", "COMPRESS=NONE"],
    "cloud": ["PROFILE=CLOUD", "BLOCKSIZE=32", "OVERVIEWS=2,4"],
}


def built(store, layout):
    values = (np.arange(SIDE * SIDE).reshape(1, SIDE, SIDE) * 7 % 60001).astype("u2")
    dataset = make(store, values, "ARRAY_NAME=a", *LAYOUTS[layout])
    if layout != "cloud":
        assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    dataset = None
    assert found(store) == LEVELS
    return store


def found(store):
    """Returns the sizes of the levels, after an opening without a message, or "outdated" after the warning about it."""
    with error_log() as log:
        levels = sizes(gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER))
    assert log.errors == []
    if levels == []:
        assert log.warnings and all("was made from other values than /a" in text for text in log.warnings)
        return "outdated"
    assert log.warnings == []
    return levels


def by_zarr_python(store, y, x):
    zarr.open_group(str(store), mode="r+")["a"][y, x] = 60500


def by_other_driver(store, y, x):
    code = ("import sys, numpy as np; from osgeo import gdal; gdal.UseExceptions();"
            f"d = gdal.OpenEx(sys.argv[1], gdal.OF_UPDATE | gdal.OF_MULTIDIM_RASTER, allowed_drivers=['ZarrBuiltin']);"
            f"a = d.GetRootGroup().OpenMDArray('a'); a.Write(np.array([60500], 'u2'), [{y}, {x}], [1, 1])")  # fmt: skip
    subprocess.run([sys.executable, "-c", code, str(store)], check=True)


def in_place(store, y, x):
    """Overwrites a file without a temporary file, which leaves the time of its folder."""
    file = zarr_formats.chunk_file(store, "a", y // BLOCK, x // BLOCK)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    with open(file, "r+b") as opened:
        opened.write(data)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("y, x", [(0, 0), (7, 250), (160, 160), (319, 319)])
def test_a_pixel_of_zarr_python(tmp_path, layout, y, x):
    store = built(tmp_path / "a.zarr", layout)
    by_zarr_python(store, y, x)
    assert found(store) == "outdated"
    # gdaladdo asks for the levels before it builds them again, which needs no warning.
    done = subprocess.run(["gdaladdo", "-q", "-r", "average", array_name(store, "a"), "2", "4"], capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stderr == ""
    assert found(store) == LEVELS


@pytest.mark.parametrize("is_built", [False, True])
def test_a_warning_of_a_dataset_for_update_waits(tmp_path, is_built):
    store = built(tmp_path / "a.zarr", "compressed")
    by_zarr_python(store, 0, 0)
    with error_log() as log:
        dataset = update(array_name(store, "a"))
        assert sizes(dataset) == []
        if is_built:
            assert dataset.BuildOverviews("AVERAGE", [2]) == 0
        dataset = None
    assert log.errors == [] and (log.warnings == []) == is_built


@pytest.mark.parametrize("write", [by_other_driver, in_place])
def test_a_pixel_of_another_program(tmp_path, write):
    if write is by_other_driver and zarr_formats.is_v3():
        pytest.skip("GDAL 3.6's own driver does not write Zarr v3 that others read")
    store = built(tmp_path / "a.zarr", "raw")
    write(store, 40, 300)
    assert found(store) == "outdated"


def copied(store, new, times):
    shutil.copytree(store, new, copy_function=shutil.copy2 if times == "kept" else shutil.copy)
    for path in sorted(new.rglob("*"), reverse=times == "later") if times != "kept" else ():
        state = path.stat()
        if times == "whole":  # such as tar and rsync
            original = (store / path.relative_to(new)).stat()
            os.utime(path, (original.st_atime // 1, original.st_mtime // 1))
        elif times == "later":
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 10**9))
    return new


def unzipped(store, new):
    with zipfile.ZipFile(new.with_suffix(".zip"), "w") as archive:
        for path in store.rglob("*"):
            archive.write(path, path.relative_to(store))
    zipfile.ZipFile(new.with_suffix(".zip")).extractall(new)
    return new


def moved(store, new):
    return store.rename(new)


def cloned(store, new):
    """Commits the store to a repository and clones it."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    repository = store.parent / "repository"
    shutil.copytree(store, repository / "s.zarr")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "s"]):
        subprocess.run([*git, *words], cwd=repository, check=True)
    subprocess.run([*git, "clone", "-q", str(repository), str(store.parent / "clone")], check=True)
    return (store.parent / "clone" / "s.zarr").rename(new)


COPIES = {
    "cp -r": lambda store, new: copied(store, new, "new"),
    "cp -a": lambda store, new: copied(store, new, "kept"),
    "whole seconds": lambda store, new: copied(store, new, "whole"),
    "levels first": lambda store, new: copied(store, new, "later"),
    "unzip": unzipped,
    "git": cloned,
    "mv": moved,
    "gdalmdimtranslate": lambda store, new: gdal.MultiDimTranslate(str(new), str(store), format="Zarr") and new,
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("how", COPIES)
def test_a_copied_folder_has_not_changed(tmp_path, layout, how):
    store = built(tmp_path / "a.zarr", layout)
    new = COPIES[how](store, tmp_path / "b.zarr")
    assert found(new) == LEVELS
    # Times show later changes of a copy that has kept them, and sizes those of other copies.
    if how in ("cp -a", "mv") or (layout != "raw" and how != "gdalmdimtranslate"):
        by_zarr_python(new, 7, 250)
        assert found(new) == "outdated"



def test_changes_by_this_driver_keep_the_levels(tmp_path, cpl):
    """Metadata that changes without pixels leaves the overviews as they are."""
    store = built(tmp_path / "a.zarr", "compressed")
    for change in (lambda dataset: dataset.SetMetadataItem("title", "a"),
                   lambda dataset: dataset.GetRasterBand(1).SetNoDataValue(60900),
                   lambda dataset: dataset.SetGeoTransform((0, 1, 0, 0, 0, -1)),
                   lambda dataset: dataset.GetRasterBand(1).ComputeStatistics(False)):  # fmt: skip
        dataset = update(array_name(store, "a"))
        change(dataset)
        dataset = None
        assert found(store) == LEVELS
    by_zarr_python(store, 0, 0)
    assert found(store) == "outdated"


def test_equal_pixels_of_a_small_array_are_no_change(tmp_path):
    store = tmp_path / "a.zarr"
    values = np.arange(6400, dtype="u2").reshape(1, 80, 80)
    dataset = make(store, values, "ARRAY_NAME=a", "BLOCKSIZE=16,16")
    assert dataset.BuildOverviews("AVERAGE", [2]) == 0
    dataset = None
    array = zarr.open_group(str(store), mode="r+")["a"]
    array[:] = values[0]
    assert found(store) == [(40, 40)]
    array[79, 79] = 1
    assert found(store) == "outdated"
