# SPDX-License-Identifier: MIT
"""Checks that #include lines follow the order of the layers, and checks rules about sources that no compiler
checks. Only reads text, so it needs neither GDAL nor a build."""

import pathlib
import re

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# layer -> the next lower layers, which it may include. A layer may also include all layers below these. docs/design.md
# draws an arrow for each pair of layers.
ARROWS = {
    "driver": ["driver/multidim", "driver/codec"],
    "driver/multidim": ["driver/create"],
    "driver/create": ["driver/raster"],
    "driver/raster": ["driver/overviews"],
    "driver/overviews": ["driver/georef"],
    "driver/georef": ["driver/store"],
    "driver/store": ["driver/transport"],
    "driver/transport": ["driver/base"],
    "driver/codec": ["driver/base"],  # codecs whose chunks GDAL's drivers decode
    "driver/base": ["core/conventions"],
    "core/library": ["core/library/zarr_core", "core/conventions"],
    "core/library/zarr_core": [],  # layer of the public headers
    "core/conventions": ["core/conventions/pyramid"],  # what opening asks for together
    "core/conventions/pyramid": ["core/conventions/catalog"],
    "core/conventions/catalog": ["core/conventions/crs"],
    "core/conventions/crs": ["core/conventions/cf"],
    "core/conventions/cf": ["core/conventions/facts"],
    "core/conventions/facts": ["core/conventions/ome"],  # OME-Zarr's axes name the dimensions of an array
    "core/conventions/ome": ["core/conventions/group"],
    "core/conventions/group": ["core/conventions/attributes"],
    "core/conventions/attributes": ["core/hierarchy"],
    "core/hierarchy": ["core/array", "core/references"],
    "core/array": ["core/metadata"],
    "core/metadata": ["core/codec", "core/grid", "core/store"],
    "core/codec": ["core/dtype", "core/grid"],
    "core/dtype": ["core/json"],
    "core/json": ["core/base"],
    "core/grid": ["core/base"],
    "core/references": ["core/metadata"],
    "core/store": ["core/json"],  # core/store reads consolidated metadata, which is JSON
    "core/base": [],
}

# Public headers of an installed zarr_core. They include only the standard library and each other, as
# "zarr_core/NAME.h".
PUBLIC = "core/library/zarr_core"
MAX_PUBLIC_HEADERS = 12
STANDARD_HEADERS = set(
    "algorithm array atomic cassert chrono complex cstddef cstdint cstring functional map memory new"
    " optional string string_view tuple type_traits utility variant vector".split()
)

# Maximum length of a source file. A longer file should be split.
MAX_LINES = 800
CODE = {".h", ".cpp", ".inc"}
TEXT = CODE | {".txt", ".cmake", ".json", ".md", ".py", ".sh"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
GDAL_HEADER = re.compile(r"^(gdal|cpl_|ogr_|vrt|memdataset|rawdataset|gnm|commonutils)")
GDAL_ERROR = re.compile(r"\b(CPLError|CPLErrorV|CPLErrorOnce|CPLDebug|CPLDebugOnly)\s*\(")
BYTE_SWAP = re.compile(
    r"\b(__builtin_bswap\d+|bswap_\d+|_byteswap_\w+|__bswap_\w+|(?:ht|n)to(?:n|h)[sl]"
    r"|(?:htobe|htole|be|le)\d+(?:toh)?|CPL_SWAP\w*|CPL_[LM]SB\w+|GDALSwapWords\w*)\s*\("
)
# Absolute paths of a developer's machine. The pattern is split, so that it does not match itself.
MACHINE_PATH = re.compile("(?<![\\w.$})])/(" + "|".join(["wo" + "rk", "ho" + "me", "ro" + "ot"]) + ")/")
# Names of metadata documents, which only files of core/metadata may contain
DOCUMENT = re.compile(r'"/?(\.zarray|\.zgroup|\.zattrs|\.zmetadata|zarr\.json|meta|attrs)"')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)


def reachable(layer):
    """Returns a layer and all layers that it may include, directly or through other layers."""
    below = {layer}
    for target in ARROWS[layer]:
        below |= reachable(target)
    return below


def layer_of(path):
    """Returns the layer of a source file, or None if it is in no layer. `path` is relative to the repository."""
    folder = str(pathlib.PurePosixPath(path).parent)
    return folder if folder in ARROWS else None


def without_comments(text):
    """Returns C++ code without its comments. String literals are kept."""
    return COMMENT.sub(lambda match: match.group(1) or " ", text)


def public_faults(path, text):
    """Returns texts about wrong #include lines of a public header."""
    return [
        f"{path}: {target} is neither a public header nor of the standard library"
        for quote, target in INCLUDE.findall(text)
        if not (quote == '"' and (REPOSITORY / "core/library" / target).is_file())
        and not (quote == "<" and target in STANDARD_HEADERS)
    ]


def include_faults(path, text, project_names=frozenset()):
    """Returns texts about wrong #include lines of a source file. `project_names` are the names of all headers
    of the project."""
    faults = []
    layer = layer_of(path)
    if layer is None:
        return [f"{path}: lies in no layer of the design"]
    if layer == PUBLIC:
        return public_faults(path, text)
    for quote, target in INCLUDE.findall(text):
        if target.startswith(("core/", "driver/")):
            other = layer_of(target)
            if quote == "<":
                faults.append(f"{path}: <{target}> is ours: quote it")
            if other is None:
                faults.append(f"{path}: {target} lies in no layer")
            elif other not in reachable(layer):
                faults.append(f"{path}: {layer} includes {target}: an upward edge")
        elif target.startswith(".") or pathlib.PurePosixPath(target).name in project_names:
            faults.append(f"{path}: {target}: write the path from the repository's root")
        elif not layer.startswith("driver") and GDAL_HEADER.match(target):
            faults.append(f"{path}: {target} is a GDAL header, and core/ knows no GDAL")
    return faults


def text_faults(path, text):
    """Checks all lines of a file of core/ or driver/ except #include lines, for example for errors of GDAL in core/.
    Returns a text for each fault."""
    faults = []
    code = without_comments(text)
    if not path.startswith("driver/"):
        for match in GDAL_ERROR.finditer(code):
            faults.append(f"{path}: {match.group(1)} belongs into driver/")
    if not path.startswith("core/base/endian."):
        for match in BYTE_SWAP.finditer(code):
            faults.append(f"{path}: {match.group(1)}: byte order is core/base/endian's")
    if not path.startswith("core/metadata/"):
        for match in DOCUMENT.finditer(code):
            faults.append(f"{path}: {match.group(1)}: documents are core/metadata's")
    if "GDAL_VERSION_NUM" in code and path != "driver/base/gdal_compat.h":
        faults.append(f"{path}: GDAL_VERSION_NUM: differences of GDAL's versions are gdal_compat.h's")
    if path.startswith("driver/") and re.search(r"metadata\w*(\(\))?\.document\b", code):
        faults.append(f"{path}: the driver changes arrays by operations, not their documents")
    lines = text.count("\n")
    if lines > MAX_LINES:
        faults.append(f"{path}: {lines} lines, the limit is {MAX_LINES}")
    return faults


def files_below(folders, suffixes):
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.is_file() and (path.suffix in suffixes or path.name == "CMakeLists.txt"):
                yield path.relative_to(REPOSITORY).as_posix(), path.read_text(encoding="utf-8")


def sources():
    return [item for item in files_below(("core", "driver"), CODE) if not item[0].endswith(".txt")]


def test_sources_are_found():
    """sources() finds source files. Without this test, the tests below would pass if it found none."""
    layers = {layer_of(path) for path, _ in sources()}
    assert {"core/base", "core/codec", "core/store", "core/array", "driver"} <= layers
    assert sum(len(INCLUDE.findall(text)) for _, text in sources()) > 100


def test_the_design_names_every_folder():
    """The table of docs/design.md lists every layer. For the layer `driver`, it lists every file."""
    design = (REPOSITORY / "docs/design.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`[^|]*) \|", design.split("## Where to look")[0], re.MULTILINE)
    named = set(re.findall(r"`([^`]+)`", " ".join(table)))
    assert set(ARROWS) - {"driver", PUBLIC} - named == set()


def test_includes_point_downwards():
    found = sources()
    names = {pathlib.PurePosixPath(path).name for path, _ in found if path.endswith(".h")}
    assert [fault for path, text in found for fault in include_faults(path, text, names)] == []


def public_headers():
    return sorted((REPOSITORY / PUBLIC).glob("*.h"))


def test_public_headers_are_few_and_alone():
    """There are at most MAX_PUBLIC_HEADERS public headers. They include only each other and the standard library."""
    assert 0 < len(public_headers()) <= MAX_PUBLIC_HEADERS
    faults = [
        fault
        for path in public_headers()
        for fault in public_faults(path.relative_to(REPOSITORY).as_posix(), path.read_text())
    ]
    assert faults == []
    header = f"{PUBLIC}/x.h"
    assert public_faults(header, '#include <vector>\n#include "zarr_core/status.h"\n') == []
    for wrong in ('"core/base/status.h"', '"status.h"', "<zlib.h>", "<zarr_core/status.h>", '"zarr_core/no.h"'):
        assert len(include_faults(header, f"#include {wrong}\n")) == 1, wrong


@pytest.mark.parametrize("folder", ["docs/examples/core_reader", "autotest/cpp/library"])
def test_users_of_the_library_use_public_headers_only(folder):
    sources = [path for path in sorted((REPOSITORY / folder).iterdir()) if path.suffix in CODE]
    public = {f"zarr_core/{path.name}" for path in public_headers()}
    included = {target for path in sources for _, target in INCLUDE.findall(path.read_text())}
    ours = {name for name in included if name.startswith(("core/", "driver/", "zarr_core/", "autotest/"))}
    assert ours and {name for name in ours if not name.startswith(f"{folder}/")} <= public


def every_declaration(text):
    """Yields (line before, line) for each line of a public header that declares a class, enum or function."""
    lines = text.splitlines()
    for before, line in zip(lines, lines[1:]):
        if re.match(r"^(enum|struct|class|ZARR_CORE_EXPORT)\b", line) and line[-1] != ";":
            yield before, line


def test_public_declarations_are_documented():
    bare = [
        f"{path.name}: {line}"
        for path in public_headers()
        for before, line in every_declaration(path.read_text())
        if not before.startswith(("//", "template"))
    ]
    assert bare == []


def test_included_files_exist():
    missing = [
        f"{path}: {target}"
        for path, text in sources()
        for _, target in INCLUDE.findall(text)
        if target.startswith(("core/", "driver/")) and not (REPOSITORY / target).is_file()
    ]
    assert missing == []


def named_in_comments(text):
    """Returns the names of source files that occur in comments."""
    comments = re.findall(r"//[^\n]*", text)
    return {name for line in comments for name in re.findall(r"\b[a-z0-9_]+\.(?:h|cpp)\b", line)}


def test_files_that_comments_name_exist():
    known = {pathlib.PurePosixPath(path).name for path, _ in files_below(("core", "driver", "autotest"), CODE)}
    known |= {"netcdf.h"}
    unknown = [
        f"{path}: {name}"
        for path, text in sources()
        for name in sorted(named_in_comments(text) - known)
        if not name.startswith(("cpl_", "gdal", "ogr", "vsi"))
    ]
    assert unknown == []
    assert named_in_comments("int x;  // see gone.cpp and a.h\n") == {"gone.cpp", "a.h"}


def test_rules_of_the_text():
    assert [fault for path, text in sources() for fault in text_faults(path, text)] == []


def test_no_machine_paths():
    folders = ("core", "driver", "autotest", "cmake", "data", "scripts", ".ci")
    texts = list(files_below(folders, TEXT))
    texts += [(p.name, p.read_text()) for p in REPOSITORY.iterdir() if p.is_file() and p.suffix in TEXT]
    faults = [
        f"{path}: {match.group(0)}" for path, text in texts for match in MACHINE_PATH.finditer(text)
    ]
    assert len(texts) > 50
    assert faults == []


# Tests of the functions above: each function must find planted faults, and accept correct lines.


@pytest.mark.parametrize("layer", ARROWS)
@pytest.mark.parametrize("target", ARROWS)
def test_checker_tells_up_from_down(layer, target):
    if layer == PUBLIC:
        return  # test_public_headers_are_few_and_alone() checks core/library
    text = f'#pragma once\n\n#include <vector>\n\n#include "{target}/thing.h"\n'
    faults = include_faults(f"{layer}/file.cpp", text)
    assert (faults == []) == (target in reachable(layer))


def test_checker_knows_the_order():
    """include_faults() reports an #include line of a header in a higher layer. The test names such pairs of files
    without the help of ARROWS, so it also finds an error in ARROWS."""
    upward = [
        ("core/base/status.h", "core/json/value.h"),
        ("core/json/value.cpp", "core/dtype/data_type.h"),
        ("core/dtype/data_type.cpp", "core/codec/codec.h"),
        ("core/codec/codec.h", "core/metadata/array_metadata.h"),
        ("core/grid/region.cpp", "core/dtype/data_type.h"),
        ("core/store/store.h", "core/array/array.h"),
        ("core/array/array.h", "core/hierarchy/group.h"),
        ("core/hierarchy/group.cpp", "core/conventions/attributes/attributes.h"),
        ("core/conventions/attributes/attributes.cpp", "core/conventions/group/multiscales.h"),
        ("core/conventions/facts/array_facts.cpp", "core/conventions/cf/nodata.h"),
        ("core/conventions/cf/nodata.cpp", "core/conventions/crs/affine.h"),
        ("core/conventions/crs/affine.cpp", "core/conventions/pyramid/pyramid.h"),
        ("core/conventions/crs/affine.cpp", "driver/raster/dataset.h"),
        ("driver/transport/vsi_store.cpp", "driver/store/store_address.h"),
    ]
    for path, target in upward:
        assert include_faults(path, f'  #  include "{target}"\n'), (path, target)


@pytest.mark.parametrize(
    "line",
    [
        "#include <gdal_priv.h>",
        '#include "cpl_error.h"',
        "#include <core/base/status.h>",
        '#include "../base/status.h"',
        '#include "status.h"',
        '#include "core/nowhere/thing.h"',
    ],
)
def test_checker_finds_bad_includes(line):
    assert len(include_faults("core/codec/file.cpp", line + "\n", {"status.h"})) == 1
    assert include_faults("core/codec/file.cpp", "#include <zlib.h>\n", {"status.h"}) == []


@pytest.mark.parametrize(
    "path, line",
    [
        ("core/array/a.cpp", 'CPLError(CE_Failure, 1, "x");'),
        ("core/array/a.cpp", "x = __builtin_bswap32(x);"),
        ("driver/a.cpp", "CPL_LSBPTR32(&x);"),
        ("driver/a.cpp", "x = ntohl(x);"),
        ("driver/a.cpp", 'Get(folder + "/.zgroup");'),
        ("core/store/a.cpp", 'return name == "meta";'),
        ("driver/a.cpp", "auto x = facts.metadata.document;"),
        ("driver/a.cpp", "auto x = array.metadata().document;"),
        ("driver/a.cpp", "x = le32toh(x);"),
        ("driver/a.cpp", "int x;\n" * MAX_LINES),
    ],
)
def test_checker_finds_bad_text(path, line):
    assert len(text_faults(path, line + "\n")) == 1


def test_checker_passes_sound_text():
    sound = '// CPLError( is for the driver\nauto s = std::string("http://x"); /* bswap_32(x) */\n'
    assert text_faults("core/array/a.cpp", sound) == []
    assert text_faults("core/base/endian.cpp", "return __builtin_bswap64(x);\n") == []
    assert text_faults("driver/a.cpp", 'CPLError(CE_Failure, 1, "x");\n') == []
    planted = "x = '/" + "wo" + "rk/data'"
    assert MACHINE_PATH.search(planted)
    assert not MACHINE_PATH.search("https://example.com/" + "wo" + "rk/x and a/" + "ho" + "me/b")
