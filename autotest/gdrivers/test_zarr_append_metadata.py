# SPDX-License-Identifier: MIT
"""APPEND_DIM and metadata: each slice keeps the description and the metadata items of its scene."""

import pytest
import xarray
import zarr_formats
from osgeo import gdal
from zarr_gdal import error_log, open_raster

pytestmark = zarr_formats.BOTH
APPEND = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time"]


def scene(number, description=True, **items):
    dataset = gdal.GetDriverByName("MEM").Create("", 40, 30, 1, gdal.GDT_Byte)
    dataset.SetGeoTransform((0, 1, 0, 30, 0, -1))
    band = dataset.GetRasterBand(1)
    band.Fill(number)
    if description:
        band.SetDescription(f"scene {number}")
    band.SetMetadataItem("CLOUD_COVER", str(number * 10))
    for key, value in {"SCENE_ID": f"S{number}", **items}.items():
        dataset.SetMetadataItem(key, value)
    return dataset


def copy(store, source, *options):
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=list(options)), log.events
    return log


def make(store, source, day=1, *options):
    copy(store, source, "BAND_DIM=time", f"BAND_DIM_VALUES=2024-05-{day:02}", *options).assert_quiet()


def append(store, source, *days):
    text = ",".join(f"2024-05-{day:02}" for day in days)
    copy(store, source, *APPEND, f"APPEND_DIM_VALUES={text}").assert_quiet()


def assert_band(dataset, number, of, **items):
    band = dataset.GetRasterBand(number)
    found = {key: value for key, value in band.GetMetadata().items() if not key.startswith("DIM_")}
    assert band.ReadAsArray()[0, 0] == of
    assert band.GetDescription() == f"scene {of}"
    assert found == {"CLOUD_COVER": str(of * 10), **items}


@pytest.mark.parametrize("options", [[], ["PROFILE=CLOUD"]])
def test_each_slice_has_its_own_metadata(tmp_path, options):
    store = tmp_path / "a.zarr"
    if options:
        options = [*options, "FORMAT=ZARR_V3" if zarr_formats.is_v3() else "FORMAT=ZARR_V2"]
    make(store, scene(1), 1, *options)
    append(store, scene(2), 2)
    dataset = open_raster(store)
    assert_band(dataset, 1, 1, SCENE_ID="S1")
    assert_band(dataset, 2, 2, SCENE_ID="S2")
    assert dataset.GetRasterBand(2).GetMetadataItem("DIM_time_TIME") == "2024-05-02T00:00:00Z"
    # Metadata items of a single scene do not become items of the whole cube.
    assert not {"SCENE_ID", "CLOUD_COVER", "long_name"} & set(dataset.GetMetadata())
    append(store, scene(3), 1)
    append(store, scene(4), 3)
    dataset = open_raster(store)
    for number, of in ((1, 3), (2, 2), (3, 4)):
        assert_band(dataset, number, of, SCENE_ID=f"S{of}")
    with xarray.open_zarr(str(store), consolidated=None) as opened:
        assert not {"SCENE_ID", "CLOUD_COVER", "long_name"} & set(opened["a"].attrs)


def test_the_only_slice_is_replaced(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, scene(1))
    append(store, scene(2), 1)
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("SCENE_ID") == "S2"
    assert_band(dataset, 1, 2)
    assert zarr_formats.attributes(store, "a")["CLOUD_COVER"] in ("20", 20)


def test_items_that_all_scenes_share_stay(tmp_path):
    store = tmp_path / "a.zarr"
    make(store, scene(1, MISSION="X"))
    append(store, scene(2, MISSION="X"), 2)
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("MISSION") == "X"
    assert_band(dataset, 2, 2, SCENE_ID="S2")


def test_items_of_a_cube_with_more_slices_stay(tmp_path):
    """Attributes of a cube with several slices stay unchanged by an append, because they do not describe a
    single scene."""
    store = tmp_path / "a.zarr"
    both = gdal.GetDriverByName("MEM").Create("", 40, 30, 2, gdal.GDT_Byte)
    both.SetGeoTransform((0, 1, 0, 30, 0, -1))
    both.SetMetadataItem("title", "the cube")
    copy(store, both, "BAND_DIM=time", "BAND_DIM_VALUES=2024-05-01,2024-05-02").assert_quiet()
    append(store, scene(3, title="a scene"), 3)
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("title") == "the cube"
    assert_band(dataset, 3, 3, SCENE_ID="S3", title="a scene")
    assert dataset.GetRasterBand(1).GetDescription() == "time=2024-05-01T00:00:00Z"


def test_a_slice_without_description(tmp_path):
    """An appended slice without a description replaces a slice that has one. The description of the band is then the time of the slice."""
    store = tmp_path / "a.zarr"
    make(store, scene(1))
    append(store, scene(2), 2)
    append(store, scene(3, description=False), 2)
    dataset = open_raster(store)
    band = dataset.GetRasterBand(2)
    assert band.GetDescription() == "time=2024-05-02T00:00:00Z"
    assert band.GetMetadataItem("CLOUD_COVER") == "30"
    # Band 2 has no stored description, so the driver describes it by its time. If this band is appended, its
    # description is not stored.
    cut = gdal.Translate("", str(store), format="MEM", bandList=[2])
    append(store, cut, 9)
    dataset = open_raster(store)
    assert dataset.GetRasterBand(3).GetDescription() == "time=2024-05-09T00:00:00Z"


def test_descriptions_that_cannot_be_stored(tmp_path):
    store = tmp_path / "a.zarr"
    both = gdal.GetDriverByName("MEM").Create("", 40, 30, 2, gdal.GDT_Byte)
    copy(store, both, "BAND_DIM=time").assert_quiet()
    log = copy(store, scene(3), *APPEND)
    assert len(log.events) == 1
    assert 'descriptions of the source are not stored, because dimension "time" has no coordinates: "scene 3"' in (
        str(log.events[0])
    )
    dataset = open_raster(store)
    assert dataset.RasterCount == 3
    assert dataset.GetRasterBand(3).GetMetadataItem("CLOUD_COVER") == "30"


def test_two_slices_at_once_and_from_a_file(tmp_path):
    """Two slices from a GeoTIFF are appended. The first replaces the array's only slice, and the second is new.
    Each slice has its own metadata."""
    store = tmp_path / "a.zarr"
    make(store, scene(1))
    both = gdal.GetDriverByName("GTiff").Create(str(tmp_path / "s.tif"), 40, 30, 2, gdal.GDT_Byte)
    both.SetGeoTransform((0, 1, 0, 30, 0, -1))
    for number, of in ((1, 5), (2, 6)):
        band = both.GetRasterBand(number)
        band.Fill(of)
        band.SetDescription(f"scene {of}")
        band.SetMetadataItem("CLOUD_COVER", str(of * 10))
    both = None
    append(store, gdal.Open(str(tmp_path / "s.tif")), 1, 2)
    dataset = open_raster(store)
    assert_band(dataset, 1, 5)
    assert_band(dataset, 2, 6)


def classified(number, colour, names):
    """Returns a scene whose band has a colour table, category names, an attribute table and a metadata domain."""
    dataset = scene(number)
    band = dataset.GetRasterBand(1)
    table = gdal.ColorTable()
    for i in range(4):
        table.SetColorEntry(i, (colour, i, i, 255))
    band.SetColorTable(table)
    band.SetCategoryNames(names)
    attributes = gdal.RasterAttributeTable()
    attributes.CreateColumn("area", gdal.GFT_Integer, gdal.GFU_Generic)
    attributes.SetRowCount(1)
    attributes.SetValueAsInt(0, 0, colour)
    band.SetDefaultRAT(attributes)
    band.SetMetadata({"version": str(colour)}, "CLASSES")
    return dataset


def classes_of(dataset, number=1):
    band = dataset.GetRasterBand(number)
    colours, attributes = band.GetColorTable(), band.GetDefaultRAT()
    return [
        colours and colours.GetColorEntry(2),
        band.GetCategoryNames(),
        gdal.GetColorInterpretationName(band.GetColorInterpretation()),
        attributes and attributes.GetValueAsInt(0, 0),
        band.GetMetadata("CLASSES"),
    ]


@pytest.mark.parametrize("others", [False, True], ids=["equal", "other"])
def test_appended_slices_keep_their_classes(tmp_path, others):
    """An appended slice has the colours and the classes of its scene, and so has a slice that replaces another."""
    store = tmp_path / "c.zarr"
    names = ["sea", "bare soil", "ice"]
    scenes = [classified(1, 10, names)] + [classified(i, 10 + i * others, names[: 3 - others]) for i in (2, 3)]
    make(store, scenes[0], 1)
    append(store, scenes[1], 2)
    expected = [classes_of(dataset) for dataset in scenes]
    assert [classes_of(open_raster(store), i) for i in (1, 2)] == expected[:2]
    append(store, scenes[2], 2)
    assert [classes_of(open_raster(store), i) for i in (1, 2)] == [expected[0], expected[2]]
    # A scene without classes leaves those of the slice that it replaces.
    append(store, scene(4), 1)
    assert classes_of(open_raster(store))[:4] == expected[0][:4]
