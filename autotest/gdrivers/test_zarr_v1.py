# SPDX-License-Identifier: MIT
"""Arrays of Zarr v1: folders with the metadata documents `meta` and `attrs`, and chunks. Both APIs read them like
arrays of v2. The driver never writes to them."""

import lzma
import shutil
import zlib

import numpy as np
import pytest
import zarr2
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import as_raster, assert_same, error_log, open_band, open_raster, read_all
from zarr_http import Served
from zarr_store import handmade, make_array, make_store
from zarr_v1 import CUBE, VALUES, migrated, numbers, write_tree, write_v1

# Document `meta` of the example in the Zarr v1 specification.
SPEC_META = """{
    "chunks": [
        10,
        10
    ],
    "compression": "zlib",
    "compression_opts": 1,
    "dtype": "<i4",
    "fill_value": 42,
    "order": "C",
    "shape": [
        20,
        20
    ],
    "zarr_format": 1
}
"""
SPEC_ATTRS = """{
    "bar": "apples",
    "baz": [
        1,
        2,
        3,
        4
    ],
    "foo": 42
}
"""


@pytest.fixture
def example(tmp_path):
    """Writes the metadata documents of the example in the Zarr v1 specification, without any chunk. Returns the array's
    folder."""
    folder = tmp_path / "example.zarr"
    folder.mkdir()
    (folder / "meta").write_text(SPEC_META)
    (folder / "attrs").write_text("{}\n")
    return folder


@pytest.fixture
def array(tmp_path):
    return write_v1(tmp_path / "v1", VALUES, (2, 4), attrs={"units": "m"})


def mdim_values(name, path=None):
    return zarr_mdim.open_array(name, path).ReadAsArray()


def test_example_of_the_specification_without_data(example):
    dataset = open_raster(example)
    assert_same(read_all(dataset), np.full((1, 20, 20), 42, "i4"))
    assert dataset.GetRasterBand(1).GetNoDataValue() == 42
    assert_same(mdim_values(example), np.full((20, 20), 42, "i4"))


def test_example_of_the_specification(example):
    blocks = {"0.0": 1, "0.1": 2, "1.0": 3, "1.1": 3}
    for key, value in blocks.items():
        (example / key).write_bytes(zlib.compress(np.full((10, 10), value, "<i4").tobytes(), 1))
    (example / "attrs").write_text(SPEC_ATTRS)
    expected = np.full((20, 20), 3, "i4")
    expected[:10, :10], expected[:10, 10:] = 1, 2
    dataset = open_raster(example)
    assert_same(read_all(dataset)[0], expected)
    band = dataset.GetRasterBand(1)
    assert band.GetBlockSize() == [10, 10]
    found = {**dataset.GetMetadata(), **band.GetMetadata()}
    assert found["foo"] == "42" and found["bar"] == "apples" and found["baz"] == "{1,2,3,4}"
    md_array = zarr_mdim.open_array(example)
    assert md_array.GetName() == "example"
    assert_same(md_array.ReadAsArray(), expected)
    assert md_array.GetBlockSize() == [10, 10]
    assert {each.GetName(): each.Read() for each in md_array.GetAttributes()} == {
        "foo": 42, "bar": "apples", "baz": (1, 2, 3, 4)
    }  # fmt: skip
    assert_same(migrated(example), expected)


RAW_FILTERS = [{"id": lzma.FILTER_DELTA, "dist": 2}, {"id": lzma.FILTER_LZMA2, "preset": 1}]
COMPRESSORS = [
    ("none", None),
    (None, None),
    ("zlib", 0),
    ("zlib", 9),
    ("gzip", 0),
    ("gzip", 9),
    ("bz2", 1),
    ("bz2", 9),
    ("lzma", {"format": 1, "check": -1, "preset": None, "filters": None}),
    ("lzma", {"format": 2, "check": -1, "preset": 1, "filters": None}),
    ("lzma", {"format": 3, "check": -1, "preset": None, "filters": RAW_FILTERS}),
] + [
    ("blosc", {"cname": cname, "clevel": 5, "shuffle": shuffle})
    for cname, shuffle in [("blosclz", 1), ("lz4", 0), ("lz4hc", 1), ("zlib", 1), ("zstd", 2)]
]


@pytest.mark.parametrize("compression, options", COMPRESSORS)
def test_compressors_of_the_time(tmp_path, compression, options):
    values = np.arange(50 * 70, dtype="<i4").reshape(50, 70) // 7
    store = write_v1(tmp_path / "v1", values, (20, 30), compression, options, attrs={})
    assert_same(read_all(open_raster(store))[0], values)
    assert_same(mdim_values(store), values)
    if compression != "gzip":  # "gzip" has another meaning in v2, so a migrated array cannot be read
        assert_same(migrated(store), values)


@pytest.mark.parametrize("compression", ["blosc", "zlib", "gzip", "bz2", "lzma", "none"])
@pytest.mark.parametrize("given", [..., None])
def test_options_of_a_compressor_are_not_needed(tmp_path, compression, given):
    defaults = {
        "blosc": {"cname": "lz4", "clevel": 5, "shuffle": 1}, "zlib": 1, "gzip": 1, "bz2": 1, "lzma": {},
        "none": None,
    }  # fmt: skip
    options = defaults[compression]
    store = write_v1(tmp_path / "v1", VALUES, (2, 3), compression, options, compression_opts=given)
    assert_same(read_all(open_raster(store))[0], VALUES)


ARRAYS = {
    "1-D": (numbers((7,), "<f8"), (3,), {}),
    "3-D": (numbers((3, 5, 7), "<u2"), (2, 2, 4), {}),
    "4-D column-major": (numbers((2, 3, 5, 4), ">i4"), (1, 2, 2, 3), {"order": "F"}),
    "column-major": (numbers((5, 7), "<i2"), (2, 4), {"order": "F"}),
    "big-endian": (numbers((5, 7), ">f4"), (2, 4), {}),
    "bool": (numbers((5, 7), "|b1"), (2, 4), {"fill_value": True}),
    "absent chunks": (numbers((5, 7), "<i2"), (2, 4), {"fill_value": -3, "absent": ("0.1", "2.0")}),
    "fill of NaN": (numbers((5, 7), "<f4"), (5, 4), {"fill_value": float("nan"), "absent": ("0.1",)}),
    "complex": (numbers((5, 7), "<c8"), (2, 4), {"fill_value": None}),
    "times": (numbers((5, 7), "<M8[D]"), (2, 4), {"fill_value": None}),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_reads_what_zarr_python_reads_after_its_migration(tmp_path, name):
    values, chunks, options = ARRAYS[name]
    store = write_v1(tmp_path / "v1", values, chunks, "zlib", 1, attrs={"a": 1}, **options)
    expected = migrated(store)
    assert_same(read_all(open_raster(store)), as_raster(expected))
    assert_same(mdim_values(store), zarr_gdal.as_gdal(expected))


def test_null_fill_value_is_zero_and_no_nodata(tmp_path):
    store = write_v1(tmp_path / "v1", VALUES, (2, 6), fill_value=None, absent=("1.0",))
    band = open_band(store)
    expected = VALUES.copy()
    expected[2:] = 0
    assert band.GetNoDataValue() is None
    assert_same(band.ReadAsArray(), expected)
    assert zarr_mdim.open_array(store).GetNoDataValueAsRaw() is None


def test_fields_of_a_structure_are_bands(tmp_path):
    values = np.zeros((4, 6), [("r", "|u1"), ("g", ">i2")])
    values["r"], values["g"] = VALUES, -VALUES
    store = write_v1(tmp_path / "v1", values, (3, 3), "zlib", 1, fill_value=None)
    dataset = open_raster(store)
    assert_same(dataset.GetRasterBand(1).ReadAsArray().astype("i2"), VALUES)
    assert_same(dataset.GetRasterBand(2).ReadAsArray().astype("i2"), -VALUES)
    assert (migrated(store) == values).all()


def test_members_of_v2_documents_are_ignored(tmp_path):
    store = write_v1(
        tmp_path / "v1", VALUES, (2, 3), dimension_separator="/", filters=[{"id": "delta"}],
        compressor={"id": "zlib"}, more=1,
    )  # fmt: skip
    assert_same(read_all(open_raster(store))[0], VALUES)


@pytest.mark.parametrize(
    "spelling",
    ["{}", "{}/", "{}/meta", "ZARR:{}", 'ZARR:"{}"', 'ZARR:"{}":/', 'ZARR:"{}/meta"'],
)
def test_spellings_of_the_array(array, spelling):
    name = spelling.format(array)
    assert_same(open_raster(name).ReadAsArray(), VALUES)
    assert_same(mdim_values(name), VALUES)
    with error_log() as log:
        assert "Driver: Zarr/" in gdal.Info(gdal.OpenEx(name))
    log.assert_quiet()


def test_relative_paths(array, monkeypatch):
    monkeypatch.chdir(array.parent)
    assert_same(open_raster("v1").ReadAsArray(), VALUES)
    assert_same(open_raster("v1/meta").ReadAsArray(), VALUES)
    monkeypatch.chdir(array)
    assert_same(open_raster("meta").ReadAsArray(), VALUES)
    assert_same(open_raster("ZARR:.").ReadAsArray(), VALUES)


def test_array_in_memory(array):
    for file in array.iterdir():
        gdal.FileFromMemBuffer(f"/vsimem/v1/{file.name}", file.read_bytes())
    try:
        assert_same(open_raster("/vsimem/v1").ReadAsArray(), VALUES)
        assert_same(open_raster("/vsimem/v1/meta").ReadAsArray(), VALUES)
    finally:
        gdal.RmdirRecursive("/vsimem/v1")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", "zarr_format: 1", '{"zarr_format": 2}', '{"zarr_format": "1"}',
     '{"zarr_format": null}', '{"title": "\\"zarr_format\\": 1"}', '{"zarr_format": 1'],
)  # fmt: skip
def test_another_meta_is_not_claimed(tmp_path, text):
    (tmp_path / "meta").write_text(text)
    (tmp_path / "0.0").write_bytes(b"\0" * 12)
    zarr_driver = gdal.GetDriverByName("Zarr").ShortName
    for name in (str(tmp_path), str(tmp_path / "meta")):
        driver = gdal.IdentifyDriverEx(name, gdal.OF_RASTER)
        assert driver is None or driver.ShortName != zarr_driver


def test_folder_called_meta_is_a_folder(tmp_path):
    make_array(tmp_path, VALUES, "meta")
    assert_same(open_raster(tmp_path / "meta").ReadAsArray(), VALUES)
    store = make_store(tmp_path, {"meta": VALUES, "other/meta": VALUES})
    assert_same(open_raster(store / "meta").ReadAsArray(), VALUES)
    assert len(open_raster(store).GetSubDatasets()) == 2
    (store / ".zgroup").unlink()
    (store / "other" / ".zgroup").unlink()
    assert len(open_raster(f"ZARR:{store}").GetSubDatasets()) == 2


def test_v2_wins_over_v1_in_one_folder(tmp_path):
    store = write_v1(tmp_path / "both", VALUES, (2, 6), absent=("0.0", "1.0"))
    handmade(store, files={}, shape=[1, 1], chunks=[1, 1], fill_value=7)
    assert_same(open_raster(store).ReadAsArray(), np.array([[7]], "i2"))


# --- tests of Zarr v1 arrays in folders without .zgroup ---


@pytest.fixture
def tree(tmp_path):
    return write_tree(tmp_path / "tree")


def test_arrays_in_folders_are_listed(tree):
    names = [name for name, _ in open_raster(f"ZARR:{tree}").GetSubDatasets()]
    assert sorted(names) == [f'ZARR:"{tree}":/{path}' for path in ("deep/er/cube", "dem", "new")]
    for name in names:
        open_raster(name)
    root = zarr_mdim.open_group(f"ZARR:{tree}")
    assert root.GetMDArrayNames() == ["dem", "new"]
    assert root.GetGroupNames() == ["deep"]
    cube = root.OpenMDArrayFromFullname("/deep/er/cube")
    assert_same(cube.ReadAsArray(), CUBE)


def test_arrays_in_folders_are_found_by_name(tree):
    assert_same(open_raster(f'ZARR:"{tree}":/dem').ReadAsArray(), VALUES)
    assert_same(open_raster(f'ZARR:"{tree}":/deep/er/cube:1').ReadAsArray(), CUBE[1])
    assert_same(mdim_values(f'ZARR:"{tree}":/deep/er/cube'), CUBE)
    assert_same(open_raster(tree / "dem").ReadAsArray(), VALUES)


# --- tests of copies of Zarr v1 arrays ---


def translated(source, target):
    """Copies a v1 array to a new store with gdal.Translate(), and returns the three-dimensional array in it."""
    with error_log() as log:
        assert gdal.Translate(str(target), str(source), format="Zarr") is not None
    log.assert_quiet()
    (copy,) = [each for _, each in zarr.open(str(target)).arrays() if each.ndim == 3]
    return copy


@pytest.mark.parametrize("compression, options", [("none", None), ("zlib", 1)])
def test_translation_makes_a_store_that_zarr_python_opens(tmp_path, compression, options):
    values = numbers((3, 40, 50), ">i4")
    attrs = {"foo": 42, "bar": "apples", "baz": [1, 2, 3, 4], "long_name": "Höhe"}
    store = write_v1(
        tmp_path / "v1", values, (1, 20, 30), compression, options, attrs=attrs, fill_value=-1,
        absent=("1.1.1",),
    )  # fmt: skip
    source = migrated(store)
    copy = translated(store, tmp_path / "copy.zarr")
    np.testing.assert_array_equal(copy[...], source)
    assert copy.fill_value == -1
    assert (copy.attrs["bar"], copy.attrs["long_name"]) == ("apples", "Höhe")
    # zarr-python migrates the v1 array to v2. A copy of the v2 array must have the attributes of the copy from v1.
    shutil.copytree(store, tmp_path / "v1-copy")
    zarr2.call("migrate", str(tmp_path / "v1-copy"))
    of_v2 = translated(tmp_path / "v1-copy", tmp_path / "of_v2.zarr")
    assert copy.attrs.asdict() == of_v2.attrs.asdict()
    assert set(attrs) <= set(copy.attrs)


def test_multidimensional_translation_keeps_values_and_attributes(tmp_path):
    values, attrs = numbers((3, 4, 5), "<f4"), {"foo": 42, "baz": [1, 2, 3, 4]}
    store = write_v1(tmp_path / "v1", values, (1, 2, 3), "zlib", 1, attrs=attrs)
    target = tmp_path / "v2.zarr"
    assert gdal.MultiDimTranslate(str(target), str(store), format="Zarr") is not None
    copy = zarr.open(str(target))["v1"]
    np.testing.assert_array_equal(copy[...], values)
    assert {name: copy.attrs[name] for name in attrs} == attrs


# --- tests of Zarr v1 arrays on web servers ---


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "served"
    write_v1(folder / "v1.zarr", VALUES, (2, 4), attrs={"units": "m"})
    write_v1(folder / "plain" / "dem", VALUES, (2, 4))
    dem = {"values": VALUES, "dims": ("y", "x"), "attrs": {"grid_mapping": "crs"}}
    make_array(folder, VALUES, "array.zarr")
    make_store(folder, {"dem": dem}, name="group.zarr")
    make_store(folder, {"dem": dem}, name="consolidated.zarr", consolidated=True)
    shutil.copytree(folder / "group.zarr", folder / "implicit.zarr")
    (folder / "implicit.zarr" / ".zgroup").unlink()
    with Served(folder) as server:
        yield server


def test_array_on_a_server_opens_with_seven_requests(served):
    dataset = open_raster(f'ZARR:"{served.url}/v1.zarr"')
    asked = [path for _, path, *_ in served.requests()]
    assert asked[0] == "/v1.zarr/zarr.json"
    # These four metadata documents are requested concurrently, in any order.
    assert set(asked[1:5]) == {f"/v1.zarr/{name}" for name in (".zmetadata", ".zattrs", ".zarray", ".zgroup")}
    assert asked[5:] == [f"/v1.zarr/{name}" for name in ("meta", "attrs")]
    assert dataset.GetRasterBand(1).GetUnitType() == "m"
    assert_same(dataset.ReadAsArray(), VALUES)
    assert_same(open_raster(f'ZARR:"{served.url}/plain":/dem').ReadAsArray(), VALUES)
    assert_same(open_raster(f'ZARR:"{served.url}/v1.zarr/meta"').ReadAsArray(), VALUES)


@pytest.mark.parametrize(
    "name",
    ["array.zarr", "array.zarr/.zarray", 'group.zarr":/dem', 'consolidated.zarr":/dem',
     "consolidated.zarr", 'implicit.zarr":/dem', 'array.zarr":/'],
)  # fmt: skip
@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
def test_documents_of_v1_are_not_requested_from_a_v2_store(served, name, kind):
    full = f'ZARR:"{served.url}/{name}' + ("" if '"' in name else '"')
    dataset = gdal.OpenEx(full, kind)
    if kind == gdal.OF_RASTER:
        assert_same(dataset.ReadAsArray(), VALUES)
    else:
        root = dataset.GetRootGroup()
        assert_same(root.OpenMDArray(root.GetMDArrayNames()[0]).ReadAsArray(), VALUES)
    last = [path.rpartition("/")[2] for _, path, *_ in served.requests()]
    assert ".zarray" in last or ".zmetadata" in last
    assert "meta" not in last and "attrs" not in last
