#!/bin/bash
# Builds the driver into build/, and installs TensorStore, zarrs and zarr-python 3 from PyPI into
# build/tools/peers. Then runs peers.py with the given arguments. Needs the packages of
# scripts/setup.sh test.
#
#   autotest/benchmark/peers.sh [--small] [--rounds N] [--data FOLDER] [--of LABEL]... [--builtin ROOT]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

packages=(tensorstore==0.1.86 zarr==3.1.6 zarrs==0.2.3 fsspec==2026.9.0 aiohttp==3.14.5)
peers=$PWD/build/tools/peers
configure build --preset release >/dev/null
cmake --build build --target gdal_ZarrV2 zarr_floor zarr_core_reader
if [ "$(cat "$peers/installed" 2>/dev/null)" != "${packages[*]}" ]; then
    rm -rf "$peers"
    /usr/bin/python3 -m venv "$peers"
    "$peers/bin/python" -m pip --disable-pip-version-check install --quiet --only-binary :all: \
        "${packages[@]}"
    echo "${packages[*]}" >"$peers/installed"
fi
exec /usr/bin/python3 -B autotest/benchmark/peers.py "$@" "$peers/bin/python"
