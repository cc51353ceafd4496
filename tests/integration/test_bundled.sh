#!/usr/bin/env bash
# The creatures that come with the project: what is recorded of them is what the present programs come to.
# speed: long
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
simulator=$bin/simulator
cd "$root"

stale=()
for file in examples/creatures/*.creature tests/creatures/*.creature; do
    "$simulator" evaluate "$file" >"$work/said" 2>&1 || true
    grep -q '^digest .* verified$' "$work/said" || stale+=("$file")
done
[ ${#stale[@]} = 0 ] || fail "not verified (scripts/record-creatures records them anew): ${stale[*]}"

# what is recorded anew is verified, with the same genome, parameters and seed, whatever was recorded before
copy=$work/copy.json
"$simulator" evaluate examples/creatures/swimmer-1.creature --record "$copy" >/dev/null || fail "a record as text"
cp "$copy" "$work/true.json"
sed -i 's/"digest": "\(.\)/"digest": "0\1/; s/\("digest": ".\{16\}\)[0-9a-f]"/\1"/; s/"fitness": [0-9.e-]*/"fitness": 1000/
    s/"simulator_version": [0-9]*/"simulator_version": 1/' "$copy"
evaluates() { # PATTERN WORD...
    "$simulator" evaluate "$copy" "${@:2}" >"$work/said" || fail "evaluate ${*:2}"
    grep -q "$1" "$work/said" || fail "evaluate ${*:2}: not '$1': $(head -n 12 "$work/said")"
}
records() { # PATTERN
    BUILD=$(dirname "$bin") scripts/record-creatures "$copy" >"$work/said" || fail "record-creatures: $(cat "$work/said")"
    grep -q "$1" "$work/said" || fail "record-creatures says: $(cat "$work/said")"
}
evaluates '^digest .* other version$'
records ': recorded anew: ok fitness '
cmp -s "$copy" "$work/true.json" || fail "recorded otherwise: $(diff "$copy" "$work/true.json" | head -n 9)"
records ': verified, stays as it is$'
# by other parameters: they are in the record
evaluates ' not compared$' -s world.gravity_m_s2=1 --seed 5 --record "$copy"
evaluates '^digest .* verified$'
