# SPDX-License-Identifier: MIT
"""zarr_cube indexes the messages of GRIB2 files. Each reference is a whole message, of which GDAL's driver GRIB reads the
pixels, time and element that the index states."""

import datetime
import json

import numpy as np
import pytest
from osgeo import gdal, osr
from zarr_cube_files import cube, refused

ELEMENTS = {"TMP_2m": "0 0 2 0 96 0 0 1 {} 103 0 2 255 -127 -2147483647", "UGRD_10m": "2 2 2 0 96 0 0 1 {} 103 0 10 255 -127 -2147483647",
            "HGT_500hPa": "3 5 2 0 96 0 0 1 {} 100 0 50000 255 -127 -2147483647",
            "TMP_surface": "0 0 2 0 96 0 0 1 {} 1 0 0 255 -127 -2147483647"}  # fmt: skip
NAMES = {"TMP_2m": "TMP", "UGRD_10m": "UGRD", "HGT_500hPa": "HGT", "TMP_surface": "TMP"}


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
    one, other = grib(tmp_path / "a.grib2", 1, elements=["TMP_2m"]), grib(tmp_path / "b.grib2", 1, hours=[6], elements=["UGRD_10m"])
    (tmp_path / "c.grib2").write_bytes(one.read_bytes() + other.read_bytes())
    cube(tmp_path / "x.json", tmp_path / "c.grib2", "--quiet")
    refs = json.loads((tmp_path / "x.json").read_text())["refs"]
    assert "UGRD_10m/0.0.0" not in refs and "UGRD_10m/1.0.0" in refs and "TMP_2m/0.0.0" in refs


def test_refusals(tmp_path):
    file = grib(tmp_path / "a.grib2", 1)
    good = file.read_bytes()
    (tmp_path / "b.grib2").write_bytes(good + good)
    assert "two messages of TMP_2m for 2024-05-01T00:00:00" in refused(tmp_path / "x.json", tmp_path / "b.grib2")
    (tmp_path / "c.grib2").write_bytes(good[:-50])
    assert "c.grib2: the file is cut short" in refused(tmp_path / "x.json", tmp_path / "c.grib2")
    (tmp_path / "d.grib2").write_bytes(good[:7] + b"\1" + good[8:])
    assert "GRIB edition 1 at 0; grib_set" in refused(tmp_path / "x.json", tmp_path / "d.grib2")
    assert "the grid template 3." in refused(tmp_path / "x.json", grib(tmp_path / "e.grib2", 1, epsg=32632))
    other = grib(tmp_path / "f.grib2", 2, size=(17, 36))
    line = refused(tmp_path / "x.json", file, other)
    assert "other values of latitude" in line and "a.grib2" in line and "f.grib2" in line
    assert "--check does not compare messages of GRIB" in cube(tmp_path / "y.json", file, "--check", "3", "--quiet", code=2)


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
