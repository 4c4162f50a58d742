#!/bin/bash
# Builds the driver into build/ and shows it with the sample stores of data/. Installs missing
# packages with apt. May be run again, from any folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

heading "Set-up"
scripts/setup.sh

heading "Build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
configure build -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release >"$log" 2>&1 ||
    { cat "$log"; exit 1; }
cmake --build build --target gdal_ZarrV2
export GDAL_DRIVER_PATH=$PWD/build/gdalplugins
out=build/demo
rm -rf "$out"
mkdir -p "$out"

# run COMMAND...: prints a command, then runs it.
run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

heading "GDAL has the driver"
printf '\n$ gdalinfo --formats | grep -i zarr\n'
formats=$(gdalinfo --formats)
grep -i zarr <<<"$formats"
grep -q ZarrBuiltin <<<"$formats" || { echo "the plugin did not load" >&2; exit 1; }

heading "A georeferenced terrain"
run gdalinfo data/terrain.zarr
run gdal_translate -co COMPRESS=DEFLATE data/terrain.zarr "$out/terrain.tif"
run gdaldem hillshade -of PNG data/terrain.zarr "$out/terrain_hillshade.png"

heading "A temperature cube: a band per month"
printf '\n$ gdalinfo data/temperature.zarr | head -n 40\n'
gdalinfo data/temperature.zarr >"$out/temperature.txt"
head -n 40 "$out/temperature.txt"
echo "... (all of it in $out/temperature.txt)"
run gdal_translate -q -b 7 -ot Byte -scale -a_nodata none -outsize 720 360 -r bilinear -of PNG \
    data/temperature.zarr "$out/temperature_july.png"

heading "A colour image"
run gdal_translate -of PNG data/satellite_rgb.zarr "$out/satellite_rgb.png"

heading "A product: groups of bands"
run gdalinfo data/product.zarr
run gdal_translate -q -b 1 -b 2 -b 3 -ot Byte -scale 1000 5000 1 255 -a_nodata none -of PNG \
    'ZARR:"data/product.zarr":/measurements/r10m' "$out/product_true_colour.png"

heading "Results"
for file in "$out"/*.tif "$out"/*.png "$out"/*.txt; do
    printf '%9d bytes  %s\n' "$(stat -c %s "$file")" "$PWD/$file"
done
cat <<END

To use the driver in this shell, and in a QGIS started from it:
  export GDAL_DRIVER_PATH=$GDAL_DRIVER_PATH
END
