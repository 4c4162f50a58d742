#!/bin/bash
# Builds the fuzzers and runs them, as many at once as there are processors; installs nothing.
#
#   autotest/fuzz/run.sh --seconds 20          each target for 20 seconds, as the tests do
#   autotest/fuzz/run.sh --seconds 3600 --seed 0 codec  this target for an hour, in a way of its own
#   autotest/fuzz/run.sh --merge               instead, puts what the runs have found that is worth
#                                              keeping into autotest/fuzz/corpus
#
# Without --seed each run tries the same in a clean folder, so that the tests judge a change and not
# its luck; --seed 0 is another at each run.
#
# They start from autotest/fuzz/corpus and the seeds that make_seeds.py writes, and go on from what
# earlier runs found, which is kept in build-fuzz/corpus. An input that breaks something is left in
# build-fuzz/findings, and the exit code is 1: put it into autotest/fuzz/findings/TARGET, where the
# tests run it from then on, and mend what it breaks.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

all_targets=(json zarray v1 v3 codec shard store connection tar zip)
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

# What one allocation, and all memory together, may take in megabytes: the largest chunk that the
# targets decode is 1 MiB, all else is what codecs and GDAL need for themselves.
most_at_once=160 most=1024
options=(-dict=$folder/seeds/zarr.dict -timeout=25 -malloc_limit_mb=$most_at_once -rss_limit_mb=$most
    -max_len=65536 -print_final_stats=1 -reload=0
    # Leaks are looked for once, at the end: what GDAL keeps would have them looked for each time.
    -detect_leaks=0 -entropic=0)

# Short stacks are quicker to keep with each allocation.
export ASAN_OPTIONS=malloc_context_size=6:allocator_may_return_null=0

# The folders that a target starts from, of which the first is the one that it adds to.
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

# Of what covers all that is covered the smallest: the repository is not to grow by megabytes.
merge() {
    local target=$1 kept=autotest/fuzz/corpus/$1 most=100 largest=2048
    case $target in store | tar | zip) most=40 largest=5120 ;; esac
    rm -rf "$folder/merged" && mkdir -p "$folder/merged"
    # shellcheck disable=SC2046
    "$folder/out/zarr_fuzz_$target" -set_cover_merge=1 -max_len=$largest "$folder/merged" \
        $(corpora "$target") >"$folder/logs/merge-$target" 2>&1
    rm -rf "$kept" && mkdir -p "$kept"
    # No head, at which sort would fail.
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
times >$folder/logs/times  # not in a pipe, whose process has no children
tail -n 1 $folder/logs/times | awk -F'[ms ]' '{ printf "%d s of processor time\n", $1 * 60 + $2 + $4 * 60 + $5 }'
exit $code
