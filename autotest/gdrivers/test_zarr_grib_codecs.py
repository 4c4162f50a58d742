# SPDX-License-Identifier: MIT
"""Chunks that are GRIB messages, which GDAL's driver GRIB decodes: the codecs of kerchunk and gribberish."""

import concurrent.futures
import json
import os
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import config_options, error_of, read_array
from zarr_references import run
from zarr_store import handmade

ROWS, COLUMNS = 19, 36


def grid(north_first=True, columns=COLUMNS, rows=ROWS, step=10):
    """Returns the keys of a regular grid of the whole Earth."""
    first, last = (90, -90) if north_first else (-90, 90)
    return [
        ["Ni", columns], ["Nj", rows], ["jScansPositively", int(not north_first)],
        ["latitudeOfFirstGridPointInDegrees", first], ["latitudeOfLastGridPointInDegrees", last],
        ["longitudeOfFirstGridPointInDegrees", 0], ["longitudeOfLastGridPointInDegrees", 360 - step],
        ["iDirectionIncrementInDegrees", step], ["jDirectionIncrementInDegrees", step],
    ]  # fmt: skip


# The grid of HRRR, with fewer points.
LAMBERT = [
    ["gridType", "lambert"], ["Nx", 30], ["Ny", 20], ["shapeOfTheEarth", 6], ["jScansPositively", 1],
    ["latitudeOfFirstGridPointInDegrees", 21.138123], ["longitudeOfFirstGridPointInDegrees", 237.280472],
    ["LaDInDegrees", 38.5], ["LoVInDegrees", 262.5], ["DxInMetres", 3000], ["DyInMetres", 3000],
    ["Latin1InDegrees", 38.5], ["Latin2InDegrees", 38.5], ["resolutionAndComponentFlags", 8],
]  # fmt: skip
POLAR = [
    ["gridType", "polar_stereographic"], ["Nx", 30], ["Ny", 20], ["shapeOfTheEarth", 6], ["jScansPositively", 1],
    ["latitudeOfFirstGridPointInDegrees", 41.6], ["longitudeOfFirstGridPointInDegrees", 185.1],
    ["LaDInDegrees", 60], ["orientationOfTheGridInDegrees", 225], ["DxInMetres", 11250], ["DyInMetres", 11250],
]  # fmt: skip

MERCATOR = [
    ["gridType", "mercator"], ["Ni", 30], ["Nj", 20], ["shapeOfTheEarth", 6], ["jScansPositively", 1],
    ["latitudeOfFirstGridPointInDegrees", 18], ["longitudeOfFirstGridPointInDegrees", 198],
    ["latitudeOfLastGridPointInDegrees", 19.34], ["longitudeOfLastGridPointInDegrees", 200.1], ["LaDInDegrees", 20],
    ["DiInMetres", 7500], ["DjInMetres", 7500],
]  # fmt: skip

EQUAL_AREA = [
    ["gridType", "lambert_azimuthal_equal_area"], ["Nx", 30], ["Ny", 20], ["shapeOfTheEarth", 6], ["jScansPositively", 1],
    ["latitudeOfFirstGridPointInDegrees", 40], ["longitudeOfFirstGridPointInDegrees", 5],
    ["standardParallelInDegrees", 52], ["centralLongitudeInDegrees", 10],
    ["xDirectionGridLengthInMetres", 5000], ["yDirectionGridLengthInMetres", 5000],
]  # fmt: skip


def case(packing, keys=None, sample="regular_ll_pl_grib2", rows=ROWS, columns=COLUMNS, gaps=False, bits=16, **more):
    keys = grid(rows=rows, columns=columns) if keys is None else keys
    keys = [*keys, *([["gaps", 1]] if gaps else []), ["packingType", packing], ["bitsPerValue", bits]]
    return {"sample": sample, "rows": rows, "columns": columns, "keys": keys, **more}


CASES = {
    "simple": case("grid_simple"),
    "simple-gaps": case("grid_simple", gaps=True),
    "complex": case("grid_complex"),
    "complex-gaps": case("grid_complex", gaps=True),
    "gfs": case("grid_complex_spatial_differencing"),
    "gfs-gaps": case("grid_complex_spatial_differencing", gaps=True),
    "jpeg": case("grid_jpeg"),
    "jpeg-gaps": case("grid_jpeg", gaps=True),
    "png": case("grid_png"),
    "png-gaps": case("grid_png", gaps=True),
    "south-first": case("grid_simple", grid(north_first=False)),
    "south-first-gaps": case("grid_simple", grid(north_first=False), gaps=True),
    "constant": case("grid_simple", constant=True),
    "constant-gaps": case("grid_simple", constant=True, gaps=True),
    "hrrr": case("grid_simple", LAMBERT, "GRIB2", 20, 30),
    "hrrr-complex": case("grid_complex_spatial_differencing", LAMBERT, "GRIB2", 20, 30),
    "polar": case("grid_simple", POLAR, "GRIB2", 20, 30),
    "mercator": case("grid_simple", MERCATOR, "GRIB2", 20, 30),
    "equal-area": case("grid_simple", EQUAL_AREA, "GRIB2", 20, 30),
    "gaussian": case("grid_simple", [], "regular_gg_pl_grib2", 64, 128),
    "rotated": case("grid_simple", grid(), "rotated_ll_pl_grib2"),
    "edition-1": case("grid_simple", sample="regular_ll_pl_grib1"),
    "edition-1-gaps": case("grid_simple", sample="regular_ll_pl_grib1", gaps=True),
}  # fmt: skip
UNSUPPORTED = {
    "ccsds": case("grid_ccsds"),
    "ieee": case("grid_ieee"),
    "north-to-south-columns": case("grid_simple", [*grid(), ["jPointsAreConsecutive", 1]]),
    "second-order": case("grid_simple", sample="regular_ll_pl_grib1"),
}


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """Returns a function from the name of a case to the bytes of its message, and one to the values, latitudes or
    longitudes that kerchunk's codec decodes."""
    folder = tmp_path_factory.mktemp("messages")
    run({"do": "encode_grib", "folder": str(folder), "cases": {**CASES, **UNSUPPORTED}})
    return (
        lambda name: (folder / f"{name}.bin").read_bytes(),
        lambda name, variable="values": np.load(folder / f"{name}.{variable}.npy"),
    )


def store_of(path, data, shape, stored="<f8", **options):
    """Writes an array of one chunk, the message `data`, as kerchunk does."""
    filters = [{"id": "grib", "var": "t", "dtype": np.dtype(stored).name, **options}]
    members = {"shape": shape, "chunks": shape, "dtype": stored, "filters": filters, "compressor": None}
    members.update({"fill_value": None, "order": "C", "zarr_format": 2})
    return handmade(path, metadata=json.dumps(members), files={".".join("0" for _ in shape): data})


def store_of_v3(path, data, shape, codec="gribberish", **options):
    document = {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "float64", "fill_value": "NaN", "attributes": {},
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "codecs": [{"name": codec, "configuration": {"var": "t", **options}}],
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
    }  # fmt: skip
    path.mkdir()
    (path / "zarr.json").write_text(json.dumps(document))
    (path / ".".join(["c", *("0" for _ in shape)])).write_bytes(data)
    return path


def assert_near(got, wanted):
    """Asserts that numbers are equal in the precision of float32, in which GDAL decodes, and that the same are NaN."""
    np.testing.assert_allclose(got, wanted, rtol=2.0**-22, atol=0)


@pytest.mark.parametrize("dtype", ["<f8", "<f4"])
@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_kerchunk(tmp_path, messages, name, dtype):
    message, decoded = messages
    wanted = decoded(name)
    got = read_array(store_of(tmp_path / "a.zarr", message(name), [1, *wanted.shape], dtype))
    assert got.dtype == np.dtype(dtype)
    assert_near(got[0], wanted)


def test_messages_are_decoded_on_several_threads(tmp_path, messages):
    """Each message of a time series is a chunk. Several datasets read all of them at the same time."""
    message, decoded = messages
    names = ["simple", "gfs-gaps", "jpeg", "png", "complex", "south-first-gaps"] * 4
    store = store_of(tmp_path / "a.zarr", b"", [1, ROWS, COLUMNS])
    document = json.loads((store / ".zarray").read_text())
    (store / ".zarray").write_text(json.dumps({**document, "shape": [len(names), ROWS, COLUMNS]}))
    for number, name in enumerate(names):
        (store / f"{number}.0.0").write_bytes(message(name))
    with config_options(GDAL_NUM_THREADS="4"), concurrent.futures.ThreadPoolExecutor(4) as pool:
        for got in pool.map(read_array, [store] * 8):
            for values, name in zip(got, names, strict=True):
                assert_near(values, decoded(name))


@pytest.mark.parametrize("variable", ["latitude", "longitude"])
@pytest.mark.parametrize("name", ["simple", "south-first", "hrrr", "polar", "mercator", "equal-area", "edition-1"])
def test_coordinates_are_those_of_kerchunk(tmp_path, messages, name, variable):
    message, decoded = messages
    wanted = decoded(name, variable)
    got = read_array(store_of(tmp_path / "a.zarr", message(name), list(wanted.shape), var=variable))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", ["gaussian", "rotated"])
def test_coordinates_that_are_refused(tmp_path, messages, name):
    message, decoded = messages
    store = store_of(tmp_path / "a.zarr", message(name), list(decoded(name).shape), var="latitude")
    assert "grib: GRIB: coordinates of Gaussian and rotated grids are unsupported" in error_of(store)


@pytest.mark.parametrize("variable", ["t", "latitude", "longitude", None])
@pytest.mark.parametrize("name", ["simple", "south-first-gaps", "gfs", "jpeg", "hrrr", "hrrr-complex", "png-gaps"])
def test_values_are_those_of_gribberish(tmp_path, messages, name, variable):
    message, decoded = messages
    shape = list(decoded(name).shape)
    if name not in ("hrrr", "hrrr-complex") and variable in ("latitude", "longitude"):
        shape = [shape[0] if variable == "latitude" else shape[1]]
    store = store_of_v3(tmp_path / "a.zarr", message(name), shape, var=variable)
    run({"do": "array_values", "target": str(tmp_path / "wanted.npy"), "store": str(store)})
    got, wanted = read_array(store), np.load(tmp_path / "wanted.npy")
    if variable in ("latitude", "longitude"):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6)
    else:
        assert_near(got, wanted)
        assert_near(got, decoded(name))


@pytest.mark.parametrize("name", ["gfs", "hrrr"])
def test_references_of_kerchunk(tmp_path, messages, name):
    """scan_grib() writes references to a file, whose values and coordinates the driver reads through them."""
    message, decoded = messages
    path = tmp_path / "a.grib"
    path.write_bytes(message(name))
    run({"do": "kerchunk_grib", "target": str(tmp_path / "a.json"), "path": str(path)})
    document = json.loads((tmp_path / "a.json").read_text())["refs"]
    coordinates = {"latitude", "longitude"}
    arrays = {key.split("/")[0] for key in document if key.endswith(".zarray") and '"grib"' in document[key]}
    (variable,) = arrays - coordinates
    assert_near(read_array(tmp_path / "a.json", variable).reshape(decoded(name).shape), decoded(name))
    for coordinate in arrays & coordinates:
        got = read_array(tmp_path / "a.json", coordinate)
        np.testing.assert_allclose(got, decoded(name, coordinate), rtol=0, atol=2e-6)
    assert (name == "hrrr") == bool(arrays & coordinates)


def set_bytes(data, at, *values):
    return data[:at] + bytes(values) + data[at + len(values) :]


@pytest.mark.parametrize("name, change, told", [
    ("simple", lambda data: data[:100], "GRIB: the message is truncated"),
    ("simple", lambda data: b"GRIX" + data[4:], "not a GRIB message"),
    ("simple", lambda data: set_bytes(data, 7, 3), "GRIB: edition 3 is unsupported"),
    ("simple", lambda data: data[:-4] + b"7778", "GRIB: the message has no end"),
    ("ieee", lambda data: data, "GRIB: packing of IEEE numbers (data representation template 4) is unsupported"),
    ("north-to-south-columns", lambda data: data, "GRIB: scanning mode 32, which is not west to east and row by row,"),
    ("second-order", lambda data: set_bytes(data, data.index(b"7777") - data_size(data) + 3, 0x40),
     "GRIB: second-order packing is unsupported"),
    ("polar", lambda data: data, "the GRIB message has 20 rows and 30 columns, the chunk 684 elements"),
])  # fmt: skip
def test_messages_that_are_refused(tmp_path, messages, name, change, told):
    message, _ = messages
    text = error_of(store_of(tmp_path / "a.zarr", change(message(name)), [ROWS, COLUMNS]))
    assert told in text and "grib: " in text and "a.zarr" in text


def data_size(data):
    """Returns the size of the last section of a message of edition 1, with the size of its end."""
    offset = 8
    for _ in range(2):  # the definitions of the product and the grid
        offset += int.from_bytes(data[offset : offset + 3], "big")
    return len(data) - 4 - offset


def test_ccsds_needs_libaec(tmp_path, messages):
    message, decoded = messages
    path = store_of(tmp_path / "a.zarr", message("ccsds"), [ROWS, COLUMNS])
    if gdal.GetDriverByName("GRIB").GetMetadataItem("HAVE_AEC") == "YES":
        assert_near(read_array(path), decoded("ccsds"))
    else:
        assert "CCSDS compression (data representation template 42) needs a GDAL whose driver GRIB has libaec" in error_of(path)


def message_with_marker(path, values, nodata):
    """Returns a message in whose values a number stands for missing ones, as GDAL writes it."""
    source = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, gdal.GDT_Float32)
    source.SetGeoTransform([0, 10, 0, 90, 0, -10])
    source.SetProjection('GEOGCS["a",DATUM["b",SPHEROID["c",6371229,0]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]')
    source.GetRasterBand(1).SetNoDataValue(nodata)
    source.WriteArray(values)
    options = ["DATA_ENCODING=COMPLEX_PACKING", "NBITS=16", "DECIMAL_SCALE_FACTOR=0"]
    gdal.GetDriverByName("GRIB").CreateCopy(str(path), source, options=options)
    return path.read_bytes()


def test_a_number_for_missing_values(tmp_path):
    values = np.arange(18 * 36, dtype="f4").reshape(18, 36)
    wanted = values.copy()
    values[3:5, 7:20], wanted[3:5, 7:20] = 9999, np.nan
    data = message_with_marker(tmp_path / "a.grib", values, 9999)
    # GDAL writes the southernmost row first.
    np.testing.assert_array_equal(read_array(store_of(tmp_path / "a.zarr", data, [18, 36])), wanted[::-1])


def test_a_number_for_missing_values_that_may_be_a_value(tmp_path):
    values = np.arange(18 * 36, dtype="f4").reshape(18, 36)
    data = message_with_marker(tmp_path / "a.grib", values, 300)
    told = "GRIB: the number 300.000000 for missing values lies between values, which is unsupported"
    assert told in error_of(store_of(tmp_path / "a.zarr", data, [18, 36]))


@pytest.mark.parametrize("changes, told", [
    ({"var": None}, "grib: var: expected the name of a variable"),
    ({"dtype": "int16"}, "grib: dtype: expected float32, float64 or null"),
    ({"dtype": "float32"}, "grib: dtype: float32 contradicts the type of the array, <f8"),
])  # fmt: skip
def test_options_that_are_invalid(tmp_path, messages, changes, told):
    message, _ = messages
    assert told in error_of(store_of(tmp_path / "a.zarr", message("simple"), [ROWS, COLUMNS], **changes))


@pytest.mark.parametrize("stored, told", [
    ("<i4", "GRIB messages are decoded to float32 or float64, not to <i4"),
    (">f8", "GRIB messages are decoded to the byte order of the computer, which >f8 is not"),
])  # fmt: skip
def test_types_without_grib_values(tmp_path, messages, stored, told):
    message, _ = messages
    assert told in error_of(store_of(tmp_path / "a.zarr", message("simple"), [ROWS, COLUMNS], stored))


def test_a_missing_driver_is_named(tmp_path, messages):
    message, _ = messages
    path = store_of(tmp_path / "a.zarr", message("simple"), [ROWS, COLUMNS])
    program = """
        import sys
        from osgeo import gdal
        gdal.DontUseExceptions()
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        assert gdal.Open(sys.argv[1]) is None
        print(gdal.GetLastErrorMsg())
    """
    words = [sys.executable, "-c", textwrap.dedent(program), str(path)]
    environment = {**os.environ, "GDAL_SKIP": "GRIB"}
    printed = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    assert "grib: GDAL's driver GRIB decodes it, which this GDAL lacks or skips" in printed


READER = """
    import json, os, resource, sys
    from osgeo import gdal

    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # AddressSanitizer reserves terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
    gdal.DontUseExceptions()
    answers = []
    for path in json.load(open(sys.argv[1])):
        errors = []
        gdal.PushErrorHandler(lambda kind, number, text: errors.append(text))
        values = gdal.Open(path).ReadAsArray()
        gdal.PopErrorHandler()
        answers.append([values is not None, errors])
    json.dump(answers, open(sys.argv[2], "w"))
"""


def test_damaged_messages_end_in_an_error(tmp_path, messages):
    """A child process with a limit of memory reads many damaged messages, and must survive. A failed read gives one error
    that names the codec. The child writes to a file, because GDAL's driver prints some errors."""
    message, decoded = messages
    generator = random.Random(os.environ.get("ZARR_TEST_SEED", "7"))
    paths = []
    for number in range(300):
        name = [*CASES][number % len(CASES)]
        data = bytearray(message(name))
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(min(len(data), generator.choice([60, 200, len(data)])))
            data[at] = generator.choice([0, 1, 0x7F, 0x80, 0xFF, generator.randrange(256)])
        paths.append(str(store_of(tmp_path / f"{number}.zarr", bytes(data), list(decoded(name).shape))))
    (tmp_path / "paths.json").write_text(json.dumps(paths))
    words = [sys.executable, "-c", textwrap.dedent(READER), str(tmp_path / "paths.json"), str(tmp_path / "answers.json")]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done
    answers = json.loads((tmp_path / "answers.json").read_text())
    for path, (is_read, errors) in zip(paths, answers, strict=True):
        assert is_read == (not errors), (path, errors)
        assert is_read or (len(errors) == 1 and "grib: " in errors[0]), (path, errors)
    assert sum(not is_read for is_read, _ in answers) > 30
