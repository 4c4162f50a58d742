# SPDX-License-Identifier: MIT
"""Arrays and groups of Zarr v3 whose zarr.json is invalid or demands too much memory. The driver refuses each with one
error, which names the store, zarr.json and the invalid member."""

import json
import re

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr3_check
import zarr_gdal
import zarr_mdim
from osgeo import gdal
from zarr3 import BIG, BYTES, CRC32C, LITTLE, blosc, codec, document, gzip, sharding, transpose
from zarr_child import attempt
from zarr_gdal import array_name

pytestmark = pytest.mark.every_case

HUGE = "overflow|large|exceed|big|more than|limit"
GOOD = document((4, 6), "int16", (2, 3))
INDEX = [LITTLE, CRC32C]


def grid(*chunks):
    return {"chunk_grid": codec("regular", chunk_shape=list(chunks))}


def rectilinear(*shapes, **more):
    settings = {"kind": "inline", "chunk_shapes": list(shapes), **more}
    return {"chunk_grid": codec("rectilinear", **settings)}


def codecs(*chain):
    return {"codecs": list(chain)}


def shards(chunks=(1, 3), chain=(LITTLE,), index=tuple(INDEX), **more):
    return codecs(sharding(chunks, chain, index, **more))


def data_type(value, fill=0):
    return {"data_type": value, "fill_value": fill}


def struct(*fields):
    return codec("struct", fields=list(fields))


A = {"name": "a", "data_type": "int16"}
SURE = ("zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
        "fill_value")  # fmt: skip

# name -> (changes that make a valid zarr.json invalid, pattern that the error must match)
WRONG = {
    **{f"no {name}": ({name: ...}, name) for name in SURE},
    "zarr_format 2": ({"zarr_format": 2}, "zarr_format.*2"),
    "zarr_format 4": ({"zarr_format": 4}, "zarr_format.*4"),
    "zarr_format text": ({"zarr_format": "3"}, "zarr_format"),
    "node_type unknown": ({"node_type": "table"}, "node_type.*table"),
    "node_type null": ({"node_type": None}, "node_type"),
    # Unknown members of zarr.json
    "unknown member": ({"colour": {"name": "red"}}, "colour"),
    "unknown member of null": ({"colour": None}, "colour"),
    "unknown member of text": ({"colour": "red"}, "colour"),
    "unknown member to be understood": ({"colour": {"must_understand": True}}, "colour"),
    "unknown member of false": ({"colour": False}, "colour"),
    "attributes a list": ({"attributes": []}, "attributes"),
    "attributes text": ({"attributes": "a"}, "attributes"),
    "storage transformer": ({"storage_transformers": [codec("indexed")]}, "storage_transformers.*indexed"),
    "storage transformers an object": ({"storage_transformers": {}}, "storage_transformers"),
    # Invalid shapes
    "shape text": ({"shape": "4,6"}, "shape"),
    "shape null": ({"shape": None}, "shape"),
    "shape of text": ({"shape": ["4", 6]}, r"shape\[0\]"),
    "shape of fractions": ({"shape": [4, 6.5]}, r"shape\[1\].*6\.5"),
    "shape negative": ({"shape": [4, -6]}, r"shape\[1\].*-6"),
    "shape beyond 64 bits": ({"shape": [10**30, 6]}, r"shape\[0\]"),
    "shape huge": ({"shape": [2**62, 2**62], **grid(2**61, 2**61)}, HUGE),
    "33 dimensions": ({"shape": [1] * 33, **grid(*[1] * 33)}, "33|dimensions"),
    # Invalid chunk grids
    "grid by its name": ({"chunk_grid": "regular"}, "chunk_grid"),
    "grid unknown": ({"chunk_grid": codec("hexagonal")}, "chunk_grid.*hexagonal"),
    "grid null": ({"chunk_grid": None}, "chunk_grid"),
    "grid without a name": ({"chunk_grid": {"configuration": {"chunk_shape": [2, 3]}}}, "chunk_grid.*name"),
    "grid without chunks": ({"chunk_grid": codec("regular")}, "chunk_shape"),
    "grid with more": ({"chunk_grid": codec("regular", chunk_shape=[2, 3], offset=1)}, "offset"),
    "grid to ignore": (
        {"chunk_grid": {**codec("hexagonal"), "must_understand": False}}, "chunk_grid.*hexagonal",
    ),
    "chunks text": (grid("2", 3), "chunk_shape"),
    "chunks zero": (grid(0, 3), r"chunk_shape\[0\].*0"),
    "chunks negative": (grid(2, -3), r"chunk_shape\[1\].*-3"),
    "chunks fractions": (grid(2, 1.5), r"chunk_shape\[1\]"),
    "chunks too few": (grid(2), "chunk_shape"),
    "chunks too many": (grid(2, 3, 4), "chunk_shape"),
    "chunks huge": (grid(2**31, 2**31), HUGE),
    "chunks beyond 64 bits": (grid(2, 10**30), r"chunk_shape\[1\]"),
    "rectilinear of another kind": (rectilinear([4], [6], kind="file"), "kind"),
    "rectilinear of too few": (rectilinear([4]), "chunk_shapes"),
    "rectilinear too small": (rectilinear([1, 2], [6]), "chunk_shapes"),
    "rectilinear of zero": (rectilinear([0, 4], [6]), "chunk_shapes"),
    "rectilinear of no count": (rectilinear([[4, 0]], [6]), "chunk_shapes"),
    "rectilinear of three": (rectilinear([[1, 2, 3]], [6]), "chunk_shapes"),
    "rectilinear of text": (rectilinear("4", [6]), "chunk_shapes"),
    "rectilinear of nothing": (rectilinear([], [6]), "chunk_shapes"),
    "rectilinear beyond 64 bits": (rectilinear([[2**62, 2**62]], [6]), "chunk_shapes"),
    # Invalid chunk key encodings
    "keys unknown": ({"chunk_key_encoding": codec("hashed")}, "chunk_key_encoding.*hashed"),
    "keys null": ({"chunk_key_encoding": None}, "chunk_key_encoding"),
    "separator unknown": ({"chunk_key_encoding": codec("default", separator="-")}, "separator.*-"),
    "separator number": ({"chunk_key_encoding": codec("v2", separator=5)}, "separator"),
    "keys with more": ({"chunk_key_encoding": codec("default", suffix=".x")}, "suffix"),
    # Invalid data types
    "type unknown": (data_type("int128"), "data_type.*int128"),
    "type of version 2": (data_type("<i2"), "data_type.*<i2"),
    "type empty": (data_type(""), "data_type"),
    "type number": (data_type(5), "data_type"),
    "type null": (data_type(None), "data_type"),
    "type unknown object": (data_type(codec("decimal", digits=5)), "data_type.*decimal"),
    "type to ignore": (data_type({"name": "x", "must_understand": False}), "data_type"),
    "r12": (data_type("r12", [0]), "data_type.*r12"),
    "r0": (data_type("r0", []), "data_type.*r0"),
    "r of too many": (data_type("r99999999999", []), "data_type"),
    "time without a unit": (data_type({"name": "numpy.datetime64"}), "data_type.*numpy.datetime64"),
    "time of an unknown unit": (
        data_type(codec("numpy.datetime64", unit="fortnight", scale_factor=1)), "fortnight",
    ),
    "time of no factor": (data_type(codec("numpy.timedelta64", unit="s", scale_factor=0)), "scale_factor"),
    "text of odd size": (data_type(codec("fixed_length_utf32", length_bytes=6), ""), "length_bytes.*6"),
    "text of huge size": (data_type(codec("raw_bytes", length_bytes=2**60), ""), "length_bytes|large|many"),
    "structure of nothing": (data_type(struct(), {}), "fields"),
    "structure of twins": (data_type(struct(A, A), {"a": 0}), "data_type.*a"),
    "structure of strings": (
        data_type(struct({"name": "s", "data_type": "string"}), {"s": ""}), "data_type.*s",
    ),
    "structure of unknowns": (
        data_type(struct(A, {"name": "b", "data_type": "int128"}), {"a": 0, "b": 0}), "int128",
    ),
    # Invalid fill values
    "fill text": ({"fill_value": "seven"}, "fill_value.*seven"),
    "fill too large": ({"fill_value": 40000}, "fill_value.*40000"),
    "fill fraction": ({"fill_value": 1.5}, "fill_value.*1.5"),
    "fill flag": ({"fill_value": True}, "fill_value"),
    "fill list": ({"fill_value": [1]}, "fill_value"),
    "fill beyond 64 bits": (data_type("uint64", 2**64), "fill_value"),
    "fill NaN of integers": ({"fill_value": "NaN"}, "fill_value.*NaN"),
    "fill number of a flag": (data_type("bool", 2), "fill_value"),
    "fill unknown text of floats": (data_type("float32", "nan"), "fill_value"),
    "fill of too few digits": (data_type("float32", "0x7f"), "fill_value.*0x7f"),
    "fill of no digits": (data_type("float32", "0xgggggggg"), "fill_value"),
    "fill of one part": (data_type("complex64", 1), "fill_value"),
    "fill of three parts": (data_type("complex64", [1, 2, 3]), "fill_value"),
    "fill of too few bytes": (data_type("r16", [1]), "fill_value"),
    "fill of no bytes": (data_type("r16", [1, 256]), "fill_value"),
    "fill of too few fields": (data_type(struct(A), {}), "fill_value.*a"),
    "fill of other fields": (data_type(struct(A), {"a": 0, "b": 1}), "fill_value.*b"),
    # Invalid codecs
    "codecs null": ({"codecs": None}, "codecs"),
    "codecs an object": ({"codecs": LITTLE}, "codecs"),
    "no codecs": (codecs(), "codecs"),
    "codec unknown": (codecs(LITTLE, codec("middle-out")), r"codecs\[1\].*middle-out"),
    "codec unknown and to ignore": (
        codecs(LITTLE, {**codec("middle-out"), "must_understand": False}), r"codecs\[1\].*middle-out",
    ),
    "codec number": (codecs(5), r"codecs\[0\]"),
    "codec without a name": (codecs({"configuration": {}}), r"codecs\[0\].*name"),
    "codec with more": (codecs({**LITTLE, "level": 5}), r"codecs\[0\].*level"),
    "codec of version 2": (codecs(LITTLE, {"id": "zlib"}), r"codecs\[1\]"),
    "configuration text": (codecs({"name": "bytes", "configuration": "little"}), "configuration"),
    "nothing makes bytes": (codecs(transpose(1, 0)), "codecs"),
    "compressors alone": (codecs(gzip()), "codecs"),
    "bytes twice": (codecs(LITTLE, LITTLE), r"codecs\[1\].*bytes"),
    "compressor before bytes": (codecs(gzip(), LITTLE), r"codecs\[0\].*gzip"),
    "transpose behind bytes": (codecs(LITTLE, transpose(1, 0)), r"codecs\[1\].*transpose"),
    "text without codecs": (data_type("string", "") | {"codecs": ...}, "codecs"),
    "bytes without an order": (codecs(BYTES), "endian"),
    "bytes of another order": (codecs(codec("bytes", endian="middle")), "endian.*middle"),
    "bytes with more": (codecs(codec("bytes", endian="big", level=1)), "level"),
    "order missing": (codecs(codec("transpose"), LITTLE), "order"),
    "order twice": (codecs(transpose(0, 0), LITTLE), "order"),
    "order too short": (codecs(transpose(0), LITTLE), "order"),
    "order too long": (codecs(transpose(0, 1, 2), LITTLE), "order"),
    "order outside": (codecs(transpose(0, 2), LITTLE), "order"),
    "order negative": (codecs(transpose(0, -1), LITTLE), "order"),
    "order text": (codecs(codec("transpose", order="K"), LITTLE), "order"),
    "gzip of no level": (codecs(LITTLE, codec("gzip", level=10)), "level"),
    "blosc of no name": (codecs(LITTLE, blosc("lz5")), "cname.*lz5"),
    "blosc of no shuffle": (codecs(LITTLE, blosc(shuffle="riffle")), "shuffle.*riffle"),
    "packbits upside down": (codecs(codec("packbits", first_bit=5, last_bit=3)), "last_bit|first_bit"),
    "packbits of too many bits": (codecs(codec("packbits", last_bit=16)), "last_bit"),
    "cast to nothing": (codecs(codec("cast_value"), LITTLE), "data_type"),
    "cast with more": (codecs(codec("cast_value", data_type="int8", colour=1), BYTES), "colour"),
    "reshape to less": (codecs(codec("reshape", shape=[5]), LITTLE), "reshape"),
    "texts as bytes": (data_type("string", ""), "codecs.*bytes|bytes.*string|string"),
    "numbers as texts": (codecs(codec("vlen-utf8")), "vlen-utf8"),
    # Invalid shards
    "chunks do not divide": (shards((1, 2)), r"chunk_shape\[1\].*2"),
    "chunks larger than the shard": (shards((2, 6)), "chunk_shape"),
    "chunks of nothing": (shards((0, 3)), "chunk_shape"),
    "chunks of one size": (shards((1,)), "chunk_shape"),
    "shards without chunks": (codecs(codec("sharding_indexed", codecs=[LITTLE], index_codecs=INDEX)), "chunk_shape"),
    "shards without codecs": (codecs(codec("sharding_indexed", chunk_shape=[1, 3], index_codecs=INDEX)), "codecs"),
    "shards without index codecs": (codecs(codec("sharding_indexed", chunk_shape=[1, 3], codecs=[LITTLE])), "index_codecs"),
    "shards with more": (shards(colour=1), "colour"),
    "index in the middle": (shards(index_location="middle"), "index_location.*middle"),
    "index compressed": (shards(index=[LITTLE, gzip()]), "index_codecs"),
    "index of no codecs": (shards(index=[]), "index_codecs"),
    "shards of nothing": (shards(chain=[]), "codecs"),
    "unknown codec in shards": (shards(chain=[LITTLE, codec("middle-out")]), r"codecs\[0\].*codecs\[1\].*middle-out"),
    "transposition in shards": (shards(chain=[transpose(0), BIG]), "order"),
    "bytes behind shards": (codecs(sharding((1, 3)), LITTLE), r"codecs\[1\].*bytes"),
    # Invalid dimension names
    "names text": ({"dimension_names": "yx"}, "dimension_names"),
    "names too few": ({"dimension_names": ["x"]}, "dimension_names"),
    "names numbers": ({"dimension_names": [1, 2]}, "dimension_names"),
}  # fmt: skip


def changed(changes):
    return {name: value for name, value in {**GOOD, **changes}.items() if value is not ...}


def assert_refused(outcome, pattern, path=""):
    assert not outcome.opened, outcome
    assert len(outcome.errors) == 1, outcome.errors
    error = outcome.errors[0]
    assert "bad.zarr" in error and f"{path}/zarr.json".lstrip("/") in error, error
    assert re.search(pattern, error, re.DOTALL | re.IGNORECASE), error
    assert len(error) < 2000, "an error is to be read by people"


@pytest.mark.parametrize("case", WRONG)
def test_wrong_documents(tmp_path, cpl, case):
    """An array with an invalid zarr.json does not open, although the root group of the store is valid. The error names
    the store, the array's zarr.json and the fault."""
    changes, pattern = WRONG[case]
    store = zarr3.handmade(tmp_path / "bad.zarr", zarr3.group_document())
    zarr3.handmade(store, changed(changes), path="g/dem")
    assert gdal.OpenEx(array_name(store, "g/dem"), gdal.OF_RASTER) is None
    error = cpl.the_error()
    assert "bad.zarr" in error and "g/dem/zarr.json" in error, error
    assert re.search(pattern, error, re.DOTALL | re.IGNORECASE), error
    assert len(error) < 2000, "an error is to be read by people"


HOSTILE = ("shape huge", "33 dimensions", "chunks huge", "rectilinear beyond 64 bits", "text of huge size",
           "r of too many", "unknown member")  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_wrong_documents_with_little_memory(tmp_path, case):
    """Opening a store fails if the zarr.json of its root array demands too much memory. The test opens the store in a
    process with little memory."""
    changes, pattern = WRONG[case]
    zarr3.handmade(tmp_path / "bad.zarr", changed(changes))
    assert_refused(attempt(tmp_path / "bad.zarr"), pattern)


DEEP = "[" * 10000 + "]" * 10000
TEXT = json.dumps(GOOD)
NOT_JSON = {
    "empty": "", "blank": " \n", "no JSON": "this is not JSON", "cut off": TEXT[:-20],
    "a list": "[]", "a number": "3", "null": "null", "trailing text": TEXT + "x", "deep": DEEP,
    "single quotes": str(GOOD), "binary": "\x00\x01", "an empty object": "{}",
    "deep codecs": TEXT.replace('"codecs": [', f'"codecs": [{DEEP}, '),
    "deep attributes": TEXT.replace('"attributes": {}', '"attributes": {"a": ' + DEEP + "}"),
    "shards without end": TEXT.replace(
        json.dumps(GOOD["codecs"]),
        '[{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "index_codecs": '
        f'{json.dumps(INDEX)}, "codecs": ' * 500 + "[]" + "}}]" * 500,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_JSON)
def test_no_json(tmp_path, case):
    zarr3.handmade(tmp_path / "bad.zarr", NOT_JSON[case])
    assert_refused(attempt(tmp_path / "bad.zarr"), "")


def test_invalid_utf8(tmp_path):
    data = TEXT.encode().replace(b'"int16"', b'"int16\xff\xfe"')
    zarr3.handmade(tmp_path / "bad.zarr", data)
    assert_refused(attempt(tmp_path / "bad.zarr"), "")


WRONG_GROUPS = {
    "unknown member": ({"colour": {"a": 1}}, "colour"),
    "zarr_format 4": ({"zarr_format": 4}, "zarr_format"),
    "no node_type": ({"node_type": ...}, "node_type"),
}


@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
@pytest.mark.parametrize("case", WRONG_GROUPS)
def test_wrong_groups(tmp_path, cpl, case, kind):
    changes, pattern = WRONG_GROUPS[case]
    store = zarr3.handmade(tmp_path / "bad.zarr", zarr3.group_document(**changes))
    zarr3.handmade(store, GOOD, path="dem")
    assert gdal.OpenEx(str(store), kind) is None
    error = cpl.the_error()
    assert "bad.zarr" in error and "zarr.json" in error and re.search(pattern, error), error


@pytest.mark.parametrize("attributes", [[1], "a", 5])
def test_wrong_attributes_of_groups(tmp_path, cpl, attributes):
    """Invalid attributes of a group give one warning. The arrays of the group open."""
    metadata = {**zarr3.group_document(), "attributes": attributes}
    store = zarr3.handmade(tmp_path / "bad.zarr", metadata)
    zarr3.handmade(store, GOOD, path="dem")
    assert gdal.Open(str(store)).ReadAsArray().tolist() == np.zeros((4, 6)).tolist()
    assert cpl.errors == [] and len(cpl.warnings) == 1, cpl.events
    assert "zarr.json" in cpl.warnings[0] and "attributes" in cpl.warnings[0]


def test_null_is_the_same_as_an_absent_member(tmp_path, cpl):
    """Some programs write null for optional members that they do not have."""
    null = {"attributes": None, "storage_transformers": None, "dimension_names": None}
    store = zarr3.handmade(tmp_path / "null.zarr", {**zarr3.group_document(), "attributes": None})
    zarr3.handmade(store, {**GOOD, **null}, path="dem")
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    assert dataset.ReadAsArray().tolist() == np.zeros((4, 6)).tolist()
    dataset.GetRasterBand(1).SetMetadataItem("a", "b")
    dataset = None
    assert gdal.Open(str(store)).GetRasterBand(1).GetMetadataItem("a") == "b"
    assert cpl.events == []


def test_bad_arrays_do_not_hide_good_ones(tmp_path, cpl):
    """A store with valid and invalid arrays opens. A warning names each invalid array and its fault. Opening an
    invalid array fails with the same fault."""
    store = tmp_path / "store.zarr"
    zarr3_arrays.group(store)
    good = [
        zarr3_arrays.array(store, name, document((3, 4), "int16"), np.full((3, 4), i, "i2"))
        for i, name in enumerate(("dem", "slope"))
    ]
    bad = ("codec unknown", "type unknown", "chunks zero", "unknown member")
    for case in bad:
        zarr3.handmade(store, changed(WRONG[case][0]), path=case.replace(" ", "_"))
    zarr3.handmade(store, "{", path="text")
    listed = dict(gdal.Open(str(store)).GetSubDatasets())
    assert {array_name(store, array.path) for array in good} <= set(listed)
    assert cpl.errors == [] and len(cpl.warnings) == 1, cpl.events
    for case in bad:
        path = case.replace(" ", "_")
        assert re.search(f"{path}/zarr.json: [^;]*({WRONG[case][1]})", cpl.warnings[0]), cpl.events
        with zarr_gdal.error_log() as log:
            assert gdal.Open(array_name(store, path)) is None
        assert path in log.the_error() and re.search(WRONG[case][1], log.the_error())
    assert "text/zarr.json" in cpl.warnings[0]
    for array in good:
        zarr3_check.check(array)
    cpl.clear()
    names = zarr_mdim.open_group(store).GetMDArrayNames()
    assert {"dem", "slope"} <= set(names)


def test_a_huge_but_sound_array_of_shards_costs_nothing(tmp_path):
    chain = [sharding((1, 256), [LITTLE, gzip()])]
    metadata = document((2**30, 2**30), "int16", (256, 256), chain, 3)
    zarr3.handmade(tmp_path / "a.zarr", metadata)
    outcome = attempt(tmp_path / "a.zarr", values=True, most=300)
    assert outcome.read and not outcome.errors + outcome.warnings, outcome.errors
    assert np.unique(outcome.values).tolist() == [3]
