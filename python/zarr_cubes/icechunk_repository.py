# SPDX-License-Identifier: MIT
"""Writes a cube to an Icechunk repository through the package icechunk, as one commit, and adds files along time."""

import asyncio
import contextlib
import datetime
import fcntl
import hashlib
import itertools
import json
import os
import shutil
import tempfile
import urllib.parse

import numpy as np
from osgeo import osr

from zarr_cubes import dataset_join, documents
from zarr_cubes.files import is_local, location
from zarr_cubes.kerchunk_json import places
from zarr_cubes.model import Refused

MOST_TRIES = 30
MOST_COMMITS = 1000
REFERENCES_AT_A_TIME = 100_000
SAME = ("data_type", "chunk_grid", "codecs", "fill_value", "dimension_names")
SAME_ATTRIBUTES = ("_FillValue", "scale_factor", "add_offset", "scales", "offsets", "units", "grid_mapping")


def library():
    try:
        import icechunk
    except ImportError as why:
        raise Refused(f"an Icechunk repository needs the package icechunk: pip install icechunk ({why})") from None
    if hasattr(icechunk, "set_logs_filter"):
        icechunk.set_logs_filter("error")
    return icechunk


def storage_of(icechunk, output):
    parts = urllib.parse.urlsplit(output)
    if parts.scheme in ("s3", "gs"):
        make = icechunk.s3_storage if parts.scheme == "s3" else icechunk.gcs_storage
        return make(bucket=parts.netloc, prefix=parts.path.strip("/"), from_env=True)
    if "://" in output:
        raise Refused(f"{output}: a repository is a folder, s3:// or gs://")
    return icechunk.local_filesystem_storage(os.path.abspath(output))


def url_of(name):
    path = location(name)
    if is_local(name) and any(c in path for c in "#?"):
        raise Refused(f"{name}: Icechunk takes # and ? in a name for the end of a path; rename the file, or write x.json or x.parq")
    return path if "://" in path else "file://" + path


def containers_of(icechunk, sources):
    """Returns {URL prefix: store} of the virtual chunk containers that the files lie in."""
    stores = {}
    for source in sources:
        parts = urllib.parse.urlsplit(url_of(source.name))
        if parts.scheme == "file":
            folder = os.path.dirname(os.path.abspath(source.name)).rstrip("/") + "/"
            stores.setdefault("file://" + folder, lambda folder=folder: icechunk.local_filesystem_store(folder))
        else:
            if ":" in parts.netloc:
                raise Refused(f"{source.name}: Icechunk drops the port of a URL; write x.json or x.parq instead")
            prefix = f"{parts.scheme}://{parts.netloc}/"
            make = {"s3": lambda: icechunk.s3_store(region=os.environ.get("AWS_REGION", "us-east-1")),
                    "gs": icechunk.gcs_store}.get(parts.scheme, icechunk.http_store)  # fmt: skip
            stores.setdefault(prefix, make)
    return {prefix: make() for prefix, make in stores.items()}


def add_containers(icechunk, config, sources):
    """Adds containers to a configuration. Returns True if one was absent."""
    known = dict(config.virtual_chunk_containers or {})
    missing = {prefix: store for prefix, store in containers_of(icechunk, sources).items() if prefix not in known}
    for prefix, store in missing.items():
        config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))
    return bool(missing)


def write(cube, options):
    """Creates the repository with one commit. A local one is built beside its name and then renamed."""
    icechunk, output = library(), options.output.rstrip("/")
    if "://" in output:
        return create(icechunk, cube, options, output)
    if os.path.exists(output):
        raise Refused(f"{output}: exists; --append adds files to a repository, else remove it or choose another name")
    folder, name = os.path.split(os.path.abspath(output))
    temporary = tempfile.mkdtemp(prefix=name + ".", suffix=".partial", dir=folder)
    try:
        create(icechunk, cube, options, os.path.join(temporary, "r"))
        os.rename(os.path.join(temporary, "r"), output)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return None


def create(icechunk, cube, options, output):
    config = icechunk.RepositoryConfig.default()
    add_containers(icechunk, config, cube.sources)
    try:
        repository = icechunk.Repository.create(storage_of(icechunk, output), config=config)
    except icechunk.IcechunkError as why:
        raise Refused(f"{options.output}: {first_line(why)}") from None
    repository.save_config()
    session = repository.writable_session("main")
    asyncio.run(put_documents(session.store, cube))
    put_references(icechunk, session.store, cube, 0)
    snapshot = session.commit(message_of(cube, options))
    if options.branch != "main":
        repository.create_branch(options.branch, snapshot)
    if options.tag:
        repository.create_tag(options.tag, snapshot)


def message_of(cube, options):
    return options.message or f"zarr_cube: {len(cube.sources)} files"


def first_line(error):
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def buffer_of(data):
    from zarr.core.buffer import default_buffer_prototype  # icechunk depends on zarr

    return default_buffer_prototype().buffer.from_bytes(data)


async def put(store, key, data):
    await store.set(key, buffer_of(data if isinstance(data, bytes) else json.dumps(data).encode()))


async def get(store, key):
    from zarr.core.buffer import default_buffer_prototype

    found = await store.get(key, default_buffer_prototype())
    return None if found is None else found.to_bytes()


async def put_documents(store, cube):
    for path, attrs in cube.groups.items():
        document = {"zarr_format": 3, "node_type": "group", "attributes": attrs}
        await put(store, f"{path}/zarr.json".lstrip("/"), document)
    for path, array in cube.arrays.items():
        await put(store, f"{path}/zarr.json", documents.v3(array.spec))
        if array.values is not None:
            for at, data in documents.value_chunks(array):
                await put(store, chunk_key(path, at), data)


def chunk_key(path, at):
    return "/".join([path, "c", *map(str, at)])


def put_references(icechunk, store, cube, start):
    """Adds the references of all pieces, moved by `start` along the first dimension. An append adds only to arrays that
    grow."""
    for path, array in cube.arrays.items():
        batch, first = [], chunk_of(path, array, cube, start) if start and array.pieces else 0
        if first is None:
            continue
        for piece in array.pieces:
            at = places(array.spec, piece)
            if first:
                at = at + np.array([first] + [0] * (at.shape[1] - 1))
            add_piece(icechunk, piece, at, batch)
            for i, data in piece.array.inline.items():
                asyncio.run(put(store, chunk_key(path, at[i]), data))
            if len(batch) > REFERENCES_AT_A_TIME:
                send(store, path, batch)
                batch = []
        send(store, path, batch)


def add_piece(icechunk, piece, at, batch):
    part, source = piece.array, piece.source
    changed = None
    if source.stamp is not None:
        changed = datetime.datetime.fromtimestamp(-(-source.stamp[1] // 10**9), datetime.timezone.utc)
    several = isinstance(part.file, list)
    url = url_of(part.file if part.file and not several else source.name)
    for i in np.flatnonzero(part.lengths):
        where = url_of(part.file[i]) if several else url
        batch.append(icechunk.VirtualChunkSpec(at[i].tolist(), where, int(part.offsets[i]), int(part.lengths[i]),
                                               None, changed))  # fmt: skip


def send(store, path, batch):
    failed = store.set_virtual_refs("/" + path, batch) if batch else None
    if failed:
        raise Refused(f"{path}: {len(failed)} references lie in no virtual chunk container of the repository")


# ---------------------------------------------------------------------------------------------
# Adding along the dimension


def append(cube, options):
    """Adds the files of the cube behind those of the repository, as one commit. If another program commits meanwhile, the
    files are added behind its own; if that cannot be done, the error says why."""
    icechunk = library()
    with only_one(options.output):
        append_alone(icechunk, cube, options)


@contextlib.contextmanager
def only_one(output):
    """Waits until no other zarr_cube adds to a local repository. Icechunk's commits to a folder are not safe if two
    programs commit at a time; object stores need no lock. The lock ends with the process."""
    if "://" in output or not os.path.isdir(output):
        yield
        return
    folder = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def append_alone(icechunk, cube, options):
    repository = opened(icechunk, cube, options)
    if options.tag and tag_committed(repository, cube, options):
        return
    for _ in range(MOST_TRIES):
        session = repository.writable_session(options.branch)
        start = asyncio.run(put_grown(session.store, cube, options))
        put_references(icechunk, session.store, cube, start)
        try:
            about = {**metadata_of(cube, options), "zarr_cube_start": int(start)} if options.tag else None
            snapshot = session.commit(message_of(cube, options), metadata=about)
        except icechunk.ConflictError:
            continue
        if options.tag:
            repository.create_tag(options.tag, snapshot)
        move(cube, start)
        return
    raise Refused(f"{options.output}: other programs committed to {options.branch} during {MOST_TRIES} tries; run it again")


def move(cube, start):
    """Moves the pieces to where they are in the repository, behind `start` steps."""
    for path, array in cube.arrays.items():
        first = chunk_of(path, array, cube, start) if array.pieces else None
        for piece in array.pieces if first else ():
            piece.at = (piece.at[0] + first, *piece.at[1:])


def metadata_of(cube, options):
    """Returns what a commit says of a tag that it is to have, so that a run that is killed between both can be repeated."""
    names = "\n".join(source.name for source in cube.sources)
    return {"zarr_cube_tag": options.tag, "zarr_cube_files": hashlib.sha256(names.encode()).hexdigest()}


def tag_committed(repository, cube, options):
    """Tags the commit of a run with the same files and the same tag that was killed before it made the tag. Returns False
    if the last MOST_COMMITS commits of the branch have none."""
    wanted = metadata_of(cube, options)
    for snapshot in itertools.islice(repository.ancestry(branch=options.branch), MOST_COMMITS):
        if all(snapshot.metadata.get(name) == value for name, value in wanted.items()):
            repository.create_tag(options.tag, snapshot.id)
            move(cube, snapshot.metadata["zarr_cube_start"])
            return True
    return False


def opened(icechunk, cube, options):
    storage = storage_of(icechunk, options.output)
    for _ in range(MOST_TRIES):
        try:
            config = icechunk.Repository.fetch_config(storage) or icechunk.RepositoryConfig.default()
            is_new = add_containers(icechunk, config, cube.sources)
            repository = icechunk.Repository.open(storage, config=config)
        except icechunk.IcechunkError as why:
            raise Refused(f"{options.output}: no Icechunk repository: {first_line(why)}") from None
        try:
            if is_new:
                repository.save_config()
            break
        except icechunk.IcechunkError as why:
            failure = why  # another program has changed the configuration
    else:
        raise Refused(f"{options.output}: {first_line(failure)}")
    if options.tag and options.tag in repository.list_tags():
        raise Refused(f"{options.output}: the tag {options.tag} exists; tags cannot be moved")
    if options.branch not in repository.list_branches():
        repository.create_branch(options.branch, repository.lookup_branch("main"))
    return repository


async def put_grown(store, cube, options):
    """Writes the documents and coordinates of the grown arrays. Returns where the new part begins."""
    if cube.dimension is None:
        raise Refused("--append adds along a dimension; --join band and --join mosaic do not")
    old = await document_of(store, cube.dimension, options)
    size = old["shape"][0]
    values = await new_values(store, cube, old, size, options)
    for path, array in cube.arrays.items():
        if path.rpartition("/")[2] == cube.dimension:
            document = await document_of(store, path, options)
            await put(store, f"{path}/zarr.json", {**document, "shape": [len(values)]})
            await put_values(store, path, document, values, size)
        elif array.values is not None and array.spec.dims:
            await same_values(store, path, array, cube, options)
        elif array.pieces or path.rpartition("/")[2] == "spatial_ref":
            document = await document_of(store, path, options)
            same(documents.v3(array.spec), document, path, cube, options)
            if array.pieces and cube.dimension in array.spec.dims:
                shape = [size + array.spec.shape[0], *document["shape"][1:]]
                await put(store, f"{path}/zarr.json", {**document, "shape": shape})
    return size


async def same_values(store, path, array, cube, options):
    """Checks that coordinates which do not grow are those of the repository."""
    document = await document_of(store, path, options)
    old = b"".join([await get(store, chunk_key(path, at)) or b"" for at, _ in documents.value_chunks(array)])
    if document["shape"] != list(array.spec.shape) or old != b"".join(data for _, data in documents.value_chunks(array)):
        raise Refused(f"{options.output} and {cube.sources[0].name} have other values of {path}")


def chunk_of(path, array, cube, start):
    """Returns where the new chunks begin along the first axis; None for an array that does not grow."""
    if cube.dimension not in array.spec.dims:
        return None
    if array.spec.dims[0] != cube.dimension or start % array.spec.chunks[0]:
        raise Refused(f"{path}: --append needs {cube.dimension} as the first dimension, and {start} that are there are no whole "
                      f"number of chunks of {array.spec.chunks[0]}")  # fmt: skip
    return start // array.spec.chunks[0]


async def document_of(store, path, options):
    text = await get(store, f"{path}/zarr.json")
    if text is None:
        raise Refused(f"{options.output}: no array {path}; --append needs a cube that zarr_cube made with the same options")
    return json.loads(text)


def same(new, old, path, cube, options):
    def differ(what, one, other):
        if json.dumps(one) != json.dumps(other):
            raise Refused(f"{options.output} and {cube.sources[0].name} have another {what} of {path}: {one} and {other}")

    for name in SAME:
        differ(name, old.get(name), json.loads(json.dumps(new[name])))
    grows = int(cube.dimension in cube.arrays[path].spec.dims)
    differ("shape", old["shape"][grows:], new["shape"][grows:])
    if path.rpartition("/")[2] != "spatial_ref":
        for name in SAME_ATTRIBUTES:
            differ(name, old["attributes"].get(name), new["attributes"].get(name))
        return
    differ("GeoTransform", old["attributes"].get("GeoTransform"), new["attributes"].get("GeoTransform"))
    one, other = (osr.SpatialReference(each["attributes"].get("crs_wkt") or "") for each in (old, new))
    if not one.IsSame(other):
        raise Refused(f"{options.output} and {cube.sources[0].name} have another CRS: {one.GetName()} and {other.GetName()}")


async def stored_values(store, path, document):
    (chunk,) = document["chunk_grid"]["configuration"]["chunk_shape"]
    (size,) = document["shape"]
    dtype = np.dtype(document["data_type"]).newbyteorder("<")
    parts = [await get(store, chunk_key(path, (i,))) for i in range(-(-size // chunk))]
    return np.concatenate([np.frombuffer(part, dtype) for part in parts])[:size] if parts else np.zeros(0, dtype)


async def new_values(store, cube, document, size, options):
    """Returns the coordinates of the grown cube."""
    old = await stored_values(store, cube.dimension, document)
    array = cube.arrays[cube.dimension]
    given, wanted = ((attrs.get("units"), attrs.get("calendar")) for attrs in (array.spec.attrs, document["attributes"]))
    new = dataset_join.in_unit(array.values, cube.dimension, given, wanted, old.dtype, (options.output, cube.sources[0].name))
    if new.dtype != old.dtype:
        raise Refused(f"{options.output}: the values along {cube.dimension} are {old.dtype}, not {new.dtype}")
    if size and new[0] <= old[-1]:
        texts = shown(old[-1:], document["attributes"].get("units")), shown(new[:1], document["attributes"].get("units"))
        raise Refused(f"{cube.sources[0].name}: its {cube.dimension}, {texts[1]}, is not after the last one of "
                      f"{options.output}, {texts[0]}")  # fmt: skip
    return np.concatenate([old, new])


def shown(values, unit):
    form = dataset_join.since(unit)
    if form is None:
        return str(values[0])
    time = np.datetime64(form[1]) + np.timedelta64(int(values[0] * form[0]), "us")
    return str(time).removesuffix("T00:00:00.000000")


async def put_values(store, path, document, values, size):
    """Writes the chunks of the coordinates from the one on that has the first new value."""
    (chunk,) = document["chunk_grid"]["configuration"]["chunk_shape"]
    for i in range(size // chunk, -(-len(values) // chunk)):
        part = values[i * chunk : (i + 1) * chunk]
        await put(store, chunk_key(path, (i,)), np.pad(part, (0, chunk - len(part))).tobytes())
