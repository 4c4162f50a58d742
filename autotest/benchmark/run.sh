#!/bin/bash
# Builds the driver and the C++ programs of the benchmarks into build/, then runs benchmark.py with
# the given arguments. Needs the packages of scripts/setup.sh test.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

configure build --preset release >/dev/null
cmake --build build --target gdal_ZarrV2 zarr_floor
exec /usr/bin/python3 -B autotest/benchmark/benchmark.py "$@"
