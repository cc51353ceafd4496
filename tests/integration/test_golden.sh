#!/usr/bin/env bash
# The golden digests of creatures by hand, from the program that is installed: it is compiled otherwise than the
# libraries of tests/golden (see "where an evaluation's time goes" in the Makefile).
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

count=0
while read -r name digest; do
    creature=$root/examples/creatures/${name%-*}.json
    [ -f "$creature" ] || continue
    "$bin/simulator" evaluate "$creature" "$root/examples/${name##*-}.ini" --seed 1 >"$name.txt"
    grep -q "^digest *$digest " "$name.txt" || fail "$name: not $digest but $(grep ^digest "$name.txt")"
    count=$((count + 1))
done <"$root/tests/golden/digests.txt"
[ "$count" -ge 16 ] || fail "only $count creatures"
