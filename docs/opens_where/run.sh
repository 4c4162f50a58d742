#!/bin/bash
# Opens the stores of stores.py with every reader of this machine. Writes the result of each reader to
# results/READER-VERSION.json. docs/make_opens_where.py makes the page from the results.
#
#   docs/opens_where/run.sh [STORES [RESULTS]]
#
# STORES is a folder with the stores, which stores.py has written on a machine with build/tools/python and
# this driver. It may be copied to other machines, to measure other versions. Without STORES, stores.py writes
# the stores and results/stores.json again. GDAL_DRIVER_PATH is the folder of this driver (build/gdalplugins by
# default). If it has no driver, the readers `ours` and `qgis` are left out. PYTHON is /usr/bin/python3 by default.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-/usr/bin/python3}
results=${2:-$here/results}
export GDAL_DRIVER_PATH=${GDAL_DRIVER_PATH:-$here/../../build/gdalplugins}

mkdir -p "$results"
if [ $# -gt 0 ]; then
    stores=$1
else
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
    stores=$temporary/stores
    "$here/../../build/tools/python/bin/python" -B "$here/stores.py" "$stores" "$results/stores.json"
fi

has() { "$python" -B -c "import $1" 2>/dev/null; }
has_driver() { compgen -G "$GDAL_DRIVER_PATH/gdal_*Zarr*" >/dev/null; }

measure() {
    if "$2" "${@:3}"; then
        echo "$1 ..."
        "$python" -B "$here/probe.py" "$1" "$stores" "$results"
    else
        echo "$1 is not here"
    fi
}
both() { has_driver && has "$1"; }

measure ours both osgeo.gdal
measure builtin has osgeo.gdal
measure qgis both qgis.core
measure zarr-python has zarr
measure netcdf-c has netCDF4
