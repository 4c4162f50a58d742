# SPDX-License-Identifier: MIT
"""What bands have of their own, and an array has one of: scale, offset, unit, nodata."""

import json

import numpy as np
import pytest
from osgeo import gdal
from zarr_gdal import open_raster

SETTERS = {
    "scale": lambda band, i: band.SetScale(i + 2),
    "offset": lambda band, i: band.SetOffset(i + 2),
    "unit": lambda band, i: band.SetUnitType("mM"[i]),
    "nodata": lambda band, i: band.SetNoDataValue(i + 2),
    "nodata of one": lambda band, i: band.SetNoDataValue(2) if i else None,
}


def source_of(setter, bands=2):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, bands, gdal.GDT_Int16)
    for i in range(bands):
        source.GetRasterBand(i + 1).Fill(i + 5)
        source.GetRasterBand(i + 1).SetDescription(f"b{i}")
        setter(source.GetRasterBand(i + 1), i)
    return source


def facts(dataset):
    bands = [dataset.GetRasterBand(i + 1) for i in range(dataset.RasterCount)]
    return [(band.GetDescription(), band.GetScale() or 1, band.GetOffset() or 0, band.GetUnitType(),
             band.GetNoDataValue(), band.Checksum()) for band in bands]  # fmt: skip


def arrays_of(store):
    return sorted(path.parent.name for path in store.glob("*/.zarray"))


@pytest.mark.parametrize("what", SETTERS)
def test_a_copy_of_bands_that_differ_has_an_array_for_each(tmp_path, cpl, what):
    source = source_of(SETTERS[what])
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert arrays_of(tmp_path / "a.zarr") == ["b0", "b1"]
    assert facts(open_raster(tmp_path / "a.zarr")) == facts(source)
    assert cpl.events == []


@pytest.mark.parametrize("alike", [lambda band, i: None, lambda band, i: band.SetScale(3),
                                   lambda band, i: band.SetNoDataValue(7)])  # fmt: skip
def test_a_copy_of_bands_that_are_alike_has_one_array(tmp_path, cpl, alike):
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source_of(alike))
    assert "a" in arrays_of(tmp_path / "a.zarr")
    assert cpl.events == []


@pytest.mark.parametrize("second", [2**62 + 1, 2**62 + 2])
def test_nodata_of_64_bits_are_compared_exactly(tmp_path, cpl, second):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Int64)
    for i, value in enumerate((2**62 + 1, second)):
        source.GetRasterBand(i + 1).SetNoDataValueAsInt64(value)
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert len(arrays_of(tmp_path / "a.zarr")) == (1 if second == 2**62 + 1 else 2)
    assert cpl.events == []


def test_a_scale_of_one_is_none(tmp_path):
    source = source_of(lambda band, i: band.SetScale(1) if i else None)
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert "a" in arrays_of(tmp_path / "a.zarr")


def test_bands_without_a_value_and_with_nan_are_alike(tmp_path):
    source = gdal.GetDriverByName("MEM").Create("", 4, 3, 2, gdal.GDT_Float32)
    for i in (1, 2):
        source.GetRasterBand(i).SetNoDataValue(float("nan"))
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source)
    assert arrays_of(tmp_path / "a.zarr") == ["a"]


@pytest.mark.parametrize("option", ["SINGLE_ARRAY=YES", "INTERLEAVE=PIXEL", "ARRAY_NAME=x",
                                    "BLOCKSIZE=1,2,2"])  # fmt: skip
def test_where_an_option_asks_for_one_array_a_warning_says_what_it_keeps(tmp_path, cpl, option):
    source = source_of(SETTERS["scale"])
    gdal.GetDriverByName("Zarr").CreateCopy(str(tmp_path / "a.zarr"), source, options=[option])
    dataset = open_raster(tmp_path / "a.zarr")
    assert [dataset.GetRasterBand(i).GetScale() for i in (1, 2)] == [3, 3]
    assert cpl.errors == [] and len(cpl.warnings) == 1
    assert "bands differ in scale" in cpl.warnings[0] and "SINGLE_ARRAY=NO" in cpl.warnings[0]


def test_an_update_of_all_bands_is_none_that_differs(tmp_path, cpl):
    store = tmp_path / "a.zarr"
    gdal.GetDriverByName("Zarr").Create(str(store), 4, 3, 3)
    for count in (3, 1):
        dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
        for i in range(count):
            dataset.GetRasterBand(i + 1).SetScale(count)
        dataset = None
        assert open_raster(store).GetRasterBand(3).GetScale() == count
        assert len(cpl.warnings) == (count == 1)


@pytest.mark.parametrize("is_whole", [True, False])
def test_nodata_is_removed_where_no_chunk_is_absent(tmp_path, cpl, is_whole):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 6, 1, gdal.GDT_Int16,
                                                  ["BLOCKSIZE=3,4"])  # fmt: skip
    dataset.GetRasterBand(1).SetNoDataValue(-1)
    values = np.full((6, 4), -1, "i2")
    values[0] = 5
    values[3] = 7 if is_whole else -1  # a chunk of -1 alone is not stored
    dataset.GetRasterBand(1).WriteArray(values)
    dataset = None
    dataset = gdal.OpenEx(str(store), gdal.OF_UPDATE)
    done = dataset.GetRasterBand(1).DeleteNoDataValue() == gdal.CE_None
    dataset = None
    dataset = open_raster(store)
    assert done == is_whole and (dataset.GetRasterBand(1).GetNoDataValue() is None) == is_whole
    assert (dataset.ReadAsArray() == values).all()
    if is_whole:
        document = json.loads((store / "a" / ".zarray").read_text())
        assert document["fill_value"] is None and cpl.events == []
    else:
        assert "absent chunks" in cpl.the_error()


def test_chunks_of_what_was_nodata_are_stored_once_it_is_none(tmp_path):
    store = tmp_path / "a.zarr"
    dataset = gdal.GetDriverByName("Zarr").Create(str(store), 4, 4, 1, gdal.GDT_Int16)
    band = dataset.GetRasterBand(1)
    band.SetNoDataValue(-1)
    band.Fill(5)
    assert band.DeleteNoDataValue() == gdal.CE_None
    band.Fill(-1)
    dataset = band = None
    assert (store / "a" / "0.0").exists()
    assert (open_raster(store).ReadAsArray() == -1).all()


def test_what_lies_beside_a_zip_file_goes_with_it(tmp_path):
    driver, store = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr.zip"
    driver.CreateCopy(str(store), gdal.GetDriverByName("MEM").Create("", 4, 4))
    (tmp_path / "a.zarr.zip.aux.xml").write_text("<PAMDataset/>")
    driver.Delete(str(store))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [".msk", ".ovr", ".aux.xml"])
def test_what_lies_beside_a_store_goes_with_it(tmp_path, end):
    """Is deleted, renamed and replaced with it."""
    driver, store = gdal.GetDriverByName("Zarr"), tmp_path / "a.zarr"

    def make():
        driver.Create(str(store), 4, 4)
        (tmp_path / f"a.zarr{end}").write_text("<PAMDataset/>")

    make()
    driver.Delete(str(store))
    assert list(tmp_path.iterdir()) == []
    make()
    driver.Rename(str(tmp_path / "b.zarr"), str(store))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zarr", f"b.zarr{end}"]
    make()
    driver.Create(str(store), 8, 8)
    assert sorted(path.name for path in tmp_path.glob("a*")) == ["a.zarr"]
