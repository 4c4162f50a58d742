# SPDX-License-Identifier: MIT
"""zarr_cube indexes the messages of GRIB2 files. Each reference is a whole message, of which GDAL's driver GRIB reads the
pixels, time and element that the index states."""

import datetime
import json
import struct

import numpy as np
import pytest
from osgeo import gdal, osr
from test_zarr_grib_codecs import messages  # noqa: F401  (a fixture)
from zarr_cube_files import cube, refused
from zarr_cubes.model import Cube, CubeArray, Piece
from zarr_references import run

ELEMENTS = {"t2m": "0 0 2 0 96 0 0 1 {} 103 0 2 255 -127 -2147483647", "u10": "2 2 2 0 96 0 0 1 {} 103 0 10 255 -127 -2147483647",
            "gh_500hPa": "3 5 2 0 96 0 0 1 {} 100 0 50000 255 -127 -2147483647",
            "TMP_surface": "0 0 2 0 96 0 0 1 {} 1 0 0 255 -127 -2147483647"}  # fmt: skip
NAMES = {"t2m": "TMP", "u10": "UGRD", "gh_500hPa": "HGT", "TMP_surface": "TMP"}


@pytest.fixture(autouse=True)
def driver():
    if gdal.GetDriverByName("GRIB") is None:
        pytest.skip("GDAL has no driver GRIB, which writes the files of these tests")


def grib(path, day, hours=(0, 6), elements=tuple(ELEMENTS), size=(18, 36), epsg=4326):
    """Writes a message for each element and hour. Returns the path."""
    fields = [(element, hour) for element in elements for hour in hours]
    scene = gdal.GetDriverByName("MEM").Create("", size[1], size[0], len(fields), gdal.GDT_Float64)
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(epsg)
    scene.SetProjection(crs.ExportToWkt())
    scene.SetGeoTransform((0, 10, 0, 90, 0, -10) if epsg == 4326 else (500000, 1000, 0, 5300000, 0, -1000))
    scene.WriteArray(np.random.default_rng(day).random((len(fields), *size)) * 50)
    options = ["DATA_ENCODING=SIMPLE_PACKING", "DISCIPLINE=0", "IDS=CENTER=7 SUBCENTER=0 MASTER_TABLE=2 LOCAL_TABLE=1 SIGNF_REF_TIME=1 "
               f"REF_TIME=2024-05-0{day}T00:00:00Z PROD_STATUS=0 TYPE=1"]  # fmt: skip
    for number, (element, hour) in enumerate(fields):
        options += [f"BAND_{number + 1}_PDS_PDTN=0",
                    f"BAND_{number + 1}_PDS_TEMPLATE_ASSEMBLED_VALUES={ELEMENTS[element].format(hour)}"]  # fmt: skip
    assert gdal.GetDriverByName("GRIB").CreateCopy(str(path), scene, options=options) is not None
    return path


def test_each_reference_is_a_message(tmp_path):
    files = [grib(tmp_path / f"a{day}.grib2", day) for day in (2, 1)]
    text = cube(tmp_path / "x.json", *files)
    assert "4 along time: 1714521600 to 1714629600 seconds since 1970-01-01" in text
    refs = json.loads((tmp_path / "x.json").read_text())["refs"]
    for name, element in NAMES.items():
        array = json.loads(refs[f"{name}/.zarray"])
        assert (array["shape"], array["chunks"], array["dtype"]) == ([4, 18, 36], [1, 18, 36], "<f8")
        assert array["filters"] == [{"id": "grib", "var": name, "dtype": "float64"}]
        for step, (day, hour) in enumerate(((1, 0), (1, 6), (2, 0), (2, 6))):
            file, offset, length = refs[f"{name}/{step}.0.0"]
            assert file == str(tmp_path / f"a{day}.grib2")
            with open(file, "rb") as data:
                data.seek(offset)
                (tmp_path / "one.grib2").write_bytes(data.read(length))
            one, whole = gdal.Open(str(tmp_path / "one.grib2")), gdal.Open(file)
            assert one.RasterCount == 1
            band, wanted = one.GetRasterBand(1), whole.GetRasterBand(2 * list(NAMES).index(name) + hour // 6 + 1)
            np.testing.assert_array_equal(band.ReadAsArray(), wanted.ReadAsArray())
            assert band.GetMetadataItem("GRIB_ELEMENT") == element
            time = datetime.datetime(2024, 5, day, hour, tzinfo=datetime.timezone.utc)
            assert int(band.GetMetadataItem("GRIB_VALID_TIME").split()[0]) == time.timestamp()
    root = gdal.OpenEx(str(tmp_path / "x.json"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert sorted(np.diff(root.OpenMDArray("latitude").ReadAsArray())) in ([-10] * 17, [10] * 17)
    np.testing.assert_allclose(root.OpenMDArray("longitude").ReadAsArray(), np.arange(36) * 10 + 5)


def test_a_message_that_is_absent_has_no_reference(tmp_path):
    one, other = grib(tmp_path / "a.grib2", 1, elements=["t2m"]), grib(tmp_path / "b.grib2", 1, hours=[6], elements=["u10"])
    (tmp_path / "c.grib2").write_bytes(one.read_bytes() + other.read_bytes())
    cube(tmp_path / "x.json", tmp_path / "c.grib2", "--quiet")
    refs = json.loads((tmp_path / "x.json").read_text())["refs"]
    assert "u10/0.0.0" not in refs and "u10/1.0.0" in refs and "t2m/0.0.0" in refs


def test_refusals(tmp_path):
    file = grib(tmp_path / "a.grib2", 1)
    good = file.read_bytes()
    (tmp_path / "b.grib2").write_bytes(good + good)
    assert "two messages of t2m for 2024-05-01T00:00:00" in refused(tmp_path / "x.json", tmp_path / "b.grib2")
    (tmp_path / "c.grib2").write_bytes(good[:-50])
    assert "c.grib2: the file is cut short" in refused(tmp_path / "x.json", tmp_path / "c.grib2")
    (tmp_path / "d.grib2").write_bytes(good[:7] + b"\1" + good[8:])
    assert "GRIB edition 1 at 0; grib_set" in refused(tmp_path / "x.json", tmp_path / "d.grib2")
    assert "the grid template 3.12; " in refused(tmp_path / "x.json", grib(tmp_path / "e.grib2", 1, epsg=32632))
    other = grib(tmp_path / "f.grib2", 2, size=(17, 36))
    line = refused(tmp_path / "x.json", file, other)
    assert "other values of latitude" in line and "a.grib2" in line and "f.grib2" in line


@pytest.mark.parametrize("name", ["gaussian", "rotated"])
def test_grids_that_are_refused(tmp_path, messages, name):
    (tmp_path / "a.grib2").write_bytes(messages[0](name))
    assert f"({name.capitalize() if name == 'gaussian' else name})" in refused(tmp_path / "x.json", tmp_path / "a.grib2")


def test_a_message_with_several_fields_is_refused(tmp_path, messages):
    data = messages[0]("simple")
    at, product = 16, None
    while data[at : at + 4] != b"7777":
        size, number = struct.unpack(">IB", data[at : at + 5])
        product = at if number == 4 else product
        at += size
    more = data[:at] + data[product:]
    (tmp_path / "a.grib2").write_bytes(more[:8] + struct.pack(">Q", len(more)) + more[16:])
    assert "a message with several fields at 0; grib_copy" in refused(tmp_path / "x.json", tmp_path / "a.grib2")


GRIDS = ["simple", "simple-gaps", "south-first-gaps", "complex", "gfs-gaps", "jpeg", "png-gaps", "hrrr", "hrrr-complex", "polar",
         "mercator", "equal-area"]  # fmt: skip


@pytest.mark.parametrize("name", GRIDS)
def test_pixels_and_places_are_those_of_kerchunk(tmp_path, messages, name):
    """kerchunk's codec decodes with ecCodes. GDAL decodes with the precision of float32."""
    message, decoded = messages
    (tmp_path / "a.grib2").write_bytes(message(name))
    text = cube(tmp_path / "x.json", tmp_path / "a.grib2", "--check", "9", "--quiet")
    assert "9 blocks compared with the files: none differ" in text
    root = gdal.OpenEx(str(tmp_path / "x.json"), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    (variable,) = set(root.GetMDArrayNames()) - {"time", "latitude", "longitude", "x", "y", "spatial_ref"}
    array = root.OpenMDArray(variable)
    wanted = decoded(name)
    np.testing.assert_allclose(array.ReadAsArray().reshape(wanted.shape), wanted, rtol=2.0**-22, atol=0)
    axes = [root.OpenMDArray(dimension.GetName()).ReadAsArray() for dimension in array.GetDimensions()[1:]]
    x, y = np.meshgrid(axes[1], axes[0])
    if array.GetDimensions()[1].GetName() == "y":
        crs, geographic = array.GetSpatialRef().Clone(), array.GetSpatialRef().CloneGeogCS()
        for each in (crs, geographic):
            each.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        points = osr.CoordinateTransformation(crs, geographic).TransformPoints(np.stack([x.ravel(), y.ravel()], axis=1).tolist())
        x, y = (np.array(points)[:, i].reshape(wanted.shape) for i in (0, 1))
    np.testing.assert_allclose(y, decoded(name, "latitude"), rtol=0, atol=1e-4)
    np.testing.assert_allclose((x - decoded(name, "longitude") + 180) % 360, 180, rtol=0, atol=1e-4)


def test_rasters_of_projected_grids_are_those_of_gdal(tmp_path, messages):
    (tmp_path / "a.grib2").write_bytes(messages[0]("hrrr"))
    cube(tmp_path / "x.json", tmp_path / "a.grib2", "--quiet")
    made, wanted = gdal.Open(str(tmp_path / "x.json")), gdal.Open(str(tmp_path / "a.grib2"))
    made = made if made.RasterCount else gdal.Open(made.GetSubDatasets()[0][0])
    assert made.GetSpatialRef().IsSame(wanted.GetSpatialRef())
    at, other = made.GetGeoTransform(), wanted.GetGeoTransform()
    if at[5] > 0:  # the first row of these messages is the southernmost
        at = (*at[:3], at[3] + at[5] * made.RasterYSize, 0, -at[5])
    np.testing.assert_allclose(at, other, rtol=0, atol=1e-3)


def test_check_finds_a_reference_to_another_message(tmp_path):
    from zarr_cubes import check, grib2
    from zarr_cubes.files import Head

    file = grib(tmp_path / "a.grib2", 1)
    cube(tmp_path / "x.json", file, "--quiet")
    document = json.loads((tmp_path / "x.json").read_text())
    document["refs"]["t2m/0.0.0"] = document["refs"]["t2m/1.0.0"]
    (tmp_path / "x.json").write_text(json.dumps(document))
    source = grib2.scan(Head(str(file)), None)
    array = source.arrays["t2m"]
    made = CubeArray(array, [Piece(source, array, (0, 0, 0))])
    assert check.check(Cube({"t2m": made}, sources=[source]), str(tmp_path / "x.json"), 30, seed=1) == 1


def parameters():
    from zarr_cubes import grib2

    for (*parameter, surface, level, process), name in grib2.NAMES.items():
        yield name, name, (*parameter, surface, level, process)
    for parameter, name in grib2.PRESSURE_NAMES.items():
        yield f"{name}_500hPa", name, (*parameter, 100, 50000, None)


def test_names_are_those_of_kerchunk(tmp_path):
    """On levels of pressure the level follows kerchunk's name."""
    rows, commands, cases = list(parameters()), [], {}
    for number, (_, _, (discipline, category, index, surface, level, process)) in enumerate(rows):
        keys = [["centre", 7], ["discipline", discipline], ["productDefinitionTemplateNumber", 0 if process is None else 8],
                ["parameterCategory", category], ["parameterNumber", index], ["typeOfFirstFixedSurface", surface],
                ["scaleFactorOfFirstFixedSurface", 0], ["scaledValueOfFirstFixedSurface", level],
                *([] if process is None else [["typeOfStatisticalProcessing", process]])]  # fmt: skip
        cases[str(number)] = {"sample": "regular_ll_pl_grib2", "rows": 31, "columns": 16, "keys": keys}
        commands.append({"do": "kerchunk_grib", "target": str(tmp_path / f"{number}.json"), "path": str(tmp_path / f"{number}.bin")})
    run({"do": "encode_grib", "folder": str(tmp_path), "cases": cases}, *commands)
    for number, (name, wanted, _) in enumerate(rows):
        document = json.loads((tmp_path / f"{number}.json").read_text())["refs"]
        theirs = {key.split("/")[0] for key in document if key.endswith(".zarray") and '"grib"' in document[key]}
        assert theirs - {"latitude", "longitude"} == {wanted}
        cube(tmp_path / "x.json", tmp_path / f"{number}.bin", "--quiet")
        assert f"{name}/.zarray" in json.loads((tmp_path / "x.json").read_text())["refs"]


def test_damaged_files_end_soon(tmp_path):
    from zarr_cubes import command

    file = grib(tmp_path / "a.grib2", 1)
    good, rng = file.read_bytes(), np.random.default_rng(4)
    for _ in range(150):
        damaged = bytearray(good)
        for at in rng.integers(0, len(good), 12):
            damaged[at] = rng.integers(0, 256)
        damaged[8 + int(rng.integers(0, 150))] = rng.integers(0, 256)
        file.write_bytes(bytes(damaged))
        assert command.main([str(tmp_path / "x.json"), str(file), "--quiet"]) in (0, 2)
