#!/bin/bash
# Makes the Debian packages for this system's release, in build/package/: gdal-plugin-zarr for
# GDAL's users, libzarr-core-dev for C++ programs that use the core alone. Installs missing packages
# with apt; may be run repeatedly, from any folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

heading "Set-up"
scripts/setup.sh package

heading "Build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
configure build -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release >"$log" 2>&1 ||
    { cat "$log"; exit 1; }
cmake --build build --target gdal_ZarrV2 zarr_core

heading "Packages"
rm -rf build/package
cmake build >"$log" 2>&1 || { cat "$log"; exit 1; }
(cd build && cpack --config CPackConfig.cmake) >"$log" 2>&1 || { cat "$log"; exit 1; }
rm -rf build/package/_CPack_Packages
for package in build/package/*.deb; do
    echo "$PWD/$package"
    dpkg-deb --field "$package" Package Version Depends | sed 's/^/    /'
done
cat <<END

To install the plugin:    sudo apt-get install ./build/package/gdal-plugin-zarr_*.deb
and to remove it again:   sudo apt-get remove gdal-plugin-zarr
END
