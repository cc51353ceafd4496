#!/usr/bin/env bash
# A few seconds of scripts/chaos: a disturbed run equals the undisturbed one, also when its workers have something in front
# of them.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

refused 2 "'x' is not a whole number" "$root/scripts/chaos" --seconds x
refused 2 "unknown option '--fast'" "$root/scripts/chaos" --fast
BUILD=$(dirname "$bin") "$root/scripts/chaos" --seconds 4 --seed 7 >chaos.out 2>&1 || fail "$(cat chaos.out)"
grep -q '^equal: ' chaos.out || fail "$(cat chaos.out)"
[ "$(sed -n 's/^workers: *\([0-9]*\) killed.*/\1/p' chaos.out)" -ge 1 ] || fail "hardly any chaos: $(cat chaos.out)"

# with choices by hand, too
BUILD=$(dirname "$bin") "$root/scripts/chaos" --kinds --seconds 2 --seed 9 >chosen.out 2>&1 || fail "$(cat chosen.out)"
grep -q '^equal: ' chosen.out || fail "$(cat chosen.out)"

command -v perl >/dev/null || exit 0
BUILD=$(dirname "$bin") "$root/scripts/chaos" --seconds 2 --seed 8 \
    --launcher "perl $root/tests/integration/forward.pl delay 1" >launched.out 2>&1 || fail "$(cat launched.out)"
grep -q '^equal: ' launched.out || fail "$(cat launched.out)"
