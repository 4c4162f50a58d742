#!/bin/bash
# Compiles the core and its unit tests for Windows with the compiler of MinGW-w64, links them, and runs the tests of
# files and locks in Wine. Needs the packages that `scripts/setup.sh all` installs, and wine64; may be run from any
# folder.
#
#   autotest/portable/run.sh          all of it, in build-mingw
#   autotest/portable/run.sh --build  without Wine
#
# Debian has the codec libraries only for Linux. Their headers are the same on Windows, and the linker needs only the
# names of their functions: these become import libraries of DLLs that do not exist. The result therefore shows that the
# core is complete for Windows, not that a codec works there. Tests that call no codec library run in Wine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

case ${1:-} in
    "" | --build) ;;
    *) sed -n '2,12s/^# \{0,1\}//p' autotest/portable/run.sh; exit 2 ;;
esac

build=$PWD/build-mingw
sysroot=$build/sysroot
tool=x86_64-w64-mingw32
compiler=$tool-g++-posix
jobs=$(nproc)

# import_library NAME FILE [DATA...]: makes lib/libNAME.dll.a, which imports from NAME.dll the functions that Debian's
# library FILE exports, and the constants DATA. Without DATA, a DLL is loaded when one of its functions is first called,
# so that a program starts without DLLs that it does not call.
import_library() {
    local name=$1 file=$2 functions later=-y
    shift 2
    functions=$(nm -D --defined-only "$file" | sed 's/@.*//' | awk '$2 ~ /^[TWi]$/ && $3 !~ /^_/ { print $3 }')
    [ -n "$functions" ] || { echo "run.sh: $file exports nothing" >&2; exit 1; }
    [ $# -eq 0 ] || later=-l
    { echo "EXPORTS"; echo "$functions"; printf '%s DATA\n' "$@" | grep -v '^ DATA$' || true; } >"$build/$name.def"
    $tool-dlltool -d "$build/$name.def" -D "$name.dll" $later "$sysroot/lib/lib$name.dll.a"
}

# header NAME...: copies headers of Debian, so that nothing else of /usr/include is found.
header() {
    local name
    for name in "$@"; do
        if [ -e "/usr/include/$name" ]; then
            cp -rL "/usr/include/$name" "$sysroot/include/"
        else
            cp -L /usr/include/*-linux-gnu/"$name" "$sysroot/include/"
        fi
    done
}

heading "Headers and import libraries"
rm -rf "$sysroot"
mkdir -p "$sysroot/include" "$sysroot/lib"
header nlohmann gtest blosc.h blosc-export.h bzlib.h Lerc_c_api.h Lerc_types.h libdeflate.h lz4.h lz4frame.h lzma.h lzma \
    tiff.h tiffconf.h tiffio.h tiffvers.h zfp.h zfp zstd.h zstd_errors.h
mkdir -p "$sysroot/share/cmake/nlohmann_json"
cp /usr/share/cmake/nlohmann_json/* "$sysroot/share/cmake/nlohmann_json/"
library=$(dirname "$(g++ -print-file-name=libz.so)")
for name in blosc bz2 Lerc deflate lz4 lzma tiff zstd; do
    import_library $name "$library/lib$name.so"
done
import_library zfp "$library/libzfp.so" stream_word_bits
# GoogleTest is compiled from Debian's source of it.
launcher=${CMAKE_CXX_COMPILER_LAUNCHER:-}
mkdir -p "$build/gtest"
cp -r /usr/src/googletest/googletest/src "$build/gtest/"
for part in gtest:gtest-all gtest_main:gtest_main; do
    source=${part#*:} object=$build/gtest/${part#*:}.o
    (cd "$build/gtest" && $launcher $compiler -std=c++17 -O0 -I "$sysroot/include" -I . -c "src/$source.cc" -o "$object")
    rm -f "$sysroot/lib/lib${part%:*}.a"
    $tool-ar rc "$sysroot/lib/lib${part%:*}.a" "$object"
done

heading "Compile and link"
configure "$build" -S . -B "$build" -G Ninja --toolchain cmake/mingw.cmake \
    -DZARR_SYSROOT="$sysroot" -DCMAKE_PREFIX_PATH="$sysroot" -DZLIB_LIBRARY=/usr/$tool/lib/libz.a \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DZARR_BUILD_DRIVER=OFF -DZARR_BUILD_TESTS=ON -DZARR_WARNINGS_AS_ERRORS=ON >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log"; exit 1; }
cmake --build "$build" -j "$jobs" --target zarr_core zarr_unit_tests zarr_base_tests zarr_library_tests \
    zarr_left_out_tests zarr_file_tests
echo "the core compiles for Windows, and its unit tests link"
[ "${1:-}" != --build ] || exit 0

heading "Tests of files and locks in Wine"
export WINEPREFIX=$build/wine WINEDEBUG=-all
# Wine's server would otherwise outlive the tests by some seconds.
trap 'wineserver -k 2>/dev/null || true' EXIT
left_out=(
    # std::filesystem of MinGW-w64 cannot make links.
    Directory.FollowsLinks Directory.HasOneIdentityForAllItsPaths Directory.ShowsDanglingLinks
    Directory.RemovesEmptyFoldersAndLinksButNothingBehindThem
    # Windows says that permission is denied, where other systems say that the path is a folder.
    Directory.RefusesToReadAFolder
    # Wine 8 cannot replace or remove a file that is open, as Windows can from version 10 (1709) on.
    Files.AreReplacedWhileTheyAreRead Files.AreRemovedWhileTheyAreRead LockFiles.OfProcessesThatHaveEndedAreTakenOver
    # Wine 8 does not tell the real path of an open file if it has more than 260 characters.
    Files.HaveLongPaths
)
timeout 120 wine "$build/autotest/cpp/zarr_file_tests.exe" --gtest_brief=1 --gtest_filter="-$(IFS=:; echo "${left_out[*]}")"
