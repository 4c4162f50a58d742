# SPDX-License-Identifier: MIT
"""Checks of Zarr stores, for the program zarr_check."""
