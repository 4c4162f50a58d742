#!/bin/bash
# Builds the fuzzers and runs as many of them concurrently as there are processors; installs nothing.
#
#   autotest/fuzz/run.sh --seconds 20          each target for 20 seconds, as the tests do.
#   autotest/fuzz/run.sh --seconds 3600 --seed 0 codec  this target for an hour, at random.
#   autotest/fuzz/run.sh --merge               copies useful inputs of earlier runs into
#                                              autotest/fuzz/corpus, and runs no fuzzer.
#
# Without --seed each run in a clean folder tries equal inputs, so that the tests judge a change and not
# chance; --seed 0 draws other inputs in each run.
#
# Fuzzers start from autotest/fuzz/corpus, from the seeds of make_seeds.py, and from the inputs that
# earlier runs found, which are in build-fuzz/corpus. An input that breaks something is left in
# build-fuzz/findings, and the exit status is 1. Put the input into autotest/fuzz/findings/TARGET,
# where the tests run it from then on, and correct the fault.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

all_targets=(json zarray v1 v3 codec shard store connection tar zip flex icechunk yaml parquet kerchunk image)
seconds=20 seed=1 merge=no targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=$2; shift ;;
        --seed) seed=$2; shift ;;
        --merge) merge=yes ;;
        -*) sed -n '2,16s/^# \{0,1\}//p' autotest/fuzz/run.sh; exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${all_targets[@]}")

jobs=$(nproc)
folder=build-fuzz
mkdir -p $folder/findings $folder/logs
OUT=$folder/out autotest/fuzz/oss_fuzz/build.sh >$folder/logs/build 2>&1 || { cat $folder/logs/build; exit 1; }

# Limits in megabytes for one allocation and for all memory. The targets decode chunks of at most 1 MiB;
# codecs and GDAL need the rest.
most_at_once=160 most=1024
options=(-dict=$folder/seeds/zarr.dict -timeout=25 -malloc_limit_mb=$most_at_once -rss_limit_mb=$most
    -max_len=65536 -print_final_stats=1 -reload=0
    # Leaks are checked once, at the end. Memory that GDAL keeps would otherwise trigger a check after each input.
    -detect_leaks=0 -entropic=0)

# Recording short call stacks makes each allocation faster.
export ASAN_OPTIONS=malloc_context_size=6:allocator_may_return_null=0

# Prints the folders with inputs for a target. New inputs go to the first folder.
corpora() {
    mkdir -p "$folder/corpus/$1" "autotest/fuzz/corpus/$1" "$folder/seeds/$1"
    echo "$folder/corpus/$1" "autotest/fuzz/corpus/$1" "$folder/seeds/$1"
}

fuzz() {
    local target=$1 code=0
    # shellcheck disable=SC2046
    setarch "$(uname -m)" --addr-no-randomize nice "$folder/out/zarr_fuzz_$target" "${options[@]}" \
        -max_total_time="$seconds" -seed="$seed" -artifact_prefix="$folder/findings/$target-" \
        $(corpora "$target") >"$folder/logs/$target" 2>&1 || code=$?
    local runs
    runs=$(grep -oE 'stat::number_of_executed_units: +[0-9]+' "$folder/logs/$target" | grep -oE '[0-9]+$' || echo 0)
    if [ $code -eq 0 ]; then
        echo "$target: $runs inputs, $(find "$folder/corpus/$target" -type f | wc -l) kept, no finding"
    else
        grep -E 'ERROR|SUMMARY|does not hold|Test unit written' "$folder/logs/$target" || tail -n 20 "$folder/logs/$target"
        echo "$target: FAILED after $runs inputs; see $folder/logs/$target"
    fi
    return $code
}

# Replaces a target's corpus by the smallest inputs with equal coverage. Their number and size are limited, to keep the
# repository small.
merge() {
    local target=$1 kept=autotest/fuzz/corpus/$1 most=100 largest=2048
    case $target in store | tar | zip) most=40 largest=5120 ;; esac
    rm -rf "$folder/merged" && mkdir -p "$folder/merged"
    # shellcheck disable=SC2046
    "$folder/out/zarr_fuzz_$target" -set_cover_merge=1 -max_len=$largest "$folder/merged" \
        $(corpora "$target") >"$folder/logs/merge-$target" 2>&1
    rm -rf "$kept" && mkdir -p "$kept"
    # awk instead of head, because sort would fail when head closes the pipe.
    find "$folder/merged" -type f -size -${largest}c -printf '%s %p\n' | sort -n |
        awk -v most=$most 'NR <= most { print $2 }' | xargs -r cp -t "$kept"
    echo "$target: $(find "$kept" -type f | wc -l) files, $(du -sk --apparent-size "$kept" | cut -f1) kB"
}

if [ $merge = yes ]; then
    for target in "${targets[@]}"; do merge "$target"; done
    exit 0
fi

code=0
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || code=1; done
    fuzz "$target" &
done
while [ -n "$(jobs -p)" ]; do wait -n || { status=$?; [ $status -eq 127 ] && break; code=1; }; done
# `times` reports the children of its own shell, so it must not run in a pipe, which has a shell of its own.
times >$folder/logs/times
tail -n 1 $folder/logs/times | awk -F'[ms ]' '{ printf "%d s of processor time\n", $1 * 60 + $2 + $4 * 60 + $5 }'
exit $code
