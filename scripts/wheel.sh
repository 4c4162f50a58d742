#!/bin/bash
# Makes the Python package gdal_zarr in dist/, on Debian 12. Installs with apt, pip and npm what it needs; may be
# repeated, from any folder.
#
#   scripts/wheel.sh            with plugins for all GDAL versions below;
#   scripts/wheel.sh 3.10 3.12  with plugins for these versions only; its version is then 0.1.0+gdal3.10.gdal3.12.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Sources of the headers of each minor version of GDAL: releases of the npm package gdal-async, which contains GDAL's
# source, or a suite of Debian.
declare -A sources=(
    [3.6]=3.6.2 [3.9]=3.9.2 [3.10]=3.10.2 [3.11]=3.11.4 [3.12]=3.12.3 [3.13]=sid
)
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(3.6 3.9 3.10 3.11 3.12 3.13)
for version in "${versions[@]}"; do
    [ -n "${sources[$version]:-}" ] || { sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2; }
done

scripts/setup.sh wheel
headers=$PWD/build/gdal-headers
python=$PWD/build/tools/wheel/bin/python

# headers_of_npm RELEASE FOLDER: copies the headers of GDAL in the release of gdal-async to FOLDER.
headers_of_npm() {
    local work gdal=package/deps/libgdal/gdal
    work=$(mktemp -d)
    (cd "$work" && npm pack --silent "gdal-async@$1" && tar xzf ./*.tgz --wildcards 'package/deps/libgdal/*.h')
    cp "$work/$gdal"/{port,gcore,ogr,alg,apps}/*.h "$work/package/deps/libgdal/arch/unix/cpl_config.h" "$2"
    cp "$work/$gdal/gcore/gdal_version_full/gdal_version.h" "$2" 2>/dev/null || true
    # The package's own build hides nothing. GDAL in other packages does, so that its classes must be visible here.
    sed -i 's|/\* #undef USE_GCC_VISIBILITY_FLAG \*/|#define USE_GCC_VISIBILITY_FLAG 1|' "$2/cpl_config.h"
    rm -rf "$work"
}

# headers_of_debian SUITE FOLDER: copies the headers of GDAL in a suite of Debian to FOLDER. Its package is not
# installed.
headers_of_debian() {
    local work mirror
    work=$(mktemp -d)
    mkdir -p "$work"/{lists,cache/archives}/partial
    mirror=$(apt-get indextargets --format '$(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "main" && $2 !~ /security/ { print $2; exit }')
    echo "deb $mirror $1 main" >"$work/sources.list"
    local apt=(apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-
        -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$work" && "${apt[@]}" download libgdal-dev && dpkg-deb -x libgdal-dev_*.deb package)
    cp -r "$work/package/usr/include/gdal/." "$2"
    rm -rf "$work"
}

folders=""
for version in "${versions[@]}"; do
    folder=$headers/$version
    if [ "$(cat "$folder/source" 2>/dev/null)" != "${sources[$version]}" ]; then
        echo "== headers of GDAL $version"
        rm -rf "$folder"
        mkdir -p "$folder"
        case ${sources[$version]} in
            [0-9]*) headers_of_npm "${sources[$version]}" "$folder" ;;
            *) headers_of_debian "${sources[$version]}" "$folder" ;;
        esac
        grep -q "GDAL_VERSION_MINOR *${version#3.}\$" "$folder/gdal_version.h" ||
            { echo "wheel.sh: ${sources[$version]} does not have the headers of GDAL $version" >&2; exit 1; }
        echo "${sources[$version]}" >"$folder/source"
    fi
    folders+="${folders:+;}$folder"
done

# Licences of this project, and of the libraries that the package contains.
project=$PWD/build/wheel-project
licenses=$project/licenses
rm -rf "$project"
mkdir -p "$licenses"
cp packaging/wheel/{pyproject.toml,README.md} "$project"
if [ $# -gt 0 ]; then # name and description say that the package is for these versions only
    list=$(printf ', %s' "${versions[@]}")
    sed -i "s/^Plugins: .*/Plugins: GDAL ${list:2} only/" "$project/README.md"
    sed -i "s/^description = \"GDAL driver for Zarr/& (GDAL ${list:2} only)/" "$project/pyproject.toml"
    printf 'result = "{value}+%s"\n' "$(printf '.gdal%s' "${versions[@]}" | cut -c2-)" >>"$project/pyproject.toml"
fi
cp LICENSE "$licenses/gdal_zarr"
for library in libblosc-dev libbz2-dev libdeflate-dev libjbig-dev libjpeg62-turbo-dev liblerc-dev liblz4-dev \
    liblzma-dev libsnappy1v5 libtiff-dev libwebp-dev libzfp-dev libzstd-dev nlohmann-json3-dev zlib1g-dev; do
    cp -L "/usr/share/doc/$library/copyright" "$licenses/$library"
done

wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
PATH=$(dirname "$python"):$PATH \
    "$python" -m pip --disable-pip-version-check wheel --no-deps --no-build-isolation --wheel-dir "$wheels" \
    --config-settings build-dir="$PWD/build/wheel" --config-settings "cmake.define.ZARR_WHEEL_HEADERS=$folders" "$project"
mkdir -p dist
rm -f dist/gdal_zarr-*.whl
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --exclude 'libgdal-placeholder*' --wheel-dir dist \
    "$wheels"/gdal_zarr-*.whl
ls -l dist
