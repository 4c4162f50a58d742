# SPDX-License-Identifier: MIT
"""Pyramids with wrong metadata. The base always opens, valid levels become overviews, and each fault gives
one warning."""

import json
import re

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, read_all

pytestmark = [zarr_formats.BOTH, pytest.mark.every_case]

BASE = np.arange(40 * 60, dtype="u2").reshape(40, 60)


def shrunk(k):
    return BASE[:: 1 << k, :: 1 << k]


def make(folder, multiscales, arrays=None, **attributes):
    """Writes a group with the levels 0, 1 and 2, and with the attribute `multiscales`. Returns the store."""
    group = zarr.open_group(str(folder / "x.zarr"), mode="w")
    for name, values in {**{str(k): shrunk(k) for k in range(3)}, **(arrays or {})}.items():
        group.array(name, values, chunks=(16,) * values.ndim, overwrite=True)
    group.attrs.update(attributes)
    if multiscales is not None:
        group.attrs["multiscales"] = multiscales
    return folder / "x.zarr"


def image(*paths, **more):
    return {"version": "0.4", "axes": ["y", "x"], "datasets": [{"path": p} for p in paths], **more}


def opened(name, *options):
    """Opens a dataset and asserts that no error appears. Returns (dataset, sizes of the overviews,
    warnings)."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(name), gdal.OF_RASTER, open_options=list(options))
        assert dataset is not None and log.errors == [], log.events
        band = dataset.GetRasterBand(1)
        count = band.GetOverviewCount() if band else 0
        overviews = [band.GetOverview(i) for i in range(count)]
        sizes = [(overview.XSize, overview.YSize) for overview in overviews]
    return dataset, sizes, log.warnings


# name -> (path that replaces level "1", the array at that path, part of the warning)
LEVELS = {
    "missing": ("nowhere", None, "nowhere"),
    "above": ("../1", None, r"\.\./1"),
    "absolute outside": ("/../../etc", None, "etc"),
    "of another type": ("other", shrunk(1).astype("i4"), "<i4"),
    "of another rank": ("other", shrunk(1)[None], "other"),
    "larger than the base in one dimension": ("other", np.zeros((20, 70), "u2"), "other"),
    "as large as another": ("other", shrunk(2), "other|/2"),
    "a structure": ("other", np.zeros((20, 30), [("a", "u2")]), "other"),
}


@pytest.mark.parametrize("what", LEVELS)
def test_a_bad_level_is_left_out(tmp_path, what):
    path, values, told = LEVELS[what]
    arrays = {} if values is None else {path: values}
    store = make(tmp_path, [image("0", path, "2")], arrays)
    dataset, sizes, warnings = opened(array_name(store, "0"))
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == [(15, 10)]
    assert len(warnings) == 1, warnings
    assert re.search(told, warnings[0]), warnings
    assert "multiscales" in warnings[0]


def test_a_corrupt_level_is_left_out(tmp_path):
    store = make(tmp_path, [image("0", "1", "2")])
    document = zarr_formats.document_file(store, "1/.zarray")
    document.write_text("{")
    dataset, sizes, warnings = opened(array_name(store, "0"))
    assert sizes == [(15, 10)] and len(warnings) == 1 and f"1/{document.name}" in warnings[0]
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)


def test_a_level_with_another_extent_is_left_out(tmp_path):
    scale = [[1, 1], [2, 2], [4, 4]]
    datasets = []
    for k in range(3):
        shift = [0.5, 0.5] if k != 1 else [30.0, 0.5]
        transformations = [
            {"type": "scale", "scale": scale[k]},
            {"type": "translation", "translation": shift},
        ]
        datasets.append({"path": str(k), "coordinateTransformations": transformations})
    store = make(tmp_path, [{**image(), "datasets": datasets}])
    _, sizes, warnings = opened(store)
    assert sizes == [(15, 10)]
    assert [text for text in warnings if "/1" in text], warnings


WHOLE = {
    "no datasets": [image()],
    "datasets that are no list": [{**image(), "datasets": 7}],
    "datasets without paths": [{**image(), "datasets": [{}, {"path": 3}]}],
    "an empty list": [],
    "a text": "levels",
    "a number": 5,
    "null": None,
    "a layout that is not a list": {"layout": "x"},
    "an empty layout": {"layout": []},
    "unknown tile matrix set": {"tile_matrix_set": "Mars2000"},
}


@pytest.mark.parametrize("what", WHOLE)
def test_an_empty_description_hides_no_array(tmp_path, what):
    store = make(tmp_path, None)
    zarr_formats.put_attributes(store, {"multiscales": WHOLE[what]})
    dataset, _, _ = opened(store)
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert names == [array_name(store, str(k)) for k in range(3)]
    for k in range(3):
        level, sizes, _ = opened(array_name(store, str(k)))
        np.testing.assert_array_equal(read_all(level)[0], shrunk(k))
        assert sizes == []


@pytest.mark.parametrize("what", WHOLE)
def test_an_array_below_a_broken_description_gives_its_warning(tmp_path, what):
    store = make(tmp_path, None)
    zarr_formats.put_attributes(store, {"multiscales": WHOLE[what]})
    _, _, warnings = opened(array_name(store, "0"))
    # A tile matrix set that is stated only by its name need not describe the arrays, so it gives no warning.
    silent = {"an empty list": 0, "null": 0, "unknown tile matrix set": 0}
    assert len(warnings) == {**silent, "datasets without paths": 2}.get(what, 1), warnings
    # Warnings name the attribute "ome.multiscales" in OME-NGFF 0.5, which requires Zarr v3.
    assert all(re.search(r"x\.zarr: (ome\.)?multiscales", text) for text in warnings), warnings


# name -> (statements about level "1" besides its path, part of the warning)
STATEMENTS = {
    "made of nothing": ({"derived_from": "nowhere"}, "derived_from: /nowhere does not exist"),
    "made of a line": ({"derived_from": "line"}, "derived_from: /line has 1 dimensions"),
    "made of a number": ({"derived_from": 0}, "derived_from: expected a path inside the group, got 0"),
    "a scale of one number": ({"transform": {"scale": [2]}}, "scale: has 1 numbers"),
    "another scale": (
        {"derived_from": "0", "transform": {"scale": [2, 1.5]}},
        "scale: 1.5 along dim1 does not reduce 60 elements to 30",
    ),
    "a shift of one number": ({"transform": {"translation": [0]}}, "translation: has 1 numbers"),
    "a shift of texts": ({"transform": {"translation": ["0", "0"]}}, "translation: expected finite"),
    "a shape of one number": ({"spatial:shape": [20]}, "spatial:shape: expected the height and"),
    "another shape": ({"spatial:shape": [20, 29]}, r"spatial:shape: is \[20, 29\].* \[20, 30\]"),
}


@pytest.mark.parametrize("what", STATEMENTS)
@pytest.mark.slow
def test_a_wrong_statement_about_a_level_gives_a_warning(tmp_path, what):
    said, warning = STATEMENTS[what]
    layout = [{"asset": "0"}, {"asset": "1", **said}, {"asset": "2"}]
    store = make(tmp_path, {"layout": layout}, {"line": np.arange(5)})
    for name in (store, array_name(store, "0")):
        dataset, sizes, warnings = opened(name)
        assert sizes == [(30, 20), (15, 10)]
        np.testing.assert_array_equal(read_all(dataset)[0], BASE)
        assert len(warnings) == 1, warnings
        assert re.search(rf"x\.zarr: multiscales\.layout\[1\]: {warning}", warnings[0]), warnings


@pytest.mark.parametrize("version", ["0.2", "0.9", "two", 7, None])
def test_any_version_is_tried(tmp_path, version):
    store = make(tmp_path, [image("0", "1", "2", version=version)])
    if zarr_formats.is_v3():  # in v3, the attribute `ome` states the version
        document = json.loads((store / "zarr.json").read_text())
        document["attributes"]["ome"]["version"] = version
        (store / "zarr.json").write_text(json.dumps(document))
    dataset, sizes, warnings = opened(store)
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == [(30, 20), (15, 10)]
    known = version in ("0.2", None)
    assert (warnings == []) == known, warnings


@pytest.mark.parametrize("scale", [[0, 0], [-2, 1], [float("nan"), 1], ["a", 1], [1]])
def test_an_invalid_scale_is_ignored(tmp_path, scale):
    entry = {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}
    store = make(tmp_path, [{**image(), "datasets": [entry, {"path": "1"}]}])
    dataset, sizes, warnings = opened(store)
    assert sizes == [(30, 20)]
    with error_log() as log:
        assert dataset.GetGeoTransform(can_return_null=True) is None
    assert log.errors == []
    assert len(warnings + log.warnings) == 1, warnings + log.warnings


@pytest.mark.parametrize("what", ["levels", "nothing", "too many"])
def test_many_multiscales_of_one_fault_are_one_warning(tmp_path, what):
    """25 entries of `multiscales` with equal faults give one warning. In the case "levels", each entry has 160 levels,
    and the driver reads only six entries, because a group has at most 1024 levels."""
    one = {
        "levels": image(*(f"l{i}" for i in range(160))), "nothing": {},
        "too many": image(*(f"l{i}" for i in range(300))),
    }[what]  # fmt: skip
    store = make(tmp_path, [image("0", "1", "2"), *[one] * 25])
    dataset, sizes, warnings = opened(store)
    assert sizes == [(30, 20), (15, 10)]
    told = [text for text in warnings if "is ignored, because" in text or "has no datasets" in text]
    assert len(told) == 1 and "more" in told[0], warnings


def test_of_two_images_in_a_group_the_first_is_opened(tmp_path):
    others = {f"b{k}": shrunk(k) + 1 for k in range(2)}
    store = make(tmp_path, [image("0", "1", "2"), image("b0", "b1")], others)
    dataset, sizes, _ = opened(store)
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == [(30, 20), (15, 10)]
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert names == [array_name(store, "0"), array_name(store, "b0")]
    second, sizes, _ = opened(names[1])
    np.testing.assert_array_equal(read_all(second)[0], BASE + 1)
    assert sizes == [(30, 20)]


def test_an_array_that_no_level_names_is_a_subdataset(tmp_path):
    store = make(tmp_path, [image("0", "1")])
    dataset, sizes, _ = opened(store)
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == [(30, 20)]
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert names == [array_name(store, "0"), array_name(store, "2")]


def make_linked_levels(folder, base, link):
    for path in (folder / "1.zarr", base):
        group = zarr.open_group(str(path), mode="w")
        values = shrunk(1) if path.parent == folder else BASE
        array = group.array("a", values, chunks=(16, 16))
        array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    (folder / "0.link").write_text(link)


def assert_whole(folder, *options):
    dataset, sizes, warnings = opened(folder, *options)
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == [(30, 20)] and warnings == []
    root = gdal.OpenEx(str(folder), gdal.OF_MULTIDIM_RASTER, open_options=list(options)).GetRootGroup()
    np.testing.assert_array_equal(root.OpenMDArrayFromFullname("/0.zarr/a").ReadAsArray(), BASE)


def assert_left_out(folder, *options):
    dataset, sizes, warnings = opened(folder, *options)
    assert (dataset.RasterXSize, dataset.RasterYSize) == (30, 20)
    assert sizes == []
    assert len(warnings) == 1 and "0.link" in warnings[0], warnings


@pytest.mark.parametrize("link", ["../base.zarr", "./../base.zarr\n", "..\\base.zarr", "../x.levels/../base.zarr"])
def test_links_of_xcube_lead_to_the_store_beside_it(tmp_path, link):
    folder = tmp_path / "x.levels"
    make_linked_levels(folder, tmp_path / "base.zarr", link)
    assert_whole(folder)
    assert_whole(folder, "FOLLOW_LINKS=YES")
    assert_left_out(folder, "FOLLOW_LINKS=NO")
    name = opened(folder)[0].GetSubDatasets()
    assert name == []


def test_links_of_xcube_by_a_relative_name(tmp_path, monkeypatch):
    make_linked_levels(tmp_path / "x.levels", tmp_path / "base.zarr", "../base.zarr")
    monkeypatch.chdir(tmp_path)
    assert_whole("x.levels")
    assert_whole("./x.levels")
    monkeypatch.chdir(tmp_path / "x.levels")
    assert_whole("../x.levels")


@pytest.mark.parametrize("is_absolute", [False, True])
def test_links_of_xcube_to_elsewhere_need_an_option(tmp_path, is_absolute):
    folder = tmp_path / "levels" / "x.levels"
    base = tmp_path / "data" / "base.zarr"
    make_linked_levels(folder, base, str(base) if is_absolute else "../../data/base.zarr")
    assert_left_out(folder)
    assert_left_out(folder, "FOLLOW_LINKS=BESIDE")
    assert_whole(folder, "FOLLOW_LINKS=YES")


def test_links_of_xcube_to_nothing(tmp_path):
    folder = tmp_path / "x.levels"
    make_linked_levels(folder, tmp_path / "base.zarr", "../base.zarr")
    (tmp_path / "base.zarr").rename(tmp_path / "away.zarr")
    assert_left_out(folder)


def test_omero_that_is_broken_gives_warnings_and_bands(tmp_path):
    values = np.arange(2 * 8 * 10, dtype="u1").reshape(2, 8, 10)
    channels = [{"label": 5, "color": "red", "window": {"min": "low", "max": 9}}, "DAPI", {}]
    group = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
    group.array("0", values)
    axes = [{"name": "c", "type": "channel"}, {"name": "y"}, {"name": "x"}]
    group.attrs.update(
        {
            "multiscales": [{"version": "0.4", "axes": axes, "datasets": [{"path": "0"}]}],
            "omero": {"channels": channels},
        }
    )
    with error_log() as log:
        dataset = gdal.Open(str(tmp_path / "x.zarr"))
        np.testing.assert_array_equal(read_all(dataset), values)
        band = dataset.GetRasterBand(1)
        assert band.GetDescription() == "5"
        assert band.GetMetadataItem("OMERO_MAX") == "9"
        assert band.GetMetadataItem("OMERO_MIN") is None
        assert band.GetColorInterpretation() == gdal.GCI_Undefined
    assert log.errors == [] and 1 <= len(log.warnings) <= 6
    assert all("omero" in text for text in log.warnings)


def test_depth_and_numbers_are_bounded(tmp_path):
    """A hundred thousand missing levels give one warning. The driver does not request them one by one."""
    store = make(tmp_path, None)
    listed = [{"path": f"none/{i}"} for i in range(100_000)]
    multiscales = [{**image(), "datasets": [{"path": "0"}, *listed]}]
    zarr_formats.put_attributes(store, {"multiscales": multiscales})
    dataset, _, warnings = opened(store)
    assert len(dataset.GetSubDatasets()) == 3
    assert len(warnings) == 1 and "datasets" in warnings[0]
    dataset, sizes, _ = opened(array_name(store, "0"))
    np.testing.assert_array_equal(read_all(dataset)[0], BASE)
    assert sizes == []
