# SPDX-License-Identifier: MIT
"""Stores with several OME-NGFF images: plates with wells, series of bioformats2raw, and labels.

The stores are opened from disk, and from a web server without listings, where attributes name the images."""

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_http import Served
from zarr_mdim import open_group
from zarr_ome import add_image, add_labels, make_plate, make_series, values_of

pytestmark = zarr_formats.BOTH
NAMES = ["first", "slide [1]", "größe"]


def listed(name, *options):
    return open_raster(name, *options).GetSubDatasets()


def paths_of(store, subdatasets):
    prefix = array_name(store, "")
    assert all(name.startswith(prefix) for name, _ in subdatasets), subdatasets
    return [name[len(prefix) :] for name, _ in subdatasets]


def warnings_of(store):
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER)
    assert dataset is not None and log.errors == [], log.events
    return dataset, log.warnings


def change(store, path, **attrs):
    zarr_formats.change_attributes(store, path, **attrs)


def assert_is_image(name, seed):
    dataset = open_raster(name)
    np.testing.assert_array_equal(dataset.ReadAsArray(), values_of(seed))
    band = dataset.GetRasterBand(1)
    assert [band.GetOverview(i).XSize for i in range(band.GetOverviewCount())] == [16]


# ---------------------------------------------------------------------------------------------
# Series of bioformats2raw


@pytest.mark.parametrize("series", [True, False], ids=["listed", "numbered"])
def test_series_are_subdatasets_with_their_names(tmp_path, series):
    store = make_series(tmp_path, NAMES, series)
    subdatasets = listed(store)
    assert subdatasets == [
        (array_name(store, f"{i}/0"), f"[24x32] /{i}/0 (Byte, image: {name})")
        for i, name in enumerate(NAMES)
    ]
    for i, (name, _) in enumerate(subdatasets):
        assert_is_image(name, 10 * i)


def test_images_are_in_the_order_of_the_series(tmp_path):
    store = make_series(tmp_path, NAMES)
    change(store, "OME", series=["2", "0", "1"])
    subdatasets = listed(store)
    assert paths_of(store, subdatasets) == ["2/0", "0/0", "1/0"]
    assert [text.partition("image: ")[2][:-1] for _, text in subdatasets] == NAMES


def test_more_than_ten_numbers_are_in_the_order_of_numbers(tmp_path):
    store = make_series(tmp_path, [f"n{i}" for i in range(12)], series=False, xml=False)
    assert paths_of(store, listed(store)) == [f"{i}/0" for i in range(12)]


def test_a_series_that_is_alone_opens_directly(tmp_path):
    store = make_series(tmp_path, ["only"])
    assert_is_image(store, 0)
    add_labels(zarr.open_group(str(store), mode="r+")["0"], ["cells"])
    assert_is_image(store, 0)
    assert paths_of(store, listed(store)) == ["0/0", "0/labels/cells/0"]


def test_nothing_of_ome_is_a_raster(tmp_path):
    store = make_series(tmp_path, NAMES)
    zarr.open_group(str(store), mode="r+").array("OME/thumbnail", np.zeros((4, 4), "u1"))
    assert paths_of(store, listed(store)) == ["0/0", "1/0", "2/0"]


def test_series_without_xml_have_the_names_of_their_multiscales(tmp_path):
    store = make_series(tmp_path, ["", ""], xml=False)
    add_image(zarr.open_group(str(store), mode="r+"), "2", 20, "named")
    change(store, "OME", series=["0", "1", "2"])
    assert [text for _, text in listed(store)] == [
        "[24x32] /0/0 (Byte)", "[24x32] /1/0 (Byte)", "[24x32] /2/0 (Byte, image: named)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [b"<OME", b"", b"no xml", b"<a></b>", b"<x/>", b"\xff\xfe" * 40, b"<OME>" * 3000],
    ids=["cut", "empty", "text", "crossed", "other", "bytes", "deep"],
)
def test_broken_xml_gives_one_warning(tmp_path, text):
    store = make_series(tmp_path, NAMES)
    (store / "OME" / "METADATA.ome.xml").write_bytes(text)
    dataset, warnings = warnings_of(store)
    assert paths_of(store, dataset.GetSubDatasets()) == ["0/0", "1/0", "2/0"]
    assert len(warnings) == 1 and "OME/METADATA.ome.xml" in warnings[0], warnings


@pytest.mark.parametrize("xml", ["<OME/>", '<OME><Image Name="first"/></OME>'])
def test_xml_that_names_too_few_images(tmp_path, xml):
    store = make_series(tmp_path, NAMES)
    (store / "OME" / "METADATA.ome.xml").write_text(xml)
    texts = [text for _, text in listed(store)]
    assert texts[1:] == ["[24x32] /1/0 (Byte)", "[24x32] /2/0 (Byte)"]
    assert ("image: first" in texts[0]) == ("first" in xml)


@pytest.mark.parametrize("series", [3, "0", {"0": 1}, None, True])
def test_series_of_the_wrong_type_give_one_warning(tmp_path, series):
    store = make_series(tmp_path, NAMES)
    change(store, "OME", series=series)
    dataset, warnings = warnings_of(store)
    assert paths_of(store, dataset.GetSubDatasets()) == ["0/0", "1/0", "2/0"]
    assert len(warnings) == 1 and "OME: series: expected an array" in warnings[0], warnings


def test_series_that_lead_elsewhere_give_one_warning(tmp_path):
    store = make_series(tmp_path, NAMES)
    make_series(tmp_path / "other", ["x"])
    bad = ["..", "../other/series.zarr/0", "/0", "0/../1", "", ".", 7, ["0"], "nine"]
    bad.append("a/" * 70 + "a")
    change(store, "OME", series=["2", *bad, "1", "1", "0/0"])
    dataset, warnings = warnings_of(store)
    # The listing finds image "0", which the attribute `series` does not name. The entry "0/0" of `series` is an array
    # and not an image.
    assert paths_of(store, dataset.GetSubDatasets())[:2] == ["2/0", "1/0"]
    assert sorted(paths_of(store, dataset.GetSubDatasets())) == ["0/0", "1/0", "2/0"]
    assert len(warnings) == 1 and '".."' in warnings[0] and "more" in warnings[0], warnings


def test_an_unknown_layout_is_read_with_a_warning(tmp_path):
    store = make_series(tmp_path, NAMES, attrs={"bioformats2raw.layout": 4})
    dataset, warnings = warnings_of(store)
    assert paths_of(store, dataset.GetSubDatasets()) == ["0/0", "1/0", "2/0"]
    assert len(warnings) == 1 and "bioformats2raw.layout: 4 is unknown" in warnings[0]


# ---------------------------------------------------------------------------------------------
# Plates with wells

WELLS = ["B/2", "A/10", "A/2"]


def test_images_of_a_plate_are_in_the_order_of_its_wells(tmp_path):
    store = make_plate(tmp_path, WELLS, fields=2)
    wanted = [f"{well}/{field}/0" for well in WELLS for field in (0, 1)]
    subdatasets = listed(store)
    assert paths_of(store, subdatasets) == wanted
    assert [text for _, text in subdatasets] == [f"[24x32] /{path} (Byte)" for path in wanted]
    for i, (name, _) in enumerate(subdatasets):
        assert_is_image(name, i)
    assert paths_of(store, listed(array_name(store, "A/10"))) == ["A/10/0/0", "A/10/1/0"]


def test_images_are_in_the_order_of_their_well(tmp_path):
    store = make_plate(tmp_path, ["A/1"], fields=3)
    change(store, "A/1", well={"images": [{"path": "2"}, {"path": "0"}, {"path": "1"}]})
    assert paths_of(store, listed(store)) == ["A/1/2/0", "A/1/0/0", "A/1/1/0"]


def test_a_plate_of_bioformats2raw_has_the_names_of_its_xml(tmp_path):
    store = make_plate(tmp_path, WELLS, attrs={"bioformats2raw.layout": 3})
    other = make_series(tmp_path, NAMES)
    (other / "OME").rename(store / "OME")
    change(store, "OME", series=[f"{well}/0" for well in WELLS])
    assert [text.partition("image: ")[2][:-1] for _, text in listed(store)] == NAMES


def test_a_plate_with_one_image_opens_directly(tmp_path):
    assert_is_image(make_plate(tmp_path, ["C/3"]), 0)


def test_a_broken_plate_gives_one_warning(tmp_path):
    store = make_plate(tmp_path, WELLS)
    plate = zarr_formats.attributes(store)["plate"]
    bad = [{"path": path} for path in ("../A/2", "D/1", "A/2/0/0", "", 3)]
    plate["wells"] = [plate["wells"][0], {}, None, *bad, *plate["wells"][1:]]
    change(store, "", plate=plate)
    change(store, "A/2", well={"images": 3})
    dataset, warnings = warnings_of(store)
    # The attribute of the well A/2 is invalid, so the driver finds the image of A/2 by listing the folder.
    assert paths_of(store, dataset.GetSubDatasets()) == ["B/2/0/0", "A/10/0/0", "A/2/0/0"]
    assert len(warnings) == 1 and "plate.wells[1]: expected a path" in warnings[0], warnings


@pytest.mark.parametrize("value", [{}, {"wells": 3}, {"wells": {}}, {"wells": None}])
def test_a_plate_without_wells_is_listed_as_any_group(tmp_path, value):
    store = make_plate(tmp_path, WELLS)
    change(store, "", plate=value)
    dataset, warnings = warnings_of(store)
    assert sorted(paths_of(store, dataset.GetSubDatasets())) == sorted(f"{w}/0/0" for w in WELLS)
    assert len(warnings) == 1 and "plate" in warnings[0]


@pytest.mark.parametrize("value", ["Eurasian", 7, None, ["A/1"]])
def test_a_plate_attribute_with_another_meaning_is_ignored(tmp_path, value):
    store = make_plate(tmp_path, WELLS)
    change(store, "", plate=value)
    dataset, warnings = warnings_of(store)
    assert len(dataset.GetSubDatasets()) == 3 and warnings == []


@pytest.mark.slow
def test_a_hundred_thousand_wells_that_do_not_exist(tmp_path):
    store = make_plate(tmp_path, WELLS)
    wells = [{"path": f"{i}/1"} for i in range(100_000)]
    change(store, "", plate={"wells": [{"path": "B/2"}, *wells, {"path": "A/2"}]})
    dataset, warnings = warnings_of(store)
    assert paths_of(store, dataset.GetSubDatasets())[0] == "B/2/0/0"
    assert len(dataset.GetSubDatasets()) == 3
    assert len(warnings) == 1 and "only the first 10000 of 100002 entries" in warnings[0]


def test_containers_in_containers_end(tmp_path):
    store = tmp_path / "x.zarr"
    root = zarr.open_group(str(store), mode="w")
    root.attrs["plate"] = {"wells": [{"path": "a"}, {"path": "a/a"}]}
    a = root.create_group("a")
    a.attrs["well"] = {"images": [{"path": "a"}, {"path": "b"}, {"path": "plain"}]}
    a.create_group("a").attrs["plate"] = {"wells": [{"path": "b"}]}
    add_image(a, "b", 1)
    add_image(a, "a/b", 2)
    a.array("plain", np.zeros((3, 4)))
    (store / "a/plain/.zattrs").unlink(missing_ok=True)  # zarr-python 3 writes .zattrs even without attributes
    dataset, warnings = warnings_of(store)
    assert sorted(paths_of(store, dataset.GetSubDatasets())) == ["a/a/b/0", "a/b/0", "a/plain"]
    # In v2, a warning says that an array without attributes is not an image. Arrays of Zarr v3 always have
    # attributes.
    assert len(warnings) == (0 if zarr_formats.is_v3() else 1), warnings


# ---------------------------------------------------------------------------------------------
# Images with labels


def test_labels_are_listed_behind_their_image(tmp_path):
    store = make_series(tmp_path, ["one", "two"])
    add_labels(zarr.open_group(str(store), mode="r+")["0"], ["nuclei", "cells"])
    assert paths_of(store, listed(store)) == [
        "0/0", "0/labels/nuclei/0", "0/labels/cells/0", "1/0"
    ]  # fmt: skip
    assert_is_image(array_name(store, "0/labels/cells/0"), 101)
    labels = paths_of(store, listed(array_name(store, "0/labels")))
    assert labels == ["0/labels/nuclei/0", "0/labels/cells/0"]


def test_missing_labels_give_one_warning(tmp_path):
    store = make_series(tmp_path, ["one", "two"])
    add_labels(zarr.open_group(str(store), mode="r+")["0"], ["cells"])
    change(store, "0/labels", labels=["gone", "cells", "../../1", 3])
    dataset, warnings = warnings_of(store)
    assert paths_of(store, dataset.GetSubDatasets()) == ["0/0", "0/labels/cells/0", "1/0"]
    assert len(warnings) == 1 and '"../../1"' in warnings[0], warnings


def test_an_image_that_lists_its_smallest_level_first(tmp_path):
    store = make_series(tmp_path, ["one", "two"])
    scale = zarr_formats.attributes(store, "0")["multiscales"]
    scale[0]["datasets"].reverse()
    change(store, "0", multiscales=scale)
    assert paths_of(store, listed(store)) == ["0/0", "1/0"]
    assert_is_image(array_name(store, "0"), 0)


@pytest.mark.parametrize("what", ["absent", "corrupt"])
def test_an_image_whose_largest_level_is_bad(tmp_path, what):
    store = make_series(tmp_path, ["one", "two"])
    metadata = zarr_formats.document_file(store, "0/0/.zarray")
    metadata.unlink() if what == "absent" else metadata.write_text("{")
    dataset, warnings = warnings_of(store)
    subdatasets = dataset.GetSubDatasets()
    assert "1/0" in paths_of(store, subdatasets)
    assert warnings and "0/0" in warnings[0]
    assert len(open_raster(array_name(store, "1/0")).ReadAsArray()) == 24


def test_levels_in_groups_of_their_own(tmp_path):
    store = make_series(tmp_path, ["one", "two"])
    for i in (0, 1):
        (store / "0" / "res").mkdir(exist_ok=True)
        (store / "0" / str(i)).rename(store / "0" / "res" / str(i))
    scale = zarr_formats.attributes(store, "0")["multiscales"]
    for k, dataset in enumerate(scale[0]["datasets"]):
        dataset["path"] = f"res/{k}"
    change(store, "0", multiscales=scale)
    assert paths_of(store, listed(store)) == ["0/res/0", "1/0"]
    assert_is_image(array_name(store, "0/res/0"), 0)


def test_a_consolidated_store_lists_the_same(tmp_path):
    store = make_series(tmp_path, NAMES)
    add_labels(zarr.open_group(str(store), mode="r+")["1"], ["cells"])
    before = listed(store)
    zarr.consolidate_metadata(str(store))
    assert listed(store) == before


def test_an_array_beside_the_levels_is_listed_too(tmp_path):
    store = make_series(tmp_path, ["one", "two"])
    zarr.open_group(str(store), mode="r+").array("0/mask", np.zeros((5, 6), "u2"))
    zarr.open_group(str(store), mode="r+").array("table/x", np.zeros((7, 6), "u2"))
    assert paths_of(store, listed(store)) == ["0/0", "0/mask", "1/0", "table/x"]


# ---------------------------------------------------------------------------------------------
# Stores on a web server


@pytest.fixture
def server(tmp_path):
    with Served(tmp_path) as served:
        yield served


def served_paths(url, *options):
    return paths_of(url, listed(f"ZARR:{url}", *options))


def assert_like_local(server, store):
    """Asserts that the driver lists a store over HTTP as it does on disk, and requests each metadata document once."""
    local = listed(store)
    server.log()
    url = f"/vsicurl/{server.url}/{store.name}"
    got = listed(f'ZARR:"{url}"')
    requests = [path for _, path, *_ in server.requests()]
    assert [text for _, text in got] == [text for _, text in local]
    assert paths_of(url, got) == paths_of(store, local)
    assert len(set(requests)) == len(requests), requests
    return requests


def test_series_over_the_network(server, tmp_path):
    store = make_series(tmp_path, NAMES)
    add_labels(zarr.open_group(str(store), mode="r+")["1"], ["cells"])
    assert_like_local(server, store)
    url = f"/vsicurl/{server.url}/{store.name}"
    for i, _ in enumerate(NAMES):
        assert_is_image(f'ZARR:"{url}":/{i}/0', 10 * i)
        assert_is_image(f'ZARR:"{url}":/{i}', 10 * i)
        assert_is_image(f"ZARR:{url}/{i}", 10 * i)


def test_numbered_series_over_the_network(server, tmp_path):
    assert_like_local(server, make_series(tmp_path, NAMES, series=False))


@pytest.mark.slow
def test_a_plate_over_the_network_asks_for_no_more_than_it_lists(server, tmp_path):
    wells = [f"{row}/{column}" for row in "ABC" for column in range(1, 5)]
    store = make_plate(tmp_path, wells, fields=2)
    requests = assert_like_local(server, store)
    # Each well takes one request, for its attributes. Each image takes three requests: for its attributes, for the
    # attributes of its labels, and for one array.
    below = [path for path in requests if path.count("/") > 2]
    assert len(below) == 12 + 24 * 3, below
    assert not [path for path in below if "/1/.zarray" in path]
    assert len(requests) - len(below) <= 8


@pytest.mark.slow
def test_a_plate_over_the_network_asks_for_many_things_at_once(server, tmp_path):
    wells = [f"{row}/{column}" for row in "ABCD" for column in range(1, 9)]
    make_plate(tmp_path, wells)
    server.rule(delay=0.02)
    server.log()
    assert len(served_paths(f"/vsicurl/{server.url}/plate.zarr")) == 32
    assert server.log()["at_once"] >= 16


@pytest.mark.parametrize("labels", [(), ("cells",)], ids=["alone", "with labels"])
def test_an_image_over_the_network(server, tmp_path, labels):
    store = tmp_path / "image.zarr"
    image = add_image(zarr.open_group(str(store), mode="w"), "/", 3)
    if labels:
        add_labels(image, labels)
    url = f"ZARR:{server.url}/image.zarr"
    assert_is_image(url, 3)
    wanted = ["0", "labels/cells/0"] if labels else []
    assert paths_of(f"/vsicurl/{server.url}/image.zarr", listed(url)) == wanted


def test_wells_that_the_server_does_not_have_give_one_warning(server, tmp_path):
    make_plate(tmp_path, ["A/1", "A/2"])
    change(tmp_path / "plate.zarr", "", plate={"wells": [{"path": f"A/{i}"} for i in range(9)]})
    dataset, warnings = warnings_of(f"ZARR:{server.url}/plate.zarr")
    assert len(dataset.GetSubDatasets()) == 2
    assert len(warnings) == 1 and "/A/0: there is no such group" in warnings[0]
    assert "and 4 more" in warnings[0]


def test_groups_over_the_network_by_the_multidimensional_api(server, tmp_path):
    make_plate(tmp_path, ["B/1", "A/2"])
    root = open_group(f"ZARR:{server.url}/plate.zarr")
    assert root.GetGroupNames() == ["A", "B"]
    assert root.OpenGroup("B").GetGroupNames() == ["1"]
    image = root.OpenGroupFromFullname("/B/1/0")
    assert image.GetMDArrayNames() == ["0", "1"] and (image.GetGroupNames() or []) == []
    np.testing.assert_array_equal(image.OpenMDArray("0").ReadAsArray(), values_of(0))


def test_a_group_without_documents_over_the_network_is_an_error(server, tmp_path):
    zarr.open_group(str(tmp_path / "x.zarr"), mode="w").array("dem", np.zeros((3, 4)))
    with zarr_gdal.error_log() as log:
        assert gdal.OpenEx(f"ZARR:{server.url}/x.zarr", gdal.OF_RASTER) is None
    assert "the server returns no listing" in log.the_error()
