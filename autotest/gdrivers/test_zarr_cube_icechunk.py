# SPDX-License-Identifier: MIT
"""zarr_cube writes and continues Icechunk repositories: one commit for each run, branches and tags, kills, and several
programs at once. zarr-python reads the same pixels through the package icechunk."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from osgeo import gdal
from test_zarr_cube_grib import grib
from test_zarr_cube_images import requires, scene
from zarr_cube_files import PROGRAM, assert_equal, cube, refused, tiff, values_for
from zarr_references import PYTHON
from zarr_tools import Program, plain_environment

READER = Program([PYTHON, pathlib.Path(__file__).with_name("zarr_cube_reader.py")], plain_environment("PYTHONPATH"))


@pytest.fixture(scope="module", autouse=True)
def icechunk(tmp_path_factory):
    """Makes the package icechunk of the environment "references" importable here, where osgeo is. Returns its folder."""
    folder = tmp_path_factory.mktemp("packages")
    (package,) = PYTHON.parent.parent.glob("lib/python*/site-packages/icechunk")
    (folder / "icechunk").symlink_to(package)
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))


def days(folder, *names, shape=(1, 30, 40), **more):
    return [tiff(folder / f"a_{name}.tif", values_for(shape, "i2", int(name[-2:])), **more) for name in names]


def named(repository, **query):
    words = "&".join(f"{name}={value}" for name, value in query.items())
    return f"ICECHUNK:{repository}?{words}" if words else f"ICECHUNK:{repository}"


def ask(repository, result, branch="main"):
    """Returns what icechunk and zarr-python read: values of arrays, and messages of commits."""
    status, printed = READER.ask([str(repository), branch, str(result)])
    assert status == 0, printed
    return np.load(result)


@pytest.mark.parametrize("options", [
    ["TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"], ["BLOCKYSIZE=8", "COMPRESS=DEFLATE"], ["COMPRESS=LZW", "TILED=YES"],
    ["TILED=YES", "COMPRESS=ZSTD", "ENDIANNESS=BIG"], ["TILED=YES", "COMPRESS=LZW", "PREDICTOR=2"],
])  # fmt: skip
@pytest.mark.parametrize("bands", [1, 2])
def test_pixels(tmp_path, options, bands):
    files = days(tmp_path, "20240101", "20240102", shape=(bands, 45, 70), options=options, nodata=9, overviews=[2])
    text = cube(tmp_path / "x.icechunk", *files, "--check", "20")
    assert "20 blocks compared with the files: none differ" in text
    assert_equal(named(tmp_path / "x.icechunk"), files)
    read = ask(tmp_path / "x.icechunk", tmp_path / "read.npz")
    wanted = np.stack([gdal.Open(str(file)).ReadAsArray() for file in files])
    np.testing.assert_array_equal(read["data"], wanted if bands == 1 else np.moveaxis(wanted, 1, -1))
    assert list(read["messages"])[0] == "zarr_cube: 2 files"


def test_append_branch_tag_message(tmp_path):
    first = days(tmp_path, "20240101", "20240102", overviews=[2])
    second, third = days(tmp_path, "20240103", "20240104", overviews=[2]), days(tmp_path, "20240105", overviews=[2])
    repository = tmp_path / "x.icechunk"
    cube(repository, *first, "--quiet", "--tag", "v1")
    cube(repository, *second, "--append", "--message", "two more days", "--quiet", "--check", "30")
    cube(repository, *third, "--append", "--branch", "dev", "--tag", "v3", "--quiet", "--check", "30")
    for query, files in (({}, first + second), ({"tag": "v1"}, first), ({"branch": "dev"}, first + second + third),
                         ({"tag": "v3"}, first + second + third)):  # fmt: skip
        made = assert_equal(named(repository, **query), files)
        last = made.GetRasterBand(made.RasterCount).GetMetadataItem("DIM_time_TIME")
        assert last == f"2024-01-0{len(files)}T00:00:00Z"
    assert list(ask(repository, tmp_path / "read.npz")["messages"])[:2] == ["two more days", "zarr_cube: 2 files"]
    text = cube(repository, *days(tmp_path, "20240106", overviews=[2]), "--append", "--tag", "v1", code=2)
    assert "the tag v1 exists" in text


def test_a_run_that_was_killed_before_its_tag_is_repeated(tmp_path, monkeypatch):
    import icechunk as package

    repository, first, second = tmp_path / "x.icechunk", days(tmp_path, "20240101"), days(tmp_path, "20240102")
    cube(repository, *first, "--quiet", "--values", "2024-01-01")

    def killed(*_):
        raise KeyboardInterrupt

    words = (repository, *second, "--values", "2024-01-02", "--append", "--tag", "v2", "--quiet")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(package.Repository, "create_tag", killed)
        cube(*words)
    cube(repository, *days(tmp_path, "20240103"), "--values", "2024-01-03", "--append", "--quiet")
    cube(*words, "--check", "9")
    assert_equal(named(repository, tag="v2"), first + second)
    assert gdal.Open(named(repository)).RasterCount == 3
    assert "the tag v2 exists" in cube(*words, code=2)
    assert "is not after the last one" in cube(*words[:-2], "v4", "--quiet", code=2)


@pytest.mark.parametrize("name", ["jpeg-ycbcr", "webp-rgba"])
def test_images(tmp_path, name):
    requires(name)
    files = [scene(tmp_path / f"a_2024050{day}.tif", name, day) for day in (1, 2)]
    assert "none differ" in cube(tmp_path / "x.icechunk", *files, "--check", "20", "--quiet")
    assert_equal(named(tmp_path / "x.icechunk"), files)


def test_grib(tmp_path):
    files = [grib(tmp_path / f"a{day}.grib2", day, epsg=3995) for day in (1, 2)]
    cube(tmp_path / "x.icechunk", files[0], "--quiet")
    text = cube(tmp_path / "x.icechunk", files[1], "--append", "--check", "20", "--quiet")
    assert "20 blocks compared with the files: none differ" in text


@pytest.mark.parametrize("name, more, told", [
    ("20240101", {}, "its time, 2024-01-01, is not after the last one of"),
    ("20240105", {"nodata": 3}, "another fill_value of data"),
    ("20240105", {"shape": (1, 31, 40)}, "another shape of data"),
    ("20240105", {"options": ["TILED=YES", "COMPRESS=LZW"]}, "another chunk_grid of data"),
    ("20240105", {"epsg": 32633}, "another CRS: WGS 84 / UTM zone 32N and WGS 84 / UTM zone 33N"),
    ("20240105", {"place": (0, 10, 0, 0, 0, -10)}, "other values of x"),
    ("20240105T101112", {}, "has days since 1970-01-01, and "),
])  # fmt: skip
def test_files_that_do_not_fit(tmp_path, name, more, told):
    repository = tmp_path / "x.icechunk"
    files = days(tmp_path, "20240102")
    cube(repository, *files, "--quiet", "--values", "2024-01-02")
    (tmp_path / "new").mkdir()
    text = cube(repository, *days(tmp_path / "new", name, **more), "--append", "--quiet", code=2)
    assert told in text and len(text.splitlines()) == 1
    assert gdal.Open(named(repository)).RasterCount == 1


def test_refusals(tmp_path, monkeypatch):
    files = days(tmp_path, "20240101")
    assert "no Icechunk repository" in cube(tmp_path / "x.icechunk", *files, "--append", "--quiet", code=2)
    assert "--append adds to an Icechunk repository" in refused(tmp_path / "x.json", *files, "--append")
    cube(tmp_path / "y.icechunk", *files, "--quiet")
    assert "exists; --append adds files" in cube(tmp_path / "y.icechunk", *files, "--quiet", code=2)
    monkeypatch.setitem(sys.modules, "icechunk", None)
    assert "needs the package icechunk: pip install icechunk" in refused(tmp_path / "z.icechunk", *files)


def start(icechunk, repository, *words):
    environment = {**os.environ, "PYTHONPATH": str(icechunk)}
    command = [sys.executable, "-B", str(PROGRAM), str(repository), *map(str, words), "--append", "--quiet"]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def test_killed_appends(tmp_path, icechunk):
    """A killed append is there as a whole, or not at all. The next one goes on."""
    repository, choice = tmp_path / "x.icechunk", random.Random(3)
    files = days(tmp_path, "20240101")
    cube(repository, *files, "--quiet", "--values", "2024-01-01")
    seconds = time.monotonic()
    assert start(icechunk, repository, *days(tmp_path, "20240102")).wait() == 0
    files += [tmp_path / "a_20240102.tif"]
    seconds = time.monotonic() - seconds
    for number in range(3, 15):
        more = days(tmp_path, f"202401{number:02}")
        process = start(icechunk, repository, *more)
        time.sleep(seconds * (0.3 + choice.random() * 0.9))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        count = gdal.Open(named(repository)).RasterCount
        assert count in (len(files), len(files) + 1)
        files += more if count == len(files) + 1 else []
        assert_equal(named(repository), files)
    cube(repository, *days(tmp_path, "20240120"), "--append", "--quiet")
    assert gdal.Open(named(repository)).RasterCount == len(files) + 1


def test_two_programs_append(tmp_path, icechunk):
    """The second adds its files behind those of the first, or says why it cannot."""
    repository = tmp_path / "x.icechunk"
    cube(repository, *days(tmp_path, "20240101"), "--quiet", "--values", "2024-01-01")
    names = [f"2024010{number}" for number in range(2, 6)]
    programs = [start(icechunk, repository, *days(tmp_path, name)) for name in names]
    added = ["20240101"]
    for name, program in zip(names, programs):
        _, told = program.communicate(timeout=120)
        assert program.returncode in (0, 2), told
        if program.returncode == 0:
            added.append(name)
        else:
            assert "is not after the last one of" in told
    assert names[-1] in added
    assert_equal(named(repository), [tmp_path / f"a_{name}.tif" for name in added])


def test_a_refused_append_ends_with_its_exit_code(tmp_path, icechunk):
    """Threads of icechunk outlive its last answer. About an eighth of such runs was aborted when Python was finalized meanwhile."""
    repository = tmp_path / "x.icechunk"
    cube(repository, *days(tmp_path, "20240103"), "--quiet", "--values", "2024-01-03")
    earlier = days(tmp_path, "20240101")
    for _ in range(5):
        programs = [start(icechunk, repository, *earlier) for _ in range(4)]
        for program in programs:
            _, told = program.communicate(timeout=120)
            assert program.returncode == 2 and "is not after the last one of" in told, (program.returncode, told)
