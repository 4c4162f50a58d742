# SPDX-License-Identifier: MIT
"""Each sample store of data/ equals the output of make_samples.py. Nobody has edited a store by hand, and no store is
without a script."""

import pathlib
import subprocess
import sys

import pytest
import zarr

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


FOLDERS = (".", "pyramids")


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for inner in FOLDERS
        for store in [*(folder / inner).glob("*.zarr"), *(folder / inner).glob("*.levels")]
        for path in store.rglob("*")
        if path.is_file()
    }


def test_the_script_writes_the_same_bytes(tmp_path):
    # Their bytes depend on the versions of the codecs, too. Newer systems have zarr-python 3 alone.
    if not zarr.__version__.startswith("2."):
        pytest.skip(f"the samples are written with zarr-python 2; this is {zarr.__version__}")
    subprocess.run([sys.executable, "-B", str(DATA / "make_samples.py"), str(tmp_path)], check=True, timeout=120)
    made, kept = contents(tmp_path), contents(DATA)
    assert sorted(made) == sorted(kept) and made
    assert [key for key in made if made[key] != kept[key]] == []


def test_samples_are_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 1_100_000
