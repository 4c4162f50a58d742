# SPDX-License-Identifier: MIT
"""Statistics and overviews, in the store and beside it, are used only for the pixels from which they were made. Other
programs replace or change the pixels in ways that leave sizes and most samples as they were."""

import json
import os
import pathlib
import re
import shutil
import time

import numpy as np
import pytest
import zarr_formats
import zarr_icechunk
import zarr_python as zarr
from osgeo import gdal
from zarr_gdal import array_name, config_options, error_log
from zarr_http import Served
from zarr_references import pack, write_json, write_parquet
from zarr_store import make_store

pytestmark = zarr_formats.BOTH
SIDE = 1024
VALUES = np.random.default_rng(0).integers(1, 100, (SIDE, SIDE)).astype("i2")
# The first change is in the sampled bytes of the only chunk and in no sampled window, the second one in neither.
PLACES = [(10, 900), (600, 100)]


@pytest.fixture(autouse=True)
def pam():
    with config_options(GDAL_PAM_ENABLED="YES"):
        yield


def make(folder, chunks=(SIDE, SIDE), compressor=None, **options):
    return make_store(folder, {"a": dict(values=VALUES, chunks=chunks, compressor=compressor, **options)})


def changed(row, column):
    values = VALUES.copy()
    values[row : row + 9, column : column + 9] = 1000
    return values


def opened(store, home):
    update = gdal.OF_UPDATE if home == "in the store" else 0
    return gdal.OpenEx(array_name(store, "a"), gdal.OF_RASTER | update)


def make_products(store, home):
    dataset = opened(store, home)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    time.sleep(0.02)


def products(store):
    """Returns the saved maximum, or None, and the number of overviews."""
    with error_log():
        dataset = gdal.Open(array_name(store, "a"))
        band = dataset.GetRasterBand(1)
        return [band.GetMetadataItem("STATISTICS_MAXIMUM"), band.GetOverviewCount()]


def make_products_of(name):
    dataset = gdal.Open(name)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
    dataset = None
    time.sleep(0.02)


def products_of(name):
    with error_log():
        dataset = gdal.Open(name)
    band = dataset.GetRasterBand(1)
    return [band.GetMetadataItem("STATISTICS_MAXIMUM"), band.GetOverviewCount()]


CURRENT, OUTDATED = ["99", 1], [None, 0]
homes = pytest.mark.parametrize("home", ["in the store", "beside the store"])


@homes
@pytest.mark.parametrize("place", PLACES)
def test_an_array_is_written_anew(tmp_path, home, place):
    store = make(tmp_path)
    make_products(store, home)
    for _ in range(2):
        assert products(store) == CURRENT
    group = zarr.open_group(str(store), mode="a")
    attributes = dict(group["a"].attrs)
    shutil.rmtree(store / "a")
    os.makedirs(tmp_path / "another folder")  # may have the number that the array's folder had
    other = make_store(tmp_path / "other", {"a": dict(values=changed(*place), chunks=(SIDE, SIDE), compressor=None,
                                                      attrs=attributes)})  # fmt: skip
    shutil.copytree(other / "a", store / "a")
    assert products(store) == OUTDATED


@homes
@pytest.mark.parametrize("place", PLACES)
def test_a_chunk_is_written_in_place(tmp_path, home, place):
    store = make(tmp_path)
    make_products(store, home)
    zarr.open_group(str(store))["a"][place[0], place[1]] = 1000
    assert products(store) == OUTDATED


@homes
def test_metadata_of_others_do_not_renew_outdated_products(tmp_path, home):
    """Saving other metadata gives the file beside the store, and the document of the array, a new time."""
    store = make_store(tmp_path, {name: dict(values=VALUES, chunks=(SIDE, SIDE), compressor=None) for name in "ab"})
    make_products(store, home)
    zarr.open_group(str(store))["a"][PLACES[1]] = 1000
    gdal.Open(array_name(store, "b")).SetMetadataItem("of", "b")
    zarr.open_group(str(store))["a"].attrs["of"] = "a"
    gdal.Open(array_name(store, "a")).SetMetadataItem("of", "a")
    assert products(store) == OUTDATED


@homes
@pytest.mark.parametrize("product", ["statistics", "histogram"])
def test_chunks_that_change_before_statistics_are_saved(tmp_path, home, product):
    """The fingerprint is that of the pixels from which the statistics were computed."""
    store = make(tmp_path, (256, 256))
    dataset = opened(store, home)
    band = dataset.GetRasterBand(1)
    band.ComputeStatistics(False) if product == "statistics" else band.GetDefaultHistogram(force=1)
    zarr.open_group(str(store))["a"][PLACES[1]] = 1000
    dataset = band = None
    dataset = gdal.Open(array_name(store, "a"))
    band = dataset.GetRasterBand(1)
    assert band.GetMetadataItem("STATISTICS_MAXIMUM") is None and band.GetDefaultHistogram(force=0) is None


@homes
@pytest.mark.parametrize("copy", [shutil.copyfile, shutil.copy2])
def test_a_copy_of_a_store_keeps_its_products(tmp_path, home, copy, cpl):
    store = make(tmp_path, (256, 256), "default")
    make_products(store, home)
    (tmp_path / "copy").mkdir()
    for source in sorted(tmp_path.glob("store.zarr*")):
        target = tmp_path / "copy" / source.name
        if source.is_dir():
            shutil.copytree(source, target, copy_function=copy)
        else:
            copy(source, target)
    assert products(tmp_path / "copy" / "store.zarr") == CURRENT
    time.sleep(0.02)
    # Only times show a change outside of all samples, and all times are others in this copy.
    place = (600, 600) if copy is shutil.copyfile and home == "in the store" else (600, 100)
    zarr.open_group(str(tmp_path / "copy" / "store.zarr"))["a"][place] = 1000
    assert products(tmp_path / "copy" / "store.zarr") == OUTDATED
    assert products(store) == CURRENT


def test_a_copy_without_a_compressor_keeps_files_beside_it(tmp_path):
    store = make(tmp_path, (256, 256))
    make_products(store, "beside the store")
    (tmp_path / "copy").mkdir()
    for source in sorted(tmp_path.glob("store.zarr*")):
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, tmp_path / "copy" / source.name)
    assert products(tmp_path / "copy" / "store.zarr") == CURRENT


@homes
@pytest.mark.parametrize("newest", [0, 1])
def test_a_copy_with_times_of_two_seconds(tmp_path, home, newest):
    """As zip files and FAT have them. The newest time may stay as it was, as after a download."""
    store = make(tmp_path, (256, 256), "default")
    start = int(time.time()) // 2 * 2 - 1000
    files = sorted(path for path in store.rglob("*") if path.is_file())
    for i, path in enumerate(files):
        os.utime(path, (start - i % 7, start - i % 7))
    [chunk] = [path for path in files if path.as_posix().endswith(("/a/3.1", "/a/c/3/1"))]
    os.utime(chunk, (start + newest, start + newest))
    make_products(store, home)
    (tmp_path / "copy").mkdir()
    for source in sorted(tmp_path.glob("store.zarr*")):
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, tmp_path / "copy" / source.name)
    for path in (tmp_path / "copy" / "store.zarr").rglob("*"):
        rounded = int(path.stat().st_mtime) // 2 * 2
        os.utime(path, (rounded, rounded))
    assert products(tmp_path / "copy" / "store.zarr") == CURRENT


@homes
def test_a_copy_with_another_file_is_no_copy(tmp_path, home):
    store = make(tmp_path, (256, 256), "default")
    make_products(store, home)
    shutil.copytree(store, tmp_path / "copy.zarr", copy_function=shutil.copyfile)
    for end in (".aux.xml", ".ovr"):
        for source in tmp_path.glob(f"store.zarr*{end}"):
            shutil.copyfile(source, tmp_path / source.name.replace("store", "copy"))
    assert products(tmp_path / "copy.zarr") == CURRENT
    [chunk] = [path for path in (tmp_path / "copy.zarr" / "a").rglob("*") if path.name == "1" and path.parent.name == "3"
               or path.name == "3.1"]  # fmt: skip
    chunk.unlink()
    # No time shows that the file of overviews, which is copied after its record, is outdated.
    assert products(tmp_path / "copy.zarr") == [None, 1 if home == "beside the store" else 0]


@homes
def test_other_nodata_are_another_input(tmp_path, home):
    store = make(tmp_path, (256, 256))
    make_products(store, home)
    zarr.open_group(str(store))["a"].attrs["_FillValue"] = 99
    assert products(store)[0] is None


@homes
def test_a_store_that_is_written_anew_is_no_copy(tmp_path, home):
    """Without a compressor, sizes do not show changes outside of all samples."""
    store = make(tmp_path, (256, 256))
    dataset = opened(store, home)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    attributes = dict(zarr.open_group(str(store))["a"].attrs)
    store.rename(tmp_path / "old.zarr")
    make_store(tmp_path, {"a": dict(values=changed(600, 100), chunks=(256, 256), compressor=None, attrs=attributes)})
    old = time.time() - 100
    for path in [store, *store.rglob("*")]:
        os.utime(path, (old, old))
    assert products(store) == OUTDATED


@pytest.mark.parametrize("place", PLACES)
def test_chunks_of_references_are_changed(tmp_path, place, zarr_format):
    store = make(tmp_path, (256, 256))
    file = str(write_json(tmp_path / "x.json", pack(store, tmp_path / "data.bin")))
    make_products_of(file)
    assert products_of(file) == CURRENT
    zarr.open_group(str(store))["a"][place] = 1000
    pack(store, tmp_path / "data.bin")
    assert products_of(file) == OUTDATED


@homes
def test_an_older_store_in_place_of_another_one(tmp_path, home):
    (tmp_path / "older").mkdir()
    older = make(tmp_path / "older", (256, 256))
    zarr.open_group(str(older))["a"][600, 100] = 1000
    past = time.time() - 900
    for path in [older, *older.rglob("*")]:
        os.utime(path, (past, past))
    store = make(tmp_path, (256, 256))
    make_products(store, home)
    if home == "in the store":
        zarr.open_group(str(older))["a"].attrs.update(zarr.open_group(str(store))["a"].attrs)
    store.rename(tmp_path / "newer.zarr")
    older.rename(store)
    assert products(store) == OUTDATED


@homes
def test_a_copy_that_two_handles_change(tmp_path, home):
    """Both record the fingerprint of the copy, not that of the original store."""
    (tmp_path / "original").mkdir()
    values = np.stack([VALUES, VALUES * 9])
    make_store(tmp_path / "original", {"a": dict(values=values, chunks=(1, 256, 256))})
    store = tmp_path / "original" / "store.zarr"
    dataset = opened(store, home)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    for source in sorted((tmp_path / "original").iterdir()):
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, tmp_path / source.name)
    store = tmp_path / "store.zarr"
    first, second = opened(store, home), opened(store, home)
    assert first.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM") == "99"
    first.GetRasterBand(1).SetDescription("one")
    for band in (1, 2):
        second.GetRasterBand(band).ComputeStatistics(False)
    second = None
    first = None
    dataset = gdal.Open(array_name(store, "a"))
    assert [dataset.GetRasterBand(band).GetMetadataItem("STATISTICS_MAXIMUM") for band in (1, 2)] == ["99", "891"]


@zarr_formats.V2
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("age", [0, 900])
def test_a_file_that_references_name_is_another_one(tmp_path, is_open, age):
    """Places and sizes are equal. The file is newer, or an older one."""
    store = make(tmp_path, (256, 256))
    file = str(write_json(tmp_path / "x.json", pack(store, tmp_path / "data.bin")))
    zarr.open_group(str(store))["a"][600, 100] = 1000
    pack(store, tmp_path / "other.bin")
    make_products_of(file)
    dataset = gdal.Open(file) if is_open else None
    if is_open:
        assert dataset.GetRasterBand(1).GetMetadataItem("STATISTICS_MAXIMUM") == "99"
        dataset.SetMetadataItem("more", "metadata")
    then = time.time() - age
    os.utime(tmp_path / "other.bin", (then, then))
    (tmp_path / "other.bin").rename(tmp_path / "data.bin")
    dataset = None
    assert products_of(file) == OUTDATED


@pytest.mark.parametrize("copy", [shutil.copyfile, shutil.copy2])
def test_a_copy_of_references_keeps_its_products(tmp_path, copy):
    store = make(tmp_path, (256, 256))
    make_products_of(str(write_json(tmp_path / "x.json", pack(store, tmp_path / "data.bin"))))
    (tmp_path / "copy").mkdir()
    for source in sorted([tmp_path / "data.bin", *tmp_path.glob("x.json*")]):
        copy(source, tmp_path / "copy" / source.name)
    assert products_of(str(tmp_path / "copy" / "x.json")) == CURRENT


@zarr_formats.V2
def test_chunks_on_a_server_are_not_read_for_files_beside_references(tmp_path):
    """They are not requested, and what was made from them stays valid if the server cannot be reached."""
    store = make(tmp_path, (256, 256))
    references = pack(store, tmp_path / "data.bin")
    file = tmp_path / "x.json"
    with Served(tmp_path) as server:
        url = f"{server.url}/data.bin"
        write_json(file, {key: [url, *at[1:]] if isinstance(at, list) else at for key, at in references.items()})
        make_products_of(str(file))
        assert server.requests()
        assert products_of(str(file)) == CURRENT
        gdal.Open(str(file)).SetMetadataItem("more", "metadata")
        assert server.requests() == []
    gdal.Open(str(file)).SetMetadataItem("even more", "metadata")
    assert products_of(str(file)) == CURRENT
    assert "even more" in (tmp_path / "x.json.aux.xml").read_text()


def test_chunks_that_a_server_refuses_are_no_other_chunks(tmp_path, zarr_format):
    store = make_store(tmp_path, {"a": dict(values=VALUES, chunks=(256, 256))}, consolidated=True)
    make_products(store, "in the store")
    with Served(tmp_path) as server:
        chunks = ["c/*"] if zarr_format == 3 else [f"{row}.*" for row in range(4)]
        server.rule(status={f"/store.zarr/a/{chunk}": [403, -1] for chunk in chunks})
        assert products(f"/vsicurl/{server.url}/store.zarr") == CURRENT
        assert 403 in {status for *_, status in server.requests()}


@zarr_formats.V3
def test_a_mask_of_several_arrays_stays_if_attributes_of_an_empty_one_change(tmp_path):
    """A document of Zarr v3 has attributes, too. That of an array without chunks is newer than all its chunks."""
    group = zarr.open_group(str(tmp_path / "store.zarr"), mode="w")
    arrays = [group.create_array(name, shape=(64, 64), chunks=(64, 64), dtype="i2", fill_value=0) for name in "ab"]
    arrays[0][...] = VALUES[:64, :64]
    dataset = gdal.Open(str(tmp_path / "store.zarr"))
    assert dataset.RasterCount == 2 and dataset.CreateMaskBand(gdal.GMF_PER_DATASET) == gdal.CE_None
    dataset = None
    time.sleep(0.02)
    arrays[1].attrs["more"] = "metadata"
    dataset = gdal.Open(str(tmp_path / "store.zarr"))
    assert dataset.GetRasterBand(1).GetMaskFlags() == gdal.GMF_PER_DATASET


@zarr_formats.V2
@pytest.mark.parametrize("kind", ["json", pytest.param("parquet", marks=pytest.mark.slow)])
def test_many_references_are_compared_by_the_time_of_their_file(tmp_path, kind):
    """The chunks of an array with more than 65,536 chunks are not examined."""
    store = zarr.open_group(str(tmp_path / "store.zarr"), mode="w")
    store.create_array("a", shape=(2600, 2600), chunks=(10, 10), dtype="u1", compressors=None, fill_value=0)
    folder = tmp_path / "refs.parq"
    folder.mkdir()
    references = pack(tmp_path / "store.zarr", folder / "unused.bin")
    (folder / "data.bin").write_bytes(b"\7" * 100 + b"\x63" * 100)

    def write(offset):
        keys = {"a/0.0": ["data.bin", 0, 100], "a/200.17": ["data.bin", offset, 100]}
        if kind == "json":
            return str(write_json(folder / "refs.json", {**references, **keys}))
        return str(write_parquet(folder, {**references, **keys}, record_size=100000))

    name = write(0)
    make_products_of(name)
    for _ in range(2):
        assert products_of(name) == ["7", 1]
    write(100)
    assert products_of(name) == OUTDATED


CREATE = '''
repository = create()
session = repository.writable_session("main")
array = zarr.open_group(session.store, mode="a").create_array("a", shape=(1024, 1024), chunks=(256, 256), dtype="i2", compressors=None)
array[...] = np.load(sys.argv[1] + ".npy")
session.commit("first")
'''
CHANGE = '''
session = icechunk.Repository.open(icechunk.local_filesystem_storage(folder), config=config).writable_session("main")
zarr.open_group(session.store)["a"][600, 100] = 1000
session.commit("second")
'''


@zarr_formats.V3
def test_a_commit_changes_chunks(tmp_path):
    repository = str(tmp_path / "repository")
    np.save(repository + ".npy", VALUES)
    zarr_icechunk.write(repository, CREATE)
    make_products_of(repository)
    assert products_of(repository) == CURRENT
    zarr_icechunk.write(repository, CHANGE)
    assert products_of(repository) == OUTDATED


def test_a_downloaded_record_is_compared_by_time(tmp_path):
    """On a server only the shape is recorded."""
    store = make(tmp_path, (256, 256))
    make_products(store, "beside the store")
    file = tmp_path / "store.zarr@a.aux.xml"
    file.write_text(re.sub(r'(<MDI key="MADE_FROM">[^:<]*)[^<]*', r"\1", file.read_text()))
    (tmp_path / "store.zarr@a.ovr").unlink()
    assert products(store) == ["99", 0]
    time.sleep(0.02)
    zarr.open_group(str(store))["a"][600, 100] = 1000
    assert products(store) == [None, 0]


@zarr_formats.V3
@homes
def test_many_chunks_in_folders_are_compared_by_the_times_of_the_folders(tmp_path, home):
    store = tmp_path / "store.zarr"
    array = zarr.open_group(str(store), mode="w").create_array("a", shape=(2600, 2600), chunks=(10, 10), dtype="u1",
                                                               compressors=None, fill_value=0)  # fmt: skip
    array[1000:1020, 1000:1020] = 7
    time.sleep(0.02)
    dataset = opened(store, home)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    assert products(store)[0] == "7"
    time.sleep(0.02)
    array[1010, 1010] = 77
    assert products(store)[0] is None


@zarr_formats.V3
@pytest.mark.slow
@homes
def test_chunks_in_too_many_folders_are_no_evidence(tmp_path, home):
    """More than 65,536 folders are not examined, so that statistics are computed again, except of small arrays."""
    store = tmp_path / "store.zarr"
    array = zarr.open_group(str(store), mode="w").create_array("a", shape=(65600, 2), chunks=(1, 1), dtype="u1",
                                                               compressors=None, fill_value=0)  # fmt: skip
    array[7] = 7
    for i in range(65600):
        (store / "a" / "c" / str(i)).mkdir(parents=True, exist_ok=True)
    dataset = opened(store, home)
    dataset.GetRasterBand(1).ComputeStatistics(False)
    dataset = None
    assert products(store)[0] is None


def test_many_chunks_are_compared_by_the_time_of_their_folder(tmp_path, zarr_format):
    """For more than 65,536 chunks, only their folder is examined."""
    store = tmp_path / "store.zarr"
    zarr.open_group(str(store), mode="w").create_array("a", shape=(2600, 2600), chunks=(10, 10), dtype="u1",
                                                       compressors=None, fill_value=0)  # fmt: skip
    document = store / "a" / (".zarray" if zarr_format == 2 else "zarr.json")
    if zarr_format == 3:
        text = document.read_text().replace('"separator": "/"', '"separator": "."').replace('"separator":"/"', '"separator":"."')
        document.write_text(text.replace('"name": "default"', '"name": "v2"').replace('"name":"default"', '"name":"v2"'))
    (store / "a" / "0.0").write_bytes(b"\7" * 100)
    time.sleep(0.02)
    make_products(store, "beside the store")
    assert products(store) == ["7", 1]
    (store / "a" / "1.41").write_bytes(b"\7" * 100)
    assert products(store) == OUTDATED


def test_overviews_that_are_built_without_pam_are_used(tmp_path, cpl):
    store = make(tmp_path, (256, 256))
    make_products(store, "beside the store")
    zarr.open_group(str(store))["a"][600, 100] = 1000
    time.sleep(0.02)
    with config_options(GDAL_PAM_ENABLED="NO"):
        dataset = opened(store, "beside the store")
        assert dataset.BuildOverviews("NEAREST", [2]) == gdal.CE_None
        dataset = None
    assert products(store) == [None, 1]
    gdal.Open(array_name(store, "a")).SetMetadataItem("more", "metadata")
    assert products(store) == [None, 1]


# ---------------------------------------------------------------------------------------------
# Tests: records of version 0.1


def fnv(state, data):
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def summand(state):
    state = (state ^ state >> 33) * 0xFF51AFD7ED558CCD % 2**64
    state = (state ^ state >> 33) * 0xC4CEB9FE1A85EC53 % 2**64
    return state ^ state >> 33


def old_sum(folder, fact):
    """Returns the digest of names and a fact about all chunks of an array in the folder."""
    total = 0
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file() and path.name not in (".zarray", ".zattrs", "zarr.json"):
            name = str(path.relative_to(folder)).encode()
            total += summand(fnv(fnv(0xCBF29CE484222325, name), fact(path.stat())))
    return f"{fnv(0xCBF29CE484222325, (total % 2**64).to_bytes(8, 'little')):016x}"


def old_record(store, documents):
    sizes = old_sum(store / "a", lambda stat: stat.st_size.to_bytes(8, "little") + bytes(8))
    return f"{documents}:{sizes}:{old_sum(store / 'a', lambda stat: stat.st_mtime_ns.to_bytes(8, 'little'))}"


def documents_in_old_records(store, zarr_format):
    document = json.loads((store / "a" / (".zarray" if zarr_format == 2 else "zarr.json")).read_text())
    document.pop("attributes", None)
    text = json.dumps(document, sort_keys=True, separators=(", ", ": "))
    return f"{fnv(0xCBF29CE484222325, b'a' + text.encode()):016x}"


def write_old_records(store, home, zarr_format):
    """Replaces the records of statistics and overviews by those that version 0.1 has written."""
    documents = documents_in_old_records(store, zarr_format)
    if home == "beside the store":
        file = store.parent / "store.zarr@a.aux.xml"
        items = {"OF": "/a", "OVERVIEWS": documents, "MADE_FROM": old_record(store, documents)}
        domain = "".join(f'<MDI key="{key}">{value}</MDI>' for key, value in items.items())
        text, count = re.subn(r'(<Metadata domain="ZARR_SIDECAR">).*?</Metadata>', rf'\1{domain}</Metadata>', file.read_text(),
                              flags=re.S)  # fmt: skip
        assert count == 1
        file.write_text(text)
        return
    array = zarr.open_group(str(store))["a"]
    old = f'<MDI key="MADE_FROM">{old_record(store, documents)}</MDI><MDI key="MADE_IN">{(store / "a").stat().st_ino}</MDI>'
    pam, count = re.subn(r'<MDI key="MADE_FROM">([^:<]*:[^:<]*:[^:<]*):[^<]*</MDI>', rf'{old}<MDI key="MADE_OF">\1</MDI>',
                         array.attrs["gdal_pam"])  # fmt: skip
    assert count == 1
    array.attrs["gdal_pam"] = pam
    name = ".zattrs" if zarr_format == 2 else "zarr.json"
    [group] = [path for path in store.rglob(name) if "gdal_base_state" in path.read_text()]
    text, count = re.subn(r'((?:[0-9a-f]{16}:){5}[0-9a-f]{16}):\d+', r"\1", group.read_text())
    assert count == 1
    group.write_text(text)


@homes
def test_version_0_1_takes_new_statistics_for_outdated(tmp_path, home, zarr_format):
    """That version uses statistics without a record, or with one that begins with the digest of the documents."""
    store = make(tmp_path, (256, 256))
    make_products(store, home)
    beside = tmp_path / "store.zarr@a.aux.xml"
    text = beside.read_text() if home == "beside the store" else zarr.open_group(str(store))["a"].attrs["gdal_pam"]
    [record] = re.findall('<MDI key="MADE_FROM">([^:<]*)', text)
    assert record != documents_in_old_records(store, zarr_format)


def test_overviews_of_version_0_1_survive_a_new_document(tmp_path, zarr_format):
    store = make(tmp_path, (256, 256))
    make_products(store, "beside the store")
    write_old_records(store, "beside the store", zarr_format)
    zarr.open_group(str(store))["a"].attrs["more"] = "metadata"
    assert products(store)[1] == 1


@homes
@pytest.mark.parametrize("change", [False, True])
def test_records_of_version_0_1(tmp_path, home, change, zarr_format):
    """They are valid until a chunk has another time."""
    store = make(tmp_path, (256, 256))
    make_products(store, home)
    write_old_records(store, home, zarr_format)
    assert products(store) == CURRENT
    time.sleep(0.02)
    if change:
        zarr.open_group(str(store))["a"][600, 100] = 1000
    for _ in range(2):
        assert products(store) == (OUTDATED if change else CURRENT)
        opened(store, home).SetMetadataItem("more", "metadata")


def test_a_mask_of_version_0_1_on_a_server(tmp_path, zarr_format):
    store = make_store(tmp_path, {name: dict(values=VALUES, chunks=(256, 256)) for name in "ab"}, consolidated=True)
    dataset = gdal.Open(array_name(store, "a"))
    dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
    dataset.GetRasterBand(1).GetMaskBand().Fill(0)
    dataset = None
    items = f'<MDI key="OF">/a</MDI><MDI key="MASK">{documents_in_old_records(store, zarr_format)}</MDI>'
    file = '<PAMDataset><Metadata domain="ZARR_SIDECAR">%s</Metadata></PAMDataset>'
    (tmp_path / "store.zarr@a.aux.xml").write_text(file % items)
    (tmp_path / "store.zarr.aux.xml").write_text(file % '<MDI key="OF">/</MDI>')
    with Served(tmp_path) as server:
        dataset = gdal.Open(array_name(f"/vsicurl/{server.url}/store.zarr", "a"))
        band = dataset.GetRasterBand(1)
        assert band.GetMaskFlags() == gdal.GMF_PER_DATASET and band.GetMaskBand().ReadAsArray().max() == 0
        assert "/store.zarr@a" not in {path for _, path, *_ in server.requests()}
