# SPDX-License-Identifier: MIT
"""Creates and writes arrays of all types by the multidimensional API. zarr-python must read equal values."""

import concurrent.futures
import json
import os
import random

import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr_formats
import zarr_mdim
import zarr_mdim_write as w
import zarr_python as zarr
import zarr_random_types as types
from osgeo import gdal, osr
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SEED = os.environ["ZARR_TEST_SEED"]
TEXTS = [t.encode() for t in types.TEXTS] + [None]
MAPPING = ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES"]
KINDS = [*w.DTYPES, "text", "text of 7 bytes", "compound"]


def random_leaf(draw, code, shape, length=0):
    """Returns random numbers from the whole range of the GDAL type `code`; if `code` is None, returns texts
    of at most `length` bytes."""
    if code is not None:
        dtype = np.dtype(w.DTYPES[code])
        return types._scalar_values(draw, dtype, int(np.prod(shape, dtype=int)), False).reshape(shape)
    texts = np.empty(shape, object)
    for index in np.ndindex(*shape):
        texts[index] = draw.choice([t for t in TEXTS if not length or len(t or b"") <= length])
    return texts


def random_compound(draw, depth=0):
    fields = []
    for i in range(draw.integer(1, 4)):
        name = draw.choice(["wind", "Höhe", "x y", "q-flag"]) + str(i)
        what = draw.random.random()
        if what < 0.2 and depth < 2:
            fields.append((name, random_compound(draw, depth + 1)))
        elif what < 0.4:
            fields.append((name, gdal.ExtendedDataType.CreateString(7)))
        elif what < 0.6:
            kind = w.number(draw.choice(w.DTYPES))
            fields += [(f"{name}[{k}]", kind) for k in range(draw.integer(1, 3))]
        else:
            fields.append((name, w.number(draw.choice(w.DTYPES))))
    return fields


def random_type(draw, kind):
    if kind == "text":
        return w.TEXT
    if kind == "text of 7 bytes":
        return gdal.ExtendedDataType.CreateString(7)
    return w.compound(random_compound(draw)) if kind == "compound" else w.number(kind)


def random_window(draw, shape):
    """Returns the start, count and step of a random window, each as a list by dimension. Steps may be positive,
    negative or 0."""
    start, count, step = [], [], []
    for size in shape:
        first = draw.integer(0, size - 1)
        by = draw.choice([1, 1, 1, 2, 3, -1, -2, 0])
        room = (size - 1 - first) if by > 0 else first
        most = room // abs(by) + 1 if by else 3
        start.append(first)
        count.append(draw.integer(1, most))
        step.append(by)
    return start, count, step


def random_stride(draw, count):
    """Returns strides of a block in memory whose dimensions have a random order and random directions."""
    order, stride, room = list(range(len(count))), [0] * len(count), draw.choice([1, 1, 2])
    draw.random.shuffle(order)
    for axis in order:
        stride[axis] = room * draw.choice([1, 1, -1])
        room *= count[axis]
    return stride


def put(model, values, start, step):
    """Writes a window of values to `model`, which has an array in memory for each member of the data type. If an
    element gets several values, the last one stays."""
    for index in np.ndindex(*next(iter(values.values())).shape):
        at = tuple(s + i * b for s, i, b in zip(start, index, step))
        for label, leaf in values.items():
            value = leaf[index]
            model[label][at] = (value or b"") if leaf.dtype == object else value


def array_options(draw, kind, shape):
    chunks = [draw.integer(1, size + 2) for size in shape]
    options = ["COMPRESS=" + draw.choice("NONE BLOSC ZLIB GZIP LZMA ZSTD LZ4 BZ2".split()),
               "CHUNK_MEMORY_LAYOUT=" + draw.choice("CF"), "DIM_SEPARATOR=" + draw.choice("./")]  # fmt: skip
    if shape and draw.chance(0.8):
        options.append("BLOCKSIZE=" + ",".join(map(str, chunks)))
    if kind in ("text of 7 bytes", "compound"):
        options.append("STRING_FORMAT=" + draw.choice(["ASCII", "UNICODE"]))
    return options


@zarr_formats.V2
@pytest.mark.parametrize("turn", range(6 * len(KINDS)))
def test_random_arrays_and_windows(tmp_path, cpl, turn):
    draw = types.Draw(SEED, turn)
    kind = KINDS[turn % len(KINDS)]
    told = f"ZARR_TEST_SEED={SEED} turn {turn} {kind}"
    shape = [draw.integer(1, 9) for _ in range(draw.integer(0, 4))]
    dataset = w.create(tmp_path / "r.zarr")
    group = dataset.GetRootGroup()
    if draw.chance(0.3):
        group = group.CreateGroup("inner")
    element = random_type(draw, kind)
    options = array_options(draw, kind, shape)
    array = group.CreateMDArray("v", w.dimensions(group, shape), element, options)
    assert array is not None, (told, gdal.GetLastErrorMsg())
    lengths = {label: 0 if kind == "text" else 7 for label, _, code in zarr_mdim.leaves(element)}
    model = {label: np.full(shape, b"", object) if code is None else np.zeros(shape, w.DTYPES[code])
             for label, _, code in zarr_mdim.leaves(element)}  # fmt: skip
    windows = [([0] * len(shape), shape, [1] * len(shape))] * draw.integer(0, 1)
    for start, count, step in windows + [random_window(draw, shape) for _ in range(8)]:
        values = {label: random_leaf(draw, code, count, lengths[label])
                  for label, _, code in zarr_mdim.leaves(element)}  # fmt: skip
        assert w.write(array, values, start, step, random_stride(draw, count)), told
        put(model, values, start, step)
        if draw.chance(0.3):
            w.assert_leaves(zarr_mdim.read(array), model, told)
        if draw.chance(0.2):
            dataset.FlushCache()
    path = array.GetFullName().lstrip("/")
    del dataset, group, array
    cpl.assert_quiet()
    with np.errstate(all="ignore"):
        got = zarr.open_group(str(tmp_path / "r.zarr"), mode="r")[path][...]
    got = w.flatten(np.array(got) if not isinstance(got, np.ndarray) else got)
    windows_cover = len(windows) > 0 or not shape
    if windows_cover:  # unwritten values are undefined in zarr-python if the fill value is null
        w.assert_leaves(got, model, told)
    w.assert_leaves(zarr_mdim.read(zarr_mdim.open_array(tmp_path / "r.zarr", path)), model, told)


@pytest.mark.parametrize("stored", w.DTYPES)
@pytest.mark.parametrize("buffer", zarr_mdim.NUMBER_TYPES)
def test_conversion(tmp_path, stored, buffer):
    """Numbers are converted between all pairs of types as GDALCopyWords64() converts them."""
    draw = types.Draw(SEED, stored * 100 + buffer)
    group = w.create(tmp_path / "c.zarr").GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [50]), w.number(stored))
    dtype = zarr_mdim.number_dtype(buffer)
    if buffer in w.DTYPES:
        values = random_leaf(draw, buffer, [50])
    else:  # random_leaf() makes no complex integers, so random bits are used
        values = draw.numpy.integers(0, np.iinfo(dtype).max, 50, dtype)
    assert w.write(array, {"": values}, data_type=w.number(buffer))
    wanted = np.empty(50, w.DTYPES[stored])
    zarr_mdim._LIBRARY.GDALCopyWords64(
        values.ctypes.data, buffer, dtype.itemsize, wanted.ctypes.data, stored,
        wanted.itemsize, 50,
    )  # fmt: skip
    got = zarr_mdim.read(array)[""]
    assert got.tobytes() == wanted.tobytes(), f"ZARR_TEST_SEED={SEED}"


@pytest.mark.parametrize("kind", ["S5", "U5", "str"])
def test_numbers_as_texts(tmp_path, kind):
    values = np.array(["9", "9", "9"], object).astype(object if kind == "str" else kind)
    options = {"object_codec": numcodecs.VLenUTF8()} if kind == "str" else {}
    store = make_store(tmp_path, {"v": {"values": values, **options}})
    array = w.update(store).GetRootGroup().OpenMDArray("v")
    number = {"": np.array([12], "i2")}
    assert w.write(array, number, start=[1], data_type=w.number(gdal.GDT_Int16))
    del array
    got = w.flatten(zarr.open_group(str(store), mode="r")["v"][...])[""].tolist()
    assert got == [b"9", b"12", b"9"]


def test_a_text_cannot_be_written_to_numbers(tmp_path, cpl):
    store = make_store(tmp_path, {"v": np.array([1, 2])})
    array = w.update(store).GetRootGroup().OpenMDArray("v")
    assert not w.write(array, {"": np.array([b"3"], object)}, data_type=w.TEXT)
    assert "not convertible to array data type" in cpl.the_error()


@pytest.mark.parametrize("kind, text, cause", [
    ("V3", "????", "base64"), ("V3", "AA==", "base64"),
])  # fmt: skip
def test_texts_that_are_no_elements(tmp_path, cpl, kind, text, cause):
    """A text that the array's type cannot hold gives an error, and no element is written."""
    values = np.array([b"abc"] * 4).astype(kind)
    store = make_store(tmp_path, {"g/v": {"values": values, "chunks": (2,)}})
    array = w.update(store).GetRootGroup().OpenGroup("g").OpenMDArray("v")
    texts = np.array([b"YWJj", text.encode(), b"YWJj", b"YWJj"], object)
    assert not w.write(array, {"": texts})
    assert cause in cpl.the_error() and "store.zarr: /g/v" in cpl.the_error()
    del array
    np.testing.assert_array_equal(zarr.open_group(str(store), mode="r")["g/v"][...], values)


@pytest.mark.parametrize("kind, text, cut", [
    ("S3", "four", "fou"), ("<U3", "four", "fou"), (">U3", "öööö", "ööö"), ("S3", "öö", "ö"),
    ("S1", "€", ""), ("<U1", "€€", "€"),
])  # fmt: skip
@pytest.mark.parametrize("many", [False, True])
def test_texts_that_are_too_long_are_cut_at_a_character(tmp_path, cpl, kind, text, cut, many):
    """Texts that are too long for the dtype are cut, with one warning for each call. Texts that fit are written
    unchanged."""
    store = make_store(tmp_path, {"g/v": {"values": np.zeros(4, kind), "chunks": (2,)}})
    array = w.update(store).GetRootGroup().OpenGroup("g").OpenMDArray("v")
    assert w.write(array, {"": np.array([b"a", text.encode(), b"b", text.encode() if many else b""], object)})
    assert cpl.errors == [] and len(cpl.warnings) == 1
    assert "store.zarr: /g/v" in cpl.warnings[0] and f'"{text}": too long for dtype' in cpl.warnings[0]
    assert ("truncated texts: 2" in cpl.warnings[0]) == many
    del array
    encode = (lambda value: value.encode()) if kind[0] == "S" else str
    expected = [encode(value) for value in ("a", cut, "b", cut if many else "")]
    assert zarr.open_group(str(store), mode="r")["g/v"][...].tolist() == expected


@pytest.mark.parametrize("option, length, dtype", [
    (None, 5, "|S5"), ("ASCII", 5, "|S5"), ("UNICODE", 5, "<U5"), ("STRING", 5, "|O"),
    (None, 0, "|O"), ("ASCII", 0, "|O"), ("UNICODE", 0, "|O"), ("STRING", 0, "|O"),
])  # fmt: skip
def test_string_format(tmp_path, cpl, option, length, dtype):
    dataset = gdal.GetDriverByName("Zarr").CreateMultiDimensional(str(tmp_path / "s.zarr"))
    group = dataset.GetRootGroup()
    array = group.CreateMDArray("s", [group.CreateDimension("d", None, None, 2)],
                                gdal.ExtendedDataType.CreateString(length),
                                [f"STRING_FORMAT={option}"] if option else [])  # fmt: skip
    assert array.Write(["aé€", ""]) == gdal.CE_None
    del array, group, dataset
    held = zarr.open_group(str(tmp_path / "s.zarr"), mode="r")["s"]
    assert held.dtype.kind in "OT" if dtype == "|O" else held.dtype == dtype  # kind T is NumPy 2's StringDType
    wanted = "aé€" if dtype != "|S5" else "aé".encode()  # the last character does not fit in 5 bytes
    assert held[0] == wanted
    assert len(cpl.warnings) == (dtype == "|S5") and cpl.errors == []


@zarr_formats.V2
@pytest.mark.parametrize("kind", ["b1", ">i2", ">f8", "<f2", ">c8", "M8[s]", ">m8[D]", "S4", ">U4",
                                  "V4", "struct", "str", "bytes"])  # fmt: skip
def test_update_of_a_store_of_zarr_python(tmp_path, cpl, kind):
    """zarr-python writes an array. This driver reads one half of the array, and writes its values to the other half."""
    draw = types.Draw(SEED, KINDS.index("text") * 1000 + len(kind))
    if kind == "struct":
        dtype = np.dtype([("a", ">i2"), ("b", "S3"), ("c", [("d", "<f4", (2,)), ("e", ">u8")])])
    else:
        dtype = np.dtype(object if kind in ("str", "bytes") else kind)
    name = f"object-{kind}" if dtype == object else kind
    values = types.random_values(draw, name, dtype, (10, 7))
    if kind == "bytes":
        values = np.array([v.rstrip(b"\x00\xff") for v in values.ravel()], object).reshape(10, 7)
    if kind in ("S4",):
        values = np.array([b"ab", b"", b"wxyz", b"q"] * 20, "S4")[:70].reshape(10, 7)
    if kind == "struct":
        values["b"] = draw.choice([b"", b"x", b"abc"])
    codec = {"str": numcodecs.VLenUTF8, "bytes": numcodecs.VLenBytes}.get(kind)
    options = {"object_codec": codec()} if codec else {}
    store = make_store(tmp_path, {"v": {"values": values, "chunks": (4, 3), **options}})
    array = w.update(store).GetRootGroup().OpenMDArray("v")
    half = zarr_mdim.read(array, [0, 0], [5, 7])
    assert w.write(array, half, [9, 0], [-1, 1])
    del array
    cpl.assert_quiet()
    got = zarr.open_group(str(store), mode="r")["v"][...]
    wanted = values.copy()
    wanted[9:4:-1] = values[:5]
    assert got.tobytes() == wanted.tobytes() if dtype != object else (got == wanted).all()


def test_members_of_a_structure(tmp_path, cpl):
    """Members of structures are matched by name; their order and types may differ. A member that only the caller's
    structure has is ignored; one that only the array's structure has is an error."""
    dtype = np.dtype([("a", "<i2"), ("b", "<f8"), ("c", "<u4")])
    store = make_store(tmp_path, {"v": {"values": np.zeros((6, 4), dtype), "chunks": (6, 3)}})
    array = w.update(store).GetRootGroup().OpenMDArray("v")
    fields = [("c", gdal.GDT_Byte), ("zz", gdal.GDT_Byte), ("b", gdal.GDT_Int32),
              ("a", gdal.GDT_Float32)]  # fmt: skip
    numbers = np.arange(24).reshape(6, 4)
    values = {name: (numbers + i).astype(w.DTYPES[code]) for i, (name, code) in enumerate(fields)}
    other = w.compound([(name, w.number(code)) for name, code in fields])
    assert w.write(array, values, data_type=other)
    cpl.assert_quiet()
    del fields[0]
    part = w.compound([(name, w.number(code)) for name, code in fields])
    assert not w.write(array, values, data_type=part)
    assert len(cpl.errors) == 1
    del array
    got = zarr.open_group(str(store), mode="r")["v"][...]
    for i, name in ((0, "c"), (2, "b"), (3, "a")):
        np.testing.assert_array_equal(got[name], numbers + i)


def test_description(tmp_path, cpl):
    """This driver and xarray read the unit, scale, offset, nodata value and CRS that were written."""
    dataset = w.create(tmp_path / "d.zarr")
    group = dataset.GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [4, 6], "yx"), w.number(gdal.GDT_Int16))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32632)
    assert array.SetUnit("K") == 0 and array.SetScale(0.5) == 0 and array.SetOffset(273.15) == 0
    assert array.SetNoDataValueDouble(-99) == 0 and array.SetSpatialRef(srs) == 0

    def check(described):
        assert described.GetUnit() == "K" and described.GetScale() == 0.5
        assert described.GetOffset() == 273.15
        assert described.GetNoDataValueAsDouble() == -99
        assert described.GetSpatialRef().IsSame(srs, MAPPING)
        assert {attribute.GetName() for attribute in described.GetAttributes()} == {
            "coordinates", "grid_mapping"}  # fmt: skip

    check(array)
    array.Write(np.full((4, 6), 2, "i2"), [0, 0], [4, 6])
    array.Write(np.full((1, 6), -99, "i2"), [3, 0], [1, 6])
    del array, group, dataset
    check(zarr_mdim.open_array(tmp_path / "d.zarr", "v"))
    opened = xr.open_zarr(str(tmp_path / "d.zarr"))
    assert (opened.v[:3] == 274.15).all() and np.isnan(opened.v[3]).all()
    assert opened.v.attrs["units"] == "K"
    cpl.assert_quiet()


@pytest.mark.parametrize("code, value", [
    (gdal.GDT_Int64, -(2**63) + 1), (gdal.GDT_UInt64, 2**64 - 1), (gdal.GDT_Float64, float("nan")),
    (gdal.GDT_Float32, float("inf")), (gdal.GDT_Byte, 255), (gdal.GDT_CFloat64, 1 - 2j),
])  # fmt: skip
def test_nodata(tmp_path, code, value):
    """The nodata value is stored exactly, and can be removed. Elements that were not written read as this value."""
    dataset = w.create(tmp_path / "n.zarr")
    group = dataset.GetRootGroup()
    for name in ("v", "w"):
        array = group.CreateMDArray(name, w.dimensions(group, [4]) if name == "v" else
                                    group.GetDimensions(), w.number(code))  # fmt: skip
        value = np.array(value, w.DTYPES[code])
        assert w.set_nodata(array, {"": value})
        np.testing.assert_array_equal(zarr_mdim.raw_nodata(array)[""], value)
    assert w.set_nodata(array, None) and zarr_mdim.raw_nodata(array) is None
    del array, group, dataset
    opened = zarr.open_group(str(tmp_path / "n.zarr"), mode="r")
    np.testing.assert_array_equal(opened["v"][...], np.full(4, value))
    np.testing.assert_array_equal(opened["v"].fill_value, value)
    assert opened["w"].fill_value is None and "_FillValue" not in opened["w"].attrs
    array = zarr_mdim.open_array(tmp_path / "n.zarr", "v")
    np.testing.assert_array_equal(zarr_mdim.raw_nodata(array)[""], value)


def test_nodata_of_a_new_array_that_is_opened_again(tmp_path):
    """Nobody has written to the array, so that its fill value follows."""
    dataset = w.create(tmp_path / "n.zarr")
    group = dataset.GetRootGroup()
    group.CreateMDArray("v", w.dimensions(group, [4]), w.number(gdal.GDT_Int16))
    assert group.OpenMDArray("v").SetNoDataValueDouble(-7) == 0
    del group, dataset
    opened = zarr.open_group(str(tmp_path / "n.zarr"), mode="r")["v"]
    assert opened.fill_value == -7 and (opened[...] == -7).all()


def test_nodata_of_an_array_with_values(tmp_path):
    """Setting a nodata value does not change absent chunks: in v2, the driver first stores them with the old fill
    value. The nodata value then becomes the fill value, by which xarray masks."""
    values = np.zeros((4, 4), "i2")
    store = make_store(tmp_path, {"v": {"values": values, "fill_value": 0, "chunks": (2, 2)}})
    for file in (store / "v").glob("[0-9]*"):
        file.unlink()
    array = w.update(store).GetRootGroup().OpenMDArray("v")
    assert array.SetNoDataValueDouble(-1) == 0 and array.GetNoDataValueAsDouble() == -1
    del array
    opened = zarr.open_group(str(store), mode="r")["v"]
    assert (opened[...] == 0).all() and opened.attrs["_FillValue"] == -1
    assert opened.fill_value == (0 if zarr_formats.is_v3() else -1)


@pytest.mark.parametrize("shape, size, most", [
    ((365, 721, 1440), 4, 4 << 20), ((10**6,), 8, 4 << 20), ((100000, 3), 8, 4 << 20),
    ((2, 2, 2), 8, 64), ((5,), 1, 5),
])  # fmt: skip
def test_default_chunks(tmp_path, shape, size, most):
    code = {1: gdal.GDT_Byte, 4: gdal.GDT_Float32, 8: gdal.GDT_Float64}[size]
    group = w.create(tmp_path / "k.zarr").GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, shape), w.number(code))
    chunks = array.GetBlockSize()
    assert most // 4 <= np.prod(chunks) * size <= most
    assert all(chunk <= side for chunk, side in zip(chunks, shape))
    if np.prod(shape) * size <= 4 << 20:
        assert chunks == list(shape)


@zarr_formats.V2
def test_default_encoding(tmp_path):
    group = w.create(tmp_path / "k.zarr").GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [4]), w.number(gdal.GDT_Float32))
    info = json.loads(array.GetStructuralInfo()["COMPRESSOR"])
    assert info == {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    text = group.CreateMDArray("t", group.GetDimensions(), w.TEXT, ["COMPRESS=ZSTD"])
    assert json.loads(text.GetStructuralInfo()["FILTERS"]) == [{"id": "vlen-utf8"}]
    assert json.loads(text.GetStructuralInfo()["COMPRESSOR"])["id"] == "zstd"


def test_views(tmp_path, cpl):
    """Values written to slices and transposed views change the array."""
    dataset = w.create(tmp_path / "v.zarr")
    group = dataset.GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [6, 8]), w.number(gdal.GDT_Int32))
    model = np.arange(48, dtype="i4").reshape(6, 8)
    array.Write(model)
    view = array.GetView("[::-2,3:7]")
    view.Write(np.full((3, 4), -5, "i4"))
    model[::-2, 3:7] = -5
    turned = array.Transpose([1, 0])
    turned.Write(np.arange(2, dtype="i4").reshape(2, 1), [1, 4], [2, 1])
    model.T[1:3, 4:5] = [[0], [1]]
    np.testing.assert_array_equal(array.ReadAsArray(), model)
    del view, turned, array, group, dataset
    cpl.assert_quiet()
    np.testing.assert_array_equal(zarr.open_group(str(tmp_path / "v.zarr"), mode="r")["v"], model)


def test_fill_value_chunks_are_not_stored(tmp_path):
    dataset = w.create(tmp_path / "v.zarr")
    group = dataset.GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [6]), w.number(gdal.GDT_Byte),
                                ["BLOCKSIZE=2"])  # fmt: skip
    array.SetNoDataValueDouble(9)
    array.Write(np.array([1, 2, 9, 9, 9, 3], "u1"))
    del array, group, dataset
    assert zarr_formats.chunk_keys(tmp_path / "v.zarr", "v") == ["0", "2"]


def test_random_order_of_everything(tmp_path):
    """Writes windows of several arrays in random order, while all arrays are open."""
    choose = random.Random(SEED)
    dataset = w.create(tmp_path / "r.zarr")
    root = dataset.GetRootGroup()
    size = root.CreateDimension("x", "", "", 40)
    models = {}
    for name in ("a", "g/b", "g/h/c"):
        group = root
        for part in name.split("/")[:-1]:
            group = group.OpenGroup(part) or group.CreateGroup(part)
        group.CreateMDArray(name[-1], [size], w.number(gdal.GDT_Int32), ["BLOCKSIZE=7"])
        models[name] = np.zeros(40, "i4")
    for turn in range(100):
        name = choose.choice(list(models))
        array = root.OpenMDArrayFromFullname("/" + name)
        at = choose.randrange(40)
        array.Write(np.array([turn], "i4"), [at], [1])
        models[name][at] = turn
        np.testing.assert_array_equal(array.ReadAsArray(), models[name], err_msg=SEED)
    del array, group, root, size, dataset
    stored = zarr.open_consolidated(str(tmp_path / "r.zarr"))
    for name, model in models.items():
        raw = zarr_mdim.open_array(tmp_path / "r.zarr", name).ReadAsArray()
        np.testing.assert_array_equal(raw, model)
        assert stored[name].shape == (40,) and stored[name].attrs["_ARRAY_DIMENSIONS"] == ["x"]


def test_threads(tmp_path, cpl):
    """Threads write and read different parts of the same chunks through one array."""
    dataset = w.create(tmp_path / "t.zarr")
    group = dataset.GetRootGroup()
    array = group.CreateMDArray("v", w.dimensions(group, [64, 50]), w.number(gdal.GDT_Int32),
                                ["BLOCKSIZE=20,30"])  # fmt: skip
    model = np.arange(64 * 50, dtype="i4").reshape(64, 50)

    def work(first):
        for row in range(first, 64, 4):
            array.Write(model[row : row + 1], [row, 0], [1, 50])
            got = array.ReadAsArray([row, 0], [1, 50])
            np.testing.assert_array_equal(got, model[row : row + 1])

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    del dataset, group, array
    cpl.assert_quiet()
    np.testing.assert_array_equal(zarr.open_group(str(tmp_path / "t.zarr"), mode="r")["v"], model)
