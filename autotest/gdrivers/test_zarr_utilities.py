# SPDX-License-Identifier: MIT
"""GDAL's utilities return equal pixels, geotransforms and nodata values for a store and for a GeoTIFF. The
table in docs/guide.md lists these utilities."""

import json
import os
import shutil
import subprocess
import sys

import numcodecs
import numpy as np
import pytest
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_docs import REPOSITORY
from zarr_gdal import gdal_is_at_least

SECONDS = 300
SIDE = 240


def has(tool):
    return shutil.which(tool) is not None


def script(name):
    """Returns the command for a Python utility of GDAL: an installed script, or else a module of osgeo_utils."""
    found = shutil.which(name + ".py") or shutil.which(name)
    return [sys.executable, found] if found else [sys.executable, "-m", f"osgeo_utils.{name}"]


def run(folder, *words):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True,
                          timeout=SECONDS, check=False,
                          env={**os.environ, "GDAL_PAM_ENABLED": "YES"})  # fmt: skip
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    assert "ERROR" not in done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Writes rasters as GeoTIFF and as stores: heights with missing values, classes, and the two halves of a
    raster. Returns the folder."""
    folder = tmp_path_factory.mktemp("sources")
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    y, x = np.mgrid[:SIDE, :SIDE]
    heights = (500 + 200 * np.sin(x / 31) * np.cos(y / 27)).astype("f4")
    heights[100:110, 50:63] = -9999
    classes = ((x // 40 + y // 60) % 5 + 1).astype("u1")
    for name, values, nodata, offset in (("dem", heights, -9999, 0), ("classes", classes, None, 0),
                                         ("west", heights[:, : SIDE // 2], -9999, 0),
                                         ("east", heights[:, SIDE // 2 :], -9999, SIDE // 2)):  # fmt: skip
        memory = gdal.GetDriverByName("MEM").Create("", values.shape[1], SIDE, 1,
                                                    gdal.GDT_Byte if name == "classes" else gdal.GDT_Float32)
        memory.SetGeoTransform((600000 + 30 * offset, 30, 0, 5200000, 0, -30))
        memory.SetSpatialRef(srs)
        memory.GetRasterBand(1).WriteArray(values)
        if nodata is not None:
            memory.GetRasterBand(1).SetNoDataValue(nodata)
        gdal.GetDriverByName("GTiff").CreateCopy(str(folder / f"{name}.tif"), memory)
        gdal.GetDriverByName("Zarr").CreateCopy(str(folder / f"{name}.zarr"), memory)
    (folder / "areas.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32632"}},
        "features": [{"type": "Feature", "properties": {"v": v, "z": 10.0 * v}, "geometry": {
            "type": "Polygon", "coordinates": [[[600000 + a, 5200000 - a], [603000 + a, 5200000 - a],
                                                [602000 + a, 5197000 - a], [600000 + a, 5200000 - a]]]}}
            for v, a in ((1, 300), (2, 2000))]}))  # fmt: skip
    (folder / "points.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32632"}},
        "features": [{"type": "Feature", "properties": {"z": z}, "geometry": {
            "type": "Point", "coordinates": [600100 + 700 * i, 5199800 - 500 * j]}}
            for i in range(9) for j in range(9) for z in [float(i * j)]]}))  # fmt: skip
    return folder


def assert_alike(store, tif):
    one, other = gdal.Open(str(store)), gdal.Open(str(tif))
    assert one is not None and one.GetDriver().ShortName == "Zarr"
    np.testing.assert_array_equal(one.ReadAsArray(), other.ReadAsArray())
    assert one.RasterCount == other.RasterCount
    np.testing.assert_allclose(one.GetGeoTransform(), other.GetGeoTransform(), rtol=1e-12)
    assert one.GetSpatialRef().IsSame(other.GetSpatialRef())
    for i in range(1, one.RasterCount + 1):
        a, b = one.GetRasterBand(i), other.GetRasterBand(i)
        assert a.DataType == b.DataType and a.GetNoDataValue() == b.GetNoDataValue()


# name of a utility -> its command. {dem}, {west} and {east} are input files, {of} is the format and {out} the output
# file. The test compares the printed texts of commands without {out}.
RASTERS = {
    "gdal_translate": ["gdal_translate", "-of", "{of}", "-outsize", "50%", "50%", "{dem}", "{out}"],
    "gdal_translate -projwin": ["gdal_translate", "-of", "{of}", "-projwin", "601000", "5199000", "604000",
                                "5196000", "{dem}", "{out}"],
    "gdalwarp": ["gdalwarp", "-q", "-of", "{of}", "-t_srs", "EPSG:4326", "-r", "bilinear", "{dem}", "{out}"],
    "gdalwarp of two": ["gdalwarp", "-q", "-of", "{of}", "-t_srs", "EPSG:3035", "{west}", "{east}", "{out}"],
    "gdal_grid": ["gdal_grid", "-q", "-of", "{of}", "-zfield", "z", "-a", "nearest", "-outsize", "60", "50",
                  "-ot", "Float32", "points.geojson", "{out}"],
    "gdal_rasterize": ["gdal_rasterize", "-q", "-of", "{of}", "-a", "v", "-tr", "100", "100", "-ot", "Byte",
                       "-a_nodata", "0", "areas.geojson", "{out}"],
    "gdaldem hillshade": ["gdaldem", "hillshade", "-q", "-of", "{of}", "{dem}", "{out}"],
    "gdaldem slope": ["gdaldem", "slope", "-q", "-of", "{of}", "{dem}", "{out}"],
    "gdal_fillnodata": ["gdal_fillnodata", "-q", "-of", "{of}", "{dem}", "{out}"],
    "gdal_sieve": ["gdal_sieve", "-q", "-of", "{of}", "-st", "50", "{classes}", "{out}"],
    "gdal_proximity": ["gdal_proximity", "-q", "-of", "{of}", "-values", "2", "{classes}", "{out}"],
    "gdal_merge": ["gdal_merge", "-q", "-of", "{of}", "-n", "-9999", "-a_nodata", "-9999", "-o", "{out}",
                   "{west}", "{east}"],
    "gdal_calc": ["gdal_calc", "--quiet", "--format", "{of}", "-A", "{dem}", "-B", "{classes}", "--calc", "A*2+B",
                  "--outfile", "{out}"],
    "gdal_viewshed": ["gdal_viewshed", "-q", "-of", "{of}", "-ox", "603000", "-oy", "5197000", "-oz", "300",
                      "{dem}", "{out}"],
    "gdalbuildvrt": ["gdalbuildvrt", "-q", "between.vrt", "{west}", "{east}", "&&", "gdal_translate", "-q", "-of",
                     "{of}", "between.vrt", "{out}"],
}
TEXTS = {
    "gdallocationinfo": ["gdallocationinfo", "-valonly", "-geoloc", "{dem}", "603000", "5197000"],
    "gdalinfo -checksum": ["gdalinfo", "-checksum", "-stats", "-json", "{dem}"],
}  # fmt: skip


def command(words, folder, values):
    made = []
    for word in words:
        made.append(word.format(**values) if "{" in word else word)
    for part in " ".join(made).split(" && "):
        items = part.split(" ")
        run(folder, *(items[:1] if has(items[0]) else script(items[0])), *items[1:])


def inputs(folder, extension):
    return {name: folder / f"{name}.{extension}" for name in ("dem", "classes", "west", "east")}


@pytest.mark.parametrize("name", RASTERS)
@pytest.mark.parametrize("source", ["tif", "zarr"])
@pytest.mark.slow
def test_into_and_out_of_stores(tmp_path, sources, name, source):
    """A utility writes equal pixels to a store and to a GeoTIFF, whether its input is a store or a
    GeoTIFF."""
    for vector in ("areas.geojson", "points.geojson"):
        shutil.copy(sources / vector, tmp_path)
    values = inputs(sources, source)
    command(RASTERS[name], tmp_path, {**inputs(sources, "tif"), "of": "GTiff", "out": tmp_path / "out.tif"})
    command(RASTERS[name], tmp_path, {**values, "of": "Zarr", "out": tmp_path / "out.zarr"})
    assert_alike(tmp_path / "out.zarr", tmp_path / "out.tif")


@pytest.mark.parametrize("name", TEXTS)
def test_printed_text_equals_that_of_a_geotiff(tmp_path, sources, name):
    told = []
    for extension in ("tif", "zarr"):
        words = [word.format(**inputs(sources, extension)) for word in TEXTS[name]]
        told.append(run(tmp_path, *(words[:1] if has(words[0]) else script(words[0])), *words[1:]))
    if name.startswith("gdalinfo"):
        told = [json.loads(text) for text in told]
        bands = [text["bands"][0] for text in told]
        for key in ("checksum", "type", "noDataValue"):
            assert bands[0][key] == bands[1][key]
        for key in ("STATISTICS_MINIMUM", "STATISTICS_MAXIMUM", "STATISTICS_VALID_PERCENT"):
            assert bands[0]["metadata"][""][key] == bands[1]["metadata"][""][key]
        assert told[0]["cornerCoordinates"] == told[1]["cornerCoordinates"]
    else:
        assert told[0] == told[1] != ""


def test_gdal_rasterize_into_an_existing_store(tmp_path, sources):
    for extension in ("tif", "zarr"):
        copy = shutil.copytree if extension == "zarr" else shutil.copy
        copy(sources / f"classes.{extension}", tmp_path / f"c.{extension}")
        run(tmp_path, "gdal_rasterize", "-q", "-burn", "9", sources / "areas.geojson", f"c.{extension}")
    assert_alike(tmp_path / "c.zarr", tmp_path / "c.tif")
    assert (gdal.Open(str(tmp_path / "c.zarr")).ReadAsArray() == 9).any()


@pytest.mark.slow
def test_gdalwarp_into_an_existing_store(tmp_path, sources):
    for extension, of in (("tif", "GTiff"), ("zarr", "Zarr")):
        out = tmp_path / f"o.{extension}"
        run(tmp_path, "gdalwarp", "-q", "-of", of, "-te", "600000", "5192800", "607200", "5200000", "-tr", "30", "30",
            sources / f"west.{extension}", out)  # fmt: skip
        run(tmp_path, "gdalwarp", "-q", sources / f"east.{extension}", out)
    assert_alike(tmp_path / "o.zarr", tmp_path / "o.tif")


def test_gdal_polygonize(tmp_path, sources):
    found = []
    for extension in ("tif", "zarr"):
        out = tmp_path / f"{extension}.geojson"
        run(tmp_path, *script("gdal_polygonize"), "-q", sources / f"classes.{extension}", "-f", "GeoJSON", out)
        found.append([(f["properties"], f["geometry"]) for f in json.loads(out.read_text())["features"]])
    assert found[0] == found[1] != []


def test_gdal_contour(tmp_path, sources):
    found = []
    for extension in ("tif", "zarr"):
        out = tmp_path / f"{extension}.geojson"
        run(tmp_path, "gdal_contour", "-q", "-i", "50", "-f", "GeoJSON", sources / f"dem.{extension}", out)
        found.append(json.loads(out.read_text())["features"])
    assert found[0] == found[1] != []


@pytest.mark.slow
def test_gdal_retile(tmp_path, sources):
    """Tiles that gdal_retile writes as stores equal the tiles that it writes as GeoTIFF files."""
    for extension, of in (("tif", "GTiff"), ("zarr", "Zarr")):
        (tmp_path / of).mkdir()
        run(tmp_path, *script("gdal_retile"), "-q", "-of", of, "-ps", "100", "100", "-levels", "1", "-targetDir", of,
            sources / f"dem.{extension}")  # fmt: skip
    tiles = sorted(path.relative_to(tmp_path / "GTiff") for path in (tmp_path / "GTiff").rglob("*.tif"))
    assert len(tiles) > 9
    for tile in tiles:
        assert_alike((tmp_path / "Zarr" / tile).with_suffix(".zarr"), tmp_path / "GTiff" / tile)


@pytest.mark.slow
def test_gdal2tiles(tmp_path, sources):
    """gdal2tiles accepts only names of files, so the test passes the path of the store's .zmetadata. The tiles equal
    those of a GeoTIFF."""
    made = []
    for extension, name in (("tif", "classes.tif"), ("zarr", "classes.zarr/.zmetadata")):
        out = tmp_path / extension
        run(tmp_path, *script("gdal2tiles"), "-q", "-z", "10-12", "-w", "none", sources / name, out)
        made.append({path.relative_to(out): gdal.Open(str(path)).ReadAsArray().tobytes()
                     for path in out.rglob("*.png")})  # fmt: skip
    assert made[0] == made[1] and len(made[0]) > 3


def test_gdaltindex_and_gdalbuildvrt_of_stores(tmp_path, sources):
    run(tmp_path, "gdaltindex", "index.shp", sources / "west.zarr", sources / "east.zarr")
    index = gdal.OpenEx(str(tmp_path / "index.shp"), gdal.OF_VECTOR)
    layer = index.GetLayer(0)
    assert [os.path.basename(feature.GetField("location")) for feature in layer] == ["west.zarr", "east.zarr"]
    assert layer.GetExtent() == pytest.approx((600000, 607200, 5192800, 5200000))
    run(tmp_path, "gdalbuildvrt", "-q", "m.vrt", sources / "west.zarr", sources / "east.zarr")
    np.testing.assert_array_equal(gdal.Open(str(tmp_path / "m.vrt")).ReadAsArray(),
                                  gdal.Open(str(sources / "dem.tif")).ReadAsArray())  # fmt: skip


def test_gdalcompare(tmp_path, sources):
    """gdalcompare finds no differences between a store and its source GeoTIFF, except in the file bytes and
    metadata."""
    done = subprocess.run([*script("gdalcompare"), str(sources / "dem.tif"), str(sources / "dem.zarr")],
                          capture_output=True, text=True, check=False, timeout=SECONDS)  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    unexpected = [line for line in lines if not any(word in line for word in (
        "Files differ at the binary level", "Differences Found", "metadata", "Metadata", "AREA_OR_POINT", "INTERLEAVE",
        "COMPRESSION", "key", "Keys", "value", "Golden file", "size", "Size"))]  # fmt: skip
    assert unexpected == []
    same = subprocess.run([*script("gdalcompare"), *[str(sources / "dem.zarr/.zmetadata")] * 2],
                          capture_output=True, text=True, check=False, timeout=SECONDS)  # fmt: skip
    assert same.returncode == 0, same.stdout


@pytest.mark.parametrize("area", ["Area", "Point"])
@pytest.mark.parametrize("convention", [None, "GDAL", "CF", "SPATIAL_PROJ"])
@pytest.mark.slow
def test_gdalcompare_compares_pixels(tmp_path, sources, convention, area):
    """gdalcompare finds a store equal to its source GeoTIFF, including AREA_OR_POINT, and detects a changed
    pixel."""
    source = tmp_path / "a.tif"
    gdal.Translate(str(source), str(sources / "dem.tif"), metadataOptions=[f"AREA_OR_POINT={area}"])
    options = [f"GEOREFERENCING_CONVENTION={convention}"] if convention else []
    store = tmp_path / "a.zarr"
    gdal.Translate(str(store), str(source), format="Zarr", creationOptions=options)
    assert compared(source, store) == []
    changed = gdal.Open(str(store), gdal.GA_Update)
    changed.GetRasterBand(1).WriteArray(changed.GetRasterBand(1).ReadAsArray(0, 0, 1, 1) + 1)
    del changed
    assert any("checksum" in line for line in compared(source, store))


def compared(one, other):
    """Returns the differences that gdalcompare prints, except those of the file bytes."""
    done = subprocess.run([*script("gdalcompare"), str(one), str(other)],
                          capture_output=True, text=True, check=False, timeout=SECONDS)  # fmt: skip
    usual = ("Files differ at the binary level", "Differences Found", "Golden file", "New file")
    return [line for line in done.stdout.splitlines() if line.strip() and not line.strip().startswith(usual)]


@pytest.mark.slow
def test_gdaladdo_and_gdal_edit(tmp_path, sources):
    for extension in ("tif", "zarr"):
        copy = shutil.copytree if extension == "zarr" else shutil.copy
        copy(sources / f"dem.{extension}", tmp_path / f"d.{extension}")
        run(tmp_path, "gdaladdo", "-q", "-r", "average", f"d.{extension}", "2", "4")
        run(tmp_path, *script("gdal_edit"), "-mo", "K=V", "-a_nodata", "-1", "-a_srs", "EPSG:32633", f"d.{extension}")
    one, other = (gdal.Open(str(tmp_path / f"d.{extension}")) for extension in ("zarr", "tif"))
    for level in (0, 1):
        got = one.GetRasterBand(1).GetOverview(level).ReadAsArray()
        np.testing.assert_allclose(got, other.GetRasterBand(1).GetOverview(level).ReadAsArray(), rtol=1e-6)
    for dataset in (one, other):
        assert dataset.GetMetadataItem("K") == "V" and dataset.GetRasterBand(1).GetNoDataValue() == -1
        assert dataset.GetSpatialRef().GetAuthorityCode(None) == "32633"


@pytest.mark.skipif(not gdal_is_at_least(3, 11), reason="the program `gdal` is there from 3.11 on")
@pytest.mark.parametrize("words", [
    ["raster", "convert", "-f", "{of}", "{dem}", "{out}"],
    ["raster", "reproject", "-f", "{of}", "-d", "EPSG:4326", "{dem}", "{out}"],
    ["raster", "clip", "-f", "{of}", "--bbox", "601000,5196000,604000,5199000", "{dem}", "{out}"],
    ["raster", "resize", "-f", "{of}", "--size", "50%,50%", "{dem}", "{out}"],
    ["raster", "mosaic", "-f", "{of}", "{west}", "{east}", "{out}"],
    ["raster", "hillshade", "-f", "{of}", "{dem}", "{out}"],
    ["raster", "calc", "-f", "{of}", "-i", "A={dem}", "--calc", "A*2", "{out}"],
])  # fmt: skip
def test_gdal_raster(tmp_path, sources, words):
    for extension, of in (("tif", "GTiff"), ("zarr", "Zarr")):
        values = {**inputs(sources, extension), "of": of, "out": tmp_path / f"out.{extension}"}
        run(tmp_path, "gdal", *(word.format(**values) for word in words))
    assert_alike(tmp_path / "out.zarr", tmp_path / "out.tif")


@pytest.mark.skipif(not gdal_is_at_least(3, 11), reason="the program `gdal` is there from 3.11 on")
def test_gdal_mdim(tmp_path):
    cube = REPOSITORY / "data" / "temperature.zarr"
    told = json.loads(run(tmp_path, "gdal", "mdim", "info", cube))
    assert "air_temperature" in told["arrays"]
    run(tmp_path, "gdal", "mdim", "convert", "-f", "Zarr", cube, tmp_path / "copy.zarr")
    arrays = [gdal.OpenEx(str(name), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("air_temperature")
              for name in (cube, tmp_path / "copy.zarr")]  # fmt: skip
    np.testing.assert_array_equal(arrays[0].ReadAsArray(), arrays[1].ReadAsArray())


PIXELS = np.arange(240, dtype="i4").reshape(12, 20)
CODECS = {
    "none": None, "blosc": numcodecs.Blosc("zstd"), "zlib": numcodecs.Zlib(), "gzip": numcodecs.GZip(),
    "bz2": numcodecs.BZ2(), "lzma": numcodecs.LZMA(), "zstd": numcodecs.Zstd(), "lz4": numcodecs.LZ4(),
}  # fmt: skip


@zarr_formats.V2
@pytest.mark.parametrize("codec", CODECS)
def test_gdalinfo_reads_every_compressor(tmp_path, codec):
    """gdalinfo decompresses every codec. The program gdalinfo links libraries that may define functions of the same
    names as a codec's library. Python does not link these libraries."""
    zarr.save_array(str(tmp_path / "x.zarr"), PIXELS, compressor=CODECS[codec])
    dataset = gdal.Open(str(tmp_path / "x.zarr"))
    wanted = dataset.GetRasterBand(1).Checksum()
    assert f"Checksum={wanted}" in run(tmp_path, "gdalinfo", "-checksum", "x.zarr")
