# SPDX-License-Identifier: MIT
"""GDAL's views of multidimensional arrays, and reads into data types that the caller selects."""

import numcodecs
import numpy as np
import pytest
import zarr_formats
import zarr_gdal
import zarr_mdim
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, open_raster
from zarr_store import handmade, make_array, make_store

pytestmark = zarr_formats.BOTH
CUBE = np.arange(5 * 6 * 7, dtype="i2").reshape(5, 6, 7)


@pytest.fixture
def cube(tmp_path):
    return zarr_mdim.open_array(make_array(tmp_path, CUBE, chunks=(2, 4, 3)))


VIEWS = [
    ("[1:4,::2,2]", CUBE[1:4, ::2, 2]),
    ("[::-1,::-2,6:1:-3]", CUBE[::-1, ::-2, 6:1:-3]),
    ("[-1,...,-2]", CUBE[-1, ..., -2]),
    ("[...]", CUBE),
    ("[2]", CUBE[2]),
    ("[newaxis,:,0,:]", CUBE[np.newaxis, :, 0, :]),
    ("[0,newaxis,::3,newaxis,5]", CUBE[0, np.newaxis, ::3, np.newaxis, 5]),
]


@pytest.mark.parametrize("expression, wanted", VIEWS)
def test_slices(cube, cpl, expression, wanted):
    view = cube.GetView(expression)
    zarr_gdal.assert_same(view.ReadAsArray(), wanted)
    cpl.assert_quiet()


def test_a_view_of_a_view(cube):
    view = cube.GetView("[::-1,1:,:]").GetView("[1:4,::2,3]").Transpose([1, 0])
    zarr_gdal.assert_same(view.ReadAsArray(), CUBE[::-1, 1:, :][1:4, ::2, 3].T.copy())


@pytest.mark.parametrize("expression, message", [
    ("[9]", "9 is out of bounds"), ("[:,:,:,:]", "Too many values"), ("[1:x]", "size 0 is not allowed"),
    ('["u"]', "not allowed on non-compound data type")])  # fmt: skip
def test_invalid_views(cube, cpl, expression, message):
    assert cube.GetView(expression) is None
    assert message in cpl.the_error()


@pytest.mark.parametrize("axes", [[2, 1, 0], [1, 2, 0], [0, -1, 2, 1], [-1, 2, 0, 1]])
def test_transpose(cube, axes):
    wanted = CUBE.transpose([axis for axis in axes if axis >= 0])
    for i, axis in enumerate(axes):
        wanted = np.expand_dims(wanted, i) if axis < 0 else wanted
    view = cube.Transpose(axes)
    zarr_gdal.assert_same(view.ReadAsArray(), np.ascontiguousarray(wanted))
    blocks = dict(enumerate([2, 4, 3]))
    for axis, block in zip(axes, view.GetBlockSize()):
        assert axis < 0 or block == blocks[axis]


@zarr_formats.V2
def test_members_of_structures(tmp_path, cpl):
    dtype = [("wind", [("u", "<f4"), ("v", ">f8")]), ("name", "<U5"), ("rgb", "u1", (3,)),
             ("when", "<M8[s]")]  # fmt: skip
    values = np.zeros((4, 5), dtype)
    values["wind"]["u"] = np.arange(20).reshape(4, 5) / 2
    values["wind"]["v"] = -np.arange(20).reshape(4, 5)
    values["name"] = np.array(["", "a", "höhe", "標高", "x"])
    values["rgb"] = np.arange(60).reshape(4, 5, 3)
    values["when"] = np.arange(20).reshape(4, 5).astype("M8[s]")
    array = zarr_mdim.open_array(make_array(tmp_path, values, chunks=(3, 2)))
    zarr_gdal.assert_same(array.GetView("['rgb[1]']").ReadAsArray(), values["rgb"][..., 1].copy())
    zarr_gdal.assert_same(array.GetView("['when']").ReadAsArray(), values["when"].view("i8"))
    v = array.GetView("['wind']").GetView("['v']")
    zarr_gdal.assert_same(v.ReadAsArray(), values["wind"]["v"].astype("f8"))
    zarr_gdal.assert_same(
        v.GetView("[1:,::-2]").ReadAsArray(), values["wind"]["v"][1:, ::-2].astype("f8")
    )
    names = zarr_mdim.read(array.GetView("['name']"))[""]
    assert names.tolist() == [[text.encode() for text in row] for row in values["name"].tolist()]
    assert array.GetView("['name']").GetView("[2,:]").Read() == values["name"][2].tolist()
    cpl.assert_quiet()
    assert array.GetView("['nope']") is None


# -------------------------------------------------------------------------------------------------
# Reads into other data types, compared with the MEM driver


def memory_copy(values, data_type):
    """Returns an array of GDAL's MEM driver with `values` as `data_type`."""
    root = gdal.GetDriverByName("MEM").CreateMultiDimensional("copy").GetRootGroup()
    dimensions = [root.CreateDimension(f"d{i}", "", "", n) for i, n in enumerate(values.shape)]
    array = root.CreateMDArray("a", dimensions, data_type)
    assert array.Write(values if values.dtype.kind != "U" else values.tolist()) == gdal.CE_None
    return root, array


TARGETS = [gdal.ExtendedDataType.Create(code) for code in zarr_mdim.NUMBER_TYPES]
TARGETS.append(gdal.ExtendedDataType.CreateString())
SOURCES = {
    "i1": [-128, -1, 0, 5, 127], "u1": [0, 1, 255], "i2": [-32768, -1, 300],
    "i4": [-(2**31), 7, 2**31 - 1], "u4": [0, 2**32 - 1], "i8": [-(2**63), 2**53 + 1, 2**63 - 1],
    "u8": [2**64 - 1, 2**53 + 1], "f2": [0.5, -1.5, 65504], "f4": [0.1, -2.5, 1e10, 3.4e38],
    "f8": [0.1, -0.5, 1.5, 2.5, 1e300, -1e20, 255.4], "c8": [1.5 - 2.5j, 300 + 1e10j],
    "c16": [0.1 + 0.2j, -1e300 + 5j],
}  # fmt: skip


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("code", SOURCES)
def test_numbers_in_other_types(tmp_path, cpl, code, order):
    """Numbers that are read as another type are clamped, rounded or formatted as by GDAL's MEM driver."""
    values = np.array(SOURCES[code], code).astype(order + code)
    array = zarr_mdim.open_array(make_array(tmp_path, values, chunks=2))
    _, copy = memory_copy(zarr_gdal.as_gdal(values), array.GetDataType())
    for target in TARGETS:
        got, wanted = (zarr_mdim.read(a, data_type=target)[""] for a in (array, copy))
        if wanted.dtype == object:
            assert got.tolist() == wanted.tolist(), (code, target.GetName())
        else:
            zarr_gdal.assert_same(got, wanted, f"{code} as {target.GetNumericDataType()}")
    cpl.assert_quiet()


@pytest.mark.parametrize("dtype", ["<U12", ">U12", "S12", "O"])
def test_strings_in_other_types(tmp_path, dtype):
    """Strings of this driver can be read as numbers if strings of GDAL's MEM driver can. With GDAL 3.6, neither driver
    reads strings as numbers."""
    words = ["12", "-3.75", "1e10", "", "snow", "300", "0x10"]
    store = tmp_path / "words.zarr"
    values = np.array(words, dtype)
    codec = {"object_codec": numcodecs.VLenUTF8()} if dtype == "O" else {}
    zarr.save_array(str(store), values, chunks=3, **codec)
    array = zarr_mdim.open_array(store)
    _, copy = memory_copy(np.array(words), gdal.ExtendedDataType.CreateString())
    for code in (gdal.GDT_Byte, gdal.GDT_Int16, gdal.GDT_Int64, gdal.GDT_Float64):
        target = gdal.ExtendedDataType.Create(code)
        with zarr_gdal.error_log():
            got, wanted = (zarr_mdim.read(a, data_type=target) for a in (array, copy))
        assert (got is None) == (wanted is None)
        if wanted is not None:
            zarr_gdal.assert_same(got[""], wanted[""], f"{dtype} as {code}")


def test_types_that_do_not_go_together(tmp_path, cpl):
    """Reading a structure as a number is an error, and so is reading a number as a structure."""
    values = np.zeros(3, [("a", "i4"), ("b", "S2")])
    array = zarr_mdim.open_array(make_array(tmp_path, values))
    number = gdal.ExtendedDataType.Create(gdal.GDT_Float64)
    assert zarr_mdim.read(array, data_type=number) is None
    assert zarr_mdim.read(array, data_type=gdal.ExtendedDataType.CreateString()) is None
    plain = zarr_mdim.open_array(make_array(tmp_path, np.zeros(3), name="b.zarr"))
    assert zarr_mdim.read(plain, data_type=array.GetDataType()) is None
    assert cpl.errors != []


def test_a_member_that_does_not_exist(tmp_path):
    values = np.arange(3, dtype="i4").view([("a", "i4")])
    array = zarr_mdim.open_array(make_array(tmp_path, values))
    member = gdal.EDTComponent.Create("z", 0, gdal.ExtendedDataType.Create(gdal.GDT_Int32))
    assert zarr_mdim.read(
        array, data_type=gdal.ExtendedDataType.CreateCompound("t", 4, [member])
    ) is None  # fmt: skip


@pytest.mark.parametrize("start, count, step", [
    ([4], [2], [1]), ([5], [1], [1]), ([0], [6], [1]), ([1], [3], [-1]), ([0], [3], [3]),
    ([2**63], [1], [1]), ([0], [2**62], [1]), ([0], [2], [2**62]), ([4], [2], [-(2**62)]),
    ([1], [2], [-(2**63)]),
])  # fmt: skip
def test_windows_beyond_the_array(tmp_path, cpl, start, count, step):
    array = zarr_mdim.open_array(make_array(tmp_path, np.arange(5)))
    if count[0] > 1000:  # the window exceeds memory, so is_refused() passes a buffer of one element
        assert zarr_mdim.is_refused(array, start, count, step)
    else:
        assert zarr_mdim.read(array, start, count, step) is None
    assert cpl.the_error().startswith("arrayStartIdx[0] ")


# -------------------------------------------------------------------------------------------------
# Masks, scales and classic datasets of multidimensional arrays


def test_mask(tmp_path):
    values = np.array([[0, 7, 3], [-5, 100, 50]], "i2")
    attrs = {"_FillValue": 7, "valid_range": [0, 60]}
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"], "attrs": attrs}})
    mask = zarr_mdim.open_array(store, "a").GetMask()
    assert mask.GetDataType().GetNumericDataType() == gdal.GDT_Byte
    assert mask.ReadAsArray().tolist() == [[1, 0, 1], [0, 0, 1]]
    assert mask.GetView("[::-1,1]").ReadAsArray().tolist() == [0, 0]


@pytest.mark.parametrize(
    "attrs, wanted",
    [({}, [1, 1, 1, 1]), ({"valid_min": 3}, [0, 1, 1, 1]), ({"valid_max": 50}, [1, 1, 1, 0]),
     ({"missing_value": 50}, [1, 1, 0, 1])],
)  # fmt: skip
def test_masks_of_other_attributes(tmp_path, attrs, wanted):
    values = np.array([0, 3, 50, 100], "i2")
    store = make_store(tmp_path, {"a": {"values": values, "attrs": attrs}})
    assert zarr_mdim.open_array(store, "a").GetMask().ReadAsArray().tolist() == wanted


def test_mask_of_nan_and_of_times(tmp_path):
    numbers, times = np.array([1, np.nan, 3], "f4"), np.array([1, "NaT", 3], "M8[s]")
    store = make_store(
        tmp_path, {"f": {"values": numbers, "fill_value": "NaN"}, "t": {"values": times}}
    )
    for name in "ft":
        assert zarr_mdim.open_array(store, name).GetMask().ReadAsArray().tolist() == [1, 0, 1]


def test_unscaled(tmp_path):
    values = np.array([[0, 10, -1], [3, 4, 5]], "i2")
    attrs = {"scale_factor": 0.5, "add_offset": 100.0, "_FillValue": -1}
    store = make_store(tmp_path, {"a": {"values": values, "dims": ["y", "x"], "attrs": attrs}})
    unscaled = zarr_mdim.open_array(store, "a").GetUnscaled()
    assert unscaled.GetDataType().GetNumericDataType() == gdal.GDT_Float64
    got = unscaled.ReadAsArray()
    keep = values != -1
    assert got[keep].tolist() == (values[keep] * 0.5 + 100).tolist()
    nodata = unscaled.GetNoDataValue()
    assert np.isnan(got[0, 2]) if np.isnan(nodata) else got[0, 2] == nodata


@pytest.mark.parametrize("x, y", [(2, 1), (1, 2), (0, 2), (2, 0), (1, 0)])
def test_classic_datasets_of_any_axes(tmp_path, x, y):
    store = make_store(tmp_path, {"a": {"values": CUBE, "dims": ["z", "y", "x"],
                                        "attrs": {"units": "K"}, "chunks": (2, 4, 3)}})  # fmt: skip
    dataset = zarr_mdim.open_array(store, "a").AsClassicDataset(x, y)
    (z,) = {0, 1, 2} - {x, y}
    zarr_gdal.assert_same(zarr_gdal.read_all(dataset), np.ascontiguousarray(CUBE.transpose(z, y, x)))
    assert dataset.GetRasterBand(1).GetUnitType() == "K"


def test_classic_dataset_of_the_array_is_the_raster(tmp_path):
    """The classic dataset of an array has all properties of its raster, even after the multidimensional objects are
    released."""
    attrs = {"units": "K", "scale_factor": 0.5, "note": "x"}
    store = make_store(tmp_path, {
        "t": {"values": CUBE, "dims": ["time", "y", "x"], "attrs": attrs, "fill_value": 3},
        "time": {"values": np.arange(5), "dims": ["time"], "attrs": {"units": "days since 2000-1-1"}},
    })  # fmt: skip
    raster = open_raster(array_name(store, "t"))
    dataset = zarr_mdim.open_array(store, "t").AsClassicDataset(2, 1)
    zarr_gdal.assert_same(zarr_gdal.read_all(dataset), CUBE)
    assert dataset.GetMetadata() == raster.GetMetadata()
    for i in range(1, 6):
        a, b = dataset.GetRasterBand(i), raster.GetRasterBand(i)
        assert a.GetDescription() == b.GetDescription() and a.GetMetadata() == b.GetMetadata()
        assert (a.GetNoDataValue(), a.GetScale(), a.GetUnitType()) == (3, 0.5, "K")
        assert a.GetBlockSize() == b.GetBlockSize()


@pytest.mark.parametrize("x, y", [(0, 0), (3, 1), (0, 9)])
def test_classic_datasets_of_invalid_axes(cube, cpl, x, y):
    assert cube.AsClassicDataset(x, y) is None
    assert "Invalid iXDim and/or iYDim" in cpl.the_error()


def test_classic_dataset_of_a_view(cube):
    dataset = cube.GetView("[::-2,1:5,::3]").AsClassicDataset(2, 1)
    zarr_gdal.assert_same(
        zarr_gdal.read_all(dataset), np.ascontiguousarray(CUBE[::-2, 1:5, ::3])
    )


def test_classic_dataset_of_one_dimension(tmp_path):
    array = zarr_mdim.open_array(make_array(tmp_path, np.arange(5, dtype="u2")))
    dataset = array.AsClassicDataset(0, 0)
    assert zarr_gdal.read_all(dataset).tolist() == [[[0, 1, 2, 3, 4]]]


def test_strings_are_no_classic_dataset(tmp_path, cpl):
    array = zarr_mdim.open_array(make_array(tmp_path, np.zeros((2, 3), "S2")))
    assert array.AsClassicDataset(1, 0) is None
    assert "numeric data type" in cpl.the_error()


def test_unsigned(tmp_path):
    """netCDF's attribute `_Unsigned` makes values and nodata unsigned."""
    store = make_store(tmp_path, {"a": {"values": np.array([[-1, 0], [127, -128]], "i1"),
                                        "attrs": {"_Unsigned": "true", "_FillValue": -1}}})  # fmt: skip
    array = zarr_mdim.open_array(store, "a")
    assert array.GetDataType().GetNumericDataType() == gdal.GDT_Byte
    assert array.ReadAsArray().tolist() == [[255, 0], [127, 128]]
    assert array.GetNoDataValue() == 255


def test_64_bit_nodata(tmp_path):
    for dtype, fill in (("<i8", 2**63 - 1), ("<u8", 2**64 - 1), (">u8", 2**53 + 1)):
        handmade(tmp_path / "a.zarr", dtype=dtype, fill_value=fill, files={})
        array = zarr_mdim.open_array(tmp_path / "a.zarr")
        assert array.GetNoDataValue() == fill and zarr_mdim.raw_nodata(array) == {"": fill}
    handmade(tmp_path / "a.zarr", fill_value=3, files={})
    array = zarr_mdim.open_array(tmp_path / "a.zarr")
    assert array.GetNoDataValueAsDouble() == 3.0 and array.GetNoDataValueAsInt64() == 3
    root = zarr_mdim.open_group(tmp_path / "a.zarr", "FILL_VALUE_AS_NODATA=NO")
    assert root.OpenMDArray("a").GetNoDataValue() is None


@pytest.mark.parametrize("attrs, unit, nodata, calendar", [
    ({}, "days since 1970-01-01", -(2**63), "proleptic_gregorian"),
    ({"_FillValue": 3}, "days since 1970-01-01", 3, "proleptic_gregorian"),
    ({"missing_value": 4}, "days since 1970-01-01", 4, "proleptic_gregorian"),
    ({"calendar": "julian"}, "days since 1970-01-01", -(2**63), "julian"),
])  # fmt: skip
def test_times(tmp_path, attrs, unit, nodata, calendar):
    """Times of NumPy (datetime64) are read as integers, with the CF attributes units and calendar."""
    values = np.array([1, 2, 3], "M8[D]")
    array = zarr_mdim.open_array(make_array(tmp_path, values, attrs=attrs))
    assert (array.GetUnit(), array.GetNoDataValue()) == (unit, nodata)
    found = [a for a in array.GetAttributes() if a.GetName() == "calendar"]
    assert [attribute.Read() for attribute in found] == [calendar]
    assert array.ReadAsArray().tolist() == [1, 2, 3]


def test_durations_have_no_calendar(tmp_path):
    array = zarr_mdim.open_array(make_array(tmp_path, np.array([1, 2], "m8[25s]")))
    assert array.GetUnit() == "seconds" and array.GetAttribute("calendar") is None
    np.testing.assert_array_equal(array.ReadAsArray(), [25, 50])


@zarr_formats.V2
def test_members_that_share_a_name(tmp_path):
    """A structure may have a subarray "a" and a field named "a[0]"; each is read from its own bytes."""
    values = np.zeros(3, [("a", "u1", (2,)), ("a[0]", "u2"), ("b", "i4")])
    values["a"], values["a[0]"], values["b"] = [[1, 2], [3, 4], [5, 6]], [300, 301, 302], 7
    array = zarr_mdim.open_array(make_array(tmp_path, values))
    buffer = zarr_mdim.read_into(array, [3], [1])
    got = [buffer.view(offset, zarr_mdim.number_dtype(code)).tolist()
           for _, offset, code in zarr_mdim.leaves(array.GetDataType())]  # fmt: skip
    assert got == [[1, 3, 5], [2, 4, 6], [300, 301, 302], [7, 7, 7]]


def test_masks_and_scales_are_for_numbers(tmp_path, cpl):
    for values in (np.array(["a", "b"]), np.zeros(2, [("a", "i4")])):
        array = zarr_mdim.open_array(make_array(tmp_path, values))
        assert (array.GetMask(), array.GetUnscaled(), array.ComputeStatistics()) == (None,) * 3
        assert len(cpl.errors) == 3
        cpl.clear()


def test_more_slices_than_bands_are_no_classic_dataset(tmp_path, cpl):
    store = tmp_path / "x.zarr"
    zarr.open_group(str(store), mode="w").array("a", np.zeros((70000, 1, 2), "u1"))
    root = gdal.OpenEx(str(store), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert root.OpenMDArray("a").AsClassicDataset(2, 1) is None
    assert "Too many bands" in cpl.the_error()
