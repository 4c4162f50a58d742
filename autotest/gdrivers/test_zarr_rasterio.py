# SPDX-License-Identifier: MIT
"""Reads through GDAL's RasterIO(): windows, types of buffers, spacings, resampling and threads."""

import concurrent.futures
import itertools
import threading

import numpy as np
import pytest
import zarr_formats
import zarr_gdal
from osgeo import gdal, gdal_array
from zarr_gdal import open_band, open_raster
from zarr_store import make_array

ROWS, COLUMNS, BANDS = 23, 31, 3


def cube(dtype="i2"):
    rng = np.random.default_rng(7)
    return rng.integers(0, 120, (BANDS, ROWS, COLUMNS)).astype(dtype)


@pytest.fixture(
    params=[(1, 7, 10), (2, 7, 10), (3, 30, 40), (1, 1, 31), (1, 23, 1)],
    ids=lambda chunks: "x".join(map(str, chunks)),
)
def store(request, tmp_path):
    """Writes a cube and returns its folder. The sizes of chunks are parameters: chunks extend beyond the array, contain
    several bands, or are the whole array, a row or a column."""
    return make_array(tmp_path, cube(), chunks=request.param)


@pytest.fixture
def plain(tmp_path):
    return make_array(tmp_path, cube(), "plain.zarr", chunks=(2, 7, 10))


def mem_copy(values):
    dataset = gdal_array.OpenArray(np.ascontiguousarray(values))
    return gdal.GetDriverByName("MEM").CreateCopy("", dataset)


WINDOWS = [
    (x, y, w, h)
    for x, w in ((0, 1), (0, 31), (30, 1), (9, 2), (10, 10), (3, 27), (20, 11))
    for y, h in ((0, 1), (0, 23), (22, 1), (6, 2), (7, 7), (2, 20), (14, 9))
]


def test_windows(store):
    dataset, values = open_raster(store), cube()
    for x, y, w, h in WINDOWS:
        where = (slice(None), slice(y, y + h), slice(x, x + w))
        zarr_gdal.assert_same(dataset.ReadAsArray(x, y, w, h), values[where], (x, y, w, h))
        band = dataset.GetRasterBand(2).ReadAsArray(x, y, w, h)
        zarr_gdal.assert_same(band, values[1][where[1:]], (x, y, w, h))


@pytest.mark.parametrize("window", [(-2, 0, 2, 2), (0, 0, 32, 1), (0, 22, 1, 2), (31, 0, 1, 1)])
def test_windows_outside(plain, cpl, window):
    assert open_raster(plain).ReadRaster(*window) is None
    cpl.the_error()


def test_every_type_into_every_buffer(tmp_path):
    """Numbers that are read as another type are clamped and rounded as by GDAL's MEM driver."""
    codes = ["u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
    for code in codes:
        rng = np.random.default_rng(3)
        values = (rng.integers(-(2**33), 2**33, (2, 9, 11)) / 8).astype(code)
        dataset = open_raster(make_array(tmp_path, values, f"{code}.zarr", chunks=(2, 4, 5)))
        memory = mem_copy(values)
        for buffer_type in range(gdal.GDT_Byte, gdal.GDT_CFloat64 + 1):
            got = dataset.ReadRaster(1, 2, 8, 6, buf_type=buffer_type)
            wanted = memory.ReadRaster(1, 2, 8, 6, buf_type=buffer_type)
            assert bytes(got) == bytes(wanted), (code, gdal.GetDataTypeName(buffer_type))
            got = dataset.GetRasterBand(2).ReadRaster(buf_type=buffer_type)
            wanted = memory.GetRasterBand(2).ReadRaster(buf_type=buffer_type)
            assert bytes(got) == bytes(wanted), (code, gdal.GetDataTypeName(buffer_type))


@pytest.mark.parametrize("buffer_type", [gdal.GDT_Byte, gdal.GDT_Int16, gdal.GDT_Float64])
@pytest.mark.parametrize("pixel, line", [(8, 0), (9, 0), (8, 250), (11, 347), (16, 512), (200, 8)])
def test_band_spacings(store, buffer_type, pixel, line):
    """The line spacing may be smaller than the pixel spacing, as in a transposed buffer. Bytes between the
    pixels stay unchanged."""
    values = cube()[1][5:20, 4:25]
    line = line or pixel * values.shape[1] + 3
    wanted = values.astype(gdal_array.GDALTypeCodeToNumericTypeCode(buffer_type))
    if pixel == 200:
        line, wanted = 8, wanted[:25, :]
    data = open_band(store, 2).ReadRaster(
        4, 5, 21, 15, buf_type=buffer_type, buf_pixel_space=pixel, buf_line_space=line
    )
    got = np.ndarray(wanted.shape, wanted.dtype, bytes(data), strides=(line, pixel))
    zarr_gdal.assert_same(got, wanted)


@pytest.mark.parametrize("bands", [[1, 2, 3], [3, 1], [2], [2, 2], [3, 2, 1, 1]])
@pytest.mark.parametrize("interleave", ["band", "pixel", "odd"])
def test_band_lists_and_interleaving(store, bands, interleave):
    n, w, h = len(bands), 21, 15
    line = 3 * w + 1
    space = {
        "band": dict(buf_pixel_space=2, buf_line_space=2 * w, buf_band_space=2 * w * h),
        "pixel": dict(buf_pixel_space=2 * n, buf_line_space=2 * n * w, buf_band_space=2),
        "odd": dict(buf_pixel_space=3, buf_line_space=line, buf_band_space=line * h + 5),
    }[interleave]
    data = open_raster(store).ReadRaster(4, 5, w, h, band_list=bands, **space)
    strides = (space["buf_band_space"], space["buf_line_space"], space["buf_pixel_space"])
    got = np.ndarray((n, h, w), "i2", bytes(data), strides=strides)
    zarr_gdal.assert_same(got, cube()[[band - 1 for band in bands], 5:20, 4:25])


@pytest.mark.parametrize("step", [(1, -1), (-1, 1), (-1, -1)])
def test_negative_strides(plain, step):
    """NumPy arrays with negative strides can be buffers. ReadAsArray() passes the strides to RasterIO()."""
    buffer = np.zeros((ROWS, COLUMNS), "i2")[:: step[0], :: step[1]]
    got = open_band(plain).ReadAsArray(buf_obj=buffer)
    assert got is not None, gdal.GetLastErrorMsg()
    zarr_gdal.assert_same(buffer, cube()[0])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_every_order_of_a_cube(plain, order):
    """A dataset is read into an array in memory, for each order of the array's axes."""
    shape = (BANDS, ROWS, COLUMNS)
    inverse = np.argsort(order)
    buffer = np.zeros([shape[i] for i in order], "f4").transpose(inverse)
    assert open_raster(plain).ReadAsArray(buf_obj=buffer) is not None, gdal.GetLastErrorMsg()
    zarr_gdal.assert_same(buffer, cube("f4"))


RESAMPLINGS = [
    gdal.GRIORA_NearestNeighbour, gdal.GRIORA_Bilinear, gdal.GRIORA_Cubic, gdal.GRIORA_CubicSpline,
    gdal.GRIORA_Lanczos, gdal.GRIORA_Average, gdal.GRIORA_Mode, gdal.GRIORA_RMS,
]  # fmt: skip


@pytest.mark.parametrize("algorithm", RESAMPLINGS)
@pytest.mark.parametrize("size", [(10, 8), (31, 8), (10, 23), (62, 50), (1, 1), (7, 60)])
def test_resampling(store, algorithm, size):
    """Resampled pixels equal those of GDAL's MEM driver for the same raster."""
    options = dict(buf_xsize=size[0], buf_ysize=size[1], resample_alg=algorithm)
    dataset, memory = open_raster(store), mem_copy(cube())
    zarr_gdal.assert_same(dataset.ReadAsArray(**options), memory.ReadAsArray(**options))
    window = (3, 2, 25, 19)
    got = dataset.GetRasterBand(2).ReadAsArray(*window, **options)
    zarr_gdal.assert_same(got, memory.GetRasterBand(2).ReadAsArray(*window, **options))


def test_fractional_windows(plain):
    options = dict(buf_xsize=9, buf_ysize=9, resample_alg=gdal.GRIORA_Bilinear)
    window = (1.25, 2.75, 20.5, 17.125)
    got = open_band(plain).ReadAsArray(*window, **options)
    memory = mem_copy(cube())
    zarr_gdal.assert_same(got, memory.GetRasterBand(1).ReadAsArray(*window, **options))


def test_checksums_and_statistics(store):
    dataset, memory = open_raster(store), mem_copy(cube())
    for i in range(1, BANDS + 1):
        assert dataset.GetRasterBand(i).Checksum() == memory.GetRasterBand(i).Checksum()
        got = dataset.GetRasterBand(i).ComputeStatistics(False)
        wanted = memory.GetRasterBand(i).ComputeStatistics(False)
        assert got == pytest.approx(wanted, rel=1e-12)  # GDAL sums block by block, so the last digits differ


def test_blocks(store):
    band = open_band(store, 3)
    width, height = band.GetBlockSize()
    for j in range(-(-ROWS // height)):
        for i in range(-(-COLUMNS // width)):
            data = np.frombuffer(band.ReadBlock(i, j), "i2").reshape(height, width)
            wanted = cube()[2][j * height : (j + 1) * height, i * width : (i + 1) * width]
            zarr_gdal.assert_same(data[: wanted.shape[0], : wanted.shape[1]], wanted, (i, j))


@pytest.mark.parametrize("block", [(-1, 0), (0, 4), (4, 0)])
def test_blocks_outside(plain, cpl, block):
    assert open_band(plain).ReadBlock(*block) is None
    assert "BlockOff value" in cpl.the_error()


@pytest.mark.parametrize("threads", ["1", "2", "16", "ALL_CPUS"])
def test_any_number_of_threads(store, threads, monkeypatch):
    zarr_gdal.assert_same(open_raster(store, f"NUM_THREADS={threads}").ReadAsArray(), cube())
    gdal.SetConfigOption("GDAL_NUM_THREADS", threads)
    try:
        zarr_gdal.assert_same(open_raster(store).ReadAsArray(), cube())
    finally:
        gdal.SetConfigOption("GDAL_NUM_THREADS", None)


@pytest.mark.parametrize("threads", ["0", "-3", "many"])
def test_no_such_number_of_threads(plain, threads):
    """An invalid NUM_THREADS is ignored or gives an error that names the option. The driver never crashes."""
    with zarr_gdal.error_log() as log:
        dataset = gdal.OpenEx(str(plain), gdal.OF_RASTER, open_options=[f"NUM_THREADS={threads}"])
        if dataset is None:
            assert "NUM_THREADS" in log.the_error()
        else:
            zarr_gdal.assert_same(dataset.ReadAsArray(), cube())


def _windows_of(dataset, values):
    for x, y, w, h in WINDOWS:
        got = dataset.ReadAsArray(x, y, w, h)
        zarr_gdal.assert_same(got, values[:, y : y + h, x : x + w], (x, y, w, h))


def test_a_dataset_per_thread(store):
    def work(_):
        _windows_of(open_raster(store), cube())

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))


def test_one_dataset_under_a_lock(store):
    """Several threads read one dataset under a lock, because GDAL allows only one thread at a time."""
    dataset, lock, values = open_raster(store), threading.Lock(), cube()

    def work(_):
        for x, y, w, h in WINDOWS:
            with lock:
                got = dataset.ReadAsArray(x, y, w, h)
            zarr_gdal.assert_same(got, values[:, y : y + h, x : x + w])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_reading_in_a_forked_child(plain):
    """A forked child can read, although it does not have the parent's threads."""
    import multiprocessing

    dataset = open_raster(plain, "NUM_THREADS=4")
    zarr_gdal.assert_same(dataset.GetRasterBand(1).ReadAsArray(), cube()[0])
    context = multiprocessing.get_context("fork")
    child = context.Process(target=_read_in_child, args=(dataset, str(plain)))
    child.start()
    child.join(120)
    hung = child.is_alive()
    if hung:
        child.kill()
    assert not hung and child.exitcode == 0


def _read_in_child(inherited, name):
    for i in range(BANDS):
        zarr_gdal.assert_same(inherited.GetRasterBand(i + 1).ReadAsArray(), cube()[i])
    zarr_gdal.assert_same(open_raster(name, "NUM_THREADS=4").ReadAsArray(), cube())


def test_reads_after_the_block_cache_is_full(tmp_path):
    """Reads are right even if GDAL's block cache is limited to 1000 bytes."""
    before = gdal.GetCacheMax()
    gdal.SetCacheMax(1000)
    try:
        store = make_array(tmp_path, cube(), chunks=(2, 7, 10))
        _windows_of(open_raster(store), cube())
    finally:
        gdal.SetCacheMax(before)


def test_mask_of_nodata(tmp_path):
    values = cube()[0]
    band = open_band(make_array(tmp_path, values, fill_value=5))
    assert band.GetMaskFlags() == gdal.GMF_NODATA
    wanted = np.where(values == 5, 0, 255).astype("u1")
    zarr_gdal.assert_same(band.GetMaskBand().ReadAsArray(), wanted)


@zarr_formats.BOTH
def test_sparse_coverage_of_absent_chunks(tmp_path):
    """A window may contain both absent and stored chunks."""
    store = make_array(tmp_path, cube(), chunks=(2, 7, 10), fill_value=-1)
    values = cube()
    for index in ((0, 1, 1), (1, 3, 3)):
        zarr_formats.chunk_file(store, "", *index).unlink()
    values[0:2, 7:14, 10:20] = -1
    values[2:3, 21:, 30:] = -1
    zarr_gdal.assert_same(open_raster(store).ReadAsArray(), values)
