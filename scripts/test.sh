#!/bin/bash
# Builds the driver and tests it; stops at the first stage that fails. Installs missing packages with apt; may be run
# repeatedly, from any folder. Stages that compute run beside those whose tests wait for servers and other processes;
# what they print follows at the end.
#
#   scripts/test.sh              the quick stages, in about ten minutes on a fresh machine with two cores;
#   scripts/test.sh all          every stage but python, whose tests pytest has;
#   scripts/test.sh unit pytest  these stages only.
#
# Quick:
#   format     clang-format finds nothing to change;
#   house      order of the layers, size of files, sample stores equal to those of their scripts;
#   cpp        all C++ tests, optimized;
#   python     the driver in GDAL, GDAL's tools, rasterio, xarray and Dask: tests that are not slow, in one case each;
# Others:
#   pytest     the same and the slow tests, in all cases;
#   unit       C++ unit tests with AddressSanitizer and UndefinedBehaviorSanitizer;
#   asan       tests of stage python with AddressSanitizer and UndefinedBehaviorSanitizer in the plugin;
#   tsan       C++ tests of code with threads, with ThreadSanitizer;
#   tidy       clang-tidy finds nothing;
#   fuzz       each fuzzer for 8 seconds;
#   qgis       the driver in QGIS;
#   package    the Debian packages, and a program that links the core;
#   wheel      the Python package beside other packages that contain GDAL, such as rasterio. Debian 12 makes the package;
#              any other Debian tests the one in dist/;
#   windows    the core compiles for Windows, and the tests of its files and locks pass in Wine;
#   benchmark  the benchmarks run, on small arrays, and the comparison with other readers.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

quick_stages=(format house cpp python)
all_stages=(format house cpp pytest unit asan tsan tidy fuzz qgis package wheel windows benchmark)
case "$*" in
    "") stages=("${quick_stages[@]}") packages=test ;;
    all) stages=("${all_stages[@]}") packages=all ;;
    *) stages=("$@") packages=test ;;
esac
for stage in "${stages[@]}"; do
    case " $stage " in
        " format " | " house " | " cpp " | " python " | " pytest " | " wheel ") continue ;;
    esac
    packages=all
    case " ${all_stages[*]} " in
        *" $stage "*) ;;
        *) sed -n '2,/^set /s/^# \{0,1\}//p' scripts/test.sh; exit 2 ;;
    esac
done

jobs=$(nproc)
# Sanitizers of GCC 12 fail at random if the kernel randomizes more than 28 bits of addresses. On such a kernel,
# programs run without randomization.
steady=()
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ]; then
    steady=(setarch "$(uname -m)" --addr-no-randomize)
fi
logs=$(mktemp -d)
# Prints the folder for temporary files: the caller's TMPDIR, else a folder in memory if there is room, else
# /tmp. Memory is faster, because tests write hundreds of thousands of small files.
temporary_place() {
    local memory=/dev/shm needed=$((4 * 1024 * 1024)) free  # in KiB
    free=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
    if [ -z "${TMPDIR:-}" ] && [ -w $memory ] && [ "$(stat -f -c %T $memory)" = tmpfs ] &&
        ! findmnt -n -o OPTIONS -T $memory | grep -qw noexec &&
        [ "$(df -k --output=avail $memory | tail -n 1)" -ge $needed ] &&
        [ "${free:-0}" -ge $((2 * needed)) ]; then
        echo $memory
    else
        echo "${TMPDIR:-/tmp}"
    fi
}

# All tests write temporary files to this folder, which is deleted at the end. Every user may write to it, like
# to /tmp.
TMPDIR=$(mktemp -d -p "$(temporary_place)")
export TMPDIR
chmod 1777 "$TMPDIR"
passed=0 failed=0 skipped=0 stage="set-up" finished=no
beside_process=""

finish() {
    local code=$?
    if [ -n "$beside_process" ] && kill -- "-$beside_process" 2>/dev/null; then wait "$beside_process" || true; fi
    rm -rf "$logs" "$TMPDIR"
    printf '\n'
    if [ $code -ne 0 ]; then
        [ $failed -gt 0 ] || failed=1
        echo "stage $stage failed"
    elif [ $finished = no ]; then
        code=1
    fi
    local more=""
    [ $skipped -eq 0 ] || more=", $skipped skipped"
    echo "$passed passed, $failed failed$more"
    exit $code
}
trap finish EXIT

# number WORD TEXT: prints the number before WORD in TEXT, or 0. TEXT is the last line that pytest prints, such
# as "3 passed, 1 skipped".
number() { grep -oE "[0-9]+ $1" <<<"$2" | tail -n 1 | cut -d' ' -f1 | grep . || echo 0; }

# Python with zarr-python 3, xarray and Debian's GDAL, which `scripts/setup.sh test` installs.
environment=$PWD/build/tools/python/bin/python

# run_pytest PYTHON ARGUMENT...: runs pytest with the interpreter PYTHON. Adds the results to passed, failed and
# skipped.
run_pytest() {
    local code=0 python=$1
    shift
    # pytest shows nothing of what a process printed that crashed, so that sanitizers write to files.
    "${steady[@]}" env ${preload:+LD_PRELOAD="$preload"} \
        ASAN_OPTIONS="detect_leaks=0:malloc_context_size=6:log_path=$logs/asan" \
        UBSAN_OPTIONS="print_stacktrace=1:log_path=$logs/asan" \
        "$python" -m pytest -p no:cacheprovider -q -rfEs --tb=short "$@" 2>&1 |
        tee "$logs/pytest" || code=$?
    # A report is a fault even if the process was one whose end a test expected.
    if compgen -G "$logs/asan.*" >/dev/null; then
        tail -n 60 "$logs"/asan.*
        code=1
    fi
    add_results "$(tail -n 1 "$logs/pytest")"
    return $code
}

# add_results TEXT: adds the numbers in the last line of pytest or of this script.
add_results() {
    passed=$((passed + $(number passed "$1")))
    failed=$((failed + $(number failed "$1") + $(number error "$1")))
    skipped=$((skipped + $(number skipped "$1")))
}

# run_ctest FOLDER ARGUMENT...: runs the unit tests of a build folder. Counts the tests of GoogleTest, because
# ctest would count only processes.
run_ctest() {
    local code=0 good bad
    "${steady[@]}" ctest --test-dir "$@" -j "$jobs" --no-tests=error --verbose 2>&1 |
        tee "$logs/ctest" | grep -E 'FAILED|PASSED|SKIPPED|DISABLED|tests passed|tests ran' ||
        code=$?
    if [ $code -ne 0 ]; then grep -E '^[0-9]+: ' "$logs/ctest" || true; fi
    good=$(sum_of '\[  PASSED  \] +[0-9]+ test')
    bad=$(sum_of '\[  FAILED  \] +[0-9]+ test')
    passed=$((passed + good))
    failed=$((failed + bad))
    echo "unit tests: $good passed, $bad failed"
    return $code
}

# sum_of PATTERN: prints the sum of all numbers in those parts of ctest's output that match PATTERN.
sum_of() { grep -oE "$1" "$logs/ctest" | grep -oE '[0-9]+' | awk '{ n += $1 } END { print n + 0 }' || true; }

folder_of() { if [ "$1" = release ]; then echo build; else echo "build-$1"; fi; }

# build PRESET TARGET...: configures and builds targets of a CMake preset. Shows CMake's output only if
# configuring fails.
build() {
    local preset=$1 folder
    folder=$(folder_of "$1")
    shift
    configure "$folder" --preset "$preset" >"$logs/cmake" 2>&1 || { cat "$logs/cmake"; return 1; }
    "${steady[@]}" cmake --build "$folder" -j "$jobs" --target "$@"
}

sources() { find "$@" -name '*.cpp' -o -name '*.h' | sort; }

stage_format() {
    sources core driver autotest docs/examples | xargs clang-format --dry-run -Werror
    echo "$(sources core driver autotest docs/examples | wc -l) files are formatted as .clang-format says"
}

# autotest/conftest.py needs a built driver, so it is not loaded.
stage_house() { run_pytest /usr/bin/python3 --noconftest autotest/house; }

stage_cpp() {
    build release zarr_for_python zarr_unit_tests zarr_base_tests zarr_library_tests zarr_left_out_tests zarr_driver_tests
    run_ctest build
}

# run_python ARGUMENT...: runs the Python tests with the plugin of GDAL_DRIVER_PATH, in one process more than there are
# cores, because tests wait for servers and other processes. pytest-xdist would start a module again after a crash, and
# wait forever after the next.
run_python() {
    run_pytest "$environment" -n "$((jobs + 1))" --dist loadfile --max-worker-restart 0 autotest/gdrivers "$@"
}

stage_python() {
    build release zarr_for_python
    ZARR_TEST_FORMATS=one ZARR_TEST_CASES=1 GDAL_DRIVER_PATH=$PWD/build/gdalplugins run_python -m "not slow"
}

stage_pytest() {
    build release zarr_for_python
    GDAL_DRIVER_PATH=$PWD/build/gdalplugins run_python
}

stage_unit() {
    build debug zarr_unit_tests zarr_base_tests zarr_library_tests zarr_left_out_tests zarr_driver_tests
    UBSAN_OPTIONS=print_stacktrace=1 run_ctest build-debug
}

# tidy BUILD_FOLDER ARGUMENT...: runs clang-tidy on each file that standard input names.
tidy() {
    local folder=$1
    shift
    xargs -P "$jobs" -n 1 clang-tidy --quiet -p "$folder" "$@" \
        --extra-arg=-Wno-unknown-warning-option 2>"$logs/tidy" ||
        { grep -v 'warnings\? generated' "$logs/tidy"; return 1; }
}

stage_tidy() {
    configure build-debug --preset debug >"$logs/cmake" 2>&1 || { cat "$logs/cmake"; return 1; }
    # clang-tidy checks unity files, so that it parses large headers such as GDAL's only once. It cannot find
    # unused using-declarations in unity files; autotest/house/test_usings.py finds these.
    find build-debug/core build-debug/driver -name 'unity_*.cxx' | sort |
        tidy build-debug --header-filter='/(core|driver)/.*\.(h|cpp)$' \
            --checks=-bugprone-suspicious-include,-misc-unused-using-decls
    echo "clang-tidy finds nothing in $(find core driver -name '*.cpp' | wc -l) files and their headers"
}

stage_tsan() {
    build tsan zarr_unit_tests zarr_base_tests zarr_library_tests zarr_left_out_tests zarr_driver_tests
    # Leaks of threads are not reported, because ThreadSanitizer reports the pool's threads as leaked in a forked child.
    # The filter leaves out slow tests that have only one thread.
    GTEST_FILTER='-HierarchyWriterFaults.*:*CodecBomb.*:*CodecEncoding.*:*CodecContract.*:JsonParse.*:Calendars.*:*CodecAlignment.*' \
        TSAN_OPTIONS=halt_on_error=1:report_thread_leaks=0:suppressions=$PWD/autotest/cpp/driver/tsan_suppressions.txt \
        run_ctest build-tsan
}

# Tests of QGIS run in their own process, because tests that fork or send signals fail beside a QGIS
# application.
stage_qgis() {
    build release zarr_for_python
    GDAL_DRIVER_PATH=$PWD/build/gdalplugins run_pytest "$environment" autotest/qgis
}

stage_package() {
    scripts/package.sh
    run_pytest /usr/bin/python3 --noconftest autotest/package
}

stage_wheel() {
    build release zarr_for_python
    if grep -q '^VERSION_CODENAME=bookworm' /etc/os-release; then scripts/wheel.sh; fi
    run_pytest /usr/bin/python3 --noconftest autotest/wheel
}

stage_windows() {
    local code=0
    autotest/portable/run.sh | tee "$logs/windows" || code=$?
    passed=$((passed + $(grep -oE '^\[  PASSED  \] [0-9]+' "$logs/windows" | grep -oE '[0-9]+' || echo 0)))
    failed=$((failed + $(grep -oE '^\[  FAILED  \] [0-9]+' "$logs/windows" | grep -oE '[0-9]+' || echo 0)))
    return $code
}

stage_asan() {
    build debug zarr_for_python
    # Python is built without the sanitizer, so the sanitizer's runtime must be loaded first.
    local preload
    preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
    # Slow tests and those that start many processes, or measure time or memory, are left out. Each other test runs in
    # only one of its formats, and with only one of its parameter sets. Tests with the mark every_case, such as tests of
    # bad input, run with all parameter sets.
    local name left_out=()
    for name in docs dask kill delete_killed fork synchronizer soak rio_commands s3 cold_open cancel unload counts; do
        left_out+=(--ignore "autotest/gdrivers/test_zarr_$name.py")
    done
    for name in bands.py::test_as_many_slices_as_bands mdim_groups.py::test_closing_frees_memory \
        bounded.py::test_the_name_of_a_dimension_with_many_bands bounded.py::test_units_of_many_bands \
        bounded.py::test_more_values_than_the_limit_are_not_kept; do
        left_out+=(--deselect "autotest/gdrivers/test_zarr_$name")
    done
    ZARR_TEST_FORMATS=one ZARR_TEST_CASES=1 GDAL_DRIVER_PATH=$PWD/build-debug/gdalplugins \
        run_python -m "not slow or every_case" "${left_out[@]}"
}

stage_fuzz() {
    local code=0
    autotest/fuzz/run.sh --seconds 8 | tee "$logs/fuzz" || code=$?
    passed=$((passed + $(grep -c 'no finding$' "$logs/fuzz" || true)))
    failed=$((failed + $(grep -c 'FAILED' "$logs/fuzz" || true)))
    return $code
}

stage_benchmark() {
    autotest/benchmark/run.sh --small --rounds 1
    autotest/benchmark/peers.sh --small
    GDAL_DRIVER_PATH=$PWD/build/gdalplugins /usr/bin/python3 -B autotest/benchmark/many_files.py --small
}

# Stages with a build folder that no other stage uses. benchmark measures, so nothing runs beside it.
front=() beside=() alone=()
for stage in "${stages[@]}"; do
    case $stage in
        unit | asan | tsan | tidy | fuzz | windows) beside+=("$stage") ;;
        benchmark) alone+=("$stage") ;;
        *) front+=("$stage") ;;
    esac
done

run_stage() {
    stage=$1
    heading "Stage $stage"
    local start=$SECONDS
    "stage_$stage"
    find "$TMPDIR" -mindepth 1 -delete
    echo "-- $stage: $((SECONDS - start)) s"
}

# Waits for the stages beside, prints their output and adds their results.
end_beside() {
    local code=0
    wait "$beside_process" || code=$?
    beside_process=""
    stage=$(sed -n 's/^stage \(.*\) failed$/\1/p' "$logs/beside" | tail -n 1)
    grep -v "^Left out: " "$logs/beside"
    add_results "$(tail -n 1 "$logs/beside")"
    return $code
}

heading "Set-up"
stage=set-up
scripts/setup.sh "$packages"
if [ ${#front[@]} -eq 0 ]; then
    front=("${beside[@]}")
elif [ ${#beside[@]} -gt 0 ]; then
    heading "Beside the next stages: ${beside[*]}"
    set -m  # a process group of its own, which finish() ends
    TMPDIR=$(dirname "$TMPDIR") nice -n 5 scripts/test.sh "${beside[@]}" </dev/null >"$logs/beside" 2>&1 &
    beside_process=$!
    set +m
fi
for name in "${front[@]}"; do
    run_stage "$name"
    if [ -n "$beside_process" ] && ! kill -0 "$beside_process" 2>/dev/null; then end_beside; fi
done
[ -z "$beside_process" ] || end_beside
for name in "${alone[@]}"; do run_stage "$name"; done
heading "All stages in $SECONDS s: ${stages[*]}"
left_out=()
for stage in "${all_stages[@]}"; do
    case " ${stages[*]} " in *" $stage "*) ;; *) left_out+=("$stage") ;; esac
done
if [ ${#left_out[@]} -gt 0 ]; then
    echo "Left out: ${left_out[*]}. To run them: scripts/test.sh ${left_out[*]}"
fi
finished=yes
