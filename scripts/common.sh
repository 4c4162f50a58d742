# Functions for the scripts that source this file. Sourcing it changes to the project's folder.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export LC_ALL=C.UTF-8
# Selects the system's tools and Python, for which setup.sh installs packages.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# Unsets settings of the caller that could select another driver or data folder, because results would change.
unset GDAL_DRIVER_PATH GDAL_DATA PROJ_LIB PYTHONPATH PYTHONHOME GDAL_SKIP

heading() { printf '\n== %s\n' "$*"; }

# CMake then compiles with ccache, which has the object files of every clone of the project.
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi

# configure FOLDER CMAKE_OPTION...: configures with CMake in FOLDER. Deletes CMake's cache if another generator or
# another source folder made it, because CMake would refuse it.
configure() {
    local folder=$1 fresh=()
    shift
    if [ -f "$folder/CMakeCache.txt" ] &&
        ! { grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$folder/CMakeCache.txt" &&
            grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$folder/CMakeCache.txt"; }; then
        fresh=(--fresh)
    fi
    cmake "${fresh[@]}" "$@"
}
