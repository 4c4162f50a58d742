# SPDX-License-Identifier: MIT
"""Creates rasters with overviews, and examines how the store holds the overviews."""

import pathlib
import secrets

import numpy as np
import zarr_formats
from osgeo import gdal, osr
from zarr_formats import contents as entries  # noqa: F401  (tests import it from here)
from zarr_gdal import assert_same, error_log
from zarr_python import consolidate_metadata, meaning

UTM = (500000, 10, 0, 5200000, 0, -10)
CODES = {
    "u1": gdal.GDT_Byte, "i2": gdal.GDT_Int16, "u2": gdal.GDT_UInt16, "u4": gdal.GDT_UInt32,
    "i4": gdal.GDT_Int32, "f4": gdal.GDT_Float32, "f8": gdal.GDT_Float64, "c8": gdal.GDT_CFloat32,
}  # fmt: skip


def level_group(factor):
    """Returns the path of the group that contains the overviews with the reduction factor `factor`. The path is
    relative to the raster's group."""
    return f"ovr_{factor}x"


def as_earlier_release(store):
    """Changes a store of Zarr v2 to what earlier releases wrote: the levels are in groups such as overviews/2, and
    `multiscales` is a list with an entry for each array."""
    store = pathlib.Path(store)
    attributes = zarr_formats.attributes(store)
    multiscales = attributes.pop("multiscales")
    image = multiscales[0] if isinstance(multiscales, list) else {"version": "0.4"}
    layout = image.pop("layout") if "layout" in image else multiscales["layout"]
    (base, *levels), entries_ = layout, {}
    (store / "overviews").mkdir()
    (store / "overviews" / ".zgroup").write_text('{"zarr_format": 2}')
    (store / "overviews" / ".zattrs").write_text('{"gdal_overviews": 1}')
    for level in levels:
        folder = store / level["asset"]
        name = folder.name.removeprefix("ovr_").replace("x", "")
        zarr_formats.put_attributes(folder, {
            key: value for key, value in zarr_formats.attributes(folder).items() if key != "gdal_overviews"})
        folder.rename(store / "overviews" / name)
        for array in level.get("gdal_arrays", [base["asset"]]):
            shape, small = (np.array(zarr_formats.array_document(folder_ / array)["shape"])
                            for folder_ in (store, store / "overviews" / name))
            scale = (shape / small).tolist()
            entry = entries_.setdefault(array, {
                "name": array, **image, "datasets": [{"path": array}], "layout": [{"asset": array}],
                "metadata": {"method": "GDALDataset::BuildOverviews", **image.get("metadata", {})}})
            entry["datasets"].append({"path": f"overviews/{name}/{array}"})
            entry["layout"].append({
                "asset": f"overviews/{name}/{array}", "derived_from": array,
                "resampling_method": level["resampling_method"],
                "transform": {"scale": scale, "translation": [number / 2 - 0.5 for number in scale]}})
    attributes.pop("zarr_conventions", None)
    zarr_formats.put_attributes(store, {**attributes, "multiscales": list(entries_.values())})
    if (store / ".zmetadata").exists():
        consolidate_metadata(str(store))


def level_folders(store):
    """Returns the folders of a store that contain only overviews, sorted."""
    return sorted(path for name in ("overviews", "ovr_*") for path in pathlib.Path(store).glob(name))


def smooth(rng, bands, rows, columns, dtype="f4", top=200):
    """Returns random pixels that every data type can hold, and for which resampling methods give different
    overviews."""
    values = rng.random((bands, rows, columns)) * top
    values[:, ::3] = np.round(values[:, ::3] / 50) * 50  # MODE, the most frequent value, needs equal values
    if np.dtype(dtype).kind == "c":
        return (values + 1j * values[:, ::-1]).astype(dtype)
    return values.astype(dtype)


def make(store, values, *options, georeferenced=True, nodata=None, driver="Zarr"):
    """Creates a dataset with the pixels `values`, and returns it open. `georeferenced` gives it a geotransform
    and a CRS."""
    bands, rows, columns = values.shape
    dataset = gdal.GetDriverByName(driver).Create(
        str(store), columns, rows, bands, CODES[values.dtype.str[1:]], list(options)
    )
    assert dataset is not None, gdal.GetLastErrorMsg()
    if georeferenced:
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32632)
        dataset.SetSpatialRef(srs)
        dataset.SetGeoTransform(UTM)
    if nodata is not None:
        for i in range(bands):
            dataset.GetRasterBand(i + 1).SetNoDataValue(nodata)
    dataset.WriteArray(values)
    return dataset


def update(name, *options):
    dataset = gdal.OpenEx(str(name), gdal.OF_RASTER | gdal.OF_UPDATE, open_options=list(options))
    assert dataset is not None, gdal.GetLastErrorMsg()
    assert dataset.GetDriver().ShortName == "Zarr"
    return dataset


def sizes(dataset, band=1):
    band_ = dataset.GetRasterBand(band)
    levels = [band_.GetOverview(i) for i in range(band_.GetOverviewCount())]
    return [(level.XSize, level.YSize) for level in levels]


def level_values(dataset):
    """Returns a list with the pixels of each overview level, as bands x rows x columns."""
    levels = []
    for i in range(dataset.GetRasterBand(1).GetOverviewCount()):
        bands = [dataset.GetRasterBand(b + 1).GetOverview(i) for b in range(dataset.RasterCount)]
        levels.append(np.stack([band.ReadAsArray() for band in bands]))
    return levels


def gtiff_levels(folder, values, method, factors, nodata=None):
    options = ["INTERLEAVE=BAND", "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32"]
    name = folder / f"wanted_{method}_{secrets.token_hex(4)}.tif"
    dataset = make(name, values, *options, nodata=nodata, driver="GTiff")
    dataset = None
    dataset = gdal.Open(str(name), gdal.GA_Update)
    assert dataset.BuildOverviews(method, factors) == 0
    return level_values(dataset)


def check_levels(dataset, wanted):
    got = level_values(dataset)
    assert [level.shape for level in got] == [level.shape for level in wanted]
    for one, other in zip(got, wanted):
        assert_same(one, other)


def root_attributes(store, group=""):
    return zarr_formats.attributes(store, group)


def check_consolidated(store):
    """Asserts that the consolidated metadata equals all metadata documents of the store."""
    wanted = zarr_formats.documents(store)
    assert wanted.pop(".zmetadata")["metadata"] == wanted


def stays(folder):
    """Returns the contents of a store that must not change if overviews are built and removed. Files are compared byte
    by byte; documents of zarr-python 3 by meaning, because this driver spells them differently."""
    files, documents = zarr_formats.contents(folder), zarr_formats.documents(folder)
    if ".zmetadata" in documents:
        documents[".zmetadata"]["metadata"] = meaning(documents[".zmetadata"]["metadata"])
    others = {key: files[key] for key in files if key.rpartition("/")[2] not in zarr_formats.FILES}
    return {**others, **meaning(documents)}


def refused(dataset, method, factors, *words):
    """Asserts that BuildOverviews() fails with one error that contains all `words`."""
    with error_log() as log:
        assert dataset.BuildOverviews(method, factors) != 0
    for word in words:
        assert word in log.the_error()
    assert log.warnings == []


class StopAt:
    """A progress function that records its calls, and cancels when the fraction `share` of the work is done."""

    def __init__(self, share):
        self.share, self.seen = share, []

    def __call__(self, complete, _message, _data):
        self.seen.append(complete)
        return 1 if complete < self.share else 0
