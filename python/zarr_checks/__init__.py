# SPDX-License-Identifier: MIT
"""Checks of Zarr stores that the program zarr_check uses."""
