# SPDX-License-Identifier: MIT
"""Names of inputs, and bytes of files, through GDAL's file systems. Local files are read by Python, which is faster."""

import fnmatch
import os
import pathlib
import re

from osgeo import gdal

from zarr_cubes.model import Refused

ENDINGS = (".tif", ".tiff", ".gtiff", ".cog", ".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".grib2", ".grb2", ".grib",
           ".grb")  # fmt: skip
SCHEMES = {"s3://": "/vsis3/", "gs://": "/vsigs/", "az://": "/vsiaz/", "https://": "/vsicurl/https://",
           "http://": "/vsicurl/http://"}  # fmt: skip
FIRST_BYTES = 32768
MOST_BYTES = 256 << 20  # of one file's headers
MOST_SPANS = 16


def gdal_name(name):
    """Returns the name that GDAL's file systems know: s3://b/k is /vsis3/b/k."""
    for scheme, prefix in SCHEMES.items():
        if name.startswith(scheme):
            return prefix + name[len(scheme):]
    return name.removeprefix("file://")


def is_local(name):
    return not name.startswith("/vsi")


def location(name):
    """Returns the location in references: a URL, or an absolute path. Only an absolute path is the same file for
    fsspec, which starts from the working folder, and for GDAL, which starts from the folder of the references."""
    for scheme, prefix in SCHEMES.items():
        if name.startswith(prefix):
            return scheme + name[len(prefix):]
    if not is_local(name):
        raise Refused(f"{name}: no reference can name this file system; give s3://, gs://, az://, https:// or a path")
    return os.path.abspath(name)


def shown(text):
    """Returns a text for users, without passwords and signatures in its URLs."""
    text = re.sub(r"(https?://)[^/\s@]*@", r"\1***@", text)
    return re.sub(r"(https?://[^\s?]*\?)[^\s,;]*", r"\1***", text)


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def is_store(folder):
    return any(gdal.VSIStatL(f"{folder}/{name}") is not None for name in ("zarr.json", ".zgroup", ".zarray", ".zmetadata"))


def files_below(folder, pattern=None):
    """Returns the files in a folder, and stores, in natural order of names. A `pattern` selects by name in this folder
    alone; without one, folders in it are searched too, for files of the known formats."""
    found = []
    for entry in sorted(gdal.ReadDir(folder) or (), key=natural):
        path = f"{folder.rstrip('/')}/{entry}"
        if entry in (".", ".."):
            continue
        if pattern is not None:
            found += [path] if fnmatch.fnmatchcase(entry, pattern) else []
        elif entry.lower().endswith(ENDINGS) and (not is_local(path) or os.path.isfile(path)):
            found.append(path)
        elif is_local(path) and os.path.islink(path):
            continue  # a link to a folder above would never end
        elif is_folder(path):
            found += [path] if is_store(path) else files_below(path)
    return found


def is_folder(path):
    if is_local(path):
        return os.path.isdir(path)
    stat = gdal.VSIStatL(path)
    return stat is not None and bool(stat.IsDirectory())


def listed(path):
    """Yields (name, value) of the lines of a list. A line is a name, or a name, a tab and a value such as a time."""
    try:
        text = read_all(path).decode("utf-8-sig")
    except UnicodeDecodeError as why:
        raise Refused(f"{path}: the list is no text in UTF-8: {why}") from None
    folder = os.path.dirname(path)
    for line in text.splitlines():
        name, _, value = line.strip().partition("\t")
        if not name or name.startswith("#"):
            continue
        name = gdal_name(name)
        is_relative = is_local(name) and not os.path.isabs(name)
        yield (os.path.join(folder, name) if is_relative and folder else name), value.strip() or None


def expanded(inputs):
    """Returns [(GDAL's name, value in a list or None)] of all inputs. A file that is named twice is taken once."""
    found = {}
    for word in inputs:
        if word.startswith("@"):
            entries = list(listed(gdal_name(word[1:])))
        else:
            entries = [(name, None) for name in named_by(gdal_name(word))]
        if not entries:
            raise Refused(f"{word}: no files; give files, folders, patterns in quotes, or @list.txt")
        for name, value in entries:
            found.setdefault(name, value)
    return list(found.items())


def named_by(word):
    folder, _, last = word.rpartition("/")
    wild = "*[" if word.startswith("/vsicurl/") else "*?["  # a URL may have a query
    if any(c in last for c in wild) and not (is_local(word) and os.path.exists(word)):
        return [name if folder else name[2:] for name in files_below(folder or ".", last)]
    if not word.startswith("/vsicurl/") and is_folder(word) and not is_store(word):
        return files_below(word)
    return [word]


def read_all(path):
    if is_local(path):
        try:
            return pathlib.Path(path).read_bytes()
        except OSError as why:
            raise Refused(f"{path}: {why.strerror or why}") from None
    head = Head(path)
    try:
        parts = [head.read(0, FIRST_BYTES)]
        while len(parts[-1]) and sum(map(len, parts)) < MOST_BYTES:
            parts.append(head.read(sum(map(len, parts)), 1 << 20))
        return b"".join(parts)
    finally:
        head.close()


def stamp_of(path):
    """Returns [size, time in nanoseconds] of a local file, and None for others."""
    if not is_local(path):
        return None
    try:
        state = os.stat(path)
    except OSError as why:
        raise Refused(f"{path}: {why.strerror or why}") from None
    return [state.st_size, state.st_mtime_ns]


class Head:
    """Bytes of a file that are near its headers. One read serves most files; others are made where needed."""

    def __init__(self, name, first=FIRST_BYTES):
        self.name = name
        self.spans = []
        self.total = self.served = 0
        self.size = None
        if is_local(name):
            if os.path.exists(name) and not os.path.isfile(name):
                raise Refused(f"{name}: no regular file")
            try:
                self.file = open(name, "rb", buffering=0)
                self.size = os.fstat(self.file.fileno()).st_size
            except OSError as why:
                raise Refused(f"{name}: {why.strerror or why}") from None
        else:
            self.file = gdal.VSIFOpenL(name, "rb")
            if self.file is None:
                raise Refused(f"{name}: cannot be opened: {gdal.GetLastErrorMsg() or 'not found'}")
        self.first = first

    def close(self):
        if self.file is not None:
            self.file.close() if is_local(self.name) else gdal.VSIFCloseL(self.file)
            self.file = None

    def read(self, offset, size):
        if self.total > MOST_BYTES or size > MOST_BYTES:
            raise Refused(f"{self.name}: its headers have more than {MOST_BYTES >> 20} MB")
        if is_local(self.name):
            data = os.pread(self.file.fileno(), size, offset) if offset < self.size else b""
        else:
            gdal.VSIFSeekL(self.file, offset, 0)
            data = bytes(gdal.VSIFReadL(1, size, self.file) or b"")
        self.total += len(data)
        return data

    def start(self):
        """Returns the first bytes of the file, at most 16, and reads the headers behind them."""
        data = self.read(0, self.first)
        self.spans.append((0, data))
        return data[:16]

    def get(self, offset, size):
        """Returns `size` bytes from `offset` on. Raises Refused if the file is shorter."""
        self.served += size
        if self.served > MOST_BYTES:
            raise Refused(f"{self.name}: its headers have more than {MOST_BYTES >> 20} MB")
        for start, data in self.spans:
            if start <= offset and offset + size <= start + len(data):
                return data[offset - start : offset - start + size]
        start = 0 if not self.spans and offset + size <= self.first else offset
        data = self.read(start, max(size, self.first))
        self.spans = [*self.spans[-MOST_SPANS:], (start, data)]
        if offset + size > start + len(data):
            raise Refused(f"{self.name}: the file is cut short: {size} bytes at {offset} are absent; copy it again")
        return data[offset - start : offset - start + size]
