# SPDX-License-Identifier: MIT
"""Checks that no exception leaves a function that GDAL calls. Such an exception, for example for lack of memory, would
end the host program.

Each function that GDAL calls must use Guarded() of driver/base/exception_guard.h, or be marked as a function that cannot
throw."""

import pathlib
import re

import pytest

DRIVER = pathlib.Path(__file__).resolve().parents[2] / "driver"
SOURCES = {path.relative_to(DRIVER).as_posix(): path.read_text() for path in sorted(DRIVER.rglob("*.cpp"))}
HEADERS = {path.relative_to(DRIVER).as_posix(): path.read_text() for path in sorted(DRIVER.rglob("*.h"))}

CLASS = re.compile(r"^class (\w+)[^;{]*?: public (?:GDAL|OGR|ZarrPam)\w+ \{\n(.*?)^\};", re.M | re.S)
OVERRIDE = re.compile(
    r"(~?\w+)\s*\([^;{}]*\)\s*(?:const\s*)?(noexcept\s*)?(?:ZARR_\w+_QUALIFIER\s*)?"
    r"(?:override|ZARR_OVERRIDE_\w+)\s*(;|\{\s*(?:return )?(?:zarr_driver::)?(Guarded\()?)")
OWN_VIRTUAL = re.compile(r"^\s+virtual [^;()]*?(\w+)\([^;]*\)[^;]*= 0;", re.M)
DEFINITION = r"^[\w:<>,&*\s]*?\b{name}\([^{{}};]*\)[^{{}};]*\{{\s*(?:return )?(?:zarr_driver::)?(Guarded\()?"


def is_guarded(name, sources):
    """Returns True if all definitions of the function `name` use Guarded(), and None if there is no definition."""
    found = [match.group(1) for text in sources for match in re.finditer(DEFINITION.format(name=name), text, re.M)]
    return all(found) if found else None


def unguarded(headers, sources):
    """Finds methods of `headers` that override methods of GDAL. Returns (names of those that may throw, number of all
    such methods)."""
    faults, count = [], 0
    headers = list(headers)
    # Virtual methods of the project's own classes, which GDAL does not call
    own = {name for text in headers for name in OWN_VIRTUAL.findall(text)}
    for text in headers:
        for name, body in CLASS.findall(text):
            for method, no_throw, ending, guarded in OVERRIDE.findall(body):
                count += 1
                if no_throw or guarded or method in own:
                    continue
                if ending != ";" or not is_guarded(f"{name}::{re.escape(method)}", sources):
                    faults.append(f"{name}::{method}")
    return faults, count


def test_methods_are_guarded():
    faults, count = unguarded([*HEADERS.values(), *SOURCES.values()], SOURCES.values())
    assert faults == []
    assert count > 100


def test_registered_functions_are_guarded():
    plugin = SOURCES["plugin.cpp"]
    names = re.findall(r"->pfn\w+ = (?:zarr_driver::)?(\w+);", plugin)
    assert len(names) >= 9
    behind = SOURCES["base/builtin_driver.cpp"]
    for name in re.findall(r"->pfn\w+ = (\w+Behind);", behind):
        assert is_guarded(name, [behind]), name
    for name in [*names, "GDALRegister_ZarrV2"]:
        assert is_guarded(name, [plugin, SOURCES["open.cpp"], SOURCES["store/store_management.cpp"],
                                 SOURCES["create/copy_files.cpp"],
                                 SOURCES["store/subdataset_info.cpp"]] if name in (
            "Identify", "Open", "Delete", "Rename", "CopyFiles", "GetSubdatasetInfo") else [plugin]), name  # fmt: skip


CHECKED = "class ZarrBand final : public GDALRasterBand {\n  public:\n    CPLErr Set(int n) override;\n};"


@pytest.mark.parametrize(
    ("header", "source", "fault"),
    [
        (CHECKED, "CPLErr ZarrBand::Set(int n) {\n    return Guarded(store(), [&] { return 1; });\n}", False),
        (CHECKED, "CPLErr ZarrBand::Set(int n) {\n    Guarded(store(), [&] { return 1; });\n}", False),
        (CHECKED, "CPLErr ZarrBand::Set(int n) {\n    return Try(store(), [&] { return 1; });\n}", True),
        (CHECKED, "CPLErr ZarrBand::Set(int n) {\n    n = Guarded(0);\n}", True),
        (CHECKED, "", True),
        (CHECKED.replace(") override", ") noexcept override"), "", False),
        (CHECKED.replace(") override;", ") override { return 1; }"), "", True),
        (CHECKED.replace(") override;", ") override { return Guarded(1); }"), "", False),
        (CHECKED.replace(") override;", ") const ZARR_OVERRIDE_3_8;"), "", True),
    ],
)
def test_checker_tells_guarded_and_unguarded_code_apart(header, source, fault):
    assert unguarded([header], [source]) == (["ZarrBand::Set"] * fault, 1)
