#!/bin/bash
# Installs the Debian packages that this project needs, and nothing when all are there.
#
#   scripts/setup.sh          to build and use the driver
#   scripts/setup.sh package  also to make Debian packages of it
#   scripts/setup.sh test     also to run every test
set -euo pipefail

build_packages=(
    cmake g++ make ninja-build
    libgdal-dev libproj-dev nlohmann-json3-dev
    libblosc-dev libbz2-dev libdeflate-dev liblz4-dev liblzma-dev libtiff-dev libzfp-dev libzstd-dev zlib1g-dev
    gdal-bin
)
package_packages=(dpkg-dev file)
test_packages=(
    "${package_packages[@]}"
    clang clang-format clang-tidy libgtest-dev llvm netcdf-bin
    python3-cftime python3-dask python3-distributed python3-gdal python3-netcdf4 python3-numcodecs
    python3-numpy python3-pyproj python3-pytest python3-pytest-xdist python3-qgis python3-rasterio
    python3-rioxarray python3-xarray python3-zarr python3-zfpy qgis-providers rasterio strace
)

# The sanitizers' runtime, whose package has no name without a version in Debian 12.
if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
    test_packages+=(libclang-rt-14-dev)
else
    test_packages+=(libclang-rt-dev)
fi

# The S3 server of the tests, from npm.
s3rver=s3rver@3.7.1
tools=$(dirname "${BASH_SOURCE[0]}")/../build/tools

packages=("${build_packages[@]}")
for_tests=no
case ${1:-} in
    "") ;;
    package) packages+=("${package_packages[@]}") ;;
    test)
        for_tests=yes
        packages+=("${test_packages[@]}")
        # Debian's npm does not go with a Node.js from elsewhere, which brings its own.
        command -v npm >/dev/null || packages+=(npm)
        ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup.sh: this is no Debian system; what is needed is known there as: ${packages[*]}" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "all ${#packages[@]} packages are installed"
else
    as_root=()
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "setup.sh: neither root nor sudo here; as root: apt-get install ${missing[*]}" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}"
    "${as_root[@]}" apt-get -q update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}"
fi

if [ $for_tests = yes ] && [ ! -x "$tools/node_modules/.bin/s3rver" ]; then
    mkdir -p "$tools"
    npm install --silent --no-save --no-audit --no-fund --prefix "$tools" "$s3rver"
    echo "installed $s3rver"
fi
