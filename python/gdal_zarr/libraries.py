# SPDX-License-Identifier: MIT
"""Makes a libgdal look for plugins in the folder of this package, too."""

import ctypes
import dataclasses
import functools
import importlib.machinery
import os
import pathlib
import re
import warnings

import gdal_zarr_start

PACKAGE = pathlib.Path(__file__).resolve().parent
PLUGIN_FOLDER = PACKAGE / "gdalplugins"
# The extension module of each package that needs libgdal, without the ending of its file name.
EXTENSIONS = {"fiona": "_env", "osgeo": "_gdal", "pyogrio": "_io", "rasterio": "_env"}
LIBGDAL = re.compile(r"(/.*/libgdal(?!_zarr)[-.\w]*\.so[.\d]*)$", re.MULTILINE)
OPTION = b"GDAL_DRIVER_PATH"
OLD_ABI = " with the old C++ ABI"
# A method of GDAL as the C++ ABI of libstdc++ before GCC 5 names it. Wheels for manylinux2014 have this ABI.
OLD_ABI_METHOD = "_ZNK17GDALIHasAttribute12GetAttributeERKSs"


class DlInfo(ctypes.Structure):
    """Dl_info of dladdr()."""

    _fields_ = [
        ("file_name", ctypes.c_char_p),
        ("file_base", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("symbol_address", ctypes.c_void_p),
    ]


@dataclasses.dataclass
class Library:
    """A libgdal in this process. `functions` is a handle with which ctypes finds its functions."""

    functions: ctypes.CDLL

    def text(self, function, *arguments):
        """Returns the result of a function of GDAL that returns a text; None for NULL."""
        function = getattr(self.functions, function)
        function.restype = ctypes.c_char_p
        text = function(*arguments)
        return None if text is None else os.fsdecode(text)

    @property
    def version(self):
        return self.text("GDALVersionInfo", b"RELEASE_NAME")

    @property
    def path(self):
        info = DlInfo()
        address = ctypes.cast(self.functions.GDALVersionInfo, ctypes.c_void_p)
        found = ctypes.CDLL(None).dladdr(address, ctypes.byref(info))
        return pathlib.Path(os.fsdecode(info.file_name)).resolve() if found else None

    @property
    def has_old_abi(self):
        return hasattr(self.functions, OLD_ABI_METHOD)

    @property
    def plugin(self):
        """Path of the plugin for this libgdal, which may be absent. The loader chooses the same file."""
        version = ".".join(self.version.split(".")[:2])
        return PACKAGE / "plugins" / f"gdal_zarr_{version}{'_old_abi' if self.has_old_abi else ''}.so"

    @property
    def folders(self):
        """Value of GDAL_DRIVER_PATH that has the meaning of the present one, with GDAL's own folder if there is none."""
        # GDAL's list of drivers must not be made here: packages set GDAL_DATA before they make it. GDAL reads its
        # configuration file then, and GDAL_DRIVER_PATH in that file replaces the folder of this package.
        value = self.text("CPLGetConfigOption", OPTION, None)
        if value is None:
            default = self.path.parent / "gdalplugins"
            value = str(default) if default.is_dir() else ""
        return [folder for folder in value.split(os.pathsep) if folder]

    def search(self):
        """Adds the folder of this package to the folders in which libgdal looks for plugins."""
        folders = self.folders
        if folders != ["disable"] and str(PLUGIN_FOLDER) not in folders:
            self.set_folders([*folders, str(PLUGIN_FOLDER)])

    def do_not_search(self):
        self.set_folders([folder for folder in self.folders if folder != str(PLUGIN_FOLDER)])

    def set_folders(self, folders):
        self.functions.CPLSetConfigOption(OPTION, os.fsencode(os.pathsep.join(folders)) or None)

    @property
    def other_plugins(self):
        """Plugins of this driver in other folders, which may be for another GDAL."""
        files = [pathlib.Path(folder) / "gdal_ZarrV2.so" for folder in self.folders if folder != str(PLUGIN_FOLDER)]
        return [file for file in files if file.exists()]

    @property
    def reason(self):
        """Says why there is no plugin for this libgdal."""
        minor = ".".join(self.version.split(".")[:2])
        return (
            f"gdal_zarr has plugins for GDAL {', '.join(versions())}, not for GDAL {self.version}"
            f"{OLD_ABI if self.has_old_abi else ''}: GDAL's own Zarr driver is used, which may show less of a store. "
            f"Install a package with one of these versions of GDAL, or a gdal_zarr for GDAL {minor}."
        )

    def has_driver(self, name):
        function = self.functions.GDALGetDriverByName
        function.restype = ctypes.c_void_p
        return function(name) is not None


def versions():
    """Returns the versions of GDAL for which this package has plugins."""
    names = (path.stem.removeprefix("gdal_zarr_") for path in (PACKAGE / "plugins").glob("*.so"))
    names = sorted(names, key=lambda name: (int(name.split("_")[0].split(".")[1]), name))
    return [name.replace("_old_abi", OLD_ABI) for name in names]


def extension_of(package):
    """Returns the path of the extension module of `package` that needs libgdal; None if there is none."""
    spec = importlib.machinery.PathFinder.find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        for ending in importlib.machinery.EXTENSION_SUFFIXES:
            path = os.path.join(folder, EXTENSIONS[package] + ending)
            if os.path.exists(path):
                return path
    return None


def library_of(package):
    """Loads the libgdal of `package` without importing the package. Returns None if it has none."""
    path = extension_of(package)
    if path is None:
        return None
    try:
        library = Library(ctypes.CDLL(path))
        library.functions.GDALVersionInfo  # noqa: B018  (raises if there is no such function)
    except (OSError, AttributeError):
        return None
    return library


def loaded_libraries():
    """Returns each libgdal that this process has loaded."""
    with open("/proc/self/maps") as maps:
        paths = dict.fromkeys(LIBGDAL.findall(maps.read()))
    libraries = []
    for path in paths:
        try:
            libraries.append(Library(ctypes.CDLL(path)))
        except OSError:
            pass  # the file was replaced
    return libraries


def prepare(package):
    """Makes the libgdal of `package`, which is about to be imported, look for the plugin of this package. Returns how
    Python finds `package`, or None if Python finds it as usual."""
    library = library_of(package)
    if library is None:
        return None
    if library.plugin.exists() or package == "osgeo":  # osgeo prints the loader's warning that there is no plugin
        library.search()
    elif package == "rasterio":
        return rasterio_that_warns(library)
    return None


def rasterio_that_warns(library):
    """Returns how Python finds a rasterio that warns once if GDAL's own driver opens a store. Warnings of GDAL would
    not be seen, because rasterio writes them to a log."""
    spec = importlib.machinery.PathFinder.find_spec("rasterio")
    execute = spec.loader.exec_module

    @functools.cache
    def warn_once():
        warnings.warn(library.reason, stacklevel=3)

    def execute_and_change(module):
        execute(module)
        original = module.open

        @functools.wraps(original)
        def open(*arguments, **options):
            text = f"{arguments}{options}"
            try:
                dataset = original(*arguments, **options)
                text += dataset.driver
                return dataset
            finally:
                if "zarr" in text.lower() and not library.has_driver(b"ZarrBuiltin"):
                    warn_once()

        module.open = open

    spec.loader.exec_module = execute_and_change
    return spec


def enable():
    """Makes every GDAL of this process use the driver: those that are loaded, and those that will be."""
    gdal_zarr_start.wait()
    for library in loaded_libraries():
        if not library.plugin.exists():
            warnings.warn(library.reason, stacklevel=2)
            continue
        library.search()
        if library.has_driver(b"Zarr") and not library.has_driver(b"ZarrBuiltin"):
            library.functions.GDALAllRegister()


def disable():
    """Keeps the driver out of every GDAL of this process. A GDAL that has registered its drivers keeps it: the
    environment variable GDAL_ZARR=NO must then be set before the program starts."""
    gdal_zarr_start.do_not_wait()
    for library in loaded_libraries():
        library.do_not_search()
        if library.has_driver(b"ZarrBuiltin"):
            raise RuntimeError(f"{library.path} already uses the driver: start the program with GDAL_ZARR=NO")
