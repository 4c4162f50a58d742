# SPDX-License-Identifier: MIT
"""Invalid metadata gives one clear error, never a crash, a hang or an unbounded allocation. test_zarr_v3_invalid.py
tests Zarr v3, and test_zarr_consolidated.py tests consolidated metadata."""

import json
import re

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal
from zarr_child import attempt, attempts
from zarr_gdal import array_name, open_raster
from zarr_store import GOOD, good_values, group, handmade, make_store

pytestmark = pytest.mark.every_case

BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}

HUGE = "overflow|large|exceed|big|more than|limit"

# For each case: changes that make the valid metadata GOOD invalid, and a pattern of the error. The error must also name
# the store and the key.
WRONG = {
    **{f"no {key}": ({key: ...}, key) for key in GOOD if key != "fill_value"},
    "zarr_format 3": ({"zarr_format": 3}, "zarr_format.*3"),
    "zarr_format text": ({"zarr_format": "2"}, "zarr_format"),
    "shape text": ({"shape": "4,6"}, "shape"),
    "shape number": ({"shape": 4}, "shape"),
    "shape null": ({"shape": None}, "shape"),
    "shape of text": ({"shape": ["4", "6"]}, r"shape\[0\]"),
    "shape of fractions": ({"shape": [4.5, 6]}, r"shape\[0\].*4\.5"),
    "shape negative": ({"shape": [4, -6]}, r"shape\[1\].*-6"),
    "shape huge": ({"shape": [2**62, 2**62], "chunks": [2**61, 2**61]}, HUGE),
    "shape beyond 64 bits": ({"shape": [10**30, 6]}, r"shape\[0\]"),
    "33 dimensions": ({"shape": [1] * 33, "chunks": [1] * 33}, "33|dimensions"),
    "chunks text": ({"chunks": "2,3"}, "chunks"),
    "chunks true": ({"chunks": True}, "chunks"),
    "chunks null": ({"chunks": None}, "chunks"),
    "chunks zero": ({"chunks": [0, 3]}, r"chunks\[0\].*0"),
    "chunks negative": ({"chunks": [2, -3]}, r"chunks\[1\].*-3"),
    "chunks of text": ({"chunks": [2, "3"]}, r"chunks\[1\]"),
    "chunks too few": ({"chunks": [2]}, "chunks"),
    "chunks too many": ({"chunks": [2, 3, 4]}, "chunks"),
    "chunks huge": ({"chunks": [2**31, 2**31]}, HUGE),
    "chunks beyond 64 bits": ({"chunks": [2, 10**30]}, r"chunks\[1\]"),
    "dtype unknown": ({"dtype": "<q9"}, "dtype.*<q9"),
    "dtype empty": ({"dtype": ""}, "dtype"),
    "dtype number": ({"dtype": 5}, "dtype"),
    "dtype null": ({"dtype": None}, "dtype"),
    "dtype of odd size": ({"dtype": "<i3"}, "dtype.*<i3"),
    "dtype f16": ({"dtype": "<f16"}, "dtype.*<f16"),
    "dtype of huge size": ({"dtype": "|S99999999999"}, "dtype"),
    "dtype of unknown unit": ({"dtype": "<M8[fortnight]"}, "dtype.*fortnight"),
    "dtype of no fields": ({"dtype": []}, "dtype"),
    "dtype of bad fields": ({"dtype": [["a"]]}, "dtype"),
    "dtype of a bad field": ({"dtype": [["a", "<i2"], ["b", "<q9"]]}, "dtype.*<q9"),
    "dtype of huge subarray": ({"dtype": [["a", "<i8", [2**31, 2**31]]]}, "dtype"),
    "compressor text": ({"compressor": "zlib"}, "compressor"),
    "compressor list": ({"compressor": []}, "compressor"),
    "compressor without id": ({"compressor": {"level": 1}}, "compressor.*id"),
    "compressor id number": ({"compressor": {"id": 7}}, "compressor.*id"),
    "compressor unknown": ({"compressor": {"id": "middle-out"}}, "middle-out"),
    "filters text": ({"filters": "delta"}, "filters"),
    "filters object": ({"filters": {"id": "delta"}}, "filters"),
    "filter null": ({"filters": [None]}, r"filters\[0\]"),
    "filter without id": ({"filters": [{}]}, r"filters\[0\].*id"),
    "filter unknown": ({"filters": [{"id": "crc32"}, {"id": "wavelet"}]}, r"filters\[1\].*wavelet"),
    "filter pickle": ({"filters": [{"id": "pickle", "protocol": 4}]}, "pickle"),
    "filter msgpack": ({"filters": [{"id": "msgpack"}]}, "msgpack"),
    "blosc2": ({"compressor": {"id": "blosc2"}}, "blosc2"),
    "TIFF page": ({"compressor": {"id": "imagecodecs_tiff", "index": -1}}, "imagecodecs_tiff: index"),
    "delta without dtype": ({"filters": [{"id": "delta"}]}, "dtype"),
    "delta of unknown dtype": ({"filters": [{"id": "delta", "dtype": "<q9"}]}, "<q9"),
    "fill text": ({"fill_value": "seven"}, "fill_value.*seven"),
    "fill too large": ({"fill_value": 40000}, "fill_value.*40000"),
    "fill fraction": ({"fill_value": 1.5}, "fill_value.*1.5"),
    "fill list": ({"fill_value": [1, 1]}, "fill_value"),
    "fill object": ({"fill_value": {}}, "fill_value"),
    "fill beyond 64 bits": ({"dtype": "<u8", "fill_value": 2**64}, "fill_value"),
    "fill NaN of integers": ({"fill_value": "NaN"}, "fill_value.*NaN"),
    "fill of complex": ({"dtype": "<c8", "fill_value": [1, 2, 3]}, "fill_value"),
    "fill no base64": ({"dtype": [["a", "<i2"]], "fill_value": "*"}, "fill_value"),
    "fill base64 too short": ({"dtype": [["a", "<i8"]], "fill_value": "AAA="}, "fill_value"),
    "order X": ({"order": "X"}, "order.*X"),
    "order null": ({"order": None}, "order"),
    "separator unknown": ({"dimension_separator": "-"}, "dimension_separator.*-"),
    "separator number": ({"dimension_separator": 5}, "dimension_separator"),
}

DEEP = "[" * 10000 + "]" * 10000

NOT_JSON = {
    "empty": "",
    "blank": " \n",
    "no JSON": "this is not JSON",
    "cut off": json.dumps(GOOD)[:-20],
    "a list": "[]",
    "a number": "2",
    "null": "null",
    "trailing text": json.dumps(GOOD) + "x",
    "single quotes": str(GOOD),
    "binary": "\x00\x01\x02",
    "deep": DEEP,
    "deep filters": json.dumps(GOOD).replace('"filters": null', f'"filters": {DEEP}'),
    "deep objects": '{"a":' * 10000 + "1" + "}" * 10000,
    "deep unknown key": json.dumps(GOOD)[:-1] + f', "more": {DEEP}' + "}",
    "deep and cut off": "[" * 1000000,
    "deep dtype": json.dumps(GOOD).replace('"<i2"', '[["a",' * 5000 + '"<i2"' + "]]" * 5000),
}


def assert_refused(outcome_errors, opened, pattern):
    assert not opened
    assert len(outcome_errors) == 1, outcome_errors
    error = outcome_errors[0]
    assert "bad.zarr" in error and ".zarray" in error, error
    assert re.search(pattern, error, re.DOTALL), error
    assert len(error) < 2000, "an error is to be read by people"


@pytest.mark.parametrize("case", WRONG)
def test_wrong_metadata(tmp_path, case):
    """Invalid metadata of an array gives one error, whether the array is a store of its own or in a group."""
    changes, pattern = WRONG[case]
    names, paths = [], ("", "group/elevation")
    for path in paths:
        store = tmp_path / path.replace("/", "_") / "bad.zarr"
        if path:
            group(store)
        handmade(store, path=path, **changes)
        names.append(array_name(store, path))
    for path, outcome in zip(paths, attempts(names)):
        assert_refused(outcome.errors, outcome.opened, pattern)
        assert path in outcome.errors[0]


@pytest.mark.parametrize("case", NOT_JSON)
def test_no_json(tmp_path, case):
    handmade(tmp_path / "bad.zarr", NOT_JSON[case])
    outcome = attempt(tmp_path / "bad.zarr")
    assert_refused(outcome.errors, outcome.opened, "")


def test_invalid_utf8(tmp_path):
    handmade(tmp_path / "bad.zarr")
    text = json.dumps(GOOD).encode().replace(b'"<i2"', b'"<i2\xff\xfe"')
    (tmp_path / "bad.zarr" / ".zarray").write_bytes(text)
    outcome = attempt(tmp_path / "bad.zarr")
    assert_refused(outcome.errors, outcome.opened, "")


@zarr_formats.BOTH
def test_a_byte_order_mark_is_no_fault(tmp_path, cpl):
    """Metadata may begin with a byte order mark, which Windows editors write. Update mode removes the mark."""
    store = handmade(tmp_path / "a.zarr")
    document = zarr_formats.document_file(store, ".zarray")
    document.write_bytes(b"\xef\xbb\xbf" + document.read_bytes())
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    zarr_gdal.assert_same(dataset.ReadAsArray(), good_values())
    dataset.SetMetadataItem("note", "x")
    dataset.GetRasterBand(1).SetNoDataValue(-1)
    del dataset
    assert zarr_formats.attributes(store) == {"note": "x", "_FillValue": -1}
    cpl.assert_quiet()


@pytest.mark.parametrize("text", ["", "{", "[1]", DEEP, '{"a": ' + DEEP + "}", '{"units": 5'])
def test_bad_attributes(tmp_path, text):
    """Invalid attributes give one error or warning that names their file. If the array opens, its pixels are right."""
    handmade(tmp_path / "bad.zarr", attrs=text)
    outcome = attempt(tmp_path / "bad.zarr", values=True)
    events = outcome.errors + outcome.warnings
    assert len(events) == 1 and ".zattrs" in events[0] and "bad.zarr" in events[0], outcome
    assert len(events[0]) < 2000
    if outcome.opened:
        assert outcome.errors == [] and outcome.values == [good_values().tolist()]


@pytest.mark.parametrize("text", ["", "{", "[]", DEEP, '{"zarr_format": 7}', "{}"])
def test_bad_group(tmp_path, text):
    handmade(tmp_path / "bad.zarr", path="elevation")
    (tmp_path / "bad.zarr" / ".zgroup").write_text(text)
    outcome = attempt(tmp_path / "bad.zarr")
    events = outcome.errors + outcome.warnings
    assert len(events) == 1 and ".zgroup" in events[0], outcome


CONSOLIDATED = {
    "no JSON": "{",
    "deep": DEEP,
    "a list": "[]",
    "no metadata": '{"zarr_consolidated_format": 1}',
    "metadata a list": '{"zarr_consolidated_format": 1, "metadata": []}',
    "unknown format": '{"zarr_consolidated_format": 9, "metadata": {}}',
    "deep metadata": '{"zarr_consolidated_format": 1, "metadata": {"a/.zarray": ' + DEEP + "}}",
}


@pytest.mark.parametrize("case", CONSOLIDATED)
def test_bad_consolidated_metadata(tmp_path, case):
    """Invalid consolidated metadata gives one error or warning. With USE_CONSOLIDATED_METADATA=NO, all values are right
    and no warning is given."""
    group(tmp_path / "bad.zarr")
    handmade(tmp_path / "bad.zarr", path="elevation")
    (tmp_path / "bad.zarr" / ".zmetadata").write_text(CONSOLIDATED[case])
    outcome = attempt(tmp_path / "bad.zarr", values=True)
    events = outcome.errors + outcome.warnings
    assert len(events) == 1, outcome
    assert ".zmetadata" in events[0] or "a/.zarray" in events[0], events
    if outcome.opened and outcome.values:
        assert outcome.values == [good_values().tolist()]
    without = attempt(tmp_path / "bad.zarr", ["USE_CONSOLIDATED_METADATA=NO"], values=True)
    assert without.values == [good_values().tolist()] and not without.errors + without.warnings


@pytest.mark.parametrize(
    "key", ["../outside/.zarray", "a/../../outside/.zarray", "/etc/.zarray", "a//b/.zarray"]
)
@pytest.mark.slow
def test_consolidated_keys_that_leave_the_store(tmp_path, key):
    handmade(tmp_path / "outside")
    store = group(tmp_path / "bad.zarr")
    handmade(store, path="elevation")
    metadata = {".zgroup": {"zarr_format": 2}, "elevation/.zarray": GOOD, key: GOOD}
    text = json.dumps({"zarr_consolidated_format": 1, "metadata": metadata})
    (store / ".zmetadata").write_text(text)
    outcome = attempt(store, values=True)
    events = outcome.errors + outcome.warnings
    assert len(events) == 1 and key.rsplit("/", 1)[0] in events[0], outcome
    if outcome.opened:
        assert outcome.values == [good_values().tolist()]


@zarr_formats.BOTH
@pytest.mark.parametrize(
    "path", ["../outside", "..", "a/../../outside", "elevation/../../outside", "./elevation/.."]
)
def test_paths_that_leave_the_store(tmp_path, cpl, path):
    handmade(tmp_path / "outside")
    handmade(group(tmp_path / "bad.zarr"), path="elevation")
    assert gdal.Open(f'ZARR:"{tmp_path}/bad.zarr":/{path}') is None
    assert ".." in cpl.the_error()


def test_bad_arrays_do_not_hide_good_ones(tmp_path, cpl):
    """Valid arrays of a group open, and one warning names each invalid array and its fault. Opening an invalid array
    fails with its fault."""
    good = {"elevation": np.ones((3, 4), "i2"), "slope": np.ones((5, 6), "f4")}
    store = make_store(tmp_path, good)
    bad = {"codec": ({"compressor": {"id": "middle-out"}}, "middle-out"),
           "kind": ({"dtype": "<q9"}, "<q9"), "size": ({"chunks": [0, 3]}, "chunks")}  # fmt: skip
    for path, (changes, _) in bad.items():
        handmade(store, path=path, **changes)
    handmade(store, "{", path="text")
    bad["text"] = (None, "JSON|parse|text")
    dataset = gdal.Open(str(store))
    listed = dict(dataset.GetSubDatasets())
    assert set(array_name(store, path) for path in good) <= set(listed)
    assert cpl.errors == []
    assert len(cpl.warnings) == 1, cpl.events
    for path, (_, reason) in bad.items():
        assert re.search(f"{path}/.zarray: [^;]*({reason})", cpl.warnings[0]), (path, cpl.events)
    for path, (_, reason) in bad.items():
        with zarr_gdal.error_log() as log:
            assert gdal.Open(array_name(store, path)) is None
        assert re.search(reason, log.the_error()) and path in log.the_error()
    for path, values in good.items():
        zarr_gdal.assert_same(open_raster(array_name(store, path)).ReadAsArray(), values)


@zarr_formats.BOTH
def test_the_only_good_array_opens_beside_bad_ones(tmp_path, cpl):
    store = make_store(tmp_path, {"elevation": np.ones((3, 4), "i2")})
    handmade(store, path="broken")
    document = zarr_formats.document_file(store, "broken/.zarray")
    document.write_text(re.sub('"(<i2|int16)"', '"i9"', document.read_text()))
    zarr_gdal.assert_same(gdal.Open(str(store)).ReadAsArray(), np.ones((3, 4), "i2"))
    assert cpl.errors == [] and len(cpl.warnings) == 1 and "broken" in cpl.warnings[0]


@zarr_formats.BOTH
def test_a_huge_but_sound_array_costs_nothing(tmp_path):
    """An array of 2^30 x 2^30 pixels without stored chunks reads as the fill value, and takes little memory."""
    huge = {"shape": [2**30, 2**30], "chunks": [256, 256], "fill_value": 3, "files": {}}
    stores = [handmade(tmp_path / name, compressor=compressor, **huge)
              for name, compressor in (("raw.zarr", None), ("blosc.zarr", BLOSC))]  # fmt: skip
    for outcome in attempts(stores, values=True, most=300):
        assert outcome.read and not outcome.errors + outcome.warnings, outcome.errors
        assert np.unique(outcome.values).tolist() == [3]


@zarr_formats.BOTH
def test_more_pixels_than_gdal_counts(tmp_path):
    handmade(tmp_path / "bad.zarr", shape=[2**31, 6], chunks=[2, 3])
    outcome = attempt(tmp_path / "bad.zarr")
    assert not outcome.opened and len(outcome.errors) == 1, outcome
    assert "bad.zarr" in outcome.errors[0]


def test_a_child_that_fails_is_the_failure_of_its_test(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getcwd", lambda: str(tmp_path / "absent"))
    with pytest.raises(AssertionError, match="(?s)a.zarr: ends with 1: .*FileNotFoundError"):
        attempt("a.zarr")
    monkeypatch.undo()
    assert not attempt(tmp_path / "a.zarr").opened
