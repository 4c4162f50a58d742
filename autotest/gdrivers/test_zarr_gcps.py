# SPDX-License-Identifier: MIT
"""Control points and a geotransform that a raster gets one after the other, as in GTiff."""

import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import error_log, gdal_is_at_least, open_raster
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
TRANSFORM = (500000, 10, 0, 5000000, 0, -10)
WGS84 = osr.SpatialReference()
WGS84.ImportFromEPSG(4326)


def points(*ids):
    return [gdal.GCP(float(i), 2.0 * i, 3, 1 + i, 2, "info", name) for i, name in enumerate(ids)]


def create(path, options=()):
    made = gdal.GetDriverByName("Zarr").Create(str(path), 4, 3, options=list(options))
    made.GetRasterBand(1).Fill(1)
    utm = osr.SpatialReference()
    utm.ImportFromEPSG(32632)
    made.SetGeoTransform(TRANSFORM)
    made.SetSpatialRef(utm)
    return made


def transform(dataset):
    return dataset.GetGeoTransform(can_return_null=True)


@pytest.mark.parametrize("convention", ["GDAL", "CF", "SPATIAL_PROJ", "ALL"])
@pytest.mark.parametrize("is_new", [True, False])
def test_control_points_clear_the_geotransform(tmp_path, cpl, convention, is_new):
    changed = create(tmp_path / "a.zarr", [f"GEOREFERENCING_CONVENTION={convention}"])
    if not is_new:
        changed = None
        changed = gdal.Open(str(tmp_path / "a.zarr"), gdal.GA_Update)
    assert changed.SetGCPs(points("one", "z"), WGS84.ExportToWkt()) == gdal.CE_None
    assert transform(changed) is None and changed.GetGCPCount() == 2
    changed = None
    (warning,) = cpl.warnings
    assert warning.endswith("A geotransform previously set is going to be cleared due to the setting of GCPs.")
    read = open_raster(tmp_path / "a.zarr")
    assert transform(read) is None
    assert [point.Id for point in read.GetGCPs()] == ["one", "z"]
    assert read.GetGCPSpatialRef().GetAuthorityCode(None) == "4326"


def test_a_geotransform_clears_control_points(tmp_path, cpl):
    create(tmp_path / "a.zarr").SetGCPs(points("one"), WGS84.ExportToWkt())
    cpl.clear()
    changed = gdal.Open(str(tmp_path / "a.zarr"), gdal.GA_Update)
    changed.SetGeoTransform(TRANSFORM)
    changed = None
    (warning,) = cpl.warnings
    assert warning.endswith("GCPs previously set are going to be cleared due to the setting of a geotransform.")
    read = open_raster(tmp_path / "a.zarr")
    assert transform(read) == TRANSFORM and read.GetGCPCount() == 0


def test_coordinates_that_other_arrays_use_stay(tmp_path, cpl):
    array = {"values": [[1, 2], [3, 4]], "dims": ("y", "x")}
    store = make_store(tmp_path, {"a": array, "b": array, "x": {"values": [1.0, 2.0], "dims": ("x",)},
                                  "y": {"values": [2.0, 1.0], "dims": ("y",)}})  # fmt: skip
    changed = gdal.Open(f'ZARR:"{store}":/a', gdal.GA_Update)
    changed.SetGCPs(points("one"), "")
    changed = None
    assert len(cpl.warnings) == 3 and "other arrays use the coordinates /x" in cpl.warnings[1]
    assert transform(gdal.Open(f'ZARR:"{store}":/b')) == (0.5, 1, 0, 2.5, 0, -1)


def test_a_copy_keeps_both(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    source.SetGeoTransform(TRANSFORM)
    source.SetGCPs(points("a", "b"), WGS84.ExportToWkt())
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    read = open_raster(tmp_path / "a.zarr")
    assert transform(read) == transform(source) and [p.Id for p in read.GetGCPs()] == ["a", "b"]
    assert cpl.events == []


@pytest.mark.skipif(not gdal_is_at_least(3, 8), reason="GDAL has the method since 3.8")
def test_a_subset_of_a_group(tmp_path, cpl):
    values = {"values": [[1, 2], [3, 4]], "dims": ("y", "x")}
    store = make_store(tmp_path, {"a": values, "x": {"values": [10.0, 20.0], "dims": ("x",)}, "g/b": values,
                                  "g/x": {"values": [10.0, 20.0], "dims": ("x",)}})  # fmt: skip
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    # GDAL finds the coordinates of a selection by their full name, from the root on.
    for selection, name in (("/x=20", "/a"), ("/g/x=20", "/g/b")):
        with error_log() as log:
            subset = root.SubsetDimensionFromSelection(selection)
        assert subset is not None, log.events
        assert subset.OpenMDArrayFromFullname(name).ReadAsArray().tolist() == [[2], [4]]
    assert cpl.events == []
