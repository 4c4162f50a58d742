# SPDX-License-Identifier: MIT
"""zarr_qgis with stores of strangers: it reads no more than it needs, writes only where it says, and prints one line
instead of a traceback."""

import json
import os
import pathlib
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
import zarr_formats
from zarr_processes import Process
from zarr_store import make_store

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PYTHON))

import zarr_qgis  # noqa: E402  (in the folder that joined the path above)

pytestmark = zarr_formats.BOTH


def cube(folder, times=(0, 1, 2), units="days since 2000-01-01", bounds=None, name="cube.zarr", variable="rain", **attrs):
    arrays = {
        variable: {"values": np.arange(len(times) * 16.0).reshape(-1, 4, 4), "dims": ("time", "y", "x"), "attrs": attrs},
        "time": {"values": np.asarray(times), "dims": ("time",), "attrs": {"units": units, "bounds": "bnds"}},
    }  # fmt: skip
    if bounds is not None:
        bounds = bounds if isinstance(bounds, dict) else {"values": np.asarray(bounds)}
        arrays["bnds"] = {"dims": ("time", "nv"), **bounds}
    return make_store(folder, arrays, name=name)


def run(capsys, *words, code=0):
    assert zarr_qgis.main([str(word) for word in words]) == code
    printed = capsys.readouterr()
    assert (printed.err == "") == (code == 0), printed.err
    assert all(line.isprintable() for line in (printed.out + printed.err).split("\n"))
    return printed.out + printed.err


def begins(store):
    tree = xml.etree.ElementTree.parse(store.parent / "cube.qlr")
    return [each.text for each in tree.iter("start")]


BOUNDS = {
    "1e300": [[0, 1e300], [1e300, 2], [2, 3]],
    "minus 1e300": [[-1e300, 0], [0, 2], [2, 3]],
    "infinite": [[0, np.inf], [1, 2], [2, np.nan]],
    "the year 12000": [[0, 1], [1, 2], [2, 3650000]],
    "one number": [[0], [1], [2]],
    "text": [["a", "b"]] * 3,
    "more times": [[0, 1]] * 4,
}


@pytest.mark.parametrize("kind", BOUNDS)
def test_bounds_that_are_no_times(tmp_path, capsys, kind):
    values = np.asarray(BOUNDS[kind])
    item = {"values": values, "dims": (f"n{values.shape[0]}", "nv")}
    store = cube(tmp_path, bounds=item if values.dtype.kind == "f" else None)
    run(capsys, store)
    assert [text[:10] for text in begins(store)] == ["2000-01-01", "2000-01-02", "2000-01-03"]


def test_large_bounds_are_not_read(tmp_path, capsys):
    """The bounds of a time coordinate have 16 GB. No chunk of them is stored, so reading them would take memory only."""
    store = cube(tmp_path, bounds=[[0, 1], [1, 2], [2, 3]])
    file = store / "bnds" / ("zarr.json" if zarr_formats.is_v3() else ".zarray")
    document = json.loads(file.read_text())
    for rows, columns in ((1 << 30, 2), (3, 1 << 31)):
        document["shape"] = [rows, columns]
        file.write_text(json.dumps(document))
        run(capsys, store, "--overwrite")
        assert len(begins(store)) == 3


@pytest.mark.parametrize("units, times", [("days since 9999-12-31", [0]), ("days since 9999-12-30", [0, 1]),
                                          ("hours since 9999-12-31T21:00:00", [0, 1, 2]),
                                          ("seconds since 9999-12-31T23:59:58", [0, 1]),
                                          ("days since 9999-11-30", [0, 31]), ("days since 0001-01-01", [0, 1]),
                                          ("days since 2000-01-01", [0.0, 1e300]), ("days since 2000-01-01", [0, np.nan]),
                                          ("days since 2000-01-01", [0, np.inf])])  # fmt: skip
@pytest.mark.parametrize("options", [[], ["--one-layer"]], ids=str)
def test_times_at_the_ends_of_the_calendar(tmp_path, capsys, units, times, options):
    store = cube(tmp_path, times, units)
    run(capsys, store, *options)
    xml.etree.ElementTree.parse(tmp_path / "cube.qlr")


@pytest.mark.parametrize("words", [[], ["--overwrite"]], ids=str)
@pytest.mark.parametrize("name", ["cube.qlr", "cube.qml"])
def test_a_link_is_not_followed(tmp_path, capsys, name, words):
    """A link beside the store points to a file that is absent, or present, in another folder."""
    store = cube(tmp_path)
    (tmp_path / "other").mkdir()
    for target in ("absent", "present"):
        (tmp_path / "other" / "present").write_text("mine")
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).symlink_to(f"other/{target}")
        is_refused = name == "cube.qlr" and not words
        run(capsys, store, *(words or (["-o", tmp_path / f"{target}.qlr"] if name == "cube.qml" else [])),
            code=int(is_refused))  # fmt: skip
        assert [each.name for each in (tmp_path / "other").iterdir()] == ["present"]
        assert (tmp_path / "other" / "present").read_text() == "mine"
        assert (tmp_path / name).is_symlink() == (not words)
    assert not [each for each in os.listdir(tmp_path) if each.startswith(".cube")]


@pytest.mark.parametrize("name", ["cube.zarr", "cube.zip", "refs.json"])
def test_a_pipe_is_no_store(tmp_path, name):
    os.mkfifo(tmp_path / name)
    process = Process(lambda report: report(zarr_qgis.main([str(tmp_path / name)])))
    assert process.succeed() == ["1"]


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "a\x07", "a\u202eb"], ids=ascii)
def test_names_reach_the_terminal_escaped(tmp_path, capsys, name):
    store = cube(tmp_path, name=f"{name}.zarr")
    code = int("\x1b" in name or "\x07" in name)  # characters that XML lacks
    run(capsys, store, code=code)
    run(capsys, store, code=1)  # the file exists, or the name is refused again
    run(capsys, tmp_path / f"{name} absent", code=1)


@pytest.mark.parametrize("value", ["text", [], {}, 1e308, [1e308, -1e308]], ids=str)
def test_attributes_of_other_types(tmp_path, capsys, value):
    names = ("units", "scale_factor", "add_offset", "STATISTICS_MINIMUM", "STATISTICS_MAXIMUM", "grid_mapping")
    store = cube(tmp_path, **{name: value for name in names})
    assert zarr_qgis.main([str(store)]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err
