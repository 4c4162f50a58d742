# SPDX-License-Identifier: MIT
"""Opens a store by each spelling of its location that a user may paste, type or drop into a program."""

import os
import urllib.parse

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal
from zarr_gdal import error_log, open_raster
from zarr_http import Served
from zarr_store import make_array, make_store

pytestmark = zarr_formats.BOTH

VALUES = np.arange(12 * 8, dtype="<i2").reshape(12, 8)
ARRAYS = {
    "dem": {"values": VALUES, "dims": ("y", "x")},
    "deep/er/dem": {"values": VALUES + 1, "dims": ("y", "x")},
    "x": {"values": np.arange(8) + 0.5, "dims": ("x",)},
    "y": {"values": np.arange(12) + 0.5, "dims": ("y",)},
}
NAMES = ["plain.zarr", "no suffix", "UPPER.ZARR", "ÄÖ 中文 é.zarr", "a:b.zarr", "a:", "x.y.z", "100%.zarr",
         "a&b+c#d?e=f.zarr", "'quoted'.zarr", "v1.0:2024-01-01T00:00.zarr", "-x.zarr", "dem.tif"]  # fmt: skip


def assert_reads(name, expected=VALUES):
    dataset = open_raster(zarr_formats.spelled(str(name)))
    np.testing.assert_array_equal(dataset.GetRasterBand(1).ReadAsArray(), expected)
    return dataset


@pytest.mark.parametrize("name", NAMES)
def test_names_of_arrays(tmp_path, monkeypatch, name):
    path = make_array(tmp_path, VALUES).rename(tmp_path / name)
    url = "file://" + urllib.parse.quote(str(path))
    for spelling in (
        path, f"{path}/", f"{path}//", f'ZARR:"{path}"', f'ZARR:"{path}/"', f"ZARR:{path}",
        f"{path}/.zarray", f"{path}/.zattrs", f'ZARR:"{path}/.zarray"', url, url + "/",
        f'ZARR:"{url}"', url.replace("file://", "file://localhost"), url + "/.zarray",
        url.replace("%2B", "+"),
    ):  # fmt: skip
        assert_reads(spelling)
    monkeypatch.chdir(tmp_path)
    for spelling in (f"./{name}", f'ZARR:"{name}"', f"../{tmp_path.name}/{name}", f"{name}/.zarray"):
        assert_reads(spelling)
    if ":" not in name:
        assert_reads(name)
        monkeypatch.chdir(path)
        for spelling in (".", "./", ".zarray", "ZARR:."):
            assert_reads(spelling)


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("name", ["s.zarr", "ÄÖ: 中 文"])
def test_names_of_nodes(tmp_path, name, consolidated):
    path = make_store(tmp_path, ARRAYS, consolidated=consolidated).rename(tmp_path / name)
    for root in (path, f"file://{urllib.parse.quote(str(path))}"):
        dataset = open_raster(root)
        names = [name for name, _ in dataset.GetSubDatasets()]
        assert [name.rpartition(":")[2] for name in names] == ["/deep/er/dem", "/dem"] or [
            name.rpartition(":")[2] for name in names
        ] == ["/dem", "/deep/er/dem"]
        assert_reads(f'ZARR:"{root}":/dem')
        assert_reads(f'ZARR:"{root}":/deep/er/dem', VALUES + 1)
        assert_reads(f'ZARR:"{root}":/deep', VALUES + 1)
        for inner in ("dem", "dem/", "dem/.zarray", "deep/../dem"):
            assert assert_reads(f"{root}/{inner}").GetGeoTransform()[0] == 0
        # Coordinate arrays of parent groups give the geotransform, whichever name opens the raster.
        inside = assert_reads(f"{root}/deep/er/dem/.zattrs", VALUES + 1)
        assert inside.GetGeoTransform() == (0, 1, 0, 0, 0, 1)
        assert_reads(f"{root}/deep/.zgroup", VALUES + 1)
        assert_reads(f"{root}/deep/er", VALUES + 1)
    for document in [".zgroup"] + [".zmetadata"] * consolidated:
        assert len(open_raster(zarr_formats.spelled(str(path / document))).GetSubDatasets()) == 2


@pytest.mark.parametrize("name", ["x.zarr", "no suffix", "a.b.zarr"])
@pytest.mark.parametrize("flags", [gdal.OF_RASTER, gdal.OF_RASTER | gdal.OF_UPDATE])
def test_an_array_that_is_the_store_by_the_name_of_the_builtin_driver(tmp_path, cpl, name, flags):
    """If the store dir/x.zarr is an array, `ZARR:"dir/x.zarr":/x` opens the array, as in GDAL's built-in driver. With
    `:1` at its end, this name opens a slice. Slices also open by the names that MULTIBAND=NO lists."""
    values = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    store = make_array(tmp_path, values).rename(tmp_path / name)
    node = name.rpartition(".")[0] or name
    for spelling in (f'ZARR:"{store}":/{node}', f'ZARR:"{store}":/'):
        dataset = gdal.OpenEx(spelling, flags)
        np.testing.assert_array_equal(dataset.ReadAsArray(), values)
        for index in (0, 1):
            part = gdal.OpenEx(f"{spelling}:{index}", flags)
            np.testing.assert_array_equal(part.ReadAsArray(), values[index])
    listed = gdal.OpenEx(str(store), gdal.OF_RASTER, open_options=["MULTIBAND=NO"]).GetSubDatasets()
    assert len(listed) == 2
    for index, (spelling, _) in enumerate(listed):
        np.testing.assert_array_equal(open_raster(spelling).ReadAsArray(), values[index])
    mdim = gdal.OpenEx(f'ZARR:"{store}":/{node}', gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert mdim.GetMDArrayNames() == [node]
    assert cpl.events == []
    assert gdal.Open(f'ZARR:"{store}":/other') is None
    assert "/other: there is no such array or group" in cpl.the_error()


def test_names_that_do_not_open(tmp_path):
    for name in ("nothing.zarr", "nothing.zarr/.zarray", "ZARR:nothing", 'ZARR:"nothing.zarr.zip"',
                 "file:///nothing.zarr", "file://", "ZARR:file://", "ZARR:", 'ZARR:"', 'ZARR:""',
                 'ZARR:"x":', 'ZARR:"x":y', "ZARR:s3://", "ZARR:http://", "s3://x.zarr"):  # fmt: skip
        with error_log() as log:
            assert gdal.OpenEx(name, gdal.OF_RASTER) is None
        assert log.errors or name in ("nothing.zarr", "file:///nothing.zarr", "file://"), name


@pytest.fixture(scope="module")
def server(zarr_format, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    make_store(folder, ARRAYS, name="s.zarr", consolidated=True)
    make_store(folder, ARRAYS, name="plain.zarr")
    make_store(folder, ARRAYS, name="no suffix", consolidated=True)
    (folder / "ÄÖ 中.zarr").symlink_to("s.zarr")
    with Served(folder) as served:
        yield served


@pytest.mark.parametrize(
    "name",
    ["{}/s.zarr", "{}/s.zarr/", "{}/s.zarr?key=a/b", "{}/s.zarr/?key=1", "{}/s.zarr/.zmetadata",
     "{}/s.zarr/.zgroup", "{}/s.zarr/.zmetadata?key=1", "ZARR:{}/s.zarr", 'ZARR:"{}/s.zarr/"',
     "{}/no%20suffix/.zmetadata", 'ZARR:"{}/no%20suffix"', 'ZARR:"{}/no suffix"', "/vsicurl/{}/s.zarr",
     "/vsicurl/{}/s.zarr/.zmetadata", "{}/ÄÖ 中.zarr", "{}/%C3%84%C3%96%20%E4%B8%AD.zarr"],
)  # fmt: skip
def test_urls_of_stores(server, name):
    dataset = open_raster(zarr_formats.spelled(name.format(server.url)))
    names = [name for name, _ in dataset.GetSubDatasets()]
    assert [name.rpartition(":")[2] for name in names] == ["/dem", "/deep/er/dem"]
    assert assert_reads(names[1], VALUES + 1).GetGeoTransform() == (0, 1, 0, 0, 0, 1)


@pytest.mark.parametrize("store", ["s.zarr", "plain.zarr"])
@pytest.mark.parametrize(
    "name",
    ["{}/{}/deep/er/dem", "{}/{}/deep/er/dem/", "{}/{}/deep/er/dem/.zarray", "ZARR:{}/{}:/deep/er/dem",
     'ZARR:"{}/{}":/deep/er/dem', "/vsicurl/{}/{}/deep/er/dem", 'ZARR:"{}/{}/deep/er/dem"'],
)  # fmt: skip
def test_urls_into_a_store(server, name, store):
    dataset = assert_reads(name.format(server.url, store), VALUES + 1)
    assert dataset.GetGeoTransform() == (0, 1, 0, 0, 0, 1)


def test_identifying_dropped_files(tmp_path, server):
    path = make_array(tmp_path, VALUES)
    os.mkdir(tmp_path / "folder")
    (tmp_path / "notes.txt").write_text("precious", encoding="utf-8")

    def identify(name):
        driver = gdal.IdentifyDriverEx(zarr_formats.spelled(str(name)), gdal.OF_RASTER)
        return driver and driver.ShortName

    for name in (path, f"{path}/", f"{path}/.zarray", f"file://{path}", f"{server.url}/s.zarr"):
        assert identify(name) == "Zarr", name
    server.requests()
    for name in (tmp_path / "folder", tmp_path / "notes.txt", f"file://{tmp_path}/folder"):
        assert identify(name) != "Zarr", name
    assert server.requests() == []


@pytest.mark.parametrize("folder", ["q:", "qq:", "a:b:"])
def test_two_stores_in_a_relative_folder_that_ends_with_a_colon(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir()
    source = gdal.GetDriverByName("MEM").Create("", 4, 3)
    for number in (1, 2):
        source.GetRasterBand(1).Fill(number)
        name = f"{folder}/{number}.zarr"
        assert gdal.GetDriverByName("Zarr").CreateCopy(name, source) is not None
        assert open_raster(tmp_path / name).ReadAsArray().max() == number
