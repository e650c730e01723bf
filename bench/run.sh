#!/bin/sh
# All benchmarks of the release build. Machines are noisy: read ratios within one run, not milliseconds.
set -eu
cd "$(dirname "$0")/.."
bin=build/release/bin

echo "size"
for function in state alarm; do
  zip=$(mktemp -u).zip
  (cd "$bin/$function" && zip -q -9 "$zip" bootstrap policy.json)
  printf '  %-24s %5.2f MB  zipped %5.2f MB\n' "$function/bootstrap" \
    "$(stat -c %s "$bin/$function/bootstrap" | awk '{print $1 / 1e6}')" "$(stat -c %s "$zip" | awk '{print $1 / 1e6}')"
  rm -f "$zip"
done

echo "exec to the first \`next\` (median of 15)"
"$bin/bench/start_bench" 15 "$bin/bench/floor" "$bin/state/bootstrap" "$bin/alarm/bootstrap"

echo "inside the process"
"$bin/bench/micro_bench" --benchmark_min_time=0.2 2>/dev/null

echo "one decision"
"$bin/bench/rules_bench" --benchmark_min_time=0.2 2>/dev/null

echo "instructions for one decision (callgrind)"
bench/rules_count.sh

echo "calls of one stop and one restart (bench/calls_bench.py)"
TRAINWARDEN_BIN=$bin python3 bench/calls_bench.py

echo "one sweep (bench/sweep_bench.py)"
TRAINWARDEN_BIN=$bin python3 bench/sweep_bench.py
