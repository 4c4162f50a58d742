# SPDX-License-Identifier: MIT
"""Consolidated metadata that misses nodes of the store, because another program added them later.

Opening the store gives one warning that names the missing nodes. With USE_CONSOLIDATED_METADATA=NO the driver
reads these nodes."""

import contextlib
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, assert_same, config_options, error_log
from zarr_http import Served
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH
VALUES = np.arange(24, dtype="i4").reshape(4, 6)
NO = ["USE_CONSOLIDATED_METADATA=NO"]
RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER


@pytest.fixture
def store(tmp_path):
    """Writes a store with consolidated metadata, the arrays /a and /b, and the group /g with /g/c and /g/d.
    Returns the folder of the store."""
    arrays = {"a": VALUES, "b": VALUES[:2], "g/c": VALUES, "g/d": VALUES[1:]}
    return make_store(tmp_path, arrays, consolidated=True)


def append(store, *paths):
    for path in paths:
        make_array(store, VALUES + 1, path)


def opened(name, kind=RASTER, options=()):
    """Opens a dataset. If `kind` is MULTIDIM, also lists all its groups and arrays. Returns the dataset and all
    warnings."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(name), kind, open_options=list(options))
        if dataset is not None and kind == MULTIDIM:
            list_all(dataset.GetRootGroup())
    assert dataset is not None and log.errors == [], log.events
    return dataset, log.warnings


def list_all(group):
    """Returns the full names of all arrays in and below a group. Lists each group twice, to show that the
    second listing gives no second warning."""
    group.GetGroupNames()
    above = group.GetFullName().rstrip("/") + "/"
    names = [above + name for name in group.GetMDArrayNames() or []]
    for name in group.GetGroupNames() or []:
        names += list_all(group.OpenGroup(name))
    return names


def missing_nodes_warning(store, text):
    return [
        f"{store}: consolidated metadata is missing nodes of the store: {text} (open option "
        "USE_CONSOLIDATED_METADATA=NO reads them)"
    ]


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_complete_metadata_give_no_warning(store, kind):
    (store / "folder").mkdir()
    (store / "file").write_bytes(b"{}")
    (store / "g" / "folder").mkdir()
    assert opened(store, kind)[1] == []


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_appended_array_is_named_once(store, kind):
    append(store, "new")
    dataset, warnings = opened(store, kind)
    assert warnings == missing_nodes_warning(store, "/new")
    with error_log() as log:  # a second listing gives no second warning
        if kind == MULTIDIM:
            assert "/new" not in list_all(dataset.GetRootGroup())
        else:
            assert not any("/new" in name for name, _ in dataset.GetSubDatasets())
    log.assert_quiet()
    assert opened(store, kind)[1] == warnings  # a new dataset gives the warning again


def test_arrays_outside_of_the_metadata_are_named_beside_the_error(tmp_path):
    store = make_store(tmp_path, {}, consolidated=True)
    append(store, "new")
    with error_log() as log:
        assert gdal.OpenEx(str(store), RASTER) is None
    assert log.warnings == missing_nodes_warning(store, "/new") and "holds no array" in log.the_error()


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_first_five_are_named(store, kind):
    append(store, *(f"n{i}" for i in range(5)))
    assert opened(store, kind)[1] == missing_nodes_warning(store, "/n0, /n1, /n2, /n3, /n4")
    append(store, "n5", "n6")
    assert opened(store, kind)[1] == missing_nodes_warning(store, "/n0, /n1, /n2, /n3, /n4, and 2 more")


def test_all_groups_of_a_raster_dataset_are_one_warning(store):
    append(store, "new", "g/late", "fresh/array")
    zarr.open_group(str(store / "fresh"), mode="a")
    assert opened(store)[1] == missing_nodes_warning(store, "/fresh, /new, /g/late")
    assert opened(array_name(store, "g"))[1] == missing_nodes_warning(store, "/g/late")


def test_group_of_a_multidimensional_dataset_is_warned_of_when_it_is_listed(store):
    append(store, "g/late")
    with error_log() as log:
        root = gdal.OpenEx(str(store), MULTIDIM).GetRootGroup()
        root.GetMDArrayNames()
        group = root.OpenGroup("g")
        log.assert_quiet()
        group.GetMDArrayNames()
    assert log.warnings == missing_nodes_warning(store, "/g/late")
    append(store, "new")
    assert opened(store, MULTIDIM)[1] == missing_nodes_warning(store, "/new")


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_open_option_reads_everything(store, kind):
    append(store, "new", "g/late")
    dataset, warnings = opened(store, kind, NO)
    assert warnings == []
    if kind == MULTIDIM:
        assert {"/new", "/g/late"} <= set(list_all(dataset.GetRootGroup()))
    else:
        names = [name for name, _ in dataset.GetSubDatasets()]
        assert array_name(store, "new") in names and array_name(store, "g/late") in names
    with error_log() as log:
        array = gdal.OpenEx(array_name(store, "g/late"), RASTER, open_options=NO)
        assert_same(array.ReadAsArray(), VALUES + 1)
    log.assert_quiet()


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
@pytest.mark.parametrize("path", ["new", "g/late"])
def test_error_for_a_missing_node_names_the_open_option(store, kind, path):
    append(store, path)
    with error_log() as log:
        assert gdal.OpenEx(array_name(store, path), kind) is None
    assert f"/{path}: " in log.the_error() and "USE_CONSOLIDATED_METADATA=NO" in log.the_error()
    dataset = gdal.OpenEx(array_name(store, path), kind, open_options=NO)
    if kind == MULTIDIM:
        root = dataset.GetRootGroup()
        (name,) = root.GetMDArrayNames()
        assert_same(root.OpenMDArray(name).ReadAsArray(), VALUES + 1)
    else:
        assert_same(dataset.ReadAsArray(), VALUES + 1)


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_array_that_is_opened_by_its_name_gives_no_warning(store, kind):
    append(store, "new")
    assert opened(array_name(store, "a"), kind)[1] == []
    assert opened(store / "a", kind)[1] == []


def test_update_gives_no_warning_and_consolidates_again(store):
    append(store, "new")
    with error_log() as log:
        dataset = gdal.OpenEx(array_name(store, "new"), RASTER | gdal.OF_UPDATE)
        dataset.GetRasterBand(1).Fill(7)
        dataset.SetMetadataItem("changed", "yes")
        dataset = None
    log.assert_quiet()
    assert opened(store)[1] == []


def test_store_in_a_zip_file_counts(store):
    append(store, "new")
    archive = shutil.make_archive(str(store), "zip", store)
    name = f"/vsizip/{archive}"
    assert opened(f'ZARR:"{name}"')[1] == missing_nodes_warning(name, "/new")


def test_store_on_a_server_is_not_listed(store):
    append(store, "new")
    with Served(store.parent) as server:
        server.rule(lists=True)
        for kind in (RASTER, MULTIDIM):
            assert opened(f'ZARR:"{server.url}/{store.name}"', kind)[1] == []
        asked = {path for _, path, *_ in server.requests()}
        documents = [".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json"]
        # Dimensions without names may be named by documents of netCDF-C, which consolidated metadata never has.
        documents += [".nczarr"] * (not zarr_formats.is_v3())
        assert asked == {f"/{store.name}/{name}" for name in documents} | {f"/{store.name}.gmac"}


def test_links_to_folders_count(store, tmp_path):
    append(tmp_path, "elsewhere")
    (store / "linked").symlink_to(tmp_path / "elsewhere")
    (store / "broken").symlink_to(tmp_path / "nowhere")
    assert opened(store)[1] == missing_nodes_warning(store, "/linked")
    names = [name for name, _ in opened(store, RASTER, NO)[0].GetSubDatasets()]
    assert array_name(store, "linked") in names


SCRIPT = """
import sys
from osgeo import gdal
gdal.DontUseExceptions()
name, kind = sys.argv[1], int(sys.argv[2])
dataset = gdal.OpenEx(name, kind)
if kind == gdal.OF_MULTIDIM_RASTER:
    group = dataset.GetRootGroup()
    if len(sys.argv) > 3:
        group.OpenMDArray(sys.argv[3])
    else:
        group.GetMDArrayNames(), group.GetGroupNames(), group.GetMDArrayNames()
"""


def system_calls(folder, *arguments):
    """Runs SCRIPT under strace. Returns (call, path) for each system call on files below a folder."""
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=%file", sys.executable, "-c", SCRIPT]
    run = subprocess.run(command + list(map(str, arguments)), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    calls = []
    for line in run.stderr.splitlines():
        with contextlib.suppress(ValueError):
            call, _, rest = line.partition("(")
            if f'"{folder}' in rest and call.split()[-1] != "execve":
                calls.append((call.split()[-1], rest.split('"')[1], "O_DIRECTORY" in rest))
    return calls


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
@pytest.mark.slow
def test_listing_costs_one_directory_and_no_look_at_the_arrays(tmp_path, kind):
    arrays = {f"a{i}": np.ones((2, 2 + i)) for i in range(50)}  # sizes differ, so each is a raster of its own
    store = make_store(tmp_path, arrays, consolidated=True)
    with config_options(GDAL_DRIVER_PATH=os.environ["GDAL_DRIVER_PATH"]):
        calls = system_calls(f"{store}", store, kind)
    assert sum(is_listing and path == str(store) for _, path, is_listing in calls) == 1, calls
    assert [path for _, path, _ in calls if path.startswith(f"{store}/a")] == []


@pytest.mark.parametrize("kind", [RASTER, MULTIDIM])
def test_array_that_is_opened_by_its_name_lists_nothing(store, kind):
    append(store, "new")
    arguments = [array_name(store, "a"), kind] if kind == RASTER else [store, kind, "a"]
    assert [path for _, path, is_listing in system_calls(store, *arguments) if is_listing] == []
