#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Serves map tiles of raster files with titiler, and a page that shows them as a map.

    pip install rasterio titiler.core uvicorn dist/gdal_zarr-*.whl
    uvicorn --app-dir docs/examples/tiles tiles:app

The map of a store is http://127.0.0.1:8000/?url=STORE&rescale=0,412&colormap_name=viridis. Its parameters are those
of titiler's tiles. docs/tiles.md explains the command.
"""

import pathlib

from fastapi import FastAPI
from fastapi.responses import FileResponse
from titiler.core.errors import DEFAULT_STATUS_CODES, add_exception_handlers
from titiler.core.factory import TilerFactory

app = FastAPI(title="Tiles of Zarr stores")
app.include_router(TilerFactory().router)
add_exception_handlers(app, DEFAULT_STATUS_CODES)


@app.get("/", include_in_schema=False)
def page():
    return FileResponse(pathlib.Path(__file__).with_name("map.html"))
