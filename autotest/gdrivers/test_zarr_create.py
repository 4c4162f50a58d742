# SPDX-License-Identifier: MIT
"""Creates, copies and updates stores through the classic API, and compares what zarr-python, xarray, GDAL's built-in
driver and this driver read."""

import os
import pathlib
import random

import numpy as np
import pytest
import rioxarray  # noqa: F401, for the accessor "rio"
import xarray as xr
import zarr_formats
import zarr_python as zarr
from osgeo import gdal, osr
from zarr_gdal import array_name, error_log, open_raster, read_all
from zarr_georeferencing import assert_geotransform, epsg

pytestmark = zarr_formats.BOTH
SEED = os.environ["ZARR_TEST_SEED"]
UTM = (500000, 10, 0, 5200000, 0, -10)
TYPES = {
    gdal.GDT_Byte: "u1", gdal.GDT_UInt16: "u2", gdal.GDT_Int16: "i2", gdal.GDT_UInt32: "u4",
    gdal.GDT_Int32: "i4", gdal.GDT_UInt64: "u8", gdal.GDT_Int64: "i8", gdal.GDT_Float32: "f4",
    gdal.GDT_Float64: "f8", gdal.GDT_CFloat32: "c8", gdal.GDT_CFloat64: "c16",
}  # fmt: skip


def driver():
    return gdal.GetDriverByName("Zarr")


def crs(code=32632):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(code)
    return srs


def random_values(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return (rng.random(shape) + 1j * rng.random(shape)).astype(dtype)
    if dtype.kind == "f":
        return rng.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def builtin(store, path):
    """Returns the values that GDAL's built-in driver reads from an array. The driver reads a cube slice by slice."""
    name = array_name(store, path)
    shape = zarr.open_array(str(store / path), mode="r").shape
    slices = [name] if len(shape) == 2 else [f"{name}:{i}" for i in range(shape[0])]
    opened = [gdal.OpenEx(one, allowed_drivers=["ZarrBuiltin"]) for one in slices]
    return np.stack([dataset.ReadAsArray() for dataset in opened])


@pytest.mark.parametrize("turn", range(40))
def test_random_rasters_and_windows(tmp_path, turn, cpl):
    """Writes random windows of random bands in random order, with flushes in between. All readers must return what was
    written."""
    choose, rng = random.Random(f"{SEED} {turn}"), np.random.default_rng([turn, *SEED.encode()])
    told = f"ZARR_TEST_SEED={SEED} turn {turn}"
    gdal_type = choose.choice(list(TYPES))
    bands, rows, columns = choose.randint(1, 4), choose.randint(1, 90), choose.randint(1, 90)
    side = choose.choice([7, 16, 33, 100])
    options = [f"BLOCKSIZE={min(side, rows)},{min(side, columns)}",
               "COMPRESS=" + choose.choice("NONE BLOSC ZLIB GZIP LZMA ZSTD LZ4 BZ2".split()),
               "CHUNK_MEMORY_LAYOUT=" + choose.choice("CF"),
               "DIM_SEPARATOR=" + choose.choice("./"),
               "SINGLE_ARRAY=" + choose.choice(["YES", "NO"])]  # fmt: skip
    pixel = bands > 1 and choose.random() < 0.2 and "SINGLE_ARRAY=YES" in options
    if pixel:
        options = [*options[1:], "INTERLEAVE=PIXEL"]
    store = tmp_path / "r.zarr"
    model = np.zeros((bands, rows, columns), TYPES[gdal_type])
    dataset = driver().Create(str(store), columns, rows, bands, gdal_type, options)
    assert dataset is not None, (told, options)
    for _ in range(choose.randint(1, 25)):
        width, height = choose.randint(1, columns), choose.randint(1, rows)
        x, y = choose.randint(0, columns - width), choose.randint(0, rows - height)
        band = choose.randrange(bands)
        values = random_values(rng, TYPES[gdal_type], (height, width))
        if choose.random() < 0.3:
            count = choose.randint(1, bands)
            values = random_values(rng, TYPES[gdal_type], (count, height, width))
            model[:count, y : y + height, x : x + width] = values
            chosen = list(range(1, count + 1))
            dataset.WriteRaster(x, y, width, height, values.tobytes(), band_list=chosen)
        else:
            model[band, y : y + height, x : x + width] = values
            dataset.GetRasterBand(band + 1).WriteArray(values, x, y)
        if choose.random() < 0.2:
            dataset.FlushCache()
        if choose.random() < 0.3:
            np.testing.assert_array_equal(read_all(dataset), model, err_msg=told)
    del dataset
    cpl.assert_quiet()
    np.testing.assert_array_equal(read_all(open_raster(store)), model, err_msg=told)
    group = zarr.open_group(str(store), mode="r")
    arrays = [group[name][...] for name in sorted(group.array_keys())]
    if len(arrays) == 1:
        got = arrays[0] if arrays[0].ndim == 3 else arrays[0][None]
        got = np.moveaxis(got, -1, 0) if pixel else got
    else:
        got = np.stack(arrays)
    # Compare only written pixels, because others are undefined in zarr-python and 0 in GDAL.
    written = model != 0
    np.testing.assert_array_equal(got[written], model[written], err_msg=told)
    is_for_builtin = not pixel and len(arrays) == 1 and "BZ2" not in str(options)
    if is_for_builtin and not zarr_formats.is_v3():
        name = next(iter(group.array_keys()))
        np.testing.assert_array_equal(builtin(store, name)[written], model[written], err_msg=told)


def full_source(rotated=False):
    """Returns a MEM raster and its values. The raster has a CRS, geotransform, metadata, band names, nodata, scale,
    offset and unit."""
    source = gdal.GetDriverByName("MEM").Create("", 70, 50, 3, gdal.GDT_Int16)
    values = np.arange(3 * 50 * 70, dtype="i2").reshape(3, 50, 70)
    source.WriteArray(values)
    source.SetGeoTransform((500000, 10, 2, 5200000, 1, -10) if rotated else UTM)
    source.SetSpatialRef(crs())
    source.SetMetadata({"title": "everything", "lineage": "made for a test"})
    for i, name in enumerate(("near", "middle", "f\u00e4r")):
        band = source.GetRasterBand(i + 1)
        band.SetDescription(name)
        band.SetNoDataValue(-7)
        band.SetScale(0.5)
        band.SetOffset(100)
        band.SetUnitType("m")
    return source, values


@pytest.mark.parametrize("single", ["YES", "NO"])
@pytest.mark.parametrize("rotated", [False, True])
def test_a_copy_keeps_everything(tmp_path, single, rotated):
    source, values = full_source(rotated)
    store = tmp_path / "copy.zarr"
    with error_log() as log:
        copy = driver().CreateCopy(str(store), source, options=[f"SINGLE_ARRAY={single}"])
        del copy
    log.assert_quiet()
    dataset = open_raster(store)
    np.testing.assert_array_equal(read_all(dataset), values)
    assert_geotransform(dataset, source.GetGeoTransform())
    assert epsg(dataset) == 32632
    assert dataset.GetMetadataItem("title") == "everything"
    for i, name in enumerate(("near", "middle", "f\u00e4r")):
        band = dataset.GetRasterBand(i + 1)
        assert band.GetDescription() == name
        assert band.GetNoDataValue() == -7
        assert (band.GetScale(), band.GetOffset(), band.GetUnitType()) == (0.5, 100, "m")


def test_other_readers_find_crs_geotransform_and_nodata(tmp_path):
    source, values = full_source()
    store = tmp_path / "copy.zarr"
    driver().CreateCopy(str(store), source)
    with xr.open_zarr(str(store), mask_and_scale=False, decode_coords="all") as dataset:
        assert dataset["copy"].dims == ("band", "y", "x")
        np.testing.assert_array_equal(dataset["copy"].values, values)
        np.testing.assert_array_equal(dataset["x"].values, 500005 + 10 * np.arange(70))
        np.testing.assert_array_equal(dataset["y"].values, 5199995 - 10 * np.arange(50))
        assert list(dataset["band"].values) == ["near", "middle", "f\u00e4r"]
        assert dataset["copy"].attrs["_FillValue"] == -7
        assert "spatial_ref" in dataset.coords
        found = osr.SpatialReference(dataset["spatial_ref"].attrs["crs_wkt"])
        assert found.GetAuthorityCode(None) == "32632"
    if not zarr_formats.is_v3():  # before GDAL 3.7, the built-in driver reads only a draft of Zarr v3
        own = gdal.OpenEx(array_name(store, "copy:0"), allowed_drivers=["ZarrBuiltin"])
        assert own.GetSpatialRef().GetAuthorityCode(None) == "32632"
        assert_geotransform(own, UTM)
        assert own.GetRasterBand(1).GetNoDataValue() == -7
    with xr.open_zarr(str(store), decode_coords="all") as dataset:
        assert dataset["copy"].rio.crs.to_epsg() == 32632
        assert tuple(dataset["copy"].rio.transform())[:6] == (10, 0, 500000, 0, -10, 5200000)
        assert dataset["copy"].rio.encoded_nodata == -7


CODECS = {
    "NONE": None,
    "BLOSC": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "ZLIB": {"id": "zlib", "level": 6},
    "GZIP": {"id": "gzip", "level": 6},
    "ZSTD": {"id": "zstd", "level": 9},
    "LZ4": {"id": "lz4", "acceleration": 1},
    "BZ2": {"id": "bz2", "level": 9},
    "LZMA": {"id": "lzma", "format": 1, "check": -1, "preset": 6, "filters": None},
}


@pytest.mark.parametrize("name", CODECS)
def test_each_compressor_option_gives_its_codec(tmp_path, name):
    driver().Create(str(tmp_path / "c.zarr"), 20, 10, 1, gdal.GDT_Float32, [f"COMPRESS={name}"])
    document = zarr_formats.array_document(tmp_path / "c.zarr", "c")
    assert document["compressor"] == CODECS[name]


def test_options_reach_the_metadata(tmp_path):
    options = ["COMPRESS=BLOSC", "BLOSC_CNAME=zstd", "BLOSC_CLEVEL=7", "BLOSC_SHUFFLE=BIT",
               "FILTER=DELTA", "BLOCKSIZE=4,5", "CHUNK_MEMORY_LAYOUT=F", "DIM_SEPARATOR=/",
               "ARRAY_NAME=dem", "CREATE_ZMETADATA=NO"]  # fmt: skip
    driver().Create(str(tmp_path / "c.zarr"), 20, 10, 2, gdal.GDT_Int16, options)
    metadata = zarr_formats.array_document(tmp_path / "c.zarr", "dem")
    assert metadata["compressor"] == {
        "id": "blosc", "cname": "zstd", "clevel": 7, "shuffle": 2, "blocksize": 0}  # fmt: skip
    assert metadata["filters"] == [{"id": "delta", "dtype": "<i2", "astype": "<i2"}]
    assert (metadata["chunks"], metadata["order"]) == ([1, 4, 5], "F")
    assert zarr_formats.chunk_key(tmp_path / "c.zarr", "dem", 0, 1, 2).endswith("0/1/2")
    assert not zarr_formats.has(tmp_path / "c.zarr", ".zmetadata")


@pytest.mark.parametrize(
    "option", ["COMPRESS=RAR", "BZ2_LEVEL=0", "BLOCKSIZE=0", "BLOCKSIZE=1,2,3,4", "INTERLEAVE=DIAGONAL",
               "BLOSC_SHUFFLE=9", "CHUNK_MEMORY_LAYOUT=X", "DIM_SEPARATOR=-", "FORMAT=ZARR_V9",
               "FILTER=NOISE", "GEOREFERENCING_CONVENTION=X", "ZLIB_LEVEL=high"]
)  # fmt: skip
def test_a_wrong_option_is_named(tmp_path, option, cpl):
    compress = {"BZ2_LEVEL": "BZ2", "ZLIB_LEVEL": "ZLIB"}.get(option.split("=")[0], "BLOSC")
    options = [option] if option.startswith("COMPRESS") else [f"COMPRESS={compress}", option]
    assert driver().Create(str(tmp_path / "c.zarr"), 20, 10, 1, gdal.GDT_Byte, options) is None
    name = option.split("=")[0].split("_")[-1].lower()
    assert any(name in text.lower() for text in cpl.errors), cpl.events


@pytest.mark.parametrize("convention", ["GDAL", "CF", "SPATIAL_PROJ"])
@pytest.mark.parametrize("transform", [UTM, (500000, 10, 2, 5200000, 1, -10)])
def test_georeferencing_conventions(tmp_path, convention, transform):
    options = [f"GEOREFERENCING_CONVENTION={convention}"]
    dataset = driver().Create(str(tmp_path / "c.zarr"), 20, 10, 1, gdal.GDT_Byte, options)
    dataset.SetGeoTransform(transform)
    dataset.SetSpatialRef(crs(3035))
    assert_geotransform(dataset, transform)
    del dataset
    attributes = zarr_formats.attributes(tmp_path / "c.zarr", "c")
    assert ("_CRS" in attributes) == (convention == "GDAL")
    assert ("grid_mapping" in attributes) == (convention == "CF")
    assert ("proj:code" in attributes) == (convention == "SPATIAL_PROJ")
    dataset = open_raster(tmp_path / "c.zarr")
    assert epsg(dataset) == 3035
    assert_geotransform(dataset, transform)


CONVENTIONS = {"proj": "f17cb550-5864-4468-aeb7-f3180cfb622f",
               "spatial": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4"}  # fmt: skip


@pytest.mark.parametrize("transform,box", [
    (UTM, [500000, 5199900, 500200, 5200000]),
    ((500000, 10, 2, 5200000, 1, -10), [500000, 5199900, 500220, 5200020])])  # fmt: skip
def test_attributes_of_the_conventions_proj_and_spatial(tmp_path, transform, box, cpl):
    own = osr.SpatialReference()
    own.SetFromUserInput("+proj=laea +lat_0=40 +lon_0=3 +ellps=GRS80")
    for srs in (crs(), own):
        store = tmp_path / f"{srs.GetAuthorityCode(None)}.zarr"
        options = ["GEOREFERENCING_CONVENTION=SPATIAL_PROJ", "ARRAY_NAME=a"]
        dataset = driver().Create(str(store), 20, 10, 1, gdal.GDT_Byte, options)
        dataset.SetGeoTransform(transform)
        dataset.SetSpatialRef(srs)
        del dataset
        said = zarr_formats.attributes(store, "a")
        t = transform
        assert said["spatial:transform"] == [t[1], t[2], t[0], t[4], t[5], t[3]]
        assert said["spatial:dimensions"] == ["y", "x"] and said["spatial:bbox"] == box
        assert (said["spatial:registration"], said["spatial:transform_type"]) == ("pixel", "affine")
        assert {c["name"]: c["uuid"] for c in said["zarr_conventions"]} == CONVENTIONS
        assert ("proj:projjson" in said) == ("proj:code" not in said) == (srs is own)
        dataset = open_raster(store)
        assert dataset.GetSpatialRef().IsSame(srs)
        assert dataset.GetMetadata() == {"AREA_OR_POINT": "Area"}
        del dataset
        # Removing all attributes of a convention must also remove its entry in zarr_conventions.
        dataset = gdal.Open(str(store), gdal.GA_Update)
        dataset.SetSpatialRef(None)
        del dataset
        left = zarr_formats.attributes(store, "a")
        assert not any(name.startswith("proj:") for name in left)
        assert "proj" not in {c["name"] for c in left.get("zarr_conventions", [])}
    cpl.assert_quiet()


def test_registration_node_makes_pixels_points(tmp_path, cpl):
    """With spatial:registration "node", spatial:transform refers to pixel centres, and GDAL reports
    AREA_OR_POINT=Point."""
    store = tmp_path / "a.zarr"
    options = ["GEOREFERENCING_CONVENTION=SPATIAL_PROJ"]
    dataset = driver().Create(str(store), 20, 10, 1, gdal.GDT_Byte, options)
    dataset.SetGeoTransform(UTM)
    del dataset
    said = {**zarr_formats.attributes(store, "a"), "spatial:registration": "node"}
    zarr_formats.put_attributes(store, said, "a")
    zarr.consolidate_metadata(str(store))
    dataset = open_raster(store)
    assert dataset.GetMetadataItem("AREA_OR_POINT") == "Point"
    assert dataset.GetGeoTransform() == (499995, 10, 0, 5200005, 0, -10)
    cpl.assert_quiet()


def test_update_changes_pixels_and_keeps_the_rest(tmp_path):
    store = tmp_path / "u.zarr"
    group = zarr.open_group(str(store), mode="w")
    values = np.arange(30 * 40, dtype=">i4").reshape(30, 40)
    array = group.array("a", values, chunks=(8, 9), fill_value=-1)
    array.attrs.update({"_ARRAY_DIMENSIONS": ["y", "x"], "kept": [1, {"a": None}]})
    zarr.consolidate_metadata(str(store))
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.GetRasterBand(1).WriteArray(np.full((5, 6), 7), 10, 11)
    dataset.SetMetadataItem("note", "changed")
    dataset.GetRasterBand(1).SetScale(2)
    del dataset
    values = values.copy()
    values[11:16, 10:16] = 7
    reopened = zarr.open_consolidated(str(store), mode="r")["a"]
    np.testing.assert_array_equal(reopened[...], values)
    assert zarr_formats.array_document(store, "a")["dtype"] == ">i4"
    assert reopened.attrs["kept"] == [1, {"a": None}]
    assert (reopened.attrs["note"], reopened.attrs["scale_factor"]) == ("changed", 2)
    np.testing.assert_array_equal(read_all(open_raster(store))[0], values)


def test_a_store_without_consolidated_metadata_stays_without(tmp_path):
    store = tmp_path / "u.zarr"
    zarr.open_group(str(store), mode="w").array("a", np.zeros((4, 4)))
    dataset = gdal.Open(str(store), gdal.GA_Update)
    dataset.SetMetadataItem("note", "changed")
    del dataset
    assert not zarr_formats.has(store, ".zmetadata")


def test_append_subdataset(tmp_path):
    store = str(tmp_path / "s.zarr")
    driver().Create(store, 20, 10, 1, gdal.GDT_Byte, ["ARRAY_NAME=first"])
    added = driver().Create(store, 30, 15, 1, gdal.GDT_Float32,
                            ["ARRAY_NAME=second", "APPEND_SUBDATASET=YES"])  # fmt: skip
    added.WriteArray(np.full((15, 30), 2.5))
    del added
    assert len(gdal.Open(store).GetSubDatasets()) == 2
    assert gdal.Open(array_name(store, "second")).ReadAsArray().min() == 2.5
    assert gdal.Open(array_name(store, "first")).RasterXSize == 20
    assert sorted(zarr.open_consolidated(store, mode="r").array_keys()) == ["first", "second"]


def test_a_name_with_the_prefix_zarr_is_its_path(tmp_path, cpl):
    source = gdal.GetDriverByName("MEM").Create("", 4, 4)
    name = f'ZARR:"{tmp_path / "a.zarr"}"'
    for value in (1, 2):  # the first run creates the store, the second run replaces it
        source.GetRasterBand(1).Fill(value)
        assert driver().CreateCopy(name, source) is not None
        dataset = open_raster(tmp_path / "a.zarr")
        assert dataset.GetRasterBand(1).Checksum() == 16 * value
        del dataset  # GDAL deletes a target of such a name, and a store that is open is not deleted
    assert driver().Create(f"ZARR:{tmp_path / 'b.zarr'}", 4, 4) is not None
    assert driver().CreateMultiDimensional(f"ZARR:{tmp_path / 'c.zarr'}") is not None
    assert driver().CreateCopy(array_name(tmp_path / "d.zarr", "x"), source) is not None
    dataset = open_raster(array_name(tmp_path / "d.zarr", "x"))
    assert dataset.GetRasterBand(1).Checksum() == 32
    assert cpl.errors == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zarr", "b.zarr", "c.zarr", "d.zarr"]


def test_only_a_store_is_overwritten(tmp_path, cpl):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "letter.txt").write_text("precious")
    assert driver().Create(str(folder), 20, 10, 1, gdal.GDT_Byte) is None
    assert "not overwritten" in cpl.errors[-1]
    assert (folder / "letter.txt").read_text() == "precious"
    cpl.clear()
    store = tmp_path / "x.zarr"
    driver().Create(str(store), 20, 10, 1, gdal.GDT_Byte, ["ARRAY_NAME=old"])
    driver().Create(str(store), 20, 10, 1, gdal.GDT_Byte, ["ARRAY_NAME=new"])
    assert sorted(path.name for path in store.iterdir() if path.is_dir()) == ["new"]
    (store / "letter.txt").write_text("precious")
    assert driver().Create(str(store), 20, 10, 1, gdal.GDT_Byte) is None
    assert "letter.txt" in cpl.errors[-1]
    assert open_raster(store).RasterXSize == 20


def test_a_cancelled_copy_leaves_nothing(tmp_path):
    source, _ = full_source()
    with error_log():
        copy = driver().CreateCopy(str(tmp_path / "c.zarr"), source, callback=lambda *_: 0)
    assert copy is None
    assert not (tmp_path / "c.zarr").exists()


def test_an_unwritable_folder_is_an_error(tmp_path, cpl):
    target = pathlib.Path("/proc/no/x.zarr")
    assert driver().Create(str(target), 20, 10, 1, gdal.GDT_Byte) is None
    assert "x.zarr" in cpl.the_error()


def test_chunks_of_nodata_are_not_stored(tmp_path):
    store = tmp_path / "n.zarr"
    dataset = driver().Create(str(store), 64, 64, 1, gdal.GDT_Float32, ["BLOCKSIZE=16,16"])
    dataset.GetRasterBand(1).SetNoDataValue(-9999)
    values = np.full((64, 64), -9999, "f4")
    values[20, 20] = 1
    dataset.WriteArray(values)
    del dataset
    assert zarr_formats.chunk_keys(store, "n") == ["1.1"]
    assert zarr_formats.array_document(store, "n")["fill_value"] == -9999
    np.testing.assert_array_equal(read_all(open_raster(store))[0], values)


def test_int64_nodata_is_exact(tmp_path):
    for gdal_type, value in ((gdal.GDT_Int64, -(2**63)), (gdal.GDT_UInt64, 2**64 - 1)):
        dataset = driver().Create(str(tmp_path / "i.zarr"), 4, 4, 1, gdal_type)
        dataset.GetRasterBand(1).SetNoDataValue(value)
        del dataset
        dataset = open_raster(tmp_path / "i.zarr")
        assert dataset.GetRasterBand(1).GetNoDataValue() == value


def test_reading_datasets_refuse_to_write(tmp_path, cpl):
    driver().Create(str(tmp_path / "r.zarr"), 4, 4, 1, gdal.GDT_Byte)
    dataset = open_raster(tmp_path / "r.zarr")
    assert dataset.GetRasterBand(1).WriteArray(np.zeros((4, 4))) != 0
    assert "read-only" in cpl.the_error()
