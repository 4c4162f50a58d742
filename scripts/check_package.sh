#!/bin/bash
# Installs the packages of a folder (default: build/package) with apt, uses them, and removes them
# again. Needs root and a clean system, for example the one of `scripts/try_fresh_debian.sh package`.
#
#   scripts/check_package.sh [FOLDER]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
folder=$(realpath "${1:-build/package}")

fail() { echo "check_package.sh: $*" >&2; exit 1; }
apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }; }
# Prints the Zarr drivers that GDAL lists. GDAL's built-in driver is listed as ZarrBuiltin while the plugin is
# installed.
formats() { gdalinfo --formats | grep -i zarr || true; }
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
[ "$(id -u)" = 0 ] || fail "run it as root: it installs packages"

heading "GDAL by itself"
apt update
apt install --no-install-recommends gdal-bin
formats
if formats | grep -q ZarrBuiltin; then fail "there is a plugin already"; fi

heading "gdal-plugin-zarr"
apt install --no-install-recommends "$folder"/gdal-plugin-zarr_*.deb
formats
formats | grep -q ZarrBuiltin || fail "the plugin is not in use"
cp -r data/terrain.zarr "$work/"
gdalinfo "$work/terrain.zarr" | grep -E '^(Driver|Size|Origin)|ID\["EPSG",32632\]'
# Only the plugin can read the CRS of this store, which rioxarray wrote. GDAL's built-in driver cannot.
gdalinfo "$work/terrain.zarr" | grep -q 'ID\["EPSG",32632\]' || fail "the terrain has no CRS"
gdal_translate -q -of Zarr "$work/terrain.zarr" "$work/copy.zarr"
gdalinfo -checksum "$work/terrain.zarr" | grep Checksum >"$work/before"
gdalinfo -checksum "$work/copy.zarr" | grep Checksum | diff - "$work/before" ||
    fail "a copy has other pixels"

heading "libzarr-core-dev"
apt install --no-install-recommends "$folder"/libzarr-core-dev_*.deb cmake g++ make
cmake -S docs/examples/core_reader -B "$work/core_reader" >"$log" || { cat "$log"; exit 1; }
cmake --build "$work/core_reader" >"$log" || { cat "$log"; exit 1; }
"$work/core_reader/core_reader" "$work/terrain.zarr" | grep -A1 elevation

heading "Removed"
apt remove gdal-plugin-zarr libzarr-core-dev
formats
formats | grep -q . || fail "GDAL's own driver is gone"
if formats | grep -q ZarrBuiltin; then fail "the plugin is still in use"; fi
left=$(find / -xdev \( -name '*gdal_ZarrV2*' -o -name '*zarr_core*' \) -not -path "$PWD/*" \
    -not -path "$work/*" -not -path "$folder/*" 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo "nothing is left behind"
