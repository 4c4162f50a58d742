#!/bin/bash
# Builds the driver into build/, then runs soak.py with the given arguments, such as --minutes 30.
# Needs the packages of scripts/setup.sh test.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

configure build --preset release >/dev/null
cmake --build build --target gdal_ZarrV2
export GDAL_DRIVER_PATH=$PWD/build/gdalplugins
exec build/tools/python/bin/python -B autotest/soak/soak.py "$@"
