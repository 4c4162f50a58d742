# SPDX-License-Identifier: MIT
"""Modules of the program zarr_check, which checks Zarr stores."""
