#!/bin/sh
# Instructions for one diagnosis, counted by callgrind: of logs of 32 and of 64 KiB, on one line and on lines of 100 and of
# 4,000 bytes. Exits 1 where 64 KiB cost more than 2.2 times what 32 KiB cost, where 64 KiB of what a job prints cost more
# than 8 million, and where anything costs more than 14 million. `diagnose_count.sh FILE` counts the JSON lines of a file
# instead, as `trainwarden diagnose` takes them, and exits 1 where one costs more than 8 million.
set -eu
cd "$(dirname "$0")/.."
[ -x build/release/bin/bench/diagnose_bench ] || { echo "bench: expected build/release/bin/bench/diagnose_bench, found none: run ./dev build first" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$folder/count" --toggle-collect=diagnose_one --dump-after=diagnose_one \
  build/release/bin/bench/diagnose_bench "$@" > "$folder/names" 2> "$folder/log" || { cat "$folder/log" >&2; exit 1; }
i=0
while IFS= read -r name; do
  i=$((i + 1))
  printf '%s\t%s\n' "$(sed -n 's/^totals: //p' "$folder/count.$i" | head -n 1)" "$name"
done < "$folder/names" > "$folder/counts"
if [ $# -gt 0 ]; then
  sort -n "$folder/counts"
  awk '$1 > 8000000 { bad = 1 } END { exit bad }' "$folder/counts"
  exit
fi
awk -F '\t' '
  $2 == "first" { printf "  %-44s %10d\n", "the first, with the index of the vocabulary", $1; next }
  $2 == 32 { half = $1; next }
  {
    what = "`" $4 "`" ($3 == 0 ? ", on one line" : ", on lines of " $3)
    if ($3 == 0 || $4 == "log") printf "  %-44s %10d\n", what, $1
    if ($1 > most) { most = $1; of = what }
    if ($1 > half * 2.2) { print "bench: 64 KiB of " what " cost more than 2.2 times 32 KiB: " half ", " $1; bad = 1 }
    printed = $4 == "log" || $4 == "progress bars" || $4 == "JSON" || $4 == "base64"
    if ($1 > (printed ? 8000000 : 14000000)) { print "bench: 64 KiB of " what " cost " $1 " instructions"; bad = 1 }
  }
  END { printf "  %-44s %10d\n", "the most: " of, most; exit bad }' "$folder/counts"
