# Shared by the scripts of this folder, which source it: where the project is, headings, building.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export LC_ALL=C.UTF-8
# The system's tools and Python, for which the packages of setup.sh are.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# What the caller set for another driver or data folder must not decide what is shown or tested.
unset GDAL_DRIVER_PATH GDAL_DATA PROJ_LIB PYTHONPATH PYTHONHOME GDAL_SKIP

heading() { printf '\n== %s\n' "$*"; }

# configure FOLDER CMAKE_OPTION...: configures, afresh where FOLDER was made by another generator
# or for sources that have moved, both of which CMake refuses to go on with. Compiles through ccache
# where that is installed.
configure() {
    local folder=$1 fresh=()
    shift
    if [ -f "$folder/CMakeCache.txt" ] &&
        ! { grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$folder/CMakeCache.txt" &&
            grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; }; then
        fresh=(--fresh)
    fi
    local launcher=()
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    cmake "${fresh[@]}" "${launcher[@]}" "$@"
}
