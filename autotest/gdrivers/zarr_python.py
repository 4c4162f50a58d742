# SPDX-License-Identifier: MIT
"""What differs between the versions of zarr-python."""

import zarr


def zarr2_arguments():
    """The arguments with which zarr-python and xarray's to_zarr() write Zarr version 2: versions
    of zarr-python before 3 write no other, and know no such argument."""
    return {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
