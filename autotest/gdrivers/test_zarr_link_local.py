# SPDX-License-Identifier: MIT
"""References do not lead to link-local addresses, from which machines of clouds get their credentials. A server at such
addresses, in a network namespace, gets no request."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from zarr_icechunk import write_virtual
from zarr_reference_sample import make_sample
from zarr_references import pack, write_json

PROGRAM = pathlib.Path(__file__).with_name("zarr_namespace_program.py")
# In a chroot, unshare cannot change the propagation of mounts. The program makes its mounts private.
UNSHARE = ["unshare", "--net", "--mount", "--propagation", "unchanged",
           *([] if os.geteuid() == 0 else ["--map-root-user"])]  # fmt: skip
NAMES = {
    "plain.test": "127.0.0.1",
    "metadata.google.internal": "127.0.0.1",
    "hidden.test": "169.254.169.254",
    "hidden6.test": "fe80::1",
    "xn--hidden-.test": "169.254.169.254",
}
SEEN = ["127.0.0.1", "[::1]", "plain.test", "PLAIN.TEST", "0x7f000001"]
REFUSED = [
    "169.254.169.254", "169.254.169.254.", "169.254.169.254:80", "169.254.169.253", "2852039166", "0xa9fea9fe",
    "0XA9FEA9FE", "025177524776", "169.16689662", "169.254.43518", "0xa9.0376.43518", "%3169.254.169.254",
    "169%2e254%2E169.254", "user:password@169.254.169.254", "a@b@169.254.169.254", "/169.254.169.254",
    "[::ffff:169.254.169.254]", "[::FFFF:a9fe:a9fe]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::169.254.169.254]",
    "[::ffff:0:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::169.254.169.254]", "[2002:a9fe:a9fe::1]",
    "[fe80::1]", "[FE80::1%25lo]", "[febf::1%251]", "[fd00:ec2::254]", "[fd20:ce::254]",
    "100.100.100.200", "metadata.google.internal", "Metadata.Google.Internal.", "hidden.test", "HIDDEN.test.",
    "hidden6.test", "xn--hidden-.test"]  # fmt: skip
NOT_PLAIN = ["\uff1169.254.169.254", "169\u3002254.169.254", "%ef%bc%9169.254.169.254", "%2531%36%39.254.169.254",
             "a b", "%5bfe80::1%5d", "[fe80::1", "[fe80::1%lo]"]  # fmt: skip
PACKED = "packed.bin"


def location(host, scheme="http"):
    return f"{scheme}://{host}/{PACKED}"


# Locations that hide a URL behind a virtual file system of GDAL.
VIRTUAL = [
    f"{start}/vsicurl/http://{host}/{PACKED}"
    for host in ("127.0.0.1", "169.254.169.254")
    for start in ("", "file://", "FILE://", "file://localhost", "local://", "/vsizip/", "/vsigzip/", "/vsicached?file=",
                  "/vsisubfile/0_100000,", "file:///vsisubfile/0_100000,", "file:///vsigzip/")
] + [
    f"file:///%76sicurl/http%3A//127.0.0.1/{PACKED}", f"/vsicurl?url=http%3A%2F%2F127.0.0.1%2F{PACKED}",
    f"file:///vsicurl?url=http%3A%2F%2F127.0.0.1%2F{PACKED}", f"/vsicurl_streaming/http://127.0.0.1/{PACKED}",
    f"file:///vsis3/bucket/{PACKED}"]  # fmt: skip
BUCKETS = [f"s3://2852039166{end}/{PACKED}" for end in ("#", "?", ":80#", "%23", "\\")] + [f"gs://a@169.254.169.254#/{PACKED}"]
UNRESOLVED = "a..test"  # no name server is asked for an empty label
LINK_LOCAL = "references to link-local addresses are refused"


class Session:
    """Documents that refer to `locations`, and the answers to reading them in a namespace."""

    def __init__(self, folder):
        self.folder, self.arrays, self.answers = folder, {}, {}
        self.references = pack(make_sample(folder / "plain"), folder / PACKED)

    def add(self, text):
        """Adds a document whose chunks of the array "image" are at the location `text`."""
        moved = {key: [text, *value[1:]] if isinstance(value, list) and key.startswith("image/") else value
                 for key, value in self.references.items()}  # fmt: skip
        self.arrays[text] = [str(write_json(self.folder / f"{len(self.arrays)}.json", moved)), "image"]

    def add_stac(self, href):
        """Adds a STAC Item whose only asset is a store at `href`."""
        item = {"type": "Feature", "stac_version": "1.0.0", "id": "i", "properties": {}, "links": [],
                "assets": {"z": {"href": href, "type": "application/vnd+zarr"}}}  # fmt: skip
        name = self.folder / f"stac{len(self.arrays)}.json"
        name.write_text(json.dumps(item))
        self.arrays[f"stac {href}"] = [str(name), "image"]

    def add_repository(self, name, *virtual):
        self.arrays[name] = [write_virtual(self.folder / name, *virtual), "v"]

    def run(self):
        work = {"folder": str(self.folder), "names": NAMES, "arrays": list(self.arrays.values())}
        done = subprocess.run([*UNSHARE, sys.executable, "-B", str(PROGRAM)], input=json.dumps(work),
                              env={**os.environ, "no_proxy": "*"}, capture_output=True, text=True, timeout=300)  # fmt: skip
        if "unshare failed" in done.stderr:
            pytest.skip(f"no network namespace can be made here: {done.stderr}")
        assert done.returncode == 0, done.stderr[-3000:]
        self.answers = dict(zip(self.arrays, json.loads(done.stdout), strict=True))

    def assert_refused(self, text, message):
        answer = self.answers[text]
        assert not answer["read"] and answer["requests"] == [], answer
        assert len(answer["errors"]) == 1 and message in answer["errors"][0], answer


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Answers for references in JSON. Their documents differ between the Zarr versions only in the keys."""
    made = Session(tmp_path_factory.mktemp("link_local"))
    for host in SEEN + REFUSED + NOT_PLAIN:
        made.add(location(host))
    for text in [*VIRTUAL, *BUCKETS, location(UNRESOLVED), location(f"127.0.0.1/to/{UNRESOLVED}"),
                 location("169.254.169.254", "HTTPS"), location("127.0.0.1/to/169.254.169.254")]:
        made.add(text)
    for host in ["127.0.0.1", *REFUSED]:
        made.add_stac(f"http://{host}/x.zarr")
    made.run()
    return made


@pytest.mark.parametrize("host", SEEN)
@pytest.mark.slow
def test_other_addresses_are_read(session, host):
    answer = session.answers[location(host)]
    assert answer["read"] and answer["errors"] == [] and answer["requests"] != [], answer


@pytest.mark.parametrize("host", REFUSED)
def test_a_link_local_address_gets_no_request(session, host):
    session.assert_refused(location(host), LINK_LOCAL)


@pytest.mark.parametrize("host", REFUSED)
def test_an_asset_of_stac_at_a_link_local_address_gets_no_request(session, host):
    session.assert_refused(f"stac http://{host}/x.zarr", LINK_LOCAL)


def test_an_asset_of_stac_elsewhere_is_asked_for(session):
    assert session.answers["stac http://127.0.0.1/x.zarr"]["requests"] != []


def test_the_scheme_does_not_matter(session):
    session.assert_refused(location("169.254.169.254", "HTTPS"), LINK_LOCAL)


@pytest.mark.parametrize("host", NOT_PLAIN)
def test_a_host_with_other_characters_gets_no_request(session, host):
    session.assert_refused(location(host), "expected a host name in ASCII (punycode)")


@pytest.mark.parametrize("text", VIRTUAL)
def test_a_virtual_file_system_gets_no_request(session, text):
    session.assert_refused(text, "references to virtual file systems are refused")


@pytest.mark.parametrize("text", BUCKETS)
def test_a_bucket_does_not_end_the_host(session, text):
    session.assert_refused(text, "expected the name of a bucket")


def test_an_answer_after_a_redirect_is_discarded(session):
    answer = session.answers[location("127.0.0.1/to/169.254.169.254")]
    assert not answer["read"]
    assert 'redirects to the host "169.254.169.254", which the references must not name' in answer["errors"][0]


def test_a_host_that_cannot_be_resolved_gets_no_request(session):
    session.assert_refused(location(UNRESOLVED), 'the host "a..test" cannot be resolved')
    answer = session.answers[location(f"127.0.0.1/to/{UNRESOLVED}")]
    assert not answer["read"] and 'the host "a..test" cannot be resolved' in answer["errors"][0]


@pytest.mark.slow
def test_repositories(tmp_path):
    """The rule covers Icechunk's virtual chunks, and the servers that its containers name."""
    made = Session(tmp_path)
    options = "region='us-east-1', allow_http=True, anonymous=True, s3_compatible=True, force_path_style=True"
    for name, host in (("seen", "127.0.0.1"), ("mapped", "[::ffff:a9fe:a9fe]")):
        chunks = [["v/c/0", location(host), 0, 4, None]]
        made.add_repository(name, f"http://{host}/", "icechunk.http_store()", chunks)
    for name, endpoint in (("seen endpoint", "127.0.0.1"), ("endpoint", "2852039166")):
        chunks = [["v/c/0", f"s3://bucket/{PACKED}", 0, 4, None]]
        store = f"icechunk.s3_store(endpoint_url='http://{endpoint}', {options})"
        made.add_repository(name, "s3://bucket/", store, chunks)
    made.run()
    for name, answer in made.answers.items():
        if name.startswith("seen"):
            assert answer["read"] and answer["requests"] != [], answer
        else:
            made.assert_refused(name, LINK_LOCAL)
