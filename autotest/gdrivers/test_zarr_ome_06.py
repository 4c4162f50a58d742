# SPDX-License-Identifier: MIT
"""OME-Zarr 0.6 images: their coordinate systems, transformations that give the geotransform, and transformations that
are kept only as metadata. The images are stored in Zarr v3."""

import json

import numpy as np
import pytest
import zarr3
import zarr_formats
from osgeo import gdal
from zarr_gdal import config_options, open_raster, read_all
from zarr_georeferencing import assert_geotransform

pytestmark = zarr_formats.V3
VALUES = np.arange(3 * 24 * 32, dtype="u2").reshape(3, 24, 32)
TYPES = {"c": "channel", "t": "time"}
PHYSICAL = {"name": "physical"}


def scale(*numbers):
    return {"type": "scale", "scale": list(numbers)}


def translation(*numbers):
    return {"type": "translation", "translation": list(numbers)}


def sequence(*steps):
    return {"type": "sequence", "transformations": list(steps)}


def system(name, names="cyx", unit="micrometer"):
    axes = [{"name": axis, "type": TYPES.get(axis, "space"), "discrete": axis == "c"} for axis in names]
    for axis in axes:
        if axis["type"] == "space":
            axis["unit"] = unit
    return {"name": name, "axes": axes}


def steps(k):
    """Returns the transformation of level `k`. Pixels of level 0 have the size 0.5, and all levels share their upper
    left corner."""
    size = 0.5 * 2**k
    return sequence(scale(1, size, size), translation(0, (size - 0.5) / 2, (size - 0.5) / 2))


def described(own=steps, after=(), systems=(), names="cyx", levels=2):
    return {
        "name": "cells", "type": "gaussian", "metadata": {"method": "binning"},
        "coordinateSystems": [system("physical", names), *systems],
        "datasets": [{"path": f"s{k}", "coordinateTransformations": [
            {**own(k), "input": {"path": f"s{k}"}, "output": PHYSICAL}]} for k in range(levels)],
        **({"coordinateTransformations": list(after)} if after else {}),
    }  # fmt: skip


def make(folder, multiscale, values=VALUES, version="0.6rc0", names="cyx", **members):
    store = folder / "image.zarr"
    ome = {"version": version, "multiscales": [multiscale], **members}
    zarr3.handmade(store, zarr3.group_document({"ome": ome}))
    for k in range(2):
        level = np.ascontiguousarray(values[..., :: 2**k, :: 2**k])
        chunk = "c/" + "/".join("0" * level.ndim)
        document = zarr3.document(level.shape, "uint16", dimension_names=list(names))
        zarr3.handmade(store, document, {chunk: level.tobytes()}, path=f"s{k}")
    return store


class Log:
    """Error handler for GDAL that collects warnings, errors and the driver's debug messages."""

    def __init__(self):
        self.warnings, self.debug = [], []

    def __call__(self, severity, _, message):
        kept = self.debug if severity == gdal.CE_Debug else self.warnings
        kept.append(message)


def opened(store):
    log = Log()
    gdal.PushErrorHandler(log)
    try:
        with config_options(CPL_DEBUG="ZARR"):
            dataset = gdal.OpenEx(str(store), gdal.OF_RASTER)
            dataset.GetGeoTransform()
    finally:
        gdal.PopErrorHandler()
    return dataset, log


def place(sy, sx, ty=0.0, tx=0.0):
    """Returns the geotransform of pixels of size sx, sy. The first pixel has its centre at x = tx and y = -ty, because
    y increases downwards in OME."""
    return (tx - sx / 2, sx, 0, sy / 2 - ty, 0, -sy)


@pytest.mark.parametrize("version", ["0.6", "0.6rc0", "0.6.dev4"])
def test_an_image_opens_without_a_warning(tmp_path, version):
    channels = [{"label": name, "color": color, "window": {"start": 1, "end": 2, "min": 0, "max": 3}}
                for name, color in (("a", "FF0000"), ("b", "00FF00"), ("c", "0000FF"))]  # fmt: skip
    dataset, log = opened(make(tmp_path, described(), version=version, omero={"channels": channels}))
    assert log.warnings == []
    assert_geotransform(dataset, place(0.5, 0.5))
    np.testing.assert_array_equal(read_all(dataset), VALUES)
    bands = [dataset.GetRasterBand(i) for i in (1, 2, 3)]
    assert [band.GetDescription() for band in bands] == ["a", "b", "c"]
    assert [band.GetColorInterpretation() for band in bands] == [
        gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand]  # fmt: skip
    assert bands[0].GetOverviewCount() == 1
    np.testing.assert_array_equal(bands[1].GetOverview(0).ReadAsArray(), VALUES[1, ::2, ::2])
    assert dataset.GetMetadataItem("OME_UNIT_X") == "micrometer"
    assert dataset.GetMetadataItem("OME_TRANSFORMATIONS") is None


OWN = {
    "identity": (lambda k: {"type": "identity"}, place(1, 1)),
    "scale": (lambda k: scale(1, 2 * 2**k, 3 * 2**k), place(2, 3)),
    "sequence": (lambda k: sequence(scale(1, 2 * 2**k, 3 * 2**k), translation(0, 10, 20)),
                 place(2, 3, 10, 20)),
    "nested sequences": (lambda k: sequence(sequence(scale(1, 2**k, 2**k), sequence(scale(1, 2, 3))),
                                            translation(0, 10, 20)), place(2, 3, 10, 20)),
    "affine": (lambda k: {"type": "affine", "affine": [
        [1, 0, 0, 0], [0, 2 * 2**k, 0, 10], [0, 0, 3 * 2**k, 20]]}, place(2, 3, 10, 20)),
    "mapAxis": (lambda k: sequence(scale(1, 3 * 2**k, 2 * 2**k), {"type": "mapAxis", "mapAxis": [0, 2, 1]}),
                (-1.5, 0, 3, 1, -2, 0)),
    "rotation": (lambda k: sequence(scale(1, 2**k, 2**k), {
        "type": "rotation", "rotation": [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}), (-0.5, 0, 1, -0.5, 1, 0)),
    "byDimension": (lambda k: {"type": "byDimension", "transformations": [
        {"inputAxes": [0], "outputAxes": [0], "transformation": {"type": "identity"}},
        {"inputAxes": [2], "outputAxes": [2], "transformation": sequence(scale(3 * 2**k), translation(20))},
        {"inputAxes": [1], "outputAxes": [1], "transformation": {
            "type": "byDimension", "transformations": [
                {"inputAxes": [0], "outputAxes": [0], "transformation": scale(2 * 2**k)}]}}]},
                    place(2, 3, 0, 20)),
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_transformations_of_levels(tmp_path, name):
    own, expected = OWN[name]
    levels = 1 if name == "identity" else 2  # two levels of pixels of size 1 would cover different extents
    dataset, log = opened(make(tmp_path, described(own, levels=levels)))
    assert log.warnings == []
    assert_geotransform(dataset, expected)
    assert dataset.GetRasterBand(1).GetOverviewCount() == levels - 1


DISPLACED = {"type": "displacements", "path": "coordinateTransformations/field"}
KEPT = {
    "scale": scale(1, 2, 2),
    "rotation": {"type": "rotation", "rotation": [[1, 0, 0], [0, 0, -1], [0, 1, 0]]},
    "rotation in an array": {"type": "rotation", "path": "coordinateTransformations/matrix"},
    "affine in an array": {"type": "affine", "path": "coordinateTransformations/matrix"},
    "displacements": DISPLACED,
    "coordinates": {"type": "coordinates", "path": "coordinateTransformations/field"},
    "bijection": {"type": "bijection", "forward": DISPLACED, "inverse": DISPLACED},
    "projectAxis": {"type": "projectAxis", "droppedInputs": [0], "createdOutputs": [0]},
    "sequence": sequence(scale(1, 2, 2), DISPLACED),
    "byDimension": {"type": "byDimension", "transformations": [
        {"inputAxes": [0, 1, 2], "outputAxes": [0, 1, 2], "transformation": DISPLACED}]},
    "a type of later versions": {"type": "spline", "knots": [1, 2]},
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_other_transformations_are_kept_as_metadata(tmp_path, name):
    """Transformations to other coordinate systems become metadata, with one debug message and no warning. The
    geotransform stays in the image's own system."""
    after = [{**KEPT[name], "input": PHYSICAL, "output": {"name": "other"}},
             {**DISPLACED, "input": PHYSICAL, "output": {"name": "atlas"}}]  # fmt: skip
    store = make(tmp_path, described(after=after, systems=[system("other"), system("atlas")]))
    dataset, log = opened(store)
    assert log.warnings == []
    assert_geotransform(dataset, place(0.5, 0.5))
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    told = [line for line in log.debug if "OME_TRANSFORMATIONS" in line]
    assert len(told) == 1 and '"physical"; 2 transformations' in told[0], log.debug
    assert json.loads(dataset.GetMetadataItem("OME_TRANSFORMATIONS")) == after
    copy = gdal.GetDriverByName("GTiff").CreateCopy(str(tmp_path / "copy.tif"), dataset)
    assert json.loads(copy.GetMetadataItem("OME_TRANSFORMATIONS")) == after


def test_a_link_to_labels_is_no_metadata(tmp_path):
    link = {"type": "identity", "input": PHYSICAL, "output": {**PHYSICAL, "path": "labels/cells"}}
    dataset, log = opened(make(tmp_path, described(after=[link])))
    assert log.warnings == [] and dataset.GetMetadataItem("OME_TRANSFORMATIONS") is None


@pytest.mark.parametrize("names, shape", [("yx", (24, 32)), ("zyx", (2, 24, 32)), ("tyx", (2, 24, 32)),
                                          ("tczyx", (2, 3, 2, 24, 32)), ("cxy", (3, 24, 32))])  # fmt: skip
def test_axes_in_any_number_and_order(tmp_path, names, shape):
    values = np.arange(np.prod(shape), dtype="u2").reshape(shape)

    def own(k):
        return scale(*(0.5 * 2**k if axis in "yx" else 1 for axis in names))

    dataset, log = opened(make(tmp_path, described(own, names=names), values, names=names))
    assert log.warnings == []
    assert_geotransform(dataset, place(0.5, 0.5))
    shown = values.swapaxes(-1, -2) if names.endswith("xy") else values
    np.testing.assert_array_equal(read_all(dataset).reshape(shown.shape), shown)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


BROKEN = {
    "a scale of text": scale(1, "a", 1),
    "a scale of zero": scale(1, 0, 1),
    "a scale of two": scale(1, 2),
    "no parameters": {"type": "scale"},
    "no type": {},
    "type of another kind": {"type": 5},
    "mapAxis out of range": {"type": "mapAxis", "mapAxis": [0, 1, 7]},
    "mapAxis of text": {"type": "mapAxis", "mapAxis": "zyx"},
    "an affine of one row": {"type": "affine", "affine": [[1, 2]]},
    "a sequence of nothing": sequence(),
    "a sequence of numbers": sequence(1, 2),
    "byDimension of nothing": {"type": "byDimension", "transformations": 3},
    "byDimension out of range": {"type": "byDimension", "transformations": [
        {"inputAxes": [0, 1, 2], "outputAxes": [0, 1, 9], "transformation": scale(1, 1, 1)}]},
}  # fmt: skip


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_transformation_gives_a_warning(tmp_path, name, is_own):
    """An invalid transformation of a level gives a warning and no geotransform. An invalid transformation to another
    system gives a warning, and the geotransform stays in the image's own system."""
    after = [{**BROKEN[name], "input": PHYSICAL, "output": {"name": "other"}}]
    multiscale = described(lambda k: BROKEN[name]) if is_own else described(after=after, systems=[system("other")])
    dataset, log = opened(make(tmp_path, multiscale))
    np.testing.assert_array_equal(read_all(dataset), VALUES)
    assert len(log.warnings) == 1 and "coordinateTransformations" in log.warnings[0], log.warnings
    if is_own:
        assert dataset.GetGeoTransform(can_return_null=True) is None
    else:
        assert_geotransform(dataset, place(0.5, 0.5))


VALUES_OF_ANOTHER_KIND = [None, 7, "text", [], {}, [None], [[]], {"name": 3}]


@pytest.mark.parametrize("value", VALUES_OF_ANOTHER_KIND, ids=str)
@pytest.mark.parametrize("where", [("coordinateSystems",), ("datasets",), ("coordinateTransformations",),
                                   ("coordinateSystems", 0), ("coordinateSystems", 0, "axes"),
                                   ("coordinateSystems", 0, "name"), ("datasets", 0),
                                   ("datasets", 0, "path"), ("datasets", 0, "coordinateTransformations"),
                                   ("datasets", 0, "coordinateTransformations", 0),
                                   ("datasets", 0, "coordinateTransformations", 0, "input"),
                                   ("datasets", 0, "coordinateTransformations", 0, "output")],
                         ids=lambda keys: ".".join(map(str, keys)))  # fmt: skip
def test_a_document_of_another_shape_still_opens(tmp_path, where, value):
    """Pixels can be read even if any one member of the OME metadata is replaced by another JSON value."""
    multiscale = json.loads(json.dumps(described()))
    owner = multiscale
    for key in where[:-1]:
        owner = owner[key]
    owner[where[-1]] = value
    store = make(tmp_path, multiscale)
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    try:
        dataset = gdal.OpenEx(f'ZARR:"{store}":/s0', gdal.OF_RASTER)
        dataset.GetGeoTransform()
        np.testing.assert_array_equal(read_all(dataset), VALUES)
        assert gdal.OpenEx(str(store), gdal.OF_RASTER) is not None
    finally:
        gdal.PopErrorHandler()


def test_deep_nesting_ends(tmp_path):
    nested = scale(1, 1, 1)
    for _ in range(50):
        nested = sequence(nested)
    dataset = open_raster(make(tmp_path, described(lambda k: nested)))
    np.testing.assert_array_equal(read_all(dataset), VALUES)
