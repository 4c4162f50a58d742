# Functions for the scripts that source this file. Sourcing it changes to the project's folder.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export LC_ALL=C.UTF-8
# Selects the tools and the Python of the system, because setup.sh installs packages for these.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# Unsets the caller's settings for another driver or data folder, because they would change results.
unset GDAL_DRIVER_PATH GDAL_DATA PROJ_LIB PYTHONPATH PYTHONHOME GDAL_SKIP

heading() { printf '\n== %s\n' "$*"; }

# configure FOLDER CMAKE_OPTION...: configures with CMake. Starts afresh if FOLDER was made by
# another generator or for moved sources, which CMake refuses. Compiles through ccache if it is
# installed.
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
