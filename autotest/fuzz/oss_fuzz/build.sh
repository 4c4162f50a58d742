#!/bin/bash
# Builds the fuzzers as OSS-Fuzz asks for them: each target in $OUT, with its dictionary, its options
# and a zip file of seeds. autotest/fuzz/run.sh builds with it, too.
#
#   OUT=FOLDER autotest/fuzz/oss_fuzz/build.sh
#
# OSS-Fuzz sets OUT, WORK, CXX, CXXFLAGS and LIB_FUZZING_ENGINE. Without them: clang with libFuzzer,
# AddressSanitizer and UndefinedBehaviorSanitizer, and objects in build-fuzz. These are not optimized, because clang
# would need three to four times as long to compile, and the fuzzers try about half as many inputs per second.
set -euo pipefail
: "${OUT:?the folder for the fuzzers}"
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

work=${WORK:-build-fuzz}
sanitizers="-g1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer"
mkdir -p "$OUT/lib" "$work"
configure "$work" -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DZARR_BUILD_FUZZERS=ON -DCMAKE_CXX_COMPILER="${CXX:-clang++}" -DCMAKE_CXX_FLAGS_DEBUG= \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-$sanitizers}" \
    -DZARR_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}" >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; exit 1; }
cmake --build "$work" -j "$(nproc)"
build/tools/python/bin/python -B autotest/fuzz/make_seeds.py "$work/seeds"

# Copies the shared libraries of a fuzzer to lib, because the machine that runs the fuzzer may lack them. Leaves out the
# C and C++ runtime, which that machine has.
copy_libraries() {
    ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
        grep -vE '/(ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)[-.]' |
        xargs -r cp -n -L -t "$OUT/lib"
}

for fuzzer in "$work"/bin/zarr_fuzz_*; do
    name=$(basename "$fuzzer")
    target=${name#zarr_fuzz_}
    cp "$fuzzer" "$OUT/$name"
    cp "$work/seeds/zarr.dict" "$OUT/$name.dict"
    printf '[libfuzzer]\nmax_len = 65536\ntimeout = 25\n' >"$OUT/$name.options"
    /usr/bin/python3 -B - "$OUT/${name}_seed_corpus.zip" \
        "$work/seeds/$target" "autotest/fuzz/corpus/$target" "autotest/fuzz/findings/$target" <<'END'
import pathlib, sys, zipfile

with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for number, folder in enumerate(map(pathlib.Path, sys.argv[2:])):
        for path in sorted(folder.glob("*")):
            archive.write(path, f"{number}-{path.name}")
END
done
# OSS-Fuzz runs the fuzzers on another machine, so they need their libraries beside them.
if [ -n "${LIB_FUZZING_ENGINE:-}" ]; then
    for fuzzer in "$OUT"/zarr_fuzz_*; do
        if [ -x "$fuzzer" ]; then copy_libraries "$fuzzer"; fi
    done
fi
