# SPDX-License-Identifier: MIT
"""zarr_cube makes references to TIFF files. What the driver reads of them equals what GDAL's driver GTiff reads of the
files, and xarray reads the same pixels through fsspec's file system for references."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from osgeo import gdal
from test_zarr_write_references import read_by
from zarr_cube_files import PLACE, PROGRAM, assert_equal, cube, refused, tiff, values_for
from zarr_gdal import config_options
from zarr_http import Served
from zarr_s3 import S3

BUCKET = "demo"
TILES = ["TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"]
STRIPS = ["BLOCKYSIZE=8"]
CODECS = ["NONE", "PACKBITS", "LZW", "DEFLATE", "ZSTD", "LZMA", "LERC", "LERC_DEFLATE", "LERC_ZSTD"]


def cases():
    for codec in CODECS:
        for layout in ("TILES",) if codec.startswith("LERC") else ("TILES", "STRIPS"):
            for interleave in ("PIXEL", "BAND"):
                yield codec, 1, "i2", 3, interleave, layout, "LITTLE"
    for codec in ("LZW", "DEFLATE", "ZSTD"):
        for predictor, dtypes in {2: ("u1", "i2", "u4"), 3: ("f4", "f8")}.items():
            for dtype in dtypes:
                for bands, interleave in ((1, "PIXEL"), (4, "PIXEL"), (2, "BAND")):
                    for layout in ("TILES", "STRIPS"):
                        yield codec, predictor, dtype, bands, interleave, layout, "LITTLE"
    for dtype in ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8", "c8", "c16"):
        for order in ("LITTLE", "BIG"):
            yield "DEFLATE", 1, dtype, 1, "PIXEL", "TILES", order
    for bands in range(2, 9):
        yield "DEFLATE", 2, "u2", bands, "PIXEL", "TILES", "BIG"


CASES = {"-".join(map(str, case)): case for case in cases()}


@pytest.fixture(scope="module", params=CASES)
def sample(request, tmp_path_factory):
    """Returns a cube of two files of this form, and the files."""
    codec, predictor, dtype, bands, interleave, layout, order = CASES[request.param]
    folder = tmp_path_factory.mktemp("cube")
    options = [*(TILES if layout == "TILES" else STRIPS), f"COMPRESS={codec}", f"INTERLEAVE={interleave}", f"ENDIANNESS={order}"]
    options += [f"PREDICTOR={predictor}"] if predictor != 1 else []
    files = [tiff(folder / f"a_2024{month:02}01.tif", values_for((bands, 45, 70), dtype, month), options) for month in (1, 2)]
    cube(folder / "x.json", *files, "--quiet")
    return folder / "x.json", files


def test_pixels(sample):
    output, files = sample
    made = assert_equal(output, files)
    times = [made.GetRasterBand(i + 1).GetMetadataItem("DIM_time_TIME") for i in range(made.RasterCount)]
    assert times == [f"2024-{i // (made.RasterCount // 2) + 1:02}-01T00:00:00Z" for i in range(made.RasterCount)]


def with_xarray(output, *names):
    return np.load(read_by("with_xarray", output.parent / "read.npz", output, *names))


@pytest.mark.parametrize("codec, predictor, dtype, bands, interleave", [
    ("NONE", 1, "i2", 1, "PIXEL"), ("PACKBITS", 1, "u1", 3, "BAND"), ("LZW", 2, "u2", 3, "PIXEL"), ("DEFLATE", 3, "f4", 1, "PIXEL"),
    ("DEFLATE", 2, "i4", 2, "BAND"), ("ZSTD", 1, "f8", 1, "PIXEL"), ("LERC", 1, "f4", 1, "PIXEL"), ("LZMA", 1, "u1", 1, "PIXEL"),
])  # fmt: skip
@pytest.mark.parametrize("layout", ["TILES", "STRIPS"])
def test_xarray_reads_the_same(tmp_path, codec, predictor, dtype, bands, interleave, layout):
    if codec == "LERC" and layout == "STRIPS":
        options = [*TILES, "BIGTIFF=YES"]
    else:
        options = TILES if layout == "TILES" else STRIPS
    options = [*options, f"COMPRESS={codec}", f"INTERLEAVE={interleave}", *([f"PREDICTOR={predictor}"] if predictor != 1 else [])]
    files = [tiff(tmp_path / f"a_2024010{i}.tif", values_for((bands, 45, 70), dtype, i), options) for i in (1, 2)]
    cube(tmp_path / "x.json", *files, "--quiet")
    read = with_xarray(tmp_path / "x.json", "data", "time", "x", "y")
    wanted = np.stack([gdal.Open(str(file)).ReadAsArray() for file in files])
    if bands > 1 and interleave == "PIXEL":
        wanted = np.moveaxis(wanted, 1, -1)
    np.testing.assert_array_equal(read["data"], wanted)
    assert list(read["x"][:2]) == [500005, 500015] and list(read["y"][:2]) == [5299995, 5299985]
    assert read["time"].astype("M8[D]").tolist() == np.array(["2024-01-01", "2024-01-02"], "M8[D]").tolist()


def cog(path, seed, dtype="i2", bands=1, size=(150, 200), **more):
    source = tiff(path.with_suffix(".src.tif"), values_for((bands, *size), dtype, seed), nodata=7, **more)
    options = ["BLOCKSIZE=128", "COMPRESS=DEFLATE", "OVERVIEW_COUNT=2", "OVERVIEWS=IGNORE_EXISTING"]
    gdal.GetDriverByName("COG").CreateCopy(str(path), gdal.Open(str(source)), options=options)
    source.unlink()
    return path


@pytest.mark.parametrize("bands", [1, 3])
def test_overviews_of_cogs(tmp_path, bands):
    files = [cog(tmp_path / f"a_2024010{i}.tif", i, bands=bands, size=(301, 403)) for i in (1, 2, 3)]
    text = cube(tmp_path / "x.json", *files, "--check", "30", "--quiet")
    assert "30 blocks compared with the files: none differ" in text
    made = assert_equal(tmp_path / "x.json", files)
    assert made.GetRasterBand(1).GetOverviewCount() >= 1
    read = with_xarray(tmp_path / "x.json", "data")["data"]
    assert read.shape[:1] == (3,)
    cube(tmp_path / "y.json", *files, "--no-overviews", "--quiet")
    assert gdal.Open(str(tmp_path / "y.json")).GetRasterBand(1).GetOverviewCount() == 0


@pytest.mark.parametrize("options", [["BIGTIFF=YES"], ["BIGTIFF=YES", "ENDIANNESS=BIG"], ["ENDIANNESS=BIG"]])
def test_forms_of_tiff(tmp_path, options):
    file = tiff(tmp_path / "a.tif", values_for((2, 40, 50), "u2"), [*TILES, *options], nodata=3, overviews=[2])
    cube(tmp_path / "x.json", file, "--quiet")
    assert_equal(tmp_path / "x.json", [file])


@pytest.mark.parametrize("nodata", [None, 9])
def test_sparse_tiles(tmp_path, nodata):
    def write_one_tile(dataset):
        dataset.GetRasterBand(1).WriteArray(np.full((16, 32), 5, "i2"), 32, 16)

    driver = gdal.GetDriverByName("GTiff")
    dataset = driver.Create(str(tmp_path / "a.tif"), 100, 60, 1, gdal.GDT_Int16, [*TILES, "SPARSE_OK=YES"])
    dataset.SetGeoTransform(PLACE)
    if nodata is not None:
        dataset.GetRasterBand(1).SetNoDataValue(nodata)
    write_one_tile(dataset)
    dataset = None
    cube(tmp_path / "x.json", tmp_path / "a.tif", "--quiet")
    keys = [key for key in json.loads((tmp_path / "x.json").read_text())["refs"] if key.startswith("data/") and ".z" not in key]
    assert keys == ["data/1.1"]
    assert_equal(tmp_path / "x.json", [tmp_path / "a.tif"])


@pytest.mark.parametrize("nodata, dtype", [(-9999.0, "f4"), (float("nan"), "f8"), (255, "u1"), (-32768, "i2"), (1e20, "f4")])
def test_nodata(tmp_path, nodata, dtype):
    file = tiff(tmp_path / "a.tif", values_for((1, 30, 40), dtype), nodata=nodata)
    cube(tmp_path / "x.json", file, "--quiet")
    assert_equal(tmp_path / "x.json", [file])


def test_facts(tmp_path):
    def edit(dataset):
        dataset.GetRasterBand(1).SetScale(0.5)
        dataset.GetRasterBand(1).SetOffset(3)
        dataset.GetRasterBand(1).SetUnitType("K")
        dataset.GetRasterBand(1).SetDescription("warmth")

    file = tiff(tmp_path / "a.tif", values_for((1, 30, 40), "i2"), metadata={"sensor": "A", "AREA_OR_POINT": "Point"}, edit=edit)
    cube(tmp_path / "x.json", file, "--quiet")
    made, source = gdal.Open(str(tmp_path / "x.json")), gdal.Open(str(file))
    assert made.GetGeoTransform() == source.GetGeoTransform()
    for name in ("sensor", "AREA_OR_POINT"):
        assert made.GetMetadataItem(name) == source.GetMetadataItem(name)
    band = made.GetRasterBand(1)
    assert (band.GetScale(), band.GetOffset(), band.GetUnitType(), band.GetDescription()) == (0.5, 3, "K", "warmth")
    document = json.loads((tmp_path / "x.json").read_text())["refs"]
    assert json.loads(document["spatial_ref/.zattrs"])["ProjectedCSTypeGeoKey"] == 32632


def test_metadata_that_differs_is_left_out(tmp_path):
    files = [tiff(tmp_path / f"a_2024010{i}.tif", values_for((1, 30, 40), "i2"), metadata={"sensor": "A", "orbit": str(i)})
             for i in (1, 2)]  # fmt: skip
    cube(tmp_path / "x.json", *files, "--quiet")
    made = gdal.Open(str(tmp_path / "x.json"))
    assert made.GetMetadataItem("sensor") == "A" and made.GetMetadataItem("orbit") is None


def test_colours(tmp_path):
    def edit(dataset):
        table = gdal.ColorTable()
        table.SetColorEntry(1, (10, 20, 30, 255))
        dataset.GetRasterBand(1).SetColorTable(table)

    files = [tiff(tmp_path / f"a_2024010{i}.tif", values_for((1, 30, 40), "u1"), edit=edit) for i in (1, 2)]
    cube(tmp_path / "x.json", *files, "--quiet")
    made = gdal.Open(str(tmp_path / "x.json"))
    for band in (made.GetRasterBand(1), made.GetRasterBand(2)):
        assert band.GetColorTable().GetColorEntry(1) == (10, 20, 30, 255)
    rgb = tiff(tmp_path / "rgb.tif", values_for((3, 30, 40), "u1"), [*TILES, "PHOTOMETRIC=RGB"])
    cube(tmp_path / "rgb.json", rgb, "--quiet")
    made, source = gdal.Open(str(tmp_path / "rgb.json")), gdal.Open(str(rgb))
    for i in (1, 2, 3):
        assert made.GetRasterBand(i).GetColorInterpretation() == source.GetRasterBand(i).GetColorInterpretation()


# ---------------------------------------------------------------------------------------------
# Tests of ways to join


@pytest.mark.parametrize("bands, interleave", [(1, "PIXEL"), (2, "BAND"), (2, "PIXEL")])
def test_bands(tmp_path, bands, interleave):
    files = [tiff(tmp_path / f"{name}.tif", values_for((bands, 40, 50), "i2", i), [*TILES, f"INTERLEAVE={interleave}"])
             for i, name in enumerate(["red", "green", "blue"])]  # fmt: skip
    cube(tmp_path / "x.json", *files, "--join", "band", "--quiet")
    made = assert_equal(tmp_path / "x.json", files)
    if bands == 1:
        assert [made.GetRasterBand(i).GetDescription() for i in (1, 2, 3)] == ["red", "green", "blue"]


def tile_of(folder, name, x, y, size=(32, 64), seed=0, **more):
    place = (PLACE[0] + x * 10, 10, 0, PLACE[3] - y * 10, 0, -10)
    return tiff(folder / name, values_for((1, *size), "i2", seed), place=place, **more)


def test_mosaic(tmp_path):
    files = [tile_of(tmp_path, "c.tif", 64, 32, (20, 40), 3), tile_of(tmp_path, "a.tif", 0, 0, seed=1), tile_of(tmp_path, "b.tif", 64, 0, (32, 40), 2)]
    cube(tmp_path / "x.json", *files, "--join", "mosaic", "--check", "9", "--quiet")
    gdal.BuildVRT(str(tmp_path / "x.vrt"), [str(file) for file in files])
    made, wanted = gdal.Open(str(tmp_path / "x.json")), gdal.Open(str(tmp_path / "x.vrt"))
    assert made.GetGeoTransform() == wanted.GetGeoTransform()
    np.testing.assert_array_equal(made.ReadAsArray(), wanted.ReadAsArray())


def test_mosaic_with_overviews(tmp_path):
    files = [tile_of(tmp_path, f"{x}.tif", x, 0, (64, 64), x, overviews=[2], options=TILES) for x in (0, 64)]
    with config_options(GDAL_TIFF_OVR_BLOCKSIZE="128"):
        cube(tmp_path / "x.json", *files, "--join", "mosaic", "--no-overviews", "--quiet")
    assert "/data differs" not in cube(tmp_path / "y.json", *files, "--join", "mosaic", "--no-overviews", "--check", "8", "--quiet")
    assert "a mosaic needs whole tiles; --no-overviews makes one without" in refused(tmp_path / "z.json", *files, "--join", "mosaic")


def test_time_and_mosaic(tmp_path):
    files = [tile_of(tmp_path, f"a_{x}_2024010{day}.tif", x, 0, seed=day) for day in (1, 2) for x in (0, 64)]
    text = cube(tmp_path / "x.json", *files, "--join", "time,mosaic", "--check", "20")
    assert "2 along time: 2024-01-01 to 2024-01-02" in text and "none differ" in text
    made = gdal.Open(str(tmp_path / "x.json"))
    assert (made.RasterCount, made.RasterXSize, made.RasterYSize) == (2, 128, 32)


def day(folder, name, **more):
    return tiff(folder / name, values_for((1, 30, 40), "i2"), **more)


@pytest.mark.parametrize("values, names, wanted", [
    ([], ["b_20240102.tif", "a_20240301.tif"], ["2024-01-02", "2024-03-01"]),
    (["--values", "FILENAME:%d.%m.%Y"], ["01.02.2024.tif", "01.01.2024.tif"], ["2024-01-01", "2024-02-01"]),
    (["--values", "FILENAME:%Y%j"], ["2024032.tif", "2024001.tif"], ["2024-01-01", "2024-02-01"]),
    (["--values", "2024-05-02T10:00,2024-05-01"], ["a.tif", "b.tif"], ["2024-05-01", "2024-05-02T10:00"]),
    ([], ["a_20240102T030405.tif", "a_20240102T030406.tif"], ["2024-01-02T03:04:05", "2024-01-02T03:04:06"]),
])  # fmt: skip
def test_times(tmp_path, values, names, wanted):
    files = [day(tmp_path, name) for name in names]
    cube(tmp_path / "x.json", *files, *values, "--quiet")
    made = gdal.Open(str(tmp_path / "x.json"))
    found = [made.GetRasterBand(i + 1).GetMetadataItem("DIM_time_TIME") for i in range(made.RasterCount)]
    assert [np.datetime64(text.rstrip("Z")) for text in found] == [np.datetime64(text) for text in wanted]


def test_times_of_headers_and_lists(tmp_path):
    files = [day(tmp_path, f"{name}.tif", metadata={"TIFFTAG_DATETIME": f"2024:05:0{i} 10:00:00"}) for i, name in ((2, "a"), (1, "b"))]
    assert "2024-05-01T10:00:00 to 2024-05-02T10:00:00" in cube(tmp_path / "x.json", *files)
    (tmp_path / "list.txt").write_text("# names and times\na.tif\t2020-01-01\n" + f"{files[1]}\t2021-01-01\n")
    assert "2020-01-01 to 2021-01-01" in cube(tmp_path / "y.json", f"@{tmp_path / 'list.txt'}")
    text = cube(tmp_path / "z.json", *files, "--dim", "depth", "--values", "10,2.5")
    assert "2 along depth: 2.5 to 10" in text


def test_inputs(tmp_path):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    names = ["a_2024-01-10.tif", "a_2024-01-02.tif", "deep/a_2024-01-01.tif"]
    for name in names:
        day(folder, name)
    (folder / "readme.txt").write_text("no raster")
    assert "3 files" in cube(tmp_path / "x.json", folder)
    assert "2 files" in cube(tmp_path / "y.json", folder / "a_*.tif")
    assert "2 files" in cube(tmp_path / "z.json", folder / "a_*.tif", folder / "a_2024-01-10.tif")
    assert "no files" in refused(tmp_path / "n.json", folder / "b_*.tif")


def test_dry_run(tmp_path):
    files = [day(tmp_path, f"a_2024010{i}.tif") for i in (1, 2)]
    before = sorted(tmp_path.iterdir())
    text = cube(tmp_path / "x.json", *files, "--dry-run")
    assert "array data: {'time': 2, 'y': 30, 'x': 40}, chunks (1, 16, 32), <i2" in text and str(files[1]) in text
    assert sorted(tmp_path.iterdir()) == before


def test_a_cube_elsewhere_says_what_to_set(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    file = day(tmp_path / "in", "a.tif")
    text = cube(tmp_path / "out" / "x.json", file, "--check", "3")
    assert f"export ZARR_REFERENCE_FOLDERS={tmp_path / 'in'}" in text
    with config_options(ZARR_REFERENCE_FOLDERS=str(tmp_path / "in")):
        assert_equal(tmp_path / "out" / "x.json", [file])


# ---------------------------------------------------------------------------------------------
# Tests of refusals


@pytest.mark.parametrize("first, second, told", [
    ({}, {"options": [*TILES, "COMPRESS=LZW"]}, "another compressor: None and {'id': 'imagecodecs_lzw'}"),
    ({}, {"nodata": 5}, "another nodata or fill value: None and 5"),
    ({}, {"dtype": "u2"}, "another data type: <i2 and <u2"),
    ({}, {"options": [*TILES, "ENDIANNESS=BIG"]}, "another data type: <i2 and >i2"),
    ({}, {"options": ["TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"]}, "other tiles or strips: (16, 32) and (16, 16)"),
    ({}, {"shape": (1, 30, 41)}, "another size: 40 x 30 and 41 x 30 pixels"),
    ({}, {"shape": (2, 30, 40)}, "another dimensions"),
    ({}, {"epsg": 32633}, "another CRS: WGS 84 / UTM zone 32N and WGS 84 / UTM zone 33N"),
    ({}, {"place": (0, 10, 0, 0, 0, -10)}, "another geotransform"),
    ({}, {"overviews": [2]}, "other overviews: 0 (data) and 1 (data, ovr_2x/data)"),
    ({"options": [*TILES, "COMPRESS=LZW", "PREDICTOR=2"]}, {"options": [*TILES, "COMPRESS=LZW"]}, "another filters"),
])  # fmt: skip
def test_files_that_differ(tmp_path, first, second, told):
    files = []
    for number, form in enumerate((first, second)):
        values = values_for(form.pop("shape", (1, 30, 40)), form.pop("dtype", "i2"))
        files.append(tiff(tmp_path / f"a_2024010{number + 1}.tif", values, **form))
    line = refused(tmp_path / "x.json", *files)
    assert told in line and all(str(file) in line for file in files)


@pytest.mark.parametrize("what, value, told", [
    ("SetScale", 0.5, "another scale: 1 and 0.5"), ("SetOffset", 3, "another offset: 0 and 3"),
    ("SetUnitType", "K", "another unittype: none and K"),
])  # fmt: skip
def test_values_of_another_meaning(tmp_path, what, value, told):
    files = [day(tmp_path, "a_20240101.tif"), day(tmp_path, "a_20240102.tif", edit=lambda data: getattr(data.GetRasterBand(1), what)(value))]
    line = refused(tmp_path / "x.json", *files)
    assert told in line and all(str(file) in line for file in files)
    cube(tmp_path / "y.json", *files, "--join", "band", "--quiet")
    assert_equal(tmp_path / "y.json", files)


def test_the_same_time_twice(tmp_path):
    files = [day(tmp_path, f"{name}_20240101.tif") for name in "ab"]
    line = refused(tmp_path / "x.json", *files)
    assert f"{files[0]} and {files[1]} have the same time, 2024-01-01" in line


@pytest.mark.parametrize("name", ["x", "time", "spatial_ref", "a/b"])
def test_names_of_coordinates(tmp_path, name):
    assert f"--name {name}: expected a name that no coordinate has" in refused(tmp_path / "x.json", day(tmp_path, "a.tif"), "--name", name)


def test_two_overviews_of_one_size(tmp_path):
    file = tiff(tmp_path / "a.tif", values_for((1, 64, 64), "i2"), overviews=[2, 4])
    data = bytearray(file.read_bytes())
    width = np.array([256, 3, 1, 0, 16], "<u2").tobytes()  # the entry of the tag ImageWidth
    at = data.find(width)
    assert at > 0, "the directory of the smallest overview"
    data[at + 8] = 32
    file.write_bytes(bytes(data))
    assert "two overviews of one size, ovr_2x/data" in refused(tmp_path / "x.json", file)


def test_no_time(tmp_path):
    line = refused(tmp_path / "x.json", day(tmp_path, "a.tif"), day(tmp_path, "b.tif"))
    assert "no time in the names of all files" in line and "--values FILENAME:%Y%m%d" in line


def test_masks(tmp_path):
    with config_options(GDAL_TIFF_INTERNAL_MASK="YES"):
        file = tiff(tmp_path / "a.tif", values_for((1, 30, 40), "i2"))
        dataset = gdal.Open(str(file), gdal.GA_Update)
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset = None
    assert "the mask of 1 bit" in refused(tmp_path / "x.json", file)
    cube(tmp_path / "x.json", file, "--ignore-masks", "--quiet")
    np.testing.assert_array_equal(gdal.Open(str(tmp_path / "x.json")).ReadAsArray(), gdal.Open(str(file)).ReadAsArray())


@pytest.mark.parametrize("options, dtype, told", [
    (["NBITS=1"], "u1", "samples of 1 bits"),
    (["NBITS=12"], "u2", "samples of 12 bits"),
])  # fmt: skip
def test_forms_without_a_codec(tmp_path, options, dtype, told):
    file = tiff(tmp_path / "a.tif", values_for((1, 64, 64), dtype) % 2, [*TILES, *options])
    line = refused(tmp_path / "x.json", file)
    assert told in line and str(file) in line and "gdal_translate" in line


def test_what_is_no_tiff_or_is_cut_short(tmp_path):
    (tmp_path / "a.tif").write_bytes(b"no picture at all")
    assert "a.tif: no file that zarr_cube knows" in refused(tmp_path / "x.json", tmp_path / "a.tif")
    assert "b.tif: No such file" in refused(tmp_path / "x.json", tmp_path / "b.tif")
    file = day(tmp_path, "c.tif")
    file.write_bytes(file.read_bytes()[:-500])
    assert "c.tif: the file " in refused(tmp_path / "x.json", file)


@pytest.mark.parametrize("big", ["NO", "YES"])
def test_damaged_headers_end_soon(tmp_path, big):
    """Bytes of a header are replaced. Each file is refused with one line, or gives a cube."""
    file = tiff(tmp_path / "a.tif", values_for((1, 30, 40), "i2"), [*TILES, f"BIGTIFF={big}"], overviews=[2])
    good, start = file.read_bytes(), time.monotonic()
    rng = np.random.default_rng(5)
    for _ in range(150):
        damaged = bytearray(good)
        for at in rng.integers(4, 700, 4):
            damaged[at] = rng.integers(0, 256)
        file.write_bytes(bytes(damaged))
        from zarr_cube_files import command

        assert command.main([str(tmp_path / "x.json"), str(file), "--quiet"]) in (0, 2)
    assert time.monotonic() - start < 60


def test_a_chain_that_returns(tmp_path):
    (tmp_path / "a.tif").write_bytes(b"II*\0\x08\0\0\0" + b"\0\0" + b"\x08\0\0\0" + b"\0" * 50)
    assert "a chain of directories that has no end" in refused(tmp_path / "x.json", tmp_path / "a.tif")


def test_another_file_is_not_replaced(tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}')
    text = cube(tmp_path / "x.json", day(tmp_path, "a.tif"), "--quiet", code=2)
    assert "exists and holds no references" in text and (tmp_path / "x.json").read_text() == '{"a": 1}'


def test_a_folder_that_cannot_be_written(tmp_path):
    file = day(tmp_path, "a.tif")
    assert "no/x.json: No such file or directory" in refused(tmp_path / "no" / "x.json", file)
    assert "no/x.parq" in refused(tmp_path / "no" / "x.parq", file)


def test_check_finds_a_changed_file(tmp_path):
    from zarr_cubes import check, command

    files = [day(tmp_path, f"a_2024010{i}.tif") for i in (1, 2)]
    made = {}
    command.check.check, kept = lambda built, *rest: made.update(cube=built) or 0, check.check
    try:
        cube(tmp_path / "x.json", *files, "--check", "1", "--quiet")
    finally:
        command.check.check = kept
    document = json.loads((tmp_path / "x.json").read_text())
    keys = [key for key in document["refs"] if key.startswith("data/0.")]
    document["refs"].update({key: document["refs"]["data/1.0.0"] for key in keys})
    (tmp_path / "x.json").write_text(json.dumps(document))
    assert check.check(made["cube"], str(tmp_path / "x.json"), 40, seed=1) == 1


# ---------------------------------------------------------------------------------------------
# Tests of kills


def test_a_killed_run_goes_on(tmp_path):
    """The journal has the headers that were read. The next run reads only the others, and the cube is never half there."""
    (tmp_path / "in").mkdir()
    names = [f"{2000 + i // 12}-{i % 12 + 1:02}-01.tif" for i in range(100)]
    files = [tiff(tmp_path / "in" / name, values_for((1, 16, 32), "u1", i)) for i, name in enumerate(names)]
    journal = tmp_path / "x.json.zarr_cube.partial"
    with Served(tmp_path / "in", 0.03) as server:
        (tmp_path / "list.txt").write_text("\n".join(f"{server.url}/{name}" for name in names))
        words = [str(tmp_path / "x.json"), f"@{tmp_path / 'list.txt'}", "--quiet"]
        process = subprocess.Popen([sys.executable, "-B", str(PROGRAM), *words, "--jobs", "1"])
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > 1000):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert journal.exists() and not (tmp_path / "x.json").exists()
        with journal.open("a") as file:
            file.write('{"name": "cut sh')
        known = len(journal.read_text().splitlines()) - 2
        assert known > 5
        server.rule(delay=0)
        server.requests()
        cube(*words)
        read = {path for _, path, _, _ in server.requests()}
        assert len(read) <= 100 - known + 1  # and the first file, whose metadata GDAL reads
        assert not journal.exists()
        assert_equal(tmp_path / "x.json", files)


def test_a_changed_file_is_read_again(tmp_path):
    from zarr_cubes import files, journal, options, scanning

    file = day(tmp_path, "a.tif")
    words = options.parser().parse_args([str(tmp_path / "x.json"), str(file), "--quiet"])
    first = journal.Journal(str(tmp_path / "x.json"), {"a": 1})
    first.start -= journal.SECONDS
    scanning.scan(files.expanded([str(file)]), words, first)
    again = journal.Journal(str(tmp_path / "x.json"), {"a": 1})
    again.load()
    assert again.find(str(file)).arrays["data"].shape == (30, 40)
    tiff(file, values_for((1, 31, 40), "i2"))
    assert again.find(str(file)) is None
    other = journal.Journal(str(tmp_path / "x.json"), {"a": 2})
    other.load()
    assert other.find(str(file)) is None


# ---------------------------------------------------------------------------------------------
# Tests of Parquet files


@pytest.mark.parametrize("bands", [1, 3])
def test_parquet(tmp_path, bands):
    files = [cog(tmp_path / f"a_2024010{i}.tif", i, bands=bands, size=(301, 403)) for i in (1, 2, 3)]
    text = cube(tmp_path / "x.parq", *files, "--check", "30", "--quiet")
    assert "30 blocks compared with the files: none differ" in text
    assert_equal(tmp_path / "x.parq", files)
    wanted = np.stack([gdal.Open(str(file)).ReadAsArray() for file in files])
    read = with_xarray(tmp_path / "x.parq", "data")["data"]
    np.testing.assert_array_equal(read, wanted if bands == 1 else np.moveaxis(wanted, 1, -1))
    assert {path.name for path in tmp_path.iterdir()} == {file.name for file in files} | {"x.parq", "read.npz"}


def test_parquet_does_not_replace_a_folder(tmp_path):
    (tmp_path / "x.parq").mkdir()
    (tmp_path / "x.parq" / "mine.txt").write_text("mine")
    text = cube(tmp_path / "x.parq", day(tmp_path, "a.tif"), "--quiet", code=2)
    assert "x.parq: the driver cannot write it" in text and (tmp_path / "x.parq" / "mine.txt").read_text() == "mine"
    assert not list(tmp_path.glob("*.partial"))


# ---------------------------------------------------------------------------------------------
# Tests of servers


def test_files_on_a_web_server(tmp_path):
    """Two requests for each file: one finds its size, one reads the headers. The tiles are not read."""
    (tmp_path / "in").mkdir()
    files = [cog(tmp_path / "in" / f"a_2024010{i}.tif", i, size=(300, 400)) for i in range(1, 9)]
    with Served(tmp_path / "in") as server:
        urls = [f"{server.url}/{file.name}" for file in files]
        (tmp_path / "list.txt").write_text("\n".join(urls))
        cube(tmp_path / "x.json", f"@{tmp_path / 'list.txt'}", "--quiet")
        counts = [len([each for each in server.requests() if each[1] == f"/{file.name}"]) for file in files[1:]]
        assert max(counts) <= 2
        assert json.loads((tmp_path / "x.json").read_text())["refs"]["data/0.0.0"][0] == urls[0]
        assert_equal(tmp_path / "x.json", files)
        assert "none differ" in cube(tmp_path / "y.parq", f"@{tmp_path / 'list.txt'}", "--quiet", "--check", "10")
        assert "absent.tif: cannot be opened" in refused(tmp_path / "z.json", f"{server.url}/absent.tif")


def test_objects_of_a_bucket(tmp_path):
    (tmp_path / "in").mkdir()
    files = [cog(tmp_path / "in" / f"a_2024010{i}.tif", i, size=(300, 400)) for i in (1, 2)]
    with S3(tmp_path / "bucket") as server:
        for file in files:
            server.put(f"scenes/{file.name}", file.read_bytes())
        for name in (f"s3://{BUCKET}/scenes", f"s3://{BUCKET}/scenes/*.tif"):
            assert "none differ" in cube(tmp_path / "x.json", name, "--quiet", "--check", "10")
            assert json.loads((tmp_path / "x.json").read_text())["refs"]["data/0.0.0"][0] == f"s3://{BUCKET}/scenes/a_20240101.tif"
            assert_equal(tmp_path / "x.json", files)
