# SPDX-License-Identifier: MIT
"""Tests the program zarr_check. Good stores give no finding. Each kind of finding is tested with a faulty store; the
command that the finding recommends must remove the finding."""

import contextlib
import io
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
import zarr3
import zarr_formats
from osgeo import gdal, osr
from zarr_http import Served
from zarr_store import make_store, zip_folder

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / "python" / "zarr_check.py"
sys.path.insert(0, str(PROGRAM.parent))

from zarr_checks import command  # noqa: E402  (in the folder that joined the path above)

PLACE = (500000, 10, 0, 5200000, 0, -10)
CONVENTIONS = "SPATIAL_PROJ"
ZONE_33 = osr.SpatialReference()
ZONE_33.ImportFromEPSG(32633)

pytestmark = zarr_formats.BOTH


def run(*words, code=None):
    done = subprocess.run([sys.executable, "-B", str(PROGRAM), *map(str, words)], capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert not done.stderr or done.returncode in (3, 4), done.stderr
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def check(store, *words, http=False):
    """Runs zarr_check in this process, and returns its JSON report."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = command.main([str(store), "--json", *words, *([] if http else ["--no-http"])])
    report = json.loads(output.getvalue())
    assert code == (2 if report["status"] == "errors" else 0)
    return report


def codes(store, *words, notes=False, http=False):
    return {found["code"] for found in check(store, *words, http=http)["findings"]
            if notes or found["severity"] != "note"}  # fmt: skip


def found(store, code, *words, http=False):
    """Returns the only finding with the code `code`."""
    (one,) = [finding for finding in check(store, *words, http=http)["findings"] if finding["code"] == code]
    return one


def raster(store, *options, shape=(300, 400), dtype=gdal.GDT_Float32, georeferenced=True, nodata=-9999, bands=1,
           values=None):  # fmt: skip
    """Writes a raster by the driver. No chunk holds only the fill value, so every chunk is stored."""
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), shape[1], shape[0], bands, dtype,
                                                  ["ARRAY_NAME=a", *options])  # fmt: skip
    if georeferenced:
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32632)
        dataset.SetSpatialRef(srs)
        dataset.SetGeoTransform(PLACE)
    if values is None:
        values = np.arange(1, shape[0] * shape[1] + 1).reshape(shape) % 100 + 1
    for number in range(bands):
        band = dataset.GetRasterBand(number + 1)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        band.WriteArray(values)
    del dataset
    return store


def change(store, what):
    """Opens the store in update mode, calls what(dataset), and closes the store."""
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    what(dataset)
    del dataset


def mend(finding, folder):
    """Runs the command that a finding recommends. Returns the new store if the command makes one."""
    command = finding["mend"].replace("EPSG:CODE", "EPSG:32632").replace("VALUE", "-1").replace("NEW.zarr", "new.zarr")
    words = shlex.split(command)
    assert words[0] in ("gdal_translate", "gdaladdo", "gdal_edit.py", "python3"), command
    words[0] = {"python3": sys.executable}.get(words[0], words[0])
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, command + done.stderr
    return folder / "new.zarr"


# ---------------------------------------------------------------------------------------------
# Good stores, which give no findings


@pytest.mark.parametrize("convention", ["GDAL", "CF", CONVENTIONS, None])
@pytest.mark.slow
def test_a_store_of_the_driver_is_valid(tmp_path, convention):
    options = [f"GEOREFERENCING_CONVENTION={convention}"] if convention else []
    store = raster(tmp_path / "a.zarr", *options, "OVERVIEWS=AUTO", shape=(1100, 1200))
    # Opening takes more requests than the default maximum, because levels without a transform need their coordinate
    # arrays.
    report = check(store, "--max-requests", "20", http=True)
    assert {one["code"] for one in report["findings"]} <= {"convention-undeclared"}
    assert report["status"] == "valid" and report["facts"]["arrays"]["/a"]["overviews"] == 3
    assert report["facts"]["open_requests"]
    run(store, "--strict", "--max-requests", "20", code=0)


@zarr_formats.V3
def test_shards_of_the_driver_are_valid(tmp_path):
    store = raster(tmp_path / "a.zarr", "SHARD=YES", f"GEOREFERENCING_CONVENTION={CONVENTIONS}", shape=(1000, 1000))
    report = check(store)
    assert report["findings"] == []
    assert report["facts"]["arrays"]["/a"]["shard"] == [1024, 1024]
    assert report["facts"]["chunks_read"]["/a"] == 4  # chunks_read counts the chunks inside of shards


def test_files_and_servers(tmp_path):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    flat = zip_folder(store, tmp_path / "flat.zarr.zip")
    below = zip_folder(store, tmp_path / "below.zip", top="a.zarr")
    for name in (flat, below, f"/vsizip/{flat}", f'ZARR:"{store}"'):
        report = check(name)
        assert report["findings"] == [] and "/a" in report["facts"]["arrays"], name
    with Served(tmp_path) as server:
        report = check(f"{server.url}/a.zarr")
    assert [finding["code"] for finding in report["findings"]] == ["not-listed"]
    assert report["status"] == "valid" and "/a" in report["facts"]["arrays"]


@zarr_formats.V2
def test_a_server_that_does_not_answer():
    with Served(REPOSITORY / "data") as server:
        assert "no Zarr store" in run(f"{server.url}/absent.zarr", code=3).stderr
    assert "zarr.json: cannot read: Failed to connect to " in run(f"{server.url}/terrain.zarr", code=4).stderr


@zarr_formats.V2
@pytest.mark.parametrize("name", ["ome_0.4", "ome_plate", "ndpyramid", "layout_arrays", "geozarr_named"])
def test_pyramids_of_others_have_no_errors(name):
    report = check(REPOSITORY / "data" / "pyramids" / f"{name}.zarr")
    assert [finding for finding in report["findings"] if finding["severity"] == "error"] == []
    assert "crs-missing" not in {finding["code"] for finding in report["findings"]}


# ---------------------------------------------------------------------------------------------
# Command line of the program


@pytest.mark.slow
def test_exit_codes_and_text(tmp_path):
    good = raster(tmp_path / "good.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    run(good, code=0)
    run(good, "--strict", code=0)
    assert run(good, "--quiet", code=0).stdout == ""
    warned = raster(tmp_path / "warned.zarr", georeferenced=False)
    text = run(warned, code=0).stdout
    assert "warning /a: GDAL finds no CRS [crs-missing]\n    to mend: gdal_edit.py -a_srs EPSG:CODE " in text
    assert text.endswith(f"{warned}: 2 warnings\n")
    run(warned, "--strict", code=1)
    zarr_formats.change_attributes(good, "a", **{"proj:code": 32632})
    run(good, code=2)
    assert check(good)["status"] == "errors"
    (tmp_path / "empty").mkdir()
    run(tmp_path / "empty", code=3)
    run(tmp_path / "absent.zarr", code=3)
    run(good, "--unknown", code=3)


@pytest.mark.slow
def test_without_jsonschema_there_is_a_warning(tmp_path):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    (tmp_path / "jsonschema.py").write_text("raise ImportError('left out')")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(PROGRAM.parent)!r}]\n" \
           f"from zarr_checks import command; sys.exit(command.main([{str(store)!r}, '--strict']))"  # fmt: skip
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "apt-get install python3-jsonschema" in done.stdout


# ---------------------------------------------------------------------------------------------
# Findings about metadata documents


@pytest.mark.slow
def test_consolidated_missing(tmp_path):
    store = raster(tmp_path / "a.zarr", "CREATE_CONSOLIDATED_METADATA=NO", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    assert codes(store) == {"consolidated-missing"}
    if not zarr_formats.is_v3():  # the recommended command needs the zarr-python of Debian, which writes only v2
        mend(found(store, "consolidated-missing"), tmp_path)
        assert codes(store) == set()


@pytest.mark.parametrize("case", ["outdated", "lacks", "extra"])
@pytest.mark.slow
def test_consolidated_is_not_the_documents(tmp_path, case):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    document = zarr_formats.document_file(store, "x/.zarray")
    if case == "outdated":
        text = document.read_text()
        document.write_text(text.replace("400", "399"))
        assert text.count("400") and document.read_text() != text
    elif case == "lacks":
        shutil.copytree(store / "x", store / "z")
    else:
        shutil.rmtree(store / "x")
    assert f"consolidated-{case}" in codes(store)
    assert run(store).returncode == 2
    if not zarr_formats.is_v3():
        mend(check(store)["findings"][0], tmp_path)
        assert f"consolidated-{case}" not in codes(store)


@pytest.mark.parametrize("text", ["{", "[]", '{"zarr_format": 2, "node_type": "array", "shape": 5}'])
def test_document_invalid(tmp_path, text):
    store = raster(tmp_path / "a.zarr")
    zarr_formats.document_file(store, "a/.zarray").write_text(text)
    assert "document-invalid" in codes(store)


def test_a_document_with_a_chunk_of_no_elements(tmp_path):
    store = raster(tmp_path / "a.zarr", "BLOCKSIZE=300,400")
    file = zarr_formats.document_file(store, "a/.zarray")
    document = json.loads(file.read_text())
    if zarr_formats.is_v3():
        document["chunk_grid"]["configuration"]["chunk_shape"] = [0, 400]
    else:
        document["chunks"] = [0, 400]
    file.write_text(json.dumps(document))
    assert "document-invalid" in codes(store)


# ---------------------------------------------------------------------------------------------
# Findings about chunks and shards

SIZES = {
    "chunk-small": (["BLOCKSIZE=64,64"], (1000, 1000)),
    "chunk-large": (["BLOCKSIZE=2100,2100"], (2100, 2100)),
    "chunk-oblong": (["BLOCKSIZE=16,1000"], (1000, 1000)),
}


@pytest.mark.parametrize("code", SIZES)
def test_chunk_sizes(tmp_path, code):
    options, shape = SIZES[code]
    store = raster(tmp_path / "a.zarr", *options, f"GEOREFERENCING_CONVENTION={CONVENTIONS}", shape=shape)
    if code == "chunk-oblong":  # this case has chunks of 62.5 KiB, which also give the finding chunk-small
        assert codes(store) >= {code}
    else:
        assert codes(store) - {"overviews-missing"} == {code}
    assert code not in codes(mend(found(store, code), tmp_path))


@pytest.mark.parametrize("profile", ["CLOUD", "OME"])
@pytest.mark.slow
def test_the_remedy_for_small_chunks_keeps_format_and_profile(tmp_path, profile):
    source = gdal.GetDriverByName("MEM").Create("", 1300, 1200, 1, gdal.GDT_UInt16)
    source.GetRasterBand(1).WriteArray(np.arange(1560000).reshape(1200, 1300) % 60000 + 1)
    options = [f"PROFILE={profile}", "BLOCKSIZE=64", *(["FORMAT=ZARR_V3"] if zarr_formats.is_v3() else ["FORMAT=ZARR_V2"]),
               *(["OME_VERSION=0.4"] if profile == "OME" and not zarr_formats.is_v3() else [])]  # fmt: skip
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=options)
    path = "/0" if profile == "OME" else "/a"
    (finding,) = [one for one in check(store)["findings"] if one["code"] == "chunk-small" and one["node"] == path]
    mended = mend(finding, tmp_path)
    assert codes(mended) == codes(store) - {"chunk-small"}
    for name in (store, mended):
        dataset = gdal.Open(str(name))
        assert dataset.GetRasterBand(1).GetOverviewCount() > 0
        assert (name / "zarr.json").exists() == zarr_formats.is_v3()
    assert dataset.GetRasterBand(1).GetBlockSize() == [512, 512]
    if profile == "OME":
        assert ome_statement(store).keys() == ome_statement(mended).keys()


def ome_statement(store):
    """Returns the OME-Zarr attributes of the root of a store."""
    is_v3 = zarr_formats.is_v3()
    document = json.loads((store / ("zarr.json" if is_v3 else ".zattrs")).read_text())
    return document["attributes"]["ome"] if is_v3 else document


def test_objects_many(tmp_path):
    store = raster(tmp_path / "a.zarr", "BLOCKSIZE=8,8", shape=(820, 1000), dtype=gdal.GDT_Byte, nodata=0,
                   values=np.zeros((820, 1000)))  # zeros are nodata, so no chunk is stored
    finding = found(store, "objects-many", "--max-chunks", "4")
    assert "12875 chunks" in finding["message"]
    assert "objects-many" not in codes(mend(finding, tmp_path))


@zarr_formats.V3
def test_shard_sizes(tmp_path):
    def shards(name, shard, chunk, shape):
        store = raster(tmp_path / name, f"BLOCKSIZE={shard},{shard}", f"SHARD_CHUNK_SHAPE={chunk},{chunk}", shape=shape)
        return codes(store, "--max-chunks", "4")

    assert "shard-small" in shards("small.zarr", 256, 128, (600, 600))
    assert "shard-of-one" in shards("one.zarr", 512, 512, (600, 600))
    large = tmp_path / "large.zarr"
    codecs = [zarr3.sharding([512, 512])]
    zarr3.handmade(large, zarr3.document([20480, 20480], "float32", [20480, 20480], codecs))
    assert "shard-large" in codes(large)


def test_empty_chunks(tmp_path):
    values = np.ones((40, 40), "f4")
    values[:20] = -9999
    store = make_store(tmp_path, {"a": {"values": values, "chunks": (20, 20), "fill_value": -9999.0, "dims": ["y", "x"],
                                        "write_empty_chunks": True}})  # fmt: skip
    finding = found(store, "empty-chunks")
    assert finding["message"].startswith("2 of 4 stored chunks hold the fill value")
    new = mend(finding, tmp_path)
    assert "empty-chunks" not in codes(new)
    assert (gdal.Open(str(new)).ReadAsArray() == values).all()


@zarr_formats.V3
@pytest.mark.parametrize("start", [False, True])
def test_empty_chunks_in_shards(tmp_path, start):
    full, empty = np.arange(1, 17, dtype="<u2").tobytes(), bytes(32)
    shard = zarr3.shard_of([full, empty, full, empty], {2: (2**64 - 1, 2**64 - 1)}, start=start, checksum=True)
    codecs = [zarr3.sharding([4, 4], index_location="start" if start else "end")]
    zarr3.handmade(tmp_path / "a.zarr", zarr3.document([8, 8], "uint16", [8, 8], codecs), {"c/0/0": shard})
    report = check(tmp_path / "a.zarr")
    (finding,) = [one for one in report["findings"] if one["code"] == "empty-chunks"]
    assert finding["message"].startswith("2 of 3 stored chunks hold the fill value 0 alone")
    assert report["facts"]["chunks_read"] == {"/": 3}


def test_chunk_unreadable(tmp_path):
    store = raster(tmp_path / "a.zarr")
    zarr_formats.chunk_file(store, "a", 0, 0).write_bytes(b"no chunk")
    assert "chunk-unreadable" in codes(store)


# ---------------------------------------------------------------------------------------------
# Findings about overviews


@pytest.mark.slow
def test_overviews_missing(tmp_path):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}", shape=(1500, 2600))
    assert codes(store) == {"overviews-missing"}
    mend(found(store, "overviews-missing"), tmp_path)
    assert codes(store, "--max-requests", "20") == set()


@pytest.mark.parametrize("factors, code", [([2], "overviews-few"), ([8], "overviews-gap")])
def test_overviews_that_do_not_reach(tmp_path, factors, code):
    store = raster(tmp_path / "a.zarr", shape=(1500, 2600))
    change(store, lambda dataset: dataset.BuildOverviews("AVERAGE", factors))
    assert codes(store) == {code}


def test_overview_level_missing(tmp_path):
    store = raster(tmp_path / "a.zarr", "OVERVIEWS=2,4", shape=(600, 800))
    shutil.rmtree(store / "ovr_4x")
    finding = found(store, "overview-level-missing")
    assert "which is absent from the store" in finding["message"]


# ---------------------------------------------------------------------------------------------
# Findings about conventions

OLD = {"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f", "name": "proj:",
       "schema_url": "https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v1/schema.json"}  # fmt: skip
INVALID = {
    "proj 0.1": {"proj:code": 32632},
    "proj 0.1, code": {"proj:code": "32632"},
    "spatial 0.1": {"spatial:transform": [1, 2, 3]},
    "spatial 0.1, box": {"spatial:bbox": [1, 2, 3, "4"]},
    "spatial 0.1, registration": {"spatial:registration": "centre"},
    "zarr_conventions": {"zarr_conventions": "proj"},
}


@pytest.mark.parametrize("case", INVALID)
def test_convention_invalid(tmp_path, case):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    zarr_formats.change_attributes(store, "a", **INVALID[case])
    finding = [one for one in check(store)["findings"] if one["code"] == "convention-invalid"]
    assert len(finding) == 1 and case.split(",")[0] in finding[0]["message"]
    assert finding[0]["node"] == "/a"


def test_an_array_without_spatial_dimensions(tmp_path):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    attributes = zarr_formats.attributes(store, "a")
    del attributes["spatial:dimensions"]
    zarr_formats.put_attributes(store, attributes, "a")
    assert "'spatial:dimensions' is a required" in found(store, "convention-invalid")["message"]


def test_convention_outdated_and_undeclared(tmp_path):
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    declared = zarr_formats.attributes(store, "a")["zarr_conventions"]
    zarr_formats.change_attributes(store, "a", zarr_conventions=[OLD, declared[1]])
    finding = found(store, "convention-outdated")
    assert finding["severity"] == "warning" and json.dumps(declared[0]["schema_url"]) in finding["mend"]
    assert "convention-invalid" not in codes(store)
    # If the driver writes the CRS again, it removes the outdated entry "proj:" from zarr_conventions. The finding then
    # disappears.
    change(store, lambda dataset: dataset.SetSpatialRef(ZONE_33))
    assert "proj:" not in {entry["name"] for entry in zarr_formats.attributes(store, "a").get("zarr_conventions", [])}
    assert "convention-outdated" not in codes(store)
    zarr_formats.put_attributes(store, {"spatial:bbox": [0, 0, 1, 1], "spatial:dimensions": ["y", "x"]}, "a")
    assert "convention-undeclared" in codes(store, notes=True)


def test_the_layout_of_overviews(tmp_path):
    level = {"asset": "a", "derived_from": "/b"}
    store = make_store(tmp_path, {"a": np.ones((4, 4))}, attributes={"multiscales": {"layout": [level]}})
    messages = [one["message"] for one in check(store)["findings"] if one["code"] == "convention-invalid"]
    assert len(messages) == 2 and any("'transform' is a dependency of 'derived_from'" in text for text in messages)
    assert any("'/b' does not match" in text for text in messages)


AXES = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
SCALE = {"type": "scale", "scale": [1.0, 1.0]}


def ome(version, **changes):
    """Returns the attributes of an OME-Zarr image of the version `version`. `changes` replace members of the
    image."""
    image = {"axes": AXES, "datasets": [{"path": "0", "coordinateTransformations": [SCALE]}]}
    if version == "0.6":
        step = {**SCALE, "input": {"path": "0"}, "output": {"name": "world"}}
        image = {"coordinateSystems": [{"name": "world", "axes": AXES}],
                 "datasets": [{"path": "0", "coordinateTransformations": [step]}]}  # fmt: skip
    image.update(changes)
    if version == "0.4":
        return {"multiscales": [{"version": "0.4", **image}]}
    return {"ome": {"version": version, "multiscales": [image]}}


@pytest.mark.parametrize("version", ["0.4", "0.5", "0.6"])
def test_ome(tmp_path, version):
    values = {"0": {"values": np.ones((4, 4), "u1"), "dims": ["y", "x"]}}
    good = make_store(tmp_path, values, attributes=ome(version), name="good.zarr")
    assert "ome-invalid" not in codes(good)
    # OME-Zarr 0.4 requires Zarr v2. In Zarr v3, the test therefore writes OME-Zarr 0.5 in place of 0.4.
    stated = "0.5" if version == "0.4" and zarr_formats.is_v3() else version
    axes = "coordinateSystems" if version == "0.6" else "axes"
    for number, changes in enumerate(({axes: []}, {"datasets": []}, {"datasets": [{"path": "0"}]},
                                      {"datasets": [{"path": "0", "coordinateTransformations": []}]})):  # fmt: skip
        bad = make_store(tmp_path, values, attributes=ome(version, **changes), name=f"bad{number}.zarr")
        messages = [one["message"] for one in check(bad)["findings"] if one["code"] == "ome-invalid"]
        assert messages and all(f"OME-Zarr {stated}" in text for text in messages), changes


@pytest.mark.parametrize("ends", [{"input": {"path": 5}}, {"output": {"name": 5}}, {"input": {}}])
def test_ends_of_a_transformation_of_ome(tmp_path, ends):
    step = {**SCALE, "input": {"path": "0"}, "output": {"name": "world"}, **ends}
    attributes = ome("0.6", datasets=[{"path": "0", "coordinateTransformations": [step]}])
    store = make_store(tmp_path, {"0": np.ones((4, 4), "u1")}, attributes=attributes)
    assert "ome-invalid" in codes(store)


def test_an_unknown_version_of_ome(tmp_path):
    store = make_store(tmp_path, {"0": np.ones((4, 4), "u1")}, attributes=ome("7.5"))
    assert "'7.5'" in found(store, "ome-invalid")["message"]


# ---------------------------------------------------------------------------------------------
# Findings about CRS, geotransform and nodata


def test_crs_and_geotransform_missing(tmp_path):
    store = raster(tmp_path / "a.zarr", georeferenced=False)
    assert codes(store) == {"crs-missing", "geotransform-missing"}
    mend(found(store, "crs-missing"), tmp_path)
    assert codes(store) == {"geotransform-missing"}


def test_an_image_of_ome_needs_no_crs_and_no_geotransform(tmp_path):
    source = gdal.GetDriverByName("MEM").Create("", 700, 800, 2, gdal.GDT_UInt16)
    source.GetRasterBand(1).WriteArray(np.arange(560000).reshape(800, 700) % 60000)
    version = ["FORMAT=ZARR_V3"] if zarr_formats.is_v3() else ["FORMAT=ZARR_V2", "OME_VERSION=0.4"]
    store = tmp_path / "i.ome.zarr"
    gdal.GetDriverByName("Zarr").CreateCopy(str(store), source, options=["PROFILE=OME", *version])
    assert not codes(store) & {"crs-missing", "geotransform-missing"}
    cloud = tmp_path / "cloud.zarr"  # PROFILE=CLOUD makes no OME pyramid, so CRS and geotransform are missing
    gdal.GetDriverByName("Zarr").CreateCopy(str(cloud), source, options=["PROFILE=CLOUD"])
    assert codes(cloud) >= {"crs-missing", "geotransform-missing"}


CONTRADICTIONS = {
    "two codes": {"proj:code": "EPSG:32632", "proj:wkt2": ZONE_33.ExportToWkt(["FORMAT=WKT2_2019"])},
    "_CRS": {"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32632", "wkt": ZONE_33.ExportToWkt()}},
    "grid mapping": {"proj:code": "EPSG:32633"},
}


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_crs_contradicts(tmp_path, case):
    store = raster(tmp_path / "a.zarr", *(["GEOREFERENCING_CONVENTION=CF"] if case == "grid mapping" else []),
                   georeferenced=case == "grid mapping")  # fmt: skip
    zarr_formats.change_attributes(store, "a", **CONTRADICTIONS[case])
    finding = found(store, "crs-contradicts")
    assert "UTM zone 32N" in finding["message"] and "UTM zone 33N" in finding["message"]
    mend(finding, tmp_path)
    assert "crs-contradicts" not in codes(store)


def test_a_crs_that_is_stated_twice_and_is_one(tmp_path):
    store = raster(tmp_path / "a.zarr", "GEOREFERENCING_CONVENTION=CF")
    url = "http://www.opengis.net/def/crs/EPSG/0/32632"
    zarr_formats.change_attributes(store, "a", **{"proj:code": "EPSG:32632", "_CRS": {"url": url}})
    assert not codes(store) & {"crs-contradicts", "crs-unreadable"}


@pytest.mark.parametrize("text", ["EPSG:999999", "rubbish", "/etc/passwd", "http://127.0.0.1:9/crs"])
def test_crs_unreadable(tmp_path, text):
    store = raster(tmp_path / "a.zarr", "GEOREFERENCING_CONVENTION=CF")
    zarr_formats.change_attributes(store, "a", **{"proj:wkt2": text})
    assert "proj:wkt2" in found(store, "crs-unreadable")["message"]


def test_open_warning(tmp_path):
    store = raster(tmp_path / "a.zarr")
    zarr_formats.change_attributes(store, "a", **{"spatial:transform": [1, 2, 3, "4"]})
    assert any("GDAL warns" in one["message"] for one in check(store)["findings"])


NODATA = {
    "nodata-contradicts": {"_FillValue": 1, "missing_value": 2},
    "nodata-out-of-range": {"_FillValue": 300},
}


@pytest.mark.parametrize("code", NODATA)
def test_nodata(tmp_path, code):
    store = raster(tmp_path / "a.zarr", dtype=gdal.GDT_Byte, nodata=None)
    assert not codes(store)
    zarr_formats.change_attributes(store, "a", **NODATA[code])
    assert code in codes(store)
    mend(found(store, code), tmp_path)


@pytest.mark.parametrize("attrs, is_one", [({"_FillValue": 1, "nodata": 2}, False), ({"fill_value": 1, "nodata": "2"}, False),
                                           ({"nodata": 1, "nodatavals": [1, 2, 1]}, False), ({"nodatavals": [1, 2, 3]}, True),
                                           ({"_FillValue": 1, "nodata": 1, "nodatavals": [1.0, 1]}, True),
                                           ({"_FillValue": 1, "nodata": -999, "fill_value": "none"}, True),
                                           ({"_FillValue": -1, "nodata": 255, "_Unsigned": "false"}, True),
                                           ({"_FillValue": -1, "nodata": 254, "_Unsigned": "false"}, False)])  # fmt: skip
def test_statements_of_nodata(tmp_path, attrs, is_one):
    store = raster(tmp_path / "a.zarr", dtype=gdal.GDT_Byte, nodata=None)
    zarr_formats.change_attributes(store, "a", **attrs)
    assert ("nodata-contradicts" in codes(store)) != is_one
    if not is_one:
        mend(found(store, "nodata-contradicts"), tmp_path)
        assert not codes(store) & {"nodata-contradicts", "nodata-out-of-range"}


def test_nodata_missing_is_a_note(tmp_path):
    store = raster(tmp_path / "a.zarr", nodata=None)
    assert found(store, "nodata-missing")["severity"] == "note"
    assert "nodata-missing" not in codes(store)


# ---------------------------------------------------------------------------------------------
# Findings about opening over HTTP


@pytest.mark.slow
def test_open_requests_are_counted(tmp_path):
    """The report counts as many requests as the server does."""
    store = raster(tmp_path / "a.zarr", f"GEOREFERENCING_CONVENTION={CONVENTIONS}")
    counted = check(store, http=True)["facts"]["open_requests"]
    with Served(tmp_path) as server:
        server.log()
        code = f"from osgeo import gdal; a = gdal.Open('{server.url}/a.zarr'); a.GetRasterBand(1).GetOverviewCount()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert len(counted) == len(server.requests())
    assert "open-requests" in codes(store, "--max-requests", str(len(counted) - 1), http=True)
    assert "open-requests" not in codes(store, "--max-requests", str(len(counted)), http=True)


@pytest.mark.slow
def test_open_requests_fall(tmp_path):
    store = raster(tmp_path / "a.zarr", "OVERVIEWS=2,4,8", shape=(1000, 1000))
    before = check(store, http=True)["facts"]["open_requests"]
    finding = found(store, "open-requests", "--max-requests", "3", http=True)
    assert f"takes {len(before)} requests" in finding["message"]
    assert len(check(mend(finding, tmp_path), http=True)["facts"]["open_requests"]) < len(before)


@pytest.mark.slow
def test_open_failed(tmp_path):
    """Without consolidated metadata, a group opens only if the server returns a listing of it."""
    store = make_store(tmp_path, {"s/a": np.ones((4, 4))})
    assert "server returns no listing" in found(store, "open-failed", http=True)["message"]
