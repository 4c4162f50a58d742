# SPDX-License-Identifier: MIT
"""Position, CRS, scale and unit of a TIFF file, from the tags that kerchunk and virtual-tiff copy into attributes."""

import json

import numpy as np
import pytest
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, open_raster
from zarr_georeferencing import epsg
from zarr_mdim import open_array
from zarr_references import write_by, write_json
from zarr_store import make_store

NORTH_UP = (500000, 10, 0, 6000000, 0, -10)
ROTATED = (500000, 10, 3, 6000000, 2, -10)
DEGREES = (10, 0.5, 0, 50, 0, -0.25)
GCPS = [gdal.GCP(10, 50, 5, 0, 0), gdal.GCP(11, 50, 6, 40, 0), gdal.GCP(10, 49, 7, 0, 20), gdal.GCP(11, 49, 8, 40, 20)]
GEOREFERENCED = {
    "utm": ("EPSG:32632", NORTH_UP, {}),
    "point": ("EPSG:32632", NORTH_UP, {"point": True}),
    "rotated": ("EPSG:32632", ROTATED, {}),
    "rotated-point": ("EPSG:32632", ROTATED, {"point": True}),
    "south-up": ("EPSG:32632", (500000, 10, 0, 6000000, 0, 10), {}),
    "degrees": ("EPSG:4326", DEGREES, {}),
    "feet": ("EPSG:2225", NORTH_UP, {}),
    "gcps": ("EPSG:4326", GCPS, {}),
    "gcps-point": ("EPSG:4326", GCPS, {"point": True}),
    "no-crs": ("", NORTH_UP, {}),
    "bands": ("EPSG:32632", NORTH_UP, {"bands": 3}),
    "levels": ("EPSG:32632", NORTH_UP, {"levels": [2, 4], "scale": (0.5, 100), "nodata": -9999}),
    "levels-of-bands": ("EPSG:32632", NORTH_UP, {"bands": 3, "levels": [2, 4]}),
    "odd-levels": ("EPSG:3857", NORTH_UP, {"levels": [2], "size": (41, 21)}),
    "scaled": ("EPSG:4326", DEGREES, {"scale": (0.001, -7.5)}),
}
PROJECTIONS = {
    "tmerc": "+proj=tmerc +lat_0=1 +lon_0=9 +k=0.9996 +x_0=500000 +y_0=100 +ellps=bessel",
    "merc": "+proj=merc +lon_0=9 +k=0.9 +x_0=5 +y_0=7 +ellps=GRS80",
    "merc-parallel": "+proj=merc +lon_0=9 +lat_ts=33 +x_0=5 +y_0=7 +datum=WGS84",
    "lcc1": "+proj=lcc +lat_1=46 +lat_0=46 +lon_0=2 +k_0=0.99 +x_0=600000 +y_0=200000 +ellps=clrk80ign",
    "lcc2": "+proj=lcc +lat_1=33 +lat_2=45 +lat_0=39 +lon_0=-96 +x_0=1 +y_0=2 +datum=NAD83 +units=us-ft",
    "lcc2-foot": "+proj=lcc +lat_1=33 +lat_2=45 +lat_0=39 +lon_0=-96 +x_0=1 +y_0=2 +datum=NAD83 +to_meter=0.3047",
    "laea": "+proj=laea +lat_0=10 +lon_0=20 +x_0=3 +y_0=4 +ellps=GRS80",
    "aea": "+proj=aea +lat_0=10 +lon_0=20 +lat_1=30 +lat_2=40 +x_0=3 +y_0=4 +datum=WGS84",
    "aeqd": "+proj=aeqd +lat_0=10 +lon_0=20 +x_0=3 +y_0=4 +a=6371000 +b=6371000",
    "stere": "+proj=stere +lat_0=10 +lon_0=20 +k=0.9 +x_0=3 +y_0=4 +datum=WGS84",
    "polar": "+proj=stere +lat_0=90 +lat_ts=71 +lon_0=20 +x_0=3 +y_0=4 +datum=WGS84",
    "polar-scale": "+proj=stere +lat_0=-90 +k=0.97 +lon_0=20 +x_0=3 +y_0=4 +datum=WGS84",
    "ortho": "+proj=ortho +lat_0=10 +lon_0=20 +x_0=3 +y_0=4 +a=6371000 +b=6371000",
    "sinu": "+proj=sinu +lon_0=20 +x_0=3 +y_0=4 +R=6371007.181",
    "cea": "+proj=cea +lat_ts=30 +lon_0=20 +x_0=3 +y_0=4 +datum=WGS84",
    "omerc": "+proj=omerc +lat_0=10 +lonc=20 +alpha=30 +gamma=30 +k=0.99 +x_0=3 +y_0=4 +datum=WGS84",
    "bessel": "+proj=longlat +ellps=bessel",
    "paris": "+proj=longlat +ellps=clrk80ign +pm=paris",
    "mars": "+proj=longlat +a=3396190 +b=3376200",
}  # fmt: skip
REFUSED = {"robin": "+proj=robin +lon_0=20 +datum=WGS84", "cass": "+proj=cass +lat_0=1 +lon_0=2 +datum=WGS84"}
WRITERS = ["kerchunk_tiff", "virtual_tiff"]


def crs_of(text):
    crs = osr.SpatialReference()
    if text:
        crs.SetFromUserInput(text)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return crs


def write_tiff(path, crs, position, point=False, bands=1, levels=(), scale=None, nodata=None, size=(40, 20)):
    options = ["TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"]
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), *size, bands, gdal.GDT_Int16, options)
    if isinstance(position, list):
        dataset.SetGCPs(position, crs_of(crs))
    else:
        dataset.SetSpatialRef(crs_of(crs))
        dataset.SetGeoTransform(position)
    if point:
        dataset.SetMetadataItem("AREA_OR_POINT", "Point")
    for number in range(1, bands + 1):
        band = dataset.GetRasterBand(number)
        band.WriteArray(np.arange(size[0] * size[1]).reshape(size[::-1]) * number)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        if scale:
            band.SetScale(scale[0])
            band.SetOffset(scale[1])
            band.SetUnitType("K")
    if levels:
        dataset.BuildOverviews("NEAREST", list(levels))


@pytest.fixture(scope="module")
def tiffs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiff")
    for name, (crs, position, more) in GEOREFERENCED.items():
        write_tiff(folder / f"{name}.tif", crs, position, **more)
    for name, crs in {**PROJECTIONS, **REFUSED}.items():
        write_tiff(folder / f"{name}.tif", crs, (1000, 10, 0, 2000, 0, -10))
    return folder


@pytest.fixture(scope="module", params=WRITERS)
def references(request, tiffs):
    """Returns the name of the writer, and the folder of the TIFF files with references to each, WRITER-NAME.json."""
    files = {path.stem: path for path in sorted(tiffs.glob("*.tif"))}
    documents = json.loads(write_by(request.param, tiffs / f"{request.param}.all", *files.values()).read_text())
    for name, path in files.items():
        write_json(tiffs / f"{request.param}-{name}.json", documents[str(path)])
    return request.param, tiffs


def open_both(references, name):
    writer, folder = references
    with error_log() as log:
        result = gdal.Open(str(folder / f"{writer}-{name}.json"))
        result.GetSpatialRef()  # georeferencing is read on demand
    assert result is not None, log.events
    return gdal.Open(str(folder / f"{name}.tif")), result, log


@pytest.mark.parametrize("name", GEOREFERENCED)
@pytest.mark.slow
def test_as_the_tiff_file(references, name):
    wanted, result, log = open_both(references, name)
    assert not log.events
    if name == "no-crs" and references[0] == "kerchunk_tiff":
        return  # kerchunk copies no tags without GeoKeys
    assert result.GetGeoTransform() == pytest.approx(wanted.GetGeoTransform(), rel=1e-12)
    assert (result.GetSpatialRef() is None) == (wanted.GetSpatialRef() is None)
    if wanted.GetSpatialRef() is not None:
        assert result.GetSpatialRef().IsSame(wanted.GetSpatialRef())
        assert result.GetSpatialRef().GetAuthorityCode(None) == wanted.GetSpatialRef().GetAuthorityCode(None)
    assert [(p.GCPX, p.GCPY, p.GCPZ, p.GCPPixel, p.GCPLine) for p in result.GetGCPs()] == [
        (p.GCPX, p.GCPY, p.GCPZ, p.GCPPixel, p.GCPLine) for p in wanted.GetGCPs()
    ]
    band, other = result.GetRasterBand(1), wanted.GetRasterBand(1)
    assert (band.GetScale() or 1, band.GetOffset() or 0) == (other.GetScale() or 1, other.GetOffset() or 0)
    assert band.GetUnitType() == other.GetUnitType()
    if other.GetNoDataValue() is not None:
        assert band.GetNoDataValue() == other.GetNoDataValue()
    assert np.array_equal(result.ReadAsArray(), wanted.ReadAsArray())
    if references[0] == "kerchunk_tiff":  # the references of virtual-tiff are those of the largest image
        assert band.GetOverviewCount() == other.GetOverviewCount()
        for i in range(band.GetOverviewCount()):
            assert np.array_equal(band.GetOverview(i).ReadAsArray(), other.GetOverview(i).ReadAsArray())
    items = result.GetMetadata()
    assert not [item for item in items if "Key" in item or item.lower().startswith("model")], items


@pytest.mark.parametrize("name", ["levels", "levels-of-bands", "odd-levels"])
@pytest.mark.parametrize("references", ["kerchunk_tiff"], indirect=True)
def test_a_level_that_is_opened_by_its_name(references, name):
    wanted, _, _ = open_both(references, name)
    level = open_raster(array_name(references[1] / f"kerchunk_tiff-{name}.json", "1"))
    overview = wanted.GetRasterBand(1).GetOverview(0)
    assert (level.RasterXSize, level.RasterYSize) == (overview.XSize, overview.YSize)
    assert level.RasterCount == wanted.RasterCount
    place, size = wanted.GetGeoTransform(), (wanted.RasterXSize, wanted.RasterYSize)
    factors = size[0] / overview.XSize, size[1] / overview.YSize
    assert level.GetGeoTransform() == pytest.approx(
        (place[0], place[1] * factors[0], 0, place[3], 0, place[5] * factors[1])
    )
    assert level.GetSpatialRef().IsSame(wanted.GetSpatialRef())


@pytest.mark.parametrize("name", PROJECTIONS)
def test_user_defined_crs(references, name):
    wanted, result, log = open_both(references, name)
    assert not log.events
    crs, other = result.GetSpatialRef(), wanted.GetSpatialRef()
    assert crs is not None
    assert crs.IsProjected() == other.IsProjected()
    assert crs.GetLinearUnits() == pytest.approx(other.GetLinearUnits(), rel=1e-12)
    assert crs.GetSemiMajor() == pytest.approx(other.GetSemiMajor())
    assert crs.GetInvFlattening() == pytest.approx(other.GetInvFlattening())
    geographic = other.CloneGeogCS()
    for one in (crs, other, geographic):
        one.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    place = (21, 12) if other.GetSemiMajor() > 4e6 and name != "lcc2" else (-95, 40)
    here, there = (osr.CoordinateTransformation(one.CloneGeogCS(), one).TransformPoint(*place) for one in (crs, other))
    assert here == pytest.approx(there, abs=1e-3)


@pytest.mark.parametrize("name", REFUSED)
def test_projections_without_a_grid_mapping_are_named(references, name):
    _, result, log = open_both(references, name)
    (warning,) = log.warnings
    assert "proj_coord_trans" in warning.lower().replace("projcoordtransgeokey", "proj_coord_trans")
    assert "is not supported" in warning
    assert result.GetSpatialRef() is None
    assert result.GetGeoTransform() == (1000, 10, 0, 2000, 0, -10)


def test_scale_of_several_bands_gives_a_warning(references, tmp_path):
    write_tiff(tmp_path / "a.tif", "EPSG:32632", NORTH_UP, bands=2, scale=(0.5, 3))
    path = tmp_path / "a.tif"
    document = json.loads(write_by(references[0], tmp_path / "all", path).read_text())[str(path)]
    with error_log() as log:
        dataset = gdal.Open(str(write_json(tmp_path / "a.json", document)))
        assert [dataset.GetRasterBand(i).GetScale() for i in (1, 2)] == [0.5, 0.5]
        assert [dataset.GetRasterBand(i).GetOffset() for i in (1, 2)] == [3, 3]
    (warning,) = log.warnings
    assert "SCALE" in warning and "OFFSET" in warning and "2 bands" in warning


# ---------------------------------------------------------------------------------------------
# Tags in the attributes of stores that other programs wrote from references

VALUES = np.arange(12, dtype="i2").reshape(3, 4)
KERCHUNK = {
    "GTModelTypeGeoKey": 1, "GTRasterTypeGeoKey": 1, "ProjectedCSTypeGeoKey": 32632,
    "ModelPixelScale": [10.0, 10.0, 0.0], "ModelTiepoint": [0.0, 0.0, 0.0, 500000.0, 6000000.0, 0.0],
}  # fmt: skip
VIRTUAL = {
    "model_type": 1, "raster_type": 1, "projected_type": 32632,
    "model_pixel_scale": [10.0, 10.0, 0.0], "model_tiepoint": [0.0, 0.0, 0.0, 500000.0, 6000000.0, 0.0],
}  # fmt: skip
TAGS = {"kerchunk": KERCHUNK, "virtual-tiff": VIRTUAL}


def write(folder, attrs, more=None, **options):
    data = {"values": VALUES, "dims": ("y", "x"), "attrs": attrs}
    return make_store(folder, {"data": data, **(more or {})}, **options)


@zarr_formats.BOTH
@pytest.mark.parametrize("tags", TAGS.values(), ids=TAGS)
def test_tags_of_an_array_in_both_apis(tmp_path, tags):
    store = write(tmp_path, tags)
    dataset = open_raster(array_name(store, "data"))
    assert dataset.GetGeoTransform() == NORTH_UP
    assert epsg(dataset) == 32632
    array = open_array(store, "data")
    assert array.GetSpatialRef().GetAuthorityCode(None) == "32632"
    assert array.AsClassicDataset(1, 0).GetGeoTransform() == NORTH_UP


@zarr_formats.BOTH
def test_other_statements_come_before_tags(tmp_path):
    coordinates = {
        "x": {"values": 7.0 + 2 * np.arange(4), "dims": ("x",)},
        "y": {"values": 9.0 - 2 * np.arange(3), "dims": ("y",)},
    }
    store = write(tmp_path, {**KERCHUNK, "proj:code": "EPSG:3857"}, coordinates)
    with error_log() as log:
        dataset = gdal.Open(array_name(store, "data"))
        assert dataset.GetGeoTransform() == (6, 2, 0, 10, 0, -2)
    assert epsg(dataset) == 3857
    (warning,) = log.warnings
    assert "ModelPixelScale disagrees with the coordinate arrays" in warning


BROKEN = {
    "ModelPixelScale": "ten", "ModelTiepoint": [1, 2, 3], "ProjectedCSTypeGeoKey": "UTM", "GTModelTypeGeoKey": 3,
    "model_pixel_scale": {"x": 1}, "model_tiepoint": [[1, 2, 3, 4, 5, None]], "projected_type": 70000,
    "model_type": [1], "SCALE": "much", "ModelTransformation": [1e308] * 16,
}  # fmt: skip


@zarr_formats.BOTH
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_tag_gives_one_warning(tmp_path, name):
    tags = KERCHUNK if name in KERCHUNK or name == "SCALE" else VIRTUAL
    if name == "ModelTransformation":  # is read without the other two alone
        tags = {tag: value for tag, value in KERCHUNK.items() if tag not in ("ModelPixelScale", "ModelTiepoint")}
    store = write(tmp_path, {**tags, name: BROKEN[name]})
    with error_log() as log:
        dataset = gdal.Open(array_name(store, "data"))
        crs, place = dataset.GetSpatialRef(), dataset.GetGeoTransform()
    (warning,) = log.warnings
    assert name in warning
    assert not log.errors
    assert (crs is None) != (place == (0, 1, 0, 0, 0, 1)) or name == "SCALE"
    assert np.array_equal(dataset.ReadAsArray(), VALUES)


@zarr_formats.BOTH
def test_scale_without_tags_is_a_plain_attribute(tmp_path):
    dataset = open_raster(array_name(write(tmp_path, {"SCALE": "0.5", "OFFSET": "3"}), "data"))
    assert dataset.GetRasterBand(1).GetScale() is None
    assert dataset.GetMetadata()["SCALE"] == "0.5"


@zarr_formats.BOTH
def test_a_copy_has_no_stale_tags(tmp_path):
    """A copy with -unscale has no SCALE that would apply once more, and a part of a raster no ModelTiepoint."""
    store = write(tmp_path, {**KERCHUNK, "SCALE": "0.5", "OFFSET": "3", "UNITTYPE": "K"})
    options = {"format": "Zarr", "unscale": True, "outputType": gdal.GDT_Float32, "srcWin": [1, 1, 2, 2]}
    assert gdal.Translate(str(tmp_path / "copy.zarr"), array_name(store, "data"), **options) is not None
    copy = open_raster(tmp_path / "copy.zarr")
    assert copy.GetGeoTransform() == (500010, 10, 0, 5999990, 0, -10)
    assert copy.GetRasterBand(1).GetScale() in (None, 1)
    assert copy.ReadAsArray().tolist() == (VALUES[1:3, 1:3] * 0.5 + 3).tolist()
    assert not [text for text in (tmp_path / "copy.zarr").rglob("*") if text.is_file() and b"Tiepoint" in text.read_bytes()]


@zarr_formats.BOTH
def test_a_new_scale_replaces_the_one_of_the_tiff_file(tmp_path):
    name = array_name(write(tmp_path, {**KERCHUNK, "SCALE": "0.5", "OFFSET": "3"}), "data")
    dataset = gdal.OpenEx(name, gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).SetScale(1)
    dataset.GetRasterBand(1).SetOffset(0)
    dataset.SetGeoTransform((1, 2, 0, 3, 0, -4))
    dataset = None
    dataset = open_raster(name)
    assert dataset.GetRasterBand(1).GetScale() in (None, 1)
    assert dataset.GetRasterBand(1).GetOffset() in (None, 0)
    assert dataset.GetGeoTransform() == (1, 2, 0, 3, 0, -4)
