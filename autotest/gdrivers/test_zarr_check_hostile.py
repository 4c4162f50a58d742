# SPDX-License-Identifier: MIT
"""zarr_check looks at stores of strangers. It ends, prints no traceback and no control characters, and shows other
users of the machine nothing."""

import contextlib
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import unicodedata

import pytest
import zarr_formats
from zarr_processes import Process
from zarr_store import handmade, odd_file

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / "python" / "zarr_check.py"
sys.path.insert(0, str(PROGRAM.parent))

from zarr_checks import command, opening  # noqa: E402  (in the folder that joined the path above)

pytestmark = zarr_formats.BOTH
SECONDS = 120  # a program that hangs is killed after this time


def run(*words, code=None):
    done = subprocess.run([sys.executable, "-B", str(PROGRAM), *map(str, words)], capture_output=True, check=False,
                          timeout=SECONDS)  # fmt: skip
    output = (done.stdout + done.stderr).decode("utf-8")
    assert "Traceback" not in output, output
    assert code is None or done.returncode == code, (done.returncode, output)
    return output


def run_forked(*words, code=None):
    """Calls the program in a forked process, which starts quickly and is killed if it hangs."""

    def work(report):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = command.main([*map(str, words)])
            except SystemExit as end:
                status = end.code
        report(json.dumps([status, output.getvalue()]))

    status, output = json.loads(Process(work).succeed()[-1])
    assert code is None or status == code, output
    return output


def check(store, capsys):
    """Checks a store in this process. Returns (exit code, output as JSON)."""
    code = command.main([str(store), "--json", "--no-http"])
    printed = capsys.readouterr()
    assert printed.err == ""
    return code, json.loads(printed.out)


def document_of(store):
    return store / ("zarr.json" if zarr_formats.is_v3() else ".zarray")


def good(folder, name="store.zarr"):
    return handmade(folder / name, shape=[4, 4], chunks=[2, 2], dtype="|u1", files={"0.0": b"abcd"})


# Values of any member of a document
HOSTILE = ["text", "", "3", -1, 0, 1 << 62, 10**30, 10**400, 1.5, float("nan"), float("inf"), True, None, [], {}, [[]],
           [[1], [2]], [-1, -1], [0, 0], [1e300, 2], ["4", "4"], [True, True], [None, None], {"a": []}, [{}], [4] * 300,
           [1 << 62, 1 << 62], "\x1b[31m\u202e\ud800", {"name": []}, {"name": "regular", "configuration": []},
           [{"name": "sharding_indexed", "configuration": {"chunk_shape": "xx", "codecs": 3}}],
           [{"name": "sharding_indexed", "configuration": {"chunk_shape": [0, 0], "index_codecs": []}}],
           {"name": "v2", "configuration": {"separator": ""}}]  # fmt: skip
V2_MEMBERS = ["zarr_format", "shape", "chunks", "dtype", "fill_value", "filters", "compressor", "order",
              "dimension_separator"]  # fmt: skip
V3_MEMBERS = ["zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value",
              "codecs", "attributes", "dimension_names", "consolidated_metadata", "storage_transformers"]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_member_of_another_type(tmp_path, capsys, number):
    """Each member of an array's document in turn has a hostile value. Nothing but findings may follow."""
    store = good(tmp_path)
    document = json.loads(document_of(store).read_text())
    for name in V3_MEMBERS if zarr_formats.is_v3() else V2_MEMBERS:
        document_of(store).write_text(json.dumps({**document, name: HOSTILE[number]}))
        code, report = check(store, capsys)
        assert code == (2 if report["status"] == "errors" else 0), name


ATTRIBUTES = ["grid_mapping", "_CRS", "proj:code", "proj:wkt2", "proj:projjson", "zarr_conventions", "multiscales",
              "ome", "plate", "well", "spatial:transform", "_FillValue", "missing_value", "_ARRAY_DIMENSIONS",
              "coordinates", "scale_factor", "units", "bounds", "nodata"]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_an_attribute_of_another_type(tmp_path, capsys, number):
    for place in ("all", *(ATTRIBUTES if number % 8 == 0 else ())):
        names = ATTRIBUTES if place == "all" else [place]
        store = good(tmp_path, f"{place.replace(':', '_')}.zarr")
        attributes = {name: HOSTILE[number] for name in names}
        if zarr_formats.is_v3():
            document = json.loads(document_of(store).read_text())
            document_of(store).write_text(json.dumps({**document, "attributes": attributes}))
        else:
            (store / ".zattrs").write_text(json.dumps(attributes))
        code, report = check(store, capsys)
        assert code == (2 if report["status"] == "errors" else 0)


DOCUMENTS = {
    "no JSON": b"{",
    "no text": b'{"a": "\xff\xfe"}',
    "zeros": bytes(100),
    "a list": b"[]",
    "a number": b"1",
    "nothing": b"",
    "deep lists": b"[" * 100000 + b"]" * 100000,
    "deep objects": b'{"a":' * 900 + b"1" + b"}" * 900,
    "200 levels": b'{"a":' * 200 + b"1" + b"}" * 200,
    "a long number": b'{"zarr_format": ' + b"9" * 5000 + b"}",
    "the same name twice": b'{"zarr_format": 2, "zarr_format": "x", "shape": 1, "shape": [1]}',
    "UTF-16": '{"zarr_format": 2}'.encode("utf-16"),
    "surrogates": b'{"\\ud800": "\\udfff", "shape": ["\\ud800"]}',
}


@pytest.mark.parametrize("name", [".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json"])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_hostile_document(tmp_path, capsys, kind, name):
    store = good(tmp_path)
    (store / name).write_bytes(DOCUMENTS[kind])
    code, report = check(store, capsys)
    is_used = name == "zarr.json" or not zarr_formats.is_v3()
    assert code == 2 or kind in ("the same name twice", "surrogates") or not is_used
    assert all(finding["mend"] for finding in report["findings"])


CONSOLIDATED = [1, [], "x", None, {"metadata": []}, {"metadata": {"": [], "a": 3, ".zarray": [], "b/.zattrs": "x"}},
                {"metadata": {"\x1b[2J/.zarray": {"shape": 1}, "c": {"zarr_format": 3, "node_type": []}}}]  # fmt: skip


@pytest.mark.parametrize("value", CONSOLIDATED, ids=str)
def test_consolidated_metadata_of_other_types(tmp_path, capsys, value):
    store = good(tmp_path)
    if zarr_formats.is_v3():
        document = json.loads(document_of(store).read_text())
        document_of(store).write_text(json.dumps({**document, "consolidated_metadata": value}))
    else:
        (store / ".zmetadata").write_text(json.dumps(value))
    code, report = check(store, capsys)
    assert code == (2 if report["status"] == "errors" else 0)


def test_no_store_of_wrong_types_ends_the_program(tmp_path):
    """The program itself, once, for its exit code and its output."""
    store = good(tmp_path)
    document = json.loads(document_of(store).read_text())
    document_of(store).write_text(json.dumps({**document, "shape": "four"}))
    assert "document-invalid" in run(store, "--no-http", code=2)


@pytest.mark.parametrize("kind", ["fifo", "socket", "/dev/zero", "/dev/tty", "loop"])
def test_odd_files_in_a_store(tmp_path, kind):
    """A pipe is not opened, neither as a document, nor as a chunk, nor anywhere else in the store."""
    store = good(tmp_path)
    chunk = store / ("c/0/0" if zarr_formats.is_v3() else "0.0")
    for place in (document_of(store), chunk, store / ".zattrs", store / ".zmetadata", store / "other"):
        place.unlink(missing_ok=True)
        odd_file(place, kind)
        output = run_forked(store, "--no-http", code=2)
        assert "is not a regular file" in output or "cannot be read" in output
        place.unlink()
        good(tmp_path, "again.zarr")
        place.parent.mkdir(exist_ok=True)
        if place in (chunk, document_of(store)):
            place.write_bytes((tmp_path / "again.zarr" / place.relative_to(store)).read_bytes())


@pytest.mark.parametrize("name", ["store.zarr", "store.zip", "refs.json"])
def test_an_odd_file_is_no_store(tmp_path, name):
    os.mkfifo(tmp_path / name)
    assert "no Zarr store" in run_forked(tmp_path / name, code=3)


def test_a_tree_of_links_ends(tmp_path, capsys):
    store = good(tmp_path)
    for name in ("u", "v", "w"):
        (store / name).symlink_to(".")
    assert check(store, capsys)[0] == 0


@pytest.mark.parametrize("target", ["/", "../else", "../else/deep"])
def test_links_out_of_the_store_are_not_followed(tmp_path, target, capsys):
    store = good(tmp_path)
    (tmp_path / "else" / "deep").mkdir(parents=True)
    (tmp_path / "else" / "deep" / "secret").write_text("")
    (tmp_path / "else" / document_of(store).name).write_text("{")
    (store / "d").symlink_to(target)
    code, report = check(store, capsys)
    assert code == 2
    assert [(each["node"], "is a link to a folder outside" in each["message"]) for each in report["findings"]
            if each["code"] == "document-invalid"] == [("/d", True)]  # fmt: skip


def test_a_store_behind_a_link_is_checked(tmp_path, capsys):
    good(tmp_path)
    (tmp_path / "link").symlink_to("store.zarr")
    assert check(tmp_path / "link", capsys)[0] == 0


def test_a_sparse_document_is_not_read(tmp_path, capsys):
    store = good(tmp_path)
    os.truncate(document_of(store), 1 << 40)
    code, report = check(store, capsys)
    assert code == 2 and "more than" in report["findings"][0]["message"]


NAMES = ["a\x1b[2Jb", "a\nerror store: forged [forged]", "a\x07", "a\x7fb", "a\x9bb", "a\u202eb", "a\u2066b", "a\u200fb",
         "a\ufeffb"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("words", [[], ["--json"]], ids=str)
def test_names_reach_the_terminal_escaped(tmp_path, name, words):
    """A name of a node or of the store has characters that a terminal acts upon."""
    good(tmp_path / name)
    (tmp_path / name / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / name / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": 3}')
    (tmp_path / name / name).mkdir()
    (tmp_path / name / name / "zarr.json").write_text("{")
    (tmp_path / name / name / ".zarray").write_text("{")
    for store, code in ((tmp_path / name, 2), (tmp_path / (name + "absent"), 3)):
        output = run_forked(store, "--no-http", *words, code=code)
        assert {each for each in output if unicodedata.category(each) in ("Cc", "Cf", "Cs")} <= {"\n"}
        assert not re.search(r"^error store: forged", output, re.MULTILINE)
    assert "\x1b" not in run_forked("\x1b[2J", "\x1b[2J", code=3)


def test_a_name_that_is_no_utf8(tmp_path):
    store = good(tmp_path)
    path = os.path.join(os.fsencode(store), b"a\xff")
    os.mkdir(path)
    with open(os.path.join(path, b"zarr.json" if zarr_formats.is_v3() else b".zarray"), "wb") as file:
        file.write(b"{")
    assert "\\udcff" in run_forked(store, "--no-http", code=2)


# ---------------------------------------------------------------------------------------------
# The server that counts requests


@pytest.fixture
def served(tmp_path):
    """Returns the server of a store in a folder with a secret."""
    store = good(tmp_path)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_rsa").write_text("secret")
    (tmp_path / "store.zarr.aux.xml").write_text("secret")
    (tmp_path / "store.zarr2").write_text("secret")
    (store / "file").symlink_to("../.ssh/id_rsa")
    (store / "folder").symlink_to("../.ssh")
    (store / "inside").symlink_to(document_of(store).name)
    os.mkfifo(store / "fifo")
    server = opening.Server(str(store))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def ask(server, path, **headers):
    """Returns (status, body) of the answer to a request, which is sent as it is written."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=SECONDS) as connection:
        lines = [f"GET {path} HTTP/1.0", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.slow
def test_only_the_store_is_served(served):
    assert served.server_address[0] == "127.0.0.1"
    assert len(served.secret) >= 40
    name = document_of(pathlib.Path(served.store)).name
    root = f"/{served.secret}/store.zarr"
    honest = pathlib.Path(served.store, name).read_bytes()
    assert ask(served, f"{root}/{name}") == (200, honest)
    assert ask(served, f"{root}/inside") == (200, honest)
    outside = [f"{root}/../.ssh/id_rsa", f"{root}/%2e%2e/.ssh/id_rsa", f"/{served.secret}/.ssh/id_rsa", "/.ssh/id_rsa",
               f"{root}/file", f"{root}/folder/id_rsa", f"{root}/fifo", f"{root}.aux.xml", f"{root}2", "/", root,
               f"{root}/", f"/{served.secret}", f"/{served.secret}/", f"{root}//etc/passwd", f"{root}/%00",
               f"/{served.secret[:-1]}/store.zarr/{name}", f"/store.zarr/{name}", f"//{name}", "*", "/%ff/%ff",
               f"{root}/..%2f.ssh%2fid_rsa", f"{root}/{name}/../../.ssh/id_rsa"]  # fmt: skip
    for path in outside:
        assert ask(served, path) == (404, b""), path


@pytest.mark.parametrize("extent", ["bytes=x-", "bytes=-", "bytes=1-0", "bytes=--5", "bytes=" + "9" * 5000 + "-", "pages=1-2",
                                    "bytes=0-0,2-3", "bytes=١-٢".encode().decode("latin-1")])  # fmt: skip
@pytest.mark.slow
def test_odd_ranges(served, extent):
    name = document_of(pathlib.Path(served.store)).name
    status, body = ask(served, f"/{served.secret}/store.zarr/{name}", Range=extent)
    assert (status, body) == (416, b"") or status == 200 and body == pathlib.Path(served.store, name).read_bytes()


@pytest.mark.slow
def test_the_path_of_the_server_is_no_argument(tmp_path, monkeypatch):
    """Arguments and the environment of other users' processes may be visible, and standard input is not."""
    calls = []
    real = subprocess.run

    def spy(words, **options):
        calls.append((words, options))
        return real(words, **options)

    monkeypatch.setattr(subprocess, "run", spy)
    requests = opening.count(str(good(tmp_path)))
    (words, options), = calls
    assert "http://" in options["input"]
    assert not any("http://" in word for word in [*words, *options["env"].values()])
    assert requests and not any("http" in each or "store.zarr" in each for each in requests)
