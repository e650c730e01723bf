#!/bin/sh
# Instructions per decision, counted by callgrind: the difference of two runs, so that loading the policy does not count.
# Exits 1 where a state event that none of 100 rules can match costs more than 20,000, or 1,000 rules more than ten times
# 100 rules and a bit.
set -eu
cd "$(dirname "$0")/.."
[ -x build/release/bin/bench/rules_bench ] || { echo "bench: expected build/release/bin/bench/rules_bench, found none: run ./dev build first" >&2; exit 1; }
bench=build/release/bin/bench/rules_bench

instructions() {
  log=$(mktemp)
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" 2> "$log" || { cat "$log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log"
  rm -f "$log"
}

# per_decision <what> [rules]
per_decision() {
  few=$(instructions "$@" 10)
  many=$(instructions "$@" 110)
  echo $(((many - few) / 100))
}

show() { printf '  %-44s %8d\n' "$1" "$2"; }

show "default policy, event that needs nothing" "$(per_decision nothing)"
show "default policy, violation" "$(per_decision violation)"
for rules in 10 100 1000; do
  cost=$(per_decision none "$rules")
  show "$rules rules, none can match" "$cost"
  eval "none_$rules=$cost"
done
for rules in 10 100 1000; do
  cost=$(per_decision one "$rules")
  show "$rules rules on tags, one holds" "$cost"
  eval "one_$rules=$cost"
done

status=0
# shellcheck disable=SC2154
{
  [ "$none_100" -le 20000 ] || { echo "bench: 100 rules that cannot match cost $none_100 instructions, more than 20000"; status=1; }
  [ "$none_1000" -le $((none_100 * 11)) ] || { echo "bench: 1,000 rules cost more than ten times 100"; status=1; }
  [ "$one_1000" -le $((one_100 * 11)) ] || { echo "bench: 1,000 rules on tags cost more than ten times 100"; status=1; }
}
exit $status
