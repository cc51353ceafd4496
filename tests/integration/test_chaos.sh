#!/usr/bin/env bash
# A few seconds of scripts/chaos: a disturbed run equals the undisturbed one.
# speed: slow
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

refused 2 "'x' is not a whole number" "$root/scripts/chaos" --seconds x
refused 2 "unknown option '--fast'" "$root/scripts/chaos" --fast
BUILD=$(dirname "$bin") "$root/scripts/chaos" --seconds 5 --seed 7 >chaos.out 2>&1 || fail "$(cat chaos.out)"
grep -q '^equal: ' chaos.out || fail "$(cat chaos.out)"
[ "$(sed -n 's/^workers: *\([0-9]*\) killed.*/\1/p' chaos.out)" -ge 3 ] || fail "hardly any chaos: $(cat chaos.out)"
