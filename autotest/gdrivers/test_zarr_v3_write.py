# SPDX-License-Identifier: MIT
"""The driver writes Zarr v3 stores, and changes stores of zarr-python. zarr-python 3, zarrita and the driver
must read equal values."""

import base64
import json
import re
import shutil

import numpy as np
import pytest
import zarr3
import zarr3_arrays
import zarr3_check
import zarr_gdal
import zarr_mdim
import zarr_mdim_write
from osgeo import gdal, gdal_array, osr
from zarr3 import BIG, CRC32C, LITTLE, blosc, codec, document, gzip, sharding, transpose, zstd
from zarr_edit import Editor

V3 = "FORMAT=ZARR_V3"
RAMP = np.arange(3 * 9 * 14, dtype="i2").reshape(3, 9, 14) % 97
TYPES = ["u1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "c8", "c16"]
# Texts in the errors that zarrita reports for unsupported data types and codecs. zarrita supports neither nested shards
# nor a shard index at the start.
ZARRITA_LACKS = ("Unknown or unsupported dataType", "Unknown codec", "codec not")


def driver():
    return gdal.GetDriverByName("Zarr")


def raster(values, place=None):
    """Returns a raster in memory. `values` has the shape (bands, rows, columns) or (rows, columns)."""
    values = values if values.ndim == 3 else values[None]
    kind = gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype.type)
    dataset = gdal.GetDriverByName("MEM").Create(
        "", values.shape[2], values.shape[1], values.shape[0], kind
    )
    for i, band in enumerate(values):
        dataset.GetRasterBand(i + 1).WriteArray(band)
    if place:
        dataset.SetGeoTransform(place)
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32632)
        dataset.SetSpatialRef(srs)
    return dataset


def names_of(codecs):
    return [item if isinstance(item, str) else item["name"] for item in codecs]


def configuration(metadata, name):
    """Returns the configuration of the codec `name` in an array's zarr.json, even if the codec is inside of shards."""
    found = []
    todo = list(metadata["codecs"])
    while todo:
        item = todo.pop(0)
        if item["name"] == name:
            found.append(item.get("configuration", {}))
        todo += item.get("configuration", {}).get("codecs", [])
    return found[0] if found else None


def inner(metadata):
    return configuration(metadata, "sharding_indexed")["chunk_shape"]


def grid(metadata):
    return metadata["chunk_grid"]["configuration"]["chunk_shape"]


def keys(metadata):
    encoding = metadata["chunk_key_encoding"]
    return encoding["name"], encoding.get("configuration", {}).get("separator")


# name -> (values, creation options, condition for the array's zarr.json)
COPIES = {
    "no option": (RAMP[0], [], lambda m: keys(m) == ("default", "/")),
    **{f"type {t}": (RAMP[0].astype(t), ["BLOCKSIZE=4,5"], lambda m: grid(m) == [4, 5]) for t in TYPES},
    **{
        f"COMPRESS={name}": (RAMP, ["BLOCKSIZE=1,4,5", f"COMPRESS={name}"], check)
        for name, check in {
            "NONE": lambda m: names_of(m["codecs"]) == ["bytes"],
            "GZIP": lambda m: names_of(m["codecs"]) == ["bytes", "gzip"],
            "ZSTD": lambda m: names_of(m["codecs"]) == ["bytes", "zstd"],
            "BLOSC": lambda m: configuration(m, "blosc")["typesize"] == 2,
            "ZLIB": lambda m: len(m["codecs"]) == 2,
            "LZ4": lambda m: len(m["codecs"]) == 2,
            "LZMA": lambda m: len(m["codecs"]) == 2,
            "BZ2": lambda m: len(m["codecs"]) == 2,
        }.items()
    },
    "GZIP_LEVEL": (RAMP[0], ["COMPRESS=GZIP", "GZIP_LEVEL=1"], lambda m: configuration(m, "gzip") == {"level": 1}),
    "ZSTD_LEVEL": (RAMP[0], ["COMPRESS=ZSTD", "ZSTD_LEVEL=5"], lambda m: configuration(m, "zstd")["level"] == 5),
    "BLOSC options": (
        RAMP[0], ["COMPRESS=BLOSC", "BLOSC_CNAME=zstd", "BLOSC_SHUFFLE=BIT", "BLOSC_CLEVEL=7"],
        lambda m: [configuration(m, "blosc")[n] for n in ("cname", "shuffle", "clevel")]
        == ["zstd", "bitshuffle", 7],
    ),
    "FILTER=DELTA": (RAMP[0], ["FILTER=DELTA", "COMPRESS=ZSTD"], lambda m: "numcodecs.delta" in names_of(m["codecs"])),
    "big endian": (RAMP, ["BLOCKSIZE=1,4,5", "ENDIAN=BIG"], lambda m: configuration(m, "bytes")["endian"] == "big"),
    "GDAL's endian": (RAMP[0], ["@ENDIAN=big", "COMPRESS=GZIP"], lambda m: configuration(m, "bytes")["endian"] == "big"),
    "big endian shards": (
        RAMP[0], ["BLOCKSIZE=8,10", "SHARD_CHUNK_SHAPE=2,5", "ENDIAN=BIG"],
        lambda m: configuration(m, "sharding_indexed")["codecs"][0]["configuration"]["endian"] == "big",
    ),
    "order F": (RAMP, ["BLOCKSIZE=2,4,5", "CHUNK_MEMORY_LAYOUT=F"], lambda m: configuration(m, "transpose")["order"] == [2, 1, 0]),
    "keys of v2": (RAMP, ["BLOCKSIZE=1,4,5", "CHUNK_KEY_ENCODING=V2"], lambda m: keys(m) == ("v2", ".")),
    "keys of v2 in folders": (
        RAMP, ["BLOCKSIZE=1,4,5", "CHUNK_KEY_ENCODING=V2", "DIM_SEPARATOR=/"], lambda m: keys(m) == ("v2", "/"),
    ),
    "keys with points": (RAMP, ["BLOCKSIZE=1,4,5", "DIM_SEPARATOR=."], lambda m: keys(m) == ("default", ".")),
    "SHARD": (RAMP, ["BLOCKSIZE=1,4,5", "SHARD=YES"], lambda m: inner(m) == [1, 4, 5] and grid(m) != [1, 4, 5]),
    "shard shape": (
        RAMP, ["BLOCKSIZE=2,8,10", "SHARD_CHUNK_SHAPE=1,4,5"],
        lambda m: inner(m) == [1, 4, 5] and grid(m) == [2, 8, 10],
    ),
    "shards with gzip": (
        RAMP[0], ["BLOCKSIZE=8,10", "SHARD_CHUNK_SHAPE=2,5", "COMPRESS=GZIP"],
        lambda m: names_of(configuration(m, "sharding_indexed")["codecs"]) == ["bytes", "gzip"]
        and names_of(configuration(m, "sharding_indexed")["index_codecs"]) == ["bytes", "crc32c"],
    ),
    "shards of doubles": (RAMP.astype("f8"), ["BLOCKSIZE=3,8,14", "SHARD_CHUNK_SHAPE=1,4,7", "COMPRESS=ZSTD"], lambda m: inner(m) == [1, 4, 7]),
    "pixels": (RAMP, ["INTERLEAVE=PIXEL"], lambda m: m["shape"] == [9, 14, 3]),
    "pixels in shards": (
        RAMP, ["INTERLEAVE=PIXEL", "BLOCKSIZE=8,10,3", "SHARD_CHUNK_SHAPE=4,5,3"], lambda m: inner(m) == [4, 5, 3],
    ),
}  # fmt: skip


class Written:
    """Result of writing one case. `problem` is the error of the driver, or None. `array` and `zarrita` are the
    results of zarr-python 3 and of zarrita."""

    def __init__(self, store, path):
        self.store, self.path, self.problem, self.array, self.zarrita = (
            store,
            path,
            None,
            None,
            None,
        )


def read_all(folder, cases):
    """Reads all written arrays with zarr-python and with zarrita. Stores the results in `cases`."""
    written = [case for case in cases if case.problem is None]
    for case in written:
        case.array = zarr3_arrays.read(case.store, case.path, may_fail=True)
    for case, values in zip(written, zarr3.zarrita_read([(c.store, c.path) for c in written])):
        case.zarrita = values


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("v3")
    found = {}
    for i, (name, (values, options, _)) in enumerate(COPIES.items()):
        case = found[name] = Written(folder / f"{i}.zarr", "v")
        with zarr_gdal.error_log() as log:
            source = raster(values, (500000, 10, 0, 5200000, 0, -10))
            made = driver().CreateCopy(
                str(case.store), source, options=[V3, "ARRAY_NAME=v", *options]
            )
            done = made is not None
            del made
        if not done or log.events:
            case.problem = f"{options}: {log.events}"
    read_all(folder, found.values())
    return found


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.slow
def test_copies_are_read_by_all_programs(copies, name):
    values, _, holds = COPIES[name]
    case = copies[name]
    assert case.problem is None, case.problem
    metadata = json.loads((case.store / "v/zarr.json").read_text())
    assert metadata["zarr_format"] == 3 and holds(metadata), metadata
    assert metadata["dimension_names"][-2:] == ["y", "x"] or "PIXEL" in str(COPIES[name][1])
    stored = np.moveaxis(values, 0, -1) if "INTERLEAVE=PIXEL" in COPIES[name][1] else values
    zarr_gdal.assert_same(case.array.values, stored, "zarr-python")
    assert_zarrita(case.zarrita, stored)
    dataset = zarr_gdal.open_raster(zarr_gdal.array_name(case.store, "v"))
    got = zarr_gdal.read_all(dataset)
    zarr_gdal.assert_same(got, zarr_gdal.as_raster(values), "GDAL")
    srs = dataset.GetSpatialRef()
    assert srs is not None and srs.GetAuthorityCode(None) == "32632"
    assert dataset.GetGeoTransform() == (500000, 10, 0, 5200000, 0, -10)


def assert_zarrita(got, wanted):
    if isinstance(got, str):
        assert any(words in got for words in ZARRITA_LACKS), got
    else:
        zarr_gdal.assert_same(got, wanted, "zarrita")


def test_zarrita_reads_most_cases(copies):
    """zarrita can read most cases. Otherwise, comparing with zarrita would prove little."""
    assert sum(not isinstance(case.zarrita, str) for case in copies.values()) > 2 * len(COPIES) // 3


def entries(metadata):
    """Returns {path: metadata of the node} from the consolidated metadata in a root's zarr.json. Omits the consolidated
    metadata that groups below the root have themselves."""
    nodes = metadata["consolidated_metadata"]["metadata"]
    return {
        path: {name: value for name, value in node.items() if name != "consolidated_metadata"}
        for path, node in nodes.items()
    }


@pytest.mark.parametrize("options", [[], ["SINGLE_ARRAY=NO"]])
def test_consolidated_metadata_are_as_zarr_python_has_them(tmp_path, options):
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), raster(RAMP, (0, 1, 0, 9, 0, -1)), options=[V3, *options])
    ours = json.loads((store / "zarr.json").read_text())
    assert ours["consolidated_metadata"]["kind"] == "inline"
    assert ours["consolidated_metadata"]["must_understand"] is False
    with_them, without = zarr3_arrays.tree(store, consolidated=True), zarr3_arrays.tree(store, consolidated=False)
    zarr3_arrays.consolidate(store)
    assert with_them == without and len(with_them) > 3
    assert entries(json.loads((store / "zarr.json").read_text())).keys() == entries(ours).keys()
    for path, node in entries(ours).items():
        assert node == json.loads((store / path / "zarr.json").read_text()), path


def test_no_consolidated_metadata(tmp_path):
    store = tmp_path / "a.zarr"
    options = [V3, "CREATE_CONSOLIDATED_METADATA=NO"]
    driver().CreateCopy(str(store), raster(RAMP), options=options)
    assert json.loads((store / "zarr.json").read_text()).get("consolidated_metadata") is None
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), RAMP)


def test_nothing_of_version_2_is_left(tmp_path):
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), raster(RAMP), options=["ARRAY_NAME=v"])
    driver().CreateCopy(str(store), raster(RAMP), options=[V3, "ARRAY_NAME=v"])
    assert not list(store.rglob(".z*")) and (store / "v/zarr.json").exists()
    driver().CreateCopy(str(store), raster(RAMP), options=["ARRAY_NAME=v"])
    assert not list(store.rglob("zarr.json")) and (store / "v/.zarray").exists()


@pytest.mark.parametrize("nodata", [None, 0, -9999, 7])
def test_nodata_is_the_fill_value(tmp_path, nodata):
    """The nodata value of a raster becomes the fill value. Without a nodata value, the fill value is 0, and
    GDAL reports no nodata value."""
    source = raster(RAMP[0])
    if nodata is not None:
        source.GetRasterBand(1).SetNoDataValue(nodata)
    store = tmp_path / "a.zarr"
    driver().CreateCopy(str(store), source, options=[V3, "ARRAY_NAME=v"])
    metadata = json.loads((store / "v/zarr.json").read_text())
    assert metadata["fill_value"] == (nodata or 0)
    band = zarr_gdal.open_band(store)
    assert band.GetNoDataValue() == nodata
    zarr_gdal.assert_same(band.ReadAsArray(), RAMP[0])
    array = zarr3_arrays.read(store, "v")
    assert array.attributes.get("_FillValue") in (nodata, None)
    assert "gdal_has_nodata" not in array.attributes


def test_create_and_write_in_parts(tmp_path, cpl):
    """Windows across chunks and shards are written to a new raster, with flushes in between. All pixels have
    the last value that was written."""
    store, rng = tmp_path / "a.zarr", np.random.default_rng(5)
    options = [V3, "ARRAY_NAME=v", "BLOCKSIZE=16,20", "SHARD_CHUNK_SHAPE=4,5", "COMPRESS=ZSTD"]
    dataset = driver().Create(str(store), 47, 35, 1, gdal.GDT_Float32, options=options)
    wanted = np.zeros((35, 47), "f4")
    for i in range(20):
        y, x = rng.integers(0, 30), rng.integers(0, 40)
        height, width = rng.integers(1, 36 - y), rng.integers(1, 48 - x)
        part = rng.random((height, width)).astype("f4")
        wanted[y : y + height, x : x + width] = part
        dataset.GetRasterBand(1).WriteArray(part, int(x), int(y))
        if i % 7 == 6:
            dataset.FlushCache()
    del dataset
    array = zarr3_arrays.read(store, "v")
    zarr_gdal.assert_same(array.values, wanted)
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), wanted)
    cpl.assert_quiet()


# invalid creation option -> pattern of the error
REFUSED = {
    "SHARD_CHUNK_SHAPE=3,5": "3|multiple|divide",
    "SHARD_CHUNK_SHAPE=0,5": "SHARD_CHUNK_SHAPE",
    "SHARD_CHUNK_SHAPE=4": "SHARD_CHUNK_SHAPE",
    "CHUNK_KEY_ENCODING=V4": "CHUNK_KEY_ENCODING.*V4",
    "ENDIAN=MIDDLE": "ENDIAN.*MIDDLE",
    "DIM_SEPARATOR=-": "DIM_SEPARATOR.*-",
    "FORMAT=ZARR_V4": "FORMAT.*ZARR_V4",
}


@pytest.mark.parametrize("option", REFUSED)
def test_options_that_are_refused(tmp_path, option):
    store = tmp_path / "a.zarr"
    options = [V3] if not option.startswith("FORMAT") else []
    with zarr_gdal.error_log() as log:
        made = driver().CreateCopy(
            str(store), raster(RAMP[0]), options=[*options, "BLOCKSIZE=8,10", option]
        )
    assert made is None and not store.exists()
    assert re.search(REFUSED[option], log.the_error(), re.DOTALL)


@pytest.mark.parametrize(
    "option", ["SHARD=YES", "SHARD_CHUNK_SHAPE=2,2", "CHUNK_KEY_ENCODING=DEFAULT"]
)
def test_options_of_version_3_alone(tmp_path, option):
    with zarr_gdal.error_log() as log:
        made = driver().CreateCopy(str(tmp_path / "a.zarr"), raster(RAMP[0]), options=[option])
    assert made is None and "ZARR_V3" in log.the_error()


# Tests of the multidimensional API


def test_multidimensional_stores(tmp_path, cpl):
    """zarr-python 3 reads all groups, dimensions, numbers, texts and attributes that the driver has written."""
    store = tmp_path / "a.zarr"
    dataset = zarr_mdim_write.create(store, V3)
    root = dataset.GetRootGroup()
    deep = root.CreateGroup("deep")
    y, x = root.CreateDimension("y", "", "", 5), root.CreateDimension("x", "", "", 7)
    number = gdal.ExtendedDataType.Create(gdal.GDT_Float64)
    dem = root.CreateMDArray("dem", [y, x], number, ["BLOCKSIZE=4,4", "SHARD_CHUNK_SHAPE=2,2"])
    values = np.arange(35.0).reshape(5, 7)
    dem.SetNoDataValueDouble(-1)
    assert dem.Write(values) == gdal.CE_None
    dem.SetUnit("m")
    words = deep.CreateMDArray("words", [x], gdal.ExtendedDataType.CreateString())
    texts = np.array([t.encode() for t in ("a", "Höhe", "", "標高", "b", "c", "d")], object)
    assert zarr_mdim_write.write(words, {"": texts})
    for name, text in (("title", "Höhe"), ("n", "5")):
        attribute = root.CreateAttribute(name, [], gdal.ExtendedDataType.CreateString())
        attribute.WriteString(text)
    numbers = dem.CreateAttribute("numbers", [3], gdal.ExtendedDataType.Create(gdal.GDT_Int32))
    numbers.Write([1, 2, 3])
    del numbers, attribute, words, dem, x, y, deep, root, dataset
    got = {path: zarr3_arrays.read(store, path) for path in ("dem", "deep/words")}
    tree = zarr3_arrays.tree(store)
    zarr_gdal.assert_same(got["dem"].values, values)
    assert got["dem"].fill == -1 and got["dem"].dimension_names == ["y", "x"]
    assert got["dem"].attributes["numbers"] == [1, 2, 3] and got["dem"].attributes["units"] == "m"
    assert got["deep/words"].values.tolist() == [text.decode() for text in texts]
    assert tree[""]["attributes"] == {"title": "Höhe", "n": "5"} and "deep" in tree
    for path, wanted in (("dem", values), ("deep/words", got["deep/words"].values)):
        assert zarr3_check.mdim_problem(store, path, wanted) is None
    cpl.assert_quiet()


STRUCTURES = {
    "numbers": [("id", gdal.GDT_Int32), ("v", gdal.GDT_Float64)],
    "bytes": [("a", gdal.GDT_Byte), ("b", gdal.GDT_UInt16), ("c", gdal.GDT_Float32)],
}


@pytest.mark.parametrize("fields", STRUCTURES.values(), ids=STRUCTURES)
def test_structures(tmp_path, cpl, fields):
    """zarr-python reads structures that the driver writes. The driver uses zarr-python's spelling, because
    zarr-python 3.1 does not know the type "struct" of zarr-extensions."""
    store = tmp_path / "a.zarr"
    dataset = zarr_mdim_write.create(store, V3)
    root = dataset.GetRootGroup()
    kind = zarr_mdim_write.compound([(n, zarr_mdim_write.number(code)) for n, code in fields])
    records = root.CreateMDArray("records", [root.CreateDimension("y", "", "", 5)], kind)
    types = {n: np.dtype(gdal_array.GDALTypeCodeToNumericTypeCode(code)) for n, code in fields}
    values = {n: np.arange(5).astype(dtype) for n, dtype in types.items()}
    assert zarr_mdim_write.write(records, values)
    del records, kind, root, dataset
    metadata = json.loads((store / "records/zarr.json").read_text())
    pairs = [[n, dtype.name] for n, dtype in types.items()]
    assert metadata["data_type"] == codec("structured", fields=pairs)
    size = sum(dtype.itemsize for dtype in types.values())
    assert base64.b64decode(metadata["fill_value"]) == bytes(size)
    assert configuration(metadata, "bytes")["endian"] in ("little", "big")
    back = zarr_mdim.read(zarr_mdim.open_array(store, "records"))
    theirs = zarr3_arrays.read(store, "records")
    for name, column in values.items():
        zarr_gdal.assert_same(back[name], column)
        zarr_gdal.assert_same(theirs.values[name], column)
    cpl.assert_quiet()


def test_both_spellings_of_structures_are_read(tmp_path, cpl):
    dtype = np.dtype([("u", "<f4"), ("n", "<i2")])
    values = np.zeros((3, 4), dtype)
    values["u"], values["n"] = np.arange(12).reshape(3, 4) / 2, 7
    pairs = [["u", "float32"], ["n", "int16"]]
    objects = [{"name": name, "data_type": kind} for name, kind in pairs]
    for name, fields, fill in (
        ("structured", pairs, base64.b64encode(bytes(6)).decode()),
        ("structured", objects, {"u": 0, "n": 0}),
        ("struct", objects, {"u": 0, "n": 0}),
        ("struct", objects, base64.b64encode(bytes(6)).decode()),
    ):
        store = tmp_path / f"{name}_{type(fields[0]).__name__}_{type(fill).__name__}.zarr"
        store.mkdir()
        metadata = document((3, 4), codec(name, fields=fields), (3, 4), [LITTLE], fill)
        (store / "zarr.json").write_text(json.dumps(metadata))
        (store / "c/0").mkdir(parents=True)
        (store / "c/0/0").write_bytes(values.tobytes())
        dataset = zarr_gdal.open_raster(store)
        zarr_gdal.assert_same(dataset.GetRasterBand(1).ReadAsArray(), values["u"])
        zarr_gdal.assert_same(dataset.GetRasterBand(2).ReadAsArray(), values["n"])
    cpl.assert_quiet()


def test_mdim_translate(tmp_path):
    """gdalmdimtranslate copies a v2 store to v3 and back to v2, with creation options for arrays."""
    source, v3, v2 = tmp_path / "s.zarr", tmp_path / "v3.zarr", tmp_path / "v2.zarr"
    driver().CreateCopy(str(source), raster(RAMP), options=["ARRAY_NAME=v"])
    options = [V3, "ARRAY:IF(NAME=v):SHARD_CHUNK_SHAPE=1,4,7", "ARRAY:IF(NAME=v):BLOCKSIZE=3,8,14"]
    assert gdal.MultiDimTranslate(str(v3), str(source), format="Zarr", creationOptions=options)
    assert inner(json.loads((v3 / "v/zarr.json").read_text())) == [1, 4, 7]
    assert gdal.MultiDimTranslate(str(v2), str(v3), format="Zarr")
    for store in (v3, v2):
        dataset = zarr_gdal.open_raster(zarr_gdal.array_name(store, "v"))
        zarr_gdal.assert_same(dataset.ReadAsArray(), RAMP)
    array = zarr3_arrays.read(v3, "v")
    zarr_gdal.assert_same(array.values, RAMP)


# Tests of changes to stores that zarr-python has written

CHAINS = {
    "little": [LITTLE], "big": [BIG, zstd(1, True)], "transposed": [transpose(1, 0), LITTLE, blosc()],
    "gzip": [LITTLE, gzip(1), CRC32C], "shards": [sharding((2, 3), [LITTLE, zstd()])],
    "index at the start": [sharding((2, 3), [BIG], index_location="start")],
    "transposed in shards": [sharding((2, 3), [transpose(1, 0), LITTLE, gzip()], [BIG])],
    "shards in shards": [sharding((4, 3), [sharding((2, 1), [LITTLE, gzip()])]), CRC32C],
    "delta": [codec("numcodecs.delta", dtype="<i2"), LITTLE],
}  # fmt: skip
LATER = {"later": {"name": "x", "must_understand": False, "more": [1, {"a": None}]}}


def others_store(folder, chain, consolidated=False, values=RAMP[0]):
    store = folder / "a.zarr"
    metadata = document(
        values.shape, str(values.dtype), (4, 6)[: values.ndim], chain, -1,
        dimension_names=["y", "x"][: values.ndim], attributes={"units": "m", "list": [1, "a", None]},
    )  # fmt: skip
    zarr3_arrays.group(store, "", {"title": "t"})
    zarr3_arrays.array(store, "v", metadata, values)
    if consolidated:
        zarr3_arrays.consolidate(store)
    return store


def assert_consolidated(store):
    """Asserts that the consolidated metadata equals the metadata documents of all nodes. Returns False if there is no
    consolidated metadata."""
    metadata = json.loads((store / "zarr.json").read_text())
    if metadata.get("consolidated_metadata") is None:
        return False
    held = entries(metadata)
    files = {
        str(file.parent.relative_to(store)): json.loads(file.read_text())
        for file in store.rglob("zarr.json") if file.parent != store
    }  # fmt: skip
    assert held == files
    return True


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("chain", CHAINS)
def test_update_in_place(tmp_path, cpl, chain, consolidated):
    """The driver changes a store of zarr-python: a window across chunks, an absent chunk, and a chunk that
    becomes the fill value. zarr-python reads all values."""
    values = RAMP[0].copy()
    values[:4, :6] = -1  # the first chunk is absent, because -1 is the fill value
    store = others_store(tmp_path, CHAINS[chain], consolidated, values)
    before = json.loads((store / "v/zarr.json").read_text())
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    for y, x, part in (
        (3, 4, np.full((4, 5), 500)),
        (0, 0, np.full((1, 1), 7)),
        (8, 12, np.full((1, 2), -1)),
    ):
        values[y : y + part.shape[0], x : x + part.shape[1]] = part
        dataset.GetRasterBand(1).WriteArray(part.astype("i2"), x, y)
    del dataset
    array = zarr3_arrays.read(store, "v")
    zarr_gdal.assert_same(array.values, values)
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), values)
    assert json.loads((store / "v/zarr.json").read_text()) == before
    assert assert_consolidated(store) == consolidated
    cpl.assert_quiet()


def test_chunks_that_become_empty_are_deleted(tmp_path):
    store = others_store(tmp_path, CHAINS["shards"])
    assert (store / "v/c/0/0").exists()
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.GetRasterBand(1).WriteArray(np.full((4, 6), -1, "i2"))
    del dataset
    assert not (store / "v/c/0/0").exists() and (store / "v/c/0/1").exists()


@pytest.mark.parametrize("consolidated", [False, True])
def test_attributes_and_unknown_members(tmp_path, cpl, consolidated):
    """Changing attributes keeps members of zarr.json that the driver does not know."""
    store = others_store(tmp_path, CHAINS["shards"], consolidated)
    for file in (store / "v/zarr.json", store / "zarr.json"):
        metadata = {**json.loads(file.read_text()), **LATER}
        if consolidated and file.parent == store:
            metadata["consolidated_metadata"]["metadata"]["v"].update(LATER)
        file.write_text(json.dumps(metadata))
    before = json.loads((store / "v/zarr.json").read_text())
    dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
    dataset.SetMetadataItem("more", "text")
    dataset.GetRasterBand(1).SetUnitType("ft")
    del dataset
    after = json.loads((store / "v/zarr.json").read_text())
    attributes = after.pop("attributes")
    assert attributes["units"] == "ft" and attributes["list"] == [1, "a", None]
    before.pop("attributes")
    assert after == before and after["later"] == LATER["later"]
    root = json.loads((store / "zarr.json").read_text())
    assert root["later"] == LATER["later"] and root["attributes"]["title"] == "t"
    assert "text" in (attributes.get("more"), root["attributes"].get("more"))
    assert assert_consolidated(store) == consolidated
    array = zarr3_arrays.read(store, "v")
    zarr_gdal.assert_same(array.values, RAMP[0])
    cpl.assert_quiet()


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("chain", ["little", "shards", "transposed", "shards in shards"])
@pytest.mark.slow
def test_resize(tmp_path, chain, consolidated):
    """An array is shortened and then enlarged again. Elements that were cut off read as the fill value."""
    store = others_store(tmp_path, CHAINS[chain], consolidated)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(resize="v", to=[5, 8])
        edit.do(resize="v", to=[10, 15])
    wanted = np.full((10, 15), -1, "i2")
    wanted[:5, :8] = RAMP[0][:5, :8]
    array = zarr3_arrays.read(store, "v")
    assert array.document["shape"] == [10, 15]
    zarr_gdal.assert_same(array.values, wanted)
    zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), wanted)
    assert assert_consolidated(store) == consolidated


@pytest.mark.parametrize("consolidated", [False, True])
def test_rename_and_delete(tmp_path, consolidated):
    store = others_store(tmp_path, CHAINS["shards"], consolidated)
    with Editor(store) as edit:
        edit.do(hold="v", **{"from": "root"}, array="v")
        edit.do(rename="v", to="height")
        edit.do(create="group", **{"from": "root"}, name="g")
        edit.do(create="dimension", **{"from": "g"}, name="d", size=3)
        edit.do(create="array", **{"from": "g"}, name="w", dimensions=["d"])
        edit.do(create="array", **{"from": "root"}, name="gone", dimensions=["d"])
        edit.do(write="w", values=[1, 2, 3])
        edit.do(delete="array", **{"from": "root"}, name="gone")
    tree, height, w = zarr3_arrays.tree(store), zarr3_arrays.read(store, "height"), zarr3_arrays.read(store, "g/w")
    assert sorted(tree) == ["", "g", "g/w", "height"]
    assert not (store / "v").exists() and not (store / "gone").exists()
    zarr_gdal.assert_same(height.values, RAMP[0])
    assert w.values.tolist() == [1, 2, 3] and w.document["zarr_format"] == 3
    assert assert_consolidated(store) == consolidated
    with Editor(store) as edit:
        edit.do(delete="group", **{"from": "root"}, name="g")
    assert not (store / "g").exists() and assert_consolidated(store) == consolidated


@pytest.mark.parametrize("consolidated", [False, True])
def test_append_a_subdataset(tmp_path, consolidated):
    """An array that is added to a v3 store has version 3, even if new stores have another version by default."""
    store = others_store(tmp_path, CHAINS["shards"], consolidated)
    options = ["APPEND_SUBDATASET=YES", "ARRAY_NAME=w"]
    assert driver().CreateCopy(str(store), raster(RAMP[1]), options=options) is not None
    v, w = zarr3_arrays.read(store, "v"), zarr3_arrays.read(store, "w")
    zarr_gdal.assert_same(v.values, RAMP[0])
    zarr_gdal.assert_same(w.values, RAMP[1])
    assert not list(store.rglob(".z*")) and assert_consolidated(store) == consolidated


@pytest.mark.parametrize("chain", [[LITTLE], [sharding((1, 3, 5), [LITTLE, gzip()])]])
def test_append_along_a_dimension(tmp_path, cpl, chain):
    """CreateCopy() appends slices along the dimension time. zarr-python has written the array, and the array /time has
    the units that xarray writes."""
    store = tmp_path / "a.zarr"
    place = {"y": 5199995.0 - 10 * np.arange(9), "x": 500005.0 + 10 * np.arange(14)}
    zarr3_arrays.group(store)
    zarr3_arrays.array(store, "v", document(
        (2, 9, 14), "int16", (2, 9, 15), chain, 0, dimension_names=["time", "y", "x"]), RAMP[:2]
    )  # fmt: skip
    zarr3_arrays.array(store, "time", document(
        (2,), "int64", (3,), [LITTLE], 0, dimension_names=["time"],
        attributes={"units": "days since 2020-01-01", "calendar": "standard"}),
        np.array([0, 1]),
    )  # fmt: skip
    for name, values in place.items():
        metadata = document(values.shape, "float64", fill_value="NaN", dimension_names=[name])
        zarr3_arrays.array(store, name, metadata, values)
    zarr3_arrays.consolidate(store)
    source = raster(RAMP[2:], (500000, 10, 0, 5200000, 0, -10))
    options = ["APPEND_SUBDATASET=YES", "APPEND_DIM=time", "APPEND_DIM_VALUES=2020-01-05"]
    assert driver().CreateCopy(str(store), source, options=options) is not None, cpl.events
    v, time = (zarr3_arrays.read(store, path) for path in ("v", "time"))
    zarr_gdal.assert_same(v.values, RAMP)
    assert time.values.tolist() == [0, 1, 4]
    assert assert_consolidated(store)
    cpl.assert_quiet()


def test_delete_copy_and_rename_stores(tmp_path):
    store = others_store(tmp_path, CHAINS["shards"], True)
    copy, moved = tmp_path / "b.zarr", tmp_path / "c.zarr"
    shutil.copytree(store, copy)
    assert driver().Rename(str(moved), str(copy)) == gdal.CE_None and not copy.exists()
    zarr_gdal.assert_same(zarr_gdal.open_raster(moved).ReadAsArray(), RAMP[0])
    assert driver().Delete(str(moved)) == gdal.CE_None and not moved.exists()
    assert driver().Delete(zarr_gdal.array_name(store, "v")) == gdal.CE_None
    assert not (store / "v").exists() and assert_consolidated(store)


def test_both_write_into_one_array(tmp_path, cpl):
    """GDAL and zarr-python write to one array in turn. All values are kept."""
    store = tmp_path / "a.zarr"
    options = [V3, "ARRAY_NAME=v", "BLOCKSIZE=8,10", "SHARD_CHUNK_SHAPE=2,5"]
    driver().CreateCopy(str(store), raster(RAMP[0]), options=options)
    wanted = RAMP[0].copy()
    for turn in range(2):
        part = np.full((3, 7), 100 + turn, "i2")
        wanted[1 + turn : 4 + turn, 2:9] = part
        zarr3_arrays.write(store, "v", part, (1 + turn, 2))
        zarr_gdal.assert_same(zarr_gdal.open_raster(store).ReadAsArray(), wanted)
        dataset = gdal.OpenEx(str(store), gdal.OF_RASTER | gdal.OF_UPDATE)
        dataset.GetRasterBand(1).WriteArray(np.full((2, 2), 300 + turn, "i2"), 7, 5)
        wanted[5:7, 7:9] = 300 + turn
        del dataset
    array = zarr3_arrays.read(store, "v")
    zarr_gdal.assert_same(array.values, wanted)
    cpl.assert_quiet()
