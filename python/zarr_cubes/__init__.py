# SPDX-License-Identifier: MIT
"""Modules of zarr_cube: references to the chunks of many files become one store, without a copy of pixels."""
