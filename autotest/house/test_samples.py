# SPDX-License-Identifier: MIT
"""Each sample store of data/ equals the output of its script. Nobody has edited a store by hand, and no store is
without a script."""

import pathlib
import subprocess
import sys

import pytest
import zarr

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for store in [*folder.glob("*.zarr"), *folder.glob("*.levels")]
        for path in store.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    "folder, script, stores",
    [
        (DATA, DATA / "make_samples.py", 4),
        (DATA / "corrupt", DATA / "corrupt" / "make_corrupt.py", 19),
        (DATA / "pyramids", DATA / "make_pyramids.py", 14),
    ],
)
def test_scripts_write_the_same_bytes(folder, script, stores, tmp_path):
    # Their bytes depend on the versions of the codecs, too. Newer systems have zarr-python 3 alone.
    if script.parent == DATA and not zarr.__version__.startswith("2."):
        pytest.skip(f"the samples are written with zarr-python 2; this is {zarr.__version__}")
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, timeout=120)
    made, kept = contents(tmp_path), contents(folder)
    assert len({key.split("/")[0] for key in made}) == stores
    assert sorted(made) == sorted(kept)
    assert [key for key in made if made[key] != kept[key]] == []


def test_corrupt_stores_are_explained():
    explained = (DATA / "corrupt" / "README.md").read_text()
    stores = [path.stem for path in (DATA / "corrupt").glob("*.zarr")]
    assert stores and [name for name in stores if f"| {name} |" not in explained] == []


def test_samples_are_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 1_100_000
