# SPDX-License-Identifier: MIT
"""References to the tiles of TIFF files, written by kerchunk (Zarr v2) and by virtual-tiff (Zarr v3)."""

import json

import numpy as np
import pytest
from osgeo import gdal, gdal_array
from zarr_gdal import error_log
from zarr_references import write_by, write_json

PREDICTABLE = ["LZW", "DEFLATE", "ZSTD"]
COMPRESSIONS = ["NONE", "PACKBITS", "LERC", *PREDICTABLE]
PREDICTORS = {1: "no predictor", 2: "differences", 3: "float predictor"}
DTYPES = {1: ["u1", "f8"], 2: ["u1", "i2", "u4"], 3: ["f4", "f8"]}


def cases():
    for compression in COMPRESSIONS:
        for predictor in PREDICTORS if compression in PREDICTABLE else [1]:
            for dtype in DTYPES[predictor]:
                for bands in (1, 3):
                    for order in ("LITTLE", "BIG"):
                        yield compression, predictor, dtype, bands, order


CASES = {"-".join(str(word) for word in case): case for case in cases()}


def values_of(case):
    _, _, dtype, bands, _ = case
    y, x = np.mgrid[:100, :150]
    return np.stack([(y * 3 + x * 5 + 7 * band) % 200 for band in range(bands)]).astype(dtype)


def write_tiff(path, case):
    compression, predictor, dtype, bands, order = case
    options = ["TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=32", "INTERLEAVE=PIXEL", f"ENDIANNESS={order}"]
    options.append(f"COMPRESS={compression}")
    if predictor != 1:
        options.append(f"PREDICTOR={predictor}")
    kind = gdal_array.NumericTypeCodeToGDALTypeCode(np.dtype(dtype))
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), 150, 100, bands, kind, options)
    dataset.WriteArray(values_of(case))


@pytest.fixture(scope="module", params=["kerchunk_tiff", "virtual_tiff"])
def references(request, tmp_path_factory):
    """Returns the name of the writer, its references for each case, and the folder of the TIFF files."""
    folder = tmp_path_factory.mktemp(request.param)
    files = {name: folder / f"{name}.tif" for name in CASES}
    for name, path in files.items():
        write_tiff(path, CASES[name])
    documents = json.loads(write_by(request.param, folder / "all.json", *files.values()).read_text())
    return request.param, {name: documents[str(path)] for name, path in files.items()}, folder


def read(folder, name, document):
    """Writes the references `document` to a JSON file. Returns the values that the driver reads through them."""
    path = write_json(folder / f"{name}.json", document)
    dataset = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    assert dataset is not None, gdal.GetLastErrorMsg()
    root = dataset.GetRootGroup()
    (array,) = root.GetMDArrayNames()
    return root.OpenMDArray(array).ReadAsArray()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_values_of_a_tiff(references, name):
    writer, documents, folder = references
    _, predictor, _, bands, _ = CASES[name]
    # libtiff writes big-endian floats with the float predictor in a wrong byte order. The expected values are therefore
    # those that GDAL reads.
    wanted = gdal.Open(str(folder / f"{name}.tif")).ReadAsArray().reshape(values_of(CASES[name]).shape)
    if writer == "kerchunk_tiff":
        wanted = wanted.transpose(1, 2, 0)
    if writer == "virtual_tiff" and predictor == 3 and bands > 1:
        # virtual-tiff writes wrong references to several bands with the float predictor, and the driver refuses them.
        # They are wrong because TIFF's predictor applies to rows with interleaved samples.
        with error_log() as log:
            assert gdal.OpenEx(str(write_json(folder / f"{name}.json", documents[name])), gdal.OF_RASTER) is None
        assert "transpose" in log.the_error()
        return
    assert np.array_equal(read(folder, name, documents[name]).reshape(wanted.shape), wanted)


def lerc_references(folder, values, compression="LERC"):
    """Writes a TIFF file with LERC compression. Returns its path and kerchunk's references to it."""
    path = folder / "a.tif"
    kind = gdal_array.NumericTypeCodeToGDALTypeCode(values.dtype)
    options = ["TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=32", f"COMPRESS={compression}"]
    dataset = gdal.GetDriverByName("GTiff").Create(str(path), *values.shape[::-1], 1, kind, options)
    dataset.WriteArray(values)
    dataset = None
    return path, json.loads(write_by("kerchunk_tiff", folder / "all.json", path).read_text())[str(path)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_invalid_pixels_of_lerc_are_nan(tmp_path, dtype):
    values = np.linspace(0, 1, 64 * 80).reshape(64, 80).astype(dtype)
    values[3:9, 5:70] = values[40:] = np.nan
    path, document = lerc_references(tmp_path, values)
    result = read(tmp_path, "a", document)
    np.testing.assert_array_equal(result, values)
    np.testing.assert_array_equal(result, gdal.Open(str(path)).ReadAsArray())


@pytest.mark.parametrize("inner", ["DEFLATE", "ZSTD"])
def test_lerc_within_another_compressor(tmp_path, inner):
    values = (np.arange(64 * 80).reshape(64, 80) % 999).astype("i4")
    _, document = lerc_references(tmp_path, values, f"LERC_{inner}")
    key = next(key for key in document if key.endswith(".zarray"))
    metadata = json.loads(document[key])
    # kerchunk's references do not state the compressor that is applied after LERC, so the test adds it.
    assert metadata["compressor"]["id"] == "imagecodecs_lerc"
    metadata["compressor"]["compression"] = inner.lower()
    np.testing.assert_array_equal(read(tmp_path, "a", {**document, key: json.dumps(metadata)}), values)


@pytest.mark.parametrize("change, told", [
    ({"dtype": "<f4"}, "a LERC blob has another type than the array, <f4"),
    ({"compressor": {"id": "imagecodecs_lerc", "compression": "lz4"}}, 'compression: expected "zstd", "deflate" or null'),
    ({"compressor": {"id": "imagecodecs_lerc", "compression": "zstd"}}, "compression: "),
    ({"chunks": [16, 16]}, "imagecodecs_lerc: "),
])  # fmt: skip
def test_lerc_that_does_not_fit_the_array(tmp_path, change, told):
    _, document = lerc_references(tmp_path, np.arange(64 * 80, dtype="i4").reshape(64, 80))
    key = next(key for key in document if key.endswith(".zarray"))
    document[key] = json.dumps({**json.loads(document[key]), **change})
    path = write_json(tmp_path / "a.json", document)
    with error_log() as log:
        dataset = gdal.Open(str(path))
        assert dataset is None or dataset.ReadAsArray() is None
    assert told in log.the_error()


@pytest.mark.parametrize("codec", ["imagecodecs_jpegxr", "imagecodecs_ccittfax4", "FITSAscii"])
@pytest.mark.parametrize("references", ["kerchunk_tiff"], indirect=True)
def test_codecs_that_are_refused(references, codec):
    """The error for a refused codec states what the codec would decode. Arrays without this codec still open."""
    _, documents, folder = references
    document = documents["NONE-1-u1-1-LITTLE"]
    prefix = "good/" if ".zarray" in document else ""
    named = {f"{prefix}{key}": value for key, value in document.items()}
    metadata = json.loads(named[next(key for key in named if key.endswith(".zarray"))])
    metadata["compressor"] = {"id": codec}
    named["bad/.zarray"] = json.dumps(metadata)
    named[".zgroup"] = '{"zarr_format": 2}'
    path = write_json(folder / f"{codec}.json", named)
    with error_log() as log:
        assert gdal.Open(f'ZARR:"{path}":/bad') is None
    assert f'codec "{codec}" is refused: it decodes ' in log.the_error()
    assert gdal.Open(str(path)) is not None
