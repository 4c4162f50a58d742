# SPDX-License-Identifier: MIT
"""Processes that build and remove overviews of one store at the same time. The second waits for the first, and keeps
what the first has built."""

import os

import numpy as np
import pytest
import zarr_faults
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_overviews import check_consolidated, gtiff_levels, level_values, make, sizes, smooth, update
from zarr_processes import run_at_once

pytestmark = zarr_formats.BOTH
SEED = int(os.environ["ZARR_TEST_SEED"], 16)
SIDE = 192
ROUNDS = 12 if zarr_faults.ALL else 3
FORMS = {"list or layout": [], "groups": ["OVERVIEW_LAYOUT=GROUPS"], "arrays": ["SINGLE_ARRAY=NO"],
         "pixel": ["INTERLEAVE=PIXEL"]}  # fmt: skip


@pytest.fixture
def values():
    print(f"ZARR_TEST_SEED={SEED:x}")
    return smooth(np.random.default_rng(SEED), 2, SIDE, SIDE)


def build(report, store, method, factors):
    """Builds overviews, and reports "built" or the error. Waits for the other processes as long as they take."""
    gdal.SetConfigOption("ZARR_LOCK_TIMEOUT", "100000")
    with error_log() as log:
        dataset = update(store)
        result = dataset.BuildOverviews(method, factors)
        dataset = None
    report("built" if result == gdal.CE_None and log.errors == [] else f"failed {log.errors}")


def check(store, values, wanted):
    """Asserts that the store has exactly the levels `wanted`, {factor: pixels}."""
    with error_log() as log:
        dataset = open_raster(store)
        got = level_values(dataset)
    log.assert_quiet()
    assert (read_all(dataset) == values).all()
    assert [level.shape for level in got] == [level.shape for level in wanted]
    for one, other in zip(got, wanted):
        np.testing.assert_array_equal(one, other)
    check_consolidated(store)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_processes_build_different_levels(tmp_path, values, form):
    wanted = gtiff_levels(tmp_path, values, "NEAREST", [2, 4, 8, 16])
    for turn in range(ROUNDS):
        store = tmp_path / f"{turn}.zarr"
        make(store, values, *FORMS[form])
        lines = run_at_once([(build, store, "NEAREST", [factor]) for factor in (2, 4, 8, 16)])
        assert lines == [["built"]] * 4
        check(store, values, wanted)


def test_processes_build_the_same_levels(tmp_path, values):
    """The levels are those of one process, whichever was last."""
    methods = ["NEAREST", "AVERAGE", "CUBIC"]
    states = [gtiff_levels(tmp_path, values, method, [2, 4]) for method in methods]
    store = tmp_path / "a.zarr"
    make(store, values)
    for _ in range(ROUNDS):
        lines = run_at_once([(build, store, method, [2, 4]) for method in methods])
        assert lines == [["built"]] * 3
        got = level_values(open_raster(store))
        assert any(all((one == other).all() for one, other in zip(got, state)) for state in states)
    assert sizes(open_raster(store)) == [(SIDE // 2, SIDE // 2), (SIDE // 4, SIDE // 4)]


@pytest.mark.slow
def test_processes_build_and_remove_levels(tmp_path, values):
    """Each process finds the store of the one before it, so that a level is there or not, and nothing is left over."""
    store = tmp_path / "a.zarr"
    make(store, values)
    without = sorted(zarr_formats.contents(store))
    wanted = gtiff_levels(tmp_path, values, "NEAREST", [2, 4])
    for _ in range(ROUNDS):
        jobs = [(build, store, "NEAREST", [2]), (build, store, "NONE", []), (build, store, "NEAREST", [4])]
        assert run_at_once(jobs) == [["built"]] * 3
        got = level_values(open_raster(store))
        for level in got:
            assert any(level.shape == other.shape and (level == other).all() for other in wanted)
        assert update(store).BuildOverviews("NONE", []) == 0
        assert sorted(zarr_formats.contents(store)) == without


@pytest.mark.slow
def test_overviews_of_two_arrays(tmp_path, values):
    """Arrays of one group share its list of levels."""
    store = tmp_path / "a.zarr"
    make(store, values, "ARRAY_NAME=a")
    make(store, values[::-1].copy(), "ARRAY_NAME=b", "APPEND_SUBDATASET=YES")
    jobs = [(build, array_name(store, name), "NEAREST", [factor]) for name in "ab" for factor in (2, 4)]
    for _ in range(ROUNDS):
        assert run_at_once(jobs) == [["built"]] * 4
        for name, pixels in (("a", values), ("b", values[::-1])):
            got = level_values(open_raster(array_name(store, name)))
            wanted = gtiff_levels(tmp_path, pixels.copy(), "NEAREST", [2, 4])
            assert all((one == other).all() for one, other in zip(got, wanted)) and len(got) == 2
        for name in "ab":
            assert update(array_name(store, name)).BuildOverviews("NONE", []) == 0
