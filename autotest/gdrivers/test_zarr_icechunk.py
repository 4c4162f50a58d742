# SPDX-License-Identifier: MIT
"""Icechunk repositories: their branches, tags and snapshots, and native and virtual chunks."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import config_options
from zarr_http import Served
from zarr_icechunk import EXPECTED, NAMES, sample, write, write_virtual

RASTER, MULTIDIM = gdal.OF_RASTER, gdal.OF_MULTIDIM_RASTER
STATES = [(name, state) for name in NAMES for state in EXPECTED[name]]


def arrays_of(name, options=()):
    """Returns {path: values} of all arrays except the array with virtual chunks."""
    root = gdal.OpenEx(name, MULTIDIM, open_options=list(options)).GetRootGroup()
    values = {}

    def visit(group, path):
        for each in group.GetMDArrayNames() or []:
            if each != "virtual":
                array = group.OpenMDArray(each)
                read = array.ReadAsArray() if array.GetDimensionCount() else np.frombuffer(array.Read(), "f8")
                values[path + each] = np.asarray(read)
        for each in group.GetGroupNames() or []:
            visit(group.OpenGroup(each), f"{path}{each}/")

    visit(root, "")
    return values


def check(values, expected):
    assert set(values) == set(expected["arrays"])
    for path, array in expected["arrays"].items():
        assert values[path].ravel().tolist() == array["values"], path
        assert list(values[path].shape) == array["shape"] or array["shape"] == [], path


# ---------------------------------------------------------------------------------------------
# Branches, tags and snapshots


@pytest.mark.parametrize("name, state", STATES)
def test_every_branch_and_tag_has_its_values(name, state):
    expected = EXPECTED[name][state]
    check(arrays_of(f"ICECHUNK:{sample(name)}?{state}"), expected)
    key, _, value = state.partition("=")
    check(arrays_of(sample(name), [f"{key.upper()}={value}"]), expected)
    check(arrays_of(sample(name), [f"SNAPSHOT={expected['snapshot']}"]), expected)
    dataset = gdal.OpenEx(sample(name), MULTIDIM, open_options=[f"{key.upper()}={value}"])
    assert dataset.GetRootGroup().GetAttribute("title").Read() == expected["title"]
    assert dataset.GetMetadataItem("SNAPSHOT", "ZARR") == expected["snapshot"]


@pytest.mark.parametrize("name", NAMES)
def test_main_is_the_default(name):
    check(arrays_of(sample(name)), EXPECTED[name]["branch=main"])
    for dataset in (gdal.Open(sample(name)), gdal.OpenEx(sample(name), MULTIDIM)):
        assert dataset.GetDriver().ShortName == "Zarr"
        assert "ZARR" in dataset.GetMetadataDomainList()
        items = dataset.GetMetadata("ZARR")
        assert items["BRANCHES"] == "dev,main" and items["TAGS"] == "release 1!"
        assert items["SNAPSHOT"] == EXPECTED[name]["branch=main"]["snapshot"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option, exists", [("BRANCH", '"dev", "main"'), ("TAG", '"release 1!"'), ("SNAPSHOT", None)])
def test_a_missing_state_is_an_error_that_lists_the_others(name, option, exists, cpl):
    exists = exists or EXPECTED[name]["branch=dev"]["snapshot"]
    for text, options in ((sample(name), [f"{option}=nix"]), (f"ICECHUNK:{sample(name)}?{option.lower()}=nix", [])):
        cpl.clear()
        assert gdal.OpenEx(text, RASTER, open_options=options) is None
        error = cpl.the_error()
        assert f'the repository has no {option.lower()} "nix"; it has ' in error and exists in error
    cpl.clear()
    assert gdal.OpenEx(sample(name), RASTER, open_options=["TAG=deleted"]) is None
    assert 'has no tag "deleted"' in cpl.the_error()


def test_states_that_contradict_are_errors(cpl):
    name = f"ICECHUNK:{sample('format2')}?branch=dev"
    for text, options, message in (
        (sample("format2"), ["BRANCH=dev", "TAG=release 1!"], "BRANCH, TAG and SNAPSHOT exclude each other"),
        (name, ["TAG=release 1!"], "the name and an open option select different states of the repository"),
        (f"{name}&tag=x", [], "a name has only one of branch, tag and snapshot"),
    ):
        cpl.clear()
        assert gdal.OpenEx(text, RASTER, open_options=options) is None
        assert message in cpl.the_error()


@pytest.mark.slow
def test_names_with_odd_characters(tmp_path):
    folder = write(tmp_path / "repo", """
repository = create()
session = repository.writable_session("main")
zarr.create_array(session.store, name="a", shape=(2, 2), chunks=(2, 2), dtype="u1")[:] = 1
first = session.commit("one")
for name in ("a b", "x&y", "100%", "é", "br{a}ce"):
    repository.create_branch(name, first)
""")  # fmt: skip
    for name in ("a b", "x&y", "100%", "é", "br{a}ce"):
        dataset = gdal.OpenEx(folder, RASTER, open_options=[f"BRANCH={name}"])
        assert dataset is not None, name
        names = dataset.GetMetadata("SUBDATASETS")
        opened = gdal.Open(names["SUBDATASET_1_NAME"]) if names else dataset
        assert opened.ReadAsArray().tolist() == [[1, 1], [1, 1]]


# ---------------------------------------------------------------------------------------------
# Names that open a repository


def test_spellings_of_a_name(tmp_path, cpl):
    path = sample("format2")
    image = np.array(EXPECTED["format2"]["tag=release 1!"]["arrays"]["image"]["values"]).reshape(6, 8)
    base = f"/vsiicechunk/{{{path}?tag=release 1!}}"
    for name in (f'ZARR:"{base}":/image', f"{base}/image", f'ZARR:"{base}/image"', f'ICECHUNK:{base}/image'):
        assert np.array_equal(gdal.Open(name).ReadAsArray(), image), name
    for name in (path, path + "/", path + "/repo", f'ZARR:"{path}"', f"ICECHUNK:{path}", f"icechunk:{path}",
                 f"ICECHUNK:{path}/repo", f'ICECHUNK:"{path}"', f"/vsiicechunk/{{{path}}}"):  # fmt: skip
        dataset = gdal.Open(name)
        assert dataset is not None and len(dataset.GetSubDatasets()) == 4, name
        assert dataset.GetSubDatasets()[0][0] == f'ZARR:"/vsiicechunk/{{{path}}}":/image'
    cpl.assert_quiet()


def test_a_relative_path(tmp_path):
    shutil.copytree(sample("format1"), tmp_path / "repo")
    for name in ("repo", "ICECHUNK:repo?branch=dev", "repo/refs/.."):
        info = subprocess.run(["gdalinfo", name], cwd=tmp_path, capture_output=True, text=True)
        assert "/image" in info.stdout and info.stderr == "", name


@pytest.mark.parametrize("inner", ["", "folder/"])
@pytest.mark.parametrize("name", ["format1", "format2"])
def test_a_zip_file(tmp_path, name, inner):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for path in sorted(os.walk(sample(name))):
            for file in path[2]:
                full = os.path.join(path[0], file)
                archive.write(full, inner + os.path.relpath(full, sample(name)))
    for text in (f"{tmp_path}/x.zip", f"ICECHUNK:{tmp_path}/x.zip?branch=main", f"/vsizip/{tmp_path}/x.zip/{inner}"):
        check(arrays_of(text), EXPECTED[name]["branch=main"])


def test_other_folders_are_left_alone(tmp_path, cpl):
    for name in ("refs", "snapshots2", "repo"):
        (tmp_path / "x" / name).mkdir(parents=True)
    assert gdal.IdentifyDriverEx(str(tmp_path / "x"), RASTER) is None
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "repo").write_bytes(b"something else")
    assert gdal.IdentifyDriverEx(str(tmp_path / "y"), RASTER) is None
    assert gdal.IdentifyDriverEx(str(tmp_path / "y" / "repo"), RASTER) is None
    cpl.clear()
    assert gdal.Open(f"ICECHUNK:{tmp_path}/x") is None
    assert "repo: cannot open: Is a directory" in cpl.the_error()
    (tmp_path / "x" / "repo").rmdir()
    cpl.clear()
    assert gdal.Open(f"ICECHUNK:{tmp_path}/x") is None
    assert "not an Icechunk repository: it has no file repo and no refs" in cpl.the_error()


def test_a_repository_is_neither_changed_nor_deleted(tmp_path, cpl):
    folder = shutil.copytree(sample("format2"), tmp_path / "repo")
    before = sorted(path for path in folder.rglob("*"))
    assert gdal.OpenEx(str(folder), RASTER | gdal.OF_UPDATE) is None
    assert "Icechunk repositories are read-only" in cpl.the_error()
    gdal.GetDriverByName("Zarr").Delete(f"ICECHUNK:{folder}")
    gdal.GetDriverByName("Zarr").Delete(str(folder))
    gdal.Translate(str(folder), gdal.Open(f'ZARR:"{folder}":/image'), format="Zarr")
    assert sorted(path for path in folder.rglob("*")) == before


def test_statistics_lie_beside_the_repository(tmp_path, cpl):
    with config_options(GDAL_PAM_ENABLED="YES"):
        check_statistics(tmp_path)
    cpl.assert_quiet()


def check_statistics(tmp_path):
    folder = shutil.copytree(sample("format2"), tmp_path / "repo")
    for state in ("branch=dev", "tag=release 1!"):
        dataset = gdal.Open(f"/vsiicechunk/{{{folder}?{state}}}/image")
        dataset.GetRasterBand(1).ComputeStatistics(False)
        del dataset
    for state, least in (("branch=dev", -1), ("tag=release 1!", 0)):
        dataset = gdal.Open(f"/vsiicechunk/{{{folder}?{state}}}/image")
        assert dataset.GetRasterBand(1).GetMinimum() == least
    assert len(list(tmp_path.glob("repo@*.aux.xml"))) == 2


# ---------------------------------------------------------------------------------------------
# Repositories on servers


@pytest.mark.parametrize("name", NAMES)
def test_a_repository_on_a_web_server(tmp_path, name):
    folder = shutil.copytree(sample(name), tmp_path / "repo")
    assert folder.is_dir()
    with Served(tmp_path) as server:
        for text in (f"ICECHUNK:{server.url}/repo", f'ZARR:"{server.url}/repo"', f"/vsiicechunk/{{{server.url}/repo}}"):
            check(arrays_of(text), EXPECTED[name]["branch=main"])
        check(arrays_of(f"ICECHUNK:{server.url}/repo?tag=release 1!"), EXPECTED[name]["tag=release 1!"])


def test_a_url_without_a_store_is_asked_once(tmp_path, cpl):
    with Served(tmp_path) as server:
        assert gdal.Open(f'ZARR:"{server.url}/nothing"') is None
        asked = [path for _, path, *_ in server.log()["requests"]]
        assert len([path for path in asked if path.endswith("/repo")]) == 1
        assert len([path for path in asked if path.endswith("/refs/branch.main/ref.json")]) == 1
        assert "not a Zarr store" in cpl.the_error()


# ---------------------------------------------------------------------------------------------
# Virtual chunks


def read_v(folder):
    """Returns the values of the array "v"; None if reading fails."""
    values = gdal.OpenEx(str(folder), MULTIDIM).GetRootGroup().OpenMDArray("v").Read()
    return None if values is None else np.frombuffer(values, "u1")


def local(folder, chunks, prefix=None):
    """Writes a repository with virtual chunks in local files, and returns its folder. ROOT in the locations of `chunks`
    stands for this folder. The file ROOT/data/f.bin contains the bytes 0 to 255."""
    root = f"file://{folder}"
    chunks = [[key, location.replace("ROOT", root), *rest] for key, location, *rest in chunks]
    write_virtual(folder, (prefix or "ROOT/data/").replace("ROOT", root),
                  f"icechunk.local_filesystem_store({str(folder)!r})", chunks)  # fmt: skip
    (folder / "data").mkdir()
    (folder / "data" / "f.bin").write_bytes(bytes(range(256)))
    return folder


@pytest.mark.slow
def test_local_files(tmp_path):
    later = 4000000000
    folder = local(tmp_path / "repo", [["v/c/0", "ROOT/data/f.bin", 10, 4, None], ["v/c/2", "ROOT/data/f.bin", 7, 4, later]])
    assert read_v(folder).tolist() == [10, 11, 12, 13, 0, 0, 0, 0, 7, 8, 9, 10]


@pytest.mark.slow
def test_a_changed_file_is_an_error_unless_the_name_says_otherwise(tmp_path, cpl):
    folder = local(tmp_path / "repo", [["v/c/0", "ROOT/data/f.bin", 10, 4, 1000]])
    assert read_v(folder) is None
    assert "has changed since the reference to it was made" in cpl.the_error()
    values = read_v(f"ICECHUNK:{folder}?ignore-timestamp-etag=yes")
    assert values.tolist() == [10, 11, 12, 13] + 8 * [0]


def tag_of(path):
    """Returns the ETag that the package icechunk assigns to a local file."""
    stat = path.stat()
    return f"{stat.st_ino:x}-{stat.st_mtime_ns // 1000:x}-{stat.st_size:x}"


@pytest.mark.slow
def test_the_etag_of_a_local_file(tmp_path, cpl):
    file = tmp_path / "f.bin"
    file.write_bytes(bytes(range(256)))
    folder = local(tmp_path / "repo", [["v/c/0", "ROOT/data/f.bin", 10, 4, tag_of(file)]])
    os.replace(file, folder / "data" / "f.bin")
    assert read_v(folder).tolist() == [10, 11, 12, 13] + 8 * [0]
    os.utime(folder / "data" / "f.bin", (1000, 1000))
    assert read_v(folder) is None
    assert "has changed since the reference to it was made" in cpl.the_error()
    values = read_v(f"ICECHUNK:{folder}?ignore-timestamp-etag=yes")
    assert values.tolist() == [10, 11, 12, 13] + 8 * [0]


@pytest.mark.parametrize("location, offset, text", [
    ("ROOT/data/gone.bin", 0, "does not exist"), ("ROOT/data/f.bin", 254, "the file is shorter"),
    ("ROOT/chunks/x", 0, "lies in no virtual chunk container"), ("vcc://none/x", 0, "no virtual chunk container called")])  # fmt: skip
@pytest.mark.slow
def test_a_target_that_cannot_be_read_is_an_error(tmp_path, location, offset, text, cpl):
    folder = local(tmp_path / "repo", [["v/c/0", location, offset, 4, None]])
    assert read_v(folder) is None
    assert "v/c/0: " in cpl.the_error() and text in cpl.the_error()


def test_a_missing_chunk_of_the_repository_is_an_error(tmp_path, cpl):
    folder = shutil.copytree(sample("format2"), tmp_path / "repo")
    shutil.rmtree(folder / "chunks")
    assert gdal.Open(f'ZARR:"{folder}":/split').ReadAsArray() is None
    assert "the file that a reference names does not exist" in cpl.the_error()
    shutil.rmtree(folder / "manifests")
    cpl.clear()
    assert gdal.Open(f'ZARR:"{folder}":/sparse').ReadAsArray() is None
    assert "manifests/" in cpl.the_error()


# The package icechunk may resolve "." and ".." and remove the host when it writes locations. Messages are therefore
# alternatives of a regular expression.
NO_CONTAINER = "lies in no virtual chunk container"


@pytest.mark.parametrize("location, message", [
    ("file:///etc/passwd", "ZARR_REFERENCE_FOLDERS=FOLDER"),
    ("ROOT/data/../../../../../../etc/passwd", "lies in no virtual chunk container"),
    ("file:///dev/zero", "lies in no virtual chunk container"), ("file:///vsimem/x", "expected the URL of a local file"),
    ("file://localhost/etc/passwd", "expected the URL of a local file|ZARR_REFERENCE_FOLDERS=FOLDER"),
    ("file:///etc/../vsicurl/http://127.0.0.1/x", f"expected the URL of a local file|{NO_CONTAINER}"),
    ("file:///etc/%2e%2e/vsicurl/x", f"expected the URL of a local file|{NO_CONTAINER}"),
    ("file:///etc/../dev/zero", f"leads out of its virtual chunk container|{NO_CONTAINER}"),
    ("file:///vsicurl/http://127.0.0.1/x", "expected the URL of a local file")])  # fmt: skip
@pytest.mark.slow
def test_what_a_repository_must_not_name(tmp_path, location, message, cpl):
    folder = local(tmp_path / "repo", [["v/c/0", location, 0, 4, None]], prefix="file:///etc/")
    assert read_v(folder) is None
    assert re.search(message, cpl.the_error())


@pytest.mark.slow
def test_options_allow_files_elsewhere(tmp_path, cpl):
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "f.bin").write_bytes(bytes(range(256)))
    prefix = f"file://{tmp_path}/else/"
    chunks = [["v/c/0", prefix + "f.bin", 3, 4, None]]
    beside = local(tmp_path / "repo", chunks, prefix=prefix)
    assert read_v(beside)[:4].tolist() == [3, 4, 5, 6]
    (tmp_path / "deeper").mkdir()
    folder = local(tmp_path / "deeper" / "repo", chunks, prefix=prefix)
    assert read_v(folder) is None
    assert "ZARR_REFERENCE_FOLDERS" in cpl.the_error()
    for options in ({"ZARR_REFERENCE_FOLDERS": str(tmp_path)}, {"ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION": "YES"}):
        with config_options(**options):
            assert read_v(folder)[:4].tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("name", NAMES)
def test_an_object_store_with_options_of_gdal(tmp_path, name):
    """Virtual chunks in s3://icechunk-test/data/ are read from the server that GDAL's options name. In the sample
    format2, locations are compressed, and the server does not check the ETags."""
    bucket = tmp_path / "icechunk-test" / "data"
    bucket.mkdir(parents=True)
    for i in range(2):
        (bucket / f"f{i}.bin").write_bytes(bytes((j + 100 * i) % 256 for j in range(101)))
    with Served(tmp_path) as server:
        options = {"AWS_S3_ENDPOINT": server.url.partition("://")[2], "AWS_HTTPS": "NO",
                   "AWS_VIRTUAL_HOSTING": "FALSE", "AWS_NO_SIGN_REQUEST": "YES"}  # fmt: skip
        with config_options(**options):
            values = read_virtual(f"ICECHUNK:{sample(name)}?ignore-timestamp-etag=yes")
    expected = [(i % 97 + k + 100 * (i % 2)) % 256 for i in range(len(values) // 4) for k in range(4)]
    assert values.tolist() == expected


def read_virtual(name):
    return gdal.OpenEx(name, MULTIDIM).GetRootGroup().OpenMDArray("virtual").ReadAsArray()


@pytest.mark.slow
def test_an_anonymous_container_names_its_server(tmp_path):
    (tmp_path / "bucket" / "data").mkdir(parents=True)
    (tmp_path / "bucket" / "data" / "x y").write_bytes(bytes(range(256)))
    with Served(tmp_path) as server:
        store = f"icechunk.s3_store(region='us-east-1', endpoint_url={server.url!r}, allow_http=True, anonymous=True, s3_compatible=True, force_path_style=True)"
        chunks = [["v/c/0", "s3://bucket/data/x%20y", 5, 4, None], ["v/c/2", "s3://bucket/data/x%20y", 50, 4, None]]
        folder = write_virtual(tmp_path / "repo", "s3://bucket/data/", store, chunks)
        assert read_v(folder).tolist() == [5, 6, 7, 8, 0, 0, 0, 0, 50, 51, 52, 53]


@pytest.mark.slow
def test_a_server_that_no_container_names_gets_no_request(tmp_path, cpl):
    with Served(tmp_path) as server:
        folder = write_virtual(tmp_path / "repo", "http://127.0.0.1:9/x/", "icechunk.http_store()",
                               [["v/c/0", server.url + "/f.bin", 0, 4, None]])  # fmt: skip
        server.log()
        assert read_v(folder) is None
        assert "lies in no virtual chunk container" in cpl.the_error() and "ZARR_REFERENCE_FOLDERS" in cpl.the_error()
        assert server.log()["requests"] == []


@pytest.mark.parametrize("prefix, location, message", [
    ("http://169.254.169.254/", "http://169.254.169.254/latest/meta-data", "references to link-local addresses are refused"),
    ("http://127.0.0.1:9/a/", "http://127.0.0.1:9/a/../b", f"expected a URL without . and ..|{NO_CONTAINER}"),
    ("http://127.0.0.1:9/a/", "http://127.0.0.1:9/a/%2e%2e/b", f"expected a URL without . and ..|{NO_CONTAINER}")])  # fmt: skip
@pytest.mark.slow
def test_addresses_that_are_refused(tmp_path, prefix, location, message, cpl):
    folder = write_virtual(tmp_path / "repo", prefix, "icechunk.http_store()", [["v/c/0", location, 0, 4, None]])
    assert read_v(folder) is None
    assert re.search(message, cpl.the_error())


# ---------------------------------------------------------------------------------------------
# Large repositories, of which only a part is read


@pytest.mark.slow
def test_split_manifests_are_read_when_needed(tmp_path):
    folder = write(tmp_path / "repo", """
sizes = {icechunk.ManifestSplitCondition.AnyArray(): {icechunk.ManifestSplitDimCondition.Axis(0): 5}}
config.manifest = icechunk.ManifestConfig(splitting=icechunk.ManifestSplittingConfig.from_dict(sizes))
repository = create()
session = repository.writable_session("main")
array = zarr.create_array(session.store, name="a", shape=(40, 6), chunks=(1, 3), dtype="i4", compressors=None)
array[:] = np.arange(240).reshape(40, 6)
session.commit("split")
""")  # fmt: skip
    manifests = os.listdir(os.path.join(folder, "manifests"))
    assert len(manifests) == 8
    assert np.array_equal(gdal.Open(f'ZARR:"{folder}":/a').ReadAsArray(), np.arange(240).reshape(40, 6))
    moved = shutil.copytree(folder, tmp_path / "moved")
    script = ("import sys; from osgeo import gdal; print(gdal.Open(sys.argv[1]).ReadAsArray(0, 12, 6, 1).tolist())")
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=openat", sys.executable, "-c", script, f'ZARR:"{moved}":/a']
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout == f"[{list(range(72, 78))}]\n"
    assert len({line.split('"')[1] for line in run.stderr.splitlines() if "/manifests/" in line}) == 1
