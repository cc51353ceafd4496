#!/usr/bin/env bash
# stress: violent creatures in every world, a few; its log; and that it can fail.
# runs: watched
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
stress=$(dirname "$bin")/tests/stress/stress
[ -x "$stress" ] || fail "there is no $stress: run make tests first"

"$stress" -n 25 --log whole.csv >whole || fail "$(cat whole)"
[ "$(tail -n 1 whole)" = "stress: 100 creatures, 0 failed" ] || fail "$(cat whole)"
[ "$(wc -l <whole.csv)" = 102 ] || fail "the log has $(wc -l <whole.csv) lines"
grep -q '^| not finite | 0 | 0 | 0 | 0 |$' whole || fail "no count of what is not finite: $(cat whole)"

# an interrupted run goes on, on other cores, and comes to the same
head -n 40 whole.csv >half.csv
"$stress" -n 25 --log half.csv --jobs 3 >half
cmp whole.csv half.csv || fail "the continued log differs"
cmp whole half || fail "the continued tables differ"
"$stress" -n 25 --log half.csv >again
cmp whole again || fail "a complete log is not enough"
! "$stress" -n 25 --random --log half.csv 2>err || fail "a log of other creatures was continued"
grep -q 'other version or of other settings' err || fail "$(cat err)"

# planted: without the guard a residual goes unreported, with steps four times too long more of them
status=0
"$stress" -n 25 -s guard.energy_share=0 -s simulation.dt_s=0.0166 --save . >out || status=$?
[ $status = 1 ] || fail "status $status where the guard is off: $(cat out)"
grep -q '^FAIL' out || fail "nobody is named: $(cat out)"
# a file has no constants, which some of them live by other values of
saved=""
for file in ./*-*.creature; do
    "$bin/simulator" evaluate "$file" >repeated 2>/dev/null || continue
    if grep -q verified repeated; then saved=$file; fi
done
[ -n "$saved" ] || fail "what was saved does not repeat"

# creatures from files, with their own parameters
"$stress" "$saved" "$root"/examples/creatures/{fish,tail}.json --jobs 2 >files || true
grep -q '^| verdict | files |$' files || fail "$(cat files)"
grep -q '^stress: 3 creatures' files || fail "$(cat files)"

status=0
"$stress" -n 0 2>err || status=$?
[ $status = 2 ] || fail "-n 0: status $status"

# the two solvers move whole creatures alike, the nearer the finer the step; and not when one of them
# simulates something else
parting=$(dirname "$stress")/parting
cd "$root" || exit 1
"$parting" --brief >"$OLDPWD/parting" || fail "$(cat "$OLDPWD/parting")"
for planted in creature.servo_rad_s=19 world.gravity_m_s2=9.95 world.friction=0.7; do
    status=0
    "$parting" --brief -s $planted >"$OLDPWD/parting" || status=$?
    [ $status = 1 ] || fail "$planted for one of the solvers: status $status, $(cat "$OLDPWD/parting")"
done
