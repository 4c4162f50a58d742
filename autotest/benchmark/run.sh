#!/bin/bash
# Builds the driver and the benchmarks' C++ side into build/, then runs benchmark.py with the same
# arguments: see there. The packages of scripts/setup.sh test must be there.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

configure build --preset release >/dev/null
cmake --build build --target gdal_ZarrV2 zarr_floor
exec /usr/bin/python3 -B autotest/benchmark/benchmark.py "$@"
