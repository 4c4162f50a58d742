# SPDX-License-Identifier: MIT
"""OME-NGFF images: their channels, colours, ranges of values, physical sizes, labels and plates."""

import pathlib

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_band, open_raster, read_all
from zarr_georeferencing import assert_geotransform
from zarr_mdim import open_array
from zarr_ome import make_image, multiscales, values_of

pytestmark = zarr_formats.READERS
PYRAMIDS = pathlib.Path(__file__).resolve().parents[2] / "data" / "pyramids"
IMAGE = PYRAMIDS / "ome_0.4.zarr"


def subdatasets(name):
    return [listed for listed, _ in gdal.Open(str(name)).GetSubDatasets()]


@zarr_formats.V2
@pytest.mark.parametrize("name", [IMAGE, array_name(IMAGE, "0")], ids=["group", "array"])
def test_channels_name_and_colour_the_bands(name):
    dataset = open_raster(name)
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    assert [band.GetDescription() for band in bands] == ["LaminB1", "Dapi"]
    colours = [band.GetColorInterpretation() for band in bands]
    assert colours == [gdal.GCI_BlueBand, gdal.GCI_RedBand]
    wanted = [("LaminB1", "0000FF", "0", "500"), ("Dapi", "FF0000", "1000", "1500")]
    for band, (label, colour, start, end) in zip(bands, wanted):
        metadata = band.GetMetadata()
        assert metadata["OMERO_LABEL"] == label
        assert metadata["OMERO_COLOR"] == colour
        assert (metadata["OMERO_MIN"], metadata["OMERO_MAX"]) == ("0", "65535")
        assert (metadata["OMERO_START"], metadata["OMERO_END"]) == (start, end)
        assert metadata["OMERO_ACTIVE"] == "YES"


@zarr_formats.V2
def test_a_slice_has_its_channel():
    dataset = open_raster(array_name(IMAGE, "0:1"))
    assert dataset.RasterCount == 1
    band = dataset.GetRasterBand(1)
    assert band.GetDescription() == "Dapi"
    assert band.GetColorInterpretation() == gdal.GCI_RedBand
    assert (band.GetOverviewCount(), band.GetOverview(0).XSize) == (2, 64)


def test_a_colour_other_than_red_green_and_blue_is_metadata_only(tmp_path):
    group = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
    group.array("0", np.zeros((2, 4, 5), "u1"))
    axes = [{"name": name, "type": "space"} for name in "yx"]
    group.attrs["multiscales"] = [
        {"version": "0.4", "axes": [{"name": "c", "type": "channel"}, *axes],
         "datasets": [{"path": "0"}]}
    ]  # fmt: skip
    group.attrs["omero"] = {"channels": [{"label": "red", "color": "ff8000"}, {"color": "00ff00"}]}
    dataset = open_raster(tmp_path / "x.zarr")
    first, second = dataset.GetRasterBand(1), dataset.GetRasterBand(2)
    assert first.GetDescription() == "red" and first.GetMetadataItem("OMERO_COLOR") == "FF8000"
    assert first.GetColorInterpretation() == gdal.GCI_Undefined
    assert second.GetDescription() == "c=1"
    assert second.GetColorInterpretation() == gdal.GCI_GreenBand


@zarr_formats.V2
def test_physical_size_is_a_geotransform_without_a_crs():
    for name in ("ome_0.4.zarr", "ome_one_chunk.zarr", "ome_two_levels.zarr"):
        dataset = open_raster(PYRAMIDS / name)
        assert_geotransform(dataset, (-0.25, 0.5, 0, 0.25, 0, -0.5))
        assert dataset.GetSpatialRef() is None
        metadata = dataset.GetMetadata()
        assert (metadata["OME_UNIT_X"], metadata["OME_UNIT_Y"]) == ("micrometer", "micrometer")
    metadata = open_raster(PYRAMIDS / "ome_0.3.zarr").GetMetadata()
    assert "OME_UNIT_X" not in metadata


@zarr_formats.V2
def test_slices_along_z():
    dataset = open_raster(PYRAMIDS / "ome_three_z_chunks.zarr")
    names = [dataset.GetRasterBand(i + 1).GetDescription() for i in range(3)]
    assert names == ["z=0 micrometer", "z=2 micrometer", "z=4 micrometer"]
    values = zarr.open_array(str(PYRAMIDS / "ome_three_z_chunks.zarr" / "0"), mode="r")[...]
    np.testing.assert_array_equal(read_all(dataset), values)


@zarr_formats.V2
def test_labels_are_listed_beside_the_image():
    assert subdatasets(IMAGE) == [array_name(IMAGE, path) for path in ("0", "labels/cells/0")]
    labels = open_raster(array_name(IMAGE, "labels/cells"))
    assert labels.GetRasterBand(1).GetOverviewCount() == 1


@zarr_formats.V2
def test_a_plate_lists_its_images():
    plate = PYRAMIDS / "ome_plate.zarr"
    names = subdatasets(plate)
    assert names == [array_name(plate, path) for path in ("A/1/0/0", "B/1/0/0")]
    for name in names:
        dataset = open_raster(name)
        assert (dataset.RasterXSize, dataset.RasterYSize) == (32, 24)
        assert dataset.GetRasterBand(1).GetOverview(0).XSize == 16
    assert subdatasets(plate / "A") == []  # a single image opens as a raster, without subdatasets
    assert open_raster(plate / "A").RasterXSize == 32


# ---------------------------------------------------------------------------------------------
# Levels in folders at any depth below the image

DEPTHS = {
    "beside": ("0", "1"), "in groups": ("scale0/image", "scale1/image"), "deep": ("a/b/0", "a/c/1"),
}  # fmt: skip


def assert_is_cells(dataset, values, place=(-0.25, 0.5, 0, 0.25, 0, -0.5)):
    np.testing.assert_array_equal(read_all(dataset), values)
    bands = [dataset.GetRasterBand(i + 1) for i in range(2)]
    assert [band.GetDescription() for band in bands] == ["Dapi", "GFP"]
    colours = [band.GetColorInterpretation() for band in bands]
    assert colours == [gdal.GCI_BlueBand, gdal.GCI_GreenBand]
    assert bands[1].GetMetadataItem("OMERO_COLOR") == "00FF00"
    assert_geotransform(dataset, place)
    assert dataset.GetSpatialRef() is None
    metadata = dataset.GetMetadata()
    assert (metadata["OME_UNIT_X"], metadata["OME_UNIT_Y"]) == ("micrometer", "micrometer")


@pytest.mark.parametrize("at", ["", "fields/7"])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_level_has_what_its_image_says(tmp_path, depth, turned, named, at):
    paths = DEPTHS[depth]
    store, values = make_image(
        tmp_path, paths, turned=turned, named=named, at=at, attrs={"microscope": "LSM"}
    )
    image, base = array_name(store, at) if at else store, f"{at}/{paths[0]}".strip("/")
    for name in (image, array_name(store, base)):
        dataset = open_raster(name)
        assert_is_cells(dataset, values)
        assert dataset.GetMetadataItem("microscope") == "LSM"
        assert dataset.GetRasterBand(1).GetOverviewCount() == 1
        smaller = dataset.GetRasterBand(2).GetOverview(0)
        np.testing.assert_array_equal(smaller.ReadAsArray(), values[1, ::2, ::2])
    level = open_raster(array_name(store, f"{at}/{paths[1]}"))
    assert_is_cells(level, values[:, ::2, ::2], (-0.5, 1, 0, 0.5, 0, -1))
    green = open_raster(array_name(store, f"{base}:1"))
    assert green.GetRasterBand(1).GetDescription() == "GFP"


@pytest.mark.parametrize("depth", DEPTHS)
def test_dimensions_of_a_level_in_the_multidimensional_api(tmp_path, depth):
    paths = DEPTHS[depth]
    store, _ = make_image(tmp_path, paths, turned=True)
    dimensions = open_array(store, paths[0]).GetDimensions()
    assert [d.GetName() for d in dimensions] == ["c", "x", "y"]
    assert [d.GetType() for d in dimensions] == ["", "HORIZONTAL_X", "HORIZONTAL_Y"]
    variable = dimensions[1].GetIndexingVariable()
    np.testing.assert_allclose(variable.ReadAsArray(), 0.5 * np.arange(16))
    assert open_band(store).GetMetadataItem("DIM_c_INDEX") == "0"


@pytest.mark.parametrize("version", ["0.1", "0.2", "0.3"])
def test_levels_of_older_versions_below_groups(tmp_path, version):
    store, values = make_image(tmp_path, DEPTHS["in groups"], "tczyx", version)
    dataset = open_raster(store)
    np.testing.assert_array_equal(read_all(dataset), values)
    assert dataset.GetRasterBand(2).GetColorInterpretation() == gdal.GCI_GreenBand
    assert "GFP" in dataset.GetRasterBand(2).GetDescription()
    array = open_array(store, "scale0/image")
    assert [d.GetName() for d in array.GetDimensions()] == list("tczyx")


def test_the_nearest_image_describes_a_level(tmp_path):
    paths = DEPTHS["in groups"]
    make_image(tmp_path, paths, attrs={"of": "outer"})
    store, values = make_image(tmp_path, paths, at="inner", attrs={"of": "inner"})
    group = zarr.open_group(str(store), mode="r+")
    outer = group.attrs["multiscales"]
    outer[0]["datasets"].append({"path": "inner/scale0/image", "coordinateTransformations": [
        {"type": "scale", "scale": [7.0, 7.0, 7.0]}]})  # fmt: skip
    group.attrs["multiscales"] = outer
    dataset = open_raster(array_name(store, "inner/scale0/image"))
    assert_is_cells(dataset, values)
    assert dataset.GetMetadataItem("of") == "inner"


def test_an_array_that_no_image_lists_has_no_image_metadata(tmp_path):
    store, _ = make_image(tmp_path, DEPTHS["in groups"])
    group = zarr.open_group(str(store), mode="r+")
    group["scale0"].create_dataset("mask", data=np.zeros((2, 12, 16), "u1"))
    dataset = open_raster(array_name(store, "scale0/mask"))
    assert dataset.GetRasterBand(2).GetDescription() == "dim0=1"
    assert dataset.GetRasterBand(1).GetColorInterpretation() == gdal.GCI_Undefined
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert "OME_UNIT_X" not in dataset.GetMetadata()


@zarr_formats.BOTH
def test_labels_and_fields_of_a_plate_below_groups(tmp_path):
    paths = ["scale0/image", "scale1/image"]
    store = tmp_path / "plate.zarr"
    root = zarr.open_group(str(store), mode="w")
    root.attrs["plate"] = {"version": "0.4", "columns": [{"name": "1"}], "rows": [{"name": "A"}],
                           "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}]}  # fmt: skip
    root.create_group("A/1").attrs["well"] = {"images": [{"path": "0"}]}
    root.create_group("A/1/0/labels").attrs["labels"] = ["cells"]
    for number, image in enumerate(("A/1/0", "A/1/0/labels/cells")):
        group = root.require_group(image)
        group.attrs["multiscales"] = multiscales(2, paths=paths)
        for k, path in enumerate(paths):
            values = values_of(number)[:: 2**k, :: 2**k]
            group.create_dataset(path, data=values, fill_value=None)
    names = subdatasets(store)
    assert names == [
        array_name(store, f"{image}/scale0/image") for image in ("A/1/0", "A/1/0/labels/cells")
    ]
    for number, name in enumerate(names):
        dataset = open_raster(name)
        np.testing.assert_array_equal(dataset.ReadAsArray(), values_of(number))
        assert_geotransform(dataset, (-0.25, 0.5, 0, 0.25, 0, -0.5))
        assert dataset.GetRasterBand(1).GetOverview(0).XSize == 16
        assert dataset.GetMetadataItem("OME_UNIT_X") == "micrometer"
