# SPDX-License-Identifier: MIT
"""Makes GDAL load the driver under test, and refuses to run against any other driver.

GDAL_DRIVER_PATH  folder(s) with the plugin; default <repository>/build/gdalplugins.
ZARR_DUMP         the executable zarr_dump; default <plugin folder>/../bin/zarr_dump.
ZARR_ENCODE       the executable zarr_encode; default <plugin folder>/../bin/zarr_encode.
ZARR_TEST_THREADS number of threads that read and decode (GDAL_NUM_THREADS) unless a test sets another.
ZARR_TEST_FORMATS "one" runs each test in only one of its formats, chosen by a hash of the test's name.
ZARR_TEST_CASES   maximum number of cases of one test, chosen by a hash of their names; or "values": each value of
                  each parameter is in a case; or "pairs": each pair of values of two parameters is in a case, and
                  each value if the test is slow. The other cases are deselected. Tests marked every_case always
                  run all cases.
ZARR_TEST_SEED    seed of the random tests, eight hex digits; random by default, printed at the end."""

import collections
import itertools
import os
import pathlib
import secrets
import shutil
import sys
import tempfile
import zlib

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "autotest" / "gdrivers"))

os.environ.setdefault("GDAL_DRIVER_PATH", str(REPOSITORY / "build" / "gdalplugins"))
PLUGIN_FOLDER = pathlib.Path(os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[0]).resolve()
os.environ["GDAL_DRIVER_PATH"] = os.pathsep.join(
    [str(PLUGIN_FOLDER)] + os.environ["GDAL_DRIVER_PATH"].split(os.pathsep)[1:]
)
# Names of test modules that take more than half a minute each, without the prefix "test_zarr_".
LONGEST = {
    "check", "cold_open", "delete_killed", "eopf", "no_memory", "profile", "property", "replace", "resume",
    "rio_commands", "secrets", "soak", "time", "unload", "utilities",
}  # fmt: skip
FAILED = pytest.StashKey()  # True in a test's stash if its setup, call or teardown has failed
SELECTIONS = {"values": 1, "pairs": 2}  # how many values each meet in a case
TOOLS = {"ZARR_DUMP": "zarr_dump", "ZARR_ENCODE": "zarr_encode"}
for variable, tool in TOOLS.items():
    os.environ.setdefault(variable, str(PLUGIN_FOLDER.parent / "bin" / tool))
# Remove settings of the user that could change the results of the tests.
for name in ("GDAL_NUM_THREADS", "GDAL_SKIP", "GDAL_PAM_ENABLED", "CPL_DEBUG", "ZARR_DEFAULT_FORMAT"):
    os.environ.pop(name, None)
os.environ["GDAL_PAM_ENABLED"] = "NO"
# Servers of the tests fail on purpose, so that waits between repeated requests are short.
os.environ["GDAL_HTTP_RETRY_DELAY"] = "0.001"
# Runs with different ZARR_TEST_THREADS show that the number of threads does not change what the driver returns.
if os.environ.get("ZARR_TEST_THREADS"):
    os.environ["GDAL_NUM_THREADS"] = os.environ["ZARR_TEST_THREADS"]
# Seed of all random tests; set once, so that the processes of pytest-xdist inherit it.
if not os.environ.get("ZARR_TEST_SEED"):
    os.environ["ZARR_TEST_SEED"] = secrets.token_hex(4)

import zarr_formats  # noqa: E402  (in the folder that joined the path above)


def missing_parts():
    """Returns sentences that say why the tests cannot run; empty if they can."""
    if "osgeo" in sys.modules:
        return ["osgeo was imported before GDAL_DRIVER_PATH was set"]
    if not PLUGIN_FOLDER.is_dir():
        return [f"{PLUGIN_FOLDER} is not a folder: build the driver, or set GDAL_DRIVER_PATH"]
    from osgeo import gdal

    gdal.DontUseExceptions()  # the tests read errors from the error log of zarr_gdal.py instead
    gdal.AllRegister()
    problems = []
    if gdal.GetDriverByName("Zarr") is None:
        problems.append("GDAL has no driver called Zarr")
    # This driver renames GDAL's built-in driver, so ZarrBuiltin exists only if the plugin was loaded.
    if gdal.GetDriverByName("ZarrBuiltin") is None:
        problems.append(f"GDAL's own Zarr driver is in use: no plugin of ours in {PLUGIN_FOLDER}")
    for variable in TOOLS:
        if not os.access(os.environ[variable], os.X_OK):
            problems.append(f"{os.environ[variable]} is not there: build it, or set {variable}")
    return problems


def pytest_configure(config):
    config.addinivalue_line("markers", "formats(*versions): of Zarr, in which a test runs")
    config.addinivalue_line("markers", "slow: takes over 0.3 s; the quick run of the tests leaves it out")
    config.addinivalue_line("markers", "every_case: runs in all cases, whatever ZARR_TEST_CASES says")
    problems = missing_parts()
    if problems:
        pytest.exit("\n".join(["cannot test the Zarr driver:"] + problems), returncode=3)


def pytest_report_header(config):
    from osgeo import gdal

    return [
        f"GDAL {gdal.__version__}, plugins from {PLUGIN_FOLDER}",
        f"zarr_dump: {os.environ['ZARR_DUMP']}",
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    leave_out_cases(config, items)
    # Sort tests by module and format, because pytest would otherwise create fixtures of a module, such as servers, more
    # than once.
    modules = {item.path: number for number, item in reversed([*enumerate(items)])}
    # pytest-xdist starts modules in this order. The longest come first, so that no core is idle at the end.
    for path in modules:
        if path.stem.removeprefix("test_zarr_") in LONGEST:
            modules[path] -= len(items)
    items.sort(key=lambda item: (modules[item.path], format_of(item)))


def format_of(item):
    """Returns the Zarr version of a test, "2" or "3"."""
    return str(item.callspec.params.get("zarr_format", 2)) if hasattr(item, "callspec") else "2"


def leave_out_cases(config, items):
    selection = os.environ.get("ZARR_TEST_CASES")
    if not selection:
        return
    cases = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("every_case") is None and hasattr(item, "callspec"):
            cases[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for of_one_test in cases.values():
        # The order depends on nothing but names, so that equal cases are left out everywhere.
        of_one_test.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        left_out.update(repeated(of_one_test, selection) if selection in SELECTIONS else of_one_test[int(selection) :])
    if left_out:
        config.hook.pytest_deselected(items=sorted(left_out, key=lambda item: item.nodeid))
        items[:] = [item for item in items if item not in left_out]


def repeated(items, selection):
    """Returns cases of a test that can be left out: in the others, every value of a parameter still stands, or every two
    values of two parameters still meet."""
    size = 1 if items[0].get_closest_marker("slow") else SELECTIONS[selection]
    met, left_out = set(), []
    for item in items:
        values = [*enumerate(item.callspec._idlist)]  # a name for each @pytest.mark.parametrize
        new = set(itertools.combinations(values, min(size, len(values)))) - met
        met |= new
        if not new:
            left_out.append(item)
    return left_out


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"random tests: ZARR_TEST_SEED={os.environ['ZARR_TEST_SEED']}")


def pytest_generate_tests(metafunc):
    marker = metafunc.definition.get_closest_marker("formats")
    if marker is not None:
        versions = list(marker.args)
        if os.environ.get("ZARR_TEST_FORMATS") == "one":
            versions = [versions[zlib.crc32(metafunc.definition.nodeid.encode()) % len(versions)]]
        names = [f"v{version}" if isinstance(version, int) else version for version in versions]
        metafunc.parametrize("zarr_format", versions, ids=names, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def zarr_format(request):
    """Zarr version of the running test, which is 2 unless the test has a marker of zarr_formats.py. A module fixture
    that makes stores must request this fixture."""
    version = getattr(request, "param", 2)
    with zarr_formats.running(version):
        yield version


@pytest.fixture
def cpl():
    """Errors and warnings that GDAL emits in this thread during the test."""
    import zarr_gdal

    with zarr_gdal.error_log() as log:
        yield log


@pytest.fixture(autouse=True)
def default_error_policy():
    """Turns GDAL's Python exceptions off before and after each test."""
    from osgeo import gdal

    gdal.DontUseExceptions()
    gdal.ErrorReset()
    yield
    gdal.DontUseExceptions()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        item.stash[FAILED] = True


@pytest.fixture
def tmp_path(tmp_path, request):
    """Replaces pytest's tmp_path, and removes the folder of a passed test, because a run writes gigabytes."""
    yield tmp_path
    if not request.node.stash.get(FAILED, False):
        shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def module_folders(request, tmp_path_factory):
    """Removes the files of module fixtures, unless a test of the module failed."""
    base, failed = tmp_path_factory.getbasetemp(), request.session.testsfailed
    before = set(base.iterdir())
    yield
    if request.session.testsfailed == failed:
        for path in set(base.iterdir()) - before:
            path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def public_folder():
    """Temporary folder that every user of the machine may enter, unlike pytest's own."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="zarr-test-"))
    folder.chmod(0o755)
    yield folder
    for file in folder.rglob("*"):
        file.chmod(0o755)
    shutil.rmtree(folder)
