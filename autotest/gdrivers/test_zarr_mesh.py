# SPDX-License-Identifier: MIT
"""The cells of HEALPix grids and unstructured meshes are not in rows and columns, so their numbers give no
geotransform. One message says so."""

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_georeferencing import assert_geotransform, epsg
from zarr_mdim import open_array
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
VALUES = np.arange(48.0).reshape(4, 12)
HEALPIX = {"grid_name": "healpix", "level": 0, "indexing_scheme": "nested"}


def write(folder, dims=("time", "cell"), attrs=None, group_attrs=None, cells=None, numbered=True, values=VALUES, **others):
    arrays = {"data": {"values": values, "dims": dims, "attrs": attrs or {}}, **others}
    if len(dims) == 2:
        time = {"units": "days since 2020-01-01"} if dims[0] == "time" else {}
        arrays[dims[0]] = {"values": np.arange(4), "dims": dims[:1], "attrs": time}
    if numbered:
        arrays[dims[-1]] = {"values": np.arange(12), "dims": dims[-1:], "attrs": cells or {}}
    return array_name(make_store(folder, arrays, attributes=group_attrs), "data")


def mapping(**attrs):
    return {"values": np.array(0, "i4"), "dims": (), "attrs": attrs}


CDI = {"CDI_grid_type": "unstructured", "number_of_grid_in_reference": 1}
CASES = {
    "xdggs": ({"cells": HEALPIX, "dims": ("time", "cell_ids")}, "HEALPix"),
    "xdggs beside": ({"dims": ("time", "cells"), "numbered": False, "attrs": {"coordinates": "cell_ids"},
                      "cell_ids": {"values": np.arange(12), "dims": ("cells",), "attrs": HEALPIX}}, "global grid"),
    "CF": ({"attrs": {"grid_mapping": "crs"}, "crs": mapping(grid_mapping_name="healpix", refinement_level=0)}, "HEALPix"),
    "crs": ({"crs": mapping(grid_mapping_name="healpix", healpix_nside=1, healpix_order="nest")}, "HEALPix"),
    "dggs": ({"group_attrs": {"dggs": {"name": "healpix", "refinement_level": 0}}, "dims": ("time", "zone")}, "HEALPix"),
    "other dggs": ({"attrs": {"dggs": {"name": "h3"}}}, "global grid"),
    "UGRID": ({"attrs": {"mesh": "mesh2d", "location": "face"}, "dims": ("time", "nMesh2_face")}, "mesh"),
    "ICON": ({"attrs": {**CDI, "coordinates": "clat clon"}, "dims": ("height", "ncells")}, "mesh"),
    "ICON group": ({"group_attrs": {"number_of_grid_used": 10}, "dims": ("height", "values")}, "mesh"),
    "names": ({}, "mesh"), "ncells": ({"dims": ("level", "ncells")}, "mesh"), "MPAS": ({"dims": ("time", "nCells")}, "mesh"),
    "one dimension": ({"dims": ("cell",), "values": VALUES[0], "cells": HEALPIX}, "HEALPix"),
    "turned": ({"dims": ("time", "cell"), "attrs": CDI}, "mesh"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cells(tmp_path, cpl, case):
    arguments, kind = CASES[case]
    dataset = gdal.Open(write(tmp_path, **arguments))
    for _ in range(2):
        assert dataset.GetGeoTransform(can_return_null=True) is None
        assert dataset.GetSpatialRef() is None and dataset.GetMetadata("GEOLOCATION") == {}
    assert len(cpl.warnings) == 1 and "not in rows and columns" in cpl.warnings[0] and kind in cpl.warnings[0]
    expected = arguments.get("values", VALUES)
    assert np.array_equal(dataset.ReadAsArray().reshape(expected.shape), expected)


def test_multidimensional(tmp_path, cpl):
    write(tmp_path, **CASES["CF"][0])
    array = open_array(tmp_path / "store.zarr", "data")
    assert array.GetSpatialRef() is None
    assert np.array_equal(array.ReadAsArray(), VALUES)
    assert len(cpl.warnings) == 1 and "HEALPix" in cpl.warnings[0]


def test_the_crs_of_a_mesh(tmp_path):
    crs = mapping(grid_mapping_name="latitude_longitude", crs_wkt="EPSG:4326")
    name = write(tmp_path, attrs={"mesh": "m", "location": "node", "grid_mapping": "crs"}, crs=crs)
    assert epsg(open_raster(name)) == 4326


@pytest.mark.parametrize("arguments", [
    {"attrs": {"mesh": "m", "location": "face"}, "dims": ("lat", "lon")},
    {"group_attrs": {"number_of_grid_used": 1}, "dims": ("y", "x")},
    {"group_attrs": {"dggs": {"name": "healpix"}}, "dims": ("y", "x")},
])  # fmt: skip
def test_maps_stay_maps(tmp_path, cpl, arguments):
    """Remapped arrays of ICON keep the attributes of the mesh."""
    assert_geotransform(open_raster(write(tmp_path, **arguments)), (-0.5, 1, 0, -0.5, 0, 1))
    cpl.assert_quiet()


@pytest.mark.parametrize("arguments", [{"numbered": False}, {"dims": ("gene", "cell"), "numbered": False}])
def test_unnumbered_cells_give_no_message(tmp_path, cpl, arguments):
    assert open_raster(write(tmp_path, **arguments)).GetGeoTransform(can_return_null=True) is None
    cpl.assert_quiet()
