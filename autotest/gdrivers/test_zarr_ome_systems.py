# SPDX-License-Identifier: MIT
"""Transformations of OME-NGFF to coordinate systems, in the forms of SpatialData and of OME-NGFF 0.6."""

import json

import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, error_log, read_all
from zarr_georeferencing import assert_geotransform
from zarr_mdim import open_array

pytestmark = zarr_formats.BOTH
VALUES = np.arange(3 * 24 * 32, dtype="u2").reshape(3, 24, 32)
CHANNEL = {"name": "c", "type": "channel"}
OTHER_AXES = "yx"


def axes(names, unit=None):
    listed = []
    for name in names:
        axis = {"name": name, "type": {"c": "channel", "t": "time"}.get(name, "space")}
        if unit is not None and name != "c":
            axis["unit"] = unit
        listed.append(axis)
    return listed


def to(system, transformation, names="cyx", out=None):
    """Returns a transformation to the coordinate system `system`, with the axes of its input and output, as SpatialData
    writes it."""
    return {
        "input": {"axes": axes(names, "unit"), "name": names},
        "output": {"axes": axes(out or names, "unit"), "name": system},
        **transformation,
    }


def scale(*numbers):
    return {"type": "scale", "scale": list(numbers)}


def translation(*numbers):
    return {"type": "translation", "translation": list(numbers)}


def affine(*rows):
    return {"type": "affine", "affine": [list(row) for row in rows]}


IDENTITY = {"type": "identity"}


def multiscale(transformations, names="cyx", levels=2, version="0.4-dev-spatialdata", own=None):
    datasets = [
        {"path": str(k), "coordinateTransformations": [
            scale(*(1.0 if name == "c" else 2.0**k for name in names))]}
        for k in range(levels)
    ]  # fmt: skip
    if own is not None:
        for k, dataset in enumerate(datasets):
            dataset["coordinateTransformations"] = own(k)
    described = {"version": version, "name": "/images/cells", "axes": axes(names),
                 "datasets": datasets, "coordinateTransformations": transformations}  # fmt: skip
    return described


def add(root, path, described, values=VALUES, **attributes):
    group = root.require_group(path) if path else root
    for k, dataset in enumerate(described["datasets"]):
        level = values[..., :: 2**k, :: 2**k]
        group.create_dataset(dataset["path"], data=level, chunks=level.shape, fill_value=None,
                             dimension_separator="/")  # fmt: skip
    group.attrs.update({"multiscales": [described], **attributes})
    return group


def make(folder, described, values=VALUES, **attributes):
    store = folder / "image.zarr"
    add(zarr.open_group(str(store), mode="w"), "", described, values, **attributes)
    return store


def opened(name):
    """Opens a dataset and reads its geotransform. Returns the dataset and the logged warnings."""
    with error_log() as log:
        dataset = gdal.OpenEx(str(name), gdal.OF_RASTER)
        dataset.GetGeoTransform()
    assert log.errors == []
    return dataset, log.warnings


def place(sy, sx, ty=0.0, tx=0.0):
    """Returns the geotransform of pixels of size sx, sy whose OME translation is tx, ty. Y is negated, because y
    points down in OME-NGFF."""
    return (tx - sx / 2, sx, 0, sy / 2 - ty, 0, -sy)


LISTS = {
    "global and another": ([to("global", IDENTITY), to("other", scale(1.0, 3.0, 2.0))],
                           place(1, 1), "other"),
    "another and global": ([to("other", scale(1.0, 3.0, 2.0)), to("global", IDENTITY)],
                           place(1, 1), "other"),
    "two scales": ([to("a", scale(1.0, 2.0, 2.0)), to("b", scale(1.0, 10.0, 10.0))],
                   place(2, 2), "b"),
    "two translations": ([to("a", translation(0.0, 5.0, 7.0)), to("b", translation(0.0, 50.0, 70.0))],
                         place(1, 1, 5, 7), "b"),
    "three": ([to("a", IDENTITY), to("b", scale(1.0, 2.0, 2.0)), to("global", scale(1.0, 4.0, 4.0))],
              place(4, 4), "a\", \"b"),
    "equal": ([to("a", IDENTITY), to("global", IDENTITY)], place(1, 1), None),
    "one": ([to("sample", scale(1.0, 0.5, 0.25))], place(0.5, 0.25), None),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_one_of_the_systems_is_followed(tmp_path, name):
    transformations, expected, left = LISTS[name]
    store = make(tmp_path, multiscale(transformations))
    dataset, warnings = opened(store)
    assert_geotransform(dataset, expected)
    assert dataset.GetSpatialRef() is None
    np.testing.assert_array_equal(read_all(dataset), VALUES)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    if left is None:
        assert warnings == []
    else:
        assert len(warnings) == 1 and f'"{left}"' in warnings[0], warnings
    level, _ = opened(array_name(store, "1"))
    assert_geotransform(level, (expected[0] * 2 - _corner(expected, 0), expected[1] * 2, 0,
                                expected[3] * 2 - _corner(expected, 3), 0, expected[5] * 2))  # fmt: skip


def _corner(expected, at):
    """Returns x (at=0) or y (at=3) of the first pixel's centre by the geotransform `expected`."""
    return expected[at] + (expected[at + 1] + expected[at + 2]) / 2


MIXING = {
    "affine": ([affine([1, 0, 0, 0], [0, 2, 0, 10], [0, 0, 4, 20])], place(2, 4, 10, 20)),
    "homogeneous": ([affine([1, 0, 0, 0], [0, 2, 0, 10], [0, 0, 4, 20], [0, 0, 0, 1])],
                    place(2, 4, 10, 20)),
    "flipped": ([affine([1, 0, 0, 0], [0, -2, 0, 10], [0, 0, 4, 20])],
                (18, 4, 0, -11, 0, 2)),
    "rotated": ([affine([1, 0, 0, 0], [0, 3, 1, 10], [0, -1, 3, 20])],
                (19, 3, -1, -8, -1, -3)),
    "quarter turn": ([{"type": "rotation", "rotation": [[1, 0, 0], [0, 0, 1], [0, -1, 0]]}],
                     (0.5, 0, -1, 0.5, -1, 0)),
    "swapped axes": ([{"type": "mapAxis", "map_axis": {"c": "c", "y": "x", "x": "y"}}],
                     (-0.5, 0, 1, 0.5, -1, 0)),
    "sequence": ([{"type": "sequence", "transformations": [
        to("?", scale(1, 2, 4)), to("?", translation(0, 10, 20))]}], place(2, 4, 10, 20)),
    "sequence of sequences": ([{"type": "sequence", "transformations": [
        translation(0, 5, 5), {"type": "sequence", "transformations": [
            scale(1, 2, 4), IDENTITY]}]}], place(2, 4, 10, 20)),
    "sequence with an affine": ([{"type": "sequence", "transformations": [
        to("?", scale(1, 2, 2)),
        to("?", affine([1, 0, 0, 0], [0, 0.5, 0, 1], [0, 0, 0.5, 2]))]}], place(1, 1, 1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXING)
@pytest.mark.parametrize("system", ["global", None])
def test_transformations_are_evaluated(tmp_path, name, system):
    [transformation], expected = MIXING[name]
    transformation = to(system, transformation) if system else transformation
    dataset, warnings = opened(make(tmp_path, multiscale([transformation])))
    assert_geotransform(dataset, expected)
    assert warnings == []
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


def test_axes_of_an_output_in_another_order(tmp_path):
    swapped = affine([0, 0, 4, 20], [0, 2, 0, 10], [1, 0, 0, 0])
    store = make(tmp_path, multiscale([to("global", swapped, out="xyc")]))
    dataset, warnings = opened(store)
    assert_geotransform(dataset, place(2, 4, 10, 20))
    assert warnings == []
    # A transformation without a channel axis gives the geotransform of all bands.
    store = make(tmp_path, multiscale([to("global", scale(2.0, 4.0), "yx")]))
    assert_geotransform(opened(store)[0], place(2, 4))


# Matrix of x' = 3x + 10 and y' = 2y + 20; its output axes are c, x, y
TO_CXY = affine([1, 0, 0, 0], [0, 0, 3, 10], [0, 2, 0, 20], [0, 0, 0, 1])
INNER = {
    "affine": ([to("?", TO_CXY, out="cxy")], place(2, 3, 20, 10)),
    "affine without input": ([{**TO_CXY, "output": {"axes": axes("cxy")}}], place(2, 3, 20, 10)),
    "scale after it": ([to("?", TO_CXY, out="cxy"), to("?", scale(1, 5, 7), "cxy")],
                       place(14, 15, 140, 50)),
    "scale in the order of the step before": ([to("?", TO_CXY, out="cxy"), scale(1, 5, 7)],
                                              place(14, 15, 140, 50)),
    "scale in another order": ([to("?", TO_CXY, out="cxy"), to("?", scale(1, 7, 5), "cyx")],
                               place(14, 15, 140, 50)),
    "translation": ([to("?", TO_CXY, out="cxy"), to("?", translation(0, 100, 1000), "cxy")],
                    place(2, 3, 1020, 110)),
    "identity": ([to("?", scale(1, 3, 2), "cxy"), to("?", IDENTITY, "cxy")], place(2, 3)),
    "scale alone": ([to("?", scale(3, 2, 1), "xyc")], place(2, 3)),
    "fewer axes": ([to("?", affine([0, 3, 10], [2, 0, 20]), "yx", "xy")], place(2, 3, 20, 10)),
    "a sequence": ([to("?", {"type": "sequence", "transformations": [
        to("?", TO_CXY, out="cxy")]}, out="cxy"), to("?", scale(1, 5, 7), "cxy")],
                   place(14, 15, 140, 50)),
    "a sequence that says nothing": ([{"type": "sequence", "transformations": [
        to("?", TO_CXY, out="cxy")]}, scale(1, 5, 7)], place(14, 15, 140, 50)),
    "names mapped": ([to("?", {"type": "mapAxis", "mapAxis": {"x": "x", "y": "y"}}, out="cxy"),
                      scale(1, 3, 2)], place(2, 3)),
    "indices mapped": ([to("?", {"type": "mapAxis", "mapAxis": [0, 2, 1]}, out="cxy"),
                        scale(1, 3, 2)], place(2, 3)),
}  # fmt: skip


@pytest.mark.parametrize("out", ["cyx", "cxy", "xyc"])
@pytest.mark.parametrize("name", INNER)
def test_steps_of_a_sequence_have_axes_of_their_own(tmp_path, name, out):
    steps, expected = INNER[name]
    sequence = to("global", {"type": "sequence", "transformations": steps}, out=out)
    dataset, warnings = opened(make(tmp_path, multiscale([sequence])))
    assert_geotransform(dataset, expected)
    assert warnings == []


def test_steps_that_name_no_axes_end_in_the_axes_of_the_sequence(tmp_path):
    steps = [scale(1, 2, 2), affine([1, 0, 0, 0], [0, 0, 3, 10], [0, 2, 0, 20])]
    sequence = {"type": "sequence", "transformations": steps}
    store = make(tmp_path, multiscale([to("global", sequence, out="cxy")]))
    assert_geotransform(opened(store)[0], place(4, 6, 20, 10))
    steps = [scale(1, 2, 3), {"type": "mapAxis", "mapAxis": [0, 2, 1]}]
    sequence = {"type": "sequence", "transformations": steps}
    store = make(tmp_path, multiscale([to("global", sequence, out="cxy")]))
    assert_geotransform(opened(store)[0], place(2, 3))


def test_slices_of_a_sequence_with_axes_in_another_order(tmp_path):
    step = to("?", affine([0, 0, 3, 10], [0, 2, 0, 20], [5, 0, 0, 100]), "zyx", "xyz")
    sequence = {"type": "sequence", "transformations": [step]}
    dataset, _ = opened(make(tmp_path, multiscale([to("global", sequence, "zyx")], "zyx")))
    assert_geotransform(dataset, place(2, 3, 20, 10))
    values = [dataset.GetRasterBand(i + 1).GetMetadataItem("DIM_z_VALUE") for i in range(3)]
    assert values == ["100", "105", "110"]


UNREAD = {
    "displacements": {"type": "displacements", "path": "field"},
    "in an array": {"type": "affine", "path": "matrix"},
    "broken": {"type": "affine", "affine": [[1, 0], ["a", 1]]},
    "an endless sequence": {"type": "sequence", "transformations": []},
    "a part that is not read": {"type": "sequence", "transformations": [
        scale(1, 2, 2), {"type": "coordinates", "path": "x"}]},
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_an_unsupported_transformation_gives_a_warning(tmp_path, name):
    # If the transformation to the first coordinate system is unsupported, the second system gives the geotransform.
    store = make(tmp_path, multiscale([to("global", UNREAD[name]), to("b", scale(1, 3, 3))]))
    dataset, warnings = opened(store)
    assert_geotransform(dataset, place(3, 3))
    assert len(warnings) == 1 and "coordinateTransformations" in warnings[0], warnings
    # If one transformation of a sequence is unsupported, there is no geotransform, because the others alone would give
    # a wrong one.
    store = make(tmp_path, multiscale([UNREAD[name], scale(1, 3, 3)]))
    dataset, warnings = opened(store)
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(warnings) == 1 and "coordinateTransformations" in warnings[0], warnings


@pytest.mark.parametrize("name", UNREAD)
def test_an_unsupported_system_gives_no_geotransform(tmp_path, name):
    """If no transformation to a coordinate system is supported, the raster has no geotransform, rather than one by the
    transformation of the level or by pixels of size 1."""
    far = {**to("global", scale(1, 3, 3)), "input": {"name": "b", "axes": axes("cyx")}}
    for transformations in ([to("global", UNREAD[name])], [to("a", UNREAD[name]), to("b", UNREAD[name])],
                            [to("b", UNREAD[name]), far]):  # fmt: skip
        dataset, warnings = opened(make(tmp_path, multiscale(transformations)))
        assert dataset.GetGeoTransform(can_return_null=True) is None
        assert len(warnings) == 1 and "coordinateTransformations" in warnings[0], warnings


def by_dimension(*parts, spell=0):
    """Returns a byDimension transformation with parts (input, output, transformation), where input and output are names
    or indices of axes. `spell` selects one of three spellings of the JSON members."""
    names = (("inputAxes", "outputAxes"), ("input_axes", "output_axes"), ("input", "output"))[spell]
    listed = []
    for input_, output, part in parts:
        listed.append({names[0]: list(input_), names[1]: list(output)})
        listed[-1].update(part if spell == 2 else {"transformation": part})
    return {"type": "byDimension", "transformations": listed}


STEPS = {"type": "sequence", "transformations": [scale(4, 2), translation(10, 20)]}
BY_DIMENSION = {
    "scale": ([("c", "c", IDENTITY), ("yx", "yx", scale(2, 4))], place(2, 4)),
    "other order": ([("xy", "xy", scale(4, 2)), ("c", "c", IDENTITY)], place(2, 4)),
    "each": ([("x", "x", scale(4)), ("y", "y", translation(7)), ("c", "c", IDENTITY)],
             place(1, 4, 7)),
    "affine": ([("c", "c", IDENTITY), ("yx", "xy", affine([0, 4, 20], [2, 0, 10]))],
               place(2, 4, 10, 20)),
    "sequence": ([("xy", "xy", STEPS), ("c", "c", IDENTITY)], place(2, 4, 20, 10)),
    "mapAxis": ([("c", "c", IDENTITY), ("xy", "yx", {"type": "mapAxis", "mapAxis": [1, 0]})],
                place(1, 1)),
    "turned": ([("c", "c", IDENTITY), ("x", "y", IDENTITY), ("y", "x", IDENTITY)],
               (-0.5, 0, 1, 0.5, -1, 0)),
}  # fmt: skip


@pytest.mark.parametrize("spell", [0, 1, 2])
@pytest.mark.parametrize("out", ["cyx", "xyc"])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", BY_DIMENSION)
def test_transformations_by_dimension(tmp_path, name, named, out, spell):
    parts, expected = BY_DIMENSION[name]
    if not named:
        parts = [([*map("cyx".index, i)], [*map(out.index, o)], part) for i, o, part in parts]
    whole = by_dimension(*parts, spell=spell)
    dataset, warnings = opened(make(tmp_path, multiscale([to("global", whole, out=out)])))
    assert_geotransform(dataset, expected)
    assert warnings == []
    if named:  # a sequence that contains this transformation gives the same geotransform
        sequence = {"type": "sequence", "transformations": [whole, IDENTITY]}
        store = make(tmp_path, multiscale([to("global", sequence, out=out)]))
        assert_geotransform(opened(store)[0], expected)


BROKEN_PARTS = {
    "an axis lacks": [("yx", "yx", scale(2, 4))],
    "an axis twice": [("cy", "cy", IDENTITY), ("yx", "yx", scale(2, 4))],
    "no such axis": [("cyx", "cyz", scale(1, 2, 4))],
    "no such index": [([0, 1, 3], [0, 1, 2], scale(1, 2, 4))],
    "too many numbers": [("c", "c", IDENTITY), ("yx", "yx", scale(1, 2, 4))],
    "not read": [("c", "c", IDENTITY), ("yx", "yx", {"type": "displacements", "path": "f"})],
    "nothing": [],
}


@pytest.mark.parametrize("name", BROKEN_PARTS)
def test_broken_transformations_by_dimension(tmp_path, name):
    whole = by_dimension(*BROKEN_PARTS[name])
    dataset, warnings = opened(make(tmp_path, multiscale([to("global", whole)])))
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(warnings) == 1 and "coordinateTransformations" in warnings[0], warnings


def test_x_and_y_that_depend_on_another_axis(tmp_path):
    shear = affine([1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0])
    names = "zyx"
    store = make(tmp_path, multiscale([to("global", shear, names)], names))
    dataset, warnings = opened(store)
    assert dataset.GetGeoTransform(can_return_null=True) is None
    assert len(warnings) == 1 and "other axes" in warnings[0]


def test_slices_are_placed_by_their_system(tmp_path):
    names = "zyx"
    there = affine([5, 0, 0, 100], [0, 0, 1, 0], [0, 1, 0, 0])
    store = make(tmp_path, multiscale([to("far", scale(9, 1, 1), names),
                                       to("global", there, names)], names))  # fmt: skip
    dataset, _ = opened(store)
    values = [dataset.GetRasterBand(i + 1).GetMetadataItem("DIM_z_VALUE") for i in range(3)]
    assert values == ["100", "105", "110"]
    selected = gdal.OpenEx(str(store), open_options=["SELECT=z=105"])
    np.testing.assert_array_equal(selected.ReadAsArray(), VALUES[1])


# ---------------------------------------------------------------------------------------------
# OME label images have the geotransform of their image


LABELS = VALUES[0].astype("u1")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("systems", [("a", "b"), ("global", "b")])
def test_labels_follow_the_system_of_their_image(tmp_path, systems, first):
    """A label image is placed in the coordinate system of its image, even if the label image lists coordinate systems
    in another order."""
    one, other = systems
    image = [to(one, scale(1, 2, 2)), to(other, scale(1, 10, 10))]
    labels = [to(one, scale(2, 2), "yx"), to(other, scale(10, 10), "yx")]
    store = make(tmp_path, multiscale(image))
    root = zarr.open_group(str(store), mode="r+")
    root.require_group("labels").attrs["labels"] = ["cells"]
    labels = labels if first == 0 else labels[::-1]
    add(root, "labels/cells", multiscale(labels, "yx"), LABELS, **{"image-label": {}})
    for name in (array_name(store, "0"), array_name(store, "labels/cells"),
                 array_name(store, "labels/cells/0")):  # fmt: skip
        dataset, _ = opened(name)
        assert_geotransform(dataset, place(2, 2))
    np.testing.assert_array_equal(opened(array_name(store, "labels/cells"))[0].ReadAsArray(), LABELS)


LEFT = {
    "lacks the image's": ([("a", 5), ("b", 2)], [("b", 2)], 2, ["b", "a"]),
    "leads nowhere": ([("global", 2)], [], 1, ["no named system", "global"]),
    "leads elsewhere": ([("global", 2)], [("q", 7)], 7, ["q", "global"]),
    "shares one of two": ([("global", 2), ("b", 5)], [("q", 7), ("b", 5)], 7, ["q", "global"]),
    "of an image without systems": ([], [("q", 7)], 7, ["q", "no named system"]),
    "shares none": ([], [], 1, None),
    "shares": ([("a", 5), ("b", 2)], [("b", 2), ("a", 5)], 5, None),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_labels_that_are_not_in_the_system_of_their_image(tmp_path, name):
    of_image, of_label, size, told = LEFT[name]
    store = make(tmp_path, multiscale([to(s, scale(1, k, k)) for s, k in of_image]))
    root = zarr.open_group(str(store), mode="r+")
    root.require_group("labels").attrs["labels"] = ["cells"]
    add(root, "labels/cells", multiscale([to(s, scale(k, k), "yx") for s, k in of_label], "yx"),
        LABELS, **{"image-label": {}})  # fmt: skip
    image, warnings = opened(array_name(store, "0"))
    assert_geotransform(image, place(*[of_image[0][1] if of_image else 1] * 2))
    assert not [text for text in warnings if "the label is" in text]
    label, warnings = opened(array_name(store, "labels/cells"))
    assert_geotransform(label, place(size, size))
    left = [text for text in warnings if "the label is placed in" in text]
    assert len(left) == (told is not None), warnings
    assert told is None or all(text in left[0] for text in told), left


def test_labels_of_spatialdata_lie_on_their_image(tmp_path):
    """A label image has the geotransform of its image, although SpatialData stores them in different folders."""
    root = zarr.open_group(str(tmp_path / "s.zarr"), mode="w")
    root.attrs["spatialdata_attrs"] = {"version": "0.1"}
    image = [to("global", IDENTITY), to("other", scale(1, 3, 2))]
    add(root, "images/cells", multiscale(image))
    labels = [to("other", scale(3, 2), "yx"), to("global", IDENTITY, "yx")]
    add(root, "labels/cells", multiscale(labels, "yx"), LABELS)
    for path in ("images/cells", "labels/cells"):
        assert_geotransform(opened(array_name(tmp_path / "s.zarr", path))[0], place(1, 1))


# ---------------------------------------------------------------------------------------------
# Coordinate systems of OME-NGFF 0.6


def system(name, names="cyx", unit="micrometer"):
    return {"name": name, "axes": axes(names, unit)}


def described_06(names="cyx", own=None, after=(), systems=(), version=None, spell=dict):
    def steps(k):
        size = [1.0 if name == "c" else 0.5 * 2**k for name in names]
        input_, output = spell(path=str(k)), spell(name="physical")
        return [{**(own(k) if own else scale(*size)), "input": input_, "output": output}]

    described = multiscale(list(after), names, own=steps)
    del described["axes"]
    del described["version"]
    described["coordinateSystems"] = [*systems, system("physical", names)]
    if version is not None:
        described["version"] = version
    return described


def as_text(path=None, name=None):
    """Returns a reference to a coordinate system as a string, which drafts of OME-NGFF before 0.6.dev4 used."""
    return path if name is None else name


@pytest.mark.parametrize("spell", [dict, as_text])
@pytest.mark.parametrize("version", ["0.6", "0.6rc0", "0.6.dev3"])
def test_axes_in_coordinate_systems(tmp_path, version, spell):
    other = {"name": "array", "axes": axes(["u", "v", "w"])}
    store = make(tmp_path, described_06(version=version, systems=[other], spell=spell),
                 omero={"channels": [{"label": "a", "color": "FF0000"}] * 3})  # fmt: skip
    dataset, warnings = opened(store)
    assert warnings == []
    assert_geotransform(dataset, place(0.5, 0.5))
    assert dataset.GetMetadataItem("OME_UNIT_X") == "micrometer"
    assert dataset.GetRasterBand(1).GetDescription() == "a"
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1
    dimensions = open_array(store, "0").GetDimensions()
    assert [d.GetName() for d in dimensions] == ["c", "y", "x"]
    assert [d.GetType() for d in dimensions] == ["", "HORIZONTAL_Y", "HORIZONTAL_X"]


def test_a_level_is_placed_by_a_sequence(tmp_path):
    def own(k):
        steps = [scale(1, 2.0**k, 2.0**k), translation(0, 3, 4)]
        return {"type": "sequence", "transformations": steps}

    store = make(tmp_path, described_06(own=own))
    dataset, warnings = opened(store)
    assert warnings == []
    assert_geotransform(dataset, place(1, 1, 3, 4))
    assert dataset.GetRasterBand(1).GetOverviewCount() == 1


def test_an_image_stays_in_its_own_system(tmp_path):
    after = [{**scale(1, 2, 2), "input": {"name": "physical"}, "output": {"name": "array"}},
             {**affine([1, 0, 0, 0], [0, 1, 0, 9], [0, 0, 1, 9]), "input": {"name": "other"},
              "output": {"name": "physical"}}]  # fmt: skip
    systems = [system("array", unit=None), system("other")]
    dataset, warnings = opened(make(tmp_path, described_06(after=after, systems=systems)))
    assert_geotransform(dataset, place(0.5, 0.5))
    assert warnings == []
    assert json.loads(dataset.GetMetadataItem("OME_TRANSFORMATIONS")) == after


LINKS = {
    "none": (None, place(0.5, 0.5)),
    "identity": (IDENTITY, place(0.5, 0.5)),
    "scale": (scale(2, 2), place(0.25, 0.25)),
    "translation": (translation(1, 2), place(0.5, 0.5, -1, -2)),
    "sequence": ({"type": "sequence", "transformations": [scale(2, 2), translation(1, 2)]},
                 place(0.25, 0.25, -0.5, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", LINKS)
def test_labels_are_placed_by_the_link_of_their_image(tmp_path, name):
    link, expected = LINKS[name]
    target = {"name": "physical", "path": "labels/cells"}
    after = [] if link is None else [{**link, "input": {"name": "physical"}, "output": target}]
    store = make(tmp_path, described_06("yx", after=after), LABELS)
    root = zarr.open_group(str(store), mode="r+")
    root.require_group("labels").attrs["labels"] = ["cells"]
    add(root, "labels/cells", described_06("yx"), LABELS, **{"image-label": {}})
    dataset, warnings = opened(array_name(store, "0"))
    assert_geotransform(dataset, place(0.5, 0.5))
    assert warnings == []
    labels, warnings = opened(array_name(store, "labels/cells"))
    assert_geotransform(labels, expected)
    assert warnings == []


@pytest.mark.parametrize("version", ["0.7", "9.9"])
def test_an_unknown_version_of_many_images_is_one_warning(tmp_path, version):
    root = zarr.open_group(str(tmp_path / "many.zarr"), mode="w")
    for i in range(25):
        add(root, f"i{i:02}", described_06(version=version))
    _, warnings = opened(tmp_path / "many.zarr")
    assert len(warnings) == 1, warnings
    assert f'"{version}"' in warnings[0] and "/i00" in warnings[0] and "24 more" in warnings[0]


@pytest.mark.parametrize("where", ["one group", "groups"])
@pytest.mark.slow
def test_levels_that_do_not_exist_in_many_images_are_one_warning(tmp_path, where):
    root = zarr.open_group(str(tmp_path / "many.zarr"), mode="w")
    many = []
    for i in range(25):
        described = multiscale([])
        described["datasets"].append({**described["datasets"][1], "path": f"gone{i}"})
        many.append(described)
    if where == "groups":
        for i, described in enumerate(many):
            group = add(root, f"i{i:02}", multiscale([]))
            group.attrs["multiscales"] = [described]
    else:
        add(root, "", multiscale([]))
        root.attrs["multiscales"] = many
    _, warnings = opened(tmp_path / "many.zarr")
    assert len(warnings) == 1, warnings
    assert "gone0 does not exist" in warnings[0] and "24 more" in warnings[0], warnings
