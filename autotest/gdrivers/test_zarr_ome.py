# SPDX-License-Identifier: MIT
"""Images of OME-NGFF: channels, colours, ranges, physical sizes, labels and plates."""

import pathlib

import numpy as np
import pytest
import zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster, read_all
from zarr_places import assert_place

PYRAMIDS = pathlib.Path(__file__).resolve().parents[2] / "data" / "pyramids"
IMAGE = PYRAMIDS / "ome_0.4.zarr"


def subdatasets(name):
    return [listed for listed, _ in gdal.Open(str(name)).GetSubDatasets()]


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


def test_a_slice_has_its_channel():
    dataset = open_raster(array_name(IMAGE, "0:1"))
    assert dataset.RasterCount == 1
    band = dataset.GetRasterBand(1)
    assert band.GetDescription() == "Dapi"
    assert band.GetColorInterpretation() == gdal.GCI_RedBand
    assert (band.GetOverviewCount(), band.GetOverview(0).XSize) == (2, 64)


def test_a_colour_that_is_none_of_the_three_is_metadata_only(tmp_path):
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


def test_physical_size_is_a_geotransform_without_a_crs():
    for name in ("ome_0.4.zarr", "ome_one_chunk.zarr", "ome_two_levels.zarr"):
        dataset = open_raster(PYRAMIDS / name)
        assert_place(dataset, (-0.25, 0.5, 0, -0.25, 0, 0.5))
        assert dataset.GetSpatialRef() is None
        metadata = dataset.GetMetadata()
        assert (metadata["OME_UNIT_X"], metadata["OME_UNIT_Y"]) == ("micrometer", "micrometer")
    metadata = open_raster(PYRAMIDS / "ome_0.3.zarr").GetMetadata()
    assert "OME_UNIT_X" not in metadata


def test_slices_along_z():
    dataset = open_raster(PYRAMIDS / "ome_three_z_chunks.zarr")
    names = [dataset.GetRasterBand(i + 1).GetDescription() for i in range(3)]
    assert names == ["z=0", "z=1", "z=2"]
    values = zarr.open_array(str(PYRAMIDS / "ome_three_z_chunks.zarr" / "0"), mode="r")[...]
    np.testing.assert_array_equal(read_all(dataset), values)


def test_labels_are_listed_beside_the_image():
    assert subdatasets(IMAGE) == [array_name(IMAGE, path) for path in ("0", "labels/cells/0")]
    labels = open_raster(array_name(IMAGE, "labels/cells"))
    assert labels.GetRasterBand(1).GetOverviewCount() == 1


def test_a_plate_lists_its_images():
    plate = PYRAMIDS / "ome_plate.zarr"
    names = subdatasets(plate)
    assert names == [array_name(plate, path) for path in ("A/1/0/0", "B/1/0/0")]
    for name in names:
        dataset = open_raster(name)
        assert (dataset.RasterXSize, dataset.RasterYSize) == (32, 24)
        assert dataset.GetRasterBand(1).GetOverview(0).XSize == 16
    assert subdatasets(plate / "A") == []  # one image opens by itself
    assert open_raster(plate / "A").RasterXSize == 32
