# SPDX-License-Identifier: MIT
"""Reads stores with zarr-python and netCDF-C. These readers do not interpret attributes, so only stored values
are compared."""

import numpy as np
from findings import compare


class ZarrPython:
    @staticmethod
    def attempts(store):
        if store.get("container") != "zip":
            return ["zarr.open(path)"]
        top = f", path={store['top']!r}" if "top" in store else ""
        return ["zarr.open(path)", f"zarr.open(ZipStore(path){top})"]

    @staticmethod
    def versions(_):
        import numcodecs
        import zarr

        return {"zarr-python": zarr.__version__, "numcodecs": numcodecs.__version__,
                "numpy": np.__version__}  # fmt: skip

    @staticmethod
    def measure(findings, folder, store, attempt):
        import zarr
        import zarr.storage

        path = f"{folder}/{store['path']}"
        target, more = path, {}
        if "ZipStore" in attempt:
            target = zarr.storage.ZipStore(path, mode="r")
            more = {"path": store["top"]} if "top" in store else {}
        try:
            root = zarr.open(target, mode="r", **more)
        except Exception as error:  # every exception of a reader is recorded as a result
            findings.fails("", error)
            return
        compare_all(findings, folder, store, lambda path: (root[path] if path else root)[...])


class NetCDF:
    @staticmethod
    def attempts(store):
        """Returns the names by which to open a store. The mode for NCZarr is first for stores that NCZarr has
        written."""
        where = "zip" if store.get("container") == "zip" else "file"
        modes = [f"mode=zarr,{where}", f"mode=nczarr,{where}"]
        return modes[::-1] if store["name"] == "netcdf_nczarr" else modes

    @staticmethod
    def versions(_):
        import netCDF4

        return {"netCDF-C": netCDF4.__netcdf4libversion__, "netCDF4-python": netCDF4.__version__,
                "numpy": np.__version__}  # fmt: skip

    @staticmethod
    def measure(findings, folder, store, attempt):
        import netCDF4

        try:
            dataset = netCDF4.Dataset(f"file://{folder}/{store['path']}#{attempt}")
            dataset.set_auto_maskandscale(False)
        except Exception as error:
            findings.fails("", error)
            return
        compare_all(findings, folder, store,
                    lambda path: dataset[path or next(iter(dataset.variables), "")][...])  # fmt: skip


def compare_all(findings, folder, store, read):
    """Compares the values of each array with those that were stored. read(path) returns the values."""
    for array in store["arrays"]:
        wanted = stored(folder, store, array)
        try:
            got = read(array["path"])
        except Exception as error:
            findings.fails(f"/{array['path']}", error)
            continue
        compare(findings, array["path"], got, wanted)


def stored(folder, store, array):
    """Returns the expected values of an array without applying _Unsigned."""
    wanted = np.load(f"{folder}/{array['file']}")
    return wanted.view("i1") if store["facts"].get("unsigned") else wanted
