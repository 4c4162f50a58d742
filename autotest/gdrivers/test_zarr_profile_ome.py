# SPDX-License-Identifier: MIT
"""Creation option PROFILE=OME writes OME-Zarr images that obey the JSON schemas of OME-Zarr. GDAL reads the raster back
unchanged."""

import contextlib
import io
import json
import pathlib
import sys

import numpy as np
import pytest
import zarr3_arrays
import zarr_formats
from osgeo import gdal, osr
from zarr_gdal import array_name, config_options, error_log, open_raster, read_all
from zarr_ome import make_image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from zarr_checks import command, conventions  # noqa: E402  (in the folder that joined the path above)

pytestmark = zarr_formats.V3
WIDTH, HEIGHT = 600, 500
PLACE = (500000, 10, 0, 5000000, 0, -10)
VERSIONS = {"0.4": "0.4", "0.5": "0.5", "0.6": "0.6"}
RGB = [gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand]
COLOURS = ["FF0000", "00FF00", "0000FF"]
OPTIONS = ["PROFILE=OME", "BLOCKSIZE=128"]  # with blocks of 128, overviews have 1/2, 1/4 and 1/8 of the raster's size
DRIVER = gdal.GetDriverByName("Zarr")


def source(bands=3, dtype=gdal.GDT_UInt16, place=PLACE, epsg=32633, nodata=None, names=None, colours=None):
    """Returns a raster in memory, and its values as an array."""
    dataset = gdal.GetDriverByName("MEM").Create("", WIDTH, HEIGHT, bands, dtype)
    if place is not None:
        dataset.SetGeoTransform(place)
    if epsg is not None:
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(epsg)
        dataset.SetSpatialRef(srs)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    values = np.stack([(x // 3 + y // 2 * (b + 1)) % 200 + 10 + b for b in range(bands)])
    for b in range(bands):
        band = dataset.GetRasterBand(b + 1)
        if nodata is not None:
            band.SetNoDataValue(nodata)
            values[b, : 10 * (b + 1), :20] = nodata
        band.WriteArray(values[b])
        band.SetDescription(names[b] if names else "")
        if colours:
            band.SetColorInterpretation(colours[b])
    return dataset, values


def copy(folder, dataset, *options, name="image.ome.zarr"):
    with error_log() as log:
        made = DRIVER.CreateCopy(str(folder / name), dataset, options=[*OPTIONS, *options])
    assert made is not None and log.events == [], log.events
    del made
    return folder / name


def attributes(store, group=""):
    folder = store / group
    if (folder / "zarr.json").exists():
        return json.loads((folder / "zarr.json").read_text())["attributes"]
    return json.loads((folder / ".zattrs").read_text())


def image(store, group=""):
    """Asserts that a group's OME metadata obeys the JSON schema of its version. Returns the only element of
    `multiscales`, and all of the OME metadata."""
    stated = attributes(store, group)
    ome = stated.get("ome", stated)
    (multiscale,) = ome["multiscales"]
    version = ome.get("version", multiscale.get("version"))[:3]
    value = {"ome": ome} if "ome" in stated else stated
    assert list(conventions.violations(f"ome-{version}", value)) == []
    return multiscale, ome


def places(multiscale):
    """Returns (scale, translation) of each level of a multiscale."""
    found = []
    for dataset in multiscale["datasets"]:
        steps = dataset["coordinateTransformations"]
        if steps[0]["type"] == "sequence":
            assert steps[0]["input"] == {"path": dataset["path"]}
            assert steps[0]["output"] == {"name": multiscale["coordinateSystems"][0]["name"]}
            steps = steps[0]["transformations"]
        assert [step["type"] for step in steps] == ["scale", "translation"]
        found.append((steps[0]["scale"], steps[1]["translation"]))
    return found


def axes(multiscale):
    return multiscale.get("axes") or multiscale["coordinateSystems"][0]["axes"]


def findings(store):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        command.main([str(store), "--json", "--no-http"])
    return [found for found in json.loads(output.getvalue())["findings"] if found["severity"] != "note"]


@pytest.fixture(scope="module", params=list(VERSIONS))
def made(request, tmp_path_factory):
    """Returns (OME version, store that PROFILE=OME has made, source dataset, values of the source)."""
    dataset, values = source(nodata=7, names=["red", "edge", "nir"], colours=RGB)
    with config_options(ZARR_DEFAULT_FORMAT="ZARR_V3"):
        store = copy(tmp_path_factory.mktemp("ome"), dataset, f"OME_VERSION={request.param}")
    return request.param, store, dataset, values


def test_the_metadata_describe_the_raster(made):
    version, store, _, values = made
    multiscale, ome = image(store)
    assert ome.get("version", multiscale.get("version")) == VERSIONS[version]
    assert (store / ".zgroup").exists() == (version == "0.4")
    assert multiscale["name"] == "image" and multiscale["type"] == "average"
    assert [axis["name"] for axis in axes(multiscale)] == ["c", "y", "x"]
    assert [axis["type"] for axis in axes(multiscale)] == ["channel", "space", "space"]
    assert [axis.get("unit") for axis in axes(multiscale)] == [None, "meter", "meter"]
    paths = [dataset["path"] for dataset in multiscale["datasets"]]
    assert paths[0] == "0" and len(paths) == 4
    for k, (scale, translation) in enumerate(places(multiscale)):
        height, width = -(-HEIGHT // 2**k), -(-WIDTH // 2**k)
        size = [10 * HEIGHT / height, 10 * WIDTH / width]
        assert scale == pytest.approx([1, *size])
        assert translation == pytest.approx([0, -5000000 + size[0] / 2, 500000 + size[1] / 2])
    channels = ome["omero"]["channels"]
    assert [channel["label"] for channel in channels] == ["red", "edge", "nir"]
    assert [channel["color"] for channel in channels] == COLOURS
    for channel, band in zip(channels, values):
        window = channel["window"]
        assert (window["min"], window["max"]) == (0, 65535)
        valid = band[band != 7]
        assert valid.min() <= window["start"] < window["end"] <= valid.max()


def test_zarr_check_accepts_the_store(made):
    assert findings(made[1]) == []


def test_levels_are_arrays_of_one_type_with_the_names_of_the_axes(made):
    version, store, _, values = made
    multiscale, _ = image(store)
    for k, dataset in enumerate(multiscale["datasets"]):
        folder = store / dataset["path"]
        if version == "0.4":
            document = json.loads((folder / ".zarray").read_text())
            names = json.loads((folder / ".zattrs").read_text())["_ARRAY_DIMENSIONS"]
        else:
            document = json.loads((folder / "zarr.json").read_text())
            names = document["dimension_names"]
            assert document["data_type"] == "uint16"
        assert names == ["c", "y", "x"]
        assert document["shape"] == [3, -(-HEIGHT // 2**k), -(-WIDTH // 2**k)]
    if version != "0.4":
        read = zarr3_arrays.read(store, "0")
        np.testing.assert_array_equal(read.values, values)
        assert "delta" not in json.dumps(read.document["codecs"])


def test_the_round_trip_keeps_the_raster(made, tmp_path):
    """GDAL reads the store as one raster with its CRS. A copy as GeoTIFF has the values and properties of the
    source."""
    _, store, dataset, values = made
    with error_log() as log:
        opened = gdal.OpenEx(str(store), gdal.OF_RASTER)
        back = gdal.GetDriverByName("GTiff").CreateCopy(str(tmp_path / "back.tif"), opened)
    assert log.events == []
    for raster in (opened, back):
        np.testing.assert_array_equal(read_all(raster), values)
        assert raster.GetGeoTransform() == PLACE
        assert raster.GetSpatialRef().IsSame(dataset.GetSpatialRef())
        bands = [raster.GetRasterBand(i) for i in (1, 2, 3)]
        assert [band.GetDescription() for band in bands] == ["red", "edge", "nir"]
        assert [band.GetColorInterpretation() for band in bands] == RGB
        assert [band.GetNoDataValue() for band in bands] == [7, 7, 7]
    assert opened.GetRasterBand(1).GetOverviewCount() == 3
    assert (opened.GetRasterBand(1).GetOverview(0).XSize, opened.GetRasterBand(1).GetOverview(0).YSize) == (300, 250)
    assert not opened.GetMetadata("SUBDATASETS")


def test_the_encoding_is_that_of_the_profile_cloud(made, tmp_path):
    """Arrays are encoded as with PROFILE=CLOUD and PREDICTOR=FLOATING_POINT, without numcodecs.delta. Only names and
    attributes differ."""
    version, store, dataset, _ = made
    form = "ZARR_V2" if version == "0.4" else "ZARR_V3"
    cloud = tmp_path / "cloud.zarr"
    assert DRIVER.CreateCopy(str(cloud), dataset, options=[
        "PROFILE=CLOUD", "BLOCKSIZE=128", "PREDICTOR=FLOATING_POINT", f"FORMAT={form}"])  # fmt: skip
    document = ".zarray" if version == "0.4" else "zarr.json"
    own = json.loads((store / "0" / document).read_text())
    other = json.loads((cloud / "cloud" / document).read_text())
    for members in (own, other):
        members.pop("dimension_names", None)
        members.pop("attributes", None)
    assert own == other
    metadata = json.loads((store / (".zmetadata" if version == "0.4" else "zarr.json")).read_text())
    assert "consolidated_metadata" in metadata or "metadata" in metadata


def test_a_single_band_has_no_channel_axis(tmp_path):
    store = copy(tmp_path, source(1, gdal.GDT_Float32, names=["height"])[0])
    multiscale, ome = image(store)
    assert [axis["name"] for axis in axes(multiscale)] == ["y", "x"]
    (channel,) = ome["omero"]["channels"]
    assert channel["label"] == "height" and channel["color"] == "FFFFFF" and channel["active"]
    assert channel["window"]["min"] == channel["window"]["start"] < channel["window"]["end"]
    assert ome["omero"]["rdefs"]["model"] == "greyscale"
    assert ome["version"] == "0.5"


def test_a_photo_has_red_green_blue_and_hides_alpha(tmp_path):
    store = copy(tmp_path, source(4, gdal.GDT_Byte, colours=[*RGB, gdal.GCI_AlphaBand])[0])
    channels = image(store)[1]["omero"]["channels"]
    assert [channel["color"] for channel in channels] == [*COLOURS, "FFFFFF"]
    assert [channel["active"] for channel in channels] == [True, True, True, False]
    for channel in channels[:3]:
        assert channel["window"] == {"start": 0, "end": 255, "min": 0, "max": 255}
    assert open_raster(store).GetRasterBand(4).GetColorInterpretation() == gdal.GCI_AlphaBand


def test_bands_without_names_and_colours(tmp_path):
    """Bands without colours become channels of different colours. GDAL does not show them as red, green and blue."""
    store = copy(tmp_path, source(5)[0])
    channels = image(store)[1]["omero"]["channels"]
    assert [channel["label"] for channel in channels] == [f"Band {i}" for i in range(1, 6)]
    assert len({channel["color"] for channel in channels}) == 5
    assert [channel["active"] for channel in channels] == [True] * 3 + [False] * 2
    dataset = open_raster(store)
    colours = {dataset.GetRasterBand(i).GetColorInterpretation() for i in range(1, 6)}
    assert not colours & set(RGB)
    again = image(copy(tmp_path, dataset, name="again.zarr"))[1]["omero"]["channels"]
    assert [channel["label"] for channel in again] == [f"Band {i}" for i in range(1, 6)]


@pytest.mark.parametrize("place, unit", [((10, 0.25, 0, 50, 0, -0.5), None), (None, None)])
def test_degrees_and_pixels_have_no_unit(tmp_path, place, unit):
    dataset, values = source(1, place=place, epsg=4326 if place else None)
    store = copy(tmp_path, dataset)
    multiscale, _ = image(store)
    assert [axis.get("unit") for axis in axes(multiscale)] == [unit, unit]
    scale, translation = places(multiscale)[0]
    assert (scale, translation) == (([0.5, 0.25], [-49.75, 10.125]) if place else ([1, 1], [0, 0]))
    assert places(multiscale)[1] == ([2 * n for n in scale], pytest.approx(
        [t + s / 2 for s, t in zip(scale, translation)]))  # fmt: skip
    opened = open_raster(store)
    assert opened.GetGeoTransform(can_return_null=True) == place
    np.testing.assert_array_equal(read_all(opened), values)


@pytest.mark.parametrize("place", [(0, 3, 1, 0, 1, -3), (0, 10, 0, 0, 0, 10)])
def test_a_raster_that_is_not_north_up_has_pixels_of_size_1(tmp_path, place):
    """OME-Zarr 0.5 cannot state a rotation, so its metadata states pixels of size 1. GDAL reads the geotransform from
    other attributes."""
    store = copy(tmp_path, source(1, place=place)[0])
    multiscale, _ = image(store)
    assert places(multiscale)[0] == ([1, 1], [0, 0]) and "unit" not in axes(multiscale)[0]
    assert open_raster(store).GetGeoTransform() == place


@pytest.mark.parametrize("name, kind", [("time", "time"), ("t", "time"), ("z", "space")])
def test_bands_along_time_or_depth(tmp_path, name, kind):
    values = "2024-01-01,2024-02-01,2024-03-01" if kind == "time" else "0,5,10"
    store = copy(tmp_path, source()[0], f"BAND_DIM={name}", f"BAND_DIM_VALUES={values}")
    multiscale, ome = image(store)
    assert [(axis["name"], axis["type"]) for axis in axes(multiscale)] == [
        (name, kind), ("y", "space"), ("x", "space")]  # fmt: skip
    assert len(ome["omero"]["channels"]) == 1
    assert open_raster(store).GetRasterBand(2).GetMetadataItem(f"DIM_{name}_INDEX") == "1"


@pytest.mark.parametrize("version", VERSIONS)
def test_create_and_build_overviews(tmp_path, version):
    """The OME metadata is updated if georeferencing, band names, colours or overviews of the dataset change."""
    store = tmp_path / "made.zarr"
    dataset = DRIVER.Create(str(store), WIDTH, HEIGHT, 3, gdal.GDT_UInt16,
                            [*OPTIONS, "OVERVIEWS=NONE", f"OME_VERSION={version}"])  # fmt: skip
    raster, values = source(names=["a", "b", "c"], colours=RGB)
    dataset.SetGeoTransform(PLACE)
    dataset.SetSpatialRef(raster.GetSpatialRef())
    for i in (1, 2, 3):
        band = dataset.GetRasterBand(i)
        band.WriteArray(values[i - 1])
        band.SetDescription(raster.GetRasterBand(i).GetDescription())
        band.SetColorInterpretation(RGB[i - 1])
    del dataset, band
    multiscale, ome = image(store)
    assert [dataset["path"] for dataset in multiscale["datasets"]] == ["0"]
    assert [channel["color"] for channel in ome["omero"]["channels"]] == COLOURS
    for channel, band in zip(ome["omero"]["channels"], values):
        window = channel["window"]
        assert (window["start"], window["end"]) == (band.min(), band.max())
    assert places(multiscale)[0] == ([1, 10, 10], [0, -4999995, 500005])

    dataset = gdal.Open(str(store), gdal.GA_Update)
    assert dataset.BuildOverviews("AVERAGE", [2, 4]) == 0
    dataset.GetRasterBand(2).SetDescription("second")
    del dataset
    multiscale, ome = image(store)
    assert len(multiscale["datasets"]) == 3 and multiscale["type"] == "average"
    assert [channel["label"] for channel in ome["omero"]["channels"]] == ["a", "second", "c"]
    assert findings(store) == []
    assert open_raster(store).GetRasterBand(1).GetOverviewCount() == 2

    dataset = gdal.Open(str(store), gdal.GA_Update)
    assert dataset.BuildOverviews("NONE", []) == 0
    del dataset
    multiscale, _ = image(store)
    assert [dataset["path"] for dataset in multiscale["datasets"]] == ["0"]
    assert open_raster(store).GetRasterBand(2).GetDescription() == "second"


def test_the_items_of_an_ome_image_come_back(tmp_path):
    """A copy of an OME image keeps the units and the channel settings of that image."""
    before, _ = make_image(tmp_path, ["0", "1"], name="before.zarr")
    opened = open_raster(before)
    copied = copy(tmp_path, opened)
    old = attributes(before)["ome"]
    multiscale, ome = image(copied)
    for new, wanted in zip(ome["omero"]["channels"], old["omero"]["channels"]):
        for name in ("label", "color", "window", "active"):
            if name in wanted:
                assert new[name] == wanted[name], name
    assert [axis.get("unit") for axis in axes(multiscale)][1:] == [
        opened.GetMetadataItem("OME_UNIT_Y"), opened.GetMetadataItem("OME_UNIT_X")]  # fmt: skip
    scale, translation = places(multiscale)[0]
    t = opened.GetGeoTransform()
    assert scale[1:] == [-t[5], t[1]] and translation[1:] == [-(t[3] + t[5] / 2), t[0] + t[1] / 2]
    assert open_raster(copied).GetGeoTransform() == t


def test_an_image_in_a_group_of_another_store(tmp_path):
    store = copy(tmp_path, source(1)[0], "ARRAY_NAME=first/0")
    assert image(store, "first")[0]["name"] == "first"
    with error_log() as log:
        assert DRIVER.CreateCopy(str(store), source(1)[0], options=[
            *OPTIONS, "APPEND_SUBDATASET=YES", "ARRAY_NAME=second/0"])  # fmt: skip
        assert log.events == []
        refused = DRIVER.CreateCopy(str(store), source(1)[0], options=[
            *OPTIONS, "APPEND_SUBDATASET=YES", "ARRAY_NAME=first/other"])  # fmt: skip
    assert refused is None and "has the metadata of another image" in log.errors[0]
    assert image(store, "second")[0]["datasets"][0]["path"] == "0"
    assert open_raster(array_name(store, "first/0")).GetRasterBand(1).GetOverviewCount() == 3


def test_the_metadata_of_other_programs_stay(tmp_path):
    """An update of an image that another program wrote keeps that program's OME metadata."""
    store, _ = make_image(tmp_path, ["0", "1"])
    before = attributes(store)
    dataset = gdal.OpenEx(array_name(store, "0"), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).SetDescription("changed")
    dataset.GetRasterBand(1).Fill(3)
    del dataset
    assert attributes(store) == before


REFUSED = {
    "INTERLEAVE=PIXEL": "INTERLEAVE",
    "SINGLE_ARRAY=NO": "SINGLE_ARRAY",
    "OME_VERSION=0.3": "0.5 or 0.6 in Zarr v3",
    "OME_VERSION=0.4,FORMAT=ZARR_V3": "0.5 or 0.6 in Zarr v3",
    "OME_VERSION=0.5,FORMAT=ZARR_V2": "0.4 in Zarr v2",
}


@pytest.mark.parametrize("options", REFUSED)
def test_options_that_contradict_the_profile(tmp_path, options):
    with error_log() as log:
        made = DRIVER.CreateCopy(str(tmp_path / "a.zarr"), source()[0], options=[*OPTIONS, *options.split(",")])
    assert made is None and REFUSED[options] in log.errors[0], log.events
    assert not (tmp_path / "a.zarr").exists()


def test_the_version_without_the_profile_gives_a_warning(tmp_path):
    with error_log() as log:
        assert DRIVER.CreateCopy(str(tmp_path / "a.zarr"), source(1)[0], options=["OME_VERSION=0.5"])
    assert len(log.warnings) == 1 and "is used only with PROFILE=OME" in log.warnings[0]


def test_the_profile_by_configuration(tmp_path):
    with config_options(ZARR_DEFAULT_PROFILE="OME"):
        assert DRIVER.CreateCopy(str(tmp_path / "a.zarr"), source(1)[0])
    assert image(tmp_path / "a.zarr")[0]["name"] == "a"


def test_the_store_in_one_file(tmp_path):
    store = copy(tmp_path, source(1, names=["height"])[0], name="image.ome.zarr.zip")
    dataset = open_raster(store)
    assert dataset.GetRasterBand(1).GetOverviewCount() == 3
    assert dataset.GetRasterBand(1).GetDescription() == "height"
