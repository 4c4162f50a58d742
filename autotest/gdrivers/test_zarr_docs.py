# SPDX-License-Identifier: MIT
"""Checks that the documentation is true: examples run, options are those of the driver, messages appear,
links resolve, and pictures match the code."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import pytest
import zarr_docs
import zarr_docs_append_errors
import zarr_docs_errors
import zarr_docs_v3_errors
import zarr_docs_write_errors
from osgeo import gdal
from zarr_docs import DOCS, REPOSITORY
from zarr_gdal import gdal_is_at_least
from zarr_http import Served
from zarr_s3 import S3

PAGES = ("guide.md", "georeferencing.md", "writing.md", "compatibility.md", "options.md", "examples.md", "cloud.md",
         "qgis.md", "cube.md")  # fmt: skip
LINKING = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/guide.md",
    "docs/georeferencing.md", "docs/writing.md", "docs/compatibility.md", "docs/correctness.md",
    "docs/options.md", "docs/examples.md", "docs/errors.md", "docs/design.md", "docs/benchmark.md",
    "docs/reliability.md", "docs/opens_where.md", "docs/dask.md", "docs/cloud.md", "docs/qgis.md",
    "docs/tiles.md", "docs/cube.md",
)  # fmt: skip
LANGUAGES = {"bash", "python"}
# first line of a block of commands -> reason why tests do not run it
NOT_RUN = {
    "terrain.zarr": "what a command prints, which test_the_listing_of_a_new_store compares",
}
ADDED_BY_GDAL = {"OVERVIEW_LEVEL"}  # options that GDAL adds to the open options of every driver
PROVOKED = {
    **zarr_docs_errors.PROVOKED,
    **zarr_docs_v3_errors.PROVOKED,
    **zarr_docs_write_errors.PROVOKED,
    **zarr_docs_append_errors.PROVOKED,
}


def all_blocks():
    blocks = [block for name in PAGES for block in zarr_docs.fenced_blocks(name)]
    return blocks + zarr_docs.indented_blocks("Use it")


def is_run(block):
    return block.language in LANGUAGES and block.text.splitlines()[0] not in NOT_RUN


def grouped():
    """Returns the code blocks that tests run, grouped by page and section. The test is named after the page and the section."""
    found = {}
    for block in all_blocks():
        if is_run(block):
            found.setdefault(f"{block.page}: {block.section}", []).append(block)
    return found


# Examples in the documentation pages


@pytest.fixture
def workshop(tmp_path):
    """Creates a folder like a built checkout, with the files that the examples use, and returns it."""
    shutil.copytree(REPOSITORY / "data", tmp_path / "data")
    (tmp_path / "build").mkdir()
    plugins = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0])
    (tmp_path / "build" / "gdalplugins").symlink_to(plugins)
    (tmp_path / "bin").mkdir()
    for name in ("zarr_check", "zarr_cube", "zarr_qgis"):  # cmake installs the programs under these names
        (tmp_path / "bin" / name).symlink_to(REPOSITORY / "python" / f"{name}.py")
    return tmp_path


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("bucket")) as server:
        server.upload(REPOSITORY / "data" / "terrain.zarr", "terrain.zarr")
        yield server


@pytest.mark.parametrize("section", grouped())
def test_the_examples_run(section, workshop, request):
    blocks = grouped()[section]
    environment = {**os.environ, "PATH": f"{workshop / 'bin'}:{os.environ['PATH']}"}
    if any(zarr_docs.BUCKET in block.text for block in blocks):
        environment.update(request.getfixturevalue("s3").options)
    with Served(workshop / "data") as server:
        for block in blocks:
            zarr_docs.run_block(zarr_docs.addressed(block, server.url), workshop, environment)


@pytest.mark.slow
def test_the_examples_run_from_top_to_bottom(workshop, s3):
    """A reader types all examples in one folder, with the xarray of the system if there is one."""
    system = "/usr/bin/python3"
    has_xarray = subprocess.run([system, "-c", "import xarray, zarr"], check=False, capture_output=True).returncode == 0
    environment = {**os.environ, "PATH": f"{workshop / 'bin'}:{os.environ['PATH']}", **s3.options}
    with Served(workshop / "data") as server:
        for block in zarr_docs.fenced_blocks("examples.md"):
            zarr_docs.run_block(zarr_docs.addressed(block, server.url), workshop, environment,
                                system if has_xarray else sys.executable)  # fmt: skip


def test_only_these_blocks_are_not_run():
    shown = {block.text.splitlines()[0] for block in all_blocks() if not is_run(block)}
    assert shown == set(NOT_RUN)
    assert len(grouped()) >= 15


def test_a_block_that_fails_fails_its_test(tmp_path):
    for language, text in (("bash", "false"), ("bash", "gdalinfo nothing.zarr | cat"),
                           ("python", "raise SystemExit(1)")):  # fmt: skip
        block = zarr_docs.Block("x.md", "x", language, text)
        with pytest.raises(AssertionError):
            zarr_docs.run_block(block, tmp_path, dict(os.environ))


# Defaults that docs/writing.md states


def test_the_listing_of_a_new_store(workshop):
    blocks = zarr_docs.sections(zarr_docs.fenced_blocks("writing.md"))
    commands, listing = blocks["What gdal_translate -of Zarr gives with no option"]
    assert listing.language == "text"
    printed = zarr_docs.run_block(commands, workshop, {**os.environ, "LC_ALL": "C"})
    names = [line for line in printed.splitlines() if line.startswith("terrain.zarr")]
    assert sorted(names) == sorted(listing.text.splitlines())


def made(folder, width, height, bands, nodata=None):
    """Copies a raster by gdal_translate -of Zarr. Returns the array's metadata document and its attributes."""
    raster = gdal.GetDriverByName("MEM").Create("", width, height, bands, gdal.GDT_Int16)
    raster.SetGeoTransform((0, 1, 0, 0, 0, -1))
    if nodata is not None:
        raster.GetRasterBand(1).SetNoDataValue(nodata)
    assert gdal.Translate(str(folder / "made.zarr"), raster, format="Zarr") is not None
    array = folder / "made.zarr" / "made"
    return [json.loads((array / name).read_text()) for name in (".zarray", ".zattrs")]


@pytest.mark.parametrize(
    "shape, chunks",
    [((700, 900, 1), [512, 512]), ((30, 20, 1), [20, 30]), ((700, 900, 16), [1, 512, 512]),
     ((700, 900, 17), [16, 128, 128]), ((30, 20, 40), [16, 20, 30])],
)
def test_default_chunks_are_those_that_the_page_names(tmp_path, shape, chunks):
    metadata, attributes = made(tmp_path, *shape)
    assert metadata["chunks"] == chunks
    dimensions = ["band", "y", "x"] if shape[2] > 1 else ["y", "x"]
    assert attributes["_ARRAY_DIMENSIONS"] == dimensions
    blosc = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    assert metadata["compressor"] == blosc and metadata["filters"] is None
    assert metadata["order"] == "C" and metadata["dimension_separator"] == "."


def test_chunks_that_differ_from_a_default_copys(tmp_path):
    """Create(), BLOCKSIZE with two numbers, and copies with INTERLEAVE=PIXEL make other chunks than a copy without
    options."""
    driver = gdal.GetDriverByName("Zarr")
    driver.Create(str(tmp_path / "a.zarr"), 900, 700, 40, gdal.GDT_Byte)
    source = gdal.GetDriverByName("MEM").Create("", 900, 700, 40)
    for name, option in (("b", "BLOCKSIZE=200,300"), ("c", "INTERLEAVE=PIXEL")):
        driver.CreateCopy(str(tmp_path / f"{name}.zarr"), source, options=[option])
    for name, chunks in (("a", [1, 512, 512]), ("b", [1, 200, 300]), ("c", [512, 512, 40])):
        document = json.loads((tmp_path / f"{name}.zarr" / name / ".zarray").read_text())
        assert document["chunks"] == chunks


def test_the_fill_value_is_null_unless_there_is_nodata(tmp_path):
    metadata, attributes = made(tmp_path, 8, 8, 1)
    assert metadata["fill_value"] is None and "_FillValue" not in attributes
    assert (tmp_path / "made.zarr" / "made" / "0.0").exists()
    (tmp_path / "nodata").mkdir()
    metadata, attributes = made(tmp_path / "nodata", 8, 8, 1, nodata=0)
    assert metadata["fill_value"] == 0 and attributes["_FillValue"] == 0
    assert not (tmp_path / "nodata" / "made.zarr" / "made" / "0.0").exists()


# Options of the driver


def listed_options():
    """Returns {name of the option list: XML element} for the option lists that gdalinfo prints."""
    text = subprocess.run(
        ["gdalinfo", "--format", "Zarr"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    lists = re.finditer(r"<(\w+OptionList)>.*?</\1>", text, re.DOTALL)
    return {
        each[1]: [
            option for option in xml.etree.ElementTree.fromstring(each[0])
            if option.get("name") not in ADDED_BY_GDAL
            and not option.get("description", "").startswith("(GDAL`s own driver) ")
        ]
        for each in lists
    }  # fmt: skip


OPTION_TABLES = {
    "OpenOptionList": ["Open options"],
    "CreationOptionList": ["For arrays", "For rasters"],
    "MultiDimDatasetCreationOptionList": ["For multidimensional datasets"],
    "MultiDimArrayCreationOptionList": ["For arrays", "For multidimensional arrays only"],
}


@pytest.mark.parametrize("name", OPTION_TABLES)
def test_options_are_those_that_gdalinfo_lists(name):
    rows = [row for table in OPTION_TABLES[name] for row in zarr_docs.table("options.md", table)]
    described = {}
    for names, default, text in rows:
        option, *alias = zarr_docs.code(names)
        later = re.search(r"from GDAL (\d+)\.(\d+) on by default `([^`]*)`", text)
        if later and gdal_is_at_least(int(later[1]), int(later[2])):
            default = f"`{later[3]}`"
        described[option] = (*(alias or [None]), *(zarr_docs.code(default) or [None]))
        assert default == "" or default.startswith("`"), f"{option}: {default}"
    options = listed_options()[name]
    assert described == {o.get("name"): (o.get("alias"), o.get("default")) for o in options}
    texts = {zarr_docs.code(row[0])[0]: row[1] + row[2] for row in rows}
    for option in options:
        values = [value.text for value in option.findall("Value")]
        missing = [value for value in values if f"`{value}`" not in texts[option.get("name")]]
        assert missing == [] or values == ["NO", "YES"], option.get("name")


def bytes_of(text):
    number, _, unit = text.partition(" ")
    return int(number) << {"": 0, "KB": 10, "MB": 20, "GB": 30, "TB": 40}[unit]


def test_limits_are_those_of_the_sources(cpl):
    rows = zarr_docs.table("options.md", "Limits")
    source = (REPOSITORY / "core" / "base" / "limits.cpp").read_text()
    factors = {"": 1, "kMega": 1 << 20, "kGiga": 1 << 30, "kTera": 1 << 40}
    found = {}
    for name, preset in re.findall(r'"(ZARR_MAX_\w+)", \w+, ([^,]+),', source):
        number, _, unit = preset.replace(" ", "").rpartition("*")
        number, unit = (number or "1", unit) if not unit.isdigit() else (unit, "")
        found[name] = int(number) * factors[unit]
    assert {zarr_docs.code(row[0])[0]: bytes_of(row[1]) for row in rows} == found
    for row in rows:
        name = zarr_docs.code(row[0])[0]
        cpl.clear()
        gdal.SetConfigOption(name, "lots")
        try:
            gdal.Open(str(REPOSITORY / "data" / "terrain.zarr"))
        finally:
            gdal.SetConfigOption(name, None)
        expected = f'{name}: expected a number from 1 to {bytes_of(row[2])}, got "lots"; the default is used'
        assert cpl.warnings == [expected]
    # opening a raster reads GDAL's options again, which resets the limits of the driver
    gdal.Open(str(REPOSITORY / "data" / "terrain.zarr"))


# Codecs in the tables of the documentation pages


def codecs_of_the_registry():
    """Returns (names, refused, provided). `names` has (name in Zarr v2, name in Zarr v3) for each codec in kCodecs of
    registry.cpp, and `refused` has the names in kRefused and kRefusedForeign. `provided` has the names of the codecs that
    the driver adds, which are refused only without it."""
    text = (REPOSITORY / "core" / "codec" / "registry.cpp").read_text()
    rows = re.search(r"kCodecs\[\] = \{(.*?)\n\};", text, re.DOTALL)[1]
    refused = "".join(re.findall(r"kRefused(?:Foreign)?\[\] = \{(.*?)\n\};", text, re.DOTALL))
    folder = REPOSITORY / "driver" / "codec"
    ids = re.search(r"kImageCodecs\[\] = \{(.*?)\};", (folder / "image_formats.h").read_text(), re.DOTALL)[1]
    others = re.search(r"id : \{(.*?)\}", (folder / "driver_codecs.cpp").read_text())[1]
    provided = set(re.findall(r'"([^"]*)"', ids + others))
    return re.findall(r'\{"([^"]*)", "([^"]*)",', rows), set(re.findall(r'\{"([^"]*)",', refused)) - provided, provided


def test_codecs_are_those_of_the_registry():
    codecs, refused, provided = codecs_of_the_registry()
    rows = [row for section in ("Compressors", "Filters and serializers")
            for row in zarr_docs.table("compatibility.md", section)]  # fmt: skip
    listed = [tuple((zarr_docs.code(cell) or [""])[0] for cell in row[:2]) for row in rows]
    assert sorted(listed) == sorted(codecs) and len(listed) > 30
    named = {name for row in zarr_docs.table("compatibility.md", "Refused by name") for name in zarr_docs.code(row[0])}
    v2_alone = {v2 for v2, v3 in codecs if not v3}
    assert named == refused - v2_alone
    files = zarr_docs.table("compatibility.md", "Image files and GRIB messages")
    assert sorted(zarr_docs.code(row[0])[0] for row in files) == sorted(provided) and len(provided) == 7


# Messages of docs/errors.md


def test_messages_are_on_the_page_once():
    messages = zarr_docs.messages()
    assert len(messages) == len(set(messages)) and len(messages) > 200


@pytest.mark.parametrize("message", PROVOKED)
def test_messages_are_spelled_as_here(message, tmp_path, cpl):
    reported = PROVOKED[message](tmp_path) or []
    texts = [text for _, _, text in cpl.events] + list(reported)
    assert any(zarr_docs.matches(message, text) for text in texts), texts


def test_other_messages_are_in_the_sources():
    files = [*REPOSITORY.glob("core/**/*.cpp"), *REPOSITORY.glob("driver/**/*.cpp")]
    text = "\n".join(file.read_text() for file in files)
    text = re.sub(r'"\s*"', "", text).replace('\\"', '"')
    others = [message for message in zarr_docs.messages() if message not in PROVOKED]
    assert len(others) < 10
    for message in others:
        for part in zarr_docs.PLACEHOLDER.split(message):
            assert part.strip(" :/") in text, message


def test_a_message_is_matched_as_a_whole():
    message = "/<path>: index <n> is outside"
    assert zarr_docs.matches(message, "a.zarr: /b: index 3 is outside")
    assert not zarr_docs.matches(message, "a.zarr: /b: index 3 is outside dimension x")
    assert not zarr_docs.matches(message, "a.zarr: /b: is outside")


# Links and pictures in the documentation pages


@pytest.mark.parametrize("name", LINKING)
def test_links_lead_somewhere(name):
    for link in zarr_docs.links(name):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = ((REPOSITORY / name).parent / path).resolve() if path else REPOSITORY / name
        assert target.exists() and target.is_relative_to(REPOSITORY), f"{name}: {link}"
        assert not anchor or anchor in zarr_docs.anchors(target), f"{name}: {link}"


def test_every_page_is_reached_from_the_guide():
    reached = {link.partition("#")[0] for link in zarr_docs.links("docs/guide.md")}
    pages = {path.name for path in DOCS.glob("*.md")} - {"guide.md"}
    further = {"opens_where.md"}  # the guide does not link to this page, but compatibility.md does
    assert pages - further <= reached and len(pages) > 10
    assert further <= {link.partition("#")[0] for link in zarr_docs.links("docs/compatibility.md")}


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.stem)
def test_each_page_says_first_who_should_read_it(path):
    lines = [line for line in path.read_text("utf-8").splitlines() if line]
    assert lines[0].startswith("# ") and lines[1].startswith("For "), lines[1]


def test_files_that_the_pages_name_exist():
    named = re.compile(r"`((?:core|driver|autotest|scripts|data|docs|cmake)/[\w./-]+)`")
    for name in LINKING:
        for path in named.findall((REPOSITORY / name).read_text(encoding="utf-8")):
            if "NAME" in path:  # NAME stands for a file that the reader creates
                continue
            assert (REPOSITORY / path).exists(), f"{name}: {path}"


def test_the_pictures_are_those_of_the_sources(tmp_path):
    program = DOCS / "make_design_pictures.py"
    subprocess.run([sys.executable, "-B", str(program), str(tmp_path)], check=True)
    for name in ("layers.svg", "read_path.svg"):
        assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes(), (
            f"docs/{name} is not what the sources say: run docs/make_design_pictures.py"
        )
        xml.etree.ElementTree.fromstring((DOCS / name).read_text(encoding="utf-8"))
