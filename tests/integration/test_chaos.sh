#!/usr/bin/env bash
# A few seconds of scripts/chaos: a disturbed run equals the undisturbed one, also when its workers have something in front
# of them. Fewer where sanitizers watch.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

refused 2 "'x' is not a whole number" "$root/scripts/chaos" --seconds x
refused 2 "unknown option '--fast'" "$root/scripts/chaos" --fast
seconds=5 least=3
case $bin in */san-*/bin) seconds=4 least=1 ;; esac
BUILD=$(dirname "$bin") "$root/scripts/chaos" --seconds $seconds --seed 7 >chaos.out 2>&1 || fail "$(cat chaos.out)"
grep -q '^equal: ' chaos.out || fail "$(cat chaos.out)"
[ "$(sed -n 's/^workers: *\([0-9]*\) killed.*/\1/p' chaos.out)" -ge $least ] || fail "hardly any chaos: $(cat chaos.out)"

command -v perl >/dev/null || exit 0
BUILD=$(dirname "$bin") "$root/scripts/chaos" --seconds 3 --seed 8 \
    --launcher "perl $root/tests/integration/forward.pl delay 1" >launched.out 2>&1 || fail "$(cat launched.out)"
grep -q '^equal: ' launched.out || fail "$(cat launched.out)"
