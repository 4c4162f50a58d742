#!/bin/bash
# Reads and writes stores with the plugin and the programs of GDAL that are on PATH, on any system with bash. Names the
# folder of the plugin; run it from the folder of the project:
#
#   autotest/portable/plugin.sh build/gdalplugins
set -euo pipefail

[ $# -eq 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2; }
export GDAL_DRIVER_PATH=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT EXPECTED FOUND: fails if the two texts differ.
expect() { [ "$2" = "$3" ] || { printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3" >&2; exit 1; }; }

# checksums FILE: prints the checksums of the bands of FILE.
checksums() { gdalinfo -checksum "$1" | tr -d '\r' | sed -n 's/^ *Checksum=//p' | tr '\n' ' '; }

version=$(sed -n 's/^project(gdal_zarr VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
found=$(gdalinfo --format Zarr | tr -d '\r' | sed -n 's/.*DRIVER_VERSION=//p')
expect "version of the driver" "$version" "$found"

# What the driver reads is what it copies to GeoTIFF, and from there to Zarr of both versions.
terrain=$(checksums data/terrain.zarr)
[ -n "$terrain" ] || { echo "data/terrain.zarr has no checksum" >&2; exit 1; }
gdal_translate -q data/terrain.zarr "$work/terrain.tif"
expect "GeoTIFF of data/terrain.zarr" "$terrain" "$(checksums "$work/terrain.tif")"
for format in ZARR_V2 ZARR_V3; do
    for codec in ZLIB ZSTD LZ4 BLOSC; do
        store=$work/$format-$codec-ä.zarr
        for round in "new store" "store that is replaced"; do
            gdal_translate -q -of Zarr -co "FORMAT=$format" -co "COMPRESS=$codec" "$work/terrain.tif" "$store"
            expect "$format with $codec, $round" "$terrain" "$(checksums "$store")"
        done
    done
done
echo "the plugin $version reads and writes"
