# SPDX-License-Identifier: MIT
"""OME images like those of microscopes: volumes with channels and times. Each level halves x, y and z. The labels of
the images have colours and properties."""

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster
from zarr_mdim import open_array

pytestmark = zarr_formats.BOTH
AXES = [{"name": "t", "type": "time", "unit": "second"}, {"name": "c", "type": "channel"},
        *({"name": name, "type": "space", "unit": "micrometer"} for name in "zyx")]  # fmt: skip
SHAPE = (2, 3, 8, 64, 48)


def transforms(level):
    step = 2**level
    return [{"type": "scale", "scale": [2.0, 1, 0.5 * step, 0.25 * step, 0.25 * step]},
            {"type": "translation", "translation": [10, 0, 3, 1, 2]}]  # fmt: skip


@pytest.fixture
def volume(tmp_path):
    """Writes a volume with several levels. Returns the store, and a list with the values of each level."""
    store = tmp_path / "o.zarr"
    group = zarr.open_group(str(store), mode="w")
    base = np.random.default_rng(3).integers(0, 9, SHAPE).astype("u2")
    levels = [base, base[:, :, ::2, ::2, ::2], base[:, :, ::4, ::4, ::4]]
    for i, values in enumerate(levels):
        group.create_dataset(str(i), data=values, chunks=(1, 1, 1, 64, 64), fill_value=0)
    group.attrs["multiscales"] = [{"version": "0.4", "axes": AXES, "datasets": [
        {"path": str(i), "coordinateTransformations": transforms(i)} for i in range(3)]}]  # fmt: skip
    return store, levels


def test_levels_with_fewer_slices_are_overviews(volume, cpl):
    """If a level has fewer slices than the base, the overview of a band is the nearest slice of that level."""
    store, (base, half, quarter) = volume
    dataset = open_raster(store)
    assert dataset.RasterCount == 2 * 3 * 8
    for t, c, z in ((0, 0, 0), (1, 2, 7), (0, 1, 3), (1, 0, 4)):
        band = dataset.GetRasterBand((t * 3 + c) * 8 + z + 1)
        np.testing.assert_array_equal(band.ReadAsArray(), base[t, c, z])
        assert band.GetOverviewCount() == 2
        np.testing.assert_array_equal(band.GetOverview(0).ReadAsArray(), half[t, c, z // 2])
        np.testing.assert_array_equal(band.GetOverview(1).ReadAsArray(), quarter[t, c, z // 4])
    small = dataset.ReadAsArray(buf_xsize=24, buf_ysize=32)
    np.testing.assert_array_equal(small, np.repeat(half, 2, axis=2).reshape(-1, 32, 24))
    one = open_raster(array_name(store, "0:1:2:5"))
    np.testing.assert_array_equal(one.GetRasterBand(1).GetOverview(1).ReadAsArray(), quarter[1, 2, 1])
    assert cpl.events == []
    writable = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    assert writable.BuildOverviews("NEAREST", [2, 4]) != 0
    assert "fewer slices" in cpl.the_error()


def test_positions_of_slices(volume, cpl):
    store, _ = volume
    band = open_band(store, (1 * 3 + 2) * 8 + 5 + 1)
    items = band.GetMetadata()
    assert (items["DIM_t_VALUE"], items["DIM_t_UNIT"]) == ("12", "second")
    assert (items["DIM_z_VALUE"], items["DIM_z_UNIT"]) == ("5.5", "micrometer")
    assert "DIM_c_VALUE" not in items and items["DIM_c_INDEX"] == "2"
    assert band.GetDescription() == "t=12 second, c=2, z=5.5 micrometer"
    assert cpl.events == []


def test_rows_grow_downwards(volume, cpl):
    """The axis y of an OME image grows downwards, so the first row is the uppermost one in GDAL's tools and in QGIS."""
    store, (base, half, _) = volume
    dataset = open_raster(store)
    assert dataset.GetGeoTransform() == pytest.approx((1.875, 0.25, 0, -0.875, 0, -0.25))
    window = gdal.Translate("", dataset, format="MEM", bandList=[1], projWin=[1.875, -0.875, 1.875 + 2.5, -0.875 - 1])
    np.testing.assert_array_equal(window.ReadAsArray(), base[0, 0, 0, :4, :10])
    warped = gdal.Warp("", dataset, format="MEM", outputBounds=[1.875, -16.875, 13.875, -0.875], width=48, height=64,
                       srcSRS="EPSG:3857", dstSRS="EPSG:3857")  # fmt: skip
    np.testing.assert_array_equal(warped.GetRasterBand(1).ReadAsArray(), base[0, 0, 0])
    assert cpl.events == []


def test_black_is_not_transparent(volume, cpl):
    store, (base, *_) = volume
    assert open_band(store).GetNoDataValue() is None
    assert open_band(store).ComputeStatistics(False)[0] == 0
    assert open_band(store, 1, ["FILL_VALUE_AS_NODATA=YES"]).GetNoDataValue() == 0
    assert open_band(store, 1, ["FILL_VALUE_AS_NODATA=NO"]).GetNoDataValue() is None
    group = zarr.open_group(str(store), mode="r+")
    group.create_dataset("plain", data=base[0, 0, 0], fill_value=0)
    assert open_band(array_name(store, "plain")).GetNoDataValue() == 0
    values = [open_array(store, path).GetNoDataValueAsDouble() for path in ("0", "1", "plain")]
    assert values == [None, None, 0]
    assert cpl.events == []


def test_one_cause_is_one_warning(tmp_path, cpl):
    store = tmp_path / "o.zarr"
    group = zarr.open_group(str(store), mode="w")
    values = np.zeros((40, 32, 32), "u1")
    for i in range(3):
        group.create_dataset(str(i), data=values[:, :: 2**i, :: 2**i])
    group.attrs["multiscales"] = [{"version": "0.4", "axes": AXES[1:2] + AXES[3:],
                                   "datasets": [{"path": str(i)} for i in range(3)]}]
    group.attrs["omero"] = {"channels": [{"label": i, "color": "GG0000", "window": {"min": "a"}} for i in range(40)]}
    dataset = gdal.Open(str(store))
    assert dataset.GetRasterBand(7).GetOverviewCount() == 2
    assert dataset.GetRasterBand(7).GetDescription() == "6"  # the channel's label is the number 6
    assert cpl.errors == [] and len(cpl.warnings) == 1
    assert "omero.channels[0].color" in cpl.warnings[0]


def add_labels(store, said, values):
    labels = zarr.open_group(str(store), mode="r+").create_group("labels")
    labels.attrs["labels"] = [0, "cells"]
    for name in ("0", "cells"):
        group = labels.create_group(name)
        group.create_dataset("0", data=values, fill_value=0)
        group.attrs["multiscales"] = [{"version": "0.4", "axes": AXES[3:], "datasets": [{"path": "0"}]}]
        group.attrs["image-label"] = said


def test_labels_have_colours_and_properties(volume, cpl):
    store, _ = volume
    values = (np.arange(64 * 48).reshape(64, 48) % 4).astype("u1")
    add_labels(store, {
        "colors": [{"label-value": 2, "rgba": [0, 255, 0, 128]}, {"label-value": 1, "rgba": [255, 0, 0, 255]},
                   {"label-value": 3, "rgba": [0, 300, 0, 0]}, {"rgba": [1, 2, 3, 4]}, 5],
        "properties": [{"label-value": 1, "class": "nucleus", "area": 12.5},
                       {"label-value": 2, "class": "cell", "extra": {"a": [1]}}],
    }, values)  # fmt: skip
    for name in ("labels/0", "labels/cells"):
        band = open_band(array_name(store, name))
        np.testing.assert_array_equal(band.ReadAsArray(), values)
        rat = band.GetDefaultRAT()
        columns = [rat.GetNameOfCol(i) for i in range(rat.GetColumnCount())]
        rows = [dict(zip(columns, (rat.GetValueAsString(row, i) for i in range(len(columns)))))
                for row in range(rat.GetRowCount())]  # fmt: skip
        assert [row["Value"] for row in rows] == ["1", "2", "3"]
        assert (rows[0]["Red"], rows[0]["Alpha"], rows[1]["Green"], rows[1]["Alpha"]) == ("255", "255", "255", "128")
        assert rows[0]["class"] == "nucleus" and rows[0]["area"] == "12.5" and rows[1]["extra"].startswith("{")
        assert rat.GetUsageOfCol(columns.index("class")) == gdal.GFU_Name
        assert band.GetColorTable().GetColorEntry(2) == (0, 255, 0, 128)
        assert band.GetColorInterpretation() == gdal.GCI_PaletteIndex
        assert band.GetNoDataValue() == 0  # label 0 is the background
    listed = [name.rpartition(":")[2] for name, _ in open_raster(store).GetSubDatasets()]
    assert listed == ["/0", "/labels/0/0", "/labels/cells/0"]
    assert cpl.events == []


@pytest.mark.parametrize("said", [None, {}, 5, {"colors": {}}, {"colors": [{"label-value": 2**40, "rgba": [1, 1, 1, 1]}]},
                                  {"properties": [{"label-value": "1"}]}])  # fmt: skip
def test_labels_that_say_nothing_of_use(volume, cpl, said):
    store, _ = volume
    add_labels(store, said, np.ones((64, 48), "u1"))
    band = open_band(array_name(store, "labels/cells"))
    assert band.GetColorTable() is None
    assert int(band.ReadAsArray().min()) == 1
    assert cpl.errors == []


# Tests of bands along several dimensions, selected by coordinates


@pytest.mark.parametrize("selection, indices", [
    ("t=1,c=2", (1, 2, slice(None))), ("c=0", (slice(None), 0, slice(None))), ("z=4.5", (slice(None), slice(None), 3)),
    ("t=12,z=7,c=1", (1, 1, 7)), ("t=10.0, c=2", (0, 2, slice(None))), ("", (slice(None),) * 3),
])  # fmt: skip
def test_slices_by_name(volume, cpl, selection, indices):
    store, (base, half, _) = volume
    wanted = base[indices].reshape(-1, 64, 48)
    names = [(str(store), [f"SELECT={selection}"])]
    if selection:
        names.append((array_name(store, f"0:{selection}"), []))
    for name, options in names:
        dataset = open_raster(name, *options)
        np.testing.assert_array_equal(dataset.ReadAsArray().reshape(wanted.shape), wanted)
        assert dataset.GetRasterBand(1).GetOverviewCount() == 2
    assert cpl.events == []


@pytest.mark.parametrize("selection, cause", [
    ("q=1", "there is no dimension \"q\" beside X and Y; there is t, c, z"), ("x=1", "no dimension \"x\""),
    ("t", "expected dimension=index"), ("t=", "expected dimension=index"), ("=1", "expected dimension=index"),
    ("t=1,t=0", "named twice"), ("c=9", "has no coordinates; expected an index from 0 to 2"),
    ("z=99", "has no coordinate \"99\""),
])  # fmt: skip
def test_selections_that_select_nothing(volume, cpl, selection, cause):
    store, _ = volume
    assert gdal.OpenEx(str(store), gdal.OF_RASTER, open_options=[f"SELECT={selection}"]) is None
    assert cause in cpl.the_error()
