# SPDX-License-Identifier: MIT
"""Arrays of Zarr v1 are never changed, and errors name the invalid metadata document or chunk."""

import pytest
from osgeo import gdal
from zarr_gdal import assert_same, error_log, open_raster
from zarr_http import Served
from zarr_v1 import META, VALUES, write_meta, write_tree, write_v1


@pytest.fixture
def array(tmp_path):
    return write_v1(tmp_path / "v1", VALUES, (2, 4), attrs={"units": "m"})


@pytest.fixture
def tree(tmp_path):
    return write_tree(tmp_path / "tree")


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- tests that Zarr v1 arrays are never written to ---


@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
@pytest.mark.parametrize("spelling", ["{}", "{}/meta", 'ZARR:"{}"', 'ZARR:"{}":/'])
def test_update_is_refused(array, kind, spelling):
    before = contents(array)
    with error_log() as log:
        assert gdal.OpenEx(spelling.format(array), kind | gdal.OF_UPDATE) is None
    assert "meta: Zarr v1 is read-only" in log.the_error()
    assert "gdal_translate -of Zarr" in log.the_error()
    assert contents(array) == before


def test_arrays_of_v1_do_not_change_in_a_folder_that_is_updated(tree):
    before = contents(tree / "dem")
    dataset = gdal.OpenEx(f'ZARR:"{tree}"', gdal.OF_MULTIDIM_RASTER | gdal.OF_UPDATE)
    root = dataset.GetRootGroup()
    with error_log() as log:
        dem = root.OpenMDArray("dem")
        dem.Write(VALUES.tobytes())
        dem.CreateAttribute("x", [], gdal.ExtendedDataType.CreateString())
        for attribute in dem.GetAttributes():
            attribute.Write("changed")
        assert root.CreateGroup("dem") is None
        assert root.CreateMDArray("dem", [], gdal.ExtendedDataType.Create(gdal.GDT_Byte)) is None
        del dem, root
        dataset = None
    assert any("Zarr v1 is read-only" in error for error in log.errors), log.events
    assert contents(tree / "dem") == before


@pytest.mark.parametrize(
    "options",
    [["APPEND_SUBDATASET=YES", "ARRAY_NAME=new"], ["APPEND_DIM=dim0", "ARRAY_NAME=v1"], []],
)
def test_nothing_is_created_in_an_array(array, options):
    before = contents(array)
    source = gdal.GetDriverByName("MEM").Create("", 6, 4)
    with error_log() as log:
        driver = gdal.GetDriverByName("Zarr")
        assert driver.CreateCopy(str(array), source, options=options) is None
    assert log.errors != []
    assert contents(array) == before


def test_deletion_is_refused(array):
    with error_log() as log:
        assert gdal.GetDriverByName("Zarr").Delete(str(array)) != gdal.CE_None
    assert "is not deleted" in log.the_error()
    assert (array / "meta").exists()


# --- tests of invalid Zarr v1 documents and chunks ---

BROKEN = [
    ({"zarr_format": "1"}, 'zarr_format: expected 1, got "1"'),
    ({"zarr_format": 2}, "zarr_format: expected 1, got 2"),
    ({"zarr_format": None}, "zarr_format: expected 1, got null"),
    ({"zarr_format": ...}, 'the compulsory member "zarr_format" is missing'),
    ({"shape": "4"}, 'shape: expected an array of integers, got "4"'),
    ({"shape": [4, -6]}, "shape[1]: expected an integer >= 0, got -6"),
    ({"shape": [4, 2**63]}, "shape: the product of the sizes overflows"),
    ({"shape": ...}, 'the compulsory member "shape" is missing'),
    ({"chunks": None}, "chunks: expected an array of integers, got null"),
    ({"chunks": [2, 0]}, "chunks[1]: expected an integer >= 1, got 0"),
    ({"chunks": [2]}, "chunks: has 1 sizes for the 2 dimensions"),
    ({"chunks": ...}, 'the compulsory member "chunks" is missing'),
    ({"dtype": 7}, "dtype: expected a string or a list of fields, got 7"),
    ({"dtype": "<q9"}, 'dtype "<q9" is not known'),
    ({"dtype": [["r"]]}, "dtype: expected a field"),
    ({"dtype": ...}, 'the compulsory member "dtype" is missing'),
    ({"compression": 1}, 'compression: expected "blosc", "zlib", "gzip", "bz2", "lzma", "none" or null'),
    ({"compression": "zstd"}, 'compression: expected "blosc", "zlib", "gzip", "bz2", "lzma", "none" or'),
    ({"compression": ...}, 'the compulsory member "compression" is missing'),
    ({"compression": "zlib", "compression_opts": "1"},
     'compression_opts: expected an integer, got "1"'),
    ({"compression": "zlib", "compression_opts": 1.5}, "compression_opts: expected an integer, got"),
    ({"compression": "bz2", "compression_opts": {}}, "compression_opts: expected an integer, got {}"),
    ({"compression": "blosc", "compression_opts": 5}, "compression_opts: expected an object, got 5"),
    ({"compression": "blosc", "compression_opts": {"cname": 5}},
     "compression_opts.cname: expected a string, got 5"),
    ({"compression": "blosc", "compression_opts": {"clevel": "5"}},
     'compression_opts.clevel: expected an integer, got "5"'),
    ({"compression": "blosc", "compression_opts": {"shuffle": []}},
     "compression_opts.shuffle: expected an integer, got []"),
    ({"compression": "lzma", "compression_opts": 5}, "compression_opts: expected an object, got 5"),
    ({"compression": "lzma", "compression_opts": {"format": 9}}, "compression_opts: lzma: format: "),
    ({"fill_value": "x"}, "fill_value: "),
    ({"fill_value": [1, 1]}, "fill_value: "),
    ({"fill_value": ...}, 'the compulsory member "fill_value" is missing'),
    ({"order": "X"}, 'order: expected "C" or "F", got "X"'),
    ({"order": 1}, 'order: expected "C" or "F", got 1'),
    ({"order": ...}, 'the compulsory member "order" is missing'),
]  # fmt: skip


@pytest.mark.parametrize("kind", [gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER])
@pytest.mark.parametrize("changes, message", BROKEN)
def test_broken_meta_is_an_error_that_names_the_member(tmp_path, changes, message, kind):
    store = write_v1(tmp_path / "v1", VALUES, (2, 3))
    write_meta(store, {**META, **changes})
    with error_log() as log:
        dataset = gdal.OpenEx(f"ZARR:{store}", kind)
        if dataset is not None and kind == gdal.OF_MULTIDIM_RASTER:
            assert dataset.GetRootGroup().OpenMDArray("v1") is None
        else:
            assert dataset is None
    assert f"v1: meta: {message}" in log.the_error()
    assert ".zarray" not in log.the_error()


WRONG = [None, True, 0, -1, 1.5, 1e300, 2**63, 2**64, "", "x", [], [[]], [None], {}, {"a": 1}]


@pytest.mark.parametrize("member", META)
def test_each_value_of_a_member_is_read_or_gives_one_error(array, member):
    for value in WRONG:
        for compression in ("none", "zlib", "blosc", "lzma"):
            changes = {"compression": compression, member: value}
            write_meta(array, {**META, **changes})
            for kind in (gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER):
                with error_log() as log:
                    dataset = gdal.OpenEx(f"ZARR:{array}", kind)
                assert dataset is not None or len(log.errors) == 1, (changes, log.events)


def test_meta_that_ends_early_is_an_error(array):
    text = (array / "meta").read_text()
    for end in range(len(text)):
        (array / "meta").write_text(text[:end])
        with error_log() as log:
            assert gdal.OpenEx(f"ZARR:{array}", gdal.OF_RASTER) is None
        assert "v1: " in log.the_error()
        if '"compression"' in text[:end]:
            assert "v1: meta: not valid JSON" in log.the_error()


def test_deep_and_binary_metas_are_errors(array):
    for data in (b'{"zarr_format":' + b"[" * 100000, b'{"zarr_format"\0\xff', b"\x89PNG\r\n" * 99):
        (array / "meta").write_bytes(data)
        with error_log() as log:
            assert gdal.OpenEx(f"ZARR:{array}", gdal.OF_RASTER) is None
        assert len(log.errors) == 1


@pytest.mark.parametrize("text", ["[1]", '{"a": ', "null"])
def test_broken_attributes_are_a_warning_that_names_them(array, text):
    (array / "attrs").write_text(text)
    with error_log() as log:
        assert_same(gdal.OpenEx(str(array), gdal.OF_RASTER).ReadAsArray(), VALUES)
    assert log.errors == [] and "attrs: " in log.warnings[0] and ".zattrs" not in log.warnings[0]


def test_broken_array_among_others_is_named_by_its_meta(tree):
    (tree / "dem" / "meta").write_text('{"zarr_format": 1, "compression": 3}')
    with error_log() as log:
        dataset = gdal.OpenEx(f"ZARR:{tree}", gdal.OF_RASTER)
    assert len(dataset.GetSubDatasets()) == 3
    assert log.errors == [] and "dem/meta: compression: expected" in log.warnings[0]


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 100])
def test_broken_chunk_is_an_error_that_names_it(tmp_path, data):
    store = write_v1(tmp_path / "v1", VALUES, (2, 3), "zlib", 1)
    (store / "1.0").write_bytes(data)
    with error_log() as log:
        assert open_raster(store).ReadAsArray() is None
    assert "v1: 1.0: chunk" in log.the_error()


@pytest.mark.parametrize("status", [403, 500])
def test_meta_that_cannot_be_read_is_an_error(array, status):
    with Served(array.parent) as server:
        server.rule(status={f"/{array.name}/meta": [status, -1]})
        with error_log() as log:
            assert gdal.OpenEx(f"ZARR:{server.url}/{array.name}", gdal.OF_RASTER) is None
    assert "meta: " in log.the_error() and str(status) in log.the_error()
