#!/usr/bin/env bash
# Each example creature names, in its note, the parameter file that it fits, and does something there: it is not
# disqualified, and goes some way. Each parameter file is accepted.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root" || exit 1
for creature in examples/creatures/*.json; do
    params=$(grep -o '"note": .*' "$creature" | grep -o 'examples/[a-z0-9-]*\.ini' | sort -u)
    [ "$(wc -w <<<"$params")" = 1 ] || fail "$creature names not one parameter file: $params"
    "$bin/simulator" evaluate "$creature" "$params" >"$work/out" || fail "$creature with $params"
    grep -q '^verdict   ok: ' "$work/out" || fail "$creature with $params: $(cat "$work/out")"
    awk '$1 == "distance_max_m" {exit !($2 > 0.3)}' "$work/out" || fail "$creature goes nowhere: $(cat "$work/out")"
    grep -q "^note .*$params" "$work/out" || fail "its note is not shown: $(cat "$work/out")"
done
for params in examples/*.ini; do
    "$bin/simulator" evaluate examples/creatures/pusher.json "$params" >"$work/out" || fail "$params"
done
# the creature that README.md shows goes far
model=$(sed -n 's,^ *cp \(examples/creatures/[a-z]*\.json\) .*,\1,p' README.md)
"$bin/simulator" evaluate "$model" examples/walk.ini >"$work/out" || fail "$model"
awk '$1 == "fitness" {exit !($2 > 3)}' "$work/out" || fail "README's $model is hardly worth a look: $(cat "$work/out")"
